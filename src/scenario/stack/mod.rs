//! Software stacks as data: what kernels, fusion, overlap and host cost a framework of its time has.

mod profile;

pub use profile::{Attention, Dispatcher, Launch, StackProfile};

use crate::scenario::Precision;
use serde::{Deserialize, Serialize};

/// Date from which on a token is sent once per rank and domain: Megatron-Core 0.12 dispatches with DeepEP (its change
/// log), and the first published runs that do are of May 2025.
const DISPATCHERS_IN_MEGATRON_SINCE: f64 = 2025.33;

/// When software other than Megatron takes up dispatchers: torchtitan and Primus, in the summer of 2025.
const DISPATCHERS_SINCE: f64 = 2025.5;

/// First full year after FlashAttention (arXiv 2205.14135).
const FLASH_ATTENTION_SINCE: u16 = 2023;

/// First year in which Megatron-LM is taken to run on Megatron-Core and Transformer Engine. A judgement: the change log
/// of Megatron-Core 0.5 has attention of Transformer Engine, fused rotation and fused SwiGLU, but no date.
const MEGATRON_CORE_SINCE: u16 = 2024;

/// First full year of cuDNN's flash attention in XLA's programs for GPUs (JAX-Toolbox's Paxml of October 2023 runs
/// separate products).
const FLASH_ATTENTION_IN_XLA_SINCE: u16 = 2024;

/// Year in which DeepSpeed began to gather the tensors of a layer as one and to keep what is soon needed again
/// (0.6, pull request 1453).
const COALESCED_SINCE: u16 = 2022;

/// The software that runs the job.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Software {
    /// Framework.
    pub stack: Stack,
    /// Calendar year of the release.
    pub year: u16,
    /// Month of the release, 1 to 12.
    pub month: u8,
    /// Kernels are replayed from CUDA graphs instead of launched one by one. Stacks that always do
    /// ([`StackProfile::graphs`]) do whatever this says.
    pub graphs: bool,
    /// Kernels of the routed experts.
    pub expert_kernels: ExpertKernels,
}

/// How the routed experts of a layer are computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ExpertKernels {
    /// One matrix product per expert, spread over streams, with casts and activation as kernels of their own.
    PerExpert,
    /// Grouped matrix products that cast and activate as they read and write.
    Fused,
}

impl Software {
    /// Date of the release in years, the middle of its month.
    pub fn date(&self) -> f64 {
        f64::from(self.year) + (f64::from(self.month) - 0.5) / 12.0
    }

    /// Behaviour of the stack at the time of its release: Megatron-LM is Megatron-Core from 2024 on.
    pub fn profile(&self) -> &'static StackProfile {
        if self.is_megatron_core() { &profile::MEGATRON_CORE } else { self.stack.profile() }
    }

    /// Whether this is Megatron-LM on Megatron-Core.
    pub fn is_megatron_core(&self) -> bool {
        self.stack == Stack::MegatronLm && self.year >= MEGATRON_CORE_SINCE
    }

    /// How tokens reach their experts: the profile's way, or, for stacks that take up what the vendors of GPUs
    /// release, the way of DeepEP from the date on at which they did.
    pub fn dispatcher(&self) -> Dispatcher {
        let profile = self.profile();
        let since = match self.stack {
            Stack::MegatronLm | Stack::MegatronCoreNoOverlap | Stack::Nemo => DISPATCHERS_IN_MEGATRON_SINCE,
            _ => DISPATCHERS_SINCE,
        };
        if profile.takes_up_dispatchers && self.date() >= since {
            Dispatcher::Hierarchical
        } else {
            profile.dispatcher
        }
    }

    /// Attention kernel: the profile's, but separate products before flash attention reached the stack.
    pub fn attention(&self) -> Attention {
        let profile = self.profile();
        let since = match self.stack {
            Stack::Maxtext | Stack::Paxml => FLASH_ATTENTION_IN_XLA_SINCE,
            _ if profile.is_eager() => FLASH_ATTENTION_SINCE,
            _ => 0,
        };
        if self.year < since { Attention::Unfused } else { profile.attention }
    }

    /// Whether sharded parameters are fetched tensor by tensor, with a wait for each (DeepSpeed issue 1069). It is
    /// priced as if each GPU received all that it lacks through its own NIC.
    pub fn fetches_tensors(&self) -> bool {
        self.stack == Stack::DeepspeedZero3 && self.year < COALESCED_SINCE
    }

    /// Bytes per parameter that gathers of sharded parameters move.
    pub fn gather_bytes(&self, precision: Precision) -> f64 {
        if self.profile().gathers_quantised && precision == Precision::Fp8 { 1.0 } else { 2.0 }
    }

    /// Whether kernels are replayed from graphs.
    pub fn replays(&self) -> bool {
        self.graphs || self.profile().graphs
    }
}

/// A framework, or a kind of framework.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Stack {
    /// Megatron-DeepSpeed, eager, unfused attention.
    MegatronDeepspeed,
    /// Megatron-LM: eager with unfused attention at first, Megatron-Core on Transformer Engine from 2024 on.
    MegatronLm,
    /// DeepSpeed ZeRO-3, eager.
    DeepspeedZero3,
    /// NVIDIA NeMo on Megatron-Core and Transformer Engine.
    Nemo,
    /// NVIDIA Megatron-Bridge.
    MegatronBridge,
    /// NVIDIA's MLPerf submissions (CUDA graphs).
    NemoMlperf,
    /// Megatron-Core with every overlap switched off.
    MegatronCoreNoOverlap,
    /// ByteDance MegaScale.
    Megascale,
    /// InternEvo.
    Internevo,
    /// MosaicML Composer with FSDP.
    ComposerFsdp,
    /// IBM fms-fsdp (compiled FSDP).
    FmsFsdp,
    /// torchtitan (compiled FSDP2).
    Torchtitan,
    /// MaxText (XLA).
    Maxtext,
    /// Paxml (XLA).
    Paxml,
    /// Any other eager stack.
    Eager,
    /// Any other fused, non-compiled stack.
    Fused,
    /// Any other compiled stack.
    Compiled,
}

/// Words that tell what kind of stack a name stands for, the more particular first: Megatron-Core's descendants,
/// programs of XLA or `torch.compile`, and modules of Transformer Engine or other fused kernels.
const WORDS: [(Stack, &[&str]); 3] = [
    (Stack::MegatronLm, &["megatron", "mcore"]),
    (
        Stack::Compiled,
        &[
            "compile",
            "compiled",
            "torchtitan",
            "titan",
            "jax",
            "xla",
            "t5x",
            "axlearn",
            "levanter",
            "easylm",
            "llm.c",
        ],
    ),
    (Stack::Fused, &["fused", "nemo", "primus", "te", "flash"]),
];

impl Stack {
    /// Every stack with its name in data files and links, and its name for people.
    pub const ALL: [(Self, &'static str, &'static str); 17] = [
        (Self::Fused, "fused", "Fused kernels (any recent framework)"),
        (Self::Compiled, "compiled", "Compiled (torch.compile, XLA, graphs)"),
        (Self::Eager, "eager", "Eager PyTorch"),
        (Self::Nemo, "nemo", "NVIDIA NeMo"),
        (Self::MegatronBridge, "megatron-bridge", "NVIDIA Megatron-Bridge"),
        (Self::NemoMlperf, "nemo-mlperf", "NeMo, MLPerf submission"),
        (Self::MegatronCoreNoOverlap, "megatron-core-no-overlap", "Megatron-Core without overlap"),
        (Self::MegatronLm, "megatron-lm", "Megatron-LM"),
        (Self::MegatronDeepspeed, "megatron-deepspeed", "Megatron-DeepSpeed"),
        (Self::DeepspeedZero3, "deepspeed-zero3", "DeepSpeed ZeRO-3"),
        (Self::ComposerFsdp, "composer-fsdp", "Composer FSDP"),
        (Self::FmsFsdp, "fms-fsdp", "fms-fsdp"),
        (Self::Torchtitan, "torchtitan", "torchtitan"),
        (Self::Internevo, "internevo", "InternEvo"),
        (Self::Megascale, "megascale", "MegaScale"),
        (Self::Maxtext, "maxtext", "MaxText"),
        (Self::Paxml, "paxml", "Paxml"),
    ];

    /// The stack of that name, in any case. The words of a name never seen are read for the kind of stack; where
    /// they say nothing, it is eager PyTorch, as most are.
    pub fn from_name(name: &str) -> Self {
        let name = name.trim().to_ascii_lowercase().replace(['_', ' '], "-");
        if let Some(entry) = Self::ALL.iter().find(|entry| entry.1 == name) {
            return entry.0;
        }
        let says = |words: &[&str]| name.split(['-', '/', '+']).any(|word| words.contains(&word));
        if says(&["eager", "uncompiled", "unfused", "no", "non"]) {
            return Self::Eager;
        }
        if says(&["deepspeed"]) && says(&["megatron"]) {
            return Self::MegatronDeepspeed;
        }
        WORDS.iter().find(|kind| says(kind.1)).map_or(Self::Eager, |kind| kind.0)
    }

    /// The name of the stack in data files and links.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|entry| entry.0 == self).map_or("fused", |entry| entry.1)
    }
}
