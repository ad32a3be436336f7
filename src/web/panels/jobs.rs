//! The comparison: steps of several jobs on one axis, their memory, and their numbers with differences.

use crate::planning::{AnswerState, use_answer};
use crate::root::PanelProps;
use crate::widgets::compare::compare as compare_button;
use stepcast::memory::StageMemory;
use stepcast::number;
use stepcast::page_state::jobs::{
    ComparedJob, JOBS, JobComparison, MOST_JOBS, PINS, added, compare, count, job_of, renewed, toggled_with,
};
use stepcast::page_state::planning::request_on;
use stepcast::page_state::report::scenario_link;
use stepcast::scenario::cluster::presets::{CLUSTERS, name_of};
use stepcast::units::{Bytes, Seconds};
use stepcast_web_kit::browser;
use stepcast_web_kit::clipboard::{Copied, copy};
use stepcast_web_kit::hooks::use_effect_with;
use web_sys::HtmlSelectElement;
use yew::prelude::*;

/// Height of a bar, CSS pixels.
const BAR: f64 = 18.0;

/// Machines that are offered with a button each, of those that are not the job's.
const OFFERED: [&str; 5] = ["dgx-h100", "dgx-h200", "dgx-b200", "gb200-nvl72", "mi300x"];

/// Id of what tells that a link was copied.
const SAID: &str = "jobs-said";

/// The panel.
#[component]
pub(crate) fn JobsPanel(props: &PanelProps) -> Html {
    let compared = use_memo(props.document.clone(), |document| compare(document));
    {
        let show = props.show.clone();
        use_effect_with(renewed(&props.document), move |text| {
            if let Some(text) = text {
                show.emit((JOBS, text.clone()));
                show.emit((PINS, String::new()));
            }
        });
    }
    let link = scenario_link(&props.forecast.document);
    html! {
        <>
            <p>
                { format!("Up to {MOST_JOBS} jobs with any models, machines, layouts and software. Add machines here, layouts from the ranking, and saved forecasts below. The link includes all compared jobs.") }
            </p>
            <div class="tools">
                { compare_button(&link, "this job", props) }
                <AddMachine ..props.clone() />
            </div>
            <div role="status" aria-live="polite" id={SAID}></div>
            for sentence in compared.impossible.iter() {
                <p class="error">{ sentence }</p>
            }
            if !compared.jobs.is_empty() {
                { table(&compared, props) }
                { steps(&compared.jobs) }
                { memory(&compared.jobs) }
            }
        </>
    }
}

/// Adds this job on other machines, one after the other, in the layout that is recommended there.
#[component]
fn AddMachine(props: &PanelProps) -> Html {
    let waiting = use_state_eq(Vec::<&'static str>::new);
    let wrong = use_state_eq(String::new);
    let choose = {
        let (waiting, wrong) = (waiting.clone(), wrong.setter());
        Callback::from(move |name: &'static str| {
            wrong.set(String::new());
            waiting.set(waiting.iter().copied().filter(|other| *other != name).chain([name]).collect());
        })
    };
    let done = {
        let (waiting, wrong) = (waiting.clone(), wrong.setter());
        Callback::from(move |sentence: String| {
            wrong.set(sentence);
            waiting.set(waiting.iter().skip(1).copied().collect());
        })
    };
    let change = choose.clone();
    let change = Callback::from(move |event: Event| {
        let list = event.target_unchecked_into::<HtmlSelectElement>();
        if let Some(preset) = CLUSTERS.iter().find(|preset| preset.name == list.value()) {
            change.emit(preset.name);
        }
        list.set_value("");
    });
    let own = name_of(&props.forecast.scenario.cluster);
    let full = count(&props.document) + waiting.len() >= MOST_JOBS;
    let others = || CLUSTERS.iter().filter(|preset| own != Some(preset.name));
    html! {
        <span class="control">
            <label for="jobs-machine">{ "Same job on" }</label>
            for preset in others().filter(|preset| OFFERED.contains(&preset.name)) {
                <button type="button" class="suggestion" key={preset.name} disabled={full || waiting.contains(&preset.name)}
                    onclick={choose.reform(|_: MouseEvent| preset.name)}>{ preset.label }</button>
            }
            <select id="jobs-machine" onchange={change} disabled={full}>
                <option value="" selected=true>{ "another machine" }</option>
                for preset in others() {
                    <option key={preset.name} value={preset.name}>{ preset.label }</option>
                }
            </select>
            if let Some(machine) = waiting.first().copied() {
                <Adding key={machine} {machine} panel={props.clone()} {done} />
            }
            if !wrong.is_empty() {
                <span class="error" role="alert">{ &*wrong }</span>
            }
        </span>
    }
}

#[derive(Properties, PartialEq)]
struct AddingProps {
    machine: &'static str,
    panel: PanelProps,
    /// Told once it is added, or why it cannot be.
    done: Callback<String>,
}

/// The search for the layout of this job on one machine.
#[component]
fn Adding(props: &AddingProps) -> Html {
    let request = request_on(&props.panel.forecast.document, props.machine);
    let possible = request.is_some();
    let state = use_answer(request);
    {
        let PanelProps { show, document, forecast, .. } = props.panel.clone();
        let done = props.done.clone();
        use_effect_with((state, possible), move |(state, possible)| match state {
            _ if !possible => done.emit("This job cannot run on this machine.".to_owned()),
            AnswerState::Asked => {}
            AnswerState::Failed(sentence) => done.emit(sentence.clone()),
            AnswerState::Answered(told) => {
                if let Some(job) = job_of(&told.link) {
                    show.emit((JOBS, added(&document, &forecast.scenario, &job)));
                }
                done.emit(String::new());
            }
        });
    }
    html! { <span role="status">{ "Searching its layouts\u{2026}" }</span> }
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
    let parts = jobs.iter().flat_map(|job| job.prediction.breakdown.parts());
    let shown = parts.filter(|part| part.2.0 > 0.0).map(|(key, label, _)| (format!("c-{key}"), label));
    bars("Step time breakdown, same scale", &number::time(Seconds(longest)).to_string(), rows, shown)
}

/// What the fullest GPU of a job holds.
fn fullest(job: &ComparedJob) -> StageMemory {
    let memory = &job.prediction.memory;
    memory.stages.get(memory.worst_stage as usize).copied().unwrap_or_default()
}

/// What the fullest GPU of each holds, all on one axis.
fn memory(jobs: &[ComparedJob]) -> Html {
    let whole = |job: &ComparedJob| job.prediction.memory.peak_gib.max(job.prediction.memory.capacity_gib);
    let most = jobs.iter().map(whole).fold(0.0, f64::max);
    let rows = jobs.iter().map(|job| {
        let memory = &job.prediction.memory;
        let mut parts: Vec<(String, f64, String)> = Vec::new();
        for (key, label, size) in fullest(job).parts() {
            parts.push((format!("m-{key}"), size.gib(), format!("{label}: {}", number::memory(size))));
        }
        let free = (memory.usable_gib - memory.peak_gib).max(0.0);
        parts.push(("free".to_owned(), free, format!("Headroom: {}", number::memory(Bytes::from_gib(free)))));
        let peak = number::memory(Bytes::from_gib(memory.peak_gib)).to_string();
        (job, peak, bar(&job.name, most, parts.into_iter()))
    });
    let parts = jobs.iter().flat_map(|job| fullest(job).parts());
    let shown = parts.filter(|part| part.2.0 > 0.0).map(|(key, label, _)| (format!("m-{key}"), label));
    bars("Peak memory per GPU", &number::memory(Bytes::from_gib(most)).to_string(), rows, shown)
}

/// Bars under each other, with what each is and comes to, and what their colours mean: classes of the style sheet and names,
/// of each the first.
fn bars<'j>(
    title: &'static str,
    end: &str,
    rows: impl Iterator<Item = (&'j ComparedJob, String, Html)>,
    shown: impl Iterator<Item = (String, &'static str)>,
) -> Html {
    let mut colours: Vec<(String, &'static str)> = Vec::new();
    for (class, label) in shown {
        if colours.iter().all(|known| known.1 != label) {
            colours.push((class, label));
        }
    }
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
            <ul class="legend-line">
                for (class, label) in colours {
                    <li key={label}><span class={classes!("swatch", class)}></span>{ label }</li>
                }
            </ul>
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

/// A column for each job, and rows of texts in groups.
fn table(compared: &JobComparison, props: &PanelProps) -> Html {
    const NAME: &str = "Comparison";
    let span = (compared.jobs.len() + 1).to_string();
    html! {
        <div class="table-frame" tabindex="0" role="group" aria-label={NAME}>
            <table class="data compare" id="jobs-table">
                <caption>{ "Differences from the first job are in parentheses." }</caption>
                <thead>
                    <tr>
                        <td></td>
                        for (place, job) in compared.jobs.iter().enumerate() {
                            <th key={place} scope="col" class="words">{ &job.name }<div class="column-acts">{ acts(job, props) }</div></th>
                        }
                    </tr>
                </thead>
                for (title, rows) in &compared.groups {
                    <tbody key={*title}>
                        <tr><th scope="rowgroup" class="group" colspan={span.clone()}>{ *title }</th></tr>
                        for (label, cells) in rows {
                            <tr key={label.clone()}>
                                <th scope="row">{ label }</th>
                                for (place, cell) in cells.iter().enumerate() {
                                    <td key={place} class="words">{ cell }</td>
                                }
                            </tr>
                        }
                    </tbody>
                }
            </table>
        </div>
    }
}

/// What can be done about a job.
fn acts(job: &ComparedJob, props: &PanelProps) -> Html {
    let go = {
        let (show, text) = (props.show.clone(), toggled_with(&props.document, &job.scenario));
        Callback::from(move |_: MouseEvent| show.emit((JOBS, text.clone())))
    };
    let link = scenario_link(&job.document);
    let open = {
        let (begin, link) = (props.begin.clone(), link.clone());
        Callback::from(move |_: MouseEvent| begin.emit(link.clone()))
    };
    let share = {
        let address = browser::page_address() + &link;
        Callback::from(move |_: MouseEvent| {
            copy(&address, |copied| {
                browser::say(
                    SAID,
                    if copied == Copied::Yes {
                        "Link copied."
                    } else {
                        "The browser blocked access to the clipboard."
                    },
                );
            });
        })
    };
    let button = |face: &'static str, press: Callback<MouseEvent>| {
        html! {
            <button type="button" class="quiet" onclick={press} aria-label={format!("{face}: {}", job.name)}>{ face }</button>
        }
    };
    html! {
        <>
            { button("Open", open) }
            { button("Copy link", share) }
            { button("Remove", go) }
        </>
    }
}
