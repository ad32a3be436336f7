//! Collectives: alpha-beta over the tiers a group spans, with message-size-dependent bandwidth.

use super::{Algorithm, Bound, Collective, Price, Rates};
use crate::units::{Bytes, Flops, Seconds};
use libm::{hypot, log2};

/// Least ranks in a domain for in-switch reduction (NVLS needs the whole NVSwitch node).
const NVLS_RANKS: f64 = 8.0;

/// Ranks of the largest rings that were measured.
const NODE_RANKS: f64 = 8.0;

/// The GPUs of a collective, by placement.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GroupPlacement {
    /// Ranks.
    pub size: f64,
    /// Ranks of the group within one scale-up domain.
    pub in_domain: f64,
    /// GPUs from the group's first to its last member: determines which switches the traffic crosses.
    pub span: f64,
}

impl GroupPlacement {
    /// A group of `size` ranks placed every `stride` GPUs, in scale-up domains of `domain` GPUs. A job uses as much of
    /// a domain as whole groups fill: 64 of 72 GPUs for groups of 16. Larger groups use equal parts of as few domains
    /// as possible.
    pub fn strided(size: u32, stride: u32, domain: u32) -> Self {
        let (size, stride) = (size.max(1), stride.max(1));
        let domains = size.div_ceil((domain / stride).max(1));
        Self::over(size, stride, domains)
    }

    /// A group of `size` ranks placed every `stride` GPUs of a job that uses the first `gpus` GPUs without gaps, so
    /// groups cross domain borders if neither size divides the other: the group that spans the most domains.
    pub fn packed(size: u32, stride: u32, domain: u32, gpus: u32) -> Self {
        let (size, stride, domain) = (size.max(1), stride.max(1), domain.max(1));
        let span = size.saturating_mul(stride);
        if domain.is_multiple_of(span) || (span.is_multiple_of(domain) && domain.is_multiple_of(stride)) {
            return Self::strided(size, stride, domain);
        }
        if stride >= domain {
            return Self::over(size, stride, size);
        }
        // Within a block of `stride` groups, the one that starts farthest into a domain spans the most; blocks repeat
        // after at most as many as a domain has GPUs.
        let reach = u64::from(size - 1) * u64::from(stride);
        let blocks = (gpus / span).clamp(1, domain);
        let domains = (0..u64::from(blocks)).map(|block| {
            let begins = block * u64::from(span) % u64::from(domain) + u64::from(stride - 1);
            (begins.min(u64::from(domain - 1)) + reach) / u64::from(domain) + 1
        });
        Self::over(size, stride, domains.max().unwrap_or(1) as u32)
    }

    /// Pairs of ranks `distance` apart: the first `lanes` ranks of every block of `block` GPUs, each with the rank at
    /// that distance. Returns the pair that spans the most domains in a job of `gpus` GPUs. Domains of many nodes are
    /// filled with whole blocks if one fits.
    pub fn pair(distance: u32, lanes: u32, block: u32, domain: u32, gpus: u32) -> Self {
        let (distance, lanes, domain) = (distance.max(1), lanes.max(1), domain.max(1));
        let block = block.max(distance.saturating_add(lanes));
        let blocks = (gpus / block).clamp(1, domain);
        let crosses = |index: u32| {
            let begin = u64::from(index) * u64::from(block) % u64::from(domain);
            let last = (begin + u64::from(lanes) - 1).min(u64::from(domain) - 1);
            last + u64::from(distance) >= u64::from(domain)
        };
        let domains = if (0..blocks).any(crosses) { 2 } else { 1 };
        Self::over(2, distance, domains)
    }

    /// The pipeline stages that send across domains, with each one's share of the network. In a domain, only the last
    /// stage sends onward, and only the first sends back. With two domains, each has one neighbour, so one stage sends
    /// with the whole network share; with more, or if chunks wrap from the last stage to the first (`wraps`), two send
    /// at once. Returns the group itself if it is within one domain.
    #[must_use]
    pub(crate) fn across_borders(self, wraps: bool) -> Self {
        let domains = self.domains();
        if domains <= 1.0 {
            return self;
        }
        let borders = if wraps || domains > 2.0 { 2.0 } else { 1.0 };
        let shares = (self.in_domain / borders).max(1.0);
        Self { size: domains * shares, in_domain: shares, ..self }
    }

    fn over(size: u32, stride: u32, domains: u32) -> Self {
        Self {
            size: f64::from(size),
            in_domain: f64::from(size) / f64::from(domains),
            span: f64::from(size) * f64::from(stride),
        }
    }

    /// A group of groups: every member of `inner` combined with every member of `outer`.
    pub fn product(inner: &Self, outer: &Self) -> Self {
        Self {
            size: inner.size * outer.size,
            in_domain: inner.in_domain * outer.in_domain,
            span: inner.span.max(outer.span),
        }
    }

    /// Scale-up domains the group spans.
    pub fn domains(&self) -> f64 {
        (self.size / self.in_domain).round()
    }
}

/// No peer, or no bytes.
const FREE: Price =
    Price { time: Seconds::ZERO, flops: Flops::ZERO, bytes: Bytes::ZERO, bound: Bound::ScaleUp };

impl Rates<'_> {
    /// For k ranks, g in each of n domains, and a tensor of S bytes:
    ///
    /// `t_up  = hypot(f h (g-1), f S (k-1)/k / B_p(g) * (1 + sqrt(s_up / f S)))`  (ring: pipeline's fill and flow)
    /// `t_net = f S (n-1)/n / (g B_net) * (1 + sqrt(s_net / f S))`  (one rail per GPU)
    /// `t     = max + loss * min + a_p + f a_net log2 n`
    ///
    /// with f = 2 for all-reduce and 1 otherwise. Up to some S/g the low-latency protocol p carries the tensor if it is
    /// faster; it has no ramp (s_up = 0). From twice that size on, the bulk protocol does, with in-switch reduction of
    /// all-reduces if available. Sizes are measured an octave apart: in between, the time is interpolated and never
    /// falls. If GPUs share a machine's NICs, there is no rail per GPU: one ring runs through all k ranks and leaves
    /// each machine once, with (k-1)/k of the tensor. In a mesh of D GPUs, g ranks have (g-1)/(D-1) of B_p, and s_up
    /// shrinks by the same factor.
    pub(super) fn price_collective(&self, kind: Collective, bytes: f64, group: &GroupPlacement) -> Price {
        self.exchange(kind, bytes, group).map_or(FREE, |exchange| exchange.price())
    }

    /// Terms of a collective's price; nothing without a peer or bytes.
    pub(super) fn exchange(&self, kind: Collective, bytes: f64, group: &GroupPlacement) -> Option<Exchange> {
        if group.size <= 1.0 || bytes <= 0.0 {
            return None;
        }
        Some(match kind {
            Collective::PointToPoint => Exchange::alone(self.transfer(bytes, group)),
            Collective::AllToAll => return self.all_to_all(bytes, 1.0, true, group),
            Collective::AllReduce | Collective::AllGather | Collective::ReduceScatter => {
                self.by(self.algorithm(kind, group), kind, bytes, group)
            }
        })
    }

    /// The algorithm that runs a collective: in-switch all-reduce if available, rings otherwise.
    fn algorithm(&self, kind: Collective, group: &GroupPlacement) -> Algorithm {
        let adds_up = kind == Collective::AllReduce && group.in_domain >= NVLS_RANKS;
        if adds_up { Algorithm::InSwitch } else { Algorithm::Ring }
    }

    /// A collective under a given algorithm: see [`Rates::price_collective`].
    fn by(&self, algorithm: Algorithm, kind: Collective, bytes: f64, group: &GroupPlacement) -> Exchange {
        let links = &self.links;
        let (net, network_latency) = self.network_part(algorithm, kind, bytes, group);
        let sent = algorithm.sent(kind, bytes, group.size);
        let of = |(fill, up, latency): (f64, TierTransfer, f64)| {
            ProtocolTime::new((fill, up), net, links.tier_loss, latency + network_latency, sent)
        };
        if group.in_domain <= 1.0 {
            return Exchange::alone(of((0.0, TierTransfer::NONE, 0.0)));
        }
        let bulk = of(self.bulk(algorithm, kind, bytes, group));
        let quick = of(self.low_latency(algorithm, kind, bytes, group));
        if quick.time() >= bulk.time() {
            return Exchange::alone(bulk);
        }
        // Octaves above the largest tensor of the low-latency protocol.
        let beyond = log2(bytes / (links.low_latency_most * group.in_domain)).clamp(0.0, 1.0);
        Exchange { way: bulk, quick: Some((quick, beyond)) }
    }

    /// Fill time, flow on the scale-up fabric and fixed time of the low-latency protocol.
    fn low_latency(
        &self,
        algorithm: Algorithm,
        kind: Collective,
        bytes: f64,
        group: &GroupPlacement,
    ) -> (f64, TierTransfer, f64) {
        let links = &self.links;
        let ([latency, _], [hop, _]) = (links.latency, links.hop);
        let rate = self.fabric_rate(group.in_domain) * links.low_latency_ratio;
        let flow = TierTransfer { bytes: algorithm.sent(kind, bytes, group.size), rate, ramp: 1.0 };
        (kind.phases() * ring_hops(group.in_domain) * hop, flow, latency)
    }

    /// Fill time, flow on the scale-up fabric and fixed time of the bulk protocol.
    fn bulk(
        &self,
        algorithm: Algorithm,
        kind: Collective,
        bytes: f64,
        group: &GroupPlacement,
    ) -> (f64, TierTransfer, f64) {
        let links = &self.links;
        let ([_, latency], [_, fill]) = (links.latency, links.hop);
        let gain = if algorithm == Algorithm::InSwitch { links.nvls_gain } else { 1.0 };
        let rate = self.ring_rate(group.in_domain, kind == Collective::AllReduce) * gain;
        let ramp = 1.0 + (self.scale_up_half(group.in_domain) / (kind.phases() * bytes)).sqrt();
        let flow = TierTransfer { bytes: algorithm.sent(kind, bytes, group.size), rate, ramp };
        (kind.phases() * ring_hops(group.in_domain) * fill, flow, latency)
    }

    /// Flow on the network and its fixed time, if a group spans domains.
    fn network_part(
        &self,
        algorithm: Algorithm,
        kind: Collective,
        bytes: f64,
        group: &GroupPlacement,
    ) -> (TierTransfer, f64) {
        let links = &self.links;
        let domains = group.domains();
        if domains <= 1.0 {
            return (TierTransfer::NONE, 0.0);
        }
        let rate = self.network_rate(group) * group.in_domain;
        let parties = if links.shares_nics { group.size } else { domains };
        let ramp = 1.0 + (links.network_half / (kind.phases() * bytes)).sqrt();
        let flow = TierTransfer { bytes: algorithm.sent(kind, bytes, parties), rate, ramp };
        (flow, kind.phases() * links.network_latency * log2(domains).max(1.0))
    }

    pub(super) fn price_all_to_all(
        &self,
        bytes: f64,
        across: f64,
        library: bool,
        group: &GroupPlacement,
    ) -> Price {
        self.all_to_all(bytes, across, library, group).map_or(FREE, |exchange| exchange.price())
    }

    /// All-to-all of a tensor of S bytes per rank: shares for the g - 1 other ranks of the domain on the scale-up
    /// fabric and, concurrently, shares for the k - g remote ranks on the network. Of the latter a share u is sent,
    /// less than 1 if a dispatcher sends a token for several ranks of a domain once:
    ///
    /// `t = max(hypot(h, S (g-1)/k / (r B_up)), u S (k-g)/k / (r B_net)) + latencies`
    pub(super) fn all_to_all(
        &self,
        bytes: f64,
        across: f64,
        library: bool,
        group: &GroupPlacement,
    ) -> Option<Exchange> {
        if group.size <= 1.0 || bytes <= 0.0 {
            return None;
        }
        let links = &self.links;
        let inside = group.in_domain.min(group.size);
        let near = bytes * (inside - 1.0) / group.size;
        let far = across * bytes * (group.size - inside) / group.size;
        let ratio = if library { links.all_to_all_ratio } else { links.dispatcher_ratio };
        // A dispatcher's rate is measured at the sizes it is used with: no ramp.
        let half = |half: f64| if library { 1.0 + (half / bytes).sqrt() } else { 1.0 };
        let rate = self.ring_rate(inside, false) * ratio;
        let up = TierTransfer { bytes: near, rate, ramp: half(links.all_to_all_half) };
        let [mut latency, _] = links.latency;
        let mut net = TierTransfer::NONE;
        if far > 0.0 {
            let rate = self.network_rate(group) * ratio;
            net = TierTransfer { bytes: far, rate, ramp: half(links.network_half) };
            latency += links.network_latency * log2(group.domains()).max(1.0);
        }
        let fill = if near > 0.0 { links.all_to_all_fill } else { 0.0 };
        Some(Exchange::alone(ProtocolTime::new((fill, up), net, links.tier_loss, latency, near + far)))
    }

    /// Transfer from one neighbour of a pipeline or ring to the next; the hop that crosses the most tiers sets the
    /// pace. Of a ring's ranks in one domain only the last sends across: it has its NIC, and the network share that the
    /// others leave unused.
    fn transfer(&self, bytes: f64, group: &GroupPlacement) -> ProtocolTime {
        let links = &self.links;
        let crosses = group.domains() > 1.0;
        let (up, net, latency) = if crosses {
            let ramp = 1.0 + (links.network_half / bytes).sqrt();
            let share = self.network_rate(group);
            let alone = share * links.nic_rate / links.network_rate;
            let rate = (share * group.in_domain).min(alone);
            (TierTransfer::NONE, TierTransfer { bytes, rate, ramp }, links.network_latency)
        } else {
            let [_, bulk] = links.latency;
            let ramp = 1.0 + (self.scale_up_half(2.0) / bytes).sqrt();
            (TierTransfer { bytes, rate: self.ring_rate(2.0, false), ramp }, TierTransfer::NONE, bulk)
        };
        ProtocolTime::new((0.0, up), net, 0.0, latency, bytes)
    }

    /// Rate of a ring of this many ranks; each rank's local copy costs less if it reduces.
    fn ring_rate(&self, ranks: f64, reduces: bool) -> f64 {
        let links = &self.links;
        let share = if reduces { links.small_group_reduce } else { 1.0 };
        self.fabric_rate(ranks) * (1.0 - share * links.small_group_loss / ranks)
    }

    /// Fabric bandwidth per GPU within this many ranks of a domain: all of it behind a switch; in a mesh, only the
    /// links between them.
    fn fabric_rate(&self, ranks: f64) -> f64 {
        let links = &self.links;
        links.scale_up_rate.min(links.pair_rate * (ranks - 1.0).max(1.0))
    }

    /// Bytes at which this many ranks reach half of the fabric's rate.
    fn scale_up_half(&self, ranks: f64) -> f64 {
        self.links.scale_up_half * (self.fabric_rate(ranks) / self.links.scale_up_rate)
    }

    fn network_rate(&self, group: &GroupPlacement) -> f64 {
        let spine = if group.span > self.links.leaf_gpus { self.links.oversubscription } else { 1.0 };
        self.links.network_rate / spine
    }
}

/// Bytes that pass a tier at a rate, longer by its ramp.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TierTransfer {
    pub(crate) bytes: f64,
    pub(crate) rate: f64,
    pub(crate) ramp: f64,
}

impl TierTransfer {
    const NONE: Self = Self { bytes: 0.0, rate: 1.0, ramp: 1.0 };

    /// Seconds.
    pub(crate) fn time(&self) -> f64 {
        self.bytes / self.rate * self.ramp
    }
}

/// Terms of a collective's price under one protocol.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ProtocolTime {
    /// Seconds to fill the pipeline on the scale-up fabric.
    pub(crate) fill: f64,
    pub(crate) up: TierTransfer,
    /// Seconds on the scale-up fabric: fill and flow together.
    pub(crate) fabric: f64,
    pub(crate) net: TierTransfer,
    /// Share of the shorter of both that does not overlap.
    pub(crate) loss: f64,
    /// Fixed time, seconds.
    pub(crate) latency: f64,
    bytes: f64,
}

impl ProtocolTime {
    fn new((fill, up): (f64, TierTransfer), net: TierTransfer, loss: f64, latency: f64, bytes: f64) -> Self {
        Self { fill, up, fabric: hypot(fill, up.time()), net, loss, latency, bytes }
    }

    /// Seconds.
    pub(crate) fn time(&self) -> f64 {
        let (up, net) = (self.fabric, self.net.time());
        up.max(net) + self.loss * up.min(net) + self.latency
    }

    fn price(&self) -> Price {
        Price {
            time: Seconds(self.time()),
            flops: Flops::ZERO,
            bytes: Bytes(self.bytes),
            bound: if self.net.time() > self.fabric { Bound::Network } else { Bound::ScaleUp },
        }
    }
}

/// Terms of a collective's price.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Exchange {
    /// With the protocol for large tensors, or the only protocol.
    pub(crate) way: ProtocolTime,
    /// With the low-latency protocol where it is faster, and the weight of the other protocol in the time.
    pub(crate) quick: Option<(ProtocolTime, f64)>,
}

impl Exchange {
    fn alone(way: ProtocolTime) -> Self {
        Self { way, quick: None }
    }

    fn price(&self) -> Price {
        let bulk = self.way.price();
        match &self.quick {
            None => bulk,
            Some((quick, beyond)) => {
                Price { time: Seconds(quick.time()) * (1.0 - beyond) + bulk.time * *beyond, ..bulk }
            }
        }
    }
}

/// Hops to fill a ring's pipeline: one per rank among the eight ranks of a node, and as many more per doubling beyond,
/// as in a tree.
fn ring_hops(ranks: f64) -> f64 {
    (ranks - 1.0).min(NODE_RANKS - 1.0) + log2(ranks / NODE_RANKS).max(0.0)
}
