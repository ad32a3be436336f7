//! What one pass of a layer, an end or a stage takes, by cause.

use crate::schedule::StageTime;
use crate::units::Seconds;
use libm::pow;

/// Seconds and FLOPs of one pass (forward, backward or recompute) over a layer, an end, or a whole stage.
#[derive(Debug, Clone, Copy, Default)]
pub(in crate::forecast) struct PassCost {
    pub(super) kernels: f64,
    /// Of the kernels: those of the weight gradients.
    pub(super) weight_gradients: f64,
    pub(super) tensor: f64,
    pub(super) tensor_hidden: f64,
    pub(super) context: f64,
    pub(super) context_hidden: f64,
    pub(super) experts: f64,
    pub(super) experts_hidden: f64,
    /// What the pass is shorter by when its expert communication hides: less than all of it where the host
    /// then sets the pace.
    pub(super) experts_hideable: f64,
    pub(super) data: f64,
    pub(super) data_hidden: f64,
    pub(super) host: f64,
    pub(super) flops: f64,
}

impl PassCost {
    pub(super) fn device(&self) -> f64 {
        self.kernels + self.tensor + self.context + self.experts
    }

    pub(super) fn total(&self) -> f64 {
        self.device() + self.data + self.host
    }

    /// Raises the pass to what the host needs to launch it: the smooth maximum of the two.
    pub(super) fn floored(mut self, host: f64, exponent: f64) -> Self {
        let (device, quiet) = (self.device(), self.device() - self.experts);
        let raised = |device: f64| {
            let (most, least) = (device.max(host), device.min(host));
            if most > 0.0 { most * pow(1.0 + pow(least / most, exponent), 1.0 / exponent) } else { 0.0 }
        };
        let time = raised(device);
        self.host += time - device;
        self.experts_hideable = if self.experts > 0.0 { time - raised(quiet) } else { 0.0 };
        self
    }

    /// Raises a pass that takes `time` to what its transfer to or from the host takes: of its expert communication, it
    /// is then shorter by what is beyond the transfer alone.
    pub(super) fn await_host(&mut self, time: f64, transfer: f64) {
        let quiet = time - self.experts_hideable;
        self.experts_hideable = time.max(transfer) - quiet.max(transfer);
        self.host += (transfer - time).max(0.0);
    }

    pub(super) fn add(&mut self, other: &Self, times: f64) {
        self.kernels += other.kernels * times;
        self.weight_gradients += other.weight_gradients * times;
        self.tensor += other.tensor * times;
        self.tensor_hidden += other.tensor_hidden * times;
        self.context += other.context * times;
        self.context_hidden += other.context_hidden * times;
        self.experts += other.experts * times;
        self.experts_hidden += other.experts_hidden * times;
        self.experts_hideable += other.experts_hideable * times;
        self.data += other.data * times;
        self.data_hidden += other.data_hidden * times;
        self.host += other.host * times;
        self.flops += other.flops * times;
    }
}

/// Forward, backward and recompute of one layer, one end, or one stage, per micro-batch.
#[derive(Debug, Clone, Copy, Default)]
pub(in crate::forecast) struct Passes {
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

    pub(in crate::forecast) fn forward_time(&self) -> f64 {
        self.forward.total()
    }

    pub(in crate::forecast) fn backward_time(&self) -> f64 {
        self.backward.total() + self.recompute.total()
    }

    pub(super) fn time(&self) -> f64 {
        self.forward_time() + self.backward_time()
    }

    /// The part of the backward pass that a schedule may put off: the weight gradients' kernels, with their
    /// share of what the host adds.
    pub(super) fn weight_gradient_time(&self) -> f64 {
        let device = self.backward.device();
        if device > 0.0 { self.backward.weight_gradients * (1.0 + self.backward.host / device) } else { 0.0 }
    }

    /// What a forward and a backward pass run as one are shorter by.
    pub(super) fn hideable(&self) -> f64 {
        self.forward.experts_hideable + self.backward.experts_hideable
    }

    pub(in crate::forecast) fn stage_time(&self) -> StageTime {
        StageTime::new(Seconds(self.forward_time()), Seconds(self.backward_time()))
            .with_weight_gradient(Seconds(self.weight_gradient_time()))
            .with_hideable(Seconds(self.hideable()))
    }

    pub(super) fn flops(&self) -> f64 {
        self.forward.flops + self.backward.flops + self.recompute.flops
    }
}
