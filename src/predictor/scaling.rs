//! Why more data parallelism stops paying: the same job on more and more GPUs.

use crate::error::FieldError;
use crate::forecast::Predictor;
use crate::scenario::Scenario;
use crate::units::Seconds;
use serde::{Deserialize, Serialize};

/// Share of what added GPUs ideally bring below which they no longer pay.
const WORTHWHILE: f64 = 0.5;

/// Numbers of GPUs that are looked at around a job's: twice as many each, from an eighth of them on.
const AROUND: u32 = 7;

/// Most points of [`doublings`].
const MOST_DOUBLINGS: u32 = 16;

/// Fixed batch when GPUs are added.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// The batch of a replica: the global batch grows.
    Weak,
    /// The global batch: replicas get less of it.
    Strong,
}

/// Job on one number of GPUs.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ScalingPoint {
    /// GPUs.
    pub gpus: u32,
    /// Replicas.
    pub data_parallel: u32,
    /// Sequences in one step.
    pub global_batch: u32,
    /// Time of the step.
    #[serde(rename = "step_s")]
    pub step: Seconds,
    /// Tokens per second of the whole job.
    pub tokens_per_s: f64,
    /// Scaling efficiency relative to the first point, 0 to 1 (can exceed 1).
    pub efficiency: f64,
    /// Exposed communication as a share of the step, 0 to 1.
    pub communication_share: f64,
    /// Exposed DP communication as a share of the step, 0 to 1.
    pub data_share: f64,
    /// Pipeline bubble as a share of the step, 0 to 1.
    pub bubble_share: f64,
    /// Marginal scaling efficiency; 1 at the first point.
    pub marginal: f64,
}

/// Throughput by number of GPUs.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ScalingCurve {
    /// Fixed batch.
    pub mode: Mode,
    /// By number of GPUs.
    pub points: Vec<ScalingPoint>,
    /// Scaling limit: the last point before marginal scaling efficiency falls below 50 %.
    pub turn: Option<usize>,
}

/// Numbers of GPUs to look at: from one replica on, always twice as many, up to 16 times the job.
pub fn doublings(scenario: &Scenario) -> Vec<u32> {
    let replica = scenario.cluster.gpus / scenario.data_parallel().max(1);
    let most = scenario.cluster.gpus.saturating_mul(16);
    (0..MOST_DOUBLINGS)
        .filter_map(|power| replica.checked_mul(1 << power))
        .take_while(|gpus| *gpus <= most)
        .collect()
}

/// Numbers of GPUs around a job's: from an eighth of them to eight times as many, always twice as many.
pub fn around(gpus: u32) -> Vec<u32> {
    let least = gpus / 8;
    (0..AROUND).filter_map(|power| least.checked_mul(1 << power)).filter(|gpus| *gpus > 0).collect()
}

/// What GPUs bring at one of several numbers of them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Returns {
    /// Throughput per GPU over that of the least number.
    pub(crate) efficiency: f64,
    /// What the last added GPUs brought, over what they ideally bring; 1 at the least number.
    pub(crate) marginal: f64,
}

/// What GPUs bring at each of some ascending numbers of them, from the throughput there, and the last place before they
/// bring less than half of what they ideally do.
pub(crate) fn returns(points: &[(u32, f64)]) -> (Vec<Returns>, Option<usize>) {
    let ratio = |one: u32, other: u32| f64::from(one) / f64::from(other);
    let mut before = None;
    let of = |(gpus, rate): &(u32, f64)| {
        let (first_gpus, first_rate) = *points.first().unwrap_or(&(*gpus, *rate));
        let (last_gpus, last_rate) = before.replace((*gpus, *rate)).unwrap_or((*gpus, *rate));
        let growth = ratio(*gpus, last_gpus) - 1.0;
        Returns {
            efficiency: rate / first_rate * ratio(first_gpus, *gpus),
            marginal: if growth > 0.0 { (rate / last_rate - 1.0) / growth } else { 1.0 },
        }
    };
    let all: Vec<Returns> = points.iter().map(of).collect();
    let turn =
        all.iter().position(|point| point.marginal < WORTHWHILE).and_then(|place| place.checked_sub(1));
    (all, turn)
}

/// Forecasts the job on other numbers of GPUs, with the same model parallelism and micro-batch. Numbers
/// that make an illegal job (parts of a machine, a batch that does not divide) are left out.
///
/// # Errors
/// What makes the job itself impossible, or `n` when none of the numbers makes a legal job.
pub fn scaling(
    predictor: &Predictor<'_>,
    scenario: &Scenario,
    mode: Mode,
    gpus: &[u32],
) -> Result<ScalingCurve, Vec<FieldError>> {
    scenario.validate()?;
    let mut sorted = gpus.to_vec();
    sorted.sort_unstable();
    sorted.dedup();
    let mut points: Vec<ScalingPoint> = Vec::with_capacity(sorted.len());
    for job in sorted.into_iter().filter_map(|gpus| resized(scenario, mode, gpus)) {
        if let Ok(forecast) = predictor.predict(&job) {
            let share = |part: Seconds| if forecast.step.0 > 0.0 { part / forecast.step } else { 0.0 };
            let parts = &forecast.breakdown;
            let data_share = share(parts.data_communication);
            points.push(ScalingPoint {
                gpus: job.cluster.gpus,
                data_parallel: forecast.data_parallel,
                global_batch: job.workload.global_batch,
                step: forecast.step,
                tokens_per_s: forecast.tokens_per_s,
                efficiency: 1.0,
                communication_share: data_share
                    + share(parts.tensor_communication)
                    + share(parts.context_communication)
                    + share(parts.pipeline_communication),
                data_share,
                bubble_share: share(parts.bubble),
                marginal: 1.0,
            });
        }
    }
    if points.is_empty() {
        let message = "No valid job at these GPU counts. Use multiples of the GPUs per replica.";
        return Err(vec![FieldError::new("n", message)]);
    }
    let rates: Vec<(u32, f64)> = points.iter().map(|point| (point.gpus, point.tokens_per_s)).collect();
    let (all, turn) = returns(&rates);
    for (point, Returns { efficiency, marginal }) in points.iter_mut().zip(all) {
        (point.efficiency, point.marginal) = (efficiency, marginal);
    }
    Ok(ScalingCurve { mode, points, turn })
}

/// The job on another number of GPUs; nothing where its batch does not divide.
fn resized(scenario: &Scenario, mode: Mode, gpus: u32) -> Option<Scenario> {
    let mut job = *scenario;
    job.cluster.gpus = gpus;
    if mode == Mode::Weak {
        let share = scenario.workload.global_batch / scenario.data_parallel().max(1);
        job.workload.global_batch = share.checked_mul(job.data_parallel())?;
    }
    Some(job)
}
