//! What a machine says of its GPUs: `nvidia-smi`, `nvidia-smi -L`, `nvidia-smi topo -m`, `lspci`.

use super::super::ImportError;
use super::super::draft::Draft;
use super::slurm::machine_of;
use crate::document::Document;

/// Names of families of network ports in such lists, and what one carries \[Gb/s\].
const PORTS: [(&str, u32); 3] = [("ConnectX-8", 800), ("ConnectX-7", 400), ("ConnectX-6", 200)];

/// Reads the listing.
pub(super) fn read(text: &str, draft: &mut Draft) -> Result<(), ImportError> {
    let gpu_lines: Vec<&str> = text.lines().filter(|line| names_gpu(line)).collect();
    let preset = gpu_lines.iter().find_map(|line| machine_of(line));
    let counted = gpu_lines.len().max(topology_rows(text));
    if preset.is_none() && counted == 0 {
        let message = "The text lists no GPU. Paste the output of nvidia-smi, nvidia-smi topo -m or lspci.";
        return Err(super::super::sentence(message.to_owned()));
    }
    match preset {
        Some(preset) => {
            draft.put("g", preset);
            draft.note(
                Some("g"),
                format!("{preset}: first machine in the list with this GPU. The network is assumed."),
            );
        }
        None => {
            let name = gpu_lines.iter().find_map(|line| unknown(line));
            let text = name.map_or_else(
                || "The GPU model is not in the text. Add the output of nvidia-smi -L.".to_owned(),
                |name| format!("Unknown machine {name}. Select a machine, or set its fields."),
            );
            draft.note(Some("g"), text);
        }
    }
    node(counted, preset, draft);
    fabric(text, draft);
    ports(text, draft);
    Ok(())
}

/// The name of a GPU that is not known, in `GPU 0: NVIDIA GeForce RTX 3060 (UUID: ...)` or a row of the table.
fn unknown(line: &str) -> Option<&str> {
    let begin = line.find("NVIDIA ").or_else(|| line.find("AMD "))?;
    let name = line.get(begin..)?.split(['(', '|', '[']).next()?;
    Some(name.split("  ").next()?.trim()).filter(|name| name.len() < 80)
}

/// Whether a line names a GPU: of `nvidia-smi -L`, of its table, or a controller of `lspci`.
fn names_gpu(line: &str) -> bool {
    let listed = line.trim_start().starts_with("GPU ") && line.contains(':');
    let controller = line.contains("controller") && (line.contains("NVIDIA") || line.contains("Instinct"));
    let table =
        line.trim_start().starts_with('|') && line.contains("NVIDIA ") && !line.contains("NVIDIA-SMI");
    (listed || controller || table) && !line.contains("NVSwitch") && !line.contains("Bridge")
}

/// Rows of GPUs of `nvidia-smi topo -m`.
fn topology_rows(text: &str) -> usize {
    let is_row = |line: &&str| {
        let mut words = line.split_whitespace();
        let name = words.next().and_then(|name| name.strip_prefix("GPU"));
        let first_column = words.next();
        // The header begins with names of columns, rows with a link.
        name.is_some_and(|index| index.parse::<u32>().is_ok())
            && first_column.is_some_and(|cell| !cell.starts_with("GPU"))
    };
    text.lines().filter(is_row).count()
}

fn node(counted: usize, preset: Option<&str>, draft: &mut Draft) {
    let Ok(counted) = u32::try_from(counted) else { return };
    if counted == 0 {
        return;
    }
    let mut document = Document::default();
    if let Some(preset) = preset {
        document.set("g", preset);
    }
    if document.text("node") != counted.to_string() {
        draft.put("node", counted);
        draft.put("domain", counted);
    }
    draft.note(None, format!("{counted} GPUs per node. The number of nodes is not in the text."));
}

/// The link between GPUs, of the cells of `nvidia-smi topo -m`.
fn fabric(text: &str, draft: &mut Draft) {
    if topology_rows(text) < 2 {
        return;
    }
    let rows = text.lines().filter(|line| line.trim_start().starts_with("GPU"));
    let has = |test: &dyn Fn(&str) -> bool| rows.clone().any(|row| row.split_whitespace().any(test));
    let linked = has(&|cell| cell.strip_prefix("NV").is_some_and(|links| links.parse::<u32>().is_ok()));
    let through_switch = has(&|cell| ["PIX", "PXB"].contains(&cell));
    let kind = if linked {
        "nvlink"
    } else if through_switch {
        "pcie"
    } else {
        "pcie-host"
    };
    draft.put("fabric", kind);
}

/// The speed of the network's ports, where their family is named.
fn ports(text: &str, draft: &mut Draft) {
    let of_family = |name: &str| text.lines().filter(|line| line.contains(name)).count();
    let Some((name, gigabits)) = PORTS.into_iter().find(|(name, _)| of_family(name) > 0) else { return };
    draft.put("nics", of_family(name));
    draft.put("nic", gigabits);
    draft.note(Some("nic"), format!("{gigabits} Gb/s: maximum port rate of {name}."));
}
