//! The optimizer, and the formats that its states and gradients are kept in.

use super::super::sheet::ExportDraft;
use super::{Entries, Target};
use crate::scenario::plan::Zero;
use crate::scenario::stack::Attention;
use crate::scenario::{GradientFormat, MuonWay, Optimizer, Precision, StateFormat};

/// Bytes of a gradient in 16 bits.
const HALF: f64 = 2.0;

/// Writes what is trained with.
pub(super) fn write(sheet: &mut ExportDraft, entries: &mut Entries, target: Target) {
    let name = match sheet.scenario.training.optimizer {
        Optimizer::AdamW => Some("adam"),
        Optimizer::SgdMomentum => Some("sgd"),
        Optimizer::Muon => Some("muon"),
        Optimizer::Lion => Some("lion"),
        Optimizer::Adafactor | Optimizer::Sgd => None,
    };
    if let Some(name) = name {
        entries.value("optimizer", "optimizer", "optimizer", name);
    }
    sheet.say_if(name.is_some(), "opt", "Megatron supports neither Adafactor nor SGD without momentum");
    muon(sheet, entries);
    states(sheet, entries, target);
    gradients(sheet, entries, target);
}

/// What Muon does with parts of matrices.
fn muon(sheet: &mut ExportDraft, entries: &mut Entries) {
    let mode = match sheet.scenario.training.muon {
        MuonWay::Blockwise => "blockwise",
        MuonWay::Duplicated => "duplicated",
        MuonWay::Distributed => "distributed",
        MuonWay::Layer => {
            if sheet.scenario.training.optimizer == Optimizer::Muon {
                let name = "use_layer_sharding_muon";
                entries.switch(true, "use-layer-sharding-muon", "optimizer", name);
                sheet.say(&["muon"]);
            }
            return;
        }
    };
    if sheet.scenario.training.optimizer == Optimizer::Muon {
        entries.value("muon-tp-mode", "optimizer", "muon_tp_mode", mode);
        sheet.say(&["muon"]);
    }
}

fn states(sheet: &mut ExportDraft, entries: &mut Entries, target: Target) {
    let training = &sheet.scenario.training;
    let format = match training.states {
        StateFormat::Bits32 => {
            sheet.say(&["ost"]);
            return;
        }
        StateFormat::Bits16 => Some("bf16"),
        StateFormat::Bits8 => Some("fp8"),
        StateFormat::Bits4 => None,
    };
    let aware = training.optimizer == Optimizer::AdamW && sheet.scenario.plan.zero != Zero::None;
    let format = format.filter(|_| aware && target == Target::Script);
    if let Some(format) = format {
        entries.argument("--use-precision-aware-optimizer");
        entries.argument(format!("--exp-avg-dtype {format}"));
        entries.argument(format!("--exp-avg-sq-dtype {format}"));
    }
    sheet.say_if(
        format.is_some(),
        "ost",
        "only Adam with the distributed optimizer supports 16-bit and 8-bit states",
    );
}

/// The format of gradients: stated, or that of other software, which is written out.
fn gradients(sheet: &mut ExportDraft, entries: &mut Entries, target: Target) {
    let (training, software) = (&sheet.scenario.training, &sheet.scenario.software);
    let stated = training.gradients != GradientFormat::Stack;
    if !stated && software.stack.name() == target.stack() {
        sheet.leave_out("grads", "software default");
        return;
    }
    let bytes = training.gradient_bytes(&sheet.scenario.plan, software.profile().gradient_bytes);
    let unfused = software.profile().attention == Attention::Unfused;
    let half = bytes <= HALF && (stated || !unfused);
    match (target, sheet.scenario.workload.precision) {
        (Target::Yaml, _) => entries.yaml("ddp", "grad_reduce_in_fp32", !half),
        // 16 bits are all that FP16 has.
        (Target::Script, Precision::Fp16) if half => {}
        (Target::Script, _) if half => entries.argument("--grad-reduce-in-bf16"),
        (Target::Script, _) => entries.argument("--accumulate-allreduce-grads-in-fp32"),
    }
    let alone = half && target == Target::Script && sheet.scenario.workload.precision == Precision::Fp16;
    sheet.say_if(stated && !alone, "grads", "replaced by the resulting format");
}
