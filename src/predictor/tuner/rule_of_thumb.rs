//! Layouts without a search: the frameworks' published rules of thumb.
//!
//! **Stacks that split the model** (Megatron-LM and its descendants):
//!
//! - *As little model parallelism as fits*, data parallelism with the rest: takeaway 2 of Narayanan et al. 2021
//!   (arXiv 2104.04473), and the first rule of Megatron-Core's tuning guide for experts
//!   (`megatron/core/transformer/moe/README.md`).
//! - *Tensor parallelism first, up to the node, then pipeline stages*: takeaway 1 of Narayanan et al.
//! - *Experts over the ranks of an NVLink domain first*, and stages before tensor parallelism: rules 2 and 4 of that
//!   guide. More expert-parallel ranks than a domain has are tried where nothing else fits.
//! - *Context parallelism for long sequences only* ("8K+ tokens": the guide's rule 5, and Megatron-Core's
//!   `docs/user-guide/parallelism-guide.md`), read as at most 8,192 tokens a rank.
//! - *Selective recompute if a layout does not fit without, full recompute only if no model-parallel size fits with
//!   less*: Korthikanti et al. 2022 (arXiv 2205.05198), "activation checkpointing for extreme cases" in the parallelism
//!   guide. Software without selective recompute uses full recompute before it splits the model further.
//! - *Sequence parallelism wherever tensors are split* and *the distributed optimizer always*: the parallelism guide.
//!   Where a release has one of them not yet (`data/stack_limits.tsv`), it goes without.
//! - *Virtual stages* wherever there is a pipeline, in stacks that have them: [`recipe_virtual_stages`].
//! - *The micro-batch*: the guides' examples have 1, 2 or 4, and takeaway 3 of Narayanan et al. weighs larger products
//!   against the bubble. Here it is the largest of them that fits and leaves each replica four micro-batches a stage,
//!   from where on the bubble hardly counts (Huang et al. 2019, arXiv 1811.06965, section 2.3).
//!
//! **Stacks that shard parameters** (FSDP, ZeRO-3, JAX) take their defaults: parameters sharded over all GPUs, no tensor
//! parallelism, no pipeline, the least recompute, and then the largest micro-batch that fits (MosaicML's Composer finds
//! it by itself: `device_train_microbatch_size: auto`). Tensor parallelism within the node comes in where one GPU a
//! sequence is too little (torchtitan, `docs/` on two-dimensional parallelism).

use crate::memory::{fits, peak};
use crate::order::sorted;
use crate::rules::plan_is_legal;
use crate::scenario::Scenario;
use crate::scenario::plan::{ContextExchange, Plan, Recompute, Schedule, StageSplit, Zero};
use crate::scenario::stack::{Feature, StackLimits};

/// Most tokens of a sequence per rank before the sequence is split further.
const MOST_TOKENS: u32 = 8192;

/// Most ranks for splitting a sequence to make a job fit, beyond what its length requires.
const MOST_CONTEXT: u32 = 16;

/// Micro-batch sizes of a pipeline, in sequences, largest first.
const MICRO_BATCHES: [u32; 3] = [4, 2, 1];

/// Micro-batches per stage from which the bubble is negligible.
const MICRO_BATCHES_PER_STAGE: u32 = 4;

/// Largest micro-batch tried, in sequences: the field's bound.
const MOST_SEQUENCES: u32 = 65_536;

/// Most virtual stages a recipe uses before it pairs layers up.
const MOST_VIRTUAL_STAGES: u32 = 12;

/// Software features that the rule decides about; others are the job's.
const DECIDED: [Feature; 23] = [
    Feature::VirtualStages,
    Feature::TensorWithWholeNorms,
    Feature::TensorWithSequence,
    Feature::Context,
    Feature::ContextRing,
    Feature::ContextAllGather,
    Feature::ContextAllToAll,
    Feature::Expert,
    Feature::Unsharded,
    Feature::ShardedOptimizer,
    Feature::ShardedGradients,
    Feature::ShardedParameters,
    Feature::ShardedHybrid,
    Feature::PipelinedUnsharded,
    Feature::PipelinedOptimizer,
    Feature::PipelinedGradients,
    Feature::PipelinedParameters,
    Feature::PipelinedHybrid,
    Feature::RecomputeNone,
    Feature::RecomputeSelective,
    Feature::RecomputeFull,
    Feature::SplitEven,
    Feature::SplitEnds,
];

/// The layout that the stack's guides lead to without a search; `None` if no such layout is legal, fits and can run on
/// the stack.
///
/// The rule sets degrees, micro-batch, recompute, virtual stages, the split of layers, ZeRO and sequence parallelism.
/// Overlap, offloading and mapping are the job's, and so is the context-parallel exchange if the stack supports it and
/// some layout runs with it: there may be too few heads to split.
pub fn rule_of_thumb(job: &Scenario) -> Option<Plan> {
    let around = Plan { context_exchange: ContextExchange::Ring, ..job.plan };
    let elsewise =
        || (around != job.plan).then(|| with_own_exchange(&Scenario { plan: around, ..*job })).flatten();
    with_own_exchange(job).or_else(elsewise)
}

fn with_own_exchange(job: &Scenario) -> Option<Plan> {
    let own = job.plan.zero.shards_parameters();
    if own || job.software.profile().shards_parameters { sharded(job) } else { split(job) }
}

/// Virtual stages of NVIDIA's recipes for `slots` layers per stage: one layer per chunk, or two if that makes too many
/// chunks.
pub fn recipe_virtual_stages(slots: u32, pipeline: u32) -> u32 {
    if !slots.is_multiple_of(pipeline) {
        return 1;
    }
    match slots / pipeline {
        many if many > MOST_VIRTUAL_STAGES && many % 2 == 0 => many / 2,
        many if many > MOST_VIRTUAL_STAGES => 1,
        few => few,
    }
}

/// The rule for stacks that split the model.
fn split(job: &Scenario) -> Option<Plan> {
    let (cheap, rest) = recompute_modes(job);
    let reaches = expert_reaches(job);
    for context_parallel in context_degrees(job) {
        let sizes = sizes(job, context_parallel);
        let with = |plan: Plan| Plan { context_parallel, ..plan };
        for (&reach, modes) in reaches.iter().flat_map(|reach| [(reach, cheap), (reach, rest)]) {
            let tried = sizes.iter().flat_map(|size| modes.iter().map(move |mode| (*size, *mode)));
            let mut fitting = tried.map(|(size, mode)| with(of_size(job, size, mode)));
            if let Some(plan) = fitting.find_map(|plan| smallest_batch(job, plan, reach)) {
                return Some(larger_micro_batch(job, plan));
            }
        }
    }
    None
}

/// The layout for given tensor- and pipeline-parallel degrees and recompute.
fn of_size(job: &Scenario, (tensor_parallel, pipeline_parallel): (u32, u32), recompute: Recompute) -> Plan {
    let (stage_split, _) = stage_split(job, pipeline_parallel);
    Plan { tensor_parallel, pipeline_parallel, stage_split, recompute, ..undecided(job) }
}

/// The rule's starting point, with the job's values that it keeps.
fn undecided(job: &Scenario) -> Plan {
    let context_exchange = StackLimits::of_job(job).exchange_like(job.plan.context_exchange);
    Plan { context_exchange, ..job.plan.undivided() }
}

/// What the stack can run, of the features that the rule decides.
fn limits(job: &Scenario) -> StackLimits {
    StackLimits::of_job(job).of_part(&Schedule::ALL, &DECIDED)
}

/// Recompute modes tried at each model-parallel size, and modes tried if no size fits.
fn recompute_modes(job: &Scenario) -> (&'static [Recompute], &'static [Recompute]) {
    if limits(job).has(Feature::RecomputeSelective) {
        (&[Recompute::None, Recompute::Selective], &[Recompute::Full])
    } else {
        (&[Recompute::None, Recompute::Full], &[])
    }
}

/// Context-parallel degrees: what the sequence length requires, then more, then less.
fn context_degrees(job: &Scenario) -> Vec<u32> {
    let asked = job.workload.sequence.div_ceil(MOST_TOKENS).next_power_of_two();
    let doubled = core::iter::successors(Some(asked), |degree| degree.checked_mul(2));
    let more = doubled.take_while(|degree| *degree <= asked.max(MOST_CONTEXT));
    let less = core::iter::successors(Some(asked / 2), |degree| Some(degree / 2));
    more.chain(less.take_while(|degree| *degree > 0)).collect()
}

/// Most ranks for splitting experts: those of an NVLink domain, then any number. One for a dense model.
fn expert_reaches(job: &Scenario) -> Vec<u32> {
    let experts = job.model.experts.count;
    let domain = job.cluster.scale_up.domain.max(job.cluster.gpus_per_node);
    if experts == 0 { vec![1] } else { vec![domain.min(experts), experts] }
}

/// Tensor- and pipeline-parallel degrees in the order in which they are tried. A dense model grows by tensor
/// parallelism up to the node, then by stages; an MoE model by stages. Equal stages come before unequal ones.
fn sizes(job: &Scenario, context: u32) -> Vec<(u32, u32)> {
    let gpus = job.cluster.gpus / context;
    let tensors: Vec<u32> = tensor_degrees(job, gpus).collect();
    let widest = tensors.iter().copied().max().unwrap_or(1);
    let sizes: Vec<(u32, u32)> = tensors
        .into_iter()
        .flat_map(|tensor| divisors(gpus / tensor, job.model.layers).map(move |stages| (tensor, stages)))
        .collect();
    let experts = job.model.experts.count > 0;
    let key = |&(tensor, stages): &(u32, u32)| {
        let uneven = u32::from(!stage_split(job, stages).1);
        let detour = u32::from(stages > 1 && tensor < widest);
        if experts {
            [tensor, uneven, stages, 0]
        } else {
            [uneven, detour, tensor.saturating_mul(stages), stages]
        }
    };
    sorted(&sizes, |one, two| key(one).cmp(&key(two)))
}

/// Legal tensor-parallel degrees within a node.
fn tensor_degrees(job: &Scenario, gpus: u32) -> impl Iterator<Item = u32> {
    let (node, heads, ffn) = (job.cluster.gpus_per_node, job.model.heads, job.model.ffn);
    divisors(gpus, node).filter(move |&degree| {
        node.is_multiple_of(degree) && heads.is_multiple_of(degree) && ffn.is_multiple_of(degree)
    })
}

/// How layers are split over the stages, and whether evenly: with lighter ends if only that is even.
fn stage_split(job: &Scenario, stages: u32) -> (StageSplit, bool) {
    let layers = job.model.layers;
    if layers.is_multiple_of(stages) {
        (StageSplit::Even, true)
    } else if layers.saturating_add(2).is_multiple_of(stages) {
        (StageSplit::CountEnds, true)
    } else {
        (StageSplit::Even, false)
    }
}

/// A layout of a given size with one sequence per micro-batch, if legal and fitting: experts over as many ranks as
/// allowed, virtual stages as in recipes or none, a sharded optimizer if the stack has it.
fn smallest_batch(job: &Scenario, size: Plan, reach: u32) -> Option<Plan> {
    let stages = size.pipeline_parallel;
    let ends = if size.stage_split == StageSplit::CountEnds { 2 } else { 0 };
    let interleaves = stages > 1 && limits(job).has(Feature::VirtualStages);
    let slots = job.model.layers.saturating_add(ends);
    let most = if interleaves { recipe_virtual_stages(slots, stages) } else { 1 };
    let chunks = [(size.stage_split, most), (size.stage_split, 1), (StageSplit::Even, 1)];
    let splits_sequence = size.tensor_parallel > 1 && limits(job).has(Feature::TensorWithSequence);
    let stage_ranks = job.cluster.gpus / stages.max(1);
    let experts: Vec<u32> = divisors(job.model.experts.count.max(1), reach)
        .filter(|degree| stage_ranks.is_multiple_of(*degree))
        .collect();
    let more_than_the_optimizer = Some(job.plan.zero).filter(|zero| *zero == Zero::Gradients);
    let zeros: Vec<Zero> = more_than_the_optimizer.into_iter().chain([Zero::Optimizer, Zero::None]).collect();
    let sequences = [splits_sequence, !splits_sequence];
    let decided = experts.into_iter().rev().flat_map(|expert_parallel| {
        chunks.map(|(stage_split, virtual_stages)| Plan {
            expert_parallel,
            stage_split,
            virtual_stages,
            ..size
        })
    });
    decided
        .flat_map(|plan| sequences.map(|sequence_parallel| Plan { sequence_parallel, ..plan }))
        .flat_map(|plan| zeros.iter().map(move |zero| Plan { zero: *zero, ..plan }))
        .find(|plan| runs(job, plan))
}

/// The layout with the largest micro-batch that fits and leaves enough micro-batches to fill the pipeline.
fn larger_micro_batch(job: &Scenario, plan: Plan) -> Plan {
    let fills = |tried: &Plan| {
        let stages = tried.pipeline_parallel;
        let count = Scenario { plan: *tried, ..*job }.micro_batches();
        stages == 1 || count >= stages.saturating_mul(MICRO_BATCHES_PER_STAGE)
    };
    let mut larger = MICRO_BATCHES.into_iter().map(|micro_batch| Plan { micro_batch, ..plan });
    larger.find(|tried| fills(tried) && runs(job, tried)).unwrap_or(plan)
}

/// The rule for stacks that shard parameters.
fn sharded(job: &Scenario) -> Option<Plan> {
    let zero = if job.plan.zero == Zero::Hybrid { Zero::Hybrid } else { Zero::Parameters };
    let modes = [Recompute::None, Recompute::Selective, Recompute::Full];
    let contexts = context_degrees(job);
    let sizes = contexts.into_iter().flat_map(|context_parallel| {
        let tensors = tensor_degrees(job, job.cluster.gpus / context_parallel.max(1));
        tensors.map(move |tensor_parallel| Plan { tensor_parallel, context_parallel, zero, ..undecided(job) })
    });
    let mut kinds = sizes.flat_map(|size| modes.map(|recompute| Plan { recompute, ..size }));
    kinds.find_map(|kind| {
        let replicas = Scenario { plan: kind, ..*job }.data_parallel();
        let share = job.workload.global_batch / replicas;
        let batches: Vec<u32> = divisors(share, MOST_SEQUENCES).collect();
        let sequences = [kind.tensor_parallel > 1, false];
        let tried = batches.iter().rev().flat_map(|batch| sequences.map(|split| (*batch, split)));
        let mut plans =
            tried.map(|(micro_batch, sequence_parallel)| Plan { micro_batch, sequence_parallel, ..kind });
        plans.find(|plan| runs(job, plan))
    })
}

/// Whether the job can run in this layout: the stack supports it, it is legal, and it fits.
fn runs(job: &Scenario, plan: &Plan) -> bool {
    let scenario = Scenario { plan: *plan, ..*job };
    limits(job).allows(plan) && plan_is_legal(&scenario) && fits(&scenario, peak(&scenario).0)
}

/// Divisors of `number` up to `most`, ascending.
fn divisors(number: u32, most: u32) -> impl Iterator<Item = u32> {
    (1..=number.min(most)).filter(move |candidate| number.is_multiple_of(*candidate))
}
