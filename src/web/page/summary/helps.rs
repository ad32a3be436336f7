//! Speed-ups to try: changes that were forecast, each a click away.

use crate::store::Dispatch;
use gloo::timers::callback::Timeout;
use std::rc::Rc;
use stepcast::page_state::help::{self, Help, help};
use stepcast::page_state::page::{Action, PageForecast};
use stepcast_web_kit::Shared;
use stepcast_web_kit::hooks::use_effect_with;
use yew::prelude::*;

/// Quiet after an edit before changes are tried, milliseconds: an edit is to show at once.
const PAUSE_MS: u32 = 250;

/// Speed-ups of a job, once they were tried. `none_fits` says that the search has found no layout that fits, with so many
/// fields `pinned`.
#[hook]
pub(crate) fn use_help(
    forecast: Option<&Rc<PageForecast>>,
    none_fits: bool,
    pinned: usize,
) -> Option<Rc<Help>> {
    let known = use_state(|| None::<Rc<Help>>);
    {
        let known = known.setter();
        use_effect_with(
            (forecast.map(Shared::from), none_fits, pinned),
            move |(forecast, none_fits, pinned)| {
                let (none_fits, pinned) = (*none_fits, *pinned);
                let timer = forecast.clone().map(|forecast| {
                    Timeout::new(PAUSE_MS, move || {
                        known.set(Some(Rc::new(help(
                            &forecast.predictor(),
                            &forecast.scenario,
                            none_fits,
                            pinned,
                        ))));
                    })
                });
                move || drop(timer)
            },
        );
    }
    (*known).clone()
}

/// What limits the step, without advice where no change was found that helps.
pub(crate) fn verdict(forecast: &PageForecast, help: Option<&Help>) -> Html {
    html! { <p class="verdict">{ help::verdict(&forecast.prediction.bottleneck, help) }</p> }
}

/// One sentence, with buttons that make the changes.
pub(crate) fn helps(help: Option<&Help>, dispatch: &Dispatch) -> Html {
    html! {
        <p class="helps" id="helps">
            if let Some(help) = help {
                <strong>{ help.sentence.clone() }</strong>
                for offer in help.offers.iter() {
                    { " " }
                    <button type="button" class="suggestion" key={offer.label.clone()} onclick={
                        let (dispatch, offer) = (dispatch.clone(), offer.clone());
                        move |_: MouseEvent| {
                            if offer.frees_layout {
                                dispatch.emit(Action::Leave(None));
                            }
                            if !offer.fields.is_empty() {
                                dispatch.emit(Action::Set(offer.fields.clone()));
                            }
                        }
                    }>{ offer.label.clone() }</button>
                }
            } else {
                { "Testing speed-ups\u{2026}" }
            }
        </p>
    }
}
