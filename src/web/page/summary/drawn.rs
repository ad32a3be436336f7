//! Small SVG charts next to figures; the adjacent text states the same.

use stepcast::forecast::{Breakdown, Interval};
use stepcast::memory::MemoryReport;
use stepcast::number;
use stepcast::units::{Bytes, Seconds};
use yew::prelude::*;

/// Least reach of the scale around a step, a share of it: a narrow interval is to look narrow.
const REACH: f64 = 0.3;

fn percent(share: f64) -> String {
    number::fixed(share * 100.0, 2) + "%"
}

/// The interval as a band around the step, on a scale that reaches as far on either side of it.
pub(super) fn band(step: Seconds, interval: &Interval) -> Html {
    let (low, high) = (interval.low.0 / step.0, interval.high.0 / step.0);
    let reach = REACH.max(1.25 * (1.0 - low)).max(1.25 * (high - 1.0));
    let at = |ratio: f64| 0.5 + 0.5 * (ratio - 1.0) / reach;
    let label = |ratio: f64, text: String| {
        html! { <text x={percent(at(ratio))} y="31" text-anchor="middle">{ text }</text> }
    };
    html! {
        <svg class="band" width="100%" height="34" aria-hidden="true">
            <line x1="0" x2="100%" y1="10" y2="10" />
            <rect x={percent(at(low))} width={percent(at(high) - at(low))} y="4" height="12" rx="6" />
            <rect class="now" x={percent(at(1.0))} width="3" y="0" height="20" rx="1.5" />
            { label(low, number::time(interval.low).to_string()) }
            { label(high, number::time(interval.high).to_string()) }
        </svg>
    }
}

/// The memory of the fullest GPU by owner, with a mark at what a job may take.
pub(super) fn gauge(memory: &MemoryReport) -> Html {
    let whole = memory.capacity_gib.max(memory.peak_gib);
    let mut from = 0.0;
    let parts =
        memory.stages.get(memory.worst_stage as usize).map(|stage| stage.parts()).into_iter().flatten();
    let parts: Vec<Html> = parts
        .filter(|part| part.2.0 > 0.0)
        .map(|(key, label, size)| {
            let share = size.gib() / whole;
            let x = percent(from);
            from += share;
            html! {
                <rect {key} class={format!("m-{key}")} {x} width={percent(share)} y="4" height="12">
                    <title>{ format!("{label}: {}", number::memory(size)) }</title>
                </rect>
            }
        })
        .collect();
    let usable = memory.usable_gib / whole;
    html! {
        <svg class="gauge" width="100%" height="20" aria-hidden="true">
            <rect class="empty" width="100%" y="4" height="12" />
            for part in parts {
                { part }
            }
            <rect class="limit" x={percent(usable)} width="2" y="0" height="20">
                <title>{ format!("Usable: {}", number::memory(Bytes::from_gib(memory.usable_gib))) }</title>
            </rect>
        </svg>
    }
}

/// Where a step goes as one bar, its parts in the order of the breakdown. Parts that fill so large a share of the width
/// are labelled. Each part says what it is; those of the job's own step explain themselves, too.
pub(crate) fn ruler(breakdown: &Breakdown, labelled: f64, own: bool) -> Html {
    let total = breakdown.total();
    let mut from = 0.0;
    let parts: Vec<Html> = breakdown
        .parts()
        .into_iter()
        .filter(|part| part.2.0 > 0.0)
        .map(|(key, label, time)| {
            let share = time / total;
            let x = percent(from);
            from += share;
            let words = format!("{label} {}", number::time(time));
            let share_of = number::percent(share);
            let says = if own { format!("{share_of} of the step") } else { format!("{words}, {share_of} of the step") };
            html! {
                <svg {key} {x} width={percent(share)} height="100%">
                    <rect class={format!("c-{key}")} width="100%" height="100%" data-explain={own.then_some(key)}
                        data-says={says} />
                    if share >= labelled {
                        <text class={format!("on-{key}")} x="10" y="50%" dy="0.36em">{ words }</text>
                    }
                </svg>
            }
        })
        .collect();
    html! {
        <svg class="ruler" width="100%" height="100%" aria-hidden="true">
            for part in parts {
                { part }
            }
        </svg>
    }
}
