//! Software stacks: what holds of each in a month, out of rows that say one thing each.

mod without;

pub(super) use without::{values, without};

use super::history::{ALWAYS, Fact, Facts, LIBRARY, Month};
use super::rust::{self, Fields};
use super::sheet::Sheet;
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
    /// A variant of this enum.
    Of(&'static str),
}

use Value::{Flag, Of, Price, Real};

/// Keys of a stack, each a field of `StackProfile`.
const PROFILE: [(&str, Value); 49] = [
    ("runs", Of("MeasuredRuns")),
    ("launch", Of("Launch")),
    ("inductor", Flag),
    ("whole_program", Flag),
    ("attention", Of("Attention")),
    ("vendor_on_blackwell", Flag),
    ("fuses_scores", Flag),
    ("host_gathers", Price),
    ("host_tensor", Price),
    ("fixed", Price),
    ("framework_factor", Price),
    ("sharded_factor", Price),
    ("straggler", Price),
    ("dispatcher", Of("Dispatcher")),
    ("leaves_routing_eager", Flag),
    ("pads_groups", Flag),
    ("adds_up_in_order", Flag),
    ("streams_products", Flag),
    ("forces_balance", Flag),
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
    ("selective_recompute", Flag),
    ("selective_share", Price),
    ("selective_drops", Of("Selective")),
    ("overlap_tensor", Price),
    ("shards_by_module", Flag),
    ("gathers_quantised", Flag),
    ("master_only", Flag),
    ("keeps_quantised_inputs", Flag),
    ("placeholder_gradients", Flag),
    ("makes_gradients", Flag),
    ("leaves_out_unread", Flag),
    ("rotates_complex", Flag),
    ("repeats_keys_values", Flag),
    ("groups_ends_apart", Flag),
    ("whole_vocabulary", Flag),
    ("weighs_outputs", Flag),
    ("fuses_norms", Flag),
    ("shards_parameters", Flag),
    ("hides_exchanges", Flag),
    ("replays_on_blackwell", Flag),
];

/// Keys of libraries, each a field of `Libraries`.
const LIBRARIES: [(&str, Value); 5] = [
    ("bias_in_product", Flag),
    ("pads_products", Flag),
    ("sdpa", Of("Attention")),
    ("assembly_attention", Flag),
    ("sends_beside_compute", Flag),
];

/// Whether there is such a key of a library, or of a stack.
fn known(library: bool, key: &str) -> bool {
    let keys: &[(&str, Value)] = if library { &LIBRARIES } else { &PROFILE };
    ["label", "doc"].contains(&key) || keys.iter().any(|(known, _)| *known == key)
}

impl Facts<'_> {
    /// Fields and values of what holds in a month.
    fn fields(&self, stack: &str, keys: &[(&'static str, Value)], at: Month) -> Result<Fields> {
        let field =
            |(key, value): &(&'static str, Value)| Ok((*key, literal(*value, self.held(stack, key, at)?)?));
        keys.iter().map(field).collect()
    }
}

/// A value as Rust has it.
fn literal(value: Value, fact: &Fact<'_>) -> Result<String> {
    let row = fact.row;
    let variant = |name: &str, word: &str| format!("{name}::{}", rust::variant(word));
    Ok(match value {
        Flag => row.flag("value")?.to_owned(),
        Price => row.price("value")?,
        Real => row.real("value", None)?,
        Of(name) => variant(name, fact.value),
    })
}

/// What holds of a stack in a month.
fn profile(facts: &Facts<'_>, stack: &str, at: Month) -> Result<Fields> {
    let mut fields = facts.fields(stack, &PROFILE, at)?;
    fields.push(("since", facts.kind(stack, at).map_or(0, |kind| kind.since.0).to_string()));
    Ok(fields)
}

/// A profile as it is written, after another one by its name.
fn after(profile: &Fields, base: Option<(&str, &Fields)>) -> String {
    let Some((name, other)) = base else {
        return format!("StackProfile {{ {} }}", rust::literal(profile));
    };
    if profile == other {
        name.to_owned()
    } else {
        format!("StackProfile {{ {} }}", rust::differing(profile, other, name))
    }
}

/// Keeps a row on its line.
const SKIP: &str = "#[rustfmt::skip]\n";

/// Constants of what a stack does, each after the one before or the kind's, and its history of them.
fn profiles(facts: &Facts<'_>, stack: &str, listed: bool) -> Result<String> {
    let name = rust::constant(stack);
    let kind = facts.kind(stack, ALWAYS).map(|kind| kind.value);
    let of_kind =
        kind.map(|kind| profile(facts, kind, ALWAYS).map(|profile| (rust::constant(kind), profile)));
    let of_kind = of_kind.transpose()?;
    let mut last = profile(facts, stack, ALWAYS)?;
    let first = after(&last, of_kind.as_ref().map(|(name, profile)| (name.as_str(), profile)));
    let mut code = format!("{SKIP}const {name}: StackProfile = {first};\n");
    if !listed {
        return Ok(code);
    }
    let (mut before, mut later) = (name.clone(), String::new());
    for (year, month) in facts.months(stack) {
        let profile = profile(facts, stack, (year, month))?;
        if profile != last {
            let own = format!("{name}_{year}_{month:02}");
            code +=
                &format!("{SKIP}const {own}: StackProfile = {};\n", after(&profile, Some((&before, &last))));
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
    let facts = Facts::read(sheet, known)?;
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
         use super::profile::{{Attention, Dispatcher, History, Launch, Libraries, Selective, StackProfile}};\n\
         use crate::scenario::MeasuredRuns;\n\
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
    use super::{ALWAYS, Facts, Month, Sheet, known};

    const TABLE: &str = "stack\tsince\tkey\tvalue\tsource\n\
        any\t\tsplits_loss\tno\ta\n\
        any\t\tembedding_sync\tyes\ta\n\
        any\t2024-07\tembedding_sync\tno\ta\n\
        old\t\tkind\tany\ta\n\
        old\t\tembedding_sync\tyes\ta\n\
        new\t\tkind\told\ta\n\
        new\t\tsplits_loss\tyes\ta\n\
        new\t2025-01\tkind\tany\ta\n\
        lib\t\tkind\tlibrary\ta\n\
        lib\t\tbias_in_product\tno\ta\n\
        lib\t2025-08\tbias_in_product\tyes\ta\n";

    fn read(table: &str) -> Result<Vec<Month>, String> {
        let sheet = Sheet::read("t", table)?;
        Facts::read(&sheet, known).map(|facts| facts.months("new"))
    }

    #[test]
    fn own_rows_stand_before_the_kinds_until_a_stack_becomes_another() {
        let sheet = Sheet::read("t", TABLE).expect("a table");
        let facts = Facts::read(&sheet, known).expect("facts");
        let held = |stack, key, at| facts.held(stack, key, at).map(|fact| fact.value).ok();
        // A row without a month holds, whatever later rows of its kind state.
        assert_eq!(
            (held("any", "embedding_sync", (2024, 7)), held("old", "embedding_sync", (2024, 7))),
            (Some("no"), Some("yes"))
        );
        assert_eq!(
            (held("new", "embedding_sync", (2024, 12)), held("new", "embedding_sync", (2025, 1))),
            (Some("yes"), Some("no"))
        );
        assert_eq!(
            (held("new", "splits_loss", ALWAYS), held("new", "splits_loss", (2025, 1))),
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
            ("new\t2025-1\tembedding_sync\tno\ta\n", "no month"),
            ("new\t2025-13\tembedding_sync\tno\ta\n", "no month"),
            ("new\t\tembedding_sync\tno\t\n", "is blank"),
            ("new\t\tsplits_loss\tno\ta\n", "stands twice"),
            ("new\t\taged\tno\ta\n", "there is no aged"),
            ("new\t\tbias_in_product\tno\ta\n", "there is no bias_in_product"),
            ("new\t2026-01\tkind\tyounger\ta\n", "no rows of younger"),
        ] {
            let found = read(&format!("{TABLE}{row}")).expect_err(row);
            assert!(found.contains(complaint), "{row}: {found}");
        }
    }
}
