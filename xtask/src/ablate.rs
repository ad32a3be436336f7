//! What rows of stacks and constants are worth: the public runs, forecast without each.

use crate::project::{Project, Result, output};
use crate::{data, readme};

/// The document with the tables, and the command between whose markers they are.
const DOCUMENT: &str = "docs/ablation.md";
const COMMAND: &str = "ablate";

/// Placeholder for constants.
const NEUTRAL: &str = "data/neutral.tsv";

/// Measured kernels and collectives, next to the repository.
const BENCHMARKS: [&str; 2] = ["../shared/data/kernels.csv", "../shared/data/nccl_bandwidth.csv"];

/// Forecasts the runs and puts the tables into the document.
pub(crate) fn update(project: &Project) -> Result {
    let rows = project.target.join("ablate.tsv");
    project.write(&rows, data::stacks_without(project)?)?;
    let build = "run --quiet --profile ablate --no-default-features --features ablate --example ablate --";
    let build: Vec<&str> = build.split(' ').collect();
    let mut command = project.cargo(&build);
    command.arg(rows).args([NEUTRAL, readme::RUNS, readme::UNFITTED]).args(BENCHMARKS);
    let tables = output(&mut command)?;
    project.write(DOCUMENT, readme::between(&project.read(DOCUMENT)?, COMMAND, &tables)?)
}
