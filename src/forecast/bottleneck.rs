//! What limits the step, in words.

use super::{Bottleneck, Breakdown};
use crate::memory::MemoryReport;
use crate::number;
use crate::scenario::Scenario;
use crate::scenario::plan::Zero;

/// Share of the step below which no single overhead is named.
const NOTABLE: f64 = 0.10;

pub(super) fn bottleneck(scenario: &Scenario, breakdown: &Breakdown, memory: &MemoryReport) -> Bottleneck {
    if !memory.fits {
        let sentence = format!(
            "It does not fit: stage {} needs {} GiB, most of it for {}, and {} of {} GiB are usable.",
            memory.worst_stage,
            number::fixed(memory.peak_gib, 1),
            memory.owner.to_ascii_lowercase(),
            number::fixed(memory.usable_gib, 1),
            number::fixed(memory.capacity_gib, 1)
        );
        return Bottleneck { kind: "memory", sentence };
    }
    let total = breakdown.total().0;
    let share = |seconds: f64| if total > 0.0 { seconds / total } else { 0.0 };
    let kernels = share(breakdown.forward.0 + breakdown.backward.0);
    let overheads = breakdown.parts().into_iter().filter(|part| !matches!(part.0, "forward" | "backward"));
    let (kind, label, largest) = overheads
        .map(|(key, label, seconds)| (key, label, share(seconds.0)))
        .fold(("compute", "Compute", 0.0), |most, part| if part.2 > most.2 { part } else { most });
    if largest < NOTABLE {
        let sentence = format!(
            "Compute-bound: {} % of the step runs forward and backward kernels; the largest overhead is {} with {} %.",
            number::fixed(100.0 * kernels, 0),
            label.to_ascii_lowercase(),
            number::fixed(100.0 * largest, 0)
        );
        return Bottleneck { kind: "compute", sentence };
    }
    let sentence = format!(
        "{label} takes {} % of the step. {}",
        number::fixed(100.0 * largest, 0),
        advice(kind, scenario)
    );
    Bottleneck { kind, sentence }
}

fn advice(kind: &str, scenario: &Scenario) -> &'static str {
    let plan = &scenario.plan;
    match kind {
        "recompute" => "Keeping more activations would save it where memory allows.",
        "tensor_communication" if plan.tensor_parallel > scenario.cluster.scale_up.domain => {
            "The tensor-parallel group reaches beyond the scale-up domain: keep it inside."
        }
        "tensor_communication" => "Less tensor parallelism, or overlapping it, would shorten the step.",
        "context_communication" => "Less context parallelism would shorten the step where memory allows.",
        "pipeline_communication" => "Fewer pipeline stages or asynchronous sends would shorten the step.",
        "data_communication" => {
            "A larger global batch, overlap with the backward pass, or more network bandwidth would hide it."
        }
        "bubble" if plan.virtual_stages <= 1 => {
            "More micro-batches, fewer stages or virtual stages would shrink it."
        }
        "bubble" => "More micro-batches or fewer stages would shrink it.",
        "optimizer" if plan.offload_optimizer => {
            "The host updates the parameters: the GPUs would take less, where memory allows."
        }
        "optimizer" if plan.zero != Zero::None => {
            "It is sharded already: a larger global batch would pay for it with more tokens."
        }
        "optimizer" => "Sharding the optimizer (ZeRO-1) over data-parallel ranks would shorten it.",
        "host" => "Larger micro-batches, fused kernels or CUDA graphs would hide the host.",
        _ => "",
    }
}
