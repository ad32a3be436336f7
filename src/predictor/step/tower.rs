//! An encoder in front of the decoder: its ends, its layers and the projectors of its output.
//!
//! Its layers are those of an encoder of their own, in the decoder's layout without context and expert parallelism: a
//! context-parallel group shares the samples. Full recompute of every n-th layer recomputes all of its layers.

use super::emit::Emitter;
use super::shapes::Shapes;
use super::{Call, HALF, Module, Pass, Place, Program, Saved};
use crate::scenario::plan::{Plan, Recompute};
use crate::scenario::{Adapters, Scenario, Training, WideLayers, Workload};

/// The job of the encoder alone.
fn of_tower(scenario: &Scenario) -> Scenario {
    let recompute = match scenario.plan.recompute {
        Recompute::Every(_) => Recompute::Full,
        recompute => recompute,
    };
    Scenario {
        model: scenario.model.tower.encoder(),
        workload: Workload {
            sequence: scenario.model.tower.tokens,
            // Windows are documents of their own.
            document: scenario.model.tower.attended(),
            padding: 0,
            wide_layers: WideLayers::NONE,
            ..scenario.workload
        },
        training: Training { adapters: Adapters::NONE, ..scenario.training },
        plan: Plan {
            context_parallel: 1,
            expert_parallel: 1,
            expert_tensor_parallel: 1,
            recompute,
            ..scenario.plan
        },
        ..*scenario
    }
}

impl Program<'_> {
    /// Computes `make` from the program of the encoder's layers, which is of one kind of layer.
    pub(crate) fn with_tower<R>(&self, make: impl FnOnce(&Program<'_>) -> R) -> R {
        let scenario = of_tower(self.scenario);
        let program = Program::new(&scenario, self.constants);
        let tokens = self.per_micro_batch(self.scenario.model.tower.tokens_per_sequence());
        make(&Program {
            groups: self.groups,
            forward_only: self.scenario.freezes_tower(),
            shapes: self.with_tokens(program.shapes, tokens),
            ..program
        })
    }

    /// This many of a sequence, in a micro-batch on one GPU.
    fn per_micro_batch(&self, of_sequence: f64) -> f64 {
        let plan = &self.scenario.plan;
        f64::from(plan.micro_batch) * of_sequence / f64::from(plan.context_parallel.max(1))
    }

    /// The same widths with another number of tokens.
    fn with_tokens(&self, shapes: Shapes, tokens: f64) -> Shapes {
        let plan = &self.scenario.plan;
        let ranks = if plan.sequence_parallel { f64::from(plan.tensor_parallel.max(1)) } else { 1.0 };
        Shapes { tokens, key_tokens: tokens, split_tokens: tokens / ranks, ..shapes }
    }

    /// Every call of one layer of the encoder, for one micro-batch.
    pub(super) fn tower_layer(&self, visit: &mut dyn FnMut(Call)) {
        self.with_tower(|tower| tower.calls(Place::layer(0), visit));
    }

    /// The encoder's ends: its embedding, its last norm, and the projectors.
    pub(super) fn tower_ends(&self, visit: &mut dyn FnMut(Call)) {
        let tower = &self.scenario.model.tower;
        if !tower.exists() {
            return;
        }
        let hidden = f64::from(self.scenario.model.hidden);
        let merged = self.per_micro_batch(tower.merged_per_sequence());
        self.with_tower(|encoder| {
            encoder.gather_end(self.first.tower.ends, &mut *visit);
            Emitter::new(encoder, &mut *visit).tower_embedding(f64::from(tower.patch));
            let shapes = Shapes { hidden, mixer_input: hidden, ..self.with_tokens(encoder.shapes, merged) };
            let forward_only = self.scenario.training.adapters.freeze();
            let projectors = Program { shapes, forward_only, ..*encoder };
            projectors.gather_end(self.first.tower.projector, &mut *visit);
            for _ in 0..tower.projectors {
                let mut behind = |call: Call| {
                    if !encoder.forward_only || !goes_back(&call, tower.projector_inner > 0) {
                        visit(call);
                    }
                };
                Emitter::new(&projectors, &mut behind)
                    .projector([tower.projected_width(), tower.projector_inner].map(f64::from));
            }
        });
    }
}

/// Whether a projector's call is of the gradient of its input, which a frozen encoder does not need.
fn goes_back(call: &Call, two: bool) -> bool {
    let first = if two { Module::ProjectorUp } else { Module::ProjectorDown };
    let of_input = call.module == first && call.pass == Pass::InputGradient;
    of_input || call.module == Module::ProjectorInputGather && call.pass == Pass::Backward
}

impl Emitter<'_, '_> {
    /// Tokens of patches or frames, by one matrix whole on every rank of a tensor-parallel group, or of rows of the
    /// decoder's table; their positions added; and the encoder's last norm.
    fn tower_embedding(&mut self, patch: f64) {
        let shapes = &self.program.shapes;
        let (tokens, hidden) = (shapes.split_tokens, shapes.hidden);
        let stream = HALF * tokens * hidden;
        if patch > 0.0 {
            let input = HALF * tokens * patch;
            let saves = Saved { stays: input, for_weights: input, ..Saved::NOTHING };
            self.leaf_linear(Module::PatchEmbedding, [tokens, hidden, patch], saves);
        }
        // Read and written with positions, or as rows.
        self.stream(Module::PatchEmbedding, 2.0 * stream, Saved::NOTHING);
        self.stream(Module::EncoderNorm, 2.0 * stream, Saved { stays: stream, ..Saved::NOTHING });
    }

    /// One or two matrices from the encoder's tokens to the decoder's width, of which a tensor-parallel group splits the
    /// inner width.
    fn projector(&mut self, [input, inner]: [f64; 2]) {
        let shapes = &self.program.shapes;
        let (tokens, hidden) = (shapes.tokens, shapes.hidden);
        let ranks = f64::from(self.program.scenario.plan.tensor_parallel.max(1));
        let kept = |bytes: f64| Saved { stays: bytes, for_weights: bytes, ..Saved::NOTHING };
        let read = kept(HALF * shapes.split_tokens * input);
        self.megatron(Module::ProjectorInputGather, false, input / hidden);
        if inner > 0.0 {
            let inside = HALF * tokens * inner / ranks;
            self.saving_linear(Module::ProjectorUp, [tokens, inner / ranks, input], read.and(kept(inside)));
            self.stream(Module::ProjectorActivation, 2.0 * inside, kept(inside));
            self.linear(Module::ProjectorDown, tokens, hidden, inner / ranks);
        } else {
            self.saving_linear(Module::ProjectorDown, [tokens, hidden, input / ranks], read);
        }
        self.block_output(Module::ProjectorReduce);
    }
}
