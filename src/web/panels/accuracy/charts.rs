//! The charts of the measured runs that are shown.

use super::load::AccuracyData;
use crate::widgets::lines::{ChartAxis, LineChart, LineShape, Series};
use stepcast::number;
use stepcast::page_state::accuracy::{END, RunsQuery, error, histogram, signed};
use stepcast::units::Seconds;
use stepcast::validate::{MeasuredRun, RunResult};
use stepcast_web_kit::Plotted;
use stepcast_web_kit::sheet::Sheet;

/// The two charts of the panel.
pub(super) struct AccuracyCharts {
    pub(super) parity: Plotted,
    pub(super) errors: Plotted,
}

/// The charts of what a query keeps, runs that are not counted left out.
pub(super) fn drawn(measured: &AccuracyData, query: &RunsQuery) -> AccuracyCharts {
    let all = measured.runs.iter().zip(&measured.report.rows);
    let kept: Vec<(&MeasuredRun, &RunResult)> =
        all.filter(|(run, row)| !row.dropped && query.keeps(run)).collect();
    AccuracyCharts { parity: Plotted::from(parity(&kept, query)), errors: Plotted::from(errors(&kept)) }
}

fn parity(kept: &[(&MeasuredRun, &RunResult)], query: &RunsQuery) -> LineChart {
    let mut groups: Vec<Series> = Vec::new();
    let (mut low, mut high) = (f64::INFINITY, 0.0_f64);
    for (run, row) in kept {
        let Some(predicted) = row.predicted_s else { continue };
        let point = (row.measured_s, predicted);
        (low, high) = (low.min(point.0).min(point.1), high.max(point.0).max(point.1));
        let name = query.key.of(run);
        match groups.iter_mut().find(|group| group.label == name) {
            Some(group) => group.points.push(point),
            None => groups.push(series(name, vec![point], LineShape::Apart)),
        }
    }
    let range = if high > 0.0 {
        (10_f64.powf(low.log10().floor()), 10_f64.powf(high.log10().ceil()))
    } else {
        (1.0, 10.0)
    };
    groups.push(series(
        "Measured = forecast",
        vec![(range.0, range.0), (range.1, range.1)],
        LineShape::Straight,
    ));
    let rows = groups.iter().filter(|group| group.shape == LineShape::Apart).map(|group| {
        let extent = |of: fn(&(f64, f64)) -> f64| {
            let values = || group.points.iter().map(of);
            let (low, high) = (values().fold(f64::INFINITY, f64::min), values().fold(0.0, f64::max));
            format!("{} to {}", number::time(Seconds(low)), number::time(Seconds(high)))
        };
        let cells = vec![
            group.label.clone(),
            number::integer(group.points.len() as u64),
            extent(|point| point.0),
            extent(|point| point.1),
        ];
        ("", cells)
    });
    let rows = rows.collect();
    LineChart {
        summary: format!(
            "Forecast and measured step time of {} runs in {} groups.",
            number::integer(kept.len() as u64),
            groups.len() - 1
        ),
        x: ChartAxis::powers("Measured", range, 10.0, tick),
        y: ChartAxis::powers("Forecast", range, 10.0, tick),
        turn: None,
        table: Sheet {
            id: "",
            caption: "Runs per group; the table below lists every run".to_owned(),
            head: vec!["Group", "Runs", "Measured", "Forecast"],
            words: &[0],
            rows,
        },
        series: groups,
    }
}

/// A power of ten seconds: whole seconds, or milliseconds.
fn tick(seconds: f64) -> String {
    if seconds < 0.999 {
        number::short(&number::time(Seconds(seconds)))
    } else {
        format!("{}\u{a0}s", number::fixed(seconds, 0))
    }
}

fn errors(kept: &[(&MeasuredRun, &RunResult)]) -> LineChart {
    let bars = histogram(kept.iter().filter_map(|(_, row)| error(row)));
    let greatest = bars.iter().map(|bar| bar.1).max().unwrap_or(0).max(1);
    let points = bars.iter().map(|(edge, count)| (*edge, f64::from(*count))).chain([(END, 0.0)]);
    let ticks = [-0.3, -0.2, -0.1, 0.0, 0.1, 0.2, 0.3];
    let near = kept.iter().filter(|(_, row)| error(row).is_some_and(|error| error.abs() <= 0.1)).count();
    let edges = bars.iter().zip(bars.iter().skip(1).map(|bar| bar.0).chain([END]));
    let rows = edges.map(|((low, count), high)| {
        ("", vec![format!("{} to {}", signed(*low), signed(high)), number::integer((*count).into())])
    });
    LineChart {
        summary: format!(
            "{} of {} forecasts are within 10\u{a0}% of the measured step time. Bars right of the line are forecasts that are too slow. The outermost bars include all larger errors.",
            number::integer(near as u64),
            number::integer(kept.len() as u64)
        ),
        x: ChartAxis {
            label: "Forecast error".to_owned(),
            ticks: ticks.map(|tick| (tick, format!("{}\u{a0}%", number::fixed(tick * 100.0, 0)))).into(),
            range: (-END, END),
            logarithmic: false,
        },
        y: ChartAxis::from_zero("", f64::from(greatest), number::fixed),
        turn: Some((0.0, String::new())),
        table: Sheet {
            id: "",
            caption: "Number of runs by error".to_owned(),
            head: vec!["Error", "Runs"],
            words: &[0],
            rows: rows.collect(),
        },
        series: vec![series("Runs", points.collect(), LineShape::Bars)],
    }
}

fn series(label: &str, points: Vec<(f64, f64)>, shape: LineShape) -> Series {
    Series { label: label.to_owned(), points, spread: Vec::new(), shape }
}
