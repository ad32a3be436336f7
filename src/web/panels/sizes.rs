//! How large messages are: APNet'24's figure 1, five networks and this plan.

use crate::root::{PanelProps, problems};
use crate::widgets::controls::{Pick, entries};
use crate::widgets::lines::{ChartAxis, LineChart, LineShape, Series};
use stepcast::cost::Algorithm;
use stepcast::forecast::Predictor;
use stepcast::number;
use stepcast::papers::data_parallel::{FIRST_BUCKET, LATER_BUCKETS, PRESETS, buckets};
use stepcast::traffic::{AxisOrder, Distribution, SizeCount};
use stepcast::units::Bytes;
use stepcast_web_kit::sheet::Sheet;
use stepcast_web_kit::{Chart, Plotted};
use yew::prelude::*;

/// Key of the view state: `volume` weighs messages by their size.
const OF: &str = "of";

/// The panel.
#[component]
pub(crate) fn SizesPanel(props: &PanelProps) -> Html {
    let of = props.state(OF).to_owned();
    let plot = use_memo((props.forecast.clone(), of.clone()), |(forecast, of)| {
        let scenario = &forecast.scenario;
        let planned = Predictor::SHIPPED.traffic(
            scenario,
            AxisOrder::from(scenario.plan.mapping),
            Algorithm::Ring,
            0,
        )?;
        let networks = PRESETS.iter().map(|preset| {
            let sent = buckets(&(preset.build)(), FIRST_BUCKET, LATER_BUCKETS);
            (preset.label, Distribution::new(sent.iter().map(|bucket| (bucket.bytes, 1))))
        });
        let all: Vec<_> =
            std::iter::once(("This layout, rank 0", planned.distribution())).chain(networks).collect();
        Ok::<_, Vec<_>>(Plotted::from(chart(&all, of == "volume")))
    });
    let shares = [("", "of messages"), ("volume", "of volume")];
    html! {
        <>
            <div class="tools">
                <Pick panel="sizes" name={OF} label="Share" value={of} entries={entries(&shares)} show={&props.show} />
            </div>
            { match &*plot {
                Ok(plot) => html! {
                    <>
                        <p>{ plot.summary() }</p>
                        <Chart id="sizes-chart" level="h4" title="Cumulative share by message size" {plot} colours={props.colours} />
                        <p class="footnote">
                            { "The five networks use only data parallelism. Their messages are PyTorch DDP gradient buckets." }
                        </p>
                    </>
                },
                Err(errors) => problems(errors),
            } }
        </>
    }
}

fn chart(all: &[(&str, Distribution)], volume: bool) -> LineChart {
    let share = |size: &SizeCount| if volume { size.share_of_volume } else { size.share_of_count };
    let sizes = || all.iter().flat_map(|entry| &entry.1.sizes).map(|size| size.bytes as f64);
    // Whole powers of two around the sizes, so that every line starts and ends inside.
    let low = 2_f64.powf(sizes().fold(f64::INFINITY, f64::min).max(1.0).log2().floor());
    let high = 2_f64.powf(sizes().fold(2.0, f64::max).log2().ceil());
    let series = all.iter().map(|(label, distribution)| {
        let points = distribution.sizes.iter().map(|size| (size.bytes as f64, share(size)));
        let begin = distribution.sizes.first().map(|size| (size.bytes as f64, 0.0));
        let end = distribution.sizes.last().map(|_| (high, 1.0));
        Series {
            label: (*label).to_owned(),
            points: begin.into_iter().chain(points).chain(end).collect(),
            spread: Vec::new(),
            shape: LineShape::Stepped,
        }
    });
    let tick = |bytes: f64| number::short(&number::memory(Bytes(bytes)));
    let name = |bytes: f64| number::memory(Bytes(bytes)).to_string();
    let summary: Vec<String> = all
        .iter()
        .map(|(label, distribution)| format!("{label} up to {}", name(distribution.largest() as f64)))
        .collect();
    let rows = all.iter().flat_map(|(label, distribution)| {
        distribution.sizes.iter().map(move |size| {
            let cells = vec![
                (*label).to_owned(),
                number::memory(Bytes(size.bytes as f64)).to_string(),
                number::integer(size.count),
                number::percent(size.share_of_count).to_string(),
                number::percent(size.share_of_volume).to_string(),
            ];
            ("", cells)
        })
    });
    LineChart {
        series: series.collect(),
        x: ChartAxis::powers("Message size", (low, high), 4.0, tick),
        y: ChartAxis::shares(if volume { "Cumulative volume" } else { "Cumulative messages" }),
        turn: None,
        summary: format!("Message sizes in one step: {}.", summary.join(", ")),
        table: Sheet {
            id: "sizes-table",
            caption: "Messages by size, smallest first".to_owned(),
            head: vec!["Of", "Size", "Messages", "Cumulative messages", "Cumulative volume"],
            words: &[0],
            rows: rows.collect(),
        },
    }
}
