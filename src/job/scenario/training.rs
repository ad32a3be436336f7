//! How parameters are trained: the optimizer, and the storage formats of weights, gradients and states.

use super::Adapters;
use super::plan::{Plan, Zero};
use serde::{Deserialize, Serialize};

/// Trained parameters, optimizer, and storage formats.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Training {
    /// The optimizer.
    pub optimizer: Optimizer,
    /// What Muon does with a matrix of which a rank holds a part.
    pub muon: MuonWay,
    /// Format of the optimizer's states.
    pub states: StateFormat,
    /// Kernels of the optimizer.
    pub kernels: OptimizerKernels,
    /// Storage formats of weights.
    pub weights: WeightFormat,
    /// Format of gradients in memory and in reductions.
    pub gradients: GradientFormat,
    /// Gradients are reduced after every micro-batch, not once per step.
    pub reduces_each: bool,
    /// Adapters on frozen weights; [`Adapters::NONE`] if all parameters are trained.
    pub adapters: Adapters,
}

impl Training {
    /// Adam with 32-bit states, other settings as in the stack, all parameters trained.
    pub const USUAL: Self = Self {
        optimizer: Optimizer::AdamW,
        muon: MuonWay::Blockwise,
        states: StateFormat::Bits32,
        kernels: OptimizerKernels::Stack,
        weights: WeightFormat::Stack,
        gradients: GradientFormat::Stack,
        reduces_each: false,
        adapters: Adapters::NONE,
    };
}

/// The optimizer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Optimizer {
    /// Adam and AdamW: two moments per parameter.
    AdamW,
    /// Adafactor without momentum: the second moment of a matrix as one value per row and one per column.
    Adafactor,
    /// Lion: one momentum per parameter.
    Lion,
    /// Muon: one momentum for the layers' matrices, orthogonalised before the update; AdamW for the rest.
    Muon,
    /// Stochastic gradient descent with momentum.
    SgdMomentum,
    /// Stochastic gradient descent without states.
    Sgd,
}

impl Optimizer {
    /// Values that the optimizer keeps per parameter of a layer and of the model's ends (embedding, head). Adafactor's
    /// rows and columns, less than a thousandth of a value per parameter, are not counted.
    pub const fn values(self) -> (f64, f64) {
        match self {
            Self::AdamW => (2.0, 2.0),
            Self::Muon => (1.0, 2.0),
            Self::Lion | Self::SgdMomentum => (1.0, 1.0),
            Self::Adafactor | Self::Sgd => (0.0, 0.0),
        }
    }
}

/// What Muon does with a matrix of which a rank holds a part, under tensor parallelism or sharded parameters
/// (Megatron-Core, `--muon-tp-mode`; Megatron-LM pull request 6683).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MuonWay {
    /// Each rank orthogonalises its part, without communication; of sharded parameters, its share of the matrices.
    Blockwise,
    /// Each rank gathers and orthogonalises whole matrices.
    Duplicated,
    /// Ranks keep their parts, and sum the Gram matrix of each iteration.
    Distributed,
    /// Each matrix is sent to one rank, which orthogonalises it, and back.
    Layer,
}

/// Format of the optimizer's states.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StateFormat {
    /// 32 bits.
    Bits32,
    /// 16 bits.
    Bits16,
    /// 8 bits in blocks of 256, each with a 32-bit scale (bitsandbytes, torchao).
    Bits8,
    /// 4 bits in blocks of 128, each with a 32-bit scale (torchao).
    Bits4,
}

impl StateFormat {
    /// Bytes of one value, including its share of a block's scale.
    pub const fn bytes(self) -> f64 {
        match self {
            Self::Bits32 => 4.0,
            Self::Bits16 => 2.0,
            Self::Bits8 => 1.0 + 4.0 / 256.0,
            Self::Bits4 => 0.5 + 4.0 / 128.0,
        }
    }
}

/// Kernels of the optimizer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OptimizerKernels {
    /// The stack's: fused.
    Stack,
    /// One kernel that reads and writes everything once (Apex, PyTorch's `fused`).
    Fused,
    /// A kernel per operation, over lists of tensors (PyTorch's `foreach`, its default).
    Foreach,
}

impl OptimizerKernels {
    /// Bytes moved relative to a fused kernel. PyTorch's `_multi_tensor_adamw` reads and writes 21 values per parameter
    /// (decay 2, first moment 3, second moment 2 and 4, root 2, division 2, epsilon 2, update 4); a fused kernel 7.
    pub const fn passes(self) -> f64 {
        match self {
            Self::Stack | Self::Fused => 1.0,
            Self::Foreach => 21.0 / 7.0,
        }
    }
}

/// Storage formats of weights.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WeightFormat {
    /// The stack's.
    Stack,
    /// 16 bits, and a 32-bit copy that the optimizer updates (mixed precision).
    Master,
    /// 32 bits only; 16-bit copies exist while they are used (autocast, FSDP's mixed precision).
    Single,
    /// 16 bits only, which the optimizer updates.
    Half,
}

/// Format of gradients in memory and in reductions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum GradientFormat {
    /// The stack's.
    Stack,
    /// 16 bits.
    Half,
    /// 32 bits.
    Single,
}

impl GradientFormat {
    /// Bytes of an element; `stack` is the stack's default.
    pub const fn bytes(self, stack: f64) -> f64 {
        match self {
            Self::Stack => stack,
            Self::Half => 2.0,
            Self::Single => 4.0,
        }
    }
}

/// Bytes that an optimizer keeps and moves per updated parameter.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct UpdateBytes {
    /// Kept in addition to the weights of the model: the 32-bit copy and the states.
    pub kept: f64,
    /// Read and written by one update.
    pub moved: f64,
}

/// Bytes of a 32-bit value.
pub(super) const SINGLE: f64 = 4.0;
/// Bytes of a 16-bit value.
const HALF: f64 = 2.0;

impl Training {
    /// Bytes per parameter with `values` states: kept are the 32-bit copy of the weights (unless weights are in 16 bits
    /// only) and the states; moved are the gradient once, the weights and the states in and out, and the 16-bit weight
    /// out if there is a copy.
    fn update_of(&self, values: f64) -> UpdateBytes {
        let states = values * self.states.bytes();
        let (copy, weight, gradient) = match self.weights {
            WeightFormat::Half => (0.0, 2.0 * HALF, self.gradients.bytes(HALF)),
            WeightFormat::Stack | WeightFormat::Master | WeightFormat::Single => {
                (SINGLE, 2.0 * SINGLE + HALF, SINGLE)
            }
        };
        UpdateBytes { kept: copy + states, moved: self.kernels.passes() * (gradient + weight + 2.0 * states) }
    }

    /// Whether gradients are reduced after every micro-batch: if the layout requires it
    /// ([`Plan::reduces_every_micro_batch`]), or if chosen. A pipeline reduces once, and layers with sharded parameters
    /// reduce-scatter their gradients as they run.
    pub fn reduces_micro_batches(&self, plan: &Plan) -> bool {
        let chosen = self.reduces_each && plan.zero != Zero::Parameters && plan.pipeline_parallel <= 1;
        plan.reduces_every_micro_batch() || chosen
    }

    /// Whether every micro-batch casts the weights that it uses to 16 bits and its gradients back: 32-bit weights under
    /// autocast. With sharded parameters, the shards are cast before they are gathered.
    pub fn casts_weights(&self, plan: &Plan) -> bool {
        self.weights == WeightFormat::Single && !plan.zero.shards_parameters()
    }

    /// Bytes per element of the accumulated and reduced gradients, where the stack's have `stack`. Those of 32-bit
    /// weights have 32 bits (PyTorch ties a gradient's format to its parameter's).
    pub fn gradient_bytes(&self, plan: &Plan, stack: f64) -> f64 {
        match self.gradients {
            GradientFormat::Stack if self.casts_weights(plan) => SINGLE,
            stated => stated.bytes(stack),
        }
    }

    /// Bytes per parameter of a layer, and per parameter of the model's ends.
    pub fn update(&self) -> [UpdateBytes; 2] {
        let (layer, end) = self.optimizer.values();
        [self.update_of(layer), self.update_of(end)]
    }
}
