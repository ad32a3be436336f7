//! Fully and hybrid sharded data parallelism against worked examples: what is gathered, scattered and
//! reduced, and how much of it a step waits for.

use stepcast::constants::Constants;
use stepcast::document::Document;
use stepcast::forecast::Breakdown;
use stepcast::forecast::Predictor;
use stepcast::scenario::Scenario;
use stepcast::units::BytesPerSecond;

/// Parameters of one layer of Llama-2 7B: queries, keys, values and output 4 h^2, gate, up and down 3 h f,
/// two norms 2 h, with h = 4096 and f = 11008.
const LAYER: f64 = 4.0 * 4096.0 * 4096.0 + 3.0 * 4096.0 * 11_008.0 + 2.0 * 4096.0;
/// Its embedding and LM head: the vocabulary of 32,000 is a multiple of 128.
const TABLE: f64 = 32_000.0 * 4096.0;
/// What the two ends hold: both tables, and the norm before the head.
const ENDS: f64 = 2.0 * TABLE + 4096.0;
/// Nominal rate of a GPU's NVLink, and of its network port, bytes per second.
const LINK: f64 = 450e9;
const PORT: f64 = 50e9;

/// Links without latency, ramps and losses; a host that costs nothing.
fn plain() -> Constants {
    Constants {
        scale_up_efficiency_hopper: 1.0,
        scale_up_small_group_loss_hopper: 0.0,
        scale_up_switch_hopper: 0.0,
        scale_up_latency_hopper: 0.0,
        scale_up_fill_hopper: 0.0,
        scale_up_ramp_hopper: 0.0,
        tier_overlap_loss: 0.0,
        network_efficiency_infiniband: 1.0,
        network_latency: 0.0,
        network_half_size: 0.0,
        host_layer_fused: 0.0,
        fsdp_contention: 0.0,
        overlap_fsdp: 1.0,
        framework_factor_fsdp: 1.0,
        straggler_fused: 0.0,
        ..Constants::SHIPPED
    }
}

/// Llama-2 7B under compiled FSDP in 16 bits, 2 micro-batches of one sequence per GPU.
fn job(gpus: u32, zero: &str, overlap: bool, layers: u32) -> Scenario {
    let mut document = Document::default();
    for (key, text) in [
        ("m", "llama2-7b"),
        ("g", "dgx-h100"),
        ("n", &gpus.to_string()),
        ("gb", &(2 * gpus).to_string()),
        ("seq", "4096"),
        ("stack", "compiled"),
        ("tp", "1"),
        ("sp", "0"),
        ("pp", "1"),
        ("zero", zero),
        ("dpo", if overlap { "1" } else { "0" }),
        ("layers", &layers.to_string()),
    ] {
        document.set(key, text);
    }
    document.scenario().expect("legal")
}

fn breakdown(scenario: &Scenario) -> Breakdown {
    Predictor::new(&plain()).predict(scenario).expect("legal").breakdown
}

fn close(left: f64, right: f64) -> bool {
    (left / right - 1.0).abs() < 1e-9
}

/// One machine of 8, nothing overlapped. Each GPU gathers 7/8 of every layer in 16 bits forward and again
/// backward, and scatters as much of its gradients; embedding and head are gathered once and scattered once
/// each. Twice, for two micro-batches:
///
/// 2 (32 layers x 3 x 2 B x 202.4 M x 7/8 + 4 x 2 B x 131.1 M x 7/8) / 450 GB/s = 155.2 ms
#[test]
fn without_overlap_every_gather_and_scatter_shows() {
    let bytes = 2.0 * 7.0 / 8.0 * 2.0 * (32.0 * 3.0 * LAYER + 2.0 * ENDS);
    let shown = breakdown(&job(8, "3", false, 32)).data_communication.0;
    assert!(close(shown, bytes / LINK), "{shown} {}", bytes / LINK);
    assert!((shown - 0.1552).abs() < 5e-5, "{shown}");
}

/// With prefetch, a layer's gather runs behind the layer before: only what outlasts it shows, and one of 32
/// layers has none before it. Embedding and head show half of theirs, and as much of the rest. On full NVLink
/// no more shows; at a fiftieth of its rate a gather takes 39 ms and a layer's forward pass less, so the excess
/// shows, layer by layer and pass by pass.
#[test]
fn with_prefetch_only_the_excess_shows() {
    let compute = |part: fn(&Breakdown) -> f64| {
        part(&breakdown(&job(8, "3", true, 33))) - part(&breakdown(&job(8, "3", true, 32)))
    };
    // Two micro-batches of one layer.
    let (forward, backward) =
        (compute(|parts| parts.forward.0) / 2.0, compute(|parts| parts.backward.0) / 2.0);
    for slower in [1.0, 50.0] {
        let mut scenario = job(8, "3", true, 32);
        scenario.cluster.scale_up.bandwidth = BytesPerSecond(LINK / slower);
        let gather = 7.0 / 8.0 * 2.0 * LAYER * slower / LINK;
        let beside = |time: f64, compute: f64| time - 31.0 / 32.0 * time.min(compute);
        let layer = beside(gather, forward) + beside(2.0 * gather, backward);
        let ends = (1.0 - 0.5 * 31.0 / 32.0) * 2.0 * (7.0 / 8.0 * 2.0 * ENDS * slower / LINK);
        let shown = breakdown(&scenario).data_communication.0;
        assert!(close(shown, 2.0 * (32.0 * layer + ends)), "{slower} {shown}");
        assert_eq!([gather > forward, 2.0 * gather > backward], [slower > 1.0; 2]);
    }
}

/// Four machines, sharded within each and replicated across: what is gathered and scattered stays on NVLink
/// and is that of one machine; once a step each GPU all-reduces its eighth of the gradients with three others
/// over its own port, 2 x 3/4 x 2 B x 6.74 G / 8 / 50 GB/s = 50.5 ms.
#[test]
fn hybrid_sharding_reduces_shards_across_machines() {
    let total = 32.0 * LAYER + ENDS;
    let inside = 2.0 * 7.0 / 8.0 * 2.0 * (32.0 * 3.0 * LAYER + 2.0 * ENDS) / LINK;
    let across = 2.0 * 3.0 / 4.0 * 2.0 * total / 8.0 / PORT;
    let shown = breakdown(&job(32, "hsdp", false, 32)).data_communication.0;
    assert!(close(shown, inside + across), "{shown} {inside} {across}");
    assert!((across - 0.0505).abs() < 5e-5, "{across}");
    // Sharded over all 32, each GPU's port carries its part of every gather and scatter: (n - 1)/n of the tensor
    // over 8 ports for n machines, slower than NVLink's 31/32 of it.
    let whole = 2.0 * 3.0 / 4.0 * 2.0 * (32.0 * 3.0 * LAYER + 2.0 * ENDS) / (8.0 * PORT);
    let up = 2.0 * 31.0 / 32.0 * 2.0 * (32.0 * 3.0 * LAYER + 2.0 * ENDS) / LINK;
    let shown = breakdown(&job(32, "3", false, 32)).data_communication.0;
    assert!(close(shown, whole.max(up)), "{shown} {whole} {up}");
}
