//! The panels of the page that a second WebAssembly module draws, once one of them is opened: what they are
//! called, which are open, and what they may ask of the page.

use super::page::Action;
use super::planning::QUESTION;
use super::timeline::SPAN;
use crate::document::{Document, MODEL_NAME};
use crate::fields::Field;
use crate::forecast::Prediction;
use crate::number;
use crate::scenario::Scenario;

/// Key of the view state: names of the open panels, with commas between them.
pub const OPEN: &str = "open";

/// Name of the place above the rows of the ranked table.
pub const CONTROLS: &str = "ranking-controls";
/// Name of the place of its rows.
pub const TABLE: &str = "ranking-table";

/// Name of the place of the form with all fields.
pub const FORM: &str = "form";
/// Name of the place below the answer that says how many GPUs meet the deadline and what the budget buys.
pub const GOAL: &str = "goal";
/// Name of the place of the choices for a setting of the job.
pub const PICKER: &str = "picker";

/// Key under which the page opens the form at a field, by its key.
pub const SHOW_FIELD: &str = "show-field";
/// Key under which the page closes the choices for a setting; with a text, its button takes the focus.
pub const CLOSE: &str = "close";

/// Key under which [`asked`] takes several choices on the form at once: `n=64,g=dgx-h100`.
pub const SET: &str = "set";

/// Key under which [`asked`] takes the same of a model that is described by its shape, behind what was assumed of it and a line's end.
const DESCRIBED: &str = "described";

/// Key under which [`asked`] takes what is left to the search: a field, the whole layout, or nothing of the layout.
pub const PLANNED: &str = "planned";

/// The whole layout there.
const WHOLE: &str = "layout";

/// What begins the key under which [`asked`] takes a field's text as it is typed.
const TYPED_PREFIX: &str = "~";

/// Key under which [`asked`] takes a layout, as the link of a job in it.
pub const LAYOUT: &str = "layout";

/// What begins the key of a piece of view state in a link.
const VIEW_PREFIX: &str = "v.";

/// Key of the view state: the name of the view that is shown; none is [`ResultsView::Time`].
pub const VIEW: &str = "view";

/// A view of the results, under the answer. Each has an address of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ResultsView {
    /// Where the time goes.
    Time,
    /// What the memory holds.
    Memory,
    /// Who sends what to whom.
    Communication,
    /// Every layout, ranked.
    Layouts,
    /// Jobs side by side.
    Compare,
    /// More or fewer GPUs, and what a run costs.
    Scale,
    /// How good forecasts are.
    Trust,
    /// The papers' own studies.
    Research,
}

impl ResultsView {
    /// Every view: its name in the link and its title.
    pub const ALL: [(Self, &'static str, &'static str); 8] = [
        (Self::Time, "time", "Time"),
        (Self::Memory, "memory", "Memory"),
        (Self::Communication, "communication", "Communication"),
        (Self::Layouts, "layouts", "Layouts"),
        (Self::Compare, "compare", "Compare"),
        (Self::Scale, "scale", "Scaling and cost"),
        (Self::Trust, "trust", "Accuracy"),
        (Self::Research, "research", "Papers"),
    ];

    /// The view of that name.
    pub fn find(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|entry| entry.1 == name).map(|entry| entry.0)
    }

    /// The name of the view in the link.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|entry| entry.0 == self).map_or("time", |entry| entry.1)
    }

    /// The view that a document shows: the one that it names, or that of the panel it names.
    pub fn of(document: &Document) -> Self {
        // Older links name the comparison as a part of another view.
        if ["compare", "jobs", "saved"].iter().any(|id| is_open(document, id)) {
            return Self::Compare;
        }
        let named = document.extra(VIEW).and_then(Self::find);
        let opened = || PANELS.iter().find(|entry| is_open(document, entry.id)).map(|entry| entry.view);
        named.or_else(opened).unwrap_or(Self::Time)
    }

    /// What the view holds, of what applies to a job, in the order of the page.
    pub fn panels(self, job: &Scenario) -> impl Iterator<Item = &'static PanelEntry> {
        PANELS.iter().filter(move |entry| entry.view == self && entry.panel.applies(job))
    }
}

/// A panel in the list of them.
#[derive(Debug, Clone, Copy)]
pub struct PanelEntry {
    /// Which panel it is.
    pub panel: Panel,
    /// The panel's name in the link, and its element's id.
    pub id: &'static str,
    /// Its heading.
    pub title: &'static str,
    /// The view that it is part of.
    pub view: ResultsView,
}

/// Makes [`Panel`] and [`PANELS`] of rows: what a panel shows, its variant, its name in the link, its title, and
/// its view.
macro_rules! panels {
    ($($(#[$shows:meta])* $panel:ident: $id:literal, $title:literal, $view:ident;)*) => {
        /// Something the second module draws.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Panel {
            $($(#[$shows])* $panel,)*
        }

        /// Every panel, in the order of the page.
        pub const PANELS: &[PanelEntry] = &[
            $(PanelEntry { panel: Panel::$panel, id: $id, title: $title, view: ResultsView::$view },)*
        ];
    };
}

panels! {
    /// What is searched and kept, the columns of the ranked table, and a filter for each.
    Columns: "columns", "Search, columns and filters", Layouts;
    /// Why a layout wins, what would change that, and on how many GPUs.
    Planning: "planning", "Why this layout", Layouts;
    /// Forecasts of any jobs side by side.
    Jobs: "jobs", "Comparison", Compare;
    /// Forecasts saved under names.
    Saved: "saved", "Saved forecasts", Compare;
    /// The forecast as text and as JSON.
    Export: "export", "Export", Layouts;
    /// Every pass of the pipeline over time.
    Timeline: "timeline", "Pipeline timeline", Time;
    /// Kernels and collectives of the slowest stage.
    Operators: "operators", "Operators of the slowest stage", Time;
    /// One kernel or collective, and what its time is made of.
    Operator: "operator", "Time of one operator", Time;
    /// The kernels against the limits of the GPU.
    Roofline: "roofline", "Roofline of the kernels", Time;
    /// The step's time, part by part.
    Waterfall: "waterfall", "Waterfall and layers", Time;
    /// The pipeline's stages.
    Stages: "stages", "Pipeline stages", Time;
    /// What each stage's GPUs hold.
    Memory: "memory", "Memory per GPU, by stage", Memory;
    /// What a GPU of the fullest stage holds over a step.
    MemoryCurve: "memory-curve", "Memory over a step", Memory;
    /// Who sends how much to whom.
    Matrix: "matrix", "Communication matrix", Communication;
    /// Which GPU holds which part of the job.
    Machine: "machine", "Placement of the ranks", Communication;
    /// Messages of one rank.
    Messages: "messages", "Messages of one rank", Communication;
    /// What the links of a stage do over time.
    Links: "links", "Link activity over time", Communication;
    /// The same job on another platform, or under another protocol.
    Platforms: "platforms", "Other machines and protocols", Communication;
    /// More and more GPUs.
    Scaling: "scaling", "Scaling limit", Scale;
    /// How sure the forecast of this job is, and on what evidence.
    Sure: "sure", "Accuracy for this job", Trust;
    /// Measured runs against forecasts.
    Accuracy: "accuracy", "Measured runs", Trust;
    /// The reader's own measured steps.
    YourRuns: "own-runs", "Calibration from your runs", Trust;
    /// Times of operators that were learned from measurements.
    Learned: "learned", "Forecast from measured kernels", Trust;
    /// The reader's own measurements of operators.
    YourSamples: "own", "Your kernel benchmarks", Trust;
    /// Message sizes, compared with the networks of APNet'24.
    Sizes: "sizes", "Message sizes (APNet'24, figure 1)", Research;
    /// The equations of APNet'24, compared with the detailed forecast.
    ClosedForm: "closed-form", "Closed form, equation by equation (APNet'24)", Research;
    /// Networks that are trained with data parallelism alone.
    DataParallel: "data-parallel", "Data parallelism only: five networks (APNet'24)", Research;
    /// All-to-all traffic of mixture-of-experts layers.
    Experts: "experts", "Expert traffic: mean and 90 % range", Research;
}

impl Panel {
    /// The panel of that name.
    pub fn find(id: &str) -> Option<Self> {
        PANELS.iter().find(|entry| entry.id == id).map(|entry| entry.panel)
    }

    /// Whether it is a part of the ranked table, above its rows, which is shown on request.
    pub fn is_of_table(self) -> bool {
        self == Self::Columns
    }

    /// Whether it says anything about a job. Studies that bring their own networks apply to any.
    pub fn applies(self, job: &Scenario) -> bool {
        match self {
            Self::Machine | Self::Matrix | Self::Messages | Self::Links => job.cluster.gpus > 1,
            _ => true,
        }
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

/// The view state once a view is chosen: its name, and no panel of another.
pub fn shown(document: &Document, view: ResultsView) -> Document {
    let mut document = document.clone();
    let kept = |entry: &&PanelEntry| {
        is_open(&document, entry.id) && (entry.view == view || entry.panel.is_of_table())
    };
    let open: Vec<&str> = PANELS.iter().filter(kept).map(|entry| entry.id).collect();
    let open = open.join(",");
    document.set_extra(OPEN, &open);
    document.set_extra(VIEW, view.name());
    document
}

/// The view state once one of a view's panels is chosen.
pub fn shown_at(document: &Document, entry: &PanelEntry) -> Document {
    let mut shown = shown(document, entry.view);
    let kept = |other: &&PanelEntry| other.panel.is_of_table() && is_open(document, other.id);
    let open: Vec<&str> = PANELS.iter().filter(kept).map(|other| other.id).chain([entry.id]).collect();
    shown.set_extra(OPEN, &open.join(","));
    shown
}

/// The panel that a document asks for: the first of its view that it names.
pub fn named(document: &Document) -> Option<&'static PanelEntry> {
    let view = ResultsView::of(document);
    PANELS
        .iter()
        .find(|entry| entry.view == view && !entry.panel.is_of_table() && is_open(document, entry.id))
}

/// Whether a document asks for a panel: it names it, or keeps what was chosen in it (the timeline's zoom, a question).
pub fn is_asked(document: &Document, id: &str) -> bool {
    let kept = match Panel::find(id) {
        Some(Panel::Timeline) => document.extra(SPAN),
        Some(Panel::Planning) => document.extra(QUESTION),
        _ => None,
    };
    kept.is_some() || is_open(document, id)
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

/// What a panel asks for with a pair of the link: view state (`v.rank=9`), a choice on the form (`tp=4`), a text that is
/// typed there (`~gb=1k`), several choices under [`SET`], under [`LAYOUT`] the layout of a job, or, without a key, a whole
/// scenario to begin with. `None` for a key there is not.
pub fn asked(key: &str, text: String) -> Option<Action> {
    if let Some(key) = key.strip_prefix(TYPED_PREFIX) {
        return field(key).map(|key| Action::Type { key, text });
    }
    match key.strip_prefix(VIEW_PREFIX) {
        Some(key) => Some(Action::Show { key: key.to_owned(), text }),
        None if key.is_empty() => Some(Action::Begin(text)),
        None if key == LAYOUT => {
            let job = Document::from_link(&text).ok()?.document.scenario().ok()?;
            Some(Action::Load(job.plan))
        }
        None if key == PLANNED => Some(match text.as_str() {
            "" => Action::Keep,
            WHOLE => Action::Leave(None),
            key => Action::Leave(Some(field(key)?)),
        }),
        None if key == SET => pairs(&text).map(Action::Set),
        None if key == DESCRIBED => {
            let (assumed, values) = text.split_once('\n')?;
            Some(Action::Describe { values: pairs(values)?, assumed: assumed.to_owned() })
        }
        None => field(key).map(|key| Action::Choose { key, text }),
    }
}

/// The key of a field, or of the name of a custom model.
fn field(key: &str) -> Option<&'static str> {
    Field::find(key).map(|field| field.key).or_else(|| (key == MODEL_NAME).then_some(MODEL_NAME))
}

/// Keys and texts of several fields: `n=64,g=dgx-h100`.
fn pairs(text: &str) -> Option<Vec<(&'static str, String)>> {
    let pairs = text.split(',').map(|pair| pair.split_once('='));
    pairs.map(|pair| Some((field(pair?.0)?, pair?.1.to_owned()))).collect()
}

/// Keys and texts as [`pairs`] reads them.
fn joined(values: &[(&'static str, String)]) -> String {
    values.iter().map(|(key, text)| format!("{key}={text}")).collect::<Vec<_>>().join(",")
}

/// The key and text under which [`asked`] takes an action of the form; empty ones for what no form asks for.
pub fn asking(action: &Action) -> (String, String) {
    match action {
        Action::Type { key, text } => (format!("{TYPED_PREFIX}{key}"), text.clone()),
        Action::Choose { key, text } => ((*key).to_owned(), text.clone()),
        Action::Show { key, text } => (view_key(key), text.clone()),
        Action::Set(values) => (SET.to_owned(), joined(values)),
        Action::Describe { values, assumed } => {
            (DESCRIBED.to_owned(), format!("{assumed}\n{}", joined(values)))
        }
        Action::Leave(key) => (PLANNED.to_owned(), key.unwrap_or(WHOLE).to_owned()),
        Action::Keep => (PLANNED.to_owned(), String::new()),
        Action::Begin(link) => (String::new(), link.clone()),
        _ => Default::default(),
    }
}

/// The key under which [`asked`] takes a piece of view state.
pub fn view_key(key: &str) -> String {
    format!("{VIEW_PREFIX}{key}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::Page;

    #[test]
    fn panels_open_and_close_in_the_order_of_the_page() {
        let mut document = Document::default();
        document.set_extra(OPEN, "matrix,no-such-panel");
        assert!(is_open(&document, "matrix") && !is_open(&document, "messages"));
        assert_eq!(toggled(&document, "messages", true), "matrix,messages");
        assert_eq!(toggled(&document, "matrix", false), "");
    }

    #[test]
    fn a_view_is_the_one_that_is_named_or_that_of_an_open_panel() {
        let mut document = Document::default();
        let job = document.scenario().expect("possible");
        assert_eq!(ResultsView::of(&document), ResultsView::Time);
        // A link from when every panel was a fold of one page.
        document.set_extra(OPEN, "messages,stages");
        assert_eq!(ResultsView::of(&document), ResultsView::Time, "the first in the order of the page");
        assert_eq!(named(&document).map(|entry| entry.id), Some("stages"));
        document.set_extra(VIEW, "trust");
        assert_eq!(ResultsView::of(&document), ResultsView::Trust);
        let shown = shown(&document, ResultsView::Communication);
        assert_eq!((shown.extra(VIEW), shown.extra(OPEN)), (Some("communication"), Some("messages")));
        let matrix = PANELS.iter().find(|entry| entry.id == "matrix").expect("a panel");
        assert_eq!(named(&shown_at(&shown, matrix)).map(|entry| entry.id), Some("matrix"));
        assert!(!is_asked(&document, "timeline"));
        document.set_extra(SPAN, "0_0.5");
        assert!(is_asked(&document, "timeline") && !is_asked(&document, "planning"));
        document.set_extra(OPEN, "columns");
        assert_eq!(shown_at(&document, matrix).extra(OPEN), Some("columns,matrix"), "filters stay");
        let every: usize = ResultsView::ALL.iter().map(|view| view.0.panels(&job).count()).sum();
        assert_eq!(every, PANELS.len(), "all apply to this job, and each is in one view");
        let mut alone = job;
        alone.cluster.gpus = 1;
        assert!(ResultsView::Communication.panels(&alone).all(|entry| entry.id != "matrix"));
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
    fn what_the_form_asks_for_arrives_as_it_was_asked() {
        let text = "2k".to_owned();
        let asked_for = [
            Action::Type { key: "gb", text: text.clone() },
            Action::Choose { key: "gb", text: text.clone() },
            Action::Choose { key: MODEL_NAME, text: "our-7b".to_owned() },
            Action::Show { key: "free".to_owned(), text },
            Action::Set(vec![("m", "llama3-8b".to_owned()), ("n", "64".to_owned())]),
            Action::Begin("#1;m=llama3-8b;g=dgx-h100;n=64".to_owned()),
        ];
        for action in asked_for {
            let (key, text) = asking(&action);
            let arrived = asked(&key, text).expect("it is understood");
            assert_eq!(format!("{arrived:?}"), format!("{action:?}"));
        }
        for key in [SHOW_FIELD, CLOSE, SET, LAYOUT] {
            assert!(Field::find(key).is_none(), "{key} is no field's");
        }
    }

    #[test]
    fn what_a_panel_asks_for_is_what_the_link_would_say() {
        let page = Page::new();
        let page =
            page.apply(asked(&view_key("rank"), "9".to_owned()).expect("view state")).expect("changes");
        assert_eq!(page.document.extra("rank"), Some("9"));
        let page = page.apply(asked("tp", "2".to_owned()).expect("a field")).expect("changes");
        assert_eq!((page.document.text("tp"), page.document.extra("rank")), ("2", Some("9")));
        let begun = asked("", "#1;m=llama3-8b;g=dgx-h100;n=64".to_owned()).expect("a scenario");
        let page = page.apply(begun).expect("changes");
        assert_eq!((page.document.text("n"), page.document.extra("rank")), ("64", Some("9")));
        let other = asked(LAYOUT, "#1;m=llama3-8b;g=dgx-h100;n=64;tp=4".to_owned()).expect("a layout");
        let page = page.apply(other).expect("changes");
        assert_eq!((page.document.text("tp"), page.document.text("n")), ("4", "64"));
        assert!(asked(LAYOUT, "#1;tp=3".to_owned()).is_none() && Field::find(LAYOUT).is_none());
        assert!(asked(SET, "n=8,no-such-field=1".to_owned()).is_none());
        assert!(asked("no-such-field", String::new()).is_none());
    }
}
