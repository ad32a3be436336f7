//! Pareto-optimal layouts in two amounts, such as time and cost.

use super::axes::FreeAxes;
use super::margin::Margin;
use super::ranking::Candidate;
use super::search::Options;
use super::space::Space;
use crate::forecast::Predictor;
use crate::run_cost::RunCost;
use crate::scenario::Scenario;
use serde::Serialize;

/// A quantity to trade off; less is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Amount {
    /// Time of a step.
    Time,
    /// Peak memory of the fullest GPU.
    Memory,
    /// Price of the run.
    Cost,
    /// Energy of the run.
    Energy,
    /// Carbon dioxide of the run.
    Carbon,
    /// GPUs.
    Gpus,
}

/// An amount, its name in links and on the command line, and its label with unit.
pub type AmountName = (Amount, &'static str, &'static str);

impl Amount {
    /// Every amount.
    pub const ALL: [AmountName; 6] = [
        (Self::Time, "time", "Step, s"),
        (Self::Memory, "memory", "Peak memory, GiB"),
        (Self::Cost, "cost", "Training cost, USD"),
        (Self::Energy, "energy", "Energy, MWh"),
        (Self::Carbon, "carbon", "Carbon, t CO2e"),
        (Self::Gpus, "gpus", "GPUs"),
    ];

    /// The amount of that name.
    pub fn find(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|entry| entry.1 == name).map(|entry| entry.0)
    }

    /// Its label, with unit.
    pub fn label(self) -> &'static str {
        Self::ALL.iter().find(|entry| entry.0 == self).map_or("", |entry| entry.2)
    }

    /// Whether it adds information to time only if the number of GPUs differs.
    pub fn hangs_on_gpus(self) -> bool {
        !matches!(self, Self::Time | Self::Memory)
    }

    /// Its value at a point, in its unit.
    pub fn of(self, point: &FrontPoint) -> f64 {
        match self {
            Self::Time => point.layout.step.0,
            Self::Memory => point.layout.peak_memory.gib(),
            Self::Cost => point.cost.usd,
            Self::Energy => point.cost.kwh / 1e3,
            Self::Carbon => point.cost.co2_kg / 1e3,
            Self::Gpus => f64::from(point.scenario.cluster.gpus),
        }
    }
}

/// A job in a Pareto-optimal layout.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FrontPoint {
    /// Number of the job, from 0.
    #[serde(skip)]
    pub job: usize,
    /// The job, in that layout.
    #[serde(skip)]
    pub scenario: Scenario,
    /// The layout and its forecast.
    #[serde(flatten)]
    pub layout: Candidate,
    /// Cost of the whole run.
    pub cost: RunCost,
}

/// Pareto-optimal layouts of several jobs, such as one on different numbers of GPUs, each with what forecasts it, by growing first amount. Only
/// layouts that fit count.
///
/// A job's cost, energy and carbon grow with its step, so of each job only its Pareto-optimal layouts in time and
/// memory matter; without memory, only the fastest, a comfortable one if possible.
pub fn pareto(
    jobs: &[(Predictor<'_>, Scenario)],
    free: FreeAxes,
    margin: Margin,
    amounts: [Amount; 2],
) -> Vec<FrontPoint> {
    let by_memory = amounts.contains(&Amount::Memory);
    let options = Options { top: 1, unfit: 0, margin, pareto: by_memory, ..Options::default() };
    let mut all = Vec::new();
    for (place, (predictor, job)) in jobs.iter().enumerate() {
        let mut search = predictor.search(Space::new(job, free), options);
        search.finish();
        let ranking = search.ranking();
        let rows =
            if by_memory { ranking.front } else { ranking.first(margin).into_iter().copied().collect() };
        all.extend(rows.into_iter().map(|layout| {
            let scenario = Scenario { plan: layout.plan, ..*job };
            FrontPoint { job: place, cost: RunCost::of(&scenario, layout.step), scenario, layout }
        }));
    }
    unbeaten(all, amounts)
}

/// The Pareto-optimal points.
fn unbeaten(mut all: Vec<FrontPoint>, [one, other]: [Amount; 2]) -> Vec<FrontPoint> {
    let values = |point: &FrontPoint| (one.of(point), other.of(point));
    all.sort_by(|a, b| {
        let ((a, b), (c, d)) = (values(a), values(b));
        a.total_cmp(&c).then(b.total_cmp(&d))
    });
    let mut least = f64::INFINITY;
    all.retain(|point| {
        let value = other.of(point);
        let kept = value < least;
        least = least.min(value);
        kept
    });
    all
}
