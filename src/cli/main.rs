//! The predictor from a terminal.

mod answers;
mod calibrate;
mod classes;
mod closed;
mod exchange;
mod explain;
mod files;
mod forecast;
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

use clap::{Args, Parser, Subcommand, ValueEnum};
use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;
use stepcast::error::FieldError;

/// Exit status of input that cannot be used, the same as of wrong arguments.
const BAD_INPUT: u8 = 2;

/// Forecasts a training step of a large language model before a cluster is booked.
#[derive(Debug, Parser)]
#[command(version, arg_required_else_help = true)]
struct Cli {
    /// List the names that --preset, m= and g= take, and exit.
    #[arg(long, global = true)]
    list_presets: bool,
    /// List the keys that --set, links and JSON files take, and exit.
    #[arg(long, global = true)]
    list_fields: bool,
    /// List every constant with its unit, what its value rests on and how well that determines it, and exit.
    #[arg(long, global = true)]
    list_constants: bool,
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Forecast one step: time, breakdown, memory, utilisation. With - for a job, one for each line of the standard
    /// input, as JSON.
    Predict(Box<forecast::Arguments>),
    /// Say where the step goes, why, and how sure that is.
    Explain {
        #[command(flatten)]
        job: Job,
        #[command(flatten)]
        items: item::Items,
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// Draw a view of the forecast, as SVG or PNG with the link of the job in it.
    Picture {
        #[command(flatten)]
        job: Job,
        #[command(flatten)]
        choices: picture::Choices,
    },
    /// Print the JSON schema of jobs and answers.
    Schema,
    /// Rank every layout of the job that its software can run.
    Rank {
        #[command(flatten)]
        job: Job,
        #[command(flatten)]
        choices: Box<layouts::Choices>,
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// List the messages of one rank in one step, and the bytes between ranks.
    Traffic {
        #[command(flatten)]
        job: Job,
        #[command(flatten)]
        choices: traffic::Choices,
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// Forecast the job on more and more GPUs, and say where they stop paying.
    Scale {
        #[command(flatten)]
        job: Job,
        #[command(flatten)]
        choices: scale::Sizes,
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// Replay the pipeline of one step, pass by pass.
    Timeline {
        #[command(flatten)]
        job: Job,
        #[command(flatten)]
        form: timeline::Form,
    },
    /// Forecast pure data-parallel training of ResNet, VGG or BERT.
    DataParallel {
        #[command(flatten)]
        choices: scale::Network,
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// Forecast every measured run of a file and compare.
    Validate {
        /// CSV file with one measured step per row.
        #[arg(required_unless_present_any = ["memory", "kernels", "collectives"])]
        runs: Option<PathBuf>,
        /// Instead, a CSV file with one measured memory peak per row (peak_gib for iteration_s).
        #[arg(long, value_name = "FILE")]
        memory: Option<PathBuf>,
        /// Instead, a CSV file with one measured kernel per row.
        #[arg(long, value_name = "FILE", conflicts_with_all = ["runs", "memory", "links"])]
        kernels: Option<PathBuf>,
        /// Instead or besides, a CSV file with one measured collective per row.
        #[arg(long, value_name = "FILE", conflicts_with_all = ["runs", "memory", "links"])]
        collectives: Option<PathBuf>,
        /// Print both files as the page carries them: a line for each row, with the link of its job.
        #[arg(long, requires = "runs", conflicts_with = "json")]
        links: bool,
        /// Print what the runs have tried, field by field: the table data/tried.tsv.
        #[arg(long, requires = "runs", conflicts_with_all = ["json", "links", "memory"])]
        tried: bool,
        /// Print what evidence the runs, which constants were fitted to, and those of further files are: the table
        /// data/evidence.tsv.
        #[arg(long, requires = "runs", value_name = "FILE", num_args = 0.., conflicts_with_all = ["json", "links", "memory", "tried"])]
        evidence: Option<Vec<PathBuf>>,
        /// Print how good forecasts are by class of job, of the runs and of those of further files, the first forecasts too
        /// where they are on record.
        #[arg(long, requires = "runs", value_name = "FILE", num_args = 0.., conflicts_with_all = ["links", "memory", "tried", "evidence", "recipes"])]
        by_class: Option<Vec<PathBuf>>,
        #[command(flatten)]
        reading: classes::Reading,
        /// Print the published recipes, one for each model, GPU and number of GPUs, against what a search finds.
        #[arg(long, requires = "runs", conflicts_with_all = ["links", "memory", "tried"])]
        recipes: bool,
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// Say what your own measured steps tell about your machines: compute, network, host.
    CalibrateRun(user_runs::Runs),
    /// Read another tool's file as a scenario: config.json, launch scripts, configurations, logs.
    Import(exchange::Source),
    /// Write a scenario as launch flags or configuration of a training framework.
    Export(Box<exchange::Target>),
    /// Learn operators' times from sample files.
    #[command(subcommand)]
    Operators(operators::Operators),
    /// Refit the predictor's measured and fitted constants from a folder of data.
    Calibrate {
        /// Folder with kernels.csv, nccl_bandwidth.csv and runs.csv.
        data: PathBuf,
        /// Instead, forecast every group of runs with constants fitted to all others.
        #[arg(long)]
        leave_out: Option<calibrate::LeaveOut>,
        /// Instead, print how well the runs determine every fitted constant, as the registry keeps it.
        #[arg(long, conflicts_with = "leave_out")]
        determined: bool,
    },
}

/// The job to forecast.
#[derive(Debug, Args)]
pub(crate) struct Job {
    /// A share link, its fragment (1;m=...), or a JSON file or object of field keys and values.
    scenario: Option<String>,
    /// A published scenario to start from (see --list-presets).
    #[arg(long, value_name = "NAME", conflicts_with = "scenario")]
    preset: Option<String>,
    /// Set a field (see --list-fields); may be repeated.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    edits: Vec<String>,
    /// What the fields of the layout have that the job does not set: those of the recommended layout, or of the default job.
    #[arg(long, value_enum, default_value_t = LayoutOfJob::Recommended)]
    layout: LayoutOfJob,
}

/// What becomes of a layout that a job does not set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum LayoutOfJob {
    /// A search recommends one.
    Recommended,
    /// The default job's.
    Default,
}

impl Job {
    /// Whether jobs are read from the lines of the standard input: `-`, without changes.
    pub(crate) fn is_lines(&self) -> bool {
        self.scenario.as_deref() == Some("-") && self.edits.is_empty()
    }
}

/// Sentences that say why nothing could be done.
pub(crate) type Failure = Vec<String>;

/// What is wrong with a scenario's fields, as sentences.
pub(crate) fn sentences(errors: Vec<FieldError>) -> Failure {
    errors.iter().map(ToString::to_string).collect()
}

fn main() -> ExitCode {
    let cli = Cli::parse();
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

/// Does what was asked and returns what to print.
fn run(cli: &Cli) -> Result<String, Failure> {
    if cli.list_presets {
        return Ok(lists::presets());
    }
    if cli.list_fields {
        return Ok(lists::fields());
    }
    if cli.list_constants {
        return Ok(lists::constants());
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
        Some(Command::Rank { job, choices, json }) => layouts::rank(&input::read_job(job)?, choices, *json),
        Some(Command::Traffic { job, choices, json }) => traffic::traffic(&input::read(job)?, choices, *json),
        Some(Command::Scale { job, choices, json }) => scale::scale(&input::read(job)?, choices, *json),
        Some(Command::Timeline { job, form }) => timeline::timeline(&input::read(job)?, form),
        Some(Command::DataParallel { choices, json }) => scale::data_parallel(choices, *json),
        Some(Command::Validate { runs: Some(runs), memory, links: true, .. }) => {
            runs::links(runs, memory.as_deref())
        }
        Some(Command::Validate { runs: Some(runs), tried: true, .. }) => runs::tried(runs),
        Some(Command::Validate { runs: Some(runs), evidence: Some(others), .. }) => {
            runs::evidence(runs, others)
        }
        Some(Command::Validate { runs: Some(runs), by_class: Some(others), reading, json, .. }) => {
            classes::classes(runs, others, reading, *json)
        }
        Some(Command::Validate { runs: Some(runs), recipes: true, json, .. }) => {
            recipes::recipes(runs, *json)
        }
        Some(Command::Validate { memory: Some(_), runs: Some(_), .. }) => Err(vec![
            "Give a file of runs or, with --memory, one of peaks; both only with --links.".to_owned(),
        ]),
        Some(Command::Validate { memory: Some(peaks), json, .. }) => runs::validate_memory(peaks, *json),
        Some(Command::Validate { runs: Some(runs), json, .. }) => runs::validate(runs, *json),
        Some(Command::Validate { kernels, collectives, json, .. })
            if kernels.is_some() || collectives.is_some() =>
        {
            kernels::validate(kernels.as_deref(), collectives.as_deref(), *json)
        }
        Some(Command::CalibrateRun(runs)) => user_runs::calibrate(runs),
        Some(Command::Import(source)) => exchange::import(source),
        Some(Command::Export(target)) => exchange::export(target),
        Some(Command::Operators(command)) => operators::operators(command),
        Some(Command::Calibrate { data, determined: true, .. }) => calibrate::how_well(data),
        Some(Command::Calibrate { data, leave_out, .. }) => calibrate::calibrate(data, *leave_out),
        Some(Command::Validate { .. }) | None => {
            Err(vec!["Nothing to do; try predict, rank, traffic, scale or validate.".to_owned()])
        }
    }
}

/// Prints a text to the standard output.
pub(crate) fn print(text: &str) {
    // A reader that has seen enough closes the pipe; that is no error.
    let _ = std::io::stdout().lock().write_all(text.as_bytes());
}

/// Prints sentences to the terminal's error stream.
pub(crate) fn complain(sentences: &[String]) {
    let mut stream = std::io::stderr().lock();
    for sentence in sentences {
        // Nobody is left to tell when the error stream itself is closed.
        let _ = writeln!(stream, "{sentence}");
    }
}

/// JSON with a final newline.
pub(crate) fn json(value: &impl serde::Serialize) -> Result<String, Failure> {
    serde_json::to_string_pretty(value)
        .map(|text| text + "\n")
        .map_err(|error| vec![format!("The result cannot be written as JSON: {error}.")])
}
