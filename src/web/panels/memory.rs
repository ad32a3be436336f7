//! What the GPUs of each stage hold, against what they can hold.

use crate::root::PanelProps;
use stepcast::forecast::Prediction;
use stepcast::memory::{MemoryReport, StageMemory};
use stepcast::number;
use stepcast::page_state::page::PageForecast;
use stepcast::page_state::{scale, summary};
use stepcast::units::Bytes;
use stepcast_web_kit::{Align, Chart, LegendEntry, Painter, Plot, Plotted, RGBColor, Shared};
use yew::prelude::*;

/// The chart of the memory.
#[component]
pub(crate) fn MemoryPanel(props: &PanelProps) -> Html {
    let plot = use_memo(props.forecast.clone(), |forecast| Plotted::from(Memory(forecast.clone())));
    html! {
        <Chart id="memory-chart" title="Peak memory per GPU by stage" plot={(*plot).clone()} colours={props.colours} />
    }
}

struct Memory(Shared<PageForecast>);

impl Plot for Memory {
    fn summary(&self) -> String {
        summary::memory(&self.0.prediction)
    }

    fn height(&self, _: f64, font: f64) -> f64 {
        15.0 * font
    }

    fn draw(&self, painter: &Painter) {
        draw(painter, &self.0);
    }

    fn table(&self) -> Html {
        table(&self.0.prediction)
    }

    fn legend(&self) -> Vec<LegendEntry> {
        let report = &self.0.prediction.memory;
        let worst = report.stages.get(report.worst_stage as usize);
        owners(worst.map_or_else(StageMemory::default, |worst| *worst), |size| {
            number::memory(size).to_string()
        })
    }

    fn notes(&self) -> Vec<String> {
        let prediction = &self.0.prediction;
        let report = &prediction.memory;
        let peak = number::memory(Bytes::from_gib(report.peak_gib));
        let fit = summary::capitalised(&summary::fit(prediction));
        let mut notes = vec![format!("Stage {} has the highest peak: {peak}", report.worst_stage), fit];
        if report.fits {
            notes.push(summary::counters(report));
            notes.extend(summary::odds(report).map(str::to_owned));
        }
        notes
    }
}

/// Token of the style sheet that colours an owner.
pub(crate) fn token(key: &str) -> &'static str {
    match key {
        "weights" => "--c-weights",
        "gradients" => "--c-gradients",
        "optimizer" => "--c-states",
        "activations" => "--c-activations",
        "logits" => "--c-logits",
        _ => "--c-workspace",
    }
}

/// The owners that hold any of a stage's memory.
pub(crate) fn owners(stage: StageMemory, value: impl Fn(Bytes) -> String) -> Vec<LegendEntry> {
    let held = stage.parts().into_iter().filter(|part| part.2.0 > 0.0);
    held.map(|(key, label, size)| LegendEntry::new(token(key), label).with(value(size))).collect()
}

fn draw(painter: &Painter, forecast: &PageForecast) {
    let report = &forecast.prediction.memory;
    let (ink, faint, rule) = (painter.colour("--ink"), painter.colour("--ink-2"), painter.colour("--rule"));
    let font = painter.font;
    let highest = report.peak_gib.max(report.capacity_gib);
    if highest.is_nan() || highest <= 0.0 {
        return;
    }
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

    let count = report.stages.len().max(1) as f64;
    let pitch = (painter.width - left) / count;
    let width = (pitch * 0.72).min(56.0);
    // Every stage is labelled while the labels have room, otherwise every second, fourth, ...
    let room = painter.measure("000") + 4.0;
    let mut every = 1;
    while pitch * f64::from(every) < room {
        every *= 2;
    }
    painter.text("Stage", left - 8.0, bottom + font * 0.9, Align::End, faint);
    let colours = StageMemory::default().parts().map(|(key, _, _)| painter.colour(token(key)));
    for (index, stage) in (0u32..).zip(&report.stages) {
        let middle = left + pitch * (f64::from(index) + 0.5);
        let mut below = 0.0;
        for ((key, label, size), colour) in stage.parts().into_iter().zip(colours) {
            let above = below + size.gib();
            if size.0 > 0.0 {
                let place = [middle - width / 2.0, y(above), middle + width / 2.0, y(below)];
                painter.bar(place[0], place[1], place[2], place[3], colour);
                let share = number::percent(size / stage.total());
                let label = format!("Stage {index}, {label}: {} ({share} of the peak)", number::memory(size));
                // The fullest stage is the one that explanations are of.
                painter.spot(place, label, (index == report.worst_stage).then(|| format!("memory.{key}")));
            }
            below = above;
        }
        if index % every == 0 {
            painter.text(&index.to_string(), middle, bottom + font * 0.9, Align::Middle, faint);
        }
    }
    draw_limit(painter, report, left, y, ink);
}

/// Usable memory as a dashed line. Its label is above the bars, also if they cross the line.
pub(crate) fn draw_limit(
    painter: &Painter,
    report: &MemoryReport,
    left: f64,
    y: impl Fn(f64) -> f64,
    ink: RGBColor,
) {
    let colour = if report.fits { ink } else { painter.colour("--bad") };
    let height = y(report.usable_gib);
    painter.dashes(left, painter.width, height, colour);
    let under = if report.fits { height } else { y(report.peak_gib) };
    painter.bold(&summary::usable(report), painter.width, under - painter.font * 0.8, Align::End, colour);
}

fn table(prediction: &Prediction) -> Html {
    let stages = prediction.memory.stages.iter().enumerate();
    by_owner(
        "Memory per GPU by stage and category",
        "Stage",
        stages.map(|(index, stage)| (index.to_string(), *stage)),
    )
}

/// A table of memory by owner, a row for each stage or moment; `first` is the heading of their names.
pub(crate) fn by_owner(
    caption: &'static str,
    first: &'static str,
    rows: impl Iterator<Item = (String, StageMemory)>,
) -> Html {
    html! {
        <table class="data">
            <caption class="visually-hidden">{ caption }</caption>
            <thead>
                <tr>
                    <th scope="col">{ first }</th>
                    for (key, label, _) in StageMemory::default().parts() {
                        <th {key} scope="col">{ label }</th>
                    }
                    <th scope="col">{ "Total" }</th>
                </tr>
            </thead>
            <tbody>
                for (name, memory) in rows {
                    <tr key={name.clone()}>
                        <th scope="row">{ name }</th>
                        for (key, label, size) in memory.parts() {
                            <td {key} data-label={label}>{ number::memory(size).to_string() }</td>
                        }
                        <td data-label="Total">{ number::memory(memory.total()).to_string() }</td>
                    </tr>
                }
            </tbody>
        </table>
    }
}
