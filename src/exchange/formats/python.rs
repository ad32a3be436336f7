//! A function of Python that returns a configuration, as torchtitan's of 2026: calls with named arguments. It is read, not
//! run.

use super::super::ImportError;
use super::super::settings::{DEEPEST, Settings};
use super::too_deep;

/// Whether a text is Python: it defines functions at the beginning of lines.
pub(crate) fn is_python(text: &str) -> bool {
    text.lines()
        .any(|line| line.starts_with("def ") || line.starts_with("from ") || line.starts_with("import "))
        && text.lines().any(|line| line.starts_with("def "))
}

/// Reads the one function of a file that returns a configuration.
///
/// # Errors
/// There is none, or there are several; brackets are nested too deep.
pub(crate) fn read(text: &str) -> Result<Settings, ImportError> {
    let mut functions: Vec<(&str, u32, String)> = Vec::new();
    for (number, line) in (0_u32..).zip(text.lines()) {
        let name = line.strip_prefix("def ").and_then(|rest| rest.split('(').next());
        if let Some(name) = name {
            functions.push((name.trim(), number, String::new()));
        } else if line.starts_with(|letter: char| letter.is_alphabetic() || letter == '@') {
            // Something else of the module begins.
            functions.push(("", number, String::new()));
        } else if let Some(function) = functions.last_mut() {
            function.2.push_str(line.split(" #").next().unwrap_or_default());
            function.2.push('\n');
        }
    }
    // Names that begin so are of helpers.
    functions.retain(|function| {
        !function.0.is_empty() && !function.0.starts_with('_') && function.2.contains("Config")
    });
    let problem = |message: String| ImportError { line: None, name: None, message };
    match functions.as_slice() {
        [(name, line, body)] => of_function(name, *line, body),
        [] => Err(problem("No function in this file returns a configuration.".to_owned())),
        several => {
            let names: Vec<&str> = several.iter().map(|function| function.0).take(20).collect();
            Err(problem(format!(
                "The file contains several configurations ({}). Keep one.",
                names.join(", ")
            )))
        }
    }
}

/// The settings of a function: `training.steps` of `training=TrainingConfig(steps=...)`, and the names of calls.
fn of_function(name: &str, first: u32, body: &str) -> Result<Settings, ImportError> {
    let mut settings = Settings::default();
    settings.push("config".to_owned(), Some(first + 1), Some(name.to_owned()))?;
    settings.push("module".to_owned(), Some(first + 1), Some(name.to_owned()))?;
    let mut line = first + 2;
    // Names of the arguments whose calls are open; empty where a bracket belongs to none.
    let mut open: Vec<String> = Vec::new();
    let mut word = String::new();
    let mut argument = String::new();
    let mut letters = body.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '(' | '[' => {
                let call = word.trim().to_owned();
                if open.len() >= DEEPEST {
                    return Err(too_deep(Some(line)));
                }
                let path = path_of(&open, &argument);
                if !call.is_empty() && !path.is_empty() {
                    settings.push(path, Some(line), Some(call.clone()))?;
                }
                let of_model = call.ends_with("model_registry");
                open.push(if of_model {
                    "model_registry".to_owned()
                } else {
                    core::mem::take(&mut argument)
                });
                argument.clear();
                word.clear();
            }
            '=' if letters.peek() != Some(&'=') => {
                argument = word.trim().rsplit([' ', '\n']).next().unwrap_or_default().to_owned();
                word.clear();
            }
            ')' | ']' | ',' | '\n' => {
                value(&mut settings, &open, &argument, &word, line)?;
                if letter != '\n' || open.is_empty() {
                    argument.clear();
                }
                word.clear();
                if letter == ')' || letter == ']' {
                    open.pop();
                }
                line += u32::from(letter == '\n');
            }
            _ => word.push(letter),
        }
    }
    Ok(settings)
}

/// The path of an argument, without what belongs to no name: the call that is returned.
fn path_of(open: &[String], argument: &str) -> String {
    let names = open.iter().map(String::as_str).chain([argument]).filter(|name| !name.is_empty());
    let path = names.collect::<Vec<_>>().join(".").replace("config.", "");
    if path == "model_registry.flavor" { "model_registry".to_owned() } else { path }
}

/// Adds a plain value.
fn value(
    settings: &mut Settings,
    open: &[String],
    argument: &str,
    word: &str,
    line: u32,
) -> Result<(), ImportError> {
    let text = word.trim().trim_matches(['"', '\'']);
    let path = path_of(open, argument);
    if text.is_empty() || path.is_empty() || argument.is_empty() && path != "model_registry" {
        return Ok(());
    }
    settings.push(path, Some(line), Some(product(text).unwrap_or_else(|| text.to_owned())))
}

/// A product of whole numbers.
fn product(text: &str) -> Option<String> {
    let mut factors = text.split('*').map(|factor| factor.trim().replace('_', "").parse::<i64>());
    let product = factors.try_fold(1_i64, |all, factor| all.checked_mul(factor.ok()?))?;
    Some(product.to_string())
}
