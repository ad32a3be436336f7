//! Closed forms of operators' times, and their robust fit to samples.
//!
//! | kind | time |
//! |---|---|
//! | product | `n start + sum norm(flops / rate * waste^w * (1 + k_half / k), bytes / bandwidth)` over its n products |
//! | attention | `start + norm(padded flops / rate * waste^w * (1 + l_half / l), bytes / bandwidth)` |
//! | stream | `start + norm(floor, bytes / bandwidth + table / table bandwidth)` |
//! | update | `start + layers * layer time + bytes / bandwidth` |
//! | link | `start + bytes / (bandwidth * lanes^share) * (1 + sqrt(half / bytes))`, bytes on the wire, lanes: GPUs of a node across nodes, neighbours of a GPU within |
//!
//! `norm(x, y)` is the fourth root of `x^4 + y^4`: the larger of the two, rounded where they meet. `waste` is the
//! work of whole waves of whole tiles over the useful work.

use super::amounts::{Amounts, Direction, ProductBatch};
use super::operator::{OperatorWorkload, SampledKind};
use super::solve::{Objective, minimise};
use crate::scenario::cluster::Cluster;
use libm::{exp, log, pow};
use serde::{Deserialize, Serialize};

/// Most parameters of a closed form.
pub(super) const MOST: usize = 5;
/// Most samples for the fit of a closed form: with five parameters, more make no difference.
const ENOUGH: usize = 600;
/// Output tile of matrix-product kernels, rows and columns.
const TILE: (f64, f64) = (128.0, 256.0);
/// Query rows of one thread block of a flash kernel.
const QUERY_TILE: f64 = 128.0;
/// Head widths of flash kernels are multiples of this.
const HEAD_STEP: f64 = 32.0;

/// Longest call, seconds: an upper limit of the closed form for any parameters.
const LONGEST: f64 = 1e9;
/// Largest exponent in a closed form.
const MOST_EXPONENT: f32 = 16.0;
/// Bounds of the other parameters: rates in units per second, times in seconds.
const REASONABLE: core::ops::RangeInclusive<f32> = 1e-24..=1e24;

/// A closed form with its parameters (those of the table above, in order; the others are one).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Physics {
    /// Rates in units per second, times in seconds.
    pub parameters: [f32; MOST],
    /// Streaming multiprocessors, for waves.
    pub sms: u16,
}

/// A parameter's prior: its value, and its standard deviation in natural-log units.
type Prior = (f64, f64);

impl Physics {
    /// Rates of a data sheet alone.
    pub fn of_data_sheet(workload: &OperatorWorkload, cluster: &Cluster) -> Self {
        let mut parameters = [1.0; MOST];
        for (slot, prior) in parameters.iter_mut().zip(priors(workload, cluster)) {
            *slot = prior.0 as f32;
        }
        Self { parameters, sms: sms(cluster) }
    }

    /// The closed form that fits the samples (workload, seconds) best, with errors beyond 10 % counted linearly.
    pub fn fit(samples: &[(OperatorWorkload, f64)], direction: Direction, cluster: &Cluster) -> Option<Self> {
        let first = samples.first()?.0;
        let stride = samples.len().div_ceil(ENOUGH).max(1);
        let chosen: Vec<(OperatorWorkload, Amounts, f64)> = samples
            .iter()
            .step_by(stride)
            .map(|(workload, seconds)| (*workload, Amounts::new(workload, direction), log(*seconds)))
            .collect();
        let sms = sms(cluster);
        let problem = Objective {
            priors: priors(&first, cluster).into_iter().map(|(value, spread)| (log(value), spread)).collect(),
            residuals: |logs: &[f64], out: &mut Vec<f64>| {
                let mut parameters = [1.0; MOST];
                for (slot, value) in parameters.iter_mut().zip(logs) {
                    *slot = exp(*value);
                }
                out.extend(chosen.iter().map(|(workload, amounts, measured)| {
                    log(seconds(&parameters, f64::from(sms), workload, amounts).max(f64::MIN_POSITIVE))
                        - measured
                }));
            },
        };
        let logs = minimise(&problem);
        let mut parameters = [1.0; MOST];
        for (slot, value) in parameters.iter_mut().zip(logs) {
            *slot = exp(value) as f32;
        }
        Some(Self { parameters, sms })
    }

    /// Whether its parameters are plausible for a machine.
    pub(super) fn is_sound(&self, kind: SampledKind) -> bool {
        let exponent = match kind {
            SampledKind::Product | SampledKind::Attention => Some(3),
            SampledKind::Link => Some(2),
            SampledKind::Stream | SampledKind::Update => None,
        };
        let holds = |(place, value): (usize, &f32)| {
            REASONABLE.contains(value) && (exponent != Some(place) || *value <= MOST_EXPONENT)
        };
        self.sms > 0 && self.parameters.iter().enumerate().all(holds)
    }

    /// Seconds of one call.
    pub fn time(&self, workload: &OperatorWorkload, direction: Direction) -> f64 {
        let amounts = Amounts::new(workload, direction);
        // `min` returns the other operand for NaN.
        seconds(&self.parameters.map(f64::from), f64::from(self.sms), workload, &amounts).min(LONGEST)
    }
}

fn sms(cluster: &Cluster) -> u16 {
    cluster.gpu.sms.clamp(1, u32::from(u16::MAX)) as u16
}

/// Seconds of one call under a closed form's parameters.
fn seconds(parameters: &[f64; MOST], sms: f64, workload: &OperatorWorkload, amounts: &Amounts) -> f64 {
    let [a, b, c, d, e] = *parameters;
    match workload.operator.kind() {
        SampledKind::Product => {
            let used = amounts.products.iter().filter(|product| product.batch > 0.0);
            used.map(|product| {
                let compute = product.flops() / a * pow(waste(product, sms), d) * (1.0 + e / product.k);
                c + norm(compute, product.bytes() / b)
            })
            .sum()
        }
        SampledKind::Attention => {
            let [batch, sequence, heads, width] = workload.sizes;
            let padded = (width / HEAD_STEP).ceil() * HEAD_STEP / width.max(1.0);
            let blocks = (batch * heads * (sequence / QUERY_TILE).ceil()).max(1.0);
            let waste = (blocks / sms).ceil() * sms / blocks;
            let compute = amounts.flops * padded / a * pow(waste, d) * (1.0 + e / sequence.max(1.0));
            c + norm(compute, amounts.bytes / b)
        }
        SampledKind::Stream => c + norm(d, amounts.bytes / a + amounts.table_bytes / b),
        SampledKind::Update => c + amounts.layers * b + amounts.bytes / a,
        SampledKind::Link => {
            let ramp = 1.0 + (d / amounts.bytes.max(1.0)).sqrt();
            b + amounts.bytes / (a * pow(lanes(workload), c)) * ramp
        }
    }
}

/// What a collective's bandwidth scales with: across nodes, the GPUs of a node; within a node without a switch, the
/// neighbours, each with its own link.
fn lanes(workload: &OperatorWorkload) -> f64 {
    let [_, nodes, per_node, _] = workload.sizes;
    if nodes > 1.0 { per_node.max(1.0) } else { (per_node - 1.0).max(1.0) }
}

fn norm(x: f64, y: f64) -> f64 {
    let fourth = |value: f64| value * value * value * value;
    (fourth(x) + fourth(y)).sqrt().sqrt()
}

/// Work of whole waves of whole tiles over the useful work; at least 1.
fn waste(product: &ProductBatch, sms: f64) -> f64 {
    let tiled = |rows: f64, columns: f64| {
        let tiles = product.batch * (product.m / rows).ceil() * (product.n / columns).ceil();
        (tiles / sms).ceil() * sms * rows * columns / (product.batch * product.m * product.n)
    };
    tiled(TILE.0, TILE.1).min(tiled(TILE.1, TILE.0)).min(tiled(TILE.0, TILE.0)).max(1.0)
}

/// Priors of the parameters, from the data sheet and from typical kernels.
fn priors(workload: &OperatorWorkload, cluster: &Cluster) -> Vec<Prior> {
    let rate = cluster.gpu.peak_bf16.0 * 0.8;
    let bandwidth = cluster.gpu.memory_bandwidth.0 * 0.8;
    match workload.operator.kind() {
        SampledKind::Product => {
            vec![(rate, 1.0), (bandwidth, 1.0), (1e-5, 2.0), (0.3, 1.5), (60.0, 1.5)]
        }
        SampledKind::Attention => {
            vec![(0.6 * rate, 1.0), (bandwidth, 1.5), (1e-5, 2.0), (0.5, 1.5), (200.0, 2.0)]
        }
        SampledKind::Stream => {
            vec![(bandwidth, 2.0), (bandwidth, 3.0), (1e-5, 2.0), (1e-5, 3.0)]
        }
        SampledKind::Update => vec![(bandwidth, 2.0), (1e-4, 2.0), (1e-3, 2.0)],
        SampledKind::Link => {
            let share = if workload.sizes[1] > 1.0 { (1.0, 0.1) } else { (0.5, 1.0) };
            vec![(link_bandwidth(workload, cluster), 3.0), (2e-5, 3.0), share, (1e5, 3.0)]
        }
    }
}

/// Bytes per second of the slowest link on a collective's ring.
pub(super) fn link_bandwidth(workload: &OperatorWorkload, cluster: &Cluster) -> f64 {
    if workload.sizes[1] > 1.0 {
        cluster.network.nic_bandwidth.0.max(1.0)
    } else {
        cluster.scale_up.bandwidth.0.max(1.0)
    }
}
