//! Accuracy of one job's forecast, in words: similar public runs, their forecast errors, the job's values that none of
//! them has, and what would narrow the interval.

use super::evidence::EVIDENCE;
use super::{Predictor, untried};
use crate::number;
use crate::scenario::Scenario;
use crate::scenario::cluster::GpuFamily;
use crate::scenario::model::MixerClass;
use crate::scenario::stack::Stack;
use serde::Serialize;

/// Public runs with the same software, GPU generation and kind of model.
#[derive(Debug)]
pub(super) struct Class {
    stack: Stack,
    /// First year of this behaviour of the software.
    since: u16,
    family: GpuFamily,
    /// Whether the models are mixtures of experts.
    experts: bool,
    /// What mixes their tokens besides attention.
    mixers: MixerClass,
    /// The runs by publication.
    runs: &'static [PublicationRuns],
}

/// Runs of one publication and class.
#[derive(Debug)]
pub(super) struct PublicationRuns {
    /// Name of the publication.
    source: &'static str,
    /// Whether constants were fitted to the runs.
    fitted: bool,
    runs: u32,
    /// Median of |forecast / measured - 1|, in thousandths: of the first forecast, made before anyone looked at the
    /// runs, if it is on record.
    thousandths: u16,
    /// GPUs of the largest run.
    most_gpus: u32,
    /// Tokens of the longest sequence.
    longest: u32,
}

/// One class of the table.
pub(super) const fn class(
    stack: Stack,
    since: u16,
    family: GpuFamily,
    experts: bool,
    mixers: MixerClass,
    runs: &'static [PublicationRuns],
) -> Class {
    Class { stack, since, family, experts, mixers, runs }
}

/// One row of a class.
pub(super) const fn row(
    source: &'static str,
    fitted: bool,
    runs: u32,
    thousandths: u16,
    most_gpus: u32,
    longest: u32,
) -> PublicationRuns {
    PublicationRuns { source, fitted, runs, thousandths, most_gpus, longest }
}

/// Common properties of a job and the most similar public runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Likeness {
    /// Software, generation of GPUs and kind of model, dense or mixture of experts.
    All,
    /// Software and kind of model, on other GPUs.
    Software,
    /// Generation of GPUs and kind of model, of other software that is launched alike.
    Launch,
    /// Kind of model alone; with other mixers than attention these, in dense models or mixtures of experts.
    Model,
}

/// Accuracy of the forecast of one job.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Sureness"))]
pub struct Confidence {
    /// Common properties of the job and these runs.
    pub likeness: Likeness,
    /// Public measured runs.
    pub runs: u32,
    /// Publications of these runs.
    pub sources: Vec<&'static str>,
    /// Publications among them that were used for fitting.
    pub fitted_sources: u32,
    /// Mean over publications of the median |forecast / measured - 1|.
    pub error: f64,
    /// Properties of the job outside these runs.
    pub untried: Vec<String>,
    /// Inputs that would narrow the range, most effective first.
    pub narrows: Vec<&'static str>,
    /// Summary in words.
    pub sentence: String,
}

impl Likeness {
    const NEAREST_FIRST: [Self; 4] = [Self::All, Self::Software, Self::Launch, Self::Model];

    fn holds(self, job: &Scenario, runs: &Class) -> bool {
        let profile = job.software.profile();
        let software = (job.software.stack, profile.since) == (runs.stack, runs.since);
        let launch = runs.stack.profile((runs.since, 1)).launch == profile.launch;
        let gpu = job.cluster.gpu.family == runs.family;
        let mixers = job.model.mixer_class();
        let experts = (job.model.experts.count > 0) == runs.experts;
        mixers == runs.mixers
            && match self {
                Self::All => experts && software && gpu,
                Self::Software => experts && software,
                Self::Launch => experts && launch && gpu,
                Self::Model => experts || mixers != MixerClass::Attention,
            }
    }

    /// Describes the runs of models with such mixers, after their number and "have".
    fn words(self, mixers: MixerClass) -> String {
        let (_, layers) = mixers.names();
        let model = match (mixers, self) {
            (MixerClass::Attention, _) => "model type".to_owned(),
            (_, Self::Model) => return format!("{layers}, on other software and GPU generations"),
            _ => format!("model type with {layers}"),
        };
        match self {
            Self::All => format!("the same software, GPU generation and {model}"),
            Self::Software => format!("the same software and {model}, on other GPU generations"),
            Self::Launch => format!("the same GPU generation and {model}, on other software"),
            Self::Model => format!("the same {model}, on other software and GPU generations"),
        }
    }
}

impl Predictor<'_> {
    /// How sure a forecast is.
    pub fn confidence(&self, scenario: &Scenario) -> Confidence {
        let (likeness, like) = nearest(scenario);
        let by_source = errors(&like);
        let sources: Vec<&'static str> = by_source.iter().map(|entry| entry.source).collect();
        let fitted_sources = by_source.iter().filter(|entry| entry.fitted).count() as u32;
        let error = by_source.iter().map(|entry| entry.sum / f64::from(entry.runs.max(1))).sum::<f64>()
            / by_source.len().max(1) as f64;
        let narrows = self.doubts(scenario).narrows();
        let mut found = Confidence {
            likeness,
            runs: like.iter().map(|runs| runs.runs).sum(),
            sources,
            fitted_sources,
            error,
            untried: beyond(scenario, likeness, &like),
            narrows,
            sentence: String::new(),
        };
        found.sentence = found.say(scenario.model.mixer_class());
        found
    }
}

/// The runs most similar to a job, and what they have in common.
fn nearest(scenario: &Scenario) -> (Likeness, Vec<&'static PublicationRuns>) {
    let like = |likeness: Likeness| -> Vec<&'static PublicationRuns> {
        let classes = EVIDENCE.iter().filter(|class| likeness.holds(scenario, class));
        classes.flat_map(|class| class.runs).collect()
    };
    let levels = Likeness::NEAREST_FIRST.into_iter().map(|likeness| (likeness, like(likeness)));
    levels.into_iter().find(|(_, runs)| !runs.is_empty()).unwrap_or((Likeness::Model, Vec::new()))
}

/// Compared runs of some classes, and their publications.
fn compared(of: impl Fn(&Class) -> bool) -> (u32, usize) {
    let runs: Vec<&PublicationRuns> =
        EVIDENCE.iter().filter(|class| of(class)).flat_map(|class| class.runs).collect();
    (runs.iter().map(|runs| runs.runs).sum(), errors(&runs).len())
}

/// A publication's runs and the sum of their errors.
struct OfSource {
    source: &'static str,
    fitted: bool,
    runs: u32,
    sum: f64,
}

/// Runs and errors by publication, in name order: publications have equal weight, whatever their size.
fn errors(like: &[&PublicationRuns]) -> Vec<OfSource> {
    let mut by_source: Vec<OfSource> = Vec::new();
    for runs in like {
        let sum = f64::from(runs.thousandths) / 1000.0 * f64::from(runs.runs);
        match by_source.binary_search_by(|entry| entry.source.cmp(runs.source)) {
            Ok(place) => {
                if let Some(entry) = by_source.get_mut(place) {
                    entry.runs += runs.runs;
                    entry.sum += sum;
                }
            }
            Err(place) => {
                let entry = OfSource { source: runs.source, fitted: runs.fitted, runs: runs.runs, sum };
                by_source.insert(place, entry);
            }
        }
    }
    by_source
}

/// The job's values outside the range of the nearest runs.
fn beyond(scenario: &Scenario, likeness: Likeness, like: &[&PublicationRuns]) -> Vec<String> {
    let most = |of: fn(&PublicationRuns) -> u32| like.iter().map(|runs| of(runs)).max().unwrap_or(0);
    let mut found = Vec::new();
    if matches!(likeness, Likeness::Launch | Likeness::Model) {
        found.push("this software with this model type".to_owned());
    }
    if matches!(likeness, Likeness::Software | Likeness::Model) {
        found.push("this GPU generation".to_owned());
    }
    let (gpus, longest) = (most(|runs| runs.most_gpus), most(|runs| runs.longest));
    if scenario.cluster.gpus > gpus {
        found.push(format!("more than {} GPUs", number::integer(gpus.into())));
    }
    if scenario.workload.sequence > longest {
        found.push(format!("sequences longer than {} tokens", number::integer(longest.into())));
    }
    // The number of GPUs is already in the sentence.
    let layout = untried(scenario).into_iter().filter(|field| field.field != "n");
    found.extend(layout.map(|field| field.sentence.trim_end_matches('.').to_owned()));
    found
}

impl Confidence {
    /// In words, of a model with such mixers.
    fn say(&self, mixers: MixerClass) -> String {
        let publications = self.sources.len();
        let error = number::fixed(100.0 * self.error, if self.error < 0.1 { 1 } else { 0 });
        let compared_runs = format!(
            "{} of the {} compared public runs {} {}",
            number::integer(self.runs.into()),
            number::integer(compared(|_| true).0.into()),
            if self.runs == 1 { "has" } else { "have" },
            self.likeness.words(mixers),
        );
        // The error of one publication says little.
        let mut out = if publications == 1 {
            format!("Only {compared_runs}, from one publication with an error of {error} %.")
        } else {
            format!("Mean error {error} % over {publications} publications: {compared_runs}.")
        };
        out += &match self.fitted_sources as usize {
            0 => " None of them was used for fitting.".to_owned(),
            fitted if fitted == publications => " All of them were used for fitting.".to_owned(),
            fitted => format!(" {fitted} of the publications were used for fitting."),
        };
        if mixers != MixerClass::Attention {
            let (runs, publications) = compared(|class| class.mixers == mixers);
            let (_, layers) = mixers.names();
            out += &format!(
                " Few public runs have {layers}: {} from {publications} publications.",
                number::integer(runs.into())
            );
        }
        for (head, parts) in
            [("Outside the measured runs: ", &self.untried), ("To narrow the range: ", &self.narrow_words())]
        {
            if !parts.is_empty() {
                out += &format!(" {head}{}.", parts.join("; "));
            }
        }
        out
    }

    fn narrow_words(&self) -> Vec<String> {
        self.narrows.iter().map(|part| (*part).to_owned()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::{Confidence, EVIDENCE, Likeness};
    use crate::document::Document;
    use crate::forecast::Predictor;

    fn confidence(edits: &[(&str, &str)]) -> Confidence {
        let mut document = Document::default();
        let fixed = "m=llama3-8b g=dgx-h100 n=64 tp=1 sp=0 pp=1 vpp=1 zero=0 rc=full";
        let fixed = fixed.split(' ').filter_map(|edit| edit.split_once('='));
        fixed.chain(edits.iter().copied()).for_each(|(key, text)| document.set(key, text));
        let scenario = document.scenario().expect("possible");
        Predictor::SHIPPED.confidence(&scenario)
    }

    /// The nearest runs of a hybrid are hybrids, however few; the sentence says how few.
    #[test]
    fn hybrids_are_compared_with_hybrids() {
        use crate::scenario::model::MixerClass;
        for (edits, mixers, likeness) in [
            (
                &[("m", "nemotron-3-nano"), ("g", "dgx-b200"), ("stack", "megatron-bridge")][..],
                MixerClass::Recurrent,
                Likeness::All,
            ),
            (
                &[("m", "nemotron-3-nano"), ("g", "mi300x"), ("stack", "nemo")],
                MixerClass::Recurrent,
                Likeness::Model,
            ),
            (
                &[
                    ("m", "deepseek-v3"),
                    ("lay", "s"),
                    ("sel", "2048"),
                    ("idxh", "64"),
                    ("idxd", "128"),
                    ("stack", "nemo"),
                ],
                MixerClass::Sparse,
                Likeness::Model,
            ),
        ] {
            let found = confidence(edits);
            let all = counted(|class| class.mixers == mixers);
            assert_eq!(found.likeness, likeness, "{edits:?}");
            assert!(found.runs <= all.0 && found.fitted_sources == 0, "{edits:?}");
            let few = format!(" {}: {} from {} publications.", mixers.names().1, all.0, all.1);
            assert!(found.sentence.contains(&few), "{}", found.sentence);
            assert!(!found.sources.contains(&"nemodocs"), "{:?}", found.sources);
        }
        let dense = confidence(&[("stack", "nemo")]);
        assert!(!dense.sentence.contains("Few public runs"), "{}", dense.sentence);
    }

    /// Runs and publications counted again, directly from the table.
    fn counted(like: impl Fn(&super::Class) -> bool) -> (u32, usize) {
        let rows: Vec<_> = EVIDENCE.iter().filter(|class| like(class)).flat_map(|class| class.runs).collect();
        let mut sources: Vec<&str> = rows.iter().map(|row| row.source).collect();
        sources.sort_unstable();
        sources.dedup();
        (rows.iter().map(|row| row.runs).sum(), sources.len())
    }

    #[test]
    fn the_nearest_runs_are_counted_by_publication() {
        use crate::scenario::cluster::GpuFamily;
        use crate::scenario::model::MixerClass;
        use crate::scenario::stack::Stack;
        let nemo = confidence(&[("stack", "nemo")]);
        let own = |class: &super::Class| {
            class.stack == Stack::Nemo && !class.experts && class.mixers == MixerClass::Attention
        };
        let (runs, sources) = counted(|class| own(class) && class.family == GpuFamily::Hopper);
        assert_eq!((nemo.likeness, nemo.runs, nemo.sources.len()), (Likeness::All, runs, sources));
        assert!(nemo.fitted_sources >= 3 && nemo.sources.contains(&"nemodocs"), "{:?}", nemo.sources);
        assert!(nemo.error > 0.0 && nemo.error < 0.2, "{}", nemo.error);
        // Same, on GPUs without runs of this stack.
        let elsewhere = confidence(&[("stack", "nemo"), ("g", "mi300x")]);
        assert_eq!((elsewhere.likeness, elsewhere.runs), (Likeness::Software, counted(own).0));
        assert!(elsewhere.untried.iter().any(|part| part.contains("GPU generation")));
    }

    #[test]
    fn what_was_not_tried_and_what_narrows_is_said() {
        let large = confidence(&[("stack", "nemo"), ("n", "32768"), ("gb", "32768")]);
        assert!(large.untried.iter().any(|part| part.starts_with("more than ")), "{:?}", large.untried);
        let small = confidence(&[("stack", "nemo")]);
        assert!(small.untried.iter().all(|part| !part.starts_with("more than ")), "{:?}", small.untried);
        let long = confidence(&[("stack", "nemo"), ("seq", "4194304"), ("gb", "64")]);
        assert!(long.untried.iter().any(|part| part.starts_with("sequences longer")), "{:?}", long.untried);
        let kind = confidence(&[("stack", "eager")]);
        assert!(
            kind.narrows.len() == 2 && kind.sentence.contains("select the framework"),
            "{}",
            kind.sentence
        );
        assert_eq!(small.narrows.len(), 1);
        for found in [large, long, kind, small] {
            let runs = |runs: u32| crate::number::integer(runs.into());
            let whole = format!(
                ": {} of the {} compared public runs ha",
                runs(found.runs),
                runs(counted(|_| true).0)
            );
            assert!(found.sentence.contains(&whole), "{}", found.sentence);
            assert!(found.untried.iter().all(|part| found.sentence.contains(part)), "{}", found.sentence);
        }
    }

    #[test]
    fn every_class_of_job_has_its_sentence() {
        use crate::scenario::stack::Stack;
        for (_, stack, _) in Stack::ALL {
            for machine in ["dgx-h100", "dgx-a100-80g", "mi300x"] {
                for model in ["llama3-8b", "mixtral-8x7b"] {
                    let edits = [("stack", stack), ("g", machine), ("m", model), ("n", "8"), ("rc", "full")];
                    let found = confidence(&edits);
                    assert!(
                        found.runs > 0 && !found.sources.is_empty() && found.error.is_finite(),
                        "{edits:?}"
                    );
                }
            }
        }
    }
}
