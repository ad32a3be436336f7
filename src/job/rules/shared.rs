//! Rules for shared blocks, and for sizes of layers in a pattern.

use super::{Rule, error};
use crate::scenario::model::{FeedForward, Layers, Mixer, MixerParts};

/// Shared blocks, and their requirements.
pub(super) static RULES: &[Rule] = &[
    Rule {
        broken: |s| s.model.shared.count == 0 && s.model.pattern.any(|letter| letter.shares),
        explain: |_, _| {
            let problem = "The layer pattern uses shared blocks, but the number of shared blocks is 0";
            error("blk", problem.to_owned(), vec!["1".to_owned()])
        },
    },
    Rule {
        broken: |s| {
            let blocks = s.model.shared.count;
            blocks > 0 && !Layers::new(&s.model).blocks_repeat(blocks)
        },
        explain: |s, _| {
            let blocks = s.model.shared.count;
            let problem = format!(
                "{blocks} shared blocks need at least {blocks} layers that share weights, and layer types that repeat every {blocks} layers"
            );
            let none = if s.model.pattern.any(|letter| letter.shares) { "1" } else { "0" };
            error("blk", problem, vec![none.to_owned()])
        },
    },
    Rule {
        broken: |s| {
            let shared = &s.model.shared;
            let of_use = shared.count > 0 && (shared.reads_embeddings || shared.adapter_rank > 0);
            let plain = s.model.latent.kv_rank == 0 && s.model.output_latent.rank == 0;
            of_use
                && !Layers::new(&s.model).kinds().iter().filter(|kind| kind.shares).all(|kind| {
                    plain
                        && kind.mixer.parts() == MixerParts::Attention
                        && kind.feed_forward == FeedForward::Dense
                        && !kind.mixer.selects()
                        && !kind.mixer.compresses()
                })
        },
        explain: |s, _| {
            let problem = "Shared blocks with embeddings or adapters need standard attention (no MLA) and a dense feed-forward layer";
            let key = if s.model.shared.reads_embeddings { "blke" } else { "blkr" };
            error(key, problem.to_owned(), vec!["0".to_owned()])
        },
    },
    Rule {
        broken: |s| {
            let heads = |kv_heads: u32| kv_heads > 0 && !s.model.heads.is_multiple_of(kv_heads);
            s.model.pattern.all_sizes().any(|sizes| heads(sizes.own_heads()))
        },
        explain: |s, _| {
            let problem = format!(
                "{} query heads are not divisible by a number of key/value heads in the layer pattern",
                s.model.heads
            );
            error("lay", problem, vec![String::new()])
        },
    },
    Rule {
        broken: |s| s.model.pattern.sizes_of(0).reuses_keys(),
        explain: |_, _| {
            let problem = "Layer 0 reuses keys and values, but no earlier layer computes them";
            error("lay", problem.to_owned(), vec![String::new()])
        },
    },
    Rule {
        broken: |s| {
            s.model.pattern.all_sizes().any(|sizes| sizes.reuses_keys()) && s.model.latent.kv_rank > 0
        },
        explain: |_, _| {
            let problem = "Reused keys and values are not supported with MLA";
            error("lay", problem.to_owned(), vec![String::new()])
        },
    },
];

/// Shared blocks and sizes of a pattern under a layout.
pub(super) static LAYOUT_RULES: &[Rule] = &[
    Rule {
        broken: |s| {
            let ranks = s.plan.tensor_parallel;
            let splits =
                |heads: u32| heads == 0 || heads.is_multiple_of(ranks) || ranks.is_multiple_of(heads);
            let hidden = s.model.pattern.any(|letter| letter.mixer == Mixer::Matrix)
                && !s.model.hidden.is_multiple_of(ranks);
            let of_layer = |ffn: u32, heads: u32| ffn.is_multiple_of(ranks) && splits(heads);
            hidden || !s.model.pattern.all_sizes().all(|sizes| of_layer(sizes.ffn, sizes.own_heads()))
        },
        explain: |s, rule| {
            let problem =
                format!("Layer sizes in the pattern are not divisible by TP {}", s.plan.tensor_parallel);
            super::layout::tensor_error(s, rule, problem)
        },
    },
    Rule {
        broken: |s| s.model.shared.count > 0 && s.plan.pipeline_parallel > 1,
        explain: |_, _| {
            let problem = "PP is not supported with shared blocks, because frameworks do not sum their gradients across stages";
            error("pp", problem.to_owned(), vec!["1".to_owned()])
        },
    },
    Rule {
        broken: |s| {
            let reuses = s.model.pattern.all_sizes().any(|sizes| sizes.reuses_keys());
            s.plan.pipeline_parallel > 1 && (reuses || s.model.layer_embeddings.width > 0)
        },
        explain: |_, _| {
            let problem = "PP is not supported with reused keys and values or per-layer embeddings, because stages do not exchange reused or per-layer tensors";
            error("pp", problem.to_owned(), vec!["1".to_owned()])
        },
    },
];
