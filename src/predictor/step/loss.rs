//! Head and loss together, over chunks of the tokens, as Liger's `fused_linear_cross_entropy_forward` computes them.

use super::emit::Emitter;
use super::implementations as kernels;
use super::{Call, HALF, Module, Pass, Program, SINGLE, Saved};
use crate::cost::{Gemm, Work};

impl Program<'_> {
    /// Number of token chunks: the vocabulary over the hidden width, rounded down to a power of two (a chunk has
    /// `next_power_of_2(tokens / ceil(vocabulary / width))` tokens, and tokens are mostly a power of two).
    pub(super) fn loss_parts(&self) -> f64 {
        if !self.scenario.software.runs_liger_loss() {
            return 1.0;
        }
        let times = self.shapes.widths_of_vocabulary() as u32;
        f64::from(1_u32 << times.ilog2()).min(self.shapes.tokens.max(1.0))
    }

    /// Bytes per head weight that a chunk moves in addition to its products: the weights cast for every chunk (autocast
    /// keeps no copy of the transposed view), and the chunk's 16-bit gradient added to the sum.
    fn bytes_of_part(&self) -> f64 {
        let casts = self.scenario.training.casts_weights(&self.scenario.plan);
        let (cast, sum) = if casts { (SINGLE + HALF, SINGLE) } else { (0.0, HALF) };
        cast + 2.0 * sum - HALF
    }
}

impl Emitter<'_, '_> {
    /// The head's products, in this many token chunks.
    pub(super) fn head_products(&mut self, parts: f64, unaligned: bool) {
        let program = self.program;
        let (hidden, vocabulary) = (program.shapes.hidden, program.shapes.vocabulary);
        let tokens = program.shapes.tokens / parts;
        // The head stays in 16 bits under FP8 and FP4.
        let gemm = |m, n, k, accumulates| {
            Work::Gemm(Gemm { m, n, k, low_precision: false, accumulates, groups: 1.0, unaligned })
        };
        self.parts(parts, Module::LmHead, Pass::Forward, gemm(tokens, vocabulary, hidden, false));
        self.parts(parts, Module::LmHead, Pass::InputGradient, gemm(tokens, hidden, vocabulary, false));
        if program.scenario.training.adapters.freeze() {
            return;
        }
        let weights = vocabulary * hidden;
        self.parts(
            parts,
            Module::LmHead,
            Pass::WeightGradient,
            gemm(vocabulary, hidden, tokens, parts <= 1.0),
        );
        if parts > 1.0 {
            let [added, launched] = kernels::HEAD_SUM.half.backward;
            let bytes = weights * (program.bytes_of_part() + added / parts);
            self.parts(parts, Module::LmHeadSum, Pass::Backward, Work::Stream { bytes, kernels: launched });
        }
        self.cast_weights(weights);
    }

    /// A kernel that runs once per chunk.
    fn parts(&mut self, times: f64, module: Module, pass: Pass, work: Work) {
        self.call(Call { module, pass, work, times, communication: None, saves: Saved::NOTHING });
    }
}
