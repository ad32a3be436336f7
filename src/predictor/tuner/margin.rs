//! What a layout has to leave free of the memory to be recommended.

use super::ranking::Candidate;
use crate::memory::LIKELY;
use crate::number;

/// What a comfortable layout leaves free.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Margin {
    /// As much as makes the job likely to fit: with a probability of at least [`LIKELY`].
    #[default]
    Likely,
    /// This share of the usable memory, by the forecast of the peak.
    Share(f64),
}

impl Margin {
    /// A margin in percent of the usable memory; where there is none, a probability decides.
    pub fn of_percent(percent: Option<f64>) -> Self {
        percent.map_or(Self::Likely, |percent| Self::Share(percent / 100.0))
    }

    /// Percent of the usable memory; nothing where a probability decides.
    pub fn percent(self) -> Option<f64> {
        match self {
            Self::Likely => None,
            Self::Share(share) => Some(share * 100.0),
        }
    }

    /// Whether a layout leaves it that leaves this share of the usable memory free, and fits with this probability.
    pub fn is_left(self, room: f64, fit_probability: f64) -> bool {
        match self {
            Self::Likely => fit_probability >= LIKELY,
            Self::Share(share) => room >= share,
        }
    }

    /// What a recommended layout has of it, in a sentence.
    pub fn sentence(self, recommended: &Candidate) -> String {
        let likely = number::percent(recommended.fit_probability);
        match (recommended.is_comfortable(self), self) {
            (true, Self::Likely) => format!("It fits with a probability of {likely}."),
            (true, Self::Share(_)) => format!("It fits with {} and a probability of {likely}.", self.words()),
            (false, _) => {
                format!(
                    "No layout has {}. The forecast peak of this layout fits; the fit probability is {likely}.",
                    self.words()
                )
            }
        }
    }

    /// The margin in words, as what a layout has.
    pub fn words(self) -> String {
        match self {
            Self::Likely => format!("a fit probability of at least {}", stated(LIKELY)),
            Self::Share(share) => format!("{} memory headroom", stated(share)),
        }
    }
}
/// A share that was stated, in percent without zeros at its end.
fn stated(share: f64) -> String {
    let percent = number::fixed(100.0 * share, 1);
    format!("{}\u{a0}%", percent.strip_suffix(".0").unwrap_or(&percent))
}
