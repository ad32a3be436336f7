//! The measured runs, and forecasts of them.

use std::collections::{BTreeMap, BTreeSet};
use stepcast::forecast::Predictor;
use stepcast::memory::peak;
use stepcast::validate::MeasuredRun;

/// A run that counts.
pub(crate) struct Measured {
    /// Publication it comes from.
    name: String,
    /// Today's forecast.
    forecast: Forecast,
    stack: &'static str,
    cells: BTreeMap<String, String>,
    run: MeasuredRun,
}

/// What is forecast of a run.
#[derive(Clone, Copy)]
pub(crate) struct Forecast {
    /// Seconds per step.
    pub(crate) step: f64,
    /// Bytes at the peak of the fullest GPU.
    pub(crate) memory: f64,
}

/// Forecasts that differ by less than this share are taken for the same.
const MOVED: f64 = 0.001;

/// Names of publications.
pub(crate) struct Names {
    /// Median error of each today.
    pub(crate) errors: BTreeMap<String, f64>,
    /// The names of each look; those of the fitted runs have none.
    pub(crate) of_looks: BTreeMap<String, BTreeSet<String>>,
}

impl Names {
    /// Mean over some names.
    pub(crate) fn mean(errors: &BTreeMap<String, f64>, of: &dyn Fn(&str) -> bool) -> f64 {
        let counted: Vec<f64> = errors.iter().filter(|(name, _)| of(name)).map(|(_, error)| *error).collect();
        counted.iter().sum::<f64>() / counted.len().max(1) as f64
    }
}

/// All runs.
pub(crate) struct Runs {
    all: Vec<Measured>,
    pub(crate) names: Names,
}

impl Runs {
    /// Reads the runs that constants were fitted to and those of `evidence/`, and forecasts those that can be.
    pub(crate) fn read(fitted: &str, others: &str) -> Result<Self, String> {
        let mut all = read(fitted, &mut csv::ReaderBuilder::new())?;
        let mut table = csv::ReaderBuilder::new();
        all.extend(read(others, table.delimiter(b'\t').quoting(false).comment(Some(b'#')))?);
        let mut of_looks: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for run in &all {
            of_looks.entry(run.run.look.clone()).or_default().insert(run.name.clone());
        }
        let mut runs = Self { all, names: Names { errors: BTreeMap::new(), of_looks } };
        let today: Vec<Option<Forecast>> = runs.all.iter().map(|run| Some(run.forecast)).collect();
        runs.names.errors = runs.errors(&today);
        Ok(runs)
    }

    /// Forecasts of the runs under stacks that are concerned, read anew; of others, today's. Nothing where a run can be no more.
    pub(crate) fn again(&self, concerned: impl Fn(&str) -> bool) -> Vec<Option<Forecast>> {
        let forecast = |run: &Measured| {
            if !concerned(run.stack) {
                return Some(run.forecast);
            }
            forecast(&Predictor::SHIPPED, &parsed(&run.cells))
        };
        self.all.iter().map(forecast).collect()
    }

    /// Forecasts under other constants.
    pub(crate) fn priced(&self, predictor: &Predictor<'_>) -> Vec<Option<Forecast>> {
        self.all.iter().map(|run| forecast(predictor, &run.run)).collect()
    }

    /// How many runs some number of the forecast moves of, and the names that they are of; one that can be no more has moved.
    pub(crate) fn moved(
        &self,
        forecasts: &[Option<Forecast>],
        number: impl Fn(&Forecast) -> f64,
    ) -> (usize, BTreeSet<&str>) {
        let moved = |(run, forecast): &(&Measured, &Option<Forecast>)| {
            forecast.is_none_or(|now| (number(&now) / number(&run.forecast) - 1.0).abs() >= MOVED)
        };
        let moved = self.all.iter().zip(forecasts).filter(moved).map(|(run, _)| run.name.as_str());
        let names: Vec<&str> = moved.collect();
        (names.len(), names.into_iter().collect())
    }

    /// How much larger the mean error of the runs is whose step moves.
    pub(crate) fn of_moved(&self, forecasts: &[Option<Forecast>]) -> f64 {
        let differences = self.all.iter().zip(forecasts).filter_map(|(run, now)| {
            let error = |forecast: &Forecast| (forecast.step / run.run.measured_s - 1.0).abs();
            let (now, today) = ((*now)?, run.forecast);
            ((now.step / today.step - 1.0).abs() >= MOVED).then(|| error(&now) - error(&today))
        });
        let differences: Vec<f64> = differences.collect();
        differences.iter().sum::<f64>() / differences.len().max(1) as f64
    }

    /// Median |forecast / measured - 1| of every name; a run that can be no more counts as it does today.
    pub(crate) fn errors(&self, forecasts: &[Option<Forecast>]) -> BTreeMap<String, f64> {
        let mut names: BTreeMap<String, Vec<f64>> = BTreeMap::new();
        for (run, forecast) in self.all.iter().zip(forecasts) {
            let error = (forecast.unwrap_or(run.forecast).step / run.run.measured_s - 1.0).abs();
            names.entry(run.name.clone()).or_default().push(error);
        }
        names.into_iter().map(|(name, errors)| (name, median(errors))).collect()
    }
}

fn forecast(predictor: &Predictor<'_>, run: &MeasuredRun) -> Option<Forecast> {
    let scenario = run.scenario.as_ref().ok()?;
    Some(Forecast { step: predictor.step_time(scenario).0, memory: peak(scenario).0.0 })
}

fn parsed(cells: &BTreeMap<String, String>) -> MeasuredRun {
    MeasuredRun::read(|column| cells.get(column).map_or("", String::as_str))
}

/// The rows of a file, each as its columns and their cells.
pub(crate) fn rows(
    file: &str,
    format: &mut csv::ReaderBuilder,
) -> Result<Vec<BTreeMap<String, String>>, String> {
    let failure = |error: csv::Error| format!("{file} cannot be read: {error}");
    let mut reader = format.flexible(true).trim(csv::Trim::All).from_path(file).map_err(failure)?;
    let columns = reader.headers().map_err(failure)?.clone();
    let cells = |row: csv::StringRecord| {
        columns.iter().zip(&row).map(|(column, cell)| (column.to_owned(), cell.to_owned())).collect()
    };
    reader.records().map(|row| row.map(cells).map_err(failure)).collect()
}

fn read(file: &str, format: &mut csv::ReaderBuilder) -> Result<Vec<Measured>, String> {
    let mut runs = Vec::new();
    for cells in rows(file, format)? {
        let run = parsed(&cells);
        let Some(forecast) = forecast(&Predictor::SHIPPED, &run) else { continue };
        if run.dropped || run.measured_s.is_nan() || run.measured_s <= 0.0 {
            continue;
        }
        let Ok(scenario) = &run.scenario else { continue };
        let stack = scenario.software.stack.name();
        runs.push(Measured { name: run.source.clone(), forecast, stack, cells, run });
    }
    Ok(runs)
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let half = values.len() / 2;
    match (values.len() % 2, values.get(half), values.get(half.wrapping_sub(1))) {
        (1, Some(middle), _) => *middle,
        (_, Some(upper), Some(lower)) => 0.5 * (lower + upper),
        _ => 0.0,
    }
}
