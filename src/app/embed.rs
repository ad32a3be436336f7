//! One view alone, for an iframe on somebody else's page.

use crate::browser;
use crate::charts::BreakdownChart;
use crate::notice::NoticeBar;
use crate::ranking::RankingPanel;
use crate::store::Shared;
use crate::summary::Summary;
use stepcast::view::embed::View;
use stepcast::view::page::Page;
use yew::prelude::*;

/// The view, with a way to the whole page.
pub(crate) fn embedded(view: View, page: &Page) -> Html {
    let stale = page.outcome.stale();
    let whole = browser::page_address() + &page.document.to_link();
    html! {
        <main class={classes!("embed", stale.then_some("dim"))}>
            if let Some(notice) = &page.notice {
                <NoticeBar notice={notice.clone()} />
            }
            if let Some(forecast) = &page.outcome.forecast {
                {
                    match view {
                        View::Summary => html! { <Summary forecast={Shared::from(forecast)} {stale} /> },
                        View::Breakdown => html! { <BreakdownChart forecast={Shared::from(forecast)} /> },
                        View::Ranking => html! {
                            <RankingPanel document={Shared::from(&page.document)} forecast={Shared::from(forecast)} {stale} />
                        },
                    }
                }
            } else {
                for error in page.outcome.errors.iter() {
                    <p class="error">{ &error.message }</p>
                }
            }
            <p class="embed-foot"><a href={whole} target="_blank" rel="noopener">{ "Open in stepcast" }</a></p>
        </main>
    }
}
