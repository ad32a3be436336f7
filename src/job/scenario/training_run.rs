//! The whole training run: how much is trained, and what the machines cost.

use super::cluster::Cluster;
use super::cluster::instance::rented;
use super::cluster::presets::{nearest_gpu, price_source};
use serde::{Deserialize, Serialize};

/// Default tokens of a run: a trillion.
const TOKENS: f64 = 1e12;

/// Power of a machine at the plug, relative to the rated power of its GPUs: at most 8.4 kW while eight H100 of 700 W
/// trained, including host, fans, network ports and power supplies (Latif et al., IEEE Access 2025, arXiv 2412.08602).
const MACHINE_POWER: f64 = 1.5;

/// Power usage effectiveness of a data centre: AWS's average of 2023; other large operators report 1.08 to 1.18
/// (<https://www.datacenterdynamics.com/en/news/aws-global-data-centers-achieved-pue-of-115-in-2023/>).
const PUE: f64 = 1.15;

/// Carbon dioxide equivalents per energy, g/kWh: world average of electricity in 2023 (Ember, July 2024:
/// <https://www.statista.com/statistics/943137/global-emissions-intensity-power-sector-by-country/>).
const CARBON_INTENSITY: f64 = 481.0;

/// A complete run: its length, and the cost of its GPUs. No forecast of a step depends on it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct TrainingRun {
    /// Tokens to train.
    pub tokens: f64,
    /// Days in which the run is to finish; 0 for no deadline.
    #[serde(default)]
    pub deadline: f64,
    /// Most that it may cost, USD; 0 for no budget.
    #[serde(default)]
    pub budget: f64,
    /// Price of one GPU for an hour, USD.
    pub price: f64,
    /// Power of one GPU with its share of the machine, at the plug, watts.
    pub power: f64,
    /// Power usage effectiveness: power of the data centre over that of its machines.
    pub pue: f64,
    /// Carbon dioxide equivalents per energy, g/kWh.
    pub carbon_intensity: f64,
}

impl TrainingRun {
    /// A run of default length on machines, at the price of such GPUs (`data/gpus.tsv`).
    pub fn on(cluster: &Cluster) -> Self {
        let (price, board_power) =
            nearest_gpu(&cluster.gpu).map_or((0.0, 0.0), |preset| (preset.price, preset.board_power));
        Self {
            tokens: TOKENS,
            deadline: 0.0,
            budget: 0.0,
            price,
            power: board_power * MACHINE_POWER,
            pue: PUE,
            carbon_intensity: CARBON_INTENSITY,
        }
    }

    /// Whether it is to finish within a time or a budget.
    pub fn has_goal(&self) -> bool {
        self.deadline > 0.0 || self.budget > 0.0
    }

    /// Source of the price: a cloud instance and its rental type, the source for such a GPU, or the reader's own.
    pub fn price_source(&self, cluster: &Cluster) -> String {
        if let Some((instance, rent)) = rented(cluster, self.price) {
            return format!("{} {} {}, {}", instance.provider, instance.name, rent.words(), instance.region);
        }
        match nearest_gpu(&cluster.gpu).filter(|preset| preset.price == self.price) {
            // The source's address is only in the table.
            Some(preset) => price_source(preset).split(": http").next().unwrap_or_default().to_owned(),
            None => "custom".to_owned(),
        }
    }
}
