//! What is told of a search: which layout to take, why it wins, what would change it, and on how many GPUs it pays.

use stepcast::constants::Constants;
use stepcast::document::Document;
use stepcast::forecast::{Difference, Predictor};
use stepcast::scaling::Mode;
use stepcast::scenario::Scenario;
use stepcast::scenario::plan::{Plan, Schedule};
use stepcast::tuner::{
    CONVENIENCE, Candidate, Extent, Free, Goal, MEMORY_MARGIN, Options, Ranking, Search, Space, are_alike,
    compare, complexity, families, first, influences, largest, study, worth_of_memory,
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
    let mut search = PREDICTOR.search(Space::new(job, Free::default()), options);
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
            let chosen = predictor.recommended(&job, &ranking.rows, MEMORY_MARGIN).expect("a layout");
            let comfortable = |row: &&Candidate| row.is_comfortable(MEMORY_MARGIN);
            let usual = |row: &&Candidate| row.plan.schedule == Schedule::OneForwardOneBackward;
            let best = ranking.rows.iter().find(comfortable).expect("a comfortable layout");
            let plain = ranking.rows.iter().filter(comfortable).find(usual).expect("one under 1F1B");
            let best = if predictor.are_tied(&job, best, plain) { plain } else { best };
            assert!(chosen.is_comfortable(MEMORY_MARGIN));
            assert!(chosen.step.0 <= best.step.0 * (1.0 + CONVENIENCE));
            let near = |row: &&Candidate| row.step.0 <= best.step.0 * (1.0 + CONVENIENCE);
            for row in ranking.rows.iter().filter(comfortable).filter(near) {
                assert!(complexity(&chosen.plan) <= complexity(&row.plan), "{chosen:?} and {row:?}");
            }
        }
    }
}

#[test]
fn where_nothing_is_comfortable_what_fits_is_recommended() {
    let ranking = ranked(&llama(), 50);
    let margin = ranking.rows.iter().map(|row| row.room).fold(0.0, f64::max) + 0.01;
    let chosen = PREDICTOR.recommended(&llama(), &ranking.rows, margin).expect("a layout");
    assert!(chosen.step.0 <= ranking.rows[0].step.0 * (1.0 + CONVENIENCE));
    assert_eq!(first(&ranking.rows, margin), ranking.rows.first());
    let unfit = [Candidate { fits: false, room: -0.1, ..ranking.rows[0] }];
    assert_eq!((first(&unfit, 0.05), PREDICTOR.recommended(&llama(), &unfit, 0.05)), (None, None));
}

/// Families cover every row once, and hold what comes out alike.
#[test]
fn families_cover_the_rows() {
    let rows = ranked(&llama(), 1000).rows;
    let families = families(&rows, MEMORY_MARGIN);
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
            assert!(are_alike(head, other, MEMORY_MARGIN) && are_alike(other, head, MEMORY_MARGIN));
            let ratio = other.step / head.step;
            assert!((1.0 - 1e-6..=1.0 + 1.01 * CONVENIENCE).contains(&ratio), "{ratio}");
            assert!(
                ratio > 1.0 + 1e-6 || complexity(&head.plan) <= complexity(&other.plan),
                "the simplest of equals"
            );
            let Plan { virtual_stages, stage_split, zero, .. } = head.plan;
            assert_eq!(Plan { virtual_stages, stage_split, zero, ..other.plan }, head.plan);
            assert_eq!(head.is_comfortable(MEMORY_MARGIN), other.is_comfortable(MEMORY_MARGIN));
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
    let worth = worth_of_memory(&PREDICTOR, &job, Free::default(), MEMORY_MARGIN, &[0.0, 4.0, 40.0]);
    assert_eq!(worth.len(), 3);
    assert!(worth[0].step >= worth[1].step && worth[1].step > worth[2].step, "{worth:?}");
}

/// A study's points are the searches' winners, its costs those of their steps, and its goals the best of its points.
#[test]
fn studies_find_the_best_layout_at_each_point() {
    let job = llama();
    let found = study(&PREDICTOR, &job, Free::default(), MEMORY_MARGIN, Mode::Strong, &[16, 32, 64, 24, 12]);
    let gpus: Vec<u32> = found.points.iter().map(|point| point.gpus).collect();
    assert_eq!(
        (gpus.as_slice(), found.without_layout.as_slice()),
        ([16, 24, 32, 64].as_slice(), [12].as_slice())
    );
    for point in &found.points {
        let mut alone = job;
        alone.cluster.gpus = point.gpus;
        let best = ranked(&alone, 1);
        assert_eq!(best.first(MEMORY_MARGIN).map(|row| row.step), Some(point.layout.step));
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
    let weak = study(&PREDICTOR, &job, Free::default(), MEMORY_MARGIN, Mode::Weak, &[32, 64]);
    assert_eq!(weak.points.iter().map(|point| point.global_batch).collect::<Vec<_>>(), [128, 256]);
}

#[test]
fn what_is_largest_fits_and_twice_it_does_not() {
    let job = llama();
    for extent in [Extent::Context, Extent::Layers] {
        let found =
            largest(&PREDICTOR, &job, Free::default(), MEMORY_MARGIN, extent).expect("something fits");
        assert!(found.validate().is_ok());
        let peak = PREDICTOR.predict(&found).expect("possible").memory;
        assert!(peak.peak_gib <= peak.usable_gib * (1.0 - MEMORY_MARGIN));
        let size = |job: &Scenario| match extent {
            Extent::Context => job.workload.sequence,
            Extent::Layers => job.model.layers,
        };
        assert!(size(&found) > size(&job), "{extent:?}");
    }
}
