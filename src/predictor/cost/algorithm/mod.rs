//! Collectives and their algorithms: what a rank sends, and to whom.
//!
//! A rank's messages and the communication matrix use the algorithm that the reader selects; the price of a collective
//! (`cost/collective.rs`) uses the one that runs it.

mod tree;

use serde::Serialize;

/// A communication pattern of a group of ranks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Collective {
    /// Every rank ends with the sum.
    AllReduce,
    /// Every rank ends with all shards.
    AllGather,
    /// Every rank ends with its shard of the sum.
    ReduceScatter,
    /// Every rank sends every other an equal share of its tensor.
    AllToAll,
    /// One rank sends to one other.
    PointToPoint,
}

impl Collective {
    /// Every pattern, in reading order.
    pub const ALL: [Self; 5] =
        [Self::AllReduce, Self::AllGather, Self::ReduceScatter, Self::AllToAll, Self::PointToPoint];

    /// Name of the pattern for people, as a list of messages writes it.
    pub const fn label(self) -> &'static str {
        match self {
            Self::AllReduce => "all-reduce",
            Self::AllGather => "all-gather",
            Self::ReduceScatter => "reduce-scatter",
            Self::AllToAll => "all-to-all",
            Self::PointToPoint => "send or receive",
        }
    }

    /// Passes of the whole tensor around a ring: an all-reduce is a reduce-scatter and an all-gather.
    pub(super) const fn phases(self) -> f64 {
        match self {
            Self::AllReduce => 2.0,
            Self::AllGather | Self::ReduceScatter | Self::AllToAll | Self::PointToPoint => 1.0,
        }
    }
}

/// All-reduce algorithm on the wire. All-gather and reduce-scatter always use rings.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Algorithm {
    /// Every rank sends `2 (k-1)/k` of the tensor to its successor.
    #[default]
    Ring,
    /// NCCL's double binary tree: half of the tensor up and down each of two trees.
    Tree,
    /// The switch adds up (NVLS): each rank reads the sum of a share that all others hand to the switch, and writes it back to all.
    #[serde(rename = "in-switch")]
    InSwitch,
}

impl Algorithm {
    /// Every algorithm, in reading order.
    pub const ALL: [Self; 3] = [Self::Ring, Self::Tree, Self::InSwitch];

    /// Name in links and options.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ring => "ring",
            Self::Tree => "tree",
            Self::InSwitch => "in-switch",
        }
    }

    /// Name for people.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Ring => "Ring",
            Self::Tree => "Double binary tree",
            Self::InSwitch => "In-switch reduction (NVLS)",
        }
    }

    /// The algorithm of a name, if there is one.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|algorithm| algorithm.name() == name)
    }

    /// Bytes that a rank sends in one call, as the mean over the group's `ranks`, where `bytes` is the size of the
    /// whole tensor (one rank's tensor for an all-to-all, the message for a transfer).
    pub fn sent(self, kind: Collective, bytes: f64, ranks: f64) -> f64 {
        match kind {
            Collective::PointToPoint => bytes,
            Collective::AllGather | Collective::ReduceScatter | Collective::AllToAll => {
                bytes * (ranks - 1.0) / ranks
            }
            Collective::AllReduce => match self {
                // Two trees of k-1 edges, each with half of the tensor up and down; or one share to and one from every
                // other rank: as many bytes as two rounds.
                Self::Ring | Self::Tree | Self::InSwitch => kind.phases() * bytes * (ranks - 1.0) / ranks,
            },
        }
    }

    /// Calls `visit` with every rank that the rank at `position` in a group of `size` sends to in one call (or receives
    /// from, if `outgoing` is false): its position and the share of the tensor's bytes. A single rank sends nothing.
    pub fn each_peer(
        self,
        kind: Collective,
        size: u32,
        position: u32,
        outgoing: bool,
        visit: &mut impl FnMut(u32, f64),
    ) {
        if size < 2 {
            return;
        }
        let ranks = f64::from(size);
        let neighbour = (position + if outgoing { 1 } else { size - 1 }) % size;
        match (kind, self) {
            (Collective::AllToAll, _) => {
                (0..size).filter(|peer| *peer != position).for_each(|peer| visit(peer, 1.0 / ranks));
            }
            (Collective::AllReduce, Self::Tree) => {
                tree::neighbours(size, position).for_each(|peer| visit(peer, 0.5));
            }
            (Collective::AllReduce, Self::InSwitch) => {
                let share = kind.phases() / ranks;
                (0..size).filter(|peer| *peer != position).for_each(|peer| visit(peer, share));
            }
            (Collective::AllReduce, Self::Ring)
            | (Collective::AllGather | Collective::ReduceScatter | Collective::PointToPoint, _) => {
                visit(neighbour, self.sent(kind, 1.0, ranks));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Shares by sender and receiver, from the senders' or the receivers' view.
    fn shares(algorithm: Algorithm, kind: Collective, size: u32, outgoing: bool) -> Vec<Vec<f64>> {
        let mut table = vec![vec![0.0; size as usize]; size as usize];
        for rank in 0..size {
            algorithm.each_peer(kind, size, rank, outgoing, &mut |peer, share| {
                let (from, to) = if outgoing { (rank, peer) } else { (peer, rank) };
                table[from as usize][to as usize] += share;
            });
        }
        table
    }

    #[test]
    fn what_is_sent_to_peers_is_what_a_rank_sends() {
        for algorithm in Algorithm::ALL {
            for (kind, size) in
                Collective::ALL.into_iter().flat_map(|kind| (2..40).map(move |size| (kind, size)))
            {
                let table = shares(algorithm, kind, size, true);
                let mean = table.iter().flatten().sum::<f64>() / f64::from(size);
                let expected = algorithm.sent(kind, 1.0, f64::from(size));
                assert!((mean - expected).abs() < 1e-12, "{algorithm:?} {kind:?} of {size}: {mean}");
                assert_eq!(table, shares(algorithm, kind, size, false), "{algorithm:?} {kind:?} of {size}");
                assert!((0..size as usize).all(|rank| table[rank][rank] == 0.0));
            }
        }
    }

    #[test]
    fn every_rank_gets_what_it_lacks() {
        // A rank must receive at least the other ranks' shards, and for a sum also send its own.
        for algorithm in Algorithm::ALL {
            for size in 2..40_u32 {
                let rest = f64::from(size - 1) / f64::from(size);
                for kind in [Collective::AllGather, Collective::ReduceScatter, Collective::AllToAll] {
                    assert!((algorithm.sent(kind, 1.0, f64::from(size)) - rest).abs() < 1e-12);
                }
                let sum = algorithm.sent(Collective::AllReduce, 1.0, f64::from(size));
                assert!((sum - 2.0 * rest).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn nobody_sends_alone() {
        for kind in Collective::ALL {
            Algorithm::Ring.each_peer(kind, 1, 0, true, &mut |_, _| panic!("{kind:?}"));
        }
    }
}
