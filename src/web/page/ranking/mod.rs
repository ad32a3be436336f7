//! Every layout, ranked: the table, what is searched, its filters, and the search behind it.

mod client;
mod hook;
mod options;
mod progress;
mod table;

use crate::announce::Announce;
use crate::short_list::Found;
use crate::store::{Dispatch, use_dispatch};
use hook::use_ranking;
use options::{axes, filter_field, infeasible_switch};
use progress::search_bar;
use stepcast::document::Document;
use stepcast::forecast::Predictor;
use stepcast::number;
use stepcast::page_state::page::{AUTO, Action, Forecast, Page};
use stepcast::page_state::query::Arranged;
use stepcast::page_state::ranking::{FileKind, Room, Standing, standing, to_file, verdict};
use stepcast::page_state::search::{Progress, Status};
use stepcast::page_state::searched::Searched;
use stepcast::page_state::summary;
use stepcast::scenario::Scenario;
use stepcast::tuner::Candidate;
use stepcast_web_kit::Shared;
use stepcast_web_kit::clipboard::download;
use table::RankTable;
use yew::prelude::*;

#[derive(Properties, Clone, PartialEq)]
pub(crate) struct RankingProps {
    document: Shared<Document>,
    /// Of the job that is ranked.
    forecast: Shared<Forecast>,
    /// The form holds another job, which is impossible.
    stale: bool,
    /// The layout on the form cannot run on the job, and is not that of the forecast.
    in_legal_layout: bool,
    /// Folds of the second module that belong to the table.
    #[prop_or_default]
    folds: Html,
    /// Hears what the search has found.
    #[prop_or_default]
    told: Callback<Found>,
}

impl RankingProps {
    /// The same with folds, and with somebody who hears what is found.
    pub(crate) fn with(&self, folds: Html, told: Callback<Found>) -> Self {
        Self { folds, told, ..self.clone() }
    }
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
        folds: Html::default(),
        told: Callback::noop(),
    })
}

/// The ranked table with everything around it.
#[component]
pub(crate) fn RankingPanel(props: &RankingProps) -> Html {
    let dispatch = use_dispatch();
    let RankingProps { document, forecast, .. } = props;
    let scenario = forecast.scenario;
    let searched = Searched::of(document);
    let ranking = use_ranking(forecast, document, searched);
    let progress = &ranking.progress;
    let rows = Shared::from(&progress.rows);
    let arranged =
        use_memo((rows.clone(), document.clone(), forecast.clone()), |(rows, document, forecast)| {
            Arranged::new(rows, document, &forecast.scenario)
        });
    let arranged = Shared(arranged);
    let places = &arranged.places;
    let wrong_filter = arranged.wrong.iter().find(|wrong| wrong.0.is_none()).map(|wrong| wrong.1.as_str());
    let unfit = rows.iter().rev().take_while(|row| !row.fits).count();
    let standing = use_standing(progress, forecast, searched.margin);
    let current = (!props.in_legal_layout).then_some(scenario.plan);
    let file = |kind: FileKind, label: &'static str| {
        let (disabled, rows, arranged) = (places.is_empty(), rows.clone(), arranged.clone());
        let save = Callback::from(move |_: MouseEvent| {
            let mime = if kind == FileKind::Csv { "text/csv" } else { "application/json" };
            let name = format!("layouts.{}", kind.ending());
            download(&name, mime, &to_file(&rows, &arranged.places, &scenario, kind));
        });
        html! { <button type="button" class="quiet" onclick={save} {disabled}>{ label }</button> }
    };
    let awaited = progress.status == Status::Running && rows.is_empty();
    use_found(progress, props, searched.margin, &dispatch);
    html! {
        <section class={classes!("panel", "ranking", props.stale.then_some("dim"))} id="ranking" aria-labelledby="ranking-title">
            <div class="panel-head">
                <h2 id="ranking-title">{ "Every layout, ranked" }</h2>
                { search_bar(progress, &ranking.stop, &ranking.restart) }
            </div>
            if props.in_legal_layout {
                <p class="standing">
                    { "The layout on the form cannot run on this job; these can. A click on one takes it over." }
                </p>
            } else if let Some(standing) = standing {
                { standing_line(&standing, forecast, searched.margin, &rows, &arranged, &dispatch) }
            } else if awaited {
                <p class="standing">{ "Your layout is being compared with every other." }</p>
            }
            { axes(&scenario, &searched, &dispatch) }
            <div class="tools">
                { filter_field(document, wrong_filter, &dispatch) }
                { infeasible_switch(arranged.query.infeasible, unfit, &dispatch) }
                <span class="pair">
                    { file(FileKind::Csv, "CSV") }
                    { file(FileKind::Json, "JSON") }
                </span>
            </div>
            { props.folds.clone() }
            <RankTable {rows} {arranged} {awaited} {current} {scenario} margin={searched.margin}
                document={document.clone()} usable_gib={forecast.prediction.memory.usable_gib} />
            <Announce text={announcement(progress)} />
        </section>
    }
}

/// Time from which on a search that still runs is asked for a layout, milliseconds.
const PLANNED_AFTER_MS: f64 = 1500.0;

/// Times as long as what is found that a layout takes which is replaced at once.
const MUCH_SLOWER: f64 = 1.25;

/// Whether what is found so far is worth going by.
fn is_enough(progress: &Progress) -> bool {
    !progress.stale && (progress.status == Status::Done || progress.elapsed_ms > PLANNED_AFTER_MS)
}

/// What becomes of what is found: a layout for the reader who leaves it to the page, and a word to others.
#[hook]
fn use_found(progress: &Progress, props: &RankingProps, margin: f64, dispatch: &Dispatch) {
    use_plan(progress, &props.forecast, &props.document, margin, dispatch);
    use_told(progress, &props.told);
}

/// Takes the recommended layout over, once it is known, for a reader who leaves the layout to the page.
#[hook]
fn use_plan(
    progress: &Progress,
    forecast: &Forecast,
    document: &Shared<Document>,
    margin: f64,
    dispatch: &Dispatch,
) {
    let auto = document.extra(AUTO) == Some("1") && !progress.stale;
    let recommended = || Predictor::SHIPPED.recommended(&forecast.scenario, &progress.rows, margin);
    let best = if auto { recommended() } else { None };
    // What stands in until then gives way to anything that is much better.
    let better =
        |row: &&Candidate| is_enough(progress) || row.step.0 * MUCH_SLOWER < forecast.prediction.step.0;
    let nearest = || progress.rows.first().filter(|_| auto && progress.status == Status::Done);
    let found = best.filter(better).or_else(nearest).map(|row| row.plan);
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
fn use_told(progress: &Progress, told: &Callback<Found>) {
    let found = Found {
        rows: Shared::from(&progress.rows),
        fresh: is_enough(progress),
        done: progress.status == Status::Done,
    };
    let told = told.clone();
    use_effect_with(found, move |found| told.emit(found.clone()));
}

/// Where the plan on the form stands. It stays while the next ranking is on its way, so that nothing below its line
/// jumps.
#[hook]
fn use_standing(progress: &Progress, forecast: &Forecast, margin: f64) -> Option<Standing> {
    let last = use_mut_ref(|| None::<Standing>);
    if !progress.stale {
        let step = forecast.prediction.step.0;
        *last.borrow_mut() = standing(&progress.rows, &forecast.scenario.plan, step, margin);
    }
    *last.borrow()
}

fn announcement(progress: &Progress) -> String {
    match progress.status {
        Status::Done => {
            format!("Ranking complete: {} layouts fit.", number::integer(progress.counts.fitting as u64))
        }
        Status::Stopped => "Ranking stopped.".to_owned(),
        Status::Failed(_) => "Ranking failed.".to_owned(),
        Status::Running => String::new(),
    }
}

/// Where the layout on the form stands, and the way to the best.
fn standing_line(
    standing: &Standing,
    forecast: &Forecast,
    margin: f64,
    rows: &[Candidate],
    arranged: &Arranged,
    dispatch: &Dispatch,
) -> Html {
    let memory = &forecast.prediction.memory;
    let room = match 1.0 - memory.peak_gib / memory.usable_gib {
        _ if !memory.fits => Room::Unfit,
        room if room >= margin => Room::Comfortable,
        _ => Room::Tight,
    };
    let own = forecast.scenario.plan;
    let place = arranged.place_of(rows, &own);
    let find = place.map(|place| {
        let show = Callback::from(move |_: MouseEvent| table::show(place));
        html! { <button type="button" class="suggestion" onclick={show}>{ "Show it" }</button> }
    });
    let plan = standing.best.plan;
    let dispatch = dispatch.clone();
    html! {
        <p class="standing">
            { verdict(standing, forecast.prediction.step, room, margin) } { " " } { find }
            if plan != own {
                { " Fastest: " } <strong>{ summary::layout(&plan, standing.best.data_parallel) }</strong>
                { format!(", {}. ", number::time(standing.best.step)) }
                <button type="button" class="suggestion" onclick={move |_: MouseEvent| dispatch.emit(Action::Load(plan))}>{ "Use it" }</button>
            }
        </p>
    }
}
