//! Worked scenarios for the command line's `--preset` and the page's examples: the rows of `data/examples.tsv`.

mod list;

pub use list::EXAMPLES;

use crate::scenario::model::{Model, presets};

/// A scenario as a link: published, or one to start from.
#[derive(Debug, Clone, Copy)]
pub struct Example {
    /// Name on the command line.
    pub name: &'static str,
    /// One line about it.
    pub label: &'static str,
    /// The link that opens the example.
    pub link: &'static str,
    /// Whether its layout is a published one.
    pub published: bool,
}

impl Example {
    /// Whether the link's model can be a model: a preset of another width cannot. Without reading the whole link.
    pub fn may_be_of(&self, model: &Model) -> bool {
        let name = self.link.split(';').find_map(|pair| pair.strip_prefix("m="));
        name.and_then(presets::find).is_none_or(|preset| preset.model.hidden == model.hidden)
    }
}

/// The example of that name.
pub fn find(name: &str) -> Option<&'static Example> {
    EXAMPLES.iter().find(|example| example.name == name)
}
