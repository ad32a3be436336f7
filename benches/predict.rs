//! One forecast of one layout.

mod jobs;

use criterion::{Criterion, criterion_group, criterion_main};
use jobs::{JOBS, scenario};
use std::hint::black_box;
use stepcast::forecast::Predictor;

/// Reports, from small to large: one node, a rack, a cluster with deep pipelines.
const LINKS: [(&str, &str); 3] = [
    ("llama2-7b on 8 GPUs", "1;m=llama2-7b;g=dgx-h100;n=8;tp=2;pp=1"),
    ("llama3-70b on 512 GPUs", "1;m=llama3-70b;g=dgx-h100;n=512;tp=8;pp=4"),
    ("gpt3-175b on 1,024 GPUs", "1;m=gpt3-175b;g=dgx-a100-80g;n=1024;tp=8;pp=16;seq=2048"),
];

fn full(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("predict");
    for (name, link) in LINKS {
        let scenario = scenario(link);
        group.bench_function(name, |bencher| {
            bencher.iter(|| Predictor::SHIPPED.predict(black_box(&scenario)))
        });
    }
    group.finish();
}

/// What a layout costs by itself, and what it costs in a search, which has priced its layers before.
fn light(criterion: &mut Criterion) {
    let mut alone = criterion.benchmark_group("estimate, alone");
    for (name, link) in JOBS {
        let scenario = scenario(link);
        alone.bench_function(name, |bencher| {
            bencher.iter(|| Predictor::SHIPPED.estimate(black_box(&scenario)))
        });
    }
    alone.finish();
    let mut shared = criterion.benchmark_group("estimate, shared");
    for (name, link) in JOBS {
        let scenario = scenario(link);
        let mut estimator = Predictor::SHIPPED.estimator(&scenario);
        shared.bench_function(name, |bencher| bencher.iter(|| estimator.estimate(black_box(&scenario.plan))));
    }
    shared.finish();
}

criterion_group!(benches, full, light);
criterion_main!(benches);
