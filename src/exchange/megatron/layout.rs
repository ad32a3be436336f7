//! The layout, in Megatron's names.

use super::super::ImportError;
use super::layers::{layout, stages_text};
use super::{Dialect, Reader, digit};

impl Reader<'_> {
    /// The degrees, and what goes with them.
    pub(super) fn layout(&mut self) -> Result<(), ImportError> {
        self.degree("tp", &["tensor_model_parallel_size", "model_parallel_size"])?;
        self.degree("pp", &["pipeline_model_parallel_size"])?;
        self.degree("cp", &["context_parallel_size"])?;
        let exchange = self.settings.text(&["cp_comm_type"]);
        let name = match exchange.as_ref().map(|exchange| exchange.value()) {
            Some("all_gather" | "allgather") => "all-gather",
            Some("a2a") => "all-to-all",
            _ => "ring",
        };
        self.draft.put("cpx", name);
        if let Some(mixed) = exchange.filter(|exchange| exchange.value().contains('+')) {
            self.draft.ignore(&mixed, "A ring of all-to-all groups is treated as a ring.");
        }
        let (tensor, sequence) = (self.draft.degree("tp"), self.flag(&["sequence_parallel"])?);
        // Of a degree that is not in the file, nothing is known that would switch it off.
        let open = self.draft.text("tp").is_none();
        if sequence && tensor == 1 && !open {
            self.draft.note(Some("sp"), "off: sequence parallelism needs TP 2 or higher.");
        }
        self.draft.put("sp", digit(sequence && (tensor > 1 || open)));
        self.degree("ep", &["expert_model_parallel_size", "moe_expert_parallel_size"])?;
        match self.settings.whole(&["expert_tensor_parallel_size", "expert_tensor_model_parallel_size"])? {
            Some(number) => self.draft.number("etp", &number),
            None if self.dialect != Dialect::Swift
                && self.draft.whole("moe").is_some_and(|experts| experts > 0)
                && tensor > 1 =>
            {
                self.draft.assume("etp", tensor, "not set; equals TP by default");
            }
            None if self.dialect != Dialect::Swift && tensor > 1 && self.draft.text("layers").is_none() => {
                self.draft.assume("etp", tensor, "not set; would equal TP by default");
            }
            None => self.draft.put("etp", 1),
        }
        let mapping = if self.flag(&["use_tp_pp_dp_mapping"])? { "tpd" } else { "tdp" };
        self.draft.put("map", mapping);
        Ok(())
    }

    /// Virtual stages, the split of the layers and the schedule.
    pub(super) fn stages(&mut self) -> Result<(), ImportError> {
        let pipeline = self.draft.degree("pp");
        self.draft.put("sched", "1f1b");
        let given = self.settings.text(&["pipeline_model_parallel_layout"]);
        let virtual_stages = self.virtual_stages(pipeline)?;
        self.draft.put("vpp", if pipeline > 1 { virtual_stages } else { 1 });
        let embedding = self.flag(&["account_for_embedding_in_pipeline_split"])?;
        let head = self.flag(&["account_for_loss_in_pipeline_split"])?;
        if let Some(given) = given {
            let chunks = layout(given.value())
                .ok_or_else(|| given.wrong("expected a pipeline layout such as Et*3|(tt|)*29,m|L"))?;
            let count = u32::try_from(chunks.len()).unwrap_or(u32::MAX);
            self.draft.set("vpp", (count / pipeline).max(1), &given);
            match stages_text(&chunks) {
                Some(text) => self.list(&text),
                None => self.draft.ignore(&given, "The pipeline layout has too many runs of equal stages."),
            }
        } else if embedding && head {
            self.draft.put("split", "ends");
        } else if let Some(text) = self.uneven_ends(pipeline, virtual_stages)? {
            self.list(&text);
        } else {
            if embedding || head {
                self.draft.note(
                    Some("split"),
                    "even: the forecast counts either both embedding and LM head as layers, or neither.",
                );
            }
            self.draft.put("split", "even");
        }
        Ok(())
    }

    fn list(&mut self, text: &str) {
        self.draft.put("split", "given");
        self.draft.put("stages", text);
    }

    fn virtual_stages(&mut self, pipeline: u32) -> Result<u32, ImportError> {
        let number = ["num_virtual_stages_per_pipeline_rank", "virtual_pipeline_model_parallel_size"];
        let given = self.settings.whole(&number)?;
        let layers_each = self.settings.whole(&["num_layers_per_virtual_pipeline_stage"])?;
        if let Some(number) = given {
            self.draft.source("vpp", &number.setting);
            return Ok(u32::try_from(number.value).unwrap_or(1).max(1));
        }
        let Some(each) = layers_each else { return Ok(1) };
        self.draft.source("vpp", &each.setting);
        let Some(layers) = self.draft.whole("layers") else {
            self.draft.ignore(
                &each.setting,
                "Virtual stages depend on the number of layers, which is not in the file.",
            );
            return Ok(1);
        };
        let chunk = u64::from(pipeline) * u64::try_from(each.value).unwrap_or(0);
        match u64::from(layers).checked_div(chunk) {
            Some(stages) if u64::from(layers).is_multiple_of(chunk) => Ok(u32::try_from(stages).unwrap_or(1)),
            _ => Err(each.setting.wrong(&format!(
                "{layers} layers are not divisible by {} layers per virtual stage \u{d7} {pipeline} stages",
                each.value
            ))),
        }
    }

    /// The list that a number of layers for the first or the last stage makes; nothing without one.
    fn uneven_ends(&mut self, pipeline: u32, virtual_stages: u32) -> Result<Option<String>, ImportError> {
        let first = self
            .settings
            .whole(&["decoder_first_pipeline_num_layers", "num_layers_in_first_pipeline_stage"])?;
        let last = self
            .settings
            .whole(&["decoder_last_pipeline_num_layers", "num_layers_in_last_pipeline_stage"])?;
        let Some(given) = first.as_ref().or(last.as_ref()).map(|number| number.setting.clone()) else {
            return Ok(None);
        };
        let Some(layers) = self.draft.whole("layers") else {
            self.draft
                .ignore(&given, "Layers per stage depend on the number of layers, which is not in the file.");
            return Ok(None);
        };
        let ends: Vec<Option<u32>> =
            [first, last].iter().map(|end| u32::try_from(end.as_ref()?.value).ok()).collect();
        let [first, last] = ends.as_slice() else { return Ok(None) };
        match dealt(layers, pipeline, virtual_stages, *first, *last) {
            Some(chunks) => Ok(stages_text(&chunks)),
            None => Err(given
                .wrong(&format!("the other stages cannot share the remaining layers (of {layers}) evenly"))),
        }
    }

    /// What data-parallel ranks shard, and what waits for them.
    pub(super) fn sharding(&mut self) -> Result<(), ImportError> {
        let fused = self
            .settings
            .iter()
            .any(|setting| setting.path.ends_with("optim.name") && setting.value().contains("distributed"));
        let distributed = self.settings.flag(&["use_distributed_optimizer"])?;
        let fsdp2 = self.flag(&["use_torch_fsdp2"])?;
        let fsdp = self.flag(&["use_megatron_fsdp", "use_custom_fsdp", "fsdp"])?;
        let strategy = self.settings.text(&["data_parallel_sharding_strategy", "fsdp_sharding_strategy"]);
        let outer = self.settings.text(&["outer_dp_sharding_strategy"]);
        let instances = self.settings.whole(&["num_distributed_optimizer_instances"])?;
        let instances = instances.filter(|number| number.value > 1);
        let stage = self.settings.whole(&["zero_stage"])?;
        let level = match (fsdp || fsdp2, strategy.as_ref().map(|strategy| strategy.value())) {
            (false, _) if stage.is_some() => stage.as_ref().map_or("0", |stage| stage.setting.value()),
            (true, _) if instances.is_some() => "hsdp",
            (true, Some("no_shard")) => "0",
            (true, Some("optim")) => "1",
            (true, Some("optim_grads" | "grad")) => "2",
            (true, Some("hybrid")) => "hsdp",
            (true, _) => "3",
            (false, _) if distributed.unwrap_or(fused || self.dialect == Dialect::Swift) => "1",
            (false, _) if distributed.is_none() && self.settings.has("actor_num_nodes") => {
                self.draft.assume("zero", 1, "slime always uses the distributed optimizer");
                "1"
            }
            (false, _) if distributed.is_none() && self.dialect == Dialect::Bridge => {
                self.draft.assume("zero", 1, "not set; recipes use the distributed optimizer");
                "1"
            }
            (false, _) => "0",
        };
        self.draft.put("zero", level);
        if let Some(outer) = outer.filter(|outer| outer.value() != "no_shard") {
            self.draft.ignore(&outer, "Sharding between the replicas of a sharding group is not modelled.");
        }
        if let Some(instances) = instances.filter(|_| level == "1") {
            let group =
                ["tp", "pp", "cp"].iter().fold(1, |all: u32, key| all.saturating_mul(self.draft.degree(key)));
            let ranks = self.draft.whole("n").map(|gpus| i64::from(gpus / group.max(1)));
            match ranks.and_then(|ranks| ranks.checked_div(instances.value)).filter(|size| *size > 0) {
                Some(size) => self.draft.set("shg", size, &instances.setting),
                None => self.draft.ignore(
                    &instances.setting,
                    "The sharding group size depends on the number of GPUs, which is not in the file.",
                ),
            }
        }
        self.data_overlap(level != "0")
    }

    fn data_overlap(&mut self, sharded: bool) -> Result<(), ImportError> {
        let reduce = self.settings.flag(&["overlap_grad_reduce", "overlap_grad_sync"])?;
        let gather = self.settings.flag(&["overlap_param_gather", "overlap_param_sync"])?;
        match (reduce, self.dialect) {
            (Some(on), _) => self.draft.put("dpo", digit(on)),
            (None, Dialect::Lm | Dialect::Swift) => self.draft.put("dpo", "0"),
            (None, Dialect::Bridge) => self.draft.assume("dpo", 1, "not set; on in recipes"),
        }
        if sharded {
            let lm = self.dialect != Dialect::Bridge;
            let reduces = reduce.unwrap_or(!lm);
            let gathers = gather.unwrap_or(if lm { false } else { reduces });
            self.draft.put("gao", if gathers == reduces { "same" } else { digit(gathers) });
        }
        Ok(())
    }
}

/// Layers of every chunk, where the first and the last stage have their own number and the others share the rest.
fn dealt(
    layers: u32,
    pipeline: u32,
    virtual_stages: u32,
    first: Option<u32>,
    last: Option<u32>,
) -> Option<Vec<u16>> {
    let given = u32::from(first.is_some()) + u32::from(last.is_some());
    let others = pipeline.checked_sub(given)?;
    let rest = layers.checked_sub(first.unwrap_or(0))?.checked_sub(last.unwrap_or(0))?;
    let share = if others == 0 { (rest == 0).then_some(0)? } else { rest.checked_div(others)? };
    (share * others == rest).then_some(())?;
    let mut chunks = Vec::new();
    for _ in 0..virtual_stages.min(4096) {
        for stage in 0..pipeline.min(4096) {
            let end = if stage == 0 { first } else { None };
            let end = end.or(if stage + 1 == pipeline { last } else { None });
            let held = end.unwrap_or(share);
            held.is_multiple_of(virtual_stages).then_some(())?;
            chunks.push(u16::try_from(held / virtual_stages).ok()?);
        }
    }
    Some(chunks)
}
