//! What each stack can run.

use super::history::{ALWAYS, Facts, Month};
use super::rust;
use super::sheet::Sheet;
use crate::project::Result;

/// Words of a cell and their features.
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

/// Keys whose values are lists of supported values.
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

/// Keys that are yes or no.
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

/// What is no stack and has rows that stacks inherit: any that lacks a row of its own, and those without limits.
const KINDS: [&str; 2] = ["any", "unlimited"];

/// What each stack can run in the months in which that changes, the oldest first.
pub(super) fn limits(sheet: &Sheet) -> Result<String> {
    let facts = Facts::read(sheet, |_, key| {
        key == "schedules" || FLAGS.iter().any(|flag| flag.0 == key) || LISTS.iter().any(|list| list.0 == key)
    })?;
    let (mut arms, mut rows) = (String::new(), String::new());
    for name in facts.names().into_iter().filter(|name| !KINDS.contains(name)) {
        let constant = rust::constant(name);
        let mut history: Vec<(Month, String)> = Vec::new();
        for month in [ALWAYS].into_iter().chain(facts.months(name)) {
            let limits = one(&facts, name, month)?;
            if history.last().is_none_or(|last| last.1 != limits) {
                history.push((month, limits));
            }
        }
        let lines: String = history
            .iter()
            .map(|((year, month), limits)| format!("(({year}, {month}), {limits}),\n"))
            .collect();
        arms += &format!("Self::{} => &{constant},\n", rust::variant(name));
        rows += &format!(
            "#[rustfmt::skip]\nstatic {constant}: [(Month, StackLimits); {}] = [\n{lines}];\n",
            history.len()
        );
    }
    Ok(format!(
        "//! What each stack can run.\n\n\
         use super::{{Month, Stack}};\nuse super::limits::Feature::*;\nuse super::limits::StackLimits;\nuse crate::schedule::Schedule;\n\n\
         impl Stack {{\n\
         /// First month and limits of each of the stack's rows, the oldest first.\n\
         pub(super) fn limit_rows(self) -> &'static [(Month, StackLimits)] {{\nmatch self {{\n{arms}}}\n}}\n}}\n\n{rows}"
    ))
}

/// What a stack can run in a month.
fn one(facts: &Facts<'_>, stack: &str, at: Month) -> Result<String> {
    if facts.held(stack, "schedules", at)?.value == "all" {
        return Ok("StackLimits::ALL".to_owned());
    }
    let mut features = Vec::new();
    for (key, feature) in FLAGS {
        if facts.held(stack, key, at)?.row.flag("value")? == "true" {
            features.push(feature);
        }
    }
    for (key, words) in LISTS {
        features.extend(listed(facts, stack, key, words, at)?);
    }
    let schedules = listed(facts, stack, "schedules", SCHEDULES, at)?;
    let schedules: Vec<String> = schedules.iter().map(|name| format!("Schedule::{name}")).collect();
    Ok(format!("StackLimits::only(&[{}], &[{}])", schedules.join(", "), features.join(", ")))
}

/// The features of a value's words: some, all or none.
fn listed(facts: &Facts<'_>, stack: &str, key: &str, words: &Words, at: Month) -> Result<Vec<&'static str>> {
    let fact = facts.held(stack, key, at)?;
    match fact.value {
        "no" => return Ok(Vec::new()),
        "all" => return Ok(words.iter().map(|word| word.1).collect()),
        _ => {}
    }
    let meaning = |word: &str| {
        let known = words.iter().find(|known| known.0 == word).map(|known| known.1);
        known.ok_or_else(|| fact.row.wrong("value", &format!("{word:?} is none of {key}'s words")))
    };
    fact.value.split(' ').map(meaning).collect()
}
