//! The forecast with a profile compared with the one without.

use crate::root::problems;
use stepcast::constants::Constants;
use stepcast::forecast::Prediction;
use stepcast::learned::{LayerAssignment, LearnedStep, Profile, Provenance, step};
use stepcast::number;
use stepcast::page_state::learning::{
    fallen_back, forecast, foreign, pass, place, plain, rests_on, shares_by_provenance, sizes,
};
use stepcast::page_state::page::PageForecast;
use stepcast::scenario::Scenario;
use stepcast::units::Seconds;
use stepcast_web_kit::Shared;
use stepcast_web_kit::sheet::Sheet;
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    pub(crate) forecast: Shared<PageForecast>,
    pub(crate) profile: Shared<Profile>,
    /// Layers are partitioned over stages as planned, not as GPT-NeoX does it.
    #[prop_or_default]
    pub(crate) planned: bool,
    /// Whole, with every operator; else the step alone.
    #[prop_or_default]
    pub(crate) whole: bool,
}

/// The forecast compared with the default one.
#[component]
pub(crate) fn Comparison(props: &Props) -> Html {
    let deps = (props.forecast.clone(), props.profile.clone(), props.planned, props.whole);
    let made = use_memo(deps, |(default, profile, planned, whole)| {
        let scenario = &default.scenario;
        let learned = match forecast(scenario, profile) {
            Ok(learned) => learned,
            Err(errors) => return problems(&errors),
        };
        let foreign = foreign(scenario, profile);
        html! {
            <>
                <p>{ format!("Learned from {}.", profile.source) }</p>
                if let Some(machine) = foreign {
                    <p class="error">
                        { format!("The samples were measured on {machine}, but this job uses other GPUs. The learned times do not apply.") }
                    </p>
                }
                { breakdown(&default.prediction, &learned) }
                if *whole {
                    { operators(&default.prediction, &learned) }
                    if profile.makes_steps() {
                        { alone(scenario, profile, *planned) }
                    }
                }
            </>
        }
    });
    (*made).clone()
}

/// A difference of two times, in percent of the first.
pub(crate) fn difference(first: Seconds, second: Seconds) -> String {
    if first.0 <= 0.0 {
        return "\u{2014}".to_owned();
    }
    let percent = (second / first - 1.0) * 100.0;
    let sign = if percent < -0.05 {
        "\u{2212}"
    } else if percent > 0.05 {
        "+"
    } else {
        ""
    };
    format!("{sign}{} %", number::fixed(percent.abs(), 1))
}

/// Parts of the step, and the step.
pub(crate) fn compared(
    id: &'static str,
    caption: &str,
    head: [&'static str; 2],
    default: &Prediction,
    other: &Prediction,
) -> Html {
    let cells = |name: &str, one: Seconds, two: Seconds| {
        vec![
            name.to_owned(),
            number::time(one).to_string(),
            number::time(two).to_string(),
            difference(one, two),
        ]
    };
    let parts = default.breakdown.parts().into_iter().zip(other.breakdown.parts());
    let parts = parts.filter(|(one, two)| one.2.0 > 0.0 || two.2.0 > 0.0);
    let mut rows: Vec<_> = parts.map(|(one, two)| ("", cells(one.1, one.2, two.2))).collect();
    rows.push(("total", cells("Step", default.step, other.step)));
    let head = vec!["Part", head[0], head[1], "Difference"];
    Sheet { id, caption: caption.to_owned(), head, words: &[0], rows }.framed()
}

fn breakdown(default: &Prediction, learned: &Prediction) -> Html {
    let caption = "Forecast with learned times of GEMMs, attention and collectives where available, compared with the physics-only forecast.";
    compared("learned-step", caption, ["Physics", "Learned"], default, learned)
}

/// Every operator of the slowest stage: both times, and what the learned one rests on.
fn operators(default: &Prediction, learned: &Prediction) -> Html {
    let rows = default.operators.iter().zip(&learned.operators).map(|(one, two)| {
        let provenance = two.rests_on.unwrap_or(Provenance::Default);
        let cells = vec![
            one.name.replace('_', " "),
            one.shape.to_string().replace(" x ", " \u{d7} "),
            number::time(one.time).to_string(),
            number::time(two.time).to_string(),
            difference(one.time, two.time),
            rests_on(provenance).to_owned(),
        ];
        ("", cells)
    });
    Sheet {
        id: "learned-operators",
        caption:
            "Time per call of each operator on the slowest stage. Rows with the basis \u{201c}default\u{201d} have no learned time, so the learned column shows the physics time."
                .to_owned(),
        head: vec!["Operator", "Shape", "Physics", "Learned", "Difference", "Basis"],
        words: &[0, 1, 5],
        rows: rows.collect(),
    }
    .framed()
}

/// A step made of learned operators alone.
fn alone(scenario: &Scenario, profile: &Profile, planned: bool) -> Html {
    let partition = if planned { LayerAssignment::Planned } else { LayerAssignment::GptNeox };
    html! {
        <>
            <h3>{ "Step from learned operators only" }</h3>
            { match step(scenario, profile, &Constants::SHIPPED, partition) {
                Ok(step) => made(&step),
                Err(errors) => problems(&errors),
            } }
        </>
    }
}

fn made(step: &LearnedStep) -> Html {
    let shares = shares_by_provenance(step).map(|(provenance, share)| {
        let words = match provenance {
            Provenance::Measured => "within the measured range",
            Provenance::Extrapolated => "extrapolated",
            Provenance::Default => "from data sheet values",
        };
        format!("{} {words}", number::percent(share))
    });
    let fallen = fallen_back(&step.operators);
    html! {
        <>
            { timelines(step) }
            <p>{ format!("Basis of the layer time: {}.", shares.join(", ")) }</p>
            <p id="fallen-back">
                { if fallen.is_empty() {
                    "All operators are within the measured range.".to_owned()
                } else {
                    format!("Outside the measured range: {}.", fallen.join(", "))
                } }
            </p>
            { every(step) }
        </>
    }
}

/// Exact 1F1B and the paper's timeline, and what both are made of.
fn timelines(step: &LearnedStep) -> Html {
    let line = |name: &str, time: Seconds, note: String| {
        ("", vec![name.to_owned(), number::time(time).to_string(), note])
    };
    let none = String::new;
    let mut rows = vec![
        ("total", vec!["Step, exact 1F1B".to_owned(), number::time(step.step).to_string(), none()]),
        (
            "total",
            vec![
                "Step, model of the paper".to_owned(),
                number::time(step.paper).to_string(),
                difference(step.step, step.paper),
            ],
        ),
        line("One layer, forward", step.layer[0], none()),
        line("One layer, backward", step.layer[1], none()),
        line("All-reduce of activations", step.tensor_reduce, none()),
        line("Pipeline send", step.hop, none()),
    ];
    rows.extend(step.stages.iter().enumerate().flat_map(|(index, stage)| {
        let name = |pass: &str| format!("Stage {index} ({} layers), {pass}", stage.layers);
        [line(&name("forward"), stage.forward, none()), line(&name("backward"), stage.backward, none())]
    }));
    rows.push(line("Gradient sync of the first stage", step.gradient_reduce, none()));
    rows.push(line("Slowest optimizer update", step.update, none()));
    Sheet {
        id: "timelines",
        caption: "Step time computed by two pipeline models from the same stage times. The paper's model uses the slowest forward and backward pass for all stages; exact 1F1B uses the times of each stage."
            .to_owned(),
        head: vec!["Timeline", "Time", "Relative to 1F1B"],
        words: &[0],
        rows,
    }
    .framed()
}

/// Every operator and what its time rests on.
fn every(step: &LearnedStep) -> Html {
    let rows = step.operators.iter().map(|row| {
        let cells = vec![
            row.operator.file().replace('_', " "),
            pass(row.direction).to_owned(),
            place(row.place).to_owned(),
            sizes(row.operator, &row.sizes),
            plain(row.times),
            number::time(row.time).to_string(),
            rests_on(row.provenance).to_owned(),
        ];
        ("", cells)
    });
    Sheet {
        id: "learned-every",
        caption: "All operators of the step, with the basis of each time.".to_owned(),
        head: vec!["Operator", "Pass", "Model part", "Sizes", "Times", "One call", "Basis"],
        words: &[0, 1, 2, 3, 6],
        rows: rows.collect(),
    }
    .framed()
}
