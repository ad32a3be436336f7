//! Icons, drawn: fonts differ in what they have.

use yew::prelude::*;

/// What an icon stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Icon {
    /// One step back.
    Undo,
    /// One step forward again.
    Redo,
    /// The beginning.
    Reset,
}

/// An icon as high as its text. Its button has a name of its own.
pub(crate) fn icon(icon: Icon) -> Html {
    let path = match icon {
        Icon::Undo => "M6 3 2.5 6.5 6 10M3 6.5h6.5a3.5 3.5 0 0 1 0 7H7",
        Icon::Redo => "M10 3l3.5 3.5L10 10M13 6.5H6.5a3.5 3.5 0 0 0 0 7H9",
        Icon::Reset => "M3 3v3.5h3.5M3.4 6.3A5.2 5.2 0 1 1 2.8 9",
    };
    html! { <svg class="icon" viewBox="0 0 16 16" aria-hidden="true"><path d={path} /></svg> }
}
