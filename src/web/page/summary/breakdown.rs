//! Breakdown of the step time, as one bar with a legend.

use super::drawn::ruler;
use stepcast::number;
use stepcast::page_state::page::PageForecast;
use stepcast::page_state::summary;
use yew::prelude::*;

/// Share of the bar that a letter of a part's label needs.
const OF_LETTER: f64 = 0.012;

/// The bar, what its colours mean, and what is hidden behind compute.
pub(crate) fn breakdown(forecast: &PageForecast) -> Html {
    let prediction = &forecast.prediction;
    let parts = prediction.breakdown.parts().into_iter().filter(|part| part.2.0 > 0.0);
    html! {
        <section class="panel breakdown" id="breakdown" aria-labelledby="breakdown-title">
            <div class="panel-head">
                <h2 id="breakdown-title">{ "Step time breakdown" }</h2>
            </div>
            <div class="ruler-frame">{ ruler(&prediction.breakdown, OF_LETTER, true) }</div>
            <ul class="legend-line">
                for (key, label, time) in parts {
                    <li {key}>
                        <span class={format!("swatch c-{key}")}></span>
                        { label }{ " " }
                        <span class="legend-size" data-explain={key} tabindex="0">
                            { number::time(time).to_string() }{ " " }
                            <span>{ number::percent(time / prediction.step).to_string() }</span>
                        </span>
                    </li>
                }
            </ul>
            if let Some(overlapped) = summary::overlapped(prediction) {
                <p class="footnote">{ overlapped + "." }</p>
            }
            <p class="visually-hidden">{ summary::breakdown(prediction) }</p>
        </section>
    }
}
