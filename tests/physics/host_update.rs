//! The update of parameters in the host's memory.

use crate::host::{F, H, L, constants, job};
use crate::support::{assert_close, close, forecast_under};
use stepcast::constants::Constants;
use stepcast::units::BytesPerSecond;

/// An update on the host: gradients out and weights in over its link, and 30 bytes of states and 20 of what comes and goes a
/// parameter through its memory, whatever the GPU's is. The GPUs of a node share that memory: fewer of them have more each.
#[test]
fn hosts_update_what_they_hold() {
    let layer = 4.0 * H * H + 3.0 * H * F + 2.0 * H;
    let all = L * layer + 2.0 * 32_000.0 * H + H;
    let c = Constants {
        host_link_efficiency: 0.5,
        host_memory_over_link: 2.0,
        host_memory_efficiency: 0.25,
        host_staging_bytes: 20.0,
        optimizer_bytes_sharded: 30.0,
        ..constants()
    };
    for (zero, gpus, held) in
        [("0", "8", all), ("1", "8", all / 8.0), ("1", "2", all / 2.0), ("1", "16", all / 16.0)]
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
    let expected = all * (2.0 + 2.0) / 1e9 + all * (14.0 + 4.0) / 1e9;
    assert_close(forecast_under(&half, &c).breakdown.optimizer.0, expected);
}

/// FSDP leaves what lives on the host to PyTorch's operators, 96 bytes for 30 of one kernel, and no weight comes back; one kernel
/// and DeepSpeed's take what they take.
#[test]
fn operators_update_what_fsdp_keeps_on_the_host() {
    let layer = 4.0 * H * H + 3.0 * H * F + 2.0 * H;
    let all = L * layer + 2.0 * 32_000.0 * H + H;
    let c = Constants {
        host_link_efficiency: 0.5,
        host_memory_over_link: 2.0,
        host_memory_efficiency: 0.25,
        host_staging_bytes: 20.0,
        host_operators_bytes: 96.0,
        optimizer_bytes_sharded: 30.0,
        ..constants()
    };
    let edits = [("oo", "1"), ("op", "1"), ("zero", "3")];
    for (more, bytes) in [
        ([("stack", "fms-fsdp"), ("optk", "stack")], 96.0),
        ([("stack", "fms-fsdp"), ("optk", "fused")], 30.0 + 20.0),
        ([("stack", "deepspeed-zero3"), ("optk", "stack")], 30.0 + 20.0),
    ] {
        let mut job = job(&[&edits[..], &more].concat());
        job.cluster.host_link = BytesPerSecond(2e9);
        let held = all / 8.0;
        assert_close(forecast_under(&job, &c).breakdown.optimizer.0, held * 2.0 / 1e9 + held * bytes / 1e9);
    }
}
