//! More work: never less time, never less memory.

use crate::laws::{ROUNDING, Verdict, no_slower, sure};
use crate::scenarios::Drawn;
use stepcast::document::Document;
use stepcast::fields::{Field, Value};
use stepcast::forecast::Predictor;

use stepcast::scenario::Scenario;

crate::laws::laws!(
    wider_feed_forward,
    wider_experts,
    wider_stream,
    more_layers,
    larger_vocabulary,
    longer_sequences,
    more_shared_experts,
    more_prediction_layers,
    more_encoder_layers,
    longer_samples,
    trained_encoder,
    larger_batch,
    larger_micro_batch,
);

/// Share of the peak that the placeholder of one weight's gradient takes at most.
const PLACEHOLDER: f64 = 1e-2;

/// The same job with more of something: no faster, and in no less memory. Nothing where that cannot be.
fn more(drawn: &Drawn, what: &str, after: &Scenario) -> Verdict {
    if after.validate().is_err() {
        return Ok(());
    }
    let (before, after) = (Predictor::SHIPPED.estimate(&drawn.scenario), Predictor::SHIPPED.estimate(after));
    no_slower(&drawn.scenario, what, after.step.0, before.step.0)?;
    let (before, after) = (before.peak_memory.0, after.peak_memory.0);
    // Weights of one shape share the placeholder of their gradients: one that grows to another's shape needs none.
    let shared = if drawn.scenario.software.profile().placeholder_gradients { PLACEHOLDER } else { ROUNDING };
    sure(after >= before * (1.0 - shared), || {
        format!("{what}: {before} bytes become {after} bytes, {:+.3} %", 100.0 * (after / before - 1.0))
    })
}

/// The scenario with one whole number larger: by a factor, and by the least step that keeps shares equal.
fn larger(scenario: &Scenario, key: &str, factor: f64, unit: u32) -> Vec<Scenario> {
    let Some((field, Value::Integer(value))) = Field::find(key).map(|field| (field, (field.get)(scenario)))
    else {
        return Vec::new();
    };
    let times = ((f64::from(value / unit.max(1)) * factor) as u32).saturating_mul(unit.max(1));
    [times, value.saturating_mul(2), value.saturating_add(unit)]
        .into_iter()
        .filter(|larger| *larger > value)
        .map(|larger| {
            let mut after = *scenario;
            (field.set)(&mut after, Value::Integer(larger));
            after
        })
        .collect()
}

fn grown(drawn: &Drawn, key: &'static str, factor: f64, unit: u32) -> Verdict {
    larger(&drawn.scenario, key, factor, unit).iter().try_for_each(|after| more(drawn, key, after))
}

fn wider_feed_forward(drawn: &Drawn, factor: f64) -> Verdict {
    grown(drawn, "ffn", factor, drawn.scenario.plan.tensor_parallel)
}

fn wider_experts(drawn: &Drawn, factor: f64) -> Verdict {
    grown(drawn, "effn", factor, drawn.scenario.plan.expert_tensor_parallel)
}

fn wider_stream(drawn: &Drawn, factor: f64) -> Verdict {
    grown(drawn, "hidden", factor, 1)
}

/// Where every n-th layer holds experts, other stages get them with another number of layers: left out.
fn more_layers(drawn: &Drawn, factor: f64) -> Verdict {
    if drawn.scenario.model.experts.every > 1 {
        return Ok(());
    }
    let plan = &drawn.scenario.plan;
    grown(drawn, "layers", factor, plan.pipeline_parallel * plan.virtual_stages)
}

/// A vocabulary whose head is aligned to 16 bytes has faster kernels: one that is not is held against others that are not.
fn larger_vocabulary(drawn: &Drawn, factor: f64) -> Verdict {
    let degree = drawn.scenario.plan.tensor_parallel.max(1);
    let aligned = |job: &Scenario| job.model.vocabulary.div_ceil(degree).is_multiple_of(8);
    let before = aligned(&drawn.scenario);
    let all = larger(&drawn.scenario, "vocab", factor, 1);
    all.iter().filter(|after| before || !aligned(after)).try_for_each(|after| more(drawn, "vocab", after))
}

fn longer_sequences(drawn: &Drawn, factor: f64) -> Verdict {
    let plan = &drawn.scenario.plan;
    grown(drawn, "seq", factor, 2 * plan.context_parallel * plan.tensor_parallel)
}

fn more_shared_experts(drawn: &Drawn, factor: f64) -> Verdict {
    grown(drawn, "shared", factor, 1)
}

fn more_prediction_layers(drawn: &Drawn, factor: f64) -> Verdict {
    grown(drawn, "mtp", factor, 1)
}

/// Where parameters are sharded, a gather hides behind the layers around it on average, so that another narrow layer of the
/// encoder may hide more than it takes: 1.2 % of the step on A10G, whose links are slow. The cause is not mended.
fn more_encoder_layers(drawn: &Drawn, factor: f64) -> Verdict {
    const HIDDEN: f64 = 0.03;
    if !drawn.scenario.model.tower.exists() {
        return Ok(());
    }
    if !drawn.scenario.plan.zero.shards_parameters() {
        return grown(drawn, "enc", factor, 1);
    }
    let step = |job: &Scenario| Predictor::SHIPPED.estimate(job).step.0;
    let larger = larger(&drawn.scenario, "enc", factor, 1);
    larger.iter().filter(|after| after.validate().is_ok()).try_for_each(|after| {
        let (before, after) = (step(&drawn.scenario), step(after));
        sure(after >= before * (1.0 - HIDDEN), || format!("enc: {before} s become {after} s"))
    })
}

fn longer_samples(drawn: &Drawn, factor: f64) -> Verdict {
    grown(drawn, "enct", factor, drawn.scenario.plan.tensor_parallel)
}

/// A trained encoder costs no less than a frozen one.
fn trained_encoder(drawn: &Drawn, _: f64) -> Verdict {
    let with = |frozen: bool| {
        let mut scenario = drawn.scenario;
        scenario.model.tower.frozen = frozen;
        Drawn { scenario, document: drawn.document.clone() }
    };
    more(&with(true), "encz", &with(false).scenario)
}

/// More micro-batches through the same layout.
fn larger_batch(drawn: &Drawn, factor: f64) -> Verdict {
    let plan = &drawn.scenario.plan;
    let round = drawn.scenario.data_parallel().saturating_mul(plan.micro_batch);
    grown(drawn, "gb", factor, round)
}

/// As many micro-batches of twice the sequences.
fn larger_micro_batch(drawn: &Drawn, _: f64) -> Verdict {
    let mut after = drawn.scenario;
    after.plan.micro_batch = after.plan.micro_batch.saturating_mul(2);
    after.workload.global_batch = after.workload.global_batch.saturating_mul(2);
    more(drawn, "micro-batch", &after)
}

/// On a rack of 72 GPUs the low-latency protocol would carry 108 MB, at a third of the bulk protocol's rate.
#[test]
fn a_wider_layer_gathered_in_a_rack_takes_longer() {
    let link = "#1;m=gpt2-1.5b;g=gb200-nvl72;n=144;seq=1024;gb=1152;stack=torchtitan;tp=1;sp=0;pp=1;zero=3";
    let step = |ffn: &str| {
        let mut document = Document::from_link(link).expect("a link").document;
        document.set("ffn", ffn);
        Predictor::SHIPPED.estimate(&document.scenario().expect("possible")).step.0
    };
    assert!(step("13312") < step("13824"), "{} and {}", step("13312"), step("13824"));
}
