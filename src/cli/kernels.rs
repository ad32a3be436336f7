//! `stepcast validate --kernels --collectives`: the cost model against measured operators.

use crate::text::{self, CellAlign, percent};
use crate::{Failure, json, tables};
use std::path::Path;
use stepcast::constants::Constants;
use stepcast::validate::microbenchmarks::{
    KernelReport, KernelSample, KindErrors, read_collective, read_kernel, report,
};

/// A row of a table: a sample, or why it is none.
pub(crate) type KernelRow = Result<KernelSample, &'static str>;

/// Forecasts every row of the tables that are given, and compares.
pub(crate) fn validate(
    kernels: Option<&Path>,
    collectives: Option<&Path>,
    as_json: bool,
) -> Result<String, Failure> {
    let mut rows = kernels.map_or_else(|| Ok(Vec::new()), read_kernels)?;
    rows.extend(collectives.map_or_else(|| Ok(Vec::new()), read_collectives)?);
    let report = report(&rows, &Constants::SHIPPED);
    if as_json { json(&report) } else { Ok(print(&report)) }
}

/// Every row of a table of kernels.
pub(crate) fn read_kernels(path: &Path) -> Result<Vec<KernelRow>, Failure> {
    tables::read(path, &["gpu", "kernel", "dtype", "shape"], |record| {
        read_kernel(|column| record.get(column))
    })
}

/// Every row of a table of collectives.
pub(crate) fn read_collectives(path: &Path) -> Result<Vec<KernelRow>, Failure> {
    let needed = ["gpu", "nodes", "gpus_per_node", "collective", "bytes", "algbw_GBps"];
    tables::read(path, &needed, |record| read_collective(|column| record.get(column)))
}

/// Markdown tables of every kind on every GPU and of all GPUs, then why rows were not used.
fn print(report: &KernelReport) -> String {
    let mut out = table(&report.groups);
    out.push_str("\nAll GPUs:\n\n");
    out.push_str(&table(&report.pooled));
    out.push('\n');
    for (reason, count) in &report.unused {
        out.push_str(&format!("Not used, {reason}: {count}\n"));
    }
    out
}

fn table(groups: &[KindErrors]) -> String {
    let mut rows = vec![["operator", "GPU", "n", "median error", "bias"].map(str::to_owned).to_vec()];
    rows.extend(groups.iter().map(|group| {
        vec![
            group.kind.to_owned(),
            group.gpu.unwrap_or("all").to_owned(),
            group.n.to_string(),
            percent(group.median_ape),
            format!("{:+.1} %", group.bias * 100.0),
        ]
    }));
    text::markdown(
        &rows,
        &[CellAlign::Left, CellAlign::Left, CellAlign::Right, CellAlign::Right, CellAlign::Right],
    )
}
