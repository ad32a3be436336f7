//! A cloud instance: a machine under its provider's name.

use super::presets::{find, find_gpu};
use super::{Cluster, Transport};
use crate::units::BytesPerSecond;

pub use super::instances::INSTANCES;

/// A cloud instance, a row of `data/instances.tsv`.
#[derive(Debug, Clone, Copy)]
pub struct Instance {
    /// Who rents it out.
    pub provider: &'static str,
    /// The provider's name of it.
    pub name: &'static str,
    /// Name of its GPU among [`super::presets::GPUS`].
    gpu: &'static str,
    /// GPUs per instance.
    pub gpus: u8,
    /// Rate of all its network ports, Gb/s; 0 if unknown.
    network: u16,
    /// Its network ports; 0 if unknown.
    ports: u8,
    /// Protocol of its network, if known.
    transport: Option<Transport>,
    /// Price on demand and spot, thousandths of a dollar per GPU and hour; 0 if unknown.
    prices: [u16; 2],
    /// The regions where the prices apply.
    pub region: &'static str,
}

/// How an instance is rented.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rent {
    /// At any time, without a limit.
    OnDemand,
    /// Spare capacity, which may be withdrawn.
    Spot,
}

impl Rent {
    /// Both ways.
    pub const ALL: [Self; 2] = [Self::OnDemand, Self::Spot];

    /// In words.
    pub const fn words(self) -> &'static str {
        match self {
            Self::OnDemand => "on demand",
            Self::Spot => "spot",
        }
    }
}

/// The instance type of a cluster of any number of GPUs, identified also by its price: one GPU for an hour, USD.
pub fn rented(cluster: &Cluster, price: f64) -> Option<(&'static Instance, Rent)> {
    let is = |instance: &Instance| {
        let own = instance.cluster().map(|(_, own)| Cluster { gpus: cluster.gpus, ..own });
        own.as_ref() == Some(cluster)
    };
    let priced = |instance: &'static Instance| {
        let rent = Rent::ALL.into_iter().find(|rent| instance.price(*rent) == Some(price))?;
        is(instance).then_some((instance, rent))
    };
    INSTANCES.iter().find_map(priced)
}

/// One row of the table.
#[expect(clippy::too_many_arguments, reason = "a row of a generated table, one line each")]
pub(super) const fn row(
    provider: &'static str,
    name: &'static str,
    gpu: &'static str,
    gpus: u8,
    network: u16,
    ports: u8,
    transport: Option<Transport>,
    on_demand: u16,
    spot: u16,
    region: &'static str,
) -> Instance {
    Instance { provider, name, gpu, gpus, network, ports, transport, prices: [on_demand, spot], region }
}

impl Instance {
    /// Price of one GPU for an hour, USD; nothing if unknown.
    pub fn price(&self, rent: Rent) -> Option<f64> {
        let [on_demand, spot] = self.prices;
        let price = if rent == Rent::Spot { spot } else { on_demand };
        (price > 0).then(|| f64::from(price) / 1e3)
    }

    /// Name of the underlying machine, and one instance as a cluster: that machine with the instance's node and
    /// network.
    pub fn cluster(&self) -> Option<(&'static str, Cluster)> {
        let preset = find(find_gpu(self.gpu)?.machine?)?;
        let (gpus, mut cluster) = (u32::from(self.gpus), preset.cluster);
        let node = cluster.gpus_per_node;
        // A fabric within the node shrinks with it; a fabric across nodes is unchanged.
        if cluster.scale_up.domain <= node {
            cluster.scale_up.domain = gpus;
        }
        let network = &mut cluster.network;
        if self.ports > 0 {
            network.nics_per_node = self.ports.into();
            network.nic_bandwidth =
                BytesPerSecond::from_gigabits(f64::from(self.network) / f64::from(self.ports));
        } else if gpus < node {
            network.nics_per_node = (network.nics_per_node * gpus / node).max(1);
        }
        network.transport = self.transport.unwrap_or(network.transport);
        cluster.gpus_per_node = gpus;
        cluster.gpus = gpus;
        Some((preset.name, cluster))
    }
}
