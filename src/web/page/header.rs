//! The bar on top: name, theme, undo, sharing.

use crate::share::share;
use crate::store::Dispatch;
use crate::theme::{ThemeChoice, theme_picker};
use stepcast::page_state::page::{Action, Page};
use yew::prelude::*;

/// The bar on top of the page.
pub(crate) fn header(
    page: &Page,
    dispatch: &Dispatch,
    theme: ThemeChoice,
    choose_theme: &Callback<ThemeChoice>,
) -> Html {
    let button = |name: &'static str,
                  face: &'static str,
                  title: &'static str,
                  action: Action,
                  enabled: bool| {
        let dispatch = dispatch.clone();
        let send = Callback::from(move |_: MouseEvent| dispatch.emit(action.clone()));
        html! {
            <button type="button" class="quiet" aria-label={name} {title} disabled={!enabled} onclick={send}>{ face }</button>
        }
    };
    html! {
        <header class="header">
            <h1 class="name"><a href="./">{ "stepcast" }</a></h1>
            <p class="tagline">{ "Forecast a training step before the cluster is booked" }</p>
            <div class="header-tools">
                { theme_picker(theme, choose_theme) }
                <span class="pair">
                    { button("Undo", "\u{21b6}", "Undo (Ctrl+Z)", Action::Undo, page.can_undo()) }
                    { button("Redo", "\u{21b7}", "Redo (Ctrl+Shift+Z)", Action::Redo, page.can_redo()) }
                </span>
                { button("Reset", "Reset", "Back to the first example", Action::Reset, true) }
                { share(&page.document) }
            </div>
        </header>
    }
}
