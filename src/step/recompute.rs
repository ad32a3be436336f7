//! What recompute runs once more in the backward pass.

use super::{Call, Program};
use crate::scenario::plan::{Modules, Recompute};
use crate::scenario::stack::Attention;

impl Program<'_> {
    /// Whether a layer's forward call runs again.
    ///
    /// Selective recompute repeats the attention core of unfused stacks; of fused ones a share of the whole layer that
    /// no list of calls tells (`recompute_selective_share`), which the forecast adds.
    pub(super) fn runs_again(&self, call: &Call) -> bool {
        match self.scenario.plan.recompute {
            Recompute::None => false,
            Recompute::Full => true,
            Recompute::Selective => {
                call.is_attention_core() && self.scenario.software.attention() == Attention::Unfused
            }
            Recompute::Modules(set) => of_modules(set, call.name),
        }
    }
}

/// Whether a call of that name belongs to one of the modules.
fn of_modules(set: Modules, name: &str) -> bool {
    match name {
        "attention_core" => set.has(Modules::ATTENTION_CORE),
        "attention_norm" | "mlp_norm" => set.has(Modules::NORMS),
        "activation" | "expert_activation" | "shared_activation" => {
            set.has(Modules::ACTIVATION) || set.has(Modules::FEED_FORWARD)
        }
        "mlp_up"
        | "mlp_down"
        | "mlp_input_gather"
        | "expert_up"
        | "expert_down"
        | "expert_bias"
        | "expert_input_gather"
        | "shared_up"
        | "shared_down"
        | "shared_input_gather" => set.has(Modules::FEED_FORWARD),
        _ => false,
    }
}
