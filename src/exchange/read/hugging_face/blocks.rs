//! Layers of a `config.json` whose sizes differ from one another.

use super::super::super::{ImportError, parts};
use super::Shape;
use crate::scenario::model::{LayerSizes, Model, Window};
use std::collections::BTreeMap;

/// Most layers that are read one by one.
const MOST_LAYERS: u32 = 4096;

/// What widths of feed-forward parts are rounded up to in models found by NVIDIA's search (`configuration_decilm.py`,
/// `ffn_mult_to_intermediate_size`).
const WIDTH_MULTIPLE: f64 = 256.0;

/// Widths of feed-forward parts, layer by layer.
const WIDTHS: &str = "intermediate_size";

/// A layer of a file: a letter of patterns, and its sizes; nothing if neither attends nor has a feed-forward part.
struct Block {
    letter: char,
    ffn: Option<u32>,
    kv_heads: Option<u32>,
}

impl Shape<'_> {
    /// Layers that a file describes one by one (`block_configs`), with heads and width of the model known. Layers that do
    /// nothing are left out.
    pub(super) fn blocks(&mut self, model: &mut Model) -> Result<(), ImportError> {
        let mut blocks = Vec::new();
        let layers = model.layers.min(MOST_LAYERS);
        for layer in 0..layers {
            if let Some(block) = self.block(layer, model)? {
                blocks.push(block);
            }
        }
        let count = u32::try_from(blocks.len()).unwrap_or(u32::MAX);
        if count < layers {
            let text = format!(
                "Omitted: {} of {layers} layers with neither attention nor a feed-forward part.",
                layers - count
            );
            self.draft.note(Some("layers"), text);
        }
        model.layers = count.max(1);
        model.ffn = most_frequent(blocks.iter().filter_map(|block| block.ffn)).unwrap_or(model.ffn);
        model.kv_heads =
            most_frequent(blocks.iter().filter_map(|block| block.kv_heads)).unwrap_or(model.heads);
        let differs = |own: Option<u32>, usual: u32| own.filter(|own| *own != usual).unwrap_or(0);
        let entries: Vec<(char, LayerSizes)> = blocks
            .iter()
            .map(|block| {
                let ffn = differs(block.ffn, model.ffn);
                (block.letter, LayerSizes { ffn, kv_heads: differs(block.kv_heads, model.kv_heads) })
            })
            .collect();
        self.settings.spend_below("block_configs");
        self.list_layers(model, &entries)
    }

    /// One layer of `block_configs`.
    fn block(&mut self, layer: u32, model: &Model) -> Result<Option<Block>, ImportError> {
        let of = |part: &str, name: &str| format!("block_configs.{layer}.{part}.{name}");
        let no_op = |shape: &mut Self, part: &str| {
            shape.settings.flag(&[&of(part, "no_op")]).map(|flag| flag == Some(true))
        };
        let linear = |shape: &mut Self, part: &str| {
            shape.settings.flag(&[&of(part, "replace_with_linear")]).map(|flag| flag == Some(true))
        };
        if linear(self, "ffn")? {
            return Err(refused(layer, "a matrix in place of its feed-forward part"));
        }
        let ffn = if no_op(self, "ffn")? { None } else { Some(self.block_width(layer, model)?) };
        let (attends, matrix) = (!no_op(self, "attention")?, linear(self, "attention")?);
        let letter = match (attends, matrix, ffn.is_some()) {
            (true, true, true) => 'l',
            (true, true, false) => return Err(refused(layer, "a matrix, and no feed-forward part")),
            (true, false, true) => 'a',
            (true, false, false) => '*',
            (false, _, true) => '-',
            (false, _, false) => return Ok(None),
        };
        let mut kv_heads = None;
        if attends && !matrix {
            let heads = [of("attention", "num_key_value_heads"), of("attention", "num_query_groups")];
            let given = self.settings.whole(&[&heads[0], &heads[1]])?;
            let group = self.settings.whole(&[&of("attention", "n_heads_in_group")])?;
            let count = |number: i64| u32::try_from(number).ok().filter(|count| *count > 0);
            let of_group = group.and_then(|group| count(group.value)).map(|group| model.heads / group);
            kv_heads = given.and_then(|given| count(given.value)).or(of_group).filter(|heads| *heads > 0);
        }
        Ok(Some(Block { letter, ffn, kv_heads }))
    }

    /// Width of the feed-forward part of a layer of `block_configs`.
    fn block_width(&mut self, layer: u32, model: &Model) -> Result<u32, ImportError> {
        let of = |name: &str| format!("block_configs.{layer}.ffn.{name}");
        if let Some(width) = self.settings.whole(&[&of("intermediate_size"), &of("ffn_hidden_size")])? {
            return super::checked(&width);
        }
        let share = self.settings.text(&[&of("ffn_mult")]);
        let share = share.and_then(|share| share.value().parse::<f64>().ok()).filter(|share| *share > 0.0);
        let Some(share) = share else {
            return Err(refused(layer, "a feed-forward part without a width (ffn_mult)"));
        };
        let width = (2.0 * share * f64::from(model.hidden) / 3.0).floor();
        Ok(((width / WIDTH_MULTIPLE).ceil() * WIDTH_MULTIPLE) as u32)
    }

    /// Key/value heads and feed-forward widths that a file lists layer by layer (DeciLM, Gemma 3n).
    pub(super) fn sizes_by_layer(&mut self, model: &mut Model) -> Result<(), ImportError> {
        let heads = self.listed("num_key_value_heads_per_layer").unwrap_or_default();
        let widths = self.listed(WIDTHS).unwrap_or_default();
        if heads.is_empty() && widths.is_empty() {
            return Ok(());
        }
        model.kv_heads = most_frequent(heads.iter().copied()).unwrap_or(model.kv_heads);
        model.ffn = most_frequent(widths.iter().copied()).unwrap_or(model.ffn);
        let own = |list: &[u32], usual: u32, layer: u32| {
            let size = list.get(usize::try_from(layer).unwrap_or(usize::MAX)).copied();
            size.filter(|size| *size != usual).unwrap_or(0)
        };
        let (kv_heads, ffn) = (model.kv_heads, model.ffn);
        self.size_layers(model, |layer| LayerSizes {
            ffn: own(&widths, ffn, layer),
            kv_heads: own(&heads, kv_heads, layer),
        })
    }

    /// The mean of a list of OpenELM's that has a number for every layer, in whole units.
    pub(super) fn mean(&mut self, name: &str, of: impl Fn(f64) -> f64) -> Option<u32> {
        let list = self.settings.text(&[name])?;
        let numbers: Vec<f64> =
            list.value().split(',').filter_map(|number| number.trim().parse().ok()).collect();
        let sum: f64 = numbers.iter().copied().map(of).filter(|number| (0.0..1e7).contains(number)).sum();
        (!numbers.is_empty()).then(|| (sum / numbers.len() as f64).round() as u32)
    }

    /// The feed-forward width that most layers have, where a file lists widths that differ.
    pub(super) fn usual_width(&mut self) -> Option<u32> {
        most_frequent(self.listed(WIDTHS)?.into_iter())
    }

    /// Numbers that a file lists layer by layer, if they differ.
    fn listed(&mut self, name: &str) -> Option<Vec<u32>> {
        let found = self.settings.iter().find(|setting| setting.key() == name)?;
        let numbers: Option<Vec<u32>> =
            found.value().split(',').map(|number| number.trim().parse().ok()).collect();
        let numbers =
            numbers.filter(|numbers| numbers.iter().any(|number| Some(number) != numbers.first()))?;
        self.settings.spend(name);
        Some(numbers)
    }

    /// The last layers, which use the keys and values of earlier ones, and may have feed-forward parts twice as wide
    /// (Gemma 3n, Gemma 4).
    pub(super) fn reused_keys(&mut self, model: &mut Model) -> Result<(), ImportError> {
        let reusing = self.plain_count("num_kv_shared_layers")?.unwrap_or(0);
        let wide = self.settings.flag(&["use_double_wide_mlp"])?.unwrap_or(false);
        if reusing == 0 || model.latent.kv_rank > 0 {
            return Ok(());
        }
        if reusing >= model.layers {
            let message =
                format!("All {} layers reuse keys and values, but no layer computes them.", model.layers);
            return Err(ImportError { line: None, name: Some("num_kv_shared_layers".to_owned()), message });
        }
        let first = model.layers - reusing;
        let (pattern, usual) = (model.pattern, model.ffn);
        self.size_layers(model, |layer| {
            let own = pattern.sizes_of(layer);
            let width = if own.ffn == 0 { usual } else { own.ffn };
            match (layer < first, wide) {
                (true, _) => own,
                (false, true) => LayerSizes { ffn: width.saturating_mul(2), kv_heads: LayerSizes::REUSED },
                (false, false) => LayerSizes { kv_heads: LayerSizes::REUSED, ..own },
            }
        })
    }

    /// Layers that use the keys and values of the first of so many (Hunyuan-Large's `use_cla`).
    pub(super) fn shared_keys(&mut self, model: &mut Model) -> Result<(), ImportError> {
        let every = self.plain_count("cla_share_factor")?.unwrap_or(1);
        if self.settings.flag(&["use_cla"])? != Some(true) || every < 2 {
            return Ok(());
        }
        let pattern = model.pattern;
        self.size_layers(model, |layer| {
            let own = pattern.sizes_of(layer);
            if layer % every == 0 { own } else { LayerSizes { kv_heads: LayerSizes::REUSED, ..own } }
        })
    }

    /// Embeddings of every layer's own (Gemma 3n, Gemma 4).
    pub(super) fn layer_embeddings(&mut self, model: &mut Model) -> Result<(), ImportError> {
        let width = self.count("ple", &["hidden_size_per_layer_input"])?.unwrap_or(0);
        let rows = self.count("plev", &["vocab_size_per_layer_input"])?.unwrap_or(0);
        if width > 0 {
            model.layer_embeddings.width = width;
            model.layer_embeddings.vocabulary = if rows == model.vocabulary { 0 } else { rows };
        }
        Ok(())
    }

    /// Gives the layers of a model sizes of their own.
    pub(super) fn size_layers(
        &self,
        model: &mut Model,
        sizes: impl Fn(u32) -> LayerSizes,
    ) -> Result<(), ImportError> {
        let window = model.window;
        let letter = |layer: u32| match model.pattern.of(layer) {
            Some(letter) => letter.letter,
            None if window.tokens > 0 && !(layer + 1).is_multiple_of(window.full_every) => 'w',
            None => 'a',
        };
        let layers = 0..model.layers.min(MOST_LAYERS);
        let entries: Vec<_> = layers.map(|layer| (letter(layer), sizes(layer))).collect();
        self.list_layers(model, &entries)
    }

    /// Sets the pattern of a model whose layers are known one by one.
    fn list_layers(&self, model: &mut Model, entries: &[(char, LayerSizes)]) -> Result<(), ImportError> {
        model.pattern = parts::sized_pattern(entries).map_err(|problem| ImportError {
            line: None,
            name: Some("layers".to_owned()),
            message: problem,
        })?;
        let windowed = model.pattern.any(|letter| letter.letter == 'w');
        model.window = if windowed { Window { full_every: 0, ..model.window } } else { Window::NONE };
        Ok(())
    }
}

/// Millions of parameters of Gemma 3n's low-rank residual layers and of the projections between its residual streams,
/// which are not counted.
pub(super) fn not_counted(settings: &mut super::Settings, model: &Model) -> u32 {
    let mut said = |name: &str| {
        let count = settings.text(&[name]).and_then(|setting| setting.value().parse::<f64>().ok());
        count.filter(|count| (0.0..1e6).contains(count)).unwrap_or(0.0)
    };
    let (rank, streams) = (said("laurel_rank"), said("altup_num_inputs"));
    let (hidden, layers) = (f64::from(model.hidden), f64::from(model.layers));
    let projections = 2.0 * (streams - 1.0).max(0.0) * hidden * hidden;
    ((layers * 2.0 * rank * hidden + projections) / 1e6).round() as u32
}

/// The value that occurs most often; the largest of several.
fn most_frequent(values: impl Iterator<Item = u32>) -> Option<u32> {
    let mut counts = BTreeMap::new();
    values.for_each(|value| *counts.entry(value).or_insert(0_u32) += 1);
    counts.into_iter().max_by_key(|(value, count)| (*count, *value)).map(|(value, _)| value)
}

fn refused(layer: u32, what: &str) -> ImportError {
    ImportError {
        line: None,
        name: Some(format!("block_configs.{layer}")),
        message: format!("Layer {layer} has {what}, which is not supported."),
    }
}
