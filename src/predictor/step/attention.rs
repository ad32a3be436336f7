//! The attention half of a dense or MoE layer.

use super::emit::Emitter;
use super::implementations as kernels;
use super::{HALF, Module, Pass, Program, Saved};
use crate::cost::{AttentionCore, Work};
use crate::scenario::Scenario;
use crate::scenario::model::{Bias, Mixer, Positions};
use crate::scenario::plan::ContextExchange;
use crate::scenario::stack::Attention;

impl Emitter<'_, '_> {
    /// Norm, projections, attention core and output projection of one micro-batch.
    pub(super) fn attention(&mut self) {
        let program = self.program;
        let shapes = &program.shapes;
        self.join_embeddings();
        self.norm(Module::AttentionNorm, shapes.split_tokens * shapes.mixer_input);
        self.attention_input(Module::AttentionInputGather);
        let rotated = if program.scenario.model.latent.kv_rank > 0 {
            self.latent_projections()
        } else {
            self.direct_projections()
        };
        let crosses = program.kind.mixer == Mixer::Crossed;
        if program.scenario.model.positions == Positions::Rotary && !crosses {
            self.rotary(Module::RotaryEmbedding, shapes.tokens * rotated);
        }
        self.repeated_keys_values();
        self.compressors();
        self.indexer();
        self.exchange_before_core();
        self.core();
        self.exchange_behind_core();
        if program.output_gate() > 0.0 {
            // Output and gate read, their product written.
            let output = HALF * shapes.tokens * program.output_gate();
            self.stream(Module::AttentionGate, 3.0 * output, Saved { stays: 2.0 * output, ..Saved::NOTHING });
        }
        self.output_projection();
        if program.scenario.model.bias == Bias::All {
            self.bias(shapes.tokens * shapes.hidden);
        }
        self.block_output(Module::AttentionOutputReduce);
        // A block that reads the embeddings has no residual sum inside.
        if !program.reads_embeddings() {
            self.residual(Module::AttentionResidual, program.saved_attention_residual());
        }
    }

    /// Projections of a layer's input, or of the encoder's outputs, to queries, keys and values. Returns the elements of a
    /// token that are rotated.
    fn direct_projections(&mut self) -> f64 {
        let program = self.program;
        let shapes = &program.shapes;
        let queries = shapes.heads * shapes.head_dim;
        let gate = program.output_gate();
        let rank = f64::from(program.scenario.model.query_latent());
        let read = if rank > 0.0 { 0.0 } else { queries };
        if rank > 0.0 {
            self.linear(Module::QueryDown, shapes.tokens, rank, shapes.mixer_input);
            self.linear(Module::QueryUp, shapes.tokens, queries, rank);
            let latents = HALF * shapes.tokens * rank;
            let saves = Saved { stays: latents, for_weights: latents, ..Saved::NOTHING };
            self.stream(Module::LatentNorm, 2.0 * latents, saves);
        }
        let sizes = [shapes.tokens, read + shapes.projected + gate, shapes.mixer_input];
        self.saving_linear(Module::QkvProjection, sizes, program.saved_queries_keys_values());
        self.attention_adapters();
        let crossed = shapes.key_tokens * shapes.crossed;
        if shapes.crossed > 0.0 {
            self.linear(Module::CrossKeysValues, shapes.key_tokens, shapes.crossed, shapes.hidden);
        }
        if program.scenario.model.bias != Bias::None {
            self.bias(shapes.tokens * (queries + shapes.projected) + crossed);
        }
        if program.scenario.model.query_key_norm {
            self.inner_norm(Module::QueryNorm, shapes.tokens * queries);
            if shapes.projected > 0.0 {
                self.inner_norm(Module::KeyNorm, shapes.tokens * 0.5 * shapes.projected);
            }
        }
        queries + 0.5 * shapes.projected
    }

    /// The output projection, through a latent for every group of heads if the model has one.
    fn output_projection(&mut self) {
        let program = self.program;
        let (shapes, latent) = (&program.shapes, &program.scenario.model.output_latent);
        let (tokens, context) = (shapes.tokens, shapes.heads * shapes.value_dim);
        if latent.rank == 0 {
            let inside = program.reads_embeddings();
            let saves = if inside { program.saved_attention_residual() } else { Saved::NOTHING };
            self.saving_linear(Module::AttentionOutput, [tokens, shapes.hidden, context], saves);
            return;
        }
        let ranks = f64::from(program.scenario.plan.tensor_parallel.max(1));
        let (rank, groups) = (f64::from(latent.rank), (f64::from(latent.groups) / ranks).max(1.0));
        let latents = HALF * tokens * rank * groups;
        let saves = Saved { stays: latents, for_weights: latents, ..Saved::NOTHING };
        self.grouped_linear(Module::OutputDown, groups, [tokens, rank, context / groups], saves);
        self.linear(Module::AttentionOutput, tokens, shapes.hidden, rank * groups);
    }

    /// Multi-head latent attention: down to the latents on every rank, up to the local heads (DeepSeek-V2,
    /// arXiv 2405.04434, equations 9 to 19). Returns the elements of a token that are rotated.
    fn latent_projections(&mut self) -> f64 {
        let program = self.program;
        let (shapes, latent) = (&program.shapes, &program.scenario.model.latent);
        let (tokens, hidden) = (shapes.tokens, shapes.mixer_input);
        let (query_rank, kv_rank) = (f64::from(latent.query_rank), f64::from(latent.kv_rank));
        let rotary = f64::from(latent.rotary_dim);
        let queries = shapes.heads * shapes.head_dim;
        if latent.query_rank > 0 {
            self.linear(Module::QueryDown, tokens, query_rank, hidden);
            self.linear(Module::QueryUp, tokens, queries, query_rank);
        } else {
            self.linear(Module::QueryProjection, tokens, queries, hidden);
        }
        self.linear(Module::KeyValueDown, tokens, kv_rank + rotary, hidden);
        let up = shapes.heads * (f64::from(latent.plain_dim) + shapes.value_dim);
        self.linear(Module::KeyValueUp, tokens, up, kv_rank);
        // Norms of the latents, and the keys assembled from their two parts.
        self.stream(Module::LatentNorm, 4.0 * tokens * (query_rank + kv_rank), program.saved_latents());
        self.stream(Module::KeyAssembly, 4.0 * tokens * queries, program.saved_queries_keys_values());
        shapes.heads * rotary + rotary
    }

    fn core(&mut self) {
        let (shapes, plan) = (&self.program.shapes, &self.program.scenario.plan);
        // Separate products compute every score regardless of the mask, and so does a kernel that reads a mask.
        let reads_mask = self.program.scenario.attention() == Attention::Masked;
        let every = self.program.formats.unfused_attention || reads_mask;
        let keys = if every { shapes.all_keys } else { shapes.attended };
        // Some heads for all tokens; or all heads for some tokens, early and late ones, so that causal work is balanced
        // (Transformer Engine, PyTorch: `2 * cp_size` chunks, two per rank).
        let swapped = match plan.context_exchange {
            ContextExchange::AllToAll => f64::from(plan.context_parallel.max(1)),
            ContextExchange::Ring | ContextExchange::AllGather => 1.0,
        };
        let core = AttentionCore {
            tokens: shapes.tokens * swapped,
            keys,
            heads: shapes.heads / swapped,
            head_dim: shapes.core_query,
            value_dim: shapes.core_value,
            pairs: shapes.pairs,
            reads_mask,
            gathers: false,
            score_bytes: 0.0,
            backward: false,
        };
        let saves = self.program.saved_core();
        let mixer = self.program.kind.mixer;
        let few = mixer.selects() || mixer.compresses();
        if shapes.gathers {
            self.cores(Module::AttentionCore, self.gathering(core), saves);
        } else if few && self.program.scenario.masks_selections() {
            let masked = AttentionCore { keys: shapes.sequence, reads_mask: true, ..core };
            self.cores(Module::AttentionCore, masked, saves);
        } else if mixer == Mixer::Windowed && self.program.scenario.masks_windows() {
            let masked = AttentionCore { keys: shapes.sequence, reads_mask: true, ..core };
            self.cores(Module::WindowedCore, masked, saves);
        } else {
            self.cores(Module::AttentionCore, core, saves);
        }
    }

    /// An attention core, forward and backward.
    fn cores(&mut self, module: Module, core: AttentionCore, saves: Saved) {
        let [forward, backward] = score_bytes(self.program.scenario);
        let (forward, backward) = (
            AttentionCore { score_bytes: forward, ..core },
            AttentionCore { score_bytes: backward, backward: true, ..core },
        );
        self.saving_kernel(module, Pass::Forward, Work::Attention(forward), saves);
        self.kernel(module, Pass::Backward, Work::Attention(backward));
    }
}

impl Program<'_> {
    /// Elements per token of the attention output gate on one GPU; 0 without one.
    fn output_gate(&self) -> f64 {
        if self.scenario.model.output_gate { self.shapes.heads * self.shapes.value_dim } else { 0.0 }
    }
}

/// Device-memory bytes per attention score in separate kernels, forward and backward.
fn score_bytes(scenario: &Scenario) -> [f64; 2] {
    let row = if scenario.software.takes_triangle() {
        kernels::SCORES_TRIANGLE
    } else if !scenario.software.composes_scores() {
        kernels::SCORES_FUSED
    } else if scenario.model.code.has_dropout() {
        kernels::SCORES_GPT2
    } else {
        kernels::SCORES_LLAMA
    };
    row.at(scenario.training.casts_weights(&scenario.plan)).bytes()
}
