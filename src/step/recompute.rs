//! What recompute drops, and what it runs once more in the backward pass to have it back.

use super::saved::HALF;
use super::{Call, Place, Program};
use crate::scenario::plan::{Modules, Recompute};
use crate::scenario::stack::{Launch, Selective};

impl Program<'_> {
    /// Whether a layer's forward call runs again.
    ///
    /// What selective recompute of fused stacks repeats, a share of the whole layer, no list of calls tells
    /// (`recompute_selective_share`): the forecast adds it.
    pub(super) fn runs_again(&self, call: &Call) -> bool {
        match self.scenario.plan.recompute {
            Recompute::None => false,
            _ if self.profile.leaves_out_unread && is_unread(call.name) => false,
            Recompute::Full | Recompute::Every(_) => true,
            Recompute::Selective if !self.formats.unfused_attention => {
                self.profile.selective_drops == Selective::Products && of_routed_experts(call.name)
            }
            Recompute::Selective | Recompute::Modules(_) => of_modules(self.recomputed_modules(), call.name),
        }
    }

    /// Of what a layer's forward call saves, the bytes that stay until the backward pass.
    pub(crate) fn keeps(&self, place: Place, call: &Call) -> f64 {
        let saved = &call.saves;
        match self.scenario.plan.recompute {
            _ if !place.recomputes() => saved.total(),
            Recompute::None => saved.total(),
            Recompute::Full | Recompute::Every(_) => saved.handed_on,
            Recompute::Selective if !self.formats.unfused_attention => match self.profile.selective_drops {
                Selective::Norms => self.keeps_without(self.recomputed_modules(), call),
                Selective::Blocks => {
                    let again = (self.profile.selective_share)(self.constants);
                    again * saved.handed_on + (1.0 - again) * saved.total()
                }
                Selective::Products => self.keeps_of_products(call),
            },
            Recompute::Selective | Recompute::Modules(_) => {
                self.keeps_without(self.recomputed_modules(), call)
            }
        }
    }

    /// Of what a layer's forward call saves, the bytes that stay where the outputs of modules are dropped.
    fn keeps_without(&self, set: Modules, call: &Call) -> f64 {
        let saved = &call.saves;
        let dropped = if of_modules(set, call.name) { 0.0 } else { saved.dropped };
        let activation = if drops_activations(set) { 0.0 } else { saved.activation };
        let stays = if drops_what_stays(set, call.name) { 0.0 } else { saved.stays };
        stays + saved.handed_on + dropped + activation
    }

    /// Of what a layer's forward call saves, the bytes that stay where every other single product is kept: of a dense layer the
    /// first, third, fifth and seventh, which are queries, values, the gate (or the only up projection) and the down projection.
    ///
    /// Nothing reads the last, so that compiled layers do not keep it. Latents count as kept, what is projected up from them not.
    fn keeps_of_products(&self, call: &Call) -> f64 {
        let (saved, shapes) = (&call.saves, &self.shapes);
        match call.name {
            // What arrived from other ranks is kept, and sorted again.
            name if of_routed_experts(name) => {
                let arrived = self.scenario.plan.expert_parallel > 1;
                if arrived { saved.stays } else { 0.0 }
            }
            "qkv_projection" => {
                HALF * shapes.tokens * (shapes.heads * shapes.head_dim + 0.5 * shapes.key_values)
            }
            "mlp_up" | "shared_up" => saved.for_weights / shapes.up_branches,
            "attention_core" | "windowed_core" => saved.total(),
            "mlp_residual" => {
                let unread = shapes.up_branches > 1.0 && self.scenario.software.launch() != Launch::Compiled;
                saved.handed_on * if unread { 2.0 } else { 1.0 }
            }
            "attention_norm" | "mlp_norm" | "activation" | "shared_activation" | "attention_residual"
            | "key_assembly" | "query_norm" | "key_norm" => 0.0,
            _ => saved.stays + saved.handed_on,
        }
    }

    /// Modules whose outputs are dropped. Selective recompute drops the attention core's scores (unfused), or the
    /// outputs of the norms and of the activation (flash attention, which recomputes its scores anyway).
    fn recomputed_modules(&self) -> Modules {
        match self.scenario.plan.recompute {
            Recompute::None | Recompute::Full | Recompute::Every(_) => Modules::NONE,
            Recompute::Selective if self.formats.unfused_attention => Modules::ATTENTION_CORE,
            Recompute::Selective => Modules::NORMS.and(Modules::ACTIVATION),
            Recompute::Modules(set) => set,
        }
    }
}

/// Whether the backward pass of a layer reads nothing of what a call returns: the end of a dense layer, whose sum is the
/// input that the next layer keeps.
fn is_unread(name: &str) -> bool {
    matches!(name, "mlp_down" | "mlp_output_reduce" | "mlp_residual")
}

/// Whether a call is of the routed experts on their own rank: sorting, grouped products and what runs between them.
fn of_routed_experts(name: &str) -> bool {
    matches!(
        name,
        "router_top_k"
            | "token_permute"
            | "dispatch_mask"
            | "combine_mask"
            | "expert_up"
            | "expert_clamp"
            | "expert_activation"
            | "expert_down"
            | "expert_bias"
            | "token_unpermute"
    )
}

/// Whether what a call leaves for others of its layer is dropped: a residual stream behind an output projection that runs
/// again, the context of a core that runs again before it, and what is projected up from latents that are kept.
fn drops_what_stays(set: Modules, name: &str) -> bool {
    match name {
        "attention_residual" => set.has(Modules::ATTENTION_OUTPUT),
        "attention_core" | "windowed_core" => set.has(Modules::ATTENTION_OUTPUT.and(Modules::ATTENTION_CORE)),
        "key_assembly" => set.has(Modules::LATENT_UP),
        _ => false,
    }
}

/// Whether outputs of activations are dropped.
fn drops_activations(set: Modules) -> bool {
    set.has(Modules::ACTIVATION) || set.has(Modules::FEED_FORWARD)
}

/// Whether a call of that name belongs to one of the modules.
fn of_modules(set: Modules, name: &str) -> bool {
    match name {
        "attention_core" | "windowed_core" => set.has(Modules::ATTENTION_CORE),
        "attention_norm" | "mlp_norm" => set.has(Modules::NORMS),
        "attention_output" | "attention_output_reduce" | "attention_residual" => {
            set.has(Modules::ATTENTION_OUTPUT)
        }
        "query_up" | "key_value_up" | "key_assembly" => set.has(Modules::LATENT_UP),
        "activation" | "expert_clamp" | "expert_activation" | "shared_activation" => drops_activations(set),
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
