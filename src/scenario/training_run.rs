//! The whole training run that steps add up to: how much is trained, and what the machines cost meanwhile.

use super::cluster::Cluster;
use super::cluster::instance::rented;
use super::cluster::presets::{nearest_gpu, price_source};
use serde::{Deserialize, Serialize};

/// Tokens of a run until the reader says otherwise: a trillion.
const TOKENS: f64 = 1e12;

/// Power of a machine at its plug over the rated power of its GPUs: 8.4 kW at most while eight H100 of 700 W trained,
/// with host, fans, network ports and power supplies (Latif et al., IEEE Access 2025, arXiv 2412.08602).
const MACHINE_POWER: f64 = 1.5;

/// Power of a data centre over that of the machines in it: AWS's average of 2023; other large operators report 1.08 to
/// 1.18 (<https://www.datacenterdynamics.com/en/news/aws-global-data-centers-achieved-pue-of-115-in-2023/>).
const PUE: f64 = 1.15;

/// Carbon dioxide equivalents per energy, g/kWh: electricity of the world in 2023 (Ember, July 2024:
/// <https://www.statista.com/statistics/943137/global-emissions-intensity-power-sector-by-country/>).
const CARBON_INTENSITY: f64 = 481.0;

/// A run from the first step to the last: how long it is, and what its GPUs cost. No forecast of a step depends on it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct TrainingRun {
    /// Tokens to train.
    pub tokens: f64,
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
    /// A run of the usual length on machines, at what GPUs such as theirs cost (`data/gpus.tsv`).
    pub fn on(cluster: &Cluster) -> Self {
        let (price, board_power) =
            nearest_gpu(&cluster.gpu).map_or((0.0, 0.0), |preset| (preset.price, preset.board_power));
        Self {
            tokens: TOKENS,
            price,
            power: board_power * MACHINE_POWER,
            pue: PUE,
            carbon_intensity: CARBON_INTENSITY,
        }
    }

    /// Whose price it is: a cloud instance's and how it is rented, where the price of such a GPU is from, or the reader's own.
    pub fn price_source(&self, cluster: &Cluster) -> String {
        if let Some((instance, rent)) = rented(cluster, self.price) {
            return format!("{} {} {}, {}", instance.provider, instance.name, rent.words(), instance.region);
        }
        match nearest_gpu(&cluster.gpu).filter(|preset| preset.price == self.price) {
            // The address of the source is for those who read the table.
            Some(preset) => price_source(preset).split(": http").next().unwrap_or_default().to_owned(),
            None => "as given".to_owned(),
        }
    }
}
