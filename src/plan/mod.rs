//! How the job is laid out over the machines.

mod given;
mod legality;
mod modules;
pub mod stages;

pub use given::StageLayers;
pub use legality::plan_is_legal;
pub use modules::Modules;

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
    /// Virtual stages per GPU: 1, or more where the schedule interleaves them, or 2 where it folds them.
    pub virtual_stages: u32,
    /// Order in which a stage runs its micro-batches.
    pub schedule: Schedule,
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
    /// Transfers between stages run beside kernels; otherwise a stage waits for its own sends.
    pub pipeline_overlap: bool,
    /// Optimizer states live in the host's memory, and the host updates the parameters.
    pub offload_optimizer: bool,
    /// Percent of the activations kept for the backward pass that wait in the host's memory.
    pub offload_activations: u32,
    /// Which axis is innermost on the machines.
    pub mapping: Mapping,
    /// How layers are dealt to stages.
    pub stage_split: StageSplit,
}

impl Plan {
    /// One GPU a replica: nothing divided, sharded, recomputed or offloaded, and of what there is to send, only
    /// tensors and tokens wait.
    pub const PLAIN: Self = Self {
        tensor_parallel: 1,
        sequence_parallel: false,
        context_parallel: 1,
        expert_parallel: 1,
        expert_tensor_parallel: 1,
        pipeline_parallel: 1,
        virtual_stages: 1,
        schedule: Schedule::OneForwardOneBackward,
        zero: Zero::None,
        micro_batch: 1,
        recompute: Recompute::None,
        tensor_overlap: false,
        expert_overlap: false,
        data_overlap: true,
        pipeline_overlap: true,
        offload_optimizer: false,
        offload_activations: 0,
        mapping: Mapping::TensorDataPipeline,
        stage_split: StageSplit::Even,
    };

    /// The same with every degree 1, so that each GPU is a replica: what can run on any number of GPUs. What goes
    /// with degrees goes with them; sharding, recompute, overlap, offloading and mapping stay.
    #[must_use]
    pub fn undivided(self) -> Self {
        Self {
            zero: self.zero,
            recompute: self.recompute,
            tensor_overlap: self.tensor_overlap,
            expert_overlap: self.expert_overlap,
            data_overlap: self.data_overlap,
            pipeline_overlap: self.pipeline_overlap,
            offload_optimizer: self.offload_optimizer,
            offload_activations: self.offload_activations,
            mapping: self.mapping,
            ..Self::PLAIN
        }
    }
}

/// Pipeline schedule: the order in which a stage runs the passes of its micro-batches.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Schedule {
    /// One forward, one backward (PipeDream-Flush); interleaved where there are virtual stages (Narayanan et
    /// al. 2021, arXiv 2104.04473).
    #[default]
    OneForwardOneBackward,
    /// All forward passes, then all backward passes (GPipe, arXiv 1811.06965).
    AllForwardAllBackward,
    /// ZB-H1: 1F1B whose weight gradients fill the drain, in 1F1B's memory (Qi et al. 2024, arXiv 2401.10241).
    ZeroBubbleH1,
    /// ZB-H2: ZB-H1 with twice the warm-up. Its stages end as far apart as they begin, so that the optimizer
    /// must not wait for all of them (post-validation, section 4 of the same).
    ZeroBubbleH2,
    /// ZB-V: two parts of the model on every GPU, dealt down and up again (section 6 of the same); ends as
    /// ZB-H2 does.
    ZeroBubbleV,
    /// DualPipe: two copies of the model, fed from both ends (DeepSeek-V3, arXiv 2412.19437, section 3.2.1).
    DualPipe,
    /// DualPipe cut in half: one copy, folded as ZB-V folds it.
    DualPipeV,
}

impl Schedule {
    /// Every schedule, the usual one first.
    pub const ALL: [Self; 7] = [
        Self::OneForwardOneBackward,
        Self::AllForwardAllBackward,
        Self::ZeroBubbleH1,
        Self::ZeroBubbleH2,
        Self::ZeroBubbleV,
        Self::DualPipe,
        Self::DualPipeV,
    ];

    /// Its name for people.
    pub fn label(self) -> &'static str {
        match self {
            Self::OneForwardOneBackward => "1F1B",
            Self::AllForwardAllBackward => "GPipe",
            Self::ZeroBubbleH1 => "ZB-H1",
            Self::ZeroBubbleH2 => "ZB-H2",
            Self::ZeroBubbleV => "ZB-V",
            Self::DualPipe => "DualPipe",
            Self::DualPipeV => "DualPipeV",
        }
    }

    /// Whether the model is dealt down the stages and up again: chunk k < p on stage k, the others on stage
    /// 2p - 1 - k.
    pub fn folds(self) -> bool {
        matches!(self, Self::ZeroBubbleV | Self::DualPipeV)
    }

    /// Whether every GPU holds a second chunk, that of the mirrored stage, for micro-batches from the other end.
    pub fn mirrors(self) -> bool {
        self == Self::DualPipe
    }

    /// Whether weight gradients run apart from input gradients.
    pub fn splits_backward(self) -> bool {
        !matches!(self, Self::OneForwardOneBackward | Self::AllForwardAllBackward)
    }

    /// Whether a forward and a backward pass run as one, each behind the other's communication.
    pub fn pairs_passes(self) -> bool {
        matches!(self, Self::DualPipe | Self::DualPipeV)
    }

    /// Whether a stage goes on to its next step without waiting for the others' last passes.
    pub fn ends_unevenly(self) -> bool {
        matches!(self, Self::ZeroBubbleH2 | Self::ZeroBubbleV)
    }
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
    /// Recompute some modules of every layer.
    Modules(Modules),
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
    /// As many layers on every chunk as the list says (Megatron-Core's `pipeline_model_parallel_layout`,
    /// DeepSpeed's partition lists).
    Given(StageLayers),
}
