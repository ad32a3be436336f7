//! `stepcast operators train` and `profiles`: samples to profiles.

use crate::operators::{gather, read_sets};
use crate::text::{self, CellAlign, percent};
use crate::{Failure, tables};
use clap::Args;
use std::path::{Path, PathBuf};
use stepcast::learned::tables::{MEASURED, add};
use stepcast::learned::{
    Direction, Profile, REGRESSORS, Regressor, SampleSet, SampledOperator, Trainer, TrainingOutcome,
};
use stepcast::scenario::cluster::presets::find;

#[derive(Debug, Args)]
pub(crate) struct TrainArguments {
    /// Folder of sample files; folders in it are read too.
    folder: PathBuf,
    /// File to write the profile to.
    profile: PathBuf,
    /// Machine that the samples were measured on (names: stepcast --list-presets).
    #[arg(long, value_name = "NAME")]
    machine: String,
}

#[derive(Debug, Args)]
pub(crate) struct ProfilesArguments {
    /// Folder with samples/, kernels.csv and nccl_bandwidth.csv.
    data: PathBuf,
    /// Folder to write the profiles to.
    profiles: PathBuf,
}

/// Whose samples the profiles of whole machines are.
const SAMPLED: &str = "operator and collective samples of arXiv 2509.22832, (c) 2025 ICICLE, MIT licence";
/// What the profiles of GPUs rest on.
const TABLES: &str = "public tables of kernels and of nccl-tests";

/// Learns the samples of a folder and writes the profile.
pub(crate) fn train(arguments: &TrainArguments) -> Result<String, Failure> {
    let TrainArguments { folder, profile, machine } = arguments;
    let preset = find(machine).ok_or_else(|| {
        vec![format!("Unknown machine {machine}. Run stepcast --list-presets for all names.")]
    })?;
    let sets = sets_of(folder)?;
    let name = profile.file_stem().and_then(|stem| stem.to_str()).unwrap_or("profile");
    let source = folder.display().to_string();
    let (learned, outcomes) = Trainer::new(&sets, &preset.cluster).finish(name, &source, preset.name);
    if learned.sets.is_empty() {
        return Err(vec![format!("{source} contains no usable samples.")]);
    }
    let size = write(&learned, profile)?;
    Ok(format!("{}\n{}: {size} bytes\n", print(&outcomes), profile.display()))
}

/// Rebuilds every shipped profile.
pub(crate) fn profiles(arguments: &ProfilesArguments) -> Result<String, Failure> {
    let ProfilesArguments { data, profiles } = arguments;
    std::fs::create_dir_all(profiles)
        .map_err(|error| vec![format!("{} cannot be created: {error}.", profiles.display())])?;
    let mut jobs: Vec<(&str, &str, &str, Vec<SampleSet>)> = Vec::new();
    for machine in ["perlmutter", "vista"] {
        let mut sets = sets_of(&data.join("samples").join(machine))?;
        // Of whole models, with another optimizer: no stage of a forecast runs it.
        sets.retain(|set| set.operator != SampledOperator::Optimizer);
        jobs.push((machine, machine, SAMPLED, sets));
    }
    for (name, gpus, machine) in MEASURED {
        let mut sets = Vec::new();
        for file in ["kernels.csv", "nccl_bandwidth.csv"] {
            let mut line = 1;
            tables::visit(&data.join(file), &["gpu"], |record| {
                line += 1;
                add(&mut sets, gpus, line, |column| record.get(column));
            })?;
        }
        jobs.push((name, machine, TABLES, sets));
    }
    let made: Vec<(Profile, Vec<TrainingOutcome>)> = std::thread::scope(|scope| {
        let threads: Vec<_> = jobs
            .iter()
            .map(|(name, machine, source, sets)| {
                scope.spawn(move || {
                    let cluster = &find(machine)?.cluster;
                    Some(Trainer::new(sets, cluster).finish(name, source, machine))
                })
            })
            .collect();
        threads.into_iter().filter_map(|thread| thread.join().ok().flatten()).collect()
    });
    let mut out = String::new();
    for (profile, outcomes) in made {
        let path = profiles.join(format!("{}.profile", profile.name));
        let size = write(&profile, &path)?;
        out.push_str(&format!("{}: {size} bytes\n{}\n", profile.name, print(&outcomes)));
    }
    Ok(out)
}

fn sets_of(folder: &Path) -> Result<Vec<SampleSet>, Failure> {
    let mut files = Vec::new();
    gather(folder, &mut files)?;
    files.sort();
    let mut sets = Vec::new();
    for file in files {
        sets.extend(read_sets(&file)?);
    }
    Ok(sets)
}

fn write(profile: &Profile, path: &Path) -> Result<usize, Failure> {
    let bytes = profile.to_bytes();
    std::fs::write(path, &bytes)
        .map_err(|error| vec![format!("{} cannot be written: {error}.", path.display())])?;
    Ok(bytes.len())
}

/// A line for every set: cross-validated errors, and what the profile holds.
fn print(outcomes: &[TrainingOutcome]) -> String {
    let head = ["operator", "pass", "rows", "rejected", "forest", "boosted", "physics", "hybrid", "kept"];
    let mut rows = vec![head.map(str::to_owned).to_vec()];
    for outcome in outcomes {
        let pass = match outcome.direction {
            Direction::Forward => "forward",
            Direction::Backward => "backward",
            Direction::Whole if outcome.across => "between nodes",
            Direction::Whole => "whole",
        };
        let mut row = vec![outcome.operator.file().to_owned(), pass.to_owned()];
        row.extend([outcome.rows.to_string(), outcome.rejected.len().to_string()]);
        let share = |error: f64| if error.is_finite() { percent(error) } else { "-".to_owned() };
        row.extend(REGRESSORS.map(|regressor| share(outcome.errors.of(regressor))));
        row.push(
            match (outcome.healthy, outcome.winner) {
                (false, _) => "broken",
                (true, Regressor::Hybrid) => "hybrid",
                (true, _) => "physics",
            }
            .to_owned(),
        );
        rows.push(row);
    }
    let mut align = vec![CellAlign::Right; head.len()];
    align.iter_mut().take(2).for_each(|column| *column = CellAlign::Left);
    text::table(&rows, &align)
}
