//! Measurements that a style sheet cannot make: an element's position, height and visibility.

use crate::browser;
use crate::chart::Observer;
use crate::hooks::{use_effect_with, use_flag};
use gloo::events::EventListener;
use wasm_bindgen::JsCast as _;
use wasm_bindgen::closure::Closure;
use web_sys::{HtmlElement, IntersectionObserver, IntersectionObserverEntry, MediaQueryList};
use yew::prelude::*;

/// Sets a length of an element's style, in CSS pixels.
pub fn set_length(element: &HtmlElement, property: &str, pixels: i32) {
    let _ = element.style().set_property(property, &format!("{pixels}px"));
}

/// Keeps the height of an element as a property of the whole page's style.
#[hook]
pub fn use_height(node: &NodeRef, property: &'static str) {
    let node = node.clone();
    use_effect_with((), move |()| {
        let element = node.cast::<HtmlElement>();
        let measure = {
            let element = element.clone();
            move || {
                let root = browser::document().and_then(|document| document.document_element());
                let root = root.and_then(|root| root.dyn_into::<HtmlElement>().ok());
                if let (Some(root), Some(element)) = (root, element.as_ref()) {
                    set_length(&root, property, element.offset_height());
                }
            }
        };
        measure();
        let observer = element.and_then(|element| Observer::new(&element, measure));
        move || drop(observer)
    });
}

/// Whether a media query holds, now and after every change.
#[hook]
pub fn use_media(query: &'static str) -> bool {
    let holds = |list: &MediaQueryList| list.matches();
    let list = || browser::window()?.match_media(query).ok()?;
    let now = use_state_eq(|| list().is_some_and(|list| holds(&list)));
    let setter = now.setter();
    use_effect_with((), move |()| {
        let listener = list().map(|list| {
            let target = list.clone();
            EventListener::new(&target, "change", move |_| setter.set(holds(&list)))
        });
        move || drop(listener)
    });
    *now
}

/// Reports whether an element is visible, now and on every change, until it is dropped.
struct Sight {
    observer: Option<IntersectionObserver>,
    _callback: Closure<dyn FnMut(js_sys::Array)>,
}

impl Sight {
    fn new(id: &str, told: impl Fn(bool) + 'static) -> Self {
        let callback = Closure::<dyn FnMut(js_sys::Array)>::new(move |entries: js_sys::Array| {
            if let Some(entry) = entries.iter().last() {
                told(entry.unchecked_into::<IntersectionObserverEntry>().is_intersecting());
            }
        });
        let observer = IntersectionObserver::new(callback.as_ref().unchecked_ref()).ok();
        if let (Some(observer), Some(element)) = (&observer, browser::element(id)) {
            observer.observe(&element);
        }
        Self { observer, _callback: callback }
    }
}

impl Drop for Sight {
    fn drop(&mut self) {
        if let Some(observer) = &self.observer {
            observer.disconnect();
        }
    }
}

/// Whether the element of an id is visible, observed anew whenever it comes to the page; assumed true until the browser reports
/// otherwise.
#[hook]
pub fn use_in_sight(id: &'static str, is_there: bool) -> bool {
    let in_sight = use_flag(true);
    let setter = in_sight.setter();
    use_effect_with(is_there, move |is_there| {
        let sight = is_there.then(|| Sight::new(id, move |now| setter.set(now)));
        move || drop(sight)
    });
    *in_sight
}

/// Whether the element of an id has ever been visible.
#[hook]
pub fn use_seen(id: &'static str) -> bool {
    let seen = use_flag(false);
    let setter = seen.setter();
    use_effect_with(*seen, move |seen| {
        let sight = (!*seen).then(|| {
            Sight::new(id, move |now| {
                if now {
                    setter.set(true);
                }
            })
        });
        move || drop(sight)
    });
    *seen
}
