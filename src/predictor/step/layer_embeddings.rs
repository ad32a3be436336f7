//! Embeddings of every layer's own (Gemma 3n, Gemma 4).

use super::emit::Emitter;
use super::{HALF, Module, Pass, Saved};
use crate::cost::Work;

impl Emitter<'_, '_> {
    /// Rows of all layers' embeddings, the projection of the token's embedding that is added to them, and its norm
    /// (Transformers, `Gemma3nTextModel.get_per_layer_inputs`, `project_per_layer_inputs`).
    pub(super) fn layer_embeddings(&mut self) {
        let (program, model) = (self.program, &self.program.scenario.model);
        let all = f64::from(model.layer_embeddings.width) * f64::from(model.layers);
        if all <= 0.0 {
            return;
        }
        let shapes = &program.shapes;
        let rows = HALF * shapes.split_tokens * all;
        let work = Work::Stream { bytes: 2.0 * rows, kernels: 1.0 };
        let saves = Saved { stays: rows, ..Saved::NOTHING };
        self.saving_kernel(Module::LayerEmbeddings, Pass::Forward, work, saves);
        if !program.scenario.training.adapters.freeze() {
            self.kernel(Module::LayerEmbeddings, Pass::Backward, work);
        }
        self.linear(Module::LayerEmbeddingProjection, shapes.split_tokens, all, shapes.hidden);
        // The norm reads and writes the projection; the sum reads both and writes one.
        self.stream(Module::LayerEmbeddingProjection, 5.0 * rows, saves);
    }

    /// A layer's own embedding: gated by the residual stream, projected to its width, normed and added (Transformers,
    /// `Gemma3nTextDecoderLayer.forward`). Both matrices are whole on every rank of a tensor-parallel group.
    pub(super) fn own_embeddings(&mut self) {
        let program = self.program;
        let width = f64::from(program.scenario.model.layer_embeddings.width);
        if width <= 0.0 {
            return;
        }
        let (tokens, hidden) = (program.shapes.split_tokens, program.shapes.hidden);
        let (narrow, stream) = (HALF * tokens * width, HALF * tokens * hidden);
        let kept = |bytes: f64| Saved { stays: bytes, for_weights: bytes, ..Saved::NOTHING };
        self.saving_linear(Module::LayerEmbeddingGate, [tokens, width, hidden], kept(narrow));
        // The activation and the product with the embedding read two tensors and write one.
        self.stream(Module::LayerEmbeddingGate, 3.0 * narrow, kept(narrow));
        self.saving_linear(Module::LayerEmbeddingOutput, [tokens, hidden, width], kept(stream));
        // The norm, and the sum with the residual stream.
        self.stream(Module::LayerEmbeddingOutput, 5.0 * stream, Saved::NOTHING);
    }
}
