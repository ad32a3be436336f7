//! `stepcast rank`: every legal layout, fastest first.

use crate::input::Input;
use crate::report::heading;
use crate::text::{self, Align, duration, percent, significant};
use crate::{Failure, json};
use serde::Serialize;
use stepcast::forecast::Predictor;
use stepcast::page_state::report::PlanReport;
use stepcast::scenario::Scenario;
use stepcast::tuner::{Candidate, Counts, Free, Options, Space};
use stepcast::units::Seconds;

/// The JSON form.
#[derive(Debug, Serialize)]
struct Output {
    /// Layouts forecast.
    layouts: usize,
    /// Layouts that fit in memory.
    fitting: usize,
    /// The best of them.
    top: Vec<Entry>,
}

/// One layout of the JSON form.
#[derive(Debug, Serialize)]
struct Entry {
    step_s: Seconds,
    mfu: f64,
    tokens_per_s_per_gpu: f64,
    communication_share: f64,
    bubble_share: f64,
    peak_gib: f64,
    fits: bool,
    plan: PlanReport,
    link: String,
}

/// Ranks the layouts of a job. Layouts that do not fit in memory come last.
pub(crate) fn rank(input: &Input, top: usize, as_json: bool) -> Result<String, Failure> {
    let options = Options { top: top.max(1), ..Options::default() };
    let mut search = Predictor::SHIPPED.search(Space::new(&input.scenario, Free::default()), options);
    search.finish();
    let ranking = search.ranking();
    let candidates: Vec<Candidate> = ranking.rows.iter().chain(&ranking.unfit).copied().collect();
    let Counts { layouts, fitting, .. } = ranking.counts;
    if as_json {
        let top = candidates.iter().take(top).map(|candidate| entry(input, candidate)).collect();
        return json(&Output { layouts, fitting, top });
    }
    let mut out = heading(input);
    out.push_str(&format!("\n{layouts} layouts, {fitting} fit in memory\n"));
    if top == 0 {
        out.push_str("None of them is listed: --top says how many to print, from the fastest.\n");
        return Ok(out);
    }
    let mut rows = vec![HEAD.map(|(name, _)| name.to_owned()).to_vec()];
    rows.extend(candidates.iter().take(top).enumerate().map(|(index, candidate)| row(index, candidate)));
    out.push_str(&text::table(&rows, &HEAD.map(|(_, align)| align)));
    if let Some(best) = candidates.first() {
        out.push_str(&format!("\nThe first: {}\n", link(input, best)));
    }
    Ok(out)
}

const HEAD: [(&str, Align); 19] = [
    ("#", Align::Right),
    ("step", Align::Right),
    ("MFU", Align::Right),
    ("tok/s/GPU", Align::Right),
    ("GiB", Align::Right),
    ("fits", Align::Left),
    ("tp", Align::Right),
    ("sp", Align::Right),
    ("cp", Align::Right),
    ("ep", Align::Right),
    ("pp", Align::Right),
    ("vpp", Align::Right),
    ("schedule", Align::Left),
    ("dp", Align::Right),
    ("mb", Align::Right),
    ("zero", Align::Left),
    ("recompute", Align::Left),
    ("comm", Align::Right),
    ("bubble", Align::Right),
];

fn row(index: usize, candidate: &Candidate) -> Vec<String> {
    let plan = &candidate.plan;
    vec![
        (index + 1).to_string(),
        duration(candidate.step),
        percent(candidate.mfu),
        significant(candidate.tokens_per_s_per_gpu),
        significant(candidate.peak_memory.gib()),
        if candidate.fits { "yes" } else { "no" }.to_owned(),
        plan.tensor_parallel.to_string(),
        u32::from(plan.sequence_parallel).to_string(),
        plan.context_parallel.to_string(),
        plan.expert_parallel.to_string(),
        plan.pipeline_parallel.to_string(),
        plan.virtual_stages.to_string(),
        if plan.pipeline_parallel > 1 { plan.schedule.label() } else { "-" }.to_owned(),
        candidate.data_parallel.to_string(),
        plan.micro_batch.to_string(),
        text::zero(plan).to_owned(),
        text::recompute(plan),
        percent(candidate.communication_share),
        percent(candidate.bubble_share),
    ]
}

fn entry(input: &Input, candidate: &Candidate) -> Entry {
    Entry {
        step_s: candidate.step,
        mfu: candidate.mfu,
        tokens_per_s_per_gpu: candidate.tokens_per_s_per_gpu,
        communication_share: candidate.communication_share,
        bubble_share: candidate.bubble_share,
        peak_gib: candidate.peak_memory.gib(),
        fits: candidate.fits,
        plan: PlanReport::of(&Scenario { plan: candidate.plan, ..input.scenario }),
        link: link(input, candidate),
    }
}

/// The job's link with a candidate's layout.
fn link(input: &Input, candidate: &Candidate) -> String {
    let mut document = input.document.clone();
    document.load_plan(&candidate.plan);
    document.to_link()
}
