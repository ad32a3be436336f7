//! Learned operators on the public samples (data: `support/data.rs`).

use crate::data;
use std::path::PathBuf;
use std::sync::Mutex;
use stepcast::learned::{
    Direction, Fit, Regressor, Sample, SampleSet, SampledOperator, TrainTestSplit, check, is_healthy,
    largest_fifth, random_fifth, read,
};
use stepcast::scenario::cluster::Cluster;
use stepcast::scenario::cluster::presets::find;

const SEED: u64 = 42;

fn cluster(machine: &str) -> &'static Cluster {
    &find(machine).expect("a preset").cluster
}

/// Every set of a folder of samples; `None` where there is none.
fn sets(machine: &str, folder: &str) -> Option<Vec<(SampleSet, Option<SampleSet>)>> {
    let entries = std::fs::read_dir(data::path(&format!("samples/{machine}/{folder}"))?).expect("a folder");
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("readable").path()).collect();
    files.sort();
    let mut all = Vec::new();
    for file in files {
        let name = file.file_name().and_then(|name| name.to_str()).expect("a name").to_owned();
        if SampledOperator::of_file(&name).is_none() {
            continue;
        }
        let file = read(&name, &std::fs::read_to_string(&file).expect("text")).expect("a sample file");
        assert!(file.problems.is_empty(), "{name}: {:?}", file.problems);
        let forward = file.sets.iter().find(|set| set.direction == Direction::Forward).cloned();
        all.extend(file.sets.into_iter().map(|set| (set, forward.clone())));
    }
    Some(all)
}

/// Mean |forecast / measured - 1| of a regressor on the tested samples of a split.
fn error(
    regressor: Regressor,
    samples: &[Sample],
    direction: Direction,
    split: &TrainTestSplit,
    on: &Cluster,
) -> f64 {
    let learn: Vec<Sample> = split.learn.iter().map(|row| samples[*row]).collect();
    let mut fit = Fit::new(regressor, &learn, direction, on, SEED).expect("samples");
    while fit.step() {}
    let model = fit.finish();
    let tested = split.test.iter().map(|row| &samples[*row]);
    let errors = tested.map(|sample| (model.time(&sample.workload) / sample.seconds - 1.0).abs());
    errors.sum::<f64>() / split.test.len() as f64
}

/// Mean errors of a regressor over a machine's healthy operators: a random fifth, and the largest.
fn means(machine: &str, regressor: Regressor) -> Option<(usize, [f64; 2])> {
    let on = cluster(machine);
    let work = Mutex::new(sets(machine, "operator")?.into_iter());
    let sums = Mutex::new((0, [0.0; 2]));
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                loop {
                    let Some((set, forward)) = work.lock().expect("unpoisoned").next() else { break };
                    let (kept, rejected) = check(&set, forward.as_ref(), on);
                    if !is_healthy(kept.len(), &rejected) {
                        continue;
                    }
                    let direction = set.direction;
                    let splits = [random_fifth(&kept, SEED), largest_fifth(&kept, direction)];
                    let errors = splits.map(|split| error(regressor, &kept, direction, &split, on));
                    let mut sums = sums.lock().expect("unpoisoned");
                    sums.0 += 1;
                    sums.1 = [sums.1[0] + errors[0], sums.1[1] + errors[1]];
                }
            });
        }
    });
    let (count, sums) = sums.into_inner().expect("unpoisoned");
    let mean = sums.map(|sum| sum / count as f64);
    println!("{machine}, {regressor:?}: {count} sets, {:.2} % and {:.2} %", 100.0 * mean[0], 100.0 * mean[1]);
    Some((count, mean))
}

#[test]
fn the_hybrid_meets_its_targets() {
    for (machine, count, bounds) in [("perlmutter", 40, [0.030, 0.042]), ("vista", 35, [0.016, 0.046])] {
        let Some((healthy, means)) = means(machine, Regressor::Hybrid) else { return };
        assert_eq!(healthy, count);
        assert!(means[0] <= bounds[0] && means[1] <= bounds[1], "{machine}: {means:?}");
    }
}

/// Means of the study with scikit-learn's random forest, on whose settings ours is built.
#[test]
fn the_forest_is_as_good_as_another_implementation() {
    for (machine, study) in [("perlmutter", [0.0699, 0.3883]), ("vista", [0.0562, 0.3742])] {
        let Some((_, means)) = means(machine, Regressor::Forest) else { return };
        assert!(means[0] <= study[0] + 0.01 && means[1] <= study[1] + 0.01, "{machine}: {means:?}");
    }
}

/// The same with XGBoost.
#[test]
fn boosting_is_as_good_as_another_implementation() {
    for (machine, study) in [("perlmutter", [0.0515, 0.3220]), ("vista", [0.0407, 0.3145])] {
        let Some((_, means)) = means(machine, Regressor::Boosted) else { return };
        assert!(means[0] <= study[0] + 0.01 && means[1] <= study[1] + 0.01, "{machine}: {means:?}");
    }
}

/// Everything that the description of the samples calls broken is found, and nothing else.
#[test]
fn broken_files_are_told_apart() {
    let mut broken = Vec::new();
    for machine in ["perlmutter", "vista"] {
        for folder in ["operator", "nccl"] {
            let Some(sets) = sets(machine, folder) else { return };
            for (set, forward) in sets {
                let (kept, rejected) = check(&set, forward.as_ref(), cluster(machine));
                assert_eq!(kept.len() + rejected.len(), set.samples.len());
                if !is_healthy(kept.len(), &rejected) {
                    broken.push(format!("{machine} {} {:?}", set.name, set.direction));
                }
                if set.operator == SampledOperator::FillMask
                    && machine == "vista"
                    && set.direction == Direction::Forward
                {
                    // Above 2^30 elements the kernel splits, and one part was counted.
                    let large = |sample: &&Sample| {
                        let [b, heads, l, _] = sample.workload.sizes;
                        b * heads * l * l > 1_073_741_824.0
                    };
                    assert_eq!(rejected.len(), set.samples.iter().filter(large).count());
                }
            }
        }
    }
    assert_eq!(
        broken,
        [
            "vista firstStage_optimizer Whole",
            "vista flash_atten Backward",
            "vista lastStage_optimizer Whole",
            "vista middleStage_optimizer Whole",
            "vista allgather_large_4_1 Whole",
            "vista allgather_large_8_1 Whole",
        ]
    );
}

/// Perlmutter's collectives between nodes, fitted without one topology and tested on it.
#[test]
fn an_unseen_topology_is_forecast() {
    let Some(sets) = sets("perlmutter", "nccl") else { return };
    for (operator, bound) in [
        (SampledOperator::AllReduce, 0.09),
        (SampledOperator::AllReduceLarge, 0.09),
        (SampledOperator::AllGather, 0.18),
    ] {
        for unseen in [[2.0, 4.0], [8.0, 1.0]] {
            let across = sets
                .iter()
                .filter(|(set, _)| set.operator == operator)
                .flat_map(|(set, _)| set.samples.iter().copied())
                .filter(|sample| sample.workload.sizes[1] > 1.0);
            let (tested, seen): (Vec<Sample>, Vec<Sample>) =
                across.partition(|sample| sample.workload.sizes[1..3] == unseen);
            if tested.is_empty() {
                continue;
            }
            let mut fit = Fit::new(Regressor::Hybrid, &seen, Direction::Whole, cluster("perlmutter"), SEED)
                .expect("samples");
            while fit.step() {}
            let model = fit.finish();
            let errors =
                tested.iter().map(|sample| (model.time(&sample.workload) / sample.seconds - 1.0).abs());
            let error = errors.sum::<f64>() / tested.len() as f64;
            println!("{operator:?} on {unseen:?}, unseen: {:.1} %", 100.0 * error);
            assert!(error <= bound, "{operator:?} {unseen:?}: {error}");
        }
    }
}
