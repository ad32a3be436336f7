//! Measured runs and peaks in the page's format: one line each, with the link of its job.
//!
//! A line is `run`, id, source, stack, GPU, model, job, measured seconds, `drop` or nothing, link; or `peak`,
//! id, measured GiB, link; with tabs between. A job is a number: equal for layouts of the same job. The last line is `end`
//! with the numbers of runs and peaks before it, so that a file that was cut is known.

use super::{Counter, MeasuredRun, Peak};
use crate::decimal;
use crate::document::Document;
use crate::error::FieldError;
use crate::fields::{FIELDS, Field};
use crate::scenario::Scenario;
use crate::scenario::cluster::presets::CLUSTERS;
use std::collections::BTreeMap;

/// Prefix of a run's line.
const RUN: &str = "run";
/// Prefix of a peak's line.
const PEAK: &str = "peak";
/// Prefix of the last line.
const END: &str = "end";
/// Marks a run that is left out of the statistics.
const DROPPED: &str = "drop";

/// Cells of the longest line.
const MOST_CELLS: usize = 10;

/// A line that cannot be read.
const DAMAGED: &str = "A line of the measured runs is not readable.";
/// A truncated file.
const CUT: &str = "The file of measured runs is empty or truncated.";

/// Measured runs with their links, and measured peaks.
#[derive(Debug, Clone, Default)]
pub struct Published {
    /// Runs, each with the link of its job, `#` included.
    pub runs: Vec<(MeasuredRun, String)>,
    /// Peaks, each with the link of its job.
    pub peaks: Vec<(Peak, String)>,
    /// Whether the last line was read.
    ended: bool,
}

/// The lines of runs and peaks. Those without a scenario are left out.
pub fn write(runs: &[MeasuredRun], peaks: &[Peak]) -> String {
    let mut jobs: BTreeMap<&str, usize> = BTreeMap::new();
    let mut text = String::new();
    let (mut written_runs, mut written_peaks) = (0_usize, 0_usize);
    let mut line = |cells: &[&str]| {
        text.push_str(&cells.join("\t").replace('\n', " "));
        text.push('\n');
    };
    for run in runs {
        let Ok(scenario) = &run.scenario else { continue };
        let next = jobs.len();
        let job = *jobs.entry(&run.job).or_insert(next);
        line(&[
            RUN,
            &run.id,
            &run.source,
            &run.stack,
            &run.gpu,
            &run.model,
            &job.to_string(),
            &run.measured_s.to_string(),
            if run.dropped { DROPPED } else { "" },
            link(scenario).trim_start_matches('#'),
        ]);
        written_runs += 1;
    }
    for peak in peaks {
        let Ok(scenario) = &peak.scenario else { continue };
        let link = link(scenario);
        line(&[PEAK, &peak.id, &peak.measured_gib.to_string(), link.trim_start_matches('#')]);
        written_peaks += 1;
    }
    line(&[END, &written_runs.to_string(), &written_peaks.to_string()]);
    text
}

/// Reads what [`write()`] wrote.
///
/// # Errors
/// A malformed line, and a file that is empty or truncated.
pub fn read(text: &str) -> Result<Published, FieldError> {
    let mut published = Published::default();
    text.lines().try_for_each(|line| published.push(line))?;
    published.whole()
}

impl Published {
    /// Reads one more line. A job that is impossible on the form is kept, with the reason.
    ///
    /// # Errors
    /// A malformed line.
    pub fn push(&mut self, line: &str) -> Result<(), FieldError> {
        let damaged = || FieldError::new(RUN, DAMAGED);
        let cells: Vec<&str> = line.splitn(MOST_CELLS + 1, '\t').collect();
        match *cells.as_slice() {
            _ if self.ended => return Err(damaged()),
            [END, runs, peaks] => {
                self.ended = [(runs, self.runs.len()), (peaks, self.peaks.len())]
                    .into_iter()
                    .all(|(written, read)| written.parse() == Ok(read));
                return if self.ended { Ok(()) } else { Err(FieldError::new(RUN, CUT)) };
            }
            [RUN, id, source, stack, gpu, model, job, measured, dropped, link] => {
                let run = MeasuredRun {
                    id: id.to_owned(),
                    source: source.to_owned(),
                    look: String::new(),
                    stack: stack.to_owned(),
                    gpu: gpu.to_owned(),
                    model: model.to_owned(),
                    family: super::defaults::family(model),
                    job: job.to_owned(),
                    measured_s: decimal::parse(measured).ok_or_else(damaged)?,
                    first: None,
                    assumed: Vec::new(),
                    dropped: dropped == DROPPED,
                    doubted: false,
                    scenario: scenario(link),
                };
                self.runs.push((run, format!("#{link}")));
            }
            [PEAK, id, measured, link] => {
                let measured_gib = decimal::parse(measured).ok_or_else(damaged)?;
                let peak = Peak {
                    id: id.to_owned(),
                    source: String::new(),
                    measured_gib,
                    counter: Counter::Allocated,
                    scenario: scenario(link),
                };
                self.peaks.push((peak, format!("#{link}")));
            }
            _ => return Err(damaged()),
        }
        Ok(())
    }

    /// The result, once every line has been read.
    ///
    /// # Errors
    /// An empty or truncated file.
    pub fn whole(self) -> Result<Self, FieldError> {
        if self.ended && !self.runs.is_empty() { Ok(self) } else { Err(FieldError::new(RUN, CUT)) }
    }
}

fn scenario(link: &str) -> Result<Scenario, String> {
    super::linked::job(link, "").map(|read| read.0)
}

/// The shortest link that opens a job on the form, machines named by a preset where one has its GPU.
fn link(scenario: &Scenario) -> String {
    let plain = with_suggestions(Document::from_scenario(scenario));
    let machines = CLUSTERS.iter().filter(|preset| preset.cluster.gpu == scenario.cluster.gpu);
    let named = machines.map(|preset| {
        let mut document = plain.clone();
        document.set("g", preset.name);
        let set = |field: &&Field| !["m", "g"].contains(&field.key) && plain.is_set(field.key);
        for field in FIELDS.iter().filter(set) {
            document.set(field.key, plain.text(field.key));
        }
        document.to_link()
    });
    named.chain([plain.to_link()]).min_by_key(String::len).unwrap_or_default()
}

/// The document with the nearest legal values for degrees that the form refuses together: a few sources state
/// impossible layouts, such as more expert-parallel ranks than a stage has GPUs.
fn with_suggestions(mut document: Document) -> Document {
    /// One field's new value may make another's impossible.
    const ROUNDS: usize = 6;
    for _ in 0..ROUNDS {
        for error in document.scenario().err().into_iter().flatten() {
            if let Some(value) = error.suggestions.first() {
                document.set(error.field, value);
            }
        }
    }
    document
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_survive_the_file() {
        let mut scenario = Document::default().scenario().expect("possible");
        scenario.cluster.network.leaf_nodes = 1 << 20;
        let run = MeasuredRun {
            id: "one-1".to_owned(),
            source: "one".to_owned(),
            look: String::new(),
            stack: "nemo".to_owned(),
            gpu: "h100-80g".to_owned(),
            model: "Llama3 70B".to_owned(),
            family: "llama".to_owned(),
            job: "one nemo Llama3 70B".to_owned(),
            measured_s: 12.25,
            first: None,
            assumed: Vec::new(),
            dropped: true,
            doubted: false,
            scenario: Ok(scenario),
        };
        let lost = MeasuredRun { scenario: Err("unknown GPU".to_owned()), ..run.clone() };
        let peak = Peak {
            source: String::new(),
            id: "peak-1".to_owned(),
            measured_gib: 60.5,
            counter: Counter::Allocated,
            scenario: Ok(scenario),
        };
        let text = write(&[run.clone(), lost], &[peak]);
        assert_eq!(text.lines().count(), 3);
        let lines: Vec<&str> = text.lines().collect();
        for cut in [vec![], lines[..2].to_vec(), vec![lines[0], lines[2]], vec![lines[1], lines[2]]] {
            assert!(read(&cut.join("\n")).is_err_and(|error| error.message == CUT), "{cut:?}");
        }
        let Published { runs, peaks, .. } = read(&text).expect("as written");
        let [(read, link)] = runs.as_slice() else { panic!("{runs:?}") };
        assert_eq!(
            (&read.id, &read.model, read.measured_s, read.dropped),
            (&run.id, &run.model, 12.25, true)
        );
        assert!(link.starts_with("#2;m=llama3-70b;g=dgx-h100;n=512;leaf=1048576"), "{link}");
        assert_eq!(read.scenario.as_ref().map(|scenario| scenario.cluster.network.leaf_nodes), Ok(1_048_576));
        assert_eq!(peaks.len(), 1);
    }

    #[test]
    fn other_lines_are_refused() {
        for text in ["run\tx", "<!doctype html>", "peak\tx\tnot a number\t1", "end\t0\t0\npeak\tx\t1\t1"] {
            assert!(read(text).is_err_and(|error| error.message == DAMAGED), "{text}");
        }
    }
}
