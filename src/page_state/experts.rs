//! What a job sends to experts, under choices that are not on the form.

use crate::scenario::Scenario;
use crate::scenario::plan::Recompute;
use crate::traffic::experts::ExpertJob;

/// The expert layers to look at.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ExpertChoices {
    /// Ranks that share a layer's experts.
    pub ranks: u32,
    /// Experts of a layer.
    pub experts: u32,
    /// Experts of a token, at most.
    pub top_k: u32,
    /// Tokens that an expert takes, over an even share; nothing drops none.
    pub capacity_factor: Option<f64>,
}

/// Ranks that share experts where the plan spreads none.
const RANKS: u32 = 8;

impl ExpertChoices {
    /// The experts of a job, shared as its plan says. A dense model gets Mixtral's: eight, two a token.
    pub fn of(scenario: &Scenario) -> Self {
        let experts = &scenario.model.experts;
        let (count, top_k) = if experts.count > 0 { (experts.count, experts.top_k) } else { (8, 2) };
        let spread = scenario.plan.expert_parallel;
        // The most ranks up to eight that share them evenly.
        let even = || (1..=RANKS).rev().find(|ranks| count.is_multiple_of(*ranks)).unwrap_or(1);
        let ranks = if experts.count > 0 && spread > 1 { spread } else { even() };
        Self { ranks, experts: count, top_k, capacity_factor: None }
    }
}

/// What is looked at, in a sentence.
pub fn premise(scenario: &Scenario) -> &'static str {
    match (scenario.model.experts.count, scenario.plan.expert_parallel) {
        (0, _) => "This model has no experts. The traffic below is for a model with experts in every layer.",
        (_, 0 | 1) => {
            "With EP 1, every rank holds all experts of a layer. The traffic below assumes experts distributed over the ranks entered below."
        }
        _ => "All-to-all traffic between the ranks of one EP group.",
    }
}

/// The expert layers of one rank: the model's, or every layer where it has none.
pub fn job(scenario: &Scenario, choices: &ExpertChoices) -> ExpertJob {
    let (plan, model) = (&scenario.plan, &scenario.model);
    let split =
        plan.context_parallel.max(1) * if plan.sequence_parallel { plan.tensor_parallel.max(1) } else { 1 };
    let layers = if model.experts.count > 0 { model.expert_layers() } else { model.layers };
    ExpertJob {
        ranks: choices.ranks,
        experts: choices.experts,
        top_k: choices.top_k,
        tokens: plan.micro_batch.saturating_mul(scenario.workload.sequence) / split.max(1),
        hidden: model.hidden,
        layers: layers.div_ceil(plan.pipeline_parallel.max(1)),
        micro_batches: scenario.micro_batches(),
        capacity_factor: choices.capacity_factor,
        forward_passes: if matches!(plan.recompute, Recompute::Full | Recompute::Every(_)) { 2 } else { 1 },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cost::Algorithm;
    use crate::document::Document;
    use crate::step::Parallelism;
    use crate::traffic::AxisOrder;
    use crate::traffic::experts::{ExpertTraffic, Gate};

    #[test]
    fn a_rank_sends_its_tokens_there_and_back_in_every_layer_and_micro_batch() {
        let link = "#1;m=llama3-8b;g=dgx-h100;n=64;tp=2;pp=2;sp=1;seq=4096;mb=2;gb=512";
        let scenario = Document::from_link(link).expect("a link").document.scenario().expect("a scenario");
        assert_eq!(
            ExpertChoices::of(&scenario),
            ExpertChoices { ranks: 8, experts: 8, top_k: 2, capacity_factor: None }
        );
        let job = job(&scenario, &ExpertChoices::of(&scenario));
        // 2 sequences of 4096 tokens over 2 tensor-parallel ranks; 32 layers over 2 stages; 512 / (16 * 2).
        assert_eq!((job.tokens, job.layers, job.micro_batches, job.forward_passes), (4096, 16, 16, 1));
        // Converged: each token uses both choices. Seven eighths of them leave the rank, both ways, and the
        // same again backward: 4096 * 2 * 7/8 * 4096 * 2 B * 4 * 16 * 16 at all ranks together, times 8.
        let traffic =
            ExpertTraffic::new(&job, &Gate::new(&crate::constants::Constants::SHIPPED), 1e9).expect("legal");
        let expected = 8.0 * 4096.0 * 2.0 * 7.0 / 8.0 * 4096.0 * 2.0 * 4.0 * 256.0;
        assert!((traffic.total().mean.0 / expected - 1.0).abs() < 1e-6, "{}", traffic.total().mean.0);
    }

    #[test]
    fn a_mixture_brings_its_own_experts() {
        // A library's all-to-all, which sends every copy of a token.
        let link = "#1;m=mixtral-8x7b;g=dgx-h100;n=64;year=2024;tp=2;pp=2;ep=4;gb=512";
        let scenario = Document::from_link(link).expect("a link").document.scenario().expect("a scenario");
        assert_eq!(
            ExpertChoices::of(&scenario),
            ExpertChoices { ranks: 4, experts: 8, top_k: 2, capacity_factor: None }
        );
        let job = job(&scenario, &ExpertChoices::of(&scenario));
        assert_eq!(job.layers, 16);
        // Once the gate is even, this is what the messages of one rank count: there and back.
        let even = Gate { skew_final: 0.0, ..Gate::new(&crate::constants::Constants::SHIPPED) };
        let sent = ExpertTraffic::new(&job, &even, 1e9).expect("legal").sent(0).mean.0;
        let order = AxisOrder::from(scenario.plan.mapping);
        let messages =
            crate::forecast::Predictor::SHIPPED.traffic(&scenario, order, Algorithm::Ring, 0).expect("legal");
        let of_experts = messages.totals.iter().find(|total| total.kind == Parallelism::ExpertParallel);
        let counted = of_experts.expect("experts").sent.0;
        assert!((sent / counted - 1.0).abs() < 1e-6, "{sent} {counted}");
    }
}
