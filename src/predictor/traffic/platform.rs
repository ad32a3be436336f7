//! Message cost on a platform: effective bandwidth by size, time by kind, and one job on two platforms or under two
//! network protocols.

use crate::cost::{Collective, GroupPlacement, Work};
use crate::error::FieldError;
use crate::forecast::Predictor;
use crate::scenario::Scenario;
use crate::step::{Call, Parallelism, Place};
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
    /// Size over time, the algorithm bandwidth of nccl-tests.
    pub algorithm: BytesPerSecond,
    /// Bytes that a rank sends over time, the bus bandwidth of nccl-tests: the effective bandwidth of APNet'24.
    pub bus: BytesPerSecond,
}

/// Effective bandwidth of a collective over the first `workers` GPUs of a scenario's machines, at every size; zero
/// without a partner or bytes.
pub fn bandwidth(
    predictor: &Predictor<'_>,
    scenario: &Scenario,
    kind: Collective,
    workers: u32,
    sizes: &[Bytes],
) -> Vec<BandwidthPoint> {
    let rates = predictor.rates(scenario);
    let group = GroupPlacement::strided(workers, 1, scenario.cluster.scale_up.domain);
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

/// Time of one kind of communication, exposed or not.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct KindTime {
    /// The kind.
    pub kind: Parallelism,
    /// All its messages one after another.
    #[serde(rename = "time_s")]
    pub time: Seconds,
    /// Bytes that a rank sends for it.
    pub sent: Bytes,
}

/// Time of every kind of communication in one step of a rank of `stage`: the sum of a communication log, with separate
/// sends and receives. In the order of [`Parallelism::ALL`], without kinds that the plan lacks.
///
/// # Errors
/// What makes the scenario impossible, or a stage that does not exist.
pub fn communication_times(
    predictor: &Predictor<'_>,
    scenario: &Scenario,
    stage: u32,
) -> Result<Vec<KindTime>, Vec<FieldError>> {
    scenario.validate()?;
    let stages = scenario.plan.pipeline_parallel.max(1);
    if stage >= stages {
        let message = format!("Stage {stage} does not exist. Use 0 to {}.", stages - 1);
        return Err(vec![FieldError::new("stage", message).suggest([(stages - 1).to_string()])]);
    }
    let (program, rates) = (predictor.program(scenario), predictor.rates(scenario));
    let mut times = Parallelism::ALL.map(|kind| KindTime { kind, time: Seconds::ZERO, sent: Bytes::ZERO });
    let mut add = |call: &Call, calls: f64, sends: f64| {
        // A GPU's fetches from its host are not messages.
        let sent = call.communication.filter(|_| call.work.communication().is_some());
        let Some(slot) = sent.and_then(|message| times.get_mut(message.parallelism.index())) else {
            return;
        };
        let price = rates.price(&call.work);
        slot.time += price.time * (call.times * calls);
        slot.sent += price.bytes * (call.times * sends);
    };
    let batches = f64::from(scenario.micro_batches());
    for (place, visits) in program.visits(stage).places() {
        program.calls(place, &mut |call| add(&call, visits * batches, visits * batches));
    }
    // Either direction's messages are of one size: half of what is sent and received is activations.
    let crossings = program.crossings(stage);
    let (sent, both) = (crossings.sent() as f64, (crossings.sent() + crossings.received()) as f64);
    program.calls(Place::StageBoundary, &mut |call| add(&call, 0.5 * both, 0.5 * sent));
    program.step_end(stage, &mut |call| add(&call, 1.0, 1.0));
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
    /// Second over first: the speed-up of the first.
    pub speedup: f64,
}

/// Compares the same job on two platforms, or under two protocols: time of every kind of communication of the first
/// stage's ranks, exposed communication and bubble, and the step.
///
/// # Errors
/// What makes either scenario impossible.
pub fn compare_platforms(
    predictor: &Predictor<'_>,
    first: &Scenario,
    second: &Scenario,
) -> Result<Vec<PlatformRow>, Vec<FieldError>> {
    let times = [communication_times(predictor, first, 0)?, communication_times(predictor, second, 0)?];
    let steps = [predictor.predict(first)?, predictor.predict(second)?];
    let row = |label, [first, second]: [Seconds; 2]| PlatformRow {
        label,
        first,
        second,
        speedup: if first.0 > 0.0 { second / first } else { 1.0 },
    };
    let mut rows: Vec<PlatformRow> = Parallelism::ALL
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
