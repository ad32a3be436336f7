//! The host: launches that a pass waits for, the slowest rank of a group, what runs beside the pipeline, activations on
//! their way to the host's memory.

use crate::physics::sharding::plain;
use crate::support::{assert_close, close, forecast_under, scenario};
use stepcast::constants::Constants;
use stepcast::forecast::{Pass, Prediction, Predictor};
use stepcast::scenario::Scenario;
use stepcast::schedule::{StageTime, interleaved};
use stepcast::units::{Bytes, BytesPerSecond};

/// Llama-2 7B: layers, hidden and feed-forward width, tokens of a sequence.
pub(crate) const L: f64 = 32.0;
pub(crate) const H: f64 = 4096.0;
pub(crate) const F: f64 = 11_008.0;
const T: f64 = 4096.0;
/// Seconds of host that a forward pass of a layer needs in these tests, and backward over forward.
const HOST: f64 = 0.5;
const BACKWARD: f64 = 3.0;

/// On 8 H100, three micro-batches of one sequence on each replica, in as much memory as it needs.
pub(crate) fn job(edits: &[(&str, &str)]) -> Scenario {
    let base = [
        ("m", "llama2-7b"),
        ("g", "dgx-h100"),
        ("n", "8"),
        ("gb", "24"),
        ("seq", "4096"),
        ("stack", "fused"),
        ("tp", "1"),
        ("sp", "0"),
        ("pp", "1"),
        ("zero", "1"),
    ];
    let mut job = scenario(&[&base[..], edits].concat());
    job.cluster.gpu.memory = Bytes(1e13);
    job
}

/// A host whose time adds to the device's (a norm with exponent 1), and nothing between kernels.
pub(crate) fn constants() -> Constants {
    Constants {
        host_layer_fused: HOST,
        host_layer_deepspeed: HOST,
        host_expert_layer: HOST * 2.0,
        host_backward_ratio: BACKWARD,
        host_norm_exponent: 1.0,
        host_jitter: 0.0,
        head_eager_factor: 1.0,
        head_eager_host: 0.0,
        step_fixed_fused: 0.0,
        step_fixed_alone: 0.0,
        framework_factor_fused: 1.0,
        ..plain()
    }
}

fn host(job: &Scenario, constants: &Constants) -> f64 {
    forecast_under(job, constants).breakdown.host.0
}

/// With exponent 1 every layer's pass takes what host and device take one after the other: forward once, backward a
/// multiple, and once more where everything is recomputed.
#[test]
fn every_layer_is_launched_in_every_pass() {
    let c = constants();
    for (edits, layers, forward) in [
        (&[][..], L, HOST),
        (&[("stack", "compiled")], L, HOST),
        (&[("gb", "8"), ("layers", "4")], 4.0 / 3.0, HOST),
        (&[("stack", "fused"), ("graphs", "1"), ("mb", "1")], L, 0.0),
    ] {
        assert_close(host(&job(edits), &c), 3.0 * layers * forward * (1.0 + BACKWARD));
    }
    let again = host(&job(&[("rc", "full")]), &c);
    assert_close(again, 3.0 * L * HOST * (2.0 + BACKWARD));
    // Selective recompute repeats kernels within a pass that is launched all the same.
    assert_close(host(&job(&[("rc", "selective")]), &c), 3.0 * L * HOST * (1.0 + BACKWARD));
}

/// An adapter launches four kernels beside its linear layer's one, of the 40 of a layer of Llama's modules: seven of them,
/// or four of attention alone.
#[test]
fn adapters_are_launched_too() {
    let c = constants();
    let every = 3.0 * L * HOST * (1.0 + BACKWARD);
    let tuned = |edits: &[(&str, &str)]| {
        host(&job(&[&[("stack", "eager"), ("lora", "8"), ("zero", "0"), ("rc", "none")], edits].concat()), &c)
    };
    assert_close(tuned(&[("lorat", "all")]), every * (1.0 + 7.0 * 4.0 / 40.0));
    assert_close(tuned(&[("lorat", "attention")]), every * (1.0 + 4.0 * 4.0 / 40.0));
    assert_close(tuned(&[("lora", "0")]), every);
    assert_close(tuned(&[("stack", "compiled")]), every);
}

/// The host of plain modules takes the same time for each kernel: 40 of Llama's layer, of which separate products, scale, mask
/// and softmax are four more, norms of queries and keys 16, and Liger's kernels leave 16; 12 of a GPT's, which has norms of one kernel,
/// one product for queries, keys and values, no gate, and nothing rotated. Its GELU written out has 8.
#[test]
fn plain_modules_are_launched_kernel_by_kernel() {
    let c = constants();
    let launches = |edits: &[(&str, &str)]| {
        let eager = [("stack", "eager"), ("year", "2025"), ("wts", "16"), ("zero", "0"), ("rc", "none")];
        host(&job(&[&eager[..], edits].concat()), &c) / (3.0 * L * HOST * (1.0 + BACKWARD)) * 40.0
    };
    assert_close(launches(&[]), 40.0);
    assert_close(launches(&[("attn", "unfused")]), 44.0);
    assert_close(launches(&[("qkn", "1")]), 56.0);
    assert_close(launches(&[("ew", "fused")]), 16.0);
    let gpt = [("gated", "0"), ("norm", "layer"), ("pos", "learned"), ("ctx", "4096")];
    assert_close(launches(&gpt), 12.0);
    assert_close(launches(&[&gpt[..], &[("bias", "all")]].concat()), 19.0);
}

/// DTensor dispatches torchtitan's operators to tensor-parallel ranks in Python, in every pass of every layer; compiled modules
/// and whole ones have none of it, nor have Megatron's.
#[test]
fn dtensor_takes_the_hosts_time_where_modules_are_not_compiled() {
    let taken = |edits: &[(&str, &str)]| {
        let job = job(edits);
        let with = |seconds: f64| Constants { host_tensor_dtensor: seconds, ..constants() };
        host(&job, &with(10.0)) - host(&job, &with(0.0))
    };
    let split = [("stack", "torchtitan"), ("tp", "2"), ("sp", "1")];
    let eager = [&split[..], &[("comp", "0")]].concat();
    // 24 sequences over four replicas.
    assert_close(taken(&eager), 6.0 * L * 10.0 * (1.0 + BACKWARD));
    assert_close(taken(&split), 0.0);
    assert_close(taken(&[("stack", "torchtitan"), ("comp", "0")]), 0.0);
    assert_close(taken(&[("stack", "megatron-deepspeed"), ("tp", "2"), ("sp", "1")]), 0.0);
}

/// Layers of experts need a host of their own where that is slower, and none where graphs are replayed.
#[test]
fn layers_of_experts_are_launched_more_slowly() {
    let c = constants();
    let mixtral = |edits: &[(&str, &str)]| job(&[&[("m", "mixtral-8x7b"), ("ep", "8")], edits].concat());
    let every = 3.0 * 32.0 * (1.0 + BACKWARD);
    assert_close(host(&mixtral(&[]), &c), every * 2.0 * HOST);
    assert_close(host(&mixtral(&[("graphs", "1")]), &c), 0.0);
    let slow = Constants { host_layer_fused: 3.0 * HOST, ..c };
    assert_close(host(&mixtral(&[]), &slow), every * 3.0 * HOST);
}

/// Compiled PyTorch launches for experts what routing adds to its layer, and more where ranks exchange tokens; a program of XLA's
/// launches no more than it does without.
#[test]
fn experts_of_compiled_pytorch_are_launched_operator_by_operator() {
    let operator = HOST / 40.0;
    let (routing, exchange) = (23.0 * operator, 32.0 * operator);
    let c = Constants { host_operator: operator, ..constants() };
    let every = 3.0 * 32.0 * (1.0 + BACKWARD);
    let mixtral = |stack, ranks| host(&job(&[("m", "mixtral-8x7b"), ("stack", stack), ("ep", ranks)]), &c);
    assert_close(mixtral("torchtitan", "1"), every * (HOST + routing));
    assert_close(mixtral("torchtitan", "8"), every * (HOST + routing + exchange));
    assert_close(mixtral("maxtext", "8"), 0.0);
    assert_close(mixtral("eager", "8"), every * 2.0 * HOST);
}

/// A loop over experts takes the host as long for every expert of a rank, beside the layer's own launches.
#[test]
fn loops_over_experts_are_launched_expert_by_expert() {
    let c = Constants { host_operator: HOST / 4.0 / 13.0, ..constants() };
    let every = 3.0 * 32.0 * (1.0 + BACKWARD);
    for (ranks, local) in [("8", 1.0), ("2", 4.0), ("1", 8.0)] {
        let looped = job(&[("m", "mixtral-8x7b"), ("ep", ranks), ("xk", "looped")]);
        assert_close(host(&looped, &c), every * HOST * (1.0 + local / 4.0));
    }
}

/// Grace launches as many times more slowly as its constant says, unless graphs of a layer's parts spare it that: recipes of
/// NVIDIA's own stacks have them, others where they say so. Eager stacks have a ratio of their own.
#[test]
fn a_slow_processor_takes_the_host_longer() {
    let c = Constants { host_grace_ratio: 2.0, host_grace_eager: 1.5, ..constants() };
    let on = |edits: &[(&str, &str)]| host(&job(edits), &c);
    let x86 = on(&[]);
    assert_close(on(&[("cpu", "grace")]), 2.0 * x86);
    assert_close(on(&[("cpu", "grace"), ("pg", "1")]), x86);
    assert_close(on(&[("pg", "0")]), x86);
    for eager in [[("stack", "eager"), ("cpu", "grace")], [("stack", "megatron-deepspeed"), ("cpu", "grace")]]
    {
        assert_close(on(&eager), 1.5 * on(&eager[..1]));
    }
    let own = [("stack", "nemo"), ("cpu", "grace")];
    assert_close(on(&own), x86);
    assert_close(on(&[&own[..], &[("pg", "0")]].concat()), 2.0 * x86);
    assert_close(on(&[&own[..], &[("graphs", "1")]].concat()), on(&[("stack", "nemo"), ("graphs", "1")]));
}

/// In general host and device make a norm of their times.
#[test]
fn host_and_device_make_a_norm() {
    let seconds = |host: f64| {
        let c = Constants { host_norm_exponent: 2.0, host_layer_fused: host, ..constants() };
        forecast_under(&job(&[]), &c)
    };
    let without = seconds(0.0);
    let ends = ["embedding", "final_norm", "lm_head", "cross_entropy"];
    let device = |forward: bool| -> f64 {
        let rows = without.operators.iter().filter(|row| !ends.contains(&row.name) && row.pass != Pass::Step);
        rows.filter(|row| (row.pass == Pass::Forward) == forward).map(|row| row.count * row.time.0).sum()
    };
    // Once much less than the device, once as much, once much more.
    let layer = device(true) / L;
    for host in [0.1 * layer, layer, 10.0 * layer] {
        let found = seconds(host).stages[0];
        for (found, before, forward, host) in [
            (found.forward, without.stages[0].forward, true, host),
            (found.backward, without.stages[0].backward, false, BACKWARD * host),
        ] {
            let each = device(forward) / L;
            let raised = L * (each.hypot(host) - each);
            assert!((found.0 - before.0 - raised).abs() < 1e-9 * found.0, "{found:?} {before:?} {raised}");
        }
    }
}

/// Where every launch is waited for (`CUDA_LAUNCH_BLOCKING=1`) host and device take turns: their times add up, whatever the
/// norm, and communication hides behind nothing. Replayed kernels are one launch.
#[test]
fn launches_that_are_waited_for_add_up() {
    let norm = |exponent: f64| Constants { host_norm_exponent: exponent, ..constants() };
    let total = |edits: &[(&str, &str)], exponent: f64| {
        forecast_under(&job(&[&[("dpo", "0")], edits].concat()), &norm(exponent)).step.0
    };
    let waited = ("pg", "waited");
    assert_close(total(&[waited], 6.0), total(&[], 1.0));
    assert!(total(&[("pg", "0")], 6.0) < total(&[waited], 6.0));
    assert_close(total(&[waited, ("graphs", "1")], 6.0), total(&[("graphs", "1")], 6.0));
    for zero in ["1", "3"] {
        let hidden = |wait: &str| {
            let edits = [("zero", zero), ("dpo", "1"), ("pg", wait)];
            forecast_under(&job(&edits), &constants()).hidden.data.0
        };
        assert!(hidden("0") > 0.0);
        assert_eq!(hidden("waited"), 0.0);
    }
}

/// Ranks of a tensor-parallel group wait for the slowest host: a tenth of the jitter where kernels are fused; in eager
/// stacks by the cube of the ranks over eight, all of it from eight on.
#[test]
fn groups_wait_for_their_slowest_host() {
    let c = Constants { host_jitter: 0.75, ..constants() };
    for (stack, tensor, gpus, share) in [
        ("fused", "1", "8", 0.0),
        ("fused", "2", "8", 0.1),
        ("fused", "8", "8", 0.1),
        ("eager", "1", "8", 1.0 / 512.0),
        ("eager", "2", "8", 1.0 / 64.0),
        ("eager", "4", "8", 1.0 / 8.0),
        ("eager", "8", "8", 1.0),
        ("eager", "16", "16", 1.0),
    ] {
        let job = job(&[("stack", stack), ("tp", tensor), ("n", gpus)]);
        let m = f64::from(job.micro_batches());
        let c = Constants { straggler_fused: 0.0, ..c };
        assert_close(host(&job, &c), m * L * HOST * (1.0 + BACKWARD) * (1.0 + 0.75 * share));
    }
}

/// An eager head takes a multiple of its kernels in both passes, and some of the host's time forward.
#[test]
fn eager_heads_are_slower_than_their_kernels() {
    let c = Constants { host_layer_deepspeed: 0.0, ..constants() };
    let slow = Constants { head_eager_factor: 1.5, head_eager_host: 0.25, ..c };
    let eager = job(&[("stack", "eager")]);
    let found = forecast_under(&eager, &slow);
    let head = ["final_norm", "lm_head", "cross_entropy"];
    let kernels: f64 =
        found.operators.iter().filter(|row| head.contains(&row.name)).map(|row| row.time.0 * row.count).sum();
    assert_close(found.breakdown.host.0, 3.0 * (0.5 * kernels + 0.25));
    assert_eq!(host(&eager, &c), 0.0);
    assert_eq!(host(&job(&[]), &Constants { host_layer_fused: 0.0, ..slow }), 0.0, "fused heads are not");
}

/// Between kernels a stack takes a share of the whole pipeline, the more the more machines there are, and so much a
/// step. One that beats the modelled kernels beats all of them alike, transfers and bubble included.
#[test]
fn stacks_stretch_the_pipeline() {
    let quiet = Constants { host_layer_fused: 0.0, ..constants() };
    let edits = [("pp", "4"), ("n", "64"), ("gb", "128"), ("dpo", "0")];
    let plain = forecast_under(&job(&edits), &quiet);
    let parts = &plain.breakdown;
    let pipeline = plain.step.0 - parts.optimizer.0 - parts.data_communication.0;
    assert_eq!(parts.host.0, 0.0);
    // Eight machines are three doublings of one.
    for (factor, straggler) in [(1.25, 0.0), (1.0, 0.125), (1.25, 0.125)] {
        let c = Constants {
            framework_factor_fused: factor,
            straggler_fused: straggler,
            step_fixed_fused: 2.0,
            ..quiet
        };
        let found = forecast_under(&job(&edits), &c);
        let stretch = factor * (1.0 + 3.0 * straggler) - 1.0;
        assert_close(found.breakdown.host.0, stretch * pipeline + 2.0);
        assert_close(found.step.0, plain.step.0 + stretch * pipeline + 2.0);
        assert_close(found.breakdown.forward.0, parts.forward.0);
    }
    let found = forecast_under(&job(&edits), &Constants { framework_factor_fused: 0.5, ..quiet });
    for (key, _, seconds) in found.breakdown.parts() {
        let before = parts.parts().into_iter().find(|part| part.0 == key).expect("the same parts").2;
        let share = if ["data_communication", "optimizer"].contains(&key) { 1.0 } else { 0.5 };
        assert!((seconds.0 - share * before.0).abs() < 1e-9 * plain.step.0, "{key}: {seconds:?} {before:?}");
    }
    assert_close(found.hidden.pipeline.0, plain.hidden.pipeline.0);
}

/// Activations of a layer, 16 h + 4 a + 6 f bytes a token here (tests/model/physics/memory.rs counts them), cross the host
/// link beside each pass of it: what takes longer than the pass shows, and no more.
#[test]
fn activations_cross_beside_the_passes() {
    let kept = T * (16.0 * H + 4.0 * 32.0 + 6.0 * F);
    let c = Constants { host_layer_fused: 0.0, host_link_efficiency: 0.5, ..constants() };
    let with = |percent: u32, rate: f64| {
        let mut job = job(&[("stack", "compiled"), ("oa", &percent.to_string())]);
        job.cluster.host_link = BytesPerSecond(rate);
        forecast_under(&job, &c)
    };
    let (at_hand, rate) = (with(0, 1e9), 1e9);
    for percent in [25_u32, 50, 100] {
        let found = with(percent, rate);
        let crossing = L * f64::from(percent) / 100.0 * kept / (0.5 * rate);
        let ends = |found: &Prediction, forward: bool| -> f64 {
            let names = ["embedding", "final_norm", "lm_head", "cross_entropy"];
            let rows = found.operators.iter().filter(|row| names.contains(&row.name));
            rows.filter(|row| (row.pass == Pass::Forward) == forward).map(|row| row.count * row.time.0).sum()
        };
        assert_close(found.stages[0].forward.0, crossing + ends(&found, true));
        assert_close(found.stages[0].backward.0, crossing + ends(&found, false));
        let (stage, before) = (found.stages[0], at_hand.stages[0]);
        let longer = stage.forward.0 + stage.backward.0 - before.forward.0 - before.backward.0;
        assert_close(found.breakdown.host.0, 3.0 * longer);
    }
    let hidden = with(100, 1e14);
    assert_eq!(hidden.step, at_hand.step);
}

/// What a paired pass hides of its exchanges is the same whether activations cross the host link at once or stay, and
/// nothing where the crossing takes longer than the passes.
#[test]
fn crossings_take_the_place_of_exchanges() {
    let c = Constants { host_layer_fused: 0.0, host_expert_layer: 0.0, ..constants() };
    let edits =
        [("m", "mixtral-8x7b"), ("n", "16"), ("pp", "2"), ("ep", "8"), ("gb", "128"), ("sched", "dualpipe")];
    let hidden = |percent: &str, rate: f64| {
        let mut job = job(&[&edits[..], &[("oa", percent)]].concat());
        job.cluster.host_link = BytesPerSecond(rate);
        forecast_under(&job, &c).hidden.expert.0
    };
    let all = hidden("0", 1e9);
    assert!(all > 0.0);
    assert_close(hidden("100", 1e14), all);
    assert_eq!(hidden("100", 1e6), 0.0);
}

/// 1F1B of chunks that hold equally many layers, the first and the last perhaps one less, takes what whole stages
/// take in the closed form; of others, what the replay of its chunks takes.
#[test]
fn interleaved_chunks_are_timed_by_what_they_hold() {
    let c = Constants { host_layer_fused: 0.0, ..constants() };
    for (layers, stages, closed) in [
        ("32", "", true),
        ("30", "3,4,4,4,4,4,4,3", true),
        ("31", "4,4,4,4,4,4,4,3", true),
        ("32", "4,4,4,4,3,5,4,4", false),
        ("30", "3,4,4,4,4,4,3,4", false),
        ("29", "2,4,4,4,4,4,4,3", false),
        ("34", "5,4,4,4,4,4,4,5", false),
    ] {
        let list = [("split", "given"), ("stages", stages)];
        let base = [("pp", "4"), ("vpp", "2"), ("layers", layers), ("gb", "32"), ("zero", "0")];
        let job = job(&[&base[..], if stages.is_empty() { &[] } else { &list }].concat());
        let found = forecast_under(&job, &c);
        let parts = &found.breakdown;
        let pipeline = found.step.0 - parts.optimizer.0 - parts.data_communication.0;
        let times: Vec<StageTime> =
            found.stages.iter().map(|row| StageTime::new(row.forward, row.backward)).collect();
        let hop = found.operators.iter().find(|row| row.name == "stage_transfer").expect("a transfer").time;
        let m = job.micro_batches();
        let form = interleaved(&times, m, 2, hop).0;
        let replay = Predictor::new(&c).timeline(&job).expect("small").makespan.0;
        assert!(!close(form, replay), "{stages}: {form} {replay}");
        assert_close(pipeline, if closed { form } else { replay });
    }
}

/// What a step does once is in no graph of its layers, so a stack that replays them pays it like one that does not. Megatron's
/// eager stacks pay for launches alone. On one GPU, which waits for no other, it is a time of its own, and so it is of one compiled
/// program on several, unless its modules are wrapped or it is a stage of a pipeline.
#[test]
fn a_step_has_a_time_of_its_own_beside_its_micro_batches() {
    let quiet = constants();
    let fixed = Constants { step_fixed_fused: 2.0, step_fixed_alone: 0.5, ..quiet };
    for (stack, own) in [
        ("nemo", 2.0),
        ("megatron-bridge", 2.0),
        ("nemo-mlperf", 2.0),
        ("composer-fsdp", 2.0),
        ("torchtitan", 0.5),
        ("compiled", 0.5),
        ("eager", 2.0),
        ("deepspeed-zero3", 2.0),
        ("maxtext", 2.0),
        ("megatron-deepspeed", 0.0),
    ] {
        let step = |batch: &str, c: &Constants| {
            forecast_under(&job(&[("stack", stack), ("gb", batch), ("dpo", "0"), ("mb", "1")]), c).step.0
        };
        let of = |batch: &str| step(batch, &fixed) - step(batch, &quiet);
        assert_close(of("8"), own);
        assert_close(of("64"), own);
        // One micro-batch more takes as much whatever came before, so that what is fixed can be told from what is not.
        let (one, two, three) = (step("8", &fixed), step("16", &fixed), step("24", &fixed));
        assert_close(three - two, two - one);
    }
    for (stack, own) in [("nemo", 0.5), ("torchtitan", 0.5), ("eager", 0.5), ("megatron-deepspeed", 0.0)] {
        let step =
            |c: &Constants| forecast_under(&job(&[("stack", stack), ("n", "1"), ("zero", "0")]), c).step.0;
        assert_close(step(&fixed) - step(&quiet), own);
    }
    for (edit, own) in [
        (("zero", "0"), 0.5),
        (("zero", "2"), 2.0),
        (("zero", "3"), 2.0),
        (("pp", "2"), 2.0),
        (("comp", "0"), 2.0),
    ] {
        let step = |c: &Constants| forecast_under(&job(&[("stack", "compiled"), edit]), c).step.0;
        assert_close(step(&fixed) - step(&quiet), own);
    }
}
