//! Low-rank adapters, as Megatron-Bridge and NeMo name them.

use super::super::ImportError;
use super::Reader;

impl Reader<'_> {
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
                let text = "Tuning of this kind is not modelled: all parameters are taken to be trained.";
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
            None => self.draft.assume("lorat", usual, "not given, and it is the framework's default"),
        }
        self.draft.put("base", "16");
        Ok(())
    }
}
