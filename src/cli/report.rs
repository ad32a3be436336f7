//! `stepcast predict`: one forecast, for people and as JSON.

use crate::input::Input;
use crate::text::{self, COLUMNS, CellAlign, counted, duration, percent, significant};
use crate::{Failure, json, sentences};
use stepcast::error::FieldError;
use stepcast::forecast::{Prediction, Predictor};
use stepcast::memory::{MemoryReport, fits, peak};
use stepcast::number;
use stepcast::page_state::certainty;
use stepcast::page_state::help;
use stepcast::page_state::report::Report;
use stepcast::page_state::summary;
use stepcast::run_cost::RunCost;
use stepcast::scenario::Scenario;
use stepcast::scenario::plan::Schedule;
use stepcast::tuner::{FieldChange, memory_savings, ways_to_fit};
use stepcast::units::Seconds;

/// Widest bar of the breakdown, in characters.
const BAR: f64 = 30.0;

/// Prints a forecast of a job.
pub(crate) fn print(
    predictor: &Predictor<'_>,
    input: &Input,
    forecast: Result<Prediction, Vec<FieldError>>,
    as_json: bool,
) -> Result<String, Failure> {
    let prediction = forecast.map_err(sentences)?;
    if as_json {
        return json(&Report::new(predictor, &input.scenario, &prediction, input.document.to_link()));
    }
    Ok([
        no_fit(input, &prediction) + &heading(input) + &not_counted(&input.scenario),
        figures(&prediction),
        confidence(predictor, input),
        breakdown(&prediction),
        memory(&prediction) + &savings(predictor, &input.scenario, &prediction.memory),
        run(&input.scenario, prediction.step),
        closing(input, &prediction),
    ]
    .join("\n"))
}

/// What is forecast: model, machines, batch, layout.
pub(crate) fn heading(input: &Input) -> String {
    let scenario = &input.scenario;
    let label = |key: &str| input.document.label(key);
    let plan = &scenario.plan;
    let mut pipeline = plan.pipeline_parallel.to_string();
    if plan.virtual_stages > 1 {
        pipeline.push_str(&format!(" (VPP {})", plan.virtual_stages));
    }
    if plan.schedule != Schedule::default() {
        pipeline.push_str(&format!(" ({})", plan.schedule.label()));
    }
    let job = format!(
        "{} on {}, {}\n{} of {}, {}, {} {}\n",
        label("m"),
        counted(scenario.cluster.gpus, "GPU"),
        label("g"),
        counted(scenario.workload.global_batch, "sequence"),
        counted(scenario.workload.sequence, "token"),
        label("prec"),
        label("stack"),
        scenario.software.year,
    );
    if input.document.is_planned() {
        return job;
    }
    format!(
        "{job}{}TP {}{}, CP {}, PP {pipeline}, DP {}, {} of {}, {}, {}\n",
        match (input.chosen, fits(scenario, peak(scenario).0)) {
            (true, true) => "Recommended layout: ",
            (true, false) => "Closest to fitting: ",
            (false, _) => "",
        },
        plan.tensor_parallel,
        if plan.sequence_parallel { " (with SP)" } else { "" },
        plan.context_parallel,
        scenario.data_parallel(),
        counted(scenario.micro_batches(), "micro-batch"),
        plan.micro_batch,
        text::sharding(plan),
        text::recomputation(plan),
    )
}

/// What of the model the forecast leaves out; nothing where it has all.
fn not_counted(scenario: &Scenario) -> String {
    scenario.model.uncounted.sentence().map_or_else(String::new, |sentence| sentence + "\n")
}

/// What a job that does not fit is told before anything else; nothing where it fits.
fn no_fit(input: &Input, prediction: &Prediction) -> String {
    let memory = &prediction.memory;
    if memory.fits {
        return String::new();
    }
    let mut out = format!(
        "Does not fit: peak memory per GPU is {} GiB, but {} GiB are usable.\n",
        significant(memory.peak_gib),
        significant(memory.usable_gib)
    );
    out.push_str(&if input.chosen {
        format!("No layout of this job fits. {}", ways_out(&input.scenario))
    } else {
        "For layouts that fit, run stepcast rank.\n".to_owned()
    });
    out + "\n"
}

/// Changes with which some layout of a job fits, each in a line.
pub(crate) fn ways_out(job: &Scenario) -> String {
    let changes = ways_to_fit(&Predictor::SHIPPED, job);
    changes
        .iter()
        .map(|change| format!("The job fits with {} ({}).\n", flags(change), help::named(change)))
        .collect()
}

/// A change as flags of a command.
fn flags(change: &FieldChange) -> String {
    let flags: Vec<String> =
        change.fields.iter().map(|(key, value)| format!("--set {key}={value}")).collect();
    flags.join(" ")
}

/// Most changes that are printed.
const MOST_SAVINGS: usize = 8;

/// What saves memory in a job that is not likely to fit, each change with its forecast.
fn savings(predictor: &Predictor<'_>, job: &Scenario, memory: &MemoryReport) -> String {
    if memory.is_likely() {
        return String::new();
    }
    let changes = memory_savings(predictor, job);
    let lacking = significant(memory.lacking_gib);
    let sentence = format!("\nThe job needs {lacking} GiB more per GPU to be likely to fit.");
    if changes.is_empty() {
        return sentence + " No layout change saves memory.\n";
    }
    let head = ["Change", "Flags", "GiB", "Step", "Fits", "Results"].map(str::to_owned).to_vec();
    let row = |change: &FieldChange| {
        vec![
            help::named(change).replace('\u{a0}', " "),
            flags(change),
            significant(change.peak.gib()),
            duration(change.step),
            if change.fits { percent(change.fit_probability) } else { "no".to_owned() },
            if change.changes_results { "other" } else { "same" }.to_owned(),
        ]
    };
    let rows: Vec<Vec<String>> =
        core::iter::once(head).chain(changes.iter().take(MOST_SAVINGS).map(row)).collect();
    sentence
        + " Changes that save memory:\n"
        + &text::table(
            &rows,
            &[
                CellAlign::Left,
                CellAlign::Left,
                CellAlign::Right,
                CellAlign::Right,
                CellAlign::Right,
                CellAlign::Left,
            ],
        )
}

fn figures(prediction: &Prediction) -> String {
    let rows = [
        ("Step", duration(prediction.step)),
        ("Tokens/s per GPU", significant(prediction.tokens_per_s_per_gpu)),
        ("Model TFLOP/s per GPU", significant(prediction.model_tflops_per_gpu)),
        ("MFU", percent(prediction.mfu)),
        ("HFU", percent(prediction.hfu)),
    ];
    let mut out = text::table(
        &rows.map(|(name, value)| vec![name.to_owned(), value]),
        &[CellAlign::Left, CellAlign::Right],
    );
    let interval = &prediction.interval;
    let ends = format!("{} to {}", duration(interval.low), duration(interval.high));
    out.push_str(&format!("90 % range of the step: {ends}{}\n", certainty::rests_on(interval)));
    if let Some(doubts) = certainty::doubts(interval) {
        out.push_str(&text::wrapped(&doubts, 0, COLUMNS));
    }
    out
}

/// How sure the forecast is, in one paragraph.
fn confidence(predictor: &Predictor<'_>, input: &Input) -> String {
    let sentence = predictor.confidence(&input.scenario).sentence;
    text::wrapped(&format!("Accuracy: {sentence}"), 0, COLUMNS)
}

fn breakdown(prediction: &Prediction) -> String {
    let share = |part: Seconds| if prediction.step.0 > 0.0 { part / prediction.step } else { 0.0 };
    let rows: Vec<Vec<String>> = prediction
        .breakdown
        .parts()
        .iter()
        .filter(|part| part.2.0 > 0.0)
        .map(|(_, name, time)| {
            let bar = "#".repeat((share(*time) * BAR).round() as usize);
            vec![format!("  {name}"), duration(*time), percent(share(*time)), bar]
        })
        .collect();
    let mut out = String::from("Step time breakdown\n");
    out.push_str(&text::table(
        &rows,
        &[CellAlign::Left, CellAlign::Right, CellAlign::Right, CellAlign::Left],
    ));
    if let Some(overlapped) = summary::overlapped(prediction) {
        out.push_str(&format!("  {}\n", overlapped.replace('\u{a0}', " ")));
    }
    out
}

fn memory(prediction: &Prediction) -> String {
    let memory = &prediction.memory;
    let verdict = memory.verdict().stated(memory.fit_probability).replace('\u{a0}', " ");
    let mut out = format!(
        "Peak memory per GPU (stage {}): {} GiB, {verdict}: {} of {} GiB are usable\n",
        memory.worst_stage,
        significant(memory.peak_gib),
        significant(memory.usable_gib),
        significant(memory.capacity_gib)
    );
    if memory.fits {
        out.push_str(&format!(
            "  PyTorch: {} GiB allocated, about {} GiB reserved; nvidia-smi: about {} GiB\n",
            significant(memory.peak_gib),
            significant(memory.reserved_gib),
            significant(memory.device_gib)
        ));
    }
    if let Some(odds) = summary::odds(memory) {
        out.push_str(&text::wrapped(odds, 2, COLUMNS));
    }
    if let Some(host) = summary::host(&memory.host) {
        out.push_str(&text::wrapped(&host, 2, COLUMNS));
    }
    if let Some(stage) = memory.stages.get(memory.worst_stage as usize) {
        let rows: Vec<Vec<String>> = stage
            .parts()
            .iter()
            .filter(|part| part.2.0 > 0.0)
            .map(|(_, name, bytes)| vec![format!("  {name}"), format!("{} GiB", significant(bytes.gib()))])
            .collect();
        out.push_str(&text::table(&rows, &[CellAlign::Left, CellAlign::Right]));
    }
    out
}

/// What a run of such steps costs.
pub(crate) fn run(scenario: &Scenario, step: Seconds) -> String {
    let price = number::fixed(scenario.run.price, 2);
    let source = scenario.run.price_source(&scenario.cluster);
    let run = summary::run(scenario, &RunCost::of(scenario, step));
    format!("{run}\nPrice: ${price} per GPU-hour ({source})\n")
}

fn closing(input: &Input, prediction: &Prediction) -> String {
    format!("{}\n{}\n", prediction.bottleneck.sentence, input.document.to_link())
}
