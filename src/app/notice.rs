//! What went wrong with the link that was opened.

use crate::store::use_dispatch;
use stepcast::view::page::{Action, Notice};
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub(crate) struct NoticeProps {
    pub(crate) notice: Notice,
}

/// The notice, with a button that closes it.
#[component]
pub(crate) fn NoticeBar(props: &NoticeProps) -> Html {
    let dispatch = use_dispatch();
    let close = Callback::from(move |_: MouseEvent| dispatch.emit(Action::Dismiss));
    let Notice { failed, sentences } = &props.notice;
    html! {
        <div class={classes!("notice", failed.then_some("notice-failed"))} role="alert">
            <div>
                for sentence in sentences.iter() {
                    <p>{ sentence }</p>
                }
                if *failed {
                    <p>{ "The page shows its defaults." }</p>
                }
            </div>
            <button type="button" class="quiet" onclick={close}>{ "Close" }</button>
        </div>
    }
}
