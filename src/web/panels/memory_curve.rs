//! What a GPU of the fullest stage holds over a step.

use crate::memory::{by_owner, draw_limit, owners, token};
use crate::root::{PanelProps, problems};
use stepcast::error::FieldError;
use stepcast::memory::{MemoryReport, StageMemory};
use stepcast::number;
use stepcast::page_state::memory_curve::MemoryCurve;
use stepcast::page_state::{scale, summary};
use stepcast::units::{Bytes, Seconds};
use stepcast_web_kit::{Align, Chart, LegendEntry, Painter, Plot, Plotted};
use yew::prelude::*;

/// Width of a column, pixels.
const COLUMN: f64 = 3.0;

/// Rows of the table.
const ROWS: usize = 24;

/// The panel.
#[component]
pub(crate) fn MemoryCurvePanel(props: &PanelProps) -> Html {
    let plot = use_memo(props.forecast.clone(), |forecast| {
        let report = &forecast.prediction.memory;
        let curve = MemoryCurve::new(&forecast.predictor(), &forecast.scenario, report.worst_stage)?;
        Ok::<_, Vec<FieldError>>(Plotted::from(Drawn { curve, report: report.clone() }))
    });
    match &*plot {
        Ok(plot) => html! {
            <Chart id="memory-curve-chart" level="h4" title="Memory over a step on the stage with the highest peak" plot={plot.clone()} colours={props.colours} />
        },
        Err(errors) => problems(errors),
    }
}

struct Drawn {
    curve: MemoryCurve,
    report: MemoryReport,
}

impl Plot for Drawn {
    fn summary(&self) -> String {
        format!(
            "Memory of one GPU on stage {} over a step. Peak: {} of {}.",
            self.curve.stage,
            number::memory(Bytes::from_gib(self.report.peak_gib)),
            summary::usable(&self.report)
        )
    }

    fn height(&self, _: f64, font: f64) -> f64 {
        15.0 * font
    }

    fn draw(&self, painter: &Painter) {
        draw(painter, self);
    }

    fn table(&self) -> Html {
        table(&self.curve)
    }

    fn legend(&self) -> Vec<LegendEntry> {
        let worst = self.report.stages.get(self.report.worst_stage as usize);
        owners(worst.map_or_else(StageMemory::default, |worst| *worst), |_| String::new())
    }

    fn notes(&self) -> Vec<String> {
        summary::host(&self.report.host).into_iter().collect()
    }
}

/// The time of a column's end.
fn end_of(curve: &MemoryCurve, column: usize, count: usize) -> Seconds {
    curve.end * ((column + 1) as f64 / count as f64)
}

fn draw(painter: &Painter, Drawn { curve, report }: &Drawn) {
    let (ink, faint, rule) = (painter.colour("--ink"), painter.colour("--ink-2"), painter.colour("--rule"));
    let font = painter.font;
    let highest = report.peak_gib.max(report.usable_gib).max(f64::MIN_POSITIVE);
    let (top, bottom) = (font * 1.6, painter.height - font * 1.7);
    let y = |gib: f64| bottom - (bottom - top) * (gib / highest).clamp(0.0, 1.0);
    let ticks = scale::ticks(highest, 4);
    let decimals = scale::decimals(&ticks);
    let labels: Vec<String> =
        ticks.iter().map(|tick| format!("{}\u{a0}GiB", number::fixed(*tick, decimals))).collect();
    let left = labels.iter().map(|label| painter.measure(label)).fold(0.0, f64::max) + 8.0;
    for (tick, label) in ticks.iter().zip(&labels) {
        painter.line(left, y(*tick), painter.width, y(*tick), rule);
        painter.text(label, left - 8.0, y(*tick), Align::End, faint);
    }
    let count = ((painter.width - left) / COLUMN).max(1.0) as usize;
    let pitch = (painter.width - left) / count as f64;
    let colours = StageMemory::default().parts().map(|(key, _, _)| painter.colour(token(key)));
    for (place, memory) in curve.columns(count).iter().enumerate() {
        let from = left + place as f64 * pitch;
        let mut below = 0.0;
        for ((_, _, size), colour) in memory.parts().into_iter().zip(colours) {
            let above = below + size.gib();
            if size.0 > 0.0 {
                painter.bar(from, y(above), from + pitch, y(below), colour);
            }
            below = above;
        }
        painter.spot([from, top, from + pitch, bottom], told(memory, end_of(curve, place, count)), None);
    }
    draw_limit(painter, report, left, y, ink);
    let times = scale::ticks(curve.end.0, 5);
    let decimals = scale::decimals(&times);
    for time in &times {
        let x = left + (painter.width - left) * (time / curve.end.0.max(f64::MIN_POSITIVE)).clamp(0.0, 1.0);
        let label = format!("{} s", number::fixed(*time, decimals));
        let align = if x + painter.measure(&label) > painter.width { Align::End } else { Align::Middle };
        painter.text(&label, x, bottom + font * 0.9, align, faint);
    }
}

/// A moment in words.
fn told(memory: &StageMemory, time: Seconds) -> String {
    let parts = memory.parts().into_iter().filter(|part| part.2.0 > 0.0);
    let parts: Vec<String> =
        parts.map(|(_, label, size)| format!("{label} {}", number::memory(size))).collect();
    format!("At {}: {}; {}", number::time(time), number::memory(memory.total()), parts.join(", "))
}

fn table(curve: &MemoryCurve) -> Html {
    let columns = curve.columns(ROWS);
    let rows = columns
        .iter()
        .enumerate()
        .map(|(place, memory)| (number::time(end_of(curve, place, ROWS)).to_string(), *memory));
    by_owner("Memory by category: peak in each interval of the step", "Until", rows)
}
