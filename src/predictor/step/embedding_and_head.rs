//! The two ends of the model: embedding on the first stage, LM head and loss on the last.

use super::emit::Emitter;
use super::implementation::KernelTraffic;
use super::implementations as kernels;
use super::{Call, HALF, Module, Pass, Program, Saved};
use crate::cost::{Collective, Work};
use crate::scenario::stack::LossKernel;

/// Bytes of one 32-bit value.
const FLOAT_BYTES: f64 = 4.0;

/// 16-bit elements in 16 bytes.
const ALIGNED: u32 = 8;

impl Program<'_> {
    /// The embedding's calls of one micro-batch.
    pub(super) fn embedding(&self, visit: &mut dyn FnMut(Call)) {
        let shapes = &self.shapes;
        self.gather_end(self.first.embedding, &mut *visit);
        let mut emit = Emitter::new(self, &mut *visit);
        // Rows gathered and written; gradient read and scattered.
        let bytes = 4.0 * (shapes.split_tokens + shapes.tokens) * shapes.hidden;
        let work = Work::Stream { bytes, kernels: 1.0 };
        let saves = Saved { dropped: self.saved_mask(), ..Saved::NOTHING };
        emit.saving_kernel(Module::Embedding, Pass::Forward, work, saves);
        if !self.scenario.training.adapters.freeze() {
            emit.kernel(Module::Embedding, Pass::Backward, work);
        }
        emit.layer_embeddings();
        let plan = &self.scenario.plan;
        if self.scenario.splits_embedding() {
            let residual = shapes.residual_bytes();
            if plan.sequence_parallel {
                emit.tensor(Module::EmbeddingReduce, Pass::Forward, Collective::ReduceScatter, residual);
                emit.tensor(Module::EmbeddingReduce, Pass::Backward, Collective::AllGather, residual);
            } else {
                emit.tensor(Module::EmbeddingReduce, Pass::Forward, Collective::AllReduce, residual);
            }
        }
        self.tower_ends(visit);
    }

    /// Final norm, LM head and loss of one micro-batch.
    pub(super) fn head(&self, visit: &mut dyn FnMut(Call)) {
        let (shapes, c) = (&self.shapes, self.constants);
        if self.shards_parameters() {
            self.gather_end(self.head_parameters(), &mut *visit);
        }
        let mut emit = Emitter::new(self, visit);
        let norm = 4.0 * shapes.split_tokens * shapes.hidden;
        emit.kernel(Module::FinalNorm, Pass::Forward, Work::Stream { bytes: norm, kernels: 1.0 });
        let norm = norm * c.elementwise_backward_ratio;
        emit.kernel(Module::FinalNorm, Pass::Backward, Work::Stream { bytes: norm, kernels: 2.0 });
        let tensor = self.scenario.plan.tensor_parallel > 1;
        if tensor && self.scenario.plan.sequence_parallel {
            emit.tensor(
                Module::LmHeadInputGather,
                Pass::Forward,
                Collective::AllGather,
                shapes.residual_bytes(),
            );
        }
        emit.head_products(self.loss_parts(), self.head_is_unaligned());
        let logits = shapes.tokens * self.words();
        let gathers = self.scenario.gathers_logits();
        if gathers {
            // Backward, every rank takes its part of the gradient.
            emit.tensor(Module::LogitsGather, Pass::Forward, Collective::AllGather, HALF * logits);
        }
        emit.moved(Module::CrossEntropy, self.loss(), logits, Saved::NOTHING);
        if tensor && !gathers {
            emit.split_loss();
        }
        if tensor {
            emit.head_gradient();
        }
    }

    /// Words whose logits the loss reads on one GPU: its part of the vocabulary, or all.
    pub(crate) fn words(&self) -> f64 {
        let gathered = self.scenario.gathers_logits();
        self.shapes.vocabulary * if gathered { self.groups.tensor.size } else { 1.0 }
    }

    /// Whether rows of logits are not aligned to 16 bytes: plain PyTorch uses the vocabulary size unpadded, Megatron
    /// pads it, and Inductor pads the products (`shape_padding`).
    fn head_is_unaligned(&self) -> bool {
        let software = &self.scenario.software;
        let degree = self.scenario.plan.tensor_parallel.max(1);
        let columns = self.scenario.model.vocabulary.div_ceil(degree);
        let unpadded = self.profile.inductor && !software.libraries().pads_products;
        let takes_it = software.plain_modules() || unpadded;
        takes_it && !columns.is_multiple_of(ALIGNED)
    }

    /// What the loss moves per logit.
    fn loss(&self) -> KernelTraffic {
        let software = &self.scenario.software;
        let row = match software.loss() {
            _ if software.splits_loss() => kernels::LOSS_SPLIT,
            LossKernel::Stack | LossKernel::Plain | LossKernel::Kept if self.scenario.widens_logits() => {
                kernels::LOSS_WIDENED
            }
            LossKernel::Stack | LossKernel::Plain | LossKernel::Kept => kernels::LOSS_PLAIN,
            LossKernel::Fused | LossKernel::Chunked => kernels::LOSS_FUSED,
            LossKernel::InPlace | LossKernel::Linear => kernels::LOSS_WITH_HEAD,
        };
        row.half
    }

    /// Projection of a multi-token prediction layer: two normed residual streams to one (DeepSeek-V3, arXiv 2412.19437,
    /// equation 21).
    pub(super) fn prediction_projection(&self, visit: &mut dyn FnMut(Call)) {
        let shapes = &self.shapes;
        let degree = f64::from(self.scenario.plan.tensor_parallel.max(1));
        let mut emit = Emitter::new(self, visit);
        emit.linear(Module::PredictionProjection, shapes.tokens, shapes.hidden / degree, 2.0 * shapes.hidden);
        for (pass, bytes) in [(Pass::Forward, 8.0), (Pass::Backward, 16.0)] {
            let bytes = bytes * shapes.split_tokens * shapes.hidden;
            emit.kernel(Module::PredictionNorm, pass, Work::Stream { bytes, kernels: 2.0 });
        }
    }
}

impl Emitter<'_, '_> {
    /// What tensor-parallel ranks exchange for the loss over a split vocabulary: the maximum, the target's logit and the
    /// sum of exponentials, one 32-bit value per token each.
    fn split_loss(&mut self) {
        let shapes = &self.program.shapes;
        for module in [Module::LossMaximum, Module::LossTarget, Module::LossSum] {
            self.tensor(module, Pass::Forward, Collective::AllReduce, FLOAT_BYTES * shapes.tokens);
        }
    }

    /// The gradient of the head's input, summed over tensor-parallel ranks.
    fn head_gradient(&mut self) {
        let residual = self.program.shapes.residual_bytes();
        let kind = if self.program.scenario.plan.sequence_parallel {
            Collective::ReduceScatter
        } else {
            Collective::AllReduce
        };
        self.tensor(Module::LmHeadInputReduce, Pass::Backward, kind, residual);
    }
}
