//! Better machines: never slower, never forbidden.
//!
//! More multiprocessors at the same peak, larger nodes and larger domains are no improvements of this kind: they change
//! what a wave or a group is.

use crate::laws::{Verdict, no_slower, sure};
use crate::scenarios::Drawn;
use stepcast::constants::{Constants, REGISTRY};
use stepcast::document::Document;
use stepcast::fields::{Field, FieldKind, Value};
use stepcast::forecast::Predictor;

use stepcast::scenario::Scenario;

crate::laws::laws!(
    faster_network,
    flatter_network,
    faster_scale_up,
    faster_memory,
    faster_host_link,
    faster_products,
    more_memory,
    better_hidden,
);

/// The scenario with a field's number multiplied, as far as its bounds go.
fn times(scenario: &Scenario, key: &str, factor: f64) -> Option<Scenario> {
    let field = Field::find(key)?;
    let value = match (field.kind, (field.get)(scenario)) {
        (FieldKind::Quantity { min, max }, Value::Number(number)) => {
            Value::Number((number * factor).clamp(min, max))
        }
        (FieldKind::Integer { min, max }, Value::Integer(number)) => {
            Value::Integer(((f64::from(number) * factor).ceil() as u32).clamp(min, max))
        }
        _ => return None,
    };
    let mut after = *scenario;
    (field.set)(&mut after, value);
    // What the field's unit makes of its bound may lie a rounding beyond it.
    field.check((field.get)(&after)).is_ok().then_some(after)
}

/// A machine with more, or for a factor below one less, of something: still possible, and no slower.
fn better(drawn: &Drawn, key: &str, factor: f64) -> Verdict {
    times(&drawn.scenario, key, factor).map_or(Ok(()), |after| faster(drawn, key, &after))
}

fn faster(drawn: &Drawn, key: &str, after: &Scenario) -> Verdict {
    after.validate().map_err(|errors| format!("{key}: {errors:?}"))?;
    let (before, after) = (Predictor::SHIPPED.estimate(&drawn.scenario), Predictor::SHIPPED.estimate(after));
    sure(after.fits || !before.fits, || format!("{key}: no longer fits"))?;
    no_slower(&drawn.scenario, key, before.step.0, after.step.0)
}

fn faster_network(drawn: &Drawn, factor: f64) -> Verdict {
    better(drawn, "nic", factor)?;
    better(drawn, "nics", factor)
}

fn flatter_network(drawn: &Drawn, factor: f64) -> Verdict {
    better(drawn, "over", 1.0 / factor)?;
    better(drawn, "leaf", factor)
}

fn faster_scale_up(drawn: &Drawn, factor: f64) -> Verdict {
    better(drawn, "link", factor)
}

fn faster_memory(drawn: &Drawn, factor: f64) -> Verdict {
    better(drawn, "hbm", factor)
}

fn faster_host_link(drawn: &Drawn, factor: f64) -> Verdict {
    better(drawn, "host", factor)
}

/// Each unit alone, and all together: 16 bits alone may not outrun the format that the job is in, which is refused.
fn faster_products(drawn: &Drawn, factor: f64) -> Verdict {
    ["fp8", "fp4"].into_iter().try_for_each(|key| better(drawn, key, factor))?;
    let mut after = drawn.scenario;
    for key in ["fp8", "fp4", "bf16"] {
        after = times(&after, key, factor).unwrap_or(after);
    }
    faster(drawn, "every peak", &after)
}

fn more_memory(drawn: &Drawn, factor: f64) -> Verdict {
    better(drawn, "mem", factor)?;
    let after = times(&drawn.scenario, "mem", factor).unwrap_or(drawn.scenario);
    sure(
        Predictor::SHIPPED.estimate(&after).step == Predictor::SHIPPED.estimate(&drawn.scenario).step,
        || "memory changes the step".to_owned(),
    )
}

/// Shares of communication that hide, and what of it never does.
const HIDING: [(&str, f64); 9] = [
    ("overlap_tensor", 1.0),
    ("overlap_tensor_async", 1.0),
    ("overlap_data", 1.0),
    ("overlap_data_window", 1.0),
    ("overlap_fsdp", 1.0),
    ("overlap_context", 1.0),
    ("overlap_experts", 1.0),
    ("context_exposed", 0.0),
    ("fsdp_contention", 0.0),
];

fn better_hidden(drawn: &Drawn, _: f64) -> Verdict {
    let before = Predictor::SHIPPED.estimate(&drawn.scenario).step.0;
    for (name, full) in HIDING {
        let entry = REGISTRY.iter().find(|entry| entry.name == name).ok_or(name)?;
        let mut constants = Constants::SHIPPED;
        (entry.set)(&mut constants, full);
        let after =
            Predictor::new(&constants).predict(&drawn.scenario).map_err(|errors| format!("{errors:?}"))?;
        no_slower(&drawn.scenario, name, before, after.step.0)?;
    }
    Ok(())
}

/// Unfused attention reads its scores from memory, and the exchange of keys and values hides behind it.
#[test]
fn faster_memory_under_context_parallelism() {
    let link = "#1;m=gpt2-1.5b;g=dgx-a100-80g;n=64;node=1;nics=1;nic=100;domain=1;seq=16384;pos=alibi;gb=64;\
                stack=megatron-lm;year=2021;sp=0;tp=1;cp=16;pp=1;zero=0;tpo=0;dpo=0";
    let step = |memory: u32| {
        let mut document = Document::from_link(link).expect("a link").document;
        document.set("hbm", &f64::from(memory).to_string());
        Predictor::SHIPPED.estimate(&document.scenario().expect("possible")).step.0
    };
    for memory in 1..8 {
        let (before, after) = (step(memory), step(memory + 1));
        assert!(after <= before, "{memory} TB/s: {before} s become {after} s");
    }
}
