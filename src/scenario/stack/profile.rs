//! What each stack does, as data: the rows of `data/stacks.tsv` that hold in a month make one [`StackProfile`], and those of
//! libraries [`Libraries`].

use crate::constants::Constants;
use crate::scenario::MeasuredRuns;
use crate::scenario::cluster::{Calibrated, GpuFamily};
use crate::scenario::plan::Zero;

/// Year and month of a release.
pub type Month = (u16, u8);

/// What holds at first, and what from later months on, in their order.
#[derive(Debug)]
pub(super) struct History<T: 'static> {
    pub(super) first: T,
    pub(super) later: &'static [(Month, T)],
}

impl<T> History<T> {
    /// What holds in a release of a month.
    pub(super) fn at(&self, month: Month) -> &T {
        let begun = |later: &&(Month, T)| later.0 <= month;
        self.later.iter().rev().find(begun).map_or(&self.first, |later| &later.1)
    }

    /// Everything that held, the oldest first.
    pub(super) fn all(&self) -> impl Iterator<Item = &T> {
        core::iter::once(&self.first).chain(self.later.iter().map(|later| &later.1))
    }
}

/// Behaviour of a software stack in releases of some months. Numbers that are calibrated are read from the constants.
#[derive(Debug, Clone, Copy)]
pub struct StackProfile {
    /// Year in which the stack became what it is, where it was another one before: measured runs are told apart by it. 0 for what
    /// a stack has always been.
    pub since: u16,
    /// Whether measured runs of it are behind the constants.
    pub runs: MeasuredRuns,
    /// Publications of those runs that measured whole steps, each on its own.
    pub sources: u16,
    /// Whether kernels are launched one by one, from fused modules, or as compiled programs.
    pub launch: Launch,
    /// Who compiles modules, where programs are compiled.
    pub compiler: Compiler,
    /// Whether a model is one compiled program in a loop of its user's, as `torch.compile` and `jax.jit` make it.
    pub whole_program: bool,
    /// Attention kernel.
    pub attention: Attention,
    /// Whether it is the vendor's on Blackwell of data centres, where it is FlashAttention-2 elsewhere.
    pub vendor_on_blackwell: bool,
    /// Whether modules that are launched one by one have kernels of their own for masked softmax, bias with activation or dropout,
    /// and norms (Megatron's).
    pub fuses_scores: bool,
    /// Host time of one layer's forward pass, seconds.
    pub host_layer: Calibrated,
    /// Host time that gathering a layer's sharded parameters adds to it, seconds.
    pub host_gathers: Calibrated,
    /// Host time that tensor parallelism adds to it where modules are not compiled, seconds.
    pub host_tensor: Calibrated,
    /// Time of a step outside its micro-batches, reductions and optimizer, seconds.
    pub fixed: Calibrated,
    /// Factor on the whole pipeline for what runs between the modelled kernels.
    pub framework_factor: Calibrated,
    /// Factor on it where modules are wrapped to shard gradients or parameters, besides: PyTorch's FSDP.
    pub sharded_factor: Calibrated,
    /// Slow-down per doubling of GPUs beyond 8, in the mean of clusters.
    pub straggler: Calibrated,
    /// How tokens reach their experts.
    pub dispatcher: Dispatcher,
    /// Whether compiled modules leave the operations between router and experts to PyTorch's own kernels.
    pub leaves_routing_eager: bool,
    /// Whether plain PyTorch sorts copies of tokens once more where they arrive, into groups of whole tiles with rows of zeros in the
    /// gaps.
    pub pads_groups: bool,
    /// Whether plain PyTorch adds up a token's experts in the order of its copies, always to the same sum, as the gradient of
    /// indexing does.
    pub adds_up_in_order: bool,
    /// Whether the products of a rank's experts are cuBLAS's, launched one by one over several streams, as Transformer Engine's
    /// grouped linear layers do; else one CUTLASS kernel runs them all.
    pub streams_products: bool,
    /// Whether every rank of ZeRO-1 and 2 is sent all reduced gradients, of which it keeps its share; else each is sent its own.
    pub reduces_whole: bool,
    /// Whether runs of the stack are benchmarks that give all experts as many tokens.
    pub forces_balance: bool,
    /// Whether steps are replayed from CUDA graphs.
    pub graphs: bool,
    /// Whether recipes for Grace replay attention and router from graphs, if nothing else is.
    pub graphs_parts: bool,
    /// Whether the head and the loss are computed together, a part of the sequence at a time.
    pub loss_with_head: bool,
    /// Whether the loss is Megatron's own of several kernels.
    pub splits_loss: bool,
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
    /// Share of tensor-parallel communication that hides where it overlaps.
    pub overlap_tensor: Calibrated,
    /// Whether a module's sharded parameters are gathered while the one before computes, and gradients reduced once they are whole
    /// while the next one does, on streams of their own (PyTorch's FSDP and DDP).
    pub overlaps_by_module: bool,
    /// Whether FP8 with one scale per tensor gathers sharded parameters in 8 bits.
    pub gathers_quantised: bool,
    /// Whether what lives on the host is updated there by PyTorch's operators, one after the other.
    pub updates_by_operators: bool,
    /// Whether the only resident parameters are the 32-bit ones (FSDP, JAX): 16-bit copies exist while gathered.
    pub master_only: bool,
    /// Whether a gated activation and its product are one kernel.
    pub fused_activation: bool,
    /// Whether linear layers keep their input as they quantised it; compiled stacks keep 16 bits and quantise again.
    pub keeps_quantised_inputs: bool,
    /// Whether weight gradients are added to the main gradients inside the matrix product, and autograd is handed a
    /// cached placeholder of each weight's shape instead.
    pub placeholder_gradients: bool,
    /// Whether gradients are those that autograd makes in the backward pass, and `None` before it and after the update, not a
    /// framework's buffers.
    pub makes_gradients: bool,
    /// Whether what runs again leaves out what the backward pass does not read (`jax.checkpoint`, whose programs XLA frees
    /// of dead code).
    pub leaves_out_unread: bool,
    /// Whether the queries and keys of Llama 3 and 4 and of DeepSeek are rotated as complex numbers; those of models with heads wider
    /// than the model or with biases are rotated by cosine and sine, which fuses.
    pub rotates_complex: bool,
    /// Whether keys and values are written once for every head that reads them (`repeat_kv`); else kernels of attention read them
    /// where they are.
    pub repeats_keys_values: bool,
    /// Whether RMS norms that are not compiled are one kernel; else they are written out.
    pub fuses_norms: bool,
    /// What its users would run where a source leaves it out.
    pub recipe: Recipe,
}

impl StackProfile {
    /// Time of a step outside its micro-batches, reductions and update, seconds; `alone` as
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
    /// Whether experts at least as wide as the model are each split over the tensor-parallel ranks, as all else is.
    pub splits_wide_experts: bool,
    /// Whether the exchange of tokens is hidden in interleaved pipelines, which have another micro-batch at hand: across the
    /// network, and everywhere where experts are fused.
    pub hides_exchanges: bool,
    /// Generations of GPUs for which kernels are replayed from CUDA graphs, and those of experts fused.
    pub replays: &'static [GpuFamily],
}

/// What libraries do whatever stack calls them, in releases of some months.
#[derive(Debug, Clone, Copy)]
pub struct Libraries {
    /// Whether PyTorch's products add the bias as they write, else a kernel of its own does.
    pub bias_in_product: bool,
    /// Whether Inductor pads products to whole 16 bytes.
    pub pads_products: bool,
    /// Kernel of PyTorch's `scaled_dot_product_attention`; the vendor's where PyTorch prefers it, on Hopper and on Blackwell of data
    /// centres, is FlashAttention-2 elsewhere.
    pub sdpa: Attention,
    /// Whether AMD's fused stacks run its assembly kernels of attention (AITER); else Composable Kernel's FlashAttention-2.
    pub assembly_attention: bool,
    /// Whether sends of Megatron-Core overlap compute in interleaved pipelines.
    pub sends_beside_compute: bool,
}

/// Who compiles programs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Compiler {
    /// Nobody.
    None,
    /// PyTorch's (`torch.compile`), of PyTorch's own modules: operands are cast by torchao, with scales of the very tensor, and weights
    /// for every micro-batch.
    Inductor,
    /// XLA: a step is one program, which no Python launches piece by piece.
    Xla,
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
