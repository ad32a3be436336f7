//! Modules of a layer that can be recomputed on their own.

use serde::{Deserialize, Serialize};

/// A set of modules (Megatron-Core's `recompute_modules`).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct Modules(u8);

impl Modules {
    /// None of them.
    pub const NONE: Self = Self(0);
    /// The attention core: scores, softmax and their product with the values.
    pub const ATTENTION_CORE: Self = Self(1);
    /// The two norms.
    pub const NORMS: Self = Self(2);
    /// The activation between the feed-forward products.
    pub const ACTIVATION: Self = Self(4);
    /// The whole feed-forward part: products, activation, and the experts' likewise.
    pub const FEED_FORWARD: Self = Self(8);
    /// The attention's output projection, and the residual behind it.
    pub const ATTENTION_OUTPUT: Self = Self(16);
    /// Projections up from the latents of multi-head latent attention, with the keys put together and rotated.
    pub const LATENT_UP: Self = Self(32);

    /// Every module's name in links, its name for people, and itself.
    pub const ALL: [(&'static str, &'static str, Self); 6] = [
        ("core", "attention core", Self::ATTENTION_CORE),
        ("norms", "norms", Self::NORMS),
        ("act", "activation", Self::ACTIVATION),
        ("mlp", "feed-forward", Self::FEED_FORWARD),
        ("out", "attention output", Self::ATTENTION_OUTPUT),
        ("mla", "latent projections", Self::LATENT_UP),
    ];

    /// The modules of either set.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether all of another set's modules are in this one.
    pub fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// Whether any of another set's modules is in this one.
    pub fn meets(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// Whether the set is empty.
    pub fn is_empty(self) -> bool {
        self == Self::NONE
    }

    /// The set as a number, and back.
    pub fn bits(self) -> u8 {
        self.0
    }

    /// The set of a number from [`Modules::bits`]; unknown bits are dropped.
    pub fn from_bits(bits: u8) -> Self {
        Self(bits & 63)
    }

    /// Reads names separated by commas or blanks; nothing if one is unknown.
    pub fn parse(text: &str) -> Option<Self> {
        let mut names = text.split([',', ' ', '+']).map(str::trim).filter(|name| !name.is_empty());
        names.try_fold(Self::NONE, |set, name| {
            let known = Self::ALL.iter().find(|entry| entry.0.eq_ignore_ascii_case(name));
            known.map(|entry| set.and(entry.2))
        })
    }

    /// Names of its modules, separated by commas.
    pub fn names(self) -> String {
        let names: Vec<&str> =
            Self::ALL.iter().filter(|entry| self.has(entry.2)).map(|entry| entry.0).collect();
        names.join(",")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_read_as_they_are_written() {
        for bits in 0..64 {
            let set = Modules::from_bits(bits);
            assert_eq!(Modules::parse(&set.names()), Some(set));
            assert_eq!(set.bits(), bits);
        }
        assert_eq!(Modules::parse("Norms act"), Some(Modules::NORMS.and(Modules::ACTIVATION)));
        assert_eq!(Modules::parse("norms,everything"), None);
    }
}
