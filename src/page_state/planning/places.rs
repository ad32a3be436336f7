//! The best layout on several numbers of GPUs and machines, and how large a job can be made.

use super::{
    PlanningAnswer, PlanningQuestion, QUESTION, ToldAxis, ToldChart, ToldRow, ToldSeries, ToldTable, link_to,
    named, request,
};
use crate::document::Document;
use crate::fields::Field;
use crate::number;
use crate::run_cost::RunCost;
use crate::scaling::{Mode, around};
use crate::scenario::Scenario;
use crate::scenario::cluster::presets::{find, name_of};
use crate::summary;
use crate::tuner::{Extent, Largest, Study, StudyPoint, in_some_layout, largest, study};
use crate::units::Seconds;
use crate::your_runs::{self, predictor_of};

/// Key of the view state: `weak` lets the batch grow with the GPUs.
pub const MODE: &str = "plan-mode";
/// Key of the view state: machines that are looked at besides the job's, with commas between them.
pub const WITH: &str = "plan-with";
/// Key of the view state: the key of the field that is maximised; the sequence by default.
pub const EXTENT: &str = "plan-extent";

/// Machines that are looked at besides the job's, at most.
pub const MOST_MACHINES: usize = 3;

/// Names of the machines that a document compares with the job's.
pub fn machines(document: &Document) -> Vec<&str> {
    let names = document.extra(WITH).unwrap_or_default().split(',');
    names.filter(|name| find(name).is_some()).take(MOST_MACHINES).collect()
}

/// The view state [`WITH`] after a machine is added or removed; the last one is dropped if there is no room.
pub fn machines_with(document: &Document, name: &str) -> String {
    let mut names = machines(document);
    if names.contains(&name) {
        names.retain(|other| *other != name);
    } else {
        names.truncate(MOST_MACHINES - 1);
        names.push(name);
    }
    names.join(",")
}

/// The question which layout is recommended for a document's job on another machine; nothing where it cannot run there.
pub fn request_on(document: &Document, machine: &str) -> Option<String> {
    let mut there = document.on_machine(machine)?;
    there.release_layout();
    there.set_extra(QUESTION, "");
    let job = in_some_layout(&there.values().ok()?)?;
    Some(request(&job, &there))
}

/// A machine's study, and the document of the job there.
struct OnMachine {
    label: String,
    document: Document,
    job: Scenario,
    study: Study,
}

pub(super) fn on_gpus(asked: &PlanningQuestion) -> Result<PlanningAnswer, String> {
    let weak = asked.document.extra(MODE) == Some("weak");
    let mode = if weak { Mode::Weak } else { Mode::Strong };
    let own = name_of(&asked.job.cluster);
    let others = machines(&asked.document).into_iter().filter(|name| own != Some(*name));
    let others = others.filter_map(|name| asked.document.on_machine(name));
    let on = |document: Document| {
        let job = document.values().ok()?;
        let mut label =
            name_of(&job.cluster).and_then(find).map_or("This machine", |preset| preset.label).to_owned();
        if job.software.stack != asked.job.software.stack {
            label.push_str(&format!(" ({})", document.label("stack")));
        }
        let gpus = around(job.cluster.gpus);
        let own = your_runs::calibration(&asked.document, &job, None);
        let predictor = predictor_of(own.as_deref());
        let study = study(&predictor, &job, asked.searched.free, asked.searched.margin, mode, &gpus);
        Some(OnMachine { label, document, job, study })
    };
    let all: Vec<OnMachine> = core::iter::once(asked.document.clone()).chain(others).filter_map(on).collect();
    if all.iter().all(|on| on.study.points.is_empty()) {
        return Err("No layout of this job fits at any of these GPU counts.".to_owned());
    }
    Ok(of_studies(&all, mode))
}

fn of_studies(all: &[OnMachine], mode: Mode) -> PlanningAnswer {
    let several = all.len() > 1;
    let mut head =
        ["GPUs", "Best layout", "Step", "90 % range", "Tokens per second", "Run", "Price", "Energy"]
            .map(str::to_owned)
            .to_vec();
    head.push("Efficiency".to_owned());
    if several {
        head.insert(0, "Machine".to_owned());
    }
    let rows = all.iter().flat_map(|on| {
        on.study.points.iter().enumerate().map(|(place, point)| row(on, place, point, several))
    });
    let batch = if mode == Mode::Weak { "weak scaling" } else { "fixed global batch" };
    PlanningAnswer {
        sentences: all.iter().flat_map(|on| sentences(on, several)).collect(),
        link: String::new(),
        tables: vec![ToldTable {
            caption: format!("Best layout and training cost by number of GPUs ({batch})"),
            head,
            rows: rows.collect(),
        }],
        charts: vec![
            chart(all, "Training days", "Days", |_, _, cost| cost.time.days()),
            chart(all, "Tokens per second", "Million tokens per second", |job, step, _| {
                job.tokens_per_step() / step.0 / 1e6
            }),
            chart(all, "Training cost", "Thousand USD", |_, _, cost| cost.usd / 1e3),
            chart(all, "Energy", "MWh", |_, _, cost| cost.kwh / 1e3),
        ],
    }
}

/// What a chart shows of a job whose step takes so long, and whose run costs so much.
type Shown = fn(&Scenario, Seconds, &RunCost) -> f64;

/// A chart with a line for each machine.
fn chart(all: &[OnMachine], title: &str, label: &str, value: Shown) -> ToldChart {
    let value =
        |point: &StudyPoint, step: Seconds| value(&point.scenario, step, &RunCost::of(&point.scenario, step));
    let line = |on: &OnMachine| {
        let points = on.study.points.iter();
        let spread = points.clone().map(|point| {
            let [one, other] = [point.interval.low, point.interval.high].map(|end| value(point, end));
            (one.min(other), one.max(other))
        });
        ToldSeries {
            label: on.label.clone(),
            points: points
                .clone()
                .map(|point| (f64::from(point.gpus), value(point, point.layout.step)))
                .collect(),
            spread: spread.collect(),
        }
    };
    ToldChart {
        title: title.to_owned(),
        x: "GPUs".to_owned(),
        axis: ToldAxis::Doubling,
        y: label.to_owned(),
        series: all.iter().map(line).collect(),
        mark: None,
    }
}

fn row(on: &OnMachine, place: usize, point: &StudyPoint, several: bool) -> ToldRow {
    let mut row = ToldRow {
        link: link_to(&on.document, &on.job, &point.scenario),
        strong: on.study.turn == Some(place),
        ..ToldRow::of([
            number::integer(point.gpus.into()),
            named(&point.layout),
            number::time(point.layout.step).to_string(),
            summary::range(point.interval.low, point.interval.high),
            number::count(point.tokens_per_s).to_string(),
            number::long_time(point.cost.time).to_string(),
            format!("${}", number::count(point.cost.usd)),
            format!("{}\u{a0}MWh", number::significant(point.cost.kwh / 1e3, 3)),
            number::percent(point.efficiency).to_string(),
        ])
    };
    if several {
        row.cells.insert(0, on.label.clone());
    }
    row
}

fn sentences(on: &OnMachine, several: bool) -> Vec<String> {
    let lead = if several { format!("{}: ", on.label) } else { String::new() };
    let mut sentences = Vec::new();
    if !on.study.points.is_empty() {
        sentences.push(match on.study.turn.and_then(|turn| on.study.points.get(turn)) {
            Some(point) => format!(
                "{lead}Beyond {} GPUs, marginal scaling efficiency is below 50 %.",
                number::integer(point.gpus.into())
            ),
            None => format!("{lead}Marginal scaling efficiency stays above 50 %."),
        });
    }
    if !on.study.without_layout.is_empty() {
        let gpus: Vec<String> =
            on.study.without_layout.iter().map(|gpus| number::integer((*gpus).into())).collect();
        sentences.push(format!("{lead}No layout fits at these GPU counts: {}.", gpus.join(", ")));
    }
    sentences
}

/// What is said where a search for the largest job ended before the memory did.
pub const BOUND: &str = "The search reached the maximum of this field. A larger value may fit.";

/// The job as large as fits.
pub(super) fn enlarged(asked: &PlanningQuestion) -> Result<PlanningAnswer, String> {
    let (extent, key) = match asked.document.extra(EXTENT) {
        Some("layers") => (Extent::Layers, "layers"),
        Some("mb") => (Extent::MicroBatch, "mb"),
        _ => (Extent::Context, "seq"),
    };
    let Largest { point: found, is_bound } =
        largest(&asked.predictor(), &asked.job, asked.searched.free, asked.searched.margin, extent)
            .ok_or("No layout fits with headroom at any size.")?;
    let field = Field::find(key).ok_or("Unknown field.")?;
    let shown = |job: &Scenario| {
        let text = field.canonical(job);
        text.parse().map_or(text, number::integer)
    };
    let cells = |name: &str, job: &Scenario, rest: [String; 3]| {
        let [layout, step, memory] = rest;
        [name.to_owned(), shown(job), number::integer(job.workload.global_batch.into()), layout, step, memory]
    };
    let now = asked.predictor().estimate(&asked.job);
    let own = [
        summary::layout(&asked.job.plan, asked.job.data_parallel()),
        number::time(now.step).to_string(),
        number::memory(now.peak_memory).to_string(),
    ];
    let most = [
        named(&found.layout),
        number::time(found.layout.step).to_string(),
        number::memory(found.layout.peak_memory).to_string(),
    ];
    let link = link_to(&asked.document, &asked.job, &found.scenario);
    let rows = vec![
        ToldRow::of(cells("Current", &asked.job, own)),
        ToldRow { strong: true, link, ..ToldRow::of(cells("Largest that fits", &found.scenario, most)) },
    ];
    let label = field.label;
    let mut sentences = vec![format!(
        "{label}: {} is the largest value with {}. The search doubles or halves the current value.",
        shown(&found.scenario),
        asked.searched.margin.words()
    )];
    if is_bound {
        sentences.push(BOUND.to_owned());
    }
    Ok(PlanningAnswer {
        sentences,
        tables: vec![ToldTable {
            caption: "Fastest layout".to_owned(),
            head: ["", label, "Global batch", "Layout", "Step", "Peak memory"].map(str::to_owned).to_vec(),
            rows,
        }],
        ..PlanningAnswer::default()
    })
}
