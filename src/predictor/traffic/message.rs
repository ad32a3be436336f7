//! The messages of one rank, in both conventions.

use super::device_mesh::{AxisOrder, ParallelAxis};
use super::flows::{MessageFlow, Path};
use super::matrix::{Matrix, Tier};
use crate::cost::{Algorithm, Collective};
use crate::error::FieldError;
use crate::forecast::Predictor;
use crate::scenario::Scenario;
use crate::step::Parallelism;
use crate::units::Bytes;
use serde::Serialize;

/// Equal messages of one rank per step.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Message {
    /// Type of parallelism.
    pub kind: Parallelism,
    /// Operation.
    pub operation: Collective,
    /// Count: a collective counts once, a point-to-point transfer at both ends.
    pub count: u64,
    /// Size of one message: the full tensor of a collective.
    pub bytes: u64,
    /// Volume: count times size.
    pub volume_bytes: u64,
    /// Bytes sent by this rank.
    #[serde(rename = "sent_bytes")]
    pub sent: Bytes,
    /// Bytes received by this rank.
    #[serde(rename = "received_bytes")]
    pub received: Bytes,
    /// Participating ranks.
    pub group: MessageGroup,
}

/// Ranks of a message.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MessageGroup {
    /// How many.
    pub size: u32,
    /// Number of machines.
    pub machines: u32,
    /// Slowest link between neighbours in the group.
    pub tier: Tier,
    /// Numbers of the ranks, ascending.
    pub ranks: Vec<u32>,
}

/// Sum of the messages of one rank and type.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct KindTotal {
    /// The kind.
    pub kind: Parallelism,
    /// Messages.
    pub count: u64,
    /// Tensor bytes of the messages.
    pub volume_bytes: u64,
    /// Share of the volume of all types, 0 to 1.
    pub volume_share: f64,
    /// Bytes sent on the wire.
    #[serde(rename = "sent_bytes")]
    pub sent: Bytes,
    /// Share of the bytes sent by all types, 0 to 1.
    pub sent_share: f64,
}

/// Everything one rank sends and receives in one step.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RankTraffic {
    /// The rank.
    pub rank: u32,
    /// Machine of the rank.
    pub machine: u32,
    /// Position of the rank: TP, CP, DP, PP.
    pub place: RankCoordinates,
    /// All-reduce algorithm.
    pub algorithm: Algorithm,
    /// Messages of the rank, by type and operation.
    pub messages: Vec<Message>,
    /// Messages of the rank, summed by type.
    pub totals: Vec<KindTotal>,
}

/// Position of a rank on the parallel dimensions, from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RankCoordinates {
    /// Rank in the TP group.
    pub tensor: u32,
    /// Rank in the CP group.
    pub context: u32,
    /// Replica.
    pub data: u32,
    /// Pipeline stage.
    pub stage: u32,
}

impl Predictor<'_> {
    /// The messages of a rank.
    ///
    /// # Errors
    /// What makes the scenario impossible, or a rank beyond its GPUs.
    pub fn traffic(
        &self,
        scenario: &Scenario,
        order: AxisOrder,
        algorithm: Algorithm,
        rank: u32,
    ) -> Result<RankTraffic, Vec<FieldError>> {
        let matrix = Matrix::new(self, scenario, order, algorithm)?;
        let mesh = matrix.mesh();
        if rank >= mesh.ranks() {
            let last = mesh.ranks() - 1;
            let message = format!("Rank {rank} does not exist. Use 0 to {last}.");
            return Err(vec![FieldError::new("rank", message).suggest([last.to_string()])]);
        }
        let place = RankCoordinates {
            tensor: mesh.coordinate(rank, ParallelAxis::Tensor),
            context: mesh.coordinate(rank, ParallelAxis::Context),
            data: mesh.coordinate(rank, ParallelAxis::Data),
            stage: mesh.coordinate(rank, ParallelAxis::Pipeline),
        };
        let messages: Vec<Message> =
            matrix.flows(place.stage).iter().map(|flow| message(flow, &matrix, algorithm, rank)).collect();
        let totals = totals(&messages);
        let machine = rank / scenario.cluster.gpus_per_node.max(1);
        Ok(RankTraffic { rank, machine, place, algorithm, messages, totals })
    }
}

fn message(flow: &MessageFlow, matrix: &Matrix, algorithm: Algorithm, rank: u32) -> Message {
    let mesh = matrix.mesh();
    let stages = mesh.size(ParallelAxis::Pipeline);
    let stage = mesh.coordinate(rank, ParallelAxis::Pipeline);
    let neighbour = |forward: bool| {
        let other = if forward { stage + 1 } else { stage + stages - 1 };
        mesh.moved(rank, ParallelAxis::Pipeline, other)
    };
    let mut ranks: Vec<u32> = match flow.path {
        Path::Collective { group, .. } | Path::Around { group, .. } => group.of(rank).collect(),
        Path::Stages { to_next, to_previous, .. } => {
            let next = (to_next > 0).then(|| neighbour(true));
            let previous = (to_previous > 0).then(|| neighbour(false));
            [Some(rank), next, previous].into_iter().flatten().collect()
        }
        Path::Across { .. } => vec![rank, mesh.moved(rank, ParallelAxis::Pipeline, stages - 1 - stage)],
    };
    ranks.sort_unstable();
    ranks.dedup();
    let machines: Vec<u32> = ranks.iter().map(|rank| matrix.machine(*rank)).collect();
    let tier = ranks.windows(2).filter_map(|pair| match pair {
        [left, right] => Some(matrix.tier(*left, *right)),
        _ => None,
    });
    let on_wire = |outgoing| {
        let mut sum = 0.0;
        flow.each_peer(mesh, algorithm, rank, outgoing, &mut |_, bytes| sum += bytes);
        Bytes(sum)
    };
    let count = flow.path.messages();
    Message {
        kind: flow.kind,
        operation: flow.operation,
        count,
        bytes: flow.bytes,
        volume_bytes: count.saturating_mul(flow.bytes),
        sent: on_wire(true),
        received: on_wire(false),
        group: MessageGroup {
            size: ranks.len() as u32,
            machines: 1 + machines.windows(2).filter(|pair| pair.first() != pair.last()).count() as u32,
            tier: tier.max().unwrap_or(Tier::Machine),
            ranks,
        },
    }
}

fn totals(messages: &[Message]) -> Vec<KindTotal> {
    let volume = messages.iter().fold(0, |sum: u64, message| sum.saturating_add(message.volume_bytes));
    let sent: Bytes = messages.iter().map(|message| message.sent).sum();
    Parallelism::ALL
        .into_iter()
        .filter_map(|kind| {
            let of_kind: Vec<&Message> = messages.iter().filter(|message| message.kind == kind).collect();
            let volume_of_kind =
                of_kind.iter().fold(0, |sum: u64, message| sum.saturating_add(message.volume_bytes));
            let sent_of_kind: Bytes = of_kind.iter().map(|message| message.sent).sum();
            (!of_kind.is_empty()).then(|| KindTotal {
                kind,
                count: of_kind.iter().map(|message| message.count).sum(),
                volume_bytes: volume_of_kind,
                volume_share: volume_of_kind as f64 / (volume as f64).max(1.0),
                sent: sent_of_kind,
                sent_share: if sent.0 > 0.0 { sent_of_kind / sent } else { 0.0 },
            })
        })
        .collect()
}
