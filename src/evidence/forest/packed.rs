//! Ensembles in few bytes: a byte for a node's feature, one for its threshold or leaf.
//!
//! Nodes stand in the order of [`Ensemble`], so that the shape of every tree follows from which nodes are leaves.

use super::ensemble::{Ensemble, TreeNode};
use serde::{Deserialize, Serialize};

/// Feature number of a leaf.
const LEAF: u8 = u8::MAX;

/// An ensemble whose leaves are whole numbers ([`super::Settings::grain`]).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Packed {
    base: f32,
    scale: f32,
    /// Feature of every node.
    features: Vec<u8>,
    /// Place of every inner node's threshold among those of its feature.
    cuts: Vec<u8>,
    /// Every leaf.
    leaves: Vec<i8>,
    /// Thresholds of every feature, sorted.
    thresholds: Vec<Vec<f32>>,
}

impl From<Ensemble> for Packed {
    /// Exact for ensembles with a grain and at most 256 thresholds a feature; others are rounded.
    fn from(ensemble: Ensemble) -> Self {
        let inner = || ensemble.nodes.iter().filter_map(TreeNode::split);
        let count = inner().map(|split| usize::from(split.0) + 1).max().unwrap_or(0);
        let mut thresholds: Vec<Vec<f32>> = vec![Vec::new(); count];
        for (feature, threshold) in inner() {
            if let Some(list) = thresholds.get_mut(usize::from(feature))
                && !list.contains(&threshold)
            {
                list.push(threshold);
            }
        }
        for list in &mut thresholds {
            list.sort_by(f32::total_cmp);
            list.truncate(usize::from(u8::MAX) + 1);
        }
        let cut = |(feature, threshold): (u8, f32)| {
            let list = thresholds.get(usize::from(feature)).map_or(&[][..], Vec::as_slice);
            list.partition_point(|known| *known < threshold).min(usize::from(u8::MAX)) as u8
        };
        Self {
            base: ensemble.base as f32,
            scale: ensemble.scale as f32,
            features: ensemble.nodes.iter().map(|node| node.split().map_or(LEAF, |split| split.0)).collect(),
            cuts: inner().map(cut).collect(),
            leaves: ensemble
                .nodes
                .iter()
                .filter(|node| node.split().is_none())
                .map(|node| node.value() as i8)
                .collect(),
            thresholds,
        }
    }
}

impl TryFrom<Packed> for Ensemble {
    type Error = &'static str;

    fn try_from(packed: Packed) -> Result<Self, Self::Error> {
        let mut ensemble = Self {
            base: f64::from(packed.base),
            scale: f64::from(packed.scale),
            roots: Vec::new(),
            nodes: Vec::with_capacity(packed.features.len()),
        };
        let (mut cuts, mut leaves) = (packed.cuts.iter(), packed.leaves.iter());
        // Inner nodes whose right child has not begun.
        let mut open: Vec<usize> = Vec::new();
        for (here, feature) in packed.features.iter().enumerate() {
            if open.is_empty() {
                ensemble.roots.push(here as u32);
            } else if after_leaf(&ensemble.nodes)
                && let Some(parent) = open.pop()
                && let Some(node) = ensemble.nodes.get_mut(parent)
            {
                node.place_right(here - parent);
            }
            if *feature == LEAF {
                let leaf = leaves.next().ok_or("the ensemble has too few leaves")?;
                ensemble.nodes.push(TreeNode::leaf(f64::from(*leaf)));
            } else {
                let threshold = cuts
                    .next()
                    .and_then(|cut| packed.thresholds.get(usize::from(*feature))?.get(usize::from(*cut)))
                    .ok_or("the ensemble lacks a threshold")?;
                ensemble.nodes.push(TreeNode::inner(*feature, *threshold));
                open.push(here);
            }
        }
        if open.is_empty() && cuts.next().is_none() && leaves.next().is_none() {
            Ok(ensemble)
        } else {
            Err("a tree of the ensemble is not complete")
        }
    }
}

/// Whether the last node is a leaf, so that the next one begins a right child or a tree.
fn after_leaf(nodes: &[TreeNode]) -> bool {
    nodes.last().is_some_and(|node| node.split().is_none())
}

#[cfg(test)]
mod tests {
    use super::Packed;
    use crate::forest::{Ensemble, EnsembleTraining, TrainingSettings};

    fn trained() -> Ensemble {
        let a: Vec<f64> = (0..400).map(|row| f64::from(row % 20)).collect();
        let b: Vec<f64> = (0..400).map(|row| f64::from(row / 20)).collect();
        let targets: Vec<f64> = a.iter().zip(&b).map(|(a, b)| 0.02 * a - 0.001 * a * b).collect();
        let settings = TrainingSettings {
            trees: 30,
            depth: 4,
            grain: 1.0 / 256.0,
            bins: 32,
            ..TrainingSettings::BOOSTED
        };
        EnsembleTraining::new(&[a, b], &targets, settings, 0).finish()
    }

    #[test]
    fn packing_loses_nothing() {
        let ensemble = trained();
        assert!(ensemble.nodes() > 200);
        let packed = Packed::from(ensemble.clone());
        assert_eq!(Ensemble::try_from(packed), Ok(ensemble));
    }

    #[test]
    fn what_is_not_an_ensemble_is_refused() {
        let packed = Packed::from(trained());
        let cut = |change: fn(&mut Packed)| {
            let mut broken = packed.clone();
            change(&mut broken);
            Ensemble::try_from(broken)
        };
        assert!(cut(|packed| packed.leaves.truncate(5)).is_err());
        assert!(cut(|packed| packed.cuts.truncate(5)).is_err());
        assert!(cut(|packed| packed.thresholds.clear()).is_err());
        assert!(cut(|packed| packed.features.truncate(7)).is_err());
        assert!(cut(|packed| packed.features.push(0)).is_err());
    }
}
