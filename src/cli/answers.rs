//! What `stepcast rank` tells in addition to the rows: which to take, how it compares with what people do, why, and what would
//! change it.

use crate::input::{self, Input};
use crate::layouts::{Entry, entry, link};
use crate::report::ways_out;
use crate::spread::{self, FrontEntry, SampledSearchRow};
use crate::studies::{Studied, Wanted};
use crate::text::{self, CellAlign, duration, significant};
use crate::{Failure, sentences};
use clap::Args;
use serde::Serialize;
use stepcast::document::Document;
use stepcast::fields::Field;
use stepcast::forecast::untried;
use stepcast::page_state::summary;
use stepcast::scenario::Scenario;
use stepcast::scenario::plan::Plan;
use stepcast::tuner::{
    Amount, Candidate, FreeAxes, HistogramBin, Influence, LayoutComparison, MORE_MEMORY, Margin, MemoryWorth,
    Options, Ranking, Space, VARIED, compare, influences, rule_of_thumb, worth_of_memory,
};
use stepcast::units::Seconds;

/// What is asked of a ranking.
#[derive(Debug, Args)]
pub(crate) struct Questions {
    /// List layouts that are Pareto-optimal in two of: time, memory, cost, energy, carbon, gpus. The last four also
    /// vary the number of GPUs.
    #[arg(long, num_args = 0..=1, default_missing_value = "time,memory", value_name = "A,B", value_parser = amounts)]
    pareto: Option<[Amount; 2]>,
    /// Compare the recommended layout with the rule of thumb (rule), the layout of the job (own), or the layout of a
    /// link.
    #[arg(long, value_name = "rule|own|LINK")]
    against: Vec<String>,
    /// Compare two rows of the ranking, part by part.
    #[arg(long, num_args = 2, value_names = ["A", "B"])]
    why: Vec<usize>,
    /// Print the step time if each machine property changes by ±20 %, and with more memory per GPU.
    #[arg(long)]
    what_if: bool,
    /// Also search a coarse grid of N layouts, and compare the results.
    #[arg(long, value_name = "N")]
    pub(crate) sampled: Option<usize>,
    /// Print the distribution of step times over all layouts that fit.
    #[arg(long)]
    pub(crate) histogram: bool,
    #[command(flatten)]
    pub(crate) wanted: Wanted,
}

/// Two amounts, as `time,memory`.
fn amounts(text: &str) -> Result<[Amount; 2], String> {
    let known = || Amount::ALL.map(|entry| entry.1).join(", ");
    match text.split(',').map(Amount::find).collect::<Vec<_>>().as_slice() {
        [Some(one), Some(other)] if one != other => Ok([*one, *other]),
        _ => Err(format!("two of {}, separated by a comma", known())),
    }
}

/// Another layout of the job, compared with the recommended one.
#[derive(Debug, Serialize)]
struct Against {
    /// What it is.
    what: String,
    /// How many times as long it takes, and the ends of the 90 % interval of that.
    ratio: f64,
    low: f64,
    high: f64,
    #[serde(flatten)]
    comparison: LayoutComparison,
    link: String,
}

/// All of it, as JSON has it.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Answers {
    #[serde(skip_serializing_if = "Option::is_none")]
    recommended: Option<Entry>,
    /// Ends of the 90 % interval around its step, its being picked included.
    #[serde(skip_serializing_if = "Option::is_none")]
    recommended_interval_s: Option<(Seconds, Seconds)>,
    /// Sentences on what of the recommended layout no measured run has tried.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    untried: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    against: Vec<Against>,
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<LayoutComparison>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    influences: Vec<Influence>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    memory: Vec<MemoryWorth>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    front: Vec<FrontEntry>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sampled: Option<SampledSearchRow>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    histogram: Vec<HistogramBin>,
    #[serde(flatten)]
    studied: Studied,
    #[serde(skip)]
    chosen: Option<Candidate>,
}

/// Most bins of a histogram.
const BINS: usize = 32;

impl Answers {
    /// Adds what is asked about the whole space of a job, which `first` was before a goal changed it.
    pub(crate) fn beyond(
        self,
        (first, input): (&Input, &Input),
        (space, ranking): (&Space, &Ranking),
        choices: &Questions,
        margin: Margin,
    ) -> Result<Self, Failure> {
        let front = match choices.pareto {
            Some(amounts) => spread::front(first, &choices.wanted.places, space.free(), margin, amounts)?,
            None => Vec::new(),
        };
        let sampled = choices.sampled.map(|most| spread::sampled_row(input, space, ranking, most, margin));
        Ok(Self { front, sampled, ..self })
    }

    pub(crate) fn with_study(self, studied: Studied) -> Self {
        Self { studied, ..self }
    }
}

/// Answers what was asked of a ranking.
pub(crate) fn answer(
    input: &Input,
    ranking: &Ranking,
    choices: &Questions,
    free: FreeAxes,
    options: &Options,
) -> Result<Answers, Failure> {
    let predictor = input.predictor();
    let job = &input.scenario;
    let Some(chosen) = predictor.recommended(job, &ranking.rows, options.margin).copied() else {
        return Ok(Answers::default());
    };
    let layout = |plan: &Plan| Scenario { plan: *plan, ..*job };
    let mut against = Vec::new();
    for what in &choices.against {
        against.push(compared(input, &layout(&chosen.plan), what)?);
    }
    let why = match choices.why.as_slice() {
        [one, other] => {
            let plan = |place: &usize| {
                let row = place.checked_sub(1).and_then(|place| ranking.rows.get(place));
                row.map(|row| layout(&row.plan)).ok_or_else(|| {
                    vec![format!("Row {place} does not exist. The table has {} rows.", ranking.rows.len())]
                })
            };
            Some(compare(&predictor, &plan(one)?, &plan(other)?).map_err(sentences)?)
        }
        _ => None,
    };
    let (influences, memory) = if choices.what_if {
        (
            influences(&predictor, job, &ranking.rows, VARIED),
            worth_of_memory(&predictor, job, free, options.margin, &MORE_MEMORY),
        )
    } else {
        (Vec::new(), Vec::new())
    };
    Ok(Answers {
        recommended: Some(entry(input, &chosen)),
        recommended_interval_s: Some(predictor.interval_ends(&layout(&chosen.plan), chosen.step)),
        untried: untried(&layout(&chosen.plan)).into_iter().map(|field| field.sentence).collect(),
        against,
        why,
        influences,
        memory,
        front: Vec::new(),
        sampled: None,
        histogram: if choices.histogram { ranking.histogram.bins(BINS) } else { Vec::new() },
        studied: Studied::default(),
        chosen: Some(chosen),
    })
}

/// The recommended layout compared with another of the job.
fn compared(input: &Input, chosen: &Scenario, what: &str) -> Result<Against, Failure> {
    let job = &input.scenario;
    let other = match what {
        "rule" => {
            let plan = rule_of_thumb(job)
                .ok_or_else(|| vec!["The rule of thumb gives no layout that fits.".to_owned()])?;
            Scenario { plan, ..*job }
        }
        "own" => *job,
        link => Scenario { plan: input::scenario(link)?.plan, ..*job },
    };
    let comparison = compare(&input.predictor(), chosen, &other).map_err(sentences)?;
    let ratio = comparison.ratio();
    let interval = input.predictor().lead_interval(chosen, &other.plan, ratio);
    let what = match what {
        "rule" => "the rule of thumb",
        "own" => "the layout of the job",
        _ => "the layout in the given link",
    };
    let link = Document::from_scenario(&other).to_link();
    Ok(Against { what: what.to_owned(), ratio, low: interval.low, high: interval.high, comparison, link })
}

/// The answers in words.
pub(crate) fn text(input: &Input, found: &Answers, options: &Options) -> String {
    let mut out = String::new();
    let Some(chosen) = &found.chosen else {
        return no_fit(input);
    };
    let (low, high) = found.recommended_interval_s.unwrap_or((chosen.step, chosen.step));
    out.push_str(&format!(
        "\nRecommended: {}: {} (90 %: {} to {}), {} GiB. Simplest layout within model error of the fastest. {}\n{}\n",
        summary::layout(&chosen.plan, chosen.data_parallel).replace('\u{a0}', " "),
        duration(chosen.step),
        duration(low),
        duration(high),
        significant(chosen.peak_memory.gib()),
        options.margin.sentence(chosen).replace('\u{a0}', " "),
        link(input, chosen),
    ));
    for sentence in &found.untried {
        out.push_str(&format!("{sentence}\n"));
    }
    for other in &found.against {
        out.push_str(&format!(
            "\nCompared with {}: {:.2} times as fast (90 %: {:.2} to {:.2})\n{}",
            other.what,
            other.ratio,
            other.low,
            other.high,
            terms(&other.comparison)
        ));
    }
    if let Some(why) = &found.why {
        out.push_str(&format!("\nStep time ratio, second / first: {:.3}\n{}", why.ratio(), terms(why)));
    }
    out.push_str(&what_if(found));
    out.push_str(&spread::front_text(&found.front));
    out.push_str(&spread::sampled_text(found.sampled.as_ref()));
    out.push_str(&spread::histogram_text(&found.histogram));
    out
}

/// A comparison's parts and fields.
fn terms(comparison: &LayoutComparison) -> String {
    let mut rows = vec![["part", "one", "other", "difference"].map(str::to_owned).to_vec()];
    rows.extend(comparison.terms.iter().map(|term| {
        let sign = if term.difference() < 0.0 { "-" } else { "+" };
        let difference = format!("{sign}{}", duration(Seconds(term.difference().abs())));
        vec![term.label.to_owned(), duration(term.one), duration(term.other), difference]
    }));
    rows.extend(comparison.fields.iter().map(|(key, one, other)| {
        let label = Field::find(key).map_or(*key, |field| field.label);
        vec![label.to_owned(), one.clone(), other.clone(), String::new()]
    }));
    text::table(&rows, &[CellAlign::Left, CellAlign::Right, CellAlign::Right, CellAlign::Right])
}

fn what_if(found: &Answers) -> String {
    let mut out = String::new();
    if !found.influences.is_empty() {
        let head =
            ["sensitivity (-20 %, +20 %)", "step, -20 %", "step, +20 %", "fastest, -20 %", "fastest, +20 %"];
        let mut rows = vec![head.map(str::to_owned).to_vec()];
        rows.extend(found.influences.iter().map(|influence| {
            let [less, more] = influence.changed;
            let place = |winner: usize| format!("row {}", winner + 1);
            vec![
                influence.label.to_owned(),
                duration(less.step),
                duration(more.step),
                place(less.winner),
                place(more.winner),
            ]
        }));
        out.push_str(&format!(
            "\n{}",
            text::table(
                &rows,
                &[CellAlign::Left, CellAlign::Right, CellAlign::Right, CellAlign::Right, CellAlign::Right]
            )
        ));
    }
    for worth in &found.memory {
        out.push_str(&format!(
            "With {} GiB more memory per GPU: {}\n",
            significant(worth.gib),
            duration(worth.step)
        ));
    }
    out
}

/// What to do where no layout fits.
fn no_fit(input: &Input) -> String {
    format!("\nNo layout fits in memory.\n{}", ways_out(&input.scenario))
}
