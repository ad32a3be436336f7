//! The layers of multi-token prediction.

use super::layers::{LayerKind, Layers, MOST_KINDS, OfKinds};
use super::parts::{FeedForward, Mixer};

impl Layers {
    /// How many layers of each kind a multi-token prediction layer has: one of MoE layers with attention if there are
    /// any, else of layers with attention. Where feed-forward networks are layers of their own, one of these follows
    /// (Megatron-Bridge, Nemotron 3: `mtp_hybrid_override_pattern` is `*E`).
    pub fn in_prediction(&self) -> OfKinds<u32> {
        let kinds = self.kinds();
        let position = |picks: fn(&LayerKind) -> bool| kinds.iter().position(picks);
        let attends = position(|kind| kind.has_experts() && kind.attends())
            .or_else(|| position(|kind| kind.attends()))
            .unwrap_or(0);
        let alone = self.kind(attends).feed_forward == FeedForward::None;
        let is_network =
            |kind: &LayerKind| kind.mixer == Mixer::None && kind.feed_forward != FeedForward::None;
        let network = kinds.iter().rposition(is_network).filter(|_| alone);
        let mut counts = [0; MOST_KINDS];
        for kind in [attends].into_iter().chain(network) {
            counts.get_mut(kind).into_iter().for_each(|count| *count += 1);
        }
        counts
    }
}
