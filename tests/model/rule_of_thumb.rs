//! The rule of thumb, against published layouts, by hand, and as a law.

use crate::scenarios;
use crate::scenarios::scenarios;
use crate::support::scenario;
use proptest::prelude::*;
use proptest::test_runner::{RngAlgorithm, TestRng, TestRunner};
use stepcast::memory::{fits, peak};
use stepcast::rules::plan_is_legal;
use stepcast::scenario::Scenario;
use stepcast::scenario::plan::{ContextExchange, Mapping, Plan, Recompute, Schedule, StageSplit, Zero};
use stepcast::scenario::stack::{Feature, StackLimits};
use stepcast::tuner::rule_of_thumb;

/// A job of Megatron's family in 2025, one sequence a micro-batch.
fn job(edits: &[(&str, &str)]) -> Scenario {
    let usual = [
        ("stack", "megatron-lm"),
        ("year", "2025"),
        ("vpp", "1"),
        ("mb", "1"),
        ("cp", "1"),
        ("ep", "1"),
        ("sp", "0"),
    ];
    scenario(&usual.into_iter().chain(edits.iter().copied()).collect::<Vec<_>>())
}

#[track_caller]
fn rule(job: &Scenario) -> Plan {
    rule_of_thumb(job).expect("a layout")
}

fn degrees(plan: &Plan) -> [u32; 4] {
    [plan.tensor_parallel, plan.context_parallel, plan.pipeline_parallel, plan.expert_parallel]
}

fn runs(job: &Scenario, plan: Plan) -> bool {
    let tried = Scenario { plan, ..*job };
    // Offloading and the mapping are the job's, whether its software has them or not.
    let decided = Plan {
        mapping: Mapping::TensorDataPipeline,
        offload_optimizer: false,
        offload_parameters: false,
        offload_activations: 0,
        ..plan
    };
    stack_has(job, &decided) && plan_is_legal(&tried) && fits(&tried, peak(&tried).0)
}

/// Whether the job's software has what a layout asks for.
fn stack_has(job: &Scenario, plan: &Plan) -> bool {
    let limits = StackLimits::of_job(job);
    limits.allows(plan) || limits.missing(plan) == Some(Feature::DataBeforePipeline)
}

/// Narayanan et al. 2021, section 5.1: tensor parallelism up to the 8 GPUs of a node, then stages. With ZeRO-1 over 1,024
/// GPUs, 175e9 parameters take 6 bytes over the model-parallel group and 12 over all: 131 + 2 GB on 8 GPUs, which is more
/// than 80, and 66 + 2 on 16.
#[test]
fn gpt3_on_a_thousand_a100() {
    let job = job(&[
        ("m", "gpt3-175b"),
        ("g", "dgx-a100-80g"),
        ("n", "1024"),
        ("tp", "8"),
        ("pp", "16"),
        ("gb", "1536"),
        ("seq", "2048"),
        ("year", "2022"),
    ]);
    let plan = rule(&job);
    assert_eq!((plan.tensor_parallel, plan.zero, plan.sequence_parallel), (8, Zero::Optimizer, true));
    assert!((2..=16).contains(&plan.pipeline_parallel), "{}", plan.pipeline_parallel);
    // It is the smallest: half the stages do not fit, recompute what they may.
    let half =
        Plan { pipeline_parallel: plan.pipeline_parallel / 2, micro_batch: 1, virtual_stages: 1, ..plan };
    assert!(!runs(&job, Plan { recompute: Recompute::None, ..half }));
    assert!(!runs(&job, Plan { recompute: Recompute::Selective, ..half }));
}

/// In 2021 there was no distributed optimizer: 18 bytes a parameter over the model-parallel group, 3,150 GB, take 40 GPUs
/// and more. The paper ran it on groups of 96 (table 2).
#[test]
fn gpt3_before_the_distributed_optimizer() {
    let edits = [("m", "gpt3-175b"), ("g", "dgx-a100-80g"), ("n", "1536"), ("tp", "8"), ("pp", "12")];
    let plan = rule(&job(&[&edits[..], &[("gb", "1536"), ("seq", "2048"), ("year", "2021")]].concat()));
    assert_eq!((plan.tensor_parallel, plan.zero, plan.sequence_parallel), (8, Zero::None, false));
    assert!((6..=12).contains(&plan.pipeline_parallel), "{}", plan.pipeline_parallel);
}

/// 70.6e9 parameters take 53 GB on 8 GPUs at 6 bytes each, and 13 or 2 GB of optimizer on 64 or 512: the node is enough.
/// NVIDIA's own recipe splits the model over 32 GPUs (tp 4, pp 4, cp 2), which the rule does not ask for.
#[test]
fn llama3_70b_on_h100() {
    for (gpus, batch) in [("64", "128"), ("512", "1024")] {
        let job = job(&[
            ("m", "llama3-70b"),
            ("g", "dgx-h100"),
            ("n", gpus),
            ("gb", batch),
            ("tp", "8"),
            ("pp", "1"),
        ]);
        let plan = rule(&job);
        assert_eq!(degrees(&plan), [8, 1, 1, 1], "{gpus}");
        assert!(matches!(plan.recompute, Recompute::None | Recompute::Selective), "{gpus}");
    }
}

/// Sequences of 131,072 tokens are split until each rank has 8,192.
#[test]
fn long_sequences_are_split() {
    let job = job(&[
        ("m", "llama3-8b"),
        ("g", "dgx-h100"),
        ("n", "64"),
        ("gb", "64"),
        ("seq", "131072"),
        ("tp", "1"),
        ("pp", "1"),
    ]);
    assert_eq!(rule(&job).context_parallel, 16);
}

/// Megatron-Core's reference for Mixtral 8x7B on 64 H100: tp 1, ep 8. Its four stages are more than it takes to fit.
#[test]
fn mixtral_on_h100() {
    let job = job(&[
        ("m", "mixtral-8x7b"),
        ("g", "dgx-h100"),
        ("n", "64"),
        ("gb", "256"),
        ("seq", "4096"),
        ("tp", "1"),
        ("pp", "1"),
    ]);
    let plan = rule(&job);
    assert_eq!((plan.tensor_parallel, plan.expert_parallel, plan.expert_tensor_parallel), (1, 8, 1));
    assert!(plan.pipeline_parallel <= 4);
}

/// Interleaving asks for micro-batches in multiples of the stages, and gets one layer a chunk, as NVIDIA's recipes do: 405B
/// on 8 stages has (126 + 2) / 8 = 16 shares a stage, which is above twelve, and so 8 chunks of two.
#[test]
fn pipelines_are_interleaved_as_recipes_do() {
    let edits =
        [("m", "llama3-405b"), ("g", "dgx-h100"), ("n", "1024"), ("tp", "8"), ("pp", "8"), ("split", "ends")];
    let plan = rule(&job(&[&edits[..], &[("gb", "512")]].concat()));
    assert_eq!((plan.tensor_parallel, plan.stage_split), (8, StageSplit::CountEnds));
    let slots = 128 / plan.pipeline_parallel;
    assert_eq!(plan.virtual_stages, if slots > 12 { slots / 2 } else { slots });
}

/// FSDP's default: parameters over all GPUs, and as large a micro-batch as fits.
#[test]
fn stacks_that_shard_split_nothing() {
    let job = scenario(&[
        ("stack", "torchtitan"),
        ("m", "llama3-8b"),
        ("g", "dgx-h100"),
        ("n", "64"),
        ("gb", "1024"),
        ("tp", "1"),
        ("pp", "1"),
        ("vpp", "1"),
        ("mb", "1"),
        ("sp", "0"),
    ]);
    let plan = rule(&job);
    assert_eq!((degrees(&plan), plan.zero, plan.recompute), ([1; 4], Zero::Parameters, Recompute::None));
    let larger = (plan.micro_batch + 1..=16).filter(|sequences| 16_u32.is_multiple_of(*sequences));
    for micro_batch in larger {
        assert!(!runs(&job, Plan { micro_batch, ..plan }), "{micro_batch}");
    }
}

/// Every layout of the rule's kind, whatever order it prefers: degrees, recompute and sequence parallelism, one sequence a
/// micro-batch.
fn family(job: &Scenario) -> impl Iterator<Item = Plan> {
    let (gpus, node, layers) = (job.cluster.gpus, job.cluster.gpus_per_node, job.model.layers);
    let shards = job.plan.zero.shards_parameters() || job.software.profile().shards_parameters;
    let zero = match job.plan.zero {
        Zero::Hybrid => Zero::Hybrid,
        _ if shards => Zero::Parameters,
        Zero::Gradients => Zero::Gradients,
        _ => Zero::Optimizer,
    };
    let plain = Plan {
        zero,
        virtual_stages: 1,
        micro_batch: 1,
        schedule: Schedule::OneForwardOneBackward,
        expert_tensor_parallel: 1,
        ..job.plan
    };
    let divides = |number: u32, most: u32| (1..=most.min(number)).filter(move |d| number.is_multiple_of(*d));
    let stages = if shards { 1 } else { layers };
    let experts = if shards { 1 } else { job.model.experts.count.max(1) };
    divides(node, node).flat_map(move |tensor| {
        [1, 2, 4, 8, 16].into_iter().flat_map(move |context| {
            divides(gpus / tensor / context, stages).flat_map(move |pipeline| {
                divides(experts, experts).flat_map(move |expert_parallel| {
                    [Recompute::None, Recompute::Selective, Recompute::Full].into_iter().flat_map(
                        move |recompute| {
                            [false, true].map(move |sequence_parallel| Plan {
                                tensor_parallel: tensor,
                                context_parallel: context,
                                context_exchange: ContextExchange::Ring,
                                pipeline_parallel: pipeline,
                                expert_parallel,
                                sequence_parallel,
                                recompute,
                                stage_split: if layers.is_multiple_of(pipeline)
                                    || !(layers + 2).is_multiple_of(pipeline)
                                {
                                    StageSplit::Even
                                } else {
                                    StageSplit::CountEnds
                                },
                                ..plain
                            })
                        },
                    )
                })
            })
        })
    })
}

/// What breaks the law: the rule's layout is legal and fits, and there is one whenever one of its kind is.
fn broken(job: &Scenario) -> Option<String> {
    match rule_of_thumb(job) {
        Some(plan) => (!runs(job, plan)).then(|| format!("{plan:?} cannot be run")),
        None => {
            family(job).find(|plan| runs(job, *plan)).map(|plan| format!("none, but {plan:?} can be run"))
        }
    }
}

#[test]
fn the_rule_finds_a_layout_wherever_one_of_its_kind_can_be_run() {
    let config = ProptestConfig { cases: 5000, failure_persistence: None, ..ProptestConfig::default() };
    let mut runner = TestRunner::new_with_rng(config, TestRng::from_seed(RngAlgorithm::ChaCha, &[0; 32]));
    let verdict =
        |drawn: scenarios::Drawn| broken(&drawn.scenario).map_or(Ok(()), |why| Err(TestCaseError::fail(why)));
    if let Err(error) = runner.run(&scenarios(), verdict) {
        panic!("{error}");
    }
}
