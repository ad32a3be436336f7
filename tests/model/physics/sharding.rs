//! Data parallelism as the ZeRO paper counts it (Rajbhandari et al. 2020, section 7): for a model of P parameters
//! every rank sends about 2 P elements a step without sharding, with optimizer states and with gradients sharded, and
//! 3 P with parameters sharded.

use crate::support::{assert_close, forecast_under, scenario};
use stepcast::constants::Constants;
use stepcast::cost::{Algorithm, Work};
use stepcast::forecast::Predictor;
use stepcast::scenario::plan::Zero;
use stepcast::scenario::plan::stages::stage_parameters;
use stepcast::scenario::stack::Stack;
use stepcast::scenario::{BaseFormat, Scenario};
use stepcast::step::{Module, Parallelism, Place, Program};
use stepcast::traffic::AxisOrder;
use stepcast::units::BytesPerSecond;

/// Nominal rate of a GPU's NVLink, bytes per second.
pub(crate) const LINK: f64 = 450e9;
/// Llama-2 7B: one layer, and its embedding or head.
pub(crate) const LAYER: f64 = 4.0 * 4096.0 * 4096.0 + 3.0 * 4096.0 * 11_008.0 + 2.0 * 4096.0;
pub(crate) const TABLE: f64 = 32_000.0 * 4096.0;
pub(crate) const ALL: f64 = 32.0 * LAYER + 2.0 * TABLE + 4096.0;

/// Links without start-up times, ramps and losses.
pub(crate) fn plain() -> Constants {
    Constants {
        scale_up_efficiency_hopper: 1.0,
        scale_up_small_group_loss_hopper: 0.0,
        scale_up_switch_hopper: 0.0,
        scale_up_latency_hopper: 0.0,
        scale_up_fill_hopper: 0.0,
        scale_up_ramp_hopper: 0.0,
        scale_up_nvls_gain_hopper: 1.0,
        tier_overlap_loss: 0.0,
        network_efficiency_infiniband: 1.0,
        network_latency: 0.0,
        network_half_size: 0.0,
        framework_factor_fsdp: 1.0,
        straggler_fused: 0.0,
        ..Constants::SHIPPED
    }
}

/// Llama-2 7B on one machine of 8, nothing overlapped, so many micro-batches of one sequence each.
pub(crate) fn job(zero: &str, micro_batches: u32) -> Scenario {
    let batch = (8 * micro_batches).to_string();
    scenario(&[
        ("m", "llama2-7b"),
        ("g", "dgx-h100"),
        ("n", "8"),
        ("gb", &batch),
        ("seq", "4096"),
        ("stack", "compiled"),
        ("tp", "1"),
        ("sp", "0"),
        ("pp", "1"),
        ("zero", zero),
        ("dpo", "0"),
    ])
}

/// Bytes that rank 0 sends for data parallelism.
pub(crate) fn sent(job: &Scenario) -> f64 {
    let listed = Predictor::SHIPPED
        .traffic(job, AxisOrder::from(job.plan.mapping), Algorithm::Ring, 0)
        .expect("legal");
    let data = listed.messages.iter().filter(|message| message.kind == Parallelism::DataParallel);
    data.map(|message| message.sent.0).sum()
}

/// 16 bits an element, 7/8 of everything: 2 P and 2 P; for each of m micro-batches another P of gradients where they
/// are sharded, and 3 P where parameters are too, but for the two ends, which are gathered once.
#[test]
fn ranks_send_what_the_paper_counts() {
    for micro_batches in [1_u32, 3] {
        let m = f64::from(micro_batches);
        for (zero, elements) in [
            ("0", 2.0 * ALL),
            ("1", 2.0 * ALL),
            ("2", (m + 1.0) * ALL),
            ("3", m * (3.0 * 32.0 * LAYER + 2.0 * (2.0 * TABLE + 4096.0))),
        ] {
            assert_close(sent(&job(zero, micro_batches)), 7.0 / 8.0 * 2.0 * elements);
        }
    }
}

/// In seconds. Sharded gradients are reduced after every micro-batch, since no rank has room for whole ones; sharded
/// parameters are gathered twice and their gradients scattered once a micro-batch.
#[test]
fn steps_wait_for_what_is_sent() {
    for micro_batches in [1_u32, 3] {
        let m = f64::from(micro_batches);
        for (zero, elements) in [
            ("0", 2.0 * ALL),
            ("1", 2.0 * ALL),
            ("2", (m + 1.0) * ALL),
            ("3", m * (3.0 * 32.0 * LAYER + 2.0 * (2.0 * TABLE + 4096.0))),
        ] {
            let constants = Constants { host_layer_fused: 0.0, fsdp_contention: 0.0, ..plain() };
            let found = forecast_under(&job(zero, micro_batches), &constants).breakdown.data_communication.0;
            assert_close(found, 7.0 / 8.0 * 2.0 * elements / LINK);
        }
    }
}

/// Parameters on the host cross its link before they are gathered, twice a micro-batch and once for the two ends: FSDP's
/// eighth of them in 32 bits, DeepSpeed's in 16. Nothing of it is sent to another GPU. Where parameters are not sharded
/// none lives there.
#[test]
fn shards_are_fetched_from_the_host() {
    let constants = Constants {
        host_layer_fused: 0.0,
        host_layer_deepspeed: 0.0,
        fsdp_contention: 0.0,
        host_link_efficiency: 0.5,
        ..plain()
    };
    let waits = |job: &Scenario| forecast_under(job, &constants).breakdown.data_communication.0;
    for micro_batches in [1_u32, 3] {
        for (stack, bytes) in [("compiled", 4.0), ("deepspeed-zero3", 2.0)] {
            let mut job = job("3", micro_batches);
            job.software.stack = Stack::from_name(stack);
            job.cluster.host_link = BytesPerSecond(64e9);
            let mut away = job;
            away.plan.offload_parameters = true;
            let fetched = f64::from(micro_batches) * (2.0 * 32.0 * LAYER + 2.0 * TABLE + 4096.0) / 8.0;
            assert_close(waits(&away) - waits(&job), fetched * bytes / 32e9);
            assert_close(sent(&away), sent(&job));
            // Adapters: frozen layers cross in four bits and half of a scale each, the ends in 16.
            let mut frozen = job;
            frozen.training.adapters.rank = 16;
            frozen.training.adapters.base = BaseFormat::Nf4;
            let few = frozen.training.adapters.base.bytes();
            let mut frozen_away = frozen;
            frozen_away.plan.offload_parameters = true;
            let ends = (2.0 * TABLE + 4096.0) / 8.0 * 2.0;
            let fetched = f64::from(micro_batches) * (2.0 * 32.0 * LAYER / 8.0 * few + ends);
            assert_close(waits(&frozen_away) - waits(&frozen), fetched / 32e9);
            job.plan.zero = Zero::Gradients;
            away.plan.zero = Zero::Gradients;
            assert_close(waits(&away), waits(&job));
        }
    }
}

/// Behind the backward pass hides a share of the reduction, no more than so much of a micro-batch's compute; each
/// micro-batch of ZeRO-2 offers its own.
#[test]
fn reductions_hide_behind_the_backward_pass() {
    for zero in ["1", "2"] {
        for (overlap, window) in [(0.5, 1e6), (0.75, 1e6), (1.0, 1e-3)] {
            let constants = Constants { overlap_data: overlap, overlap_data_window: window, ..plain() };
            let mut overlapped = job(zero, 3);
            overlapped.plan.data_overlap = true;
            let whole = forecast_under(&job(zero, 3), &constants).breakdown.data_communication.0;
            let found = forecast_under(&overlapped, &constants);
            let rounds = if zero == "2" { 3.0 } else { 1.0 };
            let compute = found.stages[0].forward.0 + found.stages[0].backward.0;
            let hidden = (overlap * whole).min(window * compute * rounds);
            assert_close(found.hidden.data.0, hidden);
            assert_close(found.breakdown.data_communication.0, whole - hidden);
        }
    }
}

/// Adam reads and writes so many bytes for every parameter that a rank updates, and so many for every one it holds; whole
/// gradients are copied into their buckets besides, DDP's 16 bits and back.
#[test]
fn the_optimizer_updates_its_shard() {
    let constants = Constants {
        memory_efficiency: 1.0,
        optimizer_bytes_sharded: 30.0,
        optimizer_bytes_local: 6.0,
        kernel_ramp: 0.0,
        ..Constants::SHIPPED
    };
    for (zero, updated, held, copied) in [
        ("0", ALL, ALL, 8.0 * ALL),
        ("1", ALL / 8.0, ALL, 4.0 * ALL),
        ("2", ALL / 8.0, ALL, 4.0 * ALL),
        ("3", ALL / 8.0, 0.0, 0.0),
        ("hsdp", ALL / 8.0, 0.0, 0.0),
    ] {
        let found = forecast_under(&job(zero, 1), &constants).breakdown.optimizer.0;
        assert_close(found, (30.0 * updated + 6.0 * held + copied) / 3.35e12);
    }
}

/// What a gather returns is copied into parameters, and gradients into what is reduced, by kernels of the device that no
/// collective hides: FSDP2 reads and writes 16 bits a parameter in each pass that gathers, and reads 16 and writes 32 bits
/// a gradient (`foreach_all_gather_copy_out` and `foreach_reduce_scatter_copy_in` of PyTorch); FSDP1's parameters are views of
/// what is gathered, whose gradients are put together in 16 bits. Nothing is copied where nothing is sharded.
#[test]
fn sharded_parameters_are_copied_as_their_framework_does() {
    let bytes = |stack: &str, zero: &str, name: &str| {
        let mut job = job(zero, 1);
        job.software.stack = stack_named(stack);
        let mut sum = 0.0;
        Program::new(&job, &Constants::SHIPPED).calls(Place::layer(0), &mut |call| {
            if let (true, Work::Stream { bytes, .. }) = (call.module.name() == name, call.work) {
                sum += bytes;
            }
        });
        sum
    };
    assert_close(bytes("torchtitan", "3", "parameter_copy"), 2.0 * 4.0 * LAYER);
    assert_close(bytes("torchtitan", "3", "gradient_copy"), 6.0 * LAYER);
    assert_eq!(bytes("compiled", "3", "parameter_copy"), 0.0);
    assert_close(bytes("compiled", "3", "gradient_copy"), 4.0 * LAYER);
    assert_eq!(bytes("torchtitan", "1", "parameter_copy") + bytes("torchtitan", "1", "gradient_copy"), 0.0);
    assert_eq!(bytes("megatron-bridge", "3", "parameter_copy"), 0.0);
}

/// DDP copies gradients into buckets and back, 16 bits read and written each time; FSDP that shards gradients alone copies them
/// as it does with its parameters sharded; Megatron's are where they are reduced, and one replica reduces nothing.
#[test]
fn whole_gradients_are_copied_into_buckets() {
    let copied = |stack: &str, zero: &str| {
        let mut job = job(zero, 1);
        job.software.stack = stack_named(stack);
        let mut sum = (0.0, 0.0);
        Program::new(&job, &Constants::SHIPPED).step_end(0, &mut |call| match call.work {
            Work::Stream { bytes, .. } if call.module == Module::GradientCopy => sum.0 += bytes * call.times,
            Work::Stream { bytes, .. } => sum.1 += bytes,
            _ => {}
        });
        assert!(sum.1 > 0.0, "an update");
        sum.0
    };
    let all = stage_parameters(&job("0", 1).model, &job("0", 1).plan, 0).total();
    assert_close(copied("eager", "0"), 4.0 * 2.0 * all);
    assert_close(copied("eager", "2"), 4.0 * all);
    assert_eq!(copied("nemo", "0") + copied("eager", "3"), 0.0);
}

fn stack_named(name: &str) -> Stack {
    Stack::ALL.into_iter().find(|(_, named, _)| *named == name).expect("a stack").0
}
