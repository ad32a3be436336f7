//! Every legal layout, ranked: the table, its filters, and the search behind it.

mod client;
mod hook;
mod progress;
mod table;

use crate::announce::Announce;
use crate::store::{Dispatch, use_dispatch};
use hook::use_ranking;
use progress::search_bar;
use std::rc::Rc;
use stepcast::document::Document;
use stepcast::number;
use stepcast::page_state::page::{Action, FILTER, Forecast, INFEASIBLE, Page, query};
use stepcast::page_state::ranking::{self, Standing, standing};
use stepcast::page_state::search::{Progress, Status};
use stepcast::page_state::summary;
use stepcast::scenario::plan::Plan;
use stepcast_web_kit::Shared;
use stepcast_web_kit::clipboard::download;
use table::RankTable;
use web_sys::HtmlInputElement;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
struct RankingProps {
    document: Shared<Document>,
    /// Of the job that is ranked.
    forecast: Shared<Forecast>,
    /// The form holds another job, which is impossible.
    stale: bool,
    /// The layout on the form cannot run on the job, and is not that of the forecast.
    in_legal_layout: bool,
}

/// The ranking of the job on the form, or of the last possible one.
pub(crate) fn ranking(page: &Page) -> Html {
    let Some(forecast) = page.outcome.ranked() else { return html! {} };
    let in_legal_layout = page.outcome.in_legal_layout.is_some();
    html! {
        <RankingPanel document={Shared::from(&page.document)} forecast={Shared::from(forecast)} {in_legal_layout}
            stale={page.outcome.stale() && !in_legal_layout} />
    }
}

/// The ranked table with everything around it.
#[component]
fn RankingPanel(props: &RankingProps) -> Html {
    let dispatch = use_dispatch();
    let forecast = &props.forecast;
    // The worker is asked with the scenario that is shown, also while the form holds an impossible one.
    let link = use_memo(forecast.clone(), |forecast| Document::from_scenario(&forecast.scenario).to_link());
    let ranking = use_ranking(&forecast.scenario, &link);
    let progress = &ranking.progress;
    let (query, wrong_filter) = query(&props.document);
    let rows = Shared::from(&progress.rows);
    let order = {
        let query = query.clone();
        Shared(use_memo((rows.clone(), query), |(rows, query)| query.arrange(rows)))
    };
    let fitting = progress.rows.iter().filter(|row| row.fits).count();
    let standing = use_standing(progress, forecast);
    let current = (!props.in_legal_layout).then_some(forecast.scenario.plan);
    let is_current = |index: &usize| rows.get(*index).is_some_and(|row| current == Some(row.plan));
    let place_in_table = order.iter().position(is_current);
    let load = use_callback(dispatch.clone(), |plan: Plan, dispatch| dispatch.emit(Action::Load(plan)));
    let csv = {
        let (rows, order) = (Rc::clone(&rows.0), Rc::clone(&order.0));
        let scenario = forecast.scenario;
        Callback::from(move |_: MouseEvent| {
            download("layouts.csv", "text/csv", &ranking::to_csv(&rows, &order, &scenario))
        })
    };
    let awaited = progress.status == Status::Running && progress.rows.is_empty();
    html! {
        <section class={classes!("panel", "ranking", props.stale.then_some("dim"))} id="ranking" aria-labelledby="ranking-title">
            <div class="panel-head">
                <h2 id="ranking-title">{ "Every legal layout, ranked" }</h2>
                { search_bar(progress, ranking.stop.clone(), ranking.restart.clone()) }
            </div>
            if props.in_legal_layout {
                <p class="standing">
                    { "The layout on the form cannot run on this job; these can. A click on one takes it over." }
                </p>
            } else if let Some(standing) = standing {
                { verdict(&standing, place_in_table, &load) }
            } else if awaited {
                <p class="standing">{ "Your plan is being compared with every legal layout." }</p>
            }
            <div class="tools">
                { filter_field(&props.document, wrong_filter.as_deref(), &dispatch) }
                { infeasible_switch(query.infeasible, progress.rows.len() - fitting, &dispatch) }
                <button type="button" class="quiet" onclick={csv} disabled={order.is_empty()}>{ "Download CSV" }</button>
            </div>
            <RankTable {rows} {order} {query} {awaited} {current} scenario={forecast.scenario} {load}
                usable_gib={forecast.prediction.memory.usable_gib} />
            <Announce text={announcement(&progress.status, fitting)} />
        </section>
    }
}

/// Where the plan on the form stands. It stays while the next ranking is on its way, so that nothing below its line
/// jumps.
#[hook]
fn use_standing(progress: &Progress, forecast: &Forecast) -> Option<Standing> {
    let last = use_mut_ref(|| None::<Standing>);
    if !progress.stale {
        *last.borrow_mut() = standing(&progress.rows, &forecast.scenario.plan, forecast.prediction.step.0);
    }
    *last.borrow()
}

/// The switch that shows layouts that do not fit.
fn infeasible_switch(on: bool, infeasible: usize, dispatch: &Dispatch) -> Html {
    let dispatch = dispatch.clone();
    let switch = Callback::from(move |event: Event| {
        let on = event.target_unchecked_into::<HtmlInputElement>().checked();
        let text = if on { "1" } else { "" }.to_owned();
        dispatch.emit(Action::Show { key: INFEASIBLE.to_owned(), text });
    });
    html! {
        <label class="switch">
            <input type="checkbox" id="show-infeasible" checked={on} onchange={switch} />
            { format!("Show {} that do not fit", number::integer(infeasible as u64)) }
        </label>
    }
}

fn announcement(status: &Status, fitting: usize) -> String {
    match status {
        Status::Done => format!("Ranking complete: {} layouts fit.", number::integer(fitting as u64)),
        Status::Stopped => "Ranking stopped.".to_owned(),
        Status::Failed(_) => "Ranking failed.".to_owned(),
        Status::Running => String::new(),
    }
}

/// Where the plan on the form stands, and the way to the best.
fn verdict(standing: &Standing, place_in_table: Option<usize>, load: &Callback<Plan>) -> Html {
    let feasible = number::integer(standing.feasible as u64);
    let place = match standing.place {
        Some(1) => {
            return html! {
                <p class="standing">{ format!("Your plan is the fastest of {feasible} layouts that fit.") }</p>
            };
        }
        Some(place) => {
            format!("Your plan is number {} of {feasible} layouts that fit.", number::integer(place as u64))
        }
        None => format!("Your plan is not among the {feasible} layouts that fit."),
    };
    let best = summary::layout(&standing.best.plan, standing.best.data_parallel);
    let step = number::time(standing.best.step);
    let gain = if standing.gain > 0.0005 {
        format!("{step} per step, {} less", number::percent(standing.gain))
    } else {
        format!("{step} per step")
    };
    let plan = standing.best.plan;
    let load = load.clone();
    let find = place_in_table.map(|place| {
        let show = Callback::from(move |_: MouseEvent| table::show(place));
        html! { <button type="button" class="suggestion" onclick={show}>{ "Show it" }</button> }
    });
    html! {
        <p class="standing">
            { place } { " " } { find } { " Fastest: " } <strong>{ best }</strong> { format!(", {gain}. ") }
            <button type="button" class="suggestion" onclick={move |_: MouseEvent| load.emit(plan)}>{ "Use it" }</button>
        </p>
    }
}

/// The filter expression.
fn filter_field(document: &Document, wrong: Option<&str>, dispatch: &Dispatch) -> Html {
    let text = document.extra(FILTER).unwrap_or_default().to_owned();
    let input = {
        let dispatch = dispatch.clone();
        Callback::from(move |event: InputEvent| {
            let text = event.target_unchecked_into::<HtmlInputElement>().value();
            dispatch.emit(Action::Show { key: FILTER.to_owned(), text });
        })
    };
    let dispatch = dispatch.clone();
    let clear = Callback::from(move |_: MouseEvent| {
        dispatch.emit(Action::Show { key: FILTER.to_owned(), text: String::new() });
    });
    let emptiable = !text.is_empty();
    html! {
        <div class="filter">
            <label for="filter">{ "Filter" }</label>
            <input type="text" id="filter" value={text} oninput={input} autocomplete="off" spellcheck="false"
                placeholder="tp=8 pp>=4 mem<70 rc=none,selective" aria-invalid={wrong.map(|_| "true")}
                aria-describedby={wrong.map(|_| "filter-error")} />
            if emptiable {
                <button type="button" class="quiet" onclick={clear}>{ "Clear" }</button>
            }
            if let Some(sentence) = wrong {
                <p class="error" id="filter-error">{ sentence }</p>
            }
        </div>
    }
}
