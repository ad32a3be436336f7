//! A reader for each kind of file.

mod accelerate;
mod axolotl;
mod deepspeed;
pub(super) mod everyday;
mod hugging_face;
mod launch;
mod machine;
mod maxtext;
mod nccl_tests;
mod preference;
pub(super) mod slurm;
mod tool;
mod torchtitan;
mod torchtune;
mod trace;
pub(super) mod trainer;
mod training_log;
mod verl;

pub(super) use torchtitan::{fewer_at_ends, flavor_of};

use super::draft::Draft;
use super::formats::{json, python, shell, toml, yaml};
use super::kind::is_swift;
use super::megatron::{self, Dialect};
use super::settings::{Setting, Settings};
use super::{Import, ImportError, ToolFile, harmless, hub};

/// Longest configuration file that is read, bytes. Logs and traces may be longer.
const LONGEST_CONFIGURATION: usize = 4 << 20;

/// Shells that run scripts.
const SHELLS: [&str; 5] = ["sh", "bash", "zsh", "dash", "ksh"];

/// Reads a file of a known kind.
pub(super) fn read(
    text: &str,
    kind: ToolFile,
    given: &[(String, String)],
) -> Result<Import, Vec<ImportError>> {
    let unlimited = matches!(kind, ToolFile::NcclTests | ToolFile::TrainingLog | ToolFile::Trace);
    if !unlimited && text.len() > LONGEST_CONFIGURATION {
        let message = format!("The file is larger than {} MiB.", LONGEST_CONFIGURATION >> 20);
        return Err(vec![super::sentence(message)]);
    }
    let mut draft = Draft::with(given);
    let mut settings = settings(text, kind, &mut draft).map_err(|error| vec![error])?;
    if let Err(error) = into_fields(text, kind, &mut settings, &mut draft) {
        draft.error(error);
    }
    draft.finish(kind, &settings, |setting| why(kind, setting))
}

/// The file's settings; none of a file that holds no settings.
fn settings(text: &str, kind: ToolFile, draft: &mut Draft) -> Result<Settings, ImportError> {
    let is_json = text.trim_start().starts_with('{');
    match kind {
        ToolFile::HfConfig | ToolFile::Deepspeed => json::read(text),
        _ if names_shell(text) && !kind.is_printed() => from_script(text, draft),
        ToolFile::MegatronLm if is_json || looks_like_yaml(text) => yaml::read(text),
        ToolFile::MegatronLm | ToolFile::Slurm => from_script(text, draft),
        ToolFile::Torchtitan if python::is_python(text) => python::read(text),
        ToolFile::Torchtitan if ["pre_trainer:", "\nparallelism:"].iter().any(|name| text.contains(name)) => {
            yaml::read(text)
        }
        ToolFile::Torchtitan
            if text.contains("--") && !text.contains("[parallelism]") && !text.contains("[training]") =>
        {
            from_script(text, draft)
        }
        ToolFile::Torchtitan => toml::read(text),
        ToolFile::MegatronBridge if overrides(text) => from_script(text, draft),
        ToolFile::TrainingArguments if !is_json && has_arguments(text) => from_script(text, draft),
        ToolFile::MegatronBridge
        | ToolFile::Accelerate
        | ToolFile::TrainingArguments
        | ToolFile::Torchtune
        | ToolFile::Maxtext
        | ToolFile::Axolotl => {
            if is_json {
                json::read(text)
            } else {
                yaml::read(text)
            }
        }
        ToolFile::Other => {
            let settings = if is_json { json::read(text) } else { yaml::read(text) };
            settings.or_else(|error| match toml::read(text) {
                Err(_) if has_arguments(text) || overrides(text) => from_script(text, draft),
                settings => settings.map_err(|_| error),
            })
        }
        ToolFile::Hub | ToolFile::Machine | ToolFile::NcclTests | ToolFile::TrainingLog | ToolFile::Trace => {
            Ok(Settings::default())
        }
    }
}

fn from_script(text: &str, draft: &mut Draft) -> Result<Settings, ImportError> {
    let script = shell::read(text, megatron::is_flag)?;
    if script.branches {
        draft.note(
            None,
            "Some branches depend on values that are not in the script. The arguments of all branches are imported. Variables with several values are not used.",
        );
    }
    Ok(script.settings)
}

/// Whether a text begins with the interpreter of a shell, such as `#!/usr/bin/env bash`.
fn names_shell(text: &str) -> bool {
    let interpreter = text.strip_prefix("#!").and_then(|rest| rest.lines().next()).unwrap_or_default();
    interpreter.split([' ', '/']).any(|word| SHELLS.contains(&word.trim()))
}

/// Whether arguments are in a YAML table, as `--num-layers: 12`.
fn looks_like_yaml(text: &str) -> bool {
    text.lines().any(|line| line.trim_start().starts_with("--") && line.contains(": "))
}

/// Whether a text holds arguments of a command line, `--name`, outside of comments and of values in quotes.
fn has_arguments(text: &str) -> bool {
    let lines = text.lines().map(str::trim_start).filter(|line| !line.starts_with('#'));
    let mut words = lines.flat_map(str::split_whitespace);
    words.any(|word| {
        // A command may have nothing behind it but a file.
        let command = word == "llamafactory-cli";
        command
            || word
                .strip_prefix("--")
                .is_some_and(|name| name.starts_with(|first: char| first.is_ascii_alphabetic()))
    })
}

/// Whether settings are overrides on a command line, as `model.tensor_model_parallel_size=2`.
fn overrides(text: &str) -> bool {
    // A comment may name one.
    let lines = text.lines().map(|line| line.split_once(" #").map_or(line, |parts| parts.0));
    let plain = lines.filter(|line| !line.trim_start().starts_with('#'));
    plain.flat_map(str::split_whitespace).any(|word| {
        let name = word.split('=').next().unwrap_or_default();
        word.contains('=') && name.contains('.') && !name.contains([':', '/'])
    })
}

fn into_fields(
    text: &str,
    kind: ToolFile,
    settings: &mut Settings,
    draft: &mut Draft,
) -> Result<(), ImportError> {
    match kind {
        ToolFile::HfConfig => hugging_face::read(settings, draft),
        ToolFile::Hub => hub::read(text, draft),
        ToolFile::MegatronLm => {
            settings.by_last_part(&["ENV_VARS", "fp16", "bf16"]);
            let dialect = if is_swift(text) { Dialect::Swift } else { Dialect::Lm };
            megatron::read(settings, draft, dialect)
        }
        ToolFile::MegatronBridge => {
            settings.interpolate();
            settings.by_last_part(&[
                "tokenizer",
                "vision_config",
                "exp_manager",
                "peft",
                "lora_tuning",
                "validation_ds",
                "teacher",
                "resume",
            ]);
            megatron::read(settings, draft, Dialect::Bridge)
        }
        ToolFile::Torchtitan => {
            settings.interpolate();
            torchtitan::read(settings, draft)
        }
        ToolFile::Deepspeed => deepspeed::read(settings, draft),
        ToolFile::Accelerate => accelerate::read(settings, draft),
        ToolFile::TrainingArguments => trainer::read(text, settings, draft),
        ToolFile::Torchtune => torchtune::read(text, settings, draft),
        ToolFile::Axolotl => axolotl::read(settings, draft),
        ToolFile::Slurm => launch::read(settings, draft),
        ToolFile::Other => verl::read(settings, draft),
        ToolFile::Maxtext => {
            settings.interpolate();
            settings.by_last_part(&[]);
            maxtext::read(settings, draft)
        }
        ToolFile::Machine => machine::read(text, draft),
        ToolFile::NcclTests => nccl_tests::read(text, draft),
        ToolFile::TrainingLog => training_log::read(text, draft),
        ToolFile::Trace => trace::read(text, draft),
    }
}

/// Why an unread setting has no effect, if known.
fn why(kind: ToolFile, setting: &Setting) -> Option<String> {
    match kind {
        ToolFile::HfConfig => hugging_face::why(setting),
        _ => harmless::reason(&setting.path).map(str::to_owned),
    }
}

/// A layout with nothing divided, which files leave out.
pub(super) const UNDIVIDED: [(&str, &str); 12] = [
    ("tp", "1"),
    ("sp", "0"),
    ("cp", "1"),
    ("ep", "1"),
    ("etp", "1"),
    ("pp", "1"),
    ("vpp", "1"),
    ("sched", "1f1b"),
    ("split", "even"),
    ("tpo", "0"),
    ("epo", "0"),
    ("map", "tdp"),
];

/// Gives every degree of a layout that a file does not divide its plain value.
fn undivided(draft: &mut Draft) {
    for (key, text) in UNDIVIDED {
        if draft.text(key).is_none() {
            draft.put(key, text);
        }
    }
}
