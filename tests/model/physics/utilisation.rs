//! FLOPs of models and of their training steps: closed formulas of every family, and what papers measured.

use crate::support::{assert_close, estimate, forecast, scenario};
use stepcast::forecast::Prediction;
use stepcast::scenario::Scenario;
use stepcast::scenario::cluster::presets::find;
use stepcast::scenario::model::{Latent, Model};
use stepcast::units::FlopsPerSecond;

/// One sequence on each of 8 H100, a replica each: legal for every model, whether or not it fits.
fn alone(model: &str, sequence: u32, edits: &[(&str, &str)]) -> Scenario {
    let sequence = sequence.to_string();
    let base = [
        ("m", model),
        ("g", "dgx-h100"),
        ("n", "8"),
        ("gb", "8"),
        ("seq", sequence.as_str()),
        ("stack", "fused"),
        ("tp", "1"),
        ("sp", "0"),
        ("pp", "1"),
    ];
    scenario(&[&base[..], edits].concat())
}

/// FLOPs that a utilisation means: it times the peak of all GPUs times the step.
fn flops(job: &Scenario, utilisation: f64, found: &Prediction) -> f64 {
    utilisation * job.cluster.gpu.peak_bf16.0 * f64::from(job.cluster.gpus) * found.step.0
}

/// FLOPs that the model needs for one token, read off the forecast's utilisation.
fn per_token(job: &Scenario) -> f64 {
    let found = forecast(job);
    flops(job, found.mfu, &found) / job.tokens_per_step()
}

/// Attention of one layer and token: two products with half of s keys each, forward and twice backward.
fn core(s: f64, heads: f64, widths: f64) -> f64 {
    3.0 * 2.0 * s / 2.0 * heads * widths
}

/// 6 FLOPs for every weight of a matrix that a token passes, every matrix named; the head once, the embedding, which
/// is looked up, not at all.
#[test]
fn every_family_needs_what_its_matrices_need() {
    // GPT-3: 12 h^2 a layer.
    let (l, h, s) = (96.0, 12_288.0, 2048.0);
    let gpt = 6.0 * (l * 12.0 * h * h + 50_257.0 * h) + l * core(s, 96.0, 2.0 * 128.0);
    assert_close(per_token(&alone("gpt3-175b", 2048, &[])), gpt);

    // Llama-3 70B: 64 query heads and 8 key/value heads of 128, three matrices of 28,672.
    let (l, h, s) = (80.0, 8192.0, 8192.0);
    let layer = 2.0 * h * h + 2.0 * h * 1024.0 + 3.0 * h * 28_672.0;
    let llama = 6.0 * (l * layer + 128_256.0 * h) + l * core(s, 64.0, 2.0 * 128.0);
    assert_close(per_token(&alone("llama3-70b", 8192, &[])), llama);

    // Mixtral 8x7B: two of eight experts, and the router.
    let (l, h, s) = (32.0, 4096.0, 4096.0);
    let layer = 2.0 * h * h + 2.0 * h * 1024.0 + 2.0 * 3.0 * h * 14_336.0 + 8.0 * h;
    let mixtral = 6.0 * (l * layer + 32_000.0 * h) + l * core(s, 32.0, 2.0 * 128.0);
    assert_close(per_token(&alone("mixtral-8x7b", 4096, &[])), mixtral);

    // Qwen3 30B-A3B: heads of 128 whatever the width; 8 of 128 experts of 768.
    let (l, h, s) = (48.0, 2048.0, 4096.0);
    let layer = h * 128.0 * (2.0 * 32.0 + 2.0 * 4.0) + 8.0 * 3.0 * h * 768.0 + 128.0 * h;
    let qwen = 6.0 * (l * layer + 151_936.0 * h) + l * core(s, 32.0, 2.0 * 128.0);
    assert_close(per_token(&alone("qwen3-30b-a3b", 4096, &[])), qwen);

    // Llama-4 Maverick: every other layer has one of 128 experts and a shared one, the others are dense.
    let (l, h, s) = (48.0, 5120.0, 8192.0);
    let attention = h * 128.0 * (2.0 * 40.0 + 2.0 * 8.0);
    let feed_forward = 24.0 * 3.0 * h * 16_384.0 + 24.0 * (2.0 * 3.0 * h * 8192.0 + 128.0 * h);
    let maverick = 6.0 * (l * attention + feed_forward + 202_048.0 * h) + l * core(s, 40.0, 2.0 * 128.0);
    assert_close(per_token(&alone("llama4-maverick", 8192, &[])), maverick);

    // BERT: every token sees every other.
    let bert =
        6.0 * (24.0 * 12.0 * 1024.0 * 1024.0 + 30_522.0 * 1024.0) + 24.0 * 2.0 * core(512.0, 16.0, 128.0);
    assert_close(per_token(&alone("bert-large", 512, &[])), bert);
}

/// DeepSeek-V2 (arXiv 2405.04434, section 2.1) and V3: down to latents of 1536 and 512 + 64, up to 128 heads of
/// 128 + 64 and values of 128; three dense layers; 8 of 256 experts and a shared one in the other 58.
#[test]
fn latent_attention_needs_its_projections() {
    let (h, s) = (7168.0, 4096.0);
    let queries = h * 1536.0 + 1536.0 * 128.0 * 192.0;
    let keys = h * (512.0 + 64.0) + 512.0 * 128.0 * (128.0 + 128.0);
    let attention = queries + keys + 128.0 * 128.0 * h;
    let experts = 9.0 * 3.0 * h * 2048.0 + 256.0 * h;
    let matrices = 61.0 * attention + 3.0 * 3.0 * h * 18_432.0 + 58.0 * experts + 129_280.0 * h;
    let core = core(s, 128.0, 192.0 + 128.0);
    let without = 6.0 * matrices + 61.0 * core;
    assert_close(per_token(&alone("deepseek-v3", 4096, &[("mtp", "0")])), without);
    // Each layer that predicts a further token: the projection of two streams to one, a layer of experts, the head.
    let prediction = 6.0 * (2.0 * h * h + attention + experts + 129_280.0 * h) + core;
    for layers in ["1", "2"] {
        let times: f64 = layers.parse().expect("a number");
        let found = per_token(&alone("deepseek-v3", 4096, &[("mtp", layers)]));
        assert_close(found, without + times * prediction);
    }
    // DeepSeek-V2 Lite projects its queries directly.
    let (h, s) = (2048.0, 4096.0);
    let attention = h * 16.0 * 192.0 + h * 576.0 + 512.0 * 16.0 * 256.0 + 16.0 * 128.0 * h;
    let experts = 8.0 * 3.0 * h * 1408.0 + 64.0 * h;
    let matrices = 27.0 * attention + 3.0 * h * 10_944.0 + 26.0 * experts + 102_400.0 * h;
    let lite = 6.0 * matrices + 27.0 * 3.0 * s * 16.0 * 320.0;
    assert_close(per_token(&alone("deepseek-v2-lite", 4096, &[])), lite);
}

/// A window of w: the first w tokens see those before them, w/2 on average, the others w each. In GPT-OSS and Gemma 2
/// every other layer has one, in Gemma 3 five of six, which leaves 10 of 62 without.
#[test]
fn windows_limit_what_tokens_see() {
    let seen = |s: f64, w: f64| if w < s { (w * w / 2.0 + (s - w) * w) / s } else { s / 2.0 };
    let pairs = |s, w, windowed: f64| (1.0 - windowed) * s / 2.0 + windowed * seen(s, w);
    let (l, h, s) = (36.0, 2880.0, 4096.0);
    let layer = h * 64.0 * (2.0 * 64.0 + 2.0 * 8.0) + 4.0 * 3.0 * h * 2880.0 + 128.0 * h;
    let oss = 6.0 * (l * layer + 201_088.0 * h) + l * 6.0 * pairs(s, 128.0, 0.5) * 64.0 * 128.0;
    assert_close(per_token(&alone("gpt-oss-120b", 4096, &[])), oss);
    let (l, h, s) = (62.0, 5376.0, 8192.0);
    let layer = h * 128.0 * (2.0 * 32.0 + 2.0 * 16.0) + 3.0 * h * 21_504.0;
    let gemma =
        |windowed| 6.0 * (l * layer + 262_208.0 * h) + l * 6.0 * pairs(s, 1024.0, windowed) * 32.0 * 256.0;
    assert_close(per_token(&alone("gemma3-27b", 8192, &[])), gemma(52.0 / 62.0));
    assert_close(per_token(&alone("gemma3-27b", 8192, &[("wfull", "0")])), gemma(1.0));
    assert_close(per_token(&alone("gemma3-27b", 8192, &[("window", "0")])), gemma(0.0));
    // A window as long as the sequence is none.
    assert_close(per_token(&alone("gemma3-27b", 8192, &[("window", "8192")])), gemma(0.0));
}

/// What is executed beside what is useful, whatever the layout: flash attention computes five products backward
/// instead of four, full recompute every layer's forward pass once more, and the vocabulary is padded.
#[test]
fn executed_flops_are_counted_operator_by_operator() {
    let tokens = 64.0 * 8192.0;
    let (l, h) = (32.0, 4096.0);
    let layers = l * (2.0 * h * h + 2.0 * h * 1024.0 + 3.0 * h * 14_336.0);
    let causal = l * 2.0 * 4096.0 * 32.0 * 256.0;
    for (edits, forward, rows) in [
        (&[][..], 1.0, 128_256.0),
        (&[("rc", "full")], 2.0, 128_256.0),
        (&[("rc", "selective")], 1.0, 128_256.0),
        (&[("tp", "4"), ("sp", "1")], 1.0, 128_512.0),
        (&[("tp", "8"), ("sp", "1"), ("rc", "full")], 2.0, 129_024.0),
        (&[("pp", "4"), ("vpp", "2")], 1.0, 128_256.0),
        (&[("pp", "2"), ("sched", "dualpipe")], 1.0, 128_256.0),
        (&[("cp", "2"), ("mb", "2")], 1.0, 128_256.0),
        (&[("zero", "3"), ("mb", "4")], 1.0, 128_256.0),
    ] {
        let job = alone("llama3-8b", 8192, &[&[("gb", "64")], edits].concat());
        let found = forecast(&job);
        let expected = tokens * (6.0 * rows * h + (2.0 * forward + 4.0) * layers + (forward + 2.5) * causal);
        assert_close(flops(&job, found.hfu, &found), expected);
        // What is useful is the same in every layout.
        let useful = tokens * (6.0 * (128_256.0 * h + layers) + 3.0 * causal);
        assert_close(flops(&job, found.mfu, &found), useful);
    }
    // One module of every layer computed again: the two up-projections and the down-projection, or the core.
    for (modules, again) in
        [("mlp", 2.0 * 3.0 * l * h * 14_336.0), ("core", causal), ("norms", 0.0), ("act", 0.0)]
    {
        let job = alone("llama3-8b", 8192, &[("gb", "64"), ("rc", "modules"), ("rcm", modules)]);
        let found = forecast(&job);
        let expected = tokens * (6.0 * (128_256.0 * h + layers) + 3.5 * causal + again);
        assert_close(flops(&job, found.hfu, &found), expected);
    }
}

/// Executed FLOPs of the layers that predict further tokens are those that they need, and half a product of
/// attention more: once a layer, once a head, once a projection each.
#[test]
fn prediction_layers_are_executed_once_each() {
    let (h, l) = (4096.0, 32.0);
    let layer = 2.0 * h * h + 2.0 * h * 1024.0 + 3.0 * h * 14_336.0;
    let causal = 2.0 * 4096.0 * 32.0 * 256.0;
    for (edits, rows) in
        [(&[][..], 128_256.0), (&[("tp", "4"), ("sp", "1")], 128_512.0), (&[("pp", "4")], 128_256.0)]
    {
        for predictions in [0.0, 1.0, 3.0] {
            let count = predictions.to_string();
            let job = alone("llama3-8b", 8192, &[&[("gb", "8"), ("mtp", count.as_str())], edits].concat());
            let found = forecast(&job);
            let each = 6.0 * layer + 3.5 * causal;
            let expected =
                (l + predictions) * each + 6.0 * ((1.0 + predictions) * rows * h + predictions * 2.0 * h * h);
            assert_close(flops(&job, found.hfu, &found), 8.0 * 8192.0 * expected);
        }
    }
}

/// Narayanan et al. 2021 (arXiv 2104.04473, equation 3): with everything recomputed and every score computed, a step
/// of B sequences takes 96 B s l h^2 (1 + s / 6h + V / 16 l h) FLOPs. Megatron-LM's README of that year: 32 seconds on
/// 1,024 A100 are 138 TFLOP/s each, 44 % of their peak.
#[test]
fn megatron_executes_what_its_paper_counts() {
    let job = scenario(&[
        ("m", "gpt3-175b"),
        ("g", "dgx-a100-80g"),
        ("n", "1024"),
        ("seq", "2048"),
        ("gb", "1536"),
        ("stack", "megatron-lm"),
        ("year", "2021"),
        ("sp", "0"),
        ("pp", "16"),
        ("zero", "0"),
        ("rc", "full"),
    ]);
    let (b, s, l, h, v) = (1536.0, 2048.0, 96.0, 12_288.0, 51_200.0);
    let found = forecast(&job);
    let paper = 96.0 * b * s * l * h * h * (1.0 + s / (6.0 * h) + v / (16.0 * l * h));
    let executed = flops(&job, found.hfu, &found);
    assert_close(executed, paper);
    let rate = executed / 32.0 / 1024.0;
    assert!((rate / 1e12 - 138.0).abs() < 0.5 && (rate / 312e12 - 0.44).abs() < 0.005, "{rate}");
    // Selective recompute repeats the two products of the forward core alone.
    let mut selective = job;
    selective.plan.recompute = stepcast::scenario::plan::Recompute::Selective;
    let found = forecast(&selective);
    let model = 72.0 * b * s * l * h * h * (1.0 + s / (6.0 * h) + v / (12.0 * l * h));
    assert_close(flops(&selective, found.hfu, &found), model + 4.0 * b * s * s * l * h);
}

/// Korthikanti et al. 2022, table 5: seconds of an iteration and model FLOPs utilisation, which counts all scores, as
/// 72 B L s h^2 (1 + s / 6h + V / 12 h L), where half of them are masked. The table rounds to a tenth of a percent,
/// and seconds to three digits.
#[test]
fn published_steps_have_their_published_utilisation() {
    for (model, pipeline, gpus, batch, seconds, percent) in [
        ("megatron-22b", "1", 8.0, 4.0, 1.10, 41.5),
        ("megatron-175b", "8", 64.0, 64.0, 13.75, 51.4),
        ("megatron-530b", "35", 280.0, 280.0, 37.83, 56.0),
        ("megatron-1t", "64", 512.0, 512.0, 71.49, 56.3),
    ] {
        let (n, gb) = (gpus.to_string(), batch.to_string());
        let job = scenario(&[
            ("m", model),
            ("g", "dgx-a100-80g"),
            ("n", n.as_str()),
            ("gb", gb.as_str()),
            ("seq", "2048"),
            ("stack", "megatron-lm"),
            ("year", "2022"),
            ("pp", pipeline),
            ("rc", "selective"),
        ]);
        let masked = 2048.0 * 6.0 * f64::from(job.model.layers) * f64::from(job.model.hidden);
        let all = (per_token(&job) + masked) * job.tokens_per_step();
        let found = 100.0 * all / (seconds * gpus * 312e12);
        assert!((found - percent).abs() < 0.4, "{model}: {found}");
    }
}

/// PaLM (arXiv 2204.02311, appendix B and table 3): 6 N + 12 L H Q T FLOPs a token, all scores counted; at 238.3
/// thousand tokens a second on 6,144 TPU v4 of 275 TFLOP/s that is 46.2 % of their peak.
#[test]
fn palm_has_its_published_utilisation() {
    let mut job = alone("llama3-8b", 2048, &[]);
    job.model = Model {
        layers: 118,
        hidden: 18_432,
        ffn: 73_728,
        heads: 48,
        kv_heads: 1,
        head_dim: 256,
        vocabulary: 256_000,
        gated_mlp: true,
        tied_embeddings: true,
        latent: Latent::NONE,
        ..Model::DENSE
    };
    let core = 12.0 * 118.0 * 48.0 * 256.0 * 2048.0;
    let found = per_token(&job) + core / 2.0;
    assert!((found / (6.0 * 540.35e9 + core) - 1.0).abs() < 1e-3, "{found}");
    let utilisation = found * 238.3e3 / (6144.0 * 275e12);
    assert!((utilisation - 0.462).abs() < 5e-4, "{utilisation}");
}

/// Utilisation is of the peak of the job's precision; rates are per second and per GPU of the whole step.
#[test]
fn rates_follow_from_the_step() {
    let job = alone("llama3-8b", 8192, &[("gb", "64")]);
    let found = forecast(&job);
    let tokens = 64.0 * 8192.0;
    assert_close(found.tokens_per_s, tokens / found.step.0);
    assert_close(found.tokens_per_s_per_gpu, tokens / found.step.0 / 8.0);
    let useful = per_token(&job) * tokens;
    assert_close(found.model_tflops_per_gpu, useful / found.step.0 / 8.0 / 1e12);
    let quick = estimate(&job);
    assert_close(quick.tokens_per_s_per_gpu, tokens / quick.step.0 / 8.0);
    assert_close(quick.mfu, useful / (989.4e12 * 8.0 * quick.step.0));
    let blackwell = alone("llama3-8b", 8192, &[("g", "dgx-b200")]);
    for (precision, peak) in [
        ("bf16", blackwell.cluster.gpu.peak_bf16),
        ("fp8", blackwell.cluster.gpu.peak_fp8),
        ("fp8-block", blackwell.cluster.gpu.peak_fp8),
        ("mxfp8", blackwell.cluster.gpu.peak_fp8),
        ("nvfp4", blackwell.cluster.gpu.peak_fp4),
    ] {
        let job = alone("llama3-8b", 8192, &[("g", "dgx-b200"), ("prec", precision)]);
        let found = forecast(&job);
        assert_close(found.mfu, useful / 8.0 / (8.0 * peak.0 * found.step.0));
    }
    // A GPU's data sheet decides its peak.
    let mut faster = job;
    faster.cluster.gpu.peak_bf16 = FlopsPerSecond(2.0 * job.cluster.gpu.peak_bf16.0);
    let found = forecast(&faster);
    assert_close(found.mfu, useful / (2.0 * 989.4e12 * 8.0 * found.step.0));
    assert_eq!(find("dgx-h100").expect("a preset").cluster.gpu.peak_bf16.tera(), 989.4);
}
