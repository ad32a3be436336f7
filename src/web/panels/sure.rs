//! How sure the forecast of the job is: public runs like it, what none of them tried, and what would narrow the interval.

use crate::accuracy::load::fetch;
use crate::root::PanelProps;
use std::rc::Rc;
use stepcast::forecast::Predictor;
use stepcast::page_state::certainty::of_compared;
use stepcast::page_state::page::PageForecast;
use stepcast::page_state::similar_runs::{SimilarRun, lines, measured, whole};
use stepcast::validate::published::Published;
use stepcast_web_kit::hooks::use_effect_with;
use stepcast_web_kit::{Shared, browser};
use wasm_bindgen_futures::spawn_local;
use yew::prelude::*;

/// The evidence of this job's forecast.
#[component]
pub(crate) fn SurePanel(props: &PanelProps) -> Html {
    let forecast = &props.forecast;
    let found = forecast.predictor().confidence(&forecast.scenario);
    let similar = use_similar(forecast);
    html! {
        <>
            <p id="sureness">{ &found.sentence }</p>
            if let Some(sentence) = of_compared(forecast) {
                <p id="sureness-range">{ sentence }</p>
            }
            <p class="footnote">
                { format!("Mean error over publications, each by its median error. Where recorded, the error of the first forecast is used. Publications: {}.", found.sources.join(", ")) }
            </p>
            <div id="similar-runs">
                for run in similar.iter() {
                    { beside(run, props) }
                }
            </div>
        </>
    }
}

/// Published runs that are most like the job; those of the file once it is there.
#[hook]
fn use_similar(forecast: &Shared<PageForecast>) -> Rc<Vec<SimilarRun>> {
    let text = use_state(|| None::<Rc<str>>);
    {
        let text = text.setter();
        use_effect_with((), move |()| {
            // Without the file, the totals alone are shown: the panel of the measured runs says what failed.
            spawn_local(async move { text.set(fetch(0).await.ok().map(Rc::from)) });
        });
    }
    use_memo((forecast.clone(), (*text).clone()), |(forecast, text)| {
        let (predictor, job) = (Predictor::SHIPPED, &forecast.scenario);
        let mut published = Published::default();
        for line in text.iter().flat_map(|text| lines(job, text)) {
            if published.push(line).is_err() {
                break;
            }
        }
        whole(&predictor, job).into_iter().chain(measured(&predictor, job, &published)).collect()
    })
}

/// A published run with the forecast of its own job.
fn beside(run: &SimilarRun, props: &PanelProps) -> Html {
    let (begin, link) = (props.begin.clone(), run.link.clone());
    let load = Callback::from(move |_: MouseEvent| {
        begin.emit(link.clone());
        if let Some(headline) = browser::element("summary") {
            headline.scroll_into_view();
        }
    });
    html! {
        <div class="table-frame" tabindex="0" role="group" aria-label={format!("Published run: {}", run.title)}>
            <table class="data similar-run">
                <caption>
                    { format!("Published run: {} ", run.title) }
                    <button type="button" class="suggestion" onclick={load}>{ "Open this job" }</button>
                </caption>
                <thead>
                    <tr>
                        <td></td>
                        for name in ["Published", "Forecast of its job", "Error"] {
                            <th key={name} scope="col">{ name }</th>
                        }
                    </tr>
                </thead>
                <tbody>
                    for [name, cells @ ..] in &run.rows {
                        <tr key={name.clone()}>
                            <th scope="row">{ name }</th>
                            for (place, cell) in cells.iter().enumerate() {
                                <td key={place}>{ cell }</td>
                            }
                        </tr>
                    }
                </tbody>
            </table>
            <p class="footnote">{ &run.source }</p>
        </div>
    }
}
