//! Worked scenarios for the command line's `--preset` and the page's examples. A new one is one
//! entry of [`EXAMPLES`].

/// A scenario as a link: published, or one to start from.
#[derive(Debug, Clone, Copy)]
pub struct Example {
    /// Name on the command line.
    pub name: &'static str,
    /// One line about it.
    pub label: &'static str,
    /// Where the layout is published.
    pub source: &'static str,
    /// The link that opens the example.
    pub link: &'static str,
}

/// The example of that name.
pub fn find(name: &str) -> Option<&'static Example> {
    EXAMPLES.iter().find(|example| example.name == name)
}

const DGX_CLOUD: &str =
    "NVIDIA DGX Cloud benchmarking recipes, 2025: https://github.com/NVIDIA/dgxc-benchmarking";
const NEMO: &str = "NeMo Framework performance summary, 2024: https://docs.nvidia.com/nemo-framework/user-guide/latest/performance/performance_summary.html";
const BRIDGE: &str = "Megatron-Bridge performance summary, 2026 (its pipeline layouts are not those of these links): https://docs.nvidia.com/nemo/megatron-bridge/latest/performance-summary.html";
const KORTHIKANTI: &str = "Reducing Activation Recomputation in Large Transformer Models, 2022, tables 3 and 5: https://arxiv.org/abs/2205.05198";
const APNET24: &str = "Understanding Communication Characteristics of Distributed Training, APNet'24, section 3.1: https://doi.org/10.1145/3663408.3663409";

macro_rules! examples {
    ($($name:literal, $label:literal, $source:expr, $link:literal;)+) => {
        &[$(Example { name: $name, label: $label, source: $source, link: $link }),+]
    };
}

/// Every example: the largest public recipes first, then the papers'.
pub static EXAMPLES: &[Example] = examples! {
    "llama3-70b-512xh100", "Llama-3 70B on 64 nodes of 8 H100, NVIDIA's recipe", DGX_CLOUD,
        "#1;m=llama3-70b;g=dgx-h100;n=512;tp=4;cp=2;vpp=5";
    "llama3-70b-512xh100-fp8", "Llama-3 70B on 64 nodes of 8 H100 in FP8", DGX_CLOUD,
        "#1;m=llama3-70b;g=dgx-h100;n=512;prec=fp8;tp=4;pp=8;vpp=5";
    "llama3-8b-8xh100", "Llama-3 8B on one node of 8 H100 in FP8", NEMO,
        "#1;m=llama3-8b;g=dgx-h100;n=8;gb=128;prec=fp8;tp=1;sp=0;cp=2;pp=1";
    "llama3-405b-512xh100", "Llama-3.1 405B on 64 nodes of 8 H100", DGX_CLOUD,
        "#1;m=llama3-405b;g=dgx-h100;n=512;gb=256;cp=2;pp=8;vpp=8;split=ends";
    "llama3-405b-16384xh100", "Llama-3.1 405B as Meta trained it on 16,384 H100",
        "The Llama 3 Herd of Models, 2024, table 4: https://arxiv.org/abs/2407.21783",
        "#1;m=llama3-405b;g=dgx-h100;n=16384;gb=2048;stack=fused;year=2024;pp=16;vpp=8;zero=2;split=ends";
    "llama3-405b-512xgb200", "Llama-3.1 405B on 512 GB200 in FP8", DGX_CLOUD,
        "#1;m=llama3-405b;g=gb200-nvl72;n=512;gb=256;prec=fp8;tp=4;cp=2;pp=8;vpp=8;split=ends";
    "nemotron4-15b-256xh100", "Nemotron-4 15B on 32 nodes of 8 H100", DGX_CLOUD,
        "#1;m=nemotron4-15b;g=dgx-h100;n=256;seq=4096;tp=2;pp=1;mb=2";
    "nemotron4-340b-6144xh100", "Nemotron-4 340B as NVIDIA trained it on 6,144 H100",
        "Nemotron-4 340B Technical Report, 2024, section 2.3: https://arxiv.org/abs/2406.11704",
        "#1;m=nemotron4-340b;g=dgx-h100;n=6144;seq=4096;gb=2304;year=2024;pp=12;vpp=8";
    "deepseek-v3-256xgb200", "DeepSeek-V3 on 256 GB200 in MXFP8", BRIDGE,
        "#1;m=deepseek-v3;mtp=0;g=gb200-nvl72;n=256;seq=4096;gb=4096;prec=mxfp8;stack=megatron-bridge;year=2026;month=4;tp=1;sp=0;ep=64;rc=selective";
    "qwen3-30b-a3b-8xb200", "Qwen3 30B-A3B on one node of 8 B200 in MXFP8", BRIDGE,
        "#1;m=qwen3-30b-a3b;g=dgx-b200;n=8;seq=4096;gb=512;prec=mxfp8;stack=megatron-bridge;year=2026;month=4;tp=1;sp=0;ep=8;pp=1;mb=4";
    "gpt-oss-120b-64xgb300", "GPT-OSS 120B on 64 GB300", BRIDGE,
        "#1;m=gpt-oss-120b;g=gb300-nvl72;n=64;seq=4096;gb=1280;stack=megatron-bridge;year=2026;month=4;tp=1;sp=0;ep=64;pp=1;mb=4";
    "mixtral-8x7b-64xh100", "Mixtral 8x7B on 8 nodes of 8 H100 in FP8",
        "NVIDIA NeMo-Framework-Launcher performance tables, 2024: https://github.com/NVIDIA/NeMo-Framework-Launcher",
        "#1;m=mixtral-8x7b;g=dgx-h100;n=64;seq=4096;gb=256;prec=fp8;year=2024;month=1;tp=1;sp=0;vpp=8;rc=selective";
    "gpt3-175b-1024xa100", "GPT-3 175B on 128 nodes of 8 A100, Megatron-LM in 2021",
        "Megatron-LM README, 2021 (1,536 sequences in 32 s): https://github.com/NVIDIA/Megatron-LM; https://arxiv.org/abs/2104.04473",
        "#1;m=gpt3-175b;g=dgx-a100-80g;n=1024;seq=2048;gb=1536;stack=megatron-lm;year=2021;sp=0;pp=16;zero=0;rc=full;tpo=0;dpo=0";
    "gpt3-175b-512xh100", "GPT-3 175B on 64 nodes of 8 H100 in FP8", NEMO,
        "#1;m=gpt3-175b;g=dgx-h100;n=512;seq=2048;gb=2048;prec=fp8;year=2024;tp=4;pp=8;vpp=6;mb=2";
    "megatron-22b-8xa100", "Megatron 22B on one node of 8 A100, selective recomputation", KORTHIKANTI,
        "#1;m=megatron-22b;g=dgx-a100-80g;n=8;seq=2048;gb=4;stack=megatron-lm;year=2022;pp=1;zero=0;mb=4;rc=selective;tpo=0;dpo=0";
    "megatron-530b-280xa100", "Megatron 530B on 35 nodes of 8 A100, selective recomputation", KORTHIKANTI,
        "#1;m=megatron-530b;g=dgx-a100-80g;n=280;seq=2048;gb=280;stack=megatron-lm;year=2022;pp=35;vpp=3;zero=0;rc=selective;tpo=0;dpo=0";
    "megatron-1t-512xa100", "Megatron 1T on 64 nodes of 8 A100, selective recomputation", KORTHIKANTI,
        "#1;m=megatron-1t;g=dgx-a100-80g;n=512;seq=2048;gb=512;stack=megatron-lm;year=2022;pp=64;zero=0;rc=selective;tpo=0;dpo=0";
    "gpt-neox-20b-96xa100", "GPT-NeoX 20B on 12 nodes of 8 A100 40 GB",
        "GPT-NeoX-20B, 2022, section 2.2: https://arxiv.org/abs/2204.06745",
        "#1;m=gpt-neox-20b;g=dgx-a100-40g;n=96;seq=2048;gb=1536;prec=fp16;stack=megatron-deepspeed;year=2022;tp=2;sp=0;mb=4;rc=full;tpo=0;dpo=0";
    "llama2-7b-8xa100", "Llama-2 7B on one node of 8 A100 with fully sharded data parallelism",
        "A layout to start from, after https://github.com/foundation-model-stack/fms-fsdp",
        "#1;m=llama2-7b;g=dgx-a100-80g;n=8;seq=4096;gb=16;stack=fms-fsdp;year=2024;tp=1;sp=0;pp=1;zero=3;mb=2";
    "llemma-7b-16xperlmutter", "Llemma 7B on 4 nodes of Perlmutter",
        "arXiv 2509.22832, layout 4-2-2: https://arxiv.org/abs/2509.22832",
        "#1;m=llemma-7b;g=perlmutter;n=16;seq=4096;gb=64;prec=fp16;stack=megatron-deepspeed;year=2024;tp=2;sp=0;mb=4;rc=full;tpo=0;dpo=0";
    "qwen2.5-32b-64xmi300x", "Qwen2.5 32B on 8 nodes of 8 MI300X with fully sharded data parallelism",
        "A layout to start from, not a published one",
        "#1;m=qwen2.5-32b;g=mi300x;n=64;seq=4096;gb=128;stack=torchtitan;tp=1;sp=0;pp=1;zero=3";
    "apnet24-gpt-1.5b", "GPT 1.5B on 16 RTX 3090", APNET24,
        "#1;m=apnet24-gpt-1.5b;g=apnet24-rtx3090;n=16;seq=1024;gb=512;prec=fp16;stack=megatron-deepspeed;year=2023;tp=2;sp=0;zero=0;mb=32;rc=full;tpo=0;dpo=0";
    "apnet24-gpt-3b", "GPT 3B on 32 RTX 3090", APNET24,
        "#1;m=apnet24-gpt-3b;g=apnet24-rtx3090;n=32;seq=1024;prec=fp16;stack=megatron-deepspeed;year=2023;tp=2;sp=0;zero=0;mb=32;rc=full;tpo=0;dpo=0";
};
