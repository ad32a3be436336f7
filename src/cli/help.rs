//! Help, completions for shells and manual pages: the arguments, and a table of examples.

use crate::text::COLUMNS;
use crate::{Cli, Failure};
use clap::{Args, Command, CommandFactory as _};
use clap_complete::{Shell, generate};
use std::path::{Path, PathBuf};

/// Examples come before arguments.
const TEMPLATE: &str = "{about-with-newline}\n{before-help}{usage-heading} {usage}\n\n{all-args}{after-help}";

/// What scripts may rely on.
const STATUS: &str = "Exit status: 0 if the answer was printed, even if the job does not fit in memory; 2 if the arguments, the job \
                      or a file is invalid. Errors are written to standard error.";

/// Commands in the order of use, with what their help begins with.
const EXAMPLES: [(&str, &[&str]); 21] = [
    (
        "",
        &[
            "stepcast predict \"Llama-3.1 8B on 64 H100\"",
            "stepcast predict pretrain.sh --machine dgx-h100",
            "stepcast rank --model llama3-70b --machine dgx-h100 --gpus 64 --top 5",
            "stepcast explain --preset llama3-70b-512xh100",
        ],
    ),
    (
        "predict",
        &[
            "stepcast predict \"Llama-3.1 8B on 64 H100\"",
            "stepcast predict --model llama3-8b --machine dgx-h100 --gpus 64 --tensor-parallel 2 --json",
            "stepcast predict '#2;m=llama3-70b;g=dgx-h100;n=512'",
            "stepcast predict pretrain.sh --machine dgx-h100",
            "stepcast predict train.sh --with config.json --gpus 64 --machine H100",
        ],
    ),
    (
        "rank",
        &[
            "stepcast rank \"Llama-3.1 8B on 64 H100\" --top 5",
            "stepcast rank config.json --gpus 64 --machine H100",
            "stepcast rank --model llama3-8b --machine dgx-h100 --gpus 8..64 --goal cheapest",
            "stepcast rank \"Llama-3.1 8B on 64 H100\" --fix tp,pp --against rule --json",
        ],
    ),
    (
        "explain",
        &[
            "stepcast explain --preset llama3-70b-512xh100",
            "stepcast explain --preset llama3-70b-512xh100 --item mfu",
        ],
    ),
    (
        "scale",
        &[
            "stepcast scale --preset llama3-70b-512xh100",
            "stepcast scale --model llama3-8b --machine dgx-h100 --gpus 8..64 --best",
        ],
    ),
    (
        "traffic",
        &[
            "stepcast traffic --preset llama3-70b-512xh100 --rank 5",
            "stepcast traffic \"Llama-3.1 8B on 64 H100\" --matrix --json",
        ],
    ),
    (
        "timeline",
        &[
            "stepcast timeline --preset llama3-70b-512xh100",
            "stepcast timeline --preset llama3-70b-512xh100 --trace > step.trace.json",
        ],
    ),
    (
        "picture",
        &[
            "stepcast picture --preset llama3-70b-512xh100 -o breakdown.svg",
            "stepcast picture --preset llama3-70b-512xh100 --view memory > memory.svg",
        ],
    ),
    ("import", &["stepcast import config.json", "stepcast import meta-llama/Llama-3.1-8B --json"]),
    (
        "export",
        &[
            "stepcast export --preset llama3-70b-512xh100 --for megatron-lm",
            "stepcast export \"Llama-3.1 8B on 64 H100\" --for torchtitan --json",
        ],
    ),
    ("validate", &["stepcast validate runs.csv", "stepcast validate --memory peaks.csv --json"]),
    (
        "run-report",
        &[
            "stepcast run-report \"llama3-8b on 8 H100\" --seconds 2.1 --source a-team --notes example.org/log",
        ],
    ),
    (
        "calibrate-run",
        &[
            "stepcast calibrate-run --run '#2;m=llama3-70b;g=dgx-h100;n=512' 13.1",
            "stepcast calibrate-run --run '#2;m=llama3-8b;g=dgx-h100;n=64' 2.9 --json",
        ],
    ),
    (
        "data-parallel",
        &["stepcast data-parallel resnet50", "stepcast data-parallel bert-large --gpus 8,16,32 --json"],
    ),
    (
        "operators",
        &[
            "stepcast operators fit samples --machine dgx-h100",
            "stepcast operators train samples my.profile --machine dgx-h100",
        ],
    ),
    ("operators fit", &["stepcast operators fit samples --machine dgx-h100"]),
    ("operators train", &["stepcast operators train samples my.profile --machine dgx-h100"]),
    ("calibrate", &["stepcast calibrate data", "stepcast calibrate data --leave-out source"]),
    ("schema", &["stepcast schema > stepcast.schema.json"]),
    ("completions", &["stepcast completions bash > ~/.local/share/bash-completion/completions/stepcast"]),
    ("man", &["stepcast man | man -l -", "stepcast man --folder ~/.local/share/man/man1"]),
];

/// Where manual pages go.
#[derive(Debug, Args)]
pub(crate) struct Manual {
    /// Folder for the manual pages, one per command; default: print the main page.
    #[arg(long, value_name = "FOLDER")]
    folder: Option<PathBuf>,
}

/// The command line with its help.
pub(crate) fn command() -> Command {
    with_help(Cli::command().max_term_width(COLUMNS).after_help(STATUS), "")
}

fn with_help(command: Command, name: &str) -> Command {
    let command = command.help_template(TEMPLATE);
    let place = EXAMPLES.iter().position(|entry| entry.0 == name);
    let command = match place.and_then(|place| Some((place, EXAMPLES.get(place)?.1))) {
        Some((place, lines)) => {
            let lines: String = lines.iter().map(|line| format!("\n  {line}")).collect();
            command.display_order(place).before_help(format!("Examples:{lines}"))
        }
        None => command,
    };
    command.mut_subcommands(|inner| {
        let inner_name = format!("{name} {}", inner.get_name());
        with_help(inner, inner_name.trim_start())
    })
}

/// The same for manual pages, which have no place before their arguments.
fn with_examples_last(command: Command) -> Command {
    let texts = [command.get_before_help(), command.get_after_help()];
    let texts: Vec<String> = texts.into_iter().flatten().map(ToString::to_string).collect();
    command.after_help(texts.join("\n\n")).mut_subcommands(with_examples_last)
}

/// Completions for a shell.
pub(crate) fn completions(shell: Shell) -> Result<String, Failure> {
    let mut out = Vec::new();
    generate(shell, &mut command(), "stepcast", &mut out);
    String::from_utf8(out).map_err(|error| vec![format!("The completions are not valid text: {error}.")])
}

/// The first manual page, or all of them into a folder.
pub(crate) fn manual(choices: &Manual) -> Result<String, Failure> {
    let failure = |shown: &Path, error: std::io::Error| {
        vec![format!("{} cannot be written: {error}.", shown.display())]
    };
    if let Some(folder) = &choices.folder {
        std::fs::create_dir_all(folder).map_err(|error| failure(folder, error))?;
        clap_mangen::generate_to(with_examples_last(command()), folder)
            .map_err(|error| failure(folder, error))?;
        return Ok(String::new());
    }
    let mut out = Vec::new();
    clap_mangen::Man::new(with_examples_last(command()))
        .render(&mut out)
        .map_err(|error| failure(Path::new("The page"), error))?;
    String::from_utf8(out).map_err(|error| vec![format!("The manual page is not valid text: {error}.")])
}
