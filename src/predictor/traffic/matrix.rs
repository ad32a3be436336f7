//! Bytes between every pair of ranks in one step, held as what makes them: a few flows per stage.
//!
//! A rank talks to a handful of others whatever the number of GPUs, so rows, columns, pairs, blocks and
//! totals are enumerated from the flows; nothing here is of the size of all pairs.

use super::device_mesh::{AxisOrder, DeviceMesh, ParallelAxis};
use super::flows::{MessageFlow, flows};
use crate::cost::Algorithm;
use crate::error::FieldError;
use crate::forecast::Predictor;
use crate::scenario::Scenario;
use crate::step::{Parallelism, Program};
use crate::units::Bytes;
use core::ops::Range;
use serde::Serialize;

/// Slowest link between two ranks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Tier {
    /// Within one machine.
    Machine,
    /// Between machines of one scale-up domain (a rack of NVLink).
    Domain,
    /// Over the network, under one leaf switch.
    Leaf,
    /// Over the network's spine.
    Spine,
}

impl Tier {
    /// Every tier, nearest first.
    pub const ALL: [Self; 4] = [Self::Machine, Self::Domain, Self::Leaf, Self::Spine];

    /// The name of the tier for people.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Machine => "within a node",
            Self::Domain => "between nodes of one NVLink domain",
            Self::Leaf => "network, one leaf switch",
            Self::Spine => "network, across the spine",
        }
    }
}

/// What one rank sends another for one kind of communication in one step.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Edge {
    /// The rank at the other end.
    pub peer: u32,
    /// What for.
    pub kind: Parallelism,
    /// How much.
    pub bytes: Bytes,
}

/// What one block of ranks sends another, as [`Matrix::cells`] gives it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct MatrixCell {
    /// Number of the sending block.
    pub row: u32,
    /// Number of the receiving block.
    pub column: u32,
    /// How much, over all its pairs of ranks.
    pub bytes: Bytes,
}

/// The communication matrix: element (i, j) is what rank i sends rank j on the wire.
#[derive(Debug, Clone)]
pub struct Matrix {
    mesh: DeviceMesh,
    algorithm: Algorithm,
    /// Flows of a rank of every stage.
    stages: Vec<Vec<MessageFlow>>,
    gpus_per_machine: u32,
    gpus_per_domain: u32,
    gpus_per_leaf: u32,
}

impl Matrix {
    /// The matrix of a scenario under an order of its axes.
    ///
    /// # Errors
    /// What makes the scenario impossible.
    pub fn new(
        predictor: &Predictor<'_>,
        scenario: &Scenario,
        order: AxisOrder,
        algorithm: Algorithm,
    ) -> Result<Self, Vec<FieldError>> {
        scenario.validate()?;
        Ok(Self::of(&predictor.program(scenario), order, algorithm))
    }

    pub(super) fn of(program: &Program<'_>, order: AxisOrder, algorithm: Algorithm) -> Self {
        let scenario = program.scenario;
        let mesh = DeviceMesh::new(scenario, order);
        let cluster = &scenario.cluster;
        let gpus_per_machine = cluster.gpus_per_node.max(1);
        Self {
            mesh,
            algorithm,
            stages: (0..mesh.size(ParallelAxis::Pipeline))
                .map(|stage| flows(program, &mesh, stage))
                .collect(),
            gpus_per_machine,
            gpus_per_domain: cluster.scale_up.domain.max(1),
            gpus_per_leaf: cluster.network.leaf_nodes.max(1).saturating_mul(gpus_per_machine),
        }
    }

    /// Where every rank sits.
    pub fn mesh(&self) -> &DeviceMesh {
        &self.mesh
    }

    /// Ranks: the matrix has as many rows and columns.
    pub fn ranks(&self) -> u32 {
        self.mesh.ranks()
    }

    /// GPUs in one machine, the natural block of [`Matrix::cells`].
    pub fn gpus_per_machine(&self) -> u32 {
        self.gpus_per_machine
    }

    /// The machine a rank sits in.
    pub fn machine(&self, rank: u32) -> u32 {
        rank / self.gpus_per_machine
    }

    /// The flows of a rank of `stage`.
    pub(super) fn flows(&self, stage: u32) -> &[MessageFlow] {
        self.stages.get(stage as usize).map_or(&[], Vec::as_slice)
    }

    /// The furthest link between two ranks.
    pub fn tier(&self, from: u32, to: u32) -> Tier {
        let together = |size: u32| from / size == to / size;
        match (together(self.gpus_per_machine), together(self.gpus_per_domain), together(self.gpus_per_leaf))
        {
            (true, _, _) => Tier::Machine,
            (_, true, _) => Tier::Domain,
            (_, _, true) => Tier::Leaf,
            _ => Tier::Spine,
        }
    }

    /// What a rank sends, one edge per peer and kind, by peer.
    pub fn outgoing(&self, rank: u32) -> Vec<Edge> {
        let mut edges = Vec::new();
        self.visit(rank, true, &mut |edge| edges.push(edge));
        merged(edges)
    }

    /// What a rank receives, one edge per peer and kind, by peer.
    pub fn incoming(&self, rank: u32) -> Vec<Edge> {
        let mut edges = Vec::new();
        self.visit(rank, false, &mut |edge| edges.push(edge));
        merged(edges)
    }

    /// Element (from, to).
    pub fn between(&self, from: u32, to: u32) -> Bytes {
        self.outgoing(from).iter().filter(|edge| edge.peer == to).map(|edge| edge.bytes).sum()
    }

    /// Sum of a row: what a rank sends.
    pub fn sent(&self, rank: u32) -> Bytes {
        let mut sum = Bytes::ZERO;
        self.visit(rank, true, &mut |edge| sum += edge.bytes);
        sum
    }

    /// Sum of a column: what a rank receives.
    pub fn received(&self, rank: u32) -> Bytes {
        let mut sum = Bytes::ZERO;
        self.visit(rank, false, &mut |edge| sum += edge.bytes);
        sum
    }

    /// Sum of all elements.
    pub fn total(&self) -> Bytes {
        self.by_kind().iter().map(|entry| entry.1).sum()
    }

    /// Sum of all elements by kind, in the order of [`Parallelism::ALL`].
    pub fn by_kind(&self) -> [(Parallelism, Bytes); 6] {
        let mut sums = Parallelism::ALL.map(|kind| (kind, Bytes::ZERO));
        self.every_edge(&mut |_, edge| {
            if let Some(sum) = sums.get_mut(edge.kind.index()) {
                sum.1 += edge.bytes;
            }
        });
        sums
    }

    /// Sum of all elements by the furthest link they take, in the order of [`Tier::ALL`].
    pub fn by_tier(&self) -> [(Tier, Bytes); 4] {
        let mut sums = Tier::ALL.map(|tier| (tier, Bytes::ZERO));
        self.every_edge(&mut |rank, edge| {
            if let Some(sum) = sums.get_mut(self.tier(rank, edge.peer) as usize) {
                sum.1 += edge.bytes;
            }
        });
        sums
    }

    /// The elements that are not zero of the rows and columns of some blocks, each block standing for
    /// `block` consecutive ranks (1 shows ranks, [`Matrix::gpus_per_machine`] machines), by row and
    /// column. `kind` picks one kind; rows and columns beyond the matrix are empty. Takes time linear in
    /// the ranks of the rows.
    pub fn cells(
        &self,
        rows: Range<u32>,
        columns: Range<u32>,
        block: u32,
        kind: Option<Parallelism>,
    ) -> Vec<MatrixCell> {
        let block = block.max(1);
        let blocks = self.ranks().div_ceil(block);
        let mut cells: Vec<MatrixCell> = Vec::new();
        let mut row_cells: Vec<(u32, Bytes)> = Vec::new();
        for row in rows.start..rows.end.min(blocks) {
            row_cells.clear();
            let first = row * block;
            for rank in first..first.saturating_add(block).min(self.ranks()) {
                self.visit(rank, true, &mut |edge| {
                    let column = edge.peer / block;
                    if columns.contains(&column) && kind.is_none_or(|kind| kind == edge.kind) {
                        row_cells.push((column, edge.bytes));
                    }
                });
            }
            row_cells.sort_by_key(|cell| cell.0);
            for &(column, bytes) in &row_cells {
                match cells.last_mut() {
                    Some(cell) if (cell.row, cell.column) == (row, column) => cell.bytes += bytes,
                    _ => cells.push(MatrixCell { row, column, bytes }),
                }
            }
        }
        cells
    }

    fn every_edge(&self, visit: &mut impl FnMut(u32, Edge)) {
        for rank in 0..self.ranks() {
            self.visit(rank, true, &mut |edge| visit(rank, edge));
        }
    }

    /// Gives what a rank sends (or receives) to `visit`, flow by flow.
    fn visit(&self, rank: u32, outgoing: bool, visit: &mut impl FnMut(Edge)) {
        let stage = self.mesh.coordinate(rank, ParallelAxis::Pipeline);
        for flow in self.stages.get(stage as usize).into_iter().flatten() {
            let mut emit = |peer: u32, bytes: f64| {
                if bytes > 0.0 {
                    visit(Edge { peer, kind: flow.kind, bytes: Bytes(bytes) });
                }
            };
            flow.each_peer(&self.mesh, self.algorithm, rank, outgoing, &mut emit);
        }
    }
}

/// Edges by peer and kind, those of the same peer and kind as one.
fn merged(mut edges: Vec<Edge>) -> Vec<Edge> {
    edges.sort_by_key(|edge| (edge.peer, edge.kind));
    edges.dedup_by(|next, kept| {
        let same = (next.peer, next.kind) == (kept.peer, kept.kind);
        if same {
            kept.bytes += next.bytes;
        }
        same
    });
    edges
}
