//! The end of a step where a stage has a twin: mirrored pipelines, tied embeddings, replicas of a shard.

use crate::physics::sharding::plain;
use crate::support::{assert_close, forecast_under, scenario};
use stepcast::constants::Constants;
use stepcast::cost::{Algorithm, Collective};
use stepcast::forecast::{Pass, Predictor};
use stepcast::scenario::Scenario;
use stepcast::step::{Groups, Parallelism, Place};
use stepcast::traffic::{AxisOrder, Message};

/// Llama-2 7B: parameters of a layer, a table, and all.
const LAYER: f64 = 4.0 * 4096.0 * 4096.0 + 3.0 * 4096.0 * 11_008.0 + 2.0 * 4096.0;
const TABLE: f64 = 32_000.0 * 4096.0;
const ALL: f64 = 32.0 * LAYER + 2.0 * TABLE + 4096.0;
/// The residual stream of a micro-batch of 4,096 tokens, 16 bits.
const STREAM: f64 = 2.0 * 4096.0 * 4096.0;

fn job(edits: &[(&str, &str)]) -> Scenario {
    let base = [
        ("m", "llama2-7b"),
        ("g", "dgx-h100"),
        ("n", "8"),
        ("gb", "32"),
        ("seq", "4096"),
        ("stack", "fused"),
        ("tp", "1"),
        ("sp", "0"),
        ("pp", "2"),
        ("zero", "1"),
    ];
    scenario(&[&base[..], edits].concat())
}

fn messages(job: &Scenario, rank: u32, kind: Parallelism) -> Vec<Message> {
    let order = AxisOrder::from(job.plan.mapping);
    let listed = Predictor::SHIPPED.traffic(job, order, Algorithm::Ring, rank).expect("legal");
    listed.messages.into_iter().filter(|message| message.kind == kind).collect()
}

/// DualPipe on two stages: either holds the whole model, and each direction brings half of eight micro-batches. A
/// stage's copies are reduced with the twin's, and each is left with half of the states to share among four replicas.
#[test]
fn mirrored_pipelines_reduce_with_their_twin() {
    let dual = |zero| job(&[("sched", "dualpipe"), ("zero", zero)]);
    for (zero, expected) in [
        (
            "0",
            &[(Collective::AllReduce, 2.0 * ALL, ALL * 2.0), (Collective::AllReduce, 2.0 * ALL, 3.0 * ALL)][..],
        ),
        (
            "1",
            &[
                (Collective::ReduceScatter, 2.0 * ALL, ALL),
                (Collective::ReduceScatter, ALL, 0.75 * ALL),
                (Collective::AllGather, ALL, 0.75 * ALL),
                (Collective::AllGather, 2.0 * ALL, ALL),
            ],
        ),
    ] {
        for rank in [0, 7] {
            let found = messages(&dual(zero), rank, Parallelism::DataParallel);
            let rows: Vec<(Collective, f64)> =
                found.iter().map(|message| (message.operation, message.bytes as f64)).collect();
            assert_eq!(rows, expected.iter().map(|row| (row.0, row.1)).collect::<Vec<_>>(), "{zero}");
            for (message, (_, _, sent)) in found.iter().zip(expected) {
                assert_eq!(message.count, 1);
                assert_close(message.sent.0, *sent);
            }
        }
        // Four activations and four gradients each way.
        for rank in [0, 7] {
            let found = messages(&dual(zero), rank, Parallelism::PipelineParallel);
            assert_eq!((found.len(), found[0].count), (1, 16));
            assert_close(found[0].sent.0, 8.0 * STREAM);
            assert_close(found[0].received.0, 8.0 * STREAM);
        }
    }
    let constants = Constants {
        memory_efficiency: 1.0,
        optimizer_bytes_sharded: 30.0,
        optimizer_bytes_local: 6.0,
        ..plain()
    };
    for (zero, updated) in [("0", ALL), ("1", ALL / 8.0)] {
        let found = forecast_under(&dual(zero), &constants).breakdown.optimizer.0;
        assert_close(found, (30.0 * updated + 6.0 * ALL) / 3.35e12);
    }
}

/// Routed experts are shared among fewer replicas than the rest, in the update as in the reduction: Mixtral's 8 of
/// 3 x 4096 x 14,336 over 4 ranks, two replicas of each.
#[test]
fn experts_are_updated_by_their_own_replicas() {
    let experts = 32.0 * 8.0 * 3.0 * 4096.0 * 14_336.0 / 4.0;
    let layer = 2.0 * 4096.0 * 4096.0 + 2.0 * 4096.0 * 1024.0 + 8.0 * 4096.0 + 2.0 * 4096.0;
    let shared = 32.0 * layer + 2.0 * TABLE + 4096.0;
    let constants = Constants {
        memory_efficiency: 1.0,
        optimizer_bytes_sharded: 30.0,
        optimizer_bytes_local: 6.0,
        ..plain()
    };
    for (zero, updated, held) in [
        ("0", shared + experts, shared + experts),
        ("1", shared / 8.0 + experts / 2.0, shared + experts),
        ("2", shared / 8.0 + experts / 2.0, shared + experts),
        ("3", shared / 8.0 + experts / 2.0, 0.0),
    ] {
        let job = job(&[("m", "mixtral-8x7b"), ("pp", "1"), ("ep", "4"), ("zero", zero)]);
        let found = forecast_under(&job, &constants).breakdown.optimizer.0;
        assert_close(found, (30.0 * updated + 6.0 * held) / 3.35e12);
    }
    // Under DualPipe a stage and its twin hold the same: two replicas of each half of the experts are four copies.
    let job = job(&[("m", "mixtral-8x7b"), ("sched", "dualpipe"), ("ep", "2")]);
    let found = forecast_under(&job, &constants).breakdown.optimizer.0;
    let updated = shared / 8.0 + 2.0 * experts / 4.0;
    assert_close(found, (30.0 * updated + 6.0 * (shared + 2.0 * experts)) / 3.35e12);
}

/// GPT-2's table of 50,257 entries, padded to 256 for two tensor-parallel ranks, is on the first stage and on the last:
/// half of it each, 16 bits an entry, all-reduced once.
#[test]
fn tied_tables_are_synchronised_by_their_two_stages() {
    let tied = |edits: &[(&str, &str)]| {
        let base = [
            ("m", "gpt2-1.5b"),
            // Its 25 heads cannot be divided.
            ("heads", "26"),
            ("kv", "26"),
            ("g", "dgx-a100-80g"),
            ("seq", "1024"),
            ("tp", "2"),
            ("pp", "4"),
            ("stack", "megatron-lm"),
            ("year", "2022"),
        ];
        job(&[&base[..], edits].concat())
    };
    for (rank, there) in [(0, true), (2, false), (7, true)] {
        let job = tied(&[]);
        let found = messages(&job, rank, Parallelism::EmbeddingSync);
        assert_eq!(found.len(), usize::from(there), "{rank}");
        for message in found {
            let width = job.software.profile().reduce_bytes;
            assert_eq!(message.bytes as f64, width * 50_432.0 / 2.0 * 1600.0);
            assert_eq!((message.operation, message.count), (Collective::AllReduce, 1));
            assert_close(message.sent.0, message.bytes as f64);
            assert_eq!(message.group.ranks, [rank % 2, rank % 2 + 6]);
        }
    }
    assert!(
        messages(&tied(&[("pp", "1")]), 0, Parallelism::EmbeddingSync).is_empty(),
        "one stage holds it once"
    );
    let mut untied = tied(&[]);
    untied.model.tied_embeddings = false;
    assert!(messages(&untied, 0, Parallelism::EmbeddingSync).is_empty());
}

/// HSDP: as many replicas of a tensor-parallel group share a copy as fit in a machine of 8 and divide them all.
#[test]
fn shards_fill_a_machine() {
    for (tensor, gpus, inside, across) in
        [("1", "32", 8.0, 4.0), ("2", "32", 4.0, 4.0), ("4", "32", 2.0, 4.0), ("8", "32", 1.0, 4.0)]
    {
        let job = job(&[("tp", tensor), ("n", gpus), ("pp", "1"), ("zero", "hsdp")]);
        let groups = Groups::new(&job);
        assert_eq!((groups.shard.size, groups.replicas.size), (inside, across), "{tensor}");
    }
    // Twelve replicas of two are shared by three, the most up to four that divide them.
    let mut odd = job(&[("tp", "2"), ("n", "24"), ("pp", "1"), ("zero", "hsdp"), ("gb", "24")]);
    odd.cluster.gpus_per_node = 10;
    odd.cluster.scale_up.domain = 10;
    let groups = Groups::new(&odd);
    assert_eq!((groups.shard.size, groups.replicas.size), (4.0, 3.0));
}

/// First and last stage on racks of 72: whole pipelines fill a rack, so that no pair lies across two; a pipeline longer
/// than a rack has its ends in two.
#[test]
fn ends_of_a_pipeline_stay_in_their_rack() {
    for (tensor, stages, gpus, domains) in
        [("4", "4", "128", 1.0), ("4", "2", "144", 1.0), ("8", "5", "160", 1.0), ("8", "10", "160", 2.0)]
    {
        let edits = [("g", "gb200-nvl72"), ("map", "tpd"), ("tp", tensor), ("pp", stages), ("n", gpus)];
        let mut job = job(&[&edits[..], &[("gb", "1440"), ("m", "llama3-70b")]].concat());
        job.plan.mapping = stepcast::scenario::plan::Mapping::TensorPipelineData;
        let groups = Groups::new(&job);
        assert_eq!(
            (groups.first_and_last.size, groups.first_and_last.domains()),
            (2.0, domains),
            "{tensor} {stages}"
        );
    }
}

/// Which calls of a layer run again: modules as Megatron-Core names them, with the messages that they need.
#[test]
fn modules_run_again_with_what_is_theirs() {
    let again = |edits: &[(&str, &str)], place| {
        let job = job(&[&[("rc", "modules"), ("tp", "2"), ("sp", "1"), ("pp", "1")], edits].concat());
        let mut names = Vec::new();
        Predictor::SHIPPED.program(&job).calls(place, &mut |call| {
            if call.pass == Pass::Recompute {
                names.push(call.module.name());
            }
        });
        names
    };
    for (modules, names) in [
        ("core", &["attention_core"][..]),
        ("norms", &["attention_norm", "mlp_norm"]),
        ("act", &["activation"]),
        ("mlp", &["mlp_input_gather", "mlp_up", "activation", "mlp_down"]),
        ("core,act", &["attention_core", "activation"]),
    ] {
        assert_eq!(again(&[("rcm", modules)], Place::layer(0)), names, "{modules}");
    }
    let lite = [("m", "deepseek-v2-lite"), ("ep", "4"), ("etp", "2")];
    for (modules, names) in [
        ("act", &["expert_activation", "shared_activation"][..]),
        (
            "mlp",
            &[
                "router",
                "router_top_k",
                "token_permute",
                "token_dispatch",
                "expert_input_gather",
                "expert_up",
                "expert_activation",
                "expert_down",
                "expert_output_reduce",
                "token_combine",
                "token_unpermute",
                "shared_input_gather",
                "shared_up",
                "shared_activation",
                "shared_down",
                "shared_output_reduce",
            ],
        ),
    ] {
        assert_eq!(again(&[&lite[..], &[("rcm", modules)]].concat(), Place::layer(1)), names, "{modules}");
    }
}
