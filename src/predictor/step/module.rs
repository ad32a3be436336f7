//! Kinds of calls, one row each: the name in JSON and reports, and the part of a layer, which determines how recompute,
//! adapters and Muon treat the call.

/// Lists the modules once: the variant, its name, and its part.
macro_rules! modules {
    ($($(#[$doc:meta])* $module:ident = $name:literal, $part:ident $(($of:ident))?;)+) => {
        /// Kind of a call. A module may have calls in several passes. The sets of modules that users recompute are
        /// [`Modules`](crate::scenario::plan::Modules).
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Module {
            $($(#[$doc])* $module,)+
        }

        impl Module {
            /// Every module.
            pub const ALL: [Self; [$(Self::$module),+].len()] = [$(Self::$module),+];

            /// Name in JSON, tables and reports.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$module => $name,)+
                }
            }

            /// Part of a layer that the module belongs to.
            pub(super) const fn part(self) -> LayerPart {
                match self {
                    $(Self::$module => LayerPart::$part $((ExpertPart::$of))?,)+
                }
            }
        }
    };
}

/// Part of a layer: modules that recompute, adapters and Muon treat in the same way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LayerPart {
    /// The norms before the attention and before the feed-forward part.
    Norm,
    /// The projection to queries, keys and values.
    QueryKeyValue,
    /// The norms of queries and keys.
    HeadNorm,
    /// Projections of a layer's input in multi-head latent attention: to the latents, or to queries directly.
    LatentDown,
    /// Projections up from the latents.
    LatentUp,
    /// Keys of multi-head latent attention assembled from both of their components.
    KeyAssembly,
    /// The attention core.
    AttentionCore,
    /// The output projection of the attention.
    AttentionOutput,
    /// The reduction of the attention's output, and the residual sum after it.
    AttentionResidual,
    /// Gathers of the input of feed-forward products.
    FeedForwardInput,
    /// Up-projections of a dense layer or of shared experts.
    Up,
    /// Activation of a dense layer or of shared experts.
    Activation,
    /// Down-projection of a dense layer or of shared experts.
    Down,
    /// The reduction of a dense layer's output, and the residual sum at the end of a layer.
    LayerOutput,
    /// Routed experts on their own rank.
    Experts(ExpertPart),
    /// The router's product, and tokens on their way to experts and back.
    Routing,
    /// Anything else: outside of layers, or without a rule of its own.
    Other,
}

/// Part of the routed experts on their own rank.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ExpertPart {
    /// Expert selection, and sorting of tokens.
    Sorting,
    /// Up-projections.
    Up,
    /// Activation, and the clamp before it.
    Activation,
    /// Down-projections.
    Down,
    /// Biases.
    Bias,
}

modules! {
    // Attention.
    /// Norm before the attention.
    AttentionNorm = "attention_norm", Norm;
    /// Tensor-parallel gather of the attention's input, and the reduction of its gradient.
    AttentionInputGather = "attention_input_gather", Other;
    /// Residual stream and embeddings joined, as the input of a shared block.
    BlockInputJoin = "block_input_join", Other;
    /// Projection to queries, keys and values.
    QkvProjection = "qkv_projection", QueryKeyValue;
    /// Projection of the encoder's outputs to keys and values, in cross-attention.
    CrossKeysValues = "cross_keys_values", Other;
    /// Norm of each head's queries.
    QueryNorm = "query_norm", HeadNorm;
    /// Norm of each head's keys.
    KeyNorm = "key_norm", HeadNorm;
    /// Projection to queries with a latent for keys and values.
    QueryProjection = "query_projection", LatentDown;
    /// Projection to the query latent.
    QueryDown = "query_down", LatentDown;
    /// Projection from the query latent to queries.
    QueryUp = "query_up", LatentUp;
    /// Projection to the latent of keys and values.
    KeyValueDown = "key_value_down", LatentDown;
    /// Projection from the latent to keys and values.
    KeyValueUp = "key_value_up", LatentUp;
    /// Norms of the latents.
    LatentNorm = "latent_norm", Other;
    /// Keys assembled from projected and rotated components.
    KeyAssembly = "key_assembly", KeyAssembly;
    /// Rotary position embedding of queries and keys.
    RotaryEmbedding = "rotary_embedding", Other;
    /// Projection to compressed keys, and to the weights of their tokens.
    KeyCompression = "key_compression", Other;
    /// Tokens weighed into compressed keys.
    CompressedKeys = "compressed_keys", Other;
    /// Projection to the indexer's queries.
    IndexQuery = "index_query", Other;
    /// Projection to the indexer's keys and to the weights of its heads.
    IndexKey = "index_key", Other;
    /// Scores of the indexer, and the choice of keys.
    IndexScores = "index_scores", Other;
    /// Attention scores that the indexer learns from.
    IndexTarget = "index_target", Other;
    /// Sum over heads of those scores in a tensor-parallel group.
    IndexTargetReduce = "index_target_reduce", Other;
    /// Keys and values copied for every query head that reads them.
    RepeatedKeysValues = "repeated_keys_values", Other;
    /// Keys and values passed around the context-parallel ring.
    KeyValueExchange = "key_value_exchange", Other;
    /// Keys and values gathered from the context-parallel group.
    KeyValueGather = "key_value_gather", Other;
    /// Gradients of gathered keys and values reduced.
    KeyValueScatter = "key_value_scatter", Other;
    /// All-to-all of tokens for heads before the core.
    AttentionInputExchange = "attention_input_exchange", Other;
    /// Attention core.
    AttentionCore = "attention_core", AttentionCore;
    /// Attention core whose sliding window is a mask.
    WindowedCore = "windowed_core", AttentionCore;
    /// All-to-all of heads for tokens after the core.
    AttentionOutputExchange = "attention_output_exchange", Other;
    /// Gate of the attention's output.
    AttentionGate = "attention_gate", Other;
    /// Projection of the attention's output to a latent of each group of heads.
    OutputDown = "output_down", AttentionOutput;
    /// Residual streams mixed into the input of a part of a layer, and its output into them.
    ResidualStreams = "residual_streams", Other;
    /// Output projection of the attention.
    AttentionOutput = "attention_output", AttentionOutput;
    /// Tensor-parallel reduction of the attention's output.
    AttentionOutputReduce = "attention_output_reduce", AttentionResidual;
    /// Matrix that replaces a mixer.
    MixerMatrix = "mixer_matrix", AttentionOutput;
    /// Residual sum after the attention.
    AttentionResidual = "attention_residual", AttentionResidual;

    // Recurrent mixers, between the attention's norm and its output projection.
    /// Projection to all that the mixer reads.
    MixerProjection = "mixer_projection", LatentDown;
    /// Low-rank projection of gates and steps, down.
    MixerGateDown = "mixer_gate_down", Other;
    /// Low-rank projection of gates and steps, up.
    MixerGateUp = "mixer_gate_up", Other;
    /// Short convolution with its activation.
    MixerConvolution = "mixer_convolution", Other;
    /// The state carried from chunk to chunk.
    MixerScan = "mixer_scan", Other;
    /// Norm and gate of the output.
    MixerNorm = "mixer_norm", Other;

    // Feed-forward part of a dense layer, with the ends of a layer of experts.
    /// Norm before the feed-forward part or the experts.
    MlpNorm = "mlp_norm", Norm;
    /// Tensor-parallel gather of the input.
    MlpInputGather = "mlp_input_gather", FeedForwardInput;
    /// Up-projections.
    MlpUp = "mlp_up", Up;
    /// Activation.
    Activation = "activation", Activation;
    /// Down-projection.
    MlpDown = "mlp_down", Down;
    /// Low-rank matrices of each use of a shared block, down.
    BlockAdapterDown = "block_adapter_down", Other;
    /// Low-rank matrices of each use of a shared block, up.
    BlockAdapterUp = "block_adapter_up", Other;
    /// Sum of the low-rank and the shared projection.
    BlockAdapterSum = "block_adapter_sum", Other;
    /// Projection of a shared block's output.
    BlockOutput = "block_output", Other;
    /// Tensor-parallel reduction of the output.
    MlpOutputReduce = "mlp_output_reduce", LayerOutput;
    /// Residual sum at the end of a layer.
    MlpResidual = "mlp_residual", LayerOutput;

    // Shared experts.
    /// Tensor-parallel gather of the input.
    SharedInputGather = "shared_input_gather", FeedForwardInput;
    /// Up-projections.
    SharedUp = "shared_up", Up;
    /// Activation.
    SharedActivation = "shared_activation", Activation;
    /// Down-projection.
    SharedDown = "shared_down", Down;
    /// Tensor-parallel reduction of the output.
    SharedOutputReduce = "shared_output_reduce", Routing;

    // Routed experts.
    /// Router's product.
    Router = "router", Routing;
    /// Softmax and top-k of the router's scores.
    RouterTopK = "router_top_k", Experts(Sorting);
    /// Projection to the narrower width that experts work on.
    ExpertLatentDown = "expert_latent_down", Routing;
    /// Projection back from it.
    ExpertLatentUp = "expert_latent_up", Routing;
    /// Tokens sorted by expert.
    TokenPermute = "token_permute", Experts(Sorting);
    /// Product with a one-hot mask that sorts tokens by expert.
    DispatchMask = "dispatch_mask", Experts(Sorting);
    /// Tokens sent to the ranks of their experts.
    TokenDispatch = "token_dispatch", Routing;
    /// Expert-tensor-parallel gather of the input.
    ExpertInputGather = "expert_input_gather", FeedForwardInput;
    /// Up-projections.
    ExpertUp = "expert_up", Experts(Up);
    /// Clamp before the activation.
    ExpertClamp = "expert_clamp", Experts(Activation);
    /// Activation.
    ExpertActivation = "expert_activation", Experts(Activation);
    /// Down-projections.
    ExpertDown = "expert_down", Experts(Down);
    /// Biases.
    ExpertBias = "expert_bias", Experts(Bias);
    /// Expert-tensor-parallel reduction of the output.
    ExpertOutputReduce = "expert_output_reduce", Routing;
    /// Outputs of experts sent back.
    TokenCombine = "token_combine", Routing;
    /// Product with a mask that restores the order of tokens and weights them.
    CombineMask = "combine_mask", Experts(Sorting);
    /// Tokens brought back to their order.
    TokenUnpermute = "token_unpermute", Experts(Sorting);

    // Around linear layers.
    /// Bias of a linear layer.
    Bias = "bias", Other;
    /// Casts to FP8 or FP4.
    Quantize = "quantize", Other;
    /// Autocast's copies of weights.
    WeightCast = "weight_cast", Other;
    /// Autocast's copies of activations.
    ActivationCast = "activation_cast", Other;
    /// Sum of the gradients of several linear layers that read the same input.
    GradientSum = "gradient_sum", Other;
    /// Weight gradient added to the sum over micro-batches.
    GradientAccumulation = "gradient_accumulation", Other;
    /// Frozen weights widened to 16 bits.
    Dequantise = "dequantise", Other;
    /// Down-projection of an adapter.
    AdapterDown = "adapter_down", Other;
    /// Up-projection of an adapter.
    AdapterUp = "adapter_up", Other;
    /// Sum of an adapter and its linear layer.
    AdapterSum = "adapter_sum", Other;
    /// Copy that joins or splits a gathered sequence.
    SequenceReshuffle = "sequence_reshuffle", Other;

    // Embeddings of every layer's own.
    /// Rows of the table of layers' own embeddings.
    LayerEmbeddings = "layer_embeddings", Other;
    /// Projection of the embedding that is added to them.
    LayerEmbeddingProjection = "layer_embedding_projection", Other;
    /// Gate of a layer's own embedding.
    LayerEmbeddingGate = "layer_embedding_gate", Other;
    /// Projection of a layer's own embedding to the residual stream.
    LayerEmbeddingOutput = "layer_embedding_output", Other;

    // An encoder in front of the decoder.
    /// Embedding of patches or frames, and positions added to it.
    PatchEmbedding = "patch_embedding", Other;
    /// Last norm of the encoder.
    EncoderNorm = "encoder_norm", Other;
    /// Tensor-parallel gather of a projector's input, and the reduction of its gradient.
    ProjectorInputGather = "projector_input_gather", Other;
    /// Up-projection of a projector.
    ProjectorUp = "projector_up", Other;
    /// Activation of a projector.
    ProjectorActivation = "projector_activation", Other;
    /// Projection to the decoder's width.
    ProjectorDown = "projector_down", Other;
    /// Tensor-parallel reduction of a projector's output.
    ProjectorReduce = "projector_reduce", Other;

    // Embedding, head and loss.
    /// Input embedding.
    Embedding = "embedding", Other;
    /// Tensor-parallel reduction of the embedding.
    EmbeddingReduce = "embedding_reduce", Other;
    /// Norm of a multi-token prediction layer's inputs.
    PredictionNorm = "prediction_norm", Other;
    /// Projection of a multi-token prediction layer.
    PredictionProjection = "prediction_projection", Other;
    /// Norm before the head.
    FinalNorm = "final_norm", Other;
    /// Tensor-parallel gather of the head's input.
    LmHeadInputGather = "lm_head_input_gather", Other;
    /// LM head.
    LmHead = "lm_head", Other;
    /// Tensor-parallel gather of the logits.
    LogitsGather = "logits_gather", Other;
    /// Weight gradient of the head summed over parts of the tokens.
    LmHeadSum = "lm_head_sum", Other;
    /// Tensor-parallel reduction of the gradient of the head's input.
    LmHeadInputReduce = "lm_head_input_reduce", Other;
    /// Cross-entropy loss.
    CrossEntropy = "cross_entropy", Other;
    /// Maximum of the logits over a split vocabulary.
    LossMaximum = "loss_maximum", Other;
    /// Logit of the target over a split vocabulary.
    LossTarget = "loss_target", Other;
    /// Sum of exponentials over a split vocabulary.
    LossSum = "loss_sum", Other;

    // Between stages, and between the ranks that shard or replicate parameters.
    /// Residual stream to the next stage, or its gradient back.
    StageTransfer = "stage_transfer", Other;
    /// Parameters fetched from the host's memory.
    ParameterFetch = "parameter_fetch", Other;
    /// Parameters gathered.
    ParameterGather = "parameter_gather", Other;
    /// Copy of gathered parameters.
    ParameterCopy = "parameter_copy", Other;
    /// Gradients of sharded parameters reduced.
    GradientScatter = "gradient_scatter", Other;
    /// Copy of gradients for their reduction.
    GradientCopy = "gradient_copy", Other;
    /// Gradients reduced at the end of a step.
    GradientReduction = "gradient_reduction", Other;
    /// Gradient of a tied embedding summed over two stages.
    EmbeddingSynchronisation = "embedding_synchronisation", Other;

    // Update.
    /// Update of the parameters.
    Optimizer = "optimizer", Other;
    /// Muon's orthogonalisation.
    NewtonSchulz = "newton_schulz", Other;
    /// Muon's momentum gathered from the ranks that hold parts of a matrix.
    MomentumGather = "momentum_gather", Other;
    /// Gram matrices of Muon summed over the ranks that hold parts of a matrix.
    GramReduction = "gram_reduction", Other;
    /// Muon's momentum sent to the rank that computes a matrix, and back.
    MomentumExchange = "momentum_exchange", Other;
    /// Updated parameters returned to the host's memory.
    ParameterReturn = "parameter_return", Other;
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn names_are_distinct() {
        let names: BTreeSet<&str> = Module::ALL.into_iter().map(Module::name).collect();
        assert_eq!(names.len(), Module::ALL.len());
    }
}
