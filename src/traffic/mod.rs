//! Who sends what to whom in one training step: every message of every rank, known before the run.
//!
//! Two conventions are told apart throughout:
//! - **messages**, the paper's: a collective counts once with its whole tensor, and a transfer counts at
//!   both ends (once sent, once received). APNet'24's table 3 is in this convention.
//! - **wire**: the bytes a rank puts on its links, and takes off them, when a collective runs as a ring
//!   or as NCCL's double binary tree.
//!
//! [`Predictor::traffic`](crate::forecast::Predictor::traffic) lists the messages of one rank; [`Matrix`] answers for every pair of ranks without
//! holding every pair; [`Predictor::link_activity`](crate::forecast::Predictor::link_activity) draws one rank's links over time.

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
pub use message::{KindTotal, Message, MessageGroup, Traffic};
pub use platform::{
    BandwidthPoint, KindTime, PlatformRow, bandwidth, communication_times, compare_platforms,
};
pub use shape::{Activity, MAX_SEGMENTS, Segment, Shape};

pub use crate::step::Parallelism as Kind;

use serde::Serialize;

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
