//! Where the scale-up fabric ends: PCIe and Infinity Fabric links at the host, NVLink there too but in racks of NVLink switches.

use crate::support::{assert_close, forecast};
use stepcast::document::Document;
use stepcast::scenario::Scenario;
use stepcast::scenario::cluster::presets::CLUSTERS;

/// Eight H100 in four hosts with a port of 25 Gb/s each, and four A10 in four hosts with one of 1 Gb/s.
const H100: &str = "#1;m=llama3-8b;g=dgx-h100;n=8;node=2;nics=1;nic=25;net=tcp;tp=1;sp=0;pp=1;zero=3;stack=eager;\
    seq=4096;mb=1;gb=8;rc=full";
const A10: &str = "#1;m=llama3-8b;g=a10-pcie;n=4;node=1;nics=1;nic=1;net=tcp;tp=1;sp=0;pp=1;zero=3;\
    stack=deepspeed-zero3;seq=1024;mb=1;gb=4;rc=full;lora=8";

fn opened(link: &str) -> Document {
    Document::from_link(link).unwrap_or_else(|error| panic!("{link}: {error}")).document
}

#[track_caller]
fn job(link: &str) -> Scenario {
    opened(link).scenario().unwrap_or_else(|errors| panic!("{link}: {errors:?}"))
}

fn step(link: &str) -> f64 {
    forecast(&job(link)).step.0
}

/// With full shards every rank fetches all but its own eighth of the 16-bit weights twice a step (forward, and again for
/// backward with recomputation) and sends as much of gradients, and two ranks share a port. No schedule is faster than the port.
#[test]
fn hosts_smaller_than_a_machine_of_the_list_speak_over_their_network() {
    let weights = 2.0 * 8.03e9;
    let port = 25e9 / 8.0;
    // Of what the eight ranks hold, three quarters are in other hosts: each host takes that in once per collective at least.
    let least = 3.0 * weights * 0.75 / port;
    let over_network = step(H100);
    assert!(over_network > least && over_network < 4.0 * least, "{over_network} s, at least {least}");
    assert_close(over_network, step(&format!("{H100};domain=2")));
    // An adapter's gradients are small: weights are fetched alone, through ports of 1 Gb/s.
    let least = 2.0 * weights * 0.75 / (1e9 / 8.0);
    let over_network = step(A10);
    assert!(over_network > least && over_network < 4.0 * least, "{over_network} s, at least {least}");
    assert_close(over_network, step(&format!("{A10};domain=1")));
}

#[test]
fn a_faster_network_shortens_a_step_on_small_hosts_of_every_machine() {
    for machine in CLUSTERS {
        let cluster = machine.cluster;
        let half = cluster.gpus_per_node / 2;
        let is_rack = cluster.scale_up.domain > cluster.gpus_per_node;
        if half == 0 {
            continue;
        }
        let on = |rate: u32| {
            format!(
                "#1;m=llama3-8b;g={};n={};node={half};nics=1;nic={rate};net=tcp;tp=1;sp=0;pp=1;zero=3;stack=eager;prec=fp16;seq=4096;gb=64",
                machine.name,
                2 * half
            )
        };
        let gain = step(&on(1)) / step(&on(400));
        assert_eq!(gain > 2.0, !is_rack, "{}: {gain}", machine.name);
    }
}

/// Two of a board of four have one of its three links between them, as in [`ScaleUpTopology::Mesh`].
///
/// [`ScaleUpTopology::Mesh`]: stepcast::scenario::cluster::ScaleUpTopology
#[test]
fn part_of_a_mesh_keeps_its_links() {
    let [whole, part] =
        ["", ";node=2"].map(|edit| job(&format!("#1;m=llama3-8b;g=perlmutter;n=8;tp=2;pp=1{edit}")));
    assert_close(part.cluster.scale_up.bandwidth.0, whole.cluster.scale_up.bandwidth.0 / 3.0);
    assert_close(part.cluster.scale_up.pair_bandwidth().0, whole.cluster.scale_up.pair_bandwidth().0);
}

#[test]
fn a_domain_that_is_stated_holds_where_the_fabric_can_join_hosts() {
    let domain = |link: &str| job(link).cluster.scale_up.domain;
    let tail = "n=64;tp=1;sp=0;pp=1";
    assert_eq!(domain(&format!("#1;m=llama3-8b;g=gb200-nvl72;{tail}")), 72);
    assert_eq!(domain(&format!("#1;m=llama3-8b;g=gb200-nvl72;node=2;{tail}")), 72);
    assert_eq!(domain(&format!("#1;m=llama3-8b;g=dgx-h100;node=4;domain=32;{tail}")), 32);
    assert_eq!(domain(&format!("#1;m=llama3-8b;g=custom;node=4;{tail}")), 4);
    assert_eq!(domain(&format!("#1;m=llama3-8b;g=custom;node=4;domain=8;{tail}")), 8);
    assert_eq!(domain(&format!("#1;m=llama3-8b;g=dgx-h100;node=16;{tail}")), 8);
    for fabric in ["pcie", "pcie-host", "xgmi"] {
        assert_eq!(domain(&format!("#1;m=llama3-8b;g=gb200-nvl72;fabric={fabric};{tail}")), 4);
    }
}

#[test]
fn a_scenario_with_pcie_between_hosts_is_refused() {
    let mut scenario = job("#1;m=llama3-8b;g=l4;n=16;tp=1;sp=0;pp=1");
    scenario.cluster.gpus_per_node = 4;
    let errors = scenario.validate().expect_err("a refusal");
    assert_eq!((errors[0].field, errors[0].suggestions.clone()), ("domain", vec!["4".to_owned()]));
}

#[test]
fn the_form_says_where_the_fabric_ends() {
    let document = opened("#1;m=llama3-8b;g=perlmutter;n=8;node=2;tp=2;pp=1");
    let echo = |key| document.echo(key).unwrap_or_default();
    assert_eq!(echo("domain"), "2 GPUs: this fabric is limited to a node");
    assert_eq!(echo("link"), "100 GB/s between the 2 GPUs of a node");
    // The texts stay as typed, so that more GPUs in a node bring the whole fabric back.
    let mut back = document.clone();
    back.set("node", "4");
    assert_eq!((back.echo("domain"), back.scenario().expect("legal").cluster.scale_up.domain), (None, 4));
    assert_eq!(opened(&document.to_link()), document);
}
