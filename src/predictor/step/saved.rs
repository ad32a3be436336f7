//! What a call saves for the backward pass.
//!
//! The accounting follows Korthikanti et al. 2022 (arXiv 2205.05198, section 4), tensor by tensor, so it also covers
//! grouped-query attention, gated MLPs, flash attention, context parallelism and FP8.

use super::elementwise::{activation, readers};
use super::implementations as kernels;
use super::shapes::Shapes;
use super::{Module, Program};
use crate::scenario::model::Norm;
use crate::scenario::stack::{Attention, ElementwiseKernels, Launch};
use crate::scenario::{Precision, Scenario, WeightFormat};

/// Bytes of an activation in 16 bits.
pub(crate) const HALF: f64 = 2.0;
/// Bytes of a value in 32 bits.
pub(crate) const SINGLE: f64 = 4.0;
/// Bytes of one entry of a dropout mask.
const MASK: f64 = 1.0;

/// Output of a forward call that the backward pass reads, in bytes on one GPU for one micro-batch, by what drops it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Saved {
    /// Dropped if the call runs again.
    pub dropped: f64,
    /// Output of an activation, by this call alone or fused with a product: dropped if activations are recomputed.
    pub activation: f64,
    /// Kept for later calls of the layer: dropped if the whole layer runs again.
    pub stays: f64,
    /// Output of the layer, the input of the next one: never dropped.
    pub layer_output: f64,
    /// Bytes of the output and its gradient that a deferred weight gradient reads: the input of a linear layer, and the
    /// 16-bit gradient of a linear layer's output. Without grouped queries, gates, experts or FP8 they sum to 32 sbh
    /// per layer (Qi et al. 2024, arXiv 2401.10241, table 1).
    pub for_weights: f64,
}

impl Saved {
    /// Nothing.
    pub const NOTHING: Self =
        Self { dropped: 0.0, activation: 0.0, stays: 0.0, layer_output: 0.0, for_weights: 0.0 };

    /// Both.
    #[must_use]
    pub(super) fn and(self, other: Self) -> Self {
        Self {
            dropped: self.dropped + other.dropped,
            activation: self.activation + other.activation,
            stays: self.stays + other.stays,
            layer_output: self.layer_output + other.layer_output,
            for_weights: self.for_weights + other.for_weights,
        }
    }

    /// Bytes saved without recomputation.
    pub fn total(&self) -> f64 {
        self.dropped + self.activation + self.stays + self.layer_output
    }
}

/// Formats in which a scenario's software saves tensors.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Formats {
    /// Attention scores are materialised.
    pub(crate) unfused_attention: bool,
    /// Dropout masks are kept.
    pub(super) dropout: bool,
    /// Bytes of an inner unit that a gated activation keeps in addition to both branches and the product: none in one kernel.
    gated: f64,
    /// Bytes per element of a linear layer's input kept for its weight gradient.
    linear_input: f64,
    /// Bytes per element that a norm keeps in addition to its output and the residual stream.
    norm: f64,
    /// Bytes per element that a norm of queries or keys keeps in addition to its output.
    pub(super) inner_norm: f64,
    /// Saved inputs of linear layers that read the norm before attention, and before the feed-forward part: one for
    /// all, or a cast for each under autocast.
    copies: [f64; 2],
    /// Bytes per element of the input that an adapter keeps for itself if the frozen layer keeps none.
    adapter_input: Option<f64>,
}

impl Formats {
    pub(super) fn new(scenario: &Scenario, precision: Precision) -> Self {
        let profile = scenario.software.profile();
        let unfused = scenario.software.attention() == Attention::Unfused;
        let quantised = profile.keeps_quantised_inputs;
        let plain = scenario.software.plain_modules();
        let single = plain && scenario.training.casts_weights(&scenario.plan);
        let frozen = scenario.training.adapters.freeze();
        // Third-party kernels (Liger, Triton) keep their input unchanged.
        let written_out =
            plain && scenario.software.elementwise() == Launch::Eager && scenario.model.norm == Norm::Rms;
        // A frozen weight has no gradient that reads the layer's input, which has 32 bits under autocast.
        let of_weight = if frozen { -HALF } else { 0.0 };
        let kept = kernels::RMS_NORM.held + of_weight;
        let stream = if single { SINGLE - HALF } else { 0.0 };
        Self {
            norm: if written_out && !scenario.software.fuses_norms() { kept - HALF + stream } else { stream },
            inner_norm: if written_out && !scenario.software.fuses_norms() { kept } else { HALF },
            copies: if single { readers(&scenario.model) } else { [1.0; 2] },
            adapter_input: (plain && frozen).then_some(adapter_input(scenario)),
            unfused_attention: unfused,
            dropout: unfused && scenario.model.code.has_dropout() && !scenario.software.takes_triangle(),
            gated: gated_activation(scenario),
            linear_input: if quantised { quantised_bytes(precision) } else { HALF },
        }
    }
}

/// Bytes of an inner unit that a gated activation keeps in addition to both branches and the product: what the kernels
/// keep that the step runs.
fn gated_activation(scenario: &Scenario) -> f64 {
    let software = &scenario.software;
    let fused = software.kernels.elementwise == ElementwiseKernels::Fused;
    if fused || software.elementwise() != Launch::Eager { 0.0 } else { activation(scenario, true).held }
}

/// Bytes per element of the input that a PEFT adapter keeps: adapters have 32 bits (`autocast_adapter_dtype`) and cast
/// their layer's input (`Linear.forward`); autocast casts it back.
fn adapter_input(scenario: &Scenario) -> f64 {
    if scenario.training.weights == WeightFormat::Half { SINGLE } else { HALF }
}

/// Bytes of one element of a GEMM operand, block scales included.
fn quantised_bytes(precision: Precision) -> f64 {
    match precision {
        Precision::Fp16 | Precision::Bf16 => HALF,
        Precision::Fp8 => 1.0,
        // One 32-bit scale per 128 elements; one 8-bit scale per 32; one 8-bit scale per 16.
        Precision::Fp8Block => 1.0 + 4.0 / 128.0,
        Precision::Mxfp8 => 1.0 + 1.0 / 32.0,
        Precision::Nvfp4 => 0.5 + 1.0 / 16.0,
    }
}

/// What each kind of call saves.
impl Program<'_> {
    /// The mask of a dropout over the residual stream.
    pub(super) fn saved_mask(&self) -> f64 {
        if self.formats.dropout { self.shapes.split_elements() * MASK } else { 0.0 }
    }

    /// A norm over this many elements: its output, which is the input of linear layers, and what it keeps for itself.
    pub(super) fn saved_norm(&self, module: Module, elements: f64) -> Saved {
        let (readers, copies) = match module {
            Module::MlpNorm => (Module::MlpUp, self.formats.copies[1]),
            _ => (Module::QkvProjection, self.formats.copies[0]),
        };
        let own = elements * self.formats.norm;
        // If there are adapters, the layer that reads the norm before attention has one.
        let output = match self.formats.adapter_input {
            Some(bytes) => elements * bytes * self.adapters_on(readers),
            None if module == Module::MlpNorm && !self.reads_input(readers) => 0.0,
            None => elements * self.formats.linear_input * copies,
        };
        Saved { dropped: own + output, for_weights: output, ..Saved::NOTHING }
    }

    /// Queries, keys and values as the core reads them.
    pub(super) fn saved_queries_keys_values(&self) -> Saved {
        // An earlier layer saves the keys and values that it computes for others.
        let shapes = &self.shapes;
        let reused = shapes.key_tokens * (shapes.key_values - shapes.projected - shapes.crossed);
        let bytes = (self.shapes.queries_keys_values() - reused) * HALF;
        let copies =
            (self.shapes.key_value_copies - 1.0) * self.shapes.tokens * self.shapes.key_values * HALF;
        Saved { stays: bytes + copies, for_weights: bytes, ..Saved::NOTHING }
    }

    /// Latents of multi-head latent attention: inputs of the up projections.
    pub(super) fn saved_latents(&self) -> Saved {
        let bytes = self.shapes.tokens * self.shapes.latent_width * self.formats.linear_input;
        Saved { stays: bytes, for_weights: bytes, ..Saved::NOTHING }
    }

    /// The attention core: its context, input of the output projection; and the softmax's output, its dropout mask and
    /// the dropout's output (unfused), or the row statistics (flash).
    pub(super) fn saved_core(&self) -> Saved {
        let (shapes, formats) = (&self.shapes, &self.formats);
        let score = match (formats.unfused_attention, formats.dropout) {
            (true, true) => shapes.all_keys * (HALF + MASK + HALF),
            (true, false) if self.scenario.software.plain_modules() => {
                shapes.all_keys * kernels::SCORES_LLAMA.held
            }
            (true, false) => shapes.all_keys * HALF,
            (false, _) => SINGLE,
        };
        // An FP8 output projection keeps a copy of the context in addition to the attention's.
        let copy = match formats.adapter_input {
            Some(bytes) => bytes * self.adapters_on(Module::AttentionOutput),
            None if formats.linear_input < HALF => formats.linear_input,
            None => 0.0,
        };
        let context = shapes.tokens * shapes.heads * shapes.core_value;
        Saved {
            dropped: shapes.tokens * shapes.heads * score,
            stays: context * (HALF + copy),
            for_weights: context * formats.linear_input,
            ..Saved::NOTHING
        }
    }

    /// The residual stream after attention, input of the next norm. Its gradient is also that of the output
    /// projection's output.
    pub(super) fn saved_attention_residual(&self) -> Saved {
        let stream = self.shapes.split_elements() * HALF;
        Saved { dropped: self.saved_mask(), stays: stream, for_weights: stream, ..Saved::NOTHING }
    }

    /// The residual stream after the layer, input of the next layer.
    pub(super) fn saved_layer_output(&self) -> Saved {
        let stream = self.shapes.split_elements() * HALF;
        Saved { dropped: self.saved_mask(), layer_output: stream, for_weights: stream, ..Saved::NOTHING }
    }

    /// An up projection with this many elements per branch: its output, and the activation's if it is not fused with
    /// the product.
    pub(super) fn saved_up(&self, inside: f64) -> Saved {
        let output = HALF * self.shapes.up_branches * inside;
        let gated = self.shapes.up_branches > 1.0;
        let activation = if gated { self.formats.gated * inside } else { 0.0 };
        Saved { dropped: output + activation, for_weights: output, ..Saved::NOTHING }
    }

    /// An activation over this many elements: input of the down projection.
    pub(super) fn saved_activation(&self, inside: f64) -> Saved {
        let bytes = match self.formats.adapter_input {
            Some(bytes) => inside * bytes * self.adapters_on(Module::MlpDown),
            None if !self.reads_input(Module::MlpDown) => return Saved::NOTHING,
            None => inside * self.formats.linear_input,
        };
        Saved { activation: bytes, for_weights: bytes, ..Saved::NOTHING }
    }

    /// A router's 32-bit scores for this many tokens.
    pub(super) fn saved_scores(&self, tokens: f64) -> Saved {
        let bytes = tokens * f64::from(self.scenario.model.experts.count) * SINGLE;
        Saved { stays: bytes, for_weights: bytes, ..Saved::NOTHING }
    }

    /// Received tokens, sorted by expert. Nothing is kept of the tokens sent: the inverse permutation undoes the sort.
    /// Nor are the experts' outputs: the gate's weights enter with the activation (Megatron-Core since 0.11).
    pub(super) fn saved_routed(&self) -> Saved {
        if !self.reads_input(Module::ExpertUp) {
            return Saved::NOTHING;
        }
        let bytes = self.received_tokens() * self.shapes.expert_hidden * self.formats.linear_input;
        Saved { stays: bytes, for_weights: bytes, ..Saved::NOTHING }
    }

    /// Token copies that one GPU's experts compute, averaged over GPUs.
    pub(crate) fn received_tokens(&self) -> f64 {
        self.shapes.routed_tokens * f64::from(self.scenario.plan.expert_tensor_parallel.max(1))
    }
}

impl Shapes {
    /// Elements of one micro-batch's residual stream on one GPU, split if sequence parallelism splits it.
    pub(crate) fn split_elements(&self) -> f64 {
        self.split_tokens * self.hidden
    }

    /// Elements of queries, keys and values of one micro-batch.
    pub(crate) fn queries_keys_values(&self) -> f64 {
        self.tokens * self.heads * self.core_query + self.key_tokens * self.key_values
    }
}
