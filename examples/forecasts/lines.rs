//! Forecasts as text in which two different numbers are never the same.

use std::hash::{DefaultHasher, Hasher as _};

use stepcast::document::Document;
use stepcast::forecast::Predictor;
use stepcast::learned::{Fit, OperatorWorkload, REGRESSORS, compact, read};
use stepcast::scenario::cluster::presets::CLUSTERS;
use stepcast::scenario::model::presets::MODELS;

/// Layouts that between them reach every term of a forecast.
const LAYOUTS: [&str; 4] =
    ["tp=1;sp=0;pp=1", "tp=8;pp=4;rc=full", "tp=2;pp=8;zero=1;rc=selective", "tp=4;pp=1;zero=3"];

/// Every model on one cluster, and one model on every cluster, in each layout.
pub(crate) fn lines() -> Vec<String> {
    let models = MODELS.iter().map(|model| format!("m={};g=dgx-h100", model.name));
    let clusters = CLUSTERS.iter().map(|cluster| format!("m=llama2-13b;g={}", cluster.name));
    let jobs = models.chain(clusters);
    jobs.flat_map(|job| LAYOUTS.map(|layout| line(&format!("1;{job};n=64;seq=1k;gb=1k;prec=fp16;{layout}"))))
        .chain(learned())
        .collect()
}

/// What stands for a line where there is no room for its text.
pub(crate) fn fingerprint(line: &str) -> String {
    let mut hasher = DefaultHasher::new();
    hasher.write(line.as_bytes());
    format!("{:016x}", hasher.finish())
}

/// Operators learned from samples of a made-up GPU, every regressor, and what each makes of shapes in and outside the
/// samples.
fn learned() -> Vec<String> {
    let sets = read("linear1.csv", &samples()).map(|file| file.sets).unwrap_or_default();
    let cluster = CLUSTERS[0].cluster;
    let fits = sets.iter().flat_map(|set| REGRESSORS.map(|regressor| (set, regressor)));
    fits.filter_map(|(set, regressor)| {
        let settings = compact(set.operator.kind());
        let model = Fit::with(regressor, &set.samples, set.direction, &cluster, 42, settings)?.finish();
        let times = [512.0, 4096.0, 65_536.0].map(|rows| {
            model.time(&OperatorWorkload::new(set.operator, &[rows, 4096.0, 6144.0])).to_string()
        });
        Some(format!("{:?} {regressor:?} {}", set.direction, times.join(" ")))
    })
    .collect()
}

/// A sample file of a linear layer: a grid of shapes with times that no formula of ours gives.
pub(crate) fn samples() -> String {
    let mut text = "mp,b,l,dim,F_dur(us),B_dur(us)\n".to_owned();
    let mut noise = 1_u32;
    for mp in [1, 2, 4, 8, 16] {
        for b in [2, 4, 8] {
            for l in (1024..=5120).step_by(512) {
                for dim in (2048..=8192).step_by(512) {
                    noise = noise.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    let flops = 6.0 * f64::from(b * l) * f64::from(dim) * f64::from(dim / mp);
                    let time = (20.0 + flops / 250e6) * (1.0 + 0.05 * f64::from(noise >> 16) / 65_536.0);
                    text.push_str(&format!("{mp},{b},{l},{dim},{time},{}\n", 2.0 * time));
                }
            }
        }
    }
    text
}

fn line(link: &str) -> String {
    let scenario = match Document::from_link(link) {
        Ok(opened) => opened.document.scenario(),
        Err(error) => return format!("{link} {error}"),
    };
    match scenario.and_then(|scenario| Predictor::SHIPPED.predict(&scenario)) {
        Ok(forecast) => {
            let parts = forecast.breakdown.parts().map(|part| format!("{:?}", part.2.0)).join(" ");
            let (step, memory, mfu) = (forecast.step.0, forecast.memory.peak_gib, forecast.mfu);
            format!("{link} {step:?} {parts} {memory:?} {mfu:?}")
        }
        Err(errors) => format!("{link} {errors:?}"),
    }
}
