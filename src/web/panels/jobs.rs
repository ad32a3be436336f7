//! Forecasts of any jobs side by side: their steps on one axis, their memory, and their numbers with differences.

use crate::root::PanelProps;
use crate::widgets::side_by_side::side_by_side;
use stepcast::number;
use stepcast::page_state::jobs::{ComparedJob, JOBS, JobComparison, MOST_JOBS, compare, is_kept, kept_with};
use stepcast::page_state::report::scenario_link;
use stepcast::units::{Bytes, Seconds};
use yew::prelude::*;

/// Height of a bar, CSS pixels.
const BAR: f64 = 18.0;

/// The panel.
#[component]
pub(crate) fn JobsPanel(props: &PanelProps) -> Html {
    let compared = use_memo(props.document.clone(), |document| compare(document));
    let own = {
        let (show, document) = (props.show.clone(), props.document.clone());
        Callback::from(move |_: MouseEvent| show.emit((JOBS, kept_with(&document, &document))))
    };
    let word = if is_kept(&props.document) { "Remove" } else { "Add to comparison" };
    html! {
        <>
            <p>
                { format!("Compare up to {MOST_JOBS} forecasts of any models, machines and software. All are included in the link.") }
            </p>
            <p><button type="button" id="keep-job" class="quiet" onclick={own}>{ word }</button></p>
            for sentence in compared.impossible.iter() {
                <p class="error">{ sentence }</p>
            }
            if !compared.jobs.is_empty() {
                { steps(&compared.jobs) }
                { memory(&compared.jobs) }
                { table(&compared, props) }
            }
        </>
    }
}

/// Where each step goes, all on one axis.
fn steps(jobs: &[ComparedJob]) -> Html {
    let longest = jobs.iter().map(|job| job.prediction.step.0).fold(0.0, f64::max);
    let rows = jobs.iter().map(|job| {
        let parts = job.prediction.breakdown.parts().into_iter();
        let parts = parts.map(|(key, label, time)| {
            let share = number::percent(time / job.prediction.step);
            (format!("c-{key}"), time.0, format!("{label}: {}, {share} of the step", number::time(time)))
        });
        (job, number::time(job.prediction.step).to_string(), bar(&job.name, longest, parts))
    });
    bars("Step time breakdown, same scale", &number::time(Seconds(longest)).to_string(), rows)
}

/// What the fullest GPU of each holds, all on one axis.
fn memory(jobs: &[ComparedJob]) -> Html {
    let whole = |job: &ComparedJob| job.prediction.memory.peak_gib.max(job.prediction.memory.capacity_gib);
    let most = jobs.iter().map(whole).fold(0.0, f64::max);
    let rows = jobs.iter().map(|job| {
        let memory = &job.prediction.memory;
        let fullest = memory.stages.get(memory.worst_stage as usize).copied().unwrap_or_default();
        let mut parts: Vec<(String, f64, String)> = Vec::new();
        for (key, label, size) in fullest.parts() {
            parts.push((format!("m-{key}"), size.gib(), format!("{label}: {}", number::memory(size))));
        }
        let free = (memory.usable_gib - memory.peak_gib).max(0.0);
        parts.push(("free".to_owned(), free, format!("Headroom: {}", number::memory(Bytes::from_gib(free)))));
        let peak = number::memory(Bytes::from_gib(memory.peak_gib)).to_string();
        (job, peak, bar(&job.name, most, parts.into_iter()))
    });
    bars("Peak memory per GPU", &number::memory(Bytes::from_gib(most)).to_string(), rows)
}

/// Bars under each other, with what each is and comes to.
fn bars<'j>(
    title: &'static str,
    end: &str,
    rows: impl Iterator<Item = (&'j ComparedJob, String, Html)>,
) -> Html {
    html! {
        <figure class="aligned">
            <figcaption>{ title }</figcaption>
            for (place, (job, sum, bar)) in rows.enumerate() {
                <div class="aligned-row" key={place}>
                    <span>{ &job.name }<strong>{ format!(" {sum}") }</strong></span>
                    { bar }
                </div>
            }
            <p class="aligned-axis" aria-hidden="true"><span>{ "0" }</span><span>{ end.to_owned() }</span></p>
        </figure>
    }
}

/// One bar of parts: class, size and words of each, on an axis that ends at `most`.
fn bar(name: &str, most: f64, parts: impl Iterator<Item = (String, f64, String)>) -> Html {
    let percent = |share: f64| number::fixed(100.0 * share, 3) + "%";
    let mut from = 0.0;
    let mut drawn = Vec::new();
    let mut said = Vec::new();
    for (class, size, words) in parts.filter(|part| part.1 > 0.0 && most > 0.0) {
        drawn.push(html! {
            <rect key={class.clone()} {class} x={percent(from / most)} width={percent(size / most)} height={BAR.to_string()}
                data-says={words.clone()} />
        });
        said.push(words);
        from += size;
    }
    html! {
        <svg width="100%" height={BAR.to_string()} role="img" aria-label={format!("{name}: {}", said.join("; "))}>
            for part in drawn { { part } }
        </svg>
    }
}

fn table(compared: &JobComparison, props: &PanelProps) -> Html {
    let columns = compared.jobs.iter().map(|job| (job.name.clone(), acts(job, props)));
    side_by_side(("jobs-table", "Forecasts side by side"), columns, &compared.rows)
}

/// What can be done about a forecast.
fn acts(job: &ComparedJob, props: &PanelProps) -> Html {
    let go = {
        let (show, text) = (props.show.clone(), kept_with(&props.document, &job.document));
        Callback::from(move |_: MouseEvent| show.emit((JOBS, text.clone())))
    };
    let open = {
        let (begin, link) = (props.begin.clone(), scenario_link(&job.document));
        Callback::from(move |_: MouseEvent| begin.emit(link.clone()))
    };
    html! {
        <>
            <button type="button" class="quiet" onclick={open} aria-label={format!("Open {}", job.name)}>{ "Open" }</button>
            <button type="button" class="quiet" onclick={go} aria-label={format!("Remove {}", job.name)}>{ "Remove" }</button>
        </>
    }
}
