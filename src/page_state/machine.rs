//! The picture of the machine: which nodes are drawn, which GPU has which coordinates, and who is in its groups.

use super::communication::ranks;
use crate::number;
use crate::scenario::Scenario;
use crate::traffic::{AxisOrder, DeviceMesh, Members, ParallelAxis};

/// Most nodes that are drawn of a large job.
const MOST_NODES: u32 = 32;

/// A kind of group that a rank is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GroupKind {
    /// Abbreviation: `TP`.
    pub short: &'static str,
    /// Its name.
    pub label: &'static str,
    /// Its ranks.
    pub members: Members,
}

/// A job on its machine.
#[derive(Debug, Clone, PartialEq)]
pub struct MachineMap {
    mesh: DeviceMesh,
    /// GPUs of a node.
    pub node: u32,
    /// Numbers of the nodes that are drawn, ascending.
    pub nodes: Vec<u32>,
    /// What is drawn, where that is not all.
    pub limited: Option<String>,
    /// Kinds of groups with more than one rank.
    pub groups: Vec<GroupKind>,
}

impl MachineMap {
    /// The job of a scenario under an order of the axes.
    pub fn new(scenario: &Scenario, order: AxisOrder) -> Self {
        let mesh = DeviceMesh::new(scenario, order);
        let node = scenario.cluster.gpus_per_node.clamp(1, mesh.ranks().max(1));
        let (nodes, limited) = drawn(&mesh, node);
        let kinds = [
            ("TP", "Tensor parallel", mesh.along(ParallelAxis::Tensor)),
            ("CP", "Context parallel", mesh.along(ParallelAxis::Context)),
            ("EP", "Expert parallel", experts(&mesh)),
            ("DP", "Data parallel", mesh.along(ParallelAxis::Data)),
            ("PP", "Pipeline parallel", mesh.along(ParallelAxis::Pipeline)),
        ];
        let kinds = kinds.map(|(short, label, members)| GroupKind { short, label, members });
        let groups = kinds.into_iter().filter(|kind| kind.members.size() > 1).collect();
        Self { mesh, node, nodes, limited, groups }
    }

    /// Number of ranks of the job.
    pub fn total(&self) -> u32 {
        self.mesh.ranks()
    }

    /// Pipeline stages.
    pub fn stages(&self) -> u32 {
        self.mesh.size(ParallelAxis::Pipeline)
    }

    /// The pipeline stage of a rank.
    pub fn stage(&self, rank: u32) -> u32 {
        self.mesh.coordinate(rank, ParallelAxis::Pipeline)
    }

    /// The ranks of a drawn node, by its place in the drawing.
    pub fn ranks_of(&self, place: usize) -> core::ops::Range<u32> {
        let first = self.nodes.get(place).map_or(0, |node| node.saturating_mul(self.node));
        first..first.saturating_add(self.node).min(self.total()).max(first)
    }

    /// Every rank that is drawn.
    pub fn ranks(&self) -> impl Iterator<Item = u32> {
        (0..self.nodes.len()).flat_map(|place| self.ranks_of(place))
    }

    /// Whether two ranks are in one tensor-parallel group; without such groups any two are.
    pub fn share_tensor(&self, one: u32, other: u32) -> bool {
        let tensor = self.mesh.along(ParallelAxis::Tensor);
        tensor.size() == 1 || tensor.member(one, 0) == tensor.member(other, 0)
    }

    /// Kinds of groups, by their place in [`MachineMap::groups`], that two different ranks share.
    pub fn shared(&self, one: u32, other: u32) -> Vec<usize> {
        let same = |kind: &GroupKind| kind.members.member(one, 0) == kind.members.member(other, 0);
        let kinds = self.groups.iter().enumerate().filter(|(_, kind)| one != other && same(kind));
        kinds.map(|(place, _)| place).collect()
    }

    /// A rank in a sentence: node, and its place in each of its groups.
    pub fn sentence(&self, rank: u32) -> String {
        let places: Vec<String> = self
            .groups
            .iter()
            .map(|kind| format!("{} {} of {}", kind.short, kind.members.position(rank), kind.members.size()))
            .collect();
        format!(
            "Rank {} on node {}: {}.",
            number::integer(rank.into()),
            number::integer((rank / self.node).into()),
            if places.is_empty() { "no groups".to_owned() } else { places.join(", ") }
        )
    }

    /// The groups of a rank: kind, size, members, and how many nodes they are on.
    pub fn rows(&self, rank: u32) -> Vec<[String; 4]> {
        let row = |kind: &GroupKind| {
            let members: Vec<u32> = kind.members.of(rank).collect();
            let mut nodes: Vec<u32> = members.iter().map(|member| member / self.node).collect();
            nodes.dedup();
            [
                kind.label.to_owned(),
                number::integer(members.len() as u64),
                ranks(&members),
                number::integer(nodes.len() as u64),
            ]
        };
        self.groups.iter().map(row).collect()
    }

    /// Columns of the table of coordinates.
    pub fn columns(&self) -> Vec<&'static str> {
        ["Rank", "Node"].into_iter().chain(self.groups.iter().map(|kind| kind.short)).collect()
    }

    /// The coordinates of a rank, for the table.
    pub fn coordinates(&self, rank: u32) -> Vec<String> {
        let places = self.groups.iter().map(|kind| kind.members.position(rank));
        [rank, rank / self.node].into_iter().chain(places).map(|place| place.to_string()).collect()
    }

    /// The picture in words.
    pub fn summary(&self) -> String {
        let counted = |count: u32, one: &str| {
            format!("{} {one}{}", number::integer(count.into()), if count == 1 { "" } else { "s" })
        };
        let groups: Vec<String> = self
            .groups
            .iter()
            .map(|kind| format!("{} {}", kind.short, number::integer(kind.members.size().into())))
            .collect();
        let all = self.total().div_ceil(self.node);
        let drawn = self.limited.as_ref().map_or_else(String::new, |limited| format!(" {limited}"));
        format!("{} on {}: {}.{drawn}", counted(self.total(), "GPU"), counted(all, "node"), groups.join(", "))
    }
}

/// Ranks that a layer's experts are assigned to.
fn experts(mesh: &DeviceMesh) -> Members {
    let [_, experts, _] = mesh.experts();
    experts
}

/// Nodes to draw, with a sentence where these are not all: those of as many data-parallel replicas as there is room for.
fn drawn(mesh: &DeviceMesh, node: u32) -> (Vec<u32>, Option<String>) {
    let all = mesh.ranks().div_ceil(node);
    if all <= MOST_NODES {
        return ((0..all).collect(), None);
    }
    let replicas = mesh.size(ParallelAxis::Data);
    let mut nodes: Vec<u32> = Vec::new();
    let mut whole = 0;
    for replica in 0..replicas {
        let mut next = nodes.clone();
        next.extend(nodes_of(mesh, node, replica));
        next.sort_unstable();
        next.dedup();
        if next.len() > MOST_NODES as usize && replica > 0 {
            break;
        }
        nodes = next;
        whole = replica + 1;
        if nodes.len() > MOST_NODES as usize {
            break;
        }
    }
    let of_replica = nodes.len();
    nodes.truncate(MOST_NODES as usize);
    let count = |value: u32| number::integer(value.into());
    let what = match whole {
        1 => "the first data-parallel replica".to_owned(),
        many => format!("the first {} of {} data-parallel replicas", count(many), count(replicas)),
    };
    let sentence = if nodes.len() < of_replica {
        format!("Nodes shown: the first {} of {} in {what}.", nodes.len(), of_replica)
    } else {
        format!("Nodes shown: {} of {} ({what}).", nodes.len(), count(all))
    };
    (nodes, Some(sentence))
}

/// Nodes with ranks of a data-parallel replica, ascending, each once.
fn nodes_of(mesh: &DeviceMesh, node: u32, replica: u32) -> Vec<u32> {
    let first = mesh.moved(0, ParallelAxis::Data, replica);
    let mut nodes: Vec<u32> = Vec::new();
    for stage in mesh.along(ParallelAxis::Pipeline).of(first) {
        for context in mesh.along(ParallelAxis::Context).of(stage) {
            nodes.extend(mesh.along(ParallelAxis::Tensor).of(context).map(|rank| rank / node));
        }
    }
    nodes.sort_unstable();
    nodes.dedup();
    nodes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Document;

    fn map(link: &str) -> MachineMap {
        let scenario = Document::from_link(link).expect("a link").document.scenario().expect("possible");
        MachineMap::new(&scenario, AxisOrder::from(scenario.plan.mapping))
    }

    const DEEPSEEK: &str = "#1;m=deepseek-v3;g=hgx-h800;n=2048;tp=1;sp=0;pp=16;ep=64;gb=15360;seq=4096";

    #[test]
    fn a_small_job_is_drawn_whole_and_a_large_one_by_its_first_replicas() {
        let small = map("#1;m=llama3-70b;g=dgx-h100;n=64;tp=8;pp=4;gb=256");
        assert_eq!((small.nodes.len(), &small.limited), (8, &None));
        assert_eq!(small.ranks().count(), 64);
        // A replica of DeepSeek-V3 is a rank of each of 16 stages, each on a node of its own, with seven more replicas.
        let large = map(DEEPSEEK);
        assert_eq!(large.nodes, (0..16).flat_map(|stage| [16 * stage, 16 * stage + 1]).collect::<Vec<_>>());
        assert_eq!(
            large.limited.as_deref(),
            Some("Nodes shown: 32 of 256 (the first 16 of 128 data-parallel replicas).")
        );
        let long = map("#1;m=megatron-1t;g=dgx-a100-80g;n=1024;gb=512;seq=2048;tp=8;pp=64;vpp=1");
        assert_eq!(long.nodes.len(), 32);
        assert!(
            long.limited.as_deref().is_some_and(|said| said.contains("first 32 of 64 in the first")),
            "{long:?}"
        );
    }

    #[test]
    fn groups_hold_each_other_and_have_their_sizes() {
        let map = map(DEEPSEEK);
        let names: Vec<&str> = map.groups.iter().map(|kind| kind.short).collect();
        assert_eq!(names, ["EP", "DP", "PP"]);
        for (place, kind) in map.groups.iter().enumerate() {
            let members: Vec<u32> = kind.members.of(9).collect();
            assert_eq!(members.len() as u32, kind.members.size());
            for member in members.into_iter().filter(|member| *member != 9) {
                assert!(map.shared(9, member).contains(&place) && map.shared(member, 9).contains(&place));
            }
        }
        assert_eq!(map.sentence(130), "Rank 130 on node 16: EP 2 of 64, DP 2 of 128, PP 1 of 16.");
        assert_eq!(map.coordinates(130), ["130", "16", "2", "2", "1"]);
        assert_eq!(map.rows(0)[2], ["Pipeline parallel", "16", "0, 128, \u{2026} 1920", "16"]);
    }
}
