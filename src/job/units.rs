//! Quantities as types, so that a unit error does not compile.
//!
//! Every quantity wraps one `f64` in its SI base unit (bytes and FLOPs for counts).
//! `Bytes / BytesPerSecond` is `Seconds`, `Flops / FlopsPerSecond` is `Seconds`, and
//! the ratio of two equal quantities is a plain `f64`.

use core::iter::Sum;
use core::ops::{Add, AddAssign, Div, Mul, Sub, SubAssign};
use serde::{Deserialize, Serialize};

macro_rules! quantity {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, Default, PartialEq, PartialOrd, Serialize, Deserialize)]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        #[serde(transparent)]
        pub struct $name(pub f64);

        impl $name {
            /// The zero of this quantity.
            pub const ZERO: Self = Self(0.0);

            /// The larger of two quantities.
            #[must_use]
            pub fn max(self, other: Self) -> Self {
                Self(self.0.max(other.0))
            }

            /// The smaller of two quantities.
            #[must_use]
            pub fn min(self, other: Self) -> Self {
                Self(self.0.min(other.0))
            }
        }

        impl Add for $name {
            type Output = Self;
            fn add(self, rhs: Self) -> Self {
                Self(self.0 + rhs.0)
            }
        }
        impl AddAssign for $name {
            fn add_assign(&mut self, rhs: Self) {
                self.0 += rhs.0;
            }
        }
        impl Sub for $name {
            type Output = Self;
            fn sub(self, rhs: Self) -> Self {
                Self(self.0 - rhs.0)
            }
        }
        impl SubAssign for $name {
            fn sub_assign(&mut self, rhs: Self) {
                self.0 -= rhs.0;
            }
        }
        impl Mul<f64> for $name {
            type Output = Self;
            fn mul(self, rhs: f64) -> Self {
                Self(self.0 * rhs)
            }
        }
        impl Mul<$name> for f64 {
            type Output = $name;
            fn mul(self, rhs: $name) -> $name {
                $name(self * rhs.0)
            }
        }
        impl Div<f64> for $name {
            type Output = Self;
            fn div(self, rhs: f64) -> Self {
                Self(self.0 / rhs)
            }
        }
        impl Div for $name {
            type Output = f64;
            fn div(self, rhs: Self) -> f64 {
                self.0 / rhs.0
            }
        }
        impl Sum for $name {
            fn sum<I: Iterator<Item = Self>>(iter: I) -> Self {
                iter.fold(Self::ZERO, |total, item| total + item)
            }
        }
    };
}

quantity! {
    /// A duration in seconds.
    Seconds
}
quantity! {
    /// An amount of data in bytes.
    Bytes
}
quantity! {
    /// A number of floating-point operations (a multiply-add counts as two).
    Flops
}
quantity! {
    /// A data rate in bytes per second.
    BytesPerSecond
}
quantity! {
    /// A compute rate in floating-point operations per second.
    FlopsPerSecond
}

impl Div<BytesPerSecond> for Bytes {
    type Output = Seconds;
    fn div(self, rate: BytesPerSecond) -> Seconds {
        Seconds(self.0 / rate.0)
    }
}
impl Div<FlopsPerSecond> for Flops {
    type Output = Seconds;
    fn div(self, rate: FlopsPerSecond) -> Seconds {
        Seconds(self.0 / rate.0)
    }
}
impl Div<Seconds> for Flops {
    type Output = FlopsPerSecond;
    fn div(self, time: Seconds) -> FlopsPerSecond {
        FlopsPerSecond(self.0 / time.0)
    }
}
impl Div<Seconds> for Bytes {
    type Output = BytesPerSecond;
    fn div(self, time: Seconds) -> BytesPerSecond {
        BytesPerSecond(self.0 / time.0)
    }
}

impl Seconds {
    /// Seconds in one day.
    pub const DAY: f64 = 86_400.0;

    /// From days.
    pub const fn from_days(days: f64) -> Self {
        Self(days * Self::DAY)
    }

    /// In days.
    pub fn days(self) -> f64 {
        self.0 / Self::DAY
    }
}

impl Bytes {
    /// Bytes in one GiB (2^30).
    pub const GIB: f64 = 1_073_741_824.0;

    /// From gibibytes.
    pub const fn from_gib(gib: f64) -> Self {
        Self(gib * Self::GIB)
    }

    /// In gibibytes.
    pub fn gib(self) -> f64 {
        self.0 / Self::GIB
    }
}

impl BytesPerSecond {
    /// From gigabytes (10^9 bytes) per second.
    pub const fn from_gigabytes(value: f64) -> Self {
        Self(value * 1e9)
    }

    /// From gigabits (10^9 bits) per second, the unit of network ports.
    pub const fn from_gigabits(value: f64) -> Self {
        Self(value * 1e9 / 8.0)
    }
}

impl FlopsPerSecond {
    /// From teraFLOP/s, the unit of data sheets.
    pub const fn from_tera(value: f64) -> Self {
        Self(value * 1e12)
    }

    /// In teraFLOP/s.
    pub fn tera(self) -> f64 {
        self.0 / 1e12
    }
}
