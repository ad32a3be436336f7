//! Laws that every forecast obeys, over random jobs, machines and layouts.

use proptest::prelude::*;
use stepcast::document::Document;
use stepcast::forecast::{OperatorRow, Pass};
use stepcast::scenario::Scenario;
use stepcast::scenario::cluster::presets::CLUSTERS;
use stepcast::scenario::model::presets::MODELS;
use stepcast::scenario::plan::{Recompute, Schedule};
use stepcast::scenario::stack::Stack;
use stepcast::tuner::Search;
use stepcast::units::Bytes;

#[path = "support/forecast.rs"]
mod support;

use support::{estimate, forecast};

/// A valid scenario: a published model on a published machine in one of its legal layouts.
fn scenario() -> impl Strategy<Value = Scenario> {
    let sizes = prop::sample::select(vec![8u32, 16, 64, 72, 128, 512, 1024]);
    let software = prop::sample::select(vec![
        "nemo",
        "megatron-deepspeed",
        "megatron-lm",
        "composer-fsdp",
        "torchtitan",
        "maxtext",
        "eager",
        "fused",
    ]);
    (0..MODELS.len(), 0..CLUSTERS.len(), sizes, software, 0..3usize, any::<prop::sample::Index>())
        .prop_filter_map("no legal layout", |(model, cluster, gpus, stack, zero, layout)| {
            let mut document = Document::default();
            for (key, text) in [
                ("m", MODELS[model].name),
                ("g", CLUSTERS[cluster].name),
                ("n", gpus.to_string().as_str()),
                ("gb", "2048"),
                ("seq", "2048"),
                ("prec", "fp16"),
                ("stack", stack),
                ("tp", "1"),
                ("pp", "1"),
                ("sp", "0"),
                ("mb", "1"),
                ("zero", ["1", "3", "hsdp"][zero]),
            ] {
                document.set(key, text);
            }
            let base = document.scenario().ok()?;
            let mut search = Search::over_schedules(&base);
            let total = search.total();
            if total == 0 {
                return None;
            }
            let plan = search.nth(layout.index(total))?.plan;
            Some(Scenario { plan, ..base })
        })
}

/// Which part of the step an operator's time belongs to.
#[derive(Clone, Copy, PartialEq)]
enum Part {
    Kernel,
    Tensor,
    Expert,
}

/// The part of an operator, by its name: collectives of the tensor-parallel group gather and reduce, or add up the
/// loss; tokens are dispatched and combined; all others are kernels.
fn part_of(name: &str) -> Part {
    match name {
        "token_dispatch" | "token_combine" => Part::Expert,
        "loss_maximum" | "loss_target" | "loss_sum" => Part::Tensor,
        _ if name.ends_with("_gather") || name.ends_with("_reduce") => Part::Tensor,
        _ => Part::Kernel,
    }
}

/// How the names of operators begin that are not of a layer.
const ENDS: [&str; 5] = ["embedding", "final_norm", "lm_head", "loss", "cross_entropy"];

/// Makes one thing better by a factor.
type Improvement = fn(&mut Scenario, f64);

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn parts_sum_to_the_whole(scenario in scenario()) {
        let prediction = forecast(&scenario);
        let total = prediction.breakdown.total();
        prop_assert!((total / prediction.step - 1.0).abs() < 1e-9, "{total:?} {:?}", prediction.step);
        for (key, _, part) in prediction.breakdown.parts() {
            prop_assert!(part.0 >= 0.0 && part.0.is_finite(), "{key} {part:?}");
        }
        for stage in &prediction.memory.stages {
            prop_assert!(stage.parts().iter().all(|part| part.2.0 >= 0.0 && part.2.0.is_finite()));
        }
    }

    /// Two depths, one truth: what ranking sums, the report keeps. The rows of the slowest stage, each as often as
    /// it says, are the parts of the step; the fullest of its stages is the peak. A stack that beats the modelled
    /// kernels beats all of them alike.
    #[test]
    fn ranking_and_report_agree(scenario in scenario()) {
        // The table of operators has no rows of prediction layers.
        let mut scenario = scenario;
        scenario.model.prediction_layers = 0;
        let (light, full) = (estimate(&scenario), forecast(&scenario));
        let parts = light.breakdown;
        let batches = f64::from(full.micro_batches);
        // Full recompute runs the layers' forward pass twice, the ends' once.
        let again = scenario.plan.recompute == Recompute::Full;
        let in_layer = |name: &str| !ENDS.iter().any(|end| name.starts_with(end));
        let repeats = |row: &OperatorRow| again && row.pass == Pass::Forward && in_layer(row.name);
        let sum = |wanted: Part, counts: &dyn Fn(&OperatorRow) -> f64| -> f64 {
            let rows = full.operators.iter().filter(|row| part_of(row.name) == wanted);
            rows.map(|row| counts(row) * row.count * row.time.0).sum::<f64>() * batches
        };
        let once = |row: &OperatorRow, forward: bool| f64::from((row.pass == Pass::Forward) == forward);
        let every = |row: &OperatorRow| 1.0 + f64::from(repeats(row));
        let faster = parts.forward.0 / sum(Part::Kernel, &|row| once(row, true));
        let beats = matches!(scenario.software.stack, Stack::Maxtext);
        prop_assert!(if beats { faster > 0.9 && faster <= 1.0 + 1e-9 } else { (faster - 1.0).abs() < 1e-9 }, "{faster}");
        let (tensor, expert) = (
            parts.tensor_communication + full.hidden.tensor,
            parts.expert_communication + full.hidden.expert,
        );
        for (found, kept) in [
            (parts.backward.0, sum(Part::Kernel, &|row| once(row, false))),
            (tensor.0, sum(Part::Tensor, &every)),
            (expert.0, sum(Part::Expert, &every)),
        ] {
            prop_assert!((found - faster * kept).abs() <= 1e-9 * found.max(kept), "{found} {kept}");
        }
        if again {
            let kept = faster * sum(Part::Kernel, &|row| f64::from(repeats(row)));
            prop_assert!((parts.recompute.0 / kept - 1.0).abs() < 1e-9, "{:?} {kept}", parts.recompute);
        }
        let stages = full.memory.stages.iter().map(|stage| stage.total().0);
        let most = stages.fold(0.0, f64::max);
        prop_assert_eq!(light.peak_memory.0, most);
        prop_assert_eq!(light.fits, most <= full.memory.usable_gib * Bytes::GIB);
        // The same step, utilisation and rates in both.
        prop_assert_eq!((light.step, light.breakdown), (full.step, full.breakdown));
        prop_assert_eq!((light.mfu, light.tokens_per_s_per_gpu), (full.mfu, full.tokens_per_s_per_gpu));
    }

    #[test]
    fn better_hardware_never_slows_a_step(scenario in scenario(), factor in 1.0..4.0f64) {
        let before = forecast(&scenario).step.0;
        let improvements: [(&str, Improvement); 6] = [
            ("16-bit rate", |s, f| s.cluster.gpu.peak_bf16.0 *= f),
            ("memory bandwidth", |s, f| s.cluster.gpu.memory_bandwidth.0 *= f),
            ("memory", |s, f| s.cluster.gpu.memory.0 *= f),
            ("scale-up bandwidth", |s, f| s.cluster.scale_up.bandwidth.0 *= f),
            ("network bandwidth", |s, f| s.cluster.network.nic_bandwidth.0 *= f),
            ("a flatter network", |s, f| {
                s.cluster.network.oversubscription = (s.cluster.network.oversubscription / f).max(1.0);
            }),
        ];
        // Schedules that split the backward pass are replayed for a while and extended at the pace they reach,
        // which is a little off the whole replay (`tests/schedules.rs`).
        let whole = [Schedule::OneForwardOneBackward, Schedule::AllForwardAllBackward];
        let slack = if whole.contains(&scenario.plan.schedule) { 1e-9 } else { 0.02 };
        for (what, improve) in improvements {
            let mut better = scenario;
            improve(&mut better, factor);
            let after = estimate(&better).step.0;
            prop_assert!(after <= before * (1.0 + slack), "{what} x {factor}: {before} -> {after}");
        }
    }

    #[test]
    fn doubling_the_batch_doubles_compute(scenario in scenario()) {
        let mut doubled = scenario;
        doubled.workload.global_batch *= 2;
        let compute = |scenario: &Scenario| {
            let parts = estimate(scenario).breakdown;
            (parts.forward + parts.backward + parts.recompute).0
        };
        let ratio = compute(&doubled) / compute(&scenario);
        prop_assert!((ratio - 2.0).abs() < 1e-9, "{ratio}");
        prop_assert!(estimate(&doubled).step > estimate(&scenario).step);
    }

    #[test]
    fn utilisation_stays_below_the_peak(scenario in scenario()) {
        let prediction = forecast(&scenario);
        prop_assert!(prediction.mfu > 0.0 && prediction.mfu < 1.0, "{}", prediction.mfu);
        prop_assert!(prediction.hfu >= prediction.mfu * 0.999 && prediction.hfu < 1.0, "{}", prediction.hfu);
    }
}
