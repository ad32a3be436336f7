//! What the reader offers anywhere on the page, or asks for there: a text or a file of another tool to import, and the
//! launch flags of a job. Each opens a dialog; several files wait for each other.

use crate::flags::Flags;
use crate::import::{Import, at_once};
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use stepcast::document::Document;
use stepcast::page_state::page::PageForecast;
use stepcast::page_state::summary;
use stepcast_web_kit::hooks::use_effect_with;
use stepcast_web_kit::{Shared, browser};
use web_sys::HtmlDialogElement;
use yew::prelude::*;

/// Something to show in a dialog.
#[derive(Debug, Clone, PartialEq)]
enum Offer {
    /// A file or a text of another tool: its name, and what is in it where that can be read.
    Import(String, Option<String>),
    /// The launch flags of a job, given as a link.
    Flags(String),
}

/// An offer with a number that sets it apart from equal ones.
type Numbered = (usize, Rc<Offer>);

thread_local! {
    static WAITING: RefCell<Vec<Numbered>> = const { RefCell::new(Vec::new()) };
    static TAKEN: Cell<usize> = const { Cell::new(0) };
    static DIALOG: RefCell<Option<yew::AppHandle<Dialog>>> = const { RefCell::new(None) };
}

/// Takes an offer, and shows it once those before it are closed.
pub(crate) fn take(what: &str, name: &str, text: Option<String>) {
    let offer = match what {
        "flags" => Offer::Flags(text.unwrap_or_default()),
        // What is pasted and raises no question needs no dialog.
        _ if name.is_empty() && text.as_ref().is_some_and(|text| at_once(text)) => return,
        _ => Offer::Import(name.to_owned(), text),
    };
    let number = TAKEN.with(|taken| taken.replace(taken.get() + 1));
    WAITING.with_borrow_mut(|waiting| waiting.push((number, Rc::new(offer))));
    show();
}

/// Lets the first offer go.
fn close() {
    WAITING.with_borrow_mut(|waiting| drop(waiting.drain(..waiting.len().min(1))));
    show();
}

fn show() {
    let offer = WAITING.with_borrow(|waiting| waiting.first().cloned());
    DIALOG.with_borrow_mut(|dialog| match dialog {
        Some(dialog) => dialog.update(Props { offer }),
        None => *dialog = mount(Props { offer }),
    });
}

/// Begins to draw at the end of the page, outside of everything that is drawn there already.
fn mount(props: Props) -> Option<yew::AppHandle<Dialog>> {
    let document = browser::document()?;
    let place = document.create_element("div").ok()?;
    document.body()?.append_child(&place).ok()?;
    Some(yew::Renderer::<Dialog>::with_root_and_props(place, props).render())
}

#[derive(Properties, Clone, PartialEq)]
struct Props {
    offer: Option<Numbered>,
}

/// The dialog with the first offer.
#[component]
fn Dialog(props: &Props) -> Html {
    let Some((number, offer)) = &props.offer else { return Html::default() };
    html! { <Opened key={*number} offer={Shared::from(offer)} /> }
}

#[derive(Properties, PartialEq)]
struct OpenedProps {
    offer: Shared<Offer>,
}

/// A dialog that is open from the start: the rest of the page waits, Escape closes it.
#[component]
fn Opened(props: &OpenedProps) -> Html {
    let place = use_node_ref();
    {
        let place = place.clone();
        use_effect_with((), move |()| {
            if let Some(dialog) = place.cast::<HtmlDialogElement>() {
                let _ = dialog.show_modal();
            }
        });
    }
    let shut = {
        let place = place.clone();
        Callback::from(move |()| {
            // The focus returns to where it was.
            if let Some(dialog) = place.cast::<HtmlDialogElement>() {
                dialog.close();
            }
        })
    };
    let (title, inside) = match &*props.offer {
        Offer::Import(name, text) => {
            ("Import", html! { <Import name={name.clone()} text={text.clone()} close={shut.clone()} /> })
        }
        Offer::Flags(link) => ("Launch flags and configuration", flags(link)),
    };
    let shut = shut.reform(|_: MouseEvent| ());
    html! {
        <dialog class="offer" aria-labelledby="offer-title" ref={place} onclose={|_: Event| close()}>
            <div class="panel-head">
                <h2 id="offer-title">{ title }</h2>
                <button type="button" class="quiet" id="offer-close" onclick={shut}>{ "Close" }</button>
            </div>
            { inside }
        </dialog>
    }
}

/// The launch flags of a link's job.
fn flags(link: &str) -> Html {
    let read = Document::from_link(link).map_err(|error| vec![error.message]);
    let forecast = read.and_then(|opened| {
        PageForecast::of(&Rc::new(opened.document))
            .map_err(|errors| errors.iter().map(ToString::to_string).collect::<Vec<_>>())
    });
    match forecast {
        Ok(forecast) => html! {
            <>
                <p>{ summary::job(&forecast.document, &forecast.scenario) }</p>
                <Flags id="offer-flags" forecast={Shared(Rc::new(forecast))} />
            </>
        },
        Err(sentences) => html! {
            for sentence in sentences {
                <p class="error">{ sentence }</p>
            }
        },
    }
}
