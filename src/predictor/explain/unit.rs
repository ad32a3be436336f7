//! Units of an explanation's numbers, and their formatting.

use crate::number;
use crate::units::{Bytes, Flops, Seconds};
use serde::Serialize;

/// Unit of a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Unit {
    /// A plain number: a count or a factor.
    Number,
    /// A large count, in thousands, millions and so on.
    Count,
    /// A share of a whole, 0 to 1.
    Share,
    /// Seconds.
    Seconds,
    /// Bytes of memory, shown in binary units.
    Memory,
    /// Bytes moved, shown in decimal units.
    Bytes,
    /// Bytes per second.
    BytesPerSecond,
    /// Floating-point operations.
    Flops,
    /// Floating-point operations per second.
    FlopsPerSecond,
    /// Tokens per second.
    TokensPerSecond,
    /// Hours of a GPU.
    GpuHours,
    /// US dollars.
    Dollars,
    /// Kilowatt-hours.
    KilowattHours,
    /// Kilograms.
    Kilograms,
    /// Watts.
    Watts,
    /// US dollars per GPU and hour.
    DollarsPerHour,
    /// Grams of carbon dioxide per kilowatt-hour.
    GramsPerKilowattHour,
    /// Bytes per parameter or score.
    BytesEach,
}

impl Unit {
    /// A value for people.
    pub fn shown(self, value: f64) -> String {
        let with = |unit: &str| format!("{}\u{a0}{unit}", number::count(value));
        match self {
            Self::Number if value.abs() >= 1e6 => number::count(value).to_string(),
            Self::Number if value == value.round() => number::fixed(value, 0),
            Self::Number => number::significant(value, 3),
            Self::Count => number::count(value).to_string(),
            Self::Share => number::percent(value).to_string(),
            Self::Seconds => number::time(Seconds(value)).to_string(),
            Self::Memory => number::memory(Bytes(value)).to_string(),
            Self::Bytes => number::traffic(Bytes(value)).to_string(),
            Self::BytesPerSecond => format!("{}/s", number::traffic(Bytes(value))),
            Self::Flops => number::flops(Flops(value)).to_string(),
            Self::FlopsPerSecond => format!("{}/s", number::flops(Flops(value))),
            Self::TokensPerSecond => with("tokens/s"),
            Self::GpuHours => with("GPU-hours"),
            Self::Dollars => with("USD"),
            Self::KilowattHours => thousands(value, ["kWh", "MWh", "GWh"]),
            Self::Kilograms => thousands(value, ["kg", "t", "kt"]),
            Self::Watts => format!("{}\u{a0}W", number::significant(value, 3)),
            Self::DollarsPerHour => format!("{}\u{a0}USD/h", number::fixed(value, 2)),
            Self::GramsPerKilowattHour => format!("{}\u{a0}g/kWh", number::significant(value, 3)),
            Self::BytesEach => format!("{}\u{a0}B", number::significant(value, 3)),
        }
    }
}

/// A value in the first of three units, each a thousand of the one before, that makes it less than a thousand.
fn thousands(value: f64, units: [&str; 3]) -> String {
    let [one, thousand, million] = units;
    let (size, unit) = match value.abs() {
        size if size < 1e3 => (1.0, one),
        size if size < 1e6 => (1e3, thousand),
        _ => (1e6, million),
    };
    format!("{}\u{a0}{unit}", number::significant(value / size, 3))
}
