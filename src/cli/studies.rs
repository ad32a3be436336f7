//! The best layout on several numbers of GPUs and machines, and how large a job can be made.

use crate::Failure;
use crate::input::Input;
use crate::sizes::Places;
use crate::text::{self, CellAlign, duration, percent, significant};
use clap::{Args, ValueEnum};
use serde::Serialize;
use std::borrow::Cow;
use stepcast::fields::{FIELDS, Field};
use stepcast::page_state::planning::BOUND;
use stepcast::page_state::summary;
use stepcast::scaling::Mode;
use stepcast::scenario::Scenario;
use stepcast::tuner::{Extent, FreeAxes, Goal, Largest, Margin, Study, best, largest, study as studied};
use stepcast::units::Seconds;

/// What is looked for beyond the layout.
#[derive(Debug, Args)]
pub(crate) struct Wanted {
    /// Search GPU counts and machines, or find the largest micro-batch (largest-batch), sequence length
    /// (longest-context) or number of layers (largest-model) that fits, in powers of two.
    #[arg(long, value_enum)]
    goal: Option<GoalName>,
    /// With --goal deadline: maximum duration of the training run, days.
    #[arg(long, value_name = "DAYS", required_if_eq("goal", "deadline"))]
    days: Option<f64>,
    #[command(flatten)]
    pub(crate) places: Places,
}

/// What to look for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum GoalName {
    Fastest,
    Cheapest,
    GpuHours,
    Energy,
    Carbon,
    Deadline,
    LargestBatch,
    LongestContext,
    LargestModel,
}

/// What is to be reached.
enum Aim {
    Goal(Goal),
    Extent(Extent),
}

impl Wanted {
    fn aim(&self, input: &Input) -> Option<Aim> {
        // Who names other GPUs or machines than the job's wants one of them.
        let name = self.goal.or(self.places.are_others(input).then_some(GoalName::Fastest))?;
        Some(match name {
            GoalName::Fastest => Aim::Goal(Goal::Fastest),
            GoalName::Cheapest => Aim::Goal(Goal::Cheapest),
            GoalName::GpuHours => Aim::Goal(Goal::FewestGpuHours),
            GoalName::Energy => Aim::Goal(Goal::LeastEnergy),
            GoalName::Carbon => Aim::Goal(Goal::LeastCarbon),
            GoalName::Deadline => {
                Aim::Goal(Goal::Deadline(Seconds::from_days(self.days.unwrap_or_default())))
            }
            GoalName::LargestBatch => Aim::Extent(Extent::MicroBatch),
            GoalName::LongestContext => Aim::Extent(Extent::Context),
            GoalName::LargestModel => Aim::Extent(Extent::Layers),
        })
    }
}

/// A study of one machine.
#[derive(Debug, Serialize)]
struct OnMachine {
    machine: String,
    /// Its software, where that is another than the job's.
    #[serde(skip_serializing_if = "Option::is_none")]
    software: Option<&'static str>,
    #[serde(flatten)]
    study: Study,
}

/// A field that was made as large as fits.
#[derive(Debug, Serialize)]
struct LargestField {
    field: &'static str,
    asked: String,
    found: String,
    /// The search ended at the most that the field takes, and not for want of memory.
    is_bound: bool,
}

/// What was looked at.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Studied {
    #[serde(skip_serializing_if = "Vec::is_empty")]
    studies: Vec<OnMachine>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    largest: Vec<LargestField>,
    /// Which study the goal's point is of, and its number of GPUs.
    #[serde(skip)]
    chosen: Option<(usize, u32)>,
}

/// The job as a goal asks for it, and what was looked at for it.
pub(crate) fn study<'i>(
    input: &'i Input,
    wanted: &Wanted,
    free: FreeAxes,
    margin: Margin,
) -> Result<(Cow<'i, Input>, Studied), Failure> {
    let goal = match wanted.aim(input) {
        None => return Ok((Cow::Borrowed(input), Studied::default())),
        Some(Aim::Extent(extent)) => return enlarged(input, extent, free, margin),
        Some(Aim::Goal(goal)) => goal,
    };
    let (inputs, mut studies) = studies(input, &wanted.places, free, margin, Mode::Strong)?;
    if let (Goal::Deadline(most), []) = (goal, wanted.places.named_gpus().as_slice()) {
        for (on, input) in studies.iter_mut().zip(&inputs) {
            on.study = on.study.clone().refined(&input.predictor(), &input.scenario, free, margin, most);
        }
    }
    let plain: Vec<Study> = studies.iter().map(|on| on.study.clone()).collect();
    let found = best(&plain, goal).and_then(|(of, point)| Some((of, point, inputs.get(of)?)));
    let Some((of, point, moved)) = found else {
        return Err(vec!["None of these GPU counts reaches the goal. Try others with --gpus.".to_owned()]);
    };
    let chosen = taken_over(moved, &point.scenario);
    Ok((Cow::Owned(chosen), Studied { studies, largest: Vec::new(), chosen: Some((of, point.gpus)) }))
}

/// The job on every machine, and what the best layouts are on its numbers of GPUs.
fn studies(
    input: &Input,
    places: &Places,
    free: FreeAxes,
    margin: Margin,
    mode: Mode,
) -> Result<(Vec<Input>, Vec<OnMachine>), Failure> {
    let gpus = places.gpus(input);
    let own = input.scenario.software.stack;
    let on = |(machine, input): (String, Input)| {
        let stack = input.scenario.software.stack;
        let software = (stack != own).then(|| stack.name());
        let study = studied(&input.predictor(), &input.scenario, free, margin, mode, &gpus);
        (input, OnMachine { machine, software, study })
    };
    Ok(places.machines(input)?.into_iter().map(on).unzip())
}

/// The best layouts on several numbers of GPUs and machines, without a goal.
pub(crate) fn of_places(
    input: &Input,
    places: &Places,
    margin: Margin,
    mode: Mode,
) -> Result<Studied, Failure> {
    let (_, studies) = studies(input, places, FreeAxes::default(), margin, mode)?;
    Ok(Studied { studies, ..Studied::default() })
}

/// The job as large as fits.
fn enlarged<'i>(
    input: &Input,
    extent: Extent,
    free: FreeAxes,
    margin: Margin,
) -> Result<(Cow<'i, Input>, Studied), Failure> {
    let found = largest(&input.predictor(), &input.scenario, free, margin, extent);
    let Largest { point: found, is_bound } =
        found.ok_or_else(|| vec!["No layout fits with headroom at any size.".to_owned()])?;
    let keys: &[&str] = match extent {
        Extent::Context => &["seq", "gb"],
        Extent::Layers => &["layers"],
        Extent::MicroBatch => &["mb"],
    };
    let fields = keys.iter().filter_map(|key| Field::find(key));
    let largest = fields.map(|field| LargestField {
        field: field.key,
        asked: field.canonical(&input.scenario),
        found: field.canonical(&found.scenario),
        is_bound: is_bound && Some(&field.key) == keys.first(),
    });
    let studied = Studied { largest: largest.collect(), ..Studied::default() };
    Ok((Cow::Owned(taken_over(input, &found.scenario)), studied))
}

/// An input with the values of another scenario of it.
pub(crate) fn taken_over(input: &Input, scenario: &Scenario) -> Input {
    let mut document = input.document.clone();
    for field in FIELDS.iter().filter(|field| (field.get)(scenario) != (field.get)(&input.scenario)) {
        document.set(field.key, &field.canonical(scenario));
    }
    document.load_plan(&scenario.plan);
    Input::of(document, *scenario, input.chosen)
}

/// What was looked at, in words.
pub(crate) fn study_text(studied: &Studied) -> String {
    let mut out = String::new();
    for (place, LargestField { field, asked, found, is_bound }) in studied.largest.iter().enumerate() {
        let label = Field::find(field).map_or(*field, |field| field.label);
        out.push_str(&match place {
            0 => format!(
                "{label}: {found} is the largest value that fits (search in powers of two from {asked})\n"
            ),
            _ => format!("{label}: {found} instead of {asked}, so that the tokens per step are unchanged\n"),
        });
        if *is_bound {
            out.push_str(&format!("{BOUND}\n"));
        }
    }
    if !studied.studies.is_empty() {
        out.push_str(&points_text(studied));
    }
    for OnMachine { machine, study, .. } in &studied.studies {
        if let Some(point) = study.turn.and_then(|turn| study.points.get(turn)) {
            out.push_str(&format!(
                "{machine}: beyond {} GPUs, marginal scaling efficiency is below 50 %.\n",
                point.gpus
            ));
        }
        if !study.without_layout.is_empty() {
            let gpus: Vec<String> = study.without_layout.iter().map(u32::to_string).collect();
            out.push_str(&format!("{machine}: no layout fits at these GPU counts: {}.\n", gpus.join(", ")));
        }
    }
    if !out.is_empty() {
        out.push('\n');
    }
    out
}

const HEAD: [(&str, CellAlign); 14] = [
    ("machine", CellAlign::Left),
    ("GPUs", CellAlign::Right),
    ("batch", CellAlign::Right),
    ("step", CellAlign::Right),
    ("90 %", CellAlign::Left),
    ("tokens/s", CellAlign::Right),
    ("days", CellAlign::Right),
    ("GPU-hours", CellAlign::Right),
    ("USD", CellAlign::Right),
    ("MWh", CellAlign::Right),
    ("t CO2e", CellAlign::Right),
    ("efficiency", CellAlign::Right),
    ("gain", CellAlign::Right),
    ("layout", CellAlign::Left),
];

fn points_text(studied: &Studied) -> String {
    let mut rows = vec![HEAD.map(|(name, _)| name.to_owned()).to_vec()];
    for (of, OnMachine { machine, software, study }) in studied.studies.iter().enumerate() {
        let name = software.map_or(machine.clone(), |software| format!("{machine} ({software})"));
        rows.extend(study.points.iter().map(|point| {
            let mark = if studied.chosen == Some((of, point.gpus)) { "*" } else { "" };
            vec![
                name.clone(),
                format!("{mark}{}", point.gpus),
                point.global_batch.to_string(),
                duration(point.layout.step),
                format!("{} to {}", duration(point.interval.low), duration(point.interval.high)),
                significant(point.tokens_per_s),
                significant(point.cost.time.days()),
                significant(point.cost.gpu_hours),
                significant(point.cost.usd),
                significant(point.cost.kwh / 1e3),
                significant(point.cost.co2_kg / 1e3),
                percent(point.efficiency),
                percent(point.marginal),
                summary::layout(&point.layout.plan, point.layout.data_parallel).replace('\u{a0}', " "),
            ]
        }));
    }
    text::table(&rows, &HEAD.map(|(_, align)| align))
}
