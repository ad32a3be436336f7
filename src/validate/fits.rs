//! Settings that a run must have had to fit in memory, if its source does not state them.
//!
//! Blanks of a file get the defaults of the stack's users, and such a job may be larger than its GPU. Then the usual
//! memory-saving measures are assumed, one after another, until the job fits. A job that no measure makes fit is left
//! unchanged.

use super::check;
use super::defaults::fill_recompute;
use super::options::options;
use super::programs::{ADAPTERS_OF_ATTENTION, ColumnValues, RANK, SIXTEEN_BITS};
use crate::memory::{MemoryReport, report, stage_memory};
use crate::scenario::cluster::GpuFamily;
use crate::scenario::stack::Attention;
use crate::scenario::{BaseFormat, Precision, Scenario};

/// First year of adapters for training: Hugging Face's PEFT appeared in February 2023.
const ADAPTERS_SINCE: u16 = 2023;

/// Most GPUs of a job that is assumed to train adapters if its source does not say so: larger ones train models from
/// scratch. Assumed.
const MOST_ADAPTED: u32 = 32;

/// Year of FlashAttention (arXiv 2205.14135); that of FlashAttention-2 (arXiv 2307.08691) is the next.
const FLASH_ATTENTION_SINCE: u16 = 2022;

/// A memory-saving measure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Measure {
    /// An attention kernel that never writes scores.
    FlashAttention,
    /// Head and loss in chunks.
    LossInParts,
    /// 16-bit weights, gradients and states, without a 32-bit copy.
    SixteenBits,
    /// Adapters on frozen weights.
    Adapters,
    /// Quantized frozen weights.
    SmallBase,
}

/// Fills an empty `recompute`, and other blanks so that the job fits; nothing for rows of a measured peak, which test
/// exactly that. Returns the assumptions.
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

/// The scenario with the usual recompute if none is stated, and which one.
fn with_recompute(mut scenario: Scenario, usual: bool, offloads: bool) -> (Scenario, Option<String>) {
    let said = usual.then(|| fill_recompute(&mut scenario, offloads));
    (scenario, said)
}

/// A job as read from its row.
struct Read<'r, G, C> {
    scenario: Scenario,
    get: &'r G,
    complete: &'r C,
}

impl<'a, G: Fn(&str) -> &'a str, C: Fn(Scenario) -> (Scenario, Option<String>)> Read<'_, G, C> {
    /// The job with these measures.
    fn with(&self, measures: &[Measure]) -> (Scenario, Option<String>) {
        let mut scenario = self.scenario;
        for measure in measures {
            measure.apply(&mut scenario, self.get);
        }
        (self.complete)(scenario)
    }

    /// A minimal set of measures that makes the job fit; none if it fits, or none help.
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

    /// The first unused measure against the largest memory owner, else against the next, among those that the software
    /// supports, that are legal and that no column determines. Whether all parameters are trained comes last.
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
    /// Its columns.
    fn columns(self, scenario: &Scenario) -> ColumnValues {
        let Scenario { software, workload, cluster, .. } = scenario;
        match self {
            // FlashAttention-2 does not support Volta and Turing.
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

    /// Whether no column determines it. Adapters are stated by their rank, and formats by what is trained.
    fn is_left_open<'a>(self, scenario: &Scenario, get: &impl Fn(&str) -> &'a str) -> bool {
        let blank = |columns: ColumnValues| columns.iter().all(|column| get(column.0).is_empty());
        match self {
            Self::Adapters => blank(&[RANK]) && blank(SIXTEEN_BITS),
            _ => blank(self.columns(scenario)),
        }
    }

    /// Whether users of the software use it, and it has an effect here. Custom programs may do anything; a known
    /// stack's behaviour is in its profile.
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

    /// Applies it to a row's blanks.
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

    /// Assumptions, in words.
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
