//! What a job's choices are called, how its amounts are written, and the name of a model that is no row of the table.

use super::{Document, OWN_MODEL, phrases};
use crate::decimal;
use crate::fields::{CUSTOM, Field, FieldKind, Value};
use crate::names;

/// Key of the name of a custom model in links; no field, because it has no effect on a forecast.
pub const MODEL_NAME: &str = "name";

/// Longest name that is kept, in characters.
const LONGEST_NAME: usize = 60;

/// Letters of amounts of tokens and money, with what they stand for.
const AMOUNTS: [(f64, &str); 4] = [(1e12, "T"), (1e9, "B"), (1e6, "M"), (1e3, "k")];

impl Document {
    /// The text of a field as people write it: `1T` for `1000000000000` tokens.
    pub fn shown(&self, key: &str) -> String {
        let text = self.text(key);
        let is_amount = |field: &Field| {
            matches!(field.kind, FieldKind::Quantity { .. }) && ["tokens", "USD"].contains(&field.unit)
        };
        let value = Field::find(key).filter(|field| is_amount(field)).and_then(|_| decimal::parse(text));
        let short = value.and_then(|value| {
            let (scale, letter) = AMOUNTS.into_iter().find(|amount| value >= amount.0)?;
            Some(decimal::plain(value / scale) + letter)
        });
        short.filter(|short| short.len() < text.len()).unwrap_or_else(|| text.to_owned())
    }

    /// What the choice of a field is called: its label, or the name of a custom model that has one.
    pub fn label(&self, key: &str) -> &str {
        let text = self.text(key);
        let named = Some(self.text(MODEL_NAME))
            .filter(|name| key == "m" && self.has_custom_model() && !name.is_empty());
        named.unwrap_or_else(|| Field::find(key).map_or(text, |field| field.label_of(text)))
    }

    /// Whether the model is no row of the table.
    pub fn has_custom_model(&self) -> bool {
        self.text("m") == CUSTOM
    }

    /// The model of a name, if there is one.
    pub(super) fn set_model(&mut self, name: &str) {
        let Some(model) = names::model(name) else { return };
        if model.key == CUSTOM && !model.fields.is_empty() {
            self.set("m", OWN_MODEL);
        }
        self.set("m", model.key);
        self.set_each(model.fields.split(';').filter_map(|field| field.split_once('=')));
        if model.key == CUSTOM {
            self.name_model(model.name);
        }
    }

    /// Names a custom model. A change of its shape, or another model, ends the name; an empty one is none.
    pub fn name_model(&mut self, name: &str) {
        let name: String = name.trim().chars().take(LONGEST_NAME).collect();
        match self.place(MODEL_NAME) {
            Ok(place) if name.is_empty() => {
                self.others.remove(place);
            }
            Err(_) if name.is_empty() => {}
            _ => self.set_other(MODEL_NAME, &name),
        }
    }

    /// Names a model that is no row of the table; an empty name leaves it as it is.
    pub fn name_custom_model(&mut self, name: &str) {
        if self.has_custom_model() && !name.is_empty() {
            self.name_model(name);
        }
    }

    /// The global batch in sequences, as its field takes it, of so many tokens, as people write them (`4M`, with binary units as in the field of
    /// the sequence length); nothing where they or the sequence length are no number.
    pub fn sequences_of(&self, tokens: &str) -> Option<String> {
        let Value::Integer(sequence) = Field::find("seq")?.parse(self.text("seq")).ok()? else { return None };
        Some(decimal::plain(phrases::sequences(tokens, sequence.into())?))
    }

    /// The global batch in sequences of so many micro-batches per step: times the micro-batch and the replicas, with one sequence and
    /// one GPU per replica where the layout does not say more; nothing where they are no whole number.
    pub fn accumulated(&self, micro_batches: &str) -> Option<String> {
        let integer = |key: &str, text: &str| match Field::find(key)?.parse(text).ok()? {
            Value::Integer(value) => Some(u64::from(value)),
            _ => None,
        };
        let degree = |key| if self.is_set(key) { integer(key, self.text(key)) } else { Some(1) };
        let of_replica = degree("tp")?.checked_mul(degree("pp")?)?.checked_mul(degree("cp")?)?;
        let replicas = integer("n", self.text("n"))?.checked_div(of_replica)?.max(1);
        let sequences = integer("gb", micro_batches)?.checked_mul(degree("mb")?)?.checked_mul(replicas)?;
        Some(sequences.to_string())
    }
}
