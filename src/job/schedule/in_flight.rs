//! What a stage keeps at once: activations of micro-batches before their backward pass, and tensors of those with
//! deferred weight gradients. Also the share of its forward-backward pairs.

use super::Schedule;
use super::description::Seat;

/// Micro-batches kept and deferred at up to three moments.
pub(super) type Moments = [(f64, f64); 3];

/// Candidates for a stage's peak: micro-batches with all activations kept, and micro-batches with only what the weight
/// gradients need. Both count whole stages: a micro-batch in one of a stage's two chunks counts half.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct InFlight {
    moments: Moments,
    /// Number of micro-batches.
    total: f64,
}

impl InFlight {
    /// Largest amount held, if one micro-batch's activations take `kept` and what its weight gradients need takes
    /// `deferred`, in any unit.
    pub fn most(&self, kept: f64, deferred: f64) -> f64 {
        let (activations, others) = self.fullest(kept, deferred);
        activations * kept + others * deferred
    }

    /// Micro-batches kept and deferred at that moment.
    pub fn fullest(&self, kept: f64, deferred: f64) -> (f64, f64) {
        let held = |moment: (f64, f64)| moment.0 * kept + moment.1 * deferred;
        let mut most = (0.0, 0.0);
        for (activations, others) in self.moments {
            let (activations, others) = (activations.min(self.total), others.min(self.total));
            // With too few micro-batches for both, either may come first.
            let orders = [
                (activations, others.min(self.total - activations)),
                (activations.min(self.total - others), others),
            ];
            for moment in orders {
                if held(moment) > held(most) {
                    most = moment;
                }
            }
        }
        most
    }

    /// Most micro-batches whose activations are kept.
    pub fn micro_batches(&self) -> f64 {
        self.most(1.0, 0.0)
    }
}

/// A stage with a single candidate.
pub(super) fn one_moment(moment: (f64, f64)) -> Moments {
    [moment, (0.0, 0.0), (0.0, 0.0)]
}

/// Candidates counted in chunks, on a stage of two.
pub(super) fn in_chunks(moments: Moments) -> Moments {
    moments.map(|(kept, deferred)| (0.5 * kept, 0.5 * deferred))
}

/// What `stage` of p holds under a schedule, with v virtual stages and m micro-batches; each schedule's file cites its
/// peak.
pub fn in_flight(
    schedule: Schedule,
    stages: u32,
    virtual_stages: u32,
    micro_batches: u32,
    stage: u32,
) -> InFlight {
    let moments = (schedule.row().in_flight)(&Seat { stages, virtual_stages, micro_batches, stage });
    InFlight { moments, total: f64::from(micro_batches) }
}

/// Share of a stage's forward passes that are paired with a backward pass, 0 to 1.
pub fn paired_share(schedule: Schedule, stages: u32, micro_batches: u32, stage: u32) -> f64 {
    let seat = Seat { stages, virtual_stages: 1, micro_batches, stage };
    schedule.row().paired_share.map_or(0.0, |share| share(&seat))
}
