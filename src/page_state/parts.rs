//! The parts of the page that a second WebAssembly module draws, once one of them is opened: what they are
//! called, which are open, and what they may ask of the page.

use super::page::Action;
use crate::document::Document;
use crate::fields::Field;
use crate::forecast::Prediction;
use crate::number;

/// Key of the view state: names of the open parts, with commas between them.
pub const OPEN: &str = "open";

/// What begins the key of a piece of view state in a link.
const VIEW: &str = "v.";

/// Something the second module draws.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// Messages of one rank.
    Messages,
    /// How large messages are, beside those of the networks of APNet'24.
    Sizes,
    /// Who sends how much to whom.
    Matrix,
    /// What the links of a stage do over time.
    Links,
    /// All-to-all traffic of mixture-of-experts layers.
    Experts,
    /// The equations of APNet'24 beside the detailed forecast.
    ClosedForm,
    /// The same job on another platform, or under another protocol.
    Platforms,
    /// More and more GPUs.
    Scaling,
    /// Networks that are trained with data parallelism alone.
    DataParallel,
    /// Kernels and collectives of the slowest stage.
    Operators,
    /// The pipeline's stages.
    Stages,
    /// Every pass of the pipeline over time.
    Timeline,
    /// Measured runs against forecasts.
    Accuracy,
    /// Times of operators that were learned from measurements.
    Learned,
    /// The reader's own measurements of operators.
    Own,
    /// The reader's own measured steps.
    OwnRuns,
    /// The forecast as text and as JSON.
    Export,
}

/// A heading that parts stand under.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Group {
    /// Under a heading of their own.
    Alone,
    /// Under "Communication".
    Communication,
}

/// A part on the page.
#[derive(Debug, Clone, Copy)]
pub struct Row {
    /// Which.
    pub part: Part,
    /// Its name in the link, and its element's id.
    pub id: &'static str,
    /// Its title.
    pub title: &'static str,
    /// Where it stands.
    pub group: Group,
}

const fn row(part: Part, id: &'static str, title: &'static str, group: Group) -> Row {
    Row { part, id, title, group }
}

/// Every part, in the order of the page.
pub const PARTS: &[Row] = &[
    row(Part::Messages, "messages", "Messages of one rank", Group::Communication),
    row(Part::Sizes, "sizes", "How large messages are", Group::Communication),
    row(Part::Matrix, "matrix", "Communication matrix", Group::Communication),
    row(Part::Links, "links", "Links over time", Group::Communication),
    row(Part::Experts, "experts", "Traffic of experts, expected and its spread", Group::Communication),
    row(Part::ClosedForm, "closed-form", "Closed form, equation by equation", Group::Communication),
    row(Part::Platforms, "platforms", "On another platform or protocol", Group::Communication),
    row(Part::Scaling, "scaling", "More GPUs: where it stops paying", Group::Communication),
    row(Part::DataParallel, "data-parallel", "Data parallelism alone: five networks", Group::Communication),
    row(Part::Operators, "operators", "Operators of the slowest stage", Group::Alone),
    row(Part::Stages, "stages", "Pipeline stages", Group::Alone),
    row(Part::Timeline, "timeline", "Timeline of the pipeline", Group::Alone),
    row(Part::Accuracy, "accuracy", "How good forecasts are: measured runs", Group::Alone),
    row(Part::Learned, "learned", "With learned operators", Group::Alone),
    row(Part::Own, "own", "Your own measurements of operators", Group::Alone),
    row(Part::OwnRuns, "own-runs", "Calibrate to your own runs", Group::Alone),
    row(Part::Export, "export", "This forecast as Markdown and JSON", Group::Alone),
];

impl Part {
    /// The part of that name.
    pub fn find(id: &str) -> Option<Self> {
        PARTS.iter().find(|row| row.id == id).map(|row| row.part)
    }

    /// How many rows it has, where that is worth knowing before it is opened.
    pub fn count(self, prediction: &Prediction) -> Option<String> {
        let count = match self {
            Self::Operators => prediction.operators.len(),
            Self::Stages => prediction.stages.len(),
            _ => return None,
        };
        Some(number::integer(count as u64))
    }
}

/// Whether a part is open.
pub fn is_open(document: &Document, id: &str) -> bool {
    document.extra(OPEN).unwrap_or_default().split(',').any(|name| name == id)
}

/// The view state [`OPEN`] once a part is opened or closed. Names of parts there are not go.
pub fn toggled(document: &Document, id: &str, open: bool) -> String {
    let names: Vec<&str> = PARTS
        .iter()
        .map(|row| row.id)
        .filter(|name| if *name == id { open } else { is_open(document, name) })
        .collect();
    names.join(",")
}

/// What a part asks for with a pair of the link: view state (`v.rank=9`), a choice on the form (`tp=4`), or,
/// without a key, a whole scenario to begin with. `None` for a key there is not.
pub fn asked(key: &str, text: String) -> Option<Action> {
    match key.strip_prefix(VIEW) {
        Some(key) => Some(Action::Show { key: key.to_owned(), text }),
        None if key.is_empty() => Some(Action::Begin(text)),
        None => Field::find(key).map(|field| Action::Choose { key: field.key, text }),
    }
}

/// The key under which [`asked`] takes a piece of view state.
pub fn view_key(key: &str) -> String {
    format!("{VIEW}{key}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page_state::page::Page;

    #[test]
    fn parts_open_and_close_in_the_order_of_the_page() {
        let mut document = Document::default();
        document.set_extra(OPEN, "matrix,no-such-part");
        assert!(is_open(&document, "matrix") && !is_open(&document, "messages"));
        assert_eq!(toggled(&document, "messages", true), "messages,matrix");
        assert_eq!(toggled(&document, "matrix", false), "");
    }

    #[test]
    fn names_are_unique_and_safe_in_a_link() {
        for row in PARTS {
            assert_eq!(Part::find(row.id), Some(row.part));
            assert!(row.id.chars().all(|letter| letter.is_ascii_lowercase() || letter == '-'));
        }
        assert_eq!(Part::find("nothing"), None);
    }

    #[test]
    fn what_a_part_asks_for_is_what_the_link_would_say() {
        let page = Page::new();
        let page =
            page.apply(asked(&view_key("rank"), "9".to_owned()).expect("view state")).expect("changes");
        assert_eq!(page.document.extra("rank"), Some("9"));
        let page = page.apply(asked("tp", "4".to_owned()).expect("a field")).expect("changes");
        assert_eq!((page.document.text("tp"), page.document.extra("rank")), ("4", Some("9")));
        let begun = asked("", "#1;m=llama3-8b;g=dgx-h100;n=64".to_owned()).expect("a scenario");
        let page = page.apply(begun).expect("changes");
        assert_eq!((page.document.text("n"), page.document.extra("rank")), ("64", Some("9")));
        assert!(asked("no-such-field", String::new()).is_none());
    }
}
