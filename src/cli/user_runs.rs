//! `stepcast calibrate-run`: what one's own measured steps say about one's own machines.

use crate::text::{self, CellAlign, percent};
use crate::{Failure, input, json};
use clap::Args;
use serde::Serialize;
use stepcast::calibrate::user_runs::{Explained, Factors, MachinePart, PARTS, explain};
use stepcast::constants::Constants;
use stepcast::forecast::UserRun;
use stepcast::validate::check;

#[derive(Debug, Args)]
pub(crate) struct Runs {
    /// A measured step: the job (a link, words or a JSON file) and the step time in seconds; may be repeated.
    #[arg(long = "run", num_args = 2, value_names = ["JOB", "SECONDS"], required = true)]
    runs: Vec<String>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Serialize)]
struct Output<'a> {
    #[serde(flatten)]
    explained: &'a Explained,
    /// What `predict --factors` takes.
    argument: String,
}

/// Fits the factors and says how far each part moved.
pub(crate) fn calibrate(arguments: &Runs) -> Result<String, Failure> {
    let mut runs = Vec::new();
    for pair in arguments.runs.chunks(2) {
        let [scenario, seconds] = pair else { continue };
        let measured_s: f64 = seconds
            .parse()
            .ok()
            .filter(|seconds| check::seconds(*seconds).is_ok())
            .ok_or_else(|| vec![format!("{seconds} is not a valid step time in seconds.")])?;
        runs.push(UserRun { scenario: input::scenario(scenario)?, measured_s });
    }
    let explained = explain(&runs, &Constants::SHIPPED);
    let argument = argument(&explained.factors);
    if arguments.json {
        return json(&Output { explained: &explained, argument });
    }
    Ok(print(&explained, &argument))
}

fn print(explained: &Explained, argument: &str) -> String {
    let mut rows = vec![["part", "share of the step", "evidence", "time"].map(str::to_owned).to_vec()];
    rows.extend(explained.parts.iter().map(|part| {
        let moved = if part.moves {
            format!("{:+.1} %", (part.factor - 1.0) * 100.0)
        } else {
            "unchanged (not enough data)".to_owned()
        };
        vec![name(part.part).to_owned(), percent(part.sensitivity), percent(part.evidence), moved]
    }));
    let mut out =
        text::table(&rows, &[CellAlign::Left, CellAlign::Right, CellAlign::Right, CellAlign::Right]);
    out.push('\n');
    for (index, [before, after]) in explained.ratios.iter().enumerate() {
        out.push_str(&format!(
            "Run {}: error before {:+.1} %, after {:+.1} %\n",
            index + 1,
            (before - 1.0) * 100.0,
            (after - 1.0) * 100.0
        ));
    }
    out.push_str(&format!("\nForecast with: --factors {argument}\n"));
    out
}

fn name(part: MachinePart) -> &'static str {
    match part {
        MachinePart::Compute => "compute",
        MachinePart::Network => "network",
        MachinePart::Host => "host",
    }
}

fn argument(factors: &Factors) -> String {
    PARTS.map(|part| format!("{}={:.4}", name(part), factors.of(part))).join(",")
}

/// Factors of an argument: `compute=1.05,network=1.2`; parts left out stay.
pub(crate) fn parse(text: &str) -> Result<Factors, String> {
    let mut factors = Factors::NONE;
    for part in text.split(',').filter(|part| !part.is_empty()) {
        let (key, value) = part.split_once('=').ok_or_else(|| format!("{part} has no value"))?;
        let value: f64 = value
            .parse()
            .ok()
            .filter(|value| (0.1..=10.0).contains(value))
            .ok_or_else(|| format!("{value} is not a factor between 0.1 and 10"))?;
        let part = PARTS
            .into_iter()
            .find(|part| name(*part) == key)
            .ok_or_else(|| format!("{key} is not compute, network or host"))?;
        factors.set(part, value);
    }
    Ok(factors)
}
