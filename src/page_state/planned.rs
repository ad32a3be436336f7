//! What the page chooses for a reader who has not: the layout, the batch, the sequence and the software.
//!
//! The view state [`AUTO`] says that it does. A field of the layout that the reader sets then is pinned: the search keeps it
//! ([`Searched`]), and all others stay the page's. Other fields that the reader sets are listed in [`OWN`].

use super::searched::{FREE, Searched};
use crate::document::{Document, LinkError, Opened};
use crate::fields::{Field, FieldGroup};
use crate::memory::{fits, peak};
use crate::scenario::Scenario;
use crate::scenario::plan::Plan;
use crate::scenario::usual::{usual_batch, usual_sequence, usual_stack};
use crate::tuner::{AXES, Space, in_some_layout, rule_of_thumb};

/// Key of the view state: `1` where what the reader has not set is chosen for them whenever the job changes.
pub const AUTO: &str = "auto";
/// Key of the view state: fields outside the layout that the reader has set, with commas between them.
pub const OWN: &str = "own";

/// Fields outside the layout that the page sets while the reader has not, and fields that each follows from.
const FOLLOWING: [(&str, &[&str]); 3] = [("stack", &["g"]), ("seq", &["m"]), ("gb", &["m", "g", "n", "seq"])];

/// The scenario that the page opens on: the job of the defaults in the layout that a search recommends for it.
const OPENING: &str = "#1;m=llama3-70b;g=dgx-h100;n=512;tp=4;vpp=4;split=given;stages=6,5x14,4;v.auto=1";

/// The document that the page opens on.
pub fn opening() -> Document {
    Document::from_link(OPENING).map(|opened| opened.document).unwrap_or_default()
}

/// Reads a link; none is what the page opens on.
///
/// # Errors
/// What is wrong with a link that cannot be read.
pub fn read(link: &str) -> Result<Opened, LinkError> {
    if link.trim_start_matches('#').is_empty() {
        return Ok(Opened { document: opening(), notices: Vec::new() });
    }
    Document::from_link(link)
}

/// Whether the page chooses.
pub fn is_auto(document: &Document) -> bool {
    document.extra(AUTO) == Some("1")
}

/// The axis of the search that a field of the layout belongs to: its own, or that of the field it is a detail of.
fn axis(key: &str) -> &str {
    match key {
        "stages" => "split",
        "rcm" => "rc",
        key => key,
    }
}

/// Whether a field of the layout is the reader's while the page chooses the others; `None` of a field that it never
/// chooses, or while it chooses nothing.
pub fn pinned(document: &Document, key: &str) -> Option<bool> {
    let axis = AXES.iter().find(|one| one.key == axis(key)).filter(|one| one.searched)?;
    is_auto(document).then(|| !Searched::of(document).free.has(axis.key))
}

/// The view state [`FREE`] once a field of the layout is pinned, or let go.
pub fn toggled(document: &Document, key: &str) -> String {
    Searched::of(document).toggled(axis(key))
}

/// Keys of the pinned fields, in the order of the axes.
pub fn all_pinned(document: &Document) -> Vec<&'static str> {
    let searched = Searched::of(document);
    let kept = AXES.iter().filter(|axis| axis.searched && !searched.free.has(axis.key));
    kept.map(|axis| axis.key).filter(|key| document.applies(key)).collect()
}

/// Marks what the reader has set as theirs.
pub fn claim(document: &mut Document, key: &str) {
    let of_plan = Field::find(key).is_some_and(|field| field.group == FieldGroup::Plan);
    if of_plan {
        if pinned(document, key) == Some(false) {
            let free = toggled(document, key);
            document.set_extra(FREE, &free);
        }
    } else if FOLLOWING.iter().any(|entry| entry.0 == key) && !is_own(document, key) {
        let own = document.extra(OWN).map_or_else(|| key.to_owned(), |own| format!("{own},{key}"));
        document.set_extra(OWN, &own);
    }
}

fn is_own(document: &Document, key: &str) -> bool {
    document.extra(OWN).is_some_and(|own| own.split(',').any(|name| name == key))
}

/// Sets what follows from fields that have changed and is not the reader's: what people use for such a job.
pub fn follow(document: &mut Document, changed: &[&str]) {
    let mut changed = changed.to_vec();
    for (key, causes) in FOLLOWING {
        if is_own(document, key) || !causes.iter().any(|cause| changed.contains(cause)) {
            continue;
        }
        let Ok(job) = document.values() else { return };
        let text = match key {
            "stack" => usual_stack(&job.cluster).name().to_owned(),
            "seq" => usual_sequence(&job.model).to_string(),
            _ => usual_batch(&job.model, job.cluster.gpus, job.workload.sequence).to_string(),
        };
        document.set(key, &text);
        changed.push(key);
    }
}

/// Layouts that are looked at for one with what the reader has pinned: a few milliseconds.
const MOST_TRIED: usize = 2000;

/// A layout to stand in until the search has found a better one, where that of the document cannot run or does not fit:
/// the rule of thumb's, or any that can run and has what the reader has pinned.
pub fn stand_in(document: &Document) -> Option<Plan> {
    let job = document.values().ok()?;
    if job.validate().is_ok() && fits(&job, peak(&job).0) {
        return None;
    }
    let plain = rule_of_thumb(&job).or_else(|| in_some_layout(&job).map(|job| job.plan));
    let plain = plain.filter(|plan| agrees(document, plan));
    let fitting = plain.filter(|plan| {
        let planned = Scenario { plan: *plan, ..job };
        fits(&planned, peak(&planned).0)
    });
    fitting.or_else(|| in_some_pinned_layout(document, &job)).or(plain)
}

/// The first layout with what the reader has pinned that fits, or else the one that lacks least.
fn in_some_pinned_layout(document: &Document, job: &Scenario) -> Option<Plan> {
    let space = Space::new(job, Searched::of(document).free);
    let step = (space.len() / MOST_TRIED).max(1);
    let mut least: Option<(f64, Plan)> = None;
    for plan in (0..space.len()).step_by(step).take(MOST_TRIED).filter_map(|index| space.at(index)) {
        let planned = Scenario { plan, ..*job };
        if planned.validate().is_err() || !agrees(document, &plan) {
            continue;
        }
        let held = peak(&planned).0;
        if fits(&planned, held) {
            return Some(plan);
        }
        if least.is_none_or(|(other, _)| held.0 < other) {
            least = Some((held.0, plan));
        }
    }
    least.map(|(_, plan)| plan)
}

/// Whether a layout has what the reader has pinned.
pub fn agrees(document: &Document, plan: &Plan) -> bool {
    let Ok(job) = document.values() else { return false };
    let planned = Scenario { plan: *plan, ..job };
    let same = |key| Field::find(key).is_none_or(|field| (field.get)(&job) == (field.get)(&planned));
    all_pinned(document).into_iter().all(same)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::forecast::Predictor;
    use crate::tuner::{MEMORY_MARGIN, Options};

    fn recommended(job: &Scenario) -> Plan {
        let mut search =
            Predictor::SHIPPED.search(Space::new(job, crate::tuner::Free::default()), Options::default());
        search.finish();
        let rows = search.ranking().rows;
        Predictor::SHIPPED.recommended(job, &rows, MEMORY_MARGIN).expect("a layout").plan
    }

    #[test]
    fn the_page_opens_on_what_it_recommends() {
        let opening = opening().scenario().expect("possible");
        let default = Document::default().scenario().expect("possible");
        assert_eq!(Scenario { plan: default.plan, ..opening }, default, "the job of the defaults");
        assert_eq!(opening.plan, recommended(&opening));
    }

    #[test]
    fn what_the_reader_has_not_set_follows_from_the_rest() {
        let mut document = opening();
        document.set("m", "gpt3-175b");
        document.set("n", "64");
        follow(&mut document, &["m", "n"]);
        assert_eq!((document.text("seq"), document.text("gb")), ("2048", "2048"));
        claim(&mut document, "gb");
        document.set("g", "mi300x");
        document.set("n", "8");
        follow(&mut document, &["g", "n"]);
        assert_eq!((document.text("stack"), document.text("gb")), ("megatron-lm", "2048"));
        assert_eq!(document.extra(OWN), Some("gb"));
        claim(&mut document, "gb");
        claim(&mut document, "stack");
        assert_eq!(document.extra(OWN), Some("gb,stack"));
        document.set("g", "dgx-h100");
        follow(&mut document, &["g"]);
        assert_eq!(document.text("stack"), "megatron-lm", "it is the reader's");
    }

    #[test]
    fn a_field_that_is_set_is_pinned_and_let_go() {
        let mut document = opening();
        assert_eq!(pinned(&document, "tp"), Some(false));
        document.set("tp", "2");
        claim(&mut document, "tp");
        claim(&mut document, "stages");
        assert_eq!((pinned(&document, "tp"), pinned(&document, "pp")), (Some(true), Some(false)));
        assert_eq!(all_pinned(&document), ["tp", "split"]);
        assert_eq!(pinned(&document, "map"), None, "it is never chosen");
        let two = Plan { tensor_parallel: 2, ..document.scenario().expect("possible").plan };
        assert!(agrees(&document, &two));
        assert!(!agrees(&document, &Plan { tensor_parallel: 4, ..two }));
        let free = toggled(&document, "tp");
        document.set_extra(FREE, &free);
        assert_eq!(all_pinned(&document), ["split"]);
        assert_eq!(pinned(&Document::default(), "tp"), None, "nothing is chosen");
    }

    #[test]
    fn what_stands_in_runs_and_fits() {
        let mut document = opening();
        assert_eq!(stand_in(&document), None, "there is no need");
        document.set("n", "48");
        document.set("gb", "480");
        let plan = stand_in(&document).expect("a layout");
        let job = Scenario { plan, ..document.values().expect("numbers") };
        assert!(job.validate().is_ok() && fits(&job, peak(&job).0));
        document.set("tp", "5");
        claim(&mut document, "tp");
        assert_eq!(stand_in(&document), None, "five is the reader's");
    }

    #[test]
    fn what_stands_in_has_what_is_pinned() {
        let mut document = opening();
        document.set("tp", "8");
        claim(&mut document, "tp");
        // Its stages' list is of 80 layers.
        document.set("m", "llama3-8b");
        let plan = stand_in(&document).expect("a layout");
        let job = Scenario { plan, ..document.values().expect("numbers") };
        assert!(plan.tensor_parallel == 8 && job.validate().is_ok() && fits(&job, peak(&job).0));
    }

    #[test]
    fn where_nothing_fits_what_stands_in_lacks_less_than_any_that_runs() {
        let mut document = opening();
        for (key, text) in [("m", "llama3-405b"), ("g", "dgx-a100-40g"), ("n", "8"), ("gb", "8")] {
            document.set(key, text);
        }
        let job = document.values().expect("numbers");
        let lacks = |plan: Plan| peak(&Scenario { plan, ..job }).0;
        let plan = stand_in(&document).expect("a layout that runs");
        let usual = in_some_layout(&job).expect("one that runs").plan;
        assert!(Scenario { plan, ..job }.validate().is_ok());
        assert!(!fits(&job, lacks(plan)), "nothing fits");
        assert!(lacks(plan).0 < 0.97 * lacks(usual).0, "{:?} of {:?}", lacks(plan), lacks(usual));
    }
}
