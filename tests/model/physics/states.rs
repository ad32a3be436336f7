//! Weights, gradients and optimizer states as ZeRO and FSDP shard them, counted by hand for Llama-2 7B.

use crate::physics::memory::{H, KEPT, LIBRARIES, MATRICES, T, V, job};
use crate::support::assert_close;
use stepcast::memory::stage_memory;

/// One GPU of 16 replicas. ZeRO (Rajbhandari et al. 2020): 16-bit weights and 32-bit gradients whole, and 12 bytes of
/// Adam whole or a sixteenth of them; then gradients a sixteenth beside the layer and the ends being reduced, which
/// products add up in 32 bits; then
/// weights a sixteenth beside the two layers gathered and the ends.
#[test]
fn states_are_sharded_stage_by_stage() {
    let layer = MATRICES + 2.0 * H;
    let ends = 2.0 * V * H + H;
    let psi = 32.0 * layer + ends;
    for (zero, weights, gradients, states) in [
        ("0", psi, 4.0 * psi, psi),
        ("1", psi, 4.0 * psi, psi / 16.0),
        ("2", psi, 4.0 * psi / 16.0 + 4.0 * (layer + ends), psi / 16.0),
        ("3", psi / 16.0 + 2.0 * layer + ends, 4.0 * psi / 16.0 + 4.0 * (layer + ends), psi / 16.0),
        ("hsdp", psi / 8.0 + 2.0 * layer + ends, 4.0 * psi / 8.0 + 4.0 * (layer + ends), psi / 8.0),
    ] {
        let memory = stage_memory(&job(&[("tp", "1"), ("sp", "0"), ("pp", "1"), ("zero", zero)]), 0);
        assert_close(memory.weights.0, 2.0 * weights);
        assert_close(memory.gradients.0, gradients);
        assert_close(memory.optimizer.0, 12.0 * states);
    }
    // HSDP over 2-way tensor parallelism: four replicas of each half in a machine.
    let half = 16.0 * MATRICES + 64.0 * H + V * H + H;
    let memory = stage_memory(&job(&[("pp", "1"), ("zero", "hsdp")]), 0);
    assert_close(memory.optimizer.0, 12.0 * half / 4.0);
    // Where stages lie between replicas, a machine of 8 holds two stages of two halves of two replicas.
    let between = stage_memory(&job(&[("pp", "2"), ("zero", "hsdp"), ("map", "tpd")]), 0);
    let first = 8.0 * MATRICES + 32.0 * H + V * H / 2.0;
    assert_close(between.optimizer.0, 12.0 * first / 2.0);
    // Context-parallel ranks hold the same parameters and share their states.
    let context = stage_memory(&job(&[("tp", "1"), ("sp", "0"), ("pp", "1"), ("cp", "2")]), 0);
    assert_close(context.optimizer.0, 12.0 * psi / 16.0);
}

/// Parameters on the host leave the GPU no shard of weights or gradients: the two layers gathered, the layer reduced and the ends.
#[test]
fn the_host_keeps_shards_of_parameters() {
    let layer = MATRICES + 2.0 * H;
    let ends = 2.0 * V * H + H;
    let edits = [("tp", "1"), ("sp", "0"), ("pp", "1"), ("zero", "3"), ("oo", "1"), ("op", "1")];
    let memory = stage_memory(&job(&edits), 0);
    assert_close(memory.weights.0, 2.0 * (2.0 * layer + ends));
    assert_close(memory.gradients.0, 4.0 * (layer + ends));
    assert_eq!(memory.optimizer.0, 0.0);
    // Gradients stay where they update.
    let here = stage_memory(&job(&[&edits[..4], &[("op", "1")]].concat()), 0);
    let psi = 32.0 * layer + ends;
    assert_close(here.gradients.0, 4.0 * psi / 16.0 + 4.0 * (layer + ends));
    assert_close(here.weights.0, memory.weights.0);
}

/// PyTorch's FSDP keeps no 16-bit shard beside the 32-bit one, gradients in the shard's format, and no placeholders; the update of
/// unsharded parameters widens gradients when activations are gone.
#[test]
fn compiled_stacks_keep_what_fsdp_keeps() {
    let layer = MATRICES + 2.0 * H;
    let ends = 2.0 * V * H + H;
    let psi = 32.0 * layer + ends;
    let edits = [("tp", "1"), ("sp", "0"), ("pp", "1"), ("n", "8"), ("gb", "16"), ("stack", "compiled")];
    let memory = stage_memory(&job(&[&edits[..], &[("zero", "3")]].concat()), 0);
    assert_close(memory.weights.0, 2.0 * (2.0 * layer + ends));
    assert_close(memory.gradients.0, 4.0 * psi / 8.0);
    let loss = 4.0 * T * H + 6.0 * T * V;
    assert_close(memory.logits.0, 0.0);
    // With everything recomputed the update outgrows what is left of the activations.
    let full = stage_memory(&job(&[&edits[..], &[("zero", "0"), ("rc", "full")]].concat()), 0);
    let again = T * (KEPT - 2.0 * H) + 2.0 * T * H + T * 12.0 * H;
    let running = (again - loss).max(0.0);
    let update = 4.0 * psi - full.activations.0 - loss - running;
    assert!(update > 0.0, "{update}");
    assert_close(full.workspace.0, LIBRARIES + running + update);
}

/// No rank holds more than everything: one layer on two ranks, gathered and reduced whole.
#[test]
fn sharding_never_adds() {
    let edits = [("layers", "1"), ("n", "2"), ("gb", "2"), ("tp", "1"), ("sp", "0"), ("pp", "1")];
    let all = MATRICES + 2.0 * H + 2.0 * V * H + H;
    for zero in ["2", "3"] {
        let memory = stage_memory(&job(&[&edits[..], &[("zero", zero)]].concat()), 0);
        assert_close(memory.weights.0, 2.0 * all);
        assert_close(memory.gradients.0, 4.0 * (all / 2.0) + 2.0 * all);
    }
    let narrow = [("stack", "compiled"), ("zero", "2")];
    let memory = stage_memory(&job(&[&edits[..], &narrow].concat()), 0);
    assert_close(memory.gradients.0, 2.0 * all);
}

/// Two copies of a mirrored pipeline hold the stages of both ends, and share their states between them.
#[test]
fn mirrored_pipelines_hold_both_ends() {
    let memory = stage_memory(&job(&[("sched", "dualpipe")]), 1);
    let held = 2.0 * 8.0 * (MATRICES / 2.0 + 2.0 * H);
    assert_close(memory.weights.0, 2.0 * held);
    assert_close(memory.optimizer.0, 12.0 * held / 4.0);
    let ends = stage_memory(&job(&[("sched", "dualpipe")]), 0);
    assert_close(ends.weights.0, 2.0 * (held + V * H + H));
    assert!(ends.logits.0 > 0.0 && memory.logits.0 == 0.0);
}
