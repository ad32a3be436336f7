//! What offloading leaves on the GPU, and what a node's host holds for it.

use super::memory::{H, KEPT, LIBRARIES, MATRICES, T, V, job};
use crate::support::assert_close;
use stepcast::memory::{report, stage_memory};
use stepcast::units::Bytes;

/// What waits on the host: a share of the activations but for the two layers passing through, and the optimizer whole.
#[test]
fn the_host_holds_what_is_offloaded() {
    let layer = T / 2.0 * KEPT;
    let held = |share: &str, stage| stage_memory(&job(&[("oa", share)]), stage).activations.0;
    assert_close(held("50", 0), 0.5 * 32.0 * layer + 0.5 * 2.0 * layer);
    assert_close(held("100", 1), 2.0 * layer);
    // Never more than without: a stage of one layer in flight passes through whole.
    let one = [("layers", "4"), ("oa", "100")];
    assert_close(stage_memory(&job(&one), 3).activations.0, layer);
    let away = stage_memory(&job(&[("oo", "1"), ("stack", "compiled"), ("rc", "full"), ("sp", "0")]), 1);
    assert_eq!(away.optimizer.0, 0.0);
    let running = T * 8.0 * H + T / 2.0 * (KEPT - 8.0 * H) - 2.0 * T * H + 2.0 * T * H + T / 2.0 * 12.0 * H;
    assert_close(away.workspace.0, LIBRARIES + 4.0 * T * H + running);
}

/// Sixteen bytes of host memory for each parameter with an offloaded optimizer, eighteen with offloaded parameters (DeepSpeed,
/// `estimate_zero3_model_states_mem_needs`, without its factor for buffers).
#[test]
fn a_node_holds_what_its_gpus_offload() {
    let base =
        [("tp", "1"), ("sp", "0"), ("pp", "1"), ("n", "8"), ("zero", "3"), ("stack", "deepspeed-zero3")];
    let host = |edits: &[(&str, &str)]| report(&job(&[&base[..], edits].concat())).host;
    let bytes = |gib: f64| Bytes::from_gib(gib).0;
    let parameters = 32.0 * (MATRICES + 2.0 * H) + 2.0 * V * H + H;
    assert_eq!(host(&[]).needed_gib, 0.0);
    assert_close(bytes(host(&[("oo", "1")]).needed_gib), 16.0 * parameters);
    assert_close(bytes(host(&[("oo", "1"), ("op", "1")]).needed_gib), 18.0 * parameters);
    let of = |ram: &str| host(&[("oo", "1"), ("ram", ram)]);
    assert_eq!(
        (of("0").ram_gib, of("0").holds(), of("100").holds(), of("110").holds()),
        (None, true, false, true)
    );
    // Half of what the two stages of a node keep, with four and three micro-batches of eight layers in flight, on four GPUs each.
    let activations = report(&job(&[("oa", "50")])).host.activations_gib;
    assert_close(bytes(activations), 4.0 * 0.5 * (32.0 + 24.0) * T / 2.0 * KEPT);
}
