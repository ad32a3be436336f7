//! Everything that is done to the project, as `cargo xtask COMMAND`. Each command first installs what
//! it needs and the machine lacks.

#![allow(clippy::print_stdout, reason = "a command-line tool")]

mod ablate;
mod data;
mod dist;
mod functions;
mod glossary;
mod guide;
mod mutants;
mod offline;
mod package;
mod page;
mod profiles;
mod project;
mod python;
mod readme;
mod rooms;
mod sbom;
mod serve;
mod setup;
mod shrink;
mod size;
mod test;
mod tidy;
mod type_names;
mod words;

use project::{Project, Result};
use std::process::ExitCode;

const USAGE: &str = "\
Usage: cargo xtask COMMAND

  serve [--release] [--no-open] [--port N]
                                  build the page, serve it on localhost, rebuild and reload on change
  test [native|wasm|e2e]          every check, or one third of them
  tidy                            house rules: rooms import downwards, files and functions stay short, names and links lead somewhere, tables and code agree
  mutants [ROOM] [--sample N]     plant errors in the library's rooms one by one, and name those that no test notices
  build                           the page, for release, into dist/
  guide                           the guide, into dist/guide/ (a build has it already)
  package                         the JavaScript package, into packages/js/dist/
  python [types|test]             the Python package: types made from the schema, and a wheel in target/wheels/; or its tests
  dist [cli]                      a release, into target/dist/: archives of the page, the command line and the packages, an SBOM,
                                  digests; or the command line of this platform alone
  data                            the tables of data/ as Rust source, after one of them has changed
  ablate                          forecast the public runs without each row of stacks and each constant, into docs/ablation.md
  readme                          put tables of errors and the last picture of the page into the documents, the runs into static/
  profiles                        rebuild the shipped profiles of learned operators from the public data
  setup                           install every tool the other commands use

Called by Trunk after each build:

  finish-page                     shrink modules and their scripts, move inline scripts into files";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("\nerror: {message}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &[&str]) -> Result {
    let project = Project::find()?;
    match arguments {
        ["serve", flags @ ..] => serve::serve(&project, flags),
        ["test"] => test::test(&project, test::Suite::ALL),
        ["test", "native"] => test::test(&project, &[test::Suite::Native]),
        ["test", "wasm"] => test::test(&project, &[test::Suite::Wasm]),
        ["test", "e2e"] => test::test(&project, &[test::Suite::EndToEnd]),
        ["tidy"] => tidy::check(&project),
        ["mutants", flags @ ..] => mutants::run(&project, flags),
        ["build"] => page::build(&project),
        ["guide"] => guide::write(&project, &project.dist().join("guide")),
        ["python"] => python::build(&project),
        ["python", "types"] => python::write(&project),
        ["python", "test"] => python::test(&project),
        ["package"] => package::build(&project),
        ["dist"] => dist::build(&project),
        ["dist", "cli"] => dist::command_line(&project),
        ["data"] => data::update(&project),
        ["ablate"] => ablate::update(&project),
        ["readme"] => readme::update(&project),
        ["profiles"] => profiles::build(&project),
        ["setup"] => setup::everything(&project),
        ["finish-page"] => page::finish(&project),
        ["help" | "--help" | "-h"] => {
            println!("{USAGE}");
            Ok(())
        }
        [] => Err(format!("no command\n\n{USAGE}")),
        _ => Err(format!("unknown command `{}`\n\n{USAGE}", arguments.join(" "))),
    }
}
