//! How sure a forecast is: a 90 % interval around the step time, and what makes it wide.
//!
//! Half-widths of ln(measured / forecast) are quantiles of what public runs that no constant was fitted to were off, by class of
//! job (`data/widths.tsv`): every publication weighs one, a class borrows from the wider class that holds it, and both sides
//! are read apart, since unmodelled work makes steps longer more often than shorter. Reasons for doubt that no run shows add in
//! quadrature.

use super::own_runs::OwnEvidence;
use super::widths::{BANDS, RECURRENT, WIDTHS};
use super::{Predictor, utilisation};
use crate::constants::Constants;
use crate::scenario::cluster::GpuFamily;
use crate::scenario::model::{MixerClass, UncountedParts};
use crate::scenario::stack::{Software, Stack, StackProfile, measured_stacks};
use crate::scenario::{MeasuredRuns, Scenario};
use crate::units::Seconds;
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
    /// Public runs of the same class. The width of a class with few runs is shrunk towards wider classes.
    #[serde(rename = "interval_runs")]
    pub runs: u32,
    /// Publications of these runs.
    #[serde(rename = "interval_publications")]
    pub publications: u32,
    /// Reasons for a wider range; empty if there are none.
    pub reasons: Vec<&'static str>,
    /// Measured steps of the user that the forecast is adjusted to, and that narrow the range.
    #[serde(rename = "interval_own_runs", skip_serializing_if = "is_none")]
    pub own_runs: u32,
}

/// For fields that are left out where they are zero.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn is_none(count: &u32) -> bool {
    *count == 0
}

/// What measured runs the constants have seen.
#[derive(Debug, Clone, PartialEq)]
pub struct CalibrationEvidence {
    /// Stacks with measured runs, each with the first year of the behaviour that the runs were of.
    pub stacks: Vec<(Stack, u16)>,
    /// GPU generations with measured runs.
    pub gpus: Vec<GpuFamily>,
    /// Whether mixtures of experts are among the runs.
    pub experts: bool,
    /// GPUs of the largest run.
    pub most_gpus: u32,
}

/// What is known of a job's software; the order is from much to little.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum SoftwareEvidence {
    /// Constants were fitted to runs of it.
    Measured,
    /// What it does is known, but no constants were fitted to runs of it.
    Named,
    /// Only its kind is known: fused, compiled or eager.
    KindAlone,
}

/// Jobs whose forecasts are off alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct WidthClass {
    /// Whether the source of a run leaves open something that its time hangs on; a job that is forecast here says everything.
    pub open: bool,
    /// Utilisation of the hardware that is forecast: how many of [`BANDS`] it reaches.
    pub band: usize,
    /// Whether the model is a mixture of experts.
    pub experts: bool,
    /// Whether constants were fitted to runs of the software and on the generation of GPUs.
    pub calibrated: bool,
}

/// Half-widths of a class of jobs, and what they rest on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ClassWidths {
    /// The class.
    pub class: WidthClass,
    /// Publications with runs of the class.
    pub publications: u32,
    /// Their runs.
    pub runs: u32,
    /// Half-width below the forecast, of ln(forecast / measured).
    pub below: f64,
    /// Half-width above it, of ln(measured / forecast).
    pub above: f64,
}

/// Half-widths of jobs with some layers, whatever their class, and what they rest on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct MixerWidths {
    /// Publications with runs of such models.
    pub(super) publications: u32,
    /// Their runs.
    pub(super) runs: u32,
    /// Half-width below the forecast, of ln(forecast / measured).
    pub(super) below: f64,
    /// Half-width above it, of ln(measured / forecast).
    pub(super) above: f64,
}

/// How near to where a band begins the widths of both are mixed: no interval leaps from one layout to the next.
const MIXED: f64 = 0.05;

/// GPUs of the largest of the public runs that the shipped constants were fitted to.
const MOST_GPUS: u32 = 11_616;

/// Utilisation below which a low one is given as a reason for doubt.
const LOW_UTILISATION: f64 = 0.2;

/// What may be said of a scenario's evidence.
#[derive(Debug, Clone, Copy)]
pub(super) struct UncertaintySources {
    /// Something that the time hangs on is not stated.
    open: bool,
    /// Seconds that the step's FLOPs would take at the GPUs' peak.
    at_peak: f64,
    /// No measured runs of the software.
    stack: bool,
    /// Software that is known by its kind alone.
    kind_alone: bool,
    gpu: bool,
    experts: bool,
    no_experts_seen: bool,
    scale: bool,
    /// What mixes tokens besides attention.
    mixers: MixerClass,
    /// Share of the FLOPs that an encoder in front of the decoder has: no measured run is known.
    encoder: f64,
    /// Parts of the model that are left out.
    uncounted: UncountedParts,
    /// What the user has measured.
    own: OwnEvidence,
}

/// What measured runs there are of a scenario's software and GPUs.
struct Seen {
    software: bool,
    gpu: bool,
    experts: bool,
    most_gpus: u32,
}

/// Half-widths below and above a forecast, of logarithms.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct HalfWidths {
    /// Below.
    pub(crate) below: f64,
    /// Above.
    pub(crate) above: f64,
}

impl HalfWidths {
    /// Lower and upper end around a step.
    fn around(self, step: Seconds) -> (Seconds, Seconds) {
        (Seconds(step.0 / libm::exp(self.below)), Seconds(step.0 * libm::exp(self.above)))
    }
}

impl UncertaintySources {
    fn shipped(scenario: &Scenario) -> Self {
        let seen = Seen {
            software: is_measured(scenario.software.profile()),
            gpu: scenario.cluster.gpu.family.generation().runs == MeasuredRuns::Many,
            experts: true,
            most_gpus: MOST_GPUS,
        };
        Self::of(scenario, &seen)
    }

    fn of(scenario: &Scenario, seen: &Seen) -> Self {
        let mixture = scenario.model.experts.count > 0;
        Self {
            open: false,
            at_peak: utilisation::seconds_at_peak(scenario),
            stack: !seen.software,
            kind_alone: scenario.software.stack.is_a_kind(),
            gpu: !seen.gpu,
            experts: mixture,
            no_experts_seen: mixture && !seen.experts,
            scale: scenario.cluster.gpus > seen.most_gpus,
            mixers: scenario.model.mixer_class(),
            encoder: utilisation::encoder_share(scenario),
            uncounted: scenario.model.uncounted.parts,
            own: OwnEvidence::None,
        }
    }

    /// The same where something is not stated.
    fn open(self) -> Self {
        Self { open: true, ..self }
    }

    /// Utilisation of the hardware in a step of so many seconds: its FLOPs, those of recomputed layers too, over the peak.
    fn utilisation(self, step: Seconds) -> f64 {
        self.at_peak / step.0.max(f64::MIN_POSITIVE)
    }

    fn class(self, band: usize) -> WidthClass {
        let calibrated = !(self.stack || self.gpu || self.no_experts_seen);
        WidthClass { open: self.open, band, experts: self.experts, calibrated }
    }

    /// Half-widths of a class once constants are adjusted to a measured step, by pairs of published runs of which one calibrates
    /// the forecast of the other (`tests/evidence/own_runs.rs`). The common error is gone, and errors are as often up as down.
    /// After a step of another model: the mean of both sides, `m = (below + above) / 2`. After one of the same model:
    /// `sqrt(m w)` with `w` the constant `interval_own_step`. After one of the job itself: `interval_repeat`, as far as repeated
    /// measurements differ. Never more than `m`.
    fn calibrated(self, class: HalfWidths, c: &Constants) -> HalfWidths {
        let mean = (class.below + class.above) / 2.0;
        let both = match self.own {
            OwnEvidence::None => return class,
            OwnEvidence::OtherModel => mean,
            OwnEvidence::Model => (mean * c.interval_own_step).sqrt(),
            OwnEvidence::Job => c.interval_repeat,
        };
        HalfWidths { below: both.min(mean), above: both.min(mean) }
    }

    /// The same for the half-widths of its class.
    fn width_of(self, of_class: HalfWidths, c: &Constants) -> HalfWidths {
        let of_class = self.calibrated(of_class, c);
        let others = self.others(c);
        let norm = |class: f64, of: &dyn Fn(&(&'static str, f64, bool)) -> bool| {
            let squares = others.iter().filter(|other| of(other)).map(|other| other.1 * other.1);
            (class * class + squares.sum::<f64>()).sqrt()
        };
        // Parts that only lengthen a step leave the lower end where it is.
        HalfWidths { below: norm(of_class.below, &|other| !other.2), above: norm(of_class.above, &|_| true) }
    }

    /// Half-widths of the job's class at its utilisation, by a table of classes; with recurrent layers no less than their few
    /// runs need.
    fn of_class(self, classes: &[ClassWidths], step: Seconds) -> HalfWidths {
        let of = |band: usize| {
            let class = self.class(band);
            let row = classes.iter().find(|row| row.class == class);
            row.map_or(HalfWidths { below: 1.0, above: 1.0 }, |row| HalfWidths {
                below: row.below,
                above: row.above,
            })
        };
        let utilisation = self.utilisation(step);
        let mut widths = of(0);
        for (band, begin) in BANDS.iter().enumerate() {
            let share = ((utilisation - begin + MIXED) / (2.0 * MIXED)).clamp(0.0, 1.0);
            let next = of(band + 1);
            widths.below += share * (next.below - widths.below);
            widths.above += share * (next.above - widths.above);
        }
        if self.mixers == MixerClass::Recurrent {
            widths.below = widths.below.max(RECURRENT.below);
            widths.above = widths.above.max(RECURRENT.above);
        }
        widths
    }

    /// Reasons for doubt that no run shows: half-width, and whether it only lengthens a step.
    fn others(self, c: &Constants) -> [(&'static str, f64, bool); 4] {
        let of = |applies: bool, width: f64| if applies { width } else { 0.0 };
        // What a measured step of the model shows is no doubt any more.
        let unseen = self.own < OwnEvidence::Model;
        let scale = self.scale && self.own != OwnEvidence::Job;
        let few_keys = self.mixers == MixerClass::Sparse && unseen;
        let uncounted = self.uncounted != UncountedParts::None && unseen;
        [
            ("more GPUs than in any run", of(scale, c.interval_scale), false),
            ("sparse attention", of(few_keys, c.interval_few_keys), false),
            ("encoder", of(unseen, self.encoder * c.interval_encoder), false),
            (
                "parts of the model not modelled",
                of(uncounted, c.interval_uncounted),
                self.uncounted.only_lengthen(),
            ),
        ]
    }

    /// Whether measured runs say little about what degrees cost: none of the software or on the generation of GPUs, or
    /// none of mixtures of experts in two layouts.
    pub(super) fn are_about_degrees(self) -> bool {
        self.stack || self.gpu || self.experts
    }

    /// What would narrow the interval, the most first. One measured step settles nearly all that forecasts of a job share.
    pub(super) fn narrows(self) -> Vec<&'static str> {
        let name = self.kind_alone.then_some("select the framework, if it has measured runs");
        let step = (self.own < OwnEvidence::Model).then_some("enter one measured step time");
        step.into_iter().chain(name).collect()
    }

    fn reasons(self, step: Seconds) -> Vec<&'static str> {
        [
            (self.stack, "no runs of this software were used for fitting"),
            (self.kind_alone, "only the type of software is known: select the framework"),
            (self.gpu, "few runs on this generation of GPUs were used for fitting"),
            (self.experts, "mixture of experts: kernels and load balance vary between releases"),
            (self.no_experts_seen, "no mixture-of-experts runs were used for fitting"),
            (self.scale, "more GPUs than in any run used for fitting"),
            (
                self.mixers == MixerClass::Recurrent,
                "few measured runs have recurrent layers (Mamba, DeltaNet)",
            ),
            (self.mixers == MixerClass::Sparse, "few measured runs have sparse or compressed attention"),
            (self.encoder > 0.0, "no measured run has an encoder in front of the decoder"),
            (self.uncounted != UncountedParts::None, self.uncounted.doubt()),
            (
                self.utilisation(step) < LOW_UTILISATION,
                "low utilisation: a large part of the step is not GEMMs",
            ),
        ]
        .into_iter()
        .filter_map(|(applies, reason)| applies.then_some(reason))
        .collect()
    }
}

/// Whether constants were fitted to runs of such software.
fn is_measured(profile: &StackProfile) -> bool {
    profile.runs == MeasuredRuns::Many
}

impl Predictor<'_> {
    /// The 90 % interval around a forecast step.
    pub fn interval(&self, scenario: &Scenario, step: Seconds) -> Interval {
        let (low, high) = self.interval_ends(scenario, step);
        let class = self.width_class(scenario, self.of_evidence(scenario, step));
        let own = WIDTHS.iter().find(|row| row.class == class);
        let [runs, publications] = match scenario.model.mixer_class() {
            MixerClass::Recurrent => [RECURRENT.runs, RECURRENT.publications],
            MixerClass::Attention | MixerClass::Sparse => {
                own.map_or([0; 2], |row| [row.runs, row.publications])
            }
        };
        let own_runs = self.own.iter().filter(|run| run.concerns(scenario)).count() as u32;
        Interval { low, high, runs, publications, reasons: self.doubts(scenario).reasons(step), own_runs }
    }

    /// Lower and upper end of the 90 % interval around a forecast step, without allocating.
    pub fn interval_ends(&self, scenario: &Scenario, step: Seconds) -> (Seconds, Seconds) {
        self.width(scenario, step).around(step)
    }

    /// The same of a run whose source leaves open something that its time hangs on.
    pub fn open_interval_ends(&self, scenario: &Scenario, step: Seconds) -> (Seconds, Seconds) {
        self.width_by(self.doubts(scenario).open(), scenario, step).around(step)
    }

    /// Half-widths around a forecast step: `w = sqrt(w_class^2 + sum of squares of the others that apply)`.
    pub(super) fn width(&self, scenario: &Scenario, step: Seconds) -> HalfWidths {
        self.width_by(self.doubts(scenario), scenario, step)
    }

    fn width_by(&self, doubts: UncertaintySources, scenario: &Scenario, step: Seconds) -> HalfWidths {
        doubts.width_of(doubts.of_class(&WIDTHS, self.of_evidence(scenario, step)), self.constants)
    }

    /// The step whose utilisation says what runs a job is like. A measured step of the user's does not change that: it is the
    /// forecast without it.
    fn of_evidence(&self, scenario: &Scenario, step: Seconds) -> Seconds {
        if OwnEvidence::of(self.own, scenario) == OwnEvidence::None {
            return step;
        }
        Self { constants: self.unadjusted, own: &[], ..*self }.step_time(scenario)
    }

    /// Half-widths around a forecast step: those of its class, of every other reason for doubt by its name, and of all together.
    pub(crate) fn half_widths(
        &self,
        scenario: &Scenario,
        step: Seconds,
    ) -> (HalfWidths, [(&'static str, f64, bool); 4], HalfWidths) {
        let doubts = self.doubts(scenario);
        let of_class = doubts.of_class(&WIDTHS, self.of_evidence(scenario, step));
        (of_class, doubts.others(self.constants), self.width(scenario, step))
    }

    /// Half-widths below and above a forecast step of a job by another table of classes, and whether something is left open.
    pub fn half_widths_by(
        &self,
        classes: &[ClassWidths],
        scenario: &Scenario,
        step: Seconds,
        open: bool,
    ) -> (f64, f64) {
        let doubts = self.doubts(scenario);
        let doubts = if open { doubts.open() } else { doubts };
        let widths = doubts.width_of(doubts.of_class(classes, step), self.constants);
        (widths.below, widths.above)
    }

    /// The class of a job whose step is forecast to take so long.
    pub fn width_class(&self, scenario: &Scenario, step: Seconds) -> WidthClass {
        let doubts = self.doubts(scenario);
        doubts.class(band_of(doubts.utilisation(step)))
    }

    /// What is known of a scenario's software.
    pub fn software_evidence(&self, scenario: &Scenario) -> SoftwareEvidence {
        let doubts = self.doubts(scenario);
        match (doubts.stack, doubts.kind_alone) {
            (_, true) => SoftwareEvidence::KindAlone,
            (true, false) => SoftwareEvidence::Named,
            (false, false) => SoftwareEvidence::Measured,
        }
    }

    /// Whether there are hardly any measured runs on a scenario's generation of GPUs.
    pub fn has_new_gpus(&self, scenario: &Scenario) -> bool {
        self.doubts(scenario).gpu
    }

    /// Whether there are no measured runs of a scenario's software, or on its generation of GPUs.
    pub fn is_unmeasured(&self, scenario: &Scenario) -> bool {
        let doubts = self.doubts(scenario);
        doubts.stack || doubts.gpu
    }

    pub(super) fn doubts(&self, scenario: &Scenario) -> UncertaintySources {
        let doubts = match self.evidence {
            None => UncertaintySources::shipped(scenario),
            Some(evidence) => {
                let seen = Seen {
                    software: evidence.has(&scenario.software),
                    gpu: evidence.gpus.contains(&scenario.cluster.gpu.family),
                    experts: evidence.experts,
                    most_gpus: evidence.most_gpus,
                };
                UncertaintySources::of(scenario, &seen)
            }
        };
        UncertaintySources { own: OwnEvidence::of(self.own, scenario), ..doubts }
    }
}

/// How many of [`BANDS`] a utilisation reaches.
fn band_of(utilisation: f64) -> usize {
    BANDS.iter().take_while(|begin| utilisation >= **begin).count()
}

impl CalibrationEvidence {
    /// Evidence of some runs.
    pub fn of<'a>(runs: impl IntoIterator<Item = &'a Scenario>) -> Self {
        let mut evidence = Self { stacks: Vec::new(), gpus: Vec::new(), experts: false, most_gpus: 0 };
        for scenario in runs {
            let (profile, gpu) = (scenario.software.profile(), scenario.cluster.gpu.family);
            let stack = (scenario.software.stack, profile.since);
            if is_measured(profile) && !evidence.stacks.contains(&stack) {
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

    /// Whether there are measured runs of some software.
    fn has(&self, software: &Software) -> bool {
        self.stacks.contains(&(software.stack, software.profile().since))
    }

    /// Evidence of the shipped constants.
    pub fn shipped() -> Self {
        let seen = |gpu: &GpuFamily| gpu.generation().runs == MeasuredRuns::Many;
        let gpus = GpuFamily::ALL.iter().map(|entry| entry.0).filter(seen).collect();
        let measured = measured_stacks().filter(|(_, profile)| is_measured(profile));
        let stacks = measured.map(|(stack, profile)| (stack, profile.since)).collect();
        Self { stacks, gpus, experts: true, most_gpus: MOST_GPUS }
    }
}
