//! The ranking: every layout there is, forecast one by one, those that fit first and the fastest of them first.

use crate::legality::broken;
use crate::support::{assert_close, forecast, scenario};
use std::collections::BTreeSet;
use stepcast::fields::{FIELDS, Field};
use stepcast::forecast::Predictor;
use stepcast::scenario::Scenario;
use stepcast::scenario::model::Experts;
use stepcast::scenario::plan::{Modules, Plan, Recompute, Schedule, StageSplit, Zero};
use stepcast::tuner::{AXES, Candidate, in_some_layout, rank};

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

/// Whether a layout fits, from its report: its peak under the memory less half a GiB for the device's context and a
/// quarter for each kind of group.
fn fits(job: &Scenario, peak_gib: f64) -> bool {
    let plan = &job.plan;
    let replicas = job.cluster.gpus / (plan.tensor_parallel * plan.context_parallel * plan.pipeline_parallel);
    let degrees =
        [plan.tensor_parallel, plan.context_parallel, plan.pipeline_parallel, replicas, plan.expert_parallel];
    let kinds = degrees.iter().filter(|degree| **degree > 1).count() as f64;
    peak_gib <= job.cluster.gpu.memory.0 / 1_073_741_824.0 - 0.5 - 0.25 * kinds
}

/// A layout, whether it fits, and seconds of its step, from its full report.
fn reported(job: &Scenario, plan: Plan) -> (String, bool, f64) {
    let job = Scenario { plan, ..*job };
    let found = forecast(&job);
    (format!("{plan:?}"), fits(&job, found.memory.peak_gib), found.step.0)
}

/// Those that fit before those that do not, and within either the fastest first: the order of the full reports.
#[test]
fn what_fits_comes_first_and_the_fastest_of_it() {
    let job = small();
    let ranked = rank(Predictor::SHIPPED.search(&job));
    let reports: Vec<(String, bool, f64)> = ranked.iter().map(|entry| reported(&job, entry.plan)).collect();
    let fitting = reports.iter().filter(|report| report.1).count();
    assert!(fitting > 20 && reports.len() - fitting > 20, "{fitting} of {}", reports.len());
    assert!(reports[..fitting].iter().all(|report| report.1), "those that fit come first");
    for part in [&reports[..fitting], &reports[fitting..]] {
        assert!(part.windows(2).all(|pair| pair[0].2 <= pair[1].2), "the fastest come first");
    }
    // The search visits them in another order, so that sorting had something to do; and loses none.
    let mut found: Vec<Candidate> = Predictor::SHIPPED.search(&job).collect();
    assert!(found.windows(2).any(|pair| pair[0].step > pair[1].step));
    assert!(found.windows(2).any(|pair| !pair[0].fits && pair[1].fits));
    assert_eq!(found.len(), ranked.len());
    found.retain(|candidate| !ranked.contains(candidate));
    assert_eq!(found, []);
}

/// What the table of layouts shows of each is what its report says.
#[test]
fn candidates_are_their_reports() {
    for job in [small(), Scenario { plan: Plan { context_parallel: 2, ..small().plan }, ..small() }] {
        for candidate in Predictor::SHIPPED.search_over_schedules(&job).step_by(37) {
            let layout = Scenario { plan: candidate.plan, ..job };
            let found = forecast(&layout);
            assert_close(candidate.step.0, found.step.0);
            assert_close(candidate.mfu, found.mfu);
            assert_close(candidate.tokens_per_s_per_gpu, found.tokens_per_s_per_gpu);
            assert_close(candidate.peak_memory.gib(), found.memory.peak_gib);
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

/// What the search tries of recompute, of sharding, of context and of expert parallelism.
fn choices(job: &Scenario) -> (Vec<Recompute>, Vec<Zero>, Vec<u32>, Vec<u32>) {
    let mut modes = vec![Recompute::None, Recompute::Selective, Recompute::Full];
    if matches!(job.plan.recompute, Recompute::Modules(_)) {
        modes.push(job.plan.recompute);
    }
    let zeros = match job.plan.zero {
        Zero::None | Zero::Optimizer => vec![Zero::None, Zero::Optimizer],
        other => vec![other],
    };
    let long = |c: &u32| *c == 1 || job.plan.context_parallel > 1 || job.workload.sequence / c >= 8192;
    let contexts = [1, 2, 4, 8, 16].into_iter().filter(long).collect();
    let routed = job.model.experts.count > 0;
    let experts = if routed { vec![1, 2, 4, 8, 16, 32, 64, 128] } else { vec![job.plan.expert_parallel] };
    (modes, zeros, contexts, experts)
}

/// Every plan of the space as its documentation words it, tried one by one, kept where it is legal, and in the order of
/// the degrees, then of how the pipeline is dealt, then of the rest.
fn space(job: &Scenario, schedules: &[Schedule]) -> Vec<Plan> {
    let (gpus, layers) = (job.cluster.gpus, job.model.layers);
    let (modes, zeros, contexts, experts) = choices(job);
    let mut plans = Vec::new();
    for t in 1..=gpus {
        for (&c, p) in contexts.iter().flat_map(|c| (1..=gpus).map(move |p| (c, p))) {
            for (v, split) in
                (1..=layers + 2).flat_map(|v| [(v, StageSplit::Even), (v, StageSplit::CountEnds)])
            {
                // Shares are equal, except that one virtual stage may deal layers that do not divide.
                let slots = if split == StageSplit::CountEnds { layers + 2 } else { layers };
                let equal = p > 1 && slots % (p * v) == 0;
                let uneven = split == StageSplit::Even && v == 1 && (p == 1 || layers % p != 0);
                // No more stages than layers, even where the ends count.
                if p > layers || !(equal || uneven) {
                    continue;
                }
                for &schedule in if p > 1 { schedules } else { &[Schedule::OneForwardOneBackward] } {
                    for (b, sp) in [1, 2, 4, 8, 16, 32].into_iter().flat_map(|b| [(b, false), (b, true)]) {
                        for (&recompute, &zero) in
                            modes.iter().flat_map(|mode| zeros.iter().map(move |z| (mode, z)))
                        {
                            for &e in &experts {
                                let plan = Plan {
                                    tensor_parallel: t,
                                    sequence_parallel: sp,
                                    context_parallel: c,
                                    pipeline_parallel: p,
                                    virtual_stages: v,
                                    schedule,
                                    stage_split: split,
                                    zero,
                                    micro_batch: b,
                                    recompute,
                                    expert_parallel: e,
                                    ..job.plan
                                };
                                if broken(&Scenario { plan, ..*job }).is_empty() {
                                    plans.push(plan);
                                }
                            }
                        }
                    }
                }
            }
        }
    }
    plans.sort_by_key(|plan| {
        let degrees = (plan.tensor_parallel, plan.context_parallel, plan.pipeline_parallel);
        let schedule = schedules.iter().position(|schedule| *schedule == plan.schedule);
        let deal = (schedule, plan.stage_split == StageSplit::CountEnds, plan.virtual_stages);
        let recompute = modes.iter().position(|mode| *mode == plan.recompute);
        let zero = zeros.iter().position(|zero| *zero == plan.zero);
        let rest = (plan.micro_batch, recompute, zero, plan.sequence_parallel, plan.expert_parallel);
        (degrees, deal, rest)
    });
    plans
}

/// The search has every legal layout of its space, once, in an order that a reader can foresee.
#[test]
fn the_search_misses_no_layout_and_invents_none() {
    let dense = small();
    let mut long = dense;
    long.workload.sequence = 16_384;
    let mut split = dense;
    split.plan.context_parallel = 2;
    split.plan.zero = Zero::Parameters;
    split.plan.recompute = Recompute::Modules(Modules::NORMS);
    let mut folded = dense;
    folded.plan.schedule = Schedule::ZeroBubbleV;
    folded.plan.zero = Zero::Gradients;
    let mut routed = dense;
    routed.model.layers = 2;
    routed.model.experts = Experts { count: 12, top_k: 2, ffn: 1024, ..Experts::NONE };
    for (job, schedules) in [
        (dense, &[Schedule::OneForwardOneBackward][..]),
        (long, &[Schedule::OneForwardOneBackward]),
        (split, &[Schedule::OneForwardOneBackward]),
        (folded, &[Schedule::ZeroBubbleV]),
        (routed, &[Schedule::OneForwardOneBackward]),
        (dense, &Schedule::ALL),
    ] {
        let search = || {
            if schedules.len() > 1 {
                Predictor::SHIPPED.search_over_schedules(&job)
            } else {
                Predictor::SHIPPED.search(&job)
            }
        };
        let found: Vec<Plan> = search().map(|candidate| candidate.plan).collect();
        let expected = space(&job, schedules);
        assert!(expected.len() > 10, "{}", expected.len());
        let named = |plans: &[Plan]| plans.iter().map(|plan| format!("{plan:?}")).collect::<BTreeSet<_>>();
        let (unique, wanted) = (named(&found), named(&expected));
        assert_eq!(unique.len(), found.len(), "each once");
        assert_eq!(unique.difference(&wanted).next(), None, "invented");
        assert_eq!(wanted.difference(&unique).next(), None, "missed");
        assert!(found == expected, "in another order");
        assert_eq!(search().total(), expected.len());
    }
}

/// Layouts of a search differ in the fields that have a row among the searched dimensions, in each of them in some job,
/// and in no other.
#[test]
fn searched_dimensions_are_fields_of_the_layout() {
    let mut long = small();
    long.workload.sequence = 16_384;
    let mut routed = small();
    routed.model.experts = Experts { count: 12, top_k: 2, ffn: 1024, ..Experts::NONE };
    let mut varied = BTreeSet::new();
    for job in [long, routed] {
        for candidate in Predictor::SHIPPED.search_over_schedules(&job) {
            let layout = Scenario { plan: candidate.plan, ..job };
            let differs = |field: &&Field| (field.get)(&layout) != (field.get)(&job);
            varied.extend(FIELDS.iter().filter(differs).map(|field| field.key));
        }
    }
    let searched: BTreeSet<&str> = AXES.iter().map(|axis| axis.key).collect();
    assert_eq!(searched.len(), AXES.len(), "one row each");
    assert_eq!(varied, searched);
}

/// A search can be advanced a little at a time: it knows how far it is, and what is skipped is not forecast twice.
#[test]
fn searches_advance_a_little_at_a_time() {
    let all: Vec<Candidate> = Predictor::SHIPPED.search(&small()).collect();
    let mut search = Predictor::SHIPPED.search(&small());
    assert_eq!(
        (search.total(), search.done(), search.size_hint()),
        (all.len(), 0, (all.len(), Some(all.len())))
    );
    assert_eq!(search.next(), Some(all[0]));
    assert_eq!(search.nth(2), Some(all[3]));
    assert_eq!((search.done(), search.size_hint().0), (4, all.len() - 4));
    assert_eq!(search.nth(usize::MAX), None);
    assert_eq!((search.done(), search.size_hint().0), (all.len(), 0));
    assert_eq!(search.next(), None);
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
    assert_eq!(in_some_layout(&none), None);
}
