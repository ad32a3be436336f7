//! Why more data parallelism stops paying: the same job on more and more GPUs.

use crate::root::{PanelProps, problems};
use crate::widgets::controls::{Pick, entries};
use crate::widgets::lines::{ChartAxis, LineChart, LineShape, Series};
use stepcast::number;
use stepcast::scaling::{Mode, ScalingCurve, ScalingPoint, doublings, scaling};
use stepcast::units::Seconds;
use stepcast_web_kit::sheet::Sheet;
use stepcast_web_kit::{Chart, Plotted};
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

/// The panel.
#[component]
pub(crate) fn ScalingPanel(props: &PanelProps) -> Html {
    let mode = props.state(MODE).to_owned();
    let plot = use_memo((props.forecast.clone(), mode.clone()), |(forecast, mode)| {
        let scenario = &forecast.scenario;
        let kept = if mode == "strong" { Mode::Strong } else { Mode::Weak };
        scaling(&forecast.predictor(), scenario, kept, &doublings(scenario)).map(|curve| drawn(&curve))
    });
    let colours = props.colours;
    let modes =
        [("", "Weak scaling: batch grows with the GPUs"), ("strong", "Strong scaling: fixed global batch")];
    html! {
        <>
            <div class="tools">
                <Pick panel="scaling" name={MODE} label="Scaling" value={mode} entries={entries(&modes)} show={&props.show} />
            </div>
            { match &*plot {
                Ok(Drawn { shares, throughput, step }) => html! {
                    <>
                        <p>{ shares.summary() }</p>
                        <Chart id="scaling-chart" level="h4" title="Efficiency by number of GPUs" plot={shares} {colours} />
                        <Chart id="throughput-chart" level="h4" title="Throughput by number of GPUs" plot={throughput} {colours} />
                        <Chart id="step-chart" level="h4" title="Step time by number of GPUs" plot={step} {colours} />
                    </>
                },
                Err(errors) => problems(errors),
            } }
        </>
    }
}

/// The charts of one curve.
struct Drawn {
    shares: Plotted,
    throughput: Plotted,
    step: Plotted,
}

fn drawn(curve: &ScalingCurve) -> Drawn {
    let points = &curve.points;
    let gpus = |point: &ScalingPoint| f64::from(point.gpus);
    let turn = curve.turn.and_then(|index| points.get(index));
    let summary = match turn {
        Some(point) => format!(
            "Beyond {} GPUs, marginal scaling efficiency is below 50 %.",
            number::integer(point.gpus.into())
        ),
        None => "Marginal scaling efficiency stays above 50 %.".to_owned(),
    };
    let series = |label: &str, value: &dyn Fn(&ScalingPoint) -> f64| Series {
        label: label.to_owned(),
        points: points.iter().map(|point| (gpus(point), value(point))).collect(),
        spread: Vec::new(),
        shape: LineShape::Straight,
    };
    let lines = |series: Vec<Series>, y: ChartAxis| {
        let ticks = points.iter().map(|point| (gpus(point), number::fixed(gpus(point), 0)));
        let range = (points.first().map_or(1.0, gpus), points.last().map_or(1.0, gpus));
        Plotted::from(LineChart {
            series,
            x: ChartAxis { label: "GPUs".to_owned(), ticks: ticks.collect(), range, logarithmic: true },
            y,
            turn: turn.map(|point| (gpus(point), "turn".to_owned())),
            summary: summary.clone(),
            table: table(curve, &summary),
        })
    };
    let greatest = |value: fn(&ScalingPoint) -> f64| points.iter().map(value).fold(0.0, f64::max);
    let rate = points.first().map_or(0.0, |first| first.tokens_per_s / gpus(first));
    let ideal = |point: &ScalingPoint| rate * gpus(point);
    let rates = (rate * points.first().map_or(1.0, gpus), rate * points.last().map_or(1.0, gpus));
    Drawn {
        shares: lines(
            LINES.iter().map(|(label, value)| series(label, value)).collect(),
            ChartAxis::shares(""),
        ),
        throughput: lines(
            vec![series("Forecast", &|point| point.tokens_per_s), series("Ideal linear scaling", &ideal)],
            ChartAxis::powers("Tokens per second", rates, 10.0, |value| number::short(&number::count(value))),
        ),
        step: lines(
            vec![series("Step", &|point| point.step.0)],
            ChartAxis::from_zero("", greatest(|point| point.step.0), |value, _| {
                number::short(&number::time(Seconds(value)))
            }),
        ),
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
        id: "",
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
