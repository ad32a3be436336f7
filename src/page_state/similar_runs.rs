//! Published runs that are most like a job, with what was measured and what is forecast of their own jobs.

mod whole_runs;

use super::accuracy::signed;
use crate::document::Document;
use crate::forecast::Predictor;
use crate::number;
use crate::run_cost::RunCost;
use crate::scenario::Scenario;
use crate::scenario::cluster::presets::GPUS;
use crate::scenario::model::Model;
use crate::units::Seconds;
use crate::validate::MeasuredRun;
use crate::validate::published::Published;
use whole_runs::WHOLE_RUNS;

/// Largest ratio of the numbers of GPUs of similar runs, from one doubling to the next.
const MOST_APART: f64 = 2.0;

/// Largest difference of the numbers of parameters of one model as two sources count them, a share.
const SAME_SIZE: f64 = 0.02;

/// Tokens that GPU-hours of a measured step are counted for.
const TRILLION: f64 = 1e12;

/// A training run by its total GPU time.
#[derive(Debug, Clone, Copy, PartialEq)]
struct WholeRun {
    name: &'static str,
    /// Link of its job, with its layout.
    link: &'static str,
    gpu_hours: f64,
    /// Tokens trained on.
    tokens: f64,
    /// What the source does not say, or the forecast does not count.
    left_open: &'static str,
    source: &'static str,
}

/// A published run beside the forecast of its own job.
#[derive(Debug, Clone, PartialEq)]
pub struct SimilarRun {
    /// Its model, software and GPUs.
    pub title: String,
    /// Link of its job.
    pub link: String,
    /// What was measured: its name, measured, forecast, and how far off that is.
    pub rows: Vec<[String; 4]>,
    /// Where it was published, and what is not in the forecast.
    pub source: String,
}

/// Whether two models are one: as many layers of as many experts and the same width, and of the same size.
fn is_same(one: &Model, other: &Model) -> bool {
    let shape = |model: &Model| (model.layers, model.hidden, model.experts.count);
    let size = one.parameters() as f64 / other.parameters().max(1) as f64;
    shape(one) == shape(other) && (size - 1.0).abs() < SAME_SIZE
}

/// Ratio of the greater to the less.
fn apart(one: f64, other: f64) -> f64 {
    if one > other { one / other } else { other / one }
}

/// How far a run's job is from another, the most important first; nothing where it is not similar: of the same model and
/// generation of GPUs, on at most twice or half as many.
fn distance(job: &Scenario, run: &Scenario) -> Option<[f64; 5]> {
    let gpus = apart(f64::from(job.cluster.gpus), f64::from(run.cluster.gpus));
    let similar = is_same(&job.model, &run.model)
        && job.cluster.gpu.family == run.cluster.gpu.family
        && gpus <= MOST_APART;
    let differs = |differs: bool| f64::from(u8::from(differs));
    similar.then(|| {
        [
            gpus,
            differs(job.workload.precision != run.workload.precision),
            differs(job.software.stack != run.software.stack),
            differs(job.workload.sequence != run.workload.sequence),
            apart(job.tokens_per_step(), run.tokens_per_step()),
        ]
    })
}

/// The number of the one that is nearest of some, the first of equals.
fn nearest(job: &Scenario, runs: &[Option<&Scenario>]) -> Option<usize> {
    let mut found: Option<([f64; 5], usize)> = None;
    for (place, run) in runs.iter().enumerate() {
        let Some(far) = run.and_then(|run| distance(job, run)) else { continue };
        if found.is_none_or(|(least, _)| far < least) {
            found = Some((far, place));
        }
    }
    found.map(|(_, place)| place)
}

/// The lines of the published runs that can be similar to a job: those on GPUs of its generation.
pub fn lines<'a>(job: &Scenario, text: &'a str) -> impl Iterator<Item = &'a str> {
    /// Place of the GPU's name in a line.
    const GPU: usize = 4;
    let family = job.cluster.gpu.family;
    text.lines().filter(move |line| {
        let named = line.split('\t').nth(GPU);
        GPUS.iter().any(|preset| Some(preset.name) == named && preset.gpu.family == family)
    })
}

/// The measured step that is most like a job, beside the forecast of its own job.
pub fn measured(predictor: &Predictor<'_>, job: &Scenario, published: &Published) -> Option<SimilarRun> {
    let jobs: Vec<Option<&Scenario>> =
        published.runs.iter().map(|(run, _)| run.scenario.as_ref().ok().filter(|_| !run.dropped)).collect();
    let (run, link) = published.runs.get(nearest(job, &jobs)?)?;
    let scenario = run.scenario.as_ref().ok()?;
    let step = predictor.predict(scenario).ok()?.step;
    Some(of_step(run, link, scenario, step))
}

fn of_step(run: &MeasuredRun, link: &str, scenario: &Scenario, step: Seconds) -> SimilarRun {
    let off = signed(step.0 / run.measured_s - 1.0);
    let hours = |step: f64| {
        let seconds = step * TRILLION / scenario.tokens_per_step() * f64::from(scenario.cluster.gpus);
        number::count(seconds / 3600.0).to_string()
    };
    let row =
        |name: &str, measured: String, forecast: String| [name.to_owned(), measured, forecast, off.clone()];
    SimilarRun {
        title: format!(
            "{} with {} on {} {} GPUs",
            run.model,
            run.stack,
            number::integer(scenario.cluster.gpus.into()),
            run.gpu
        ),
        link: link.to_owned(),
        rows: vec![
            row(
                "Step time",
                number::time(Seconds(run.measured_s)).to_string(),
                number::time(step).to_string(),
            ),
            row("GPU-hours per 1 T tokens", hours(run.measured_s), hours(step.0)),
        ],
        source: format!("Run {} of the measured runs below.", run.id),
    }
}

/// The published total of GPU-hours that is most like a job, beside the forecast of its own job.
pub fn whole(predictor: &Predictor<'_>, job: &Scenario) -> Option<SimilarRun> {
    let read = |run: &WholeRun| Document::from_link(run.link).ok()?.document.scenario().ok();
    let read: Vec<Option<Scenario>> = WHOLE_RUNS.iter().map(read).collect();
    let jobs: Vec<Option<&Scenario>> = read.iter().map(Option::as_ref).collect();
    let place = nearest(job, &jobs)?;
    let (run, scenario) = (WHOLE_RUNS.get(place)?, jobs.get(place).copied()??);
    let step = predictor.predict(scenario).ok()?.step;
    let forecast = RunCost::of(scenario, step).gpu_hours;
    Some(SimilarRun {
        title: run.name.to_owned(),
        link: run.link.to_owned(),
        rows: vec![[
            format!("GPU-hours for {} tokens", number::short(&number::count(run.tokens))),
            number::count(run.gpu_hours).to_string(),
            number::count(forecast).to_string(),
            signed(forecast / run.gpu_hours - 1.0),
        ]],
        source: format!("{}. Caveat: {}.", run.source, run.left_open),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::validate::published;

    fn job(link: &str) -> Scenario {
        Document::from_link(link).expect("a link").document.scenario().expect("possible")
    }

    const RUNS: &str = include_str!("../../static/runs.tsv");

    fn of(job: &Scenario) -> Published {
        let count = |kind: &str| lines(job, RUNS).filter(|line| line.starts_with(kind)).count();
        let text: Vec<&str> = lines(job, RUNS).collect();
        let end = format!("end\t{}\t{}", count("run"), count("peak"));
        published::read(&format!("{}\n{end}", text.join("\n"))).expect("readable")
    }

    #[test]
    fn every_published_total_is_a_job_with_a_layout_and_of_its_tokens() {
        for run in WHOLE_RUNS {
            let document = Document::from_link(run.link).expect(run.name).document;
            assert!(!document.is_planned(), "{} leaves its layout open", run.name);
            let scenario = document.scenario().unwrap_or_else(|errors| panic!("{}: {errors:?}", run.name));
            assert!((scenario.run.tokens / run.tokens - 1.0).abs() < 1e-9, "{}", run.name);
            let found = whole(&Predictor::SHIPPED, &scenario).expect(run.name);
            assert_eq!((found.title.as_str(), found.link.as_str()), (run.name, run.link));
        }
    }

    #[test]
    fn deepseek_v3_has_its_report_and_a_measured_step_beside_it() {
        let own = job(
            "#2;m=deepseek-v3;g=hgx-h800;n=2048;gb=15360;seq=4096;prec=fp8-block;xd=deepep;tokens=14.8T;ep=64;pp=16;tp=1;sp=0",
        );
        let whole = whole(&Predictor::SHIPPED, &own).expect("the technical report");
        assert_eq!(whole.rows[0][0], "GPU-hours for 14.8\u{a0}T tokens");
        assert_eq!(whole.rows[0][1], "2.66\u{a0}M");
        let step = measured(&Predictor::SHIPPED, &own, &of(&own)).expect("a run on Hopper");
        assert!(
            step.title.starts_with("DeepSeekV3") && step.title.contains("1,024 h100-80g"),
            "{}",
            step.title
        );
        // 25.26 s for 8,192 sequences of 4,096 tokens on 1,024 GPUs.
        assert_eq!((step.rows[0][1].as_str(), step.rows[1][1].as_str()), ("25.3\u{a0}s", "214\u{a0}k"));
        assert_eq!(step.rows[0][3], step.rows[1][3]);
    }

    #[test]
    fn what_is_another_model_or_far_larger_is_not_similar() {
        let own = job("#2;m=llama3-70b;g=dgx-h100;n=512");
        assert!(whole(&Predictor::SHIPPED, &own).is_none());
        let found = measured(&Predictor::SHIPPED, &own, &of(&own)).expect("many");
        assert!(found.title.contains("512 h100-80g"), "{}", found.title);
        let large = job("#2;m=llama3-70b;g=dgx-h100;n=32768;gb=32768");
        assert_eq!(measured(&Predictor::SHIPPED, &large, &of(&large)), None);
    }
}
