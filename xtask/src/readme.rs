//! Tables and the picture in the documents: errors of forecasts in README.md and docs/accuracy.md, as `stepcast validate`
//! prints them, errors of learned operators in docs/learned.md, and a picture of the page.

use crate::data;
use crate::project::{Project, Result, output};
use std::process::Command;

/// The measured runs, next to the repository.
pub(crate) const RUNS: &str = "../shared/data/runs.csv";

/// The samples of operators, and the document that shows how well they are learned.
const SAMPLES: &str = "../shared/data/samples";
const LEARNED: &str = "docs/learned.md";
/// The measured memory peaks.
const PEAKS: &str = "../shared/data/memory.csv";

/// Both as the page carries them.
const CARRIED: &str = "static/runs.tsv";

/// What the runs have tried, field by field.
const TRIED: &str = "data/tried.tsv";

/// What evidence public runs are.
const EVIDENCE: &str = "data/evidence.tsv";

/// Half-widths of intervals by class of job.
const WIDTHS: &str = "data/widths.tsv";

/// How far measured memory peaks are from their forecasts, and the peaks.
const PEAK_ERRORS: &str = "data/peak_errors.tsv";
const PUBLIC_PEAKS: &str = "evidence/peaks.tsv";

/// The document with all tables of errors, and the one with the errors by class of job.
const ACCURACY: &str = "docs/accuracy.md";
const README: &str = "README.md";

/// Public runs that no constant was fitted to, and the sets that they came in.
pub(crate) const UNFITTED: &str = "evidence/runs.tsv";
const LOOKS: &str = "evidence/looks.tsv";

/// The same of models with other mixers than attention.
const HYBRIDS: [&str; 2] = ["evidence/hybrid.tsv", "../shared/data/runs_hybrid.csv"];

/// The document with the table of those sets.
const BLIND_TESTS: &str = "docs/blind-tests.md";

/// The picture that the end-to-end tests take, and where README.md shows it.
const TAKEN: &str = "tests/e2e/output/light-1440.png";
const SHOWN: &str = "docs/screenshot.png";

/// Writes the tables of the present predictor, the last picture of the page, and the runs that the page reads.
pub(crate) fn update(project: &Project) -> Result {
    if !project.root.join(RUNS).is_file() {
        return Err(format!("there are no runs at {RUNS}"));
    }
    // Intervals first: what the other tables hold follows from them.
    project.write(WIDTHS, widths(project)?)?;
    project.write(PEAK_ERRORS, peak_errors(project)?)?;
    data::update(project)?;
    for (path, text) in documents(project)? {
        project.write(path, text)?;
    }
    let fit = ["run", "--quiet", "--release", "--bin", "stepcast", "--", "operators", "fit", SAMPLES];
    let learned = output(&mut project.cargo(&fit))?;
    project.write(LEARNED, replace(&project.read(LEARNED)?, "operators", &means(&learned))?)?;
    project.write(CARRIED, carried(project)?)?;
    project.write(TRIED, tried(project)?)?;
    project.write(EVIDENCE, evidence(project)?)?;
    data::update(project)?;
    match std::fs::read(project.root.join(TAKEN)) {
        Ok(picture) => project.write(SHOWN, picture),
        Err(_) => {
            println!("{SHOWN} stays as it is: `cargo xtask test e2e` takes a new one");
            Ok(())
        }
    }
}

/// Fails if a document has another table than the present predictor's, or the page has other runs.
/// Without the runs there is nothing to compare.
pub(crate) fn check(project: &Project) -> Result {
    if !project.root.join(RUNS).is_file() {
        println!("skipped: there are no runs at {RUNS}");
        return Ok(());
    }
    if peak_errors(project)? != project.read(PEAK_ERRORS)? {
        return Err(format!("{PEAK_ERRORS} is stale: run `cargo xtask readme`"));
    }
    if widths(project)? != project.read(WIDTHS)? {
        return Err(format!("{WIDTHS} is stale: run `cargo xtask readme`"));
    }
    for (path, text) in documents(project)? {
        if text != project.read(path)? {
            return Err(format!("a table in {path} is stale: run `cargo xtask readme`"));
        }
    }
    if carried(project)? != project.read(CARRIED)? {
        return Err(format!("{CARRIED} is stale: run `cargo xtask readme`"));
    }
    if tried(project)? != project.read(TRIED)? {
        return Err(format!("{TRIED} is stale: run `cargo xtask readme`"));
    }
    if evidence(project)? != project.read(EVIDENCE)? {
        return Err(format!("{EVIDENCE} is stale: run `cargo xtask readme`"));
    }
    Ok(())
}

/// What evidence public runs are.
fn evidence(project: &Project) -> Result<String> {
    let arguments = ["run", "--quiet", "--bin", "stepcast", "--", "validate", RUNS, "--evidence"];
    output(project.cargo(&arguments).arg(UNFITTED).args(HYBRIDS))
}

/// How wide intervals are by class of job.
fn widths(project: &Project) -> Result<String> {
    let [own, public] = HYBRIDS;
    output(&mut by_class(project, &[own, public, "--interval-widths"]))
}

/// How far measured memory peaks are from their forecasts.
fn peak_errors(project: &Project) -> Result<String> {
    let arguments =
        ["run", "--quiet", "--bin", "stepcast", "--", "validate", "--memory", PUBLIC_PEAKS, "--peak-errors"];
    output(&mut project.cargo(&arguments))
}

/// The command that reads all runs that nothing was fitted to, by class.
fn by_class(project: &Project, more: &[&str]) -> Command {
    let mut command = project.cargo(&["run", "--quiet", "--bin", "stepcast", "--", "validate", UNFITTED]);
    command.arg("--by-class").args(more);
    command
}

/// The table of looks.
fn looks(project: &Project) -> Result<String> {
    let arguments = ["run", "--quiet", "--bin", "stepcast", "--", "validate", UNFITTED, "--by-look"];
    with_records(&output(&mut project.cargo(&arguments))?, &project.read(LOOKS)?)
}

/// The printed table of errors with what is recorded of each look: its date, second, and its scope, last.
fn with_records(printed: &str, recorded: &str) -> Result<String> {
    let mut table = String::new();
    for line in printed.lines() {
        let mut cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        let name = cells.first().copied().unwrap_or_default();
        let (date, scope) = match name {
            "look" => ("first look", "scope"),
            "---" => ("---", "---"),
            name => {
                let entry = recorded.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix('\t'));
                let entry: Vec<&str> = entry.unwrap_or_default().split('\t').collect();
                let [_, date, .., scope] = entry.as_slice() else {
                    return Err(format!("{LOOKS} has no look {name}"));
                };
                (*date, *scope)
            }
        };
        cells.insert(1, date);
        cells.push(scope);
        table.push_str(&format!("| {} |\n", cells.join(" | ")));
    }
    Ok(table)
}

/// The documents with errors of forecasts: by class of job; widths of intervals, and the errors of the runs that constants were fitted
/// to; and blind tests.
fn documents(project: &Project) -> Result<[(&'static str, String); 3]> {
    let table = output(&mut by_class(project, &[]))?;
    let (classes, widths) = table.split_once("\n\n").ok_or("one table by class where two were expected")?;
    let fitted =
        output(&mut project.cargo(&["run", "--quiet", "--bin", "stepcast", "--", "validate", RUNS]))?;
    let readme = replace(&project.read(README)?, "classes", classes)?;
    let accuracy = replace(&project.read(ACCURACY)?, "widths", widths)?;
    let accuracy = replace(&accuracy, "validate", &fitted)?;
    let looks = between(&project.read(BLIND_TESTS)?, "looks", &looks(project)?)?;
    Ok([(README, readme), (ACCURACY, accuracy), (BLIND_TESTS, looks)])
}

/// The head of a table of operators and its rows of means.
fn means(table: &str) -> String {
    let kept = table.lines().enumerate().filter(|(index, row)| *index < 2 || row.contains("| mean of "));
    kept.map(|(_, row)| row).collect::<Vec<_>>().join("\n")
}

/// What the measured runs have tried.
fn tried(project: &Project) -> Result<String> {
    output(&mut project.cargo(&["run", "--quiet", "--bin", "stepcast", "--", "validate", RUNS, "--tried"]))
}

/// The measured runs and peaks as the page carries them.
fn carried(project: &Project) -> Result<String> {
    let arguments = ["validate", RUNS, "--memory", PEAKS, "--links"];
    output(project.cargo(&["run", "--quiet", "--bin", "stepcast", "--"]).args(arguments))
}

/// The document with everything between a command's markers replaced by what it printed.
fn replace(document: &str, command: &str, printed: &str) -> Result<String> {
    between(document, command, &format!("```text\n{}\n```", printed.trim_end()))
}

/// The document with everything between a command's markers replaced by Markdown.
pub(crate) fn between(document: &str, command: &str, printed: &str) -> Result<String> {
    let [begin, end] = ["begin", "end"].map(|place| format!("<!-- {command}:{place} -->"));
    let missing = || format!("there is no {begin} ... {end}");
    let (before, rest) = document.split_once(&begin).ok_or_else(missing)?;
    let (_, after) = rest.split_once(&end).ok_or_else(missing)?;
    let printed = printed.trim_end();
    Ok(format!("{before}{begin}\n{printed}\n{end}{after}"))
}

#[cfg(test)]
mod tests {
    use super::{means, replace, with_records};

    #[test]
    fn what_is_printed_stands_between_the_markers() {
        let document = "a\n<!-- fit:begin -->\nold\n<!-- fit:end -->\nb\n";
        let replaced = replace(document, "fit", "new\n").expect("has markers");
        assert_eq!(replaced, "a\n<!-- fit:begin -->\n```text\nnew\n```\n<!-- fit:end -->\nb\n");
        assert_eq!(replace(&replaced, "fit", "new\n").expect("has markers"), replaced);
    }

    #[test]
    fn of_a_table_of_operators_the_means_remain() {
        let table = "| machine | operator |\n|---|---|\n| a | gelu |\n| a | mean of 1 healthy operators |\n";
        assert_eq!(means(table), "| machine | operator |\n|---|---|\n| a | mean of 1 healthy operators |");
    }

    #[test]
    fn looks_have_their_dates_and_scopes() {
        let recorded =
            "# sets\nlook\tfile\tdate\tscope\nsix\truns.tsv\t2026-11-23\tthree kinds\nsixth\tx\ty\tz\n";
        let printed = "| look | runs |\n|---|--:|\n| six   |   9 |\n";
        let table = "| look | first look | runs | scope |\n| --- | --- | --: | --- |\n| six | 2026-11-23 | 9 | three kinds |\n";
        assert_eq!(with_records(printed, recorded).as_deref(), Ok(table));
        assert!(with_records("| seven | 9 |", recorded).is_err());
    }

    #[test]
    fn markers_are_required() {
        assert!(replace("no markers", "fit", "table").is_err());
    }
}
