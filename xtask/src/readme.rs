//! What README.md shows of the present state: the table that `stepcast validate` prints, verbatim, and a
//! picture of the page.

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
const PUBLIC_PEAKS: &str = "tests/peaks.csv";

/// The document that says how good forecasts are by class of job, with what sources state in words.
const ACCURACY: &str = "docs/accuracy.md";

/// Public runs that no constant was fitted to.
pub(crate) const UNFITTED: [&str; 15] = [
    "../shared/data/runs_everyday.csv",
    "tests/unseen.csv",
    "tests/fresh.csv",
    "tests/second.csv",
    "tests/third.csv",
    "tests/fourth.csv",
    "tests/fifth.csv",
    "tests/sixth.csv",
    "tests/seventh.csv",
    "tests/eighth.csv",
    "tests/ninth.csv",
    "tests/tenth.csv",
    "tests/eleventh.csv",
    "tests/twelfth.csv",
    "tests/thirteenth.csv",
];
/// Statements of the sources of runs.
pub(crate) const STATED: &str = "tests/stated.tsv";

/// The picture that the end-to-end tests take, and where README.md shows it.
const TAKEN: &str = "tests/e2e/output/light-1440.png";
const SHOWN: &str = "docs/screenshot.png";

/// Puts the table of the present predictor, and the last picture of the page, into README.md, and the runs where
/// the page finds them.
pub(crate) fn update(project: &Project) -> Result {
    if !project.root.join(RUNS).is_file() {
        return Err(format!("there are no runs at {RUNS}"));
    }
    // Intervals first: what the other tables hold follows from them.
    project.write(WIDTHS, widths(project)?)?;
    project.write(PEAK_ERRORS, peak_errors(project)?)?;
    data::update(project)?;
    project.write("README.md", current(project)?)?;
    project.write(ACCURACY, classes(project)?)?;
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

/// Fails when README.md shows another table than the present predictor's, or the page carries other runs.
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
    if current(project)? != project.read("README.md")? {
        return Err("the validation table in README.md is stale: run `cargo xtask readme`".to_owned());
    }
    if classes(project)? != project.read(ACCURACY)? {
        return Err(format!("the table of classes in {ACCURACY} is stale: run `cargo xtask readme`"));
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
    output(project.cargo(&arguments).args(UNFITTED))
}

/// How wide intervals are by class of job.
fn widths(project: &Project) -> Result<String> {
    output(&mut by_class(project, &["--interval-widths"]))
}

/// How far measured memory peaks are from their forecasts.
fn peak_errors(project: &Project) -> Result<String> {
    let arguments =
        ["run", "--quiet", "--bin", "stepcast", "--", "validate", "--memory", PUBLIC_PEAKS, "--peak-errors"];
    output(&mut project.cargo(&arguments))
}

/// The command that reads all runs that nothing was fitted to, by class.
fn by_class(project: &Project, more: &[&str]) -> Command {
    let [first, others @ ..] = UNFITTED;
    let mut command = project.cargo(&["run", "--quiet", "--bin", "stepcast", "--", "validate", first]);
    command.args(["--stated", STATED]).args(more).arg("--by-class").args(others);
    command
}

/// How good forecasts are by class of job, and how wide their intervals are by class and by utilisation.
fn classes(project: &Project) -> Result<String> {
    let table = output(&mut by_class(project, &[]))?;
    let (classes, widths) = table.split_once("\n\n").ok_or("one table by class where two were expected")?;
    let document = replace(&project.read(ACCURACY)?, "classes", &format!("{classes}\n"))?;
    replace(&document, "widths", widths)
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

fn current(project: &Project) -> Result<String> {
    let table = output(&mut project.cargo(&["run", "--quiet", "--bin", "stepcast", "--", "validate", RUNS]))?;
    replace(&project.read("README.md")?, "validate", &table)
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
    use super::{means, replace};

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
    fn markers_are_required() {
        assert!(replace("no markers", "fit", "table").is_err());
    }
}
