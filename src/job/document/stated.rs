//! Which fields are set, and which follow from the others.
//!
//! A job is a model, a machine and a number of GPUs. Its layout is planned, and its batch, sequence and software are what
//! people use for such a job, except for the fields that are set.

use super::Document;
use crate::fields::{FIELDS, Field, FieldGroup};
use crate::scenario::model::Model;
use crate::scenario::usual::{usual_batch, usual_sequence, usual_stack};

/// Fields of the layout that a search plans while they are not set. They are the axes of a search that it varies unless told otherwise.
const PLANNED: [&str; 12] =
    ["tp", "cp", "pp", "sp", "ep", "etp", "mb", "rc", "sched", "split", "vpp", "zero"];

/// Fields outside the layout that follow from others while they are not set, each behind those that it follows from.
pub const FOLLOWING: [&str; 3] = ["stack", "seq", "gb"];

/// Fields of the model that follow from its kind while nothing else is said of them: see [`Model::usual_activation`].
pub(super) const OF_KIND: [&str; 2] = ["act", "code"];

/// A set of fields that are not set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnsetFields(u32);

impl UnsetFields {
    /// Every field is set.
    pub(super) const NONE: Self = Self(0);
    /// Every field that can follow from others does.
    pub(super) const ALL: Self = Self((1 << (PLANNED.len() + FOLLOWING.len() + OF_KIND.len())) - 1);

    fn bit(key: &str) -> u32 {
        // A list of layers or of modules is part of the way that names it.
        let key = match key {
            "stages" => "split",
            "rcm" | "rcn" => "rc",
            key => key,
        };
        let place = PLANNED.iter().chain(&FOLLOWING).chain(&OF_KIND).position(|open| *open == key);
        place.map_or(0, |place| 1 << place)
    }

    pub(super) fn without(self, key: &str) -> Self {
        Self(self.0 & !Self::bit(key))
    }

    pub(super) fn with(self, key: &str) -> Self {
        Self(self.0 | Self::bit(key))
    }

    /// Those of [`OF_KIND`] in the set.
    fn only_kind(self) -> Self {
        Self(self.0 & OF_KIND.iter().fold(0, |bits, key| bits | Self::bit(key)))
    }

    /// The set with all fields of the layout, or none.
    pub(super) fn with_layout(self, open: bool) -> Self {
        PLANNED.iter().fold(self, |set, key| if open { set.with(key) } else { set.without(key) })
    }

    fn has(self, key: &str) -> bool {
        self.0 & Self::bit(key) != 0
    }
}

impl Document {
    /// Whether a field is set, and not left to follow from the others. Most fields always are.
    pub fn is_set(&self, key: &str) -> bool {
        !self.open.has(key)
    }

    /// Whether a field is of those that can be left to follow from the others.
    pub fn can_follow(key: &str) -> bool {
        UnsetFields::ALL.has(key)
    }

    /// Whether any field of the layout is left to a search.
    pub fn is_planned(&self) -> bool {
        PLANNED.iter().any(|key| !self.is_set(key) && self.applies(key))
    }

    /// Keys of the layout's fields that are set and have an effect, of those that a search could plan.
    pub fn set_in_layout(&self) -> impl Iterator<Item = &'static str> {
        PLANNED.into_iter().filter(|key| self.is_set(key) && self.applies(key))
    }

    /// Leaves a field to follow from the others.
    pub fn release(&mut self, key: &str) {
        self.open = self.open.with(key);
    }

    /// Sets the layout to what it is now.
    pub fn keep_layout(&mut self) {
        self.open = self.open.with_layout(false);
    }

    /// Leaves the layout to a search, all of it.
    pub fn release_layout(&mut self) {
        self.open = self.open.with_layout(true);
    }

    /// Sets what is left of the layout to the default job's.
    pub fn keep_default_layout(&mut self) {
        for key in PLANNED {
            if !self.is_set(key) {
                self.set(key, &default_text(key));
            }
        }
    }

    /// The document with every field set to what it says now, but for those that follow from the kind of model.
    #[must_use]
    pub fn pinned(&self) -> Self {
        Self { open: self.open.only_kind(), ..self.clone() }
    }

    /// Takes over from another document which fields are set.
    pub fn set_as(&mut self, other: &Self) {
        self.open = other.open;
    }

    /// Writes what follows from the others into the fields of [`FOLLOWING`] that are not set.
    pub fn follow(&mut self) {
        for key in FOLLOWING {
            if !self.is_set(key)
                && let Some(text) = self.usual(key)
            {
                self.write(key, &text);
            }
        }
    }

    /// Has the fields of [`OF_KIND`] that are not set follow the model's, once some of those were set.
    pub(super) fn follow_kind(&mut self) {
        for (key, text) in OF_KIND.into_iter().zip(self.of_kind()) {
            if !self.is_set(key) {
                self.write(key, &text);
            }
        }
    }

    /// Leaves the fields of [`OF_KIND`] that say what is usual to follow from the kind of model.
    pub(super) fn release_kind(&mut self) {
        for (key, text) in OF_KIND.into_iter().zip(self.of_kind()) {
            if self.text(key) == text {
                self.release(key);
            }
        }
    }

    /// What the fields of [`OF_KIND`] have where nothing is said of them, as far as the model's others can be read.
    fn of_kind(&self) -> [String; OF_KIND.len()] {
        let mut scenario = super::default_scenario();
        let of_model = |field: &&Field| field.group == FieldGroup::Model;
        let base = self.preset_scenario(FieldGroup::Model).map_or(scenario.model, |preset| preset.model);
        for field in FIELDS.iter().filter(of_model) {
            if let Ok(value) = field.parse(self.text(field.key)) {
                (field.set)(&mut scenario, value);
            }
        }
        let (activation, code) = (scenario.model.usual_activation(&base), scenario.model.usual_code(&base));
        scenario.model = Model { activation, code, ..scenario.model };
        OF_KIND.map(|key| Field::find(key).map_or_else(String::new, |field| field.canonical(&scenario)))
    }

    /// What people use for such a job in a field of [`FOLLOWING`]; nothing for other fields, or while those that it follows
    /// from cannot be read.
    pub fn usual(&self, key: &str) -> Option<String> {
        if !FOLLOWING.contains(&key) {
            return None;
        }
        let mut readable = self.clone();
        // What is asked for need not be readable yet.
        for later in FOLLOWING.iter().rev().take_while(|later| **later != key).chain([&key]) {
            readable.write(later, &default_text(later));
        }
        let job = readable.values().ok()?;
        Some(match key {
            "stack" => usual_stack(&job).name().to_owned(),
            "seq" => usual_sequence(&job).to_string(),
            _ => usual_batch(&job).to_string(),
        })
    }
}

/// Whether a link names a field wherever it is set: its absence says that it is not.
pub(super) fn names_itself(key: &str) -> bool {
    PLANNED.contains(&key) || FOLLOWING.contains(&key)
}

/// What the default document has in a field.
fn default_text(key: &str) -> String {
    Field::find(key).map_or_else(String::new, |field| field.canonical(&super::default_scenario()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sequences_batches_and_software_suit_the_job() {
        let of = |link: &str| {
            let document = Document::from_link(link).expect("a link").document;
            ["seq", "gb", "stack"].map(|key| document.text(key).to_owned())
        };
        assert_eq!(of("#2;m=gpt3-175b;g=dgx-h100;n=64"), ["2048", "2048", "nemo"]);
        assert_eq!(
            Document::from_link("#2;m=gpt2-1.5b;g=dgx1-v100;n=8").expect("a link").document.text("prec"),
            "fp16"
        );
        assert_eq!(of("#2;m=llama2-7b;g=dgx-h100;n=64"), ["4096", "1024", "nemo"]);
        assert_eq!(of("#2;m=llama3-70b;g=mi300x;n=64"), ["8192", "512", "megatron-lm"]);
        assert_eq!(of("#2;m=llama3-8b;g=rtx4090;n=1;lora=16"), ["2048", "16", "eager"]);
        assert_eq!(of("#2;m=llama3-8b;g=dgx-h100;n=24;lora=16;stack=nemo"), ["2048", "24", "nemo"]);
    }

    #[test]
    fn a_field_that_is_set_stays() {
        let mut document = Document::from_link("#2;m=gpt3-175b;g=dgx-h100;n=64").expect("a link").document;
        assert_eq!((document.text("seq"), document.text("gb")), ("2048", "2048"));
        document.set("gb", "512");
        document.set("g", "mi300x");
        document.follow();
        assert_eq!((document.text("stack"), document.text("gb")), ("megatron-lm", "512"));
        document.release("gb");
        document.follow();
        assert_eq!(document.text("gb"), "2048");
    }

    #[test]
    fn a_detail_is_set_with_the_field_that_it_belongs_to() {
        let mut document = Document::from_link("#2;m=llama3-8b;g=dgx-h100;n=64").expect("a link").document;
        assert!(document.is_planned() && document.set_in_layout().next().is_none());
        document.set("stages", "16,16");
        assert_eq!(document.set_in_layout().collect::<Vec<_>>(), ["split"]);
        document.load_plan(&document.values().expect("numbers").plan);
        assert!(!document.is_planned() && document.is_set("tp"));
    }

    #[test]
    fn activation_and_code_follow_the_kind_of_model_until_they_are_set() {
        let of = |document: &Document| OF_KIND.map(|key| document.text(key).to_owned());
        let opened = |link: &str| Document::from_link(link).expect("a link").document;
        let mut document = opened("#2;m=nemotron4-15b;g=dgx-h100;n=8;bias=all");
        assert_eq!(of(&document), ["relu2", "llama"]);
        assert_eq!(
            of(&opened("#1;m=llama3-8b;g=dgx-h100;n=8;pos=learned;gated=0;bias=all")),
            ["gelu_new", "gpt2"]
        );
        assert_eq!(of(&opened("#2;m=llama3-8b;g=dgx-h100;n=8;moe=8;bias=all")), ["clamped_silu", "qwen"]);
        document.set("pos", "learned");
        assert_eq!(of(&document), ["gelu_new", "llama"]);
        document.set("act", "relu");
        document.set("pos", "rotary");
        assert_eq!(of(&document), ["relu", "llama"]);
        assert!(document.to_link().contains(";act=relu;") && !document.to_link().contains("code="));
        assert_eq!(opened(&document.to_link()), document);
        document.set("m", "llama3-8b");
        assert_eq!(of(&document), ["silu", "llama"]);
    }
}
