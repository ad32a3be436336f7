//! How likely a job fits: how far public memory peaks are from their forecasts, by class of software.

use super::peak_errors::PEAK_ERRORS;
use crate::index;
use crate::number;
use crate::scenario::stack::{Launch, Software};

/// Probability from which on a job is said to fit when it is run, and a layout is recommended: more likely than not. The measured
/// peaks of a class lie above its median as often as below; higher shares of the table are no better a limit, since many
/// of its largest peaks are of devices with memory to spare, of which an allocator then holds more than the job needs.
pub const LIKELY: f64 = 0.5;

/// Probability from which on a job that fits as counted is said to fit, without more ado.
const SURE: f64 = 0.95;

/// Whether a job fits, as far as that is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FitVerdict {
    /// As good as certainly.
    Fits,
    /// More likely than not.
    ProbablyFits,
    /// As counted, but rather not when it is run.
    Tight,
    /// Not even as counted.
    DoesNotFit,
}

impl FitVerdict {
    /// The verdict on a job that fits as counted or does not, and with this probability when it is run.
    pub fn of(fits: bool, probability: f64) -> Self {
        match fits {
            true if probability >= SURE => Self::Fits,
            true if probability >= LIKELY => Self::ProbablyFits,
            true => Self::Tight,
            false => Self::DoesNotFit,
        }
    }

    /// In a word or two.
    pub fn words(self) -> &'static str {
        match self {
            Self::Fits => "fits",
            Self::ProbablyFits => "probably fits",
            Self::Tight => "tight",
            Self::DoesNotFit => "does not fit",
        }
    }

    /// The same with the probability, where that is not as good as certain.
    pub fn stated(self, probability: f64) -> String {
        match self {
            Self::ProbablyFits | Self::Tight => {
                format!("{} ({})", self.words(), number::percent(probability))
            }
            Self::Fits | Self::DoesNotFit => self.words().to_owned(),
        }
    }
}

/// Classes of software whose peaks are told apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PeakClass {
    /// Gradients in buffers of the program's own: Megatron's descendants, DeepSpeed, JAX.
    Buffers,
    /// PyTorch's FSDP and DDP, where autograd makes gradients, launched operation by operation.
    Autograd,
    /// The same with compiled modules.
    Compiled,
}

impl PeakClass {
    /// Every class, in the order of the table.
    pub const ALL: [Self; 3] = [Self::Buffers, Self::Autograd, Self::Compiled];

    /// The class of a job's software.
    pub fn of(software: &Software) -> Self {
        match (software.profile().makes_gradients, software.launch()) {
            (false, _) => Self::Buffers,
            (true, Launch::Compiled) => Self::Compiled,
            (true, _) => Self::Autograd,
        }
    }

    /// Its name in data/peak_errors.tsv.
    pub fn key(self) -> &'static str {
        match self {
            Self::Buffers => "buffers",
            Self::Autograd => "autograd",
            Self::Compiled => "compiled",
        }
    }

    /// Shares of the class, and the ln(measured / forecast) that each does not exceed.
    fn errors(self) -> &'static [(f64, f64)] {
        PEAK_ERRORS.get(self as usize).map_or(&[], |errors| errors)
    }

    /// Part of the usable memory that the forecast of what is reserved may take at most, so that it fits with at least
    /// this probability: a share of the table; beyond its last one, nothing is that likely.
    pub(super) fn most_reserved(self, probability: f64) -> f64 {
        let row = self.errors().iter().find(|row| row.0 >= probability);
        row.map_or(0.0, |row| libm::exp(-row.1))
    }

    /// Share of public peaks of the class whose ln(measured / forecast) is at most so much; straight between the rows of the
    /// table, and on beyond them until nothing or all is reached.
    pub(super) fn share_within(self, ratio: f64) -> f64 {
        let errors = self.errors();
        let upper = errors.iter().take_while(|row| row.1 < ratio).count().clamp(1, errors.len().max(2) - 1);
        let [(low_share, low), (high_share, high)] =
            [upper - 1, upper].map(|row| index::element(errors, row));
        let apart = (high - low).max(1e-3);
        let share = low_share + (high_share - low_share) * (ratio - low) / apart;
        // Memory without end, or none that is taken, is no number.
        if share.is_nan() { f64::from(u8::from(ratio > 0.0)) } else { share.clamp(0.0, 1.0) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_those_of_the_table_and_end_at_nothing_and_all() {
        for class in PeakClass::ALL {
            let errors = class.errors();
            for (share, ratio) in errors {
                let alike = errors.iter().filter(|row| row.1 == *ratio).count() > 1;
                assert!(alike || (class.share_within(*ratio) - share).abs() < 1e-12, "{class:?} {ratio}");
            }
            assert!(class.share_within(-libm::log(class.most_reserved(LIKELY))) >= LIKELY - 1e-12);
            assert!(class.share_within(-libm::log(1.001 * class.most_reserved(LIKELY))) < LIKELY);
            let odd = [f64::NEG_INFINITY, -1.0, 2.0, f64::INFINITY, f64::NAN]
                .map(|ratio| class.share_within(ratio));
            assert_eq!(odd, [0.0, 0.0, 1.0, 1.0, 0.0]);
        }
    }
}
