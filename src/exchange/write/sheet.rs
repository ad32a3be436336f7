//! A file that is being written, and which fields it says.

use super::{Export, LeftOut};
use crate::document::Document;
use crate::fields::{FIELDS, Field, FieldGroup};
use crate::scenario::Scenario;

/// What a field is left out for that no writer mentions.
const NO_SUCH_SETTING: &str = "the file format has no setting";

/// Why the machine is left out.
const OF_MACHINE: &str = "the file does not describe the machine";

/// Why one of parameters and optimizer on the host is left out where the other is not there.
pub(super) const FSDP_MOVES_ALL: &str = "FSDP offloads parameters and optimizer together";

/// A scenario and what was said of it so far.
pub(super) struct ExportDraft<'a> {
    /// What is written.
    pub(super) scenario: &'a Scenario,
    document: Document,
    said: Vec<&'static str>,
    left_out: Vec<LeftOut>,
}

impl<'a> ExportDraft<'a> {
    /// A sheet on which nothing is said.
    pub(super) fn new(scenario: &'a Scenario) -> Self {
        let document = Document::from_scenario(scenario);
        Self { scenario, document, said: Vec::new(), left_out: Vec::new() }
    }

    /// Text of a field.
    pub(super) fn text(&self, key: &str) -> &str {
        self.document.text(key)
    }

    /// Whether some field of the model is left out.
    pub(super) fn model_is_cut(&self) -> bool {
        let of_model = |key: &str| Field::find(key).is_some_and(|field| field.group == FieldGroup::Model);
        self.left_out.iter().any(|left_out| of_model(left_out.field))
    }

    /// Notes that the file says these fields.
    pub(super) fn say(&mut self, keys: &[&'static str]) {
        for key in keys {
            if self.open(key) {
                self.said.push(key);
            }
        }
    }

    /// Notes that the file says a field if it can, and else why not.
    pub(super) fn say_if(&mut self, can: bool, key: &'static str, why: &'static str) {
        if can { self.say(&[key]) } else { self.leave_out(key, why) }
    }

    /// Notes that the file cannot say a field.
    pub(super) fn leave_out(&mut self, key: &'static str, text: &'static str) {
        if self.open(key) {
            self.left_out.push(LeftOut { field: key, value: self.document.text(key).to_owned(), text });
        }
    }

    /// Notes that the file cannot say the fields of a group.
    pub(super) fn leave_out_group(&mut self, group: FieldGroup, text: &'static str) {
        for field in FIELDS.iter().filter(|field| field.group == group) {
            self.leave_out(field.key, text);
        }
    }

    /// Whether a field has an effect, and nothing was said of it yet.
    fn open(&self, key: &str) -> bool {
        self.document.applies(key)
            && !self.said.contains(&key)
            && self.left_out.iter().all(|left_out| left_out.field != key)
    }

    /// The comment that lists what is left out, a line for each reason, behind the mark of a comment. Nothing may be said
    /// behind it: what nobody has mentioned is left out now.
    pub(super) fn comment(&mut self, mark: &str) -> String {
        self.reasons().iter().map(|line| format!("{mark} {line}\n")).collect()
    }

    /// A line for each reason why fields are left out.
    pub(super) fn reasons(&mut self) -> Vec<String> {
        for field in FIELDS {
            match field.group {
                FieldGroup::Cluster if field.key != "n" => self.leave_out(field.key, OF_MACHINE),
                FieldGroup::Run => {}
                _ => self.leave_out(field.key, NO_SUCH_SETTING),
            }
        }
        let mut reasons: Vec<(&str, Vec<String>)> = Vec::new();
        for left_out in self.left_out.iter().filter(|left_out| left_out.text != OF_MACHINE) {
            let field = format!("{}={}", left_out.field, left_out.value);
            match reasons.iter_mut().find(|reason| reason.0 == left_out.text) {
                Some((_, fields)) => fields.push(field),
                None => reasons.push((left_out.text, vec![field])),
            }
        }
        let line =
            |(text, fields): &(&str, Vec<String>)| format!("Not exported ({text}): {}", fields.join(", "));
        reasons.iter().map(line).collect()
    }

    /// The file, with what it says.
    pub(super) fn finish(self, text: String) -> Export {
        Export { text, said: self.said, left_out: self.left_out }
    }
}

/// Nodes of a job, and GPUs of each.
pub(super) fn nodes(scenario: &Scenario) -> (u32, u32) {
    let (gpus, node) = (scenario.cluster.gpus, scenario.cluster.gpus_per_node.max(1));
    if gpus > node { (gpus / node, node) } else { (1, gpus) }
}
