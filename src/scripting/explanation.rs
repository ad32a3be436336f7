//! A forecast in words and parts: where the step goes, why, and how sure that is.

use crate::document::Document;
use crate::forecast::{Bound, Pass, Prediction, untried};
use crate::page_state::report::scenario_link;
use crate::page_state::summary;
use crate::rules::stack_limit;
use crate::scenario::Scenario;
use crate::units::Seconds;
use serde::Serialize;

/// Breakdown, bottleneck and accuracy of a forecast.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Explanation {
    /// Model, machine and layout in one line.
    pub job: String,
    /// Time of one step.
    pub step_s: Seconds,
    /// Lower end of the 90 % range.
    pub low_s: Seconds,
    /// Upper end of the 90 % range.
    pub high_s: Seconds,
    /// Bottleneck of the step, in one or two sentences.
    pub bottleneck: String,
    /// Whether the layout fits in memory, in one sentence.
    pub memory: String,
    /// Time and cost of the training run, in one sentence.
    pub run: String,
    /// Parts of the step, largest first. They sum to the step time.
    pub parts: Vec<ExplainedPart>,
    /// Reasons for a wider range; empty if there are none.
    pub doubts: Vec<String>,
    /// Layout fields outside the measured runs.
    pub untried: Vec<String>,
    /// Layout feature that the software does not support.
    pub software: Vec<String>,
    /// Link that opens the job, from its `#` on.
    pub link: String,
}

/// One part of a step with its operators.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ExplainedPart {
    /// Key of the part in a breakdown.
    pub part: &'static str,
    /// Display name of the part.
    pub label: &'static str,
    /// Time of the part.
    pub time_s: Seconds,
    /// Share of the step, 0 to 1.
    pub share: f64,
    /// Operators, largest first. The pipeline bubble and the host have none.
    pub operators: Vec<ExplainedOperator>,
}

/// One operator of a part.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ExplainedOperator {
    /// Name, for example `qkv_projection`.
    pub name: &'static str,
    /// Pass of the operator.
    pub pass: Pass,
    /// Shape of the operands.
    pub shape: String,
    /// Exposed time of all calls per step.
    pub step_s: Seconds,
    /// Resource that bounds the operator.
    pub bound: Bound,
}

impl Explanation {
    /// A forecast of a scenario, which `document` says.
    pub fn of(document: &Document, scenario: &Scenario, prediction: &Prediction) -> Self {
        let mut parts: Vec<ExplainedPart> = prediction
            .breakdown
            .parts()
            .into_iter()
            .filter(|part| part.2.0 > 0.0)
            .map(|part| explained(part, prediction))
            .collect();
        parts.sort_by(|one, other| other.time_s.0.total_cmp(&one.time_s.0));
        let run = crate::run_cost::RunCost::of(scenario, prediction.step);
        Self {
            job: plain(&summary::job(document, scenario)),
            step_s: prediction.step,
            low_s: prediction.interval.low,
            high_s: prediction.interval.high,
            bottleneck: plain(&prediction.bottleneck.sentence.to_string()),
            memory: plain(&summary::fit(prediction)),
            run: plain(&summary::run(scenario, &run)),
            parts,
            doubts: prediction.interval.reasons.iter().map(|reason| plain(reason)).collect(),
            untried: untried(scenario).into_iter().map(|field| plain(&field.sentence)).collect(),
            software: stack_limit(scenario).into_iter().map(|notice| plain(&notice.message)).collect(),
            link: scenario_link(document),
        }
    }
}

fn explained(
    (part, label, time): (&'static str, &'static str, Seconds),
    prediction: &Prediction,
) -> ExplainedPart {
    let mut operators: Vec<ExplainedOperator> = prediction
        .operators
        .iter()
        .filter(|row| row.part == part && row.step.0 > 0.0)
        .map(|row| ExplainedOperator {
            name: row.name,
            pass: row.pass,
            shape: row.shape.to_string(),
            step_s: row.step,
            bound: row.bound,
        })
        .collect();
    operators.sort_by(|one, other| other.step_s.0.total_cmp(&one.step_s.0));
    let share = if prediction.step.0 > 0.0 { time / prediction.step } else { 0.0 };
    ExplainedPart { part, label, time_s: time, share, operators }
}

/// A sentence whose blanks are plain ones, for terminals and files.
fn plain(text: &str) -> String {
    text.replace(['\u{a0}', '\u{202f}'], " ")
}
