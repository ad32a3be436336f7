//! How sure a forecast is: a 90 % interval around the step time, and what makes it wide.
//!
//! Widths are half-widths of ln(measured / forecast), read off forecasts of public runs with constants fitted
//! without the run's source, stack, GPU or model family (`stepcast calibrate DATA --leave-out ...`).
//! Independent reasons for doubt add in quadrature.

use super::Predictor;
use crate::constants::Constants;
use crate::scenario::cluster::GpuFamily;
use crate::scenario::stack::{Software, Stack, StackProfile};
use crate::scenario::{MeasuredRuns, Scenario};
use crate::units::Seconds;
use libm::log2;
use serde::Serialize;

/// A 90 % interval of the step time.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Interval {
    /// Lower end.
    #[serde(rename = "low_s")]
    pub low: Seconds,
    /// Upper end.
    #[serde(rename = "high_s")]
    pub high: Seconds,
    /// Why it is wider than that of a dense model on software and GPUs with measured runs; empty if it is not.
    pub reasons: Vec<&'static str>,
}

/// What measured runs the constants have seen.
#[derive(Debug, Clone, PartialEq)]
pub struct Evidence {
    /// Stacks with measured runs, and the first year of the behaviour that the runs were of.
    pub stacks: Vec<(Stack, u16)>,
    /// GPU generations with measured runs.
    pub gpus: Vec<GpuFamily>,
    /// Whether mixtures of experts are among the runs.
    pub experts: bool,
    /// GPUs of the largest run.
    pub most_gpus: u32,
}

/// GPUs of the largest of the public runs that the shipped constants were fitted to.
const MOST_GPUS: u32 = 11_616;

/// What may be said of a scenario's evidence.
#[derive(Debug, Clone, Copy)]
pub(super) struct Doubts {
    profile: &'static StackProfile,
    /// Doublings of GPUs beyond a machine of 8.
    doublings: f64,
    stack: bool,
    gpu: bool,
    experts: bool,
    no_experts_seen: bool,
    experts_elsewhere: bool,
    scale: bool,
}

impl Doubts {
    fn shipped(scenario: &Scenario) -> Self {
        let gpu = scenario.cluster.gpu.family.generation().runs == MeasuredRuns::Many;
        let stack = scenario.software.profile().runs == MeasuredRuns::Many;
        Self::of(scenario, stack, gpu, true, MOST_GPUS)
    }

    fn of(scenario: &Scenario, stack_seen: bool, gpu_seen: bool, experts: bool, most_gpus: u32) -> Self {
        let mixture = scenario.model.experts.count > 0;
        Self {
            profile: scenario.software.profile(),
            doublings: log2((f64::from(scenario.cluster.gpus) / 8.0).max(1.0)),
            stack: !stack_seen,
            gpu: !gpu_seen,
            experts: mixture,
            no_experts_seen: mixture && !experts,
            experts_elsewhere: mixture && !stack_seen,
            scale: scenario.cluster.gpus > most_gpus,
        }
    }

    /// `w = sqrt(sum of squares)` of what applies.
    fn width(self, c: &Constants) -> f64 {
        let square = |applies: bool, width: f64| if applies { width * width } else { 0.0 };
        let stragglers = self.stragglers(c);
        let sum = square(true, c.interval_base)
            + square(self.experts, c.interval_experts)
            + square(self.stack || self.no_experts_seen, c.interval_stack)
            + square(self.experts_elsewhere, c.interval_experts_elsewhere)
            + square(self.gpu, c.interval_gpu)
            + square(self.scale, c.interval_scale)
            + square(true, stragglers);
        sum.sqrt()
    }

    /// Half-width of what clusters of this size differ in stragglers, where the software is known to have many.
    fn stragglers(self, c: &Constants) -> f64 {
        (self.profile.straggler_width)(c) * self.doublings
    }

    /// Whether measured runs say little about what degrees cost: none of the software or on the generation of GPUs, or
    /// none of mixtures of experts in two layouts.
    pub(super) fn are_about_degrees(self) -> bool {
        self.stack || self.gpu || self.experts
    }

    fn reasons(self, c: &Constants) -> Vec<&'static str> {
        [
            (self.stack, "no measured runs of this software"),
            (self.gpu, "no measured runs on this generation of GPUs"),
            (self.experts, "mixtures of experts: kernels and balance differ from release to release"),
            (self.no_experts_seen, "no measured runs of mixtures of experts"),
            (self.scale, "more GPUs than any measured run"),
            (self.stragglers(c) > 0.0, "clusters differ in how long this software waits for the slowest rank"),
        ]
        .into_iter()
        .filter_map(|(applies, reason)| applies.then_some(reason))
        .collect()
    }
}

/// A stack, and the first year of what it does at the time of a release.
fn behaviour(software: &Software) -> (Stack, u16) {
    (software.stack, software.profile().since)
}

impl Predictor<'_> {
    /// The 90 % interval around a forecast step.
    pub fn interval(&self, scenario: &Scenario, step: Seconds) -> Interval {
        let doubts = self.doubts(scenario);
        let (low, high) = bounds(step, doubts.width(self.constants));
        Interval { low, high, reasons: doubts.reasons(self.constants) }
    }

    /// Lower and upper end of the 90 % interval around a forecast step, without allocating.
    pub fn interval_ends(&self, scenario: &Scenario, step: Seconds) -> (Seconds, Seconds) {
        bounds(step, self.doubts(scenario).width(self.constants))
    }

    /// Whether there are no measured runs of a scenario's software, or on its generation of GPUs.
    pub fn is_unmeasured(&self, scenario: &Scenario) -> bool {
        {
            let doubts = self.doubts(scenario);
            doubts.stack || doubts.gpu
        }
    }

    pub(super) fn doubts(&self, scenario: &Scenario) -> Doubts {
        match self.evidence {
            None => Doubts::shipped(scenario),
            Some(seen) => {
                let gpu = seen.gpus.contains(&scenario.cluster.gpu.family);
                let stack = seen.stacks.contains(&behaviour(&scenario.software));
                Doubts::of(scenario, stack, gpu, seen.experts, seen.most_gpus)
            }
        }
    }
}

fn bounds(step: Seconds, width: f64) -> (Seconds, Seconds) {
    let factor = libm::exp(width);
    (Seconds(step.0 / factor), Seconds(step.0 * factor))
}

impl Evidence {
    /// Evidence of some runs.
    pub fn of<'a>(runs: impl IntoIterator<Item = &'a Scenario>) -> Self {
        let mut evidence = Self { stacks: Vec::new(), gpus: Vec::new(), experts: false, most_gpus: 0 };
        for scenario in runs {
            let (stack, gpu) = (behaviour(&scenario.software), scenario.cluster.gpu.family);
            if scenario.software.profile().runs != MeasuredRuns::Few && !evidence.stacks.contains(&stack) {
                evidence.stacks.push(stack);
            }
            if gpu.generation().runs != MeasuredRuns::Few && !evidence.gpus.contains(&gpu) {
                evidence.gpus.push(gpu);
            }
            evidence.experts |= scenario.model.experts.count > 0;
            evidence.most_gpus = evidence.most_gpus.max(scenario.cluster.gpus);
        }
        evidence
    }

    /// Evidence of the shipped constants.
    pub fn shipped() -> Self {
        let seen = |gpu: &GpuFamily| gpu.generation().runs == MeasuredRuns::Many;
        let gpus = GpuFamily::ALL.iter().map(|entry| entry.0).filter(seen).collect();
        let of = |stack: Stack| {
            let seen = stack.history().filter(|profile| profile.runs == MeasuredRuns::Many);
            seen.map(move |profile| (stack, profile.since))
        };
        let stacks = Stack::ALL.iter().flat_map(|entry| of(entry.0)).collect();
        Self { stacks, gpus, experts: true, most_gpus: MOST_GPUS }
    }
}
