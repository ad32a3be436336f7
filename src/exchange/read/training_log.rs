//! Training logs of Megatron-LM, torchtitan and the Hugging Face Trainer: how long a step took, and what they say of the job.

use super::super::draft::Draft;
use super::super::megatron::{self, Dialect};
use super::super::settings::Settings;
use super::super::{ImportError, Measured, sentence};
use crate::decimal;
use crate::order::sorted;

/// Most steps that a median is taken of.
pub(super) const MOST_STEPS: usize = 100_000;

/// Steps at the beginning that are left out where there are enough: they compile, allocate and warm up.
const FIRST_STEPS: usize = 2;

/// Reads the log.
pub(super) fn read(text: &str, draft: &mut Draft) -> Result<(), ImportError> {
    let megatron = megatron_steps(text);
    if let Some((step_seconds, steps)) = median(&megatron, FIRST_STEPS) {
        draft.measured = Some(Measured { step_seconds, steps });
        return megatron_arguments(text, draft);
    }
    let measured = torchtitan_steps(text, draft).or_else(|| trainer_steps(text));
    draft.measured = measured;
    if measured.is_some() {
        return Ok(());
    }
    Err(sentence(
        "No step's time stands in this log. Those of Megatron-LM (elapsed time per iteration), torchtitan (tps) and the \
         Hugging Face Trainer (train_steps_per_second, s/it) are read."
            .to_owned(),
    ))
}

/// The median of all but the first values, and of how many; nothing of none.
pub(super) fn median(values: &[f64], first: usize) -> Option<(f64, u32)> {
    let kept = if values.len() > 2 * first { values.get(first..)? } else { values };
    let kept = sorted(kept, |one, other| one.total_cmp(other));
    let middle = *kept.get(kept.len() / 2)?;
    let below = *kept.get(kept.len().saturating_sub(1) / 2)?;
    Some((0.5 * (middle + below), u32::try_from(kept.len()).ok()?))
}

/// The number behind a word, past blanks, colons and what else is no digit within a few letters.
fn behind(line: &str, word: &str) -> Option<f64> {
    let rest = line.split_once(word)?.1;
    let begin = rest.find(|letter: char| letter.is_ascii_digit())?;
    (begin <= 8).then_some(())?;
    let rest = rest.get(begin..)?;
    let end =
        rest.find(|letter: char| !letter.is_ascii_digit() && ![',', '.', 'e', '-', '+'].contains(&letter));
    let number =
        rest.get(..end.unwrap_or(rest.len()))?.trim_end_matches([',', '.', 'e', '-', '+']).replace(',', "");
    decimal::parse(&number).filter(|number| number.is_finite())
}

/// Seconds of every step that Megatron-LM printed.
fn megatron_steps(text: &str) -> Vec<f64> {
    let line = |line: &str| behind(line, "elapsed time per iteration (ms)").filter(|time| *time > 0.0);
    text.lines().filter_map(line).map(|milliseconds| milliseconds * 1e-3).take(MOST_STEPS).collect()
}

/// The arguments that Megatron-LM prints when it begins, `  num_layers ...... 32`.
fn megatron_arguments(text: &str, draft: &mut Draft) -> Result<(), ImportError> {
    let mut settings = Settings::default();
    for (number, line) in (1_u32..).zip(text.lines()) {
        // Ranks may stand before the name, as `0:   num_layers ...`.
        let line = line.trim_start_matches(|letter: char| letter.is_ascii_digit() || letter == ':').trim();
        let Some((name, value)) = line.split_once(" ..") else { continue };
        let value = value.trim_start_matches('.').trim();
        let plain = name
            .chars()
            .all(|letter| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '_');
        if plain && !name.is_empty() {
            let value = value.trim_matches(['[', ']']).replace('\'', "");
            settings.push(name.to_owned(), Some(number), Some(value))?;
        }
    }
    if settings.has("num_layers") && settings.has("tensor_model_parallel_size") {
        megatron::read(&mut settings, draft, Dialect::Lm)?;
    }
    Ok(())
}

/// Seconds of a step, of torchtitan's tokens per second of a GPU.
fn torchtitan_steps(text: &str, draft: &mut Draft) -> Option<Measured> {
    let plain: Vec<String> = text.lines().map(uncoloured).collect();
    let rates: Vec<f64> = plain
        .iter()
        .filter(|line| line.contains("step:"))
        .filter_map(|line| behind(line, "tps:"))
        .filter(|rate| *rate > 0.0)
        .take(MOST_STEPS)
        .collect();
    let told = plain.iter().find(|line| line.contains("global batch size"))?;
    let (batch, sequence) = (behind(told, "global batch size")?, behind(told, "sequence length")?);
    draft.put("gb", batch);
    draft.put("seq", sequence);
    draft.put("stack", "torchtitan");
    // `Building 2-D device mesh with ['dp_shard', 'tp'], [4, 2]`.
    let mesh = plain.iter().find(|line| line.contains("device mesh with"))?;
    let sizes = mesh.rsplit_once('[')?.1.split(']').next()?;
    let gpus: Option<f64> = sizes.split(',').map(|size| decimal::parse(size.trim())).product();
    let gpus = gpus.filter(|gpus| *gpus >= 1.0)?;
    draft.put("n", gpus);
    let (rate, steps) = median(&rates, FIRST_STEPS)?;
    Some(Measured { step_seconds: batch * sequence / (rate * gpus), steps })
}

/// A line without the terminal's colours.
fn uncoloured(line: &str) -> String {
    let mut plain = String::new();
    let mut rest = line;
    while let Some((before, after)) = rest.split_once('\u{1b}') {
        plain.push_str(before);
        rest = after.find('m').and_then(|end| after.get(end + 1..)).unwrap_or_default();
    }
    plain.push_str(rest);
    plain
}

/// Seconds of a step, as the Trainer sums them up or its progress bar says.
fn trainer_steps(text: &str) -> Option<Measured> {
    let rate =
        text.lines().rev().find_map(|line| behind(line, "train_steps_per_second")).filter(|rate| *rate > 0.0);
    if let Some(rate) = rate {
        let steps = text
            .lines()
            .rev()
            .find_map(|line| behind(line, "\"max_steps\"").or(behind(line, "\"global_step\"")));
        return Some(Measured { step_seconds: 1.0 / rate, steps: steps.map_or(1, |steps| steps as u32) });
    }
    let bars = text.split(['\n', '\r']).filter_map(|line| {
        let inside = line.rsplit_once('[')?.1;
        let pace = inside.rsplit_once(", ")?.1;
        let number =
            |unit: &str| decimal::parse(pace.split(unit).next()?.trim()).filter(|number| *number > 0.0);
        if pace.contains("s/it") { number("s/it") } else { number("it/s").map(|rate| 1.0 / rate) }
    });
    let paces: Vec<f64> = bars.take(MOST_STEPS).collect();
    let (step_seconds, steps) = median(&paces, FIRST_STEPS)?;
    Some(Measured { step_seconds, steps })
}
