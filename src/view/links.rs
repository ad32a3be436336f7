//! What the links of a stage do through a step, summed for people.

use crate::traffic::{Activity, Shape};
use crate::units::{Bytes, Seconds};

/// What the ranks of a stage did in a step, summed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Done {
    /// What.
    pub label: &'static str,
    /// For how long.
    pub time: Seconds,
    /// The same over the step; those of transfers come on top of the whole.
    pub share: f64,
    /// Bytes sent (or received, for receives).
    pub bytes: Bytes,
}

/// Everything the ranks of a stage did in a step, by what it was.
pub fn activities(shape: &Shape) -> Vec<Done> {
    let mut all: Vec<Done> = Vec::new();
    let beside = shape.beside.iter().map(|segment| (segment, true));
    for (segment, beside) in shape.segments.iter().map(|segment| (segment, false)).chain(beside) {
        let label = match (segment.activity, beside) {
            (Activity::Forward, _) => "Forward",
            (Activity::Backward, _) => "Backward",
            (Activity::Optimizer, _) => "Optimizer",
            (Activity::Idle, _) => "Idle",
            (Activity::Collective(kind), false) => kind.label(),
            (Activity::Collective(_), true) => "Reduced behind the backward pass",
            (Activity::Send, _) => "Sends to stages",
            (Activity::Receive, _) => "Receives from stages",
        };
        let index = all.iter().position(|done| done.label == label).unwrap_or_else(|| {
            all.push(Done { label, time: Seconds::ZERO, share: 0.0, bytes: Bytes::ZERO });
            all.len() - 1
        });
        if let Some(done) = all.get_mut(index) {
            done.time += segment.duration();
            done.bytes += segment.bytes();
        }
    }
    for done in &mut all {
        done.share = if shape.step.0 > 0.0 { done.time / shape.step } else { 0.0 };
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Document;

    #[test]
    fn what_is_done_fills_the_step() {
        let link = "#1;m=llama3-70b;g=dgx-h100;n=512";
        let scenario = Document::from_link(link).expect("a link").document.scenario().expect("a scenario");
        let shape = crate::traffic::shape(&scenario, 0).expect("a shape");
        let beside: f64 = shape.beside.iter().map(|segment| segment.duration().0).sum();
        let time: f64 = activities(&shape).iter().map(|done| done.time.0).sum();
        assert!(((time - beside) / shape.step.0 - 1.0).abs() < 1e-6, "{time} {beside} {}", shape.step.0);
    }
}
