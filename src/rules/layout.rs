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
        explain: |s, rule| tensor_error(s, rule, format!("the {} attention heads", s.model.heads)),
    },
    Rule {
        broken: |s| {
            !s.model.kv_heads.is_multiple_of(s.plan.tensor_parallel)
                && !s.plan.tensor_parallel.is_multiple_of(s.model.kv_heads)
        },
        explain: |s, rule| {
            tensor_error(s, rule, format!("the {} key/value heads, nor do they divide it", s.model.kv_heads))
        },
    },
    Rule {
        broken: |s| {
            let (heads, ranks) = (s.model.full_heads.kv_heads, s.plan.tensor_parallel);
            heads > 0 && !heads.is_multiple_of(ranks) && !ranks.is_multiple_of(heads)
        },
        explain: |s, rule| {
            let heads = s.model.full_heads.kv_heads;
            tensor_error(
                s,
                rule,
                format!("the {heads} key/value heads of full layers, nor do they divide it"),
            )
        },
    },
    Rule {
        broken: |s| {
            let heads = s.model.recurrent.heads;
            heads > 0 && !heads.is_multiple_of(s.plan.tensor_parallel)
        },
        explain: |s, rule| {
            tensor_error(s, rule, format!("the {} heads of the recurrent mixer", s.model.recurrent.heads))
        },
    },
    Rule {
        broken: |s| {
            let latent = &s.model.output_latent;
            latent.rank > 0 && !latent.groups.is_multiple_of(s.plan.tensor_parallel)
        },
        explain: |s, rule| {
            tensor_error(s, rule, format!("the {} groups of output latents", s.model.output_latent.groups))
        },
    },
    Rule {
        broken: |s| !s.model.ffn.is_multiple_of(s.plan.tensor_parallel),
        explain: |s, rule| tensor_error(s, rule, format!("the feed-forward size {}", s.model.ffn)),
    },
];

/// How sequences are split.
pub(super) static SEQUENCE_RULES: &[Rule] = &[
    Rule {
        broken: |s| s.plan.sequence_parallel && s.plan.tensor_parallel == 1,
        explain: |_, _| {
            let problem = "Sequence parallelism needs a tensor-parallel group of at least 2; switch it off.";
            FieldError::new("sp", problem).suggest(["0".to_owned()])
        },
    },
    Rule {
        broken: |s| !s.workload.sequence.is_multiple_of(sequence_parts(s)),
        explain: |s, rule| {
            let (sequence, context) = (s.workload.sequence, s.plan.context_parallel);
            if context > 1 {
                let legal = nearest(s, rule, "cp", (1..=context.saturating_mul(2)).collect::<Vec<_>>());
                let parts = u64::from(context) * 2;
                return error(
                    "cp",
                    format!(
                        "Context parallelism cuts a sequence into {parts} equal pieces, which {sequence} tokens do not give"
                    ),
                    legal,
                );
            }
            let legal = nearest(s, rule, "seq", around(sequence, sequence_parts(s)));
            error(
                "seq",
                format!(
                    "Sequence parallelism splits a sequence over {} GPUs, which {sequence} tokens do not give evenly",
                    s.plan.tensor_parallel
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
                    "Tokens are exchanged for heads over {ranks} GPUs (tensor x context), which do not divide {} heads and {} of keys and values evenly",
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
            let problem = "Queries of sparse attention select among the keys of the whole sequence, which every GPU of a context-parallel group has only after an all-gather";
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
            "Context parallelism splits the {heads} heads of the recurrent mixer, which {} x {} GPUs do not divide",
            s.plan.tensor_parallel, s.plan.context_parallel
        );
        error("cp", problem, legal)
    },
}];

/// What is recomputed.
pub(super) static RECOMPUTE_RULES: &[Rule] = &[Rule {
    broken: |s| matches!(s.plan.recompute, Recompute::Modules(set) if set.is_empty()),
    explain: |_, _| error("rcm", "No module to recompute is chosen".to_owned(), vec!["norms,act".to_owned()]),
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
                format!("{} stages are more than the {} layers", s.plan.pipeline_parallel, s.model.layers),
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
            error(
                "vpp",
                "Virtual stages need a pipeline of at least 2 stages".to_owned(),
                vec!["1".to_owned()],
            )
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
                "Virtual stages need micro-batches in multiples of the {} stages, and each replica has {}",
                s.plan.pipeline_parallel,
                s.micro_batches()
            ),
            vec!["1".to_owned()],
        )
    },
}];

pub(super) fn tensor_error(s: &Scenario, rule: &Rule, what: String) -> FieldError {
    let legal = nearest(s, rule, "tp", divisors(s.model.heads));
    error("tp", format!("Tensor parallel {} does not divide {what}", s.plan.tensor_parallel), legal)
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
    let product = format!(
        "tensor {} \u{d7} context {} \u{d7} pipeline {}",
        plan.tensor_parallel, plan.context_parallel, plan.pipeline_parallel
    );
    let problem = if group > u64::from(gpus) {
        format!("One replica takes {group} GPUs ({product}), more than the {gpus} there are")
    } else {
        format!("One replica takes {group} GPUs ({product}), which do not divide {gpus}")
    };
    error(key, problem, legal)
}

fn virtual_stage_error(s: &Scenario, rule: &Rule) -> FieldError {
    let (slots, parts) = (layer_slots(s), virtual_stages(s));
    let counted = match s.plan.stage_split {
        StageSplit::Even => format!("{slots} layers"),
        StageSplit::CountEnds => format!("{} layers and the two ends", s.model.layers),
        StageSplit::Given(list) => format!("{} layers", list.layers()),
    };
    let problem = format!("{counted} do not give {parts} virtual stages equal shares");
    let ends = u64::from(s.model.layers) + 2;
    if s.plan.stage_split == StageSplit::Even && ends.is_multiple_of(parts) {
        let problem = format!("{problem}, but they do when the ends count as layers");
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
            format!("Micro-batches of {micro} do not divide the {share} sequences of one replica"),
            legal,
        );
    }
    let unit = replicas.saturating_mul(micro);
    let legal = nearest(s, rule, "gb", around(batch, unit));
    error(
        "gb",
        format!("A global batch of {batch} is no multiple of {replicas} replicas times micro-batch {micro}"),
        legal,
    )
}
