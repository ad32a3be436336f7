//! Laws of the traffic: what ranks send, what they receive, and the matrix between them; and the
//! command line that shows it.

use proptest::prelude::*;
use serde_json::Value;
use std::process::{Command, Output};
use stepcast::cost::Algorithm;
use stepcast::document::Document;
use stepcast::document::examples::find;
use stepcast::forecast::Predictor;
use stepcast::scenario::Scenario;
use stepcast::scenario::plan::{
    ContextExchange, GatherOverlap, Mapping, Plan, Recompute, Schedule, StageSplit, Zero,
};
use stepcast::scenario::stack::Stack;
use stepcast::step::Parallelism;
use stepcast::traffic::{Activity, AxisOrder, DeviceMesh, MAX_SEGMENTS, Matrix, ParallelAxis, Segment, Tier};
use stepcast::units::{Bytes, Seconds};

fn example(name: &str) -> Scenario {
    let link = find(name).unwrap_or_else(|| panic!("no example {name}")).link;
    Document::from_link(link).expect("readable").document.scenario().expect("legal")
}

fn order(name: &str) -> AxisOrder {
    AxisOrder::parse(name).expect("an order")
}

#[track_caller]
fn assert_close(left: Bytes, right: Bytes) {
    assert!((left.0 - right.0).abs() <= 1e-9 * right.0.abs().max(1.0), "{left:?} is not {right:?}");
}

/// Legal jobs with every axis, sharding and recomputation, on machines of several sizes.
fn jobs() -> impl Strategy<Value = Scenario> {
    let degrees = (0..4_u32, 1..3_u32, 1..7_u32, 1..7_u32, 1..4_u32);
    let choices = (0..5_usize, 0..3_usize, any::<bool>(), any::<bool>(), 0..4_usize, 0..4_u32);
    let schedule = prop_oneof![Just(Schedule::OneForwardOneBackward), prop::sample::select(&Schedule::ALL)];
    let rest = (any::<bool>(), schedule);
    (degrees, choices, rest).prop_filter_map("illegal", |(degrees, choices, (tied, schedule))| {
        let (tensor, context, data, pipeline, chunks) = degrees;
        let (zero, recompute, sequence, interleaved, stack, machine) = choices;
        let mut scenario = Document::default().scenario().expect("the default document is valid");
        let tensor = 1 << tensor;
        let interleaved = interleaved && schedule == Schedule::OneForwardOneBackward || schedule.folds();
        let virtual_stages = if interleaved && pipeline > 1 { 2 } else { 1 };
        scenario.model.layers = pipeline * virtual_stages * chunks;
        scenario.model.tied_embeddings = tied;
        scenario.model.hidden = 512;
        scenario.model.ffn = 2048;
        scenario.cluster.gpus_per_node = 1 << machine;
        scenario.cluster.scale_up.domain = 1 << machine;
        scenario.cluster.gpus = tensor * context * data * pipeline;
        scenario.workload.sequence = 256;
        scenario.workload.global_batch = data * pipeline * 2;
        scenario.software.stack =
            [Stack::MegatronDeepspeed, Stack::MegatronLm, Stack::Nemo, Stack::Torchtitan][stack];
        scenario.plan = Plan {
            tensor_parallel: tensor,
            sequence_parallel: sequence && tensor > 1,
            context_parallel: context,
            context_exchange: ContextExchange::Ring,
            expert_parallel: 1,
            expert_tensor_parallel: 1,
            expert_overlap: false,
            pipeline_parallel: pipeline,
            virtual_stages,
            schedule,
            zero: [Zero::None, Zero::Optimizer, Zero::Gradients, Zero::Parameters, Zero::Hybrid][zero],
            shard_group: 0,
            micro_batch: 1,
            recompute: [Recompute::None, Recompute::Selective, Recompute::Full][recompute],
            tensor_overlap: false,
            data_overlap: false,
            gather_overlap: GatherOverlap::AsReduction,
            pipeline_overlap: true,
            offload_optimizer: false,
            offload_parameters: sequence,
            offload_activations: 0,
            mapping: Mapping::TensorDataPipeline,
            stage_split: StageSplit::Even,
        };
        scenario.validate().is_ok().then_some(scenario)
    })
}

fn orders() -> impl Strategy<Value = AxisOrder> {
    Just(['t', 'c', 'd', 'p']).prop_shuffle().prop_map(|axes| order(&axes.iter().collect::<String>()))
}

fn algorithms() -> impl Strategy<Value = Algorithm> {
    prop_oneof![Just(Algorithm::Ring), Just(Algorithm::Tree)]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn rows_are_what_ranks_send_and_columns_what_they_receive(
        job in jobs(), order in orders(), algorithm in algorithms()
    ) {
        let matrix = Matrix::new(&Predictor::SHIPPED, &job, order, algorithm).expect("legal");
        let ranks = matrix.ranks();
        prop_assert_eq!(ranks, job.cluster.gpus);
        let mut columns = vec![Bytes::ZERO; ranks as usize];
        let (mut by_pair, mut tables) = (Bytes::ZERO, Bytes::ZERO);
        let mut by_kind = Parallelism::ALL.map(|_| Bytes::ZERO);
        for rank in 0..ranks {
            let row = matrix.outgoing(rank);
            let listed = Predictor::SHIPPED.traffic(&job, order, algorithm, rank).expect("legal");
            let row_sum: Bytes = row.iter().map(|edge| edge.bytes).sum();
            let sent: Bytes = listed.messages.iter().map(|message| message.sent).sum();
            let received: Bytes = listed.messages.iter().map(|message| message.received).sum();
            assert_close(row_sum, sent);
            assert_close(matrix.sent(rank), sent);
            assert_close(matrix.received(rank), received);
            tables += sent;
            by_pair += row_sum;
            for edge in &row {
                prop_assert!(edge.peer < ranks && edge.peer != rank);
                columns[edge.peer as usize] += edge.bytes;
                by_kind[edge.kind.index()] += edge.bytes;
            }
            // What one end says it sends, the other says it receives.
            for edge in matrix.incoming(rank) {
                let back = matrix.outgoing(edge.peer);
                let same = back.iter().find(|other| (other.peer, other.kind) == (rank, edge.kind));
                assert_close(same.map_or(Bytes::ZERO, |other| other.bytes), edge.bytes);
            }
        }
        for (rank, column) in (0..ranks).zip(&columns) {
            assert_close(matrix.received(rank), *column);
        }
        assert_close(matrix.total(), by_pair);
        assert_close(matrix.total(), tables);
        for ((kind, sum), expected) in matrix.by_kind().into_iter().zip(by_kind) {
            prop_assert_eq!(kind, Parallelism::ALL[kind.index()]);
            assert_close(sum, expected);
        }
        assert_close(matrix.by_tier().iter().map(|tier| tier.1).sum(), by_pair);
    }

    #[test]
    fn blocks_hold_what_their_pairs_hold(job in jobs(), order in orders(), block in 1..9_u32) {
        let matrix = Matrix::new(&Predictor::SHIPPED, &job, order, Algorithm::Ring).expect("legal");
        let blocks = matrix.ranks().div_ceil(block);
        let cells = matrix.cells(0..blocks, 0..blocks, block, None);
        assert_close(cells.iter().map(|cell| cell.bytes).sum(), matrix.total());
        prop_assert!(cells.windows(2).all(|pair| (pair[0].row, pair[0].column) < (pair[1].row, pair[1].column)));
        for cell in &cells {
            let pairs = (cell.row * block..(cell.row + 1) * block).flat_map(|from| {
                (cell.column * block..(cell.column + 1) * block).map(move |to| (from, to))
            });
            let inside = pairs.filter(|(from, to)| from.max(to) < &matrix.ranks());
            assert_close(inside.map(|(from, to)| matrix.between(from, to)).sum(), cell.bytes);
        }
        for kind in Parallelism::ALL {
            let of_kind = matrix.cells(0..blocks, 0..blocks, block, Some(kind));
            assert_close(of_kind.iter().map(|cell| cell.bytes).sum(), matrix.by_kind()[kind.index()].1);
        }
        let window = matrix.cells(1..2, 0..u32::MAX, block, None);
        prop_assert!(window.iter().all(|cell| cell.row == 1));
        prop_assert_eq!(window.len(), cells.iter().filter(|cell| cell.row == 1).count());
    }

    #[test]
    fn groups_partition_the_ranks(job in jobs(), order in orders()) {
        let layout = DeviceMesh::new(&job, order);
        for members in [
            layout.along(ParallelAxis::Tensor), layout.along(ParallelAxis::Context), layout.along(ParallelAxis::Pipeline),
            layout.along(ParallelAxis::Data), layout.data(), layout.shard(), layout.replicas(),
        ] {
            for rank in 0..layout.ranks() {
                let group: Vec<u32> = members.of(rank).collect();
                prop_assert_eq!(group.len() as u32, members.size());
                prop_assert!(group.windows(2).all(|pair| pair[0] < pair[1]));
                prop_assert_eq!(group[members.position(rank) as usize], rank);
                prop_assert_eq!(members.predecessor(members.successor(rank)), rank);
                prop_assert!(group.iter().all(|other| members.of(*other).eq(group.iter().copied())));
            }
        }
        prop_assert_eq!(layout.shard().size() * layout.replicas().size(), layout.data().size());
    }
}

/// Figure 2 and figure 11 of APNet'24: who talks to whom under the default and the customised mapping.
#[test]
fn neighbours_are_those_of_the_papers_figures() {
    let job = example("apnet24-gpt-3b");
    let peers = |name: &str, rank| {
        let matrix = Matrix::new(&Predictor::SHIPPED, &job, order(name), Algorithm::Ring).expect("legal");
        matrix.outgoing(rank).iter().map(|edge| (edge.peer, edge.kind)).collect::<Vec<_>>()
    };
    use Parallelism::{DataParallel, EmbeddingSync, PipelineParallel, TensorParallel};
    assert_eq!(
        peers("tdp", 0),
        [(1, TensorParallel), (2, DataParallel), (8, PipelineParallel), (24, EmbeddingSync)]
    );
    assert_eq!(
        peers("tpd", 0),
        [(1, TensorParallel), (2, PipelineParallel), (6, EmbeddingSync), (8, DataParallel)]
    );
    // A middle stage sends both ways and knows no embedding.
    assert_eq!(
        peers("tdp", 13),
        [(5, PipelineParallel), (12, TensorParallel), (15, DataParallel), (21, PipelineParallel)]
    );
    let crossing = |name: &str| {
        let matrix = Matrix::new(&Predictor::SHIPPED, &job, order(name), Algorithm::Ring).expect("legal");
        matrix.by_tier().iter().filter(|tier| tier.0 != Tier::Machine).map(|tier| tier.1.0).sum::<f64>()
    };
    // Across machines: 3 boundaries * 8 ranks * 2 directions * 8 micro-batches of 125 MiB and 16 halves
    // of the embedding, against rings of four that cross with every message.
    assert_eq!(crossing("tdp"), 48.0 * 8.0 * 131_072_000.0 + 16.0 * 100_864_000.0);
    assert!(crossing("tpd") < crossing("tdp"));
}

#[test]
fn orders_are_read_and_named() {
    for (text, name, words) in [
        ("tdp", "tdp", "tensor, context, data, pipeline"),
        ("TPD", "tpd", "tensor, context, pipeline, data"),
        ("ptd", "ptd", "pipeline, tensor, context, data"),
        ("tpdc", "tpdc", "tensor, pipeline, data, context"),
    ] {
        let order = order(text);
        assert_eq!((order.name().as_str(), order.words().as_str()), (name, words));
        assert_eq!(AxisOrder::parse(&order.name()), Ok(order));
    }
    for text in ["", "td", "tdd", "tdpx", "tdpc c", "dp"] {
        assert_eq!(AxisOrder::parse(text).expect_err(text).field, "map");
    }
    assert_eq!(AxisOrder::from(Mapping::TensorDataPipeline), order("tdp"));
    assert_eq!(AxisOrder::from(Mapping::TensorPipelineData), order("tpd"));
}

/// A first look at 16,384 GPUs visits the machines that send to each other, a few a machine, and no others.
#[test]
fn a_matrix_of_16384_gpus_is_sparse() {
    let job = example("llama3-405b-16384xh100");
    let matrix = Matrix::new(&Predictor::SHIPPED, &job, AxisOrder::from(job.plan.mapping), Algorithm::Ring)
        .expect("legal");
    let machines = matrix.ranks() / matrix.gpus_per_machine();
    let cells = matrix.cells(0..machines, 0..machines, matrix.gpus_per_machine(), None);
    let (total, tiers) = (matrix.total(), matrix.by_tier());
    assert_close(cells.iter().map(|cell| cell.bytes).sum(), total);
    assert_close(tiers.iter().map(|tier| tier.1).sum(), total);
    assert!(cells.len() < 10 * machines as usize, "{} cells", cells.len());
}

fn stepcast(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_stepcast")).args(arguments).output().expect("runs")
}

fn json(arguments: &[&str]) -> Value {
    let output = stepcast(arguments);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("JSON")
}

/// APNet'24, table 3; its MB are MiB. The messages of rank 0, GPT-3B on 32 GPUs with (p, t, d) = (4, 2, 4):
/// 8 micro-batches * (14 blocks * 6 all-reduces + 1 for the embedding) = 680, of 2*32*1024*2000 bytes;
/// 8 sends and 8 receives of the same size; one all-reduce of 388.7 M gradients of 2 bytes; one of the
/// embedding's 50,432 * 2000 / 2 gradients.
#[test]
fn table_3_of_apnet24() {
    let output = json(&["traffic", "--preset", "apnet24-gpt-3b", "--rank", "0", "--json"]);
    let messages = output["messages"].as_array().expect("array");
    let found: Vec<_> = messages
        .iter()
        .map(|message| {
            let bytes = message["bytes"].as_u64().expect("bytes");
            let count = message["count"].as_u64().expect("count");
            assert_eq!(message["volume_bytes"].as_u64(), Some(bytes * count));
            (message["kind"].as_str().expect("kind"), count, (bytes as f64 / 1_048_576.0).round())
        })
        .collect();
    assert_eq!(
        found,
        [
            ("tensor_parallel", 680, 125.0),
            ("pipeline_parallel", 16, 125.0),
            ("data_parallel", 1, 741.0),
            ("embedding_sync", 1, 96.0),
        ]
    );
    let mebibytes = |index: usize| messages[index]["bytes"].as_f64().expect("bytes") / 1_048_576.0;
    assert_eq!((mebibytes(0), mebibytes(1)), (125.0, 125.0), "to the byte");
    // The table's volumes are what rank 0 transmits: 85 GB, 1 GB, 741 MB, 96 MB.
    let sent = |index: usize| messages[index]["sent_bytes"].as_f64().expect("bytes") / 1_048_576.0;
    assert_eq!((sent(0), sent(1)), (85_000.0, 1000.0));
}

#[test]
fn the_command_line_prints_what_the_library_says() {
    let job = example("apnet24-gpt-3b");
    let output = json(&[
        "traffic",
        "--preset",
        "apnet24-gpt-3b",
        "--rank",
        "31",
        "--mapping",
        "tpd",
        "--matrix",
        "--json",
    ]);
    assert_eq!(output["mapping"], "tpd");
    let listed = Predictor::SHIPPED.traffic(&job, order("tpd"), Algorithm::Ring, 31).expect("legal");
    assert_eq!(output["messages"], serde_json::to_value(&listed.messages).expect("JSON"));
    assert_eq!(output["place"]["stage"], 3);
    let matrix = Matrix::new(&Predictor::SHIPPED, &job, order("tpd"), Algorithm::Ring).expect("legal");
    let pairs = output["matrix"]["pairs"].as_array().expect("array");
    let sum: f64 = pairs.iter().map(|pair| pair["bytes"].as_f64().expect("bytes")).sum();
    assert_close(Bytes(sum), matrix.total());
    assert_close(Bytes(output["matrix"]["total_bytes"].as_f64().expect("bytes")), matrix.total());
    for pair in pairs {
        let [from, to] = ["from", "to"].map(|key| pair[key].as_u64().expect("a rank") as u32);
        assert_eq!(pair["tier"], serde_json::to_value(matrix.tier(from, to)).expect("JSON"));
    }
    let words = stepcast(&["traffic", "--preset", "apnet24-gpt-3b", "--matrix", "--wire", "tree"]);
    let words = String::from_utf8(words.stdout).expect("UTF-8");
    for part in ["Tensor parallel", "680", "Embedding synchronisation", "within a node", "Rank 0 (node 0"] {
        assert!(words.contains(part), "{part:?} in:\n{words}");
    }
    for (arguments, part) in [
        (
            vec!["traffic", "--preset", "apnet24-gpt-3b", "--rank", "32"],
            "Rank 32 does not exist. Use 0 to 31",
        ),
        (vec!["traffic", "--preset", "apnet24-gpt-3b", "--mapping", "xyz"], "--mapping"),
        (vec!["traffic", "#1;tp=3"], "tp: "),
    ] {
        let output = stepcast(&arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        let sentences = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(sentences.contains(part), "{arguments:?}: {sentences}");
    }
}

#[test]
fn the_closed_form_is_a_cost_model_of_the_command_line() {
    let arguments = ["predict", "--cost-model", "closed-form", "--preset", "apnet24-gpt-3b"];
    let output = json(&[&arguments[..], &["--mu", "0.25", "--c-tp", "10", "--json"]].concat());
    let number = |pointer: &str| output.pointer(pointer).and_then(Value::as_f64).expect("number");
    // Equation 2 at 10 GB/s, worked out in tests/evidence/apnet24.rs.
    assert!((number("/terms/tensor_parallel") - 8.493_465_6).abs() < 1e-9);
    let terms = ["computation", "tensor_parallel", "pipeline_parallel", "data_parallel", "bubble"];
    let sum: f64 = terms.iter().map(|term| number(&format!("/terms/{term}"))).sum();
    assert!((sum / number("/step_s") - 1.0).abs() < 1e-12);
    assert_eq!(output["parameters"]["tensor"]["origin"], "given");
    assert_eq!(output["parameters"]["pipeline"]["origin"], "platform");
    assert_eq!(output["equations"].as_array().map(Vec::len), Some(11));
    let words = String::from_utf8(stepcast(&arguments).stdout).expect("UTF-8");
    assert!(
        words.contains("(2) T_TP = m") && words.contains("Compared with the detailed forecast"),
        "{words}"
    );
    for (extra, part) in [(["--mu", "1.5"], "mu: "), (["--c-pp", "0"], "c_pp: ")] {
        let output = stepcast(&[&arguments[..], &extra].concat());
        assert_eq!(output.status.code(), Some(2));
        assert!(String::from_utf8_lossy(&output.stderr).contains(part));
    }
    let misplaced = stepcast(&["predict", "--preset", "apnet24-gpt-3b", "--mu", "0.3"]);
    assert_eq!(misplaced.status.code(), Some(2));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    /// The shape puts on the wire what the table says, in segments that follow each other.
    #[test]
    fn a_stages_links_carry_its_traffic(job in jobs(), stage in 0..6_u32) {
        let layout = DeviceMesh::new(&job, order("tdp"));
        let stage = stage % layout.size(ParallelAxis::Pipeline);
        let shape = Predictor::SHIPPED.link_activity(&job, stage).expect("legal");
        let rank = (0..layout.ranks()).find(|rank| layout.coordinate(*rank, ParallelAxis::Pipeline) == stage);
        let listed = Predictor::SHIPPED.traffic(&job, order("tdp"), Algorithm::Ring, rank.expect("a rank")).expect("legal");
        for kind in Parallelism::ALL {
            let of_kind = |s: &&Segment| match s.activity {
                Activity::Collective(other) => other == kind,
                Activity::Send => kind == Parallelism::PipelineParallel,
                _ => false,
            };
            let drawn: Bytes =
                shape.segments.iter().chain(&shape.overlapping).filter(of_kind).map(Segment::bytes).sum();
            let sent: Bytes =
                listed.messages.iter().filter(|message| message.kind == kind).map(|message| message.sent).sum();
            prop_assert!((drawn.0 - sent.0).abs() <= 1e-6 * sent.0 + 16.0, "{kind:?}: {drawn:?} is not {sent:?}");
        }
        prop_assert_eq!(shape.segments.first().map(|s| s.start), Some(Seconds::ZERO));
        let end = shape.segments.last().map_or(0.0, |s| s.end.0);
        prop_assert!((end / shape.step.0 - 1.0).abs() < 1e-6);
        prop_assert!(shape.segments.windows(2).all(|pair| (pair[0].end.0 - pair[1].start.0).abs() <= 1e-6 * end));
        prop_assert!(shape.segments.iter().all(|s| s.end.0 >= s.start.0));
        prop_assert!((0.0..=1.0).contains(&shape.on_share));
    }
}

/// Figure 9 of APNet'24: eight micro-batches of 1F1B, and in each pass of a block two all-reduces.
#[test]
fn the_on_off_shape_of_gpt_3b() {
    let job = example("apnet24-gpt-3b");
    let first = Predictor::SHIPPED.link_activity(&job, 0).expect("legal");
    let count = |activity: Activity| {
        first.segments.iter().chain(&first.overlapping).filter(|segment| segment.activity == activity).count()
    };
    assert_eq!(count(Activity::Collective(Parallelism::TensorParallel)), 680);
    assert_eq!((count(Activity::Send), count(Activity::Receive)), (8, 8));
    assert_eq!(count(Activity::Collective(Parallelism::DataParallel)), 1);
    assert_eq!(count(Activity::Collective(Parallelism::EmbeddingSync)), 1);
    assert!(!first.summed);
    let (twice, beside) = first.repeated(2);
    assert_eq!((twice.len(), beside.len()), (2 * first.segments.len(), 2 * first.overlapping.len()));
    assert_eq!(twice[first.segments.len()].start, first.step);
    // Rank 0 waits for the last stage: the bubble is a stretch of idleness before its first backward pass.
    let longest = first
        .segments
        .iter()
        .filter(|segment| segment.activity == Activity::Idle)
        .map(|segment| segment.duration().0)
        .fold(0.0, f64::max);
    assert!(longest > 0.1 * first.step.0, "{longest} of {}", first.step.0);
    assert_eq!(Predictor::SHIPPED.link_activity(&job, 4).expect_err("refused")[0].field, "stage");
    let large = Predictor::SHIPPED.link_activity(&example("llama3-405b-16384xh100"), 3).expect("legal");
    assert!(large.segments.len() <= 2 * MAX_SEGMENTS, "{}", large.segments.len());
}

#[test]
fn scaling_and_data_parallel_networks_are_on_the_command_line() {
    let curve = json(&["scale", "--preset", "gpt3-175b-1024xa100", "--gpus", "128,1024", "--json"]);
    let points = curve["points"].as_array().expect("array");
    assert_eq!((points.len(), curve["mode"].as_str()), (2, Some("strong")));
    let forecast = json(&["predict", "--preset", "gpt3-175b-1024xa100", "--json"]);
    assert_eq!(points[1]["step_s"], forecast["step_s"]);
    let words = stepcast(&["scale", "--preset", "gpt3-175b-1024xa100"]);
    assert!(String::from_utf8_lossy(&words.stdout).contains("Beyond"));
    let vgg = json(&["data-parallel", "vgg16", "--gpus", "8,16", "--json"]);
    assert_eq!(vgg["parameters"], 138_357_544);
    assert_eq!(vgg["steps"][0]["buckets"][2]["bytes"], 411_058_176);
    let over_tcp = json(&["data-parallel", "vgg16", "--gpus", "16", "--tcp", "--json"]);
    assert!(over_tcp["steps"][0]["step_s"].as_f64() > vgg["steps"][1]["step_s"].as_f64());
    let words = stepcast(&["data-parallel", "vgg16", "--cluster", "apnet24-v100-pcie"]);
    assert!(String::from_utf8_lossy(&words.stdout).contains("15.6, 64.0, 392, 27.0"));
    for arguments in [["data-parallel", "alexnet"], ["data-parallel", "--cluster=moon"]] {
        assert_eq!(stepcast(&arguments).status.code(), Some(2), "{arguments:?}");
    }
}
