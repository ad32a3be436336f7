//! Numbers that explain themselves: whether the reader has reached one, so that the second module is loaded for it.

use crate::panels::{asks, use_drawing, use_module};
use crate::store::Dispatch;
use gloo::events::EventListener;
use stepcast_web_kit::hooks::{use_effect_with, use_flag};
use stepcast_web_kit::{ColourRevision, browser};
use wasm_bindgen::JsCast as _;
use yew::prelude::*;

/// Whether the reader has been at a number that explains itself, with the pointer or the keyboard.
#[hook]
pub(crate) fn use_asked() -> bool {
    let asked = use_flag(false);
    {
        let setter = asked.setter();
        use_effect_with(*asked, move |asked| {
            let listen = |name: &'static str| {
                let setter = setter.clone();
                Some(EventListener::new(&browser::document()?.into(), name, move |event| {
                    let at = event.target().and_then(|target| target.dyn_into::<web_sys::Element>().ok());
                    setter.set(
                        at.is_some_and(|at| matches!(at.closest("[data-explain],[data-says]"), Ok(Some(_)))),
                    );
                }))
            };
            let listeners: [Option<EventListener>; 2] =
                if *asked { [None, None] } else { ["mouseover", "focusin"].map(listen) };
            move || drop(listeners)
        });
    }
    *asked
}

#[derive(Properties, Clone, PartialEq)]
pub(crate) struct Props {
    /// Link of the scenario.
    pub(crate) link: AttrValue,
    pub(crate) colours: ColourRevision,
    pub(crate) dispatch: Dispatch,
}

/// Explains the numbers of a view without panels: invisible until requested.
#[component]
pub(crate) fn Explained(props: &Props) -> Html {
    let asked = use_asked();
    let loaded = use_module(asked);
    let shown = (props.link.clone(), props.link.clone(), props.colours);
    use_drawing(&loaded.module, shown, Vec::new(), asks(&props.dispatch));
    Html::default()
}
