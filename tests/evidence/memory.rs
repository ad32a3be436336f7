//! Memory of modules of plain PyTorch against measured peaks (`examples/measured/memory.csv`, printed by `examples/measure_memory.py` on
//! one H200): what Transformers' models take at the fullest moment of a step, by PyTorch's own counters.

use crate::data::{self, Row};
use std::collections::BTreeMap;
use std::path::Path;
use stepcast::document::Document;
use stepcast::memory::report;
use stepcast::validate::{Peak, peak_errors};

/// |forecast / measured - 1| that the mean stays within, and that every job does.
const MEAN: f64 = 0.01;
const MOST: f64 = 0.05;
/// The same where experts run in a loop, which keeps what its operators make of each expert's tokens: that is not counted.
const MOST_LOOPED: f64 = 0.08;
/// Bytes of a GiB.
const GIB: f64 = 1_073_741_824.0;

/// The link of a row's job, or nothing where a row measures what no job says: sequences of varied length, parts that are frozen
/// without an adapter, 32-bit products, parts of logits of a size of one's own, and modules that are compiled.
fn link(row: &Row) -> Option<String> {
    let get = |column: &str| row.get(column).map_or("", String::as_str);
    let single = get("weights") == "fp32";
    let said = get("varied") == "0"
        && get("frozen").is_empty()
        && get("loss") == "transformers"
        && get("compiled") == "no"
        && get("keeps_outputs") == "0"
        && single == (get("autocast") == "1");
    if !said {
        return None;
    }
    let family = get("family");
    let code = if ["llama", "mixtral"].contains(&family) { "llama" } else { "qwen" };
    let norms = u32::from(family.starts_with("qwen3"));
    let batch = get("micro_batch").parse::<u32>().ok()? * get("accumulate").parse::<u32>().ok()?;
    let mut link = format!(
        "#2;m=custom;layers={};hidden={};ffn={};heads={};kv={};dh={};vocab={};gated=1;act=silu;tied={};bias=none;norm=rms;qkn={norms};\
         pos=rotary;code={code};g=dgx-h200;n=1;seq={};gb={batch};mb={};stack=eager;year=2026;tp=1;pp=1;zero=0",
        get("layers"),
        get("hidden"),
        get("ffn"),
        get("heads"),
        get("kv_heads"),
        get("head_dim"),
        get("vocab"),
        get("tied"),
        get("sequence"),
        get("micro_batch"),
    );
    let mut say = |key: &str, value: &str| link.push_str(&format!(";{key}={value}"));
    if get("experts") != "0" {
        say("moe", get("experts"));
        say("topk", get("topk"));
        say("effn", get("moe_ffn"));
        if get("experts_kernel") == "eager" {
            say("xk", "looped");
        }
    }
    say("rc", get("checkpointing"));
    say("wts", if single { "32" } else { "16" });
    say("ost", if single { "32" } else { "16" });
    let (rule, kernels) = match get("optimizer") {
        "adamw_fused" => ("adamw", "fused"),
        "sgd" => ("sgd", "foreach"),
        "sgd_momentum" => ("sgdm", "foreach"),
        _ => ("adamw", "foreach"),
    };
    say("opt", rule);
    say("optk", kernels);
    if get("adapter") != "0" {
        say("lora", get("adapter"));
        say("lorat", if get("adapter_on") == "all-linear" { "all" } else { "attention" });
    }
    if get("attention") == "eager" {
        say("attn", "unfused");
    }
    Some(link)
}

#[test]
fn peaks_of_plain_modules_are_as_measured() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/measured/memory.csv");
    let mut reader = csv::Reader::from_path(path).expect("the table");
    let rows: Vec<Row> = reader.deserialize().collect::<Result<_, _>>().expect("rows");
    let (mut errors, mut reserved, mut wrong) = (Vec::new(), Vec::new(), Vec::new());
    for row in &rows {
        let Some(link) = link(row) else { continue };
        let scenario = Document::from_link(&link).expect("a link").document.scenario();
        let scenario = scenario.unwrap_or_else(|problems| panic!("{link}: {problems:?}"));
        let number = |column: &str| row[column].parse::<f64>().expect(column);
        let forecast = report(&scenario);
        let error = forecast.peak_gib * GIB / number("max_allocated") - 1.0;
        if error.abs() > if link.contains("xk=looped") { MOST_LOOPED } else { MOST } {
            wrong.push(format!("{error:+.3} {link}"));
        }
        errors.push(error.abs());
        reserved.push((forecast.reserved_gib * GIB / number("max_reserved") - 1.0).abs());
    }
    let mean = |errors: &[f64]| errors.iter().sum::<f64>() / errors.len() as f64;
    println!("{} jobs: allocated {:.4}, reserved {:.4}", errors.len(), mean(&errors), mean(&reserved));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(errors.len() >= 50 && mean(&errors) <= MEAN, "{} jobs, {}", errors.len(), mean(&errors));
    assert!(mean(&reserved) <= 0.12, "reserved {}", mean(&reserved));
}

/// The public peaks, and the jobs beside them that ran out of memory.
fn public() -> Vec<(Peak, bool)> {
    let rows = data::evidence("peaks.tsv");
    rows.into_iter()
        .map(|row| {
            let peak = Peak::read(|column| row.get(column).map_or("", String::as_str));
            let ran = peak.measured_gib.is_finite();
            (peak, ran)
        })
        .collect()
}

#[test]
fn the_table_of_peak_errors_is_the_peaks() {
    let peaks: Vec<Peak> = public().into_iter().map(|(peak, _)| peak).collect();
    assert_eq!(
        peak_errors(&peaks),
        include_str!("../../data/peak_errors.tsv"),
        "`cargo xtask readme` writes it anew"
    );
}

/// No job that ran is said not to fit, and at least half of those that ran out of memory are.
#[test]
fn jobs_that_ran_are_said_to_fit() {
    let said = |all_ran: bool| -> Vec<String> {
        let of = public().into_iter().filter(|(_, ran)| *ran == all_ran);
        of.filter_map(|(peak, _)| {
            let memory = report(&peak.scenario.unwrap_or_else(|reason| panic!("{}: {reason}", peak.id)));
            let told = format!(
                "{}: {:.1} of {:.1}, {:.2}",
                peak.id, memory.peak_gib, memory.usable_gib, memory.fit_probability
            );
            (memory.fits != all_ran).then_some(told)
        })
        .collect()
    };
    let (wrongly, missed) = (said(true), said(false));
    println!(
        "said not to fit, and ran:\n{}\nsaid to fit, and ran out:\n{}",
        wrongly.join("\n"),
        missed.join("\n")
    );
    assert!(wrongly.is_empty() && missed.len() <= 14, "{wrongly:?} {missed:?}");
}

/// Jobs that ran are said to be likely to fit, those that ran out of memory are not: nothing of the table is of the latter.
#[test]
fn jobs_that_ran_out_of_memory_were_unlikely_to_fit() {
    let likely = |all_ran: bool| {
        let mut names: BTreeMap<String, Vec<f64>> = BTreeMap::new();
        for (peak, _) in public().into_iter().filter(|(_, ran)| *ran == all_ran) {
            let scenario = peak.scenario.unwrap_or_else(|reason| panic!("{}: {reason}", peak.id));
            names.entry(peak.source).or_default().push(report(&scenario).fit_probability);
        }
        let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
        mean(&names.values().map(|values| mean(values)).collect::<Vec<_>>())
    };
    let (ran, ran_out) = (likely(true), likely(false));
    println!("ran {ran:.2}, ran out of memory {ran_out:.2}");
    assert!(ran > 0.75 && ran_out < 0.5, "{ran} {ran_out}");
}

/// More of a card is never less likely to be enough.
#[test]
fn a_larger_card_is_likelier_to_be_enough() {
    let of = |gib: f64| {
        let mut document = Document::from_link(
            "#2;m=llama3-8b;g=dgx-h100;n=8;tp=1;pp=1;zero=3;mb=1;rc=full;stack=torchtitan",
        )
        .expect("a link")
        .document;
        document.set("mem", &gib.to_string());
        report(&document.scenario().expect("a job")).fit_probability
    };
    let odds: Vec<f64> = (4..60).map(|gib| of(f64::from(gib) * 2.0)).collect();
    assert!(odds.is_sorted() && odds.first() == Some(&0.0) && odds.last() == Some(&1.0), "{odds:?}");
}
