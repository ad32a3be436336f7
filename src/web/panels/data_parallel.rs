//! The networks of APNet'24 that are trained with data parallelism alone, on this job's machines.

use crate::root::PanelProps;
use crate::widgets::lines::{ChartAxis, LineChart, LineShape, Series};
use stepcast::number;
use stepcast::papers::data_parallel::{DdpForecast, DdpJob, PRESETS, Preset, scaling};
use stepcast::scenario::cluster::Cluster;
use stepcast::units::Bytes;
use stepcast_web_kit::sheet::Sheet;
use stepcast_web_kit::{Chart, Plotted};
use yew::prelude::*;

/// Numbers of GPUs of the paper's scaling factors, and beyond.
const GPUS: [u32; 8] = [4, 8, 16, 32, 64, 128, 256, 512];

/// Number of GPUs of the table: the paper's largest.
const TABLE: usize = 3;

/// The panel.
#[component]
pub(crate) fn DataParallelPanel(props: &PanelProps) -> Html {
    let drawn = use_memo(props.forecast.scenario.cluster, |cluster| {
        let all: Vec<(&Preset, Vec<DdpForecast>)> =
            PRESETS.iter().map(|preset| (preset, forecasts(preset, cluster))).collect();
        (Plotted::from(chart(&all)), table(&all).framed())
    });
    let (plot, table) = &*drawn;
    html! {
        <>
            <p>{ plot.summary() }</p>
            { table.clone() }
            <Chart id="networks-chart" level="h4" title="Scaling factor by number of GPUs" {plot} colours={props.colours} />
            <p class="footnote">
                { "Weak scaling with the paper's batch per GPU. DDP all-reduces FP32 gradients in 25 MiB buckets (1 MiB for the first), overlapped with the backward pass." }
            </p>
        </>
    }
}

fn forecasts(preset: &Preset, cluster: &Cluster) -> Vec<DdpForecast> {
    let network = (preset.build)();
    let job = DdpJob { network: &network, cluster, batch: preset.batch };
    // A batch and GPUs there always are, so there is nothing to refuse.
    scaling(&job, &stepcast::constants::Constants::SHIPPED, &GPUS).unwrap_or_default()
}

fn chart(all: &[(&Preset, Vec<DdpForecast>)]) -> LineChart {
    let series = all.iter().map(|(preset, forecasts)| Series {
        label: preset.label.to_owned(),
        points: forecasts.iter().map(|step| (f64::from(step.gpus), step.scaling_factor)).collect(),
        spread: Vec::new(),
        shape: LineShape::Straight,
    });
    let ratio = |entry: &&(&Preset, Vec<DdpForecast>)| {
        entry.1.get(TABLE).map_or(0.0, |step| step.communication_ratio)
    };
    let most = all.iter().max_by(|one, other| ratio(one).total_cmp(&ratio(other)));
    let summary = most.map_or_else(String::new, |entry| {
        format!(
            "On {} GPUs of the job's machine, {} has the largest share of communication: {} of the step, including overlapped communication.",
            GPUS[TABLE],
            entry.0.label,
            number::percent(ratio(&entry)),
        )
    });
    let rows = all.iter().map(|(preset, forecasts)| {
        let factors = forecasts.iter().map(|step| number::percent(step.scaling_factor).to_string());
        ("", std::iter::once(preset.label.to_owned()).chain(factors).collect())
    });
    let ticks = GPUS.iter().map(|gpus| (f64::from(*gpus), gpus.to_string())).collect();
    LineChart {
        series: series.collect(),
        x: ChartAxis { label: "GPUs".to_owned(), ticks, range: (4.0, 512.0), logarithmic: true },
        y: ChartAxis::shares(""),
        turn: None,
        summary,
        table: Sheet {
            id: "factors-table",
            caption: "Throughput relative to ideal scaling without communication".to_owned(),
            head: vec!["Network", "4", "8", "16", "32", "64", "128", "256", "512"],
            words: &[0],
            rows: rows.collect(),
        },
    }
}

fn table(all: &[(&Preset, Vec<DdpForecast>)]) -> Sheet {
    let rows = all.iter().filter_map(|(preset, forecasts)| {
        let step = forecasts.get(TABLE)?;
        let cells = vec![
            preset.label.to_owned(),
            preset.batch.to_string(),
            step.buckets.len().to_string(),
            number::memory(Bytes(step.distribution().largest() as f64)).to_string(),
            number::time(step.step).to_string(),
            number::time(step.communication).to_string(),
            number::time(step.exposed).to_string(),
            number::percent(step.communication_ratio).to_string(),
            number::percent(step.exposed_ratio).to_string(),
            number::percent(step.scaling_factor).to_string(),
        ];
        Some(("", cells))
    });
    Sheet {
        id: "networks-table",
        caption: format!("One step on {} GPUs", GPUS[TABLE]),
        head: vec![
            "Network",
            "Batch per GPU",
            "Messages",
            "Largest",
            "Step",
            "Communication",
            "Exposed",
            "Communication / step",
            "Exposed / step",
            "Scaling factor",
        ],
        words: &[0],
        rows: rows.collect(),
    }
}
