//! Formulas of the step, its parts and its operators.

use super::calls;
use super::formula::{Formula, FormulaTerm};
use super::{Explainer, Unit};
use crate::cost::{Provenance, Work};
use crate::forecast::{OperatorRow, OperatorShape, Pass, pipeline_share};
use crate::units::Seconds;

/// Relative rounding error of a term that is zero.
const ROUNDING: f64 = 1e-12;

impl Explainer<'_> {
    /// The step as the sum of its parts.
    pub(super) fn of_step(&self) -> FormulaTerm {
        let parts = self.prediction.breakdown.parts().into_iter().filter(|part| part.2.0 > 0.0);
        let parts =
            parts.map(|(_, label, seconds)| FormulaTerm::given(label, seconds.0, Unit::Seconds).into());
        FormulaTerm::of("step", self.prediction.step.0, Unit::Seconds, Formula::Sum(parts.collect()))
    }

    /// A part of the breakdown.
    pub(super) fn of_part(&self, key: &str, label: &str, seconds: Seconds) -> FormulaTerm {
        let formula = match key {
            "bubble" => self.bubble(),
            "host" => self.host(),
            _ => {
                let rows = self.prediction.operators.iter().filter(|row| row.part == key && row.step.0 > 0.0);
                Formula::Sum(rows.map(|row| Formula::from(self.in_step(row))).collect())
            }
        };
        FormulaTerm::of(label, seconds.0, Unit::Seconds, formula)
    }

    /// Idle time of the slowest stage: the pipeline without its messages, less the stage's own passes.
    fn bubble(&self) -> Formula {
        let overhead = &self.step.overhead;
        let difference = Formula::less(
            FormulaTerm::given("pipeline without communication time", overhead.without_p2p, Unit::Seconds),
            FormulaTerm::given("passes of the slowest stage", overhead.busy, Unit::Seconds),
        );
        self.of_modelled(Formula::Maximum(vec![difference, 0.0.into()]))
    }

    /// Host time: launches, work between the modelled kernels, and fixed work per step.
    fn host(&self) -> Formula {
        let overhead = &self.step.overhead;
        let launching =
            FormulaTerm::given("launch overhead on the slowest stage", overhead.launching, Unit::Seconds);
        let framework_overhead = Formula::Product(vec![
            FormulaTerm::given(
                "unmodelled work and stragglers",
                overhead.framework_overhead.max(0.0),
                Unit::Share,
            )
            .into(),
            FormulaTerm::given("pipeline", overhead.makespan, Unit::Seconds).into(),
        ]);
        let fixed = FormulaTerm::given("once per step", overhead.fixed, Unit::Seconds);
        Formula::Sum(vec![self.of_modelled(launching.into()), framework_overhead, fixed.into()])
    }

    /// A time of the pipeline, less the gain of a stack that is faster than the modelled kernels.
    fn of_modelled(&self, time: Formula) -> Formula {
        let share = pipeline_share(self.step.overhead.framework_overhead);
        if share == 1.0 {
            return time;
        }
        Formula::Product(vec![
            FormulaTerm::given("share of the modelled time", share, Unit::Share).into(),
            time,
        ])
    }

    /// Exposed time of one operator: its calls, and the share of them that is not overlapped.
    pub(super) fn in_step(&self, row: &OperatorRow) -> FormulaTerm {
        let rounds = if row.pass == Pass::Step { 1.0 } else { self.step.rounds };
        let all = row.time.0 * row.count * rounds;
        let waited = if all > 0.0 { row.step.0 / all } else { 0.0 };
        let mut parts: Vec<Formula> = vec![
            FormulaTerm::given("time per call", row.time.0, Unit::Seconds).into(),
            FormulaTerm::given("calls", row.count, Unit::Number).into(),
        ];
        if row.pass != Pass::Step {
            let name = if self.step.overhead.framework_overhead < 0.0 {
                "micro-batches, scaled"
            } else {
                "micro-batches"
            };
            parts.push(FormulaTerm::given(name, rounds, Unit::Number).into());
        }
        if (waited - 1.0).abs() > ROUNDING {
            parts.push(FormulaTerm::given("exposed share", waited, Unit::Share).into());
        }
        FormulaTerm::of(named(row), row.step.0, Unit::Seconds, Formula::Product(parts))
    }

    /// The time of one call of an operator.
    pub(super) fn of_call(&self, row: &OperatorRow) -> FormulaTerm {
        let name = format!("one call of {}", named(row));
        let learned = matches!(row.rests_on, Some(Provenance::Measured | Provenance::Extrapolated));
        match work(row) {
            Some(work) if !learned => {
                let rates = self.predictor.rates(self.scenario);
                FormulaTerm::of(name, row.time.0, Unit::Seconds, calls::formula(&rates.terms(&work)))
            }
            _ => FormulaTerm::given(name, row.time.0, Unit::Seconds),
        }
    }
}

/// The work of an operator; nothing if it has words instead.
pub(super) fn work(row: &OperatorRow) -> Option<Work> {
    match row.shape {
        OperatorShape::Of(work) => Some(work),
        OperatorShape::Words(_) => None,
    }
}

/// An operator with its pass, in words.
pub(super) fn named(row: &OperatorRow) -> String {
    let pass = match row.pass {
        Pass::Forward => "forward",
        Pass::Recompute => "recompute",
        Pass::InputGradient => "input gradient",
        Pass::WeightGradient => "weight gradient",
        Pass::Backward => "backward",
        Pass::Step => "once per step",
    };
    format!("{} ({pass})", row.name.replace('_', " "))
}
