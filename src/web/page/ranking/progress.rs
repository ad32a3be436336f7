//! How the search is doing, and the buttons that stop and restart it.

use stepcast::number;
use stepcast::page_state::search::{Progress, Status};
use yew::prelude::*;

/// The state of the search in one line.
pub(crate) fn search_bar(
    progress: &Progress,
    stop: Callback<MouseEvent>,
    restart: Callback<MouseEvent>,
) -> Html {
    let count = number::integer(progress.done as u64);
    let total = number::integer(progress.total as u64);
    match &progress.status {
        Status::Running => html! {
            <div class="search" data-status="running">
                <progress aria-label="Layouts forecast" max={progress.total.max(1).to_string()} value={progress.done.to_string()}></progress>
                <span>{ format!("{count} of {total}{}", best(progress)) }</span>
                <button type="button" class="quiet" onclick={stop}>{ "Cancel" }</button>
            </div>
        },
        Status::Done => html! {
            <div class="search" data-status="done">
                <span>{ format!("{total} layouts in {} ms", number::integer(progress.elapsed_ms.round() as u64)) }</span>
            </div>
        },
        Status::Stopped => html! {
            <div class="search" data-status="stopped">
                <span>{ format!("Stopped at {count} of {total}") }</span>
                <button type="button" class="quiet" onclick={restart}>{ "Rank again" }</button>
            </div>
        },
        Status::Failed(reason) => html! {
            <div class="search search-failed" data-status="failed" role="alert">
                <span>{ format!("The ranking failed: {reason}") }</span>
                <button type="button" class="quiet" onclick={restart}>{ "Try again" }</button>
            </div>
        },
    }
}

/// The fastest layout so far.
fn best(progress: &Progress) -> String {
    let fitting = progress.rows.iter().filter(|row| row.fits && !progress.stale);
    let best = fitting.map(|row| row.step).reduce(|best, step| best.min(step));
    best.map(|step| format!(", best {}", number::time(step))).unwrap_or_default()
}
