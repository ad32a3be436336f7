//! Command lines and the scripts that hold them: the arguments of every command, with variables filled in.
//!
//! A script is parsed, not run: arguments count in any position and branch, and the last one holds.

use super::super::ImportError;
use super::super::harmless::is_configuration;
use super::super::settings::{Setting, Settings, is_name};
use super::branches::Branches;
use super::here::{HereDocument, here_documents};
use super::launcher::{LauncherCommand, of_pbs};
use super::variables::{LoopList, Variables};
use shlex::Shlex;
use std::collections::HashSet;

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

/// Options of Slurm, and the variables of a job that have their values.
const SLURM_VARIABLES: [(&str, &str); 12] = [
    ("nodes", "SLURM_NNODES"),
    ("nodes", "SLURM_JOB_NUM_NODES"),
    ("N", "SLURM_NNODES"),
    ("N", "SLURM_JOB_NUM_NODES"),
    ("gpus-per-node", "SLURM_GPUS_PER_NODE"),
    ("gpus-per-node", "SLURM_GPUS_ON_NODE"),
    ("gres", "SLURM_GPUS_ON_NODE"),
    ("ntasks-per-node", "SLURM_NTASKS_PER_NODE"),
    ("ntasks", "SLURM_NTASKS"),
    ("n", "SLURM_NTASKS"),
    ("gpus", "SLURM_GPUS"),
    ("G", "SLURM_GPUS"),
];

/// Top-level settings of Megatron-Bridge's configuration, for its overrides.
const TOP_LEVEL: [&str; 2] = ["mixed_precision", "comm_overlap"];

/// Variables that ms-swift reads as torchrun's arguments.
const FROM_ENVIRONMENT: [&str; 2] = ["NPROC_PER_NODE", "NNODES"];

/// Options of launchers that have one dash: how many nodes, processes, and GPUs or processes of a node.
const ONE_DASH: [&str; 6] = ["N", "n", "G", "np", "ppn", "npernode"];

/// A word of a script, its line, and what it belongs to.
struct Word {
    text: String,
    /// Line that it begins in.
    line: u32,
    /// Line in which the text that it was read from ends: later than its own in a list of arguments over several lines.
    end: u32,
    command: LauncherCommand,
    /// Whether a command begins with it.
    first: bool,
    /// Whether it is of a command whose output is used: `$(srun --nodes=1 hostname)`.
    inner: bool,
}

/// What a script says.
pub(crate) struct Script {
    /// Arguments and overrides in order.
    pub(crate) settings: Settings,
    /// Whether some of it is in branches (`if`, `case`).
    pub(crate) branches: bool,
}

/// Longest script that is taken apart \[bytes\].
const LONGEST: usize = 1 << 20;

/// A script without the configurations that it writes; nothing of a text that writes none.
pub(crate) fn without_documents(text: &str) -> Option<String> {
    let short = text.len() <= LONGEST && text.contains("<<");
    let (script, documents) = short.then(|| here_documents(text))?;
    (!documents.is_empty()).then_some(script)
}

/// A script without the configurations that it writes, and these, with variables filled in and as many empty lines before
/// them as stand before them in the script. Nothing of a text that writes none.
pub(crate) fn taken_apart(text: &str) -> Option<(String, Vec<HereDocument>)> {
    let short = text.len() <= LONGEST && text.contains("<<");
    let (script, mut documents) = short.then(|| here_documents(text))?;
    let variables = words(&script).map(|words| words.variables).unwrap_or_default();
    for document in &mut documents {
        let before = usize::try_from(document.line).unwrap_or(0);
        let lines = document.text.lines().map(|line| variables.fill(line) + "\n");
        document.text = "\n".repeat(before) + &lines.collect::<String>();
    }
    (!documents.is_empty()).then_some((script, documents))
}

/// The words of a script with its variables filled in.
struct Words {
    filled: Vec<Word>,
    variables: Variables,
    branches: bool,
}

/// Reads a command line or a script.
///
/// `is_flag` knows the arguments that take no value, by name.
///
/// # Errors
/// A quote that is never closed; too many arguments.
pub(crate) fn read(text: &str, is_flag: impl Fn(&str) -> bool) -> Result<Script, ImportError> {
    let Words { filled, branches, .. } = words(text)?;
    Ok(Script { settings: arguments(&filled, is_flag)?, branches })
}

fn words(text: &str) -> Result<Words, ImportError> {
    let mut variables = Variables::default();
    let mut words = queue_options(text);
    for word in &words {
        let Some((name, value)) = word.text.trim_start_matches('-').split_once('=') else { continue };
        for (option, set) in SLURM_VARIABLES.iter().filter(|entry| entry.0 == name) {
            let count = value.rsplit(':').next().unwrap_or_default();
            let counts_gpus = *option == "gres" || option.starts_with("gpus");
            variables.set(set, if counts_gpus { count } else { value });
        }
    }
    words.extend(split(text)?);
    let swift = words.iter().any(|word| ["swift", "megatron"].contains(&word.text.as_str()));
    let mut filled = Vec::new();
    let (mut places, mut branches) = (Branches::default(), false);
    let mut list = LoopList::default();
    for word in words {
        if list.takes(&word.text, word.first, &mut variables) {
            continue;
        }
        let counts = places.take(&word.text, word.first, word.end, &variables);
        if !counts || word.command == LauncherCommand::Printed {
            continue;
        }
        let pair = word.text.split_once('=');
        if let Some((name, value)) = pair.filter(|pair| swift && FROM_ENVIRONMENT.contains(&pair.0)) {
            let text = format!("--{}={}", name.to_ascii_lowercase(), variables.fill(value));
            filled.push(Word { text, ..word });
        }
        let undecided = places.undecided();
        branches |= place(word, undecided, &mut variables, &mut filled) && undecided;
    }
    if variables.exhausted() {
        let message = "The script is too long after variable expansion.".to_owned();
        return Err(ImportError { line: None, name: None, message });
    }
    Ok(Words { filled, variables, branches })
}

/// Options of Slurm and PBS in a script, which are comments to the shell.
fn queue_options(text: &str) -> Vec<Word> {
    let mut words = Vec::new();
    let command = LauncherCommand::Options;
    for (number, line) in (1..).zip(text.lines()) {
        words.extend(of_pbs(line).into_iter().map(|text| Word {
            text,
            line: number,
            end: number,
            command,
            first: false,
            inner: false,
        }));
        if let Some(options) = line.trim_start().strip_prefix("#SBATCH") {
            let options = options.split(" #").next().unwrap_or_default();
            let mut parts = options.split_whitespace().peekable();
            while let Some(part) = parts.next() {
                // `-N 4` and `--nodes 4` are `--nodes=4`.
                let alone = part.starts_with('-') && !part.contains('=');
                let text = match parts.next_if(|next| alone && !next.starts_with('-')) {
                    Some(value) => format!("{part}={value}"),
                    None => part.to_owned(),
                };
                words.push(Word { text, line: number, end: number, command, first: false, inner: false });
            }
        }
    }
    words
}

/// The words of a text as a shell splits it.
fn split(text: &str) -> Result<Vec<Word>, ImportError> {
    // A blank before every line's end, so that the lexer counts the line only behind its last word. Lines that go on are
    // read as if they ended, and remembered.
    let continued: HashSet<u32> =
        (1..).zip(text.lines()).filter(|line| line.1.trim_end().ends_with('\\')).map(|line| line.0).collect();
    let text: String = text
        .lines()
        .map(|line| {
            let line = line.trim_end();
            let line = line.strip_suffix('\\').unwrap_or(line);
            format!("{} \n", without_blanks_in_sums(&sums_of_expr(line)))
        })
        .collect();
    let mut lexer = Shlex::new(&text);
    let mut words: Vec<Word> = Vec::new();
    let mut command = LauncherCommand::Open;
    let mut inner = false;
    while let Some(text) = lexer.next() {
        let end = line_of(&lexer);
        let breaks = u32::try_from(text.matches('\n').count()).unwrap_or(u32::MAX);
        let line = end.saturating_sub(breaks);
        let goes_on = line.checked_sub(1).is_some_and(|before| continued.contains(&before));
        if !goes_on && words.last().is_some_and(|last| last.end != line) {
            command = LauncherCommand::Open;
        }
        let first = command == LauncherCommand::Open;
        let of = command.with(&text);
        command = of.behind(&text);
        if first {
            inner = false;
        }
        inner |= text.contains("$(srun");
        words.push(Word { text, line, end, command: of, first, inner });
    }
    if lexer.had_error {
        let message = "A quote is not closed.".to_owned();
        // The quote follows the last whole word.
        let line = words.last().map_or(1, |word| word.end);
        return Err(ImportError { line: Some(line), name: None, message });
    }
    Ok(words)
}

/// Line, from 1, behind the word that a lexer gave last.
fn line_of(lexer: &Shlex<'_>) -> u32 {
    u32::try_from(lexer.line_no).unwrap_or(u32::MAX)
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

/// Takes a word: an assignment sets a variable, and words of several arguments are taken apart. Whether it says anything.
fn place(word: Word, undecided: bool, variables: &mut Variables, filled: &mut Vec<Word>) -> bool {
    let Word { text, line, end, command, first, inner } = word;
    let (name, value) = match text.split_once('=') {
        Some((name, value)) if is_name(name.trim_end_matches('+')) => (Some(name), value),
        _ => (None, text.as_str()),
    };
    if let Some((name, default)) = default_of(&text) {
        if !variables.knows(name) {
            variables.set(name, &variables.fill(default));
        }
        return true;
    }
    let value = value.trim_start_matches('(').trim_end_matches(';');
    let own = name.filter(|_| undecided).map_or(value, |name| variables.own_default(name, value));
    let value = variables.fill(own);
    let blank = value.contains(char::is_whitespace);
    let overrides = || value.split_whitespace().any(|word| overridden(word, false).is_some());
    let holds_arguments =
        value.contains("--") || value.trim_start().starts_with('-') || name.is_some() && overrides();
    match name {
        // A program's own file of settings, as EasyR1 names it.
        Some("config") if command == LauncherCommand::Program => {
            filled.push(Word { text: value, line, end, command, first, inner });
        }
        Some(name) if TOP_LEVEL.contains(&name) || command == LauncherCommand::Recipe => {
            filled.push(Word { text: format!("{name}={value}"), line, end, command, first, inner });
        }
        Some(name) if !holds_arguments && undecided => variables.set_in_branch(name, &value),
        Some(name) if !holds_arguments => variables.settle(name, &value),
        _ => {
            if let Some(name) = name {
                variables.list(name);
            }
            if holds_arguments && blank {
                filled.extend(listed(&value, line, end));
            } else if !list_name(&value).is_some_and(|list| variables.knows(list)) {
                filled.push(Word { text: value, line, end, command, first, inner });
            }
        }
    }
    name.is_some() || holds_arguments
}

/// Ends of the names of variables that hold arguments.
const LISTS: [&str; 6] = ["args", "options", "opts", "flags", "params", "overrides"];

/// Name of a variable that stands alone, and holds arguments by its name: `${MODEL_ARGS[@]}`.
fn list_name(text: &str) -> Option<&str> {
    let inside = text.strip_prefix('$')?;
    let inside = inside.strip_prefix('{').and_then(|inside| inside.strip_suffix('}')).unwrap_or(inside);
    let name = inside.trim_end_matches("[@]").trim_end_matches("[*]");
    let holds = || LISTS.iter().any(|end| name.to_ascii_lowercase().ends_with(end));
    (is_name(name) && holds()).then_some(name)
}

/// The words of a list of arguments that begins in one line and ends in another.
fn listed(value: &str, line: u32, end: u32) -> Vec<Word> {
    let mut lexer = Shlex::new(value);
    let mut parts = Vec::new();
    while let Some(text) = lexer.next() {
        parts.push((text, line.saturating_add(line_of(&lexer)).saturating_sub(1).min(end)));
    }
    if lexer.had_error {
        parts = value.split_whitespace().map(|text| (text.to_owned(), line)).collect();
    }
    let mut behind = LauncherCommand::Open;
    let word = |(text, line): (String, u32)| {
        let command = behind.with(&text);
        behind = command.behind(&text);
        Word { text, line, end, command, first: false, inner: false }
    };
    parts.into_iter().map(word).collect()
}

/// The variable and the value of `${NAME:=value}`, which sets it where nothing has.
fn default_of(text: &str) -> Option<(&str, &str)> {
    let (name, value) = text.strip_prefix("${")?.strip_suffix('}')?.split_once('=')?;
    let name = name.strip_suffix(':').unwrap_or(name);
    is_name(name).then_some((name, value))
}

fn arguments(words: &[Word], is_flag: impl Fn(&str) -> bool) -> Result<Settings, ImportError> {
    let mut settings = Settings::default();
    let mut rest = words;
    let mut before: Option<&Word> = None;
    while let Some((word, after)) = rest.split_first() {
        rest = after;
        let text = whole_word(&word.text);
        let runs = before.is_some_and(|before| starts_script(before, word));
        let before_last = before.replace(word);
        if let Some(path) = overridden(text, word.command == LauncherCommand::Recipe) {
            let value = text.split_once('=').map(|pair| pair.1.to_owned());
            settings.push(path, Some(word.line), value)?;
            continue;
        }
        let Some(name) = argument(text) else {
            let behind = before_last.is_some_and(|last| last.text == "train") && text.ends_with(".json");
            let named = is_configuration(text) || behind || list_name(text).is_some();
            if word.command.trains() && named || runs && holds_settings(text) {
                // Of a path that is not in the file, the name is.
                let name =
                    if runs && text.contains("$(") { text.rsplit('/').next().unwrap_or(text) } else { text };
                settings.push(name.to_owned(), Some(word.line), Some(name.to_owned()))?;
            }
            continue;
        };
        let (path, mut value) = match text.split_once('=').or_else(|| glued(text)) {
            Some((path, value)) => (path, Some(value.to_owned())),
            None => (text, None),
        };
        let name = name.split('=').next().unwrap_or_default().replace('-', "_");
        let says = |next: &&Word| ["true", "false", "True", "False"].contains(&next.text.as_str());
        if let Some((next, after)) =
            rest.split_first().filter(|(next, _)| value.is_none() && is_flag(&name) && says(next))
        {
            value = Some(next.text.clone());
            rest = after;
        } else if value.is_none() && !is_flag(&name) {
            let most = if SEVERAL.contains(&name.as_str()) { rest.len() } else { 1 };
            let values = rest.iter().take(most).take_while(|next| is_value(word, next));
            let values: Vec<&str> = values.map(|next| whole_word(&next.text)).collect();
            rest = rest.get(values.len()..).unwrap_or_default();
            value = (!values.is_empty()).then(|| values.join(","));
        }
        // One dash is a launcher's where it says how many, and any other program's where it does not.
        let counts = |value: &String| value.starts_with(|first: char| first.is_ascii_digit() || first == '$');
        let launches = word.command.launches() && value.as_ref().is_some_and(counts);
        if !text.starts_with("--") && !launches || is_step(word, path, value.as_deref(), &settings) {
            continue;
        }
        settings.push(path.to_owned(), Some(word.line), value)?;
    }
    Ok(settings)
}

/// Whether a word is a script that the word before it runs or reads.
fn starts_script(before: &Word, word: &Word) -> bool {
    before.end == word.line && ["source", ".", "bash", "sh", "exec", "srun"].contains(&before.text.as_str())
}

/// Words of the names of scripts that only set up a shell.
const OF_SHELLS: [&str; 8] = ["conda", "activate", "bashrc", "profile", "env", "module", "setvars", "setup"];

/// Whether a script of this name may hold settings of the job.
fn holds_settings(name: &str) -> bool {
    let last = name.rsplit('/').next().unwrap_or_default();
    last.ends_with(".sh") && !OF_SHELLS.iter().any(|word| last.contains(word))
}

/// Whether an option is of a step on one node, such as `srun --nodes=1 hostname`, of a job that has several.
fn is_step(word: &Word, path: &str, value: Option<&str>, settings: &Settings) -> bool {
    let counts = ["nodes", "N", "ntasks", "n"].contains(&path.trim_start_matches('-'));
    let several =
        |setting: &Setting| ["nodes", "N"].contains(&setting.key()) && !["", "1"].contains(&setting.value());
    let step = value == Some("1") && word.command == LauncherCommand::Launcher;
    counts && step && (word.inner || settings.iter().any(several))
}

/// Name of an argument, `--name`, or an option of a launcher that says how many.
fn argument(text: &str) -> Option<&str> {
    if let Some(name) = text.strip_prefix("--") {
        return name.starts_with(|first: char| first.is_ascii_alphabetic()).then_some(name);
    }
    let letter = text.strip_prefix('-')?;
    let letter = letter.split('=').next().unwrap_or_default();
    let letter = glued(text).map_or(letter, |pair| pair.0.trim_start_matches('-'));
    ONE_DASH.contains(&letter).then_some(text)
}

/// A letter of a launcher and the number behind it, `-N4`.
fn glued(text: &str) -> Option<(&str, &str)> {
    let (letter, count) = text.split_at_checked(2)?;
    let counts = !count.is_empty() && count.bytes().all(|digit| digit.is_ascii_digit());
    (counts && ["-N", "-n", "-G"].contains(&letter)).then_some((letter, count))
}

/// The path of an override, `model.tensor_model_parallel_size=2`.
fn overridden(text: &str, of_recipe: bool) -> Option<String> {
    let (path, _) = text.split_once('=')?;
    let path = path.trim_start_matches('+');
    let parts = path.split('.').filter(|part| is_name(part)).count();
    let whole = parts > 1 || TOP_LEVEL.contains(&path) || of_recipe;
    (whole && parts == path.split('.').count()).then(|| path.to_owned())
}

/// Whether a word may be the value of the argument before it.
fn is_value(argument: &Word, word: &Word) -> bool {
    let same_line = word.end == argument.end;
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
