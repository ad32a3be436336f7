//! Small SVG charts next to figures; the adjacent text states the same.

use stepcast::forecast::{Breakdown, Interval};
use stepcast::memory::MemoryReport;
use stepcast::number;
use stepcast::page_state::certainty;
use stepcast::units::Seconds;
use yew::prelude::*;

/// Least reach of the scale on either side of a step, a share of it: a narrow interval is to look narrow.
const REACH: f64 = 0.2;

/// Reach of the scale on either side, in distances from the step to the interval's end there.
const BEYOND: f64 = 1.7;

fn percent(share: f64) -> String {
    number::fixed(share * 100.0, 2) + "%"
}

/// Standard deviations from the middle of a normal distribution to either end of its 90 % interval.
const DEVIATIONS: f64 = 1.645;

/// Size of the density's own coordinates, which its outline begins and ends with.
const WIDE: f64 = 100.0;
const HIGH: f64 = 30.0;

/// Points of the curve.
const POINTS: u32 = 48;

/// The interval as a density over the step time: a normal distribution on either side, as wide as its end says.
pub(super) fn density(step: Seconds, interval: &Interval) -> Html {
    let (low, high) = (interval.low.0 / step.0, interval.high.0 / step.0);
    let (left, right) = (1.0 - REACH.max(BEYOND * (1.0 - low)), 1.0 + REACH.max(BEYOND * (high - 1.0)));
    let at = |ratio: f64| (ratio - left) / (right - left);
    let curve: Vec<String> = (0..=POINTS)
        .map(|point| {
            let share = f64::from(point) / f64::from(POINTS);
            let ratio = left + share * (right - left);
            let end = if ratio < 1.0 { 1.0 - low } else { high - 1.0 };
            let deviations = DEVIATIONS * (ratio - 1.0) / end.max(f64::EPSILON);
            let y = HIGH * (1.0 - (-0.5 * deviations * deviations).exp());
            format!("{},{}", number::fixed(WIDE * share, 2), number::fixed(y, 2))
        })
        .collect();
    let label = |ratio: f64, end: Seconds| {
        html! { <text x={percent(at(ratio))} y="47" text-anchor="middle">{ number::time(end).to_string() }</text> }
    };
    let class = classes!("density", certainty::is_wide(interval).then_some("density-wide"));
    html! {
        <svg {class} width="100%" height="50" aria-hidden="true">
            <svg width="100%" height="32" viewBox="0 0 100 32" preserveAspectRatio="none">
                <polygon points={format!("0,30 {} 100,30", curve.join(" "))} />
            </svg>
            <rect class="reach" x={percent(at(low))} width={percent(at(high) - at(low))} y="29" height="3" rx="1.5" />
            <rect class="now" x={percent(at(1.0))} width="2" y="0" height="34" />
            { label(low, interval.low) }
            { label(high, interval.high) }
        </svg>
    }
}

/// The memory of the fullest GPU by owner, on a track that ends at what a job may take; one that needs more goes beyond the mark.
pub(super) fn gauge(memory: &MemoryReport) -> Html {
    let whole = memory.usable_gib.max(memory.peak_gib);
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
    html! {
        <svg class="gauge" width="100%" height="20" aria-hidden="true">
            <rect class="empty" width="100%" y="4" height="12" />
            for part in parts {
                { part }
            }
            <rect class="limit" x={percent(memory.usable_gib / whole)} width="2" y="0" height="20" />
        </svg>
    }
}

/// Where a step goes as one bar, its parts in the order of the breakdown. Parts with room for so large a share of the width
/// for each letter of their label are labelled. Each part says what it is; those of the job's own step explain themselves, too.
pub(crate) fn ruler(breakdown: &Breakdown, of_letter: f64, own: bool) -> Html {
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
                    if share >= of_letter * words.chars().count() as f64 {
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
