//! `stepcast rank`: every layout that the job's software can run, fastest first.

use crate::answers::{self, Answers};
use crate::columns::PrintedColumns;
use crate::input::Input;
use crate::precisions;
use crate::report::heading;
use crate::search::search;
use crate::studies::{study, study_text};
use crate::text::{self, CellAlign, duration, percent, significant};
use crate::{Failure, complain, json};
use clap::Args;
use serde::Serialize;
use std::time::Instant;
use stepcast::page_state::search::kept_sentence;
use stepcast::scripting::{Layouts, NEAREST, listed, searched};
use stepcast::tuner::{Candidate, Counts, LayoutFamily, Margin, Options, Ranking, families};
use stepcast::units::Seconds;

/// What is searched, and what is told of it.
#[derive(Debug, Args)]
pub(crate) struct SearchOptions {
    /// Number of layouts to print, fastest first.
    #[arg(long, default_value_t = 20)]
    top: usize,
    /// Number of layouts to print that do not fit in memory, closest to fitting first.
    #[arg(long, default_value_t = 0)]
    unfit: usize,
    /// Layout fields to keep at the value of the job, such as tp,pp.
    #[arg(long, value_delimiter = ',', value_name = "KEY,KEY,...")]
    fix: Vec<String>,
    /// Additional fields to search, such as map,tpo. prec searches every precision that GPU and software support.
    #[arg(long, value_delimiter = ',', value_name = "KEY,KEY,...")]
    free: Vec<String>,
    /// Print similar layouts as separate rows. Similar layouts differ by at most 2 %, and only in virtual stages,
    /// layers per stage or sharding.
    #[arg(long)]
    variants: bool,
    /// Include layouts that the software of the job does not support.
    #[arg(long)]
    any_software: bool,
    /// Minimum memory headroom of the recommended layout, in percent of the usable memory. Default: enough for a fit
    /// probability of at least 50 %.
    #[arg(long, value_parser = percent_of_memory, value_name = "PERCENT")]
    margin: Option<f64>,
    /// Simulate every layout that fits (same result, slower).
    #[arg(long)]
    exhaustive: bool,
    /// Columns to print.
    #[arg(long, value_enum, default_value_t = PrintedColumns::Fit)]
    columns: PrintedColumns,
    #[command(flatten)]
    answers: answers::Questions,
}

fn percent_of_memory(text: &str) -> Result<f64, String> {
    let percent: f64 = text.parse().map_err(|_| format!("{text} is not a number"))?;
    if (0.0..100.0).contains(&percent) {
        Ok(percent)
    } else {
        Err("must be at least 0 and less than 100".to_owned())
    }
}

/// One layout of the JSON form.
pub(crate) use stepcast::scripting::Layout as Entry;

/// The JSON form.
#[derive(Debug, Serialize)]
struct Output {
    #[serde(flatten)]
    layouts: Layouts,
    /// How long the search took.
    seconds: f64,
    /// The best layout in each number format, where that was asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    precisions: Vec<precisions::Format>,
    #[serde(flatten)]
    answers: Answers,
}

/// Ranks the layouts of a job.
pub(crate) fn rank(input: &Input, choices: &SearchOptions, as_json: bool) -> Result<String, Failure> {
    let (asked, freed): (Vec<_>, Vec<_>) =
        choices.free.iter().cloned().partition(|key| key == precisions::KEY);
    let margin = Margin::of_percent(choices.margin);
    let searched = searched(&input.document, &choices.fix, &freed, choices.any_software, margin)
        .map_err(|unknown| vec![unknown.to_string()])?;
    let free = searched.free;
    let first = input;
    let (input, studied) = study(first, &choices.answers.wanted, free, margin)?;
    let formats = if asked.is_empty() { Vec::new() } else { precisions::formats(&input, free, margin) };
    let input = precisions::fastest(input, &formats);
    let options = Options {
        // Whoever asks for few rows asks for answers about more.
        top: choices.top.max(Options::default().top),
        unfit: choices.unfit.max(NEAREST),
        margin,
        bounded: !choices.exhaustive,
        pareto: false,
    };
    let begun = Instant::now();
    let space = searched.space(&input.scenario);
    complain(
        &kept_sentence(space.kept()).map(|sentence| format!("{sentence}.")).into_iter().collect::<Vec<_>>(),
    );
    let ranking = listed(search(input.own(), &space, options), choices.unfit);
    let seconds = begun.elapsed().as_secs_f64();
    let found = answers::answer(&input, &ranking, &choices.answers, free, &options)?;
    let found = found.beyond((first, &input), (&space, &ranking), &choices.answers, options.margin)?;
    let Counts { layouts, fitting, comfortable, timed } = ranking.counts;
    if as_json {
        let layouts =
            Layouts::of(&input.document, &input.scenario, &ranking, None, choices.top, options.margin);
        let answers = found.with_study(studied);
        let precisions = precisions::entries(&input, &formats);
        return json(&Output { layouts, seconds, precisions, answers });
    }
    let mut out = study_text(&studied);
    out.push_str(&precisions::text(&formats));
    out.push_str(&heading(&input));
    out.push_str(&format!(
        "\n{} layouts ranked in {}: {} fit, {} with {}; {} simulated, the rest ruled out by bounds\n",
        stepcast::number::integer(layouts as u64),
        duration(Seconds(seconds)),
        stepcast::number::integer(fitting as u64),
        stepcast::number::integer(comfortable as u64),
        margin.words(),
        stepcast::number::integer(timed as u64),
    ));
    if choices.top == 0 {
        out.push_str("No layouts printed, because --top is 0.\n");
        return Ok(out);
    }
    out.push_str(&listing(&input, &ranking, choices));
    out.push_str(&answers::text(&input, &found, &options));
    Ok(out)
}

fn listing(input: &Input, ranking: &Ranking, choices: &SearchOptions) -> String {
    let mut rows = vec![HEAD.map(|(name, _)| name.to_owned()).to_vec()];
    let margin = Margin::of_percent(choices.margin);
    let families = if choices.variants {
        (0..ranking.rows.len()).map(|first| LayoutFamily { first, others: Vec::new() }).collect()
    } else {
        families(&ranking.rows, margin)
    };
    rows.extend(families.iter().take(choices.top).filter_map(|family| {
        let (first, candidate) = (ranking.rows.first()?, ranking.rows.get(family.first)?);
        let tied = family.first > 0 && input.predictor().are_tied(&input.scenario, first, candidate);
        let mark = if tied { "~" } else { "" };
        Some(row(format!("{mark}{}", family.first + 1), candidate, margin, family.others.len()))
    }));
    rows.extend(ranking.unfit.iter().map(|unfit| row("-".to_owned(), unfit, margin, 0)));
    let mut out = choices.columns.table(&rows, &HEAD.map(|(_, align)| align), &LEAST_FIRST);
    if ranking.rows.len() > 1 {
        out.push_str("~ within model error of the first\n");
    }
    out
}

const HEAD: [(&str, CellAlign); 21] = [
    ("#", CellAlign::Right),
    ("similar", CellAlign::Right),
    ("step", CellAlign::Right),
    ("MFU", CellAlign::Right),
    ("tok/s/GPU", CellAlign::Right),
    ("GiB", CellAlign::Right),
    ("memory", CellAlign::Left),
    ("tp", CellAlign::Right),
    ("sp", CellAlign::Right),
    ("cp", CellAlign::Right),
    ("ep", CellAlign::Right),
    ("pp", CellAlign::Right),
    ("vpp", CellAlign::Right),
    ("schedule", CellAlign::Left),
    ("split", CellAlign::Left),
    ("dp", CellAlign::Right),
    ("mb", CellAlign::Right),
    ("zero", CellAlign::Left),
    ("recompute", CellAlign::Left),
    ("comm", CellAlign::Right),
    ("bubble", CellAlign::Right),
];

/// Columns that are left out where they do not fit, the least important first.
const LEAST_FIRST: [&str; 17] = [
    "split",
    "similar",
    "comm",
    "bubble",
    "sp",
    "schedule",
    "memory",
    "tok/s/GPU",
    "zero",
    "vpp",
    "cp",
    "ep",
    "recompute",
    "GiB",
    "MFU",
    "mb",
    "dp",
];

fn row(number: String, candidate: &Candidate, margin: Margin, alike: usize) -> Vec<String> {
    let plan = &candidate.plan;
    let pipeline = plan.pipeline_parallel > 1;
    let memory = match (candidate.fits, candidate.is_comfortable(margin)) {
        (true, true) => "fits",
        (true, false) => "tight",
        (false, _) => "over",
    };
    vec![
        number,
        if alike > 0 { format!("+{alike}") } else { String::new() },
        duration(candidate.step),
        percent(candidate.mfu),
        significant(candidate.tokens_per_s_per_gpu),
        significant(candidate.peak_memory.gib()),
        memory.to_owned(),
        plan.tensor_parallel.to_string(),
        u32::from(plan.sequence_parallel).to_string(),
        text::context(plan),
        if plan.expert_tensor_parallel > 1 {
            format!("{}x{}", plan.expert_parallel, plan.expert_tensor_parallel)
        } else {
            plan.expert_parallel.to_string()
        },
        plan.pipeline_parallel.to_string(),
        plan.virtual_stages.to_string(),
        if pipeline { plan.schedule.label() } else { "-" }.to_owned(),
        text::split(plan).to_owned(),
        candidate.data_parallel.to_string(),
        plan.micro_batch.to_string(),
        text::zero(plan).to_owned(),
        text::recompute(plan),
        percent(candidate.communication_share),
        percent(candidate.bubble_share),
    ]
}

pub(crate) fn entry(input: &Input, candidate: &Candidate) -> Entry {
    Entry::of(&input.document, &input.scenario, candidate)
}

/// The job's link with a candidate's layout.
pub(crate) fn link(input: &Input, candidate: &Candidate) -> String {
    let mut document = input.document.pinned();
    document.load_plan(&candidate.plan);
    document.to_link()
}
