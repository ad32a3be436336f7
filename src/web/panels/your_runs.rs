//! One's own measured steps, and what they say about one's own machines.

use crate::learned::comparison::compared;
use crate::root::{PanelProps, problems};
use stepcast::calibrate::user_runs::{Explained, explain};
use stepcast::constants::Constants;
use stepcast::forecast::{Predictor, UserRun};
use stepcast_web_kit::sheet::Sheet;

use stepcast::number;
use stepcast::page_state::learning::complaint;
use stepcast::page_state::your_runs::{Pasted, RUNS, moved, part, read};
use web_sys::HtmlTextAreaElement;
use yew::prelude::*;

/// The panel.
#[component]
pub(crate) fn YourRunsPanel(props: &PanelProps) -> Html {
    let text = props.state(RUNS).to_owned();
    let outcome = use_memo((props.forecast.clone(), text.clone()), |(forecast, text)| {
        let pasted = read(text, &forecast.scenario);
        if pasted.runs.is_empty() {
            return (pasted, Html::default());
        }
        let runs: Vec<UserRun> = pasted.runs.iter().map(|run| run.1).collect();
        let explained = explain(&runs, &Constants::SHIPPED);
        let after =
            Predictor::new(&explained.factors.applied(&Constants::SHIPPED)).predict(&forecast.scenario);
        let step = match after {
            Ok(after) => compared(
                "calibrated-step",
                "Default forecast of this job, and forecast calibrated with your runs.",
                ["Default", "Calibrated"],
                &forecast.prediction,
                &after,
            ),
            Err(errors) => problems(&errors),
        };
        let tables = html! { <>{ factors(&explained) }{ ratios(&pasted, &explained) }{ step }</> };
        (pasted, tables)
    });
    let input = {
        let show = props.show.clone();
        Callback::from(move |event: InputEvent| {
            show.emit((RUNS, event.target_unchecked_into::<HtmlTextAreaElement>().value()));
        })
    };
    let (pasted, tables) = &*outcome;
    let wrong = !pasted.problems.is_empty();
    html! {
        <>
            <p>
                { "Enter measured seconds per step, one run per line. For a run of another job, add the link of that job. Your runs adjust the speed of compute, network and host, in proportion to the evidence. The text stays in your browser and is included in the link." }
            </p>
            <div>
                <label for="own-runs-text">{ "Measured steps" }</label>
                <textarea class="text" id="own-runs-text" rows="4" spellcheck="false" value={text}
                    placeholder={"9.36\n5.02 #1;m=llama3-8b;g=dgx-h100;n=64"} oninput={input}
                    aria-invalid={wrong.then_some("true")} aria-describedby={wrong.then_some("own-runs-wrong")} />
            </div>
            <div id="own-runs-wrong">
                for problem in pasted.problems.iter() {
                    <p class="error">{ complaint("Measured steps", problem) }</p>
                }
            </div>
            { tables.clone() }
        </>
    }
}

/// How far each part moved, and which stay.
fn factors(explained: &Explained) -> Html {
    let rows = explained.parts.iter().map(|row| {
        let cells = vec![
            part(row.part).to_owned(),
            moved(row),
            number::percent(row.sensitivity).to_string(),
            number::percent(row.evidence).to_string(),
        ];
        ("", cells)
    });
    Sheet {
        id: "factors-table",
        caption: "Calibration from your runs. Evidence: share of a part's uncertainty that your runs remove. Parts with too little evidence are unchanged."
            .to_owned(),
        head: vec!["Part", "Change", "Share of the step", "Evidence"],
        words: &[0, 1],
        rows: rows.collect(),
    }
    .framed()
}

/// Every run before and after.
fn ratios(pasted: &Pasted, explained: &Explained) -> Html {
    let off = |ratio: f64| {
        let sign = if ratio < 1.0 { "\u{2212}" } else { "+" };
        format!("{sign}{}", number::percent((ratio - 1.0).abs()))
    };
    let rows = pasted.runs.iter().zip(&explained.ratios).map(|((line, run), [before, after])| {
        let measured = number::significant(run.measured_s, 4);
        ("", vec![format!("Line {line}"), format!("{measured} s"), off(*before), off(*after)])
    });
    Sheet {
        id: "ratios-table",
        caption: "Error of the forecast for each run.".to_owned(),
        head: vec!["Run", "Measured", "Error before", "Error after"],
        words: &[0],
        rows: rows.collect(),
    }
    .framed()
}
