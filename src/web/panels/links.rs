//! The on-off shape: what the links of one stage's ranks do through a step.

use crate::root::{PanelProps, problems};
use crate::widgets::controls::{Pick, entries};
use stepcast::error::FieldError;
use stepcast::number;
use stepcast::page_state::links::{ActivityTotal, activities, columns};
use stepcast::page_state::page::PageForecast;
use stepcast::page_state::scale;
use stepcast::step::Parallelism;
use stepcast::traffic::{Activity, LinkActivity, Segment};
use stepcast::units::{Bytes, Seconds};
use stepcast_web_kit::sheet::Sheet;
use stepcast_web_kit::{Align, Chart, LegendEntry, Painter, Plot, Plotted};
use yew::prelude::*;

/// Key of the view state: stage whose links are drawn.
const STAGE: &str = "stage";
/// Key of the view state: steps that are drawn on end.
const STEPS: &str = "steps";

/// What can be drawn: value of the view state, its name, and how many steps it is.
const SPANS: [(&str, &str, f64); 5] = [
    ("", "One step", 1.0),
    ("2", "Two steps", 2.0),
    ("3", "Three steps", 3.0),
    ("tenth", "First 10 % of a step", 0.1),
    ("hundredth", "First 1 % of a step", 0.01),
];

/// A shape, repeated.
struct Drawn {
    shape: LinkActivity,
    segments: Vec<Segment>,
    concurrent: Vec<Segment>,
    /// Steps that are drawn; less than one is a part of one.
    span: f64,
    sums: Vec<ActivityTotal>,
}

/// The panel.
#[component]
pub(crate) fn LinksPanel(props: &PanelProps) -> Html {
    let (stage, steps) = (props.state(STAGE).to_owned(), props.state(STEPS).to_owned());
    let deps = (props.forecast.clone(), stage.clone(), steps.clone());
    let plot = use_memo(deps, |(forecast, stage, steps)| drawn(forecast, stage, steps));
    let stages = props.forecast.prediction.stages.iter().map(|row| {
        let value = if row.stage == 0 { String::new() } else { row.stage.to_string() };
        (AttrValue::from(value), AttrValue::from(row.stage.to_string()))
    });
    let spans = SPANS.map(|(value, label, _)| (value, label));
    let show = &props.show;
    html! {
        <>
            <div class="tools">
                <Pick panel="links" name={STAGE} label="Stage" value={stage} entries={stages.collect::<Vec<_>>()} {show} />
                <Pick panel="links" name={STEPS} label="Show" value={steps} entries={entries(&spans)} {show} />
            </div>
            { match &*plot {
                Ok(plot) => html! {
                    <>
                        <p>{ plot.summary() }</p>
                        <Chart id="links-chart" level="h4" title="Compute and link activity of one rank" {plot} colours={props.colours} />
                    </>
                },
                Err(errors) => problems(errors),
            } }
        </>
    }
}

fn drawn(forecast: &PageForecast, stage: &str, steps: &str) -> Result<Plotted, Vec<FieldError>> {
    let shape = forecast.predictor().link_activity(&forecast.scenario, stage.parse().unwrap_or(0))?;
    let span = SPANS.iter().find(|span| span.0 == steps).map_or(1.0, |span| span.2);
    let (segments, concurrent) = shape.repeated(span.ceil() as u32);
    let sums = activities(&shape);
    Ok(Plotted::from(Drawn { shape, segments, concurrent, span, sums }))
}

fn token(activity: Activity) -> &'static str {
    match activity {
        Activity::Forward => "--c-forward",
        Activity::Backward => "--c-backward",
        Activity::Optimizer => "--c-optimizer",
        Activity::Idle => "--paper-3",
        Activity::Collective(Parallelism::TensorParallel) => "--c-tensor",
        Activity::Collective(Parallelism::ContextParallel) => "--c-context",
        Activity::Collective(Parallelism::ExpertParallel) => "--c-expert",
        Activity::Collective(Parallelism::PipelineParallel) | Activity::Send | Activity::Receive => {
            "--c-pipeline"
        }
        Activity::Collective(Parallelism::DataParallel) => "--c-data",
        Activity::Collective(Parallelism::EmbeddingSync) => "--c-recompute",
    }
}

impl Plot for Drawn {
    fn summary(&self) -> String {
        format!(
            "A rank of stage {} communicates during {} of the {} step{}.",
            self.shape.stage,
            number::percent(self.shape.on_share),
            number::time(self.shape.step),
            if self.shape.summed { "; the chart sums the messages of each pass by type" } else { "" },
        )
    }

    fn height(&self, _: f64, font: f64) -> f64 {
        19.0 * font
    }

    fn draw(&self, painter: &Painter) {
        let font = painter.font;
        let (ink, faint, rule) =
            (painter.colour("--ink"), painter.colour("--ink-2"), painter.colour("--rule"));
        let end = self.shape.step.0 * self.span;
        let x = |time: Seconds| if end > 0.0 { painter.width * (time.0 / end).clamp(0.0, 1.0) } else { 0.0 };
        let lane = 4.0 * font;
        let bottom = painter.height - 1.7 * font;
        let ticks = scale::ticks(end, if painter.width < 460.0 { 3 } else { 6 });
        let decimals = scale::decimals(&ticks);
        for tick in &ticks {
            let at = x(Seconds(*tick));
            painter.line(at, 0.0, at, bottom, rule);
            let align = if *tick == 0.0 { Align::Start } else { Align::Middle };
            painter.text(
                &format!("{} s", number::fixed(*tick, decimals)),
                at.min(painter.width - 20.0),
                bottom + font,
                align,
                faint,
            );
        }
        let communicates = |segment: &&Segment| segment.rate.0 > 0.0;
        let (on, off): (Vec<&Segment>, Vec<&Segment>) = self.segments.iter().partition(communicates);
        let concurrent: Vec<&Segment> = self.concurrent.iter().collect();
        let lanes = [("Compute", off), ("Collectives, by rate", on), ("Overlapped, by rate", concurrent)];
        for (index, (title, segments)) in lanes.iter().enumerate() {
            let top = index as f64 * (lane + 1.6 * font);
            let base = top + 1.4 * font + lane;
            painter.text(title, 0.0, top + 0.7 * font, Align::Start, ink);
            let fastest = segments.iter().map(|segment| segment.rate.0).fold(0.0, f64::max);
            let columns = columns(segments, end, painter.width as usize, fastest);
            // A rank may send and receive at once.
            let sum = |stack: &Vec<(Activity, f64)>| stack.iter().map(|entry| entry.1).sum::<f64>();
            let tallest = columns.iter().map(sum).fold(1.0, f64::max);
            if fastest > 0.0 {
                let rate = format!("up to {}/s", number::traffic(Bytes(fastest * tallest)));
                painter.text(&rate, painter.width, top + 0.7 * font, Align::End, faint);
            }
            for (column, stack) in columns.iter().enumerate() {
                let mut below = base;
                for (activity, share) in stack {
                    let above = below - lane * share / tallest;
                    let (left, colour) = (column as f64, painter.colour(token(*activity)));
                    painter.bar(left, above, left + 1.0, below, colour);
                    below = above;
                }
            }
            painter.line(0.0, base, painter.width, base, faint);
        }
        for step in 1..self.span.ceil() as u32 {
            let at = x(self.shape.step * f64::from(step));
            painter.bar(at - 0.75, 0.0, at + 0.75, bottom, ink);
        }
    }

    fn table(&self) -> Html {
        let rows = self.sums.iter().map(|done| {
            let cells = vec![
                done.label.to_owned(),
                number::time(done.time).to_string(),
                number::percent(done.share).to_string(),
                number::traffic(done.bytes).to_string(),
            ];
            ("", cells)
        });
        Sheet {
            id: "links-table",
            caption: self.summary(),
            head: vec!["Part", "Time", "Share of the step", "Bytes"],
            words: &[0],
            rows: rows.collect(),
        }
        .table()
    }

    fn legend(&self) -> Vec<LegendEntry> {
        let seen = |activity: Activity| {
            self.segments
                .iter()
                .chain(&self.concurrent)
                .any(|segment| token(segment.activity) == token(activity))
        };
        let entries = LEGEND.into_iter().filter(|entry| seen(entry.0));
        entries.map(|(activity, label)| LegendEntry::new(token(activity), label)).collect()
    }
}

/// What has a colour of its own.
const LEGEND: [(Activity, &str); 9] = [
    (Activity::Forward, "Forward"),
    (Activity::Backward, "Backward"),
    (Activity::Optimizer, "Optimizer"),
    (Activity::Collective(Parallelism::TensorParallel), "Tensor parallel"),
    (Activity::Collective(Parallelism::ContextParallel), "Context parallel"),
    (Activity::Collective(Parallelism::ExpertParallel), "Expert parallel"),
    (Activity::Collective(Parallelism::PipelineParallel), "Pipeline parallel"),
    (Activity::Collective(Parallelism::DataParallel), "Data parallel"),
    (Activity::Collective(Parallelism::EmbeddingSync), "Embedding synchronisation"),
];
