//! Worked scenarios for the command line's `--preset` and the page's examples: the rows of `data/examples.tsv`.

mod list;

pub use list::EXAMPLES;

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

/// The example of that name.
pub fn find(name: &str) -> Option<&'static Example> {
    EXAMPLES.iter().find(|example| example.name == name)
}
