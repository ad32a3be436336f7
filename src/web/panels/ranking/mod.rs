//! Every layout, ranked: what is searched, the filters, and the table. The page searches, and tells what it has found.

mod options;
mod table;

use crate::root::{PanelProps, Show};
use js_sys::Float64Array;
use options::{axes, filter_field, infeasible_switch};
use std::rc::Rc;
use stepcast::document::Document;
use stepcast::number;
use stepcast::page_state::page::PageForecast;
use stepcast::page_state::panels::{CONTROLS, TABLE};
use stepcast::page_state::query::Arranged;
use stepcast::page_state::ranking::{Room, Standing, standing, to_table, verdict};
use stepcast::page_state::tables::FileKind;
use stepcast::page_state::{summary, wire};
use stepcast::planned::Searched;
use stepcast::scenario::Scenario;
use stepcast::scenario::plan::Plan;
use stepcast::tuner::{Candidate, Margin};
use stepcast_web_kit::Shared;
use stepcast_web_kit::clipboard::download;
use table::RankTable;
use yew::prelude::*;

/// What the page's search has found, as the page tells it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct RankingInput {
    rows: Shared<Vec<Candidate>>,
    /// Link of the job that is ranked, where the layout on the form cannot run on it; else it is that of all panels.
    job: AttrValue,
    /// The first rows are on their way.
    awaited: bool,
    /// The rows are those of the search before.
    stale: bool,
}

impl Default for RankingInput {
    fn default() -> Self {
        Self { rows: Shared(Rc::default()), job: AttrValue::default(), awaited: true, stale: false }
    }
}

impl RankingInput {
    /// The next message; rows are kept if it has none.
    pub(crate) fn next(
        &self,
        job: &str,
        link: &str,
        rows: Option<Float64Array>,
        awaited: bool,
        stale: bool,
    ) -> Self {
        let rows = rows.map(|numbers| Shared(Rc::new(decoded(link, &numbers.to_vec()))));
        let rows = rows.unwrap_or_else(|| self.rows.clone());
        Self { rows, job: AttrValue::from(job.to_owned()), awaited, stale }
    }
}

/// The rows of a link's search.
fn decoded(link: &str, numbers: &[f64]) -> Vec<Candidate> {
    let document = Document::from_link(link).map(|opened| opened.document).unwrap_or_default();
    let Ok(job) = document.scenario() else { return Vec::new() };
    wire::decode(numbers, &Searched::of(&document).space(&job)).collect()
}

/// The ranking to draw.
pub(crate) struct RankingView {
    told: RankingInput,
    /// Holds the view state.
    document: Shared<Document>,
    /// Of the job that is ranked.
    forecast: Shared<PageForecast>,
    arranged: Shared<Arranged>,
    standing: Option<Standing>,
    margin: Margin,
}

/// Where a part of the ranking is drawn, in addition to the panels.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum RankingPart {
    /// Above the rows.
    Controls,
    /// The rows.
    Table,
}

impl RankingPart {
    /// The part of that name.
    pub(crate) fn find(name: &str) -> Option<Self> {
        [(CONTROLS, Self::Controls), (TABLE, Self::Table)]
            .into_iter()
            .find(|part| part.0 == name)
            .map(|part| part.1)
    }
}

/// Parts of the ranking to draw, in addition to the panels' document and forecast; nothing if none is visible.
#[hook]
pub(crate) fn use_ranked(
    told: &RankingInput,
    panels: Option<(Shared<Document>, Shared<PageForecast>)>,
) -> Option<Rc<RankingView>> {
    let other = use_memo(told.job.clone(), |link| {
        let document = Document::from_link(link).ok().filter(|_| !link.is_empty())?.document;
        PageForecast::of(&Rc::new(document)).ok().map(Rc::new)
    });
    let last = use_mut_ref(|| None::<Standing>);
    let deps = panels.map(|(document, forecast)| {
        let forecast = other.as_ref().as_ref().map_or(forecast, Shared::from);
        (told.clone(), document, forecast)
    });
    let arranged = use_memo(
        deps.as_ref()
            .map(|(told, document, forecast)| (told.rows.clone(), document.clone(), forecast.clone())),
        |deps| {
            let (rows, document, forecast) = deps.as_ref()?;
            Some(Rc::new(Arranged::new(rows, document, &forecast.scenario)))
        },
    );
    let ranked = use_memo((deps, arranged.as_ref().clone().map(Shared)), |(deps, arranged)| {
        let (told, document, forecast) = deps.clone()?;
        let margin = Searched::of(&document).margin;
        // It stays while the next ranking is on its way, so that nothing below its line jumps.
        if !told.stale {
            let step = forecast.prediction.step.0;
            *last.borrow_mut() = standing(&told.rows, &forecast.scenario.plan, step, margin);
        }
        let standing = *last.borrow();
        let arranged = arranged.clone()?;
        Some(Rc::new(RankingView { told, document, forecast, arranged, standing, margin }))
    });
    (*ranked).clone()
}

/// A part of the ranking.
pub(crate) fn part(part: RankingPart, ranked: &RankingView, props: &PanelProps) -> Html {
    match part {
        RankingPart::Controls => controls(ranked, props),
        RankingPart::Table => {
            let RankingView { told, document, forecast, arranged, margin, .. } = ranked;
            html! {
                <RankTable rows={told.rows.clone()} {arranged} awaited={told.awaited} margin={*margin}
                    current={told.job.is_empty().then_some(forecast.scenario.plan)} scenario={forecast.scenario} own={forecast.calibration.clone()}
                    {document}
                    show={&props.show} take={&props.take} />
            }
        }
    }
}

/// Contents above the rows.
fn controls(ranked: &RankingView, props: &PanelProps) -> Html {
    let RankingView { told, document, forecast, arranged, standing, .. } = ranked;
    let scenario = forecast.scenario;
    let rows = &told.rows;
    let wrong_filter = arranged.wrong.iter().find(|wrong| wrong.0.is_none()).map(|wrong| wrong.1.as_str());
    let unfit = rows.iter().rev().take_while(|row| !row.fits).count();
    let file = |kind: FileKind, label: &'static str| {
        let disabled = arranged.places.is_empty();
        let (rows, arranged) = (rows.clone(), arranged.clone());
        let forecast = forecast.clone();
        let save = Callback::from(move |_: MouseEvent| {
            let name = format!("layouts.{}", kind.ending());
            download(
                &name,
                kind.media_type(),
                &to_table(&forecast.predictor(), &rows, &arranged.places, &scenario).written(kind),
            );
        });
        html! { <button type="button" class="quiet" onclick={save} {disabled}>{ label }</button> }
    };
    html! {
        <>
            if !told.job.is_empty() {
                <p class="standing">
                    { "The current layout is invalid for this job. Select one below." }
                </p>
            } else if let Some(standing) = standing {
                { standing_line(standing, ranked, &props.take) }
            } else if told.awaited {
                <p class="standing">{ "Comparing your layout with all others." }</p>
            }
            { axes(&scenario, document, &props.ask) }
            <div class="tools">
                { filter_field(document, wrong_filter, &props.show) }
                { infeasible_switch(arranged.query.infeasible, unfit, &props.show) }
                <span class="pair">
                    for (kind, name) in FileKind::ALL {
                        { file(kind, name) }
                    }
                </span>
            </div>
        </>
    }
}

/// The rank of the layout on the form, and a link to the best.
fn standing_line(standing: &Standing, ranked: &RankingView, take: &Callback<String>) -> Html {
    let RankingView { told, forecast, arranged, margin, .. } = ranked;
    let memory = &forecast.prediction.memory;
    let room = Room::of_report(memory, *margin);
    let own = forecast.scenario.plan;
    let place = arranged.place_of(&told.rows, &own);
    let find = place.map(|place| {
        let show = Callback::from(move |_: MouseEvent| table::show(place));
        html! { <button type="button" class="suggestion" onclick={show}>{ "Show layout" }</button> }
    });
    let plan = standing.best.plan;
    let link = link_of(&forecast.scenario, plan);
    html! {
        <p class="standing">
            { verdict(standing, forecast.prediction.step, room, *margin) } { " " } { find }
            if plan != own {
                { " Fastest: " } <strong>{ summary::layout(&plan, standing.best.data_parallel) }</strong>
                { format!(", {}. ", number::time(standing.best.step)) }
                <button type="button" class="suggestion" onclick={take.reform(move |_: MouseEvent| link.clone())}>{ "Use layout" }</button>
            }
        </p>
    }
}

/// Link of a job in a layout.
fn link_of(job: &Scenario, plan: Plan) -> String {
    Document::from_scenario(&Scenario { plan, ..*job }).to_link()
}

/// Sends the page a piece of view state.
fn say(show: &Show, key: &'static str, text: impl Into<String>) {
    show.emit((key, text.into()));
}
