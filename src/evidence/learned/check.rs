//! Implausible samples: faster than the hardware, or captures that missed part of the work.

use super::amounts::{Amounts, Direction};
use super::operator::{SampledKind, SampledOperator};
use super::physics::link_bandwidth;
use super::read::{Sample, SampleSet};
use crate::scenario::cluster::Cluster;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// An excluded sample.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rejected {
    /// Line of the file, from 1.
    pub line: usize,
    /// Why it is implausible.
    pub reason: SampleFault,
}

/// Why a sample is implausible.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SampleFault {
    /// More FLOPs per second than the GPU's peak.
    FasterThanPeak,
    /// More bytes per second than device memory's.
    FasterThanMemory,
    /// More bytes per second than the links'.
    FasterThanLinks,
    /// Much faster than less work of the same kind.
    PartialCapture,
    /// The forward time, copied.
    Copied,
}

impl SampleFault {
    /// A sentence without its full stop.
    pub fn sentence(self) -> &'static str {
        match self {
            Self::FasterThanPeak => "faster than the peak of the GPU: compute kernels were not captured",
            Self::FasterThanMemory => "faster than the memory bandwidth: memory kernels were not captured",
            Self::FasterThanLinks => "faster than the link bandwidth: the transfer was not captured",
            Self::PartialCapture => {
                "much faster than smaller work of the same type: some kernels were not captured"
            }
            Self::Copied => "identical to the forward time: the backward pass was not captured",
        }
    }
}

/// A set with more than this share of samples beyond the hardware's rates is not trusted: the faulty capture may have
/// missed part of the others too.
const MOST_IMPOSSIBLE: f64 = 0.25;

/// Whether the remaining samples of a set can be trusted.
pub fn is_healthy(kept: usize, rejected: &[Rejected]) -> bool {
    let beyond = |row: &&Rejected| {
        matches!(
            row.reason,
            SampleFault::FasterThanPeak | SampleFault::FasterThanMemory | SampleFault::FasterThanLinks
        )
    };
    let all = (kept + rejected.len()) as f64;
    kept >= LEAST_SAMPLES && rejected.iter().filter(beyond).count() as f64 <= MOST_IMPOSSIBLE * all
}

/// Least samples for a fit.
const LEAST_SAMPLES: usize = 10;

/// Kernels that move less may be served from caches, above device memory's rate.
const BEYOND_CACHES: f64 = 512e6;
/// Rates up to this factor above the data sheet are accepted: clocks and rounding.
const TOLERANCE: f64 = 1.05;
/// A collective may use several ports or links at once, at most this many.
const LINKS: f64 = 4.0;
/// A rate above all samples with an eighth to the same work by this factor indicates different work.
const JUMP: f64 = 1.6;
/// Least samples to compare with for such a jump.
const WITNESSES: usize = 20;

/// Plausible samples, and the others with the reason.
pub fn check(
    set: &SampleSet,
    forward: Option<&SampleSet>,
    cluster: &Cluster,
) -> (Vec<Sample>, Vec<Rejected>) {
    let mut rejected = Vec::new();
    let mut kept = Vec::new();
    for (index, sample) in set.samples.iter().enumerate() {
        let copied = || repeats(index, sample, set, forward);
        match impossible(sample, set.direction, cluster).or_else(copied) {
            Some(reason) => rejected.push(Rejected { line: sample.line, reason }),
            None => kept.push(*sample),
        }
    }
    let partial = partial_captures(&kept, set);
    let mut whole = Vec::new();
    for (sample, partial) in kept.into_iter().zip(partial) {
        if partial {
            rejected.push(Rejected { line: sample.line, reason: SampleFault::PartialCapture });
        } else {
            whole.push(sample);
        }
    }
    rejected.sort_by_key(|row| row.line);
    (whole, rejected)
}

/// Why no hardware of this kind can be this fast.
fn impossible(sample: &Sample, direction: Direction, cluster: &Cluster) -> Option<SampleFault> {
    let amounts = Amounts::new(&sample.workload, direction);
    let limit = |amount: f64, rate: f64| amount > sample.seconds * rate * TOLERANCE;
    if sample.workload.operator.kind() == SampledKind::Link {
        let links = if sample.workload.sizes[1] > 1.0 { LINKS.min(sample.workload.sizes[2]) } else { 1.0 };
        return limit(amounts.bytes, links * link_bandwidth(&sample.workload, cluster))
            .then_some(SampleFault::FasterThanLinks);
    }
    if limit(amounts.flops, cluster.gpu.peak_bf16.0) {
        return Some(SampleFault::FasterThanPeak);
    }
    let bytes = amounts.bytes + amounts.table_bytes;
    (bytes > BEYOND_CACHES && limit(bytes, cluster.gpu.memory_bandwidth.0))
        .then_some(SampleFault::FasterThanMemory)
}

/// A backward time equal to its forward time to the last digit was copied, not measured; except for residual additions,
/// whose backward is the same kernel.
fn repeats(
    index: usize,
    sample: &Sample,
    set: &SampleSet,
    forward: Option<&SampleSet>,
) -> Option<SampleFault> {
    if set.direction != Direction::Backward || set.operator == SampledOperator::ResidualAdd {
        return None;
    }
    let twin = forward?.samples.get(index)?;
    (twin.line == sample.line && twin.seconds == sample.seconds).then_some(SampleFault::Copied)
}

/// Marks samples whose rate jumps above every sample with an eighth to the same work.
fn partial_captures(samples: &[Sample], set: &SampleSet) -> Vec<bool> {
    let mut marks = vec![false; samples.len()];
    if set.operator.kind() != SampledKind::Stream {
        return marks;
    }
    let amounts = |sample: &Sample| Amounts::new(&sample.workload, set.direction).work();
    let mut order: Vec<(f64, f64, usize)> = (0..)
        .zip(samples)
        .map(|(index, sample)| (amounts(sample), amounts(sample) / sample.seconds, index))
        .collect();
    order.sort_by(|a, b| a.0.total_cmp(&b.0));
    // Reference samples by work, without those slower than a later one: the first is the fastest.
    let mut witnesses: VecDeque<f64> = VecDeque::new();
    let mut leading: VecDeque<(f64, f64)> = VecDeque::new();
    for (work, rate, index) in order {
        while witnesses.front().is_some_and(|witness| *witness < work / 8.0) {
            witnesses.pop_front();
        }
        while leading.front().is_some_and(|witness| witness.0 < work / 8.0) {
            leading.pop_front();
        }
        let fastest = leading.front().map_or(0.0, |witness| witness.1);
        if witnesses.len() >= WITNESSES && rate > JUMP * fastest {
            if let Some(mark) = marks.get_mut(index) {
                *mark = true;
            }
        } else {
            while leading.back().is_some_and(|witness| witness.1 <= rate) {
                leading.pop_back();
            }
            witnesses.push_back(work);
            leading.push_back((work, rate));
        }
    }
    marks
}

#[cfg(test)]
mod tests {
    use super::{SampleFault, check};
    use crate::learned::read;
    use crate::scenario::cluster::presets::find;

    #[test]
    fn what_no_a100_can_do_is_set_aside() {
        // 2 x 4096 x 4096 x 12288 FLOPs in 10 ms and in 1 ms: 41 and 412 TFLOP/s of 312.
        let text = "mp,b,l,dim,F_dur(us)\n1,4,1024,4096,10000\n1,4,1024,4096,1000\n";
        let set = &read("linear1.csv", text).expect("readable").sets[0];
        let (kept, rejected) = check(set, None, &find("perlmutter").expect("a preset").cluster);
        assert_eq!(kept.len(), 1);
        assert_eq!((rejected.len(), rejected[0].line), (1, 3));
        assert_eq!(rejected[0].reason, SampleFault::FasterThanPeak);
    }

    #[test]
    fn an_empty_capture_of_a_collective_is_set_aside() {
        let text = "shape,nodes,GPUsPerNode,dur(us)\n134217728,8,1,117\n134217728,8,1,40000\n";
        let set = &read("allgather_large.csv", text).expect("readable").sets[0];
        let (kept, rejected) = check(set, None, &find("vista").expect("a preset").cluster);
        assert_eq!((kept.len(), rejected[0].line), (1, 2));
    }

    #[test]
    fn a_kernel_that_is_split_and_half_counted_is_set_aside() {
        // Streams at 1 TB/s up to 2^30 elements, then 2 TB/s.
        let mut text = "mp,b,h,l,dim,F_dur(us)\n".to_owned();
        for heads in 8..80 {
            let bytes = 4.0 * 4.0 * f64::from(heads) * 2048.0 * 2048.0;
            let rate = if heads > 64 { 2e6 } else { 1e6 };
            text.push_str(&format!("1,4,{heads},2048,4096,{}\n", bytes / rate));
        }
        let set = &read("fillmask.csv", &text).expect("readable").sets[0];
        let (kept, rejected) = check(set, None, &find("vista").expect("a preset").cluster);
        assert_eq!((kept.len(), rejected.len()), (57, 15));
    }
}
