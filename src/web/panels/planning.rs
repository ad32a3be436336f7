//! Why a layout wins, what would change that, and on how many GPUs: questions that a worker searches the answers of.
//!
//! In: `["plan", question, link]`. Out: `[answer]` as JSON, or a text that says what went wrong.

use crate::root::PanelProps;
use crate::widgets::controls::{Pick, entries};
use crate::widgets::lines::{Axis, Lines, Series, Shape};
use crate::widgets::sheet::Sheet;
use crate::worker::{self, Reading, Word, Worker};
use js_sys::Array;
use std::rc::Rc;
use stepcast::document::Document;
use stepcast::number;
use stepcast::page_state::planning::{Question, Told, ToldChart, ToldTable, answer};
use stepcast_web_kit::{Chart, Colours, Plotted};
use wasm_bindgen::JsValue;
use yew::prelude::*;

/// What a request begins with.
pub(crate) const PLAN: &str = "plan";
/// Key of the view state: the question's name.
const QUESTION: &str = "planning";

/// The worker's side: answers one question.
pub(crate) fn answered(message: &Array) -> JsValue {
    let text = |index| message.get(index).as_string().unwrap_or_default();
    match answer(&text(2), Question::find(&text(1))) {
        Ok(told) => Array::of1(&serde_json::to_string(&told).unwrap_or_default().into()).into(),
        Err(sentence) => sentence.into(),
    }
}

/// Ids of the charts of an answer.
const IDS: [&str; 2] = ["planning-chart", "planning-chart-2"];

/// What is known of an answer.
#[derive(Clone, PartialEq)]
enum State {
    Asked,
    Told(Rc<Told>),
    Failed(String),
}

/// The panel.
#[component]
pub(crate) fn PlanningPanel(props: &PanelProps) -> Html {
    let name = props.state(QUESTION).to_owned();
    let state = use_state_eq(|| State::Asked);
    let link = Document::from_scenario(&props.forecast.scenario).to_link();
    {
        let setter = state.setter();
        use_effect_with((name.clone(), link), move |(name, link)| {
            setter.set(State::Asked);
            let worker = ask(name, link, &Callback::from(move |told| setter.set(told)));
            move || drop(worker)
        });
    }
    let questions: Vec<(&str, &str)> = Question::ALL.iter().map(|(_, name, label)| (*name, *label)).collect();
    html! {
        <>
            <div class="tools">
                <Pick panel="planning" name={QUESTION} label="Question" value={name} entries={entries(&questions)}
                    show={&props.show} />
            </div>
            { match &*state {
                State::Asked => html! { <p role="status">{ "Searching all layouts\u{2026}" }</p> },
                State::Failed(sentence) => html! { <p class="error">{ sentence }</p> },
                State::Told(told) => drawn(told, props.colours, &props.begin),
            } }
        </>
    }
}

/// An answer, with a button at every layout that it names.
fn drawn(told: &Told, colours: Colours, begin: &Callback<String>) -> Html {
    html! {
        <>
            for sentence in &told.sentences {
                <p>{ sentence }</p>
            }
            if !told.link.is_empty() {
                <p>{ take("Use this layout", "Use this layout".to_owned(), &told.link, begin) }</p>
            }
            for (index, chart) in told.charts.iter().enumerate() {
                <Chart key={index} id={*IDS.get(index).unwrap_or(&IDS[0])} level="h4" title={chart.title.clone()}
                    plot={plotted(chart)} {colours} />
            }
            for table in &told.tables {
                { sheet(table, begin) }
            }
        </>
    }
}

fn take(text: &'static str, name: String, link: &str, begin: &Callback<String>) -> Html {
    let (link, begin) = (link.to_owned(), begin.clone());
    let click = Callback::from(move |_: MouseEvent| begin.emit(link.clone()));
    html! { <button type="button" class="quiet" aria-label={name} onclick={click}>{ text }</button> }
}

fn sheet(table: &ToldTable, begin: &Callback<String>) -> Html {
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
                            if buttons {
                                <td>{ take("Use", format!("Use {}", row.cells.join(", ")), &row.link, begin) }</td>
                            }
                        </tr>
                    }
                </tbody>
            </table>
        </div>
    }
}

fn plotted(chart: &ToldChart) -> Plotted {
    let points = || chart.series.iter().flat_map(|line| line.1.iter().copied());
    let least = points().map(|point| point.0).fold(f64::INFINITY, f64::min);
    let most = points().map(|point| point.0).fold(0.0, f64::max);
    let greatest = points().map(|point| point.1).fold(0.0, f64::max);
    let plain = |value: f64| number::significant(value, 3);
    let x = if chart.logarithmic {
        let ticks = points().map(|point| (point.0, number::fixed(point.0, 0))).collect();
        Axis { label: chart.x.clone(), ticks, range: (least, most), logarithmic: true }
    } else {
        Axis::from_zero(chart.x.clone(), most, number::fixed)
    };
    let label = chart.series.first().map_or("", |line| line.0.as_str());
    Plotted::from(Lines {
        series: chart
            .series
            .iter()
            .map(|(label, points)| Series {
                label: label.clone(),
                points: points.clone(),
                spread: Vec::new(),
                shape: Shape::Straight,
            })
            .collect(),
        x,
        y: Axis::from_zero(label, greatest, number::fixed),
        turn: None,
        summary: format!("{}: {} points up to {}.", chart.title, points().count(), plain(greatest)),
        table: Sheet {
            caption: chart.title.clone(),
            head: vec!["x", "y"],
            rows: points().map(|(x, y)| ("", vec![plain(x), plain(y)])).collect(),
            ..Sheet::default()
        },
    })
}

/// Asks a worker; what is returned ends it when it is dropped.
fn ask(question: &str, link: &str, tell: &Callback<State>) -> Ended {
    let worker = Worker::default();
    let request = Array::of3(&PLAN.into(), &question.into(), &link.into());
    worker::ask(&worker, request, Reading { word, failed: State::Failed }, tell);
    Ended(worker)
}

/// Ends a worker when it is dropped, however many closures still know of it.
struct Ended(Worker);

impl Drop for Ended {
    fn drop(&mut self) {
        drop(self.0.take());
    }
}

fn word(data: &JsValue) -> Word<State> {
    let text = Array::from(data).get(0).as_string().unwrap_or_default();
    let unreadable = |_| State::Failed("The worker's answer cannot be read.".to_owned());
    Word::Last(serde_json::from_str(&text).map_or_else(unreadable, |told| State::Told(Rc::new(told))))
}
