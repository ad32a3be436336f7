//! A profile in the detailed cost model: matrix products, attention and collectives from the profile, the rest from
//! physics.

use super::amounts::Direction;
use super::operator::{OperatorWorkload, SampledOperator};
use super::profile::{LearnedOperator as Set, Profile};
use crate::constants::Constants;
use crate::cost::Provenance;
use crate::cost::{
    AttentionCore, Collective, Gemm, GroupPlacement, LearnedTimes, Work, software_age, training_over_samples,
};
use crate::scenario::stack::Launch;
use crate::scenario::{Precision, Scenario};
use std::cell::RefCell;

/// Octaves outside the sampled range up to which learned times are used: beyond, the cost model's own closed forms,
/// calibrated on whole steps, are better.
const REACH: f64 = 1.0;

/// A profile's times for one scenario's operators.
#[derive(Debug, Clone)]
pub struct Corrections<'a> {
    gemm: Option<&'a Set>,
    attention: [Option<&'a Set>; 2],
    /// All-reduce, all-gather, reduce-scatter, transfer; within a node and between nodes.
    links: [[Option<&'a Set>; 2]; 4],
    /// Time of compute kernels in training, relative to a short benchmark.
    compute: f64,
    /// Time of an older release of the software, relative to a current one.
    age: f64,
    /// Device memory rate, for gradients accumulated in 32 bits.
    memory_rate: f64,
    low_precision: bool,
    /// Cached prices: the step's sums and the report's tables price the same operators.
    known: RefCell<Vec<(Work, Option<f64>)>>,
}

impl<'a> Corrections<'a> {
    /// The corrections of a profile for a scenario.
    pub fn new(profile: &'a Profile, scenario: &Scenario, constants: &Constants) -> Self {
        let find = |operator, direction| profile.find(&OperatorWorkload::new(operator, &[]), direction);
        let links = |operator| {
            [[0.0, 1.0, 2.0], [0.0, 2.0, 1.0]]
                .map(|sizes| profile.find(&OperatorWorkload::new(operator, &sizes), Direction::Whole))
        };
        // Fused modules and XLA use the vendor library's attention.
        let fused = scenario.software.profile().launch == Launch::Fused;
        let attention = if fused || scenario.software.is_one_program() {
            [Direction::Forward, Direction::Backward]
                .map(|direction| find(SampledOperator::CausalAttention, direction))
        } else {
            [None, None]
        };
        let age = software_age(scenario, constants);
        let gpu = &scenario.cluster.gpu;
        Self {
            gemm: find(SampledOperator::Gemm, Direction::Forward),
            attention,
            links: [
                SampledOperator::AllReduce,
                SampledOperator::AllGather,
                SampledOperator::ReduceScatter,
                SampledOperator::PointToPoint,
            ]
            .map(links),
            compute: age / training_over_samples(gpu.family, constants),
            age,
            memory_rate: gpu.memory_bandwidth.0 * constants.memory_efficiency / age,
            low_precision: !matches!(scenario.workload.precision, Precision::Fp16 | Precision::Bf16),
            known: RefCell::default(),
        }
    }

    fn gemm(&self, gemm: &Gemm) -> Option<(&'a Set, OperatorWorkload)> {
        if gemm.groups > 1.0 || (gemm.low_precision && self.low_precision) {
            return None;
        }
        Some((self.gemm?, OperatorWorkload::new(SampledOperator::Gemm, &[gemm.m, gemm.k, gemm.n])))
    }

    fn attention(&self, core: &AttentionCore) -> Option<(&'a Set, OperatorWorkload)> {
        if core.pairs != 1.0 || core.keys <= 0.0 {
            return None;
        }
        let [forward, backward] = self.attention;
        let set = if core.backward { backward } else { forward }?;
        let width = 0.5 * (core.head_dim + core.value_dim);
        let sizes = [core.tokens / core.keys, core.keys, core.heads, width];
        Some((set, OperatorWorkload::new(SampledOperator::CausalAttention, &sizes)))
    }

    fn collective(
        &self,
        kind: Collective,
        bytes: f64,
        group: &GroupPlacement,
    ) -> Option<(&'a Set, OperatorWorkload)> {
        if group.size <= 1.0 || bytes <= 0.0 {
            return None;
        }
        let across = group.domains() > 1.0;
        let (index, operator, rank_bytes) = match kind {
            Collective::AllReduce => (0, SampledOperator::AllReduce, bytes),
            Collective::AllGather => (1, SampledOperator::AllGather, bytes / group.size),
            Collective::ReduceScatter => (2, SampledOperator::ReduceScatter, bytes),
            Collective::PointToPoint => (3, SampledOperator::PointToPoint, bytes),
            Collective::AllToAll => return None,
        };
        let set = (*self.links.get(index)?.get(usize::from(across))?)?;
        let [nodes, per_node] = match (kind, across) {
            (Collective::PointToPoint, true) => [2.0, 1.0],
            (Collective::PointToPoint, false) => [1.0, 2.0],
            _ => [group.domains(), group.in_domain],
        };
        Some((set, OperatorWorkload::new(operator, &[rank_bytes / 2.0, nodes, per_node])))
    }

    /// The learned set of an operator, and its workload.
    fn found(&self, work: &Work) -> Option<(&'a Set, OperatorWorkload)> {
        match work {
            Work::Gemm(gemm) => self.gemm(gemm),
            Work::Attention(core) => self.attention(core),
            Work::Collective { kind, bytes, group } => self.collective(*kind, *bytes, group),
            Work::Stream { .. }
            | Work::Scan(_)
            | Work::Convolution { .. }
            | Work::Index(_)
            | Work::Scatter { .. }
            | Work::Cast { .. }
            | Work::HostCopy { .. }
            | Work::Dispatch { .. } => None,
        }
    }

    fn learned(&self, work: &Work) -> Option<f64> {
        let (set, workload) = self.found(work)?;
        let seconds = within(set, &workload)?;
        Some(match work {
            // Samples write 16-bit results; a 32-bit gradient is read and written.
            Work::Gemm(gemm) if gemm.accumulates => {
                (seconds * self.compute).max(8.0 * gemm.m * gemm.n / self.memory_rate)
            }
            Work::Gemm(_) | Work::Attention(_) => seconds * self.compute,
            _ => seconds * self.age,
        })
    }
}

/// Seconds of one call, unless it is too far outside the samples.
fn within(set: &Set, workload: &OperatorWorkload) -> Option<f64> {
    let distance = set.hybrid.range.distance(workload);
    (distance <= REACH).then(|| set.hybrid.time_at(workload, distance))
}

impl LearnedTimes for Corrections<'_> {
    fn seconds(&self, work: &Work) -> Option<f64> {
        if matches!(
            work,
            Work::Stream { .. }
                | Work::Scan(_)
                | Work::Convolution { .. }
                | Work::Index(_)
                | Work::Scatter { .. }
                | Work::Cast { .. }
                | Work::HostCopy { .. }
                | Work::Dispatch { .. }
        ) {
            return None;
        }
        let mut known = self.known.borrow_mut();
        if let Some((_, seconds)) = known.iter().find(|entry| entry.0 == *work) {
            return *seconds;
        }
        let seconds = self.learned(work);
        known.push((*work, seconds));
        seconds
    }

    fn is_measured(&self, work: &Work) -> bool {
        self.found(work)
            .is_some_and(|(set, workload)| set.hybrid.provenance(&workload) == Provenance::Measured)
    }
}
