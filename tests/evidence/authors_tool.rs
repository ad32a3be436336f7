//! The authors' tool of arXiv 2509.22832: where it is right we agree, and its defects are not ours. Its forecasts are
//! public data (`support/data.rs`).

use crate::data;
use crate::data::Row;
use crate::paper::Job;
use std::collections::BTreeMap;
use stepcast::learned::{Direction, LearnedStage, LearnedStep, Provenance, SampledOperator};
use stepcast::units::Seconds;

/// What each flag says of the columns: those whose names begin so are wrong.
const DEFECTS: [(&str, &[&str]); 13] = [
    ("FLASH_BWD_DATA_BROKEN", &["flash_atten_bwd", "encoder_bwd", "stage_bwd"]),
    ("OPTIMIZER_DATA_BROKEN", &["optimizer", "update"]),
    ("OPTIMIZER_OUTLIER", &["optimizer", "update"]),
    ("ALLGATHER_DATA_BROKEN", &["dp_allgather", "update"]),
    ("LINEAR2_OFF_GRID", &["linear2"]),
    (
        "PP2_PHANTOM_MIDDLE_STAGE",
        &["stage_fwd_middle", "stage_bwd_middle", "dp_allreduce_middle", "dp_allgather_middle"],
    ),
    ("PP1_LAYERS_OVERCOUNT", &["stage", "dp_"]),
    ("NO_OPTIMIZER_TIME", &["optimizer", "update"]),
    ("P2P_FORCED_INTERNODE", &["pp_p2p"]),
    ("LAYERS_LOST_4", &["stage", "dp_"]),
    ("MP_ALLREDUCE_CLAMP_LOW", &["mp_allreduce", "encoder", "stage"]),
    ("DP_TOPOLOGY_WRONG", &["dp_"]),
    ("DP_ALLGATHER_CLAMP_LOW", &["dp_allgather", "update"]),
];

fn job(row: &Row) -> Job {
    let number = |column: &str| row[column].parse::<u32>().expect("a number");
    Job {
        layers: number("encoders"),
        hidden: number("hidden"),
        heads: number("heads"),
        sequence: number("seq"),
        rms: row["norm"].starts_with("RMS"),
        flash: row["attention"] == "flash",
        degrees: ["pp", "mp", "dp"].map(number),
        micro_batch: number("micro_batch"),
        micro_batches: number("micro_batches"),
    }
}

/// Our forecast of a column, in microseconds; `None` for columns that have no counterpart.
fn forecast(column: &str, step: &LearnedStep) -> Option<f64> {
    let of = |operator: SampledOperator, direction: Direction| {
        let found = step.operators.iter().find(|row| row.operator == operator && row.direction == direction);
        // Outside the samples the tool gives its nearest sample's time, whatever the size (papers' defect 5).
        found.filter(|row| row.provenance == Provenance::Measured).map(|row| row.time)
    };
    let stage = |name: &str, part: fn(&LearnedStage) -> Seconds| {
        let index = match name {
            "first" => 0,
            "middle" => 1,
            _ => step.stages.len().checked_sub(1)?,
        };
        step.stages.get(index).map(part)
    };
    let column = column.strip_suffix("_us")?;
    let time = match column {
        "encoder_fwd" => Some(step.layer[0]),
        "encoder_bwd" => Some(step.layer[1]),
        "mp_allreduce" => Some(step.tensor_reduce),
        "pp_p2p" => Some(step.hop),
        _ => {
            if let Some((kind, name)) = column.rsplit_once('_')
                && ["first", "middle", "last"].contains(&name)
            {
                match kind {
                    "stage_fwd" => stage(name, |stage| stage.forward),
                    "stage_bwd" => stage(name, |stage| stage.backward),
                    "dp_allreduce" => stage(name, |stage| stage.gradient_reduce),
                    "dp_allgather" => stage(name, |stage| stage.gather),
                    _ => None,
                }
            } else {
                let (name, direction) = column.rsplit_once('_')?;
                let direction = if direction == "fwd" { Direction::Forward } else { Direction::Backward };
                of(SampledOperator::of_file(name)?, direction)
            }
        }
    };
    time.map(|time| time.0 * 1e6)
}

#[test]
fn components_that_the_tool_gets_right_agree() {
    let Some(rows) = data::rows("samples/authors_tool_predictions.csv") else { return };
    let mut errors: BTreeMap<(String, String), Vec<f64>> = BTreeMap::new();
    for row in rows.iter().filter(|row| row["status"] == "ok") {
        let machine = row["cluster"].to_lowercase();
        let step = job(row).cool_step(&machine);
        let wrong: Vec<&str> = DEFECTS
            .iter()
            .filter(|defect| row["flags"].split(';').any(|flag| flag == defect.0))
            .flat_map(|defect| defect.1.iter().copied())
            .collect();
        for (column, text) in row.iter().filter(|cell| !wrong.iter().any(|start| cell.0.starts_with(start))) {
            let Ok(theirs) = text.parse::<f64>() else { continue };
            if let Some(ours) = forecast(column, &step).filter(|_| theirs > 0.0) {
                errors
                    .entry((machine.clone(), column.clone()))
                    .or_default()
                    .push((ours / theirs - 1.0).abs());
            }
        }
    }
    let mut compared = 0;
    for ((machine, column), mut errors) in errors {
        errors.sort_by(f64::total_cmp);
        let median = errors[errors.len() / 2];
        println!("{machine:<10} {column:<44} {:>3} rows, median {:.1} %", errors.len(), 100.0 * median);
        assert!(median <= 0.08, "{machine} {column}: {median}");
        compared += errors.len();
    }
    assert!(compared > 2500, "{compared}");
}
