//! Machines by their names, by those of their GPUs and of cloud instances, and how many of them.

use super::entries::{Thing, meaning, with_all};
use super::words::{LONGEST, TIMES, is_number, next_word, plain, words};
use super::{CUSTOM, NameKind, NameMatch, found};
use crate::number;
use crate::scenario::cluster::Cluster;
use crate::scenario::cluster::instance::Rent;
use crate::scenario::cluster::presets::{GPUS, GpuPreset, find, find_gpu};

/// A machine by name.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Machine {
    /// Its name in the table of machines, or `custom`.
    pub key: &'static str,
    /// One node where it is another than that row's: an instance, or a GPU that the row has not.
    pub cluster: Option<Cluster>,
    /// GPUs, where their number was written, or that of nodes or instances.
    pub gpus: Option<u32>,
    /// GPUs of one, where an instance was named.
    pub instance: Option<u32>,
    /// Price of one GPU for an hour where it is the machine's own, USD.
    pub price: Option<f64>,
}

/// The machine that a text means: `h100`, `8xH100`, `2 nodes of dgx-a100`, `4 x p5.48xlarge spot`. Before an instance, a number is
/// one of instances; before others, of GPUs.
pub fn machine(text: &str) -> Option<Machine> {
    let (name, count) = counted(text, |name| named(name).is_some())?;
    let mut machine = named(name)?;
    let node = match machine.cluster {
        Some(cluster) => cluster.gpus_per_node,
        None => find(machine.key).map_or(1, |preset| preset.cluster.gpus_per_node),
    };
    machine.gpus = match count {
        Some(Count { number, nodes, .. }) if nodes || machine.instance.is_some() => {
            Some(number.checked_mul(node)?)
        }
        count => count.map(|count| count.number),
    };
    Some(machine)
}

/// What of a text names the machine, without the number.
pub(super) fn uncounted(text: &str) -> Option<&str> {
    counted(text, |name| named(name).is_some()).map(|parts| parts.0)
}

/// Written before a machine.
#[derive(Debug, Clone, Copy)]
struct Count {
    number: u32,
    /// It is a number of nodes.
    nodes: bool,
    /// It is a product, of nodes and their GPUs.
    product: bool,
}

impl Count {
    const fn of(number: u32) -> Self {
        Self { number, nodes: false, product: false }
    }
}

/// Words between a number and a machine's name.
const OF_GPUS: [&str; 9] = ["x", "of", "with", "single", "gpu", "gpus", "card", "cards", "each"];
const NODES: [&str; 8] =
    ["node", "nodes", "machine", "machines", "server", "servers", "instance", "instances"];

/// Numbers that people write as words.
const SMALL: [(&str, u32); 9] = [
    ("a", 1),
    ("an", 1),
    ("one", 1),
    ("single", 1),
    ("two", 2),
    ("three", 3),
    ("four", 4),
    ("eight", 8),
    ("sixteen", 16),
];

/// The longest end of a text that is a name, and the number before it; or the start, and the number behind it. A text that is a name as a
/// whole has no number: 4090 is a card. What follows a name may be no part of it: `4 mi355x nodes`, `64 H100s`.
fn counted(text: &str, is_name: impl Fn(&str) -> bool) -> Option<(&str, Option<Count>)> {
    let text = text.trim();
    if text.len() > LONGEST {
        return None;
    }
    if let Some(found) = count_of(text, &is_name) {
        return Some(found);
    }
    if let Some(start) =
        text.strip_suffix(['s', 'S']).filter(|start| start.ends_with(|c: char| c.is_ascii_digit()))
    {
        return count_of(start, &is_name);
    }
    let (start, last) = text.rsplit_once(' ')?;
    let is_one_of = |list: &[&str]| list.contains(&plain(last).as_str());
    let (name, count) = count_of(start, &is_name).filter(|_| is_one_of(&OF_GPUS) || is_one_of(&NODES))?;
    let nodes = |count: Count| count.nodes || is_one_of(&NODES) && !count.product;
    Some((name, count.map(|count| Count { nodes: nodes(count), ..count })))
}

/// The same of a text that ends with the name or the number.
fn count_of(text: &str, is_name: impl Fn(&str) -> bool) -> Option<(&str, Option<Count>)> {
    if is_name(text) {
        return Some((text, None));
    }
    let mut count: Option<Count> = None;
    let mut rest = text;
    // Whether a number may follow, which multiplies the one before.
    let mut times = true;
    while let Some((word, mut after)) = next_word(rest) {
        let small = SMALL.iter().find(|(name, _)| word == *name && count.is_none() && after.starts_with(' '));
        if let Some((_, number)) = small {
            count = Some(Count { nodes: is_of_node(after), ..Count::of(*number) });
        } else if is_number(&word) {
            // 2.5k is no number of machines, and 1 024 none of two.
            let is_whole = !rest.trim_start_matches(|c: char| c.is_ascii_digit()).starts_with('.');
            let mut number: u32 = word.parse().ok().filter(|_| is_whole && times)?;
            // 16k, as in the field of GPUs.
            if let Some(behind) = after.strip_prefix(['k', 'K']).filter(|behind| behind.starts_with(' ')) {
                (number, after) = (number.checked_mul(1024)?, behind);
            }
            count = Some(match count {
                Some(before) => Count { product: true, ..Count::of(before.number.checked_mul(number)?) },
                None => Count::of(number),
            });
            times = false;
        } else if NODES.contains(&word.as_str()) {
            count = count.map(|count| Count { nodes: !count.product, ..count });
            count?;
            times = true;
        } else if count.is_none() || !OF_GPUS.contains(&word.as_str()) {
            break;
        } else {
            times |= word == "x";
        }
        // 8xH100 is 8 times H100.
        let product = after.strip_prefix(TIMES).filter(|_| is_number(&word));
        times |= product.is_some();
        rest = product.unwrap_or(after).trim_start();
        if count.is_some() && is_name(rest) {
            return Some((rest, count));
        }
    }
    let (name, number) = text.rsplit_once(TIMES)?;
    let (name, number) = (name.trim(), number.trim().parse().ok()?);
    is_name(name).then_some((name, Some(Count::of(number))))
}

/// Whether a name is that of a whole node, of which people count few: a DGX H100.
fn is_of_node(name: &str) -> bool {
    next_word(name).is_some_and(|(word, _)| ["dgx", "hgx"].contains(&word.as_str()))
}

/// Follows an instance's name: its price is that of spare capacity.
const SPOT: &str = " spot";

/// A name without what says how its machine is rented.
fn rent(name: &str) -> (&str, Rent) {
    let name = name.trim();
    match name.split_at_checked(name.len().saturating_sub(SPOT.len())) {
        Some((name, end)) if end.eq_ignore_ascii_case(SPOT) => (name, Rent::Spot),
        _ => (name, Rent::OnDemand),
    }
}

/// The machine of a name without number.
fn named(name: &str) -> Option<Machine> {
    let plain = Machine { key: CUSTOM, cluster: None, gpus: None, instance: None, price: None };
    let (name, rent) = rent(name);
    match (meaning(NameKind::Machine, name)?, rent) {
        (Thing::Instance(instance), rent) => {
            let (key, cluster) = instance.cluster()?;
            let price = instance.price(rent);
            Some(Machine {
                key,
                cluster: Some(cluster),
                instance: Some(instance.gpus.into()),
                price,
                ..plain
            })
        }
        (Thing::Row(key), Rent::OnDemand) => Some(Machine { key, ..plain }),
        (Thing::Gpu(gpu), Rent::OnDemand) => {
            carrier(gpu).map(|(key, cluster)| Machine { key, cluster, ..plain })
        }
        (Thing::Row(_) | Thing::Gpu(_) | Thing::Shape(_), _) => None,
    }
}

/// The machine that a GPU is usually in, with that GPU where the row has another.
fn carrier(gpu: &GpuPreset) -> Option<(&'static str, Option<Cluster>)> {
    let preset = find(gpu.machine?)?;
    let own = Cluster { gpu: gpu.gpu, ..preset.cluster };
    Some((preset.name, (own != preset.cluster).then_some(own)))
}

/// Machines that have every word of a query, the best first.
pub(super) fn search(query: &str) -> Vec<NameMatch> {
    let things = |name: &str| with_all(NameKind::Machine, rent(name).0);
    let whole = counted(query, |name| named(name).is_some()).filter(|parts| !things(parts.0).is_empty());
    // What is not typed to its end: a name as a whole, or with a number before it.
    let begun = || {
        // A number that is part of another one is none of a name: 8 is not of 80 GB.
        let number = next_word(query).map(|first| first.0).filter(|word| is_number(word));
        let own =
            |thing: &Thing| number.as_ref().is_none_or(|number| thing.has_word(NameKind::Machine, number));
        let machine = |thing: &Thing| !matches!(thing, Thing::Instance(_));
        let of_machine = |name: &str| {
            things(name).iter().any(|thing| machine(thing) && (name != query.trim() || own(thing)))
        };
        counted(query, of_machine).or_else(|| counted(query, |name| !things(name).is_empty()))
    };
    let Some((name, count)) = whole.or_else(begun) else { return Vec::new() };
    let is_instance = named(name).is_some_and(|machine| machine.instance.is_some());
    let mut picks: Vec<NameMatch> = Vec::new();
    for thing in things(name) {
        let Some((mut pick, node)) = pick(thing, rent(name).1) else { continue };
        if let Some(Count { number, nodes, .. }) = count {
            let each = if nodes || is_instance { node } else { 1 };
            let gpus = number.saturating_mul(each);
            pick.label = if each > 1 {
                let gpus = number::integer(gpus.into());
                format!("{} \u{d7} {} ({gpus} GPUs)", number::integer(number.into()), pick.label)
            } else {
                format!("{} \u{d7} {}", number::integer(gpus.into()), pick.label)
            };
            pick.values.push(("n", gpus.to_string()));
        }
        if !picks.contains(&pick) {
            picks.push(pick);
        }
    }
    picks
}

/// A machine as it is picked, and GPUs of a node. A GPU is picked where it has a machine of its own.
fn pick(thing: Thing, rent: Rent) -> Option<(NameMatch, u32)> {
    let thing = match thing {
        Thing::Gpu(gpu) => Thing::Row(carrier(gpu).filter(|machine| machine.1.is_none())?.0),
        other => other,
    };
    let mut pick = found(NameKind::Machine, thing)?;
    match (thing, rent) {
        (Thing::Instance(instance), rent) => {
            if rent == Rent::Spot {
                pick.label.push_str(SPOT);
                pick.values.iter_mut().for_each(|value| value.1.push_str(SPOT));
            }
            Some((pick, instance.gpus.into()))
        }
        (_, Rent::OnDemand) => {
            Some((pick, find(thing.name()).map_or(1, |preset| preset.cluster.gpus_per_node)))
        }
        (_, Rent::Spot) => None,
    }
}

/// The GPU that a name means, as `nvidia-smi`, a cloud or a person writes it: `NVIDIA A100-SXM4-40GB`, `h100`, `RTX 4090`.
/// Its own name, or the GPU most of whose words ([`GpuPreset::also`]) are in the name; the first of the list of equals.
pub fn gpu_named(name: &str) -> Option<&'static GpuPreset> {
    let written = words(name);
    let has = |wanted: &[String]| written.windows(wanted.len().max(1)).any(|part| part == wanted);
    let named = |also: &str| {
        let parts: Vec<Vec<String>> = also.split(' ').map(words).collect();
        if parts.iter().all(|part| has(part)) { parts.iter().map(Vec::len).sum() } else { 0 }
    };
    let matched = |preset: &GpuPreset| -> usize { preset.also.split('/').map(named).max().unwrap_or(0) };
    find_gpu(name.trim()).or_else(|| {
        // The last of equals is what `max_by_key` takes, so the list is walked from its end.
        GPUS.iter().rev().filter(|preset| matched(preset) > 0).max_by_key(|preset| matched(preset))
    })
}
