//! The columns of the ranked table: what they are called, how they sort, what they print.

use crate::number;
use crate::scenario::plan::{Recompute, Zero};
use crate::tuner::Candidate;
use crate::units::Bytes;

/// One column of the ranked table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Column {
    /// Time of one step.
    Step,
    /// Tokens per second and GPU.
    Throughput,
    /// Model FLOPs utilisation.
    Mfu,
    /// Peak memory of the fullest stage.
    Memory,
    /// Tensor-parallel degree.
    Tensor,
    /// Pipeline-parallel degree.
    Pipeline,
    /// Virtual stages per GPU.
    Virtual,
    /// Context-parallel degree.
    Context,
    /// Expert-parallel degree.
    Expert,
    /// Data-parallel degree.
    Data,
    /// Sequences in a micro-batch.
    MicroBatch,
    /// Micro-batches per replica and step.
    MicroBatches,
    /// Recomputed activations.
    Recompute,
    /// What data-parallel ranks shard.
    Zero,
    /// Sequence parallelism.
    Sequence,
    /// Exposed communication as a share of the step.
    Communication,
    /// Pipeline bubble as a share of the step.
    Bubble,
}

impl Column {
    /// Every column in the order of the table.
    pub const ALL: [Self; 17] = [
        Self::Step,
        Self::Mfu,
        Self::Memory,
        Self::Tensor,
        Self::Pipeline,
        Self::Virtual,
        Self::Context,
        Self::Expert,
        Self::Data,
        Self::MicroBatch,
        Self::MicroBatches,
        Self::Recompute,
        Self::Zero,
        Self::Sequence,
        Self::Throughput,
        Self::Communication,
        Self::Bubble,
    ];

    /// Name in links, filter expressions and CSV headers.
    pub fn key(self) -> &'static str {
        match self {
            Self::Step => "step",
            Self::Throughput => "tok",
            Self::Mfu => "mfu",
            Self::Memory => "mem",
            Self::Tensor => "tp",
            Self::Pipeline => "pp",
            Self::Virtual => "vpp",
            Self::Context => "cp",
            Self::Expert => "ep",
            Self::Data => "dp",
            Self::MicroBatch => "mb",
            Self::MicroBatches => "nm",
            Self::Recompute => "rc",
            Self::Zero => "zero",
            Self::Sequence => "sp",
            Self::Communication => "comm",
            Self::Bubble => "bubble",
        }
    }

    /// The column of that key, in either case.
    pub fn from_key(key: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|column| column.key().eq_ignore_ascii_case(key))
    }

    /// Heading.
    pub fn label(self) -> &'static str {
        match self {
            Self::Step => "Step",
            Self::Throughput => "Tokens/s",
            Self::Mfu => "MFU",
            Self::Memory => "Memory",
            Self::Tensor => "TP",
            Self::Pipeline => "PP",
            Self::Virtual => "VP",
            Self::Context => "CP",
            Self::Expert => "EP",
            Self::Data => "DP",
            Self::MicroBatch => "Micro-batch",
            Self::MicroBatches => "Micro-batches",
            Self::Recompute => "Recompute",
            Self::Zero => "ZeRO",
            Self::Sequence => "SP",
            Self::Communication => "Comm",
            Self::Bubble => "Bubble",
        }
    }

    /// Unit below the heading; empty when it has none.
    pub fn unit(self) -> &'static str {
        match self {
            Self::Step => "s",
            Self::Mfu | Self::Communication | Self::Bubble => "%",
            Self::Memory => "GiB",
            Self::Throughput => "/GPU",
            _ => "",
        }
    }

    /// What the column holds, in words.
    pub fn help(self) -> &'static str {
        match self {
            Self::Step => "Time of one optimizer step",
            Self::Throughput => "Tokens per second and GPU",
            Self::Mfu => super::summary::MFU,
            Self::Memory => {
                "Peak memory of the fullest stage; it fits when it leaves the device's context and NCCL's buffers their room"
            }
            Self::Tensor => "Tensor-parallel degree",
            Self::Pipeline => "Pipeline-parallel degree",
            Self::Virtual => "Virtual stages per GPU (interleaving)",
            Self::Context => "Context-parallel degree",
            Self::Expert => "Expert-parallel degree",
            Self::Data => "Data-parallel degree",
            Self::MicroBatch => "Sequences in one micro-batch",
            Self::MicroBatches => "Micro-batches per replica and step",
            Self::Recompute => "Activations recomputed in the backward pass",
            Self::Zero => "What data-parallel ranks shard",
            Self::Sequence => "Megatron sequence parallelism",
            Self::Communication => "Communication that compute waits for, as a share of the step",
            Self::Bubble => "Pipeline bubble, as a share of the step",
        }
    }

    /// Whether the first click should put the greatest value on top.
    pub fn greatest_first(self) -> bool {
        matches!(self, Self::Throughput | Self::Mfu)
    }

    /// Whether the column is left out when every row has the same value.
    pub fn only_if_varied(self) -> bool {
        matches!(self, Self::Virtual | Self::Context | Self::Expert | Self::Zero | Self::Sequence)
    }

    /// The value that sorts and filters, in the unit of [`Column::unit`].
    pub fn value(self, row: &Candidate) -> f64 {
        match self {
            Self::Step => row.step.0,
            Self::Throughput => row.tokens_per_s_per_gpu,
            Self::Mfu => row.mfu * 100.0,
            Self::Memory => row.peak_memory.gib(),
            Self::Tensor => f64::from(row.plan.tensor_parallel),
            Self::Pipeline => f64::from(row.plan.pipeline_parallel),
            Self::Virtual => f64::from(row.plan.virtual_stages),
            Self::Context => f64::from(row.plan.context_parallel),
            Self::Expert => f64::from(row.plan.expert_parallel),
            Self::Data => f64::from(row.data_parallel),
            Self::MicroBatch => f64::from(row.plan.micro_batch),
            Self::MicroBatches => f64::from(row.micro_batches),
            Self::Recompute => match row.plan.recompute {
                Recompute::None => 0.0,
                Recompute::Selective => 1.0,
                Recompute::Full => 2.0,
                Recompute::Modules(_) => 3.0,
            },
            Self::Zero => match row.plan.zero {
                Zero::None => 0.0,
                Zero::Optimizer => 1.0,
                Zero::Gradients => 2.0,
                Zero::Parameters => 3.0,
                Zero::Hybrid => 4.0,
            },
            Self::Sequence => f64::from(u8::from(row.plan.sequence_parallel)),
            Self::Communication => row.communication_share * 100.0,
            Self::Bubble => row.bubble_share * 100.0,
        }
    }

    /// Words that a filter may use for this column's values, with the value each stands for.
    pub fn words(self) -> &'static [(&'static str, f64)] {
        match self {
            Self::Recompute => &[("none", 0.0), ("selective", 1.0), ("full", 2.0)],
            Self::Zero => &[("none", 0.0), ("hybrid", 4.0)],
            Self::Sequence => &[("off", 0.0), ("no", 0.0), ("on", 1.0), ("yes", 1.0)],
            _ => &[],
        }
    }

    /// What the cell prints.
    pub fn text(self, row: &Candidate) -> String {
        match self {
            Self::Step => number::significant(row.step.0, 4),
            Self::Throughput => number::significant(row.tokens_per_s_per_gpu, 4),
            Self::Memory => number::fixed(Bytes::gib(row.peak_memory), 1),
            Self::Mfu | Self::Communication | Self::Bubble => number::fixed(self.value(row), 1),
            Self::Recompute => match row.plan.recompute {
                Recompute::None => "none".to_owned(),
                Recompute::Selective => "selective".to_owned(),
                Recompute::Full => "full".to_owned(),
                Recompute::Modules(set) => set.names(),
            },
            Self::Zero => match row.plan.zero {
                Zero::Hybrid => "hybrid".to_owned(),
                _ => number::fixed(self.value(row), 0),
            },
            Self::Sequence => if row.plan.sequence_parallel { "on" } else { "off" }.to_owned(),
            _ => number::fixed(self.value(row), 0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_unique_and_found_in_either_case() {
        for column in Column::ALL {
            assert_eq!(Column::from_key(column.key()), Some(column));
            assert_eq!(Column::from_key(&column.key().to_uppercase()), Some(column));
        }
        assert_eq!(Column::from_key("nothing"), None);
    }
}
