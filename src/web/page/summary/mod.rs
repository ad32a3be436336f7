//! The headline: the figures people quote, and what limits the step.

use stepcast::memory::MemoryReport;
use stepcast::number;
use stepcast::page_state::page::Forecast;
use stepcast::page_state::summary;
use stepcast::units::Bytes;
use stepcast_web_kit::browser;
use yew::prelude::*;

/// The headline figures.
pub(crate) fn headline(forecast: &Forecast) -> Html {
    let prediction = &forecast.prediction;
    let scenario = &forecast.scenario;
    let memory = &prediction.memory;
    let peak = number::memory(Bytes::from_gib(memory.peak_gib));
    let capacity = number::memory(Bytes::from_gib(memory.capacity_gib));
    html! {
        <section class="summary" id="summary" aria-labelledby="summary-title">
            <h2 class="visually-hidden" id="summary-title">{ "Forecast" }</h2>
            <dl class="figures">
                { figure("step", "Step time", &number::time(prediction.step),
                    &summary::interval(prediction.interval.low, prediction.interval.high)) }
                { figure("throughput", "Tokens/s per GPU",
                    &number::Shown { digits: number::significant(prediction.tokens_per_s_per_gpu, 3), unit: "" },
                    &format!("{} in all", number::count(prediction.tokens_per_s))) }
                { figure("mfu", "MFU", &number::percent(prediction.mfu),
                    &format!("{} TFLOP/s per GPU", number::significant(prediction.model_tflops_per_gpu, 3))) }
                <div class={classes!("figure", (!memory.fits).then_some("figure-bad"))} id="figure-memory">
                    <dt>{ "Memory, fullest GPU" }</dt>
                    <dd>
                        <span class="value">{ peak.digits }<span class="value-unit">{ format!(" of\u{a0}{capacity}") }</span></span>
                        <span class="aside">{ capitalised(&summary::fit(prediction)) }</span>
                    </dd>
                </div>
                { figure("days", "1 T tokens take", &number::long_time(summary::trillion_tokens(prediction)),
                    &format!("on {} GPUs", number::integer(scenario.cluster.gpus.into()))) }
            </dl>
            <p class="verdict">{ &prediction.bottleneck.sentence }</p>
            if let Some(doubts) = summary::doubts(&prediction.interval) {
                <p class="footnote">{ doubts }</p>
            }
        </section>
    }
}

/// The three most asked figures in one line, which stays in sight on small screens.
pub(crate) fn mini(forecast: &Forecast, stale: bool) -> Html {
    let prediction = &forecast.prediction;
    let jump = Callback::from(|event: MouseEvent| {
        // The fragment holds the scenario, so the jump must not change it.
        event.prevent_default();
        if let Some(summary) = browser::element("summary") {
            summary.scroll_into_view();
        }
    });
    html! {
        <a class={classes!("mini", stale.then_some("dim"))} href="#summary" onclick={jump}>
            if stale {
                <span class="over">{ "Stale: last valid scenario" }</span>
            }
            <strong>{ number::time(prediction.step).to_string() }</strong>
            <span>{ format!("MFU {}", number::percent(prediction.mfu)) }</span>
            <span class={classes!((!prediction.memory.fits).then_some("over"))}>
                { memory_line(&prediction.memory) }
            </span>
        </a>
    }
}

fn memory_line(memory: &MemoryReport) -> String {
    let peak = number::memory(Bytes::from_gib(memory.peak_gib));
    let usable = number::memory(Bytes::from_gib(memory.usable_gib));
    let verdict = if memory.fits { "fits" } else { "too big" };
    format!("{peak} of {usable}, {verdict}")
}

fn figure(id: &'static str, name: &'static str, value: &number::Shown, aside: &str) -> Html {
    let unit = (!value.unit.is_empty()).then(|| format!("\u{a0}{}", value.unit));
    html! {
        <div class="figure" id={format!("figure-{id}")} title={(id == "mfu").then_some(summary::MFU)}>
            <dt>{ name }</dt>
            <dd>
                <span class="value">{ &value.digits }<span class="value-unit">{ unit }</span></span>
                if !aside.is_empty() {
                    <span class="aside">{ aside }</span>
                }
            </dd>
        </div>
    }
}

fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters
        .next()
        .map_or_else(String::new, |first| format!("{}{}", first.to_ascii_uppercase(), letters.as_str()))
}
