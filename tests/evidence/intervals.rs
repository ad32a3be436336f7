//! 90 % intervals against public runs that no constant was fitted to.

use crate::data::{evidence, rows, run, runs};
use stepcast::forecast::Predictor;
use stepcast::validate::{MeasuredRun, interval_widths, left_out};

#[test]
fn the_table_of_widths_is_the_runs() {
    let Some(public) = rows("runs_hybrid.csv") else { return };
    let hybrids: Vec<MeasuredRun> = evidence("hybrid.tsv").iter().chain(&public).map(run).collect();
    let table = interval_widths(&Predictor::SHIPPED, &runs(), &hybrids);
    assert_eq!(table, include_str!("../../data/widths.tsv"), "`cargo xtask readme` writes it anew");
}

/// Publications that had no part in the widths lie in the intervals as often as those should hold.
#[test]
fn nine_of_ten_runs_left_out_are_held() {
    let found = left_out(&Predictor::SHIPPED, &runs(), false);
    println!("today {found:?}");
    assert!((0.88..=0.95).contains(&found.held) && found.score < 1.45, "{found:?}");
}
