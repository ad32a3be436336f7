//! Names as people write them: what each means, and which are refused.

use proptest::prelude::*;
use stepcast::document::Document;
use stepcast::fields::{Field, FieldKind};
use stepcast::names::{self, NameKind, gpu_named};
use stepcast::scenario::cluster::instance::{INSTANCES, Rent};
use stepcast::scenario::cluster::presets::{CLUSTERS, GPUS};
use stepcast::scripting;

/// The row that a document has of a field in which a name was typed; nothing where it is refused.
fn row(key: &str, name: &str) -> Option<String> {
    let mut document = Document::default();
    document.set(key, name);
    let text = document.text(key);
    Field::find(key).expect("a field").parse(text).ok().map(|_| text.to_owned())
}

fn check(key: &str, expected: &[(&str, &str)]) {
    let wrong: Vec<String> = expected
        .iter()
        .map(|(name, wanted)| (name, wanted, row(key, name).unwrap_or_default()))
        .filter(|(_, wanted, found)| *wanted != found)
        .map(|(name, wanted, found)| format!("{name}: {found:?}, not {wanted:?}"))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn models_are_known_as_people_write_them() {
    check(
        "m",
        &[
            ("llama3-8b", "llama3-8b"),
            ("llama-3-8b", "llama3-8b"),
            ("Llama 3 8B", "llama3-8b"),
            ("Llama-3 8B", "llama3-8b"),
            ("LLAMA_3_8B", "llama3-8b"),
            ("llama3.8b", ""),
            ("llama 3.1 8b", "llama3-8b"),
            ("Llama-3.1 8B", "llama3-8b"),
            ("llama31_8b", "llama3-8b"),
            ("8b llama 3", "llama3-8b"),
            ("meta-llama/Llama-3.1-8B", "llama3-8b"),
            ("meta-llama/Meta-Llama-3-8B", "llama3-8b"),
            ("meta-llama/Llama-3.1-8B-Instruct", "llama3-8b"),
            ("https://huggingface.co/meta-llama/Llama-3.1-8B", "llama3-8b"),
            ("70B llama 3", "llama3-70b"),
            ("llama 3.3 70b", "llama3-70b"),
            ("llama-3.1-405b", "llama3-405b"),
            ("llama 3 405B", "llama3-405b"),
            ("llama-2 7b", "llama2-7b"),
            ("Llama-2-13b-hf", "llama2-13b"),
            ("llama4 scout", "llama4-scout"),
            ("maverick", "llama4-maverick"),
            ("mixtral 8x7b", "mixtral-8x7b"),
            ("nemotron 3 nano", "nemotron-3-nano"),
            ("Nemotron 3 Super", "nemotron-3-super"),
            ("qwen3 next 80b", "qwen3-next-80b-a3b"),
            ("kimi linear", "kimi-linear-48b"),
            ("jamba large", "jamba-large"),
            ("Granite 4 Tiny", "granite-4-tiny"),
            ("codestral mamba", "codestral-mamba-7b"),
            ("minimax m1", "minimax-text-01"),
            ("Mixtral-8\u{d7}22B", "mixtral-8x22b"),
            ("mistral 7b", "mistral-7b"),
            ("qwen2.5 7b", "qwen2.5-7b"),
            ("Qwen25-7B", "qwen2.5-7b"),
            ("Qwen/Qwen2.5-72B-Instruct", "qwen2.5-72b"),
            ("qwen3 14b", "qwen3-14b"),
            ("qwen3 30b", "qwen3-30b-a3b"),
            ("Qwen3-235B-A22B", "qwen3-235b-a22b"),
            ("qwq-32b", "qwen2.5-32b"),
            ("gpt-oss 20b", "gpt-oss-20b"),
            ("openai/gpt-oss-120b", "gpt-oss-120b"),
            ("deepseek-v3", "deepseek-v3"),
            ("DeepSeek V3", "deepseek-v3"),
            ("DeepSeek-V3 671B", "deepseek-v3"),
            ("dsv3", "deepseek-v3"),
            ("deepseek-r1", "deepseek-v3"),
            ("deepseek-ai/DeepSeek-R1", "deepseek-v3"),
            ("deepseek v2 lite", "deepseek-v2-lite"),
            ("kimi-k2", "kimi-k2"),
            ("GLM 4.5", "glm-4.5"),
            ("grok", "grok-1"),
            ("gemma-2 9b", "gemma2-9b"),
            ("google/gemma-3-27b-it", "gemma3-27b"),
            ("phi-4", "phi4-14b"),
            ("gpt-3", "gpt3-175b"),
            ("GPT-3 175B", "gpt3-175b"),
            ("gpt2-xl", "gpt2-1.5b"),
            ("bert large", "bert-large"),
            ("megatron 1t", "megatron-1t"),
            ("nemotron 4 340b", "nemotron4-340b"),
            ("own", "custom"),
            ("custom", "custom"),
            // Shapes of the Hub that are no row.
            ("qwen3 4b", "custom"),
            ("Qwen/Qwen3-4B", "custom"),
            ("meta-llama/Llama-3.2-1B", "custom"),
            ("mistralai/Mistral-7B-v0.1", "mistral-7b"),
            // Never another size, nor one of several.
            ("llama 3b", ""),
            ("llama 3 9b", ""),
            ("llama3", ""),
            ("llama 70b", ""),
            ("qwen3", ""),
            ("qwen3 5b", ""),
            ("qwen 14b", ""),
            ("gpt2-15b", ""),
            ("7b", ""),
            ("phi-3", ""),
            ("mixtral 7b", ""),
            ("deepseek-v9", ""),
            ("h100", ""),
            ("no such model", ""),
            ("", ""),
        ],
    );
}

#[test]
fn machines_are_known_by_their_gpus_and_instances() {
    check(
        "g",
        &[
            ("dgx-h100", "dgx-h100"),
            ("DGX H100", "dgx-h100"),
            ("dgx h100 superpod", "dgx-h100"),
            ("h100", "dgx-h100"),
            ("H100 SXM", "dgx-h100"),
            ("h100-sxm5-80gb", "dgx-h100"),
            ("NVIDIA H100 80GB HBM3", "dgx-h100"),
            ("hgx h100", "dgx-h100"),
            ("H100 PCIe", "h100-pcie"),
            ("h100 nvl", "h100-nvl"),
            ("h200", "dgx-h200"),
            ("B200", "dgx-b200"),
            ("gb200", "gb200-nvl72"),
            ("GB200 NVL72", "gb200-nvl72"),
            ("gb300", "gb300-nvl72"),
            ("h800", "hgx-h800"),
            ("a100", "dgx-a100-80g"),
            ("a100 80gb", "dgx-a100-80g"),
            ("A100 80 GB", "dgx-a100-80g"),
            ("a100-40gb", "dgx-a100-40g"),
            ("NVIDIA A100-SXM4-40GB", "dgx-a100-40g"),
            ("v100", "dgx1-v100"),
            ("v100 pcie", "v100-pcie"),
            ("4090", "rtx4090"),
            ("RTX 4090", "rtx4090"),
            ("geforce rtx 4090", "rtx4090"),
            ("RTX A6000", "rtxa6000"),
            ("rtx 6000 ada", "rtx6000ada"),
            ("rtx pro 6000", "rtxpro6000"),
            ("5090", "rtx5090"),
            ("5060 ti", "rtx5090"),
            ("l4", "l4"),
            ("l40s", "l40s"),
            ("a10g", "a10g"),
            ("a10", "a10-pcie"),
            ("t4", "t4"),
            ("mi300x", "mi300x"),
            ("AMD Instinct MI300X", "mi300x"),
            ("MI250", "mi250x"),
            ("frontier", "mi250x"),
            ("perlmutter", "perlmutter"),
            ("gh200", "vista"),
            ("8xH100", "dgx-h100"),
            ("8 x h100", "dgx-h100"),
            ("8xa100", "dgx-a100-80g"),
            ("h100 x8", "dgx-h100"),
            ("2,048 H800", "hgx-h800"),
            ("p5.48xlarge", "dgx-h100"),
            ("P5.48XLARGE", "dgx-h100"),
            ("a3-megagpu-8g", "dgx-h100"),
            ("Standard_ND96isr_H100_v5", "dgx-h100"),
            ("ND96isr_H100_v5", "dgx-h100"),
            ("BM.GPU.MI300X.8", "mi300x"),
            ("gpu_1x_gh200", "vista"),
            ("own", "custom"),
            // Not known, or another card.
            ("h100 48gb", ""),
            ("h101", ""),
            ("dgx", ""),
            ("100", ""),
            ("p5.49xlarge", ""),
            ("a100 pcie 40gb", ""),
            ("h100 spot", ""),
            ("tpu v5p", ""),
            ("llama3-8b", ""),
        ],
    );
}

#[test]
fn software_is_known_as_people_write_it() {
    check(
        "stack",
        &[
            ("nemo", "nemo"),
            ("NVIDIA NeMo", "nemo"),
            ("Megatron", "megatron-lm"),
            ("megatron-core", "megatron-lm"),
            ("Megatron LM", "megatron-lm"),
            ("mcore", "megatron-lm"),
            ("megatron bridge", "megatron-bridge"),
            ("torchtitan", "torchtitan"),
            ("torch titan", "torchtitan"),
            ("fsdp", "composer-fsdp"),
            ("fsdp2", "torchtitan"),
            ("deepspeed", "deepspeed-zero3"),
            ("DeepSpeed ZeRO-3", "deepspeed-zero3"),
            ("hugging face", "eager"),
            ("maxtext", "maxtext"),
            ("jax", "maxtext"),
            ("no such thing", ""),
        ],
    );
}

/// `m`, `g` and `n` of a sentence, or the field that is to blame and what its message holds.
#[test]
fn a_job_is_one_sentence() {
    for (text, expected) in [
        ("Llama-3.1 8B on 8 H100", Ok(["llama3-8b", "dgx-h100", "8"])),
        ("70B llama 3 on 512 h100", Ok(["llama3-70b", "dgx-h100", "512"])),
        ("deepseek-v3 on 2048 H800", Ok(["deepseek-v3", "hgx-h800", "2048"])),
        ("Train DeepSeek-V3 on 2,048 GPUs of HGX H800", Ok(["deepseek-v3", "hgx-h800", "2048"])),
        ("llama3-8b 8xa100", Ok(["llama3-8b", "dgx-a100-80g", "8"])),
        ("8xa100 llama3-8b", Ok(["llama3-8b", "dgx-a100-80g", "8"])),
        ("mixtral 8x7b on 4 nodes of p5.48xlarge", Ok(["mixtral-8x7b", "dgx-h100", "32"])),
        ("mixtral 8x7b 16xh100", Ok(["mixtral-8x7b", "dgx-h100", "16"])),
        ("llama3-8b on 2 x p5.48xlarge spot", Ok(["llama3-8b", "dgx-h100", "16"])),
        ("llama3-8b on p5.48xlarge", Ok(["llama3-8b", "dgx-h100", "8"])),
        ("llama3-8b on 4 nodes of 8 a100", Ok(["llama3-8b", "dgx-a100-80g", "32"])),
        ("meta-llama/Llama-3.1-8B on 8 4090", Ok(["llama3-8b", "rtx4090", "8"])),
        ("llama-2 7b on 8 a100 with fsdp", Ok(["llama2-7b", "dgx-a100-80g", "8"])),
        ("finetune llama 3 8b with lora on one 4090", Ok(["llama3-8b", "rtx4090", "1"])),
        ("llama 3.1 405b on 16k H100s, fp8", Ok(["llama3-405b", "dgx-h100", "16384"])),
        ("llama3-70b on 4 mi355x nodes", Ok(["llama3-70b", "mi355x", "32"])),
        ("qwen3-8b on a single node of 8 B200 in nvfp4", Ok(["qwen3-8b", "dgx-b200", "8"])),
        ("llama3 8b, 64 h100, torchtitan, tp=2", Ok(["llama3-8b", "dgx-h100", "64"])),
        ("llama3-8b on h100 x 4, seq 4096", Ok(["llama3-8b", "dgx-h100", "4"])),
        ("llama3-8b on 8 4090, global batch 64", Ok(["llama3-8b", "rtx4090", "8"])),
        ("llama3-8b on four 8-GPU H100 nodes", Ok(["llama3-8b", "dgx-h100", "32"])),
        ("llama3-8b on 4 x 8 h100 nodes", Ok(["llama3-8b", "dgx-h100", "32"])),
        ("llama3-8b on two DGX H100", Ok(["llama3-8b", "dgx-h100", "16"])),
        ("qwen3 next on 64 H100", Ok(["qwen3-next-80b-a3b", "dgx-h100", "64"])),
        ("qwen3.5 397b on 512 H200", Ok(["qwen3.5-397b-a17b", "dgx-h200", "512"])),
        ("qwen3-vl 8b on 8 H100", Ok(["qwen3-8b", "dgx-h100", "8"])),
        ("olmo 3 7b on 64 H100", Ok(["olmo2-7b", "dgx-h100", "64"])),
        ("exaone 4 32b on 64 H100", Ok(["custom", "dgx-h100", "64"])),
        ("qwen3 on 8 H100", Err(("m", "\u{201c}qwen3\u{201d}"))),
        ("bloom 176b 384 a100 megatron-deepspeed", Ok(["custom", "dgx-a100-80g", "384"])),
        ("DeepSeek-V3 671B on 2048 H800", Ok(["deepseek-v3", "hgx-h800", "2048"])),
        ("DeepSeek-V3 236B on 2048 H800", Err(("m", "\u{201c}DeepSeek-V3 236B\u{201d}"))),
        ("phi-4 finetune on 4xA100 40GB", Ok(["phi4-14b", "dgx-a100-40g", "4"])),
        ("olmo2 7b 128 h100 olmo-core", Ok(["olmo2-7b", "dgx-h100", "128"])),
        ("internlm2 20b on 128 a100 internevo", Ok(["custom", "dgx-a100-80g", "128"])),
        ("llama3-8b, 2 nodes, 8x H100 each", Ok(["llama3-8b", "dgx-h100", "16"])),
        ("llama3-70b 32 h100 gradient clipping 8", Err(("g", "\u{201c}gradient clipping 8\u{201d} is not"))),
        ("llama3-8b on 2.5k H100", Err(("g", "2.5k H100"))),
        ("llama3-8b on 1 024 H100", Err(("g", "1 024 H100"))),
        ("llama3-8b on 32 of 64 H100", Err(("g", "32 of 64 H100"))),
        ("13B model on 8 a100", Err(("m", "llama2-13b"))),
        ("llama3-8b", Err(("g", "Name a machine and a number of GPUs"))),
        ("8xh100", Err(("m", "Name a model"))),
        ("4090", Err(("m", "llama3-8b on 8 4090"))),
        ("llama3-8b on h100", Err(("n", "llama3-8b on 8 h100"))),
        ("llama3-8b on 4090", Err(("n", "Add a number of GPUs"))),
        ("llama 3b on 8 h100", Err(("m", "\u{201c}llama 3b\u{201d}"))),
        ("llama3-8b on 8 h101", Err(("g", "\u{201c}8 h101\u{201d}"))),
        ("llama3-8b on 8 h100 with glue", Err(("stack", "\u{201c}glue\u{201d}"))),
        ("llama3-8b 8xq100", Err(("g", "8xq100"))),
        ("nothing that is known", Err(("m", "nothing that is known"))),
    ] {
        match (scripting::read(text), expected) {
            (Ok(read), Ok(wanted)) => {
                assert_eq!(["m", "g", "n"].map(|key| read.document.text(key)), wanted, "{text}");
            }
            (Err(problems), Err((field, part))) => {
                assert_eq!(problems[0].field.as_deref(), Some(field), "{text}: {problems:?}");
                assert!(problems[0].message.contains(part), "{text}: {problems:?}");
            }
            (found, _) => panic!("{text}: {found:?}"),
        }
    }
}

/// Settings stand anywhere in a sentence; a batch in tokens is one of sequences.
#[test]
fn a_sentence_has_settings() {
    for (text, wanted) in [
        ("kimi-k2 on 256 GB300 with muon in bf16", "opt=muon prec=bf16"),
        ("dsv3 2048 h800 fp8 14.8T tokens", "prec=fp8 tokens=14.8T"),
        ("nemotron-h 56b on 512 h100, seq 8k, batch 768", "seq=8k gb=768"),
        (
            "llama3-8b with torchtitan on 64 H100s tp2 pp 2 batch of 4M tokens",
            "stack=torchtitan tp=2 pp=2 gb=512",
        ),
        ("llama3-8b 8 h100 32k context 1M token batch, qlora rank 8", "seq=32k gb=32 lora=8 base=nf4"),
        ("llama2-7b on 2 trillion tokens in 2 weeks on 64 H100", "tokens=2T days=14"),
    ] {
        let document =
            scripting::read(text).unwrap_or_else(|problems| panic!("{text}: {problems:?}")).document;
        for (key, value) in wanted.split(' ').filter_map(|pair| pair.split_once('=')) {
            assert_eq!(document.text(key), value, "{text}: {key}");
        }
    }
}

/// A custom model has the name that it was chosen by, in its link too, until its shape changes. Its link names what differs from
/// the default job's model.
#[test]
fn a_custom_model_keeps_its_name() {
    let mut document = Document::from_link("#2;m=SmolLM3-3B;g=dgx-h100;n=8").expect("a link").document;
    assert_eq!(document.label("m"), "SmolLM3-3B-Base");
    let link = document.to_link();
    assert!(link.len() < 200, "{link}");
    assert_eq!(Document::from_link(&link).expect("a link").document, document);
    let first =
        Document::from_link(&link.replace("#2;", "#2;name=Ours;").replace(";name=SmolLM3-3B-Base", ""));
    assert_eq!(first.expect("a link").document.label("m"), "Ours");
    document.set("layers", "40");
    assert_eq!(document.label("m"), "Custom model");
    document.name_model("Ours");
    document.set("m", "llama3-8b");
    assert_eq!(document.label("m"), "Llama-3 8B");
}

/// Names in links and objects are those of rows in the links that are written.
#[test]
fn links_are_canonical() {
    let plain = Document::from_link("#2;m=llama3-8b;g=dgx-h100;n=16").expect("a link").document;
    for text in [
        "#2;m=llama-3-8b;g=h100;n=16",
        "#2;m=meta-llama/Llama-3.1-8B;g=16xH100",
        "#2;n=16;g=8xH100;m=Llama%203%208B",
        r#"{"m": "llama 3.1 8b", "g": "2 nodes of h100"}"#,
        "llama3-8b on 16 h100",
    ] {
        let read = scripting::read(text).expect(text).document;
        assert_eq!(read.to_link(), plain.to_link(), "{text}");
    }
}

/// An instance sets GPUs of a node, network and price, which a link keeps; explicit fields hold against it.
#[test]
fn instances_set_node_network_and_price() {
    let opened = |link: &str| Document::from_link(link).expect("a link").document;
    let document = opened("#1;m=llama3-8b;g=p5.48xlarge;n=16;tp=1;pp=1");
    let texts = ["node", "nics", "nic", "net", "usd"].map(|key| document.text(key));
    assert_eq!(texts, ["8", "32", "100", "efa", "6.88"]);
    assert_eq!(opened(&document.to_link()), document);
    let scenario = document.scenario().expect("possible");
    assert_eq!(scenario.run.price_source(&scenario.cluster), "AWS p5.48xlarge on demand, US median");
    assert_eq!(opened("#1;g=p5.48xlarge;usd=1").text("usd"), "1");
    assert_eq!(opened("#1;g=p5.48xlarge%20spot").text("usd"), "2.016");
    let listed = opened("#1;g=dgx-h100").values().expect("possible");
    assert!(listed.run.price_source(&listed.cluster).contains("on demand, May 2026"));
    for instance in INSTANCES {
        let mut document = opened("#1;m=llama3-8b;tp=1;pp=1;sp=0;prec=fp16");
        document.set("g", instance.name);
        document.set("n", &instance.gpus.to_string());
        let scenario = document.values().expect(instance.name);
        assert!(scenario.cluster.scale_up.domain >= scenario.cluster.gpus_per_node, "{}", instance.name);
        let wrong = document.scenario().err().unwrap_or_default();
        assert!(wrong.iter().all(|error| error.field != "domain" && error.field != "n"), "{wrong:?}");
        let source = scenario.run.price_source(&scenario.cluster);
        match instance.price(Rent::OnDemand) {
            Some(_) => assert!(source.contains(instance.name), "{}: {source}", instance.name),
            None => assert!(!source.is_empty(), "{}", instance.name),
        }
    }
}

#[test]
fn errors_suggest_what_is_near_or_nothing() {
    let error = |key: &str, name: &str| Field::find(key).expect("a field").parse(name).expect_err(name);
    assert_eq!(error("m", "llama3-71b").suggestions[0], "llama3-70b");
    assert_eq!(error("g", "h101").suggestions[0], "dgx-h100");
    assert_eq!(error("stack", "torchtitam").suggestions, ["torchtitan"]);
    for (key, name) in
        [("m", "xyzzy"), ("g", "xyzzy"), ("stack", "qqq"), ("m", "4096"), ("g", "\u{4e2d}\u{6587}")]
    {
        let error = error(key, name);
        assert!(error.suggestions.is_empty(), "{name}: {error:?}");
    }
    for (key, name) in [("m", "llama"), ("m", "qwen3 5b"), ("g", "dgx"), ("stack", "megatronn")] {
        let error = error(key, name);
        assert!((1..=3).contains(&error.suggestions.len()), "{name}: {error:?}");
        assert!(error.suggestions.iter().all(|name| error.message.contains(name.as_str())), "{error:?}");
    }
}

#[test]
fn every_row_is_known_by_its_name_and_its_label() {
    for key in ["m", "g", "stack"] {
        let Some(FieldKind::Choice(list)) = Field::find(key).map(|field| field.kind) else { panic!("{key}") };
        for (name, label) in list {
            assert_eq!(row(key, name).as_deref(), Some(*name));
            assert_eq!(row(key, label).as_deref(), Some(*name), "{label}");
        }
    }
    for gpu in GPUS.iter().filter(|gpu| gpu.machine.is_some()) {
        let names = [gpu.name, gpu.label].into_iter().chain(gpu.also.split('/'));
        for name in names {
            let machine = names::machine(name).unwrap_or_else(|| panic!("{name}"));
            let preset = CLUSTERS.iter().find(|preset| preset.name == machine.key).expect("a row");
            let cluster = machine.cluster.unwrap_or(preset.cluster);
            // A name of a machine may be one of its GPU, too.
            let named = gpu_named(name).expect(name).gpu;
            assert!(cluster.gpu == gpu.gpu || cluster.gpu == named, "{name}: {}", machine.key);
        }
    }
}

#[test]
fn the_picker_finds_what_a_field_takes() {
    let labels = |kind, query| -> Vec<String> {
        names::search(kind, query).into_iter().map(|found| found.label).collect()
    };
    assert_eq!(labels(NameKind::Machine, "4090"), ["RTX 4090 server"]);
    assert_eq!(labels(NameKind::Machine, "8 4090"), ["8 \u{d7} RTX 4090 server"]);
    assert_eq!(labels(NameKind::Machine, "2 p5.48xlarge"), ["2 \u{d7} AWS p5.48xlarge (16 GPUs)"]);
    assert_eq!(labels(NameKind::Machine, "p5.48xlarge spot"), ["AWS p5.48xlarge spot"]);
    assert_eq!(labels(NameKind::Machine, "8 h100")[0], "8 \u{d7} DGX H100 SuperPOD");
    assert_eq!(labels(NameKind::Machine, "2 nodes of h100")[0], "2 \u{d7} DGX H100 SuperPOD (16 GPUs)");
    assert_eq!(labels(NameKind::Machine, "4090 serv"), ["RTX 4090 server"]);
    assert_eq!(labels(NameKind::Machine, "512")[0], "512 \u{d7} DGX H100 SuperPOD");
    assert_eq!(labels(NameKind::Machine, "8 perl")[0], "8 \u{d7} Perlmutter (A100 80 GB)");
    assert_eq!(labels(NameKind::Model, "qwen3 4b"), Vec::<String>::new());
    assert_eq!(labels(NameKind::Model, "llama 3b"), Vec::<String>::new());
    assert_eq!(labels(NameKind::Model, "own"), ["Custom model"]);
    assert_eq!(labels(NameKind::Model, "dsv3"), ["DeepSeek-V3 671B-A37B"]);
    assert_eq!(labels(NameKind::Software, "titan"), ["torchtitan"]);
}

/// Texts of what names are made of.
fn any_text() -> impl Strategy<Value = String> {
    let part = prop::sample::select(vec![
        "llama",
        "3",
        "8b",
        "70B",
        "x",
        "\u{d7}",
        " on ",
        " with ",
        "h100",
        "A100",
        "80",
        "gb",
        "spot",
        "nodes",
        " of ",
        "p5.48xlarge",
        "99999999999",
        ",",
        "000",
        ".",
        "-",
        "_",
        "/",
        " ",
        "4090",
        "\u{e9}",
        "\u{4e2d}",
        "train ",
        "batch ",
        " tokens",
        "k ",
        "one ",
        "meta-llama/",
    ]);
    prop_oneof![prop::collection::vec(part, 0..12).prop_map(|parts| parts.concat()), any::<String>()]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn no_text_is_too_much(text in any_text()) {
        for key in ["m", "g", "stack"] {
            if let Some(name) = row(key, &text) {
                // What is known is a row, and known again as itself.
                prop_assert_eq!(row(key, &name), Some(name));
            }
        }
        for kind in NameKind::ALL {
            let _ = names::search(kind, &text);
            prop_assert!(names::suggestions(kind, &text).len() <= 3);
        }
        let _ = (names::job(&text), gpu_named(&text), scripting::read(&text));
    }
}
