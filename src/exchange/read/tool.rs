//! Which program reads a trainer's settings, and what it does where they say nothing.

use super::super::settings::Settings;

/// What a program does where a file leaves it open.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Tool {
    /// Its name.
    pub(super) name: &'static str,
    /// Sequences of a micro-batch.
    pub(super) micro_batch: i64,
    /// Tokens of a sequence, where they do not follow from the model.
    pub(super) length: Option<i64>,
    /// Whether layers are recomputed.
    pub(super) checkpoints: bool,
    /// Whether BF16 is on unless FP16 is.
    pub(super) brain: bool,
    /// Whether adapters are trained, and not all parameters.
    pub(super) adapters: bool,
    /// Rank of adapters.
    pub(super) rank: i64,
    /// Whether adapters are on all linear layers, not only on queries and values.
    pub(super) all_linear: bool,
    /// The loss kernel.
    pub(super) loss: Option<&'static str>,
}

/// `TrainingArguments` of transformers (`training_args.py`, 4.57), and adapters of PEFT (`LoraConfig`).
pub(super) const TRAINER: Tool = Tool {
    name: "Trainer",
    micro_batch: 8,
    length: None,
    checkpoints: false,
    brain: false,
    adapters: false,
    rank: 8,
    all_linear: false,
    loss: None,
};

/// Axolotl (`utils/schemas/config.py`, 0.13).
pub(super) const AXOLOTL: Tool = Tool { name: "Axolotl", micro_batch: 1, ..TRAINER };

/// TRL (`trainer/base_config.py`, `sft_config.py`, `model_config.py` at 016013e88).
pub(super) const TRL: Tool = Tool {
    name: "TRL",
    length: Some(1024),
    checkpoints: true,
    brain: true,
    rank: 16,
    loss: Some("chunked"),
    ..TRAINER
};

/// LLaMA-Factory (`hparams/finetuning_args.py`, `data_args.py`, `model_args.py` at 00577a857).
const LLAMA_FACTORY: Tool = Tool {
    name: "LLaMA-Factory",
    length: Some(2048),
    checkpoints: true,
    adapters: true,
    all_linear: true,
    ..TRAINER
};

/// ms-swift (`docs/source_en/Instruction/Command-line-parameters.md`, `trainers/arguments.py` at 001320d09).
const SWIFT: Tool = Tool {
    name: "ms-swift",
    micro_batch: 1,
    checkpoints: true,
    brain: true,
    adapters: true,
    all_linear: true,
    ..TRAINER
};

/// Marks of a program: words of a command line, and settings that no other one has.
const MARKS: [(Tool, &[&str], &[&str]); 3] = [
    (
        SWIFT,
        &["swift sft", "swift pt", "swift rlhf", "swift/cli/"],
        &["train_type", "tuner_type", "sft_type", "rlhf_type"],
    ),
    (
        LLAMA_FACTORY,
        &["llamafactory-cli", "llamafactory/launcher"],
        &["finetuning_type", "cutoff_len", "pref_loss", "pure_bf16", "disable_gradient_checkpointing"],
    ),
    (
        TRL,
        &["trl sft", "trl dpo", "trl kto", "trl reward", "trl grpo", "trl rloo", "trl/scripts/"],
        &[
            "packing",
            "use_peft",
            "max_prompt_length",
            "max_completion_length",
            "completion_only_loss",
            "assistant_only_loss",
            "dataset_mixture",
        ],
    ),
];

impl Tool {
    /// The program that reads these settings.
    pub(super) fn of(text: &str, settings: &Settings) -> Self {
        let found = MARKS.iter().find(|(_, words, names)| {
            words.iter().any(|word| text.contains(word)) || names.iter().any(|name| settings.has(name))
        });
        match found {
            // Before `max_length` it was called so, and layers were kept.
            Some((tool, ..)) if *tool == TRL && settings.has("max_seq_length") => {
                Self { checkpoints: false, brain: false, loss: None, ..TRL }
            }
            Some((tool, ..)) => *tool,
            None => TRAINER,
        }
    }

    /// Why a value is taken that the file does not say.
    pub(super) fn why(&self) -> String {
        format!("not set; default of {}", self.name)
    }
}
