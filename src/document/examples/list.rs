// Generated from data/examples.tsv by `cargo xtask data`: change the table, not this file.

//! Worked scenarios.

use super::Example;

/// Every example: the largest public recipes first, then the papers'.
pub static EXAMPLES: &[Example] = &[
    Example {
        name: "llama3-70b-512xh100",
        label: "Llama-3 70B on 64 nodes of 8 H100, NVIDIA's recipe",
        link: "#1;m=llama3-70b;g=dgx-h100;n=512;tp=4;cp=2;vpp=5",
        published: true,
    },
    Example {
        name: "llama3-70b-512xh100-fp8",
        label: "Llama-3 70B on 64 nodes of 8 H100 in FP8",
        link: "#1;m=llama3-70b;g=dgx-h100;n=512;prec=fp8;tp=4;pp=8;vpp=5",
        published: true,
    },
    Example {
        name: "llama3-8b-8xh100",
        label: "Llama-3 8B on one node of 8 H100 in FP8",
        link: "#1;m=llama3-8b;g=dgx-h100;n=8;gb=128;prec=fp8;tp=1;sp=0;cp=2;pp=1",
        published: true,
    },
    Example {
        name: "llama3-405b-512xh100",
        label: "Llama-3.1 405B on 64 nodes of 8 H100",
        link: "#1;m=llama3-405b;g=dgx-h100;n=512;gb=256;cp=2;pp=8;vpp=8;split=ends",
        published: true,
    },
    Example {
        name: "llama3-405b-16384xh100",
        label: "Llama-3.1 405B as Meta trained it on 16,384 H100",
        link: "#1;m=llama3-405b;g=dgx-h100;n=16384;gb=2048;stack=fused;year=2024;pp=16;vpp=8;zero=2;split=ends",
        published: true,
    },
    Example {
        name: "llama3-405b-512xgb200",
        label: "Llama-3.1 405B on 512 GB200 in FP8",
        link: "#1;m=llama3-405b;g=gb200-nvl72;n=512;gb=256;prec=fp8;tp=4;cp=2;pp=8;vpp=8;split=ends",
        published: true,
    },
    Example {
        name: "nemotron4-15b-256xh100",
        label: "Nemotron-4 15B on 32 nodes of 8 H100",
        link: "#1;m=nemotron4-15b;g=dgx-h100;n=256;seq=4096;tp=2;pp=1;mb=2",
        published: true,
    },
    Example {
        name: "nemotron4-340b-6144xh100",
        label: "Nemotron-4 340B as NVIDIA trained it on 6,144 H100",
        link: "#1;m=nemotron4-340b;g=dgx-h100;n=6144;seq=4096;gb=2304;year=2024;pp=12;vpp=8",
        published: true,
    },
    Example {
        name: "deepseek-v3-256xgb200",
        label: "DeepSeek-V3 on 256 GB200 in MXFP8",
        link: "#1;m=deepseek-v3;mtp=0;g=gb200-nvl72;n=256;seq=4096;gb=4096;prec=mxfp8;stack=megatron-bridge;year=2026;month=4;tp=1;sp=0;ep=64;rc=selective",
        published: true,
    },
    Example {
        name: "qwen3-30b-a3b-8xb200",
        label: "Qwen3 30B-A3B on one node of 8 B200 in MXFP8",
        link: "#1;m=qwen3-30b-a3b;g=dgx-b200;n=8;seq=4096;gb=512;prec=mxfp8;stack=megatron-bridge;year=2026;month=4;tp=1;sp=0;ep=8;pp=1;mb=4",
        published: true,
    },
    Example {
        name: "gpt-oss-120b-64xgb300",
        label: "GPT-OSS 120B on 64 GB300",
        link: "#1;m=gpt-oss-120b;g=gb300-nvl72;n=64;seq=4096;gb=1280;stack=megatron-bridge;year=2026;month=4;tp=1;sp=0;ep=64;pp=1;mb=4",
        published: true,
    },
    Example {
        name: "mixtral-8x7b-64xh100",
        label: "Mixtral 8x7B on 8 nodes of 8 H100 in FP8",
        link: "#1;m=mixtral-8x7b;g=dgx-h100;n=64;seq=4096;gb=256;prec=fp8;year=2024;month=1;tp=1;sp=0;vpp=8;rc=selective",
        published: true,
    },
    Example {
        name: "gpt3-175b-1024xa100",
        label: "GPT-3 175B on 128 nodes of 8 A100, Megatron-LM in 2021",
        link: "#1;m=gpt3-175b;g=dgx-a100-80g;n=1024;seq=2048;gb=1536;stack=megatron-lm;year=2021;sp=0;pp=16;zero=0;rc=full;tpo=0;dpo=0",
        published: true,
    },
    Example {
        name: "gpt3-175b-512xh100",
        label: "GPT-3 175B on 64 nodes of 8 H100 in FP8",
        link: "#1;m=gpt3-175b;g=dgx-h100;n=512;seq=2048;gb=2048;prec=fp8;year=2024;tp=4;pp=8;vpp=6;mb=2",
        published: true,
    },
    Example {
        name: "megatron-22b-8xa100",
        label: "Megatron 22B on one node of 8 A100, selective recomputation",
        link: "#1;m=megatron-22b;g=dgx-a100-80g;n=8;seq=2048;gb=4;stack=megatron-lm;year=2022;pp=1;zero=0;mb=4;rc=selective;tpo=0;dpo=0",
        published: true,
    },
    Example {
        name: "megatron-530b-280xa100",
        label: "Megatron 530B on 35 nodes of 8 A100, selective recomputation",
        link: "#1;m=megatron-530b;g=dgx-a100-80g;n=280;seq=2048;gb=280;stack=megatron-lm;year=2022;pp=35;vpp=3;zero=0;rc=selective;tpo=0;dpo=0",
        published: true,
    },
    Example {
        name: "megatron-1t-512xa100",
        label: "Megatron 1T on 64 nodes of 8 A100, selective recomputation",
        link: "#1;m=megatron-1t;g=dgx-a100-80g;n=512;seq=2048;gb=512;stack=megatron-lm;year=2022;pp=64;zero=0;rc=selective;tpo=0;dpo=0",
        published: true,
    },
    Example {
        name: "gpt-neox-20b-96xa100",
        label: "GPT-NeoX 20B on 12 nodes of 8 A100 40 GB",
        link: "#1;m=gpt-neox-20b;g=dgx-a100-40g;n=96;seq=2048;gb=1536;prec=fp16;stack=megatron-deepspeed;year=2022;tp=2;sp=0;mb=4;rc=full;tpo=0;dpo=0",
        published: true,
    },
    Example {
        name: "llama2-7b-8xa100",
        label: "Llama-2 7B on one node of 8 A100 with fully sharded data parallelism",
        link: "#1;m=llama2-7b;g=dgx-a100-80g;n=8;seq=4096;gb=16;stack=fms-fsdp;year=2024;tp=1;sp=0;pp=1;zero=3;mb=2",
        published: false,
    },
    Example {
        name: "llama3-8b-8xa100-fsdp",
        label: "Llama-3 8B, full fine-tuning with FSDP on one node of 8 A100",
        link: "#1;m=llama3-8b;g=dgx-a100-80g;n=8;gb=64;stack=eager;tp=1;sp=0;pp=1;zero=3;rc=full;tpo=0;ppo=0;attn=fa2;loss=linear;wts=32",
        published: false,
    },
    Example {
        name: "llama3-70b-2xa6000-qlora",
        label: "Llama-3 70B, QLoRA with FSDP on two RTX A6000",
        link: "#1;m=llama3-70b;g=rtxa6000;n=2;seq=4096;gb=16;stack=eager;tp=1;sp=0;pp=1;zero=3;rc=full;tpo=0;ppo=0;attn=fa2;loss=linear;lora=16;base=nf4",
        published: false,
    },
    Example {
        name: "llama3-8b-8xh100-128k",
        label: "Llama-3 8B, TRL with a context of 128k on one node of 8 H100",
        link: "#1;m=llama3-8b;g=dgx-h100;n=8;seq=131072;gb=8;stack=eager;tp=1;sp=0;cp=8;pp=1;zero=3;rc=full;tpo=0;ppo=0;attn=fa2;loss=linear;wts=32",
        published: false,
    },
    Example {
        name: "llemma-7b-16xperlmutter",
        label: "Llemma 7B on 4 nodes of Perlmutter",
        link: "#1;m=llemma-7b;g=perlmutter;n=16;seq=4096;gb=64;prec=fp16;stack=megatron-deepspeed;year=2024;tp=2;sp=0;mb=4;rc=full;tpo=0;dpo=0",
        published: true,
    },
    Example {
        name: "qwen2.5-32b-64xmi300x",
        label: "Qwen2.5 32B on 8 nodes of 8 MI300X with fully sharded data parallelism",
        link: "#1;m=qwen2.5-32b;g=mi300x;n=64;seq=4096;gb=128;stack=torchtitan;tp=1;sp=0;pp=1;zero=3",
        published: false,
    },
    Example {
        name: "apnet24-gpt-1.5b",
        label: "GPT 1.5B on 16 RTX 3090",
        link: "#1;m=apnet24-gpt-1.5b;g=apnet24-rtx3090;n=16;seq=1024;gb=512;prec=fp16;stack=megatron-deepspeed;year=2023;tp=2;sp=0;zero=0;mb=32;rc=full;tpo=0;dpo=0",
        published: true,
    },
    Example {
        name: "apnet24-gpt-3b",
        label: "GPT 3B on 32 RTX 3090",
        link: "#1;m=apnet24-gpt-3b;g=apnet24-rtx3090;n=32;seq=1024;prec=fp16;stack=megatron-deepspeed;year=2023;tp=2;sp=0;zero=0;mb=32;rc=full;tpo=0;dpo=0",
        published: true,
    },
    Example {
        name: "gpt3-175b-4096xa100-tuned",
        label: "GPT-3 175B on 4,096 A100: the search's layout, 1.5 times as fast as the rule of thumb's",
        link: "#1;m=gpt3-175b;g=dgx-a100-80g;n=4096;seq=2048;gb=1536;stack=megatron-lm;year=2023;vpp=6",
        published: false,
    },
    Example {
        name: "llama3-8b-64xh100-rule",
        label: "Llama-3 8B on 64 H100: the search's layout is the rule of thumb's",
        link: "#1;m=llama3-8b;g=dgx-h100;n=64;gb=256;tp=1;sp=0;pp=1",
        published: false,
    },
];
