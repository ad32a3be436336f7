//! Messages of a job with two ranks on every axis, counted by hand, axis by axis.

use super::wire;
use crate::support::assert_close;
use stepcast::cost::{Algorithm, Collective};
use stepcast::forecast::Predictor;
use stepcast::scenario::Scenario;
use stepcast::scenario::cluster::Cluster;
use stepcast::step::Parallelism;
use stepcast::traffic::{AxisOrder, Matrix, Message, Tier};

/// Llama-2 7B: hidden size, tokens of a micro-batch, parameters of half a layer, half a table.
const H: f64 = 4096.0;
const T: f64 = 4096.0;
const HALF_LAYER: f64 = (4.0 * H * H + 3.0 * H * 11_008.0) / 2.0 + 2.0 * H;
const HALF_TABLE: f64 = 32_000.0 * H / 2.0;
/// The residual stream of a micro-batch, 16 bits.
const STREAM: f64 = 2.0 * T * H;

/// Two tensor-, data- and pipeline-parallel ranks on two machines of four; 16 layers a stage, 4 micro-batches.
fn job(edits: &[(&str, &str)]) -> Scenario {
    let job = wire::job(edits);
    let mut cluster = Cluster { gpus_per_node: 4, ..job.cluster };
    cluster.scale_up.domain = 4;
    cluster.network.nics_per_node = 4;
    Scenario { cluster, ..job }
}

fn messages(job: &Scenario, rank: u32) -> Vec<Message> {
    Predictor::SHIPPED
        .traffic(job, AxisOrder::from(job.plan.mapping), Algorithm::Ring, rank)
        .expect("legal")
        .messages
}

/// Messages of a kind and operation: how many of how many bytes, what is sent, and with whom.
#[track_caller]
fn assert_message(
    found: &[Message],
    of: (Parallelism, Collective),
    count: u64,
    bytes: f64,
    sent: f64,
    ranks: &[u32],
) {
    let matching =
        |message: &&Message| (message.kind, message.operation) == of && message.bytes as f64 == bytes;
    let message = found.iter().find(matching).unwrap_or_else(|| panic!("no {of:?} of {bytes} in {found:#?}"));
    assert_eq!(message.count, count, "{of:?}");
    assert_close(message.sent.0, sent);
    assert_close(message.received.0, sent);
    assert_eq!(message.volume_bytes, count * message.bytes);
    assert_eq!((message.group.ranks.as_slice(), message.group.size), (ranks, ranks.len() as u32));
}

use Collective::{AllGather, AllReduce, PointToPoint, ReduceScatter};
use Parallelism::{DataParallel, PipelineParallel, TensorParallel};

/// With sequence parallelism a layer gathers its two inputs and scatters its two outputs, and the reverse backward:
/// 4 of each, for 16 layers and 4 micro-batches; the embedding one of each more on the first stage; on the last the
/// head gathers its input and scatters the gradient, and the loss adds up three numbers a token. Stages hand on half
/// the stream each; replicas scatter gradients and gather weights in 16 bits.
#[test]
fn every_axis_of_two_by_two_by_two() {
    let first = messages(&job(&[]), 0);
    assert_message(
        &first,
        (TensorParallel, AllGather),
        4 * (4 * 16 + 1),
        STREAM,
        260.0 * STREAM / 2.0,
        &[0, 1],
    );
    assert_message(
        &first,
        (TensorParallel, ReduceScatter),
        4 * (4 * 16 + 1),
        STREAM,
        260.0 * STREAM / 2.0,
        &[0, 1],
    );
    assert_message(&first, (PipelineParallel, PointToPoint), 8, STREAM / 2.0, 4.0 * STREAM / 2.0, &[0, 4]);
    let held = 2.0 * (16.0 * HALF_LAYER + HALF_TABLE);
    assert_message(&first, (DataParallel, ReduceScatter), 1, held, held / 2.0, &[0, 2]);
    assert_message(&first, (DataParallel, AllGather), 1, held, held / 2.0, &[0, 2]);
    assert_eq!(first.len(), 5, "nothing else: {first:#?}");

    let last = messages(&job(&[]), 7);
    assert_message(
        &last,
        (TensorParallel, AllGather),
        4 * (4 * 16 + 1),
        STREAM,
        260.0 * STREAM / 2.0,
        &[6, 7],
    );
    assert_message(
        &last,
        (TensorParallel, ReduceScatter),
        4 * (4 * 16 + 1),
        STREAM,
        260.0 * STREAM / 2.0,
        &[6, 7],
    );
    assert_message(&last, (TensorParallel, AllReduce), 4 * 3, 4.0 * T, 12.0 * 4.0 * T, &[6, 7]);
    assert_message(&last, (PipelineParallel, PointToPoint), 8, STREAM / 2.0, 4.0 * STREAM / 2.0, &[3, 7]);
    let held = 2.0 * (16.0 * HALF_LAYER + HALF_TABLE + H);
    assert_message(&last, (DataParallel, ReduceScatter), 1, held, held / 2.0, &[5, 7]);
    assert_eq!(last.len(), 6, "nothing else: {last:#?}");
}

/// Without sequence parallelism a layer all-reduces its two outputs forward and its two inputs' gradients backward.
/// Full recompute sends everything of the forward pass again.
#[test]
fn recompute_and_plain_tensor_parallelism_by_hand() {
    let plain = messages(&job(&[("sp", "0"), ("zero", "0")]), 0);
    assert_message(&plain, (TensorParallel, AllReduce), 4 * (4 * 16 + 1), STREAM, 260.0 * STREAM, &[0, 1]);
    let held = 2.0 * (16.0 * HALF_LAYER + HALF_TABLE);
    assert_message(&plain, (DataParallel, AllReduce), 1, held, held, &[0, 2]);
    assert_eq!(plain.len(), 3);
    let again = messages(&job(&[("rc", "full")]), 0);
    assert_message(
        &again,
        (TensorParallel, AllGather),
        4 * (6 * 16 + 1),
        STREAM,
        388.0 * STREAM / 2.0,
        &[0, 1],
    );
    let again = messages(&job(&[("rc", "full"), ("sp", "0")]), 4);
    assert_message(&again, (TensorParallel, AllReduce), 4 * (6 * 16 + 1), STREAM, 388.0 * STREAM, &[4, 5]);
    // Eager stacks without sequence parallelism send the whole stream from each rank to the next stage.
    let whole = messages(&job(&[("stack", "megatron-deepspeed"), ("sp", "0")]), 0);
    assert_message(&whole, (PipelineParallel, PointToPoint), 8, STREAM, 4.0 * STREAM, &[0, 4]);
}

/// Two virtual stages: chunks 0 and 2 on the first stage, 1 and 3 on the second. The first sends forward twice and a
/// gradient once a micro-batch, and gets as much. In a V, both halves of a stage meet the other's.
#[test]
fn virtual_stages_send_more_often() {
    for stage in [0, 4] {
        let found = messages(&job(&[("vpp", "2")]), stage);
        assert_message(
            &found,
            (PipelineParallel, PointToPoint),
            4 * 6,
            STREAM / 2.0,
            12.0 * STREAM / 2.0,
            &[0, 4],
        );
    }
    let folded = messages(&job(&[("sched", "zb-v"), ("vpp", "2")]), 0);
    assert_message(
        &folded,
        (PipelineParallel, PointToPoint),
        4 * 4,
        STREAM / 2.0,
        8.0 * STREAM / 2.0,
        &[0, 4],
    );
    let gpipe = messages(&job(&[("sched", "gpipe")]), 4);
    assert_message(&gpipe, (PipelineParallel, PointToPoint), 8, STREAM / 2.0, 4.0 * STREAM / 2.0, &[0, 4]);
}

/// Sharded parameters: each layer gathered forward and backward and its gradients scattered, every micro-batch; the
/// first stage's table gathered and scattered once.
#[test]
fn sharded_parameters_are_gathered_for_every_micro_batch() {
    let found = messages(&job(&[("zero", "3")]), 0);
    let (layer, table) = (2.0 * HALF_LAYER, 2.0 * HALF_TABLE);
    assert_message(&found, (DataParallel, AllGather), 2 * 16 * 4, layer, 128.0 * layer / 2.0, &[0, 2]);
    assert_message(&found, (DataParallel, ReduceScatter), 16 * 4, layer, 64.0 * layer / 2.0, &[0, 2]);
    assert_message(&found, (DataParallel, AllGather), 4, table, 4.0 * table / 2.0, &[0, 2]);
    assert_message(&found, (DataParallel, ReduceScatter), 4, table, 4.0 * table / 2.0, &[0, 2]);
}

/// The matrix: rank 0 talks to its neighbour on each axis, tensor and data in its machine, pipeline across. Innermost
/// pipeline instead of data swaps the two.
#[test]
fn neighbours_and_machines() {
    for (mapping, data, next) in [("tdp", 2, 4), ("tpd", 4, 2)] {
        let job = job(&[("map", mapping)]);
        let matrix =
            Matrix::new(&Predictor::SHIPPED, &job, AxisOrder::from(job.plan.mapping), Algorithm::Ring)
                .expect("legal");
        let tensor = 2.0 * 260.0 * STREAM / 2.0;
        let replicas = 2.0 * 2.0 * (16.0 * HALF_LAYER + HALF_TABLE) / 2.0;
        let stages = 4.0 * STREAM / 2.0;
        let mut expected =
            [(1, TensorParallel, tensor), (data, DataParallel, replicas), (next, PipelineParallel, stages)];
        expected.sort_by_key(|edge| edge.0);
        let row = matrix.outgoing(0);
        assert_eq!(row.len(), 3);
        for (edge, (peer, kind, bytes)) in row.iter().zip(expected) {
            assert_eq!((edge.peer, edge.kind), (peer, kind));
            assert_close(edge.bytes.0, bytes);
            assert_close(matrix.between(0, peer).0, bytes);
        }
        for peer in [1, 2, 4] {
            assert_eq!(matrix.tier(0, peer) == Tier::Machine, peer < 4);
        }
        let across = 8.0 * if data == 4 { replicas } else { stages };
        let tiers = matrix.by_tier();
        let crossing: f64 = tiers.iter().filter(|tier| tier.0 != Tier::Machine).map(|tier| tier.1.0).sum();
        // Data-parallel traffic differs by stage: the last one holds the final norm too.
        let norm = if data == 4 { 4.0 * 2.0 * 2.0 * H / 2.0 } else { 0.0 };
        assert_close(crossing, across + norm);
    }
}
