//! The cost model against measured kernels and collectives (data: `../shared/data`; skipped where the
//! checkout stands alone). Each test prints its medians and fails when they get worse.

use std::collections::BTreeMap;
use std::path::PathBuf;

use stepcast::calibration::Constants;
use stepcast::cluster::presets::find;
use stepcast::cost::{Collective, Gemm, Group, Rates, Work};
use stepcast::document::Document;
use stepcast::scenario::{Precision, Scenario};
use stepcast::stack::{Software, Stack};

fn table(name: &str) -> Option<Vec<BTreeMap<String, String>>> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared/data").join(name);
    let mut reader = csv::Reader::from_path(path).ok()?;
    Some(reader.deserialize().map(|row| row.expect("a well-formed row")).collect())
}

/// Rates of a machine outside of training: no software age, no sustained-power limit.
fn rates(machine: &str, precision: Precision) -> Rates {
    let machine = find(machine).expect("a known machine");
    let mut scenario: Scenario = Document::default().scenario().expect("the default document is valid");
    scenario.cluster = machine.cluster;
    scenario.workload.precision = precision;
    scenario.software = Software { stack: Stack::Fused, year: 2025 };
    let short = Constants {
        sustained_ampere: 1.0,
        sustained_hopper: 1.0,
        sustained_blackwell: 1.0,
        ..Constants::SHIPPED
    };
    Rates::new(&scenario, &short)
}

fn median(errors: &mut [f64]) -> f64 {
    errors.sort_by(f64::total_cmp);
    errors[errors.len() / 2]
}

fn number(text: &str, key: &str) -> f64 {
    let start = text.find(&format!("{key}=")).expect("the dimension") + key.len() + 1;
    text[start..]
        .split(|c: char| !c.is_ascii_digit())
        .next()
        .and_then(|digits| digits.parse().ok())
        .expect("digits")
}

#[test]
fn sixteen_bit_matrix_products() {
    let Some(rows) = table("kernels.csv") else { return };
    let machines = [
        ("NVIDIA A100-SXM4-80GB", "dgx-a100-80g"),
        ("NVIDIA H100 80GB HBM3", "dgx-h100"),
        ("NVIDIA H200", "dgx-h200"),
        ("NVIDIA B200", "dgx-b200"),
        ("NVIDIA GB200", "gb200-nvl72"),
    ];
    for (name, machine) in machines {
        let rates = rates(machine, Precision::Bf16);
        let mut errors: Vec<f64> = rows
            .iter()
            .filter(|row| row["gpu"] == name && row["kernel"] == "GEMM" && row["dtype"] == "bfloat16")
            .map(|row| {
                let dimension = |key| number(&row["shape"], key);
                let (m, n, k) = (dimension("m"), dimension("n"), dimension("k"));
                let work = Work::Gemm(Gemm { m, n, k, low_precision: false, accumulates: false });
                let measured: f64 = row["time_us"].parse().expect("a time");
                (rates.price(&work).time.0 * 1e6 / measured - 1.0).abs()
            })
            .collect();
        let error = median(&mut errors);
        println!("{name}: {} shapes, median |error| {:.1} %", errors.len(), 100.0 * error);
        assert!(error < 0.065, "{name}: {error}");
    }
}

#[test]
fn collectives_within_a_node() {
    let Some(rows) = table("nccl_bandwidth.csv") else { return };
    let machines = [
        ("NVIDIA A100-SXM4-80GB", "dgx-a100-80g"),
        ("NVIDIA H100 80GB HBM3", "dgx-h100"),
        ("NVIDIA H200", "dgx-h200"),
        ("NVIDIA B200", "dgx-b200"),
        ("NVIDIA GB200", "gb200-nvl72"),
    ];
    for (name, machine) in machines {
        let mut errors = Vec::new();
        for row in rows.iter().filter(|row| row["gpu"] == name && row["nodes"] == "1") {
            let kind = match row["collective"].as_str() {
                "all_reduce" => Collective::AllReduce,
                "all_gather" => Collective::AllGather,
                "reduce_scatter" => Collective::ReduceScatter,
                _ => continue,
            };
            let ranks: u32 = row["gpus_per_node"].parse().expect("ranks");
            let bytes: f64 = row["bytes"].parse().expect("bytes");
            let measured = bytes / (row["algbw_GBps"].parse::<f64>().expect("a rate") * 1e9);
            if bytes < 1e6 || !measured.is_finite() {
                continue;
            }
            let rates = rates(machine, Precision::Bf16);
            let work = Work::Collective { kind, bytes, group: Group::strided(ranks, 1, 8) };
            errors.push((rates.price(&work).time.0 / measured - 1.0).abs());
        }
        let error = median(&mut errors);
        println!(
            "{name}: {} collectives of 1 MB and more, median |error| {:.1} %",
            errors.len(),
            100.0 * error
        );
        assert!(error < 0.12, "{name}: {error}");
    }
}
