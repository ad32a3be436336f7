// Generated from data/determined.tsv by `cargo xtask data`: change the table, not this file.

//! How well measured steps determine each fitted constant.

use super::Record;

/// Names and records of the fitted constants.
pub(super) static RECORDS: &[(&str, Record)] = &[
    (
        "sustained_ampere",
        Record { error: 0.012, evidence: 0.94, refits: (9.495e-1, 9.880e-1), without: "bigscience" },
    ),
    (
        "sustained_hopper",
        Record { error: 0.019, evidence: 0.86, refits: (9.928e-1, 1.020e0), without: "dgxc" },
    ),
    (
        "sustained_blackwell",
        Record { error: 0.034, evidence: 0.55, refits: (9.876e-1, 1.010e0), without: "mbridge" },
    ),
    (
        "gemm_ultra_gain",
        Record { error: 0.024, evidence: 0.84, refits: (1.096e0, 1.157e0), without: "mbridge" },
    ),
    (
        "sustained_fp8_hopper",
        Record { error: 0.023, evidence: 0.91, refits: (9.407e-1, 9.690e-1), without: "nemodocs" },
    ),
    (
        "sustained_fp8_blackwell",
        Record { error: 0.035, evidence: 0.81, refits: (1.028e0, 1.056e0), without: "mlperf-8b" },
    ),
    (
        "grouped_factor",
        Record { error: 0.053, evidence: 0.93, refits: (1.528e0, 1.660e0), without: "nemolauncher" },
    ),
    (
        "grouped_factor_fused",
        Record { error: 0.123, evidence: 0.33, refits: (9.432e-1, 1.000e0), without: "mbridge" },
    ),
    (
        "expert_stream_factor",
        Record { error: 0.143, evidence: 0.77, refits: (1.328e0, 1.839e0), without: "mbridge" },
    ),
    (
        "host_expert_layer",
        Record { error: 0.070, evidence: 0.97, refits: (2.337e-3, 3.827e-3), without: "mbridge" },
    ),
    (
        "attention_sustained",
        Record { error: 0.097, evidence: 0.58, refits: (7.504e-1, 8.500e-1), without: "llmfoundry" },
    ),
    (
        "attention_sustained_blackwell",
        Record { error: 0.082, evidence: 0.70, refits: (8.046e-1, 9.189e-1), without: "mlperf-8b" },
    ),
    (
        "attention_alibi_ratio",
        Record { error: 0.095, evidence: 0.37, refits: (7.467e-1, 8.000e-1), without: "llmfoundry" },
    ),
    (
        "overlap_tensor",
        Record { error: 0.120, evidence: 0.77, refits: (5.686e-1, 5.997e-1), without: "mbridge" },
    ),
    (
        "host_layer_deepspeed",
        Record { error: 0.018, evidence: 1.00, refits: (1.000e-3, 1.013e-3), without: "vtrain-single" },
    ),
    (
        "step_fixed_fused",
        Record { error: 0.138, evidence: 0.88, refits: (3.053e-2, 4.430e-2), without: "mlperf-8b" },
    ),
    (
        "framework_factor_fsdp",
        Record { error: 0.018, evidence: 0.80, refits: (1.054e0, 1.076e0), without: "bigscience" },
    ),
    (
        "framework_factor_maxtext",
        Record { error: 0.030, evidence: 0.63, refits: (9.864e-1, 1.040e0), without: "dgxc" },
    ),
    (
        "framework_factor_paxml",
        Record { error: 0.041, evidence: 0.33, refits: (1.040e0, 1.114e0), without: "dgxc" },
    ),
    (
        "software_age_per_year",
        Record { error: 0.188, evidence: 0.86, refits: (5.225e-2, 9.762e-2), without: "mlperf-gpt3" },
    ),
];
