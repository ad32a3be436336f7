//! Forecast changes that would help a job, in words.

use crate::fields::Field;
use crate::forecast::{Bottleneck, Predictor};
use crate::memory::{FitVerdict, MemoryReport, report};
use crate::number;
use crate::scenario::Scenario;
use crate::tuner::{FieldChange, advice, memory_savings, ways_to_fit};
use crate::units::{Bytes, Seconds};

/// A sentence, and the changes that it is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Help {
    /// A whole sentence.
    pub sentence: String,
    /// What can be done.
    pub offers: Vec<SuggestedChange>,
}

/// A change of some fields.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SuggestedChange {
    /// Keys of the fields, and what is put into them.
    pub fields: Vec<(&'static str, String)>,
    /// What it is called, and what it does.
    pub label: String,
    /// The change needs another layout, which is to be left to the search.
    pub frees_layout: bool,
}

/// Most changes that are offered at a time.
const MOST: usize = 6;

/// What would help. `none_fits` says that every layout of the job was looked at, and that none fits; so many fields of it
/// are `pinned`, and were the same in all.
pub fn help(predictor: &Predictor<'_>, job: &Scenario, none_fits: bool, pinned: usize) -> Help {
    let memory = report(job);
    if none_fits && !memory.fits {
        return of_none(predictor, job, pinned);
    }
    if !memory.is_likely() {
        return to_fit(predictor, job, &memory);
    }
    match advice(predictor, job) {
        Some(change) => Help {
            sentence: "Speed-ups to try:".to_owned(),
            offers: vec![speed_up(&change, predictor.step_time(job))],
        },
        None => Help {
            sentence: "No single layout change saves more than 2\u{a0}%.".to_owned(),
            offers: Vec::new(),
        },
    }
}

/// What limits a step, in words. Advice for its layout is left out where `help` has tried changes of that and found none.
pub fn verdict(bottleneck: &Bottleneck, help: Option<&Help>) -> String {
    /// What a change of the layout alone does not shorten: other advice is given.
    const BEYOND_LAYOUT: [&str; 4] = ["compute", "memory", "data_communication", "host"];
    let tried = help.is_some_and(|help| help.offers.is_empty()) && !BEYOND_LAYOUT.contains(&bottleneck.kind);
    let sentence = &bottleneck.sentence;
    let shown = if tried { sentence.share.clone() } else { sentence.to_string() };
    shown.replace(" %", "\u{a0}%")
}

/// What makes a job fit of which no layout does.
fn of_none(predictor: &Predictor<'_>, job: &Scenario, pinned: usize) -> Help {
    let changes = ways_to_fit(predictor, job);
    let sentence = match (pinned, changes.is_empty()) {
        (1.., _) => "No layout with the pinned settings fits. Changes that may make the job fit:",
        (0, false) => "No layout of this job fits. Changes that may make it fit:",
        (0, true) => {
            "No layout of this job fits on this machine, not even with 128 times the GPUs or a shorter sequence."
        }
    };
    let unpinned = (pinned > 0).then(|| SuggestedChange {
        fields: Vec::new(),
        label: "Unpin the layout".to_owned(),
        frees_layout: true,
    });
    let freed = |change| SuggestedChange { frees_layout: true, ..saving(change) };
    Help {
        sentence: sentence.to_owned(),
        offers: unpinned.into_iter().chain(changes.iter().map(freed)).collect(),
    }
}

/// What makes a job fit that does not, or that may not.
fn to_fit(predictor: &Predictor<'_>, job: &Scenario, memory: &MemoryReport) -> Help {
    let changes = memory_savings(predictor, job);
    let lacking = number::memory(Bytes::from_gib(memory.lacking_gib));
    let enough = changes.iter().any(FieldChange::is_enough);
    let what = match (memory.fits, enough, changes.is_empty()) {
        (false, true, _) => "Changes that may make the job fit:",
        (true, true, _) => "Changes that make the job likely to fit:",
        (_, false, false) => "No single change is enough. Changes that save memory:",
        (_, _, true) => "No layout change saves memory.",
    };
    let sentence = format!("The job needs {lacking} more per GPU to be likely to fit. {what}");
    let shown = changes.iter().filter(|change| !enough || change.is_enough());
    Help { sentence, offers: shown.take(MOST).map(saving).collect() }
}

/// Fields at their new values: `Micro-batch 2`.
pub fn named(change: &FieldChange) -> String {
    let one = |(key, value): &(&'static str, String)| {
        let field = Field::find(key);
        let text = field.map_or(value.as_str(), |field| field.label_of(value));
        let text = text.parse().map_or_else(|_| text.to_owned(), number::integer);
        format!("{} {text}", field.map_or(*key, |field| field.label))
    };
    change.fields.iter().map(one).collect::<Vec<_>>().join(", ")
}

/// A change that saves memory, with whether that is enough and what a step then takes.
fn saving(change: &FieldChange) -> SuggestedChange {
    let results = if change.changes_results { ", changes training results" } else { "" };
    let does = match change.fits {
        true => format!(
            "{}, {} per step{results}",
            FitVerdict::of(true, change.fit_probability).stated(change.fit_probability),
            number::time(change.step)
        ),
        false => format!("still {} over", number::memory(Bytes(-change.room.0))),
    };
    offer(change, &does)
}

/// A change that makes a step of now this time shorter.
fn speed_up(change: &FieldChange, now: Seconds) -> SuggestedChange {
    offer(change, &format!("\u{2212}{}", number::percent(1.0 - change.step / now)))
}

/// The change as a button.
fn offer(change: &FieldChange, does: &str) -> SuggestedChange {
    let label = format!("{}: {does}", named(change));
    SuggestedChange { fields: change.fields.clone(), label, frees_layout: false }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Document;
    use crate::forecast::BottleneckSentence;
    use crate::memory::{fits, peak};

    fn job(link: &str) -> Scenario {
        Document::from_link(link).expect("a link").document.scenario().expect("possible")
    }

    fn helped(job: &Scenario, none_fits: bool) -> Help {
        help(&Predictor::SHIPPED, job, none_fits, 0)
    }

    #[test]
    fn advice_is_left_out_where_no_change_helps() {
        let share = "Recomputation: 18 % of the step.".to_owned();
        let sentence = BottleneckSentence { share, advice: "Recompute less if memory permits." };
        let bottleneck = Bottleneck { kind: "recompute", sentence };
        let nothing = Help { sentence: String::new(), offers: Vec::new() };
        assert_eq!(verdict(&bottleneck, Some(&nothing)), "Recomputation: 18\u{a0}% of the step.");
        assert!(verdict(&bottleneck, None).ends_with("if memory permits."));
        let data = Bottleneck { kind: "data_communication", ..bottleneck };
        assert!(verdict(&data, Some(&nothing)).ends_with("if memory permits."));
    }

    /// Every suggested change has the effect that its button states.
    fn with(job: &Scenario, offer: &SuggestedChange) -> Scenario {
        let mut document = Document::from_scenario(job);
        offer.fields.iter().for_each(|(key, value)| document.set(key, value));
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
        assert!(help.sentence.ends_with("Changes that may make the job fit:"), "{help:?}");
        for offer in &help.offers {
            assert!(report(&with(&full, offer)).is_likely(), "{offer:?}");
        }
    }

    #[test]
    fn where_no_layout_fits_each_way_leads_to_one_that_does() {
        let none = job("#1;m=llama3-405b;g=dgx-a100-40g;n=8;gb=8;tp=8;pp=1");
        let help = helped(&none, true);
        assert!(help.sentence.starts_with("No layout of this job fits"), "{}", help.sentence);
        assert!(!help.offers.is_empty());
        let pinned = super::help(&Predictor::SHIPPED, &none, true, 2);
        assert!(
            pinned.sentence.starts_with("No layout with the pinned settings fits"),
            "{}",
            pinned.sentence
        );
        assert_eq!(pinned.offers[0].label, "Unpin the layout");
        assert!(pinned.offers[0].frees_layout && pinned.offers[1..] == help.offers[..]);
        for offer in &help.offers {
            let changed = with(&none, offer);
            let plan = crate::tuner::rule_of_thumb(&changed).expect("a layout");
            let planned = Scenario { plan, ..changed };
            assert!(planned.validate().is_ok() && fits(&planned, peak(&planned).0), "{offer:?}");
        }
    }
}
