//! Memory-bound kernels: norms, rotations, activations, sums of the residual stream, biases.
//!
//! Fused, compiled and Megatron's own modules move a multiple of the least bytes that their kernels could move
//! (`passes_*`). Modules of plain PyTorch run operation by operation, and each operation reads its operands and writes
//! its result: their bytes are counted from source code, forward and backward, so they follow the kind of model.

use super::emit::Emitter;
use super::implementation::{Implementation, KernelTraffic};
use super::implementations as kernels;
use super::{HALF, Module, Pass, Program, SINGLE, Saved};
use crate::constants::Constants;
use crate::cost::Work;
use crate::scenario::model::{Activation, Model, Norm, Positions};
use crate::scenario::stack::{Attention, ElementwiseKernels, Launch};
use crate::scenario::{Precision, Scenario};

/// Bytes that memory-bound kernels move per element under one stack and precision.
#[derive(Debug, Clone, Copy)]
pub(super) struct MemoryBound {
    /// Passes over a stream of bytes, relative to reading and writing it once.
    passes: f64,
    /// Bytes per element of a norm.
    norm: f64,
    /// Bytes per element of a residual add.
    residual: f64,
    /// Rotation of queries and keys where kernels are counted: complex numbers, or halves.
    rotary: Option<Implementation>,
    /// Backward over forward.
    backward: f64,
    /// Bytes per element of the casts of a product's input, forward; and the casts of its gradient, relative to them.
    quantize_bytes: f64,
    quantize_backward: f64,
    /// Bytes per element of the weight casts, forward and backward, if every micro-batch casts weights.
    quantize_weights: [f64; 2],
    /// Modules of plain PyTorch, if the layers use them.
    plain: Option<Plain>,
    /// An activation with counted bytes: of plain modules, and of compiled programs, where it sits between two library
    /// products and fuses with no other kernel.
    activation: Option<KernelTraffic>,
    /// Bytes that a bias moves per output element of its linear layer, forward and backward, if counted.
    bias: Option<[f64; 2]>,
}

/// What layers of plain PyTorch move per element.
#[derive(Debug, Clone, Copy)]
struct Plain {
    norm: KernelTraffic,
    /// The norm of queries or keys over a head.
    inner_norm: KernelTraffic,
    residual: KernelTraffic,
    /// Casts of a norm's output that autocast makes for each linear layer that reads it.
    cast: Option<KernelTraffic>,
    /// Number of linear layers that read the norm before attention, and the one before the feed-forward layer.
    readers: [f64; 2],
}

impl Plain {
    fn new(scenario: &Scenario, dropout: bool) -> Self {
        let model = &scenario.model;
        let single = scenario.training.casts_weights(&scenario.plan);
        let norm = match model.norm {
            Norm::Layer => kernels::LAYER_NORM,
            // PyTorch's single kernel moves the same bytes as LayerNorm's.
            Norm::Rms if scenario.software.fuses_norms() => kernels::LAYER_NORM,
            Norm::Rms => kernels::RMS_NORM,
        };
        let residual = kernels::RESIDUAL.at(single);
        // Rows as narrow as a head take as long in the single kernel as in separate ones: [.., 24, 128] runs at 0.82
        // TB/s where kernels made for such rows reach 3.15 (sgl-project/sglang, pull request 20632).
        let inner_norm = if model.norm == Norm::Rms { kernels::RMS_NORM } else { norm };
        Self {
            norm: norm.at(single),
            inner_norm: inner_norm.at(single),
            residual: if dropout { residual.and(kernels::DROPOUT.at(single)) } else { residual },
            cast: single.then_some(kernels::LINEAR_INPUT.single),
            readers: readers(model),
        }
    }
}

/// Number of linear layers that read the norm before attention, and the one before the feed-forward layer.
pub(super) fn readers(model: &Model) -> [f64; 2] {
    [if model.code.joins_projections() { 1.0 } else { 3.0 }, if model.gated_mlp { 2.0 } else { 1.0 }]
}

/// The activation of a model in plain modules, or in a compiled program.
pub(super) fn activation(scenario: &Scenario, plain: bool) -> Implementation {
    let model = &scenario.model;
    match (model.activation, model.gated_mlp) {
        (_, true) if !plain => kernels::GATED_COMPILED,
        (_, false) if !plain => kernels::GELU,
        // PyTorch has a fused kernel for GPT-2's written-out GELU.
        (Activation::GeluNew, _) if scenario.software.kernels.elementwise == ElementwiseKernels::Modules => {
            if model.gated_mlp {
                kernels::GATED_SILU
            } else {
                kernels::GELU
            }
        }
        (Activation::GeluNew, true) => kernels::GATED_GELU_NEW,
        (Activation::GeluNew, false) => kernels::GELU_NEW,
        (Activation::ClampedSilu, true) => kernels::CLAMPED_SILU,
        (Activation::Relu2, true) => kernels::GATED_RELU2,
        (Activation::Relu2, false) => kernels::RELU2,
        (Activation::Xielu, true) => kernels::GATED_XIELU,
        (Activation::Xielu, false) => kernels::XIELU,
        (_, true) => kernels::GATED_SILU,
        (_, false) => kernels::GELU,
    }
}

/// Bytes that a bias moves per output element of its linear layer, forward and backward.
fn bias(scenario: &Scenario) -> [f64; 2] {
    let copied = if scenario.software.libraries().bias_in_product { 0.0 } else { 2.0 * HALF };
    [copied, if scenario.training.adapters.freeze() { 0.0 } else { HALF }]
}

/// Bytes per element of the casts of products' inputs, and of weights forward and backward. Transformer Engine casts
/// weights once per step, with the scale of the step before.
fn casts(scenario: &Scenario, c: &Constants, precision: Precision) -> (f64, [f64; 2]) {
    let gathered = scenario.plan.zero.wraps_modules() && scenario.software.gather_bytes(precision) < HALF;
    let (input, weights) = match (precision, scenario.software.profile().inductor) {
        (Precision::Fp16 | Precision::Bf16, _) => return (0.0, [0.0; 2]),
        (Precision::Fp8 | Precision::Nvfp4, false) | (Precision::Nvfp4, _) => {
            return (c.quantize_bytes, [0.0; 2]);
        }
        (Precision::Fp8Block | Precision::Mxfp8, false) => return (c.quantize_bytes_block, [0.0; 2]),
        (Precision::Fp8, true) if gathered => (kernels::CAST_TENSOR, kernels::WEIGHTS_GATHERED),
        (Precision::Fp8, true) => (kernels::CAST_TENSOR, kernels::WEIGHTS_TENSOR),
        (Precision::Fp8Block, true) => (kernels::CAST_ROW, kernels::WEIGHTS_ROW),
        (Precision::Mxfp8, true) => (kernels::CAST_MX, kernels::WEIGHTS_MX),
    };
    (input.half.forward[0], weights.half.bytes())
}

impl MemoryBound {
    pub(super) fn new(scenario: &Scenario, c: &Constants, precision: Precision, dropout: bool) -> Self {
        let launch = scenario.software.elementwise();
        let passes = match launch {
            Launch::Eager => c.passes_eager,
            Launch::PartlyFused => 0.5 * (c.passes_eager + c.passes_fused),
            Launch::Fused => c.passes_fused,
            Launch::Compiled => c.passes_compiled,
        };
        let (quantize_bytes, quantize_weights) = casts(scenario, c, precision);
        let eager = launch == Launch::Eager;
        let plain = eager && scenario.software.plain_modules();
        // Under autocast the residual stream keeps the embedding's 32 bits, also in compiled programs: a norm reads 32
        // and writes 16, an add reads 32 and 16 and writes 32.
        let single =
            scenario.training.casts_weights(&scenario.plan) && scenario.software.launch() != Launch::Fused;
        let either = |half: f64, whole: f64| passes * if single { whole } else { half };
        Self {
            passes,
            norm: if eager && scenario.model.norm == Norm::Rms {
                kernels::RMS_NORM.half.forward[0]
            } else {
                either(2.0 * HALF, SINGLE + HALF)
            },
            residual: either(3.0 * HALF, 2.0 * SINGLE + HALF),
            rotary: if scenario.software.profile().rotates_complex && scenario.model.code.rotates_complex() {
                Some(kernels::ROTARY_COMPLEX)
            } else {
                eager.then_some(kernels::ROTARY_HALVES)
            },
            backward: c.elementwise_backward_ratio,
            quantize_bytes,
            quantize_backward: c.quantize_backward_ratio,
            quantize_weights,
            plain: plain.then(|| Plain::new(scenario, dropout)),
            activation: (plain || launch == Launch::Compiled)
                .then(|| activation(scenario, plain).at(scenario.training.casts_weights(&scenario.plan))),
            bias: (plain || launch == Launch::Compiled).then(|| bias(scenario)),
        }
    }
}

/// Copies of attention's inputs and outputs in plain modules.
const ATTENTION_COPIES: f64 = 2.0;

impl Program<'_> {
    /// Kernels that a layer of plain modules launches forward; nothing for other modules. Llama's have 40: two norms of
    /// 8, seven products, 10 of the rotation, 3 of attention, 2 of the activation, 2 adds. Fused kernels (Liger) count
    /// as one each. Layers without a gate have one product for queries, keys and values; experts and latent attention
    /// are not counted.
    pub(crate) fn launches_of_layer(&self) -> Option<f64> {
        let (scenario, of) = (self.scenario, &self.memory_bound);
        if !scenario.software.plain_modules() {
            return None;
        }
        let model = &scenario.model;
        let [attention, feed_forward] = readers(model);
        let of_norm = of.plain.map_or(1.0, |plain| plain.norm.forward[1]);
        let products = attention + feed_forward + 2.0;
        let rotation = match (model.positions, of.plain) {
            (Positions::Rotary, Some(_)) => kernels::ROTARY_HALVES.half.forward[1],
            (Positions::Rotary, None) => 1.0,
            (Positions::Learned(_) | Positions::Alibi, _) => 0.0,
        };
        let activation = of.activation.map_or(1.0, |activation| activation.forward[1]);
        let sums = 2.0 * of.plain.map_or(1.0, |plain| plain.residual.forward[1]);
        let casts = of.plain.and_then(|plain| plain.cast).map_or(0.0, |cast| cast.forward[1]);
        let cast = (attention + feed_forward) * casts;
        let core = if scenario.attention() == Attention::Unfused {
            kernels::SCORES_LLAMA.half.forward[1]
        } else {
            1.0
        };
        let inner = if model.query_key_norm { 2.0 } else { 0.0 };
        let of_inner = of.plain.map_or(1.0, |plain| plain.inner_norm.forward[1]);
        let around = 2.0 * of_norm + inner * of_inner + rotation + activation + sums + cast;
        Some(products + ATTENTION_COPIES + core + around)
    }

    /// Tokens of the residual stream that a rank casts for a product: its own share if torchao gathers the casted
    /// tensor.
    pub(super) fn cast_tokens(&self) -> f64 {
        let (software, precision) = (&self.scenario.software, self.precision);
        if software.profile().inductor && software.activation_gather_bytes(precision) < HALF {
            self.shapes.split_tokens
        } else {
            self.shapes.tokens
        }
    }
}

impl Emitter<'_, '_> {
    /// The norm before attention, or before the feed-forward layer or experts, over this many elements. Each linear
    /// layer of plain PyTorch that reads it returns a gradient, and autocast casts the norm for each.
    pub(super) fn norm(&mut self, module: Module, elements: f64) {
        let saves = self.program.saved_norm(module, elements);
        let of = self.program.memory_bound;
        let Some(plain) = of.plain else {
            return self.memory_bound(module, elements * of.norm, false, saves);
        };
        self.moved(module, plain.norm, elements, saves);
        let [attention, feed_forward] = plain.readers;
        let readers = if module == Module::AttentionNorm { attention } else { feed_forward };
        let shapes = &self.program.shapes;
        let width = if module == Module::AttentionNorm { shapes.mixer_input } else { shapes.hidden };
        let read = shapes.tokens * width;
        if let Some(cast) = plain.cast {
            self.moved(Module::ActivationCast, cast.times(readers), read, Saved::NOTHING);
        }
        if readers > 1.0 {
            let sum = KernelTraffic { backward: kernels::RESIDUAL.half.backward, ..KernelTraffic::default() };
            self.moved(Module::GradientSum, sum.times(readers - 1.0), read, Saved::NOTHING);
        }
    }

    /// The norm of queries or keys over each head: its input is kept for the backward pass, in addition to what the
    /// core reads. A compiled program keeps only the input and recomputes the output.
    pub(super) fn inner_norm(&mut self, module: Module, elements: f64) {
        let of = self.program.memory_bound;
        let compiled = self.program.scenario.software.elementwise() == Launch::Compiled;
        let saves = if compiled {
            Saved::NOTHING
        } else {
            Saved { stays: elements * self.program.formats.inner_norm, ..Saved::NOTHING }
        };
        match of.plain {
            Some(plain) => self.moved(module, plain.inner_norm, elements, saves),
            None => self.memory_bound(module, elements * of.norm, false, saves),
        }
    }

    /// Rotation of this many elements of queries and keys.
    pub(super) fn rotary(&mut self, module: Module, elements: f64) {
        match self.program.memory_bound.rotary {
            Some(rotary) => self.moved(module, rotary.half, elements, Saved::NOTHING),
            None => self.stream(module, 2.0 * HALF * elements, Saved::NOTHING),
        }
    }

    /// Keys and values repeated for every query head that reads them, and their gradients summed.
    pub(super) fn repeated_keys_values(&mut self) {
        let (shapes, scenario) = (&self.program.shapes, self.program.scenario);
        let repeated = shapes.heads * (shapes.head_dim + shapes.value_dim);
        let repeats = self.program.profile.repeats_keys_values && scenario.model.latent.kv_rank == 0;
        if repeats && repeated > shapes.key_values {
            let bytes = HALF * (shapes.key_values + repeated);
            let copies = KernelTraffic { forward: [bytes, 2.0], backward: [bytes, 2.0] };
            // The core keeps them in place of what was projected.
            let more = HALF * shapes.tokens * (repeated - shapes.key_values);
            let saves = Saved { dropped: more, ..Saved::NOTHING };
            self.moved(Module::RepeatedKeysValues, copies, shapes.tokens, saves);
        }
    }

    /// A sublayer's output added to the residual stream, with its dropout where there is one.
    pub(super) fn residual(&mut self, module: Module, saves: Saved) {
        let elements = self.program.shapes.split_elements();
        match self.program.memory_bound.plain {
            Some(plain) => self.moved(module, plain.residual, elements, saves),
            None => {
                let bytes = self.program.memory_bound.residual * elements;
                self.memory_bound(module, bytes, false, saves);
            }
        }
    }

    /// The activation of this many elements of a feed-forward layer.
    pub(super) fn activation(&mut self, module: Module, elements: f64, saves: Saved) {
        match self.program.memory_bound.activation {
            Some(activation) => self.moved(module, activation, elements, saves),
            None => {
                let branches = self.program.shapes.up_branches;
                self.stream(module, HALF * (1.0 + branches) * elements, saves);
            }
        }
    }

    /// The bias of a linear layer with this many outputs: a separate kernel where products do not add it in their
    /// epilogue; backward, its gradient is the sum over tokens.
    pub(super) fn bias(&mut self, outputs: f64) {
        if let Some([forward, backward]) = self.program.memory_bound.bias {
            let bias = KernelTraffic { forward: [forward, 1.0], backward: [backward, 1.0] };
            self.moved(Module::Bias, bias, outputs, Saved::NOTHING);
        }
    }

    /// A memory-bound kernel that moves at least this many bytes.
    pub(super) fn stream(&mut self, module: Module, bytes: f64, saves: Saved) {
        self.memory_bound(module, bytes * self.program.memory_bound.passes, false, saves);
    }

    /// A memory-bound kernel that gathers, scatters or weights rows.
    pub(super) fn scatter(&mut self, module: Module, bytes: f64, saves: Saved) {
        self.memory_bound(module, bytes * self.program.memory_bound.passes, true, saves);
    }

    /// The kernels of a plain PyTorch module over this many elements.
    pub(super) fn moved(&mut self, module: Module, kernels: KernelTraffic, elements: f64, saves: Saved) {
        let work = |[bytes, kernels]: [f64; 2]| Work::Stream { bytes: bytes * elements, kernels };
        if kernels.forward[0] > 0.0 {
            self.saving_kernel(module, Pass::Forward, work(kernels.forward), saves);
        }
        if kernels.backward[0] > 0.0 {
            self.kernel(module, Pass::Backward, work(kernels.backward));
        }
    }

    fn memory_bound(&mut self, module: Module, bytes: f64, scatters: bool, saves: Saved) {
        let work = |bytes, kernels| {
            if scatters { Work::Scatter { bytes, kernels } } else { Work::Stream { bytes, kernels } }
        };
        self.saving_kernel(module, Pass::Forward, work(bytes, 1.0), saves);
        self.kernel(module, Pass::Backward, work(bytes * self.program.memory_bound.backward, 2.0));
    }

    /// Casts of the matrix products' inputs, `elements` of them, and of their gradients; and of weights, if every
    /// micro-batch casts them.
    pub(super) fn quantize(&mut self, elements: f64, weights: f64) {
        let MemoryBound { quantize_bytes, quantize_backward, quantize_weights, .. } =
            self.program.memory_bound;
        if quantize_bytes > 0.0 {
            let inputs = elements * quantize_bytes;
            let bytes = inputs + weights * quantize_weights[0];
            self.kernel(Module::Quantize, Pass::Forward, Work::Cast { bytes, kernels: 1.0 });
            let bytes = inputs * quantize_backward + weights * quantize_weights[1];
            self.kernel(Module::Quantize, Pass::Backward, Work::Cast { bytes, kernels: 1.0 });
        }
    }
}
