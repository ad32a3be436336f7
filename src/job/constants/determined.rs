// Generated from data/determined.tsv by `cargo xtask data`: change the table, not this file.

//! How well measured steps determine each fitted constant.

use super::FitRecord;

/// Names and records of the fitted constants.
#[rustfmt::skip]
pub(super) static RECORDS: &[(&str, FitRecord)] = &[
("sustained_ampere", FitRecord { error: 0.013, evidence: 0.94, refits: (9.592e-1, 1.008e0), without: "bigscience" }),
("sustained_hopper", FitRecord { error: 0.019, evidence: 0.86, refits: (9.948e-1, 1.023e0), without: "dgxc" }),
("sustained_blackwell", FitRecord { error: 0.034, evidence: 0.53, refits: (9.909e-1, 1.015e0), without: "dgxc" }),
("gemm_ultra_gain", FitRecord { error: 0.024, evidence: 0.84, refits: (1.097e0, 1.153e0), without: "mbridge" }),
("sustained_fp8_hopper", FitRecord { error: 0.023, evidence: 0.91, refits: (9.397e-1, 9.696e-1), without: "nemodocs" }),
("sustained_fp8_blackwell", FitRecord { error: 0.036, evidence: 0.79, refits: (1.028e0, 1.059e0), without: "mlperf-8b" }),
("grouped_factor", FitRecord { error: 0.059, evidence: 0.91, refits: (1.200e0, 1.506e0), without: "nemolauncher" }),
("grouped_factor_fused", FitRecord { error: 0.124, evidence: 0.32, refits: (9.235e-1, 1.000e0), without: "mbridge" }),
("expert_stream_factor", FitRecord { error: 0.090, evidence: 0.91, refits: (1.343e0, 2.148e0), without: "mbridge" }),
("host_expert_layer", FitRecord { error: 0.091, evidence: 0.95, refits: (2.333e-3, 3.728e-3), without: "mbridge" }),
("attention_sustained", FitRecord { error: 0.097, evidence: 0.58, refits: (7.549e-1, 8.500e-1), without: "llmfoundry" }),
("attention_sustained_blackwell", FitRecord { error: 0.080, evidence: 0.72, refits: (7.783e-1, 9.164e-1), without: "mlperf-8b" }),
("attention_alibi_ratio", FitRecord { error: 0.095, evidence: 0.37, refits: (7.478e-1, 8.000e-1), without: "llmfoundry" }),
("overlap_tensor", FitRecord { error: 0.119, evidence: 0.78, refits: (5.792e-1, 6.074e-1), without: "mbridge" }),
("host_layer_deepspeed", FitRecord { error: 0.019, evidence: 1.00, refits: (9.799e-4, 1.000e-3), without: "vtrain-single" }),
("step_fixed_fused", FitRecord { error: 0.141, evidence: 0.88, refits: (2.969e-2, 4.364e-2), without: "mlperf-8b" }),
("framework_factor_fsdp", FitRecord { error: 0.018, evidence: 0.80, refits: (1.060e0, 1.090e0), without: "bigscience" }),
("framework_factor_paxml", FitRecord { error: 0.041, evidence: 0.32, refits: (1.040e0, 1.115e0), without: "dgxc" }),
("software_age_per_year", FitRecord { error: 0.182, evidence: 0.87, refits: (5.584e-2, 1.008e-1), without: "mlperf-gpt3" }),
];
