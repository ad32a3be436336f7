//! What files do not say, and what of them is left out.

use super::{command, folder, told};
use stepcast::document::Document;
use stepcast::exchange::{File, Importance, ToolFile, import, import_files, import_with};

#[test]
fn what_is_not_in_the_file_is_asked_for() {
    let path = |name: &str| folder().join(name).to_str().expect("a path").to_owned();
    let (script, model) = (path("other/slurm-small-hosts.sh"), path("hf-config/qwen2.5-7b.json"));
    let output = command::stepcast(&["import", &script, "--json"]);
    assert_eq!(output.status.code(), Some(2));
    let told: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let missing = told["missing"].as_array().expect("a list");
    let missing: Vec<&str> = missing.iter().filter_map(|entry| entry["field"].as_str()).collect();
    assert_eq!((missing, &told["link"]), (vec!["m", "g"], &serde_json::Value::Null));
    let sentence = String::from_utf8(output.stderr).expect("UTF-8");
    assert!(
        sentence.contains("the model is not in the file") && sentence.contains("--set g=dgx-h100"),
        "{sentence}"
    );
    // A second file has the model, an edit the machine, and hosts have as many GPUs as the first file says.
    let whole = command::json(&["import", &script, "--with", &model, "--set", "g=dgx-h100", "--json"]);
    let link = whole["link"].as_str().expect("a link");
    let document = Document::from_link(link).expect("a link").document;
    let read = ["m", "g", "n", "node", "domain"].map(|key| document.text(key).to_owned());
    assert_eq!(read, ["qwen2.5-7b", "dgx-h100", "8", "2", "2"]);
    assert_eq!(
        command::json(&["import", &script, "--onto", "1;m=llama3-8b", "--json"])["missing"],
        serde_json::json!([])
    );
}

#[test]
fn a_variable_that_no_line_sets_is_named_and_asked_for() {
    let script = "torchrun --nproc_per_node 8 --nnodes $NODES pretrain_gpt.py --num-layers 32 --hidden-size 4096 \
                  --num-attention-heads 32 --seq-length 4096 --max-position-embeddings 4096 --micro-batch-size 1 \
                  --global-batch-size 64 --tensor-model-parallel-size ${TP} --recompute-granularity $RC";
    let import = import(script, None).unwrap_or_else(|errors| panic!("{}", told(&errors)));
    let missing: Vec<_> = import.missing.iter().map(|entry| entry.field).collect();
    assert_eq!(missing, ["n", "tp", "g"]);
    assert!(import.missing.iter().any(|entry| entry.text.contains("${TP}")), "{:?}", import.missing);
    assert!(import.assumed.iter().all(|assumed| assumed.field != Some("tp")), "{:?}", import.assumed);
    let left =
        import.ignored.iter().find(|ignored| ignored.name == "--recompute-granularity").expect("listed");
    assert!(left.importance == Importance::Matters && left.text.contains("$RC"), "{left:?}");
    // Given beside the file, it is known, and what follows from it is read.
    let given = [("tp", "2"), ("n", "16")].map(|(key, text)| (key.to_owned(), text.to_owned()));
    let import = import_with(script, None, &given).unwrap_or_else(|errors| panic!("{}", told(&errors)));
    assert_eq!((import.text("tp"), import.text("n")), (Some("2"), Some("16")));
    assert_eq!(import.missing.iter().map(|entry| entry.field).collect::<Vec<_>>(), ["g"]);
}

#[test]
fn settings_that_matter_are_listed_first_and_only_known_ones_as_harmless() {
    let script = "--num-layers 2 --lr 1e-4 --some-new-switch 3 --tensor-model-parallel-size 1 --moe-token-dispatcher-type allgather";
    let import =
        import(script, Some(ToolFile::MegatronLm)).unwrap_or_else(|errors| panic!("{}", told(&errors)));
    let listed: Vec<_> =
        import.ignored.iter().map(|ignored| (ignored.name.as_str(), ignored.importance)).collect();
    let (matters, unknown, harmless) = (Importance::Matters, Importance::Unknown, Importance::Harmless);
    assert!(listed.windows(2).all(|pair| pair[0].1 <= pair[1].1), "{listed:?}");
    for entry in
        [("--moe-token-dispatcher-type", matters), ("--some-new-switch", unknown), ("--lr", harmless)]
    {
        assert!(listed.contains(&entry), "{listed:?}");
    }
}

fn missing(import: &stepcast::exchange::Import) -> Vec<&'static str> {
    import.missing.iter().map(|entry| entry.field).collect()
}

#[test]
fn options_of_other_programs_count_no_gpus() {
    let script = "ulimit -n 65536\nexport ADDRESS=$(head -n 1 hosts)\nsort -n 3 x | head -n 2\n\
                  python pretrain_gpt.py --num-layers 2 --hidden-size 64 --num-attention-heads 2 -n 7";
    let read = import(script, None).unwrap_or_else(|errors| panic!("{}", told(&errors)));
    assert_eq!(read.text("n"), None);
    assert!(missing(&read).contains(&"n"));
    for launcher in
        ["srun -N 2 --gpus-per-node 4 python", "srun -N2 --gpus-per-node=4 python", "mpirun -np 8 python"]
    {
        let launched = script.replace("python", launcher);
        let read = import(&launched, None).unwrap_or_else(|errors| panic!("{}", told(&errors)));
        assert_eq!(read.text("n"), Some("8"), "{launcher}");
    }
}

#[test]
fn a_default_of_one_file_does_not_stand_for_an_open_value_of_another() {
    let first = "torchrun pretrain_gpt.py --seq-length 2048 --global-batch-size 64";
    let second = "ARGS=(\n--pipeline-model-parallel-size $PP\n--expert-model-parallel-size $EP\n--micro-batch-size $MB\n)";
    let file = |name, text| File { name, text, kind: Some(ToolFile::MegatronLm) };
    let files = [file("first", first), file("second", second)];
    let read = import_files(&files, &[]).unwrap_or_else(|errors| panic!("{}", told(&errors)));
    for key in ["pp", "ep", "mb"] {
        assert!(missing(&read).contains(&key) && read.text(key).is_none(), "{key}: {:?}", read.missing);
        assert!(read.assumed.iter().all(|note| note.field != Some(key)), "{key}: {:?}", read.assumed);
    }
    assert_eq!((read.text("seq"), read.text("tp")), (Some("2048"), Some("1")));
}

#[test]
fn a_shape_with_open_counts_is_read_in_part() {
    let script = "torchrun --nproc_per_node 8 pretrain_gpt.py --num-layers $LAYERS --hidden-size $HIDDEN \
                  --num-attention-heads 16 --swiglu --num-experts 64 --moe-router-topk 6 --moe-ffn-hidden-size 512 \
                  --ffn-hidden-size 4096 --seq-length 2048 --normalization RMSNorm --disable-bias-linear";
    let read = import(script, None).unwrap_or_else(|errors| panic!("{}", told(&errors)));
    let said =
        ["heads", "gated", "moe", "topk", "norm", "bias"].map(|key| read.text(key).unwrap_or_default());
    assert_eq!(said, ["16", "1", "64", "6", "rms", "none"]);
    assert_eq!(missing(&read), ["layers", "hidden", "g"]);
    assert!(read.ignored.is_empty(), "{:?}", read.ignored);
    let given = [("layers", "9"), ("hidden", "1024")].map(|(key, text)| (key.to_owned(), text.to_owned()));
    let read = import_with(script, None, &given).unwrap_or_else(|errors| panic!("{}", told(&errors)));
    assert_eq!(
        (read.text("m"), read.text("dh"), read.text("effn")),
        (Some("custom"), Some("64"), Some("512"))
    );
}

#[test]
fn what_a_launch_leaves_open_is_said() {
    let script = "#SBATCH --nodes=2\n#SBATCH --gpus-per-node=4\n\
                  tune run --nproc_per_node 4 lora_finetune_distributed --config x/70B_lora.yaml batch_size=$SIZE";
    let read = import(script, None).unwrap_or_else(|errors| panic!("{}", told(&errors)));
    assert!(missing(&read).contains(&"mb"), "{:?}", read.missing);
    for key in ["seq", "gb", "zero"] {
        assert!(read.assumed.iter().any(|note| note.field == Some(key)), "{key}: {:?}", read.assumed);
    }
    let left = read.ignored.iter().find(|left| left.name == "--config").expect("the file");
    assert!(left.importance == Importance::Matters && left.text.contains("Import it too"), "{left:?}");
    let read = import("torchrun --nproc_per_node 8 train.py configs/run.yaml\ncat other.yaml\n", None);
    let read = read.unwrap_or_else(|errors| panic!("{}", told(&errors)));
    let names: Vec<&str> = read.ignored.iter().map(|left| left.name.as_str()).collect();
    assert_eq!(names, ["configs/run.yaml"]);
    let read = import(
        "tune run full_finetune_distributed --nproc_per_node 4 --config llama3_1/8B_full batch_size=2",
        None,
    );
    let read = read.unwrap_or_else(|errors| panic!("{}", told(&errors)));
    assert_eq!(
        ["m", "n", "mb", "gb"].map(|key| read.text(key)),
        [Some("llama3-8b"), Some("4"), Some("2"), Some("8")]
    );
    let read = import("NNODES=2 llamafactory-cli train examples/llama3.yaml", None);
    let read = read.unwrap_or_else(|errors| panic!("{}", told(&errors)));
    assert!(read.ignored.iter().any(|left| left.name == "examples/llama3.yaml"), "{:?}", read.ignored);
    let batch = "{\"gradient_accumulation_steps\": 32, \"train_micro_batch_size_per_gpu\": 6}";
    let read = |given: &[(String, String)]| {
        import_with(batch, None, given).unwrap_or_else(|errors| panic!("{}", told(&errors)))
    };
    assert!(!missing(&read(&[])).contains(&"gb"));
    assert_eq!(read(&[("n".to_owned(), "8".to_owned())]).text("gb"), Some("1536"));
    let vocabulary = "{\"model_type\": \"llama\", \"num_hidden_layers\": 2, \"hidden_size\": 64, \"num_attention_heads\": 2}";
    assert!(import(vocabulary, None).is_err());
    let given = [("vocab".to_owned(), "1000".to_owned())];
    let read = import_with(vocabulary, None, &given).unwrap_or_else(|errors| panic!("{}", told(&errors)));
    assert_eq!(read.text("vocab"), Some("1000"));
}
