//! GPUs and machines.

use super::rust;
use super::sheet::{Row, Sheet};
use crate::project::Result;

/// Every GPU as a constant, and the list of presets.
pub(super) fn gpus(sheet: &Sheet) -> Result<String> {
    let (mut gpus, mut list) = (String::new(), String::new());
    for row in &sheet.rows {
        let constant = rust::constant(row.filled("name")?);
        let peak = |column| row.real(column, Some("0"));
        gpus += &format!(
            "\npub(super) const {constant}: Gpu = Gpu {{\
             peak_bf16: FlopsPerSecond::from_tera({}),\
             peak_fp8: FlopsPerSecond::from_tera({}),\
             peak_fp4: FlopsPerSecond::from_tera({}),\
             memory: Bytes::from_gib({}),\
             memory_bandwidth: BytesPerSecond::from_gigabytes({} * 1e3),\
             sms: {},\
             family: GpuFamily::{} }};\n",
            row.real("peak 16-bit", None)?,
            peak("peak FP8")?,
            peak("peak FP4")?,
            row.real("memory", None)?,
            row.real("memory bandwidth", None)?,
            row.whole("SMs", None)?,
            rust::variant(row.filled("generation")?)
        );
        let machine = match row.cell("machine")? {
            "" => "None".to_owned(),
            machine => format!("Some({machine:?})"),
        };
        list += &format!(
            "GpuPreset {{ name: {}, label: {}, source: {}, gpu: {constant}, machine: {machine} }},\n",
            row.text("name")?,
            row.text("label")?,
            row.text("source")?
        );
    }
    Ok(format!(
        "//! GPUs by their data sheets.\n\nuse super::presets::GpuPreset;\nuse super::{{Gpu, GpuFamily}};\n\
         use crate::units::{{Bytes, BytesPerSecond, FlopsPerSecond}};\n{gpus}\n\
         /// Every GPU, by vendor and generation.\npub static GPUS: &[GpuPreset] = &[\n{list}];\n"
    ))
}

const FABRICS: [(&str, &str); 4] = [
    ("nvlink", "ScaleUpKind::NvLink"),
    ("xgmi", "ScaleUpKind::Xgmi"),
    ("pcie", "ScaleUpKind::Pcie"),
    ("pcie-host", "ScaleUpKind::PcieHost"),
];

const TRANSPORTS: [(&str, &str); 5] = [
    ("ib", "Transport::InfiniBand"),
    ("roce", "Transport::Roce"),
    ("slingshot", "Transport::Slingshot"),
    ("efa", "Transport::Efa"),
    ("tcp", "Transport::Tcp"),
];

/// Every machine as a constant, and the list of presets.
pub(super) fn machines(sheet: &Sheet) -> Result<String> {
    let (mut clusters, mut list) = (String::new(), String::new());
    for row in &sheet.rows {
        let constant = rust::constant(row.filled("name")?);
        clusters += &format!(
            "\n/// One node of {}.\npub(crate) const {constant}: Cluster = {};\n",
            row.filled("label")?,
            cluster(row)?
        );
        list += &format!(
            "ClusterPreset {{ name: {}, label: {}, source: {}, cluster: {constant} }},\n",
            row.text("name")?,
            row.text("label")?,
            row.text("source")?
        );
    }
    Ok(format!(
        "//! Published machines.\n\nuse super::presets::ClusterPreset;\n\
         use super::{{Cluster, Network, ScaleUp, ScaleUpKind, Transport, gpus}};\n\
         use crate::units::BytesPerSecond;\n{clusters}\n\
         /// Every machine, by vendor and generation, then named systems.\n\
         pub static CLUSTERS: &[ClusterPreset] = &[\n{list}];\n"
    ))
}

fn cluster(row: &Row) -> Result<String> {
    let per_node = row.whole("GPUs per node", None)?;
    Ok(format!(
        "Cluster {{\
         gpu: gpus::{},\
         gpus: {per_node},\
         gpus_per_node: {per_node},\
         scale_up: ScaleUp {{ kind: {}, domain: {}, bandwidth: BytesPerSecond::from_gigabytes({}) }},\
         network: Network {{\
         nics_per_node: {},\
         nic_bandwidth: BytesPerSecond::from_gigabits({}),\
         transport: {},\
         leaf_nodes: {},\
         oversubscription: {} }},\
         host_link: BytesPerSecond::from_gigabytes({}) }}",
        rust::constant(row.filled("GPU")?),
        row.one_of("fabric", &FABRICS)?,
        row.whole("GPUs in fabric", None)?,
        row.real("fabric bandwidth", None)?,
        row.whole("ports per node", None)?,
        row.real("port rate", None)?,
        row.one_of("transport", &TRANSPORTS)?,
        row.whole("nodes per leaf", None)?,
        row.real("oversubscription", None)?,
        row.real("host link", None)?
    ))
}
