//! The messages of one pipeline stage, counted from the program of the step.

use super::device_mesh::{DeviceMesh, Members, ParallelAxis};
use crate::cost::{Algorithm, Collective};
use crate::step::{Call, Parallelism, Pass, Place, ProcessGroup, Program};

/// Equal messages of one step of a rank.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct MessageFlow {
    pub(super) kind: Parallelism,
    pub(super) operation: Collective,
    /// Bytes of one message: the whole tensor of a collective.
    pub(super) bytes: u64,
    /// Share of the data leaving a scale-up domain that is sent: less than 1 if a dispatcher sends a token to a domain
    /// once.
    pub(super) across: f64,
    /// Members of the group in one scale-up domain, by position.
    pub(super) in_domain: u32,
    pub(super) path: Path,
}

/// Destinations of messages, and how often they are sent.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Path {
    /// A collective of a group.
    Collective { group: Members, count: u64 },
    /// Sends around a group: to the successor, from the predecessor.
    Around { group: Members, count: u64 },
    /// Between neighbouring stages, in a ring if stages are interleaved.
    Stages { to_next: u64, to_previous: u64, from_next: u64, from_previous: u64 },
    /// A collective of a stage and its mirror image, or of first and last stage.
    Across { count: u64 },
}

impl MessageFlow {
    /// Calls `visit` with every rank that a rank sends to (or receives from, if `outgoing` is false), and the bytes per
    /// step.
    pub(super) fn each_peer(
        &self,
        mesh: &DeviceMesh,
        algorithm: Algorithm,
        rank: u32,
        outgoing: bool,
        visit: &mut impl FnMut(u32, f64),
    ) {
        let bytes = self.bytes as f64;
        let (stage, stages) =
            (mesh.coordinate(rank, ParallelAxis::Pipeline), mesh.size(ParallelAxis::Pipeline));
        let at_stage = |other| mesh.moved(rank, ParallelAxis::Pipeline, other);
        match self.path {
            Path::Collective { group, count } | Path::Around { group, count } => {
                let (all, from) = (count as f64 * bytes, group.position(rank));
                algorithm.each_peer(self.operation, group.size(), from, outgoing, &mut |to, share| {
                    visit(group.member(rank, to), all * share * self.share(from, to));
                });
            }
            Path::Stages { to_next, to_previous, from_next, from_previous } => {
                let (next, previous) =
                    if outgoing { (to_next, to_previous) } else { (from_next, from_previous) };
                visit(at_stage(stage + 1), next as f64 * bytes);
                visit(at_stage(stage + stages - 1), previous as f64 * bytes);
            }
            Path::Across { count } => {
                let (all, other) = (count as f64 * bytes, stages - 1 - stage);
                algorithm.each_peer(
                    self.operation,
                    2,
                    u32::from(stage > other),
                    outgoing,
                    &mut |_, share| {
                        visit(at_stage(other), all * share);
                    },
                );
            }
        }
    }

    /// Share of a message that is sent between two members of a group, by position.
    fn share(&self, from: u32, to: u32) -> f64 {
        if from / self.in_domain == to / self.in_domain { 1.0 } else { self.across }
    }
}

impl Path {
    /// Messages in the paper's convention: a collective once, a transfer at both ends.
    pub(super) fn messages(&self) -> u64 {
        match *self {
            Self::Collective { count, .. } | Self::Across { count } => count,
            Self::Around { count, .. } => 2 * count,
            Self::Stages { to_next, to_previous, from_next, from_previous } => {
                to_next + to_previous + from_next + from_previous
            }
        }
    }

    /// Merges the messages of an equal path; returns whether it is equal.
    fn join(&mut self, other: &Self) -> bool {
        match (self, other) {
            (Self::Collective { group, count }, Self::Collective { group: other, count: more })
            | (Self::Around { group, count }, Self::Around { group: other, count: more })
                if group == other =>
            {
                *count += more;
                true
            }
            (Self::Across { count }, Self::Across { count: more }) => {
                *count += more;
                true
            }
            _ => false,
        }
    }
}

/// Every flow of a rank of `stage`, in the order of [`Parallelism::ALL`].
pub(super) fn flows(program: &Program<'_>, mesh: &DeviceMesh, stage: u32) -> Vec<MessageFlow> {
    let mut flows = Flows { mesh, list: Vec::new() };
    let batches = f64::from(program.scenario.micro_batches());
    for (place, visits) in program.visits(stage).places() {
        program.calls(place, &mut |call| flows.add(&call, visits * batches));
    }
    let crossings = program.crossings(stage);
    let path = Path::Stages {
        to_next: crossings.to_next,
        to_previous: crossings.to_previous,
        from_next: crossings.from_next,
        from_previous: crossings.from_previous,
    };
    // Activations go one way and gradients the other: equal message sizes, counted by the crossings.
    program.calls(Place::StageBoundary, &mut |call| {
        if call.pass == Pass::Forward {
            flows.keep(&call, path);
        }
    });
    program.step_end(stage, &mut |call| flows.add(&call, 1.0));
    flows.list.sort_by_key(|flow| flow.kind);
    flows.list
}

/// Whether it is a point-to-point message.
fn is_transfer(call: &Call) -> bool {
    call.work.communication().is_some_and(|(operation, ..)| operation == Collective::PointToPoint)
}

/// Collects flows and merges equal ones.
struct Flows<'a> {
    mesh: &'a DeviceMesh,
    list: Vec<MessageFlow>,
}

impl Flows<'_> {
    /// The messages of a call made this many times; kernels and single ranks send nothing.
    fn add(&mut self, call: &Call, times: f64) {
        let Some(communication) = call.communication else { return };
        let count = (times * call.times * communication.messages).round() as u64;
        let path = match (communication.group, self.mesh.members(communication.group)) {
            (ProcessGroup::FirstAndLast, _) => Path::Across { count },
            (_, Some(group)) if group.size() < 2 => return,
            (_, Some(group)) if is_transfer(call) => Path::Around { group, count },
            (_, Some(group)) => Path::Collective { group, count },
            (_, None) => return,
        };
        if count > 0 {
            self.keep(call, path);
        }
    }

    fn keep(&mut self, call: &Call, path: Path) {
        let Some(communication) = call.communication else { return };
        let Some((operation, bytes, group)) = call.work.communication() else { return };
        let across = call.work.sent_across();
        let in_domain = group.in_domain.round().max(1.0) as u32;
        let bytes = (bytes / communication.messages).round() as u64;
        if bytes == 0 {
            return;
        }
        let flow = MessageFlow { kind: communication.parallelism, operation, bytes, across, in_domain, path };
        let equal = |other: &MessageFlow| MessageFlow { path, ..*other } == flow;
        let joined = self.list.iter_mut().any(|other| equal(other) && other.path.join(&path));
        if !joined {
            self.list.push(flow);
        }
    }
}
