//! What the form lets through can be forecast: at either end of every field's bounds the step is a number.

use proptest::prelude::*;
use stepcast::document::Document;
use stepcast::fields::{FIELDS, FieldKind, Value};
use stepcast::forecast::Predictor;
use stepcast::scenario::Scenario;

/// Jobs that between them use every field: networks over leaves, experts, latent attention, windows, low precisions, what
/// is offloaded, one GPU.
const JOBS: [&str; 7] = [
    "1",
    "1;m=llama3-70b;g=dgx-h100;n=512;leaf=4;over=2;prec=fp8",
    "1;m=llama3-8b;g=dgx-b200;n=64;tp=2;pp=2;prec=nvfp4;cp=2",
    "1;m=llama3-8b;g=dgx-h100;n=64;tp=2;pp=2;oo=1;oa=50",
    "1;m=llama2-7b;g=dgx-h100;n=1;tp=1;sp=0;pp=1;gb=64;rc=full",
    "1;m=deepseek-v3;g=gb200-nvl72;n=256;seq=4096;gb=4096;prec=mxfp8;stack=megatron-bridge;year=2026;tp=1;sp=0;ep=64;rc=selective",
    "1;m=gpt-oss-120b;g=gb300-nvl72;n=64;seq=4096;gb=1280;stack=megatron-bridge;year=2026;month=4;tp=1;sp=0;ep=64;pp=1;mb=4",
];

fn job(link: &str) -> Scenario {
    let opened = Document::from_link(link).expect("a link");
    opened.document.scenario().unwrap_or_else(|errors| panic!("{link}: {errors:?}"))
}

/// Fails unless a scenario that the form takes has a step, its parts, memory and utilisation that are numbers; whether the
/// form takes it.
fn is_forecast(scenario: &Scenario, what: &str) -> bool {
    let Ok(prediction) = Predictor::SHIPPED.predict(scenario) else { return false };
    let step = prediction.step.0;
    assert!(step > 0.0 && step.is_normal(), "{what}: {step} s");
    for (name, _, part) in prediction.breakdown.parts() {
        assert!(part.0 >= 0.0 && part.0.is_finite(), "{what}: {name} {part:?}");
    }
    let (mfu, peak) = (prediction.mfu, prediction.memory.peak_gib);
    assert!(mfu > 0.0 && mfu <= 1.0, "{what}: MFU {mfu}");
    assert!(peak > 0.0 && peak.is_finite(), "{what}: {peak} GiB");
    true
}

#[test]
fn at_the_ends_of_every_field_the_step_is_a_number() {
    let (mut integers, mut refused) = (0, Vec::new());
    for link in JOBS {
        let base = job(link);
        for field in FIELDS {
            let ends = match field.kind {
                FieldKind::Integer { min, max } => [Value::Integer(min), Value::Integer(max)],
                FieldKind::Quantity { min, max } => [Value::Number(min), Value::Number(max)],
                _ => continue,
            };
            for end in ends {
                let mut scenario = base;
                (field.set)(&mut scenario, end);
                let taken = is_forecast(&scenario, &format!("{link}: {} = {end:?}", field.key));
                match end {
                    Value::Number(_) if !taken => refused.push((field.key, end)),
                    Value::Integer(_) => integers += usize::from(taken),
                    _ => {}
                }
            }
        }
    }
    // A precision that the GPU has not, and one slower than 16 bits: three jobs in FP8 and one in FP4.
    let narrow = |key: &str, end: Value| {
        (["fp8", "fp4"].contains(&key) && end == Value::Number(0.0))
            || (key == "bf16" && end == Value::Number(1e6))
    };
    assert!(refused.iter().all(|(key, end)| narrow(key, *end)), "{refused:?}");
    assert!(integers > 400, "{integers}");
}

#[test]
fn a_precision_is_at_least_as_fast_as_sixteen_bits() {
    let of = |link: &str| Document::from_link(link).expect("a link").document.scenario();
    for rate in ["1e-308", "4", "989"] {
        let errors = of(&format!("1;prec=fp8;fp8={rate}")).expect_err("slower than 16 bits");
        assert_eq!((errors.len(), errors[0].field), (1, "fp8"), "{errors:?}");
        assert_eq!(errors[0].suggestions, ["989.4"]);
    }
    let errors = of("1;m=llama3-8b;g=dgx-b200;n=64;prec=nvfp4;fp4=2000").expect_err("slower than 16 bits");
    assert!(errors[0].field == "fp4" && errors[0].message.contains("below the 16-bit peak"), "{errors:?}");
    assert!(of("1;prec=fp8;fp8=989.4").is_ok(), "as fast");
    assert!(of("1;prec=bf16;fp8=4").is_ok(), "not used");
}

proptest! {
    /// Several quantities at once, anywhere within their bounds.
    #[test]
    fn anywhere_within_the_bounds_the_step_is_a_number(
        job_of in 0..JOBS.len(),
        shares in prop::collection::vec(prop::option::of(0.0..=1.0f64), FIELDS.len()),
    ) {
        let mut scenario = job(JOBS[job_of]);
        for (field, share) in FIELDS.iter().zip(&shares) {
            if let (FieldKind::Quantity { min, max }, Some(share)) = (field.kind, share) {
                // By orders of magnitude, from the least that is not nothing.
                let least = f64::max(min, 1e-300);
                let value = (least * (max / least).powf(*share)).clamp(min, max);
                (field.set)(&mut scenario, Value::Number(value));
            }
        }
        is_forecast(&scenario, JOBS[job_of]);
    }
}
