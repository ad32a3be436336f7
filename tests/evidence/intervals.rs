//! 90 % intervals against public runs that no constant was fitted to.

use crate::data::{self, Row};
use stepcast::forecast::Predictor;
use stepcast::validate::{MeasuredRun, Stated, interval_widths, left_out};

/// Every such run, read with what its source states.
fn runs() -> Option<Vec<MeasuredRun>> {
    let stated = Stated::read(include_str!("../stated.tsv")).expect("columns and values");
    let mut rows = data::rows("runs_everyday.csv")?;
    for file in [include_str!("../unseen.csv")].into_iter().chain(data::LOOKS) {
        let mut reader = csv::Reader::from_reader(file.as_bytes());
        rows.extend(reader.deserialize::<Row>().map(|row| row.expect("a well-formed row")));
    }
    let read = |mut row: Row| {
        let id = row["id"].clone();
        for (column, value) in stated.iter().filter(|entry| entry.is_of(&id)).flat_map(|entry| &entry.options)
        {
            row.insert(column.clone(), value.clone());
        }
        data::run(&row)
    };
    Some(rows.into_iter().map(read).collect())
}

#[test]
fn the_table_of_widths_is_the_runs() {
    let Some(runs) = runs() else { return };
    let table = interval_widths(&Predictor::SHIPPED, &runs);
    assert_eq!(table, include_str!("../../data/widths.tsv"), "`cargo xtask readme` writes it anew");
}

/// Publications that had no part in the widths lie in the intervals as often as those should hold.
#[test]
fn nine_of_ten_runs_left_out_are_held() {
    let Some(runs) = runs() else { return };
    let found = left_out(&Predictor::SHIPPED, &runs, false);
    println!("today {found:?}");
    assert!((0.88..=0.95).contains(&found.held) && found.score < 1.45, "{found:?}");
}
