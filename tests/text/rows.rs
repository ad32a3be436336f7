//! Rows of data files are checked like forms: what could not have run is skipped with its sentence, never forecast,
//! never counted; and no row takes long.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use proptest::prelude::*;
use stepcast::fields::{Field, FieldKind};
use stepcast::forecast::Predictor;
use stepcast::scenario::model::{Bias, Norm, Positions};
use stepcast::scenario::plan::StageSplit;
use stepcast::validate::microbenchmarks::{read_collective, read_kernel, report};
use stepcast::validate::{MeasuredRun, Peak, published, validate, validate_memory};

type Row = BTreeMap<&'static str, String>;

/// Llama-3 8B on one node, which can be forecast.
fn row(changes: &[(&'static str, &str)]) -> Row {
    let mut row: Row = [
        ("id", "row"),
        ("source", "test"),
        ("iteration_s", "4.5"),
        ("stack", "nemo"),
        ("year", "2025"),
        ("release", "25.04"),
        ("model", "llama3-8b"),
        ("gpu", "h100-80g"),
        ("gpus", "16"),
        ("gpus_per_node", "8"),
        ("nvlink_domain", "8"),
        ("node_gbps", "3200"),
        ("layers", "32"),
        ("hidden", "4096"),
        ("ffn", "14336"),
        ("heads", "32"),
        ("kv_heads", "8"),
        ("head_dim", "128"),
        ("vocab", "128256"),
        ("gated_mlp", "1"),
        ("seq", "8192"),
        ("gbs", "128"),
        ("precision", "bf16"),
        ("tp", "2"),
        ("sp", "1"),
        ("cp", "1"),
        ("pp", "2"),
        ("vpp", "1"),
        ("zero", "1"),
        ("mbs", "1"),
    ]
    .map(|(column, text)| (column, text.to_owned()))
    .into();
    row.extend(changes.iter().map(|(column, text)| (*column, (*text).to_owned())));
    row
}

fn run(row: &Row) -> MeasuredRun {
    MeasuredRun::read(|column| row.get(column).map_or("", String::as_str))
}

/// Why a row with these changes is skipped; it must not be counted, and end.
fn skipped(changes: &[(&'static str, &str)]) -> String {
    let start = Instant::now();
    let runs = [run(&row(&[])), run(&row(changes))];
    let report = validate(&Predictor::SHIPPED, &runs);
    assert!(start.elapsed() < LONGEST, "{changes:?}: {:?}", start.elapsed());
    assert_eq!((report.overall.n, report.overall.skipped), (1, 1), "{changes:?}: {:?}", report.rows);
    assert!(report.rows[1].predicted_s.is_none() && report.overall.median_ape.is_finite(), "{changes:?}");
    report.rows[1].skipped.clone().expect("a sentence")
}

#[test]
fn what_a_form_would_refuse_is_skipped_with_its_sentence() {
    for (column, text, sentence) in [
        ("pp", "4294967295", "Pipeline parallel (PP): 4,294,967,295 is too large"),
        ("vpp", "4294967295", "Virtual stages (VPP): 4,294,967,295 is too large"),
        ("tp", "4e9", "Tensor parallel (TP): 4,000,000,000 is too large"),
        ("tp", "0", "Tensor parallel (TP): 0 is too small"),
        ("tp", "3", "32 attention heads are not divisible by TP 3"),
        ("cp", "4e9", "Context parallel (CP): 4,000,000,000 is too large"),
        ("mbs", "4e9", "Micro-batch"),
        ("mbs", "3", "not divisible by micro-batch 3"),
        ("heads", "0", "Attention heads: 0 is too small"),
        ("kv_heads", "0", "Key/value heads: 0 is too small"),
        ("kv_heads", "5", "32 attention heads are not divisible by 5 key/value heads"),
        ("hidden", "0", "Hidden size: 0 is too small"),
        ("layers", "0", "Layers: 0 is too small"),
        ("layers", "4294967295", "Layers: 4,294,967,295 is too large"),
        ("vocab", "4294967295", "Vocabulary: 4,294,967,295 is too large"),
        ("seq", "4294967295", "Sequence length: 4,294,967,295 is too large"),
        ("gbs", "4294967295", "Global batch: 4,294,967,295 is too large"),
        ("gbs", "102", "Global batch 102 is not divisible by 4 replicas"),
        ("gpus", "4294967295", "GPUs: 4,294,967,295 is too large"),
        ("gpus", "15", "15 GPUs are not divisible by 8 GPUs per node"),
        ("gpus_per_node", "0", "GPUs per node: 0 is too small"),
        ("nvlink_domain", "0", "NVLink domain size: 0 is too small"),
        ("year", "70000", "is too large. Use 2,018 to 2,035"),
        ("sp", "7", "column sp holds 7, which is neither 1 nor 0"),
        ("layers", "31.5", "column layers holds \u{201c}31.5\u{201d}, which is not a whole number"),
        ("layers", "NaN", "which is not a whole number"),
        ("layers", "-1", "which is not a whole number"),
        ("node_gbps", "fast", "column node_gbps holds \u{201c}fast\u{201d}, which is not a number"),
        ("node_gbps", "inf", "which is not a number"),
        ("node_gbps", "-5", "Port rate cannot be negative"),
        ("node_gbps", "1e300", "Port rate: "),
        ("transport", "pigeon", "unknown transport \u{201c}pigeon\u{201d}"),
        ("gpu", "tpu-v9", "unknown GPU \u{201c}tpu-v9\u{201d}"),
        ("precision", "fp7", "unknown precision"),
        ("precision", "nvfp4", "This GPU does not support nvfp4 GEMMs"),
        ("zero", "9", "unknown ZeRO stage"),
        ("recompute", "some", "unknown recompute mode"),
        ("iteration_s", "1e-300", "the measured time is not a number of seconds from"),
        ("iteration_s", "inf", "the measured time is not a number of seconds from"),
        ("iteration_s", "0", "the measured time is not a number of seconds from"),
        ("iteration_s", "soon", "the measured time is not a number of seconds from"),
    ] {
        let found = skipped(&[(column, text)]);
        assert!(found.contains(sentence), "{column}={text}: {found}");
    }
    let experts = [("experts", "8"), ("topk", "2"), ("moe_ffn", "14336"), ("ep", "8")];
    for (column, text, sentence) in [
        ("topk", "9", "9 experts per token exceed the 8 routed experts"),
        ("topk", "0", "Experts per token: 0 is too small"),
        ("moe_every", "0", "Experts every n-th layer: 0 is too small"),
        ("moe_ffn", "0", "The expert feed-forward size must be at least 1"),
        ("ep", "3", "8 experts are not divisible by EP 3"),
        ("ep", "4294967295", "is too large"),
        ("experts", "4294967295", "Routed experts: 4,294,967,295 is too large"),
        ("dense_layers", "32", "none of the 32 layers has experts"),
    ] {
        let found = skipped(&[&experts[..], &[(column, text)]].concat());
        assert!(found.contains(sentence), "{column}={text}: {found}");
    }
}

/// What is left blank is filled in only after the columns are known to be possible.
#[test]
fn blanks_of_impossible_rows_are_not_filled() {
    for column in ["pp", "layers", "seq", "gbs", "mbs", "heads", "gpus", "vocab", "hidden"] {
        for text in ["0", "4294967295"] {
            skipped(&[("recompute", ""), ("vpp", ""), (column, text)]);
        }
    }
}

/// What public sources state of jobs that ran.
#[test]
fn layouts_that_frameworks_take_are_forecast() {
    let forecast = |changes: &[(&'static str, &str)]| {
        let run = run(&row(changes));
        let scenario = *run.scenario.as_ref().unwrap_or_else(|reason| panic!("{changes:?}: {reason}"));
        assert_eq!(validate(&Predictor::SHIPPED, &[run]).overall.n, 1);
        scenario
    };
    // Seven virtual stages of unequal shares: 32 layers on 14 chunks.
    let uneven = forecast(&[("vpp", "7")]);
    let StageSplit::Given(list) = uneven.plan.stage_split else { panic!("{:?}", uneven.plan) };
    assert_eq!(list.to_string(), "3x4,2x10");
    assert_eq!(uneven.validate(), Ok(()));
    // Virtual stages without a pipeline.
    assert_eq!(forecast(&[("pp", "1"), ("vpp", "7")]).plan.virtual_stages, 1);
    // 16 expert-parallel ranks of 16 GPUs, in stages of 8, are forecast as stated; ranks beyond the job are not.
    let experts = [("experts", "32"), ("topk", "2"), ("moe_ffn", "2048"), ("stack", "megatron-bridge")];
    let dealt = forecast(&[&experts[..], &[("ep", "16")]].concat());
    assert_eq!(dealt.plan.expert_parallel, 16);
    assert!(skipped(&[&experts[..], &[("ep", "32")]].concat()).contains("EP 32"));
    // A network that nothing crosses need not be known.
    let alone = forecast(&[("gpus", "8"), ("node_gbps", "")]);
    assert!(alone.cluster.network.nic_bandwidth.0 > 0.0);
}

#[test]
fn columns_of_a_field_say_what_the_field_says() {
    let model = |column, text| run(&row(&[(column, text)])).scenario.expect("a job").model;
    assert!(!model("bias", "").tied_embeddings && model("tied", "1").tied_embeddings);
    assert_eq!(model("bias", "qkv").bias, Bias::Qkv);
    assert_eq!(model("norm", "layer").norm, Norm::Layer);
    assert_eq!(model("pos", "learned").positions, Positions::Learned(8192));
    assert_eq!(model("window", "4096").window.tokens, 4096);
    assert_eq!(run(&row(&[("month", "11")])).scenario.expect("a job").software.month, 11);
    assert_eq!(run(&row(&[])).scenario.expect("a job").software.month, 4, "that of release 25.04");
}

/// A network that no column states is the machine's own, which is said; the interval is then that of runs that leave
/// something open.
#[test]
fn a_missing_network_is_an_assumption() {
    let stated = |text: &'static str| {
        let run = run(&row(&[("node_gbps", text)]));
        let report = validate(&Predictor::SHIPPED, std::slice::from_ref(&run));
        (run, report.rows[0].predicted_s, report.rows[0].low_s, report.rows[0].high_s)
    };
    // The base row is of DGX H100, whose own network is 8 ports of 400 Gb/s.
    let own = stated("3200");
    for blank in ["", "0"] {
        let assumed = stated(blank);
        assert!(assumed.0.assumed.iter().any(|said| said.contains("network")), "{:?}", assumed.0.assumed);
        // What nobody stated widens the interval.
        assert!(assumed.1 == own.1 && assumed.2 < own.2 && assumed.3 > own.3, "{assumed:?} {own:?}");
    }
    assert!(!own.0.assumed.iter().any(|said| said.contains("network")));
    // What carries the bytes has its own share of the rate.
    let over = |transport: &'static str| run(&row(&[("transport", transport)])).scenario.expect("a job");
    assert_eq!(over(""), over("ib"));
    let step = |transport: &'static str| Predictor::SHIPPED.step_time(&over(transport));
    assert!(step("tcp") > step("efa") && step("efa") > step("roce") && step("roce") > step("ib"));
    // A machine of 100 Gb/s has one NIC, one of 3,200 a NIC for each GPU.
    let nics = |rate: &'static str| {
        let network = run(&row(&[("node_gbps", rate)])).scenario.expect("a job").cluster.network;
        (network.nics_per_node, (network.nic_bandwidth.0 / 1.25e8).round())
    };
    assert_eq!(
        [nics("25"), nics("100"), nics("400"), nics("3200")],
        [(1, 25.0), (1, 100.0), (4, 100.0), (8, 400.0)]
    );
    let alone = run(&row(&[("gpus", "8"), ("node_gbps", "")]));
    assert!(!alone.assumed.iter().any(|said| said.contains("network")), "{:?}", alone.assumed);
}

/// Every column of numbers at every kind of number: what is counted is within all bounds, and a number itself.
fn hostile() -> impl Strategy<Value = Row> {
    const COLUMNS: [&str; 27] = [
        "year",
        "layers",
        "hidden",
        "ffn",
        "heads",
        "kv_heads",
        "head_dim",
        "vocab",
        "seq",
        "experts",
        "topk",
        "moe_ffn",
        "gpus",
        "gpus_per_node",
        "nvlink_domain",
        "node_gbps",
        "tp",
        "sp",
        "cp",
        "pp",
        "vpp",
        "ep",
        "mbs",
        "gbs",
        "iteration_s",
        "peak_gib",
        "gated_mlp",
    ];
    let numbers = prop_oneof![
        4 => (0..13u32).prop_map(|power| (1_u64 << power).to_string()),
        2 => any::<u32>().prop_map(|number| number.to_string()),
        1 => any::<f64>().prop_map(|number| number.to_string()),
        1 => "\\PC{0,12}",
        1 => Just(String::new()),
    ];
    let options = stepcast::validate::OPTIONS.iter().map(|option| option.0);
    let columns: Vec<&str> = COLUMNS.into_iter().chain(options).collect();
    let changes = prop::collection::vec((prop::sample::select(columns), numbers), 0..8);
    changes.prop_map(|changes| {
        let mut row = row(&[]);
        row.extend(changes);
        row
    })
}

/// Far beyond what rows take unoptimised on a busy machine, and far below what work without a limit would: no measure of speed.
const LONGEST: Duration = Duration::from_secs(60);

proptest! {
    #[test]
    fn every_row_that_is_counted_is_possible(row in hostile()) {
        let start = Instant::now();
        let run = run(&row);
        let peak = Peak::read(|column| row.get(column).map_or("", String::as_str));
        if let Ok(scenario) = &run.scenario {
            prop_assert_eq!(scenario.within_bounds(), Ok(()));
            let allowed = |key: &str| key == "ep";
            let broken = scenario.validate().err().unwrap_or_default();
            prop_assert!(broken.iter().all(|error| allowed(error.field)), "{:?}", broken);
        }
        let report = validate(&Predictor::SHIPPED, &[run]);
        let forecast = &report.rows[0];
        prop_assert_eq!(forecast.predicted_s.is_some(), forecast.skipped.is_none());
        for seconds in [forecast.predicted_s, forecast.low_s, forecast.high_s].into_iter().flatten() {
            prop_assert!(seconds > 0.0 && seconds.is_finite(), "{:?}", forecast);
        }
        let memory = validate_memory(&[peak]);
        prop_assert!(memory.rows[0].predicted_gib.is_none_or(|gib| gib > 0.0 && gib.is_finite()));
        prop_assert!(start.elapsed() < LONGEST, "{:?}: {:?}", start.elapsed(), row);
    }

    #[test]
    fn no_text_makes_a_row_panic(
        cells in prop::collection::vec("\\PC{0,20}", stepcast::validate::COLUMNS.len() + stepcast::validate::OPTIONS.len()),
    ) {
        let cell = |column: &str| {
            let options = stepcast::validate::OPTIONS.iter().map(|option| option.0);
            let mut known = stepcast::validate::COLUMNS.into_iter().chain(options);
            let place = known.position(|known| known == column);
            place.and_then(|place| cells.get(place)).map_or("", String::as_str)
        };
        let _ = validate(&Predictor::SHIPPED, &[MeasuredRun::read(cell)]);
        let _ = validate_memory(&[Peak::read(cell)]);
    }

    #[test]
    fn no_operator_that_is_counted_is_beyond_bounds(
        sizes in prop::collection::vec("(0|-1|nan|inf|[0-9]{1,12}|1e[0-9]{1,3}|[0-9]k)", 8),
        kernel in prop::sample::select(vec![
            "GEMM", "matmul", "group_matmul", "sdp_fwd", "sdp_bwd", "attention FlashAttention-2", "attention cuDNN",
        ]),
        collective in prop::sample::select(vec!["all_reduce", "all_gather", "reduce_scatter", "alltoall"]),
    ) {
        let names = ["m", "n", "k", "b", "batch", "seq_len", "head_num", "seqlen"];
        let mut shape: String =
            names.iter().zip(&sizes).map(|(name, size)| format!("{name}={size} ")).collect();
        let [first, second, third, ..] = sizes.as_slice() else { unreachable!() };
        shape.push_str(&format!("qk_head_dim={first} v_head_dim={second} headdim={third} M={first} N={second} K={third} ng=2 accumulate=False out_dtype=bf16 stage=fwd main_grad_dtype=fp32"));
        let get = |column: &str| match column {
            "gpu" => "NVIDIA H100 80GB HBM3",
            "kernel" => kernel,
            "dtype" => "bfloat16",
            "shape" => shape.as_str(),
            "direction" => "fwd",
            "time_us" | "tflops" | "gpus_per_node" => first.as_str(),
            "nodes" => "1",
            "bytes" => second.as_str(),
            "algbw_GBps" => third.as_str(),
            "collective" => collective,
            _ => "",
        };
        let rows = [read_kernel(get), read_collective(get)];
        let report = report(&rows, &stepcast::constants::Constants::SHIPPED);
        for group in report.groups.iter().chain(&report.pooled) {
            prop_assert!(group.median_ape.is_finite() && group.bias.is_finite(), "{group:?}");
        }
    }

    #[test]
    fn no_text_makes_the_file_of_runs_panic(text in "(run|peak|\\PC{0,9})(\t\\PC{0,9}){0,12}") {
        let _ = published::read(&text);
    }
}

/// A field's greatest value is what a row without leaf switches is given.
#[test]
fn rows_have_one_leaf() {
    let leaf = Field::find("leaf").expect("a field");
    let FieldKind::Integer { max, .. } = leaf.kind else { panic!("a whole number") };
    let scenario = run(&row(&[])).scenario.expect("possible");
    assert_eq!(scenario.cluster.network.leaf_nodes, max);
}

/// A row says whether stages send beside compute, and which layers are recomputed; a blank is the stack's way.
#[test]
fn sends_and_recomputed_layers_can_be_stated() {
    let plan = |changes: &[(&'static str, &str)]| run(&row(changes)).scenario.expect("possible").plan;
    assert!(!plan(&[]).pipeline_overlap, "stages are not interleaved");
    assert!(plan(&[("vpp", "2")]).pipeline_overlap, "NeMo's interleaved stages");
    assert!(plan(&[("sends_overlap", "1")]).pipeline_overlap);
    assert!(!plan(&[("vpp", "2"), ("sends_overlap", "0")]).pipeline_overlap);
    let full = [("recompute", "full"), ("recompute_every", "2")];
    assert_eq!((plan(&full[..1]).recompute.every(), plan(&full).recompute.every()), (1, 2));
}

/// A row says which positions, norms, biases and head its model has; blanks are a Llama's where it is gated, else a GPT's.
#[test]
fn what_a_shape_leaves_open_can_be_stated() {
    let model = |changes: &[(&'static str, &str)]| run(&row(changes)).scenario.expect("possible").model;
    let (llama, gpt) = (model(&[]), model(&[("gated_mlp", "0")]));
    assert!(!llama.tied_embeddings && gpt.tied_embeddings);
    let stated = [("gated_mlp", "0"), ("tied", "0"), ("bias", "none"), ("norm", "rms"), ("pos", "rotary")];
    let neither = model(&stated);
    assert_eq!((neither.bias, neither.norm, neither.positions), (llama.bias, llama.norm, llama.positions));
    assert!(!neither.tied_embeddings && !neither.gated_mlp);
}

/// A row whose shape is a known model's has its positions, biases and head, unless it says others; another shape has not.
#[test]
fn a_known_shape_is_completed() {
    let model = |changes: &[(&'static str, &str)]| run(&row(changes)).scenario.expect("possible").model;
    let shape = |ffn: &'static str| {
        [
            ("gated_mlp", "0"),
            ("layers", "32"),
            ("hidden", "6144"),
            ("ffn", ffn),
            ("heads", "48"),
            ("vocab", "256128"),
        ]
    };
    let known = model(&shape("24576"));
    let published = stepcast::scenario::model::presets::find("nemotron4-15b").expect("a model").model;
    assert_eq!((known.bias, known.positions), (published.bias, published.positions));
    assert!(!known.tied_embeddings);
    let learned: Vec<_> = shape("24576").into_iter().chain([("pos", "learned"), ("tied", "1")]).collect();
    assert_ne!(model(&learned).positions, published.positions);
    assert!(model(&learned).tied_embeddings);
    assert_ne!(model(&shape("24064")).positions, published.positions);
}

/// A hundred thousand sources, or layouts of one job, take no longer than a hundred thousand rows.
#[test]
fn many_sources_and_many_layouts_take_no_longer_than_many_rows() {
    let one = run(&row(&[]));
    let rows = 20_000;
    let start = Instant::now();
    let many: Vec<MeasuredRun> = (0..rows)
        .map(|index| MeasuredRun {
            source: format!("source {}", index % 10_000),
            job: format!("job {}", index % 2),
            measured_s: 4.0 + f64::from(index) * 1e-4,
            scenario: Err("not forecast here".to_owned()),
            ..one.clone()
        })
        .collect();
    assert_eq!(validate(&Predictor::SHIPPED, &many).sources.len(), 10_000);
    assert_eq!(published::write(&many, &[]), "end\t0\t0\n");
    assert!(start.elapsed() < LONGEST, "{:?}", start.elapsed());
}
