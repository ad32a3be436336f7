//! How the job is laid out over the machines.

mod legality;
pub mod stages;

pub use legality::plan_is_legal;

use serde::{Deserialize, Serialize};

/// A layout. The data-parallel degree follows from it and the number of GPUs
/// ([`crate::scenario::Scenario::data_parallel`]).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Plan {
    /// Tensor-parallel degree t.
    pub tensor_parallel: u32,
    /// Megatron sequence parallelism: norms and residuals are split over the tensor-parallel group.
    pub sequence_parallel: bool,
    /// Context-parallel degree.
    pub context_parallel: u32,
    /// Expert-parallel degree: ranks that the routed experts of a layer are dealt to. They are taken from
    /// the tensor-, context- and data-parallel ranks of a stage.
    pub expert_parallel: u32,
    /// Ranks that one expert is split over (expert-tensor parallelism).
    pub expert_tensor_parallel: u32,
    /// Pipeline-parallel degree p (stages).
    pub pipeline_parallel: u32,
    /// Virtual stages per GPU (interleaved 1F1B); 1 is plain 1F1B.
    pub virtual_stages: u32,
    /// What data-parallel ranks shard.
    pub zero: Zero,
    /// Sequences in one micro-batch of one replica.
    pub micro_batch: u32,
    /// Which activations are recomputed in the backward pass.
    pub recompute: Recompute,
    /// Tensor-parallel communication is overlapped with the GEMMs around it.
    pub tensor_overlap: bool,
    /// Tokens travel to experts while another micro-batch is computed.
    pub expert_overlap: bool,
    /// Data-parallel communication is overlapped with compute.
    pub data_overlap: bool,
    /// Which axis is innermost on the machines.
    pub mapping: Mapping,
    /// How layers are dealt to stages.
    pub stage_split: StageSplit,
}

/// What data-parallel ranks shard (ZeRO stages).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Zero {
    /// Nothing: plain data parallelism.
    None,
    /// Optimizer states (ZeRO-1, Megatron's distributed optimizer).
    Optimizer,
    /// Optimizer states and gradients (ZeRO-2).
    Gradients,
    /// Parameters too (ZeRO-3, FSDP full shard).
    Parameters,
    /// Parameters within a node, replicas across (HSDP).
    Hybrid,
}

/// Activation recomputation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Recompute {
    /// Keep everything.
    None,
    /// Recompute what is large and cheap: the attention core (unfused stacks) or norms and activations (fused stacks).
    Selective,
    /// Keep only each layer's input.
    Full,
}

/// Order of the parallel axes over the machines, innermost (neighbouring GPUs) first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mapping {
    /// tensor, context, data, pipeline (Megatron and DeepSpeed default).
    TensorDataPipeline,
    /// tensor, context, pipeline, data (the customised mapping of APNet'24).
    TensorPipelineData,
}

/// How layers are dealt to pipeline stages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StageSplit {
    /// Equal shares; the remainder goes to the first stages.
    Even,
    /// Embedding and LM head count as one layer each (Megatron-Core's
    /// `account_for_embedding_in_pipeline_split` and `account_for_loss_in_pipeline_split`).
    CountEnds,
}
