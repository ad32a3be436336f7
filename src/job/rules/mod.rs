//! Which scenarios can run: one list of rules for the form, the predictor and the tuner.

mod experts;
mod kernels;
mod layout;
mod mixers;
mod precision;
mod schedule;
mod shared;
mod software;
mod tower;

pub use software::{stack_limit, stack_runs};

use crate::error::FieldError;
use crate::fields::{FIELDS, Field, FieldGroup, Value};
use crate::scenario::Scenario;
use crate::scenario::model::Positions;
use crate::scenario::plan::StageSplit;
use experts::has_experts;

/// One rule that ties fields together.
struct Rule {
    /// Whether the scenario breaks it. Never true if an earlier rule makes the check meaningless.
    broken: fn(&Scenario) -> bool,
    /// The error message.
    explain: fn(&Scenario, &Self) -> FieldError,
}

impl Scenario {
    /// Checks every field's bounds, and whether the fields together can run.
    ///
    /// # Errors
    /// Every field that is out of bounds; or else every field that breaks a rule, once each, with
    /// the nearest legal values. What the first suggestion of an earlier error would mend as well is
    /// not reported.
    pub fn validate(&self) -> Result<(), Vec<FieldError>> {
        self.keeps(&RULES)
    }

    /// Checks every field's bounds, and problems that no layout can solve.
    ///
    /// # Errors
    /// As [`Scenario::validate`], of model, cluster and workload.
    pub fn validate_apart_from_layout(&self) -> Result<(), Vec<FieldError>> {
        self.keeps(RULES.split_at(WITHOUT_LAYOUT).0)
    }

    fn keeps(&self, rules: &[&[Rule]]) -> Result<(), Vec<FieldError>> {
        self.within_bounds()?;
        let mut errors: Vec<FieldError> = Vec::new();
        let mut repaired = *self;
        for rule in rules.iter().flat_map(|rules| rules.iter()) {
            let consequence = !errors.is_empty() && !(rule.broken)(&repaired);
            if (rule.broken)(self) && !consequence {
                let error = (rule.explain)(self, rule);
                apply(&mut repaired, &error);
                if errors.iter().all(|earlier| earlier.field != error.field) {
                    errors.push(error);
                }
            }
        }
        if errors.is_empty() { Ok(()) } else { Err(errors) }
    }

    /// Checks only every field's bounds.
    ///
    /// # Errors
    /// Every field that is out of bounds.
    pub fn within_bounds(&self) -> Result<(), Vec<FieldError>> {
        let errors: Vec<FieldError> =
            FIELDS.iter().filter_map(|field| field.check((field.get)(self)).err()).collect();
        if errors.is_empty() { Ok(()) } else { Err(errors) }
    }
}

/// Whether a layout is legal, given a legal model, cluster and workload: the same rules as [`Scenario::validate`],
/// without allocating.
pub fn plan_is_legal(scenario: &Scenario) -> bool {
    let in_bounds = || {
        FIELDS
            .iter()
            .filter(|field| field.group == FieldGroup::Plan)
            .all(|field| field.holds((field.get)(scenario)))
    };
    // Most layouts of a search break a rule, and few a bound.
    LayoutPart::ALL.iter().all(|part| part.is_legal(scenario)) && in_bounds()
}

/// Whether a job's GPU supports its number format.
pub fn multiplies(scenario: &Scenario) -> bool {
    precision::RULES.iter().all(|rule| !(rule.broken)(scenario))
}

/// All rules: those of model, cluster and workload, then those that involve the layout, in the order in which they are
/// reported.
static RULES: [&[Rule]; 22] = [
    // The first seven: WITHOUT_LAYOUT.
    BASE_RULES,
    precision::RULES,
    kernels::RULES,
    MODEL_RULES,
    mixers::RULES,
    shared::RULES,
    tower::RULES,
    layout::TENSOR_RULES,
    shared::LAYOUT_RULES,
    tower::LAYOUT_RULES,
    layout::SEQUENCE_RULES,
    layout::HEAD_RULES,
    layout::MIXER_RULES,
    layout::RECOMPUTE_RULES,
    layout::REPLICA_RULES,
    layout::CHUNK_RULES,
    layout::BATCH_RULES,
    layout::INTERLEAVING_RULES,
    schedule::STAGE_RULES,
    schedule::SHARDING_RULES,
    schedule::CHUNK_RULES,
    experts::RULES,
];

/// Number of leading lists of [`RULES`] that do not involve the layout.
const WITHOUT_LAYOUT: usize = 7;

/// The rules that involve the layout, by the fields that they read in addition to model, cluster and workload. A layout
/// is legal if each part is, so a search checks a part once for all layouts that share it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LayoutPart {
    /// Tensor, context and pipeline degrees, and so the number of replicas.
    Degrees,
    /// The micro-batch, in addition to the degrees.
    MicroBatch,
    /// Sequence parallelism, the context-parallel exchange, expert and expert-tensor degrees, in addition to the
    /// degrees.
    Experts,
    /// Schedule, virtual stages and the split of layers, in addition to the pipeline degree and the number of
    /// micro-batches.
    Stages,
    /// Schedule and sharding.
    Sharding,
    /// What is recomputed.
    Recompute,
}

impl LayoutPart {
    /// Every part.
    pub const ALL: [Self; 6] =
        [Self::Degrees, Self::MicroBatch, Self::Experts, Self::Stages, Self::Sharding, Self::Recompute];

    fn rules(self) -> [&'static [Rule]; 5] {
        match self {
            Self::Degrees => {
                let (shared, tower) = (shared::LAYOUT_RULES, tower::LAYOUT_RULES);
                [layout::TENSOR_RULES, shared, tower, layout::MIXER_RULES, layout::REPLICA_RULES]
            }
            Self::MicroBatch => [layout::BATCH_RULES, &[], &[], &[], &[]],
            Self::Experts => [layout::SEQUENCE_RULES, layout::HEAD_RULES, experts::RULES, &[], &[]],
            Self::Stages => [
                layout::CHUNK_RULES,
                layout::INTERLEAVING_RULES,
                schedule::STAGE_RULES,
                schedule::CHUNK_RULES,
                &[],
            ],
            Self::Sharding => [schedule::SHARDING_RULES, &[], &[], &[], &[]],
            Self::Recompute => [layout::RECOMPUTE_RULES, &[], &[], &[], &[]],
        }
    }

    /// Whether no rule of this part is broken.
    pub fn is_legal(self, scenario: &Scenario) -> bool {
        self.rules().iter().flat_map(|rules| rules.iter()).all(|rule| !(rule.broken)(scenario))
    }
}

static BASE_RULES: &[Rule] = &[
    Rule {
        broken: |s| !s.model.heads.is_multiple_of(s.model.kv_heads),
        explain: |s, rule| {
            let legal = nearest(s, rule, "kv", divisors(s.model.heads));
            error(
                "kv",
                format!(
                    "{} attention heads are not divisible by {} key/value heads",
                    s.model.heads, s.model.kv_heads
                ),
                legal,
            )
        },
    },
    Rule {
        broken: |s| s.model.positions == Positions::Rotary && !s.model.head_dim.is_multiple_of(2),
        explain: |s, rule| {
            let legal = nearest(s, rule, "dh", around(s.model.head_dim, 2));
            error(
                "dh",
                format!("RoPE needs an even head dimension, but the head dimension is {}", s.model.head_dim),
                legal,
            )
        },
    },
    Rule {
        broken: |s| matches!(s.model.positions, Positions::Learned(rows) if rows < s.workload.sequence),
        explain: |s, _| {
            let rows = if let Positions::Learned(rows) = s.model.positions { rows } else { 0 };
            error(
                "seq",
                format!("Sequence length {} exceeds the position table ({rows} rows)", s.workload.sequence),
                vec![rows.to_string()],
            )
        },
    },
    Rule {
        broken: |s| {
            s.cluster.gpus > s.cluster.gpus_per_node
                && !s.cluster.gpus.is_multiple_of(s.cluster.gpus_per_node)
        },
        explain: |s, rule| {
            let legal = nearest(s, rule, "n", around(s.cluster.gpus, s.cluster.gpus_per_node));
            error(
                "n",
                format!(
                    "{} GPUs are not divisible by {} GPUs per node",
                    s.cluster.gpus, s.cluster.gpus_per_node
                ),
                legal,
            )
        },
    },
    Rule {
        broken: |s| {
            let (domain, node) = (s.cluster.scale_up.domain, s.cluster.gpus_per_node);
            !domain.is_multiple_of(node) && !node.is_multiple_of(domain)
        },
        explain: |s, rule| {
            let (domain, node) = (s.cluster.scale_up.domain, s.cluster.gpus_per_node);
            let legal = nearest(s, rule, "domain", around(domain, node).chain(divisors(node)));
            error(
                "domain",
                format!("An NVLink domain of {domain} GPUs does not match {node} GPUs per node"),
                legal,
            )
        },
    },
    Rule {
        broken: |s| s.cluster.fabric_joins_hosts() && !s.cluster.scale_up.kind.joins_hosts(),
        explain: |s, _| {
            let node = s.cluster.gpus_per_node;
            let problem = format!("This scale-up fabric connects only the {node} GPUs of one node");
            error("domain", problem, vec![node.to_string()])
        },
    },
];

static MODEL_RULES: &[Rule] = &[
    Rule {
        broken: |s| has_experts(s) && s.model.experts.top_k > s.model.experts.count,
        explain: |s, _| {
            let experts = &s.model.experts;
            error(
                "topk",
                format!("{} experts per token exceed the {} routed experts", experts.top_k, experts.count),
                vec![experts.count.to_string()],
            )
        },
    },
    Rule {
        broken: |s| has_experts(s) && s.model.experts.ffn == 0,
        explain: |s, _| {
            let likely = s.model.ffn.to_string();
            error("effn", "The expert feed-forward size must be at least 1".to_owned(), vec![likely])
        },
    },
    Rule {
        broken: |s| has_experts(s) && s.model.expert_layers() == 0,
        explain: |s, _| {
            error(
                "lead",
                format!(
                    "With {} leading dense layers and experts every {} layers, none of the {} layers has experts",
                    s.model.experts.leading_dense, s.model.experts.every, s.model.layers
                ),
                vec!["0".to_owned()],
            )
        },
    },
    Rule {
        broken: |s| {
            let latent = &s.model.latent;
            latent.kv_rank > 0 && latent.plain_dim + latent.rotary_dim == 0
        },
        explain: |_, _| {
            let problem = "MLA needs a rotary or non-rotary head dimension";
            error("nope", problem.to_owned(), vec!["128".to_owned()])
        },
    },
    Rule {
        broken: |s| s.model.latent.kv_rank > 0 && s.model.latent.value_dim == 0,
        explain: |_, _| error("vdim", "MLA needs a value head dimension".to_owned(), vec!["128".to_owned()]),
    },
];

/// Pieces that a sequence is split into: two per context-parallel rank (so that causal work is balanced), each split
/// over the tensor-parallel group under sequence parallelism.
fn sequence_parts(s: &Scenario) -> u32 {
    let context = if s.plan.context_parallel > 1 { s.plan.context_parallel.saturating_mul(2) } else { 1 };
    let tensor = if s.plan.sequence_parallel { s.plan.tensor_parallel } else { 1 };
    context.saturating_mul(tensor).max(1)
}

/// Shares to split over the stages: the layers, and the two ends if they count as layers.
fn layer_slots(s: &Scenario) -> u32 {
    match s.plan.stage_split {
        StageSplit::Even => s.model.layers,
        StageSplit::CountEnds => s.model.layers.saturating_add(2),
        StageSplit::Given(_) => s.model.layers,
    }
}

/// Virtual stages of the whole pipeline.
fn virtual_stages(s: &Scenario) -> u64 {
    u64::from(s.plan.pipeline_parallel) * u64::from(s.plan.virtual_stages)
}

/// GPUs of one replica.
fn model_parallel(s: &Scenario) -> u64 {
    u64::from(s.plan.tensor_parallel)
        * u64::from(s.plan.context_parallel)
        * u64::from(s.plan.pipeline_parallel)
}

/// Data-parallel degree, when the replicas fill the job.
fn replicas(s: &Scenario) -> Option<u64> {
    let (gpus, group) = (u64::from(s.cluster.gpus), model_parallel(s));
    (group > 0 && gpus.is_multiple_of(group)).then(|| gpus / group)
}

/// Applies the first suggestion of an error.
fn apply(scenario: &mut Scenario, error: &FieldError) {
    let mended = error.suggestions.first().zip(Field::find(error.field));
    if let Some((field, value)) = mended.and_then(|(text, field)| Some((field, field.parse(text).ok()?))) {
        (field.set)(scenario, value);
    }
}

/// The error with other suggested values.
pub fn offering(error: FieldError, legal: Vec<String>) -> FieldError {
    let FieldError { field, message, suggestions } = error;
    let advice = advice(field, &suggestions);
    let problem = message.strip_suffix(&advice).unwrap_or(&message).trim_end_matches('.');
    self::error(field, problem.to_owned(), legal)
}

/// A problem, followed by its solution.
fn error(field: &'static str, problem: String, legal: Vec<String>) -> FieldError {
    let advice = advice(field, &legal);
    FieldError::new(field, format!("{problem}.{advice}")).suggest(legal)
}

/// A sentence with the values to set, after a blank; empty without values.
fn advice(key: &str, legal: &[String]) -> String {
    let name = field_name(key);
    match legal {
        [] => String::new(),
        [empty] if empty.is_empty() => format!(" Clear {name}."),
        values => format!(" Set {name} to {}.", values.join(" or ")),
    }
}

/// Name of a field inside a sentence: an abbreviation if people use one, else the label.
fn field_name(key: &str) -> String {
    let label = match key {
        "tp" => "TP",
        "cp" => "CP",
        "pp" => "PP",
        "vpp" => "VPP",
        "ep" => "EP",
        "etp" => "ETP",
        "n" => "the number of GPUs",
        _ => Field::find(key).map_or(key, |field| field.label),
    };
    // Names such as LoRA keep their letters.
    let named =
        label.split(' ').next().is_some_and(|word| word.bytes().skip(1).any(|b| b.is_ascii_uppercase()));
    match label.split_at_checked(1) {
        // Labels begin with letters of ASCII; the tables of Unicode would be 16 kB of the page.
        Some((first, rest)) if !named => format!("{}{rest}", first.to_ascii_lowercase()),
        _ => label.to_owned(),
    }
}

/// The nearest candidates below and above a field's value: those that make everything legal if there are any, else
/// those that satisfy this rule.
fn nearest(s: &Scenario, rule: &Rule, key: &str, candidates: impl IntoIterator<Item = u32>) -> Vec<String> {
    nearest_of(s, rule, key, &mut candidates.into_iter())
}

/// [`nearest`], compiled once for whatever gives the candidates.
fn nearest_of(
    s: &Scenario,
    rule: &Rule,
    key: &str,
    candidates: &mut dyn Iterator<Item = u32>,
) -> Vec<String> {
    let Some((field, Value::Integer(current))) = Field::find(key).map(|field| (field, (field.get)(s))) else {
        return Vec::new();
    };
    let (mut legal, mut mends) = ((None, None), (None, None));
    for candidate in candidates {
        let mut copy = *s;
        let value = Value::Integer(candidate);
        (field.set)(&mut copy, value);
        if candidate == current || !field.holds(value) || (rule.broken)(&copy) {
            continue;
        }
        keep_nearest(&mut mends, current, candidate);
        if RULES.iter().flat_map(|rules| rules.iter()).all(|rule| !(rule.broken)(&copy)) {
            keep_nearest(&mut legal, current, candidate);
        }
    }
    let chosen = if legal == (None, None) { mends } else { legal };
    [chosen.0, chosen.1].into_iter().flatten().map(|value| value.to_string()).collect()
}

fn keep_nearest(pair: &mut (Option<u32>, Option<u32>), current: u32, candidate: u32) {
    let (below, above) = pair;
    if candidate < current {
        *below = Some(below.map_or(candidate, |best| best.max(candidate)));
    } else {
        *above = Some(above.map_or(candidate, |best| best.min(candidate)));
    }
}

/// Divisors of a number, ascending to its square root and mirrored.
fn divisors(number: u32) -> impl Iterator<Item = u32> {
    (1..=number.isqrt())
        .filter(move |small| number.is_multiple_of(*small))
        .flat_map(move |small| [small, number / small])
}

/// The multiples of a unit next to a number.
fn around(number: u32, unit: u32) -> impl Iterator<Item = u32> {
    let below = number / unit.max(1);
    (below.saturating_sub(2)..=below.saturating_add(3))
        .map(move |times| times.saturating_mul(unit))
        .filter(|value| *value > 0)
}
