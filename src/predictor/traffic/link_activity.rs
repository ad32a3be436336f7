//! The on-off pattern: link activity of one stage's ranks during a step.
//!
//! A rank computes, then communicates, and the pattern repeats with every layer, micro-batch and step. Times are from
//! the detailed forecast; the segments of a pass are scaled to the pass.

use super::pass_segments::{PassSegment, PassSegments, StagePasses, joined, summed};
use crate::error::FieldError;
use crate::forecast::{Prediction, Predictor};
use crate::scenario::Scenario;
use crate::schedule::{ScheduledPass, SimulatedPass};
use crate::step::Parallelism;
use crate::units::{Bytes, BytesPerSecond, Seconds};
use serde::Serialize;

/// Most separate segments; beyond that, each pass is one segment of compute and one per kind.
pub const MAX_SEGMENTS: usize = 20_000;

/// Activity of a rank.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Activity {
    /// Forward kernels.
    Forward,
    /// Backward kernels, recomputation included.
    Backward,
    /// The optimizer's update.
    Optimizer,
    /// Idle: the pipeline's bubble, or the host.
    Idle,
    /// Communication that both sends and receives.
    Collective(Parallelism),
    /// A transfer to a neighbouring stage.
    Send,
    /// A transfer from a neighbouring stage.
    Receive,
}

/// A segment of a step.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Segment {
    /// Start.
    #[serde(rename = "start_s")]
    pub start: Seconds,
    /// End.
    #[serde(rename = "end_s")]
    pub end: Seconds,
    /// What happens.
    pub activity: Activity,
    /// Rate at which the rank sends (receives, for a receive); zero without communication.
    #[serde(rename = "bytes_per_s")]
    pub rate: BytesPerSecond,
    /// Micro-batch, within the pipeline.
    pub micro_batch: Option<u32>,
}

impl Segment {
    /// How long it takes.
    pub fn duration(&self) -> Seconds {
        self.end - self.start
    }

    /// Bytes that the rank sends (or receives) during it.
    pub fn bytes(&self) -> Bytes {
        Bytes(self.rate.0 * self.duration().0)
    }

    fn shifted(&self, by: Seconds) -> Self {
        Self { start: self.start + by, end: self.end + by, ..*self }
    }
}

/// One step of the ranks of a stage.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LinkActivity {
    /// The stage.
    pub stage: u32,
    /// Time of the step: the pattern repeats after it.
    #[serde(rename = "step_s")]
    pub step: Seconds,
    /// What the ranks do, one segment after the other without gaps.
    pub segments: Vec<Segment>,
    /// What is on the links at the same time, in order of its start: pipeline transfers, and what the backward
    /// pass hides of the gradient reduction.
    #[serde(rename = "beside")]
    pub overlapping: Vec<Segment>,
    /// Share of the step in which the ranks send or receive something, 0 to 1.
    pub on_share: f64,
    /// Whether there were too many segments to keep them apart.
    pub summed: bool,
}

impl LinkActivity {
    /// Segments, and their overlaps, over this many consecutive steps.
    pub fn repeated(&self, steps: u32) -> (Vec<Segment>, Vec<Segment>) {
        let repeat = |segments: &[Segment]| {
            (0..steps)
                .flat_map(|step| segments.iter().map(move |s| s.shifted(self.step * f64::from(step))))
                .collect()
        };
        (repeat(&self.segments), repeat(&self.overlapping))
    }
}

impl Predictor<'_> {
    /// What the links of a stage's ranks do through a step.
    ///
    /// # Errors
    /// What makes the scenario impossible, a stage there is not, or a pipeline too long to replay.
    pub fn link_activity(&self, scenario: &Scenario, stage: u32) -> Result<LinkActivity, Vec<FieldError>> {
        let forecast = self.predict(scenario)?;
        let count = scenario.plan.pipeline_parallel.max(1);
        if stage >= count {
            let message = format!("Stage {stage} does not exist. Use 0 to {}.", count - 1);
            return Err(vec![FieldError::new("stage", message).suggest([(count - 1).to_string()])]);
        }
        let passes = StagePasses { program: self.program(scenario), rates: self.rates(scenario), stage };
        let hop = passes.hop();
        let timeline = self.timeline(scenario)?;
        let events: Vec<&SimulatedPass> =
            timeline.events.iter().filter(|event| event.stage == stage).collect();

        let templates: Vec<PassSegments> =
            scenario.plan.chunks_on(stage).map(|chunk| passes.chunk(chunk)).collect();
        let (templates, is_summed) = drawn(templates, events.len());

        let mut segments = Vec::new();
        for event in &events {
            if let Some(passes) = templates.get(event.virtual_stage as usize) {
                pass(event, passes, &mut segments);
            }
        }
        let mut overlapping = transfers(&timeline.events, stage, &hop);
        let step = step_end(&passes, &forecast, &mut segments, &mut overlapping);
        overlapping.sort_by(|left, right| left.start.0.total_cmp(&right.start.0));
        let segments = without_gaps(segments, step);
        let on_share = on_share(&segments, &overlapping, step);
        Ok(LinkActivity { stage, step, segments, overlapping, on_share, summed: is_summed })
    }
}

/// Templates as they are drawn: in full, or summed when that would be too many segments.
fn drawn(templates: Vec<PassSegments>, events: usize) -> (Vec<PassSegments>, bool) {
    let each = |reduce: fn(&[PassSegment]) -> Vec<PassSegment>| -> Vec<PassSegments> {
        templates
            .iter()
            .map(|passes| PassSegments {
                forward: reduce(&passes.forward),
                backward: reduce(&passes.backward),
                weights: reduce(&passes.weights),
            })
            .collect()
    };
    let full = each(joined);
    let longest = full.iter().map(|passes| passes.forward.len() + passes.backward.len()).max().unwrap_or(0);
    if longest * events / 2 > MAX_SEGMENTS { (each(summed), true) } else { (full, false) }
}

/// The segments of one pass. Links are busy for as long as the collectives are priced; kernels fill the rest,
/// and where collectives take longer than the pass (hidden behind kernels), they share it.
fn pass(event: &SimulatedPass, passes: &PassSegments, segments: &mut Vec<Segment>) {
    let none: &[PassSegment] = &[];
    let (parts, more, kernels) = match event.pass {
        ScheduledPass::Forward => (passes.forward.as_slice(), none, Activity::Forward),
        ScheduledPass::Backward => {
            (passes.backward.as_slice(), passes.weights.as_slice(), Activity::Backward)
        }
        ScheduledPass::InputGradient => (passes.backward.as_slice(), none, Activity::Backward),
        ScheduledPass::WeightGradient => (passes.weights.as_slice(), none, Activity::Backward),
    };
    let parts = || parts.iter().chain(more);
    let length = (event.end - event.start).0;
    let sum =
        |on: bool| -> f64 { parts().filter(|part| part.kind.is_some() == on).map(|part| part.seconds).sum() };
    let (on, off) = (sum(true), sum(false));
    let stretch_on = if on > length { length / on } else { 1.0 };
    let stretch_off = if off > 0.0 { (length - on * stretch_on).max(0.0) / off } else { 0.0 };
    let mut start = event.start.0;
    for part in parts() {
        let seconds = part.seconds * if part.kind.is_some() { stretch_on } else { stretch_off };
        if seconds <= 0.0 {
            continue;
        }
        segments.push(Segment {
            start: Seconds(start),
            end: Seconds(start + seconds),
            activity: part.kind.map_or(kernels, Activity::Collective),
            rate: BytesPerSecond(part.bytes / seconds),
            micro_batch: Some(event.micro_batch),
        });
        start += seconds;
    }
}

/// Gradient reduction, optimizer and parameter gathering. What of them hides ends with the last backward
/// pass and overlaps it; the rest follows. Returns the time of the step.
fn step_end(
    passes: &StagePasses<'_>,
    forecast: &Prediction,
    segments: &mut Vec<Segment>,
    overlapping: &mut Vec<Segment>,
) -> Seconds {
    let (before, after) = passes.step_end();
    let last = segments.last().map_or(0.0, |segment| segment.end.0);
    let total: f64 = before.iter().chain(&after).map(|part| part.seconds).sum();
    let mut hidden = forecast.hidden.data.0.min(total).min(last);
    let (mut hiding, mut showing) = (last - hidden, last);
    let mut put = |part: &PassSegment, activity: Activity| {
        let rate = BytesPerSecond(if part.seconds > 0.0 { part.bytes / part.seconds } else { 0.0 });
        let behind = if part.kind.is_some() { part.seconds.min(hidden) } else { 0.0 };
        hidden -= behind;
        let lanes =
            [(&mut *overlapping, &mut hiding, behind), (&mut *segments, &mut showing, part.seconds - behind)];
        for (lane, at, seconds) in lanes {
            if seconds > 0.0 {
                let (start, end) = (Seconds(*at), Seconds(*at + seconds));
                lane.push(Segment { start, end, activity, rate, micro_batch: None });
                *at += seconds;
            }
        }
    };
    let update = PassSegment { kind: None, seconds: forecast.breakdown.optimizer.0, bytes: 0.0 };
    for part in before.iter().chain([&update]).chain(&after) {
        put(part, part.kind.map_or(Activity::Optimizer, Activity::Collective));
    }
    Seconds(showing).max(forecast.step)
}

/// Segments with idle ones in the gaps between them, and until the end of the step.
fn without_gaps(segments: Vec<Segment>, step: Seconds) -> Vec<Segment> {
    let mut filled = Vec::with_capacity(2 * segments.len() + 1);
    let mut end = Seconds::ZERO;
    let idle = |filled: &mut Vec<Segment>, start: Seconds, end: Seconds| {
        if (end - start).0 > 1e-9 * step.0 {
            let rate = BytesPerSecond::ZERO;
            filled.push(Segment { start, end, activity: Activity::Idle, rate, micro_batch: None });
        }
    };
    for segment in segments {
        idle(&mut filled, end, segment.start);
        end = segment.end;
        filled.push(segment);
    }
    idle(&mut filled, end, step);
    filled
}

/// Transfers of a stage: what its own passes send, and what the neighbours' passes send it. A hop begins with
/// the end of the pass that made its content.
fn transfers(events: &[SimulatedPass], stage: u32, hop: &PassSegment) -> Vec<Segment> {
    let rate = BytesPerSecond(if hop.seconds > 0.0 { hop.bytes / hop.seconds } else { 0.0 });
    let mut transfers: Vec<Segment> = Vec::new();
    for event in events {
        let Some(target) = event.next else { continue };
        for (at, activity) in [(event.stage, Activity::Send), (target, Activity::Receive)] {
            if at == stage && hop.seconds > 0.0 {
                transfers.push(Segment {
                    start: event.end,
                    end: event.end + Seconds(hop.seconds),
                    activity,
                    rate,
                    micro_batch: Some(event.micro_batch),
                });
            }
        }
    }
    transfers
}

/// Share of the step with link activity.
fn on_share(segments: &[Segment], overlapping: &[Segment], step: Seconds) -> f64 {
    let mut on: Vec<&Segment> =
        segments.iter().chain(overlapping).filter(|segment| segment.rate.0 > 0.0).collect();
    on.sort_by(|left, right| left.start.0.total_cmp(&right.start.0));
    let (mut covered, mut end) = (Seconds::ZERO, Seconds::ZERO);
    for segment in on {
        covered += (segment.end - end.max(segment.start)).max(Seconds::ZERO);
        end = end.max(segment.end);
    }
    if step.0 > 0.0 { covered / step } else { 0.0 }
}
