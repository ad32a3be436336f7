//! Why more data parallelism stops paying: the same job on more and more GPUs.

use crate::controls::{Pick, entries};
use crate::front::{Chart, Plotted};
use crate::lines::{Axis, Lines, Series};
use crate::root::{PartProps, problems};
use crate::sheet::Sheet;
use stepcast::scaling::{Mode, ScalingCurve, ScalingPoint, doublings, scaling};
use stepcast::view::number;
use yew::prelude::*;

/// Key of the view state: `strong` keeps the global batch as GPUs are added.
const MODE: &str = "scaling";

/// A line of the chart: its label, and its value at a point.
type Line = (&'static str, fn(&ScalingPoint) -> f64);

const LINES: [Line; 4] = [
    ("Efficiency", |point| point.efficiency),
    ("Communication share", |point| point.communication_share),
    ("Data-parallel share", |point| point.data_share),
    ("Bubble share", |point| point.bubble_share),
];

/// The part.
#[component]
pub(crate) fn Scaling(props: &PartProps) -> Html {
    let mode = props.state(MODE).to_owned();
    let plot = use_memo((props.forecast.clone(), mode.clone()), |(forecast, mode)| {
        let scenario = &forecast.scenario;
        let kept = if mode == "strong" { Mode::Strong } else { Mode::Weak };
        scaling(scenario, kept, &doublings(scenario)).map(|curve| Plotted::from(chart(&curve)))
    });
    let modes = [("", "Weak: the batch grows with the GPUs"), ("strong", "Strong: the batch stays")];
    html! {
        <>
            <div class="tools">
                <Pick part="scaling" name={MODE} label="Scaling" value={mode} entries={entries(&modes)} show={&props.show} />
            </div>
            { match &*plot {
                Ok(plot) => html! {
                    <>
                        <p>{ plot.summary() }</p>
                        <Chart id="scaling-chart" level="h4" title="Efficiency by number of GPUs" {plot} colours={props.colours} />
                    </>
                },
                Err(errors) => problems(errors),
            } }
        </>
    }
}

fn chart(curve: &ScalingCurve) -> Lines {
    let points = &curve.points;
    let (low, high) = (points.first(), points.last());
    let range =
        (low.map_or(1.0, |point| f64::from(point.gpus)), high.map_or(1.0, |point| f64::from(point.gpus)));
    let turn = curve.turn.and_then(|index| points.get(index));
    let summary = match turn {
        Some(point) => format!(
            "Beyond {} GPUs, twice as many bring less than half of what they ideally would.",
            number::integer(point.gpus.into())
        ),
        None => "Over this range, added GPUs bring at least half of what they ideally would.".to_owned(),
    };
    let series = LINES.iter().map(|(label, value)| Series {
        label: (*label).to_owned(),
        points: points.iter().map(|point| (f64::from(point.gpus), value(point))).collect(),
        spread: Vec::new(),
        stepped: false,
    });
    let name = |gpus: f64| number::fixed(gpus, 0);
    let ticks = points.iter().map(|point| (f64::from(point.gpus), name(f64::from(point.gpus)))).collect();
    Lines {
        series: series.collect(),
        x: Axis { label: "GPUs".to_owned(), ticks, range, logarithmic: true },
        y: Axis::shares(""),
        turn: turn.map(|point| (f64::from(point.gpus), "turn".to_owned())),
        table: table(curve, &summary),
        summary,
    }
}

fn table(curve: &ScalingCurve, summary: &str) -> Sheet {
    let rows = curve.points.iter().enumerate().map(|(index, point)| {
        let cells = vec![
            number::integer(point.gpus.into()),
            number::integer(point.global_batch.into()),
            number::time(point.step).to_string(),
            number::count(point.tokens_per_s).to_string(),
            number::percent(point.efficiency).to_string(),
            number::percent(point.communication_share).to_string(),
            number::percent(point.data_share).to_string(),
            number::percent(point.bubble_share).to_string(),
        ];
        (if curve.turn == Some(index) { "total" } else { "" }, cells)
    });
    Sheet {
        id: "scaling-table",
        caption: summary.to_owned(),
        head: vec![
            "GPUs",
            "Global batch",
            "Step",
            "Tokens per second",
            "Efficiency",
            "Communication",
            "Data parallel",
            "Bubble",
        ],
        words: &[],
        rows: rows.collect(),
    }
}
