//! Settings in a sentence about a job, besides its model, machine and software: `fp8, 32k context, batch size 512, LoRA`.

use super::shape::{self, DescribedModel, described};
use crate::decimal;
use crate::fields::{Field, FieldKind, parse};
use crate::names::plain;

/// A sentence, and the settings that were taken out of it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SentenceSettings {
    /// The words that are left.
    pub rest: String,
    /// Keys of fields and their texts, in the order of the sentence.
    pub fields: Vec<(&'static str, String)>,
    /// A global batch in tokens, as it is written: the sequence length, which may follow from the model, divides it.
    pub batch_tokens: Option<String>,
    /// Micro-batches of a step, as they are written: the number of replicas makes a global batch of them.
    pub accumulation: Option<String>,
    /// The model, where the sentence describes its shape; `rest` has the name of a custom model then.
    pub model: Option<DescribedModel>,
    /// The size of the model, where the sentence says nothing else of it; `rest` begins with it then.
    pub size: Option<String>,
}

/// Where the value of a setting is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ValuePlace {
    /// Behind its name: `TP 8`.
    Behind,
    /// Before it: `2T tokens`.
    Before,
    /// On either side: `context 32k`, `32k context`.
    Either,
}

/// A field by the words that people have for it.
pub(super) type NamedField = (&'static str, ValuePlace, &'static [&'static str]);

/// Fields by the words that people have for them. Of names that begin alike, the longest is first.
const NAMED: [NamedField; 13] = [
    (
        "seq",
        ValuePlace::Either,
        &[
            "sequence length",
            "context length",
            "context window",
            "seq len",
            "sequence",
            "context",
            "seq",
            "ctx",
        ],
    ),
    (
        ACCUMULATION,
        ValuePlace::Behind,
        &[
            "gradient accumulation steps",
            "gradient accumulation",
            "grad accumulation",
            "grad accum steps",
            "grad accum",
            "accumulation steps",
        ],
    ),
    ("mb", ValuePlace::Behind, &["micro batch size", "micro batch", "mbs"]),
    (BATCH, ValuePlace::Behind, &["global batch size", "global batch", "batch size", "batch", "gbs", "bs"]),
    ("tp", ValuePlace::Behind, &["tensor parallel", "tp"]),
    ("pp", ValuePlace::Behind, &["pipeline parallel", "pp"]),
    ("cp", ValuePlace::Behind, &["context parallel", "cp"]),
    ("ep", ValuePlace::Behind, &["expert parallel", "ep"]),
    ("vpp", ValuePlace::Behind, &["vpp"]),
    (ZERO, ValuePlace::Behind, &["zero stage", "zero"]),
    (
        BATCH_TOKENS,
        ValuePlace::Before,
        &["token batch size", "token batch", "tokens per batch", "tokens per step"],
    ),
    ("tokens", ValuePlace::Before, &["training tokens", "tokens"]),
    ("days", ValuePlace::Before, &["days"]),
];

/// Key of the global batch, in sequences.
const BATCH: &str = "gb";

/// Stands for a global batch in tokens, which is no field.
const BATCH_TOKENS: &str = "gb/tokens";

/// Stands for the micro-batches of a step, which are no field.
const ACCUMULATION: &str = "gb/micro-batches";

/// Key of the level of sharding.
const ZERO: &str = "zero";

/// Fields whose choices are words of their own: `fp8`, `muon`, `DualPipe`.
const CHOSEN: [&str; 3] = ["prec", "opt", "sched"];

/// Choices of fields by the words that people have for them.
const PHRASES: [(&str, &str, &[&str]); 6] = [
    (
        "rc",
        "none",
        &[
            "no recompute",
            "no recomputation",
            "no activation recomputation",
            "no checkpointing",
            "no activation checkpointing",
            "no gradient checkpointing",
        ],
    ),
    (
        "rc",
        "selective",
        &[
            "selective recompute",
            "selective recomputation",
            "selective activation recomputation",
            "selective checkpointing",
            "selective activation checkpointing",
        ],
    ),
    (
        "rc",
        "full",
        &[
            "full recompute",
            "full recomputation",
            "full activation recomputation",
            "full checkpointing",
            "full activation checkpointing",
            "activation checkpointing",
            "gradient checkpointing",
        ],
    ),
    ("attn", "fa2", &["flash attention 2", "flash attn 2", "fa2"]),
    ("attn", "fa3", &["flash attention 3", "flash attn 3", "fa3"]),
    ("attn", "fa4", &["flash attention 4", "flash attn 4", "fa4"]),
];

/// What a job does with its model, which its other settings say.
const TASKS: [&str; 5] = ["finetune", "finetuning", "sft", "pretrain", "pretraining"];

/// Adapters, with the format of the weights that they are beside.
const ADAPTERS: [(&str, &str); 2] = [("lora", "16"), ("qlora", "nf4")];

/// Rank of adapters where none is said: the default of TRL (`ModelConfig.lora_r`).
pub const ADAPTER_RANK: &str = "16";

/// Words of a scale, with its letter.
const SCALES: [(&[&str], &str); 4] = [
    (&["thousand", "k"], "k"),
    (&["million", "m"], "M"),
    (&["billion", "b"], "B"),
    (&["trillion", "t"], "T"),
];

/// Words before a setting that belong to it.
const LEADING: [&str; 14] =
    ["with", "using", "in", "at", "for", "and", "a", "an", "of", "over", "within", "on", "plus", "cost"];

/// Words behind a setting that add nothing to it.
const TRAILING: [&str; 9] = [
    "precision",
    "optimizer",
    "adapters",
    "adapter",
    "finetuning",
    "finetune",
    "training",
    "sequences",
    "each",
];

/// Words that deny what follows, which is then no setting.
const DENYING: [&str; 3] = ["no", "not", "without"];

/// Most tokens of a sequence. A number of tokens up to this is a sequence length, a larger one the tokens of the run.
const LONGEST_SEQUENCE: f64 = 16.0 * 1024.0 * 1024.0;

/// Words that a sentence may begin with.
const BEGINNING: [&str; 9] =
    ["train", "training", "pretrain", "pretraining", "finetune", "finetuning", "full", "of", "a"];

/// Takes the settings out of a sentence.
pub fn settings(text: &str) -> SentenceSettings {
    let all: Vec<&str> = text.split_whitespace().collect();
    let begun = all.iter().take_while(|word| is_one_of(word, &BEGINNING)).count();
    let mut words = all.get(begun..).unwrap_or_default();
    let mut found = SentenceSettings::default();
    let mut rest: Vec<&str> = Vec::new();
    while let Some((first, others)) = words.split_first() {
        let denied = rest.last().is_some_and(|word| is_one_of(word, &DENYING));
        if let Some((_, taken)) = adapters(words).filter(|_| denied) {
            rest.pop();
            words = words.get(taken..).unwrap_or_default();
            continue;
        }
        if let Some(taken) = TASKS.iter().find_map(|task| named_words(words, task)) {
            words = words.get(taken..).unwrap_or_default();
            continue;
        }
        let before = all.len().checked_sub(words.len() + 1).and_then(|place| all.get(place)).copied();
        let Some((pairs, taken)) = setting(before, words).filter(|_| !denied) else {
            rest.push(*first);
            words = others;
            continue;
        };
        while rest.last().is_some_and(|word| is_one_of(word, &LEADING)) {
            rest.pop();
        }
        let ends_clause =
            taken.checked_sub(1).and_then(|last| words.get(last)).is_some_and(|word| word.ends_with(','));
        if ends_clause && rest.last().is_some_and(|word| !word.ends_with(',')) {
            rest.push(",");
        }
        for (key, value) in pairs {
            match key {
                BATCH_TOKENS => found.batch_tokens = Some(value),
                ACCUMULATION => found.accumulation = Some(value),
                _ => found.fields.push((key, value)),
            }
        }
        words = words.get(taken..).unwrap_or_default();
    }
    found.rest = rest.join(" ").trim_end_matches([',', ' ']).to_owned();
    describe(&mut found);
    found
}

/// Makes a model of the shape among the settings, where no model is named.
fn describe(found: &mut SentenceSettings) {
    let (shape, others) = found.fields.iter().cloned().partition(|field| shape::is_shape(field.0));
    if let Some((rest, model)) = described(&found.rest, &shape) {
        (found.rest, found.fields, found.model) = (rest, others, Some(model));
    } else if let Some((rest, size)) = shape::size_alone(&found.rest) {
        (found.rest, found.size) = (rest, Some(size));
    }
}

/// Keys of fields and their texts.
pub(super) type FieldTexts = Vec<(&'static str, String)>;

/// The setting that words begin with, and how many of them it takes. `before` is the word before them.
fn setting(before: Option<&str>, words: &[&str]) -> Option<(FieldTexts, usize)> {
    let readers = [adapters, chosen, phrase, price, named];
    let found = readers.iter().find_map(|read| read(words)).or_else(|| shape::shape(before, words));
    let (found, taken) = found?;
    let trailing = words.get(taken..)?.iter().take_while(|word| is_one_of(word, &TRAILING)).count();
    Some((found, taken + trailing))
}

/// Fields of adapters of a rank beside weights of a format.
pub fn adapter_fields(rank: &str, base: &str) -> [(&'static str, String); 2] {
    [("lora", rank.to_owned()), ("base", base.to_owned())]
}

/// `LoRA`, `QLoRA rank 32`.
fn adapters(words: &[&str]) -> Option<(FieldTexts, usize)> {
    let first = plain(words.first()?);
    let (_, base) = ADAPTERS.into_iter().find(|(name, _)| first == *name)?;
    let rank = words.get(1).filter(|word| is_one_of(word, &["rank", "r"])).and_then(|_| value(words.get(2)?));
    let taken = if rank.is_some() { 3 } else { 1 };
    let rank = rank.unwrap_or_else(|| ADAPTER_RANK.to_owned());
    Some((adapter_fields(&rank, base).into(), taken))
}

/// A choice by its own word: `fp8`, `Muon`.
fn chosen(words: &[&str]) -> Option<(FieldTexts, usize)> {
    let word = words.first()?.trim_end_matches(',');
    CHOSEN.into_iter().find_map(|key| {
        let FieldKind::Choice(list) = Field::find(key)?.kind else { return None };
        let (name, _) = list.iter().find(|(name, _)| word.eq_ignore_ascii_case(name))?;
        Some((vec![(key, (*name).to_owned())], 1))
    })
}

/// A choice by the words that people have for it: `activation checkpointing`.
fn phrase(words: &[&str]) -> Option<(FieldTexts, usize)> {
    PHRASES.iter().find_map(|(key, choice, names)| {
        let taken = names.iter().find_map(|name| named_words(words, name))?;
        Some((vec![(*key, (*choice).to_owned())], taken))
    })
}

/// Words behind the price of an hour of a GPU.
const OF_HOUR: [&str; 8] = ["per", "a", "an", "each", "gpu", "hour", "hr", "h"];

/// The price of an hour of a GPU: `$2.5/GPU-hour`, `$2 per GPU hour`.
fn price(words: &[&str]) -> Option<(FieldTexts, usize)> {
    let text = words.first()?.strip_prefix('$')?;
    let (amount, unit) = text.split_once('/').unwrap_or((text, ""));
    let dollars = value(amount).filter(|amount| decimal::parse(amount).is_some())?;
    let of_hour = |word: &str| word.split(['-', '/']).all(|part| is_one_of(part, &OF_HOUR));
    let behind = words.get(1..)?.iter().take_while(|word| of_hour(word)).count();
    (behind > 0 || !unit.is_empty() && of_hour(unit)).then(|| (vec![("usd", dollars)], 1 + behind))
}

/// A field by one of its names, with its value: `TP 8`, `tp8`, `batch size of 512`, `32k context`.
fn named(words: &[&str]) -> Option<(FieldTexts, usize)> {
    let (key, value, taken) = named_in(&NAMED, words)?;
    let in_tokens = words.get(taken).is_some_and(|word| is_one_of(word, &["token", "tokens"]));
    Some(match key {
        BATCH if in_tokens => (vec![(BATCH_TOKENS, value)], taken + 1),
        BATCH => with_sequence(value, taken, words),
        "tokens" if size(&value).is_some_and(|tokens| tokens <= LONGEST_SEQUENCE) => {
            (vec![("seq", value)], taken)
        }
        _ => (vec![(key, value)], taken + usize::from(key == "seq" && in_tokens)),
    })
}

/// The first field of a list that words begin with, its value, and how many words both take.
pub(super) fn named_in(list: &[NamedField], words: &[&str]) -> Option<(&'static str, String, usize)> {
    let rows =
        list.iter().flat_map(|(key, place, names)| names.iter().map(move |name| (*key, *place, *name)));
    rows.into_iter().find_map(|(key, place, name)| {
        let behind = || (place != ValuePlace::Before).then(|| value_behind(words, name)).flatten();
        let before = || (place != ValuePlace::Behind).then(|| value_before(words, key, name)).flatten();
        let (value, taken) = behind().or_else(before)?;
        Some((key, value, taken))
    })
}

/// A batch, with the length of its sequences where that follows: `512 sequences of 4096 tokens`.
fn with_sequence(batch: String, taken: usize, words: &[&str]) -> (FieldTexts, usize) {
    let behind = words.get(taken..).unwrap_or_default();
    let of = |place: usize, list: &[&str]| behind.get(place).is_some_and(|word| is_one_of(word, list));
    match behind.get(2).and_then(|word| value(word)) {
        Some(length) if of(0, &["sequences"]) && of(1, &["of"]) => {
            let unit = usize::from(of(3, &["token", "tokens"]));
            (vec![(BATCH, batch), ("seq", length)], taken + 3 + unit)
        }
        _ => (vec![(BATCH, batch)], taken),
    }
}

/// The value behind a name that words begin with, joined to it or not.
fn value_behind(words: &[&str], name: &str) -> Option<(String, usize)> {
    let first = words.first()?.trim_end_matches(',');
    let joined = first.find(|c: char| c.is_ascii_digit()).and_then(|place| first.split_at_checked(place));
    if let Some((_, number)) = joined.filter(|(before, _)| plain(before) == plain(name)) {
        return Some((value(number)?, 1));
    }
    let length = named_words(words, name)?;
    let filler = words
        .get(length..)?
        .iter()
        .take_while(|word| is_one_of(word, &["of", "size"]) || **word == "=")
        .count();
    let (value, taken) = scaled(words.get(length + filler..)?)?;
    Some((value, length + filler + taken))
}

/// The value that words begin with, before a name: in the same clause, and not where the name has a value behind it.
fn value_before(words: &[&str], key: &str, name: &str) -> Option<(String, usize)> {
    let (value, taken) = scaled(words)?;
    if words.get(..taken)?.iter().any(|word| word.ends_with(',')) {
        return None;
    }
    let weeks = key == "days" && words.get(taken).is_some_and(|word| is_one_of(word, &["week", "weeks"]));
    if weeks {
        let days = 7.0 * decimal::parse(&value)?;
        return Some((decimal::plain(days), taken + 1));
    }
    let named = named_words(words.get(taken..)?, name)?;
    let behind = words.get(taken + named..)?;
    let clause_ends = words.get(taken + named - 1).is_some_and(|word| word.ends_with(','));
    // A value behind the name is the name's, unless it has another name of its own.
    let own = |word: &str| self::value(word).is_some() && setting(None, behind).is_none();
    let other = behind.first().is_some_and(|word| is_one_of(word, &["parallel"]) || own(word));
    // 8b is the size of a model.
    let is_size = key == "seq" && value.ends_with(['b', 'B', 't', 'T']);
    if other && !clause_ends || is_size {
        return None;
    }
    Some((value, taken + named))
}

/// How many words at the beginning make a name, with hyphens or not.
fn named_words(words: &[&str], name: &str) -> Option<usize> {
    let wanted = plain(name);
    (1..=words.len().min(4))
        .find(|count| words.get(..*count).is_some_and(|words| plain(&words.concat()) == wanted))
}

/// A number with a unit or a word of scale: `32k`, `2 trillion`.
fn scaled(words: &[&str]) -> Option<(String, usize)> {
    let number = value(words.first()?)?;
    let scale = words.get(1).and_then(|word| SCALES.iter().find(|(names, _)| is_one_of(word, names)));
    Some(match scale {
        Some((_, letter)) => (number + letter, 2),
        None => (number, 1),
    })
}

/// Tokens as the field of the sequence length reads them, with binary units.
fn size(value: &str) -> Option<f64> {
    parse::amount(Field::find("seq")?, value)
}

/// The sequences of so many tokens that make a batch of this many, as people write them (`4M`): at least one; nothing where they are no
/// number.
pub(super) fn sequences(tokens: &str, sequence: f64) -> Option<f64> {
    let sequences = size(tokens)? / sequence;
    (sequences.is_finite() && sequence > 0.0).then(|| sequences.round().max(1.0))
}

/// A word that is a number, with a unit or not.
fn value(word: &str) -> Option<String> {
    let word = word.trim_end_matches([',', '.']);
    let is_value = word.starts_with(|c: char| c.is_ascii_digit())
        && word.bytes().skip_while(|byte| byte.is_ascii_digit() || b".,".contains(byte)).count() <= 1;
    is_value.then(|| word.replace(',', ""))
}

pub(super) fn is_one_of(word: &str, list: &[&str]) -> bool {
    let word = plain(word);
    list.iter().any(|known| word == *known)
}

#[cfg(test)]
mod tests;
