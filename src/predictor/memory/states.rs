//! Weights, gradients and optimizer states on one GPU of a stage, sharded by ZeRO or FSDP.

use super::facts::{StackMemory, replicas};
use super::sharded::Gathered;
use crate::scenario::model::{Layers, padded_vocabulary};
use crate::scenario::plan::stages::StageParameters;
use crate::scenario::plan::{Mapping, Zero};
use crate::scenario::{Optimizer, OptimizerKernels, Scenario, WeightFormat};
use crate::step::{SINGLE, shard_replicas};

/// Bytes of a parameter in the compute format. FP8 and FP4 recipes keep 16-bit weights (or, with FP8
/// parameters, an 8-bit copy and its transpose: the same).
pub(crate) const WEIGHT: f64 = 2.0;
/// Bytes of a gradient as the optimizer reads it.
const UPDATE_GRADIENT: f64 = 4.0;
/// Layers whose parameters are gathered at once under ZeRO-3 and FSDP: the one computed and the one
/// prefetched (PyTorch FSDP, `limit_all_gathers`).
pub(super) const GATHERED_LAYERS: f64 = 2.0;

/// Terms of one GPU's model states: numbers of parameters, and bytes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct StateTerms {
    /// Parameters of the stage that are trained.
    pub(crate) trained: f64,
    /// Bytes of frozen weights.
    pub(crate) frozen: f64,
    /// Bytes of a gradient.
    pub(crate) gradient: f64,
    /// Bytes of the optimizer's states of a layer's parameter.
    pub(crate) states: f64,
    /// Parameters whose states are held on the GPU.
    pub(crate) on_gpu: f64,
    /// Bytes of the model ends' states in excess of a layer's parameters.
    pub(crate) ends: f64,
}

/// Model states of one GPU, bytes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct States {
    pub(super) weights: f64,
    pub(super) gradients: f64,
    pub(super) optimizer: f64,
    /// 16-bit weights that autocast casts for every micro-batch; freed while the optimizer runs.
    pub(super) copies: f64,
    /// Needed only while the optimizer runs, or at the end of the backward pass, when no activations are alive.
    pub(super) update: f64,
    /// Buckets beside the gradients ([`buckets`]); of no moment yet.
    buckets: f64,
    /// Under FSDP, what exists by moment in addition to shards. Then weights and gradients are those of the shards alone.
    pub(super) fsdp: Option<Gathered>,
    /// In host memory: what an offloaded optimizer needs, and offloaded parameter shards.
    pub(super) host: [f64; 2],
    /// Terms of these states.
    pub(crate) of: StateTerms,
}

impl States {
    pub(crate) fn new(
        scenario: &Scenario,
        facts: &StackMemory,
        of_model: &Layers,
        parameters: &StageParameters,
    ) -> Self {
        let zero = scenario.plan.zero;
        let facts = &facts.sharded(zero);
        let parameters = &with_all_words(scenario, parameters);
        let trained = scenario.trained(of_model, parameters);
        let all = trained.total();
        let ends = trained.embedding + trained.head + trained.prediction.shared;
        let largest = trained.largest_layer();
        let ranks = sharding_ranks(scenario);
        let expert_ranks = f64::from(scenario.expert_data_parallel());
        // A rank's share of the parameters: routed experts are sharded over their own replicas.
        let sharded = trained.shared() / ranks + trained.experts() / expert_ranks;
        let updated = if zero == Zero::None { all } else { sharded };
        let layers = f64::from(parameters.all_layers());
        let fsdp = facts.shards_by_autograd(zero).then(|| {
            let shard = facts.gradient_bytes * sharded / all.max(1.0);
            Gathered::new(scenario, &trained, layers, [facts.reduced_bytes, shard])
        });

        // Unsharded gradients of a layer, and of the model's ends, exist until they are reduced.
        let whole = if fsdp.is_some() { 0.0 } else { unreduced(facts) * (largest + ends) };
        let with_gradients = with_gradients(scenario, all, sharded, whole);
        let gathered = largest * layers.min(GATHERED_LAYERS) + ends;
        let trained_held = held_trained(scenario, facts, [all, sharded], gathered);
        let [layer, end] = scenario.training.update();
        let updated_ends = trained.ends() / if zero == Zero::None { 1.0 } else { ranks };
        // With optimizer offload, the host holds the optimizer states.
        let offloaded = scenario.plan.offload_optimizer;
        let [on_gpu, ends_on_gpu] = if offloaded { [0.0; 2] } else { [updated, updated_ends] };
        let frozen =
            frozen(scenario, parameters, ranks, expert_ranks) + frozen_tower(scenario, parameters, ranks);
        let shards = [sharded, frozen_on_host(scenario, parameters, ranks, expert_ranks)];
        let kept = (layer.kept + UPDATE_GRADIENT) * updated + (end.kept - layer.kept) * updated_ends;
        Self {
            host: on_host(scenario, facts, kept, shards),
            weights: WEIGHT * trained_held + frozen,
            copies: if scenario.training.casts_weights(&scenario.plan) { WEIGHT * trained_held } else { 0.0 },
            gradients: facts.gradient_bytes * with_gradients,
            buckets: buckets(scenario, facts) * with_gradients,
            optimizer: layer.kept * on_gpu + (end.kept - layer.kept) * ends_on_gpu,
            fsdp,
            of: StateTerms {
                trained: all,
                frozen,
                gradient: facts.gradient_bytes,
                states: layer.kept,
                on_gpu,
                ends: (end.kept - layer.kept) * ends_on_gpu,
            },
            update: update_bytes(scenario, facts, &trained, on_gpu),
        }
    }
}

impl States {
    /// With the buckets where they are in a step of so many micro-batches: gradients of a single one are complete when its activations
    /// are gone, those of earlier ones stay beside the buckets until the update.
    pub(crate) fn in_buckets(self, micro_batches: u32) -> Self {
        if micro_batches > 1 {
            Self { gradients: self.gradients + self.buckets, ..self }
        } else {
            Self { update: self.update + self.buckets, ..self }
        }
    }
}

/// The parameters of a stage, with the embeddings of all words where tensor parallelism does not split them.
fn with_all_words(scenario: &Scenario, parameters: &StageParameters) -> StageParameters {
    let model = &scenario.model;
    let tensor = f64::from(scenario.plan.tensor_parallel.max(1));
    let rows = f64::from(padded_vocabulary(model.vocabulary, scenario.plan.tensor_parallel));
    let others = (tensor - 1.0) / tensor * rows * f64::from(model.hidden);
    let whole = parameters.embedding > 0.0 && !scenario.splits_embedding();
    StageParameters { embedding: parameters.embedding + if whole { others } else { 0.0 }, ..*parameters }
}

/// Bytes of a rank's frozen shards that are fetched from the host.
fn frozen_on_host(scenario: &Scenario, parameters: &StageParameters, ranks: f64, expert_ranks: f64) -> f64 {
    let fetched =
        if scenario.plan.fetches_parameters() { whole_tower(scenario, parameters) / ranks } else { 0.0 };
    frozen_shard(scenario, parameters, ranks, expert_ranks) + fetched
}

/// Bytes in host memory: what an offloaded optimizer needs for what it updates, and offloaded shards, of so many trained parameters
/// and bytes of frozen ones.
fn on_host(scenario: &Scenario, facts: &StackMemory, updated: f64, [trained, frozen]: [f64; 2]) -> [f64; 2] {
    let plan = &scenario.plan;
    // Where the host's 32-bit weights are the only resident ones, they are what is fetched.
    let twin = if facts.master_only && plan.offload_optimizer { 0.0 } else { WEIGHT };
    let when = |offloads: bool, bytes: f64| if offloads { bytes } else { 0.0 };
    [when(plan.offload_optimizer, updated), when(plan.fetches_parameters(), twin * trained + frozen)]
}

/// Bytes of buckets per gradient. DistributedDataParallel keeps buckets, of which gradients are copies unless its user asks for views
/// (`gradient_as_bucket_view`, off by default: torch/nn/parallel/distributed.py).
fn buckets(scenario: &Scenario, facts: &StackMemory) -> f64 {
    let in_buckets = scenario.plan.zero == Zero::None && replicas(scenario) > 1 && facts.makes_gradients;
    if in_buckets { facts.gradient_bytes } else { 0.0 }
}

/// Trained parameters that are held, of all of a stage and a rank's share; `gathered` are those of the layers under way and
/// of the ends.
fn held_trained(scenario: &Scenario, facts: &StackMemory, [all, sharded]: [f64; 2], gathered: f64) -> f64 {
    let zero = scenario.plan.zero;
    if !zero.shards_parameters() {
        return all;
    }
    let elsewhere = facts.master_only || scenario.plan.fetches_parameters();
    let shard = if elsewhere { 0.0 } else { sharded };
    if facts.shards_by_autograd(zero) { shard } else { all.min(shard + gathered) }
}

/// Bytes of a gradient before it is reduced, over those after: it has the format of the sums that products add to (Megatron-FSDP,
/// megatron_fsdp/param_and_grad_buffer.py, `get_main_grad`), else 16 bits.
fn unreduced(facts: &StackMemory) -> f64 {
    if facts.placeholder_gradients { 1.0 } else { WEIGHT / facts.gradient_bytes }
}

/// Parameters whose gradients are held, of all of a stage and a rank's share; `whole` are those not yet reduced.
fn with_gradients(scenario: &Scenario, all: f64, sharded: f64, whole: f64) -> f64 {
    match scenario.plan.zero {
        Zero::None | Zero::Optimizer => all,
        // Unsharded gradients are accumulated until all micro-batches are done.
        Zero::Gradients if !scenario.plan.reduces_every_micro_batch() => all,
        Zero::Gradients | Zero::Parameters | Zero::Hybrid => {
            let away = scenario.plan.offload_optimizer && scenario.plan.fetches_parameters();
            all.min(if away { 0.0 } else { sharded } + whole)
        }
    }
}

/// Bytes of the gradient of a tied embedding's backward pass, the last in a step, in addition to the head's gradient,
/// and of their sum, which autograd allocates separately, all in the format of the parameter as it is used: 32 bits under autocast.
fn tied_gradient(scenario: &Scenario, facts: &StackMemory, trained: &StageParameters) -> f64 {
    let once = scenario.plan.pipeline_parallel <= 1 && scenario.model.tied_embeddings;
    if once && facts.makes_gradients {
        let used = if scenario.training.casts_weights(&scenario.plan) { SINGLE } else { WEIGHT };
        2.0 * facts.gradient_bytes.min(used) * trained.head.max(trained.embedding)
    } else {
        0.0
    }
}

/// Bytes that are needed only while the optimizer updates so many parameters, or at the end of the backward pass.
fn update_bytes(scenario: &Scenario, facts: &StackMemory, trained: &StageParameters, updated: f64) -> f64 {
    let training = &scenario.training;
    let half = training.weights == WeightFormat::Half;
    let widened = if facts.gradient_bytes < UPDATE_GRADIENT && !half { UPDATE_GRADIENT } else { 0.0 };
    // Unfused kernels leave a temporary: the square root of the second moment, in the weights' format. SGD has none (PyTorch,
    // torch/optim/sgd.py, `_multi_tensor_sgd`).
    let in_place = matches!(training.optimizer, Optimizer::Sgd | Optimizer::SgdMomentum);
    let result = match training.kernels {
        OptimizerKernels::Foreach if in_place => 0.0,
        OptimizerKernels::Foreach if half => WEIGHT,
        OptimizerKernels::Foreach => UPDATE_GRADIENT,
        OptimizerKernels::Stack | OptimizerKernels::Fused => 0.0,
    };
    let update = (widened + result) * updated + orthogonalised(scenario, trained);
    update.max(tied_gradient(scenario, facts, trained))
}

/// Bytes that Muon holds while it orthogonalises a matrix of a stage.
fn orthogonalised(scenario: &Scenario, trained: &StageParameters) -> f64 {
    let training = &scenario.training;
    let updates = !training.adapters.freeze() && !scenario.plan.offload_optimizer;
    if training.optimizer == Optimizer::Muon && updates {
        super::program(scenario).held_by_newton_schulz(trained)
    } else {
        0.0
    }
}

/// Bytes of what is frozen of an encoder, in 16 bits.
fn whole_tower(scenario: &Scenario, parameters: &StageParameters) -> f64 {
    let of = &parameters.tower;
    let adapted = scenario.training.adapters.freeze();
    let kept = if adapted { 0.0 } else { of.trained(scenario.freezes_tower()).total() };
    WEIGHT * (of.total() - kept)
}

/// Bytes of a frozen encoder in 16 bits: all of it, or the rank's shard, since its layers are gathered while none of the
/// decoder's are.
fn frozen_tower(scenario: &Scenario, parameters: &StageParameters, ranks: f64) -> f64 {
    let whole = whole_tower(scenario, parameters);
    match scenario.plan.zero.shards_parameters() {
        true if scenario.plan.fetches_parameters() => 0.0,
        true => whole / ranks,
        false => whole,
    }
}

/// Bytes of the frozen weights of adapters' layers on a GPU, with the ends of the model in 16 bits: all weights; or, if
/// parameters are sharded, the rank's shard, the gathered layers and the ends. For quantized weights, the largest matrix
/// in 16 bits is added while a product reads it.
fn frozen(scenario: &Scenario, parameters: &StageParameters, ranks: f64, expert_ranks: f64) -> f64 {
    let adapters = &scenario.training.adapters;
    if !adapters.freeze() {
        return 0.0;
    }
    let ends = parameters.embedding + parameters.head;
    let bytes = adapters.base_bytes();
    let [shared, experts] = frozen_bytes(scenario, parameters);
    let whole = shared + experts;
    let held = if scenario.plan.zero.shards_parameters() {
        let gathered =
            bytes * parameters.largest_layer() * f64::from(parameters.all_layers()).min(GATHERED_LAYERS);
        let shard = frozen_shard(scenario, parameters, ranks, expert_ranks);
        let part = if scenario.plan.fetches_parameters() { 0.0 } else { shard };
        whole.min(part + gathered + WEIGHT * ends)
    } else {
        whole
    };
    let model = &scenario.model;
    let widest = f64::from(model.ffn.max(model.experts.ffn).max(model.hidden));
    let tensor = f64::from(scenario.plan.tensor_parallel.max(1));
    let widens = adapters.widens(scenario.workload.precision);
    let widened = if widens { WEIGHT * f64::from(model.hidden) * widest / tensor } else { 0.0 };
    held + widened
}

/// Bytes of a stage's frozen weights but an encoder's: of all but routed experts, with the ends in 16 bits, and of these.
fn frozen_bytes(scenario: &Scenario, parameters: &StageParameters) -> [f64; 2] {
    let adapters = &scenario.training.adapters;
    if !adapters.freeze() {
        return [0.0; 2];
    }
    let (ends, bytes) = (parameters.embedding + parameters.head, adapters.base_bytes());
    let of_decoder = parameters.shared() - parameters.tower.total();
    [bytes * (of_decoder - ends) + WEIGHT * ends, bytes * parameters.experts()]
}

/// A rank's share of them.
fn frozen_shard(scenario: &Scenario, parameters: &StageParameters, ranks: f64, expert_ranks: f64) -> f64 {
    let [shared, experts] = frozen_bytes(scenario, parameters);
    shared / ranks + experts / expert_ranks
}

/// GPUs over which states are sharded: all replicas of a parameter (data and context parallel, as in Megatron-Core and
/// PyTorch), a sharding group, or the GPUs of a node for hybrid sharding.
fn sharding_ranks(scenario: &Scenario) -> f64 {
    let plan = &scenario.plan;
    let replicas = f64::from(scenario.data_parallel())
        * f64::from(plan.context_parallel.max(1))
        * f64::from(plan.copies());
    if !plan.shards_in_groups() {
        return replicas;
    }
    if plan.shard_group > 0 {
        let group = f64::from(shard_replicas(scenario));
        return group * f64::from(plan.context_parallel.max(1)) * f64::from(plan.copies());
    }
    let pipeline_inside = match plan.mapping {
        Mapping::TensorDataPipeline => 1.0,
        Mapping::TensorPipelineData => f64::from(plan.pipeline_parallel.max(1)),
    };
    let inside = f64::from(plan.tensor_parallel.max(1)) * pipeline_inside;
    (f64::from(scenario.cluster.gpus_per_node) / inside).floor().min(replicas).max(1.0)
}
