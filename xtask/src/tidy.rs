//! House rules that no other tool checks.

use crate::project::{Project, Result, output};
use crate::type_names::TypeNames;
use crate::{data, functions, glossary, rooms, words};
use std::path::Path;

/// Longest file of code that people write.
const MAX_LINES: usize = 500;

/// The crate that tells calls of a step apart by `step::Module`: a comparison of names would survive a renaming unnoticed.
const OF_MODULES: &str = "src/predictor/";

/// Checks every tracked file.
pub(crate) fn check(project: &Project) -> Result {
    let files = output(project.command("git").args(["ls-files"]))?;
    let mut complaints = Vec::new();
    let mut names = TypeNames::default();
    for path in files.lines() {
        // A file that is not text has nothing to check.
        let Ok(text) = project.read(path) else { continue };
        words::check(path, &text, &mut complaints);
        let extension = Path::new(path).extension().and_then(|extension| extension.to_str());
        match extension {
            Some("rs" | "js" | "mjs" | "css" | "html") => {
                code(path, &text, &mut complaints);
                functions::check(path, &text, &mut complaints);
                if extension == Some("rs") {
                    names.add(path, &text);
                }
            }
            Some("md") => {
                links(project, path, &text, &mut complaints);
                if path == "ARCHITECTURE.md" {
                    complaints.extend(absent(&text, |file| project.root.join(file).exists()));
                }
            }
            _ => {}
        }
        if path == "package-lock.json" && text.contains("\"resolved\"") {
            complaints.push(format!("{path} records where packages were downloaded; see .npmrc"));
        }
    }
    names.check(&mut complaints);
    rooms::check(project, &mut complaints)?;
    glossary::check(project, &mut complaints)?;
    data::check(project, &mut complaints)?;
    if complaints.is_empty() { Ok(()) } else { Err(complaints.join("\n")) }
}

fn code(path: &str, text: &str, complaints: &mut Vec<String>) {
    let count = text.lines().count();
    if count > MAX_LINES && !data::is_generated(path) {
        complaints.push(format!("{path} has {count} lines; split it at {MAX_LINES}"));
    }
    for (number, line) in text.lines().enumerate() {
        if ["TO", "FIX"].iter().zip(["DO", "ME"]).any(|(a, b)| line.contains(&format!("{a}{b}"))) {
            complaints.push(format!("{path}:{}: an unfinished note", number + 1));
        }
        let compares = ["name == \"", "name() == \"", "name != \"", "name() != \""];
        if path.starts_with(OF_MODULES) && compares.iter().any(|compared| line.contains(compared)) {
            complaints.push(format!("{path}:{}: compare modules, not their names", number + 1));
        }
    }
}

/// Relative links of a document must lead to files.
fn links(project: &Project, path: &str, text: &str, complaints: &mut Vec<String>) {
    let directory = project.root.join(path).parent().map(Path::to_path_buf).unwrap_or_default();
    for target in text.split("](").skip(1).filter_map(|rest| rest.split_once(')')).map(|pair| pair.0) {
        let file = target.split(['#', ' ']).next().unwrap_or_default();
        let elsewhere = file.is_empty() || file.contains(':') || file.starts_with("../shared");
        if !elsewhere && !directory.join(file).exists() {
            complaints.push(format!("{path}: nothing at {target}"));
        }
    }
}

/// Where paths in ARCHITECTURE.md begin.
const BEGINNINGS: [&str; 5] = ["", "src/", "src/job/", "src/predictor/", "src/evidence/"];

/// Files and folders that the sections *Adding a ...* name and `exists` does not know.
fn absent(text: &str, exists: impl Fn(&str) -> bool) -> Vec<String> {
    let sections = text.split("\n### Adding ").skip(1);
    let sections = sections.map(|section| section.split("\n## ").next().unwrap_or_default());
    let names = sections.flat_map(|section| section.split('`').skip(1).step_by(2));
    let paths = names.filter(|name| name.contains('/') && !name.contains([' ', ':']));
    paths
        .filter(|path| !BEGINNINGS.iter().any(|begin| exists(&format!("{begin}{path}"))))
        .map(|path| format!("ARCHITECTURE.md: no file {path} to add something in"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::absent;

    #[test]
    fn files_to_add_something_in_exist() {
        let text =
            "`no/where`\n### Adding a row\n\n`data/a.tsv`, `cost/b.rs`, `Rates::by`\n## End\n`no/where`\n";
        let exists = |file: &str| file == "data/a.tsv" || file == "src/predictor/cost/b.rs";
        assert!(absent(text, exists).is_empty());
        assert_eq!(absent(text, |file| file == "data/a.tsv").len(), 1);
    }
}
