//! Trained trees in a flat form: eight bytes a node, the left child right behind its parent.

use super::packed::Packed;
use serde::{Deserialize, Serialize};

/// Node of a tree.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TreeNode {
    /// Threshold of an inner node (smaller values go left), value of a leaf.
    value: f32,
    /// Feature in the upper 8 bits, distance to the right child in the lower 24. Zero for a leaf.
    link: u32,
}

const DISTANCE: u32 = (1 << 24) - 1;
/// Distance while the right child is still to be placed.
const OPEN: u32 = DISTANCE;

impl TreeNode {
    pub(super) fn leaf(value: f64) -> Self {
        Self { value: value as f32, link: 0 }
    }

    /// An inner node whose right child is still to be placed.
    pub(super) fn inner(feature: u8, threshold: f32) -> Self {
        Self { value: threshold, link: u32::from(feature) << 24 | OPEN }
    }

    /// Feature and threshold of an inner node.
    pub(super) fn split(&self) -> Option<(u8, f32)> {
        (self.link != 0).then_some(((self.link >> 24) as u8, self.value))
    }

    /// Value of a leaf.
    pub(super) fn value(&self) -> f32 {
        self.value
    }

    pub(super) fn place_right(&mut self, distance: usize) {
        self.link = self.link & !DISTANCE | (distance as u32).min(DISTANCE);
    }
}

/// A sum of trees.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(into = "Packed", try_from = "Packed")]
pub struct Ensemble {
    pub(super) base: f64,
    /// Factor of every leaf.
    pub(super) scale: f64,
    pub(super) roots: Vec<u32>,
    pub(super) nodes: Vec<TreeNode>,
}

impl Ensemble {
    /// Value for a row of features; features beyond the row count as zero.
    pub fn predict(&self, features: &[f32]) -> f64 {
        let sum: f64 = self.roots.iter().map(|root| self.leaf(*root as usize, features)).sum();
        self.base + self.scale * sum
    }

    /// Every step leads to a later node, so the walk ends.
    fn leaf(&self, root: usize, features: &[f32]) -> f64 {
        let mut at = root;
        while let Some(node) = self.nodes.get(at) {
            if node.link == 0 {
                return f64::from(node.value);
            }
            let feature = features.get((node.link >> 24) as usize).copied().unwrap_or(0.0);
            at += if feature < node.value { 1 } else { ((node.link & DISTANCE) as usize).max(1) };
        }
        0.0
    }

    /// Whether every value that it gives is a number.
    pub(crate) fn is_sound(&self) -> bool {
        let is_leaf = |node: &&TreeNode| node.link == 0;
        let leaves = self.nodes.iter().filter(is_leaf).all(|node| node.value.is_finite());
        leaves && self.base.is_finite() && self.scale.is_finite()
    }

    /// Trees.
    pub fn trees(&self) -> usize {
        self.roots.len()
    }

    /// Nodes of all trees, leaves included.
    pub fn nodes(&self) -> usize {
        self.nodes.len()
    }
}
