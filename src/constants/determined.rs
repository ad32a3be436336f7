// Generated from data/determined.tsv by `cargo xtask data`: change the table, not this file.

//! How well measured steps determine each fitted constant.

use super::Record;

/// Names and records of the fitted constants.
pub(super) static RECORDS: &[(&str, Record)] = &[
    (
        "sustained_ampere",
        Record { error: 0.018, evidence: 0.87, refits: (9.625e-1, 9.977e-1), without: "megatron2020" },
    ),
    (
        "sustained_hopper",
        Record { error: 0.021, evidence: 0.83, refits: (1.045e0, 1.059e0), without: "nemodocs" },
    ),
    (
        "sustained_blackwell",
        Record { error: 0.034, evidence: 0.53, refits: (9.851e-1, 1.010e0), without: "dgxc" },
    ),
    (
        "gemm_ultra_gain",
        Record { error: 0.023, evidence: 0.85, refits: (1.097e0, 1.158e0), without: "mbridge" },
    ),
    (
        "sustained_fp8_hopper",
        Record { error: 0.025, evidence: 0.90, refits: (9.178e-1, 9.544e-1), without: "nemolauncher" },
    ),
    (
        "sustained_fp8_blackwell",
        Record { error: 0.036, evidence: 0.80, refits: (9.975e-1, 1.060e0), without: "mbridge" },
    ),
    (
        "grouped_factor",
        Record { error: 0.054, evidence: 0.93, refits: (1.534e0, 1.656e0), without: "nemolauncher" },
    ),
    (
        "grouped_factor_fused",
        Record { error: 0.124, evidence: 0.32, refits: (9.372e-1, 1.000e0), without: "mbridge" },
    ),
    (
        "expert_stream_factor",
        Record { error: 0.153, evidence: 0.74, refits: (1.327e0, 1.716e0), without: "mbridge" },
    ),
    (
        "host_expert_layer",
        Record { error: 0.075, evidence: 0.97, refits: (2.332e-3, 3.789e-3), without: "mbridge" },
    ),
    (
        "attention_sustained",
        Record { error: 0.031, evidence: 0.96, refits: (6.734e-1, 7.320e-1), without: "nemodocs" },
    ),
    (
        "attention_sustained_blackwell",
        Record { error: 0.074, evidence: 0.76, refits: (7.972e-1, 8.353e-1), without: "mbridge" },
    ),
    (
        "attention_alibi_ratio",
        Record { error: 0.050, evidence: 0.83, refits: (7.736e-1, 8.298e-1), without: "nemodocs" },
    ),
    (
        "overlap_tensor",
        Record { error: 0.089, evidence: 0.87, refits: (6.611e-1, 6.924e-1), without: "mbridge" },
    ),
    (
        "host_layer_deepspeed",
        Record { error: 0.018, evidence: 1.00, refits: (1.000e-3, 1.010e-3), without: "vtrain-single" },
    ),
    (
        "step_fixed_fused",
        Record { error: 0.145, evidence: 0.87, refits: (4.493e-2, 8.554e-2), without: "mlperf-8b" },
    ),
    (
        "framework_factor_fsdp",
        Record { error: 0.020, evidence: 0.76, refits: (1.040e0, 1.060e0), without: "mlperf-8b" },
    ),
    (
        "framework_factor_maxtext",
        Record { error: 0.032, evidence: 0.58, refits: (9.484e-1, 1.040e0), without: "dgxc" },
    ),
    (
        "framework_factor_paxml",
        Record { error: 0.038, evidence: 0.41, refits: (1.040e0, 1.105e0), without: "dgxc" },
    ),
    (
        "software_age_per_year",
        Record { error: 0.156, evidence: 0.90, refits: (6.494e-2, 8.724e-2), without: "mlperf-gpt3" },
    ),
];
