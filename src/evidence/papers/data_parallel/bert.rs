//! BERT with its masked-language-model head, as Hugging Face builds it.

use super::network::{DdpNetwork, Layer, LayerWork, SampleProduct, WeightUpdate};

const VOCABULARY: u64 = 30_522;
const POSITIONS: u64 = 512;
const SEGMENTS: u64 = 2;

/// Tokens of one sample.
const TOKENS: f64 = 384.0;

/// BERT with these layers, hidden size and heads.
pub(super) fn bert(layers: u32, hidden: u32, heads: u32) -> DdpNetwork {
    let (h, width) = (u64::from(hidden), f64::from(hidden));
    let mut list = Vec::new();
    let mut push =
        |name: String, tensors: Vec<u64>, work: LayerWork| list.push(Layer { name, tensors, work });
    let product = |outputs: f64, channels: f64| {
        LayerWork::Product(SampleProduct {
            rows: TOKENS,
            outputs,
            channels,
            kernel_area: 1.0,
            input_rows: TOKENS,
        })
    };
    // Norms read twice and write once, activations and residuals read and write.
    let stream = |elements: f64, forward: f64, backward: f64| LayerWork::Stream {
        forward: forward * elements,
        backward: backward * elements,
    };
    let state = TOKENS * width;
    push("embeddings".to_owned(), vec![VOCABULARY * h, POSITIONS * h, SEGMENTS * h], stream(state, 6.0, 6.0));
    push("embeddings.LayerNorm".to_owned(), vec![h, h], stream(state, 3.0, 5.0));
    for layer in 0..layers {
        let name = |part: &str| format!("encoder.layer.{layer}.{part}");
        for part in ["query", "key", "value"] {
            push(name(&format!("attention.self.{part}")), vec![h * h, h], product(width, width));
        }
        let head_dim = width / f64::from(heads);
        push(
            name("attention.self"),
            Vec::new(),
            LayerWork::Attention { heads: f64::from(heads), tokens: TOKENS, head_dim },
        );
        // Scale, mask, softmax and dropout over the scores.
        push(name("attention.probs"), Vec::new(), stream(TOKENS * TOKENS * f64::from(heads), 8.0, 8.0));
        push(name("attention.output.dense"), vec![h * h, h], product(width, width));
        // Dropout, residual and norm.
        push(name("attention.output.LayerNorm"), vec![h, h], stream(state, 8.0, 9.0));
        push(name("intermediate.dense"), vec![4 * h * h, 4 * h], product(4.0 * width, width));
        push(name("intermediate.gelu"), Vec::new(), stream(4.0 * state, 2.0, 3.0));
        push(name("output.dense"), vec![4 * h * h, h], product(width, 4.0 * width));
        push(name("output.LayerNorm"), vec![h, h], stream(state, 8.0, 9.0));
    }
    push("cls.predictions.transform.dense".to_owned(), vec![h * h, h], product(width, width));
    push("cls.predictions.transform.LayerNorm".to_owned(), vec![h, h], stream(state, 5.0, 8.0));
    // The decoder's weight is the word embedding, whose gradient is complete with the embedding's.
    push("cls.predictions.decoder".to_owned(), vec![VOCABULARY], product(VOCABULARY as f64, width));
    push("loss".to_owned(), Vec::new(), stream(TOKENS * VOCABULARY as f64, 4.0, 2.0));
    DdpNetwork { layers: list, optimizer: WeightUpdate::Adam }
}
