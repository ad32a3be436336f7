//! Memory of every stage's GPU, term by term, counted by hand for Llama-2 7B and GPT-3-like layers.

use crate::support::{assert_close, forecast, scenario};
use stepcast::forecast::Predictor;
use stepcast::memory::{
    COMMUNICATOR, CONTEXT, StageMemory, fits, peak, report, reserve, stage_memory, usable,
};
use stepcast::scenario::Scenario;
use stepcast::units::Bytes;

/// Llama-2 7B: hidden size, feed-forward size, heads, vocabulary (a multiple of 256), layers.
pub(crate) const H: f64 = 4096.0;
pub(crate) const F: f64 = 11_008.0;
const A: f64 = 32.0;
pub(crate) const V: f64 = 32_000.0;
/// Tokens of a micro-batch of one sequence.
pub(crate) const T: f64 = 4096.0;
/// Parameters of a layer's matrices: queries, keys, values and output; gate, up and down.
pub(crate) const MATRICES: f64 = 4.0 * H * H + 3.0 * H * F;
/// GEMM workspaces of two libraries, 32 MiB each.
pub(crate) const LIBRARIES: f64 = 64.0 * 1_048_576.0;

/// Llama-2 7B in 16 bits, 2-way tensor and sequence parallel, four stages of 8 layers, two replicas with 8
/// micro-batches of one sequence each, optimizer sharded, on a fused stack that keeps gradients in 32 bits.
pub(crate) fn job(edits: &[(&str, &str)]) -> Scenario {
    let base = [
        ("m", "llama2-7b"),
        ("g", "dgx-h100"),
        ("n", "16"),
        ("gb", "16"),
        ("seq", "4096"),
        ("stack", "fused"),
        ("tp", "2"),
        ("sp", "1"),
        ("pp", "4"),
        ("zero", "1"),
    ];
    scenario(&[&base[..], edits].concat())
}

/// Parameters of one GPU of each stage: half of 8 layers' matrices and whole norms, half a table on either end.
fn parameters() -> [f64; 4] {
    let layers = 8.0 * (MATRICES / 2.0 + 2.0 * H);
    [layers + V * H / 2.0, layers, layers, layers + V * H / 2.0 + H]
}

/// What a layer keeps per token, before it is split in two: the inputs of both norms and their outputs, queries, keys,
/// values and context in 16 bits; a 32-bit statistic a head; gate, up and their product.
pub(crate) const KEPT: f64 = 4.0 * H + 4.0 * H + 6.0 * H + 2.0 * H + 4.0 * A + 4.0 * F + 2.0 * F;

/// Alive while a layer runs backward: the stream's gradient, the gathered stream, and the attention's gradients (of
/// queries, of all four tensors, and the 32-bit one of queries), which here exceed gate's and up's.
const TRANSIENT: f64 = T * H + 2.0 * T * H + T / 2.0 * (2.0 + 6.0 + 4.0) * H;

/// Final norm's input and output, the gathered output, 16-bit logits and a 32-bit softmax over half the vocabulary.
const LOSS: f64 = 4.0 * T / 2.0 * H + 2.0 * T * H + 6.0 * T * V / 2.0;

#[test]
fn every_term_of_every_stage_by_hand() {
    let job = job(&[]);
    for (stage, held) in (0..).zip(parameters()) {
        let memory = stage_memory(&job, stage);
        assert_close(memory.weights.0, 2.0 * held);
        assert_close(memory.gradients.0, 4.0 * held);
        assert_close(memory.optimizer.0, 12.0 * held / 2.0);
        let in_flight = f64::from(4 - stage);
        assert_close(memory.activations.0, in_flight * 8.0 * T / 2.0 * KEPT);
        assert_close(memory.logits.0 + 1.0, if stage == 3 { LOSS + 1.0 } else { 1.0 });
        // A tensor received and one to be sent, and a placeholder for every weight matrix of a layer.
        let others = LIBRARIES + 2.0 * 2.0 * T / 2.0 * H + 2.0 * MATRICES / 2.0;
        let running = if stage == 3 { (TRANSIENT - LOSS).max(0.0) } else { TRANSIENT };
        assert_close(memory.workspace.0, others + running);
        let sum = [
            memory.weights,
            memory.gradients,
            memory.optimizer,
            memory.activations,
            memory.logits,
            memory.workspace,
        ];
        assert_close(memory.total().0, sum.iter().map(|part| part.0).sum());
    }
    // The report: the fullest stage, what owns most of it, and what the device leaves.
    let found = report(&job);
    assert_eq!((found.worst_stage, found.owner, found.stages.len()), (0, "Activations", 4));
    assert_close(found.peak_gib, stage_memory(&job, 0).total().0 / 1_073_741_824.0);
    assert_eq!(peak(&job), (stage_memory(&job, 0).total(), 0));
    // Context, and a communicator for each of tensor, pipeline and data: 0.75 + 3 x 0.25 GiB of 80.
    assert_eq!((CONTEXT.gib(), COMMUNICATOR.gib(), reserve(&job).gib()), (0.75, 0.25, 1.5));
    assert_close(found.usable_gib, 78.5);
    assert_eq!((found.capacity_gib, usable(&job).gib()), (80.0, 78.5));
    assert!(found.fits && fits(&job, Bytes::from_gib(78.5)) && !fits(&job, Bytes::from_gib(78.51)));
}

/// Selective recompute drops the norms' outputs and the product; full recompute keeps a layer's input alone, and
/// makes the rest once more, a layer at a time.
#[test]
fn recompute_moves_activations_to_the_workspace() {
    let plain = stage_memory(&job(&[]), 1);
    for (mode, kept) in [("selective", KEPT - 4.0 * H - 2.0 * F), ("full", 2.0 * H)] {
        let memory = stage_memory(&job(&[("rc", mode)]), 1);
        assert_close(memory.activations.0, 3.0 * 8.0 * T / 2.0 * kept);
        assert_close(memory.workspace.0 - plain.workspace.0, T / 2.0 * (KEPT - kept));
        assert_eq!((memory.weights, memory.gradients), (plain.weights, plain.gradients));
    }
    let modules = |names| stage_memory(&job(&[("rc", "modules"), ("rcm", names)]), 1).activations.0;
    let whole = 3.0 * 8.0 * T / 2.0;
    for (names, dropped) in [
        ("core", 4.0 * A),
        ("norms", 4.0 * H),
        ("act", 2.0 * F),
        ("mlp", 6.0 * F),
        ("norms,mlp", 4.0 * H + 6.0 * F),
        // The residual behind the output projection; with the core before it the context too.
        ("out", 2.0 * H),
        ("core,out", 4.0 * A + 4.0 * H),
    ] {
        assert_close(modules(names), whole * (KEPT - dropped));
    }
}

/// Stacks differ in what selective recompute drops: torchtitan keeps every other product of a layer from the first on (of queries,
/// keys, values, output, gate, up and down those of queries, values, gate and down, of which compiled layers hold no output that
/// nothing reads) and the context with its statistics, PyTorch's FSDP examples all of so many layers and the inputs of the rest.
#[test]
fn selective_recompute_keeps_what_its_stack_does() {
    let of = |edits: &[(&str, &str)]| {
        let base = [("tp", "1"), ("sp", "0"), ("pp", "1"), ("zero", "3"), ("n", "8"), ("rc", "selective")];
        stage_memory(&job(&[&base[..], edits].concat()), 0).activations.0 / (32.0 * T)
    };
    let products = 2.0 * H + 2.0 * 2.0 * H + (2.0 * H + 4.0 * A) + 2.0 * F;
    assert_close(of(&[("stack", "torchtitan")]), products);
    assert_close(of(&[("stack", "torchtitan"), ("comp", "0")]), products + 2.0 * H);
    let share = stepcast::constants::Constants::SHIPPED.recompute_selective_share_blocks;
    let whole = of(&[("stack", "eager"), ("rc", "none")]);
    assert_close(of(&[("stack", "eager")]), (1.0 - share) * whole + share * 2.0 * H);
}

/// Of latent attention, what is projected up can be dropped: queries and keys of 192, values of 128 for each of 128 heads of
/// DeepSeek-V3, in 16 bits; the latents stay.
#[test]
fn latent_attention_keeps_its_latents_alone() {
    let kept = |names| {
        let edits = [("m", "deepseek-v3"), ("mtp", "0"), ("tp", "1"), ("sp", "0"), ("pp", "1"), ("n", "64")];
        let modules = [("ep", "64"), ("rc", "modules"), ("rcm", names), ("gb", "64")];
        stage_memory(&job(&[&edits[..], &modules].concat()), 0).activations.0
    };
    assert_close(kept("act") - kept("act,mla"), 61.0 * T * 2.0 * 128.0 * (192.0 + 192.0 + 128.0));
}

/// Without sequence parallelism the residual stream, the norms and the loss's norm are whole on both ranks; nothing
/// is gathered. Without tensor parallelism everything is.
#[test]
fn tensor_parallelism_splits_what_it_splits() {
    let memory = stage_memory(&job(&[("sp", "0")]), 3);
    let whole = T * 8.0 * H + T / 2.0 * (KEPT - 8.0 * H);
    assert_close(memory.activations.0, 8.0 * whole);
    assert_close(memory.logits.0, 4.0 * T * H + 6.0 * T * V / 2.0);
    let middle = stage_memory(&job(&[("sp", "0")]), 1);
    let running = 2.0 * T * H + T / 2.0 * 12.0 * H;
    assert_close(middle.workspace.0, LIBRARIES + 4.0 * T * H + MATRICES + running);
    let alone = stage_memory(&job(&[("tp", "1"), ("sp", "0"), ("n", "8")]), 1);
    assert_close(alone.activations.0, 3.0 * 8.0 * T * KEPT);
    assert_close(alone.weights.0, 2.0 * 8.0 * (MATRICES + 2.0 * H));
}

/// FP8 keeps the inputs of linear layers in 8 bits, and the projection's own copy of the context; block scales add
/// their share. Everything else stays.
#[test]
fn low_precision_keeps_smaller_inputs() {
    for (precision, width) in [("fp8", 1.0), ("fp8-block", 1.03125)] {
        let memory = stage_memory(&job(&[("prec", precision)]), 1);
        let kept = KEPT - (2.0 - width) * (2.0 * H + F) + width * H;
        assert_close(memory.activations.0, 3.0 * 8.0 * T / 2.0 * kept);
    }
    let mut wide = job(&[("g", "dgx-b200"), ("prec", "mxfp8")]);
    let kept = |wide: &Scenario| stage_memory(wide, 1).activations.0 / (3.0 * 8.0 * T / 2.0);
    assert_close(kept(&wide), KEPT - 0.96875 * (2.0 * H + F) + 1.03125 * H);
    wide.workload.precision = stepcast::scenario::Precision::Nvfp4;
    assert_close(kept(&wide), KEPT - 1.4375 * (2.0 * H + F) + 0.5625 * H);
}

/// Eager stacks keep the gate's activation beside its inputs, and at the loss the logits in 16 and twice in 32 bits.
/// Before flash attention they keep the scores too, in 16 bits, and their softmax is not recomputed.
#[test]
fn eager_stacks_keep_more() {
    let eager = stage_memory(&job(&[("stack", "eager")]), 3);
    // Two norms written out: their input in 32 bits and what the weight multiplies, in place of the stream in 16.
    assert_close(eager.activations.0, 8.0 * T / 2.0 * (KEPT + 2.0 * F + 8.0 * H));
    assert_close(eager.logits.0, 4.0 * T / 2.0 * H + 2.0 * T * H + 12.0 * T * V / 2.0);
    assert_close(eager.gradients.0, 2.0 * parameters()[3]);
    let unfused = stage_memory(&job(&[("stack", "megatron-lm"), ("year", "2022")]), 1);
    let scores = A * T * 2.0 - 4.0 * A;
    assert_close(unfused.activations.0, 3.0 * 8.0 * T / 2.0 * (KEPT + 2.0 * F + scores));
    assert_close(unfused.gradients.0, 4.0 * parameters()[1]);
    let running = T * H + 2.0 * T * H + T / 2.0 * (2.0 * H + 6.0 * H + 2.0 * A * T);
    assert_close(unfused.workspace.0, LIBRARIES + 2.0 * T * H * 2.0 / 2.0 + running);
}

/// Korthikanti et al. 2022, equation 1, through the whole report: 34 + 5 a s / h bytes a token and channel of each
/// layer in flight, and one of the embedding's dropout mask on the first stage.
#[test]
fn gpt_layers_keep_what_is_published() {
    let (h, a, s) = (1600.0, 25.0, 1024.0);
    let gpt = |edits: &[(&str, &str)]| {
        let base = [
            ("m", "gpt2-1.5b"),
            ("g", "dgx-a100-80g"),
            ("n", "8"),
            ("gb", "32"),
            ("seq", "1024"),
            ("prec", "fp16"),
            ("stack", "megatron-lm"),
            ("year", "2022"),
            ("tp", "1"),
            ("sp", "0"),
            ("pp", "4"),
            ("mb", "2"),
            ("zero", "0"),
        ];
        scenario(&[&base[..], edits].concat())
    };
    let sbh = s * 2.0 * h;
    for (mode, bytes) in [("none", 34.0 + 5.0 * a * s / h), ("selective", 34.0), ("full", 2.0)] {
        for (stage, in_flight, mask) in [(0, 4.0, 1.0), (1, 3.0, 0.0), (3, 1.0, 0.0)] {
            let memory = stage_memory(&gpt(&[("rc", mode)]), stage);
            assert_close(memory.activations.0, in_flight * sbh * (12.0 * bytes + mask));
        }
    }
    // Each stage's parameters: 12 h^2 + 13 h a layer; the padded table and the positions on the first stage; the
    // last has the final norm and a copy of the tied table. On one stage there is one table.
    let layer = 12.0 * h * h + 13.0 * h;
    let table = 50_304.0 * h;
    let held = |edits: &[(&str, &str)], stage| stage_memory(&gpt(edits), stage).weights.0 / 2.0;
    assert_close(held(&[], 0), 12.0 * layer + table + 1024.0 * h);
    assert_close(held(&[], 1), 12.0 * layer);
    assert_close(held(&[], 3), 12.0 * layer + table + 2.0 * h);
    assert_close(held(&[("pp", "1")], 0), 48.0 * layer + table + 1024.0 * h + 2.0 * h);
    // Fp16 accumulates in 16 bits only where the profile does: Megatron-LM keeps 32.
    assert_close(stage_memory(&gpt(&[]), 1).gradients.0, 4.0 * 12.0 * layer);
}

/// Activations of whole micro-batches: interleaved 2 (p - 1 - i) + (v - 1) p + 1 of v; all of them where all forward
/// passes come first; p everywhere under ZB-V.
#[test]
fn schedules_decide_what_is_in_flight() {
    let kept = |edits: &[(&str, &str)], stage| {
        stage_memory(&job(edits), stage).activations.0 / (8.0 * T / 2.0 * KEPT)
    };
    assert_close(kept(&[("vpp", "2")], 0), (6.0 + 4.0 + 1.0) / 2.0);
    assert_close(kept(&[("vpp", "2")], 3), 5.0 / 2.0);
    assert_close(kept(&[("sched", "gpipe")], 2), 8.0);
    assert_close(kept(&[("sched", "zb-v"), ("vpp", "2")], 2), 4.0);
    // ZB-H1, stage 2 of 4: 2 kept and 2 put off, of which linear layers' inputs and their outputs' gradients are
    // left: norms' outputs, context, product; and the gradients of queries, keys, values, gate, up and of the
    // stream twice.
    let put_off = 4.0 * H + 2.0 * H + 2.0 * F + 6.0 * H + 4.0 * F + 4.0 * H;
    assert_close(kept(&[("sched", "zb-h1")], 2), 2.0 + 2.0 * put_off / KEPT);
    // A micro-batch of two sequences keeps twice as much.
    assert_close(kept(&[("mb", "2")], 0), 8.0);
}

/// A layer of experts keeps the tokens it receives, their scores, and the experts' insides, of every copy.
#[test]
fn experts_keep_what_they_receive() {
    let job = scenario(&[
        ("m", "mixtral-8x7b"),
        ("g", "dgx-h100"),
        ("n", "8"),
        ("gb", "8"),
        ("seq", "4096"),
        ("stack", "fused"),
        ("tp", "1"),
        ("sp", "0"),
        ("pp", "1"),
        ("ep", "4"),
        ("zero", "1"),
    ]);
    let (f, kv) = (14_336.0, 1024.0);
    let attention = 8.0 * H + 2.0 * (H + 2.0 * kv) + 2.0 * H + 4.0 * A;
    // Two copies of each token: as received in 16 bits, gate, up and product; scores of 8 experts in 32 bits.
    let kept = attention + 8.0 * 4.0 + 2.0 * (2.0 * H + 6.0 * f);
    let memory = stage_memory(&job, 0);
    assert_close(memory.activations.0, 32.0 * T * kept);
    // Two of the eight experts on each GPU, the router whole; states over 8 replicas, the experts' over two.
    let shared = 32.0 * (2.0 * H * H + 2.0 * H * kv + 8.0 * H + 2.0 * H) + 2.0 * V * H + H;
    let experts = 32.0 * 2.0 * 3.0 * H * f;
    assert_close(memory.weights.0, 2.0 * (shared + experts));
    assert_close(memory.optimizer.0, 12.0 * (shared / 8.0 + experts / 2.0));
    assert_close(reserve(&job).gib(), 0.75 + 2.0 * 0.25);
    // Placeholders of gradients: one of each shape, so that both experts share theirs; the loss outgrows the rest.
    let placeholders = 2.0 * (2.0 * H * H + 2.0 * H * kv + 8.0 * H + 3.0 * H * f);
    assert_close(memory.workspace.0, LIBRARIES + placeholders);
}

/// What does not fit says so, and names the stage and what takes most of it.
#[test]
fn a_report_names_the_fullest_stage() {
    let found =
        forecast(&job(&[("n", "2"), ("gb", "2"), ("tp", "1"), ("sp", "0"), ("pp", "1"), ("zero", "0")]));
    assert!(!found.memory.fits && found.memory.worst_stage == 0);
    assert_eq!((found.memory.owner, found.bottleneck.kind), ("Optimizer states", "memory"));
    let owners = |part: fn(&mut StageMemory) -> &mut Bytes| {
        let mut memory = StageMemory::default();
        *part(&mut memory) = Bytes(1.0);
        memory.owner()
    };
    assert_eq!(owners(|memory| &mut memory.weights), "Weights");
    assert_eq!(owners(|memory| &mut memory.logits), "Logits");
    assert_eq!(owners(|memory| &mut memory.workspace), "Workspace");
}

/// Latent attention keeps its latents beside queries, keys and values of every head; a shared expert its insides, and
/// experts split over two ranks each half of the insides of both ranks' copies.
#[test]
fn latents_and_shared_experts_are_kept() {
    let job = |edits: &[(&str, &str)]| {
        let base = [
            ("m", "deepseek-v2-lite"),
            ("lead", "0"),
            ("g", "dgx-h100"),
            ("n", "8"),
            ("gb", "8"),
            ("seq", "4096"),
            ("stack", "fused"),
            ("tp", "1"),
            ("sp", "0"),
            ("pp", "1"),
            ("ep", "4"),
        ];
        scenario(&[&base[..], edits].concat())
    };
    let (h, f, copies) = (2048.0, 1408.0, 6.0);
    // Queries and keys of 192, values and context of 128 for 16 heads; a latent of 512.
    let attention =
        8.0 * h + 2.0 * 16.0 * (192.0 + 192.0 + 128.0) + 2.0 * 16.0 * 128.0 + 4.0 * 16.0 + 2.0 * 512.0;
    let scores = 4.0 * 64.0;
    let inside = 2.0 * f + copies * f;
    let kept = |split: f64| attention + scores + split * copies * 2.0 * h + 6.0 * inside;
    assert_close(stage_memory(&job(&[]), 0).activations.0, 27.0 * T * kept(1.0));
    assert_close(stage_memory(&job(&[("etp", "2")]), 0).activations.0, 27.0 * T * kept(2.0));
    // Leading dense layers keep theirs.
    let dense = attention + 6.0 * 10_944.0;
    let first = stage_memory(&job(&[("lead", "3")]), 0).activations.0;
    assert_close(first, 3.0 * T * dense + 24.0 * T * kept(1.0));
}

/// A communicator for every kind of group, context and experts among them.
#[test]
fn every_kind_of_group_takes_buffers() {
    let gib = |edits: &[(&str, &str)]| reserve(&job(edits)).gib();
    assert_close(gib(&[("n", "1"), ("gb", "1"), ("tp", "1"), ("sp", "0"), ("pp", "1")]), 0.75);
    assert_close(gib(&[("n", "8"), ("tp", "1"), ("sp", "0"), ("pp", "1"), ("cp", "8")]), 1.0);
    assert_close(gib(&[("n", "16"), ("cp", "2")]), 0.75 + 3.0 * 0.25);
    assert_close(gib(&[("n", "32"), ("cp", "2")]), 0.75 + 4.0 * 0.25);
}

/// The mode of least work that fits; where none does, full recompute.
#[test]
fn the_least_recompute_that_fits() {
    use stepcast::memory::least_recompute_that_fits;
    use stepcast::scenario::plan::Recompute;
    let mut job = job(&[]);
    let mut with = |recompute, spare: f64| {
        job.plan.recompute = recompute;
        let need = peak(&job).0.0 + reserve(&job).0;
        job.cluster.gpu.memory = Bytes(need + spare);
        least_recompute_that_fits(&job)
    };
    assert_eq!(with(Recompute::None, 1.0), Recompute::None);
    assert_eq!(with(Recompute::None, -1.0), Recompute::Selective);
    assert_eq!(with(Recompute::Selective, 1.0), Recompute::Selective);
    assert_eq!(with(Recompute::Selective, -1.0), Recompute::Full);
    assert_eq!(with(Recompute::Full, -1.0), Recompute::Full);
    // XLA's programs know no selective recompute.
    let mut xla = job;
    xla.software.stack = stepcast::scenario::stack::Stack::Maxtext;
    xla.plan.recompute = Recompute::Selective;
    xla.cluster.gpu.memory = Bytes(peak(&xla).0.0 + reserve(&xla).0 + 1.0);
    assert_eq!(least_recompute_that_fits(&xla), Recompute::Full);
}

/// Bf16 of the unfused years accumulates gradients in 32 bits, fp16 in what the stack keeps; compiled stacks keep
/// 16-bit inputs and quantise them again.
#[test]
fn stacks_differ_in_what_they_keep() {
    let of = |edits: &[(&str, &str)]| stage_memory(&job(edits), 1);
    let deepspeed = |precision| of(&[("stack", "megatron-deepspeed"), ("prec", precision)]).gradients.0;
    assert_close(deepspeed("bf16"), 4.0 * parameters()[1]);
    assert_close(deepspeed("fp16"), 2.0 * parameters()[1]);
    for stack in ["composer-fsdp", "compiled", "torchtitan", "maxtext", "paxml", "fused"] {
        let edits = [("stack", stack), ("tp", "1"), ("sp", "0"), ("pp", "1"), ("zero", "3")];
        let memory = stage_memory(&job(&edits), 0);
        let (layer, ends) = (MATRICES + 2.0 * H, 2.0 * V * H + H);
        let shard = if stack == "fused" { (32.0 * layer + ends) / 16.0 } else { 0.0 };
        // torchtitan's ends are groups of their own, which are not gathered while a layer runs backward.
        let ends = if stack == "torchtitan" { 0.0 } else { ends };
        assert_close(memory.weights.0, 2.0 * (shard + 2.0 * layer + ends));
    }
    for (stack, width) in [("compiled", 2.0), ("fused", 1.0)] {
        let kept = KEPT - (2.0 - width) * (2.0 * H + F) + if width < 2.0 { width * H } else { 0.0 };
        assert_close(of(&[("stack", stack), ("prec", "fp8")]).activations.0, 12.0 * T * kept);
    }
}

/// With short sequences the head's weight gradient outgrows the loss: 16-bit logits' gradient and the table's.
#[test]
fn the_heads_gradient_follows_the_loss() {
    let edits = [("seq", "1024"), ("tp", "1"), ("sp", "0"), ("pp", "1")];
    let t = 1024.0;
    let memory = stage_memory(&job(&edits), 0);
    assert_close(memory.logits.0, 4.0 * t * H + 2.0 * t * V + 2.0 * V * H);
    let compiled = stage_memory(&job(&[&edits[..], &[("stack", "compiled")]].concat()), 0);
    assert_close(compiled.logits.0, 4.0 * t * H + 6.0 * t * V);
}

/// Where layers are wide the gradients of gate and up outgrow the attention's: those of two copies of every token. The
/// activation that eager stacks keep beside them has no gradient of its own.
#[test]
fn the_widest_gradients_set_the_workspace() {
    for stack in ["compiled", "eager"] {
        let edits =
            [("m", "mixtral-8x7b"), ("stack", stack), ("tp", "1"), ("sp", "0"), ("pp", "2"), ("n", "8")];
        let running = 2.0 * T * H + 2.0 * 2.0 * 2.0 * 14_336.0 * T;
        assert_close(stage_memory(&job(&edits), 0).workspace.0, LIBRARIES + 4.0 * T * H + running);
    }
}

/// The fullest stage is looked for where it may be: a list of layers, or dense layers before those of experts, can
/// make it any in the middle.
#[test]
fn the_fullest_stage_may_be_in_the_middle() {
    let listed = job(&[("split", "given"), ("stages", "4,4,20,4")]);
    let late = job(&[("m", "mixtral-8x7b"), ("lead", "16")]);
    for job in [listed, late] {
        let totals = [0, 1, 2, 3].map(|stage| stage_memory(&job, stage).total());
        assert!([0, 1, 3].iter().all(|other| totals[*other as usize] < totals[2]), "{totals:?}");
        assert_eq!(peak(&job), (totals[2], 2));
    }
}

/// Of a chunk's layers every n-th is recomputed, and keeps its input alone: 8 layers a stage, four micro-batches in flight on
/// the first, and chunks of their own counts where stages are virtual.
#[test]
fn every_nth_layer_keeps_its_input_alone() {
    let layer = T / 2.0 * KEPT;
    let input = T / 2.0 * 2.0 * H;
    let held = |every: &str, more: &[(&str, &str)]| {
        let edits = [&[("rc", "full"), ("rcn", every)], more].concat();
        stage_memory(&job(&edits), 1).activations.0
    };
    for (every, recomputed) in [("1", 8.0), ("2", 4.0), ("3", 2.0), ("4", 2.0), ("8", 1.0), ("9", 0.0)] {
        assert_close(held(every, &[]), 3.0 * (recomputed * input + (8.0 - recomputed) * layer));
    }
    // Two chunks of four layers, each with one third layer. Of the second stage's, 9 are in flight (Narayanan et al. 2021).
    let one = held("3", &[("vpp", "2")]) / (input + 3.0 * layer);
    assert_close(one, held("1", &[("vpp", "2")]) / (4.0 * input));
}

/// With leading dense layers and experts in every second of the others, a chunk's n-th layers are what they are: of DeepSeek's
/// 27 layers in one chunk, of which the first is dense, every ninth has experts.
#[test]
fn of_experts_and_dense_layers_each_keeps_its_own() {
    let program_visits = |every: &str, edits: &[(&str, &str)]| {
        let base = [
            ("m", "deepseek-v2-lite"),
            ("rc", "full"),
            ("rcn", every),
            ("pp", "1"),
            ("tp", "1"),
            ("sp", "0"),
        ];
        let job = scenario(
            &[&[("g", "dgx-h100"), ("n", "8"), ("gb", "8"), ("zero", "1")], &base[..], edits].concat(),
        );
        let visits = Predictor::SHIPPED.program(&job).visits(0);
        [visits.layers[0][0], visits.layers[0][1], visits.layers[1][0], visits.layers[1][1]]
    };
    assert_eq!(program_visits("1", &[]), [1.0, 0.0, 26.0, 0.0]);
    assert_eq!(program_visits("9", &[]), [0.0, 1.0, 3.0, 23.0]);
    // Layers 0 and 1 dense, then the last of every two with experts: 3, 5, ..., 25. Of 2, 5, 8, ..., 26 four have some.
    assert_eq!(program_visits("3", &[("lead", "2"), ("every", "2")]), [5.0, 10.0, 4.0, 8.0]);
}
