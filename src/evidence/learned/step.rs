//! A step in the paper's decomposition: learned operators in layers, layers in stages, and two timelines.

use super::amounts::Direction;
use super::layers::{LayerAssignment, ModelPart, OperatorCall, calls, layers_per_stage, link, runs_again};
use super::operator::{OperatorWorkload, SampledKind as Kind, SampledOperator};
use super::profile::{Profile, Time};
use crate::constants::Constants;
use crate::cost::Provenance;
use crate::cost::training_over_samples;
use crate::error::FieldError;
use crate::scenario::Scenario;
use crate::scenario::plan::stages::stage_parameters;
use crate::scenario::plan::{Schedule, Zero};
use crate::schedule::{StageTime, one_forward_one_backward, stage_maxima};
use crate::step::Groups;
use crate::units::Seconds;
use serde::Serialize;

/// A step made of learned operators. Times of one micro-batch where nothing else is said.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LearnedStep {
    /// Time of the step: 1F1B, then the gradients of the first stage, then the slowest update.
    #[serde(rename = "step_s")]
    pub step: Seconds,
    /// Time of the step on the paper's timeline: every stage as slow as the slowest, forward and backward apart.
    #[serde(rename = "paper_timeline_s")]
    pub paper: Seconds,
    /// One layer: forward, and backward with what is recomputed.
    pub layer: [Seconds; 2],
    /// Stages.
    pub stages: Vec<LearnedStage>,
    /// One all-reduce of activations over the tensor-parallel group.
    pub tensor_reduce: Seconds,
    /// One transfer between stages.
    pub hop: Seconds,
    /// Gradients of the first stage, once per step.
    pub gradient_reduce: Seconds,
    /// Slowest stage's update, once per step: optimizer and gathering of parameters.
    pub update: Seconds,
    /// Every operator and what its time rests on.
    pub operators: Vec<OperatorTime>,
}

/// One pipeline stage.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct LearnedStage {
    /// Transformer layers.
    pub layers: u32,
    /// Forward pass.
    pub forward: Seconds,
    /// Backward pass.
    pub backward: Seconds,
    /// Transfer onwards, which the stage waits for.
    pub onwards: Seconds,
    /// Transfer back.
    pub back: Seconds,
    /// Parameters of one rank.
    pub parameters: f64,
    /// Gradient reduction.
    pub gradient_reduce: Seconds,
    /// Gathering of updated parameters.
    pub gather: Seconds,
    /// Optimizer.
    pub optimizer: Seconds,
}

/// One operator.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct OperatorTime {
    /// The operator.
    pub operator: SampledOperator,
    /// The pass that the operator is of.
    pub direction: Direction,
    /// Where it runs; nothing for what runs once per step.
    pub place: Option<ModelPart>,
    /// Sizes of the call, as [`SampledOperator::sizes`] names them.
    pub sizes: Vec<f64>,
    /// Times it runs there in one micro-batch (or step).
    pub times: f64,
    /// Time of one call.
    pub time: Seconds,
    /// What the time rests on.
    pub provenance: Provenance,
}

/// Forward and backward seconds of a layer or an end.
#[derive(Debug, Clone, Copy, Default)]
struct PassSeconds {
    forward: f64,
    backward: f64,
}

/// Forecasts a step with what was learned of a machine.
///
/// # Errors
/// The fields that the decomposition has no operators for.
pub fn step(
    scenario: &Scenario,
    profile: &Profile,
    constants: &Constants,
    assignment: LayerAssignment,
) -> Result<LearnedStep, Vec<FieldError>> {
    scenario.validate()?;
    let model = &scenario.model;
    if model.experts.count > 0 || model.latent.kv_rank > 0 || model.tower.exists() {
        let message = "Learned operators support only dense models with full attention and without an encoder in front of the decoder. Use the detailed cost model.";
        return Err(vec![FieldError::new("m", message)]);
    }
    if scenario.plan.virtual_stages > 1 {
        let message = "Learned operators support 1F1B without interleaving only. Set VPP to 1.";
        return Err(vec![FieldError::new("vpp", message).suggest(["1".to_owned()])]);
    }
    if scenario.plan.schedule != Schedule::OneForwardOneBackward {
        return Err(vec![FieldError::new(
            "sched",
            "Learned operators support 1F1B only. Set the schedule to 1f1b.",
        )]);
    }
    Ok(Assembly { scenario, profile, constants, groups: Groups::new(scenario), operators: Vec::new() }
        .step(assignment))
}

struct Assembly<'a> {
    scenario: &'a Scenario,
    profile: &'a Profile,
    constants: &'a Constants,
    groups: Groups,
    operators: Vec<OperatorTime>,
}

impl Assembly<'_> {
    fn step(mut self, assignment: LayerAssignment) -> LearnedStep {
        let plan = &self.scenario.plan;
        let (mut layer, mut first, mut last) =
            (PassSeconds::default(), PassSeconds::default(), PassSeconds::default());
        let mut tensor_reduce = 0.0;
        for call in calls(self.scenario, &self.groups) {
            let seconds = self.priced(&call);
            let place = match call.place {
                ModelPart::Layer => &mut layer,
                ModelPart::First => &mut first,
                ModelPart::Last => &mut last,
            };
            match call.direction {
                Direction::Backward => place.backward += call.times * seconds,
                Direction::Forward | Direction::Whole => place.forward += call.times * seconds,
            }
            let again = call.place == ModelPart::Layer && call.direction == Direction::Forward;
            if again && runs_again(call.workload.operator, plan.recompute) {
                // The average layer: one in n is recomputed.
                layer.backward += call.times * seconds / f64::from(plan.recompute.every());
            }
            if call.workload.operator == SampledOperator::AllReduce && call.place == ModelPart::Layer {
                tensor_reduce = seconds;
            }
        }
        let hop = self.hop();
        let counts = layers_per_stage(self.scenario, assignment);
        let end = counts.len().saturating_sub(1);
        let stages: Vec<LearnedStage> = counts
            .iter()
            .enumerate()
            .map(|(index, layers)| {
                let mut passes = PassSeconds {
                    forward: f64::from(*layers) * layer.forward,
                    backward: f64::from(*layers) * layer.backward,
                };
                for (holds, part) in [(index == 0, &first), (index == end, &last)] {
                    if holds {
                        passes.forward += part.forward;
                        passes.backward += part.backward;
                    }
                }
                self.stage(index as u32, *layers, passes, hop)
            })
            .collect();
        self.assemble([layer.forward, layer.backward], stages, tensor_reduce, hop)
    }

    fn assemble(
        self,
        layer: [f64; 2],
        stages: Vec<LearnedStage>,
        tensor_reduce: f64,
        hop: f64,
    ) -> LearnedStep {
        let times: Vec<StageTime> = stages
            .iter()
            .map(|stage| StageTime::new(stage.forward + stage.onwards, stage.backward + stage.back))
            .collect();
        let micro_batches = self.scenario.micro_batches();
        let gradient_reduce = stages.first().map_or(Seconds::ZERO, |stage| stage.gradient_reduce);
        let update =
            stages.iter().map(|stage| stage.gather + stage.optimizer).fold(Seconds::ZERO, Seconds::max);
        let end = gradient_reduce + update;
        LearnedStep {
            step: one_forward_one_backward(&times, micro_batches, Seconds::ZERO) + end,
            paper: stage_maxima(&times, micro_batches) + end,
            layer: layer.map(Seconds),
            stages,
            tensor_reduce: Seconds(tensor_reduce),
            hop: Seconds(hop),
            gradient_reduce,
            update,
            operators: self.operators,
        }
    }

    /// Seconds of one call, recorded with their basis.
    fn priced(&mut self, call: &OperatorCall) -> f64 {
        self.noted(call.workload, call.direction, Some(call.place), call.times)
    }

    fn noted(
        &mut self,
        workload: OperatorWorkload,
        direction: Direction,
        place: Option<ModelPart>,
        times: f64,
    ) -> f64 {
        let kind = workload.operator.kind();
        let learned = if kind == Kind::Link { Direction::Whole } else { direction };
        let Time { seconds, provenance } = self.time(&workload, learned);
        // Samples are from cool GPUs; in training, power limits reduce the clocks.
        let slower = match kind {
            Kind::Product | Kind::Attention => {
                1.0 / training_over_samples(self.scenario.cluster.gpu.family, self.constants)
            }
            Kind::Stream | Kind::Update | Kind::Link => 1.0,
        };
        let time = seconds * slower;
        self.operators.push(OperatorTime {
            operator: workload.operator,
            direction,
            place,
            sizes: workload.used().to_vec(),
            times,
            time: Seconds(time),
            provenance,
        });
        time
    }

    fn time(&self, workload: &OperatorWorkload, direction: Direction) -> Time {
        self.profile.time(workload, direction, &self.scenario.cluster, self.constants)
    }

    fn hop(&mut self) -> f64 {
        let plan = &self.scenario.plan;
        if plan.pipeline_parallel <= 1 {
            return 0.0;
        }
        let tokens = f64::from(plan.micro_batch) * f64::from(self.scenario.workload.sequence)
            / f64::from(plan.context_parallel.max(1));
        // Split over the tensor-parallel ranks, and gathered within the node.
        let elements =
            tokens * f64::from(self.scenario.model.hidden) / f64::from(plan.tensor_parallel.max(1));
        let nodes = if self.groups.pipeline.domains() > 1.0 { [2.0, 1.0] } else { [1.0, 2.0] };
        let workload = OperatorWorkload::new(SampledOperator::PointToPoint, &[elements, nodes[0], nodes[1]]);
        self.noted(workload, Direction::Whole, None, 1.0)
    }

    /// A stage with the end of its step.
    fn stage(&mut self, index: u32, layers: u32, passes: PassSeconds, hop: f64) -> LearnedStage {
        let (model, plan) = (&self.scenario.model, &self.scenario.plan);
        let is_last = index + 1 == plan.pipeline_parallel.max(1);
        let of_stage = stage_parameters(model, plan, index);
        let parameters = f64::from(layers) * of_stage.kinds[0].shared + of_stage.embedding + of_stage.head;
        let ranks = self.groups.data.size.max(1.0);
        let shards = if plan.zero == Zero::None { 1.0 } else { ranks };
        let data = self.groups.data;
        let (mut reduce, mut gather) = (0.0, 0.0);
        if ranks > 1.0 {
            let workload = link(SampledOperator::AllReduceLarge, parameters, &data);
            reduce = self.noted(workload, Direction::Whole, None, 1.0);
            if shards > 1.0 {
                let workload = link(SampledOperator::AllGather, parameters / shards, &data);
                gather = self.noted(workload, Direction::Whole, None, 1.0);
            }
        }
        let sizes = [f64::from(layers), f64::from(model.hidden), parameters / shards];
        let update = OperatorWorkload::new(SampledOperator::StageOptimizer, &sizes);
        let optimizer = self.noted(update, Direction::Whole, None, 1.0);
        LearnedStage {
            layers,
            forward: Seconds(passes.forward),
            backward: Seconds(passes.backward),
            onwards: Seconds(if is_last { 0.0 } else { hop }),
            back: Seconds(if index == 0 { 0.0 } else { hop }),
            parameters,
            gradient_reduce: Seconds(reduce),
            gather: Seconds(gather),
            optimizer: Seconds(optimizer),
        }
    }
}
