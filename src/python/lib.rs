//! The predictor for Python: jobs in, JSON out. `packages/python` wraps it in functions with types.
//!
//! What a call cannot do is raised as `Refused` with JSON, a list of problems. Python runs on while a call computes.

use pyo3::prelude::*;
use std::num::NonZero;
use std::thread;
use std::time::{Duration, Instant};
use stepcast::forecast::Predictor;
use stepcast::picture::{PictureView, Style, Theme, WIDTHS, draw};
use stepcast::scripting::answers::{self, Answer};
use stepcast::scripting::{JSON_VERSION, OwnSteps, Problem, asked};

/// Time that a search runs between two returns to Python, which handle interrupts and report progress.
const SLICE: Duration = Duration::from_millis(50);

/// Jobs of each core that are forecast between two looks at Python.
const JOBS: usize = 16;

pyo3::create_exception!(_stepcast, Refused, pyo3::exceptions::PyException, "Problems of a job, as JSON.");

fn refused(problems: Vec<Problem>) -> PyErr {
    Refused::new_err(serde_json::to_string(&problems).unwrap_or_default())
}

/// An answer that is made while Python runs on.
fn computed(py: Python<'_>, answer: impl FnOnce() -> Answer + Send) -> PyResult<String> {
    py.detach(answer).map_err(refused)
}

/// Notices interrupts and tells a callback how far a call is.
fn look(py: Python<'_>, progress: Option<&Py<PyAny>>, done: usize, all: usize) -> PyResult<()> {
    py.check_signals()?;
    progress.map_or(Ok(()), |progress| progress.call1(py, (done, all)).map(drop))
}

/// Forecasts of jobs on all cores, each as JSON.
fn forecasts(jobs: &[String], cores: usize) -> Vec<String> {
    let forecast = |part: &[String]| -> Vec<String> {
        part.iter().map(|job| answers::line(&Predictor::SHIPPED, OwnSteps::Used, job).0).collect()
    };
    thread::scope(|scope| {
        let parts = jobs.chunks(jobs.len().div_ceil(cores).max(1));
        let parts: Vec<_> = parts.map(|part| scope.spawn(move || forecast(part))).collect();
        let joined = parts
            .into_iter()
            .map(|part| part.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        joined.flatten().collect()
    })
}

fn drawn(job: &str, view: &str, theme: &str, width: f64, page: &str) -> Answer {
    let Some(view) = PictureView::find(view) else {
        let names = PictureView::ALL.map(|entry| entry.1).join(", ");
        return Err(vec![Problem::new(format!("Unknown view {view}. Use one of {names}."))]);
    };
    let theme = match theme {
        "light" => Theme::Light,
        "dark" => Theme::Dark,
        other => return Err(vec![Problem::new(format!("Unknown theme {other}. Use light or dark."))]),
    };
    if !(WIDTHS.0..=WIDTHS.1).contains(&width) {
        return Err(vec![Problem::new(format!(
            "The width must be from {} to {} pixels.",
            WIDTHS.0, WIDTHS.1
        ))]);
    }
    let asked = asked(&Predictor::SHIPPED, OwnSteps::Used, job)?;
    draw(&asked.predictor(Predictor::SHIPPED), &asked.document, view, Style { theme, width, page })
        .map_err(|errors| errors.into_iter().map(Problem::from).collect())
}

/// The module that the package imports.
#[pymodule]
mod _stepcast {
    use super::*;

    #[pymodule_export]
    use super::Refused;

    /// Version of the JSON that goes in and out.
    #[pyfunction]
    fn json_version() -> u32 {
        JSON_VERSION
    }

    /// The forecast of a job.
    #[pyfunction]
    fn predict(py: Python<'_>, job: &str) -> PyResult<String> {
        computed(py, || answers::predict(&Predictor::SHIPPED, job))
    }

    /// The forecasts of jobs, each as JSON; a job that cannot be forecast has its problems.
    #[pyfunction]
    fn predict_many(py: Python<'_>, jobs: Vec<String>, progress: Option<Py<PyAny>>) -> PyResult<Vec<String>> {
        let cores = thread::available_parallelism().map_or(1, NonZero::get);
        let mut answers = Vec::with_capacity(jobs.len());
        for block in jobs.chunks(JOBS * cores) {
            answers.extend(py.detach(|| forecasts(block, cores)));
            look(py, progress.as_ref(), answers.len(), jobs.len())?;
        }
        Ok(answers)
    }

    /// The forecast of a job in words and parts.
    #[pyfunction]
    fn explain(py: Python<'_>, job: &str) -> PyResult<String> {
        computed(py, || answers::explain(&Predictor::SHIPPED, job))
    }

    /// The messages of a rank of a job.
    #[pyfunction]
    fn traffic(py: Python<'_>, job: &str, options: &str) -> PyResult<String> {
        computed(py, || answers::traffic(&Predictor::SHIPPED, job, options))
    }

    /// A job on several numbers of GPUs.
    #[pyfunction]
    fn scale(py: Python<'_>, job: &str, options: &str) -> PyResult<String> {
        computed(py, || answers::scale(&Predictor::SHIPPED, job, options))
    }

    /// The layouts of a job, ranked. `progress` is called with the layouts done and all of them.
    #[pyfunction]
    fn rank(py: Python<'_>, job: &str, options: &str, progress: Option<Py<PyAny>>) -> PyResult<String> {
        py.detach(|| {
            let request = answers::search(job, options).map_err(refused)?;
            let mut search = request.begin(Predictor::SHIPPED);
            let mut left = true;
            while left {
                let begun = Instant::now();
                while left && begun.elapsed() < SLICE {
                    left = search.advance();
                }
                Python::attach(|py| look(py, progress.as_ref(), search.done(), search.space()))?;
            }
            search.ranking().map_err(refused)
        })
    }

    /// Job read from a file of another tool.
    #[pyfunction]
    fn import_config(py: Python<'_>, text: &str, options: &str) -> PyResult<String> {
        computed(py, || answers::import(text, options))
    }

    /// Job as a file of a framework.
    #[pyfunction]
    fn export(py: Python<'_>, job: &str, framework: &str) -> PyResult<String> {
        computed(py, || answers::export(&Predictor::SHIPPED, job, framework))
    }

    /// The link of a job with some fields changed.
    #[pyfunction]
    fn edited(py: Python<'_>, job: &str, edits: &str) -> PyResult<String> {
        computed(py, || answers::edited(job, edits))
    }

    /// A view of a job's forecast as SVG.
    #[pyfunction]
    fn picture(
        py: Python<'_>,
        job: &str,
        view: &str,
        theme: &str,
        width: f64,
        page: &str,
    ) -> PyResult<String> {
        computed(py, || drawn(job, view, theme, width, page))
    }
}
