//! The button that adds a job to the comparison, or removes it.

use crate::store::Dispatch;
use stepcast::document::Document;
use stepcast::page_state::jobs::{ADD_TO_COMPARISON, MOST_JOBS, count, is_compared};
use stepcast::page_state::page::Action;
use stepcast::scenario::Scenario;
use yew::prelude::*;

/// The button for a job of that name.
pub(crate) fn compare(job: &Scenario, name: &str, document: &Document, dispatch: &Dispatch) -> Html {
    let compared = is_compared(document, job);
    let toggle = {
        let (dispatch, job) = (dispatch.clone(), *job);
        Callback::from(move |_: MouseEvent| dispatch.emit(Action::Compare(Box::new(job))))
    };
    html! {
        <button type="button" class="quiet" aria-pressed={compared.to_string()} aria-label={format!("{ADD_TO_COMPARISON}: {name}")}
            disabled={count(document) >= MOST_JOBS && !compared} onclick={toggle}>{ ADD_TO_COMPARISON }</button>
    }
}
