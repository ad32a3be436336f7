//! Time of one pass of a layer, a model end or a stage, by cause.

use crate::index;
use crate::schedule::StageTime;
use crate::step::Parallelism;
use crate::units::Seconds;
use libm::pow;

/// Share of a backward pass's launches for weight gradients: one of a linear layer's three kernels (input gradient,
/// weight gradient, and a memory-bound one around them). Counted, not measured.
const WEIGHT_LAUNCHES: f64 = 1.0 / 3.0;

/// Seconds per kind of parallelism, in the order of [`Parallelism::ALL`].
pub(super) type ByParallelism = [f64; Parallelism::ALL.len()];

/// The entry for one kind of parallelism.
pub(super) fn of(seconds: &ByParallelism, parallelism: Parallelism) -> f64 {
    index::element(seconds, parallelism.index())
}

/// Seconds and FLOPs of one pass (forward, backward or recompute) over a layer, a model end, or a whole stage.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct PassCost {
    pub(super) kernels: f64,
    /// Weight-gradient kernels, included in the kernels.
    pub(super) weight_gradients: f64,
    /// Launch overhead of these kernels, included in the host's time.
    pub(super) weight_gradients_host: f64,
    /// Exposed communication.
    pub(super) exposed: ByParallelism,
    /// Overlapped communication.
    pub(super) hidden: ByParallelism,
    /// What the pass gets shorter by when its expert communication overlaps: less than all of it if the host then sets
    /// the pace.
    pub(super) experts_hideable: f64,
    pub(super) host: f64,
    pub(super) flops: f64,
}

impl PassCost {
    /// Exposed communication of one kind.
    pub(super) fn waits(&self, parallelism: Parallelism) -> f64 {
        of(&self.exposed, parallelism)
    }

    /// Adds communication, partly exposed and partly overlapped.
    pub(super) fn communicate(&mut self, parallelism: Parallelism, exposed: f64, hidden: f64) {
        if let (Some(shown), Some(behind)) =
            (self.exposed.get_mut(parallelism.index()), self.hidden.get_mut(parallelism.index()))
        {
            *shown += exposed;
            *behind += hidden;
        }
    }

    /// Kernels and the exposed communication between them, without the cost of sharded parameters.
    pub(super) fn device(&self) -> f64 {
        self.kernels
            + self.waits(Parallelism::TensorParallel)
            + self.waits(Parallelism::ContextParallel)
            + self.waits(Parallelism::ExpertParallel)
    }

    pub(super) fn total(&self) -> f64 {
        self.device() + self.waits(Parallelism::DataParallel) + self.host
    }

    /// Raises the pass to the host's launch time: the smooth maximum of the two.
    pub(super) fn with_launch_bound(mut self, host: f64, exponent: f64) -> Self {
        let experts = self.waits(Parallelism::ExpertParallel);
        let (device, quiet) = (self.device(), self.device() - experts);
        let raised = |device: f64| {
            let (most, least) = (device.max(host), device.min(host));
            if most > 0.0 { most * pow(1.0 + pow(least / most, exponent), 1.0 / exponent) } else { 0.0 }
        };
        let time = raised(device);
        self.host += time - device;
        self.experts_hideable = if experts > 0.0 { time - raised(quiet) } else { 0.0 };
        self
    }

    /// The weight-gradient kernels, including launch overhead.
    pub(super) fn weight_gradient_time(&self) -> f64 {
        self.weight_gradients + self.weight_gradients_host
    }

    /// Raises a backward pass with split weight gradients to the launch times of its two halves, each separately, so
    /// that neither gets shorter when the other gets longer.
    pub(super) fn with_launch_bound_apart(self, host: f64, exponent: f64) -> Self {
        let weights = Self { kernels: self.weight_gradients, ..Self::default() };
        let rest = Self { kernels: self.kernels - self.weight_gradients, ..self };
        let weights = weights.with_launch_bound(host * WEIGHT_LAUNCHES, exponent);
        let rest = rest.with_launch_bound(host * (1.0 - WEIGHT_LAUNCHES), exponent);
        Self {
            kernels: self.kernels,
            host: rest.host + weights.host,
            weight_gradients_host: self.weight_gradients_host + weights.host,
            ..rest
        }
    }

    /// Raises a pass that takes `time` to the time of its host transfer. Overlapped expert communication then shortens
    /// it only by what exceeds the transfer.
    pub(super) fn await_host(&mut self, time: f64, transfer: f64) {
        let quiet = time - self.experts_hideable;
        self.experts_hideable = time.max(transfer) - quiet.max(transfer);
        self.host += (transfer - time).max(0.0);
    }

    pub(super) fn add(&mut self, other: &Self, times: f64) {
        self.kernels += other.kernels * times;
        self.weight_gradients += other.weight_gradients * times;
        self.weight_gradients_host += other.weight_gradients_host * times;
        let lists = [(&mut self.exposed, &other.exposed), (&mut self.hidden, &other.hidden)];
        for (own, others) in lists {
            for (slot, more) in own.iter_mut().zip(others) {
                *slot += more * times;
            }
        }
        self.experts_hideable += other.experts_hideable * times;
        self.host += other.host * times;
        self.flops += other.flops * times;
    }
}

/// Forward, backward and recompute of one layer, one model end, or one stage, per micro-batch.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Passes {
    pub(super) forward: PassCost,
    pub(super) backward: PassCost,
    pub(super) recompute: PassCost,
}

impl Passes {
    pub(super) fn add(&mut self, other: &Self, times: f64) {
        self.forward.add(&other.forward, times);
        self.backward.add(&other.backward, times);
        self.recompute.add(&other.recompute, times);
    }

    pub(super) fn forward_time(&self) -> f64 {
        self.forward.total()
    }

    pub(super) fn backward_time(&self) -> f64 {
        self.backward.total() + self.recompute.total()
    }

    /// The passes' host overhead.
    pub(super) fn host(&self) -> f64 {
        [&self.forward, &self.backward, &self.recompute].iter().map(|pass| pass.host).sum()
    }

    /// What a forward and a backward pass get shorter by when they run as one.
    pub(super) fn hideable(&self) -> f64 {
        self.forward.experts_hideable + self.backward.experts_hideable
    }

    /// Seconds per pass, for a schedule.
    pub(super) fn totals(&self) -> Totals {
        Totals {
            forward: self.forward_time(),
            backward: self.backward_time(),
            weight_gradients: self.backward.weight_gradient_time(),
            hideable: self.hideable(),
            flops: self.forward.flops + self.backward.flops + self.recompute.flops,
        }
    }

    /// Communication of one kind over the three passes: exposed, and overlapped.
    pub(super) fn communication(&self, parallelism: Parallelism) -> (f64, f64) {
        let passes = [&self.forward, &self.backward, &self.recompute];
        let sum = |part: fn(&PassCost) -> &ByParallelism| {
            passes.iter().map(|pass| of(part(pass), parallelism)).sum()
        };
        (sum(|pass| &pass.exposed), sum(|pass| &pass.hidden))
    }
}

/// A micro-batch's pass times through a place, a chunk or a stage, for a schedule, seconds.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Totals {
    forward: f64,
    /// Recompute included.
    backward: f64,
    /// The part of the backward pass that a schedule may defer: weight-gradient kernels, including launch overhead.
    weight_gradients: f64,
    hideable: f64,
    pub(super) flops: f64,
}

impl Totals {
    pub(super) fn add(&mut self, other: &Self, times: f64) {
        self.forward += other.forward * times;
        self.backward += other.backward * times;
        self.weight_gradients += other.weight_gradients * times;
        self.hideable += other.hideable * times;
        self.flops += other.flops * times;
    }

    /// What a forward and a backward pass get shorter by when they run as one.
    pub(super) fn hideable(&self) -> f64 {
        self.hideable
    }

    /// Forward and backward pass.
    pub(super) fn time(&self) -> f64 {
        self.forward + self.backward
    }

    pub(super) fn stage_time(&self) -> StageTime {
        StageTime::new(Seconds(self.forward), Seconds(self.backward))
            .with_weight_gradient(Seconds(self.weight_gradients))
            .with_hideable(Seconds(self.hideable))
    }
}
