//! Power: what a limit leaves of large products and attention, and what it does not touch.

use crate::support::{assert_close, scenario};
use stepcast::constants::Constants;
use stepcast::cost::{AttentionCore, Gemm, Price, Rates, Work};
use stepcast::scenario::Scenario;
use stepcast::scenario::cluster::presets::GPUS;

/// Llama-3 8B on one GPU of a name, under so many per cent of the power its generation's rates were measured at.
fn on(gpu: &str, power: Option<u32>, kernel: &str) -> Scenario {
    let edits = [("m", "llama3-8b"), ("g", "dgx-h100"), ("n", "8"), ("pp", "1"), ("attn", kernel)];
    let mut scenario = scenario(&edits);
    scenario.cluster.gpu = GPUS.iter().find(|preset| preset.name == gpu).expect("a GPU").gpu;
    scenario.cluster.gpu.power = power.unwrap_or(scenario.cluster.gpu.power);
    scenario
}

fn price(scenario: &Scenario, work: Work) -> Price {
    Rates::new(scenario, &Constants::SHIPPED).price(&work)
}

fn product(m: f64, n: f64, k: f64, low_precision: bool) -> Work {
    Work::Gemm(Gemm { m, n, k, low_precision, accumulates: false, groups: 1.0, unaligned: false })
}

/// Large products fall as the power to the exponent, streams not at all, and more power never takes longer.
#[test]
fn products_follow_the_power_limit() {
    let exponent = Constants::SHIPPED.power_exponent;
    let large = product(16_384.0, 16_384.0, 16_384.0, false);
    let stream = Work::Stream { bytes: 1e9, kernels: 1.0 };
    let time = |power, work| price(&on("h100-80g", Some(power), "cudnn"), work).time.0;
    for power in [25_u32, 50, 71] {
        let expected = (f64::from(power) / 100.0).powf(-exponent);
        let found = time(power, large) / time(100, large);
        assert!((found / expected - 1.0).abs() < 0.03, "{power} %: {found} of {expected}");
        assert_close(time(power, stream), time(100, stream));
    }
    for work in [large, product(512.0, 512.0, 512.0, false)] {
        let times: Vec<f64> = (1..40).map(|step| time(step * 10, work)).collect();
        assert!(times.windows(2).all(|pair| pair[1] <= pair[0]));
    }
    // Beyond some power the clock is the limit.
    assert_close(
        time(1000, large),
        time(900, large) * (time(1000, large) / time(900, large)).clamp(0.999, 1.0),
    );
}

/// A GH200 that shares 680 W with Grace has 580 of an H100's 700 W.
#[test]
fn a_gpu_has_what_its_processor_leaves() {
    let large = product(16_384.0, 16_384.0, 16_384.0, false);
    let time = |gpu: &str| price(&on(gpu, None, "cudnn"), large).time.0;
    let expected = (580.0_f64 / 700.0).powf(-Constants::SHIPPED.power_exponent);
    assert!((time("gh200-680w") / time("gh200") / expected - 1.0).abs() < 0.02);
}

/// A kernel of attention is held back where its rate would be more than products hold: the vendor's on a capped H100, not
/// FlashAttention-2.
#[test]
fn attention_is_held_as_products_are() {
    let work = |backward| {
        Work::Attention(AttentionCore {
            tokens: 8192.0,
            keys: 8192.0,
            heads: 32.0,
            head_dim: 128.0,
            value_dim: 128.0,
            pairs: 1.0,
            reads_mask: false,
            gathers: false,
            score_bytes: 0.0,
            backward,
        })
    };
    let slower = |kernel: &str| {
        let time = |power| price(&on("h100-80g", Some(power), kernel), work(false)).time.0;
        time(71) / time(100)
    };
    let c = Constants::SHIPPED;
    let held = c.gemm_efficiency_hopper * 0.71_f64.powf(c.power_exponent);
    assert!((slower("cudnn") / (c.attention_efficiency_hopper / held) - 1.0).abs() < 0.01);
    assert_close(slower("fa2"), 1.0);
}

/// One chip under two limits, and cards whose power is not in their peak: AMD's best rates of MI300X and MI325X, its ten fixed
/// shapes on MI325X (https://rocm.blogs.amd.com/artificial-intelligence/taf-blog/README.html), and torch.mm 8,192 wide on H100 as PCIe
/// card and as module (https://github.com/zzc0721/torch-performance-test-data). MareNostrum 5's H100 of 64 GB has 719 TFLOP/s there,
/// so that its memory costs it no power.
#[test]
fn cards_hold_what_their_power_holds() {
    let rate = |gpu: &str, work: &[Work]| {
        let scenario = on(gpu, None, "stack");
        let prices: Vec<Price> = work.iter().map(|work| price(&scenario, *work)).collect();
        let sum = |of: fn(&Price) -> f64| prices.iter().map(of).sum::<f64>();
        sum(|price| price.flops.0) / sum(|price| price.time.0) / 1e12
    };
    let best = [product(4096.0, 4864.0, 32_896.0, false)];
    let gain = rate("mi325x", &best) / rate("mi300x", &best);
    assert!((gain / (843.0 / 708.0) - 1.0).abs() < 0.02, "{gain}");
    let shapes: Vec<Work> = [32.0, 32_768.0]
        .into_iter()
        .flat_map(|m| {
            let columns =
                [(2112.0, 7168.0), (3072.0, 1536.0), (7168.0, 2048.0), (4608.0, 7168.0), (7168.0, 256.0)];
            columns.map(|(n, k)| product(m, n, k, false))
        })
        .collect();
    // For 30 seconds each: what is held, without what training loses besides.
    let typical = rate("mi325x", &shapes) / Constants::SHIPPED.sustained_ampere;
    assert!((typical / 616.0 - 1.0).abs() < 0.06, "{typical}");
    let wide = [product(8192.0, 8192.0, 8192.0, false)];
    let card = rate("h100-80g-pcie", &wide) / rate("h100-80g", &wide);
    assert!((card / (496.0 / 797.0) - 1.0).abs() < 0.08, "{card}");
    for (gpu, measured) in [("a40", 122.0), ("l4", 70.0), ("a100-80g-pcie", 241.0), ("h100-64g", 719.0)] {
        let found = rate(gpu, &wide);
        assert!((found / measured - 1.0).abs() < 0.12, "{gpu}: {found} of {measured}");
    }
}
