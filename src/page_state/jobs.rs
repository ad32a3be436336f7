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
        named("Cost of 1 M tokens, USD", row(&per_token, &|usd| number::significant(usd, 3))),
        named("Price per GPU-hour, USD", words(&|job| number::significant(job.scenario.run.price, 3))),
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

/// What each job has the least of, of those that fit; an empty text for most.
fn best(jobs: &[ComparedJob], figures: &[NamedFigure<'_>]) -> Vec<String> {
    let fit = |job: &&ComparedJob| job.prediction.memory.fits;
    let least = |of: &dyn Fn(&ComparedJob) -> f64| jobs.iter().filter(fit).map(of).min_by(f64::total_cmp);
    let least: Vec<Option<f64>> = figures.iter().map(|figure| least(figure.1)).collect();
    let words = |job: &ComparedJob| {
        let won =
            figures.iter().zip(&least).filter(|(figure, least)| fit(&job) && **least == Some(figure.1(job)));
        won.map(|(figure, _)| figure.0).collect::<Vec<&str>>().join(", ")
    };
    if jobs.len() < 2 { vec![String::new(); jobs.len()] } else { jobs.iter().map(words).collect() }
}

/// A job's step over that of the first, with its interval.
fn ratio(jobs: &[ComparedJob], job: &ComparedJob) -> String {
    let Some(first) = jobs.first().filter(|first| !core::ptr::eq(*first, job)) else { return "1".to_owned() };
    let ratio = job.prediction.step / first.prediction.step;
    let of = |job: &ComparedJob| job.prediction.step;
    let (low, high) =
        Predictor::SHIPPED.ratio_of_jobs((&first.scenario, of(first)), (&job.scenario, of(job)));
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
mod tests {
    use super::*;
    use crate::panels::ResultsView;
    use crate::scenario::plan::{Modules, Recompute, Schedule, StageLayers, StageSplit};

    fn document(link: &str) -> Document {
        Document::from_link(link).expect("a link").document
    }

    fn scenario(link: &str) -> Scenario {
        document(link).scenario().expect("possible")
    }

    /// A page's document with jobs added.
    fn with(mut page: Document, links: &[&str]) -> Document {
        for link in links {
            let text = toggled_with(&page, &scenario(link));
            page.set_extra(JOBS, &text);
            page = document(&page.to_link());
        }
        page
    }

    const SMALL: &str =
        "#1;m=llama3-8b;g=dgx-h100;n=64;gb=256;tp=1;sp=0;pp=1;zero=3;stack=torchtitan;v.open=jobs";
    const OTHER: &str =
        "#1;m=gpt3-175b;g=dgx-a100-80g;n=1024;tp=8;pp=16;seq=2048;split=given;stages=5,6x14,7";

    #[test]
    fn any_jobs_survive_the_link_in_every_layout() {
        let own = "#1;m=llama3-70b;g=dgx-h100;n=512;tp=4;pp=4";
        let odd = Plan {
            recompute: Recompute::Modules(Modules::NORMS.and(Modules::FEED_FORWARD)),
            stage_split: StageSplit::Given(StageLayers::parse("19,20x2,21").expect("a list")),
            pipeline_parallel: 4,
            schedule: Schedule::OneForwardOneBackward,
            data_overlap: false,
            ..scenario(own).plan
        };
        let odd = Scenario { plan: odd, ..scenario(own) };
        let mut page = with(document(own), &[SMALL, OTHER, own]);
        page.set_extra(JOBS, &toggled_with(&page, &odd));
        page = document(&page.to_link());
        let kept = jobs(&page);
        assert_eq!(kept.len(), 4);
        assert_eq!(kept[0].text("stack"), "torchtitan");
        assert_eq!(kept[0].extra("open"), None, "what was open is no part of a job");
        assert_eq!(kept[1].text("stages"), "5,6x14,7");
        assert_eq!(kept[3].values().expect("numbers"), odd);
        assert!(is_compared(&page, &scenario(own)) && is_compared(&page, &odd));
        let gone = with(page, &[own]);
        assert!(!is_compared(&gone, &scenario(own)) && count(&gone) == 3);
    }

    #[test]
    fn the_first_machine_that_is_added_is_compared_with_the_job_on_the_form() {
        let own = scenario(SMALL);
        let (second, third) = (scenario(OTHER), scenario("#1;m=llama3-8b;g=dgx-h200;n=32;gb=256;tp=2;pp=1"));
        let mut page = document(SMALL);
        for (job, expected) in [(second, 2), (second, 2), (third, 3)] {
            let text = added(&page, &own, &job);
            page.set_extra(JOBS, &text);
            assert_eq!(count(&page), expected);
        }
        assert!(is_compared(&page, &own) && is_compared(&page, &third));
        let compared = compare(&page);
        let best = &compared.groups[0].1[0];
        assert_eq!(best.0, "Best in");
        let fastest = (0..3).min_by(|one, other| {
            let step = |place: &usize| compared.jobs[*place].prediction.step.0;
            step(one).total_cmp(&step(other))
        });
        assert!(best.1[fastest.expect("three jobs")].starts_with("step time"), "{best:?}");
        assert_eq!(best.1.iter().filter(|cell| cell.contains("cost")).count(), 1, "{best:?}");
    }

    #[test]
    fn a_full_comparison_refuses_one_more() {
        let links: Vec<String> = (1..=10)
            .map(|node| format!("#1;m=llama3-8b;g=dgx-h100;n={};gb=20160;seq=2048;tp=1;pp=1", 8 * node))
            .collect();
        let links: Vec<&str> = links.iter().map(String::as_str).collect();
        let page = with(Document::default(), &links);
        assert_eq!(count(&page), MOST_JOBS);
        assert!(is_compared(&page, &scenario(links[0])) && !is_compared(&page, &scenario(links[9])));
    }

    #[test]
    fn jobs_are_compared_with_the_first() {
        let third = "#1;m=llama3-8b;g=dgx-h200;n=32;gb=256;tp=2;pp=1";
        let mut page = with(Document::default(), &[SMALL, third]);
        page.set_extra(
            JOBS,
            &format!("{}~m:llama3-8b/g:dgx-h100/n:64/tp:3", page.extra(JOBS).expect("jobs")),
        );
        let compared = compare(&page);
        assert_eq!(compared.jobs.len(), 2);
        assert_eq!(compared.impossible.len(), 1, "three ranks do not divide the heads");
        let row = |name: &str| {
            let mut rows = compared.groups.iter().flat_map(|group| &group.1);
            rows.find(|row| row.0.starts_with(name)).map(|row| row.1.clone())
        };
        let step = row("Step").expect("a row");
        assert!(!step[0].contains('(') && step[1].contains("(+"), "{step:?}");
        let ratio = row("Ratio").expect("a row");
        assert_eq!(ratio[0], "1");
        let steps = [0, 1].map(|place: usize| compared.jobs[place].prediction.step.0);
        assert!(ratio[1].starts_with(&number::significant(steps[1] / steps[0], 3)), "{ratio:?}");
        assert!(row("GPUs").is_some() && row("Software").is_some(), "what differs is named");
        assert_eq!(row("Layers"), None, "what is the same is not");
    }

    #[test]
    fn older_links_keep_their_jobs_and_pinned_layouts() {
        let old = "#1;m=llama3-70b;g=dgx-h100;n=512;v.jobs=m:llama3-8b/g:dgx-h100/n:64;v.open=compare,matrix;v.view=layouts;v.pin=tp:8,pp:2~tp:many~nothing:1~tp:4,pp:4,rcm:norms+mlp,rc:modules";
        let mut page = document(old);
        assert_eq!(ResultsView::of(&page), ResultsView::Compare);
        let text = renewed(&page).expect("it is an older link");
        page.set_extra(JOBS, &text);
        page.set_extra(PINS, "");
        let kept = jobs(&page);
        assert_eq!(kept.iter().map(|job| job.text("tp").to_owned()).collect::<Vec<_>>(), ["8", "8", "4"]);
        assert_eq!(kept[1].text("m"), "llama3-70b");
        assert!(is_compared(&page, &kept[0].scenario().expect("possible")), "as it is added today");
        assert_eq!(renewed(&page), None);
    }

    #[test]
    fn what_cannot_be_read_is_left_out() {
        let mut page = Document::default();
        page.set_extra(JOBS, "nonsense~m:llama3-8b/n:8~~");
        assert_eq!(jobs(&page).len(), 1);
        assert!(compare(&Document::default()).groups.is_empty());
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
