//! One view alone, for an iframe on somebody else's page.

use crate::charts::BreakdownChart;
use crate::notice::notice_bar;
use crate::problems::problems;
use crate::ranking::{RankingPanel, ranking};
use crate::store::Dispatch;
use crate::summary::headline;
use stepcast::page_state::embed::View;
use stepcast::page_state::page::Page;
use stepcast_web_kit::Colours;
use stepcast_web_kit::Shared;
use stepcast_web_kit::browser;
use yew::prelude::*;

/// The view, with a way to the whole page.
pub(crate) fn embedded(view: View, page: &Page, dispatch: &Dispatch, colours: Colours) -> Html {
    let stale = page.outcome.stale();
    let whole = browser::page_address() + &page.document.to_link();
    html! {
        <main class={classes!("embed", stale.then_some("stale"))}>
            if let Some(notice) = &page.notice {
                { notice_bar(notice, dispatch) }
            }
            { problems(&page.outcome, false) }
            if let Some(forecast) = &page.outcome.forecast {
                {
                    match view {
                        View::Summary => headline(forecast),
                        View::Breakdown => html! {
                            <div class={classes!(stale.then_some("dim"))}>
                                <BreakdownChart forecast={Shared::from(forecast)} {colours} />
                            </div>
                        },
                        View::Ranking => html! {
                            if let Some(props) = ranking(page) {
                                <RankingPanel ..props />
                            }
                        },
                    }
                }
            }
            <p class="embed-foot"><a href={whole} target="_blank" rel="noopener">{ "Open in stepcast" }</a></p>
        </main>
    }
}
