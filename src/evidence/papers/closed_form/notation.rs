//! The equations themselves, as functions of the paper's notation (its table 4).

use super::Parameters;
use crate::scenario::Scenario;
use crate::units::{Bytes, BytesPerSecond, Flops, FlopsPerSecond, Seconds};
use serde::Serialize;

/// Bytes of one parameter, activation or gradient.
const WORD: f64 = 2.0;

/// The paper's symbols. All are counts.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Notation {
    /// Pipeline-parallel size p.
    pub p: f64,
    /// Tensor-parallel size t.
    pub t: f64,
    /// Data-parallel size d.
    pub d: f64,
    /// Transformer blocks l.
    pub l: f64,
    /// Hidden size h.
    pub h: f64,
    /// Sequence length s.
    pub s: f64,
    /// Global batch gb.
    pub gb: f64,
    /// Micro-batch b.
    pub b: f64,
    /// Micro-batches of one pipeline in one step, m = gb / (b d).
    pub m: f64,
    /// Vocabulary V, not padded.
    #[serde(rename = "V")]
    pub vocabulary: f64,
}

/// The terms of equation 1, in seconds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct EquationTerms {
    /// T_comp, equation 9.
    pub computation: Seconds,
    /// T_TP, equation 2.
    pub tensor_parallel: Seconds,
    /// T_PP, equation 3.
    pub pipeline_parallel: Seconds,
    /// T_DP, equation 4.
    pub data_parallel: Seconds,
    /// T_bubble, equation 5.
    pub bubble: Seconds,
}

impl EquationTerms {
    /// Equation 1.
    pub fn step(&self) -> Seconds {
        self.computation + self.tensor_parallel + self.pipeline_parallel + self.data_parallel + self.bubble
    }

    /// T_TP + T_PP + T_DP.
    pub fn communication(&self) -> Seconds {
        self.tensor_parallel + self.pipeline_parallel + self.data_parallel
    }
}

impl Notation {
    /// The symbols of a scenario. Context parallelism and virtual stages have none.
    pub fn new(scenario: &Scenario) -> Self {
        let (model, plan) = (&scenario.model, &scenario.plan);
        Self {
            p: f64::from(plan.pipeline_parallel.max(1)),
            t: f64::from(plan.tensor_parallel.max(1)),
            d: f64::from(scenario.data_parallel()),
            l: f64::from(model.layers),
            h: f64::from(model.hidden),
            s: f64::from(scenario.workload.sequence),
            gb: f64::from(scenario.workload.global_batch),
            b: f64::from(plan.micro_batch.max(1)),
            m: f64::from(scenario.micro_batches()),
            vocabulary: f64::from(model.vocabulary),
        }
    }

    /// Bytes of one tensor- or pipeline-parallel message, 2bsh.
    pub fn activation(&self) -> Bytes {
        Bytes(WORD * self.b * self.s * self.h)
    }

    /// Bytes of one GPU's gradients, 2N / (pt).
    pub fn gradients(&self) -> Bytes {
        Bytes(WORD * self.parameters() / (self.p * self.t))
    }

    /// Bytes a member of a ring of k puts on the wire to all-reduce one byte, 2(k-1)/k.
    pub fn ring(k: f64) -> f64 {
        2.0 * (k - 1.0) / k
    }

    /// Equation 2: T_TP, six ring all-reduces per block and micro-batch.
    pub fn tensor_parallel(&self, rate: Option<BytesPerSecond>) -> Seconds {
        transfer(self.m * (self.l / self.p) * 6.0 * Self::ring(self.t) * self.activation(), rate)
    }

    /// Equation 3: T_PP, one send and one receive per micro-batch. Zero without a pipeline, where the
    /// paper's stage 1 would have nobody to talk to.
    pub fn pipeline_parallel(&self, rate: Option<BytesPerSecond>) -> Seconds {
        let messages = if self.p > 1.0 { self.m * 2.0 } else { 0.0 };
        transfer(messages * self.activation(), rate)
    }

    /// Equation 4: T_DP, one ring all-reduce of the gradients.
    pub fn data_parallel(&self, rate: Option<BytesPerSecond>) -> Seconds {
        transfer(Self::ring(self.d) * self.gradients(), rate)
    }

    /// Equation 5: T_bubble, from the step's computation and communication of all micro-batches.
    pub fn bubble(&self, computation: Seconds, tensor: Seconds, pipeline: Seconds) -> Seconds {
        (computation + tensor + pipeline) / self.m * (self.p - 1.0)
    }

    /// Equation 7: the bubble's share of the step without T_DP.
    pub fn bubble_ratio(&self) -> f64 {
        (self.p - 1.0) / (self.p - 1.0 + self.m)
    }

    /// Equation 8: FLOPs of one micro-batch on one GPU, recomputation included.
    pub fn micro_batch_flops(&self) -> Flops {
        Flops(8.0 * self.parameters() / (self.p * self.t) * self.b * self.s)
    }

    /// Equation 9: T_comp.
    pub fn computation(&self, utilisation: f64, peak: FlopsPerSecond) -> Seconds {
        self.m * (self.micro_batch_flops() / (utilisation * peak))
    }

    /// Equation 10: N.
    pub fn parameters(&self) -> f64 {
        let Self { l, h, s, vocabulary, .. } = *self;
        12.0 * l * h * h * (1.0 + 13.0 / (12.0 * h) + (vocabulary + s) / (12.0 * l * h))
    }

    /// Equation 11: P, FLOPs of b sequences through the whole model, recomputation included.
    pub fn flops(&self) -> Flops {
        let Self { l, h, s, b, vocabulary, .. } = *self;
        Flops(96.0 * b * s * l * h * h * (1.0 + s / (6.0 * h) + vocabulary / (16.0 * l * h)))
    }

    /// Equations 2 to 5 and 9 under the measured parameters.
    pub fn terms(&self, parameters: &Parameters) -> EquationTerms {
        let computation = self.computation(parameters.utilisation.value, parameters.peak);
        let tensor_parallel = self.tensor_parallel(parameters.tensor_rate());
        let pipeline_parallel = self.pipeline_parallel(parameters.pipeline_rate());
        EquationTerms {
            computation,
            tensor_parallel,
            pipeline_parallel,
            data_parallel: self.data_parallel(parameters.data_rate()),
            bubble: self.bubble(computation, tensor_parallel, pipeline_parallel),
        }
    }
}

/// Time of this many bytes; zero without bytes, at any rate.
fn transfer(bytes: Bytes, rate: Option<BytesPerSecond>) -> Seconds {
    match rate {
        Some(rate) if bytes.0 > 0.0 => bytes / rate,
        _ => Seconds::ZERO,
    }
}
