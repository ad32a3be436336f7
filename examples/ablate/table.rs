//! The tables as Markdown.

use super::Worth;
use super::cases::{CONSTANTS, Case, STACKS};
use super::runs::Names;
use std::fmt::Write as _;

/// Names that a row serves that needs no further reason.
const SERVED: usize = 3;

/// What a row that serves fewer has to be worth on names that it was not chosen on.
const LEAST: f64 = 0.001;

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
            "\n### {table}\n\n| without | instead | runs | names | chosen on | memory | all names | not chosen on | rule |\n|---|---|--:|--:|--:|--:|--:|--:|---|\n"
        );
        for worth in rows {
            let _ = writeln!(
                out,
                "| {} | {} | {} | {} | {} | {} | {} | {} | {} |",
                worth.case.name,
                worth.case.instead,
                worth.runs,
                worth.names,
                worth.chosen,
                worth.memory,
                points(worth.all),
                points(worth.unchosen),
                verdict(worth),
            );
        }
        let kept = kept.iter().filter(|case| case.table == table).count();
        let _ = write!(out, "\nNothing stands for {kept} more.\n");
    }
    out
}

fn verdict(worth: &Worth<'_>) -> &'static str {
    match (worth.names >= SERVED || worth.unchosen >= LEAST, worth.memory >= SERVED) {
        (true, _) => "stays",
        (false, true) => "memory",
        (false, false) => "goes",
    }
}

/// Points of percent; a difference too small to show is none.
fn points(difference: f64) -> String {
    let text = format!("{:+.3}", 100.0 * difference);
    if ["+0.000", "-0.000"].contains(&text.as_str()) { "0".to_owned() } else { text }
}
