//! Who sends what to whom, as scripts get it.

use super::answers::problems;
use super::{Problem, RunnableJob};
use crate::cost::Algorithm;
use crate::document::Document;
use crate::error::FieldError;
use crate::forecast::Predictor;
use crate::scenario::Scenario;
use crate::step::Parallelism;
use crate::traffic::{AxisOrder, Matrix, RankTraffic, Tier};
use crate::units::Bytes;
use serde::{Deserialize, Serialize};

/// What is asked about messages.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AboutMessages {
    /// Number of the rank, from 0.
    pub rank: u32,
    /// Order of the axes over the machines, such as `tdp`; the job's own where there is none.
    pub mapping: Option<String>,
    /// How all-reduces run on the wire, by [`Algorithm::name`]; rings where it is not said.
    pub wire: Option<String>,
    /// Add the bytes between every pair of ranks that talk.
    pub matrix: bool,
}

impl AboutMessages {
    /// The messages of a job.
    ///
    /// # Errors
    /// What makes the job impossible, or an order, wire or rank that it does not have.
    pub fn of(&self, predictor: &Predictor<'_>, job: &RunnableJob) -> Result<RankMessages, Vec<Problem>> {
        let order = match &self.mapping {
            Some(name) => AxisOrder::parse(name).map_err(|error| problems(vec![error]))?,
            None => AxisOrder::from(job.scenario.plan.mapping),
        };
        let algorithm = match self.wire.as_deref() {
            None => Algorithm::default(),
            Some(name) => Algorithm::from_name(name).ok_or_else(|| {
                let known = Algorithm::ALL.map(Algorithm::name).join(", ");
                vec![Problem::new(format!("Unknown wire algorithm {name}. Use one of {known}."))]
            })?,
        };
        let (document, scenario) = (&job.document, &job.scenario);
        messages(predictor, document, scenario, order, algorithm, self.rank, self.matrix).map_err(problems)
    }
}

/// The messages of one rank in one step.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RankMessages {
    /// Order of the parallel dimensions, innermost first, such as `tdp`.
    pub mapping: String,
    /// The rank's messages.
    #[serde(flatten)]
    pub traffic: RankTraffic,
    /// Bytes between all communicating ranks, if requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub matrix: Option<TrafficMatrix>,
    /// Link that opens the job, from its `#` on.
    pub link: String,
}

/// Bytes between ranks: nonzero pairs, and sums.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TrafficMatrix {
    /// Ranks.
    pub gpus: u32,
    /// GPUs in one machine.
    pub gpus_per_machine: u32,
    /// Sum of all pairs.
    pub total_bytes: Bytes,
    /// Sums by type of parallelism.
    pub by_kind: Vec<KindBytes>,
    /// Sums by slowest link.
    pub by_tier: Vec<TierBytes>,
    /// The pairs.
    pub pairs: Vec<PairBytes>,
}

/// Bytes of one type of parallelism.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct KindBytes {
    /// The kind.
    pub kind: Parallelism,
    /// Sum over all ranks.
    pub bytes: Bytes,
}

/// Bytes over one tier of links.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TierBytes {
    /// The tier.
    pub tier: Tier,
    /// Sum over all ranks.
    pub bytes: Bytes,
}

/// Bytes per step from one rank to another, by type.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PairBytes {
    /// Number of the sender.
    pub from: u32,
    /// Number of the receiver.
    pub to: u32,
    /// Type of parallelism.
    pub kind: Parallelism,
    /// How many.
    pub bytes: Bytes,
    /// Slowest link on the path.
    pub tier: Tier,
}

/// The messages of a rank of a job, which `document` says.
///
/// # Errors
/// What makes the job impossible, or a rank that it does not have.
pub fn messages(
    predictor: &Predictor<'_>,
    document: &Document,
    scenario: &Scenario,
    order: AxisOrder,
    algorithm: Algorithm,
    rank: u32,
    with_matrix: bool,
) -> Result<RankMessages, Vec<FieldError>> {
    let traffic = predictor.traffic(scenario, order, algorithm, rank)?;
    let matrix = if with_matrix {
        Some(TrafficMatrix::of(&Matrix::new(predictor, scenario, order, algorithm)?))
    } else {
        None
    };
    Ok(RankMessages { mapping: order.name(), traffic, matrix, link: document.to_link() })
}

impl TrafficMatrix {
    /// All of a matrix.
    pub fn of(matrix: &Matrix) -> Self {
        let of = |rank: u32| {
            matrix.outgoing(rank).into_iter().map(move |edge| PairBytes {
                from: rank,
                to: edge.peer,
                kind: edge.kind,
                bytes: edge.bytes,
                tier: matrix.tier(rank, edge.peer),
            })
        };
        Self {
            gpus: matrix.ranks(),
            gpus_per_machine: matrix.gpus_per_machine(),
            total_bytes: matrix.total(),
            by_kind: matrix.by_kind().map(|(kind, bytes)| KindBytes { kind, bytes }).into(),
            by_tier: matrix.by_tier().map(|(tier, bytes)| TierBytes { tier, bytes }).into(),
            pairs: (0..matrix.ranks()).flat_map(of).collect(),
        }
    }
}
