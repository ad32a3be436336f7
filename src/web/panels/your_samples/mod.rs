//! One's own measurements of operators: read, checked, learned from in a worker, and used at once.

pub(crate) mod training;

use crate::learned::comparison::{Comparison, difference};
use crate::learned::profiles::{keep, kept};
use crate::root::PanelProps;
use crate::widgets::controls::Pick;
use crate::widgets::files::{Content, Picker, download};
use crate::widgets::lines::Axis;
use crate::widgets::scatter::Scatter;
use crate::widgets::sheet::Sheet;
use std::rc::Rc;
use stepcast::learned::{Advance, Outcome, Profile, REGRESSORS};
use stepcast::number;
use stepcast::page_state::learning::{
    Given, Trained, complaint, furthest, machine, range, regressor, set_name,
};
use stepcast::scenario::cluster::presets::CLUSTERS;
use stepcast::units::Seconds;
use stepcast_web_kit::{Chart, Colours, Plotted, Shared};
use training::{Heard, Slot, start};
use yew::prelude::*;

/// Key of the view state: machine that the samples were taken on; empty for the job's.
const MACHINE: &str = "ownm";
/// Key of the view state: set that the chart shows, by its place; empty for the first.
const SET: &str = "owns";
/// Complaints and rejected samples that are shown of all there are.
const SHOWN: usize = 40;
/// Points that the chart's table has.
const TABLED: usize = 200;

/// How far the learning is.
#[derive(Debug, Clone, PartialEq)]
enum Phase {
    Idle,
    Running(Advance),
    Cancelled,
    Failed(String),
}

/// The panel.
#[component]
pub(crate) fn YourSamplesPanel(props: &PanelProps) -> Html {
    let files = use_state(Vec::<(String, String)>::new);
    let phase = use_state(|| Phase::Idle);
    let trained = use_state(|| None::<Rc<Trained>>);
    let profile = use_state(kept);
    let wrong = use_state(String::new);
    let slot = use_memo((), |()| Slot::default());
    let given = use_memo((*files).clone(), |files| -> Vec<Given> {
        files.iter().map(|(name, text)| Given::read(name, text)).collect()
    });
    let own = machine(&props.document);
    let machine = Some(props.state(MACHINE)).filter(|name| !name.is_empty()).unwrap_or(own).to_owned();

    let take = {
        let (files, wrong) = (files.clone(), wrong.setter());
        Callback::from(move |contents: Rc<[Content]>| {
            let mut all = (*files).clone();
            wrong.set(String::new());
            for Content { name, bytes } in contents.iter() {
                match bytes.clone().and_then(|bytes| String::from_utf8(bytes).ok()) {
                    Some(text) => {
                        all.retain(|file| file.0 != *name);
                        all.push((name.clone(), text));
                    }
                    None => wrong.set(format!("{name} is not a text that can be read.")),
                }
            }
            files.set(all);
        })
    };
    let open = {
        let (profile, wrong, trained) = (profile.setter(), wrong.setter(), trained.setter());
        Callback::from(move |contents: Rc<[Content]>| {
            let Some(Content { name, bytes }) = contents.first() else { return };
            match Profile::from_bytes(bytes.as_deref().unwrap_or_default()) {
                Ok(read) => {
                    let read = Shared(Rc::new(read));
                    keep(read.clone());
                    profile.set(Some(read));
                    trained.set(None);
                    wrong.set(String::new());
                }
                Err(sentence) => wrong.set(format!("{name}: {sentence}")),
            }
        })
    };
    let learn = {
        let (files, phase, trained, profile) =
            (files.clone(), phase.setter(), trained.setter(), profile.setter());
        let slot = Rc::clone(&slot);
        let machine = machine.clone();
        Callback::from(move |_: MouseEvent| {
            let (phase, trained, profile) = (phase.clone(), trained.clone(), profile.clone());
            phase.set(Phase::Running(Advance { sets: 0, of: 1, share: 0.0 }));
            let tell = Callback::from(move |heard| match heard {
                Heard::Advance(advance) => phase.set(Phase::Running(advance)),
                Heard::Failed(reason) => phase.set(Phase::Failed(reason)),
                Heard::Done(done) => {
                    phase.set(Phase::Idle);
                    if !done.profile.sets.is_empty() {
                        let learned = Shared(Rc::new(done.profile.clone()));
                        keep(learned.clone());
                        profile.set(Some(learned));
                    }
                    trained.set(Some(Rc::new(done)));
                }
            });
            start(&slot, &machine, &files, tell);
        })
    };
    let cancel = {
        let (slot, phase) = (Rc::clone(&slot), phase.setter());
        Callback::from(move |_: MouseEvent| {
            slot.take();
            phase.set(Phase::Cancelled);
        })
    };
    let save = {
        let profile = profile.clone();
        Callback::from(move |_: MouseEvent| {
            if let Some(profile) = &*profile {
                download("own.profile", &profile.to_bytes());
            }
        })
    };
    let machines =
        CLUSTERS.iter().map(|preset| (preset.name.into(), preset.label.into())).collect::<Vec<_>>();
    let readable = given.iter().any(|file| !file.sets.is_empty());
    let running = matches!(*phase, Phase::Running(_));
    html! {
        <>
            <p>
                { "Give times of operators on your GPUs, as CSV files of samples (linear1.csv, flash_atten.csv, \
                   allreduce.csv \u{2026}) or what nccl-tests printed; docs/samples.md has a script that takes them in \
                   ten minutes. The files are read, checked and learned from in this tab: nothing leaves your browser." }
            </p>
            <div class="tools">
                <Picker id="own-files" label="Sample files" accept=".csv,.txt,.out,.log" multiple=true {take} />
                <Picker id="own-profile" label="or a saved profile" accept=".profile" take={open} />
            </div>
            if !wrong.is_empty() {
                <p class="error" role="alert">{ &*wrong }</p>
            }
            if !given.is_empty() {
                { contents(&given) }
                <div class="tools">
                    <Pick panel="own" name={MACHINE} label="Taken on" value={machine} entries={machines} show={&props.show} />
                    <button type="button" class="quiet" id="own-learn" onclick={learn} disabled={running || !readable}>
                        { "Learn" }
                    </button>
                </div>
            }
            { progress(&phase, cancel) }
            if let Some(trained) = &*trained {
                <Results trained={Shared::from(trained)} chosen={AttrValue::from(props.state(SET).to_owned())}
                    colours={props.colours} show={&props.show} />
            }
            if let Some(profile) = &*profile {
                <div class="tools">
                    <strong>{ "The forecast with your profile" }</strong>
                    <span class="pair">
                        <button type="button" class="quiet" onclick={save}>{ "Save the profile" }</button>
                    </span>
                </div>
                <Comparison forecast={props.forecast.clone()} profile={profile.clone()} />
                <p>{ "Under \u{201c}With learned operators\u{201d}, choose your own profile to see every operator." }</p>
            }
        </>
    }
}

/// What was given, and which rows of it cannot be read.
fn contents(given: &[Given]) -> Html {
    let problems: Vec<String> = given
        .iter()
        .flat_map(|file| file.problems.iter().map(|problem| complaint(&file.name, problem)))
        .collect();
    html! {
        <>
            <ul id="own-given">
                for file in given {
                    <li key={file.name.clone()}>{ format!("{}: {}", file.name, file.content()) }</li>
                }
            </ul>
            { listed("own-problems", "Rows that cannot be read", &problems) }
        </>
    }
}

/// Sentences, the first of them where there are many.
fn listed(id: &'static str, title: &str, sentences: &[String]) -> Html {
    if sentences.is_empty() {
        return Html::default();
    }
    let more = sentences.len().saturating_sub(SHOWN);
    html! {
        <details {id} class="listed">
            <summary>{ format!("{title}: {}", number::integer(sentences.len() as u64)) }</summary>
            <ul>
                for (index, sentence) in sentences.iter().take(SHOWN).enumerate() {
                    <li key={index}>{ sentence }</li>
                }
            </ul>
            if more > 0 {
                <p>{ format!("And {} more.", number::integer(more as u64)) }</p>
            }
        </details>
    }
}

fn progress(phase: &Phase, cancel: Callback<MouseEvent>) -> Html {
    match phase {
        Phase::Idle => Html::default(),
        Phase::Running(advance) => html! {
            <div class="search" data-status="running">
                <progress aria-label="Learned" max="1" value={advance.done().to_string()}></progress>
                <span>{ format!("{} of {} operators", advance.sets, advance.of) }</span>
                <button type="button" class="quiet" onclick={cancel}>{ "Cancel" }</button>
            </div>
        },
        Phase::Cancelled => html! { <p role="status">{ "Cancelled: nothing was learned." }</p> },
        Phase::Failed(reason) => html! {
            <p class="error" role="alert">{ format!("The learning failed: {reason}. Try again.") }</p>
        },
    }
}

#[derive(Properties, PartialEq)]
struct ResultsProps {
    trained: Shared<Trained>,
    /// Place of the set that the chart shows.
    chosen: AttrValue,
    colours: Colours,
    show: crate::root::Show,
}

/// How well every set is forecast, what was set aside, and measured against forecast.
#[component]
fn Results(props: &ResultsProps) -> Html {
    let outcomes = &props.trained.outcomes;
    // Sets of which nothing could be believed have no points.
    let drawn = || outcomes.iter().enumerate().filter(|(_, outcome)| !outcome.points.is_empty());
    let asked = props.chosen.parse::<usize>().ok();
    let place =
        drawn().map(|set| set.0).find(|place| Some(*place) == asked).or(drawn().next().map(|set| set.0));
    let plot = use_memo((props.trained.clone(), place), |(trained, place)| {
        place.and_then(|place| trained.outcomes.get(place)).map(|outcome| Plotted::from(scatter(outcome)))
    });
    let rejected: Vec<String> = outcomes
        .iter()
        .flat_map(|outcome| &outcome.rejected)
        .map(|(file, row)| format!("{file}, line {}: {}.", row.line, row.reason.sentence()))
        .collect();
    let sets: Vec<(AttrValue, AttrValue)> =
        drawn().map(|(place, outcome)| (place.to_string().into(), set_name(outcome).into())).collect();
    html! {
        <>
            { errors(outcomes) }
            { listed("own-rejected", "Samples set aside", &rejected) }
            if let Some(plot) = &*plot {
                <div class="tools">
                    <Pick panel="own" name={SET} label="Chart of" value={place.unwrap_or(0).to_string()} entries={sets} show={&props.show} />
                </div>
                <Chart id="own-chart" level="h3" title="Measured against forecast" plot={plot.clone()} colours={props.colours} />
            }
        </>
    }
}

/// Cross-validated error of every regressor.
fn errors(outcomes: &[Outcome]) -> Html {
    let rows = outcomes.iter().map(|outcome| {
        let mut cells = vec![
            set_name(outcome),
            number::integer(outcome.rows as u64),
            number::integer(outcome.rejected.len() as u64),
        ];
        cells.extend(REGRESSORS.map(|one| number::percent(outcome.errors.of(one)).to_string()));
        let used =
            if outcome.healthy { regressor(outcome.winner) } else { "none: too many samples cannot be true" };
        cells.push(used.to_owned());
        ("", cells)
    });
    Sheet {
        id: "own-errors",
        caption: "Mean |error| on samples that were not learned from (cross-validated in fifths). The forecast uses \
                  physics or the hybrid, whichever errs less: trees alone do not hold beyond the samples."
            .to_owned(),
        head: vec!["Operator", "Samples", "Set aside", "Forest", "Boosted trees", "Physics", "Hybrid", "Used"],
        words: &[0, 7],
        rows: rows.collect(),
    }
    .framed()
}

fn scatter(outcome: &Outcome) -> Scatter {
    let range = range(&outcome.points);
    let name = |seconds: f64| number::short(&number::time(Seconds(seconds)));
    let rows = furthest(&outcome.points, TABLED).into_iter().map(|point| {
        let times = [point.measured_s, point.predicted_s].map(|time| number::time(Seconds(time)).to_string());
        let off = difference(Seconds(point.measured_s), Seconds(point.predicted_s));
        ("", times.into_iter().chain([off]).collect())
    });
    let error = number::percent(outcome.errors.of(outcome.winner));
    Scatter {
        points: outcome.points.iter().map(|point| (point.measured_s, point.predicted_s)).collect(),
        x: Axis::powers("Measured", range, 10.0, name),
        y: Axis::powers("Forecast", range, 10.0, name),
        summary: format!(
            "{} samples of {}, each forecast without having been learned from: mean error {error}.",
            number::integer(outcome.points.len() as u64),
            set_name(outcome)
        ),
        table: Sheet {
            id: "own-points",
            caption: format!("{}: the {TABLED} samples furthest off", set_name(outcome)),
            head: vec!["Measured", "Forecast", "Difference"],
            words: &[],
            rows: rows.collect(),
        },
    }
}
