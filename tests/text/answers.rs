//! What is told of a search: which layout to take, why it wins, what would change it, and on how many GPUs it pays.

use proptest::prelude::*;
use stepcast::constants::Constants;
use stepcast::document::Document;
use stepcast::forecast::{Difference, Predictor};
use stepcast::memory::LIKELY;
use stepcast::run_cost::RunCost;
use stepcast::scaling::Mode;
use stepcast::scenario::Scenario;
use stepcast::scenario::plan::{Plan, Schedule};
use stepcast::tuner::{
    Amount, CONVENIENCE, Candidate, Extent, FreeAxes, FrontPoint, Goal, Histogram, HistogramBin, Margin,
    Merit, Options, Ranking, Search, Space, are_alike, best, compare, complexity, families, first,
    in_some_layout, influences, largest, pareto, resized, sampled, short_list, study, worth_of_memory,
};
use stepcast::units::Seconds;

const PREDICTOR: Predictor<'static> = Predictor::SHIPPED;

fn job(link: &str) -> Scenario {
    Document::from_link(link).expect("a link").document.scenario().expect("a possible job")
}

fn llama() -> Scenario {
    job("#1;m=llama3-8b;g=dgx-h100;n=64;gb=256")
}

fn searched(job: &Scenario, options: Options) -> Search<'static> {
    let mut search = PREDICTOR.search(Space::new(job, FreeAxes::default()), options);
    search.finish();
    search
}

fn ranked(job: &Scenario, top: usize) -> Ranking {
    searched(job, Options { top, ..Options::default() }).ranking()
}

/// The front by its definition, from all layouts that fit.
#[test]
fn the_front_is_what_none_beats() {
    let job = llama();
    let all = searched(&job, Options { top: usize::MAX, bounded: false, ..Options::default() }).best();
    let front = searched(&job, Options { pareto: true, top: 10, ..Options::default() }).front();
    let beaten = |step: f64, peak: f64| {
        all.iter().any(|row| row.step <= step && row.peak <= peak && (row.step < step || row.peak < peak))
    };
    let mut expected: Vec<(f64, f64)> =
        all.iter().filter(|row| !beaten(row.step, row.peak)).map(|row| (row.peak, row.step)).collect();
    expected.sort_by(|one, other| one.partial_cmp(other).expect("numbers"));
    expected.dedup();
    let found: Vec<(f64, f64)> = front.iter().map(|row| (row.peak, row.step)).collect();
    assert!(found.len() > 5, "{found:?}");
    assert_eq!(found, expected);
    assert_eq!(front.last().map(|row| row.step), all.first().map(|row| row.step));
}

/// The parts of a comparison sum to the difference of the steps, and its fields turn one layout into the other.
#[test]
fn comparisons_sum_to_the_difference() {
    let job = llama();
    let rows = ranked(&job, 200).rows;
    for other in rows.iter().step_by(23) {
        let layout = |row: &Candidate| Scenario { plan: row.plan, ..job };
        let found = compare(&PREDICTOR, &layout(&rows[0]), &layout(other)).expect("possible");
        let sum: f64 = found.terms.iter().map(|term| term.difference()).sum();
        assert!((sum - (other.step.0 - rows[0].step.0)).abs() < 1e-9 * other.step.0, "{found:?}");
        assert!((found.ratio() - other.step / rows[0].step).abs() < 1e-12);
        let differences: Vec<f64> = found.terms.iter().map(|term| -term.difference().abs()).collect();
        assert!(differences.is_sorted(), "the greatest first");
        assert_eq!(found.fields.is_empty(), other.plan == rows[0].plan);
    }
}

/// A tie is one word of one predictor: what half of such ratios are off by, the winner's lost lead included.
#[test]
fn ties_are_what_ratios_are_off_by() {
    let job = llama();
    let rows = ranked(&job, 1000).rows;
    let first = &rows[0];
    let c = PREDICTOR.constants();
    let ratio = |row: &Candidate| row.step / first.step;
    let tied: Vec<&Candidate> = rows.iter().filter(|row| PREDICTOR.are_tied(&job, first, row)).collect();
    assert!(tied.len() > 10 && tied.len() < rows.len(), "{}", tied.len());
    let settings = |row: &&Candidate| Difference::between(&first.plan, &row.plan) == Difference::Settings;
    let edge = (c.ratio_half + c.winner_lead_loss).exp();
    for row in rows.iter().filter(settings) {
        assert_eq!(PREDICTOR.are_tied(&job, first, row), ratio(row) <= edge, "{row:?}");
    }
    assert!(!PREDICTOR.are_tied(&job, first, &Candidate { fits: false, ..rows[1] }));
    let sure = Constants { ratio_half: 0.0, ratio_half_slope: 0.0, winner_lead_loss: 0.0, ..*c };
    let slower = rows.iter().find(|row| ratio(row) > 1.0).expect("one is slower");
    assert!(!Predictor::new(&sure).are_tied(&job, first, slower));
}

/// The recommended layout is comfortable, within the tie, and no tied one is simpler.
#[test]
fn the_recommended_layout_is_the_simplest_of_the_best() {
    for link in [
        "#1;m=llama3-8b;g=dgx-h100;n=64;gb=256;stack=fused",
        "#1;m=llama3-70b;g=dgx-h100;n=512;stack=torchtitan;tp=8;pp=4;zero=3",
        "#1;m=mixtral-8x7b;g=dgx-h100;n=64;gb=256;stack=megatron-lm",
    ] {
        let job = job(link);
        let ranking = ranked(&job, 1000);
        for ratio_half in [0.0, 0.06, 0.3] {
            let constants = Constants { ratio_half, ..*PREDICTOR.constants() };
            let predictor = Predictor::new(&constants);
            let chosen = predictor.recommended(&job, &ranking.rows, Margin::Likely).expect("a layout");
            let comfortable = |row: &&Candidate| row.is_comfortable(Margin::Likely);
            let usual = |row: &&Candidate| row.plan.schedule == Schedule::OneForwardOneBackward;
            let best = ranking.rows.iter().find(comfortable).expect("a comfortable layout");
            let plain = ranking.rows.iter().filter(comfortable).find(usual).expect("one under 1F1B");
            let best = if predictor.are_tied(&job, best, plain) { plain } else { best };
            assert!(chosen.is_comfortable(Margin::Likely));
            assert!(chosen.step.0 <= best.step.0 * (1.0 + CONVENIENCE));
            let near = |row: &&Candidate| row.step.0 <= best.step.0 * (1.0 + CONVENIENCE);
            for row in ranking.rows.iter().filter(comfortable).filter(near) {
                assert!(complexity(&chosen.plan) <= complexity(&row.plan), "{chosen:?} and {row:?}");
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    /// No other layout is as fast, as small and as simple as the recommended one, and better in one of these; and the one
    /// that is shown as the simplest is not the faster.
    #[test]
    fn the_recommended_layout_is_not_beaten(
        model in prop::sample::select(vec!["llama3-8b", "llama2-13b", "mixtral-8x7b", "gpt3-175b"]),
        machine in prop::sample::select(vec!["dgx-h100", "dgx-a100-80g", "mi300x"]),
        nodes in 1..9_u32,
        replicas in 1..9_u32,
        sequence in prop::sample::select(vec![2048_u32, 32_768, 1 << 20]),
    ) {
        let (gpus, batch) = (8 * nodes, 8 * nodes * replicas);
        let link = format!("#2;m={model};g={machine};n={gpus};gb={batch};seq={sequence};tp=1;sp=0;pp=1");
        let job = Document::from_link(&link).expect("a link").document.values().expect("numbers");
        let Some(job) = in_some_layout(&job) else { return Ok(()) };
        let rows = ranked(&job, 1000).rows;
        let Some(chosen) = PREDICTOR.recommended(&job, &rows, Margin::Likely) else { return Ok(()) };
        let three = |row: &Candidate| (row.step.0, row.peak_memory.0, complexity(&row.plan));
        let (step, peak, simple) = three(chosen);
        for row in rows.iter().filter(|row| row.is_comfortable(Margin::Likely) == chosen.is_comfortable(Margin::Likely)) {
            let other = three(row);
            let beaten = other.0 <= step && other.1 <= peak && other.2 <= simple && other != three(chosen);
            prop_assert!(!beaten, "{chosen:?} is beaten by {row:?}");
        }
        let list = short_list(&rows, job.cluster.gpus_per_node, Margin::Likely);
        let simplest = list.iter().find(|one| one.0 == Merit::Simplest).map(|one| &rows[one.1]);
        prop_assert!(simplest.is_none_or(|row| row.step >= chosen.step), "{chosen:?} and {simplest:?}");
    }
}

#[test]
fn where_nothing_is_comfortable_what_fits_is_recommended() {
    let ranking = ranked(&llama(), 50);
    let margin = Margin::Share(ranking.rows.iter().map(|row| row.room).fold(0.0, f64::max) + 0.01);
    let chosen = PREDICTOR.recommended(&llama(), &ranking.rows, margin).expect("a layout");
    assert!(chosen.step.0 <= ranking.rows[0].step.0 * (1.0 + CONVENIENCE));
    assert_eq!(first(&ranking.rows, margin), ranking.rows.first());
    let unfit = [Candidate { fits: false, room: -0.1, ..ranking.rows[0] }];
    assert_eq!(
        (first(&unfit, Margin::Share(0.05)), PREDICTOR.recommended(&llama(), &unfit, Margin::Share(0.05))),
        (None, None)
    );
}

/// Families cover every row once, and hold what comes out alike.
#[test]
fn families_cover_the_rows() {
    let rows = ranked(&llama(), 1000).rows;
    let families = families(&rows, Margin::Likely);
    let mut places: Vec<usize> =
        families.iter().flat_map(|family| [family.first].into_iter().chain(family.others.clone())).collect();
    places.sort_unstable();
    assert_eq!(places, (0..rows.len()).collect::<Vec<_>>());
    assert!(2 * families.len() < rows.len(), "{} families of {} rows", families.len(), rows.len());
    let heads: Vec<f64> = families.iter().map(|family| rows[family.first].step.0).collect();
    assert!(heads.windows(2).all(|pair| pair[0] <= pair[1] * (1.0 + 1e-6)), "the fastest first");
    for family in &families {
        let head = &rows[family.first];
        assert!(family.others.is_sorted());
        for other in family.others.iter().map(|place| &rows[*place]) {
            assert!(are_alike(head, other, Margin::Likely) && are_alike(other, head, Margin::Likely));
            let ratio = other.step / head.step;
            assert!((1.0 - 1e-6..=1.0 + 1.01 * CONVENIENCE).contains(&ratio), "{ratio}");
            assert!(
                ratio > 1.0 + 1e-6 || complexity(&head.plan) <= complexity(&other.plan),
                "the simplest of equals"
            );
            let Plan { virtual_stages, stage_split, zero, .. } = head.plan;
            assert_eq!(Plan { virtual_stages, stage_split, zero, ..other.plan }, head.plan);
            assert_eq!(head.is_comfortable(Margin::Likely), other.is_comfortable(Margin::Likely));
        }
    }
}

/// Less of a machine never makes the winner's step shorter, nor more longer; the widest swing comes first.
#[test]
fn influences_are_of_the_machine() {
    let job = llama();
    let rows = ranked(&job, 100).rows;
    let found = influences(&PREDICTOR, &job, &rows, 0.2);
    assert!(found.iter().any(|influence| influence.key == "bf16"), "{found:?}");
    assert!(found.windows(2).all(|pair| pair[0].swing() >= pair[1].swing()));
    for influence in &found {
        let [less, more] = influence.changed;
        assert!(less.step >= rows[0].step && rows[0].step >= more.step, "{influence:?}");
        for changed in [less, more] {
            assert!(changed.best <= changed.step && changed.winner < rows.len());
        }
    }
}

#[test]
fn more_memory_is_worth_no_less() {
    let mut job = job("#1;m=llama3-70b;g=dgx-a100-40g;n=64;gb=256;tp=8;pp=8");
    job.model.layers = 80;
    let worth = worth_of_memory(&PREDICTOR, &job, FreeAxes::default(), Margin::Likely, &[0.0, 4.0, 40.0]);
    assert_eq!(worth.len(), 3);
    assert!(worth[0].step >= worth[1].step && worth[1].step > worth[2].step, "{worth:?}");
}

/// A study's points are the searches' winners, its costs those of their steps, and its goals the best of its points.
#[test]
fn studies_find_the_best_layout_at_each_point() {
    let job = llama();
    let found =
        study(&PREDICTOR, &job, FreeAxes::default(), Margin::Likely, Mode::Strong, &[16, 32, 64, 24, 12]);
    let gpus: Vec<u32> = found.points.iter().map(|point| point.gpus).collect();
    assert_eq!(
        (gpus.as_slice(), found.without_layout.as_slice()),
        ([16, 24, 32, 64].as_slice(), [12].as_slice())
    );
    for point in &found.points {
        let mut alone = job;
        alone.cluster.gpus = point.gpus;
        let best = ranked(&alone, 1);
        assert_eq!(best.first(Margin::Likely).map(|row| row.step), Some(point.layout.step));
        assert!(point.interval.low < point.layout.step && point.layout.step < point.interval.high);
        let hours = point.cost.time.0 / 3600.0 * f64::from(point.gpus);
        assert!((point.cost.gpu_hours / hours - 1.0).abs() < 1e-12);
    }
    let by = |goal| found.best(goal).expect("a point").gpus;
    assert_eq!(by(Goal::Fastest), 64);
    assert_eq!(by(Goal::Cheapest), by(Goal::FewestGpuHours), "one price");
    let all = found.points[1].cost.time;
    assert_eq!(by(Goal::Deadline(all)), 24);
    assert!(found.best(Goal::Deadline(Seconds(1.0))).is_none());
    let mut cheaper = job;
    cheaper.run.price /= 3.0;
    let other = study(&PREDICTOR, &cheaper, FreeAxes::default(), Margin::Likely, Mode::Strong, &[16, 32]);
    let both = [found.clone(), other];
    let of = |goal| best(&both, goal).map(|(of, point)| (of, point.gpus));
    assert_eq!((of(Goal::Fastest), of(Goal::Deadline(Seconds(1.0)))), (Some((0, 64)), None));
    assert_eq!(of(Goal::Cheapest).map(|found| found.0), Some(1));
    let weak = study(&PREDICTOR, &job, FreeAxes::default(), Margin::Likely, Mode::Weak, &[32, 64]);
    assert_eq!(weak.points.iter().map(|point| point.global_batch).collect::<Vec<_>>(), [128, 256]);
}

#[test]
fn what_is_largest_fits_and_twice_it_does_not() {
    let job = llama();
    for extent in [Extent::Context, Extent::Layers, Extent::MicroBatch] {
        let free = FreeAxes::default();
        let found = largest(&PREDICTOR, &job, free, Margin::Likely, extent).expect("something fits");
        assert!(!found.is_bound, "{extent:?}");
        let found = found.point.scenario;
        assert!(found.validate().is_ok());
        let peak = PREDICTOR.predict(&found).expect("possible").memory;
        assert!(peak.fit_probability >= LIKELY);
        let size = |job: &Scenario| match extent {
            Extent::Context => job.workload.sequence,
            Extent::Layers => job.model.layers,
            Extent::MicroBatch => job.plan.micro_batch,
        };
        assert!(size(&found) > size(&job), "{extent:?}");
        let (mut twice, mut free) = (found, free);
        match extent {
            Extent::Context => {
                twice.workload.sequence *= 2;
                twice.workload.global_batch = (twice.workload.global_batch / 2).max(1);
            }
            Extent::Layers => twice.model.layers *= 2,
            Extent::MicroBatch => {
                twice.plan.micro_batch *= 2;
                free = free.with("mb", false);
            }
        }
        let mut search = PREDICTOR.search(Space::new(&twice, free), Options::default());
        search.finish();
        assert_eq!(search.counts().comfortable, 0, "{extent:?}");
    }
}

#[test]
fn a_field_that_ends_the_search_for_the_largest_is_no_want_of_memory() {
    let link = "#1;m=llama3-8b;g=dgx-h100;n=8;gb=8;seq=1024;hidden=64;ffn=64;heads=1;kv=1;dh=64;tp=1;pp=1";
    let (small, free) = (job(link), FreeAxes::default());
    let found = largest(&PREDICTOR, &small, free, Margin::Likely, Extent::Layers).expect("it fits");
    assert!(found.is_bound, "{}", found.point.scenario.model.layers);
}

/// A deadline is met by the fewest whole nodes: one less misses it.
#[test]
fn a_deadline_is_met_to_the_node() {
    let job = llama();
    let coarse = study(&PREDICTOR, &job, FreeAxes::default(), Margin::Likely, Mode::Strong, &[16, 32, 64]);
    let [.., before, last] = coarse.points.as_slice() else { panic!("{coarse:?}") };
    let most = before.cost.time * 0.4 + last.cost.time * 0.6;
    let found = coarse.clone().refined(&PREDICTOR, &job, FreeAxes::default(), Margin::Likely, most);
    let best = found.best(Goal::Deadline(most)).expect("the last meets it");
    assert!(best.cost.time <= most && best.gpus < 64 && best.gpus > 32, "{}", best.gpus);
    let less = resized(&job, Mode::Strong, best.gpus - 8).expect("possible");
    let less = study(&PREDICTOR, &less, FreeAxes::default(), Margin::Likely, Mode::Strong, &[best.gpus - 8]);
    assert!(less.points.iter().all(|point| point.cost.time > most), "{less:?}");
    assert!(found.points.is_sorted_by_key(|point| point.gpus));
    let never = Seconds(1.0);
    assert_eq!(coarse.clone().refined(&PREDICTOR, &job, FreeAxes::default(), Margin::Likely, never), coarse);
}

/// Every layout that fits is counted once: timed where it is timed, left out with what is proven of it.
#[test]
fn histograms_count_every_layout_that_fits() {
    let job = llama();
    let counted = |options: Options| {
        let search = searched(&job, options);
        let bins = search.histogram().bins(999);
        let sum = |of: fn(&HistogramBin) -> usize| bins.iter().map(of).sum::<usize>();
        let counts = search.counts();
        assert_eq!(sum(|bin| bin.timed), counts.timed, "{options:?}");
        assert_eq!(sum(|bin| bin.timed + bin.left_out), counts.fitting, "{options:?}");
        (bins, search.best())
    };
    let every = Options { top: usize::MAX, bounded: false, ..Options::default() };
    let (whole, rows) = counted(every);
    for bin in &whole {
        let within = rows.iter().filter(|row| bin.from.0 <= row.step && row.step < bin.to.0).count();
        assert_eq!((bin.timed, bin.left_out), (within, 0), "{bin:?}");
    }
    for pareto in [false, true] {
        let (bounded, _) = counted(Options { top: 10, pareto, ..Options::default() });
        // A bound is no more than the step: never fewer layouts count below a time than lie there.
        for edge in whole.iter().map(|bin| bin.to) {
            let below = |bins: &[HistogramBin]| -> usize {
                bins.iter().filter(|bin| bin.to <= edge).map(|bin| bin.timed + bin.left_out).sum()
            };
            assert!(below(&bounded) >= below(&whole), "{edge:?}");
        }
    }
    let mut halves = Histogram::default();
    for part in 0..2 {
        let mut search = PREDICTOR.search(Space::new(&job, FreeAxes::default()), every);
        let blocks = search.blocks();
        search.take_on(blocks * part / 2..blocks * (part + 1) / 2, f64::INFINITY);
        search.finish();
        halves = halves.and(search.histogram());
    }
    assert_eq!(halves.bins(999), whole, "two workers count the same");
}

/// Fronts by their definition, over every layout on every number of GPUs.
#[test]
fn fronts_are_what_none_beats_in_both_amounts() {
    let jobs: Vec<Scenario> =
        [16, 32, 64].into_iter().filter_map(|gpus| resized(&llama(), Mode::Strong, gpus)).collect();
    let all: Vec<(Scenario, Candidate)> = jobs
        .iter()
        .flat_map(|job| {
            let every = Options { top: usize::MAX, unfit: 0, bounded: false, ..Options::default() };
            let mut search = searched(job, every);
            let rows = search.best();
            let rows: Vec<Candidate> = rows.iter().filter_map(|row| search.candidate(row)).collect();
            rows.into_iter().map(|row| (Scenario { plan: row.plan, ..*job }, row))
        })
        .collect();
    let pairs = [
        [Amount::Memory, Amount::Time],
        [Amount::Cost, Amount::Memory],
        [Amount::Cost, Amount::Time],
        [Amount::Gpus, Amount::Energy],
        [Amount::Carbon, Amount::Time],
    ];
    for amounts in pairs {
        let by_memory = amounts.contains(&Amount::Memory);
        let value = |point: &FrontPoint| amounts.map(|amount| amount.of(point));
        let points: Vec<[f64; 2]> = all
            .iter()
            .filter(|(_, row)| by_memory || row.is_comfortable(Margin::Likely))
            .map(|(scenario, layout)| {
                let cost = RunCost::of(scenario, layout.step);
                value(&FrontPoint { job: 0, scenario: *scenario, layout: *layout, cost })
            })
            .collect();
        let asked: Vec<_> = jobs.iter().map(|job| (PREDICTOR, *job)).collect();
        let found = pareto(&asked, FreeAxes::default(), Margin::Likely, amounts);
        let beats = |a: &[f64; 2], b: &[f64; 2]| {
            // Sums of one row may differ in their last digits by how they were added up.
            let no_more = |one: f64, other: f64| one <= other * (1.0 + 1e-9);
            let less = |one: f64, other: f64| one < other * (1.0 - 1e-9);
            no_more(a[0], b[0]) && no_more(a[1], b[1]) && (less(a[0], b[0]) || less(a[1], b[1]))
        };
        assert!(!found.is_empty());
        for point in &found {
            let own = value(point);
            assert!(!points.iter().any(|other| beats(other, &own)), "{amounts:?}: {own:?}");
        }
        // And all else is beaten, or equalled.
        for other in &points {
            let own = [other[0] * (1.0 + 1e-9), other[1] * (1.0 + 1e-9)];
            let covered = found.iter().any(|point| value(point)[0] <= own[0] && value(point)[1] <= own[1]);
            assert!(covered, "{amounts:?}: {other:?}");
        }
        let firsts: Vec<f64> = found.iter().map(|point| value(point)[0]).collect();
        assert!(firsts.is_sorted());
    }
}

/// A sampled search forecasts as many layouts as it is told, of the coarse grid only, and never finds a better one.
#[test]
fn a_sampled_search_finds_no_better() {
    let job = job("#1;m=gpt3-175b;g=dgx-a100-80g;n=512;seq=2048;gb=1536;tp=8;pp=8");
    let ranking = ranked(&job, 100);
    let best = ranking.first(Margin::Likely).expect("one fits");
    let space = Space::new(&job, FreeAxes::default());
    let mut last = f64::INFINITY;
    for most in [0, 10, 300, usize::MAX] {
        let found = sampled(&PREDICTOR, &space, most, Margin::Likely);
        assert!(found.forecast <= most && found.forecast < space.len() / 4, "{}", found.forecast);
        assert!(most == usize::MAX || found.forecast == most);
        let Some(row) = found.best else { continue };
        assert!(row.step.0 >= best.step.0 * (1.0 - 1e-9) && row.is_comfortable(Margin::Likely));
        assert!(row.plan.pipeline_parallel.is_power_of_two() && row.plan.zero == job.plan.zero);
        assert!(row.step.0 <= last, "more samples find no worse");
        last = row.step.0;
    }
    assert!(last.is_finite());
}
