//! One data-parallel step: backward layer by layer, buckets all-reduced behind it one after another.

use super::price::Pricing;
use super::{Bucket, DdpNetwork, FIRST_BUCKET, LATER_BUCKETS, buckets};
use crate::constants::Constants;
use crate::error::FieldError;
use crate::scenario::cluster::Cluster;
use crate::traffic::Distribution;
use crate::units::{BytesPerSecond, Seconds};
use serde::Serialize;

/// A data-parallel job.
#[derive(Debug, Clone, Copy)]
pub struct DdpJob<'a> {
    /// The network.
    pub network: &'a DdpNetwork,
    /// The machines, with the number of GPUs.
    pub cluster: &'a Cluster,
    /// Samples of one GPU and step.
    pub batch: u32,
}

/// One step of a data-parallel job.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DdpForecast {
    /// GPUs.
    pub gpus: u32,
    /// Time of the step.
    #[serde(rename = "step_s")]
    pub step: Seconds,
    /// Forward pass.
    #[serde(rename = "forward_s")]
    pub forward: Seconds,
    /// Backward pass.
    #[serde(rename = "backward_s")]
    pub backward: Seconds,
    /// Optimizer's update.
    #[serde(rename = "optimizer_s")]
    pub optimizer: Seconds,
    /// All all-reduces, whether compute hides them or not.
    #[serde(rename = "communication_s")]
    pub communication: Seconds,
    /// What of them compute does not hide.
    #[serde(rename = "exposed_s")]
    pub exposed: Seconds,
    /// Communication over the step, 0 to more than 1 (they overlap).
    pub communication_ratio: f64,
    /// Exposed communication over the step, 0 to 1.
    pub exposed_ratio: f64,
    /// Samples per second of all GPUs.
    pub samples_per_s: f64,
    /// Throughput over that of as many GPUs that need not communicate, 0 to 1.
    pub scaling_factor: f64,
    /// Bytes that one GPU sends per second of communication.
    #[serde(rename = "effective_bandwidth")]
    pub bandwidth: BytesPerSecond,
    /// The bandwidth over the rate of a machine's network port, or of the GPU's link inside one machine.
    pub bandwidth_utilisation: f64,
    /// The messages, in the order in which they are sent.
    pub buckets: Vec<BucketRow>,
}

/// One bucket's way through a step; times count from the start of the backward pass.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct BucketRow {
    /// The bucket.
    #[serde(flatten)]
    pub bucket: Bucket,
    /// When its last gradient is there.
    #[serde(rename = "ready_s")]
    pub ready: Seconds,
    /// When its all-reduce begins.
    #[serde(rename = "start_s")]
    pub start: Seconds,
    /// When its all-reduce ends.
    #[serde(rename = "end_s")]
    pub end: Seconds,
}

impl DdpForecast {
    /// How large its messages are.
    pub fn distribution(&self) -> Distribution {
        Distribution::new(self.buckets.iter().map(|row| (row.bucket.bytes, 1)))
    }
}

/// Forecasts a step.
///
/// # Errors
/// If there are no samples or no GPUs.
pub fn forecast(job: &DdpJob<'_>, constants: &Constants) -> Result<DdpForecast, FieldError> {
    if job.batch == 0 {
        return Err(FieldError::new("batch", "A GPU needs at least one sample.").suggest(["32".to_owned()]));
    }
    if job.cluster.gpus == 0 {
        return Err(FieldError::new("n", "A job needs at least one GPU.").suggest(["1".to_owned()]));
    }
    let pricing = Pricing::new(job.cluster, constants);
    let batch = f64::from(job.batch);
    let forward: Seconds = job.network.layers.iter().map(|layer| pricing.forward(layer, batch)).sum();
    let optimizer = pricing.optimizer(job.network);
    // When the backward pass of each layer is done.
    let mut backward = Seconds::ZERO;
    let mut done: Vec<Seconds> = job
        .network
        .layers
        .iter()
        .rev()
        .map(|layer| {
            backward += pricing.backward(layer, batch);
            backward
        })
        .collect();
    done.reverse();

    let (mut free, mut communication, mut wire) = (Seconds::ZERO, Seconds::ZERO, 0.0);
    let rows: Vec<BucketRow> = buckets(job.network, FIRST_BUCKET, LATER_BUCKETS)
        .into_iter()
        .map(|bucket| {
            let ready = done.get(bucket.complete_after).copied().unwrap_or(backward);
            let start = ready.max(free);
            let time = pricing.all_reduce(bucket.bytes);
            free = start + time;
            communication += time;
            wire += pricing.wire(bucket.bytes).0;
            BucketRow { bucket, ready, start, end: free }
        })
        .collect();
    let exposed = (free - backward).max(Seconds::ZERO);
    let compute = forward + backward + optimizer;
    let step = compute + exposed;
    let gpus = f64::from(job.cluster.gpus);
    let bandwidth = BytesPerSecond(if communication.0 > 0.0 { wire / communication.0 } else { 0.0 });
    Ok(DdpForecast {
        gpus: job.cluster.gpus,
        step,
        forward,
        backward,
        optimizer,
        communication,
        exposed,
        communication_ratio: communication / step,
        exposed_ratio: exposed / step,
        samples_per_s: batch * gpus / step.0,
        scaling_factor: compute / step,
        bandwidth,
        bandwidth_utilisation: bandwidth.0 / port(job.cluster).0,
        buckets: rows,
    })
}

/// The link that paces a ring: the machine's network ports, or the GPU's own link in one machine.
fn port(cluster: &Cluster) -> BytesPerSecond {
    if cluster.gpus > cluster.scale_up.domain {
        cluster.node_bandwidth().min(cluster.scale_up.bandwidth)
    } else {
        cluster.scale_up.bandwidth
    }
}

/// The same job on other numbers of GPUs, each with the same batch (weak scaling).
///
/// # Errors
/// As [`forecast`].
pub fn scaling(
    job: &DdpJob<'_>,
    constants: &Constants,
    gpus: &[u32],
) -> Result<Vec<DdpForecast>, FieldError> {
    gpus.iter()
        .map(|&gpus| forecast(&DdpJob { cluster: &Cluster { gpus, ..*job.cluster }, ..*job }, constants))
        .collect()
}
