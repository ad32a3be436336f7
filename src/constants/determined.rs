// Generated from data/determined.tsv by `cargo xtask data`: change the table, not this file.

//! How well measured steps determine each fitted constant.

use super::Record;

/// Names and records of the fitted constants.
pub(super) static RECORDS: &[(&str, Record)] = &[
    (
        "sustained_ampere",
        Record { error: 0.012, evidence: 0.94, refits: (9.481e-1, 9.852e-1), without: "megatron2020" },
    ),
    (
        "sustained_hopper",
        Record { error: 0.020, evidence: 0.84, refits: (1.032e0, 1.050e0), without: "mlperf-8b" },
    ),
    (
        "sustained_blackwell",
        Record { error: 0.034, evidence: 0.54, refits: (9.881e-1, 1.012e0), without: "mbridge" },
    ),
    (
        "gemm_ultra_gain",
        Record { error: 0.024, evidence: 0.84, refits: (1.097e0, 1.157e0), without: "mbridge" },
    ),
    (
        "sustained_fp8_hopper",
        Record { error: 0.024, evidence: 0.91, refits: (9.190e-1, 9.559e-1), without: "nemolauncher" },
    ),
    (
        "sustained_fp8_blackwell",
        Record { error: 0.035, evidence: 0.80, refits: (1.028e0, 1.056e0), without: "mlperf-8b" },
    ),
    (
        "grouped_factor",
        Record { error: 0.054, evidence: 0.93, refits: (1.539e0, 1.662e0), without: "nemolauncher" },
    ),
    (
        "grouped_factor_fused",
        Record { error: 0.123, evidence: 0.33, refits: (9.449e-1, 1.000e0), without: "mbridge" },
    ),
    (
        "expert_stream_factor",
        Record { error: 0.146, evidence: 0.76, refits: (1.325e0, 1.798e0), without: "mbridge" },
    ),
    (
        "host_expert_layer",
        Record { error: 0.076, evidence: 0.96, refits: (2.326e-3, 3.782e-3), without: "mbridge" },
    ),
    (
        "attention_sustained",
        Record { error: 0.030, evidence: 0.96, refits: (6.713e-1, 7.273e-1), without: "nemodocs" },
    ),
    (
        "attention_sustained_blackwell",
        Record { error: 0.082, evidence: 0.70, refits: (8.042e-1, 9.165e-1), without: "mlperf-8b" },
    ),
    (
        "attention_alibi_ratio",
        Record { error: 0.049, evidence: 0.83, refits: (7.739e-1, 8.278e-1), without: "nemodocs" },
    ),
    (
        "overlap_tensor",
        Record { error: 0.088, evidence: 0.88, refits: (6.606e-1, 7.055e-1), without: "mbridge" },
    ),
    (
        "host_layer_deepspeed",
        Record { error: 0.018, evidence: 1.00, refits: (1.000e-3, 1.013e-3), without: "vtrain-single" },
    ),
    (
        "step_fixed_fused",
        Record { error: 0.137, evidence: 0.88, refits: (3.069e-2, 4.807e-2), without: "mlperf-8b" },
    ),
    (
        "framework_factor_fsdp",
        Record { error: 0.018, evidence: 0.80, refits: (1.048e0, 1.070e0), without: "mlperf-8b" },
    ),
    (
        "framework_factor_maxtext",
        Record { error: 0.031, evidence: 0.63, refits: (9.954e-1, 1.040e0), without: "dgxc" },
    ),
    (
        "framework_factor_paxml",
        Record { error: 0.041, evidence: 0.32, refits: (1.040e0, 1.115e0), without: "dgxc" },
    ),
    (
        "software_age_per_year",
        Record { error: 0.154, evidence: 0.91, refits: (7.134e-2, 8.580e-2), without: "llmfoundry" },
    ),
];
