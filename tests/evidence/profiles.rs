//! The shipped profiles: small, complete, and in the detailed cost model as good as physics on measured steps (data:
//! `support/data.rs`).

use crate::data;
use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use stepcast::constants::Constants;
use stepcast::document::Document;
use stepcast::forecast::Predictor;

use stepcast::learned::tables::{MEASURED, add};
use stepcast::learned::{Corrections, Direction, OperatorWorkload, Profile, SampledOperator, Trainer};
use stepcast::scenario::cluster::presets::find;

const NAMES: [&str; 7] = ["perlmutter", "vista", "a100", "h100", "h200", "b200", "gb200"];

/// The profile of each GPU of the runs.
const OF_GPU: [(&str, &str); 6] = [
    ("a100-40g", "a100"),
    ("a100-80g", "a100"),
    ("h100-80g", "h100"),
    ("h200", "h200"),
    ("b200", "b200"),
    ("gb200", "gb200"),
];

fn profile(name: &str) -> Profile {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("static/profiles/{name}.profile"));
    Profile::from_bytes(&std::fs::read(path).expect("a shipped profile")).expect("of this version")
}

#[test]
fn every_profile_prices_products_and_collectives() {
    for name in NAMES {
        let profile = profile(name);
        assert_eq!(profile.name, name);
        let gemm = OperatorWorkload::new(SampledOperator::Gemm, &[8192.0, 4096.0, 4096.0]);
        let set = profile.find(&gemm, Direction::Forward).unwrap_or_else(|| panic!("{name}: no products"));
        assert!(set.error < 0.07, "{name}: {}", set.error);
        assert!(profile.sets.iter().any(|set| set.operator == SampledOperator::AllReduce), "{name}");
    }
}

/// The profiles of single GPUs, rebuilt from the tables: bit for bit what is shipped. (`cargo xtask profiles` rebuilds
/// all.)
#[test]
fn the_shipped_bytes_follow_from_the_data() {
    for (name, gpus, machine) in MEASURED {
        let mut sets = Vec::new();
        for file in ["kernels.csv", "nccl_bandwidth.csv"] {
            let Some(rows) = data::rows(file) else { return };
            for (line, row) in (2..).zip(rows) {
                add(&mut sets, gpus, line, |column| row.get(column).map_or("", String::as_str));
            }
        }
        let shipped = profile(name);
        let cluster = &find(machine).expect("a preset").cluster;
        let (rebuilt, _) = Trainer::new(&sets, cluster).finish(name, &shipped.source, machine);
        assert_eq!(rebuilt.to_bytes(), shipped.to_bytes(), "{name}: run `cargo xtask profiles`");
    }
}

/// Median |error| over a source's runs, averaged over sources: as good with learned times as with physics, whose
/// constants were fitted to these runs.
#[test]
fn measured_steps_are_forecast_as_well_with_learned_times() {
    let Some(rows) = data::rows("runs.csv") else { return };
    let profiles: HashMap<&str, Profile> = OF_GPU.iter().map(|(gpu, name)| (*gpu, profile(name))).collect();
    let constants = Constants::SHIPPED;
    let mut errors: BTreeMap<String, [Vec<f64>; 2]> = BTreeMap::new();
    for run in rows.iter().map(data::run) {
        let (Ok(scenario), Some(profile)) = (run.scenario, profiles.get(run.gpu.as_str())) else {
            continue;
        };
        if run.dropped {
            continue;
        }
        let corrections = Corrections::new(profile, &scenario, &constants);
        let forecasts = [
            Predictor::new(&constants).predict(&scenario),
            Predictor::new(&constants).with_learned(&corrections).predict(&scenario),
        ];
        let [Ok(physics), Ok(learned)] = forecasts else { continue };
        let place = errors.entry(format!("{} {}", run.gpu, run.source)).or_default();
        place[0].push((physics.step.0 / run.measured_s - 1.0).abs());
        place[1].push((learned.step.0 / run.measured_s - 1.0).abs());
    }
    let mut sums = [0.0; 2];
    for (name, columns) in &mut errors {
        let medians = [0, 1].map(|column| {
            columns[column].sort_by(f64::total_cmp);
            columns[column][columns[column].len() / 2]
        });
        let [physics, learned] = medians.map(|median| 100.0 * median);
        println!("{name:<30} {:>5} runs, physics {physics:.1} %, learned {learned:.1} %", columns[0].len());
        sums = [sums[0] + medians[0], sums[1] + medians[1]];
    }
    let [physics, learned] = sums.map(|sum| 100.0 * sum / errors.len() as f64);
    println!("mean of medians: physics {physics:.2} %, learned {learned:.2} %");
    assert!(errors.len() >= 15 && learned < physics + 0.5, "{learned} {physics}");
}

#[test]
fn without_a_profile_nothing_changes() {
    let scenario = Document::from_link("1;m=llama3-8b;g=dgx-h100;n=16;tp=2;pp=2")
        .expect("a link")
        .document
        .scenario()
        .expect("legal");
    let empty = Profile {
        name: "empty".to_owned(),
        source: String::new(),
        machine: "dgx-h100".to_owned(),
        sets: Vec::new(),
    };
    let constants = Constants::SHIPPED;
    let corrections = Corrections::new(&empty, &scenario, &constants);
    let learned = Predictor::new(&constants).with_learned(&corrections).predict(&scenario).expect("legal");
    assert_eq!(learned.step, Predictor::new(&constants).predict(&scenario).expect("legal").step);
}
