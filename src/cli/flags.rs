//! Fields of the job as flags by their names: shorthands of `--set`.

use clap::error::{ContextKind, ContextValue, Error, ErrorKind};
use clap::{Arg, ArgMatches, Args, Command, FromArgMatches};
use stepcast::fields::Field;
use stepcast::scripting::near;

/// A field as a flag: its key, the flag's name, what the value is, help.
type Flag = (&'static str, &'static str, &'static str, &'static str);

/// Heading of the job's arguments in help texts.
pub(crate) const JOB: &str = "Job";

/// Heading of the layout's.
pub(crate) const LAYOUT: &str = "Layout (default: recommended by a search)";

/// Key of the field whose flag names several numbers where a command looks at several.
pub(crate) const GPUS: &str = "n";

/// Fields of the job; what fills in other fields comes first.
const OF_JOB: [Flag; 7] = [
    ("m", "model", "NAME", "Model, such as llama3-70b or \"Llama 3.1 8B\""),
    ("g", "machine", "NAME", "Machine, such as dgx-h100, H200 or p5.48xlarge"),
    (GPUS, "gpus", "N", "Number of GPUs (not nodes or instances)"),
    ("gb", "global-batch", "N", "Sequences per step"),
    ("seq", "sequence", "N", "Tokens per sequence"),
    ("prec", "precision", "NAME", "Precision, such as bf16 or fp8"),
    ("stack", "software", "NAME", "Software, such as nemo or torchtitan"),
];

/// Fields of the layout.
const OF_LAYOUT: [Flag; 9] = [
    ("tp", "tensor-parallel", "N", "Tensor parallelism (TP), GPUs"),
    ("pp", "pipeline-parallel", "N", "Pipeline parallelism (PP), stages"),
    ("vpp", "virtual-stages", "N", "Virtual stages per GPU (VPP)"),
    ("cp", "context-parallel", "N", "Context parallelism (CP), GPUs"),
    ("ep", "expert-parallel", "N", "Expert parallelism (EP), GPUs"),
    ("mb", "micro-batch", "N", "Sequences per micro-batch"),
    ("rc", "recomputation", "NAME", "Recomputation: none, selective or full"),
    ("zero", "zero", "STAGE", "Sharding over DP: 0, 1 (ZeRO-1), 2, 3 (FSDP) or hsdp"),
    ("sched", "schedule", "NAME", "Pipeline schedule, such as 1f1b or zb-h1"),
];

fn all() -> impl Iterator<Item = (&'static Flag, &'static str)> {
    let job = OF_JOB.iter().map(|flag| (flag, JOB));
    job.chain(OF_LAYOUT.iter().map(|flag| (flag, LAYOUT)))
}

/// Name of a field's flag, without its dashes.
pub(crate) fn name_of(key: &str) -> Option<&'static str> {
    all().find(|(flag, _)| flag.0 == key).map(|(flag, _)| flag.1)
}

/// How a field is set on the command line.
pub(crate) fn hint(key: &str) -> String {
    name_of(key).map_or_else(|| format!("--set {key}=VALUE"), |name| format!("--{name}"))
}

/// The error of an argument that a command does not have, with how the fields are set that its name is like.
pub(crate) fn hinted(mut error: Error, command: &Command) -> Error {
    let Some(ContextValue::String(argument)) = error.get(ContextKind::InvalidArg) else { return error };
    if error.kind() != ErrorKind::UnknownArgument {
        return error;
    }
    let name = argument.trim_start_matches('-').split('=').next().unwrap_or_default().to_owned();
    let called = std::env::args().nth(1).unwrap_or_default();
    let takes = |long: &str| {
        let inner = command.find_subcommand(&called);
        inner.is_some_and(|inner| inner.get_arguments().any(|arg| arg.get_long() == Some(long)))
    };
    let how = |key: &str| match name_of(key).filter(|name| takes(name)) {
        Some(name) => Some(format!("--{name}")),
        None => takes("set").then(|| format!("--set {key}=VALUE")),
    };
    let similar: Vec<String> = like(&name).into_iter().filter_map(how).collect();
    if !similar.is_empty() {
        error.insert(ContextKind::SuggestedArg, ContextValue::Strings(similar));
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(Vec::new()));
    }
    error
}

/// Keys of the fields that a name is like: one's own key or label, or flags with which it shares a word.
fn like(name: &str) -> Vec<&'static str> {
    if let Some(field) = Field::find(name).or_else(|| near(name)) {
        return vec![field.key];
    }
    let words: Vec<&str> = name.split(['-', '_']).filter(|word| word.len() >= LEAST_LETTERS).collect();
    let shares = |flag: &&Flag| flag.1.split('-').any(|word| words.contains(&word));
    all().map(|(flag, _)| flag).filter(shares).map(|flag| flag.0).collect()
}

/// Letters of a word that says something: shorter ones, as `of` and `num`, stand in many names.
const LEAST_LETTERS: usize = 4;

/// Values of fields that were given as flags.
#[derive(Debug, Clone, Default)]
pub(crate) struct FieldFlags {
    values: Vec<(&'static str, String)>,
}

impl FieldFlags {
    /// Keys of fields and their values, in the order in which they are set.
    pub(crate) fn values(&self) -> &[(&'static str, String)] {
        &self.values
    }

    /// The same with another number of GPUs, or none.
    pub(crate) fn on_gpus(&self, gpus: Option<&str>) -> Self {
        let others = self.values.iter().filter(|value| value.0 != GPUS).cloned();
        Self { values: others.chain(gpus.map(|gpus| (GPUS, gpus.to_owned()))).collect() }
    }

    /// The flag that a field was given by.
    pub(crate) fn of(&self, key: &str) -> Option<&'static str> {
        self.values.iter().any(|value| value.0 == key).then(|| name_of(key)).flatten()
    }
}

impl Args for FieldFlags {
    fn augment_args(command: Command) -> Command {
        all().fold(command, |command, (&(key, name, value, help), heading)| {
            let arg = Arg::new(key).long(name).value_name(value).help(help).help_heading(heading);
            let is_short = key.len() > 1 && key != name;
            command.arg(if is_short { arg.visible_alias(key) } else { arg })
        })
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for FieldFlags {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        let value = |key: &'static str| Some((key, matches.get_one::<String>(key)?.clone()));
        Ok(Self { values: all().filter_map(|(flag, _)| value(flag.0)).collect() })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        Self::from_arg_matches(matches).map(|found| *self = found)
    }
}
