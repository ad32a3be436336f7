//! What sparse attention adds to a layer: compressed keys, the indexer and its training signal.

use super::emit::Emitter;
use super::{HALF, Module, Pass, SINGLE, Saved};
use crate::cost::{AttentionCore, Collective, IndexScores, Work};

impl Emitter<'_, '_> {
    /// Compressed keys: projections to values and weights, and their weighted sums (DeepSeek-V4).
    pub(super) fn compressors(&mut self) {
        let program = self.program;
        let (tokens, hidden) = (program.shapes.tokens, program.shapes.hidden);
        let columns = program.scenario.model.sparse_widths(program.kind.mixer).compressor;
        if columns <= 0.0 {
            return;
        }
        let elements = HALF * tokens * columns;
        let saves = Saved { stays: elements, for_weights: elements, ..Saved::NOTHING };
        self.saving_linear(Module::KeyCompression, [tokens, columns, hidden], saves);
        self.stream(Module::CompressedKeys, elements, Saved::NOTHING);
    }

    /// The indexer: projections, scores of all keys and top-k selection; backward, the target scores and its gradients,
    /// both for the selected keys (DeepSeek-V3.2, arXiv 2512.02556, section 2.1.1, the sparse stage). Every rank of a
    /// tensor-parallel group computes it for all tokens, and sums the targets over the heads (Megatron-Core,
    /// `experimental_attention_variant/dsa.py`).
    pub(super) fn indexer(&mut self) {
        let program = self.program;
        let (model, shapes) = (&program.scenario.model, &program.shapes);
        let widths = model.sparse_widths(program.kind.mixer);
        if widths.index_queries <= 0.0 {
            return;
        }
        let (tokens, hidden) = (shapes.tokens, shapes.hidden);
        self.linear(Module::IndexQuery, tokens, widths.index_queries, widths.query_input);
        self.linear(Module::IndexKey, tokens, widths.index_keys, hidden);
        let most = model.keys_selected_at_most(shapes.attended);
        let of = &model.sparse;
        let forward = IndexScores {
            tokens,
            keys: model.keys_scored(shapes.attended),
            heads: f64::from(of.index_heads),
            width: f64::from(of.index_dim),
            backward: false,
        };
        // Queries, keys, head weights, and the selected keys.
        let projected = HALF * tokens * (widths.index_queries + widths.index_keys);
        let saves =
            Saved { stays: projected + SINGLE * tokens * most, for_weights: projected, ..Saved::NOTHING };
        self.saving_kernel(Module::IndexScores, Pass::Forward, Work::Index(forward), saves);
        if program.scenario.training.adapters.freeze() {
            return;
        }
        let target = AttentionCore {
            tokens,
            keys: most,
            heads: shapes.heads,
            head_dim: shapes.core_query,
            value_dim: 0.0,
            pairs: 2.0,
            reads_mask: false,
            gathers: true,
            score_bytes: 0.0,
            backward: false,
        };
        self.kernel(Module::IndexTarget, Pass::Backward, Work::Attention(target));
        if program.scenario.plan.tensor_parallel > 1 {
            let bytes = SINGLE * tokens * most;
            self.tensor(Module::IndexTargetReduce, Pass::Backward, Collective::AllReduce, bytes);
        }
        let backward = IndexScores { keys: most, backward: true, ..forward };
        self.kernel(Module::IndexScores, Pass::Backward, Work::Index(backward));
    }

    /// A core where each query gathers its own keys: always the largest number of keys, whatever its position.
    pub(super) fn gathering(&self, core: AttentionCore) -> AttentionCore {
        let program = self.program;
        let keys = program.scenario.model.keys_at_most(program.kind.mixer, program.shapes.attended);
        AttentionCore { keys, pairs: 2.0, gathers: true, ..core }
    }
}
