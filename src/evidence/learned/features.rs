//! Input features of correction trees: sizes, their alignment, and how well they fill the GPU.

use super::amounts::{Amounts, Direction, ProductBatch};
use super::operator::{OperatorWorkload, SampledKind};
use libm::log2;

/// Most features of any operator.
pub(super) const MOST: usize = 24;

/// Tiles for the wave features, rows and columns.
const TILES: [(f64, f64); 2] = [(128.0, 128.0), (256.0, 128.0)];

/// The features of one workload.
#[derive(Debug, Clone, Copy)]
pub struct Features {
    values: [f32; MOST],
    count: usize,
}

impl Features {
    /// Features of one pass over a workload on a GPU with this many multiprocessors.
    pub fn new(workload: &OperatorWorkload, direction: Direction, sms: f64) -> Self {
        let mut features = Self { values: [0.0; MOST], count: 0 };
        let kind = workload.operator.kind();
        for size in workload.used() {
            features.push(log2(size.max(1.0)));
            if !matches!(kind, SampledKind::Link | SampledKind::Update) {
                features.push(alignment(*size));
                features.push(size % 256.0);
            }
        }
        let amounts = Amounts::new(workload, direction);
        let bytes = log2((amounts.bytes + amounts.table_bytes).max(1.0));
        features.push(bytes);
        if amounts.flops > 0.0 {
            let flops = log2(amounts.flops);
            features.push(flops);
            features.push(flops - bytes);
        }
        match kind {
            SampledKind::Product => {
                let used = amounts.products.iter().filter(|product| product.batch > 0.0);
                used.for_each(|product| {
                    TILES.iter().for_each(|tile| features.push(idle(product, *tile, sms)));
                });
            }
            SampledKind::Attention => {
                let blocks = workload.sizes[0] * workload.sizes[2] * (workload.sizes[1] / 128.0).ceil() / sms;
                features.push(blocks.ceil() / blocks.max(f64::MIN_POSITIVE));
                features.push(workload.sizes[0] * workload.sizes[2] / sms);
            }
            SampledKind::Stream => features.push(log2((workload.sizes[0] * workload.sizes[1]).max(1.0))),
            SampledKind::Update | SampledKind::Link => {}
        }
        features
    }

    /// The features, in order.
    pub fn values(&self) -> &[f32] {
        self.values.get(..self.count).unwrap_or_default()
    }

    fn push(&mut self, value: f64) {
        if let Some(slot) = self.values.get_mut(self.count) {
            *slot = value as f32;
            self.count += 1;
        }
    }
}

/// The largest power of two that divides a size, up to 2^10, as its exponent.
fn alignment(size: f64) -> f64 {
    f64::from((size.max(0.0) as u64).trailing_zeros().min(10))
}

/// Whole waves of tiles over the waves of work.
fn idle(product: &ProductBatch, tile: (f64, f64), sms: f64) -> f64 {
    let tiles = product.batch * (product.m / tile.0).ceil() * (product.n / tile.1).ceil();
    let waves = product.batch * product.m * product.n / (tile.0 * tile.1 * sms);
    ((tiles / sms).ceil() / waves.max(f64::MIN_POSITIVE)).min(64.0)
}
