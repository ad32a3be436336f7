//! A network as a list of layers, each with its parameter tensors and the work of one pass.

use super::{bert, convolutional};

/// One layer, for a batch of any size.
#[derive(Debug, Clone, PartialEq)]
pub struct Layer {
    /// Name, as the reference implementation has it.
    pub name: String,
    /// Elements of each parameter tensor, in the order of registration.
    pub tensors: Vec<u64>,
    /// Work of one sample.
    pub work: LayerWork,
}

/// Work of one layer and sample.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum LayerWork {
    /// A matrix product (rows x outputs, over inputs), or a convolution as one.
    Product(SampleProduct),
    /// Batched products of attention: their number, each over the whole sequence.
    Attention {
        /// Heads.
        heads: f64,
        /// Tokens.
        tokens: f64,
        /// Width of one head.
        head_dim: f64,
    },
    /// Work bound by device memory.
    Stream {
        /// Elements read and written by the forward pass.
        forward: f64,
        /// Elements read and written by the backward pass.
        backward: f64,
    },
}

/// One sample's part of a matrix product.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SampleProduct {
    /// Rows: output pixels, tokens, or 1.
    pub rows: f64,
    /// Outputs.
    pub outputs: f64,
    /// Input channels.
    pub channels: f64,
    /// Kernel area of a convolution; 1 otherwise.
    pub kernel_area: f64,
    /// Rows of the input's gradient: input pixels. Zero where the input needs none.
    pub input_rows: f64,
}

impl SampleProduct {
    /// Inputs of one output.
    pub fn inputs(&self) -> f64 {
        self.channels * self.kernel_area
    }
}

impl LayerWork {
    /// Multiply-adds of the forward pass of one sample.
    pub fn multiply_adds(&self) -> f64 {
        match self {
            Self::Product(product) => product.rows * product.outputs * product.inputs(),
            Self::Attention { heads, tokens, head_dim } => 2.0 * heads * tokens * tokens * head_dim,
            Self::Stream { .. } => 0.0,
        }
    }
}

/// A network.
#[derive(Debug, Clone, PartialEq)]
pub struct DdpNetwork {
    /// Layers in forward order.
    pub layers: Vec<Layer>,
    /// How weights are updated.
    pub optimizer: WeightUpdate,
}

/// How weights are updated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WeightUpdate {
    /// Stochastic gradient descent with momentum.
    Momentum,
    /// Adam.
    Adam,
}

impl DdpNetwork {
    /// Parameters.
    pub fn parameters(&self) -> u64 {
        self.layers.iter().flat_map(|layer| &layer.tensors).sum()
    }

    /// Multiply-adds of one sample's forward pass.
    pub fn multiply_adds(&self) -> f64 {
        self.layers.iter().map(|layer| layer.work.multiply_adds()).sum()
    }
}

/// A network of the paper, with its batch.
#[derive(Debug, Clone, Copy)]
pub struct Preset {
    /// Name on the command line.
    pub name: &'static str,
    /// Name for people.
    pub label: &'static str,
    /// Samples of one GPU and step (APNet'24, table 2).
    pub batch: u32,
    /// Reference implementation.
    pub source: &'static str,
    /// Generates it.
    pub build: fn() -> DdpNetwork,
}

/// The network of that name.
pub fn find(name: &str) -> Option<&'static Preset> {
    PRESETS.iter().find(|preset| preset.name == name)
}

const TORCHVISION: &str = "https://github.com/pytorch/vision/tree/main/torchvision/models";
const TRANSFORMERS: &str = "https://github.com/huggingface/transformers, BertForMaskedLM; sequences of 384 tokens, which the paper does not state, are the SQuAD recipe's with its batch of 12";

/// Table 2 of APNet'24, without GPT.
pub static PRESETS: &[Preset] = &[
    Preset {
        name: "resnet50",
        label: "ResNet-50",
        batch: 32,
        source: TORCHVISION,
        build: || convolutional::residual([3, 4, 6, 3]),
    },
    Preset {
        name: "resnet101",
        label: "ResNet-101",
        batch: 32,
        source: TORCHVISION,
        build: || convolutional::residual([3, 4, 23, 3]),
    },
    Preset { name: "vgg16", label: "VGG-16", batch: 32, source: TORCHVISION, build: convolutional::vgg16 },
    Preset {
        name: "bert-base",
        label: "BERT-base",
        batch: 12,
        source: TRANSFORMERS,
        build: || bert::bert(12, 768, 12),
    },
    Preset {
        name: "bert-large",
        label: "BERT-large",
        batch: 12,
        source: TRANSFORMERS,
        build: || bert::bert(24, 1024, 16),
    },
];
