//! What layouts of one job share: an estimator that has seen others says the same of a layout as a predictor that has
//! seen none.

use crate::support;
use stepcast::forecast::Predictor;
use stepcast::rules::plan_is_legal;
use stepcast::scenario::Scenario;
use stepcast::scenario::plan::{
    ContextExchange, GatherOverlap, Mapping, Modules, Plan, Recompute, StageLayers, StageSplit, Zero,
};
use stepcast::scenario::stack::StackLimits;
use stepcast::tuner::{FreeAxes, Space};

/// Layouts of each job that are compared, about.
const LAYOUTS: usize = 2000;

/// 2^64 over the golden ratio: multiples of it are spread evenly over 64 bits (Knuth, volume 3, section 6.4).
const SPREAD: u64 = 0x9E37_79B9_7F4A_7C15;

/// What a layout of a search is changed in, so that layouts differ in every field of a plan.
const CHANGES: [fn(&mut Plan, &Scenario); 21] = [
    |_, _| {},
    |plan, _| plan.tensor_overlap ^= true,
    |plan, _| plan.expert_overlap ^= true,
    |plan, _| plan.data_overlap ^= true,
    |plan, _| plan.pipeline_overlap ^= true,
    |plan, _| plan.offload_optimizer ^= true,
    |plan, _| (plan.zero, plan.offload_parameters) = (Zero::Parameters, true),
    |plan, _| plan.offload_activations = 40,
    |plan, _| plan.mapping = Mapping::TensorPipelineData,
    |plan, _| plan.expert_tensor_parallel = 2,
    |plan, _| plan.zero = Zero::Parameters,
    |plan, _| (plan.zero, plan.gather_overlap) = (Zero::Parameters, GatherOverlap::Waits),
    |plan, _| (plan.zero, plan.shard_group) = (Zero::Parameters, 2),
    |plan, _| plan.zero = Zero::Hybrid,
    |plan, _| plan.recompute = Recompute::Modules(Modules::NORMS),
    |plan, _| plan.recompute = Recompute::Modules(Modules::FEED_FORWARD),
    |plan, _| plan.recompute = Recompute::Every(2),
    |plan, _| plan.context_exchange = ContextExchange::AllGather,
    |plan, _| plan.context_exchange = ContextExchange::AllToAll,
    |plan, _| plan.recompute = Recompute::Every(3),
    |plan, job| plan.stage_split = uneven(plan, job.model.layers).unwrap_or(plan.stage_split),
];

/// A list that deals a layer less to the last chunk than to the others, and what is left to the first.
fn uneven(plan: &Plan, layers: u32) -> Option<StageSplit> {
    let chunks = u16::try_from(plan.chunks()).ok()?;
    let share = u16::try_from(layers).ok()? / chunks;
    let rest = u16::try_from(layers).ok()? - share * (chunks - 1);
    let mut list = StageLayers::default();
    let pushed = chunks > 2
        && share > 1
        && list.push(rest + 1, 1)
        && list.push(share, chunks - 2)
        && list.push(share - 1, 1);
    pushed.then_some(StageSplit::Given(list))
}

/// Legal layouts of a job's searches, some of them changed, in no order.
fn layouts(job: &Scenario) -> Vec<Plan> {
    let space = Space::within(job, FreeAxes::default(), StackLimits::ALL);
    let step = (space.len() / LAYOUTS).max(1);
    let mut plans: Vec<Plan> = (0..space.len()).step_by(step).filter_map(|number| space.at(number)).collect();
    for (index, plan) in plans.iter_mut().enumerate() {
        let mut changed = *plan;
        CHANGES[index % CHANGES.len()](&mut changed, job);
        if plan_is_legal(&Scenario { plan: changed, ..*job }) {
            *plan = changed;
        }
    }
    let mut order: Vec<usize> = (0..plans.len()).collect();
    order.sort_by_key(|index| (*index as u64).wrapping_mul(SPREAD));
    order.into_iter().map(|index| plans[index]).collect()
}

fn agrees(edits: &[(&str, &str)]) {
    let job = support::scenario(edits);
    let plans = layouts(&job);
    assert!(plans.len() > 300, "{} layouts", plans.len());
    let mut estimator = Predictor::SHIPPED.estimator(&job);
    for plan in &plans {
        let alone = Predictor::SHIPPED.estimate(&Scenario { plan: *plan, ..job });
        assert_eq!(estimator.estimate(plan), alone, "{plan:?}");
    }
}

#[test]
fn estimates_of_a_dense_model_are_those_of_its_layouts() {
    agrees(&[("m", "gpt3-175b"), ("g", "dgx-a100-80g"), ("n", "512"), ("seq", "2048"), ("gb", "1536")]);
}

#[test]
fn estimates_of_long_sequences_are_those_of_their_layouts() {
    agrees(&[("m", "llama3-405b"), ("g", "dgx-h100"), ("n", "1024"), ("seq", "32768"), ("gb", "512")]);
}

#[test]
fn estimates_of_experts_are_those_of_their_layouts() {
    agrees(&[("m", "mixtral-8x7b"), ("g", "dgx-h100"), ("n", "64"), ("gb", "256")]);
}

#[test]
fn estimates_of_leading_dense_layers_are_those_of_their_layouts() {
    agrees(&[("m", "deepseek-v3"), ("g", "dgx-h100"), ("n", "128"), ("tp", "1"), ("sp", "0"), ("gb", "128")]);
}

#[test]
fn estimates_of_sharded_parameters_are_those_of_their_layouts() {
    agrees(&[("m", "llama3-8b"), ("g", "dgx-h100"), ("n", "64"), ("zero", "3"), ("gb", "512")]);
}
