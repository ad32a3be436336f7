//! Help, lists, completions and manual pages of the command line.

use crate::command;
use crate::command::{json, text};
use std::path::PathBuf;

/// Commands whose examples read files that only their readers have.
const OF_FILES: [&str; 5] = ["import", "validate", "operators", "calibrate", "completions"];

/// Help of a command, its examples, and the commands in it.
fn help(command: &[&str]) -> (String, Vec<String>, Vec<String>) {
    let help = text(&[command, &["--help"]].concat());
    let indented = |title: &str| -> Vec<String> {
        let lines = help.lines().skip_while(|line| *line != title).skip(1);
        lines
            .take_while(|line| !line.is_empty())
            .filter_map(|line| Some(line.strip_prefix("  ")?.to_owned()))
            .collect()
    };
    let names = indented("Commands:").into_iter().filter(|line| !line.starts_with([' ', 'h']));
    let names = names.map(|line| line.split(' ').next().expect("a name").to_owned()).collect();
    let examples = indented("Examples:");
    (help, examples, names)
}

#[test]
fn help_begins_with_examples_that_run_and_fits_the_terminal() {
    let mut commands = vec![vec![]];
    let mut run = 0;
    while let Some(command) = commands.pop() {
        let words: Vec<&str> = command.iter().map(String::as_str).collect();
        let (help, examples, names) = help(&words);
        assert!(help.lines().all(|line| line.chars().count() <= 100), "{help}");
        commands.extend(names.into_iter().map(|name| [command.clone(), vec![name]].concat()));
        if words == ["operators", "profiles"] {
            continue;
        }
        assert!(!examples.is_empty(), "{help}");
        assert!(help.find("Examples:") < help.find("Usage:"), "{help}");
        for example in examples {
            let mut parsed = shlex::split(&example).expect("words");
            assert_eq!(parsed.remove(0), "stepcast");
            let to = parsed
                .iter()
                .position(|word| word == ">" || word == "|" || word == "-o" || word == "--folder");
            parsed.truncate(to.unwrap_or(parsed.len()));
            let arguments: Vec<&str> = parsed.iter().map(String::as_str).collect();
            let reads = |word: &&str| word.ends_with(".sh") || word.ends_with("config.json");
            if !OF_FILES.contains(&arguments[0]) && !arguments.iter().any(reads) {
                assert!(!text(&arguments).is_empty(), "{example}");
                run += 1;
            }
        }
    }
    assert!(run > 20, "{run}");
}

#[test]
fn lists_completions_and_manual_pages_are_made_of_the_arguments() {
    for (list, key, entry) in [
        ("--list-presets", "name", "dgx-h100"),
        ("--list-fields", "flag", "tensor-parallel"),
        ("--list-constants", "name", "gemm_efficiency_hopper"),
    ] {
        let entries = json(&[list, "--json"]);
        let mut entries = entries.as_array().expect("a list").iter();
        assert!(entries.any(|one| one[key] == entry), "{list}");
    }
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        assert!(text(&["completions", shell]).contains("tensor-parallel"), "{shell}");
    }
    assert!(text(&["man"]).contains("Examples"));
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("man");
    text(&["man", "--folder", folder.to_str().expect("UTF-8")]);
    let page = std::fs::read_to_string(folder.join("stepcast-predict.1")).expect("a page");
    assert!(page.contains("cost\\-model"), "{page}");
}

#[test]
fn lists_on_the_terminal_fit_its_columns() {
    for list in ["--list-fields", "--list-presets", "--list-constants"] {
        for line in command::text(&[list]).lines() {
            assert!(line.chars().count() <= 100, "{list}: {line}");
        }
    }
}
