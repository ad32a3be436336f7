//! The few numbers that ranking needs, and how layouts of one job share what they cost to work out.

use super::places::{PlaceCosts, Priced};
use super::step::Step;
use super::{Breakdown, Predictor, utilisation};
use crate::memory;
use crate::scenario::Scenario;
use crate::scenario::plan::{Mapping, Plan, Schedule, StageSplit, Zero};
use crate::step::Groups;
use crate::units::{Bytes, Seconds};

/// The numbers that ranking needs, for one scenario: the same as a prediction's, without the tables.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// Time of one step.
    pub step: Seconds,
    /// Where it goes.
    pub breakdown: Breakdown,
    /// Model FLOPs utilisation, 0 to 1.
    pub mfu: f64,
    /// Tokens per second and GPU.
    pub tokens_per_s_per_gpu: f64,
    /// Peak memory of the fullest stage.
    pub peak_memory: Bytes,
    /// Whether it fits.
    pub fits: bool,
}

impl Estimate {
    pub(super) fn new(scenario: &Scenario, step: &Step) -> Self {
        let (peak_memory, _) = memory::peak(scenario);
        Self {
            step: Seconds(step.total),
            breakdown: step.breakdown,
            mfu: utilisation::mfu(scenario, step.total),
            tokens_per_s_per_gpu: utilisation::tokens_per_s_per_gpu(scenario, step.total),
            peak_memory,
            fits: memory::fits(scenario, peak_memory),
        }
    }
}

/// Estimates layouts of one job and prices every distinct place once: what a layer costs depends on few of a layout's
/// fields, which most layouts of a search share.
#[derive(Debug, Clone)]
pub struct Estimator<'a> {
    predictor: Predictor<'a>,
    job: Scenario,
    priced: Vec<(Key, PlaceCosts)>,
}

impl<'a> Estimator<'a> {
    pub(super) fn new(predictor: Predictor<'a>, job: &Scenario) -> Self {
        Self { predictor, job: *job, priced: Vec::new() }
    }

    /// The same as [`Predictor::estimate`] of the job in this layout.
    pub fn estimate(&mut self, plan: &Plan) -> Estimate {
        let scenario = Scenario { plan: *plan, ..self.job };
        let priced = self.predictor.priced(&scenario);
        let costs = self.costs(&priced);
        Estimate::new(&scenario, &priced.step(&costs))
    }

    fn costs(&mut self, priced: &Priced<'_>) -> PlaceCosts {
        let key = Key::new(priced);
        if let Some((_, costs)) = self.priced.iter().rev().find(|entry| entry.0 == key) {
            return *costs;
        }
        let costs = priced.places();
        self.priced.push((key, costs));
        costs
    }
}

/// What the price of a place depends on, of a layout: its fields but those that only say which stage holds what and
/// when it runs, and where the groups that its calls communicate in sit.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Key {
    plan: Plan,
    groups: Groups,
}

impl Key {
    fn new(priced: &Priced<'_>) -> Self {
        let program = &priced.program;
        let plan = program.scenario.plan;
        let sharded = plan.zero.shards_parameters();
        let groups = program.groups;
        let alone = groups.alone();
        Self {
            plan: Plan {
                pipeline_parallel: 1,
                virtual_stages: 1,
                schedule: Schedule::OneForwardOneBackward,
                zero: if sharded { plan.zero } else { Zero::None },
                data_overlap: plan.data_overlap && sharded,
                pipeline_overlap: true,
                offload_optimizer: false,
                mapping: Mapping::TensorDataPipeline,
                stage_split: StageSplit::Even,
                ..plan
            },
            groups: Groups {
                pipeline: alone,
                data: alone,
                replicas: alone,
                ends: alone,
                shard: if sharded { groups.shard } else { alone },
                expert_data: if sharded { groups.expert_data } else { alone },
                ..groups
            },
        }
    }
}
