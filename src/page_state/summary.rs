//! Sentences about a scenario and its forecast, for headlines, charts and the live region.

use super::page::PageForecast;
use crate::decimal;
use crate::document::Document;
use crate::fields::{FIELDS, FieldGroup};
use crate::forecast::{Interval, Prediction, Predictor, peak};
use crate::memory::{FitVerdict, HostMemory, MemoryReport};
use crate::number::{self, NumberParts};
use crate::run_cost::RunCost;
use crate::scenario::cluster::Cluster;
use crate::scenario::model::Model;
use crate::scenario::plan::{Plan, Recompute, Schedule, StageSplit, Zero};
use crate::scenario::{Precision, Scenario};
use crate::units::{Bytes, Seconds};

/// What follows from the fields of one panel, as far as they can be read; nothing while one of them cannot.
pub fn facts(document: &Document, group: FieldGroup) -> Option<String> {
    let mut scenario = Document::default().scenario().ok()?;
    for field in FIELDS {
        match field.parse(document.text(field.key)) {
            Ok(value) => (field.set)(&mut scenario, value),
            // A plan concerns the whole job; the other panels are independent.
            Err(_) if document.applies(field.key) && (field.group == group || group == FieldGroup::Plan) => {
                return None;
            }
            Err(_) => {}
        }
    }
    Some(match group {
        FieldGroup::Model => model(&scenario.model),
        FieldGroup::Cluster => cluster(&scenario.cluster),
        FieldGroup::Workload => format!("{} tokens per step", number::count(scenario.tokens_per_step())),
        FieldGroup::Run => steps(&scenario),
        FieldGroup::Plan if scenario.validate().is_err() => return None,
        FieldGroup::Plan => plan(&scenario),
    })
}

fn model(model: &Model) -> String {
    format!(
        "{} parameters \u{b7} {} layers of {}",
        number::count(model.parameters() as f64),
        number::integer(model.layers.into()),
        number::integer(model.hidden.into()),
    )
}

fn cluster(cluster: &Cluster) -> String {
    format!(
        "{} GiB per GPU \u{b7} {} Gb/s per node",
        number::significant(cluster.gpu.memory.gib(), 3),
        number::significant(cluster.node_bandwidth().0 * 8.0 / 1e9, 4),
    )
}

/// Whether a run meets its deadline and stays within its budget, in one line; nothing where it has neither.
pub fn goal(scenario: &Scenario, cost: &RunCost) -> Option<String> {
    let run = &scenario.run;
    let over = cost.time - Seconds::from_days(run.deadline);
    let time = || {
        let days = decimal::plain(run.deadline);
        if over.0 > 0.0 {
            format!("misses the deadline of {days} days by {}", number::long_time(over))
        } else {
            format!("meets the deadline of {days} days")
        }
    };
    let money = || {
        let budget = number::count(run.budget);
        if cost.usd > run.budget {
            format!("exceeds the budget of ${budget}")
        } else {
            format!("within ${budget}")
        }
    };
    let said = [(run.deadline > 0.0).then(time), (run.budget > 0.0).then(money)];
    let said: Vec<String> = said.into_iter().flatten().collect();
    (!said.is_empty()).then(|| said.join("; "))
}

/// What a whole run costs, in a sentence.
pub fn run(scenario: &Scenario, cost: &RunCost) -> String {
    let goal = goal(scenario, cost).map_or_else(String::new, |goal| format!(" It {goal}."));
    format!(
        "A run of {} tokens takes {}: {}, {} GPU-hours, {} USD, {} MWh, {} t CO2e.{goal}",
        number::count(scenario.run.tokens),
        steps(scenario),
        number::long_time(cost.time),
        number::count(cost.gpu_hours),
        number::count(cost.usd),
        number::significant(cost.kwh / 1e3, 3),
        number::significant(cost.co2_kg / 1e3, 3),
    )
}

fn steps(scenario: &Scenario) -> String {
    let steps = scenario.steps();
    format!("{} {}", number::count(steps), if steps > 1.0 { "steps" } else { "step" })
}

fn plan(scenario: &Scenario) -> String {
    let micro_batches = scenario.micro_batches();
    format!(
        "Data parallel {} \u{b7} {} {} per replica per step",
        number::integer(scenario.data_parallel().into()),
        number::integer(micro_batches.into()),
        if micro_batches == 1 { "micro-batch" } else { "micro-batches" },
    )
}

/// A layout in the field's shorthand: `TP 8 x PP 4 x DP 16`.
pub fn layout(plan: &Plan, data_parallel: u32) -> String {
    let mut text = format!("TP\u{a0}{}", plan.tensor_parallel);
    if plan.context_parallel > 1 {
        text.push_str(&format!(" \u{d7} CP\u{a0}{}", plan.context_parallel));
    }
    text.push_str(&format!(" \u{d7} PP\u{a0}{}", plan.pipeline_parallel));
    if plan.virtual_stages > 1 {
        text.push_str(&format!(" (VPP\u{a0}{})", plan.virtual_stages));
    }
    if plan.schedule != Schedule::default() {
        text.push_str(&format!(" ({})", plan.schedule.label()));
    }
    text.push_str(&format!(" \u{d7} DP\u{a0}{data_parallel}"));
    text
}

/// A layout in words, with every degree above 1 and every setting of interest.
pub fn plan_words(scenario: &Scenario) -> String {
    let plan = &scenario.plan;
    let degree = |name: &str, degree: u32| {
        (degree > 1).then(|| format!("{name}\u{a0}{}", number::integer(degree.into())))
    };
    let pipeline = degree("PP", plan.pipeline_parallel).map(|pipeline| match plan.virtual_stages {
        1 => pipeline,
        many => format!("{pipeline} (VPP\u{a0}{many})"),
    });
    let schedule = (plan.schedule != Schedule::default()).then(|| plan.schedule.label().to_owned());
    let recompute = match plan.recompute {
        Recompute::None => "no recomputation".to_owned(),
        Recompute::Selective => "selective recomputation".to_owned(),
        Recompute::Full => "full recomputation".to_owned(),
        Recompute::Every(layers) => format!("full recomputation of 1 in {layers} layers"),
        Recompute::Modules(modules) => format!("recomputation of {}", modules.names()),
    };
    let sharded = match plan.zero {
        Zero::None => "DDP",
        Zero::Optimizer => "ZeRO-1",
        Zero::Gradients => "ZeRO-2",
        Zero::Parameters => "FSDP (ZeRO-3)",
        Zero::Hybrid => "HSDP",
    };
    let split = match plan.stage_split {
        StageSplit::Even => None,
        StageSplit::CountEnds => Some("fewer layers on the first and last stage".to_owned()),
        StageSplit::Given(_) => Some("custom layers per stage".to_owned()),
    };
    let words = [
        degree("TP", plan.tensor_parallel),
        degree("CP", plan.context_parallel),
        degree("EP", plan.expert_parallel),
        pipeline,
        split.filter(|_| plan.pipeline_parallel > 1),
        schedule,
        Some(format!("DP\u{a0}{}", number::integer(scenario.data_parallel().into()))),
        Some(format!("micro-batch\u{a0}{}", plan.micro_batch)),
        Some(recompute),
        Some(sharded.to_owned()),
    ];
    let words: Vec<String> = words.into_iter().flatten().collect();
    words.join(", ")
}

/// Time that a training run over 10^12 tokens takes at this rate.
pub fn trillion_tokens(prediction: &Prediction) -> Seconds {
    Seconds(1e12 / prediction.tokens_per_s)
}

/// The 90 % interval of a step.
pub fn interval(low: Seconds, high: Seconds) -> String {
    format!("90\u{a0}%: {}", range(low, high))
}

/// Two times, with their unit once where it is the same.
pub fn range(low: Seconds, high: Seconds) -> String {
    between([number::time(low), number::time(high)])
}

/// From one number to another, with their unit once where it is the same.
fn between([low, high]: [NumberParts; 2]) -> String {
    if low.unit == high.unit { format!("{} to {high}", low.digits) } else { format!("{low} to {high}") }
}

/// What a whole run costs, as a figure.
pub fn dollars(cost: &RunCost) -> NumberParts {
    let NumberParts { digits, unit } = number::count(cost.usd);
    NumberParts { digits: format!("${digits}"), unit }
}

/// Time of a whole run at either end of the interval of its step.
pub fn run_range(scenario: &Scenario, interval: &Interval) -> String {
    between([interval.low, interval.high].map(|step| number::long_time(RunCost::of(scenario, step).time)))
}

/// What a whole run costs at either end of the interval of its step.
pub fn cost_range(scenario: &Scenario, interval: &Interval) -> String {
    let [low, high] = [interval.low, interval.high].map(|step| dollars(&RunCost::of(scenario, step)));
    format!("{low} to {high}")
}

/// The 90 % interval of a layout of a scenario that is forecast to take that step.
pub fn interval_of(predictor: &Predictor<'_>, scenario: &Scenario, step: Seconds) -> String {
    let (low, high) = predictor.interval_ends(scenario, step);
    interval(low, high)
}

/// Room left in the GPU's usable memory, negative when the layout does not fit.
pub fn memory_left(prediction: &Prediction) -> Bytes {
    Bytes::from_gib(prediction.memory.usable_gib - prediction.memory.peak_gib)
}

/// Whether the layout fits, in one sentence.
pub fn fit(prediction: &Prediction) -> String {
    let memory = &prediction.memory;
    let (left, verdict) = (memory_left(prediction), memory.verdict().stated(memory.fit_probability));
    if memory.fits {
        return format!("{verdict}: {} left", number::memory(left));
    }
    let usable = number::memory(Bytes::from_gib(memory.usable_gib));
    format!("{verdict}: {} more than the {usable} usable", number::memory(Bytes(-left.0)))
}

/// Where the probability of a job that fits as counted is from, in a sentence; nothing where it is as good as certain.
pub fn odds(memory: &MemoryReport) -> Option<&'static str> {
    matches!(memory.verdict(), FitVerdict::ProbablyFits | FitVerdict::Tight).then_some(
        "The fit probability is based on forecast errors for published memory peaks of similar software.",
    )
}

/// A text that begins with a capital letter.
pub fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters
        .next()
        .map_or_else(String::new, |first| format!("{}{}", first.to_ascii_uppercase(), letters.as_str()))
}

/// What offloading needs of a node's host memory, in a sentence, and whether the node has it; nothing without offloading.
pub fn host(memory: &HostMemory) -> Option<String> {
    let size = |gib: f64| number::memory(Bytes::from_gib(gib));
    let needed = size(memory.needed_gib);
    (memory.needed_gib > 0.0).then(|| match memory.ram_gib.map(size) {
        Some(ram) if !memory.holds() => format!(
            "Offloading needs up to {needed} of host memory per node, but each node has {ram}. Offload less, or use more nodes."
        ),
        Some(ram) => format!("Offloading needs up to {needed} of the {ram} of host memory per node."),
        None => format!("Offloading needs up to {needed} of host memory per node."),
    })
}

/// The peak by the counters that people read.
pub fn counters(report: &MemoryReport) -> String {
    let size = |gib: f64| number::memory(Bytes::from_gib(gib));
    format!(
        "Peak: {} allocated, about {} reserved (PyTorch's counters), about {} used on the device (nvidia-smi)",
        size(report.peak_gib),
        size(report.reserved_gib),
        size(report.device_gib)
    )
}

/// The peak of a job and the usable memory, which headroom counts from: `58.7` and `of 78.3 GiB`.
pub fn peak_of_usable(report: &MemoryReport) -> (String, String) {
    let [peak, usable] = [report.peak_gib, report.usable_gib].map(|gib| number::memory(Bytes::from_gib(gib)));
    let peak = if peak.unit == usable.unit { peak.digits } else { peak.to_string() };
    (peak, format!("of\u{a0}{usable}"))
}

/// How much of a GPU's memory a job may take.
pub fn usable(report: &MemoryReport) -> String {
    let usable = number::memory(Bytes::from_gib(report.usable_gib));
    let capacity = number::memory(Bytes::from_gib(report.capacity_gib));
    if usable.unit == capacity.unit {
        format!("{} of {capacity} usable", usable.digits)
    } else {
        format!("{usable} of {capacity} usable")
    }
}

/// Name of the number format whose peak a scenario's products are limited by: 16 bits where the GPU is not faster in fewer.
pub fn peak_name(scenario: &Scenario) -> &'static str {
    let gpu = &scenario.cluster.gpu;
    match scenario.workload.precision {
        precision if peak(gpu, precision) <= gpu.peak_bf16.0 => "16-bit",
        Precision::Nvfp4 => "FP4",
        _ => "FP8",
    }
}

/// Model FLOP/s of a GPU, and the peak that MFU is a share of: `509 of 989 TFLOP/s (16-bit peak)`.
pub fn of_peak(forecast: &PageForecast) -> String {
    let scenario = &forecast.scenario;
    let peak = peak(&scenario.cluster.gpu, scenario.workload.precision);
    format!(
        "{} of {} TFLOP/s ({}\u{a0}peak)",
        number::significant(forecast.prediction.model_tflops_per_gpu, 3),
        number::integer((peak / 1e12).round() as u64),
        match peak_name(scenario) {
            // Not broken over two lines.
            "16-bit" => "16\u{2011}bit",
            name => name,
        }
    )
}

/// Tokens per second of a GPU.
pub fn per_gpu(prediction: &Prediction) -> String {
    format!("{} tokens/s per GPU", number::significant(prediction.tokens_per_s_per_gpu, 3))
}

/// What MFU means here.
pub const MFU: &str = "MFU: model FLOPs (recomputation excluded, causal attention counted half) divided by the peak in the selected precision.";

/// Title of the page: what tells its tab from others.
pub fn title(document: &Document, forecast: &PageForecast) -> String {
    format!(
        "{} per step \u{b7} {} on {} \u{b7} stepcast",
        number::time(forecast.prediction.step),
        document.label("m"),
        gpus(&forecast.scenario),
    )
}

/// The number of GPUs of a job.
fn gpus(scenario: &Scenario) -> String {
    let gpus = scenario.cluster.gpus;
    format!("{} {}", number::integer(gpus.into()), if gpus == 1 { "GPU" } else { "GPUs" })
}

/// Model, machines and layout in a line.
pub fn job(document: &Document, scenario: &Scenario) -> String {
    let gpus = match document.label("g") {
        "Custom cluster" => gpus(scenario),
        cluster => format!("{} ({cluster})", gpus(scenario)),
    };
    let plan = layout(&scenario.plan, scenario.data_parallel());
    format!("{} on {gpus}, {plan}", document.label("m"))
}

/// Whose figures these are, while the form holds something impossible.
pub fn last_valid(forecast: &PageForecast) -> String {
    let document = Document::from_scenario(&forecast.scenario);
    format!("The results below are for the last valid job: {}.", job(&document, &forecast.scenario))
}

/// What a screen reader says after an edit.
pub fn announcement(forecast: &PageForecast) -> String {
    let prediction = &forecast.prediction;
    format!(
        "Step time {}, {}, MFU {}, memory {}.",
        number::time(prediction.step),
        interval(prediction.interval.low, prediction.interval.high),
        number::percent(prediction.mfu),
        fit(prediction),
    )
}

/// The time breakdown in words, its largest parts first.
pub fn breakdown(prediction: &Prediction) -> String {
    let mut parts = prediction.breakdown.parts();
    // A few rounds of choosing the largest: a sort would be the page's third, at a kilobyte each.
    for place in 0..3 {
        for other in place + 1..parts.len() {
            if parts.get(other).map(|part| part.2) > parts.get(place).map(|part| part.2) {
                parts.swap(place, other);
            }
        }
    }
    let largest: Vec<String> = parts
        .iter()
        .take(3)
        .map(|(_, label, time)| format!("{label} {}", number::percent(*time / prediction.step)))
        .collect();
    format!(
        "Step time breakdown: {} per step. Largest parts: {}.",
        number::time(prediction.step),
        largest.join(", ")
    )
}

/// Communication behind compute, which the breakdown leaves out because it costs no time; nothing where there is none.
pub fn overlapped(prediction: &Prediction) -> Option<String> {
    let hidden = &prediction.hidden;
    let kinds = [
        ("TP", hidden.tensor),
        ("CP", hidden.context),
        ("EP", hidden.expert),
        ("PP", hidden.pipeline),
        ("DP", hidden.data),
    ];
    let shown = kinds.into_iter().filter(|kind| kind.1.0 > 0.0);
    let shown: Vec<String> = shown.map(|(name, time)| format!("{name} {}", number::time(time))).collect();
    (!shown.is_empty()).then(|| format!("Overlapped with compute (not counted): {}", shown.join(", ")))
}

/// The memory chart in words.
pub fn memory(prediction: &Prediction) -> String {
    let report = &prediction.memory;
    format!(
        "Memory per GPU on {} pipeline stages. Peak: {} on stage {}; it {}.",
        report.stages.len(),
        number::memory(Bytes::from_gib(report.peak_gib)),
        report.worst_stage,
        fit(prediction),
    )
}

#[cfg(test)]
mod tests {
    use super::super::page::Page;
    use super::*;

    #[test]
    fn facts_follow_the_form_even_while_it_is_impossible() {
        let mut document = Document::default();
        document.set("tp", "3");
        let model = facts(&document, FieldGroup::Model).expect("the model can be read");
        assert!(model.starts_with("70.6\u{a0}B parameters"), "{model}");
        assert_eq!(facts(&document, FieldGroup::Plan), None, "no layout to speak of");
        document.set("layers", "eighty");
        assert_eq!(facts(&document, FieldGroup::Model), None);
        assert!(facts(&document, FieldGroup::Workload).is_some());
    }

    #[test]
    fn an_interval_names_its_unit_once() {
        assert_eq!(interval(Seconds(12.9), Seconds(17.0)), "90\u{a0}%: 12.9 to 17.0\u{a0}s");
        assert_eq!(interval(Seconds(0.9), Seconds(1.2)), "90\u{a0}%: 900\u{a0}ms to 1.20\u{a0}s");
    }

    #[test]
    fn a_job_that_only_probably_fits_says_so_with_the_probability() {
        let page = Page::new();
        let mut prediction = page.outcome.forecast.as_ref().expect("a forecast").prediction.clone();
        for (fits, probability, begin) in [
            (true, 0.96, "fits: "),
            (true, 0.889, "probably fits (88.9\u{a0}%): "),
            (true, 0.3, "tight (30.0\u{a0}%): "),
            (false, 0.6, "does not fit: "),
        ] {
            prediction.memory.fits = fits;
            prediction.memory.fit_probability = probability;
            let said = fit(&prediction);
            assert!(said.starts_with(begin), "{said}");
            assert_eq!(odds(&prediction.memory).is_some(), said.contains('('), "{said}");
        }
        assert_eq!(capitalised(""), "");
    }

    #[test]
    fn words_name_the_largest_parts() {
        let page = Page::new();
        let forecast = page.outcome.forecast.as_ref().expect("a forecast");
        let words = breakdown(&forecast.prediction);
        let largest = words.split("Largest parts: ").nth(1).expect("parts");
        assert!(largest.starts_with("Backward"), "{words}");
        assert!(title(&page.document, forecast).contains("Llama-3 70B on 512 GPUs"));
        assert!(announcement(forecast).starts_with("Step time "));
    }
}
