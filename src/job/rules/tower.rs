//! Rules for an encoder in front of the decoder.

use super::{Rule, error};
use crate::decimal;
use crate::scenario::Scenario;
use crate::scenario::model::Mixer;

/// Encoders, and their sizes.
pub(super) static RULES: &[Rule] = &[
    Rule {
        broken: |s| s.model.tower.exists() && s.model.tower.hidden == 0,
        explain: |s, _| without("ench", "a hidden size", s.model.hidden),
    },
    Rule {
        broken: |s| s.model.tower.exists() && s.model.tower.ffn == 0,
        explain: |s, _| without("encf", "a feed-forward size", s.model.tower.hidden.saturating_mul(4)),
    },
    Rule {
        broken: |s| {
            let tower = &s.model.tower;
            let divides = tower.head_dim > 0 || tower.hidden.is_multiple_of(tower.heads.max(1));
            tower.exists() && (tower.heads == 0 || !divides)
        },
        explain: |s, _| {
            let hidden = s.model.tower.hidden;
            let problem = format!(
                "Encoder hidden size {hidden} is not divisible by {} encoder heads",
                s.model.tower.heads
            );
            error("enca", problem, vec!["1".to_owned()])
        },
    },
    Rule {
        broken: |s| s.model.tower.exists() && s.model.tower.tokens == 0,
        explain: |s, _| without("enct", "tokens per sample", s.workload.sequence),
    },
    Rule {
        broken: |s| {
            let tower = &s.model.tower;
            tower.exists() && !crosses(s) && tower.merged_per_sequence() > f64::from(s.workload.sequence)
        },
        explain: |s, _| {
            let merged = decimal::plain(s.model.tower.merged_per_sequence().ceil());
            let problem = format!(
                "The encoder produces {merged} tokens per sequence, but a sequence has {}",
                s.workload.sequence
            );
            let one = s.model.tower.merged_per_sequence() / f64::from(s.model.tower.samples);
            let fit = (f64::from(s.workload.sequence) / one).floor() as u32;
            if fit > 0 {
                return error("encs", problem, vec![fit.to_string()]);
            }
            error("enct", problem, vec![s.workload.sequence.to_string()])
        },
    },
    Rule {
        broken: |s| {
            let tower = &s.model.tower;
            tower.exists() && tower.projectors == 0 && tower.hidden != s.model.hidden
        },
        explain: |s, _| {
            let (inner, outer) = (s.model.tower.hidden, s.model.hidden);
            let problem = format!(
                "Without a projector, the encoder's hidden size {inner} must equal the decoder's {outer}"
            );
            error("encpn", problem, vec!["1".to_owned()])
        },
    },
    Rule {
        broken: |s| crosses(s) && (!s.model.tower.exists() || s.model.latent.kv_rank > 0),
        explain: |_, _| {
            let problem =
                "Cross-attention (x in the layer pattern) needs an encoder and does not support MLA";
            error("lay", problem.to_owned(), vec![String::new()])
        },
    },
];

/// Whether any layer attends to the encoder's outputs.
fn crosses(s: &Scenario) -> bool {
    s.model.pattern.any(|letter| letter.mixer == Mixer::Crossed)
}

/// Encoders under a layout.
pub(super) static LAYOUT_RULES: &[Rule] = &[
    Rule {
        broken: |s| crosses(s) && s.plan.pipeline_parallel > 1,
        explain: |_, _| {
            let problem =
                "PP is not supported with cross-attention, because stages do not exchange encoder outputs";
            error("pp", problem.to_owned(), vec!["1".to_owned()])
        },
    },
    Rule {
        broken: |s| crosses(s) && s.plan.context_parallel > 1,
        explain: |_, _| {
            let problem =
                "CP is not supported with cross-attention, because CP ranks do not exchange encoder outputs";
            error("cp", problem.to_owned(), vec!["1".to_owned()])
        },
    },
    Rule {
        broken: |s| {
            let (tower, ranks) = (&s.model.tower, s.plan.tensor_parallel);
            let inner =
                if tower.projector_inner > 0 { tower.projector_inner } else { tower.projected_width() };
            let projector = tower.projectors == 0 || inner.is_multiple_of(ranks);
            let splits = tower.heads.is_multiple_of(ranks) && tower.ffn.is_multiple_of(ranks) && projector;
            tower.exists() && !splits
        },
        explain: |s, rule| {
            let problem =
                format!("Encoder heads or sizes are not divisible by TP {}", s.plan.tensor_parallel);
            super::layout::tensor_error(s, rule, problem)
        },
    },
];

fn without(field: &'static str, what: &str, instead: u32) -> crate::error::FieldError {
    error(field, format!("An encoder needs {what}"), vec![instead.max(1).to_string()])
}
