//! Memory by owner against what PyTorch itself counts (`tests/counted_memory.tsv`, printed by `examples/count_memory.py`): real modules
//! of fake tensors under FSDP2, with and without checkpointing, and what compiled layers keep.

use crate::data::Row;
use std::path::Path;
use stepcast::document::Document;
use stepcast::memory::{MemoryReport, StageMemory, report};

/// Mean and largest |forecast / counted - 1| of peaks.
const PEAKS: [f64; 2] = [0.03, 0.10];
/// Largest difference of an owner, as a share of the peak.
const OWNER: f64 = 0.10;
/// Largest |forecast / counted - 1| of what layers keep.
const KEPT: f64 = 0.05;
/// Bytes of a GiB.
const GIB: f64 = 1_073_741_824.0;

fn rows() -> Vec<Row> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/counted_memory.tsv");
    let reader = csv::ReaderBuilder::new().delimiter(b'\t').comment(Some(b'#')).from_path(path);
    let mut reader = reader.expect("the table");
    reader.deserialize::<Row>().map(|row| row.expect("a well-formed row")).collect()
}

/// The forecast of a row's job.
fn forecast(row: &Row) -> MemoryReport {
    let get = |column: &str| row.get(column).map_or("", String::as_str);
    let titan = get("program") == "torchtitan";
    let norms = get("query_key_norms");
    let batch =
        get("world").parse::<u32>().expect("world") * get("micro_batch").parse::<u32>().expect("micro_batch");
    let mut link = format!(
        "#2;m=custom;layers={};hidden={};ffn={};heads={};kv={};dh={};vocab={};gated=1;act=silu;tied={};bias=none;norm=rms;qkn={norms};\
         pos=rotary;code={};g=dgx-h200;n={};seq={};gb={batch};mb={};tp=1;pp=1;zero=3;rc={};comp={};loss={};stack={};year=2025;month=12;\
         opt=adamw;optk=fused;wts=32;ost=32;ep=1;grads={}",
        get("layers"),
        get("hidden"),
        get("ffn"),
        get("heads"),
        get("kv_heads"),
        get("head_dim"),
        get("vocabulary"),
        get("tied"),
        if norms == "1" { "qwen" } else { "llama" },
        get("world"),
        get("sequence"),
        get("micro_batch"),
        get("checkpointing"),
        get("compiled"),
        match get("loss") {
            "kept" => "kept",
            _ if titan => "plain",
            _ => "stack",
        },
        if titan { "torchtitan" } else { "eager" },
        get("reduce"),
    );
    if get("group") != "0" {
        link = link.replace(";zero=3;", &format!(";zero=hsdp;shg={};", get("group")));
    }
    if get("experts") != "0" {
        link.push_str(&format!(";moe={};topk={};effn={}", get("experts"), get("top_k"), get("expert_ffn")));
    }
    let scenario = Document::from_link(&link).expect("a link").document.scenario();
    report(&scenario.unwrap_or_else(|problems| panic!("{link}: {problems:?}")))
}

/// Forecast and counted bytes of each owner: model states; what is gathered; and gradients, activations and temporaries, which
/// are one here, since what is not yet reduced is workspace in one and a gradient in the other.
fn owners(row: &Row, of: &StageMemory) -> [[f64; 2]; 3] {
    let number = |column: &str| row[column].parse::<f64>().expect(column);
    let rest = of.gradients + of.activations + of.logits + of.workspace;
    let counted = number("gradients") + number("activations") + number("temporaries");
    [[of.optimizer.0, number("states")], [of.weights.0, number("gathered")], [rest.0, counted]]
}

/// The settings of a row, for messages.
fn told(row: &Row) -> String {
    let columns = [
        "program",
        "hidden",
        "vocabulary",
        "world",
        "micro_batch",
        "sequence",
        "checkpointing",
        "compiled",
        "loss",
        "reduce",
        "group",
    ];
    columns.map(|column| row[column].as_str()).join(" ")
}

/// Operation by operation on a CPU, PyTorch's own RMSNorm is written out, which it is not on a GPU: torchtitan's eager layers
/// without checkpointing keep more there.
fn written_out(row: &Row) -> bool {
    row["program"] == "torchtitan" && row["compiled"] == "0" && row["checkpointing"] == "none"
}

#[test]
fn peaks_are_as_counted_by_owner() {
    let (mut errors, mut wrong) = (Vec::new(), Vec::new());
    for row in rows().iter().filter(|row| !row["peak"].is_empty() && !written_out(row)) {
        let forecast = forecast(row);
        let counted = row["peak"].parse::<f64>().expect("peak");
        let owners = owners(row, &forecast.stages[0]);
        let error = forecast.peak_gib * GIB / counted - 1.0;
        let most = owners.iter().map(|[one, other]| (one - other).abs() / counted).fold(0.0, f64::max);
        let pairs = owners.map(|pair| pair.map(|bytes| format!("{:.2}", bytes / GIB)).join("/")).join(" ");
        let line = format!("{error:+.3} owner {most:.3} {}: {pairs}", told(row));
        println!("{line}");
        if error.abs() > PEAKS[1] || most > OWNER {
            wrong.push(line);
        }
        errors.push(error.abs());
    }
    let mean = errors.iter().sum::<f64>() / errors.len() as f64;
    println!("{} jobs: {mean:.4}", errors.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(errors.len() >= 40 && mean <= PEAKS[0], "{} jobs, {mean}", errors.len());
}

/// What layers keep, where the peak is at the loss, so that all of it is there.
#[test]
fn compiled_layers_keep_what_their_partitioner_saves() {
    let mut counted = 0;
    for row in rows().iter().filter(|row| row["compiled"] == "1" && row["checkpointing"] != "full") {
        let kept = row["kept"].parse::<f64>().expect("kept");
        let forecast = forecast(row).stages[0].activations.0;
        let error = forecast / kept - 1.0;
        println!("{error:+.3} {}", told(row));
        assert!(error.abs() <= KEPT, "{error} {}", told(row));
        counted += 1;
    }
    assert!(counted >= 6, "{counted}");
}
