//! What `stepcast rank` tells beside the rows: which to take, how it compares with what people do, why, and what would
//! change it.

use crate::input::{self, Input};
use crate::layouts::{Entry, entry, link};
use crate::text::{self, Align, duration, percent, significant};
use crate::{Failure, sentences};
use clap::{Args, ValueEnum};
use serde::Serialize;
use std::borrow::Cow;
use stepcast::document::Document;
use stepcast::fields::Field;
use stepcast::forecast::{Predictor, untried};
use stepcast::page_state::summary;
use stepcast::scaling::{Mode, around};
use stepcast::scenario::Scenario;
use stepcast::scenario::plan::Plan;
use stepcast::tuner::{
    Candidate, Comparison, Free, Goal, Influence, MORE_MEMORY, MemoryWorth, Options, Ranking, Study, VARIED,
    compare, influences, rule_of_thumb, study as studied, worth_of_memory,
};
use stepcast::units::Seconds;

/// What is asked of a ranking.
#[derive(Debug, Args)]
pub(crate) struct Questions {
    /// List the layouts that no other beats in both time and memory.
    #[arg(long)]
    pub(crate) pareto: bool,
    /// Compare the recommended layout with another: rule (what the stack's guides lead to), own (the job's), or a link.
    #[arg(long, value_name = "rule|own|LINK")]
    against: Vec<String>,
    /// Compare two of the rows, part by part.
    #[arg(long, num_args = 2, value_names = ["A", "B"])]
    why: Vec<usize>,
    /// Say what a fifth less or more of everything the machine has does to the answer, and what more memory is worth.
    #[arg(long)]
    what_if: bool,
    /// Look for the best number of GPUs, too.
    #[arg(long, value_enum)]
    goal: Option<GoalName>,
    /// With --goal deadline: days that the whole run may take.
    #[arg(long, value_name = "DAYS", required_if_eq("goal", "deadline"))]
    days: Option<f64>,
    /// Numbers of GPUs that --goal looks at; without them an eighth of the job's to eight times as many.
    #[arg(long, value_delimiter = ',', value_name = "N,N,...", requires = "goal")]
    gpus: Vec<u32>,
}

/// What to look for over numbers of GPUs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum GoalName {
    Fastest,
    Cheapest,
    GpuHours,
    Energy,
    Carbon,
    Deadline,
}

/// Another layout of the job beside the recommended one.
#[derive(Debug, Serialize)]
struct Against {
    /// What it is.
    what: String,
    /// How many times as long it takes, and the ends of the 90 % interval of that.
    ratio: f64,
    low: f64,
    high: f64,
    #[serde(flatten)]
    comparison: Comparison,
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
    why: Option<Comparison>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    influences: Vec<Influence>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    memory: Vec<MemoryWorth>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    front: Vec<Entry>,
    #[serde(skip_serializing_if = "Option::is_none")]
    study: Option<Study>,
    #[serde(skip)]
    chosen: Option<Candidate>,
}

impl Answers {
    pub(crate) fn with_study(self, study: Option<Studied>) -> Self {
        Self { study: study.map(|found| found.0), ..self }
    }
}

/// Numbers of GPUs that were looked at, and the one that a goal asks for.
pub(crate) type Studied = (Study, u32);

/// The job on the number of GPUs that a goal asks for, and what was looked at for it.
pub(crate) fn study<'i>(
    input: &'i Input,
    choices: &Questions,
    free: Free,
    margin: f64,
) -> Result<(Cow<'i, Input>, Option<Studied>), Failure> {
    let Some(name) = choices.goal else { return Ok((Cow::Borrowed(input), None)) };
    let goal = match name {
        GoalName::Fastest => Goal::Fastest,
        GoalName::Cheapest => Goal::Cheapest,
        GoalName::GpuHours => Goal::FewestGpuHours,
        GoalName::Energy => Goal::LeastEnergy,
        GoalName::Carbon => Goal::LeastCarbon,
        GoalName::Deadline => Goal::Deadline(Seconds::from_days(choices.days.unwrap_or_default())),
    };
    let own = input.scenario.cluster.gpus;
    let gpus = if choices.gpus.is_empty() { around(own) } else { choices.gpus.clone() };
    let found = studied(&Predictor::SHIPPED, &input.scenario, free, margin, Mode::Strong, &gpus);
    let Some(best) = found.best(goal) else {
        return Err(vec!["None of these numbers of GPUs reaches that goal; --gpus names others.".to_owned()]);
    };
    let scenario = best.scenario;
    let mut document = input.document.clone();
    document.set("n", &scenario.cluster.gpus.to_string());
    document.load_plan(&scenario.plan);
    let chosen = Input { document, scenario };
    Ok((Cow::Owned(chosen), Some((found, scenario.cluster.gpus))))
}

/// The numbers of GPUs that were looked at.
pub(crate) fn study_text((study, chosen): &Studied) -> String {
    let head = ["GPUs", "step", "days", "GPU-hours", "USD", "MWh", "t CO2e", "efficiency", "gain"];
    let mut rows = vec![head.map(str::to_owned).to_vec()];
    rows.extend(study.points.iter().map(|point| {
        let mark = if point.gpus == *chosen { "*" } else { "" };
        vec![
            format!("{mark}{}", point.gpus),
            duration(point.layout.step),
            significant(point.cost.time.days()),
            significant(point.cost.gpu_hours),
            significant(point.cost.usd),
            significant(point.cost.kwh / 1e3),
            significant(point.cost.co2_kg / 1e3),
            percent(point.efficiency),
            percent(point.marginal),
        ]
    }));
    let mut out = text::table(&rows, &[Align::Right; 9]);
    if let Some(point) = study.turn.and_then(|turn| study.points.get(turn)) {
        out.push_str(&format!(
            "Beyond {} GPUs, added ones bring less than half of what they ideally do.\n",
            point.gpus
        ));
    }
    out.push('\n');
    out
}

/// Answers what was asked of a ranking.
pub(crate) fn answer(
    input: &Input,
    ranking: &Ranking,
    choices: &Questions,
    free: Free,
    options: &Options,
) -> Result<Answers, Failure> {
    let predictor = Predictor::SHIPPED;
    let job = &input.scenario;
    let Some(chosen) = predictor.recommended(job, &ranking.rows, options.margin).copied() else {
        return Ok(Answers::default());
    };
    let layout = |plan: &Plan| Scenario { plan: *plan, ..*job };
    let mut against = Vec::new();
    for what in &choices.against {
        against.push(beside(input, &layout(&chosen.plan), what)?);
    }
    let why = match choices.why.as_slice() {
        [one, other] => {
            let plan = |place: &usize| {
                let row = place.checked_sub(1).and_then(|place| ranking.rows.get(place));
                row.map(|row| layout(&row.plan)).ok_or_else(|| {
                    vec![format!("There is no row {place}; there are {}.", ranking.rows.len())]
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
        recommended_interval_s: Some(predictor.winner_interval(&layout(&chosen.plan), chosen.step)),
        untried: untried(&layout(&chosen.plan)).into_iter().map(|field| field.sentence).collect(),
        against,
        why,
        influences,
        memory,
        front: ranking.front.iter().map(|row| entry(input, row)).collect(),
        study: None,
        chosen: Some(chosen),
    })
}

/// The recommended layout beside another of the job.
fn beside(input: &Input, chosen: &Scenario, what: &str) -> Result<Against, Failure> {
    let job = &input.scenario;
    let other = match what {
        "rule" => {
            let plan = rule_of_thumb(job)
                .ok_or_else(|| vec!["The rule of thumb has no layout for this job that fits.".to_owned()])?;
            Scenario { plan, ..*job }
        }
        "own" => *job,
        link => Scenario { plan: input::scenario(link)?.plan, ..*job },
    };
    let comparison = compare(&Predictor::SHIPPED, chosen, &other).map_err(sentences)?;
    let ratio = comparison.ratio();
    let interval = Predictor::SHIPPED.lead_interval(chosen, &other.plan, ratio);
    let what = match what {
        "rule" => "the rule of thumb",
        "own" => "the job's own layout",
        _ => "the link's layout",
    };
    let link = Document::from_scenario(&other).to_link();
    Ok(Against { what: what.to_owned(), ratio, low: interval.low, high: interval.high, comparison, link })
}

/// The answers in words.
pub(crate) fn text(input: &Input, found: &Answers, options: &Options) -> String {
    let mut out = String::new();
    let Some(chosen) = &found.chosen else {
        return "\nNo layout fits; --unfit 10 lists those that lack least.\n".to_owned();
    };
    let (low, high) = found.recommended_interval_s.unwrap_or((chosen.step, chosen.step));
    let room = if chosen.is_comfortable(options.margin) { "with room to spare" } else { "tight" };
    out.push_str(&format!(
        "\nTake {}: {} (90 %: {} to {}), {} GiB ({room}); the simplest of those that are as good as the fastest.\n{}\n",
        summary::layout(&chosen.plan, chosen.data_parallel).replace('\u{a0}', " "),
        duration(chosen.step),
        duration(low),
        duration(high),
        significant(chosen.peak_memory.gib()),
        link(input, chosen),
    ));
    for sentence in &found.untried {
        out.push_str(&format!("{sentence}\n"));
    }
    for other in &found.against {
        out.push_str(&format!(
            "\nAgainst {}: {:.2} times as fast (90 %: {:.2} to {:.2})\n{}",
            other.what,
            other.ratio,
            other.low,
            other.high,
            terms(&other.comparison)
        ));
    }
    if let Some(why) = &found.why {
        out.push_str(&format!(
            "\nThe second takes {:.3} times as long as the first\n{}",
            why.ratio(),
            terms(why)
        ));
    }
    out.push_str(&what_if(found));
    if !found.front.is_empty() {
        out.push_str(&format!(
            "\n{} layouts that none beats in both time and memory: --json lists them.\n",
            found.front.len()
        ));
    }
    out
}

/// A comparison's parts and fields.
fn terms(comparison: &Comparison) -> String {
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
    text::table(&rows, &[Align::Left, Align::Right, Align::Right, Align::Right])
}

fn what_if(found: &Answers) -> String {
    let mut out = String::new();
    if !found.influences.is_empty() {
        let head =
            ["a fifth less or more of", "step, less", "step, more", "first then, less", "first then, more"];
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
            text::table(&rows, &[Align::Left, Align::Right, Align::Right, Align::Right, Align::Right])
        ));
    }
    for worth in &found.memory {
        out.push_str(&format!(
            "With {} GiB more on every GPU: {}\n",
            significant(worth.gib),
            duration(worth.step)
        ));
    }
    out
}
