//! The command line, run as users run it.

#[path = "support/command.rs"]
mod command;

use command::{json, number, refusal, stepcast, text};
use serde_json::Value;
use std::path::PathBuf;
use stepcast::document::Document;
use stepcast::document::examples::EXAMPLES;
use stepcast::forecast::Predictor;

use stepcast::tuner::{Free, Options, Space};

const LINK: &str = "#1;m=llama3-8b;g=dgx-h100;n=16;gb=64;tp=2;pp=2";

/// A file of the test's own.
fn file(name: &str, content: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, content).expect("writable");
    path
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
        r#"{"tp": 2, "pp": "2", "gb": 64, "n": "2x8", "sp": true, "g": "dgx-h100", "m": "llama3-8b"}"#,
    );
    let from_json = from_json.to_str().expect("UTF-8");
    let url = format!("https://example.org/stepcast/{LINK}");
    let fragment = LINK.trim_start_matches('#');
    let edits = ["--set", "m=llama3-8b", "--set", "n=16", "--set", "gb=64", "--set", "tp=2", "--set", "pp=2"];
    for arguments in [
        vec!["predict", &url, "--json"],
        vec!["predict", fragment, "--json"],
        vec!["predict", from_json, "--json"],
        [&["predict", "--json"], &edits[..]].concat(),
        vec!["predict", "#1;m=llama3-8b;n=16;gb=64;tp=4;pp=2", "--set", "tp=2", "--json"],
    ] {
        assert_eq!(json(&arguments)["step_s"], reference["step_s"], "{arguments:?}");
    }
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
    for part in ["Llama-3 8B on 16 GPUs, DGX H100", "Step ", "MFU", "Forward", "Memory", "GiB", LINK] {
        assert!(words.contains(part), "{part:?} in:\n{words}");
    }
    assert!(words.lines().all(|line| line.len() < 140), "{words}");
}

#[test]
fn explain_says_formula_values_and_constants() {
    let words = text(&["explain", LINK, "--item", "mfu"]);
    assert!(words.contains("tokens of a step \u{d7} FLOPs that the model needs for a token"), "{words}");
    assert!(words.contains("gemm_efficiency_hopper") && words.contains("measured"), "{words}");
    let told = json(&["explain", LINK, "--item", "qkv_projection", "--json"]);
    assert_eq!(told.as_array().map(Vec::len), Some(3));
    assert!(told[0]["term"]["formula"]["values"].as_str().is_some_and(|text| text.contains("max(")));
    assert!(text(&["explain", LINK, "--items"]).contains("memory.weights"));
    assert!(refusal(&["explain", LINK, "--item", "luck"]).contains("There is no luck"));
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
    for part in ["Take TP", "Against the rule of thumb", "a fifth less or more", "GiB more on every GPU"] {
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
    for part in
        ["step from", "###", "layouts of a coarse grid", "layouts that none beats in both", "Peak memory"]
    {
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
    let mut search = Predictor::SHIPPED.search(Space::new(&scenario, Free::default()), Options::default());
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
    assert!(words.contains("None of them is listed") && !words.contains("tok/s/GPU"), "{words}");
}

#[test]
fn bad_input_is_refused_with_sentences() {
    let list = file("list.json", "[1, 2]");
    let nested = file("nested.json", r#"{"tp": [8]}"#);
    let broken = file("broken.json", "{");
    for (arguments, part) in [
        (
            vec!["predict", "#1;tp=3"],
            "tp: Tensor parallel 3 does not divide the 64 attention heads; use 2 or 4.",
        ),
        (vec!["predict", "#1;gb=1e99"], "gb: "),
        (vec!["predict", "#2;tp=4"], "format 2"),
        (vec!["predict", "#1;tp"], "has no value"),
        (vec!["predict", "missing.json"], "missing.json"),
        (vec!["predict", list.to_str().expect("UTF-8")], "one JSON object"),
        (vec!["predict", nested.to_str().expect("UTF-8")], "tp: "),
        (vec!["predict", broken.to_str().expect("UTF-8")], "is not JSON"),
        (vec!["predict", "--preset", "gpt5"], "no preset gpt5"),
        (vec!["predict", LINK, "--set", "tp"], "KEY=VALUE"),
        (vec!["predict", LINK, "--set", "flavour=8"], "no field flavour"),
        (vec!["predict", LINK, "--set", "n=10"], "n: 10 GPUs do not fill nodes of 8; use 8 or 16."),
        (vec!["predict"], "Give a scenario"),
        (vec!["rank", "#1;tp=zero"], "tp: "),
        (vec!["rank", LINK, "--clusters", "no-such"], "There is no cluster no-such; use dgx-h100,"),
        (vec!["rank", LINK, "--gpus", "8..x"], "x is no number of GPUs"),
        (vec!["rank", LINK, "--pareto", "time,time"], "two of time, memory,"),
        (vec!["validate", "missing.csv"], "missing.csv does not exist."),
        (vec!["unknown"], "unknown"),
        (vec![], "Usage"),
    ] {
        let sentences = refusal(&arguments);
        assert!(sentences.contains(part), "{arguments:?}: {sentences}");
    }
}

#[test]
fn unknown_keys_of_a_link_are_reported_and_kept() {
    let output = stepcast(&["predict", &format!("{LINK};flavour=8"), "--json"]);
    assert!(output.status.success());
    assert!(String::from_utf8_lossy(&output.stderr).contains("flavour"));
    let json: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(json["link"], format!("{LINK};flavour=8"));
}

const HEADER: &str = "id,source,stack,year,model,layers,hidden,ffn,heads,kv_heads,head_dim,vocab,seq,gated_mlp,\
                      attention,experts,gpu,gpus,gpus_per_node,nvlink_domain,node_gbps,precision,tp,sp,cp,pp,vpp,dp,\
                      zero,mbs,gbs,recompute,tp_overlap,dp_overlap,iteration_s,flag";

#[test]
fn recipes_are_set_against_a_search() {
    let row = |id: &str, seconds: &str, cp: u32| {
        format!(
            "{id},a,nemo,2025,x,32,4096,14336,32,8,128,128256,8192,1,gqa,,h100-80g,8,8,8,3200,bf16,\
             1,0,{cp},1,1,{},1,1,128,none,1,1,{seconds},",
            8 / cp
        )
    };
    let lines = [HEADER.to_owned(), row("a-1", "13.5", 2), row("a-2", "27", 1)];
    let path = file("recipes.csv", &lines.join("\n"));
    let path = path.to_str().expect("UTF-8");
    let found = json(&["validate", path, "--recipes", "--json"]);
    assert_eq!(found.as_array().map(Vec::len), Some(1), "the fastest of its model and size");
    assert_eq!(found[0]["id"], "a-1");
    assert!(number(&found[0], "/forecast_s") >= number(&found[0], "/found/step"));
    let text = stepcast(&["validate", path, "--recipes"]);
    let text = String::from_utf8_lossy(&text.stdout).into_owned();
    assert!(text.contains("| a-1 ") && text.contains("| h100-80g and gb200 |"), "{text}");
}

/// Every run that can be forecast is of one class; what sources state in words replaces columns.
#[test]
fn classes_of_jobs_share_out_the_runs() {
    let (unseen, fresh) = ("tests/unseen.csv", "tests/fresh.csv");
    let of = |arguments: &[&str]| json(&[&["validate", unseen, "--by-class", fresh][..], arguments].concat());
    let table = of(&["--json"]);
    let lines = table.as_array().expect("a list");
    let (all, classes) = lines.split_last().expect("a line for all");
    assert!(all["class"].is_null());
    for figures in ["first", "now"] {
        let n = |line: &serde_json::Value| line[figures]["n"].as_u64().unwrap_or(0);
        assert_eq!(classes.iter().map(n).sum::<u64>(), n(all));
        assert!(n(all) > 400, "{}", n(all));
    }
    let stated = of(&["--json", "--stated", "tests/stated.tsv"]);
    let now = |table: &serde_json::Value| table[lines.len() - 1]["now"]["mean_of_medians"].as_f64();
    assert!(now(&stated) < now(&table), "{:?} {:?}", now(&stated), now(&table));
    let words = text(&["validate", unseen, "--by-class", fresh]);
    assert_eq!(words.lines().count(), lines.len() + 2, "{words}");
    assert!(refusal(&["validate", unseen, "--by-class", "--stated", "missing.tsv"]).contains("missing.tsv"));
}

#[test]
fn validate_reads_any_file_of_the_format() {
    let row = |id: &str, source: &str, stack: &str, experts: &str, gpu: &str, seconds: &str, flag: &str| {
        format!(
            "{id},{source},{stack},2025,x,32,4096,14336,32,8,128,128256,8192,1,gqa,{experts},{gpu},8,8,8,3200,bf16,\
             1,0,2,1,1,4,1,1,128,none,1,1,{seconds},{flag}"
        )
    };
    let lines = [
        HEADER.to_owned(),
        row("a-1", "a", "nemo", "", "h100-80g", "13.5", ""),
        row("a-2", "a", "nemo", "", "h100-80g", "27", ""),
        row("b-1", "never-seen", "a-stack-of-2031", "", "h100-80g", "14", ""),
        row("b-2", "never-seen", "nemo", "many", "h100-80g", "14", ""),
        row("b-3", "never-seen", "nemo", "", "tpu-v9", "14", ""),
        row("b-4", "never-seen", "nemo", "", "h100-80g", "99", "drop: twice as slow"),
        row("b-5", "never-seen", "nemo", "", "h100-80g", "", ""),
    ];
    let path = file("runs.csv", &format!("\u{feff}{}\r\n", lines.join("\r\n")));
    let path = path.to_str().expect("UTF-8");
    let report = json(&["validate", path, "--json"]);
    let rows = report["rows"].as_array().expect("array");
    assert_eq!(rows.len(), 7);
    assert_eq!((rows[0]["id"].as_str(), rows[0]["source"].as_str()), (Some("a-1"), Some("a")));
    assert_eq!(number(&rows[0], "/measured_s"), 13.5);
    assert!(number(&rows[0], "/predicted_s") > 1.0 && rows[0]["skipped"].is_null());
    assert!(number(&rows[2], "/predicted_s") > 1.0, "an unknown stack is forecast");
    for skipped in [3, 4, 6] {
        assert!(
            rows[skipped]["predicted_s"].is_null() && rows[skipped]["skipped"].is_string(),
            "row {skipped}"
        );
    }
    let sources = report["sources"].as_array().expect("array");
    assert_eq!(sources.len(), 2);
    assert_eq!((sources[0]["n"].as_u64(), sources[1]["n"].as_u64()), (Some(2), Some(1)));
    assert_eq!(sources[1]["skipped"], 3);
    let medians = (number(&sources[0], "/median_ape") + number(&sources[1], "/median_ape")) / 2.0;
    assert!((number(&report, "/mean_of_medians") - medians).abs() < 1e-12);
    for key in ["mape", "bias", "within_10"] {
        assert!(sources[0][key].is_number(), "{key}");
    }
    let words = text(&["validate", path]);
    for part in ["| source", "| never-seen |", "Mean of the sources' medians", "not a whole number"] {
        assert!(words.contains(part), "{part:?} in:\n{words}");
    }
    // The same columns with a measured peak for the step's time.
    let peaks = lines[..2].join("\n").replace("iteration_s", "peak_gib").replace(",13.5,", ",60,");
    let peaks = file("peaks.csv", &peaks);
    let peaks = peaks.to_str().expect("UTF-8");
    let report = json(&["validate", "--memory", peaks, "--json"]);
    assert_eq!(
        (report["rows"][0]["id"].as_str(), number(&report, "/rows/0/measured_gib")),
        (Some("a-1"), 60.0)
    );
    let error = (number(&report, "/rows/0/predicted_gib") / 60.0 - 1.0).abs();
    assert_eq!((report["n"].as_u64(), number(&report, "/worst")), (Some(1), error));
    assert!(text(&["validate", "--memory", peaks]).contains("1 rows: median error"));
    assert!(refusal(&["validate", "--memory", path]).contains("peak_gib"));
    let no_times = file("no_times.csv", "id,source\n1,a\n");
    assert!(refusal(&["validate", no_times.to_str().expect("UTF-8")]).contains("iteration_s"));
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
    assert!(text(&["timeline", LINK]).contains("The passes take "));
}

#[test]
fn validate_compares_kernels_and_collectives() {
    let kernels = file(
        "kernels.csv",
        "gpu,kernel,dtype,shape,direction,time_us,tflops,detail,source\n\
         NVIDIA H200,GEMM,bfloat16,m=4096 n=4096 k=4096,fwd,200,687,,test\n\
         NVIDIA H200,GEMM,fp8,m=4096 n=4096 k=4096,fwd,130,1057,,test\n\
         H100-80GB-SXM5,attention FlashAttention-3,fp16,\"seqlen=4096 headdim=128 causal; 16k\",fwd,,579,,test\n\
         AMD MI300X,\"GEMM (best achievable, MAMF)\",bf16,,fwd,,672,,test\n",
    );
    let collectives = file(
        "nccl.csv",
        "gpu,platform,transport,nodes,gpus_per_node,collective,bytes,algbw_GBps,busbw_GBps,source\n\
         NVIDIA H200,h200_sxm,NVLink,1,8,all_gather,134217728,340,298,test\n\
         NVIDIA H200,h200_sxm,NVLink,1,8,alltoall,134217728,330,290,test\n\
         NVIDIA H200,h200_sxm,NVLink,1,8,all_gather,512,0.1,0.1,test\n",
    );
    let (kernels, collectives) = (kernels.to_str().expect("UTF-8"), collectives.to_str().expect("UTF-8"));
    let report = json(&["validate", "--kernels", kernels, "--collectives", collectives, "--json"]);
    let groups = report["groups"].as_array().expect("array");
    assert_eq!(groups.len(), 5);
    for group in groups {
        assert_eq!(group["n"], 1);
        assert!(group["median_ape"].as_f64().expect("number") < 0.15, "{group}");
    }
    let pooled: Vec<&str> = report["pooled"]
        .as_array()
        .expect("array")
        .iter()
        .filter_map(|group| group["kind"].as_str())
        .collect();
    let classes = ["GEMM, 16 bits", "GEMM, FP8 and FP4", "attention", "collectives, 1 MB and more"];
    assert_eq!(pooled, classes);
    assert_eq!(report["unused"]["below 64 KiB"], 1);
    assert_eq!(report["unused"]["best rate of any shape, which it does not name"], 1);
    let words = text(&["validate", "--collectives", collectives]);
    assert!(words.contains("| all-to-all") && words.contains("Not used, below 64 KiB: 1"), "{words}");
    assert!(refusal(&["validate", "--kernels", collectives]).contains("no column kernel"));
    assert!(refusal(&["validate", kernels, "--kernels", kernels]).contains("cannot be used with"));
}
