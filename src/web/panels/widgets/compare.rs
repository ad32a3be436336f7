//! The button that adds a job to the comparison, or removes it.

use crate::root::PanelProps;
use stepcast::page_state::jobs::{
    ADD_TO_COMPARISON, JOBS, MOST_JOBS, count, is_compared, job_of, toggled_with,
};
use yew::prelude::*;

/// The button for the job of a link, which has that name.
pub(crate) fn compare(link: &str, name: &str, props: &PanelProps) -> Html {
    // A link is read when the button is pressed, unless there are jobs that it may be one of.
    let number = count(&props.document);
    let compared = number > 0 && job_of(link).is_some_and(|job| is_compared(&props.document, &job));
    let toggle = {
        let (show, document, link) = (props.show.clone(), props.document.clone(), link.to_owned());
        Callback::from(move |_: MouseEvent| {
            if let Some(job) = job_of(&link) {
                show.emit((JOBS, toggled_with(&document, &job)));
            }
        })
    };
    html! {
        <button type="button" class="quiet" aria-pressed={compared.to_string()} aria-label={format!("{ADD_TO_COMPARISON}: {name}")}
            disabled={number >= MOST_JOBS && !compared} onclick={toggle}>{ ADD_TO_COMPARISON }</button>
    }
}
