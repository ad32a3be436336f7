//! The attention core: scores and values as FLOPs, with rates set by hand.

use super::kernels::core_of;
use crate::support::{assert_close, forecast_under, scenario};
use stepcast::constants::Constants;
use stepcast::cost::{AttentionCore, Bound, Price, Rates, Work};
use stepcast::scenario::Scenario;
use stepcast::scenario::cluster::GpuFamily;
use stepcast::scenario::stack::{AttentionKernel, Stack};
use stepcast::units::{BytesPerSecond, FlopsPerSecond};

/// Llama-3 8B's heads on a GPU of 10 SMs, 1 TFLOP/s and 1 TB/s, on a fused stack.
fn gpu() -> Scenario {
    let mut scenario = scenario(&[("m", "llama3-8b"), ("g", "dgx-h100"), ("n", "8"), ("pp", "1")]);
    scenario.cluster.gpu.sms = 10;
    scenario.cluster.gpu.peak_bf16 = FlopsPerSecond(1e12);
    scenario.cluster.gpu.memory_bandwidth = BytesPerSecond(1e12);
    scenario
}

fn constants() -> Constants {
    Constants {
        attention_efficiency_hopper: 0.5,
        attention_vendor_gain_hopper: 0.0,
        attention_long_later: 0.8,
        attention_backward_ratio: 3.0,
        attention_key_fill: 128.0,
        attention_occupancy_exponent: 2.0,
        attention_head64_ratio: 0.9,
        attention_head64_ratio_vendor: 0.7,
        attention_wide_query_ratio: 0.75,
        attention_unfused_efficiency: 0.25,
        memory_efficiency: 0.5,
        kernel_ramp: 2e-6,
        ..Constants::SHIPPED
    }
}

/// 2 sequences of 4096 tokens, 32 heads of 128.
const CORE: AttentionCore = AttentionCore {
    tokens: 8192.0,
    keys: 4096.0,
    heads: 32.0,
    head_dim: 128.0,
    value_dim: 128.0,
    pairs: 1.0,
    reads_mask: false,
    gathers: false,
    score_bytes: 0.0,
    backward: false,
};

fn price(scenario: &Scenario, core: AttentionCore) -> Price {
    Rates::new(scenario, &constants()).price(&Work::Attention(core))
}

/// Two products of 2 s/2 keys a token, head and channel forward; of a flash kernel's backward pass five instead of
/// two, in three times the time. Blocks of queries walk over half of the keys each, after the start that 128 keys
/// take; of the tile on the diagonal half is wasted on either side.
#[test]
fn flash_kernels_skip_what_is_masked() {
    let causal = 2.0 * 8192.0 * 32.0 * 2048.0 * (128.0 + 128.0);
    let rate = 1e12 * 0.5 * 0.8 * 2048.0 / (2048.0 + 128.0 + 128.0);
    let tensors = 4.0 * 2.0 * 8192.0 * 32.0 * 128.0;
    let forward = price(&gpu(), CORE);
    assert_close(forward.flops.0, causal);
    assert_close(forward.time.0, causal / rate + 2e-6);
    assert_close(forward.bytes.0, tensors);
    assert_eq!(forward.bound, Bound::Compute);
    let backward = price(&gpu(), AttentionCore { backward: true, ..CORE });
    assert_close(backward.flops.0, 2.5 * causal);
    assert_close(backward.time.0, 3.0 * causal / rate + 4e-6);
    assert_close(backward.bytes.0, 2.0 * tensors);
}

/// An encoder computes twice the pairs and wastes no diagonal; a window leaves a share of them, and as short a walk.
#[test]
fn masks_decide_how_many_pairs_are_computed() {
    let all = 2.0 * 8192.0 * 32.0 * 2048.0 * 256.0;
    for (pairs, walk, diagonal) in [(2.0, 4096.0, 0.0), (0.25, 512.0, 128.0)] {
        let found = price(&gpu(), AttentionCore { pairs, ..CORE });
        assert_close(found.flops.0, pairs * all);
        let rate = 0.4e12 * walk / (walk + 128.0 + diagonal);
        assert_close(found.time.0, pairs * all / rate + 2e-6);
    }
}

/// Heads up to 64 run at 0.7 of the rate of the vendor's kernel, 0.9 of others'; queries wider than values at 0.75.
#[test]
fn head_widths_have_their_own_rates() {
    let time = |scenario: &Scenario, head_dim, value_dim| {
        let found = price(scenario, AttentionCore { head_dim, value_dim, ..CORE });
        let causal = 2.0 * 8192.0 * 32.0 * 2048.0 * (head_dim + value_dim);
        assert_close(found.flops.0, causal);
        causal / (found.time.0 - 2e-6) / (0.4e12 * 2048.0 / 2304.0)
    };
    assert_close(time(&gpu(), 64.0, 64.0), 0.7);
    // A wider head takes no less time than one of 64: its rate grows with its width until it is the full one.
    assert_close(time(&gpu(), 96.0, 96.0), 1.0);
    assert_close(time(&gpu(), 192.0, 128.0), 0.75);
    assert_close(time(&gpu(), 64.0, 32.0), 0.7 * 0.75);
    let mut flash = gpu();
    flash.software.stack = Stack::Torchtitan;
    let ratio = Constants::SHIPPED.attention_efficiency_hopper_flash2 / 0.5;
    assert_close(time(&flash, 64.0, 64.0), 0.9 * ratio);
}

/// A head is computed as the next width that the kernel has: 80 takes the time of 96, 100 and 112 that of 128, 160 that of 192;
/// where blocks are powers of two 80 takes that of 128.
#[test]
fn odd_heads_take_the_time_of_the_next_width() {
    let time = |scenario: &Scenario, width| {
        price(scenario, AttentionCore { head_dim: width, value_dim: width, ..CORE }).time.0
    };
    let vendor = gpu();
    for (width, taken_for) in
        [(24.0, 32.0), (48.0, 64.0), (80.0, 96.0), (100.0, 128.0), (160.0, 192.0), (200.0, 256.0)]
    {
        assert_close(time(&vendor, width), time(&vendor, taken_for));
    }
    assert!(time(&vendor, 96.0) < time(&vendor, 128.0));
    let mut first = gpu();
    first.software.kernels.attention = AttentionKernel::Flash1;
    assert_close(time(&first, 80.0), time(&first, 128.0));
    assert_close(time(&first, 96.0), time(&first, 128.0));
    first.software.kernels.attention = AttentionKernel::Flash2;
    assert!(time(&first, 80.0) < time(&first, 128.0));
}

/// Fewer blocks of 128 queries than SMs leave some idle: five on ten run at a quarter, with an exponent of two.
#[test]
fn few_blocks_leave_sms_idle() {
    let found = price(&gpu(), AttentionCore { tokens: 640.0, heads: 1.0, ..CORE });
    let causal = 2.0 * 640.0 * 2048.0 * 256.0;
    assert_close(found.time.0, causal / (0.4e12 * 0.25 * 2048.0 / 2304.0) + 2e-6);
}

/// Separate kernels compute every score: four FLOPs a pair and channel forward, twice that backward, at a quarter of
/// the peak; and stream 11 and 17 bytes a score.
#[test]
fn unfused_kernels_compute_and_move_every_score() {
    let mut scenario = gpu();
    scenario.software.stack = Stack::MegatronLm;
    (scenario.software.year, scenario.software.month) = (2021, 6);
    assert!(Rates::new(&scenario, &constants()).attention_is_unfused());
    assert!(!Rates::new(&gpu(), &constants()).attention_is_unfused());
    let scores = 8192.0 * 4096.0 * 32.0;
    // Old software is slower on Hopper where it ages, memory too.
    let age = 1.0 + 3.0 * Constants::SHIPPED.software_age_per_year;
    for head_dim in [128.0, 100.0] {
        for (backward, passes, bytes, kernels) in [(false, 1.0, 11.0, 5.0), (true, 2.0, 17.0, 8.0)] {
            let core = AttentionCore { head_dim, value_dim: head_dim, score_bytes: bytes, backward, ..CORE };
            let found = price(&scenario, core);
            let flops = passes * scores * 4.0 * head_dim;
            assert_close(found.flops.0, flops);
            assert_close(found.bytes.0, scores * bytes);
            let compute = flops / 0.25e12;
            let moved = scores * bytes / 0.5e12 * age;
            assert_close(found.time.0, compute + moved + kernels * 2e-6);
            assert_eq!(found.bound, if compute >= moved { Bound::Compute } else { Bound::Memory });
        }
    }
}

/// One kernel for the softmax of the scores below the diagonal moves 6 and 12 bytes a score, of whatever stack, and as many FLOPs.
#[test]
fn a_softmax_of_the_triangle_moves_fewer_bytes() {
    for stack in [Stack::Compiled, Stack::Eager, Stack::MegatronLm] {
        let mut scenario = gpu();
        scenario.software.stack = stack;
        scenario.software.kernels.attention = AttentionKernel::Unfused;
        let whole = price(&scenario, core_of(&scenario, false));
        scenario.software.kernels.attention = AttentionKernel::Triangle;
        let core = core_of(&scenario, false);
        let scores = core.tokens * core.keys * core.heads;
        let found = price(&scenario, core);
        assert_close(found.bytes.0, 6.0 * scores);
        assert_close(found.flops.0, whole.flops.0);
        assert!(found.time.0 < whole.time.0);
        assert_close(price(&scenario, core_of(&scenario, true)).bytes.0, 12.0 * scores);
    }
}

/// Every generation and kernel has its own share of the peak, for long and with position biases in the scores.
#[test]
fn generations_and_kernels_have_their_own_rates() {
    use GpuFamily::{Ampere, Blackwell, BlackwellUltra, Cdna3, Hopper, Volta};
    let constants = Constants {
        attention_efficiency_volta: 0.11,
        attention_efficiency_ampere: 0.12,
        attention_efficiency_hopper: 0.13,
        attention_efficiency_hopper_flash2: 0.14,
        attention_efficiency_blackwell: 0.15,
        gemm_ultra_gain: 4.0,
        attention_efficiency_cdna2: 0.16,
        attention_efficiency_cdna3: 0.16,
        attention_efficiency_cdna4: 0.16,
        attention_efficiency_cdna_flash2: 0.16,
        attention_sustained: 0.5,
        attention_long_later: 0.5,
        attention_sustained_blackwell: 0.25,
        attention_alibi_ratio: 0.7,
        ..constants()
    };
    for (family, stack, share) in [
        (Volta, Stack::Fused, 0.11 * 0.5),
        (Ampere, Stack::Fused, 0.12 * 0.5),
        (Hopper, Stack::Fused, 0.13 * 0.5),
        (Hopper, Stack::Compiled, 0.14 * 0.5),
        (Hopper, Stack::ComposerFsdp, 0.14 * 0.5 * 0.7),
        (Blackwell, Stack::Fused, 0.15 * 0.25),
        (BlackwellUltra, Stack::Fused, 0.15 * 8.0 * 0.25),
        (Cdna3, Stack::Compiled, 0.16 * 0.5),
    ] {
        let mut scenario = gpu();
        scenario.cluster.gpu.family = family;
        scenario.software.stack = stack;
        let found = Rates::new(&scenario, &constants).price(&Work::Attention(CORE));
        let causal = 2.0 * 8192.0 * 32.0 * 2048.0 * 256.0;
        assert_close(found.time.0, causal / (1e12 * share * 2048.0 / 2304.0) + 2e-6);
        // In benchmarks nothing holds the rate back.
        let short = Rates::of_benchmark(&scenario, &constants).price(&Work::Attention(CORE));
        let sustained = if matches!(family, Blackwell | BlackwellUltra) { 0.25 } else { 0.5 };
        assert_close(short.time.0 - 2e-6, (found.time.0 - 2e-6) * sustained);
    }
}

/// From 128k to 4M tokens over 8 to 256 ranks, however they meet: causal attention of Llama-3 8B takes half of all pairs, two
/// products of 2 FLOPs an element, a rank's share of them, within 10 % of the time at what FlashAttention-3 was measured at on an
/// H100 with 16,384 tokens, causal, heads of 128: 616 TFLOP/s (its repository, `assets/flash3_fp16_fwd.png`). What is left of
/// that rate in long training (`attention_long_later`) is set aside.
#[test]
fn long_causal_attention_is_its_closed_count() {
    const MEASURED: f64 = 616e12;
    let kernels =
        Constants { attention_long_later: 1.0, attention_vendor_gain_hopper: 0.0, ..Constants::SHIPPED };
    for (sequence, context) in [("131072", "8"), ("524288", "32"), ("1048576", "32"), ("4194304", "256")] {
        for exchange in ["ring", "all-gather", "all-to-all"] {
            // 32 heads are for 32 ranks at most.
            if exchange == "all-to-all" && context == "256" {
                continue;
            }
            let job = scenario(&[
                ("m", "llama3-8b"),
                ("g", "dgx-h100"),
                ("n", context),
                ("gb", "1"),
                ("seq", sequence),
                ("stack", "fused"),
                ("tp", "1"),
                ("sp", "0"),
                ("cp", context),
                ("cpx", exchange),
                ("pp", "1"),
                ("mb", "1"),
            ]);
            let (s, c): (f64, f64) = (sequence.parse().expect("tokens"), context.parse().expect("ranks"));
            let closed = 0.5 * s * s * 32.0 * 4.0 * 128.0 / c / MEASURED;
            let found = forecast_under(&job, &kernels);
            let core = found.operators.iter().find(|row| row.name == "attention_core").expect("a core");
            assert!(
                (core.time.0 / closed - 1.0).abs() < 0.1,
                "{sequence} {exchange}: {} {closed}",
                core.time.0
            );
        }
    }
}

/// Flash attention on an A100: what shapes take of its rate in training shrinks as one over the walk of a block of queries, from
/// sequences of 8,192 tokens on, towards what power leaves. By hand, 16 million tokens are within 1 % of that rate.
#[test]
fn long_walks_lose_to_power_alone() {
    let constants = Constants {
        attention_sustained: 0.6,
        attention_long_ampere: 0.9,
        attention_long_later: 0.7,
        attention_sustained_blackwell: 0.65,
        attention_long_walk: 4096.0,
        attention_key_fill: 0.0,
        kernel_ramp: 0.0,
        ..Constants::SHIPPED
    };
    // Rate over that of a benchmark, the diagonal's tile aside.
    let share = |machine: &str, kernel: &str, keys: f64| {
        let edits = [("m", "llama3-8b"), ("g", machine), ("n", "8"), ("pp", "1"), ("attn", kernel)];
        let job = scenario(&edits);
        let core = AttentionCore { tokens: keys, keys, ..CORE };
        let time = |rates: Rates<'_>| rates.price(&Work::Attention(core)).time.0;
        time(Rates::of_benchmark(&job, &constants)) / time(Rates::new(&job, &constants))
    };
    assert_close(share("dgx-a100-80g", "fa2", 2048.0), 0.6);
    assert_close(share("dgx-a100-80g", "fa2", 8192.0), 0.6);
    assert_close(share("dgx-a100-80g", "fa2", 16_384.0), 0.75);
    assert!((share("dgx-a100-80g", "fa2", 16_777_216.0) - 0.9).abs() < 0.009);
    assert_close(share("dgx-a100-80g", "cudnn", 16_384.0), 0.75);
    // A Hopper holds one share at every length; a Blackwell comes to it.
    for keys in [2048.0, 1_048_576.0] {
        assert_close(share("dgx-h100", "fa3", keys), 0.7);
    }
    // FlashAttention-2 leaves half of what the vendor's kernel uses there: alone for long it is held by nothing.
    assert_close(share("dgx-h100", "fa2", 2048.0), 0.7);
    assert_close(share("dgx-h100", "fa2", 16_384.0), 0.85);
    assert!((share("dgx-h100", "fa2", 16_777_216.0) - 1.0).abs() < 0.009);
    assert!((share("dgx-b200", "fa2", 16_777_216.0) - 1.0).abs() < 0.009);
    assert_close(share("dgx-b200", "cudnn", 8192.0), 0.65);
    assert_close(share("dgx-b200", "cudnn", 16_384.0), 0.675);
}

/// NeMo's launcher switches cuDNN's attention off up to release 24.07 (`NVTE_FUSED_ATTN: 0`), which leaves FlashAttention-2; from 24.09
/// on it does not. A kernel that is stated is that kernel at any date, and FlashAttention-2 is as fast in an old release as in a new
/// one, while what else an old release brings is slower on Hopper.
#[test]
fn nemo_ran_flash_attention_2_until_summer_2024() {
    let time = |stack: &str, date: (&str, &str), kernel: &str| {
        let edits = [("m", "llama3-8b"), ("g", "dgx-h100"), ("n", "8"), ("pp", "1"), ("stack", stack)];
        let more = [("year", date.0), ("month", date.1), ("attn", kernel)];
        let job = scenario(&[&edits[..], &more[..]].concat());
        Rates::new(&job, &Constants::SHIPPED).price(&Work::Attention(CORE)).time.0
    };
    let flash = time("nemo", ("2025", "1"), "fa2");
    for date in [("2024", "1"), ("2024", "7"), ("2024", "8")] {
        assert_close(time("nemo", date, "stack"), flash);
        assert_close(time("nemo", date, "fa2"), flash);
        assert!(time("nemo", date, "cudnn") < 0.75 * flash);
        // Others of the time did not switch it off.
        assert_close(time("fused", date, "stack"), time("nemo", date, "cudnn"));
    }
    for date in [("2024", "9"), ("2025", "1"), ("2026", "6")] {
        assert_close(time("nemo", date, "stack"), time("nemo", date, "cudnn"));
    }
    assert!(time("nemo", ("2024", "9"), "stack") > time("nemo", ("2025", "1"), "stack"));
}

/// The vendor's kernels gain a tenth of their rate of early 2025 in a year on Hopper, up to the last table of early 2026; those
/// of other generations and FlashAttention-2 stay. FlashAttention-4 is its own kernel on Blackwell, whenever.
#[test]
fn vendors_kernels_gain_with_releases() {
    let c = Constants {
        attention_vendor_gain_hopper: 0.1,
        attention_flash4_ratio: 1.5,
        kernel_ramp: 0.0,
        ..Constants::SHIPPED
    };
    let time = |machine: &str, year: &str, month: &str, kernel: &str| {
        let edits = [("m", "llama3-8b"), ("g", machine), ("n", "8"), ("pp", "1"), ("stack", "fused")];
        let job = scenario(&[&edits[..], &[("year", year), ("month", month), ("attn", kernel)]].concat());
        Rates::new(&job, &c).price(&Work::Attention(CORE)).time.0
    };
    for kernel in ["stack", "cudnn", "fa3"] {
        // The middles of January and July, and the end of the tables, 1.2 years after the begin of 2025.
        let over =
            |year, month| time("dgx-h100", year, month, kernel) / time("dgx-h100", "2030", "1", kernel);
        assert_close(over("2025", "1"), 1.12 / (1.0 + 0.1 * 0.5 / 12.0));
        assert_close(over("2025", "7"), 1.12 / (1.0 + 0.1 * 6.5 / 12.0));
        assert_close(over("2026", "6"), 1.0);
    }
    for (machine, kernel) in [("dgx-h100", "fa2"), ("dgx-b200", "cudnn"), ("dgx-a100-80g", "cudnn")] {
        assert_close(time(machine, "2025", "1", kernel), time(machine, "2027", "1", kernel));
    }
    assert_close(time("dgx-b200", "2026", "1", "cudnn"), 1.5 * time("dgx-b200", "2026", "1", "fa4"));
    assert_close(time("dgx-h100", "2026", "1", "fa3"), time("dgx-h100", "2026", "1", "fa4"));
}
