//! The messages of one rank, in the paper's convention and as bytes on the wire.

use crate::root::{PanelProps, problems};
use crate::widgets::controls::{Entry, Pick, entries};
use stepcast::forecast::Predictor;
use stepcast::number;
use stepcast::page_state::communication::{AXES, CONVENTION, RANK, algorithm, order, ranks};
use stepcast::traffic::{Message, RankTraffic};
use stepcast::units::Bytes;
use stepcast_web_kit::sheet::Sheet;
use yew::prelude::*;

/// The orders of the axes that the lists offer.
pub(super) fn orders() -> Vec<(AttrValue, AttrValue)> {
    entries(&[
        ("", "As the plan says"),
        ("tdp", "Default: tensor and data inside, pipeline across"),
        ("tpd", "Customised: tensor and pipeline inside, data across"),
        ("dtp", "Data, tensor, pipeline"),
        ("dpt", "Data, pipeline, tensor"),
        ("ptd", "Pipeline, tensor, data"),
        ("pdt", "Pipeline, data, tensor"),
    ])
}

/// The panel.
pub(super) fn messages(props: &PanelProps) -> Html {
    let text = props.state(RANK);
    let convention = props.state(CONVENTION);
    let scenario = &props.forecast.scenario;
    let rank = if text.is_empty() { Ok(0) } else { text.trim().parse::<u32>() };
    let result = match rank {
        Ok(rank) => Predictor::SHIPPED
            .traffic(scenario, order(props.state(AXES), scenario), algorithm(convention), rank)
            .map_err(|errors| problems(&errors)),
        Err(_) => {
            let last = scenario.cluster.gpus.saturating_sub(1);
            Err(html! { <p class="error">{ format!("A rank is a whole number; use 0 to {last}.") }</p> })
        }
    };
    let show = &props.show;
    let wrong = result.is_err().then(|| AttrValue::from("messages-wrong"));
    let conventions = [
        ("", "Paper's: a collective counts once"),
        ("ring", "Wire: all-reduces as rings"),
        ("tree", "Wire: all-reduces as trees"),
    ];
    html! {
        <>
            <div class="tools">
                <Entry panel="messages" name={RANK} label="Rank" value={text.to_owned()} placeholder="0" {wrong} {show} />
                <Pick panel="messages" name={AXES} label="Mapping" value={props.state(AXES).to_owned()} entries={orders()} {show} />
                <Pick panel="messages" name={CONVENTION} label="Convention" value={convention.to_owned()}
                    entries={entries(&conventions)} {show} />
            </div>
            { match &result {
                Ok(traffic) => listing(traffic, !convention.is_empty()),
                Err(sentences) => html! { <div id="messages-wrong">{ sentences.clone() }</div> },
            } }
        </>
    }
}

fn listing(traffic: &RankTraffic, wire: bool) -> Html {
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

fn table(traffic: &RankTraffic, wire: bool) -> Html {
    let volume: u64 = traffic.totals.iter().map(|total| total.volume_bytes).sum();
    let count: u64 = traffic.totals.iter().map(|total| total.count).sum();
    let sent: Bytes = traffic.totals.iter().map(|total| total.sent).sum();
    let mut rows: Vec<(&str, Vec<String>)> =
        traffic.messages.iter().map(|message| ("message", row(message))).collect();
    let sum = |name: &str, share: String, count: u64, volume: u64, sent: Bytes| {
        let volume = number::memory(Bytes(volume as f64)).to_string();
        let sent = number::memory(sent).to_string();
        vec![name.to_owned(), share, number::integer(count), String::new(), volume, sent, String::new()]
    };
    for total in &traffic.totals {
        let share = number::percent(if wire { total.sent_share } else { total.volume_share });
        let share = format!("{share} {}", if wire { "sent" } else { "counted" });
        rows.push((
            "kind-total",
            sum(total.kind.label(), share, total.count, total.volume_bytes, total.sent),
        ));
    }
    rows.push(("total", sum("All", String::new(), count, volume, sent)));
    Sheet {
        id: "messages-table",
        caption: "Messages in one step".to_owned(),
        head: vec!["Kind", "Operation", "Count", "Size", "Volume", "Sent", "Group"],
        words: &[0, 1, 6],
        rows,
    }
    .framed()
}

fn row(message: &Message) -> Vec<String> {
    let group = &message.group;
    vec![
        message.kind.label().to_owned(),
        message.operation.label().to_owned(),
        number::integer(message.count),
        number::memory(Bytes(message.bytes as f64)).to_string(),
        number::memory(Bytes(message.volume_bytes as f64)).to_string(),
        number::memory(message.sent).to_string(),
        format!("{} ranks: {}; {}", group.size, ranks(&group.ranks), group.tier.label()),
    ]
}

/// How large the messages are.
fn sizes(traffic: &RankTraffic) -> Html {
    let sizes = traffic.distribution().sizes;
    let rows = sizes.iter().map(|size| {
        let cells = vec![
            number::memory(Bytes(size.bytes as f64)).to_string(),
            number::integer(size.count),
            number::percent(size.share_of_count).to_string(),
            number::percent(size.share_of_volume).to_string(),
        ];
        ("", cells)
    });
    Sheet {
        id: "message-sizes",
        caption: "Messages by size, smallest first".to_owned(),
        head: vec!["Size", "Messages", "Messages up to it", "Volume up to it"],
        words: &[],
        rows: rows.collect(),
    }
    .framed()
}
