//! What a software stack keeps in memory in addition to activations, as data.

use crate::scenario::plan::Zero;
use crate::scenario::stack::{Attention, LossKernel};
use crate::scenario::{Precision, Scenario, WeightFormat};
use crate::step::{HALF, SINGLE, implementations as kernels};

/// Memory behaviour of a scenario's software.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct StackMemory {
    /// Bytes per gradient element.
    pub(crate) gradient_bytes: f64,
    /// Bytes per element in which gradients are reduced.
    pub(super) reduced_bytes: f64,
    /// The only resident parameters are the 32-bit ones (FSDP, JAX): 16-bit copies exist while gathered.
    pub(crate) master_only: bool,
    /// Weight gradients are added to the main gradients inside the GEMM; autograd gets a cached placeholder of each
    /// weight's shape.
    pub(crate) placeholder_gradients: bool,
    /// Gradients are allocated by autograd in the backward pass, not in a framework's buffers.
    pub(super) makes_gradients: bool,
    /// Trained parameters have 16 bits, and no 32-bit copy.
    half_parameters: bool,
    /// Bytes per logit at the peak of the loss.
    pub(crate) logit_bytes: f64,
}

impl StackMemory {
    /// Whether gradients grow as activations are freed: with one micro-batch per step and no gradient buckets (FSDP, or
    /// a single replica).
    pub(crate) fn gradients_grow(&self, scenario: &Scenario, zero: Zero) -> bool {
        let alone = zero.shards_parameters() || replicas(scenario) == 1;
        self.makes_gradients && alone && scenario.plan.pipeline_parallel <= 1 && scenario.micro_batches() == 1
    }

    /// The same for a level of sharding: a shard's gradient has its parameter's format, whatever it is reduced in (FSDP2,
    /// `_cast_and_view_sharded_grads`).
    pub(super) fn sharded(&self, zero: Zero) -> Self {
        let of_parameter = if self.half_parameters { HALF } else { SINGLE };
        let follows = self.shards_by_autograd(zero) && (self.half_parameters || self.master_only);
        Self { gradient_bytes: if follows { of_parameter } else { self.gradient_bytes }, ..*self }
    }

    /// Whether FSDP shards parameters, and autograd makes their gradients.
    pub(super) fn shards_by_autograd(&self, zero: Zero) -> bool {
        zero.shards_parameters() && self.makes_gradients
    }

    pub(crate) fn new(scenario: &Scenario) -> Self {
        let software = &scenario.software;
        let profile = software.profile();
        // The bf16 optimizer of the older, unfused Megatron-LM and Megatron-DeepSpeed accumulates in 32 bits; fp16
        // keeps 16.
        let unfused = profile.attention == Attention::Unfused;
        let wide_gradients = unfused && scenario.workload.precision != Precision::Fp16;
        let stack = if wide_gradients { 4.0 } else { profile.gradient_bytes };
        let training = &scenario.training;
        let master_only = scenario.keeps_masters_only();
        Self {
            gradient_bytes: training.gradient_bytes(&scenario.plan, stack),
            reduced_bytes: training.gradient_bytes(&scenario.plan, profile.reduce_bytes),
            master_only,
            half_parameters: training.weights == WeightFormat::Half,
            placeholder_gradients: profile.placeholder_gradients,
            makes_gradients: profile.makes_gradients,
            logit_bytes: match software.kernels.loss {
                // PyTorch's own loss over a split vocabulary (`loss_parallel`), even after compiled modules.
                LossKernel::Plain if profile.makes_gradients && splits_vocabulary(scenario) => {
                    kernels::LOGITS_SPLIT.held
                }
                LossKernel::Stack if scenario.widens_logits() => kernels::LOGITS_WIDENED.held,
                // PyTorch's own loss, even after compiled modules.
                LossKernel::Plain if scenario.model.code.widens_logits() && !software.splits_loss() => {
                    kernels::LOGITS_WIDENED.held
                }
                LossKernel::Stack if software.is_eager() => kernels::LOGITS_PLAIN.held,
                LossKernel::Plain => kernels::LOGITS_PLAIN.held,
                LossKernel::Kept => kernels::LOGITS_KEPT.held,
                LossKernel::Linear if software.is_eager() && profile.loss_with_head => {
                    kernels::LOGITS_WIDENED.held
                }
                LossKernel::Stack | LossKernel::Fused | LossKernel::Linear => kernels::LOGITS_FUSED.held,
                LossKernel::InPlace => kernels::LOGITS_IN_PLACE.held,
                LossKernel::Chunked => kernels::LOGITS_CHUNKED.held,
            },
        }
    }
}

/// Ranks over which the gradients of a replica's parameters are summed.
pub(super) fn replicas(scenario: &Scenario) -> u32 {
    scenario.data_parallel().saturating_mul(scenario.plan.context_parallel.max(1))
}

/// Whether each tensor-parallel rank has a part of the vocabulary.
fn splits_vocabulary(scenario: &Scenario) -> bool {
    scenario.plan.tensor_parallel > 1 && !scenario.gathers_logits()
}
