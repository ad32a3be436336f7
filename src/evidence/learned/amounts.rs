//! Least cost of a workload: its products, traffic and messages.

use super::operator::{OperatorWorkload, SampledKind, SampledOperator};
use serde::{Deserialize, Serialize};

/// Bytes of one value of a sample.
const VALUE: f64 = 2.0;

/// The timed pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    /// Forward pass.
    Forward,
    /// Backward pass: all gradients.
    Backward,
    /// Operators without a backward pass.
    Whole,
}

/// A batch of equal matrix products, each (m x k) times (k x n).
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct ProductBatch {
    /// Products; zero if there are none.
    pub batch: f64,
    /// Rows of the result.
    pub m: f64,
    /// Columns of the result.
    pub n: f64,
    /// Inner dimension.
    pub k: f64,
}

impl ProductBatch {
    /// FLOPs.
    pub fn flops(&self) -> f64 {
        2.0 * self.batch * self.m * self.n * self.k
    }

    /// Bytes to read every operand and write the result once.
    pub fn bytes(&self) -> f64 {
        VALUE * self.batch * (self.m * self.k + self.n * self.k + self.m * self.n)
    }
}

/// Work of one call.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Amounts {
    /// Matrix products of the call.
    pub products: [ProductBatch; 2],
    /// FLOPs.
    pub flops: f64,
    /// Bytes of device memory for kernels, of the busiest link for collectives.
    pub bytes: f64,
    /// Bytes that do not depend on the tokens: tables and weights.
    pub table_bytes: f64,
    /// Layers of an update.
    pub layers: f64,
}

impl Amounts {
    /// Amounts of one pass over a workload.
    pub fn new(workload: &OperatorWorkload, direction: Direction) -> Self {
        let [a, b, c, d] = workload.sizes;
        let backward = direction == Direction::Backward;
        match workload.operator.kind() {
            SampledKind::Product => products(workload, backward),
            SampledKind::Attention => {
                // Two products over all scores; backward has five, including the recomputed scores.
                let scores = if workload.operator == SampledOperator::CausalAttention { 0.5 } else { 1.0 };
                let flops = scores * 4.0 * a * c * b * b * d * if backward { 2.5 } else { 1.0 };
                let tensors = if backward { 8.0 } else { 4.0 };
                Self { flops, bytes: VALUE * tensors * a * b * c * d, ..Self::default() }
            }
            SampledKind::Stream => stream(workload, backward),
            SampledKind::Update => {
                let parameters = stage_parameters(workload);
                let whole =
                    matches!(workload.operator, SampledOperator::Optimizer | SampledOperator::StageOptimizer);
                let layers = if whole { a } else { c };
                // 32-bit weight, gradient and two moments read, all but the gradient written.
                Self { bytes: 28.0 * parameters, layers, ..Self::default() }
            }
            SampledKind::Link => Self { bytes: wire_bytes(workload), ..Self::default() },
        }
    }

    /// Sort key of samples: FLOPs if there are any, else bytes.
    pub fn work(&self) -> f64 {
        if self.flops > 0.0 { self.flops } else { self.bytes + self.table_bytes }
    }
}

fn products(workload: &OperatorWorkload, backward: bool) -> Amounts {
    let [a, b, c, d] = workload.sizes;
    let forward = match workload.operator {
        SampledOperator::Scores | SampledOperator::Values | SampledOperator::GroupedGemm => {
            ProductBatch { batch: a, m: b, n: d, k: c }
        }
        _ => ProductBatch { batch: 1.0, m: a, n: c, k: b },
    };
    let list = if backward {
        // Gradients of the left operand (m x n)(n x k) and of the right one (k x m)(m x n).
        let ProductBatch { batch, m, n, k } = forward;
        [ProductBatch { batch, m, n: k, k: n }, ProductBatch { batch, m: k, n, k: m }]
    } else {
        [forward, ProductBatch::default()]
    };
    Amounts {
        products: list,
        flops: list.iter().map(ProductBatch::flops).sum(),
        bytes: list.iter().map(ProductBatch::bytes).sum(),
        ..Amounts::default()
    }
}

fn stream(workload: &OperatorWorkload, backward: bool) -> Amounts {
    let [a, b, c, d] = workload.sizes;
    // Least tensors that cross device memory, and the values of each.
    let (forward_tensors, backward_tensors, values, table) = match workload.operator {
        // The gradient of the whole table is cleared and written.
        SampledOperator::Embedding => (2.0, 2.0, a * c, if backward { b * c } else { 0.0 }),
        SampledOperator::ResidualAdd => (3.0, 3.0, a * b * c, 0.0),
        SampledOperator::SwiGlu => (3.0, 5.0, a * b * c, 0.0),
        SampledOperator::FillMask => (2.0, 2.0, a * b * c * c, 0.0),
        SampledOperator::Rope | SampledOperator::Softmax => {
            (2.0, if backward { 3.0 } else { 2.0 }, a * b * c * d, 0.0)
        }
        SampledOperator::CrossEntropy => (1.0, 1.0, a * b * c, 0.0),
        _ => (2.0, 3.0, a * b * c, 0.0),
    };
    let tensors = if backward { backward_tensors } else { forward_tensors };
    Amounts { bytes: VALUE * tensors * values, table_bytes: VALUE * table, ..Amounts::default() }
}

/// Parameters that a rank of a stage updates: those of its layers, and of its table or head.
pub(super) fn stage_parameters(workload: &OperatorWorkload) -> f64 {
    let [t, d, layers, _] = workload.sizes;
    let own = layers * layer_parameters(d, t);
    let table = super::operator::rank_vocabulary(super::operator::SAMPLED_VOCABULARY, t) * d;
    match workload.operator {
        SampledOperator::Optimizer => workload.sizes[3],
        SampledOperator::StageOptimizer => layers,
        SampledOperator::FirstStageOptimizer => own + table,
        SampledOperator::LastStageOptimizer => own + table + 2.0 * d,
        _ => own,
    }
}

/// Parameters of one layer on one of `t` ranks: two norms, and four linears with their biases.
pub fn layer_parameters(d: f64, t: f64) -> f64 {
    let t = t.max(1.0);
    let per = |whole: f64| (whole / t).floor();
    4.0 * d
        + per(3.0 * d * (d + 1.0))
        + per(d * (d + 1.0))
        + per(4.0 * d * (d + 1.0))
        + per(d * (4.0 * d + 1.0))
}

/// Bytes that a rank sends with a ring collective.
fn wire_bytes(workload: &OperatorWorkload) -> f64 {
    let [elements, nodes, per_node, _] = workload.sizes;
    let bytes = VALUE * elements;
    let ranks = (nodes * per_node).max(2.0);
    bytes
        * match workload.operator {
            SampledOperator::AllReduce | SampledOperator::AllReduceLarge => 2.0 * (ranks - 1.0) / ranks,
            // Every rank forwards the shards of all others.
            SampledOperator::AllGather => ranks - 1.0,
            SampledOperator::ReduceScatter | SampledOperator::AllToAll => (ranks - 1.0) / ranks,
            _ => 1.0,
        }
}

#[cfg(test)]
mod tests {
    use super::{Amounts, Direction};
    use crate::learned::operator::{OperatorWorkload, SampledOperator};

    #[test]
    fn backward_repeats_the_products_once_for_each_operand() {
        let linear = OperatorWorkload::new(SampledOperator::Linear1, &[4096.0, 2048.0, 6144.0]);
        let forward = Amounts::new(&linear, Direction::Forward);
        let backward = Amounts::new(&linear, Direction::Backward);
        assert_eq!(forward.flops, 2.0 * 4096.0 * 2048.0 * 6144.0);
        assert_eq!(backward.flops, 2.0 * forward.flops);
        assert_eq!(backward.bytes, 2.0 * forward.bytes);
    }

    #[test]
    fn ring_traffic_per_rank() {
        let bytes = |operator, nodes, per_node| {
            let workload = OperatorWorkload::new(operator, &[1e6, nodes, per_node]);
            Amounts::new(&workload, Direction::Whole).bytes
        };
        assert_eq!(bytes(SampledOperator::AllReduce, 1.0, 4.0), 2.0 * 1e6 * 1.5);
        assert_eq!(bytes(SampledOperator::AllGather, 2.0, 2.0), 2.0 * 1e6 * 3.0);
        assert_eq!(bytes(SampledOperator::PointToPoint, 2.0, 1.0), 2e6);
    }

    #[test]
    fn a_stage_holds_the_authors_parameter_counts() {
        // Llemma-7B, t = 2: 16 tensors of a layer as the authors' tool counts them.
        let layer = super::layer_parameters(4096.0, 2.0);
        assert_eq!(8.0 * layer + 25_216.0 * 4096.0, 908_869_632.0);
    }
}
