//! Training logs of Megatron-LM, torchtitan and the Hugging Face Trainer: how long a step took, and what they say of the job.

use super::super::draft::Draft;
use super::super::megatron::{self, Dialect};
use super::super::settings::Settings;
use super::super::{ImportError, MeasuredSteps, sentence};
use crate::decimal;
use crate::order::sorted;

/// Most steps that a median is taken of.
pub(super) const MOST_STEPS: usize = 100_000;

/// Steps at the beginning that are left out where there are enough: they compile, allocate and warm up.
const FIRST_STEPS: usize = 2;

/// Longest step that is read \[s\].
const LONGEST_STEP: f64 = 1e7;

/// Shortest line that says something \[bytes\].
const SHORTEST: usize = 8;

/// Seconds of a day.
const DAY: f64 = 86_400.0;

/// Reads the log.
pub(super) fn read(text: &str, draft: &mut Draft) -> Result<(), ImportError> {
    let printed = printed_steps(text);
    let measured = printed.or_else(|| torchtitan_steps(text, draft)).or_else(|| trainer_steps(text));
    let Some(measured) = measured else {
        return Err(sentence(
            "The log has no step times. Supported logs: Megatron-LM (elapsed time per iteration), NeMo (train_step_timing), torchtitan (tps) and the Hugging Face Trainer (train_steps_per_second, s/it)."
                .to_owned(),
        ));
    };
    if !(measured.step_seconds > 0.0 && measured.step_seconds <= LONGEST_STEP) {
        let step = decimal::scientific(measured.step_seconds);
        return Err(sentence(format!("The median step time of the log, {step} s, is not valid.")));
    }
    draft.measured = Some(measured);
    if printed.is_none() {
        return Ok(());
    }
    megatron_arguments(text, draft)?;
    if draft.text("gb").is_none()
        && let Some(batch) = text
            .lines()
            .rev()
            .filter(|line| line.len() >= SHORTEST)
            .find_map(|line| behind(line, "global batch size").or(behind(line, "global_batch_size")))
    {
        draft.put("gb", batch);
    }
    Ok(())
}

/// The median of all but the first values, and of how many; nothing of none.
pub(super) fn median(values: &[f64], first: usize) -> Option<(f64, u32)> {
    let kept = values.get(first.min(values.len().saturating_sub(2))..)?;
    let kept = sorted(kept, |one, other| one.total_cmp(other));
    let middle = *kept.get(kept.len() / 2)?;
    let below = *kept.get(kept.len().saturating_sub(1) / 2)?;
    Some((0.5 * (middle + below), u32::try_from(kept.len()).ok()?))
}

/// The number after a word, skipping a few blanks, colons and other non-digits.
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

/// Steps that Megatron-LM or NeMo printed. The first of a run are left out by their numbers: a log may begin later.
fn printed_steps(text: &str) -> Option<MeasuredSteps> {
    let mut steps = Vec::new();
    let mut early = 0;
    for line in text.lines().filter(|line| line.len() >= SHORTEST) {
        let megatron =
            behind(line, "elapsed time per iteration (ms)").map(|milliseconds| milliseconds * 1e-3);
        let Some(seconds) = megatron.or_else(|| behind(line, "train_step_timing in s")) else { continue };
        if seconds <= 0.0 {
            continue;
        }
        if steps.len() >= MOST_STEPS {
            break;
        }
        // Megatron-LM counts from 1, NeMo from 0.
        let number = line.split_once("iteration").and_then(|parts| count(parts.1));
        let number = number.unwrap_or(steps.len() as f64 + 1.0) + f64::from(u8::from(megatron.is_none()));
        early += usize::from(number <= FIRST_STEPS as f64 && early == steps.len());
        steps.push(seconds);
    }
    let (step_seconds, steps) = median(&steps, early)?;
    Some(MeasuredSteps { step_seconds, steps })
}

/// The whole number that a text begins with, past blanks.
fn count(text: &str) -> Option<f64> {
    let text = text.trim_start();
    let end = text.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(text.len());
    decimal::parse(text.get(..end)?)
}

/// The arguments that Megatron-LM prints when it begins, `  num_layers ...... 32`.
fn megatron_arguments(text: &str, draft: &mut Draft) -> Result<(), ImportError> {
    let mut settings = Settings::default();
    for (number, line) in (1_u32..).zip(text.lines()).filter(|(_, line)| line.len() >= SHORTEST) {
        // Ranks may precede the name, as `0:   num_layers ...`.
        let line = line.trim_start_matches(|letter: char| letter.is_ascii_digit() || letter == ':').trim();
        // torchrun's are `[default0]:`.
        let line = line
            .strip_prefix('[')
            .and_then(|line| line.split_once("]:"))
            .map_or(line, |parts| parts.1.trim());
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

/// Seconds of a step, of torchtitan's tokens per second of a GPU where the tokens of a step are known, else of time stamps.
fn torchtitan_steps(text: &str, draft: &mut Draft) -> Option<MeasuredSteps> {
    let (mut rates, mut stamps) = (Vec::new(), Vec::new());
    let (mut told, mut gpus) = (None, None);
    for line in text.lines().filter(|line| line.len() >= SHORTEST) {
        let plain = uncoloured(line);
        if rates.len() >= MOST_STEPS {
            break;
        }
        if plain.contains("step:") {
            let Some(rate) = behind(&plain, "tps:").filter(|rate| *rate > 0.0) else { continue };
            rates.push(rate);
            stamps
                .extend(plain.split_once("step:").and_then(|parts| count(parts.1)).zip(time_of_day(&plain)));
        }
        told = told.or_else(|| behind(&plain, "global batch size").zip(behind(&plain, "sequence length")));
        gpus = gpus.or_else(|| mesh(&plain));
    }
    if rates.is_empty() {
        return None;
    }
    draft.put("stack", "torchtitan");
    if let Some((batch, sequence)) = told {
        draft.put("gb", batch);
        draft.put("seq", sequence);
    }
    if let Some(gpus) = gpus {
        draft.put("n", gpus);
    }
    if let (Some((batch, sequence)), Some(gpus)) = (told, gpus) {
        let (rate, steps) = median(&rates, FIRST_STEPS)?;
        return Some(MeasuredSteps { step_seconds: batch * sequence / (rate * gpus), steps });
    }
    draft.note(None, "The tokens per step are not in the log. Step times are computed from timestamps.");
    let apart = stamps.windows(2).filter_map(|pair| match pair {
        [(first, begin), (second, end)] if second > first => {
            Some((end - begin).rem_euclid(DAY) / (second - first))
        }
        _ => None,
    });
    let apart: Vec<f64> = apart.filter(|seconds| *seconds > 0.0).collect();
    let early = usize::from(stamps.first().is_some_and(|stamp| stamp.0 <= FIRST_STEPS as f64));
    let (step_seconds, steps) = median(&apart, early)?;
    Some(MeasuredSteps { step_seconds, steps })
}

/// GPUs of `Building 2-D device mesh with ['dp_shard', 'tp'], [4, 2]`.
fn mesh(line: &str) -> Option<f64> {
    let sizes = line.split_once("device mesh with")?.1.rsplit_once('[')?.1.split(']').next()?;
    let gpus: Option<f64> = sizes.split(',').map(|size| decimal::parse(size.trim())).product();
    gpus.filter(|gpus| *gpus >= 1.0)
}

/// Seconds of the day of a time stamp, `20:24:06,144`.
fn time_of_day(line: &str) -> Option<f64> {
    line.split(char::is_whitespace).find_map(|word| {
        let mut parts = word.trim_matches(['[', ']']).split(':');
        let (hours, minutes, seconds) = (parts.next()?, parts.next()?, parts.next()?);
        let number = |text: &str| {
            decimal::parse(&text.replace(',', ".")).filter(|number| (0.0..61.0).contains(number))
        };
        Some(number(hours)? * 3600.0 + number(minutes)? * 60.0 + number(seconds)?)
    })
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
fn trainer_steps(text: &str) -> Option<MeasuredSteps> {
    let rate =
        text.lines().rev().find_map(|line| behind(line, "train_steps_per_second")).filter(|rate| *rate > 0.0);
    if let Some(rate) = rate {
        let steps = text
            .lines()
            .rev()
            .find_map(|line| behind(line, "\"max_steps\"").or(behind(line, "\"global_step\"")));
        return Some(MeasuredSteps {
            step_seconds: 1.0 / rate,
            steps: steps.map_or(1, |steps| steps as u32),
        });
    }
    let bars = text.split(['\n', '\r']).filter_map(|line| {
        let inside = line.rsplit_once('[')?.1;
        let speed = inside.rsplit_once(", ")?.1;
        let number =
            |unit: &str| decimal::parse(speed.split(unit).next()?.trim()).filter(|number| *number > 0.0);
        if speed.contains("s/it") { number("s/it") } else { number("it/s").map(|rate| 1.0 / rate) }
    });
    let seconds: Vec<f64> = bars.take(MOST_STEPS).collect();
    let (step_seconds, steps) = median(&seconds, FIRST_STEPS)?;
    Some(MeasuredSteps { step_seconds, steps })
}
