//! What the links of a stage do through a step, summed for people.

use crate::traffic::{Activity, LinkActivity, Segment};
use crate::units::{Bytes, Seconds};

/// What the ranks of a stage did in a step, summed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ActivityTotal {
    /// What the ranks did.
    pub label: &'static str,
    /// Time that they did it for.
    pub time: Seconds,
    /// The time over that of the step; the shares of transfers come on top of the whole.
    pub share: f64,
    /// Bytes sent (or received, for receives).
    pub bytes: Bytes,
}

/// Everything the ranks of a stage did in a step, by what it was.
pub fn activities(shape: &LinkActivity) -> Vec<ActivityTotal> {
    let mut all: Vec<ActivityTotal> = Vec::new();
    let concurrent = shape.overlapping.iter().map(|segment| (segment, true));
    for (segment, concurrent) in shape.segments.iter().map(|segment| (segment, false)).chain(concurrent) {
        let label = match (segment.activity, concurrent) {
            (Activity::Forward, _) => "Forward",
            (Activity::Backward, _) => "Backward",
            (Activity::Optimizer, _) => "Optimizer",
            (Activity::Idle, _) => "Idle",
            (Activity::Collective(kind), false) => kind.label(),
            (Activity::Collective(_), true) => "Gradient sync overlapped with the backward pass",
            (Activity::Send, _) => "Sends to other stages",
            (Activity::Receive, _) => "Receives from other stages",
        };
        let index = all.iter().position(|done| done.label == label).unwrap_or_else(|| {
            all.push(ActivityTotal { label, time: Seconds::ZERO, share: 0.0, bytes: Bytes::ZERO });
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

/// What stands in each of `count` columns that divide the time up to `end` seconds: activities with their
/// shares of the column's time, weighed by their rate over `fastest` (bytes per second; 0 weighs nothing).
/// So no pattern is too fine to be drawn truly.
pub fn columns(segments: &[&Segment], end: f64, count: usize, fastest: f64) -> Vec<Vec<(Activity, f64)>> {
    let mut columns: Vec<Vec<(Activity, f64)>> = vec![Vec::new(); count.max(1)];
    let width = end / columns.len() as f64;
    for segment in segments.iter().filter(|segment| segment.activity != Activity::Idle && width > 0.0) {
        let weight = if fastest > 0.0 { segment.rate.0 / fastest } else { 1.0 };
        let (from, to) = (segment.start.0 / width, segment.end.0.min(end) / width);
        for (index, column) in columns.iter_mut().enumerate().take(to.ceil() as usize).skip(from as usize) {
            let inside = (to.min(index as f64 + 1.0) - from.max(index as f64)).max(0.0) * weight;
            match column.iter_mut().find(|entry| entry.0 == segment.activity) {
                Some(entry) => entry.1 += inside,
                None => column.push((segment.activity, inside)),
            }
        }
    }
    columns
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Document;

    #[test]
    fn what_is_done_fills_the_step() {
        let link = "#1;m=llama3-70b;g=dgx-h100;n=512";
        let scenario = Document::from_link(link).expect("a link").document.scenario().expect("a scenario");
        let shape = crate::forecast::Predictor::SHIPPED.link_activity(&scenario, 0).expect("a shape");
        let concurrent: f64 = shape.overlapping.iter().map(|segment| segment.duration().0).sum();
        let time: f64 = activities(&shape).iter().map(|done| done.time.0).sum();
        assert!(
            ((time - concurrent) / shape.step.0 - 1.0).abs() < 1e-6,
            "{time} {concurrent} {}",
            shape.step.0
        );
    }

    #[test]
    fn columns_hold_all_the_time_there_is() {
        let link = "#1;m=llama3-70b;g=dgx-h100;n=512";
        let scenario = Document::from_link(link).expect("a link").document.scenario().expect("a scenario");
        let shape = crate::forecast::Predictor::SHIPPED.link_activity(&scenario, 0).expect("a shape");
        let busy: Vec<&Segment> =
            shape.segments.iter().filter(|segment| segment.activity != Activity::Idle).collect();
        let time: f64 = busy.iter().map(|segment| segment.duration().0).sum();
        for count in [1, 7, 1000] {
            let columns = columns(&busy, shape.step.0, count, 0.0);
            let shares: f64 = columns.iter().flatten().map(|entry| entry.1).sum();
            assert!((shares * shape.step.0 / count as f64 / time - 1.0).abs() < 1e-6);
            assert!(columns.iter().all(|stack| stack.iter().map(|entry| entry.1).sum::<f64>() < 1.0 + 1e-9));
        }
        assert_eq!(columns(&busy, 0.0, 3, 0.0), [vec![], vec![], vec![]]);
    }
}
