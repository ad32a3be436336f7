//! What stands in for a blank column where a row names a program that is no stack of its own, or a benchmark.

/// Columns and what they hold.
type Columns = &'static [(&'static str, &'static str)];

/// Rank of adapters whose rank nobody states: that of MLPerf's fine-tuning benchmark
/// (<https://github.com/mlcommons/training/tree/master/llama2_70b_lora>).
pub(super) const USUAL_RANK: u32 = 16;
const RANK: (&str, &str) = ("lora_rank", "16");
const OF_ATTENTION: (&str, &str) = ("lora_targets", "attention");
const OF_ALL: (&str, &str) = ("lora_targets", "all");

/// Programs by a word of their names, and what their code or publication says: DeepSeek's own, as it trained DeepSeek-V3 (arXiv
/// 2412.19437, sections 3.2.1, 3.2.2 and 3.3.3); torchtune, whose `dtype: bf16` is that of the whole model and so of its gradients and
/// states (<https://github.com/meta-pytorch/torchtune>, `recipes/full_finetune_single_device.py` and its configurations); and whatever
/// says in its name that it trains adapters: LoRA of PEFT's usual layers, and QLoRA of all (arXiv 2305.14314, section 4).
const PROGRAMS: [(&str, Columns); 5] = [
    (
        "hai-llm",
        &[("schedule", "dualpipe"), ("dispatcher", "deepep"), ("expert_overlap", "1"), ("state_bits", "16")],
    ),
    ("torchtune", &[("weights", "16"), ("gradients", "16"), ("state_bits", "16")]),
    ("lora", &[RANK, OF_ATTENTION]),
    ("peft", &[RANK, OF_ATTENTION]),
    ("qlora", &[RANK, OF_ALL, ("base_bits", "nf4")]),
];

/// MLPerf's benchmark of fine-tuning: Llama 2 70B (layers, width, vocabulary) by adapters on the attention's linear layers.
const MLPERF_MODEL: [(&str, &str); 3] = [("layers", "80"), ("hidden", "8192"), ("vocab", "32000")];
const MLPERF_ADAPTERS: Columns = &[RANK, OF_ATTENTION];
/// The same in FP8, which what is frozen is kept in (`fp8_params` of NVIDIA's submissions,
/// <https://github.com/mlcommons/training_results_v5.0>).
const MLPERF_ADAPTERS_FP8: Columns = &[RANK, OF_ATTENTION, ("base_bits", "8")];

/// What a column holds that its row leaves blank; empty where neither the program nor the benchmark says.
pub(super) fn usual<'a>(get: &impl Fn(&str) -> &'a str, column: &str) -> &'static str {
    let of = |columns: Columns| columns.iter().find(|entry| entry.0 == column).map(|entry| entry.1);
    let named = |word: &str, name: &str| {
        let name = name.to_ascii_lowercase().replace(['_', ' ', '/', '+'], "-");
        if word.contains('-') { name.starts_with(word) } else { name.split('-').any(|part| part == word) }
    };
    let by_program = || {
        let of_name = PROGRAMS
            .iter()
            .filter(|program| named(program.0, get("stack")) || named(program.0, get("model")));
        of_name.filter_map(|program| of(program.1)).next()
    };
    let by_benchmark = || {
        let is_mlperf = ["source", "stack", "release"].iter().any(|column| named("mlperf", get(column)));
        let of_model = MLPERF_MODEL.iter().all(|(column, value)| get(column) == *value);
        let eight = get("precision") == "fp8";
        (is_mlperf && of_model)
            .then(|| of(if eight { MLPERF_ADAPTERS_FP8 } else { MLPERF_ADAPTERS }))
            .flatten()
    };
    by_benchmark().or_else(by_program).unwrap_or("")
}
