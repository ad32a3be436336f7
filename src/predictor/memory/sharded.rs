//! Memory of FSDP: what is gathered and reduced at each moment of a step, and what other streams hold.
//!
//! Counted over fake tensors (`examples/count_memory.py`, tests/counted_memory.tsv). Groups of parameters are layers, and the
//! model's ends, in one group (Accelerate) or in one each (torchtitan). PyTorch, torch/distributed/fsdp/_fully_shard/:
//! a group's parameters are gathered while it runs, the next one's with them backward; the input buffer of a reduce-scatter is
//! held until the next group's begins (`reduce_scatter_states`).

use super::states::{GATHERED_LAYERS, WEIGHT};
use crate::scenario::Scenario;
use crate::scenario::plan::stages::StageParameters;

/// Bytes on one GPU in addition to its shards, by moment. All are zero without FSDP.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Gathered {
    /// Parameters of the ends, and of the last layer, at the loss.
    pub(super) at_loss: f64,
    /// Parameters of two layers, and of the ends that wait, while a layer runs backward.
    pub(super) backward: f64,
    /// Input of the reduce-scatter under way, and gradients of ends that wait for their group's, while a layer runs backward.
    pub(super) reduced: f64,
    /// Shards of gradients that are not yet reduced while the first layer runs backward: its own, and those of the last group.
    late: f64,
    /// Gradients of the last group, and the input of its reduce-scatter, at the end of the backward pass; its shard of them
    /// comes later. Of an embedding that tensor parallelism splits, the gradient is one of all rows before it is scattered
    /// (PyTorch, torch/distributed/tensor/_ops/_embedding_ops.py: a partial sum).
    pub(super) at_end: f64,
    /// Largest gradients of a layer before they are reduced.
    pub(super) layer: f64,
    /// Output buffers of all-gathers, in a stream of their own, beyond one layer's, which counts as gathered.
    pub(super) buffers: f64,
}

impl Gathered {
    /// For the trained parameters of a stage, reduced in so many bytes each, and the bytes of a shard's gradients of each.
    pub(super) fn new(
        scenario: &Scenario,
        trained: &StageParameters,
        layers: f64,
        [reduced, shard]: [f64; 2],
    ) -> Self {
        let (embedding, head) = (trained.embedding, trained.head + trained.prediction.shared);
        let (largest, ends) = (trained.largest_layer(), embedding + head);
        let two = largest * layers.min(GATHERED_LAYERS);
        let apart = scenario.software.profile().groups_ends_apart;
        // Gradients of the head, or of a tied table, wait for those of the embedding.
        let waiting = if apart { 0.0 } else { head.max(if head > 0.0 { 0.0 } else { embedding }) };
        let last = if apart { embedding.max(largest) } else { ends.max(largest) };
        let widest = if apart { embedding.max(head) } else { ends };
        let split = if scenario.splits_embedding() { f64::from(scenario.plan.tensor_parallel) } else { 1.0 };
        let reduced_last = (WEIGHT + reduced) * last + WEIGHT * (split - 1.0) * embedding;
        // Of a tied table, gathered still: the gradients of both its uses, the embedding's of all rows and scattered, and their sum.
        let tied = scenario.model.tied_embeddings && scenario.plan.pipeline_parallel <= 1;
        let scattered = if split > 1.0 { 1.0 } else { 0.0 };
        let summed = if tied { WEIGHT * (3.0 + split + scattered) * embedding } else { 0.0 };
        Self {
            at_loss: WEIGHT * if apart { head } else { ends + largest.min(two) },
            backward: WEIGHT * if apart { two } else { ends + two },
            reduced: WEIGHT * waiting + reduced * if apart { largest.max(head) } else { largest },
            late: shard * (largest + if apart { embedding } else { ends }),
            at_end: reduced_last.max(summed) - shard * last,
            layer: WEIGHT * largest,
            buffers: WEIGHT * widest,
        }
    }

    /// Shards of gradients while the first layer runs backward, of so many bytes at the end.
    pub(super) fn before_last(&self, gradients: f64, grow: bool) -> f64 {
        if grow { (gradients - self.late).max(0.0) } else { gradients }
    }
}
