//! The messages of one rank, in the paper's convention and as bytes on the wire.

use super::controls::{Entry, Pick};
use super::{PartProps, problems};
use crate::store::use_dispatch;
use stepcast::traffic::{Message, Traffic, traffic};
use stepcast::units::Bytes;
use stepcast::view::communication::{AXES, CONVENTION, RANK, algorithm, order, ranks};
use stepcast::view::number;
use stepcast::view::page::Action;
use yew::prelude::*;

/// The orders of the axes that the lists offer.
pub(super) fn orders() -> Vec<(AttrValue, AttrValue)> {
    [
        ("", "As the plan says"),
        ("tdp", "Default: tensor and data inside, pipeline across"),
        ("tpd", "Customised: tensor and pipeline inside, data across"),
        ("dtp", "Data, tensor, pipeline"),
        ("dpt", "Data, pipeline, tensor"),
        ("ptd", "Pipeline, tensor, data"),
        ("pdt", "Pipeline, data, tensor"),
    ]
    .map(|(value, label)| (value.into(), label.into()))
    .to_vec()
}

/// The part.
#[component]
pub(crate) fn Messages(props: &PartProps) -> Html {
    let dispatch = use_dispatch();
    let text = props.state(RANK);
    let convention = props.state(CONVENTION);
    let scenario = &props.forecast.scenario;
    let rank = if text.is_empty() { Ok(0) } else { text.trim().parse::<u32>() };
    let result = match rank {
        Ok(rank) => traffic(scenario, order(props.state(AXES), scenario), algorithm(convention), rank)
            .map_err(|errors| problems(&errors)),
        Err(_) => {
            let last = scenario.cluster.gpus.saturating_sub(1);
            Err(html! { <p class="error">{ format!("A rank is a whole number; use 0 to {last}.") }</p> })
        }
    };
    let change = Callback::from(move |text: String| dispatch.emit(Action::Show { key: RANK, text }));
    let wrong = result.is_err().then(|| AttrValue::from("messages-wrong"));
    let conventions = [
        ("", "Paper's: a collective counts once"),
        ("ring", "Wire: all-reduces as rings"),
        ("tree", "Wire: all-reduces as trees"),
    ];
    html! {
        <>
            <div class="tools">
                <Entry id="messages-rank" label="Rank" value={text.to_owned()} placeholder="0" {wrong} {change} />
                <Pick part="messages" name={AXES} label="Mapping" value={props.state(AXES).to_owned()} entries={orders()} />
                <Pick part="messages" name={CONVENTION} label="Convention" value={convention.to_owned()}
                    entries={conventions.map(|(value, label)| (value.into(), label.into())).to_vec()} />
            </div>
            { match &result {
                Ok(traffic) => listing(traffic, !convention.is_empty()),
                Err(sentences) => html! { <div id="messages-wrong">{ sentences.clone() }</div> },
            } }
        </>
    }
}

fn listing(traffic: &Traffic, wire: bool) -> Html {
    let place = traffic.place;
    html! {
        <>
            <p>{ format!(
                "Rank {} sits in machine {}: stage {}, tensor {}, context {}, replica {}.",
                traffic.rank, traffic.machine, place.stage, place.tensor, place.context, place.data
            ) }</p>
            { table(traffic, wire) }
            { sizes(traffic) }
            <p class="footnote">
                { if wire {
                    "Wire: the bytes that this rank puts on its links, once every collective is taken apart into what it sends."
                } else {
                    "Paper's convention: a collective counts once with its whole tensor, a transfer at both ends. Sent is what the wire carries with rings."
                } }
            </p>
        </>
    }
}

fn table(traffic: &Traffic, wire: bool) -> Html {
    let volume: u64 = traffic.totals.iter().map(|total| total.volume_bytes).sum();
    let count: u64 = traffic.totals.iter().map(|total| total.count).sum();
    let sent: Bytes = traffic.totals.iter().map(|total| total.sent).sum();
    html! {
        <div class="table-frame" tabindex="0" role="group" aria-label="Messages of one rank">
            <table class="data" id="messages-table">
                <caption class="visually-hidden">{ "Messages of one rank in one step" }</caption>
                <thead>
                    <tr>
                        <th scope="col" class="words">{ "Kind" }</th>
                        <th scope="col" class="words">{ "Operation" }</th>
                        <th scope="col">{ "Count" }</th>
                        <th scope="col">{ "Size" }</th>
                        <th scope="col">{ "Volume" }</th>
                        <th scope="col">{ "Sent" }</th>
                        <th scope="col" class="words">{ "Group" }</th>
                    </tr>
                </thead>
                <tbody>
                    for (index, message) in traffic.messages.iter().enumerate() {
                        { row(index, message) }
                    }
                    for total in traffic.totals.iter() {
                        <tr key={total.kind.label()} class="kind-total">
                            <th scope="row" class="words">{ total.kind.label() }</th>
                            <td class="words">{ format!(
                                "{} of what {}",
                                number::percent(if wire { total.sent_share } else { total.volume_share }),
                                if wire { "is sent" } else { "is counted" }
                            ) }</td>
                            <td>{ number::integer(total.count) }</td>
                            <td></td>
                            <td>{ number::memory(Bytes(total.volume_bytes as f64)).to_string() }</td>
                            <td>{ number::memory(total.sent).to_string() }</td>
                            <td></td>
                        </tr>
                    }
                    <tr class="total">
                        <th scope="row" class="words">{ "All" }</th>
                        <td></td>
                        <td>{ number::integer(count) }</td>
                        <td></td>
                        <td>{ number::memory(Bytes(volume as f64)).to_string() }</td>
                        <td>{ number::memory(sent).to_string() }</td>
                        <td></td>
                    </tr>
                </tbody>
            </table>
        </div>
    }
}

fn row(index: usize, message: &Message) -> Html {
    let group = &message.group;
    html! {
        <tr key={index} class="message">
            <th scope="row" class="words">{ message.kind.label() }</th>
            <td class="words">{ message.operation.label() }</td>
            <td>{ number::integer(message.count) }</td>
            <td>{ number::memory(Bytes(message.bytes as f64)).to_string() }</td>
            <td>{ number::memory(Bytes(message.volume_bytes as f64)).to_string() }</td>
            <td>{ number::memory(message.sent).to_string() }</td>
            <td class="words">
                { format!("{} ranks: {}; {}", group.size, ranks(&group.ranks), group.tier.label()) }
            </td>
        </tr>
    }
}

/// How large the messages are.
fn sizes(traffic: &Traffic) -> Html {
    html! {
        <div class="table-frame" tabindex="0" role="group" aria-label="Message sizes">
            <table class="data" id="message-sizes">
                <caption>{ "Messages by size, smallest first" }</caption>
                <thead>
                    <tr>
                        <th scope="col">{ "Size" }</th>
                        <th scope="col">{ "Messages" }</th>
                        <th scope="col">{ "Messages up to it" }</th>
                        <th scope="col">{ "Volume up to it" }</th>
                    </tr>
                </thead>
                <tbody>
                    for size in traffic.distribution().sizes {
                        <tr key={size.bytes}>
                            <th scope="row">{ number::memory(Bytes(size.bytes as f64)).to_string() }</th>
                            <td>{ number::integer(size.count) }</td>
                            <td>{ number::percent(size.share_of_count).to_string() }</td>
                            <td>{ number::percent(size.share_of_volume).to_string() }</td>
                        </tr>
                    }
                </tbody>
            </table>
        </div>
    }
}
