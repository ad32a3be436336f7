//! Mixtures of experts: who gets how many tokens, what travels, and what is computed, counted by hand.

use crate::physics::sharding::plain;
use crate::support::{assert_close, forecast, forecast_under, scenario};
use stepcast::constants::Constants;
use stepcast::cost::{Algorithm, Collective};
use stepcast::forecast::Predictor;
use stepcast::forecast::{OperatorRow, Pass, Prediction};
use stepcast::scenario::Scenario;
use stepcast::step::Parallelism;
use stepcast::traffic::AxisOrder;

/// Mixtral 8x7B: hidden size, expert size, experts, experts a token.
const H: f64 = 4096.0;
const F: f64 = 14_336.0;
const T: f64 = 4096.0;

/// Mixtral 8x7B on 8 H100, tokens spread evenly, sent by the communication library; 32 layers, 2 micro-batches.
fn job(edits: &[(&str, &str)]) -> Scenario {
    let base = [
        ("m", "mixtral-8x7b"),
        ("g", "dgx-h100"),
        ("n", "8"),
        ("gb", "16"),
        ("seq", "4096"),
        ("stack", "nemo"),
        ("year", "2025"),
        ("month", "1"),
        ("tp", "1"),
        ("sp", "0"),
        ("pp", "1"),
        ("ep", "8"),
        ("zero", "1"),
    ];
    scenario(&[&base[..], edits].concat())
}

fn rows<'a>(found: &'a Prediction, name: &str) -> Vec<&'a OperatorRow> {
    found.operators.iter().filter(|row| row.name == name).collect()
}

/// Each GPU's tokens go to two of eight ranks, in 16 bits; an eighth stays. There and back, forward and backward.
#[test]
fn tokens_travel_to_their_experts_and_back() {
    let job = job(&[]);
    let found = forecast(&job);
    for name in ["token_dispatch", "token_combine"] {
        let rows = rows(&found, name);
        assert_eq!(rows.iter().map(|row| row.pass).collect::<Vec<_>>(), [Pass::Forward, Pass::Backward]);
        for row in rows {
            assert_close(row.bytes.0, 2.0 * H * 2.0 * T * 7.0 / 8.0);
            assert_eq!(row.count, 32.0);
        }
    }
    let listed = Predictor::SHIPPED
        .traffic(&job, AxisOrder::from(job.plan.mapping), Algorithm::Ring, 3)
        .expect("legal");
    let all =
        listed.messages.iter().find(|message| message.kind == Parallelism::ExpertParallel).expect("tokens");
    assert_eq!((all.operation, all.count), (Collective::AllToAll, 4 * 32 * 2));
    assert_eq!(all.bytes as f64, 2.0 * H * 2.0 * T);
    assert_close(all.sent.0, 4.0 * 32.0 * 2.0 * 2.0 * H * 2.0 * T * 7.0 / 8.0);
    assert_eq!(all.group.ranks, [0, 1, 2, 3, 4, 5, 6, 7]);
    // In seconds: four exchanges a layer and micro-batch, of which overlapping hides a share.
    let constants = Constants {
        all_to_all_ratio: 1.0,
        all_to_all_half: 0.0,
        all_to_all_fill: 0.0,
        overlap_experts: 0.75,
        framework_factor_fused: 1.0,
        ..plain()
    };
    let wait = 4.0 * 32.0 * 2.0 * 2.0 * H * 2.0 * T * 7.0 / 8.0 / 450e9;
    let found = forecast_under(&job, &constants);
    assert_close(found.breakdown.expert_communication.0, wait);
    let mut overlapped = job;
    overlapped.plan.expert_overlap = true;
    let found = forecast_under(&overlapped, &constants);
    assert_close(found.breakdown.expert_communication.0, 0.25 * wait);
    assert_close(found.hidden.expert.0, 0.75 * wait);
}

/// Distinct places that k tokens meet among n: each further one meets a new place with the share not met yet.
fn distinct(places: f64, choices: u32) -> f64 {
    (0..choices).fold(0.0, |met, _| met + 1.0 - met / places)
}

/// A dispatcher sends a token once to each rank that holds some of its experts, and once to each machine.
#[test]
fn dispatchers_send_a_token_once() {
    for (model, top_k, hidden, ranks) in
        [("qwen3-30b-a3b", 8, 2048.0, 32.0), ("mixtral-8x7b", 2, 4096.0, 8.0)]
    {
        let ep = format!("{ranks}");
        let edits =
            [("m", model), ("n", "64"), ("gb", "64"), ("ep", ep.as_str()), ("stack", "megatron-bridge")];
        let found = forecast(&job(&edits));
        let machines: f64 = ranks / 8.0;
        let whole = 2.0 * hidden * T;
        let near = whole * distinct(ranks, top_k) * 7.0 / ranks;
        let far =
            if machines > 1.0 { whole * distinct(machines, top_k) * (ranks - 8.0) / ranks } else { 0.0 };
        assert_close(rows(&found, "token_dispatch")[0].bytes.0, near + far);
    }
    // Recipes of Megatron-Bridge take DeepEP or HybridEP; others' exchange is the library's unless a configuration names another.
    let sent = |edits: &[(&str, &str)]| rows(&forecast(&job(edits)), "token_combine")[1].bytes.0;
    let every_copy = 2.0 * H * 2.0 * T * 7.0 / 8.0;
    let once_a_rank = 2.0 * H * T * distinct(8.0, 2) * 7.0 / 8.0;
    assert_close(sent(&[]), every_copy);
    assert_close(sent(&[("stack", "megatron-bridge")]), once_a_rank);
    // Whatever the software does by itself, a job may state the one or the other.
    for stack in ["nemo", "megatron-bridge"] {
        assert_close(sent(&[("stack", stack), ("xd", "all-to-all")]), every_copy);
        assert_close(sent(&[("stack", stack), ("xd", "deepep")]), once_a_rank);
    }
}

/// Where experts are given out in turn, a token's are neighbours: ranks and machines that it meets are counted token by token, and
/// a dispatcher sends it to those alone. A library's all-to-all still sends every copy.
#[test]
fn experts_in_turn_are_neighbours() {
    let met = |experts: u32, top_k: u32, places: u32| {
        let place = |copy: u32| copy % experts / (experts / places);
        let of_token = |token: u32| {
            let mut places: Vec<u32> = (token * top_k..(token + 1) * top_k).map(place).collect();
            places.dedup();
            places.len()
        };
        (0..experts).map(of_token).sum::<usize>() as f64 / f64::from(experts)
    };
    for (model, experts, top_k, hidden, ranks) in [
        ("qwen3-30b-a3b", 128, 8, 2048.0, 8_u32),
        ("qwen3-30b-a3b", 128, 8, 2048.0, 32),
        ("deepseek-v2-lite", 64, 6, 2048.0, 8),
        ("mixtral-8x7b", 8, 2, 4096.0, 8),
    ] {
        let ep = format!("{ranks}");
        let edits = [("m", model), ("n", "64"), ("gb", "64"), ("ep", ep.as_str()), ("xr", "in-turn")];
        let machines = ranks / 8;
        let others = |places: u32, alone: u32| f64::from(places - alone) / f64::from(places);
        let near = met(experts, top_k, ranks) * 7.0 / f64::from(ranks);
        let far = met(experts, top_k, machines) * others(machines, 1);
        let sent = |way| {
            let edits = [&edits[..], &[("xd", way)]].concat();
            rows(&forecast(&job(&edits)), "token_dispatch")[0].bytes.0
        };
        assert_close(sent("deepep"), 2.0 * hidden * T * (near + far));
        assert_close(sent("all-to-all"), 2.0 * hidden * T * f64::from(top_k) * others(ranks, 1));
    }
}

/// Products of the experts: one of eight on each GPU, with the copies of all GPUs' tokens that chose it; the router's
/// scores of every token for every expert.
#[test]
fn experts_compute_the_copies_they_get() {
    let flops = |edits: &[(&str, &str)], name: &str| rows(&forecast(&job(edits)), name)[0].flops.0;
    let copies = 2.0 * T;
    for (edits, share) in
        [(&[][..], 1.0), (&[("ep", "2")], 1.0), (&[("ep", "1")], 1.0), (&[("ep", "4"), ("etp", "2")], 1.0)]
    {
        assert_close(flops(edits, "expert_up"), 2.0 * copies * share * 2.0 * F * H);
        assert_close(flops(edits, "expert_down"), 2.0 * copies * share * F * H);
        assert_close(flops(edits, "router"), 2.0 * T * 8.0 * H);
    }
    // Over two tensor-parallel ranks each routes and computes half of the tokens.
    let halved = [("tp", "2"), ("sp", "1"), ("ep", "8"), ("n", "16")];
    assert_close(flops(&halved, "expert_up"), copies * 2.0 * F * H);
    assert_close(flops(&halved, "router"), T * 8.0 * H);
    let found = forecast(&job(&halved));
    assert_close(rows(&found, "token_dispatch")[0].bytes.0, 2.0 * H * T * 7.0 / 8.0);
    // An expert split over two ranks gathers both ranks' tokens, and scatters the sums.
    let found = forecast(&job(&[("ep", "4"), ("etp", "2")]));
    for name in ["expert_input_gather", "expert_output_reduce"] {
        for row in rows(&found, name) {
            assert_close(row.bytes.0, 2.0 * copies * 2.0 * H / 2.0);
        }
    }
    // Gates of a stack that nobody forces leave the fullest rank more: 1 + skew sqrt(2 ln r / experts a rank).
    let skew = Constants::SHIPPED.expert_skew_final;
    for (ep, local) in [(8.0_f64, 1.0), (2.0, 4.0)] {
        let text = format!("{ep}");
        let edits = [("stack", "fused"), ("ep", text.as_str())];
        let most = 1.0 + skew * (2.0 * ep.ln() / local).sqrt();
        assert_close(flops(&edits, "expert_up"), most * 2.0 * copies * 2.0 * F * H);
        let found = forecast(&job(&edits));
        assert_close(rows(&found, "token_dispatch")[0].bytes.0, most * 2.0 * H * copies * (ep - 1.0) / ep);
    }
}

/// Shared experts see every token; leading layers are dense, and of the others every n-th has experts.
#[test]
fn layers_are_dense_or_of_experts() {
    let edits = [("m", "deepseek-v2-lite"), ("ep", "8")];
    let found = forecast(&job(&edits));
    let shared = rows(&found, "shared_up");
    assert_close(shared[0].flops.0, 2.0 * T * 2.0 * 2.0 * 1408.0 * 2048.0);
    assert_eq!(shared[0].count, 26.0);
    let dense = rows(&found, "mlp_up");
    assert_close(dense[0].flops.0, 2.0 * T * 2.0 * 10_944.0 * 2048.0);
    assert_eq!((dense[0].count, rows(&found, "router")[0].count), (1.0, 26.0));
    let found = forecast(&job(&[("m", "llama4-maverick"), ("ep", "8")]));
    assert_eq!((rows(&found, "mlp_up")[0].count, rows(&found, "expert_up")[0].count), (24.0, 24.0));
}

/// A stack that keeps single products alone (torchtitan) runs all of the routed experts again, but exchanges nothing a second
/// time: what arrived is kept, where it came from other ranks.
#[test]
fn grouped_products_run_again_where_single_ones_are_kept() {
    let edits = [("stack", "torchtitan"), ("zero", "3"), ("rc", "selective")];
    let of = |ranks: &str| job(&[&edits[..], &[("ep", ranks)]].concat());
    let found = forecast(&of("2"));
    let routed =
        ["router_top_k", "token_permute", "expert_up", "expert_activation", "expert_down", "token_unpermute"];
    for name in routed {
        let rows = rows(&found, name);
        let again: Vec<_> = rows.iter().filter(|row| row.pass == Pass::Recompute).collect();
        assert_eq!(again.len(), 1, "{name}");
        assert_close(again[0].time.0, rows[0].time.0);
    }
    for name in ["token_dispatch", "token_combine", "qkv_projection", "attention_core"] {
        assert!(rows(&found, name).iter().all(|row| row.pass != Pass::Recompute), "{name}");
    }
    // Half of what is left of the layer.
    let left: f64 = found
        .operators
        .iter()
        .filter(|row| row.pass == Pass::Forward && row.count == 32.0 && row.parallelism.is_none())
        .filter(|row| !routed.contains(&row.name))
        .map(|row| row.time.0)
        .sum();
    assert_close(rows(&found, "selective_recompute")[0].time.0, 0.5 * left);
    // Kept of a layer: queries and values, context and statistics, its input, scores, and 16-bit copies of the tokens that
    // arrived, two each.
    let kept = |ranks| {
        let of_layers = |layers: u32| {
            let mut job = of(ranks);
            job.model.layers = layers;
            stepcast::memory::stage_memory(&job, 0).activations.0
        };
        (of_layers(32) - of_layers(16)) / 16.0
    };
    let attention = 2.0 * (H + 1024.0) + 2.0 * H + 4.0 * 32.0;
    let rest = attention + 2.0 * H + 4.0 * 8.0;
    assert_close(kept("2"), T * (rest + 2.0 * 2.0 * H));
    assert_close(kept("1"), T * (rest - 4.0 * 8.0));
}

/// One-hot masks bring tokens to rows of a given capacity and back: 2 T h s k c FLOPs each way, for T tokens of sequences of s
/// and k experts a token, whatever their number; back through the masks once, and twice where they carry the gate's weights.
/// All experts compute their capacity, and it is what travels.
#[test]
fn masks_cost_a_product_with_the_sequence() {
    for (kernels, capacity) in [("one-hot", 1.0), ("one-hot-1.25", 1.25)] {
        let found = forecast(&job(&[("xk", kernels), ("stack", "maxtext"), ("zero", "3"), ("rc", "full")]));
        let flops = |name: &str, pass: Pass| -> f64 {
            rows(&found, name).iter().filter(|row| row.pass == pass).map(|row| row.flops.0).sum()
        };
        let mask = 2.0 * T * H * 4096.0 * 2.0 * capacity;
        for pass in [Pass::Forward, Pass::Recompute, Pass::InputGradient] {
            assert_close(flops("dispatch_mask", pass), mask);
            assert_close(flops("combine_mask", pass), mask);
        }
        assert_close(flops("dispatch_mask", Pass::WeightGradient), 0.0);
        assert_close(flops("combine_mask", Pass::WeightGradient), mask);
        assert_close(flops("expert_up", Pass::Forward), capacity * 2.0 * 2.0 * T * 2.0 * F * H);
        let sent = rows(&found, "token_dispatch")[0].bytes.0;
        assert_close(sent, capacity * 2.0 * H * 2.0 * T * 7.0 / 8.0);
        // Masks of twice the sequence have twice the entries a token, and sequences half as many.
        let longer = forecast(&job(&[("xk", kernels), ("stack", "maxtext"), ("seq", "8192"), ("gb", "8")]));
        assert_close(rows(&longer, "dispatch_mask")[0].flops.0, 4.0 * mask);
    }
    assert!(rows(&forecast(&job(&[])), "dispatch_mask").is_empty());
}

/// A job says whether its experts are balanced by force, whatever its software's published runs do: even, no rank has more than
/// another; as learned, the fullest sets the pace on the software of benchmarks, too, and more so where nothing balances a gate.
#[test]
fn routing_is_even_learned_or_unbalanced() {
    let flops = |edits: &[(&str, &str)]| rows(&forecast(&job(edits)), "expert_up")[0].flops.0;
    for stack in ["nemo", "fused"] {
        let (even, learned) =
            (flops(&[("stack", stack), ("xr", "even")]), flops(&[("stack", stack), ("xr", "learned")]));
        assert_close(
            learned / even,
            1.0 + Constants::SHIPPED.expert_skew_final * (2.0 * 8.0_f64.ln()).sqrt(),
        );
        let unbalanced = flops(&[("stack", stack), ("xr", "unbalanced")]);
        assert_close(
            unbalanced / even,
            1.0 + Constants::SHIPPED.expert_skew_initial * (2.0 * 8.0_f64.ln()).sqrt(),
        );
        let usual = flops(&[("stack", stack)]);
        assert_close(usual, if stack == "nemo" { even } else { learned });
    }
}

/// Experts' biases in PyTorch's own operators: a row of each is gathered for every copy of a token and added, 8 bytes an output of
/// both projections, and its gradient summed, 2; compiled programs add them as they read. Liger's kernels route no tokens: layers
/// with them route as plainly, and weight outputs in the 16 bits of Transformers' gates. GPT-OSS's clamped unit takes 32 bytes an element of its width, Mixtral's 10.
#[test]
fn biases_of_experts_are_gathered_added_and_summed() {
    let moved = |edits: &[(&str, &str)], name: &str, pass: Pass| {
        let base = [("m", "gpt-oss-120b"), ("ep", "1"), ("zero", "3"), ("year", "2026")];
        let found = forecast(&job(&[&base[..], edits].concat()));
        rows(&found, name).iter().find(|row| row.pass == pass).map_or(0.0, |row| row.bytes.0)
    };
    let width = 2880.0;
    let copies = 4.0 * T;
    let outputs = copies * (2.0 * width + width);
    for plain in [&[("stack", "eager")][..], &[("stack", "eager"), ("ew", "fused")]] {
        assert_close(moved(plain, "expert_bias", Pass::Forward), 8.0 * outputs);
        assert_close(moved(plain, "expert_bias", Pass::Backward), 2.0 * outputs);
        assert_close(moved(plain, "token_unpermute", Pass::Forward), 10.0 * copies * width);
        assert_close(moved(plain, "token_unpermute", Pass::Backward), 20.0 * copies * width);
    }
    let compiled = [("stack", "torchtitan")];
    assert_close(moved(&compiled, "expert_bias", Pass::Forward), 0.0);
    assert_close(moved(&compiled, "expert_bias", Pass::Backward), 2.0 * outputs);
    assert_close(moved(&[("stack", "eager")], "expert_activation", Pass::Forward), 32.0 * copies * width);
    let mixtral = [("m", "mixtral-8x7b"), ("stack", "eager")];
    assert_close(moved(&mixtral, "expert_activation", Pass::Forward), 10.0 * 2.0 * T * F);
}

/// torchtitan compiled its layers' modules and left what stands between them to PyTorch until April 2026: tokens go to their experts and
/// back operation by operation, while the experts themselves are compiled.
#[test]
fn routing_between_compiled_modules_is_plain() {
    let found = |month| {
        let edits = [("stack", "torchtitan"), ("zero", "3"), ("year", "2026"), ("month", month), ("ep", "1")];
        forecast(&job(&[&edits[..], &[("m", "gpt-oss-120b")]].concat()))
    };
    let copies = 4.0 * T * 2880.0;
    let moved = |found: &Prediction, name: &str| {
        rows(found, name).iter().find(|row| row.pass == Pass::Forward).map_or(0.0, |row| row.bytes.0)
    };
    let (before, after) = (found("3"), found("4"));
    // Until then copies were gathered twice, the second time from among themselves and a row of zeros.
    assert_close(moved(&before, "token_permute"), (4.0 + 4.0 + 4.0) * copies);
    assert_close(moved(&before, "token_unpermute"), (26.0 + 4.0) * copies);
    assert!(moved(&after, "token_unpermute") < 10.0 * copies);
    assert_close(moved(&before, "expert_activation"), 6.0 * copies);
    assert_close(moved(&before, "expert_bias"), 0.0);
}

/// torchtitan's plain PyTorch brings tokens to their experts and back operation by operation: rows gathered, 4 bytes an element; outputs cast
/// to 32 bits, weighted and cast back, 20, and added up in the order of the copies, as the gradient of a gather is, which takes 5.3 times as long as the
/// gather; backward that gradient and a sum of both projections' gradients, 6, and 40. A second order, where experts share a rank, gathers once more
/// and puts back. Before April 2026 there was a second one in any case, with a row of zeros (4, and 6 backward), and `scatter_add` (6).
#[test]
fn plain_routing_moves_every_operations_bytes() {
    let edits = [("stack", "torchtitan"), ("year", "2026"), ("zero", "3"), ("comp", "0")];
    let gradient = 5.3 * 4.0;
    for (month, ep, again, zeros, sum) in [
        ("6", "1", 0.0, [0.0, 0.0], gradient),
        ("6", "8", 0.0, [0.0, 0.0], gradient),
        ("6", "2", 1.0, [0.0, 0.0], gradient),
        ("3", "1", 1.0, [4.0, 6.0], 6.0),
        ("3", "2", 1.0, [4.0, 6.0], 6.0),
    ] {
        let found = forecast(&job(&[&edits[..], &[("ep", ep), ("month", month)]].concat()));
        let moved = |name: &str, pass: Pass| {
            rows(&found, name).iter().find(|row| row.pass == pass).map_or(0.0, |row| row.bytes.0)
        };
        let elements = 2.0 * T * H;
        assert_close(moved("token_permute", Pass::Forward), elements * (4.0 * (1.0 + again) + zeros[0]));
        assert_close(
            moved("token_permute", Pass::Backward),
            elements * (gradient * (1.0 + again) + zeros[1] + 6.0),
        );
        assert_close(moved("token_unpermute", Pass::Forward), elements * (20.0 + sum + 4.0 * again));
        assert_close(moved("token_unpermute", Pass::Backward), elements * (40.0 + 4.0 * again));
    }
}
