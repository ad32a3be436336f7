//! Sizes of messages, seconds of messages, and what links do over a step, from tables small enough to add up by hand.

use crate::physics::sharding::plain;
use crate::support::{assert_close, forecast_under, scenario};
use stepcast::constants::Constants;
use stepcast::cost::{Algorithm, Collective};
use stepcast::forecast::Predictor;
use stepcast::scenario::Scenario;
use stepcast::step::Parallelism;
use stepcast::traffic::{
    Activity, AxisOrder, Distribution, LinkActivity, Matrix, Segment, Tier, bandwidth, communication_times,
    compare_platforms,
};
use stepcast::units::{Bytes, BytesPerSecond, Seconds};

/// Ten messages of 1 byte, two of 5, five of 16: 100 bytes in 17 messages.
#[test]
fn distributions_count_messages_and_volume() {
    let found = Distribution::new([(16, 3), (1, 10), (5, 2), (7, 0), (16, 2)]);
    let rows: Vec<(u64, u64)> = found.sizes.iter().map(|size| (size.bytes, size.count)).collect();
    assert_eq!(rows, [(1, 10), (5, 2), (16, 5)]);
    for (size, (count, volume)) in found.sizes.iter().zip([(10.0, 10.0), (12.0, 20.0), (17.0, 100.0)]) {
        assert_close(size.share_of_count, count / 17.0);
        assert_close(size.share_of_volume, volume / 100.0);
    }
    assert_eq!(found.largest(), 16);
    for (from, share) in [(0, 1.0), (1, 1.0), (2, 0.9), (5, 0.9), (6, 0.8), (16, 0.8), (17, 0.0)] {
        assert!((found.volume_from(from) - share).abs() < 1e-12, "{from}");
    }
    let none = Distribution::new([]);
    assert_eq!((none.largest(), none.volume_from(1), none.sizes.len()), (0, 1.0, 0));
    let empty = Distribution::new([(0, 4)]);
    assert_eq!((empty.sizes[0].share_of_count, empty.sizes[0].share_of_volume), (1.0, 1.0));
}

/// Llama-2 7B on one machine: rates and sizes.
const LINK: f64 = 450e9;
const H: f64 = 4096.0;
/// The residual stream of a micro-batch of 4,096 tokens, 16 bits.
const STREAM: f64 = 2.0 * 4096.0 * H;

/// Llama-2 7B over two tensor-, data- and pipeline-parallel ranks.
pub(super) fn job(edits: &[(&str, &str)]) -> Scenario {
    let base = [
        ("m", "llama2-7b"),
        ("g", "dgx-h100"),
        ("n", "8"),
        ("gb", "8"),
        ("seq", "4096"),
        ("stack", "fused"),
        ("tp", "2"),
        ("sp", "1"),
        ("pp", "2"),
        ("zero", "1"),
    ];
    scenario(&[&base[..], edits].concat())
}

/// Links without losses, a host and stragglers that cost nothing, nothing that hides.
fn constants() -> Constants {
    Constants {
        host_layer_fused: 0.0,
        step_fixed_fused: 0.0,
        framework_factor_fused: 1.0,
        overlap_data: 0.0,
        ..plain()
    }
}

/// Seconds of each kind of message: 4 (4 x 16 + 1) gathers and as many scatters of half a stream; four activations and
/// four gradients sent, and as many received; a scatter of gradients and a gather of weights.
#[test]
fn messages_take_their_bytes_over_their_rate() {
    let constants = constants();
    let predictor = Predictor::new(&constants);
    let half_layer = (4.0 * H * H + 3.0 * H * 11_008.0) / 2.0 + 2.0 * H;
    let held = 2.0 * (16.0 * half_layer + 32_000.0 * H / 2.0);
    let tensor = 2.0 * 4.0 * 65.0 * STREAM / 2.0;
    let found = communication_times(&predictor, &job(&[]), 0).expect("legal");
    for (entry, (kind, sent, passed)) in found.iter().zip([
        (Parallelism::TensorParallel, tensor, tensor),
        (Parallelism::PipelineParallel, 4.0 * STREAM / 2.0, 8.0 * STREAM / 2.0),
        (Parallelism::DataParallel, held, held),
    ]) {
        assert_eq!(entry.kind, kind);
        assert_close(entry.sent.0, sent);
        assert_close(entry.time.0, passed / LINK);
    }
    assert_eq!(found.len(), 3);
    assert_eq!(communication_times(&predictor, &job(&[]), 2).expect_err("two stages")[0].field, "stage");
    let mut undivided = job(&[]);
    undivided.plan.micro_batch = 3;
    assert_eq!(communication_times(&predictor, &undivided, 0).expect_err("4 sequences")[0].field, "mb");
    // ZeRO-2 without a pipeline reduces with each of two micro-batches.
    let twice = communication_times(&predictor, &job(&[("pp", "1"), ("zero", "2")]), 0).expect("legal");
    let all = 2.0 * (32.0 * half_layer + 32_000.0 * H + H);
    let data = twice.iter().find(|entry| entry.kind == Parallelism::DataParallel).expect("replicas");
    assert_close(data.sent.0, 3.0 * 3.0 / 4.0 * all);
    assert_close(data.time.0, 3.0 * 3.0 / 4.0 * all / LINK);
    // The same job over links of half the rate.
    let slow = {
        let mut slow = job(&[]);
        slow.cluster.scale_up.bandwidth.0 /= 2.0;
        slow
    };
    let rows = compare_platforms(&predictor, &job(&[]), &slow).expect("legal");
    let labels: Vec<&str> = rows.iter().map(|row| row.label).collect();
    assert_eq!(labels, ["Tensor parallel", "Pipeline parallel", "Data parallel", "Pipeline bubble", "Step"]);
    let steps = [job(&[]), slow].map(|job| forecast_under(&job, &constants));
    for row in &rows {
        assert_close(row.speedup, row.second.0 / row.first.0);
        match row.label {
            "Pipeline bubble" => {
                assert_eq!([row.first, row.second], [0, 1].map(|at| steps[at].breakdown.bubble));
            }
            "Step" => assert_eq!([row.first, row.second], [0, 1].map(|at| steps[at].step)),
            _ => assert_close(row.speedup, 2.0),
        }
    }
}

/// nccl-tests: algorithm bandwidth is size over time, bus bandwidth what a rank sends over time; alone there is none.
#[test]
fn benchmarks_of_links_show_their_rate() {
    let constants = constants();
    let predictor = Predictor::new(&constants);
    let sizes = [Bytes(0.0), Bytes(1e9), Bytes(4e9)];
    for (kind, share) in [(Collective::AllReduce, 2.0 * 3.0 / 4.0), (Collective::AllGather, 3.0 / 4.0)] {
        let points = bandwidth(&predictor, &job(&[]), kind, 4, &sizes);
        assert_eq!(points.len(), 2);
        for (point, bytes) in points.iter().zip([1e9, 4e9]) {
            assert_eq!(point.bytes, Bytes(bytes));
            assert_close(point.time.0, share * bytes / LINK);
            assert_close(point.algorithm.0, LINK / share);
            assert_close(point.bus.0, LINK);
        }
        assert_eq!(bandwidth(&predictor, &job(&[]), kind, 1, &sizes), []);
    }
}

/// Machines of 2 in racks of 4 under leaf switches of 4 machines.
#[test]
fn the_furthest_link_is_named() {
    let mut job = job(&[("n", "32"), ("gb", "32")]);
    job.cluster.gpus_per_node = 2;
    job.cluster.scale_up.domain = 4;
    job.cluster.network.nics_per_node = 2;
    job.cluster.network.leaf_nodes = 4;
    let matrix = Matrix::new(&Predictor::SHIPPED, &job, AxisOrder::from(job.plan.mapping), Algorithm::Ring)
        .expect("legal");
    assert_eq!((matrix.ranks(), matrix.gpus_per_machine()), (32, 2));
    assert_eq!([0, 1, 2, 5].map(|rank| matrix.machine(rank)), [0, 0, 1, 2]);
    let tiers = [1, 2, 3, 4, 7, 8, 31].map(|to| matrix.tier(0, to));
    use Tier::{Domain, Leaf, Machine, Spine};
    assert_eq!(tiers, [Machine, Domain, Domain, Leaf, Leaf, Spine, Spine]);
}

fn activity(job: &Scenario, stage: u32, constants: &Constants) -> LinkActivity {
    Predictor::new(constants).link_activity(job, stage).expect("legal")
}

fn seconds(segments: &[Segment], of: impl Fn(Activity) -> bool) -> f64 {
    segments.iter().filter(|segment| of(segment.activity)).map(|segment| segment.duration().0).sum()
}

/// A step without pipeline: kernels and messages of the forecast one after the other, then the reduction, the update
/// and the gather; on the links for as long as the messages take.
#[test]
fn links_are_busy_as_long_as_the_forecast_waits() {
    let constants = constants();
    for edits in [&[][..], &[("rc", "full")], &[("tp", "4"), ("sp", "0")], &[("zero", "0")]] {
        let job = job(&[&[("pp", "1"), ("dpo", "0"), ("tpo", "0")], edits].concat());
        let found = forecast_under(&job, &constants);
        let shape = activity(&job, 0, &constants);
        let parts = &found.breakdown;
        let tensor = seconds(&shape.segments, |a| a == Activity::Collective(Parallelism::TensorParallel));
        let data = seconds(&shape.segments, |a| a == Activity::Collective(Parallelism::DataParallel));
        assert_close(tensor, parts.tensor_communication.0);
        assert_close(data, parts.data_communication.0);
        assert_close(seconds(&shape.segments, |a| a == Activity::Forward), parts.forward.0);
        let backward = seconds(&shape.segments, |a| a == Activity::Backward);
        assert_close(backward, parts.backward.0 + parts.recompute.0);
        assert_close(seconds(&shape.segments, |a| a == Activity::Optimizer), parts.optimizer.0);
        assert_eq!(seconds(&shape.segments, |a| a == Activity::Idle), 0.0);
        assert_close(shape.on_share, (tensor + data) / found.step.0);
        assert_close(shape.step.0, found.step.0);
        assert_eq!((shape.overlapping.len(), shape.summed, shape.stage), (0, false, 0));
        // What is on the links has a rate, and a pass's pieces belong to its micro-batch.
        for segment in &shape.segments {
            let sends = matches!(segment.activity, Activity::Collective(_));
            assert_eq!(segment.rate.0 > 0.0, sends, "{segment:?}");
            let of_pass = !matches!(
                segment.activity,
                Activity::Optimizer | Activity::Collective(Parallelism::DataParallel)
            );
            assert_eq!(segment.micro_batch.is_some(), of_pass, "{segment:?}");
        }
        // Reduce, update, gather.
        let end: Vec<Activity> =
            shape.segments.iter().rev().take(3).map(|segment| segment.activity).collect();
        let expected = Activity::Collective(Parallelism::DataParallel);
        match job.plan.zero {
            stepcast::scenario::plan::Zero::None => assert_eq!(end[..2], [Activity::Optimizer, expected]),
            _ => assert_eq!(end, [expected, Activity::Optimizer, expected]),
        }
    }
}

/// What the reduction hides runs beside the last backward pass and ends with it; the rest follows.
#[test]
fn hidden_reductions_end_with_the_last_backward_pass() {
    let constants = Constants { overlap_data: 0.25, overlap_data_window: 1e6, ..constants() };
    let job = job(&[("pp", "1"), ("dpo", "1")]);
    let found = forecast_under(&job, &constants);
    let shape = activity(&job, 0, &constants);
    let hidden = seconds(&shape.overlapping, |a| a == Activity::Collective(Parallelism::DataParallel));
    let shown = seconds(&shape.segments, |a| a == Activity::Collective(Parallelism::DataParallel));
    assert!(hidden > 0.0);
    assert_close(hidden, found.hidden.data.0);
    assert_close(shown, found.breakdown.data_communication.0);
    assert_close(hidden, 0.25 * (hidden + shown));
    let last = shape.segments.iter().rev().find(|segment| segment.activity == Activity::Backward);
    let last = last.expect("a backward pass");
    let end = shape.overlapping.last().expect("hidden").end;
    assert!((end.0 - last.end.0).abs() < 0.01 * found.step.0, "{end:?} {last:?}");
    assert_close(shape.step.0, found.step.0);
}

/// Transfers begin when the pass that made their content ends, take a hop, and carry half a stream; a rank sees those
/// that it sends and those that it gets.
#[test]
fn transfers_follow_their_passes() {
    let constants = constants();
    let job = job(&[]);
    let hop = STREAM / 2.0 / LINK;
    let timeline = Predictor::new(&constants).timeline(&job).expect("small");
    for stage in [0, 1] {
        let shape = activity(&job, stage, &constants);
        for (activity, from) in [(Activity::Send, stage), (Activity::Receive, 1 - stage)] {
            let found: Vec<&Segment> =
                shape.overlapping.iter().filter(|segment| segment.activity == activity).collect();
            let mut ends: Vec<(Seconds, u32)> = timeline
                .events
                .iter()
                .filter(|event| event.stage == from && event.next.is_some())
                .map(|event| (event.end, event.micro_batch))
                .collect();
            ends.sort_by(|a, b| a.0.0.total_cmp(&b.0.0));
            assert_eq!((found.len(), ends.len()), (4, 4));
            for (segment, (end, micro_batch)) in found.iter().zip(ends) {
                assert_close(segment.start.0, end.0);
                assert_close(segment.duration().0, hop);
                assert_close(segment.rate.0, LINK);
                assert_close(segment.bytes().0, STREAM / 2.0);
                assert_eq!(segment.micro_batch, Some(micro_batch));
            }
        }
        // A share of time with anything on the links: the union, found by looking at many moments.
        let on = |at: f64| {
            let mut all = shape.segments.iter().chain(&shape.overlapping);
            all.any(|s| s.rate > BytesPerSecond::ZERO && s.start.0 <= at && at < s.end.0)
        };
        let moments = 20_000;
        let step = shape.step.0 / f64::from(moments);
        let seen = (0..moments).filter(|moment| on((f64::from(*moment) + 0.5) * step)).count();
        let share = seen as f64 / f64::from(moments);
        assert!((shape.on_share - share).abs() < 0.02, "{} {share}", shape.on_share);
        // Idle where it waits: the segments leave no gaps and end with the step.
        assert_close(seconds(&shape.segments, |_| true), shape.step.0);
    }
}

/// A stage is at work for as long as its passes take, whichever of them the schedule runs apart.
#[test]
fn stages_are_at_work_as_long_as_their_passes() {
    let constants = constants();
    for (schedule, chunks) in [("1f1b", "1"), ("1f1b", "2"), ("gpipe", "1"), ("zb-h1", "1"), ("zb-v", "2")] {
        let job = job(&[("sched", schedule), ("vpp", chunks), ("dpo", "0")]);
        let timeline = Predictor::new(&constants).timeline(&job).expect("small");
        for stage in [0, 1] {
            let shape = activity(&job, stage, &constants);
            let tensor = Activity::Collective(Parallelism::TensorParallel);
            let found =
                seconds(&shape.segments, |a| [Activity::Forward, Activity::Backward, tensor].contains(&a));
            assert_close(found, timeline.busy[stage as usize].0);
        }
    }
}

/// Mixtral's two copies of 4,096 tokens, in 16 bits, an eighth to each of eight ranks and back, forward and backward,
/// in 32 layers of two micro-batches: the same between any two of them, and nothing from a rank to itself.
#[test]
fn tokens_go_to_every_rank_of_experts_alike() {
    let edits = [("m", "mixtral-8x7b"), ("tp", "1"), ("sp", "0"), ("pp", "1"), ("ep", "8"), ("gb", "16")];
    let mut job = job(&[&edits[..], &[("stack", "nemo"), ("year", "2025"), ("month", "1")]].concat());
    job.plan.expert_tensor_parallel = 1;
    let matrix = Matrix::new(&Predictor::SHIPPED, &job, AxisOrder::from(job.plan.mapping), Algorithm::Ring)
        .expect("legal");
    let each = 4.0 * 32.0 * 2.0 * 2.0 * H * 2.0 * 4096.0 / 8.0;
    for rank in [0, 5] {
        for edges in [matrix.outgoing(rank), matrix.incoming(rank)] {
            let tokens: Vec<_> =
                edges.iter().filter(|edge| edge.kind == Parallelism::ExpertParallel).collect();
            let peers: Vec<u32> = tokens.iter().map(|edge| edge.peer).collect();
            assert_eq!(peers, (0..8).filter(|peer| *peer != rank).collect::<Vec<_>>());
            tokens.iter().for_each(|edge| assert_close(edge.bytes.0, each));
        }
    }
}
