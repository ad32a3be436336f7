//! One dense transformer layer: attention and feed-forward, with the collectives around them.

use super::emit::Emitter;
use super::{Call, Module, Place, Program};
use crate::scenario::model::Bias;

impl Program<'_> {
    /// Every call of one dense layer and micro-batch.
    pub(super) fn dense_layer(&self, place: Place, kind: usize, visit: &mut dyn FnMut(Call)) {
        let shapes = &self.shapes;
        self.gather_parameters(kind, &mut *visit);
        let mut emit = Emitter::of_layer(self, place, &mut *visit);
        emit.attention();
        emit.norm(Module::MlpNorm, shapes.split_elements());
        emit.block_input(Module::MlpInputGather);
        emit.feed_forward([Module::MlpUp, Module::Activation, Module::MlpDown], shapes.ffn);
        emit.block_output(Module::MlpOutputReduce);
        emit.residual(Module::MlpResidual, self.saved_layer_output());
        let inputs = self.cast_tokens() * 2.0 * shapes.hidden
            + shapes.tokens * (shapes.heads * shapes.value_dim + shapes.ffn);
        emit.quantize(inputs, shapes.attention_weights() + shapes.feed_forward_weights(shapes.ffn));
        self.gather_parameters_again(kind, visit);
    }
}

impl Emitter<'_, '_> {
    /// Up-projections, activation and down-projection of width `ffn`.
    pub(super) fn feed_forward(&mut self, [up, activation, down]: [Module; 3], ffn: f64) {
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
