//! What a step does, in Megatron's names: batch, precision, recompute, overlap, offloading.

use super::super::ImportError;
use super::super::read::trainer;
use super::super::settings::{Number, Setting, quoted};
use super::{Dialect, Reader, digit, named_optimizer};
use crate::scenario::plan::Modules;

impl Reader<'_> {
    /// Batch, precision and what overlaps.
    pub(super) fn step(&mut self) -> Result<(), ImportError> {
        self.batch()?;
        self.precision()?;
        self.overlap()?;
        self.offload()
    }

    fn batch(&mut self) -> Result<(), ImportError> {
        let sequence =
            ["seq_length", "encoder_seq_length", "sequence_length", "packing_length", "max_length"];
        match self.settings.whole(&sequence)? {
            Some(number) => self.draft.number("seq", &number),
            None => {
                self.open("seq", &sequence);
            }
        }
        let micro = self.settings.whole(&["micro_batch_size", "batch_size"])?;
        match micro {
            Some(number) => self.draft.number("mb", &number),
            None if self.open("mb", &["micro_batch_size"]) => {}
            None if self.in_tokens()? => {}
            None if self.dialect == Dialect::Bridge => {
                self.draft.note(Some("mb"), "Not set, and the value of the recipe is unknown.");
            }
            None => self.draft.assume("mb", 1, "the micro-batch is not in the file"),
        }
        match self.settings.whole(&["global_batch_size"])? {
            Some(number) => self.draft.number("gb", &number),
            None if self.open("gb", &["global_batch_size"]) => {}
            None if self.of_rollouts()? => {}
            None if self.settings.knows("gradient_accumulation_steps") => {
                trainer::batch(self.settings, self.draft, &["micro_batch_size"], None, 1)?;
            }
            None if self.dialect == Dialect::Swift => {
                self.draft.assume("gb", 16, "not set; framework default");
            }
            None => self.one_micro_batch(),
        }
        self.length_of_run()
    }

    /// slime's micro-batch, where it is counted in tokens of a GPU; whether it is.
    fn in_tokens(&mut self) -> Result<bool, ImportError> {
        if !self.flag(&["use_dynamic_batch_size"])? {
            return Ok(false);
        }
        let Some(each) = self.settings.whole(&["max_tokens_per_gpu"])? else { return Ok(false) };
        let tokens = each.value.saturating_mul(i64::from(self.draft.degree("cp")));
        match self.draft.whole("seq") {
            Some(length) => {
                let sequences = tokens.checked_div(i64::from(length)).unwrap_or(1).max(1);
                self.draft.set("mb", sequences, &each.setting);
                let text = format!(
                    "{sequences}: at most {tokens} tokens. The forecast assumes sequences of equal length."
                );
                self.draft.note(Some("mb"), text);
            }
            None => self.draft.lacks(
                "mb",
                format!(
                    "{}: at most {tokens} tokens, but the sequence length is not in the file",
                    each.setting.path
                ),
            ),
        }
        Ok(true)
    }

    /// slime's global batch: the samples of a rollout, in as many steps as are taken with them; whether it is given so.
    fn of_rollouts(&mut self) -> Result<bool, ImportError> {
        if !self.settings.knows("num_steps_per_rollout") {
            return Ok(false);
        }
        let prompts = self.settings.whole(&["rollout_batch_size"])?;
        let samples = self.settings.whole(&["n_samples_per_prompt"])?.map_or(1, |samples| samples.value);
        let steps = self.settings.whole(&["num_steps_per_rollout"])?.map_or(1, |steps| steps.value);
        let Some(prompts) = prompts else { return Ok(false) };
        let batch = prompts.value.saturating_mul(samples).checked_div(steps).unwrap_or(0);
        self.draft.set("gb", batch, &prompts.setting);
        Ok(true)
    }

    /// The parser's default: one micro-batch a replica.
    fn one_micro_batch(&mut self) {
        let group = self
            .draft
            .degree("tp")
            .saturating_mul(self.draft.degree("pp"))
            .saturating_mul(self.draft.degree("cp"));
        if let (Some(gpus), Dialect::Lm) = (self.draft.whole("n"), self.dialect) {
            let batch = (gpus / group.max(1)).max(1).saturating_mul(self.draft.degree("mb"));
            self.draft.assume(
                "gb",
                batch,
                "the global batch is not set; default: one micro-batch per replica",
            );
        } else {
            self.draft.batch_follows = self.dialect == Dialect::Lm;
        }
    }

    /// Tokens of the whole run, where its steps or samples are given.
    fn length_of_run(&mut self) -> Result<(), ImportError> {
        let samples = self.settings.whole(&["train_samples"])?;
        let steps = self.settings.whole(&["train_iters", "max_steps"])?;
        let (Some(sequence), Some(batch)) = (self.draft.whole("seq"), self.draft.whole("gb")) else {
            return Ok(());
        };
        let (number, each) = match (samples, steps) {
            (Some(samples), _) => (samples, f64::from(sequence)),
            (None, Some(steps)) => (steps, f64::from(sequence) * f64::from(batch)),
            (None, None) => return Ok(()),
        };
        if number.value > 0 {
            self.draft.set("tokens", number.value as f64 * each, &number.setting);
        }
        Ok(())
    }

    fn precision(&mut self) -> Result<(), ImportError> {
        let half = self.flag(&["fp16"])?;
        let brain = self.settings.flag(&["bf16"])?;
        let four = self.settings.text(&["fp4_format", "fp4"]);
        let eight = self
            .settings
            .text(&["fp8_format", "fp8"])
            .filter(|eight| !eight.value().eq_ignore_ascii_case("false"));
        let recipe = self.settings.text(&["fp8_recipe"]);
        let named = self.settings.text(&["compute_dtype", "mixed_precision", "precision"]);
        let named_recipe = named.as_ref().map(|setting| setting.value().to_ascii_lowercase());
        if let Some(setting) = four {
            self.draft.set("prec", "nvfp4", &setting);
        } else if let Some(setting) = eight {
            let recipe = recipe.as_ref().map_or("delayed", |recipe| recipe.value());
            match of_recipe(recipe) {
                Some(precision) => self.draft.set("prec", precision, &setting),
                None => return Err(setting.wrong("unknown FP8 recipe")),
            }
        } else if let Some(setting) = named {
            match of_name(setting.value()) {
                Some(precision) => self.draft.set("prec", precision, &setting),
                None => self.draft.ignore(&setting, "This precision is not supported."),
            }
        } else if half {
            self.draft.put("prec", "fp16");
        } else if brain == Some(true) || self.dialect == Dialect::Bridge {
            self.draft.put("prec", "bf16");
        } else {
            self.draft.assume("prec", "bf16", "the file sets neither BF16 nor FP16, and FP32 is unsupported");
        }
        self.layers_in_bf16(named_recipe.as_deref())
    }

    /// First and last layers that keep BF16: as counted, one each where only the switch is given, or those of the named
    /// recipe of mixed precision.
    fn layers_in_bf16(&mut self, recipe: Option<&str>) -> Result<(), ImportError> {
        let counts = [
            self.settings.whole(&["num_layers_at_start_in_bf16"])?,
            self.settings.whole(&["num_layers_at_end_in_bf16"])?,
        ];
        let of_recipe = recipe.map(kept_by).or((self.dialect == Dialect::Lm).then_some([0; 2]));
        let some = of_recipe.filter(|kept| *kept != [0; 2]);
        let on = self.settings.flag(&["first_last_layers_bf16"])?.or(of_recipe.map(|_| some.is_some()));
        let Some(on) = on else { return Ok(()) };
        let kept = if on { some.unwrap_or([1; 2]) } else { [0; 2] };
        for ((key, count), kept) in ["bfs", "bfe"].into_iter().zip(&counts).zip(kept) {
            match count.as_ref().filter(|_| on) {
                Some(count) => self.draft.set(key, count.value, &count.setting),
                None => self.draft.put(key, kept),
            }
        }
        Ok(())
    }

    fn overlap(&mut self) -> Result<(), ImportError> {
        let tensor = self.flag(&["tp_comm_overlap", "ub_tp_comm_overlap"])?;
        self.draft.put("tpo", digit(tensor));
        let experts = self.flag(&["overlap_moe_expert_parallel_comm", "moe_a2a_overlap"])?;
        self.draft.put("epo", digit(experts));
        let without = self.flag(&["no_overlap_p2p_communication"])?;
        let with = self.settings.flag(&["overlap_p2p_comm", "overlap_p2p_communication"])?;
        if self.draft.degree("pp") > 1 {
            // Megatron overlaps sends of interleaved pipelines only.
            let interleaved = self.draft.degree("vpp") > 1;
            self.draft.put("ppo", digit(interleaved && with.unwrap_or(!without)));
        }
        Ok(())
    }

    /// What is recomputed.
    pub(super) fn recompute(&mut self) -> Result<(), ImportError> {
        let off = |setting: &Setting| ["none", "None"].contains(&setting.value());
        if self.settings.word(&["recompute_granularity"]).is_some_and(|last| off(&last)) {
            self.draft.put("rc", "none");
            return Ok(());
        }
        let granularity =
            self.settings.text(&["recompute_granularity", "activations_checkpoint_granularity"]);
        let old = self.flag(&["checkpoint_activations", "deepspeed_activation_checkpointing"])?;
        // Bridge's launcher enables what it is given the extent of.
        let bridge = self.dialect == Dialect::Bridge;
        let launcher = |setting: &Setting| bridge && setting.path.starts_with("--");
        let selective = self.flag(&["recompute_activations"])?;
        let modules = self.settings.text(&["recompute_modules"]);
        // Before there was a granularity, a method meant whole layers.
        let before = self.dialect == Dialect::Lm && self.settings.knows("activations_checkpoint_method");
        let method = self.settings.text(&["recompute_method", "activations_checkpoint_method"]);
        let some = self.settings.whole(&["recompute_num_layers", "activations_checkpoint_num_layers"])?;
        let counted = some.as_ref().is_some_and(|some| launcher(&some.setting));
        let listed = modules.as_ref().is_some_and(launcher);
        if let Some(other) =
            granularity.as_ref().filter(|setting| !["full", "selective", "none"].contains(&setting.value()))
        {
            return Err(other.wrong(&format!("expected full or selective, not {}", quoted(other.value()))));
        }
        match granularity.as_ref().map(|granularity| granularity.value()) {
            Some("full") => self.draft.put("rc", "full"),
            Some("none") => self.draft.put("rc", "none"),
            Some(_) => self.modules(modules.as_ref()),
            None if old || counted || before => self.draft.put("rc", "full"),
            None if selective || listed => self.modules(modules.as_ref()),
            None if self.dialect == Dialect::Swift => {
                self.draft.assume("rc", "selective", "not set; framework default");
            }
            None => self.draft.put("rc", "none"),
        }
        if self.draft.text("rc") == Some("full") && some.as_ref().is_some_and(|some| some.value == 0) {
            self.draft.put("rc", "none");
        }
        let in_blocks = method.map_or(counted, |method| method.value() == "block");
        if let Some(some) = some.filter(|_| in_blocks && self.draft.text("rc") == Some("full")) {
            self.some_layers(&some);
        }
        Ok(())
    }

    /// The block method: the first n layers of every chunk, where the field has every n-th.
    fn some_layers(&mut self, some: &Number) {
        let chunks = self.draft.degree("pp").saturating_mul(self.draft.degree("vpp"));
        let Some(held) = self.draft.whole("layers").map(|layers| layers / chunks.max(1)) else {
            self.draft.ignore(
                &some.setting,
                "The share of recomputed layers depends on the number of layers, which is not in the file.",
            );
            return;
        };
        let recomputed = u32::try_from(some.value).unwrap_or(0).clamp(1, held.max(1));
        let every = (f64::from(held) / f64::from(recomputed)).round().max(1.0) as u32;
        self.draft.set("rcn", every, &some.setting);
        if recomputed.saturating_mul(every) != held {
            let text = format!(
                "{every}: nearest value for recomputation of {recomputed} of {held} layers per stage."
            );
            self.draft.note(Some("rcn"), text);
        }
    }

    fn modules(&mut self, modules: Option<&Setting>) {
        let Some(setting) = modules else {
            self.draft.put("rc", "selective");
            return;
        };
        let mut set = Modules::NONE;
        let names = setting.value().trim_matches(['[', ']']).to_owned();
        for name in names
            .split([',', ' '])
            .map(|name| name.trim_matches(['"', '\'', ' ']))
            .filter(|name| !name.is_empty())
        {
            match name {
                "core_attn" => set = set.and(Modules::ATTENTION_CORE),
                "layernorm" => set = set.and(Modules::NORMS),
                "moe_act" => set = set.and(Modules::ACTIVATION),
                "mlp" | "moe" => set = set.and(Modules::FEED_FORWARD),
                "mla_up_proj" => set = set.and(Modules::LATENT_UP),
                other => {
                    self.draft.ignore(setting, format!("Recomputation of only {other} is not supported."))
                }
            }
        }
        if set.is_empty() {
            self.draft.put("rc", "none");
        } else {
            self.draft.put("rc", "modules");
            self.draft.set("rcm", set.names(), setting);
        }
    }

    /// The optimizer, and the formats of its states and of gradients.
    pub(super) fn optimizer(&mut self) -> Result<(), ImportError> {
        let named = self.settings.text(&["optimizer"]).or_else(|| self.settings.of_path("optim.name"));
        if let Some(setting) = named
            && named_optimizer(&setting, self.draft) == Some("sgd")
        {
            // Megatron's has momentum.
            self.draft.set("opt", "sgdm", &setting);
        }
        self.muon()?;
        let aware = self.flag(&["use_precision_aware_optimizer"])?;
        let first = self.settings.text(&["exp_avg_dtype"]);
        let second = self.settings.text(&["exp_avg_sq_dtype"]);
        let bits = |setting: &Setting| match setting.value().trim_start_matches("torch.") {
            "bf16" | "fp16" | "bfloat16" | "float16" => Some("16"),
            "fp8" | "uint8" => Some("8"),
            "fp32" | "float32" => Some("32"),
            _ => None,
        };
        if let (Some(first), Some(second)) = (first.filter(|_| aware), second) {
            match (bits(&first), bits(&second)) {
                (Some(one), Some(other)) if one == other => self.draft.set("ost", one, &first),
                _ => self.draft.ignore(&second, "Optimizer states in two formats are not supported."),
            }
        }
        let reduced = self.settings.text(&["main_grads_dtype"]).filter(|_| aware);
        let half = self.flag(&["grad_reduce_in_bf16"])?;
        let single = self.settings.flag(&["accumulate_allreduce_grads_in_fp32", "grad_reduce_in_fp32"])?;
        match (reduced.as_ref().and_then(bits), single) {
            (Some(bits), _) if bits != "8" => self.draft.put("grads", bits),
            (_, Some(single)) => self.draft.put("grads", if single { "32" } else { "16" }),
            (_, None) if half => self.draft.put("grads", "16"),
            _ => {}
        }
        Ok(())
    }

    /// What Muon does with parts of matrices.
    fn muon(&mut self) -> Result<(), ImportError> {
        let mode = self.settings.text(&["muon_tp_mode"]);
        if self.flag(&["use_layer_sharding_muon"])? {
            self.draft.put("muon", "layer");
        } else if let Some(mode) = mode {
            self.draft.set("muon", mode.value().to_owned(), &mode);
        }
        Ok(())
    }

    fn offload(&mut self) -> Result<(), ImportError> {
        let optimizer = self.flag(&["optimizer_cpu_offload"])?;
        self.draft.put("oo", digit(optimizer));
        let fraction = self.settings.text(&["optimizer_offload_fraction"]);
        if let Some(fraction) = fraction.filter(|fraction| optimizer && fraction.value().parse() != Ok(1.0)) {
            self.draft.ignore(&fraction, "Partial optimizer offload is treated as full.");
        }
        if let Some(modules) = self.settings.word(&["fine_grained_activation_offloading"])
            && ["true", "True", ""].contains(&modules.value())
        {
            self.draft.ignore(&modules, "Activation offload of single modules is not supported.");
        }
        let on = self.settings.flag(&["cpu_offloading"])?;
        let layers = self.settings.whole(&["cpu_offloading_num_layers"])?;
        let share = match (layers, self.draft.whole("layers")) {
            (Some(number), Some(layers)) if on != Some(false) => {
                (number.value.max(0) as f64 / f64::from(layers.max(1)) * 100.0).round().min(100.0)
            }
            _ => 0.0,
        };
        self.draft.put("oa", share);
        Ok(())
    }

    /// Training that a step of one model on one sequence does not describe.
    pub(super) fn preferences(&mut self) {
        let kind = self.settings.text(&["rlhf_type", "train_impl"]);
        if let Some(kind) = kind.filter(|kind| kind.value() != "normal") {
            let text = "Reference model, preference pairs and generation are not modelled. The forecast memory and time are too low.";
            self.draft.ignore(&kind, text);
        }
    }

    /// Software: the framework, graphs, kernels of experts.
    pub(super) fn software(&mut self) -> Result<(), ImportError> {
        let stack = match self.dialect {
            Dialect::Lm if self.settings.has("deepspeed") || self.settings.has("zero_stage") => {
                "megatron-deepspeed"
            }
            Dialect::Lm | Dialect::Swift => "megatron-lm",
            Dialect::Bridge if self.is_nemo() => "nemo",
            // Primus starts Megatron-LM.
            Dialect::Bridge
                if self.settings.iter().any(|setting| setting.path.starts_with("modules.pre_trainer")) =>
            {
                "megatron-lm"
            }
            Dialect::Bridge => "megatron-bridge",
        };
        self.draft.put("stack", stack);
        self.flag(&["deepspeed"])?;
        if let Some(file) = self.settings.text(&["deepspeed_config"]) {
            self.draft.ignore(&file, "The DeepSpeed configuration is in another file. Add that file.");
        }
        let implementation = self.settings.text(&["cuda_graph_impl"]);
        let old = self.flag(&["enable_cuda_graph", "external_cuda_graph"])?;
        self.draft.put("graphs", digit(old || implementation.is_some()));
        let fused = self.flag(&["use_transformer_engine_op_fuser"])?;
        self.draft.put("xk", if fused { "fused" } else { "per-expert" });
        self.dispatcher()?;
        self.draft.note(None, "The software release is not in the file.");
        Ok(())
    }

    /// How tokens are sent to their experts. Megatron's all-gather is nothing that a field says.
    fn dispatcher(&mut self) -> Result<(), ImportError> {
        self.flag(&["moe_enable_deepep"])?;
        if self.flag(&["moe_router_force_load_balancing"])? {
            self.draft.put("xr", "even");
        }
        if let Some(setting) = self.settings.text(&["moe_token_dispatcher_type"]) {
            match setting.value() {
                "alltoall" => self.draft.set("xd", "all-to-all", &setting),
                "flex" => self.draft.set("xd", "deepep", &setting),
                _ => self.draft.ignore(&setting, "This token dispatcher is not supported."),
            }
        }
        Ok(())
    }

    /// Whether the names are NeMo's: its trainer, and its collections.
    fn is_nemo(&self) -> bool {
        self.settings.iter().any(|setting| {
            setting.path.split('.').any(|part| part == "trainer")
                || setting.value().contains("nemo.collections")
        })
    }
}

/// Precision of a recipe of FP8.
fn of_recipe(recipe: &str) -> Option<&'static str> {
    match recipe {
        "delayed" | "tensorwise" => Some("fp8"),
        "blockwise" => Some("fp8-block"),
        "mxfp8" => Some("mxfp8"),
        _ => None,
    }
}

/// First and last layers that a recipe of mixed precision keeps in BF16
/// (`megatron/bridge/training/mixed_precision.py` of <https://github.com/NVIDIA-NeMo/Megatron-Bridge>, 0.6.0).
pub(crate) fn kept_by(recipe: &str) -> [u32; 2] {
    match recipe {
        "nemotron_h_bf16_with_fp8_current_scaling_mixed" | "nanov2_bf16_with_fp8_current_scaling_mixed" => {
            [2, 2]
        }
        "nemotron_3_super_bf16_with_nvfp4_mixed" => [0, 14],
        "bf16_with_fp8_current_scaling_mixed" | "fp16_with_fp8_current_scaling_mixed" => [1, 1],
        _ => [0, 0],
    }
}

/// Precision of a recipe's name of mixed precision, `bf16_with_mxfp8_mixed`, or of NeMo's trainer, `bf16-mixed`.
fn of_name(name: &str) -> Option<&'static str> {
    let name = name.to_ascii_lowercase();
    let table = [
        ("nvfp4", "nvfp4"),
        ("mxfp8", "mxfp8"),
        ("fp8_mx", "mxfp8"),
        ("subchannel", "fp8-block"),
        ("fp8_sc", "fp8-block"),
        ("fp8", "fp8"),
        ("bf16", "bf16"),
        ("bfloat16", "bf16"),
        ("16", "fp16"),
    ];
    table.iter().find(|(part, _)| name.contains(part)).map(|entry| entry.1)
}
