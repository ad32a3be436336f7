//! The model.

use super::super::super::megatron::same_order;
use super::super::super::parts;
use super::super::sheet::ExportDraft;
use super::{Entries, Target};
use crate::scenario::model::presets;
use crate::scenario::model::{
    Activation, Bias, Experts, FullHeads, Latent, LayerEmbeddings, LayerPattern, Layers, Mixer, Model, Norm,
    OutputLatent, Positions, Recurrent, SharedBlocks, Sparse, StateRule, Tower, Uncounted, Window,
};

/// Taps of the convolution of Megatron's Mamba-2 (`mamba_mixer.py`, `d_conv`).
const MAMBA_TAPS: u32 = 4;

/// Why a width is left out.
const NO_EFFECT: &str = "not used by any layer";

/// Writes the shape.
pub(super) fn write(sheet: &mut ExportDraft, entries: &mut Entries, target: Target) {
    let model = &sheet.scenario.model;
    entries.value("num-layers", "model", "num_layers", model.layers);
    entries.value("hidden-size", "model", "hidden_size", model.hidden);
    entries.value("num-attention-heads", "model", "num_attention_heads", model.heads);
    entries.value("vocab-size", "model", "vocab_size", model.vocabulary);
    entries.value("seq-length", "model", "seq_length", sheet.scenario.workload.sequence);
    entries.yaml("dataset", "seq_length", sheet.scenario.workload.sequence);
    sheet.say(&["layers", "hidden", "heads", "vocab", "seq", "gated", "tied", "norm", "qkn", "bias", "mtp"]);
    let same_activation = activation(sheet, entries, target);
    let plain = plain(model);
    let same_code = [plain, without_pattern(&plain)].iter().all(|read| {
        let activation = if same_activation { read.activation } else { read.activation_of_kind() };
        model.code == presets::code_of(&Model { activation, ..*read })
    });
    sheet.say_if(same_code, "code", "Megatron has its own model code");
    if !model.tied_embeddings {
        entries.argument("--untie-embeddings-and-output-weights");
    }
    entries.yaml("model", "share_embeddings_and_output_weights", model.tied_embeddings);
    norm_and_bias(model, entries);
    positions(sheet, entries);
    attention(sheet, entries);
    experts(sheet, entries);
    hybrid(sheet, entries);
    sheet.say_if(sheet.scenario.model.causal, "causal", "pretrain_gpt.py trains only decoders");
    if model.prediction_layers > 0 {
        entries.value("mtp-num-layers", "model", "mtp_num_layers", model.prediction_layers);
    }
    let whole = same_activation
        && same_code
        && !sheet.model_is_cut()
        && Model { uncounted: model.uncounted, ..plain } == *model;
    sheet.say_if(whole, "m", "the arguments do not define the full model");
}

/// The model as it is read back: what has no effect, or no words, is not written.
fn plain(model: &Model) -> Model {
    Model {
        experts: match model.experts {
            Experts { count: 0, .. } => Experts::NONE,
            experts @ Experts { shared: 0, .. } => Experts { shared_ffn: 0, ..experts },
            experts => experts,
        },
        latent: if model.latent.kv_rank == 0 { Latent::NONE } else { model.latent },
        window: if model.window.tokens == 0 { Window::NONE } else { model.window },
        sparse: if writes_selection(model) { model.sparse } else { Sparse::NONE },
        value_dim: 0,
        full_heads: FullHeads::ALIKE,
        output_latent: OutputLatent::NONE,
        keys_are_values: false,
        streams: 1,
        shared: SharedBlocks::NONE,
        layer_embeddings: LayerEmbeddings::NONE,
        tower: Tower::NONE,
        uncounted: Uncounted::NONE,
        ..*model
    }
}

/// The model as it is read back where Megatron has no words for its pattern.
fn without_pattern(model: &Model) -> Model {
    Model { pattern: LayerPattern::NONE, recurrent: Recurrent::NONE, sparse: Sparse::NONE, ..*model }
}

/// The gate and the activation: switches of Megatron-LM; of Megatron-Bridge the gate, and the activation of such a model. Whether
/// the activation is the model's.
fn activation(sheet: &mut ExportDraft, entries: &mut Entries, target: Target) -> bool {
    let model = &sheet.scenario.model;
    let switch = match (model.gated_mlp, model.activation) {
        (true, Activation::ClampedSilu) => Some("--quick-geglu --activation-func-clamp-value 7.0"),
        (true, Activation::Silu) => Some("--swiglu"),
        (true, _) => None,
        (false, Activation::Relu2) => Some("--squared-relu"),
        (false, _) => None,
    };
    match switch {
        Some(switch) => entries.argument(switch),
        None if model.gated_mlp => entries.argument("--swiglu"),
        None => {}
    }
    entries.yaml("model", "gated_linear_unit", model.gated_mlp);
    let kinds = [*model, without_pattern(model)];
    let usual = kinds.iter().all(|read| model.activation == read.activation_of_kind());
    let said = usual || target == Target::Script && switch.is_some();
    sheet.say_if(said, "act", "the exported settings select a different activation function");
    said
}

fn norm_and_bias(model: &Model, entries: &mut Entries) {
    let norm = match model.norm {
        Norm::Rms => "RMSNorm",
        Norm::Layer => "LayerNorm",
    };
    entries.value("normalization", "model", "normalization", norm);
    if model.bias != Bias::All {
        entries.argument("--disable-bias-linear");
    }
    entries.yaml("model", "add_bias_linear", model.bias == Bias::All);
    entries.switch(model.bias == Bias::Qkv, "add-qkv-bias", "model", "add_qkv_bias");
    entries.switch(model.query_key_norm, "qk-layernorm", "model", "qk_layernorm");
}

fn positions(sheet: &mut ExportDraft, entries: &mut Entries) {
    let sequence = sheet.scenario.workload.sequence;
    let rows = match sheet.scenario.model.positions {
        Positions::Learned(rows) => {
            entries.value("position-embedding-type", "model", "position_embedding_type", "learned_absolute");
            sheet.say(&["pos", "ctx"]);
            rows
        }
        Positions::Rotary => {
            entries.value("position-embedding-type", "model", "position_embedding_type", "rope");
            sheet.say(&["pos"]);
            sequence
        }
        Positions::Alibi => {
            entries.value("position-embedding-type", "model", "position_embedding_type", "rope");
            sheet.leave_out("pos", "Megatron does not support ALiBi; the file uses RoPE");
            sequence
        }
    };
    entries.argument(format!("--max-position-embeddings {rows}"));
    entries.yaml("model", "max_position_embeddings", rows);
}

fn attention(sheet: &mut ExportDraft, entries: &mut Entries) {
    let model = &sheet.scenario.model;
    let latent = &model.latent;
    if latent.kv_rank > 0 {
        entries.switch(true, "multi-latent-attention", "model", "multi_latent_attention");
        entries.value("kv-lora-rank", "model", "kv_lora_rank", latent.kv_rank);
        if latent.query_rank > 0 {
            entries.value("q-lora-rank", "model", "q_lora_rank", latent.query_rank);
        }
        entries.value("qk-head-dim", "model", "qk_head_dim", latent.plain_dim);
        entries.value("qk-pos-emb-head-dim", "model", "qk_pos_emb_head_dim", latent.rotary_dim);
        entries.value("v-head-dim", "model", "v_head_dim", latent.value_dim);
        sheet.say_if(model.kv_heads == model.heads, "kv", "MLA does not use key/value heads");
        sheet.say_if(model.head_dim == latent.value_dim, "dh", "MLA has separate head dimensions");
    } else {
        if model.kv_heads != model.heads {
            entries.argument("--group-query-attention");
        }
        entries.value("num-query-groups", "model", "num_query_groups", model.kv_heads);
        entries.value("kv-channels", "model", "kv_channels", model.head_dim);
        sheet.say(&["kv", "dh"]);
    }
    sheet.say(&["kvrank", "nope", "rope", "vdim"]);
    sheet.say_if(model.output_latent == OutputLatent::NONE, "qrank", "no argument sets the output LoRA rank");
    let window = model.window;
    if window.tokens > 0 && window.full_every != 1 {
        entries.argument(format!("--window-size \"({},0)\"", window.tokens - 1));
        entries.yaml("model", "window_size", format!("[{}, 0]", window.tokens - 1));
        if window.full_every > 1 {
            entries.value("window-attn-skip-freq", "model", "window_attn_skip_freq", window.full_every);
        }
        sheet.say(&["window", "wfull"]);
    } else {
        sheet.say_if(window.tokens == 0, "window", "all layers have full attention");
    }
}

fn experts(sheet: &mut ExportDraft, entries: &mut Entries) {
    let model = &sheet.scenario.model;
    let experts = &model.experts;
    if experts.count < 2 {
        entries.value("ffn-hidden-size", "model", "ffn_hidden_size", model.ffn);
        sheet.say_if(experts.count == 0, "moe", "Megatron treats one expert as a dense model");
        sheet.say(&["ffn"]);
        return;
    }
    let dense = experts.leading_dense > 0 || experts.every > 1;
    entries.value("ffn-hidden-size", "model", "ffn_hidden_size", model.ffn);
    sheet.say_if(dense || model.ffn == experts.ffn, "ffn", NO_EFFECT);
    entries.value("num-experts", "model", "num_moe_experts", experts.count);
    entries.value("moe-router-topk", "model", "moe_router_topk", experts.top_k);
    entries.value("moe-ffn-hidden-size", "model", "moe_ffn_hidden_size", experts.ffn);
    sheet.say(&["moe", "topk", "effn"]);
    let width = experts.shared_width();
    if experts.shared > 0 {
        let name = "moe_shared_expert_intermediate_size";
        entries.value("moe-shared-expert-intermediate-size", "model", name, width);
    }
    let read =
        if width.is_multiple_of(experts.ffn.max(1)) { (width / experts.ffn.max(1), 0) } else { (1, width) };
    let same = experts.shared == 0 || read == (experts.shared, experts.shared_ffn);
    let why = "replaced by an equivalent total size";
    sheet.say_if(same, "shared", why);
    sheet.say_if(same, "sffn", why);
    if experts.latent > 0 {
        entries.value("moe-latent-size", "model", "moe_latent_size", experts.latent);
    }
    sheet.say_if(experts.latent < model.hidden, "elat", "not smaller than the hidden size");
    let layers = Layers::new(model);
    let has_experts = |layer| layers.kind(layers.kind_of(layer)).has_experts();
    let holds: Vec<&str> =
        (0..model.layers.min(4096)).map(|layer| if has_experts(layer) { "1" } else { "0" }).collect();
    if dense {
        entries.argument(format!("--moe-layer-freq \"({})\"", runs(&holds)));
        entries.yaml("model", "moe_layer_freq", format!("[{}]", holds.join(", ")));
    }
    let same = !dense || same_order(&holds.join(","), experts.leading_dense, experts.every);
    let why = "replaced by an equivalent list of layers";
    sheet.say_if(same, "lead", why);
    sheet.say_if(same, "every", why);
}

/// The mixers of layers that do not all attend.
fn hybrid(sheet: &mut ExportDraft, entries: &mut Entries) {
    let model = &sheet.scenario.model;
    let (pattern, of) = (&model.pattern, &model.recurrent);
    entries.switch(model.output_gate, "attention-output-gate", "model", "attention_output_gate");
    sheet.say(&["ogate"]);
    let letters: String =
        (0..model.layers).filter_map(|layer| pattern.of(layer)).map(|of| of.letter).collect();
    let comes_back = parts::pattern(&letters).is_ok_and(|read| read == *pattern);
    let alone = parts::letters(&letters).is_some() && [StateRule::None, StateRule::Mamba2].contains(&of.rule);
    let whole = of.rule == StateRule::GatedDelta && letters.chars().all(|letter| "ra".contains(letter));
    if pattern.is_empty() {
        sheet.say(&["lay", "mix"]);
        return;
    }
    if writes_selection(model) {
        selection(sheet, entries);
        return;
    }
    if !comes_back || !(alone || whole) {
        for key in ["lay", "mix", "mixh", "mixk", "mixs", "mixd", "conv"] {
            sheet.leave_out(
                key,
                "Megatron does not support these layers, or writes them in an equivalent form",
            );
        }
        return;
    }
    sheet.say(&["lay", "mix", "mixh", "mixk", "mixs", "mixd"]);
    if whole {
        let kinds: Vec<&str> = letters.chars().map(|letter| if letter == 'r' { "1" } else { "0" }).collect();
        let variant = "experimental_attention_variant";
        entries.value("experimental-attention-variant", "model", variant, "gated_delta_net");
        entries.argument(format!("--linear-attention-freq \"({})\"", runs(&kinds)));
        entries.yaml("model", "linear_attention_freq", format!("[{}]", kinds.join(", ")));
        entries.value("linear-num-value-heads", "model", "linear_num_value_heads", of.heads);
        entries.value("linear-num-key-heads", "model", "linear_num_key_heads", of.key_heads);
        entries.value("linear-key-head-dim", "model", "linear_key_head_dim", of.key_dim);
        entries.value("linear-value-head-dim", "model", "linear_value_head_dim", of.value_dim);
        entries.value("linear-conv-kernel-dim", "model", "linear_conv_kernel_dim", of.convolution);
        sheet.say(&["conv"]);
        return;
    }
    entries.argument("--is-hybrid-model");
    entries.argument(format!("--hybrid-override-pattern \"{letters}\""));
    entries.yaml("model", "hybrid_override_pattern", format!("\"{letters}\""));
    if of.rule == StateRule::Mamba2 {
        entries.value("mamba-num-heads", "model", "mamba_num_heads", of.heads);
        entries.value("mamba-num-groups", "model", "mamba_num_groups", of.key_heads);
        entries.value("mamba-state-dim", "model", "mamba_state_dim", of.key_dim);
        entries.value("mamba-head-dim", "model", "mamba_head_dim", of.value_dim);
    }
    sheet.say_if(
        of.convolution == MAMBA_TAPS,
        "conv",
        "Mamba in Megatron has a convolution kernel size of 4",
    );
}

/// Whether every layer has DeepSeek Sparse Attention, which Megatron has on latents alone.
fn writes_selection(model: &Model) -> bool {
    let every = !model.pattern.any(|letter| letter.mixer != Mixer::Selected);
    every
        && model.pattern.len() == 1
        && model.sparse.selected > 0
        && model.latent.kv_rank > 0
        && model.sparse.stride == 1
}

/// DeepSeek Sparse Attention in every layer.
fn selection(sheet: &mut ExportDraft, entries: &mut Entries) {
    let of = &sheet.scenario.model.sparse;
    entries.value("experimental-attention-variant", "model", "experimental_attention_variant", "dsa");
    entries.value("dsa-indexer-n-heads", "model", "dsa_indexer_n_heads", of.index_heads);
    entries.value("dsa-indexer-head-dim", "model", "dsa_indexer_head_dim", of.index_dim);
    entries.value("dsa-indexer-topk", "model", "dsa_indexer_topk", of.selected);
    sheet.say(&["lay", "mix", "sel", "idxh", "idxd", "selt"]);
}

/// Kinds of layers as a sum of equal runs, `[0]*3+[1]*58`.
fn runs(holds: &[&str]) -> String {
    let runs = holds.chunk_by(|one, next| one == next);
    let runs = runs.map(|run| format!("[{}]*{}", run.first().unwrap_or(&"0"), run.len()));
    runs.collect::<Vec<_>>().join("+")
}
