//! Layouts that none beats in both of two amounts, such as time and money.

use super::axes::FreeAxes;
use super::ranking::Candidate;
use super::search::Options;
use super::space::Space;
use crate::forecast::Predictor;
use crate::run_cost::RunCost;
use crate::scenario::Scenario;
use serde::Serialize;

/// What is weighed against something else; less is better.
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

/// An amount, its name in links and on the command line, and what people call it, with its unit.
pub type AmountName = (Amount, &'static str, &'static str);

impl Amount {
    /// Every amount.
    pub const ALL: [AmountName; 6] = [
        (Self::Time, "time", "Step, s"),
        (Self::Memory, "memory", "Peak memory, GiB"),
        (Self::Cost, "cost", "Price of the run, USD"),
        (Self::Energy, "energy", "Energy of the run, MWh"),
        (Self::Carbon, "carbon", "Carbon of the run, t CO2e"),
        (Self::Gpus, "gpus", "GPUs"),
    ];

    /// The amount of that name.
    pub fn find(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|entry| entry.1 == name).map(|entry| entry.0)
    }

    /// What people call it, with its unit.
    pub fn label(self) -> &'static str {
        Self::ALL.iter().find(|entry| entry.0 == self).map_or("", |entry| entry.2)
    }

    /// Whether it says more than time where the number of GPUs is another.
    pub fn hangs_on_gpus(self) -> bool {
        !matches!(self, Self::Time | Self::Memory)
    }

    /// How much of it there is at a point, in its unit.
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

/// A job in a layout that none beats.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FrontPoint {
    /// Which of the jobs it is, from 0.
    #[serde(skip)]
    pub job: usize,
    /// The job, in that layout.
    #[serde(skip)]
    pub scenario: Scenario,
    /// The layout, and what is forecast of it.
    #[serde(flatten)]
    pub layout: Candidate,
    /// What the whole run costs.
    pub cost: RunCost,
}

/// The layouts of some jobs, such as one on several numbers of GPUs, that fit and that none of the others beats in both
/// amounts, by growing first amount.
///
/// Price, energy and carbon of a job grow with its step, so that of each job only the layouts matter that none beats in
/// time and memory; where memory does not count, only the fastest, a comfortable one where there is one.
pub fn pareto(
    predictor: &Predictor<'_>,
    jobs: &[Scenario],
    free: FreeAxes,
    margin: f64,
    amounts: [Amount; 2],
) -> Vec<FrontPoint> {
    let by_memory = amounts.contains(&Amount::Memory);
    let options = Options { top: 1, unfit: 0, margin, pareto: by_memory, ..Options::default() };
    let mut all = Vec::new();
    for (place, job) in jobs.iter().enumerate() {
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

/// The points that no other beats: least in the one amount, and less in the other than all before.
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
