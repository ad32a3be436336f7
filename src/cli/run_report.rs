//! `stepcast run-report`: a measured step as a row of evidence/runs.tsv.

use crate::{Failure, JobArguments, input};
use clap::Args;
use std::collections::BTreeMap;
use stepcast::fields::Field;
use stepcast::forecast::Predictor;
use stepcast::validate::{EVIDENCE_COLUMNS, MeasuredRun, check, validate};

#[derive(Debug, Args)]
pub(crate) struct RunReport {
    #[command(flatten)]
    job: JobArguments,
    /// Measured seconds of one optimizer step.
    #[arg(long)]
    seconds: f64,
    /// Name of the publication or team, in lower case with hyphens.
    #[arg(long)]
    source: String,
    /// Name of the run; default: SOURCE-01.
    #[arg(long)]
    id: Option<String>,
    /// Public address of the measurement, and how the step time was measured.
    #[arg(long)]
    notes: String,
    /// Unknown settings or conditions that could change the step time by more than 10 %.
    #[arg(long, value_name = "TEXT")]
    doubt: Option<String>,
    /// Key of a field that the source does not state; may be repeated. Fields that the job does not set are added
    /// automatically.
    #[arg(long, value_name = "KEY")]
    unstated: Vec<String>,
}

/// The row, its forecast included.
pub(crate) fn report(report: &RunReport) -> Result<String, Failure> {
    check::seconds(report.seconds).map_err(|reason| vec![format!("--seconds: {reason}.")])?;
    if let Some(key) = report.unstated.iter().find(|key| Field::find(key).is_none()) {
        return Err(vec![format!(
            "--unstated {key}: unknown field. Run stepcast --list-fields for all fields."
        )]);
    }
    let (read, open) = input::read_with_open(&report.job)?;
    let unstated: Vec<&str> = open.into_iter().chain(report.unstated.iter().map(String::as_str)).collect();
    let link = read.document.to_link();
    let mut row = BTreeMap::from([
        ("id", report.id.clone().unwrap_or_else(|| format!("{}-01", report.source))),
        ("source", report.source.clone()),
        ("stack", read.document.text("stack").to_owned()),
        ("model", read.document.text("m").to_owned()),
        ("job", link.trim_start_matches('#').to_owned()),
        ("unstated", unstated.join(" ")),
        ("iteration_s", report.seconds.to_string()),
        ("flag", report.doubt.as_ref().map_or_else(String::new, |doubt| format!("doubt: {doubt}"))),
        ("notes", report.notes.clone()),
    ]);
    let run = MeasuredRun::read(|column| row.get(column).map_or("", String::as_str));
    let found = validate(&Predictor::SHIPPED, &[run]).rows.into_iter().next();
    let Some((step, low, high)) = found.and_then(|row| Some((row.predicted_s?, row.low_s?, row.high_s?)))
    else {
        return Err(vec!["The job cannot be forecast from its link.".to_owned()]);
    };
    for (column, seconds) in [("first_s", step), ("first_low_s", low), ("first_high_s", high)] {
        row.insert(column, format!("{seconds:.6}"));
    }
    let words =
        |column| row.get(column).map_or("", String::as_str).split_whitespace().collect::<Vec<_>>().join(" ");
    Ok(EVIDENCE_COLUMNS.map(words).join("\t") + "\n")
}
