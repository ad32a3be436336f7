//! Learned operators on the page: shipped profiles by name, files of samples as they come, words for what times
//! rest on, and what the training worker hands back.

use crate::constants::Constants;
use crate::document::Document;
use crate::error::FieldError;
use crate::forecast::{Prediction, Predictor};
use crate::learned::{
    Corrections, Direction, LearnedStep, ModelPart, OperatorTime, Point, Profile, Provenance, Regressor,
    RowProblem, SampleSet, SampledOperator, TrainingOutcome, is_nccl_tests, read, read_nccl_tests,
};
use crate::number;
use crate::scenario::Scenario;
use crate::scenario::cluster::presets::{CLUSTERS, find};
use serde::{Deserialize, Serialize};

/// The shipped profiles and what they were learned from.
pub const PROFILES: [(&str, &str); 7] = [
    ("perlmutter", "Perlmutter (A100): whole steps"),
    ("vista", "Vista (GH200): whole steps"),
    ("a100", "A100: GEMMs and collectives"),
    ("h100", "H100: GEMMs, attention and collectives"),
    ("h200", "H200: GEMMs and collectives"),
    ("b200", "B200: GEMMs, attention and collectives"),
    ("gb200", "GB200: GEMMs and collectives"),
];

/// The shipped profile that fits a document's machine best, by the name of either; empty for none.
pub fn fitting(document: &Document) -> &'static str {
    let machine = document.text("g");
    // The longest name, so that gb200 is not taken for b200.
    let known = PROFILES.iter().map(|profile| profile.0).filter(|name| machine.contains(name));
    known.max_by_key(|name| name.len()).unwrap_or_default()
}

/// The machine of a document, if it is a published one.
pub fn machine(document: &Document) -> &'static str {
    let name = document.text("g");
    CLUSTERS.iter().find(|preset| preset.name == name).map_or("dgx-h100", |preset| preset.name)
}

/// The detailed forecast with a profile's times of products, attention and collectives.
///
/// # Errors
/// What makes the scenario impossible.
pub fn forecast(scenario: &Scenario, profile: &Profile) -> Result<Prediction, Vec<FieldError>> {
    let constants = &Constants::SHIPPED;
    Predictor::new(constants).with_learned(&Corrections::new(profile, scenario, constants)).predict(scenario)
}

/// The GPU that the samples of a profile were taken on, where a scenario's is another one.
pub fn foreign(scenario: &Scenario, profile: &Profile) -> Option<&'static str> {
    let preset = find(&profile.machine)?;
    (preset.cluster.gpu != scenario.cluster.gpu).then_some(preset.label)
}

/// Shares of a layer's time by what they rest on: measured, extrapolated, default.
pub fn shares_by_provenance(step: &LearnedStep) -> [(Provenance, f64); 3] {
    let weight = |row: &OperatorTime| row.times * row.time.0;
    let in_layers = || step.operators.iter().filter(|row| row.place == Some(ModelPart::Layer));
    let all: f64 = in_layers().map(weight).sum();
    [Provenance::Measured, Provenance::Extrapolated, Provenance::Default].map(|provenance| {
        let share: f64 = in_layers().filter(|row| row.provenance == provenance).map(weight).sum();
        (provenance, share / all.max(f64::MIN_POSITIVE))
    })
}

/// A file that the reader gave.
#[derive(Debug, Clone, PartialEq)]
pub struct GivenFile {
    /// Name of the file.
    pub name: String,
    /// The sets in it.
    pub sets: Vec<SampleSet>,
    /// Rows that cannot be read, or why the whole file cannot.
    pub problems: Vec<RowProblem>,
}

impl GivenFile {
    /// Reads samples or what nccl-tests printed, whichever it is.
    pub fn read(name: &str, text: &str) -> Self {
        let result = if is_nccl_tests(text) {
            read_nccl_tests(name, text).map(|(set, problems)| (vec![set], problems))
        } else {
            read(name, text).map(|file| (file.sets, file.problems))
        };
        let (sets, problems) = result.unwrap_or_else(|problem| (Vec::new(), vec![problem]));
        Self { name: name.to_owned(), sets, problems }
    }

    /// What is in it: `linear1 forward, backward: 1,755 samples`.
    pub fn content(&self) -> String {
        let sets = self.sets.iter().map(|set| {
            let pass = pass(set.direction);
            let gap = if pass.is_empty() { "" } else { " " };
            format!("{}{gap}{pass}: {} samples", set.name, number::integer(set.samples.len() as u64))
        });
        let sets: Vec<String> = sets.collect();
        if sets.is_empty() { "no readable data".to_owned() } else { sets.join(", ") }
    }
}

/// A row that cannot be read, as a sentence with its place.
pub fn complaint(file: &str, problem: &RowProblem) -> String {
    let column =
        if problem.column.is_empty() { String::new() } else { format!(", column {}", problem.column) };
    format!("{file}, line {}{column}: {}", problem.line, problem.message)
}

/// What a training made, as the worker hands it over.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Trained {
    /// What was learned.
    pub profile: Profile,
    /// How every set went.
    pub outcomes: Vec<TrainingOutcome>,
}

impl Trained {
    /// Writes it.
    pub fn to_bytes(&self) -> Vec<u8> {
        // Writing to memory what has no unsized parts cannot fail.
        postcard::to_allocvec(self).unwrap_or_default()
    }

    /// Reads what [`Trained::to_bytes`] wrote.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        postcard::from_bytes(bytes).ok()
    }
}

/// Range of a chart that holds every measured and forecast time, a little wider; seconds.
pub fn range(points: &[Point]) -> (f64, f64) {
    let times =
        || points.iter().flat_map(|point| [point.measured_s, point.predicted_s]).filter(|time| *time > 0.0);
    let (low, high) = (times().fold(f64::INFINITY, f64::min), times().fold(0.0, f64::max));
    if low < high { (low / 1.2, high * 1.2) } else { (1e-6, 1.0) }
}

/// The points with the largest errors, worst first, up to a limit.
pub fn furthest(points: &[Point], most: usize) -> Vec<Point> {
    let off = |point: &Point| (point.predicted_s / point.measured_s).ln().abs();
    let mut points = points.to_vec();
    points.sort_by(|one, other| off(other).total_cmp(&off(one)));
    points.truncate(most);
    points
}

/// Name of a set that was trained: `gemm forward`, `allreduce between nodes`.
pub fn set_name(outcome: &TrainingOutcome) -> String {
    let name = outcome.operator.file().replace('_', " ");
    match outcome.direction {
        Direction::Whole if outcome.across => format!("{name} between nodes"),
        Direction::Whole => name,
        direction => format!("{name} {}", pass(direction)),
    }
}

/// A regressor in a word or two.
pub fn regressor(regressor: Regressor) -> &'static str {
    match regressor {
        Regressor::Forest => "forest",
        Regressor::Boosted => "boosted trees",
        Regressor::Physics => "physics",
        Regressor::Hybrid => "hybrid",
    }
}

/// A pass in a word; empty for operators that have but one.
pub fn pass(direction: Direction) -> &'static str {
    match direction {
        Direction::Forward => "forward",
        Direction::Backward => "backward",
        Direction::Whole => "",
    }
}

/// Where an operator runs.
pub fn place(place: Option<ModelPart>) -> &'static str {
    match place {
        Some(ModelPart::Layer) => "every layer",
        Some(ModelPart::First) => "first stage",
        Some(ModelPart::Last) => "last stage",
        None => "once",
    }
}

/// What a time rests on.
pub fn rests_on(provenance: Provenance) -> &'static str {
    match provenance {
        Provenance::Measured => "measured range",
        Provenance::Extrapolated => "extrapolated",
        Provenance::Default => "default",
    }
}

/// Sizes of an operator with their names: `rows 4,096, inner 4,096, columns 12,288`.
pub fn sizes(operator: SampledOperator, sizes: &[f64]) -> String {
    let named = operator.sizes().iter().zip(sizes);
    let named: Vec<String> = named.map(|(name, size)| format!("{name} {}", plain(*size))).collect();
    named.join(", ")
}

/// A number that is mostly whole, without a fraction where it is.
pub fn plain(value: f64) -> String {
    number::fixed(value, if value.fract() == 0.0 { 0 } else { 1 })
}

/// Operators whose times do not come out of the measured range, each once, with what they rest on instead.
pub fn fallen_back(operators: &[OperatorTime]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for row in operators.iter().filter(|row| row.provenance != Provenance::Measured) {
        let pass = pass(row.direction);
        let gap = if pass.is_empty() { "" } else { " " };
        let name =
            format!("{}{gap}{pass} ({})", row.operator.file().replace('_', " "), rests_on(row.provenance));
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::learned::Trainer;
    use crate::scenario::cluster::presets::find;

    fn samples() -> String {
        let mut text = "mp,b,l,dim,F_dur(us)\n".to_owned();
        for hidden in 1..40 {
            let micros = 50.0 + f64::from(hidden * hidden) * 4.0;
            text.push_str(&format!("1,4,2048,{},{micros}\n", hidden * 256));
        }
        text
    }

    #[test]
    fn files_are_known_by_what_is_in_them() {
        let given = GivenFile::read("linear1.csv", &format!("{}1,2,x,512,10\n", samples()));
        assert_eq!(given.content(), "linear1 forward: 39 samples");
        assert_eq!(sizes(SampledOperator::Gemm, &[4096.0, 1.5, 2.0]), "rows 4,096, inner 1.5, columns 2");
        assert_eq!(
            complaint(&given.name, &given.problems[0]),
            "linear1.csv, line 41, column l: \"x\" is not a number."
        );
        let given = GivenFile::read("notes.csv", "a,b\n1,2\n");
        assert_eq!(given.content(), "no readable data");
        assert!(complaint("notes.csv", &given.problems[0]).contains("Unknown operator notes"));
    }

    #[test]
    fn what_was_trained_survives_the_way_from_the_worker() {
        let given = GivenFile::read("linear1.csv", &samples());
        let cluster = find("dgx-h100").expect("a preset").cluster;
        let (profile, outcomes) = Trainer::new(&given.sets, &cluster).finish("own", "one file", "dgx-h100");
        let trained = Trained { profile, outcomes };
        assert_eq!(trained.outcomes.len(), 1);
        let again = Trained::from_bytes(&trained.to_bytes()).expect("readable");
        assert_eq!(again.profile, trained.profile);
        assert_eq!(again.outcomes[0].points, trained.outcomes[0].points);
        assert!(Trained::from_bytes(&[1, 2, 3]).is_none());
    }

    #[test]
    fn a_machine_has_the_profile_of_its_name() {
        let mut document = Document::default();
        for (machine, profile) in [("dgx-h100", "h100"), ("perlmutter", "perlmutter"), ("nothing", "")] {
            document.set("g", machine);
            assert_eq!(fitting(&document), profile, "{machine}");
        }
    }
}
