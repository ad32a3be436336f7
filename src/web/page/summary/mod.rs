//! The answer: the figures people quote, why they are so, what would help, and how sure they are.

mod breakdown;
mod drawn;
mod helps;
mod measured;

pub(crate) use breakdown::breakdown;
pub(crate) use drawn::ruler;
pub(crate) use helps::{helps, use_help, verdict};
pub(crate) use measured::Measured;

use drawn::{density, gauge};
use stepcast::forecast::Prediction;
use stepcast::memory::{FitVerdict, MemoryReport};
use stepcast::number;
use stepcast::page_state::certainty;
use stepcast::page_state::page::PageForecast;
use stepcast::page_state::summary;
use stepcast::run_cost::RunCost;
use stepcast_web_kit::browser;
use yew::prelude::*;

/// The headline figures; `searching` says that a better layout may be found. `why` is what limits the step; `evidence` links to their basis, `own` takes the reader's measured step.
pub(crate) fn headline(
    forecast: &PageForecast,
    searching: bool,
    why: Html,
    evidence: Html,
    own: Html,
) -> Html {
    let prediction = &forecast.prediction;
    let scenario = &forecast.scenario;
    let memory = &prediction.memory;
    let cost = RunCost::of(scenario, prediction.step);
    let tokens = number::short(&number::count(scenario.run.tokens));
    html! {
        <section class="summary" id="summary" aria-labelledby="summary-title">
            <h2 class="visually-hidden" id="summary-title">{ "Forecast" }</h2>
            <dl class={classes!("figures", (!memory.fits).then_some("unfit"))}>
                { step_figure(forecast, searching) }
                { figure("days", format!("Training run of {tokens} tokens"), &number::long_time(cost.time), html! {
                    <>
                        <span class="aside">{ summary::run_range(scenario, &prediction.interval) }</span>
                        if let Some(goal) = summary::goal(scenario, &cost) {
                            <span class="aside goal-said">{ summary::capitalised(&goal) }</span>
                        }
                    </>
                }) }
                { figure("cost", "Cost".to_owned(), &summary::dollars(&cost), html! {
                    <>
                        <span class="aside">{ summary::cost_range(scenario, &prediction.interval) }</span>
                        <span class="aside">{ format!("{} GPU-hours", number::count(cost.gpu_hours)) }</span>
                    </>
                }) }
                { memory_figure(prediction) }
                { figure("mfu", "MFU".to_owned(), &number::percent(prediction.mfu), html! {
                    <>
                        <span class="aside">{ summary::of_peak(forecast) }</span>
                        <span class="aside">{ summary::per_gpu(prediction) }</span>
                    </>
                }) }
            </dl>
            <p class="sure">{ certainty::sure(forecast) }{ evidence }</p>
            if let Some(not_counted) = scenario.model.uncounted.sentence() {
                <p class="not-counted">{ not_counted }</p>
            }
            if let Some(host) = summary::host(&memory.host).filter(|_| !memory.host.holds()) {
                <p class="not-counted">{ host }</p>
            }
            <div class={classes!("why", (!memory.fits).then_some("why-bad"))}>
                { why }
            </div>
            { own }
        </section>
    }
}

/// The step with its range, and the reader's measured step of this job.
fn step_figure(forecast: &PageForecast, searching: bool) -> Html {
    let prediction = &forecast.prediction;
    let interval = &prediction.interval;
    let name = step_name(prediction.memory.fits, searching).to_owned();
    figure(
        "step",
        name,
        &number::time(prediction.step),
        html! {
            <>
                if let Some(measured) = certainty::measured(forecast) {
                    <span class="aside" id="measured-step">{ format!("Measured {measured}") }</span>
                }
                { density(prediction.step, interval) }
                <span class="aside visually-hidden">{ summary::interval(interval.low, interval.high) }</span>
            </>
        },
    )
}

fn memory_figure(prediction: &Prediction) -> Html {
    let memory = &prediction.memory;
    let (peak, usable) = summary::peak_of_usable(memory);
    html! {
        <div class={classes!("figure", mark(memory))} id="figure-memory">
            <dt>{ "Peak memory per GPU" }</dt>
            <dd>
                <span class="value" data-explain="memory" tabindex="0">{ peak }<span class="value-unit">{ format!(" {usable}") }</span></span>
                { gauge(memory) }
                <span class="aside">{ summary::capitalised(&summary::fit(prediction)) }</span>
            </dd>
        </div>
    }
}

fn step_name(fits: bool, searching: bool) -> &'static str {
    match (fits, searching) {
        (true, true) => "Step time so far, still searching",
        (true, false) => "Step time",
        (false, _) => "Step time, if it fitted",
    }
}

/// The most asked figures in one line, for where the headline is out of sight.
pub(crate) fn mini(forecast: &PageForecast, stale: bool, shown: bool) -> Html {
    let prediction = &forecast.prediction;
    let jump = Callback::from(|event: MouseEvent| {
        // The fragment holds the scenario, so the jump must not change it.
        event.prevent_default();
        if let Some(summary) = browser::element("summary") {
            summary.scroll_into_view();
        }
    });
    html! {
        <a class={classes!("mini", stale.then_some("dim"), (!shown).then_some("mini-away"))} href="#summary" onclick={jump}>
            if stale {
                <span class="over">{ "Stale" }</span>
            }
            <strong>{ number::time(prediction.step).to_string() }</strong>
            <span>{ format!("MFU {}", number::percent(prediction.mfu)) }</span>
            <span class={classes!((!prediction.memory.fits).then_some("over"))}>
                { memory_line(&prediction.memory) }
            </span>
        </a>
    }
}

/// Class of the figure of memory; none where the job as good as certainly fits.
fn mark(memory: &MemoryReport) -> Option<&'static str> {
    match memory.verdict() {
        FitVerdict::Fits => None,
        FitVerdict::ProbablyFits => Some("figure-probable"),
        FitVerdict::Tight => Some("figure-tight"),
        FitVerdict::DoesNotFit => Some("figure-bad"),
    }
}

fn memory_line(memory: &MemoryReport) -> String {
    let (peak, usable) = summary::peak_of_usable(memory);
    format!("{peak} {usable}, {}", memory.verdict().words())
}

fn figure(id: &'static str, name: String, value: &number::NumberParts, below: Html) -> Html {
    let unit = (!value.unit.is_empty()).then(|| format!("\u{a0}{}", value.unit));
    html! {
        <div class="figure" id={format!("figure-{id}")}>
            <dt>{ name }</dt>
            <dd>
                <span class="value" data-explain={explains(id)} tabindex="0">{ &value.digits }<span class="value-unit">{ unit }</span>
                </span>
                { below }
            </dd>
        </div>
    }
}

/// Key of a figure's explanation.
fn explains(id: &'static str) -> &'static str {
    match id {
        "days" => "run_time",
        "cost" => "usd",
        _ => id,
    }
}
