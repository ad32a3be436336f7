//! The program of a step: the only list of the kernels and collectives that a rank runs.
//!
//! A stage visits *places* ([`Place`]): the embedding, its layers, the head, the boundary to the next stage, the end of
//! the step. [`Program::calls`] lists the calls of one visit, [`Program::visits`] and [`Program::chunk_visits`] how
//! often a micro-batch visits each place. All results are folds of this list: the forecast sums its prices, the
//! operator table keeps them, traffic counts its messages, memory sums what it saves, the timeline draws it. No other
//! code derives what a step does.

mod accumulation;
mod adapters;
mod attention;
mod context;
mod elementwise;
mod embedding_and_head;
mod emit;
mod experts;
mod gradients;
mod groups;
mod implementation;
pub(crate) mod implementations;
mod layer;
mod layer_embeddings;
mod loss;
mod module;
mod muon;
mod optimizer;
mod plain_routing;
mod recompute;
mod recurrent;
mod saved;
mod selection;
mod shapes;
mod sharding;
mod shared_blocks;
mod stage_boundary;
mod tower;
mod visits;

pub use groups::{Groups, ProcessGroup};
pub use module::Module;
pub use saved::Saved;
pub use shapes::Shapes;
pub use stage_boundary::Crossings;
pub use visits::Visits;

pub(crate) use groups::shard_replicas;
pub(crate) use layer::LayerCalls;
pub(crate) use saved::{Formats, HALF, SINGLE};

use crate::constants::Constants;
use crate::cost::Work;
use crate::scenario::model::{LayerKind, Layers};
use crate::scenario::plan::stages::{LayoutParameters, StageParameters};
use crate::scenario::stack::StackProfile;
use crate::scenario::{Precision, Scenario};
use elementwise::MemoryBound;
use serde::Serialize;

/// One call of a step: a kernel or a collective of one GPU, with all that any reader needs to know of it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Call {
    /// Kind of call.
    pub module: Module,
    /// Its pass.
    pub pass: Pass,
    /// Shape, bytes and group: everything that its price depends on.
    pub work: Work,
    /// Calls per visit of its place.
    pub times: f64,
    /// Parallelism and group; nothing for a kernel.
    pub communication: Option<Communication>,
    /// What the backward pass reads of its output.
    pub saves: Saved,
}

impl Call {
    /// Whether it is an attention core.
    pub fn is_attention_core(&self) -> bool {
        matches!(self.work, Work::Attention(_))
    }
}

/// What makes a call a message.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Communication {
    /// Which kind of parallelism it serves.
    pub parallelism: Parallelism,
    /// The ranks that take part.
    pub group: ProcessGroup,
    /// Messages of the call, sent one after the other: more than 1 around a ring.
    pub messages: f64,
    /// What it can overlap with.
    pub hides: Overlap,
}

/// What a communication can overlap with.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Overlap {
    /// Nothing.
    Nowhere,
    /// The kernels around it, for this share of its time.
    Around(f64),
    /// The attention core that consumes its keys and values.
    AttentionCore,
    /// The kernels of the preceding layer, during which it is prefetched, for at most this share of its time.
    NeighbouringLayer(f64),
    /// The backward passes of the step, for at most this share of its time.
    BackwardPasses(f64),
    /// Passes of other micro-batches, as the schedule allows.
    OtherMicroBatches,
}

/// Type of parallelism of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Parallelism {
    /// Activations and their gradients within a tensor-parallel group.
    TensorParallel,
    /// Keys and values around a context-parallel group.
    ContextParallel,
    /// Tokens to their experts, and the experts' outputs back.
    ExpertParallel,
    /// Activations and their gradients between pipeline stages.
    PipelineParallel,
    /// Gradients, and parameters where they are sharded.
    DataParallel,
    /// Gradients of the embedding that first and last stage share.
    EmbeddingSync,
}

impl Parallelism {
    /// Every kind, in reading order.
    pub const ALL: [Self; 6] = [
        Self::TensorParallel,
        Self::ContextParallel,
        Self::ExpertParallel,
        Self::PipelineParallel,
        Self::DataParallel,
        Self::EmbeddingSync,
    ];

    /// Name for people.
    pub const fn label(self) -> &'static str {
        match self {
            Self::TensorParallel => "Tensor parallel",
            Self::ContextParallel => "Context parallel",
            Self::ExpertParallel => "Expert parallel",
            Self::PipelineParallel => "Pipeline parallel",
            Self::DataParallel => "Data parallel",
            Self::EmbeddingSync => "Embedding synchronisation",
        }
    }

    /// Place in [`Parallelism::ALL`].
    pub const fn index(self) -> usize {
        self as usize
    }
}

/// Pass of a training step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Pass {
    /// Forward.
    Forward,
    /// Forward once more, in the backward pass, to save memory.
    Recompute,
    /// Backward with respect to the input.
    InputGradient,
    /// Backward with respect to the weights.
    WeightGradient,
    /// Backward of operators without weights.
    Backward,
    /// Once per step.
    Step,
}

/// A place that a stage visits with every micro-batch, or once a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// Input embedding, on the first stage.
    Embedding,
    /// A layer of the encoder in front of the decoder, on the first stage.
    Tower,
    /// A layer.
    Layer {
        /// Its kind, as an index of [`Layers::kinds`](crate::scenario::model::Layers::kinds).
        kind: usize,
        /// Whether recompute skips it.
        passed_over: bool,
    },
    /// Projection of a multi-token prediction layer.
    PredictionProjection,
    /// Final norm, LM head and loss, on the last stage.
    Head,
    /// Between neighbouring stages.
    StageBoundary,
    /// After the last backward pass: gradients reduced, parameters updated and gathered.
    StepEnd,
}

impl Place {
    /// A layer of a kind that recompute, if any, does not skip.
    pub const fn layer(kind: usize) -> Self {
        Self::Layer { kind, passed_over: false }
    }
}

/// The program of one step of a scenario under a calibration.
#[derive(Debug, Clone, Copy)]
pub struct Program<'a> {
    /// The job.
    pub scenario: &'a Scenario,
    /// The calibration.
    pub constants: &'a Constants,
    /// Behaviour of its software.
    pub profile: &'a StackProfile,
    /// The layers of its model, by kind.
    pub layers: Layers,
    /// The selected kind of layer; initially the first, in the job's precision.
    pub kind: LayerKind,
    /// Number format of the products in layers of that kind.
    pub(crate) precision: Precision,
    /// Sizes of one micro-batch on one GPU, in layers of that kind.
    pub shapes: Shapes,
    /// Placement of each group's ranks.
    pub groups: Groups,
    /// Parameters of the first stage, which reduces its gradients last.
    pub(crate) first: StageParameters,
    /// The trained parameters of the first stage.
    pub(crate) first_trained: StageParameters,
    /// Formats in which its software saves tensors.
    pub(crate) formats: Formats,
    memory_bound: MemoryBound,
    /// Load of the GPU with the most popular experts over the mean.
    imbalance: f64,
    /// Nothing before or in the layers is trained: no backward pass, and nothing saved for one.
    pub(crate) forward_only: bool,
}

impl<'a> Program<'a> {
    /// The program of a scenario. Assumes a valid scenario.
    pub fn new(scenario: &'a Scenario, constants: &'a Constants) -> Self {
        let layers = scenario.layers();
        let parameters = LayoutParameters::new(&scenario.model, &layers, scenario.plan.layer_shares());
        Self::with_layers(scenario, constants, (&layers, &parameters))
    }

    /// The same, with the layers of the model, which all layouts of a job share, and their parameters in the layout.
    pub(crate) fn with_layers(
        scenario: &'a Scenario,
        constants: &'a Constants,
        (layers, parameters): (&Layers, &LayoutParameters),
    ) -> Self {
        let first = parameters.on_stage(layers, &scenario.plan, 0);
        let precision = scenario.workload.precision;
        let formats = Formats::new(scenario, precision);
        let kind = LayerKind { wide: false, ..layers.kind(0) };
        Self {
            scenario,
            constants,
            profile: scenario.software.profile(),
            layers: *layers,
            kind,
            precision,
            shapes: Shapes::new(scenario, kind),
            groups: Groups::new(scenario),
            first,
            first_trained: scenario.trained(layers, &first),
            formats,
            memory_bound: MemoryBound::new(scenario, constants, precision, formats.dropout),
            imbalance: experts::imbalance(scenario, constants),
            forward_only: false,
        }
    }

    /// Calls `visit` with every call of one visit of a place. Forward and recomputed calls come in execution order,
    /// backward calls in reverse. The end of the step is that of the first stage (see [`Program::step_end`] for
    /// others).
    pub fn calls(&self, place: Place, visit: &mut dyn FnMut(Call)) {
        match place {
            Place::Embedding => self.embedding(visit),
            Place::Tower => self.tower_layer(visit),
            Place::Layer { kind, .. } => {
                self.of(kind).layer(place, kind, visit);
            }
            Place::PredictionProjection => self.prediction_projection(visit),
            Place::Head => self.head(visit),
            Place::StageBoundary => self.stage_boundary(visit),
            Place::StepEnd => self.step_end(0, visit),
        }
    }

    /// The same program with another kind of layer selected.
    pub fn of(&self, kind: usize) -> Self {
        let kind = self.layers.kind(kind);
        if kind == self.kind {
            return *self;
        }
        let selected = Self { kind, shapes: Shapes::new(self.scenario, kind), ..*self };
        if kind.wide == self.kind.wide {
            return selected;
        }
        let precision = if kind.wide { Precision::Bf16 } else { self.scenario.workload.precision };
        let formats = Formats::new(self.scenario, precision);
        let memory_bound = MemoryBound::new(self.scenario, self.constants, precision, formats.dropout);
        Self { precision, formats, memory_bound, ..selected }
    }

    /// Parameters on one GPU of a stage.
    fn parameters(&self, stage: u32) -> StageParameters {
        let plan = &self.scenario.plan;
        LayoutParameters::new(&self.scenario.model, &self.layers, plan.layer_shares()).on_stage(
            &self.layers,
            plan,
            stage,
        )
    }

    /// Places that the passes of a micro-batch visit, on any stage.
    pub fn places(&self) -> impl Iterator<Item = Place> + use<> {
        let kinds = self.layers.kinds().len();
        let passes_over = self.scenario.plan.recompute.every() > 1;
        let layers = (0..kinds).flat_map(move |kind| {
            [false, true]
                .into_iter()
                .filter(move |passed_over| passes_over || !passed_over)
                .map(move |passed_over| Place::Layer { kind, passed_over })
        });
        let projection = (self.scenario.model.prediction_layers > 0).then_some(Place::PredictionProjection);
        let tower = self.scenario.model.tower.exists().then_some(Place::Tower);
        [Place::Embedding].into_iter().chain(tower).chain(layers).chain(projection).chain([Place::Head])
    }

    /// Whether a place is a layer of a micro-batch whose activations recompute may drop.
    pub(crate) fn recomputes(&self, place: Place) -> bool {
        match place {
            Place::Layer { passed_over: false, .. } => !self.forward_only,
            Place::Tower => !self.scenario.freezes_tower(),
            _ => false,
        }
    }

    /// Bytes per gradient element in data-parallel reductions.
    pub(crate) fn reduce_bytes(&self) -> f64 {
        self.scenario.training.gradient_bytes(&self.scenario.plan, self.profile.reduce_bytes)
    }

    /// Whether parameters are sharded and gathered layer by layer (ZeRO-3, FSDP, HSDP).
    pub fn shards_parameters(&self) -> bool {
        self.scenario.plan.zero.shards_parameters()
    }
}
