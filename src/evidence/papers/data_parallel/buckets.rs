//! PyTorch DistributedDataParallel's gradient buckets.

use super::DdpNetwork;
use serde::Serialize;

/// Size from which on the first bucket is sent, bytes (`dist._DEFAULT_FIRST_BUCKET_BYTES`): small, so that
/// communication begins early.
pub const FIRST_BUCKET: u64 = 1 << 20;

/// Size from which on later buckets are sent, bytes (`bucket_cap_mb`, 25 by default; MB are MiB there).
pub const LATER_BUCKETS: u64 = 25 << 20;

/// Bytes of one gradient.
const GRADIENT: u64 = 4;

/// Gradients that are all-reduced in one message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Bucket {
    /// Size of the message.
    pub bytes: u64,
    /// Parameter tensors in it.
    pub tensors: u32,
    /// The layer (counted in forward order) whose backward pass completes it.
    pub complete_after: usize,
}

/// The buckets of a network, in the order in which they are sent: gradients come in backward order, a
/// bucket takes whole tensors, and is closed by the tensor that fills it. This is what DDP uses from its
/// second step on, when it has seen the order.
pub fn buckets(network: &DdpNetwork, first: u64, later: u64) -> Vec<Bucket> {
    let mut closed = Vec::new();
    let mut open = Bucket { bytes: 0, tensors: 0, complete_after: 0 };
    for (index, layer) in network.layers.iter().enumerate().rev() {
        for elements in layer.tensors.iter().rev() {
            open.bytes += elements * GRADIENT;
            open.tensors += 1;
            open.complete_after = index;
            let limit = if closed.is_empty() { first } else { later };
            if open.bytes >= limit {
                closed.push(open);
                open = Bucket { bytes: 0, tensors: 0, complete_after: index };
            }
        }
    }
    if open.tensors > 0 {
        closed.push(open);
    }
    closed
}
