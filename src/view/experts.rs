//! What a job sends to experts, under choices that are made beside it.

use crate::plan::Recompute;
use crate::scenario::Scenario;
use crate::traffic::experts::ExpertJob;

/// The expert layers to look at, for a job whose model does not say.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Choices {
    /// Ranks that share a layer's experts.
    pub ranks: u32,
    /// Experts of a layer.
    pub experts: u32,
    /// Experts of a token, at most.
    pub top_k: u32,
    /// Tokens that an expert takes, over an even share; nothing drops none.
    pub capacity_factor: Option<f64>,
}

/// Eight experts, one a rank, two a token: Mixtral's.
pub const DEFAULT: Choices = Choices { ranks: 8, experts: 8, top_k: 2, capacity_factor: None };

/// The expert layers of one rank if every layer of the job's model were one.
pub fn job(scenario: &Scenario, choices: &Choices) -> ExpertJob {
    let plan = &scenario.plan;
    let split =
        plan.context_parallel.max(1) * if plan.sequence_parallel { plan.tensor_parallel.max(1) } else { 1 };
    ExpertJob {
        ranks: choices.ranks,
        experts: choices.experts,
        top_k: choices.top_k,
        tokens: plan.micro_batch.saturating_mul(scenario.workload.sequence) / split.max(1),
        hidden: scenario.model.hidden,
        layers: scenario.model.layers.div_ceil(plan.pipeline_parallel.max(1)),
        micro_batches: scenario.micro_batches(),
        capacity_factor: choices.capacity_factor,
        forward_passes: if plan.recompute == Recompute::Full { 2 } else { 1 },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Document;
    use crate::traffic::experts::{ExpertTraffic, Gate};

    #[test]
    fn a_rank_sends_its_tokens_there_and_back_in_every_layer_and_micro_batch() {
        let link = "#1;m=llama3-8b;g=dgx-h100;n=64;tp=2;pp=2;sp=1;seq=4096;mb=2;gb=512";
        let scenario = Document::from_link(link).expect("a link").document.scenario().expect("a scenario");
        let job = job(&scenario, &DEFAULT);
        // 2 sequences of 4096 tokens over 2 tensor-parallel ranks; 32 layers over 2 stages; 512 / (16 * 2).
        assert_eq!((job.tokens, job.layers, job.micro_batches, job.forward_passes), (4096, 16, 16, 1));
        // Converged: each token uses both choices. Seven eighths of them leave the rank, both ways, and the
        // same again backward: 4096 * 2 * 7/8 * 4096 * 2 B * 4 * 16 * 16 at all ranks together, times 8.
        let traffic = ExpertTraffic::new(&job, &Gate::default(), 1e9).expect("legal");
        let expected = 8.0 * 4096.0 * 2.0 * 7.0 / 8.0 * 4096.0 * 2.0 * 4.0 * 256.0;
        assert!((traffic.total().mean.0 / expected - 1.0).abs() < 1e-6, "{}", traffic.total().mean.0);
    }
}
