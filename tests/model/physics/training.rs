//! Optimizers, formats and adapters: bytes and FLOPs per parameter as their papers and documentation count them.

use crate::physics::memory::{F, H, KEPT, MATRICES, T, V, job};
use crate::support::{assert_close, forecast, scenario};
use stepcast::constants::Constants;
use stepcast::cost::{Collective, Work};
use stepcast::forecast::{Pass, Predictor};
use stepcast::memory::stage_memory;
use stepcast::scenario::Scenario;
use stepcast::step::{Call, Module, Parallelism, Place, Program};

const LAYER: f64 = MATRICES + 2.0 * H;
const ENDS: f64 = 2.0 * V * H + H;
const PSI: f64 = 32.0 * LAYER + ENDS;

/// Llama-2 7B, one replica a GPU, everything whole.
pub(super) fn whole(edits: &[(&str, &str)]) -> Scenario {
    let base = [("tp", "1"), ("sp", "0"), ("pp", "1"), ("zero", "0"), ("n", "8"), ("gb", "16")];
    job(&[&base[..], edits].concat())
}

pub(super) fn calls(job: &Scenario, place: Place) -> Vec<Call> {
    let mut calls = Vec::new();
    Program::new(job, &Constants::SHIPPED).calls(place, &mut |call| calls.push(call));
    calls
}

/// FLOPs of the matrix products among some calls.
pub(super) fn products<'a>(calls: impl IntoIterator<Item = &'a Call>) -> f64 {
    let flops = |call: &Call| match call.work {
        Work::Gemm(gemm) => 2.0 * call.times * gemm.groups * gemm.m * gemm.n * gemm.k,
        _ => 0.0,
    };
    calls.into_iter().map(flops).sum()
}

/// Bytes per parameter that Hugging Face's *Model training anatomy* counts: Adam 8, 8-bit Adam 2, momentum 4, and 4 for
/// the 32-bit copy; 8-bit blocks of 256 have a 32-bit scale (Dettmers et al. 2021, arXiv 2110.02861), 4-bit ones of 128.
#[test]
fn states_by_optimizer_and_format() {
    for (edits, bytes) in [
        (&[][..], 4.0 + 8.0),
        (&[("ost", "16")], 4.0 + 4.0),
        (&[("ost", "8")], 4.0 + 2.0 + 8.0 / 256.0),
        (&[("ost", "4")], 4.0 + 1.0 + 8.0 / 128.0),
        (&[("opt", "lion")], 4.0 + 4.0),
        (&[("opt", "sgdm")], 4.0 + 4.0),
        (&[("opt", "sgd")], 4.0),
        (&[("opt", "adafactor")], 4.0),
        (&[("wts", "16")], 8.0),
        (&[("wts", "16"), ("ost", "16")], 4.0),
        (&[("wts", "16"), ("opt", "adafactor")], 0.0),
    ] {
        assert_close(stage_memory(&whole(edits), 0).optimizer.0, bytes * PSI);
    }
    // Muon keeps one state for what it orthogonalises and Adam's two for embedding and head.
    let muon = stage_memory(&whole(&[("opt", "muon")]), 0);
    assert_close(muon.optimizer.0, 8.0 * 32.0 * LAYER + 12.0 * ENDS);
    let sharded = stage_memory(&whole(&[("opt", "muon"), ("zero", "1")]), 0);
    assert_close(sharded.optimizer.0, (8.0 * 32.0 * LAYER + 12.0 * ENDS) / 8.0);
    // On the host, nothing of it.
    assert_eq!(stage_memory(&whole(&[("ost", "8"), ("oo", "1")]), 0).optimizer.0, 0.0);
}

/// Weights and gradients in the formats stated, whatever the stack's own.
#[test]
fn weights_and_gradients_by_format() {
    for stack in ["fused", "compiled", "eager"] {
        let memory = |edits: &[(&str, &str)]| {
            stage_memory(&whole(&[&[("stack", stack), ("zero", "3")], edits].concat()), 0)
        };
        let gathered = 2.0 * (2.0 * LAYER + ENDS);
        if stack != "eager" {
            assert_close(memory(&[("wts", "32")]).weights.0, gathered);
            assert_close(memory(&[("wts", "master")]).weights.0, gathered + 2.0 * PSI / 8.0);
            assert_close(memory(&[("wts", "16")]).weights.0, gathered + 2.0 * PSI / 8.0);
        }
        // Autograd's gradients of 32-bit shards have 32 bits; those not yet reduced are workspace. Fused products add to sums in
        // the format that is kept.
        let [reduced, least] = match stack {
            "fused" => [LAYER + ENDS, 2.0],
            "eager" => [0.0, 2.0],
            _ => [0.0, 4.0],
        };
        assert_close(memory(&[("grads", "16")]).gradients.0, least * PSI / 8.0 + 2.0 * reduced);
        assert_close(memory(&[("grads", "32")]).gradients.0, 4.0 * PSI / 8.0 + 4.0 * reduced);
    }
    // What is kept is what is reduced.
    let reduced = |grads: &str| {
        let end = calls(&whole(&[("grads", grads)]), Place::StepEnd);
        let of = end.iter().find(|call| call.module == Module::GradientReduction).expect("replicas");
        of.work.communication().expect("a message").1
    };
    assert_close(reduced("16"), 2.0 * PSI);
    assert_close(reduced("32"), 4.0 * PSI);
}

/// An update reads the gradient and reads and writes weight and states; a 16-bit weight is written beside a 32-bit one.
/// Gradients are zeroed, scaled and summed besides, 6 bytes. PyTorch's foreach Adam passes 21 values for a fused one's 7.
#[test]
fn the_update_moves_what_it_reads_and_writes() {
    let moved = |edits: &[(&str, &str)]| {
        let end = calls(&whole(edits), Place::StepEnd);
        let bytes = end.iter().find_map(|call| match call.work {
            Work::Stream { bytes, .. } if call.module == Module::Optimizer => Some(bytes),
            _ => None,
        });
        bytes.expect("an update") / PSI - 6.0
    };
    assert_close(moved(&[]), 30.0);
    assert_close(moved(&[("optk", "foreach")]), 90.0);
    assert_close(moved(&[("opt", "lion")]), 22.0);
    assert_close(moved(&[("opt", "sgd")]), 14.0);
    assert_close(moved(&[("ost", "8")]), 14.0 + 4.0 * (1.0 + 1.0 / 64.0));
    assert_close(moved(&[("wts", "16")]), 2.0 + 4.0 + 16.0);
    assert_close(moved(&[("opt", "muon")]) * PSI, 22.0 * 32.0 * LAYER + 30.0 * ENDS);
}

/// Gradients of every micro-batch where nothing accumulates: DDP without `no_sync`, ZeRO-1, HSDP's replicas.
#[test]
fn reductions_of_every_micro_batch() {
    for (zero, most) in [("0", 4.0), ("1", 4.0), ("2", 4.0), ("hsdp", 4.0), ("3", 0.0)] {
        let reductions = |each: &str| -> f64 {
            let edits = [("zero", zero), ("each", each), ("n", "16"), ("gb", "64")];
            let end = calls(&whole(&edits), Place::StepEnd);
            end.iter().filter(|call| call.module == Module::GradientReduction).map(|call| call.times).sum()
        };
        assert_eq!(reductions("1"), most, "{zero}");
        assert_eq!(reductions("0"), if zero == "2" { 4.0 } else { most.min(1.0) }, "{zero}");
    }
    let piped = calls(&whole(&[("pp", "2"), ("each", "1")]), Place::StepEnd);
    assert_eq!(
        piped.iter().find(|call| call.module == Module::GradientReduction).expect("replicas").times,
        1.0
    );
}

/// DeepSpeed from 0.12.4 (December 2023) on sends every rank all reduced gradients of ZeRO-1 and 2, as of plain replicas, and
/// moves each six times for it, reading and writing 2 B: into its bucket, divided, into the tensor that is sent. Before, and
/// in other software, a rank is sent its own.
#[test]
fn deepspeed_reduces_gradients_whole() {
    let end = |stack: &str, year: &str, month: &str, zero: &str| {
        let edits = [("stack", stack), ("year", year), ("month", month), ("zero", zero), ("grads", "16")];
        calls(&whole(&edits), Place::StepEnd)
    };
    let of = |stack, year, month, zero| {
        let end = end(stack, year, month, zero);
        end.iter()
            .find_map(|call| (call.module == Module::GradientReduction).then(|| call.work.communication()))
            .flatten()
    };
    for (stack, year, month, zero, kind) in [
        ("deepspeed-zero3", "2024", "1", "2", Collective::AllReduce),
        ("deepspeed-zero3", "2023", "12", "1", Collective::AllReduce),
        ("megatron-deepspeed", "2024", "4", "1", Collective::AllReduce),
        ("deepspeed-zero3", "2023", "11", "2", Collective::ReduceScatter),
        ("megatron-lm", "2025", "6", "1", Collective::ReduceScatter),
        ("deepspeed-zero3", "2023", "11", "0", Collective::AllReduce),
    ] {
        let (found, bytes, _) = of(stack, year, month, zero).expect("replicas");
        assert_eq!(found, kind, "{stack} {year} {month} {zero}");
        assert_close(bytes, 2.0 * PSI);
    }
    let copied = |year| {
        let end = end("deepspeed-zero3", year, "6", "2");
        end.iter().find_map(|call| match call.work {
            Work::Stream { bytes, .. } if call.module == Module::GradientCopy => Some(bytes / PSI),
            _ => None,
        })
    };
    assert_close(copied("2024").expect("copies"), 12.0);
    assert_close(copied("2023").expect("copies"), 4.0);
    assert!(of("deepspeed-zero3", "2024", "6", "3").is_none());
}

/// Trainable parameters as PEFT prints them: Llama-7B with rank 8 on query, key, value and output (Alpaca-LoRA),
/// Llama-2 7B with rank 16 on all linear layers, Llama-3 8B likewise.
#[test]
fn adapters_count_as_published() {
    for (model, rank, targets, published) in [
        ("llama2-7b", "8", "attention", 8_388_608.0),
        ("llama2-7b", "16", "all", 39_976_960.0),
        ("llama3-8b", "16", "all", 41_943_040.0),
    ] {
        let job = whole(&[("m", model), ("lora", rank), ("lorat", targets)]);
        assert_eq!(job.trained_parameters(), published, "{model}");
    }
    assert_eq!(whole(&[]).trained_parameters(), 6_738_415_616.0);
}

/// Of frozen weights there are no gradients, states or reductions; and they are kept in 2, 1 or half a byte with their
/// scales: 0.127 bits a parameter for NF4 with double quantisation (arXiv 2305.14314, section 3).
#[test]
fn frozen_weights_are_kept_and_nothing_else() {
    let adapters = 39_976_960.0;
    let nf4 = 0.5 + 0.127 / 8.0;
    for (base, bytes, tolerance) in [("16", 2.0, 1e-9), ("8", 1.0 + 4.0 / 256.0, 1e-9), ("nf4", nf4, 1e-4)] {
        let frozen = whole(&[("lora", "16"), ("base", base)]);
        let memory = stage_memory(&frozen, 0);
        let widened = if base == "16" { 0.0 } else { 2.0 * F * H };
        let weights = bytes * 32.0 * LAYER + 2.0 * ENDS + 2.0 * adapters + widened;
        assert!((memory.weights.0 / weights - 1.0).abs() < tolerance, "{base}: {}", memory.weights.0);
        assert_close(memory.gradients.0, 4.0 * adapters);
        assert_close(memory.optimizer.0, 12.0 * adapters);
        let end = calls(&frozen, Place::StepEnd);
        let sent: f64 = end.iter().filter_map(|call| Some(call.work.communication()?.1)).sum();
        assert_close(sent, 2.0 * adapters);
    }
    // Sharded over 8 GPUs, layers are gathered as they are kept.
    let sharded = whole(&[("lora", "16"), ("base", "8"), ("zero", "3")]);
    let layer = calls(&sharded, Place::layer(0));
    let gathered = layer.iter().find(|call| call.module == Module::ParameterGather).expect("sharded");
    let bytes = gathered.work.communication().expect("a message").1;
    assert_close(bytes, (1.0 + 4.0 / 256.0) * LAYER + 2.0 * adapters / 32.0);
    // No part of a frozen embedding or head is reduced.
    for place in [Place::Embedding, Place::Head] {
        assert!(calls(&sharded, place).iter().all(|call| call.module != Module::GradientScatter));
    }
}

/// Forward 2 and input gradient 2 FLOPs a token for every frozen weight, 6 for every one of an adapter (Hu et al. 2021,
/// arXiv 2106.09685: no weight gradients of what is frozen).
#[test]
fn frozen_weights_have_no_gradients_to_compute() {
    for (targets, adapters) in [("all", 39_976_960.0 / 32.0), ("attention", 16.0 * 8.0 * H)] {
        let frozen = whole(&[("lora", "16"), ("lorat", targets)]);
        let layer = calls(&frozen, Place::layer(0));
        assert_close(products(&layer), T * (4.0 * MATRICES + 6.0 * adapters));
        let gradients = layer.iter().filter(|call| call.pass == Pass::WeightGradient);
        assert_close(products(gradients), T * 2.0 * adapters);
        let head = calls(&frozen, Place::Head);
        assert_close(products(&head), T * 4.0 * V * H);
        let told = forecast(&frozen);
        let model = T * (4.0 * (32.0 * MATRICES + V * H) + 6.0 * 32.0 * adapters + 6.0 * 32.0 * T * H);
        let share = model * 16.0 / (8.0 * 989.4e12 * told.step.0);
        assert!((told.mfu / share - 1.0).abs() < 1e-9, "{} {share}", told.mfu);
    }
}

/// QLoRA widens every weight before the forward pass and before the input gradient: read in its bits, written in 16.
#[test]
fn few_bits_are_widened_for_every_product() {
    let layer = calls(&whole(&[("lora", "16"), ("base", "8"), ("rc", "full")]), Place::layer(0));
    for pass in [Pass::Forward, Pass::Recompute, Pass::Backward] {
        let bytes: f64 = layer
            .iter()
            .filter(|call| call.module == Module::Dequantise && call.pass == pass)
            .map(|call| if let Work::Stream { bytes, .. } = call.work { bytes } else { 0.0 })
            .sum();
        assert_close(bytes, (3.0 + 4.0 / 256.0) * MATRICES);
    }
    let step = |base| Predictor::SHIPPED.step_time(&whole(&[("lora", "16"), ("base", base)])).0;
    assert!(step("nf4") > step("16"));
    // FP8 products take weights of 8 bits as they are, and widen those of 4.
    let widened = |base| {
        let layer = calls(
            &whole(&[("lora", "16"), ("base", base), ("prec", "fp8"), ("g", "dgx-h100")]),
            Place::layer(0),
        );
        layer.iter().filter(|call| call.module == Module::Dequantise).count()
    };
    assert_eq!((widened("16"), widened("8")), (0, 0));
    assert!(widened("nf4") > 0);
}

/// Inputs of frozen layers without an adapter are not kept: the second norm's output and the activation's; adapters keep
/// what is between their two matrices.
#[test]
fn what_frozen_layers_keep() {
    let kept = |targets| {
        let memory = stage_memory(&whole(&[("lora", "16"), ("lorat", targets)]), 0);
        memory.activations.0 / (32.0 * T)
    };
    let between = |matrices: f64| 2.0 * 16.0 * matrices;
    assert_close(kept("all"), KEPT + between(7.0));
    assert_close(kept("attention"), KEPT - 2.0 * H - 2.0 * F + between(4.0));
}

/// Autocast of weights in 32 bits: 4 bytes read and 2 written a weight, once a micro-batch; of their gradients 2 bytes
/// written by the product, 2 read and 4 written by the cast, 4 read and added to the 8 of what is there. Where parameters
/// are sharded the shards are cast.
#[test]
fn autocast_copies_weights_every_micro_batch() {
    let bytes = |job: &Scenario, place, pass| -> f64 {
        let cast = |call: &&Call| call.module == Module::WeightCast && call.pass == pass;
        calls(job, place)
            .iter()
            .filter(cast)
            .map(|call| if let Work::Stream { bytes, .. } = call.work { bytes } else { 0.0 })
            .sum()
    };
    let autocast = whole(&[("wts", "32")]);
    for (place, weights) in [(Place::layer(0), MATRICES), (Place::Head, V * H)] {
        assert_close(bytes(&autocast, place, Pass::Forward), 6.0 * weights);
        assert_close(bytes(&autocast, place, Pass::Backward), 12.0 * weights);
        for others in [&[("wts", "master")][..], &[("wts", "32"), ("zero", "3")], &[]] {
            assert_eq!(bytes(&whole(others), place, Pass::Forward), 0.0);
        }
    }
    assert_close(stage_memory(&autocast, 0).gradients.0, 4.0 * PSI);
    assert_close(stage_memory(&autocast, 0).weights.0 + stage_memory(&autocast, 0).optimizer.0, 14.0 * PSI);
}

/// Gradients that a kernel adds to their sums, once a micro-batch: 2 and 4 bytes read and 4 written a weight on AMD's GPUs, where
/// the product writes 16 bits. NVIDIA's products add by themselves, and a shard's gradients are reduced first.
#[test]
fn gradients_accumulate_in_kernels_of_their_own() {
    let bytes = |edits: &[(&str, &str)]| -> (f64, bool) {
        let layer = calls(&whole(edits), Place::layer(0));
        let added = |call: &Call| match call.work {
            Work::Stream { bytes, .. } if call.module == Module::GradientAccumulation => call.times * bytes,
            _ => 0.0,
        };
        let fused = |call: &Call| matches!(call.work, Work::Gemm(gemm) if gemm.accumulates);
        (layer.iter().map(added).sum(), layer.iter().any(fused))
    };
    let on_amd = |edits: &[(&str, &str)]| bytes(&[&[("g", "mi300x"), ("stack", "fused")], edits].concat());
    assert_eq!(on_amd(&[]), (10.0 * MATRICES, false));
    assert_eq!(on_amd(&[("zero", "3")]), (0.0, true));
    assert_eq!(bytes(&[("stack", "fused")]), (0.0, true));
}

/// A frozen model sends nothing but its adapters' gradients between replicas.
#[test]
fn only_adapters_are_reduced() {
    let base = [("m", "llama3-8b"), ("g", "dgx-h100"), ("n", "8"), ("gb", "8"), ("tp", "1"), ("sp", "0")];
    let edits = [("pp", "1"), ("zero", "0"), ("stack", "fused"), ("lora", "16")];
    let job = scenario(&[&base[..], &edits[..]].concat());
    let end = calls(&job, Place::StepEnd);
    let data = end.iter().filter(|call| {
        call.communication.is_some_and(|message| message.parallelism == Parallelism::DataParallel)
    });
    let bytes: f64 = data.filter_map(|call| Some(call.work.communication()?.1)).sum();
    assert_close(bytes, 2.0 * 41_943_040.0);
}

/// Without accumulation, autograd makes gradients as it frees activations: a single GPU's peak is at the loss or at the
/// update, whichever holds more. Buckets of replicas and accumulation keep gradients all the time.
#[test]
fn gradients_grow_as_activations_go() {
    let total = |edits: &[(&str, &str)]| {
        let base =
            [("stack", "eager"), ("n", "1"), ("gb", "1"), ("rc", "full"), ("wts", "16"), ("grads", "16")];
        stage_memory(&whole(&[&base[..], edits].concat()), 0)
    };
    let one = total(&[]);
    assert_close(one.gradients.0, 2.0 * PSI);
    assert_eq!((one.activations.0, one.logits.0), (0.0, 0.0));
    let long = total(&[("seq", "131072")]);
    assert_eq!(long.gradients.0, 0.0);
    assert_close(long.activations.0, 32.0 * 131_072.0 * 2.0 * H);
    for kept in
        [&[("gb", "2")][..], &[("n", "2"), ("gb", "2")], &[("stack", "megatron-lm"), ("year", "2022")]]
    {
        let memory = total(kept);
        assert_close(memory.gradients.0, 2.0 * PSI);
        assert!(memory.activations.0 > 0.0);
    }
}

/// Bytes that PyTorch's allocator counted between steps and at its peak, of one A100 with 4 and 8 sequences of 4,096
/// tokens, gradient checkpointing, weights and states in bf16, `foreach` AdamW (fms-acceleration,
/// scripts/benchmarks/refs/a100_80gb.csv, rows 0, 2, 12, 14, 44). The peak of the first two is the update's, with a
/// temporary copy of all parameters.
#[test]
fn states_of_published_fine_tuning() {
    let of = |model: &str, batch: &str, edits: &[(&str, &str)]| {
        let base = [
            ("m", model),
            ("g", "dgx-a100-80g"),
            ("n", "1"),
            ("gb", batch),
            ("mb", batch),
            ("stack", "eager"),
            ("year", "2024"),
            ("rc", "full"),
            ("wts", "16"),
            ("grads", "16"),
            ("ost", "16"),
            ("optk", "foreach"),
        ];
        stage_memory(&whole(&[&base[..], edits].concat()), 0)
    };
    let near = |found: f64, published: f64, share: f64| {
        assert!((found / published - 1.0).abs() < share, "{found} {published}");
    };
    let lora = [("lora", "16"), ("lorat", "attention")];
    let qlora = [("lora", "16"), ("lorat", "attention"), ("base", "nf4")];
    for batch in ["4", "8"] {
        let full = of("mistral-7b", batch, &[]);
        near(full.weights.0 + full.optimizer.0, 44.005e9, 0.02);
        near(full.total().0, 72.972e9, 0.02);
    }
    let held = |memory: &stepcast::memory::StageMemory| memory.weights.0 + memory.optimizer.0;
    near(held(&of("mistral-7b", "4", &lora)), 15.120e9, 0.05);
    near(held(&of("llama2-70b", "4", &qlora)), 37.347e9, 0.03);
    // Peaks with the activations and logits of eager modules.
    near(of("mistral-7b", "4", &lora).total().0, 26.109e9, 0.03);
    near(of("mistral-7b", "8", &lora).total().0, 37.099e9, 0.03);
    near(of("llama2-70b", "4", &qlora).total().0, 68.160e9, 0.03);
}

/// torchtune's README: LoRA of Llama-3.2 3B takes 8.5 GiB, QLoRA 4.6 GiB.
#[test]
fn qlora_saves_what_torchtune_says() {
    let of = |base: &str| {
        let shape = [("layers", "28"), ("hidden", "3072"), ("ffn", "8192"), ("heads", "24"), ("kv", "8")];
        let model = [("dh", "128"), ("vocab", "128256"), ("tied", "1"), ("n", "1"), ("gb", "2"), ("mb", "2")];
        let method =
            [("lora", "8"), ("base", base), ("rc", "full"), ("loss", "chunked"), ("stack", "compiled")];
        stage_memory(&whole(&[&shape[..], &model[..], &method[..]].concat()), 0).total().gib()
    };
    let saved = of("16") - of("nf4");
    assert!((saved - 3.9).abs() < 0.1, "{saved}");
}
