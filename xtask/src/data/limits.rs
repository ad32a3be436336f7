//! What each stack can run.

use super::rust;
use super::sheet::{Row, Sheet};
use crate::project::Result;

/// Words of a cell and the features that they stand for.
type Words = [(&'static str, &'static str)];

const CONTEXT: &Words =
    &[("ring", "ContextRing"), ("all-gather", "ContextAllGather"), ("all-to-all", "ContextAllToAll")];

const TENSOR: &Words = &[("whole-norms", "TensorWithWholeNorms"), ("with-sequence", "TensorWithSequence")];

const ZERO: &Words = &[
    ("none", "Unsharded"),
    ("1", "ShardedOptimizer"),
    ("2", "ShardedGradients"),
    ("3", "ShardedParameters"),
    ("hybrid", "ShardedHybrid"),
];

const PIPELINED_ZERO: &Words = &[
    ("none", "PipelinedUnsharded"),
    ("1", "PipelinedOptimizer"),
    ("2", "PipelinedGradients"),
    ("3", "PipelinedParameters"),
    ("hybrid", "PipelinedHybrid"),
];

const RECOMPUTE: &Words = &[
    ("none", "RecomputeNone"),
    ("selective", "RecomputeSelective"),
    ("full", "RecomputeFull"),
    ("modules", "RecomputeModules"),
    ("layers", "RecomputeLayers"),
];

const SPLIT: &Words = &[("even", "SplitEven"), ("ends", "SplitEnds"), ("given", "SplitGiven")];

const MAPPING: &Words = &[("tdp", "DataBeforePipeline"), ("tpd", "PipelineBeforeData")];

const OFFLOAD: &Words = &[
    ("optimizer", "OffloadedOptimizer"),
    ("parameters", "OffloadedParameters"),
    ("activations", "OffloadedActivations"),
];

const PRECISION: &Words = &[
    ("bf16", "Bf16"),
    ("fp16", "Fp16"),
    ("fp8", "Fp8"),
    ("fp8-block", "Fp8Block"),
    ("mxfp8", "Mxfp8"),
    ("nvfp4", "Nvfp4"),
];

const ADAPTERS: &Words = &[("lora", "Adapters"), ("qlora", "QuantisedBase")];

/// Columns that list what there is.
const LISTS: [(&str, &Words); 10] = [
    ("context exchange", CONTEXT),
    ("tensor", TENSOR),
    ("zero", ZERO),
    ("zero pipelined", PIPELINED_ZERO),
    ("recompute", RECOMPUTE),
    ("split", SPLIT),
    ("mapping", MAPPING),
    ("offload", OFFLOAD),
    ("adapters", ADAPTERS),
    ("precision", PRECISION),
];

/// Columns that are yes or no.
const FLAGS: [(&str, &str); 4] = [
    ("virtual", "VirtualStages"),
    ("context", "Context"),
    ("expert", "Expert"),
    ("expert tensor", "ExpertTensor"),
];

/// Names of schedules in links, and their variants.
const SCHEDULES: &Words = &[
    ("1f1b", "OneForwardOneBackward"),
    ("gpipe", "AllForwardAllBackward"),
    ("zb-h1", "ZeroBubbleH1"),
    ("zb-h2", "ZeroBubbleH2"),
    ("zb-v", "ZeroBubbleV"),
    ("dualpipe", "DualPipe"),
    ("dualpipev", "DualPipeV"),
];

/// The rows of each stack, the oldest first.
pub(super) fn limits(sheet: &Sheet) -> Result<String> {
    let mut stacks: Vec<(&str, Vec<String>)> = Vec::new();
    for row in &sheet.rows {
        let name = row.filled("name")?;
        let code = format!("({}, {})", row.whole("since", Some("0"))?, one(row)?);
        match stacks.iter_mut().find(|stack| stack.0 == name) {
            Some(stack) => stack.1.push(code),
            None => stacks.push((name, vec![code])),
        }
    }
    let arms: String = stacks
        .iter()
        .map(|(name, _)| format!("Self::{} => &{},\n", rust::variant(name), rust::constant(name)))
        .collect();
    let rows: String = stacks
        .iter()
        .map(|(name, rows)| {
            let constant = rust::constant(name);
            let (count, rows) = (rows.len(), rows.join(",\n"));
            format!("#[rustfmt::skip]\nstatic {constant}: [(u16, StackLimits); {count}] = [\n{rows},\n];\n")
        })
        .collect();
    Ok(format!(
        "//! What each stack can run.\n\n\
         use super::Stack;\nuse super::limits::Feature::*;\nuse super::limits::StackLimits;\nuse crate::schedule::Schedule;\n\n\
         impl Stack {{\n\
         /// First year and limits of each of the stack's rows, the oldest first.\n\
         pub(super) fn limit_rows(self) -> &'static [(u16, StackLimits)] {{\nmatch self {{\n{arms}}}\n}}\n}}\n\n{rows}"
    ))
}

/// What one row allows.
fn one(row: &Row) -> Result<String> {
    row.filled("source")?;
    let schedules = match row.filled("schedules")? {
        "all" => return all(row),
        _ => listed(row, "schedules", SCHEDULES)?,
    };
    let mut features = Vec::new();
    for (column, feature) in FLAGS {
        if row.flag(column)? == "true" {
            features.push(feature);
        }
    }
    for (column, words) in LISTS {
        features.extend(listed(row, column, words)?);
    }
    let schedules: Vec<String> = schedules.iter().map(|name| format!("Schedule::{name}")).collect();
    Ok(format!("StackLimits::only(&[{}], &[{}])", schedules.join(", "), features.join(", ")))
}

/// A row that limits nothing, in any of its columns.
fn all(row: &Row) -> Result<String> {
    for (column, _) in FLAGS {
        if row.flag(column)? != "true" {
            return Err(row.wrong(column, "a stack of all schedules has all else too"));
        }
    }
    for (column, _) in LISTS {
        if row.cell(column)? != "all" {
            return Err(row.wrong(column, "a stack of all schedules has all else too"));
        }
    }
    Ok("StackLimits::ALL".to_owned())
}

/// What the words of a cell stand for: some, all or none.
fn listed(row: &Row, column: &str, words: &Words) -> Result<Vec<&'static str>> {
    let cell = row.filled(column)?;
    match cell {
        "no" => return Ok(Vec::new()),
        "all" => return Ok(words.iter().map(|word| word.1).collect()),
        _ => {}
    }
    let meaning = |word: &str| {
        let known = words.iter().find(|known| known.0 == word).map(|known| known.1);
        known.ok_or_else(|| row.wrong(column, &format!("{word:?} is none of its words")))
    };
    cell.split(' ').map(meaning).collect()
}
