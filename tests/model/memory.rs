//! The memory model against measured peaks and published runs, and its laws.

use crate::data;
use proptest::prelude::*;
use stepcast::document::Document;
use stepcast::memory::{fits, least_recompute_that_fits, peak, report, stage_memory};
use stepcast::scenario::model::ModelCode;
use stepcast::scenario::plan::{Recompute, StageSplit, Zero};
use stepcast::scenario::stack::Stack;
use stepcast::scenario::{Precision, Scenario};
use stepcast::validate::{MeasuredRun, Peak, validate_memory};

/// The public runs with their rows.
fn runs() -> Option<Vec<(data::Row, MeasuredRun)>> {
    let with_run = |row: data::Row| {
        let run = data::run(&row);
        (row, run)
    };
    Some(data::rows("runs.csv")?.into_iter().map(with_run).collect())
}

#[test]
fn measured_peaks_come_within_two_percent() {
    let Some(rows) = data::rows("memory.csv") else { return };
    let peaks: Vec<Peak> =
        rows.iter().map(|row| Peak::read(|column| row.get(column).map_or("", String::as_str))).collect();
    let report = validate_memory(&peaks);
    for row in &report.rows {
        let Some(forecast) = row.predicted_gib else { continue };
        let error = forecast / row.measured_gib - 1.0;
        println!(
            "{} measured {} forecast {forecast:.2} GiB, most of it {:?}",
            row.id, row.measured_gib, row.owner
        );
        assert!(error.abs() < 0.02, "{}: {forecast} against {}", row.id, row.measured_gib);
    }
    assert_eq!(report.n, 6);
    assert!(report.worst < 0.02 && report.median_ape <= report.worst);
}

/// A run that says what it recomputed ran: it is never called too big for its GPU.
#[test]
fn runs_that_state_their_recompute_fit() {
    let Some(runs) = runs() else { return };
    let mut stated = 0;
    for (row, run) in runs {
        let Ok(scenario) = run.scenario else { continue };
        if !row["recompute"].is_empty() {
            let report = report(&scenario);
            assert!(report.fits, "{}: {} GiB, most of it {}", run.id, report.peak_gib, report.owner);
            stated += 1;
        }
    }
    assert!(stated > 1_500, "{stated}");
}

/// What ran fitted. Three layouts are refused: Llama-3 70B on one GPU per replica with ZeRO-1, in a source that
/// lists the same job with FSDP elsewhere; GPT-OSS 120B on H100 with micro-batches of 16, which the data set
/// doubts itself; and Mixtral 8x3B on H100, without a stated recompute.
#[test]
fn layouts_that_ran_fit() {
    let Some(runs) = runs() else { return };
    let mut refused = Vec::new();
    let mut fitting = 0;
    for (row, run) in runs {
        let Ok(mut scenario) = run.scenario else { continue };
        if row["recompute"].is_empty() {
            scenario.plan.recompute = least_recompute_that_fits(&scenario);
        }
        if fits(&scenario, peak(&scenario).0) {
            fitting += 1;
        } else {
            refused.push((row["model"].clone(), row["gpu"].clone(), row["pp"].clone()));
        }
    }
    refused.dedup();
    let known =
        [("LLAMA3_70B", "gb300", "1"), ("GPT OSS 120B", "h100-80g", "4"), ("MIXTRAL-8x3B", "h100-80g", "1")];
    let is_known = |(model, gpu, pipeline): &(String, String, String)| {
        known.contains(&(model.as_str(), gpu.as_str(), pipeline.as_str()))
    };
    assert!(refused.iter().all(is_known), "{refused:?}");
    assert!(fitting > 2_200, "{fitting}");
}

fn base() -> Scenario {
    Document::default().scenario().expect("the default document is valid")
}

/// Scenarios over every stack, sharding, precision and recompute mode, legal or not.
fn scenarios() -> impl Strategy<Value = Scenario> {
    let stack = (0..Stack::ALL.len()).prop_map(|index| Stack::ALL[index].0);
    let zero = prop::sample::select(vec![
        Zero::None,
        Zero::Optimizer,
        Zero::Gradients,
        Zero::Parameters,
        Zero::Hybrid,
    ]);
    let recompute = prop::sample::select(vec![Recompute::None, Recompute::Selective, Recompute::Full]);
    let precision =
        prop::sample::select(vec![Precision::Fp16, Precision::Bf16, Precision::Mxfp8, Precision::Nvfp4]);
    let degrees = (0..4u32, 0..4u32, 0..3u32, 1..4u32, 0..6u32, 0..5u32);
    let model = (2..130u32, 1..65u32, 0..3u32, any::<bool>(), any::<bool>());
    let rest = (9..15u32, 0..6u32, any::<bool>(), any::<bool>());
    (stack, zero, recompute, precision, degrees, model, rest).prop_map(
        |(stack, zero, recompute, precision, degrees, model, rest)| {
            let mut scenario = base();
            let (tensor, pipeline, context, virtual_stages, data, micro_batch) = degrees;
            scenario.plan.tensor_parallel = 1 << tensor;
            scenario.plan.pipeline_parallel = 1 << pipeline;
            scenario.plan.context_parallel = 1 << context;
            scenario.plan.virtual_stages = virtual_stages;
            scenario.plan.micro_batch = 1 << micro_batch;
            scenario.cluster.gpus = 1 << (tensor + pipeline + context + data);
            scenario.plan.zero = zero;
            scenario.plan.recompute = recompute;
            scenario.software.stack = stack;
            scenario.workload.precision = precision;
            let (layers, heads, groups, gated, tied) = model;
            scenario.model.layers = layers;
            scenario.model.heads = heads;
            scenario.model.kv_heads = (heads >> groups).max(1);
            scenario.model.hidden = heads * 128;
            scenario.model.head_dim = 128;
            scenario.model.ffn = heads * 448;
            scenario.model.gated_mlp = gated;
            scenario.model.tied_embeddings = tied;
            let (sequence, rounds, sequence_parallel, count_ends) = rest;
            scenario.workload.sequence = 1 << sequence;
            scenario.workload.global_batch = 1 << (data + micro_batch + rounds);
            scenario.plan.sequence_parallel = sequence_parallel;
            scenario.plan.stage_split = if count_ends { StageSplit::CountEnds } else { StageSplit::Even };
            scenario
        },
    )
}

fn total(scenario: &Scenario) -> f64 {
    peak(scenario).0.0
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn peak_is_the_reports_and_parts_sum(scenario in scenarios()) {
        let report = report(&scenario);
        let (most, stage) = peak(&scenario);
        prop_assert_eq!(report.fits, report.peak_gib <= report.usable_gib);
        prop_assert!(report.usable_gib < report.capacity_gib);
        prop_assert_eq!(report.peak_gib, most.gib());
        prop_assert_eq!(report.worst_stage, stage);
        prop_assert_eq!(report.fits, fits(&scenario, most));
        prop_assert_eq!(report.stages.len() as u32, scenario.plan.pipeline_parallel);
        for (index, memory) in report.stages.iter().enumerate() {
            prop_assert_eq!(*memory, stage_memory(&scenario, index as u32));
            let parts: f64 = memory.parts().iter().map(|part| part.2.0).sum();
            prop_assert!((parts / memory.total().0 - 1.0).abs() < 1e-12);
            prop_assert!(memory.parts().iter().all(|part| part.2.0 >= 0.0 && part.2.0.is_finite()));
            prop_assert!(memory.total() <= most);
        }
    }

    #[test]
    fn memory_grows_with_micro_batch_sequence_and_model(scenario in scenarios()) {
        let before = total(&scenario);
        let mut larger = scenario;
        larger.plan.micro_batch *= 2;
        larger.workload.global_batch *= 2;
        let activations =
            |scenario| report(scenario).stages.iter().map(|stage| stage.activations.0).sum::<f64>();
        // The fullest moment may be the update's where nothing is accumulated, or FSDP's last reduce-scatter, when activations
        // are gone.
        let update =
            scenario.micro_batches() == 1 || matches!(scenario.plan.zero, Zero::Parameters | Zero::Hybrid);
        prop_assert!(total(&larger) >= before);
        prop_assert!(update || activations(&larger) > activations(&scenario));
        let mut longer = scenario;
        longer.workload.sequence *= 2;
        prop_assert!(total(&longer) >= before);
        prop_assert!(update || activations(&longer) > activations(&scenario));
        let mut deeper = scenario;
        deeper.model.layers += scenario.plan.pipeline_parallel * scenario.plan.virtual_stages;
        deeper.plan.stage_split = StageSplit::Even;
        let shallow = Scenario { plan: deeper.plan, ..scenario };
        prop_assert!(total(&deeper) > total(&shallow));
    }

    #[test]
    fn recomputing_more_never_needs_more(scenario in scenarios()) {
        let with = |recompute| {
            let mut scenario = scenario;
            scenario.plan.recompute = recompute;
            total(&scenario)
        };
        let [none, selective, full] = [Recompute::None, Recompute::Selective, Recompute::Full].map(with);
        prop_assert!(none >= selective * (1.0 - 1e-12) && selective >= full * (1.0 - 1e-12), "{none} {selective} {full}");
    }

    #[test]
    fn sharding_more_never_needs_more(scenario in scenarios()) {
        let stages = [Zero::None, Zero::Optimizer, Zero::Gradients, Zero::Parameters];
        let reports = stages.map(|zero| {
            let mut scenario = scenario;
            scenario.plan.zero = zero;
            (stage_memory(&scenario, 0), total(&scenario))
        });
        for pair in reports.windows(2) {
            let (less, more) = (pair[0], pair[1]);
            prop_assert!(more.0.optimizer <= less.0.optimizer);
        }
        for pair in reports[..3].windows(2) {
            let (less, more) = (pair[0], pair[1]);
            prop_assert!(more.0.weights <= less.0.weights && more.0.gradients <= less.0.gradients);
            prop_assert!(more.1 <= less.1 * (1.0 + 1e-12));
        }
        // FSDP's peak may be at another moment, and it copies what it reduces: never more than all gradients, in 32 bits, with
        // those before, which for an embedding are of the rows of every tensor-parallel rank.
        let tensor = f64::from(scenario.plan.tensor_parallel.max(1));
        let copied = (4.0 + 2.0 * tensor) * reports[0].0.weights.0 / 2.0;
        prop_assert!(reports[3].1 <= (reports[2].1 + copied) * (1.0 + 1e-12));
        // Hybrid sharding has fewer ranks left in the node when tensor parallelism takes them.
        if scenario.plan.zero == Zero::Hybrid {
            return Ok(());
        }
        let mut wider = scenario;
        wider.plan.tensor_parallel *= 2;
        wider.cluster.gpus *= 2;
        let (before, after) = (stage_memory(&scenario, 0), stage_memory(&wider, 0));
        prop_assert!(after.optimizer <= before.optimizer);
        // Where parameters are sharded, what is gathered hangs on the moment of the peak.
        let gathers = scenario.plan.zero == Zero::Parameters;
        prop_assert!(gathers || after.weights <= before.weights);
        if scenario.micro_batches() > 1 && !gathers {
            prop_assert!(after.gradients <= before.gradients && after.activations <= before.activations);
        }
        prop_assert!(after.total() <= before.total());
    }

    #[test]
    fn least_recompute_is_the_first_that_fits(scenario in scenarios()) {
        let chosen = least_recompute_that_fits(&scenario);
        let with = |recompute| {
            let mut scenario = scenario;
            scenario.plan.recompute = recompute;
            fits(&scenario, peak(&scenario).0)
        };
        match chosen {
            Recompute::None => prop_assert!(with(Recompute::None)),
            Recompute::Selective => prop_assert!(with(Recompute::Selective) && !with(Recompute::None)),
            Recompute::Full => prop_assert!(!with(Recompute::None)),
            Recompute::Modules(_) | Recompute::Every(_) => prop_assert!(false, "no mode that a source would name"),
        }
    }
}

/// Korthikanti et al. 2022, section 4.2.3: the first stage of a pipeline keeps the activations of all L
/// layers, times 1 + (p - 1) / (p v) when interleaved, and one dropout mask of the embedding per micro-batch.
#[test]
fn first_stage_keeps_as_much_as_one_gpu_would() {
    let mut scenario = base();
    scenario.software.stack = Stack::MegatronLm;
    scenario.software.year = 2022;
    scenario.model.gated_mlp = false;
    scenario.model.code = ModelCode::Gpt2;
    scenario.model.layers = 96;
    scenario.workload.sequence = 2048;
    scenario.workload.global_batch = 512;
    scenario.cluster.gpus = 64;
    scenario.plan.tensor_parallel = 8;
    scenario.plan.sequence_parallel = true;
    scenario.plan.context_parallel = 1;
    scenario.plan.micro_batch = 1;
    scenario.plan.recompute = Recompute::Selective;
    scenario.plan.stage_split = StageSplit::Even;
    let kept = |pipeline_parallel, virtual_stages| {
        let mut scenario = scenario;
        scenario.plan.pipeline_parallel = pipeline_parallel;
        scenario.plan.virtual_stages = virtual_stages;
        stage_memory(&scenario, 0).activations.0
    };
    let mask = 2048.0 * f64::from(scenario.model.hidden) / 8.0;
    let alone = kept(1, 1) - mask;
    assert_eq!(kept(8, 1), alone + 8.0 * mask);
    let interleaved = 8.0 * (1.0 + 7.0 / (8.0 * 3.0));
    assert!((kept(8, 3) / (alone / 8.0 + mask) / interleaved - 1.0).abs() < 1e-12);
    // Fewer micro-batches than stages keep no more than there are.
    scenario.workload.global_batch = 2;
    scenario.plan.pipeline_parallel = 8;
    scenario.plan.virtual_stages = 1;
    assert_eq!(stage_memory(&scenario, 0).activations.0, 2.0 * (alone / 8.0 + mask));
}

/// Sharded states and gathered layers, counted by hand.
#[test]
fn fully_sharded_states_are_counted() {
    let mut scenario = base();
    scenario.software.stack = Stack::Torchtitan;
    scenario.cluster.gpus = 64;
    scenario.plan.tensor_parallel = 1;
    scenario.plan.pipeline_parallel = 1;
    scenario.plan.context_parallel = 1;
    scenario.plan.zero = Zero::None;
    let whole = stage_memory(&scenario, 0);
    let parameters = whole.weights.0 / 2.0;
    assert_eq!(whole.optimizer.0, 12.0 * parameters);
    scenario.plan.zero = Zero::Parameters;
    let sharded = stage_memory(&scenario, 0);
    assert_eq!(sharded.optimizer.0, 12.0 * parameters / 64.0);
    let ends = 2.0 * f64::from(scenario.model.vocabulary) * f64::from(scenario.model.hidden);
    let layer = parameters / f64::from(scenario.model.layers);
    // While a layer runs backward, it and the next one are gathered; embedding and head are groups of their own.
    assert!((sharded.weights.0 / (2.0 * 2.0 * layer) - 1.0).abs() < 0.1, "{sharded:?}");
    // Elsewhere the ends are one group, which stays gathered.
    scenario.software.stack = Stack::Eager;
    let together = stage_memory(&scenario, 0);
    assert!((together.weights.0 / (2.0 * (ends + 2.0 * layer)) - 1.0).abs() < 0.1, "{together:?}");
    scenario.software.stack = Stack::Torchtitan;
    scenario.plan.zero = Zero::Hybrid;
    let in_node = stage_memory(&scenario, 0);
    assert_eq!(in_node.optimizer.0, 12.0 * parameters / f64::from(scenario.cluster.gpus_per_node));
}

#[test]
fn nonsense_is_harmless() {
    for value in [0, 1, 3, u32::MAX] {
        let mut scenario = base();
        let degree = value.min(1 << 16);
        scenario.plan.tensor_parallel = degree;
        scenario.plan.pipeline_parallel = degree;
        scenario.plan.virtual_stages = value;
        scenario.plan.context_parallel = degree;
        scenario.plan.micro_batch = value;
        scenario.plan.sequence_parallel = true;
        scenario.plan.zero = Zero::Hybrid;
        scenario.model.layers = value;
        scenario.model.heads = value;
        scenario.model.kv_heads = value;
        scenario.model.hidden = value.min(1 << 20);
        scenario.workload.global_batch = value;
        scenario.cluster.gpus_per_node = value;
        for stage in [0, 1, u32::MAX] {
            let memory = stage_memory(&scenario, stage);
            assert!(memory.parts().iter().all(|part| part.2.0 >= 0.0), "{value} {stage} {memory:?}");
        }
        assert!(peak(&scenario).0.0 > 0.0);
        assert!(least_recompute_that_fits(&scenario) != Recompute::Selective || value < 4);
    }
}

/// What a job holds follows from its sizes: no constant of the calibration moves a byte.
#[test]
fn memory_reads_no_constant() {
    use stepcast::constants::{Constants, REGISTRY};
    use stepcast::forecast::Predictor;
    let mut moved = Constants::SHIPPED;
    for entry in REGISTRY {
        (entry.set)(&mut moved, 0.9 * (entry.get)(&Constants::SHIPPED));
    }
    for example in stepcast::document::examples::EXAMPLES {
        let opened = stepcast::document::Document::from_link(example.link).expect("a link");
        let job = opened.document.scenario().expect("a legal job");
        let under = |constants| Predictor::new(constants).estimator(&job).estimate(&job.plan);
        let (shipped, other) = (under(&Constants::SHIPPED), under(&moved));
        assert_eq!(shipped.peak_memory, other.peak_memory, "{}", example.name);
        assert_ne!(shipped.step, other.step, "{}", example.name);
    }
}
