//! The same job on two platforms, or under two network protocols.

use super::controls::Pick;
use super::{PartProps, problems};
use stepcast::cluster::presets::CLUSTERS;
use stepcast::cost::Collective;
use stepcast::traffic::{bandwidth, compare_platforms};
use stepcast::units::Bytes;
use stepcast::view::communication::{OTHER, PROTOCOL, PROTOCOLS, SIZES, WORKERS, other_platform};
use stepcast::view::number;
use yew::prelude::*;

/// The part.
#[component]
pub(crate) fn Platforms(props: &PartProps) -> Html {
    let (other, protocol) = (props.state(OTHER).to_owned(), props.state(PROTOCOL).to_owned());
    let compared =
        use_memo((props.forecast.clone(), other.clone(), protocol.clone()), |(forecast, other, protocol)| {
            let first = &forecast.scenario;
            let second = other_platform(first, other, protocol);
            let curves =
                [first, &second].map(|scenario| bandwidth(scenario, Collective::AllReduce, WORKERS, &SIZES));
            compare_platforms(first, &second).map(|rows| (rows, curves))
        });
    let platforms = std::iter::once(("".into(), "The same platform".into()))
        .chain(CLUSTERS.iter().map(|preset| (preset.name.into(), preset.label.into())));
    let protocols = std::iter::once(("".into(), "Its own protocol".into()))
        .chain(PROTOCOLS.iter().map(|entry| (entry.0.into(), entry.1.into())));
    let content = match &*compared {
        Ok((rows, curves)) => html! {
            <>
                <div class="table-frame" tabindex="0" role="group" aria-label="Two platforms">
                    <table class="data" id="platform-table">
                        <caption>{ "A rank of the first stage, in one step; the step itself at the end" }</caption>
                        <thead><tr><th scope="col" class="words">{ "Time of" }</th><th scope="col">{ "This job" }</th><th scope="col">{ "The other" }</th><th scope="col">{ "Other over this" }</th></tr></thead>
                        <tbody>
                            for row in rows.iter() {
                                <tr key={row.label} class={(row.label == "Step").then_some("total")}>
                                    <th scope="row" class="words">{ row.label }</th>
                                    <td>{ number::time(row.first).to_string() }</td>
                                    <td>{ number::time(row.second).to_string() }</td>
                                    <td>{ format!("{}\u{d7}", number::significant(row.speedup, 3)) }</td>
                                </tr>
                            }
                        </tbody>
                    </table>
                </div>
                <div class="table-frame" tabindex="0" role="group" aria-label="Effective bandwidth">
                    <table class="data" id="bandwidth-table">
                        <caption>{ format!("Effective bandwidth of an all-reduce over {WORKERS} GPUs, by message size") }</caption>
                        <thead><tr><th scope="col">{ "Size" }</th><th scope="col">{ "This job" }</th><th scope="col">{ "The other" }</th></tr></thead>
                        <tbody>
                            for (one, two) in curves[0].iter().zip(&curves[1]) {
                                <tr key={one.bytes.0.to_bits().to_string()}>
                                    <th scope="row">{ number::memory(one.bytes).to_string() }</th>
                                    <td>{ format!("{}/s", number::traffic(Bytes(one.bus.0))) }</td>
                                    <td>{ format!("{}/s", number::traffic(Bytes(two.bus.0))) }</td>
                                </tr>
                            }
                        </tbody>
                    </table>
                </div>
            </>
        },
        Err(errors) => problems(errors),
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
