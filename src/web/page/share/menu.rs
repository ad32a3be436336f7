//! A panel under a button, which closes on Escape and on a click elsewhere.

use gloo::events::EventListener;
use wasm_bindgen::JsCast as _;
use web_sys::{Element, HtmlElement, KeyboardEvent, Node};
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub(crate) struct MenuProps {
    /// What stands on the button.
    pub(crate) title: &'static str,
    pub(crate) children: Html,
}

/// The button and its panel.
#[component]
pub(crate) fn Menu(props: &MenuProps) -> Html {
    let open = use_state_eq(|| false);
    let menu = use_node_ref();
    {
        let (menu, close) = (menu.clone(), open.setter());
        use_effect_with(*open, move |open| {
            let listeners = if *open { listen(&menu, &close) } else { Vec::new() };
            move || drop(listeners)
        });
    }
    let toggle = {
        let open = open.setter();
        Callback::from(move |event: Event| {
            open.set(event.target_unchecked_into::<Element>().has_attribute("open"));
        })
    };
    html! {
        <details class="menu" ref={menu} open={*open} ontoggle={toggle}>
            <summary>{ props.title }</summary>
            <div class="menu-body">{ props.children.clone() }</div>
        </details>
    }
}

/// Closes the menu on what happens anywhere on the page.
fn listen(menu: &NodeRef, close: &UseStateSetter<bool>) -> Vec<EventListener> {
    let Some(document) = stepcast_web_kit::browser::document() else { return Vec::new() };
    let elsewhere = {
        let (menu, close) = (menu.clone(), close.clone());
        EventListener::new(&document, "pointerdown", move |event| {
            let target = event.target().and_then(|target| target.dyn_into::<Node>().ok());
            if menu.get().is_some_and(|menu| !menu.contains(target.as_ref())) {
                close.set(false);
            }
        })
    };
    let escape = {
        let (menu, close) = (menu.clone(), close.clone());
        EventListener::new(&document, "keydown", move |event| {
            if event.dyn_ref::<KeyboardEvent>().is_none_or(|event| event.key() != "Escape") {
                return;
            }
            close.set(false);
            // The focus was in what disappears now.
            let button =
                menu.cast::<Element>().and_then(|menu| menu.query_selector("summary").ok().flatten());
            if let Some(button) = button.and_then(|button| button.dyn_into::<HtmlElement>().ok()) {
                let _ = button.focus();
            }
        })
    };
    vec![elsewhere, escape]
}
