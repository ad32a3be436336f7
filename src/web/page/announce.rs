//! Live regions: say once, politely, what changed.

use gloo::timers::callback::Timeout;
use stepcast_web_kit::browser;
use stepcast_web_kit::hooks::use_effect_with;
use yew::prelude::*;

/// Milliseconds of quiet before a change is announced.
const QUIET_MS: u32 = 1000;

/// Announces a text in the region of an id, after it has stood for a second. The first text is not announced: it is on the
/// page already.
#[hook]
pub(crate) fn use_announcement(id: &'static str, text: String) {
    let first = use_mut_ref(|| true);
    use_effect_with(text, move |text| {
        let text = text.clone();
        let known = std::mem::take(&mut *first.borrow_mut()) || text.is_empty();
        let timer = (!known).then(|| Timeout::new(QUIET_MS, move || browser::say(id, &text)));
        move || drop(timer)
    });
}

/// The region of an id.
pub(crate) fn region(id: &'static str) -> Html {
    html! { <div class="visually-hidden" {id} role="status" aria-live="polite"></div> }
}
