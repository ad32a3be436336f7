//! What stands behind the headline: every operator, every stage. Built only while looked at.

use crate::store::Shared;
use stepcast::prediction::{Bound, OperatorRow, Pass, Prediction};
use stepcast::view::number;
use stepcast::view::page::Forecast;
use yew::prelude::*;

/// The operators of the slowest stage, and the pipeline's stages.
pub(crate) fn details(forecast: &Shared<Forecast>) -> Html {
    let prediction = &forecast.prediction;
    let (operator_count, stage_count) = (prediction.operators.len(), prediction.stages.len());
    html! {
        <>
            <Fold id="operators" title="Operators of the slowest stage" count={operator_count} body={Body(operators)}
                forecast={forecast.clone()} />
            <Fold id="stages" title="Pipeline stages" count={stage_count} body={Body(stages)} forecast={forecast.clone()} />
        </>
    }
}

#[derive(Properties, PartialEq)]
struct FoldProps {
    id: &'static str,
    title: &'static str,
    count: usize,
    body: Body,
    forecast: Shared<Forecast>,
}

/// How the inside of a fold is made.
struct Body(fn(&Prediction) -> Html);

// Each fold has one body for as long as it lives.
impl PartialEq for Body {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

/// A table that is built while it is looked at.
#[component]
fn Fold(props: &FoldProps) -> Html {
    let open = use_state_eq(|| false);
    let toggle = {
        let open = open.setter();
        Callback::from(move |event: Event| {
            open.set(event.target_unchecked_into::<web_sys::Element>().has_attribute("open"));
        })
    };
    html! {
        <details class="panel fold-panel" id={props.id} ontoggle={toggle}>
            <summary><h2>{ props.title }</h2><span class="fold-note">{ props.count }</span></summary>
            if *open {
                <div class="table-frame" tabindex="0" role="group" aria-label={props.title}>
                    { (props.body.0)(&props.forecast.prediction) }
                </div>
            }
        </details>
    }
}

fn operators(prediction: &Prediction) -> Html {
    html! {
        <table class="data">
            <caption>{ "Kernels and collectives of the slowest stage, per micro-batch." }</caption>
            <thead>
                <tr>
                    <th scope="col" class="words">{ "Operator" }</th>
                    <th scope="col" class="words">{ "Pass" }</th>
                    <th scope="col" class="words">{ "Shape" }</th>
                    <th scope="col">{ "Calls" }</th>
                    <th scope="col">{ "FLOPs per call" }</th>
                    <th scope="col">{ "Bytes per call" }</th>
                    <th scope="col">{ "Time per call" }</th>
                    <th scope="col">{ "Time in all" }</th>
                    <th scope="col" class="words">{ "Bound by" }</th>
                </tr>
            </thead>
            <tbody>
                for (index, row) in prediction.operators.iter().enumerate() {
                    { operator(index, row) }
                }
            </tbody>
        </table>
    }
}

fn operator(index: usize, row: &OperatorRow) -> Html {
    html! {
        <tr key={index}>
            <th scope="row" class="words">{ row.name.replace('_', " ") }</th>
            <td class="words">{ pass(row.pass) }</td>
            <td class="words">{ row.shape.replace(" x ", " \u{d7} ") }</td>
            <td>{ number::fixed(row.count, if row.count.fract() == 0.0 { 0 } else { 1 }) }</td>
            <td>{ if row.flops.0 > 0.0 { number::flops(row.flops).to_string() } else { "\u{2014}".to_owned() } }</td>
            <td>{ number::traffic(row.bytes).to_string() }</td>
            <td>{ number::time(row.time).to_string() }</td>
            <td>{ number::time(row.time * row.count).to_string() }</td>
            <td class="words">{ bound(row.bound) }</td>
        </tr>
    }
}

fn stages(prediction: &Prediction) -> Html {
    html! {
        <table class="data">
            <caption>{ "Times are per micro-batch, communication and host included." }</caption>
            <thead>
                <tr>
                    <th scope="col">{ "Stage" }</th>
                    <th scope="col">{ "Layers" }</th>
                    <th scope="col">{ "Forward" }</th>
                    <th scope="col">{ "Backward" }</th>
                    <th scope="col">{ "Peak memory" }</th>
                </tr>
            </thead>
            <tbody>
                for stage in &prediction.stages {
                    <tr key={stage.stage}>
                        <th scope="row">{ stage.stage }</th>
                        <td>{ stage.layers }</td>
                        <td>{ number::time(stage.forward).to_string() }</td>
                        <td>{ number::time(stage.backward).to_string() }</td>
                        <td>{ number::memory(stage.peak_memory).to_string() }</td>
                    </tr>
                }
            </tbody>
        </table>
    }
}

fn pass(pass: Pass) -> &'static str {
    match pass {
        Pass::Forward => "forward",
        Pass::InputGradient => "input gradient",
        Pass::WeightGradient => "weight gradient",
        Pass::Backward => "backward",
        Pass::Step => "once per step",
    }
}

fn bound(bound: Bound) -> &'static str {
    match bound {
        Bound::Compute => "compute",
        Bound::Memory => "memory",
        Bound::Latency => "launch",
        Bound::ScaleUp => "scale-up fabric",
        Bound::Network => "network",
    }
}
