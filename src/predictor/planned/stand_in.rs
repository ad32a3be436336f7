//! A layout to show at once, until a search has found the one to recommend.

use super::Searched;
use crate::document::Document;
use crate::fields::Field;
use crate::memory::{fits, peak};
use crate::scenario::Scenario;
use crate::scenario::plan::Plan;
use crate::tuner::{in_some_layout, rule_of_thumb};

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
    let space = Searched::of(document).space(job);
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
    document.set_in_layout().all(same)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn opened(link: &str) -> Document {
        Document::from_link(link).expect("a link").document
    }

    fn opening() -> Document {
        opened("#2;m=llama3-70b;g=dgx-h100;n=512;~tp=4;~sp=1;~pp=4;~vpp=4;~zero=1")
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
        assert_eq!(stand_in(&document), None, "five is the reader's");
    }

    #[test]
    fn what_stands_in_has_what_is_pinned() {
        let mut document = opened("#2;m=llama3-70b;g=dgx-h100;n=512;~pp=4;~split=given;~stages=4x20;tp=8");
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
