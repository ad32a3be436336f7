//! The predictor from a terminal.

mod answers;
mod calibrate;
mod classes;
mod closed;
mod columns;
mod exchange;
mod explain;
mod files;
mod flags;
mod forecast;
mod help;
mod input;
mod item;
mod kernels;
mod layouts;
mod learned;
mod lines;
mod lists;
mod operators;
mod picture;
mod precisions;
mod profiles;
mod recipes;
mod report;
mod run_report;
mod runs;
mod scale;
mod search;
mod shipped;
mod sizes;
mod spread;
mod studies;
mod tables;
mod text;
mod timeline;
mod traffic;
mod user_runs;

use clap::{Args, FromArgMatches as _, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use flags::FieldFlags;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;
use stepcast::error::FieldError;

/// Exit status of input that cannot be used, the same as of wrong arguments.
const BAD_INPUT: u8 = 2;

/// Forecasts a training step of a large language model: time, memory, cost, and the best layout.
#[derive(Debug, Parser)]
#[command(version, arg_required_else_help = true, args_conflicts_with_subcommands = true)]
struct Cli {
    /// List the names of examples (--preset), models (--model) and machines (--machine).
    #[arg(long, group = "list")]
    list_presets: bool,
    /// List the fields of a job: keys, flags and valid values.
    #[arg(long, group = "list")]
    list_fields: bool,
    /// List the constants of the predictor: value, unit, source and evidence.
    #[arg(long, group = "list")]
    list_constants: bool,
    /// Print a list as JSON.
    #[arg(long, requires = "list")]
    json: bool,
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Forecast one step: time, range, breakdown, memory and MFU.
    ///
    /// If the job is -, the command reads standard input: a file of another tool, or one job per line. For one job per
    /// line, the command prints one JSON forecast per line.
    Predict(Box<forecast::Arguments>),
    /// Explain a forecast: the largest parts of the step, the bottleneck and the range.
    Explain {
        #[command(flatten)]
        job: JobArguments,
        #[command(flatten)]
        items: item::Items,
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// Draw a chart of the forecast as SVG or PNG.
    Picture {
        #[command(flatten)]
        job: JobArguments,
        #[command(flatten)]
        choices: picture::PictureOptions,
    },
    /// Print the JSON schema of jobs and answers.
    Schema,
    /// Rank the layouts of the job, fastest first, and recommend one.
    Rank {
        #[command(flatten)]
        job: JobArguments,
        #[command(flatten)]
        choices: Box<layouts::SearchOptions>,
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// List the messages that one rank sends per step, and the bytes between ranks.
    Traffic {
        #[command(flatten)]
        job: JobArguments,
        #[command(flatten)]
        choices: traffic::TrafficOptions,
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// Forecast throughput and scaling efficiency on several numbers of GPUs.
    Scale {
        #[command(flatten)]
        job: JobArguments,
        #[command(flatten)]
        choices: scale::ScaleArguments,
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// Simulate the pipeline schedule of one step, pass by pass.
    Timeline {
        #[command(flatten)]
        job: JobArguments,
        #[command(flatten)]
        form: timeline::Form,
    },
    /// Forecast data-parallel (DP) training of ResNet, VGG or BERT.
    DataParallel {
        #[command(flatten)]
        choices: scale::NetworkArguments,
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// Compare forecasts with measured runs.
    Validate {
        /// CSV or TSV file with one measured step per row. The job is a link in the column job, or has one column per
        /// field.
        #[arg(required_unless_present_any = ["memory", "kernels", "collectives"])]
        runs: Option<PathBuf>,
        /// CSV or TSV file with one measured memory peak (peak_gib) per row, instead of runs.
        #[arg(long, value_name = "FILE")]
        memory: Option<PathBuf>,
        /// With --memory: print the error of each forecast peak, in the format of data/peak_errors.tsv.
        #[arg(long, requires = "memory", conflicts_with_all = ["runs", "json"])]
        peak_errors: bool,
        /// CSV file with one measured kernel per row, instead of runs.
        #[arg(long, value_name = "FILE", conflicts_with_all = ["runs", "memory", "links"])]
        kernels: Option<PathBuf>,
        /// CSV file with one measured collective per row, instead of runs.
        #[arg(long, value_name = "FILE", conflicts_with_all = ["runs", "memory", "links"])]
        collectives: Option<PathBuf>,
        /// Print one line per row with the link of the job, in the format of the page.
        #[arg(long, requires = "runs", conflicts_with = "json")]
        links: bool,
        /// Print the values that the runs cover for each field, in the format of data/tried.tsv.
        #[arg(long, requires = "runs", conflicts_with_all = ["json", "links", "memory"])]
        tried: bool,
        /// Print the evidence from the fitted runs and additional files, in the format of data/evidence.tsv.
        #[arg(long, requires = "runs", value_name = "FILE", num_args = 0.., conflicts_with_all = ["json", "links", "memory", "tried"])]
        evidence: Option<Vec<PathBuf>>,
        /// Print forecast errors by class of job, for the runs and additional files.
        #[arg(long, requires = "runs", value_name = "FILE", num_args = 0.., conflicts_with_all = ["links", "memory", "tried", "evidence", "recipes"])]
        by_class: Option<Vec<PathBuf>>,
        /// With --by-class: print the half-widths of the ranges instead, in the format of data/widths.tsv. The additional
        /// files then contain runs of models with recurrent layers.
        #[arg(long, requires = "by_class", conflicts_with = "json")]
        interval_widths: bool,
        /// Print forecast errors by set of runs (column look).
        #[arg(long, requires = "runs", conflicts_with_all = ["links", "memory", "tried", "evidence", "by_class", "recipes"])]
        by_look: bool,
        /// Compare published recipes with the recommended layouts.
        #[arg(long, requires = "runs", conflicts_with_all = ["links", "memory", "tried"])]
        recipes: bool,
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// Write a measured step as a row of evidence/runs.tsv, for a pull request.
    RunReport(Box<run_report::RunReport>),
    /// Calibrate compute, network and host of your machine from measured steps.
    CalibrateRun(user_runs::Runs),
    /// Read a job from another tool's file: config.json, launch scripts, configurations, logs.
    Import(exchange::ImportSource),
    /// Write the job as launch flags or configuration of a training framework.
    Export(Box<exchange::ExportTarget>),
    /// Learn operator times from benchmark samples.
    #[command(subcommand)]
    Operators(operators::OperatorsCommand),
    /// Refit the constants of the predictor to the measurements in a folder.
    Calibrate {
        /// Folder with kernels.csv, nccl_bandwidth.csv and runs.csv.
        data: PathBuf,
        /// Forecast each group of runs with constants fitted to all other groups.
        #[arg(long)]
        leave_out: Option<calibrate::LeaveOut>,
        /// Print how well the runs determine each fitted constant, in the format of data/determined.tsv.
        #[arg(long, conflicts_with = "leave_out")]
        determined: bool,
    },
    /// Print completions for a shell.
    Completions {
        /// The shell.
        shell: Shell,
    },
    /// Print the manual page, or write one for each command.
    Man(help::Manual),
}

/// The job to forecast.
#[derive(Debug, Clone, Args)]
pub(crate) struct JobArguments {
    /// A link from the page, words such as "llama3-8b on 8 H100", a JSON object of fields, or a file that contains one
    /// of these; or a launch script, configuration or log of another tool (see import). Use - for standard input.
    #[arg(value_name = "JOB")]
    scenario: Option<String>,
    /// An example to start from (names: stepcast --list-presets).
    #[arg(long, value_name = "NAME", conflicts_with = "scenario", help_heading = flags::JOB)]
    preset: Option<String>,
    /// Another file for the same job, such as the model's config.json; may be repeated.
    #[arg(long, value_name = "FILE", help_heading = flags::JOB)]
    with: Vec<String>,
    #[command(flatten)]
    flags: FieldFlags,
    /// Set any other field; may be repeated (fields: stepcast --list-fields).
    #[arg(long = "set", value_name = "KEY=VALUE", help_heading = flags::JOB)]
    edits: Vec<String>,
    /// Source of layout fields that are not set.
    #[arg(long, value_enum, default_value_t = LayoutOfJob::Recommended, help_heading = flags::LAYOUT)]
    layout: LayoutOfJob,
    /// Number of GPUs of a job that is another tool's file and states none.
    #[arg(skip)]
    place: Option<String>,
}

/// The values of layout fields that a job does not set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum LayoutOfJob {
    /// Recommended by a search.
    Recommended,
    /// From the default job.
    Default,
}

impl JobArguments {
    /// Whether jobs are read from the lines of the standard input: `-`, without changes.
    pub(crate) fn is_lines(&self) -> bool {
        self.scenario.as_deref() == Some("-") && self.is_unchanged()
    }

    /// Whether no field is set besides those of the scenario or preset.
    pub(crate) fn is_unchanged(&self) -> bool {
        self.edits.is_empty() && self.flags.values().is_empty()
    }

    /// The job where `--gpus` lists the numbers of GPUs to look at: the first is its own where no other is named.
    fn of_places(&self) -> Self {
        let listed = self.flags.values().iter().find(|value| value.0 == flags::GPUS);
        let first = listed.map(|value| value.1.split([',', '.']).next().unwrap_or(&value.1).to_owned());
        let has_own = self.scenario.is_some() || self.preset.is_some();
        let own = first.as_deref().filter(|_| !has_own);
        Self { flags: self.flags.on_gpus(own), place: first, ..self.clone() }
    }
}

/// Sentences that say why nothing could be done.
pub(crate) type Failure = Vec<String>;

/// What is wrong with a scenario's fields, as sentences.
pub(crate) fn sentences(errors: Vec<FieldError>) -> Failure {
    errors.iter().map(ToString::to_string).collect()
}

fn main() -> ExitCode {
    let mut command = help::command();
    let matches = command.try_get_matches_from_mut(std::env::args_os());
    let matches = matches.unwrap_or_else(|error| flags::hinted(error, &command).exit());
    let cli = Cli::from_arg_matches(&matches).unwrap_or_else(|error| error.format(&mut command).exit());
    match run(&cli) {
        Ok(text) => {
            print(&text);
            ExitCode::SUCCESS
        }
        Err(sentences) => {
            complain(&sentences);
            ExitCode::from(BAD_INPUT)
        }
    }
}

/// The list that was asked for.
fn listed(cli: &Cli) -> Option<Result<String, Failure>> {
    let list = match (cli.list_presets, cli.list_fields, cli.list_constants) {
        (true, ..) => lists::presets,
        (_, true, _) => lists::fields,
        (.., true) => lists::constants,
        _ => return None,
    };
    Some(list(cli.json))
}

/// Does what was asked and returns what to print.
fn run(cli: &Cli) -> Result<String, Failure> {
    if let Some(list) = listed(cli) {
        return list;
    }
    match &cli.command {
        Some(Command::Predict(arguments)) => forecast::predict(arguments),
        Some(Command::Explain { job, items, json }) => {
            let input = input::read(job)?;
            match item::explain(&input, items, *json) {
                Some(text) => text,
                None => explain::explain(&input, *json),
            }
        }
        Some(Command::Picture { job, choices }) => picture::picture(&input::read(job)?, choices),
        Some(Command::Schema) => json(&stepcast::scripting::schema::document()),
        Some(Command::Rank { job, choices, json }) => {
            layouts::rank(&input::read_job(&job.of_places())?, choices, *json)
        }
        Some(Command::Traffic { job, choices, json }) => traffic::traffic(&input::read(job)?, choices, *json),
        Some(Command::Scale { job, choices, json }) => {
            scale::scale(&input::read(&job.of_places())?, choices, *json)
        }
        Some(Command::Timeline { job, form }) => timeline::timeline(&input::read(job)?, form),
        Some(Command::DataParallel { choices, json }) => scale::data_parallel(choices, *json),
        Some(command @ Command::Validate { .. }) => validated(command),
        Some(Command::RunReport(report)) => run_report::report(report),
        Some(Command::CalibrateRun(runs)) => user_runs::calibrate(runs),
        Some(Command::Import(source)) => exchange::import(source),
        Some(Command::Export(target)) => exchange::export(target),
        Some(Command::Operators(command)) => operators::operators(command),
        Some(Command::Calibrate { data, determined: true, .. }) => calibrate::how_well(data),
        Some(Command::Calibrate { data, leave_out, .. }) => calibrate::calibrate(data, *leave_out),
        Some(Command::Completions { shell }) => help::completions(*shell),
        Some(Command::Man(choices)) => help::manual(choices),
        None => Err(vec![NO_COMMAND.to_owned()]),
    }
}

/// What is said where nothing was asked.
const NO_COMMAND: &str = "No command. Run stepcast --help.";

/// Compares forecasts with what was measured.
fn validated(command: &Command) -> Result<String, Failure> {
    match command {
        Command::Validate { runs: Some(runs), memory, links: true, .. } => {
            runs::links(runs, memory.as_deref())
        }
        Command::Validate { runs: Some(runs), tried: true, .. } => runs::tried(runs),
        Command::Validate { runs: Some(runs), evidence: Some(others), .. } => runs::evidence(runs, others),
        Command::Validate { runs: Some(runs), by_class: Some(others), interval_widths, json, .. } => {
            classes::classes(runs, others, *interval_widths, *json)
        }
        Command::Validate { runs: Some(runs), by_look: true, json, .. } => classes::looks(runs, *json),
        Command::Validate { runs: Some(runs), recipes: true, json, .. } => recipes::recipes(runs, *json),
        Command::Validate { memory: Some(_), runs: Some(_), .. } => Err(vec![
            "Use either a file of runs, or a file of peaks with --memory. Only --links accepts both."
                .to_owned(),
        ]),
        Command::Validate { memory: Some(peaks), peak_errors: true, .. } => runs::peak_errors(peaks),
        Command::Validate { memory: Some(peaks), json, .. } => runs::validate_memory(peaks, *json),
        Command::Validate { runs: Some(runs), json, .. } => runs::validate(runs, *json),
        Command::Validate { kernels, collectives, json, .. }
            if kernels.is_some() || collectives.is_some() =>
        {
            kernels::validate(kernels.as_deref(), collectives.as_deref(), *json)
        }
        _ => Err(vec![NO_COMMAND.to_owned()]),
    }
}

/// Prints a text to the standard output: words with plain blanks, which can be searched for; data as it is.
pub(crate) fn print(text: &str) {
    let plain = if text.starts_with(['{', '[', '<']) { text.to_owned() } else { text.replace('\u{a0}', " ") };
    // A reader that has seen enough closes the pipe; that is no error.
    let _ = std::io::stdout().lock().write_all(plain.as_bytes());
}

/// Prints sentences to the terminal's error stream.
pub(crate) fn complain(sentences: &[String]) {
    let mut stream = std::io::stderr().lock();
    for sentence in sentences {
        // Nobody is left to tell when the error stream itself is closed.
        let _ = writeln!(stream, "{}", sentence.replace('\u{a0}', " "));
    }
}

/// JSON with a final newline.
pub(crate) fn json(value: &impl serde::Serialize) -> Result<String, Failure> {
    serde_json::to_string_pretty(value)
        .map(|text| text + "\n")
        .map_err(|error| vec![format!("The result cannot be written as JSON: {error}.")])
}
