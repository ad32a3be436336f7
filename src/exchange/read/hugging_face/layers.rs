//! What the layers of a `config.json` are, where not all of them are attention.

use super::Shape;

/// Settings that name the kind of every layer, or of those of one period.
pub(super) const LISTS: [&str; 5] =
    ["layer_types", "layers_block_type", "block_types", "_block_types", "attention_layers"];

/// Settings that list the layers of full attention, and what all others are.
const ATTENTION_AT: [(&str, &str); 4] = [
    ("attn.layers", "linear attention or state-space mixing"),
    ("attn_layer_indices", "Mamba"),
    ("full_attn_idxs", "short convolutions"),
    ("linear_attn_config.full_attn_layers", "linear attention"),
];

/// Settings that say every how many layers one has full attention, and what all others are.
const ATTENTION_EVERY: [(&str, &str); 2] =
    [("full_attention_interval", "linear attention"), ("attn_layer_period", "Mamba")];

impl Shape<'_> {
    /// What is said of layers that are not attention; nothing where all are.
    pub(super) fn say_other_layers(&mut self, layers: u32) {
        if self.parts {
            return;
        }
        let text = match self.other_layers(layers) {
            Some((0, _)) => return,
            Some((count, kind)) => {
                format!("{count} of {layers} layers are {kind} and are priced as full attention.")
            }
            None if self.family.mixes => {
                "Its layers of linear attention or state-space mixing are priced as full attention."
                    .to_owned()
            }
            None => return,
        };
        self.unsupported(text);
    }

    /// How many layers are not attention, and what they are; nothing where the file does not list them.
    fn other_layers(&mut self, layers: u32) -> Option<(usize, String)> {
        let all = usize::try_from(layers).unwrap_or(usize::MAX);
        let list = self.settings.text(&LISTS);
        // MiniMax: 1 for full attention, 0 for lightning attention.
        let bits = self.settings.text(&["attn_type_list"]);
        let mut named = |names: &[(&'static str, &'static str)]| {
            let found = names.iter().map(|(name, kind)| Some((self.settings.text(&[name])?, *kind)));
            found.fold(None, Option::or)
        };
        let (places, every) = (named(&ATTENTION_AT), named(&ATTENTION_EVERY));
        if let Some(list) = list {
            let words: Vec<&str> = list.value().split(',').map(str::trim).collect();
            let others: Vec<&str> = words.iter().copied().filter(|word| !is_attention(word)).collect();
            let count = others.len().saturating_mul(all) / words.len().max(1);
            return Some((count, others.first().map(|word| kind_of(word)).unwrap_or_default()));
        }
        if let Some(bits) = bits {
            let count = bits.value().split(',').filter(|kind| kind.trim() == "0").count();
            return Some((count, kind_of("linear_attention")));
        }
        if let Some((places, kind)) = places {
            let attention = places.value().split(',').filter(|index| !index.trim().is_empty()).count();
            return Some((all.saturating_sub(attention), kind.to_owned()));
        }
        let (every, kind) = every?;
        let every: usize = every.value().parse().ok()?;
        Some((all.saturating_sub(all / every.max(1)), kind.to_owned()))
    }
}

/// Whether a word for a layer means attention that fields say, or says nothing of its attention.
fn is_attention(word: &str) -> bool {
    let plain = ["attention", "attn", "global", "local", "full", "sliding", "0", "1", "mlp", "moe"];
    plain.contains(&word)
        || word.ends_with("attention")
            && !["linear", "lightning", "compress", "sparse"].iter().any(|other| word.contains(other))
}

/// A word for a layer, as people say it.
fn kind_of(word: &str) -> String {
    let known = [
        ("mamba", "Mamba"),
        ("conv", "short convolutions"),
        ("recurrent", "recurrences"),
        ("linear", "linear attention"),
        ("compress", "attention to compressed tokens"),
    ];
    let found = known.iter().find(|(part, _)| word.contains(part));
    found.map_or_else(|| word.replace('_', " "), |entry| entry.1.to_owned())
}
