//! Settings in sentences.

use super::settings;

#[test]
fn settings_are_taken_out_wherever_they_stand() {
    for (text, rest, fields) in [
        ("llama 3.1 405b on 16k h100 fp8", "llama 3.1 405b on 16k h100", "prec=fp8"),
        ("finetune llama 3 8b with lora on one 4090", "llama 3 8b on one 4090", "lora=16 base=16"),
        ("qlora rank 32 llama3-70b on 2 A6000", "llama3-70b on 2 A6000", "lora=32 base=nf4"),
        ("kimi-k2 on 256 GB300 with muon", "kimi-k2 on 256 GB300", "opt=muon"),
        ("dsv3 on 2048 h800, fp8, 14.8T tokens", "dsv3 on 2048 h800", "prec=fp8 tokens=14.8T"),
        ("llama2-7b on 2 trillion tokens in 2 weeks on 64 H100", "llama2-7b on 64 H100", "tokens=2T days=14"),
        ("nemotron-h 56b on 512 h100, seq 8,192, batch 768", "nemotron-h 56b on 512 h100", "seq=8192 gb=768"),
        ("qwen3-next 80b on 64 h100 32k context", "qwen3-next 80b on 64 h100", "seq=32k"),
        (
            "llama3-8b on 8 h100 with NeMo, TP2 pp=2, micro-batch size 2",
            "llama3-8b on 8 h100 with NeMo",
            "tp=2 pp=2 mb=2",
        ),
        ("llama3-8b on 8 h100 with deepspeed zero-3", "llama3-8b on 8 h100 with deepspeed", "zero=3"),
        ("llama3-8b on h100 x 4, seq 4096, batch 128", "llama3-8b on h100 x 4", "seq=4096 gb=128"),
        ("llama 3 8b batch 16 on 8 h100", "llama 3 8b on 8 h100", "gb=16"),
        ("llama3-8b on 8 4090 context parallel 2 seq 4096", "llama3-8b on 8 4090", "cp=2 seq=4096"),
        ("llama3 8b context parallel 2", "llama3 8b", "cp=2"),
        ("llama3-8b 32k context 2T tokens", "llama3-8b", "seq=32k tokens=2T"),
        ("llama3-8b batch 512 sequences of 4096 tokens", "llama3-8b", "gb=512 seq=4096"),
        ("llama3-8b 1M tokens on 32 h100", "llama3-8b on 32 h100", "seq=1M"),
        ("llama3-8b on 8 h100, no lora", "llama3-8b on 8 h100", ""),
        ("llama3-8b on 8 h100, fp8, foo 3", "llama3-8b on 8 h100, foo 3", "prec=fp8"),
        ("gpt-oss 20b on 8 h100", "gpt-oss 20b on 8 h100", ""),
        ("phi-4 fine tune on 4xA100", "phi-4 on 4xA100", ""),
        ("dsv3 on 2048 h800 with DualPipe", "dsv3 on 2048 h800", "sched=dualpipe"),
        ("llama3-8b 8 h100 bs 128 selective recompute", "llama3-8b 8 h100", "gb=128 rc=selective"),
        ("llama3-8b on 8 h100, no activation checkpointing", "llama3-8b on 8 h100", "rc=none"),
        (
            "llama3-8b on 8 h100, gradient checkpointing, flash attention 3",
            "llama3-8b on 8 h100",
            "rc=full attn=fa3",
        ),
        (
            "llama3-8b cost of 15T tokens on 8 h100 at $2.5/gpu-hour",
            "llama3-8b on 8 h100",
            "tokens=15T usd=2.5",
        ),
        ("llama3-8b on 8 h100 $2 per GPU hour", "llama3-8b on 8 h100", "usd=2"),
        ("llama3-8b on 8 h100 for $2000", "llama3-8b on 8 h100 for $2000", ""),
    ] {
        let found = settings(text);
        let pairs: Vec<String> = found.fields.iter().map(|(key, value)| format!("{key}={value}")).collect();
        assert_eq!((found.rest.as_str(), pairs.join(" ").as_str()), (rest, fields), "{text}");
    }
    for text in
        ["llama3-8b, batch of 4M tokens", "llama3-8b 4M token batch", "llama3-8b global batch size 4M tokens"]
    {
        let found = settings(text);
        assert_eq!((found.rest.as_str(), found.batch_tokens.as_deref()), ("llama3-8b", Some("4M")), "{text}");
        assert!(found.fields.is_empty(), "{text}");
    }
    for text in ["llama3-8b, gradient accumulation 8", "llama3-8b with grad accum steps of 8"] {
        let found = settings(text);
        assert_eq!(found.accumulation.as_deref(), Some("8"), "{text}");
        assert!(found.rest == "llama3-8b" && found.fields.is_empty(), "{text}");
    }
}
