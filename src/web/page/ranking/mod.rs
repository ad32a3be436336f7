//! The search of all layouts, and the place of the table that the second module makes of them.

mod client;
mod hook;
mod progress;

use crate::announce::{region, use_announcement};
use crate::panels::PanelsModule;
use crate::short_list::ShortListInput;
use crate::store::Dispatch;
pub(crate) use hook::RankingHandle;
use hook::use_ranking;
use js_sys::{Array, Float64Array};
use progress::search_bar;
use stepcast::document::Document;
use stepcast::number;
use stepcast::page_state::page::{Action, Page, PageForecast};
pub(crate) use stepcast::page_state::panels::{CONTROLS, TABLE};
use stepcast::page_state::search::{SearchProgress, Status};
use stepcast::page_state::wire;
use stepcast::planned::{Searched, choose};
use stepcast::scenario::Scenario;
use stepcast::tuner::{Candidate, Margin};
use stepcast_web_kit::Shared;
use stepcast_web_kit::hooks::use_effect_with;
use wasm_bindgen::JsValue;
use yew::prelude::*;

/// Id of what says how the search ends.
const SAID: &str = "search-said";

#[derive(Properties, Clone, PartialEq)]
pub(crate) struct RankingProps {
    document: Shared<Document>,
    /// Of the job that is ranked.
    forecast: Shared<PageForecast>,
    /// The form holds another job, which is impossible.
    stale: bool,
    /// The layout on the form cannot run on the job, and is not that of the forecast.
    in_legal_layout: bool,
}

/// The ranking of the job on the form, or of the last possible one.
pub(crate) fn ranking(page: &Page) -> Option<RankingProps> {
    let forecast = page.outcome.ranked()?;
    let in_legal_layout = page.outcome.in_legal_layout.is_some();
    Some(RankingProps {
        document: Shared::from(&page.document),
        forecast: Shared::from(forecast),
        stale: page.outcome.stale() && !in_legal_layout,
        in_legal_layout,
    })
}

/// The search of a job's layouts. What it finds becomes a layout for the reader who leaves it to the page, and a word to
/// others.
#[hook]
pub(crate) fn use_search(
    props: &RankingProps,
    told: &Callback<ShortListInput>,
    dispatch: &Dispatch,
) -> RankingHandle {
    let searched = Searched::of(&props.document);
    let ranking = use_ranking(&props.forecast, &props.document, searched);
    use_plan(&ranking.progress, &props.forecast, &props.document, searched.margin, dispatch);
    use_told(&ranking.progress, told);
    use_announcement(SAID, announcement(&ranking.progress));
    ranking
}

/// Tells the second module, where it is there and the table is shown, what was found.
#[hook]
pub(crate) fn use_telling(module: &PanelsModule, shown: bool, props: &RankingProps, ranking: &RankingHandle) {
    let progress = &ranking.progress;
    let in_legal_layout = props.in_legal_layout.then(|| props.forecast.clone());
    // Rows that the module has already are not sent again.
    let sent = use_mut_ref(|| None::<(PanelsModule, Shared<Vec<Candidate>>)>);
    let link = ranking.link.clone();
    let deps = (
        module.clone(),
        shown,
        Shared::from(&progress.rows),
        in_legal_layout,
        progress.is_awaited(),
        progress.stale,
    );
    use_effect_with(deps, move |(module, shown, rows, in_legal_layout, awaited, stale)| {
        let (PanelsModule::Ready(_, rank), true) = (module, shown) else { return };
        let now = Some((module.clone(), rows.clone()));
        let numbers = if *sent.borrow() == now {
            JsValue::UNDEFINED
        } else {
            let mut numbers = Vec::with_capacity(rows.len() * wire::WIDTH);
            rows.iter().for_each(|row| wire::encode(row, &mut numbers));
            Float64Array::from(numbers.as_slice()).into()
        };
        *sent.borrow_mut() = now;
        let job = in_legal_layout.as_ref().map_or_else(String::new, |forecast| forecast.document.to_state());
        let arguments =
            Array::of5(&job.into(), &JsValue::from(&*link), &numbers, &(*awaited).into(), &(*stale).into());
        // A module that fails says so itself: it has the page's panic handler.
        let _ = rank.apply(&JsValue::UNDEFINED, &arguments);
    });
}

/// The ranked table's part of the page: how the search is doing, and what the second module draws below.
pub(crate) fn section(props: &RankingProps, ranking: &RankingHandle, table: Html) -> Html {
    let progress = &ranking.progress;
    html! {
        <section class={classes!("panel", "ranking", props.stale.then_some("dim"))} id="ranking" aria-labelledby="ranking-title">
            <div class="panel-head">
                <h2 id="ranking-title">{ "Every layout, ranked" }</h2>
                { search_bar(progress, &ranking.stop, &ranking.restart) }
            </div>
            { table }
            { region(SAID) }
        </section>
    }
}

/// Time from which a running search is asked for a layout, milliseconds.
const PLANNED_AFTER_MS: f64 = 1500.0;

/// Times as long as what is found that a layout takes which is replaced at once.
const MUCH_SLOWER: f64 = 1.25;

/// Whether what is found so far is worth going by.
fn is_enough(progress: &SearchProgress) -> bool {
    !progress.stale && (progress.status == Status::Done || progress.elapsed_ms > PLANNED_AFTER_MS)
}

/// Takes the recommended layout over, once it is known, for a reader who leaves the layout to the page.
#[hook]
fn use_plan(
    progress: &SearchProgress,
    forecast: &PageForecast,
    document: &Shared<Document>,
    margin: Margin,
    dispatch: &Dispatch,
) {
    let planned = document.is_planned() && !progress.stale;
    let choose = || choose(&forecast.predictor(), &forecast.scenario, &progress.rows, margin);
    let best = if planned { choose() } else { None };
    // The placeholder until then is replaced by anything that is much better.
    let better = |row: &&Candidate| {
        let much = row.fits && row.step.0 * MUCH_SLOWER < forecast.prediction.step.0;
        much || is_enough(progress) && (row.fits || progress.status == Status::Done)
    };
    let found = best.filter(better).map(|row| row.plan);
    // Rows of the job before are of no use.
    let found = found.filter(|plan| Scenario { plan: *plan, ..forecast.scenario }.validate().is_ok());
    let dispatch = dispatch.clone();
    use_effect_with((found, progress.epoch), move |(found, _)| {
        if let Some(plan) = found {
            dispatch.emit(Action::Planned(*plan));
        }
    });
}

/// Tells others what is found, when it changes.
#[hook]
fn use_told(progress: &SearchProgress, told: &Callback<ShortListInput>) {
    let found = ShortListInput {
        rows: Shared::from(&progress.rows),
        fresh: is_enough(progress),
        done: progress.status == Status::Done,
    };
    let told = told.clone();
    use_effect_with(found, move |found| told.emit(found.clone()));
}

fn announcement(progress: &SearchProgress) -> String {
    match progress.status {
        Status::Done => {
            format!("Ranking complete: {} layouts fit.", number::integer(progress.counts.fitting as u64))
        }
        Status::Stopped => "Ranking stopped.".to_owned(),
        Status::Failed(_) => "Ranking failed.".to_owned(),
        Status::Running => String::new(),
    }
}
