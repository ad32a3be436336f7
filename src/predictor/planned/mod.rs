//! The layout of a job that does not say one: what a search recommends.
//!
//! A field of the layout that is set stays ([`Document::is_set`]), and all others are planned around it. Every front plans by
//! [`plan`], or by a search of its own that it hands to [`choose`], and so gives the same layout.

mod searched;
mod stand_in;

pub use searched::{BEYOND, FREE, MARGIN, Searched, TOP, TOPS};
pub use stand_in::{agrees, stand_in};

use crate::document::Document;
use crate::error::FieldError;
use crate::fields::Field;
use crate::forecast::Predictor;
use crate::rules::offering;
use crate::scenario::Scenario;
use crate::tuner::{Candidate, Margin, Options, Ranking, Space, cleared};

/// The layout to take of all that a search has found for a job, those that do not fit behind the others: the recommended
/// one; where none fits, the nearest to fitting.
pub fn choose<'r>(
    predictor: &Predictor<'_>,
    job: &Scenario,
    rows: &'r [Candidate],
    margin: Margin,
) -> Option<&'r Candidate> {
    predictor.recommended(job, rows, margin).or_else(|| rows.first())
}

/// The document with its layout planned, where that is not set, and its scenario. `search` searches a space completely.
///
/// # Errors
/// What cannot be read, and what makes every layout impossible.
pub fn plan(
    predictor: &Predictor<'_>,
    document: &Document,
    search: impl FnOnce(&Space, Options) -> Ranking,
) -> Result<(Document, Scenario), Vec<FieldError>> {
    planned(predictor, document, search).map_err(|errors| nearer(document, errors))
}

fn planned(
    predictor: &Predictor<'_>,
    document: &Document,
    search: impl FnOnce(&Space, Options) -> Ranking,
) -> Result<(Document, Scenario), Vec<FieldError>> {
    let mut document = document.clone();
    if document.is_planned() {
        let job = document.values()?;
        let searched = Searched::of(&document);
        cleared(&job, searched.free).validate_apart_from_layout()?;
        let Ranking { mut rows, unfit, .. } = search(&searched.space(&job), searched.options());
        rows.extend(unfit);
        match choose(predictor, &job, &rows, searched.margin) {
            Some(row) => document.write_plan(&row.plan),
            None => return Err(why_none(&job, &searched)),
        }
    }
    let scenario = document.scenario()?;
    Ok((document, scenario))
}

/// A job whose layouts are asked for, which need not have a possible one: the document with a layout to stand in where it
/// has none that can run, and its scenario.
///
/// # Errors
/// What cannot be read, and what makes every layout impossible.
pub fn to_rank(document: &Document) -> Result<(Document, Scenario), Vec<FieldError>> {
    rankable(document).map_err(|errors| nearer(document, errors))
}

fn rankable(document: &Document) -> Result<(Document, Scenario), Vec<FieldError>> {
    let job = document.values()?;
    let mut ranked = document.clone();
    if !document.is_planned() && job.validate().is_ok() {
        return Ok((ranked, job));
    }
    if !document.is_planned() {
        ranked.release_layout();
    }
    if let Some(plan) = stand_in(&ranked) {
        ranked.write_plan(&plan);
    }
    let Ok(job) = ranked.scenario() else { return Err(why_none(&job, &Searched::of(&ranked))) };
    Ok((ranked, job))
}

/// Key of the number of GPUs.
const GPUS: &str = "n";

/// Numbers of nodes that are tried below and above one that is refused.
const MOST_NODES: u32 = 64;

/// The errors of a job whose layout is planned. Where its number of GPUs is refused, the nearest numbers below and above that
/// have a layout are suggested: what follows from the number, as the batch may, follows from them.
fn nearer(document: &Document, errors: Vec<FieldError>) -> Vec<FieldError> {
    let Ok(job) = document.values() else { return errors };
    let (gpus, node) = (job.cluster.gpus, job.cluster.gpus_per_node.max(1));
    let has_layout = |gpus: &u32| {
        let mut other = document.clone();
        other.set(GPUS, &gpus.to_string());
        other.follow();
        rankable(&other).is_ok()
    };
    let nodes = gpus / node;
    let below = (1..=nodes).rev().map(|nodes| nodes * node);
    let above = (1..=MOST_NODES).filter_map(|more| nodes.checked_add(more)?.checked_mul(node));
    let mended = |error: FieldError| {
        if error.field != GPUS || error.suggestions.is_empty() || !document.is_planned() {
            return error;
        }
        let most = MOST_NODES as usize;
        let pair = [below.clone().take(most).find(has_layout), above.clone().find(has_layout)];
        let legal: Vec<String> = pair.into_iter().flatten().map(|gpus| gpus.to_string()).collect();
        if legal.is_empty() { error } else { offering(error, legal) }
    };
    errors.into_iter().map(mended).collect()
}

/// Searches a space in one go.
pub fn search(predictor: &Predictor<'_>, space: &Space, options: Options) -> Ranking {
    let mut search = predictor.search(space.clone(), options);
    search.finish();
    search.ranking()
}

/// What makes every layout of a job impossible: what the undivided one that keeps what is set is refused for.
fn why_none(job: &Scenario, searched: &Searched) -> Vec<FieldError> {
    let undivided = cleared(job, searched.free);
    undivided.validate().err().unwrap_or_else(|| {
        let name = job.software.stack.name();
        let label = Field::find("stack").map_or(name, |field| field.label_of(name));
        let message = format!("{label} has no valid layout for this job. Select other software.");
        vec![FieldError { field: "stack", message, suggestions: Vec::new() }]
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tuner::AXES;

    fn planned(link: &str) -> Result<(Document, Scenario), Vec<FieldError>> {
        let predictor = Predictor::SHIPPED;
        let document = Document::from_link(link).expect("a link").document;
        plan(&predictor, &document, |space, options| search(&predictor, space, options))
    }

    #[test]
    fn what_can_be_planned_is_what_a_search_varies() {
        for axis in &AXES {
            let detail = axis.key == "rcn";
            assert_eq!(Document::can_follow(axis.key), axis.searched || detail, "{}", axis.key);
        }
    }

    #[test]
    fn what_is_set_stays_and_the_rest_is_planned() {
        let (free, job) = planned("#2;m=llama3-8b;g=dgx-h100;n=8").expect("a layout");
        assert!(job.validate().is_ok() && free.is_planned());
        let (pinned, tensor) = planned("#2;m=llama3-8b;g=dgx-h100;n=8;tp=4").expect("a layout");
        assert_eq!(tensor.plan.tensor_parallel, 4);
        assert_eq!(pinned.to_link(), "#2;m=llama3-8b;g=dgx-h100;n=8;tp=4");
        let (again, same) = planned(&free.pinned().to_link()).expect("a layout");
        assert!(!again.is_planned());
        assert_eq!(same, job);
    }

    #[test]
    fn a_job_that_was_planned_before_is_planned_alike() {
        let link = "#2;m=llama3-70b;g=dgx-h100;n=64";
        let (first, job) = planned(link).expect("a layout");
        assert_eq!(planned(&first.to_state()).expect("a layout").1, job);
        let stale = format!("{link};~tp=2;~split=given;~stages=10x8;~rc=full;~pp=8");
        assert_eq!(planned(&stale).expect("a layout").1, job);
    }

    #[test]
    fn what_no_layout_can_run_is_said() {
        let errors = planned("#2;m=llama3-8b;g=dgx-h100;n=7;gb=3;tp=7").expect_err("impossible");
        assert!(errors.iter().all(|error| !error.message.is_empty()) && !errors.is_empty());
        let document = Document::from_link("#2;m=megatron-1t;g=dgx-h100;n=512;kvrank=512").expect("a link");
        let errors =
            plan(&Predictor::SHIPPED, &document.document, |_, _| panic!("there is nothing to search"));
        assert!(errors.expect_err("impossible").iter().any(|error| error.field == "vdim"));
    }
}
