//! The roofline of a step: each kind of kernel of the slowest stage against the limits of the GPU.

use super::{OperatorRow, OperatorShape, Prediction, Predictor, utilisation};
use crate::cost::{Bound, Work, index_peak};
use crate::order::sorted;
use crate::scenario::Scenario;
use crate::units::{Bytes, Flops, Seconds};

/// Limits of one GPU: FLOP/s, and bytes per second of its memory.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Roof {
    /// Greatest rate of products, FLOP/s.
    pub flops: f64,
    /// Greatest rate of device memory, bytes per second.
    pub memory: f64,
}

impl Roof {
    /// Greatest FLOP/s at a number of FLOPs per byte.
    pub fn at(&self, intensity: f64) -> f64 {
        self.flops.min(self.memory * intensity)
    }

    /// FLOPs per byte from which on products are the limit.
    pub fn ridge(&self) -> f64 {
        self.flops / self.memory
    }

    /// Least time of some work.
    fn least(&self, flops: Flops, bytes: Bytes) -> Seconds {
        Seconds((flops.0 / self.flops).max(bytes.0 / self.memory))
    }
}

/// What a kind of kernel mostly does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RooflineKind {
    /// Matrix products.
    Products,
    /// Attention cores, scans and indexers.
    Attention,
    /// Data movement, whose FLOPs are not counted.
    Movement,
    /// Work outside of device memory and products: copies to the host, the host's update, repeated parts of a layer.
    Other,
}

/// One kind of kernel, all of its calls in a step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RooflinePoint {
    /// Name of the operator, as in [`OperatorRow::name`].
    pub name: &'static str,
    /// What it does.
    pub kind: RooflineKind,
    /// Operands in the low precision of the scenario, whose peak is the limit.
    pub low_precision: bool,
    /// FLOPs per step.
    pub flops: Flops,
    /// Bytes of device memory per step.
    pub bytes: Bytes,
    /// Time per step.
    pub time: Seconds,
    /// Least time per step, each call at the limit of the data sheet; the forecast time where there is no such limit.
    pub least: Seconds,
}

impl RooflinePoint {
    /// FLOPs per byte; nothing where FLOPs are not counted.
    pub fn intensity(&self) -> Option<f64> {
        (self.flops.0 > 0.0 && self.bytes.0 > 0.0).then(|| self.flops.0 / self.bytes.0)
    }

    /// FLOP/s reached.
    pub fn rate(&self) -> f64 {
        self.flops.0 / self.time.0.max(f64::MIN_POSITIVE)
    }

    /// Bytes per second reached.
    pub fn bandwidth(&self) -> f64 {
        self.bytes.0 / self.time.0.max(f64::MIN_POSITIVE)
    }

    /// Time that the step would save if every call ran at its limit.
    pub fn gain(&self) -> Seconds {
        Seconds((self.time.0 - self.least.0).max(0.0))
    }
}

/// The kernels of the slowest stage against the limits of the GPU.
#[derive(Debug, Clone, PartialEq)]
pub struct Roofline {
    /// Data sheet, 16-bit products.
    pub wide: Roof,
    /// Data sheet, products in the precision of the scenario; the same as [`Roofline::wide`] without a faster one.
    pub low: Roof,
    /// What the model takes long training to sustain with the products that most time is in.
    pub sustained: Roof,
    /// Kinds of kernels, those with most time first.
    pub points: Vec<RooflinePoint>,
}

impl Roofline {
    /// The limit of a kind of kernel.
    pub fn roof(&self, point: &RooflinePoint) -> Roof {
        if point.low_precision { self.low } else { self.wide }
    }

    /// Time of all kernels per step: the parts forward, backward, recompute and optimizer of the breakdown.
    pub fn total(&self) -> Seconds {
        self.points.iter().map(|point| point.time).sum()
    }
}

impl Predictor<'_> {
    /// The roofline of a scenario and its forecast.
    pub fn roofline(&self, scenario: &Scenario, prediction: &Prediction) -> Roofline {
        let gpu = &scenario.cluster.gpu;
        let memory = gpu.memory_bandwidth.0;
        let wide = Roof { flops: gpu.peak_bf16.0, memory };
        let low = Roof { flops: utilisation::peak(gpu, scenario.workload.precision), memory };
        let indexer = Roof { flops: index_peak(scenario), memory };
        let mut points: Vec<RooflinePoint> = Vec::new();
        for row in prediction.operators.iter().filter(|row| row.parallelism.is_none()) {
            let one = point(row, |low_precision, indexes| match (low_precision, indexes) {
                (_, true) => indexer,
                (true, false) => low,
                (false, false) => wide,
            });
            let same = |of: &&mut RooflinePoint| {
                (of.name, of.kind, of.low_precision) == (one.name, one.kind, one.low_precision)
            };
            match points.iter_mut().find(same) {
                Some(sum) => add(sum, &one),
                None => points.push(one),
            }
        }
        let points = sorted(&points, |one, other| other.time.0.total_cmp(&one.time.0));
        let rates = self.rates(scenario);
        let of_low = low.flops > wide.flops;
        let sustained = Roof { flops: rates.sustained_flops(of_low), memory: rates.device_memory_rate() };
        Roofline { wide, low, sustained, points }
    }
}

fn add(sum: &mut RooflinePoint, one: &RooflinePoint) {
    sum.flops = Flops(sum.flops.0 + one.flops.0);
    sum.bytes = Bytes(sum.bytes.0 + one.bytes.0);
    sum.time = Seconds(sum.time.0 + one.time.0);
    sum.least = Seconds(sum.least.0 + one.least.0);
}

/// The calls of one row in a step; `limit` is that of products, by whether they are of low precision and of an indexer.
fn point(row: &OperatorRow, limit: impl Fn(bool, bool) -> Roof) -> RooflinePoint {
    let calls = if row.time.0 > 0.0 { row.step.0 / row.time.0 } else { 0.0 };
    let (kind, low_precision, indexes) = match &row.shape {
        OperatorShape::Of(Work::Gemm(gemm)) => (RooflineKind::Products, gemm.low_precision, false),
        OperatorShape::Of(Work::Index(_)) => (RooflineKind::Attention, true, true),
        OperatorShape::Of(Work::Attention(_) | Work::Scan(_)) => (RooflineKind::Attention, false, false),
        OperatorShape::Of(_) if row.bound != Bound::Host && row.bytes.0 > 0.0 => {
            (RooflineKind::Movement, false, false)
        }
        _ => (RooflineKind::Other, false, false),
    };
    let (flops, bytes) = match kind {
        RooflineKind::Other => (Flops::ZERO, Bytes::ZERO),
        _ => (Flops(row.flops.0 * calls), Bytes(row.bytes.0 * calls)),
    };
    let least = match kind {
        RooflineKind::Other => row.step,
        // Attention is priced by its FLOPs alone: with very short documents that is less than its bytes take.
        _ => Seconds(limit(low_precision, indexes).least(flops, bytes).0.min(row.step.0)),
    };
    RooflinePoint { name: row.name, kind, low_precision, flops, bytes, time: row.step, least }
}
