//! `stepcast predict --cost-model operators`: a step made of learned operators.

use crate::input::Input;
use crate::report::{heading, run};
use crate::text::{self, CellAlign, duration, percent};
use crate::{Failure, json, sentences};
use clap::ValueEnum;
use serde::Serialize;
use stepcast::constants::Constants;
use stepcast::learned::{
    Direction, LayerAssignment, LearnedStep, ModelPart, OperatorTime, Profile, Provenance, step,
};
use stepcast::run_cost::RunCost;
use stepcast::units::Seconds;

/// How layers are dealt to stages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum LayerSplit {
    /// From the layout of the job.
    Planned,
    /// As in GPT-NeoX, which counts five additional layers around the transformer layers.
    Neox,
}

#[derive(Debug, Serialize)]
struct Output<'a> {
    #[serde(flatten)]
    step: &'a LearnedStep,
    profile: &'a str,
    source: &'a str,
    run: RunCost,
    link: String,
}

/// Forecasts a job with a profile.
pub(crate) fn predict(
    input: &Input,
    profile: &Profile,
    constants: &Constants,
    layers: LayerSplit,
    as_json: bool,
) -> Result<String, Failure> {
    let dealing = match layers {
        LayerSplit::Planned => LayerAssignment::Planned,
        LayerSplit::Neox => LayerAssignment::GptNeox,
    };
    let step = step(&input.scenario, profile, constants, dealing).map_err(sentences)?;
    let link = input.document.to_link();
    if as_json {
        let run = RunCost::of(&input.scenario, step.step);
        return json(&Output { step: &step, profile: &profile.name, source: &profile.source, run, link });
    }
    Ok([
        heading(input),
        figures(&step, profile),
        operators(&step),
        stages(&step),
        confidence(&step),
        run(&input.scenario, step.step),
        link,
        String::new(),
    ]
    .join("\n"))
}

fn figures(step: &LearnedStep, profile: &Profile) -> String {
    let off = step.paper / step.step - 1.0;
    let rows = [
        ("Step, 1F1B", duration(step.step), String::new()),
        ("Step if all stages were the slowest", duration(step.paper), format!("{:+.1} %", off * 100.0)),
        ("One layer, forward", duration(step.layer[0]), String::new()),
        ("One layer, backward", duration(step.layer[1]), String::new()),
        ("All-reduce of activations", duration(step.tensor_reduce), String::new()),
        ("Pipeline send", duration(step.hop), String::new()),
        ("Gradient sync of the first stage", duration(step.gradient_reduce), String::new()),
        ("Slowest optimizer update", duration(step.update), String::new()),
    ];
    let table = text::table(
        &rows.map(|(name, time, note)| vec![name.to_owned(), time, note]),
        &[CellAlign::Left, CellAlign::Right, CellAlign::Right],
    );
    format!("Learned operators: {} ({})\n{table}", profile.name, profile.source)
}

/// Every kind of operator once: what runs once per step on every stage is shown in the stages.
fn operators(step: &LearnedStep) -> String {
    let head = ["operator", "pass", "model part", "sizes", "times", "one call", "basis"];
    let mut rows = vec![head.map(str::to_owned).to_vec()];
    rows.extend(step.operators.iter().filter(|row| row.place.is_some()).map(|row| {
        let place = match row.place {
            Some(ModelPart::First) => "first stage",
            Some(ModelPart::Last) => "last stage",
            Some(ModelPart::Layer) | None => "layer",
        };
        let sizes: Vec<String> = row.sizes.iter().map(f64::to_string).collect();
        vec![
            row.operator.file().to_owned(),
            pass(row.direction).to_owned(),
            place.to_owned(),
            sizes.join(" x "),
            row.times.to_string(),
            duration(row.time),
            rests_on(row.provenance).to_owned(),
        ]
    }));
    let right = CellAlign::Right;
    text::table(
        &rows,
        &[CellAlign::Left, CellAlign::Left, CellAlign::Left, right, right, right, CellAlign::Left],
    )
}

fn stages(step: &LearnedStep) -> String {
    let head = ["stage", "layers", "forward", "backward", "gradients", "gather", "optimizer"];
    let mut rows = vec![head.map(str::to_owned).to_vec()];
    rows.extend(step.stages.iter().enumerate().map(|(index, stage)| {
        let mut row = vec![index.to_string(), stage.layers.to_string()];
        let times: [Seconds; 5] =
            [stage.forward, stage.backward, stage.gradient_reduce, stage.gather, stage.optimizer];
        row.extend(times.map(duration));
        row
    }));
    text::table(&rows, &[CellAlign::Right; 7])
}

/// Share of the layers' time by what it rests on, and what fell back.
fn confidence(step: &LearnedStep) -> String {
    let weight = |row: &OperatorTime| row.times * row.time.0;
    let in_layers = || step.operators.iter().filter(|row| row.place == Some(ModelPart::Layer));
    let all: f64 = in_layers().map(weight).sum();
    let shares = [Provenance::Measured, Provenance::Extrapolated, Provenance::Default].map(|provenance| {
        let part = in_layers().filter(|row| row.provenance == provenance).map(weight).fold(0.0, |a, b| a + b);
        format!("{} {}", percent(part / all.max(f64::MIN_POSITIVE)), rests_on(provenance))
    });
    let mut fell: Vec<String> = step
        .operators
        .iter()
        .filter(|row| row.provenance != Provenance::Measured)
        .map(|row| format!("{} {}", row.operator.file(), pass(row.direction)))
        .collect();
    fell.dedup();
    let fell = if fell.is_empty() { "none".to_owned() } else { fell.join(", ") };
    format!("Layer time: {}\nOutside the samples: {fell}\n", shares.join(", "))
}

fn pass(direction: Direction) -> &'static str {
    match direction {
        Direction::Forward => "forward",
        Direction::Backward => "backward",
        Direction::Whole => "",
    }
}

fn rests_on(provenance: Provenance) -> &'static str {
    match provenance {
        Provenance::Measured => "measured",
        Provenance::Extrapolated => "extrapolated",
        Provenance::Default => "never sampled",
    }
}
