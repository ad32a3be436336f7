//! Megatron-LM's arguments and Megatron-Bridge's YAML: one list of settings under both names.
//!
//! Names as of Megatron-LM core_v0.19.0 and Megatron-Bridge v0.6.0.

mod layout;
mod shape;
mod training;

use super::sheet::{ExportDraft, nodes};
use crate::fields::FieldGroup;
use crate::scenario::plan::Zero;

/// Tables of Megatron-Bridge's configuration, in the order in which they are written.
const TABLES: [&str; 6] = ["model", "train", "dataset", "ddp", "optimizer", "dist"];

/// Which of the two files is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Target {
    /// Megatron-LM's arguments.
    Script,
    /// Megatron-Bridge's YAML.
    Yaml,
}

impl Target {
    /// Name of the software that reads it.
    fn stack(self) -> &'static str {
        match self {
            Self::Script => "megatron-lm",
            Self::Yaml => "megatron-bridge",
        }
    }
}

/// One setting under both names.
struct Entry {
    /// The argument, with its value if it takes one; nothing where only the YAML says it.
    argument: Option<String>,
    /// Table, name and value in YAML; nothing where only an argument says it.
    yaml: Option<(&'static str, &'static str, String)>,
}

/// The settings of a scenario.
#[derive(Default)]
struct Entries(Vec<Entry>);

impl Entries {
    /// A value under both names.
    fn value(&mut self, argument: &str, table: &'static str, name: &'static str, value: impl ToString) {
        let value = value.to_string();
        let argument = Some(format!("--{argument} {value}"));
        self.0.push(Entry { argument, yaml: Some((table, name, value)) });
    }

    /// A switch under both names; written only if it is on.
    fn switch(&mut self, on: bool, argument: &str, table: &'static str, name: &'static str) {
        let argument = on.then(|| format!("--{argument}"));
        self.0.push(Entry { argument, yaml: Some((table, name, on.to_string())) });
    }

    /// An argument only.
    fn argument(&mut self, argument: impl ToString) {
        self.0.push(Entry { argument: Some(argument.to_string()), yaml: None });
    }

    /// A setting of the YAML only.
    fn yaml(&mut self, table: &'static str, name: &'static str, value: impl ToString) {
        self.0.push(Entry { argument: None, yaml: Some((table, name, value.to_string())) });
    }
}

/// A script with Megatron-LM's arguments.
pub(super) fn script(sheet: &mut ExportDraft) -> String {
    let entries = entries(sheet, Target::Script);
    sheet.say_if(
        sheet.scenario.software.stack.name() == Target::Script.stack(),
        "stack",
        "the file contains Megatron-LM arguments",
    );
    sheet.say(&["n"]);
    let (nodes, each) = nodes(sheet.scenario);
    // Hopper and Ampere want it where activations or gradients are exchanged behind kernels; sharded parameters do not.
    let plan = &sheet.scenario.plan;
    let splits = plan.tensor_parallel > 1 || plan.context_parallel > 1;
    let fsdp = matches!(plan.zero, Zero::Gradients | Zero::Parameters | Zero::Hybrid);
    let queues = if splits && !fsdp { "export CUDA_DEVICE_MAX_CONNECTIONS=1\n\n" } else { "" };
    let comment = sheet.comment("#");
    let arguments: String =
        entries.0.iter().filter_map(|entry| Some(format!("    {}\n", entry.argument.as_ref()?))).collect();
    format!(
        "#!/bin/bash\n# Megatron-LM core_v0.19.0. Add data, tokenizer, checkpoints and learning rates.\n{comment}\n{queues}ARGS=(\n{arguments})\n\ntorchrun --nproc_per_node {each} --nnodes {nodes} pretrain_gpt.py \"${{ARGS[@]}}\" \"$@\"\n"
    )
}

/// Megatron-Bridge's YAML.
pub(super) fn bridge(sheet: &mut ExportDraft) -> String {
    let entries = entries(sheet, Target::Yaml);
    sheet.say_if(
        sheet.scenario.software.stack.name() == Target::Yaml.stack(),
        "stack",
        "the file is a Megatron-Bridge configuration",
    );
    sheet.leave_out("n", "set by the launcher");
    let comment = sheet.comment("#");
    let mut text = format!(
        "# Megatron-Bridge v0.6.0: overrides of a recipe. The recipe sets data, tokenizer, checkpoints and learning rates.\n{comment}"
    );
    for table in TABLES {
        text += &format!("{table}:\n");
        let inside =
            entries.0.iter().filter_map(|entry| entry.yaml.as_ref()).filter(|entry| entry.0 == table);
        inside.for_each(|(_, name, value)| text += &format!("  {name}: {value}\n"));
    }
    let top = entries.0.iter().filter_map(|entry| entry.yaml.as_ref()).filter(|entry| entry.0.is_empty());
    top.for_each(|(_, name, value)| text += &format!("{name}: {value}\n"));
    text
}

fn entries(sheet: &mut ExportDraft, target: Target) -> Entries {
    let mut entries = Entries::default();
    shape::write(sheet, &mut entries, target);
    layout::write(sheet, &mut entries, target);
    training::write(sheet, &mut entries, target);
    sheet.leave_out_group(FieldGroup::Model, "Megatron has no argument");
    entries
}
