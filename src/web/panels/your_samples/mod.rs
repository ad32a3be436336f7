//! One's own measurements of operators: read, checked, learned from in a worker, and used at once.

pub(crate) mod training;

use crate::learned::comparison::{Comparison, difference};
use crate::learned::profiles::{keep, kept};
use crate::root::PanelProps;
use crate::widgets::controls::Pick;
use crate::widgets::lines::ChartAxis;
use crate::widgets::scatter::Scatter;
use crate::worker::WorkerSlot;
use std::rc::Rc;
use stepcast::learned::{Advance, Profile, REGRESSORS, TrainingOutcome};
use stepcast::number;
use stepcast::page_state::learning::{
    GivenFile, Trained, complaint, furthest, machine, range, regressor, set_name,
};
use stepcast::scenario::cluster::presets::CLUSTERS;
use stepcast::units::Seconds;
use stepcast_web_kit::files::{Content, Picker, download};
use stepcast_web_kit::sheet::Sheet;
use stepcast_web_kit::{Chart, ColourRevision, Plotted, Shared};
use training::{TrainingMessage, start};
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

/// What the panel knows. Its handles are cheap to clone into what changes it.
#[derive(Clone)]
struct State {
    /// Sample files: names and texts.
    files: UseStateHandle<Vec<(String, String)>>,
    phase: UseStateHandle<Phase>,
    trained: UseStateHandle<Option<Rc<Trained>>>,
    /// The reader's profile: learned here, or opened.
    profile: UseStateHandle<Option<Shared<Profile>>>,
    /// Why a file cannot be read; empty when none is at fault.
    wrong: UseStateHandle<String>,
    worker: Rc<WorkerSlot>,
}

#[hook]
fn use_samples() -> State {
    State {
        files: use_state(Vec::new),
        phase: use_state(|| Phase::Idle),
        trained: use_state(|| None),
        profile: use_state(kept),
        wrong: use_state(String::new),
        worker: use_memo((), |()| WorkerSlot::default()),
    }
}

impl State {
    /// Takes sample files in, each in the place of one of its name.
    fn take(&self, contents: &[Content]) {
        let mut all = (*self.files).clone();
        self.wrong.set(String::new());
        for Content { name, bytes } in contents {
            match bytes.clone().and_then(|bytes| String::from_utf8(bytes).ok()) {
                Some(text) => {
                    all.retain(|file| file.0 != *name);
                    all.push((name.clone(), text));
                }
                None => self.wrong.set(format!("{name} is not a readable text file.")),
            }
        }
        self.files.set(all);
    }

    /// Opens a saved profile.
    fn open(&self, contents: &[Content]) {
        let Some(Content { name, bytes }) = contents.first() else { return };
        match Profile::from_bytes(bytes.as_deref().unwrap_or_default()) {
            Ok(read) => {
                self.use_profile(read);
                self.trained.set(None);
                self.wrong.set(String::new());
            }
            Err(sentence) => self.wrong.set(format!("{name}: {sentence}")),
        }
    }

    fn use_profile(&self, profile: Profile) {
        let profile = Shared(Rc::new(profile));
        keep(profile.clone());
        self.profile.set(Some(profile));
    }

    /// Starts to learn from the files, taken on a machine.
    fn learn(&self, machine: &str) {
        self.phase.set(Phase::Running(Advance { sets: 0, of: 1, share: 0.0 }));
        let state = self.clone();
        let tell = Callback::from(move |heard| match heard {
            TrainingMessage::Advance(advance) => state.phase.set(Phase::Running(advance)),
            TrainingMessage::Failed(reason) => state.phase.set(Phase::Failed(reason)),
            TrainingMessage::Done(done) => {
                state.phase.set(Phase::Idle);
                if !done.profile.sets.is_empty() {
                    state.use_profile(done.profile.clone());
                }
                state.trained.set(Some(Rc::new(done)));
            }
        });
        start(&self.worker, machine, &self.files, &tell);
    }

    fn cancel(&self) {
        self.worker.take();
        self.phase.set(Phase::Cancelled);
    }

    /// A callback that does something with the state.
    fn on<E: 'static>(&self, act: impl Fn(&Self, E) + 'static) -> Callback<E> {
        let state = self.clone();
        Callback::from(move |event| act(&state, event))
    }
}

/// The panel.
#[component]
pub(crate) fn YourSamplesPanel(props: &PanelProps) -> Html {
    let state = use_samples();
    let given = use_memo((*state.files).clone(), |files| -> Vec<GivenFile> {
        files.iter().map(|(name, text)| GivenFile::read(name, text)).collect()
    });
    let take = state.on(|state, contents: Rc<[Content]>| state.take(&contents));
    let open = state.on(|state, contents: Rc<[Content]>| state.open(&contents));
    html! {
        <>
            <p>
                { "Add kernel benchmarks of your GPUs: CSV files (linear1.csv, flash_atten.csv, allreduce.csv, \u{2026}) or nccl-tests output. The script in docs/samples.md measures them in 10 minutes. The files stay in your browser." }
            </p>
            <div class="tools">
                <Picker id="own-files" label="Sample files" accept=".csv,.txt,.out,.log" multiple=true {take} />
                <Picker id="own-profile" label="or a saved profile" accept=".profile" take={open} />
            </div>
            if !state.wrong.is_empty() {
                <p class="error" role="alert">{ &*state.wrong }</p>
            }
            if !given.is_empty() {
                { contents(&given) }
                { start_of_learning(props, &state, &given) }
            }
            { progress(&state.phase, state.on(|state, _: MouseEvent| state.cancel())) }
            if let Some(trained) = &*state.trained {
                <Results trained={Shared::from(trained)} chosen={AttrValue::from(props.state(SET).to_owned())}
                    colours={props.colours} show={&props.show} />
            }
            if let Some(profile) = &*state.profile {
                { with_profile(props, profile) }
            }
        </>
    }
}

/// Which machine the samples were taken on, and the button that learns from them.
fn start_of_learning(props: &PanelProps, state: &State, given: &[GivenFile]) -> Html {
    let present = machine(&props.document);
    let machine = Some(props.state(MACHINE)).filter(|name| !name.is_empty()).unwrap_or(present).to_owned();
    let machines: Vec<(AttrValue, AttrValue)> =
        CLUSTERS.iter().map(|preset| (preset.name.into(), preset.label.into())).collect();
    let learn = {
        let machine = machine.clone();
        state.on(move |state, _: MouseEvent| state.learn(&machine))
    };
    let readable = given.iter().any(|file| !file.sets.is_empty());
    let running = matches!(*state.phase, Phase::Running(_));
    html! {
        <div class="tools">
            <Pick panel="own" name={MACHINE} label="Measured on" value={machine} entries={machines} show={&props.show} />
            <button type="button" class="quiet" id="own-learn" onclick={learn} disabled={running || !readable}>
                { "Learn" }
            </button>
        </div>
    }
}

/// What the profile does to the forecast, and the button that saves it.
fn with_profile(props: &PanelProps, profile: &Shared<Profile>) -> Html {
    let save = {
        let profile = profile.clone();
        Callback::from(move |_: MouseEvent| download("own.profile", &profile.to_bytes()))
    };
    html! {
        <>
            <div class="tools">
                <strong>{ "Forecast with your profile" }</strong>
                <span class="pair">
                    <button type="button" class="quiet" onclick={save}>{ "Save the profile" }</button>
                </span>
            </div>
            <Comparison forecast={props.forecast.clone()} profile={profile.clone()} />
            <p>{ "For the times of all operators, select your profile under \u{201c}Forecast from measured kernels\u{201d}." }</p>
        </>
    }
}

/// What was given, and which rows of it cannot be read.
fn contents(given: &[GivenFile]) -> Html {
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
            { listed("own-problems", "Unreadable rows", &problems) }
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
        Phase::Cancelled => html! { <p role="status">{ "Cancelled." }</p> },
        Phase::Failed(reason) => html! {
            <p class="error" role="alert">{ format!("Training failed: {reason}. Try again.") }</p>
        },
    }
}

#[derive(Properties, PartialEq)]
struct ResultsProps {
    trained: Shared<Trained>,
    /// Place of the set that the chart shows.
    chosen: AttrValue,
    colours: ColourRevision,
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
            { listed("own-rejected", "Excluded samples", &rejected) }
            if let Some(plot) = &*plot {
                <div class="tools">
                    <Pick panel="own" name={SET} label="Chart of" value={place.unwrap_or(0).to_string()} entries={sets} show={&props.show} />
                </div>
                <Chart id="own-chart" level="h3" title="Measured and forecast times" plot={plot.clone()} colours={props.colours} />
            }
        </>
    }
}

/// Cross-validated error of every regressor.
fn errors(outcomes: &[TrainingOutcome]) -> Html {
    let rows = outcomes.iter().map(|outcome| {
        let mut cells = vec![
            set_name(outcome),
            number::integer(outcome.rows as u64),
            number::integer(outcome.rejected.len() as u64),
        ];
        cells.extend(REGRESSORS.map(|one| number::percent(outcome.errors.of(one)).to_string()));
        let used =
            if outcome.healthy { regressor(outcome.winner) } else { "none: too many implausible samples" };
        cells.push(used.to_owned());
        ("", cells)
    });
    Sheet {
        id: "own-errors",
        caption: "Mean absolute error in 5-fold cross-validation. The forecast uses physics or hybrid, whichever has the lower error. Forests and boosted trees are not used, because they do not extrapolate."
            .to_owned(),
        head: vec!["Operator", "Samples", "Excluded", "Forest", "Boosted trees", "Physics", "Hybrid", "Used"],
        words: &[0, 7],
        rows: rows.collect(),
    }
    .framed()
}

fn scatter(outcome: &TrainingOutcome) -> Scatter {
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
        x: ChartAxis::powers("Measured", range, 10.0, name),
        y: ChartAxis::powers("Forecast", range, 10.0, name),
        summary: format!(
            "Cross-validated forecasts of {} samples of {}: mean error {error}.",
            number::integer(outcome.points.len() as u64),
            set_name(outcome)
        ),
        table: Sheet {
            id: "own-points",
            caption: format!("{}: the {TABLED} samples with the largest errors", set_name(outcome)),
            head: vec!["Measured", "Forecast", "Difference"],
            words: &[],
            rows: rows.collect(),
        },
    }
}
