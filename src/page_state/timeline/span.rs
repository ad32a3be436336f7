//! The visible part of the time axis.

use crate::decimal;

/// Key of the view state: the visible part of the time axis ([`Span::text`]).
pub const SPAN: &str = "time";

/// Narrowest span, as a share of the whole: one pass of a long step still fills the drawing.
const NARROWEST: f64 = 1e-5;

/// Decimals of a span as text.
const DECIMALS: usize = 6;

/// A part of the time axis, in shares of the whole: `0 <= from < to <= 1`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Span {
    /// Where it begins.
    pub from: f64,
    /// Where it ends.
    pub to: f64,
}

impl Span {
    /// All of it.
    pub const WHOLE: Self = Self { from: 0.0, to: 1.0 };

    /// Reads `from_to`.
    pub fn parse(text: &str) -> Option<Self> {
        let (from, to) = text.split_once('_')?;
        let (from, to) = (decimal::parse(from)?, decimal::parse(to)?);
        let legal = from >= 0.0 && to <= 1.0 && to - from >= NARROWEST * 0.5;
        legal.then_some(Self { from, to })
    }

    /// The text that [`Span::parse`] reads.
    pub fn text(self) -> String {
        let short = |share: f64| {
            let text = format!("{share:.DECIMALS$}");
            text.trim_end_matches('0').trim_end_matches('.').to_owned()
        };
        format!("{}_{}", short(self.from), short(self.to))
    }

    /// The width of the span, a share of the whole axis.
    pub fn width(self) -> f64 {
        self.to - self.from
    }

    /// Scaled by a factor, with the point at `at` (0 is its left end, 1 its right) fixed.
    #[must_use]
    pub fn scaled(self, factor: f64, at: f64) -> Self {
        let width = (self.width() * factor).clamp(NARROWEST, 1.0);
        let fixed = self.from + at.clamp(0.0, 1.0) * self.width();
        Self::placed(fixed - at.clamp(0.0, 1.0) * width, width)
    }

    /// Moved to the right by this many of its widths.
    #[must_use]
    pub fn moved(self, widths: f64) -> Self {
        Self::placed(self.from + widths * self.width(), self.width())
    }

    /// Moved as little as needed to show a share of the whole.
    #[must_use]
    pub fn showing(self, from: f64, to: f64) -> Self {
        if from >= self.from && to <= self.to {
            self
        } else {
            Self::placed(0.5 * (from + to) - 0.5 * self.width(), self.width())
        }
    }

    fn placed(from: f64, width: f64) -> Self {
        let from = from.clamp(0.0, 1.0 - width);
        Self { from, to: (from + width).min(1.0) }
    }
}
