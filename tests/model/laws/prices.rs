//! Prices of single operators: finite, and never less for more.
//!
//! Exact for every size but these, where another kernel or protocol takes over and is known to be the better one:
//! - heads whose queries are wider than their values have kernels of their own, measured to be slower than those of
//!   equal widths, so a wider value is a size of its own;
//! - grouped products have kernels of their own, which read their operands at another rate than single ones;
//! - products of rows that are not aligned to 16 bytes have slower kernels, so alignment is held as it is;
//! - products of heads of separate kernels run without tensor cores unless the width is a multiple of 8;
//! - a ring of more ranks carries a larger tensor in the low-latency protocol, and a whole node adds up in its switch:
//!   more ranks are held to the law where neither sets in.

use proptest::prelude::*;
use stepcast::constants::Constants;
use stepcast::cost::{AttentionCore, Collective, Gemm, GroupPlacement, Rates, Work};
use stepcast::scenario::Scenario;
use stepcast::scenario::cluster::ScaleUpTopology;

use crate::laws::{CASES, ROUNDING, runner};
use crate::scenarios::scenarios;

/// Operators that are priced on each machine.
const WORKS: usize = 16;

/// Sizes from 1 to this, every order of magnitude as likely as another.
fn size(most: f64) -> impl Strategy<Value = f64> {
    (0.0..1.0f64).prop_map(move |place| (place * most.ln()).exp().round())
}

fn seconds(rates: &Rates<'_>, work: Work) -> f64 {
    rates.price(&work).time.0
}

/// Tries a law on random machines, a number of operators on each.
fn hold<T: std::fmt::Debug>(
    operators: impl Strategy<Value = T>,
    law: impl Fn(&Rates<'_>, &Scenario, &T) -> Result<(), String>,
) {
    let tried = (scenarios(), prop::collection::vec(operators, 1..=WORKS));
    let result = runner(CASES).run(&tried, |(drawn, operators)| {
        let rates = Rates::new(&drawn.scenario, &Constants::SHIPPED);
        let mut all = operators.iter();
        all.try_for_each(|operator| law(&rates, &drawn.scenario, operator)).map_err(TestCaseError::fail)
    });
    if let Err(error) = result {
        panic!("{error}");
    }
}

/// More costs no less: compares a work with a larger one.
fn no_cheaper(rates: &Rates<'_>, what: &str, work: Work, larger: Work) -> Result<(), String> {
    let (before, after) = (seconds(rates, work), seconds(rates, larger));
    if !(before.is_finite() && before >= 0.0) {
        return Err(format!("{work:?} takes {before} s"));
    }
    if after >= before * (1.0 - ROUNDING) {
        return Ok(());
    }
    Err(format!(
        "more {what}: {before} s become {after} s, {:+.3} %: {work:?}",
        100.0 * (after / before - 1.0)
    ))
}

/// A size by a factor, and by one.
fn grown(size: f64, factor: f64) -> [f64; 2] {
    [size * factor, size + 1.0]
}

#[test]
fn larger_products_cost_no_less() {
    let sizes = (size(1e6), size(1e6), size(1e6), size(300.0));
    hold((sizes, any::<bool>(), any::<bool>(), 1.0..4.0f64), |rates, _, case| {
        let ((m, n, k, groups), low_precision, accumulates, factor) = *case;
        let gemm = Gemm { m, n, k, low_precision, accumulates, groups, unaligned: false };
        let price = |what, larger| no_cheaper(rates, what, Work::Gemm(gemm), Work::Gemm(larger));
        grown(m, factor).into_iter().try_for_each(|m| price("m", Gemm { m, ..gemm }))?;
        grown(n, factor).into_iter().try_for_each(|n| price("n", Gemm { n, ..gemm }))?;
        grown(k, factor).into_iter().try_for_each(|k| price("k", Gemm { k, ..gemm }))?;
        if groups == 1.0 {
            return Ok(());
        }
        grown(groups, factor).into_iter().try_for_each(|groups| price("groups", Gemm { groups, ..gemm }))
    });
}

#[test]
fn larger_attention_costs_no_less() {
    let sizes = (size(1e6), size(1e6), size(256.0), 1u32..64, 1u32..64);
    let share = prop_oneof![0.01..1.0f64, Just(1.0), Just(2.0)];
    hold((sizes, share, any::<bool>(), 1.0..4.0f64), |rates, _, case| {
        let ((tokens, keys, heads, query, value), pairs, backward, factor) = *case;
        let (head_dim, value_dim) = (8.0 * f64::from(query), 8.0 * f64::from(value));
        let core = AttentionCore {
            tokens,
            keys,
            heads,
            head_dim,
            value_dim,
            pairs,
            reads_mask: false,
            gathers: false,
            score_bytes: 11.0,
            backward,
        };
        let price = |what, larger| no_cheaper(rates, what, Work::Attention(core), Work::Attention(larger));
        grown(tokens, factor)
            .into_iter()
            .try_for_each(|tokens| price("tokens", AttentionCore { tokens, ..core }))?;
        grown(keys, factor).into_iter().try_for_each(|keys| price("keys", AttentionCore { keys, ..core }))?;
        grown(heads, factor)
            .into_iter()
            .try_for_each(|heads| price("heads", AttentionCore { heads, ..core }))?;
        price("pairs", AttentionCore { pairs: (pairs * factor).clamp(pairs, 2.0), ..core })?;
        price("pairs", AttentionCore { pairs: 2.0, ..core })?;
        price("query width", AttentionCore { head_dim: head_dim + 8.0, ..core })?;
        // Equal widths, on both sides.
        let square = AttentionCore { value_dim: head_dim, ..core };
        let wider = AttentionCore { head_dim: head_dim + 8.0, value_dim: head_dim + 8.0, ..core };
        no_cheaper(rates, "width", Work::Attention(square), Work::Attention(wider))?;
        if value_dim + 8.0 < head_dim || value_dim >= head_dim {
            price("value width", AttentionCore { value_dim: value_dim + 8.0, ..core })?;
        }
        Ok(())
    });
}

#[test]
fn longer_streams_cost_no_less() {
    hold((size(1e13), size(100.0), 1.0..4.0f64), |rates, _, &(bytes, kernels, factor)| {
        for bytes_more in grown(bytes, factor) {
            let (work, larger) =
                (Work::Stream { bytes, kernels }, Work::Stream { bytes: bytes_more, kernels });
            no_cheaper(rates, "bytes", work, larger)?;
            let (work, larger) =
                (Work::Scatter { bytes, kernels }, Work::Scatter { bytes: bytes_more, kernels });
            no_cheaper(rates, "bytes", work, larger)?;
            let (work, larger) = (Work::Cast { bytes, kernels }, Work::Cast { bytes: bytes_more, kernels });
            no_cheaper(rates, "bytes", work, larger)?;
        }
        let larger = Work::Stream { bytes, kernels: kernels + 1.0 };
        no_cheaper(rates, "kernels", Work::Stream { bytes, kernels }, larger)
    });
}

fn kinds() -> impl Strategy<Value = Collective> {
    prop::sample::select(Collective::ALL.to_vec())
}

/// Without all-to-all: the more ranks share a tensor, the less each sends the others of its domain.
fn kinds_of_whole_tensors() -> impl Strategy<Value = Collective> {
    kinds().prop_filter("whole tensors", |kind| *kind != Collective::AllToAll)
}

fn groups() -> impl Strategy<Value = GroupPlacement> {
    let stride = prop_oneof![Just(1u32), 1u32..9, 1u32..600];
    (1u32..600, stride, 1u32..80)
        .prop_map(|(size, stride, domain)| GroupPlacement::strided(size, stride, domain))
}

#[test]
fn larger_messages_cost_no_less() {
    hold((kinds(), groups(), size(1e12), 1.0..4.0f64), |rates, _, &(kind, group, bytes, factor)| {
        for more in [bytes * 1.001, bytes * factor, bytes + 1.0] {
            let work = Work::Collective { kind, bytes, group };
            no_cheaper(rates, "bytes", work, Work::Collective { kind, bytes: more, group })?;
            let work = |bytes, across| Work::Dispatch { bytes, across, group };
            no_cheaper(rates, "bytes", work(bytes, 0.5), work(more, 0.5))?;
            no_cheaper(rates, "crossing", work(bytes, 0.5), work(bytes, 1.0))?;
        }
        Ok(())
    });
}

/// Size of a tensor that goes all by the bulk protocol over the largest that the low-latency one carries
/// (`cost/collective.rs`).
const OCTAVE: f64 = 2.0;

/// More domains of as many ranks each, and more ranks of one domain.
#[test]
fn larger_groups_cost_no_less() {
    let shape = (1u32..73, 1u32..200, 1u32..4);
    hold(
        (kinds_of_whole_tensors(), shape, size(1e12)),
        |rates, scenario, &(kind, (inside, domains, more), bytes)| {
            let group = |inside: u32, domains: u32| GroupPlacement::strided(inside * domains, 1, inside);
            let work = |inside, domains| Work::Collective { kind, bytes, group: group(inside, domains) };
            // A transfer crosses the network or it does not, and the network may be the faster of the two.
            if domains > 1 || kind != Collective::PointToPoint {
                no_cheaper(rates, "domains", work(inside, domains), work(inside, domains + more))?;
            }
            // Within one protocol, and on one side of the ranks from which a switch adds up. More ranks of a mesh have more links.
            let many = inside + more;
            let carried = (scenario.cluster.gpu.family.generation().scale_up_switch)(&Constants::SHIPPED);
            let bulk = bytes >= OCTAVE * carried * f64::from(many) || kind == Collective::PointToPoint;
            let switch = kind == Collective::AllReduce && inside < 8 && many >= 8;
            let mesh = scenario.cluster.scale_up.topology == ScaleUpTopology::Mesh;
            if bulk && !switch && !mesh {
                no_cheaper(rates, "ranks", work(inside, 1), work(many, 1))?;
            }
            Ok(())
        },
    );
}
