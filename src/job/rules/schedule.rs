//! Rules for pipeline schedules and lists of layers.

use super::{Rule, error, layer_slots, nearest, virtual_stages};
use crate::error::FieldError;
use crate::scenario::Scenario;
use crate::scenario::plan::{Schedule, StageLayers, StageSplit, Zero};
use crate::schedule::Demand;

/// Whether a schedule runs a pipeline with these stages and virtual stages.
pub(super) static STAGE_RULES: &[Rule] = &[
    Rule {
        broken: |s| s.plan.pipeline_parallel < s.plan.schedule.row().least_stages,
        explain: |s, _| {
            let problem = format!("{} needs PP 2 or higher", s.plan.schedule.label());
            error("sched", problem, plain())
        },
    },
    Rule {
        broken: |s| !s.plan.pipeline_parallel.is_multiple_of(s.plan.schedule.row().stages_multiple_of),
        explain: |s, rule| {
            let legal = nearest(s, rule, "pp", 1..=layer_slots(s));
            let problem = format!(
                "{} needs an even number of pipeline stages, but PP is {}",
                s.plan.schedule.label(),
                s.plan.pipeline_parallel
            );
            error("pp", problem, legal)
        },
    },
    Rule {
        broken: |s| parts_of_schedule(s).is_some_and(|parts| parts != s.plan.virtual_stages),
        explain: |s, _| {
            let parts = parts_of_schedule(s).unwrap_or(1);
            let problem = format!(
                "{} needs {parts} virtual stage{} per GPU, but VPP is {}",
                s.plan.schedule.label(),
                if parts > 1 { "s" } else { "" },
                s.plan.virtual_stages
            );
            error("vpp", problem, vec![parts.to_string()])
        },
    },
];

/// Whether a schedule is compatible with sharded parameters.
pub(super) static SHARDING_RULES: &[Rule] = &[Rule {
    broken: |s| s.plan.schedule.splits_backward() && matches!(s.plan.zero, Zero::Parameters | Zero::Hybrid),
    explain: |s, _| {
        let problem = format!(
            "{} delays weight gradients and does not support sharded parameters",
            s.plan.schedule.label()
        );
        error("zero", problem, vec!["1".to_owned()])
    },
}];

/// Whether a list of layers and the micro-batches are compatible with the schedule.
pub(super) static CHUNK_RULES: &[Rule] = &[
    Rule {
        broken: |s| {
            matches!(s.plan.stage_split, StageSplit::Given(list)
                if u64::from(list.chunks()) != virtual_stages(s) || list.layers() != s.model.layers)
        },
        explain: given_error,
    },
    Rule {
        broken: |s| {
            // The requirements of interleaving are reported with the other rules of virtual stages.
            !s.plan.schedule.row().interleaves() && !demand(s).is_met(s.micro_batches())
        },
        explain: |s, _| {
            let Demand { least, multiple_of } = demand(s);
            let even = if multiple_of == 2 { " (an even number)" } else { "" };
            let problem = format!(
                "{} with PP {} needs at least {least} micro-batches per replica{even}, but there are {}",
                s.plan.schedule.label(),
                s.plan.pipeline_parallel,
                s.micro_batches()
            );
            error("sched", problem, plain())
        },
    },
];

/// Virtual stages that a schedule prescribes.
fn parts_of_schedule(s: &Scenario) -> Option<u32> {
    let row = s.plan.schedule.row();
    (!row.interleaves()).then(|| *row.virtual_stages.start())
}

/// The schedule's requirement on micro-batches.
fn demand(s: &Scenario) -> Demand {
    (s.plan.schedule.row().micro_batches)(s.plan.pipeline_parallel, s.plan.virtual_stages)
}

/// The schedule that can always run.
fn plain() -> Vec<String> {
    vec![Schedule::default().row().name.to_owned()]
}

/// A list of layers that does not fit the pipeline or the model.
fn given_error(s: &Scenario, _: &Rule) -> FieldError {
    let list = if let StageSplit::Given(list) = s.plan.stage_split { list } else { StageLayers::default() };
    let (entries, chunks) = (u64::from(list.chunks()), virtual_stages(s));
    let problem = if entries != chunks {
        let of = if s.plan.virtual_stages > 1 { "virtual stages" } else { "stages" };
        format!("Custom layers per stage has {entries} entries, but the pipeline has {chunks} {of}")
    } else {
        format!(
            "Custom layers per stage sums to {} layers, but the model has {}",
            list.layers(),
            s.model.layers
        )
    };
    error("stages", problem, even_list(s).into_iter().collect())
}

/// The most even list.
fn even_list(s: &Scenario) -> Option<String> {
    let chunks = u16::try_from(virtual_stages(s)).ok()?.max(1);
    let (share, more) = (s.model.layers / u32::from(chunks), s.model.layers % u32::from(chunks));
    let (share, more) = (u16::try_from(share).ok()?, more as u16);
    let mut list = StageLayers::default();
    let pushed = list.push(share.checked_add(1)?, more) && list.push(share, chunks - more);
    pushed.then(|| list.to_string())
}
