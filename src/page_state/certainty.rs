//! How sure a step is, in sentences beside it: what its range rests on, why it is wide, and the reader's own measured step.

use super::page::PageForecast;
use crate::forecast::Interval;
use crate::number::{self, NumberParts};
use crate::scenario::model::MixerClass;
use crate::units::Seconds;

/// Why less is known of a job than of others, in one sentence; nothing where it is not so.
pub fn doubts(interval: &Interval) -> Option<String> {
    let reasons = interval.reasons.join("; ");
    (!reasons.is_empty()).then(|| format!("Wider because: {reasons}."))
}

/// Ratio of an interval's ends from which on it is called wide: a factor of 1.6 and more separates a cluster from the next.
const WIDE: f64 = 1.6;

/// Whether an interval is so wide that a plan should not rest on it alone.
pub fn is_wide(interval: &Interval) -> bool {
    interval.high.0 > WIDE * interval.low.0
}

/// The reader's measured step of the job that is shown.
pub fn measured(forecast: &PageForecast) -> Option<NumberParts> {
    let own = forecast.calibration.as_ref()?;
    own.measured(&forecast.scenario).map(|step| number::time(Seconds(step)))
}

/// How sure a step is, in a few sentences.
pub fn sure(forecast: &PageForecast) -> String {
    let interval = &forecast.prediction.interval;
    match (interval.own_runs, measured(forecast)) {
        (0, _) => {}
        (_, Some(_)) => {
            return "The forecast is your measured step. 90\u{a0}% of repeated measurements of published jobs fall within this range."
                .to_owned();
        }
        (steps, None) => {
            let steps = if steps == 1 { "step" } else { "steps" };
            return format!(
                "Calibrated with your measured {steps}. 90\u{a0}% of published runs fall within this range after the same calibration."
            );
        }
    }
    let runs = match forecast.scenario.model.mixer_class() {
        MixerClass::Recurrent => "measured runs with recurrent layers",
        MixerClass::Attention | MixerClass::Sparse => "comparable measured runs",
    };
    let held = format!("90\u{a0}% of {runs} fall within this range{}.", rests_on(interval));
    doubts(interval).map_or_else(|| held.clone(), |doubts| format!("{held} {doubts}"))
}

/// The runs that an interval rests on, in brackets; nothing where there are none of its class.
pub fn rests_on(interval: &Interval) -> String {
    let counted = |count: u32, one: &str| format!("{count} {one}{}", if count == 1 { "" } else { "s" });
    match interval.publications {
        _ if interval.own_runs > 0 => {
            format!(" (calibrated with {})", counted(interval.own_runs, "measured step"))
        }
        0 => String::new(),
        many => {
            format!(" ({} from {})", counted(interval.runs, "run"), counted(many, "publication"))
        }
    }
}

/// How the runs of the range are among all compared runs, in one sentence; nothing after calibration, or where there are none.
pub fn of_compared(forecast: &PageForecast) -> Option<String> {
    let interval = &forecast.prediction.interval;
    let kind = match forecast.scenario.model.mixer_class() {
        MixerClass::Recurrent => "all with recurrent layers",
        MixerClass::Attention | MixerClass::Sparse => {
            "not used for fitting, on any software, with the same model type and similar utilisation"
        }
    };
    (interval.own_runs == 0 && interval.publications > 0).then(|| {
        format!(
            "Basis of the range: {} of the compared runs, from {} publications, {kind}.",
            number::integer(interval.runs.into()),
            number::integer(interval.publications.into()),
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Document;
    use crate::measured::add;
    use crate::page::Page;
    use std::rc::Rc;

    fn forecast_of(link: &str) -> PageForecast {
        let document = Document::from_link(link).expect("a link").document;
        PageForecast::of(&Rc::new(document)).expect("possible")
    }

    #[test]
    fn only_what_is_uncertain_gives_reasons() {
        let page = Page::new();
        let forecast = page.outcome.forecast.as_ref().expect("a forecast");
        assert_eq!(doubts(&forecast.prediction.interval), None);
        let forecast = forecast_of("#1;g=mi300x");
        let words = doubts(&forecast.prediction.interval).expect("reasons");
        assert!(words.contains("runs on this generation of GPUs"), "{words}");
    }

    #[test]
    fn the_range_of_a_hybrid_rests_on_hybrids() {
        let hybrid = forecast_of("#2;m=nemotron-3-nano;g=dgx-b200;n=64");
        let dense = forecast_of("#2;m=llama3-70b;g=dgx-b200;n=64");
        let interval = &hybrid.prediction.interval;
        assert!(interval.runs > 50 && interval.publications < 20, "{interval:?}");
        let said = sure(&hybrid);
        assert!(
            said.contains(&format!(
                "measured runs with recurrent layers fall within this range{}",
                rests_on(interval)
            )),
            "{said}"
        );
        assert!(said.contains("few measured runs have recurrent layers"), "{said}");
        assert!(of_compared(&hybrid).is_some_and(|said| said.contains(&interval.runs.to_string())));
        assert!(!sure(&dense).contains("recurrent"), "{}", sure(&dense));
        let sparse = sure(&forecast_of("#2;m=deepseek-v3;lay=s;sel=2048;idxh=64;idxd=128;g=dgx-b200;n=256"));
        assert!(sparse.contains("few measured runs have sparse"), "{sparse}");
    }

    #[test]
    fn a_measured_step_stays_in_sight_with_its_own_range() {
        let page = Page::new().apply(crate::page::Action::Keep).expect("a change");
        let before = page.outcome.forecast.clone().expect("a forecast");
        assert_eq!(measured(&before), None);
        let page = page.apply(add(&before, "9.1 s").expect("a step")).expect("a change");
        let after = page.outcome.forecast.clone().expect("a forecast");
        assert_eq!(measured(&after).map(|step| step.to_string()).as_deref(), Some("9.10\u{a0}s"));
        assert!((after.prediction.step.0 - 9.1).abs() < 1e-3, "{:?}", after.prediction.step);
        let ratio =
            |forecast: &PageForecast| forecast.prediction.interval.high / forecast.prediction.interval.low;
        assert!(ratio(&after) < 1.15 && ratio(&after) < ratio(&before));
        assert!(sure(&after).starts_with("The forecast is your measured step."));
        let other =
            page.apply(crate::page::Action::Choose { key: "n", text: "1024".to_owned() }).expect("a change");
        let other = other.outcome.forecast.clone().expect("a forecast");
        assert!(
            measured(&other).is_none() && sure(&other).starts_with("Calibrated with your measured step.")
        );
        assert_eq!(of_compared(&other), None);
    }
}
