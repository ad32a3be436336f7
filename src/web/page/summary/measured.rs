//! The reader's own measured step: where it is entered, and what it changed.

use crate::store::Dispatch;
use std::rc::Rc;
use stepcast::page_state::measured::{add, has_any, remove, sentence};
use stepcast::page_state::page::PageForecast;
use stepcast_web_kit::Shared;
use wasm_bindgen::JsCast as _;
use web_sys::{Element, HtmlInputElement};
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub(crate) struct MeasuredProps {
    pub(crate) forecast: Shared<PageForecast>,
    pub(crate) dispatch: Dispatch,
}

/// A field for a measured step, and below it what the measured steps changed.
#[component]
pub(crate) fn Measured(props: &MeasuredProps) -> Html {
    let wrong = use_state(|| None::<Rc<str>>);
    let submit = {
        let (forecast, dispatch, wrong) = (props.forecast.clone(), props.dispatch.clone(), wrong.setter());
        Callback::from(move |event: SubmitEvent| {
            event.prevent_default();
            let form = event.target().and_then(|target| target.dyn_into::<Element>().ok());
            let input = form
                .and_then(|form| form.query_selector("input").ok().flatten())
                .and_then(|input| input.dyn_into::<HtmlInputElement>().ok());
            let Some(input) = input else { return };
            match add(&forecast, &input.value()) {
                Ok(action) => {
                    input.set_value("");
                    wrong.set(None);
                    dispatch.emit(action);
                }
                Err(message) => wrong.set(Some(message.into())),
            }
        })
    };
    let forget = {
        let dispatch = props.dispatch.clone();
        Callback::from(move |_: MouseEvent| dispatch.emit(remove()))
    };
    let is_wrong = wrong.is_some();
    html! {
        <div class="own-step">
            <form onsubmit={submit}>
                <label for="own-step">{ "Your measured step" }</label>
                <input id="own-step" type="text" autocomplete="off" placeholder="e.g. 9.1 s" enterkeyhint="done"
                    aria-invalid={is_wrong.then_some("true")} aria-describedby={is_wrong.then_some("own-step-wrong")} />
                <button type="submit" class="quiet">{ "Calibrate" }</button>
            </form>
            if let Some(message) = &*wrong {
                <p class="error" id="own-step-wrong">{ &**message }</p>
            }
            if has_any(&props.forecast.document) {
                <p class="own-step-said" id="own-step-said">
                    { sentence(&props.forecast) }{ " " }
                    <button type="button" class="quiet" onclick={forget}>{ "Remove" }</button>
                </p>
            }
        </div>
    }
}
