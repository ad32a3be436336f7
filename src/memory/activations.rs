//! What one transformer layer keeps for its backward pass, per micro-batch, on one GPU.
//!
//! The accounting is that of Korthikanti et al. 2022 (arXiv 2205.05198, section 4), tensor by tensor, so that
//! it also covers grouped-query attention, gated MLPs, flash attention, context parallelism and FP8.

use super::facts::Facts;
use crate::scenario::Scenario;
use crate::scenario::plan::{Modules, Recompute};
use crate::step::Shapes;

/// Bytes of an activation in 16 bits.
const HALF: f64 = 2.0;
/// Bytes of a value in 32 bits.
const SINGLE: f64 = 4.0;
/// Bytes of one entry of a dropout mask.
const MASK: f64 = 1.0;

/// Activations of one layer and one micro-batch on one GPU, bytes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct LayerActivations {
    /// Kept from forward to backward under the scenario's recompute mode.
    pub(super) kept: f64,
    /// Kept on, or computed again, from the input gradient to a weight gradient that is put off: inputs of the
    /// linear layers and gradients of their outputs.
    pub(super) for_weights: f64,
    /// Computed again for the backward pass of one layer, then dropped.
    pub(super) recomputed: f64,
    /// Gradients and gathered tensors alive while one layer runs backward.
    pub(super) transient: f64,
}

impl LayerActivations {
    pub(super) fn new(scenario: &Scenario, shapes: &Shapes, facts: &Facts) -> Self {
        Self::of(scenario, Tensors::dense(shapes, facts), shapes, facts)
    }

    /// Activations of a layer of experts.
    pub(super) fn of_experts(scenario: &Scenario, shapes: &Shapes, facts: &Facts) -> Self {
        Self::of(scenario, Tensors::of_experts(scenario, shapes, facts), shapes, facts)
    }

    fn of(scenario: &Scenario, tensors: Tensors, shapes: &Shapes, facts: &Facts) -> Self {
        let all = tensors.all();
        let kept = match scenario.plan.recompute {
            Recompute::None => all,
            Recompute::Selective => all - tensors.selective(facts),
            Recompute::Full => tensors.input(),
            Recompute::Modules(set) => all - tensors.of_modules(set),
        };
        let transient = tensors.backward(scenario, shapes, facts);
        Self { kept, for_weights: tensors.for_weights(shapes, facts), recomputed: all - kept, transient }
    }
}

/// Sizes of the tensors that a layer's backward pass reads, bytes.
struct Tensors {
    /// Inputs of the two norms: the residual stream, once each.
    residuals: f64,
    /// Outputs of the two norms, inputs of the QKV and up projections.
    norm_outputs: f64,
    /// Dropout masks after the attention and the MLP.
    dropout_masks: f64,
    /// Queries, keys and values.
    queries_keys_values: f64,
    /// Output of the attention core, input of the output projection.
    context: f64,
    /// Softmax output, its dropout mask and the dropout's output (unfused), or the row statistics (flash).
    scores: f64,
    /// Latents of multi-head latent attention: inputs of the up projections.
    latents: f64,
    /// Output of the up projection, and of the activation where it is not fused with the product.
    up: f64,
    /// Input of the down projection.
    down_input: f64,
    /// Router's scores; tokens sorted for their experts, as received.
    routed: f64,
}

impl Tensors {
    fn dense(shapes: &Shapes, facts: &Facts) -> Self {
        Self::new(shapes, facts, shapes.tokens * shapes.ffn)
    }

    /// In place of one feed-forward layer, the shared experts, and the routed ones with the tokens that
    /// reach them. Of the tokens sent nothing is kept: sorting is undone by its inverse. Nor are the experts'
    /// outputs: the gate's weights enter with the activation (Megatron-Core since 0.11).
    fn of_experts(scenario: &Scenario, shapes: &Shapes, facts: &Facts) -> Self {
        let split = f64::from(scenario.plan.expert_tensor_parallel.max(1));
        let own = shapes.tokens / f64::from(scenario.plan.tensor_parallel.max(1));
        let received = shapes.routed_tokens * split;
        let scores = own * f64::from(scenario.model.experts.count) * SINGLE;
        let inputs = received * shapes.hidden * facts.linear_input_bytes;
        let inside = shapes.tokens * shapes.shared_ffn + received * shapes.expert_ffn;
        Self { routed: scores + inputs, ..Self::new(shapes, facts, inside) }
    }

    /// `inside`: elements of one branch of the feed-forward layers.
    fn new(shapes: &Shapes, facts: &Facts, inside: f64) -> Self {
        let (tokens, hidden) = (shapes.tokens, shapes.hidden);
        let residual = shapes.split_tokens * hidden;
        let queries = shapes.heads * shapes.head_dim;
        let context = shapes.heads * shapes.value_dim;
        let gated = shapes.up_branches > 1.0;
        // An FP8 output projection keeps its own copy of the context beside the attention's.
        let context_copy = if facts.linear_input_bytes < HALF { facts.linear_input_bytes } else { 0.0 };
        let score = match (facts.unfused_attention, facts.dropout) {
            (true, true) => shapes.sequence * (HALF + MASK + HALF),
            (true, false) => shapes.sequence * HALF,
            (false, _) => SINGLE,
        };
        let activation = if gated && !facts.fused_activation { HALF * inside } else { 0.0 };
        Self {
            residuals: residual * (HALF + HALF),
            norm_outputs: residual * 2.0 * facts.linear_input_bytes,
            dropout_masks: if facts.dropout { residual * (MASK + MASK) } else { 0.0 },
            queries_keys_values: tokens * (queries + shapes.key_values) * HALF,
            context: tokens * context * (HALF + context_copy),
            scores: tokens * shapes.heads * score,
            latents: tokens * shapes.latent_width * facts.linear_input_bytes,
            up: HALF * shapes.up_branches * inside + activation,
            down_input: inside * facts.linear_input_bytes,
            routed: 0.0,
        }
    }

    fn all(&self) -> f64 {
        self.residuals
            + self.norm_outputs
            + self.dropout_masks
            + self.queries_keys_values
            + self.context
            + self.scores
            + self.latents
            + self.up
            + self.down_input
            + self.routed
    }

    /// What weight gradients need: each linear layer's input, and its output's gradient in 16 bits. Without
    /// grouped queries, gates, experts or FP8 that is 32 sbh (Qi et al. 2024, table 1).
    fn for_weights(&self, shapes: &Shapes, facts: &Facts) -> f64 {
        let context = shapes.tokens * shapes.heads * shapes.value_dim * facts.linear_input_bytes;
        let inputs = self.norm_outputs + context + self.latents + self.down_input + self.routed;
        let up = self.down_input / facts.linear_input_bytes * shapes.up_branches * HALF;
        inputs + up + self.residuals + self.queries_keys_values
    }

    /// Kept by full recompute: the layer's input.
    fn input(&self) -> f64 {
        self.residuals / 2.0
    }

    /// Not kept by selective recompute: the attention core's scores (unfused), or the outputs of the norms
    /// and of the activation (flash attention, which recomputes its scores anyway).
    fn selective(&self, facts: &Facts) -> f64 {
        if facts.unfused_attention { self.scores } else { self.norm_outputs + self.down_input }
    }

    /// Not kept where modules are recomputed: scores of the attention core, outputs of the norms and of the
    /// activation, all that lies between the feed-forward products. What a module's successor reads stays.
    fn of_modules(&self, set: Modules) -> f64 {
        let feed_forward = set.has(Modules::FEED_FORWARD);
        let dropped = [
            (set.has(Modules::ATTENTION_CORE), self.scores),
            (set.has(Modules::NORMS), self.norm_outputs),
            (feed_forward || set.has(Modules::ACTIVATION), self.down_input),
            (feed_forward, self.up),
        ];
        dropped.iter().filter(|part| part.0).map(|part| part.1).sum()
    }

    /// Alive while the layer runs backward: the residual stream's gradient, the tensor that sequence
    /// parallelism gathers, and the larger of the MLP's gradients (of the up projection's output) and the
    /// attention's (of context, queries, keys and values, with flash attention's 32-bit query gradient).
    fn backward(&self, scenario: &Scenario, shapes: &Shapes, facts: &Facts) -> f64 {
        let gathered = scenario.plan.sequence_parallel && scenario.plan.tensor_parallel > 1;
        let gather = if gathered { shapes.tokens * shapes.hidden * HALF } else { 0.0 };
        let mlp = self.up.min(self.down_input * shapes.up_branches * HALF / facts.linear_input_bytes);
        let queries = shapes.tokens * shapes.heads * shapes.head_dim;
        let core = if facts.unfused_attention {
            shapes.tokens * shapes.heads * shapes.sequence * HALF
        } else {
            queries * SINGLE
        };
        let attention = queries * HALF + self.queries_keys_values + core;
        self.residuals / 2.0 + gather + mlp.max(attention)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Document;
    use crate::scenario::Precision;
    use crate::scenario::model::{Bias, Model, Norm, Positions};
    use crate::scenario::stack::Stack;

    /// GPT-3 175B as Korthikanti et al. train it: 2048 tokens, tensor-parallel over 8 GPUs.
    fn gpt3(tensor_parallel: u32, sequence_parallel: bool, recompute: Recompute) -> Scenario {
        let mut scenario = Document::default().scenario().expect("the default document is valid");
        scenario.model = Model {
            layers: 96,
            hidden: 12_288,
            ffn: 4 * 12_288,
            heads: 96,
            kv_heads: 96,
            head_dim: 128,
            vocabulary: 51_200,
            gated_mlp: false,
            tied_embeddings: true,
            bias: Bias::All,
            norm: Norm::Layer,
            positions: Positions::Learned(2048),
            ..Model::DENSE
        };
        scenario.workload.sequence = 2048;
        scenario.workload.precision = Precision::Fp16;
        scenario.software.stack = Stack::MegatronLm;
        scenario.software.year = 2022;
        scenario.plan.micro_batch = 2;
        scenario.plan.context_parallel = 1;
        scenario.plan.tensor_parallel = tensor_parallel;
        scenario.plan.sequence_parallel = sequence_parallel;
        scenario.plan.recompute = recompute;
        scenario
    }

    fn of(scenario: &Scenario) -> LayerActivations {
        LayerActivations::new(scenario, &Shapes::new(scenario), &Facts::new(scenario))
    }

    /// Korthikanti et al. 2022, equation 1 and table 2, bytes per layer.
    #[test]
    fn published_formulas_come_out_exactly() {
        let (s, b, h, a, t) = (2048.0, 2.0, 12_288.0, 96.0, 8.0);
        let sbh = s * b * h;
        let scores = 5.0 * a * s / h;
        let published = [
            (1, false, Recompute::None, sbh * (34.0 + scores)),
            (8, false, Recompute::None, sbh * (10.0 + 24.0 / t + scores / t)),
            (8, true, Recompute::None, sbh / t * (34.0 + scores)),
            (8, false, Recompute::Selective, sbh * (10.0 + 24.0 / t)),
            (8, true, Recompute::Selective, sbh / t * 34.0),
            (8, false, Recompute::Full, 2.0 * sbh),
            (8, true, Recompute::Full, 2.0 * sbh / t),
        ];
        for (tensor_parallel, sequence_parallel, recompute, bytes) in published {
            let layer = of(&gpt3(tensor_parallel, sequence_parallel, recompute));
            assert_eq!(layer.kept, bytes, "t {tensor_parallel} sp {sequence_parallel} {recompute:?}");
            let all = of(&gpt3(tensor_parallel, sequence_parallel, Recompute::None));
            assert_eq!(layer.kept + layer.recomputed, all.kept);
        }
    }

    /// Qi et al. 2024 (arXiv 2401.10241), table 1: weight gradients need 32 sbh, whatever is recomputed before.
    #[test]
    fn what_weight_gradients_need_is_published() {
        let sbh = 2048.0 * 2.0 * 12_288.0;
        for recompute in [Recompute::None, Recompute::Selective, Recompute::Full] {
            assert_eq!(of(&gpt3(1, false, recompute)).for_weights, 32.0 * sbh);
            assert_eq!(of(&gpt3(8, true, recompute)).for_weights, 32.0 * sbh / 8.0);
        }
    }

    /// Llama-like layers on a fused stack, counted by hand: nothing grows with the square of the sequence.
    #[test]
    fn modern_layers_keep_what_they_need() {
        let mut scenario = gpt3(1, false, Recompute::None);
        scenario.software.stack = Stack::Fused;
        scenario.workload.precision = Precision::Bf16;
        scenario.model.gated_mlp = true;
        scenario.model.kv_heads = 8;
        let tokens = 2.0 * 2048.0;
        let (h, kv, f) = (12_288.0, 8.0 * 128.0, 49_152.0);
        // Two norm inputs, two norm outputs; queries, keys, values, context, statistics; gate, up, product.
        let expected = tokens * (8.0 * h + 2.0 * (h + 2.0 * kv) + 2.0 * h + 4.0 * 96.0 + 6.0 * f);
        assert_eq!(of(&scenario).kept, expected);
        scenario.plan.recompute = Recompute::Selective;
        assert_eq!(of(&scenario).kept, expected - tokens * (4.0 * h + 2.0 * f));
        scenario.plan.recompute = Recompute::None;
        scenario.plan.context_parallel = 4;
        assert_eq!(of(&scenario).kept, expected / 4.0);
        scenario.plan.context_parallel = 1;
        // FP8 halves the inputs of the linear layers, and adds the projection's own copy of the context.
        scenario.workload.precision = Precision::Fp8;
        assert_eq!(of(&scenario).kept, expected - tokens * (2.0 * h + f) + tokens * h);
    }
}
