//! Encoders of images and sounds that stand beside the language model of a `config.json`.

use super::super::super::settings::Settings;
use crate::scenario::model::{Uncounted, UncountedParts};

/// Names of the width of an encoder's layers.
const WIDTHS: [&str; 5] = ["hidden_size", "embed_dim", "d_model", "width", "dim"];
/// Names of their number.
const DEPTHS: [&str; 6] =
    ["num_hidden_layers", "depth", "encoder_layers", "layers", "num_layers", "n_layers"];
/// Names of the width of their feed-forward part.
const INNER: [&str; 4] = ["intermediate_size", "encoder_ffn_dim", "mlp_dim", "ffn_dim"];

/// What stands beside the language model, with the parameters of its layers: four matrices of attention and two of the
/// feed-forward part.
pub(super) fn beside(settings: &Settings) -> Uncounted {
    let (vision, audio) = (tower(settings, "vision"), tower(settings, "audio"));
    let parts = match (vision, audio) {
        (None, None) => return Uncounted::NONE,
        (Some(_), None) => UncountedParts::Vision,
        (None, Some(_)) => UncountedParts::Audio,
        (Some(_), Some(_)) => UncountedParts::VisionAndAudio,
    };
    let parameters = vision.unwrap_or(0.0) + audio.unwrap_or(0.0);
    Uncounted { parts, millions: (parameters / 1e6).round() as u32 }
}

/// Parameters of an encoder, 0 where the file does not say them; nothing where there is none.
fn tower(settings: &Settings, kind: &str) -> Option<f64> {
    let of_tower = |key: &str| {
        let (table, name) = key.rsplit_once('.')?;
        let last = table.trim_start_matches('/').rsplit('.').next()?;
        let named = [format!("{kind}_config"), format!("{kind}_tower"), format!("{kind}_encoder")];
        named.iter().any(|named| named == last).then(|| name.to_owned())
    };
    let said: Vec<(String, f64)> = settings
        .iter()
        .filter_map(|setting| Some((of_tower(setting.key())?, setting.value().parse().unwrap_or(0.0))))
        .collect();
    if said.is_empty() {
        return None;
    }
    let find = |names: &[&str]| {
        names.iter().find_map(|name| said.iter().find(|entry| entry.0 == *name)).map(|entry| entry.1)
    };
    let (Some(width), Some(depth)) = (find(&WIDTHS), find(&DEPTHS)) else { return Some(0.0) };
    let inner = find(&INNER).unwrap_or(find(&["mlp_ratio"]).unwrap_or(4.0) * width);
    let parameters = depth * (4.0 * width * width + 2.0 * width * inner);
    Some(if (0.0..1e12).contains(&parameters) { parameters } else { 0.0 })
}
