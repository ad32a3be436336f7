//! Forecast changes that would help a job, in words.

use crate::fields::Field;
use crate::forecast::Predictor;
use crate::memory::{fits, peak};
use crate::number;
use crate::scenario::Scenario;
use crate::tuner::{FieldChange, advice, ways_to_fit};
use crate::units::{Bytes, Seconds};

/// A sentence, and the changes that it is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Help {
    /// A whole sentence.
    pub sentence: String,
    /// What can be done, each a change of one field.
    pub offers: Vec<SuggestedChange>,
}

/// A change of one field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SuggestedChange {
    /// Key of the field.
    pub key: &'static str,
    /// What is put into it.
    pub value: String,
    /// What it is called, and what it does.
    pub label: String,
}

/// What would help. `none_fits` says that every layout of the job was looked at, and that none fits.
pub fn help(predictor: &Predictor<'_>, job: &Scenario, none_fits: bool) -> Help {
    let now = predictor.step_time(job);
    let fitting = fits(job, peak(job).0);
    if none_fits && !fitting {
        let changes = ways_to_fit(predictor, job);
        let sentence = if changes.is_empty() {
            "No layout of this job fits on this machine, not even with 128 times the GPUs or a shorter sequence."
        } else {
            "No layout of this job fits. Changes that make the job fit:"
        };
        let offers = changes.iter().map(|change| offer(change, None)).collect();
        return Help { sentence: sentence.to_owned(), offers };
    }
    match advice(predictor, job) {
        Some(change) => {
            let what = named(&change);
            let sentence = match (fitting, change.room.0 >= 0.0) {
                (true, _) => "Speed-ups to try:".to_owned(),
                (false, true) => "To make it fit:".to_owned(),
                (false, false) => {
                    let saved = Bytes(change.room.0 + peak(job).0.0 - crate::memory::usable(job).0);
                    format!(
                        "No single change of the layout makes it fit. {what} saves {}.",
                        number::memory(saved)
                    )
                }
            };
            Help { sentence, offers: vec![offer(&change, fitting.then_some(now))] }
        }
        None if fitting => Help {
            sentence: "No single change of the layout saves more than 2\u{a0}%.".to_owned(),
            offers: Vec::new(),
        },
        None => {
            Help { sentence: "No single change of the layout makes it fit.".to_owned(), offers: Vec::new() }
        }
    }
}

/// A field at its new value: `Micro-batch 2`.
fn named(change: &FieldChange) -> String {
    let field = Field::find(change.key);
    let value = field.map_or(change.value.as_str(), |field| field.label_of(&change.value));
    let value = value.parse().map_or_else(|_| value.to_owned(), number::integer);
    format!("{} {value}", field.map_or(change.key, |field| field.label))
}

/// The change as a button, with what it does to a step where that is what it is for.
fn offer(change: &FieldChange, now: Option<Seconds>) -> SuggestedChange {
    let does = match now {
        Some(now) => format!("\u{2212}{}", number::percent(1.0 - change.step / now)),
        None if change.room.0 >= 0.0 => {
            format!("fits, {} per step", number::time(change.step))
        }
        None => format!("still {} over", number::memory(Bytes(-change.room.0))),
    };
    SuggestedChange {
        key: change.key,
        value: change.value.clone(),
        label: format!("{}: {does}", named(change)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Document;

    fn job(link: &str) -> Scenario {
        Document::from_link(link).expect("a link").document.scenario().expect("possible")
    }

    fn helped(job: &Scenario, none_fits: bool) -> Help {
        help(&Predictor::SHIPPED, job, none_fits)
    }

    /// Every suggested change has the effect that its button states.
    fn with(job: &Scenario, offer: &SuggestedChange) -> Scenario {
        let mut document = Document::from_scenario(job);
        document.set(offer.key, &offer.value);
        document.values().expect("numbers")
    }

    #[test]
    fn a_change_that_helps_is_faster_and_fits() {
        let slow = job("#1;m=llama3-70b;g=dgx-h100;n=512;rc=full");
        let help = helped(&slow, false);
        assert_eq!(help.sentence, "Speed-ups to try:");
        let faster = with(&slow, &help.offers[0]);
        assert!(faster.validate().is_ok() && fits(&faster, peak(&faster).0));
        let steps = [faster, slow].map(|job| Predictor::SHIPPED.step_time(&job).0);
        assert!(steps[0] * 1.02 < steps[1], "{help:?}");
    }

    #[test]
    fn what_does_not_fit_is_made_to() {
        let full = job("#1;m=llama3-70b;g=dgx-h100;n=512;mb=8");
        assert!(!fits(&full, peak(&full).0));
        let help = helped(&full, false);
        assert_eq!(help.sentence, "To make it fit:");
        let changed = with(&full, &help.offers[0]);
        assert!(fits(&changed, peak(&changed).0), "{help:?}");
    }

    #[test]
    fn where_no_layout_fits_each_way_leads_to_one_that_does() {
        let none = job("#1;m=llama3-405b;g=dgx-a100-40g;n=8;gb=8;tp=8;pp=1");
        let help = helped(&none, true);
        assert!(help.sentence.starts_with("No layout of this job fits"), "{}", help.sentence);
        assert!(!help.offers.is_empty());
        for offer in &help.offers {
            let changed = with(&none, offer);
            let plan = crate::tuner::rule_of_thumb(&changed).expect("a layout");
            let planned = Scenario { plan, ..changed };
            assert!(planned.validate().is_ok() && fits(&planned, peak(&planned).0), "{offer:?}");
        }
    }
}
