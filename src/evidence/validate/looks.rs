//! Forecast accuracy by look: sets of runs that were forecast once before anyone had looked at them.

use super::classes::{ClassErrors, accuracy};
use super::{MeasuredRun, RunResult, row};
use crate::forecast::Predictor;
use serde::Serialize;

/// Forecast accuracy of one set.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LookAccuracy {
    /// Name of the set.
    pub look: String,
    /// First forecasts, if on record.
    pub first: Option<ClassErrors>,
    /// First forecasts of the runs whose source states layout and network, and leaves nothing in doubt.
    pub first_stated: Option<ClassErrors>,
    /// Today's forecasts.
    pub now: ClassErrors,
}

/// Every set of the runs that can be forecast and are not marked inconsistent, in order of appearance.
pub fn by_look(predictor: &Predictor<'_>, runs: &[MeasuredRun]) -> Vec<LookAccuracy> {
    let mut looks: Vec<(&str, Vec<(&MeasuredRun, RunResult)>)> = Vec::new();
    for run in runs {
        let row = row(run, predictor);
        if row.dropped || row.predicted_s.is_none() {
            continue;
        }
        match looks.iter_mut().find(|look| look.0 == run.look) {
            Some(look) => look.1.push((run, row)),
            None => looks.push((&run.look, vec![(run, row)])),
        }
    }
    let of = |(look, rows): (&str, Vec<(&MeasuredRun, RunResult)>)| {
        let all = accuracy(None, rows.iter());
        let stated = rows.iter().filter(|(run, _)| run.states_layout_and_network());
        let first_stated = accuracy(None, stated).first;
        LookAccuracy { look: look.to_owned(), first: all.first, first_stated, now: all.now }
    };
    looks.into_iter().map(of).collect()
}
