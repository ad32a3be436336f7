//! Where the step's time goes: one bar per part, each starting where the one before ended.

use crate::root::PanelProps;
use crate::widgets::layers::layer_strip;
use stepcast::forecast::Prediction;
use stepcast::number;
use stepcast::page_state::page::PageForecast;
use stepcast::page_state::{scale, summary};
use stepcast::units::Seconds;
use stepcast_web_kit::{Align, Chart, Painter, Plot, Plotted, Shared};
use yew::prelude::*;

/// Below this width, labels are above their bars.
const NARROW: f64 = 460.0;

/// The chart of the breakdown.
#[component]
pub(crate) fn WaterfallPanel(props: &PanelProps) -> Html {
    let plot = use_memo(props.forecast.clone(), |forecast| Plotted::from(WaterfallState(forecast.clone())));
    html! {
        <>
        <Chart id="waterfall-chart" title="Step time by part" plot={(*plot).clone()} colours={props.colours}>
        </Chart>
        <h4>{ "Layers of the model" }</h4>
        { layer_strip(&props.forecast.scenario.model) }
        </>
    }
}

struct WaterfallState(Shared<PageForecast>);

impl Plot for WaterfallState {
    fn summary(&self) -> String {
        summary::breakdown(&self.0.prediction)
    }

    fn height(&self, width: f64, font: f64) -> f64 {
        // The rows, and the axis below them.
        parts(&self.0.prediction).len() as f64 * row_height(font, width) + 2.0 * font
    }

    fn draw(&self, painter: &Painter) {
        draw(painter, &self.0);
    }

    fn table(&self) -> Html {
        table(&self.0.prediction)
    }
}

/// The parts that take any time.
fn parts(prediction: &Prediction) -> Vec<(&'static str, &'static str, Seconds)> {
    prediction.breakdown.parts().into_iter().filter(|part| part.2.0 > 0.0).collect()
}

/// Token of the style sheet that colours a part.
fn token(key: &str) -> &'static str {
    match key {
        "forward" => "--c-forward",
        "backward" => "--c-backward",
        "recompute" => "--c-recompute",
        "tensor_communication" => "--c-tensor",
        "context_communication" => "--c-context",
        "expert_communication" => "--c-expert",
        "pipeline_communication" => "--c-pipeline",
        "data_communication" => "--c-data",
        "bubble" => "--c-bubble",
        "optimizer" => "--c-optimizer",
        _ => "--c-host",
    }
}

fn row_height(font: f64, width: f64) -> f64 {
    if width < NARROW { 2.9 * font } else { 1.9 * font }
}

fn draw(painter: &Painter, forecast: &PageForecast) {
    let prediction = &forecast.prediction;
    let step = prediction.step.0;
    let (ink, faint, rule) = (painter.colour("--ink"), painter.colour("--ink-2"), painter.colour("--rule"));
    let font = painter.font;
    let narrow = painter.width < NARROW;
    let parts = parts(prediction);
    let widest =
        parts.iter().map(|part| painter.measure(part.1)).fold(0.0, f64::max).min(painter.width * 0.42);
    let figures = painter.measure("000 ms") + painter.measure("00.0 %") + 22.0;
    let left = if narrow { 0.0 } else { widest + 12.0 };
    let right = if narrow { painter.width - 8.0 } else { painter.width - figures };
    let row = row_height(font, painter.width);
    let bottom = painter.height - 1.7 * font;
    let x = |seconds: f64| left + (right - left) * (seconds / step).clamp(0.0, 1.0);

    let ticks = scale::ticks(step, if narrow { 3 } else { 5 });
    let decimals = scale::decimals(&ticks);
    for tick in &ticks {
        painter.line(x(*tick), 0.0, x(*tick), bottom, rule);
        let label = format!("{} s", number::fixed(*tick, decimals));
        let align = if narrow && *tick == 0.0 { Align::Start } else { Align::Middle };
        painter.text(&label, x(*tick), bottom + font, align, faint);
    }
    let mut start = 0.0;
    for (index, (key, label, time)) in parts.iter().enumerate() {
        let top = index as f64 * row;
        let share = number::percent(*time / prediction.step).to_string();
        let seconds = number::time(*time).to_string();
        let (label_y, bar_y, bar_height) = if narrow {
            (top + font * 0.8, top + font * 2.0, font * 0.75)
        } else {
            (top + row / 2.0, top + row / 2.0, row * 0.62)
        };
        painter.text(label, 0.0, label_y, Align::Start, ink);
        painter.text(&share, painter.width, label_y, Align::End, faint);
        painter.text(&seconds, painter.width - painter.measure("00.0 %") - 12.0, label_y, Align::End, ink);
        let bar = (x(start), x(start + time.0));
        painter.bar(
            bar.0,
            bar_y - bar_height / 2.0,
            bar.1,
            bar_y + bar_height / 2.0,
            painter.colour(token(key)),
        );
        let height = row_height(font, painter.width);
        let label = format!("{label}: {seconds}, {share} of the step");
        painter.spot([0.0, top, painter.width, top + height], label, Some((*key).to_owned()));
        start += time.0;
        if index + 1 < parts.len() && !narrow {
            // The thread that leads to where the next part starts.
            painter.line(bar.1, bar_y + bar_height / 2.0, bar.1, bar_y + row - bar_height / 2.0, faint);
        }
    }
}

fn table(prediction: &Prediction) -> Html {
    html! {
        <table class="data">
            <caption class="visually-hidden">{ "Step time breakdown" }</caption>
            <thead><tr><th scope="col">{ "Part" }</th><th scope="col">{ "Time" }</th><th scope="col">{ "Share" }</th></tr></thead>
            <tbody>
                for (key, label, time) in prediction.breakdown.parts() {
                    <tr {key}>
                        <th scope="row">{ label }</th>
                        <td>{ number::time(time).to_string() }</td>
                        <td>{ number::percent(time / prediction.step).to_string() }</td>
                    </tr>
                }
                <tr class="total">
                    <th scope="row">{ "One step" }</th>
                    <td>{ number::time(prediction.step).to_string() }</td>
                    <td>{ number::percent(1.0).to_string() }</td>
                </tr>
            </tbody>
        </table>
    }
}
