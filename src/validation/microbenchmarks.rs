//! The cost model against measured kernels and collectives, one operator at a time.

use crate::calibration::Constants;
use crate::calibration::fit::{Free, minimise, robust};
use crate::cluster::presets::find;
use crate::cost::{Collective, Gemm, Group, Rates, Work};
use crate::document::Document;
use crate::scenario::{Precision, Scenario};
use crate::stack::{ExpertKernels, Software, Stack};

/// GPU names of the kernel and collective tables, and the machine each stands for.
pub const MACHINES: [(&str, &str); 5] = [
    ("NVIDIA A100-SXM4-80GB", "dgx-a100-80g"),
    ("NVIDIA H100 80GB HBM3", "dgx-h100"),
    ("NVIDIA H200", "dgx-h200"),
    ("NVIDIA B200", "dgx-b200"),
    ("NVIDIA GB200", "gb200-nvl72"),
];

/// Collectives below this size are left out of fits and statistics: training sends larger ones.
const LEAST_BYTES: f64 = 65_536.0;

/// One measured operator.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sample {
    /// Index into [`MACHINES`].
    pub machine: usize,
    /// What ran.
    pub work: Work,
    /// Seconds it took.
    pub measured_s: f64,
}

/// A 16-bit matrix product of a kernel table; `None` for any other row.
pub fn read_gemm<'a>(get: impl Fn(&str) -> &'a str) -> Option<Sample> {
    if get("kernel") != "GEMM" || get("dtype") != "bfloat16" {
        return None;
    }
    let machine = MACHINES.iter().position(|entry| entry.0 == get("gpu"))?;
    let mut sizes = [0.0; 3];
    for part in get("shape").split_whitespace() {
        let (name, value) = part.split_once('=')?;
        let slot = ["m", "n", "k"].iter().position(|known| *known == name)?;
        *sizes.get_mut(slot)? = value.parse().ok()?;
    }
    let [m, n, k] = sizes;
    let work = Work::Gemm(Gemm { m, n, k, low_precision: false, accumulates: false, groups: 1.0 });
    let measured_s = get("time_us").parse::<f64>().ok()? * 1e-6;
    (measured_s > 0.0).then_some(Sample { machine, work, measured_s })
}

/// An all-reduce, all-gather or reduce-scatter within a node; `None` for any other row.
pub fn read_collective<'a>(get: impl Fn(&str) -> &'a str) -> Option<Sample> {
    let kind = match get("collective") {
        "all_reduce" => Collective::AllReduce,
        "all_gather" => Collective::AllGather,
        "reduce_scatter" => Collective::ReduceScatter,
        _ => return None,
    };
    let machine = MACHINES.iter().position(|entry| entry.0 == get("gpu"))?;
    let ranks: u32 = get("gpus_per_node").parse().ok()?;
    let bytes: f64 = get("bytes").parse().ok()?;
    let measured_s = bytes / (get("algbw_GBps").parse::<f64>().ok()? * 1e9);
    if get("nodes") != "1" || bytes < LEAST_BYTES || !(measured_s > 0.0 && measured_s.is_finite()) {
        return None;
    }
    let work = Work::Collective { kind, bytes, group: Group::strided(ranks, 1, ranks) };
    Some(Sample { machine, work, measured_s })
}

/// Forecast over measured time of every sample, in order. Short benchmarks do not throttle, so the
/// sustained rates of training are left out.
pub fn ratios(samples: &[Sample], constants: &Constants) -> Vec<f64> {
    let constants =
        Constants { sustained_ampere: 1.0, sustained_hopper: 1.0, sustained_blackwell: 1.0, ..*constants };
    let rates: Vec<Option<Rates<'_>>> = MACHINES.iter().map(|entry| rates(entry.1, &constants)).collect();
    samples
        .iter()
        .map(|sample| match rates.get(sample.machine) {
            Some(Some(rates)) => rates.price(&sample.work).time.0 / sample.measured_s,
            _ => f64::NAN,
        })
        .collect()
}

/// The constants that explain the samples best.
pub fn fit(samples: &[Sample], free: &[Free]) -> Constants {
    minimise(&Constants::SHIPPED, free, |constants| ratios(samples, constants).into_iter().map(robust).sum())
}

/// Rates of a machine as a benchmark sees them: current kernels, nothing else running.
fn rates(machine: &str, constants: &Constants) -> Option<Rates<'static>> {
    let mut scenario: Scenario = Document::default().scenario().ok()?;
    scenario.cluster = find(machine)?.cluster;
    scenario.workload.precision = Precision::Bf16;
    scenario.software = Software {
        stack: Stack::Fused,
        year: 2025,
        month: 6,
        graphs: false,
        expert_kernels: ExpertKernels::PerExpert,
    };
    Some(Rates::new(&scenario, constants))
}
