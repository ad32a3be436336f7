//! Blocks whose weights several layers use: what each use has of its own, and the matrix that replaces a mixer.

use super::emit::Emitter;
use super::{HALF, Module, Parallelism, Pass, ProcessGroup, Program, Saved};
use crate::cost::Collective;

impl Program<'_> {
    /// Whether the selected kind of layer also reads the embeddings.
    pub(super) fn reads_embeddings(&self) -> bool {
        self.scenario.model.reads_embeddings(self.kind)
    }

    /// Rank of the low-rank matrices of each use of a shared block; 0 without.
    fn rank_of_uses(&self) -> f64 {
        if self.kind.shares { f64::from(self.scenario.model.shared.adapter_rank) } else { 0.0 }
    }
}

impl Emitter<'_, '_> {
    /// The residual stream and the embeddings side by side, the input of the block's norm (Transformers,
    /// `Zamba2AttentionDecoderLayer.forward`).
    pub(super) fn join_embeddings(&mut self) {
        let program = self.program;
        if program.reads_embeddings() {
            let joined = HALF * program.shapes.split_tokens * program.shapes.mixer_input;
            self.stream(Module::BlockInputJoin, 2.0 * joined, Saved { stays: joined, ..Saved::NOTHING });
        }
    }

    /// Low-rank matrices of each use beside the projections of queries, keys and values (Transformers,
    /// `linear_q_adapter_list`).
    pub(super) fn attention_adapters(&mut self) {
        let (program, shapes) = (self.program, &self.program.shapes);
        if program.scenario.model.shared.attention_adapters {
            let half = 0.5 * shapes.key_values;
            for width in [shapes.heads * shapes.head_dim, half, half] {
                self.use_adapter(width, shapes.mixer_input);
            }
        }
    }

    /// Low-rank matrices of each use beside the up-projections (Transformers, `gate_up_proj_adapter_list`).
    pub(super) fn feed_forward_adapter(&mut self) {
        let shapes = &self.program.shapes;
        self.use_adapter(shapes.up_branches * shapes.ffn, shapes.hidden);
    }

    /// A low-rank matrix of this many outputs and inputs, whose result is added to that of the shared matrix. Its narrow
    /// side is whole on every rank of a tensor-parallel group.
    fn use_adapter(&mut self, outputs: f64, inputs: f64) {
        let (tokens, rank) = (self.program.shapes.tokens, self.program.rank_of_uses());
        if rank <= 0.0 {
            return;
        }
        let inner = HALF * tokens * rank;
        let saves = Saved { stays: inner, for_weights: inner, ..Saved::NOTHING };
        self.saving_linear(Module::BlockAdapterDown, [tokens, rank, inputs], saves);
        self.linear(Module::BlockAdapterUp, tokens, outputs, rank);
        self.stream(Module::BlockAdapterSum, 3.0 * HALF * tokens * outputs, Saved::NOTHING);
    }

    /// The projection of each use that adds a block's output to the residual stream, whole on every rank of a
    /// tensor-parallel group.
    pub(super) fn block_projection(&mut self) {
        let program = self.program;
        if program.reads_embeddings() {
            let (tokens, hidden) = (program.shapes.split_tokens, program.shapes.hidden);
            let input = HALF * tokens * hidden;
            let saves = Saved { stays: input, for_weights: input, ..Saved::NOTHING };
            self.saving_linear(Module::BlockOutput, [tokens, hidden, hidden], saves);
        }
    }

    /// A matrix that replaces the mixer. A tensor-parallel group splits its columns and gathers its output
    /// (Megatron-Core, `TELayerNormColumnParallelLinearGathered`).
    pub(super) fn matrix(&mut self) {
        let program = self.program;
        let shapes = &program.shapes;
        let ranks = f64::from(program.scenario.plan.tensor_parallel.max(1));
        self.norm(Module::AttentionNorm, shapes.split_elements());
        self.block_input(Module::AttentionInputGather);
        self.linear(Module::MixerMatrix, shapes.tokens, shapes.hidden / ranks, shapes.hidden);
        if ranks > 1.0 {
            let axis = (Parallelism::TensorParallel, ProcessGroup::Tensor, program.tensor_hides());
            let (gather, bytes) = (Collective::AllGather, shapes.residual_bytes());
            self.collective(Module::AttentionOutputReduce, Pass::Forward, gather, bytes, axis);
            if program.scenario.plan.sequence_parallel {
                self.collective(Module::AttentionOutputReduce, Pass::Backward, gather, bytes, axis);
            }
        }
        self.residual(Module::AttentionResidual, program.saved_attention_residual());
    }
}
