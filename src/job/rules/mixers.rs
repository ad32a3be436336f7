//! Rules for kinds of layers and mixers.

use super::experts::has_experts;
use super::{Rule, error};
use crate::scenario::Scenario;
use crate::scenario::model::{MOST_KINDS, Mixer, StateRule};

/// Kinds of layers, and their requirements.
pub(super) static RULES: &[Rule] = &[
    Rule {
        broken: |s| s.layers().is_full(),
        explain: |_, _| {
            let problem = format!("The layer pattern has more than {MOST_KINDS} types of layers");
            error("lay", problem, vec![String::new()])
        },
    },
    Rule {
        broken: |s| recurs(s) && s.model.recurrent.rule == StateRule::None,
        explain: |_, _| {
            let problem = "The layer pattern has recurrent mixers, but no recurrent mixer is selected";
            error("mix", problem.to_owned(), vec!["mamba2".to_owned()])
        },
    },
    Rule {
        broken: |s| has_mixer(s, Mixer::selects) != (s.model.sparse.selected > 0),
        explain: |s, _| {
            let (key, problem, likely) = if s.model.sparse.selected == 0 {
                (
                    "sel",
                    "The layer pattern has sparse attention, but the number of selected keys is 0",
                    "2048",
                )
            } else {
                ("lay", "The layer pattern has no sparse attention, but selected keys are set", "s")
            };
            error(key, problem.to_owned(), vec![likely.to_owned()])
        },
    },
    Rule {
        broken: |s| has_mixer(s, Mixer::compresses) != (s.model.sparse.compression > 0),
        explain: |s, _| {
            let (key, problem, likely) = if s.model.sparse.compression == 0 {
                ("cmp", "The layer pattern has compressed attention, but the compression ratio is 0", "128")
            } else {
                ("lay", "The layer pattern has no compressed attention, but a compression ratio is set", "c")
            };
            error(key, problem.to_owned(), vec![likely.to_owned()])
        },
    },
    Rule {
        broken: |s| s.model.output_latent.rank > 0 && s.model.latent.kv_rank > 0,
        explain: |_, _| {
            let problem = "An output LoRA rank is not supported with MLA";
            error("orank", problem.to_owned(), vec!["0".to_owned()])
        },
    },
    Rule {
        broken: |s| s.model.keys_are_values && s.model.latent.kv_rank > 0,
        explain: |_, _| {
            let problem = "Shared keys and values are not supported with MLA";
            error("kvs", problem.to_owned(), vec!["0".to_owned()])
        },
    },
    Rule {
        broken: |s| s.model.sparse.index_heads > 0 && s.model.sparse.index_dim == 0,
        explain: |_, _| {
            let problem = "The indexer needs a head dimension";
            error("idxd", problem.to_owned(), vec!["128".to_owned()])
        },
    },
    Rule {
        broken: |s| !recurs(s) && s.model.recurrent.rule != StateRule::None,
        explain: |_, _| {
            let problem = "The layer pattern has no recurrent mixer, but a recurrent mixer is selected";
            error("lay", problem.to_owned(), vec!["r".to_owned(), "3ra".to_owned()])
        },
    },
    Rule {
        broken: |s| {
            s.model.pattern.any(|letter| letter.mixer == Mixer::Windowed) && s.model.window.tokens == 0
        },
        explain: |_, _| {
            let problem = "The layer pattern has sliding-window attention, but no attention window is set";
            error("window", problem.to_owned(), vec!["4096".to_owned()])
        },
    },
    Rule {
        broken: |s| s.model.pattern.any(|letter| letter.letter == 'E') && !has_experts(s),
        explain: |_, _| {
            let problem = "The layer pattern has expert layers, but the model has no routed experts";
            error("moe", problem.to_owned(), vec!["128".to_owned()])
        },
    },
    Rule {
        broken: |s| {
            let recurrent = &s.model.recurrent;
            recurrent.rule != StateRule::None && recurrent.heads.min(recurrent.value_dim) == 0
        },
        explain: |s, _| {
            let recurrent = &s.model.recurrent;
            let (key, likely) = if recurrent.heads == 0 { ("mixh", "32") } else { ("mixd", "128") };
            error(
                key,
                "The recurrent mixer needs heads and a head dimension".to_owned(),
                vec![likely.to_owned()],
            )
        },
    },
    Rule {
        broken: |s| {
            let recurrent = &s.model.recurrent;
            recurrent.rule.row().has_keys && recurrent.key_heads.min(recurrent.key_dim) == 0
        },
        explain: |s, _| {
            let recurrent = &s.model.recurrent;
            let (key, likely) = if recurrent.key_heads == 0 { ("mixk", "8") } else { ("mixs", "128") };
            error(
                key,
                "The recurrent mixer needs key heads and a state size".to_owned(),
                vec![likely.to_owned()],
            )
        },
    },
];

/// Whether a letter of the model's pattern is a recurrent mixer.
fn recurs(s: &Scenario) -> bool {
    has_mixer(s, Mixer::recurs)
}

/// Whether a letter of the model's pattern is a mixer that passes a test.
fn has_mixer(s: &Scenario, picks: fn(Mixer) -> bool) -> bool {
    s.model.pattern.any(|letter| picks(letter.mixer))
}
