//! Kinds of files, and which one a text looks like.

use super::formats::shell::without_documents;

/// File format of another tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Kind"))]
#[serde(rename_all = "kebab-case")]
pub enum ToolFile {
    /// Hugging Face `config.json`.
    HfConfig,
    /// Name of a model on the Hugging Face Hub.
    Hub,
    /// Megatron-LM's arguments, a script that holds them, or its YAML of arguments.
    MegatronLm,
    /// YAML or overrides of Megatron-Bridge, NeMo or a NeMo recipe.
    MegatronBridge,
    /// torchtitan's TOML or arguments.
    Torchtitan,
    /// DeepSpeed's JSON.
    Deepspeed,
    /// Accelerate's YAML, with FSDP, DeepSpeed or Megatron-LM behind it.
    Accelerate,
    /// Hugging Face `TrainingArguments`, as JSON, YAML or arguments.
    TrainingArguments,
    /// A torchtune recipe's YAML.
    Torchtune,
    /// Axolotl's YAML.
    Axolotl,
    /// MaxText's YAML or overrides.
    Maxtext,
    /// Slurm's options, and commands that start a program whose settings no other kind has.
    Slurm,
    /// A trainer that has no reader of its own: settings with usual names.
    Other,
    /// What a machine says of its GPUs: `nvidia-smi`, `nvidia-smi topo -m`, `lspci`.
    Machine,
    /// What nccl-tests prints.
    NcclTests,
    /// A training log of Megatron-LM, torchtitan or the Hugging Face Trainer.
    TrainingLog,
    /// A Chrome or PyTorch trace.
    Trace,
}

impl ToolFile {
    /// Every kind.
    pub const ALL: [Self; 17] = [
        Self::HfConfig,
        Self::Hub,
        Self::MegatronLm,
        Self::MegatronBridge,
        Self::Torchtitan,
        Self::Deepspeed,
        Self::Accelerate,
        Self::TrainingArguments,
        Self::Torchtune,
        Self::Axolotl,
        Self::Maxtext,
        Self::Slurm,
        Self::Other,
        Self::Machine,
        Self::NcclTests,
        Self::TrainingLog,
        Self::Trace,
    ];

    /// Name on the command line and in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::HfConfig => "hf-config",
            Self::Hub => "hub",
            Self::MegatronLm => "megatron-lm",
            Self::MegatronBridge => "megatron-bridge",
            Self::Torchtitan => "torchtitan",
            Self::Deepspeed => "deepspeed",
            Self::Accelerate => "accelerate",
            Self::TrainingArguments => "training-arguments",
            Self::Torchtune => "torchtune",
            Self::Axolotl => "axolotl",
            Self::Maxtext => "maxtext",
            Self::Slurm => "slurm",
            Self::Other => "other",
            Self::Machine => "machine",
            Self::NcclTests => "nccl-tests",
            Self::TrainingLog => "training-log",
            Self::Trace => "trace",
        }
    }

    /// What it is, for people.
    pub fn label(self) -> &'static str {
        match self {
            Self::HfConfig => "Hugging Face config.json",
            Self::Hub => "Hugging Face Hub model name",
            Self::MegatronLm => "Megatron-LM arguments",
            Self::MegatronBridge => "Megatron-Bridge or NeMo configuration",
            Self::Torchtitan => "torchtitan configuration",
            Self::Deepspeed => "DeepSpeed configuration",
            Self::Accelerate => "Accelerate configuration",
            Self::TrainingArguments => "Hugging Face TrainingArguments",
            Self::Torchtune => "torchtune recipe",
            Self::Axolotl => "Axolotl configuration",
            Self::Maxtext => "MaxText configuration",
            Self::Slurm => "Slurm options or launch command",
            Self::Other => "configuration of another trainer",
            Self::Machine => "GPU list of a machine",
            Self::NcclTests => "nccl-tests output",
            Self::TrainingLog => "training log",
            Self::Trace => "kernel trace",
        }
    }

    /// Whether files of this kind say how a job is laid out, and not a part of it only.
    pub(super) fn is_of_job(self) -> bool {
        !matches!(
            self,
            Self::HfConfig
                | Self::Hub
                | Self::Slurm
                | Self::Machine
                | Self::NcclTests
                | Self::TrainingLog
                | Self::Trace
        )
    }

    /// Whether programs print files of this kind.
    pub(super) fn is_printed(self) -> bool {
        matches!(self, Self::Machine | Self::NcclTests | Self::TrainingLog | Self::Trace)
    }

    /// The kind of a name, [`ToolFile::name`].
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// The kind that a text looks like.
    pub fn of(text: &str) -> Option<Self> {
        // What a script writes to files is not what it is.
        if let Some(script) = without_documents(text) {
            return Self::of(&script).or(Some(Self::Slurm));
        }
        let (head, tail) = glimpse(text);
        let start = head.trim_start();
        let words = |words: &[&str]| words.iter().any(|word| head.contains(word) || tail.contains(word));
        if start.starts_with(['{', '[']) && !start.starts_with("{'") && !is_section(start) {
            let found = of_json(&words);
            if found.is_some() {
                return found;
            }
        }
        let tight = || {
            let head = without_blanks_before_colons(head)?;
            of_configuration(&head, &|words| words.iter().any(|word| head.contains(word)))
        };
        of_output(head, &words)
            .or_else(|| of_configuration(head, &words))
            .or_else(tight)
            .or_else(|| of_name(start))
            .or_else(|| has_usual_names(head).then_some(Self::Other))
    }
}

/// A text of YAML whose names have blanks before their colons, without these; nothing of a text without any.
fn without_blanks_before_colons(text: &str) -> Option<String> {
    let mut found = false;
    let lines = text.lines().map(|line| match line.split_once(" :") {
        Some((name, value)) if !name.trim().contains(char::is_whitespace) && !name.trim().is_empty() => {
            found = true;
            format!("{}:{value}\n", name.trim_end())
        }
        _ => format!("{line}\n"),
    });
    let text: String = lines.collect();
    found.then_some(text)
}

/// Commands of ms-swift that train with Megatron.
const SWIFT: [&str; 3] = ["megatron sft", "megatron pt", "megatron rlhf"];

/// Whether a script starts ms-swift's Megatron.
pub(super) fn is_swift(text: &str) -> bool {
    SWIFT.iter().any(|command| text.contains(command))
}

/// Bytes of a long text's beginning, and of its end, that its kind is seen by.
const GLIMPSE: usize = 1 << 20;

/// The beginning and the end of a text; all of a short one is its beginning.
fn glimpse(text: &str) -> (&str, &str) {
    if text.len() <= 2 * GLIMPSE {
        return (text, "");
    }
    let boundary = |place: usize| (place..text.len()).find(|place| text.is_char_boundary(*place));
    let head = boundary(GLIMPSE).and_then(|end| text.get(..end)).unwrap_or_default();
    let tail = boundary(text.len() - GLIMPSE).and_then(|begin| text.get(begin..)).unwrap_or_default();
    (head, tail)
}

/// Whether a text begins with a TOML section, as `[model]` on a line of its own.
fn is_section(start: &str) -> bool {
    let line = start.lines().next().unwrap_or_default();
    let line = line.split('#').next().unwrap_or_default().trim();
    let name = line.trim_start_matches('[').trim_end_matches(']');
    line.ends_with(']')
        && name.starts_with(|first: char| first.is_ascii_alphabetic())
        && !name.contains(['"', ','])
}

fn of_json(words: &dyn Fn(&[&str]) -> bool) -> Option<ToolFile> {
    let table: [(&[&str], ToolFile); 7] = [
        (&["pipe-parallel-size\"", "pipe_parallel_size\"", "pipe_parallel_size'"], ToolFile::MegatronLm),
        (&["\"traceEvents\"", "\"ph\""], ToolFile::Trace),
        (&["\"log_history\""], ToolFile::TrainingLog),
        (&["\"distributed_type\"", "\"compute_environment\""], ToolFile::Accelerate),
        (&["\"per_device_train_batch_size\""], ToolFile::TrainingArguments),
        (
            &["\"zero_optimization\"", "\"train_micro_batch_size_per_gpu\"", "\"train_batch_size\""],
            ToolFile::Deepspeed,
        ),
        (
            &[
                "\"model_type\"",
                "\"architectures\"",
                "\"hidden_size\"",
                "\"n_embd\"",
                "\"d_model\"",
                "\"num_hidden_layers\"",
            ],
            ToolFile::HfConfig,
        ),
    ];
    table.into_iter().find(|(names, _)| words(names)).map(|entry| entry.1)
}

/// What programs print.
fn of_output(text: &str, words: &dyn Fn(&[&str]) -> bool) -> Option<ToolFile> {
    let measured = [
        "elapsed time per iteration",
        "train_samples_per_second",
        "'train_runtime'",
        "s/it]",
        "it/s]",
        "train_step_timing in s",
    ];
    // An address has `tps:` in it, too.
    let of_torchtitan = text.lines().any(|line| {
        line.contains("step:") && (line.replace("https:", "").contains("tps:") || line.contains("mfu:"))
    });
    // A comment of a script may quote them.
    let printed =
        |line: &str| !line.trim_start().starts_with('#') && measured.iter().any(|word| line.contains(word));
    if text.lines().any(printed) || of_torchtitan || (text.contains("{'loss':") && text.contains("'epoch'")) {
        return Some(ToolFile::TrainingLog);
    }
    if text.lines().any(|line| line.contains('#') && line.contains("algbw") && line.contains("busbw")) {
        return Some(ToolFile::NcclTests);
    }
    let of_machine = ["NVIDIA-SMI", "NVIDIA Corporation", "CPU Affinity", "NVLinks"];
    let lists_gpus = text.lines().any(|line| {
        let line = line.trim_start();
        line.starts_with("GPU 0:") || line.starts_with("GPU0") && line.contains(" X ")
    });
    // A script may refer to such a list, but is not one.
    let script = text.trim_start().starts_with("#!");
    (!script && (words(&of_machine) || lists_gpus)).then_some(ToolFile::Machine)
}

/// Commands that start a program on several GPUs.
const COMMANDS: [&str; 9] = [
    "torchrun ",
    "deepspeed ",
    "accelerate launch",
    "torch.distributed",
    "mpirun ",
    "mpiexec ",
    "tune run",
    "ray job submit",
    "ray start",
];

/// Names that Axolotl's files have beside the model's.
const AXOLOTL: [&str; 5] =
    ["micro_batch_size:", "sequence_len:", "adapter:", "deepspeed_configs/", "axolotl"];

/// Words of configurations and scripts, and the kinds that have them: the first that does.
const CONFIGURATIONS: [(&[&str], ToolFile); 17] = [
    (
        &[
            "per_device_batch_size:",
            "per_device_batch_size=",
            "base_num_decoder_layers",
            "ici_fsdp_parallelism",
        ],
        ToolFile::Maxtext,
    ),
    (
        &[
            "torchtitan.train",
            "framework: torchtitan",
            "import torchtitan",
            "from torchtitan",
            "data_parallel_shard_degree:",
        ],
        ToolFile::Torchtitan,
    ),
    (&["--parallelism.", "--training.local_batch_size", "--training.seq_len"], ToolFile::Torchtitan),
    (
        &[
            "actor_rollout_ref.",
            "actor_rollout_ref:",
            "worker.actor.",
            "trainer.policy.",
            "megatron_cfg:",
            "dtensor_cfg:",
            "actor_train:",
            "train_global_batch_size",
            "--actor.",
            "batch_accumulation_per_replica:",
        ],
        ToolFile::Other,
    ),
    (&SWIFT, ToolFile::MegatronLm),
    (
        &[
            "--per_device_train_batch_size",
            "--gradient_accumulation_steps",
            "trl sft",
            "trl dpo",
            "llamafactory-cli train",
            "swift sft",
            "swift rlhf",
            "swift pt ",
        ],
        ToolFile::TrainingArguments,
    ),
    (
        &[
            "--num-layers",
            "--tensor-model-parallel-size",
            "--micro-batch-size",
            "--pipeline-model-parallel-size",
        ],
        ToolFile::MegatronLm,
    ),
    (&["_component_: torchtune", "torchtune.models"], ToolFile::Torchtune),
    (&AXOLOTL, ToolFile::Axolotl),
    (&["distributed_type:", "compute_environment:", "fsdp_config:\n  fsdp_"], ToolFile::Accelerate),
    (
        &[
            "per_device_train_batch_size:",
            "gradient_accumulation_steps:",
            "num_train_epochs:",
            "max_seq_length:",
        ],
        ToolFile::TrainingArguments,
    ),
    (
        &[
            "tensor_model_parallel_size",
            "pipeline_model_parallel_size",
            "context_parallel_size",
            "train.global_batch_size",
            "train.micro_batch_size",
            "expert_model_parallel_size",
            "nemo.collections",
        ],
        ToolFile::MegatronBridge,
    ),
    (
        &["\ntrain:", "train_iters:", "trainer.num_nodes", "distributed_fused_adam", "megatron_amp"],
        ToolFile::MegatronBridge,
    ),
    (&["[parallelism]", "[training]", "[activation_checkpoint]", "flavor ="], ToolFile::Torchtitan),
    (&["#SBATCH", "#PBS", "srun ", "sbatch ", "salloc "], ToolFile::Slurm),
    (&["zero_optimization", "zero_stage:"], ToolFile::Accelerate),
    (&COMMANDS, ToolFile::Slurm),
];

fn of_configuration(text: &str, words: &dyn Fn(&[&str]) -> bool) -> Option<ToolFile> {
    // Forks of Megatron-LM have underscores for dashes; Megatron-Bridge's launcher has no widths.
    if text.contains("--hidden_size") && text.contains("--tensor_model_parallel_size") {
        return Some(ToolFile::MegatronLm);
    }
    // Its name of the model is one of other tools, too.
    let model = || text.lines().any(|line| line.starts_with("base_model:"));
    let found = CONFIGURATIONS
        .into_iter()
        .find(|(names, kind)| words(names) && (*kind != ToolFile::Axolotl || model()))
        .map(|entry| entry.1);
    let options = ["--nodes", "--gpus-per-node", "--ntasks-per-node", "--gres=gpu"];
    found.or_else(|| (text.trim_start().starts_with('-') && words(&options)).then_some(ToolFile::Slurm))
}

/// Parts of names that a trainer's settings have, whatever it is called.
const USUAL: [&str; 9] = [
    "batch_size",
    "batchsize",
    "seq_len",
    "sequence_length",
    "max_length",
    "num_gpus",
    "gpus_per_node",
    "num_nodes",
    "n_layers",
];

/// Whether a text sets at least two things that trainers do.
fn has_usual_names(text: &str) -> bool {
    let text = text.to_ascii_lowercase().replace('-', "_");
    USUAL.iter().filter(|name| text.contains(**name)).count() > 1
}

/// A Hub name is alone on one line.
fn of_name(start: &str) -> Option<ToolFile> {
    let name = start.trim_end();
    let plain = !name.is_empty() && name.len() < 200 && !name.contains(char::is_whitespace);
    let known = || super::hub::find(name).is_some();
    (plain && (name.matches('/').count() == 1 || name.contains("huggingface.co/") || known()))
        .then_some(ToolFile::Hub)
}
