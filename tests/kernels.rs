//! The cost model against measured kernels and collectives (data: `../shared/data`; skipped where the
//! checkout stands alone). Each test prints its medians and fails when they get worse.

use std::collections::HashMap;
use std::path::PathBuf;

use stepcast::calibration::Constants;
use stepcast::validation::microbenchmarks::{MACHINES, Sample, ratios, read_collective, read_gemm};

fn samples(name: &str, read: impl Fn(&HashMap<String, String>) -> Option<Sample>) -> Option<Vec<Sample>> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared/data").join(name);
    let mut reader = csv::Reader::from_path(path).ok()?;
    Some(reader.deserialize().filter_map(|row| read(&row.expect("a well-formed row"))).collect())
}

/// Median |error| per machine must stay within `bound`.
fn check(samples: &[Sample], what: &str, bound: f64) {
    let ratios = ratios(samples, &Constants::SHIPPED);
    for (machine, (name, _)) in MACHINES.iter().enumerate() {
        let mut errors: Vec<f64> = samples
            .iter()
            .zip(&ratios)
            .filter(|(sample, _)| sample.machine == machine)
            .map(|(_, ratio)| (ratio - 1.0).abs())
            .collect();
        errors.sort_by(f64::total_cmp);
        let median = errors[errors.len() / 2];
        println!("{name}: {} {what}, median |error| {:.1} %", errors.len(), 100.0 * median);
        assert!(median <= bound, "{name}: {what}: {median}");
    }
}

#[test]
fn sixteen_bit_matrix_products() {
    let Some(samples) = samples("kernels.csv", |row| read_gemm(|column| &row[column])) else { return };
    assert!(samples.len() > 2500, "{}", samples.len());
    check(&samples, "matrix products", 0.065);
}

#[test]
fn collectives_within_a_node() {
    let Some(samples) = samples("nccl_bandwidth.csv", |row| read_collective(|column| &row[column])) else {
        return;
    };
    assert!(samples.len() > 500, "{}", samples.len());
    check(&samples, "collectives of 64 KiB and more", 0.10);
}
