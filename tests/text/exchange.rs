//! Other tools' files: what is read of published ones, and that what is written is read back.

#[path = "../support/hostile.rs"]
mod hostile;
#[path = "../support/missing.rs"]
mod missing;

use crate::command;
use crate::scenarios;
use proptest::prelude::*;
use std::path::PathBuf;
use stepcast::document::Document;
use stepcast::exchange::{Framework, Import, ImportError, ToolFile, export, hub_shape, import};
use stepcast::fields::{FIELDS, FieldGroup};
use stepcast::names::HUB;

/// Share by which a count of parameters may be off its published, rounded value. Norms and biases that fields do not name
/// are below it.
const COUNT_TOLERANCE: f64 = 0.01;

/// A row of `tests/exchange/expected.tsv`.
struct Published {
    file: String,
    kind: ToolFile,
    parameters: Option<f64>,
    expected: Vec<(String, String)>,
}

impl Published {
    fn text(&self) -> String {
        std::fs::read_to_string(folder().join(&self.file))
            .unwrap_or_else(|error| panic!("{}: {error}", self.file))
    }

    fn import(&self) -> Import {
        import(&self.text(), None).unwrap_or_else(|errors| panic!("{}: {}", self.file, told(&errors)))
    }
}

pub(crate) fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/exchange")
}

pub(crate) fn told(errors: &[ImportError]) -> String {
    errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
}

fn published() -> Vec<Published> {
    let table = std::fs::read_to_string(folder().join("expected.tsv")).expect("the table");
    let rows = table.lines().filter(|line| !line.starts_with('#')).skip(1);
    rows.map(|line| {
        let cells: Vec<&str> = line.split('\t').collect();
        let [file, kind, source, parameters, expected] = cells.as_slice() else {
            panic!("five cells: {line}")
        };
        assert!(source.starts_with("https://"), "{file} has no source");
        let pairs = expected.split(';').filter_map(|pair| pair.split_once('='));
        Published {
            file: (*file).to_owned(),
            kind: ToolFile::from_name(kind).unwrap_or_else(|| panic!("{file}: no kind {kind}")),
            parameters: parameters.parse().ok(),
            expected: pairs.map(|(key, text)| (key.to_owned(), text.to_owned())).collect(),
        }
    })
    .collect()
}

/// Parameters in billions of the model that an import gives.
fn parameters(import: &Import) -> f64 {
    let scenario = import.onto(&Document::default()).values().expect("fields within bounds");
    scenario.model.parameters() as f64 / 1e9
}

#[test]
fn published_files_say_what_people_read_in_them() {
    let mut wrong = Vec::new();
    for row in published() {
        let text = row.text();
        let seen = ToolFile::of(&text);
        if seen != Some(row.kind) {
            wrong.push(format!("{}: seen as {seen:?}", row.file));
        }
        let import = match import(&text, Some(row.kind)) {
            Ok(import) => import,
            Err(errors) => {
                wrong.push(format!("{}: {}", row.file, told(&errors)));
                continue;
            }
        };
        for (key, text) in &row.expected {
            if import.text(key) != Some(text.as_str()) {
                wrong.push(format!("{}: {key} is {:?}, not {text}", row.file, import.text(key)));
            }
        }
        if let Some(published) = row.parameters {
            let counted = parameters(&import);
            if (counted / published - 1.0).abs() > COUNT_TOLERANCE {
                wrong.push(format!("{}: {counted} billion parameters, not {published}", row.file));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_fields_do_not_express_is_said() {
    for (file, said) in [
        ("hf-config/gemma-3n-e4b.json", "alternating updates"),
        ("hf-config/gemma-3n-e4b.json", "counts 6.80 billion parameters"),
        ("hf-config/nemotron-ultra-253b.json", "Omitted: 81 of 162 layers"),
        ("hf-config/minicpm4-8b.json", "The computation of these scores is not modelled"),
        ("hf-config/albert-base.json", "the embedding size is 128"),
        ("hf-config/a-family-of-2026.json", "unknown model family"),
        ("other/nanotron.yaml", "Unknown program"),
        ("other/easyr1.sh", "32 prompts per update with 16 responses each"),
        ("other/olmo-core.sh", "4194304 tokens in sequences of 32768"),
        ("other/llama-factory-dpo.yaml", "the reference model of dpo"),
        ("other/llama-factory-dpo.yaml", "a chosen and a rejected sequence"),
        ("other/llama-factory-way-unsaid.yaml", "LoRA: the training method is not set"),
        ("other/trl-dpo.sh", "the reference model of dpo"),
        ("other/trl-grpo.yaml", "generation, scoring and the other models of grpo"),
        ("other/trl-sft.yaml", "No sharding: the file names neither FSDP nor DeepSpeed"),
        ("deepspeed/zero3-hpz.json", "the secondary weight copy of ZeRO++ over 8 GPUs"),
        ("accelerate/four-machines.yaml", "the NVLink domain is assumed to be one host"),
        ("megatron-lm/pbs-mpirun.sh", "Check the tokenizer file (v4_alpha_1.0.model)"),
        ("megatron-bridge/checkpoint-name.yaml", "inferred from the name checkpoint.pretrained_checkpoint"),
        ("other/torchtune-single-device.yaml", "single-device recipe"),
        ("other/torchtune-70b-lora.yaml", "default of distributed recipes"),
        (
            "other/torchtune-70b-lora.yaml",
            "only some attention layers are listed (q_proj,v_proj,output_proj)",
        ),
    ] {
        let rows = published();
        let import = rows.iter().find(|row| row.file == file).expect("a row").import();
        let notes: Vec<&str> = import.assumed.iter().map(|assumed| assumed.text.as_str()).collect();
        assert!(notes.iter().any(|note| note.contains(said)), "{file}: {said}: {notes:?}");
    }
    // The loss and the length that TRL has by default are those of supervised training.
    let rows = published();
    let grpo = rows.iter().find(|row| row.file == "other/trl-grpo.yaml").expect("a row").import();
    assert_eq!((grpo.text("loss"), grpo.text("seq")), (None, None));
    // A model that is read whole says nothing.
    for file in ["apertus-8b", "bamba-9b", "falcon-h1-7b", "nemotron-3-super", "lfm2-1.2b", "jamba-v0.1"] {
        let file = format!("hf-config/{file}.json");
        let whole = rows.iter().find(|row| row.file == file).expect("a row").import();
        assert!(whole.assumed.is_empty(), "{file}: {:?}", whole.assumed);
    }
}

#[test]
fn there_are_as_many_published_files_as_promised() {
    let rows = published();
    let count = |kinds: &[ToolFile]| rows.iter().filter(|row| kinds.contains(&row.kind)).count();
    assert!(count(&[ToolFile::HfConfig]) >= 25);
    for kinds in [
        &[ToolFile::MegatronLm][..],
        &[ToolFile::MegatronBridge],
        &[ToolFile::Torchtitan],
        &[ToolFile::Deepspeed, ToolFile::Accelerate],
    ] {
        assert!(count(kinds) >= 10, "{kinds:?}: {}", count(kinds));
    }
}

#[test]
fn models_of_the_hub_have_their_published_parameters() {
    assert!(HUB.len() >= 100);
    let mut wrong = Vec::new();
    for row in HUB {
        let Some(model) = hub_shape(row) else {
            wrong.push(format!("{} cannot be read", row.name));
            continue;
        };
        let counted = model.parameters() as f64 / 1e9;
        let tolerance = if row.parameters == 1600.0 { 0.02 } else { COUNT_TOLERANCE }; // 1.6 T: two digits.
        if (counted / row.parameters - 1.0).abs() > tolerance {
            wrong.push(format!("{}: {counted} billion parameters, not {}", row.name, row.parameters));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn adapters_are_no_full_training() {
    // Rank, layers and frozen format, of settings that each tool documents.
    for (text, kind, said) in [
        (
            "peft:\n  dim: 16\n  target_modules: [linear_qkv]\n",
            ToolFile::MegatronBridge,
            ("16", "attention", "16"),
        ),
        ("peft:\n  dim: 32\n", ToolFile::MegatronBridge, ("32", "all", "16")),
        (
            "model:\n  peft:\n    peft_scheme: lora\n    lora_tuning:\n      adapter_dim: 8\n",
            ToolFile::MegatronBridge,
            ("8", "attention", "16"),
        ),
        ("use_peft: true\nload_in_4bit: true\n", ToolFile::TrainingArguments, ("16", "attention", "nf4")),
        (
            "adapter: lora\nload_in_8bit: true\nlora_r: 64\nlora_target_linear: true\n",
            ToolFile::Axolotl,
            ("64", "all", "8"),
        ),
        (
            "adapter: qlora\nlora_r: 4\nlora_target_modules:\n  - q_proj\n  - v_proj\n",
            ToolFile::Axolotl,
            ("4", "attention", "nf4"),
        ),
    ] {
        let import = import(text, Some(kind)).unwrap_or_else(|errors| panic!("{text}: {}", told(&errors)));
        let (rank, targets, base) = said;
        let read = ["lora", "lorat", "base"].map(|key| import.text(key));
        assert_eq!(read, [Some(rank), Some(targets), Some(base)], "{text}");
    }
    for (text, kind) in [
        ("adapter: \nbase_model: x\n", ToolFile::Axolotl),
        ("model_name_or_path: x\npacking: true\nlora_r: 16\n", ToolFile::TrainingArguments),
        ("trl sft --model_name_or_path x --lora_r 16", ToolFile::TrainingArguments),
    ] {
        assert_eq!(import(text, Some(kind)).expect("readable").text("lora"), Some("0"), "{text}");
    }
}

#[test]
fn settings_count_as_in_their_programs() {
    let registry = std::fs::read_to_string(folder().join("torchtitan/registry.py")).expect("readable");
    let megatron = |rest: &str| format!("pretrain_gpt.py --recompute-granularity {rest}");
    let method = |name: &str| format!("pretrain_gpt.py --num-layers 2 --{name} uniform");
    let factory = "llamafactory-cli train --model_name_or_path meta-llama/Llama-3.1-8B --bf16 --stage sft";
    let file = "llamafactory-cli train run.json --bf16";
    for (text, kind, key, value) in [
        (format!("#!/usr/bin/env python3\n{registry}"), ToolFile::Torchtitan, "m", Some("llama3-70b")),
        (megatron("none --recompute-granularity full"), ToolFile::MegatronLm, "rc", Some("full")),
        (megatron("full --recompute-granularity none"), ToolFile::MegatronLm, "rc", Some("none")),
        (method("recompute-method"), ToolFile::MegatronLm, "rc", Some("none")),
        (method("activations-checkpoint-method"), ToolFile::MegatronLm, "rc", Some("full")),
        (factory.to_owned(), ToolFile::TrainingArguments, "prec", Some("bf16")),
        (factory.to_owned(), ToolFile::TrainingArguments, "rc", Some("full")),
        (factory.to_owned(), ToolFile::TrainingArguments, "stack", Some("eager")),
        (file.to_owned(), ToolFile::TrainingArguments, "rc", None),
    ] {
        let import = import(&text, Some(kind)).unwrap_or_else(|errors| panic!("{text}: {}", told(&errors)));
        assert_eq!(import.text(key), value, "{key}: {text}");
    }
}

#[test]
fn optimizers_are_read_by_their_names() {
    for (name, rule, bits) in [
        ("adamw_bnb_8bit", "adamw", "8"),
        ("paged_adamw_32bit", "adamw", "32"),
        ("adamw_torch_4bit", "adamw", "4"),
        ("adafactor", "adafactor", "32"),
        ("lion_8bit", "lion", "8"),
        ("muon", "muon", "32"),
    ] {
        let text = format!("per_device_train_batch_size: 1\noptim: {name}\n");
        let import = import(&text, None).unwrap_or_else(|errors| panic!("{name}: {}", told(&errors)));
        assert_eq!((import.text("opt"), import.text("ost")), (Some(rule), Some(bits)), "{name}");
    }
    let other = import("optim: galore_adamw\n", Some(ToolFile::TrainingArguments)).expect("readable");
    assert!(other.text("opt").is_none() && other.ignored.iter().any(|ignored| ignored.name == "optim"));
}

#[test]
fn names_of_the_hub_are_known_by_themselves() {
    for (name, preset) in [
        ("meta-llama/Llama-3.1-8B-Instruct", "llama3-8b"),
        ("https://huggingface.co/mistralai/Mixtral-8x7B-v0.1/tree/main", "mixtral-8x7b"),
        ("deepseek-ai/DeepSeek-V3\n", "deepseek-v3"),
        ("NousResearch/Meta-Llama-3.1-8B", "llama3-8b"),
        ("unsloth/llama-3-8b-bnb-4bit", "llama3-8b"),
        ("meta-llama/Llama-2-7b-chat-hf", "llama2-7b"),
        ("Qwen/Qwen3-30B-A3B-Instruct-2507", "qwen3-30b-a3b"),
        ("google/gemma-2-9b-it", "gemma2-9b"),
        ("llama3-70b", "llama3-70b"),
    ] {
        let import = import(name, None).unwrap_or_else(|errors| panic!("{name}: {}", told(&errors)));
        assert_eq!((import.kind, import.text("m")), (ToolFile::Hub, Some(preset)), "{name}");
    }
    let instruct = import("mistralai/Mistral-7B-Instruct-v0.3", None).expect("its base is there");
    assert_eq!((instruct.text("layers"), instruct.text("vocab")), (Some("32"), Some("32768")));
    assert!(import("someone/something-else", None).is_err());
}

#[test]
fn steps_are_measured() {
    // Medians by hand: four of six iterations; 16 x 8,192 tokens at 8,192 a second on each of 8 GPUs; half a step a second;
    // two steps of the profiler.
    // The same without the first two of four, and NeMo's whose first is the thirtieth; time stamps ten steps apart.
    for (file, seconds) in [
        ("other/megatron.log", 1.0025),
        ("other/torchtitan.log", 2.0),
        ("other/trainer.log", 2.0),
        ("other/trace.json", 1.6),
        ("other/megatron-steps-only.log", 30.157),
        ("other/nemo.log", 7.32),
        ("other/torchtitan-stamps.log", (1.3936 + 1.4207) / 2.0),
    ] {
        let rows = published();
        let row = rows.iter().find(|row| row.file.ends_with(file)).expect("a row");
        let measured = row.import().measured.expect("steps");
        assert!((measured.step_seconds - seconds).abs() < 1e-6, "{file}: {measured:?}");
    }
}

#[test]
fn what_cannot_be_read_is_told_with_its_place() {
    let config =
        "{\n  \"model_type\": \"llama\",\n  \"num_hidden_layers\": \"many\",\n  \"hidden_size\": 64\n}";
    for (text, kind, told) in [
        (
            config,
            ToolFile::HfConfig,
            "Line 3, num_hidden_layers: \u{201c}many\u{201d} is not a whole number.",
        ),
        ("{\"model_type\": \"llama\",\n oops}", ToolFile::HfConfig, "Line 2: This is not JSON"),
        ("{\"model_type\": \"llama\"}", ToolFile::HfConfig, "num_hidden_layers: "),
        (
            "{\"model_type\": \"nllb-moe\", \"is_encoder_decoder\": true}",
            ToolFile::HfConfig,
            "Encoder-decoder models are not supported",
        ),
        (
            "{\"model_type\": \"rwkv7\", \"num_heads\": 8}",
            ToolFile::HfConfig,
            "Models with RWKV (rwkv7) are not supported.",
        ),
        (
            "{\"num_hidden_layers\": 8, \"hidden_size\": 64, \"num_attention_heads\": 1}",
            ToolFile::HfConfig,
            "vocab_size: Required setting vocab is missing.",
        ),
        (
            "{\"model_type\": \"nemotron-nas\", \"num_hidden_layers\": 1, \"hidden_size\": 64, \"num_attention_heads\": 1, \"vocab_size\": 64, \"block_configs\": [{\"ffn\": {\"replace_with_linear\": true}}]}",
            ToolFile::HfConfig,
            "a matrix in place of its feed-forward part",
        ),
        ("[model]\nname = \"llama3\"\nflavor = 8B", ToolFile::Torchtitan, "Line 3: This is not TOML"),
        (
            "[parallelism]\ntensor_parallel_degree = -8",
            ToolFile::Torchtitan,
            "Line 2, parallelism.tensor_parallel_degree: ",
        ),
        ("model:\n  a: [1,\n", ToolFile::MegatronBridge, "This is not YAML"),
        (
            "--num-layers 2 --tensor-model-parallel-size two",
            ToolFile::MegatronLm,
            "Line 1, --tensor-model-parallel-size: ",
        ),
        ("--num-layers \"2", ToolFile::MegatronLm, "Line 1: A quote is not closed."),
        (
            "--hf-checkpoint deepseek-ai/DeepSeek-V3 --mtp-num-layers abc",
            ToolFile::MegatronLm,
            "Line 1, --mtp-num-layers: \u{201c}abc\u{201d} is not a whole number.",
        ),
        (
            "--hf-checkpoint deepseek-ai/DeepSeek-V3 --mtp-num-layers -1",
            ToolFile::MegatronLm,
            "Line 1, --mtp-num-layers: -1 is not a count.",
        ),
        ("--pipeline-model-parallel-layout Et|x", ToolFile::MegatronLm, "expected a pipeline layout"),
        (
            "{\"train_batch_size\": 7, \"train_micro_batch_size_per_gpu\": 2, \"gradient_accumulation_steps\": 2}",
            ToolFile::Deepspeed,
            "7 sequences are not divisible by",
        ),
        ("nothing", ToolFile::Machine, "The text lists no GPU"),
        ("nothing", ToolFile::TrainingLog, "The log has no step times"),
        ("{\"traceEvents\": []}", ToolFile::Trace, "no step"),
    ] {
        let errors = import(text, Some(kind)).expect_err(text);
        let all = errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n");
        assert!(all.contains(told), "{text}: {all}");
    }
    assert!(import("a grocery list\nmilk\n", None).is_err());
}

#[test]
fn files_that_would_take_long_are_refused() {
    let deep = "[".repeat(100_000);
    let laughs = (1..40).fold("a0: &a0 [x, x, x, x, x, x, x, x]\n".to_owned(), |text, level| {
        let before = level - 1;
        text + &format!("a{level}: &a{level} [{}]\n", vec![format!("*a{before}"); 8].join(", "))
    });
    let many: String = (0..30_000).map(|index| format!("k{index}: 1\n")).collect();
    for text in [&deep, &format!("a: {deep}"), &laughs, &many, &"x".repeat(2 << 20)] {
        for kind in [ToolFile::HfConfig, ToolFile::MegatronBridge, ToolFile::Torchtitan, ToolFile::Accelerate]
        {
            assert!(import(text, Some(kind)).is_err());
        }
    }
}

#[test]
fn truncated_files_are_read_or_refused_in_sentences() {
    for row in published() {
        let text = row.text();
        let step = (text.len() / 40).max(1);
        for end in (0..text.len()).step_by(step).filter(|end| text.is_char_boundary(*end)) {
            if let Err(errors) = import(&text[..end], Some(row.kind)) {
                assert!(!errors.is_empty(), "{}", row.file);
                assert!(
                    errors.iter().all(|error| error.message.ends_with('.')),
                    "{}: {}",
                    row.file,
                    told(&errors)
                );
            }
        }
    }
}

/// Keys that have an effect and that a framework's file can be asked about.
fn asked(document: &Document) -> Vec<&'static str> {
    let of = |group: FieldGroup| matches!(group, FieldGroup::Model | FieldGroup::Workload | FieldGroup::Plan);
    let fields = FIELDS.iter().filter(|field| of(field.group) || field.key == "n");
    fields.map(|field| field.key).filter(|key| document.applies(key)).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, max_shrink_iters: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_written_is_read_back(drawn in scenarios::scenarios(), index in 0..Framework::ALL.len()) {
        let framework = Framework::ALL[index];
        let document = Document::from_scenario(&drawn.scenario);
        let written = export(&drawn.scenario, framework);
        let back = import(&written.text, None);
        let back = back.unwrap_or_else(|errors| panic!("{}: {}\n{}", framework.name(), told(&errors), written.text));
        prop_assert_eq!(back.kind.name(), framework.name());
        for key in &written.said {
            let (wanted, read) = (document.text(key), back.text(key));
            prop_assert_eq!(read, Some(wanted), "{} of {}:\n{}", key, framework.name(), written.text);
        }
        for key in asked(&document) {
            let left_out = written.left_out.iter().any(|left_out| left_out.field == key);
            prop_assert!(written.said.contains(&key) != left_out, "{} of {}", key, framework.name());
            if left_out {
                let mentioned = written.text.contains(&format!("{key}={}", document.text(key)));
                prop_assert!(mentioned, "{} of {}:\n{}", key, framework.name(), written.text);
            }
        }
        // The machine is said or left out, too, and none of it comes back as something else.
        for field in FIELDS.iter().filter(|field| field.group == FieldGroup::Cluster && document.applies(field.key)) {
            let left_out = written.left_out.iter().any(|left_out| left_out.field == field.key);
            prop_assert!(written.said.contains(&field.key) != left_out, "{} of {}", field.key, framework.name());
        }
        let kept = |key: &str| back.text(key).is_none_or(|text| text == document.text(key));
        if written.left_out.iter().all(|left_out| kept(left_out.field)) {
            let again = back.onto(&document).scenario();
            let again = again.unwrap_or_else(|errors| panic!("{}: {errors:?}\n{}", framework.name(), written.text));
            prop_assert_eq!(&export(&again, framework).text, &written.text);
        }
    }

    // What validate_args of Megatron-LM and ParallelismConfig of Accelerate refuse, read off their sources.
    #[test]
    fn what_their_parsers_refuse_is_not_written(drawn in scenarios::scenarios()) {
        let script = export(&drawn.scenario, Framework::MegatronLm).text;
        let given = |name: &str| script.lines().find_map(|line| line.trim().strip_prefix(name)?.trim().parse::<u32>().ok());
        let has = |name: &str| script.lines().any(|line| line.trim().split(' ').next() == Some(name));
        prop_assert!(!has("--tp-comm-overlap") || has("--sequence-parallel"), "{}", script);
        let chunks = given("--pipeline-model-parallel-size").unwrap_or(1)
            * given("--num-virtual-stages-per-pipeline-rank").unwrap_or(1);
        let ends = 2 * u32::from(has("--account-for-embedding-in-pipeline-split"));
        let layers = given("--num-layers").expect("layers") + ends;
        // Lists of more chunks than this are left out, with the reason.
        let listed = has("--pipeline-model-parallel-layout") || chunks > 1024;
        prop_assert!(listed || layers.is_multiple_of(chunks), "{}", script);
        let yaml = export(&drawn.scenario, Framework::Accelerate).text;
        let given = |name: &str| yaml.lines().find_map(|line| line.trim().strip_prefix(name)?.strip_prefix(": ")?.parse::<u64>().ok());
        let names = ["dp_replicate", "dp_shard", "tp", "cp"];
        let degrees = names.map(|name| given(&format!("parallelism_config_{name}_size")));
        if let [Some(replicate), Some(shard), Some(tensor), Some(context)] = degrees {
            prop_assert_eq!(Some(replicate * shard * tensor * context), given("num_processes"), "{}", yaml);
            prop_assert!(shard > 1 || replicate == 1 || tensor * context == 1, "{}", yaml);
        }
    }

    #[test]
    fn damaged_files_never_panic(index in 0..1000_usize, place in 0.0..1.0_f64, with in "\\PC{0,12}", kind in 0..ToolFile::ALL.len()) {
        let rows = published();
        let mut text = rows[index % rows.len()].text();
        let mut at = (place * text.len() as f64) as usize;
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        text.insert_str(at, &with);
        let _ = import(&text, None);
        let _ = import(&text, Some(ToolFile::ALL[kind]));
    }

    #[test]
    fn any_text_is_read_or_refused(text in "(\\PC|\n|\t| |=|:|\\[|\\{|\"|--){0,200}", kind in 0..ToolFile::ALL.len()) {
        let _ = import(&text, None);
        let _ = import(&text, Some(ToolFile::ALL[kind]));
    }
}
