//! Parts and wholes, and that every number is one.

use serde_json::Value;
use stepcast::document::Document;
use stepcast::forecast::{Predictor, RooflineKind};

use crate::laws::{ROUNDING, Verdict, forecast, sure};
use crate::scenarios::Drawn;

crate::laws::laws!(
    parts_sum_to_the_step,
    every_number_is_one,
    utilisation_is_a_share,
    kernels_stay_under_their_roof,
    the_interval_holds_the_forecast
);

fn parts_sum_to_the_step(drawn: &Drawn, _: f64) -> Verdict {
    let prediction = forecast(&drawn.scenario);
    let (total, step) = (prediction.breakdown.total().0, prediction.step.0);
    sure((total / step - 1.0).abs() < ROUNDING, || format!("the parts sum to {total}, the step is {step}"))?;
    for stage in &prediction.memory.stages {
        let total: f64 = stage.parts().iter().map(|part| part.2.0).sum();
        sure(total <= prediction.memory.peak_gib * 1.073_741_824e9 * (1.0 + ROUNDING), || {
            format!("a stage holds {total} bytes, more than the peak")
        })?;
    }
    Ok(())
}

/// Finite and not negative, all of the report. JSON has no other numbers: they are written as `null`.
fn every_number_is_one(drawn: &Drawn, _: f64) -> Verdict {
    let report = serde_json::to_value(forecast(&drawn.scenario)).map_err(|error| error.to_string())?;
    numbers(&report, "")
}

fn numbers(value: &Value, path: &str) -> Verdict {
    match value {
        Value::Null => Err(format!("{path} is no number")),
        Value::Number(number) => {
            sure(number.as_f64().is_some_and(|number| number >= 0.0), || format!("{path} is {number}"))
        }
        Value::Array(list) => {
            list.iter().enumerate().try_for_each(|(index, item)| numbers(item, &format!("{path}[{index}]")))
        }
        Value::Object(map) => map.iter().try_for_each(|(key, item)| numbers(item, &format!("{path}.{key}"))),
        Value::Bool(_) | Value::String(_) => Ok(()),
    }
}

fn utilisation_is_a_share(drawn: &Drawn, _: f64) -> Verdict {
    let prediction = forecast(&drawn.scenario);
    let (mfu, hfu) = (prediction.mfu, prediction.hfu);
    sure(mfu > 0.0 && mfu <= 1.0, || format!("an MFU of {mfu}"))?;
    sure(hfu <= 1.0, || format!("an HFU of {hfu}"))?;
    sure(hfu >= mfu * (1.0 - ROUNDING), || format!("an HFU of {hfu} below the MFU of {mfu}"))
}

/// No kernel computes or moves data faster than the data sheet says, or than the card sustains (GeForce cards clock higher than
/// their data sheet), and the kernels are all of the step's compute.
fn kernels_stay_under_their_roof(drawn: &Drawn, _: f64) -> Verdict {
    let prediction = forecast(&drawn.scenario);
    let roofline = Predictor::SHIPPED.roofline(&drawn.scenario, &prediction);
    for point in &roofline.points {
        let roof = roofline.roof(point);
        let reached = point.rate() / roof.flops.max(roofline.sustained.flops).max(f64::MIN_POSITIVE);
        sure(reached <= 1.0 + ROUNDING, || format!("{} computes at {reached} of the peak", point.name))?;
        // Attention is priced by its FLOPs alone.
        let moved = if point.kind == RooflineKind::Attention { 0.0 } else { point.bandwidth() / roof.memory };
        sure(moved <= 1.0 + ROUNDING, || format!("{} moves {moved} of the bandwidth", point.name))?;
        sure(point.least.0 <= point.time.0 * (1.0 + ROUNDING), || {
            format!("{} takes {:?}, and its limit is {:?}", point.name, point.time, point.least)
        })?;
    }
    let parts = &prediction.breakdown;
    let compute = (parts.forward + parts.backward + parts.recompute + parts.optimizer).0;
    let total = roofline.total().0;
    sure((total - compute).abs() <= compute * ROUNDING, || {
        format!("the kernels take {total}, and compute is {compute}")
    })
}

fn the_interval_holds_the_forecast(drawn: &Drawn, _: f64) -> Verdict {
    let prediction = forecast(&drawn.scenario);
    let (low, step, high) = (prediction.interval.low, prediction.step, prediction.interval.high);
    sure(low.0 > 0.0 && low < step && step < high, || format!("{step:?} between {low:?} and {high:?}"))
}

/// A GPU whose FP8 units are slower than its 16-bit ones computes on these, and is measured by these. The form asks for
/// another rate; a scenario from elsewhere may have it.
#[test]
fn slow_fp8_units_are_left_alone() {
    let of = |rate: f64| {
        let link = "#1;m=llama3-8b;g=dgx-h100;n=8;gb=128;prec=fp8;tp=1;sp=0;cp=2;pp=1";
        let document = Document::from_link(link).expect("a link").document;
        let mut scenario = document.scenario().expect("possible");
        scenario.cluster.gpu.peak_fp8.0 = rate;
        Predictor::SHIPPED.estimate(&scenario)
    };
    let slow = [1e-296, 1e12, 4e12, 500e12].map(of);
    assert!(slow.iter().all(|estimate| *estimate == slow[0]), "{slow:?}");
    assert!(slow[0].mfu > 0.0 && slow[0].mfu < 1.0, "{}", slow[0].mfu);
    assert!(of(1979e12).step < slow[0].step);
}
