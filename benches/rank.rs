//! Every layout of one job, forecast. What a layout costs is the inverse of the throughput.

mod jobs;

use criterion::{Criterion, SamplingMode, Throughput, criterion_group, criterion_main};
use jobs::{JOBS, scenario};
use std::hint::black_box;
use stepcast::forecast::Predictor;

/// A usual job, and one of many layouts.
const LINKS: [(&str, &str); 2] = [
    ("llama3-70b on 512 GPUs", "1;m=llama3-70b;g=dgx-h100;n=512"),
    ("llama3-405b on 16,384 GPUs", "1;m=llama3-405b;g=dgx-h100;n=16384;gb=2048"),
];

fn whole_space(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("rank");
    group.sampling_mode(SamplingMode::Flat).sample_size(10);
    for (name, link) in LINKS.into_iter().chain(JOBS) {
        let scenario = scenario(link);
        group.throughput(Throughput::Elements(Predictor::SHIPPED.search(&scenario).total() as u64));
        group.bench_function(name, |bencher| {
            bencher.iter(|| {
                Predictor::SHIPPED
                    .search(black_box(&scenario))
                    .map(|candidate| candidate.step.0)
                    .fold(0.0, f64::max)
            })
        });
    }
    group.finish();
}

criterion_group!(benches, whole_space);
criterion_main!(benches);
