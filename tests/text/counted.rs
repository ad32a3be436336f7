//! Parameters of models by their `config.json` against what Hugging Face Transformers builds of it.

use std::path::PathBuf;
use stepcast::document::Document;
use stepcast::exchange::{ToolFile, import};

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
