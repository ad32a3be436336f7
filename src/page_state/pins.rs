//! Layouts that the reader has pinned, to compare them side by side.

use super::ranking::Room;
use crate::document::Document;
use crate::fields::{FIELDS, Field, FieldGroup};
use crate::forecast::{Estimate, Predictor};
use crate::number;
use crate::planned::Searched;
use crate::scenario::Scenario;
use crate::scenario::plan::Plan;
use crate::tuner::Candidate;
use crate::units::Seconds;

/// Key of the view state: pinned layouts, with `~` between them.
pub const PINS: &str = "pin";
/// Layouts that can be pinned at once.
pub const MOST_PINS: usize = 4;

/// The pinned layouts of a document.
pub fn pins(document: &Document) -> Vec<Plan> {
    texts(document).into_iter().filter_map(plan_of).collect()
}

/// Whether a layout of a job is pinned.
pub fn is_pinned(document: &Document, job: &Scenario, plan: &Plan) -> bool {
    document.extra(PINS).is_some() && texts(document).contains(&text_of(job, plan).as_str())
}

/// The view state [`PINS`] once a layout of a job is pinned, or let go. The last that there is room for makes way for one
/// more.
pub fn pinned_with(document: &Document, job: &Scenario, plan: &Plan) -> String {
    let text = text_of(job, plan);
    let mut texts = texts(document);
    if texts.contains(&text.as_str()) {
        texts.retain(|other| *other != text);
    } else {
        texts.truncate(MOST_PINS - 1);
        texts.push(&text);
    }
    texts.join("~")
}

/// The pinned layouts as texts.
fn texts(document: &Document) -> Vec<&str> {
    let texts = document.extra(PINS).unwrap_or_default().split('~').filter(|text| !text.is_empty());
    texts.take(MOST_PINS).collect()
}

/// The fields of a layout.
fn fields() -> impl Iterator<Item = &'static Field> {
    FIELDS.iter().filter(|field| field.group == FieldGroup::Plan)
}

/// A layout as a text: what differs from one without any division, as `tp:8,pp:4`; commas within a value are `+`.
fn text_of(job: &Scenario, plan: &Plan) -> String {
    let [plain, scenario] = [Plan::PLAIN, *plan].map(|plan| Scenario { plan, ..*job });
    let mut text = String::new();
    for field in fields() {
        let value = field.canonical(&scenario);
        if value != field.canonical(&plain) {
            text.push_str(if text.is_empty() { "" } else { "," });
            text.push_str(field.key);
            text.push(':');
            text.push_str(&value.replace(',', "+"));
        }
    }
    if text.is_empty() { "tp:1".to_owned() } else { text }
}

fn plan_of(text: &str) -> Option<Plan> {
    let mut document = Document::default();
    document.load_plan(&Plan::PLAIN);
    for (key, value) in text.split(',').filter_map(|pair| pair.split_once(':')) {
        fields().find(|field| field.key == key)?;
        document.set(key, &value.replace('+', ","));
    }
    document.values().ok().map(|scenario| scenario.plan)
}

/// Pinned layouts side by side.
#[derive(Debug, Clone, PartialEq)]
pub struct PinComparison {
    /// The layouts.
    pub plans: Vec<Plan>,
    /// What is compared, and its cells: those of the first layout, then of the others with their difference to it.
    pub rows: Vec<(String, Vec<String>)>,
}

/// Compares layouts of a job with the first of them.
pub fn compare(
    predictor: &Predictor<'_>,
    job: &Scenario,
    plans: &[Plan],
    searched: &Searched,
) -> PinComparison {
    let scenarios: Vec<Scenario> = plans
        .iter()
        .map(|plan| Scenario { plan: *plan, ..*job })
        .filter(|scenario| scenario.validate().is_ok())
        .collect();
    let estimates: Vec<Estimate> = scenarios.iter().map(|one| predictor.estimate(one)).collect();
    let candidates: Vec<Candidate> = scenarios
        .iter()
        .zip(&estimates)
        .map(|(scenario, estimate)| Candidate::new(scenario, estimate))
        .collect();
    let mut rows = Vec::new();
    let steps: Vec<f64> = estimates.iter().map(|estimate| estimate.step.0).collect();
    rows.push(("Step".to_owned(), beside_first(&steps, |step| number::time(Seconds(step)).to_string())));
    let memory = candidates.iter().map(|row| {
        let word = match Room::of(row, searched.margin) {
            Room::Comfortable => "",
            Room::Tight => ", tight",
            Room::Unfit => ", does not fit",
        };
        format!("{}, {} headroom{word}", number::memory(row.peak_memory), number::percent(row.room))
    });
    rows.push(("Memory".to_owned(), memory.collect()));
    let parts: Vec<_> =
        estimates.iter().map(|estimate| (estimate.breakdown.parts(), estimate.step)).collect();
    for (place, part) in parts.first().map(|first| first.0).unwrap_or_default().iter().enumerate() {
        let of =
            |(parts, _): &([(&str, &str, Seconds); 11], _)| parts.get(place).map_or(0.0, |part| part.2.0);
        let times: Vec<f64> = parts.iter().map(of).collect();
        if times.iter().any(|time| *time > 0.0) {
            let share = |time: f64| number::time(Seconds(time)).to_string();
            rows.push((part.1.to_owned(), beside_first(&times, share)));
        }
    }
    for field in fields() {
        let values: Vec<String> = scenarios.iter().map(|scenario| field.canonical(scenario)).collect();
        if values.iter().any(|value| Some(value) != values.first()) {
            rows.push((field.label.to_owned(), values));
        }
    }
    PinComparison { plans: scenarios.iter().map(|scenario| scenario.plan).collect(), rows }
}

/// Relative rounding difference between sums in different orders.
const SAME: f64 = 1e-9;

/// Values, each but the first with its difference to that.
pub(super) fn beside_first(values: &[f64], show: impl Fn(f64) -> String) -> Vec<String> {
    let first = values.first().copied().unwrap_or_default();
    let cell = |(place, value): (usize, &f64)| match place {
        0 => show(*value),
        _ if (value - first).abs() <= SAME * first.abs() => format!("{} (same)", show(*value)),
        _ => {
            let sign = if *value > first { "+" } else { "\u{2212}" };
            let difference = format!("{sign}{}", show((value - first).abs()));
            let share = if first > 0.0 {
                format!(", {sign}{}", number::percent((value / first - 1.0).abs()))
            } else {
                String::new()
            };
            format!("{} ({difference}{share})", show(*value))
        }
    };
    values.iter().enumerate().map(cell).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::plan::{Modules, Recompute, Schedule, StageLayers, StageSplit};

    fn job() -> Scenario {
        Document::default().scenario().expect("possible")
    }

    #[test]
    fn pinned_layouts_survive_the_link() {
        let odd = Plan {
            recompute: Recompute::Modules(Modules::NORMS.and(Modules::FEED_FORWARD)),
            stage_split: StageSplit::Given(StageLayers::parse("15,16x2,15").expect("a list")),
            pipeline_parallel: 4,
            schedule: Schedule::ZeroBubbleV,
            virtual_stages: 2,
            data_overlap: false,
            ..job().plan
        };
        let mut document = Document::default();
        for plan in [job().plan, Plan::PLAIN, odd] {
            document.set_extra(PINS, &pinned_with(&document, &job(), &plan));
            document = Document::from_link(&document.to_link()).expect("a link").document;
        }
        assert_eq!(pins(&document), [job().plan, Plan::PLAIN, odd]);
        document.set_extra(PINS, &pinned_with(&document, &job(), &Plan::PLAIN));
        assert_eq!(pins(&document), [job().plan, odd]);
        assert!(is_pinned(&document, &job(), &odd) && !is_pinned(&document, &job(), &Plan::PLAIN));
        document.set_extra(PINS, "tp:many~nothing:1~pp:2~tp");
        assert_eq!(pins(&document).iter().map(|plan| plan.pipeline_parallel).collect::<Vec<_>>(), [2, 1]);
    }

    #[test]
    fn there_are_never_more_than_there_is_room_for() {
        let mut document = Document::default();
        for micro_batch in 1..9 {
            let text = pinned_with(&document, &job(), &Plan { micro_batch, ..Plan::PLAIN });
            document.set_extra(PINS, &text);
        }
        let sizes: Vec<u32> = pins(&document).iter().map(|plan| plan.micro_batch).collect();
        assert_eq!(sizes, [1, 2, 3, 8]);
    }

    #[test]
    fn layouts_are_compared_with_the_first() {
        let own = job().plan;
        let other = Plan { recompute: Recompute::Full, ..own };
        let impossible = Plan { tensor_parallel: 3, ..own };
        let compared = compare(
            &Predictor::SHIPPED,
            &job(),
            &[own, other, impossible],
            &Searched::of(&Document::default()),
        );
        assert_eq!(compared.plans, [own, other]);
        let row = |name: &str| compared.rows.iter().find(|row| row.0 == name).map(|row| row.1.clone());
        let step = row("Step").expect("a row");
        assert!(!step[0].contains('(') && step[1].contains("(+"), "{step:?}");
        assert_eq!(row("Recomputation"), Some(vec!["none".to_owned(), "full".to_owned()]));
        assert_eq!(row("Tensor parallel (TP)"), None, "it is the same");
        assert!(row("Forward").is_some_and(|cells| cells[1].contains("same")));
        assert!(
            compare(&Predictor::SHIPPED, &job(), &[], &Searched::of(&Document::default())).plans.is_empty()
        );
    }

    #[test]
    fn what_differs_by_rounding_is_the_same() {
        let show = |value: f64| number::fixed(value, 1);
        assert_eq!(
            beside_first(&[15.3, 15.3 + 2e-15, 15.4], show)[1..],
            ["15.3 (same)", "15.4 (+0.1, +0.7\u{a0}%)"]
        );
    }
}
