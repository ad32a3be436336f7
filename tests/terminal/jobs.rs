//! Other tools' files and words as jobs of every command: what is read, what is missing, and what is said of it.

use crate::command::{json, number, refusal, stepcast, text};
use serde_json::Value;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use stepcast::document::Document;
use stepcast::exchange::{Import, ImportError, import, import_with};
use stepcast::fields::{FIELDS, FieldGroup};

const LINK: &str = "#2;m=llama3-8b;g=dgx-h100;n=16;seq=8192;gb=64;stack=nemo;tp=2;sp=1;cp=1;pp=2;vpp=1;sched=1f1b;zero=1;\
                    mb=1;rc=none;split=even";

/// A launch script that names no machine, and whose arguments stand on many lines.
const SCRIPT: &str = "#!/bin/bash
#SBATCH --nodes=4
GPUS_PER_NODE=8
NNODES=$SLURM_NNODES
ARGS=\"
    --num-layers 32
    --hidden-size 4096
    --num-attention-heads 32
    --seq-length 4096
    --max-position-embeddings 4096
    --micro-batch-size 1
    --global-batch-size 256
    --vocab-size 32000
    --tensor-model-parallel-size 2
    --bf16
\"
torchrun --nproc_per_node $GPUS_PER_NODE --nnodes $NNODES pretrain_gpt.py $ARGS
";

/// What a command answers to a text on its standard input.
fn fed(arguments: &[&str], input: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_stepcast"))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("runs");
    child.stdin.take().expect("an input").write_all(input.as_bytes()).expect("is read");
    child.wait_with_output().expect("ends")
}

/// A file of the test's own.
fn file(name: &str, content: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("jobs");
    std::fs::create_dir_all(&folder).expect("a folder");
    let path = folder.join(name);
    std::fs::write(&path, content).expect("writable");
    path
}

/// A text of another tool, read.
fn read(text: &str) -> Import {
    import(text, None).unwrap_or_else(|errors| panic!("{text}: {}", told(&errors)))
}

fn told(errors: &[ImportError]) -> String {
    errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
}

#[test]
fn other_tools_files_are_forecast_in_one_command() {
    let (script, machine) = (file("pretrain.sh", SCRIPT), ["--machine", "H100"]);
    let script = script.to_str().expect("UTF-8");
    let output = stepcast(&[&["predict", script, "--json"], &machine[..]].concat());
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{told}");
    assert!(
        told.contains("detected as Megatron-LM arguments") && told.contains("Assumed: Context"),
        "{told}"
    );
    let forecast: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let imported = json(&["import", script, "--set", "g=H100", "--json"]);
    let link = imported["link"].as_str().expect("a link");
    assert!(link.contains(";n=32;") && link.contains(";tp=2;"), "{link}");
    assert_eq!(forecast["step_s"], json(&["predict", link, "--json"])["step_s"]);
    // From the standard input too, which holds one job, and for every command.
    for command in [
        &["predict", "-"][..],
        &["explain", "-"],
        &["rank", "-", "--gpus", "64", "--top", "1"],
        &["traffic", "-"],
    ] {
        let arguments = [command, &machine].concat();
        let output = fed(&arguments, SCRIPT);
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        assert!(String::from_utf8_lossy(&output.stdout).contains("GPUs"), "{arguments:?}");
    }
    let output = fed(&["predict", "-"], SCRIPT);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("Add --machine dgx-h100."));
    assert!(
        refusal(&["predict", script]).ends_with("the machine is not in the file. Add --machine dgx-h100.\n")
    );
    // A model's file, and one of a script and a model together.
    let shape = "\"num_hidden_layers\": 32, \"hidden_size\": 4096, \"num_attention_heads\": 32, \"intermediate_size\": 11008";
    let config =
        file("config.json", &format!("{{\"model_type\": \"llama\", {shape}, \"vocab_size\": 32000}}"));
    let config = config.to_str().expect("UTF-8");
    let planned = json(&["predict", config, "--gpus", "8", "--machine", "p5.48xlarge", "--json"]);
    assert!(planned["link"].as_str().is_some_and(|link| link.contains(";nic=100;")), "{planned}");
    assert!(text(&["rank", config, "--gpus", "8", "--machine", "H100", "--top", "1"]).contains("on 8 GPUs"));
    assert!(refusal(&["predict", config]).contains("Add --gpus 64 --machine dgx-h100."));
    let trainer = file(
        "train.sh",
        "accelerate launch train.py --per_device_train_batch_size 1 --gradient_accumulation_steps 2 --max_seq_length 2048 --bf16",
    );
    let trainer = trainer.to_str().expect("UTF-8");
    let together =
        json(&["predict", trainer, "--with", config, "--gpus", "8", "--machine", "H100", "--json"]);
    assert!(together["link"].as_str().is_some_and(|link| link.contains("m=llama2-7b;")), "{together}");
    assert!(refusal(&["predict", LINK, "--with", config]).contains("--with"));
    // Nothing is no job.
    for nothing in
        [refusal(&["predict", ""]), refusal(&["predict", file("none.json", " ").to_str().expect("UTF-8")])]
    {
        assert!(nothing.ends_with(" is empty.\n"), "{nothing}");
    }
    assert_eq!(fed(&["predict", "-"], "").status.code(), Some(2));
}

#[test]
fn what_a_job_leaves_open_is_said_with_its_flags() {
    let told = |arguments: &[&str]| {
        let output = stepcast(arguments);
        assert!(output.status.success(), "{arguments:?}");
        String::from_utf8(output.stderr).expect("UTF-8").replace("\n ", "")
    };
    let open = told(&["predict", "--model", "llama3-8b", "--json"]);
    for part in [
        "512 GPUs (--gpus)",
        "DGX H100 SuperPOD (--machine)",
        "global batch 512 sequences (--global-batch)",
        "BF16 (--precision)",
        "NVIDIA NeMo (--software)",
        "(--set tokens=VALUE)",
    ] {
        assert!(open.contains(part), "{part:?} in {open}");
    }
    let stated = told(&["predict", "llama3-8b on 8 H100, global batch 64", "--precision", "bf16", "--json"]);
    for part in ["--gpus", "--machine", "--global-batch", "--precision"] {
        assert!(!stated.contains(part), "{part:?} in {stated}");
    }
    assert!(stated.starts_with("Assumed: ") && stated.contains("(--software)"), "{stated}");
    assert_eq!(told(&["predict", LINK]), "", "a link that predict prints leaves nothing open");
    let by_flags =
        ["--model", "llama3-8b", "--machine", "H100", "--gpus", "8", "--global-batch", "64", "--json"];
    assert_eq!(
        json(&["predict", "llama3-8b on 8 H100, global batch 64", "--json"]),
        json(&[&["predict"], &by_flags[..]].concat())
    );
}

#[test]
fn a_job_that_does_not_fit_is_told_so_first() {
    let words = text(&["predict", "Llama 3 405B on 8 H100"]);
    let lines: Vec<&str> = words.lines().collect();
    assert!(lines[0].starts_with("Does not fit: "), "{words}");
    assert!(words.contains("Closest to fitting: ") && !words.contains("Recommended"), "{words}");
    let way = lines[1].strip_prefix("No layout of this job fits. ").expect("a way out");
    assert!(text(&["rank", "Llama 3 405B on 8 H100", "--top", "1"]).contains(way), "{way}");
    let gpus = way.split(' ').nth(5).expect("a number");
    let larger = text(&["predict", "Llama 3 405B on 8 H100", "--set", gpus]);
    assert!(larger.contains("Recommended layout: ") && !larger.contains("oes not fit"), "{larger}");
}

#[test]
fn a_ranked_layout_and_its_forecast_are_one() {
    let ranked = json(&["rank", "llama3-8b on 16 H100", "--top", "1", "--json"]);
    let link = ranked["recommended"]["link"].as_str().expect("a link");
    let forecast = json(&["predict", link, "--json"]);
    assert_eq!(forecast["link"], link, "it pins what predict prints");
    for (ranked_at, forecast_at) in
        [("/recommended_interval_s/0", "/low_s"), ("/recommended_interval_s/1", "/high_s")]
    {
        let ratio = number(&ranked, ranked_at) / number(&forecast, forecast_at);
        assert!((ratio - 1.0).abs() < 1e-3, "{ranked_at}: {ratio}");
    }
    assert!(!text(&["predict", "llama3-8b on 1 H100", "--set", "lora=16"]).contains('\u{a0}'));
}

#[test]
fn what_a_variable_leaves_open_is_missing() {
    let model = "--num-layers 2 --hidden-size 512 --num-attention-heads 8 --seq-length 512 --max-position-embeddings 512";
    for launch in [
        "srun -N $NNODES -n 1 torchrun --nproc_per_node 8 --nnodes $NNODES",
        "HOST=$(scontrol show hostnames | head -n 1)\nsrun --ntasks=$NNODES torchrun --nproc_per_node 8 --nnodes $NNODES",
        "torchrun --nproc_per_node 8 --nnodes $NNODES",
    ] {
        let script = format!("NNODES=$SLURM_NNODES\n{launch} pretrain_gpt.py {model}");
        let found = read(&script);
        let missing: Vec<&str> = found.missing.iter().map(|entry| entry.field).collect();
        assert!(found.text("n").is_none() && missing.contains(&"n"), "{launch}: {missing:?}");
        let known = read(&format!("#SBATCH --nodes=4\n{script}"));
        assert_eq!(known.text("n"), Some("32"), "{launch}");
    }
}

#[test]
fn arguments_are_told_at_their_own_lines() {
    let script = "#!/bin/bash\nARGS=\"\n  --num-layers 2\n  --no-such 1\n\"\nMORE=(\n  --none-such 2\n)\ntorchrun pretrain_gpt.py $ARGS";
    let found = read(script);
    let line =
        |name: &str| found.ignored.iter().find(|entry| entry.name == name).and_then(|entry| entry.line);
    assert_eq!((line("--no-such"), line("--none-such")), (Some(4), Some(7)));
}

#[test]
fn names_beside_a_file_mean_what_they_mean_in_a_form() {
    for (key, name) in
        [("g", "p5.48xlarge"), ("g", "H100"), ("g", "2x RTX 4090"), ("m", "Qwen/Qwen3-4B"), ("stack", "NeMo")]
    {
        let given = [(key.to_owned(), name.to_owned())];
        let found = import_with("--num-layers 2 --hidden-size 512 --num-attention-heads 8", None, &given);
        let found = found.unwrap_or_else(|errors| panic!("{name}: {}", told(&errors)));
        let mut form = Document::default();
        form.set(key, name);
        let read = found.onto(&Document::default());
        let of = |field: &&stepcast::fields::Field| {
            let group = if key == "m" { FieldGroup::Model } else { FieldGroup::Cluster };
            field.key == key || key != "stack" && field.group == group
        };
        for field in FIELDS.iter().filter(of) {
            assert_eq!(read.text(field.key), form.text(field.key), "{name}: {}", field.key);
        }
    }
}

#[test]
fn optimizers_are_read_wherever_a_tool_names_them() {
    for (text, rule) in [
        ("[optimizer]\nname = \"Muon\"\n[training]\nseq_len = 2048\n", "muon"),
        ("[optimizer]\nname = \"AdamW\"\n[training]\nseq_len = 2048\n", "adamw"),
        ("--num-layers 2 --optimizer sgd", "sgdm"),
        ("{\"zero_optimization\": {\"stage\": 1}, \"optimizer\": {\"type\": \"Lion\"}}", "lion"),
        ("trainer:\n  num_nodes: 1\nmodel:\n  optim:\n    name: distributed_fused_adam\n", "adamw"),
    ] {
        let import = read(text);
        assert_eq!((import.text("opt"), import.text("optk")), (Some(rule), None), "{text}");
    }
}

#[test]
fn an_exported_file_holds_what_memory_rests_on_or_says_what_is_lost() {
    let unknown = refusal(&["export", "1;m=llama3-8b;n=8;tp=1;sp=0;pp=1", "--for", "nemo"]);
    assert!(unknown.contains("For NVIDIA NeMo, use megatron-bridge"), "{unknown}");
    // NeMo keeps gradients in 16 bits, Megatron-LM in 32 unless told.
    let nemo = "1;m=llama3-8b;n=8;tp=1;sp=0;pp=1;stack=nemo;tpo=0";
    let output = stepcast(&["export", nemo, "--for", "megatron-lm"]);
    let (script, lost) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    let lost = lost.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(script.contains("--grad-reduce-in-bf16"), "{script}");
    assert!(lost.contains("Software Megatron-LM (was NVIDIA NeMo)") && lost.contains("GiB"), "{lost}");
    let back = read(&script);
    let own = Document::from_link(nemo).expect("a link").document;
    let again = stepcast(&["export", &back.onto(&own).to_link(), "--for", "megatron-lm"]);
    let arguments =
        |text: &str| text.lines().filter(|line| !line.starts_with('#')).collect::<Vec<_>>().join("\n");
    assert_eq!(arguments(&String::from_utf8_lossy(&again.stdout)), arguments(&script));
    assert!(again.stderr.is_empty(), "{}", String::from_utf8_lossy(&again.stderr));
}
