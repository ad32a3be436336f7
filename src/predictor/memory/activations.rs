//! What one transformer layer keeps for its backward pass, per micro-batch, on one GPU: the sum of what the program's
//! calls save, and what else is alive during a layer's backward pass.

use crate::cost::Work;
use crate::scenario::model::{LayerPartWeights, Mixer, Model, OfKinds, Reads, WeightSplit};
use crate::scenario::plan::ContextExchange;
use crate::step::{Call, HALF, LayerCalls, Pass, Place, Program, SINGLE};

/// Activations of one micro-batch on one GPU, place by place.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Activations {
    /// Per kind of layer: layers that recompute runs again, if any, and layers that it skips.
    pub(super) layers: OfKinds<[LayerActivations; 2]>,
    /// Number of kinds.
    pub(super) kinds: usize,
    /// Kept for the embedding, bytes.
    pub(super) embedding: f64,
    /// Of a layer of the encoder in front of the decoder, and how many there are.
    pub(super) tower: (LayerActivations, f64),
    /// Weights of linear layers, of which a placeholder of each shape is kept.
    pub(super) weights: WeightShapes,
}

impl Activations {
    pub(crate) fn new(program: &Program<'_>, calls: &LayerCalls) -> Self {
        let mut layers = OfKinds::<[LayerActivations; 2]>::default();
        let (mut embedding, mut tower) = (0.0, LayerActivations::default());
        for place in program.places() {
            match place {
                Place::Layer { kind, passed_over } => {
                    let slot = layers.get_mut(kind).and_then(|kind| kind.get_mut(usize::from(passed_over)));
                    if let (Some(slot), Some(calls)) = (slot, calls.get(kind)) {
                        *slot = LayerActivations::new(program, place, calls);
                    }
                }
                Place::Embedding => program.calls(place, &mut |call| embedding += call.saves.total()),
                Place::Tower => {
                    tower = program.with_tower(|tower| {
                        LayerActivations::new(tower, Place::layer(0), &tower.calls_within(0))
                    });
                }
                _ => {}
            }
        }
        let tower = (tower, f64::from(program.scenario.model.tower.layers));
        let kinds = program.layers.kinds().len();
        Self { layers, kinds, embedding, tower, weights: WeightShapes::new(program, calls) }
    }
}

/// Elements of each weight shape of the linear layers on one GPU, and which kinds of layer have it, as a bit set.
/// Gradient placeholders are cached by shape, so all experts of a GPU share theirs (Transformer Engine,
/// `get_dummy_wgrad`).
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct WeightShapes {
    of: [(f64, u32); MOST_WEIGHTS],
    /// How many there are.
    len: usize,
}

impl WeightShapes {
    fn new(program: &Program<'_>, calls: &LayerCalls) -> Self {
        let mut weights = Self::default();
        if !program.profile.placeholder_gradients {
            return weights;
        }
        let mut shapes = [[0.0; 2]; MOST_WEIGHTS];
        let of_kinds = calls.iter().enumerate();
        for (kind, call) in of_kinds.flat_map(|(kind, calls)| calls.iter().map(move |call| (kind, call))) {
            if let (Pass::WeightGradient, Work::Gemm(gemm)) = (call.pass, call.work) {
                let shape = [gemm.m, gemm.n];
                let mut known = shapes.iter_mut().zip(&mut weights.of);
                if let Some((of, (elements, kinds))) = known.find(|(of, _)| **of == shape || **of == [0.0; 2])
                {
                    weights.len += usize::from(*of != shape);
                    *of = shape;
                    *elements = shape[0] * shape[1];
                    *kinds |= 1 << kind;
                }
            }
        }
        weights
    }

    /// Elements of the weights in any of these kinds of layer, a bit set, each shape counted once.
    pub(super) fn elements(&self, kinds: u32) -> f64 {
        let all = self.of.iter().take(self.len);
        all.filter(|weights| weights.1 & kinds != 0).map(|weights| weights.0).sum()
    }
}

/// Largest number of distinct weight shapes: five of the attention, the router, up and down projections of the dense
/// layer, of the shared and of the routed experts, and as many adapters. Further shapes are not counted.
const MOST_WEIGHTS: usize = 24;

/// Activations of one layer and one micro-batch on one GPU, bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct LayerActivations {
    /// Kept from forward to backward under the scenario's recompute mode.
    pub(crate) kept: f64,
    /// Kept or recomputed from the input gradient until a deferred weight gradient: the linear layers' inputs and the
    /// gradients of their outputs.
    pub(super) for_weights: f64,
    /// Recomputed for the backward pass of one layer, then freed.
    pub(super) recomputed: f64,
    /// Gradients and gathered tensors alive while one layer runs backward.
    pub(super) transient: f64,
}

impl LayerActivations {
    /// Activations of a dense or MoE layer: what its forward calls save.
    pub(crate) fn new(program: &Program<'_>, place: Place, calls: &[Call]) -> Self {
        let (mut all, mut kept, mut for_weights) = (0.0, 0.0, 0.0);
        let Place::Layer { kind, .. } = place else { return Self::default() };
        let program = &program.of(kind);
        for call in calls.iter().filter(|call| call.pass == Pass::Forward) {
            all += call.saves.total();
            kept += program.keeps(place, call);
            for_weights += call.saves.for_weights;
        }
        let transient = if program.forward_only { 0.0 } else { backward(program) };
        Self { kept, for_weights, recomputed: all - kept, transient }
    }
}

/// Alive during a layer's backward pass: the residual stream's gradient, the tensor that sequence parallelism gathers,
/// and the larger of the gradients of the MLP (up projection's output) and of the attention (context, queries, keys and
/// values, with flash attention's 32-bit query gradient, and what a context-parallel group gathers or exchanges).
fn backward(program: &Program<'_>) -> f64 {
    let (shapes, plan) = (&program.shapes, &program.scenario.plan);
    let gathered = plan.sequence_parallel && plan.tensor_parallel > 1;
    let gather = if gathered { shapes.residual_bytes() } else { 0.0 };
    let queries = shapes.tokens * shapes.heads * shapes.core_query;
    let core = if program.formats.unfused_attention {
        shapes.tokens * shapes.heads * shapes.all_keys * HALF
    } else {
        queries * SINGLE
    };
    let exchanged = match plan.context_exchange {
        _ if plan.context_parallel <= 1 => 0.0,
        ContextExchange::Ring => 0.0,
        // Keys and values of all tokens, and their gradients until they are scattered.
        ContextExchange::AllGather => {
            let width = shapes.key_values + shapes.index_keys;
            2.0 * HALF * shapes.tokens * width * f64::from(plan.context_parallel)
        }
        // Received gradients of queries, keys and values, in addition to those sent.
        ContextExchange::AllToAll => {
            let copies = (shapes.key_value_copies - 1.0) * shapes.tokens * shapes.key_values;
            (shapes.queries_keys_values() + copies) * HALF
        }
    };
    let attention = queries * HALF + shapes.queries_keys_values() * HALF + core + exchanged;
    // Gradients of the projections, of the convolution's output and of the scan's output (32 bits).
    let of = &shapes.recurrent;
    let recurrent = shapes.tokens * ((of.projected + of.channels) * HALF + of.values * SINGLE);
    let mixer = match (program.kind.attends(), program.kind.mixer.recurs()) {
        // One after the other.
        (true, true) => attention.max(recurrent),
        (true, false) => attention,
        (false, true) => recurrent,
        (false, false) if program.kind.mixer == Mixer::None => 0.0,
        // And that of its output.
        (false, false) => shapes.residual_bytes().max(of_input(program, Model::mixer_weights)),
    };
    shapes.split_elements() * HALF + gather + mixer.max(of_input(program, Model::feed_forward_weights))
}

/// Gradients of what the linear layers of a part of the layer make of its input, bytes.
fn of_input(program: &Program<'_>, part: LayerPartWeights) -> f64 {
    let scenario = program.scenario;
    let mut elements = 0.0;
    part(&scenario.model, program.kind, scenario.plan.layer_shares(), &mut |weights| {
        elements += match (weights.split, weights.reads) {
            (WeightSplit::Columns, Reads::Input) => program.shapes.tokens * weights.output,
            (WeightSplit::Columns, Reads::Routed) => program.received_tokens() * weights.output,
            _ => 0.0,
        }
    });
    elements * HALF
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::constants::Constants;
    use crate::document::Document;
    use crate::scenario::model::{Activation, Bias, ModelCode, Norm, Positions};
    use crate::scenario::plan::Recompute;
    use crate::scenario::stack::Stack;
    use crate::scenario::{Precision, Scenario};

    /// GPT-3 175B as Korthikanti et al. train it: 2048 tokens, tensor-parallel over 8 GPUs.
    fn gpt3(tensor_parallel: u32, sequence_parallel: bool, recompute: Recompute) -> Scenario {
        let mut scenario = Document::default().scenario().expect("the default document is valid");
        scenario.model = Model {
            layers: 96,
            hidden: 12_288,
            ffn: 4 * 12_288,
            heads: 96,
            kv_heads: 96,
            head_dim: 128,
            vocabulary: 51_200,
            gated_mlp: false,
            tied_embeddings: true,
            bias: Bias::All,
            norm: Norm::Layer,
            positions: Positions::Learned(2048),
            activation: Activation::GeluNew,
            code: ModelCode::Gpt2,
            ..Model::DENSE
        };
        scenario.workload.sequence = 2048;
        scenario.workload.precision = Precision::Fp16;
        scenario.software.stack = Stack::MegatronLm;
        scenario.software.year = 2022;
        scenario.plan.micro_batch = 2;
        scenario.plan.context_parallel = 1;
        scenario.plan.tensor_parallel = tensor_parallel;
        scenario.plan.sequence_parallel = sequence_parallel;
        scenario.plan.recompute = recompute;
        scenario
    }

    fn of(scenario: &Scenario) -> LayerActivations {
        let program = Program::new(scenario, &Constants::SHIPPED);
        LayerActivations::new(&program, Place::layer(0), &program.calls_within(0))
    }

    /// Korthikanti et al. 2022, equation 1 and table 2, bytes per layer.
    #[test]
    fn published_formulas_come_out_exactly() {
        let (s, b, h, a, t) = (2048.0, 2.0, 12_288.0, 96.0, 8.0);
        let sbh = s * b * h;
        let scores = 5.0 * a * s / h;
        let published = [
            (1, false, Recompute::None, sbh * (34.0 + scores)),
            (8, false, Recompute::None, sbh * (10.0 + 24.0 / t + scores / t)),
            (8, true, Recompute::None, sbh / t * (34.0 + scores)),
            (8, false, Recompute::Selective, sbh * (10.0 + 24.0 / t)),
            (8, true, Recompute::Selective, sbh / t * 34.0),
            (8, false, Recompute::Full, 2.0 * sbh),
            (8, true, Recompute::Full, 2.0 * sbh / t),
        ];
        for (tensor_parallel, sequence_parallel, recompute, bytes) in published {
            let layer = of(&gpt3(tensor_parallel, sequence_parallel, recompute));
            assert_eq!(layer.kept, bytes, "t {tensor_parallel} sp {sequence_parallel} {recompute:?}");
            let all = of(&gpt3(tensor_parallel, sequence_parallel, Recompute::None));
            assert_eq!(layer.kept + layer.recomputed, all.kept);
        }
    }

    /// Qi et al. 2024 (arXiv 2401.10241), table 1: weight gradients need 32 sbh, whatever is recomputed before.
    #[test]
    fn what_weight_gradients_need_is_published() {
        let sbh = 2048.0 * 2.0 * 12_288.0;
        for recompute in [Recompute::None, Recompute::Selective, Recompute::Full] {
            assert_eq!(of(&gpt3(1, false, recompute)).for_weights, 32.0 * sbh);
            assert_eq!(of(&gpt3(8, true, recompute)).for_weights, 32.0 * sbh / 8.0);
        }
    }

    /// Llama-like layers on a fused stack, counted by hand: nothing grows with the square of the sequence.
    #[test]
    fn modern_layers_keep_what_they_need() {
        let mut scenario = gpt3(1, false, Recompute::None);
        scenario.software.stack = Stack::Fused;
        scenario.workload.precision = Precision::Bf16;
        scenario.model.gated_mlp = true;
        scenario.model.kv_heads = 8;
        let tokens = 2.0 * 2048.0;
        let (h, kv, f) = (12_288.0, 8.0 * 128.0, 49_152.0);
        // Two norm inputs, two norm outputs; queries, keys, values, context, statistics; gate, up, product.
        let expected = tokens * (8.0 * h + 2.0 * (h + 2.0 * kv) + 2.0 * h + 4.0 * 96.0 + 6.0 * f);
        assert_eq!(of(&scenario).kept, expected);
        scenario.plan.recompute = Recompute::Selective;
        assert_eq!(of(&scenario).kept, expected - tokens * (4.0 * h + 2.0 * f));
        scenario.plan.recompute = Recompute::None;
        scenario.plan.context_parallel = 4;
        assert_eq!(of(&scenario).kept, expected / 4.0);
        scenario.plan.context_parallel = 1;
        // FP8 halves the inputs of the linear layers, and adds the projection's own copy of the context.
        scenario.workload.precision = Precision::Fp8;
        assert_eq!(of(&scenario).kept, expected - tokens * (2.0 * h + f) + tokens * h);
    }
}
