//! Training, one tree at a time.

use super::ensemble::Ensemble;
use super::grow::{GrowScratch, TreeLimits, grow};
use super::{Bins, Random};

/// How trees are combined.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// Mean of trees, each grown on rows drawn with replacement (Breiman 2001).
    Forest,
    /// Sum of trees, each grown on what those before it left unexplained (Friedman 2001).
    Boosting,
}

/// What is trained.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TrainingSettings {
    /// How trees are combined.
    pub method: Method,
    /// Trees.
    pub trees: u32,
    /// Splits from a root to a leaf, at most.
    pub depth: u32,
    /// Rows of a leaf, at least.
    pub least_rows: usize,
    /// Share of its leaves' means by which a boosted tree moves the sum.
    pub rate: f64,
    /// Added to a leaf's rows when its mean is taken.
    pub shrink: f64,
    /// Most bins of a feature.
    pub bins: usize,
    /// Boosted leaves are whole numbers of this, -127 to 127 of them, which later trees make up for; such ensembles
    /// can be packed. Zero for leaves as they are.
    pub grain: f64,
}

impl TrainingSettings {
    /// A random forest: 100 full-grown trees on all features and every distinct value.
    pub const FOREST: Self = Self {
        method: Method::Forest,
        trees: 100,
        depth: 64,
        least_rows: 1,
        rate: 1.0,
        shrink: 0.0,
        bins: usize::MAX,
        grain: 0.0,
    };

    /// Gradient boosting as XGBoost's defaults have it: 300 trees of depth 6.
    pub const BOOSTED: Self = Self {
        method: Method::Boosting,
        trees: 300,
        depth: 6,
        least_rows: 1,
        rate: 0.1,
        shrink: 1.0,
        bins: 256,
        grain: 0.0,
    };
}

/// An ensemble in the making.
#[derive(Debug, Clone)]
pub struct EnsembleTraining {
    settings: TrainingSettings,
    bins: Bins,
    /// Target of every row, less what the trees so far explain.
    left: Vec<f64>,
    rows: Vec<u32>,
    random: Random,
    scratch: GrowScratch,
    ensemble: Ensemble,
}

impl EnsembleTraining {
    /// Begins an ensemble over `columns[feature][row]` (255 features at most) and a target per row.
    pub fn new(columns: &[Vec<f64>], targets: &[f64], settings: TrainingSettings, seed: u64) -> Self {
        let columns = columns.get(..columns.len().min(usize::from(u8::MAX))).unwrap_or_default();
        let bins = Bins::new(columns, settings.bins);
        let mean = targets.iter().sum::<f64>() / targets.len().max(1) as f64;
        let mean = if settings.grain > 0.0 { f64::from(mean as f32) } else { mean };
        let mut left: Vec<f64> = targets.iter().map(|target| target - mean).collect();
        left.resize(bins.rows(), 0.0);
        let scale = match settings.method {
            Method::Forest => 1.0 / f64::from(settings.trees.max(1)),
            Method::Boosting if settings.grain > 0.0 => f64::from(settings.grain as f32),
            Method::Boosting => settings.rate,
        };
        Self {
            settings,
            rows: (0..bins.rows() as u32).collect(),
            bins,
            left,
            random: Random::new(seed),
            scratch: GrowScratch::default(),
            ensemble: Ensemble { base: mean, scale, roots: Vec::new(), nodes: Vec::new() },
        }
    }

    /// Grows one more tree; `false` once all are grown.
    pub fn step(&mut self) -> bool {
        if self.is_done() {
            return false;
        }
        let settings = &self.settings;
        let packs = settings.grain > 0.0 && settings.method == Method::Boosting;
        let limits = TreeLimits {
            depth: settings.depth,
            least_rows: settings.least_rows,
            shrink: settings.shrink,
            unit: if packs { self.ensemble.scale / settings.rate } else { 0.0 },
        };
        let root = self.ensemble.nodes.len() as u32;
        let Self { bins, left, rows, random, scratch, ensemble, .. } = self;
        match settings.method {
            Method::Forest => {
                let count = bins.rows();
                rows.iter_mut().for_each(|row| *row = random.below(count) as u32);
                grow(bins, left, rows, &limits, scratch, &mut ensemble.nodes, |_, _| {});
            }
            Method::Boosting => {
                let mut moves = Vec::new();
                let nodes = &mut ensemble.nodes;
                grow(bins, left, rows, &limits, scratch, nodes, |members, value| {
                    moves.push((members.len(), value));
                });
                // Leaves come in the order of the rows they hold.
                let mut members = rows.iter();
                for (count, value) in moves {
                    for row in members.by_ref().take(count) {
                        if let Some(left) = left.get_mut(*row as usize) {
                            *left -= ensemble.scale * value;
                        }
                    }
                }
            }
        }
        ensemble.roots.push(root);
        true
    }

    /// Whether every tree is grown (at once where there is nothing to learn from).
    pub fn is_done(&self) -> bool {
        self.ensemble.trees() >= self.settings.trees as usize || self.bins.rows() == 0
    }

    /// The ensemble as far as it is grown.
    pub fn finish(mut self) -> Ensemble {
        while self.step() {}
        self.ensemble
    }
}

#[cfg(test)]
mod tests {
    use super::{EnsembleTraining, TrainingSettings};

    fn grid() -> (Vec<Vec<f64>>, Vec<f64>) {
        let (mut a, mut b, mut target) = (Vec::new(), Vec::new(), Vec::new());
        for i in 0..40 {
            for j in 0..25 {
                a.push(f64::from(i));
                b.push(f64::from(j));
                target.push(f64::from(i * j) + if j > 12 { 100.0 } else { 0.0 });
            }
        }
        (vec![a, b], target)
    }

    #[test]
    fn both_methods_learn_a_product_and_a_step() {
        let (columns, targets) = grid();
        for (settings, bound) in [(TrainingSettings::FOREST, 0.02), (TrainingSettings::BOOSTED, 0.02)] {
            let ensemble = EnsembleTraining::new(&columns, &targets, settings, 1).finish();
            let error: f64 = (0..targets.len())
                .map(|row| {
                    let features = [columns[0][row] as f32, columns[1][row] as f32];
                    (ensemble.predict(&features) - targets[row]).abs()
                })
                .sum();
            let share = error / targets.iter().sum::<f64>();
            assert!(share < bound, "{:?}: {share}", settings.method);
        }
    }

    #[test]
    fn a_seed_decides_everything() {
        let (columns, targets) = grid();
        let ensemble =
            |seed| EnsembleTraining::new(&columns, &targets, TrainingSettings::FOREST, seed).finish();
        assert_eq!(ensemble(3), ensemble(3));
        assert_ne!(ensemble(3), ensemble(4));
    }

    #[test]
    fn nothing_to_learn_from_gives_the_mean() {
        let empty = EnsembleTraining::new(&[], &[], TrainingSettings::BOOSTED, 0).finish();
        assert_eq!(empty.predict(&[]), 0.0);
        let flat =
            EnsembleTraining::new(&[vec![1.0, 1.0, 1.0]], &[4.0, 5.0, 6.0], TrainingSettings::BOOSTED, 0)
                .finish();
        assert_eq!(flat.predict(&[1.0]), 5.0);
    }

    #[test]
    fn beyond_the_sampled_range_trees_stay_level() {
        let (columns, targets) = grid();
        let ensemble = EnsembleTraining::new(&columns, &targets, TrainingSettings::BOOSTED, 1).finish();
        assert_eq!(ensemble.predict(&[39.0, 24.0]), ensemble.predict(&[1e9, 1e9]));
    }
}
