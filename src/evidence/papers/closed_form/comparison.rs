//! The closed form against the detailed forecast, term by term, with the reasons for each difference.

use super::{EquationTerms, Notation, Origin, Parameters};
use crate::constants::Constants;
use crate::cost::{Collective, GroupPlacement, Rates, Work};
use crate::forecast::Prediction;
use crate::number::{fixed, integer, percent, significant};
use crate::scenario::Scenario;
use crate::scenario::plan::stages::stage_parameters;
use crate::scenario::plan::{Recompute, Schedule, Zero};
use crate::step::Groups;
use crate::units::Seconds;
use serde::Serialize;

/// Differences below this share of a term are not worth a sentence.
const NOTABLE: f64 = 1e-3;

/// One term of the step in both forecasts.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TermComparison {
    /// Key of the term: those of [`EquationTerms`], and those that the closed form leaves out.
    pub term: &'static str,
    /// The name of the term for people.
    pub label: &'static str,
    /// By the closed form.
    #[serde(rename = "closed_form_s")]
    pub closed_form: Seconds,
    /// By the detailed forecast.
    #[serde(rename = "detailed_s")]
    pub detailed: Seconds,
    /// Why they differ; the reasons' seconds add up to the difference.
    pub reasons: Vec<DifferenceReason>,
}

/// One reason why the detailed forecast differs from the closed form.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DifferenceReason {
    /// A whole sentence.
    pub sentence: String,
    /// What it adds to the closed form's term (negative: takes away).
    #[serde(rename = "seconds")]
    pub difference: Seconds,
}

/// One term while its reasons are collected.
struct Account {
    closed: f64,
    detailed: f64,
    /// The closed form with the reasons so far.
    running: f64,
    reasons: Vec<DifferenceReason>,
}

impl Account {
    fn new(closed: Seconds, detailed: Seconds) -> Self {
        Self { closed: closed.0, detailed: detailed.0, running: closed.0, reasons: Vec::new() }
    }

    /// What a reason adds.
    fn add(&mut self, seconds: f64, sentence: String) {
        let scale = self.closed.max(self.detailed);
        if seconds.abs() > NOTABLE * scale && scale > 0.0 {
            self.running += seconds;
            self.reasons.push(DifferenceReason { sentence, difference: Seconds(seconds) });
        }
    }

    /// What a reason multiplies the term by.
    fn scale(&mut self, factor: f64, sentence: String) {
        self.add(self.running * (factor - 1.0), sentence);
    }

    /// Closes the account: the rest has this reason.
    fn close(mut self, term: &'static str, label: &'static str, rest: &str) -> TermComparison {
        let left = self.detailed - self.running;
        self.add(left, rest.to_owned());
        TermComparison {
            term,
            label,
            closed_form: Seconds(self.closed),
            detailed: Seconds(self.detailed),
            reasons: self.reasons,
        }
    }
}

/// What the comparison needs of the detailed forecast.
struct Detail<'a> {
    scenario: &'a Scenario,
    notation: &'a Notation,
    parameters: &'a Parameters,
    terms: &'a EquationTerms,
    forecast: &'a Prediction,
    rates: Rates<'static>,
    groups: Groups,
    /// Number and layers of the slowest stage.
    slowest: (u32, f64),
}

/// Every term of both forecasts, in the order of equation 1, then those the closed form leaves out.
pub(super) fn compare(
    scenario: &Scenario,
    constants: &Constants,
    notation: &Notation,
    parameters: &Parameters,
    terms: &EquationTerms,
    forecast: &Prediction,
) -> Vec<TermComparison> {
    let slowest = forecast
        .stages
        .iter()
        .map(|row| (row.stage, f64::from(row.layers), row.forward + row.backward))
        .fold((0, 0.0, Seconds(-1.0)), |most, row| if row.2.0 > most.2.0 { row } else { most });
    let detail = Detail {
        scenario,
        notation,
        parameters,
        terms,
        forecast,
        rates: Rates::new(scenario, constants),
        groups: Groups::new(scenario),
        slowest: (slowest.0, slowest.1),
    };
    let breakdown = &forecast.breakdown;
    let mut rows =
        vec![detail.computation(), detail.tensor(), detail.pipeline(), detail.data(), detail.bubble()];
    let left_out =
        |term, label, detailed, rest| Account::new(Seconds::ZERO, detailed).close(term, label, rest);
    if breakdown.context_communication.0 > 0.0 {
        rows.push(left_out(
            "context_parallel",
            "Context-parallel communication",
            breakdown.context_communication,
            "The closed form does not model context parallelism.",
        ));
    }
    if breakdown.expert_communication.0 > 0.0 {
        rows.push(left_out(
            "expert_parallel",
            "Expert-parallel communication",
            breakdown.expert_communication,
            "The closed form does not model experts.",
        ));
    }
    rows.push(left_out(
        "optimizer",
        "Optimizer",
        breakdown.optimizer,
        "The closed form does not model the optimizer.",
    ));
    rows.push(left_out(
        "host",
        "Host and stragglers",
        breakdown.host,
        "The closed form does not model host overhead, stragglers and fixed work per step.",
    ));
    rows
}

impl Detail<'_> {
    fn computation(&self) -> TermComparison {
        let breakdown = &self.forecast.breakdown;
        let detailed = breakdown.forward + breakdown.backward + breakdown.recompute;
        let mut account = Account::new(self.terms.computation, detailed);
        self.blocks(&mut account);
        if self.scenario.plan.recompute != Recompute::Full {
            account.scale(
                6.0 / 8.0,
                "Equation 8 counts 8 FLOPs per parameter and token, including 2 for full recomputation. This layout recomputes less."
                    .to_owned(),
            );
        }
        if self.notation.parameters() > 0.0 {
            let Notation { b, s, .. } = *self.notation;
            let ratio = self.notation.flops().0 / (8.0 * self.notation.parameters() * b * s);
            account.scale(
                ratio,
                format!(
                    "Attention scores and the vocabulary: equation 11 counts {} times the FLOPs of equation 8.",
                    fixed(ratio, 3)
                ),
            );
        }
        let share = percent(self.parameters.utilisation.value);
        account.close(
            "computation",
            "Computation",
            &format!(
                "The detailed forecast has an efficiency per kernel instead of \u{3bc} = {share} for all kernels."
            ),
        )
    }

    /// The slowest stage's whole blocks instead of l/p.
    fn blocks(&self, account: &mut Account) {
        let even = self.notation.l / self.notation.p;
        let (stage, layers) = self.slowest;
        account.scale(
            layers / even,
            format!(
                "The slowest stage ({stage}) holds {} blocks, not l/p = {}.",
                integer(layers as u64),
                significant(even, 4)
            ),
        );
    }

    fn price(&self, kind: Collective, bytes: f64, group: GroupPlacement) -> f64 {
        self.rates.price(&Work::Collective { kind, bytes, group }).time.0
    }

    fn tensor(&self) -> TermComparison {
        let mut account =
            Account::new(self.terms.tensor_parallel, self.forecast.breakdown.tensor_communication);
        let plan = &self.scenario.plan;
        self.blocks(&mut account);
        if plan.recompute != Recompute::Full {
            account.scale(
                4.0 / 6.0,
                "Equation 2 counts 6 all-reduces per block. Without full recomputation there are 4."
                    .to_owned(),
            );
        }
        let at_an_end = self.slowest.0 == 0 || f64::from(self.slowest.0) + 1.0 == self.notation.p;
        if at_an_end {
            let one = self.price(Collective::AllReduce, self.notation.activation().0, self.groups.tensor);
            account.add(
                self.notation.m * one,
                "Equation 2 excludes the all-reduce of the parallel vocabulary, one per micro-batch."
                    .to_owned(),
            );
        }
        if plan.context_parallel > 1 {
            account.scale(
                1.0 / f64::from(plan.context_parallel),
                "CP divides every message, which equation 2 does not model.".to_owned(),
            );
        }
        account.add(
            -self.forecast.hidden.tensor.0,
            "TP communication partly overlaps with GEMMs. The closed form has no overlap.".to_owned(),
        );
        account.close(
            "tensor_parallel",
            "Tensor-parallel communication",
            rate_reason(self.parameters.tensor.origin),
        )
    }

    fn pipeline(&self) -> TermComparison {
        let plan = &self.scenario.plan;
        let mut account =
            Account::new(self.terms.pipeline_parallel, self.forecast.breakdown.pipeline_communication);
        let profile = self.scenario.software.profile();
        if plan.sequence_parallel || !profile.sends_whole_activations {
            account.scale(
                1.0 / self.notation.t,
                "Each TP rank sends its part of the activations. Equation 3 sends the full activations."
                    .to_owned(),
            );
        }
        if plan.virtual_stages > 1 {
            account.scale(
                f64::from(plan.virtual_stages),
                format!("{} virtual stages multiply the number of sends.", plan.virtual_stages),
            );
        }
        account.close(
            "pipeline_parallel",
            "Pipeline communication",
            "Only transfers on the critical path are exposed. The others overlap with kernels of other micro-batches.",
        )
    }

    fn data(&self) -> TermComparison {
        let mut account = Account::new(self.terms.data_parallel, self.forecast.breakdown.data_communication);
        let plan = &self.scenario.plan;
        let first = stage_parameters(&self.scenario.model, plan, 0).total();
        let even = self.notation.parameters() / (self.notation.p * self.notation.t);
        account.scale(
            first / even,
            format!(
                "The first stage holds {} M parameters per GPU with its embedding, not N/(pt) = {} M.",
                fixed(first / 1e6, 1),
                fixed(even / 1e6, 1)
            ),
        );
        let profile = self.scenario.software.profile();
        let tied = self.scenario.model.tied_embeddings && profile.embedding_sync;
        if self.notation.p > 1.0 && tied {
            let table = stage_parameters(&self.scenario.model, plan, 0).embedding
                - self.scenario.model.position_parameters() as f64;
            let time =
                self.price(Collective::AllReduce, table * profile.reduce_bytes, self.groups.first_and_last);
            account.add(
                time,
                "Equation 4 excludes the all-reduce of the tied embedding gradient between first and last stage."
                    .to_owned(),
            );
        }
        account.add(
            -self.forecast.hidden.data.0,
            "DP communication partly overlaps with the backward pass. The closed form has no overlap."
                .to_owned(),
        );
        let rest = match plan.zero {
            Zero::None => rate_reason(self.parameters.data.origin),
            Zero::Optimizer | Zero::Gradients => {
                "The layout uses separate reduce-scatter and all-gather messages."
            }
            Zero::Parameters | Zero::Hybrid => {
                "Every micro-batch has a parameter all-gather and a gradient reduce-scatter. Equation 4 has one all-reduce per step."
            }
        };
        account.close("data_parallel", "Data-parallel communication", rest)
    }

    fn bubble(&self) -> TermComparison {
        let mut account = Account::new(self.terms.bubble, self.forecast.breakdown.bubble);
        let closed = self.terms.computation + self.terms.tensor_parallel + self.terms.pipeline_parallel;
        let breakdown = &self.forecast.breakdown;
        let detailed = breakdown.forward
            + breakdown.backward
            + breakdown.recompute
            + breakdown.tensor_communication
            + breakdown.context_communication
            + breakdown.expert_communication;
        if closed.0 > 0.0 {
            account.scale(
                detailed / closed,
                "The bubble depends on the micro-batch time, which differs between the forecasts. The closed form excludes hop latency."
                    .to_owned(),
            );
        }
        let plan = &self.scenario.plan;
        if plan.schedule == Schedule::OneForwardOneBackward {
            let virtual_stages = plan.virtual_stages.max(1);
            account.scale(
                1.0 / f64::from(virtual_stages),
                format!("{virtual_stages} virtual stages divide the bubble. Equation 5 assumes 1F1B without interleaving."),
            );
        }
        let rest = if plan.schedule.splits_backward() {
            "Weight gradients fill the bubble of equation 5 (1F1B), and stage times differ."
        } else {
            "Stage times differ because of embedding, LM head, host and whole layers."
        };
        account.close("bubble", "Pipeline bubble", rest)
    }
}

/// Why the same messages take another time.
fn rate_reason(origin: Origin) -> &'static str {
    match origin {
        Origin::Given => "The custom bandwidth differs from the effective bandwidth of these messages.",
        _ => "Message sizes and latency differ.",
    }
}
