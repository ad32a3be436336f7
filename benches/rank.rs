//! Every layout of one job, forecast. What a layout costs is the inverse of the throughput.

mod jobs;

use criterion::{Criterion, SamplingMode, Throughput, criterion_group, criterion_main};
use jobs::{JOBS, scenario};
use std::hint::black_box;
use stepcast::forecast::Predictor;
use stepcast::scenario::stack::StackLimits;
use stepcast::tuner::{FreeAxes, Options, Space};

/// A usual job, those of very many layouts, and models of several kinds of layer.
const LINKS: [(&str, &str); 7] = [
    ("llama3-70b on 512 GPUs", "1;m=llama3-70b;g=dgx-h100;n=512"),
    ("gpt3-175b on 512 GPUs", "1;m=gpt3-175b;g=dgx-a100-80g;n=512;seq=2048;gb=1536"),
    ("gpt3-175b on 4,096 GPUs", "1;m=gpt3-175b;g=dgx-a100-80g;n=4096;seq=2048;gb=1536"),
    ("llama3-405b on 16,384 GPUs", "1;m=llama3-405b;g=dgx-h100;n=16384;gb=2048"),
    ("deepseek-v3 on 2,048 GPUs", "1;m=deepseek-v3;g=dgx-h100;n=2048;gb=15360;seq=4096;tp=8;pp=8"),
    ("nemotron-3-nano on 64 GPUs", "1;m=nemotron-3-nano;g=dgx-h100;n=64"),
    ("jamba-mini on 64 GPUs", "1;m=jamba-mini;g=dgx-h100;n=64"),
];

fn whole_space(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("rank");
    group.sampling_mode(SamplingMode::Flat).sample_size(10);
    for (name, link) in LINKS.into_iter().chain(JOBS) {
        let space = Space::within(&scenario(link), FreeAxes::default(), StackLimits::ALL);
        group.throughput(Throughput::Elements(space.len() as u64));
        group.bench_function(name, |bencher| {
            bencher.iter(|| {
                let mut search = Predictor::SHIPPED.search(black_box(space.clone()), Options::default());
                search.finish();
                search.best()
            })
        });
    }
    group.finish();
}

criterion_group!(benches, whole_space);
criterion_main!(benches);
