//! Laws that every forecast obeys, over random jobs, machines and layouts.

use proptest::prelude::*;
use stepcast::document::Document;
use stepcast::forecast::Prediction;
use stepcast::forecast::Predictor;
use stepcast::scenario::Scenario;
use stepcast::scenario::cluster::presets::CLUSTERS;
use stepcast::scenario::model::presets::MODELS;
use stepcast::scenario::plan::Schedule;

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
            let mut search = Predictor::SHIPPED.search_over_schedules(&base);
            let total = search.total();
            if total == 0 {
                return None;
            }
            let plan = search.nth(layout.index(total))?.plan;
            Some(Scenario { plan, ..base })
        })
}

/// Makes one thing better by a factor.
type Improvement = fn(&mut Scenario, f64);

fn forecast(scenario: &Scenario) -> Prediction {
    Predictor::SHIPPED.predict(scenario).expect("a legal layout of a legal job")
}

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

    #[test]
    fn ranking_and_report_agree(scenario in scenario()) {
        let (light, full) = (Predictor::SHIPPED.estimate(&scenario), forecast(&scenario));
        prop_assert_eq!(light.step, full.step);
        prop_assert_eq!(light.breakdown, full.breakdown);
        prop_assert_eq!(light.mfu, full.mfu);
        prop_assert_eq!(light.peak_memory.gib(), full.memory.peak_gib);
        prop_assert_eq!(light.fits, full.memory.fits);
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
            let after = Predictor::SHIPPED.estimate(&better).step.0;
            prop_assert!(after <= before * (1.0 + slack), "{what} x {factor}: {before} -> {after}");
        }
    }

    #[test]
    fn doubling_the_batch_doubles_compute(scenario in scenario()) {
        let mut doubled = scenario;
        doubled.workload.global_batch *= 2;
        let compute = |scenario: &Scenario| {
            let parts = Predictor::SHIPPED.estimate(scenario).breakdown;
            (parts.forward + parts.backward + parts.recompute).0
        };
        let ratio = compute(&doubled) / compute(&scenario);
        prop_assert!((ratio - 2.0).abs() < 1e-9, "{ratio}");
        prop_assert!(Predictor::SHIPPED.estimate(&doubled).step > Predictor::SHIPPED.estimate(&scenario).step);
    }

    #[test]
    fn utilisation_stays_below_the_peak(scenario in scenario()) {
        let prediction = forecast(&scenario);
        prop_assert!(prediction.mfu > 0.0 && prediction.mfu < 1.0, "{}", prediction.mfu);
        prop_assert!(prediction.hfu >= prediction.mfu * 0.999 && prediction.hfu < 1.0, "{}", prediction.hfu);
    }
}
