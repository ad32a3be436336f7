//! The page below the bar on top: the job, all its fields in a drawer, and the results.

use crate::announce::Announce;
use crate::form::Form;
use crate::job::{Bar, Props as JobProps, job, use_bar};
use crate::notice::notice_bar;
use crate::panels::Panels;
use crate::problems::problems;
use crate::ranking::ranking;
use crate::short_list::{Cards, Found, short_list, use_short_list};
use crate::store::Dispatch;
use crate::summary::{breakdown, headline, helps, use_help};
use gloo::timers::callback::Timeout;
use std::rc::Rc;
use stepcast::page_state::help::Help;
use stepcast::page_state::page::{Forecast, Page};
use stepcast::page_state::summary;
use stepcast_web_kit::measure::use_in_sight;
use stepcast_web_kit::{Colours, Shared, browser};
use yew::prelude::*;

/// What the whole page keeps beside its state.
pub(crate) struct Around {
    told: Callback<Found>,
    help: Option<Rc<Help>>,
    cards: Rc<Cards>,
    open: bool,
    show_fields: Callback<Option<&'static str>>,
    in_sight: bool,
    bar: Bar,
}

/// What is known around the page's state: what was found, what would help, what is open and in sight.
#[hook]
pub(crate) fn use_around(page: &Page) -> Around {
    let found = use_state_eq(|| None::<Found>);
    let told = {
        let found = found.setter();
        use_callback((), move |one: Found, ()| found.set(Some(one)))
    };
    let forecast = page.outcome.forecast.as_ref();
    let none_fits = found.as_ref().is_some_and(Found::none_fits);
    let help = use_help(forecast, none_fits);
    let cards = use_short_list(forecast, found.as_ref(), &page.document);
    let (open, show_fields) = use_drawer(page.outcome.stale());
    let in_sight = use_in_sight("summary");
    Around { told, help, cards, open, show_fields, in_sight, bar: use_bar() }
}

/// Everything below the bar on top.
pub(crate) fn whole(page: &Page, around: &Around, dispatch: &Dispatch, colours: Colours) -> Html {
    let outcome = &page.outcome;
    let stale = outcome.stale();
    let forecast = outcome.forecast.as_ref();
    let open = around.open;
    let close = around.show_fields.reform(|_: MouseEvent| None);
    html! {
        <>
            { job(&JobProps { page, all_fields: open, show_fields: &around.show_fields,
                figures: !around.in_sight || open, bar: &around.bar }, dispatch) }
            <div class={classes!("layout-page", open.then_some("with-fields"))}>
                <Form document={Shared::from(&page.document)} errors={Shared::from(&outcome.errors)} {open} {close} />
                <main class={classes!("results", stale.then_some("stale"))} id="results" tabindex="-1" aria-label="Forecast">
                    if let Some(notice) = &page.notice {
                        { notice_bar(notice, dispatch) }
                    }
                    { problems(outcome, true) }
                    if let Some(forecast) = forecast {
                        { results(page, forecast, around, dispatch, colours) }
                    } else {
                        <p class="empty">{ "No forecast yet: the form says what is missing." }</p>
                    }
                    <Announce text={announcement(page)} />
                    <footer class="footer">
                        <p>{ summary::MFU }</p>
                        <p>{ "Everything is computed in your browser; nothing you type leaves it. The link in the address bar holds the whole scenario." }</p>
                    </footer>
                </main>
            </div>
        </>
    }
}

/// Whether the drawer with all fields is open, which it is where one has a problem, and what opens it at a field's group or
/// closes it.
#[hook]
fn use_drawer(wrong: bool) -> (bool, Callback<Option<&'static str>>) {
    let open = use_state_eq(|| false);
    {
        let open = open.setter();
        use_effect_with(wrong, move |wrong| {
            if *wrong {
                open.set(true);
            }
        });
    }
    let setter = open.setter();
    let show = use_callback((), move |at: Option<&'static str>, ()| {
        setter.set(at.is_some());
        // Once it is on the page.
        Timeout::new(0, move || {
            let id = match at {
                None => return focus("all-fields"),
                Some("") => "find-field".to_owned(),
                Some(key) => format!("f-{key}"),
            };
            focus(&id);
        })
        .forget();
    });
    (*open, show)
}

/// Moves the focus to the element of an id.
fn focus(id: &str) {
    if let Some(element) = browser::element(id) {
        let _ = element.focus();
    }
}

/// The answer, the short list, and the views below.
fn results(
    page: &Page,
    forecast: &Rc<Forecast>,
    around: &Around,
    dispatch: &Dispatch,
    colours: Colours,
) -> Html {
    let stale = page.outcome.stale();
    let Some(ranking) = ranking(page) else { return html! {} };
    html! {
        <>
            { headline(forecast, helps(around.help.as_deref(), dispatch)) }
            <div class={classes!(stale.then_some("dim"))}>{ breakdown(forecast) }</div>
            if !stale {
                { short_list(&around.cards, &forecast.scenario, &page.document, dispatch) }
            }
            <Panels document={Shared::from(&page.document)} forecast={Shared::from(forecast)}
                link={page.shown_link().unwrap_or_default()} {colours} {ranking} told={around.told.clone()} {stale} />
        </>
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
