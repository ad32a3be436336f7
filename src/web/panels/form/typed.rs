//! A text field whose text counts once typing pauses: on the way to what is meant, a number is often another legal one.

use super::Ask;
use gloo::timers::callback::Timeout;
use std::rc::Rc;
use stepcast::page_state::page::Action;
use stepcast_web_kit::hooks::use_effect_with;
use web_sys::HtmlInputElement;
use yew::prelude::*;

/// Pause in typing after which a text counts, milliseconds.
const PAUSE_MS: u32 = 150;

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    pub(crate) ask: Ask,
    /// Key of the field.
    pub(crate) field: &'static str,
    /// The text that counts.
    pub(crate) text: AttrValue,
    pub(crate) id: String,
    /// The text is wrong.
    pub(crate) invalid: bool,
    /// Ids of what describes it.
    pub(crate) described: Option<String>,
}

/// The text field.
#[component]
pub(crate) fn Typed(props: &Props) -> Html {
    let draft = use_state_eq(|| None::<AttrValue>);
    let pause = use_mut_ref(|| None::<(Timeout, String)>);
    {
        // Once nothing is being typed, what counts is what is shown.
        let (draft, pause) = (draft.setter(), Rc::clone(&pause));
        use_effect_with(props.text.clone(), move |_| {
            if pause.borrow().is_none() {
                draft.set(None);
            }
        });
    }
    let take = {
        let (ask, key, pause) = (props.ask.clone(), props.field, Rc::clone(&pause));
        move || {
            let typed = pause.borrow_mut().take();
            if let Some((_, text)) = typed {
                ask.emit(Action::Type { key, text });
            }
        }
    };
    {
        // What is typed counts, too, where the field goes away with it.
        let take = take.clone();
        use_effect_with((), move |()| take);
    }
    let input = {
        let (draft, take) = (draft.setter(), take.clone());
        Callback::from(move |event: InputEvent| {
            let text = event.target_unchecked_into::<HtmlInputElement>().value();
            draft.set(Some(text.clone().into()));
            *pause.borrow_mut() = Some((Timeout::new(PAUSE_MS, take.clone()), text));
        })
    };
    // The field is left, or Enter is pressed.
    let change = Callback::from(move |_: Event| take());
    let shown = draft.as_ref().unwrap_or(&props.text).clone();
    html! {
        <input type="text" id={props.id.clone()} name={props.field} value={shown} oninput={input} onchange={change}
            autocomplete="off" spellcheck="false" size="8" aria-invalid={props.invalid.then_some("true")}
            aria-describedby={props.described.clone()} />
    }
}
