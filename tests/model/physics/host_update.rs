//! The update of parameters in the host's memory.

use crate::physics::host::{F, H, L, constants, job};
use crate::support::{assert_close, close, forecast_under};
use stepcast::constants::Constants;
use stepcast::units::BytesPerSecond;

/// Parameters of Llama-2 7B.
const ALL: f64 = L * (4.0 * H * H + 3.0 * H * F + 2.0 * H) + 2.0 * 32_000.0 * H + H;

/// Half of a host's link, and as much of its memory.
fn hosts() -> Constants {
    Constants {
        host_link_efficiency: 0.5,
        host_memory_over_link: 2.0,
        host_memory_efficiency: 0.25,
        optimizer_bytes_sharded: 30.0,
        ..constants()
    }
}

/// An update on the host: gradients out and weights in over its link, and 30 bytes of states and 20 of what comes and goes a
/// parameter through its memory, whatever the GPU's is. The GPUs of a node share that memory: fewer of them have more each.
#[test]
fn hosts_update_what_they_hold() {
    let c = Constants { host_staging_bytes: 20.0, ..hosts() };
    for (zero, gpus, held) in
        [("0", "8", ALL), ("1", "8", ALL / 8.0), ("1", "2", ALL / 2.0), ("1", "16", ALL / 16.0)]
    {
        let mut job = job(&[("oo", "1"), ("zero", zero), ("n", gpus), ("gb", "64")]);
        job.cluster.host_link = BytesPerSecond(2e9);
        let sharing = if gpus == "2" { 4.0 } else { 1.0 };
        let expected = held * (2.0 + 2.0) / 1e9 + held * (30.0 + 20.0) / (1e9 * sharing);
        let found = forecast_under(&job, &c);
        assert_close(found.breakdown.optimizer.0, expected);
        job.cluster.gpu.memory_bandwidth.0 *= 2.0;
        assert!(close(forecast_under(&job, &c).breakdown.optimizer.0, expected));
    }
    // Weights, gradients and states in 16 bits alone: 14 bytes of the update, 2 of the gradient stored, 2 of the weight read.
    let mut half = job(&[("oo", "1"), ("zero", "0"), ("wts", "16"), ("grads", "16"), ("ost", "16")]);
    half.cluster.host_link = BytesPerSecond(2e9);
    let expected = ALL * (2.0 + 2.0) / 1e9 + ALL * (14.0 + 4.0) / 1e9;
    assert_close(forecast_under(&half, &c).breakdown.optimizer.0, expected);
}

/// FSDP leaves what lives on the host to PyTorch's operators, 96 bytes for 30 of one kernel, and no weight comes back. Gradients cross in
/// the weights' format after each of three micro-batches, and are added from the second on (two read, one written). One kernel reads
/// and scales them besides. DeepSpeed has its own, and stages the gradient (4), its scaling (8) and the weight's cast (6 of 10).
#[test]
fn operators_update_what_fsdp_keeps_on_the_host() {
    let c = Constants { host_staging_bytes: 22.0, ..hosts() };
    let edits = [("oo", "1"), ("op", "1"), ("zero", "3")];
    for (more, crossing, memory) in [
        ([("stack", "compiled"), ("optk", "stack")], 3.0 * 4.0, 96.0 + 2.0 * 12.0),
        ([("stack", "compiled"), ("optk", "fused")], 3.0 * 4.0, 30.0 + 16.0 + 2.0 * 12.0),
        ([("stack", "eager"), ("wts", "32")], 3.0 * 4.0, 96.0 + 2.0 * 12.0),
        ([("stack", "deepspeed-zero3"), ("optk", "stack")], 2.0, 30.0 + 18.0),
        ([("stack", "maxtext"), ("optk", "stack")], 2.0, 30.0 + 18.0),
    ] {
        let mut job = job(&[&edits[..], &more].concat());
        job.cluster.host_link = BytesPerSecond(2e9);
        let held = ALL / 8.0;
        let found = forecast_under(&job, &c).breakdown.optimizer.0;
        assert_close(found, held * (crossing + memory) / 1e9);
    }
}

/// Parameters on the host that the GPUs update go back there, in 32 bits where that is their only copy and in 16 else.
#[test]
fn updated_weights_return_to_the_host() {
    let c = hosts();
    for (stack, bytes) in [("deepspeed-zero3", 2.0), ("compiled", 4.0)] {
        let optimizer = |parameters| {
            let mut job = job(&[("stack", stack), ("zero", "3"), ("op", parameters)]);
            job.cluster.host_link = BytesPerSecond(2e9);
            forecast_under(&job, &c).breakdown.optimizer.0
        };
        assert_close(optimizer("1") - optimizer("0"), ALL / 8.0 * bytes / 1e9);
    }
}
