//! How long a pipeline takes, as the ranking asks: one duration of one layout.

use criterion::{Criterion, criterion_group, criterion_main};
use std::hint::black_box;
use stepcast::schedule::{Pipeline, Schedule, StageTime, SteadyScratch};
use stepcast::units::Seconds;

/// Stages and micro-batches: a usual pipeline, and a deep one.
const SIZES: [(u32, u32); 2] = [(8, 64), (16, 256)];

/// Equal chunks, but for an embedding on the first and a head on the last.
fn chunks(count: u32) -> Vec<StageTime> {
    let time = |index| {
        let size = 1.0 + if index == 0 { 0.02 } else { 0.0 } + if index + 1 == count { 0.3 } else { 0.0 };
        StageTime::new(Seconds(size), Seconds(2.0 * size)).with_weight_gradient(Seconds(0.8 * size))
    };
    (0..count).map(time).collect()
}

fn duration(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("duration");
    for schedule in Schedule::ALL {
        for (stages, micro_batches) in SIZES {
            for virtual_stages in if schedule.row().interleaves() {
                vec![1, 4]
            } else {
                vec![*schedule.row().virtual_stages.start()]
            } {
                let chunks = chunks(stages * virtual_stages);
                let pipeline =
                    Pipeline { schedule, virtual_stages, chunks: &chunks, micro_batches, hop: Seconds(0.05) };
                let name = format!("{} {stages} x {virtual_stages} x {micro_batches}", schedule.label());
                group.bench_function(&name, |bencher| bencher.iter(|| black_box(&pipeline).duration()));
                let mut scratch = SteadyScratch::default();
                group.bench_function(format!("{name}, again"), |bencher| {
                    bencher.iter(|| black_box(&pipeline).duration_in(&mut scratch))
                });
            }
        }
    }
    group.finish();
}

criterion_group!(benches, duration);
criterion_main!(benches);
