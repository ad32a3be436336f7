//! Robust least squares: Levenberg-Marquardt on soft-L1 residuals with priors.

/// Residual above which errors count linearly.
const SOFT: f64 = 0.1;
/// Most iterations.
const ROUNDS: usize = 60;
/// Improvement of the loss at which the fit has converged.
const SETTLED: f64 = 1e-7;
/// Step of the numeric derivative, in units of the variable.
const NUDGE: f64 = 1e-5;
/// Weight of all priors together, in residuals: enough to determine a variable that the data do not.
const PRIOR_WEIGHT: f64 = 0.5;

/// Function to minimise.
pub(super) struct Objective<F> {
    /// Start, centre and spread of every variable.
    pub(super) priors: Vec<(f64, f64)>,
    /// Appends the residuals at a point.
    pub(super) residuals: F,
}

/// The variables with the least loss.
pub(super) fn minimise<F: Fn(&[f64], &mut Vec<f64>)>(problem: &Objective<F>) -> Vec<f64> {
    let count = problem.priors.len();
    let mut at: Vec<f64> = problem.priors.iter().map(|prior| prior.0).collect();
    let mut residuals = Vec::new();
    (problem.residuals)(&at, &mut residuals);
    let mut lowest = loss(problem, &at, &residuals);
    let mut damping = 1e-2;
    let mut nudged: Vec<Vec<f64>> = vec![Vec::new(); count];
    for _ in 0..ROUNDS {
        for (variable, column) in nudged.iter_mut().enumerate() {
            let mut there = at.clone();
            if let Some(value) = there.get_mut(variable) {
                *value += NUDGE;
            }
            column.clear();
            (problem.residuals)(&there, column);
        }
        let (normal, gradient) = normal_equations(problem, &at, &residuals, &nudged);
        let mut improved = false;
        while damping < 1e8 {
            let mut damped = normal.clone();
            for (index, row) in damped.iter_mut().enumerate() {
                if let Some(diagonal) = row.get_mut(index) {
                    *diagonal *= 1.0 + damping;
                }
            }
            let step = solve(damped, gradient.clone());
            let there: Vec<f64> =
                at.iter().zip(&step).map(|(value, step)| value - step.clamp(-2.0, 2.0)).collect();
            let mut new = Vec::with_capacity(residuals.len());
            (problem.residuals)(&there, &mut new);
            let reached = loss(problem, &there, &new);
            if reached < lowest {
                improved = lowest - reached > SETTLED * lowest;
                (at, residuals, lowest) = (there, new, reached);
                damping = (damping * 0.2).max(1e-9);
                break;
            }
            damping *= 6.0;
        }
        if !improved {
            break;
        }
    }
    at
}

/// Sum of `2 (sqrt(1 + (r/s)^2) - 1)`, and the priors.
fn loss<F>(problem: &Objective<F>, at: &[f64], residuals: &[f64]) -> f64 {
    let data: f64 = residuals
        .iter()
        .map(|residual| {
            let scaled = residual / SOFT;
            2.0 * ((1.0 + scaled * scaled).sqrt() - 1.0)
        })
        .sum();
    let priors: f64 = problem
        .priors
        .iter()
        .zip(at)
        .map(|((centre, spread), value)| {
            let off = (value - centre) / spread;
            PRIOR_WEIGHT * off * off
        })
        .sum();
    if data.is_finite() { data + priors } else { f64::INFINITY }
}

/// `J^T W J` and `J^T W r` with the weights of the soft loss, priors included.
fn normal_equations<F>(
    problem: &Objective<F>,
    at: &[f64],
    residuals: &[f64],
    nudged: &[Vec<f64>],
) -> (Vec<Vec<f64>>, Vec<f64>) {
    let count = at.len();
    let mut normal = vec![vec![0.0; count]; count];
    let mut gradient = vec![0.0; count];
    let mut slopes = vec![0.0; count];
    for (index, residual) in residuals.iter().enumerate() {
        let scaled = residual / SOFT;
        let weight = 1.0 / (SOFT * SOFT * (1.0 + scaled * scaled).sqrt());
        for (slope, column) in slopes.iter_mut().zip(nudged) {
            *slope = (column.get(index).copied().unwrap_or(*residual) - residual) / NUDGE;
        }
        for ((row, gradient), slope) in normal.iter_mut().zip(&mut gradient).zip(&slopes) {
            *gradient += weight * slope * residual;
            for (cell, other) in row.iter_mut().zip(&slopes) {
                *cell += weight * slope * other;
            }
        }
    }
    for (index, ((centre, spread), value)) in problem.priors.iter().zip(at).enumerate() {
        let weight = PRIOR_WEIGHT / (spread * spread);
        if let (Some(cell), Some(gradient)) =
            (normal.get_mut(index).and_then(|row| row.get_mut(index)), gradient.get_mut(index))
        {
            *cell += weight;
            *gradient += weight * (value - centre);
        }
    }
    (normal, gradient)
}

/// Solves a small symmetric system by elimination with pivoting; zeros if it is singular.
fn solve(mut matrix: Vec<Vec<f64>>, mut right: Vec<f64>) -> Vec<f64> {
    let count = right.len();
    for column in 0..count {
        let magnitude =
            |row: &usize| matrix.get(*row).and_then(|row| row.get(column)).map_or(0.0, |v| v.abs());
        let pivot = (column..count).max_by(|a, b| magnitude(a).total_cmp(&magnitude(b))).unwrap_or(column);
        if magnitude(&pivot) <= f64::MIN_POSITIVE {
            return vec![0.0; count];
        }
        matrix.swap(column, pivot);
        right.swap(column, pivot);
        let (upper, lower) = matrix.split_at_mut(column + 1);
        let Some(leading) = upper.last() else { continue };
        let (head, tail) = right.split_at_mut(column + 1);
        for (row, value) in lower.iter_mut().zip(tail) {
            let factor =
                row.get(column).copied().unwrap_or(0.0) / leading.get(column).copied().unwrap_or(1.0);
            for (cell, above) in row.iter_mut().zip(leading) {
                *cell -= factor * above;
            }
            *value -= factor * head.last().copied().unwrap_or(0.0);
        }
    }
    let mut solution = vec![0.0; count];
    for row in (0..count).rev() {
        let Some(cells) = matrix.get(row) else { continue };
        let known: f64 = cells.iter().zip(&solution).skip(row + 1).map(|(cell, value)| cell * value).sum();
        let value = (right.get(row).copied().unwrap_or(0.0) - known) / cells.get(row).copied().unwrap_or(1.0);
        if let Some(slot) = solution.get_mut(row) {
            *slot = value;
        }
    }
    solution
}

#[cfg(test)]
mod tests {
    use super::{Objective, minimise, solve};

    #[test]
    fn a_system_is_solved() {
        let solution = solve(vec![vec![0.0, 2.0], vec![3.0, 1.0]], vec![4.0, 5.0]);
        assert!((solution[0] - 1.0).abs() < 1e-12 && (solution[1] - 2.0).abs() < 1e-12);
    }

    #[test]
    fn a_line_is_found_among_outliers() {
        let points: Vec<(f64, f64)> = (0..100)
            .map(|i| {
                let x = f64::from(i) / 10.0;
                (x, 2.0 + 0.5 * x + if i % 10 == 3 { 40.0 } else { 0.0 })
            })
            .collect();
        let problem = Objective {
            priors: vec![(0.0, 100.0), (0.0, 100.0)],
            residuals: |at: &[f64], out: &mut Vec<f64>| {
                out.extend(points.iter().map(|(x, y)| at[0] + at[1] * x - y));
            },
        };
        let line = minimise(&problem);
        assert!((line[0] - 2.0).abs() < 0.02 && (line[1] - 0.5).abs() < 0.02, "{line:?}");
    }
}
