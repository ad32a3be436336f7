//! What limits the step, in words.

use super::{Bottleneck, BottleneckSentence, Breakdown};
use crate::memory::MemoryReport;
use crate::number;
use crate::scenario::Scenario;
use crate::scenario::plan::Zero;

/// Share of the step below which no single overhead is named.
const NOTABLE: f64 = 0.10;

/// End of the names of exposed communication in the breakdown.
const COMMUNICATION: &str = "_communication";

/// Share of all communication from which its largest part stands for it.
const NEARLY_ALL: f64 = 0.9;

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
    let parts = overheads.map(|(key, label, seconds)| Overhead { kind: key, label, share: share(seconds.0) });
    let (communication, others): (Vec<_>, Vec<_>) =
        parts.partition(|part| part.kind.ends_with(COMMUNICATION));
    let largest = others.into_iter().chain(together(&communication)).fold(
        Overhead { kind: "compute", label: "Compute", share: 0.0 },
        |most, part| {
            if part.share > most.share { part } else { most }
        },
    );
    if largest.share < NOTABLE {
        let share = format!(
            "Compute-bound: forward and backward kernels take {} % of the step. Largest overhead: {}, {} %.",
            number::fixed(100.0 * kernels, 0),
            largest.label.to_ascii_lowercase(),
            number::fixed(100.0 * largest.share, 0)
        );
        return Bottleneck { kind: "compute", sentence: BottleneckSentence { share, advice: "" } };
    }
    let share = format!("{}: {} % of the step.", largest.label, number::fixed(100.0 * largest.share, 0));
    Bottleneck {
        kind: largest.kind,
        sentence: BottleneckSentence { share, advice: advice(largest.kind, scenario) },
    }
}

/// A part of the step besides its kernels.
#[derive(Debug, Clone, Copy)]
struct Overhead {
    kind: &'static str,
    label: &'static str,
    share: f64,
}

/// All communication together, which is advised on by its largest part, and named by it where that is nearly all.
fn together(communication: &[Overhead]) -> Option<Overhead> {
    let largest = communication.iter().max_by(|one, other| one.share.total_cmp(&other.share))?;
    let share = communication.iter().map(|part| part.share).sum();
    let alone = largest.share >= NEARLY_ALL * share;
    Some(if alone { *largest } else { Overhead { label: "Communication", share, ..*largest } })
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
