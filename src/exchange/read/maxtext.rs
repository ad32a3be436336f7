//! MaxText's YAML, as `src/maxtext/configs/base.yml` names settings in August 2026.

use super::super::ImportError;
use super::super::draft::Draft;
use super::super::hub;
use super::super::settings::Settings;
use super::{slurm, undivided};
use crate::scenario::model::presets;
use crate::scenario::model::{Activation, Bias, Experts, Latent, Model, Norm, Positions, Window};

/// Axes of the mesh, and the field that each is a degree of.
const AXES: [(&str, Option<&str>); 10] = [
    ("tensor", Some("tp")),
    ("tensor_sequence", Some("tp")),
    ("pipeline", Some("pp")),
    ("context", Some("cp")),
    ("sequence", Some("cp")),
    ("expert", Some("ep")),
    ("fsdp", None),
    ("fsdp_transpose", None),
    ("data", None),
    ("autoregressive", None),
];

/// Degrees of the mesh: within a slice times over slices.
struct Mesh {
    /// All of them together; nothing where one is left to the program.
    devices: Option<i64>,
    fsdp: i64,
    data: i64,
}

/// Reads the settings.
pub(super) fn read(settings: &mut Settings, draft: &mut Draft) -> Result<(), ImportError> {
    model(settings, draft)?;
    let mesh = mesh(settings, draft)?;
    undivided(draft);
    match mesh.devices {
        Some(devices) => draft.put("n", devices),
        None => slurm::gpus(settings, draft)?,
    }
    sharding(draft, &mesh);
    batch(settings, draft)?;
    step(settings, draft)?;
    draft.put("stack", "maxtext");
    Ok(())
}

fn mesh(settings: &mut Settings, draft: &mut Draft) -> Result<Mesh, ImportError> {
    let mut mesh = Mesh { devices: Some(1), fsdp: 1, data: 1 };
    for (axis, key) in AXES {
        let mut degree = 1_i64;
        for (fabric, usual) in
            [("ici", if axis == "fsdp" { -1 } else { 1 }), ("dcn", if axis == "data" { -1 } else { 1 })]
        {
            let number = settings.whole(&[&format!("{fabric}_{axis}_parallelism")])?;
            let size = number.as_ref().map_or(usual, |number| number.value);
            degree = if size > 0 && degree > 0 { degree.saturating_mul(size) } else { -1 };
            if let (Some(key), Some(number)) = (key, number.filter(|_| degree > 1)) {
                draft.set(key, degree, &number.setting);
            }
        }
        match axis {
            "fsdp" => mesh.fsdp = degree,
            "data" => mesh.data = degree,
            _ => {}
        }
        mesh.devices = mesh.devices.filter(|_| degree > 0).map(|all| all.saturating_mul(degree));
    }
    Ok(mesh)
}

fn sharding(draft: &mut Draft, mesh: &Mesh) {
    let level = match (mesh.data, mesh.fsdp) {
        (_, 1) => "0",
        (1, _) => "3",
        (-1, sharded) if sharded < 0 => "3",
        _ => "hsdp",
    };
    if mesh.data < 0 && mesh.fsdp != 1 {
        draft.assume("zero", level, "with automatic slices, each slice holds a replica");
    } else {
        draft.put("zero", level);
    }
    if level == "hsdp" && mesh.fsdp > 0 {
        draft.put("shg", mesh.fsdp);
    }
    draft.put("dpo", 1);
}

fn batch(settings: &mut Settings, draft: &mut Draft) -> Result<(), ImportError> {
    match settings.whole(&["max_target_length"])? {
        Some(number) => draft.number("seq", &number),
        None => draft.assume("seq", 2048, "not set; framework default"),
    }
    let each = settings.text(&["per_device_batch_size"]);
    let rounds = settings.whole(&["gradient_accumulation_steps"])?.map_or(1, |rounds| rounds.value);
    let Some(each) = each else { return Ok(()) };
    let size: f64 = each.value().parse().map_err(|_| each.wrong("this is not a number"))?;
    let replica = ["tp", "cp", "pp"].iter().fold(1, |all: u32, key| all.saturating_mul(draft.degree(key)));
    let passes = match settings.whole(&["num_pipeline_microbatches"])?.filter(|number| number.value > 0) {
        Some(number) => number.value as f64,
        None => f64::from(draft.degree("pp")),
    };
    let micro = size * f64::from(replica) / passes.max(1.0);
    draft.set("mb", micro.round().max(1.0), &each);
    match draft.whole("n") {
        Some(gpus) => draft.set("gb", (size * f64::from(gpus) * rounds as f64).round(), &each),
        None => draft.await_gpus(format!(
            "{} sequences per GPU in {rounds} accumulation steps. The global batch depends on the number of GPUs.",
            each.value()
        )),
    }
    Ok(())
}

/// Precision, recompute, offloading, optimizer.
fn step(settings: &mut Settings, draft: &mut Draft) -> Result<(), ImportError> {
    let quantized = settings.text(&["quantization"]);
    match quantized.as_ref().map(|quantized| quantized.value()) {
        Some(name) if name.contains("fp8") => draft.put("prec", "fp8"),
        Some(_) => {
            if let Some(setting) = &quantized {
                draft.ignore(setting, "This quantization is not supported. The forecast uses BF16.");
            }
            draft.put("prec", "bf16");
        }
        None => draft.put("prec", "bf16"),
    }
    let policy = settings.text(&["remat_policy"]);
    match policy.as_ref().map_or("full", |policy| policy.value()) {
        "full" => draft.put("rc", "full"),
        "none" => draft.put("rc", "none"),
        name => {
            draft.put("rc", "selective");
            draft.note(Some("rc"), format!("selective: closest to {name}, which stores GEMM outputs."));
        }
    }
    experts(settings, draft)?;
    let offload = settings.flag(&["optimizer_memory_host_offload"])?.unwrap_or(false);
    draft.put("oo", u8::from(offload));
    if let Some(kind) = settings.text(&["weight_dtype"]).filter(|kind| kind.value() == "bfloat16") {
        draft.set("wts", 16, &kind);
    }
    match settings.text(&["opt_type"]) {
        Some(rule) if ["sgd", "muon"].contains(&rule.value()) => draft.set("opt", rule.value(), &rule),
        Some(rule) if !rule.value().starts_with("adam") => {
            draft.ignore(&rule, "This optimizer is not supported.")
        }
        _ => draft.put("opt", "adamw"),
    }
    Ok(())
}

/// How experts are computed: products with one-hot masks up to a capacity, where sparse ones are switched off.
fn experts(settings: &mut Settings, draft: &mut Draft) -> Result<(), ImportError> {
    let sparse = settings.flag(&["sparse_matmul"])?;
    let capacity = settings.text(&["capacity_factor"]);
    let Some(capacity) = capacity.filter(|_| sparse == Some(false) && draft.whole("moe") != Some(0)) else {
        return Ok(());
    };
    let factor: f64 = capacity.value().parse().map_err(|_| capacity.wrong("this is not a number"))?;
    if factor <= 0.0 {
        draft.ignore(
            &capacity,
            "Not supported: without a capacity factor, every expert processes every token.",
        );
        return Ok(());
    }
    let (kernels, nearest) = if factor < 1.125 { ("one-hot", 1.0) } else { ("one-hot-1.25", 1.25) };
    draft.set("xk", kernels, &capacity);
    if factor != nearest {
        draft
            .note(Some("xk"), format!("Capacity factor {nearest}, the nearest supported value to {factor}."));
    }
    Ok(())
}

fn model(settings: &mut Settings, draft: &mut Draft) -> Result<(), ImportError> {
    if settings.has("base_num_decoder_layers") && settings.has("base_emb_dim") {
        let model = shape(settings, draft)?;
        draft.model(&model);
        return Ok(());
    }
    let named = settings.text(&["model_name", "model"]).filter(|named| named.value() != "default");
    let Some(named) = named else { return Ok(()) };
    match hub::in_words(named.value().trim_end_matches(".yaml")) {
        Some(model) => draft.model(&model),
        None => draft.ignore(&named, "Unknown model."),
    }
    Ok(())
}

/// A shape whose counts are given.
fn shape(settings: &mut Settings, draft: &mut Draft) -> Result<Model, ImportError> {
    let mut count = |name: &str, usual: u32| -> Result<u32, ImportError> {
        let Some(number) = settings.whole(&[name])? else { return Ok(usual) };
        if number.value < 0 {
            return Ok(usual);
        }
        u32::try_from(number.value).map_err(|_| number.setting.wrong("this is not a count"))
    };
    let layers = count("base_num_decoder_layers", 0)?;
    let hidden = count("base_emb_dim", 0)?;
    let heads = count("base_num_query_heads", 16)?;
    let ffn = count("base_mlp_dim", 7168)?;
    let mut model = Model { layers, hidden, heads, ffn, ..Model::DENSE };
    model.kv_heads = count("base_num_kv_heads", heads)?;
    model.head_dim = count("head_dim", 128)?;
    model.vocabulary = count("vocab_size", 32_000)?;
    model.prediction_layers = count("mtp_num_layers", 0)?;
    let experts = count("num_experts", 1)?;
    if experts > 1 {
        let width = count("base_moe_mlp_dim", ffn)?;
        let (top_k, shared) = (count("num_experts_per_tok", 1)?, count("shared_experts", 0)?);
        let leading_dense = count("first_num_dense_layers", 0)?;
        let every = count("interleave_moe_layer_step", 1)?.max(1);
        model.experts = Experts {
            count: experts,
            top_k,
            ffn: width,
            shared,
            shared_ffn: 0,
            latent: 0,
            leading_dense,
            every,
        };
    }
    let ranks = (count("kv_lora_rank", 512)?, count("q_lora_rank", 0)?);
    let parts = (count("qk_nope_head_dim", 128)?, count("qk_rope_head_dim", 64)?, count("v_head_dim", 128)?);
    kind(settings, draft, &mut model)?;
    if settings.text(&["attention_type"]).is_some_and(|kind| kind.value() == "mla") {
        let (kv_rank, query_rank) = ranks;
        let (plain_dim, rotary_dim, value_dim) = parts;
        model.latent = Latent { kv_rank, query_rank, plain_dim, rotary_dim, value_dim };
        model.head_dim = value_dim;
        model.kv_heads = heads;
    }
    model.code = presets::code_of(&model);
    Ok(model)
}

/// Settings that are not counts: gate, ties, norms, positions.
fn kind(settings: &mut Settings, draft: &mut Draft, model: &mut Model) -> Result<(), ImportError> {
    let activations = settings.text(&["mlp_activations"]);
    model.gated_mlp = activations.as_ref().is_none_or(|names| names.value().contains(','));
    model.tied_embeddings = settings.flag(&["logits_via_embedding"])?.unwrap_or(false);
    model.query_key_norm = settings.flag(&["use_qk_norm"])?.unwrap_or(false);
    let block = settings.text(&["decoder_block"]);
    let of_gpt = block.as_ref().is_some_and(|block| block.value() == "gpt3");
    model.norm = if of_gpt { Norm::Layer } else { Norm::Rms };
    model.positions = if of_gpt { Positions::Learned(2048) } else { Positions::Rotary };
    let inner = settings.flag(&["attention_bias"])?.unwrap_or(false);
    let outer = settings.flag(&["mlp_bias"])?.unwrap_or(false);
    model.bias = match (of_gpt || inner && outer, inner) {
        (true, _) => Bias::All,
        (false, true) => Bias::Qkv,
        (false, false) => Bias::None,
    };
    let first = activations.as_ref().and_then(|names| {
        let first = names.value().split(',').next()?;
        Activation::from_name(
            first.trim_matches(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_'),
        )
    });
    model.activation = first.unwrap_or_else(|| model.activation_of_kind());
    let block = block.as_ref().map_or("", |block| block.value());
    // One layer of this block is two of the model.
    if block == "gemma2" {
        model.layers = model.layers.saturating_mul(2);
    }
    let Some(window) = settings.whole(&["sliding_window_size"])?.filter(|window| window.value > 0) else {
        return Ok(());
    };
    let full_every = match block {
        "gemma2" | "gpt_oss" => 2,
        "gemma3" => 6,
        _ => {
            draft.ignore(
                &window.setting,
                "MaxText's code determines the windowed layers. The forecast assumes full attention in all layers.",
            );
            return Ok(());
        }
    };
    let tokens = u32::try_from(window.value).map_err(|_| window.setting.wrong("this is not a count"))?;
    model.window = Window { tokens, full_every };
    Ok(())
}
