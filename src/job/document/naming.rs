//! What a job's choices are called, and the name of a model that is no row of the table.

use super::{Document, OWN_MODEL, phrases};
use crate::decimal;
use crate::fields::{CUSTOM, Field, Value};
use crate::names;

/// Key of the name of a custom model in links; no field, because it has no effect on a forecast.
pub const MODEL_NAME: &str = "name";

/// Longest name that is kept, in characters.
const LONGEST_NAME: usize = 60;

impl Document {
    /// What the choice of a field is called: its label, or the name of a custom model that has one.
    pub fn label(&self, key: &str) -> &str {
        let text = self.text(key);
        let named =
            Some(self.text(MODEL_NAME)).filter(|name| key == "m" && text == CUSTOM && !name.is_empty());
        named.unwrap_or_else(|| Field::find(key).map_or(text, |field| field.label_of(text)))
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

    /// The global batch in sequences, as its field takes it, of so many tokens, as people write them (`4M`, with binary units as in the field of
    /// the sequence length); nothing where they or the sequence length are no number.
    pub fn sequences_of(&self, tokens: &str) -> Option<String> {
        let Value::Integer(sequence) = Field::find("seq")?.parse(self.text("seq")).ok()? else { return None };
        Some(decimal::plain(phrases::sequences(tokens, sequence.into())?))
    }
}
