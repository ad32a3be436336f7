//! What messages cost on a platform: effective bandwidth by size, time by kind, and one job on two
//! platforms or under two network protocols.

use super::Kind;
use super::pieces::{Piece, Pricing};
use crate::constants::Constants;
use crate::cost::{Collective, Group, Rates, Work};
use crate::error::FieldError;
use crate::forecast::predict;
use crate::scenario::Scenario;
use crate::units::{Bytes, BytesPerSecond, Seconds};
use serde::Serialize;

/// One message size of a communication benchmark.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct BandwidthPoint {
    /// Size of the message.
    pub bytes: Bytes,
    /// Time of one call.
    #[serde(rename = "time_s")]
    pub time: Seconds,
    /// Size over time, what nccl-tests call algorithm bandwidth.
    pub algorithm: BytesPerSecond,
    /// Bytes that a rank sends over time, what nccl-tests call bus bandwidth: the effective bandwidth of
    /// APNet'24.
    pub bus: BytesPerSecond,
}

/// Effective bandwidth of a collective over the first `workers` GPUs of a scenario's machines, at every
/// size. Without a partner, or without bytes, there is none.
pub fn bandwidth(
    scenario: &Scenario,
    kind: Collective,
    workers: u32,
    sizes: &[Bytes],
) -> Vec<BandwidthPoint> {
    let rates = Rates::new(scenario, &Constants::SHIPPED);
    let group = Group::strided(workers, 1, scenario.cluster.scale_up.domain);
    sizes
        .iter()
        .filter_map(|&bytes| {
            let price = rates.price(&Work::Collective { kind, bytes: bytes.0, group });
            (price.time.0 > 0.0).then(|| BandwidthPoint {
                bytes,
                time: price.time,
                algorithm: bytes / price.time,
                bus: price.bytes / price.time,
            })
        })
        .collect()
}

/// Time that one kind of communication takes, whether anything waits for it or not.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct KindTime {
    /// The kind.
    pub kind: Kind,
    /// All its messages one after another.
    #[serde(rename = "time_s")]
    pub time: Seconds,
    /// Bytes that a rank sends for it.
    pub sent: Bytes,
}

/// Time of every kind of communication in one step of a rank of `stage`: what a communication log adds
/// up, with sends and receives apart. In the order of [`Kind::ALL`], without kinds that the plan lacks.
///
/// # Errors
/// What makes the scenario impossible, or a stage there is not.
pub fn communication_times(scenario: &Scenario, stage: u32) -> Result<Vec<KindTime>, Vec<FieldError>> {
    scenario.validate()?;
    let plan = &scenario.plan;
    let stages = plan.pipeline_parallel.max(1);
    if stage >= stages {
        let message = format!("There is no stage {stage}; use 0 to {}.", stages - 1);
        return Err(vec![FieldError::new("stage", message).suggest([(stages - 1).to_string()])]);
    }
    let pricing = Pricing::new(scenario, stage);
    let batches = f64::from(scenario.micro_batches()) * plan.share_of_micro_batches();
    let mut times = Kind::ALL.map(|kind| KindTime { kind, time: Seconds::ZERO, sent: Bytes::ZERO });
    let mut add = |piece: &Piece, calls: f64, sends: f64| {
        if let Some(slot) = piece.kind.and_then(|kind| times.get_mut(kind.index())) {
            slot.time += Seconds(piece.seconds * calls);
            slot.sent += Bytes(piece.bytes * sends);
        }
    };
    for chunk in plan.chunks_on(stage) {
        let passes = pricing.chunk(chunk);
        for piece in passes.forward.iter().chain(&passes.backward) {
            add(piece, batches, batches);
        }
        // A send and a receive per direction with every neighbour in the model that lives elsewhere.
        let neighbours = [chunk.checked_sub(1), (chunk + 1 < plan.chunks()).then_some(chunk + 1)];
        let elsewhere =
            neighbours.into_iter().flatten().filter(|other| plan.stage_of(*other) != plan.stage_of(chunk));
        let sends = elsewhere.count() as f64;
        add(&pricing.hop(), 2.0 * sends * batches, sends * batches);
    }
    let (before, after) = pricing.step_end();
    for piece in before.iter().chain(&after) {
        add(piece, 1.0, 1.0);
    }
    Ok(times.into_iter().filter(|entry| entry.time.0 > 0.0).collect())
}

/// One quantity of the same job on two platforms.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PlatformRow {
    /// What is compared.
    pub label: &'static str,
    /// On the first platform.
    #[serde(rename = "first_s")]
    pub first: Seconds,
    /// On the second platform.
    #[serde(rename = "second_s")]
    pub second: Seconds,
    /// Second over first: how many times faster the first is.
    pub speedup: f64,
}

/// Compares the same job on two platforms, or under two protocols: time of every kind of communication
/// of the first stage's ranks, the communication and bubble that the step waits for, and the step.
///
/// # Errors
/// What makes either scenario impossible.
pub fn compare_platforms(first: &Scenario, second: &Scenario) -> Result<Vec<PlatformRow>, Vec<FieldError>> {
    let times = [communication_times(first, 0)?, communication_times(second, 0)?];
    let steps = [predict(first)?, predict(second)?];
    let row = |label, [first, second]: [Seconds; 2]| PlatformRow {
        label,
        first,
        second,
        speedup: if first.0 > 0.0 { second / first } else { 1.0 },
    };
    let mut rows: Vec<PlatformRow> = Kind::ALL
        .into_iter()
        .map(|kind| {
            let of_kind = |list: &Vec<KindTime>| {
                list.iter().find(|entry| entry.kind == kind).map_or(Seconds::ZERO, |entry| entry.time)
            };
            row(kind.label(), [of_kind(&times[0]), of_kind(&times[1])])
        })
        .filter(|row| row.first.0 > 0.0 || row.second.0 > 0.0)
        .collect();
    rows.push(row("Pipeline bubble", steps.each_ref().map(|step| step.breakdown.bubble)));
    rows.push(row("Step", steps.each_ref().map(|step| step.step)));
    Ok(rows)
}
