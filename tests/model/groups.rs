//! Where groups of ranks lie in scale-up domains, against every group counted out, and what that costs.

use proptest::prelude::*;
use std::collections::BTreeSet;
use stepcast::cost::GroupPlacement;
use stepcast::document::Document;
use stepcast::scenario::Scenario;
use stepcast::step::Groups;

fn scenario(edits: &[(&str, &str)]) -> Scenario {
    let mut document = Document::default();
    edits.iter().for_each(|(key, text)| document.set(key, text));
    document.scenario().unwrap_or_else(|errors| panic!("{errors:?}"))
}

/// Most domains that one of the groups tiling a long row of GPUs meets.
fn counted(size: u32, stride: u32, domain: u32, blocks: u32) -> usize {
    let starts = (0..blocks).flat_map(|block| (0..stride).map(move |offset| block * size * stride + offset));
    let met =
        |start: u32| (0..size).map(|rank| (start + rank * stride) / domain).collect::<BTreeSet<_>>().len();
    starts.map(met).max().expect("a group")
}

proptest! {
    #[test]
    fn packed_groups_meet_as_many_domains_as_counted(size in 1..20u32, stride in 1..20u32, domain in 1..20u32, blocks in 1..30u32) {
        let group = GroupPlacement::packed(size, stride, domain, blocks * size * stride);
        prop_assert_eq!(group.domains() as usize, counted(size, stride, domain, blocks));
        prop_assert!((group.in_domain * group.domains() - f64::from(size)).abs() < 1e-9);
    }

    /// Groups that never lie across a border when left-over GPUs stay free.
    #[test]
    fn strided_groups_take_as_few_domains_as_hold_them(size in 1..300u32, stride in 1..80u32) {
        let group = GroupPlacement::strided(size, stride, 72);
        let held = (72 / stride).max(1);
        prop_assert_eq!(group.domains() as u32, size.div_ceil(held));
        prop_assert!(group.in_domain <= f64::from(held));
    }
}

/// NVL72: groups of 8 fill it, groups of 16 leave 8 GPUs free, 256 ranks take 64 of each of four racks.
#[test]
fn groups_on_nvl72_stay_inside_it() {
    let job = |edits: &[(&str, &str)]| {
        let base =
            [("m", "llama3-405b"), ("g", "gb200-nvl72"), ("gb", "1152"), ("pp", "1"), ("split", "even")];
        Groups::new(&scenario(&[&base[..], edits].concat()))
    };
    let rack = job(&[("n", "72"), ("tp", "8")]);
    assert_eq!((rack.tensor.domains(), rack.tensor.in_domain), (1.0, 8.0));
    assert_eq!((rack.data.domains(), rack.data.in_domain), (1.0, 9.0));
    let wide = job(&[("n", "128"), ("tp", "16"), ("gb", "1024")]);
    assert_eq!((wide.tensor.domains(), wide.tensor.in_domain), (1.0, 16.0));
    assert_eq!((wide.data.domains(), wide.data.in_domain), (2.0, 4.0));
    let whole = job(&[("n", "256"), ("tp", "1"), ("sp", "0"), ("gb", "1024"), ("zero", "3")]);
    assert_eq!((whole.shard.domains(), whole.shard.in_domain), (4.0, 64.0));
}

/// Machines of 8: a tensor-parallel group of 5 lies across two of them, as the second of every five does.
#[test]
fn groups_lie_across_machines_when_they_do_not_divide() {
    let edits = [("m", "qwen2.5-32b"), ("n", "40"), ("tp", "5"), ("sp", "0"), ("pp", "1"), ("gb", "8")];
    let mut across = scenario(&[&edits[..], &[("ffn", "27640"), ("kv", "40")]].concat());
    let groups = Groups::new(&across);
    assert_eq!((groups.tensor.domains(), groups.tensor.in_domain), (2.0, 2.5));
    let slow = stepcast::forecast::Predictor::SHIPPED
        .predict(&across)
        .expect("legal")
        .breakdown
        .tensor_communication;
    across.cluster.scale_up.domain = 40;
    across.cluster.gpus_per_node = 40;
    let fast = stepcast::forecast::Predictor::SHIPPED
        .predict(&across)
        .expect("legal")
        .breakdown
        .tensor_communication;
    assert_eq!(Groups::new(&across).tensor.domains(), 1.0);
    assert!(slow > fast * 2.0, "{slow:?} {fast:?}");
}
