//! What the layers of a `config.json` are, where not all of them attend to all tokens.

use super::super::super::ImportError;
use super::super::super::parts;
use super::{LAYERS, Shape};
use crate::scenario::model::pattern::MOST_LETTERS;
use crate::scenario::model::{LayerPattern, Model, StateRule};

/// Settings that name the kind of every layer, or of those of one period.
const LISTS: [&str; 6] =
    ["layer_types", "layers_block_type", "block_types", "_block_types", "attention_layers", "layers_types"];

/// Lists of parts, each a layer of a mixer or of a feed-forward part alone.
const PARTS: [&str; 3] = ["hybrid_override_pattern", "hybrid_layer_pattern", "layers_block_type"];

/// Settings that list the layers of full attention, numbered from 0 or from 1; all others have the recurrent mixer.
const ATTENTION_AT: [(&str, usize); 4] = [
    ("attn.layers", 0),
    ("attn_layer_indices", 0),
    ("full_attn_idxs", 0),
    ("linear_attn_config.full_attn_layers", 1),
];

/// Settings that say every how many layers one has full attention, and the setting of which of them it is.
const ATTENTION_EVERY: [(&str, &str); 3] =
    [("full_attention_interval", ""), ("layer_group_size", ""), ("attn_layer_period", "attn_layer_offset")];

/// Longest period of layers that is tried, and most layers that a list is made of.
const MOST_LAYERS: usize = 4096;

/// What mixes the tokens of a layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Attention to all tokens.
    Full,
    /// Attention to a window.
    Windowed,
    /// Attention: to a window where the model has one.
    Attention,
    /// Attention to keys that queries select.
    Selected,
    /// The same by the selection of an earlier layer.
    SelectedAlike,
    /// Attention to compressed keys.
    Compressed,
    /// Attention to the outputs of an encoder.
    Crossed,
    /// The recurrent mixer.
    Recurrent,
    /// A shared block of attention and feed-forward before the recurrent mixer (Zamba).
    Shared,
    /// What no letter says.
    Other,
}

impl Kind {
    /// The letter of a whole layer, in a model with a window or without.
    fn letter(self, window: bool) -> char {
        match self {
            Self::Recurrent => 'r',
            Self::Selected => 's',
            Self::SelectedAlike => 't',
            Self::Compressed => 'c',
            Self::Crossed => 'x',
            Self::Windowed => 'w',
            Self::Attention if window => 'w',
            Self::Full | Self::Attention | Self::Shared | Self::Other => 'a',
        }
    }

    /// What a word stands for.
    fn of(word: &str) -> Self {
        let word = word.trim().to_ascii_lowercase();
        let has = |parts: &[&str]| parts.iter().any(|part| word.contains(part));
        if word == "hybrid" {
            Self::Shared
        } else if has(&["heavily_compressed"]) {
            Self::Compressed
        } else if has(&["compressed_sparse", "indexed", "minimax_m3_sparse"]) {
            Self::Selected
        } else if has(&["compress", "sparse", "moba", "nsa", "indexer"]) {
            Self::Other
        } else if has(&["mamba", "conv", "recurrent", "linear", "lightning", "kda", "delta", "ssm"]) {
            Self::Recurrent
        } else if has(&["sliding", "local", "swa"]) {
            Self::Windowed
        } else if has(&["full", "global", "chunked"]) {
            Self::Full
        } else if ["attention", "attn", "0", "1", "moe", "mlp", "dense"].contains(&word.as_str()) {
            Self::Attention
        } else {
            Self::Other
        }
    }
}

/// The layers of a model.
pub(super) enum Order {
    /// One by one.
    Listed(Vec<Kind>),
    /// Every n-th layer attends to all tokens, the others to a window.
    Every(u32),
}

impl Shape<'_> {
    /// A list of parts, where the file has one: how many they are, and the pattern.
    pub(super) fn parts(&mut self) -> Result<Option<(usize, LayerPattern)>, ImportError> {
        for name in PARTS {
            let Some(list) = self.settings.iter().find(|setting| setting.key() == name).cloned() else {
                continue;
            };
            let Some(letters) = parts::letters(list.value()) else { continue };
            self.settings.spend(name);
            LISTS.iter().for_each(|name| self.settings.spend(name));
            self.draft.source("layers", &list);
            return self.repeated(&letters).map(|pattern| Some((letters.len(), pattern)));
        }
        if self.name.starts_with("longcat_flash") {
            // Attention and a dense part twice, beside experts that read what the first attention has written.
            let blocks = self.needed("layers", &LAYERS)?;
            let blocks = usize::try_from(blocks).unwrap_or(MOST_LAYERS).min(MOST_LAYERS);
            return self.repeated("*E-*-").map(|pattern| Some((blocks * 5, pattern)));
        }
        Ok(None)
    }

    /// What the layers are, where the file or the family says.
    pub(super) fn order(&mut self, layers: u32) -> Result<Option<Order>, ImportError> {
        let count = usize::try_from(layers).unwrap_or(MOST_LAYERS).min(MOST_LAYERS);
        let every = ["sliding_window_pattern", "_sliding_window_pattern", "global_attn_every_n_layers"];
        let letters = self.settings.text(&every).filter(|pattern| pattern.value().parse::<f64>().is_err());
        let cyclic = |kinds: Vec<Kind>| kinds.iter().copied().cycle().take(count).collect::<Vec<_>>();
        if let Some(list) = self.settings.text(&LISTS) {
            every.iter().for_each(|name| self.settings.spend(name));
            self.spend_repetitions();
            let mut kinds = cyclic(list.value().split(',').map(Kind::of).collect());
            for (kind, indexed) in kinds.iter_mut().zip(self.indexed(count)?) {
                if *kind == Kind::Selected {
                    *kind = indexed;
                }
            }
            return Ok(Some(Order::Listed(kinds)));
        }
        if let Some(kinds) = self.sparse_layers(count)? {
            return Ok(Some(Order::Listed(kinds)));
        }
        // MiniMax: 1 for full attention, 0 for lightning attention. MiMo: 0 for full attention, 1 for a window.
        for (name, zero, one) in [
            ("attn_type_list", Kind::Recurrent, Kind::Full),
            ("hybrid_layer_pattern", Kind::Full, Kind::Windowed),
        ] {
            if let Some(bits) = self.settings.text(&[name]) {
                let of = |bit: &str| if bit.trim() == "0" { zero } else { one };
                return Ok(Some(Order::Listed(cyclic(bits.value().split(',').map(of).collect()))));
            }
        }
        if let Some(kinds) = self.crossed_places(count) {
            return Ok(Some(Order::Listed(kinds)));
        }
        if let Some(kinds) = self.hybrid_places(count) {
            return Ok(Some(Order::Listed(kinds)));
        }
        if let Some(kinds) = self.places(count)? {
            return Ok(Some(Order::Listed(kinds)));
        }
        if let Some(letters) = letters {
            // EXAONE 4 has a letter a layer of one period: L for a local one, G for a global one.
            let of = |letter| if letter == 'G' { Kind::Full } else { Kind::Windowed };
            return Ok(Some(Order::Listed(cyclic(letters.value().chars().map(of).collect()))));
        }
        if let Some(every) = self.count("wfull", &every)? {
            return Ok(Some(Order::Every(every)));
        }
        let repeated = self.repeated_periods(count)?;
        let every_layer = || (self.family.mixer != StateRule::None).then(|| vec![Kind::Recurrent; count]);
        Ok(repeated.or_else(every_layer).map(Order::Listed))
    }

    /// Layers of Llama 3.2 Vision that attend to the encoder's outputs instead of the text.
    fn crossed_places(&mut self, count: usize) -> Option<Vec<Kind>> {
        let places = self.settings.text(&["cross_attention_layers"])?;
        if !self.settings.knows("/vision_config.hidden_size") {
            self.unsupported(
                "Cross-attention layers without an encoder are counted as self-attention layers.",
            );
            return None;
        }
        let places: Vec<usize> =
            places.value().split(',').filter_map(|place| place.trim().parse().ok()).collect();
        Some(
            (0..count)
                .map(|layer| if places.contains(&layer) { Kind::Crossed } else { Kind::Full })
                .collect(),
        )
    }

    /// Files may say the order in several ways.
    fn spend_repetitions(&mut self) {
        let places = ATTENTION_AT.iter().map(|entry| entry.0);
        let every = ATTENTION_EVERY.iter().flat_map(|entry| [entry.0, entry.1]);
        places
            .chain(every)
            .chain(["linear_attn_config.kda_layers"])
            .for_each(|name| self.settings.spend(name));
    }

    /// Layers of attention by their places or their period, and the recurrent mixer in all others.
    fn places(&mut self, count: usize) -> Result<Option<Vec<Kind>>, ImportError> {
        let kinds = |attends: &dyn Fn(usize) -> bool| -> Vec<Kind> {
            (0..count).map(|layer| if attends(layer) { Kind::Attention } else { Kind::Recurrent }).collect()
        };
        for (name, first) in ATTENTION_AT {
            let Some(places) = self.settings.text(&[name]) else { continue };
            self.settings.spend("linear_attn_config.kda_layers");
            let places: Vec<usize> =
                places.value().split(',').filter_map(|place| place.trim().parse().ok()).collect();
            return Ok(Some(kinds(&|layer| places.contains(&(layer + first)))));
        }
        for (name, offset) in ATTENTION_EVERY {
            let Some(every) = self.settings.whole(&[name])? else { continue };
            let every = usize::try_from(every.value).unwrap_or(1).clamp(1, MOST_LAYERS);
            let given = self.settings.whole(&[offset])?;
            let offset = given.and_then(|offset| usize::try_from(offset.value).ok()).unwrap_or(every - 1);
            return Ok(Some(kinds(&|layer| layer % every == offset % every)));
        }
        Ok(None)
    }

    /// GPT-Neo: periods, each with how often it stands.
    fn repeated_periods(&mut self, count: usize) -> Result<Option<Vec<Kind>>, ImportError> {
        let mut kinds = Vec::new();
        for index in 0.. {
            let Some(words) = self.settings.text(&[&format!("attention_types.{index}.0")]) else { break };
            let times = self.settings.whole(&[&format!("attention_types.{index}.1")])?;
            let times = times.map_or(1, |times| usize::try_from(times.value).unwrap_or(1)).min(count);
            let period: Vec<Kind> = words.value().split(',').map(Kind::of).collect();
            kinds.extend(core::iter::repeat_n(period, times).flatten());
        }
        Ok((!kinds.is_empty()).then_some(kinds))
    }

    /// The pattern that repeats in a row of letters.
    fn repeated(&self, letters: &str) -> Result<LayerPattern, ImportError> {
        parts::pattern(letters).map_err(|period| ImportError {
            line: None,
            name: Some("layers".to_owned()),
            message: format!(
                "The layer pattern has a period of {period} layers, but at most {MOST_LETTERS} are supported."
            ),
        })
    }

    /// Types the layers of a shape whose window is known.
    pub(super) fn pattern(&mut self, model: &mut Model, kinds: &[Kind]) -> Result<(), ImportError> {
        let others = kinds.iter().filter(|kind| **kind == Kind::Other).count();
        if others > 0 && self.family.caveat.is_none() {
            let all = kinds.len();
            self.unsupported(format!(
                "{others} of {all} layers have an unsupported type of attention. They are modelled as full attention."
            ));
        }
        let recurs = kinds.iter().any(|kind| matches!(kind, Kind::Recurrent | Kind::Shared));
        let windows = kinds.iter().any(|kind| matches!(kind, Kind::Windowed | Kind::Attention));
        let has_window = model.window.tokens > 0 && windows;
        let few =
            kinds.iter().any(|kind| matches!(kind, Kind::Selected | Kind::SelectedAlike | Kind::Compressed));
        if !recurs && !has_window && !few && !kinds.contains(&Kind::Crossed) {
            return Ok(());
        }
        // Layers of attention to few keys see the window, too.
        let has_window = has_window || few && model.window.tokens > 0;
        let alone = recurs && self.family.alone;
        let beside = recurs && self.family.beside;
        let mut letters = String::new();
        for kind in kinds {
            match kind {
                Kind::Recurrent if beside => letters.push('p'),
                Kind::Recurrent if alone => letters.push('M'),
                // The block, then the layer's own mixer.
                Kind::Shared if alone => letters.push_str("zM"),
                kind => letters.push(kind.letter(has_window)),
            }
        }
        if alone {
            model.layers = u32::try_from(letters.len()).unwrap_or(model.layers);
        }
        model.pattern = self.repeated(&letters)?;
        if has_window {
            model.window.full_every = 0;
        } else {
            model.window = crate::scenario::model::Window::NONE;
        }
        if recurs {
            model.recurrent = self.mixer(model)?;
        }
        if few {
            model.sparse = self.sparse(model)?;
        }
        Ok(())
    }
}
