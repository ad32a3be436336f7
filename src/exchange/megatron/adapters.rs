//! Low-rank adapters, as Megatron-Bridge and NeMo name them.

use super::super::ImportError;
use super::super::settings::Setting;
use super::Reader;

/// Rank of Megatron-Bridge's and NeMo's LoRA where none is given.
const RECIPE_RANK: u32 = 32;

/// Rank of ms-swift's LoRA where none is given.
const SWIFT_RANK: u32 = 8;

impl Reader<'_> {
    /// Adapters of a recipe whose name says that it tunes them.
    pub(super) fn recipe_of_adapters(&mut self, recipe: &Setting) {
        if recipe.value().contains("_peft") {
            self.draft.assume("lora", RECIPE_RANK, "framework default for adapter recipes");
            self.draft.assume("lorat", "all", "not set; framework default");
            self.draft.put("base", "16");
        }
    }

    /// Adapters as ms-swift names them.
    pub(super) fn swift_adapters(&mut self) -> Result<(), ImportError> {
        let kind = self.settings.text(&["tuner_type", "train_type", "sft_type"]);
        let Some(kind) = kind.filter(|kind| kind.value().starts_with("lora")) else {
            self.draft.put("lora", 0);
            return Ok(());
        };
        match self.settings.whole(&["lora_rank"])? {
            Some(rank) => self.draft.number("lora", &rank),
            None => self.draft.assume("lora", SWIFT_RANK, "not set; framework default"),
        }
        let modules = self.settings.text(&["target_modules"]);
        let inner = modules.as_ref().is_none_or(|modules| {
            ["all", "fc1", "fc2", "mlp"].iter().any(|name| modules.value().contains(name))
        });
        self.draft.set("lorat", if inner { "all" } else { "attention" }, &kind);
        self.draft.put("base", "16");
        Ok(())
    }

    /// The rank of adapters, and the layers that have them, where a file speaks of either.
    pub(super) fn adapters(&mut self) -> Result<(), ImportError> {
        let scheme = self.settings.text(&["peft.peft_scheme", "model.peft.peft_scheme"]);
        let old =
            self.settings.whole(&["peft.lora_tuning.adapter_dim", "model.peft.lora_tuning.adapter_dim"])?;
        let new = self.settings.whole(&["peft.dim"])?;
        let (rank, usual) = match (&scheme, old, new) {
            // NeMo 1 lists every kind of tuning, and names the one that is meant.
            (Some(scheme), Some(old), _) if scheme.value() == "lora" => (old, "attention"),
            (Some(scheme), _, _) => {
                let text = "This fine-tuning method is not modelled. The forecast assumes that all parameters are trained.";
                self.draft.ignore(scheme, text);
                return Ok(());
            }
            (None, _, Some(new)) => (new, "all"),
            (None, _, None) => return Ok(()),
        };
        self.draft.number("lora", &rank);
        match self.settings.text(&["peft.target_modules", "model.peft.lora_tuning.target_modules"]) {
            Some(modules) => {
                let inner = ["fc1", "fc2", "mlp", "all"].iter().any(|name| modules.value().contains(name));
                self.draft.set("lorat", if inner { "all" } else { "attention" }, &modules);
            }
            None => self.draft.assume("lorat", usual, "not set; framework default"),
        }
        self.draft.put("base", "16");
        Ok(())
    }
}
