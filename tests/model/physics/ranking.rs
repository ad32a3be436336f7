//! The ranking: every layout there is, forecast one by one, those that fit first and the fastest of them first.

use crate::physics::legality::broken;
use crate::support::{assert_close, forecast, scenario};
use std::collections::BTreeSet;
use stepcast::fields::{FIELDS, Field};
use stepcast::forecast::Predictor;
use stepcast::scenario::Scenario;
use stepcast::scenario::model::Experts;
use stepcast::scenario::plan::{Mapping, Modules, Plan, Recompute, Schedule, StageSplit, Zero};
use stepcast::scenario::stack::StackLimits;
use stepcast::tuner::{AXES, FreeAxes, Options, Ranking, Space, in_some_layout};

/// A job of few layers and heads on 8 GPUs, half of whose layouts do not fit.
fn small() -> Scenario {
    let mut s =
        scenario(&[("m", "llama2-7b"), ("g", "dgx-h100"), ("n", "8"), ("tp", "1"), ("sp", "0"), ("pp", "1")]);
    s.plan.zero = Zero::Optimizer;
    s.model.layers = 6;
    s.workload.sequence = 4096;
    s.workload.global_batch = 24;
    s.cluster.gpu.memory.0 = 16.0 * 1_073_741_824.0;
    s
}

/// Whether a layout fits, from its report: its peak under the memory less three quarters of a GiB for the device's context and a
/// quarter for each kind of group.
fn fits(job: &Scenario, peak_gib: f64) -> bool {
    let plan = &job.plan;
    let replicas = job.cluster.gpus / (plan.tensor_parallel * plan.context_parallel * plan.pipeline_parallel);
    let degrees =
        [plan.tensor_parallel, plan.context_parallel, plan.pipeline_parallel, replicas, plan.expert_parallel];
    let kinds = degrees.iter().filter(|degree| **degree > 1).count() as f64;
    peak_gib <= job.cluster.gpu.memory.0 / 1_073_741_824.0 - 0.75 - 0.25 * kinds
}

/// A layout, whether it fits, and seconds of its step, from its full report.
fn reported(job: &Scenario, plan: Plan) -> (String, bool, f64) {
    let job = Scenario { plan, ..*job };
    let found = forecast(&job);
    (format!("{plan:?}"), fits(&job, found.memory.peak_gib), found.step.0)
}

/// Every layout of a job, ranked without a bound, and all of those that do not fit.
fn ranked(job: &Scenario, free: FreeAxes) -> Ranking {
    let space = Space::new(job, free);
    let options = Options { top: space.len(), unfit: space.len(), bounded: false, ..Options::default() };
    let mut search = Predictor::SHIPPED.search(space, options);
    search.finish();
    search.ranking()
}

/// Layouts under one schedule, with as few other choices as the pipeline's degrees leave.
fn few() -> FreeAxes {
    ["sched", "zero", "split"].into_iter().fold(FreeAxes::default(), |free, key| free.with(key, false))
}

/// Those that fit apart from those that do not, the fastest first, and the nearest to fitting: in the order of the full
/// reports.
#[test]
fn what_fits_comes_first_and_the_fastest_of_it() {
    let job = small();
    let ranking = ranked(&job, few());
    let all = Space::within(&job, few(), StackLimits::ALL).len();
    assert_eq!(ranking.rows.len() + ranking.unfit.len(), all, "none is lost");
    assert!(ranking.rows.len() > 20 && ranking.unfit.len() > 20, "{} of {all}", ranking.rows.len());
    let reports: Vec<(String, bool, f64)> = ranking.rows.iter().map(|row| reported(&job, row.plan)).collect();
    assert!(reports.iter().all(|report| report.1), "those that fit");
    assert!(reports.windows(2).all(|pair| pair[0].2 <= pair[1].2), "the fastest come first");
    assert!(ranking.unfit.iter().all(|row| !reported(&job, row.plan).1), "those that do not fit");
    assert!(ranking.unfit.windows(2).all(|pair| pair[0].room >= pair[1].room), "the nearest come first");
    let counts = ranking.counts;
    assert_eq!((counts.layouts, counts.fitting), (all, ranking.rows.len()));
    let roomy = ranking.rows.iter().filter(|row| row.is_comfortable(Options::default().margin)).count();
    assert_eq!(counts.comfortable, roomy);
    assert!(roomy < counts.fitting, "some are tight");
}

/// What the table of layouts shows of each is what its report says.
#[test]
fn candidates_are_their_reports() {
    for job in [small(), Scenario { plan: Plan { context_parallel: 2, ..small().plan }, ..small() }] {
        for candidate in ranked(&job, FreeAxes::default()).rows.iter().step_by(97) {
            let layout = Scenario { plan: candidate.plan, ..job };
            let found = forecast(&layout);
            assert_close(candidate.step.0, found.step.0);
            assert_close(candidate.mfu, found.mfu);
            assert_close(candidate.tokens_per_s_per_gpu, found.tokens_per_s_per_gpu);
            assert_close(candidate.peak_memory.gib(), found.memory.peak_gib);
            assert_close(candidate.room, 1.0 - found.memory.peak_gib / found.memory.usable_gib);
            assert_eq!(candidate.fits, fits(&layout, found.memory.peak_gib));
            let plan = &candidate.plan;
            let replicas = 8 / (plan.tensor_parallel * plan.context_parallel * plan.pipeline_parallel);
            assert_eq!(candidate.data_parallel, replicas);
            assert_eq!(candidate.micro_batches, 24 / (replicas * plan.micro_batch));
            let parts = &found.breakdown;
            let exposed = [
                parts.tensor_communication,
                parts.context_communication,
                parts.expert_communication,
                parts.pipeline_communication,
                parts.data_communication,
            ];
            let exposed: f64 = exposed.iter().map(|part| part.0).sum();
            assert!((candidate.communication_share - exposed / found.step.0).abs() < 1e-12);
            assert!((candidate.bubble_share - parts.bubble.0 / found.step.0).abs() < 1e-12);
        }
    }
}

/// Values that the search tries of one field after the other, as the documentation words them, for a job on few GPUs:
/// all there are up to their number, except that an expert is whole or split as its layer is.
fn tried(job: &Scenario) -> Vec<Plan> {
    let (gpus, experts) = (job.cluster.gpus, job.model.experts.count);
    let mut modes = vec![Recompute::None, Recompute::Selective, Recompute::Full];
    if matches!(job.plan.recompute, Recompute::Modules(_)) {
        modes.push(job.plan.recompute);
    }
    let degrees = || 1..=gpus;
    let mut plans = vec![job.plan];
    let mut vary = |choices: &dyn Fn(&Plan) -> Vec<Plan>| {
        plans = plans.iter().flat_map(choices).collect();
    };
    vary(&|plan| degrees().map(|t| Plan { tensor_parallel: t, ..*plan }).collect());
    vary(&|plan| degrees().map(|c| Plan { context_parallel: c, ..*plan }).collect());
    vary(&|plan| degrees().map(|p| Plan { pipeline_parallel: p, ..*plan }).collect());
    vary(&|plan| {
        let group = plan.tensor_parallel * plan.context_parallel * plan.pipeline_parallel;
        if gpus % group == 0 { vec![*plan] } else { Vec::new() }
    });
    vary(&|plan| [false, true].map(|sp| Plan { sequence_parallel: sp, ..*plan }).to_vec());
    vary(&|plan| {
        let most = if experts > 0 { experts } else { 0 };
        let dealt: Vec<Plan> = (1..=most).map(|e| Plan { expert_parallel: e, ..*plan }).collect();
        if dealt.is_empty() { vec![*plan] } else { dealt }
    });
    vary(&|plan| {
        let mut split = vec![1];
        if experts > 0 && plan.tensor_parallel > 1 {
            split.push(plan.tensor_parallel);
        }
        split.into_iter().map(|k| Plan { expert_tensor_parallel: k, ..*plan }).collect()
    });
    vary(&|plan| (1..=job.workload.global_batch).map(|b| Plan { micro_batch: b, ..*plan }).collect());
    vary(&|plan| modes.iter().map(|mode| Plan { recompute: *mode, ..*plan }).collect());
    vary(&|plan| Zero::ALL.map(|zero| Plan { zero, ..*plan }).to_vec());
    vary(&|plan| pipelines(job, plan));
    plans
}

/// Schedules, virtual stages and splits for as many stages as a plan has.
fn pipelines(job: &Scenario, plan: &Plan) -> Vec<Plan> {
    let (layers, p) = (job.model.layers, plan.pipeline_parallel);
    if p == 1 {
        return vec![Plan { schedule: Schedule::OneForwardOneBackward, virtual_stages: 1, ..*plan }];
    }
    let mut all = Vec::new();
    for schedule in Schedule::ALL {
        for split in [StageSplit::Even, StageSplit::CountEnds] {
            for v in 1..=layers + 2 {
                // Shares are equal, except that one virtual stage may hold layers that do not divide. Where a schedule
                // prescribes its virtual stages, they may.
                let slots = if split == StageSplit::CountEnds { layers + 2 } else { layers };
                let equal = slots % (p * v) == 0;
                let uneven = split == StageSplit::Even && v == 1 && layers % p != 0;
                if schedule != Schedule::OneForwardOneBackward || equal || uneven {
                    all.push(Plan { schedule, virtual_stages: v, stage_split: split, ..*plan });
                }
            }
        }
    }
    all
}

/// The space has every legal layout, once, and each under its number.
#[test]
fn the_space_misses_no_layout_and_invents_none() {
    let mut dense = small();
    dense.model.layers = 4;
    dense.cluster.gpus = 4;
    dense.workload.global_batch = 8;
    let mut own = dense;
    own.plan.recompute = Recompute::Modules(Modules::NORMS);
    let mut routed = dense;
    routed.model.layers = 2;
    routed.workload.global_batch = 4;
    routed.model.experts = Experts { count: 6, top_k: 2, ffn: 1024, ..Experts::NONE };
    for job in [dense, own, routed] {
        let space = Space::within(&job, FreeAxes::default(), StackLimits::ALL);
        let found: Vec<Plan> = (0..space.len()).filter_map(|number| space.at(number)).collect();
        assert_eq!(found.len(), space.len());
        assert_eq!(space.at(space.len()), None);
        let mut expected = tried(&job);
        expected.retain(|plan| broken(&Scenario { plan: *plan, ..job }).is_empty());
        assert!(expected.len() > 100, "{}", expected.len());
        let named = |plans: &[Plan]| plans.iter().map(|plan| format!("{plan:?}")).collect::<BTreeSet<_>>();
        let (unique, wanted) = (named(&found), named(&expected));
        assert_eq!(unique.len(), found.len(), "each once");
        assert_eq!(unique.difference(&wanted).next(), None, "invented");
        assert_eq!(wanted.difference(&unique).next(), None, "missed");
    }
}

/// What is not free keeps the job's value, and what is free takes others.
#[test]
fn axes_are_free_or_keep_the_jobs_value() {
    let mut job = small();
    job.plan = Plan {
        tensor_parallel: 2,
        sequence_parallel: true,
        expert_parallel: 2,
        pipeline_parallel: 2,
        zero: Zero::Gradients,
        recompute: Recompute::Full,
        context_parallel: 2,
        ..job.plan
    };
    job.model.experts = Experts { count: 12, top_k: 2, ffn: 1024, ..Experts::NONE };
    for axis in &AXES {
        let alone = Space::within(&job, FreeAxes::NONE.with(axis.key, true), StackLimits::ALL);
        let field = Field::find(axis.key).expect("a field");
        let values = |free: FreeAxes| -> BTreeSet<String> {
            let space = Space::within(&job, free, StackLimits::ALL);
            let plans = (0..space.len()).filter_map(|number| space.at(number));
            plans.map(|plan| field.canonical(&Scenario { plan, ..job })).collect()
        };
        // Experts on several ranks ask for sequence parallelism.
        if axis.key != "sp" {
            assert!(values(FreeAxes::NONE.with(axis.key, true)).len() > 1, "{}: {}", axis.key, alone.len());
        }
        let kept = values(FreeAxes::default().with(axis.key, false));
        assert!(kept.is_subset(&own_or_erased(axis.key, &field.canonical(&job))), "{}: {kept:?}", axis.key);
        assert!(kept.contains(&field.canonical(&job)), "{}: {kept:?}", axis.key);
    }
    let whole = Space::within(&job, FreeAxes::NONE, StackLimits::ALL);
    assert_eq!((whole.len(), whole.at(0)), (1, Some(job.plan)));
}

/// A job's own value of a field, and the one that it has where other fields leave no choice.
fn own_or_erased(key: &str, own: &str) -> BTreeSet<String> {
    let erased = match key {
        "sp" => "0",
        "sched" => "1f1b",
        "split" => "even",
        "vpp" => "1",
        _ => own,
    };
    // Schedules that prescribe virtual stages keep them.
    let two = if key == "vpp" { "2" } else { own };
    [own, erased, two].into_iter().map(str::to_owned).collect()
}

/// Layouts of a search differ in the fields that have a row among the searched dimensions, in each of them in some job,
/// and in no other.
#[test]
fn searched_dimensions_are_fields_of_the_layout() {
    let mut routed = small();
    routed.model.experts = Experts { count: 12, top_k: 2, ffn: 1024, ..Experts::NONE };
    let space = Space::within(&routed, FreeAxes::ALL, StackLimits::ALL);
    let mut varied = BTreeSet::new();
    for number in (0..space.len()).step_by(1 + space.len() / 20_000) {
        let layout = Scenario { plan: space.at(number).expect("a layout"), ..routed };
        let differs = |field: &&Field| (field.get)(&layout) != (field.get)(&routed);
        varied.extend(FIELDS.iter().filter(differs).map(|field| field.key));
    }
    // A list of layers is a way of splitting them.
    assert!(varied.remove("stages"));
    let searched: BTreeSet<&str> = AXES.iter().map(|axis| axis.key).collect();
    assert_eq!(searched.len(), AXES.len(), "one row each");
    assert_eq!(varied, searched);
    let mapped = |mapping| Scenario { plan: Plan { mapping, ..small().plan }, ..small() };
    let [one, other] = [Mapping::TensorDataPipeline, Mapping::TensorPipelineData].map(mapped);
    assert_eq!(Space::new(&one, FreeAxes::default()).len(), Space::new(&other, FreeAxes::default()).len());
}

/// A job is put into one of its layouts whatever its own is, or told that it has none.
#[test]
fn jobs_find_some_layout() {
    let mut lost = small();
    lost.plan.tensor_parallel = 3;
    lost.plan.micro_batch = 5;
    // What goes with degrees goes with them: experts of a model that has none, over ranks that there are not.
    (lost.plan.expert_parallel, lost.plan.expert_tensor_parallel) = (7, 3);
    lost.plan.context_parallel = 3;
    assert!(lost.validate().is_err());
    let found = in_some_layout(&lost).expect("a layout");
    assert!(broken(&found).is_empty() && found.validate().is_ok());
    assert_eq!((found.model, found.workload), (lost.model, lost.workload));
    lost.model.kv_heads = 5;
    assert_eq!(in_some_layout(&lost), None);
    let mut none = small();
    none.workload.global_batch = 7;
    none.model.heads = 1;
    none.model.kv_heads = 1;
    none.model.layers = 1;
    none.workload.sequence = 5;
    assert_eq!(in_some_layout(&none), None);
}
