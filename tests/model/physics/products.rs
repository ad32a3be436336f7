//! Matrix products and streams: whole waves of whole tiles, a power budget and device memory, with rates set by hand.

use crate::support::{assert_close, scenario};
use proptest::prelude::*;
use stepcast::constants::Constants;
use stepcast::cost::{Bound, Gemm, Price, Rates, Work};
use stepcast::scenario::cluster::GpuFamily;
use stepcast::scenario::stack::Stack;
use stepcast::scenario::{Precision, Scenario};
use stepcast::units::{BytesPerSecond, FlopsPerSecond};

/// FLOP/s of one SM at the clock: four of them make 4e12.
const SM: f64 = 1e12;
/// Elements that a main loop takes to fill and drain, and that joining the parts of a split sum takes.
const FILL: f64 = 100.0;
const JOIN: f64 = 50.0;
/// Efficiency of tiles of 128 x 128 and of 64 x 64 beside those of 128 x 256.
const EFFICIENCY: f64 = 0.8;
/// Bytes per second of device memory.
const MEMORY: f64 = 1e12;

/// A Hopper of four SMs.
fn gpu() -> Scenario {
    let mut scenario = scenario(&[("m", "llama3-8b"), ("g", "dgx-h100"), ("n", "8"), ("pp", "1")]);
    let gpu = &mut scenario.cluster.gpu;
    gpu.sms = 4;
    gpu.peak_bf16 = FlopsPerSecond(8e12);
    gpu.peak_fp8 = FlopsPerSecond(24e12);
    gpu.peak_fp4 = FlopsPerSecond(40e12);
    gpu.memory_bandwidth = BytesPerSecond(2.0 * MEMORY);
    scenario
}

/// Efficiencies in round numbers, kernels without ramp, and everything but tiles out of the way.
fn constants() -> Constants {
    Constants {
        gemm_efficiency_hopper: 0.5,
        gemm_clock_ratio_hopper: 1.0,
        gemm_burst_ratio_later: 1.0,
        gemm_k_half_hopper: FILL,
        gemm_split_cost: JOIN,
        gemm_tile_64_efficiency_later: EFFICIENCY,
        gemm_memory_efficiency: 0.25,
        memory_efficiency: 0.5,
        roofline_overlap_loss: 0.125,
        sustained_hopper: 1.0,
        kernel_ramp: 0.0,
        ..Constants::SHIPPED
    }
}

/// Rates so fast that only whole waves of tiles count: the clock is a millionth of what power allows.
fn clocked() -> Constants {
    Constants { gemm_efficiency_hopper: 0.5e6, gemm_clock_ratio_hopper: 1e-6, ..constants() }
}

fn gemm(m: f64, n: f64, k: f64) -> Gemm {
    Gemm { m, n, k, low_precision: false, accumulates: false, groups: 1.0, unaligned: false }
}

fn price(scenario: &Scenario, constants: &Constants, gemm: Gemm) -> Price {
    Rates::new(scenario, constants).price(&Work::Gemm(gemm))
}

/// Seconds by the clock, of every tile and every split the least: `s` times the tiles dealt to four SMs in whole
/// rounds, each over `k/s` elements, the loop's fill, and the joining of what was split.
fn by_the_clock(groups: f64, m: f64, n: f64, k: f64) -> f64 {
    let tiles = [(128.0, 256.0, 1.0), (128.0, 128.0, EFFICIENCY), (64.0, 64.0, EFFICIENCY)];
    let ways = tiles.iter().flat_map(|tile| [1.0, 2.0, 3.0, 4.0].map(|split| (*tile, split)));
    ways.map(|((rows, columns, efficiency), split)| {
        let tiles = groups * (m / rows).ceil() * (n / columns).ceil();
        let rounds = (tiles * split / 4.0).ceil();
        let depth = k / split + FILL + if split > 1.0 { JOIN } else { 0.0 };
        rounds * 2.0 * rows * columns * depth / (efficiency * SM)
    })
    .fold(f64::INFINITY, f64::min)
}

/// By hand. 512 x 1024 outputs are 16 tiles of 128 x 256, four whole rounds of four SMs: 4 x 65,536 FLOPs an
/// element, over 1000 + 100 of them; one more row makes a fifth round of tiles that are nearly empty. 65 x 65 outputs
/// are a round of four tiles of 64 x 64, at 0.8.
#[test]
fn waves_are_counted_by_hand() {
    let time =
        |m, n, k| price(&gpu(), &Constants { roofline_overlap_loss: 0.0, ..clocked() }, gemm(m, n, k)).time.0;
    assert_close(time(512.0, 1024.0, 1000.0), 4.0 * 65_536.0 * 1100.0 / SM);
    assert_close(by_the_clock(1.0, 512.0, 1024.0, 1000.0), 4.0 * 65_536.0 * 1100.0 / SM);
    assert_close(time(513.0, 1024.0, 1000.0), 5.0 * 65_536.0 * 1100.0 / SM);
    assert_close(time(65.0, 65.0, 1000.0), 8192.0 / 0.8 * 1100.0 / SM);
    // One tile on four SMs: split in four, each part takes 1000 + 100 + 50 elements instead of 4000 + 100.
    assert_close(time(64.0, 64.0, 4000.0), 8192.0 / 0.8 * 1150.0 / SM);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// Of all tiles and splits the best, whatever order they are tried in. Memory is out of the way.
    #[test]
    fn the_best_of_all_tiles_and_splits(m in 1..5000u32, n in 1..5000u32, k in 1..20_000u32, groups in 1..9u32) {
        let mut scenario = gpu();
        scenario.cluster.gpu.memory_bandwidth = BytesPerSecond(1e30);
        let quiet = Constants {
            grouped_factor_streams: 1.0,
            grouped_launch_low: 0.0,
            ..clocked()
        };
        let work = Gemm { groups: f64::from(groups), ..gemm(f64::from(m), f64::from(n), f64::from(k)) };
        let found = price(&scenario, &quiet, work);
        let expected = by_the_clock(f64::from(groups), f64::from(m), f64::from(n), f64::from(k));
        prop_assert!((found.time.0 / expected - 1.0).abs() < 1e-9, "{} {expected}", found.time.0);
        prop_assert_eq!(found.bound, Bound::Compute);
        prop_assert_eq!(found.flops.0, 2.0 * f64::from(groups) * f64::from(m) * f64::from(n) * f64::from(k));
    }
}

/// A product that fills its tiles and waves runs at what power allows for long, half of the peak; where the clock
/// allows the same, the two bounds meet: 2^(1/8) of either.
#[test]
fn power_and_clock_bound_together() {
    let mut scenario = gpu();
    scenario.cluster.gpu.memory_bandwidth = BytesPerSecond(1e30);
    let flops = 2.0 * 1024.0 * 1024.0 * 1e6;
    let work = gemm(1024.0, 1024.0, 1e6);
    let time = |ratio| {
        let constants = Constants { gemm_clock_ratio_hopper: ratio, gemm_k_half_hopper: 0.0, ..constants() };
        price(&scenario, &constants, work).time.0
    };
    assert_close(time(1e6), flops / 4e12);
    assert_close(time(1.0), flops / 4e12 * 2.0_f64.powf(0.125));
    assert_close(time(2.0), flops / 4e12 * (1.0 + 0.5_f64.powi(8)).powf(0.125));
}

/// Short benchmarks end before the power budget is felt: between the rate at first and the rate for long, half way
/// where the product takes as long as the throttle time.
#[test]
fn benchmarks_start_cool() {
    let mut scenario = gpu();
    scenario.cluster.gpu.memory_bandwidth = BytesPerSecond(1e30);
    let constants = Constants {
        gemm_clock_ratio_hopper: 1e6,
        gemm_burst_ratio_later: 2.0,
        gemm_throttle_time_later: 1e-3,
        sustained_hopper: 0.5,
        ..constants()
    };
    for k in [1e3, 1e4, 1e5] {
        let flops = 2.0 * 1024.0 * 1024.0 * k;
        let (held, burst) = (flops / 4e12, flops / 8e12);
        let cool = Rates::of_benchmark(&scenario, &constants).price(&Work::Gemm(gemm(1024.0, 1024.0, k)));
        assert_close(cool.time.0, burst + (held - burst) * held / (held + 1e-3));
        // Training is held to half of that, and never starts cool.
        let training = price(&scenario, &constants, gemm(1024.0, 1024.0, k));
        assert_close(training.time.0, held / 0.5);
    }
}

/// Operands pass at a quarter of 2 TB/s, results at half; the shorter of computing and moving adds an eighth.
/// A 16-bit result is written, a 32-bit gradient read and written.
#[test]
fn memory_runs_beside_the_products() {
    let (m, n, k) = (128.0, 256.0, 64.0);
    let operands = 2.0 * (m * k + n * k);
    let compute = by_the_clock(1.0, m, n, k);
    for (accumulates, width) in [(false, 2.0), (true, 8.0)] {
        let results = width * m * n;
        let moved = operands / 0.5e12 + results / 1e12;
        let found = price(&gpu(), &clocked(), Gemm { accumulates, ..gemm(m, n, k) });
        assert_close(found.time.0, compute.max(moved) + 0.125 * compute.min(moved));
        assert_close(found.bytes.0, operands + results);
    }
    // One row: memory decides.
    let fast = Constants { gemm_efficiency_hopper: 500.0, kernel_ramp: 3e-6, ..constants() };
    let thin = price(&gpu(), &fast, gemm(1.0, 8192.0, 8192.0));
    let moved = 2.0 * (8192.0 + 8192.0 * 8192.0) / 0.5e12 + 2.0 * 8192.0 / 1e12;
    assert!(thin.time.0 > moved + 3e-6 && thin.time.0 < 1.125 * moved + 3e-6);
    assert_eq!(thin.bound, Bound::Memory);
}

/// Many small products in one call hide less of their reading, pass everything at the streams' rate, and start
/// each for itself.
#[test]
fn grouped_products_read_and_start_for_themselves() {
    let constants = Constants {
        grouped_factor: 1.5,
        grouped_factor_fused: 0.75,
        grouped_overlap_loss: 0.5,
        grouped_ramp: 1e-6,
        kernel_ramp: 1.0,
        ..clocked()
    };
    let (groups, m, n, k) = (8.0, 128.0, 256.0, 512.0);
    let compute = by_the_clock(groups, m, n, k);
    let moved = groups * (2.0 * (m * k + n * k) + 8.0 * m * n) / 1e12;
    let work = Gemm { groups, accumulates: true, ..gemm(m, n, k) };
    for (kernels, factor) in [("per-expert", 1.5), ("fused", 0.75)] {
        let mut scenario = gpu();
        scenario.software.stack = Stack::Torchtitan;
        scenario.software.expert_kernels = if kernels == "fused" {
            stepcast::scenario::stack::ExpertKernels::Fused
        } else {
            stepcast::scenario::stack::ExpertKernels::PerExpert
        };
        let found = price(&scenario, &constants, work).time.0;
        assert_close(found, factor * (compute.max(moved) + 0.5 * compute.min(moved)) + groups * 1e-6);
    }
}

/// cuBLAS's products over several streams take what single ones do, and those of quantised operands no less than their launches, 33
/// us an expert. Plain PyTorch's, and Megatron-Core's before July 2024, are one kernel.
#[test]
fn products_of_few_tokens_wait_for_their_launches() {
    let constants = Constants {
        grouped_factor: 1.5,
        grouped_factor_streams: 1.25,
        grouped_overlap_loss: 0.0,
        grouped_ramp: 0.0,
        grouped_launch_low: 5e-3,
        ..clocked()
    };
    let (m, n, k) = (128.0, 256.0, 512.0);
    let streamed = |year: u16, stack, precision, groups: f64| {
        let mut scenario = gpu();
        (scenario.software.stack, scenario.software.year) = (stack, year);
        scenario.workload.precision = precision;
        let low_precision = precision != Precision::Bf16;
        price(&scenario, &constants, Gemm { groups, low_precision, ..gemm(m, n, k) }).time.0
    };
    let one = |groups: f64| {
        let moved = groups * 2.0 * (m * k + n * k + m * n) / 1e12;
        by_the_clock(groups, m, n, k).max(moved)
    };
    assert_close(streamed(2025, Stack::MegatronLm, Precision::Bf16, 8.0), 1.25 * one(8.0));
    assert_close(streamed(2025, Stack::MegatronLm, Precision::Fp8, 8.0), 40e-3);
    assert_close(streamed(2025, Stack::Torchtitan, Precision::Bf16, 8.0), 1.5 * one(8.0));
    let of_2023 = |stack| streamed(2023, stack, Precision::Bf16, 8.0);
    assert_close(of_2023(Stack::Nemo), of_2023(Stack::Torchtitan));
}

/// A precision's products run at its own peak and efficiency, and read operands of its own width; their loops fill
/// in the time of twice the elements. The head's stay in 16 bits. Without such units 16 bits it is.
#[test]
fn low_precision_is_faster_and_lighter() {
    let mut scenario = gpu();
    scenario.cluster.gpu.memory_bandwidth = BytesPerSecond(1e30);
    let constants = Constants {
        gemm_clock_ratio_hopper: 1e6,
        gemm_fp8_ratio_hopper: 0.5,
        gemm_fp8_block_ratio_hopper: 0.25,
        gemm_fp8_ratio_blackwell: 0.4,
        gemm_fp8_block_ratio_blackwell: 0.2,
        gemm_fp4_ratio: 0.1,
        sustained_fp8_hopper: 0.9,
        sustained_fp8_blackwell: 0.8,
        gemm_efficiency_blackwell: 0.5,
        sustained_blackwell: 1.0,
        gemm_clock_ratio_blackwell: 1e6,
        ..constants()
    };
    let (m, n, k) = (1024.0, 1024.0, 1e5);
    let flops = 2.0 * m * n * k;
    let low = Gemm { low_precision: true, ..gemm(m, n, k) };
    use GpuFamily::{Blackwell, Hopper};
    for (family, precision, rate, operand) in [
        (Hopper, Precision::Bf16, 4e12, 2.0),
        (Hopper, Precision::Fp16, 4e12, 2.0),
        (Hopper, Precision::Fp8, 4e12 * 3.0 * 0.5 * 0.9, 1.0),
        (Hopper, Precision::Fp8Block, 4e12 * 3.0 * 0.25 * 0.9, 1.0),
        (Blackwell, Precision::Fp8, 4e12 * 3.0 * 0.4 * 0.8, 1.0),
        (Blackwell, Precision::Fp8Block, 4e12 * 3.0 * 0.2 * 0.8, 1.0),
        (Blackwell, Precision::Mxfp8, 4e12 * 3.0 * 0.2 * 0.8, 1.0),
        (Blackwell, Precision::Nvfp4, 4e12 * 5.0 * 0.1, 0.5625),
    ] {
        scenario.cluster.gpu.family = family;
        scenario.workload.precision = precision;
        let found = price(&scenario, &constants, low);
        // Units that are slower than those of 16 bits are left alone.
        let rate: f64 = rate;
        assert_close(found.time.0, flops / rate.max(4e12));
        assert_close(found.bytes.0, operand * (m * k + n * k) + 2.0 * m * n);
        assert_close(Rates::new(&scenario, &constants).operand_bytes_low(), operand);
        let head = price(&scenario, &constants, gemm(m, n, k));
        assert_close(head.time.0, flops / 4e12);
        assert_close(head.bytes.0, 2.0 * (m * k + n * k + m * n));
    }
    let mut without = scenario;
    without.workload.precision = Precision::Fp8;
    without.cluster.gpu.peak_fp8 = FlopsPerSecond(0.0);
    assert_close(price(&without, &constants, low).time.0, flops / 4e12);
    // Three times the rate; filling the loop takes 2 x 100 elements, and joining its four parts 2 x 50.
    let mut one = gpu();
    one.cluster.gpu.memory_bandwidth = BytesPerSecond(1e30);
    one.workload.precision = Precision::Fp8;
    let slow = Constants { gemm_fp8_ratio_hopper: 1.0, sustained_fp8_hopper: 1.0, ..clocked() };
    let tile = Gemm { low_precision: true, ..gemm(64.0, 64.0, 400.0) };
    assert_close(price(&one, &slow, tile).time.0, 8192.0 / 0.8 * (100.0 + 200.0 + 100.0) / (3.0 * SM));
}

/// Streams pass at half of 2 TB/s and start each kernel; gathered and scattered rows take longer to pass and start.
#[test]
fn streams_pass_at_the_memorys_rate() {
    let constants = Constants { kernel_ramp: 2e-6, expert_stream_factor: 1.5, ..constants() };
    let rates = Rates::new(&gpu(), &constants);
    let rates = |work| rates.price(&work);
    let found = rates(Work::Stream { bytes: 5e6, kernels: 3.0 });
    assert_close(found.time.0, 5e6 / 1e12 + 6e-6);
    assert_eq!((found.bytes.0, found.flops.0, found.bound), (5e6, 0.0, Bound::Latency));
    assert_eq!(rates(Work::Stream { bytes: 6e6, kernels: 3.0 }).bound, Bound::Memory);
    let rows = rates(Work::Scatter { bytes: 5e6, kernels: 3.0 });
    assert_close(rows.time.0, 1.5 * (5e6 / 1e12 + 6e-6));
    assert_eq!(rows.bytes.0, 5e6);
}

/// Every generation has its own share of its peak, in training and in benchmarks, and older releases of stacks
/// that age are slower on the younger of them, by at most three years.
#[test]
fn generations_have_their_own_efficiency() {
    use GpuFamily::{Ampere, Blackwell, BlackwellUltra, Cdna2, Cdna3, Cdna4, Hopper, Volta};
    let constants = Constants {
        gemm_efficiency_volta: 0.1,
        gemm_efficiency_ampere: 0.2,
        gemm_efficiency_hopper: 0.3,
        gemm_efficiency_blackwell: 0.4,
        gemm_ultra_gain: 1.25,
        gemm_efficiency_cdna2: 0.55,
        gemm_efficiency_cdna3: 0.6,
        gemm_efficiency_cdna4: 0.7,
        gemm_clock_ratio_ampere: 1e6,
        gemm_clock_ratio_hopper: 1e6,
        gemm_clock_ratio_blackwell: 1e6,
        sustained_ampere: 0.9,
        sustained_hopper: 0.8,
        sustained_blackwell: 0.7,
        software_age_per_year: 0.1,
        ..constants()
    };
    for (family, share, ages) in [
        (Volta, 0.1 * 0.9, false),
        (Ampere, 0.2 * 0.9, false),
        (Hopper, 0.3 * 0.8, true),
        (Blackwell, 0.4 * 0.7, true),
        (BlackwellUltra, 0.4 * 1.25 * 0.7, true),
        (Cdna2, 0.55 * 0.9, false),
        (Cdna3, 0.6 * 0.9, true),
        (Cdna4, 0.7 * 0.9, true),
    ] {
        // A release counts from the middle of its month, and no step is at a new year.
        for (year, month, older) in [
            (2026, 1, 0.0),
            (2025, 1, 0.0),
            (2024, 12, 0.5 / 12.0),
            (2024, 7, 5.5 / 12.0),
            (2024, 1, 11.5 / 12.0),
            (2023, 12, 12.5 / 12.0),
            (2021, 6, 3.0),
        ] {
            let mut scenario = gpu();
            scenario.cluster.gpu.memory_bandwidth = BytesPerSecond(1e30);
            scenario.cluster.gpu.family = family;
            (scenario.software.year, scenario.software.month) = (year, month);
            let age = if ages { 1.0 + 0.1 * older } else { 1.0 };
            let flops = 2.0 * 1024.0 * 1024.0 * 1e6;
            let found = price(&scenario, &constants, gemm(1024.0, 1024.0, 1e6)).time.0;
            assert_close(found, flops / (8e12 * share) * age);
            // What waits for memory ages alike.
            scenario.cluster.gpu.memory_bandwidth = BytesPerSecond(2.0 * MEMORY);
            let stream = Rates::new(&scenario, &constants).price(&Work::Stream { bytes: 1e9, kernels: 0.0 });
            assert_close(stream.time.0, 1e9 / 1e12 * age);
        }
    }
}

/// Ampere's tiles, loop and memory are its own, Blackwell's loop fills sooner, and AMD's are taken to be Hopper's. FP4
/// has its own loop.
#[test]
fn generations_have_their_own_tiles_and_loops() {
    use GpuFamily::{Ampere, Blackwell, Cdna3, Hopper, Volta};
    let constants = Constants {
        gemm_efficiency_volta: 0.5e6,
        gemm_efficiency_ampere: 0.5e6,
        gemm_efficiency_blackwell: 0.5e6,
        gemm_efficiency_cdna3: 0.5e6,
        gemm_clock_ratio_ampere: 1e-6,
        gemm_clock_ratio_blackwell: 1e-6,
        gemm_k_half_ampere: 300.0,
        gemm_k_half_blackwell: 20.0,
        gemm_k_half_fp4: 700.0,
        gemm_fp4_ratio: 1.0,
        gemm_tile_128_efficiency_ampere: 0.7,
        gemm_tile_64_efficiency_ampere: 0.6,
        gemm_split_cost: 1e9,
        sustained_ampere: 1.0,
        sustained_blackwell: 1.0,
        ..clocked()
    };
    for (family, fill, small, middle, operands) in [
        (Volta, 300.0, 0.6, 0.7, 0.5),
        (Ampere, 300.0, 0.6, 0.7, 0.5),
        (Hopper, 100.0, 0.8, 0.8, 0.25),
        (Blackwell, 20.0, 0.8, 0.8, 0.25),
        (Cdna3, 100.0, 0.8, 0.8, 0.25),
    ] {
        let mut scenario = gpu();
        scenario.cluster.gpu.family = family;
        scenario.cluster.gpu.memory_bandwidth = BytesPerSecond(1e30);
        let time = |scenario: &Scenario, work| price(scenario, &constants, work).time.0;
        assert_close(time(&scenario, gemm(64.0, 64.0, 1000.0)), 8192.0 / small * (1000.0 + fill) / SM);
        let middling = time(&scenario, gemm(512.0, 128.0, 1000.0));
        assert_close(middling, 32_768.0 / middle * (1000.0 + fill) / SM);
        scenario.cluster.gpu.memory_bandwidth = BytesPerSecond(1e3);
        let bytes = 2.0 * 2.0 * 64.0 * 1000.0;
        let slow =
            time(&scenario, gemm(64.0, 64.0, 1000.0)) / (bytes / (1e3 * operands) + 2.0 * 4096.0 / 500.0);
        assert!((slow - 1.0).abs() < 1e-3, "{slow}");
    }
    let mut four = gpu();
    four.cluster.gpu.family = Blackwell;
    four.cluster.gpu.memory_bandwidth = BytesPerSecond(1e30);
    four.workload.precision = Precision::Nvfp4;
    let work = Gemm { low_precision: true, ..gemm(64.0, 64.0, 1000.0) };
    assert_close(price(&four, &constants, work).time.0, 8192.0 / 0.8 * 1700.0 / (5.0 * SM));
}

/// What power allows at first, and for how long, differs between Ampere and what came later.
#[test]
fn ampere_starts_cooler() {
    let constants = Constants {
        gemm_efficiency_ampere: 0.5,
        gemm_clock_ratio_ampere: 1e6,
        gemm_burst_ratio_ampere: 5.0,
        gemm_throttle_time_ampere: 1e-2,
        sustained_ampere: 0.9,
        ..constants()
    };
    let mut scenario = gpu();
    scenario.cluster.gpu.memory_bandwidth = BytesPerSecond(1e30);
    for family in [GpuFamily::Volta, GpuFamily::Ampere] {
        scenario.cluster.gpu.family = family;
        let constants = Constants { gemm_efficiency_volta: 0.5, ..constants };
        let held = 2.0 * 1024.0 * 1024.0 * 1e4 / 4e12;
        let cool = Rates::of_benchmark(&scenario, &constants).price(&Work::Gemm(gemm(1024.0, 1024.0, 1e4)));
        assert_close(cool.time.0, held / 5.0 + held * 0.8 * held / (held + 1e-2));
        assert_close(price(&scenario, &constants, gemm(1024.0, 1024.0, 1e4)).time.0, held / 0.9);
    }
}

/// Times that were learned stand in for physics where there are any, and for the time alone.
#[test]
fn learned_times_replace_the_time_alone() {
    #[derive(Debug)]
    struct Known;
    impl stepcast::cost::LearnedTimes for Known {
        fn seconds(&self, work: &Work) -> Option<f64> {
            matches!(work, Work::Gemm(_)).then_some(42.0)
        }
        fn is_measured(&self, _: &Work) -> bool {
            true
        }
    }
    let (scenario, constants) = (gpu(), constants());
    let product = Work::Gemm(gemm(512.0, 512.0, 512.0));
    let stream = Work::Stream { bytes: 1e6, kernels: 1.0 };
    let physics = Rates::new(&scenario, &constants);
    let learned = physics.with(Some(&Known));
    assert_eq!(
        learned.price(&product),
        Price { time: stepcast::units::Seconds(42.0), ..physics.price(&product) }
    );
    assert_eq!(learned.price(&stream), physics.price(&stream));
    assert_eq!(learned.with(None).price(&product), physics.price(&product));
}

/// Rows at no multiple of 16 bytes are left to slower kernels: so many times the product, and one start.
#[test]
fn unaligned_products_take_a_multiple() {
    let constants = Constants { gemm_unaligned_factor: 2.5, kernel_ramp: 1e-5, ..clocked() };
    let aligned = gemm(1024.0, 512.0, 256.0);
    let [one, other] = [aligned, Gemm { unaligned: true, ..aligned }]
        .map(|gemm| price(&gpu(), &constants, gemm).time.0 - 1e-5);
    assert_close(other, 2.5 * one);
}
