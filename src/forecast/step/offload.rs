//! What waits in the host's memory: activations on their way there and back, and the optimizer.

use super::{Context, Passes};
use crate::memory::kept_per_layer;

impl Context<'_> {
    /// Adds what crossing the host link takes longer than a layer's passes: its share of the activations out
    /// beside the forward pass, and back beside the backward pass of the layer before.
    pub(super) fn offloaded(&self, mut layer: Passes, of_experts: bool) -> Passes {
        let share = f64::from(self.scenario.plan.offload_activations.min(100)) / 100.0;
        if share > 0.0 {
            let (dense, experts) = kept_per_layer(self.scenario);
            let kept = if of_experts { experts } else { dense };
            let crossing = share * kept.0 / self.host_rate();
            let (forward, backward) = (layer.forward_time(), layer.backward_time());
            layer.forward.await_host(forward, crossing);
            layer.backward.await_host(backward, crossing);
        }
        layer
    }

    /// An update on the host: gradients there, weights back, and the states' passage through the host's
    /// memory in between, one after the other.
    pub(super) fn host_update(&self, parameters: f64) -> f64 {
        let c = self.constants;
        let crossing = parameters * (self.profile.reduce_bytes + 2.0) / self.host_rate();
        crossing + parameters * c.optimizer_bytes_sharded / c.host_memory_rate
    }

    fn host_rate(&self) -> f64 {
        self.scenario.cluster.host_link.0 * self.constants.host_link_efficiency
    }
}
