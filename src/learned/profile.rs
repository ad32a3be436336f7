//! Profiles: what was learned of one machine, in few bytes.

use super::amounts::{Amounts, Direction};
use super::hybrid::Hybrid;
use super::operator::{Operator, OperatorKind, Workload};
use super::physics::Physics;
use crate::constants::Constants;
use crate::cost::Provenance;
use crate::scenario::cluster::Cluster;
use serde::{Deserialize, Serialize};

/// Version of the format.
const VERSION: u8 = 1;

/// One operator and pass, learned.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LearnedOperator {
    /// Operator that the samples were pooled under ([`Workload::pooled`]).
    pub operator: Operator,
    /// The model of the operator's time.
    pub hybrid: Hybrid,
    /// Samples it was learned from.
    pub samples: u32,
    /// Mean |error| on samples it had not seen, a ratio.
    pub error: f32,
}

/// What was learned of one machine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Profile {
    /// Name in links and on the command line.
    pub name: String,
    /// What was measured, where, by whom.
    pub source: String,
    /// Name of the machine ([`crate::scenario::cluster::presets::CLUSTERS`]) that the samples were taken on.
    pub machine: String,
    /// Everything learned, sorted by operator, pass, and whether nodes are crossed.
    pub sets: Vec<LearnedOperator>,
}

/// A time and what it rests on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Time {
    /// Seconds of one call.
    pub seconds: f64,
    /// What they rest on.
    pub provenance: Provenance,
}

impl Profile {
    /// Reads a profile.
    ///
    /// # Errors
    /// A sentence, when the bytes are no profile of this version.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, String> {
        match bytes.split_first() {
            Some((&VERSION, rest)) => {
                postcard::from_bytes(rest).map_err(|error| format!("This is no complete profile: {error}."))
            }
            Some((version, _)) => {
                Err(format!("Profiles of version {version} cannot be read; this program reads {VERSION}."))
            }
            None => Err("The profile is empty.".to_owned()),
        }
    }

    /// Writes a profile.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = vec![VERSION];
        // Writing to memory what has no unsized parts cannot fail.
        bytes.extend(postcard::to_allocvec(self).unwrap_or_default());
        bytes
    }

    /// Whether it holds what a whole step is made of: products, attention, norms and the loss, in both passes.
    pub fn makes_steps(&self) -> bool {
        let has = |operator: Operator, direction| {
            self.sets.iter().any(|set| set.operator == operator && set.hybrid.direction == direction)
        };
        let passes = [Direction::Forward, Direction::Backward];
        let both = [Operator::Gemm, Operator::RmsNorm, Operator::LayerNorm, Operator::CrossEntropy];
        both.into_iter().all(|operator| passes.into_iter().all(|direction| has(operator, direction)))
            && has(Operator::FlashAttention, Direction::Forward)
    }

    /// What was learned of a workload's operator and pass.
    pub fn find(&self, workload: &Workload, direction: Direction) -> Option<&LearnedOperator> {
        let across = |sizes: f64| sizes > 1.0;
        self.sets.iter().find(|set| {
            set.operator == workload.operator
                && set.hybrid.direction == direction
                && (workload.operator.kind() != OperatorKind::Link
                    || across(workload.sizes[1]) == across(f64::from(set.hybrid.range.sizes[1].1)))
        })
    }

    /// Time of one call: as learned; where only the forward pass was, as much longer as the backward's work is; where
    /// nothing was, what the data sheet says.
    pub fn time(
        &self,
        workload: &Workload,
        direction: Direction,
        cluster: &Cluster,
        constants: &Constants,
    ) -> Time {
        let workload = workload.pooled();
        if let Some(set) = self.find(&workload, direction) {
            return Time {
                seconds: set.hybrid.time(&workload),
                provenance: set.hybrid.provenance(&workload),
            };
        }
        let forward = self.find(&workload, Direction::Forward).filter(|_| direction == Direction::Backward);
        let seconds = match forward {
            Some(set) => set.hybrid.time(&workload) * longer_backward(&workload, constants),
            None => Physics::of_data_sheet(&workload, cluster).time(&workload, direction),
        };
        Time { seconds, provenance: Provenance::Default }
    }
}

/// Backward over forward time of an operator whose backward pass was not measured.
fn longer_backward(workload: &Workload, constants: &Constants) -> f64 {
    match workload.operator.kind() {
        OperatorKind::Attention => constants.attention_backward_ratio,
        _ => {
            let work = |direction| Amounts::new(workload, direction).work();
            work(Direction::Backward) / work(Direction::Forward).max(f64::MIN_POSITIVE)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Profile;

    #[test]
    fn what_is_no_profile_is_refused_in_words() {
        assert!(Profile::from_bytes(&[]).is_err());
        assert!(Profile::from_bytes(&[9, 1, 2]).is_err_and(|error| error.contains("version 9")));
        assert!(Profile::from_bytes(&[1, 200, 200, 200]).is_err());
    }
}
