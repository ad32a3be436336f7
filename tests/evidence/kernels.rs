//! The cost model against measured kernels and collectives (data: `support/data.rs`). Prints the medians and fails when they get worse.

use crate::data;
use stepcast::constants::Constants;
use stepcast::validate::microbenchmarks::{KernelReport, KernelSample, read_collective, read_kernel, report};

fn shipped() -> Option<KernelReport> {
    let (kernels, collectives) = (data::rows("kernels.csv")?, data::rows("nccl_bandwidth.csv")?);
    let kernels = kernels.iter().map(|row| read_kernel(|column| &row[column]));
    let collectives = collectives.iter().map(|row| read_collective(|column| &row[column]));
    let all: Vec<Result<KernelSample, &'static str>> = kernels.chain(collectives).collect();
    Some(report(&all, &Constants::SHIPPED))
}

#[test]
fn medians_over_all_gpus_stay_within_their_bounds() {
    let Some(report) = shipped() else { return };
    for (class, least, bound) in [
        ("GEMM, 16 bits", 2700, 0.04),
        ("GEMM, FP8 and FP4", 4000, 0.07),
        ("attention", 200, 0.06),
        ("collectives, 1 MB and more", 900, 0.035),
    ] {
        let pooled = report.pooled.iter().find(|group| group.kind == class).expect(class);
        println!("{class}: {} samples, median |error| {:.1} %", pooled.n, 100.0 * pooled.median_ape);
        assert!(pooled.n > least, "{class}: {}", pooled.n);
        assert!(pooled.median_ape <= bound, "{class}: {}", pooled.median_ape);
    }
}

#[test]
fn no_gpu_is_far_off() {
    let Some(report) = shipped() else { return };
    for group in &report.groups {
        let gpu = group.gpu.expect("a GPU");
        println!("{gpu}: {} {}, median |error| {:.1} %", group.n, group.kind, 100.0 * group.median_ape);
        let bound = match group.kind {
            // Of another machine, whose plain products are slower by half than the other table's.
            "GEMM, training layouts" | "grouped GEMM" => 0.30,
            // Messages that end before the links flow.
            kind if kind.ends_with("< 1 MB") => 0.30,
            _ => 0.10,
        };
        assert!(group.median_ape <= bound, "{gpu}: {}: {}", group.kind, group.median_ape);
    }
}
