//! A still picture of the pipeline: the beginning and the end of a step, with what is alike in between left out.

use super::{Replayed, kind, sentence};
use crate::number;
use crate::schedule::SimulatedPass;
use crate::units::Seconds;

/// Most stages that are drawn: more are represented by as many, evenly chosen.
const LANES: u32 = 8;

/// Passes of the first stage that each end of a step shows at least, as far as there are so many.
const PASSES_OF_AN_END: usize = 24;

/// How much longer an end is than the time until the last stage begins, or since it has ended.
const BEYOND_FILLING: f64 = 1.5;

/// Largest share of the width for what follows the last pass, which is drawn shorter where it would take more.
const REST: f64 = 0.1;

/// Share of the width that the break between beginning and end takes.
const BREAK: f64 = 0.03;

/// Room that a digit of the number of a micro-batch needs in its pass, a share of the width.
const OF_DIGIT: f64 = 0.008;

/// Part of a lane, with its place as a share of the width.
#[derive(Debug, Clone, PartialEq)]
pub struct TimelineBlock {
    /// Left edge, 0 to 1.
    pub from: f64,
    /// Right edge, 0 to 1.
    pub to: f64,
    /// Place of its kind of pass in [`super::PASSES`].
    pub kind: usize,
    /// Number of its micro-batch, where there is room.
    pub micro_batch: Option<u32>,
    /// It in words.
    pub says: String,
}

/// The picture.
#[derive(Debug, Clone, PartialEq)]
pub struct Overview {
    /// Stages that are drawn, each with its passes.
    pub lanes: Vec<(u32, Vec<TimelineBlock>)>,
    /// Where the passes in between are left out, as shares of the width.
    pub gap: Option<(f64, f64)>,
    /// What follows the last pass: gradient synchronisation, optimizer and the host's share.
    pub rest: Option<(f64, f64)>,
    /// How long that takes.
    pub after: Seconds,
    /// It is drawn shorter than to scale, since it would take more than a tenth of the width.
    pub shortened: bool,
    /// Times on the axis, each with its place: of both edges, and between them of those of the gap.
    pub ticks: Vec<(f64, String)>,
    /// The picture in words.
    pub says: String,
}

/// Which times are drawn, and where.
struct Axis {
    /// The beginning ends here, seconds.
    head: f64,
    /// The end begins here, seconds.
    tail: f64,
    /// The last pass ends here, seconds.
    end: f64,
    /// Width of the break, a share.
    gap: f64,
    /// Width of what follows the last pass, a share.
    rest: f64,
    /// It is drawn shorter than to scale.
    shortened: bool,
}

impl Axis {
    /// Both ends of a step: the pipeline as it fills and as it drains, and some passes more.
    fn of(replayed: &Replayed) -> Self {
        let end = replayed.timeline.makespan.0;
        let first = replayed.lane(0);
        let last = replayed.lane(replayed.stages().saturating_sub(1));
        let filled = last.first().map_or(0.0, |event| event.start.0);
        let drained = last.last().map_or(end, |event| event.end.0);
        let enough = first.get(PASSES_OF_AN_END).map_or(end, |event| event.start.0);
        let few = first.len().checked_sub(PASSES_OF_AN_END).and_then(|place| first.get(place));
        let head = enough.max(BEYOND_FILLING * filled);
        let tail = few.map_or(0.0, |event| event.start.0).min(end - BEYOND_FILLING * (end - drained));
        // A break is worth its width.
        let shortens = tail - head > BREAK * (head + end - tail);
        let (head, tail, gap) = if shortens { (head, tail, BREAK) } else { (end, end, 0.0) };
        let drawn = head + end - tail;
        let after = (replayed.end().0 - end).max(0.0);
        let to_scale = if after > 0.0 { after / (drawn + after) } else { 0.0 };
        Self { head, tail, end, gap, rest: to_scale.min(REST), shortened: to_scale > REST }
    }

    /// Place of a time that is drawn.
    fn at(&self, time: f64) -> f64 {
        let drawn = self.head + self.end - self.tail;
        let scale = if drawn > 0.0 { (1.0 - self.gap - self.rest) / drawn } else { 0.0 };
        if time <= self.head {
            time * scale
        } else {
            self.head * scale + self.gap + (time - self.tail) * scale
        }
    }

    /// Both ends of a time span, where they are drawn: what lies in the break is cut off.
    fn cut(&self, from: f64, to: f64) -> Option<(f64, f64)> {
        let (from, to) = match (from < self.head, to > self.tail) {
            (true, _) => (from, to.min(self.head)),
            (false, true) => (from.max(self.tail), to),
            (false, false) => return None,
        };
        (to > from).then(|| (self.at(from), self.at(to)))
    }
}

impl Overview {
    /// The picture of a replayed step.
    pub fn of(replayed: &Replayed) -> Self {
        let axis = Axis::of(replayed);
        let stages = replayed.stages();
        let drawn = stages.min(LANES);
        let stage_of = |lane: u32| if drawn > 1 { lane * (stages - 1) / (drawn - 1) } else { 0 };
        let chunks = replayed.timeline.events.iter().map(|event| event.virtual_stage + 1).max().unwrap_or(1);
        let lanes = (0..drawn).map(stage_of).map(|stage| {
            let blocks = replayed.lane(stage).iter().filter_map(|event| block(&axis, event, chunks));
            (stage, blocks.collect())
        });
        let gap = (axis.gap > 0.0).then(|| (axis.at(axis.head), axis.at(axis.head) + axis.gap));
        let tick = |at: f64, time: f64| (at, number::time(Seconds(time)).to_string());
        let mut ticks = vec![tick(0.0, 0.0), tick(1.0, replayed.end().0)];
        if let Some((from, to)) = gap {
            ticks.splice(1..1, [tick(from, axis.head), tick(to, axis.tail)]);
        }
        Self {
            lanes: lanes.collect(),
            gap,
            rest: (axis.rest > 0.0).then_some((1.0 - axis.rest, 1.0)),
            after: replayed.end() - replayed.timeline.makespan,
            shortened: axis.shortened,
            ticks,
            says: replayed.summary(),
        }
    }
}

fn block(axis: &Axis, event: &SimulatedPass, chunks: u32) -> Option<TimelineBlock> {
    let (from, to) = axis.cut(event.start.0, event.end.0)?;
    let kind = kind(event.pass);
    let digits = if event.micro_batch < 10 { 1.0 } else { 2.0 };
    let numbered = to - from >= OF_DIGIT * digits;
    Some(TimelineBlock {
        from,
        to,
        kind,
        micro_batch: numbered.then_some(event.micro_batch),
        says: sentence(event, chunks),
    })
}

#[cfg(test)]
mod tests {
    use super::super::tests::{SMALL, replayed};
    use super::*;

    fn sane(overview: &Overview) {
        for (stage, blocks) in &overview.lanes {
            assert!(
                blocks
                    .iter()
                    .all(|block| 0.0 <= block.from && block.from < block.to && block.to < 1.0 + 1e-9)
            );
            let in_order = blocks.windows(2).all(|pair| pair[0].to <= pair[1].from + 1e-9);
            assert!(in_order && !blocks.is_empty(), "stage {stage}");
        }
    }

    #[test]
    fn a_short_step_is_drawn_whole() {
        let replayed = replayed(SMALL);
        let overview = Overview::of(&replayed);
        sane(&overview);
        assert_eq!((overview.lanes.len(), overview.gap), (4, None));
        let drawn: usize = overview.lanes.iter().map(|lane| lane.1.len()).sum();
        assert_eq!(drawn, replayed.timeline.events.len());
        let last = &overview.lanes[3].1[0];
        let drawn = 1.0 - overview.rest.map_or(0.0, |rest| rest.1 - rest.0);
        let expected = drawn * (replayed.lane(3)[0].start / replayed.timeline.makespan);
        assert!((last.from - expected).abs() < 1e-9, "to scale");
        assert!(overview.ticks[0].0 == 0.0 && (overview.ticks[1].0 - 1.0).abs() < 1e-9);
    }

    #[test]
    fn a_long_step_is_drawn_from_both_ends_at_one_scale() {
        let replayed = replayed("#1;m=llama3-405b;g=dgx-h100;n=4096;gb=2048;tp=8;pp=16;mb=1");
        let overview = Overview::of(&replayed);
        sane(&overview);
        assert_eq!(overview.lanes.len(), 8);
        assert_eq!(overview.lanes.iter().map(|lane| lane.0).max(), Some(15), "the last stage, too");
        let gap = overview.gap.expect("a break");
        assert!((gap.1 - gap.0 - BREAK).abs() < 1e-9);
        let widths: Vec<f64> = overview.lanes[0]
            .1
            .iter()
            .filter(|block| block.kind == 0)
            .map(|block| block.to - block.from)
            .collect();
        assert!(
            widths.iter().all(|width| (width / widths[0] - 1.0).abs() < 0.2 || *width < widths[0]),
            "{widths:?}"
        );
        assert!(overview.rest.is_some_and(|rest| rest.1 > rest.0 && rest.1 - rest.0 <= REST));
        let last = &overview.lanes[7].1;
        assert!(
            last.iter().any(|block| block.to < gap.0) && last.iter().any(|block| block.from > gap.1),
            "it fills and drains"
        );
    }
}
