//! The same job on two platforms, or under two network protocols.

use super::controls::Pick;
use super::sheet::Sheet;
use super::{PartProps, problems};
use crate::store::Dispatch;
use stepcast::cluster::presets::CLUSTERS;
use stepcast::cost::Collective;
use stepcast::traffic::{BandwidthPoint, bandwidth, compare_platforms};
use stepcast::units::Bytes;
use stepcast::view::communication::{OTHER, PROTOCOL, PROTOCOLS, SIZES, WORKERS, other_platform};
use stepcast::view::number;
use yew::prelude::*;

/// The part.
pub(super) fn platforms(props: &PartProps, _: &Dispatch) -> Html {
    let (other, protocol) = (props.state(OTHER).to_owned(), props.state(PROTOCOL).to_owned());
    let first = &props.forecast.scenario;
    let second = other_platform(first, &other, &protocol);
    let curves = [first, &second].map(|scenario| bandwidth(scenario, Collective::AllReduce, WORKERS, &SIZES));
    let platforms = std::iter::once(("".into(), "The same platform".into()))
        .chain(CLUSTERS.iter().map(|preset| (preset.name.into(), preset.label.into())));
    let protocols = std::iter::once(("".into(), "Its own protocol".into()))
        .chain(PROTOCOLS.iter().map(|entry| (entry.0.into(), entry.1.into())));
    let content = match compare_platforms(first, &second) {
        Ok(rows) => {
            let rate = |point: &BandwidthPoint| format!("{}/s", number::traffic(Bytes(point.bus.0)));
            let times = rows.iter().map(|row| {
                let cells = vec![
                    row.label.to_owned(),
                    number::time(row.first).to_string(),
                    number::time(row.second).to_string(),
                    format!("{}\u{d7}", number::significant(row.speedup, 3)),
                ];
                (if row.label == "Step" { "total" } else { "" }, cells)
            });
            let rates = curves[0].iter().zip(&curves[1]).map(|(one, other)| {
                ("", vec![number::memory(one.bytes).to_string(), rate(one), rate(other)])
            });
            let times = Sheet {
                id: "platform-table",
                caption: "A rank of the first stage in one step, and the step itself".to_owned(),
                head: vec!["Time of", "This job", "The other", "Other over this"],
                words: &[0],
                rows: times.collect(),
            };
            let rates = Sheet {
                id: "bandwidth-table",
                caption: format!("Effective bandwidth of an all-reduce over {WORKERS} GPUs, by message size"),
                head: vec!["Size", "This job", "The other"],
                words: &[],
                rows: rates.collect(),
            };
            html! { <>{ times.framed() }{ rates.framed() }</> }
        }
        Err(errors) => problems(&errors),
    };
    html! {
        <>
            <div class="tools">
                <Pick part="platforms" name={OTHER} label="Compare with" value={other} entries={platforms.collect::<Vec<_>>()} />
                <Pick part="platforms" name={PROTOCOL} label="Network protocol" value={protocol} entries={protocols.collect::<Vec<_>>()} />
            </div>
            { content }
        </>
    }
}
