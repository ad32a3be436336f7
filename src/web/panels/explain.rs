//! The small window at a number that explains itself: an element with the attribute `data-explain`.
//!
//! It opens on hover and on focus, stays open when the number is pressed, and closes with Escape, with a press
//! elsewhere, when the reader scrolls, or when pointer and focus leave. The number is described by it while it is open.

use gloo::events::{EventListener, EventListenerOptions};
use gloo::timers::callback::Timeout;
use std::cell::RefCell;
use std::rc::Rc;
use stepcast::page_state::explained::{EXPLAIN, InWords, SAYS, explained};
use stepcast::page_state::page::PageForecast;
use stepcast_web_kit::hooks::use_effect_with;
use stepcast_web_kit::{Shared, browser};
use wasm_bindgen::JsCast as _;
use web_sys::{Element, Event, HtmlElement, KeyboardEvent};
use yew::prelude::*;

/// Id of the window.
const ID: &str = "explanation";

/// How long the pointer rests on a number before the window opens, and how long it may be away, milliseconds.
const REST_MS: u32 = 150;

/// Least distance between the window and the edges of the page, CSS pixels.
const MARGIN: f64 = 8.0;

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    pub(crate) forecast: Shared<PageForecast>,
}

/// The number that is explained, and whether it was pressed.
#[derive(Clone, PartialEq)]
struct ExplainTarget {
    at: Element,
    held: bool,
}

/// The window, if an explanation is requested.
#[component]
pub(crate) fn Explain(props: &Props) -> Html {
    let asked = use_state_eq(|| None::<ExplainTarget>);
    let place = use_memo((), |()| place());
    use_attention(&asked);
    use_description(asked.as_ref().map(|asked| asked.at.clone()));
    let told = {
        let of = |name| asked.as_ref().and_then(|asked| asked.at.get_attribute(name));
        use_memo((props.forecast.clone(), of(EXPLAIN), of(SAYS)), |(forecast, key, says)| {
            let explained = key.as_ref().and_then(|key| explained(forecast, key));
            // What a part of a chart is, before what that is made of.
            let said = says.clone().map(InWords::said);
            explained.map(|one| InWords { says: says.clone().unwrap_or_default(), ..one }).or(said)
        })
    };
    {
        let place = place.clone();
        use_effect_with((told.clone(), (*asked).clone()), move |(told, asked)| {
            if let (Some(place), Some(asked), true) = (place.as_ref(), asked, told.is_some()) {
                put(place, &asked.at);
            }
        });
    }
    // Yew forgets no listener of a portal: this one stays, and what is in it comes and goes.
    match &*place {
        Some(place) => {
            create_portal(html! { for told in told.iter() { { tooltip(told) } } }, place.clone().into())
        }
        None => html! {},
    }
}

/// An element of its own at the end of the page, outside of everything that Yew draws there.
fn place() -> Option<HtmlElement> {
    let document = browser::document()?;
    let element: HtmlElement = document.create_element("div").ok()?.dyn_into().ok()?;
    element.set_class_name("explanation-place");
    document.body()?.append_child(&element).ok()?;
    Some(element)
}

/// The number that an event happened at.
fn number_at(event: &Event) -> Option<Element> {
    event.target()?.dyn_into::<Element>().ok()?.closest(&format!("[{EXPLAIN}],[{SAYS}]")).ok()?
}

/// The number that the reader has reached before anything listened: the first one, which this module was loaded for.
fn reached() -> Option<ExplainTarget> {
    let document = browser::document()?;
    let under =
        |state: &str| document.query_selector(&format!(":is([{EXPLAIN}],[{SAYS}]){state}")).ok().flatten();
    let at = under(":focus").or_else(|| under(":hover"))?;
    // A touch leaves no pointer that could go away again: it counts as a press.
    let touched = browser::window()?.match_media("(hover: none)").ok().flatten();
    Some(ExplainTarget { at, held: touched.is_some_and(|query| query.matches()) })
}

/// Whether an event happened in the window itself.
fn is_inside(event: &Event) -> bool {
    let at = event.target().and_then(|target| target.dyn_into::<Element>().ok());
    at.is_some_and(|at| matches!(at.closest(".explanation-place"), Ok(Some(_))))
}

/// What the reader is at, and the next change of it.
struct HoverState {
    /// What is asked now: listeners outlive the drawing that they began with.
    now: RefCell<Option<ExplainTarget>>,
    setter: UseStateSetter<Option<ExplainTarget>>,
    timer: RefCell<Option<Timeout>>,
}

/// What hears an event of one name.
type Ear = fn(&Rc<HoverState>, &Event);

impl HoverState {
    fn set(&self, next: Option<ExplainTarget>) {
        self.now.borrow_mut().clone_from(&next);
        self.setter.set(next);
    }

    /// Changes what is asked once the pointer has rested.
    fn later(self: &Rc<Self>, next: Option<ExplainTarget>) {
        let this = Rc::clone(self);
        *self.timer.borrow_mut() = Some(Timeout::new(REST_MS, move || this.set(next)));
    }

    fn stop(&self) {
        drop(self.timer.borrow_mut().take());
    }

    /// Whether a number was pressed: any, or that one.
    fn holds(&self, at: Option<&Element>) -> bool {
        self.now.borrow().as_ref().is_some_and(|one| one.held && at.is_none_or(|at| *at == one.at))
    }

    fn hover(self: &Rc<Self>, event: &Event) {
        if self.holds(None) || is_inside(event) {
            self.stop();
        } else {
            self.later(number_at(event).map(|at| ExplainTarget { at, held: false }));
        }
    }

    fn focus(self: &Rc<Self>, event: &Event) {
        self.stop();
        if !is_inside(event) {
            self.set(number_at(event).map(|at| ExplainTarget { at, held: false }));
        }
    }

    fn press(self: &Rc<Self>, event: &Event) {
        self.stop();
        match number_at(event) {
            _ if is_inside(event) => {}
            Some(at) if self.holds(Some(&at)) => self.set(None),
            next => self.set(next.map(|at| ExplainTarget { at, held: true })),
        }
    }

    /// The reader scrolls: by wheel or finger, since focus scrolls the page, too.
    fn scroll(self: &Rc<Self>, event: &Event) {
        self.stop();
        if !is_inside(event) && self.now.borrow().is_some() {
            self.set(None);
        }
    }

    fn key(self: &Rc<Self>, event: &Event) {
        let escape = event.dyn_ref::<KeyboardEvent>().is_some_and(|event| event.key() == "Escape");
        let asked = self.now.borrow().is_some();
        if escape && asked {
            self.set(None);
        }
    }

    /// Hears everything that happens on the page.
    fn listeners(self: &Rc<Self>) -> Vec<EventListener> {
        let Some(document) = browser::document() else { return Vec::new() };
        let ears: [(&'static str, Ear); 6] = [
            ("mouseover", Self::hover),
            ("focusin", Self::focus),
            ("click", Self::press),
            ("keydown", Self::key),
            ("wheel", Self::scroll),
            ("touchmove", Self::scroll),
        ];
        let listen = |(name, hear): (&'static str, Ear)| {
            let this = Rc::clone(self);
            let options = EventListenerOptions::run_in_capture_phase();
            EventListener::new_with_options(&document, name, options, move |event| hear(&this, event))
        };
        ears.map(listen).into()
    }
}

/// Follows pointer, focus and keys, for as long as the component is there.
#[hook]
fn use_attention(asked: &UseStateHandle<Option<ExplainTarget>>) {
    let setter = asked.setter();
    use_effect_with((), move |()| {
        let attention = Rc::new(HoverState { now: RefCell::default(), setter, timer: RefCell::default() });
        attention.set(reached());
        let listeners = attention.listeners();
        move || {
            attention.stop();
            drop(listeners);
        }
    });
}

/// Adds the window, while it is open, to the number's other descriptions.
#[hook]
fn use_description(at: Option<Element>) {
    use_effect_with(at, |at| {
        const DESCRIBED: &str = "aria-describedby";
        let described = at.as_ref().map(|at| {
            let before = at.get_attribute(DESCRIBED);
            let ids = before.as_deref().map_or_else(|| ID.to_owned(), |ids| format!("{ids} {ID}"));
            let _ = at.set_attribute(DESCRIBED, &ids);
            (at.clone(), before)
        });
        move || {
            let Some((at, before)) = described else { return };
            let _ = match before {
                Some(ids) => at.set_attribute(DESCRIBED, &ids),
                None => at.remove_attribute(DESCRIBED),
            };
        }
    });
}

/// Puts the window below a number, or above it if there is no room, within the page.
fn put(place: &HtmlElement, at: &Element) {
    let Some(window) = browser::window() else { return };
    let size = |value: Result<wasm_bindgen::JsValue, _>| {
        value.ok().and_then(|value| value.as_f64()).unwrap_or_default()
    };
    let (width, height) = (size(window.inner_width()), size(window.inner_height()));
    let (number, own) = (at.get_bounding_client_rect(), place.get_bounding_client_rect());
    let left = number.left().min(width - own.width() - MARGIN).max(MARGIN);
    let below = number.bottom() + own.height() + MARGIN <= height || number.top() < own.height() + MARGIN;
    let top = if below { number.bottom() + 2.0 } else { number.top() - own.height() - 2.0 };
    let scrolled = |value: Result<f64, _>| value.unwrap_or_default();
    for (property, pixels) in
        [("left", left + scrolled(window.scroll_x())), ("top", top + scrolled(window.scroll_y()))]
    {
        let _ = place.style().set_property(property, &format!("{}px", pixels.round() as i32));
    }
}

/// The window.
fn tooltip(told: &InWords) -> Html {
    html! { <div class="explanation" id={ID} role="tooltip">{ window(told) }</div> }
}

/// Contents of the window.
pub(crate) fn window(told: &InWords) -> Html {
    html! {
        <>
            <p class="explanation-head"><strong>{ &told.title }</strong><span>{ &told.value }</span></p>
            if !told.says.is_empty() {
                <p>{ &told.says }</p>
            }
            <p>{ told.meaning }</p>
            if !told.parts.is_empty() {
                <table class="explanation-parts">
                    <tbody>
                        for [name, value, share] in told.parts.iter() {
                            <tr key={name.clone()}><th scope="row">{ name }</th><td>{ value }</td><td>{ share }</td></tr>
                        }
                    </tbody>
                </table>
            }
            for [name, words, values] in told.formulas.iter() {
                <p class="explanation-formula" key={name.clone()}>
                    { format!("{name} = {words}") }<br />
                    <span>{ format!("= {values}") }</span>
                </p>
            }
            if !told.constants.is_empty() {
                <table class="explanation-parts">
                    <thead><tr><th scope="col">{ "Constant" }</th><th scope="col">{ "Value" }</th>
                        <th scope="col">{ "Evidence" }</th><th scope="col">{ "Change for +1 %" }</th></tr></thead>
                    <tbody>
                        for [name, value, evidence, effect, source] in told.constants.iter() {
                            <tr key={name.clone()}>
                                <th scope="row">{ name }<small>{ source }</small></th>
                                <td>{ value }</td><td>{ evidence }</td><td>{ effect }</td>
                            </tr>
                        }
                    </tbody>
                </table>
            }
            if !told.rests_on.is_empty() {
                <p class="footnote">{ &told.rests_on }</p>
            }
        </>
    }
}
