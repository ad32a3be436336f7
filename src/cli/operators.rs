//! `stepcast operators`: operators' times learned from sample files.

use crate::text::{self, Align, percent};
use crate::{Failure, complain, json};
use clap::{Args, Subcommand};
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use stepcast::cluster::Cluster;
use stepcast::cluster::presets::{CLUSTERS, find};
use stepcast::learned::{
    Direction, Errors, Evaluation, Kind, Operator, REGRESSORS, Rejected, Sample, SampleSet, check,
    largest_fifth, random_fifth, read,
};

#[derive(Debug, Subcommand)]
pub(crate) enum Operators {
    /// Fit every sample file of a folder and test each regressor on samples it has not seen.
    Fit(FitArguments),
}

#[derive(Debug, Args)]
pub(crate) struct FitArguments {
    /// Folder of sample files; folders in it are read too.
    folder: PathBuf,
    /// Machine that the samples were taken on (see --list-presets); from the folders' names where left out.
    #[arg(long, value_name = "NAME")]
    machine: Option<String>,
    /// Seed of the random fifth and of the forests.
    #[arg(long, default_value_t = 42)]
    seed: u64,
    /// List the rejected samples with their lines.
    #[arg(long)]
    rejected: bool,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// A set that loses more than this share of its samples is not used.
const MOST_REJECTED: f64 = 0.25;

/// Samples of one operator and pass, as far as they can be true.
struct Work {
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
    operator: Operator,
    kind: Kind,
    direction: Direction,
    rows: usize,
    rejected: usize,
    /// Whether few enough samples were rejected for the others to be trusted.
    healthy: bool,
    random: Errors,
    extrapolate: Errors,
    reasons: Vec<Rejected>,
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
    mean_collectives: Option<Mean>,
}

/// Does what was asked.
pub(crate) fn operators(command: &Operators) -> Result<String, Failure> {
    match command {
        Operators::Fit(arguments) => fit(arguments),
    }
}

fn fit(arguments: &FitArguments) -> Result<String, Failure> {
    let machine = match &arguments.machine {
        Some(name) => {
            let known = find(name).ok_or_else(|| vec![format!("There is no machine {name}; see --list-presets.")]);
            Some(known?.name)
        }
        None => None,
    };
    let mut files = Vec::new();
    gather(&arguments.folder, &mut files)?;
    files.sort();
    let mut all = Vec::new();
    for file in &files {
        all.extend(sets_of(file, machine)?);
    }
    if all.is_empty() {
        return Err(vec![format!("{} holds no sample file.", arguments.folder.display())]);
    }
    let sets = evaluate_all(&all, arguments.seed);
    let of = |link: bool| mean(sets.iter().filter(|line| (line.kind == Kind::Link) == link && line.healthy));
    let (operators, collectives) = (of(false), of(true));
    let Some(overall) = operators.or(collectives) else {
        return Err(vec!["No set has enough samples that can be true.".to_owned()]);
    };
    if arguments.json {
        let mean_collectives = collectives;
        return json(&Output { sets, mean: overall, mean_collectives });
    }
    Ok(print(&sets, operators, collectives, arguments.rejected))
}

/// CSV files of a folder and of the folders in it.
fn gather(folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), Failure> {
    let failure = |error: std::io::Error| vec![format!("{} cannot be read: {error}.", folder.display())];
    for entry in std::fs::read_dir(folder).map_err(failure)? {
        let path = entry.map_err(failure)?.path();
        if path.is_dir() {
            gather(&path, files)?;
        } else if path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("csv")) {
            files.push(path);
        }
    }
    Ok(())
}

/// Sets of one file. A file that is named after no operator is none of ours.
fn sets_of(path: &Path, machine: Option<&'static str>) -> Result<Vec<Work>, Failure> {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    if Operator::of_file(name).is_none() {
        return Ok(Vec::new());
    }
    let shown = path.display();
    let text =
        std::fs::read_to_string(path).map_err(|error| vec![format!("{shown} cannot be read: {error}.")])?;
    let file = read(name, &text).map_err(|problem| vec![format!("{shown}: {}", problem.message)])?;
    let problems: Vec<String> = file
        .problems
        .iter()
        .map(|problem| format!("{shown}:{}: {} {}", problem.line, problem.column, problem.message))
        .collect();
    complain(&problems);
    let preset = machine.or_else(|| machine_of(path)).and_then(find).ok_or_else(|| {
        vec![format!("{shown}: on which machine was it taken? Say --machine NAME (see --list-presets).")]
    })?;
    let forward = file.sets.iter().find(|set| set.direction == Direction::Forward).cloned();
    Ok(file
        .sets
        .into_iter()
        .map(|set| {
            let (kept, rejected) = check(&set, forward.as_ref(), &preset.cluster);
            Work { machine: preset.name, cluster: &preset.cluster, set, kept, rejected }
        })
        .collect())
}

/// The machine that a folder on the way to a file is named after.
fn machine_of(path: &Path) -> Option<&'static str> {
    let absolute = path.canonicalize().ok()?;
    let found = absolute.iter().rev().find_map(|part| {
        CLUSTERS.iter().find(|preset| part.to_str().is_some_and(|part| part.eq_ignore_ascii_case(preset.name)))
    });
    found.map(|preset| preset.name)
}

/// Every regressor on both splits of every set, on all processors.
fn evaluate_all(all: &[Work], seed: u64) -> Vec<Line> {
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

fn evaluate(work: &Work, seed: u64) -> Line {
    let Work { machine, cluster, set, kept, rejected } = work;
    let splits = [random_fifth(kept, seed), largest_fifth(kept, set.direction)];
    let errors = Evaluation::new(kept, set.direction, cluster, &splits, seed).finish();
    let [random, extrapolate] = [0, 1].map(|split| errors.get(split).copied().unwrap_or(Errors::NONE));
    let share = rejected.len() as f64 / set.samples.len().max(1) as f64;
    Line {
        machine,
        name: set.name.clone(),
        operator: set.operator,
        kind: set.operator.kind(),
        direction: set.direction,
        rows: kept.len(),
        rejected: rejected.len(),
        healthy: share <= MOST_REJECTED && kept.len() >= 5,
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

fn print(lines: &[Line], operators: Option<Mean>, collectives: Option<Mean>, reasons: bool) -> String {
    let head = ["machine", "operator", "pass", "rows", "rejected"];
    let tested = ["forest", "boosted", "physics", "hybrid"];
    let mut rows = vec![
        head.iter()
            .map(|name| (*name).to_owned())
            .chain(tested.iter().map(|name| format!("{name}, random")))
            .chain(tested.iter().map(|name| format!("{name}, largest")))
            .collect::<Vec<_>>(),
    ];
    let errors = |errors: &Errors| REGRESSORS.map(|regressor| percent(errors.of(regressor)));
    for line in lines {
        let rejected = format!("{}{}", line.rejected, if line.healthy { "" } else { " (broken)" });
        let mut row =
            vec![line.machine.to_owned(), line.name.clone(), pass(line.direction).to_owned()];
        row.extend([line.rows.to_string(), rejected]);
        row.extend(errors(&line.random));
        row.extend(errors(&line.extrapolate));
        rows.push(row);
    }
    for (name, mean) in [("operators", operators), ("collectives", collectives)] {
        if let Some(mean) = mean {
            let mut row = vec!["mean".to_owned(), format!("{} healthy {name}", mean.sets)];
            row.extend([String::new(), String::new(), String::new()]);
            row.extend(errors(&mean.random));
            row.extend(errors(&mean.extrapolate));
            rows.push(row);
        }
    }
    let mut align = vec![Align::Right; head.len() + 8];
    align.iter_mut().take(3).for_each(|column| *column = Align::Left);
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
                    row.reason
                ));
            }
        }
    }
    out
}

fn pass(direction: Direction) -> &'static str {
    match direction {
        Direction::Forward => "forward",
        Direction::Backward => "backward",
        Direction::Whole => "whole",
    }
}
