//! Words of a row's notes stand for columns that it leaves blank, and for nothing else.

use std::collections::BTreeMap;

use stepcast::scenario::plan::{ContextExchange, Recompute};
use stepcast::scenario::stack::{AttentionKernel, Compiled, LossKernel};
use stepcast::scenario::{BaseFormat, Scenario, StateFormat, WeightFormat};
use stepcast::validate::MeasuredRun;

/// Llama 3 8B under eager PyTorch on eight H100 in a node, with some columns changed.
fn row(changes: &[(&str, &str)]) -> MeasuredRun {
    let mut row: BTreeMap<&str, &str> = [
        ("id", "row"),
        ("source", "test"),
        ("iteration_s", "1"),
        ("stack", "eager"),
        ("year", "2025"),
        ("gpu", "h100-80g"),
        ("gpus", "8"),
        ("layers", "32"),
        ("hidden", "4096"),
        ("ffn", "14336"),
        ("heads", "32"),
        ("kv_heads", "8"),
        ("vocab", "128256"),
        ("gated_mlp", "1"),
        ("seq", "4096"),
        ("gbs", "64"),
        ("zero", "3"),
    ]
    .into();
    row.extend(changes.iter().copied());
    MeasuredRun::read(|column| row.get(column).copied().unwrap_or(""))
}

fn noted(notes: &str) -> Scenario {
    row(&[("notes", notes)]).scenario.expect("a row that can be forecast")
}

#[test]
fn notes_say_what_columns_leave_blank() {
    let job =
        noted("FSDP2; Torch.compile of every layer, flash-attn 3; weights and optimizer states in bf16");
    assert_eq!(job.software.kernels.compiled, Compiled::Yes);
    assert_eq!(job.software.kernels.attention, AttentionKernel::Flash3);
    assert_eq!((job.training.weights, job.training.states), (WeightFormat::Half, StateFormat::Bits16));
    assert_eq!(noted("not compiled").software.kernels.compiled, Compiled::No);
    assert_eq!(noted("Liger kernels").software.loss(), LossKernel::Linear);
    assert_eq!(noted("gradient checkpointing (the default)").plan.recompute, Recompute::Full);
    assert_eq!(noted("no gradient checkpointing").plan.recompute, Recompute::None);
    let adapters = |notes: &str| noted(notes).training.adapters;
    assert_eq!(adapters("LoRA of rank 8 on queries and values").rank, 8);
    assert_eq!(adapters("LoRA, r=64").rank, 64);
    assert_eq!(adapters("LoRA").rank, 16);
    assert_eq!((adapters("QLoRA (r = 4)").rank, adapters("QLoRA").base), (4, BaseFormat::Nf4));
    assert_eq!((adapters("LoRA; rank 4").rank, adapters("LoRA, rank 0 of 8").rank), (16, 16));
    // `flag` is read as well, and everything is listed.
    let run = row(&[("flag", "note: AdamW_8bit"), ("notes", "FA2")]);
    assert_eq!(run.scenario.expect("a job").training.states, StateFormat::Bits8);
    let said = ["attention_kernel fa2, by its notes", "state_bits 8, by its notes"];
    assert!(said.iter().all(|said| run.assumed.iter().any(|assumed| assumed == said)), "{:?}", run.assumed);
}

/// What a column states stands, and what has nothing to do with the run is not read.
#[test]
fn notes_give_way_and_keep_to_the_run() {
    let stated = row(&[("notes", "FlashAttention-2, LoRA"), ("attention_kernel", "fa3"), ("lora_rank", "4")]);
    let job = stated.scenario.expect("a job");
    assert_eq!((job.software.kernels.attention, job.training.adapters.rank), (AttentionKernel::Flash3, 4));
    let plain = noted("seconds as printed");
    for notes in [
        "MLA (q_lora 1536, kv_lora 512)",
        "rows with LoRA (rank 8) are left out",
        "two of five rows (others: unfused attention 2.6 s, LoRA, torch.compile)",
        "torch.compile not stated",
        "whether it is compiled by torch.compile, or FA3",
        "exploration, accelerated",
        "flash attention, 4 micro-batches",
        "Flash attention. 2 nodes",
        "no FlashAttention-2, without activation offloading, not Adafactor",
        "torch.compile off, gradient checkpointing: none; Liger disabled",
        "torch.compile=False; LoRA is not used; FA3 rather than FA2",
        "attention by single operations or SDPA",
        "(others: FA3 2.6 s; LoRA 3 s)",
        "(others (eight of them) torch.compile)",
        "github flash/flash-attention-2/README.md",
        "(((;;;)))",
    ] {
        assert_eq!(noted(notes), plain, "{notes}");
        assert!(row(&[("notes", notes)]).assumed.iter().all(|said| !said.contains("notes")), "{notes}");
    }
}

/// Words that make a job impossible are of another one: the row is forecast as its columns say.
#[test]
fn notes_that_cannot_be_are_not_read() {
    let long = [("cp", "8"), ("seq", "65536"), ("gbs", "8"), ("zero", "0"), ("stack", "megatron-deepspeed")];
    let exchange = |heads: &str, notes: &str| {
        let shape = [("heads", heads), ("kv_heads", heads), ("head_dim", "128"), ("notes", notes)];
        row(&[&long[..], &shape].concat()).scenario.expect("a job").plan.context_exchange
    };
    assert_eq!(exchange("32", "Ulysses"), ContextExchange::AllToAll);
    // Four heads are not dealt to eight ranks.
    assert_eq!(exchange("4", "Ulysses"), exchange("4", ""));
}
