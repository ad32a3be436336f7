//! Numbers that explain themselves: whether the reader has reached one, so that the second module is loaded for it.

use gloo::events::EventListener;
use stepcast_web_kit::browser;
use wasm_bindgen::JsCast as _;
use yew::prelude::*;

/// Whether the reader has been at a number that explains itself, with the pointer or the keyboard.
#[hook]
pub(crate) fn use_asked() -> bool {
    let asked = use_state_eq(|| false);
    {
        let setter = asked.setter();
        use_effect_with(*asked, move |asked| {
            let listen = |name: &'static str| {
                let setter = setter.clone();
                Some(EventListener::new(&browser::document()?.into(), name, move |event| {
                    let at = event.target().and_then(|target| target.dyn_into::<web_sys::Element>().ok());
                    setter.set(at.is_some_and(|at| matches!(at.closest("[data-explain]"), Ok(Some(_)))));
                }))
            };
            let listeners: [Option<EventListener>; 2] =
                if *asked { [None, None] } else { ["mouseover", "focusin"].map(listen) };
            move || drop(listeners)
        });
    }
    *asked
}
