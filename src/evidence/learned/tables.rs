//! Rows of kernel and collective tables (`kernels.csv`, `nccl_bandwidth.csv`) as samples.

use super::amounts::{Amounts, Direction};
use super::operator::{OperatorWorkload, SampledOperator};
use super::read::{Sample, SampleSet};

/// GPUs of the tables: their names, and the machine of their profile.
pub const MEASURED: [(&str, &[&str], &str); 5] = [
    ("a100", &["NVIDIA A100-SXM4-80GB"], "dgx-a100-80g"),
    ("h100", &["NVIDIA H100 80GB HBM3", "H100-80GB-SXM5"], "dgx-h100"),
    ("h200", &["NVIDIA H200"], "dgx-h200"),
    ("b200", &["NVIDIA B200", "B200"], "dgx-b200"),
    ("gb200", &["NVIDIA GB200"], "gb200-nvl72"),
];

/// Smallest collective used: training sends larger ones.
const LEAST_BYTES: f64 = 65_536.0;

/// Adds a row to the sets of its GPU, if it is used for learning. `get`: text of a column.
pub fn add<'a>(sets: &mut Vec<SampleSet>, gpu: &[&str], line: usize, get: impl Fn(&str) -> &'a str) {
    if !gpu.contains(&get("gpu")) {
        return;
    }
    let row = gemm(&get).or_else(|| attention(&get)).or_else(|| collective(&get));
    let Some((workload, direction, seconds)) = row else { return };
    if !(seconds > 0.0 && seconds.is_finite()) {
        return;
    }
    let place = sets
        .iter()
        .position(|set| set.operator == workload.operator && set.direction == direction)
        .unwrap_or_else(|| {
            let name = workload.operator.file().to_owned();
            sets.push(SampleSet { name, operator: workload.operator, direction, samples: Vec::new() });
            sets.len() - 1
        });
    if let Some(set) = sets.get_mut(place) {
        set.samples.push(Sample { workload, seconds, line });
    }
}

type Row = (OperatorWorkload, Direction, f64);

/// A 16-bit matrix product: `m=4096 n=4096 k=4096`.
fn gemm<'a>(get: &impl Fn(&str) -> &'a str) -> Option<Row> {
    if get("kernel") != "GEMM" || get("dtype") != "bfloat16" {
        return None;
    }
    let size = |name| field(get("shape"), name, ' ');
    let workload = OperatorWorkload::new(SampledOperator::Gemm, &[size("m")?, size("k")?, size("n")?]);
    Some((workload, Direction::Forward, get("time_us").parse::<f64>().ok()? * 1e-6))
}

/// Causal attention of a vendor kernel, given by its rate.
fn attention<'a>(get: &impl Fn(&str) -> &'a str) -> Option<Row> {
    let (shape, kernel) = (get("shape"), get("kernel"));
    let rate = get("tflops").parse::<f64>().ok()? * 1e12;
    if matches!(kernel, "attention cuDNN" | "attention FlashAttention-3") {
        if shape.contains("noncausal") || get("direction") != "fwd" {
            return None;
        }
        // Total tokens and hidden size are equal for all shapes; half of the scores are counted.
        let (length, width) = (field(shape, "seqlen", ' ')?, field(shape, "headdim", ' ')?);
        let workload = OperatorWorkload::new(
            SampledOperator::CausalAttention,
            &[16_384.0 / length, length, 2048.0 / width, width],
        );
        let flops = Amounts::new(&workload, Direction::Forward).flops;
        return Some((workload, Direction::Forward, flops / rate));
    }
    let direction = match kernel {
        "sdp_fwd" => Direction::Forward,
        "sdp_bwd" => Direction::Backward,
        _ => return None,
    };
    let size = |name| field(shape, name, ',');
    let width = 0.5 * (size("qk_head_dim")? + size("v_head_dim")?);
    let sizes = [size("batch")?, size("seq_len")?, size("head_num")?, width];
    let workload = OperatorWorkload::new(SampledOperator::CausalAttention, &sizes);
    // These rates count every score, masked or not; otherwise they would exceed the peak.
    let flops = 2.0 * Amounts::new(&workload, direction).flops;
    Some((workload, direction, flops / rate))
}

/// A collective within a node, with nccl-tests' byte count: of the whole tensor.
fn collective<'a>(get: &impl Fn(&str) -> &'a str) -> Option<Row> {
    let operator = match get("collective") {
        "all_reduce" => SampledOperator::AllReduce,
        "all_gather" => SampledOperator::AllGather,
        "reduce_scatter" => SampledOperator::ReduceScatter,
        "alltoall" => SampledOperator::AllToAll,
        _ => return None,
    };
    let ranks: f64 = get("gpus_per_node").parse().ok()?;
    let bytes: f64 = get("bytes").parse().ok()?;
    if get("nodes") != "1" || bytes < LEAST_BYTES || ranks < 2.0 {
        return None;
    }
    let seconds = bytes / (get("algbw_GBps").parse::<f64>().ok()? * 1e9);
    let own = if operator == SampledOperator::AllGather { bytes / ranks } else { bytes };
    Some((OperatorWorkload::new(operator, &[own / 2.0, 1.0, ranks]), Direction::Whole, seconds))
}

/// Number behind `name=` in a list of such fields.
fn field(text: &str, name: &str, separator: char) -> Option<f64> {
    text.split([separator, ';']).find_map(|part| {
        let (key, value) = part.trim().split_once('=')?;
        if key == name { value.trim().parse().ok() } else { None }
    })
}
