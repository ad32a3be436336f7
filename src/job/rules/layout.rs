//! Rules for the layout, except its schedule and experts.

use super::{
    Rule, around, divisors, error, layer_slots, model_parallel, nearest, replicas, sequence_parts,
    virtual_stages,
};
use crate::error::FieldError;
use crate::scenario::Scenario;
use crate::scenario::model::Mixer;
use crate::scenario::plan::{ContextExchange, Recompute, StageSplit};

/// Tensor parallelism and the model.
pub(super) static TENSOR_RULES: &[Rule] = &[
    Rule {
        broken: |s| !s.model.heads.is_multiple_of(s.plan.tensor_parallel),
        explain: |s, rule| {
            let problem = format!("{} attention heads are not divisible by TP {}", s.model.heads, tensor(s));
            tensor_error(s, rule, problem)
        },
    },
    Rule {
        broken: |s| {
            !s.model.kv_heads.is_multiple_of(s.plan.tensor_parallel)
                && !s.plan.tensor_parallel.is_multiple_of(s.model.kv_heads)
        },
        explain: |s, rule| {
            let heads = s.model.kv_heads;
            let problem = format!(
                "TP {} must divide the {heads} key/value heads, or be a multiple of {heads}",
                tensor(s)
            );
            tensor_error(s, rule, problem)
        },
    },
    Rule {
        broken: |s| {
            let (heads, ranks) = (s.model.full_heads.kv_heads, s.plan.tensor_parallel);
            heads > 0 && !heads.is_multiple_of(ranks) && !ranks.is_multiple_of(heads)
        },
        explain: |s, rule| {
            let heads = s.model.full_heads.kv_heads;
            let problem = format!(
                "TP {} must divide the {heads} key/value heads of full-attention layers, or be a multiple of {heads}",
                tensor(s)
            );
            tensor_error(s, rule, problem)
        },
    },
    Rule {
        broken: |s| {
            let heads = s.model.recurrent.heads;
            heads > 0 && !heads.is_multiple_of(s.plan.tensor_parallel)
        },
        explain: |s, rule| {
            let heads = s.model.recurrent.heads;
            let problem =
                format!("{heads} heads of the recurrent mixer are not divisible by TP {}", tensor(s));
            tensor_error(s, rule, problem)
        },
    },
    Rule {
        broken: |s| {
            let latent = &s.model.output_latent;
            latent.rank > 0 && !latent.groups.is_multiple_of(s.plan.tensor_parallel)
        },
        explain: |s, rule| {
            let groups = s.model.output_latent.groups;
            tensor_error(s, rule, format!("{groups} output groups are not divisible by TP {}", tensor(s)))
        },
    },
    Rule {
        broken: |s| !s.model.ffn.is_multiple_of(s.plan.tensor_parallel),
        explain: |s, rule| {
            let problem = format!("Feed-forward size {} is not divisible by TP {}", s.model.ffn, tensor(s));
            tensor_error(s, rule, problem)
        },
    },
];

/// How sequences are split.
pub(super) static SEQUENCE_RULES: &[Rule] = &[
    Rule {
        broken: |s| s.plan.sequence_parallel && s.plan.tensor_parallel == 1,
        explain: |_, _| {
            let problem = "Sequence parallelism needs TP 2 or higher. Turn sequence parallelism off.";
            FieldError::new("sp", problem).suggest(["0".to_owned()])
        },
    },
    Rule {
        broken: |s| !s.workload.sequence.is_multiple_of(sequence_parts(s)),
        explain: |s, rule| {
            let (sequence, context) = (s.workload.sequence, s.plan.context_parallel);
            if context > 1 {
                let legal = nearest(s, rule, "cp", (1..=context.saturating_mul(2)).collect::<Vec<_>>());
                let parts = sequence_parts(s);
                return error(
                    "cp",
                    format!(
                        "CP {context} needs a sequence length divisible by {parts}, but the sequence length is {sequence}"
                    ),
                    legal,
                );
            }
            let legal = nearest(s, rule, "seq", around(sequence, sequence_parts(s)));
            error(
                "seq",
                format!(
                    "Sequence parallelism needs a sequence length divisible by TP {}, but the sequence length is {sequence}",
                    tensor(s)
                ),
                legal,
            )
        },
    },
];

/// Heads for the context-parallel exchange of tokens for heads: each rank gets equally many, of keys and values equally
/// many or copies.
pub(super) static HEAD_RULES: &[Rule] = &[
    Rule {
        broken: |s| {
            let ranks = u64::from(s.plan.tensor_parallel) * u64::from(s.plan.context_parallel);
            let (heads, kv_heads) = (u64::from(s.model.heads), u64::from(s.model.kv_heads));
            let swaps = s.plan.context_parallel > 1 && s.plan.context_exchange == ContextExchange::AllToAll;
            swaps
                && !(heads.is_multiple_of(ranks)
                    && (kv_heads.is_multiple_of(ranks) || ranks.is_multiple_of(kv_heads)))
        },
        explain: |s, rule| {
            let ranks = u64::from(s.plan.tensor_parallel) * u64::from(s.plan.context_parallel);
            let legal =
                nearest(s, rule, "cp", 1..=s.plan.context_parallel.saturating_mul(2).min(s.model.heads));
            error(
                "cp",
                format!(
                    "CP by all-to-all cannot split {} attention heads and {} key/value heads evenly over TP \u{d7} CP = {ranks} GPUs",
                    s.model.heads, s.model.kv_heads
                ),
                legal,
            )
        },
    },
    // Megatron-Core and slime gather keys in this case.
    Rule {
        broken: |s| {
            let few = |mixer: Mixer| mixer.selects() || mixer.compresses();
            s.plan.context_parallel > 1
                && s.plan.context_exchange != ContextExchange::AllGather
                && s.model.pattern.any(|letter| few(letter.mixer))
        },
        explain: |_, _| {
            let problem = "Sparse attention with CP needs all keys of the sequence on every GPU";
            error("cpx", problem.to_owned(), vec!["all-gather".to_owned()])
        },
    },
];

/// Heads of the recurrent mixer for the context-parallel exchange of tokens for heads, independent of attention.
pub(super) static MIXER_RULES: &[Rule] = &[Rule {
    broken: |s| {
        let ranks = u64::from(s.plan.tensor_parallel) * u64::from(s.plan.context_parallel);
        s.plan.context_parallel > 1
            && s.model.recurrent.heads > 0
            && !u64::from(s.model.recurrent.heads).is_multiple_of(ranks)
    },
    explain: |s, rule| {
        let heads = s.model.recurrent.heads;
        let legal = nearest(s, rule, "cp", 1..=s.plan.context_parallel.saturating_mul(2).min(heads.max(1)));
        let problem = format!(
            "{heads} heads of the recurrent mixer are not divisible by TP {} \u{d7} CP {}",
            s.plan.tensor_parallel, s.plan.context_parallel
        );
        error("cp", problem, legal)
    },
}];

/// What is recomputed.
pub(super) static RECOMPUTE_RULES: &[Rule] = &[Rule {
    broken: |s| matches!(s.plan.recompute, Recompute::Modules(set) if set.is_empty()),
    explain: |_, _| {
        error("rcm", "No modules are selected for recomputation".to_owned(), vec!["norms,act".to_owned()])
    },
}];

/// Replicas and the number of GPUs.
pub(super) static REPLICA_RULES: &[Rule] =
    &[Rule { broken: |s| replicas(s).is_none(), explain: group_error }];

/// Stages, virtual stages and the layers.
pub(super) static CHUNK_RULES: &[Rule] = &[
    Rule {
        broken: |s| s.plan.pipeline_parallel > layer_slots(s),
        explain: |s, rule| {
            let legal = nearest(s, rule, "pp", 1..=layer_slots(s));
            error(
                "pp",
                format!(
                    "PP {} needs at least one layer per stage, but the model has {} layers",
                    s.plan.pipeline_parallel, s.model.layers
                ),
                legal,
            )
        },
    },
    Rule {
        broken: |s| {
            s.plan.virtual_stages > 1
                && !matches!(s.plan.stage_split, StageSplit::Given(_))
                && !u64::from(layer_slots(s)).is_multiple_of(virtual_stages(s))
        },
        explain: virtual_stage_error,
    },
    Rule {
        broken: |s| s.plan.virtual_stages > 1 && s.plan.pipeline_parallel == 1,
        explain: |_, _| {
            error("vpp", "Virtual stages (VPP) need PP 2 or higher".to_owned(), vec!["1".to_owned()])
        },
    },
];

/// Micro-batches and the batch.
pub(super) static BATCH_RULES: &[Rule] = &[Rule {
    broken: |s| {
        replicas(s).is_some_and(|replicas| {
            !u64::from(s.workload.global_batch).is_multiple_of(replicas * u64::from(s.plan.micro_batch))
        })
    },
    explain: batch_error,
}];

/// Virtual stages and the micro-batches.
pub(super) static INTERLEAVING_RULES: &[Rule] = &[Rule {
    broken: |s| {
        let batches = replicas(s).map(|replicas| {
            u64::from(s.workload.global_batch) / (replicas * u64::from(s.plan.micro_batch)).max(1)
        });
        let row = s.plan.schedule.row();
        let demand = (row.micro_batches)(s.plan.pipeline_parallel, s.plan.virtual_stages);
        row.interleaves()
            && batches.is_some_and(|batches| !batches.is_multiple_of(u64::from(demand.multiple_of)))
    },
    explain: |s, _| {
        error(
            "vpp",
            format!(
                "Interleaved 1F1B needs a number of micro-batches divisible by PP {}, but each replica has {}",
                s.plan.pipeline_parallel,
                s.micro_batches()
            ),
            vec!["1".to_owned()],
        )
    },
}];

fn tensor(s: &Scenario) -> u32 {
    s.plan.tensor_parallel
}

pub(super) fn tensor_error(s: &Scenario, rule: &Rule, problem: String) -> FieldError {
    let legal = nearest(s, rule, "tp", divisors(s.model.heads));
    error("tp", problem, legal)
}

fn group_error(s: &Scenario, rule: &Rule) -> FieldError {
    let (gpus, group) = (s.cluster.gpus, model_parallel(s));
    let plan = &s.plan;
    let degrees =
        [("tp", plan.tensor_parallel), ("cp", plan.context_parallel), ("pp", plan.pipeline_parallel)];
    let key = degrees
        .iter()
        .find(|(_, degree)| !gpus.is_multiple_of(*degree))
        .or_else(|| degrees.iter().rev().find(|(_, degree)| *degree > 1))
        .map_or("pp", |entry| entry.0);
    let legal = nearest(s, rule, key, divisors(gpus));
    let names = ["TP", "CP", "PP"].into_iter().zip(degrees);
    let split = names.filter(|(_, (_, degree))| *degree > 1);
    let product: Vec<String> = split.map(|(name, (_, degree))| format!("{name} {degree}")).collect();
    let product = product.join(" \u{d7} ");
    let problem = if group > u64::from(gpus) {
        format!("{product} needs {group} GPUs, but the job has {gpus}")
    } else {
        format!("{product} needs a multiple of {group} GPUs, but the job has {gpus}")
    };
    error(key, problem, legal)
}

fn virtual_stage_error(s: &Scenario, rule: &Rule) -> FieldError {
    let (slots, parts) = (layer_slots(s), virtual_stages(s));
    let counted = match s.plan.stage_split {
        StageSplit::Even => format!("{slots} layers"),
        StageSplit::CountEnds => format!("{} layers plus 2 (embedding and LM head)", s.model.layers),
        StageSplit::Given(list) => format!("{} layers", list.layers()),
    };
    let problem = format!("{counted} are not divisible by {parts} virtual stages (PP \u{d7} VPP)");
    let ends = u64::from(s.model.layers) + 2;
    if s.plan.stage_split == StageSplit::Even && ends.is_multiple_of(parts) {
        let problem = format!("{problem} unless the first and last stages have fewer layers");
        return error("split", problem, vec!["ends".to_owned()]);
    }
    let legal = nearest(s, rule, "vpp", divisors(slots).chain([1]));
    error("vpp", problem, legal)
}

fn batch_error(s: &Scenario, rule: &Rule) -> FieldError {
    let (batch, micro, replicas) = (s.workload.global_batch, s.plan.micro_batch, s.data_parallel());
    if batch.is_multiple_of(replicas) {
        let share = batch / replicas;
        let legal = nearest(s, rule, "mb", divisors(share));
        return error(
            "mb",
            format!("{share} sequences per replica are not divisible by micro-batch {micro}"),
            legal,
        );
    }
    let unit = replicas.saturating_mul(micro);
    let legal = nearest(s, rule, "gb", around(batch, unit));
    error(
        "gb",
        format!("Global batch {batch} is not divisible by {replicas} replicas \u{d7} micro-batch {micro}"),
        legal,
    )
}
