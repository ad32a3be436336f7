//! Suggested layouts, with what a reader needs to choose among them.

use super::ranking::Room;
use super::summary;
use crate::document::Document;
use crate::document::examples::EXAMPLES;
use crate::forecast::{Breakdown, Predictor};
use crate::number;
use crate::scenario::Scenario;
use crate::scenario::plan::Plan;
use crate::tuner::{Candidate, Margin, Merit, short_list};
use crate::units::{Bytes, Seconds};

/// A layout on the short list.
#[derive(Debug, Clone, PartialEq)]
pub struct ShortListChoice {
    /// Why it is there; several merits may be one layout's.
    pub title: String,
    /// The layout.
    pub plan: Plan,
    /// Its degrees in the field's shorthand.
    pub layout: String,
    /// Step with it.
    pub step: Seconds,
    /// What its step is spent on.
    pub breakdown: Breakdown,
    /// Its peak, and what that leaves free.
    pub memory: String,
    /// What the memory says of it.
    pub room: Room,
    /// How much longer it takes than the reader's layout, in words; nothing for the reader's own.
    pub difference: Option<String>,
    /// Where it is published.
    pub note: Option<&'static str>,
    /// It is the one on the form.
    pub current: bool,
}

/// A published layout of the model of a job, and the line about where it is from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SuggestedRecipe {
    /// The layout, which is legal for the job.
    pub plan: Plan,
    /// What it was published for.
    pub label: &'static str,
}

/// The published recipe closest to a job: of the same model, on the same kind of GPU before others, and on the number of
/// GPUs nearest to the job's. Nothing where the model has none that the job can be laid out in.
pub fn closest_recipe(job: &Scenario) -> Option<SuggestedRecipe> {
    let near = |scenario: &Scenario| {
        let other_gpu = f64::from(u8::from(scenario.cluster.gpu.family != job.cluster.gpu.family));
        (f64::from(scenario.cluster.gpus) / f64::from(job.cluster.gpus)).ln().abs() + 100.0 * other_gpu
    };
    let published = EXAMPLES.iter().filter(|example| example.published && example.may_be_of(&job.model));
    let known = published.filter_map(|example| {
        let scenario = Document::from_link(example.link).ok()?.document.scenario().ok()?;
        let legal = Scenario { plan: scenario.plan, ..*job }.validate().is_ok();
        (scenario.model == job.model && legal).then(|| (near(&scenario), scenario.plan, example.label))
    });
    let closest = known.min_by(|one, other| one.0.total_cmp(&other.0))?;
    Some(SuggestedRecipe { plan: closest.1, label: closest.2 })
}

/// What the layout of the form is called, which is the page's own choice or the reader's.
fn own_title(auto: bool, fits: bool) -> &'static str {
    match (auto, fits) {
        (true, true) => "Recommended",
        (true, false) => "Nearest to fitting",
        (false, _) => "Yours",
    }
}

/// The short list of a job: its own layout first, then those of the rows that have a merit, then the recipe. Layouts that
/// are the same stand there once.
pub fn choices(
    predictor: &Predictor<'_>,
    job: &Scenario,
    auto: bool,
    rows: &[Candidate],
    recipe: Option<SuggestedRecipe>,
    margin: Margin,
) -> Vec<ShortListChoice> {
    let node = job.cluster.gpus_per_node;
    let mut estimator = predictor.estimator(job);
    let own_estimate = estimator.estimate(&job.plan);
    let own_room = Candidate::new(job, &own_estimate).room;
    let own = own_title(auto, own_estimate.fits).to_owned();
    let mut picked: Vec<(Plan, String, Option<&'static str>)> = vec![(job.plan, own, None)];
    let merits = short_list(rows, node, margin).into_iter().filter_map(|(merit, place)| {
        let name = match merit {
            Merit::Fastest => "Fastest",
            Merit::Safest => "Lowest memory",
            Merit::Simplest => "Simplest",
        };
        let row = rows.get(place)?;
        // The merit is among fast layouts: the reader's own may leave more.
        let merited = merit != Merit::Safest || row.plan == job.plan || row.room > own_room;
        merited.then_some((row.plan, name, None))
    });
    let recipe = recipe.map(|recipe| (recipe.plan, "Published recipe", Some(recipe.label)));
    for (plan, name, note) in merits.chain(recipe) {
        match picked.iter_mut().find(|known| known.0 == plan) {
            Some(known) => {
                known.1 = format!("{}, {}", known.1, name.to_ascii_lowercase());
                known.2 = known.2.or(note);
            }
            None => picked.push((plan, name.to_owned(), note)),
        }
    }
    let choice = |(plan, title, note): (Plan, String, Option<&'static str>)| {
        let scenario = Scenario { plan, ..*job };
        scenario.validate().ok()?;
        let estimate = estimator.estimate(&plan);
        let row = Candidate::new(&scenario, &estimate);
        let room = Room::of(&row, margin);
        let current = plan == job.plan;
        Some(ShortListChoice {
            title,
            plan,
            layout: summary::plan_words(&scenario),
            step: estimate.step,
            breakdown: estimate.breakdown,
            memory: memory(&row, room),
            room,
            difference: (!current)
                .then(|| difference(predictor, job, &plan, estimate.step / own_estimate.step)),
            note,
            current,
        })
    };
    picked.into_iter().filter_map(choice).collect()
}

fn memory(row: &Candidate, room: Room) -> String {
    let peak = number::memory(row.peak_memory);
    // The share that is left, of what a job may take.
    let free = number::memory(Bytes(row.peak_memory.0 * (row.room / (1.0 - row.room)).abs()));
    match room {
        Room::Comfortable => format!("{peak}, {free} headroom"),
        Room::Tight => format!("{peak}, tight: {free} headroom"),
        Room::Unfit => format!("{peak}, {free} over the limit"),
    }
}

/// How much longer a layout takes than the job's own, and whether that is more than the model's error.
fn difference(predictor: &Predictor<'_>, job: &Scenario, plan: &Plan, ratio: f64) -> String {
    let interval = predictor.ratio_interval(job, plan, ratio);
    let sign = if ratio < 1.0 { "\u{2212}" } else { "+" };
    let share = format!("{sign}{}", number::percent((ratio - 1.0).abs()));
    if (interval.half_low..=interval.half_high).contains(&1.0) {
        format!("{share}, within model error")
    } else {
        share
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tuner::{FreeAxes, Options, Space};

    fn job(link: &str) -> Scenario {
        Document::from_link(link).expect("a link").document.scenario().expect("possible")
    }

    #[test]
    fn the_recipe_is_of_the_same_model_and_legal() {
        let own = job("#1;m=llama3-70b;g=dgx-h100;n=1024");
        let recipe = closest_recipe(&own).expect("there is one");
        assert!(recipe.label.starts_with("Llama-3 70B on 512 H100"), "{}", recipe.label);
        assert!(Scenario { plan: recipe.plan, ..own }.validate().is_ok());
        assert_eq!(closest_recipe(&job("#1;m=phi4-14b;g=dgx-h100;n=512;tp=2")), None);
    }

    #[test]
    fn the_list_has_each_layout_once_and_says_how_they_differ() {
        let own = job("#1;m=llama3-70b;g=dgx-h100;n=512");
        let mut search = Predictor::SHIPPED.search(Space::new(&own, FreeAxes::default()), Options::default());
        search.finish();
        let rows = search.ranking().rows;
        let list = choices(&Predictor::SHIPPED, &own, false, &rows, closest_recipe(&own), Margin::Likely);
        let titles: Vec<&str> = list.iter().map(|choice| choice.title.as_str()).collect();
        assert_eq!(titles[0], "Yours");
        assert!(titles.contains(&"Published recipe") && titles.len() >= 4, "{titles:?}");
        for (place, choice) in list.iter().enumerate() {
            assert!(list.iter().skip(place + 1).all(|other| other.plan != choice.plan));
            let total = choice.breakdown.total();
            assert!((total / choice.step - 1.0).abs() < 1e-9, "parts sum to the step");
            assert_eq!(choice.current, choice.difference.is_none());
        }
        let fastest = &list[1];
        assert!(
            fastest.step < list[0].step
                && fastest.difference.as_ref().is_some_and(|text| text.starts_with('\u{2212}'))
        );
        let taken = Scenario { plan: fastest.plan, ..own };
        let list = choices(&Predictor::SHIPPED, &taken, true, &rows, None, Margin::Likely);
        assert!(list[0].title.starts_with("Recommended, fastest"), "{}", list[0].title);
        let large = job("#1;m=llama3-405b;g=dgx-a100-40g;n=8;gb=8;tp=8;pp=1");
        let list = choices(&Predictor::SHIPPED, &large, true, &[], None, Margin::Likely);
        assert_eq!(list[0].title, "Nearest to fitting");
    }
}
