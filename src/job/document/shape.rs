//! The shape of a model in a sentence: `13B model with 40 layers, hidden 5120, ffn 13824, 40 heads, vocab 50257`.

use super::phrases::{FieldTexts, NamedField, ValuePlace, is_one_of, named_in};
use super::{Document, MODEL_NAME};
use crate::decimal;
use crate::fields::{CUSTOM, Field, Value};
use crate::names;
use crate::number;

/// A model that a sentence describes by its shape.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DescribedModel {
    /// Keys of fields and their texts, on top of a custom model that begins as [`super::OWN_MODEL`].
    pub fields: Vec<(&'static str, String)>,
    /// What the sentence leaves open and was assumed, in sentences.
    pub assumed: Vec<String>,
    /// What it must add, or what of it is impossible.
    pub problem: Option<(&'static str, String)>,
}

/// Fields of a model's shape by the words that people have for them. Of names that begin alike, the longest is first.
const NAMED: [NamedField; 7] = [
    (
        "kv",
        ValuePlace::Either,
        &[
            "number of kv heads",
            "key value heads",
            "num key value heads",
            "kv heads",
            "query groups",
            "kv groups",
        ],
    ),
    ("kv", ValuePlace::Behind, &["gqa"]),
    (
        "layers",
        ValuePlace::Either,
        &["transformer layers", "num hidden layers", "num layers", "n layers", "n layer", "layers"],
    ),
    (
        "ffn",
        ValuePlace::Either,
        &[
            "ffn hidden size",
            "feed forward size",
            "intermediate size",
            "ffn size",
            "ffn dim",
            "feed forward",
            "ffn",
            "d ff",
            "mlp",
        ],
    ),
    (
        "heads",
        ValuePlace::Either,
        &["num attention heads", "attention heads", "query heads", "n heads", "n head", "heads"],
    ),
    ("dh", ValuePlace::Either, &["head dimension", "head size", "head dim"]),
    ("vocab", ValuePlace::Either, &["vocabulary size", "vocab size", "vocabulary", "vocab"]),
];

/// Names of the width of a model, which other names begin with.
const WIDTH: [NamedField; 1] = [(
    "hidden",
    ValuePlace::Either,
    &["hidden dimension", "hidden size", "hidden dim", "d model", "n embd", "hidden"],
)];

/// Words for a kind of model, and the fields that it has with their texts.
type ModelWord = (&'static [&'static str], &'static [(&'static str, &'static str)]);

/// What a model has by one word.
const KINDS: [ModelWord; 5] = [
    (&["swiglu"], &[("gated", "1"), ("act", "silu")]),
    (&["geglu"], &[("gated", "1"), ("act", "gelu")]),
    (&["gelu"], &[("gated", "0"), ("act", "gelu")]),
    (&["mqa"], &[("kv", "1")]),
    (&["mha"], &[("kv", EQUAL)]),
];

/// Stands for as many key/value heads as attention heads.
const EQUAL: &str = "=";

/// Words before or behind a number of layers or heads that is no shape of a model: `the last 8 layers`, `8 layers per stage`.
const PARTIAL: [&str; 24] = [
    "last",
    "first",
    "top",
    "bottom",
    "only",
    "every",
    "freeze",
    "freezes",
    "freezing",
    "frozen",
    "unfreeze",
    "offload",
    "offloading",
    "offloaded",
    "recompute",
    "recomputing",
    "recomputed",
    "checkpoint",
    "checkpointing",
    "dense",
    "moe",
    "leading",
    "per",
    "each",
];

/// Words of a model that has no name.
const NAMELESS: [&str; 26] = [
    "a",
    "an",
    "the",
    "my",
    "our",
    "own",
    "custom",
    "new",
    "dense",
    "decoder",
    "only",
    "causal",
    "language",
    "transformer",
    "transformers",
    "llm",
    "model",
    "architecture",
    "network",
    "parameter",
    "parameters",
    "params",
    "with",
    "of",
    "and",
    "having",
];

/// Share by which the parameters of a shape may differ from the size that is written: sizes are rounded.
const ROUNDED: f64 = 0.1;

/// The part of a shape that words begin with, and how many of them it takes. `before` is the word before them.
pub(super) fn shape(before: Option<&str>, words: &[&str]) -> Option<(FieldTexts, usize)> {
    let partial = |word: Option<&&str>| word.is_some_and(|word| is_one_of(word, &PARTIAL));
    let kind = KINDS.iter().find(|kind| words.first().is_some_and(|word| is_one_of(word, kind.0)));
    if let Some((_, fields)) = kind {
        return Some((fields.iter().map(|(key, text)| (*key, (*text).to_owned())).collect(), 1));
    }
    // 40-layer is 40 layers.
    let joined = words
        .first()
        .and_then(|word| word.split_once('-'))
        .filter(|parts| is_one_of(parts.1, &["layer", "head"]));
    if let Some((number, unit)) = joined.filter(|parts| parts.0.bytes().all(|byte| byte.is_ascii_digit())) {
        let key = if is_one_of(unit, &["layer"]) { "layers" } else { "heads" };
        return (!number.is_empty()).then(|| (vec![(key, number.to_owned())], 1));
    }
    let (key, value, taken) = named_in(&NAMED, words).or_else(|| named_in(&WIDTH, words))?;
    let whole = !partial(before.as_ref()) && !partial(words.get(taken));
    // A letter of scale but k is the size of a model: "13B ffn" is no width.
    let is_number = value.ends_with(|c: char| c.is_ascii_digit() || c == 'k' || c == 'K');
    (whole && is_number).then(|| (vec![(key, value)], taken))
}

/// Whether a key is one that [`shape`] gives.
pub(super) fn is_shape(key: &str) -> bool {
    ["layers", "hidden", "ffn", "heads", "kv", "dh", "vocab", "gated", "act"].contains(&key)
}

/// The model that a shape describes, where `rest`, what is left of its sentence, names none, and the sentence with
/// the name of a custom model in its place.
pub(super) fn described(rest: &str, stated: &FieldTexts) -> Option<(String, DescribedModel)> {
    let (size, modelled, behind) = nameless(rest);
    let has = |key: &str| stated.iter().any(|field| field.0 == key);
    let several = has("layers") && has("hidden");
    if stated.is_empty() || !(several || modelled || size.is_some()) || !is_of_job(behind) {
        return None;
    }
    Some((joined(CUSTOM, behind), completed(stated, size.as_deref())))
}

/// The size of a model of which a sentence says nothing else, and the sentence with the size in the model's place:
/// `13B, 24 nodes of 8 H100`.
pub(super) fn size_alone(rest: &str) -> Option<(String, String)> {
    let (size, _, behind) = nameless(rest);
    let size = size.filter(|_| is_of_job(behind))?;
    Some((joined(&size, behind), size))
}

/// A model before its machine and software.
fn joined(model: &str, behind: &str) -> String {
    let joint = if behind.is_empty() || begins_with(behind, &["on", "with", "using"]) { "" } else { "on " };
    format!("{model} {joint}{behind}").trim_end().to_owned()
}

/// What a model must add of which nothing but its size is said.
pub fn add_shape(size: &str) -> String {
    format!("No listed model has the size {size}. {}", add("layers, hidden size and vocabulary size"))
}

/// What a description of a model must add.
fn add(missing: &str) -> String {
    format!(
        "Add the {missing} of the model, for example \u{201c}40 layers, hidden 5120, 40 heads, vocab 32000\u{201d}."
    )
}

/// The size at the beginning of a sentence, whether it speaks of a model without a name, and what follows that.
fn nameless(rest: &str) -> (Option<String>, bool, &str) {
    let (mut size, mut modelled, mut behind) = (None, false, rest.trim_start_matches([',', ' ']));
    loop {
        let (word, after) = behind.split_once(' ').unwrap_or((behind, ""));
        let bare = word.trim_end_matches([',', ':']);
        let following = after.split(' ').next().unwrap_or_default();
        if is_size(bare) && size.is_none() {
            size = Some(bare.to_ascii_uppercase());
        } else if decimal::parse(bare).is_some()
            && is_one_of(following, &["billion", "million"])
            && size.is_none()
        {
            size = Some(format!("{bare}{}", if is_one_of(following, &["billion"]) { "B" } else { "M" }));
            behind = after.get(following.len()..).unwrap_or_default().trim_start_matches([',', ' ']);
            continue;
        } else if !bare.is_empty() && is_one_of(bare, &NAMELESS) {
            modelled |= is_one_of(
                bare,
                &["model", "transformer", "llm", "decoder", "network", "architecture", "custom"],
            );
        } else {
            return (size, modelled, behind);
        }
        behind = after.trim_start_matches([',', ' ']);
    }
}

/// `13B`, `1.3b`, `560M`.
fn is_size(word: &str) -> bool {
    let number = word.strip_suffix(['b', 'B', 'm', 'M', 't', 'T']);
    number.is_some_and(|number| {
        number.starts_with(|c: char| c.is_ascii_digit()) && decimal::parse(number).is_some()
    })
}

fn begins_with(text: &str, words: &[&str]) -> bool {
    text.split(' ').next().is_some_and(|first| is_one_of(first, words))
}

/// Whether what follows a model is its machine or its software, and not a name of a model.
fn is_of_job(text: &str) -> bool {
    let first = text.split(',').next().unwrap_or_default();
    text.is_empty() || begins_with(text, &["on", "with", "using"]) || names::machine(first).is_some()
}

/// The shape with what follows from it, what had to be assumed, and what is missing.
fn completed(stated: &FieldTexts, size: Option<&str>) -> DescribedModel {
    let mut model = Shape { fields: stated.clone(), assumed: Vec::new(), problem: None };
    model.complete();
    let Shape { mut fields, mut assumed, problem } = model;
    if problem.is_none()
        && let Some(sentence) = size.and_then(|size| other_size(&fields, size))
    {
        assumed.push(sentence);
    }
    if let Some(size) = size {
        fields.push((MODEL_NAME, format!("Custom {size}")));
    }
    DescribedModel { fields, assumed, problem }
}

/// A sentence where a shape has another number of parameters than the one that is written.
fn other_size(fields: &FieldTexts, size: &str) -> Option<String> {
    let mut document = Document::default();
    document.set("m", super::OWN_MODEL);
    document.set("m", CUSTOM);
    fields.iter().for_each(|(key, text)| document.set(key, text));
    let parameters = document.values().ok()?.model.parameters() as f64;
    let unit = match size.as_bytes().last() {
        Some(b'M') => 1e6,
        Some(b'T') => 1e12,
        _ => 1e9,
    };
    let written = unit * decimal::parse(size.get(..size.len() - 1)?)?;
    let differs = (parameters / written - 1.0).abs() > ROUNDED;
    differs.then(|| format!("This shape has {} parameters, not {size}.", number::count(parameters)))
}

/// A shape that is being completed.
struct Shape {
    fields: FieldTexts,
    assumed: Vec<String>,
    problem: Option<(&'static str, String)>,
}

impl Shape {
    fn text(&self, key: &str) -> Option<&str> {
        self.fields.iter().rfind(|field| field.0 == key).map(|field| field.1.as_str())
    }

    /// A number that is stated; a text that is none, or out of bounds, is a problem.
    fn number(&mut self, key: &'static str) -> Option<u32> {
        let text = self.text(key)?.to_owned();
        match Field::find(key)?.parse(&text) {
            Ok(Value::Integer(value)) => Some(value),
            Ok(_) => None,
            Err(error) => {
                self.problem.get_or_insert((key, error.message));
                None
            }
        }
    }

    fn complete(&mut self) {
        let missing: Vec<&str> =
            [("layers", "layers"), ("hidden", "hidden size"), ("vocab", "vocabulary size")]
                .into_iter()
                .filter(|(key, _)| self.text(key).is_none())
                .map(|(_, name)| name)
                .collect();
        if !missing.is_empty() {
            self.problem = Some(("m", add(&missing.join(" and the "))));
            return;
        }
        let Some(hidden) = self.number("hidden") else { return };
        let mut assumed = Vec::new();
        let Some(heads) = self.heads(hidden, &mut assumed) else { return };
        self.key_value_heads(heads, &mut assumed);
        self.feed_forward(hidden, &mut assumed);
        let assumed = assumed.join(", ");
        self.assumed.push(format!(
            "Assumed for the custom model: {assumed}; RoPE, RMSNorm, no biases and untied embeddings, as in Llama."
        ));
    }

    /// The attention heads, and their dimension; nothing where neither is stated and none divides the width.
    fn heads(&mut self, hidden: u32, assumed: &mut Vec<String>) -> Option<u32> {
        /// Dimension of the heads of most published models.
        const USUAL: u32 = 128;
        let dimension = self.number("dh");
        let heads = match (self.number("heads"), dimension.unwrap_or(USUAL)) {
            (Some(heads), _) => heads,
            (None, each) if hidden.is_multiple_of(each) && self.text("heads").is_none() => {
                let heads = hidden / each;
                assumed.push(format!("{heads} attention heads of dimension {each}"));
                self.fields.push(("heads", heads.to_string()));
                heads
            }
            (None, _) => {
                self.problem.get_or_insert(("heads", "Add the number of attention heads.".to_owned()));
                return None;
            }
        };
        if dimension.is_none() {
            if !hidden.is_multiple_of(heads) {
                let message = format!(
                    "Hidden size {hidden} is not divisible by {heads} heads. Add the head dimension."
                );
                self.problem.get_or_insert(("dh", message));
                return None;
            }
            self.fields.push(("dh", (hidden / heads).to_string()));
        }
        Some(heads)
    }

    fn key_value_heads(&mut self, heads: u32, assumed: &mut Vec<String>) {
        match self.text("kv") {
            Some(EQUAL) => self.fields.retain(|field| field.0 != "kv"),
            Some(_) => return,
            None => assumed.push("multi-head attention".to_owned()),
        }
        self.fields.push(("kv", heads.to_string()));
    }

    fn feed_forward(&mut self, hidden: u32, assumed: &mut Vec<String>) {
        let gated = self.text("gated") != Some("0");
        if self.text("gated").is_none() {
            assumed.push("a gated feed-forward layer (SwiGLU)".to_owned());
            self.fields.push(("gated", "1".to_owned()));
        }
        if self.text("ffn").is_none() {
            // Llama's code: two thirds of 4 times the width, rounded up to a multiple of 256.
            let size =
                if gated { (8 * u64::from(hidden) / 3).next_multiple_of(256) } else { 4 * u64::from(hidden) };
            assumed.push(format!("feed-forward size {}", number::integer(size)));
            self.fields.push(("ffn", size.to_string()));
        }
    }
}

#[cfg(test)]
mod tests;
