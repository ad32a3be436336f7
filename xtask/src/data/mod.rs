//! The tables of data/ as Rust source: nothing is parsed when the predictor runs, and a table that people edit is
//! checked when the generated file compiles.

mod constants;
mod evidence;
mod hardware;
mod history;
mod implementations;
mod limits;
mod lists;
mod rust;
mod sheet;
mod stacks;
mod tried;
mod widths;

use crate::project::{Project, Result};
use sheet::Sheet;

/// Where the tables lie.
const FOLDER: &str = "data";

/// What each table becomes: its name, the generated file, and how that is written.
const TABLES: [Table; 19] = [
    Table { name: "constants", file: "src/job/constants/table.rs", write: constants::table },
    Table { name: "determined", file: "src/job/constants/determined.rs", write: constants::determined },
    Table { name: "tried", file: "src/predictor/forecast/tried.rs", write: tried::table },
    Table { name: "evidence", file: "src/predictor/forecast/evidence.rs", write: evidence::table },
    Table { name: "widths", file: "src/predictor/forecast/widths.rs", write: widths::table },
    Table { name: "peak_errors", file: "src/predictor/memory/peak_errors.rs", write: widths::peak_errors },
    Table {
        name: "generations",
        file: "src/job/scenario/cluster/generations.rs",
        write: hardware::generations,
    },
    Table { name: "gpus", file: "src/job/scenario/cluster/gpus.rs", write: hardware::gpus },
    Table { name: "machines", file: "src/job/scenario/cluster/machines.rs", write: hardware::machines },
    Table { name: "models", file: "src/job/scenario/model/models.rs", write: lists::models },
    Table { name: "stacks", file: "src/job/scenario/stack/stacks.rs", write: stacks::stacks },
    Table { name: "stacks", file: "src/job/scenario/stack/values.rs", write: stacks::values },
    Table { name: "stack_limits", file: "src/job/scenario/stack/limit_rows.rs", write: limits::limits },
    Table {
        name: "implementations",
        file: "src/predictor/step/implementations.rs",
        write: implementations::table,
    },
    Table { name: "instances", file: "src/job/scenario/cluster/instances.rs", write: hardware::instances },
    Table { name: "names", file: "src/job/names/aliases.rs", write: lists::names },
    Table { name: "hub", file: "src/job/names/hub_rows.rs", write: lists::hub },
    Table { name: "examples", file: "src/job/document/examples/list.rs", write: lists::examples },
    Table { name: "whole_runs", file: "src/page_state/similar_runs/whole_runs.rs", write: lists::whole_runs },
];

/// One table and what it becomes.
struct Table {
    name: &'static str,
    file: &'static str,
    write: fn(&Sheet) -> Result<String>,
}

impl Table {
    fn source(&self) -> String {
        format!("{FOLDER}/{}.tsv", self.name)
    }

    /// The generated file as it should be.
    fn generated(&self, project: &Project) -> Result<String> {
        let source = self.source();
        let sheet = Sheet::read(&source, &project.read(&source)?)?;
        let code = (self.write)(&sheet)?;
        rust::formatted(project, &format!("{} {source} {COMMAND}\n\n{code}", rust::MARK))
    }
}

/// Rest of a generated file's first line, after the table's name.
const COMMAND: &str = "by `cargo xtask data`: change the table, not this file.";

/// Fails when a stack of `data/stacks.tsv` has no row of its kind in `data/stack_limits.tsv`: the file that is generated from
/// the latter would not compile.
fn stacks_have_limits(project: &Project) -> Result {
    let stacks_of = |name: &str, key: &str| -> Result<Vec<String>> {
        let source = format!("{FOLDER}/{name}.tsv");
        let sheet = Sheet::read(&source, &project.read(&source)?)?;
        let of_key = sheet.rows.iter().filter(|row| row.cell("key").is_ok_and(|cell| cell == key));
        of_key.map(|row| row.filled("stack").map(str::to_owned)).collect()
    };
    let limited = stacks_of("stack_limits", "kind")?;
    match stacks_of("stacks", "label")?.into_iter().find(|stack| !limited.contains(stack)) {
        Some(stack) => {
            Err(format!("{FOLDER}/stack_limits.tsv has no row of kind for {stack}: any, or unlimited"))
        }
        None => Ok(()),
    }
}

/// Writes every generated file.
pub(crate) fn update(project: &Project) -> Result {
    stacks_have_limits(project)?;
    for table in &TABLES {
        let code = table.generated(project)?;
        // An untouched file is not compiled again.
        if project.read(table.file).ok().as_deref() != Some(&code) {
            project.write(table.file, code)?;
            println!("{} is written anew from {}", table.file, table.source());
        }
    }
    Ok(())
}

/// Complains of every generated file that is not what its table says.
pub(crate) fn check(project: &Project, complaints: &mut Vec<String>) -> Result {
    for table in &TABLES {
        if project.read(table.file).ok().as_deref() != Some(&table.generated(project)?) {
            complaints.push(format!("{} is stale: run `cargo xtask data`", table.file));
        }
    }
    Ok(())
}

/// The stacks without a row of their table each.
pub(crate) fn stacks_without(project: &Project) -> Result<String> {
    let source = format!("{FOLDER}/stacks.tsv");
    stacks::without(&Sheet::read(&source, &project.read(&source)?)?)
}

/// Whether a file was written by [`update`].
pub(crate) fn is_generated(path: &str) -> bool {
    TABLES.iter().any(|table| table.file == path)
}
