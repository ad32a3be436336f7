//! `stepcast validate` on the command line.

use crate::command::{json, number, refusal, stepcast, text};
use std::path::PathBuf;

/// A file of the test's own.
fn file(name: &str, content: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, content).expect("writable");
    path
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

/// Every run that can be forecast is of one class.
#[test]
fn classes_of_jobs_share_out_the_runs() {
    let runs = "evidence/runs.tsv";
    let table = json(&["validate", runs, "--by-class", "--json"]);
    let lines = table["classes"].as_array().expect("a list");
    let (all, classes) = lines.split_last().expect("a line for all");
    assert!(all["class"].is_null());
    for figures in ["first", "now"] {
        let n = |line: &serde_json::Value| line[figures]["n"].as_u64().unwrap_or(0);
        assert_eq!(classes.iter().map(n).sum::<u64>(), n(all));
        assert!(n(all) > 1800, "{}", n(all));
    }
    let report = json(&["validate", runs, "--json"]);
    let rows = report["rows"].as_array().expect("rows");
    // All rows can be forecast.
    assert_eq!(all["now"]["n"].as_u64(), Some(rows.len() as u64));
    let table_of_runs = std::fs::read_to_string(runs).expect("a table");
    let doubted = |line: &&str| {
        let flag = line.rsplit('\t').nth(1).unwrap_or("");
        !flag.starts_with("doubt") && !line.contains("doubt:")
    };
    let lines_of_runs = table_of_runs.lines().filter(|line| !line.starts_with('#')).skip(1);
    let assumed = |row: &serde_json::Value| row["assumed"].to_string().contains("the machine's own network");
    let sure = lines_of_runs.zip(rows).filter(|(line, row)| doubted(line) && !assumed(row)).count();
    assert_eq!(table["stated"]["now"]["n"].as_u64(), Some(sure as u64));
    let words = text(&["validate", runs, "--by-class"]);
    let bands = table["utilisation"].as_array().expect("a list");
    assert_eq!(words.lines().count(), 2 * (lines.len() + 2) + 1 + bands.len() + 2 + 2, "{words}");
    // Widths are of the same runs, and bands of the dense among them that a form takes.
    let runs = |line: &serde_json::Value| line["widths"]["n"].as_u64().expect("a count");
    let dense = |line: &&serde_json::Value| line["class"]["experts"] == false;
    assert_eq!(runs(all), all["now"]["n"].as_u64().expect("a count"));
    let of_dense: u64 = classes.iter().filter(dense).map(runs).sum();
    let of_bands: u64 = bands.iter().map(runs).sum();
    assert!(of_bands <= of_dense && of_bands * 20 > of_dense * 19, "{of_bands} of {of_dense}");
    // Nine of ten lie within what holds nine of ten: an interval that is wider holds more.
    for line in lines {
        let widths = &line["widths"];
        let (wide, nine) = (widths["half_width"].as_f64(), widths["nine_of_ten_now"].as_f64());
        assert!(wide > Some(0.1) && nine > Some(0.0), "{line}");
    }
}

/// Errors by set of runs: those of one set are those of a file of its own.
#[test]
fn looks_are_told_apart() {
    let runs = std::fs::read_to_string("evidence/runs.tsv").expect("a table");
    let of_look = |line: &&str| {
        let cell = line.split('\t').nth(2);
        cell == Some("look") || cell == Some("ninth")
    };
    let ninth = file("ninth.tsv", &runs.lines().filter(of_look).collect::<Vec<_>>().join("\n"));
    let ninth = ninth.to_str().expect("UTF-8");
    let looks = text(&["validate", "evidence/runs.tsv", "--by-look"]);
    let line = looks.lines().find(|line| line.starts_with("| ninth ")).expect("the set");
    let cells = |line: &str| line.split('|').map(|cell| cell.trim().to_owned()).collect::<Vec<_>>();
    let alone = text(&["validate", ninth, "--by-look"]);
    assert_eq!(cells(line), cells(alone.lines().nth(2).expect("one line")));
    let classes = json(&["validate", ninth, "--by-class", "--json"]);
    let all = classes["classes"].as_array().and_then(|lines| lines.last()).expect("a line for all");
    let error = format!("{:.1} %", 100.0 * number(all, "/now/mean_of_medians"));
    assert_eq!(cells(line)[7], error);
}

/// A reported run is a row of `evidence/runs.tsv`: with what its job leaves open, its forecast as the first one, and read as any.
#[test]
fn a_reported_run_is_a_row_of_the_evidence() {
    let table = std::fs::read_to_string("evidence/runs.tsv").expect("a table");
    let header = table.lines().find(|line| !line.starts_with('#')).expect("a header");
    let report = |more: &[&str]| {
        let job =
            ["run-report", "Llama-3.1 8B on 16 H100", "--set", "tp=2", "--set", "gb=64", "--seconds", "3.5"];
        let of = ["--source", "a-team", "--notes", "example.org/log:\tmean of 20 steps"];
        text(&[&job[..], &of, more].concat())
    };
    let row = report(&["--unstated", "attn", "--doubt", "the batch"]);
    let names: Vec<&str> = header.split('\t').collect();
    let cells: Vec<&str> = row.trim_end().split('\t').collect();
    assert_eq!(names.len(), cells.len(), "{row}");
    let cell = |name: &str| cells[names.iter().position(|column| *column == name).expect(name)];
    assert_eq!((cell("id"), cell("iteration_s"), cell("flag")), ("a-team-01", "3.5", "doubt: the batch"));
    assert_eq!(cell("notes"), "example.org/log: mean of 20 steps");
    let open: Vec<&str> = cell("unstated").split(' ').collect();
    assert!(["seq", "prec", "stack", "pp", "rc", "attn"].iter().all(|key| open.contains(key)), "{open:?}");
    assert!(["tp", "gb", "n", "m"].iter().all(|key| !open.contains(key)), "{open:?}");
    let path = file("report.tsv", &format!("{header}\n{row}"));
    let path = path.to_str().expect("UTF-8");
    let read = &json(&["validate", path, "--json"])["rows"][0];
    for (column, key) in [("first_s", "/predicted_s"), ("first_low_s", "/low_s"), ("first_high_s", "/high_s")]
    {
        let written: f64 = cell(column).parse().expect("seconds");
        assert!((written - number(read, key)).abs() < 1e-6, "{column}");
    }
    // A link without a layout says too little of a run, and a key has to be one.
    let bare =
        file("bare.tsv", &format!("{header}\n{}", row.replace(cell("job"), "2;m=llama3-8b;g=dgx-h100;n=16")));
    let skipped = json(&["validate", bare.to_str().expect("UTF-8"), "--json"]);
    assert!(skipped["rows"][0]["skipped"].to_string().contains("leaves its layout open"), "{skipped}");
    let wrong =
        ["run-report", "Llama-3.1 8B on 16 H100", "--seconds", "3.5", "--source", "a", "--notes", "b"];
    assert!(refusal(&[&wrong[..], &["--unstated", "none"]].concat()).contains("--unstated none"));
    assert!(
        refusal(&[
            "run-report",
            "Llama-3.1 8B on 16 H100",
            "--seconds",
            "0",
            "--source",
            "a",
            "--notes",
            "b"
        ])
        .contains("--seconds")
    );
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
    for part in ["| source", "| never-seen |", "Mean of the medians per source", "not a whole number"] {
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
