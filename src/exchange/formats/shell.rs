//! Command lines and the scripts that hold them: the arguments of every command, with variables filled in.
//!
//! A script is read, not run: arguments count wherever they stand, in whichever branch, and the last one holds.

use super::super::ImportError;
use super::super::settings::Settings;
use super::variables::Variables;
use shlex::Shlex;

/// Arguments that take several words: their values are joined by commas.
const SEVERAL: [&str; 8] = [
    "recompute_modules",
    "offload_modules",
    "cuda_graph_modules",
    "cuda_graph_scope",
    "moe_layer_freq",
    "lora_target_modules",
    "lora_target",
    "target_modules",
];

/// A word of a script and its line.
struct Word {
    text: String,
    line: u32,
}

/// What a script says.
pub(in crate::exchange) struct Script {
    /// Arguments and overrides in order.
    pub(in crate::exchange) settings: Settings,
    /// Whether some of it stands in branches (`if`, `case`).
    pub(in crate::exchange) branches: bool,
}

/// Reads a command line or a script.
///
/// `is_flag` knows the arguments that take no value, by name.
///
/// # Errors
/// A quote that is never closed; too many arguments.
pub(in crate::exchange) fn read(text: &str, is_flag: impl Fn(&str) -> bool) -> Result<Script, ImportError> {
    let mut variables = Variables::default();
    let mut words = slurm_options(text);
    for word in &words {
        if let Some(nodes) = word.text.strip_prefix("--nodes=").or(word.text.strip_prefix("-N")) {
            variables.set("SLURM_NNODES", nodes);
            variables.set("SLURM_JOB_NUM_NODES", nodes);
        }
    }
    words.extend(split(text)?);
    let branches = words.iter().any(|word| ["if", "elif", "case"].contains(&word.text.as_str()));
    let mut filled = Vec::new();
    for word in words {
        place(word, &mut variables, &mut filled);
    }
    Ok(Script { settings: arguments(&filled, is_flag)?, branches })
}

/// Slurm's options in a script, which are comments to the shell.
fn slurm_options(text: &str) -> Vec<Word> {
    let mut words = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        if let Some(options) = line.trim_start().strip_prefix("#SBATCH") {
            let options = options.split(" #").next().unwrap_or_default();
            words.extend(options.split_whitespace().map(|word| Word { text: word.to_owned(), line: number }));
        }
    }
    words
}

/// The words of a text as a shell splits it.
fn split(text: &str) -> Result<Vec<Word>, ImportError> {
    // A blank before every line's end, so that the lexer counts the line only behind its last word. Lines that go on are
    // read as if they ended: where a command ends does not matter here.
    let text: String = text
        .lines()
        .map(|line| {
            let line = line.trim_end();
            let line = line.strip_suffix('\\').unwrap_or(line);
            format!("{} \n", without_blanks_in_sums(&sums_of_expr(line)))
        })
        .collect();
    let mut lexer = Shlex::new(&text);
    let mut words = Vec::new();
    while let Some(word) = lexer.next() {
        words.push(Word { text: word, line: u32::try_from(lexer.line_no).unwrap_or(u32::MAX) });
    }
    if lexer.had_error {
        let message = "A quote is opened and never closed.".to_owned();
        // The quote stands behind the last whole word.
        let line = words.last().map_or(1, |word| word.line);
        return Err(ImportError { line: Some(line), name: None, message });
    }
    Ok(words)
}

/// A line with `$(expr ...)` written as `$((...))`.
fn sums_of_expr(line: &str) -> String {
    let mut parts = line.split("$(expr ");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        match part.split_once(')') {
            Some((sum, rest)) => out.push_str(&format!("$(({sum})){rest}")),
            None => out.push_str(part),
        }
    }
    out
}

/// A line with no blanks inside `$((...))`, so that it stays one word.
fn without_blanks_in_sums(line: &str) -> String {
    let mut parts = line.split("$((");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        out.push_str("$((");
        match part.split_once("))") {
            Some((sum, rest)) => {
                out.extend(sum.chars().filter(|letter| !letter.is_whitespace()));
                out.push_str("))");
                out.push_str(rest);
            }
            None => out.push_str(part),
        }
    }
    out
}

/// Takes a word: an assignment sets a variable, and words of several arguments are taken apart.
fn place(word: Word, variables: &mut Variables, filled: &mut Vec<Word>) {
    let Word { text, line } = word;
    let (name, value) = match text.split_once('=') {
        Some((name, value)) if is_name(name.trim_end_matches('+')) => (Some(name), value),
        _ => (None, text.as_str()),
    };
    let value = variables.fill(value.trim_start_matches('('));
    let holds_arguments = value.contains("--") || value.trim_start().starts_with('-');
    match name {
        Some(name) if !holds_arguments => variables.set(name, &value),
        _ if holds_arguments && value.contains(char::is_whitespace) => {
            let parts =
                shlex::split(&value).unwrap_or_else(|| value.split_whitespace().map(str::to_owned).collect());
            filled.extend(parts.into_iter().map(|text| Word { text, line }));
        }
        _ => filled.push(Word { text: value, line }),
    }
}

fn is_name(text: &str) -> bool {
    let first = text.chars().next().is_some_and(|first| first.is_ascii_alphabetic() || first == '_');
    first && text.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
}

fn arguments(words: &[Word], is_flag: impl Fn(&str) -> bool) -> Result<Settings, ImportError> {
    let mut settings = Settings::default();
    let mut rest = words;
    while let Some((word, after)) = rest.split_first() {
        rest = after;
        let text = whole_word(&word.text);
        if let Some(path) = overridden(text) {
            let value = text.split_once('=').map(|pair| pair.1.to_owned());
            settings.push(path, Some(word.line), value)?;
            continue;
        }
        let Some(name) = argument(text) else { continue };
        let (path, mut value) = match text.split_once('=') {
            Some((path, value)) => (path, Some(value.to_owned())),
            None => (text, None),
        };
        let name = name.split('=').next().unwrap_or_default().replace('-', "_");
        if value.is_none() && !is_flag(&name) {
            let most = if SEVERAL.contains(&name.as_str()) { rest.len() } else { 1 };
            let values = rest.iter().take(most).take_while(|next| is_value(word, next));
            let values: Vec<&str> = values.map(|next| whole_word(&next.text)).collect();
            rest = rest.get(values.len()..).unwrap_or_default();
            value = (!values.is_empty()).then(|| values.join(","));
        }
        settings.push(path.to_owned(), Some(word.line), value)?;
    }
    Ok(settings)
}

/// Name of an argument, `--name`, or a letter of Slurm's that says how many.
fn argument(text: &str) -> Option<&str> {
    if let Some(name) = text.strip_prefix("--") {
        return name.starts_with(|first: char| first.is_ascii_alphabetic()).then_some(name);
    }
    let letter = text.strip_prefix('-')?;
    ["N", "n", "G"].contains(&letter).then_some(text)
}

/// The path of an override, `model.tensor_model_parallel_size=2`.
fn overridden(text: &str) -> Option<String> {
    let (path, _) = text.split_once('=')?;
    let path = path.trim_start_matches('+');
    let parts = path.split('.').filter(|part| is_name(part)).count();
    (parts > 1 && parts == path.split('.').count()).then(|| path.to_owned())
}

/// Whether a word may be the value of the argument before it.
fn is_value(argument: &Word, word: &Word) -> bool {
    let same_line = word.line == argument.line;
    let negative =
        word.text.strip_prefix('-').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    let ends = [")", ";", "&&", "||", "|", "&"].contains(&word.text.as_str());
    same_line && !ends && (negative || !word.text.starts_with('-'))
}

/// A word without what only separates commands, and without the bracket that closes a list behind it.
fn whole_word(text: &str) -> &str {
    let text = text.trim_end_matches(';').trim_start_matches('(');
    let unbalanced = text.ends_with(')') && text.matches(')').count() > text.matches('(').count();
    if unbalanced && !text.starts_with('[') { text.strip_suffix(')').unwrap_or(text) } else { text }
}
