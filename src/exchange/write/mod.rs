//! A scenario as launch flags and configuration of a framework.

mod accelerate;
mod deepspeed;
mod megatron;
mod sheet;
mod torchtitan;

use crate::scenario::Scenario;
use crate::scenario::stack::Stack;
use serde::Serialize;
use sheet::ExportDraft;

/// A framework whose files are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Framework {
    /// A script with Megatron-LM's arguments.
    MegatronLm,
    /// Megatron-Bridge's YAML.
    MegatronBridge,
    /// torchtitan's TOML.
    Torchtitan,
    /// DeepSpeed's JSON.
    Deepspeed,
    /// Accelerate's YAML with FSDP.
    Accelerate,
}

impl Framework {
    /// Every framework.
    pub const ALL: [Self; 5] =
        [Self::MegatronLm, Self::MegatronBridge, Self::Torchtitan, Self::Deepspeed, Self::Accelerate];

    /// Name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::MegatronLm => "megatron-lm",
            Self::MegatronBridge => "megatron-bridge",
            Self::Torchtitan => "torchtitan",
            Self::Deepspeed => "deepspeed",
            Self::Accelerate => "accelerate",
        }
    }

    /// What it is called, and what the file is.
    pub fn label(self) -> &'static str {
        match self {
            Self::MegatronLm => "Megatron-LM arguments",
            Self::MegatronBridge => "Megatron-Bridge YAML",
            Self::Torchtitan => "torchtitan TOML",
            Self::Deepspeed => "DeepSpeed JSON",
            Self::Accelerate => "Accelerate YAML",
        }
    }

    /// Name of the file that it is saved as.
    pub fn file_name(self) -> &'static str {
        match self {
            Self::MegatronLm => "train.sh",
            Self::MegatronBridge => "conf.yaml",
            Self::Torchtitan => "train.toml",
            Self::Deepspeed => "ds_config.json",
            Self::Accelerate => "accelerate.yaml",
        }
    }

    /// The framework whose file suits a stack best; of one that has none of its own, Accelerate's.
    pub fn of_stack(stack: Stack) -> Self {
        match stack {
            Stack::Nemo | Stack::NemoMlperf | Stack::MegatronBridge => Self::MegatronBridge,
            Stack::MegatronLm | Stack::Fused => Self::MegatronLm,
            Stack::Torchtitan => Self::Torchtitan,
            Stack::MegatronDeepspeed | Stack::DeepspeedZero3 => Self::Deepspeed,
            _ => Self::Accelerate,
        }
    }

    /// The framework of a name, [`Framework::name`].
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|framework| framework.name() == name)
    }
}

/// A file of a framework, and what of the scenario it says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Export {
    /// The file.
    pub text: String,
    /// Keys of fields that it says: reading it gives their values back.
    pub said: Vec<&'static str>,
    /// Fields that it cannot say, and why; the file has them in a comment.
    pub left_out: Vec<LeftOut>,
}

/// Field that the file format cannot express.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LeftOut {
    /// Key of the field.
    pub field: &'static str,
    /// Value as entered.
    pub value: String,
    /// Reason.
    pub text: &'static str,
}

/// Writes a scenario as a framework's file.
pub fn export(scenario: &Scenario, framework: Framework) -> Export {
    let mut sheet = ExportDraft::new(scenario);
    let text = match framework {
        Framework::MegatronLm => megatron::script(&mut sheet),
        Framework::MegatronBridge => megatron::bridge(&mut sheet),
        Framework::Torchtitan => torchtitan::write(&mut sheet),
        Framework::Deepspeed => deepspeed::write(&mut sheet),
        Framework::Accelerate => accelerate::write(&mut sheet),
    };
    sheet.finish(text)
}

/// Says those parts of the layout that a file leaves plain and that are plain, and leaves the others out.
fn plain(sheet: &mut ExportDraft, why: &'static str) {
    for (key, text) in super::read::UNDIVIDED {
        let is_plain = sheet.text(key) == text;
        sheet.say_if(is_plain, key, why);
    }
    sheet.leave_out("ppo", why);
    sheet.leave_out("xk", why);
    sheet.leave_out("xd", why);
    sheet.leave_out("xr", why);
}
