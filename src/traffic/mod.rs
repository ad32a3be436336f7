//! Who sends what to whom in one training step: every message of every rank, known before the run.
//!
//! Two conventions are told apart throughout:
//! - **messages**, the paper's: a collective counts once with its whole tensor, and a transfer counts at
//!   both ends (once sent, once received). APNet'24's table 3 is in this convention.
//! - **wire**: the bytes a rank puts on its links, and takes off them, when a collective runs as a ring
//!   or as NCCL's double binary tree.
//!
//! [`traffic`] lists the messages of one rank; [`Matrix`] answers for every pair of ranks without
//! holding every pair; [`shape()`] draws one rank's links over time.

mod distribution;
pub mod experts;
mod flows;
mod layout;
mod matrix;
mod message;
mod pieces;
mod platform;
mod shape;
mod tree;

pub use distribution::{Distribution, SizeCount};
pub use layout::{Axis, Layout, Members, Order};
pub use matrix::{Cell, Edge, Matrix, Tier};
pub use message::{KindTotal, Message, MessageGroup, Traffic, traffic};
pub use platform::{
    BandwidthPoint, KindTime, PlatformRow, bandwidth, communication_times, compare_platforms,
};
pub use shape::{Activity, MAX_SEGMENTS, Segment, Shape, shape};

use serde::Serialize;

/// Which parallel axis a message serves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Activations and their gradients within a tensor-parallel group.
    TensorParallel,
    /// Keys and values around a context-parallel group.
    ContextParallel,
    /// Tokens to their experts, and the experts' outputs back.
    ExpertParallel,
    /// Activations and their gradients between pipeline stages.
    PipelineParallel,
    /// Gradients, and parameters where they are sharded.
    DataParallel,
    /// Gradients of the embedding that first and last stage share.
    EmbeddingSync,
}

impl Kind {
    /// Every kind, in reading order.
    pub const ALL: [Self; 6] = [
        Self::TensorParallel,
        Self::ContextParallel,
        Self::ExpertParallel,
        Self::PipelineParallel,
        Self::DataParallel,
        Self::EmbeddingSync,
    ];

    /// Its name for people.
    pub const fn label(self) -> &'static str {
        match self {
            Self::TensorParallel => "Tensor parallel",
            Self::ContextParallel => "Context parallel",
            Self::ExpertParallel => "Expert parallel",
            Self::PipelineParallel => "Pipeline parallel",
            Self::DataParallel => "Data parallel",
            Self::EmbeddingSync => "Embedding synchronisation",
        }
    }

    /// Its place in [`Kind::ALL`].
    pub const fn index(self) -> usize {
        self as usize
    }
}

/// What a message does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Operation {
    /// Every member ends with the sum.
    AllReduce,
    /// Every member ends with all shards.
    AllGather,
    /// Every member ends with its shard of the sum.
    ReduceScatter,
    /// Every member sends every other its share.
    AllToAll,
    /// One rank sends to one other.
    PointToPoint,
}

impl Operation {
    /// Its name for people.
    pub const fn label(self) -> &'static str {
        match self {
            Self::AllReduce => "all-reduce",
            Self::AllGather => "all-gather",
            Self::ReduceScatter => "reduce-scatter",
            Self::AllToAll => "all-to-all",
            Self::PointToPoint => "send or receive",
        }
    }
}

/// How all-reduces put bytes on the wire. All-gathers and reduce-scatters are rings under either.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Algorithm {
    /// Every member sends `2 (k-1)/k` of the tensor to its successor.
    #[default]
    Ring,
    /// NCCL's double binary tree: half of the tensor up and down each of two trees.
    Tree,
}
