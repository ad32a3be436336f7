//! ResNet and VGG on images of 224 x 224, as torchvision builds them.

use super::network::{DdpNetwork, Layer, LayerWork, SampleProduct, WeightUpdate};

const CLASSES: u32 = 1000;
const IMAGE: u32 = 224;

/// Builds a network while it keeps the size of the image that flows through it.
struct Builder {
    layers: Vec<Layer>,
    /// Width and height of the feature map.
    side: u32,
    channels: u32,
}

impl Builder {
    fn new() -> Self {
        Self { layers: Vec::new(), side: IMAGE, channels: 3 }
    }

    fn finish(self) -> DdpNetwork {
        DdpNetwork { layers: self.layers, optimizer: WeightUpdate::Momentum }
    }

    fn push(&mut self, name: String, tensors: Vec<u64>, work: LayerWork) {
        self.layers.push(Layer { name, tensors, work });
    }

    fn elements(&self) -> f64 {
        f64::from(self.side) * f64::from(self.side) * f64::from(self.channels)
    }

    /// A convolution with "same" padding.
    fn convolution(&mut self, name: &str, outputs: u32, kernel: u32, stride: u32, bias: bool) {
        let pixels = |side: u32| f64::from(side) * f64::from(side);
        let inputs = self.channels * kernel * kernel;
        let mut tensors = vec![u64::from(outputs) * u64::from(inputs)];
        if bias {
            tensors.push(u64::from(outputs));
        }
        let side = self.side.div_ceil(stride);
        let input_rows = if self.layers.is_empty() { 0.0 } else { pixels(self.side) };
        let product = SampleProduct {
            rows: pixels(side),
            outputs: f64::from(outputs),
            channels: f64::from(self.channels),
            kernel_area: f64::from(kernel * kernel),
            input_rows,
        };
        (self.side, self.channels) = (side, outputs);
        self.push(name.to_owned(), tensors, LayerWork::Product(product));
    }

    /// Batch norm: statistics and normalisation read the map twice and write it once; backward reads map
    /// and gradient twice and writes the gradient.
    fn norm(&mut self, name: &str) {
        let elements = self.elements();
        let tensors = vec![u64::from(self.channels); 2];
        let work = LayerWork::Stream { forward: 3.0 * elements, backward: 5.0 * elements };
        self.push(name.to_owned(), tensors, work);
    }

    /// An element-wise layer in place: read and write; backward reads output and gradient and writes.
    fn elementwise(&mut self, name: &str) {
        let elements = self.elements();
        let work = LayerWork::Stream { forward: 2.0 * elements, backward: 3.0 * elements };
        self.push(name.to_owned(), Vec::new(), work);
    }

    /// The sum of the two branches of a block; backward passes the gradient on.
    fn sum(&mut self, name: &str) {
        let elements = self.elements();
        let work = LayerWork::Stream { forward: 3.0 * elements, backward: 0.0 };
        self.push(name.to_owned(), Vec::new(), work);
    }

    /// Pooling to a map of another side.
    fn pool(&mut self, name: &str, side: u32) {
        let before = self.elements();
        self.side = side;
        let moved = before + self.elements();
        self.push(name.to_owned(), Vec::new(), LayerWork::Stream { forward: moved, backward: 2.0 * moved });
    }

    /// A fully connected layer over the whole map.
    fn linear(&mut self, name: &str, outputs: u32) {
        let inputs = self.side * self.side * self.channels;
        let product = SampleProduct {
            rows: 1.0,
            outputs: f64::from(outputs),
            channels: f64::from(inputs),
            kernel_area: 1.0,
            input_rows: 1.0,
        };
        let tensors = vec![u64::from(outputs) * u64::from(inputs), u64::from(outputs)];
        (self.side, self.channels) = (1, outputs);
        self.push(name.to_owned(), tensors, LayerWork::Product(product));
    }
}

/// ResNet with bottleneck blocks, and their number in each of its four stages (stride in the 3 x 3 convolution).
pub(super) fn residual(blocks: [u32; 4]) -> DdpNetwork {
    let mut net = Builder::new();
    net.convolution("conv1", 64, 7, 2, false);
    net.norm("bn1");
    net.elementwise("relu");
    net.pool("maxpool", 56);
    for (stage, (count, width)) in blocks.into_iter().zip([64, 128, 256, 512]).enumerate() {
        for block in 0..count {
            let name = |part: &str| format!("layer{}.{block}.{part}", stage + 1);
            let stride = if stage > 0 && block == 0 { 2 } else { 1 };
            let (side, channels) = (net.side, net.channels);
            for (index, (outputs, kernel, stride)) in
                [(width, 1, 1), (width, 3, stride), (4 * width, 1, 1)].into_iter().enumerate()
            {
                net.convolution(&name(&format!("conv{}", index + 1)), outputs, kernel, stride, false);
                net.norm(&name(&format!("bn{}", index + 1)));
                if index < 2 {
                    net.elementwise(&name("relu"));
                }
            }
            if block == 0 {
                (net.side, net.channels) = (side, channels);
                net.convolution(&name("downsample.0"), 4 * width, 1, stride, false);
                net.norm(&name("downsample.1"));
            }
            net.sum(&name("sum"));
            net.elementwise(&name("relu"));
        }
    }
    net.pool("avgpool", 1);
    net.linear("fc", CLASSES);
    net.finish()
}

/// VGG-16 without batch norm.
pub(super) fn vgg16() -> DdpNetwork {
    let mut net = Builder::new();
    let mut index = 0;
    for (count, width) in [(2, 64), (2, 128), (3, 256), (3, 512), (3, 512)] {
        for _ in 0..count {
            net.convolution(&format!("features.{index}"), width, 3, 1, true);
            net.elementwise(&format!("features.{}", index + 1));
            index += 2;
        }
        net.pool(&format!("features.{index}"), net.side / 2);
        index += 1;
    }
    for (index, outputs) in [(0, 4096), (3, 4096), (6, CLASSES)] {
        net.linear(&format!("classifier.{index}"), outputs);
        if index < 6 {
            net.elementwise(&format!("classifier.{}", index + 1));
        }
    }
    net.finish()
}
