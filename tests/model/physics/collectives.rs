//! Collectives: a start-up time and bytes over a rate, with links whose constants are set by hand.

use crate::support::{assert_close, scenario};
use stepcast::constants::Constants;
use stepcast::cost::{Bound, Collective, GroupPlacement, Price, Rates, Work};
use stepcast::scenario::Scenario;
use stepcast::scenario::cluster::{ScaleUpKind, ScaleUpTopology};

/// Rate of one GPU on the scale-up fabric: half of 450 GB/s.
const LINK: f64 = 225e9;
/// What a GPU has of the network: 0.8 of 400 Gb/s.
const PORT: f64 = 40e9;
/// Bytes at which a message takes twice its asymptotic time: 225 GB/s in 10 us; set for the network.
const LINK_HALF: f64 = 2.25e6;
const PORT_HALF: f64 = 1e6;

/// Round numbers for every constant of the links.
fn constants() -> Constants {
    Constants {
        scale_up_efficiency_hopper: 0.5,
        scale_up_small_group_loss_hopper: 0.4,
        scale_up_small_group_reduce: 0.5,
        scale_up_nvls_gain_hopper: 1.25,
        scale_up_switch_hopper: 1e6,
        scale_up_low_latency_ratio: 0.25,
        scale_up_latency_hopper: 4e-6,
        scale_up_latency_bulk: 2.0,
        scale_up_hop_latency: 1e-6,
        scale_up_fill_hopper: 2e-6,
        scale_up_ramp_hopper: 1e-5,
        network_efficiency_infiniband: 0.8,
        network_latency: 20e-6,
        network_half_size: PORT_HALF,
        tier_overlap_loss: 0.25,
        tier_overlap_loss_pcie: 0.75,
        all_to_all_ratio: 0.9,
        all_to_all_half: 4e6,
        all_to_all_fill: 3e-6,
        dispatcher_ratio: 0.8,
        ..Constants::SHIPPED
    }
}

/// 128 H100 in machines of 8, on a network that never blocks.
fn machine() -> Scenario {
    let mut scenario = scenario(&[("m", "llama3-8b"), ("g", "dgx-h100"), ("n", "128"), ("pp", "1")]);
    scenario.cluster.network.oversubscription = 1.0;
    scenario
}

fn price(scenario: &Scenario, kind: Collective, bytes: f64, group: GroupPlacement) -> Price {
    Rates::new(scenario, &constants()).price(&Work::Collective { kind, bytes, group })
}

/// A group of ranks that are `stride` GPUs apart, in machines of 8.
fn group(size: u32, stride: u32) -> GroupPlacement {
    GroupPlacement::strided(size, stride, 8)
}

/// Time that so many bytes take on a link on which a message of `half` bytes takes twice as long.
fn flow(bytes: f64, rate: f64, half: f64, message: f64) -> f64 {
    bytes / rate * (1.0 + (half / message).sqrt())
}

/// A ring of k ranks passes (k-1)/k of the tensor on, once to gather or scatter and twice to all-reduce, after the
/// first bytes have gone around. Of what ranks copy for themselves, 0.4/k of the rate is lost, half of it where the
/// ring adds up; a whole node's switch adds up 1.25 times faster.
#[test]
fn rings_in_one_machine_pass_on_all_but_their_own_part() {
    let scenario = machine();
    let bytes = 64e6;
    for (kind, ranks, times, rate) in [
        (Collective::AllReduce, 8, 2.0, LINK * (1.0 - 0.4 / 8.0 * 0.5) * 1.25),
        (Collective::AllReduce, 4, 2.0, LINK * (1.0 - 0.4 / 4.0 * 0.5)),
        (Collective::AllReduce, 2, 2.0, LINK * (1.0 - 0.4 / 2.0 * 0.5)),
        (Collective::AllGather, 8, 1.0, LINK * (1.0 - 0.4 / 8.0)),
        (Collective::AllGather, 4, 1.0, LINK * (1.0 - 0.4 / 4.0)),
        (Collective::ReduceScatter, 8, 1.0, LINK * (1.0 - 0.4 / 8.0)),
        (Collective::ReduceScatter, 2, 1.0, LINK * (1.0 - 0.4 / 2.0)),
    ] {
        let k = f64::from(ranks);
        let wire = times * bytes * (k - 1.0) / k;
        let filled: f64 = times * (k - 1.0) * 2e-6;
        let flowing = flow(wire, rate, LINK_HALF, times * bytes);
        let found = price(&scenario, kind, bytes, group(ranks, 1));
        assert_close(found.time.0, filled.hypot(flowing) + 8e-6);
        assert_close(found.bytes.0, wire);
        assert_eq!((found.bound, found.flops.0), (Bound::ScaleUp, 0.0));
    }
}

/// Up to a megabyte per rank the low-latency protocol carries it where it is the faster one: nine tenths of the rate
/// here, no ramp, half the start. From twice that size on the bulk protocol does, and in between time goes over from
/// the one to the other by octaves.
#[test]
fn small_messages_take_the_protocol_of_low_latency() {
    let scenario = machine();
    let constants = Constants { scale_up_low_latency_ratio: 0.9, ..constants() };
    let time = |kind, bytes, group| {
        Rates::new(&scenario, &constants).price(&Work::Collective { kind, bytes, group }).time.0
    };
    let low = |bytes: f64, k: f64, times: f64| {
        let flowing = times * bytes * (k - 1.0) / k / (0.9 * LINK);
        (times * (k - 1.0) * 1e-6).hypot(flowing) + 4e-6
    };
    for (kind, bytes, ranks, times) in [
        (Collective::AllReduce, 1e4, 8, 2.0),
        (Collective::AllReduce, 8e6, 8, 2.0),
        (Collective::AllGather, 4e6, 4, 1.0),
        (Collective::ReduceScatter, 1e6, 2, 1.0),
    ] {
        assert_close(time(kind, bytes, group(ranks, 1)), low(bytes, f64::from(ranks), times));
    }
    let pair = |bytes| time(Collective::AllGather, bytes, group(2, 1));
    let bulk = |bytes| 2e-6_f64.hypot(flow(0.5 * bytes, LINK * 0.8, LINK_HALF, bytes)) + 8e-6;
    assert!(bulk(2e6) > 1.2 * low(2e6, 2.0, 1.0));
    assert_close(pair(2e6), low(2e6, 2.0, 1.0));
    let half_way = 2e6 * 2.0_f64.sqrt();
    assert_close(pair(half_way), 0.5 * (low(half_way, 2.0, 1.0) + bulk(half_way)));
    assert_close(pair(4e6), bulk(4e6));
    assert_close(pair(4e7), bulk(4e7));
    // At a quarter of the rate the bulk protocol is the faster one long before.
    let slow = price(&scenario, Collective::AllGather, 2e6, group(2, 1)).time.0;
    assert_close(slow, bulk(2e6));
}

/// Of a mesh of eight GPUs a group has the links between its members: one of seven for two, three for four, all for eight. Two that
/// pass a message on have one, whoever else is in their group. What a rank sends is the same.
#[test]
fn groups_of_a_mesh_have_the_links_between_them() {
    let switch = machine();
    let mut mesh = switch;
    mesh.cluster.scale_up.topology = ScaleUpTopology::Mesh;
    let bytes = 64e6;
    for (kind, ranks, links) in [
        (Collective::AllGather, 2, 1.0),
        (Collective::ReduceScatter, 4, 3.0),
        (Collective::AllGather, 8, 7.0),
        (Collective::AllReduce, 4, 3.0),
    ] {
        let k = f64::from(ranks);
        let (times, share) = if kind == Collective::AllReduce { (2.0, 0.5) } else { (1.0, 1.0) };
        let part = links / 7.0;
        let rate = part * LINK * (1.0 - share * 0.4 / k);
        let flowing = flow(times * bytes * (k - 1.0) / k, rate, part * LINK_HALF, times * bytes);
        let found = price(&mesh, kind, bytes, group(ranks, 1));
        assert_close(found.time.0, (times * (k - 1.0) * 2e-6).hypot(flowing) + 8e-6);
        assert_close(found.bytes.0, price(&switch, kind, bytes, group(ranks, 1)).bytes.0);
    }
    let hop = price(&mesh, Collective::PointToPoint, bytes, group(8, 1)).time.0;
    assert_close(hop, flow(bytes, LINK / 7.0 * 0.8, LINK_HALF / 7.0, bytes) + 8e-6);
    // Only a switch adds up: eight of a mesh all-reduce at the rate of their rings.
    let rate = LINK * (1.0 - 0.4 / 8.0 * 0.5);
    let flowing = flow(2.0 * bytes * 7.0 / 8.0, rate, LINK_HALF, 2.0 * bytes);
    let whole = price(&mesh, Collective::AllReduce, bytes, group(8, 1)).time.0;
    assert_close(whole, (2.0 * 7.0 * 2e-6_f64).hypot(flowing) + 8e-6);
    // Between machines the fabric matters no less: two ranks in each have one link.
    let apart = |scenario: &Scenario| price(scenario, Collective::AllGather, bytes, group(4, 4)).time.0;
    assert!(apart(&mesh) > apart(&switch));
}

/// Rings beyond a node's eight ranks fill as trees do: one hop more for every doubling.
#[test]
fn large_domains_fill_as_trees_do() {
    let mut scenario = machine();
    scenario.cluster.scale_up.domain = 64;
    for (ranks, hops) in [(8, 7.0), (16, 8.0), (32, 9.0), (64, 10.0)] {
        let (k, bytes) = (f64::from(ranks), 256e6);
        let flowing = flow(bytes * (k - 1.0) / k, LINK * (1.0 - 0.4 / k), LINK_HALF, bytes);
        let found =
            price(&scenario, Collective::AllGather, bytes, GroupPlacement::strided(ranks, 1, 64)).time.0;
        assert_close(found, flowing.hypot(hops * 2e-6) + 8e-6);
    }
}

/// Over n machines with g ranks in each, every rank's port carries its part of (n-1)/n of the tensor, beside the
/// ring inside; a quarter of the shorter of the two is not hidden. Start-up grows with the doublings of machines.
#[test]
fn several_machines_share_the_tensor_over_their_ports() {
    let scenario = machine();
    let bytes = 512e6;
    for (kind, times, gain) in [(Collective::AllReduce, 2.0, 1.25), (Collective::AllGather, 1.0, 1.0)] {
        for (machines, doublings) in [(2.0, 1.0), (3.0, 3.0_f64.log2()), (4.0, 2.0), (16.0, 4.0)] {
            let k = 8.0 * machines;
            let lost = if times > 1.0 { 0.4 * 0.5 } else { 0.4 };
            let up = flow(
                times * bytes * (k - 1.0) / k,
                LINK * (1.0 - lost / 8.0) * gain,
                LINK_HALF,
                times * bytes,
            )
            .hypot(times * 7.0 * 2e-6);
            let net = flow(times * bytes * (machines - 1.0) / machines, 8.0 * PORT, PORT_HALF, times * bytes);
            let starts = 8e-6 + times * 20e-6 * doublings;
            let found = price(&scenario, kind, bytes, group(k as u32, 1));
            assert_close(found.time.0, up.max(net) + 0.25 * up.min(net) + starts);
            assert_eq!(found.bound, if net > up { Bound::Network } else { Bound::ScaleUp });
        }
    }
    // One rank a machine: nothing but the network.
    let alone = price(&scenario, Collective::AllGather, bytes, group(4, 8));
    assert_close(alone.time.0, flow(bytes * 0.75, PORT, PORT_HALF, bytes) + 40e-6);
    assert_eq!(alone.bound, Bound::Network);
    // On PCIe, three quarters of the shorter stay in sight.
    let mut pcie = scenario;
    pcie.cluster.scale_up.kind = ScaleUpKind::Pcie;
    let constants = Constants { scale_up_efficiency_pcie: 0.5, ..constants() };
    let work = Work::Collective { kind: Collective::AllGather, bytes, group: group(16, 1) };
    let up = flow(bytes * 15.0 / 16.0, LINK * 0.95, LINK_HALF, bytes).hypot(14e-6);
    let net = flow(bytes * 0.5, 8.0 * PORT, PORT_HALF, bytes);
    let found = Rates::new(&pcie, &constants).price(&work).time.0;
    assert_close(found, up.max(net) + 0.75 * up.min(net) + 28e-6);
}

/// Where eight GPUs share four ports, one ring runs through all ranks and leaves a machine once, with (k-1)/k of
/// the tensor at half the rate a GPU.
#[test]
fn shared_ports_carry_one_ring() {
    let mut scenario = machine();
    scenario.cluster.network.nics_per_node = 4;
    let bytes = 512e6;
    let net = flow(bytes * 15.0 / 16.0, 8.0 * PORT / 2.0, PORT_HALF, bytes);
    let up = flow(bytes * 15.0 / 16.0, LINK * 0.95, LINK_HALF, bytes).hypot(14e-6);
    let found = price(&scenario, Collective::AllGather, bytes, group(16, 1)).time.0;
    assert_close(found, net.max(up) + 0.25 * net.min(up) + 28e-6);
}

/// A group under one leaf switch has its ports' rate; one that reaches beyond has it over the oversubscription.
#[test]
fn the_spine_is_oversubscribed() {
    let mut scenario = machine();
    scenario.cluster.network.leaf_nodes = 2;
    scenario.cluster.network.oversubscription = 3.0;
    let found = |size, stride| price(&scenario, Collective::AllGather, 1e9, group(size, stride)).time.0;
    assert_close(found(2, 8), flow(5e8, PORT, PORT_HALF, 1e9) + 20e-6);
    assert_close(found(4, 8), flow(7.5e8, PORT / 3.0, PORT_HALF, 1e9) + 40e-6);
}

/// One neighbour to the next: at the rate of a ring of two inside a machine, at a port's across.
#[test]
fn transfers_go_once() {
    let scenario = machine();
    for bytes in [1e5, 3e7] {
        let inside = price(&scenario, Collective::PointToPoint, bytes, group(4, 1));
        assert_close(inside.time.0, flow(bytes, LINK * (1.0 - 0.4 / 2.0), LINK_HALF, bytes) + 8e-6);
        let across = price(&scenario, Collective::PointToPoint, bytes, group(4, 8));
        assert_close(across.time.0, flow(bytes, PORT, PORT_HALF, bytes) + 20e-6);
        assert_eq!((inside.bytes.0, across.bytes.0), (bytes, bytes));
        assert_eq!((inside.bound, across.bound), (Bound::ScaleUp, Bound::Network));
    }
}

/// All-to-all of k ranks, g in a machine: (g-1)/k of a rank's tensor over the fabric, (k-g)/k over its port, both
/// at once. The communication library's messages ramp up, a dispatcher's kernels do not.
#[test]
fn an_all_to_all_keeps_only_its_own_share() {
    let scenario = machine();
    let bytes = 100e6;
    let exchange = |size| price(&scenario, Collective::AllToAll, bytes, group(size, 1));
    let dispatch = |size, across| {
        let work = Work::Dispatch { bytes, across, group: group(size, 1) };
        Rates::new(&scenario, &constants()).price(&work)
    };
    let near = bytes * 7.0 / 8.0;
    let ramp = 1.0 + (4e6_f64 / bytes).sqrt();
    let inside = exchange(8);
    assert_close(inside.time.0, 3e-6_f64.hypot(near / (LINK * 0.95 * 0.9) * ramp) + 4e-6);
    assert_close(inside.bytes.0, near);
    assert_eq!(inside.bound, Bound::ScaleUp);
    let kernels = dispatch(8, 1.0);
    assert_close(kernels.time.0, 3e-6_f64.hypot(near / (LINK * 0.95 * 0.8)) + 4e-6);

    // 32 ranks on four machines: 7/32 inside, 24/32 across, of which a dispatcher sends 60 %.
    let up = |ratio: f64, ramp: f64| 3e-6_f64.hypot(bytes * 7.0 / 32.0 / (LINK * 0.95 * ratio) * ramp);
    let net = |share: f64, ratio: f64, ramp: f64| share * bytes * 24.0 / 32.0 / (PORT * ratio) * ramp;
    let port_ramp = 1.0 + (PORT_HALF / bytes).sqrt();
    let both = |up: f64, net: f64| up.max(net) + 0.25 * up.min(net) + 4e-6 + 40e-6;
    let library = exchange(32);
    assert_close(library.time.0, both(up(0.9, ramp), net(1.0, 0.9, port_ramp)));
    assert_close(library.bytes.0, bytes * 31.0 / 32.0);
    let kernels = dispatch(32, 0.6);
    assert_close(kernels.time.0, both(up(0.8, 1.0), net(0.6, 0.8, 1.0)));
    assert_close(kernels.bytes.0, bytes * (7.0 + 0.6 * 24.0) / 32.0);
    assert_eq!(kernels.bound, Bound::Network);
}

/// Nobody to talk to, or nothing to say.
#[test]
fn silence_is_free() {
    let scenario = machine();
    for kind in Collective::ALL {
        for (bytes, ranks) in [(1e6, 1), (0.0, 8), (-1.0, 8)] {
            let found = price(&scenario, kind, bytes, group(ranks, 1));
            assert_eq!(
                (found.time.0, found.bytes.0, found.flops.0),
                (0.0, 0.0, 0.0),
                "{kind:?} {bytes} {ranks}"
            );
        }
    }
    let dispatch = |bytes, ranks| {
        let work = Work::Dispatch { bytes, across: 1.0, group: group(ranks, 1) };
        Rates::new(&scenario, &constants()).price(&work).time.0
    };
    assert_eq!((dispatch(1e6, 1), dispatch(0.0, 8)), (0.0, 0.0));
}

/// Every fabric and protocol has its own share of its data sheet's rate.
#[test]
fn fabrics_and_protocols_have_their_own_rates() {
    use stepcast::scenario::cluster::{GpuFamily, Transport};
    let plain = Constants {
        scale_up_efficiency_ampere: 0.1,
        scale_up_efficiency_hopper: 0.2,
        scale_up_efficiency_blackwell: 0.3,
        scale_up_efficiency_xgmi: 0.4,
        scale_up_efficiency_pcie: 0.5,
        scale_up_efficiency_pcie_host: 0.6,
        scale_up_small_group_loss_ampere: 0.0,
        scale_up_small_group_loss_hopper: 0.0,
        scale_up_small_group_loss_blackwell: 0.0,
        scale_up_ramp_ampere: 0.0,
        scale_up_ramp_hopper: 0.0,
        scale_up_ramp_blackwell: 0.0,
        scale_up_latency_ampere: 0.0,
        scale_up_latency_hopper: 0.0,
        scale_up_latency_blackwell: 0.0,
        network_efficiency_infiniband: 0.1,
        network_efficiency_roce: 0.2,
        network_efficiency_slingshot: 0.3,
        network_efficiency_efa: 0.4,
        network_efficiency_omni_path: 0.6,
        network_latency: 0.0,
        network_half_size: 0.0,
        ..Constants::SHIPPED
    };
    let time = |scenario: &Scenario, group| {
        let work = Work::Collective { kind: Collective::PointToPoint, bytes: 450e9, group };
        Rates::new(scenario, &plain).price(&work).time.0
    };
    let nvlink = ScaleUpKind::NvLink;
    for (kind, family, share) in [
        (nvlink, GpuFamily::Volta, 0.1),
        (nvlink, GpuFamily::Ampere, 0.1),
        (nvlink, GpuFamily::Hopper, 0.2),
        (nvlink, GpuFamily::Blackwell, 0.3),
        (nvlink, GpuFamily::BlackwellUltra, 0.3),
        (ScaleUpKind::Xgmi, GpuFamily::Cdna3, 0.4),
        (ScaleUpKind::Pcie, GpuFamily::Hopper, 0.5),
        (ScaleUpKind::PcieHost, GpuFamily::Ampere, 0.6),
    ] {
        let mut scenario = machine();
        scenario.cluster.scale_up.kind = kind;
        scenario.cluster.gpu.family = family;
        assert_close(time(&scenario, group(2, 1)), 1.0 / share);
    }
    for (transport, share) in [
        (Transport::InfiniBand, 0.1),
        (Transport::Roce, 0.2),
        (Transport::Slingshot, 0.3),
        (Transport::Efa, 0.4),
        (Transport::Tcpx, 0.2),
        (Transport::OmniPath, 0.6),
    ] {
        let mut scenario = machine();
        scenario.cluster.network.transport = transport;
        assert_close(time(&scenario, group(2, 8)), 9.0 / share);
    }
}

/// A thread copies as much whatever its port: where it copies as fast as the port sends, half of the rate is left, a fifth of a
/// port four times as fast, and 1.6 times as much in all.
#[test]
fn sockets_reach_what_a_thread_copies() {
    use stepcast::scenario::cluster::Transport;
    use stepcast::units::BytesPerSecond;
    let constants = Constants {
        network_socket_rate: 50e9,
        network_latency: 0.0,
        network_half_size: 0.0,
        ..Constants::SHIPPED
    };
    let time = |port: f64| {
        let mut scenario = machine();
        scenario.cluster.network.transport = Transport::Tcp;
        scenario.cluster.network.nic_bandwidth = BytesPerSecond(port);
        let work = Work::Collective { kind: Collective::PointToPoint, bytes: 450e9, group: group(2, 8) };
        Rates::new(&scenario, &constants).price(&work).time.0
    };
    assert_close(time(50e9), 450.0 / 25.0);
    assert_close(time(200e9), 450.0 / 40.0);
}

/// Start-up, fill, ramp and the switch's gain are each generation's own; Ampere's rings fill hop by hop.
#[test]
fn generations_start_and_fill_in_their_own_time() {
    use stepcast::scenario::cluster::GpuFamily::{Ampere, Blackwell, BlackwellUltra, Hopper};
    let constants = Constants {
        scale_up_efficiency_ampere: 0.5,
        scale_up_efficiency_blackwell: 0.5,
        scale_up_small_group_loss_ampere: 0.1,
        scale_up_small_group_loss_blackwell: 0.2,
        scale_up_low_latency_ratio: 3.0,
        scale_up_switch_ampere: 2e6,
        scale_up_switch_blackwell: 3e6,
        scale_up_latency_ampere: 5e-6,
        scale_up_latency_blackwell: 6e-6,
        scale_up_fill_blackwell: 7e-6,
        scale_up_ramp_ampere: 2e-5,
        scale_up_ramp_blackwell: 4e-5,
        ..constants()
    };
    for (family, loss, gain, start, fill, half, switch) in [
        (Ampere, 0.1, 1.0, 5e-6, 1e-6, LINK * 2e-5, 2e6),
        (Hopper, 0.4, 1.25, 4e-6, 2e-6, LINK_HALF, 1e6),
        (Blackwell, 0.2, 1.0, 6e-6, 7e-6, LINK * 4e-5, 3e6),
        (BlackwellUltra, 0.2, 1.0, 6e-6, 7e-6, LINK * 4e-5, 3e6),
    ] {
        let mut scenario = machine();
        scenario.cluster.gpu.family = family;
        let time = |bytes| {
            let work = Work::Collective { kind: Collective::AllReduce, bytes, group: group(8, 1) };
            Rates::new(&scenario, &constants).price(&work).time.0
        };
        let flowing = flow(1.75 * 640e6, LINK * (1.0 - 0.5 * loss / 8.0) * gain, half, 1280e6);
        assert_close(time(640e6), flowing.hypot(14.0 * fill) + 2.0 * start);
        // A protocol without a start to speak of, and fast: it carries what it may, and half an octave on half of it.
        let low = |bytes: f64| (1.75 * bytes / (3.0 * LINK)).hypot(14e-6) + start;
        assert_close(time(8.0 * switch), low(8.0 * switch));
        assert!((time(8.0 * switch * 1.1) / low(8.0 * switch * 1.1) - 1.0).abs() > 0.01);
    }
}

/// Groups of groups: four machines' worth of pairs. 8 ranks, two in a machine where pairs are neighbours.
#[test]
fn groups_multiply() {
    let pairs = group(2, 1);
    let across = group(4, 8);
    let all = GroupPlacement::product(&pairs, &across);
    assert_eq!((all.size, all.in_domain, all.span, all.domains()), (8.0, 2.0, 32.0, 4.0));
    let inside = GroupPlacement::product(&pairs, &group(4, 2));
    assert_eq!((inside.size, inside.in_domain, inside.span, inside.domains()), (8.0, 8.0, 8.0, 1.0));
    assert_eq!((group(5, 2).in_domain, group(5, 2).domains(), group(5, 2).span), (2.5, 2.0, 10.0));
    assert_eq!(group(0, 0), group(1, 1), "nobody is one");
}
