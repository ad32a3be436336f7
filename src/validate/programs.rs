//! Values for blank columns of rows that name a program that is not a stack, or a benchmark.

use super::options::OPTIONS;

/// Columns and their values.
pub(super) type ColumnValues = &'static [(&'static str, &'static str)];

/// Rank of adapters with an unstated rank: that of MLPerf's fine-tuning benchmark
/// (<https://github.com/mlcommons/training/tree/master/llama2_70b_lora>); assumed for others.
pub(super) const RANK: (&str, &str) = ("lora_rank", "16");
const OF_ATTENTION: (&str, &str) = ("lora_targets", "attention");
const OF_ALL: (&str, &str) = ("lora_targets", "all");
/// PEFT's usual adapters, and MLPerf's.
pub(super) const ADAPTERS_OF_ATTENTION: ColumnValues = &[RANK, OF_ATTENTION];

/// 16-bit weights, gradients and states, without a 32-bit copy.
pub(super) const SIXTEEN_BITS: ColumnValues = &[("weights", "16"), ("gradients", "16"), ("state_bits", "16")];

/// Programs whose names state adapter training, by word: QLoRA on all linear layers over 4 bits (arXiv 2305.14314,
/// section 4), others with PEFT's defaults.
const ADAPTERS: [(&str, ColumnValues); 3] = [
    ("qlora", &[RANK, OF_ALL, ("base_bits", "nf4")]),
    ("lora", ADAPTERS_OF_ATTENTION),
    ("peft", ADAPTERS_OF_ATTENTION),
];

/// torchtune's `dtype: bf16` applies to the whole model, and so to its gradients and states
/// (<https://github.com/meta-pytorch/torchtune>, `recipes/full_finetune_single_device.py` and its configurations).
const TORCHTUNE: ColumnValues = SIXTEEN_BITS;

/// DeepSeek's own program as it trained DeepSeek-V3, in a pipeline that feeds from both ends (arXiv 2412.19437, sections 3.2.1, 3.2.2
/// and 3.3.3): of mixtures of experts from 2024 on.
const HAI_LLM: ColumnValues =
    &[("schedule", "dualpipe"), ("dispatcher", "deepep"), ("expert_overlap", "1"), ("state_bits", "16")];
const HAI_LLM_SINCE: u32 = 2024;

/// MLPerf's fine-tuning benchmark: Llama 2 70B (layers, width, vocabulary) with adapters on the attention's linear
/// layers.
const MLPERF_MODEL: [(&str, &str); 3] = [("layers", "80"), ("hidden", "8192"), ("vocab", "32000")];
/// NVIDIA's submissions of it in FP8, which also store frozen weights in FP8 (`fp8_params`,
/// <https://github.com/mlcommons/training_results_v5.0>).
const MLPERF_ADAPTERS_FP8: ColumnValues = &[RANK, OF_ATTENTION, ("base_bits", "8")];

/// Default of a blank column; empty if neither the program nor the benchmark determines it.
pub(super) fn usual<'a>(get: &impl Fn(&str) -> &'a str, column: &str) -> &'static str {
    known(get).iter().find(|entry| entry.0 == column).map_or("", |entry| entry.1)
}

/// The blank columns that a row's program or benchmark implies, in words.
pub(super) fn said<'a>(get: &impl Fn(&str) -> &'a str) -> Vec<String> {
    let options = OPTIONS.iter().filter(|option| get(option.0).is_empty());
    let filled = options.filter_map(|option| known(get).iter().find(|entry| entry.0 == option.0));
    filled.map(|entry| format!("{} {}, by its name", entry.0, entry.1)).collect()
}

fn known<'a>(get: &impl Fn(&str) -> &'a str) -> ColumnValues {
    let stack = words(get("stack"));
    let says = |word: &str| stack.split('-').any(|part| part == word);
    let is = |columns: &[(&str, &str)]| columns.iter().all(|(column, value)| get(column) == *value);
    let mlperf = says("mlperf") || get("release").starts_with("mlperf");
    if mlperf && is(&MLPERF_MODEL) {
        let nvidia = says("nemo") && says("mlperf");
        return if nvidia && get("precision") == "fp8" { MLPERF_ADAPTERS_FP8 } else { ADAPTERS_OF_ATTENTION };
    }
    let number = |column: &str| get(column).parse::<u32>().unwrap_or(0);
    if stack.starts_with("hai-llm") && number("experts") > 0 && number("year") >= HAI_LLM_SINCE {
        return HAI_LLM;
    }
    if says("torchtune") {
        return TORCHTUNE;
    }
    let model = words(get("model"));
    let named = |word: &str| says(word) || model.split('-').any(|part| part == word);
    let denied = ["no", "non", "without", "full"].iter().any(|word| named(word));
    let adapters = ADAPTERS.iter().find(|entry| !denied && named(entry.0));
    adapters.map_or(&[], |entry| entry.1)
}

/// A name in lower case, its words joined by hyphens.
fn words(name: &str) -> String {
    name.to_ascii_lowercase().replace(['_', ' ', '/', '+', '(', ')'], "-")
}
