//! How many GPUs a job has: Slurm's options, torchrun's arguments, trainers' devices and nodes.

use super::super::ImportError;
use super::super::draft::Draft;
use super::super::settings::{Number, Setting, Settings};
use crate::document::Document;
use crate::names::gpu_named;
use crate::scenario::cluster::presets::CLUSTERS;

/// Names of the number of nodes.
const NODES: [&str; 5] = ["nnodes", "num_nodes", "nodes", "N", "num_machines"];

/// Names of the number of processes of a node, each with one GPU.
const PER_NODE: [&str; 7] = [
    "nproc_per_node",
    "gpus_per_node",
    "devices",
    "num_gpus_per_node",
    "num_gpus",
    "gpus_on_node",
    "ntasks_per_node",
];

/// Names of the number of all processes.
const ALL: [&str; 4] = ["world_size", "num_processes", "ntasks", "n"];

/// A number, or nothing where a published script leaves it to its reader, as in `--nodes=your_own_num_nodes`.
fn filled_in(
    settings: &mut Settings,
    draft: &mut Draft,
    names: &[&str],
) -> Result<Option<Number>, ImportError> {
    // One letter may be an option of any other program.
    let left_open = |setting: &Setting| match setting.key() {
        key if key.len() == 1 => setting.value().parse::<u32>().is_err(),
        _ => !setting.value().contains(|c: char| c.is_ascii_digit()) && setting.value() != "auto",
    };
    match settings.text(names).filter(left_open) {
        Some(setting) => {
            draft.ignore(&setting, "This is no number: the file leaves it to its reader.");
            Ok(None)
        }
        None => settings.whole(names),
    }
}

/// Reads the number of GPUs, and the GPU where Slurm names it.
pub(in crate::exchange) fn gpus(settings: &mut Settings, draft: &mut Draft) -> Result<(), ImportError> {
    // `--gres=gpu:h100:8` and `--gpus-per-node=h100:8` name the GPU, too.
    let mut model = None;
    let mut typed = None;
    for name in ["gres", "gpus_per_node", "gpus", "G"] {
        let Some(setting) = settings.text(&[name]) else { continue };
        let parts: Vec<&str> = setting.value().split(':').filter(|part| *part != "gpu").collect();
        let count =
            parts.last().and_then(|count| count.parse::<i64>().ok()).or((parts.is_empty()).then_some(1));
        if let Some(value) = count {
            model = parts.iter().rev().nth(1).map(|name| (*name).to_owned()).or(model);
            let all = ["gpus", "G"].contains(&name);
            typed = typed.or(Some((Number { value, setting }, all)));
        }
    }
    let nodes = filled_in(settings, draft, &NODES)?;
    let (each, all) = match typed {
        Some((number, true)) => (None, Some(number)),
        Some((number, false)) => (Some(number), None),
        None => (filled_in(settings, draft, &PER_NODE)?, filled_in(settings, draft, &ALL)?),
    };
    match (nodes, each, all) {
        (Some(nodes), Some(each), _) => {
            let product = nodes.value.saturating_mul(each.value);
            draft.set("n", product, &each.setting);
        }
        (_, _, Some(all)) => draft.number("n", &all),
        (Some(nodes), None, None) => {
            let each = i64::from(usual_node());
            draft.set("n", nodes.value.saturating_mul(each), &nodes.setting);
            draft.note(Some("n"), format!("{each} GPUs a node: only the number of nodes is given."));
        }
        (None, Some(each), None) => {
            draft.number("n", &each);
            draft.note(Some("n"), "One node: only the GPUs of a node are given.");
        }
        (None, None, None) => {
            draft.note(Some("n"), "The number of GPUs is not in the file; it stays as it is.")
        }
    }
    if let Some(preset) = model.as_deref().and_then(machine_of) {
        draft.put("g", preset);
    }
    Ok(())
}

/// GPUs of a node where nothing is said: those of the machine that the form starts out with.
pub(super) fn usual_node() -> u32 {
    Document::default().values().map_or(8, |scenario| scenario.cluster.gpus_per_node)
}

/// The machine whose GPU has a name, as `h100` or `NVIDIA H100 80GB HBM3`; the first of the list that has it.
pub(in crate::exchange) fn machine_of(name: &str) -> Option<&'static str> {
    // Identifiers are of any letters and digits.
    let gpu = gpu_named(name.split("(UUID").next().unwrap_or(name))?;
    let has_it = || CLUSTERS.iter().find(|preset| preset.cluster.gpu == gpu.gpu).map(|preset| preset.name);
    gpu.machine.or_else(has_it)
}
