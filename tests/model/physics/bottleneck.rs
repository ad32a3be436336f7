//! What is said to limit a step: memory first, else the largest part that is no kernel, if it is a tenth of the step.

use crate::physics::sharding::plain;
use crate::support::{forecast_under, scenario};
use stepcast::constants::Constants;
use stepcast::forecast::Prediction;
use stepcast::scenario::Scenario;
use stepcast::units::Bytes;

/// Llama-2 7B on 16 H100 under a fused stack, with as much memory as it needs.
fn job(edits: &[(&str, &str)]) -> Scenario {
    let base = [
        ("m", "llama2-7b"),
        ("g", "dgx-h100"),
        ("n", "16"),
        ("gb", "64"),
        ("seq", "4096"),
        ("stack", "fused"),
        ("tp", "1"),
        ("sp", "0"),
        ("pp", "1"),
        ("zero", "1"),
    ];
    let mut job = scenario(&[&base[..], edits].concat());
    job.cluster.gpu.memory = Bytes(1e13);
    job
}

/// Nothing but kernels and messages takes time.
fn quiet() -> Constants {
    Constants {
        host_layer_fused: 0.0,
        host_expert_layer: 0.0,
        step_fixed_fused: 0.0,
        framework_factor_fused: 1.0,
        ..plain()
    }
}

/// Links within machines, and between them, so many times slower.
fn slower(mut job: Scenario, inside: f64, between: f64) -> Scenario {
    job.cluster.scale_up.bandwidth.0 /= inside;
    job.cluster.network.nic_bandwidth.0 /= between;
    job
}

/// The largest part of the step besides forward and backward kernels, and its share.
fn largest(found: &Prediction) -> (&'static str, &'static str, f64) {
    let parts = found.breakdown.parts();
    let total: f64 = parts.iter().map(|part| part.2.0).sum();
    let (key, label, seconds) =
        parts[2..].iter().copied().max_by(|a, b| a.2.0.total_cmp(&b.2.0)).expect("parts");
    (key, label, seconds.0 / total)
}

/// Each part, where it is the largest: it is named with its share, and with what would shrink it.
#[test]
fn the_largest_overhead_is_named_with_what_would_help() {
    let slow_host = Constants { host_layer_fused: 1.0, ..quiet() };
    let slow_update = Constants { optimizer_bytes_sharded: 3e5, ..quiet() };
    for (job, constants, kind, advice) in [
        (job(&[("rc", "full")]), &quiet(), "recompute", "Recompute less"),
        (slower(job(&[("tp", "8")]), 100.0, 1.0), &quiet(), "tensor_communication", "Reduce TP or"),
        (
            slower(job(&[("tp", "16"), ("gb", "16")]), 1.0, 100.0),
            &quiet(),
            "tensor_communication",
            "exceeds the NVLink domain",
        ),
        (
            slower(job(&[("cp", "8"), ("gb", "16")]), 1000.0, 1.0),
            &quiet(),
            "context_communication",
            "Reduce CP",
        ),
        (
            slower(job(&[("pp", "2"), ("map", "tdp"), ("ppo", "0")]), 1.0, 3000.0),
            &Constants { overlap_data: 1.0, overlap_data_window: 1e6, ..quiet() },
            "pipeline_communication",
            "Reduce PP",
        ),
        (
            slower(job(&[("dpo", "0")]), 1.0, 1000.0),
            &quiet(),
            "data_communication",
            "increase the global batch",
        ),
        (job(&[("pp", "8"), ("gb", "8")]), &quiet(), "bubble", "fewer stages, or virtual stages"),
        (
            job(&[("pp", "8"), ("gb", "16"), ("vpp", "2")]),
            &quiet(),
            "bubble",
            "Use more micro-batches or fewer stages",
        ),
        (job(&[("zero", "0")]), &slow_update, "optimizer", "ZeRO-1"),
        (job(&[]), &slow_update, "optimizer", "already sharded"),
        (job(&[("oo", "1")]), &slow_update, "optimizer", "Disable optimizer offload"),
        (job(&[]), &slow_host, "host", "CUDA graphs"),
    ] {
        let found = forecast_under(&job, constants);
        let (key, label, share) = largest(&found);
        assert_eq!(key, kind, "{:?}", found.breakdown);
        assert!(share >= 0.1, "{kind}: {share}");
        assert_eq!(found.bottleneck.kind, kind);
        let sentence = found.bottleneck.sentence.to_string();
        // Several kinds of communication are one overhead.
        let begins = [format!("{label}: {:.0} % of the step. ", 100.0 * share), "Communication: ".to_owned()];
        assert!(begins.iter().any(|begin| sentence.starts_with(begin)), "{begins:?}: {sentence}");
        assert!(sentence.contains(advice), "{sentence}");
    }
}

/// A group of as many ranks as the domain has GPUs lies inside it.
#[test]
fn a_full_domain_is_not_beyond_it() {
    let mut whole = slower(job(&[("tp", "16"), ("gb", "16")]), 1.0, 100.0);
    whole.cluster.gpus_per_node = 16;
    whole.cluster.scale_up.domain = 16;
    let found = forecast_under(&slower(whole, 100.0, 1.0), &quiet());
    assert_eq!(found.bottleneck.kind, "tensor_communication");
    assert!(found.bottleneck.sentence.advice.contains("Reduce TP or"), "{}", found.bottleneck.sentence);
}

/// Below a tenth nothing is worth naming but the kernels; their share is told.
#[test]
fn kernels_limit_what_nothing_else_does() {
    let found = forecast_under(&job(&[("gb", "512")]), &quiet());
    let (key, label, share) = largest(&found);
    assert!(share > 0.0 && share < 0.1, "{key} {share}");
    assert_eq!(found.bottleneck.kind, "compute");
    let kernels = (found.breakdown.forward.0 + found.breakdown.backward.0) / found.step.0;
    let sentence = found.bottleneck.sentence.to_string();
    assert!(sentence.contains(&format!("kernels take {:.0} % of the step", 100.0 * kernels)), "{sentence}");
    let overhead = format!("{}, {:.0} %", label.to_lowercase(), 100.0 * share);
    assert!(sentence.contains(&overhead), "{sentence}");
}

/// What does not fit is told so before anything else, with the fullest stage, what fills it and what there is.
#[test]
fn memory_limits_before_time() {
    let mut job = job(&[("pp", "2"), ("gb", "8")]);
    job.cluster.gpu.memory = Bytes(20.0 * 1_073_741_824.0);
    let found = forecast_under(&job, &quiet());
    assert_eq!(found.bottleneck.kind, "memory");
    let memory = &found.memory;
    let worst = &memory.stages[memory.worst_stage as usize];
    let fills = worst.parts().into_iter().max_by(|a, b| a.2.0.total_cmp(&b.2.0)).expect("parts").1;
    for part in [
        format!("stage {} needs {:.1} GiB", memory.worst_stage, worst.total().gib()),
        format!("mostly {},", fills.to_lowercase()),
        "of 20.0 GiB are usable".to_owned(),
    ] {
        assert!(
            found.bottleneck.sentence.to_string().contains(&part),
            "{part}: {}",
            found.bottleneck.sentence
        );
    }
}

/// All communication together, where no kind of it is nearly all; its largest part alone where one is.
#[test]
fn communication_is_one_overhead() {
    let edits = [("cp", "8"), ("gb", "16"), ("dpo", "0")];
    let found = forecast_under(&slower(job(&edits), 1000.0, 1.0), &quiet());
    let parts = found.breakdown.parts();
    let total: f64 = parts.iter().map(|part| part.2.0).sum();
    let of = |part: &(&str, &str, stepcast::units::Seconds)| part.0.ends_with("_communication");
    let shares: Vec<f64> = parts.iter().filter(|part| of(part)).map(|part| part.2.0 / total).collect();
    let (all, most) = (shares.iter().sum::<f64>(), shares.iter().copied().fold(0.0, f64::max));
    assert!(most < 0.9 * all, "{shares:?}");
    let sentence = found.bottleneck.sentence.to_string();
    assert!(sentence.starts_with(&format!("Communication: {:.0} % of the step.", 100.0 * all)), "{sentence}");
}
