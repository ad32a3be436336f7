//! `stepcast validate --recipes`: published recipes against what a search finds for their jobs.

use crate::text::{self, CellAlign};
use crate::{Failure, json, runs};
use std::path::Path;
use stepcast::forecast::Predictor;
use stepcast::scenario::plan::Plan;
use stepcast::validate::{NEAR, PublishedRecipe, recipes as search};

/// Machines whose recipes are counted: those that most publishers tuned for.
const COUNTED: [&str; 2] = ["h100-80g", "gb200"];

/// Compares every recipe of a file with the layout that a search finds.
pub(crate) fn recipes(path: &Path, as_json: bool) -> Result<String, Failure> {
    let recipes = search(&Predictor::SHIPPED, &runs::read(path)?);
    if as_json { json(&recipes) } else { Ok(print(&recipes)) }
}

/// A Markdown table of every recipe, what share is near, and why the others are not.
fn print(recipes: &[PublishedRecipe]) -> String {
    let counted: Vec<&PublishedRecipe> =
        recipes.iter().filter(|recipe| COUNTED.contains(&recipe.gpu.as_str())).collect();
    let mut out = table(&counted);
    let mut shares = vec![SHARES.map(|column| column.0.to_owned()).to_vec()];
    shares.push(share(&COUNTED.join(" and "), &counted));
    for source in names(&counted, |recipe| &recipe.source) {
        let of: Vec<&PublishedRecipe> =
            counted.iter().filter(|recipe| recipe.source == source).copied().collect();
        shares.push(share(source, &of));
    }
    let others: Vec<&PublishedRecipe> =
        recipes.iter().filter(|recipe| !COUNTED.contains(&recipe.gpu.as_str())).collect();
    for gpu in names(&others, |recipe| &recipe.gpu) {
        let of: Vec<&PublishedRecipe> = others.iter().filter(|recipe| recipe.gpu == gpu).copied().collect();
        shares.push(share(gpu, &of));
    }
    out.push('\n');
    out.push_str(&text::markdown(&shares, &SHARES.map(|column| column.1)));
    out.push('\n');
    counted.iter().filter(|recipe| !recipe.is_near()).for_each(|recipe| out.push_str(&explanation(recipe)));
    out
}

/// Names that some recipes have, once each, in order.
fn names<'a>(recipes: &[&'a PublishedRecipe], name: impl Fn(&'a PublishedRecipe) -> &'a str) -> Vec<&'a str> {
    let mut names: Vec<&str> = recipes.iter().map(|recipe| name(recipe)).collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// Columns of the table of shares.
const SHARES: [(&str, CellAlign); 8] = [
    ("of", CellAlign::Left),
    ("recipes", CellAlign::Right),
    ("within 8 %", CellAlign::Right),
    ("slower", CellAlign::Right),
    ("median ratio", CellAlign::Right),
    ("comfortable", CellAlign::Right),
    ("rule within 8 %", CellAlign::Right),
    ("rule's mean ratio", CellAlign::Right),
];

/// What share of some recipes is near, and of the rule of thumb's layouts of their jobs.
fn share(name: &str, recipes: &[&PublishedRecipe]) -> Vec<String> {
    let near = recipes.iter().filter(|recipe| recipe.is_near()).count();
    let slower = recipes.iter().filter(|recipe| recipe.ratio() > 1.0 + NEAR).count();
    let comfortable = recipes.iter().filter(|recipe| recipe.is_comfortable()).count();
    let mut ratios: Vec<f64> = recipes.iter().map(|recipe| recipe.ratio()).collect();
    ratios.sort_by(f64::total_cmp);
    let rules: Vec<f64> = recipes.iter().filter_map(|recipe| recipe.rule_ratio()).collect();
    let rules_near = rules.iter().filter(|ratio| **ratio <= 1.0 + NEAR).count();
    let of =
        |count: usize, all: usize| format!("{count} ({:.0} %)", 100.0 * count as f64 / all.max(1) as f64);
    vec![
        name.to_owned(),
        recipes.len().to_string(),
        of(near, recipes.len()),
        slower.to_string(),
        format!("{:.3}", ratios.get(ratios.len() / 2).copied().unwrap_or(1.0)),
        comfortable.to_string(),
        of(rules_near, rules.len()),
        format!("{:.3}", rules.iter().sum::<f64>() / rules.len().max(1) as f64),
    ]
}

/// A Markdown table of recipes.
fn table(recipes: &[&PublishedRecipe]) -> String {
    let columns: [(&str, CellAlign); 11] = [
        ("recipe", CellAlign::Left),
        ("model", CellAlign::Left),
        ("GPUs", CellAlign::Left),
        ("same layout", CellAlign::Left),
        ("found", CellAlign::Left),
        ("measured", CellAlign::Right),
        ("forecast", CellAlign::Right),
        ("error", CellAlign::Right),
        ("free", CellAlign::Right),
        ("found", CellAlign::Right),
        ("ratio", CellAlign::Right),
    ];
    let mut rows = vec![columns.map(|column| column.0.to_owned()).to_vec()];
    rows.extend(recipes.iter().map(|recipe| {
        let seconds = |seconds: f64| format!("{} s", text::significant(seconds));
        vec![
            recipe.id.clone(),
            recipe.model.clone(),
            format!("{} {}", recipe.gpus, recipe.gpu),
            layout(&recipe.plan),
            layout(&recipe.found.plan),
            seconds(recipe.measured_s),
            seconds(recipe.forecast_s),
            format!("{:+.0} %", (recipe.forecast_s / recipe.measured_s - 1.0) * 100.0),
            format!("{:.0} %", recipe.room * 100.0),
            format!("{:.0} %", recipe.found.room * 100.0),
            format!("{:.2}", recipe.ratio()),
        ]
    }));
    text::markdown(&rows, &columns.map(|column| column.1))
}

/// The degrees of a layout that are above 1, and what else a search varies, in a few characters.
fn layout(plan: &Plan) -> String {
    let degrees = [
        ("tp", plan.tensor_parallel),
        ("cp", plan.context_parallel),
        ("ep", plan.expert_parallel),
        ("etp", plan.expert_tensor_parallel),
        ("pp", plan.pipeline_parallel),
        ("vpp", plan.virtual_stages),
    ];
    let mut words: Vec<String> = degrees
        .iter()
        .filter(|degree| degree.1 > 1)
        .map(|(name, degree)| format!("{name}{degree}"))
        .collect();
    words.push(format!("mb{}", plan.micro_batch));
    words.push(format!("z{}", text::zero(plan)));
    words.push(text::recompute(plan));
    words.join(" ")
}

/// Why a recipe is not near: the greatest parts, what they hang on, and what was never run.
fn explanation(recipe: &PublishedRecipe) -> String {
    let mut out = format!("{} {:.2}", recipe.id, recipe.ratio());
    if let Some(comparison) = &recipe.comparison {
        let parts = comparison.terms.iter().take(3);
        let parts: Vec<String> = parts
            .map(|term| format!("{} {:+.1} %", term.label, 100.0 * term.difference() / comparison.steps[0].0))
            .collect();
        out.push_str(&format!(": {}", parts.join(", ")));
    }
    let held: Vec<String> =
        recipe.held.iter().map(|held| format!("{} {:.2}", held.key, held.ratio)).collect();
    out.push_str(&format!("; held: {}", held.join(", ")));
    for found in &recipe.untried {
        out.push_str(&format!("; {}", found.sentence));
    }
    out.push('\n');
    out
}
