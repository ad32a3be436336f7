//! The command line, run as users run it.

use crate::command::{json, number, refusal, stepcast, text};
use serde_json::Value;
use std::io::{BufRead as _, Write as _};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use stepcast::document::Document;
use stepcast::document::examples::EXAMPLES;
use stepcast::forecast::Predictor;

use stepcast::tuner::{Options, Space};

const LINK: &str = "#2;m=llama3-8b;g=dgx-h100;n=16;seq=8192;gb=64;stack=nemo;tp=2;sp=1;cp=1;pp=2;vpp=1;sched=1f1b;zero=1;\
                    mb=1;rc=none;split=even";

/// A file of the test's own.
fn file(name: &str, content: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, content).expect("writable");
    path
}

/// Qwen3-Next by hand: 12 of 48 layers attend. Transformers counts 79,674,391,296 parameters, with a gate of the shared expert
/// (hidden a layer) that no field says.
#[test]
fn json_tells_the_model() {
    let model = &json(&["predict", "#1;m=qwen3-next-80b-a3b;n=64;gb=64;tp=1;pp=1;ep=8", "--json"])["model"];
    assert_eq!(model["name"], "qwen3-next-80b-a3b");
    assert_eq!(model["parameters"], 79_674_391_296_u64 - 48 * 2048);
    let layers = model["layers"].as_array().expect("layers");
    let told: Vec<_> = layers.iter().map(|kind| (kind["kind"].as_str(), kind["count"].as_u64())).collect();
    let expected =
        [(Some("attention and experts"), Some(12)), (Some("Gated DeltaNet and experts"), Some(36))];
    assert_eq!(told, expected);
    let active = model["active_parameters"].as_f64().expect("a number");
    let flops = model["flops_per_token"].as_f64().expect("a number");
    assert!(active > 3e9 && active < 4.5e9 && flops > 6.0 * 3e9 && flops < 6.0 * 5e9, "{active} {flops}");
}

#[test]
fn predict_prints_the_library_numbers_to_the_last_digit() {
    let output = json(&["predict", LINK, "--json"]);
    let document = Document::from_link(LINK).expect("readable").document;
    let prediction = Predictor::SHIPPED.predict(&document.scenario().expect("legal")).expect("legal");
    assert_eq!(number(&output, "/step_s"), prediction.step.0);
    assert_eq!(number(&output, "/mfu"), prediction.mfu);
    assert_eq!(number(&output, "/tokens_per_s_per_gpu"), prediction.tokens_per_s_per_gpu);
    assert_eq!(number(&output, "/memory/peak_gib"), prediction.memory.peak_gib);
    assert_eq!(number(&output, "/plan/data_parallel"), 4.0);
    assert_eq!(number(&output, "/plan/tensor_parallel"), 2.0);
    assert_eq!(number(&output, "/plan/micro_batches"), 16.0);
    assert_eq!(output["link"], LINK);
    let parts = output["breakdown"].as_object().expect("object");
    assert_eq!(parts.len(), prediction.breakdown.parts().len());
    let sum: f64 = parts.values().map(|part| part.as_f64().expect("number")).sum();
    assert!((sum / prediction.step.0 - 1.0).abs() < 1e-9, "{sum} is not {}", prediction.step.0);
}

#[test]
fn links_fragments_files_presets_and_edits_give_the_same_forecast() {
    let reference = json(&["predict", LINK, "--json"]);
    let from_json = file(
        "job.json",
        r#"{"tp": 2, "pp": "2", "gb": 64, "n": "2x8", "sp": true, "g": "dgx-h100", "m": "llama3-8b", "cp": 1, "vpp": 1,
            "sched": "1f1b", "zero": 1, "mb": 1, "rc": "none", "split": "even"}"#,
    );
    let from_json = from_json.to_str().expect("UTF-8");
    let url = format!("https://example.org/stepcast/{LINK}");
    let fragment = LINK.trim_start_matches('#');
    let edits = ["--set", "m=llama3-8b", "--set", "n=16", "--set", "gb=64", "--set", "tp=2", "--set", "pp=2"];
    for arguments in [
        vec!["predict", &url, "--json"],
        vec!["predict", fragment, "--json"],
        vec!["predict", from_json, "--json"],
        [&["predict", "--json", "--layout", "default"], &edits[..]].concat(),
        vec!["predict", "#1;m=llama3-8b;n=16;gb=64;tp=4;pp=2", "--set", "tp=2", "--json"],
    ] {
        assert_eq!(json(&arguments)["step_s"], reference["step_s"], "{arguments:?}");
    }
}

#[test]
fn flags_are_shorthands_of_fields() {
    let by_keys = json(&[
        "predict",
        "--set",
        "m=llama3-8b",
        "--set",
        "g=dgx-h200",
        "--set",
        "n=16",
        "--set",
        "gb=64",
        "--set",
        "prec=fp8",
        "--set",
        "stack=torchtitan",
        "--set",
        "tp=2",
        "--set",
        "rc=full",
        "--json",
    ]);
    let by_names = json(&[
        "predict",
        "--recomputation",
        "full",
        "--tensor-parallel",
        "2",
        "--software",
        "torchtitan",
        "--precision",
        "fp8",
        "--global-batch",
        "64",
        "--gpus",
        "16",
        "--machine",
        "H200",
        "--model",
        "Llama 3 8B",
        "--json",
    ]);
    assert_eq!(by_names, by_keys);
    assert_eq!(
        json(&["predict", LINK, "--tp", "4", "--json"]),
        json(&["predict", LINK, "--set", "tp=4", "--json"])
    );
    // Where a command looks at several numbers of GPUs, one is the job's.
    let job = ["--model", "llama3-8b", "--machine", "dgx-h100", "--global-batch", "64", "--json"];
    let ranked = json(&[&["rank", "--gpus", "16", "--top", "1"], &job[..]].concat());
    assert!(ranked.get("studies").is_none());
    assert_eq!(ranked["top"][0]["link"].as_str().map(|link| link.contains(";n=16;")), Some(true), "{ranked}");
    let scaled = json(&[&["scale", "--gpus", "8..32"], &job[..]].concat());
    let gpus: Vec<f64> =
        scaled["points"].as_array().expect("points").iter().map(|point| number(point, "/gpus")).collect();
    assert_eq!(gpus, [8.0, 16.0, 32.0]);
}

#[test]
fn every_preset_is_forecast() {
    for example in EXAMPLES {
        let output = json(&["predict", "--preset", example.name, "--json"]);
        assert!(number(&output, "/step_s") > 0.0, "{}", example.name);
        assert_eq!(output["link"], example.link);
    }
    let list = text(&["--list-presets"]);
    for name in ["llama3-70b-512xh100", "gpt3-175b", "dgx-h100"] {
        assert!(list.contains(name), "{name}");
    }
}

#[test]
fn people_get_the_same_figures_in_words() {
    let words = text(&["predict", LINK]);
    for part in ["Llama-3 8B on 16 GPUs, DGX H100", "Step ", "MFU", "Forward", "Peak memory", "GiB", LINK] {
        assert!(words.contains(part), "{part:?} in:\n{words}");
    }
    assert!(words.lines().all(|line| line.len() < 140), "{words}");
}

#[test]
fn explain_says_formula_values_and_constants() {
    let words = text(&["explain", LINK, "--item", "mfu"]);
    assert!(words.contains("tokens per step \u{d7} model FLOPs per token"), "{words}");
    assert!(words.contains("gemm_efficiency_hopper") && words.contains("measured"), "{words}");
    let told = json(&["explain", LINK, "--item", "qkv_projection", "--json"]);
    assert_eq!(told.as_array().map(Vec::len), Some(3));
    assert!(told[0]["term"]["formula"]["values"].as_str().is_some_and(|text| text.contains("max(")));
    assert!(text(&["explain", LINK, "--items"]).contains("memory.weights"));
    assert!(refusal(&["explain", LINK, "--item", "luck"]).contains("This forecast has no item luck"));
}

#[test]
fn rank_answers_what_is_asked_of_it() {
    let found = json(&[
        "rank",
        LINK,
        "--top",
        "3",
        "--unfit",
        "2",
        "--against",
        "rule",
        "--against",
        "own",
        "--why",
        "1",
        "3",
        "--what-if",
        "--pareto",
        "--json",
    ]);
    let rows = found["top"].as_array().expect("rows");
    assert_eq!(rows.len(), 5, "three that fit, and two that do not");
    assert!(number(&rows[3], "/room") < 0.0 && number(&rows[4], "/room") <= number(&rows[3], "/room"));
    let against = found["against"].as_array().expect("two");
    assert_eq!(against.len(), 2);
    for other in against {
        let sum: f64 = other["terms"]
            .as_array()
            .expect("terms")
            .iter()
            .map(|term| number(term, "/other_s") - number(term, "/one_s"))
            .sum();
        let steps = (number(other, "/steps_s/0"), number(other, "/steps_s/1"));
        assert!((sum - (steps.1 - steps.0)).abs() < 1e-9, "{other}");
        assert!((number(other, "/ratio") - steps.1 / steps.0).abs() < 1e-12);
        assert!(number(other, "/low") < number(other, "/high"));
    }
    assert_eq!(number(&found["why"], "/steps_s/0"), number(&rows[0], "/step_s"));
    assert_eq!(number(&found["why"], "/steps_s/1"), number(&rows[2], "/step_s"));
    assert!(!found["influences"].as_array().expect("a list").is_empty());
    assert!(found["front"].as_array().expect("a list").len() > 1);
    let recommended = number(&found["recommended"], "/step_s");
    assert!(number(&found, "/recommended_interval_s/0") < recommended);
    let words = text(&["rank", LINK, "--top", "3", "--against", "rule", "--why", "1", "2", "--what-if"]);
    for part in
        ["Recommended: TP", "Compared with the rule of thumb", "sensitivity", "GiB more memory per GPU"]
    {
        assert!(words.contains(part), "{part:?} in:\n{words}");
    }
}

#[test]
fn rank_keeps_and_frees_what_it_is_told() {
    let kept = json(&["rank", LINK, "--fix", "tp,pp", "--top", "50", "--json"]);
    let own = json(&["predict", LINK, "--json"]);
    for row in kept["top"].as_array().expect("rows") {
        assert_eq!(row["plan"]["tensor_parallel"], own["plan"]["tensor_parallel"]);
        assert_eq!(row["plan"]["pipeline_parallel"], own["plan"]["pipeline_parallel"]);
    }
    let layouts = |arguments: &[&str]| {
        let all = [&["rank", LINK, "--top", "1", "--json"], arguments].concat();
        number(&json(&all), "/layouts")
    };
    let usual = layouts(&[]);
    assert!(number(&kept, "/layouts") < usual && usual < layouts(&["--free", "map"]));
    assert!(usual < layouts(&["--any-software"]));
    let (bounded, whole) = (json(&["rank", LINK, "--json"]), json(&["rank", LINK, "--exhaustive", "--json"]));
    assert_eq!(bounded["top"], whole["top"]);
    assert!(number(&bounded, "/timed") < number(&whole, "/timed"));
    let roomy = |percent: &str| {
        let words = json(&["rank", LINK, "--margin", percent, "--json"]);
        (number(&words, "/comfortable"), number(&words["recommended"], "/room"))
    };
    assert!(roomy("30").0 < roomy("1").0 && roomy("30").1 >= 0.3);
}

#[test]
fn rank_looks_for_the_number_of_gpus_that_reaches_a_goal() {
    let studied = |arguments: &[&str]| {
        let all =
            [&["rank", LINK, "--top", "1", "--json", "--gpus", "8,16,32", "--goal"], arguments].concat();
        let found = json(&all);
        assert_eq!(found["studies"][0]["points"].as_array().expect("points").len(), 3);
        let link = found["recommended"]["link"].as_str().expect("a link").to_owned();
        Document::from_link(&link).expect("readable").document.scenario().expect("legal").cluster.gpus
    };
    assert_eq!(studied(&["fastest"]), 32);
    assert_eq!(studied(&["gpu-hours"]), 8);
    assert_eq!(studied(&["deadline", "--days", "100000"]), 8);
    assert!(text(&["rank", LINK, "--goal", "cheapest", "--gpus", "8,16"]).contains("USD"));
}

#[test]
fn rank_looks_at_machines_and_ranges() {
    let places = ["rank", LINK, "--top", "1", "--clusters", "dgx-h100,dgx-b200", "--gpus", "8..32"];
    let found = json(&[&places[..], &["--json"]].concat());
    let studies = found["studies"].as_array().expect("studies");
    let machines: Vec<&str> = studies.iter().filter_map(|study| study["machine"].as_str()).collect();
    assert_eq!(machines, ["dgx-h100", "dgx-b200"]);
    for study in studies {
        let gpus: Vec<f64> =
            study["points"].as_array().expect("points").iter().map(|point| number(point, "/gpus")).collect();
        assert_eq!(gpus, [8.0, 16.0, 32.0]);
    }
    let link = found["recommended"]["link"].as_str().expect("a link");
    let job = Document::from_link(link).expect("readable").document;
    assert_eq!((job.text("g"), job.text("n")), ("dgx-b200", "32"), "the fastest of all");
    let front = json(&[&places[..], &["--pareto", "cost,time", "--json"]].concat());
    let front = front["front"].as_array().expect("a front").clone();
    assert!(
        front.len() > 1 && front.iter().all(|point| point["machine"] == "dgx-b200"),
        "dearer, and yet cheaper"
    );
    let words =
        text(&["scale", LINK, "--clusters", "dgx-h100,dgx-a100-80g", "--gpus", "8,16", "--mode", "weak"]);
    for part in ["dgx-h100", "dgx-a100-80g", "90 %", " to ", "layout"] {
        assert!(words.contains(part), "{part:?} in:\n{words}");
    }
    let kept = json(&["scale", LINK, "--gpus", "16", "--json"]);
    let best = json(&["scale", LINK, "--gpus", "16", "--best", "--json"]);
    let step = |found: &Value, at: &str| number(found, at);
    assert!(step(&best, "/studies/0/points/0/layout/step") <= step(&kept, "/points/0/step_s"));
}

#[test]
fn rank_says_how_layouts_are_spread() {
    let found = json(&["rank", LINK, "--top", "1", "--histogram", "--sampled", "100", "--json"]);
    let bins = found["histogram"].as_array().expect("bins");
    let all: f64 = bins.iter().map(|bin| number(bin, "/timed") + number(bin, "/left_out")).sum();
    assert_eq!(all, number(&found, "/fitting"));
    assert_eq!(number(&found, "/sampled/forecast"), 100.0);
    let regret = number(&found["sampled"]["best"], "/step_s") / number(&found["top"][0], "/step_s") - 1.0;
    assert!(number(&found, "/sampled/regret") >= 0.0 && regret >= 0.0);
    let whole = json(&["rank", LINK, "--top", "1", "--histogram", "--exhaustive", "--json"]);
    let left_out = |found: &Value| -> f64 {
        found["histogram"].as_array().expect("bins").iter().map(|bin| number(bin, "/left_out")).sum()
    };
    assert!(left_out(&whole) == 0.0 && left_out(&found) > 0.0);
    let words = text(&["rank", LINK, "--top", "1", "--histogram", "--sampled", "100", "--pareto"]);
    for part in ["step from", "###", "Coarse search over", "Pareto-optimal layouts", "Peak memory"] {
        assert!(words.contains(part), "{part:?} in:\n{words}");
    }
}

#[test]
fn rank_makes_a_job_as_large_as_fits() {
    for (goal, key) in [("longest-context", "seq"), ("largest-model", "layers"), ("largest-batch", "mb")] {
        let found = json(&["rank", LINK, "--top", "1", "--goal", goal, "--json"]);
        assert_eq!(found["largest"][0]["field"], key);
        let size =
            |at: &str| found["largest"][0][at].as_str().expect("text").parse::<f64>().expect("a number");
        assert!(size("found") > size("asked"), "{goal}");
        let link = found["top"][0]["link"].as_str().expect("a link");
        let document = Document::from_link(link).expect("readable").document;
        if key != "mb" {
            assert_eq!(document.text(key), found["largest"][0]["found"].as_str().expect("text"));
        }
    }
}

#[test]
fn rank_sorts_every_layout() {
    let output = json(&["rank", LINK, "--top", "7", "--json"]);
    let scenario = Document::from_link(LINK).expect("readable").document.scenario().expect("legal");
    let mut search = Predictor::SHIPPED.search(Space::new(&scenario, <_>::default()), Options::default());
    search.finish();
    let (candidates, counts) = (search.ranking().rows, search.counts());
    assert_eq!(output["layouts"], counts.layouts);
    let top = output["top"].as_array().expect("array");
    assert_eq!(top.len(), 7);
    for (entry, candidate) in top.iter().zip(&candidates) {
        assert_eq!(number(entry, "/step_s"), candidate.step.0);
        let link = entry["link"].as_str().expect("text");
        let again = json(&["predict", link, "--json"]);
        assert_eq!(again["plan"], entry["plan"], "the link is the layout");
        let detailed = number(&again, "/step_s") / candidate.step.0;
        assert!((detailed - 1.0).abs() < 1e-3, "{link} takes {detailed} of the ranked time");
    }
    // As many as asked for: those that fit first, the fastest of them first; each by its own forecast's memory.
    let all = json(&["rank", LINK, "--top", "100000", "--unfit", "10", "--json"]);
    let all = all["top"].as_array().expect("array");
    let fits = |entry: &Value| entry["fits"] == Value::Bool(true);
    let fitting = all.iter().filter(|entry| fits(entry)).count();
    assert!(fitting > 1 && fitting + 1 < all.len(), "{fitting} of {}", all.len());
    assert_eq!(output["fitting"], fitting);
    assert!(all[..fitting].iter().all(fits), "those that fit first");
    let steps: Vec<f64> = all[..fitting].iter().map(|entry| number(entry, "/step_s")).collect();
    assert!(steps.is_sorted(), "sorted");
    for entry in [&all[0], &all[fitting - 1], &all[fitting], &all[all.len() - 1]] {
        let memory = &json(&["predict", entry["link"].as_str().expect("text"), "--json"])["memory"];
        let fits = number(memory, "/peak_gib") <= number(memory, "/usable_gib");
        assert_eq!(entry["fits"], Value::Bool(fits), "{entry}");
    }
    let words = text(&["rank", LINK, "--top", "3"]);
    assert!(words.contains("layouts") && words.contains("tok/s/GPU"), "{words}");
    let lines = |arguments: &[&str]| {
        let words = text(&[&["rank", LINK, "--top", "4"], arguments].concat());
        let rows = words.lines().skip_while(|line| !line.contains("tok/s/GPU")).skip(1);
        rows.take(4).map(str::to_owned).collect::<Vec<_>>()
    };
    let numbers = |lines: &[String]| -> Vec<usize> {
        let number = |line: &String| line.split_whitespace().next()?.trim_start_matches('~').parse().ok();
        lines.iter().filter_map(number).collect()
    };
    assert_eq!(numbers(&lines(&["--variants"])), [1, 2, 3, 4]);
    let heads: Vec<usize> = all
        .iter()
        .filter(|row| row["row"].is_number() && row["row"] == row["family"])
        .map(|row| number(row, "/row") as usize)
        .collect();
    assert_eq!(numbers(&lines(&[])), heads[..4], "variants stand under their first");
    let words = text(&["rank", LINK, "--top", "50"]);
    let second = |line: &str| line.split_whitespace().nth(1).unwrap_or_default().to_owned();
    assert!(words.lines().any(|line| second(line).starts_with('+')), "{words}");
    let words = text(&["rank", LINK, "--top", "0"]);
    assert!(words.contains("No layouts printed") && !words.contains("tok/s/GPU"), "{words}");
}

#[test]
fn bad_input_is_refused_with_sentences() {
    let list = file("list.json", "[1, 2]");
    let nested = file("nested.json", r#"{"tp": [8]}"#);
    let broken = file("broken.json", "{");
    for (arguments, part) in [
        (vec!["predict", "#1;tp=3"], "tp: 64 attention heads are not divisible by TP 3. Set TP to 2 or 4."),
        (vec!["predict", "#1;gb=1e99"], "gb: "),
        (vec!["predict", "#3;tp=4"], "format 3"),
        (vec!["predict", "#1;tp"], "has no value"),
        (vec!["predict", "missing.json"], "missing.json"),
        (vec!["predict", list.to_str().expect("UTF-8")], "one JSON object"),
        (vec!["predict", nested.to_str().expect("UTF-8")], "tp: "),
        (vec!["predict", broken.to_str().expect("UTF-8")], "is not JSON"),
        (vec!["predict", "--preset", "gpt5"], "Unknown preset gpt5. Run stepcast --list-presets"),
        (vec!["predict", LINK, "--set", "tp"], "KEY=VALUE"),
        (vec!["predict", LINK, "--set", "flavour=8"], "unknown field flavour. Run stepcast --list-fields"),
        (
            vec!["predict", LINK, "--set", "n=10"],
            "n: 10 GPUs are not divisible by 8 GPUs per node. Set the number of GPUs to 8 or 16.",
        ),
        (vec!["predict"], "--model llama3-8b --machine dgx-h100 --gpus 8"),
        (
            vec!["predict", "--model", "llama3-8b", "--gpus", "8", "--tensor-parallel", "3"],
            "--tensor-parallel: 32 attention heads are not divisible by TP 3.",
        ),
        (vec!["predict", "--model", "llama3-8b", "--gpus", "8,16"], "--gpus: "),
        (
            vec!["predict", "--model", "llama3-70b", "--gpus", "60"],
            "--gpus: 60 GPUs are not divisible by 8 GPUs per node. Set the number of GPUs to 56 or 64.",
        ),
        (vec!["predict", "--model", "llama3-8b", "--batch-size", "512"], "'--global-batch', '--micro-batch'"),
        (vec!["predict", "--model", "llama3-8b", "--tokens", "1T"], "'--set tokens=VALUE'"),
        (vec!["predict", "llama3-8b on 8 H100, hey"], "\u{201c}hey\u{201d} is not understood"),
        (vec!["--json"], "--list-presets"),
        (vec!["rank", "#1;tp=zero"], "tp: "),
        (vec!["rank", LINK, "--clusters", "no-such"], "Unknown machine no-such. Use dgx-h100,"),
        (vec!["rank", LINK, "--gpus", "8..x"], "x is not a number of GPUs"),
        (vec!["rank", LINK, "--pareto", "time,time"], "two of time, memory,"),
        (vec!["validate", "missing.csv"], "missing.csv does not exist."),
        (vec!["unknown"], "unknown"),
        (vec![], "Usage"),
    ] {
        let sentences = refusal(&arguments);
        assert!(sentences.contains(part), "{arguments:?}: {sentences}");
    }
}

/// Lines that are no text, too long or wrong are answered like the others, in their places.
#[test]
fn every_line_is_answered_whatever_the_others_hold() {
    let long = [b"{\"m\":\"".as_slice(), &vec![b'x'; 3 << 20], b"\"}"].concat();
    let lines: [&[u8]; 7] = [
        b"\xff\xfe{\"m\":1}",
        &long,
        br#"{"model":"llama3-8b","gpus":64}"#,
        b"{}",
        b"#1;m=llama3-8b;g=dgx-h100;n=64;tp=1;sp=0;pp=1;flavour=8",
        b"",
        LINK.as_bytes(),
    ];
    let mut child = Command::new(env!("CARGO_BIN_EXE_stepcast"))
        .args(["predict", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("runs");
    let mut input = child.stdin.take().expect("an input");
    input.write_all(&lines.join(&b'\n')).expect("is read");
    drop(input);
    let output = child.wait_with_output().expect("ends");
    assert!(output.status.success());
    let answers: Vec<Value> =
        output.stdout.lines().map(|line| serde_json::from_str(&line.expect("text")).expect("JSON")).collect();
    let said = |at: usize| answers[at]["problems"].to_string();
    assert_eq!(answers.len(), 6);
    assert!(said(0).contains("UTF-8"), "{}", said(0));
    assert!(said(1).contains("too long"), "{}", said(1));
    assert!(said(2).contains("unknown field model. Use m."), "{}", said(2));
    assert!(said(2).contains("unknown field gpus. Use n."), "{}", said(2));
    assert!(said(3).contains("Name a model (m)"), "{}", said(3));
    assert!(number(&answers[4], "/step_s") > 0.0);
    assert_eq!(number(&answers[5], "/step_s"), number(&json(&["predict", LINK, "--json"]), "/step_s"));
    let notices = String::from_utf8(output.stderr).expect("text");
    assert!(notices.starts_with("Line 5: ") && notices.contains("flavour"), "{notices}");
}

#[test]
fn unknown_keys_of_a_link_are_reported_and_kept() {
    let output = stepcast(&["predict", &format!("{LINK};flavour=8"), "--json"]);
    assert!(output.status.success());
    assert!(String::from_utf8_lossy(&output.stderr).contains("flavour"));
    let json: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(json["link"], format!("{LINK};flavour=8"));
}

#[test]
fn a_timeline_has_every_pass_and_becomes_a_trace() {
    let replayed = json(&["timeline", LINK, "--json"]);
    let events = replayed["events"].as_array().expect("a list");
    // 16 micro-batches through 2 stages, forward and backward.
    assert_eq!(events.len(), 64);
    assert_eq!(number(&replayed, "/step_s"), number(&json(&["predict", LINK, "--json"]), "/step_s"));
    let trace: Value = serde_json::from_str(&text(&["timeline", LINK, "--trace"])).expect("JSON");
    assert_eq!(trace["traceEvents"].as_array().expect("a list").len(), 2 + events.len());
    assert!(text(&["timeline", LINK]).contains("Passes: "));
}
