//! The whole page: the bar on top, the job on the left, and the results.

use crate::announce::{region, use_announcement};
use crate::compare::compare;
use crate::header::{ThemeSetter, header, use_header};
use crate::job::{JobBar, Props as JobProps, job, use_bar};
use crate::notice::notice_bar;
use crate::panels::{
    Loaded, Panels, SeenPanels, asks, followed, open_panels, slot, use_drawing, use_module, use_seen_panels,
    use_shown,
};
use crate::problems::problems;
use crate::ranking::ranking;
use crate::short_list::{Cards, ShortListInput, use_short_list};
use crate::store::Dispatch;
use crate::summary::{Measured, headline, helps, use_help, verdict};
use gloo::timers::callback::Timeout;
use std::cell::RefCell;
use std::rc::Rc;
use stepcast::fields::Field;
use stepcast::page_state::help::Help;
use stepcast::page_state::opening::OFFERED;
use stepcast::page_state::page::{Action, Page, PageForecast};
use stepcast::page_state::panels::{self, CLOSE, FORM, GOAL, ResultsView, SHOW_FIELD};
use stepcast::page_state::summary;
use stepcast_web_kit::hooks::{use_effect_with, use_flag};
use stepcast_web_kit::measure::{use_in_sight, use_media};
use stepcast_web_kit::{ColourRevision, Shared, browser};
use yew::prelude::*;

/// Id of what says how the forecast has changed.
const SAID: &str = "forecast-said";

/// What the whole page keeps in addition to its state.
pub(crate) struct PageContext {
    told: Callback<ShortListInput>,
    help: Option<Rc<Help>>,
    cards: Rc<Cards>,
    /// A layout is still searched for.
    searching: bool,
    pane: Pane,
    in_sight: bool,
    bar: JobBar,
    loaded: Loaded,
    seen: SeenPanels,
    header: NodeRef,
}

/// Shows all fields, beginning at one, or those that decide again.
pub(crate) type ShowFields = Callback<Option<&'static str>>;

/// The pane with the job.
struct Pane {
    /// It is open, where it has no place of its own.
    open: bool,
    /// It has no place of its own.
    over: bool,
    /// Opens and closes it there.
    toggle: Callback<bool>,
    /// All fields are shown in it.
    all_fields: bool,
    /// They were shown before: what was done in them stays.
    filled: bool,
    show_fields: ShowFields,
}

/// What is known around the page's state: what was found, what would help, what is open and in sight. `is_shown` says that
/// the whole page is, and no single view.
#[hook]
pub(crate) fn use_around(
    page: &Page,
    dispatch: &Dispatch,
    is_shown: bool,
    colours: ColourRevision,
) -> PageContext {
    let found = use_state_eq(|| None::<ShortListInput>);
    let told = {
        let found = found.setter();
        use_callback((), move |one: ShortListInput, ()| found.set(Some(one)))
    };
    let forecast = page.outcome.forecast.as_ref();
    let none_fits = found.as_ref().is_some_and(ShortListInput::none_fits);
    let going_on = found.as_ref().is_some_and(ShortListInput::is_going_on);
    let searching = going_on && page.document.is_planned();
    let pinned = page.document.set_in_layout().count();
    let help = use_help(forecast, none_fits, pinned);
    let cards = use_short_list(forecast, found.as_ref(), &page.document);
    let bar = use_bar();
    let (pane, goal) = use_pane(is_shown && page.outcome.stale() && page.typing.is_none());
    let has_goal = forecast.is_some_and(|forecast| forecast.scenario.run.has_goal());
    let loaded = use_module(pane.all_fields || bar.open().is_some() || has_goal);
    use_goal(&goal, loaded.is_ready(), pane.all_fields);
    let seen = use_seen_panels();
    let mut open = open_panels(page, &seen);
    open.extend(pane.filled.then_some(FORM));
    open.extend(bar.open());
    open.extend(has_goal.then_some(GOAL));
    let (asks, close, show_fields) = (asks(dispatch), bar.close.clone(), pane.show_fields.clone());
    let shown = use_shown(page, colours);
    use_drawing(&loaded.module, shown, open, move |key, text| match key {
        CLOSE => close.emit(!text.is_empty()),
        SHOW_FIELD => show_fields.emit(Field::find(&text).map(|field| field.key)),
        _ => asks(key, text),
    });
    let in_sight = use_in_sight("summary", is_shown && forecast.is_some());
    use_announcement(SAID, announcement(page));
    PageContext { told, help, cards, searching, pane, in_sight, bar, loaded, seen, header: use_header() }
}

/// The whole page.
pub(crate) fn whole(page: &Page, around: &PageContext, dispatch: &Dispatch, theme: ThemeSetter<'_>) -> Html {
    let outcome = &page.outcome;
    let stale = outcome.stale();
    let forecast = outcome.forecast.as_ref();
    let Pane { open, over, toggle, all_fields, filled, show_fields } = &around.pane;
    let covers = *open && *over;
    let classes = classes!("workbench", open.then_some("with-job"), all_fields.then_some("with-fields"),);
    html! {
        <>
            { header(page, dispatch, theme, &around.header, around.in_sight, (over.then_some(*open), toggle)) }
            <div class={classes}>
                { job(&JobProps { page, all_fields: *all_fields, filled: *filled, searching: around.searching, show_fields, covers, done: toggle,
                    bar: &around.bar, loaded: &around.loaded }, dispatch) }
                <main class={classes!("results", stale.then_some("stale"))} id="results" tabindex="-1" aria-label="Forecast"
                    inert={covers}>
                    if let Some(notice) = &page.notice {
                        { notice_bar(notice, dispatch) }
                    }
                    { problems(outcome, Some(show_fields)) }
                    if let Some(forecast) = forecast {
                        { results(page, forecast, around, dispatch) }
                    } else {
                        <p class="empty">{ if outcome.errors.is_empty() { "No forecast yet." } else { "No forecast: fix the highlighted fields." } }</p>
                    }
                    { region(SAID) }
                    { footer(page) }
                </main>
            </div>
        </>
    }
}

fn footer(page: &Page) -> Html {
    html! {
        <footer class="footer">
            <p>{ summary::MFU }</p>
            <p>{ "All computation runs in your browser, and no input is sent to a server. The link in the address bar contains the whole job." }</p>
            <p class="printed">{ browser::page_address() + &page.document.to_link() }</p>
            <nav aria-label="About stepcast">
                <a href="./guide/">{ "Guide" }</a>
                <a href="./guide/sure.html">{ "Accuracy" }</a>
                <a href="./guide/limits.html">{ "Known limits" }</a>
                <a href="./guide/script.html">{ "Scripts" }</a>
                <span>{ "Licence: MIT or Apache 2.0" }</span>
            </nav>
        </footer>
    }
}

/// The element that is to take the focus once it is on the page, by its id.
type FocusTarget = Rc<RefCell<Option<String>>>;

/// The pane, which shows all fields where one has a problem that is not just being typed; and the control that is to take
/// the focus.
#[hook]
fn use_pane(wrong: bool) -> (Pane, FocusTarget) {
    let open = use_flag(false);
    let all_fields = use_flag(false);
    let filled = use_mut_ref(|| false);
    {
        let all_fields = all_fields.setter();
        use_effect_with(wrong, move |wrong| {
            if *wrong {
                all_fields.set(true);
            }
        });
    }
    let goal = use_mut_ref(|| None::<String>);
    let show_fields = {
        let (open, all_fields, goal) = (open.setter(), all_fields.setter(), Rc::clone(&goal));
        use_callback((), move |at: Option<&'static str>, ()| {
            all_fields.set(at.is_some());
            if at.is_some() {
                open.set(true);
            }
            *goal.borrow_mut() = Some(match at {
                None => "all-fields".to_owned(),
                Some("") => "find-field".to_owned(),
                Some(key) => format!("f-{key}"),
            });
            focus_later(&goal);
        })
    };
    let toggle = {
        let (open, goal) = (open.setter(), Rc::clone(&goal));
        use_callback((), move |now: bool, ()| {
            open.set(now);
            *goal.borrow_mut() = Some(if now { "all-fields" } else { "job-line" }.to_owned());
            focus_later(&goal);
        })
    };
    *filled.borrow_mut() |= *all_fields;
    let filled = *filled.borrow();
    // As the style sheet has it.
    let over = use_media("screen and (width < 80rem)");
    (Pane { open: *open, over, toggle, all_fields: *all_fields, filled, show_fields }, goal)
}

/// Gives the focus to what it was promised to, when what draws that has come.
#[hook]
fn use_goal(goal: &FocusTarget, ready: bool, open: bool) {
    let goal = Rc::clone(goal);
    use_effect_with((ready, open), move |_| focus_later(&goal));
}

/// Moves the focus to its goal, if that is on the page once all is drawn.
fn focus_later(goal: &FocusTarget) {
    let goal = Rc::clone(goal);
    let focus = move || {
        let element = goal.borrow().as_ref().and_then(|id| browser::element(id));
        if let Some(element) = element {
            *goal.borrow_mut() = None;
            // What is folded away takes no focus.
            if let Ok(Some(fold)) = element.closest("details") {
                let _ = fold.set_attribute("open", "");
            }
            let _ = element.focus();
        }
    };
    Timeout::new(0, focus).forget();
}

/// The answer, and the views below.
fn results(page: &Page, forecast: &Rc<PageForecast>, around: &PageContext, dispatch: &Dispatch) -> Html {
    let stale = page.outcome.stale();
    let Some(ranking) = ranking(page) else { return html! {} };
    html! {
        <>
            { headline(forecast, around.searching, why(forecast, around, dispatch), evidence(page, dispatch), html! {
                <div class="answer-row">
                    <Measured forecast={Shared::from(forecast)} dispatch={dispatch.clone()} />
                    if !stale {
                        { compare(&forecast.scenario, "this job", &page.document, dispatch) }
                    }
                </div>
            }) }
            if forecast.scenario.run.has_goal() {
                <div id={slot(GOAL)} data-panel={GOAL}></div>
            }
            if page.untouched {
                { offered(dispatch) }
            }
            <Panels document={Shared::from(&page.document)} forecast={Shared::from(forecast)}
                loaded={around.loaded.clone()} dispatch={dispatch.clone()} {ranking} told={around.told.clone()}
                cards={Shared::from(&around.cards)} seen={around.seen.clone()} {stale} />
        </>
    }
}

/// What limits the step, and what would make it shorter.
fn why(forecast: &PageForecast, around: &PageContext, dispatch: &Dispatch) -> Html {
    let help = around.help.as_deref();
    html! {
        <>
            { verdict(forecast, help) }
            { helps(help, dispatch) }
        </>
    }
}

/// What a first visit may go on with.
fn offered(dispatch: &Dispatch) -> Html {
    html! {
        <nav class="offered" aria-label="Examples">
            <span>{ "Try" }</span>
            for (name, link) in OFFERED {
                <a key={name} href={link} onclick={followed(dispatch, Action::Begin(link.to_owned()))}>{ name }</a>
            }
            <button type="button" data-import="">{ "Paste a config.json" }</button>
        </nav>
    }
}

/// The way from the answer to the evidence it rests on.
fn evidence(page: &Page, dispatch: &Dispatch) -> Html {
    let address = panels::shown(&page.document, ResultsView::Trust).to_link();
    let follow = followed(dispatch, Action::Turn(ResultsView::Trust));
    let turn = Callback::from(move |event: MouseEvent| {
        follow.emit(event.clone());
        if let Some(views) = browser::element("views").filter(|_| event.default_prevented()) {
            views.scroll_into_view();
        }
    });
    html! {
        <>{ " " }<a id="how-sure" href={address} onclick={turn}>{ "Accuracy for this job" }</a></>
    }
}

fn announcement(page: &Page) -> String {
    match (page.outcome.errors.len(), &page.outcome.forecast) {
        (0, Some(forecast)) => summary::announcement(forecast),
        (0, None) => String::new(),
        (1, _) => "One field has a problem.".to_owned(),
        (count, _) => format!("{count} fields have problems."),
    }
}
