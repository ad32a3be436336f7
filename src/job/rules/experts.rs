//! Rules for MoE models: how experts are assigned to ranks.

use super::{Rule, divisors, error, nearest, replicas};
use crate::error::FieldError;
use crate::scenario::Scenario;

pub(super) static RULES: &[Rule] = &[
    Rule {
        broken: |s| has_experts(s) && !s.model.experts.count.is_multiple_of(s.plan.expert_parallel),
        explain: |s, rule| {
            let legal = nearest(s, rule, "ep", divisors(s.model.experts.count));
            let (experts, dealt) = (s.model.experts.count, s.plan.expert_parallel);
            error("ep", format!("{experts} experts are not divisible by EP {dealt}"), legal)
        },
    },
    Rule {
        broken: |s| has_experts(s) && !s.model.experts.ffn.is_multiple_of(s.plan.expert_tensor_parallel),
        explain: |s, rule| {
            let legal = nearest(s, rule, "etp", divisors(s.model.experts.ffn));
            let (split, width) = (s.plan.expert_tensor_parallel, s.model.experts.ffn);
            error("etp", format!("Expert feed-forward size {width} is not divisible by ETP {split}"), legal)
        },
    },
    Rule {
        broken: |s| has_experts(s) && !experts_fill_stages(s),
        explain: |s, rule| {
            let stage = stage_ranks(s);
            let legal = nearest(s, rule, "ep", divisors(s.model.experts.count));
            let (dealt, split) = (s.plan.expert_parallel, s.plan.expert_tensor_parallel);
            error(
                "ep",
                format!(
                    "EP {dealt} \u{d7} ETP {split} must divide the {stage} GPUs of a stage, and must be a divisor or a multiple of TP \u{d7} CP"
                ),
                legal,
            )
        },
    },
    Rule {
        broken: |s| {
            has_experts(s)
                && s.plan.expert_parallel > 1
                && s.plan.tensor_parallel > 1
                && !s.plan.sequence_parallel
        },
        explain: |_, _| {
            let problem = "EP with TP needs sequence parallelism. Turn sequence parallelism on.";
            FieldError::new("sp", problem).suggest(["1".to_owned()])
        },
    },
];

pub(super) fn has_experts(s: &Scenario) -> bool {
    s.model.experts.count > 0
}

/// GPUs of one pipeline stage.
fn stage_ranks(s: &Scenario) -> u64 {
    replicas(s).unwrap_or(0) * u64::from(s.plan.tensor_parallel) * u64::from(s.plan.context_parallel)
}

/// Whether expert groups can be formed from a stage's ranks: axis by axis, each whole or in equal parts.
fn experts_fill_stages(s: &Scenario) -> bool {
    let split = u64::from(s.plan.expert_tensor_parallel);
    let group = split * u64::from(s.plan.expert_parallel);
    let tensor = u64::from(s.plan.tensor_parallel);
    let replica = tensor * u64::from(s.plan.context_parallel);
    let nests = |a: u64, b: u64| a > 0 && b > 0 && (a.is_multiple_of(b) || b.is_multiple_of(a));
    let stage = stage_ranks(s);
    // Degrees that do not fill the job break another rule.
    stage == 0
        || (stage.is_multiple_of(group)
            && [split, group].iter().all(|&ranks| nests(ranks, tensor) && nests(ranks, replica)))
}
