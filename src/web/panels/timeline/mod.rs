//! The pipeline's timeline: its controls, the stages' totals as a table, and downloads.

mod lanes;

use crate::root::{PanelProps, problems};
use lanes::{Lanes, TOKENS, drawing};
use std::rc::Rc;
use stepcast::error::FieldError;
use stepcast::number;
use stepcast::page_state::timeline::trace::trace;
use stepcast::page_state::timeline::{MOST_PASSES, PASSES, Replayed, SPAN, Span};
use stepcast::schedule::ScheduledPass;
use stepcast_web_kit::clipboard::download;
use stepcast_web_kit::hooks::use_flag;
use stepcast_web_kit::sheet::Sheet;
use stepcast_web_kit::{ChartTools, LegendEntry, Shared, legend};
use yew::prelude::*;

/// Factor of one press on a button that zooms.
const ZOOM: f64 = 0.5;
/// Widths of one press on a button that moves.
const STEP: f64 = 0.5;

/// The panel.
#[component]
pub(crate) fn TimelinePanel(props: &PanelProps) -> Html {
    let as_table = use_flag(false);
    let canvas = use_node_ref();
    let replayed = use_memo(props.forecast.clone(), |forecast| {
        let (predictor, step) = (forecast.predictor(), forecast.prediction.step);
        let replayed = Replayed::new(&predictor, &forecast.scenario, step, MOST_PASSES)?;
        Ok::<_, Vec<FieldError>>(Shared(Rc::new(replayed)))
    });
    let replayed = match &*replayed {
        Ok(replayed) => replayed.clone(),
        Err(errors) => return problems(errors),
    };
    let span = Span::parse(props.state(SPAN)).unwrap_or_else(|| replayed.opening());
    let look = props.show.reform(|span: Span| (SPAN, span.text()));
    let save = {
        let replayed = replayed.clone();
        Callback::from(move |_: MouseEvent| {
            // A trace is numbers and texts: there is nothing in it that JSON has no form for.
            let text = serde_json::to_string(&trace(&replayed)).unwrap_or_default();
            download("timeline.trace.json", "application/json", &text);
        })
    };
    let go = |label: &'static str, sign: &'static str, next: Span| {
        let look = look.clone();
        html! {
            <button type="button" class="quiet" aria-label={label} title={label} disabled={next == span}
                onclick={move |_: MouseEvent| look.emit(next)}>{ sign }</button>
        }
    };
    let zoom = html! {
        <>
            { go("Zoom in", "+", span.scaled(ZOOM, 0.5)) }
            { go("Zoom out", "\u{2212}", span.scaled(1.0 / ZOOM, 0.5)) }
            { go("Earlier", "\u{2190}", span.moved(-STEP)) }
            { go("Later", "\u{2192}", span.moved(STEP)) }
            { go("The whole step", "Whole step", Span::WHOLE) }
        </>
    };
    let entries = entries(&replayed);
    html! {
        <>
            <div class="tools">
                <ChartTools name="timeline" title="Timeline of the pipeline" canvas={canvas.clone()}
                    drawing={drawing(&replayed, span)} legend={entries.clone()} as_table={as_table.clone()} {zoom}>
                    <button type="button" class="quiet" onclick={save} title="Opens in Perfetto and chrome://tracing">
                        { "Download trace" }
                    </button>
                </ChartTools>
            </div>
            <p id="timeline-summary">{ replayed.summary() }</p>
            if *as_table {
                { table(&replayed) }
            } else {
                { legend(&[], &entries) }
                <Lanes {canvas} {replayed} {span} colours={props.colours} {look} />
            }
        </>
    }
}

/// The kinds of passes that run, with their colours.
fn entries(replayed: &Replayed) -> Vec<LegendEntry> {
    // What one stage runs, all run.
    let runs = |pass: ScheduledPass| replayed.lane(0).iter().any(|event| event.pass == pass);
    let entries = PASSES.iter().zip(TOKENS).filter(|entry| runs(entry.0.0));
    entries.map(|((_, label), token)| LegendEntry::new(token, *label)).collect()
}

fn table(replayed: &Replayed) -> Html {
    let rows = replayed.sums().into_iter().map(|lane| {
        let cells = vec![
            lane.stage.to_string(),
            number::integer(lane.passes as u64),
            number::time(lane.busy).to_string(),
            number::time(lane.waits).to_string(),
            number::time(lane.start).to_string(),
            number::time(lane.end).to_string(),
            number::integer(lane.in_flight.into()),
        ];
        ("", cells)
    });
    Sheet {
        id: "timeline-table",
        caption: "Pipeline stages in one step".to_owned(),
        head: vec![
            "Stage",
            "Passes",
            "Compute",
            "Idle",
            "Start of first pass",
            "End of last pass",
            "Maximum in flight",
        ],
        words: &[],
        rows: rows.collect(),
    }
    .framed()
}
