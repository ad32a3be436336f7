//! What files do not say, and what of them is left out.

use super::{command, folder, told};
use stepcast::document::Document;
use stepcast::exchange::{Importance, Kind, import, import_with};

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
    let import = import(script, Some(Kind::MegatronLm)).unwrap_or_else(|errors| panic!("{}", told(&errors)));
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
