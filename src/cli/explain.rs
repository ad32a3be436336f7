//! `stepcast explain`: where a step goes, why, and how sure that is, in words.

use crate::input::Input;
use crate::text::{self, CellAlign, duration, percent};
use crate::{Failure, json, sentences};
use stepcast::scripting::Explanation;

/// Operators that are listed of a part.
const OPERATORS: usize = 5;

/// Explains the forecast of a job.
pub(crate) fn explain(input: &Input, as_json: bool) -> Result<String, Failure> {
    let prediction = input.predictor().predict(&input.scenario).map_err(sentences)?;
    let found = Explanation::of(&input.document, &input.scenario, &prediction);
    if as_json {
        return json(&found);
    }
    let mut out = format!(
        "{}\n{} (90 %: {} to {}). {}\n{}\n{}\n\n",
        found.job,
        duration(found.step_s),
        duration(found.low_s),
        duration(found.high_s),
        found.bottleneck,
        found.memory,
        found.run
    );
    for part in &found.parts {
        out.push_str(&format!("{}: {}, {}\n", part.label, duration(part.time_s), percent(part.share)));
        let rows: Vec<Vec<String>> = part
            .operators
            .iter()
            .take(OPERATORS)
            .map(|row| vec![format!("  {}", row.name), duration(row.step_s), format!("  {}", row.shape)])
            .collect();
        out.push_str(&text::table(&rows, &[CellAlign::Left, CellAlign::Right, CellAlign::Left]));
    }
    for sentence in found.doubts.iter().chain(&found.untried).chain(&found.software) {
        out.push_str(&format!("{sentence}\n"));
    }
    out.push_str(&format!("{}\n", found.link));
    Ok(out)
}
