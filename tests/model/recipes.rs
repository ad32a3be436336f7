//! Published recipes against what a search finds for their jobs (docs/tuner.md).

use crate::data;
use stepcast::forecast::Predictor;
use stepcast::validate::{MeasuredRun, PublishedRecipe, recipes};

/// Share of recipes on H100 and GB200 whose forecast is near that of the layout found.
const NEAR_SHARE: f64 = 0.80;

fn runs(gpus: &[&str], sources: Option<&str>) -> Option<Vec<MeasuredRun>> {
    let rows = data::rows("runs.csv")?;
    let runs = rows.iter().map(data::run).filter(|run| gpus.contains(&run.gpu.as_str()));
    Some(runs.filter(|run| sources.is_none_or(|source| run.source == source)).collect())
}

#[test]
fn most_recipes_are_near_what_a_search_finds() {
    let Some(runs) = runs(&["h100-80g", "gb200"], None) else { return };
    let found = recipes(&Predictor::SHIPPED, &runs);
    assert!(found.len() > 100, "{}", found.len());
    let near = found.iter().filter(|recipe| recipe.is_near()).count() as f64;
    assert!(near >= NEAR_SHARE * found.len() as f64, "{near} of {}", found.len());
    // A recipe that a search may take is no faster than what it takes.
    for recipe in found.iter().filter(|recipe| recipe.is_comfortable()) {
        assert!(recipe.ratio() >= 1.0 - 1e-9, "{}: {}", recipe.id, recipe.ratio());
    }
    for recipe in &found {
        let explained = recipe.comparison.is_some() && !recipe.held.is_empty();
        assert_eq!(explained, !recipe.is_near(), "{}", recipe.id);
    }
}

/// One for each model and number of GPUs, the fastest per token; holding all that hangs on brings it near.
#[test]
fn one_recipe_is_picked_of_each_model_and_size() {
    let Some(runs) = runs(&["h100-80g"], Some("nemodocs")) else { return };
    let found = recipes(&Predictor::SHIPPED, &runs);
    let rate = |run: &MeasuredRun| {
        let workload = run.scenario.as_ref().expect("possible").workload;
        f64::from(workload.global_batch) * f64::from(workload.sequence) / run.measured_s
    };
    for recipe in &found {
        let alike = |other: &PublishedRecipe| (&other.model, other.gpus) == (&recipe.model, recipe.gpus);
        assert_eq!(found.iter().filter(|other| alike(other)).count(), 1, "{}", recipe.id);
        let own = runs.iter().find(|run| run.id == recipe.id).expect("a run");
        let scenario = own.scenario.as_ref().expect("possible");
        let others = runs.iter().filter(|run| {
            run.model == own.model
                && run.scenario.as_ref().is_ok_and(|other| other.cluster.gpus == scenario.cluster.gpus)
        });
        assert!(others.map(rate).fold(0.0, f64::max) <= rate(own), "{}", recipe.id);
        if let Some(last) = recipe.held.last() {
            assert!(last.ratio <= 1.08 && last.ratio < recipe.ratio(), "{}", recipe.id);
        }
    }
}
