//! Who sends what to whom in one training step: every message of every rank, known before the run.
//!
//! Two conventions are distinguished throughout:
//! - **messages**, the paper's: a collective counts once with its whole tensor, and a transfer counts at
//!   both ends (once sent, once received). APNet'24's table 3 is in this convention.
//! - **wire**: the bytes a rank puts on its links, and takes off them, when a collective runs as a ring
//!   or as NCCL's double binary tree.
//!
//! [`Predictor::traffic`](crate::forecast::Predictor::traffic) lists the messages of one rank; [`Matrix`] answers for every pair of ranks without
//! holding every pair; [`Predictor::link_activity`](crate::forecast::Predictor::link_activity) draws one rank's links over time.

mod device_mesh;
mod distribution;
pub mod experts;
mod flows;
mod link_activity;
mod matrix;
mod message;
mod pass_segments;
mod platform;

pub use device_mesh::{AxisOrder, DeviceMesh, Members, ParallelAxis};
pub use distribution::{Distribution, SizeCount};
pub use link_activity::{Activity, LinkActivity, MAX_SEGMENTS, Segment};
pub use matrix::{Edge, Matrix, MatrixCell, Tier};
pub use message::{KindTotal, Message, MessageGroup, RankTraffic};
pub use platform::{
    BandwidthPoint, KindTime, PlatformRow, bandwidth, communication_times, compare_platforms,
};
