//! Software stacks: what holds of each in a month, out of rows that say one thing each.

mod without;

pub(super) use without::{values, without};

use super::rust::{self, Fields};
use super::sheet::{Row, Sheet};
use crate::project::Result;

/// What the value of a key is.
#[derive(Debug, Clone, Copy)]
enum Value {
    /// `yes` or `no`.
    Flag,
    /// A product of constants and numbers.
    Price,
    /// A real number.
    Real,
    /// A whole number.
    Whole,
    /// A variant of this enum.
    Of(&'static str),
    /// Generations of GPUs, or `none`.
    Families,
}

use Value::{Families, Flag, Of, Price, Real, Whole};

/// Keys of a stack, each a field of `StackProfile`.
const PROFILE: [(&str, Value); 50] = [
    ("runs", Of("MeasuredRuns")),
    ("sources", Whole),
    ("launch", Of("Launch")),
    ("compiler", Of("Compiler")),
    ("whole_program", Flag),
    ("attention", Of("Attention")),
    ("vendor_on_blackwell", Flag),
    ("fuses_scores", Flag),
    ("host_layer", Price),
    ("host_gathers", Price),
    ("host_tensor", Price),
    ("fixed", Price),
    ("framework_factor", Price),
    ("sharded_factor", Price),
    ("straggler", Price),
    ("straggler_width", Price),
    ("dispatcher", Of("Dispatcher")),
    ("leaves_routing_eager", Flag),
    ("pads_groups", Flag),
    ("adds_up_in_order", Flag),
    ("streams_products", Flag),
    ("forces_balance", Flag),
    ("graphs", Flag),
    ("graphs_parts", Flag),
    ("loss_with_head", Flag),
    ("splits_loss", Flag),
    ("sends_whole_activations", Flag),
    ("embedding_sync", Flag),
    ("reduces_whole", Flag),
    ("reduce_bytes", Real),
    ("gradient_bytes", Real),
    ("gather_copy", Real),
    ("reduce_copy", Real),
    ("interleaves", Flag),
    ("selective_recompute", Flag),
    ("selective_share", Price),
    ("selective_drops", Of("Selective")),
    ("overlap_tensor", Price),
    ("overlaps_by_module", Flag),
    ("gathers_quantised", Flag),
    ("updates_by_operators", Flag),
    ("master_only", Flag),
    ("fused_activation", Flag),
    ("keeps_quantised_inputs", Flag),
    ("placeholder_gradients", Flag),
    ("makes_gradients", Flag),
    ("leaves_out_unread", Flag),
    ("rotates_complex", Flag),
    ("repeats_keys_values", Flag),
    ("fuses_norms", Flag),
];

/// Keys of recipes, each a field of `Recipe` behind `recipe_`.
const RECIPE: [(&str, Value); 6] = [
    ("recipe_shards_parameters", Flag),
    ("recipe_overlaps_reductions", Of("Overlaps")),
    ("recipe_overlaps_gathers", Of("Overlaps")),
    ("recipe_splits_wide_experts", Flag),
    ("recipe_hides_exchanges", Flag),
    ("recipe_replays", Families),
];

/// Keys of libraries, each a field of `Libraries`.
const LIBRARIES: [(&str, Value); 5] = [
    ("bias_in_product", Flag),
    ("pads_products", Flag),
    ("sdpa", Of("Attention")),
    ("assembly_attention", Flag),
    ("sends_beside_compute", Flag),
];

/// Kind of what is no stack, and name under which the rows of all such are found.
const LIBRARY: &str = "library";

/// Year and month.
type Month = (u16, u8);

/// Before all releases.
const ALWAYS: Month = (0, 0);

/// One row.
#[derive(Clone, Copy)]
struct Fact<'a> {
    stack: &'a str,
    since: Month,
    key: &'a str,
    value: &'a str,
    row: &'a Row,
}

/// All rows.
struct Facts<'a>(Vec<Fact<'a>>);

impl<'a> Facts<'a> {
    fn read(sheet: &'a Sheet) -> Result<Self> {
        let mut facts: Vec<Fact<'a>> = sheet.rows.iter().map(fact).collect::<Result<_>>()?;
        let libraries: Vec<&str> = facts
            .iter()
            .filter(|fact| (fact.key, fact.value) == ("kind", LIBRARY))
            .map(|fact| fact.stack)
            .collect();
        for (at, fact) in facts.iter().enumerate() {
            let above = facts.get(..at).unwrap_or_default();
            let same = |other: &Fact<'_>| {
                (other.stack, other.since, other.key) == (fact.stack, fact.since, fact.key)
            };
            if above.iter().any(same) {
                return Err(fact.row.wrong("key", &format!("{} stands twice in a month", fact.key)));
            }
            let known = fact.value == LIBRARY || above.iter().any(|other| other.stack == fact.value);
            if fact.key == "kind" && !known {
                return Err(fact.row.wrong("value", &format!("no rows of {} above", fact.value)));
            }
            let keys: &[&[(&str, Value)]] =
                if libraries.contains(&fact.stack) { &[&LIBRARIES] } else { &[&PROFILE, &RECIPE] };
            let named = ["kind", "label", "doc"].contains(&fact.key);
            if !named && !keys.concat().iter().any(|(key, _)| *key == fact.key) {
                return Err(fact.row.wrong("key", &format!("there is no {}", fact.key)));
            }
        }
        facts.retain(|fact| fact.value != LIBRARY);
        for fact in facts.iter_mut().filter(|fact| libraries.contains(&fact.stack)) {
            fact.stack = LIBRARY;
        }
        Ok(Self(facts))
    }

    /// Names of stacks and kinds, in their order.
    fn names(&self) -> Vec<&'a str> {
        let mut names = Vec::new();
        for fact in &self.0 {
            if fact.stack != LIBRARY && !names.contains(&fact.stack) {
                names.push(fact.stack);
            }
        }
        names
    }

    /// The last row of a stack's own, of those from a month to another.
    fn own(&self, stack: &str, key: &str, from: Month, to: Month) -> Option<&Fact<'a>> {
        let mine =
            |fact: &&Fact<'_>| fact.stack == stack && fact.key == key && (from..=to).contains(&fact.since);
        self.0.iter().filter(mine).max_by_key(|fact| fact.since)
    }

    /// What a stack is in a month; nothing for the one that all others are.
    fn kind(&self, stack: &str, at: Month) -> Option<&Fact<'a>> {
        self.own(stack, "kind", ALWAYS, at)
    }

    /// The row that holds in a month: the stack's, of those since it is of its kind, else the kind's.
    fn held(&self, stack: &str, key: &str, at: Month) -> Result<&Fact<'a>> {
        let kind = self.kind(stack, at);
        let since = kind.map_or(ALWAYS, |kind| kind.since);
        match (self.own(stack, key, since, at), kind) {
            (Some(own), _) => Ok(own),
            (None, Some(kind)) => self.held(kind.value, key, at),
            (None, None) => Err(format!("{stack} has no row of {key}")),
        }
    }

    /// Months in which something may change, in order.
    fn months(&self, stack: &str) -> Vec<Month> {
        let own = self.0.iter().filter(|fact| fact.stack == stack);
        let mut months: Vec<Month> = own
            .flat_map(|fact| {
                let inherited = if fact.key == "kind" { self.months(fact.value) } else { Vec::new() };
                inherited.into_iter().chain([fact.since])
            })
            .filter(|month| *month != ALWAYS)
            .collect();
        months.sort_unstable();
        months.dedup();
        months
    }

    /// Fields and values of what holds in a month.
    fn fields(&self, stack: &str, keys: &[(&'static str, Value)], at: Month) -> Result<Fields> {
        let field = |(key, value): &(&'static str, Value)| {
            let name = key.strip_prefix("recipe_").unwrap_or(key);
            Ok((name, literal(*value, self.held(stack, key, at)?)?))
        };
        keys.iter().map(field).collect()
    }
}

fn fact(row: &Row) -> Result<Fact<'_>> {
    row.filled("source")?;
    let month = |text: &str| {
        let (year, month) = text.split_once('-')?;
        let digits = year.len() == 4 && month.len() == 2;
        let parsed = (year.parse::<u16>().ok()?, month.parse::<u8>().ok()?);
        (digits && (1..=12).contains(&parsed.1)).then_some(parsed)
    };
    let since = match row.cell("since")? {
        "" => ALWAYS,
        text => {
            month(text).ok_or_else(|| row.wrong("since", &format!("{text:?} is no month such as 2025-05")))?
        }
    };
    let (stack, key) = (row.filled("stack")?, row.filled("key")?);
    Ok(Fact { stack, since, key, value: row.filled("value")?, row })
}

/// A value as Rust has it.
fn literal(value: Value, fact: &Fact<'_>) -> Result<String> {
    let row = fact.row;
    let variant = |name: &str, word: &str| format!("{name}::{}", rust::variant(word));
    Ok(match value {
        Flag => row.flag("value")?.to_owned(),
        Price => row.price("value")?,
        Real => row.real("value", None)?,
        Whole => row.whole("value", None)?,
        Of(name) => variant(name, fact.value),
        Families if fact.value == "none" => "&[]".to_owned(),
        Families => {
            let families: Vec<String> =
                fact.value.split(' ').map(|family| variant("GpuFamily", family)).collect();
            format!("&[{}]", families.join(", "))
        }
    })
}

/// What holds of a stack in a month.
#[derive(PartialEq)]
struct Profile {
    fields: Fields,
    recipe: Fields,
}

impl Profile {
    fn of(facts: &Facts<'_>, stack: &str, at: Month) -> Result<Self> {
        let mut fields = facts.fields(stack, &PROFILE, at)?;
        fields.push(("since", facts.kind(stack, at).map_or(0, |kind| kind.since.0).to_string()));
        Ok(Self { fields, recipe: facts.fields(stack, &RECIPE, at)? })
    }

    /// As it is written, after another one by its name.
    fn after(&self, base: Option<(&str, &Self)>) -> String {
        let mut fields = self.fields.clone();
        let Some((name, other)) = base else {
            fields.push(("recipe", format!("Recipe {{ {} }}", rust::literal(&self.recipe))));
            return format!("StackProfile {{ {} }}", rust::literal(&fields));
        };
        fields.retain(|field| !other.fields.contains(field));
        if self.recipe != other.recipe {
            let own = rust::differing(&self.recipe, &other.recipe, &format!("{name}.recipe"));
            fields.push(("recipe", format!("Recipe {{ {own} }}")));
        }
        if fields.is_empty() {
            return name.to_owned();
        }
        format!("StackProfile {{ {}, ..{name} }}", rust::literal(&fields))
    }
}

/// Keeps a row on its line.
const SKIP: &str = "#[rustfmt::skip]\n";

/// Constants of what a stack does, each after the one before or the kind's, and its history of them.
fn profiles(facts: &Facts<'_>, stack: &str, listed: bool) -> Result<String> {
    let name = rust::constant(stack);
    let kind = facts.kind(stack, ALWAYS).map(|kind| kind.value);
    let of_kind =
        kind.map(|kind| Profile::of(facts, kind, ALWAYS).map(|profile| (rust::constant(kind), profile)));
    let of_kind = of_kind.transpose()?;
    let mut last = Profile::of(facts, stack, ALWAYS)?;
    let first = last.after(of_kind.as_ref().map(|(name, profile)| (name.as_str(), profile)));
    let mut code = format!("{SKIP}const {name}: StackProfile = {first};\n");
    if !listed {
        return Ok(code);
    }
    let (mut before, mut later) = (name.clone(), String::new());
    for (year, month) in facts.months(stack) {
        let profile = Profile::of(facts, stack, (year, month))?;
        if profile != last {
            let own = format!("{name}_{year}_{month:02}");
            code +=
                &format!("{SKIP}const {own}: StackProfile = {};\n", profile.after(Some((&before, &last))));
            later += &format!("(({year}, {month}), {own}), ");
            (before, last) = (own, profile);
        }
    }
    code += &format!(
        "{SKIP}static {name}_HISTORY: History<StackProfile> = History {{ first: {name}, later: &[{}] }};\n",
        later.trim_end_matches(", ")
    );
    Ok(code)
}

/// The history of all libraries.
fn libraries(facts: &Facts<'_>) -> Result<String> {
    let at = |month| facts.fields(LIBRARY, &LIBRARIES, month);
    let first = at(ALWAYS)?;
    let mut code = format!(
        "/// What libraries do.\n{SKIP}pub(super) static LIBRARIES: History<Libraries> = History {{ first: LIBRARIES_AT_FIRST, later: &[\n"
    );
    let mut consts =
        format!("{SKIP}const LIBRARIES_AT_FIRST: Libraries = Libraries {{ {} }};\n", rust::literal(&first));
    let (mut last, mut before) = (first, "LIBRARIES_AT_FIRST".to_owned());
    for (year, month) in facts.months(LIBRARY) {
        let fields = at((year, month))?;
        let own = format!("LIBRARIES_{year}_{month:02}");
        consts += &format!(
            "{SKIP}const {own}: Libraries = Libraries {{ {} }};\n",
            rust::differing(&fields, &last, &before)
        );
        code += &format!("(({year}, {month}), {own}),\n");
        (last, before) = (fields, own);
    }
    Ok(code + "] };\n\n" + &consts)
}

/// The enum of stacks and the history of each.
pub(super) fn stacks(sheet: &Sheet) -> Result<String> {
    let facts = Facts::read(sheet)?;
    let (mut variants, mut list, mut arms) = (String::new(), String::new(), String::new());
    let (mut stack_names, mut constants) = (String::new(), String::new());
    for name in facts.names() {
        let label = facts.own(name, "label", ALWAYS, ALWAYS);
        constants += &profiles(&facts, name, label.is_some())?;
        let Some(label) = label else { continue };
        let doc = facts.own(name, "doc", ALWAYS, ALWAYS).unwrap_or(label).value;
        let variant = rust::variant(name);
        variants += &format!("/// {doc}\n{variant},\n");
        list += &format!("(Self::{variant}, {name:?}, {:?}),\n", label.value);
        stack_names += &format!("Self::{variant} => {name:?},\n");
        arms += &format!("Self::{variant} => &{}_HISTORY,\n", rust::constant(name));
    }
    let (count, libraries) = (list.lines().count(), libraries(&facts)?);
    Ok(format!(
        "//! The software stacks.\n\n\
         use super::profile::{{Attention, Compiler, Dispatcher, History, Launch, Libraries, Overlaps, StackProfile, Recipe, Selective}};\n\
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
         /// What the stack does, and since when.\n\
         pub(super) fn history(self) -> &'static History<StackProfile> {{\nmatch self {{\n{arms}}}\n}}\n}}\n\n\
         {libraries}\n{constants}"
    ))
}

#[cfg(test)]
mod tests {
    use super::{ALWAYS, Facts, Month, Sheet};

    const TABLE: &str = "stack\tsince\tkey\tvalue\tsource\n\
        any\t\tgraphs\tno\ta\n\
        any\t\tinterleaves\tyes\ta\n\
        any\t2024-07\tinterleaves\tno\ta\n\
        old\t\tkind\tany\ta\n\
        old\t\tinterleaves\tyes\ta\n\
        new\t\tkind\told\ta\n\
        new\t\tgraphs\tyes\ta\n\
        new\t2025-01\tkind\tany\ta\n\
        lib\t\tkind\tlibrary\ta\n\
        lib\t\tbias_in_product\tno\ta\n\
        lib\t2025-08\tbias_in_product\tyes\ta\n";

    fn read(table: &str) -> Result<Vec<Month>, String> {
        let sheet = Sheet::read("t", table)?;
        Facts::read(&sheet).map(|facts| facts.months("new"))
    }

    #[test]
    fn own_rows_stand_before_the_kinds_until_a_stack_becomes_another() {
        let sheet = Sheet::read("t", TABLE).expect("a table");
        let facts = Facts::read(&sheet).expect("facts");
        let held = |stack, key, at| facts.held(stack, key, at).map(|fact| fact.value).ok();
        // A row without a month holds, whatever the kind does later.
        assert_eq!(
            (held("any", "interleaves", (2024, 7)), held("old", "interleaves", (2024, 7))),
            (Some("no"), Some("yes"))
        );
        assert_eq!(
            (held("new", "interleaves", (2024, 12)), held("new", "interleaves", (2025, 1))),
            (Some("yes"), Some("no"))
        );
        assert_eq!(
            (held("new", "graphs", ALWAYS), held("new", "graphs", (2025, 1))),
            (Some("yes"), Some("no"))
        );
        assert_eq!(
            (held("library", "bias_in_product", (2025, 8)), held("any", "fixed", ALWAYS)),
            (Some("yes"), None)
        );
        assert_eq!(
            (facts.names(), facts.months("new")),
            (vec!["any", "old", "new"], vec![(2024, 7), (2025, 1)])
        );
    }

    #[test]
    fn a_row_that_cannot_be_read_is_named() {
        assert_eq!(read(TABLE), Ok(vec![(2024, 7), (2025, 1)]));
        for (row, complaint) in [
            ("new\t2025-1\tinterleaves\tno\ta\n", "no month"),
            ("new\t2025-13\tinterleaves\tno\ta\n", "no month"),
            ("new\t\tinterleaves\tno\t\n", "is blank"),
            ("new\t\tgraphs\tno\ta\n", "stands twice"),
            ("new\t\taged\tno\ta\n", "there is no aged"),
            ("new\t\tbias_in_product\tno\ta\n", "there is no bias_in_product"),
            ("new\t2026-01\tkind\tyounger\ta\n", "no rows of younger"),
        ] {
            let found = read(&format!("{TABLE}{row}")).expect_err(row);
            assert!(found.contains(complaint), "{row}: {found}");
        }
    }
}
