//! Memory of published runs whose sources say how they trained: those ran, so they have to fit.

use crate::data;
use crate::data::Row;
use stepcast::memory::report;
use stepcast::validate::Stated;

#[test]
fn no_run_that_states_its_options_is_too_big() {
    let table = Stated::read(include_str!("../stated.tsv")).expect("columns and values");
    let mut too_big = Vec::new();
    let mut fitting = 0;
    for mut row in runs() {
        let id = row["id"].clone();
        let said: Vec<&Stated> = table.iter().filter(|stated| stated.is_of(&id)).collect();
        let says_nothing = said.is_empty();
        let says_all = said.iter().all(|stated| stated.leaves_out.is_empty());
        for (column, value) in said.iter().flat_map(|stated| &stated.options) {
            row.insert(column.clone(), value.clone());
        }
        let run = data::run(&row);
        // What had to be assumed for it to fit is not what is stated.
        let made_to_fit = run.assumed.iter().any(|said| said.ends_with("as it would not fit otherwise"));
        let scenario = match run.scenario {
            Ok(scenario) => scenario,
            // A GPU that is not in the table, or a step that no form takes; what is stated has to be read.
            Err(reason) => {
                assert!(says_nothing || !reason.starts_with("column"), "{id}: {reason}");
                continue;
            }
        };
        let memory = report(&scenario);
        if memory.fits && !made_to_fit {
            fitting += 1;
        } else if says_all {
            too_big.push(format!("{id}: {:.1} of {:.1} GiB", memory.peak_gib, memory.usable_gib));
        }
    }
    assert!(too_big.is_empty(), "{too_big:#?}");
    assert!(fitting > if data::path("runs.csv").is_some() { 2200 } else { 450 }, "{fitting}");
}

/// Runs of this repository's files, and of that beside it where there is one.
fn runs() -> Vec<Row> {
    // Of the large file, those that say what they recompute.
    let mut runs = data::rows("runs.csv").unwrap_or_default();
    runs.retain(|row| !row["recompute"].is_empty());
    runs.extend(data::rows("runs_everyday.csv").unwrap_or_default());
    for file in [include_str!("../unseen.csv")].into_iter().chain(data::LOOKS) {
        let mut reader = csv::Reader::from_reader(file.as_bytes());
        runs.extend(reader.deserialize::<Row>().map(|row| row.expect("a well-formed row")));
    }
    runs
}
