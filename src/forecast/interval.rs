//! Uncertainty of a forecast: a 90 % interval around the step time, and the causes of its width.
//!
//! Widths are half-widths of ln(measured / forecast) by class of job: independent evidence for software, GPUs and kind
//! of model. They come from forecasts of public runs with constants fitted without the run's source, stack, GPU or
//! model family (`stepcast calibrate DATA --leave-out ...`), and from runs that were not used for fitting
//! (docs/unseen.md), with equal weight per source. Independent causes add in quadrature.

use super::{Predictor, utilisation};
use crate::constants::Constants;
use crate::scenario::cluster::GpuFamily;
use crate::scenario::model::{Sparse, UncountedParts};
use crate::scenario::stack::{Software, Stack, StackProfile, measured_stacks};
use crate::scenario::{MeasuredRuns, Scenario};
use crate::units::Seconds;
use libm::log2;
use serde::Serialize;

/// A 90 % interval of the step time.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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

/// The measured runs that the constants were fitted to.
#[derive(Debug, Clone, PartialEq)]
pub struct CalibrationEvidence {
    /// Stacks with measured runs.
    pub stacks: Vec<MeasuredStack>,
    /// GPU generations with measured runs.
    pub gpus: Vec<GpuFamily>,
    /// Whether mixtures of experts are among the runs.
    pub experts: bool,
    /// GPUs of the largest run.
    pub most_gpus: u32,
}

/// Evidence for a job's software, from much to little.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum SoftwareEvidence {
    /// Constants were fitted to runs of it.
    Measured,
    /// Its behaviour is known, but no constants were fitted to runs of it.
    Named,
    /// Only its kind is known: fused, compiled or eager.
    KindAlone,
}

/// A stack with measured runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MeasuredStack {
    /// The stack.
    pub stack: Stack,
    /// First year of the behaviour in these runs.
    pub since: u16,
    /// Publications that the runs are of.
    pub sources: u16,
}

/// GPUs of the largest of the public runs that the shipped constants were fitted to.
const MOST_GPUS: u32 = 11_616;

/// Half-width from which low utilisation is reported as a cause: what GPUs that compute for a third of the step add if
/// no constants were fitted to the software.
const LOW_UTILISATION: f64 = 0.4;

/// Number of causes of doubt.
const WIDTHS: usize = 13;

/// Evidence for a scenario.
#[derive(Debug, Clone, Copy)]
pub(super) struct UncertaintySources {
    profile: &'static StackProfile,
    /// Whether fixed work per step waits for no other GPU and no wrapper.
    alone: bool,
    /// Seconds of the step's FLOPs at the GPUs' peak.
    at_peak: f64,
    /// Doublings of GPUs beyond 8.
    doublings: f64,
    /// No measured runs of the software.
    stack: bool,
    /// Measured runs of the software, all of one publication.
    one_source: bool,
    /// Only the kind of software is known.
    kind_alone: bool,
    gpu: bool,
    experts: bool,
    no_experts_seen: bool,
    experts_elsewhere: bool,
    scale: bool,
    /// Sparse attention, without known measured runs.
    few_keys: bool,
    /// Parts of the model that are left out.
    uncounted: UncountedParts,
}

/// Measured runs of a scenario's software and GPUs.
struct Seen {
    /// Publications of runs of the software.
    sources: u16,
    gpu: bool,
    experts: bool,
    most_gpus: u32,
}

impl UncertaintySources {
    fn shipped(scenario: &Scenario) -> Self {
        let profile = scenario.software.profile();
        let seen = Seen {
            sources: if profile.runs == MeasuredRuns::Many { profile.sources } else { 0 },
            gpu: scenario.cluster.gpu.family.generation().runs == MeasuredRuns::Many,
            experts: true,
            most_gpus: MOST_GPUS,
        };
        Self::of(scenario, &seen)
    }

    fn of(scenario: &Scenario, seen: &Seen) -> Self {
        let mixture = scenario.model.experts.count > 0;
        let stack = seen.sources == 0;
        Self {
            profile: scenario.software.profile(),
            alone: scenario.steps_alone(),
            at_peak: utilisation::seconds_at_peak(scenario),
            doublings: log2((f64::from(scenario.cluster.gpus) / 8.0).max(1.0)),
            stack,
            one_source: seen.sources == 1,
            kind_alone: scenario.software.stack.is_a_kind(),
            gpu: !seen.gpu,
            experts: mixture,
            no_experts_seen: mixture && !seen.experts,
            experts_elsewhere: mixture && stack,
            scale: scenario.cluster.gpus > seen.most_gpus,
            few_keys: scenario.model.sparse != Sparse::NONE,
            uncounted: scenario.model.uncounted.parts,
        }
    }

    /// Lower and upper end around a step.
    fn bounds(self, c: &Constants, step: Seconds) -> (Seconds, Seconds) {
        let (below, above) = (self.width_below(c, step), self.width(c, step));
        (Seconds(step.0 / libm::exp(below)), Seconds(step.0 * libm::exp(above)))
    }

    /// `w = sqrt(sum of squares)` of the causes that apply to a step of this length.
    pub(super) fn width(self, c: &Constants, step: Seconds) -> f64 {
        let squares = self.widths(c, step).map(|(_, width)| width * width);
        squares.iter().sum::<f64>().sqrt()
    }

    /// Same, below the forecast: causes that only lengthen a step do not count.
    fn width_below(self, c: &Constants, step: Seconds) -> f64 {
        let parts = if self.uncounted.only_lengthen() { UncountedParts::None } else { self.uncounted };
        Self { uncounted: parts, ..self }.width(c, step)
    }

    /// Width of each cause for a step of this length: 0 if it does not apply.
    fn widths(self, c: &Constants, step: Seconds) -> [(&'static str, f64); WIDTHS] {
        let of = |applies: bool, name: &'static str, width: f64| (name, if applies { width } else { 0.0 });
        [
            of(true, "any forecast", c.interval_base),
            of(self.experts, "mixtures of experts", c.interval_experts),
            of(self.one_source, "software with runs of one source", c.interval_one_source),
            of(self.stack || self.no_experts_seen, "software without measured runs", c.interval_stack),
            of(self.kind_alone, "software known by its kind", c.interval_kind),
            of(self.experts_elsewhere, "experts on such software", c.interval_experts_elsewhere),
            of(self.gpu, "GPUs without measured runs", c.interval_gpu),
            of(self.scale, "more GPUs than in any run", c.interval_scale),
            of(self.few_keys, "attention to few keys", c.interval_few_keys),
            of(
                self.uncounted != UncountedParts::None,
                "parts of the model that are not counted",
                c.interval_uncounted,
            ),
            of(true, "stragglers of such software", self.stragglers(c)),
            of(true, "what such software pays once a step", self.fixed(c, step)),
            of(true, "what of the step is not FLOPs at the peak", self.idle(c, step)),
        ]
    }

    /// Half-width for parts that are less certain than large matrix products: the lower the forecast utilisation, the
    /// more of the step is launches, small kernels, attention and waiting. `w (1 - FLOPs / (peak step))^2`, smaller if
    /// constants were fitted to such software on such GPUs.
    fn idle(self, c: &Constants, step: Seconds) -> f64 {
        let share = (1.0 - self.at_peak / step.0.max(f64::MIN_POSITIVE)).max(0.0);
        let width = if self.stack || self.gpu { c.interval_idle } else { c.interval_idle_measured };
        width * share * share
    }

    /// Half-width for the spread of stragglers between clusters of this size, for software known to have many.
    fn stragglers(self, c: &Constants) -> f64 {
        (self.profile.straggler_width)(c) * self.doublings
    }

    /// Half-width for the spread of fixed costs per step within one kind of software; larger for shorter steps.
    fn fixed(self, c: &Constants, step: Seconds) -> f64 {
        let share = self.profile.fixed_where(self.alone, c) / step.0.max(f64::MIN_POSITIVE);
        c.interval_fixed * share.min(1.0)
    }

    /// Whether measured runs give little evidence on the cost of degrees: none of the software or GPU generation, or no
    /// MoE model in two layouts.
    pub(super) fn are_about_degrees(self) -> bool {
        self.stack || self.gpu || self.experts
    }

    /// What would narrow the interval, largest effect first. One measured step removes nearly all error that forecasts
    /// of a job share.
    pub(super) fn narrows(self, c: &Constants, step: Seconds) -> Vec<&'static str> {
        [
            (true, "with one measured step of yours"),
            (self.kind_alone, "with the name of the framework"),
            (
                self.fixed(c, step) > c.interval_base,
                "with two measured batch sizes, which separate the fixed time per step",
            ),
        ]
        .into_iter()
        .filter_map(|(applies, part)| applies.then_some(part))
        .collect()
    }

    fn reasons(self, c: &Constants, step: Seconds) -> Vec<&'static str> {
        [
            (self.stack, "no constants were fitted to runs of this software"),
            (self.one_source, "constants were fitted to runs of this software of one publication only"),
            (self.kind_alone, "software known by its kind alone: name its framework"),
            (self.gpu, "constants were fitted to hardly any runs on this generation of GPUs"),
            (self.experts, "mixtures of experts: kernels and balance differ from release to release"),
            (self.no_experts_seen, "no constants were fitted to runs of mixtures of experts"),
            (self.scale, "more GPUs than in any run that constants were fitted to"),
            (self.few_keys, "no measured run has attention to selected or compressed keys"),
            (self.uncounted != UncountedParts::None, self.uncounted.doubt()),
            (
                self.stragglers(c) > 0.0,
                "clusters differ in how long this software waits for the slowest rank",
            ),
            (
                self.fixed(c, step) > c.interval_base,
                "a short step, of which what is paid once is a large part",
            ),
            (
                self.idle(c, step) > LOW_UTILISATION,
                "a low utilisation: much of the step is not matrix products",
            ),
        ]
        .into_iter()
        .filter_map(|(applies, reason)| applies.then_some(reason))
        .collect()
    }
}

impl Predictor<'_> {
    /// The 90 % interval around a forecast step.
    pub fn interval(&self, scenario: &Scenario, step: Seconds) -> Interval {
        let doubts = self.doubts(scenario);
        let (low, high) = doubts.bounds(self.constants, step);
        Interval { low, high, reasons: doubts.reasons(self.constants, step) }
    }

    /// Lower and upper end of the 90 % interval around a forecast step, without allocating.
    pub fn interval_ends(&self, scenario: &Scenario, step: Seconds) -> (Seconds, Seconds) {
        self.doubts(scenario).bounds(self.constants, step)
    }

    /// Each cause's half-width of the log, and the total.
    pub(crate) fn widths(&self, scenario: &Scenario, step: Seconds) -> ([(&'static str, f64); WIDTHS], f64) {
        let doubts = self.doubts(scenario);
        (doubts.widths(self.constants, step), doubts.width(self.constants, step))
    }

    /// Evidence for a scenario's software.
    pub fn software_evidence(&self, scenario: &Scenario) -> SoftwareEvidence {
        let doubts = self.doubts(scenario);
        match (doubts.stack, doubts.kind_alone) {
            (_, true) => SoftwareEvidence::KindAlone,
            (true, false) => SoftwareEvidence::Named,
            (false, false) => SoftwareEvidence::Measured,
        }
    }

    /// Whether there are few measured runs on a scenario's GPU generation.
    pub fn has_new_gpus(&self, scenario: &Scenario) -> bool {
        self.doubts(scenario).gpu
    }

    /// Whether there are no measured runs of a scenario's software or GPU generation.
    pub fn is_unmeasured(&self, scenario: &Scenario) -> bool {
        let doubts = self.doubts(scenario);
        doubts.stack || doubts.gpu
    }

    pub(super) fn doubts(&self, scenario: &Scenario) -> UncertaintySources {
        match self.evidence {
            None => UncertaintySources::shipped(scenario),
            Some(evidence) => {
                let seen = Seen {
                    sources: evidence.sources(&scenario.software),
                    gpu: evidence.gpus.contains(&scenario.cluster.gpu.family),
                    experts: evidence.experts,
                    most_gpus: evidence.most_gpus,
                };
                UncertaintySources::of(scenario, &seen)
            }
        }
    }
}

impl CalibrationEvidence {
    /// Evidence of runs, each with its publication. A stack has at most as many publications as its rows of
    /// `data/stacks.tsv` count: some publish steps composed from others' measurements.
    pub fn of<'a>(runs: impl IntoIterator<Item = (&'a str, &'a Scenario)>) -> Self {
        let mut evidence = Self { stacks: Vec::new(), gpus: Vec::new(), experts: false, most_gpus: 0 };
        let mut counted: Vec<(&str, Stack, u16)> = Vec::new();
        for (source, scenario) in runs {
            let (software, gpu) = (&scenario.software, scenario.cluster.gpu.family);
            let of = (source, software.stack, software.profile().since);
            if software.profile().runs != MeasuredRuns::Few && !counted.contains(&of) {
                counted.push(of);
                evidence.count(software);
            }
            if gpu.generation().runs != MeasuredRuns::Few && !evidence.gpus.contains(&gpu) {
                evidence.gpus.push(gpu);
            }
            evidence.experts |= scenario.model.experts.count > 0;
            evidence.most_gpus = evidence.most_gpus.max(scenario.cluster.gpus);
        }
        evidence
    }

    /// Adds a publication of runs of some software.
    fn count(&mut self, software: &Software) {
        let profile = software.profile();
        let same = |known: &&mut MeasuredStack| (known.stack, known.since) == (software.stack, profile.since);
        match self.stacks.iter_mut().find(same) {
            Some(known) => known.sources = (known.sources + 1).min(profile.sources.max(1)),
            None => {
                self.stacks.push(MeasuredStack { stack: software.stack, since: profile.since, sources: 1 })
            }
        }
    }

    /// Publications of measured runs of some software.
    fn sources(&self, software: &Software) -> u16 {
        let since = software.profile().since;
        let same = |known: &&MeasuredStack| (known.stack, known.since) == (software.stack, since);
        self.stacks.iter().find(same).map_or(0, |known| known.sources)
    }

    /// Evidence of the shipped constants.
    pub fn shipped() -> Self {
        let seen = |gpu: &GpuFamily| gpu.generation().runs == MeasuredRuns::Many;
        let gpus = GpuFamily::ALL.iter().map(|entry| entry.0).filter(seen).collect();
        let of = |(stack, profile): (Stack, &StackProfile)| MeasuredStack {
            stack,
            since: profile.since,
            sources: profile.sources,
        };
        let stacks = measured_stacks().map(of).collect();
        Self { stacks, gpus, experts: true, most_gpus: MOST_GPUS }
    }
}
