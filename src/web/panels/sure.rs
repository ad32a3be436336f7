//! How sure the forecast of the job is: public runs like it, what none of them tried, and what would narrow the interval.

use stepcast::page_state::page::PageForecast;
use yew::prelude::*;

/// The evidence of this job's forecast.
pub(super) fn sure(forecast: &PageForecast) -> Html {
    let found = forecast.predictor().confidence(&forecast.scenario);
    html! {
        <>
            <p id="sureness">{ &found.sentence }</p>
            <p class="footnote">
                { format!("Mean error over publications, each by its median error. Where recorded, the error of the first forecast is used. Publications: {}.", found.sources.join(", ")) }
            </p>
        </>
    }
}
