//! Names of Megatron-Core, as Megatron-LM's arguments, Megatron-Bridge's and NeMo's configurations spell them.
//!
//! Checked against Megatron-LM core_v0.19.0 (`megatron/training/arguments.py`, `transformer_config.py`) and
//! Megatron-Bridge v0.6.0 (`training/config.py`, `mixed_precision.py`, `comm_overlap.py`).

mod adapters;
mod hybrid;
mod layers;
mod layout;
mod shape;
mod step;

pub(super) use layers::{same_order, stages_text};
pub(super) use step::kept_by;

use super::ImportError;
use super::draft::Draft;
use super::read::everyday::named_optimizer;
use super::read::slurm::{gpus, machine_of};
use super::settings::{Setting, Settings};

/// Arguments that take no value, for the reader of scripts.
const FLAGS: &[&str] = &[
    "group_query_attention",
    "swiglu",
    "quick_geglu",
    "squared_relu",
    "xielu",
    "is_hybrid_model",
    "attention_output_gate",
    "untie_embeddings_and_output_weights",
    "disable_bias_linear",
    "add_qkv_bias",
    "multi_latent_attention",
    "sequence_parallel",
    "use_distributed_optimizer",
    "overlap_grad_reduce",
    "overlap_param_gather",
    "tp_comm_overlap",
    "overlap_moe_expert_parallel_comm",
    "no_overlap_p2p_communication",
    "optimizer_cpu_offload",
    "cpu_offloading",
    "use_tp_pp_dp_mapping",
    "account_for_embedding_in_pipeline_split",
    "account_for_loss_in_pipeline_split",
    "enable_cuda_graph",
    "external_cuda_graph",
    "use_torch_fsdp2",
    "use_megatron_fsdp",
    "use_custom_fsdp",
    "recompute_activations",
    "checkpoint_activations",
    "bf16",
    "fp16",
    "use_transformer_engine_op_fuser",
    "moe_grouped_gemm",
    "use_rotary_position_embeddings",
    "use_mcore_models",
    "no_position_embedding",
    "qk_layernorm",
    "moe_shared_expert_overlap",
    "moe_enable_deepep",
    "use_flash_attn",
    "mock_data",
    "use_te",
    "apply_layernorm_1p",
    "no_masked_softmax_fusion",
    "moe_permute_fusion",
    "moe_router_pre_softmax",
    "use_legacy_models",
    "no_load_optim",
    "no_load_rng",
    "log_throughput",
    "manual_gc",
    "fp8_param_gather",
    "attention_softmax_in_fp32",
    "accumulate_allreduce_grads_in_fp32",
    "no_gradient_accumulation_fusion",
    "exclusive",
    "no_async_tensor_model_parallel_allreduce",
    "cross_entropy_loss_fusion",
    "calculate_per_token_loss",
    "use_precision_aware_optimizer",
    "grad_reduce_in_bf16",
    "first_last_layers_bf16",
    "deepspeed_activation_checkpointing",
    "use_dynamic_batch_size",
];

/// Whether an argument takes no value.
pub(super) fn is_flag(name: &str) -> bool {
    FLAGS.contains(&name) || name.starts_with("no_")
}

/// Whose names and defaults a file has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Dialect {
    /// Megatron-LM's arguments: what is not given has the parser's default.
    Lm,
    /// Megatron-Bridge or NeMo: what is not given is the recipe's.
    Bridge,
    /// `megatron sft` of ms-swift, and its other commands: Megatron-LM's names with defaults of its own.
    Swift,
}

/// What a reader of Megatron's names works on.
struct Reader<'a> {
    settings: &'a mut Settings,
    draft: &'a mut Draft,
    dialect: Dialect,
}

/// GPT-NeoX's names (`megatron/neox_arguments`), and Megatron's.
const OF_NEOX: [(&str, &str); 12] = [
    ("pipe_parallel_size", "pipeline_model_parallel_size"),
    ("num_kv_heads", "num_query_groups"),
    ("intermediate_size", "ffn_hidden_size"),
    ("norm", "normalization"),
    ("pos_emb", "position_embedding_type"),
    ("no_weight_tying", "untie_embeddings_and_output_weights"),
    ("use_bias_in_mlp", "add_bias_linear"),
    ("train_micro_batch_size_per_gpu", "micro_batch_size"),
    ("train_batch_size", "global_batch_size"),
    ("stage", "zero_stage"),
    ("fp16.enabled", "fp16"),
    ("bf16.enabled", "bf16"),
];

impl Settings {
    /// Names settings of GPT-NeoX as Megatron-LM does.
    fn of_neox(&mut self) -> Result<(), ImportError> {
        if !self.has("pipe_parallel_size") {
            return Ok(());
        }
        OF_NEOX.iter().for_each(|(own, usual)| self.rename(own, usual));
        // No pipeline has none of its stages, and DeepSpeed's engine a name for that.
        if self.knows("pipeline_model_parallel_size")
            && self.whole(&["pipeline_model_parallel_size"])?.is_some_and(|number| number.value == 0)
        {
            self.push("pipeline_model_parallel_size".to_owned(), None, Some("1".to_owned()))?;
        }
        Ok(())
    }
}

/// Reads settings that are named by the last part of their paths.
pub(super) fn read(settings: &mut Settings, draft: &mut Draft, dialect: Dialect) -> Result<(), ImportError> {
    settings.of_neox()?;
    let mut reader = Reader { settings, draft, dialect };
    reader.shape()?;
    reader.machine()?;
    reader.layout()?;
    reader.stages()?;
    reader.sharding()?;
    reader.recompute()?;
    reader.step()?;
    reader.preferences();
    match dialect {
        Dialect::Swift => reader.swift_adapters()?,
        Dialect::Lm | Dialect::Bridge => reader.adapters()?,
    }
    reader.optimizer()?;
    reader.software()
}

impl Reader<'_> {
    /// A degree, or 1, which is the parser's default and said to be.
    fn degree(&mut self, key: &'static str, names: &[&str]) -> Result<(), ImportError> {
        match self.settings.whole(names)? {
            Some(number) => self.draft.number(key, &number),
            None if self.open(key, names) => {}
            None if self.dialect != Dialect::Bridge => {
                self.draft.assume(key, 1, "not set; the framework default is 1");
            }
            None => self.draft.assume(key, 1, "not set; a recipe may set another value"),
        }
        Ok(())
    }

    /// Whether a field's setting is there, with a value that is not in the file; said then.
    fn open(&mut self, key: &'static str, names: &[&str]) -> bool {
        let open = self.settings.unresolved(names).cloned();
        if let Some(setting) = &open {
            self.draft.unresolved(key, setting);
        }
        open.is_some()
    }

    /// A flag, which is off where it is not given.
    fn flag(&mut self, names: &[&str]) -> Result<bool, ImportError> {
        Ok(self.settings.flag(names)?.unwrap_or(false))
    }

    /// Number of GPUs: processes of a node times nodes.
    fn machine(&mut self) -> Result<(), ImportError> {
        if self.dialect == Dialect::Bridge {
            // Its launcher counts all GPUs by this name, others those of a node.
            self.settings.rename("num_gpus", "world_size");
            if let Some(gpu) = self.settings.text(&["gpu"]) {
                match machine_of(gpu.value()) {
                    Some(machine) => self.draft.set("g", machine, &gpu),
                    None => self.draft.ignore(&gpu, "Unknown GPU."),
                }
            }
        }
        gpus(self.settings, self.draft)
    }
}

/// `1` or `0`.
fn digit(on: bool) -> &'static str {
    if on { "1" } else { "0" }
}
