//! Every kernel and collective of the slowest stage.

use stepcast::forecast::{Bound, OperatorRow, Pass, Prediction};
use stepcast::number;
use stepcast_web_kit::sheet::Sheet;
use yew::prelude::*;

/// Every operator.
pub(super) fn operators(prediction: &Prediction) -> Html {
    Sheet {
        id: "operators-table",
        caption: "Kernels and collectives of the slowest stage, per micro-batch. Rows with the pass \u{201c}step\u{201d} run on the first stage, once per step."
            .to_owned(),
        head: vec![
            "Operator",
            "Pass",
            "Shape",
            "Calls",
            "Time per call",
            "Total time",
            "Bound by",
            "FLOPs per call",
            "Bytes per call",
        ],
        words: &[0, 1, 2, 6],
        rows: prediction.operators.iter().map(|row| ("", operator(row))).collect(),
    }
    .framed_explaining("operator.")
}

fn operator(row: &OperatorRow) -> Vec<String> {
    let flops = if row.flops.0 > 0.0 { number::flops(row.flops).to_string() } else { "\u{2014}".to_owned() };
    vec![
        row.name.replace('_', " "),
        pass(row.pass).to_owned(),
        row.shape.to_string().replace(" x ", " \u{d7} "),
        number::fixed(row.count, if row.count.fract() == 0.0 { 0 } else { 1 }),
        number::time(row.time).to_string(),
        number::time(row.time * row.count).to_string(),
        bound(row.bound).to_owned(),
        flops,
        number::traffic(row.bytes).to_string(),
    ]
}

pub(crate) fn pass(pass: Pass) -> &'static str {
    match pass {
        Pass::Forward => "forward",
        Pass::Recompute => "recompute",
        Pass::InputGradient => "input gradient",
        Pass::WeightGradient => "weight gradient",
        Pass::Backward => "backward",
        Pass::Step => "once per step",
    }
}

fn bound(bound: Bound) -> &'static str {
    match bound {
        Bound::Compute => "compute",
        Bound::Memory => "memory",
        Bound::Latency => "launch",
        Bound::ScaleUp => "scale-up fabric",
        Bound::Network => "network",
        Bound::Host => "host link",
    }
}
