//! The live region: says once, politely, what changed.

use gloo::timers::callback::Timeout;
use yew::prelude::*;

/// Milliseconds of quiet before a change is announced.
const QUIET_MS: u32 = 1000;

#[derive(Properties, PartialEq)]
pub(crate) struct AnnounceProps {
    /// What would be said now. The first text is not announced: it is on the page already.
    pub(crate) text: AttrValue,
}

/// Announces a text after it has stood for a second.
#[component]
pub(crate) fn Announce(props: &AnnounceProps) -> Html {
    let said = use_state(AttrValue::default);
    let first = use_mut_ref(|| true);
    {
        let said = said.setter();
        use_effect_with(props.text.clone(), move |text| {
            let text = text.clone();
            let timer = if std::mem::take(&mut *first.borrow_mut()) || text.is_empty() {
                None
            } else {
                Some(Timeout::new(QUIET_MS, move || said.set(text)))
            };
            move || drop(timer)
        });
    }
    html! { <div class="visually-hidden" role="status" aria-live="polite">{ &*said }</div> }
}
