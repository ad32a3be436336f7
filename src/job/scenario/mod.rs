//! The user's choices: model, cluster, workload, layout, software.

mod adapters;
pub mod cluster;
pub mod model;
pub mod plan;
pub mod stack;
mod training;
mod training_run;
pub mod usual;

pub use adapters::{AdapterTargets, Adapters, BaseFormat};
pub use training::{
    GradientFormat, MuonWay, Optimizer, OptimizerKernels, StateFormat, Training, UpdateBytes, WeightFormat,
};
pub use training_run::TrainingRun;

use cluster::Cluster;
use model::{Layers, Mixer, Model};
use plan::{Mapping, Plan};
use serde::{Deserialize, Serialize};
use stack::{Attention, AttentionKernel, Software};

/// A complete, numeric description of one training job.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub struct Scenario {
    /// The network that is trained.
    pub model: Model,
    /// The machines.
    pub cluster: Cluster,
    /// The batch.
    pub workload: Workload,
    /// How parameters are trained.
    pub training: Training,
    /// The software that runs it.
    pub software: Software,
    /// The layout.
    pub plan: Plan,
    /// The whole run.
    pub run: TrainingRun,
}

impl PartialEq for Scenario {
    // A derived comparison would be compiled into every crate that compares jobs, which makes the page larger.
    #[inline(never)]
    fn eq(&self, other: &Self) -> bool {
        let Self { model, cluster, workload, training, software, plan, run } = other;
        self.model == *model
            && self.cluster == *cluster
            && self.workload == *workload
            && self.training == *training
            && self.software == *software
            && self.plan == *plan
            && self.run == *run
    }
}

/// What one optimizer step processes.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Workload {
    /// Tokens in one sequence.
    pub sequence: u32,
    /// Sequences in one optimizer step.
    pub global_batch: u32,
    /// Tokens per document in packed sequences, which do not attend to each other; 0 for whole sequences.
    pub document: u32,
    /// Percent of the tokens that are padding: computed without use.
    pub padding: u32,
    /// Number format of the matrix products.
    pub precision: Precision,
    /// Layers whose products keep 16 bits where `precision` has fewer.
    pub wide_layers: WideLayers,
}

/// How many layers at either end of the model keep 16 bits (Megatron's `num_layers_at_start_in_bf16` and `_at_end_`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct WideLayers {
    /// Layers at the start.
    pub first: u32,
    /// Layers at the end.
    pub last: u32,
}

impl WideLayers {
    /// None.
    pub const NONE: Self = Self { first: 0, last: 0 };
}

/// Number format of the matrix products; everything else stays in 16 or 32 bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Precision {
    /// IEEE half precision.
    Fp16,
    /// bfloat16.
    Bf16,
    /// FP8 with per-tensor scales (delayed or current).
    Fp8,
    /// FP8 with per-block scales (DeepSeek style 128x128).
    Fp8Block,
    /// OCP MXFP8 (32-element blocks).
    Mxfp8,
    /// NVIDIA FP4.
    Nvfp4,
}

impl Precision {
    /// Every format, the widest first.
    pub const ALL: [Self; 6] = [Self::Bf16, Self::Fp16, Self::Fp8, Self::Fp8Block, Self::Mxfp8, Self::Nvfp4];

    /// Whether products are of 16-bit numbers.
    pub fn is_16_bits(self) -> bool {
        matches!(self, Self::Fp16 | Self::Bf16)
    }
}

/// Number of measured runs of a GPU generation or stack that the constants rest on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MeasuredRuns {
    /// Enough of them.
    Many,
    /// Too few to count.
    Few,
    /// None.
    None,
}

impl Workload {
    /// Tokens that attend to each other: a document, or the whole sequence.
    pub fn attended(&self) -> u32 {
        if self.document == 0 { self.sequence } else { self.document.min(self.sequence) }
    }
}

impl Scenario {
    /// The layers of its model by kind, those apart that keep 16 bits among quantised ones.
    pub fn layers(&self) -> Layers {
        let narrow = !self.workload.precision.is_16_bits();
        let wide = if narrow { self.workload.wide_layers } else { WideLayers::NONE };
        Layers::keeping(&self.model, wide)
    }

    /// Whether fixed work per step costs the same as on one GPU: the GPU waits for no other, or the model is one
    /// compiled program without module wrappers, whose reductions block a stream and not the host
    /// (<https://docs.pytorch.org/docs/stable/distributed.html>, `wait`).
    pub fn steps_alone(&self) -> bool {
        let wrapped = self.plan.zero.wraps_modules() || self.plan.pipeline_parallel > 1;
        self.cluster.gpus <= 1 || self.software.is_whole_program() && !wrapped
    }

    /// Whether some layout of the job has [`Scenario::steps_alone`].
    pub fn may_step_alone(&self) -> bool {
        self.cluster.gpus <= 1 || self.software.is_whole_program()
    }

    /// Whether weights exist only in 32 bits and are cast for products: PyTorch's FSDP and plain training with
    /// autocast.
    pub fn keeps_masters_only(&self) -> bool {
        match self.training.weights {
            WeightFormat::Stack => self.software.profile().master_only,
            WeightFormat::Single => true,
            WeightFormat::Master | WeightFormat::Half => false,
        }
    }

    /// Whether a layout makes the host add gradients per micro-batch and update by operators: FSDP's offloaded shards
    /// with their optimizer.
    pub fn leaves_update_to_operators(&self, plan: &Plan) -> bool {
        plan.offload_optimizer && plan.fetches_parameters() && self.software.profile().shards_by_module
    }

    /// Whether plain PyTorch casts logits to 32 bits before the loss: code like Llama's does, and autocast always.
    pub fn widens_logits(&self) -> bool {
        let widens = self.model.code.widens_logits() || self.training.casts_weights(&self.plan);
        self.software.plain_modules() && widens
    }

    /// GPUs from one replica, and from one stage, to the next.
    pub fn strides(&self) -> [u32; 2] {
        let plan = &self.plan;
        let inside = plan.tensor_parallel.saturating_mul(plan.context_parallel);
        match plan.mapping {
            Mapping::TensorDataPipeline => [inside, inside.saturating_mul(self.data_parallel())],
            Mapping::TensorPipelineData => [inside.saturating_mul(plan.pipeline_parallel), inside],
        }
    }

    /// Whether every tensor-parallel rank has all logits of its tokens, gathered over the group. Programs that split sequences
    /// split the vocabulary as well: Transformers' plans do neither.
    pub fn gathers_logits(&self) -> bool {
        let splits = self.plan.tensor_parallel > 1 && !self.plan.sequence_parallel;
        splits && self.software.profile().whole_vocabulary
    }

    /// Whether tensor-parallel ranks each have a part of the embedding's rows: one that is tied is split with the head.
    pub fn splits_embedding(&self) -> bool {
        self.plan.tensor_parallel > 1 && (self.model.tied_embeddings || !self.gathers_logits())
    }

    /// Bytes per parameter fetched from the host: of the only copy, or of the 16-bit copy.
    pub fn host_weight_bytes(&self) -> f64 {
        let adapters = &self.training.adapters;
        if !adapters.freeze() && self.keeps_masters_only() { training::SINGLE } else { adapters.base_bytes() }
    }

    /// The job in another number format.
    #[must_use]
    pub fn with(&self, precision: Precision) -> Self {
        Self { workload: Workload { precision, ..self.workload }, ..*self }
    }

    /// Data-parallel degree d = GPUs / (t p c). At least 1; exact when the scenario is valid.
    pub fn data_parallel(&self) -> u32 {
        let model_parallel = u64::from(self.plan.tensor_parallel)
            * u64::from(self.plan.pipeline_parallel)
            * u64::from(self.plan.context_parallel);
        (u64::from(self.cluster.gpus) / model_parallel.max(1)).max(1) as u32
    }

    /// Copies of every routed expert: the ranks of a stage over expert and expert-tensor parallelism. At
    /// least 1; exact when the scenario is valid.
    pub fn expert_data_parallel(&self) -> u32 {
        let stage = u64::from(self.cluster.gpus) / u64::from(self.plan.pipeline_parallel.max(1));
        let experts =
            u64::from(self.plan.expert_parallel.max(1)) * u64::from(self.plan.expert_tensor_parallel.max(1));
        (stage / experts).max(1) as u32
    }

    /// Micro-batches per replica and step, m = global batch / (micro-batch d), rounded up. At least 1.
    pub fn micro_batches(&self) -> u32 {
        let per_round = u64::from(self.plan.micro_batch) * u64::from(self.data_parallel());
        u64::from(self.workload.global_batch).div_ceil(per_round.max(1)).max(1) as u32
    }

    /// Attention kernel of the job on its GPUs: that of [`Software::attention_on`], but PyTorch's SDPA handles padded
    /// sequences with a mask, which its flash kernels refuse (Transformers passes one if any sequence of the batch is
    /// padded).
    pub fn attention(&self) -> Attention {
        let padded = self.workload.padding > 0 && self.software.kernels.attention == AttentionKernel::Sdpa;
        if padded { Attention::Masked } else { self.software.attention_on(self.cluster.gpu.family) }
    }

    /// Whether PyTorch's SDPA gets a layer's window as a mask, since its kernels have no windows: in Transformers and
    /// custom programs. Not if sequences are no longer than the window, or if all layers read a mask anyway.
    pub fn masks_windows(&self) -> bool {
        let of_sdpa = self.software.kernels.attention == AttentionKernel::Sdpa;
        of_sdpa
            && self.attention() != Attention::Masked
            && self.model.window.tokens < self.workload.attended()
    }

    /// Whether PyTorch's SDPA gets the selected keys as a mask: it then computes all scores.
    pub fn masks_selections(&self) -> bool {
        self.software.kernels.attention == AttentionKernel::Sdpa && self.attention() != Attention::Masked
    }

    /// Whether a layer's queries read their own keys in a gathering kernel.
    pub fn gathers_keys(&self, mixer: Mixer) -> bool {
        let every = matches!(self.attention(), Attention::Unfused | Attention::Masked);
        let few = mixer.selects() || mixer.compresses();
        few && self.model.shares_keys() && !every && !self.masks_selections()
    }

    /// Tokens of one optimizer step that contribute to the loss: all but padding.
    pub fn tokens_per_step(&self) -> f64 {
        let useful = f64::from(100 - self.workload.padding.min(99)) / 100.0;
        f64::from(self.workload.sequence) * f64::from(self.workload.global_batch) * useful
    }

    /// Optimizer steps of the whole run, rounded up. At least 1.
    pub fn steps(&self) -> f64 {
        (self.run.tokens / self.tokens_per_step().max(1.0)).ceil().max(1.0)
    }
}
