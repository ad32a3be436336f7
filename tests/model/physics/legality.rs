//! Which layouts can be run, against the rules written down a second time and tried on every plan of small jobs.

use crate::support::scenario;
use std::collections::BTreeMap;
use stepcast::fields::{Field, Value};
use stepcast::rules::plan_is_legal;
use stepcast::scenario::cluster::GpuFamily;
use stepcast::scenario::model::{Experts, Latent, Positions};
use stepcast::scenario::plan::{
    ContextExchange, Modules, Plan, Recompute, Schedule, StageLayers, StageSplit, Zero,
};
use stepcast::scenario::{Precision, Scenario};

/// The first number is a whole multiple of the second.
fn fills(whole: u32, part: u32) -> bool {
    part > 0 && whole.is_multiple_of(part)
}

/// Names of the rules that a layout breaks.
pub(crate) fn broken(s: &Scenario) -> Vec<&'static str> {
    let Plan {
        tensor_parallel: t,
        context_parallel: c,
        pipeline_parallel: p,
        virtual_stages: v,
        micro_batch: b,
        sequence_parallel: sp,
        schedule,
        ..
    } = s.plan;
    let chunks = p * v;
    let replicas = s.cluster.gpus / (t * c * p).max(1);
    let whole = fills(s.cluster.gpus, t * c * p);
    let batches = s.workload.global_batch / (replicas * b).max(1);
    let slots = s.model.layers + if s.plan.stage_split == StageSplit::CountEnds { 2 } else { 0 };
    let given = matches!(s.plan.stage_split, StageSplit::Given(_));
    let given_is_wrong = match s.plan.stage_split {
        StageSplit::Given(list) => {
            let dealt: Vec<u32> = (0..list.chunks()).map(|chunk| list.of(chunk)).collect();
            dealt.len() != chunks as usize || dealt.iter().sum::<u32>() != s.model.layers
        }
        _ => false,
    };
    let two_chunks = matches!(schedule, Schedule::ZeroBubbleV | Schedule::DualPipeV);
    let one_chunk = !two_chunks && schedule != Schedule::OneForwardOneBackward;
    let both_ends = schedule == Schedule::DualPipe;
    let deferred = one_chunk && schedule != Schedule::AllForwardAllBackward || two_chunks;
    let swaps = c > 1 && s.plan.context_exchange == ContextExchange::AllToAll;
    let pieces = if c > 1 { 2 * c } else { 1 } * if sp { t } else { 1 };
    let rules = [
        ("heads", !fills(s.model.heads, t)),
        ("key/value heads", !nested(s.model.kv_heads, t)),
        ("feed-forward", !fills(s.model.ffn, t)),
        ("sequence parallel alone", sp && t == 1),
        ("sequence", !fills(s.workload.sequence, pieces)),
        ("swapped heads", swaps && !(fills(s.model.heads, t * c) && nested(s.model.kv_heads, t * c))),
        ("no modules", matches!(s.plan.recompute, Recompute::Modules(set) if set.is_empty())),
        ("job", !whole),
        ("stages", p > slots),
        ("virtual stages", v > 1 && !given && !fills(slots, chunks)),
        ("virtual stages alone", v > 1 && p == 1),
        ("batch", whole && !fills(s.workload.global_batch, replicas * b)),
        ("rounds", whole && v > 1 && schedule == Schedule::OneForwardOneBackward && !fills(batches, p)),
        ("schedule alone", schedule != Schedule::OneForwardOneBackward && p == 1),
        ("even stages", both_ends && !fills(p, 2)),
        ("chunks of schedule", one_chunk && v != 1 || two_chunks && v != 2),
        ("sharded and deferred", deferred && matches!(s.plan.zero, Zero::Parameters | Zero::Hybrid)),
        ("list", given_is_wrong),
        (
            "micro-batches of schedule",
            (both_ends || schedule == Schedule::DualPipeV) && s.micro_batches() < 2 * p
                || both_ends && !fills(s.micro_batches(), 2),
        ),
    ];
    rules.iter().chain(&of_experts(s)).filter(|rule| rule.1).map(|rule| rule.0).collect()
}

/// One of two numbers is a whole multiple of the other.
fn nested(a: u32, b: u32) -> bool {
    fills(a, b) || fills(b, a)
}

/// Rules of how experts are dealt to ranks, and which of them are broken.
fn of_experts(s: &Scenario) -> [(&'static str, bool); 4] {
    let Plan { tensor_parallel: t, context_parallel: c, pipeline_parallel: p, .. } = s.plan;
    let (dealt, split) = (s.plan.expert_parallel, s.plan.expert_tensor_parallel);
    let experts = &s.model.experts;
    let routed = experts.count > 0;
    let dealable = || {
        let groups = [split, dealt * split];
        fills(s.cluster.gpus / p, dealt * split) && groups.iter().all(|g| nested(*g, t) && nested(*g, t * c))
    };
    [
        ("experts", routed && !fills(experts.count, dealt)),
        ("expert size", routed && !fills(experts.ffn, split)),
        ("expert groups", routed && fills(s.cluster.gpus, t * c * p) && !dealable()),
        ("experts and tensors", routed && dealt > 1 && t > 1 && !s.plan.sequence_parallel),
    ]
}

/// A model of few heads, layers and tokens on a few GPUs, legal in itself.
fn small() -> Scenario {
    let mut s =
        scenario(&[("m", "llama2-7b"), ("g", "dgx-h100"), ("n", "8"), ("tp", "1"), ("sp", "0"), ("pp", "1")]);
    s.plan.zero = Zero::Optimizer;
    s.model.heads = 6;
    s.model.kv_heads = 3;
    s.model.head_dim = 64;
    s.model.ffn = 1024;
    s.model.hidden = 384;
    s.model.layers = 6;
    s.workload.sequence = 256;
    s.workload.global_batch = 24;
    s
}

/// Every plan of a job over small degrees, schedules, ways to deal layers and to shard.
fn plans(job: &Scenario, mut visit: impl FnMut(Scenario)) {
    let list = |text| StageSplit::Given(StageLayers::parse(text).expect("a list"));
    let splits = [StageSplit::Even, StageSplit::CountEnds, list("3,3"), list("1,2,1,2"), list("2,2,1")];
    let exchanges = [ContextExchange::Ring, ContextExchange::AllGather, ContextExchange::AllToAll];
    let modes = [Recompute::None, Recompute::Modules(Modules::NONE), Recompute::Modules(Modules::NORMS)];
    let experts = if job.model.experts.count > 0 { vec![1, 2, 3, 4] } else { vec![1] };
    for t in 1..=4 {
        for (c, sp) in [(1, false), (2, false), (3, false), (1, true), (2, true), (3, true)] {
            for (p, v) in (1..=8).flat_map(|p| [1, 2, 3].map(|v| (p, v))) {
                for (split, schedule) in splits.iter().flat_map(|split| Schedule::ALL.map(|s| (*split, s))) {
                    for (b, zero) in [(1, Zero::Optimizer), (2, Zero::Parameters), (3, Zero::Hybrid)] {
                        for (&e, &et) in
                            experts.iter().flat_map(|e| experts.iter().take(2).map(move |et| (e, et)))
                        {
                            let recompute = modes[(t + p + v + b) as usize % 3];
                            let plan = Plan {
                                tensor_parallel: t,
                                sequence_parallel: sp,
                                context_parallel: c,
                                context_exchange: exchanges[(t + c + p + b) as usize % 3],
                                pipeline_parallel: p,
                                virtual_stages: v,
                                expert_parallel: e,
                                expert_tensor_parallel: et,
                                stage_split: split,
                                schedule,
                                micro_batch: b,
                                zero,
                                recompute,
                                ..job.plan
                            };
                            visit(Scenario { plan, ..*job });
                        }
                    }
                }
            }
        }
    }
}

/// Jobs that between them make every rule matter.
fn jobs() -> Vec<Scenario> {
    let dense = small();
    let mut odd = dense;
    odd.model.ffn = 1023;
    odd.model.heads = 12;
    odd.model.kv_heads = 2;
    odd.cluster.gpus = 12;
    odd.cluster.gpus_per_node = 4;
    odd.workload.sequence = 100;
    odd.workload.global_batch = 36;
    let mut routed = dense;
    routed.cluster.gpus = 12;
    routed.cluster.gpus_per_node = 4;
    routed.model.ffn = 1536;
    routed.model.kv_heads = 6;
    routed.workload.global_batch = 144;
    routed.workload.sequence = 768;
    routed.model.experts = Experts { count: 6, top_k: 2, ffn: 129, ..Experts::NONE };
    let mut thin = dense;
    thin.model.kv_heads = 1;
    thin.workload.global_batch = 12;
    thin.plan.pipeline_parallel = 2;
    vec![dense, odd, routed, thin]
}

/// The library's verdict on every plan is that of the rules above, and every rule is once the only one broken.
#[test]
fn layouts_are_legal_where_no_rule_is_broken() {
    let mut alone: BTreeMap<&str, u32> = BTreeMap::new();
    let (mut legal, mut tried) = (0_u32, 0_u32);
    for job in jobs() {
        assert!(job.validate().is_ok(), "{:?}", job.validate());
        plans(&job, |plan| {
            let broken = broken(&plan);
            assert_eq!(plan_is_legal(&plan), broken.is_empty(), "{broken:?} {:?}", plan.plan);
            if tried % 97 == 0 {
                assert_eq!(plan.validate().is_ok(), broken.is_empty(), "{broken:?} {:?}", plan.plan);
            }
            if let [only] = broken[..] {
                *alone.entry(only).or_default() += 1;
            }
            legal += u32::from(broken.is_empty());
            tried += 1;
        });
    }
    assert!(legal > 1000, "{legal} of {tried}");
    let names = [
        "heads",
        "key/value heads",
        "feed-forward",
        "sequence parallel alone",
        "sequence",
        "swapped heads",
        "no modules",
        "job",
        "stages",
        "virtual stages",
        "batch",
        "rounds",
        "even stages",
        "chunks of schedule",
        "sharded and deferred",
        "list",
        "micro-batches of schedule",
        "experts",
        "expert size",
        "expert groups",
        "experts and tensors",
    ];
    for name in names {
        assert!(alone.contains_key(name), "{name} never decides: {alone:?}");
    }
}

/// The one error of a scenario with a field typed over.
fn refusal(change: impl FnOnce(&mut Scenario)) -> (String, Vec<String>) {
    let mut changed = small();
    change(&mut changed);
    let errors = changed.validate().expect_err("illegal");
    assert_eq!(errors.len(), 1, "{errors:?}");
    (errors[0].field.to_owned(), errors[0].suggestions.clone())
}

/// Rules of model, machine and batch, each broken alone, and what would be legal.
#[test]
fn models_and_machines_have_rules_of_their_own() {
    type Change = fn(&mut Scenario);
    let cases: [(Change, &str, &[&str]); 16] = [
        (|s| s.model.kv_heads = 4, "kv", &["3", "6"]),
        (|s| s.model.head_dim = 63, "dh", &["62", "64"]),
        (|s| s.model.positions = Positions::Learned(255), "seq", &["255"]),
        (|s| s.cluster.gpus = 12, "n", &["8", "24"]),
        (|s| s.cluster.scale_up.domain = 12, "domain", &["8", "16"]),
        (|s| s.workload.precision = Precision::Nvfp4, "prec", &["bf16", "fp16", "fp8"]),
        (
            |s| {
                s.cluster.gpu.family = GpuFamily::Volta;
                s.cluster.gpu.peak_fp8.0 = 0.0;
            },
            "prec",
            &["fp16"],
        ),
        (|s| s.workload.precision = Precision::Mxfp8, "prec", &["bf16", "fp16", "fp8"]),
        (|s| s.model.experts = Experts { count: 2, top_k: 3, ffn: 64, ..Experts::NONE }, "topk", &["2"]),
        (|s| s.model.experts = Experts { count: 2, ..Experts::NONE }, "effn", &["1024"]),
        (
            |s| s.model.experts = Experts { count: 2, ffn: 64, leading_dense: 6, ..Experts::NONE },
            "lead",
            &["0"],
        ),
        (|s| s.model.latent = Latent { kv_rank: 64, value_dim: 64, ..Latent::NONE }, "nope", &["128"]),
        (|s| s.model.latent = Latent { kv_rank: 64, plain_dim: 64, ..Latent::NONE }, "vdim", &["128"]),
        (|s| s.plan.sequence_parallel = true, "sp", &["0"]),
        (|s| s.workload.global_batch = 20, "gb", &["16", "24"]),
        (|s| s.plan.micro_batch = 2, "mb", &["1", "3"]),
    ];
    for (index, (change, field, suggestions)) in cases.into_iter().enumerate() {
        let found = refusal(change);
        assert_eq!(
            found,
            (field.to_owned(), suggestions.iter().map(|text| (*text).to_owned()).collect()),
            "{index}"
        );
    }
}

/// On the border of each rule nothing is refused.
#[test]
fn borders_are_legal() {
    let legal = |change: fn(&mut Scenario)| {
        let mut changed = small();
        change(&mut changed);
        assert_eq!(changed.validate(), Ok(()));
    };
    legal(|s| s.model.positions = Positions::Learned(256));
    legal(|s| s.cluster.gpus = 4);
    legal(|s| s.cluster.gpus = 16 + 8);
    legal(|s| s.cluster.scale_up.domain = 4);
    legal(|s| s.cluster.scale_up.domain = 16);
    legal(|s| s.workload.precision = Precision::Fp8Block);
    legal(|s| {
        s.workload.precision = Precision::Mxfp8;
        s.cluster.gpu.family = GpuFamily::Blackwell;
    });
    legal(|s| {
        s.workload.precision = Precision::Fp16;
        s.cluster.gpu.family = GpuFamily::Volta;
    });
    legal(|s| s.model.experts = Experts { count: 2, top_k: 2, ffn: 64, leading_dense: 5, ..Experts::NONE });
    legal(|s| s.model.latent = Latent { kv_rank: 64, rotary_dim: 64, value_dim: 64, ..Latent::NONE });
}

/// Degrees and batches that a field could have instead of its own, tried one by one.
fn legal_values(s: &Scenario, key: &str) -> Vec<u32> {
    let field = Field::find(key).expect("a field");
    let tried = (1..=96).filter(|value| {
        let mut copy = *s;
        (field.set)(&mut copy, Value::Integer(*value));
        broken(&copy).is_empty()
    });
    tried.collect()
}

/// What an error of one field suggests is the nearest legal value on either side, where the field alone can mend it:
/// not where a list of layers says how many stages there are.
#[test]
fn suggestions_are_the_nearest_legal_values() {
    let mut checked: BTreeMap<&str, u32> = BTreeMap::new();
    for job in jobs() {
        let mut count = 0_u32;
        plans(&job, |plan| {
            count += 1;
            if !broken(&plan).is_empty() && !count.is_multiple_of(5) {
                return;
            }
            let Err(errors) = plan.validate() else { return };
            let [error] = errors.as_slice() else { return };
            if !["tp", "cp", "pp", "vpp", "mb", "ep"].contains(&error.field)
                || matches!(plan.plan.stage_split, StageSplit::Given(_))
            {
                return;
            }
            let Some(Value::Integer(current)) = Field::find(error.field).map(|field| (field.get)(&plan))
            else {
                return;
            };
            let legal = legal_values(&plan, error.field);
            let below = legal.iter().rev().find(|value| **value < current);
            let above = legal.iter().find(|value| **value > current);
            if error.field == "cp" && below.is_none() || legal.is_empty() {
                return;
            }
            let nearest: Vec<String> = [below, above].into_iter().flatten().map(u32::to_string).collect();
            let known = error.suggestions.iter().all(|text| nearest.contains(text));
            assert!(known && !error.suggestions.is_empty(), "{error:?} {nearest:?} {:?}", plan.plan);
            *checked.entry(error.field).or_default() += 1;
        });
    }
    for key in ["tp", "cp", "pp", "vpp", "mb", "ep"] {
        assert!(checked.contains_key(key), "{key}: {checked:?}");
    }
}

/// The errors of a job with some fields typed over: fields, suggestions, sentences.
fn errors(change: fn(&mut Scenario)) -> Vec<(&'static str, Vec<String>, String)> {
    let mut changed = small();
    changed.plan.tensor_parallel = 2;
    changed.model.kv_heads = 6;
    change(&mut changed);
    let errors = changed.validate().expect_err("illegal");
    errors.into_iter().map(|error| (error.field, error.suggestions, error.message)).collect()
}

/// Every field that is wrong is named once; what the first suggestion of an earlier one mends is not named at all.
#[test]
fn each_wrong_field_is_named_once() {
    let fields = |change| errors(change).into_iter().map(|error| error.0).collect::<Vec<_>>();
    // 4 ranks divide neither 6 heads nor 6 key/value heads: both are about the same field.
    assert_eq!(fields(|s| s.plan.tensor_parallel = 4), ["tp"]);
    // 6 heads over 5 ranks, 8 GPUs into groups of 5: the divisor of 6 that it is told divides 8 too.
    assert_eq!(fields(|s| s.plan.tensor_parallel = 5), ["tp"]);
    // A batch of 23 sequences, and virtual stages without a pipeline, have nothing to do with each other.
    assert_eq!(
        fields(|s| {
            s.workload.global_batch = 23;
            s.plan.virtual_stages = 2;
        }),
        ["vpp", "gb"]
    );
    // Out of bounds comes before what fields make impossible together.
    assert_eq!(
        fields(|s| {
            s.plan.virtual_stages = 0;
            s.workload.global_batch = 23;
        }),
        ["vpp"]
    );
}

/// Sentences say what is wrong with which numbers, and end in what would be legal.
#[test]
fn sentences_name_the_numbers() {
    for (change, parts) in [
        (
            (|s| s.plan.tensor_parallel = 4) as fn(&mut Scenario),
            &["TP 4", "6 attention heads", "Set TP to 3 or 6."][..1],
        ),
        (|s| s.plan.pipeline_parallel = 3, &["TP 2 \u{d7} PP 3 needs a multiple of 6 GPUs", "the job has 8"]),
        (|s| s.plan.context_parallel = 8, &["needs 16 GPUs", "the job has 8"]),
        (
            |s| {
                s.plan.tensor_parallel = 1;
                s.plan.pipeline_parallel = 8;
            },
            &["PP 8 needs at least one layer per stage", "6 layers"],
        ),
        (
            |s| {
                s.plan.pipeline_parallel = 2;
                s.plan.virtual_stages = 2;
            },
            &["6 layers are not divisible by 4 virtual stages", "fewer layers"],
        ),
        (
            |s| {
                s.plan.pipeline_parallel = 2;
                s.plan.virtual_stages = 2;
                s.model.layers = 7;
                s.plan.stage_split = StageSplit::CountEnds;
            },
            &["7 layers plus 2 (embedding and LM head) are not divisible by 4 virtual stages"],
        ),
        (|s| s.plan.micro_batch = 4, &["6 sequences per replica", "not divisible by micro-batch 4"]),
        (
            |s| s.workload.global_batch = 23,
            &["Global batch 23", "4 replicas \u{d7} micro-batch 1", "to 20 or 24."],
        ),
        (
            |s| {
                s.plan.sequence_parallel = true;
                s.workload.sequence = 255;
            },
            &["TP 2", "sequence length is 255", "to 254 or 256."],
        ),
        (
            |s| {
                s.plan.context_parallel = 2;
                s.workload.sequence = 255;
            },
            &["divisible by 4", "length is 255"],
        ),
        (|s| s.plan.schedule = Schedule::DualPipe, &["DualPipe needs PP 2 or higher"]),
        (
            |s| {
                s.plan.pipeline_parallel = 2;
                s.plan.schedule = Schedule::ZeroBubbleV;
            },
            &["ZB-V needs 2 virtual stages per GPU, but VPP is 1"],
        ),
        (
            |s| {
                s.plan.pipeline_parallel = 2;
                s.plan.schedule = Schedule::ZeroBubbleH1;
                s.plan.zero = Zero::Parameters;
            },
            &["ZB-H1 delays weight gradients"],
        ),
        (
            |s| s.plan.stage_split = StageSplit::Given(StageLayers::parse("3,3").expect("a list")),
            &["has 2 entries, but the pipeline has 1 stages", "to 6."],
        ),
        (
            |s| s.plan.stage_split = StageSplit::Given(StageLayers::parse("5").expect("a list")),
            &["sums to 5 layers, but the model has 6"],
        ),
        (|s| s.workload.precision = Precision::Nvfp4, &["does not support nvfp4 GEMMs"]),
    ] {
        let found = errors(change);
        for part in parts {
            assert!(found[0].2.contains(part), "{part:?} in {found:?}");
        }
        let last = found[0].1.join(" or ");
        assert!(last.is_empty() || found[0].2.contains(&format!(" to {last}.")), "{found:?}");
    }
}
