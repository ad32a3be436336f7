//! The ranked table: which rows it shows, in which order.

use super::columns::Column;
use super::filter::Filter;
use crate::forecast::Predictor;
use crate::number;
use crate::scenario::Scenario;
use crate::scenario::plan::Plan;
use crate::tuner::Candidate;
use core::cmp::Ordering;

/// What the reader asked of the table.
#[derive(Debug, Clone, PartialEq)]
pub struct Query {
    /// Column that sorts.
    pub sort: Column,
    /// Greatest value on top.
    pub descending: bool,
    /// Rows to keep.
    pub filter: Filter,
    /// Keep layouts that do not fit in memory.
    pub infeasible: bool,
}

impl Default for Query {
    fn default() -> Self {
        Self { sort: Column::Step, descending: false, filter: Filter::default(), infeasible: false }
    }
}

impl Query {
    /// Indices of the rows to show, in order; rows that are equal in the column, by step time.
    pub fn arrange(&self, rows: &[Candidate]) -> Vec<usize> {
        let infeasible = self.infeasible || self.filter.wants_infeasible();
        let mut kept: Vec<(usize, &Candidate)> = rows
            .iter()
            .enumerate()
            .filter(|(_, row)| (row.fits || infeasible) && self.filter.keeps(row))
            .collect();
        kept.sort_by(|(_, a), (_, b)| {
            let by_column = compare(self.sort.value(a), self.sort.value(b));
            let by_column = if self.descending { by_column.reverse() } else { by_column };
            by_column.then_with(|| compare(a.step.0, b.step.0))
        });
        kept.into_iter().map(|(index, _)| index).collect()
    }
}

/// Columns worth showing: those that say the same in every row are left out where they may be.
pub fn columns(rows: &[Candidate]) -> Vec<Column> {
    Column::ALL
        .into_iter()
        .filter(|column| {
            let first = rows.first().map(|row| column.value(row));
            !column.only_if_varied() || rows.iter().any(|row| Some(column.value(row)) != first)
        })
        .collect()
}

/// Where one layout stands among those that fit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Standing {
    /// Place from 1 by step time; `None` when the layout is not among those that fit.
    pub place: Option<usize>,
    /// Layouts that fit.
    pub feasible: usize,
    /// The fastest layout that fits.
    pub best: Candidate,
    /// How much faster the fastest is than the given step, as a share of the given step.
    pub gain: f64,
}

/// Where a plan with that step time stands; `None` while no row fits.
pub fn standing(rows: &[Candidate], plan: &Plan, step_s: f64) -> Option<Standing> {
    let fitting = || rows.iter().filter(|row| row.fits);
    let best = *fitting().min_by(|a, b| compare(a.step.0, b.step.0))?;
    let current = fitting().find(|row| row.plan == *plan);
    Some(Standing {
        place: current.map(|row| 1 + fitting().filter(|other| other.step < row.step).count()),
        feasible: fitting().count(),
        best,
        gain: 1.0 - best.step.0 / step_s,
    })
}

/// The rows as CSV, with the columns' keys as header and their values in the columns' units, and the ends of
/// the 90 % interval. `scenario` is the job whose layouts they are.
pub fn to_csv(rows: &[Candidate], order: &[usize], scenario: &Scenario) -> String {
    let mut text = String::new();
    for column in Column::ALL {
        text.push_str(column.key());
        match column.unit() {
            "" | "/GPU" => {}
            "%" => text.push_str("_percent"),
            unit => {
                text.push('_');
                text.push_str(&unit.to_ascii_lowercase());
            }
        }
        text.push(',');
    }
    text.push_str("low_s,high_s,fits\n");
    for row in order.iter().filter_map(|index| rows.get(*index)) {
        for column in Column::ALL {
            text.push_str(&column.text(row).replace(',', ""));
            text.push(',');
        }
        let (low, high) =
            Predictor::SHIPPED.interval_ends(&Scenario { plan: row.plan, ..*scenario }, row.step);
        for end in [low, high] {
            text.push_str(&number::significant(end.0, 4).replace(',', ""));
            text.push(',');
        }
        text.push_str(if row.fits { "1\n" } else { "0\n" });
    }
    text
}

fn compare(a: f64, b: f64) -> Ordering {
    a.partial_cmp(&b).unwrap_or(Ordering::Equal)
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::document::Document;
    use crate::scenario::plan::Zero;
    use crate::units::{Bytes, Seconds};

    /// A layout with that tensor-parallel degree and step time.
    pub(in crate::page_state) fn candidate(tensor_parallel: u32, step_s: f64, fits: bool) -> Candidate {
        Candidate {
            plan: Plan {
                tensor_parallel,
                sequence_parallel: tensor_parallel > 1,
                pipeline_parallel: 2,
                zero: Zero::Optimizer,
                ..Plan::PLAIN
            },
            number: tensor_parallel as usize,
            data_parallel: 4,
            micro_batches: 8,
            step: Seconds(step_s),
            mfu: 0.4 / step_s,
            tokens_per_s_per_gpu: 1000.0 / step_s,
            communication_share: 0.1,
            bubble_share: 0.05,
            peak_memory: Bytes::from_gib(if fits { 60.0 } else { 100.0 }),
            room: if fits { 0.2 } else { -0.3 },
            fits,
        }
    }

    fn rows() -> Vec<Candidate> {
        vec![
            candidate(1, 3.0, true),
            candidate(2, 1.0, true),
            candidate(4, 0.5, false),
            candidate(8, 2.0, true),
        ]
    }

    #[test]
    fn the_fastest_that_fits_comes_first() {
        assert_eq!(Query::default().arrange(&rows()), [1, 3, 0]);
        let all = Query { infeasible: true, ..Query::default() };
        assert_eq!(all.arrange(&rows()), [2, 1, 3, 0]);
        let by_memory = Query { sort: Column::Memory, descending: true, ..all };
        assert_eq!(by_memory.arrange(&rows()), [2, 1, 3, 0], "equal ones by step time");
        let unfit = Query { filter: Filter::parse("!fits").expect("legal"), ..Query::default() };
        assert_eq!(unfit.arrange(&rows()), [2]);
    }

    #[test]
    fn a_plan_knows_its_place() {
        let standing = standing(&rows(), &candidate(8, 2.0, true).plan, 2.0).expect("rows that fit");
        assert_eq!((standing.place, standing.feasible), (Some(2), 3));
        assert!((standing.gain - 0.5).abs() < 1e-12);
        let mut other = candidate(8, 2.0, true).plan;
        other.micro_batch = 7;
        assert_eq!(super::standing(&rows(), &other, 2.0).expect("rows that fit").place, None);
        assert_eq!(super::standing(&[candidate(4, 0.5, false)], &other, 2.0), None);
    }

    #[test]
    fn columns_that_say_nothing_are_left_out() {
        let shown = columns(&rows());
        assert!(shown.contains(&Column::Sequence) && !shown.contains(&Column::Context));
        assert!(!columns(&[candidate(2, 1.0, true)]).contains(&Column::Sequence));
    }

    #[test]
    fn csv_has_one_line_per_row_and_no_grouping() {
        let scenario = Document::default().scenario().expect("possible");
        let csv = to_csv(&[candidate(2, 0.01, true)], &[0, 9], &scenario);
        let lines: Vec<_> = csv.lines().collect();
        assert_eq!(lines.len(), 2);
        assert!(lines[0].starts_with("step_s,mfu_percent,mem_gib,tp,"), "{}", lines[0]);
        assert_eq!(lines[0].split(',').count(), lines[1].split(',').count());
        let cells: Vec<f64> = lines[1].split(',').filter_map(|cell| cell.parse().ok()).collect();
        let [.., low, high, fits] = cells.as_slice() else { panic!("{}", lines[1]) };
        assert!(*low < 0.01 && 0.01 < *high && *fits == 1.0, "{}", lines[1]);
        assert!(lines[1].starts_with("0.01000,4000.0,60.0,2,"), "{}", lines[1]);
    }
}
