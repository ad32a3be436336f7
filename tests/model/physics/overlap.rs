//! What of data parallelism waits: gradients that are reduced and parameters that are gathered, each with its switch,
//! and the groups that share one copy of what is sharded (HSDP, MiCS, InternEvo's `zero1`).

use crate::physics::sharding::{ALL, LAYER, LINK, TABLE, job, plain, sent};
use crate::support::{assert_close, forecast_under};
use stepcast::constants::Constants;
use stepcast::memory::stage_memory;
use stepcast::scenario::Scenario;
use stepcast::scenario::plan::GatherOverlap;
use stepcast::scenario::stack::Stack;

/// The job with gradients reduced behind the backward pass or not, and parameters gathered behind compute or not.
fn overlapping(job: &Scenario, reduces: bool, gathers: GatherOverlap) -> Scenario {
    let mut job = *job;
    job.plan.data_overlap = reduces;
    job.plan.gather_overlap = gathers;
    job
}

/// ZeRO-1 sends as much to reduce gradients as to gather what was updated; three quarters of either hide where it
/// overlaps.
#[test]
fn reductions_and_gathers_hide_each_on_its_own() {
    let constants = Constants { overlap_data: 0.75, overlap_data_window: 1e6, ..plain() };
    let half = 7.0 / 8.0 * 2.0 * ALL / LINK;
    for (reduces, gathers, waits) in [
        (false, GatherOverlap::AsReduction, 2.0),
        (false, GatherOverlap::Waits, 2.0),
        (true, GatherOverlap::Waits, 1.25),
        (false, GatherOverlap::Overlaps, 1.25),
        (true, GatherOverlap::AsReduction, 0.5),
        (true, GatherOverlap::Overlaps, 0.5),
    ] {
        let found = forecast_under(&overlapping(&job("1", 3), reduces, gathers), &constants);
        assert_close(found.breakdown.data_communication.0, waits * half);
        assert_close(found.hidden.data.0, (2.0 - waits) * half);
    }
}

/// DDP reduces gradients once they are whole, so that those of the last layer wait, or the embedding's where they are more.
#[test]
fn what_is_whole_last_is_reduced_alone() {
    let constants = Constants { overlap_data_window: 1e6, ..plain() };
    let whole = 7.0 / 8.0 * 4.0 / LINK;
    for (vocabulary, last) in [(32_000, LAYER), (128_000, 4.0 * TABLE)] {
        let mut job = overlapping(&job("0", 3), true, GatherOverlap::AsReduction);
        job.model.vocabulary = vocabulary;
        let all = ALL + 2.0 * (f64::from(vocabulary) / 32_000.0 - 1.0) * TABLE;
        let found = forecast_under(&job, &constants);
        assert_close(found.breakdown.data_communication.0, whole * last);
        assert_close(found.hidden.data.0, whole * (all - last));
    }
}

/// With sharded parameters a gather behind the layer before hides in the forward pass, which has nothing else to send.
/// It waits whole where it does not overlap, whatever gradients do. Nothing runs beside the gathers of the first of the 32
/// layers and the scatter of the last one.
#[test]
fn sharded_parameters_are_gathered_as_their_own_switch_says() {
    let constants = Constants { host_layer_fused: 0.0, fsdp_contention: 0.0, ..plain() };
    let waiting = |reduces, gathers| {
        forecast_under(&overlapping(&job("3", 1), reduces, gathers), &constants)
            .breakdown
            .data_communication
            .0
    };
    let [neither, gathers, reduces, both] = [
        waiting(false, GatherOverlap::Waits),
        waiting(false, GatherOverlap::Overlaps),
        waiting(true, GatherOverlap::Waits),
        waiting(true, GatherOverlap::Overlaps),
    ];
    // NVLink is faster than the layers: all that may hide behind them does. Half as much of the ends' hides.
    let unit = 7.0 / 8.0 * 2.0 / LINK;
    let (layers, ends) = (32.0 * LAYER, 2.0 * TABLE + 4096.0);
    assert_close(neither, unit * (3.0 * layers + 2.0 * ends));
    let (alone, ends_alone) = (1.0 / 32.0, 1.0 - 0.5 * 31.0 / 32.0);
    assert_close(gathers, unit * ((1.0 + 2.0 * alone) * layers + (1.0 + ends_alone) * ends));
    assert_close(reduces, unit * ((2.0 + alone) * layers + (1.0 + ends_alone) * ends));
    assert_close(both, unit * (3.0 * alone * layers + 2.0 * ends_alone * ends));
}

/// Eight ranks in two groups of four. Within a group every rank sends 3/4 of what is reduced and of what is gathered; a
/// quarter of the gradients is then all-reduced by the two that hold the same.
#[test]
fn groups_shard_among_themselves_and_replicas_reduce_their_shards() {
    let grouped = |zero: &str, ranks: u32| {
        let mut job = job(zero, 1);
        job.plan.shard_group = ranks;
        job
    };
    let between = 2.0 * 0.5 * ALL / 4.0;
    let layers = 3.0 * 32.0 * LAYER + 2.0 * (2.0 * TABLE + 4096.0);
    for (zero, within) in [("1", 2.0 * ALL), ("2", 2.0 * ALL), ("3", layers), ("hsdp", layers)] {
        assert_close(sent(&grouped(zero, 4)), 2.0 * (0.75 * within + between));
        // A group of all ranks is no group, and one that does not divide them is the next smaller.
        assert_close(sent(&grouped(zero, 5)), sent(&grouped(zero, 4)));
        let zero = if zero == "hsdp" { "3" } else { zero };
        assert_close(sent(&grouped(zero, 8)), sent(&grouped(zero, 0)));
    }
    assert_close(sent(&grouped("hsdp", 0)), sent(&grouped("3", 8)));
    // Nothing is sharded, so that there is nothing to group.
    assert_close(sent(&grouped("0", 4)), sent(&grouped("0", 0)));
}

/// A rank keeps a quarter of the states in groups of four: Adam's twelve bytes a parameter beside the weights.
#[test]
fn groups_hold_and_update_as_much_as_their_size_leaves() {
    let constants = Constants {
        memory_efficiency: 1.0,
        optimizer_bytes_sharded: 30.0,
        optimizer_bytes_local: 0.0,
        kernel_ramp: 0.0,
        ..Constants::SHIPPED
    };
    let states = |ranks: u32| {
        let mut job = job("1", 1);
        job.plan.shard_group = ranks;
        let found = forecast_under(&job, &constants);
        // Gradients are copied into buckets, 16 bits read and written.
        assert_close(found.breakdown.optimizer.0, (30.0 / f64::from(ranks) + 4.0) * ALL / 3.35e12);
        stage_memory(&job, 0).optimizer.0
    };
    assert_close(states(4) - states(8), 12.0 * ALL / 8.0);
    assert_close(states(2) - states(4), 12.0 * ALL / 4.0);
}

/// DeepSpeed's hooks of sharded modules take the host's time in every pass of every layer, backward more by its ratio.
#[test]
fn hooks_of_sharded_modules_are_paid_a_pass() {
    let mut job = job("3", 2);
    job.software.stack = Stack::DeepspeedZero3;
    let step = |seconds: f64| {
        forecast_under(&job, &Constants { host_gathers_deepspeed: seconds, host_jitter: 0.0, ..plain() })
            .step
            .0
    };
    let ratio = Constants::SHIPPED.host_backward_ratio;
    // So long that nothing else counts; stragglers are of more than eight GPUs.
    assert_close(step(20.0) - step(10.0), 2.0 * 32.0 * 10.0 * (1.0 + ratio));
    let mut plain_ranks = job;
    plain_ranks.plan.zero = stepcast::scenario::plan::Zero::Gradients;
    let long = Constants { host_gathers_deepspeed: 10.0, ..plain() };
    assert_close(forecast_under(&plain_ranks, &long).step.0, forecast_under(&plain_ranks, &plain()).step.0);
}
