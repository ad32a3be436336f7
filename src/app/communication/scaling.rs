//! Why more data parallelism stops paying, and the networks that know no other kind.

use super::controls::{Pick, entries};
use super::sheet::Sheet;
use super::{PartProps, problems};
use crate::charts::{Align, Chart, Painter, Plot, Plotted};
use crate::store::Dispatch;
use std::rc::Rc;
use stepcast::data_parallel::{self, Job, PRESETS};
use stepcast::scaling::{Mode, ScalingCurve, ScalingPoint, doublings, scaling};
use stepcast::units::Bytes;
use stepcast::view::communication::MODE;
use stepcast::view::number;
use yew::prelude::*;

/// Numbers of GPUs of the paper's scaling factors.
const PAPER_GPUS: [u32; 4] = [4, 8, 16, 32];

/// The part.
pub(super) fn by_gpus(props: &PartProps, _: &Dispatch) -> Html {
    let mode = props.state(MODE).to_owned();
    let scenario = &props.forecast.scenario;
    let kept = if mode == "strong" { Mode::Strong } else { Mode::Weak };
    let curve = scaling(scenario, kept, &doublings(scenario)).map(Curve);
    let state = mode.clone();
    let modes = [("", "Weak: the batch grows with the GPUs"), ("strong", "Strong: the batch stays")];
    html! {
        <>
            <div class="tools">
                <Pick part="scaling" name={MODE} label="Scaling" value={mode}
                    entries={entries(&modes)} />
            </div>
            { match curve {
                Ok(curve) => html! {
                    <>
                        <p>{ curve.summary() }</p>
                        <Chart id="scaling-chart" level="h4" title="Efficiency by number of GPUs" plot={Plotted(Rc::new(curve))} forecast={props.forecast.clone()} {state} colours={props.colours} />
                    </>
                },
                Err(errors) => problems(&errors),
            } }
        </>
    }
}

/// A line of the chart: its label, the token of its colour, its value at a point.
type Series = (&'static str, &'static str, fn(&ScalingPoint) -> f64);

struct Curve(ScalingCurve);

impl Plot for Curve {
    fn summary(&self) -> String {
        let turn = self.0.turn.and_then(|index| self.0.points.get(index));
        match turn {
            Some(point) => format!(
                "Beyond {} GPUs, twice as many bring less than half of what they ideally would.",
                number::integer(point.gpus.into())
            ),
            None => "Over this range, added GPUs bring at least half of what they ideally would.".to_owned(),
        }
    }

    fn height(&self, _: f64, font: f64) -> f64 {
        17.0 * font
    }

    fn draw(&self, painter: &Painter) {
        let font = painter.font;
        let (ink, faint, rule) =
            (painter.colour("--ink"), painter.colour("--ink-2"), painter.colour("--rule"));
        let (left, top, bottom) = (painter.measure("100 %") + 8.0, 2.2 * font, painter.height - 1.7 * font);
        let pitch = (painter.width - left - 12.0) / (self.0.points.len().max(2) - 1) as f64;
        let x = |index: usize| left + 6.0 + pitch * index as f64;
        let y = |share: f64| bottom - (bottom - top) * share.clamp(0.0, 1.0);
        for share in [0.0, 0.25, 0.5, 0.75, 1.0] {
            painter.line(left, y(share), painter.width, y(share), rule);
            painter.text(
                &format!("{} %", number::fixed(share * 100.0, 0)),
                left - 8.0,
                y(share),
                Align::End,
                faint,
            );
        }
        let every = (painter.measure("00,000 ") / pitch.max(1.0)).ceil().max(1.0) as usize;
        for (index, point) in self.0.points.iter().enumerate().step_by(every) {
            painter.text(&number::integer(point.gpus.into()), x(index), bottom + font, Align::Middle, faint);
        }
        if let Some(turn) = self.0.turn {
            painter.bar(x(turn) - 0.75, top, x(turn) + 0.75, bottom, ink);
            painter.text("turn", x(turn) + 6.0, bottom - font, Align::Start, ink);
        }
        let series: [Series; 3] = [
            ("Efficiency", "--c-forward", |point| point.efficiency),
            ("Communication share", "--c-tensor", |point| point.communication_share),
            ("Bubble share", "--c-bubble", |point| point.bubble_share),
        ];
        let mut start = 0.0;
        for (number, (label, token, value)) in series.into_iter().enumerate() {
            let colour = painter.colour(token);
            let mark = 2.5 + number as f64;
            for (index, pair) in self.0.points.windows(2).enumerate() {
                if let [one, other] = pair {
                    painter.line(x(index), y(value(one)), x(index + 1), y(value(other)), colour);
                }
            }
            for (index, point) in self.0.points.iter().enumerate() {
                let (at, level) = (x(index), y(value(point)));
                painter.bar(at - mark, level - mark, at + mark, level + mark, colour);
            }
            painter.bar(start, 0.7 * font - mark, start + 2.0 * mark, 0.7 * font + mark, colour);
            painter.text(label, start + 2.0 * mark + 5.0, 0.7 * font, Align::Start, ink);
            start += 2.0 * mark + painter.measure(label) + 22.0;
        }
    }

    fn table(&self) -> Html {
        let rows = self.0.points.iter().enumerate().map(|(index, point)| {
            let cells = vec![
                number::integer(point.gpus.into()),
                number::integer(point.global_batch.into()),
                number::time(point.step).to_string(),
                number::count(point.tokens_per_s).to_string(),
                number::percent(point.efficiency).to_string(),
                number::percent(point.communication_share).to_string(),
                number::percent(point.data_share).to_string(),
                number::percent(point.bubble_share).to_string(),
            ];
            (if self.0.turn == Some(index) { "total" } else { "" }, cells)
        });
        Sheet {
            id: "scaling-table",
            caption: self.summary(),
            head: vec![
                "GPUs",
                "Global batch",
                "Step",
                "Tokens per second",
                "Efficiency",
                "Communication",
                "Data parallel",
                "Bubble",
            ],
            words: &[],
            rows: rows.collect(),
        }
        .table()
    }
}

/// The networks of APNet'24 that are trained with data parallelism alone, on this job's machines.
pub(super) fn data_parallel_only(props: &PartProps, _: &Dispatch) -> Html {
    let cluster = &props.forecast.scenario.cluster;
    let mut counts = PAPER_GPUS.to_vec();
    counts.push(cluster.gpus);
    let gpus = number::integer(props.forecast.scenario.cluster.gpus.into());
    let rows = PRESETS.iter().map(|preset| {
        let network = (preset.build)();
        let job = Job { network: &network, cluster, batch: preset.batch };
        let result = data_parallel::scaling(&job, &counts);
        let mut cells = vec![preset.label.to_owned(), preset.batch.to_string()];
        let forecasts = result.as_deref().unwrap_or_default();
        if let Some(last) = forecasts.last() {
            cells.push(last.buckets.len().to_string());
            cells.push(number::memory(Bytes(last.distribution().largest() as f64)).to_string());
            cells.extend(
                [last.step, last.communication, last.exposed].map(|time| number::time(time).to_string()),
            );
            cells.push(number::percent(last.communication_ratio).to_string());
        }
        cells.extend(forecasts.iter().map(|forecast| number::percent(forecast.scaling_factor).to_string()));
        ("", cells)
    });
    Sheet {
        id: "pure-table",
        caption: format!(
            "The paper's networks on {gpus} of this job's GPUs, with PyTorch's buckets behind the backward pass; then the scaling factor by number of GPUs"
        ),
        head: vec![
            "Network", "Batch per GPU", "Messages", "Largest", "Step", "Communication", "Exposed",
            "Communication over step", "At 4", "At 8", "At 16", "At 32", "At all",
        ],
        words: &[0],
        rows: rows.collect(),
    }
    .framed()
}
