//! Shapes of models by their names on the Hugging Face Hub.

use super::draft::Draft;
use super::{ImportError, sentence};
use crate::document::Document;
use crate::names::{HUB, HubModel, is_date, stem};
use crate::scenario::model::{Model, presets};

/// A Hub model's shape; nothing where its fields cannot be read.
pub fn shape(model: &HubModel) -> Option<Model> {
    let mut document = Document::default();
    for (key, text) in model.fields.split(';').filter_map(|field| field.split_once('=')) {
        document.set(key, text);
    }
    document.values().ok().map(|scenario| scenario.model)
}

/// The model of a name on the Hub, its address, a name of the model table, or a path that ends in one of them.
pub(super) fn find(name: &str) -> Option<Model> {
    let name = name.trim().trim_end_matches('/');
    if let Some(preset) = presets::find(name) {
        return Some(preset.model);
    }
    let parts: Vec<&str> = match name.split_once("huggingface.co/") {
        // A branch and a file follow the name.
        Some((_, path)) => path.split('/').take(2).collect(),
        None => name.split('/').collect(),
    };
    let (last, before) = parts.split_last()?;
    let named = before.last().map_or_else(|| (*last).to_owned(), |owner| format!("{owner}/{last}"));
    let row = HUB.iter().find(|row| row.name.eq_ignore_ascii_case(&named));
    if before.is_empty() {
        return shape(row?);
    }
    let alike = || {
        let wanted = stem(last);
        HUB.iter().find(|row| stem(row.name) == wanted)
    };
    let preset = || presets::find(last).map(|preset| preset.model);
    row.or_else(alike).map_or_else(preset, shape)
}

/// The model whose name stands in other words, as in a recipe's name `llama31_8b_pretrain_config`: the longest that does.
pub(super) fn in_words(words: &str) -> Option<Model> {
    if words.len() > LONGEST_WORDS {
        return None;
    }
    let words = Words::of(words);
    // Names of tuned models have the shape of their base.
    let of_hub = HUB.iter().flat_map(|row| {
        let last = row.name.split('/').next_back().unwrap_or_default();
        let base =
            Some(plain(&stem(last))).filter(|base| base.contains(|letter: char| letter.is_ascii_digit()));
        // People leave out the date of a release.
        let dated = last.split('-').any(is_date);
        let undated = dated.then(|| last.split('-').filter(|part| !is_date(part)).map(plain).collect());
        [Some(plain(last)), base, undated].into_iter().flatten().map(|name| (name, row.fields))
    });
    let named = of_hub.filter(|(name, _)| name.len() > 4 && words.have(name));
    let preset = presets::MODELS.iter().map(|preset| (plain(preset.name), preset.model));
    let preset = preset.filter(|(name, _)| words.have(name)).max_by_key(|entry| entry.0.len());
    let longest = named.max_by_key(|entry| entry.0.len());
    match (longest, preset) {
        (Some((name, fields)), Some((other, _))) if name.len() >= other.len() => model_of(fields),
        (_, Some((_, model))) => Some(model),
        (Some((_, fields)), None) => model_of(fields),
        (None, None) => None,
    }
}

/// Longest words in which a model's name is looked for \[bytes\].
const LONGEST_WORDS: usize = 512;

/// Letters and digits of a text.
fn plain(text: &str) -> String {
    text.to_ascii_lowercase().chars().filter(char::is_ascii_alphanumeric).collect()
}

/// Letters and digits of other words, and where words begin and end: `glm_45v` has no `glm-4.5` in it.
struct Words {
    plain: String,
    ends: Vec<usize>,
}

impl Words {
    fn of(text: &str) -> Self {
        let mut words = Self { plain: String::new(), ends: vec![0] };
        for part in text.split(|letter: char| !letter.is_ascii_alphanumeric()) {
            words.plain.push_str(&part.to_ascii_lowercase());
            words.ends.push(words.plain.len());
        }
        words
    }

    fn have(&self, name: &str) -> bool {
        let whole = |begin: usize| self.ends.contains(&begin) && self.ends.contains(&(begin + name.len()));
        self.plain.match_indices(name).any(|found| whole(found.0))
    }
}

fn model_of(fields: &str) -> Option<Model> {
    HUB.iter().find(|row| row.fields == fields).and_then(shape)
}

/// Reads a name.
pub(super) fn read(text: &str, draft: &mut Draft) -> Result<(), ImportError> {
    match find(text) {
        Some(model) => {
            draft.model(&model);
            draft.name = text.trim().trim_end_matches('/').rsplit('/').next().map(str::to_owned);
            Ok(())
        }
        None => Err(sentence(format!(
            "{} is not a known model. Import its config.json instead.",
            super::settings::quoted(text.trim())
        ))),
    }
}
