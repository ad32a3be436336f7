//! The pipeline's timeline as a still picture, until the second module draws the one that can be zoomed.

use std::rc::Rc;
use stepcast::number;
use stepcast::page_state::page::PageForecast;
use stepcast::page_state::timeline::{Overview, PASSES, Replayed, TimelineBlock};
use stepcast_web_kit::Shared;
use yew::prelude::*;

/// Most passes of a step that are replayed with every edit: a frame of the page has time for more.
const MOST_PASSES: u64 = 20_000;

/// Height of a lane with the space below it, and of its blocks, CSS pixels.
const LANE: u32 = 30;
const BLOCK: u32 = 24;

/// Room for the names of the stages, CSS pixels.
const NAMES: u32 = 56;

/// The picture of a forecast where it is shown; nothing of a step with too many passes.
#[hook]
pub(crate) fn use_overview(forecast: &Rc<PageForecast>, is_shown: bool) -> Option<Rc<Overview>> {
    let overview = use_memo(is_shown.then(|| Shared::from(forecast)), |forecast| {
        let forecast = forecast.as_ref()?;
        let replayed =
            Replayed::new(&forecast.predictor(), &forecast.scenario, forecast.prediction.step, MOST_PASSES)
                .ok()?;
        Some(Rc::new(Overview::of(&replayed)))
    });
    (*overview).clone()
}

fn percent(share: f64) -> String {
    number::fixed(share * 100.0, 3) + "%"
}

/// The picture, and what its colours mean.
pub(crate) fn overview(overview: &Overview) -> Html {
    let height = LANE * overview.lanes.len() as u32;
    let left = NAMES.to_string();
    html! {
        <div class="overview">
            <svg class="overview-names" width={left} height={(height + 20).to_string()} aria-hidden="true">
                for (row, (stage, _)) in overview.lanes.iter().enumerate() {
                    <text y={(row as u32 * LANE + BLOCK / 2).to_string()} dy="0.36em">{ format!("Stage {stage}") }</text>
                }
            </svg>
            <svg class="overview-lanes" width="100%" height={(height + 20).to_string()} role="img" aria-label={overview.says.clone()}>
                for (row, (stage, blocks)) in overview.lanes.iter().enumerate() {
                    <svg key={*stage} y={(row as u32 * LANE).to_string()} width="100%" height={BLOCK.to_string()}>
                        <rect class="idle" width="100%" height="100%" />
                        for (place, block) in blocks.iter().enumerate() {
                            { drawn(place, block) }
                        }
                    </svg>
                }
                { whole_height(overview.gap, "gap", height) }
                { whole_height(overview.rest, "rest", height + BLOCK - LANE) }
                for (place, (at, label)) in overview.ticks.iter().enumerate() {
                    // Each of the pairs reads away from what is not drawn.
                    <text key={place} class="tick" x={percent(*at)} y={(height + 14).to_string()}
                        text-anchor={if place % 2 == 0 { "start" } else { "end" }}>{ label }</text>
                }
            </svg>
        </div>
    }
}

fn drawn(place: usize, block: &TimelineBlock) -> Html {
    let class = ["pass-forward", "pass-backward", "pass-backward", "pass-weights"].get(block.kind).copied();
    html! {
        <svg key={place} x={percent(block.from)} width={percent(block.to - block.from)} height="100%">
            <rect class={class} width="100%" height="100%" rx="2" data-says={block.says.clone()} />
            if let Some(number) = block.micro_batch {
                <text class={class.map(|class| format!("on-{class}"))} x="50%" y="50%" dy="0.36em" text-anchor="middle">{ number }</text>
            }
        </svg>
    }
}

fn whole_height(place: Option<(f64, f64)>, class: &'static str, height: u32) -> Html {
    let Some((from, to)) = place else { return html! {} };
    html! { <rect {class} x={percent(from)} width={percent(to - from)} height={height.to_string()} /> }
}

/// What the colours of the picture mean.
pub(crate) fn legend(overview: &Overview) -> Html {
    let has = |kind: usize| overview.lanes.iter().any(|lane| lane.1.iter().any(|block| block.kind == kind));
    let classes = ["c-forward", "c-backward", "c-backward", "c-recompute"];
    let kinds = PASSES.iter().zip(classes).enumerate().filter(|entry| has(entry.0));
    html! {
        <ul class="legend-line">
            for (kind, ((_, label), class)) in kinds {
                <li key={kind}><span class={classes!("swatch", class)}></span>{ *label }</li>
            }
            <li><span class="swatch idle"></span>{ "Waiting (bubble)" }</li>
            if let [_, (_, from), (_, to), _] = overview.ticks.as_slice() {
                <li><span class="swatch gap"></span>{ format!("{from} to {to} not shown") }</li>
            }
            if overview.rest.is_some() {
                <li>
                    <span class="swatch c-host"></span>
                    { format!(
                        "Gradient sync, optimizer, host and stragglers: {}{}",
                        number::time(overview.after),
                        if overview.shortened { " (not to scale)" } else { "" },
                    ) }
                </li>
            }
            <li>{ "Numbers: micro-batches" }</li>
        </ul>
    }
}
