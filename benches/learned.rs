//! Learning an operator, and forecasting with what was learned.

#[allow(dead_code, reason = "shared with the forecasts example")]
#[path = "../examples/forecasts/lines.rs"]
mod lines;

use criterion::{Criterion, criterion_group, criterion_main};
use std::hint::black_box;
use stepcast::constants::Constants;
use stepcast::document::Document;
use stepcast::forecast::Predictor;

use stepcast::learned::{
    Corrections, Direction, Fit, Profile, Regressor, Sample, SampleSet, SampledKind, Trainer, compact, read,
};
use stepcast::scenario::cluster::presets::find;

const PROFILE: &[u8] = include_bytes!("../static/profiles/h100.profile");
const LINK: &str = "1;m=llama3-70b;g=dgx-h100;n=512;tp=8;pp=4";

/// A file of 1,755 samples of a linear layer, as large as the public ones.
fn samples() -> Vec<SampleSet> {
    read("linear1.csv", &lines::samples()).expect("a sample file").sets
}

fn train(criterion: &mut Criterion) {
    let sets = samples();
    let cluster = find("perlmutter").expect("a preset").cluster;
    let forward: Vec<Sample> = sets[0].samples.clone();
    assert_eq!(forward.len(), 1755);
    let mut group = criterion.benchmark_group("train");
    group.sample_size(10);
    for (name, regressor) in
        [("forest", Regressor::Forest), ("boosted", Regressor::Boosted), ("hybrid", Regressor::Hybrid)]
    {
        let settings = compact(SampledKind::Product);
        group.bench_function(format!("{name} of 1,755 samples"), |bencher| {
            bencher.iter(|| {
                let fit = Fit::with(regressor, &forward, Direction::Forward, &cluster, 42, settings);
                fit.map(Fit::finish)
            });
        });
    }
    group.bench_function("one operator of 1,755 samples, cross-validated", |bencher| {
        bencher.iter(|| Trainer::new(&sets[..1], &cluster).finish("own", "", "perlmutter"));
    });
    group.finish();
}

fn forecast(criterion: &mut Criterion) {
    let profile = Profile::from_bytes(PROFILE).expect("a profile");
    let scenario = Document::from_link(LINK)
        .expect("a link of this version")
        .document
        .scenario()
        .expect("a legal scenario");
    let constants = Constants::SHIPPED;
    let mut group = criterion.benchmark_group("predict, llama3-70b on 512 GPUs");
    group.bench_function("physics", |bencher| {
        bencher.iter(|| Predictor::SHIPPED.predict(black_box(&scenario)))
    });
    group.bench_function("learned", |bencher| {
        bencher.iter(|| {
            let corrections = Corrections::new(&profile, black_box(&scenario), &constants);
            Predictor::new(&constants).with_learned(&corrections).predict(black_box(&scenario))
        });
    });
    group.finish();
}

criterion_group!(benches, train, forecast);
criterion_main!(benches);
