// Generated from data/whole_runs.tsv by `cargo xtask data`: change the table, not this file.

//! Published training runs by their total GPU time.

use super::WholeRun;

/// Every run.
#[rustfmt::skip]
pub(super) static WHOLE_RUNS: &[WholeRun] = &[
WholeRun { name: "DeepSeek-V3 on 2,048 H800", link: "#2;m=deepseek-v3;g=hgx-h800;n=2048;seq=4096;gb=15360;prec=fp8-block;xd=deepep;tokens=14.8T;tp=1;sp=0;cp=1;ep=64;etp=1;pp=16;vpp=1;sched=dualpipe;zero=1;mb=1;rc=none;split=even", gpu_hours: 2664000.0, tokens: 14.8e12, left_open: "the batch grew from 3,072 to 15,360 sequences; the forecast uses 15,360", source: "DeepSeek-V3 Technical Report, 2024, table 1 (pre-training): https://arxiv.org/abs/2412.19437" },
WholeRun { name: "Llama-3.1 405B on 16,384 H100", link: "#2;m=llama3-405b;g=dgx-h100;n=16384;seq=8192;gb=2048;stack=fused;year=2024;tp=8;sp=1;cp=1;pp=16;vpp=8;sched=1f1b;zero=2;mb=1;rc=none;split=ends;tokens=15.6T", gpu_hours: 30840000.0, tokens: 15.6e12, left_open: "restarts, smaller batches at the start and longer sequences at the end are not modelled", source: "Llama 3.1 model card, 2024 (GPU-hours): https://github.com/meta-llama/llama-models; The Llama 3 Herd of Models, table 4: https://arxiv.org/abs/2407.21783" },
];
