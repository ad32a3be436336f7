//! What a model of a `config.json` is called.

use super::super::super::settings::Settings;
use crate::number;
use crate::scenario::model::Model;

/// The name that the file has of the model, else its architecture with its size: `Llama 6.74 B`.
pub(super) fn name(settings: &mut Settings, model: &Model) -> Option<String> {
    let path = settings.text(&["_name_or_path", "/_name_or_path"]);
    if let Some(name) = path.as_ref().and_then(|path| last_part(path.value())) {
        return Some(name.to_owned());
    }
    let class = settings.text(&["architectures", "/architectures"]);
    let class = class.as_ref().map(|class| class.value().split("For").next().unwrap_or_default());
    let kind = settings.text(&["model_type", "/model_type"]);
    let family = class.filter(|class| !class.is_empty()).or(kind.as_ref().map(|kind| kind.value()))?;
    let size = number::short(&number::count(model.parameters() as f64));
    Some(format!("{family} {size}"))
}

/// The last part of a path or of a name on the Hub that tells the model from others.
fn last_part(path: &str) -> Option<&str> {
    let names = |part: &&str| {
        part.contains(|letter: char| letter.is_ascii_alphabetic()) && !part.starts_with("checkpoint")
    };
    path.rsplit(['/', '\\']).find(names)
}

#[cfg(test)]
mod tests {
    use super::last_part;

    #[test]
    fn a_path_ends_in_the_name() {
        for (path, name) in [
            ("meta-llama/Llama-2-7b-hf", Some("Llama-2-7b-hf")),
            ("/data/runs/our-7b/checkpoint-500/", Some("our-7b")),
            ("C:\\models\\ours", Some("ours")),
            ("./", None),
            ("", None),
        ] {
            assert_eq!(last_part(path), name, "{path}");
        }
    }
}
