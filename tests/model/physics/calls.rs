//! The calls of every place, one by one: shapes of products and bytes of memory-bound kernels, worked out from a model's
//! sizes. Bytes of the papers: a norm reads and writes 16 bits an element, a residual reads two and writes one, a gated
//! activation reads two and writes one.

use crate::support::{close, scenario};
use std::collections::BTreeMap;
use stepcast::constants::Constants;
use stepcast::cost::Work;
use stepcast::forecast::{Pass, Predictor};
use stepcast::scenario::Scenario;
use stepcast::step::{Call, Place};

/// Primes in place of the calibration, so that no product of some is one of others.
fn constants() -> Constants {
    Constants {
        passes_eager: 5.0,
        passes_fused: 2.0,
        passes_compiled: 3.0,
        elementwise_backward_ratio: 1.5,
        quantize_bytes: 13.0,
        quantize_bytes_block: 17.0,
        quantize_backward_ratio: 1.25,
        ..Constants::SHIPPED
    }
}

pub(super) fn job(edits: &[(&str, &str)]) -> Scenario {
    let base = [
        ("m", "llama3-8b"),
        ("g", "dgx-h100"),
        ("n", "8"),
        ("gb", "64"),
        ("seq", "4096"),
        ("stack", "nemo"),
        ("year", "2025"),
        ("month", "1"),
        ("tp", "2"),
        ("sp", "1"),
        ("pp", "1"),
        ("zero", "1"),
    ];
    scenario(&[&base[..], edits].concat())
}

pub(super) fn calls(job: &Scenario, place: Place) -> Vec<Call> {
    let constants = constants();
    let mut calls = Vec::new();
    Predictor::new(&constants).program(job).calls(place, &mut |call| calls.push(call));
    calls
}

/// A memory-bound kernel: bytes, kernels, and whether it scatters.
pub(super) type Bytes = (f64, f64, bool);

/// The memory-bound kernels of a place, by name, forward and backward.
pub(super) fn streams(calls: &[Call]) -> BTreeMap<(&'static str, bool), Bytes> {
    let stream = |call: &Call| match call.work {
        Work::Stream { bytes, kernels } | Work::Cast { bytes, kernels } => Some((bytes, kernels, false)),
        Work::Scatter { bytes, kernels } => Some((bytes, kernels, true)),
        _ => None,
    };
    calls
        .iter()
        .filter_map(|call| Some(((call.module.name(), call.pass == Pass::Forward), stream(call)?)))
        .collect()
}

/// Whether the kernels of a place are these and no others: one forward of so many bytes, two backward of half as many more.
#[track_caller]
fn assert_elementwise(calls: &[Call], expected: &[(&'static str, f64, bool)]) {
    let found = streams(calls);
    for &(name, bytes, scatters) in expected {
        for (forward, bytes, kernels) in [(true, bytes, 1.0), (false, 1.5 * bytes, 2.0)] {
            let kernel = found.get(&(name, forward)).unwrap_or_else(|| panic!("no {name} in {found:?}"));
            assert!(close(kernel.0, bytes), "{name} {forward}: {} B for {bytes} B", kernel.0);
            assert_eq!((kernel.1, kernel.2), (kernels, scatters), "{name}");
        }
    }
}

/// Shapes of a product's three passes, for so many matrices: what is gained forward is asked backward.
#[track_caller]
fn assert_product(calls: &[Call], name: &str, groups: f64, (m, n, k): (f64, f64, f64), low: bool) {
    for (pass, shape) in
        [(Pass::Forward, (m, n, k)), (Pass::InputGradient, (m, k, n)), (Pass::WeightGradient, (n, k, m))]
    {
        let found = calls.iter().find(|call| call.module.name() == name && call.pass == pass);
        let Some(Work::Gemm(gemm)) = found.map(|call| call.work) else { panic!("no {name} in {pass:?}") };
        assert_eq!(
            (gemm.m, gemm.n, gemm.k, gemm.groups),
            (shape.0, shape.1, shape.2, groups),
            "{name} {pass:?}"
        );
        assert_eq!((gemm.accumulates, gemm.low_precision), (pass == Pass::WeightGradient, low), "{name}");
    }
}

/// Llama-3 8B.
pub(super) const H: f64 = 4096.0;
pub(super) const F: f64 = 14_336.0;
pub(super) const T: f64 = 4096.0;

/// One layer of Llama-3 8B, 32 heads of 128 and 8 of keys and values, over t ranks, of which each holds a t-th of the
/// residual stream under sequence parallelism; bytes pass as often as the stack's kernels need.
#[test]
fn a_dense_layer_moves_what_its_tensors_hold() {
    for (edits, t, split, passes) in [
        (&[][..], 2.0, 2.0, 2.0),
        (&[("sp", "0")], 2.0, 1.0, 2.0),
        (&[("tp", "1"), ("sp", "0")], 1.0, 1.0, 2.0),
        (&[("stack", "compiled"), ("tp", "4")], 4.0, 4.0, 3.0),
        // Half of the kernels fused by hand.
        (&[("stack", "eager"), ("ew", "fused"), ("attn", "fa2")], 2.0, 2.0, 3.5),
    ] {
        let found = calls(&job(edits), Place::layer(0));
        let (heads, kv, ffn) = (32.0 / t, 8.0 / t, F / t);
        let stream = T / split * H;
        assert_elementwise(
            &found,
            &[
                ("attention_norm", 4.0 * passes * stream, false),
                ("rotary_embedding", 4.0 * passes * T * 128.0 * (heads + kv), false),
                ("attention_residual", 6.0 * passes * stream, false),
                ("mlp_norm", 4.0 * passes * stream, false),
                ("mlp_residual", 6.0 * passes * stream, false),
            ],
        );
        // A compiled activation stands alone between two products: as many bytes as it reads and writes.
        let inside = T * ffn;
        let (forward, backward) =
            if passes == 3.0 { (6.0, 10.0) } else { (6.0 * passes, 1.5 * 6.0 * passes) };
        assert_moved(&found, &[("activation", forward * inside, backward * inside)]);
        assert_eq!(streams(&found).len(), 12, "and no others");
        assert_product(&found, "qkv_projection", 1.0, (T, 128.0 * (heads + 2.0 * kv), H), true);
        assert_product(&found, "attention_output", 1.0, (T, H, 128.0 * heads), true);
        assert_product(&found, "mlp_up", 1.0, (T, 2.0 * ffn, H), true);
        assert_product(&found, "mlp_down", 1.0, (T, H, ffn), true);
    }
}

/// Bytes that all calls of a name move in one direction, and the kernels that they launch.
pub(super) fn moved(calls: &[Call], name: &str, forward: bool) -> (f64, f64) {
    let of =
        calls.iter().filter(|call| call.module.name() == name && (call.pass == Pass::Forward) == forward);
    of.fold((0.0, 0.0), |sum, call| match call.work {
        Work::Stream { bytes, kernels } => (sum.0 + bytes, sum.1 + kernels),
        _ => sum,
    })
}

/// Whether modules move so many bytes forward and backward.
#[track_caller]
fn assert_moved(calls: &[Call], expected: &[(&str, f64, f64)]) {
    for &(name, forward, backward) in expected {
        let found = (moved(calls, name, true).0, moved(calls, name, false).0);
        assert!(close(found.0, forward), "{name} forward: {} for {forward}", found.0);
        assert!(close(found.1, backward), "{name} backward: {} for {backward}", found.1);
    }
}

/// Modules of plain PyTorch: every operation reads its operands and writes its result, 2 bytes an element or 4 where it has
/// been widened. Llama-3 8B over two ranks: queries, keys and values are three products, gate and up two, whose inputs'
/// gradients are summed.
#[test]
fn plain_modules_of_llama_move_what_their_operations_do() {
    let llama = calls(&job(&[("stack", "eager")]), Place::layer(0));
    let (stream, tokens, inside) = (T / 2.0 * H, T * H, T * F / 2.0);
    let product_with_weight = 2.0 + 2.0 + (2.0 + 2.0 + 2.0) + 2.0;
    let casts = 2.0 + 4.0 + 4.0 + 2.0;
    let by_the_root = (4.0 + 4.0) + (4.0 + 4.0 + 4.0) + 4.0;
    // Of the mean, a power, a product with its exponent and one with the gradient.
    let square = 4.0 + (4.0 + 4.0) + (4.0 + 4.0) + (4.0 + 4.0 + 4.0);
    let sum = 4.0 + 4.0 + 4.0;
    let norm = product_with_weight + casts + by_the_root + square + sum;
    let rotated = T * 128.0 * 20.0;
    assert_moved(
        &llama,
        &[
            ("attention_norm", 36.0 * stream, norm * stream),
            ("mlp_norm", 36.0 * stream, norm * stream),
            ("gradient_sum", 0.0, (2.0 + 1.0) * 6.0 * tokens),
            ("rotary_embedding", 20.0 * rotated, 30.0 * rotated),
            ("attention_residual", 6.0 * stream, 6.0 * stream),
            ("mlp_residual", 6.0 * stream, 6.0 * stream),
            // silu in and out, product; two products, the gradient of silu.
            ("activation", (4.0 + 6.0) * inside, (6.0 + 6.0 + 6.0) * inside),
            ("bias", 0.0, 0.0),
            ("activation_cast", 0.0, 0.0),
        ],
    );
    assert_eq!(moved(&llama, "activation", true).1, 2.0);
    // Kernels fused by hand, and Megatron's own modules, move so many times the least.
    let liger = calls(&job(&[("stack", "eager"), ("ew", "fused")]), Place::layer(0));
    assert_moved(&liger, &[("activation", 6.0 * 3.5 * inside, 1.5 * 6.0 * 3.5 * inside)]);
    let megatron = calls(&job(&[("stack", "megatron-deepspeed")]), Place::layer(0));
    assert_moved(&megatron, &[("attention_residual", 6.0 * 5.0 * stream, 1.5 * 6.0 * 5.0 * stream)]);
}

/// Qwen3's norms of queries and keys are RMSNorms over 16 and 4 heads of 128: operation by operation in plain PyTorch, read and
/// written once by a fused kernel, saved as they enter, and not there without the field.
#[test]
fn norms_of_queries_and_keys_are_norms() {
    let (queries, keys) = (T * 128.0 * 16.0, T * 128.0 * 4.0);
    let plain = calls(&job(&[("stack", "eager"), ("qkn", "1")]), Place::layer(0));
    let norms = |calls: &[Call]| {
        ["query_norm", "key_norm"].map(|name| (moved(calls, name, true), moved(calls, name, false)))
    };
    let of_hidden = moved(&plain, "attention_norm", false).0 / (T / 2.0 * H);
    assert_moved(
        &plain,
        &[("query_norm", 36.0 * queries, of_hidden * queries), ("key_norm", 36.0 * keys, of_hidden * keys)],
    );
    assert_eq!(norms(&plain).map(|(forward, _)| forward.1), [8.0, 8.0], "kernels");
    let fused = calls(&job(&[("qkn", "1")]), Place::layer(0));
    assert_moved(&fused, &[("query_norm", 4.0 * 2.0 * queries, 1.5 * 4.0 * 2.0 * queries)]);
    let saved = |name: &str| -> f64 {
        fused.iter().filter(|call| call.module.name() == name).map(|call| call.saves.total()).sum()
    };
    assert!(close(saved("query_norm") + saved("key_norm"), 2.0 * (queries + keys)));
    assert_eq!(norms(&calls(&job(&[]), Place::layer(0))), [((0.0, 0.0), (0.0, 0.0)); 2]);
}

/// torchtitan's norms are PyTorch's module, which is one kernel since August 2025: it reads and writes what LayerNorm's does.
/// Those of queries and keys are written out as before: rows as narrow as a head gain nothing.
#[test]
fn norms_of_torchtitan_are_one_kernel_since_pytorch_has_it() {
    let of = |month: &str| {
        let job =
            job(&[("stack", "torchtitan"), ("comp", "0"), ("year", "2025"), ("month", month), ("qkn", "1")]);
        calls(&job, Place::layer(0))
    };
    let (stream, queries) = (T / 2.0 * H, T * 128.0 * 16.0);
    let (before, since) = (of("7"), of("9"));
    assert_moved(&since, &[("attention_norm", 4.0 * stream, (6.0 + 4.0) * stream)]);
    assert_eq!(moved(&since, "mlp_norm", true).1, 1.0, "kernels");
    assert_eq!(moved(&since, "query_norm", true), (36.0 * queries, 8.0));
    let written_out = moved(&calls(&job(&[("stack", "eager")]), Place::layer(0)), "attention_norm", false);
    assert_eq!(moved(&before, "attention_norm", false), written_out);
}

/// GPT-2 in plain PyTorch: its GELU is written out, its linear layers have biases, and dropout follows where attention is
/// made of separate kernels. One in 32 bits under autocast casts what each linear layer reads.
#[test]
fn plain_modules_of_gpt_move_what_their_operations_do() {
    let base = [("m", "gpt2-1.5b"), ("tp", "1"), ("sp", "0"), ("seq", "1024"), ("stack", "eager")];
    let of = |edits: &[(&str, &str)]| calls(&job(&[&base[..], edits].concat()), Place::layer(0));
    let stream = 1024.0 * 1600.0;
    let inside = 4.0 * stream;
    // x^3, two scalings, x + .., tanh, 1 + .., x / 2, and the product of the last two.
    let gelu = 4.0 * 6.0 + 6.0 * 2.0;
    // The product's two gradients and three scalings; tanh; power, its scaling and product; three branches summed.
    let gelu_backward = 2.0 * 6.0 + 3.0 * 4.0 + 6.0 + (4.0 + 4.0 + 6.0) + 2.0 * 6.0;
    let outputs = (3.0 + 1.0 + 4.0 + 1.0) * stream;
    let flash = of(&[]);
    assert_moved(
        &flash,
        &[
            ("attention_norm", 4.0 * stream, (6.0 + 4.0) * stream),
            ("activation", gelu * inside, gelu_backward * inside),
            ("attention_residual", 6.0 * stream, 6.0 * stream),
            ("bias", 0.0, 2.0 * outputs),
            ("gradient_sum", 0.0, 0.0),
        ],
    );
    assert_eq!((moved(&flash, "activation", true).1, moved(&flash, "activation", false).1), (8.0, 11.0));
    // Values in and out, and a byte of the mask. Products did not add biases before 2022.
    let dropout = of(&[("attn", "unfused"), ("year", "2021")]);
    let both = 6.0 + 5.0;
    assert_moved(
        &dropout,
        &[("mlp_residual", both * stream, both * stream), ("bias", 4.0 * outputs, 2.0 * outputs)],
    );
    let autocast = of(&[("wts", "32"), ("zero", "0")]);
    assert_moved(
        &autocast,
        &[
            ("attention_norm", 8.0 * stream, (12.0 + 8.0) * stream),
            ("activation_cast", 2.0 * 6.0 * stream, 2.0 * 6.0 * stream),
            ("mlp_residual", 10.0 * stream, (12.0 + 6.0) * stream),
        ],
    );
    assert!(moved(&autocast, "activation", true).0 > 2.0 * gelu * inside);
}

/// Between two products of a library a compiled program has an activation alone, and biases' gradients are sums over tokens.
#[test]
fn compiled_activations_and_biases_pass_once() {
    let base = [("m", "gpt2-1.5b"), ("tp", "1"), ("sp", "0"), ("seq", "1024"), ("stack", "compiled")];
    let gpt = calls(&job(&base), Place::layer(0));
    let stream = 1024.0 * 1600.0;
    let outputs = (3.0 + 1.0 + 4.0 + 1.0) * stream;
    let gelu = (4.0 * 4.0 * stream, 6.0 * 4.0 * stream);
    assert_moved(&gpt, &[("activation", gelu.0, gelu.1), ("bias", 0.0, 2.0 * outputs)]);
}

/// Autocast leaves the residual stream in 32 bits, compiled or not: a norm reads 4 bytes and writes 2, a sum reads 4 and 2
/// and writes 4. Sharded weights are cast before they are gathered, and the stream has 16 bits.
#[test]
fn autocast_widens_the_residual_stream() {
    let of = |edits: &[(&str, &str)]| {
        calls(&job(&[&[("stack", "compiled"), ("tp", "1"), ("sp", "0")], edits].concat()), Place::layer(0))
    };
    let stream = 3.0 * T * H;
    for (edits, norm, residual) in [
        (&[("wts", "32"), ("zero", "0")], 4.0 + 2.0, 4.0 + 2.0 + 4.0),
        (&[("wts", "32"), ("zero", "3")], 2.0 + 2.0, 2.0 + 2.0 + 2.0),
        (&[("wts", "16"), ("zero", "0")], 2.0 + 2.0, 2.0 + 2.0 + 2.0),
    ] {
        let found = of(edits);
        let expected = [("mlp_norm", norm), ("mlp_residual", residual)];
        let expected = expected.map(|(name, bytes)| (name, bytes * stream, 1.5 * bytes * stream));
        assert_moved(&found, &expected);
    }
}

/// DTensor's gathers and scatters of sequences, two of each in a layer's forward pass and two in its backward pass, read and
/// write the whole stream once more, where no compiler fuses that.
#[test]
fn sequences_are_put_together_by_a_kernel_of_their_own() {
    let copied = |edits: &[(&str, &str)]| {
        let found = calls(&job(&[&[("stack", "torchtitan")], edits].concat()), Place::layer(0));
        [true, false].map(|forward| moved(&found, "sequence_reshuffle", forward))
    };
    let stream = 2.0 * T * H;
    assert_eq!(copied(&[("comp", "0")]), [(4.0 * 2.0 * stream, 4.0); 2]);
    for none in [&[][..], &[("comp", "0"), ("sp", "0")], &[("comp", "0"), ("tp", "1")], &[("stack", "eager")]]
    {
        assert_eq!(copied(none), [(0.0, 0.0); 2], "{none:?}");
    }
}

/// GPT-2 has 50,257 entries: plain PyTorch takes them as they are, so that rows of logits begin anywhere; padded by
/// hand, by Megatron or by Inductor, which does since May 2023, they begin at multiples of 16 bytes.
#[test]
fn heads_of_odd_vocabularies_are_not_aligned() {
    let unaligned = |edits: &[(&str, &str)]| {
        let base = [("m", "gpt2-1.5b"), ("seq", "1024"), ("tp", "1"), ("sp", "0"), ("stack", "eager")];
        let head = calls(&job(&[&base[..], edits].concat()), Place::Head);
        let products = head.iter().filter_map(|call| match call.work {
            Work::Gemm(gemm) => Some(gemm.unaligned),
            _ => None,
        });
        products.collect::<Vec<_>>()
    };
    assert_eq!(unaligned(&[]), [true; 3]);
    assert_eq!(unaligned(&[("stack", "deepspeed-zero3")]), [true; 3]);
    let compiled = |month| unaligned(&[("stack", "compiled"), ("year", "2023"), ("month", month)]);
    assert_eq!([compiled("2"), compiled("6")], [[true; 3], [false; 3]]);
    for aligned in [("vocab", "50304"), ("stack", "megatron-deepspeed"), ("comp", "1"), ("stack", "nemo")] {
        assert_eq!(unaligned(&[aligned]), [false; 3], "{aligned:?}");
    }
}

/// What XLA leaves out of a layer that runs again: its last product and the sum behind it, which only the next layer reads.
#[test]
fn recompute_leaves_out_what_nobody_reads() {
    let again = |stack: &str, recompute: &[(&str, &str)]| {
        let job = job(&[&[("stack", stack), ("sp", "0"), ("tp", "1")], recompute].concat());
        let calls = calls(&job, Place::layer(0)).into_iter().filter(|call| call.pass == Pass::Recompute);
        calls.map(|call| call.module.name()).collect::<Vec<_>>()
    };
    let modules = [("rc", "modules"), ("rcm", "core,norms,mlp")];
    for recompute in [&[("rc", "full")][..], &modules] {
        let (all, read) = (again("compiled", recompute), again("maxtext", recompute));
        let unread = ["mlp_down", "mlp_output_reduce", "mlp_residual"];
        let expected: Vec<_> = all.iter().filter(|name| !unread.contains(name)).copied().collect();
        assert_eq!(read, expected);
        assert!(all.contains(&"mlp_down") && read.contains(&"mlp_up"), "{all:?}");
    }
}

/// A layer of experts: scores of every token for every expert, copies sorted before (and after) they travel, grouped products.
#[test]
fn a_layer_of_experts_moves_what_its_copies_hold() {
    // Mixtral 8x7B over two tensor-parallel ranks: each routes half of the tokens, two copies of each.
    for (edits, local, split, sortings) in [
        (&[("ep", "8")][..], 1.0, 1.0, 1.0),
        (&[("ep", "2")], 4.0, 1.0, 2.0),
        (&[("ep", "4"), ("etp", "2")], 2.0, 2.0, 2.0),
        (&[("ep", "8"), ("month", "6")], 1.0, 1.0, 1.0),
    ] {
        let found = calls(&job(&[&[("m", "mixtral-8x7b")], edits].concat()), Place::layer(0));
        let (tokens, copies) = (T / 2.0, T / 2.0 * 2.0);
        let (rows, width) = (copies * split, F / split);
        assert_elementwise(
            &found,
            &[
                ("mlp_norm", 4.0 * 2.0 * T / 2.0 * H, false),
                ("router_top_k", 12.0 * 2.0 * tokens * 8.0, true),
                ("expert_activation", 6.0 * 2.0 * rows * width, local > 1.0),
                ("mlp_residual", 6.0 * 2.0 * T / 2.0 * H, false),
            ],
        );
        for name in ["token_permute", "token_unpermute"] {
            for forward in [true, false] {
                let kernel = streams(&found)[&(name, forward)];
                assert_eq!(kernel, (sortings * 4.0 * copies * H, 1.0, true), "{name}");
            }
        }
        assert_product(&found, "router", 1.0, (tokens, 8.0, H), true);
        assert_product(&found, "expert_up", local, (rows / local, 2.0 * width, H), true);
        assert_product(&found, "expert_down", local, (rows / local, H, width), true);
        assert!(!streams(&found).contains_key(&("expert_bias", true)));
    }
    // GPT-OSS 120B adds a bias to what its 128 experts compute, four a token.
    let oss = calls(&job(&[("m", "gpt-oss-120b"), ("ep", "8")]), Place::layer(0));
    assert_elementwise(&oss, &[("expert_bias", 28.0 * 2.0 * T / 2.0 * 4.0 * 2880.0, true)]);
    // Its gate and its linear half are clamped each by a kernel and joined by a third, 2 x (2 + 2) bytes of both halves; backward
    // two read what they clamped, 2 + 2 + 2, and a third joins, 2 + 2.
    let halves = 2.0 * T / 2.0 * 4.0 * 2880.0;
    assert_eq!(streams(&oss)[&("expert_clamp", true)], (2.0 * 4.0 * halves, 3.0, false));
    assert_eq!(streams(&oss)[&("expert_clamp", false)], ((6.0 + 4.0) * halves, 3.0, false));
}

/// Multi-head latent attention of DeepSeek-V3: down to 1536 and 512 + 64 on every rank, up to its share of 128 heads of
/// 128 + 64, values of 128; one rotated key for all heads.
#[test]
fn latents_are_projected_down_and_up() {
    let found = calls(&job(&[("m", "deepseek-v3"), ("ep", "8"), ("n", "64")]), Place::layer(1));
    let (h, heads) = (7168.0, 64.0);
    assert_product(&found, "query_down", 1.0, (T, 1536.0, h), true);
    assert_product(&found, "query_up", 1.0, (T, heads * 192.0, 1536.0), true);
    assert_product(&found, "key_value_down", 1.0, (T, 576.0, h), true);
    assert_product(&found, "key_value_up", 1.0, (T, heads * 256.0, 512.0), true);
    assert_product(&found, "attention_output", 1.0, (T, h, heads * 128.0), true);
    assert_product(&found, "shared_up", 1.0, (T, 2.0 * 1024.0, h), true);
    assert_elementwise(
        &found,
        &[
            ("latent_norm", 4.0 * 2.0 * T * 2048.0, false),
            ("key_assembly", 4.0 * 2.0 * T * heads * 192.0, false),
            ("rotary_embedding", 4.0 * 2.0 * T * 64.0 * (heads + 1.0), false),
            ("shared_activation", 6.0 * 2.0 * T * 1024.0, false),
        ],
    );
    // DeepSeek-V2 Lite projects its queries at once.
    let lite = calls(&job(&[("m", "deepseek-v2-lite"), ("ep", "8")]), Place::layer(1));
    assert_product(&lite, "query_projection", 1.0, (T, 8.0 * 192.0, 2048.0), true);
    assert_elementwise(&lite, &[("latent_norm", 4.0 * 2.0 * T * 512.0, false)]);
    assert!(
        lite.iter().all(|call| !["query_up", "query_down", "qkv_projection"].contains(&call.module.name()))
    );
}

/// The two ends: rows of the table read and written; a norm, the head in 16 bits, and the loss of every logit; prediction layers project two streams to one.
#[test]
fn ends_move_what_their_tables_hold() {
    // Bytes and kernels of a logit forward and backward; of one kernel three fifths are taken as the forward pass's.
    let fused = [(0.6 * 14.0, 4.0), (0.4 * 14.0, 2.0)];
    // Llama's logits are widened: cast, log-softmax, and their gradients with that of the loss.
    let widened = [((2.0 + 4.0) + (4.0 + 4.0), 3.0), (4.0 + (4.0 + 4.0 + 4.0) + (4.0 + 2.0), 3.0)];
    // Megatron's: cast, maximum, subtraction, exponentials, their sum, division; the loss's gradient, cast.
    let parts = [(6.0 + 4.0 + 8.0 + 8.0 + 4.0 + 8.0, 6.0), (8.0 + 6.0, 2.0)];
    let in_place = [(0.6 * 6.0, 4.0), (0.4 * 6.0, 2.0)];
    for (edits, t, split, [of_forward, of_backward]) in [
        (&[][..], 2.0, 2.0, fused),
        (&[("sp", "0")], 2.0, 1.0, fused),
        (&[("tp", "1"), ("sp", "0"), ("stack", "torchtitan")], 1.0, 1.0, fused),
        (&[("stack", "eager")], 2.0, 2.0, widened),
        (&[("prec", "fp8")], 2.0, 2.0, fused),
        (&[("stack", "megatron-lm")], 2.0, 2.0, parts),
        (&[("stack", "megatron-lm"), ("loss", "fused")], 2.0, 2.0, fused),
        (&[("stack", "eager"), ("loss", "in-place")], 2.0, 2.0, in_place),
    ] {
        // 128,256 entries are a multiple of 128 for each of two ranks.
        let (stream, vocabulary) = (T / split * H, 128_256.0 / t);
        let job = job(&[&[("mtp", "1")], edits].concat());
        let embedding = streams(&calls(&job, Place::Embedding));
        let bytes = 4.0 * (T * H + stream);
        assert_eq!(embedding[&("embedding", true)], (bytes, 1.0, false));
        assert_eq!(embedding[&("embedding", false)], (bytes, 1.0, false));
        let head = calls(&job, Place::Head);
        assert_product(&head, "lm_head", 1.0, (T, vocabulary, H), false);
        let found = streams(&head);
        for (name, forward, bytes, kernels) in [
            ("final_norm", true, 4.0 * stream, 1.0),
            ("final_norm", false, 6.0 * stream, 2.0),
            ("cross_entropy", true, of_forward.0 * T * vocabulary, of_forward.1),
            ("cross_entropy", false, of_backward.0 * T * vocabulary, of_backward.1),
        ] {
            let kernel = found[&(name, forward)];
            assert!(close(kernel.0, bytes), "{name}: {} B for {bytes} B", kernel.0);
            assert_eq!((kernel.1, kernel.2), (kernels, false));
        }
        let projection = calls(&job, Place::PredictionProjection);
        assert_product(&projection, "prediction_projection", 1.0, (T, H / t, 2.0 * H), true);
        let found = streams(&projection);
        assert_eq!(found[&("prediction_norm", true)], (8.0 * stream, 2.0, false));
        assert_eq!(found[&("prediction_norm", false)], (16.0 * stream, 2.0, false));
    }
}
