//! The forecast of one step, in as much detail as the page shows.

mod bottleneck;
mod bounds;
mod comparison;
mod confidence;
mod end;
mod estimate;
mod evidence;
mod interval;
mod layers;
mod memory_curve;
mod own_runs;
mod passes;
mod pipeline;
mod places;
mod predictor;
mod report;
mod roofline;
mod shape;
mod step;
mod tried;
mod untried;
mod utilisation;
mod widths;

pub use crate::cost::Bound;
pub use crate::step::{Parallelism, Pass};
pub use comparison::{Difference, RatioInterval};
pub use confidence::{Confidence, Likeness};
pub use estimate::{Estimate, Estimator};
pub use interval::{CalibrationEvidence, ClassWidths, Interval, SoftwareEvidence, WidthClass};
pub use memory_curve::MemoryPoint;
pub use own_runs::UserRun;
pub use predictor::Predictor;
pub use roofline::{Roof, Roofline, RooflineKind, RooflinePoint};
pub use shape::OperatorShape;
pub use untried::{FIELDS_OF_RUNS, Untried, untried};
pub use widths::BANDS;

pub(crate) use bounds::{LeastPipeline, PipelineOutline, StepShares};
pub(crate) use end::Reductions;
pub(crate) use estimate::{JobShares, PlaceKey, PriceCache};
pub(crate) use places::{PlaceTimes, Priced};
pub(crate) use step::{Step, pipeline_share};
pub use utilisation::{flops_per_token, peak};
pub(crate) use utilisation::{mfu, model_flops_per_token, tokens_per_s_per_gpu};

use crate::cost::Provenance;
use crate::memory::MemoryReport;
use crate::units::{Bytes, Flops, Seconds};
use core::fmt;
use serde::{Serialize, Serializer};

/// Everything forecast about one scenario.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Prediction {
    /// Time of one optimizer step.
    #[serde(rename = "step_s")]
    pub step: Seconds,
    /// 90 % interval of the step time.
    #[serde(flatten)]
    pub interval: Interval,
    /// Where the time goes; the parts sum to [`Prediction::step`].
    pub breakdown: Breakdown,
    /// Communication overlapped with compute (not counted).
    pub hidden: HiddenCommunication,
    /// One row per operator of the slowest stage.
    pub operators: Vec<OperatorRow>,
    /// One row per pipeline stage.
    pub stages: Vec<StageRow>,
    /// Memory per stage, and the GPU capacity.
    pub memory: MemoryReport,
    /// Data-parallel degree.
    pub data_parallel: u32,
    /// Micro-batches per replica and step.
    pub micro_batches: u32,
    /// Model FLOPs utilisation: useful FLOPs (no recompute) over peak, 0 to 1.
    pub mfu: f64,
    /// Hardware FLOPs utilisation: executed FLOPs (recompute included) over peak, 0 to 1.
    pub hfu: f64,
    /// Model TFLOP/s per GPU.
    pub model_tflops_per_gpu: f64,
    /// Tokens per second of the whole job.
    pub tokens_per_s: f64,
    /// Tokens per second per GPU.
    pub tokens_per_s_per_gpu: f64,
    /// Bottleneck of the step, in words.
    pub bottleneck: Bottleneck,
}

/// Step time breakdown, in seconds on the critical path: the slowest stage, then the pipeline
/// schedule and the end of the step. The parts sum to the step time.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Breakdown {
    /// Forward kernels.
    pub forward: Seconds,
    /// Backward kernels (input and weight gradients).
    pub backward: Seconds,
    /// Forward kernels that run again to save memory.
    pub recompute: Seconds,
    /// Exposed TP communication.
    pub tensor_communication: Seconds,
    /// Exposed CP communication.
    pub context_communication: Seconds,
    /// Exposed EP communication.
    pub expert_communication: Seconds,
    /// Exposed PP communication.
    pub pipeline_communication: Seconds,
    /// Exposed DP communication (gradients, parameters, tied embeddings).
    pub data_communication: Seconds,
    /// Pipeline bubble: idle time of the slowest stage while the pipeline fills and drains.
    pub bubble: Seconds,
    /// Optimizer update.
    pub optimizer: Seconds,
    /// Host launch overhead, fixed work per step, and stragglers.
    pub host: Seconds,
}

impl Breakdown {
    /// Key, label and time of every part, in reading order.
    pub fn parts(&self) -> [(&'static str, &'static str, Seconds); 11] {
        [
            ("forward", "Forward", self.forward),
            ("backward", "Backward", self.backward),
            ("recompute", "Recompute", self.recompute),
            ("tensor_communication", "Tensor-parallel communication", self.tensor_communication),
            ("context_communication", "Context-parallel communication", self.context_communication),
            ("expert_communication", "Expert-parallel communication", self.expert_communication),
            ("pipeline_communication", "Pipeline communication", self.pipeline_communication),
            ("data_communication", "Data-parallel communication", self.data_communication),
            ("bubble", "Pipeline bubble", self.bubble),
            ("optimizer", "Optimizer", self.optimizer),
            ("host", "Host and stragglers", self.host),
        ]
    }

    /// Sum of the parts.
    pub fn total(&self) -> Seconds {
        self.parts().iter().map(|part| part.2).sum()
    }
}

/// Communication overlapped with compute, per step.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct HiddenCommunication {
    /// Tensor-parallel.
    pub tensor: Seconds,
    /// Context-parallel.
    pub context: Seconds,
    /// Expert-parallel.
    pub expert: Seconds,
    /// Pipeline.
    pub pipeline: Seconds,
    /// Data-parallel.
    pub data: Seconds,
}

/// Operator of the slowest stage: a kernel or a collective.
///
/// The rows are the breakdown: [`OperatorRow::step`] over all rows of a part is that part. Only the pipeline's bubble and
/// the host have no operators.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct OperatorRow {
    /// Name, for example `qkv_projection` or `gradient_reduction`.
    pub name: &'static str,
    /// Pass of the operator.
    pub pass: Pass,
    /// Type of parallelism of a collective; absent for kernels.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parallelism: Option<Parallelism>,
    /// Shape, for example `4096 x 2560 x 8192`.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub shape: OperatorShape,
    /// Calls per micro-batch on the slowest stage; per step for the pass `step`.
    pub count: f64,
    /// FLOPs of one call.
    pub flops: Flops,
    /// Device-memory bytes (kernels) or wire bytes per rank (collectives) of one call.
    pub bytes: Bytes,
    /// Time of one call.
    pub time: Seconds,
    /// Part of the breakdown.
    pub part: &'static str,
    /// Exposed time of all calls per step: the contribution to the part of the breakdown.
    #[serde(rename = "step_s")]
    pub step: Seconds,
    /// Resource that bounds the operator.
    pub bound: Bound,
    /// Basis of the time, in a forecast with learned times.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rests_on: Option<Provenance>,
}

/// One pipeline stage, times per micro-batch.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StageRow {
    /// Stage number from 0.
    pub stage: u32,
    /// Number of transformer layers.
    pub layers: u32,
    /// Forward pass, including communication and host overhead.
    pub forward: Seconds,
    /// Backward pass, including recomputation, communication and host overhead.
    pub backward: Seconds,
    /// Peak memory of one GPU of this stage.
    pub peak_memory: Bytes,
}

/// Bottleneck of the step.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Bottleneck {
    /// Key of the largest avoidable part of the breakdown, or `compute`.
    pub kind: &'static str,
    /// One or two plain sentences.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub sentence: BottleneckSentence,
}

/// A bottleneck in words. Written as one text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BottleneckSentence {
    /// Its share of the step, in a sentence.
    pub share: String,
    /// What reduces it, in sentences; empty for none.
    pub advice: &'static str,
}

impl fmt::Display for BottleneckSentence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.share)?;
        if !self.advice.is_empty() {
            f.write_str(" ")?;
        }
        f.write_str(self.advice)
    }
}

impl Serialize for BottleneckSentence {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}
