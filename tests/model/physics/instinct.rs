//! AMD's Instinct: what measured attention kernels and products take, and which kernel a release has.

use crate::support::{assert_close, scenario};
use stepcast::constants::Constants;
use stepcast::cost::{AttentionCore, Gemm, Rates, Work};

/// Attention of Llama-3 8B's heads over so many tokens, on eight GPUs of a machine with a fused stack of a month.
fn core(keys: f64, backward: bool) -> AttentionCore {
    AttentionCore {
        tokens: keys,
        keys,
        heads: 64.0,
        head_dim: 128.0,
        value_dim: 128.0,
        pairs: 1.0,
        reads_mask: false,
        gathers: false,
        score_bytes: 0.0,
        backward,
    }
}

fn job<'a>(machine: &'a str, stack: &'a str, year: &'a str, month: &'a str) -> [(&'a str, &'a str); 8] {
    [
        ("m", "llama3-8b"),
        ("g", machine),
        ("n", "8"),
        ("pp", "1"),
        ("stack", stack),
        ("year", year),
        ("month", month),
        ("prec", "fp8"),
    ]
}

/// TFLOP/s of a forward and a backward pass together.
fn attention(machine: &str, keys: f64) -> f64 {
    let scenario = scenario(&job(machine, "fused", "2025", "10"));
    let rates = Rates::of_benchmark(&scenario, &Constants::SHIPPED);
    let [forward, backward] =
        [false, true].map(|backward| rates.price(&Work::Attention(core(keys, backward))));
    (forward.flops.0 + backward.flops.0) / (forward.time.0 + backward.time.0) / 1e12
}

/// AITER's own table (https://github.com/ROCm/aiter, op_tests/cpp/mha/README.md at 0403bcdf), causal, one sequence, 64 heads of 128
/// with 8 of keys: forward, and backward with 32-bit sums on MI300X and 16-bit ones on MI355X, TFLOP/s.
const AITER: [(&str, f64, f64, f64); 8] = [
    ("mi300x", 4096.0, 474.385, 378.155),
    ("mi300x", 8192.0, 518.29, 433.285),
    ("mi300x", 10240.0, 510.895, 447.995),
    ("mi300x", 16384.0, 541.55, 412.04),
    ("mi355x", 4096.0, 1046.085, 941.16),
    ("mi355x", 8192.0, 1300.105, 1064.56),
    ("mi355x", 10240.0, 1338.005, 1092.475),
    ("mi355x", 16384.0, 1392.485, 1162.805),
];

#[test]
fn attention_takes_what_amds_kernels_take() {
    for (machine, keys, forward, backward) in AITER {
        let measured = 3.5 / (1.0 / forward + 2.5 / backward);
        let found = attention(machine, keys);
        assert!((found / measured - 1.0).abs() < 0.1, "{machine}, {keys} keys: {found} of {measured}");
    }
}

/// Fused stacks turn to AMD's assembly kernels in March 2025; stacks of PyTorch keep FlashAttention-2.
#[test]
fn releases_before_aiter_have_composable_kernels() {
    let time = |stack: &str, year: &str, month: &str| {
        let scenario = scenario(&job("mi300x", stack, year, month));
        Rates::of_benchmark(&scenario, &Constants::SHIPPED)
            .price(&Work::Attention(core(8192.0, false)))
            .time
            .0
    };
    let c = Constants::SHIPPED;
    let ratio = c.attention_efficiency_cdna3 / c.attention_efficiency_cdna_flash2;
    let gain = time("fused", "2025", "2") / time("fused", "2025", "3");
    assert!((gain / ratio - 1.0).abs() < 0.01, "{gain} of {ratio}");
    assert_close(time("eager", "2025", "3"), time("fused", "2025", "2"));
}

/// TFLOP/s of hipBLASLt's tuned kernels on MI355X (https://github.com/AMD-AGI/Primus at fd1eeabb,
/// examples/mlperf/gpt_oss_20b/tune_gemm_results-v26.5.txt): rows, columns, inner dimension, and whether in FP8.
const TUNED: [(f64, f64, f64, bool, f64); 8] = [
    (4096.0, 2880.0, 32768.0, false, 1442.0),
    (2880.0, 32768.0, 4096.0, false, 1437.0),
    (5120.0, 32768.0, 2880.0, false, 1533.0),
    (128_256.0, 32768.0, 2880.0, false, 1461.0),
    (4096.0, 2880.0, 32768.0, true, 2796.0),
    (2880.0, 32768.0, 5120.0, true, 2873.0),
    (5120.0, 32768.0, 2880.0, true, 2541.0),
    (2880.0, 5120.0, 32768.0, true, 2972.0),
];

#[test]
fn products_hold_what_amds_tables_hold() {
    let scenario = scenario(&job("mi355x", "fused", "2025", "10"));
    let rates = Rates::new(&scenario, &Constants::SHIPPED);
    for (m, n, k, low_precision, measured) in TUNED {
        let gemm = Gemm { m, n, k, low_precision, accumulates: false, groups: 1.0, unaligned: false };
        let price = rates.price(&Work::Gemm(gemm));
        let found = price.flops.0 / price.time.0 / 1e12;
        assert!((found / measured - 1.0).abs() < 0.12, "{m} x {n} x {k}: {found} of {measured}");
    }
}
