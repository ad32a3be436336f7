//! The search over the complete space: bounds change nothing, parts are the whole, and the best is the best.

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRng, TestRunner};
use stepcast::document::Document;
use stepcast::forecast::Predictor;
use stepcast::scenario::Scenario;
use stepcast::scenario::model::Experts;
use stepcast::scenario::plan::{Mapping, Zero};
use stepcast::scenario::stack::StackLimits;
use stepcast::tuner::{AXES, Counts, FreeAxes, LayoutRow, Options, Ranking, Search, Space};

/// Jobs that are searched with and without bounds.
const JOBS: u32 = 2000;
/// Jobs whose layouts are all forecast in full.
const IN_FULL: u32 = 300;
/// Layouts of a space that are still tried one by one.
const MOST: usize = 3000;

/// A small job on few GPUs, some of whose layouts fit, and which of its axes are free.
fn job() -> impl Strategy<Value = (Scenario, FreeAxes)> {
    let machine = prop::sample::select(vec!["dgx-h100", "dgx-a100-80g", "gb200-nvl72", "perlmutter"]);
    let stack = prop::sample::select(vec![
        "nemo",
        "megatron-lm",
        "megatron-deepspeed",
        "torchtitan",
        "compiled",
        "eager",
    ]);
    let shape = (2..9_u32, prop::sample::select(vec![1, 2, 3, 4, 6, 8, 12, 16]), 1..33_u32);
    let experts = prop_oneof![Just(0_u32), Just(0_u32), 2..9_u32];
    let switches =
        (any::<bool>(), any::<bool>(), any::<bool>(), 0..5_usize, prop::sample::select(vec![0, 50]));
    let memory = 0.05..0.8_f64;
    (machine, stack, shape, experts, memory, switches, any::<u32>()).prop_filter_map(
        "possible, and few layouts",
        |(machine, stack, (layers, gpus, batch), experts, memory, switches, free)| {
            let link = format!("#1;m=llama2-7b;g={machine};stack={stack};n=4;gb=4;seq=2048;tp=1;sp=0;pp=1");
            let mut job = Document::from_link(&link).ok()?.document.scenario().ok()?;
            job.model.layers = layers;
            // A large head asks for a list of layers.
            if layers % 2 == 0 {
                job.model.vocabulary = 256_000;
            }
            if experts > 0 {
                job.model.experts = Experts {
                    count: experts,
                    top_k: 1,
                    ffn: 2048,
                    leading_dense: layers % 2,
                    ..Experts::NONE
                };
            }
            job.cluster.gpus = gpus;
            job.workload.global_batch = batch;
            job.cluster.gpu.memory.0 *= memory;
            let (data, pipeline, mapped, zero, offloaded) = switches;
            job.plan.data_overlap = data;
            job.plan.pipeline_overlap = pipeline;
            job.plan.zero = Zero::ALL[zero];
            job.plan.offload_activations = offloaded;
            job.plan.mapping = if mapped { Mapping::TensorPipelineData } else { Mapping::TensorDataPipeline };
            job.validate().ok()?;
            // Most of the usual axes, and seldom one of the others.
            let free = AXES.iter().enumerate().fold(FreeAxes::NONE, |all, (place, axis)| {
                let odd = free >> (place % 16) & 3;
                all.with(axis.key, if axis.searched { odd != 0 } else { odd == 0 })
            });
            (1..=MOST).contains(&space_of(&job, free).len()).then_some((job, free))
        },
    )
}

fn runner(cases: u32) -> TestRunner {
    let config = Config { cases, failure_persistence: None, max_local_rejects: 1 << 20, ..Config::default() };
    TestRunner::new_with_rng(config, TestRng::from_seed(prop::test_runner::RngAlgorithm::ChaCha, &[7; 32]))
}

fn options(bounded: bool) -> Options {
    Options { top: 20, unfit: 5, bounded, ..Options::default() }
}

/// Every layout that the rules allow, whatever the job's software offers.
fn space_of(job: &Scenario, free: FreeAxes) -> Space {
    Space::within(job, free, StackLimits::ALL)
}

fn searched(job: &Scenario, free: FreeAxes, bounded: bool) -> Search<'static> {
    let mut search = Predictor::SHIPPED.search(space_of(job, free), options(bounded));
    search.finish();
    search
}

fn fail(reason: impl Into<String>) -> TestCaseError {
    TestCaseError::fail(reason.into())
}

/// Rows, comfortable rows, number and peak of those that do not fit, layouts, and those that fit.
type Kept = (Vec<LayoutRow>, Vec<LayoutRow>, Vec<(usize, f64)>, usize, usize);

/// What a search keeps besides the counts of what it timed.
fn kept(search: &Search<'_>) -> Kept {
    let counts = search.counts();
    let unfit = search.unfit().into_iter().map(|row| (row.index, row.peak)).collect();
    (search.best(), search.comfortable(), unfit, counts.layouts, counts.fitting)
}

#[test]
fn bounds_leave_out_what_cannot_be_among_the_rows() {
    let mut left_out = 0;
    let result = runner(JOBS).run(&job(), |(job, free)| {
        let (bounded, exhaustive) = (searched(&job, free, true), searched(&job, free, false));
        prop_assert_eq!(kept(&bounded), kept(&exhaustive));
        prop_assert_eq!(exhaustive.counts().timed, exhaustive.counts().fitting);
        Ok(())
    });
    if let Err(error) = result {
        panic!("{error}");
    }
    // They do leave something out.
    for (job, free) in
        [Document::default().scenario().expect("possible")].map(|job| (job, FreeAxes::default()))
    {
        let counts = searched(&job, free, true).counts();
        left_out += counts.fitting - counts.timed;
        assert!(counts.timed * 10 < counts.fitting, "{counts:?}");
    }
    assert!(left_out > 0);
}

#[test]
fn the_first_row_is_the_fastest_full_forecast_that_fits() {
    let result = runner(IN_FULL).run(&job(), |(job, free)| {
        let space = space_of(&job, free);
        let mut best: Option<(f64, usize)> = None;
        let mut fitting = 0;
        for number in 0..space.len() {
            let plan = space.at(number).ok_or_else(|| fail("a number without a layout"))?;
            let forecast = Predictor::SHIPPED
                .predict(&Scenario { plan, ..job })
                .map_err(|errors| fail(format!("{plan:?}: {errors:?}")))?;
            if forecast.memory.fits {
                fitting += 1;
                if best.is_none_or(|best| forecast.step.0 < best.0) {
                    best = Some((forecast.step.0, number));
                }
            }
        }
        let search = searched(&job, free, true);
        let first = search.best().first().map(|row| (row.step, row.index));
        prop_assert_eq!(search.counts().fitting, fitting);
        match (first, best) {
            (Some(first), Some(best)) => {
                prop_assert!((first.0 / best.0 - 1.0).abs() < 1e-12, "{first:?} and {best:?}");
            }
            (first, best) => prop_assert_eq!(first, best),
        }
        Ok(())
    });
    if let Err(error) = result {
        panic!("{error}");
    }
}

/// The same rows, whoever searches which part.
#[test]
fn parts_of_a_search_are_the_whole() {
    let result = runner(100).run(&job(), |(job, free)| {
        let whole = searched(&job, free, true).ranking();
        for parts in 1..=3 {
            let mut rankings: Vec<Ranking> = Vec::new();
            let mut threshold = f64::INFINITY;
            for part in 0..parts {
                let mut search = Predictor::SHIPPED.search(space_of(&job, free), options(true));
                let blocks = search.blocks();
                let begin = |part: usize| blocks * part / parts;
                search.take_on(begin(part)..begin(part + 1), threshold);
                search.finish();
                let Options { top, .. } = options(true);
                if let Some(last) = search.best().get(top - 1) {
                    threshold = threshold.min(last.step);
                }
                // Twice: what a part has told already changes nothing.
                rankings.push(Ranking { counts: Counts::default(), ..search.ranking() });
                rankings.push(search.ranking());
            }
            let join = |one: Ranking, two| one.and(two, &options(true));
            let joined = rankings.into_iter().reduce(join).unwrap_or_default();
            prop_assert_eq!(&joined.rows, &whole.rows);
            prop_assert_eq!(&joined.unfit, &whole.unfit);
            let (one, two) = (joined.counts, whole.counts);
            prop_assert_eq!(
                (one.layouts, one.fitting, one.comfortable),
                (two.layouts, two.fitting, two.comfortable)
            );
        }
        Ok(())
    });
    if let Err(error) = result {
        panic!("{error}");
    }
}

/// A search of what a stack can run has just the layouts of the rules that its limits allow.
#[test]
fn what_a_stack_cannot_run_is_not_searched() {
    for stack in ["megatron-lm", "megatron-deepspeed", "torchtitan", "composer-fsdp", "nemo"] {
        let link = format!("#1;m=mixtral-8x7b;g=dgx-h100;stack={stack};n=16;gb=16;tp=1;sp=0;pp=1;ep=1");
        let mut job = Document::from_link(&link).expect("a link").document.scenario().expect("possible");
        job.model.layers = 4;
        let limits = StackLimits::of_job(&job);
        // What a stack lacks of ways to exchange, others stand in for.
        job.plan.context_exchange = limits.exchange_like(job.plan.context_exchange);
        let plans = |space: Space| -> Vec<_> { (0..space.len()).filter_map(|at| space.at(at)).collect() };
        let offered = plans(Space::new(&job, FreeAxes::default()));
        let mut all = plans(space_of(&job, FreeAxes::default()));
        let legal = all.len();
        all.retain(|plan| limits.allows(plan));
        assert_eq!(offered, all, "{stack}");
        assert!(!all.is_empty() && all.len() < legal, "{stack}: {} of {legal}", all.len());
    }
}
