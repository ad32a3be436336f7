//! Behaviour of each stack, as data: the rows of `data/stacks.tsv` that hold in a month make one [`StackProfile`], and
//! those of libraries [`Libraries`].

use crate::constants::Constants;
use crate::scenario::MeasuredRuns;
use crate::scenario::cluster::Calibrated;

/// Year and month of a release.
pub type Month = (u16, u8);

/// The initial value, and later values by month, in order.
#[derive(Debug)]
pub(super) struct History<T: 'static> {
    pub(super) first: T,
    pub(super) later: &'static [(Month, T)],
}

impl<T> History<T> {
    /// The value for a month's release.
    pub(super) fn at(&self, month: Month) -> &T {
        let begun = |later: &&(Month, T)| later.0 <= month;
        self.later.iter().rev().find(begun).map_or(&self.first, |later| &later.1)
    }

    /// All values, oldest first.
    pub(super) fn all(&self) -> impl Iterator<Item = &T> {
        core::iter::once(&self.first).chain(self.later.iter().map(|later| &later.1))
    }
}

/// Behaviour of a software stack in releases of some months. Calibrated numbers are read from the constants.
#[derive(Debug, Clone, Copy)]
pub struct StackProfile {
    /// Year of a fundamental change of the stack, which separates its measured runs; 0 if there was none.
    pub since: u16,
    /// Whether the constants were fitted to measured runs of it.
    pub runs: MeasuredRuns,
    /// Whether kernels are launched one by one, from fused modules, or as compiled programs.
    pub launch: Launch,
    /// Whether compiled modules are PyTorch's own, compiled by Inductor: torchao casts operands, with scales of the current
    /// tensor, and weights for every micro-batch.
    pub inductor: bool,
    /// Whether a model is one compiled program in a user's loop, as with `torch.compile` and `jax.jit`.
    pub whole_program: bool,
    /// Attention kernel.
    pub attention: Attention,
    /// Whether it uses the vendor's on data-center Blackwell, where it uses FlashAttention-2 elsewhere.
    pub vendor_on_blackwell: bool,
    /// Whether eager modules have fused kernels for masked softmax, bias with activation or dropout, and norms
    /// (Megatron's).
    pub fuses_scores: bool,
    /// Extra host time for gathering a layer's sharded parameters, seconds.
    pub host_gathers: Calibrated,
    /// Extra host time for tensor parallelism without compilation, seconds.
    pub host_tensor: Calibrated,
    /// Time of a step outside its micro-batches, reductions and optimizer, seconds.
    pub fixed: Calibrated,
    /// Factor on the whole pipeline for unmodelled work between kernels.
    pub framework_factor: Calibrated,
    /// Further factor on it for modules wrapped to shard gradients or parameters: PyTorch's FSDP.
    pub sharded_factor: Calibrated,
    /// Slow-down per doubling of GPUs beyond 8, averaged over clusters.
    pub straggler: Calibrated,
    /// How tokens reach their experts.
    pub dispatcher: Dispatcher,
    /// Whether compiled modules run the operations between router and experts in PyTorch's own kernels.
    pub leaves_routing_eager: bool,
    /// Whether plain PyTorch sorts token copies again on arrival, into groups of whole tiles padded with zero rows.
    pub pads_groups: bool,
    /// Whether plain PyTorch sums a token's experts in the order of its copies, deterministically, like the gradient of
    /// indexing.
    pub adds_up_in_order: bool,
    /// Whether the products of a rank's experts are cuBLAS's, launched one by one over several streams, as in
    /// Transformer Engine's grouped linear layers; else one CUTLASS kernel runs them all.
    pub streams_products: bool,
    /// Whether every rank of ZeRO-1 and ZeRO-2 receives all reduced gradients and keeps its share; else only its own.
    pub reduces_whole: bool,
    /// Whether runs of the stack are benchmarks with forced expert balance.
    pub forces_balance: bool,
    /// Whether recipes for Grace replay attention and router from CUDA graphs, if nothing else is.
    pub graphs_parts: bool,
    /// Whether the head and the loss are fused, over parts of the sequence.
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
    /// Bytes moved per parameter to copy sharded parameters out of a gather's result: read and written on the compute
    /// stream, after the gather.
    pub gather_copy: f64,
    /// Bytes moved per trained parameter to copy a gradient into its reduction buffer.
    pub reduce_copy: f64,
    /// Share of a layer's forward pass that selective recompute repeats with fused attention.
    pub selective_share: Calibrated,
    /// What selective recompute drops with fused attention.
    pub selective_drops: Selective,
    /// Whether selective recompute exists.
    pub selective_recompute: bool,
    /// Share of tensor-parallel communication that is overlapped, if overlap is on.
    pub overlap_tensor: Calibrated,
    /// Whether parameters are sharded module by module, as PyTorch's FSDP does: gathered during the previous module's
    /// compute, and gradients reduced during the next one's, on separate streams; PyTorch's operators update shards on
    /// the host, one after another.
    pub shards_by_module: bool,
    /// Whether FP8 with one scale per tensor gathers sharded parameters in 8 bits.
    pub gathers_quantised: bool,
    /// Whether the only resident parameters are the 32-bit ones (FSDP, JAX): 16-bit copies exist while gathered.
    pub master_only: bool,
    /// Whether linear layers keep their quantised input; compiled stacks keep 16 bits and quantise again.
    pub keeps_quantised_inputs: bool,
    /// Whether weight gradients are added to the main gradients inside the GEMM, and autograd gets a cached placeholder
    /// of each weight's shape.
    pub placeholder_gradients: bool,
    /// Whether gradients are allocated by autograd in the backward pass, and freed by the update, instead of living in
    /// a framework's buffers.
    pub makes_gradients: bool,
    /// Whether recomputation skips what the backward pass does not read (`jax.checkpoint`, with XLA's dead-code
    /// elimination).
    pub leaves_out_unread: bool,
    /// Whether the queries and keys of Llama 3 and 4 and of DeepSeek are rotated as complex numbers; models with heads
    /// wider than the model, or with biases, use cosine and sine, which fuses.
    pub rotates_complex: bool,
    /// Whether keys and values are repeated in memory for every query head (`repeat_kv`); else attention kernels read
    /// them in place.
    pub repeats_keys_values: bool,
    /// Whether FSDP shards embedding and head as groups of their own; else they are one group with all that is in no layer.
    pub groups_ends_apart: bool,
    /// Whether tensor parallelism that does not split sequences leaves the embedding whole and gathers the logits; else both are split
    /// by vocabulary.
    pub whole_vocabulary: bool,
    /// Whether experts' outputs are weighted, in 32 bits; else their inputs are, or what the activation makes.
    pub weighs_outputs: bool,
    /// Whether uncompiled RMS norms are one kernel; else they are written out.
    pub fuses_norms: bool,
    /// Whether its users shard parameters over all GPUs (FSDP, ZeRO-3) before they split the model.
    pub shards_parameters: bool,
    /// Whether its recipes overlap the exchange of tokens with another micro-batch's compute, in interleaved pipelines.
    pub hides_exchanges: bool,
    /// Whether its recipes for data-center Blackwell replay steps from CUDA graphs; those of models with experts do in MXFP8
    /// alone, with fused experts.
    pub replays_on_blackwell: bool,
}

impl StackProfile {
    /// Time of a step outside its micro-batches, reductions and update, seconds; `alone` as
    /// [`crate::scenario::Scenario::steps_alone`] says.
    pub fn fixed_where(&self, alone: bool, c: &Constants) -> f64 {
        let several = (self.fixed)(c);
        if alone { several.min(c.step_fixed_alone) } else { several }
    }
}

/// Behaviour of libraries under any stack, by release month.
#[derive(Debug, Clone, Copy)]
pub struct Libraries {
    /// Whether PyTorch's products add the bias in their epilogue; else a separate kernel does.
    pub bias_in_product: bool,
    /// Whether Inductor pads products to whole 16 bytes.
    pub pads_products: bool,
    /// Kernel of PyTorch's `scaled_dot_product_attention`; the vendor's, preferred on Hopper and data-center Blackwell,
    /// is FlashAttention-2 elsewhere.
    pub sdpa: Attention,
    /// Whether AMD's fused stacks run its assembly attention kernels (AITER); else Composable Kernel's
    /// FlashAttention-2.
    pub assembly_attention: bool,
    /// Whether Megatron-Core's sends overlap compute in interleaved pipelines.
    pub sends_beside_compute: bool,
}

/// What selective recompute drops and reruns in a layer with fused attention.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Selective {
    /// The outputs of norms and activations.
    Norms,
    /// Every n-th layer, whole.
    Blocks,
    /// Every other product from a layer's second on, and everything that is not a product, except attention; for
    /// experts, grouped products and the operations around them (torchtitan, `distributed/activation_checkpoint.py`).
    Products,
}

/// How kernels reach the device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Launch {
    /// One Python-dispatched kernel at a time.
    Eager,
    /// Fused modules (such as Transformer Engine).
    Fused,
    /// Between the two: eager with some fused kernels.
    PartlyFused,
    /// Compiled programs.
    Compiled,
}

/// Exchange of tokens with experts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dispatcher {
    /// NCCL all-to-all: a token travels once per expert.
    AllToAll,
    /// Dispatchers such as DeepEP and HybridEP: a token travels once per scale-up domain.
    Hierarchical,
}

/// Attention implementation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Attention {
    /// Batched products, softmax and dropout as separate kernels.
    Unfused,
    /// FlashAttention-2.
    Flash2,
    /// The vendor's current kernel (cuDNN, FlashAttention-3).
    Vendor,
    /// FlashAttention in Triton with ALiBi.
    TritonAlibi,
    /// FlashAttention of 2022, and xFormers' memory-efficient kernel.
    Flash1,
    /// PyTorch's memory-efficient kernel with an explicit mask: no query-key pair is skipped.
    Masked,
    /// PyTorch's FlexAttention, compiled to Triton.
    Flex,
}
