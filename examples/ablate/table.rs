//! The tables as Markdown.

use super::Worth;
use super::cases::{CONSTANTS, Case, STACKS};
use super::runs::Names;
use std::fmt::Write as _;

/// Names that a row serves that needs no further reason.
const SERVED: usize = 3;

/// What a row that serves fewer has to be worth on names that it was not chosen on.
const LEAST: f64 = 0.001;

/// What it has to be worth on names that constants are fitted to, or in a group of benchmarks, if it serves fewer.
const LEAST_OF_FITS: f64 = 0.003;

/// Keys that only the search and the rule of thumb read.
const SEARCHED: [&str; 2] = ["shards_parameters", "selective_recompute"];

/// Runs that it has to move, and what it has to be worth on them, if it serves fewer.
const MOVED_RUNS: usize = 10;
const LEAST_OF_MOVED: f64 = 0.05;

/// Both tables, the most valuable first, and what has no neutral value.
pub(crate) fn document(names: &Names, worths: &[Worth<'_>], kept: &[Case]) -> String {
    let runs = names.errors.len();
    let mean = 100.0 * Names::mean(&names.errors, &|_| true);
    let mut out = format!("Mean over {runs} names of their median error: {mean:.2} %.\n");
    for table in [STACKS, CONSTANTS] {
        let mut rows: Vec<&Worth<'_>> = worths.iter().filter(|worth| worth.case.table == table).collect();
        rows.sort_by(|a, b| b.unchosen.total_cmp(&a.unchosen));
        let _ = write!(
            out,
            "\n### {table}\n\n| without | instead | runs | names | chosen on | memory | not chosen on | fitted | benchmarks | rule |\n|---|---|--:|--:|--:|--:|--:|--:|--:|---|\n"
        );
        for worth in rows {
            let _ = writeln!(
                out,
                "| {} | {} | {} | {} | {} | {} | {} | {} | {} | {} |",
                worth.case.name,
                worth.case.instead,
                worth.runs,
                worth.names,
                worth.chosen,
                worth.memory,
                points(worth.unchosen),
                points(worth.fitted),
                points(worth.benchmarks),
                verdict(worth),
            );
        }
        let kept = kept.iter().filter(|case| case.table == table).count();
        let _ = write!(out, "\nNothing stands for {kept} more.\n");
    }
    out
}

/// What a row stays for; it goes if for nothing.
fn verdict(worth: &Worth<'_>) -> &'static str {
    let reasons = [
        (worth.names >= SERVED || worth.unchosen >= LEAST, "stays"),
        (worth.memory >= SERVED || worth.names == 0 && worth.memory > 0, "memory"),
        (worth.fitted >= LEAST_OF_FITS, "fit"),
        (worth.runs >= MOVED_RUNS && worth.moved >= LEAST_OF_MOVED, "runs"),
        (worth.benchmarks >= LEAST_OF_FITS, "benchmark"),
        (worth.case.key == "kind", "kind"),
        (SEARCHED.contains(&worth.case.key.as_str()), "search"),
        (worth.case.is_neutral(), "calibration"),
    ];
    reasons.iter().find(|reason| reason.0).map_or("goes", |reason| reason.1)
}

/// Points of percent; a difference too small to show is none.
fn points(difference: f64) -> String {
    let text = format!("{:+.3}", 100.0 * difference);
    if ["+0.000", "-0.000"].contains(&text.as_str()) { "0".to_owned() } else { text }
}
