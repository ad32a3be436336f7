//! Software stacks as data: kernels, fusion, overlap and host cost of a framework's release.

#[cfg(feature = "ablate")]
pub mod ablate;
mod kernels;
mod limit_rows;
mod limits;
mod profile;
mod stacks;
#[cfg(feature = "ablate")]
mod values;

pub use kernels::{
    AttentionKernel, Compiled, ElementwiseKernels, Kernels, LossKernel, PartGraphs, Routing, TokenDispatch,
};
pub use limits::{Feature, StackLimits, missing_of_job};
pub use profile::{Attention, Dispatcher, Launch, Libraries, Month, Selective, StackProfile};
pub use stacks::Stack;

use crate::constants::Constants;
use crate::scenario::cluster::GpuFamily;
use crate::scenario::{MeasuredRuns, Precision};
use serde::{Deserialize, Serialize};

/// The software that runs the job.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Software {
    /// Framework.
    pub stack: Stack,
    /// Calendar year of the release.
    pub year: u16,
    /// Month of the release, 1 to 12.
    pub month: u8,
    /// Kernels are replayed from CUDA graphs instead of launched one by one.
    pub graphs: bool,
    /// Kernels of the routed experts.
    pub expert_kernels: ExpertKernels,
    /// Other kernels that the job states.
    pub kernels: Kernels,
}

/// How the routed experts of a layer are computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ExpertKernels {
    /// One matrix product per expert, spread over streams, with separate kernels for casts and activation.
    PerExpert,
    /// One expert after another in a host loop, which reads each one's token count from the device (Transformers 4).
    Looped,
    /// Grouped matrix products with fused casts and activation.
    Fused,
    /// One batched product over all experts, each with room for an even share of the tokens, dispatched and combined by
    /// products with one-hot masks (MaxText with `sparse_matmul: False`; GShard, arXiv 2006.16668, algorithm 1).
    OneHot,
    /// Same, with room for a quarter more than an even share (`capacity_factor: 1.25`).
    OneHotSlack,
}

impl ExpertKernels {
    /// Rows that each expert computes, relative to an even share of the tokens, if its capacity is fixed: tokens beyond
    /// it are dropped, missing ones computed as zeros.
    pub fn capacity(self) -> Option<f64> {
        match self {
            Self::PerExpert | Self::Looped | Self::Fused => None,
            Self::OneHot => Some(1.0),
            Self::OneHotSlack => Some(1.25),
        }
    }
}

impl Software {
    /// Years from the beginning of 2025 to the middle of the release's month, negative before.
    pub fn years_since_2025(&self) -> f64 {
        f64::from(self.year) + (f64::from(self.month) - 0.5) / 12.0 - 2025.0
    }

    /// Behaviour of the stack at the time of its release.
    pub fn profile(&self) -> &'static StackProfile {
        self.stack.profile((self.year, self.month))
    }

    /// Behaviour of libraries at the time of the release, under any stack.
    pub fn libraries(&self) -> &'static Libraries {
        let month = (self.year, self.month);
        #[cfg(feature = "ablate")]
        if let Some(history) = ablate::libraries() {
            return history.at(month);
        }
        stacks::LIBRARIES.at(month)
    }

    /// Whether every expert gets equally many tokens: as stated by the job, or as in the stack's published runs.
    pub fn routes_evenly(&self) -> bool {
        match self.kernels.routing {
            Routing::Stack => self.profile().forces_balance,
            Routing::Even | Routing::InTurn => true,
            Routing::Learned | Routing::Unbalanced => false,
        }
    }

    /// How tokens reach their experts: as stated by the job, or the stack's default.
    pub fn dispatcher(&self) -> Dispatcher {
        self.kernels.dispatch.dispatcher(self.profile().dispatcher)
    }

    /// Attention kernel: as stated by the job, or the stack's.
    pub fn attention(&self) -> Attention {
        self.kernels.attention.implementation(self.libraries().sdpa, self.profile().attention)
    }

    /// Attention kernel on a GPU generation: that of [`Software::attention`], unless the stack uses the vendor's on
    /// Blackwell, PyTorch does not select it, or AMD's is not yet released.
    pub fn attention_on(&self, family: GpuFamily) -> Attention {
        let stated = self.kernels.attention;
        let blackwell = family.is_data_center_blackwell();
        let preferred = blackwell || matches!(family, GpuFamily::Hopper | GpuFamily::HopperH20);
        let vendor_on_blackwell = stated == AttentionKernel::Stack && self.profile().vendor_on_blackwell;
        match self.attention() {
            Attention::Flash2 if vendor_on_blackwell && blackwell => Attention::Vendor,
            Attention::Vendor if stated == AttentionKernel::Sdpa && !preferred => Attention::Flash2,
            Attention::Vendor if family.is_amd() && !self.libraries().assembly_attention => Attention::Flash2,
            kernel => kernel,
        }
    }

    /// Whether the attention kernel is FlashAttention-4 on a GPU it is made for: on Hopper it is not faster than
    /// earlier ones.
    pub fn runs_flash4_on(&self, family: GpuFamily) -> bool {
        self.kernels.attention == AttentionKernel::Flash4 && family.is_data_center_blackwell()
    }

    /// Whether unfused attention runs operation by operation: in modules of plain PyTorch; Megatron's descendants have
    /// a fused mask and softmax.
    pub fn composes_scores(&self) -> bool {
        let triangle = self.takes_triangle();
        self.attention() == Attention::Unfused && self.plain_modules() && !triangle
    }

    /// Whether unfused attention has one softmax kernel, for scores below the diagonal, and no dropout.
    pub fn takes_triangle(&self) -> bool {
        self.kernels.attention == AttentionKernel::Triangle
    }

    /// Whether layers are PyTorch's own modules, launched operation by operation: in eager stacks except Megatron's,
    /// which have fused kernels for masked softmax, bias with activation or dropout, and norms.
    pub fn plain_modules(&self) -> bool {
        self.is_eager() && !self.profile().fuses_scores
    }

    /// Whether an RMS norm is one kernel without compilation.
    pub fn fuses_norms(&self) -> bool {
        self.kernels.elementwise != ElementwiseKernels::Modules && self.profile().fuses_norms
    }

    /// How kernels reach the device.
    pub fn launch(&self) -> Launch {
        self.kernels.compiled.launch(self.profile().launch)
    }

    /// How kernels of norms, rotations and activations reach the device.
    pub fn elementwise(&self) -> Launch {
        self.kernels.elementwise.launch(self.launch())
    }

    /// Whether kernels are dispatched one by one from Python.
    pub fn is_eager(&self) -> bool {
        self.launch() == Launch::Eager
    }

    /// Whether XLA compiles a step into one program, without launches from Python.
    pub fn is_one_program(&self) -> bool {
        let profile = self.profile();
        profile.launch == Launch::Compiled && !profile.inductor && self.launch() == Launch::Compiled
    }

    /// Host time of one layer's forward pass, seconds.
    pub fn host_layer(&self, c: &Constants) -> f64 {
        match self.launch() {
            _ if self.is_one_program() => 0.0,
            Launch::Eager => c.host_layer_deepspeed,
            _ => c.host_layer_fused,
        }
    }

    /// Loss kernels: as stated by the job, or the default for the stack's launch mode.
    pub fn loss(&self) -> LossKernel {
        match (self.kernels.loss, self.launch()) {
            (LossKernel::Stack, _) if self.profile().loss_with_head => LossKernel::Linear,
            (LossKernel::Stack, Launch::Eager) => LossKernel::Plain,
            (LossKernel::Stack, Launch::Fused | Launch::Compiled) => LossKernel::Fused,
            (stated, _) => stated,
        }
    }

    /// Whether the loss is Megatron's own of several kernels.
    pub fn splits_loss(&self) -> bool {
        self.profile().splits_loss && matches!(self.kernels.loss, LossKernel::Stack | LossKernel::Plain)
    }

    /// Whether head and loss are Liger's, which processes tokens in chunks: if a job states that they are fused, and
    /// modules are launched operation by operation or with Liger's other kernels.
    pub fn runs_liger_loss(&self) -> bool {
        let modules = self.is_eager() || self.kernels.elementwise == ElementwiseKernels::Fused;
        self.kernels.loss == LossKernel::Linear && modules
    }

    /// Bytes per parameter that gathers of sharded parameters move.
    pub fn gather_bytes(&self, precision: Precision) -> f64 {
        if self.profile().gathers_quantised && precision == Precision::Fp8 { 1.0 } else { 2.0 }
    }

    /// Bytes per element of tensor-parallel gathers of activations for products: quantised if the cast comes first, in
    /// Transformer Engine's modules (`gather_along_first_dim` with a quantizer) and, with one scale per tensor, in
    /// torchtitan (torchao's `Float8ColwiseParallel`).
    pub fn activation_gather_bytes(&self, precision: Precision) -> f64 {
        match precision {
            Precision::Fp16 | Precision::Bf16 => 2.0,
            _ if !self.profile().keeps_quantised_inputs => self.gather_bytes(precision),
            // 4 bits, and one 8-bit scale per 16 values.
            Precision::Nvfp4 => 0.5 + 1.0 / 16.0,
            Precision::Fp8 | Precision::Fp8Block | Precision::Mxfp8 => 1.0,
        }
    }

    /// Whether compiled modules run the operations between router and experts in PyTorch's own kernels.
    pub fn leaves_routing_eager(&self) -> bool {
        self.launch() == Launch::Compiled && self.profile().leaves_routing_eager
    }

    /// Whether a model is one compiled program in a user's loop.
    pub fn is_whole_program(&self) -> bool {
        self.launch() == Launch::Compiled && self.profile().whole_program
    }

    /// Whether attention and router are replayed from CUDA graphs, if nothing else is.
    pub fn replays_parts(&self) -> bool {
        match self.kernels.parts {
            PartGraphs::Stack => self.profile().graphs_parts,
            PartGraphs::Yes => true,
            PartGraphs::No | PartGraphs::Waited => false,
        }
    }

    /// Whether the host waits for every kernel before it launches the next: its time and theirs add up, and collectives
    /// of tensors, experts, parameters and gradients are not overlapped. Context-parallel rings and sends between
    /// stages overlap as usual.
    pub fn waits_for_launches(&self) -> bool {
        self.kernels.parts == PartGraphs::Waited && !self.graphs
    }
}

/// Words, and beginnings of more than one word, that tell what kind of stack a name stands for, the more particular first:
/// torchtitan's forks, and prime-rl, whose experts are torchtitan's (<https://github.com/PrimeIntellect-ai/prime-rl>,
/// `trainer/models/layers/moe.py`); Megatron-Core's descendants; programs of XLA or `torch.compile` (which `train.py` of nanoGPT and nanochat and
/// OLMo-core's official configurations switch on) and OneFlow's, compiled ahead and run by no host's Python (arXiv
/// 2110.15032, sections 3 and 4; LiBai trains by its `nn.Graph`), and C++ and CUDA that records graphs (llm.c, LLMQ and its
/// descendant Surogate); modules of Transformer Engine or other fused kernels (Fast-LLM's
/// of Triton and Apex, after its `docs/quick-start.md` and `functional/triton`; Unsloth's of Triton); DeepSpeed's pipeline with
/// somebody else's tensor parallelism, which its ZeRO-3 has not; DeepSpeed's engine; and MosaicML's trainer.
const WORDS: [(Stack, &[&str]); 7] = [
    (Stack::Torchtitan, &["torchtitan", "prime-rl"]),
    (Stack::MegatronLm, &["megatron", "mcore"]),
    (
        Stack::Compiled,
        &[
            "compile",
            "compiled",
            "titan",
            "jax",
            "xla",
            "t5x",
            "axlearn",
            "levanter",
            "easylm",
            "llm.c",
            "llmq",
            "surogate",
            "nanogpt",
            "nanochat",
            "olmo-core",
            "alpa",
            "lingua",
            "torchacc",
            "oneflow",
            "libai",
        ],
    ),
    (Stack::Fused, &["fused", "nemo", "primus", "te", "flash", "fast-llm", "unsloth", "liger", "hai-llm"]),
    (Stack::Eager, &["3d"]),
    (Stack::DeepspeedZero3, &["deepspeed", "openrlhf"]),
    (Stack::ComposerFsdp, &["composer", "foundry", "llmfoundry", "mosaicml"]),
];

/// Former names of stacks in links and data files, and the names of the stacks that replace them.
pub const FORMER_STACKS: [(&str, &str); 4] = [
    ("fms-fsdp", "compiled"),
    ("internevo", "fused"),
    ("megascale", "fused"),
    ("megatron-core-no-overlap", "fused"),
];

/// A name in list spelling: lower case, words joined by hyphens.
fn as_listed(name: &str) -> String {
    name.trim().to_ascii_lowercase().replace(['_', ' '], "-")
}

/// Stacks with enough measured runs, each in its state at that time.
pub fn measured_stacks() -> impl Iterator<Item = (Stack, &'static StackProfile)> {
    let of = |stack: Stack| {
        let mut last = None;
        let begins = move |profile: &&StackProfile| last.replace(profile.since) != Some(profile.since);
        let many = |profile: &&StackProfile| profile.runs == MeasuredRuns::Many;
        stack.history().all().filter(begins).filter(many).map(move |profile| (stack, profile))
    };
    Stack::ALL.iter().flat_map(move |entry| of(entry.0))
}

impl Stack {
    /// The stack of a name in a data file, and whether the name states uncompiled modules, as `torchtitan-eager` does.
    pub fn read(name: &str) -> (Self, Compiled) {
        match as_listed(name).as_str() {
            "torchtitan-eager" => (Self::Torchtitan, Compiled::No),
            listed => (Self::from_name(listed), Compiled::Stack),
        }
    }

    /// Behaviour of the stack in releases of a month.
    pub fn profile(self, month: Month) -> &'static StackProfile {
        #[cfg(feature = "ablate")]
        if let Some(history) = ablate::history(self) {
            return history.at(month);
        }
        self.history().at(month)
    }

    /// Whether it names a kind of software, whose kernels, fusion and optimizer are then guessed.
    pub fn is_a_kind(self) -> bool {
        matches!(self, Self::Fused | Self::Compiled | Self::Eager)
    }

    /// The stack of that name, in any case. An unknown name is classified by its words, and as eager PyTorch by
    /// default.
    pub fn from_name(name: &str) -> Self {
        let name = as_listed(name);
        let former = FORMER_STACKS.iter().find(|(former, _)| *former == name);
        let listed = former.map_or(name.as_str(), |(_, listed)| listed);
        if let Some(entry) = Self::ALL.iter().find(|entry| entry.1 == listed) {
            return entry.0;
        }
        let says = |words: &[&str]| {
            let begins = |words: &&str| words.contains('-') && name.starts_with(words);
            name.split(['-', '/', '+']).any(|word| words.contains(&word)) || words.iter().any(begins)
        };
        if says(&["eager", "uncompiled", "unfused", "no", "non"]) {
            return Self::Eager;
        }
        // GPT-NeoX is also Megatron-LM on DeepSpeed (README of EleutherAI/gpt-neox).
        if says(&["deepspeed"]) && says(&["megatron"]) || says(&["neox"]) {
            return Self::MegatronDeepspeed;
        }
        WORDS.iter().find(|kind| says(kind.1)).map_or(Self::Eager, |kind| kind.0)
    }
}
