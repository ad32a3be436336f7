//! `stepcast predict`: which cost model forecasts.

use crate::lines::StdinContent;
use crate::{Failure, JobArguments, closed, complain, input, learned, lines, report, shipped, user_runs};
use clap::{Args, ValueEnum};
use stepcast::calibrate::user_runs::Factors;
use stepcast::constants::Constants;
use stepcast::forecast::Predictor;

use stepcast::learned::{Corrections, Profile};
use stepcast::scripting::OwnSteps;

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    job: JobArguments,
    /// Cost model; default: detailed, or operators if the profile covers the whole step.
    #[arg(long, value_enum)]
    cost_model: Option<CostModel>,
    /// Forecast from measured kernels: perlmutter, vista, a100, h100, h200, b200, gb200, or a file.
    #[arg(long, value_name = "PROFILE")]
    profile: Option<String>,
    /// With --cost-model operators: assignment of layers to stages; default: as in GPT-NeoX.
    #[arg(long, value_enum)]
    layers: Option<learned::LayerSplit>,
    /// Factors for compute, network and host time, as printed by calibrate-run. The factors replace the measured steps
    /// of a link.
    #[arg(long, value_name = "PART=FACTOR,...", value_parser = user_runs::parse)]
    factors: Option<Factors>,
    #[command(flatten)]
    measured: closed::MeasuredPlatform,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// A cost model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum CostModel {
    /// Kernel by kernel and message by message.
    Detailed,
    /// Equations 1 to 11 of APNet'24.
    ClosedForm,
    /// Learned operators, as in arXiv 2509.22832 (needs --profile).
    Operators,
}

/// Forecasts one step.
pub(crate) fn predict(arguments: &Arguments) -> Result<String, Failure> {
    let Arguments { job, cost_model: model, profile, layers, factors, measured, json } = arguments;
    if *model == Some(CostModel::ClosedForm) {
        if profile.is_some() || factors.is_some() || layers.is_some() {
            let sentence = "--profile, --layers and --factors cannot be used with --cost-model closed-form.";
            return Err(vec![sentence.to_owned()]);
        }
        return closed::predict(&input::read(job)?, measured, *json);
    }
    measured.refuse()?;
    let constants =
        factors.as_ref().map_or(Constants::SHIPPED, |factors| factors.applied(&Constants::SHIPPED));
    let profile = profile.as_deref().map(shipped::open).transpose()?;
    let input = match job.is_lines().then(lines::held).transpose()? {
        Some(StdinContent::Lines(_)) if profile.is_some() || layers.is_some() || model.is_some() => {
            return Err(vec![
                "--cost-model, --profile and --layers cannot be used with one job per line.".to_owned(),
            ]);
        }
        Some(StdinContent::Lines(begun)) => {
            let own_steps = if factors.is_some() { OwnSteps::Ignored } else { OwnSteps::Used };
            return lines::predict(&Predictor::new(&constants), own_steps, &begun);
        }
        Some(StdinContent::File(text)) => input::read_held(job, &text)?,
        None => input::read(job)?,
    };
    let covered = profile.as_ref().is_some_and(Profile::makes_steps);
    let model = model.unwrap_or(if covered { CostModel::Operators } else { CostModel::Detailed });
    match (model, &profile) {
        (CostModel::Operators, Some(profile)) => {
            learned::predict(&input, profile, &constants, layers.unwrap_or(learned::LayerSplit::Neox), *json)
        }
        (CostModel::Operators, None) => {
            Err(vec!["--cost-model operators needs --profile, for example --profile perlmutter.".to_owned()])
        }
        _ if layers.is_some() => Err(vec!["--layers requires --cost-model operators.".to_owned()]),
        (_, Some(profile)) => {
            let corrections = Corrections::new(profile, &input.scenario, &constants);
            let predictor = Predictor::new(&constants).with_learned(&corrections);
            report::print(&predictor, &input, predictor.predict(&input.scenario), *json)
        }
        (_, None) => {
            if factors.is_some() && input.own().is_some() {
                complain(&["--factors replaces the measured steps of the link.".to_owned()]);
            }
            let adjusted = factors.as_ref().map(|_| Predictor::new(&constants));
            let predictor = adjusted.unwrap_or_else(|| input.predictor());
            report::print(&predictor, &input, predictor.predict(&input.scenario), *json)
        }
    }
}
