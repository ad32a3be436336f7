//! Parameters and FLOPs of models by their `config.json` against what Hugging Face Transformers builds of it, and PyTorch counts.

use std::path::PathBuf;
use stepcast::document::Document;
use stepcast::exchange::{ToolFile, import};
use stepcast::page_state::report::ModelReport;
use stepcast::scenario::Scenario;
use stepcast::scenario::model::{Model, Tower};

/// Share by which a model that is read whole may be off: norms and biases that no field names.
const TOLERANCE: f64 = 1e-3;

/// What begins every note about a part of a model that is not what fields say.
const UNSAID: &str = "Not supported: ";

/// Families whose head has a layer of its own, which is said and not counted.
const ENCODERS: [&str; 2] = ["bert-base.json", "albert-base.json"];

/// Copies that leave out what its class has another default for than the published file: Gemma 4 without embeddings of every
/// layer's own.
const CUT: [&str; 1] = ["gemma-4-26b-a4b.json"];

#[test]
fn transformers_builds_as_many_parameters() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/exchange");
    let table = std::fs::read_to_string(folder.join("counted.tsv")).expect("the table");
    let (mut wrong, mut whole, mut families) = (Vec::new(), 0, Vec::new());
    for line in table.lines().filter(|line| !line.starts_with('#')).skip(1) {
        let (file, counted) = line.split_once('\t').expect("two cells");
        let counted: f64 = counted.parse().expect("a number");
        let text = std::fs::read_to_string(folder.join("hf-config").join(file)).expect("the file");
        let import = match import(&text, Some(ToolFile::HfConfig)) {
            Ok(import) => import,
            Err(errors) => {
                wrong.push(format!("{file}: {errors:?}"));
                continue;
            }
        };
        let model = import.onto(&Document::default()).values().expect("fields within bounds").model;
        let model = Model { tower: read_across(model.tower), ..model };
        let share = model.parameters() as f64 / counted - 1.0;
        let said = import.assumed.iter().any(|note| note.text.starts_with(UNSAID));
        if said || ENCODERS.contains(&file) || CUT.contains(&file) {
            continue;
        }
        if share.abs() > TOLERANCE {
            wrong.push(format!("{file}: {} parameters, not {counted}", model.parameters()));
        }
        whole += 1;
        let family = text.split("\"model_type\":").last().and_then(|rest| rest.split('"').nth(1));
        families.push(family.unwrap_or_default().to_owned());
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    families.sort_unstable();
    families.dedup();
    assert!(whole >= 80 && families.len() >= 45, "{whole} models of {} families", families.len());
}

/// The encoder of an encoder with a decoder. Of others, the tables count the language model alone.
fn read_across(tower: Tower) -> Tower {
    if tower.projectors == 0 { tower } else { Tower::NONE }
}

/// Tokens of the sequence that `examples/count_flops.py` counts.
const TOKENS: u32 = 2048;
/// Models whose code in Transformers sends every token to all experts, and weighs those with 0 that it is not routed to.
const ALL_EXPERTS: [&str; 2] = ["llama-4-maverick.json", "llama-4-scout.json"];
/// Share by which FLOPs may be off.
const OF_FLOPS: f64 = 0.01;

/// Families whose default encoder does not fit their default decoder, which Transformers cannot run.
const MISMATCHED: [&str; 1] = ["qwen3_vl_moe"];

/// What says that a part of a model is not counted.
const NAMED: [&str; 2] = [UNSAID, "not counted"];

/// Default configurations of the classes of Transformers: each is read with all parameters, or the answer names what is left
/// out, or the refusal names the setting.
#[test]
fn every_family_of_transformers_is_read_or_named() {
    let table = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/exchange/families.tsv");
    let table = std::fs::read_to_string(table).expect("the table");
    let (mut wrong, mut exact, mut named, mut refused) = (Vec::new(), 0, 0, 0);
    for line in table.lines().filter(|line| !line.starts_with('#')).skip(1) {
        let cells: Vec<&str> = line.split('\t').collect();
        let [family, counted, text] = cells[..] else { panic!("{line}") };
        let counted: f64 = counted.parse().expect("a number");
        let read = match import(text, Some(ToolFile::HfConfig)) {
            Ok(read) => read,
            Err(errors) => {
                refused += 1;
                let says = errors.iter().all(|error| error.name.is_some() && error.message.len() > 20);
                if !says {
                    wrong.push(format!("{family}: {errors:?}"));
                }
                continue;
            }
        };
        let model = read.onto(&Document::default()).values().expect("fields within bounds").model;
        let share = model.parameters() as f64 / counted - 1.0;
        let is_named =
            |text: &str| NAMED.iter().any(|part| text.to_lowercase().contains(&part.to_lowercase()));
        let says =
            model.uncounted.sentence().is_some() || read.assumed.iter().any(|note| is_named(&note.text));
        match (share.abs() <= TOLERANCE, says) {
            (true, _) => exact += 1,
            (false, true) => named += 1,
            (false, false) if MISMATCHED.contains(&family) => {}
            (false, false) => wrong.push(format!("{family}: {:+.2} %", share * 100.0)),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(exact >= 145 && refused <= 80, "{exact} exact, {named} with a named part, {refused} refused");
}

/// Share by which the published numbers of models may be off, which are rounded.
const OF_PUBLISHED: f64 = 0.012;

/// Of configurations as published, 155 of 166 are read, with as many parameters as their makers state or with the parts that
/// are left out in the forecast's first lines; a refusal names the setting, and its line where there is one.
#[test]
fn published_configurations_are_read_or_named() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/exchange");
    let table = std::fs::read_to_string(folder.join("published.tsv")).expect("the table");
    let (mut wrong, mut whole, mut read, mut all) = (Vec::new(), 0, 0, 0);
    for line in table.lines().filter(|line| !line.starts_with('#')).skip(1) {
        let cells: Vec<&str> = line.split('\t').collect();
        let [name, published, text] = cells[..] else { panic!("{line}") };
        all += 1;
        let import = match import(text, Some(ToolFile::HfConfig)) {
            Ok(import) => import,
            Err(errors) => {
                let says = errors.iter().all(|error| error.name.is_some() && error.line.is_some());
                if published != "refused" || !says {
                    wrong.push(format!("{name}: {errors:?}"));
                }
                continue;
            }
        };
        let scenario = import.onto(&Document::default()).values().expect("fields within bounds");
        let model = scenario.model;
        read += 1;
        if model.uncounted.sentence().is_some() {
            continue;
        }
        whole += 1;
        let published: f64 = published.parse().expect("a number");
        let share = model.parameters() as f64 / 1e9 / published - 1.0;
        if share.abs() > OF_PUBLISHED {
            wrong.push(format!("{name}: {} parameters, not {published} billion", model.parameters()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    for file in std::fs::read_dir(folder.join("hf-config")).expect("the folder") {
        let text = std::fs::read_to_string(file.expect("a file").path()).expect("its text");
        all += 1;
        read += usize::from(import(&text, Some(ToolFile::HfConfig)).is_ok());
    }
    assert!(whole >= 30 && all >= 166, "{whole} whole of {all}");
    assert!(read * 166 >= all * 155, "{read} read of {all}");
}

#[test]
fn pytorch_counts_as_many_flops() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/exchange");
    let table = std::fs::read_to_string(folder.join("flops.tsv")).expect("the table");
    let (mut wrong, mut right) = (Vec::new(), 0);
    for line in table.lines().filter(|line| !line.starts_with('#')).skip(1) {
        let (file, counted) = line.split_once('\t').expect("two cells");
        if [&ENCODERS[..], &CUT, &ALL_EXPERTS].iter().any(|left_out| left_out.contains(&file)) {
            continue;
        }
        let counted: f64 = counted.parse().expect("a number");
        let text = std::fs::read_to_string(folder.join("hf-config").join(file)).expect("the file");
        let read = import(&text, Some(ToolFile::HfConfig)).expect("a model");
        let mut scenario = read.onto(&Document::default()).values().expect("fields within bounds");
        // The counter counts all scores, and the forward pass alone.
        scenario.workload.sequence = TOKENS;
        let model = &mut scenario.model;
        (model.causal, model.prediction_layers, model.tower) = (false, 0, read_across(model.tower));
        if model.window.tokens > 0 {
            model.window.tokens = model.window.tokens.max(TOKENS);
        }
        let report = serde_json::to_value(ModelReport::of(&scenario)).expect("JSON");
        let forward = report["flops_per_token"].as_f64().expect("a number") / 3.0 * f64::from(TOKENS);
        let share = forward / counted - 1.0;
        if share.abs() > OF_FLOPS {
            wrong.push(format!("{file}: {forward:.4e}, not {counted:.4e}: {:+.2} %", share * 100.0));
        } else {
            right += 1;
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(right >= 45, "{right} models");
}

/// Share by which encoders with their projectors may be off in parameters.
const OF_ENCODERS: f64 = 5e-3;

/// FLOPs of an encoder's forward pass over one sample, projectors included: a frozen one has no other pass, and what a frozen
/// model's step takes without it is subtracted.
fn of_encoder(scenario: &Scenario) -> f64 {
    let step = |tower: Tower| {
        let mut scenario = *scenario;
        scenario.model.tower = tower;
        scenario.training.adapters.rank = 8;
        let report = serde_json::to_value(ModelReport::of(&scenario)).expect("JSON");
        report["flops_per_token"].as_f64().expect("a number") * f64::from(scenario.workload.sequence)
    };
    step(scenario.model.tower) - step(Tower::NONE)
}

#[test]
fn transformers_builds_the_same_encoders() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/exchange");
    let table = std::fs::read_to_string(folder.join("towers.tsv")).expect("the table");
    let (mut wrong, mut models, mut runs) = (Vec::new(), 0, 0);
    for line in table.lines().filter(|line| !line.starts_with('#')).skip(1) {
        let cells: Vec<&str> = line.split('\t').collect();
        let [file, whole, outside, tokens, flops] = cells[..] else { panic!("{line}") };
        let text = std::fs::read_to_string(folder.join("hf-config").join(file)).expect("the file");
        let read = import(&text, Some(ToolFile::HfConfig)).expect("a model");
        let mut scenario = read.onto(&Document::default()).values().expect("fields within bounds");
        let model = &mut scenario.model;
        if !model.tower.exists() {
            assert!(model.uncounted.sentence().is_some(), "{file}: neither counted nor said");
            continue;
        }
        let all = model.parameters() as f64;
        let encoder = all - Model { tower: Tower::NONE, ..*model }.parameters() as f64;
        for (what, own, counted, share) in
            [("in all", all, whole, TOLERANCE), ("outside", encoder, outside, OF_ENCODERS)]
        {
            let counted: f64 = counted.parse().expect("a number");
            if (own / counted - 1.0).abs() > share {
                wrong.push(format!(
                    "{file}: {own} parameters {what}, not {counted}: {:+.3} %",
                    (own / counted - 1.0) * 100.0
                ));
            }
        }
        models += 1;
        let Ok(tokens) = tokens.parse() else { continue };
        model.tower.tokens = tokens;
        scenario.workload.sequence = scenario.workload.sequence.max(tokens);
        let (own, counted) = (of_encoder(&scenario), flops.parse::<f64>().expect("a number"));
        if (own / counted - 1.0).abs() > OF_FLOPS {
            wrong.push(format!(
                "{file}: {own:.4e} FLOPs, not {counted:.4e}: {:+.2} %",
                (own / counted - 1.0) * 100.0
            ));
        }
        runs += 1;
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(models >= 14 && runs >= 12, "{models} models, FLOPs of {runs}");
}
