//! Casts of products' operands by Transformer Engine and by torchao, what ranks gather of them, and what torchtitan's attention moves
//! beside its products.

use crate::physics::calls::{F, H, T, calls, job, streams};
use crate::support::{self, close};
use stepcast::constants::Constants;
use stepcast::cost::{Collective, Rates, Work};
use stepcast::scenario::stack::ExpertKernels;
use stepcast::step::Place;

/// torchtitan's Llama rotates complex numbers of 32 bits, which no compiler fuses: a cast (2 + 4), a product (4 + 4) and a cast
/// back (4 + 2) of each query and key, forward and backward; and it writes keys and values for each of the heads that read them.
/// Its Qwen3, with heads wider than the model, rotates by cosine and sine. Keys of as many heads as queries are not repeated.
#[test]
fn torchtitan_rotates_complex_numbers_and_repeats_keys_and_values() {
    let found = |edits: &[(&str, &str)]| streams(&calls(&job(edits), Place::layer(0)));
    let llama = found(&[("stack", "torchtitan")]);
    let rotated = T * (16.0 + 4.0) * 128.0;
    let repeated = 2.0 * T * (2.0 * 4.0 * 128.0 + 2.0 * 16.0 * 128.0);
    for forward in [true, false] {
        assert_eq!(llama[&("rotary_embedding", forward)], (20.0 * rotated, 6.0, false));
        assert_eq!(llama[&("repeated_keys_values", forward)], (repeated, 2.0, false));
    }
    let wide = found(&[("stack", "torchtitan"), ("dh", "256")]);
    assert_eq!(wide[&("rotary_embedding", true)].0, 4.0 * 3.0 * 2.0 * rotated);
    let whole = found(&[("stack", "torchtitan"), ("kv", "32")]);
    assert!(!whole.contains_key(&("repeated_keys_values", true)));
    assert!(!found(&[("stack", "compiled")]).contains_key(&("repeated_keys_values", true)));
    let later = found(&[("stack", "torchtitan"), ("year", "2026"), ("month", "3")]);
    assert!(!later.contains_key(&("repeated_keys_values", true)));
}

/// Inputs of a layer's products, h and h and those of the output projection and the down-projection, are cast once
/// forward, and with their gradients backward.
#[test]
fn low_precision_casts_the_inputs_of_products() {
    let cast = |edits: &[(&str, &str)], place| {
        let found = calls(&job(edits), place);
        let streams = streams(&found);
        [true, false].map(|forward| streams.get(&("quantize", forward)).copied())
    };
    let dense = T * (2.0 * H + 16.0 * 128.0 + F / 2.0);
    for (precision, width) in [("fp8", 13.0), ("fp8-block", 17.0)] {
        let found = cast(&[("prec", precision)], Place::layer(0));
        let bytes = width * dense;
        assert_eq!(found, [Some((bytes, 1.0, false)), Some((1.25 * bytes, 1.0, false))]);
    }
    assert_eq!(cast(&[], Place::layer(0)), [None, None]);
    // DeepSeek-V2 Lite: 16 heads with values of 128, 6 of 64 experts of 1408 on each token, two shared ones.
    let lite = [("m", "deepseek-v2-lite"), ("tp", "1"), ("sp", "0"), ("ep", "8"), ("prec", "fp8")];
    let attention = T * (2048.0 + 16.0 * 128.0);
    let routed = T * 6.0 * (2048.0 + 1408.0);
    let shared = T * (2048.0 + 2816.0);
    let [forward, backward] = cast(&lite, Place::layer(1)).map(|cast| cast.expect("a cast").0);
    assert!(close(forward, 13.0 * (attention + routed + shared)), "{forward}");
    assert!(close(backward, 1.25 * forward), "{backward}");
    let mixtral = [("m", "mixtral-8x7b"), ("ep", "4"), ("etp", "2"), ("prec", "fp8")];
    let attention = T * (4096.0 + 16.0 * 128.0);
    // Each of two ranks routes half of the tokens, and computes its half of both ranks' copies.
    let routed = T * 2.0 * (4096.0 + 14_336.0 / 2.0);
    let [forward, _] = cast(&mixtral, Place::layer(0)).map(|cast| cast.expect("a cast").0);
    assert!(close(forward, 13.0 * (attention + routed)), "{forward}");
    // Fused experts cast as they compute.
    let mut fused = job(&mixtral);
    fused.software.expert_kernels = ExpertKernels::Fused;
    let found = streams(&calls(&fused, Place::layer(0)))[&("quantize", true)].0;
    assert!(close(found, 13.0 * attention), "{found}");
}

/// torchao scales by the tensor itself and casts weights for every micro-batch: bytes of each kernel's reads and writes, after its own
/// `roofline_utils.py`. An input is written both ways, which Transformer Engine's cast to one way and its kernels' other are; weights
/// gathered in 8 bits are only turned. They are those of this rank's products, as many whatever the tokens.
#[test]
fn torchao_casts_inputs_by_their_own_scales_and_weights_each_time() {
    let cast = |edits: &[(&str, &str)]| {
        let base = [("stack", "torchtitan"), ("month", "8"), ("zero", "3")];
        let found = streams(&calls(&job(&[&base[..], edits].concat()), Place::layer(0)));
        [true, false].map(|forward| found[&("quantize", forward)].0)
    };
    // Widths of the inputs that one of two ranks casts, of which it gathers those of the stream in 8 bits with a scale per
    // tensor, so it casts half; and the weights that it holds: h (q + kv) + h q + 3 h f.
    let inner = 16.0 * 128.0 + F / 2.0;
    let weights = H * (16.0 * 128.0 + 2.0 * 4.0 * 128.0) + H * 16.0 * 128.0 + 3.0 * H * F / 2.0;
    for (edits, of_inputs, inputs, of_weights) in [
        (&[("prec", "fp8")][..], 4.0, H + inner, [0.0, 2.0]),
        (&[("prec", "fp8"), ("zero", "1")], 4.0, H + inner, [5.0, 3.0]),
        (&[("prec", "fp8-block")], 6.0, 2.0 * H + inner, [3.0, 7.0]),
        (&[("prec", "mxfp8"), ("g", "dgx-b200")], 4.0, 2.0 * H + inner, [3.0, 3.0]),
    ] {
        for tokens in [4096.0, 40_960.0] {
            let sequence = format!("{tokens}");
            let [forward, backward] = cast(&[edits, &[("seq", sequence.as_str())]].concat());
            assert!(close(forward, of_inputs * tokens * inputs + of_weights[0] * weights), "{edits:?}");
            let gradients = 1.25 * of_inputs * tokens * inputs;
            assert!(close(backward, gradients + of_weights[1] * weights), "{edits:?}");
        }
    }
}

/// Tensor-parallel ranks gather the operands of products as they are quantised where that comes first: in Transformer Engine's modules,
/// and in torchtitan with one scale per tensor. What they reduce stays in 16 bits.
#[test]
fn operands_are_gathered_in_their_own_bits() {
    let bytes = |edits: &[(&str, &str)]| {
        let found = calls(&job(edits), Place::layer(0));
        let of = |wanted| {
            let sizes = found.iter().filter_map(|call| call.work.communication()).filter(|of| of.0 == wanted);
            sizes.map(|of| of.1).sum::<f64>()
        };
        (of(Collective::AllGather), of(Collective::ReduceScatter))
    };
    // Two blocks, forward and backward, of the residual stream's 16 bits.
    let residual = 2.0 * 4096.0 * H;
    for (stack, precision, width) in [
        ("nemo", "fp8", 1.0),
        ("nemo", "nvfp4", 0.5625),
        ("torchtitan", "fp8", 1.0),
        ("torchtitan", "fp8-block", 2.0),
        ("fused", "bf16", 2.0),
        ("compiled", "fp8", 1.0),
    ] {
        let (gathered, reduced) = bytes(&[("g", "dgx-b200"), ("stack", stack), ("prec", precision)]);
        assert!(close(gathered, 4.0 * residual * width / 2.0), "{stack}, {precision}: {gathered}");
        assert!(close(reduced, 4.0 * residual), "{stack}, {precision}: {reduced}");
    }
}

/// Transformer Engine's casts on AMD reach a share of the memory's bandwidth, and none of other kernels'; NVIDIA's,
/// a compiler's, and those for adapters alone, which turn nothing, are as fast as any kernel.
#[test]
fn casts_of_transformer_engine_on_amd_take_what_its_kernels_take() {
    let c = Constants::SHIPPED;
    let over_streams = |edits: &[(&str, &str)]| {
        let scenario = support::scenario(&[&[("m", "llama3-8b"), ("prec", "fp8")], edits].concat());
        let rates = Rates::new(&scenario, &c);
        let (bytes, kernels) = (1e9, 0.0);
        rates.price(&Work::Cast { bytes, kernels }).time.0
            / rates.price(&Work::Stream { bytes, kernels }).time.0
    };
    let of = |machine, stack| over_streams(&[("g", machine), ("stack", stack)]);
    assert!(close(of("mi300x", "fused"), c.memory_efficiency / c.cast_efficiency_rocm));
    assert_eq!(of("dgx-h100", "fused"), 1.0);
    assert_eq!(of("mi300x", "compiled"), 1.0);
    let adapters = [("g", "mi300x"), ("stack", "fused"), ("year", "2025"), ("lora", "16")];
    assert_eq!(over_streams(&adapters), 1.0);
}
