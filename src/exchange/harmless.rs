//! Settings that are known to change neither the time nor the memory of a step, by name.

/// Settings of one reason.
struct Group {
    reason: &'static str,
    /// Whole names.
    names: &'static [&'static str],
    /// Beginnings of names.
    beginnings: &'static [&'static str],
    /// Tables whose settings are all of this kind.
    tables: &'static [&'static str],
}

const GROUPS: [Group; 5] = [
    Group {
        reason: "Data loading is not modelled.",
        names: &[
            "data",
            "data_path",
            "data_dir",
            "data_file",
            "data_impl",
            "data_cache_path",
            "data_name",
            "train_data_path",
            "valid_data_path",
            "test_data_path",
            "train_file",
            "validation_file",
            "dataset",
            "datasets",
            "train_dataset",
            "vocab_file",
            "merge_file",
            "merges_file",
            "split",
            "num_workers",
            "mock_data",
            "blend",
            "template",
            "per_split_data_args_path",
            "reset_position_ids",
            "reset_attention_mask",
            "eod_mask_loss",
            "no_create_attention_mask_in_dataloader",
            "no_mmap_bin_files",
            "trust_remote_code",
            "hf_assets_path",
            "make_vocab_size_divisible_by",
            "streaming",
            "columns",
            "split_dataset_ratio",
            "train_on_inputs",
            "tokenizer",
            "special_tokens",
            "chat_template",
            "data_sharding",
            "random_seed",
            "shuffle",
            "legacy_tokenizer",
        ],
        beginnings: &[
            "tokenizer_",
            "dataset_",
            "dataloader_",
            "preprocessing_",
            "data_args",
            "hf_",
            "grain_",
        ],
        tables: &["tokenizer", "dataset", "dataloader", "data_module"],
    },
    Group {
        reason: "Checkpoint files, evaluation and logs are not modelled.",
        names: &[
            "save",
            "load",
            "load_dir",
            "load_checkpoint",
            "load_safetensors",
            "load_best_model_at_end",
            "load_iteration",
            "pretrained_checkpoint",
            "non_persistent_ckpt_type",
            "finetune",
            "no_load_optim",
            "no_load_rng",
            "no_save_optim",
            "no_save_rng",
            "async_save",
            "auto_detect_ckpt_format",
            "dist_ckpt_format",
            "use_dist_ckpt",
            "use_checkpoint_args",
            "output_dir",
            "base_output_directory",
            "overwrite_output_dir",
            "run_name",
            "name",
            "project",
            "experiment_name",
            "report_to",
            "push_to_hub",
            "timing_log_level",
            "timing_log_option",
            "log_throughput",
            "log_interval",
            "dump_folder",
            "description",
            "print_args",
            "enable_checkpointing",
            "enable_tensorboard",
            "async_checkpointing",
            "resume_from_checkpoint",
            "plot_loss",
            "verbose",
            "logger",
            "log_validation_ppl_to_tensorboard",
            "val_check_interval",
            "limit_val_batches",
            "limit_test_batches",
            "use_profiler",
            "use_pytorch_profiler",
            "strict_fsdp_dtensor_load",
        ],
        beginnings: &[
            "save_",
            "ckpt_",
            "checkpoint_period",
            "wandb",
            "tensorboard",
            "log_",
            "logging_",
            "eval_",
            "exit_",
            "profile_",
            "mlflow_",
            "comet_",
            "hub_",
            "swanlab",
            "validation_",
        ],
        tables: &[
            "logger",
            "checkpoint",
            "metrics",
            "profiling",
            "profiler",
            "validation",
            "exp_manager",
            "comm",
            "experiment",
            "job",
            "debug",
        ],
    },
    Group {
        reason: "Affects training quality, not the step time.",
        names: &[
            "lr",
            "min_lr",
            "max_lr",
            "learning_rate",
            "weight_decay",
            "clip_grad",
            "max_grad_norm",
            "grad_clip",
            "seed",
            "init_method_std",
            "init_std",
            "attention_dropout",
            "hidden_dropout",
            "dropout",
            "norm_epsilon",
            "layernorm_epsilon",
            "rotary_base",
            "rotary_percent",
            "rotary_seq_len_interpolation_factor",
            "use_rope_scaling",
            "rope_scaling_factor",
            "rope_theta",
            "rotary_scaling_factor",
            "mscale",
            "mscale_all_dim",
            "beta1",
            "beta2",
            "eps",
            "adam_beta1",
            "adam_beta2",
            "adam_eps",
            "adam_epsilon",
            "sgd_momentum",
            "start_weight_decay",
            "end_weight_decay",
            "weight_decay_incr_style",
            "max_norm",
            "override_opt_param_scheduler",
            "use_checkpoint_opt_param_scheduler",
            "moe_aux_loss_coeff",
            "moe_z_loss_coeff",
            "moe_router_load_balancing_type",
            "moe_router_score_function",
            "moe_router_topk_scaling_factor",
            "moe_router_enable_expert_bias",
            "moe_router_bias_update_rate",
            "moe_router_num_groups",
            "moe_router_group_topk",
            "moe_router_dtype",
            "mtp_loss_scaling_factor",
            "initial_loss_scale",
            "loss_scale",
            "loss_scale_window",
            "min_loss_scale",
            "hysteresis",
            "num_train_epochs",
            "epochs",
            "deterministic_mode",
            "no_rope_freq",
            "original_max_position_embeddings",
            "attention_softmax_in_fp32",
            "deterministic",
        ],
        beginnings: &["lr_", "warmup", "adam_beta", "learning_rate_", "optimizer_betas"],
        tables: &["scheduler", "lr_scheduler"],
    },
    Group {
        reason: "Process rendezvous does not affect the forecast.",
        names: &[
            "master_addr",
            "master_port",
            "main_process_ip",
            "main_process_port",
            "node_rank",
            "machine_rank",
            "distributed_backend",
            "distributed_timeout_minutes",
            "hostfile",
            "local_rank",
            "rank",
            "local_ranks_filter",
            "role",
            "tee",
            "redirects",
            "same_network",
            "main_training_function",
            "standalone",
            "module",
            "max_restarts",
            "monitor_interval",
            "log_dir",
        ],
        beginnings: &["rdzv_"],
        tables: &[],
    },
    Group {
        reason: "Job scheduling does not affect the forecast.",
        names: &[
            "job_name",
            "J",
            "partition",
            "p",
            "account",
            "A",
            "qos",
            "q",
            "time",
            "t",
            "output",
            "o",
            "error",
            "e",
            "mem",
            "mem_per_cpu",
            "mem_per_gpu",
            "cpus_per_task",
            "cpus_per_gpu",
            "c",
            "exclusive",
            "chdir",
            "D",
            "export",
            "open_mode",
            "signal",
            "requeue",
            "no_requeue",
            "comment",
            "dependency",
            "array",
            "wait",
            "hint",
            "threads_per_core",
            "nodelist",
            "w",
            "exclude",
            "x",
            "reservation",
            "mpi",
            "kill_on_bad_exit",
            "label",
            "l",
            "unbuffered",
            "jobid",
            "cpu_bind",
            "gpu_bind",
            "wait_all_nodes",
            "mail_type",
            "mail_user",
            "segment",
            "overlap",
            "distribution",
            "parsable",
            "no_container_mount_home",
        ],
        beginnings: &["container_", "mail_"],
        tables: &[],
    },
];

/// Arguments that name a file with the job's own settings.
const CONFIGURATIONS: [&str; 4] = ["config", "config_file", "config_path", "cfg"];

/// Whether an argument names a file with the job's own settings, or is the name of one.
pub(super) fn names_configuration(path: &str, value: &str) -> bool {
    let name = path.strip_prefix("--").unwrap_or_default();
    let name = name.rsplit('.').next().unwrap_or_default().replace('-', "_");
    let by_option = CONFIGURATIONS.contains(&name.as_str()) || path == "defaults";
    let named = is_configuration(value) || value.ends_with(if by_option { ".json" } else { ".sh" });
    (by_option || path == value) && named
}

/// Whether a text is the name of a file that programs are configured by, and that holds no data.
pub(super) fn is_configuration(text: &str) -> bool {
    [".yaml", ".yml", ".toml"].iter().any(|end| text.ends_with(end))
}

/// Why a setting of a path is of no account; nothing where it is not known to be.
pub(super) fn reason(path: &str) -> Option<&'static str> {
    let path = path.trim_start_matches(['-', '+']).replace('-', "_");
    let mut parts = path.rsplit('.');
    // YAML of Megatron-LM's arguments keeps their dashes behind the table's name.
    let name = parts.next().unwrap_or_default().trim_start_matches('_');
    let tables: Vec<&str> = parts.collect();
    // Names of runs and projects change nothing, that of an optimizer does.
    if name == "name" && tables.first().is_some_and(|table| ["optim", "optimizer"].contains(table)) {
        return None;
    }
    let of = |group: &&Group| {
        group.names.contains(&name)
            || group.beginnings.iter().any(|beginning| name.starts_with(beginning))
            || tables.iter().any(|table| group.tables.contains(table))
    };
    GROUPS.iter().find(of).map(|group| group.reason)
}

#[cfg(test)]
mod tests {
    use super::reason;

    #[test]
    fn only_known_names_are_of_no_account() {
        for name in [
            "--data-path",
            "--lr",
            "model.optim.sched.warmup_steps",
            "--save",
            "rdzv_endpoint",
            "checkpoint.interval",
            "MODEL_ARGS.--save",
        ] {
            assert!(reason(name).is_some(), "{name}");
        }
        // Each was called harmless once, by a part of its name.
        for name in [
            "data_types.grad_accum_dtype",
            "training.data_parallel_shard_degree",
            "--num_layers",
            "communication_data_type",
            "--cross-entropy-loss-fusion",
            "--checkpoint-activations",
            "--load_in_4bit",
            "--split-layers",
            "--lora_rank",
            "optimizer.name",
        ] {
            assert_eq!(reason(name), None, "{name}");
        }
    }
}
