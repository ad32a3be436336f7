//! What a layer costs in 32 bits, by the cost model of the detailed forecast.

use super::DdpNetwork;
use super::network::{Layer, LayerWork, WeightUpdate};
use crate::constants::Constants;
use crate::cost::{Collective, Gemm, GroupPlacement, Rates, Work};
use crate::scenario::cluster::Cluster;
use crate::scenario::model::models::LLAMA3_70B;
use crate::scenario::plan::Plan;
use crate::scenario::stack::{ExpertKernels, Kernels, Software, Stack};
use crate::scenario::{Precision, Scenario, Training, TrainingRun, WideLayers, Workload};
use crate::units::{Bytes, FlopsPerSecond, Seconds};

/// Bytes of an element as the cost model sees it (see [`Pricing::new`]).
const ELEMENT: f64 = 2.0;

/// Prices of one cluster.
pub(super) struct Pricing {
    rates: Rates<'static>,
    constants: Constants,
    group: GroupPlacement,
    /// Elements of the output that fill the device, a tile on every multiprocessor.
    full: f64,
}

/// Rows and columns of a tile that a split sum is divided into.
const TILE: f64 = 128.0;

/// Least length of a part of a split sum.
const SHORTEST_SUM: f64 = 512.0;

impl Pricing {
    /// The cost model is of 16-bit kernels. In 32 bits products run at the 32-bit peak and every element
    /// has twice the bytes, which is a GPU of that peak and half the memory bandwidth.
    pub(super) fn new(cluster: &Cluster, constants: &Constants) -> Self {
        let ratio = (cluster.gpu.family.generation().single_precision_ratio)(constants);
        let mut single = *cluster;
        single.gpu.peak_bf16 = FlopsPerSecond(cluster.gpu.peak_bf16.0 * ratio);
        single.gpu.memory_bandwidth = cluster.gpu.memory_bandwidth / 2.0;
        Self {
            rates: Rates::new(&eager(single), constants).of_single_precision(ratio),
            constants: *constants,
            group: GroupPlacement::strided(cluster.gpus, 1, cluster.scale_up.domain),
            full: f64::from(cluster.gpu.sms.max(1)) * TILE * TILE,
        }
    }

    fn price(&self, work: &Work) -> f64 {
        self.rates.price(work).time.0
    }

    fn gemm(&self, m: f64, n: f64, k: f64) -> f64 {
        let (low_precision, accumulates, unaligned) = (false, false, false);
        self.price(&Work::Gemm(Gemm { m, n, k, low_precision, accumulates, groups: 1.0, unaligned }))
    }

    fn stream(&self, elements: f64) -> f64 {
        if elements > 0.0 {
            self.price(&Work::Stream { bytes: ELEMENT * elements, kernels: 1.0 })
        } else {
            0.0
        }
    }

    /// Forward pass of a layer.
    pub(super) fn forward(&self, layer: &Layer, batch: f64) -> Seconds {
        Seconds(match layer.work {
            LayerWork::Product(p) => self.gemm(batch * p.rows, p.outputs, p.inputs()),
            LayerWork::Attention { heads, tokens, head_dim } => {
                self.attention(batch, heads, tokens, head_dim)
            }
            LayerWork::Stream { forward, .. } => self.stream(batch * forward),
        })
    }

    /// Backward pass of a layer: gradients of its input and of its weights.
    pub(super) fn backward(&self, layer: &Layer, batch: f64) -> Seconds {
        Seconds(match layer.work {
            LayerWork::Product(p) => {
                let weights = self.weight_gradient(p.outputs, p.inputs(), batch * p.rows);
                let input = if p.input_rows > 0.0 {
                    // As many multiply-adds as forward: channels in, pixels of the input, kernels out.
                    let inner = p.rows / p.input_rows * p.outputs * p.kernel_area;
                    self.gemm(batch * p.input_rows, p.channels, inner)
                } else {
                    0.0
                };
                weights + input
            }
            LayerWork::Attention { heads, tokens, head_dim } => {
                2.0 * self.attention(batch, heads, tokens, head_dim)
            }
            LayerWork::Stream { backward, .. } => self.stream(batch * backward),
        })
    }

    /// The gradient of a small weight is a long sum over pixels or tokens, which libraries split to fill the
    /// device.
    fn weight_gradient(&self, m: f64, n: f64, k: f64) -> f64 {
        let parts = (self.full / (m * n)).min(k / SHORTEST_SUM).floor().max(1.0);
        self.gemm(m * parts, n, k / parts)
    }

    /// The two batched products of attention, at the rate of one product of as many rows.
    fn attention(&self, batch: f64, heads: f64, tokens: f64, head_dim: f64) -> f64 {
        let rows = batch * heads * tokens;
        self.gemm(rows, tokens, head_dim) + self.gemm(rows, head_dim, tokens)
    }

    /// The optimizer's update of the whole network, which every rank makes.
    pub(super) fn optimizer(&self, network: &DdpNetwork) -> Seconds {
        let c = &self.constants;
        let bytes = match network.optimizer {
            WeightUpdate::Momentum => c.optimizer_bytes_momentum,
            WeightUpdate::Adam => c.optimizer_bytes_adam_single,
        };
        // The bandwidth is halved for elements; bytes are halved with it.
        let bytes = network.parameters() as f64 * bytes / 2.0;
        Seconds(self.price(&Work::Stream { bytes, kernels: 0.0 }))
    }

    /// All-reduce of a bucket over all GPUs.
    pub(super) fn all_reduce(&self, bytes: u64) -> Seconds {
        let kind = Collective::AllReduce;
        Seconds(self.price(&Work::Collective { kind, bytes: bytes as f64, group: self.group }))
    }

    /// Bytes a rank sends to all-reduce a bucket.
    pub(super) fn wire(&self, bytes: u64) -> Bytes {
        let kind = Collective::AllReduce;
        self.rates.price(&Work::Collective { kind, bytes: bytes as f64, group: self.group }).bytes
    }
}

/// A job whose software is eager PyTorch; the cost model reads its machines and software only.
fn eager(cluster: Cluster) -> Scenario {
    Scenario {
        model: LLAMA3_70B,
        run: TrainingRun::on(&cluster),
        cluster,
        workload: Workload {
            sequence: 1,
            global_batch: 1,
            document: 0,
            padding: 0,
            wide_layers: WideLayers::NONE,
            precision: Precision::Fp16,
        },
        software: Software {
            stack: Stack::Eager,
            year: 2023,
            month: 6,
            graphs: false,
            expert_kernels: ExpertKernels::PerExpert,
            kernels: Kernels::OF_STACK,
        },
        training: Training::USUAL,
        plan: Plan::PLAIN,
    }
}
