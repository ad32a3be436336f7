//! How the job is laid out over the machines.

mod given;
mod held;
mod modules;
pub mod stages;

pub use given::StageLayers;
pub use modules::Modules;

pub use crate::schedule::Schedule;

use serde::{Deserialize, Serialize};

/// A layout. The data-parallel degree follows from it and the number of GPUs
/// ([`crate::scenario::Scenario::data_parallel`]).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Plan {
    /// Tensor-parallel degree t.
    pub tensor_parallel: u32,
    /// Megatron sequence parallelism: norms and residuals are split over the tensor-parallel group.
    pub sequence_parallel: bool,
    /// Context-parallel degree.
    pub context_parallel: u32,
    /// CP communication of attention.
    pub context_exchange: ContextExchange,
    /// Expert-parallel degree: ranks that the routed experts of a layer are assigned to. They are taken from
    /// the tensor-, context- and data-parallel ranks of a stage.
    pub expert_parallel: u32,
    /// Ranks over which each expert is split (ETP).
    pub expert_tensor_parallel: u32,
    /// Pipeline-parallel degree p (stages).
    pub pipeline_parallel: u32,
    /// Virtual stages per GPU: 1, more for interleaved schedules, or 2 for V schedules.
    pub virtual_stages: u32,
    /// Pipeline schedule.
    pub schedule: Schedule,
    /// Sharding over data-parallel ranks.
    pub zero: Zero,
    /// Data-parallel ranks that share one sharded copy. 0 is the default: one machine with HSDP, otherwise all ranks. The
    /// effective value is the largest divisor of the data-parallel degree that does not exceed this value.
    pub shard_group: u32,
    /// Sequences in one micro-batch of one replica.
    pub micro_batch: u32,
    /// Activation recomputation in the backward pass.
    pub recompute: Recompute,
    /// TP communication overlaps with the adjacent GEMMs.
    pub tensor_overlap: bool,
    /// EP communication overlaps with the compute of another micro-batch.
    pub expert_overlap: bool,
    /// Gradient sync overlaps with the backward pass.
    pub data_overlap: bool,
    /// Parameter all-gathers overlap with compute.
    pub gather_overlap: GatherOverlap,
    /// PP communication overlaps with compute; otherwise a stage waits for each send.
    pub pipeline_overlap: bool,
    /// Optimizer offload: states are in host memory, and the CPU updates the parameters.
    pub offload_optimizer: bool,
    /// Parameter offload: parameter shards are in host memory.
    pub offload_parameters: bool,
    /// Activation offload: percentage of the stored activations in host memory.
    pub offload_activations: u32,
    /// Order of the parallel dimensions, innermost first.
    pub mapping: Mapping,
    /// Layers per stage.
    pub stage_split: StageSplit,
}

impl Plan {
    /// One GPU a replica: nothing divided, sharded, recomputed or offloaded, and of what there is to send, only
    /// tensors and tokens wait.
    pub const PLAIN: Self = Self {
        tensor_parallel: 1,
        sequence_parallel: false,
        context_parallel: 1,
        context_exchange: ContextExchange::Ring,
        expert_parallel: 1,
        expert_tensor_parallel: 1,
        pipeline_parallel: 1,
        virtual_stages: 1,
        schedule: Schedule::OneForwardOneBackward,
        zero: Zero::None,
        shard_group: 0,
        micro_batch: 1,
        recompute: Recompute::None,
        tensor_overlap: false,
        expert_overlap: false,
        data_overlap: true,
        gather_overlap: GatherOverlap::AsReduction,
        pipeline_overlap: true,
        offload_optimizer: false,
        offload_parameters: false,
        offload_activations: 0,
        mapping: Mapping::TensorDataPipeline,
        stage_split: StageSplit::Even,
    };

    /// The plan with every degree 1, so that each GPU is a replica: what can run on any number of GPUs. What goes
    /// with degrees goes with them; sharding, recompute, overlap, offloading and mapping stay.
    #[must_use]
    pub fn undivided(self) -> Self {
        Self {
            zero: self.zero,
            shard_group: self.shard_group,
            recompute: self.recompute,
            tensor_overlap: self.tensor_overlap,
            expert_overlap: self.expert_overlap,
            data_overlap: self.data_overlap,
            gather_overlap: self.gather_overlap,
            pipeline_overlap: self.pipeline_overlap,
            offload_optimizer: self.offload_optimizer,
            offload_parameters: self.offload_parameters,
            offload_activations: self.offload_activations,
            mapping: self.mapping,
            ..Self::PLAIN
        }
    }

    /// Whether a GPU fetches its shards of parameters from its host before they are gathered: sharded parameters alone can
    /// live there.
    pub fn fetches_parameters(&self) -> bool {
        self.offload_parameters && self.zero.shards_parameters()
    }

    /// Parameter all-gathers overlap with compute.
    pub fn gathers_overlap(&self) -> bool {
        match self.gather_overlap {
            GatherOverlap::AsReduction => self.data_overlap,
            GatherOverlap::Overlaps => true,
            GatherOverlap::Waits => false,
        }
    }

    /// Whether copies of what is sharded may be spread over fewer ranks than there are, and replicas of them reduce
    /// their shards.
    pub fn shards_in_groups(&self) -> bool {
        self.zero == Zero::Hybrid || (self.zero != Zero::None && self.shard_group > 0)
    }

    /// Whether every micro-batch reduces its own gradients, because sharded ones leave no room to accumulate whole ones
    /// (ZeRO-2). In a pipeline they are reduced once, when all micro-batches are through: DeepSpeed refuses ZeRO-2 there
    /// (`PipelineEngine`), and Megatron-Core and FSDP reduce with the last micro-batch.
    pub fn reduces_every_micro_batch(&self) -> bool {
        self.zero == Zero::Gradients && self.pipeline_parallel <= 1
    }
}

/// Communication of attention across a CP group (`cp_comm_type` in Transformer Engine).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum ContextExchange {
    /// Keys and values are handed around a ring, behind the attention to those that are there (`p2p`).
    Ring,
    /// Keys and values are gathered before the attention, which waits for them (`all_gather`).
    AllGather,
    /// Tokens are exchanged for heads before the attention, and back behind it (`a2a`; DeepSpeed-Ulysses).
    AllToAll,
}

impl ContextExchange {
    /// Every way.
    pub const ALL: [Self; 3] = [Self::Ring, Self::AllGather, Self::AllToAll];
}

/// Overlap of parameter all-gathers with compute: sharded layers with the previous layer, updated shards with the next
/// forward pass (Megatron's `overlap_param_gather`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum GatherOverlap {
    /// As gradients are reduced.
    AsReduction,
    /// They are.
    Overlaps,
    /// The step waits for them.
    Waits,
}

/// Sharding over data-parallel ranks (ZeRO stage).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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

impl Zero {
    /// Every level, from nothing to everything.
    pub const ALL: [Self; 5] = [Self::None, Self::Optimizer, Self::Gradients, Self::Parameters, Self::Hybrid];

    /// Whether parameters are sharded too, and gathered layer by layer.
    pub fn shards_parameters(self) -> bool {
        matches!(self, Self::Parameters | Self::Hybrid)
    }

    /// Whether a wrapper shards more than the optimizer's states, which PyTorch calls FSDP: `FULL_SHARD`, `HYBRID_SHARD` and,
    /// for gradients, `SHARD_GRAD_OP`, whose modules have the same hooks
    /// (<https://pytorch.org/docs/stable/fsdp.html>, `ShardingStrategy`).
    pub fn wraps_modules(self) -> bool {
        self == Self::Gradients || self.shards_parameters()
    }

    /// What the kernels of a layer depend on of it: levels of the same number run the same ones, but for the gathers of
    /// sharded parameters. Gradients that are sharded are not added to whole ones, and sharded weights are cast before they
    /// are gathered.
    pub fn kernels(self) -> usize {
        match self {
            Self::None | Self::Optimizer => 0,
            Self::Gradients => 1,
            Self::Parameters | Self::Hybrid => 2,
        }
    }
}

/// Activation recomputation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Recompute {
    /// Keep everything.
    None,
    /// Recompute what is large and cheap: the attention core (unfused stacks) or norms and activations (fused stacks).
    Selective,
    /// Keep only each layer's input.
    Full,
    /// The same of every n-th layer of a chunk alone; the others keep everything. Every first is [`Recompute::Full`].
    Every(u32),
    /// Recompute some modules of every layer.
    Modules(Modules),
}

impl Recompute {
    /// Of how many layers of a chunk one is recomputed whole: 1 for all of them, and where no layer is recomputed whole.
    pub fn every(self) -> u32 {
        match self {
            Self::Every(layers) => layers.max(1),
            Self::None | Self::Selective | Self::Full | Self::Modules(_) => 1,
        }
    }

    /// Full recompute of every so-many-th layer instead; the same where layers are not recomputed whole.
    #[must_use]
    pub fn of_every(self, layers: u32) -> Self {
        match self {
            Self::Full | Self::Every(_) if layers > 1 => Self::Every(layers),
            Self::Full | Self::Every(_) => Self::Full,
            Self::None | Self::Selective | Self::Modules(_) => self,
        }
    }
}

/// Order of the parallel axes over the machines, innermost (neighbouring GPUs) first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Mapping {
    /// tensor, context, data, pipeline (Megatron and DeepSpeed default).
    TensorDataPipeline,
    /// tensor, context, pipeline, data (the customised mapping of APNet'24).
    TensorPipelineData,
}

/// How layers are assigned to pipeline stages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum StageSplit {
    /// Equal shares; the remainder goes to the first stages.
    Even,
    /// Embedding and LM head count as one layer each (Megatron-Core's
    /// `account_for_embedding_in_pipeline_split` and `account_for_loss_in_pipeline_split`).
    CountEnds,
    /// As many layers on every chunk as the list says (Megatron-Core's `pipeline_model_parallel_layout`,
    /// DeepSpeed's partition lists).
    Given(#[cfg_attr(feature = "schema", schemars(with = "String"))] StageLayers),
}
