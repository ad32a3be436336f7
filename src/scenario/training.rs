//! How parameters are trained: the optimizer, and in what formats weights, gradients and states are kept.

use super::Adapters;
use super::plan::{Plan, Zero};
use serde::{Deserialize, Serialize};

/// What is trained, by which optimizer, and in what formats its tensors are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Training {
    /// The rule that updates parameters.
    pub optimizer: Optimizer,
    /// Format of the optimizer's states.
    pub states: StateFormat,
    /// Kernels that the optimizer runs as.
    pub kernels: OptimizerKernels,
    /// Formats that weights are kept in.
    pub weights: WeightFormat,
    /// Format that gradients are kept and reduced in.
    pub gradients: GradientFormat,
    /// Gradients are reduced after every micro-batch, not once a step.
    pub reduces_each: bool,
    /// Adapters on frozen weights; [`Adapters::NONE`] where all parameters are trained.
    pub adapters: Adapters,
}

impl Training {
    /// Adam with states in 32 bits, everything else as the stack does it, all parameters trained.
    pub const USUAL: Self = Self {
        optimizer: Optimizer::AdamW,
        states: StateFormat::Bits32,
        kernels: OptimizerKernels::Stack,
        weights: WeightFormat::Stack,
        gradients: GradientFormat::Stack,
        reduces_each: false,
        adapters: Adapters::NONE,
    };
}

/// The rule that updates parameters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Optimizer {
    /// Adam and AdamW: two moments a parameter.
    AdamW,
    /// Adafactor without momentum: the second moment of a matrix as one value a row and one a column.
    Adafactor,
    /// Lion: one momentum a parameter.
    Lion,
    /// Muon: one momentum for the matrices of layers, orthogonalised before the update; AdamW for all else.
    Muon,
    /// Stochastic gradient descent with momentum.
    SgdMomentum,
    /// Stochastic gradient descent without states.
    Sgd,
}

impl Optimizer {
    /// Values that the optimizer keeps per parameter of a layer and of the model's ends (embedding, head). Adafactor's
    /// rows and columns, less than a thousandth of a value per parameter, count as none.
    pub const fn values(self) -> (f64, f64) {
        match self {
            Self::AdamW => (2.0, 2.0),
            Self::Muon => (1.0, 2.0),
            Self::Lion | Self::SgdMomentum => (1.0, 1.0),
            Self::Adafactor | Self::Sgd => (0.0, 0.0),
        }
    }
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
    /// Bytes of one value, its share of a block's scale included.
    pub const fn bytes(self) -> f64 {
        match self {
            Self::Bits32 => 4.0,
            Self::Bits16 => 2.0,
            Self::Bits8 => 1.0 + 4.0 / 256.0,
            Self::Bits4 => 0.5 + 4.0 / 128.0,
        }
    }
}

/// Kernels that the optimizer runs as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OptimizerKernels {
    /// As the stack does: fused.
    Stack,
    /// One kernel that reads and writes everything once (Apex, PyTorch's `fused`).
    Fused,
    /// A kernel for every operation, over lists of tensors (PyTorch's `foreach`, its default).
    Foreach,
}

impl OptimizerKernels {
    /// Bytes that pass over those of a fused kernel. PyTorch's `_multi_tensor_adamw` reads and writes 21 values a
    /// parameter (decay 2, first moment 3, second moment 2 and 4, root 2, division 2, epsilon 2, update 4); a fused
    /// kernel 7.
    pub const fn passes(self) -> f64 {
        match self {
            Self::Stack | Self::Fused => 1.0,
            Self::Foreach => 21.0 / 7.0,
        }
    }
}

/// Formats that weights are kept in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WeightFormat {
    /// As the stack does.
    Stack,
    /// 16 bits, and a 32-bit copy that the optimizer updates (mixed precision).
    Master,
    /// 32 bits only; 16-bit copies exist while they are used (autocast, FSDP's mixed precision).
    Single,
    /// 16 bits only, which the optimizer updates.
    Half,
}

/// Format that gradients are kept and reduced in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum GradientFormat {
    /// As the stack does.
    Stack,
    /// 16 bits.
    Half,
    /// 32 bits.
    Single,
}

impl GradientFormat {
    /// Bytes of an element, where the stack's are `stack`.
    pub const fn bytes(self, stack: f64) -> f64 {
        match self {
            Self::Stack => stack,
            Self::Half => 2.0,
            Self::Single => 4.0,
        }
    }
}

/// Bytes that an optimizer keeps and moves per parameter that it updates.
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
    /// Bytes per parameter that keeps `values` states: the copy of the weights in 32 bits (unless weights are in 16 bits
    /// only) and the states; moved are the gradient once, the weights and the states in and out, and the 16-bit weight
    /// out where there is a copy.
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

    /// Whether gradients are reduced after every micro-batch: where the layout leaves nothing else
    /// ([`Plan::reduces_every_micro_batch`]), and where that is chosen. A pipeline reduces once, and layers whose
    /// parameters are sharded scatter their gradients as they run.
    pub(crate) fn reduces_micro_batches(&self, plan: &Plan) -> bool {
        let chosen = self.reduces_each && plan.zero != Zero::Parameters && plan.pipeline_parallel <= 1;
        plan.reduces_every_micro_batch() || chosen
    }

    /// Whether every micro-batch casts the weights that it uses to 16 bits and its gradients back: weights in 32 bits
    /// that autocast reads. Where parameters are sharded it is the shards that are cast, before they are gathered.
    pub(crate) fn casts_weights(&self, plan: &Plan) -> bool {
        self.weights == WeightFormat::Single && !plan.zero.shards_parameters()
    }

    /// Bytes of an element of the gradients that are accumulated and reduced, where the stack's have `stack`. Those of
    /// weights in 32 bits have 32 (PyTorch ties a gradient's format to its parameter's).
    pub(crate) fn gradient_bytes(&self, plan: &Plan, stack: f64) -> f64 {
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
