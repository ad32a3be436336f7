//! The same job on two platforms, or under two network protocols: what can be compared.

use crate::scenario::Scenario;
use crate::scenario::cluster::{Transport, presets};
use crate::units::Bytes;

/// Protocols that can be compared: name in the link, name for people.
pub const PROTOCOLS: [(&str, &str, Transport); 7] = [
    ("tcp", "TCP", Transport::Tcp),
    ("tcpx", "GPUDirect-TCPX", Transport::Tcpx),
    ("roce", "RoCE", Transport::Roce),
    ("ib", "InfiniBand", Transport::InfiniBand),
    ("efa", "AWS EFA", Transport::Efa),
    ("slingshot", "Slingshot", Transport::Slingshot),
    ("omni-path", "Omni-Path", Transport::OmniPath),
];

/// Message sizes of the compared all-reduces: 64 KiB to 1 GiB.
pub const SIZES: [Bytes; 8] = [
    Bytes(65_536.0),
    Bytes(262_144.0),
    Bytes(1_048_576.0),
    Bytes(4_194_304.0),
    Bytes(16_777_216.0),
    Bytes(67_108_864.0),
    Bytes(268_435_456.0),
    Bytes(1_073_741_824.0),
];

/// A protocol to compare a network's own with: TCP, or RoCE where it is TCP.
pub fn rival(scenario: &Scenario) -> &'static str {
    if scenario.cluster.network.transport == Transport::Tcp { "roce" } else { "tcp" }
}

/// The same job on another platform, under another protocol, or both. What is not known, as an empty name,
/// stays as it is.
pub fn elsewhere(scenario: &Scenario, platform: &str, protocol: &str) -> Scenario {
    let mut other = *scenario;
    if let Some(preset) = presets::find(platform) {
        other.cluster = preset.with_gpus(scenario.cluster.gpus);
    }
    if let Some(entry) = PROTOCOLS.iter().find(|entry| entry.0 == protocol) {
        other.cluster.network.transport = entry.2;
    }
    other
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Document;

    #[test]
    fn another_platform_keeps_the_job() {
        let link =
            "#1;m=apnet24-gpt-3b;g=apnet24-rtx3090;n=32;seq=1024;prec=fp16;tp=2;sp=0;zero=0;mb=32;rc=full";
        let scenario = Document::from_link(link).expect("a link").document.scenario().expect("a scenario");
        let other = elsewhere(&scenario, "apnet24-v100-nvlink", "roce");
        assert_eq!((other.cluster.gpus, other.plan), (32, scenario.plan));
        assert_eq!(other.cluster.network.transport, Transport::Roce);
        assert_eq!(elsewhere(&scenario, "", ""), scenario);
        let rival = elsewhere(&scenario, "", rival(&scenario));
        assert_ne!(rival.cluster.network.transport, scenario.cluster.network.transport);
    }
}
