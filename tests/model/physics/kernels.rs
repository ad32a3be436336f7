//! Kernels that a job states, and what its sequences hold: what each changes, by its paper or by hand.

use crate::physics::memory::{H, T, V, job};
use crate::support::{assert_close, forecast, scenario};
use stepcast::constants::Constants;
use stepcast::cost::{AttentionCore, Rates, Work};
use stepcast::document::Document;
use stepcast::forecast::{Pass, Predictor};
use stepcast::memory::stage_memory;
use stepcast::scenario::Scenario;
use stepcast::step::{Call, Module, Place, Program};

/// Llama-2 7B on one GPU and stage, eager.
fn eager(edits: &[(&str, &str)]) -> Scenario {
    let base = [
        ("tp", "1"),
        ("sp", "0"),
        ("pp", "1"),
        ("zero", "3"),
        ("n", "8"),
        ("gb", "8"),
        ("stack", "eager"),
        ("year", "2024"),
    ];
    job(&[&base[..], edits].concat())
}

fn calls(job: &Scenario, place: Place) -> Vec<Call> {
    let mut calls = Vec::new();
    Program::new(job, &Constants::SHIPPED).calls(place, &mut |call| calls.push(call));
    calls
}

fn core(job: &Scenario) -> AttentionCore {
    core_of(job, false)
}

/// The core of a layer in one of its passes.
pub(super) fn core_of(job: &Scenario, backward: bool) -> AttentionCore {
    let cores = calls(job, Place::layer(0)).into_iter().find_map(|call| match call.work {
        Work::Attention(core) if core.backward == backward => Some(core),
        _ => None,
    });
    cores.expect("a core")
}

/// Forward rate of a kernel over FlashAttention-2's on a long sequence, in benchmarks, as those who publish it have it.
fn over_flash2(edits: &[(&str, &str)], kernel: &str) -> f64 {
    let time = |kernel: &str| {
        let job = eager(&[&[("seq", "65536"), ("attn", kernel)], edits].concat());
        Rates::of_benchmark(&job, &Constants::SHIPPED).price(&Work::Attention(core(&job))).time.0
    };
    time("fa2") / time(kernel)
}

/// FlashAttention-4 is faster than the vendor's kernel on Blackwell by less than the 1.3 times of its paper's abstract
/// (arXiv 2603.05451), where FlashAttention-2 is a third of either, and is not written for older GPUs.
#[test]
fn flash_attention_4_is_for_hopper_and_blackwell() {
    let blackwell = [("g", "dgx-b200"), ("year", "2026")];
    let gain = over_flash2(&blackwell, "fa4") / over_flash2(&blackwell, "cudnn");
    assert!(gain > 1.0 && gain < 1.3, "{gain}");
    assert!(over_flash2(&blackwell, "fa4") > 2.5, "{}", over_flash2(&blackwell, "fa4"));
    let refused = |machine| {
        let edits =
            [("attn", "fa4"), ("g", machine), ("stack", "eager"), ("tp", "1"), ("sp", "0"), ("pp", "1")];
        let fields: Vec<String> = edits.iter().map(|(key, value)| format!("{key}={value}")).collect();
        let document = Document::from_link(&format!("#1;m=llama3-8b;n=8;{}", fields.join(";")))
            .expect("a link")
            .document;
        document.scenario().is_err_and(|errors| errors.iter().any(|error| error.field == "attn"))
    };
    assert!(refused("dgx-a100-80g") && !refused("dgx-h100") && !refused("dgx-b200"));
}

/// FlashAttention-2 is 1.7 to 3.0 times as fast as FlashAttention (arXiv 2307.08691, section 4.1), FlexAttention reaches
/// 85 to 90 % of it (https://pytorch.org/blog/flexattention/), and FlashAttention-3 is 1.5 to 2.0 times as fast on an H100
/// (arXiv 2407.08608, abstract); on an A100 cuDNN's is no faster.
#[test]
fn attention_kernels_differ_as_published() {
    let within = |found: f64, low: f64, high: f64| assert!((low..=high).contains(&found), "{found}");
    within(over_flash2(&[], "fa1"), 1.0 / 3.0, 1.0 / 1.7);
    within(over_flash2(&[], "flex"), 0.85, 0.90);
    within(over_flash2(&[], "fa3"), 1.5, 2.0);
    within(over_flash2(&[("g", "dgx-a100-80g")], "cudnn"), 0.99, 1.01);
    // PyTorch's own choice is FlashAttention-2 from 2.2 on, of January 2024.
    assert_close(over_flash2(&[], "sdpa"), 1.0);
    assert_close(over_flash2(&[("year", "2023")], "sdpa"), over_flash2(&[("year", "2023")], "fa1"));
    // From 2.11 on, of March 2026, it is cuDNN's on Hopper and Blackwell, but on no card (check_prefer_cudnn_attention).
    let [march, april] = ["3", "4"].map(|month| [("year", "2026"), ("month", month)]);
    assert_close(over_flash2(&march, "sdpa"), 1.0);
    assert_close(over_flash2(&april, "sdpa"), over_flash2(&april, "cudnn"));
    assert!(over_flash2(&april, "sdpa") > 1.2);
    assert_close(over_flash2(&[&april[..], &[("g", "rtx4090")]].concat(), "sdpa"), 1.0);
}

/// Under a mask that it reads, PyTorch's memory-efficient kernel computes every pair of a query and a key, at the rate at
/// which it has half of them elsewhere: documents and windows spare it nothing, and padding makes SDPA take it.
#[test]
fn a_mask_that_is_read_hides_no_score() {
    let time = |edits: &[(&str, &str)]| {
        let job = eager(&[&[("seq", "65536")], edits].concat());
        Rates::of_benchmark(&job, &Constants::SHIPPED).price(&Work::Attention(core(&job))).time.0
    };
    let masked = time(&[("attn", "masked")]);
    // But for starts of blocks and the diagonal, which a walk over all keys has none of.
    let ratio = masked / time(&[("attn", "fa1")]);
    assert!((1.98..2.0).contains(&ratio), "{ratio}");
    assert_close(time(&[("attn", "masked"), ("doc", "1024")]), masked);
    assert_close(time(&[("attn", "sdpa"), ("pad", "10")]), masked);
    assert_close(time(&[("attn", "fa2"), ("pad", "10")]), time(&[("attn", "sdpa")]));
}

/// PyTorch's SDPA has no windows: layers with one read a mask over the whole sequence, by the same kernel that reads any mask, also where
/// SDPA is the vendor's kernel otherwise; the others skip what is masked as ever.
#[test]
fn windows_are_masks_to_sdpa() {
    for date in [[("year", "2025"), ("month", "6")], [("year", "2026"), ("month", "9")]] {
        for shape in
            [[("heads", "32"), ("kv", "32"), ("dh", "128")], [("heads", "64"), ("kv", "64"), ("dh", "64")]]
        {
            let times_of = |kind: usize, edits: &[(&str, &str)], name: &str| {
                let long = [("seq", "32768"), ("attn", "sdpa")];
                let job = eager(&[&long[..], &date, &shape, edits].concat());
                let rates = Rates::new(&job, &Constants::SHIPPED);
                let cores =
                    calls(&job, Place::layer(kind)).into_iter().filter(|call| call.module.name() == name);
                cores.map(|call| rates.price(&call.work).time.0).sum::<f64>()
            };
            let times = |edits: &[(&str, &str)], name: &str| times_of(0, edits, name);
            let (whole, masked) =
                (times(&[], "attention_core"), times(&[("attn", "masked")], "attention_core"));
            let half = [("window", "1024"), ("wfull", "2")];
            assert_close(times_of(0, &half, "attention_core"), whole);
            assert!((times_of(1, &half, "windowed_core") / masked - 1.0).abs() < 1e-3, "{date:?} {shape:?}");
            assert!((times(&half[..1], "windowed_core") / masked - 1.0).abs() < 1e-3);
            assert_close(times(&half[..1], "attention_core"), 0.0);
            // Where all that a token can see is in its window, and in kernels that have windows, nothing is masked.
            assert_close(times(&[("window", "32768")], "windowed_core"), 0.0);
            assert_close(times(&[("window", "1024"), ("attn", "fa2")], "windowed_core"), 0.0);
        }
    }
}

/// The kernel that reads a mask keeps the sums of heads wider than 128 in memory: 0.72 of its rate forward and 0.22 backward, on as much work.
#[test]
fn wide_heads_under_a_mask_are_summed_in_memory() {
    let time = |kernel: &str, head_dim: f64, backward: bool| {
        let job = eager(&[("seq", "65536"), ("attn", kernel)]);
        let of_width = core(&job);
        let heads = of_width.heads * of_width.head_dim / head_dim;
        let core = AttentionCore { heads, head_dim, value_dim: head_dim, backward, ..of_width };
        Rates::of_benchmark(&job, &Constants::SHIPPED).price(&Work::Attention(core)).time.0
    };
    for (backward, rate) in [(false, 0.72), (true, 0.22)] {
        let slower = |kernel: &str| time(kernel, 256.0, backward) / time(kernel, 128.0, backward);
        let ratio = slower("masked") * rate;
        assert!((ratio - 1.0).abs() < 1e-3, "{ratio}");
        assert!((slower("fa1") - 1.0).abs() < 1e-3, "{}", slower("fa1"));
    }
}

/// Separate products keep a score for every pair of a query and a key in 16 bits, whatever the stack's own kernel.
#[test]
fn unfused_attention_keeps_its_scores() {
    let kept = |kernel: &str| stage_memory(&eager(&[("attn", kernel)]), 0).activations.0;
    // The softmax in 32 bits and its cast, in place of 4 bytes a head and token of flash attention.
    assert_close(kept("unfused") - kept("fa2"), 32.0 * T * 32.0 * (6.0 * T - 4.0));
    let gradients = |kernel: &str| stage_memory(&eager(&[("attn", kernel)]), 0).gradients.0;
    assert_eq!(gradients("unfused"), gradients("fa2"), "the kernel decides nothing else");
}

/// What is written for other GPUs is refused, with what there is.
#[test]
fn kernels_run_on_the_gpus_they_are_written_for() {
    let refused = |edits: &[(&str, &str)]| {
        let mut document = stepcast::document::Document::default();
        edits.iter().for_each(|(key, text)| document.set(key, text));
        document.scenario().err().map(|errors| errors[0].suggestions.clone()).unwrap_or_default()
    };
    assert_eq!(refused(&[("attn", "fa3")]), [""; 0]);
    assert_eq!(refused(&[("g", "dgx-a100-80g"), ("attn", "fa3")]), ["fa2", "sdpa"]);
    assert_eq!(refused(&[("g", "dgx1-v100"), ("prec", "fp16"), ("attn", "fa2")]), ["fa1", "unfused"]);
    assert_eq!(refused(&[("g", "dgx1-v100"), ("prec", "fp16"), ("attn", "unfused")]), [""; 0]);
}

/// A compiled layer passes less over memory; one that is not compiled is what eager PyTorch runs.
#[test]
fn compiled_or_not_as_stated() {
    let streams = |edits: &[(&str, &str)]| -> f64 {
        calls(&eager(edits), Place::layer(0))
            .iter()
            .map(|call| if let Work::Stream { bytes, .. } = call.work { bytes } else { 0.0 })
            .sum()
    };
    let (own, compiled) = (streams(&[]), streams(&[("comp", "1")]));
    assert!(compiled < own);
    assert_close(compiled, streams(&[("stack", "compiled")]));
    assert_close(streams(&[("stack", "compiled"), ("comp", "0")]), own);
    assert_close(streams(&[("comp", "0")]), own);
    // Tiny layers are bound by the host.
    let host = |comp: &str| {
        let job = eager(&[("comp", comp), ("seq", "256"), ("zero", "0"), ("n", "1"), ("gb", "1")]);
        forecast(&job).breakdown.host.0
    };
    assert!(host("1") < host("stack"));
}

/// Bytes per logit at the loss's peak: 10 operation by operation, 6 fused, 3 where an eighth is widened at a time; and
/// Liger's, as many parts as the vocabulary is times the width, beside two gradients in 16 bits.
#[test]
fn loss_kernels_keep_what_they_need() {
    let logits =
        |loss: &str| stage_memory(&eager(&[("loss", loss), ("zero", "1")]), 0).logits.0 - 4.0 * T * H;
    assert_close(logits("stack"), 12.0 * T * V);
    assert_close(logits("plain"), 12.0 * T * V);
    // The caller's 32-bit logits as well.
    assert_close(logits("kept"), 16.0 * T * V);
    assert_close(logits("fused"), 6.0 * T * V);
    assert_close(logits("chunked"), 3.0 * T * V);
    assert_close(logits("linear"), 6.0 * T * V / 8.0 + 2.0 * T * H + 2.0 * V * H);
    // Liger's paper (arXiv 2410.10989, figure 2): less than a third of the memory at a vocabulary of 163,840; and no less
    // for a narrow one of few tokens, whose gradients outweigh the logits.
    let wide = |loss: &str| {
        let job = eager(&[
            ("loss", loss),
            ("vocab", "163840"),
            ("hidden", "4096"),
            ("seq", "16384"),
            ("zero", "1"),
        ]);
        stage_memory(&job, 0).logits.0
    };
    assert!(wide("linear") < wide("plain") / 3.0);
    let time = |loss: &str| Predictor::SHIPPED.step_time(&eager(&[("loss", loss)])).0;
    assert!(time("fused") < time("plain"));
}

/// Liger takes the tokens in parts, 8 where the vocabulary is 7.8 times the width: as many FLOPs as whole. To the sum of the weights'
/// gradients each part's is added by its product, which reads the sum (2 bytes a weight); weights in 32 bits are cast for each part (6), and so is their sum (4, 4). In the end
/// 8 bytes bring it to the micro-batches before. Other software that takes parts has its own.
#[test]
fn parts_of_the_loss_add_up_their_gradients() {
    let head = |edits: &[(&str, &str)]| {
        let job = eager(&[&[("loss", "linear"), ("zero", "1")], edits].concat());
        let (mut flops, mut bytes, mut products) = (0.0, 0.0, Vec::new());
        for call in calls(&job, Place::Head) {
            match call.work {
                Work::Gemm(gemm) if call.module == Module::LmHead => {
                    flops += call.times * 2.0 * gemm.m * gemm.n * gemm.k;
                    products.push(call.times);
                }
                Work::Stream { bytes: moved, .. } if call.module == Module::LmHeadSum => {
                    bytes += call.times * moved
                }
                _ => {}
            }
        }
        assert_close(flops, 6.0 * T * V * H);
        (products, bytes / (V * H))
    };
    let (products, bytes) = head(&[]);
    assert_eq!(products, [8.0; 3]);
    assert_close(bytes, 8.0 * 2.0 + 8.0);
    assert_close(head(&[("wts", "32")]).1, 8.0 * (6.0 + 6.0) + 8.0);
    assert_eq!(head(&[("stack", "fused")]), (vec![1.0; 3], 0.0));
}

/// Head and loss of Llama 3 8B, forward and backward, in Liger's own benchmark on an A100 (`benchmark/data/all_benchmark_data.csv`,
/// 0.4.2, `full`): few tokens take longer than their share, as every part passes the weights and their gradient.
#[test]
fn parts_of_the_loss_take_what_liger_measured() {
    for (batch, measured) in [("1", 121.4e-3), ("2", 166.7e-3), ("4", 277.1e-3), ("8", 511.1e-3)] {
        let edits = [
            ("m", "llama3-8b"),
            ("g", "dgx-a100-80g"),
            ("n", "1"),
            ("gb", batch),
            ("mb", batch),
            ("seq", "4096"),
            ("zero", "0"),
            ("month", "11"),
            ("loss", "linear"),
        ];
        let found = forecast(&eager(&edits));
        let of_head = ["lm_head", "lm_head_sum", "cross_entropy"];
        let rows = found.operators.iter().filter(|row| of_head.contains(&row.name));
        let taken: f64 = rows.map(|row| row.time.0 * row.count).sum();
        assert!((taken / measured - 1.0).abs() < 0.1, "{batch}: {taken} s, measured {measured}");
    }
}

/// Eight documents of 1,024 tokens in a sequence of 8,192: an eighth of the pairs, of the FLOPs of the core, and of what
/// the model needs of them.
#[test]
fn attention_stays_inside_documents() {
    let of = |doc: &str| eager(&[("seq", "8192"), ("doc", doc)]);
    let (whole, packed) = (of("0"), of("1024"));
    assert_eq!((core(&whole).keys, core(&packed).keys), (8192.0, 1024.0));
    let flops =
        |job: &Scenario| Rates::new(job, &Constants::SHIPPED).price(&Work::Attention(core(job))).flops.0;
    assert_close(flops(&packed), flops(&whole) / 8.0);
    let model = |job: &Scenario| {
        let told = forecast(job);
        told.mfu * told.step.0
    };
    // 6 s a d a token and layer for the core of causal attention.
    let difference = 6.0 * 32.0 * (8192.0 - 1024.0) * H * 8.0 * 8192.0 / (8.0 * 989.4e12);
    assert_close(model(&whole) - model(&packed), difference);
    // Shorter than a document, or as long, nothing is packed; separate products compute what they mask.
    assert_eq!(core(&of("9000")).keys, 8192.0);
    assert_eq!(core(&eager(&[("seq", "8192"), ("doc", "1024"), ("attn", "unfused")])).keys, 8192.0);
    let step = |doc: &str| Predictor::SHIPPED.step_time(&of(doc)).0;
    assert!(step("1024") < step("4096") && step("4096") < step("0"));
}

/// Padding is computed and not counted: the step is as long, tokens a second and the model's FLOPs are fewer, and a run
/// takes more steps.
#[test]
fn padding_is_computed_and_not_counted() {
    let (whole, padded) = (forecast(&eager(&[])), forecast(&eager(&[("pad", "25")])));
    assert_eq!(whole.step, padded.step);
    assert_close(padded.tokens_per_s, 0.75 * whole.tokens_per_s);
    assert_close(padded.mfu, 0.75 * whole.mfu);
    assert_close(padded.hfu, whole.hfu);
    let steps = |pad: &str| scenario(&[("pad", pad), ("tokens", "1T")]).steps();
    assert!((steps("50") / steps("0") - 2.0).abs() < 1e-4);
}

/// Plain modules write and read scores for every operation: the product writes 2 bytes a score, scale and mask read and write 2
/// each, the softmax in 32 bits reads 2 and writes 4, its cast reads 4 and writes 2, the second product reads 2; backward, the
/// products read or write scores four times and more, and every gradient of these passes once. Megatron's fused mask and
/// softmax move 11 and 17, with the dropout.
#[test]
fn plain_modules_move_their_scores_for_every_operation() {
    let bytes = |job: &Scenario, backward: bool| {
        let work = Work::Attention(core_of(job, backward));
        Rates::new(job, &Constants::SHIPPED).price(&work).bytes.0
    };
    let plain = eager(&[("attn", "unfused")]);
    let AttentionCore { tokens, keys, heads, .. } = core(&plain);
    assert_close(bytes(&plain, false), tokens * keys * heads * (2.0 + 4.0 + 4.0 + 6.0 + 6.0 + 2.0));
    assert_close(bytes(&plain, true), tokens * keys * heads * (2.0 + 2.0 + 6.0 + 10.0 + 4.0 + 4.0));
    for fused in [
        eager(&[("attn", "unfused"), ("comp", "1")]),
        eager(&[("attn", "unfused"), ("stack", "megatron-deepspeed")]),
    ] {
        assert_close(bytes(&fused, false), tokens * keys * heads * 11.0);
    }
}

/// Liger's RMS norm is about 7 times as fast as the modules', and its activation keeps what it reads alone
/// (arXiv 2410.10989, section 4.1).
#[test]
fn norms_and_activations_fused_as_published() {
    let norm = |edits: &[(&str, &str)]| {
        let calls = calls(&eager(edits), Place::layer(0));
        let found =
            calls.iter().find(|call| call.module == Module::AttentionNorm && call.pass == Pass::Forward);
        match found.map(|call| call.work) {
            Some(Work::Stream { bytes, .. }) => bytes,
            other => panic!("{other:?}"),
        }
    };
    let faster = norm(&[]) / norm(&[("ew", "fused")]);
    assert!((6.0..8.0).contains(&faster), "{faster}");
    assert_close(norm(&[("comp", "1"), ("ew", "plain")]), norm(&[("comp", "1")]));
    assert_close(norm(&[("comp", "1"), ("ew", "fused")]), norm(&[("comp", "1")]));
    let kept = |edits: &[(&str, &str)]| stage_memory(&eager(edits), 0).activations.0;
    // One width of the feed-forward layer less a token and layer, in 16 bits, and of both norms what they keep written out.
    let less = kept(&[]) - kept(&[("ew", "fused")]);
    assert_close(less, 32.0 * T * (11008.0 * 2.0 + 8.0 * H));
    let step = |edits: &[(&str, &str)]| Predictor::SHIPPED.step_time(&eager(edits)).0;
    assert!(step(&[("ew", "fused")]) < step(&[]));
}

/// GPT-2's attention in plain PyTorch: product, scale, `where`, mask, softmax, dropout with its mask, product; autocast
/// widens softmax and dropout to 32 bits and casts before and behind them. Before 2023, eager stacks had no other.
#[test]
fn scores_of_gpt_are_read_and_written_by_every_operation() {
    let job = |edits: &[(&str, &str)]| {
        let base =
            [("m", "gpt2-1.5b"), ("stack", "eager"), ("year", "2021"), ("tp", "1"), ("sp", "0"), ("pp", "1")];
        let rest = [("n", "8"), ("gb", "8"), ("seq", "1024"), ("zero", "0")];
        scenario(&[&base[..], &rest, edits].concat())
    };
    let per_score = |job: &Scenario, backward: bool| {
        let work = core_of(job, backward);
        let price = Rates::new(job, &Constants::SHIPPED).price(&Work::Attention(work));
        price.bytes.0 / (work.tokens * work.keys * work.heads)
    };
    let half = job(&[]);
    assert_close(per_score(&half, false), 2.0 + 4.0 + 4.0 + 4.0 + 4.0 + 5.0 + 2.0);
    assert_close(per_score(&half, true), 2.0 + 5.0 + 6.0 + 4.0 + 4.0 + 4.0);
    let single = job(&[("wts", "32")]);
    assert_close(per_score(&single, false), 2.0 + 4.0 + 4.0 + 4.0 + (6.0 + 8.0) + 9.0 + 6.0 + 2.0);
    assert_close(per_score(&single, true), 2.0 + 6.0 + 9.0 + 12.0 + 6.0 + 4.0 + 4.0 + 4.0);
    assert_close(per_score(&job(&[("stack", "megatron-deepspeed")]), false), 11.0);
    // Kernels that fuse norms and activations leave scores alone.
    assert_close(per_score(&job(&[("ew", "fused")]), false), per_score(&half, false));
}

/// What is compiled is never slower than the same modules launched one by one, whatever the model, the layout and the
/// stack.
#[test]
fn compiling_never_slows_a_step() {
    for model in ["gpt3-175b", "gpt-neox-20b", "llama2-7b", "llama3-8b", "mixtral-8x7b"] {
        for (gpus, layout) in [
            ("1", &[("zero", "0")][..]),
            ("8", &[("zero", "0")]),
            ("8", &[("zero", "3")]),
            ("64", &[("zero", "3"), ("rc", "full")]),
            ("8", &[("zero", "1"), ("tp", "4"), ("sp", "1"), ("tpo", "1")]),
            ("8", &[("zero", "1"), ("pp", "4"), ("rc", "selective")]),
        ] {
            for (seq, kernels) in [
                ("256", &[][..]),
                ("2048", &[("ew", "fused"), ("loss", "fused")]),
                ("2048", &[("wts", "32")]),
            ] {
                let base = [("m", model), ("g", "dgx-h100"), ("n", gpus), ("gb", "320"), ("seq", seq)];
                let ways = [("tp", "1"), ("sp", "0"), ("pp", "1")];
                let step = |choice: &[(&str, &str)]| {
                    let job = scenario(&[&base[..], &ways, layout, kernels, choice].concat());
                    Predictor::SHIPPED.step_time(&job).0
                };
                let no_slower = |compiled: &[(&str, &str)], eager: &[(&str, &str)]| {
                    let (compiled, eager) = (step(compiled), step(eager));
                    assert!(compiled <= eager, "{model} {gpus} {layout:?} {seq}: {compiled} > {eager}");
                };
                for stack in ["eager", "deepspeed-zero3", "torchtitan", "compiled"] {
                    no_slower(&[("stack", stack), ("comp", "1")], &[("stack", stack), ("comp", "0")]);
                }
                no_slower(&[("stack", "compiled"), ("tpo", "0")], &[("stack", "eager"), ("tpo", "0")]);
            }
        }
    }
}

/// torchtitan computes head and loss together, a part at a time, from May 2026 on, unless a job says otherwise.
#[test]
fn a_stack_takes_up_a_kernel_at_a_release() {
    use stepcast::scenario::stack::LossKernel;
    let loss = |edits: &[(&str, &str)]| {
        eager(&[&[("stack", "torchtitan"), ("year", "2026")], edits].concat()).software.loss()
    };
    assert_eq!(loss(&[("month", "4")]), LossKernel::Fused);
    assert_eq!(loss(&[("month", "5")]), LossKernel::Linear);
    assert_eq!(loss(&[("month", "5"), ("loss", "fused")]), LossKernel::Fused);
}
