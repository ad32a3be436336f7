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
    let Literals { usual, usual_recipe, rows } = Literals::of(sheet)?;
    for (at, row) in sheet.rows.iter().enumerate() {
        let name = names[at];
        if names.iter().take(at).any(|other| *other == name) {
            continue;
        }
        let (variant, constant) = (rust::variant(name), rust::constant(name));
        variants += &format!("/// {}\n{variant},\n", row.filled("doc")?);
        list += &format!("(Self::{variant}, {name:?}, {}),\n", row.text("label")?);
        stack_names += &format!("Self::{variant} => {name:?},\n");
        let own: Vec<&str> =
            rows.iter().zip(&names).filter(|pair| *pair.1 == name).map(|pair| pair.0.as_str()).collect();
        profiles += &format!("{SKIP}static {constant}: StackProfile = {};\n", own[0]);
        if own.len() == 1 {
            arms += &format!("Self::{variant} => (&{constant}, &[]),\n");
        } else {
            arms += &format!("Self::{variant} => (&{constant}, &{constant}_LATER),\n");
            let (count, later) = (own.len() - 1, own[1..].join(",\n"));
            profiles +=
                &format!("{SKIP}static {constant}_LATER: [StackProfile; {count}] = [\n{later},\n];\n");
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
         pub(super) fn profiles(self) -> (&'static StackProfile, &'static [StackProfile]) {{\nmatch self {{\n{arms}}}\n}}\n}}\n\n\
         /// The most frequent value of each field of recipes.\n{SKIP}const USUAL_RECIPE: Recipe = Recipe {{ {usual_recipe} }};\n\n\
         /// The most frequent value of each field; a stack names those in which it differs.\n{SKIP}const USUAL: StackProfile = StackProfile {{ {usual} }};\n\n{profiles}"
    ))
}

/// Keeps a row on its line.
const SKIP: &str = "#[rustfmt::skip]\n";

/// Struct literals of the profiles.
struct Literals {
    /// The most frequent value of each field.
    usual: String,
    /// The most frequent value of each field of recipes.
    usual_recipe: String,
    /// Every row with the fields in which it differs.
    rows: Vec<String>,
}

impl Literals {
    fn of(sheet: &Sheet) -> Result<Self> {
        let recipes: Vec<rust::Fields> = sheet.rows.iter().map(recipe).collect::<Result<_>>()?;
        let usual_recipe = rust::usual(&recipes);
        let mut profiles: Vec<rust::Fields> = sheet.rows.iter().map(profile).collect::<Result<_>>()?;
        for (profile, recipe) in profiles.iter_mut().zip(&recipes) {
            let own = rust::differing(recipe, &usual_recipe, "USUAL_RECIPE");
            let plain = *recipe == usual_recipe;
            profile.push((
                "recipe",
                if plain { "USUAL_RECIPE".to_owned() } else { format!("Recipe {{ {own} }}") },
            ));
        }
        let usual = rust::usual(&profiles);
        let row = |fields| format!("StackProfile {{ {} }}", rust::differing(fields, &usual, "USUAL"));
        Ok(Self {
            rows: profiles.iter().map(row).collect(),
            usual: rust::literal(&usual),
            usual_recipe: rust::literal(&usual_recipe),
        })
    }
}

fn profile(row: &Row) -> Result<rust::Fields> {
    let year = |column| row.whole(column, Some("0"));
    let selective = row.cell("selective_since")? != "never";
    let since = |column| match row.cell(column)? {
        "never" => Ok("f64::INFINITY".to_owned()),
        _ => row.real(column, None),
    };
    let mut fields = vec![
        ("since", year("since")?),
        ("runs", row.one_of("runs", &RUNS)?.to_owned()),
        ("sources", row.whole("sources", None)?),
        ("launch", row.one_of("launch", &LAUNCHES)?.to_owned()),
        ("attention", row.one_of("attention", &ATTENTIONS)?.to_owned()),
        ("flash_since", year("flash_since")?),
        ("dispatcher", row.one_of("dispatcher", &DISPATCHERS)?.to_owned()),
        ("hierarchical_since", since("hierarchical_since")?),
        ("reduces_whole_since", since("reduces_whole_since")?),
        ("reduce_bytes", row.real("reduce_bytes", None)?),
        ("gradient_bytes", row.real("gradient_bytes", None)?),
        ("gather_copy", row.real("gather_copy", Some("0"))?),
        ("reduce_copy", row.real("reduce_copy", Some("0"))?),
        ("selective_recompute", selective.to_string()),
        ("selective_since", if selective { year("selective_since")? } else { "0".to_owned() }),
        ("fetches_tensors_until", year("fetches_tensors_until")?),
        ("selective_drops", row.one_of("selective_drops", &DROPS)?.to_owned()),
        ("repeats_until", row.real("repeats_until", Some("0"))?),
        ("fused_norm_since", since("fused_norm_since")?),
    ];
    for column in FLAGS {
        fields.push((column, row.flag(column)?.to_owned()));
    }
    for column in PRICES {
        fields.push((column, row.price(column)?));
    }
    row.filled("source")?;
    Ok(fields)
}

/// What recipes do where a file of measured runs says nothing.
fn recipe(row: &Row) -> Result<rust::Fields> {
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
    Ok(vec![
        ("shards_parameters", row.flag("recipe_shards")?.to_owned()),
        ("overlaps_reductions", row.one_of("recipe_overlaps_reductions", &OVERLAPS)?.to_owned()),
        ("overlaps_gathers", row.one_of("recipe_overlaps_gathers", &OVERLAPS)?.to_owned()),
        ("keeps", row.one_of("recipe_keeps", &KEEPS)?.to_owned()),
        ("splits_experts", row.one_of("recipe_splits_experts", &SPLITS)?.to_owned()),
        ("hides_exchanges", row.one_of("recipe_hides_exchanges", &EXCHANGES)?.to_owned()),
        ("hides_exchanges_since", row.real("recipe_exchanges_since", Some("0"))?),
        ("overlaps_sends_since", row.whole("recipe_overlaps_sends_since", Some("0"))?),
        ("replays", replays),
    ])
}
