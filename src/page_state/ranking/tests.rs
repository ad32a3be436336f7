//! The table, with made-up rows.

use super::*;
use crate::document::Document;
use crate::scenario::plan::Zero;
use crate::tables::FileKind;
use crate::units::Bytes;

/// A layout with that tensor-parallel degree and step time.
pub(crate) fn candidate(tensor_parallel: u32, step_s: f64, fits: bool) -> Candidate {
    Candidate {
        plan: Plan {
            tensor_parallel,
            sequence_parallel: tensor_parallel > 1,
            pipeline_parallel: 2,
            zero: Zero::Optimizer,
            ..Plan::PLAIN
        },
        number: tensor_parallel as usize,
        data_parallel: 4,
        micro_batches: 8,
        step: Seconds(step_s),
        mfu: 0.4 / step_s,
        tokens_per_s_per_gpu: 1000.0 / step_s,
        communication_share: 0.1,
        bubble_share: 0.05,
        peak_memory: Bytes::from_gib(if fits { 60.0 } else { 100.0 }),
        reserved_memory: Bytes::from_gib(if fits { 65.0 } else { 109.0 }),
        fit_probability: if fits { 0.7 } else { 0.0 },
        room: if fits { 0.2 } else { -0.3 },
        fits,
    }
}

/// As a search tells them: the fastest first, then those that do not fit.
fn rows() -> Vec<Candidate> {
    vec![candidate(2, 1.0, true), candidate(8, 2.0, true), candidate(1, 3.0, true), candidate(4, 0.5, false)]
}

fn job() -> Scenario {
    Document::default().scenario().expect("possible")
}

fn column(key: &str) -> RankingColumn {
    RankingColumn::from_key(key).expect("a column")
}

fn arranged(query: &RankingQuery, rows: &[Candidate]) -> Vec<usize> {
    query.arrange(rows, &job()).iter().map(|place| place.row).collect()
}

#[test]
fn the_fastest_that_fits_comes_first_and_what_does_not_fit_last() {
    assert_eq!(arranged(&RankingQuery::default(), &rows()), [0, 1, 2]);
    let all = RankingQuery { infeasible: true, ..RankingQuery::default() };
    assert_eq!(arranged(&all, &rows()), [0, 1, 2, 3]);
    let by_memory = RankingQuery { sort: vec![(RankingColumn::MEMORY, true)], ..all };
    assert_eq!(arranged(&by_memory, &rows()), [0, 1, 2, 3], "equal ones as they came");
    let unfit =
        RankingQuery { filters: vec![Filter::parse("!fits").expect("legal")], ..RankingQuery::default() };
    assert_eq!(arranged(&unfit, &rows()), [3]);
}

#[test]
fn several_columns_sort_one_after_the_other() {
    let mut rows = rows();
    rows[2].plan.pipeline_parallel = 4;
    let sort = vec![(column("pp"), true), (column("tp"), false)];
    assert_eq!(arranged(&RankingQuery { sort, ..RankingQuery::default() }, &rows), [2, 0, 1]);
    rows[0].bubble_share = f64::NAN;
    for descending in [false, true] {
        let sort = vec![(column("bubble"), descending)];
        assert_eq!(
            arranged(&RankingQuery { sort, ..RankingQuery::default() }, &rows),
            [1, 2, 0],
            "unknown ones last"
        );
    }
}

#[test]
fn every_filter_must_keep_a_row() {
    let filters = ["tp>=2", "step<2"].map(|text| Filter::parse(text).expect("legal")).to_vec();
    assert_eq!(arranged(&RankingQuery { filters, ..RankingQuery::default() }, &rows()), [0]);
}

#[test]
fn variants_stand_under_the_first() {
    let mut rows: Vec<Candidate> = [(2, 1.0), (4, 1.001), (2, 1.0), (2, 1.01), (2, 1.5)]
        .map(|(tp, step)| candidate(tp, step, true))
        .into();
    rows[0].plan.virtual_stages = 4;
    rows[3].plan.zero = Zero::Gradients;
    for (number, row) in rows.iter_mut().enumerate() {
        row.number = number;
    }
    let folded = RankingQuery::default().arrange(&rows, &job());
    let place = |row, rank, alike, beneath| ShownRow { row, rank, alike, beneath };
    assert_eq!(folded, [place(2, 1, 2, false), place(1, 2, 0, false), place(4, 5, 0, false)]);
    let unfolded = RankingQuery { unfolded: vec![2], ..RankingQuery::default() }.arrange(&rows, &job());
    let beneath = [place(2, 1, 2, false), place(0, 3, 0, true), place(3, 4, 0, true), place(1, 2, 0, false)];
    assert_eq!(unfolded[..4], beneath);
    rows[3].fit_probability = 0.4;
    assert_eq!(RankingQuery::default().arrange(&rows, &job()).len(), 4, "a tight one stands for itself");
    let roomy = RankingQuery { margin: Margin::Share(0.0), ..RankingQuery::default() };
    assert_eq!(roomy.arrange(&rows, &job()).len(), 3);
}

#[test]
fn a_plan_knows_its_place() {
    let mut rows = rows();
    let standing_of = |rows: &[Candidate], plan: &Plan, step| standing(rows, plan, step, Margin::Share(0.1));
    let eight = candidate(8, 2.0, true).plan;
    let standing = standing_of(&rows, &eight, 2.0).expect("rows that fit");
    assert_eq!((standing.place, standing.best.number), (Some(2), 2));
    assert!((standing.slower - 1.0).abs() < 1e-12);
    let said = |standing, room| verdict(&standing, Seconds(2.0), room, Margin::Share(0.1));
    let text = said(standing, Room::Comfortable);
    assert!(text.contains("100.0\u{a0}% slower") && text.ends_with("rank 2."), "{text}");
    assert!(said(standing, Room::Unfit).ends_with("does not fit in memory."));
    // The fastest leaves too little free.
    rows[0].room = 0.05;
    assert_eq!(Room::of(&rows[0], Margin::Share(0.1)), Room::Tight);
    let standing = standing_of(&rows, &eight, 2.0).expect("rows that fit");
    assert_eq!(standing.best.number, 8);
    assert!(said(standing, Room::Comfortable).contains("this is the fastest"));
    let other = Plan { micro_batch: 7, ..eight };
    assert_eq!(standing_of(&rows, &other, 2.0).expect("rows that fit").place, None);
    assert_eq!(standing_of(&[candidate(4, 0.5, false)], &other, 2.0), None);
}

#[test]
fn files_have_one_entry_per_row_and_no_grouping() {
    let places = RankingQuery::default().arrange(&[candidate(2, 0.01, true)], &job());
    let file = |kind| {
        to_table(&crate::forecast::Predictor::SHIPPED, &[candidate(2, 0.01, true)], &places, &job())
            .written(kind)
    };
    let csv = file(FileKind::Csv);
    let lines: Vec<_> = csv.lines().collect();
    assert_eq!(lines.len(), 2);
    assert!(lines[0].starts_with("step_s,mfu_percent,mem_gib,room_percent,tp,"), "{}", lines[0]);
    assert_eq!(lines[0].split(',').count(), lines[1].split(',').count());
    let cells: Vec<f64> = lines[1].split(',').filter_map(|cell| cell.parse().ok()).collect();
    let [.., low, high, fits] = cells.as_slice() else { panic!("{}", lines[1]) };
    assert!(*low < 0.01 && 0.01 < *high && *fits == 1.0, "{}", lines[1]);
    assert!(lines[1].starts_with("0.01000,4000.0,60.0,20.0,2,"), "{}", lines[1]);
    let json = file(FileKind::Json);
    assert!(json.starts_with("[\n{\"step_s\":0.01000,\"mfu_percent\":4000.0,"), "{json}");
    assert!(json.contains("\"sched\":\"1f1b\",") && json.ends_with("\"fits\":1}\n]\n"), "{json}");
}
