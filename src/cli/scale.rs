//! `stepcast scale` and `stepcast data-parallel`: throughput against the number of GPUs.

use crate::input::Input;
use crate::report::heading;
use crate::sizes::Places;
use crate::studies::{of_places, study_text};
use crate::text::{self, CellAlign, duration, percent, significant};
use crate::{Failure, json, sentences};
use clap::{Args, ValueEnum};
use serde::Serialize;
use stepcast::constants::Constants;
use stepcast::papers::data_parallel::{DdpForecast, DdpJob, PRESETS, find as find_network, scaling as steps};
use stepcast::scaling::{Mode, ScalingCurve};
use stepcast::scenario::cluster::presets::{CLUSTERS, find as find_cluster};
use stepcast::scenario::cluster::{Cluster, Transport};
use stepcast::scripting::AboutSizes;
use stepcast::tuner::Margin;

/// How a job is scaled.
#[derive(Debug, Args)]
pub(crate) struct ScaleArguments {
    /// Fixed batch: per replica (weak scaling) or global (strong scaling).
    #[arg(long, value_enum, default_value_t = Kept::Strong)]
    mode: Kept,
    /// Use the best layout with memory headroom for each number of GPUs, instead of the layout of the job. Implied by
    /// --clusters.
    #[arg(long)]
    best: bool,
    #[command(flatten)]
    places: Places,
}

/// Fixed batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Kept {
    Weak,
    Strong,
}

/// A data-parallel job.
#[derive(Debug, Args)]
pub(crate) struct NetworkArguments {
    /// resnet50, resnet101, vgg16, bert-base or bert-large.
    network: String,
    /// Machine (names: stepcast --list-presets).
    #[arg(long, default_value = "apnet24-rtx3090")]
    cluster: String,
    /// Use TCP instead of the network protocol of the machine.
    #[arg(long)]
    tcp: bool,
    /// Numbers of GPUs.
    #[arg(long, value_delimiter = ',', value_name = "N,N,...", default_values_t = [4, 8, 16, 32])]
    gpus: Vec<u32>,
    /// Samples per GPU in one step; default: from the paper.
    #[arg(long)]
    batch: Option<u32>,
}

/// The JSON form of a data-parallel network.
#[derive(Debug, Serialize)]
struct Output<'a> {
    network: &'a str,
    parameters: u64,
    batch: u32,
    steps: &'a [DdpForecast],
}

/// Forecasts a job on other numbers of GPUs.
pub(crate) fn scale(input: &Input, choices: &ScaleArguments, as_json: bool) -> Result<String, Failure> {
    let mode = match choices.mode {
        Kept::Weak => Mode::Weak,
        Kept::Strong => Mode::Strong,
    };
    if choices.best || choices.places.are_of_machines() {
        let studied = of_places(input, &choices.places, Margin::Likely, mode)?;
        return if as_json {
            json(&studied)
        } else {
            Ok(format!("{}\n{}", heading(input), study_text(&studied)))
        };
    }
    let about = AboutSizes { mode, sizes: choices.places.named_gpus() };
    let curve = about.of(&input.predictor(), &input.scenario).map_err(sentences)?;
    if as_json { json(&curve) } else { Ok(format!("{}\n{}", heading(input), listing(&curve))) }
}

fn listing(curve: &ScalingCurve) -> String {
    let head = ["GPUs", "batch", "step", "tokens/s", "efficiency", "communication", "bubble", "gain"];
    let mut rows = vec![head.map(str::to_owned).to_vec()];
    rows.extend(curve.points.iter().map(|point| {
        vec![
            point.gpus.to_string(),
            point.global_batch.to_string(),
            duration(point.step),
            significant(point.tokens_per_s),
            percent(point.efficiency),
            percent(point.communication_share),
            percent(point.bubble_share),
            percent(point.marginal),
        ]
    }));
    let mut out = text::table(&rows, &[CellAlign::Right; 8]);
    match curve.turn.and_then(|turn| curve.points.get(turn)) {
        Some(point) => out
            .push_str(&format!("\nBeyond {} GPUs, marginal scaling efficiency is below 50 %.\n", point.gpus)),
        None => out.push_str("\nMarginal scaling efficiency stays above 50 %.\n"),
    }
    out
}

/// Forecasts a network of the paper on several numbers of GPUs.
pub(crate) fn data_parallel(choices: &NetworkArguments, as_json: bool) -> Result<String, Failure> {
    let preset = find_network(&choices.network).ok_or_else(|| {
        let names: Vec<&str> = PRESETS.iter().map(|preset| preset.name).collect();
        vec![format!("Unknown network {}. Use {}.", choices.network, names.join(", "))]
    })?;
    let machine = find_cluster(&choices.cluster).ok_or_else(|| {
        let names: Vec<&str> = CLUSTERS.iter().map(|preset| preset.name).collect();
        vec![format!("Unknown machine {}. Use {}.", choices.cluster, names.join(", "))]
    })?;
    let mut cluster: Cluster = machine.cluster;
    if choices.tcp {
        cluster.network.transport = Transport::Tcp;
    }
    let network = (preset.build)();
    let batch = choices.batch.unwrap_or(preset.batch);
    let job = DdpJob { network: &network, cluster: &cluster, batch };
    let steps = steps(&job, &Constants::SHIPPED, &choices.gpus).map_err(|error| vec![error.to_string()])?;
    let parameters = network.parameters();
    if as_json {
        return json(&Output { network: preset.name, parameters, batch, steps: &steps });
    }
    let mut out = format!(
        "{} ({} M parameters), {batch} samples per GPU, {}\n\n",
        preset.label,
        significant(parameters as f64 / 1e6),
        machine.label
    );
    let head =
        ["GPUs", "step", "samples/s", "communication", "exposed", "ratio", "exposed ratio", "scaling factor"];
    let mut rows = vec![head.map(str::to_owned).to_vec()];
    rows.extend(steps.iter().map(|step| {
        vec![
            step.gpus.to_string(),
            duration(step.step),
            significant(step.samples_per_s),
            duration(step.communication),
            duration(step.exposed),
            percent(step.communication_ratio),
            percent(step.exposed_ratio),
            percent(step.scaling_factor),
        ]
    }));
    out.push_str(&text::table(&rows, &[CellAlign::Right; 8]));
    let buckets: Vec<String> = steps
        .first()
        .into_iter()
        .flat_map(|step| &step.buckets)
        .map(|row| significant(row.bucket.bytes as f64 / 1_048_576.0))
        .collect();
    out.push_str(&format!("\nMessages in MiB, in send order: {}\n", buckets.join(", ")));
    Ok(out)
}
