//! Formulas of the fullest GPU's memory, by owner.

use super::Unit;
use super::formula::{Formula, FormulaTerm};
use crate::memory::{LIBRARY_WORKSPACE, MemoryReport, StageTerms, WEIGHT, terms};
use crate::scenario::Scenario;
use crate::units::Bytes;

/// The peak and each of its owners, with their formulas.
pub(super) fn peak(scenario: &Scenario, report: &MemoryReport) -> FormulaTerm {
    let of = terms(scenario, report.worst_stage);
    let stage = of.moment.with_states(&of.states, of.grow).memory;
    let owners = stage.parts().into_iter().map(|(key, label, size)| {
        Formula::from(match owner(key, &of) {
            Some(formula) => FormulaTerm::of(label, size.0, Unit::Memory, formula),
            None => FormulaTerm::given(label, size.0, Unit::Memory),
        })
    });
    let name = format!("peak memory per GPU on stage {}", report.worst_stage);
    FormulaTerm::of(name, Bytes::from_gib(report.peak_gib).0, Unit::Memory, Formula::Sum(owners.collect()))
}

fn owner(key: &str, of: &StageTerms) -> Option<Formula> {
    let (states, moment, fullest) = (&of.states.of, &of.moment, of.moment.fullest(&of.states, of.grow));
    let given = |name: &str, bytes: f64| Formula::from(FormulaTerm::given(name, bytes, Unit::Memory));
    Some(match key {
        // Casts of weights are freed at the update: any remainder is frozen weights.
        "weights" if fullest.weights <= states.frozen => return None,
        "weights" => {
            let weights =
                held(WEIGHT, "bytes per weight", (fullest.weights - states.frozen) / WEIGHT, states.trained);
            if states.frozen <= 0.0 {
                return Some(weights);
            }
            Formula::Sum(vec![weights, given("frozen weights", states.frozen)])
        }
        "gradients" if fullest.gradients > 0.0 => {
            held(states.gradient, "bytes per gradient", fullest.gradients / states.gradient, states.trained)
        }
        "optimizer" => {
            let layers =
                held(states.states, "optimizer state bytes per parameter", states.on_gpu, states.trained);
            if states.ends == 0.0 {
                return Some(layers);
            }
            Formula::Sum(vec![
                layers,
                given("additional optimizer states of embedding and LM head", states.ends),
            ])
        }
        "activations" if fullest.activations == moment.activations => activations(of),
        // Under FSDP, the peak may be in the backward pass of the first layer, when only its own are left.
        "activations" if fullest.activations > 0.0 => {
            given("activations of the first layer, which runs backward last", fullest.activations)
        }
        "workspace" => Formula::Sum(vec![
            given("library workspaces", LIBRARY_WORKSPACE.0),
            given("temporary memory of the running layer beyond the logits", fullest.running),
            given("temporary memory of the optimizer beyond the activations", fullest.update),
            given("gradients before and during reduction", fullest.reduced),
            given("send and receive buffers", moment.messages),
            given("gradient placeholders", moment.placeholders),
        ]),
        // Logits are one tensor in successive formats; what is not allocated at the peak has no formula.
        _ => return None,
    })
}

/// Bytes per parameter, times the parameters that a GPU holds and their share of the stage's.
fn held(each: f64, name: &str, held: f64, trained: f64) -> Formula {
    let held = if held > 0.0 && held < trained {
        let share = FormulaTerm::given("share per GPU", held / trained, Unit::Share);
        let all = FormulaTerm::given("trained parameters of the stage", trained, Unit::Count);
        FormulaTerm::of(
            "parameters per GPU",
            held,
            Unit::Count,
            Formula::Product(vec![all.into(), share.into()]),
        )
    } else {
        FormulaTerm::given("parameters per GPU", held, Unit::Count)
    };
    Formula::Product(vec![FormulaTerm::given(name, each, Unit::BytesEach).into(), held.into()])
}

fn activations(of: &StageTerms) -> Formula {
    let [kept, deferred] = of.moment.kept;
    let (in_flight, awaiting_weight_gradient) = of.in_flight.fullest(kept, deferred);
    let mut parts = vec![Formula::Product(vec![
        FormulaTerm::given("micro-batches in flight", in_flight, Unit::Number).into(),
        FormulaTerm::given("activations per micro-batch", kept, Unit::Memory).into(),
    ])];
    if awaiting_weight_gradient > 0.0 {
        parts.push(Formula::Product(vec![
            FormulaTerm::given(
                "micro-batches with delayed weight gradients",
                awaiting_weight_gradient,
                Unit::Number,
            )
            .into(),
            FormulaTerm::given("activations per delayed micro-batch", deferred, Unit::Memory).into(),
        ]));
    }
    let held = Formula::Sum(parts);
    let [passing, offloaded] = of.moment.passing;
    if offloaded <= 0.0 {
        return held;
    }
    let held = Formula::from(FormulaTerm::of("activations in flight", held.evaluate(), Unit::Memory, held));
    let stays = FormulaTerm::given("share not offloaded", 1.0 - offloaded, Unit::Share);
    let through = FormulaTerm::given("transfer buffers for offloading", passing, Unit::Memory);
    let shared = Formula::Sum(vec![Formula::Product(vec![stays.into(), held.clone()]), through.into()]);
    Formula::Minimum(vec![held, shared])
}
