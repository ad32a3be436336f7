//! A model's layers as a strip: one after the other, coloured by what mixes their tokens, those with experts hatched.

use stepcast::number;
use stepcast::scenario::model::{LayerKind, Layers, Mixer, Model};
use yew::prelude::*;

/// The strip, and what its colours mean.
pub(crate) fn layer_strip(model: &Model) -> Html {
    let layers = Layers::new(model);
    let counts = layers.kinds().iter().zip(layers.counts());
    let kinds: Vec<(LayerKind, u32)> = counts.map(|(kind, count)| (*kind, count)).collect();
    let words: Vec<String> = kinds.iter().map(|(kind, count)| said(*kind, *count)).collect();
    html! {
        <div class="layers">
            <div class="layers-strip" role="img" aria-label={format!("Layers of the model: {}", words.join(", "))}>
                for (kind, count) in layers.runs() {
                    <span class={classes(layers.kind(kind))} style={format!("flex-grow:{count}")}
                        title={said(layers.kind(kind), count)}></span>
                }
            </div>
            <ul class="legend-line">
                for ((kind, _), words) in kinds.iter().zip(&words) {
                    <li key={words.clone()}><span class={format!("swatch {}", classes(*kind))}></span>{ words }</li>
                }
            </ul>
        </div>
    }
}

fn said(kind: LayerKind, count: u32) -> String {
    format!("{} \u{d7} {}", number::integer(count.into()), kind.label())
}

fn classes(kind: LayerKind) -> String {
    let mixer = match kind.mixer {
        Mixer::None => "none",
        Mixer::Attention => "attention",
        Mixer::Windowed => "windowed",
        Mixer::Selected | Mixer::SelectedAlike => "selected",
        Mixer::Compressed => "compressed",
        Mixer::SelectedAndCompressed => "both-sparse",
        Mixer::Recurrent => "recurrent",
        Mixer::Both => "both",
    };
    let experts = if kind.has_experts() { " l-experts" } else { "" };
    format!("l-{mixer}{experts}")
}
