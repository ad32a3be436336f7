//! What a run has to have done so that it fitted, where its source leaves that out: it ran.
//!
//! A file's blank is what the stack's users would run, and a job read so may be larger than its GPU. Then what fills the memory
//! was not there: a usual measure against it is assumed, one after the other, until the job fits. A job that no measure makes
//! fit stays as it was read.

use super::check;
use super::defaults::fill_recompute;
use super::options::options;
use super::programs::{ADAPTERS_OF_ATTENTION, ColumnValues, RANK, SIXTEEN_BITS};
use crate::memory::{MemoryReport, report, stage_memory};
use crate::scenario::cluster::GpuFamily;
use crate::scenario::stack::Attention;
use crate::scenario::{BaseFormat, Precision, Scenario};

/// First year of adapters as a way to train: Hugging Face's PEFT appeared in February 2023.
const ADAPTERS_SINCE: u16 = 2023;

/// Most GPUs of a job that is taken to train adapters where its source does not say so: larger ones train models from the
/// start. Assumed.
const MOST_ADAPTED: u32 = 32;

/// Year of FlashAttention (arXiv 2205.14135); that of FlashAttention-2 (arXiv 2307.08691) is the next.
const FLASH_ATTENTION_SINCE: u16 = 2022;

/// A way to need less memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Measure {
    /// An attention kernel that never writes scores.
    FlashAttention,
    /// Head and loss a part at a time.
    LossInParts,
    /// Weights, gradients and states of 16 bits, without a 32-bit copy.
    SixteenBits,
    /// Adapters on frozen weights.
    Adapters,
    /// Frozen weights of fewer bits.
    SmallBase,
}

/// Fills an empty `recompute`, and what else is blank and has to have been otherwise for the job to fit: nothing where the row is of
/// a measured peak alone, which tests just that. Says what was assumed.
pub(super) fn fill<'a>(
    scenario: &mut Scenario,
    get: &impl Fn(&str) -> &'a str,
    offloads: bool,
) -> Vec<String> {
    let recomputes = get("recompute").is_empty();
    let complete = |scenario: Scenario| with_recompute(scenario, recomputes, offloads);
    let as_read = complete(*scenario);
    let tests_memory = !get("peak_gib").is_empty() && get("iteration_s").is_empty();
    let read = Read { scenario: as_read.0, get, complete: &complete };
    let taken = if tests_memory { Vec::new() } else { read.measures() };
    let (filled, recompute) = read.with(&taken);
    *scenario = filled;
    recompute.into_iter().chain(taken.iter().map(|measure| measure.said(&filled))).collect()
}

/// The scenario with the usual recompute where none is stated, and what that is.
fn with_recompute(mut scenario: Scenario, usual: bool, offloads: bool) -> (Scenario, Option<String>) {
    let said = usual.then(|| fill_recompute(&mut scenario, offloads));
    (scenario, said)
}

/// A job as its row is read.
struct Read<'r, G, C> {
    scenario: Scenario,
    get: &'r G,
    complete: &'r C,
}

impl<'a, G: Fn(&str) -> &'a str, C: Fn(Scenario) -> (Scenario, Option<String>)> Read<'_, G, C> {
    /// The job with measures taken.
    fn with(&self, measures: &[Measure]) -> (Scenario, Option<String>) {
        let mut scenario = self.scenario;
        for measure in measures {
            measure.apply(&mut scenario, self.get);
        }
        (self.complete)(scenario)
    }

    /// Measures with which the job fits and without any one of which it does not; none where it fits, or none help.
    fn measures(&self) -> Vec<Measure> {
        let mut taken = Vec::new();
        while let MemoryReport { fits: false, worst_stage, .. } = report(&self.with(&taken).0) {
            let Some(next) = self.next(worst_stage, &taken) else { return Vec::new() };
            taken.push(next);
        }
        for measure in taken.clone() {
            let others: Vec<Measure> = taken.iter().copied().filter(|other| *other != measure).collect();
            let smaller_base = measure == Measure::Adapters && others.contains(&Measure::SmallBase);
            if !smaller_base && report(&self.with(&others).0).fits {
                taken = others;
            }
        }
        taken
    }

    /// The first measure that was not taken yet against what fills the memory most, else against the next, of those that the software
    /// has, the job can be run with and no column speaks about. Whether all parameters are trained is asked last.
    fn next(&self, worst_stage: u32, taken: &[Measure]) -> Option<Measure> {
        use Measure::{Adapters, FlashAttention, LossInParts, SixteenBits, SmallBase};
        let scenario = self.with(taken).0;
        let mut parts = stage_memory(&scenario, worst_stage).parts();
        parts.sort_by(|one, other| other.2.0.total_cmp(&one.2.0));
        let against = |part: &str| match part {
            "weights" | "gradients" | "optimizer" => SixteenBits,
            "logits" => LossInParts,
            _ => FlashAttention,
        };
        let runs = |measure: Measure| {
            let mut tried = scenario;
            measure.apply(&mut tried, self.get);
            check::job(&tried).is_ok()
        };
        let is_open = |measure: &Measure| {
            !taken.contains(measure)
                && measure.is_open(&scenario)
                && measure.is_left_open(&scenario, self.get)
                && runs(*measure)
        };
        parts.iter().map(|part| against(part.0)).chain([Adapters, SmallBase]).find(is_open)
    }
}

impl Measure {
    /// What it puts into columns.
    fn columns(self, scenario: &Scenario) -> ColumnValues {
        let Scenario { software, workload, cluster, .. } = scenario;
        match self {
            // FlashAttention-2 is not written for Volta and Turing.
            Self::FlashAttention
                if software.year <= FLASH_ATTENTION_SINCE
                    || matches!(cluster.gpu.family, GpuFamily::Volta | GpuFamily::Turing) =>
            {
                &[("attention_kernel", "fa1")]
            }
            Self::FlashAttention => &[("attention_kernel", "fa2")],
            Self::LossInParts => &[("loss", "linear")],
            Self::SixteenBits => SIXTEEN_BITS,
            Self::Adapters => ADAPTERS_OF_ATTENTION,
            Self::SmallBase if workload.precision == Precision::Fp8 => &[("base_bits", "8")],
            Self::SmallBase => &[("base_bits", "nf4")],
        }
    }

    /// Whether no column speaks about it. Adapters are said by their rank, and formats are said of what is trained.
    fn is_left_open<'a>(self, scenario: &Scenario, get: &impl Fn(&str) -> &'a str) -> bool {
        let blank = |columns: ColumnValues| columns.iter().all(|column| get(column.0).is_empty());
        match self {
            Self::Adapters => blank(&[RANK]) && blank(SIXTEEN_BITS),
            _ => blank(self.columns(scenario)),
        }
    }

    /// Whether users of the software take it, and it does something here. Programs of one's own do as they please; what a
    /// known stack does is in its profile.
    fn is_open(self, scenario: &Scenario) -> bool {
        let Scenario { software, training, cluster, .. } = scenario;
        let own = software.stack.is_a_kind();
        match self {
            Self::FlashAttention => {
                scenario.attention() == Attention::Unfused && software.year >= FLASH_ATTENTION_SINCE
            }
            Self::LossInParts => own,
            Self::SixteenBits => own && !training.adapters.freeze(),
            Self::Adapters => own && software.year >= ADAPTERS_SINCE && cluster.gpus <= MOST_ADAPTED,
            Self::SmallBase => own && training.adapters.freeze(),
        }
    }

    /// Takes it, of what a row leaves blank.
    fn apply<'a>(self, scenario: &mut Scenario, get: &impl Fn(&str) -> &'a str) {
        let columns = self.columns(scenario);
        let assumed = |column: &str| {
            let of_measure = columns.iter().find(|entry| entry.0 == column && get(column).is_empty());
            of_measure.map_or("", |entry| entry.1)
        };
        let mut taken = *scenario;
        if options(&assumed, &mut taken).is_ok() {
            *scenario = taken;
        }
    }

    /// What is assumed, in words.
    fn said(self, scenario: &Scenario) -> String {
        let what = match self {
            Self::FlashAttention => "FlashAttention",
            Self::LossInParts => "a loss in parts",
            Self::SixteenBits => "weights and states of 16 bits",
            Self::Adapters => "adapters beside frozen weights",
            Self::SmallBase if scenario.training.adapters.base == BaseFormat::Bits8 => {
                "frozen weights of 8 bits"
            }
            Self::SmallBase => "frozen weights of 4 bits",
        };
        format!("{what}, {TO_FIT}")
    }
}

/// Why a measure is assumed.
const TO_FIT: &str = "as it would not fit otherwise";
