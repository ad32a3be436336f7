//! `stepcast operators`: operators' times learned from sample files.

use crate::files::{self, MOST_OF_A_TABLE};
use crate::text::{self, CellAlign, percent};
use crate::{Failure, complain, json, profiles};
use clap::{Args, Subcommand};
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use stepcast::learned::{
    Direction, Errors, Evaluation, FULL, REGRESSORS, Regressor, Rejected, RowProblem, Sample, SampleSet,
    SampledKind, SampledOperator, check, is_healthy, is_nccl_tests, largest_fifth, random_fifth, read,
    read_nccl_tests,
};
use stepcast::scenario::cluster::Cluster;
use stepcast::scenario::cluster::presets::{CLUSTERS, find};

#[derive(Debug, Subcommand)]
pub(crate) enum OperatorsCommand {
    /// Fit each regressor to the samples in a folder, and report the errors on held-out samples.
    Fit(FitArguments),
    /// Learn a profile from the samples in a folder.
    Train(profiles::TrainArguments),
    /// Rebuild the included profiles from the data in a folder.
    Profiles(profiles::ProfilesArguments),
}

#[derive(Debug, Args)]
pub(crate) struct FitArguments {
    /// Folder of sample files; folders in it are read too.
    folder: PathBuf,
    /// Machine that the samples were measured on (names: stepcast --list-presets); default: derived from the folder
    /// names.
    #[arg(long, value_name = "NAME")]
    machine: Option<String>,
    /// Random seed for the held-out samples and the forests.
    #[arg(long, default_value_t = 42)]
    seed: u64,
    /// List rejected samples with their line numbers.
    #[arg(long)]
    rejected: bool,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// Endings of files that may hold samples.
const ENDINGS: [&str; 5] = ["csv", "CSV", "txt", "log", "out"];

/// Samples of one operator and pass, as far as they can be true.
struct CheckedSet {
    machine: &'static str,
    cluster: &'static Cluster,
    set: SampleSet,
    kept: Vec<Sample>,
    rejected: Vec<Rejected>,
}

/// One line of the result.
#[derive(Debug, Clone, Serialize)]
struct Line {
    machine: &'static str,
    name: String,
    operator: SampledOperator,
    kind: SampledKind,
    direction: Direction,
    rows: usize,
    rejected: usize,
    /// Whether few enough samples were rejected for the others to be trusted.
    healthy: bool,
    random: Errors,
    extrapolate: Errors,
    reasons: Vec<Rejected>,
}

/// Means over the healthy sets of a machine.
#[derive(Debug, Clone, Copy, Serialize)]
struct Means {
    machine: &'static str,
    operators: Option<Mean>,
    collectives: Option<Mean>,
}

/// Means over healthy sets.
#[derive(Debug, Clone, Copy, Serialize)]
struct Mean {
    sets: usize,
    random: Errors,
    extrapolate: Errors,
}

#[derive(Debug, Serialize)]
struct Output {
    sets: Vec<Line>,
    /// Over operators; over collectives where there are none.
    mean: Mean,
    machines: Vec<Means>,
}

/// Does what was asked.
pub(crate) fn operators(command: &OperatorsCommand) -> Result<String, Failure> {
    match command {
        OperatorsCommand::Fit(arguments) => fit(arguments),
        OperatorsCommand::Train(arguments) => profiles::train(arguments),
        OperatorsCommand::Profiles(arguments) => profiles::profiles(arguments),
    }
}

fn fit(arguments: &FitArguments) -> Result<String, Failure> {
    let machine = match &arguments.machine {
        Some(name) => {
            let known = find(name).ok_or_else(|| {
                vec![format!("Unknown machine {name}. Run stepcast --list-presets for all names.")]
            });
            Some(known?.name)
        }
        None => None,
    };
    let mut files = Vec::new();
    gather(&arguments.folder, &mut files)?;
    files.sort();
    let mut all = Vec::new();
    for file in &files {
        all.extend(checked_sets(file, machine)?);
    }
    if all.is_empty() {
        return Err(vec![format!("{} contains no sample files.", arguments.folder.display())]);
    }
    let sets = evaluate_all(&all, arguments.seed);
    let healthy = |link: bool, machine: Option<&str>| {
        let of_kind =
            sets.iter().filter(move |line| line.healthy && (line.kind == SampledKind::Link) == link);
        mean(of_kind.filter(move |line| machine.is_none_or(|machine| line.machine == machine)))
    };
    let Some(overall) = healthy(false, None).or_else(|| healthy(true, None)) else {
        return Err(vec!["No sample set has enough plausible samples.".to_owned()]);
    };
    let mut names: Vec<&'static str> = sets.iter().map(|line| line.machine).collect();
    names.dedup();
    let machines: Vec<Means> = names
        .into_iter()
        .map(|machine| Means {
            machine,
            operators: healthy(false, Some(machine)),
            collectives: healthy(true, Some(machine)),
        })
        .collect();
    if arguments.json {
        return json(&Output { sets, mean: overall, machines });
    }
    Ok(print(&sets, &machines, arguments.rejected))
}

/// Files of a folder and of the folders in it that may hold samples: CSV, and what programs print.
pub(crate) fn gather(folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), Failure> {
    let failure = |error: std::io::Error| vec![format!("{} cannot be read: {error}.", folder.display())];
    for entry in std::fs::read_dir(folder).map_err(failure)? {
        let path = entry.map_err(failure)?.path();
        if path.is_dir() {
            gather(&path, files)?;
        } else if path.extension().is_some_and(|extension| ENDINGS.iter().any(|known| extension == *known)) {
            files.push(path);
        }
    }
    Ok(())
}

/// Sets of one file; rows that cannot be read go to the error stream. A file that is neither named after an operator
/// nor printed by nccl-tests is none of ours.
pub(crate) fn read_sets(path: &Path) -> Result<Vec<SampleSet>, Failure> {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let named = SampledOperator::of_file(name).is_some();
    let is_table = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("csv"));
    if is_table && !named {
        return Ok(Vec::new());
    }
    let shown = path.display();
    let text = files::text(path, MOST_OF_A_TABLE)?;
    let failure = |problem: RowProblem| vec![format!("{shown}: {}", problem.message)];
    let (sets, problems) = if is_nccl_tests(&text) {
        let (set, problems) = read_nccl_tests(name, &text).map_err(failure)?;
        (vec![set], problems)
    } else if named {
        let file = read(name, &text).map_err(failure)?;
        (file.sets, file.problems)
    } else {
        return Ok(Vec::new());
    };
    let problems: Vec<String> = problems
        .iter()
        .map(|problem| format!("{shown}:{}: {} {}", problem.line, problem.column, problem.message))
        .collect();
    complain(&problems);
    Ok(sets)
}

/// Sets of one file, as far as they can be true.
fn checked_sets(path: &Path, machine: Option<&'static str>) -> Result<Vec<CheckedSet>, Failure> {
    let sets = read_sets(path)?;
    if sets.is_empty() {
        return Ok(Vec::new());
    }
    let shown = path.display();
    let preset = machine.or_else(|| machine_of(path)).and_then(find).ok_or_else(|| {
        vec![format!("{shown}: the machine of the samples is unknown. Add --machine NAME (names: stepcast --list-presets).")]
    })?;
    let forward = sets.iter().find(|set| set.direction == Direction::Forward).cloned();
    Ok(sets
        .into_iter()
        .map(|set| {
            let (kept, rejected) = check(&set, forward.as_ref(), &preset.cluster);
            CheckedSet { machine: preset.name, cluster: &preset.cluster, set, kept, rejected }
        })
        .collect())
}

/// The machine that a folder on the way to a file is named after.
fn machine_of(path: &Path) -> Option<&'static str> {
    let absolute = path.canonicalize().ok()?;
    let found = absolute.iter().rev().find_map(|part| {
        CLUSTERS
            .iter()
            .find(|preset| part.to_str().is_some_and(|part| part.eq_ignore_ascii_case(preset.name)))
    });
    found.map(|preset| preset.name)
}

/// Every regressor on both splits of every set, on all processors.
fn evaluate_all(all: &[CheckedSet], seed: u64) -> Vec<Line> {
    let lines: Vec<Mutex<Option<Line>>> = all.iter().map(|_| Mutex::new(None)).collect();
    let next = AtomicUsize::new(0);
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some((work, place)) = {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    all.get(index).zip(lines.get(index))
                } {
                    if let Ok(mut place) = place.lock() {
                        *place = Some(evaluate(work, seed));
                    }
                }
            });
        }
    });
    lines.into_iter().filter_map(|line| line.into_inner().ok().flatten()).collect()
}

fn evaluate(work: &CheckedSet, seed: u64) -> Line {
    let CheckedSet { machine, cluster, set, kept, rejected } = work;
    let splits = vec![random_fifth(kept, seed), largest_fifth(kept, set.direction)];
    let errors = Evaluation::new(kept.clone(), set.direction, cluster, splits, FULL, seed).finish();
    let [random, extrapolate] = [0, 1].map(|split| errors.get(split).copied().unwrap_or(Errors::NONE));
    Line {
        machine,
        name: set.name.clone(),
        operator: set.operator,
        kind: set.operator.kind(),
        direction: set.direction,
        rows: kept.len(),
        rejected: rejected.len(),
        healthy: is_healthy(kept.len(), rejected),
        random,
        extrapolate,
        reasons: rejected.clone(),
    }
}

fn mean<'a>(lines: impl Iterator<Item = &'a Line> + Clone) -> Option<Mean> {
    let sets = lines.clone().count();
    (sets > 0).then(|| Mean {
        sets,
        random: Errors::mean(lines.clone().map(|line| &line.random)),
        extrapolate: Errors::mean(lines.map(|line| &line.extrapolate)),
    })
}

fn print(lines: &[Line], machines: &[Means], reasons: bool) -> String {
    let head = ["machine", "operator", "pass", "rows", "rejected"];
    let tested = |split: &'static str| REGRESSORS.map(move |regressor| format!("{}{split}", name(regressor)));
    let mut first: Vec<String> = head.iter().map(|name| (*name).to_owned()).collect();
    first.extend(tested(", random").into_iter().chain(tested(", largest")));
    let mut rows = vec![first];
    let share = |error: f64| if error.is_finite() { percent(error) } else { "-".to_owned() };
    let errors = |errors: &Errors| REGRESSORS.map(|regressor| share(errors.of(regressor)));
    let mut push = |start: [String; 5], random: &Errors, extrapolate: &Errors| {
        rows.push(start.into_iter().chain(errors(random)).chain(errors(extrapolate)).collect());
    };
    for line in lines {
        let rejected = format!("{}{}", line.rejected, if line.healthy { "" } else { " (broken)" });
        let start = [
            line.machine,
            line.name.as_str(),
            pass(line.direction),
            &line.rows.to_string(),
            rejected.as_str(),
        ];
        push(start.map(str::to_owned), &line.random, &line.extrapolate);
    }
    for Means { machine, operators, collectives } in machines {
        for (name, mean) in [("operators", operators), ("collectives", collectives)] {
            if let Some(mean) = mean {
                let title = format!("mean of {} healthy {name}", mean.sets);
                push(
                    [*machine, title.as_str(), "", "", ""].map(str::to_owned),
                    &mean.random,
                    &mean.extrapolate,
                );
            }
        }
    }
    let mut align = vec![CellAlign::Right; head.len() + 2 * REGRESSORS.len()];
    align.iter_mut().take(3).for_each(|column| *column = CellAlign::Left);
    let mut out = text::markdown(&rows, &align);
    if reasons {
        for line in lines {
            for row in &line.reasons {
                out.push_str(&format!(
                    "{} {} {}, line {}: {}\n",
                    line.machine,
                    line.name,
                    pass(line.direction),
                    row.line,
                    row.reason.sentence()
                ));
            }
        }
    }
    out
}

fn name(regressor: Regressor) -> &'static str {
    match regressor {
        Regressor::Forest => "forest",
        Regressor::Boosted => "boosted",
        Regressor::Physics => "physics",
        Regressor::Hybrid => "hybrid",
    }
}

fn pass(direction: Direction) -> &'static str {
    match direction {
        Direction::Forward => "forward",
        Direction::Backward => "backward",
        Direction::Whole => "whole",
    }
}
