//! The command line that imports and exports other tools' files.

use crate::command;
use crate::exchange::{folder, told};
use stepcast::document::Document;
use stepcast::exchange::import;

#[test]
fn the_command_line_tells_fields_assumptions_and_what_it_ignored() {
    let file = folder().join("megatron-lm/llama3-8b-fp8.sh");
    let file = file.to_str().expect("a path");
    let told = command::json(&["import", file, "--assume-defaults", "--json"]);
    assert_eq!(told["kind"], "megatron-lm");
    assert_eq!(told["fields"]["tp"], "1");
    assert!(told["assumed"].as_array().is_some_and(|list| list.iter().any(|entry| entry["field"] == "pp")));
    let ignored = told["ignored"].as_array().expect("a list");
    let rotary = ignored.iter().find(|entry| entry["name"] == "--rotary-base").expect("an ignored argument");
    assert!(rotary["line"].as_u64().is_some_and(|line| line > 1) && rotary["text"].is_string());
    let link = told["link"].as_str().expect("a link");
    assert_eq!(Document::from_link(link).expect("a link").document.text("gb"), "128");
    let of_default = |entry: &serde_json::Value| {
        entry["field"] == "g"
            && entry["text"].as_str().is_some_and(|text| text.contains("value of the default job"))
    };
    assert!(told["assumed"].as_array().is_some_and(|list| list.iter().any(of_default)));
    let words = command::text(&["import", file, "--set", "g=dgx-h100"]);
    assert!(
        words.contains("Imported") && words.contains("Assumed") && words.contains("Ignored: does not change"),
        "{words}"
    );
    assert!(words.lines().all(|line| line.chars().count() <= 100 || line.starts_with('#')), "{words}");
    let named = command::json(&["import", "Qwen/Qwen3-8B", "--assume-defaults", "--json"]);
    assert_eq!(named["fields"]["m"], "qwen3-8b");
    assert!(command::refusal(&["import", "nowhere.json"]).contains("nowhere.json"));
    assert!(command::refusal(&["import", "x", "--from", "word"]).contains("hf-config"));
}

#[test]
fn the_command_line_writes_what_it_reads() {
    let written =
        command::text(&["export", "1;m=llama3-70b;tp=4;stack=torchtitan;zero=3", "--for", "torchtitan"]);
    let back = import(&written, None).unwrap_or_else(|errors| panic!("{}", told(&errors)));
    assert_eq!(
        (back.text("m"), back.text("tp"), back.text("zero")),
        (Some("llama3-70b"), Some("4"), Some("3"))
    );
    assert!(command::refusal(&["export", "1;tp=3", "--for", "torchtitan"]).contains("tp"));
}

#[test]
fn flags_of_one_gpu_name_the_arguments_of_its_script() {
    let written = command::text(&["export", "qlora llama3-8b on one 4090", "--for", "accelerate"]);
    for part in [
        "distributed_type: 'NO'",
        "gradient_accumulation_steps=16",
        "LoraConfig(r=16)",
        "load_in_4bit=True",
        "2048 tokens",
    ] {
        assert!(written.contains(part), "{part}: {written}");
    }
}

#[test]
fn a_shape_in_words_is_forecast_and_what_it_lacks_is_asked_for() {
    let job = "13B model with 40 layers, hidden 5120, ffn 13824, 40 heads, vocab 50257 on 24 nodes of 8 H100, sequence 4096, batch 768";
    let told = command::json(&["predict", job, "--json"]);
    assert!(told["step_s"].as_f64().is_some_and(|step| step > 0.0), "{told}");
    assert!(
        command::refusal(&["predict", "13B model with 40 layers on 8 H100"]).contains("Add the hidden size")
    );
}
