//! The number formats that a job could be trained in, searched one after the other.

use crate::input::Input;
use crate::layouts::{Entry, entry};
use crate::text::{self, CellAlign, duration, percent, significant};
use serde::Serialize;
use std::borrow::Cow;
use stepcast::fields::Field;
use stepcast::scenario::Scenario;
use stepcast::tuner::{FreeAxes, Margin, StudyPoint, by_precision};

/// Key of the field.
pub(crate) const KEY: &str = "prec";

/// The best layout in one number format, in the JSON form.
#[derive(Debug, Serialize)]
pub(crate) struct Format {
    precision: String,
    low_s: f64,
    high_s: f64,
    #[serde(flatten)]
    layout: Entry,
}

/// The best layout in each number format that GPU and software have, the fastest first.
pub(crate) fn formats(input: &Input, free: FreeAxes, margin: Margin) -> Vec<StudyPoint> {
    by_precision(&input.predictor(), &input.scenario, free, margin)
}

/// The job in the format of the fastest layout; as it is where none is known.
pub(crate) fn fastest<'i>(input: Cow<'i, Input>, formats: &[StudyPoint]) -> Cow<'i, Input> {
    match formats.first() {
        Some(point) => Cow::Owned(in_format(&input, &point.scenario)),
        None => input,
    }
}

fn in_format(input: &Input, scenario: &Scenario) -> Input {
    let mut document = input.document.clone();
    document.set(KEY, &name(scenario));
    document.load_plan(&scenario.plan);
    Input::of(document, *scenario, input.chosen)
}

fn name(scenario: &Scenario) -> String {
    Field::find(KEY).map(|field| field.canonical(scenario)).unwrap_or_default()
}

/// The rows of the JSON form.
pub(crate) fn entries(input: &Input, formats: &[StudyPoint]) -> Vec<Format> {
    let of = |point: &StudyPoint| Format {
        precision: name(&point.scenario),
        low_s: point.interval.low.0,
        high_s: point.interval.high.0,
        layout: entry(&in_format(input, &point.scenario), &point.layout),
    };
    formats.iter().map(of).collect()
}

/// A table of the formats; nothing where none was asked for.
pub(crate) fn text(formats: &[StudyPoint]) -> String {
    if formats.is_empty() {
        return String::new();
    }
    let head = ["precision", "step", "from", "to", "MFU", "GiB", "tp", "cp", "pp", "mb"];
    let mut rows = vec![head.map(str::to_owned).to_vec()];
    rows.extend(formats.iter().map(|point| {
        let plan = &point.layout.plan;
        vec![
            name(&point.scenario),
            duration(point.layout.step),
            duration(point.interval.low),
            duration(point.interval.high),
            percent(point.layout.mfu),
            significant(point.layout.peak_memory.gib()),
            plan.tensor_parallel.to_string(),
            plan.context_parallel.to_string(),
            plan.pipeline_parallel.to_string(),
            plan.micro_batch.to_string(),
        ]
    }));
    let mut aligned = [CellAlign::Right; 10];
    aligned[0] = CellAlign::Left;
    let mut out = text::table(&rows, &aligned);
    out.push_str(
        "Best layout for each precision that GPU and software support. The table below uses the fastest precision.\n\n",
    );
    out
}
