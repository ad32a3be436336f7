//! What of a job's layouts is searched, and how much of it is kept: what is set, and view state of the link.

use crate::decimal;
use crate::document::Document;
use crate::scenario::Scenario;
use crate::scenario::stack::StackLimits;
use crate::tuner::{AXES, FreeAxes, Margin, Options, Space, cleared, without_searched};

/// Key of the view state: axes that are free though they usually are not, and, after a `-`, kept though they usually are
/// free; with commas between them.
pub const FREE: &str = "free";
/// Key of the view state: `1` searches also what the stack cannot run.
pub const BEYOND: &str = "beyond";
/// Key of the view state: rows that are kept.
pub const TOP: &str = "top";
/// Key of the view state: memory that a comfortable layout leaves free, percent; blank for as much as makes it likely to fit.
pub const MARGIN: &str = "margin";

/// Numbers of rows that can be kept, the usual one first.
pub const TOPS: [usize; 3] = [1_000, 10_000, 100_000];

/// Memory that can be asked to be left free, at most, percent.
const MOST_MARGIN: f64 = 50.0;

/// What is searched, and what is kept of it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Searched {
    /// Axes that are varied.
    pub free: FreeAxes,
    /// The layout is planned: what the axes that are varied have now does not matter.
    pub planned: bool,
    /// Also what the stack cannot run.
    pub beyond: bool,
    /// Rows that are kept.
    pub top: usize,
    /// What a comfortable layout leaves free of the memory.
    pub margin: Margin,
}

impl Searched {
    /// What a document and its view state ask for; what that does not say, or says wrongly, is as usual. In a layout that is
    /// planned, what is set stays; of one that is set, everything is searched to compare it with.
    pub fn of(document: &Document) -> Self {
        let text = |key| document.extra(key).unwrap_or_default();
        let free =
            text(FREE).split(',').fold(FreeAxes::default(), |free, axis| match axis.strip_prefix('-') {
                Some(kept) => free.with(kept, false),
                None => free.with(axis, true),
            });
        let planned = document.is_planned();
        let kept = document.set_in_layout().filter(|_| planned);
        let free = kept.fold(free, |free, key| free.with(key, false));
        let top = TOPS.into_iter().find(|top| text(TOP) == top.to_string()).unwrap_or(TOPS[0]);
        let percent = decimal::parse(text(MARGIN)).filter(|percent| (0.0..=MOST_MARGIN).contains(percent));
        let margin = Margin::of_percent(percent);
        Self { free, planned, beyond: text(BEYOND) == "1", top, margin }
    }

    /// The layouts of a job that are searched.
    pub fn space(&self, job: &Scenario) -> Space {
        let limits = if self.beyond { StackLimits::ALL } else { StackLimits::of_job(job) };
        if self.planned {
            Space::within(&cleared(job, self.free), self.free, limits)
        } else {
            Space::within(job, self.free, limits)
        }
    }

    /// A job without what its layouts do not depend on: jobs that are equal then have the same ones. In a layout that is
    /// planned, a list of layers is a result of the search, and not what it starts from.
    pub fn same_layouts(&self, job: &Scenario) -> Scenario {
        let job = if self.planned { cleared(job, self.free) } else { *job };
        without_searched(&job, self.free)
    }

    /// What the search keeps.
    pub fn options(&self) -> Options {
        Options { top: self.top, margin: self.margin, ..Options::default() }
    }

    /// The view state [`FREE`] once an axis is freed, or kept.
    pub fn toggled(&self, key: &str) -> String {
        let (usual, free) = (FreeAxes::default(), self.free.with(key, !self.free.has(key)));
        let odd = AXES.iter().map(|axis| axis.key).filter(|key| free.has(key) != usual.has(key));
        let names: Vec<String> =
            odd.map(|key| if free.has(key) { key.to_owned() } else { format!("-{key}") }).collect();
        names.join(",")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::plan::{Plan, StageLayers, StageSplit};

    fn with(key: &str, text: &str) -> Searched {
        let mut document = Document::default();
        document.set_extra(key, text);
        Searched::of(&document)
    }

    #[test]
    fn what_is_not_said_is_as_usual() {
        let usual = Searched::of(&Document::default());
        assert_eq!((usual.free, usual.beyond, usual.top), (FreeAxes::default(), false, 1000));
        for (key, text) in [(FREE, "no-such-axis"), (TOP, "7"), (MARGIN, "90"), (MARGIN, "x"), (BEYOND, "2")]
        {
            assert_eq!(with(key, text), usual, "{key}={text}");
        }
        assert_eq!(with(TOP, "100000").options().top, 100_000);
        assert_eq!(with(MARGIN, "10").options().margin, Margin::Share(0.1));
    }

    #[test]
    fn a_list_of_layers_begins_another_search_only_where_it_is_set() {
        let link = "#2;m=deepseek-v3;g=hgx-h800;n=2048;gb=15360;seq=4096";
        let mut planned = Document::from_link(link).expect("a link").document;
        let searched = Searched::of(&planned);
        let listed = StageSplit::Given(StageLayers::parse("7,8x6,6").expect("a list"));
        let bare = planned.values().expect("fields that can be read");
        let job = Scenario { plan: Plan { pipeline_parallel: 8, stage_split: listed, ..bare.plan }, ..bare };
        assert!(searched.planned);
        assert_eq!(searched.same_layouts(&job), searched.same_layouts(&bare));
        planned.keep_layout();
        let searched = Searched::of(&planned);
        assert!(!searched.planned && searched.same_layouts(&job) != searched.same_layouts(&bare));
    }

    #[test]
    fn axes_are_freed_and_kept() {
        let usual = Searched::of(&Document::default());
        assert_eq!(usual.toggled("tp"), "-tp");
        assert_eq!(with(FREE, "-tp").toggled("map"), "map,-tp");
        assert_eq!(with(FREE, "map,-tp").toggled("tp"), "map");
        let searched = with(FREE, "map,-tp");
        assert!(searched.free.has("map") && !searched.free.has("tp") && searched.free.has("pp"));
    }

    #[test]
    fn the_space_is_what_is_asked_for() {
        let job = Document::default().scenario().expect("possible");
        let few = with(FREE, "-tp,-cp,-pp,-vpp,-sched,-split,-zero,-mb").space(&job);
        let usual = with(FREE, "").space(&job);
        assert!(!few.is_empty() && few.len() < usual.len());
        assert!(with(BEYOND, "1").space(&job).len() > usual.len());
    }
}
