//! Forecasts that the reader compares side by side: of any models, machines and stacks.

use super::pins::beside_first;
use super::summary;
use super::your_runs::{self, predictor_of};
use crate::document::Document;
use crate::fields::{FIELDS, FieldGroup};
use crate::forecast::{Prediction, Predictor};
use crate::number;
use crate::run_cost::RunCost;
use crate::scenario::Scenario;
use crate::units::{Bytes, Seconds};

/// Key of the view state: jobs that are kept, with `~` between them.
pub const JOBS: &str = "jobs";

/// Jobs that can be kept at once.
pub const MOST_JOBS: usize = 4;

/// The jobs that a document keeps, those that can be read.
pub fn jobs(document: &Document) -> Vec<Document> {
    texts(document).into_iter().filter_map(document_of).collect()
}

/// Whether a document keeps the job on its own form.
pub fn is_kept(document: &Document) -> bool {
    texts(document).contains(&text_of(document).as_str())
}

/// The view state [`JOBS`] once a job is kept, or let go. The last that there is room for makes way for one more.
pub fn kept_with(document: &Document, job: &Document) -> String {
    let text = text_of(job);
    let mut texts = texts(document);
    if texts.contains(&text.as_str()) {
        texts.retain(|other| *other != text);
    } else {
        texts.truncate(MOST_JOBS - 1);
        texts.push(&text);
    }
    texts.join("~")
}

fn texts(document: &Document) -> Vec<&str> {
    let texts = document.extra(JOBS).unwrap_or_default().split('~').filter(|text| !text.is_empty());
    texts.take(MOST_JOBS).collect()
}

/// A job as a text: version and pairs of its link with the layout that it has, without the view state, as
/// `2/m:llama3-8b/n:64`.
fn text_of(job: &Document) -> String {
    let link = job.pinned().to_link();
    let parts = link.trim_start_matches('#').split(';').filter(|pair| !pair.starts_with("v."));
    let parts: Vec<String> =
        parts.map(|pair| pair.replacen('=', ":", 1).replace('/', "%2F").replace('~', "%7E")).collect();
    parts.join("/")
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

/// Jobs side by side.
#[derive(Debug, Clone, Default)]
pub struct JobComparison {
    /// Those that are possible.
    pub jobs: Vec<ComparedJob>,
    /// Names of the others, each with what is wrong with it.
    pub impossible: Vec<String>,
    /// What is compared, and its cells: those of the first job, then of the others with their difference to it.
    pub rows: Vec<(String, Vec<String>)>,
}

/// Compares the jobs that a document keeps with the first of them.
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
                comparison.impossible.push(format!("{}: {reason}", text_of(&document)));
            }
        }
    }
    comparison.rows = rows(&comparison.jobs);
    comparison
}

fn rows(jobs: &[ComparedJob]) -> Vec<(String, Vec<String>)> {
    let mut rows = figures(jobs);
    for (place, (_, label, _)) in crate::forecast::Breakdown::default().parts().iter().enumerate() {
        let of = |job: &ComparedJob| job.prediction.breakdown.parts().get(place).map_or(0.0, |part| part.2.0);
        let times: Vec<f64> = jobs.iter().map(of).collect();
        if times.iter().any(|time| *time > 0.0) {
            rows.push((
                (*label).to_owned(),
                beside_first(&times, |time| number::time(Seconds(time)).to_string()),
            ));
        }
    }
    let chosen = FIELDS.iter().filter(|field| field.group != FieldGroup::Run || field.key == "tok");
    for field in chosen {
        let values: Vec<String> =
            jobs.iter().map(|job| field.label_of(job.document.text(field.key)).to_owned()).collect();
        let applies = jobs.iter().any(|job| job.document.applies(field.key));
        if applies && values.iter().any(|value| Some(value) != values.first()) {
            rows.push((field.label.to_owned(), values));
        }
    }
    rows
}

/// The figures of each job, and how sure their ratio is.
fn figures(jobs: &[ComparedJob]) -> Vec<(String, Vec<String>)> {
    let row = |of: &dyn Fn(&ComparedJob) -> f64, show: &dyn Fn(f64) -> String| {
        beside_first(&jobs.iter().map(of).collect::<Vec<f64>>(), show)
    };
    let words = |of: &dyn Fn(&ComparedJob) -> String| jobs.iter().map(of).collect::<Vec<String>>();
    let cost = |job: &ComparedJob| RunCost::of(&job.scenario, job.prediction.step);
    let named = |name: &str, cells: Vec<String>| (name.to_owned(), cells);
    vec![
        named("Step", row(&|job| job.prediction.step.0, &|step| number::time(Seconds(step)).to_string())),
        named(
            "90\u{a0}% range of the step",
            words(&|job| summary::interval(job.prediction.interval.low, job.prediction.interval.high)),
        ),
        named("Ratio to the first (90\u{a0}% range)", jobs.iter().map(|job| ratio(jobs, job)).collect()),
        named("Tokens/s", row(&|job| job.prediction.tokens_per_s, &|rate| number::count(rate).to_string())),
        named(
            "Tokens/s per GPU",
            row(&|job| job.prediction.tokens_per_s_per_gpu, &|rate| number::significant(rate, 3)),
        ),
        named("MFU", words(&|job| number::percent(job.prediction.mfu).to_string())),
        named(
            "Peak memory per GPU",
            row(&|job| Bytes::from_gib(job.prediction.memory.peak_gib).0, &|peak| {
                number::memory(Bytes(peak)).to_string()
            }),
        ),
        named("Fits", words(&|job| summary::fit(&job.prediction))),
        named(
            "Training time",
            row(&|job| cost(job).time.0, &|time| number::long_time(Seconds(time)).to_string()),
        ),
        named("Training cost, USD", row(&|job| cost(job).usd, &|usd| number::count(usd).to_string())),
    ]
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

#[cfg(test)]
mod tests {
    use super::*;

    fn document(link: &str) -> Document {
        Document::from_link(link).expect("a link").document
    }

    const SMALL: &str =
        "#1;m=llama3-8b;g=dgx-h100;n=64;gb=256;tp=1;sp=0;pp=1;zero=3;stack=torchtitan;v.open=jobs";
    const OTHER: &str = "#1;m=gpt3-175b;g=dgx-a100-80g;n=1024;tp=8;pp=16;seq=2048;split=5,6x14,7";

    #[test]
    fn any_jobs_survive_the_link() {
        let mut page = document("#1;m=llama3-70b;g=dgx-h100;n=512");
        for link in [SMALL, OTHER] {
            let text = kept_with(&page, &document(link));
            page.set_extra(JOBS, &text);
            page = document(&page.to_link());
        }
        let own = kept_with(&page, &page.clone());
        page.set_extra(JOBS, &own);
        let kept = jobs(&page);
        assert_eq!(kept.len(), 3);
        assert_eq!(kept[0].text("stack"), "torchtitan");
        assert_eq!(kept[0].extra("open"), None, "what was open is no part of a job");
        assert_eq!(kept[1].text("split"), "5,6x14,7");
        assert!(is_kept(&page));
        let gone = kept_with(&page, &page.clone());
        page.set_extra(JOBS, &gone);
        assert!(!is_kept(&page) && jobs(&page).len() == 2);
    }

    #[test]
    fn jobs_are_compared_with_the_first() {
        let mut page = Document::default();
        for link in
            [SMALL, "#1;m=llama3-8b;g=dgx-h100;n=64;tp=3", "#1;m=llama3-8b;g=dgx-h200;n=32;gb=256;tp=2;pp=1"]
        {
            let text = kept_with(&page, &document(link));
            page.set_extra(JOBS, &text);
        }
        let compared = compare(&page);
        assert_eq!(compared.jobs.len(), 2);
        assert_eq!(compared.impossible.len(), 1, "three ranks do not divide the heads");
        let row =
            |name: &str| compared.rows.iter().find(|row| row.0.starts_with(name)).map(|row| row.1.clone());
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
    fn what_cannot_be_read_is_left_out() {
        let mut page = Document::default();
        page.set_extra(JOBS, "nonsense~m:llama3-8b/n:8~~");
        assert_eq!(jobs(&page).len(), 1);
        assert!(compare(&Document::default()).rows.iter().all(|row| row.1.is_empty()));
    }
}
