//! What went wrong with the link that was opened.

use crate::store::Dispatch;
use stepcast::page_state::page::{Action, Notice, NoticeKind};
use yew::prelude::*;

/// The notice, with a button that closes it.
pub(crate) fn notice_bar(notice: &Notice, dispatch: &Dispatch) -> Html {
    let press = |action: Action| {
        let dispatch = dispatch.clone();
        Callback::from(move |_: MouseEvent| dispatch.emit(action.clone()))
    };
    let failed = notice.kind == NoticeKind::Failed;
    html! {
        <div class={classes!("notice", failed.then_some("notice-failed"))} role="alert">
            <div>
                for sentence in notice.sentences.iter() {
                    <p>{ sentence }</p>
                }
                if failed {
                    <p>{ "The form shows what could be read, and defaults for the rest. There is no forecast for these values until you accept or change them." }</p>
                }
            </div>
            if notice.kind == NoticeKind::Suited {
                <button type="button" class="quiet" onclick={press(Action::Undo)}>{ "Undo" }</button>
            }
            <button type="button" class="quiet" onclick={press(Action::Dismiss)}>{ if failed { "Use these values" } else { "Close" } }</button>
        </div>
    }
}
