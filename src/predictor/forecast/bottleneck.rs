//! What limits the step, in words.

use super::{Bottleneck, BottleneckSentence, Breakdown};
use crate::memory::MemoryReport;
use crate::number;
use crate::scenario::Scenario;
use crate::scenario::plan::Zero;

/// Share of the step below which no single overhead is named.
const NOTABLE: f64 = 0.10;

pub(super) fn bottleneck(scenario: &Scenario, breakdown: &Breakdown, memory: &MemoryReport) -> Bottleneck {
    if !memory.fits {
        let share = format!(
            "Does not fit: stage {} needs {} GiB, mostly {}, but {} of {} GiB are usable.",
            memory.worst_stage,
            number::fixed(memory.peak_gib, 1),
            memory.owner.to_ascii_lowercase(),
            number::fixed(memory.usable_gib, 1),
            number::fixed(memory.capacity_gib, 1)
        );
        return Bottleneck { kind: "memory", sentence: BottleneckSentence { share, advice: "" } };
    }
    let total = breakdown.total().0;
    let share = |seconds: f64| if total > 0.0 { seconds / total } else { 0.0 };
    let kernels = share(breakdown.forward.0 + breakdown.backward.0);
    let overheads = breakdown.parts().into_iter().filter(|part| !matches!(part.0, "forward" | "backward"));
    let (kind, label, largest) = overheads
        .map(|(key, label, seconds)| (key, label, share(seconds.0)))
        .fold(("compute", "Compute", 0.0), |most, part| if part.2 > most.2 { part } else { most });
    if largest < NOTABLE {
        let share = format!(
            "Compute-bound: forward and backward kernels take {} % of the step. Largest overhead: {}, {} %.",
            number::fixed(100.0 * kernels, 0),
            label.to_ascii_lowercase(),
            number::fixed(100.0 * largest, 0)
        );
        return Bottleneck { kind: "compute", sentence: BottleneckSentence { share, advice: "" } };
    }
    let share = format!("{label}: {} % of the step.", number::fixed(100.0 * largest, 0));
    Bottleneck { kind, sentence: BottleneckSentence { share, advice: advice(kind, scenario) } }
}

fn advice(kind: &str, scenario: &Scenario) -> &'static str {
    let plan = &scenario.plan;
    match kind {
        "recompute" => "Recompute less if memory permits.",
        "tensor_communication" if plan.tensor_parallel > scenario.cluster.scale_up.domain => {
            "The TP group exceeds the NVLink domain. Reduce TP."
        }
        "tensor_communication" => "Reduce TP or overlap TP communication.",
        "expert_communication" if plan.expert_parallel > scenario.cluster.scale_up.domain => {
            "The EP group exceeds the NVLink domain. Reduce EP or overlap EP communication."
        }
        "expert_communication" => "Reduce EP or overlap EP communication.",
        "context_communication" => "Reduce CP if memory permits.",
        "pipeline_communication" => "Reduce PP or overlap PP communication.",
        "data_communication" => {
            "Overlap DP communication, increase the global batch, or increase network bandwidth."
        }
        "bubble" if plan.virtual_stages <= 1 => {
            "Use more micro-batches, fewer stages, or virtual stages (VPP)."
        }
        "bubble" => "Use more micro-batches or fewer stages.",
        "optimizer" if plan.offload_optimizer => {
            "The CPU runs the optimizer. Disable optimizer offload if memory permits."
        }
        "optimizer" if plan.zero != Zero::None => {
            "The optimizer is already sharded. Increase the global batch."
        }
        "optimizer" => "Shard the optimizer states (ZeRO-1).",
        "host" => "Use larger micro-batches, fused kernels or CUDA graphs.",
        _ => "",
    }
}
