//! Sample files as text: one row per measurement, columns by name.

use super::amounts::Direction;
use super::operator::{OperatorWorkload, SampledOperator};
use crate::decimal;
use crate::fields::parse;
use serde::Serialize;
use std::ops::RangeInclusive;

/// One measurement.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sample {
    /// The workload.
    pub workload: OperatorWorkload,
    /// Seconds it took.
    pub seconds: f64,
    /// Line of its file, from 1.
    pub line: usize,
}

/// A row that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RowProblem {
    /// Line of the file, from 1.
    pub line: usize,
    /// Name of the column; empty for the whole line.
    pub column: String,
    /// A whole sentence: the problem and the legal values.
    pub message: String,
}

/// The samples of one operator and pass; for collectives, of one topology.
#[derive(Debug, Clone, PartialEq)]
pub struct SampleSet {
    /// Name of the file without its ending.
    pub name: String,
    /// What was measured.
    pub operator: SampledOperator,
    /// Which pass.
    pub direction: Direction,
    /// Samples of the set, in the file's order.
    pub samples: Vec<Sample>,
}

/// Contents of a sample file.
#[derive(Debug, Clone, PartialEq)]
pub struct SampleFile {
    /// Sets that could be read.
    pub sets: Vec<SampleSet>,
    /// Invalid rows.
    pub problems: Vec<RowProblem>,
}

/// Names of duration columns, and their passes.
const DURATIONS: [(&str, Direction); 3] =
    [("F_dur", Direction::Forward), ("B_dur", Direction::Backward), ("dur", Direction::Whole)];

/// Units of durations, in seconds.
const UNITS: [(&str, f64); 3] = [("us", 1e-6), ("ms", 1e-3), ("s", 1.0)];

/// Sizes of a sample: up to more elements than any GPU's memory holds.
pub(super) const SIZES: RangeInclusive<f64> = 1.0..=1e12;

/// Seconds of a sample: from a tick of a GPU's clock to a day.
pub(super) const SECONDS: RangeInclusive<f64> = 1e-9..=86_400.0;

/// Most lines read per file: twenty times the largest public one.
const MOST_LINES: usize = 100_000;

/// Most reported problems before the rest of the file is skipped.
const MOST_PROBLEMS: usize = 1000;

/// Most topologies in a file of collectives.
const MOST_TOPOLOGIES: usize = 100;

/// Parses a sample file by its name (`linear1.csv`) and content. Columns can be in any order; unneeded ones are
/// ignored; durations are in microseconds unless the column states otherwise: `dur(ms)`.
///
/// # Errors
/// The name or the header, if the whole file is unusable.
pub fn read(name: &str, text: &str) -> Result<SampleFile, RowProblem> {
    let name = name.rsplit(['/', '\\']).next().unwrap_or(name);
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    let whole = |column: &str, message: String| RowProblem { line: 1, column: column.to_owned(), message };
    let operator = SampledOperator::of_file(name).ok_or_else(|| {
        whole(
            "",
            format!(
                "Unknown operator {}. Name the file after an operator, for example linear1.csv.",
                parse::shown(stem)
            ),
        )
    })?;
    let mut lines = (1..).zip(text.trim_start_matches('\u{feff}').lines());
    let header: Vec<&str> = lines.next().map(|(_, line)| cells(line).collect()).unwrap_or_default();
    let mut inputs = Vec::new();
    for column in operator.columns() {
        let found = header.iter().position(|cell| cell.eq_ignore_ascii_case(column));
        inputs.push((*column, found.ok_or_else(|| whole(column, format!("Column {column} is missing.")))?));
    }
    let timed: Vec<(usize, Direction, f64)> = (0..)
        .zip(&header)
        .filter_map(|(index, cell)| duration(cell).map(|(direction, unit)| (index, direction, unit)))
        .filter(|(_, direction, _)| (*direction == Direction::Whole) != operator.is_differentiated())
        .collect();
    if timed.is_empty() {
        let legal = if operator.is_differentiated() { "F_dur(us) or B_dur(us)" } else { "dur(us)" };
        return Err(whole("", format!("The duration column is missing. {stem} needs {legal}.")));
    }
    let mut sets: Vec<SampleSet> = timed
        .iter()
        .map(|(_, direction, _)| SampleSet {
            name: stem.to_owned(),
            operator,
            direction: *direction,
            samples: Vec::new(),
        })
        .collect();
    let mut problems = Vec::new();
    for (line, text) in lines.filter(|(_, text)| !text.trim().is_empty()) {
        if !goes_on(line, &problems) {
            problems.push(rest_left(line));
            break;
        }
        match row(operator, text, line, &inputs, &timed) {
            Ok((workload, durations)) => {
                for (set, seconds) in sets.iter_mut().zip(durations) {
                    set.samples.push(Sample { workload, seconds, line });
                }
            }
            Err(problem) => problems.push(problem),
        }
    }
    let sets = sets.into_iter().flat_map(|set| by_topology(set, &mut problems)).collect();
    Ok(SampleFile { sets, problems })
}

/// The problem of a file that is too long, or has too many problems.
pub(super) fn rest_left(line: usize) -> RowProblem {
    let message = format!(
        "Later lines are ignored: at most {MOST_LINES} lines and {MOST_PROBLEMS} problems are supported."
    );
    RowProblem { line, column: String::new(), message }
}

/// Whether to continue after this many lines and problems.
pub(super) fn goes_on(line: usize, problems: &[RowProblem]) -> bool {
    line <= MOST_LINES && problems.len() < MOST_PROBLEMS
}

fn cells(line: &str) -> impl Iterator<Item = &str> {
    line.split(',').map(|cell| cell.trim().trim_matches('"'))
}

/// Pass and unit of a duration column: `F_dur(us)`.
fn duration(header: &str) -> Option<(Direction, f64)> {
    let (name, unit) = match header.split_once('(') {
        Some((name, unit)) => (name.trim(), unit.trim_end_matches(')')),
        None => (header, "us"),
    };
    let direction = DURATIONS.iter().find(|known| known.0.eq_ignore_ascii_case(name))?.1;
    Some((direction, UNITS.iter().find(|known| known.0 == unit)?.1))
}

/// Workload and seconds of one row.
fn row(
    operator: SampledOperator,
    text: &str,
    line: usize,
    inputs: &[(&str, usize)],
    timed: &[(usize, Direction, f64)],
) -> Result<(OperatorWorkload, Vec<f64>), RowProblem> {
    let found: Vec<&str> = cells(text).collect();
    let number = |index: usize, column: &str, unit: f64, bounds: &RangeInclusive<f64>| {
        let problem = |message: String| RowProblem { line, column: column.to_owned(), message };
        let Some(cell) = found.get(index) else {
            return Err(problem(format!("The line ends before the column {column}.")));
        };
        let value = decimal::parse(cell).map(|value| value * unit);
        let cell = parse::shown(cell);
        match value {
            Some(value) if bounds.contains(&value) => Ok(value),
            Some(_) => {
                let (least, most) = (bounds.start() / unit, bounds.end() / unit);
                Err(problem(format!("{cell} is not between {least} and {most}.")))
            }
            None => Err(problem(format!("\"{cell}\" is not a number."))),
        }
    };
    let sizes: Vec<f64> =
        inputs.iter().map(|(column, index)| number(*index, column, 1.0, &SIZES)).collect::<Result<_, _>>()?;
    let workload = operator.workload(&sizes);
    if workload.used().iter().any(|size| *size < 1.0) {
        let message = "The parallel degrees of this line are too large for its sizes.".to_owned();
        return Err(RowProblem { line, column: String::new(), message });
    }
    let name = |direction: Direction| {
        DURATIONS.iter().find(|known| known.1 == direction).map_or("dur", |known| known.0)
    };
    let seconds = timed
        .iter()
        .map(|(index, direction, unit)| number(*index, name(*direction), *unit, &SECONDS))
        .collect::<Result<_, _>>()?;
    Ok((workload, seconds))
}

/// Splits collectives by topology; other sets are unchanged. Samples of too many topologies are left out and reported.
fn by_topology(set: SampleSet, problems: &mut Vec<RowProblem>) -> Vec<SampleSet> {
    if set.operator.kind() != super::SampledKind::Link {
        return vec![set];
    }
    let mut parts: Vec<((f64, f64), SampleSet)> = Vec::new();
    for sample in set.samples {
        let [_, nodes, per_node, _] = sample.workload.sizes;
        let known = parts.iter().position(|part| part.0 == (nodes, per_node));
        if known.is_none() && parts.len() >= MOST_TOPOLOGIES {
            let message = format!("Topologies beyond {MOST_TOPOLOGIES} are ignored.");
            problems.push(RowProblem { line: sample.line, column: "nodes".to_owned(), message });
            break;
        }
        let place = known.unwrap_or_else(|| {
            let name = format!("{}_{nodes}_{per_node}", set.operator.file());
            parts.push((
                (nodes, per_node),
                SampleSet { name, operator: set.operator, direction: set.direction, samples: Vec::new() },
            ));
            parts.len() - 1
        });
        if let Some(part) = parts.get_mut(place) {
            part.1.samples.push(sample);
        }
    }
    parts.into_iter().map(|part| part.1).collect()
}

#[cfg(test)]
mod tests {
    use super::read;
    use crate::learned::{Direction, SampledOperator};

    const LINEAR: &str = "mp,b,l,dim,F_dur(us),B_dur(us)\n1.0,2.0,1024.0,5632.0,1728.8,3552.4\n";

    #[test]
    fn a_file_gives_a_set_for_each_pass() {
        let file = read("samples/linear1.csv", LINEAR).expect("readable");
        assert!(file.problems.is_empty());
        assert_eq!(file.sets.len(), 2);
        assert_eq!(file.sets[1].direction, Direction::Backward);
        assert_eq!(file.sets[1].operator, SampledOperator::Linear1);
        assert!((file.sets[1].samples[0].seconds - 3552.4e-6).abs() < 1e-15);
        assert_eq!(file.sets[1].samples[0].line, 2);
    }

    #[test]
    fn bad_rows_are_named_by_line_and_column_and_good_ones_kept() {
        let text = format!("{LINEAR}1,2,x,5632,10,20\n\n1,2,1024,512,0,20\n1,2,1024\n2,2,1024,512,10,20\n");
        let file = read("linear1.csv", &text).expect("readable");
        let found: Vec<(usize, &str)> = file.problems.iter().map(|p| (p.line, p.column.as_str())).collect();
        assert_eq!(found, [(3, "l"), (5, "F_dur"), (6, "dim")]);
        assert_eq!(file.sets[0].samples.len(), 2);
    }

    #[test]
    fn a_header_without_what_is_needed_is_refused() {
        let error = read("linear1.csv", "mp,b,l,F_dur(us)\n").expect_err("no hidden size");
        assert_eq!((error.line, error.column.as_str()), (1, "dim"));
        assert!(read("linear1.csv", "mp,b,l,dim,time\n").is_err());
        assert!(read("models.csv", LINEAR).is_err());
    }

    #[test]
    fn collectives_are_parted_by_topology() {
        let text = "shape,nodes,GPUsPerNode,dur(ms)\n1000,1,4,2\n1000,2,4,3\n2000,1,4,4\n";
        let file = read("allreduce.csv", text).expect("readable");
        let names: Vec<&str> = file.sets.iter().map(|set| set.name.as_str()).collect();
        assert_eq!(names, ["allreduce_1_4", "allreduce_2_4"]);
        assert_eq!(file.sets[0].samples.len(), 2);
        assert_eq!(file.sets[0].samples[1].seconds, 4e-3);
    }
}
