//! How many GPUs a job has: Slurm's options, torchrun's arguments, trainers' devices and nodes.

use super::super::ImportError;
use super::super::draft::Draft;
use super::super::settings::{Number, Setting, Settings};
use crate::document::Document;
use crate::names::gpu_named;
use crate::scenario::cluster::presets::CLUSTERS;

/// Names of the number of nodes. What trains on a cluster of Ray says so itself, whatever each of its nodes is started with.
const NODES: [&str; 8] =
    ["actor_num_nodes", "policy_num_nodes", "nnodes", "num_nodes", "n_nodes", "nodes", "N", "num_machines"];

/// Names of the number of processes of a node, each with one GPU.
const PER_NODE: [&str; 12] = [
    "actor_num_gpus_per_node",
    "policy_num_gpus_per_node",
    "nproc_per_node",
    "gpus_per_node",
    "n_gpus_per_node",
    "devices",
    "num_gpus_per_node",
    "num_gpus",
    "gpus_on_node",
    "ntasks_per_node",
    "npernode",
    "ppn",
];

/// Names of the number of all processes.
const ALL: [&str; 5] = ["world_size", "num_processes", "ntasks", "n", "np"];

/// Names under which Slurm counts GPUs, of a node or of the job, and may name them: `--gres=gpu:h100:8`.
const TYPED: [&str; 4] = ["gres", "gpus_per_node", "gpus", "G"];

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
            draft.ignore(&setting, "The value is not a number. Set the field by hand.");
            Ok(None)
        }
        None => settings.whole(names),
    }
}

/// The number of nodes; the most of a range, `2-4` of Slurm or `2:4` of torchrun.
fn nodes(settings: &mut Settings, draft: &mut Draft) -> Result<Option<Number>, ImportError> {
    let Some(setting) = settings.text(&NODES) else { return Ok(None) };
    let ends = setting.value().split_once(['-', ':']);
    let Some((least, most)) = ends.and_then(|(least, most)| Some((least.parse().ok()?, most.parse().ok()?)))
    else {
        return filled_in(settings, draft, &NODES);
    };
    let (least, most): (u32, u32) = (least, most);
    draft.note(Some("n"), format!("{most} nodes: upper end of the range {least} to {most} in the file."));
    Ok(Some(Number { value: most.into(), setting }))
}

/// Reads the number of GPUs, the GPUs of a node where they are not those of the machine, and the GPU where Slurm names it.
pub(crate) fn gpus(settings: &mut Settings, draft: &mut Draft) -> Result<(), ImportError> {
    let mut model = None;
    let mut typed = None;
    for name in TYPED {
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
    if let Some(preset) = model.as_deref().and_then(machine_of) {
        draft.put("g", preset);
    }
    let (hosts, listed) = included(settings).unzip();
    let nodes = nodes(settings, draft)?.or(hosts);
    let (each, all) = match typed {
        Some((number, true)) => (filled_in(settings, draft, &PER_NODE)?, Some(number)),
        Some((number, false)) => (Some(number), filled_in(settings, draft, &ALL)?),
        None => (filled_in(settings, draft, &PER_NODE)?, filled_in(settings, draft, &ALL)?),
    };
    let each = each.or(listed);
    // One task of a node may be a launcher that starts as many processes as there are GPUs.
    let launcher = |each: &Number| each.setting.key() == "ntasks_per_node" && each.value == 1;
    let each = each.filter(|each| !launcher(each));
    // Slurm's tasks may be launchers, one of a node: there are fewer of them than a node has GPUs.
    let open = settings.unresolved(&NODES).is_some();
    let starts = |each: &Number| each.setting.key() == "nproc_per_node" && each.value > 1;
    let tasks = |all: &Number| ["n", "ntasks"].contains(&all.setting.key());
    let no_gpus =
        |all: &Number, each: &Number| tasks(all) && (all.value < each.value || open && starts(each));
    let all = all.filter(|all| !each.as_ref().is_some_and(|each| no_gpus(all, each)));
    // A launcher may start fewer processes than Slurm gives a node GPUs.
    let started = all.as_ref().filter(|all| !tasks(all)).map(|all| all.value);
    let each = each.filter(|each| started.is_none_or(|started| started >= each.value));
    count(settings, draft, nodes, each, all);
    // Scripts say the same to Slurm and to the launcher.
    for name in NODES.iter().chain(&PER_NODE).filter(|name| name.len() > 1) {
        settings.spend(name);
    }
    if draft.text("n").is_some() {
        settings.pass_over(&["N", "n", "np", "G"]);
    }
    Ok(())
}

/// Hosts, and GPUs of each, of DeepSpeed's `--include worker-0:0,1@worker-1:0,1`, where all have as many.
fn included(settings: &mut Settings) -> Option<(Number, Number)> {
    let gpus = |host: &str| {
        let (_, list) = host.split_once(':')?;
        let numbers = list.split(',').map(|gpu| gpu.parse::<u32>().ok());
        numbers.collect::<Option<Vec<u32>>>().map(|list| list.len())
    };
    let counts = |setting: &Setting| setting.value().split('@').map(gpus).collect::<Option<Vec<usize>>>();
    let named = |setting: &&Setting| setting.key() == "include" && counts(setting).is_some();
    // Other programs have an option of that name.
    let setting = settings.iter().find(named)?.clone();
    let counts = counts(&setting)?;
    let each = *counts.first().filter(|first| counts.iter().all(|count| count == *first))?;
    settings.spend("include");
    let number = |value: usize| Number { value: value as i64, setting: setting.clone() };
    Some((number(counts.len()), number(each)))
}

/// All GPUs of the nodes and GPUs of a node that are said.
fn count(
    settings: &Settings,
    draft: &mut Draft,
    nodes: Option<Number>,
    each: Option<Number>,
    all: Option<Number>,
) {
    let open = |names: &[&str]| settings.unresolved(names).cloned();
    match (nodes, each, all) {
        (Some(nodes), Some(each), _) => {
            let product = nodes.value.saturating_mul(each.value);
            draft.set("n", product, &each.setting);
            hosts(draft, product, &each);
        }
        (Some(nodes), None, Some(all)) => {
            draft.number("n", &all);
            let value = all
                .value
                .checked_div(nodes.value)
                .filter(|each| each.checked_mul(nodes.value) == Some(all.value));
            if let Some(value) = value {
                hosts(draft, all.value, &Number { value, setting: nodes.setting });
            }
        }
        (None, Some(each), Some(all)) => {
            draft.number("n", &all);
            hosts(draft, all.value, &each);
        }
        (None, None, Some(all)) => draft.number("n", &all),
        (Some(nodes), None, None) => match open(&PER_NODE) {
            Some(each) => draft.unresolved("n", &each),
            None => draft.ignore(&nodes.setting, "The number of GPUs per node is not in the file."),
        },
        (None, Some(each), None) => match open(&NODES).or_else(|| open(&ALL)) {
            Some(nodes) => draft.unresolved("n", &nodes),
            None if draft.is_part => {
                draft.lacks("n", "the number of nodes is not in this file".to_owned());
            }
            None => {
                draft.number("n", &each);
                draft.note(Some("n"), "1 node: only the GPUs per node are in the file.");
            }
        },
        (None, None, None) => {
            if let Some(open) = open(&NODES).or_else(|| open(&PER_NODE)).or_else(|| open(&ALL)) {
                draft.unresolved("n", &open);
            }
        }
    }
}

/// GPUs of a host where the job has several. The fabric does not leave a host of fewer than the machine's.
pub(super) fn hosts(draft: &mut Draft, all: i64, each: &Number) {
    let mut document = Document::default();
    if let Some(machine) = draft.text("g") {
        document.set("g", machine);
    }
    let Ok(cluster) = document.values().map(|scenario| scenario.cluster) else { return };
    if all <= each.value {
        return;
    }
    draft.number("node", each);
    // A fabric of a rack leaves the host, one of a host does not.
    let domain = cluster.scale_up.domain;
    if domain <= cluster.gpus_per_node && each.value < i64::from(domain) {
        draft.number("domain", each);
        let text = format!(
            "{}: the NVLink domain is assumed to be one host. Change the domain size for NVL72.",
            each.value
        );
        draft.note(Some("domain"), text);
    }
}

/// The machine whose GPU has a name, as `h100` or `NVIDIA H100 80GB HBM3`; the first of the list that has it.
pub(crate) fn machine_of(name: &str) -> Option<&'static str> {
    // Identifiers are of any letters and digits.
    let gpu = gpu_named(name.split("(UUID").next().unwrap_or(name))?;
    let has_it = || CLUSTERS.iter().find(|preset| preset.cluster.gpu == gpu.gpu).map(|preset| preset.name);
    gpu.machine.or_else(has_it)
}
