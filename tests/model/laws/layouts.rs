//! What a layout buys: overlap buys time, recomputation and sharding buy memory.

use crate::laws::{ROUNDING, Verdict, no_slower, sure};
use crate::scenarios::Drawn;
use stepcast::forecast::Predictor;
use stepcast::scenario::model::Layers;

use stepcast::scenario::Scenario;
use stepcast::scenario::plan::{Recompute, Zero};

crate::laws::laws!(
    overlap_never_slows,
    recomputation_saves_memory,
    sharding_saves_memory,
    offloading_saves_memory,
    recomputation_costs_time
);

/// Makes a scenario another.
type Edit = fn(&mut Scenario);

fn overlap_never_slows(drawn: &Drawn, _: f64) -> Verdict {
    let switches: [(&str, Edit); 4] = [
        ("tensor overlap", |s| s.plan.tensor_overlap = true),
        ("expert overlap", |s| s.plan.expert_overlap = true),
        ("data overlap", |s| s.plan.data_overlap = true),
        ("pipeline overlap", |s| s.plan.pipeline_overlap = true),
    ];
    let before = Predictor::SHIPPED.estimate(&drawn.scenario).step.0;
    for (what, switch) in switches {
        let mut after = drawn.scenario;
        switch(&mut after);
        no_slower(&drawn.scenario, what, before, Predictor::SHIPPED.estimate(&after).step.0)?;
    }
    Ok(())
}

/// Memory along a list of edits must not grow.
fn saves(drawn: &Drawn, edits: &[(&str, Edit)]) -> Verdict {
    let mut last: Option<(&str, f64)> = None;
    for (what, edit) in edits {
        let mut after = drawn.scenario;
        edit(&mut after);
        if after.validate().is_err() {
            continue;
        }
        let bytes = Predictor::SHIPPED.estimate(&after).peak_memory.0;
        if let Some((before, most)) = last {
            sure(bytes <= most * (1.0 + ROUNDING), || {
                format!("{what} holds {bytes} bytes, {before} {most}, {:+.3} %", 100.0 * (bytes / most - 1.0))
            })?;
        }
        last = Some((what, bytes));
    }
    Ok(())
}

/// A schedule that puts weight gradients off keeps for them what was recomputed, and is left out.
fn recomputation_saves_memory(drawn: &Drawn, _: f64) -> Verdict {
    if drawn.scenario.plan.schedule.splits_backward() {
        return Ok(());
    }
    saves(
        drawn,
        &[
            ("nothing recomputed", |s| s.plan.recompute = Recompute::None),
            ("selective recomputation", |s| s.plan.recompute = Recompute::Selective),
            ("full recomputation", |s| s.plan.recompute = Recompute::Full),
        ],
    )?;
    // A recomputed layer is whole on the GPU for a moment, which may be more than what layers of another kind keep there.
    let kinds = Layers::new(&drawn.scenario.model).kinds().len();
    if kinds > 1 && drawn.scenario.plan.offload_activations > 0 {
        return Ok(());
    }
    // More of the same layers: third ones may be dense where fourth ones are of experts.
    saves(
        drawn,
        &[
            ("nothing recomputed", |s| s.plan.recompute = Recompute::None),
            ("every fourth layer recomputed", |s| s.plan.recompute = Recompute::Every(4)),
            ("every second layer", |s| s.plan.recompute = Recompute::Every(2)),
            ("every layer", |s| s.plan.recompute = Recompute::Full),
        ],
    )?;
    saves(
        drawn,
        &[
            ("nothing recomputed", |s| s.plan.recompute = Recompute::None),
            ("every third layer recomputed", |s| s.plan.recompute = Recompute::Every(3)),
            ("every layer", |s| s.plan.recompute = Recompute::Full),
        ],
    )
}

fn sharding_saves_memory(drawn: &Drawn, _: f64) -> Verdict {
    saves(
        drawn,
        &[
            ("ZeRO-0", |s| s.plan.zero = Zero::None),
            ("ZeRO-1", |s| s.plan.zero = Zero::Optimizer),
            ("ZeRO-2", |s| s.plan.zero = Zero::Gradients),
        ],
    )?;
    saves(drawn, &[("HSDP", |s| s.plan.zero = Zero::Hybrid), ("ZeRO-3", |s| s.plan.zero = Zero::Parameters)])
}

fn offloading_saves_memory(drawn: &Drawn, _: f64) -> Verdict {
    saves(
        drawn,
        &[
            ("activations on the GPU", |s| s.plan.offload_activations = 0),
            ("half of them on the host", |s| s.plan.offload_activations = 50),
            ("all of them on the host", |s| s.plan.offload_activations = 100),
        ],
    )?;
    saves(
        drawn,
        &[
            ("optimizer on the GPU", |s| s.plan.offload_optimizer = false),
            ("optimizer on the host", |s| s.plan.offload_optimizer = true),
        ],
    )
}

/// Recomputation takes no less time than none, unless it spares activations the way to the host and back.
fn recomputation_costs_time(drawn: &Drawn, _: f64) -> Verdict {
    if drawn.scenario.plan.offload_activations > 0 {
        return Ok(());
    }
    let time = |recompute| {
        let mut after = drawn.scenario;
        after.plan.recompute = recompute;
        Predictor::SHIPPED.estimate(&after).step.0
    };
    no_slower(&drawn.scenario, "nothing recomputed", time(Recompute::Full), time(Recompute::None))?;
    no_slower(&drawn.scenario, "nothing recomputed", time(Recompute::Selective), time(Recompute::None))?;
    let third = time(Recompute::Every(3));
    no_slower(&drawn.scenario, "every third layer recomputed", time(Recompute::Full), third)?;
    no_slower(&drawn.scenario, "nothing recomputed", third, time(Recompute::None))
}
