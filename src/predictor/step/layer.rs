//! One layer: its mixer and feed-forward part, with their collectives.

use super::emit::Emitter;
use super::{Call, HALF, Module, Pass, Place, Program, Saved};
use crate::scenario::model::{Bias, Cast, FeedForward, Mixer, MixerParts, Model, Reads};
use crate::scenario::stack::ExpertKernels;
use crate::scenario::{Scenario, WeightFormat};
use std::sync::Arc;

/// Calls for which a list has room.
const USUAL_CALLS: usize = 64;

/// The calls of one layer of each kind: all that its place calls, but for sharded parameters and what recompute runs again.
pub(crate) type LayerCalls = Vec<Arc<[Call]>>;

impl Program<'_> {
    /// Every call of one layer of the selected kind, for one micro-batch.
    pub(super) fn layer(&self, place: Place, kind: usize, visit: &mut dyn FnMut(Call)) {
        self.gather_parameters(kind, &mut *visit);
        self.within_layer(&mut |call| {
            visit(call);
            if self.runs_again(place, &call) {
                visit(Call { pass: Pass::Recompute, ..call });
            }
        });
        self.gather_parameters_again(kind, visit);
    }

    /// Whether [`Program::layer_calls`] may depend on how states are sharded: weights in 32 bits are cast where they are whole, and
    /// others where they are gathered in fewer bits; a kernel may add whole gradients up.
    pub(crate) fn layers_depend_on_sharding(&self) -> bool {
        let Scenario { software, training, workload, cluster, .. } = self.scenario;
        training.weights == WeightFormat::Single
            || software.gather_bytes(workload.precision) < HALF
            || cluster.gpu.family.is_amd()
    }

    /// The calls of one layer of each kind, for one micro-batch.
    pub(crate) fn layer_calls(&self) -> LayerCalls {
        (0..self.layers.kinds().len()).map(|kind| self.calls_within(kind)).collect()
    }

    /// The calls of one layer of a kind but those for its sharded parameters, and without what runs again.
    pub(crate) fn calls_within(&self, kind: usize) -> Arc<[Call]> {
        let mut calls = Vec::with_capacity(USUAL_CALLS);
        self.of(kind).within_layer(&mut |call| calls.push(call));
        calls.into()
    }

    /// Same, of the selected kind.
    fn within_layer(&self, visit: &mut dyn FnMut(Call)) {
        let mut emit = Emitter::new(self, visit);
        if self.kind.mixer != Mixer::None {
            emit.residual_streams(self.kind.feed_forward == FeedForward::None);
        }
        match self.kind.mixer.parts() {
            MixerParts::None => {}
            MixerParts::Matrix => emit.matrix(),
            MixerParts::Recurrent => emit.recurrent(),
            MixerParts::Both => {
                emit.attention();
                emit.recurrent_beside();
            }
            MixerParts::Attention => emit.attention(),
        }
        if self.kind.feed_forward != FeedForward::None {
            emit.residual_streams(true);
        }
        match self.kind.feed_forward {
            FeedForward::None => {}
            FeedForward::Dense => emit.dense(),
            FeedForward::Experts => emit.experts(),
        }
        emit.own_embeddings();
        let [inputs, weights] = self.cast_elements();
        emit.quantize(inputs, weights);
    }

    /// Elements that are cast for the layer's products: inputs, each once, and weights, except those of routed experts.
    fn cast_elements(&self) -> [f64; 2] {
        let (model, shapes) = (&self.scenario.model, &self.shapes);
        let fused = self.scenario.software.expert_kernels == ExpertKernels::Fused;
        let routed = if fused { 0.0 } else { self.expert_rows() };
        let (mut inputs, mut weights) = (0.0, 0.0);
        for part in [Model::mixer_weights, Model::feed_forward_weights] {
            let mut read: f64 = 0.0;
            part(model, self.kind, self.scenario.plan.layer_shares(), &mut |of| {
                if of.cast == Cast::Nothing {
                    return;
                }
                match of.reads {
                    Reads::Input => read = of.input,
                    Reads::Inside => inputs += shapes.tokens * of.count * of.input,
                    Reads::Encoder => {}
                    Reads::Routed => inputs += routed * of.input,
                }
                if of.cast == Cast::Both && of.reads != Reads::Routed {
                    weights += of.matrices();
                }
            });
            inputs += self.cast_tokens() * read;
        }
        [inputs, weights]
    }
}

impl Emitter<'_, '_> {
    /// Hyper-connections around a part of a layer: its input is read from all residual streams, its output is written
    /// to all, and the streams are mixed (Xie et al. 2025, arXiv 2512.24880, section 4.3). Before the part the streams
    /// are read twice, for their weights and for their sum. The streams other than the first are kept for the backward
    /// pass.
    fn residual_streams(&mut self, ends_layer: bool) {
        let streams = f64::from(self.program.scenario.model.streams);
        if streams <= 1.0 {
            return;
        }
        let stream = HALF * self.program.shapes.split_elements();
        let bytes = stream * 2.0 * (2.0 * streams + 1.0);
        let others = (streams - 1.0) * stream;
        let saves = if ends_layer {
            Saved { layer_output: others, ..Saved::NOTHING }
        } else {
            Saved { stays: others, ..Saved::NOTHING }
        };
        self.stream(Module::ResidualStreams, bytes, saves);
    }

    /// A dense feed-forward part.
    fn dense(&mut self) {
        let program = self.program;
        let shapes = &program.shapes;
        self.norm(Module::MlpNorm, shapes.split_elements());
        self.block_input(Module::MlpInputGather);
        self.feed_forward([Module::MlpUp, Module::Activation, Module::MlpDown], shapes.ffn);
        self.feed_forward_adapter();
        self.block_output(Module::MlpOutputReduce);
        self.block_projection();
        self.residual(Module::MlpResidual, program.saved_layer_output());
    }

    /// Routed and shared experts. The rank with the most popular experts sets the pace of all.
    fn experts(&mut self) {
        let program = self.program;
        let shapes = &program.shapes;
        self.norm(Module::MlpNorm, shapes.split_elements());
        self.routed();
        if program.scenario.model.experts.shared > 0 {
            self.block_input(Module::SharedInputGather);
            let modules = [Module::SharedUp, Module::SharedActivation, Module::SharedDown];
            self.feed_forward(modules, shapes.shared_ffn);
            self.block_output(Module::SharedOutputReduce);
        }
        self.residual(Module::MlpResidual, program.saved_layer_output());
    }

    /// Up-projections, activation and down-projection of width `ffn`.
    fn feed_forward(&mut self, [up, activation, down]: [Module; 3], ffn: f64) {
        let program = self.program;
        let (shapes, inside) = (&program.shapes, program.shapes.tokens * ffn);
        let sizes = [shapes.tokens, shapes.up_branches * ffn, shapes.hidden];
        self.saving_linear(up, sizes, program.saved_up(inside));
        self.activation(activation, inside, program.saved_activation(inside));
        self.linear(down, shapes.tokens, shapes.hidden, ffn);
        if program.scenario.model.bias == Bias::All {
            self.bias(shapes.tokens * (shapes.up_branches * ffn + shapes.hidden));
        }
    }
}
