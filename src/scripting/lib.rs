//! What scripts ask and are answered: the command line's JSON and the packages for JavaScript and Python are this room.
//!
//! All read a job with [`read`] and write the same structures, so that their numbers are equal to the last digit. The
//! schema of all of it, `schema::document` (feature `schema`), is made from the types and their docs.

#![warn(clippy::print_stdout, clippy::print_stderr)]

pub mod answers;
#[cfg(feature = "exchange")]
mod exchanged;
mod explanation;
mod job;
mod layouts;
mod messages;
mod near;
mod packed;
#[cfg(feature = "schema")]
pub mod schema;
mod search;
mod sizes;

#[cfg(feature = "exchange")]
pub use exchanged::{AboutFile, Exported, Imported};
pub use explanation::{ExplainedOperator, ExplainedPart, Explanation};
pub use job::{OwnSteps, Problem, RESTS_ON, ReadFields, RunnableJob, asked, read};
pub use layouts::{Layout, Layouts, NEAREST, UnknownAxis, listed, searched};
pub use messages::{AboutMessages, KindBytes, PairBytes, RankMessages, TierBytes, TrafficMatrix, messages};
pub use near::near;
pub use search::{AboutLayouts, LayoutRequest, LayoutSearch};
pub use sizes::AboutSizes;

use stepcast_evidence::calibrate;
#[cfg(feature = "exchange")]
use stepcast_exchange as exchange;
use stepcast_job::{document, error, fields, names, rules, scenario, units};
use stepcast_page_state as page_state;
use stepcast_predictor::{cost, forecast, planned, run_cost, scaling, step, traffic, tuner};

/// Version of the JSON that scripts are answered in, and of its schema. It grows when something is renamed, removed or
/// means something else; what is only added keeps it.
pub const JSON_VERSION: u32 = 1;
