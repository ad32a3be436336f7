//! What each stack does differently, as data: a row of `data/stacks.tsv` is one [`StackProfile`].

use crate::constants::Constants;
use crate::scenario::MeasuredRuns;
use crate::scenario::cluster::{Calibrated, GpuFamily};
use crate::scenario::plan::Zero;

/// Behaviour of a software stack from some year on. Numbers that are calibrated are read from the constants.
#[derive(Debug, Clone, Copy)]
pub struct StackProfile {
    /// First year of the releases that behave so.
    pub since: u16,
    /// Whether measured runs of it are behind the constants.
    pub runs: MeasuredRuns,
    /// Publications of those runs that measured whole steps, each on its own.
    pub sources: u16,
    /// Whether kernels are launched one by one, from fused modules, or as compiled programs.
    pub launch: Launch,
    /// Attention kernel, once the stack has one ([`super::Software::attention`]).
    pub attention: Attention,
    /// First year of that kernel; attention runs as separate products before.
    pub flash_since: u16,
    /// Host time of one layer's forward pass, seconds.
    pub host_layer: Calibrated,
    /// Host time that gathering a layer's sharded parameters adds to it, seconds.
    pub host_gathers: Calibrated,
    /// Host time that tensor parallelism adds to it where modules are not compiled, seconds.
    pub host_tensor: Calibrated,
    /// Time of a step beside its micro-batches, reductions and optimizer, seconds.
    pub fixed: Calibrated,
    /// Factor on the whole pipeline for what runs between the modelled kernels.
    pub framework_factor: Calibrated,
    /// Factor on it where modules are wrapped to shard gradients or parameters, besides: PyTorch's FSDP.
    pub sharded_factor: Calibrated,
    /// Slow-down per doubling of GPUs beyond 8, in the mean of clusters.
    pub straggler: Calibrated,
    /// Half-width per doubling of what clusters differ from that mean, in units of ln(measured / forecast); 0 where runs
    /// of several agree.
    pub straggler_width: Calibrated,
    /// Whether releases before 2025 are slower on Hopper and later, by the calibrated rate per year.
    pub ages: bool,
    /// How tokens reach their experts, unless the release has a newer way ([`super::Software::dispatcher`]).
    pub dispatcher: Dispatcher,
    /// Date in years from which on releases dispatch hierarchically, as DeepEP does; infinite where none does.
    pub hierarchical_since: f64,
    /// Date in years from which on every rank of ZeRO-1 and 2 is sent all reduced gradients, of which it keeps its share; infinite
    /// where each is sent its own.
    pub reduces_whole_since: f64,
    /// Whether runs of the stack are benchmarks that give all experts as many tokens.
    pub forces_balance: bool,
    /// Whether steps are replayed from CUDA graphs.
    pub graphs: bool,
    /// Whether every tensor-parallel rank sends the whole activation to the next stage.
    pub sends_whole_activations: bool,
    /// Whether a tied embedding's gradient is all-reduced between first and last stage.
    pub embedding_sync: bool,
    /// Bytes per gradient element in data-parallel reductions.
    pub reduce_bytes: f64,
    /// Bytes per gradient element held in memory.
    pub gradient_bytes: f64,
    /// Bytes that copying sharded parameters out of what a gather returns moves, per parameter: read and written on the
    /// stream that computes, once the gather is there.
    pub gather_copy: f64,
    /// Bytes that copying a gradient into what is reduced moves, per parameter that is trained.
    pub reduce_copy: f64,
    /// Whether runs interleave the pipeline unless told otherwise (recipe default).
    pub interleaves: bool,
    /// Share of a layer's forward pass that selective recompute repeats where attention is fused.
    pub selective_share: Calibrated,
    /// What selective recompute drops where attention is fused.
    pub selective_drops: Selective,
    /// Whether selective recompute exists.
    pub selective_recompute: bool,
    /// First year of selective recompute.
    pub selective_since: u16,
    /// Share of tensor-parallel communication that hides where it overlaps.
    pub overlap_tensor: Calibrated,
    /// Whether a module's sharded parameters are gathered while the one before computes, and gradients reduced once they are whole
    /// while the next one does, on streams of their own (PyTorch's FSDP and DDP).
    pub overlaps_by_module: bool,
    /// Whether FP8 with one scale per tensor gathers sharded parameters in 8 bits.
    pub gathers_quantised: bool,
    /// Whether stages go on computing while they send to their neighbours.
    pub overlaps_sends: bool,
    /// Year before which sharded parameters were fetched tensor by tensor; 0 if they never were.
    pub fetches_tensors_until: u16,
    /// Whether the only resident parameters are the 32-bit ones (FSDP, JAX): 16-bit copies exist while gathered.
    pub master_only: bool,
    /// Whether a gated activation and its product are one kernel.
    pub fused_activation: bool,
    /// Whether linear layers keep their input as they quantised it; compiled stacks keep 16 bits and quantise again.
    pub keeps_quantised_inputs: bool,
    /// Whether weight gradients are added to the main gradients inside the matrix product, and autograd is handed a
    /// cached placeholder of each weight's shape instead.
    pub placeholder_gradients: bool,
    /// Whether what runs again leaves out what the backward pass does not read (`jax.checkpoint`, whose programs XLA frees
    /// of dead code).
    pub leaves_out_unread: bool,
    /// Whether the queries and keys of Llama 3 and 4 and of DeepSeek are rotated as complex numbers; those of models with heads wider
    /// than the model or with biases are rotated by cosine and sine, which fuses.
    pub rotates_complex: bool,
    /// Date in years until which keys and values are written once for every head that reads them (`repeat_kv`); 0 where kernels of
    /// attention have always read them where they are.
    pub repeats_until: f64,
    /// Date in years from which on RMS norms that are not compiled are one kernel; infinite where they stay written out.
    pub fused_norm_since: f64,
    /// What its users would run where a source leaves it out.
    pub recipe: Recipe,
}

impl StackProfile {
    /// Time of a step beside its micro-batches, reductions and update, seconds; `alone` as
    /// [`crate::scenario::Scenario::steps_alone`] says.
    pub(crate) fn fixed_where(&self, alone: bool, c: &Constants) -> f64 {
        let several = (self.fixed)(c);
        if alone { several.min(c.step_fixed_alone) } else { several }
    }
}

/// What the users of a stack run unless they say otherwise.
#[derive(Debug, Clone, Copy)]
pub struct Recipe {
    /// Whether its users shard parameters over all GPUs (FSDP, ZeRO-3) before they split the model.
    pub shards_parameters: bool,
    /// Where gradients are reduced behind the backward pass.
    pub overlaps_reductions: Overlaps,
    /// Where parameters are gathered behind compute.
    pub overlaps_gathers: Overlaps,
    /// What recompute keeps.
    pub keeps: Keeps,
    /// Whether an expert is split over the tensor-parallel ranks.
    pub splits_experts: ExpertSplit,
    /// Whether the exchange of tokens is hidden.
    pub hides_exchanges: HiddenExchanges,
    /// Date in years from which on it is.
    pub hides_exchanges_since: f64,
    /// First year of sends that run beside compute in interleaved pipelines; plain 1F1B waits for its own.
    pub overlaps_sends_since: u16,
    /// Releases that replay kernels from graphs and fuse those of experts.
    pub replays: Option<Replays>,
}

/// What selective recompute drops of a layer whose attention is fused, and runs again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Selective {
    /// What norms and activations return.
    Norms,
    /// Every n-th layer, whole.
    Blocks,
    /// Every other single product from a layer's second on, and all that is no product but attention; of experts, grouped products
    /// and what is around them (torchtitan, `distributed/activation_checkpoint.py`).
    Products,
}

/// What recompute keeps of a layer where people do not say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keeps {
    /// As little as makes it fit.
    Least,
    /// Full recompute keeps what the projections to queries, keys and values return.
    Projections,
    /// All products where they fit, so that the attention core, norms and activations always run again; else attention's
    /// projections.
    Products,
}

/// Where data-parallel communication runs behind compute.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Overlaps {
    /// Nowhere.
    Never,
    /// Where parameters are sharded, and gathered layer by layer.
    OfShardedParameters,
    /// Everywhere.
    Always,
}

impl Overlaps {
    /// Whether it does in a layout that shards so.
    pub fn with(self, zero: Zero) -> bool {
        match self {
            Self::Never => false,
            Self::OfShardedParameters => zero.shards_parameters(),
            Self::Always => true,
        }
    }
}

/// Where recipes split each expert over the tensor-parallel ranks, as all else is split.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExpertSplit {
    /// Nowhere.
    Never,
    /// Where experts are at least as wide as the model.
    Wide,
    /// Where experts are not assigned to ranks.
    WithoutExpertParallelism,
}

/// Where recipes hide the exchange of tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HiddenExchanges {
    /// Nowhere.
    Never,
    /// In interleaved pipelines, which have another micro-batch at hand: across the network, and everywhere where
    /// experts are fused.
    Interleaved,
    /// Everywhere: in pieces, beside the products.
    Everywhere,
}

/// Releases whose recipes replay kernels from CUDA graphs and fuse the kernels of experts.
#[derive(Debug, Clone, Copy)]
pub struct Replays {
    /// Year of the century and month of the first.
    pub since: (u8, u8),
    /// Generations of GPUs that they are for.
    pub on: &'static [GpuFamily],
}

/// How kernels reach the device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Launch {
    /// One Python-dispatched kernel at a time.
    Eager,
    /// Fused modules (Transformer Engine and alike).
    Fused,
    /// Between the two: eager with hand-picked fused kernels.
    PartlyFused,
    /// Compiled programs.
    Compiled,
}

/// Exchange of tokens with experts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dispatcher {
    /// NCCL all-to-all: a token travels once per expert.
    AllToAll,
    /// DeepEP, HybridEP and alike: a token travels once per scale-up domain.
    Hierarchical,
}

/// Attention implementation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Attention {
    /// Batched products, softmax and dropout as kernels of their own.
    Unfused,
    /// FlashAttention-2.
    Flash2,
    /// The vendor's kernel of the day (cuDNN, FlashAttention-3).
    Vendor,
    /// FlashAttention in Triton with ALiBi.
    TritonAlibi,
    /// FlashAttention of 2022, and xFormers' memory-efficient kernel.
    Flash1,
    /// PyTorch's memory-efficient kernel under a mask that it reads: no pair of a query and a key is skipped.
    Masked,
    /// PyTorch's FlexAttention, compiled to Triton.
    Flex,
}
