//! Uncertainty of a comparison of two layouts of one job.
//!
//! Many forecast errors are common to all layouts of a job, so their ratio is more certain than either step. Widths are
//! half-widths of intervals of ln(forecast ratio / measured ratio), from pairs of measured runs of one job (`stepcast
//! validate`, docs/accuracy.md).

use super::Predictor;
use super::interval::UncertaintySources;
use crate::constants::Constants;
use crate::scenario::Scenario;
use crate::scenario::plan::Plan;
use crate::units::Seconds;
use serde::Serialize;

/// How two layouts of a job differ, as far as it affects their comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Difference {
    /// Not at all.
    Nothing,
    /// The degrees are the same; the micro-batch, recompute, virtual stages or other settings are not.
    Settings,
    /// Tensor-, context-, pipeline- or expert-parallel degrees differ, or the rank placement.
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

/// Expected range of the measured ratio of two layouts' steps.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct RatioInterval {
    /// Lower end of the 90 % range.
    pub low: f64,
    /// Upper end of the 90 % range.
    pub high: f64,
    /// Lower end of the 50 % interval.
    pub half_low: f64,
    /// Upper end of the 50 % interval.
    pub half_high: f64,
}

impl Predictor<'_> {
    /// The intervals around a forecast ratio of two layouts' steps of one job: `job` is the job in one layout, `other`
    /// the other layout, `ratio` the forecast step of one over the other's.
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

    /// The 90 % interval of the measured ratio of two jobs' steps, `other` over `job`, each given with its forecast
    /// step.
    ///
    /// Layouts of one job have common errors ([`Predictor::ratio_interval`]). Different jobs were not measured in
    /// pairs: the widths of both steps add in quadrature, as for independent errors, which is the wider answer.
    pub fn ratio_of_jobs(&self, job: (&Scenario, Seconds), other: (&Scenario, Seconds)) -> (f64, f64) {
        let ratio = other.1 / job.1;
        if (Scenario { plan: job.0.plan, ..*other.0 }) == *job.0 {
            let interval = self.ratio_interval(job.0, &other.0.plan, ratio);
            return (interval.low, interval.high);
        }
        let [one, two] = [job, other].map(|(scenario, step)| self.width(scenario, step));
        let (below, above) = (libm::hypot(one.above, two.below), libm::hypot(one.below, two.above));
        (ratio / libm::exp(below), ratio * libm::exp(above))
    }

    /// The intervals around the ratio of a rival's step to the forecast fastest layout's: `winner` is the job in that
    /// layout, `ratio` the forecast ratio, at least 1.
    ///
    /// The least of many forecasts tends to err to the fast side, so its lead shrinks when measured: by
    /// `winner_lead_loss`, which shifts the whole interval.
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

/// Half-widths of the 50 % and 90 % intervals of the log ratio. If degrees differ and few measured runs cover them,
/// they grow with the forecast difference: the likely error is in the cost of a degree.
fn ratio_widths(c: &Constants, doubts: UncertaintySources, difference: Difference, ratio: f64) -> (f64, f64) {
    let apart = libm::log(ratio).abs();
    let (half, most) = match difference {
        Difference::Nothing => return (0.0, 0.0),
        Difference::Degrees if doubts.are_about_degrees() => (c.ratio_half_slope, c.ratio_most_slope),
        Difference::Degrees | Difference::Settings => (0.0, 0.0),
    };
    (libm::hypot(c.ratio_half, half * apart), libm::hypot(c.ratio_most, most * apart))
}
