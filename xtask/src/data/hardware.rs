//! Generations of GPUs, GPUs and machines.

use super::rust;
use super::sheet::{Row, Sheet};
use crate::project::Result;

/// Columns of generations that are yes or no.
const FLAGS: [&str; 3] = ["bf16", "block_scales", "ages"];

/// Columns of generations that price something.
const PRICES: [&str; 33] = [
    "gemm_efficiency",
    "gemm_clock_ratio",
    "gemm_burst_ratio",
    "gemm_throttle_time",
    "gemm_k_half",
    "gemm_tile_128_efficiency",
    "gemm_tile_64_efficiency",
    "gemm_operand_efficiency",
    "gemm_fp8_ratio",
    "gemm_fp8_block_ratio",
    "gemm_fp4_ratio",
    "gemm_fp4_k_half",
    "sustained",
    "sustained_fp8",
    "samples",
    "attention_efficiency_vendor",
    "attention_efficiency_flash2",
    "attention_efficiency_gathered",
    "gathered_heads",
    "attention_vendor_gain",
    "attention_sustained",
    "attention_long",
    "attention_head64_ratio_vendor",
    "scale_up_efficiency",
    "scale_up_small_group_loss",
    "scale_up_nvls_gain",
    "scale_up_switch",
    "scale_up_latency",
    "scale_up_fill",
    "scale_up_ramp",
    "single_precision_ratio",
    "cast_time_tensor",
    "cast_passes_block",
];

/// Number of measured runs of a generation or a stack.
pub(super) const RUNS: [(&str, &str); 3] =
    [("many", "MeasuredRuns::Many"), ("few", "MeasuredRuns::Few"), ("none", "MeasuredRuns::None")];

/// The enum of generations and the record of each.
pub(super) fn generations(sheet: &Sheet) -> Result<String> {
    let (mut variants, mut list, mut arms) = (String::new(), String::new(), String::new());
    let (mut names, mut records) = (String::new(), String::new());
    let rows: Vec<rust::Fields> = sheet.rows.iter().map(generation).collect::<Result<_>>()?;
    let usual = rust::usual(&rows);
    for (row, fields) in sheet.rows.iter().zip(&rows) {
        let name = row.filled("name")?;
        let (variant, record) = (rust::variant(name), rust::constant(name));
        variants += &format!("/// {}\n{variant},\n", row.filled("doc")?);
        list += &format!("(Self::{variant}, {name:?}, {}),\n", row.text("label")?);
        names += &format!("Self::{variant} => {name:?},\n");
        arms += &format!("Self::{variant} => &{record},\n");
        records += &format!(
            "#[rustfmt::skip]\nstatic {record}: Generation = Generation {{ {} }};\n",
            rust::differing(fields, &usual, "USUAL")
        );
    }
    let (count, usual) = (rows.len(), rust::literal(&usual));
    Ok(format!(
        "//! The generations of GPUs.\n\n\
         use super::Generation;\nuse crate::scenario::MeasuredRuns;\nuse serde::{{Deserialize, Serialize}};\n\n\
         /// A generation of GPUs: which kernels run on them, at which efficiencies.\n\
         #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]\n\
         #[serde(rename_all = \"kebab-case\")]\n\
         pub enum GpuFamily {{\n{variants}}}\n\n\
         impl GpuFamily {{\n\
         /// Every generation with its name in links, and its name for people.\n\
         pub const ALL: [(Self, &'static str, &'static str); {count}] = [\n{list}];\n\n\
         /// Name of the generation in links.\n\
         pub fn name(self) -> &'static str {{\nmatch self {{\n{names}}}\n}}\n\n\
         /// What is particular to this generation.\n\
         pub fn generation(self) -> &'static Generation {{\nmatch self {{\n{arms}}}\n}}\n}}\n\n\
         /// The most frequent value of each field; a generation names those in which it differs.\n#[rustfmt::skip]\nconst USUAL: Generation = Generation {{ {usual} }};\n\n{records}"
    ))
}

/// The record of one generation.
fn generation(row: &Row) -> Result<rust::Fields> {
    row.filled("source")?;
    let mut fields = vec![("runs", row.one_of("runs", &RUNS)?.to_owned())];
    for column in FLAGS {
        fields.push((column, row.flag(column)?.to_owned()));
    }
    for column in PRICES {
        fields.push((column, row.price(column)?));
    }
    Ok(fields)
}

/// Every GPU by vendor and generation, a line each.
pub(super) fn gpus(sheet: &Sheet) -> Result<String> {
    let mut rows = String::new();
    for row in &sheet.rows {
        row.filled("source")?;
        let machine = match row.cell("machine")? {
            "" => "None".to_owned(),
            machine => format!("Some({machine:?})"),
        };
        rows += &format!(
            "{} = {}, {}, {}, {}, {}, {}, {machine}, {};\n",
            rust::constant(row.filled("name")?),
            row.text("name")?,
            row.text("label")?,
            row.text("also")?,
            gpu(row)?,
            row.real("board power", None)?,
            row.real("price", None)?,
            row.text("price source")?
        );
    }
    Ok(format!(
        "//! GPUs by their data sheets.\n\nuse super::presets::{{GpuPreset, gpu, gpus}};\nuse super::{{Gpu, GpuFamily}};\n\n\
         gpus! {{\n{rows}}}\n"
    ))
}

fn gpu(row: &Row) -> Result<String> {
    let peak = |column| row.real(column, Some("0"));
    Ok(format!(
        "gpu([{}, {}, {}], {}, {}, {}, {}, GpuFamily::{})",
        row.real("peak 16-bit", None)?,
        peak("peak FP8")?,
        peak("peak FP4")?,
        row.real("memory", None)?,
        row.real("memory bandwidth", None)?,
        row.whole("SMs", None)?,
        row.whole("power", None)?,
        rust::variant(row.filled("generation")?)
    ))
}

const FABRICS: [(&str, &str); 4] = [
    ("nvlink", "ScaleUpKind::NvLink"),
    ("xgmi", "ScaleUpKind::Xgmi"),
    ("pcie", "ScaleUpKind::Pcie"),
    ("pcie-host", "ScaleUpKind::PcieHost"),
];

const TOPOLOGIES: [(&str, &str); 2] =
    [("switch", "ScaleUpTopology::Switch"), ("mesh", "ScaleUpTopology::Mesh")];

const HOSTS: [(&str, &str); 2] = [("x86", "HostProcessor::X86"), ("grace", "HostProcessor::Grace")];

const TRANSPORTS: [(&str, &str); 7] = [
    ("ib", "Transport::InfiniBand"),
    ("roce", "Transport::Roce"),
    ("slingshot", "Transport::Slingshot"),
    ("omni-path", "Transport::OmniPath"),
    ("efa", "Transport::Efa"),
    ("tcp", "Transport::Tcp"),
    ("tcpx", "Transport::Tcpx"),
];

/// Every machine by vendor and generation, then named systems, a line each.
pub(super) fn machines(sheet: &Sheet) -> Result<String> {
    let mut rows = String::new();
    for row in &sheet.rows {
        row.filled("source")?;
        let (name, label, node) = (row.text("name")?, row.text("label")?, node(row)?);
        rows += &format!("{} = {name}, {label}, {node};\n", rust::constant(row.filled("name")?));
    }
    Ok(format!(
        "//! Published machines.\n\nuse super::presets::{{ClusterPreset, fabric, machines, network, node}};\n\
         use super::{{Cluster, HostProcessor, ScaleUpKind, ScaleUpTopology, Transport, gpus}};\n\n\
         machines! {{\n{rows}}}\n"
    ))
}

fn node(row: &Row) -> Result<String> {
    Ok(format!(
        "node(gpus::{}, {}, fabric({}, {}, {}, {}), network({}, {}, {}, {}, {}), {}, {})",
        rust::constant(row.filled("GPU")?),
        row.whole("GPUs per node", None)?,
        row.one_of("fabric", &FABRICS)?,
        row.whole("GPUs in fabric", None)?,
        row.real("fabric bandwidth", None)?,
        row.one_of("topology", &TOPOLOGIES)?,
        row.whole("ports per node", None)?,
        row.real("port rate", None)?,
        row.one_of("transport", &TRANSPORTS)?,
        row.whole("nodes per leaf", None)?,
        row.real("oversubscription", None)?,
        row.real("host link", None)?,
        row.one_of("host", &HOSTS)?
    ))
}

/// A price in thousandths of a dollar, as a whole number of two bytes; 0 where there is none.
fn milli_usd(row: &Row, column: &str) -> Result<String> {
    let cell = row.real(column, Some("0"))?;
    let price: f64 = cell.parse().map_err(|error| row.wrong(column, &format!("{cell}: {error}")))?;
    Ok(format!("{:.0}", 1000.0 * price))
}

/// Every cloud instance, a line each.
pub(super) fn instances(sheet: &Sheet) -> Result<String> {
    let mut list = String::new();
    for row in &sheet.rows {
        row.filled("source")?;
        let transport = match row.cell("transport")? {
            "" => "None".to_owned(),
            _ => format!("Some({})", row.one_of("transport", &TRANSPORTS)?),
        };
        list += &format!(
            "row({:?}, {}, {}, {}, {}, {}, {transport}, {}, {}, {:?}),\n",
            row.filled("provider")?,
            row.text("name")?,
            row.text("GPU")?,
            row.whole("GPUs", None)?,
            row.whole("network", Some("0"))?,
            row.whole("ports", Some("0"))?,
            milli_usd(row, "on demand")?,
            milli_usd(row, "spot")?,
            row.cell("region")?
        );
    }
    Ok(format!(
        "//! Cloud instances.\n\nuse super::Transport;\nuse super::instance::{{Instance, row}};\n\n\
         /// Every instance, by provider.\n#[rustfmt::skip]\npub static INSTANCES: &[Instance] = &[\n{list}];\n"
    ))
}
