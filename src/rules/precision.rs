//! Rules of number formats: which a GPU multiplies, and how fast.

use super::{Rule, error};
use crate::fields::Field;
use crate::scenario::cluster::GpuFamily;
use crate::scenario::{Precision, Scenario};

pub(super) static RULES: &[Rule] = &[Rule {
    broken: |s| !has_precision(s, s.workload.precision),
    explain: |s, _| {
        let legal: Vec<String> = [Precision::Bf16, Precision::Fp16, Precision::Fp8]
            .into_iter()
            .filter(|precision| has_precision(s, *precision))
            .map(|precision| precision_name(s, precision))
            .collect();
        let name = precision_name(s, s.workload.precision);
        error("prec", format!("This GPU has no matrix products in {name}"), legal)
    },
}];

fn has_precision(s: &Scenario, precision: Precision) -> bool {
    let gpu = &s.cluster.gpu;
    match precision {
        Precision::Fp16 => true,
        Precision::Bf16 => gpu.family != GpuFamily::Volta,
        Precision::Fp8 | Precision::Fp8Block => gpu.peak_fp8.0 > 0.0,
        Precision::Mxfp8 => {
            let scales_in_hardware =
                matches!(gpu.family, GpuFamily::Blackwell | GpuFamily::BlackwellUltra | GpuFamily::Cdna4);
            gpu.peak_fp8.0 > 0.0 && scales_in_hardware
        }
        Precision::Nvfp4 => gpu.peak_fp4.0 > 0.0,
    }
}

fn precision_name(s: &Scenario, precision: Precision) -> String {
    let mut copy = *s;
    copy.workload.precision = precision;
    Field::find("prec").map(|field| field.canonical(&copy)).unwrap_or_default()
}
