//! The end of a step: gradient reduction, parameter update and gather.

use super::places::Priced;
use crate::scenario::{OptimizerKernels, WeightFormat};
use crate::step::implementations::ADAMW_OPERATORS;
use crate::step::{Call, HALF, Overlap, Parallelism};

/// Times of a step's end, seconds.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct StepEnd {
    /// Exposed gradient reduction and parameter gather, including embedding sync.
    pub(super) exposed: f64,
    /// The part overlapped with the backward passes.
    pub(super) hidden: f64,
    /// The update.
    pub(super) optimizer: f64,
}

impl Priced<'_> {
    /// The step's end on the first stage, which reduces its gradients last. The stage computes for `micro_batch_time`
    /// per micro-batch, and the overlap is a share of that. Idle time does not count, since gradients result from
    /// compute.
    pub(crate) fn step_end(&self, micro_batch_time: f64) -> StepEnd {
        let rounds = self.program.reductions_per_step().max(self.interleave_rounds());
        self.reductions().around(self.program.constants.overlap_data_window * micro_batch_time * rounds)
    }

    /// The calls of the first stage's step end, priced and summed.
    pub(crate) fn reductions(&self) -> Reductions {
        let mut sums = Reductions::default();
        self.program.step_end(0, &mut |call| sums.add(&call, self.rates.price(&call.work).time.0));
        if self.program.scenario.plan.offload_optimizer {
            sums.optimizer += self.host_update();
        }
        sums
    }

    /// Micro-batches that a stage computes between its first and its last chunk of layers, and so between the first
    /// complete gradients and the last: between one and all.
    fn interleave_rounds(&self) -> f64 {
        self.warmup_micro_batches().min(f64::from(self.program.scenario.micro_batches())).max(1.0)
    }

    /// An interleaved pipeline runs p micro-batches through one chunk before the next (Narayanan et al. 2021, section
    /// 2.2).
    pub(super) fn warmup_micro_batches(&self) -> f64 {
        let plan = &self.program.scenario.plan;
        let (stages, chunks) = (f64::from(plan.pipeline_parallel), f64::from(plan.virtual_stages));
        stages * (1.0 - 1.0 / chunks.max(1.0))
    }

    /// An update on the host, in sequence: gradients to the host, their and the states' traffic in host memory, and
    /// weights back if the GPU keeps them.
    fn host_update(&self) -> f64 {
        let trained = &self.program.first_trained;
        let (scenario, c) = (self.program.scenario, self.program.constants);
        let parameters = self.program.updated_parameters(trained);
        let fetches = scenario.plan.fetches_parameters();
        if scenario.leaves_update_to_operators(&scenario.plan) {
            return self.update_of_fsdp(parameters);
        }
        let returned = if fetches { 0.0 } else { HALF };
        let crossing = parameters * (self.program.reduce_bytes() + returned) / self.rates.host_rate();
        // Weights without a 32-bit copy are sent unchanged, and gradients used as received. Weights that stay on the
        // host are not moved again.
        let staged = match scenario.training.weights {
            WeightFormat::Half => self.program.reduce_bytes() + HALF,
            WeightFormat::Stack | WeightFormat::Master | WeightFormat::Single => {
                c.host_staging_bytes - if fetches { 2.0 * HALF } else { 0.0 }
            }
        };
        crossing + (self.program.update_bytes(trained) + parameters * staged) / self.host_memory_rate()
    }

    /// Same for FSDP (torch.distributed.fsdp, `foreach_reduce`): gradients are sent in the parameters' format after
    /// every micro-batch, and added on the host from the second one on. The update runs as operators or as one kernel,
    /// which also reads and scales gradients.
    fn update_of_fsdp(&self, parameters: f64) -> f64 {
        let (scenario, c) = (self.program.scenario, self.program.constants);
        let rounds = f64::from(scenario.micro_batches());
        // With quantized frozen weights, trained parameters have at least 16 bits.
        let width = scenario.host_weight_bytes().max(HALF);
        let crossing = parameters * width * rounds / self.rates.host_rate();
        let moved = self.program.update_bytes(&self.program.first_trained);
        let update = if scenario.training.kernels == OptimizerKernels::Fused {
            moved + 4.0 * width * parameters
        } else {
            moved * ADAMW_OPERATORS.half.forward[0] / c.optimizer_bytes_sharded
        };
        let added = 3.0 * width * (rounds - 1.0) * parameters;
        crossing + (update + added) / self.host_memory_rate()
    }
}

/// Calls of the step's end, summed, seconds.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Reductions {
    reduction: f64,
    /// Largest part that can overlap.
    hideable: f64,
    synchronisation: f64,
    optimizer: f64,
}

impl Reductions {
    /// The step's end when reductions can overlap for this many seconds.
    pub(super) fn around(&self, window: f64) -> StepEnd {
        let hidden = self.hideable.min(window);
        let exposed = self.reduction - hidden + self.synchronisation;
        StepEnd { exposed, hidden, optimizer: self.optimizer }
    }

    fn add(&mut self, call: &Call, seconds: f64) {
        let time = seconds * call.times;
        match call.communication {
            None => self.optimizer += time,
            Some(message) if message.parallelism == Parallelism::EmbeddingSync => {
                self.synchronisation += time
            }
            Some(message) => {
                self.reduction += time;
                if let Overlap::BackwardPasses(share) = message.hides {
                    self.hideable += share * time;
                }
            }
        }
    }
}
