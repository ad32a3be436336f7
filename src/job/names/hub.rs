//! Models by their names on the Hugging Face Hub: the rows of `data/hub.tsv`.

use super::hub_rows::ROWS;

/// A model of the Hub.
#[derive(Debug, Clone, Copy)]
pub struct HubModel {
    /// Owner and name, as in `meta-llama/Llama-3.1-8B`.
    pub name: &'static str,
    /// The shape as fields, a preset of the model table first: `m=llama3-8b;vocab=32000`.
    pub fields: &'static str,
    /// Published number of parameters, in billions.
    pub parameters: f64,
}

/// The most trained models of the Hub, by family.
pub static HUB: &[HubModel] = ROWS;

/// Parts of names that say how a model was tuned or stored, which changes no shape.
const TUNING: [&str; 15] = [
    "meta", "instruct", "chat", "it", "base", "hf", "pt", "thinking", "bnb", "4bit", "8bit", "fp8", "fp16",
    "bf16", "model",
];

/// Whether part of a name is a date of four digits: a year and a month (`2507`), a month and a day (`0528`) or a year (`1124`).
pub fn is_date(part: &str) -> bool {
    let halves = part.split_at_checked(2).map(|(one, other)| (one.parse::<u8>(), other.parse::<u8>()));
    part.len() == 4 && matches!(halves, Some((Ok(23..), Ok(1..=12)) | (Ok(1..=12), Ok(1..=31))))
}

/// Whether part of a name is a context length: `128k`.
fn is_context(part: &str) -> bool {
    part.strip_suffix('k').is_some_and(|length| length.parse::<u32>().is_ok())
}

/// A name without its owner, its date, its context length and what says how the model was tuned or stored: a tuned model has the shape of its
/// base, whoever keeps it.
pub fn stem(name: &str) -> String {
    let last = name.trim_end_matches('/').rsplit('/').next().unwrap_or_default().to_ascii_lowercase();
    let parts: Vec<&str> = last
        .split(['-', '_', ' '])
        .filter(|part| !TUNING.contains(part) && !is_date(part) && !is_context(part))
        .collect();
    parts.join("-")
}
