//! How sure a comparison of two layouts of one job is.
//!
//! Much of what a forecast gets wrong about a job it gets wrong alike for all its layouts, so that their ratio is surer
//! than either step. Widths are half-widths of intervals of ln(forecast ratio / measured ratio), read off pairs of
//! measured runs of one job (`stepcast validate`, docs/accuracy.md).

use super::Predictor;
use super::interval::UncertaintySources;
use crate::constants::Constants;
use crate::scenario::Scenario;
use crate::scenario::plan::Plan;
use crate::units::Seconds;
use serde::Serialize;

/// How two layouts of a job differ, as far as their comparison is certain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Difference {
    /// Not at all.
    Nothing,
    /// The degrees are the same; the micro-batch, recompute, virtual stages or other settings are not.
    Settings,
    /// Tensor-, context-, pipeline- or expert-parallel degrees differ, or where ranks sit.
    Degrees,
}

impl Difference {
    /// The difference between two layouts.
    pub fn between(a: &Plan, b: &Plan) -> Self {
        let degrees = |plan: &Plan| {
            let Plan { tensor_parallel, context_parallel, pipeline_parallel, mapping, .. } = *plan;
            let experts = (plan.expert_parallel, plan.expert_tensor_parallel);
            (tensor_parallel, context_parallel, pipeline_parallel, experts, mapping)
        };
        if a == b {
            Self::Nothing
        } else if degrees(a) == degrees(b) {
            Self::Settings
        } else {
            Self::Degrees
        }
    }
}

/// Where the measured ratio of two layouts' steps is expected.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct RatioInterval {
    /// Lower end of what holds nine of ten ratios.
    pub low: f64,
    /// Upper end of it.
    pub high: f64,
    /// Lower end of what holds half of them.
    pub half_low: f64,
    /// Upper end of it.
    pub half_high: f64,
}

impl Predictor<'_> {
    /// The intervals around a forecast ratio of two layouts' steps of one job: `job` is the job in one layout, `other` the
    /// other, `ratio` the forecast step of either over that of the other.
    pub fn ratio_interval(&self, job: &Scenario, other: &Plan, ratio: f64) -> RatioInterval {
        let difference = Difference::between(&job.plan, other);
        let (half, most) = ratio_widths(self.constants, self.doubts(job), difference, ratio);
        let (half, most) = (libm::exp(half), libm::exp(most));
        RatioInterval {
            low: ratio / most,
            high: ratio * most,
            half_low: ratio / half,
            half_high: ratio * half,
        }
    }

    /// Lower and upper end of the interval that holds nine of ten measured ratios of two jobs' steps, that of `other` over
    /// that of `job`, each given with its forecast step.
    ///
    /// Layouts of one job err alike ([`Predictor::ratio_interval`]). Of different jobs nothing was measured in pairs:
    /// the widths of both steps add in quadrature, as if they erred apart, which is the wider answer.
    pub fn ratio_of_jobs(&self, job: (&Scenario, Seconds), other: (&Scenario, Seconds)) -> (f64, f64) {
        let ratio = other.1 / job.1;
        if (Scenario { plan: job.0.plan, ..*other.0 }) == *job.0 {
            let interval = self.ratio_interval(job.0, &other.0.plan, ratio);
            return (interval.low, interval.high);
        }
        let [one, two] =
            [job, other].map(|(scenario, step)| self.doubts(scenario).width(self.constants, step));
        let (below, above) = (libm::hypot(one.above, two.below), libm::hypot(one.below, two.above));
        (ratio / libm::exp(below), ratio * libm::exp(above))
    }

    /// The intervals around the ratio of a rival's step to that of the layout that is forecast fastest: `winner` is the job
    /// in that layout, `ratio` the forecast ratio, 1 or more.
    ///
    /// Who picks the least of many forecasts picks one that errs to the fast side, so that its lead shrinks when it is
    /// measured: by `winner_lead_loss`, which moves the whole interval.
    pub fn lead_interval(&self, winner: &Scenario, rival: &Plan, ratio: f64) -> RatioInterval {
        let loss = if *rival == winner.plan { 0.0 } else { self.constants.winner_lead_loss };
        let width = self.ratio_interval(winner, rival, ratio);
        let moved = |end: f64| end * libm::exp(-loss);
        RatioInterval {
            low: moved(width.low),
            high: moved(width.high),
            half_low: moved(width.half_low),
            half_high: moved(width.half_high),
        }
    }
}

/// Half-widths of the intervals that hold half and nine of ten ratios, in units of the ratio's logarithm. Where degrees
/// differ and measured runs say little, they grow with the forecast difference: what a forecast gets wrong there is how
/// much a degree costs.
fn ratio_widths(c: &Constants, doubts: UncertaintySources, difference: Difference, ratio: f64) -> (f64, f64) {
    let apart = libm::log(ratio).abs();
    let (half, most) = match difference {
        Difference::Nothing => return (0.0, 0.0),
        Difference::Degrees if doubts.are_about_degrees() => (c.ratio_half_slope, c.ratio_most_slope),
        Difference::Degrees | Difference::Settings => (0.0, 0.0),
    };
    (libm::hypot(c.ratio_half, half * apart), libm::hypot(c.ratio_most, most * apart))
}
