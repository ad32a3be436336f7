//! All-to-all traffic of mixture-of-experts layers: expectation, spread, and the heaviest rank.

mod pairs;

use crate::root::{PanelProps, problems};
use crate::widgets::controls::Entry;
use crate::widgets::lines::{ChartAxis, LineChart, LineShape, Series};
use pairs::Pairs;
use stepcast::decimal;
use stepcast::error::FieldError;
use stepcast::number;
use stepcast::page_state::experts::{ExpertChoices, job, premise};
use stepcast::traffic::experts::{ExpertJob, ExpertTraffic, Gate};
use stepcast::units::Bytes;
use stepcast_web_kit::sheet::Sheet;
use stepcast_web_kit::{Chart, Plotted};
use yew::prelude::*;

/// Keys of the view state: experts of a layer, ranks that share them, experts of a token, capacity factor,
/// training step.
const KEYS: [&str; 5] = ["experts", "ep", "topk", "cap", "at"];

/// Training steps of the chart over time, over those in which the gate's excess falls to 1/e.
const STEPS: [f64; 10] = [0.0, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0];

/// What the reader chose.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Chosen {
    choices: ExpertChoices,
    step: f64,
}

/// Reads the view state.
fn chosen(props: &PanelProps) -> Result<Chosen, Vec<FieldError>> {
    let default = ExpertChoices::of(&props.forecast.scenario);
    let mut errors = Vec::new();
    let mut number = |key: &'static str, field: &'static str, default: f64, whole: bool| {
        let text = props.state(key).trim();
        let value = if text.is_empty() { Some(default) } else { decimal::parse(text) };
        let value = value.filter(|value| *value >= 0.0 && (!whole || value.fract() == 0.0 && *value < 1e9));
        value.unwrap_or_else(|| {
            let kind = if whole { "a whole number" } else { "a number" };
            errors
                .push(FieldError::new(field, format!("\u{201c}{text}\u{201d} is not valid. Enter {kind}.")));
            default
        })
    };
    let choices = ExpertChoices {
        experts: number(KEYS[0], "experts", default.experts.into(), true) as u32,
        ranks: number(KEYS[1], "ranks", default.ranks.into(), true) as u32,
        top_k: number(KEYS[2], "top_k", default.top_k.into(), true) as u32,
        capacity_factor: (!props.state(KEYS[3]).trim().is_empty())
            .then(|| number(KEYS[3], "capacity_factor", 1.0, false)),
    };
    let step = number(KEYS[4], "step", 0.0, false);
    if errors.is_empty() { Ok(Chosen { choices, step }) } else { Err(errors) }
}

/// The panel.
#[component]
pub(crate) fn ExpertsPanel(props: &PanelProps) -> Html {
    let chosen = chosen(props);
    let drawn = use_memo((props.forecast.clone(), chosen.clone().ok()), |(forecast, chosen)| {
        let Chosen { choices, step } = (*chosen)?;
        let job = job(&forecast.scenario, &choices);
        Some(drawn(&job, step))
    });
    let result = match (&chosen, &*drawn) {
        (Err(errors), _) | (_, Some(Err(errors))) => Err(errors),
        (_, Some(Ok(drawn))) => Ok(Some(drawn)),
        (_, None) => Ok(None),
    };
    let default = ExpertChoices::of(&props.forecast.scenario);
    let entry = |index: usize, field: &str, label: &'static str, default: &str| {
        let errors = result.as_ref().err();
        let wrong = errors.is_some_and(|errors| errors.iter().any(|error| error.field == field));
        let name = KEYS[index];
        html! {
            <Entry panel="experts" {name} {label} value={props.state(name).to_owned()} placeholder={default.to_owned()}
                wrong={wrong.then(|| AttrValue::from("experts-wrong"))} show={&props.show} />
        }
    };
    html! {
        <>
            <p>
                { premise(&props.forecast.scenario) }
                { " Experts are numbered from most to least popular, because their actual order is unknown before training." }
            </p>
            <div class="tools">
                { entry(0, "experts", "Experts", &default.experts.to_string()) }
                { entry(1, "ranks", "Ranks", &default.ranks.to_string()) }
                { entry(2, "top_k", "Per token", &default.top_k.to_string()) }
                { entry(3, "capacity_factor", "Capacity factor", "none") }
                { entry(4, "step", "Training step", "0") }
            </div>
            { match result {
                Ok(Some(drawn)) => shown(drawn, props),
                Ok(None) => html! {},
                Err(errors) => html! { <div id="experts-wrong">{ problems(errors) }</div> },
            } }
        </>
    }
}

/// Everything of one choice.
struct Drawn {
    sentence: String,
    ranks: Plotted,
    pairs: Plotted,
    training: Plotted,
}

fn shown(drawn: &Drawn, props: &PanelProps) -> Html {
    let colours = props.colours;
    html! {
        <>
            <p id="experts-summary">{ &drawn.sentence }</p>
            <Chart id="experts-ranks" level="h4" title="Traffic received by each rank in one all-to-all" plot={&drawn.ranks} {colours} />
            <Chart id="experts-pairs" level="h4" title="Traffic between ranks in one step" plot={&drawn.pairs} {colours} />
            <Chart id="experts-training" level="h4" title="Load balance during training" plot={&drawn.training} {colours} />
        </>
    }
}

fn drawn(job: &ExpertJob, step: f64) -> Result<Drawn, Vec<FieldError>> {
    let gate = Gate::new(&stepcast::constants::Constants::SHIPPED);
    let traffic = ExpertTraffic::new(job, &gate, step)?;
    let training: Result<Vec<_>, _> = STEPS
        .map(|step| step * gate.decay_steps)
        .iter()
        .map(|step| ExpertTraffic::new(job, &gate, *step).map(|traffic| (*step, traffic)))
        .collect();
    Ok(Drawn {
        sentence: sentence(&traffic),
        ranks: Plotted::from(ranks(&traffic)),
        training: Plotted::from(over_training(&training?)),
        pairs: Plotted::from(Pairs(traffic)),
    })
}

/// What the heaviest rank sends over the average.
fn imbalance(traffic: &ExpertTraffic) -> f64 {
    let mean = traffic.total().mean.0 / f64::from(traffic.ranks().max(1));
    if mean > 0.0 { traffic.sent(traffic.heaviest).mean.0 / mean } else { 1.0 }
}

fn sentence(traffic: &ExpertTraffic) -> String {
    let heaviest = traffic.sent(traffic.heaviest);
    let (low, high) = heaviest.ninety_percent();
    let dropped = if traffic.dropped > 0.0 {
        format!(
            " {} of the routed tokens exceed the capacity and are dropped.",
            number::percent(traffic.dropped)
        )
    } else {
        String::new()
    };
    format!(
        "Rank {} has the most traffic: {} per step (90 % range {} to {}), {} times the average. Each token is sent to {} experts on average. Within one all-to-all, the largest message is {} larger than the smallest (non-uniform factor), a difference of {} of the mean message.{dropped}",
        traffic.heaviest,
        number::traffic(heaviest.mean),
        number::traffic(low),
        number::traffic(high),
        number::significant(imbalance(traffic), 3),
        number::significant(traffic.choices, 3),
        number::traffic(traffic.non_uniform),
        number::percent(traffic.non_uniform_relative),
    )
}

fn ranks(traffic: &ExpertTraffic) -> LineChart {
    let bands: Vec<_> = (0..traffic.ranks()).map(|rank| (rank, traffic.one_all_to_all(rank))).collect();
    let last = f64::from(traffic.ranks().saturating_sub(1)).max(1.0);
    let greatest = bands.iter().map(|band| band.1.ninety_percent().1.0).fold(0.0, f64::max);
    let rows = bands.iter().map(|(rank, band)| {
        let name =
            if *rank == traffic.heaviest { format!("{rank} (most traffic)") } else { rank.to_string() };
        let step = traffic.sent(*rank);
        let sizes = [band, &step].map(|band| {
            let (low, high) = band.ninety_percent();
            [band.mean, low, high].map(|bytes| number::traffic(bytes).to_string())
        });
        ("", std::iter::once(name).chain(sizes.into_iter().flatten()).collect())
    });
    let every = (traffic.ranks() / 16).max(1) as usize;
    let ticks = (0..traffic.ranks()).step_by(every).map(|rank| (f64::from(rank), rank.to_string()));
    let heaviest = traffic.one_all_to_all(traffic.heaviest);
    LineChart {
        series: vec![Series {
            label: "Expected value with 90 % range".to_owned(),
            points: bands.iter().map(|(rank, band)| (f64::from(*rank), band.mean.0)).collect(),
            spread: bands
                .iter()
                .map(|(_, band)| band.ninety_percent())
                .map(|(low, high)| (low.0, high.0))
                .collect(),
            shape: LineShape::Straight,
        }],
        x: ChartAxis {
            label: "Receiving rank".to_owned(),
            ticks: ticks.collect(),
            range: (0.0, last),
            logarithmic: false,
        },
        y: ChartAxis::from_zero("", greatest, |bytes, _| number::short(&number::traffic(Bytes(bytes)))),
        turn: None,
        summary: format!(
            "Rank {} receives the most traffic: {} from each rank in one all-to-all (90 % range {} to {}).",
            traffic.heaviest,
            number::traffic(heaviest.mean),
            number::traffic(heaviest.ninety_percent().0),
            number::traffic(heaviest.ninety_percent().1),
        ),
        table: Sheet {
            id: "experts-table",
            caption: "Traffic received by each rank in one all-to-all, and traffic sent by each rank in one step, with 90 % ranges"
                .to_owned(),
            head: vec!["Rank", "All-to-all", "From", "To", "Step", "From", "To"],
            words: &[0],
            rows: rows.collect(),
        },
    }
}

fn over_training(steps: &[(f64, ExpertTraffic)]) -> LineChart {
    type Line = (&'static str, fn(&ExpertTraffic) -> f64);
    const LINES: [Line; 2] = [
        ("Heaviest rank / average", imbalance),
        ("Non-uniform factor / mean", |traffic| traffic.non_uniform_relative),
    ];
    let greatest = steps.iter().flat_map(|step| LINES.map(|line| line.1(&step.1))).fold(0.0, f64::max);
    let series = LINES.iter().map(|(label, value)| Series {
        label: (*label).to_owned(),
        points: steps.iter().map(|(step, traffic)| (*step, value(traffic))).collect(),
        spread: Vec::new(),
        shape: LineShape::Straight,
    });
    let rows = steps.iter().map(|(step, traffic)| {
        let values = LINES.map(|line| number::significant(line.1(traffic), 3));
        let choices = number::significant(traffic.choices, 3);
        ("", std::iter::once(number::fixed(*step, 0)).chain(values).chain([choices]).collect())
    });
    let (first, last) = (steps.first(), steps.last());
    let at = |entry: Option<&(f64, ExpertTraffic)>| {
        number::significant(entry.map_or(1.0, |entry| imbalance(&entry.1)), 3)
    };
    LineChart {
        series: series.collect(),
        x: ChartAxis::from_zero("Training step", last.map_or(1.0, |entry| entry.0), number::fixed),
        y: ChartAxis::from_zero("", greatest, number::fixed),
        turn: None,
        summary: format!(
            "The load-balancing loss reduces the imbalance: the rank with the most traffic sends {} times the average at the start of training, and {} times the average at the end.",
            at(first),
            at(last),
        ),
        table: Sheet {
            id: "training-table",
            caption: "Load imbalance by training step".to_owned(),
            head: vec!["Training step", LINES[0].0, LINES[1].0, "Experts per token"],
            words: &[],
            rows: rows.collect(),
        },
    }
}
