//! Profiles: what was learned on one machine, in compact form.

use super::amounts::{Amounts, Direction};
use super::hybrid::Hybrid;
use super::operator::{OperatorWorkload, SampledKind, SampledOperator};
use super::physics::Physics;
use crate::constants::Constants;
use crate::cost::Provenance;
use crate::scenario::cluster::Cluster;
use crc::{CRC_32_ISO_HDLC, Crc, NoTable};
use serde::{Deserialize, Serialize};

/// Version of the format: a version byte, the profile, and a checksum of both. Version 1 had no checksum.
const VERSION: u8 = 2;

/// Largest accepted profile, bytes: a hundred times the largest shipped one.
pub const MOST_BYTES: usize = 6 << 20;

/// Checksum of everything before it, lowest byte first.
const CHECKSUM: Crc<u32, NoTable> = Crc::<u32, NoTable>::new(&CRC_32_ISO_HDLC);

/// One learned operator and pass.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LearnedOperator {
    /// Operator that the samples were pooled under ([`OperatorWorkload::pooled`]).
    pub operator: SampledOperator,
    /// The model of the operator's time.
    pub hybrid: Hybrid,
    /// Samples it was learned from.
    pub samples: u32,
    /// Mean |error| on unseen samples, a ratio.
    pub error: f32,
}

impl LearnedOperator {
    /// Whether its times are finite.
    fn is_sound(&self) -> bool {
        self.error.is_finite()
            && self.hybrid.physics.is_sound(self.operator.kind())
            && self.hybrid.range.is_sound()
            && self.hybrid.correction.is_sound()
    }
}

/// A profile of one machine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Profile {
    /// Name in links and on the command line.
    pub name: String,
    /// What was measured, where, and by whom.
    pub source: String,
    /// Name of the machine ([`crate::scenario::cluster::presets::CLUSTERS`]) that the samples were taken on.
    pub machine: String,
    /// All learned operators, sorted by operator, pass, and whether they cross nodes.
    pub sets: Vec<LearnedOperator>,
}

/// A time and its basis.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Time {
    /// Seconds of one call.
    pub seconds: f64,
    /// Its basis.
    pub provenance: Provenance,
}

impl Profile {
    /// Reads a profile.
    ///
    /// # Errors
    /// A sentence, if the bytes are not a profile of this version, or were modified.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, String> {
        let damaged = |why: &str| format!("This is not a complete profile: {why}.");
        match bytes.first() {
            _ if bytes.len() > MOST_BYTES => return Err("The file is too large for a profile.".to_owned()),
            None => return Err("The profile is empty.".to_owned()),
            Some(&VERSION) => {}
            Some(1) => {
                return Err(format!(
                    "Profiles of version 1 are no longer supported. Create the profile again from its samples (version {VERSION})."
                ));
            }
            Some(version) => {
                return Err(format!(
                    "Profile version {version} is not supported. This program supports version {VERSION}."
                ));
            }
        }
        let (written, checksum) = bytes.split_last_chunk().ok_or_else(|| damaged("it is too short"))?;
        if CHECKSUM.checksum(written) != u32::from_le_bytes(*checksum) {
            return Err(damaged("the checksum is wrong"));
        }
        let content = written.get(1..).unwrap_or_default();
        let (profile, rest) =
            postcard::take_from_bytes::<Self>(content).map_err(|error| damaged(&error.to_string()))?;
        match rest.is_empty() && profile.sets.iter().all(LearnedOperator::is_sound) {
            true => Ok(profile),
            false => Err(damaged("it has invalid values")),
        }
    }

    /// Writes a profile.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = vec![VERSION];
        // Serialising types without unsized parts to memory cannot fail.
        bytes.extend(postcard::to_allocvec(self).unwrap_or_default());
        bytes.extend(CHECKSUM.checksum(&bytes).to_le_bytes());
        bytes
    }

    /// Whether it covers a whole step: products, attention, norms and the loss, in both passes.
    pub fn makes_steps(&self) -> bool {
        let has = |operator: SampledOperator, direction| {
            self.sets.iter().any(|set| set.operator == operator && set.hybrid.direction == direction)
        };
        let passes = [Direction::Forward, Direction::Backward];
        let both = [
            SampledOperator::Gemm,
            SampledOperator::RmsNorm,
            SampledOperator::LayerNorm,
            SampledOperator::CrossEntropy,
        ];
        both.into_iter().all(|operator| passes.into_iter().all(|direction| has(operator, direction)))
            && has(SampledOperator::FlashAttention, Direction::Forward)
    }

    /// The learned set of a workload's operator and pass.
    pub fn find(&self, workload: &OperatorWorkload, direction: Direction) -> Option<&LearnedOperator> {
        let across = |sizes: f64| sizes > 1.0;
        self.sets.iter().find(|set| {
            set.operator == workload.operator
                && set.hybrid.direction == direction
                && (workload.operator.kind() != SampledKind::Link
                    || across(workload.sizes[1]) == across(f64::from(set.hybrid.range.sizes[1].1)))
        })
    }

    /// Time of one call: learned; if only the forward pass was learned, scaled by the backward pass's work; else from
    /// the data sheet.
    pub fn time(
        &self,
        workload: &OperatorWorkload,
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

/// Backward over forward time of an operator without a measured backward pass.
fn longer_backward(workload: &OperatorWorkload, constants: &Constants) -> f64 {
    match workload.operator.kind() {
        SampledKind::Attention => constants.attention_backward_ratio,
        _ => {
            let work = |direction| Amounts::new(workload, direction).work();
            work(Direction::Backward) / work(Direction::Forward).max(f64::MIN_POSITIVE)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{CHECKSUM, Profile, VERSION};
    use proptest::prelude::*;

    const SHIPPED: &[u8] = include_bytes!("../../../static/profiles/h100.profile");

    /// A profile without a checksum, with its checksum added.
    fn sealed(bytes: &[u8]) -> Vec<u8> {
        [bytes, &CHECKSUM.checksum(bytes).to_le_bytes()].concat()
    }

    #[test]
    fn what_is_no_profile_is_refused_in_words() {
        assert!(Profile::from_bytes(&[]).is_err());
        assert!(Profile::from_bytes(&[9, 1, 2]).is_err_and(|error| error.contains("version 9")));
        assert!(
            Profile::from_bytes(&[1, 1, 2]).is_err_and(|error| error.contains("Create the profile again"))
        );
        assert!(Profile::from_bytes(&[VERSION, 2]).is_err_and(|error| error.contains("too short")));
        assert!(Profile::from_bytes(&sealed(&[VERSION, 200, 200, 200])).is_err());
        let longer = sealed(&[&SHIPPED[..SHIPPED.len() - 4], &[0]].concat());
        assert!(Profile::from_bytes(&longer).is_err());
    }

    #[test]
    fn times_that_are_no_numbers_are_refused() {
        let shipped = Profile::from_bytes(SHIPPED).expect("a profile");
        assert_eq!(Profile::from_bytes(&shipped.to_bytes()).as_ref(), Ok(&shipped));
        for value in [f32::NAN, f32::INFINITY, 0.0, -1.0] {
            let mut broken = shipped.clone();
            broken.sets[0].hybrid.physics.parameters[0] = value;
            assert!(Profile::from_bytes(&broken.to_bytes()).is_err(), "{value}");
        }
        let mut broken = shipped;
        broken.sets[0].hybrid.physics.sms = 0;
        assert!(Profile::from_bytes(&broken.to_bytes()).is_err());
    }

    proptest! {
        #[test]
        fn no_flipped_bit_goes_unnoticed(place in 0..SHIPPED.len(), bit in 0..8) {
            let mut bytes = SHIPPED.to_vec();
            bytes[place] ^= 1_u8 << bit;
            prop_assert!(Profile::from_bytes(&bytes).is_err());
        }

        #[test]
        fn no_bytes_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            let _ = Profile::from_bytes(&bytes);
            let _ = Profile::from_bytes(&sealed(&[&[VERSION], &bytes[..]].concat()));
        }
    }
}
