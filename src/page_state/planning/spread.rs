//! Summary of all layouts: distribution of step times, and Pareto-optimal layouts.

use super::{
    PlanningAnswer, PlanningQuestion, ToldAxis, ToldChart, ToldRow, ToldSeries, ToldTable, link_to, named,
};
use crate::number;
use crate::scaling::{Mode, around};
use crate::tuner::{Amount, FrontPoint, HistogramBin, Options, pareto, resized};
use crate::units::Seconds;

/// Keys of the view state: names of the two amounts of a front.
pub const AMOUNTS: [&str; 2] = ["plan-x", "plan-y"];

/// Most bins of a histogram.
const BINS: usize = 32;
/// Layouts of which every one that fits is timed.
const ALL_TIMED: usize = 200_000;

/// How long the steps of all layouts take; nothing where none fits.
pub(super) fn histogram(asked: &PlanningQuestion) -> Option<PlanningAnswer> {
    let bounded = asked.searched.space(&asked.job).len() > ALL_TIMED;
    let ranking = asked.ranking(Options { bounded, ..asked.options(1) });
    let fastest = ranking.rows.first()?;
    let bins = ranking.histogram.bins(BINS);
    let count = |count: usize| number::integer(count as u64);
    let held = |bin: &HistogramBin| bin.timed + bin.left_out;
    let mut before = 0;
    let median = bins.iter().find(|bin| {
        before += held(bin);
        2 * before >= ranking.counts.fitting
    });
    let mut sentences = vec![format!(
        "Layouts: {}, of which {} fit. Fastest step: {}. Median step: {}.",
        count(ranking.counts.layouts),
        count(ranking.counts.fitting),
        number::time(fastest.step),
        number::time(median?.from),
    )];
    if bounded {
        sentences.push(
            "Layouts that the search ruled out without a simulation are counted at the lower bound of their step time."
                .to_owned(),
        );
    }
    let rows = bins.iter().map(|bin| {
        ToldRow::of([
            format!("{} to {}", number::time(bin.from), number::time(bin.to)),
            count(held(bin)),
            count(bin.timed),
        ])
    });
    let head = ["Step", "Layouts", "Simulated"].map(str::to_owned).to_vec();
    let caption = "Layouts that fit, by step time".to_owned();
    Some(PlanningAnswer {
        sentences,
        link: String::new(),
        tables: vec![ToldTable { caption, head, rows: rows.collect() }],
        charts: vec![bars(asked, &bins, bounded)],
    })
}

/// The chart of a histogram, with the step of the layout on the form.
fn bars(asked: &PlanningQuestion, bins: &[HistogramBin], bounded: bool) -> ToldChart {
    let series = |label: &str, count: fn(&HistogramBin) -> usize| {
        let mut points: Vec<(f64, f64)> = bins.iter().map(|bin| (bin.from.0, count(bin) as f64)).collect();
        points.extend(bins.last().map(|bin| (bin.to.0, 0.0)));
        ToldSeries { label: label.to_owned(), points, spread: Vec::new() }
    };
    let mut all = vec![series("All that fit", |bin| bin.timed + bin.left_out)];
    if bounded {
        all.push(series("Simulated", |bin| bin.timed));
    }
    let own = asked.predictor().estimate(&asked.job);
    ToldChart {
        title: "Distribution of step times".to_owned(),
        x: "Step".to_owned(),
        axis: ToldAxis::Bars,
        y: "Layouts".to_owned(),
        series: all,
        mark: own.fits.then(|| (own.step.0, "yours".to_owned())),
    }
}

/// The selected amounts: time and memory by default.
fn amounts(asked: &PlanningQuestion) -> Result<[Amount; 2], String> {
    let chosen = |key, usual| asked.document.extra(key).and_then(Amount::find).unwrap_or(usual);
    let [x, y] = AMOUNTS;
    let both = [chosen(x, Amount::Memory), chosen(y, Amount::Time)];
    if both[0] == both[1] { Err("Select two different axes.".to_owned()) } else { Ok(both) }
}

/// The layouts that none beats in both of two amounts.
pub(super) fn front(asked: &PlanningQuestion) -> Result<PlanningAnswer, String> {
    let amounts = amounts(asked)?;
    let own = asked.job.cluster.gpus;
    let varied = amounts.iter().any(|amount| amount.hangs_on_gpus());
    let gpus = if varied { around(own) } else { vec![own] };
    let resized = gpus.iter().filter_map(|gpus| resized(&asked.job, Mode::Strong, *gpus));
    let jobs: Vec<_> = resized.map(|job| (asked.predictor(), job)).collect();
    let found = pareto(&jobs, asked.searched.free, asked.searched.margin, amounts);
    if found.is_empty() {
        return Err("No layout of this job fits in memory.".to_owned());
    }
    let [x, y] = amounts.map(Amount::label);
    let rows = found.iter().map(|point| {
        let [one, other] = amounts.map(|amount| shown(amount, point));
        ToldRow {
            link: link_to(&asked.document, &asked.job, &point.scenario),
            strong: point.scenario == asked.job,
            ..ToldRow::of([
                named(&point.layout),
                one,
                other,
                number::integer(point.scenario.cluster.gpus.into()),
                number::percent(point.layout.room).to_string(),
            ])
        }
    });
    let name = |label: &str| label.split(',').next().unwrap_or_default().to_owned();
    let several = if varied { " at these GPU counts" } else { "" };
    let points = found.iter().map(|point| (amounts[0].of(point), amounts[1].of(point)));
    Ok(PlanningAnswer {
        sentences: vec![format!(
            "{} layouts{several} are Pareto-optimal.",
            number::integer(found.len() as u64)
        )],
        link: String::new(),
        tables: vec![ToldTable {
            caption: format!("Pareto-optimal layouts by {}", name(x).to_lowercase()),
            head: vec!["Layout".to_owned(), name(x), name(y), "GPUs".to_owned(), "Headroom".to_owned()],
            rows: rows.collect(),
        }],
        charts: vec![ToldChart {
            title: format!("{} and {}", name(y), name(x).to_lowercase()),
            x: x.to_owned(),
            axis: ToldAxis::Fitted,
            y: y.to_owned(),
            series: vec![ToldSeries { label: name(y), points: points.collect(), spread: Vec::new() }],
            mark: None,
        }],
    })
}

/// An amount of a point with its unit.
fn shown(amount: Amount, point: &FrontPoint) -> String {
    let value = amount.of(point);
    match amount {
        Amount::Time => number::time(Seconds(value)).to_string(),
        Amount::Memory => number::memory(point.layout.peak_memory).to_string(),
        Amount::Cost => format!("${}", number::count(value)),
        Amount::Energy => format!("{}\u{a0}MWh", number::significant(value, 3)),
        Amount::Carbon => format!("{}\u{a0}t", number::significant(value, 3)),
        Amount::Gpus => number::integer(value as u64),
    }
}
