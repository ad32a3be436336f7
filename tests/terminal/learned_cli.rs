//! Learned operators on the command line.

use crate::command::{json, number, refusal, stepcast, text};
use serde_json::Value;
use std::path::PathBuf;

/// Llama-2 7B as the paper ran Llemma-7B: 4 stages, tensor 2, data 2, full recomputation.
const LINK: &str =
    "#1;m=llama2-7b;g=perlmutter;n=16;tp=2;sp=0;pp=4;mb=4;gb=64;seq=4k;rc=full;prec=fp16;zero=1";

/// A folder of small sample files: a norm, and an all-reduce as nccl-tests prints it.
fn folder(name: &str) -> String {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&path).expect("writable");
    let mut norm = "b,l,dim,F_dur(us),B_dur(us)\n".to_owned();
    for b in [1, 2, 4, 8] {
        for l in [1024, 2048, 4096] {
            for dim in [2048, 4096, 8192] {
                let time = 8.0 + f64::from(b * l * dim) * 4.0 / 2.5e6;
                norm.push_str(&format!("{b},{l},{dim},{time},{}\n", 1.5 * time));
            }
        }
    }
    // Faster than any memory, and not a number.
    norm.push_str("8,8192,8192,1,700\n8,x,8192,1,1\n");
    std::fs::write(path.join("layernorm.csv"), norm).expect("writable");
    let mut nccl = "#  Rank  0 Group  0 Pid 1 on a device 0\n#  Rank  1 Group  0 Pid 1 on a device 1\n\
                    # size count type redop root time algbw busbw #wrong\n"
        .to_owned();
    for power in 16..31 {
        let bytes = 1_u64 << power;
        let time = 15.0 + bytes as f64 / 2e5;
        nccl.push_str(&format!("{bytes} {} float sum -1 {time} 1 1 0\n", bytes / 4));
    }
    std::fs::write(path.join("all_reduce_perf.txt"), nccl).expect("writable");
    std::fs::write(path.join("notes.txt"), "not samples\n").expect("writable");
    path.to_str().expect("UTF-8").to_owned()
}

#[test]
fn a_folder_is_fitted_and_its_bad_rows_are_named() {
    let folder = folder("fit");
    let output = stepcast(&["operators", "fit", &folder, "--machine", "dgx-h100", "--json"]);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(errors.contains("layernorm.csv:39: l \"x\" is not a number."), "{errors}");
    let output: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let sets = output["sets"].as_array().expect("a list");
    let names: Vec<&str> = sets.iter().map(|set| set["name"].as_str().expect("a name")).collect();
    assert_eq!(names, ["allreduce_1_2", "layernorm", "layernorm"]);
    assert_eq!(sets[1]["direction"], "forward");
    assert_eq!((number(&sets[1], "/rows"), number(&sets[1], "/rejected")), (36.0, 1.0));
    assert_eq!(sets[1]["reasons"][0]["reason"], "faster_than_memory");
    for split in ["random", "extrapolate"] {
        for regressor in ["forest", "boosted", "physics", "hybrid"] {
            assert!(number(&output, &format!("/mean/{split}/{regressor}")).is_finite());
        }
        assert!(number(&output, &format!("/mean/{split}/hybrid")) < 0.02);
    }
    assert!(refusal(&["operators", "fit", &folder]).contains("--machine"));
    assert!(refusal(&["operators", "fit", "nowhere"]).contains("nowhere"));
}

#[test]
fn a_profile_is_trained_and_forecast_with() {
    let profile = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("own.profile");
    let profile = profile.to_str().expect("UTF-8");
    let printed = text(&["operators", "train", &folder("train"), profile, "--machine", "dgx-h100"]);
    assert!(printed.contains("layernorm") && printed.contains("own.profile"), "{printed}");
    let with = |more: &[&str]| {
        number(
            &json(&[&["predict", "#1;m=llama3-8b;g=dgx-h100;n=8;tp=2;sp=0;pp=1", "--json"], more].concat()),
            "/step_s",
        )
    };
    // The folder's links are much slower than an H100's.
    assert!(with(&["--profile", profile]) > 1.01 * with(&[]));
}

#[test]
fn the_papers_run_is_forecast_from_its_samples() {
    let output = json(&["predict", LINK, "--profile", "perlmutter", "--json"]);
    let step = number(&output, "/step_s");
    assert!((step / 9.36 - 1.0).abs() < 0.05, "{step}");
    assert!(number(&output, "/paper_timeline_s") > step);
    let layers: f64 = (0..4).map(|stage| number(&output, &format!("/stages/{stage}/layers"))).sum();
    assert_eq!(layers, 32.0);
    let operators = output["operators"].as_array().expect("a list");
    let rests_on = |operator: &str| {
        operators.iter().find(|row| row["operator"] == operator).map(|row| row["provenance"].clone())
    };
    assert_eq!(rests_on("linear1"), Some("measured".into()));
    assert_eq!(rests_on("swi_glu"), Some("default".into()));
    let printed = text(&["predict", LINK, "--profile", "perlmutter"]);
    assert!(printed.contains("Outside the samples: swiglu"), "{printed}");
}

#[test]
fn profiles_of_gpus_correct_the_detailed_forecast() {
    let link = "#1;m=llama3-70b;g=dgx-h100;n=512;tp=8;pp=4";
    let step = |more: &[&str]| number(&json(&[&["predict", link, "--json"], more].concat()), "/step_s");
    let ratio = step(&["--profile", "h100"]) / step(&[]);
    assert!((0.9..1.1).contains(&ratio) && ratio != 1.0, "{ratio}");
    assert!(refusal(&["predict", link, "--profile", "h9000"]).contains("perlmutter, vista, a100"));
    assert!(refusal(&["predict", link, "--cost-model", "operators"]).contains("--profile"));
    assert!(refusal(&["predict", link, "--layers", "neox"]).contains("--cost-model operators"));
}

#[test]
fn own_runs_move_what_they_are_evidence_for() {
    let link = "#1;m=llama3-70b;g=dgx-h100;n=512;tp=8;pp=4";
    let forecast = number(&json(&["predict", link, "--json"]), "/step_s");
    let measured = (1.1 * forecast).to_string();
    let output = json(&["calibrate-run", "--run", link, &measured, "--json"]);
    assert!(number(&output, "/factors/compute") > 1.05);
    assert!((number(&output, "/ratios/0/1") - 1.0).abs() < 0.02);
    let argument = output["argument"].as_str().expect("text");
    let again = number(&json(&["predict", link, "--factors", argument, "--json"]), "/step_s");
    assert!((again / (1.1 * forecast) - 1.0).abs() < 0.02, "{again}");
    assert!(text(&["calibrate-run", "--run", link, &measured]).contains("--factors compute="));
    assert!(refusal(&["calibrate-run", "--run", link, "soon"]).contains("soon"));
    assert!(refusal(&["predict", link, "--factors", "luck=2"]).contains("luck"));
}
