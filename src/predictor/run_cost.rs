//! What a whole training run costs: time, GPU-hours, money, energy, carbon.

use crate::scenario::Scenario;
use crate::units::Seconds;
use serde::Serialize;

/// Seconds in an hour.
const HOUR: f64 = 3600.0;

/// Cost of a training run at a constant step time, without restarts, evaluation or checkpoints.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RunCost {
    /// Optimizer steps. A last step with fewer tokens counts as a full step.
    pub steps: f64,
    /// Training time.
    #[serde(rename = "time_s")]
    pub time: Seconds,
    /// GPU-hours.
    pub gpu_hours: f64,
    /// Training cost, USD.
    pub usd: f64,
    /// Energy consumption of the data centre, kWh.
    pub kwh: f64,
    /// Carbon dioxide equivalent, kg.
    pub co2_kg: f64,
}

impl RunCost {
    /// What the run of a scenario costs if each of its steps takes so long.
    pub fn of(scenario: &Scenario, step: Seconds) -> Self {
        let run = &scenario.run;
        let steps = scenario.steps();
        let time = step * steps;
        let gpu_hours = time.0 / HOUR * f64::from(scenario.cluster.gpus);
        let kwh = gpu_hours * run.power * run.pue / 1e3;
        Self {
            steps,
            time,
            gpu_hours,
            usd: gpu_hours * run.price,
            kwh,
            co2_kg: kwh * run.carbon_intensity / 1e3,
        }
    }
}
