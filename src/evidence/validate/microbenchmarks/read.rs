//! Rows of kernel and collective tables as samples, or why they are not samples.

use super::{KernelKind, KernelSample, MACHINES, Ran, TimedPasses};
use crate::cost::{AttentionCore, Collective, Gemm, GroupPlacement, Work};
use crate::scenario::Precision;
use std::ops::RangeInclusive;

/// Smallest collective used: training sends larger ones.
const LEAST_BYTES: f64 = 65_536.0;
/// Collectives below this size are reported separately.
const SMALL_BYTES: f64 = 1e6;
/// Tokens and heads times their width of FlashAttention's benchmarks.
const FLASH_TOKENS: f64 = 16_384.0;
const FLASH_HIDDEN: f64 = 2048.0;
/// FLOPs of attention's backward pass relative to its forward pass, as counted in the tables.
const BACKWARD_FLOPS: f64 = 2.5;

/// Other names of the machines of [`MACHINES`].
const ALIASES: [(&str, &str); 3] = [
    ("A100-80GB-SXM4", "NVIDIA A100-SXM4-80GB"),
    ("H100-80GB-SXM5", "NVIDIA H100 80GB HBM3"),
    ("B200", "NVIDIA B200"),
];

/// Sizes along one dimension: libraries count elements in signed 32-bit integers.
const SIZES: RangeInclusive<f64> = 1.0..=2_147_483_647.0;
/// Bytes of a collective: up to more than any GPU's memory.
const BYTES: RangeInclusive<f64> = 0.0..=1e14;
/// Ranks of a collective within a node: the field's bounds, without a single rank.
const RANKS: RangeInclusive<u32> = 2..=1024;
/// Seconds of one call: from a tick of a GPU's clock to an hour.
const SECONDS: RangeInclusive<f64> = 1e-9..=3600.0;

const UNREADABLE: &str = "shape, time or rate that cannot be read";
const IMPOSSIBLE: &str = "time, bytes or ranks that no call can have";

fn machine(name: &str) -> Option<usize> {
    let name = ALIASES.iter().find(|alias| alias.0 == name).map_or(name, |alias| alias.1);
    MACHINES.iter().position(|entry| entry.0 == name)
}

/// Size of a `name=number` pair among others; a final `k` means 1024. None if no tensor has such a size.
fn number(shape: &str, name: &str) -> Option<f64> {
    let text = word(shape, name)?;
    let size = match text.strip_suffix('k') {
        Some(thousands) => thousands.parse::<f64>().ok().map(|value| value * 1024.0),
        None => text.parse().ok(),
    };
    size.filter(|size| SIZES.contains(size))
}

/// Text of a `name=text` pair among others.
fn word<'a>(shape: &'a str, name: &str) -> Option<&'a str> {
    shape
        .split([' ', ',', ';'])
        .filter_map(|part| part.split_once('='))
        .find(|(known, _)| *known == name)
        .map(|(_, text)| text)
}

/// A row of a kernel table, or why it is not a sample.
pub fn read_kernel<'a>(get: impl Fn(&str) -> &'a str) -> Result<KernelSample, &'static str> {
    let (kernel, shape) = (get("kernel"), get("shape"));
    if kernel.contains("best achievable") {
        return Err("best rate of any shape, which it does not name");
    }
    if kernel.starts_with("transformer layer") {
        return Err("a whole layer");
    }
    if get("gpu").contains("PCIe") {
        return Err("PCIe board, whose clocks and power are others");
    }
    let machine = machine(get("gpu")).ok_or("GPU without a machine")?;
    let (kind, ran, flops) = match kernel {
        "GEMM" => library_product(get("dtype"), shape)?,
        "matmul" => training_product(shape).ok_or(UNREADABLE)?,
        "group_matmul" => grouped_product(shape).ok_or(UNREADABLE)?,
        "sdp_fwd" | "sdp_bwd" => training_attention(kernel == "sdp_bwd", shape).ok_or(UNREADABLE)?,
        "attention FlashAttention-2" => flash(true, get("direction"), shape).ok_or(UNREADABLE)?,
        "attention FlashAttention-3" | "attention cuDNN" => {
            flash(false, get("direction"), shape).ok_or(UNREADABLE)?
        }
        _ => return Err("kernel that no modelled stack runs"),
    };
    // Rows without a time have the rate that their source computed from its FLOPs.
    let stated = get("time_us").parse::<f64>().map(|microseconds| microseconds * 1e-6);
    let measured_s = stated
        .or_else(|_| get("tflops").parse::<f64>().map(|tera| flops / (tera * 1e12)))
        .map_err(|_| UNREADABLE)?;
    if SECONDS.contains(&measured_s) {
        Ok(KernelSample { machine, kind, measured_s, ran })
    } else {
        Err(IMPOSSIBLE)
    }
}

fn product([m, n, k]: [f64; 3], low_precision: bool, accumulates: bool, groups: f64) -> Gemm {
    Gemm { m, n, k, low_precision, accumulates, groups, unaligned: false }
}

/// `m=1024 n=2048 k=4096`.
fn library_product(dtype: &str, shape: &str) -> Result<(KernelKind, Ran, f64), &'static str> {
    let (kind, precision) = match dtype {
        "bfloat16" => (KernelKind::Product, Precision::Bf16),
        "fp8" => (KernelKind::Fp8, Precision::Fp8),
        "fp8_block" => (KernelKind::Fp8Block, Precision::Fp8Block),
        "nvfp4" => (KernelKind::Fp4, Precision::Nvfp4),
        _ => return Err("data type that is not forecast"),
    };
    let size = |name: &str| number(shape, name).ok_or(UNREADABLE);
    let sizes = [size("m")?, size("n")?, size("k")?];
    let gemm = product(sizes, kind != KernelKind::Product, false, 1.0);
    Ok((kind, Ran::Product { gemm, precision }, 2.0 * sizes.iter().product::<f64>()))
}

/// `b=1, m=4096, k=8192, n=10240, layout=TN, accumulate=False, out_dtype=bf16`.
fn training_product(shape: &str) -> Option<(KernelKind, Ran, f64)> {
    let sizes = [number(shape, "m")?, number(shape, "n")?, number(shape, "k")?];
    let groups = number(shape, "b")?;
    let accumulates = word(shape, "accumulate")? == "True" && word(shape, "out_dtype")? == "fp32";
    let gemm = product(sizes, false, accumulates, groups);
    let flops = 2.0 * groups * sizes.iter().product::<f64>();
    Some((KernelKind::TrainingProduct, Ran::Product { gemm, precision: Precision::Bf16 }, flops))
}

/// `ng=160, M=154, N=3072, K=5120, ..., main_grad_dtype=fp32, stage=fwd, accumulate=False, ...`, with the sizes of the
/// forward product at every stage.
fn grouped_product(shape: &str) -> Option<(KernelKind, Ran, f64)> {
    let [m, n, k] = [number(shape, "M")?, number(shape, "N")?, number(shape, "K")?];
    let groups = number(shape, "ng")?;
    let sizes = match word(shape, "stage")? {
        "fwd" => [m, n, k],
        "bwd_grad_act" => [m, k, n],
        "bwd_grad_w" => [n, k, m],
        _ => return None,
    };
    let accumulates = word(shape, "accumulate")? == "True" && word(shape, "main_grad_dtype")? == "fp32";
    let gemm = product(sizes, false, accumulates, groups);
    Some((KernelKind::Grouped, Ran::Product { gemm, precision: Precision::Bf16 }, 2.0 * groups * m * n * k))
}

/// `batch=1, seq_len=4096, head_num=64, kv_head_num=8, qk_head_dim=128, v_head_dim=128, ...`: causal, with
/// the FLOPs of all pairs (otherwise rates would exceed the GPU's peak).
fn training_attention(backward: bool, shape: &str) -> Option<(KernelKind, Ran, f64)> {
    let keys = number(shape, "seq_len")?;
    let core = AttentionCore {
        tokens: number(shape, "batch")? * keys,
        keys,
        heads: number(shape, "head_num")?,
        head_dim: number(shape, "qk_head_dim")?,
        value_dim: number(shape, "v_head_dim")?,
        pairs: 1.0,
        reads_mask: false,
        gathers: false,
        score_bytes: 0.0,
        backward: false,
    };
    let (kind, passes, times) = if backward {
        (KernelKind::AttentionBackward, TimedPasses::Backward, BACKWARD_FLOPS)
    } else {
        (KernelKind::AttentionForward, TimedPasses::Forward, 1.0)
    };
    let flops = times * full_flops(&core);
    Some((kind, Ran::Attention { core, passes, flash2: false, host: true }, flops))
}

/// `seqlen=512 headdim=64 noncausal; ...`: FLOPs of the pairs computed.
fn flash(flash2: bool, direction: &str, shape: &str) -> Option<(KernelKind, Ran, f64)> {
    let (keys, width) = (number(shape, "seqlen")?, number(shape, "headdim")?);
    let pairs = if shape.contains("noncausal") { 2.0 } else { 1.0 };
    let core = AttentionCore {
        tokens: FLASH_TOKENS,
        keys,
        heads: FLASH_HIDDEN / width,
        head_dim: width,
        value_dim: width,
        pairs,
        reads_mask: false,
        gathers: false,
        score_bytes: 0.0,
        backward: false,
    };
    let (kind, passes, times) = match direction {
        "fwd" => (KernelKind::AttentionForward, TimedPasses::Forward, 1.0),
        "fwd+bwd" => (KernelKind::AttentionBoth, TimedPasses::Both, 1.0 + BACKWARD_FLOPS),
        _ => return None,
    };
    let flops = times * full_flops(&core) * pairs / 2.0;
    Some((kind, Ran::Attention { core, passes, flash2, host: false }, flops))
}

/// FLOPs of both products over all pairs of queries and keys.
fn full_flops(core: &AttentionCore) -> f64 {
    2.0 * core.tokens * core.keys * core.heads * (core.head_dim + core.value_dim)
}

/// A collective within a node, or why the row is not a sample.
pub fn read_collective<'a>(get: impl Fn(&str) -> &'a str) -> Result<KernelSample, &'static str> {
    let machine = machine(get("gpu")).ok_or("GPU or links without a machine")?;
    if get("nodes") != "1" {
        return Err("across nodes");
    }
    let ranks: u32 = get("gpus_per_node").parse().map_err(|_| UNREADABLE)?;
    let bytes: f64 = get("bytes").parse().map_err(|_| UNREADABLE)?;
    let rate = get("algbw_GBps").parse::<f64>().map_err(|_| UNREADABLE)?;
    let measured_s = bytes / (rate * 1e9);
    if bytes < LEAST_BYTES {
        return Err("below 64 KiB");
    }
    if !(BYTES.contains(&bytes) && RANKS.contains(&ranks) && SECONDS.contains(&measured_s)) {
        return Err(IMPOSSIBLE);
    }
    let group = GroupPlacement::strided(ranks, 1, ranks);
    let collective = |kind: Collective| Work::Collective { kind, bytes, group };
    let small = bytes < SMALL_BYTES;
    let (kind, work) = match get("collective") {
        "all_reduce" => (KernelKind::AllReduce(small), collective(Collective::AllReduce)),
        "all_gather" => (KernelKind::AllGather(small), collective(Collective::AllGather)),
        "reduce_scatter" => (KernelKind::ReduceScatter(small), collective(Collective::ReduceScatter)),
        "alltoall" => (KernelKind::AllToAll(small), collective(Collective::AllToAll)),
        _ => return Err("collective that is not forecast"),
    };
    Ok(KernelSample { machine, kind, measured_s, ran: Ran::Communication(work) })
}
