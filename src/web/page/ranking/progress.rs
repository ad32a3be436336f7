//! How the search is doing, and the buttons that stop and restart it.

use stepcast::page_state::search::{SearchProgress, Status};
use yew::prelude::*;

/// The state of the search in one line.
pub(crate) fn search_bar(
    progress: &SearchProgress,
    stop: &Callback<MouseEvent>,
    restart: &Callback<MouseEvent>,
) -> Html {
    let (name, button) = match &progress.status {
        Status::Running => ("running", Some(("Cancel", stop))),
        Status::Done => ("done", None),
        Status::Stopped => ("stopped", Some(("Rank again", restart))),
        Status::Failed(_) => ("failed", Some(("Try again", restart))),
    };
    let role = (name == "failed").then_some("alert");
    html! {
        <div class={classes!("search", role.map(|_| "search-failed"))} data-status={name} {role}>
            if name == "running" {
                <progress aria-label="Layouts searched" max={progress.total.max(1).to_string()}
                    value={progress.counts.layouts.to_string()}></progress>
            }
            <span>{ progress.sentence() }</span>
            if let Some((label, press)) = button {
                <button type="button" class="quiet" onclick={press.clone()}>{ label }</button>
            }
        </div>
    }
}
