//! Published models: the rows of `data/models.tsv`.

pub use super::models::MODELS;

use super::{LayerPattern, Model, ModelCode, Tower, Uncounted};

/// A published model.
#[derive(Debug, Clone, Copy)]
pub struct ModelPreset {
    /// Name in links and on the command line.
    pub name: &'static str,
    /// Name for people.
    pub label: &'static str,
    /// The shape of the model.
    pub model: Model,
}

/// Published models: a constant for each shape, its name, its name for people and the shape.
macro_rules! models {
    ($($constant:ident = $name:literal, $label:literal, $model:expr;)+) => {
        $(
            #[doc = concat!("The shape of ", $label, ".")]
            pub const $constant: Model = $model;
        )+

        /// Every model, by family and size.
        pub static MODELS: &[ModelPreset] =
            &[$(ModelPreset { name: $name, label: $label, model: $constant },)+];
    };
}

pub(super) use models;

/// A pattern of the table.
pub(super) const fn pattern(letters: &str) -> LayerPattern {
    match LayerPattern::parse(letters) {
        Some(pattern) => pattern,
        None => LayerPattern::NONE,
    }
}

/// The preset of that name.
pub fn find(name: &str) -> Option<&'static ModelPreset> {
    MODELS.iter().find(|preset| preset.name == name)
}

/// The code of a model with unknown code: that of an otherwise equal preset, else of the best-known model of its kind.
pub fn code_of(model: &Model) -> ModelCode {
    let same = |preset: &&ModelPreset| Model { code: preset.model.code, ..*model } == preset.model;
    MODELS.iter().find(same).map_or_else(|| model.code_of_kind(), |preset| preset.model.code)
}

/// Name of the preset equal to this model.
pub fn name_of(model: &Model) -> Option<&'static str> {
    // A language model matches its preset, with any encoder and uncounted parts.
    let counted = Model { tower: Tower::NONE, uncounted: Uncounted::NONE, ..*model };
    MODELS.iter().find(|preset| preset.model == counted).map(|preset| preset.name)
}
