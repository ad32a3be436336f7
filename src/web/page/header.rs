//! The bar on top: the name, the job in a line, the figures where the answer is out of sight, and what is done with the
//! whole page.

use crate::icons::{Icon, icon};
use crate::share::share;
use crate::store::Dispatch;
use crate::summary::mini;
use crate::theme::{ThemeChoice, theme_picker};
use stepcast::page_state::job::job_line;
use stepcast::page_state::page::{Action, Page};
use stepcast_web_kit::measure::use_height;
use yew::prelude::*;

/// The theme and its setter.
pub(crate) type ThemeSetter<'a> = (ThemeChoice, &'a Callback<ThemeChoice>);

/// Keeps the height of the bar, for what sticks below it.
#[hook]
pub(crate) fn use_header() -> NodeRef {
    let node = use_node_ref();
    use_height(&node, "--bar");
    node
}

/// The bar on top of the page. `in_sight` says that the answer is; `pane` shows and hides the job where it has no place of
/// its own, and says whether it is shown there.
pub(crate) fn header(
    page: &Page,
    dispatch: &Dispatch,
    (theme, choose_theme): ThemeSetter<'_>,
    node: &NodeRef,
    in_sight: bool,
    (pane_open, pane): (Option<bool>, &Callback<bool>),
) -> Html {
    let button = |name: &'static str, face: Icon, title: &'static str, action: Action, enabled: bool| {
        let dispatch = dispatch.clone();
        let send = Callback::from(move |_: MouseEvent| dispatch.emit(action.clone()));
        html! {
            <button type="button" class="quiet" aria-label={name} {title} disabled={!enabled} onclick={send}>{ icon(face) }</button>
        }
    };
    let (what, how) = job_line(&page.document);
    let toggle = pane.reform(move |_: MouseEvent| pane_open != Some(true));
    html! {
        <header class="header" ref={node.clone()}>
            <h1 class="name"><a href="./">{ "stepcast" }</a></h1>
            <button type="button" class="job-line" id="job-line" aria-expanded={pane_open.map(|open| open.to_string())} aria-controls="job"
                title="Edit the job" onclick={toggle}>
                <strong>{ what }</strong><span>{ " \u{b7} " }{ how }</span>
            </button>
            if let Some(forecast) = &page.outcome.forecast {
                { mini(forecast, page.outcome.stale(), !in_sight) }
            }
            <div class="header-tools">
                { theme_picker(theme, choose_theme) }
                <span class="pair">
                    { button("Undo", Icon::Undo, "Undo (Ctrl+Z)", Action::Undo, page.can_undo()) }
                    { button("Redo", Icon::Redo, "Redo (Ctrl+Shift+Z)", Action::Redo, page.can_redo()) }
                    { button("Reset", Icon::Reset, "Reset to the default job", Action::Reset, true) }
                </span>
                { share(&page.document) }
            </div>
        </header>
    }
}
