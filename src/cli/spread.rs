//! What else there is to say of all the layouts of a search: what none beats, how long they take, and what a coarser search
//! finds.

use crate::Failure;
use crate::input::Input;
use crate::layouts::{Entry, entry};
use crate::sizes::Places;
use crate::studies::taken_over;
use crate::text::{self, CellAlign, duration, percent, significant};
use serde::Serialize;
use std::time::Instant;
use stepcast::page_state::summary;
use stepcast::run_cost::RunCost;
use stepcast::scaling::Mode;
use stepcast::tuner::{Amount, FreeAxes, HistogramBin, Margin, Ranking, Space, pareto, resized, sampled};
use stepcast::units::Seconds;

/// Longest bar of a histogram, in characters.
const BAR: usize = 50;

/// A layout that none beats.
#[derive(Debug, Serialize)]
pub(crate) struct FrontEntry {
    machine: String,
    gpus: u32,
    cost: RunCost,
    #[serde(flatten)]
    entry: Entry,
    /// What it is called, and the two amounts.
    #[serde(skip)]
    name: String,
    #[serde(skip)]
    values: [(Amount, f64); 2],
}

/// The layouts that none beats in both of two amounts, on the numbers of GPUs and machines that are named.
pub(crate) fn front(
    input: &Input,
    places: &Places,
    free: FreeAxes,
    margin: Margin,
    amounts: [Amount; 2],
) -> Result<Vec<FrontEntry>, Failure> {
    let varied = amounts.iter().any(|amount| amount.hangs_on_gpus()) || !places.named_gpus().is_empty();
    let gpus = if varied { places.gpus(input) } else { vec![input.scenario.cluster.gpus] };
    let machines = places.machines(input)?;
    let on = |(name, input): &(String, Input)| {
        let resized = gpus.iter().filter_map(|gpus| resized(&input.scenario, Mode::Strong, *gpus));
        resized.map(|job| (name.clone(), taken_over(input, &job))).collect::<Vec<_>>()
    };
    let inputs: Vec<(String, Input)> = machines.iter().flat_map(on).collect();
    let jobs: Vec<_> = inputs.iter().map(|(_, input)| (input.predictor(), input.scenario)).collect();
    let points = pareto(&jobs, free, margin, amounts);
    let entry = |point: &stepcast::tuner::FrontPoint| {
        let (machine, input) = inputs.get(point.job)?;
        Some(FrontEntry {
            machine: machine.clone(),
            gpus: point.scenario.cluster.gpus,
            cost: point.cost,
            entry: entry(input, &point.layout),
            name: summary::layout(&point.layout.plan, point.layout.data_parallel).replace('\u{a0}', " "),
            values: amounts.map(|amount| (amount, amount.of(point))),
        })
    };
    Ok(points.iter().filter_map(entry).collect())
}

/// A front as a table.
pub(crate) fn front_text(front: &[FrontEntry]) -> String {
    let Some(first) = front.first() else { return String::new() };
    let [one, other] = first.values.map(|(amount, _)| amount.label());
    let mut rows = vec![[one, other, "machine", "GPUs", "layout"].map(str::to_owned).to_vec()];
    rows.extend(front.iter().map(|entry| {
        let [one, other] = entry.values.map(|(_, value)| significant(value));
        vec![one, other, entry.machine.clone(), entry.gpus.to_string(), entry.name.clone()]
    }));
    let aligned = [CellAlign::Right, CellAlign::Right, CellAlign::Left, CellAlign::Right, CellAlign::Left];
    format!("\n{} Pareto-optimal layouts:\n{}", front.len(), text::table(&rows, &aligned))
}

/// What a coarser search finds, compared with the whole one.
#[derive(Debug, Serialize)]
pub(crate) struct SampledSearchRow {
    /// Layouts that it forecast.
    forecast: usize,
    /// How long it took.
    seconds: f64,
    /// What it found, unless nothing of it fits.
    #[serde(skip_serializing_if = "Option::is_none")]
    best: Option<Entry>,
    /// How much longer that takes than the best of all, as a share of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    regret: Option<f64>,
    /// What is called what it found.
    #[serde(skip)]
    name: String,
}

/// Searches a coarse grid of a space, to compare with its ranking.
pub(crate) fn sampled_row(
    input: &Input,
    space: &Space,
    ranking: &Ranking,
    most: usize,
    margin: Margin,
) -> SampledSearchRow {
    let begun = Instant::now();
    let found = sampled(&input.predictor(), space, most, margin);
    let seconds = begun.elapsed().as_secs_f64();
    let best = found.best;
    let regret = best.zip(ranking.first(margin)).map(|(best, first)| best.step / first.step - 1.0);
    let name = best.map_or(String::new(), |best| {
        format!(
            "{}, {}",
            summary::layout(&best.plan, best.data_parallel).replace('\u{a0}', " "),
            duration(best.step)
        )
    });
    let best = best.map(|best| entry(input, &best));
    SampledSearchRow { forecast: found.forecast, seconds, best, regret, name }
}

/// A coarser search in words.
pub(crate) fn sampled_text(found: Option<&SampledSearchRow>) -> String {
    let Some(SampledSearchRow { forecast, seconds, regret, name, .. }) = found else { return String::new() };
    let found = match regret {
        Some(regret) => format!("{name}, {} slower than the best layout", percent(*regret)),
        None => "no layout that fits".to_owned(),
    };
    format!(
        "\nCoarse search over {forecast} layouts (powers of two, sharding of the job): {found} ({}).\n",
        duration(Seconds(*seconds))
    )
}

/// A histogram as bars.
pub(crate) fn histogram_text(bins: &[HistogramBin]) -> String {
    let most = bins.iter().map(|bin| bin.timed + bin.left_out).max().unwrap_or(0);
    if most == 0 {
        return String::new();
    }
    let mut rows =
        vec![["step from", "layouts", "simulated #, ruled out by bounds -"].map(str::to_owned).to_vec()];
    rows.extend(bins.iter().map(|bin| {
        let long = |count: usize| (count * BAR).div_ceil(most);
        let whole = long(bin.timed + bin.left_out);
        let timed = long(bin.timed).min(whole);
        let bar = "#".repeat(timed) + &"-".repeat(whole - timed);
        vec![duration(bin.from), (bin.timed + bin.left_out).to_string(), bar]
    }));
    format!("\n{}", text::table(&rows, &[CellAlign::Right, CellAlign::Right, CellAlign::Left]))
}
