//! What a stage keeps at once: activations of micro-batches whose backward pass is to come, and tensors of
//! those whose weight gradients are put off. And how many of its passes run two as one.

use crate::schedule::Schedule;

/// The fullest moments of a stage: micro-batches whose activations it keeps, and micro-batches of which only
/// what the weight gradients need is left. Both count whole stages: a micro-batch in one of a stage's two
/// chunks counts half.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct InFlight {
    moments: [(f64, f64); 3],
    /// Micro-batches there are.
    total: f64,
}

impl InFlight {
    /// Most that is held, when one micro-batch's activations take `kept` and what its weight gradients need
    /// takes `put_off`, in any unit.
    pub fn most(&self, kept: f64, put_off: f64) -> f64 {
        let mut most = 0.0_f64;
        for (activations, others) in self.moments {
            let (activations, others) = (activations.min(self.total), others.min(self.total));
            // Where there are too few micro-batches for both, either may come first.
            most = most
                .max(activations * kept + others.min(self.total - activations) * put_off)
                .max(activations.min(self.total - others) * kept + others * put_off);
        }
        most
    }

    /// Most micro-batches whose activations are kept.
    pub fn micro_batches(&self) -> f64 {
        self.most(1.0, 0.0)
    }
}

/// What `stage` of p holds under a schedule, with v virtual stages and m micro-batches.
///
/// - 1F1B: p - i micro-batches on stage i. Interleaved, stage i warms up with 2 (p - i - 1) + (v - 1) p
///   virtual stages and starts one more: on the first stage p (1 + (p - 1) / (p v)) micro-batches (Korthikanti
///   et al. 2022, section 4.2.3).
/// - All forward, all backward: all m.
/// - ZB-H1: p - i and i put off; ZB-H2: 2 (p - i) - 1 and 2 i put off (Qi et al. 2024, table 2 and section 2).
/// - ZB-V: p on every stage (its section 6).
/// - DualPipe: (p + 1) / 2 of the stage's two chunks; DualPipeV: p + 1/2 (DeepSeek-V3, table 2, in chunks).
pub fn in_flight(
    schedule: Schedule,
    stages: u32,
    virtual_stages: u32,
    micro_batches: u32,
    stage: u32,
) -> InFlight {
    let (p, v, i) = (f64::from(stages.max(1)), f64::from(virtual_stages.max(1)), f64::from(stage));
    let behind = (p - 1.0 - i).max(0.0);
    let one = |moment: (f64, f64)| [moment, (0.0, 0.0), (0.0, 0.0)];
    // Between a micro-batch's input gradient and its weight gradient, one less is kept and one more put off.
    let zero_bubble = |reach: f64| {
        let (kept, put_off) = (reach * behind + 1.0, reach * i);
        [(kept, put_off), (kept - 1.0, put_off + 1.0), (0.0, 0.0)]
    };
    let chunks = |moments: [(f64, f64); 3]| moments.map(|(kept, put_off)| (0.5 * kept, 0.5 * put_off));
    let eight_steps = |half: f64, from_end: f64| {
        let drained = ((half - from_end - 1.0).max(0.0), from_end + 1.0);
        chunks([(2.0 * half + 1.0, 0.0), (2.0 * half - 1.0, 1.0), drained])
    };
    let moments = match schedule {
        Schedule::OneForwardOneBackward if v > 1.0 && p > 1.0 => {
            one(((2.0 * behind + (v - 1.0) * p + 1.0) / v, 0.0))
        }
        Schedule::OneForwardOneBackward => one((behind + 1.0, 0.0)),
        Schedule::AllForwardAllBackward => one((f64::from(micro_batches), 0.0)),
        Schedule::ZeroBubbleH1 => zero_bubble(1.0),
        Schedule::ZeroBubbleH2 => zero_bubble(2.0),
        Schedule::ZeroBubbleV => chunks([(2.0 * p, 0.0), (2.0 * p - 1.0, 1.0), (behind, 2.0 * i + 1.0)]),
        Schedule::DualPipe => eight_steps(0.5 * p, i.min(behind)),
        Schedule::DualPipeV => eight_steps(p, i),
    };
    InFlight { moments, total: f64::from(micro_batches) }
}

/// Share of a stage's forward passes that run as one with a backward pass, 0 to 1: in DualPipe's main part both
/// of its chunks, then one.
pub fn paired_share(schedule: Schedule, stages: u32, micro_batches: u32, stage: u32) -> f64 {
    let (half, from_end, each_way) = match schedule {
        Schedule::DualPipe => (stages / 2, stage.min(stages.saturating_sub(1 + stage)), micro_batches / 2),
        Schedule::DualPipeV => (stages, stage, micro_batches),
        _ => return 0.0,
    };
    let behind = half.saturating_sub(from_end + 1);
    let rounds = (each_way + from_end + 1).saturating_sub(2 * half);
    let pairs = (2 * rounds + behind).saturating_sub(u32::from(behind == 0));
    f64::from(pairs) / f64::from((2 * each_way).max(1))
}
