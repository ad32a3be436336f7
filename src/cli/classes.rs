//! `stepcast validate --by-class`: how good forecasts are, by class of job.

use crate::text::{self, CellAlign, percent};
use crate::{Failure, json, runs};
use std::path::{Path, PathBuf};
use stepcast::forecast::{Predictor, SoftwareEvidence};
use stepcast::validate::{
    ClassAccuracy, ClassErrors, ClassReport, JobClass, Widths, by_class, by_look, interval_widths,
};

/// The table of classes of the runs of all files, or the half-widths of intervals by class.
pub(crate) fn classes(
    file: &Path,
    others: &[PathBuf],
    widths: bool,
    as_json: bool,
) -> Result<String, Failure> {
    let files = [file].into_iter().chain(others.iter().map(PathBuf::as_path));
    let mut all = files.map(runs::read).collect::<Result<Vec<_>, _>>()?;
    if widths {
        let hybrids = all.split_off(1).concat();
        return Ok(interval_widths(&Predictor::SHIPPED, &all.concat(), &hybrids));
    }
    let all = all.concat();
    let table = by_class(&Predictor::SHIPPED, &all);
    if as_json { json(&table) } else { Ok(print(&table)) }
}

/// The table of sets of runs.
pub(crate) fn looks(path: &Path, as_json: bool) -> Result<String, Failure> {
    let looks = by_look(&Predictor::SHIPPED, &runs::read(path)?);
    if as_json {
        return json(&looks);
    }
    let head = ["look", "runs", "names", "error, first", "held, first", "error, first, stated", "error, now"];
    let mut rows = vec![head.map(str::to_owned).to_vec()];
    rows.extend(looks.into_iter().map(|look| {
        let [first, held] = figures(look.first.as_ref());
        let [stated, _] = figures(look.first_stated.as_ref());
        let [now, _] = figures(Some(&look.now));
        let [runs, names] = [look.now.n, look.now.sources].map(|count| count.to_string());
        vec![look.look, runs, names, first, held, stated, now]
    }));
    let mut align = [CellAlign::Right; 7];
    align[0] = CellAlign::Left;
    Ok(text::markdown(&rows, &align))
}

/// Markdown tables: errors, a line for each class and one for all; widths, the same; and widths by utilisation.
fn print(report: &ClassReport) -> String {
    let of_class = report
        .classes
        .iter()
        .map(|line| (line.class.map_or(["all", "", ""], words).map(str::to_owned).to_vec(), &line.widths));
    let of_band = report.utilisation.iter().scan(None, |from, band| {
        let name = match (*from, band.below) {
            (None, Some(below)) => format!("below {below}"),
            (Some(from), Some(below)) => format!("{from} to {below}"),
            (from, None) => format!("from {} on", from.unwrap_or(0.0)),
        };
        *from = band.below;
        Some((vec![name], &band.widths))
    });
    let named = |line: &ClassAccuracy| line.class.map_or(["all", "", ""], words);
    let lines = report.classes.iter().map(|line| (named(line), line));
    let errors = errors(lines.chain([(["layout and network stated", "", ""], &report.stated)]));
    let by_class = widths(&["model", "software", "GPUs"], of_class);
    let by_utilisation = widths(&["HFU, dense"], of_band);
    format!("{errors}\n{by_class}\n{by_utilisation}")
}

/// Half-widths and what they hold.
fn widths<'a>(names: &[&str], lines: impl Iterator<Item = (Vec<String>, &'a Widths)>) -> String {
    let head = ["runs", "sources", "half-width", "9 of 10, first", "now", "held, first", "now"];
    let mut rows = vec![names.iter().chain(&head).map(|word| (*word).to_owned()).collect::<Vec<String>>()];
    let width = |value: Option<f64>| value.map_or_else(|| "-".to_owned(), |value| format!("{value:.2}"));
    let held =
        |share: Option<f64>| share.map_or_else(|| "-".to_owned(), |share| format!("{:.0} %", share * 100.0));
    rows.extend(lines.map(|(name, widths)| {
        let figures = [
            widths.n.to_string(),
            widths.sources.to_string(),
            width(Some(widths.half_width)),
            width(widths.nine_of_ten_first),
            width(Some(widths.nine_of_ten_now)),
            held(widths.held_first),
            held(Some(widths.held_now)),
        ];
        name.into_iter().chain(figures).collect()
    }));
    let mut align = vec![CellAlign::Right; names.len() + head.len()];
    align[..names.len()].fill(CellAlign::Left);
    text::markdown(&rows, &align)
}

/// How far off forecasts are.
fn errors<'a>(lines: impl Iterator<Item = ([&'static str; 3], &'a ClassAccuracy)>) -> String {
    let head = ["model", "software", "GPUs", "runs", "sources", "first look", "held", "now", "held"];
    let mut rows = vec![head.map(str::to_owned).to_vec()];
    rows.extend(lines.map(|(name, line)| {
        let [first, first_held] = figures(line.first.as_ref());
        let [now, held] = figures(Some(&line.now));
        let counts = [line.now.n.to_string(), line.now.sources.to_string()];
        name.map(str::to_owned).into_iter().chain(counts).chain([first, first_held, now, held]).collect()
    }));
    let mut align = [CellAlign::Right; 9];
    align[..3].fill(CellAlign::Left);
    text::markdown(&rows, &align)
}

const fn words(class: JobClass) -> [&'static str; 3] {
    let software = match class.software {
        SoftwareEvidence::Measured => "measured",
        SoftwareEvidence::Named => "named",
        SoftwareEvidence::KindAlone => "kind alone",
    };
    [
        if class.experts { "experts" } else { "dense" },
        software,
        if class.new_gpus { "hardly" } else { "measured" },
    ]
}

fn figures(errors: Option<&ClassErrors>) -> [String; 2] {
    errors.map_or_else(
        || ["-".to_owned(), "-".to_owned()],
        |errors| [percent(errors.mean_of_medians), format!("{:.0} %", errors.coverage_90 * 100.0)],
    )
}
