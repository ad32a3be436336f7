//! What the table of constants becomes: a struct with a field each, and the list of them.

use super::{Constant, Constants, Evidence, REGISTRY};

/// Constants with documentation, value, unit, evidence, benchmark and source.
macro_rules! constants {
    ($(
        $(#[doc = $doc:literal])+
        $name:ident = $value:literal, $unit:literal, $evidence:expr, $benchmark:expr, $source:literal;
    )+) => {
        /// Values of all constants. [`Constants::default`] is the shipped calibration.
        #[derive(Debug, Clone, Copy, PartialEq)]
        pub struct Constants {
            $($(#[doc = $doc])+ pub $name: f64,)+
        }

        impl Constants {
            /// The shipped calibration.
            pub const SHIPPED: Self = Self { $($name: $value,)+ };
        }

        impl Default for Constants {
            fn default() -> Self {
                Self::SHIPPED
            }
        }

        /// Every constant with its unit, evidence and source.
        pub static REGISTRY: &[Constant] = &[
            $(Constant {
                name: stringify!($name),
                value: $value,
                unit: $unit,
                evidence: $evidence,
                benchmark: $benchmark,
                source: $source,
                get: |constants| constants.$name,
                set: |constants, value| constants.$name = value,
            },)+
        ];

        /// What each constant of [`REGISTRY`] is, in a sentence, in the same order.
        pub static DESCRIPTIONS: &[&str] = &[$(concat!($($doc),+),)+];
    };
}

pub(super) use constants;

impl Constants {
    /// Entries of [`REGISTRY`] that were fitted to whole runs.
    pub fn fitted() -> impl Iterator<Item = &'static Constant> {
        REGISTRY.iter().filter(|entry| matches!(entry.evidence, Evidence::Fitted { .. }))
    }
}
