//! Routed experts: router, exchange of tokens, grouped products.

use super::emit::Emitter;
use super::implementations as kernels;
use super::{Call, Communication, HALF, Module, Overlap, Parallelism, Pass, ProcessGroup, Program, Saved};
use crate::constants::Constants;
use crate::cost::{Collective, Gemm, Work};
use crate::scenario::Scenario;
use crate::scenario::model::{Activation, Bias};
use crate::scenario::stack::{Dispatcher, ExpertKernels, Launch, Routing};

impl Program<'_> {
    /// Distinct ranks or domains per token copy, for this many places with the experts spread evenly.
    fn unique_share(&self, places: f64) -> f64 {
        let experts = &self.scenario.model.experts;
        let met = match self.scenario.software.kernels.routing {
            Routing::InTurn => {
                met_in_turn(experts.top_k, (f64::from(experts.count) / places.max(1.0)).round() as u32)
            }
            Routing::Stack | Routing::Even | Routing::Learned | Routing::Unbalanced => {
                met_by_chance(f64::from(experts.top_k), places)
            }
        };
        (met / f64::from(experts.top_k).max(1.0)).clamp(0.0, 1.0)
    }

    /// Token copies that the experts of the most loaded GPU compute.
    pub(super) fn expert_rows(&self) -> f64 {
        let split = f64::from(self.scenario.plan.expert_tensor_parallel.max(1));
        self.shapes.routed_tokens * self.imbalance * split
    }
}

impl Emitter<'_, '_> {
    /// Router, token exchange and the routed experts' products.
    pub(super) fn routed(&mut self) {
        let program = self.program;
        let (scenario, shapes) = (program.scenario, &program.shapes);
        let (hidden, local_experts) = (shapes.expert_hidden, shapes.local_experts);
        let count = f64::from(scenario.model.experts.count);
        let local_tokens = shapes.tokens / f64::from(scenario.plan.tensor_parallel.max(1));
        self.linear(Module::Router, local_tokens, count, shapes.hidden);
        let saves = program.saved_scores(local_tokens);
        let bytes = kernels::ROUTER_SCORES.half.forward[0] * local_tokens * count;
        self.scatter(Module::RouterTopK, bytes, saves);

        let latent = scenario.model.experts.latent > 0;
        if latent {
            self.linear(Module::ExpertLatentDown, local_tokens, hidden, shapes.hidden);
        }

        // Token copies are sorted by expert before they are sent, and again on arrival if they come from several ranks
        // for several experts (Megatron-Core, `MoEAlltoAllTokenDispatcher`); kernels that read them in place sort on
        // arrival only. Each sort, and its inverse, reads and writes them once.
        let mixed = scenario.plan.expert_parallel > 1 && local_experts > 1.0;
        let sortings = match scenario.software.dispatcher() {
            Dispatcher::AllToAll if mixed => 2.0,
            Dispatcher::AllToAll | Dispatcher::Hierarchical => 1.0,
        };
        let permute = sortings * shapes.routed_tokens * hidden;
        let plainly = self.routes_plainly();
        let copies = shapes.routed_tokens * hidden;
        if plainly {
            self.gathered(copies, sortings, program.saved_routed());
        } else {
            self.sorting(Module::TokenPermute, permute, program.saved_routed());
        }
        self.dispatch_mask();
        self.exchange(Module::TokenDispatch);
        self.expert_tensor(Module::ExpertInputGather, [Collective::AllGather, Collective::ReduceScatter]);
        self.expert_products(plainly);
        self.expert_tensor(Module::ExpertOutputReduce, [Collective::ReduceScatter, Collective::AllGather]);
        self.exchange(Module::TokenCombine);
        self.combine_mask();
        if plainly {
            self.weighted(copies, sortings);
        } else {
            // Compiled, the gate's gradient is taken of the outputs in 16 bits.
            let kept = if program.profile.weighs_outputs { HALF * copies } else { 0.0 };
            self.sorting(Module::TokenUnpermute, permute, Saved { stays: kept, ..Saved::NOTHING });
        }
        if latent {
            self.linear(Module::ExpertLatentUp, local_tokens, shapes.hidden, hidden);
        }
    }

    /// The routed experts' products, and the kernels between them.
    fn expert_products(&mut self, plainly: bool) {
        let program = self.program;
        let (scenario, shapes) = (program.scenario, &program.shapes);
        let (hidden, local_experts) = (shapes.expert_hidden, shapes.local_experts);
        let rows = program.expert_rows();
        let each = rows / local_experts.max(1.0);
        let width = shapes.up_branches * shapes.expert_ffn;
        let inside = program.received_tokens() * shapes.expert_ffn;
        let (up, activation) = (program.saved_up(inside), program.saved_activation(inside));
        if scenario.software.expert_kernels == ExpertKernels::Fused {
            self.grouped_linear(Module::ExpertUp, local_experts, [each, width, hidden], up.and(activation));
        } else {
            self.grouped_linear(Module::ExpertUp, local_experts, [each, width, hidden], up);
            self.clamp(rows * width);
            let bytes = (2.0 + 2.0 * shapes.up_branches) * rows * shapes.expert_ffn;
            if plainly {
                self.activation(Module::ExpertActivation, rows * shapes.expert_ffn, activation);
            } else {
                self.permute_stream(Module::ExpertActivation, bytes, activation);
            }
        }
        let sizes = [each, hidden, shapes.expert_ffn];
        self.grouped_linear(Module::ExpertDown, local_experts, sizes, Saved::NOTHING);
        let biased = scenario.model.bias == Bias::All;
        if biased && !self.expert_bias(rows * (width + hidden)) {
            let bytes = kernels::EXPERT_BIAS_FUSED.half.forward[0] * rows * hidden;
            self.permute_stream(Module::ExpertBias, bytes, Saved::NOTHING);
        }
    }

    /// The clamp before the experts' activation, over this many elements of the up-projections. Compiled programs fuse
    /// it with the activation.
    fn clamp(&mut self, elements: f64) {
        let Scenario { model, software, .. } = self.program.scenario;
        if model.activation != Activation::ClampedSilu || software.profile().launch != Launch::Fused {
            return;
        }
        self.moved(Module::ExpertClamp, kernels::EXPERT_CLAMP.half, elements, Saved::NOTHING);
    }

    /// Dispatch as a product with a one-hot mask, sequence by sequence: every row is a sum over the whole sequence.
    /// Backward, the gradients take the reverse way; the mask has no gradient.
    fn dispatch_mask(&mut self) {
        let Some([tokens, rows, sequence, hidden, mask]) = self.masked() else { return };
        self.plain_product(Module::DispatchMask, Pass::Forward, [rows, hidden, sequence]);
        self.plain_product(Module::DispatchMask, Pass::InputGradient, [tokens, hidden, mask]);
    }

    /// Combine as a product with the mask that carries the gate's weights; the mask's gradient is another product.
    fn combine_mask(&mut self) {
        let Some([tokens, rows, sequence, hidden, mask]) = self.masked() else { return };
        self.plain_product(Module::CombineMask, Pass::Forward, [tokens, hidden, mask]);
        self.plain_product(Module::CombineMask, Pass::InputGradient, [rows, hidden, sequence]);
        self.plain_product(Module::CombineMask, Pass::WeightGradient, [tokens, mask, hidden]);
    }

    /// Sizes of dispatch by one-hot masks, if used: tokens, rows of all experts for them, tokens of a sequence, hidden
    /// width, and a token's mask entries, one for each row of its sequence: s k capacity.
    fn masked(&self) -> Option<[f64; 5]> {
        let program = self.program;
        let (scenario, shapes) = (program.scenario, &program.shapes);
        let capacity = scenario.software.expert_kernels.capacity()?;
        let plan = &scenario.plan;
        let tokens = shapes.tokens / f64::from(plan.tensor_parallel.max(1));
        let sequence = shapes.sequence / f64::from(plan.context_parallel.max(1));
        let copies = f64::from(scenario.model.experts.top_k) * capacity;
        Some([tokens, tokens * copies, sequence, shapes.expert_hidden, sequence * copies])
    }

    /// A product of two 16-bit operands that are not weights.
    fn plain_product(&mut self, module: Module, pass: Pass, [m, n, k]: [f64; 3]) {
        let gemm = Gemm { m, n, k, low_precision: false, accumulates: false, groups: 1.0, unaligned: false };
        self.kernel(module, pass, Work::Gemm(gemm));
    }

    /// A memory-bound kernel over the rows of all local experts. A rank with one expert computes it like any
    /// feed-forward layer.
    fn permute_stream(&mut self, module: Module, bytes: f64, saves: Saved) {
        if self.program.shapes.local_experts > 1.0 {
            self.scatter(module, bytes, saves);
        } else {
            self.stream(module, bytes, saves);
        }
    }

    /// Reorders this many elements of token copies; backward, in reverse.
    fn sorting(&mut self, module: Module, elements: f64, saves: Saved) {
        let work = |pass| kernels::PERMUTE.work(pass, elements);
        self.saving_kernel(module, Pass::Forward, work(Pass::Forward), saves);
        self.kernel(module, Pass::Backward, work(Pass::Backward));
    }

    /// Routed tokens to their experts, or their outputs back; the gradients go the other way.
    fn exchange(&mut self, module: Module) {
        let program = self.program;
        let (scenario, shapes) = (program.scenario, &program.shapes);
        if scenario.plan.expert_parallel <= 1 {
            return;
        }
        let group = program.groups.experts;
        let bytes = 2.0 * shapes.routed_tokens * program.imbalance * shapes.expert_hidden;
        let work = match scenario.software.dispatcher() {
            Dispatcher::AllToAll => Work::Collective { kind: Collective::AllToAll, bytes, group },
            // A token is sent once per rank, however many of its experts are there, and once per domain.
            Dispatcher::Hierarchical => {
                let to_ranks = program.unique_share(group.size);
                let across = program.unique_share(group.domains()) / to_ranks;
                Work::Dispatch { bytes: bytes * to_ranks, across, group }
            }
        };
        let hides = if scenario.plan.expert_overlap && !scenario.software.waits_for_launches() {
            Overlap::Around(program.constants.overlap_experts)
        } else {
            Overlap::Nowhere
        };
        let communication = Some(Communication {
            parallelism: Parallelism::ExpertParallel,
            group: ProcessGroup::Experts,
            messages: 1.0,
            hides,
        });
        for pass in [Pass::Forward, Pass::Backward] {
            self.call(Call { module, pass, work, times: 1.0, communication, saves: Saved::NOTHING });
        }
    }

    /// Expert-tensor parallelism: routed tokens are gathered before an expert's products and reduced after.
    fn expert_tensor(&mut self, module: Module, kinds: [Collective; 2]) {
        let program = self.program;
        let size = program.groups.expert_tensor.size;
        if size <= 1.0 {
            return;
        }
        let bytes = 2.0 * program.shapes.routed_tokens * program.shapes.expert_hidden * size;
        let axis = (Parallelism::TensorParallel, ProcessGroup::ExpertTensor, program.tensor_hides());
        for (pass, kind) in [Pass::Forward, Pass::Backward].into_iter().zip(kinds) {
            self.collective(module, pass, kind, bytes, axis);
        }
    }
}

/// Distinct places that a token with `top_k` random experts reaches among n: `n (1 - (1 - 1/n)^k)`.
fn met_by_chance(top_k: f64, places: f64) -> f64 {
    places * (1.0 - libm::pow(1.0 - 1.0 / places.max(1.0), top_k))
}

/// Average number of places that hold k consecutive experts, where each place holds `local` and every token begins
/// where the last one ended: `1 + (k - gcd(k, local)) / local`.
fn met_in_turn(top_k: u32, local: u32) -> f64 {
    let (mut common, mut rest) = (top_k, local.max(1));
    while rest > 0 {
        (common, rest) = (rest, common % rest);
    }
    1.0 + f64::from(top_k - common.min(top_k)) / f64::from(local.max(1))
}

/// Load of the most loaded of r ranks with e experts each, where the log popularity of experts has deviation s: about
/// `1 + s / sqrt(e) * sqrt(2 ln r)`, the expected maximum of r normal values. Experts with a fixed capacity all compute
/// the same number of tokens. An unbalanced gate stays as skewed as at the start.
pub(super) fn imbalance(scenario: &Scenario, constants: &Constants) -> f64 {
    if let Some(capacity) = scenario.software.expert_kernels.capacity() {
        return capacity;
    }
    let ranks = f64::from(scenario.plan.expert_parallel);
    if scenario.software.routes_evenly() || ranks <= 1.0 {
        return 1.0;
    }
    let skew = if scenario.software.kernels.routing == Routing::Unbalanced {
        constants.expert_skew_initial
    } else {
        constants.expert_skew_final
    };
    let local = (f64::from(scenario.model.experts.count) / ranks).max(1.0);
    1.0 + skew * (2.0 * libm::log(ranks) / local).sqrt()
}
