//! What recompute drops, and what it runs again in the backward pass.

use super::module::{ExpertPart, LayerPart};
use super::saved::HALF;
use super::{Call, Module, Pass, Place, Program};
use crate::scenario::plan::{Modules, Recompute};
use crate::scenario::stack::{Launch, Selective};

impl Program<'_> {
    /// Whether a layer's call runs again: one of its forward pass, of [`Program::layer_calls`].
    ///
    /// Selective recompute of fused stacks repeats a share of the whole layer (`recompute_selective_share`), which is
    /// not in the list of calls: the forecast adds it.
    pub(crate) fn runs_again(&self, place: Place, call: &Call) -> bool {
        match self.scenario.plan.recompute {
            _ if call.pass != Pass::Forward || !self.recomputes(place) => false,
            Recompute::None => false,
            _ if self.profile.leaves_out_unread && is_unread(call.module) => false,
            Recompute::Full | Recompute::Every(_) => true,
            Recompute::Selective if !self.formats.unfused_attention => {
                self.profile.selective_drops == Selective::Products
                    && matches!(call.module.part(), LayerPart::Experts(_))
            }
            Recompute::Selective | Recompute::Modules(_) => {
                self.recomputed_modules().meets(modules_with(call.module.part()))
            }
        }
    }

    /// Bytes saved by a layer's forward call that are kept until the backward pass.
    pub(crate) fn keeps(&self, place: Place, call: &Call) -> f64 {
        let saved = &call.saves;
        match self.scenario.plan.recompute {
            _ if !self.recomputes(place) => saved.total(),
            Recompute::None => saved.total(),
            Recompute::Full | Recompute::Every(_) => saved.layer_output,
            Recompute::Selective if !self.formats.unfused_attention => match self.profile.selective_drops {
                Selective::Norms => self.keeps_without(self.recomputed_modules(), call),
                Selective::Blocks => {
                    let again = (self.profile.selective_share)(self.constants);
                    again * saved.layer_output + (1.0 - again) * saved.total()
                }
                Selective::Products => self.keeps_of_products(call),
            },
            Recompute::Selective | Recompute::Modules(_) => {
                self.keeps_without(self.recomputed_modules(), call)
            }
        }
    }

    /// Bytes saved by a layer's forward call that are kept if the outputs of these modules are dropped.
    fn keeps_without(&self, set: Modules, call: &Call) -> f64 {
        let saved = &call.saves;
        let part = call.module.part();
        let again = set.meets(modules_with(part));
        // The output projection reads the core's context, which is kept unless both run again.
        let unread = part != LayerPart::AttentionCore || set.has(Modules::ATTENTION_OUTPUT);
        let dropped = if again { 0.0 } else { saved.dropped };
        let stays = if again && unread { 0.0 } else { saved.stays };
        let activation = if set.meets(modules_with(LayerPart::Activation)) { 0.0 } else { saved.activation };
        stays + saved.layer_output + dropped + activation
    }

    /// Bytes saved by a layer's forward call that are kept if every other product is kept: in a dense layer the first,
    /// third, fifth and seventh, which are queries, values, the gate (or the only up projection) and the down
    /// projection.
    ///
    /// The down projection's output has no reader, so compiled layers do not keep it. Latents count as kept, their up
    /// projections do not.
    fn keeps_of_products(&self, call: &Call) -> f64 {
        let (saved, shapes) = (&call.saves, &self.shapes);
        match call.module.part() {
            // Received tokens are kept, and sorted again.
            LayerPart::Experts(_) => {
                let arrived = self.scenario.plan.expert_parallel > 1;
                if arrived { saved.stays } else { 0.0 }
            }
            LayerPart::QueryKeyValue => {
                let values = shapes.key_tokens * 0.5 * shapes.key_values;
                HALF * (shapes.tokens * shapes.heads * shapes.head_dim + values)
            }
            LayerPart::Up => saved.for_weights / shapes.up_branches,
            LayerPart::AttentionCore => saved.total(),
            LayerPart::LayerOutput => {
                let unread = shapes.up_branches > 1.0 && self.scenario.software.launch() != Launch::Compiled;
                saved.layer_output * if unread { 2.0 } else { 1.0 }
            }
            LayerPart::Norm
            | LayerPart::HeadNorm
            | LayerPart::KeyAssembly
            | LayerPart::AttentionResidual
            | LayerPart::Activation => 0.0,
            LayerPart::LatentDown
            | LayerPart::LatentUp
            | LayerPart::AttentionOutput
            | LayerPart::FeedForwardInput
            | LayerPart::Down
            | LayerPart::Routing
            | LayerPart::Other => saved.stays + saved.layer_output,
        }
    }

    /// Modules whose outputs are dropped. Selective recompute drops the attention core's scores (unfused), or the
    /// outputs of the norms and the activation (flash attention, which always recomputes its scores).
    fn recomputed_modules(&self) -> Modules {
        match self.scenario.plan.recompute {
            Recompute::None | Recompute::Full | Recompute::Every(_) => Modules::NONE,
            Recompute::Selective if self.formats.unfused_attention => Modules::ATTENTION_CORE,
            Recompute::Selective => Modules::NORMS.and(Modules::ACTIVATION),
            Recompute::Modules(set) => set,
        }
    }
}

/// Whether a layer's backward pass never reads the output of a call: the end of a dense layer, whose sum is kept as the
/// next layer's input.
fn is_unread(module: Module) -> bool {
    module == Module::MlpDown || module.part() == LayerPart::LayerOutput
}

/// User-selected modules that recompute a part of a layer; one of them is enough. An MoE layer runs again from its router to
/// the sum of its experts' outputs (Megatron-Core, `MoELayer.forward`, `moe_layer_recompute`).
fn modules_with(part: LayerPart) -> Modules {
    match part {
        LayerPart::Norm => Modules::NORMS,
        LayerPart::AttentionCore => Modules::ATTENTION_CORE,
        LayerPart::AttentionOutput | LayerPart::AttentionResidual => Modules::ATTENTION_OUTPUT,
        LayerPart::LatentUp | LayerPart::KeyAssembly => Modules::LATENT_UP,
        LayerPart::Activation | LayerPart::Experts(ExpertPart::Activation) => {
            Modules::ACTIVATION.and(Modules::FEED_FORWARD)
        }
        LayerPart::FeedForwardInput
        | LayerPart::Up
        | LayerPart::Down
        | LayerPart::Routing
        | LayerPart::Experts(_) => Modules::FEED_FORWARD,
        LayerPart::QueryKeyValue
        | LayerPart::HeadNorm
        | LayerPart::LatentDown
        | LayerPart::LayerOutput
        | LayerPart::Other => Modules::NONE,
    }
}
