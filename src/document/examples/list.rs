// Generated from data/examples.tsv by `cargo xtask data`: change the table, not this file.

//! Worked scenarios.

use super::Example;

/// Every example: the largest public recipes first, then the papers'.
pub static EXAMPLES: &[Example] = &[
    Example {
        name: "llama3-70b-512xh100",
        label: "Llama-3 70B on 64 nodes of 8 H100, NVIDIA's recipe",
        link: "#2;m=llama3-70b;g=dgx-h100;n=512;seq=8192;gb=1024;stack=nemo;tp=4;sp=1;cp=2;pp=4;vpp=5;sched=1f1b;zero=1;mb=1;rc=none;split=even",
        published: true,
    },
    Example {
        name: "llama3-70b-512xh100-fp8",
        label: "Llama-3 70B on 64 nodes of 8 H100 in FP8",
        link: "#2;m=llama3-70b;g=dgx-h100;n=512;seq=8192;gb=1024;prec=fp8;stack=nemo;tp=4;sp=1;cp=1;pp=8;vpp=5;sched=1f1b;zero=1;mb=1;rc=none;split=even",
        published: true,
    },
    Example {
        name: "llama3-8b-8xh100",
        label: "Llama-3 8B on one node of 8 H100 in FP8",
        link: "#2;m=llama3-8b;g=dgx-h100;n=8;seq=8192;gb=128;prec=fp8;stack=nemo;tp=1;cp=2;pp=1;vpp=1;sched=1f1b;zero=1;mb=1;rc=none;split=even",
        published: true,
    },
    Example {
        name: "llama3-405b-512xh100",
        label: "Llama-3.1 405B on 64 nodes of 8 H100",
        link: "#2;m=llama3-405b;g=dgx-h100;n=512;seq=8192;gb=256;stack=nemo;tp=8;sp=1;cp=2;pp=8;vpp=8;sched=1f1b;zero=1;mb=1;rc=none;split=ends",
        published: true,
    },
    Example {
        name: "llama3-405b-16384xh100",
        label: "Llama-3.1 405B as Meta trained it on 16,384 H100",
        link: "#2;m=llama3-405b;g=dgx-h100;n=16384;seq=8192;gb=2048;stack=fused;year=2024;tp=8;sp=1;cp=1;pp=16;vpp=8;sched=1f1b;zero=2;mb=1;rc=none;split=ends",
        published: true,
    },
    Example {
        name: "llama3-405b-512xgb200",
        label: "Llama-3.1 405B on 512 GB200 in FP8",
        link: "#2;m=llama3-405b;g=gb200-nvl72;n=512;seq=8192;gb=256;prec=fp8;stack=nemo;tp=4;sp=1;cp=2;pp=8;vpp=8;sched=1f1b;zero=1;mb=1;rc=none;split=ends",
        published: true,
    },
    Example {
        name: "nemotron4-15b-256xh100",
        label: "Nemotron-4 15B on 32 nodes of 8 H100",
        link: "#2;m=nemotron4-15b;g=dgx-h100;n=256;seq=4096;gb=1024;stack=nemo;tp=2;sp=1;cp=1;pp=1;vpp=1;sched=1f1b;zero=1;mb=2;rc=none;split=even",
        published: true,
    },
    Example {
        name: "nemotron4-340b-6144xh100",
        label: "Nemotron-4 340B as NVIDIA trained it on 6,144 H100",
        link: "#2;m=nemotron4-340b;g=dgx-h100;n=6144;seq=4096;gb=2304;stack=nemo;year=2024;tp=8;sp=1;cp=1;pp=12;vpp=8;sched=1f1b;zero=1;mb=1;rc=none;split=even",
        published: true,
    },
    Example {
        name: "deepseek-v3-256xgb200",
        label: "DeepSeek-V3 on 256 GB200 in MXFP8",
        link: "#2;m=deepseek-v3;mtp=0;g=gb200-nvl72;n=256;seq=4096;gb=4096;prec=mxfp8;stack=megatron-bridge;year=2026;month=4;tp=1;cp=1;ep=64;etp=1;pp=4;vpp=1;sched=1f1b;zero=1;mb=1;rc=selective;split=even",
        published: true,
    },
    Example {
        name: "qwen3-30b-a3b-8xb200",
        label: "Qwen3 30B-A3B on one node of 8 B200 in MXFP8",
        link: "#2;m=qwen3-30b-a3b;g=dgx-b200;n=8;seq=4096;gb=512;prec=mxfp8;stack=megatron-bridge;year=2026;month=4;tp=1;cp=1;ep=8;etp=1;pp=1;vpp=1;sched=1f1b;zero=1;mb=4;rc=none;split=even",
        published: true,
    },
    Example {
        name: "gpt-oss-120b-64xgb300",
        label: "GPT-OSS 120B on 64 GB300",
        link: "#2;m=gpt-oss-120b;g=gb300-nvl72;n=64;seq=4096;gb=1280;stack=megatron-bridge;year=2026;month=4;tp=1;cp=1;ep=64;etp=1;pp=1;vpp=1;sched=1f1b;zero=1;mb=4;rc=none;split=even",
        published: true,
    },
    Example {
        name: "mixtral-8x7b-64xh100",
        label: "Mixtral 8x7B on 8 nodes of 8 H100 in FP8",
        link: "#2;m=mixtral-8x7b;g=dgx-h100;n=64;seq=4096;gb=256;prec=fp8;stack=nemo;year=2024;month=1;tp=1;cp=1;ep=1;etp=1;pp=4;vpp=8;sched=1f1b;zero=1;mb=1;rc=selective;split=even",
        published: true,
    },
    Example {
        name: "gpt3-175b-1024xa100",
        label: "GPT-3 175B on 128 nodes of 8 A100, Megatron-LM in 2021",
        link: "#2;m=gpt3-175b;g=dgx-a100-80g;n=1024;seq=2048;gb=1536;stack=megatron-lm;year=2021;tp=8;sp=0;cp=1;pp=16;vpp=1;sched=1f1b;zero=0;mb=1;rc=full;tpo=0;dpo=0;split=even",
        published: true,
    },
    Example {
        name: "gpt3-175b-512xh100",
        label: "GPT-3 175B on 64 nodes of 8 H100 in FP8",
        link: "#2;m=gpt3-175b;g=dgx-h100;n=512;seq=2048;gb=2048;prec=fp8;stack=nemo;year=2024;tp=4;sp=1;cp=1;pp=8;vpp=6;sched=1f1b;zero=1;mb=2;rc=none;split=even",
        published: true,
    },
    Example {
        name: "megatron-22b-8xa100",
        label: "Megatron 22B on one node of 8 A100, selective recomputation",
        link: "#2;m=megatron-22b;g=dgx-a100-80g;n=8;seq=2048;gb=4;stack=megatron-lm;year=2022;tp=8;sp=1;cp=1;pp=1;vpp=1;sched=1f1b;zero=0;mb=4;rc=selective;tpo=0;dpo=0;split=even",
        published: true,
    },
    Example {
        name: "megatron-530b-280xa100",
        label: "Megatron 530B on 35 nodes of 8 A100, selective recomputation",
        link: "#2;m=megatron-530b;g=dgx-a100-80g;n=280;seq=2048;gb=280;stack=megatron-lm;year=2022;tp=8;sp=1;cp=1;pp=35;vpp=3;sched=1f1b;zero=0;mb=1;rc=selective;tpo=0;dpo=0;split=even",
        published: true,
    },
    Example {
        name: "megatron-1t-512xa100",
        label: "Megatron 1T on 64 nodes of 8 A100, selective recomputation",
        link: "#2;m=megatron-1t;g=dgx-a100-80g;n=512;seq=2048;gb=512;stack=megatron-lm;year=2022;tp=8;sp=1;cp=1;pp=64;vpp=1;sched=1f1b;zero=0;mb=1;rc=selective;tpo=0;dpo=0;split=even",
        published: true,
    },
    Example {
        name: "gpt-neox-20b-96xa100",
        label: "GPT-NeoX 20B on 12 nodes of 8 A100 40 GB",
        link: "#2;m=gpt-neox-20b;g=dgx-a100-40g;n=96;seq=2048;gb=1536;prec=fp16;stack=megatron-deepspeed;year=2022;tp=2;sp=0;cp=1;pp=4;vpp=1;sched=1f1b;zero=1;mb=4;rc=full;tpo=0;dpo=0;split=even",
        published: true,
    },
    Example {
        name: "llama2-7b-8xa100",
        label: "Llama-2 7B on one node of 8 A100 with fully sharded data parallelism",
        link: "#2;m=llama2-7b;g=dgx-a100-80g;n=8;seq=4096;gb=16;stack=fms-fsdp;year=2024;tp=1;cp=1;pp=1;vpp=1;sched=1f1b;zero=3;mb=2;rc=none;split=even",
        published: false,
    },
    Example {
        name: "llama3-8b-8xa100-fsdp",
        label: "Llama-3 8B, full fine-tuning with FSDP on one node of 8 A100",
        link: "#2;m=llama3-8b;g=dgx-a100-80g;n=8;seq=8192;gb=64;stack=eager;tp=1;cp=1;pp=1;vpp=1;sched=1f1b;zero=3;mb=1;rc=full;tpo=0;ppo=0;split=even;attn=fa2;loss=linear;wts=32",
        published: false,
    },
    Example {
        name: "llama3-70b-2xa6000-qlora",
        label: "Llama-3 70B, QLoRA with FSDP on two RTX A6000",
        link: "#2;m=llama3-70b;g=rtxa6000;n=2;seq=4096;gb=16;stack=eager;tp=1;cp=1;pp=1;vpp=1;sched=1f1b;zero=3;mb=1;rc=full;tpo=0;ppo=0;split=even;attn=fa2;loss=linear;lora=16;base=nf4",
        published: false,
    },
    Example {
        name: "llama3-8b-8xh100-128k",
        label: "Llama-3 8B, TRL with a context of 128k on one node of 8 H100",
        link: "#2;m=llama3-8b;g=dgx-h100;n=8;seq=131072;gb=8;stack=eager;tp=1;cp=8;pp=1;vpp=1;sched=1f1b;zero=3;mb=1;rc=full;tpo=0;ppo=0;split=even;attn=fa2;loss=linear;wts=32",
        published: false,
    },
    Example {
        name: "llemma-7b-16xperlmutter",
        label: "Llemma 7B on 4 nodes of Perlmutter",
        link: "#2;m=llemma-7b;g=perlmutter;n=16;seq=4096;gb=64;prec=fp16;stack=megatron-deepspeed;year=2024;tp=2;sp=0;cp=1;pp=4;vpp=1;sched=1f1b;zero=1;mb=4;rc=full;tpo=0;dpo=0;split=even",
        published: true,
    },
    Example {
        name: "qwen2.5-32b-64xmi300x",
        label: "Qwen2.5 32B on 8 nodes of 8 MI300X with fully sharded data parallelism",
        link: "#2;m=qwen2.5-32b;g=mi300x;n=64;seq=4096;gb=128;stack=torchtitan;tp=1;cp=1;pp=1;vpp=1;sched=1f1b;zero=3;mb=1;rc=none;split=even",
        published: false,
    },
    Example {
        name: "apnet24-gpt-1.5b",
        label: "GPT 1.5B on 16 RTX 3090",
        link: "#2;m=apnet24-gpt-1.5b;g=apnet24-rtx3090;n=16;seq=1024;gb=512;prec=fp16;stack=megatron-deepspeed;year=2023;tp=2;sp=0;cp=1;pp=4;vpp=1;sched=1f1b;zero=0;mb=32;rc=full;tpo=0;dpo=0;split=even",
        published: true,
    },
    Example {
        name: "apnet24-gpt-3b",
        label: "GPT 3B on 32 RTX 3090",
        link: "#2;m=apnet24-gpt-3b;g=apnet24-rtx3090;n=32;seq=1024;gb=1024;prec=fp16;stack=megatron-deepspeed;year=2023;tp=2;sp=0;cp=1;pp=4;vpp=1;sched=1f1b;zero=0;mb=32;rc=full;tpo=0;dpo=0;split=even",
        published: true,
    },
    Example {
        name: "gpt3-175b-4096xa100-tuned",
        label: "GPT-3 175B on 4,096 A100: the search's layout, 1.5 times as fast as the rule of thumb's",
        link: "#2;m=gpt3-175b;g=dgx-a100-80g;n=4096;seq=2048;gb=1536;stack=megatron-lm;year=2023;tp=8;sp=1;cp=1;pp=4;vpp=6;sched=1f1b;zero=1;mb=1;rc=none;split=even",
        published: false,
    },
    Example {
        name: "llama3-8b-64xh100-rule",
        label: "Llama-3 8B on 64 H100: the search's layout is the rule of thumb's",
        link: "#2;m=llama3-8b;g=dgx-h100;n=64;seq=8192;gb=256;stack=nemo;tp=1;cp=1;pp=1;vpp=1;sched=1f1b;zero=1;mb=1;rc=none;split=even",
        published: false,
    },
];
