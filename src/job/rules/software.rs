//! Layout features that the software does not support: reported in a notice, not as an error.

use crate::error::FieldError;
use crate::fields::Field;
use crate::scenario::Scenario;
use crate::scenario::plan::{Plan, Schedule};
use crate::scenario::stack::{Feature, StackLimits, missing_of_job};

/// Whether the software of a job, in releases of its year, supports its layout. A search calls [`StackLimits::of_job`]
/// once instead, and checks each layout against it.
pub fn stack_runs(scenario: &Scenario) -> bool {
    StackLimits::of_job(scenario).allows(&scenario.plan)
}

/// A notice that a job's software does not support its layout or training method: the field with the unsupported value,
/// and supported values. The job is still forecast, as if the software supported it.
pub fn stack_limit(scenario: &Scenario) -> Option<FieldError> {
    let limits = StackLimits::of_job(scenario);
    let plan = &scenario.plan;
    let of_job = missing_of_job(scenario);
    if limits.allows(plan) && of_job.is_none() {
        return None;
    }
    let software = Field::find("stack")
        .map_or_else(String::new, |field| field.label_of(scenario.software.stack.name()).to_owned());
    let lack = if let (true, Some(missing)) = (limits.allows(plan), of_job) {
        feature_lack(limits, missing)
    } else if plan.pipeline_parallel > 1 && !limits.runs(plan.schedule) {
        schedule_lack(limits, plan)
    } else {
        feature_lack(limits, limits.missing(plan)?)
    };
    let year = scenario.software.year;
    let message = format!("{software} ({year} release) does not support {}.{}", lack.what, lack.instead());
    Some(FieldError::new(lack.field, message).suggest(lack.offers.into_iter().map(|offer| offer.0)))
}

/// What is missing, in which field, and alternatives: values of the field, with names if needed.
struct Lack {
    field: &'static str,
    what: String,
    offers: Vec<(String, String)>,
}

impl Lack {
    fn new(field: &'static str, what: &str, offers: &[(&str, &str)]) -> Self {
        let offers = offers.iter().map(|(value, name)| ((*value).to_owned(), (*name).to_owned())).collect();
        Self { field, what: what.to_owned(), offers }
    }

    /// A degree or a switch that then has its lowest value; no alternatives are listed.
    fn without(field: &'static str, what: &str, value: &str) -> Self {
        Self::new(field, what, &[(value, "")])
    }

    /// The end of the sentence: supported values.
    fn instead(&self) -> String {
        let names: Vec<&str> = self.offers.iter().map(|offer| offer.1.as_str()).collect();
        match names.as_slice() {
            [] | [""] => String::new(),
            [one] => format!(" Supported: {one}."),
            [rest @ .., last] => format!(" Supported: {} and {last}.", rest.join(", ")),
        }
    }
}

fn schedule_lack(limits: StackLimits, plan: &Plan) -> Lack {
    let offers: Vec<Schedule> = Schedule::ALL.into_iter().filter(|other| limits.runs(*other)).collect();
    if offers.is_empty() {
        return Lack::without("pp", "pipeline parallelism", "1");
    }
    let name = |schedule: Schedule| {
        let interleaves = schedule.row().interleaves() && limits.has(Feature::VirtualStages);
        let more = if interleaves { " (with or without interleaving)" } else { "" };
        (schedule.row().name.to_owned(), format!("{}{more}", schedule.label()))
    };
    Lack {
        field: "sched",
        what: plan.schedule.label().to_owned(),
        offers: offers.into_iter().map(name).collect(),
    }
}

/// A feature, the value of its field, and its name.
type FeatureChoice = (Feature, &'static str, &'static str);

/// Fields with several values, and the feature of each.
const CHOICES: [(&str, &[FeatureChoice]); 6] = [
    (
        "zero",
        &[
            (Feature::Unsharded, "0", "DDP"),
            (Feature::ShardedOptimizer, "1", "ZeRO-1"),
            (Feature::ShardedGradients, "2", "ZeRO-2"),
            (Feature::ShardedParameters, "3", "FSDP (ZeRO-3)"),
            (Feature::ShardedHybrid, "hsdp", "HSDP"),
        ],
    ),
    (
        "zero",
        &[
            (Feature::PipelinedUnsharded, "0", "DDP with PP"),
            (Feature::PipelinedOptimizer, "1", "ZeRO-1 with PP"),
            (Feature::PipelinedGradients, "2", "ZeRO-2 with PP"),
            (Feature::PipelinedParameters, "3", "FSDP (ZeRO-3) with PP"),
            (Feature::PipelinedHybrid, "hsdp", "HSDP with PP"),
        ],
    ),
    (
        "rc",
        &[
            (Feature::RecomputeNone, "none", "training without recomputation"),
            (Feature::RecomputeSelective, "selective", "selective recomputation"),
            (Feature::RecomputeFull, "full", "full recomputation"),
            (Feature::RecomputeModules, "modules", "recomputation of selected modules"),
        ],
    ),
    (
        "cpx",
        &[
            (Feature::ContextRing, "ring", "CP by ring"),
            (Feature::ContextAllGather, "all-gather", "CP by all-gather"),
            (Feature::ContextAllToAll, "all-to-all", "CP by all-to-all"),
        ],
    ),
    (
        "split",
        &[
            (Feature::SplitEven, "even", "equal layers per stage"),
            (Feature::SplitEnds, "ends", "lighter first and last stages"),
            (Feature::SplitGiven, "given", "custom layers per stage"),
        ],
    ),
    (
        "map",
        &[
            (Feature::DataBeforePipeline, "tdp", "the mapping TP, DP, PP"),
            (Feature::PipelineBeforeData, "tpd", "the mapping TP, PP, DP"),
        ],
    ),
];

fn feature_lack(limits: StackLimits, missing: Feature) -> Lack {
    for (field, entries) in CHOICES {
        if let Some(entry) = entries.iter().find(|entry| entry.0 == missing) {
            let there = entries.iter().filter(|entry| limits.has(entry.0));
            let offers: Vec<(&str, &str)> = there.map(|entry| (entry.1, entry.2)).collect();
            return Lack::new(field, entry.2, &offers);
        }
    }
    match missing {
        Feature::VirtualStages => Lack::without("vpp", "virtual stages (VPP)", "1"),
        Feature::TensorWithSequence if limits.has(Feature::TensorWithWholeNorms) => Lack::new(
            "sp",
            "sequence parallelism",
            &[("0", "tensor parallelism without sequence parallelism")],
        ),
        Feature::TensorWithWholeNorms if limits.has(Feature::TensorWithSequence) => {
            let instead = [("1", "tensor parallelism with sequence parallelism")];
            Lack::new("sp", "tensor parallelism without sequence parallelism", &instead)
        }
        Feature::RecomputeLayers => Lack::without("rcn", "recomputation of every n-th layer", "1"),
        Feature::Context => Lack::without("cp", "context parallelism", "1"),
        Feature::Expert => Lack::without("ep", "expert parallelism", "1"),
        Feature::ExpertTensor => Lack::without("etp", "expert tensor parallelism", "1"),
        Feature::OffloadedOptimizer => Lack::without("oo", "optimizer offload", "0"),
        Feature::OffloadedParameters => Lack::without("op", "parameter offload", "0"),
        Feature::OffloadedActivations => Lack::without("oa", "activation offload", "0"),
        Feature::Adapters => Lack::without("lora", "adapters", "0"),
        Feature::QuantisedBase => Lack::without("base", "quantized frozen weights", "16"),
        _ => Lack::without("tp", "tensor parallelism", "1"),
    }
}
