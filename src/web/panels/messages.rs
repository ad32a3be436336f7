//! The messages of one rank, in the paper's convention and as bytes on the wire.

use crate::root::{PanelProps, problems};
use crate::widgets::controls::{Entry, Pick, entries};
use stepcast::cost::Algorithm;
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
        ("", "Mapping of the current layout"),
        ("tdp", "Default: TP, DP, PP (PP across nodes)"),
        ("tpd", "Custom: TP, PP, DP (DP across nodes)"),
        ("dtp", "DP, TP, PP"),
        ("dpt", "DP, PP, TP"),
        ("ptd", "PP, TP, DP"),
        ("pdt", "PP, DP, TP"),
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
            Err(
                html! { <p class="error">{ format!("The rank must be a whole number from 0 to {last}.") }</p> },
            )
        }
    };
    let show = &props.show;
    let wrong = result.is_err().then(|| AttrValue::from("messages-wrong"));
    let paper = (AttrValue::from(""), AttrValue::from("Count each collective once (APNet'24)"));
    let wire = |of: Algorithm| (of.name().into(), format!("Bytes on the wire: {}", of.label()).into());
    let conventions: Vec<_> = std::iter::once(paper).chain(Algorithm::ALL.map(wire)).collect();
    html! {
        <>
            <div class="tools">
                <Entry panel="messages" name={RANK} label="Rank" value={text.to_owned()} placeholder="0" {wrong} {show} />
                <Pick panel="messages" name={AXES} label="Mapping" value={props.state(AXES).to_owned()} entries={orders()} {show} />
                <Pick panel="messages" name={CONVENTION} label="Counting" value={convention.to_owned()}
                    entries={conventions} {show} />
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
                "Rank {}: node {}, stage {}, TP rank {}, CP rank {}, replica {}.",
                traffic.rank, traffic.machine, place.stage, place.tensor, place.context, place.data
            ) }</p>
            { table(traffic, wire) }
            { sizes(traffic) }
            <p class="footnote">
                { if wire {
                    "Bytes that this rank sends over its links, for all collectives."
                } else {
                    "Each collective is counted once with the full tensor, and each point-to-point transfer is counted at both ends (APNet'24). \u{201c}Sent\u{201d} is the number of bytes on the wire with ring algorithms."
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
        caption: "Messages per step".to_owned(),
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
        head: vec!["Size", "Messages", "Cumulative messages", "Cumulative volume"],
        words: &[],
        rows: rows.collect(),
    }
    .framed()
}
