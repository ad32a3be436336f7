//! One view alone, for an iframe on somebody else's page.

use crate::explain::Explained;
use crate::notice::notice_bar;
use crate::panels::{asks, table, use_drawing, use_module};
use crate::problems::problems;
use crate::ranking::{CONTROLS, RankingProps, TABLE, ranking, section, use_search, use_telling};
use crate::single::Single;
use crate::store::Dispatch;
use crate::summary::{breakdown, headline, verdict};
use stepcast::fields::{Field, FieldKind};
use stepcast::page_state::embed::{EmbedView, edited};
use stepcast::page_state::page::{Action, Page};
use stepcast::page_state::panels::Panel;
use stepcast::page_state::summary;
use stepcast_web_kit::{ColourRevision, browser};
use wasm_bindgen::JsCast as _;
use yew::prelude::*;

/// The view, with a way to the whole page.
pub(crate) fn embedded(view: EmbedView, page: &Page, dispatch: &Dispatch, colours: ColourRevision) -> Html {
    let stale = page.outcome.stale();
    let whole = browser::page_address() + &page.document.to_link();
    html! {
        <main class={classes!("embed", stale.then_some("stale"))}>
            if let Some(notice) = &page.notice {
                { notice_bar(notice, dispatch) }
            }
            if let Some(forecast) = &page.outcome.forecast {
                <h1 class="embed-job">{ summary::job(&forecast.document, &forecast.scenario) }</h1>
            }
            if let (true, false, Some(ranking)) = (page.document.is_planned(), view == EmbedView::Ranking, ranking(page)) {
                <Planner {ranking} dispatch={dispatch.clone()} />
            }
            { controls(page, dispatch) }
            { problems(&page.outcome, None) }
            if let Some(forecast) = &page.outcome.forecast {
                {
                    match view {
                        EmbedView::Summary => headline(forecast, false, verdict(forecast, None), Html::default(), Html::default()),
                        EmbedView::Breakdown => html! {
                            <div class={classes!(stale.then_some("dim"))}>
                                { breakdown(forecast) }
                            </div>
                        },
                        EmbedView::Panel(panel) if Panel::find(panel).is_some_and(|one| one.applies(&forecast.scenario)) => html! {
                            <Single {panel} link={page.shown_link().unwrap_or_default()} {colours} dispatch={dispatch.clone()} />
                        },
                        EmbedView::Panel(_) => html! { <p class="empty">{ "A job on one GPU has no communication." }</p> },
                        EmbedView::Ranking => html! {
                            if let Some(ranking) = ranking(page) {
                                <Ranked {ranking} link={page.shown_link().unwrap_or_default()} {colours} dispatch={dispatch.clone()} />
                            }
                        },
                    }
                }
            }
            if matches!(view, EmbedView::Summary | EmbedView::Breakdown) {
                <Explained link={page.shown_link().unwrap_or_default()} {colours} dispatch={dispatch.clone()} />
            }
            <p class="embed-foot"><a href={whole} target="_blank" rel="noopener">{ "Open in stepcast" }</a></p>
        </main>
    }
}

#[derive(Properties, Clone, PartialEq)]
struct PlannerProps {
    ranking: RankingProps,
    dispatch: Dispatch,
}

/// The search for the layout of a job that leaves it open, where no ranking is shown.
#[component]
fn Planner(props: &PlannerProps) -> Html {
    use_search(&props.ranking, &Callback::noop(), &props.dispatch);
    Html::default()
}

#[derive(Properties, Clone, PartialEq)]
struct RankedProps {
    ranking: RankingProps,
    /// Link of the scenario, with the view state.
    link: AttrValue,
    colours: ColourRevision,
    dispatch: Dispatch,
}

/// The ranked table, without what is shown above it on request.
#[component]
fn Ranked(props: &RankedProps) -> Html {
    let loaded = use_module(true);
    let search = use_search(&props.ranking, &Callback::noop(), &props.dispatch);
    use_telling(&loaded.module, true, &props.ranking, &search);
    let shown = (props.link.clone(), props.link.clone(), props.colours);
    use_drawing(&loaded.module, shown, vec![CONTROLS, TABLE], asks(&props.dispatch));
    section(&props.ranking, &search, table(&loaded, Html::default()))
}

/// The fields that a reader of the page around it may set.
fn controls(page: &Page, dispatch: &Dispatch) -> Html {
    let fields = edited(&browser::query());
    if fields.is_empty() {
        return html! {};
    }
    html! { <p class="embed-edit">{ for fields.into_iter().map(|field| control(page, dispatch, field)) }</p> }
}

fn control(page: &Page, dispatch: &Dispatch, field: &'static Field) -> Html {
    let text = page.document.text(field.key).to_owned();
    let key = field.key;
    let dispatch = dispatch.clone();
    let change = Callback::from(move |event: Event| {
        let target: web_sys::HtmlElement = event.target_unchecked_into();
        let typed = target.dyn_ref::<web_sys::HtmlInputElement>().map(|input| input.value());
        let chosen = target.dyn_ref::<web_sys::HtmlSelectElement>().map(|select| select.value());
        if let Some(text) = typed.or(chosen) {
            dispatch.emit(Action::Choose { key, text });
        }
    });
    let entries = match field.kind {
        FieldKind::Choice(list) => list,
        FieldKind::Flag => &[("0", "off"), ("1", "on")],
        _ => &[],
    };
    html! {
        <label>
            { field.label }
            if entries.is_empty() {
                <input name={key} value={text} onchange={change} size="7" />
            } else {
                <select name={key} onchange={change}>
                    for (value, label) in entries {
                        <option value={*value} selected={*value == text}>{ *label }</option>
                    }
                </select>
            }
            { field.unit }
        </label>
    }
}
