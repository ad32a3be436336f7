//! Shapes of models in sentences.

use super::*;
use crate::document::settings;

/// What a sentence says of its model, with the values that follow, and what is left of it.
fn read(text: &str) -> Option<(String, DescribedModel)> {
    let found = settings(text);
    Some((found.rest, found.model?))
}

fn of(model: &DescribedModel, key: &str) -> String {
    model.fields.iter().rfind(|field| field.0 == key).map(|field| field.1.clone()).unwrap_or_default()
}

#[test]
fn a_shape_is_read_however_it_is_said() {
    let shape = |layers: &str, hidden: &str, ffn: &str, heads: &str, kv: &str, vocab: &str| {
        [layers, hidden, ffn, heads, kv, vocab].map(str::to_owned)
    };
    let llama = || shape("40", "5120", "13824", "40", "40", "50257");
    for (text, rest, expected) in [
        (
            "13B model with 40 layers, hidden 5120, ffn 13824, 40 heads, vocab 50257 on 24 nodes of 8 H100, sequence 4096, batch 768",
            "custom on 24 nodes of 8 H100",
            llama(),
        ),
        (
            "train a 13b with 40 layers, hidden size of 5,120, feed-forward 13,824, 40 attention heads and a vocabulary of 50,257 on 192 h100",
            "custom on 192 h100",
            llama(),
        ),
        (
            "40-layer transformer, d_model=5120, d_ff=13824, n_heads=40, vocab_size=50257, MHA on 8 H100",
            "custom on 8 H100",
            llama(),
        ),
        ("layers 40 hidden 5120 ffn 13824 heads 40 vocab 50257 on 8 H100", "custom on 8 H100", llama()),
        (
            "40 layers, 5120 hidden, 40 heads, 13824 intermediate size, 50257 vocab, 192 H100",
            "custom on 192 H100",
            llama(),
        ),
        (
            "13 billion parameters: 40 layers, hidden 5120, 40 heads, vocab 50257 on 8 H100 with torchtitan",
            "custom on 8 H100 with torchtitan",
            llama(),
        ),
        (
            "our model, 32 layers, hidden 4096, ffn 14336, 32 heads, 8 kv heads, vocab 128k on 8 H100",
            "custom on 8 H100",
            shape("32", "4096", "14336", "32", "8", "128k"),
        ),
        (
            "8B model: 32 layers, hidden 4096, ffn 14336, 32 heads, GQA 8, vocab 128256, swiglu on 8 H100",
            "custom on 8 H100",
            shape("32", "4096", "14336", "32", "8", "128256"),
        ),
        (
            "1.3B decoder with 24 layers, hidden 2048, 16 heads, GELU, mqa, vocab 50304 on one A100",
            "custom on one A100",
            shape("24", "2048", "8192", "16", "1", "50304"),
        ),
    ] {
        let (left, model) = read(text).unwrap_or_else(|| panic!("{text}"));
        assert_eq!(left, rest, "{text}");
        assert_eq!(model.problem, None, "{text}");
        assert_eq!(
            ["layers", "hidden", "ffn", "heads", "kv", "vocab"].map(|key| of(&model, key)),
            expected,
            "{text}"
        );
    }
}

#[test]
fn what_was_assumed_is_said() {
    let said = |text: &str| read(text).expect("a shape").1.assumed.join(" ");
    let open = said("13B model, 40 layers, hidden 5120, vocab 32000 on 8 H100");
    for part in [
        "40 attention heads of dimension 128",
        "multi-head attention",
        "(SwiGLU)",
        "feed-forward size 13,824",
        "untied",
    ] {
        assert!(open.contains(part), "{part}: {open}");
    }
    let told =
        said("13B model, 40 layers, hidden 5120, 40 heads, ffn 13824, mha, swiglu, vocab 32000 on 8 H100");
    for part in ["multi-head", "SwiGLU", "feed-forward", "parameters"] {
        assert!(!told.contains(part), "{part}: {told}");
    }
    let other = said("30B model, 40 layers, hidden 5120, 40 heads, vocab 32000 on 8 H100");
    assert!(other.contains("13.0\u{a0}B parameters, not 30B."), "{other}");
}

#[test]
fn what_is_missing_or_impossible_is_said() {
    let problem = |text: &str| read(text).expect("a shape").1.problem.expect("a problem").1;
    assert!(
        problem("13B model with 40 layers on 8 H100")
            .starts_with("Add the hidden size and the vocabulary size")
    );
    assert!(problem("model with 40 layers, hidden 5000, vocab 32000").contains("attention heads"));
    assert!(
        problem("model with 40 layers, hidden 5120, 48 heads, vocab 32000")
            .contains("is not divisible by 48 heads")
    );
}

#[test]
fn what_is_no_shape_of_a_model_is_left() {
    for text in [
        "llama3-8b on 8 h100, freeze 10 layers",
        "llama3-8b on 8 h100, only the last 8 layers",
        "llama3-8b on 8 h100, 8 layers per stage",
        "llama3-8b on 8 h100, 13B ffn",
        "llama3-8b on 8 h100",
        "13B model on 8 H100",
        "seq 4096, batch 512",
    ] {
        let found = settings(text);
        assert!(
            found.model.is_none() && found.fields.iter().all(|field| !is_shape(field.0)),
            "{text}: {found:?}"
        );
    }
    // A model that has a name is changed.
    let edited = settings("llama3-8b with 16 layers on 8 h100");
    assert_eq!(
        (edited.rest.as_str(), &*edited.fields),
        ("llama3-8b on 8 h100", &[("layers", "16".to_owned())][..])
    );
    assert!(edited.model.is_none());
    // Experts are not read: the sentence is no dense model.
    assert!(settings("model with 32 layers, hidden 4096, 64 experts, vocab 32000 on 8 H100").model.is_none());
}
