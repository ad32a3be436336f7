//! A model's layers as a strip: one after another, above by what mixes their tokens, below by their feed-forward part.

use core::ops::Range;
use stepcast::number;
use stepcast::scenario::model::{LayerKind, Layers, Model};
use yew::prelude::*;

/// The strip, and what its colours mean.
pub(crate) fn layer_strip(model: &Model) -> Html {
    let layers = Layers::new(model);
    let counts = layers.kinds().iter().zip(layers.counts());
    let said = |kind: LayerKind, count: u32| {
        format!("{} \u{d7} {}", number::integer(count.into()), kind.label(model.recurrent.rule))
    };
    let kinds: Vec<(LayerKind, String)> = counts.map(|(kind, count)| (*kind, said(*kind, count))).collect();
    let words: Vec<&str> = kinds.iter().map(|(_, words)| words.as_str()).collect();
    let mut from = 0;
    let runs = layers.runs().into_iter().map(|(kind, count)| {
        from += count;
        let kind = layers.kind(kind);
        run(kind, said(kind, count), from - count..from)
    });
    html! {
        <div class="layers">
            <svg class="layers-strip" role="img" aria-label={format!("Layers of the model: {}", words.join(", "))}
                viewBox={format!("0 0 {} 10", layers.total())} preserveAspectRatio="none">
                { for runs }
            </svg>
            <ul class="legend-line">
                for (kind, words) in &kinds {
                    <li key={words.clone()}>
                        <span class={format!("swatch l-{} f-{}", kind.mixer.row().class, kind.feed_forward.row().class)}></span>{ words }
                    </li>
                }
            </ul>
        </div>
    }
}

/// Neighbouring layers of one kind, a gap after each layer.
fn run(kind: LayerKind, title: String, places: Range<u32>) -> Html {
    const GAP: f64 = 0.06;
    let bar = |layer: u32| {
        let (x, width) = (f64::from(layer).to_string(), (1.0 - GAP).to_string());
        html! {
            <>
                <rect class={format!("l-{}", kind.mixer.row().class)} x={x.clone()} y="0" width={width.clone()} height="7" />
                <rect class={format!("f-{}", kind.feed_forward.row().class)} {x} y="7.5" {width} height="2.5" />
            </>
        }
    };
    html! {
        <g>
            <title>{ title }</title>
            { for places.map(bar) }
        </g>
    }
}
