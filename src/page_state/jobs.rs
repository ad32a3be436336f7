//! The comparison: forecasts of any jobs, layouts and machines side by side.

use super::summary;
use super::your_runs::{self, predictor_of};
use crate::document::Document;
use crate::fields::{FIELDS, Field, FieldGroup};
use crate::forecast::{Prediction, Predictor};
use crate::number;
use crate::run_cost::RunCost;
use crate::scenario::Scenario;
use crate::scenario::plan::Plan;
use crate::units::{Bytes, Seconds};

/// Key of the view state: the compared jobs, with `~` between them.
pub const JOBS: &str = "jobs";

/// What the button of a job is called that adds it to the comparison, or removes it if it is there.
pub const ADD_TO_COMPARISON: &str = "Add to comparison";

/// Most jobs that are compared.
pub const MOST_JOBS: usize = 8;

/// Key of the view state of older links: compared layouts of the link's job, as `tp:8,pp:4~tp:4`.
pub const PINS: &str = "pin";

/// The compared jobs of a document, those that can be read.
pub fn jobs(document: &Document) -> Vec<Document> {
    texts(document).into_iter().filter_map(document_of).collect()
}

/// Number of compared jobs, with the pinned layouts of an older link.
pub fn count(document: &Document) -> usize {
    let pinned = document.extra(PINS).map_or(0, |text| text.split('~').count());
    texts(document).len() + pinned
}

/// Whether a job is compared.
pub fn is_compared(document: &Document, job: &Scenario) -> bool {
    document.extra(JOBS).is_some() && texts(document).contains(&text_of(job).as_str())
}

/// The view state [`JOBS`] once a job is added, or removed if it is there. A full comparison is unchanged.
pub fn toggled_with(document: &Document, job: &Scenario) -> String {
    let text = text_of(job);
    let mut texts = texts(document);
    if texts.contains(&text.as_str()) {
        texts.retain(|other| *other != text);
    } else if texts.len() < MOST_JOBS {
        texts.push(&text);
    }
    texts.join("~")
}

/// The view state [`JOBS`] once a job is added beside the reader's own, which comes first where nothing is compared yet.
pub fn added(document: &Document, own: &Scenario, job: &Scenario) -> String {
    let mut document = document.clone();
    for job in [own, job] {
        if !is_compared(&document, job) && (count(&document) == 0 || job != own) {
            let text = toggled_with(&document, job);
            document.set_extra(JOBS, &text);
        }
    }
    document.extra(JOBS).unwrap_or_default().to_owned()
}

/// The job of a link; nothing for one that cannot be read or run.
pub fn job_of(link: &str) -> Option<Scenario> {
    Document::from_link(link).ok()?.document.scenario().ok()
}

fn texts(document: &Document) -> Vec<&str> {
    let texts = document.extra(JOBS).unwrap_or_default().split('~').filter(|text| !text.is_empty());
    texts.take(MOST_JOBS).collect()
}

/// A job as a text: version and pairs of its link, as `2/m:llama3-8b/n:64`.
fn text_of(job: &Scenario) -> String {
    let mut text = String::new();
    let mut of_value = false;
    for letter in Document::from_scenario(job).to_link().trim_start_matches('#').chars() {
        match letter {
            ';' => text.push('/'),
            '=' if !of_value => text.push(':'),
            '/' => text.push_str("%2F"),
            '~' => text.push_str("%7E"),
            other => text.push(other),
        }
        of_value = letter != ';' && (of_value || letter == '=');
    }
    text
}

/// The job of a text; one without a version is of the first.
fn document_of(text: &str) -> Option<Document> {
    let (version, pairs) = text.split_once('/').filter(|parts| !parts.0.contains(':')).unwrap_or(("1", text));
    let mut link = format!("#{version}");
    for pair in pairs.split('/') {
        let (key, value) = pair.split_once(':')?;
        link.push_str(&format!(";{key}={value}"));
    }
    Document::from_link(&link).ok().map(|opened| opened.document)
}

/// The view state [`JOBS`] of an older link: its jobs as they are written today, and its pinned layouts; nothing where it is
/// so already.
pub fn renewed(document: &Document) -> Option<String> {
    let pinned = document.extra(PINS).unwrap_or_default().split('~');
    let pinned = pinned.filter_map(|text| in_layout(document, text));
    let known = texts(document).into_iter().map(|text| {
        let job = document_of(text).and_then(|job| job.scenario().ok());
        job.map_or(text.to_owned(), |job| text_of(&job))
    });
    let mut all: Vec<String> = Vec::new();
    for text in known.chain(pinned.filter_map(|job| Some(text_of(&job.scenario().ok()?)))) {
        if !all.contains(&text) {
            all.push(text);
        }
    }
    let text = all.join("~");
    (document.extra(PINS).is_some() || text != document.extra(JOBS).unwrap_or_default()).then_some(text)
}

/// A document's job in the layout of a text of [`PINS`].
fn in_layout(document: &Document, text: &str) -> Option<Document> {
    let mut job = document.clone();
    job.load_plan(&Plan::PLAIN);
    for (key, value) in text.split(',').map(|pair| pair.split_once(':')).collect::<Option<Vec<_>>>()? {
        FIELDS.iter().find(|field| field.key == key && field.group == FieldGroup::Plan)?;
        job.set(key, &value.replace('+', ","));
    }
    Some(job)
}

/// One of the jobs that are compared.
#[derive(Debug, Clone)]
pub struct ComparedJob {
    /// Model, machines and layout, in a line.
    pub name: String,
    /// What says so.
    pub document: Document,
    /// The same as numbers.
    pub scenario: Scenario,
    /// What is forecast of it.
    pub prediction: Prediction,
}

/// What is compared: the rows' labels and cells, those of the first job, then of the others with their difference to it.
pub type ComparedRows = Vec<(String, Vec<String>)>;

/// Jobs side by side.
#[derive(Debug, Clone, Default)]
pub struct JobComparison {
    /// Those that are possible.
    pub jobs: Vec<ComparedJob>,
    /// Texts of the others, each with what is wrong with it.
    pub impossible: Vec<String>,
    /// Groups of rows, each with its title.
    pub groups: Vec<(&'static str, ComparedRows)>,
}

/// Compares the jobs of a document with the first of them.
pub fn compare(page: &Document) -> JobComparison {
    let mut comparison = JobComparison::default();
    for document in jobs(page) {
        let forecast = document.scenario().and_then(|scenario| {
            let own = your_runs::calibration(page, &scenario, None);
            predictor_of(own.as_deref()).predict(&scenario).map(|prediction| (scenario, prediction))
        });
        match forecast {
            Ok((scenario, prediction)) => {
                let name = summary::job(&document, &scenario);
                comparison.jobs.push(ComparedJob { name, document, scenario, prediction });
            }
            Err(errors) => {
                let reason = errors.first().map(ToString::to_string).unwrap_or_default();
                comparison.impossible.push(format!("{}: {reason}", document.to_link()));
            }
        }
    }
    let jobs = &comparison.jobs;
    let groups = [
        ("Forecast", figures(jobs)),
        ("Settings that differ", settings(jobs)),
        ("Step time breakdown", parts(jobs)),
    ];
    comparison.groups = groups.into_iter().filter(|group| !group.1.is_empty()).collect();
    comparison
}

/// Fields that are not the same in all jobs.
fn settings(jobs: &[ComparedJob]) -> ComparedRows {
    let mut rows = Vec::new();
    // What a preset decides goes without saying.
    let custom = |group: FieldGroup| jobs.iter().any(|job| job.document.customised(group));
    let custom = [FieldGroup::Model, FieldGroup::Cluster].map(|group| (group, custom(group)));
    let told = |field: &&Field| match custom.iter().find(|known| known.0 == field.group) {
        Some((_, custom)) => *custom || ["m", "g", "n"].contains(&field.key),
        None => field.group != FieldGroup::Run || field.key == "tok",
    };
    for field in FIELDS.iter().filter(told) {
        let values: Vec<String> = jobs.iter().map(|job| job.document.label(field.key).to_owned()).collect();
        let applies = jobs.iter().any(|job| job.document.applies(field.key));
        if applies && values.iter().any(|value| Some(value) != values.first()) {
            rows.push((field.label.to_owned(), values));
        }
    }
    rows
}

/// The parts of the steps.
fn parts(jobs: &[ComparedJob]) -> ComparedRows {
    let mut rows = Vec::new();
    for (place, (_, label, _)) in crate::forecast::Breakdown::default().parts().iter().enumerate() {
        let of = |job: &ComparedJob| job.prediction.breakdown.parts().get(place).map_or(0.0, |part| part.2.0);
        let times: Vec<f64> = jobs.iter().map(of).collect();
        if times.iter().any(|time| *time > 0.0) {
            let shown = beside_first(&times, |time| number::time(Seconds(time)).to_string());
            rows.push(((*label).to_owned(), shown));
        }
    }
    rows
}

/// The figures of each job, and how sure their ratio is.
fn figures(jobs: &[ComparedJob]) -> ComparedRows {
    if jobs.is_empty() {
        return Vec::new();
    }
    let row = |of: &dyn Fn(&ComparedJob) -> f64, show: &dyn Fn(f64) -> String| {
        beside_first(&jobs.iter().map(of).collect::<Vec<f64>>(), show)
    };
    let words = |of: &dyn Fn(&ComparedJob) -> String| jobs.iter().map(of).collect::<Vec<String>>();
    let cost = |job: &ComparedJob| RunCost::of(&job.scenario, job.prediction.step);
    let named = |name: &str, cells: Vec<String>| (name.to_owned(), cells);
    let per_token = |job: &ComparedJob| 1e6 * cost(job).usd / job.scenario.run.tokens;
    vec![
        named(
            "Best in",
            best(jobs, &[("step time", &|job| job.prediction.step.0), ("cost", &|job| cost(job).usd)]),
        ),
        named("Step", row(&|job| job.prediction.step.0, &|step| number::time(Seconds(step)).to_string())),
        named(
            "90\u{a0}% range of the step",
            words(&|job| summary::range(job.prediction.interval.low, job.prediction.interval.high)),
        ),
        named("Ratio to the first (90\u{a0}% range)", jobs.iter().map(|job| ratio(jobs, job)).collect()),
        named(
            "Training time",
            row(&|job| cost(job).time.0, &|time| number::long_time(Seconds(time)).to_string()),
        ),
        named("Training cost, USD", row(&|job| cost(job).usd, &|usd| number::count(usd).to_string())),
        named(
            "90\u{a0}% range of the cost",
            words(&|job| summary::cost_range(&job.scenario, &job.prediction.interval)),
        ),
        named("Cost of 1 M tokens, USD", row(&per_token, &|usd| number::significant(usd, 3))),
        named("Price per GPU-hour, USD", words(&|job| number::significant(job.scenario.run.price, 3))),
        named("Source of the price", words(&|job| job.scenario.run.price_source(&job.scenario.cluster))),
        named(
            "Peak memory per GPU",
            row(&|job| Bytes::from_gib(job.prediction.memory.peak_gib).0, &|peak| {
                number::memory(Bytes(peak)).to_string()
            }),
        ),
        named("Fits", words(&|job| summary::fit(&job.prediction))),
        named("MFU", words(&|job| number::percent(job.prediction.mfu).to_string())),
        named("Tokens/s", row(&|job| job.prediction.tokens_per_s, &|rate| number::count(rate).to_string())),
        named(
            "Tokens/s per GPU",
            row(&|job| job.prediction.tokens_per_s_per_gpu, &|rate| number::significant(rate, 3)),
        ),
    ]
}

/// A figure that is better the less it is: its name, and how to read it.
type NamedFigure<'f> = (&'static str, &'f dyn Fn(&ComparedJob) -> f64);

/// What each job has the least of, of those that fit, or that it is too close to call; an empty text for most.
fn best(jobs: &[ComparedJob], figures: &[NamedFigure<'_>]) -> Vec<String> {
    let mut cells = vec![Vec::new(); jobs.len()];
    let fitting = || jobs.iter().enumerate().filter(|(_, job)| job.prediction.memory.fits);
    for (name, of) in figures {
        let least = fitting().min_by(|one, other| of(one.1).total_cmp(&of(other.1)));
        let Some((winner, best)) = least.filter(|_| jobs.len() > 1) else { continue };
        // Where the ratio of the steps may as well be the other way round.
        let is_close = |job: &ComparedJob| {
            let (low, _) = range_of_ratio(best, job);
            low * (of(job) / of(best)) / (job.prediction.step / best.prediction.step) < 1.0
        };
        let close: Vec<usize> =
            fitting().filter(|(place, job)| *place != winner && is_close(job)).map(|job| job.0).collect();
        let said = if close.is_empty() { (*name).to_owned() } else { format!("{name}: too close to call") };
        for place in close.into_iter().chain([winner]) {
            if let Some(cell) = cells.get_mut(place) {
                cell.push(said.clone());
            }
        }
    }
    cells.into_iter().map(|said| said.join("; ")).collect()
}

/// The 90 % range of the ratio of a job's step to another's.
fn range_of_ratio(first: &ComparedJob, job: &ComparedJob) -> (f64, f64) {
    let of = |job: &ComparedJob| job.prediction.step;
    Predictor::SHIPPED.ratio_of_jobs((&first.scenario, of(first)), (&job.scenario, of(job)))
}

/// A job's step over that of the first, with its interval.
fn ratio(jobs: &[ComparedJob], job: &ComparedJob) -> String {
    let Some(first) = jobs.first().filter(|first| !core::ptr::eq(*first, job)) else { return "1".to_owned() };
    let ratio = job.prediction.step / first.prediction.step;
    let (low, high) = range_of_ratio(first, job);
    let [ratio, low, high] = [ratio, low, high].map(|value| number::significant(value, 3));
    format!("{ratio} ({low} to {high})")
}

/// Relative rounding difference between sums in different orders.
const SAME: f64 = 1e-9;

/// Values, each but the first with its difference to that.
fn beside_first(values: &[f64], show: impl Fn(f64) -> String) -> Vec<String> {
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
mod tests;
