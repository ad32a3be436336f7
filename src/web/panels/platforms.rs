//! The same job on two platforms, or under two network protocols.

use crate::root::{PanelProps, problems};
use crate::widgets::controls::{Pick, entries};
use crate::widgets::lines::{ChartAxis, LineChart, LineShape, Series};
use stepcast::cost::Collective;
use stepcast::forecast::Predictor;
use stepcast::number;
use stepcast::page_state::platforms::{PROTOCOLS, SIZES, elsewhere, rival};
use stepcast::scenario::Scenario;
use stepcast::scenario::cluster::presets::CLUSTERS;
use stepcast::traffic::{BandwidthPoint, PlatformRow, bandwidth, compare_platforms};
use stepcast::units::Bytes;
use stepcast_web_kit::sheet::Sheet;
use stepcast_web_kit::{Chart, Plotted};
use yew::prelude::*;

/// Keys of the view state: name of a platform, empty for the job's own, and of a protocol, empty for the
/// platform's own. The second protocol is empty for one that differs, and [`SAME`] for its own.
const KEYS: [(&str, &str); 2] = [("one", "onenet"), ("two", "twonet")];
const SAME: &str = "own";
/// Key of the view state: GPUs of the compared all-reduces; empty for all of the job's.
const OVER: &str = "over";

/// The panel.
#[component]
pub(crate) fn PlatformsPanel(props: &PanelProps) -> Html {
    let texts =
        KEYS.map(|(platform, protocol)| (props.state(platform).to_owned(), props.state(protocol).to_owned()));
    let over = props.state(OVER).to_owned();
    let deps = (props.forecast.clone(), texts.clone(), over.clone());
    let compared = use_memo(deps, |(forecast, [one, two], over)| {
        let first = elsewhere(&forecast.scenario, &one.0, &one.1);
        let second = elsewhere(&forecast.scenario, &two.0, "");
        // Two equal platforms are compared under two protocols, unless the reader selects one.
        let protocol = if two.1.is_empty() && one.0 == two.0 { rival(&first) } else { &two.1 };
        let second = elsewhere(&second, "", protocol);
        let names = [name(&first, &one.0), name(&second, &two.0)];
        let workers = over.parse().unwrap_or(first.cluster.gpus);
        let rows = compare_platforms(&Predictor::SHIPPED, &first, &second)?;
        Ok::<_, Vec<_>>((Plotted::from(rates(&[first, second], &names, workers)), times(&rows, &names)))
    });
    let platforms: Vec<(AttrValue, AttrValue)> = std::iter::once(("".into(), "Machine of this job".into()))
        .chain(CLUSTERS.iter().map(|preset| (preset.name.into(), preset.label.into())))
        .collect();
    let protocols =
        |empty: &'static str, same: Option<(AttrValue, AttrValue)>| -> Vec<(AttrValue, AttrValue)> {
            std::iter::once((AttrValue::from(""), AttrValue::from(empty)))
                .chain(same)
                .chain(PROTOCOLS.iter().map(|entry| (entry.0.into(), entry.1.into())))
                .collect()
        };
    let (same, show) = (Some((SAME.into(), "default protocol".into())), &props.show);
    let [one, two] = texts;
    html! {
        <>
            <div class="tools">
                <Pick panel="platforms" name={KEYS[0].0} label="First" value={one.0} entries={platforms.clone()} {show} />
                <Pick panel="platforms" name={KEYS[0].1} label="over" value={one.1}
                    entries={protocols("default protocol", None)} {show} />
                <Pick panel="platforms" name={KEYS[1].0} label="Second" value={two.0} entries={platforms} {show} />
                <Pick panel="platforms" name={KEYS[1].1} label="over" value={two.1}
                    entries={protocols("automatic (a different protocol if the machines are the same)", same)} {show} />
            </div>
            { match &*compared {
                Ok((plot, times)) => html! {
                    <>
                        { times.clone() }
                        <div class="tools">
                            <Pick panel="platforms" name={OVER} label="All-reduce over" value={over}
                                entries={entries(&[("", "All GPUs of the job"), ("8", "8 GPUs")])} {show} />
                        </div>
                        <Chart id="bandwidth" level="h4" title="All-reduce bandwidth" {plot} colours={props.colours} />
                    </>
                },
                Err(errors) => problems(errors),
            } }
        </>
    }
}

/// A platform and its protocol in words.
fn name(scenario: &Scenario, platform: &str) -> String {
    let label =
        CLUSTERS.iter().find(|preset| preset.name == platform).map_or("This job", |preset| preset.label);
    let transport = scenario.cluster.network.transport;
    let protocol = PROTOCOLS.iter().find(|entry| entry.2 == transport).map_or("", |entry| entry.1);
    format!("{label}, {protocol}")
}

/// Times of everything that crosses a wire.
fn times(rows: &[PlatformRow], names: &[String; 2]) -> Html {
    let lines = rows.iter().map(|row| {
        let cells = vec![
            row.label.to_owned(),
            number::time(row.first).to_string(),
            number::time(row.second).to_string(),
            format!("{}\u{d7}", number::significant(row.speedup, 3)),
        ];
        (if row.label == "Step" { "total" } else { "" }, cells)
    });
    Sheet {
        id: "platform-table",
        caption: format!(
            "Times per step of one rank on the first stage, and the step time. First: {}. Second: {}. Ratio: second / first.",
            names[0], names[1]
        ),
        head: vec!["Part", "First", "Second", "Ratio"],
        words: &[0],
        rows: lines.collect(),
    }
    .framed()
}

/// Effective bandwidth by message size.
fn rates(scenarios: &[Scenario; 2], names: &[String; 2], workers: u32) -> LineChart {
    let curves = scenarios
        .each_ref()
        .map(|scenario| bandwidth(&Predictor::SHIPPED, scenario, Collective::AllReduce, workers, &SIZES));
    let greatest = curves.iter().flatten().map(|point| point.bus.0 / 1e9).fold(0.0, f64::max);
    let rate = |point: &BandwidthPoint| format!("{}/s", number::traffic(Bytes(point.bus.0)));
    let rows = curves[0]
        .iter()
        .zip(&curves[1])
        .map(|(one, other)| ("", vec![number::memory(one.bytes).to_string(), rate(one), rate(other)]));
    let series = curves.iter().zip(names).map(|(points, name)| Series {
        label: name.clone(),
        points: points.iter().map(|point| (point.bytes.0, point.bus.0 / 1e9)).collect(),
        spread: Vec::new(),
        shape: LineShape::Straight,
    });
    let last = curves.each_ref().map(|curve| curve.last().map_or(0.0, |point| point.bus.0));
    LineChart {
        series: series.collect(),
        x: ChartAxis::powers("Message size", (SIZES[0].0, SIZES[7].0), 16.0, |bytes| {
            number::short(&number::memory(Bytes(bytes)))
        }),
        y: ChartAxis::from_zero("GB/s", greatest, number::fixed),
        turn: None,
        summary: format!(
            "All-reduce of 1 GiB over {} GPUs: {} on the first machine and {} on the second.",
            number::integer(workers.into()),
            format_args!("{}/s", number::traffic(Bytes(last[0]))),
            format_args!("{}/s", number::traffic(Bytes(last[1]))),
        ),
        table: Sheet {
            id: "bandwidth-table",
            caption: format!("All-reduce bandwidth over {workers} GPUs by message size"),
            head: vec!["Size", "First", "Second"],
            words: &[],
            rows: rows.collect(),
        },
    }
}
