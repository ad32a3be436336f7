//! How the lists of a program are written: kernels, linear layers, messages.

use super::{
    Call, Communication, HALF, Module, Overlap, Parallelism, Pass, ProcessGroup, Program, SINGLE, Saved,
};
use crate::cost::{Collective, Gemm, Work};
use crate::scenario::stack::Launch;

/// Emits the calls of one place.
pub(super) struct Emitter<'p, 'v> {
    pub(super) program: &'p Program<'p>,
    visit: &'v mut dyn FnMut(Call),
}

impl<'p, 'v> Emitter<'p, 'v> {
    pub(super) fn new(program: &'p Program<'p>, visit: &'v mut dyn FnMut(Call)) -> Self {
        Self { program, visit }
    }

    /// Any call.
    pub(super) fn call(&mut self, call: Call) {
        if self.program.forward_only {
            if call.pass == Pass::Forward {
                (self.visit)(Call { saves: Saved::NOTHING, ..call });
            }
            return;
        }
        (self.visit)(call);
    }

    /// A kernel.
    pub(super) fn kernel(&mut self, module: Module, pass: Pass, work: Work) {
        self.saving_kernel(module, pass, work, Saved::NOTHING);
    }

    /// A forward kernel that saves something for the backward pass.
    pub(super) fn saving_kernel(&mut self, module: Module, pass: Pass, work: Work, saves: Saved) {
        self.call(Call { module, pass, work, times: 1.0, communication: None, saves });
    }

    /// Y = X W: forward (T, N, K), input gradient (T, K, N), weight gradient (N, K, T).
    pub(super) fn linear(&mut self, module: Module, tokens: f64, n: f64, k: f64) {
        self.grouped_linear(module, 1.0, [tokens, n, k], Saved::NOTHING);
    }

    /// Same, with an input that has no gradient.
    pub(super) fn leaf_linear(&mut self, module: Module, sizes: [f64; 3], saves: Saved) {
        let visit = &mut *self.visit;
        let mut without = |call: Call| {
            if call.pass != Pass::InputGradient {
                visit(call);
            }
        };
        Emitter::new(self.program, &mut without).saving_linear(module, sizes, saves);
    }

    /// Same, with an output that the backward pass reads.
    pub(super) fn saving_linear(&mut self, module: Module, sizes: [f64; 3], saves: Saved) {
        self.grouped_linear(module, 1.0, sizes, saves);
    }

    /// A linear layer of `groups` weight matrices with `tokens` rows each: forward and both gradients.
    pub(super) fn grouped_linear(
        &mut self,
        module: Module,
        groups: f64,
        [tokens, n, k]: [f64; 3],
        saves: Saved,
    ) {
        let wide = self.program.kind.wide;
        let gemm = |m, n, k, accumulates| {
            Work::Gemm(Gemm { m, n, k, low_precision: !wide, accumulates, groups, unaligned: false })
        };
        let adapters = &self.program.scenario.training.adapters;
        if adapters.widens(self.program.precision) {
            self.widen(groups * n * k);
        }
        self.saving_kernel(module, Pass::Forward, gemm(tokens, n, k, false), saves);
        self.kernel(module, Pass::InputGradient, gemm(tokens, k, n, false));
        if !adapters.freeze() {
            let fused = !self.program.accumulates_apart();
            self.kernel(module, Pass::WeightGradient, gemm(n, k, tokens, fused));
            self.accumulate(groups * n * k);
            self.cast_weights(groups * n * k);
        }
        self.adapter(module, groups, [tokens, n, k]);
    }

    /// Autocast's 16-bit copies of weights that are kept in 32 bits, made once per micro-batch (`torch.autocast` keeps
    /// them until it ends); the cast of the copy's gradient to 32 bits; and its addition to the weight's gradient. An
    /// accumulating product already counts the read and write of that addition.
    pub(super) fn cast_weights(&mut self, weights: f64) {
        let scenario = self.program.scenario;
        if !scenario.training.casts_weights(&scenario.plan) {
            return;
        }
        let work = |bytes| Work::Stream { bytes, kernels: 1.0 };
        self.kernel(Module::WeightCast, Pass::Forward, work(weights * (SINGLE + HALF)));
        let (copy, cast, added) = (HALF, HALF + SINGLE, SINGLE);
        self.kernel(Module::WeightCast, Pass::Backward, work(weights * (copy + cast + added)));
    }

    /// A collective on a tensor of this many bytes.
    pub(super) fn collective(
        &mut self,
        module: Module,
        pass: Pass,
        kind: Collective,
        bytes: f64,
        (parallelism, group, hides): (Parallelism, ProcessGroup, Overlap),
    ) {
        let ranks = self.program.groups.of(group);
        let ranks = match kind {
            Collective::PointToPoint => ranks.across_borders(self.program.scenario.plan.virtual_stages > 1),
            _ => ranks,
        };
        let work = Work::Collective { kind, bytes, group: ranks };
        let communication = Some(Communication { parallelism, group, messages: 1.0, hides });
        self.call(Call { module, pass, work, times: 1.0, communication, saves: Saved::NOTHING });
    }

    /// A collective on the residual stream within a tensor-parallel group.
    pub(super) fn tensor(&mut self, module: Module, pass: Pass, kind: Collective, bytes: f64) {
        let axis = (Parallelism::TensorParallel, ProcessGroup::Tensor, self.program.tensor_hides());
        self.collective(module, pass, kind, bytes, axis);
    }

    /// Megatron's f and g around a pair of column- and row-parallel products. Without sequence parallelism, the output
    /// is all-reduced forward and the input's gradient backward. With it, the input is all-gathered and the output
    /// reduce-scattered, and the reverse backward. Gathered operands have the bytes of their format.
    pub(super) fn block_input(&mut self, module: Module) {
        self.megatron(module, false, 1.0);
    }

    /// Same, for the input of attention, which may be wider than the residual stream.
    pub(super) fn attention_input(&mut self, module: Module) {
        let shapes = &self.program.shapes;
        self.megatron(module, false, shapes.mixer_input / shapes.hidden);
    }

    /// See [`Self::block_input`].
    pub(super) fn block_output(&mut self, module: Module) {
        self.megatron(module, true, 1.0);
    }

    /// For a tensor that is so many times as wide as the residual stream.
    pub(super) fn megatron(&mut self, module: Module, output: bool, width: f64) {
        let scenario = self.program.scenario;
        let plan = &scenario.plan;
        if plan.tensor_parallel <= 1 {
            return;
        }
        let bytes = width * self.program.shapes.residual_bytes();
        let operand = scenario.software.activation_gather_bytes(self.program.precision);
        let gathered = bytes * operand / HALF;
        if self.program.reshuffles() {
            let copy = Work::Stream { bytes: 2.0 * bytes, kernels: 1.0 };
            self.kernel(Module::SequenceReshuffle, Pass::Forward, copy);
            self.kernel(Module::SequenceReshuffle, Pass::Backward, copy);
        }
        match (plan.sequence_parallel, output) {
            (true, false) => {
                self.tensor(module, Pass::Forward, Collective::AllGather, gathered);
                self.tensor(module, Pass::Backward, Collective::ReduceScatter, bytes);
            }
            (true, true) => {
                self.tensor(module, Pass::Forward, Collective::ReduceScatter, bytes);
                self.tensor(module, Pass::Backward, Collective::AllGather, gathered);
            }
            (false, false) => self.tensor(module, Pass::Backward, Collective::AllReduce, bytes),
            (false, true) => self.tensor(module, Pass::Forward, Collective::AllReduce, bytes),
        }
    }
}

impl Program<'_> {
    /// Whether each sequence gather and scatter copies the whole stream: PyTorch's functional collectives join and
    /// split along the first dimension, which is the batch in DTensor's layouts, so a separate kernel reorders the
    /// pieces (`torch.cat`; https://github.com/pytorch/pytorch/pull/172633, pull/173420). Inductor's programs are not
    /// charged: they fuse the copy with its reader.
    fn reshuffles(&self) -> bool {
        let of_dtensor = self.profile.launch == Launch::Compiled && self.scenario.software.plain_modules();
        of_dtensor && self.scenario.plan.sequence_parallel
    }

    /// What tensor-parallel communication overlaps with: the products around it, on the scale-up fabric only.
    pub(super) fn tensor_hides(&self) -> Overlap {
        let inside = self.groups.tensor.domains() <= 1.0;
        // PyTorch's asynchronous tensor parallelism is a compiler pass.
        let software = &self.scenario.software;
        let without_compiler =
            self.profile.launch == Launch::Compiled && software.launch() != Launch::Compiled;
        let overlaps = !without_compiler && !software.waits_for_launches();
        if self.scenario.plan.tensor_overlap && inside && overlaps {
            Overlap::Around((self.profile.overlap_tensor)(self.constants))
        } else {
            Overlap::Nowhere
        }
    }
}
