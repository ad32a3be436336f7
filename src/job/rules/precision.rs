//! Rules for number formats: which a GPU supports, and its rates.

use super::{Rule, error};
use crate::fields::Field;
use crate::scenario::{Precision, Scenario};

pub(super) static RULES: &[Rule] = &[
    Rule {
        broken: |s| !has_precision(s, s.workload.precision),
        explain: |s, _| {
            let legal: Vec<String> = [Precision::Bf16, Precision::Fp16, Precision::Fp8]
                .into_iter()
                .filter(|precision| has_precision(s, *precision))
                .map(|precision| precision_name(s, precision))
                .collect();
            let name = precision_name(s, s.workload.precision);
            error("prec", format!("This GPU does not support {name} GEMMs"), legal)
        },
    },
    Rule {
        // On every GPU that supports narrower formats: half the bits use the same units.
        broken: |s| narrow_peak(s).is_some_and(|peak| peak.1 > 0.0 && peak.1 < s.cluster.gpu.peak_bf16.0),
        explain: |s, _| {
            let key = narrow_peak(s).map_or("fp8", |peak| peak.0);
            let text = |key: &str| Field::find(key).map(|field| field.canonical(s)).unwrap_or_default();
            let name = precision_name(s, s.workload.precision);
            error(
                key,
                format!("The {name} peak of {} TFLOP/s is below the 16-bit peak", text(key)),
                vec![text("bf16")],
            )
        },
    },
];

fn has_precision(s: &Scenario, precision: Precision) -> bool {
    let gpu = &s.cluster.gpu;
    match precision {
        Precision::Fp16 => true,
        Precision::Bf16 => gpu.family.generation().bf16,
        Precision::Fp8 | Precision::Fp8Block => gpu.peak_fp8.0 > 0.0,
        Precision::Mxfp8 => {
            let scales_in_hardware = gpu.family.generation().block_scales;
            gpu.peak_fp8.0 > 0.0 && scales_in_hardware
        }
        Precision::Nvfp4 => gpu.peak_fp4.0 > 0.0,
    }
}

/// Field and peak, FLOP/s, of a chosen precision below 16 bits.
fn narrow_peak(s: &Scenario) -> Option<(&'static str, f64)> {
    match s.workload.precision {
        Precision::Bf16 | Precision::Fp16 => None,
        Precision::Fp8 | Precision::Fp8Block | Precision::Mxfp8 => Some(("fp8", s.cluster.gpu.peak_fp8.0)),
        Precision::Nvfp4 => Some(("fp4", s.cluster.gpu.peak_fp4.0)),
    }
}

fn precision_name(s: &Scenario, precision: Precision) -> String {
    let mut copy = *s;
    copy.workload.precision = precision;
    Field::find("prec").map(|field| field.canonical(&copy)).unwrap_or_default()
}
