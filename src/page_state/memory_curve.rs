//! Memory of a stage over a step as it is drawn: columns of equal time.

use crate::error::FieldError;
use crate::forecast::{MemoryPoint, Predictor};
use crate::memory::StageMemory;
use crate::scenario::Scenario;
use crate::units::Seconds;

/// Memory of one stage over a step.
#[derive(Debug, Clone, PartialEq)]
pub struct MemoryCurve {
    /// The stage, from 0.
    pub stage: u32,
    /// End of the time axis: of the step.
    pub end: Seconds,
    /// Points in time order.
    pub points: Vec<MemoryPoint>,
}

impl MemoryCurve {
    /// The curve of a stage of a job.
    ///
    /// # Errors
    /// What makes the scenario impossible, a stage that it does not have, or a step of too many passes.
    pub fn new(predictor: &Predictor<'_>, scenario: &Scenario, stage: u32) -> Result<Self, Vec<FieldError>> {
        let points = predictor.memory_over_step(scenario, stage)?;
        let end = points.last().map_or(Seconds::ZERO, |point| point.time);
        Ok(Self { stage, end, points })
    }

    /// The fullest point of each of so many columns; in a column without any, the last one before it.
    pub fn columns(&self, count: usize) -> Vec<StageMemory> {
        let mut columns = Vec::with_capacity(count);
        let mut points = self.points.iter().peekable();
        let mut now = points.peek().map_or_else(StageMemory::default, |point| point.memory);
        for column in 1..=count {
            let until = self.end * (column as f64 / count as f64);
            let mut fullest = None::<StageMemory>;
            while let Some(point) = points.next_if(|point| point.time <= until || column == count) {
                now = point.memory;
                if fullest.is_none_or(|other| now.total() > other.total()) {
                    fullest = Some(now);
                }
            }
            columns.push(fullest.unwrap_or(now));
        }
        columns
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Document;

    /// No column hides the peak, whatever their number.
    #[test]
    fn columns_keep_the_peak() {
        let link = "#2;m=llama3-70b;g=dgx-h100;n=64;tp=4;pp=4;vpp=1;gb=64";
        let job = Document::from_link(link).expect("a link").document.scenario().expect("possible");
        let peak = crate::memory::report(&job).stages[1].total();
        let curve = MemoryCurve::new(&Predictor::SHIPPED, &job, 1).expect("short");
        for count in [1, 2, 7, 300, 5000] {
            let columns = curve.columns(count);
            let most = columns.iter().map(|memory| memory.total().0).fold(0.0, f64::max);
            assert!(columns.len() == count && (most / peak.0 - 1.0).abs() < 1e-9, "{count}: {most} {peak:?}");
        }
        assert!(MemoryCurve::new(&Predictor::SHIPPED, &job, 4).is_err());
    }
}
