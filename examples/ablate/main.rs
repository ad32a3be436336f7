//! What each row of `data/stacks.tsv` and each constant is worth: every public run forecast without it. `cargo xtask ablate` runs
//! this and puts what it prints into `docs/ablation.md`, which says how to read it.
//!
//! Arguments: the stacks without a row each (as xtask's `data` writes them), the table of neutral values, the file of runs
//! that constants were fitted to, that of others, and the measured kernels and collectives.

#![allow(clippy::print_stdout, reason = "a command-line tool")]

mod benchmarks;
mod cases;
mod runs;
mod table;

use benchmarks::Benchmarks;
use cases::{Case, Without};
use runs::{Forecast, Names, Runs};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use stepcast::forecast::Predictor;
use stepcast::scenario::stack::ablate;

/// Forecasts that are made at once.
const THREADS: usize = 2;

fn main() -> Result<(), String> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [rows, neutral, fitted, others, kernels, collectives] = arguments.as_slice() else {
        return Err("run this as `cargo xtask ablate`".to_owned());
    };
    let runs = Runs::read(fitted, others)?;
    let benchmarks = Benchmarks::read(kernels, collectives)?;
    let (mut cases, mut kept) = cases::rows(&cases::text(rows)?)?;
    let (constants, without_neutral) = cases::constants(&cases::text(neutral)?)?;
    cases.extend(constants);
    kept.extend(without_neutral);
    let worths = worths(&runs, &benchmarks, &cases)?;
    print!("{}", table::document(&runs.names, &worths, &kept));
    Ok(())
}

/// What a case is worth.
struct Worth<'a> {
    case: &'a Case,
    /// Runs whose forecast it moves.
    runs: usize,
    /// Names of which there are any such.
    names: usize,
    /// Names with runs whose memory it moves.
    memory: usize,
    /// Names that the row or the constant was chosen on, of those with runs that it moves.
    chosen: usize,
    /// How much larger the mean over names of their median error is without it, over names that it was not chosen on.
    unchosen: f64,
    /// The same over names that constants were fitted to.
    fitted: f64,
    /// How much larger the mean error of the runs is that it moves.
    moved: f64,
    /// How much larger the median error of the group of benchmarks is that needs it most.
    benchmarks: f64,
}

/// Every case, in the order of the tables.
fn worths<'a>(runs: &Runs, benchmarks: &Benchmarks, cases: &'a [Case]) -> Result<Vec<Worth<'a>>, String> {
    let next = AtomicUsize::new(0);
    let (send, receive) = mpsc::channel();
    std::thread::scope(|scope| {
        for _ in 0..THREADS {
            let (send, next) = (send.clone(), &next);
            scope.spawn(move || {
                while let Some((at, case)) =
                    Some(next.fetch_add(1, Ordering::Relaxed)).and_then(|at| Some((at, cases.get(at)?)))
                {
                    // Whoever receives has all of them, or has given up.
                    let _ = send.send((at, worth(runs, benchmarks, case)));
                }
            });
        }
    });
    drop(send);
    let mut found: Vec<(usize, Result<Worth<'a>, String>)> = receive.into_iter().collect();
    found.sort_by_key(|(at, _)| *at);
    found.into_iter().map(|(_, worth)| worth).collect()
}

fn worth<'a>(runs: &Runs, benchmarks: &Benchmarks, case: &'a Case) -> Result<Worth<'a>, String> {
    let forecasts: Vec<Option<Forecast>> = match &case.without {
        Without::Row(changes) => ablate::with(changes, || {
            let says = |stack: &str| changes.iter().any(|change| change.stack == stack);
            runs.again(|stack| says(stack) || says(ablate::LIBRARY))
        })?,
        Without::Constant(constants) => runs.priced(&Predictor::new(constants)),
    };
    let (steps, timed) = runs.moved(&forecasts, |forecast| forecast.step);
    let (_, sized) = runs.moved(&forecasts, |forecast| forecast.memory);
    let chosen = case.chosen(&runs.names);
    let without = runs.errors(&forecasts);
    let difference =
        |of: &dyn Fn(&str) -> bool| Names::mean(&without, of) - Names::mean(&runs.names.errors, of);
    Ok(Worth {
        case,
        runs: steps,
        names: timed.len(),
        memory: sized.len(),
        chosen: timed.iter().filter(|name| chosen.contains(*name)).count(),
        unchosen: difference(&|name| !chosen.contains(name)),
        fitted: difference(&|name| runs.names.of_looks.get("").is_some_and(|names| names.contains(name))),
        moved: runs.of_moved(&forecasts),
        benchmarks: match &case.without {
            Without::Row(_) => 0.0,
            Without::Constant(constants) => benchmarks.loss(constants),
        },
    })
}
