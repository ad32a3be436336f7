//! Published models, machines and scenarios against what is published about them.

use stepcast::document::Document;
use stepcast::document::examples::EXAMPLES;
use stepcast::names::gpu_named;
use stepcast::scenario::cluster::presets::{CLUSTERS, GPUS, find as find_cluster, find_gpu};
use stepcast::scenario::model::presets::{MODELS, find};
use stepcast::scenario::model::{LayerKind, LayerShares, Model, Positions, Reads, padded_vocabulary};
use stepcast::scenario::plan::Plan;
use stepcast::scenario::plan::stages::stage_parameters;

fn model(name: &str) -> Model {
    find(name).unwrap_or_else(|| panic!("no model {name}")).model
}

/// Totals of the published checkpoints, to the last parameter.
#[test]
fn checkpoints_have_exactly_the_published_parameters() {
    for (name, published) in [
        ("gpt2-1.5b", 1_557_611_200_u64),
        ("gpt-neox-20b", 20_554_567_680),
        ("llama2-7b", 6_738_415_616),
        ("llama2-13b", 13_015_864_320),
        ("llama2-70b", 68_976_648_192),
        ("llemma-7b", 6_738_546_688),
        ("llama3-8b", 8_030_261_248),
        ("llama3-70b", 70_553_706_496),
        ("llama3-405b", 405_853_388_800),
        ("mistral-7b", 7_241_732_096),
        ("qwen2.5-7b", 7_615_616_512),
        ("qwen2.5-32b", 32_763_876_352),
        ("qwen2.5-72b", 72_706_203_648),
        ("mixtral-8x7b", 46_702_792_704),
        ("mixtral-8x22b", 140_630_071_296),
        ("phi4-14b", 14_659_507_200),
    ] {
        assert_eq!(model(name).parameters(), published, "{name}");
    }
}

/// Totals published in billions, rounded: GPT-3 (table 2.1), Megatron (SC'21, table 1), Nemotron-4
/// (table 1 of both reports).
#[test]
fn other_models_have_the_published_billions() {
    for (name, billions, tolerance) in [
        ("gpt3-175b", 174.6, 0.05),
        ("megatron-22b", 22.1, 0.1),
        ("megatron-175b", 174.6, 0.05),
        ("megatron-530b", 529.6, 0.05),
        ("megatron-1t", 1008.0, 0.05),
        ("nemotron4-15b", 15.6, 0.05),
        ("nemotron4-340b", 341.0, 0.1),
        ("apnet24-gpt-1.5b", 1.56, 0.01),
        ("apnet24-gpt-3b", 2.7, 0.01),
    ] {
        let counted = model(name).parameters() as f64 / 1e9;
        assert!((counted - billions).abs() <= tolerance, "{name}: {counted}");
    }
    let nemotron = model("nemotron4-340b");
    let embeddings = 2.0 * f64::from(nemotron.vocabulary) * f64::from(nemotron.hidden) / 1e9;
    assert!((embeddings - 9.4).abs() < 0.05, "embeddings of Nemotron-4 340B: {embeddings}");
}

/// Totals and active parameters of mixtures of experts, in billions as their makers state them.
#[test]
fn mixtures_have_the_published_billions() {
    for (name, total, active, tolerance) in [
        ("mixtral-8x7b", 46.7, 12.9, 0.05),
        ("mixtral-8x22b", 140.6, 39.1, 0.1),
        ("deepseek-v2-lite", 15.7, 2.66, 0.05),
        ("deepseek-v2", 235.7, 21.4, 0.1),
        ("deepseek-v3", 671.0, 37.5, 0.1),
        ("qwen3-30b-a3b", 30.5, 3.3, 0.1),
        ("qwen3-235b-a22b", 235.1, 22.1, 0.1),
        ("gpt-oss-20b", 20.9, 4.2, 0.1),
        ("gpt-oss-120b", 116.8, 5.7, 0.1),
        ("llama4-maverick", 400.7, 17.2, 0.5),
        ("llama4-scout", 107.8, 17.2, 0.5),
        ("glm-4.5", 355.0, 32.0, 2.5),
        ("kimi-k2", 1026.4, 32.9, 1.0),
        ("grok-1", 314.0, 84.0, 2.5),
    ] {
        let model = model(name);
        let (counted, passed) = (model.parameters() as f64 / 1e9, model.active_parameters() as f64 / 1e9);
        assert!((counted - total).abs() <= tolerance, "{name}: {counted} billion");
        assert!((passed - active).abs() <= tolerance, "{name}: {passed} billion active");
    }
}

/// Hybrid models, but for norms that no field names: as Transformers builds their `config.json`
/// (`tests/exchange/counted.tsv`); active ones in billions as their makers state them, where they do.
#[test]
fn hybrids_have_the_published_parameters() {
    for (name, counted, active) in [
        ("nemotron-h-8b", 8_100_852_736_u64, None),
        ("nemotron-h-56b", 56_324_350_464, None),
        ("nemotron-3-nano", 31_577_937_344, Some(3.6)),
        ("nemotron-3-super", 120_668_687_360, Some(12.7)),
        ("nemotron-3-ultra", 549_308_968_960, Some(55.0)),
        ("qwen3-next-80b-a3b", 79_674_391_296, Some(3.9)),
        ("qwen3.5-27b", 26_895_998_464, None),
        ("qwen3.5-35b-a3b", 34_660_610_688, Some(3.5)),
        ("qwen3.5-122b-a10b", 120_744_902_400, None),
        ("qwen3.5-397b-a17b", 396_346_350_336, Some(17.4)),
        ("kimi-linear-48b", 49_122_675_072, Some(3.5)),
        ("granite-4-micro", 3_191_396_096, None),
        ("granite-4-tiny", 6_939_037_248, None),
        ("granite-4-small", 32_245_132_800, Some(9.0)),
        ("bamba-9b", 9_780_235_392, None),
        ("falcon-h1-0.5b", 521_411_104, None),
        ("falcon-h1-34b", 33_642_221_312, None),
        ("jamba-mini", 51_570_323_328, Some(12.0)),
        ("jamba-large", 398_555_145_696, Some(94.0)),
        ("lfm2-1.2b", 1_170_340_608, None),
        ("lfm2-8b-a1b", 8_339_929_856, Some(1.5)),
        ("minimax-text-01", 456_089_655_296, Some(45.9)),
        ("recurrentgemma-2b", 2_682_862_080, None),
        ("olmo-hybrid-7b", 7_430_870_688, None),
        ("mamba2-2.7b", 2_702_599_680, None),
        ("codestral-mamba-7b", 7_285_403_648, None),
    ] {
        let model = model(name);
        let share = model.parameters() as f64 / counted as f64 - 1.0;
        assert!(share.abs() < 2e-4, "{name}: {} parameters, not {counted}", model.parameters());
        let passed = model.active_parameters() as f64 / 1e9;
        if let Some(active) = active {
            let off: f64 = passed / active - 1.0;
            assert!(off.abs() < 0.1, "{name}: {passed} billion active, not {active}");
        }
    }
}

/// N = 12 l h^2 (1 + 13/(12 h) + (V + s)/(12 l h)), equation 10 of APNet'24, which leaves out the
/// final norm.
#[test]
fn gpt_models_follow_the_closed_form() {
    for name in ["gpt2-1.5b", "gpt3-175b", "megatron-1t", "apnet24-gpt-3b"] {
        let model = model(name);
        let [l, h, v] = [model.layers, model.hidden, model.vocabulary].map(u64::from);
        let Positions::Learned(s) = model.positions else { panic!("{name} has a position table") };
        assert_eq!(
            model.parameters(),
            12 * l * h * h + 13 * l * h + (v + u64::from(s)) * h + 2 * h,
            "{name}"
        );
    }
}

#[test]
fn stages_and_ranks_add_up_to_the_model() {
    for preset in MODELS {
        // Counts leave layers of multi-token prediction out.
        let model = Model { prediction_layers: 0, ..preset.model };
        let plan = Plan {
            tensor_parallel: 1,
            pipeline_parallel: 1,
            ..Document::default().scenario().expect("legal").plan
        };
        let table = u64::from(padded_vocabulary(model.vocabulary, 1)) * u64::from(model.hidden);
        let padding = table - u64::from(model.vocabulary) * u64::from(model.hidden);
        let (tables, copies) = if model.tied_embeddings { (1, table) } else { (2, 0) };
        let whole = (model.parameters() + tables * padding) as f64;
        assert_eq!(stage_parameters(&model, &plan, 0).total(), whole, "{} on one GPU", preset.name);
        let two = Plan { pipeline_parallel: 2, ..plan };
        let stages: f64 = (0..2).map(|stage| stage_parameters(&model, &two, stage).total()).sum();
        assert_eq!(stages, whole + copies as f64, "{} on two stages", preset.name);

        let (layer, shard) = (model.layer_parameters(1), model.layer_parameters(2));
        assert_eq!(shard.replicated, layer.replicated);
        if model.heads.is_multiple_of(2) && model.kv_heads.is_multiple_of(2) {
            assert_eq!(2 * shard.total() - shard.replicated, layer.total(), "{} on two ranks", preset.name);
        }
    }
    let (mut projected, shares) = (0.0, LayerShares { tensor: 7, ..LayerShares::WHOLE });
    model("qwen2.5-7b").mixer_weights(LayerKind::DENSE, shares, &mut |weights| {
        if weights.reads == Reads::Input {
            projected += weights.matrices() + weights.vectors;
        }
    });
    let published = f64::from((4 * 128 + 2 * 128) * (3584 + 1));
    assert_eq!(projected, published, "4 key/value heads on 7 ranks: one each");
}

#[test]
fn the_vocabulary_is_padded_as_megatron_pads_it() {
    assert_eq!(padded_vocabulary(50_257, 1), 50_304);
    assert_eq!(padded_vocabulary(50_257, 8), 51_200);
    assert_eq!(padded_vocabulary(128_256, 8), 129_024);
    assert_eq!(padded_vocabulary(32_000, 0), 32_000);
    assert!(padded_vocabulary(u32::MAX, u32::MAX) > 0, "no overflow");
}

#[test]
fn presets_have_unique_names() {
    let mut names: Vec<(&str, &str)> = Vec::new();
    names.extend(MODELS.iter().map(|preset| (preset.name, preset.label)));
    names.extend(GPUS.iter().map(|preset| (preset.name, preset.label)));
    for (index, (name, label)) in names.iter().enumerate() {
        assert!(names.iter().skip(index + 1).all(|other| other.0 != *name && other.1 != *label), "{name}");
    }
    for (index, preset) in CLUSTERS.iter().enumerate() {
        assert!(CLUSTERS.iter().skip(index + 1).all(|other| other.name != preset.name), "{}", preset.name);
        assert!(
            CLUSTERS.iter().skip(index + 1).all(|other| other.cluster != preset.cluster),
            "{}",
            preset.name
        );
    }
}

/// The GPUs that measured runs name.
#[test]
fn every_gpu_of_the_data_files_has_an_entry() {
    for name in [
        "v100-32g",
        "a100-40g",
        "a100-80g",
        "h100-80g",
        "h100-96g-hbm2e",
        "a100-64g",
        "h100-64g",
        "h200",
        "h800",
        "b200",
        "b300",
        "gb200",
        "gb300",
        "mi350x",
        "mi355x",
        "mi300x",
        "gh200",
        "rtx3090",
    ] {
        let gpu = find_gpu(name).unwrap_or_else(|| panic!("no GPU {name}")).gpu;
        assert!(gpu.peak_bf16.0 > 1e13 && gpu.memory.gib() >= 24.0 && gpu.sms >= 80, "{name}");
        assert!(gpu.peak_fp8.0 == 0.0 || gpu.peak_fp8.0 > 1.9 * gpu.peak_bf16.0, "{name}");
    }
}

/// A file of measured runs names a GPU, and its row says which machine that stands for.
#[test]
fn machines_of_gpus_exist_and_hold_them() {
    for gpu in GPUS {
        let Some(name) = gpu.machine else { continue };
        let machine = find_cluster(name).unwrap_or_else(|| panic!("{}: no machine {name}", gpu.name));
        assert_eq!(machine.cluster.gpu.family, gpu.gpu.family, "{} in {name}", gpu.name);
    }
}

#[test]
fn machines_have_the_published_networks() {
    for (name, gigabits_per_node, domain) in [
        ("dgx-h100", 3200.0, 8),
        ("dgx-a100-80g", 1600.0, 8),
        ("dgx-b200", 3200.0, 8),
        ("dgx-b300", 6400.0, 8),
        ("gb200-nvl72", 1600.0, 72),
        ("gb300-nvl72", 3200.0, 72),
        ("dgx1-v100", 400.0, 8),
        ("perlmutter", 800.0, 4),
        ("leonardo", 400.0, 4),
        ("juwels-booster", 800.0, 4),
        ("polaris", 400.0, 4),
        ("marenostrum5", 800.0, 4),
        ("alps", 800.0, 4),
        ("jupiter", 800.0, 4),
        ("vista", 400.0, 1),
        ("apnet24-rtx3090", 100.0, 8),
        ("mi300x", 3200.0, 8),
    ] {
        let cluster = find_cluster(name).unwrap_or_else(|| panic!("no machine {name}")).cluster;
        assert_eq!(cluster.node_bandwidth().0 * 8.0 / 1e9, gigabits_per_node, "{name}");
        assert_eq!(cluster.scale_up.domain, domain, "{name}");
    }
}

#[test]
fn every_model_and_machine_can_be_chosen_and_run() {
    for preset in MODELS {
        let mut document = Document::default();
        for (key, text) in [("m", preset.name), ("tp", "1"), ("sp", "0"), ("pp", "1"), ("seq", "512")] {
            document.set(key, text);
        }
        let scenario = document.scenario().unwrap_or_else(|errors| panic!("{}: {errors:?}", preset.name));
        assert_eq!(scenario.model, preset.model);
        assert_eq!(Document::from_scenario(&scenario).text("m"), preset.name);
    }
    for preset in CLUSTERS {
        let mut document = Document::default();
        for (key, text) in [("g", preset.name), ("prec", "fp16")] {
            document.set(key, text);
        }
        let scenario = document.scenario().unwrap_or_else(|errors| panic!("{}: {errors:?}", preset.name));
        assert_eq!(scenario.cluster, preset.with_gpus(512));
        assert_eq!(Document::from_scenario(&scenario).text("g"), preset.name);
    }
}

#[test]
fn examples_are_legal_and_their_links_canonical() {
    for (index, example) in EXAMPLES.iter().enumerate() {
        assert!(EXAMPLES.iter().skip(index + 1).all(|other| other.name != example.name), "{}", example.name);
        let opened = Document::from_link(example.link).expect(example.name);
        assert!(opened.notices.is_empty(), "{}: {:?}", example.name, opened.notices);
        let scenario =
            opened.document.scenario().unwrap_or_else(|errors| panic!("{}: {errors:?}", example.name));
        assert_eq!(opened.document.to_link(), example.link, "{}", example.name);
        assert!(scenario.micro_batches() >= 1);
    }
}

/// GPUs as `nvidia-smi`, `rocm-smi`, clouds and people write them.
#[test]
fn gpus_are_known_by_what_others_call_them() {
    for (written, name) in [
        ("NVIDIA A100-SXM4-40GB", "a100-40g"),
        ("NVIDIA A100-SXM4-80GB", "a100-80g"),
        ("NVIDIA A100 80GB PCIe", "a100-80g-pcie"),
        ("a100", "a100-80g"),
        ("NVIDIA A100-SXM-64GB", "a100-64g"),
        ("NVIDIA H100 64GB", "h100-64g"),
        ("A800-SXM4-80GB", "a800-80g"),
        ("NVIDIA H100 80GB HBM3", "h100-80g"),
        ("H100-SXM5", "h100-80g"),
        ("h100_pcie", "h100-80g-pcie"),
        ("NVIDIA H100 NVL", "h100-94g-nvl"),
        ("NVIDIA H200", "h200"),
        ("NVIDIA H200 NVL", "h200-nvl"),
        ("h200-141g", "h200"),
        ("NVIDIA GH200 480GB", "gh200"),
        ("GH200 144G HBM3e", "gh200-144g"),
        ("NVIDIA GB200", "gb200"),
        ("B200 192GB", "b200"),
        ("Tesla V100-SXM2-16GB", "v100-16g"),
        ("Tesla V100-SXM2-32GB", "v100-32g"),
        ("Tesla T4", "t4"),
        ("NVIDIA GeForce RTX 4090", "rtx4090"),
        ("4090", "rtx4090"),
        ("RTX-3090", "rtx3090"),
        ("GeForce RTX 5060 Ti", "rtx5060ti-16g"),
        ("NVIDIA RTX PRO 6000 Blackwell Server Edition", "rtxpro6000"),
        ("NVIDIA RTX 6000 Ada Generation", "rtx6000ada"),
        ("NVIDIA RTX A6000", "rtxa6000"),
        ("a6000", "rtxa6000"),
        ("NVIDIA A10G", "a10g"),
        ("NVIDIA L40S", "l40s"),
        ("NVIDIA L40", "l40"),
        ("NVIDIA L4", "l4"),
        ("AMD Instinct MI300X", "mi300x"),
        ("MI250X", "mi250x"),
    ] {
        assert_eq!(gpu_named(written).map(|preset| preset.name), Some(name), "{written}");
    }
    for unknown in ["", "GeForce GTX 1080", "TPU v5p", "A4000", "GPU", "100"] {
        assert!(gpu_named(unknown).is_none(), "{unknown}");
    }
    for preset in GPUS {
        assert_eq!(gpu_named(preset.name).map(|found| found.name), Some(preset.name));
        let words = preset.also.split('/').next().unwrap_or_default();
        assert_eq!(gpu_named(words).map(|found| found.name), Some(preset.name), "{words}");
    }
}

/// Models of the Hub by their usual names, and micro-batches that make a global batch of the replicas.
#[test]
fn sentences_name_models_of_the_hub_and_accumulation() {
    for (text, hidden, batch) in [
        ("mistral large 2 on 64 H100, batch 64", "12288", "64"),
        ("codestral 22b on 8 H100 with gradient accumulation steps 4", "6144", "32"),
        ("DeepSeek-V4-Pro on 256 GB300 tp2, micro batch 2, gradient accumulation 8", "7168", "2048"),
        ("Kimi-K3 on 512 GB300 batch 1024", "7168", "1024"),
        ("MiniMax-M3 on 64 H100 batch 512", "6144", "512"),
    ] {
        let document =
            stepcast::scripting::read(text).unwrap_or_else(|why| panic!("{text}: {why:?}")).document;
        assert_eq!((document.text("hidden"), document.text("gb")), (hidden, batch), "{text}");
    }
}
