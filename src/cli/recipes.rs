//! `stepcast validate --recipes`: published recipes against what a search finds for their jobs.

use crate::text::{self, Align};
use crate::{Failure, json, runs};
use std::path::Path;
use stepcast::forecast::Predictor;
use stepcast::scenario::plan::Plan;
use stepcast::validate::{NEAR, Recipe, recipes as search};

/// Machines whose recipes are counted: those that most publishers tuned for.
const COUNTED: [&str; 2] = ["h100-80g", "gb200"];

/// Compares every recipe of a file with the layout that a search finds.
pub(crate) fn recipes(path: &Path, as_json: bool) -> Result<String, Failure> {
    let recipes = search(&Predictor::SHIPPED, &runs::read(path)?);
    if as_json { json(&recipes) } else { Ok(print(&recipes)) }
}

/// A Markdown table of every recipe, what share is near, and why the others are not.
fn print(recipes: &[Recipe]) -> String {
    let counted: Vec<&Recipe> =
        recipes.iter().filter(|recipe| COUNTED.contains(&recipe.gpu.as_str())).collect();
    let mut out = table(&counted);
    out.push('\n');
    let mut gpus: Vec<&str> = recipes.iter().map(|recipe| recipe.gpu.as_str()).collect();
    gpus.sort_unstable();
    gpus.dedup();
    out.push_str(&share(&COUNTED.join(" and "), &counted));
    for gpu in gpus {
        let of: Vec<&Recipe> = recipes.iter().filter(|recipe| recipe.gpu == gpu).collect();
        out.push_str(&share(gpu, &of));
    }
    out.push('\n');
    counted.iter().filter(|recipe| !recipe.is_near()).for_each(|recipe| out.push_str(&explanation(recipe)));
    out
}

/// What share of some recipes is near.
fn share(name: &str, recipes: &[&Recipe]) -> String {
    let near = recipes.iter().filter(|recipe| recipe.is_near()).count();
    let comfortable = recipes.iter().filter(|recipe| recipe.is_comfortable()).count();
    let beyond = |sign: f64| recipes.iter().filter(|recipe| sign * (recipe.ratio() - 1.0) > NEAR).count();
    let mut ratios: Vec<f64> = recipes.iter().map(|recipe| recipe.ratio()).collect();
    ratios.sort_by(f64::total_cmp);
    format!(
        "{name}: {} recipes, {near} within {:.0} % ({:.0} %), {} slower, {} faster; median {:.3}; {comfortable} leave the \
         memory margin free\n",
        recipes.len(),
        NEAR * 100.0,
        100.0 * near as f64 / recipes.len().max(1) as f64,
        beyond(1.0),
        beyond(-1.0),
        ratios.get(ratios.len() / 2).copied().unwrap_or(1.0),
    )
}

/// A Markdown table of recipes.
fn table(recipes: &[&Recipe]) -> String {
    let columns: [(&str, Align); 11] = [
        ("recipe", Align::Left),
        ("model", Align::Left),
        ("GPUs", Align::Left),
        ("its layout", Align::Left),
        ("found", Align::Left),
        ("measured", Align::Right),
        ("forecast", Align::Right),
        ("error", Align::Right),
        ("free", Align::Right),
        ("found free", Align::Right),
        ("ratio", Align::Right),
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
fn explanation(recipe: &Recipe) -> String {
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
