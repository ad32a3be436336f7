//! What a row of a data file leaves blank is filled with what its software's users would run.

use std::collections::BTreeMap;

use stepcast::document::Document;
use stepcast::forecast::Predictor;
use stepcast::scenario::Scenario;
use stepcast::scenario::cluster::ScaleUpKind;
use stepcast::scenario::stack::{Attention, Compiled, FORMER_STACKS, Launch, Stack};
use stepcast::validate::MeasuredRun;

/// A mixture of experts on 256 H100 with some columns changed.
fn mixture(changes: &[(&str, &str)]) -> Scenario {
    let mut row: BTreeMap<&str, &str> = [
        ("id", "row"),
        ("source", "test"),
        ("iteration_s", "1"),
        ("stack", "nemo"),
        ("year", "2025"),
        ("release", "25.04"),
        ("gpu", "h100-80g"),
        ("gpus", "256"),
        ("node_gbps", "3200"),
        ("layers", "64"),
        ("hidden", "6144"),
        ("ffn", "32768"),
        ("heads", "48"),
        ("kv_heads", "8"),
        ("vocab", "128256"),
        ("gated_mlp", "1"),
        ("experts", "8"),
        ("topk", "2"),
        ("moe_ffn", "32768"),
        ("seq", "8192"),
        ("gbs", "512"),
        ("tp", "4"),
        ("sp", "1"),
        ("pp", "4"),
        ("ep", "8"),
        ("zero", "1"),
    ]
    .into();
    row.extend(changes.iter().copied());
    let run = MeasuredRun::read(|column| row.get(column).copied().unwrap_or(""));
    run.scenario.expect("a row that can be forecast")
}

/// GPUs of a node without links among them have its PCIe between them (through the host where cards know no peers), never
/// the network.
#[test]
fn a_node_without_links_has_its_pcie() {
    let fabric = |gpu: &str| {
        let node = [("gpu", gpu), ("gpus", "256"), ("gpus_per_node", "4"), ("nvlink_domain", "1")];
        mixture(&node).cluster.scale_up
    };
    assert_eq!((fabric("rtx4090").kind, fabric("rtx4090").domain), (ScaleUpKind::PcieHost, 4));
    assert_eq!((fabric("a100-80g").kind, fabric("a100-80g").domain), (ScaleUpKind::Pcie, 4));
    assert!((fabric("a100-80g").bandwidth.0 - 31.5e9).abs() < 1.0);
}

/// Boards of four GH200 give each less power than one that stands alone has.
#[test]
fn nodes_of_four_gh200_have_their_board() {
    let power = |node: &str| {
        let row = mixture(&[("gpu", "gh200"), ("gpus", "256"), ("gpus_per_node", node)]);
        row.cluster.gpu.power
    };
    assert_eq!((power("4"), power("1")), (83, 100));
}

/// A node's rate is that of its ports, as many as are said, or of 100 Gb/s where they are fewer than GPUs.
#[test]
fn a_node_has_the_ports_that_are_said() {
    let ports = |said: &str| {
        let node = [("gpus", "256"), ("gpus_per_node", "4"), ("node_gbps", "400"), ("nics", said)];
        let network = mixture(&node).cluster.network;
        (network.nics_per_node, network.nic_bandwidth.0)
    };
    assert_eq!((ports("2"), ports("")), ((2, 25e9), (4, 12.5e9)));
}

/// What a file does not say of overlap is what PyTorch does: reductions in buckets behind the backward pass, and gathers of what is
/// sharded. What is said holds.
#[test]
fn overlap_is_what_pytorch_does() {
    let overlap = |changes: &[(&str, &str)]| {
        let flat = [("release", ""), ("pp", "1"), ("tp", "1"), ("sp", "0"), ("gpus", "64")];
        let plan = mixture(&[&flat[..], changes].concat()).plan;
        (plan.data_overlap, plan.gathers_overlap())
    };
    for (zero, gathers) in [("0", false), ("1", false), ("3", true)] {
        assert_eq!(overlap(&[("zero", zero)]), (true, gathers), "{zero}");
        for (said, both) in [("0", false), ("1", true)] {
            assert_eq!(overlap(&[("zero", zero), ("dp_overlap", said)]), (both, both), "{zero} {said}");
        }
    }
    let apart = [("reduce_overlap", "0"), ("gather_overlap", "1"), ("dp_overlap", "1")];
    assert_eq!(overlap(&apart), (false, true));
    assert_eq!(mixture(&[("shard_group", "4")]).plan.shard_group, 4);
}

/// Encoders see all tokens, and a layer that predicts a second token is one more, where a row says so.
#[test]
fn encoders_and_second_tokens_are_columns() {
    let model = |changes: &[(&str, &str)]| mixture(changes).model;
    assert!(model(&[]).causal && !model(&[("causal", "0")]).causal);
    assert_eq!(
        (model(&[]).prediction_layers, model(&[("prediction_layers", "1")]).prediction_layers),
        (0, 1)
    );
}

/// Megatron-Bridge's recipes hide the exchange of tokens across the network, and inside an NVLink domain with the fused kernels of
/// 26.06.
#[test]
fn exchanges_are_hidden_where_recipes_hide_them() {
    let hidden = |changes: &[(&str, &str)]| mixture(changes).plan.expert_overlap;
    let wide =
        [("tp", "1"), ("sp", "0"), ("ep", "32"), ("experts", "32"), ("vpp", "4"), ("release", "26.04")];
    let of = |stack: &'static str, stages: &'static str| {
        hidden(&[&wide[..], &[("stack", stack), ("vpp", stages)]].concat())
    };
    assert!(of("megatron-bridge", "4"));
    assert!(!of("megatron-bridge", "1") && !of("nemo", "4") && !of("megatron-lm", "4"));
    let rack = [
        ("stack", "megatron-bridge"),
        ("gpu", "gb300"),
        ("gpus_per_node", "4"),
        ("nvlink_domain", "72"),
        ("year", "2026"),
        ("tp", "1"),
        ("sp", "0"),
        ("vpp", "4"),
        ("precision", "mxfp8"),
    ];
    assert!(hidden(&[&rack[..], &[("release", "26.06")]].concat()));
    assert!(!hidden(&[&rack[..], &[("release", "26.04")]].concat()));
}

#[test]
fn megatron_lm_is_megatron_core_from_2024_on() {
    let old = mixture(&[("stack", "megatron-lm"), ("year", "2021"), ("release", "")]).software;
    let new = mixture(&[("stack", "megatron-lm"), ("year", "2024"), ("release", "")]).software;
    assert_eq!((old.attention(), old.profile().launch), (Attention::Unfused, Launch::Eager));
    assert_eq!((new.attention(), new.profile().launch), (Attention::Vendor, Launch::Fused));
}

#[test]
fn a_name_never_seen_is_read_for_what_it_says() {
    for (name, stack) in [
        ("megatron-core", Stack::MegatronLm),
        ("nemo-automodel", Stack::Fused),
        ("primus", Stack::Fused),
        ("bionemo-te", Stack::Fused),
        ("hai-llm", Stack::Fused),
        ("levanter", Stack::Compiled),
        ("oneflow", Stack::Compiled),
        ("LiBai", Stack::Compiled),
        ("simplefsdp-compiled", Stack::Compiled),
        ("torchtitan-nightly", Stack::Torchtitan),
        ("prime-rl", Stack::Torchtitan),
        ("Megatron-DeepSpeed", Stack::MegatronDeepspeed),
        ("DeepSpeed-Megatron", Stack::MegatronDeepspeed),
        ("Megatron_LM", Stack::MegatronLm),
        ("MaxText", Stack::Maxtext),
        ("torchtitan-eager", Stack::Eager),
        ("non-fused", Stack::Eager),
        ("mesh-tensor-parallel", Stack::Eager),
        ("nanotron", Stack::Eager),
        ("colossalai", Stack::Eager),
        ("xtuner-deepspeed", Stack::DeepspeedZero3),
        ("deepspeed-compiled", Stack::Compiled),
        ("", Stack::Eager),
    ] {
        assert_eq!(Stack::from_name(name), stack, "{name}");
    }
    for (stack, name, _) in Stack::ALL {
        assert_eq!(Stack::from_name(name), stack, "{name}");
    }
    for (former, name) in FORMER_STACKS {
        assert_eq!(Stack::from_name(former), Stack::from_name(name), "{former}");
        let link = format!("#2;m=llama3-8b;g=dgx-h100;n=8;stack={former}");
        let document = Document::from_link(&link).expect("a link").document;
        assert_eq!(document.scenario().expect("a job").software.stack.name(), name);
    }
}

/// A listed stack whose modules are usually compiled stays itself where its name says that they are not.
#[test]
fn a_name_says_that_modules_are_not_compiled() {
    let read = |stack: &str| {
        let software = mixture(&[("stack", stack)]).software;
        (software.stack, software.kernels.compiled)
    };
    assert_eq!(read("Torchtitan_eager"), (Stack::Torchtitan, Compiled::No));
    assert_eq!(read("torchtitan"), (Stack::Torchtitan, Compiled::Stack));
    assert_eq!(read("maxtext-eager"), (Stack::Eager, Compiled::Stack));
    assert_eq!(read("nemo-eager"), (Stack::Eager, Compiled::Stack));
    assert_eq!(read("nanogpt-eager"), (Stack::Eager, Compiled::Stack));
}

/// Measured runs of Megatron-LM are of the years before Megatron-Core, and those of experts of NVIDIA's recipes.
#[test]
fn software_without_runs_is_a_reason_for_doubt() {
    let of = |changes: &[(&str, &str)]| {
        let job = mixture(changes);
        let interval = Predictor::SHIPPED.interval(&job, Predictor::SHIPPED.step_time(&job));
        interval.reasons.iter().filter(|reason| !reason.contains("utilisation")).count()
    };
    let dense = [("experts", ""), ("ep", "")];
    assert_eq!(of(&[("stack", "megatron-lm")]), of(&[]) + 1);
    let old = [&dense[..], &[("stack", "megatron-lm"), ("year", "2021")]].concat();
    let new = [&dense[..], &[("stack", "megatron-lm"), ("year", "2025")]].concat();
    assert_eq!((of(&old), of(&new)), (0, 1));
}

/// A Llama of 8 billion parameters on one card in a program of somebody's own, with some columns changed.
fn on_one_card(changes: &[(&str, &str)]) -> MeasuredRun {
    let mut row: BTreeMap<&str, &str> = [
        ("id", "row"),
        ("source", "test"),
        ("iteration_s", "1"),
        ("stack", "hf-trainer"),
        ("year", "2025"),
        ("gpu", "a100-80g"),
        ("gpus", "1"),
        ("layers", "32"),
        ("hidden", "4096"),
        ("ffn", "14336"),
        ("heads", "32"),
        ("kv_heads", "8"),
        ("vocab", "128256"),
        ("gated_mlp", "1"),
        ("seq", "2048"),
        ("gbs", "1"),
    ]
    .into();
    row.extend(changes.iter().copied());
    MeasuredRun::read(|column| row.get(column).copied().unwrap_or(""))
}

/// Long sequences of Megatron-DeepSpeed are split by heads (Ulysses), which a column may say otherwise.
#[test]
fn megatron_deepspeed_exchanges_tokens_for_heads() {
    use stepcast::scenario::plan::ContextExchange;
    let exchange = |changes: &[(&'static str, &'static str)]| {
        let long = [("gpus", "8"), ("cp", "8"), ("seq", "65536"), ("year", "2024")];
        on_one_card(&[&long[..], changes].concat()).scenario.expect("a job").plan.context_exchange
    };
    assert_eq!(exchange(&[("stack", "megatron-deepspeed")]), ContextExchange::AllToAll);
    assert_eq!(exchange(&[("stack", "megatron-lm")]), ContextExchange::Ring);
    // 32 heads are not dealt to 64 ranks.
    let wide = [("stack", "megatron-deepspeed"), ("gpus", "64"), ("cp", "64"), ("node_gbps", "800")];
    assert_eq!(exchange(&wide), ContextExchange::Ring);
    assert_eq!(
        exchange(&[("stack", "megatron-lm"), ("context_exchange", "all-gather")]),
        ContextExchange::AllGather
    );
}

/// Blanks are what the software does, whatever the notes say, the program is called, or would fit: what a job had is stated in
/// columns, or in a link.
#[test]
fn blanks_are_not_read_off_notes_names_or_memory() {
    let plain = on_one_card(&[]);
    let said = on_one_card(&[
        ("notes", "torch.compile, FlashAttention-2, LoRA rank 8; AdamW 8-bit"),
        ("model", "QLoRA"),
    ]);
    let of = |run: &MeasuredRun| run.scenario.clone().expect("a job");
    assert_eq!((of(&said), said.assumed), (of(&plain), plain.assumed));
    assert!(
        !stepcast::memory::report(&of(&on_one_card(&[("gpu", "a40")]))).fits,
        "8 B with 32-bit states on 48 GB"
    );
}

/// A column may be headed by the key of its field, those without a column of their own too.
#[test]
fn columns_are_headed_by_keys_too() {
    let stated = [
        ("heads", "32"),
        ("attention_kernel", "fa2"),
        ("optimizer", "muon"),
        ("mbs", "1"),
        ("recompute", "full"),
    ];
    let keys = [("heads", "32"), ("attn", "fa2"), ("opt", "muon"), ("mb", "1"), ("rc", "full")];
    let by = |columns: &[(&'static str, &'static str)]| on_one_card(columns).scenario.expect("a job");
    assert_eq!(by(&stated), by(&keys));
    assert_eq!(by(&[("hc", "4")]).model.streams, 4);
    assert!(on_one_card(&[("hc", "many")]).scenario.is_err());
    // What is stated under both names is what the column says.
    assert_eq!(by(&[("mbs", "1"), ("mb", "7")]), by(&[("mbs", "1")]));
}
