//! Why a layout wins, what would change that, what none beats, and where it pays: questions that a worker searches the
//! answers of.
//!
//! In: `["plan", link]`, whose view state is the question. Out: `[answer]` as JSON, or a text that says what went wrong.

use crate::root::PanelProps;
use crate::widgets::compare::compare;
use crate::widgets::controls::{Pick, entries};
use crate::widgets::lines::{ChartAxis, LineChart, LineShape, Series};
use crate::worker::{self, WordReader, WorkerSlot, WorkerWord};
use js_sys::Array;
use std::rc::Rc;
use stepcast::number;
use stepcast::page_state::planning::{
    AMOUNTS, EXTENT, MODE, PlanningAnswer, QUESTION, Question, ToldAxis, ToldChart, ToldTable, WITH, answer,
    machines, machines_with, request,
};
use stepcast::page_state::scale;
use stepcast::scenario::cluster::presets::{CLUSTERS, find, name_of};
use stepcast::tuner::Amount;
use stepcast::units::Seconds;
use stepcast_web_kit::hooks::use_effect_with;
use stepcast_web_kit::sheet::Sheet;
use stepcast_web_kit::{Chart, Plotted};
use wasm_bindgen::JsValue;
use yew::prelude::*;

/// What a request begins with.
pub(crate) const PLAN: &str = "plan";

/// The worker's side: answers one question.
pub(crate) fn answered(message: &Array) -> JsValue {
    match answer(&message.get(1).as_string().unwrap_or_default()) {
        Ok(told) => Array::of1(&serde_json::to_string(&told).unwrap_or_default().into()).into(),
        Err(sentence) => sentence.into(),
    }
}

/// Ids of the charts of an answer.
const IDS: [&str; 4] = ["planning-chart", "planning-chart-2", "planning-chart-3", "planning-chart-4"];

/// What is known of an answer.
#[derive(Clone, PartialEq)]
pub(crate) enum AnswerState {
    Asked,
    Answered(Rc<PlanningAnswer>),
    Failed(String),
}

/// The answer to a request, which a worker looks for; without a request, none.
#[hook]
pub(crate) fn use_answer(link: Option<String>) -> AnswerState {
    let state = use_state_eq(|| AnswerState::Asked);
    let setter = state.setter();
    use_effect_with(link, move |link| {
        setter.set(AnswerState::Asked);
        let worker = link.as_ref().map(|link| ask(link, &Callback::from(move |told| setter.set(told))));
        move || drop(worker)
    });
    (*state).clone()
}

/// What is known of an answer, with a button at every layout that it names.
fn shown(state: &AnswerState, props: &PanelProps) -> Html {
    match state {
        AnswerState::Asked => html! { <p role="status">{ "Searching all layouts\u{2026}" }</p> },
        AnswerState::Failed(sentence) => html! { <p class="error">{ sentence }</p> },
        AnswerState::Answered(told) => drawn(told, props),
    }
}

/// How many GPUs meet the deadline, and what the budget buys.
#[component]
pub(crate) fn GoalPanel(props: &PanelProps) -> Html {
    let mut document = (*props.document).clone();
    document.set_extra(QUESTION, Question::GOAL);
    let state = use_answer(Some(request(&props.forecast.scenario, &document)));
    html! {
        <section class="goal" aria-label="Deadline and budget">{ shown(&state, props) }</section>
    }
}

/// The panel.
#[component]
pub(crate) fn PlanningPanel(props: &PanelProps) -> Html {
    let state = use_answer(Some(request(&props.forecast.scenario, &props.document)));
    let questions: Vec<(&str, &str)> = Question::ALL.iter().map(|(_, name, label)| (*name, *label)).collect();
    let name = props.state(QUESTION);
    html! {
        <>
            <div class="tools">
                <Pick panel="planning" name={QUESTION} label="Question" value={name.to_owned()} entries={entries(&questions)}
                    show={&props.show} />
                { match Question::find(name) {
                    Question::Front => fronts(props),
                    Question::Gpus => places(props),
                    Question::Largest => pick(props, EXTENT, "Maximize", &EXTENTS),
                    Question::Why | Question::WhatIf | Question::Histogram | Question::Goal => html! {},
                } }
            </div>
            { shown(&state, props) }
        </>
    }
}

/// What can be made as large as fits: fields by their keys.
const EXTENTS: [(&str, &str); 3] =
    [("", "Sequence length"), ("layers", "Number of layers"), ("mb", "Micro-batch")];

/// A list of choices of the view state; the first one is meant where nothing is chosen.
fn pick(
    props: &PanelProps,
    key: &'static str,
    label: &'static str,
    list: &[(&'static str, &'static str)],
) -> Html {
    let value = props.state(key).to_owned();
    html! { <Pick panel="planning" name={key} {label} {value} entries={entries(list)} show={&props.show} /> }
}

/// The two amounts of a front.
fn fronts(props: &PanelProps) -> Html {
    let names = |usual: Amount| {
        let usual_first = |entry: &&(Amount, &str, &str)| entry.0 != usual;
        let mut all: Vec<_> = Amount::ALL.iter().collect();
        all.sort_by_key(usual_first);
        all.iter()
            .map(|(amount, name, label)| (if *amount == usual { "" } else { *name }, *label))
            .collect::<Vec<_>>()
    };
    let [x, y] = AMOUNTS;
    html! {
        <>
            { pick(props, x, "X axis", &names(Amount::Memory)) }
            { pick(props, y, "Y axis", &names(Amount::Time)) }
        </>
    }
}

/// What is kept constant as GPUs are added, and machines to compare with.
fn places(props: &PanelProps) -> Html {
    let chosen = machines(&props.document);
    let own = name_of(&props.forecast.scenario.cluster);
    let others = CLUSTERS.iter().filter(|preset| own != Some(preset.name) && !chosen.contains(&preset.name));
    let mut list: Vec<(AttrValue, AttrValue)> = vec![("".into(), "Add a machine".into())];
    list.extend(others.map(|preset| (preset.name.into(), preset.label.into())));
    let with = {
        let (document, show) = (props.document.clone(), props.show.clone());
        Callback::from(move |(key, name): (&'static str, String)| {
            show.emit((key, machines_with(&document, &name)))
        })
    };
    let modes =
        [("", "Strong scaling: fixed global batch"), ("weak", "Weak scaling: fixed batch per replica")];
    html! {
        <>
            { pick(props, MODE, "Scaling", &modes) }
            <Pick key={chosen.join(",")} panel="planning" name={WITH} label="Compare with" value="" entries={list} show={&with} />
            for name in chosen.iter().copied() {
                <button key={name} type="button" class="chip" aria-pressed="true" onclick={
                    let (with, name) = (with.clone(), name.to_owned());
                    Callback::from(move |_: MouseEvent| with.emit((WITH, name.clone())))
                }>{ format!("{} \u{d7}", find(name).map_or(name, |preset| preset.label)) }</button>
            }
        </>
    }
}

/// An answer, with buttons at every layout that it names.
fn drawn(told: &PlanningAnswer, props: &PanelProps) -> Html {
    const RECOMMENDED: &str = "the recommended layout";
    html! {
        <>
            for sentence in &told.sentences {
                <p>{ sentence }</p>
            }
            if !told.link.is_empty() {
                <p class="row-acts">
                    { take("Use this layout", "Use this layout".to_owned(), &told.link, &props.begin) }
                    { compare(&told.link, RECOMMENDED, props) }
                </p>
            }
            for (index, chart) in told.charts.iter().enumerate() {
                <Chart key={index} id={*IDS.get(index).unwrap_or(&IDS[0])} level="h4" title={chart.title.clone()}
                    plot={plotted(chart)} colours={props.colours} />
            }
            for table in &told.tables {
                { sheet(table, props) }
            }
        </>
    }
}

fn take(text: &'static str, name: String, link: &str, begin: &Callback<String>) -> Html {
    let (link, begin) = (link.to_owned(), begin.clone());
    let click = Callback::from(move |_: MouseEvent| begin.emit(link.clone()));
    html! { <button type="button" class="quiet" aria-label={name} onclick={click}>{ text }</button> }
}

fn sheet(table: &ToldTable, props: &PanelProps) -> Html {
    let buttons = table.rows.iter().any(|row| !row.link.is_empty());
    html! {
        <div class="table-frame" tabindex="0" role="group" aria-label={table.caption.clone()}>
            <table class="data">
                <caption>{ &table.caption }</caption>
                <thead>
                    <tr>
                        for (index, text) in table.head.iter().enumerate() {
                            <th key={index} scope="col">{ text }</th>
                        }
                        if buttons {
                            <td></td>
                        }
                    </tr>
                </thead>
                <tbody>
                    for (index, row) in table.rows.iter().enumerate() {
                        <tr key={index} class={row.strong.then_some("total")}>
                            for (column, text) in row.cells.iter().enumerate() {
                                if column == 0 {
                                    <th scope="row">{ text }</th>
                                } else {
                                    <td>{ text }</td>
                                }
                            }
                            if buttons && row.link.is_empty() {
                                <td></td>
                            } else if buttons {
                                <td><span class="row-acts">
                                    { take("Use", format!("Use {}", row.cells.join(", ")), &row.link, &props.begin) }
                                    { compare(&row.link, &row.cells.join(", "), props) }
                                </span></td>
                            }
                        </tr>
                    }
                </tbody>
            </table>
        </div>
    }
}

fn plotted(chart: &ToldChart) -> Plotted {
    let points = || chart.series.iter().flat_map(|line| line.points.iter().copied());
    let spreads = chart.series.iter().flat_map(|line| line.spread.iter().map(|ends| ends.1));
    let least = points().map(|point| point.0).fold(f64::INFINITY, f64::min);
    let most = points().map(|point| point.0).fold(0.0, f64::max);
    let greatest = points().map(|point| point.1).chain(spreads).fold(0.0, f64::max);
    let lowest = points().map(|point| point.1).fold(f64::INFINITY, f64::min);
    let plain = |value: f64| number::significant(value, 3);
    let time = |value: f64| number::short(&number::time(Seconds(value)));
    let bars = chart.axis == ToldAxis::Bars;
    let x = match chart.axis {
        ToldAxis::Fitted => ChartAxis::fitted(chart.x.clone(), (least, most), number::fixed),
        ToldAxis::Doubling => {
            let ticks = points().map(|point| (point.0, number::fixed(point.0, 0)));
            let mut ticks: Vec<(f64, String)> = ticks.collect();
            ticks.sort_by(|one, other| one.0.total_cmp(&other.0));
            ticks.dedup_by(|one, other| one.0 == other.0);
            ChartAxis { label: chart.x.clone(), ticks, range: (least, most), logarithmic: true }
        }
        ToldAxis::Bars => {
            let ticks =
                scale::powers(least, most, 2.0).into_iter().map(|value| (value, time(value))).collect();
            ChartAxis { label: chart.x.clone(), ticks, range: (least, most), logarithmic: true }
        }
    };
    let across = |value: f64| if bars { time(value) } else { plain(value) };
    let rows = chart.series.iter().flat_map(|line| {
        line.points.iter().map(|(x, y)| ("", vec![line.label.clone(), across(*x), plain(*y)]))
    });
    Plotted::from(LineChart {
        series: chart
            .series
            .iter()
            .map(|line| Series {
                label: line.label.clone(),
                points: line.points.clone(),
                spread: line.spread.clone(),
                shape: if bars { LineShape::Bars } else { LineShape::Straight },
            })
            .collect(),
        x,
        y: match chart.axis {
            ToldAxis::Fitted => ChartAxis::fitted(chart.y.clone(), (lowest, greatest), number::fixed),
            // Room for the word at a place that is pointed out.
            ToldAxis::Bars => ChartAxis::from_zero(chart.y.clone(), 1.15 * greatest, number::fixed),
            ToldAxis::Doubling => ChartAxis::from_zero(chart.y.clone(), greatest, number::fixed),
        },
        turn: chart.mark.clone(),
        summary: format!("{}: {} points, maximum {}.", chart.title, points().count(), plain(greatest)),
        table: Sheet {
            caption: format!("{}: X axis {}, Y axis {}", chart.title, chart.x, chart.y),
            head: vec!["Series", "X", "Y"],
            rows: rows.collect(),
            ..Sheet::default()
        },
    })
}

/// Asks a worker; what is returned ends it when it is dropped.
fn ask(link: &str, tell: &Callback<AnswerState>) -> Ended {
    let worker = WorkerSlot::default();
    let request = Array::of2(&PLAN.into(), &link.into());
    worker::ask(&worker, request, WordReader { word, failed: AnswerState::Failed }, tell);
    Ended(worker)
}

/// Ends a worker when it is dropped, however many closures still know of it.
struct Ended(WorkerSlot);

impl Drop for Ended {
    fn drop(&mut self) {
        drop(self.0.take());
    }
}

fn word(data: &JsValue) -> WorkerWord<AnswerState> {
    let text = Array::from(data).get(0).as_string().unwrap_or_default();
    let unreadable = |_| AnswerState::Failed("The worker returned an invalid response.".to_owned());
    WorkerWord::Last(
        serde_json::from_str(&text).map_or_else(unreadable, |told| AnswerState::Answered(Rc::new(told))),
    )
}
