//! Software stacks.

use super::hardware::RUNS;
use super::rust;
use super::sheet::{Row, Sheet};
use crate::project::Result;

/// Columns that are yes or no.
const FLAGS: [&str; 15] = [
    "leaves_out_unread",
    "ages",
    "forces_balance",
    "graphs",
    "sends_whole_activations",
    "embedding_sync",
    "interleaves",
    "overlaps_by_module",
    "gathers_quantised",
    "overlaps_sends",
    "master_only",
    "fused_activation",
    "keeps_quantised_inputs",
    "placeholder_gradients",
    "rotates_complex",
];

/// Columns that price something.
const PRICES: [&str; 10] = [
    "host_layer",
    "host_gathers",
    "host_tensor",
    "fixed",
    "framework_factor",
    "sharded_factor",
    "straggler",
    "straggler_width",
    "selective_share",
    "overlap_tensor",
];

const LAUNCHES: [(&str, &str); 4] = [
    ("eager", "Launch::Eager"),
    ("partly-fused", "Launch::PartlyFused"),
    ("fused", "Launch::Fused"),
    ("compiled", "Launch::Compiled"),
];

const ATTENTIONS: [(&str, &str); 4] = [
    ("unfused", "Attention::Unfused"),
    ("flash2", "Attention::Flash2"),
    ("vendor", "Attention::Vendor"),
    ("triton-alibi", "Attention::TritonAlibi"),
];

const DISPATCHERS: [(&str, &str); 2] =
    [("all-to-all", "Dispatcher::AllToAll"), ("hierarchical", "Dispatcher::Hierarchical")];

const SPLITS: [(&str, &str); 3] = [
    ("no", "ExpertSplit::Never"),
    ("wide", "ExpertSplit::Wide"),
    ("without expert parallelism", "ExpertSplit::WithoutExpertParallelism"),
];

const KEEPS: [(&str, &str); 3] =
    [("least", "Keeps::Least"), ("projections", "Keeps::Projections"), ("products", "Keeps::Products")];

const DROPS: [(&str, &str); 3] =
    [("norms", "Selective::Norms"), ("blocks", "Selective::Blocks"), ("products", "Selective::Products")];

const OVERLAPS: [(&str, &str); 3] =
    [("no", "Overlaps::Never"), ("sharded", "Overlaps::OfShardedParameters"), ("yes", "Overlaps::Always")];

const EXCHANGES: [(&str, &str); 3] = [
    ("no", "HiddenExchanges::Never"),
    ("interleaved", "HiddenExchanges::Interleaved"),
    ("everywhere", "HiddenExchanges::Everywhere"),
];

/// The enum of stacks and the profiles of each.
pub(super) fn stacks(sheet: &Sheet) -> Result<String> {
    let (mut variants, mut list, mut arms) = (String::new(), String::new(), String::new());
    let (mut stack_names, mut profiles) = (String::new(), String::new());
    let names: Vec<&str> = sheet.rows.iter().map(|row| row.filled("name")).collect::<Result<_>>()?;
    for (at, row) in sheet.rows.iter().enumerate() {
        let name = names[at];
        if names.iter().take(at).any(|other| *other == name) {
            continue;
        }
        let (variant, constant) = (rust::variant(name), rust::constant(name));
        variants += &format!("/// {}\n{variant},\n", row.filled("doc")?);
        list += &format!("(Self::{variant}, {name:?}, {}),\n", row.text("label")?);
        stack_names += &format!("Self::{variant} => {name:?},\n");
        let own: Vec<&Row> =
            sheet.rows.iter().zip(&names).filter(|pair| *pair.1 == name).map(|pair| pair.0).collect();
        let own: Vec<String> = own.into_iter().map(profile).collect::<Result<_>>()?;
        profiles += &format!("\nstatic {constant}: StackProfile = {};\n", own[0]);
        if own.len() == 1 {
            arms += &format!("Self::{variant} => (&{constant}, &[]),\n");
        } else {
            arms += &format!("Self::{variant} => (&{constant}, &{constant}_LATER),\n");
            let later = own[1..].join(", ");
            profiles +=
                &format!("\nstatic {constant}_LATER: [StackProfile; {}] = [{later}];\n", own.len() - 1);
        }
    }
    let count = list.lines().count();
    Ok(format!(
        "//! The software stacks.\n\n\
         use super::profile::{{Attention, Dispatcher, ExpertSplit, HiddenExchanges, Keeps, Launch, Overlaps, StackProfile, Recipe, Replays, Selective}};\n\
         use crate::scenario::MeasuredRuns;\nuse crate::scenario::cluster::GpuFamily;\n\
         use serde::{{Deserialize, Serialize}};\n\n\
         /// A framework, or a kind of framework.\n\
         #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]\n\
         #[serde(rename_all = \"kebab-case\")]\n\
         pub enum Stack {{\n{variants}}}\n\n\
         impl Stack {{\n\
         /// Every stack with its name in data files and links, and its name for people.\n\
         pub const ALL: [(Self, &'static str, &'static str); {count}] = [\n{list}];\n\n\
         /// Name of the stack in data files and links.\n\
         pub fn name(self) -> &'static str {{\nmatch self {{\n{stack_names}}}\n}}\n\n\
         /// Oldest behaviour of the stack, and later ones in order.\n\
         pub(super) fn profiles(self) -> (&'static StackProfile, &'static [StackProfile]) {{\nmatch self {{\n{arms}}}\n}}\n}}\n{profiles}"
    ))
}

fn profile(row: &Row) -> Result<String> {
    let year = |column| row.whole(column, Some("0"));
    let selective = row.cell("selective_since")? != "never";
    let since = |column| match row.cell(column)? {
        "never" => Ok("f64::INFINITY".to_owned()),
        _ => row.real(column, None),
    };
    let mut code = format!(
        "StackProfile {{ since: {}, runs: {}, sources: {}, launch: {}, attention: {}, flash_since: {}, dispatcher: {}, \
         hierarchical_since: {}, reduces_whole_since: {}, reduce_bytes: {}, gradient_bytes: {}, \
         gather_copy: {}, reduce_copy: {}, \
         selective_recompute: {selective}, selective_since: {}, fetches_tensors_until: {}, \
         selective_drops: {}, repeats_until: {}, fused_norm_since: {}, recipe: {},",
        year("since")?,
        row.one_of("runs", &RUNS)?,
        row.whole("sources", None)?,
        row.one_of("launch", &LAUNCHES)?,
        row.one_of("attention", &ATTENTIONS)?,
        year("flash_since")?,
        row.one_of("dispatcher", &DISPATCHERS)?,
        since("hierarchical_since")?,
        since("reduces_whole_since")?,
        row.real("reduce_bytes", None)?,
        row.real("gradient_bytes", None)?,
        row.real("gather_copy", Some("0"))?,
        row.real("reduce_copy", Some("0"))?,
        if selective { year("selective_since")? } else { "0".to_owned() },
        year("fetches_tensors_until")?,
        row.one_of("selective_drops", &DROPS)?,
        row.real("repeats_until", Some("0"))?,
        since("fused_norm_since")?,
        recipe(row)?
    );
    for column in FLAGS {
        code += &format!("{column}: {},", row.flag(column)?);
    }
    for column in PRICES {
        code += &format!("{column}: {},", row.price(column)?);
    }
    row.filled("source")?;
    Ok(code + "}")
}

/// What recipes do where a file of measured runs says nothing.
fn recipe(row: &Row) -> Result<String> {
    let replays = match row.cell("recipe_replays_since")? {
        "" => "None".to_owned(),
        release => {
            let release = release.split_once('.').and_then(|(year, month)| {
                Some((year.parse::<u8>().ok()?, month.parse::<u8>().ok().filter(|m| (1..=12).contains(m))?))
            });
            let (year, month) =
                release.ok_or_else(|| row.wrong("recipe_replays_since", "no release such as 26.06"))?;
            let on = row.filled("recipe_replays_on")?.split(' ');
            let on: Vec<String> = on.map(|name| format!("GpuFamily::{}", rust::variant(name))).collect();
            format!("Some(Replays {{ since: ({year}, {month}), on: &[{}] }})", on.join(", "))
        }
    };
    Ok(format!(
        "Recipe {{ shards_parameters: {}, overlaps_reductions: {}, overlaps_gathers: {}, keeps: {}, splits_experts: {}, hides_exchanges: {}, hides_exchanges_since: {}, overlaps_sends_since: {}, \
         replays: {replays} }}",
        row.flag("recipe_shards")?,
        row.one_of("recipe_overlaps_reductions", &OVERLAPS)?,
        row.one_of("recipe_overlaps_gathers", &OVERLAPS)?,
        row.one_of("recipe_keeps", &KEEPS)?,
        row.one_of("recipe_splits_experts", &SPLITS)?,
        row.one_of("recipe_hides_exchanges", &EXCHANGES)?,
        row.real("recipe_exchanges_since", Some("0"))?,
        row.whole("recipe_overlaps_sends_since", Some("0"))?
    ))
}
