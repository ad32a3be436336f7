//! Settings that a `config.json` gives to single layers (`per_layer_config`, Transformers 5.24).

use super::super::super::ImportError;
use super::Shape;
use crate::scenario::model::{LayerSizes, Mixer, Model};
use std::collections::BTreeMap;

/// Table of layers' own settings, by the number of the layer.
const TABLE: &str = "per_layer_config.";

/// Settings that size a layer.
const SIZES: [&str; 4] = ["head_dim", "num_key_value_heads", "num_attention_heads", "intermediate_size"];

/// Sizes are below this.
const MOST: u32 = 1 << 24;

/// Values by layer.
type ByLayer = BTreeMap<u32, u32>;

impl Shape<'_> {
    /// Settings of single layers, of a shape whose layers are known. Settings that no field expresses are named.
    pub(super) fn layer_configurations(&mut self, model: &mut Model) -> Result<(), ImportError> {
        for (name, values) in self.of_layers() {
            let known = |(layer, value): (&u32, &u32)| *layer < model.layers && (1..MOST).contains(value);
            if SIZES.contains(&name.as_str()) && !values.iter().all(known) {
                self.unsupported(format!(
                    "Some values of {name} (per_layer_config) are not valid layer sizes."
                ));
                continue;
            }
            let all = |value: u32| values.values().all(|own| *own == value);
            let first = values.values().next().copied().unwrap_or_default();
            let of_full = values.keys().copied().eq(full_layers(model)) && all(first);
            match name.as_str() {
                "head_dim" if all(model.head_dim) => {}
                "num_key_value_heads" if all(model.kv_heads) => {}
                "num_attention_heads" if all(model.heads) => {}
                "head_dim" if of_full => model.full_heads.head_dim = first,
                "num_key_value_heads" if of_full => model.full_heads.kv_heads = first,
                "num_key_value_heads" => {
                    self.resize(model, &values, |own, kv_heads| LayerSizes { kv_heads, ..own })?;
                }
                "intermediate_size" if all(model.ffn) => {}
                "intermediate_size" => self.resize(model, &values, |own, ffn| LayerSizes { ffn, ..own })?,
                _ => self.unsupported(format!(
                    "{name} differs in some layers (per_layer_config: {}), but the forecast assumes equal layers.",
                    values.len()
                )),
            }
        }
        Ok(())
    }

    /// Values of every setting by layer. A value that is no count is 0.
    fn of_layers(&mut self) -> BTreeMap<String, ByLayer> {
        let mut found: BTreeMap<String, ByLayer> = BTreeMap::new();
        let mut keys = Vec::new();
        for setting in self.settings.iter() {
            let own = setting.key().strip_prefix(TABLE).and_then(|rest| rest.split_once('.'));
            let Some((layer, name)) = own else { continue };
            let Ok(layer) = layer.parse() else { continue };
            let value = setting.value().parse().unwrap_or(0);
            found.entry(name.to_owned()).or_default().insert(layer, value);
            keys.push(setting.key().to_owned());
        }
        keys.iter().for_each(|key| self.settings.spend(key));
        found
    }

    /// Gives layers a size of their own.
    fn resize(
        &self,
        model: &mut Model,
        values: &ByLayer,
        with: impl Fn(LayerSizes, u32) -> LayerSizes,
    ) -> Result<(), ImportError> {
        let pattern = model.pattern;
        self.size_layers(model, |layer| {
            let own = pattern.sizes_of(layer);
            values.get(&layer).map_or(own, |value| with(own, *value))
        })
    }
}

/// Layers that attend to all tokens, in a model where others attend to a window.
fn full_layers(model: &Model) -> impl Iterator<Item = u32> {
    let (pattern, window) = (model.pattern, model.window);
    (0..model.layers).filter(move |layer| match pattern.of(*layer) {
        Some(letter) => letter.mixer == Mixer::Attention,
        None => window.tokens > 0 && window.full_every > 0 && (layer + 1).is_multiple_of(window.full_every),
    })
}
