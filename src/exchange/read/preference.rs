//! Training by preferences and rewards: what it runs beyond supervised training.

use super::super::ImportError;
use super::super::draft::Draft;
use super::super::settings::Settings;

/// Settings that name the method.
const NAMES: [&str; 3] = ["stage", "rl", "rlhf_type"];

/// Methods that compare a chosen and a rejected sequence of every sample.
const PAIRS: [&str; 8] = ["dpo", "ipo", "orpo", "simpo", "cpo", "rm", "reward", "dpop"];

/// Methods that compare with a model that stays as it was.
const REFERENCE: [&str; 4] = ["dpo", "ipo", "kto", "dpop"];

/// Methods that generate what they train on.
const GENERATION: [&str; 8] = ["ppo", "grpo", "gdpo", "rloo", "online_dpo", "gkd", "ebft", "xpo"];

/// Settings of TRL that tell of a method where no command names it.
const MARKS: [(&str, &[&str]); 3] = [
    ("grpo", &["num_generations", "reward_funcs", "max_completion_length"]),
    ("dpo", &["max_prompt_length", "precompute_ref_log_probs", "ref_model_init_kwargs", "rpo_alpha"]),
    ("kto", &["desirable_weight", "undesirable_weight"]),
];

/// What a method makes of a sample.
#[derive(Debug, Clone, Copy)]
pub(super) struct PreferenceSample {
    /// Sequences that it has.
    pub(super) sequences: i64,
    /// Whether the loss is that of supervised training.
    pub(super) supervised: bool,
    /// Whether it is generated first.
    pub(super) generated: bool,
}

/// Says what a method runs beyond supervised training.
pub(super) fn read(
    settings: &mut Settings,
    draft: &mut Draft,
    text: &str,
) -> Result<PreferenceSample, ImportError> {
    let Some(method) = method(settings, text)? else {
        return Ok(PreferenceSample { sequences: 1, supervised: true, generated: false });
    };
    let generated = GENERATION.contains(&method.as_str());
    let without = settings.flag(&["precompute_ref_log_probs", "reference_free"])? == Some(true);
    // Losses of LLaMA-Factory that need no reference.
    let loss = settings.text(&["pref_loss"]);
    let alone = loss.is_some_and(|loss| ["orpo", "simpo"].contains(&loss.value()));
    if REFERENCE.contains(&method.as_str()) && !without && !alone {
        draft.note(
            None,
            format!(
                "Not supported: the reference model of {method}. The forecast omits the forward pass of that model per micro-batch and its 16-bit weights (none with LoRA)."
            ),
        );
    }
    if method == "kto" {
        draft.note(None, "Not supported: the forward pass of KTO on mismatched completions.");
    }
    if generated {
        draft.note(
            None,
            format!(
                "Not supported: generation, scoring and the other models of {method}. The forecast models only the training pass and treats it as supervised training."
            ),
        );
    }
    let pairs = PAIRS.contains(&method.as_str());
    if pairs {
        draft.note(
            Some("mb"),
            format!("{method}: each sample is a chosen and a rejected sequence, so the batch has twice as many sequences."),
        );
    }
    Ok(PreferenceSample { sequences: if pairs { 2 } else { 1 }, supervised: false, generated })
}

/// The method, where it is not supervised training.
fn method(settings: &mut Settings, text: &str) -> Result<Option<String>, ImportError> {
    let supervised = ["sft", "pt", "pretrain"];
    for name in NAMES {
        let Some(setting) = settings.text(&[name]) else { continue };
        let known = PAIRS.iter().chain(&REFERENCE).chain(&GENERATION).chain(&supervised);
        let value = setting.value().to_ascii_lowercase();
        if known.into_iter().any(|known| **known == value) {
            return Ok((!supervised.contains(&value.as_str())).then_some(value));
        }
    }
    if settings.flag(&["reward_model"]).ok().flatten() == Some(true) {
        return Ok(Some("reward".to_owned()));
    }
    let all = || PAIRS.iter().chain(&REFERENCE).chain(&GENERATION);
    let commanded = all().find(|method| {
        [format!("trl {method} "), format!("/{method}.py"), format!("run_{method}.py")]
            .iter()
            .any(|command| text.contains(command.as_str()))
    });
    let marked = || MARKS.iter().find(|(_, names)| names.iter().any(|name| settings.has(name)));
    Ok(commanded.map(|method| (*method).to_owned()).or_else(|| marked().map(|mark| mark.0.to_owned())))
}
