//! What a field is found by, besides its own text: the words that other tools have for it.

use super::{Field, FieldKind};

/// Keys of fields, and what people call them elsewhere.
const OTHER_WORDS: [(&str, &str); 59] = [
    ("attn", "flash attention flash_attn sdpa fa2 fa3 fa4 attn_implementation memory efficient"),
    (
        "base",
        "qlora bnb bitsandbytes quantized quantised load_in_4bit load_in_8bit 4-bit 8-bit freeze freezing",
    ),
    ("comp", "torch.compile inductor jit"),
    (
        "cp",
        "ring attention ulysses sequence parallel zigzag long context context_parallel_size context_parallel_degree",
    ),
    ("cpu", "arm neoverse xeon epyc aarch64 launch overhead"),
    ("cpx", "ring attention ulysses zigzag all-gather llama3 style"),
    ("dh", "head_dim kv_channels"),
    ("doc", "packing packed samples sft varlen cu_seqlens document mask block diagonal sample packing"),
    ("dpo", "overlap_grad_reduce overlap_comm"),
    ("each", "no_sync gradient accumulation"),
    ("effn", "moe_intermediate_size moe_ffn_hidden_size"),
    ("ep", "expert_model_parallel_size expert_parallel_degree"),
    ("epo", "moe_a2a_overlap overlap_moe_expert_parallel_comm dualpipe all-to-all"),
    ("etp", "expert_tensor_parallel_size"),
    ("ew", "liger kernel rms norm rope swiglu fused foak apex"),
    ("ffn", "intermediate_size ffn_hidden_size n_inner"),
    ("gao", "overlap_param_gather prefetch"),
    (
        "gb",
        "global batch gradient accumulation steps global_batch_size train_batch_size gradient_accumulation_steps",
    ),
    ("grads", "grad_reduce_in_fp32 reduce_dtype accumulate_allreduce_grads_in_fp32"),
    ("heads", "num_attention_heads"),
    ("hidden", "n_embd d_model"),
    ("kv", "num_key_value_heads num_query_groups n_kv_heads gqa mqa"),
    ("kvrank", "kv_lora_rank"),
    ("layers", "num_hidden_layers num_layers n_layers"),
    ("lead", "first_k_dense_replace moe_layer_freq"),
    ("lora", "qlora peft adapter fine-tune finetuning freeze freezing frozen"),
    ("lorat", "target_modules peft qlora"),
    ("loss", "liger fused linear cross entropy chunked ce cut logits"),
    (
        "mb",
        "per_device_train_batch_size micro batch train_micro_batch_size_per_gpu micro_batch_size local_batch_size",
    ),
    ("moe", "num_experts num_local_experts n_routed_experts"),
    ("mtp", "num_nextn_predict_layers mtp_num_layers"),
    ("muon", "muon_tp_mode newton-schulz orthogonalise layer-wise"),
    ("n", "world_size nnodes nproc_per_node num_gpus"),
    ("oa", "cpu offload activation offloading checkpoints"),
    ("oo", "cpu offload zero-offload optimizer offloading paged"),
    ("op", "offload_param cpu offload fsdp_offload_params zero-infinity cpuoffload parameter offloading"),
    ("opt", "adam adamw muon lion sgd adafactor optim"),
    ("optk", "foreach fused adam apex"),
    ("ost", "bnb bitsandbytes 8bit 8-bit adam torchao paged adamw_8bit"),
    ("pg", "cuda_graph_scope external-cuda-graph partial moe_router moe_preprocess"),
    ("pp", "pipeline_model_parallel_size pipeline_parallel_degree"),
    ("prec", "mixed_precision torch_dtype fp8_format"),
    ("qrank", "q_lora_rank"),
    ("rc", "gradient checkpointing activation checkpointing recompute remat recompute_granularity"),
    ("seq", "max_seq_length max_seq_len max_length cutoff_len block_size"),
    ("shared", "n_shared_experts shared_expert_intermediate_size"),
    ("tied", "tie_word_embeddings"),
    ("tokens", "train_iters train_samples max_steps"),
    ("topk", "num_experts_per_tok moe_router_topk"),
    ("topo", "nvswitch nvlink bridge all-to-all fully connected direct point-to-point links"),
    ("tp", "tensor_model_parallel_size tensor_parallel_degree"),
    ("tpo", "tp_comm_overlap async_tensor_parallel"),
    ("vocab", "vocab_size padded_vocab_size"),
    ("vpp", "virtual_pipeline_model_parallel_size num_layers_per_virtual_pipeline_stage"),
    ("window", "sliding_window"),
    ("wts", "master weights mixed precision pure bf16 fp32 autocast param_dtype"),
    ("xd", "alltoall all2all a2a dispatcher moe_token_dispatcher_type flex moe_enable_deepep"),
    ("xr", "balance balanced fake_balanced_gate force_load_balancing skew"),
    ("zero", "fsdp deepspeed stage full shard hsdp sharding reshard_after_forward distributed optimizer"),
];

impl Field {
    /// All that a field is found by: its label, key, unit and help, what may be chosen, and what others call it.
    pub fn in_words(&self) -> String {
        let mut text = [self.label, self.key, self.unit, self.help()].join(" ");
        if let FieldKind::Choice(list) = self.kind {
            for (name, label) in list {
                text = [&text, *name, *label].join(" ");
            }
        }
        for (key, words) in OTHER_WORDS {
            if key == self.key {
                text = [&text, words].join(" ");
            }
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fields::FIELDS;

    /// Every count of everyday training by a word of its users.
    #[test]
    fn fields_are_found_by_what_others_call_them() {
        let asked = [
            ("bnb", "ost"),
            ("8-bit", "ost"),
            ("qlora", "base"),
            ("flash attention", "attn"),
            ("FlashAttention-3", "attn"),
            ("liger", "ew"),
            ("liger", "loss"),
            ("packing", "doc"),
            ("padding", "pad"),
            ("gradient checkpointing", "rc"),
            ("no_sync", "each"),
            ("Muon", "opt"),
            ("Adafactor", "opt"),
            ("torch.compile", "comp"),
            ("fsdp", "zero"),
            ("activation offloading", "oa"),
            ("freezing", "lora"),
            ("MI355X", "family"),
            ("ulysses", "cp"),
            ("alltoall", "xd"),
            ("HybridEP", "xd"),
            ("cuda_graph_scope", "pg"),
            ("arm", "cpu"),
            ("offload_param", "op"),
            ("NVSwitch", "topo"),
        ];
        for (words, key) in asked {
            let field = Field::find(key).expect("a field");
            assert!(field.in_words().to_lowercase().contains(&words.to_lowercase()), "{words}: {key}");
        }
        assert!(!Field::find("vocab").expect("a field").in_words().contains("liger"));
    }

    /// A key that is no field would never be found.
    #[test]
    fn other_words_are_of_fields() {
        for (key, _) in OTHER_WORDS {
            assert!(FIELDS.iter().any(|field| field.key == key), "{key}");
        }
    }
}
