//! The panels of the page that a second WebAssembly module draws, once one of them is opened: what they are
//! called, which are open, and what they may ask of the page.

use super::page::Action;
use crate::document::Document;
use crate::fields::Field;
use crate::forecast::Prediction;
use crate::number;

/// Key of the view state: names of the open panels, with commas between them.
pub const OPEN: &str = "open";

/// What begins the key of a piece of view state in a link.
const VIEW: &str = "v.";

/// A heading that panels stand under.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PanelSection {
    /// Under a heading of their own.
    Alone,
    /// Under "Communication".
    Communication,
    /// With the ranked table.
    Ranking,
}

/// A panel in the list of them.
#[derive(Debug, Clone, Copy)]
pub struct PanelEntry {
    /// Which panel it is.
    pub panel: Panel,
    /// The panel's name in the link, and its element's id.
    pub id: &'static str,
    /// What the reader sees of it while it is folded.
    pub title: &'static str,
    /// Where it stands.
    pub section: PanelSection,
}

/// Makes [`Panel`] and [`PANELS`] of rows: what a panel shows, its variant, its name in the link, its title, and
/// its section.
macro_rules! panels {
    ($($(#[$shows:meta])* $panel:ident: $id:literal, $title:literal, $section:ident;)*) => {
        /// Something the second module draws.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Panel {
            $($(#[$shows])* $panel,)*
        }

        /// Every panel, in the order of the page.
        pub const PANELS: &[PanelEntry] = &[
            $(PanelEntry { panel: Panel::$panel, id: $id, title: $title, section: PanelSection::$section },)*
        ];
    };
}

panels! {
    /// What is searched and kept, the columns of the ranked table, and a filter for each.
    Columns: "columns", "Search, columns and their filters", Ranking;
    /// Pinned layouts side by side.
    Compare: "compare", "Compare pinned layouts", Ranking;
    /// Messages of one rank.
    Messages: "messages", "Messages of one rank", Communication;
    /// How large messages are, beside those of the networks of APNet'24.
    Sizes: "sizes", "How large messages are", Communication;
    /// Who sends how much to whom.
    Matrix: "matrix", "Communication matrix", Communication;
    /// What the links of a stage do over time.
    Links: "links", "Links over time", Communication;
    /// All-to-all traffic of mixture-of-experts layers.
    Experts: "experts", "Traffic of experts, expected and its spread", Communication;
    /// The equations of APNet'24 beside the detailed forecast.
    ClosedForm: "closed-form", "Closed form, equation by equation", Communication;
    /// The same job on another platform, or under another protocol.
    Platforms: "platforms", "On another platform or protocol", Communication;
    /// More and more GPUs.
    Scaling: "scaling", "More GPUs: where it stops paying", Communication;
    /// Networks that are trained with data parallelism alone.
    DataParallel: "data-parallel", "Data parallelism alone: five networks", Communication;
    /// Why a layout wins, what would change that, and on how many GPUs.
    Planning: "planning", "Why this layout, what would change it, and on how many GPUs", Alone;
    /// Kernels and collectives of the slowest stage.
    Operators: "operators", "Operators of the slowest stage", Alone;
    /// The pipeline's stages.
    Stages: "stages", "Pipeline stages", Alone;
    /// Every pass of the pipeline over time.
    Timeline: "timeline", "Timeline of the pipeline", Alone;
    /// Measured runs against forecasts.
    Accuracy: "accuracy", "How good forecasts are: measured runs", Alone;
    /// Times of operators that were learned from measurements.
    Learned: "learned", "With learned operators", Alone;
    /// The reader's own measurements of operators.
    YourSamples: "own", "Your own measurements of operators", Alone;
    /// The reader's own measured steps.
    YourRuns: "own-runs", "Calibrate to your own runs", Alone;
    /// The forecast as text and as JSON.
    Export: "export", "This forecast as Markdown, JSON and HTML to embed", Alone;
}

impl Panel {
    /// The panel of that name.
    pub fn find(id: &str) -> Option<Self> {
        PANELS.iter().find(|entry| entry.id == id).map(|entry| entry.panel)
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

/// Whether a panel is open.
pub fn is_open(document: &Document, id: &str) -> bool {
    document.extra(OPEN).unwrap_or_default().split(',').any(|name| name == id)
}

/// The view state [`OPEN`] once a panel is opened or closed. Names of panels there are not go.
pub fn toggled(document: &Document, id: &str, open: bool) -> String {
    let names: Vec<&str> = PANELS
        .iter()
        .map(|entry| entry.id)
        .filter(|name| if *name == id { open } else { is_open(document, name) })
        .collect();
    names.join(",")
}

/// What a panel asks for with a pair of the link: view state (`v.rank=9`), a choice on the form (`tp=4`), or,
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
    fn panels_open_and_close_in_the_order_of_the_page() {
        let mut document = Document::default();
        document.set_extra(OPEN, "matrix,no-such-panel");
        assert!(is_open(&document, "matrix") && !is_open(&document, "messages"));
        assert_eq!(toggled(&document, "messages", true), "messages,matrix");
        assert_eq!(toggled(&document, "matrix", false), "");
    }

    #[test]
    fn names_are_unique_and_safe_in_a_link() {
        for entry in PANELS {
            assert_eq!(Panel::find(entry.id), Some(entry.panel));
            assert!(entry.id.chars().all(|letter| letter.is_ascii_lowercase() || letter == '-'));
        }
        assert_eq!(Panel::find("nothing"), None);
    }

    #[test]
    fn what_a_panel_asks_for_is_what_the_link_would_say() {
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
