//! Attention to few keys: what its layers compute, hold and refuse.

use stepcast::constants::Constants;
use stepcast::cost::{AttentionCore, IndexScores, Rates, Work};
use stepcast::document::Document;
use stepcast::forecast::Predictor;
use stepcast::scenario::Scenario;
use stepcast::scenario::model::{LayerKind, LayerShares, Mixer};

/// DeepSeek-V3.2 by its difference from V3.
const SPARSE: &str =
    "#2;m=deepseek-v3;lay=s;sel=2048;idxh=64;idxd=128;g=dgx-h100;n=256;prec=fp8;tp=2;sp=1;pp=8;ep=8;mb=1";

fn job(more: &str) -> Scenario {
    let document = Document::from_link(&format!("{SPARSE};{more}")).expect("a link").document;
    document.scenario().unwrap_or_else(|errors| panic!("{errors:?}"))
}

/// What Transformers builds of its `config.json`.
#[test]
fn an_indexer_has_its_parameters() {
    assert_eq!(job("").model.parameters(), 671_877_929_216);
}

#[test]
fn pairs_are_those_of_the_window_that_is_selected() {
    let model = job("").model;
    let pairs = model.pairs(Mixer::Selected, 8192.0, 0.0);
    assert!((pairs - (2.0 * 0.25 - 0.0625)).abs() < 1e-12, "{pairs}");
    assert_eq!(model.pairs(Mixer::Selected, 1024.0, 0.0), 1.0);
    assert_eq!(model.pairs(Mixer::Attention, 8192.0, 0.0), 1.0);
}

/// flash_mla_sparse_fwd, DeepGEMM's scores and the choice by them on H100: 8,192 tokens of GLM-5, 64 heads and 32 of the indexer
/// (`kernels_mixers.csv`).
#[test]
fn measured_kernels_come_out() {
    let scenario = job("");
    let rates = Rates::of_benchmark(&scenario, &Constants::SHIPPED);
    let core = AttentionCore {
        tokens: 8192.0,
        keys: 2048.0,
        heads: 64.0,
        head_dim: 576.0,
        value_dim: 512.0,
        pairs: 2.0,
        reads_mask: false,
        gathers: true,
        score_bytes: 0.0,
        backward: false,
    };
    let attention = rates.price(&Work::Attention(core)).time.0 / 3822e-6;
    assert!((0.9..1.1).contains(&attention), "{attention}");
    let index = IndexScores { tokens: 8192.0, keys: 4096.0, heads: 32.0, width: 128.0, backward: false };
    let scores = rates.price(&Work::Index(index)).time.0;
    assert!((289e-6 + 143e-6..289e-6 + 391e-6).contains(&scores), "{scores}");
}

/// Every rank of a tensor-parallel group has the indexer whole.
#[test]
fn an_indexer_is_not_split() {
    let model = job("").model;
    let kind = LayerKind { mixer: Mixer::Selected, ..LayerKind::DENSE };
    let index = |degree: u32| {
        model.kind_parameters(kind, LayerShares { tensor: degree, ..LayerShares::WHOLE }).total()
            - model.layer_parameters(degree).total()
    };
    assert_eq!(index(1), index(8));
}

#[test]
fn only_gathered_keys_can_be_selected_among() {
    let link = format!("{SPARSE};cp=2;cpx=ring");
    let errors = Document::from_link(&link).expect("a link").document.scenario().expect_err("refused");
    assert!(
        errors.iter().any(|error| error.field == "cpx" && error.suggestions == ["all-gather"]),
        "{errors:?}"
    );
    job("cp=2;cpx=all-gather");
}

/// Long sequences cost less than with full attention, short ones more: queries gather as many keys whatever is before them.
#[test]
fn selection_pays_on_long_sequences() {
    let step = |scenario: &Scenario| Predictor::SHIPPED.estimate(scenario).step.0;
    let full = |sequence: &str| {
        let link = format!("{SPARSE};lay=;sel=0;idxh=0;idxd=0;{sequence}");
        Document::from_link(&link).expect("a link").document.scenario().expect("possible")
    };
    let long = "seq=65536;gb=32;rc=full";
    assert!(step(&job(long)) < step(&full(long)));
    let short = "seq=4096;gb=512;rc=full";
    assert!(step(&job(short)) > step(&full(short)));
}
