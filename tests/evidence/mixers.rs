//! Scans of recurrent mixers against measured kernels: those of training measured forward and backward on one GPU
//! (`examples/measured/mixers.csv`), and those of serving, forward on seven (`kernels_mixers.csv`, see `support/data.rs`).

use crate::data::{self, Row};
use std::collections::BTreeMap;
use stepcast::constants::Constants;
use stepcast::cost::{Rates, Scan, Work};
use stepcast::document::Document;
use stepcast::scenario::cluster::presets::find_gpu;
use stepcast::scenario::model::StateRule;

/// Tokens of a sequence from which kernels are compared: below, launches are most of their time.
pub(crate) const LEAST_SEQUENCE: f64 = 1024.0;

/// Forecast over measured time, less 1.
fn error(gpu: &str, scan: Scan, measured_us: f64) -> f64 {
    let mut scenario = Document::default().scenario().expect("the default document is possible");
    scenario.cluster.gpu = find_gpu(gpu).expect(gpu).gpu;
    scenario.model.recurrent.rule = scan.rule;
    let price = Rates::of_benchmark(&scenario, &Constants::SHIPPED).price(&Work::Scan(scan));
    price.time.0 * 1e6 / measured_us - 1.0
}

pub(crate) fn median(mut errors: Vec<f64>) -> f64 {
    errors.iter_mut().for_each(|error| *error = error.abs());
    errors.sort_by(f64::total_cmp);
    errors[errors.len() / 2]
}

pub(crate) fn number(row: &Row, column: &str) -> f64 {
    row.get(column).and_then(|text| text.parse().ok()).unwrap_or(0.0)
}

/// The scan of a row; `keys` and `values` name its columns of key heads and width, value heads and width.
fn scan(row: &Row, rule: StateRule, sequence: &str, keys: [&str; 2], values: [&str; 2]) -> Scan {
    let [key_heads, key_dim] = keys.map(|column| number(row, column));
    let [heads, value_dim] = values.map(|column| number(row, column));
    let key_dim = if key_dim > 0.0 { key_dim } else { value_dim };
    let key_heads = if key_heads > 0.0 { key_heads } else { heads };
    Scan {
        rule,
        tokens: number(row, "batch") * number(row, sequence),
        sequence: number(row, sequence),
        heads,
        keys: key_heads * key_dim,
        key_dim,
        value_dim,
        backward: false,
    }
}

#[test]
fn scans_of_training_take_what_they_took() {
    let mut reader = csv::Reader::from_reader(include_str!("../../examples/measured/mixers.csv").as_bytes());
    let rows: Vec<Row> = reader.deserialize().map(|row| row.expect("a well-formed row")).collect();
    let rules = [
        // Forward prices are of the release that serving used; the one measured here is faster by as much.
        ("gated_delta_rule", StateRule::GatedDelta, 0.40),
        ("delta_rule", StateRule::Delta, 0.40),
        ("kda", StateRule::Kda, 0.30),
        ("mamba2_scan", StateRule::Mamba2, 0.08),
        ("lightning", StateRule::Lightning, 0.16),
        ("gla", StateRule::GatedLinear, 0.16),
    ];
    for (operator, rule, bound) in rules {
        let of_operator = rows.iter().filter(|row| row["operator"] == operator);
        let mut errors = [Vec::new(), Vec::new()];
        for row in of_operator.filter(|row| number(row, "sequence") >= LEAST_SEQUENCE) {
            let keys = [if rule == StateRule::Mamba2 { "groups" } else { "key_heads" }, "state"];
            let forward = scan(row, rule, "sequence", keys, ["heads", "head_dim"]);
            let [of_forward, of_backward] = &mut errors;
            of_forward.push(error("h200", forward, number(row, "forward_us")));
            of_backward.push(error("h200", Scan { backward: true, ..forward }, number(row, "backward_us")));
        }
        let [forward, backward] = errors.map(median);
        println!("{operator}: forward {:.1} %, backward {:.1} %", 100.0 * forward, 100.0 * backward);
        assert!(forward <= bound && backward <= bound, "{operator}: {forward} {backward}");
    }
}

/// Without `mamba2_chunk_scan`: it is one fused kernel of FlashInfer (TensorRT-LLM, pull request 12731), which training does not
/// run. Its times are those of waves of heads, `ceil(batch heads / SMs) * chunks * 11.1 us`, within 1 % in the median.
#[test]
fn scans_of_serving_are_near_on_every_gpu() {
    let Some(rows) = data::rows("kernels_mixers.csv") else { return };
    let mut errors: BTreeMap<(&str, &str), Vec<f64>> = BTreeMap::new();
    for row in rows.iter().filter(|row| number(row, "seq") >= LEAST_SEQUENCE) {
        let of_keys = (["key_heads", "key_dim"], ["value_heads", "value_dim"]);
        let (operator, rule, (keys, values)) =
            match (row["operator"].as_str(), row["source"].contains("/sglang/")) {
                ("gdn_chunk", true) => ("gdn_chunk", StateRule::GatedDelta, of_keys),
                ("kda_chunk", true) => ("kda_chunk", StateRule::Kda, of_keys),
                _ => continue,
            };
        let found = error(&row["gpu"], scan(row, rule, "seq", keys, values), number(row, "time_us"));
        errors.entry((operator, row["gpu"].as_str())).or_default().push(found);
    }
    for (operator, bound) in [("gdn_chunk", 0.12), ("kda_chunk", 0.12)] {
        let of_operator = errors.iter().filter(|(key, _)| key.0 == operator);
        let all = median(of_operator.clone().flat_map(|(_, errors)| errors.clone()).collect());
        println!("{operator}: median {:.1} %", 100.0 * all);
        assert!(all <= bound, "{operator}: {all}");
        for ((_, gpu), errors) in of_operator {
            let of_gpu = median(errors.clone());
            println!("  {gpu}: {:.1} % of {}", 100.0 * of_gpu, errors.len());
            assert!(of_gpu <= 0.25, "{operator} on {gpu}: {of_gpu}");
        }
    }
}

/// Without vLLM's three calls of Kimi's mixer, which the table times together.
#[test]
fn convolutions_of_serving_are_near_on_every_gpu() {
    let Some(rows) = data::rows("kernels_mixers.csv") else { return };
    let mut errors: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    let convolutions =
        rows.iter().filter(|row| row["operator"] == "causal_conv1d" && !row["channels"].is_empty());
    for row in convolutions.filter(|row| number(row, "seq") >= LEAST_SEQUENCE) {
        if row["source"].contains("/vllm/") && row["model"].contains("Kimi") {
            continue;
        }
        let elements = number(row, "channels") * number(row, "tokens");
        let mut scenario = Document::default().scenario().expect("the default document is possible");
        scenario.cluster.gpu = find_gpu(&row["gpu"]).expect("a listed GPU").gpu;
        let work = Work::Convolution { elements, kernels: 1.0, passes: 1.0 };
        let price = Rates::of_benchmark(&scenario, &Constants::SHIPPED).price(&work);
        let error = price.time.0 * 1e6 / number(row, "time_us") - 1.0;
        errors.entry(row["gpu"].as_str()).or_default().push(error);
    }
    let all = median(errors.values().flatten().copied().collect());
    println!("causal_conv1d: median {:.1} %", 100.0 * all);
    assert!(all <= 0.10, "{all}");
    for (gpu, errors) in errors {
        let of_gpu = median(errors.clone());
        println!("  {gpu}: {:.1} % of {}", 100.0 * of_gpu, errors.len());
        assert!(of_gpu <= 0.12, "{gpu}: {of_gpu}");
    }
}
