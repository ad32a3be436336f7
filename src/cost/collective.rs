//! Collectives: alpha-beta over the tiers a group spans, with message-size-dependent bandwidth.

use super::{Algorithm, Bound, Collective, Price, Rates};
use crate::units::{Bytes, Flops, Seconds};
use libm::{hypot, log2};

/// Ranks in one domain from which on the switch reduces (NVLS needs the whole NVSwitch node).
const NVLS_RANKS: f64 = 8.0;

/// Ranks of the largest rings that were measured.
const NODE_RANKS: f64 = 8.0;

/// The GPUs that take part in a collective, by where they sit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GroupPlacement {
    /// Ranks.
    pub size: f64,
    /// Ranks of the group within one scale-up domain.
    pub in_domain: f64,
    /// GPUs between the group's first and last member: decides which switches traffic crosses.
    pub span: f64,
}

impl GroupPlacement {
    /// A group of `size` ranks placed every `stride` GPUs, in scale-up domains of `domain` GPUs of which jobs
    /// take as many whole groups as fit: 64 of 72 for groups of 16. Larger groups take equal parts of as few
    /// domains as hold them.
    pub fn strided(size: u32, stride: u32, domain: u32) -> Self {
        let (size, stride) = (size.max(1), stride.max(1));
        let domains = size.div_ceil((domain / stride).max(1));
        Self::over(size, stride, domains)
    }

    /// A group of `size` ranks placed every `stride` GPUs of a job that takes the first `gpus` GPUs and leaves none out,
    /// so that groups lie across the borders of domains when neither size divides the other: the group that meets the
    /// most domains.
    pub fn packed(size: u32, stride: u32, domain: u32, gpus: u32) -> Self {
        let (size, stride, domain) = (size.max(1), stride.max(1), domain.max(1));
        let span = size.saturating_mul(stride);
        if domain.is_multiple_of(span) || (span.is_multiple_of(domain) && domain.is_multiple_of(stride)) {
            return Self::strided(size, stride, domain);
        }
        if stride >= domain {
            return Self::over(size, stride, size);
        }
        // Within a block of `stride` groups the one that begins farthest into a domain meets the most; blocks
        // repeat after at most as many as the domain has GPUs.
        let reach = u64::from(size - 1) * u64::from(stride);
        let blocks = (gpus / span).clamp(1, domain);
        let domains = (0..u64::from(blocks)).map(|block| {
            let begins = block * u64::from(span) % u64::from(domain) + u64::from(stride - 1);
            (begins.min(u64::from(domain - 1)) + reach) / u64::from(domain) + 1
        });
        Self::over(size, stride, domains.max().unwrap_or(1) as u32)
    }

    /// Pairs of ranks `distance` apart: the first ranks of every block of `block` GPUs, `lanes` of them, each with the
    /// one so far behind it. Of all pairs of a job of `gpus` GPUs the one that meets the most domains. Domains of many
    /// nodes are filled with whole blocks where one holds any.
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

    /// Those of a pipeline's stages that leave their domains, with what each has of the network: of a domain's stages only
    /// the last sends onward, and only the first back. Of two domains each has one neighbour, so that one stage sends with the
    /// shares of all; of more, or where chunks go round from the last stage to the first (`wraps`), two send at once. The
    /// group itself where it is within one domain.
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

    /// A group whose members are themselves groups: every member of `inner` joined with every of `outer`.
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

/// Nobody to talk to, or nothing to say.
const FREE: Price =
    Price { time: Seconds::ZERO, flops: Flops::ZERO, bytes: Bytes::ZERO, bound: Bound::ScaleUp };

impl Rates<'_> {
    /// For k ranks, g of them in each of n domains, and a tensor of S bytes:
    ///
    /// `t_up  = hypot(f h (g-1), f S (k-1)/k / B_p(g) * (1 + sqrt(s_up / f S)))`  (ring: pipeline's fill and flow)
    /// `t_net = f S (n-1)/n / (g B_net) * (1 + sqrt(s_net / f S))`  (one rail per GPU)
    /// `t     = max + loss * min + a_p + f a_net log2 n`
    ///
    /// with f = 2 for all-reduce and 1 otherwise. Up to some S/g the low-latency protocol p carries the tensor where
    /// it is the faster one, which has no ramp (s_up = 0); else, and from twice that size on, the bulk protocol, of
    /// whose all-reduce the switch adds up where it can. Sizes are measured an octave apart: in between, time goes
    /// over from the one to the other, and never falls. Where a machine's GPUs share its NICs there is no rail per
    /// GPU: one ring runs through all k ranks and leaves each machine once, with (k-1)/k of the tensor. Of a mesh of D GPUs the g ranks
    /// have (g-1)/(D-1) of B_p, and s_up is as much less.
    pub(super) fn price_collective(&self, kind: Collective, bytes: f64, group: &GroupPlacement) -> Price {
        self.exchange(kind, bytes, group).map_or(FREE, |exchange| exchange.price())
    }

    /// What a collective's price is made of; nothing where there is nobody to talk to, or nothing to say.
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

    /// The algorithm that carries a collective out: the switch adds up an all-reduce where it can, all else goes around rings.
    fn algorithm(&self, kind: Collective, group: &GroupPlacement) -> Algorithm {
        let adds_up = kind == Collective::AllReduce && group.in_domain >= NVLS_RANKS;
        if adds_up { Algorithm::InSwitch } else { Algorithm::Ring }
    }

    /// A collective by an algorithm: see [`Rates::price_collective`].
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
        // Octaves beyond the largest tensor that the low-latency protocol carries.
        let beyond = log2(bytes / (links.low_latency_most * group.in_domain)).clamp(0.0, 1.0);
        Exchange { way: bulk, quick: Some((quick, beyond)) }
    }

    /// Fill, flow on the scale-up fabric and fixed time of the low-latency protocol.
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

    /// Fill, flow on the scale-up fabric and fixed time of the bulk protocol.
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

    /// Flow on the network and its fixed time, where a group spans domains.
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

    /// All-to-all of a tensor of S bytes per rank: its shares for the g - 1 ranks of the domain over the
    /// scale-up fabric, those for the k - g others over the network, at once, a share u of the latter
    /// (less than 1 where a dispatcher sends tokens for several ranks of a domain there once):
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
        // A dispatcher's rate is measured at the sizes it is used for: no ramp.
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

    /// One neighbour of a pipeline or a ring to the next; the hop that crosses the most sets the pace. Of a ring's ranks in one
    /// domain only the last sends across: it has its NIC, and what of the machine's network the others leave.
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

    /// Rate of a ring of so many ranks; what every rank copies of its own counts less where it is reduced.
    fn ring_rate(&self, ranks: f64, reduces: bool) -> f64 {
        let links = &self.links;
        let share = if reduces { links.small_group_reduce } else { 1.0 };
        self.fabric_rate(ranks) * (1.0 - share * links.small_group_loss / ranks)
    }

    /// What so many ranks of a domain have of a GPU's fabric: all of it behind a switch, of a mesh their links to each other.
    fn fabric_rate(&self, ranks: f64) -> f64 {
        let links = &self.links;
        links.scale_up_rate.min(links.pair_rate * (ranks - 1.0).max(1.0))
    }

    /// Bytes at which what so many ranks have of the fabric reaches half of its rate.
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

/// What the price of a collective over one protocol is made of.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ProtocolTime {
    /// Seconds until the pipeline on the scale-up fabric is filled.
    pub(crate) fill: f64,
    pub(crate) up: TierTransfer,
    /// Seconds on the scale-up fabric: fill and flow together.
    pub(crate) fabric: f64,
    pub(crate) net: TierTransfer,
    /// Share of the shorter of both that does not hide.
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

/// What the price of a collective is made of.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Exchange {
    /// By the protocol for large tensors, or the only one.
    pub(crate) way: ProtocolTime,
    /// By the low-latency protocol where that is faster, and the share of the other in the time.
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

/// Hops that a ring's pipeline takes to fill: all of it among the eight ranks of a node, and as many more for
/// every doubling beyond, as trees take.
fn ring_hops(ranks: f64) -> f64 {
    (ranks - 1.0).min(NODE_RANKS - 1.0) + log2(ranks / NODE_RANKS).max(0.0)
}
