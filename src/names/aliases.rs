// Generated from data/names.tsv by `cargo xtask data`: change the table, not this file.

//! Further names of what has one.

/// Names of kind model, and what they mean.
#[rustfmt::skip]
pub(super) static MODELS: &[(&str, &str)] = &[
("own", "custom"),
("own model", "custom"),
("my model", "custom"),
("llama 3.3 70b", "llama3-70b"),
("llama 3 405b", "llama3-405b"),
("gpt 3", "gpt3-175b"),
("gpt 2 xl", "gpt2-1.5b"),
("grok", "grok-1"),
("kimi", "kimi-k2"),
("deepseek", "deepseek-v3"),
("deepseek r1", "deepseek-v3"),
("dsv3", "deepseek-v3"),
("dsv2", "deepseek-v2"),
("ds v3", "deepseek-v3"),
("r1", "deepseek-v3"),
("scout", "llama4-scout"),
("maverick", "llama4-maverick"),
("mixtral", "mixtral-8x7b"),
("llama 4 109b", "llama4-scout"),
("llama 4 400b", "llama4-maverick"),
("phi 4", "phi4-14b"),
("megatron turing 530b", "megatron-530b"),
("mt nlg 530b", "megatron-530b"),
];

/// Names of kind machine, and what they mean.
#[rustfmt::skip]
pub(super) static MACHINES: &[(&str, &str)] = &[
("own", "custom"),
("own cluster", "custom"),
("own machine", "custom"),
("my cluster", "custom"),
("hgx h100", "dgx-h100"),
("hgx h200", "dgx-h200"),
("hgx b200", "dgx-b200"),
("hgx b300", "dgx-b300"),
("hgx a100", "dgx-a100-80g"),
("dgx a100", "dgx-a100-80g"),
("dgx 1", "dgx1-v100"),
("dgx v100", "dgx1-v100"),
("nvl72", "gb200-nvl72"),
("frontier", "mi250x"),
("lumi", "mi250x"),
("juwels", "juwels-booster"),
("mare nostrum 5", "marenostrum5"),
];

/// Names of kind software, and what they mean.
#[rustfmt::skip]
pub(super) static SOFTWARE: &[(&str, &str)] = &[
("megatron", "megatron-lm"),
("megatron core", "megatron-lm"),
("mcore", "megatron-lm"),
("nemo megatron", "nemo"),
("mbridge", "megatron-bridge"),
("titan", "torchtitan"),
("fsdp2", "torchtitan"),
("fsdp", "composer-fsdp"),
("llm foundry", "composer-fsdp"),
("composer", "composer-fsdp"),
("deepspeed", "deepspeed-zero3"),
("zero 3", "deepspeed-zero3"),
("pytorch", "eager"),
("torch", "eager"),
("hugging face", "eager"),
("hf", "eager"),
("transformers", "eager"),
("trl", "eager"),
("accelerate", "eager"),
("ddp", "eager"),
("jax", "maxtext"),
("xla", "compiled"),
("torch compile", "compiled"),
];
