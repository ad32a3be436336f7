//! Every stage of the pipeline.

use stepcast::forecast::Prediction;
use stepcast::number;
use stepcast_web_kit::sheet::Sheet;
use yew::prelude::*;

/// Every stage.
pub(super) fn stages(prediction: &Prediction) -> Html {
    let rows = prediction.stages.iter().map(|stage| {
        let cells = vec![
            number::integer(stage.stage.into()),
            number::integer(stage.layers.into()),
            number::time(stage.forward).to_string(),
            number::time(stage.backward).to_string(),
            number::memory(stage.peak_memory).to_string(),
        ];
        ("", cells)
    });
    Sheet {
        id: "stages-table",
        caption: "Times per micro-batch, including communication and host overhead.".to_owned(),
        head: vec!["Stage", "Layers", "Forward", "Backward", "Peak memory"],
        words: &[],
        rows: rows.collect(),
    }
    .framed()
}
