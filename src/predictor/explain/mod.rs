//! Formulas of every number of a forecast, with the job's values, and the constants that it depends on.
//!
//! A term's value is the predictor's own, and its formula uses the same intermediate values; nothing is forecast again.
//! Constants are not listed anywhere: each is changed by a percent to see its effect.

mod calls;
mod constants;
mod figures;
mod formula;
mod memory;
mod step;
mod unit;

pub use constants::ConstantUsed;
pub use formula::{Formula, FormulaTerm};
pub use unit::Unit;

use crate::constants::Constants;
use crate::cost::Provenance;
use crate::forecast::{OperatorRow, Prediction, Predictor, Priced, Step};
use crate::scenario::Scenario;
use crate::schedule::SteadyScratch;
use crate::step::{Call, Place};
use serde::Serialize;

/// What one number of a forecast means, what it follows from, and what that rests on.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NumberExplanation {
    /// Its key: see [`Explainer::keys`].
    pub key: String,
    /// What it means, in a sentence.
    pub meaning: &'static str,
    /// The number itself, with its formula.
    pub term: FormulaTerm,
    /// The constants that it rests on, those that move it most first.
    pub constants: Vec<ConstantUsed>,
    /// What it rests on, in a forecast with learned times.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rests_on: Option<Provenance>,
}

/// Keys and meanings of all figures except the parts of the step, the owners of memory and the operators.
const FIGURES: [(&str, &str); 14] = [
    (
        "step",
        "Time of one optimizer step: work of the slowest stage, pipeline bubble, gradient sync and optimizer.",
    ),
    (
        "interval",
        "Range that contains 90 % of measured step times, based on forecast errors for public runs.",
    ),
    (
        "mfu",
        "Model FLOPs utilisation: model FLOPs divided by peak FLOPs. Model FLOPs exclude recomputation and count causal attention half.",
    ),
    ("hfu", "Hardware FLOPs utilisation: executed FLOPs, including recomputation, divided by peak FLOPs."),
    ("model_tflops_per_gpu", "Model FLOPs per second per GPU."),
    ("tokens_per_s", "Training throughput of the job, in tokens per second."),
    ("tokens_per_s_per_gpu", "Training throughput per GPU, in tokens per second."),
    ("trillion_tokens", "Time to train on one trillion tokens, without restarts."),
    (
        "memory",
        "Peak memory per GPU on the stage with the highest peak, as reported by the framework's allocator.",
    ),
    ("run_time", "Time of all training steps, without restarts, evaluation or checkpoints."),
    ("gpu_hours", "Number of GPUs times training time in hours."),
    ("usd", "Cost of all GPU-hours of the training run."),
    ("kwh", "Energy consumption of the data centre for the training run."),
    ("co2_kg", "Carbon dioxide equivalent of the energy consumption."),
];

/// Prefix of the keys of memory's owners.
const MEMORY: &str = "memory.";

/// Prefix of the keys of operators, before their place in the table.
const OPERATOR: &str = "operator.";

/// Explains the numbers of one forecast.
#[derive(Debug, Clone, Copy)]
pub struct Explainer<'a> {
    predictor: Predictor<'a>,
    scenario: &'a Scenario,
    prediction: &'a Prediction,
    step: Step,
}

impl<'a> Explainer<'a> {
    /// Explains a forecast of this scenario by this predictor.
    pub fn new(predictor: Predictor<'a>, scenario: &'a Scenario, prediction: &'a Prediction) -> Self {
        let step = step_of(&predictor, scenario);
        Self { predictor, scenario, prediction, step }
    }

    /// Keys of all explanations, in reading order.
    pub fn keys(&self) -> Vec<String> {
        let mut keys: Vec<String> = FIGURES.iter().map(|figure| figure.0.to_owned()).collect();
        let parts = self.prediction.breakdown.parts().into_iter().filter(|part| part.2.0 > 0.0);
        keys.extend(parts.map(|part| part.0.to_owned()));
        let owners = crate::memory::StageMemory::default().parts();
        keys.extend(owners.iter().map(|owner| format!("{MEMORY}{}", owner.0)));
        keys.extend((0..self.prediction.operators.len()).map(|index| format!("{OPERATOR}{index}")));
        keys
    }

    /// Explanations of a key or of an operator's name, one for each of its rows; empty for unknown names.
    pub fn explain(&self, key: &str) -> Vec<NumberExplanation> {
        if let Some(term) = self.figure(key) {
            let constants = self.constants_of(key);
            return vec![NumberExplanation {
                key: key.to_owned(),
                meaning: meaning(key),
                term,
                constants,
                rests_on: None,
            }];
        }
        let name = key.strip_prefix(OPERATOR).unwrap_or(key);
        let rows = self.prediction.operators.iter().enumerate();
        let wanted = rows.filter(|(index, row)| row.name == name || name.parse() == Ok(*index));
        wanted.map(|(index, row)| self.operator(index, row)).collect()
    }

    /// The number of a key with its formula, without its constants, which take longer.
    pub fn term(&self, key: &str) -> Option<FormulaTerm> {
        let row = || self.prediction.operators.get(key.strip_prefix(OPERATOR)?.parse::<usize>().ok()?);
        self.figure(key).or_else(|| Some(self.of_call(row()?)))
    }

    /// Exposed time of a key's operator in the step.
    pub fn in_step_of(&self, key: &str) -> Option<FormulaTerm> {
        let index: usize = key.strip_prefix(OPERATOR)?.parse().ok()?;
        Some(self.in_step(self.prediction.operators.get(index)?))
    }

    fn figure(&self, key: &str) -> Option<FormulaTerm> {
        let part = self.prediction.breakdown.parts().into_iter().find(|part| part.0 == key);
        if let Some((name, label, seconds)) = part {
            return Some(self.of_part(name, label, seconds));
        }
        if let Some(owner) = key.strip_prefix(MEMORY) {
            return self.owner(owner);
        }
        match key {
            "step" => Some(self.of_step()),
            "memory" => Some(memory::peak(self.scenario, &self.prediction.memory)),
            "interval" => Some(self.interval()),
            _ => self.headline(key).or_else(|| self.of_run(key)),
        }
    }

    /// An owner of the fullest GPU's memory.
    fn owner(&self, owner: &str) -> Option<FormulaTerm> {
        let label = crate::memory::StageMemory::default().parts().into_iter().find(|part| part.0 == owner)?.1;
        let peak = memory::peak(self.scenario, &self.prediction.memory);
        let mut found = None;
        peak.formula.iter().for_each(|formula| {
            formula.each(&mut |term| {
                found = found.take().or_else(|| (term.name == label).then(|| term.clone()))
            });
        });
        found
    }

    /// The constants that a figure depends on. Memory depends on none.
    fn constants_of(&self, key: &str) -> Vec<ConstantUsed> {
        if key == "memory" || key.starts_with(MEMORY) {
            return Vec::new();
        }
        constants::used(self.predictor.constants, &|constants| {
            let predictor = Predictor { constants, ..self.predictor };
            if key == "interval" {
                let width = predictor.half_widths(self.scenario, self.prediction.step).2;
                return width.below + width.above;
            }
            let step = step_of(&predictor, self.scenario);
            let part = step.breakdown.parts().into_iter().find(|part| part.0 == key);
            match (part, key) {
                (Some(part), _) => part.2.0,
                (_, "hfu") => step.executed_flops / step.total,
                (_, "mfu" | "model_tflops_per_gpu" | "tokens_per_s" | "tokens_per_s_per_gpu") => {
                    1.0 / step.total
                }
                _ => step.total,
            }
        })
    }

    fn operator(&self, index: usize, row: &OperatorRow) -> NumberExplanation {
        let before = self.prediction.operators.iter().take(index);
        let nth = before.filter(|other| (other.name, other.pass) == (row.name, row.pass)).count();
        let time = |constants: &Constants| self.time_of(constants, row, nth);
        let key = format!("{OPERATOR}{index}");
        NumberExplanation {
            meaning: meaning(&key),
            key,
            term: self.of_call(row),
            constants: constants::used(self.predictor.constants, &time),
            rests_on: row.rests_on,
        }
    }

    /// Seconds of one call of a row under other constants: the same call among those of its name and pass.
    fn time_of(&self, constants: &Constants, row: &OperatorRow, nth: usize) -> f64 {
        if step::work(row).is_none() {
            return row.time.0;
        }
        let priced = Predictor { constants, ..self.predictor }.priced(self.scenario);
        let mut left = nth;
        let mut found = None;
        let mut look = |call: Call, priced: &Priced<'_>| {
            if (call.module.name(), call.pass) == (row.name, row.pass) && found.is_none() {
                if left == 0 {
                    found = Some(priced.rates.price(&call.work).time.0);
                }
                left = left.saturating_sub(1);
            }
        };
        let visits = priced.program.visits(self.step.slowest);
        for place in visits.places().map(|place| place.0).chain([Place::StageBoundary, Place::StepEnd]) {
            priced.program.calls(place, &mut |call| look(call, &priced));
        }
        found.unwrap_or(row.time.0)
    }
}

fn step_of(predictor: &Predictor<'_>, scenario: &Scenario) -> Step {
    let priced = predictor.priced(scenario);
    priced.step(&priced.places(), &mut SteadyScratch::default())
}

/// The meaning of a key.
pub fn meaning(key: &str) -> &'static str {
    if let Some(figure) = FIGURES.iter().find(|figure| figure.0 == key) {
        return figure.1;
    }
    match key.strip_prefix(MEMORY) {
        Some(owner) => meaning_of_owner(owner),
        None if key.starts_with(OPERATOR) => {
            "Time of one call of this kernel or collective on the slowest stage."
        }
        None => meaning_of_part(key),
    }
}

/// The meaning of a part of the breakdown.
fn meaning_of_part(key: &str) -> &'static str {
    match key {
        "forward" => "Kernels of the forward passes on the slowest stage.",
        "backward" => {
            "Kernels of the backward passes on the slowest stage: input gradients and weight gradients."
        }
        "recompute" => "Forward kernels that run again in the backward pass (activation recomputation).",
        "tensor_communication" => "Exposed TP communication: time that compute waits for TP collectives.",
        "context_communication" => "Exposed CP communication: time that compute waits for keys and values.",
        "expert_communication" => "Exposed EP communication: time that compute waits for token all-to-alls.",
        "pipeline_communication" => {
            "Exposed PP communication: time that the slowest stage waits for activations and gradients."
        }
        "data_communication" => {
            "Exposed DP communication: time that compute waits for gradient sync and parameter all-gather."
        }
        "bubble" => "Idle time of the slowest stage while the pipeline fills and drains.",
        "optimizer" => "Optimizer update, once per step.",
        _ => "Host launch overhead, unmodelled work, and waiting for stragglers.",
    }
}

/// The meaning of an owner of memory.
fn meaning_of_owner(key: &str) -> &'static str {
    match key {
        "weights" => "Parameters in the compute format. With FSDP: the GPU's shard and the gathered layers.",
        "gradients" => "Gradients of the parameters on this GPU.",
        "optimizer" => "Optimizer states: 32-bit master weights and both Adam moments.",
        "activations" => "Activations of all micro-batches in flight, stored for the backward pass.",
        "logits" => "Logits and temporary tensors of the loss.",
        _ => "Buffers, library workspaces and temporary tensors.",
    }
}
