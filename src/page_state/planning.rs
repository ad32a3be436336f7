//! Questions about a job's layouts that take a search to answer, and the answers as texts and numbers, so that a worker can
//! work them out and the page draw them.

mod goal;
mod places;
mod spread;
mod told;

pub use places::{BOUND, EXTENT, MODE, MOST_MACHINES, WITH, machines, machines_with, request_on};
pub use spread::AMOUNTS;
pub use told::{PlanningAnswer, ToldAxis, ToldChart, ToldRow, ToldSeries, ToldTable};

use crate::calibrate::own::OwnCalibration;
use crate::document::Document;
use crate::error::FieldError;
use crate::fields::{FIELDS, Field};
use crate::forecast::{Predictor, untried};
use crate::number;
use crate::planned::{BEYOND, FREE, MARGIN, Searched};
use crate::scenario::Scenario;
use crate::summary;
use crate::tuner::{
    CONVENIENCE, Candidate, LayoutComparison, MORE_MEMORY, Options, Ranking, VARIED, compare, influences,
    rule_of_thumb, worth_of_memory,
};
use crate::units::Seconds;
use crate::your_runs::{self, RUNS, predictor_of};
use std::rc::Rc;

/// A question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Question {
    /// Why the recommended layout is faster than the reader's, and than the rule of thumb's.
    Why,
    /// What less or more of everything that the machine has would change.
    WhatIf,
    /// How long the steps of all layouts take.
    Histogram,
    /// Which layouts none beats in both of two amounts.
    Front,
    /// What the best layout is on fewer and on more GPUs, and on other machines, and what the run costs there.
    Gpus,
    /// How large the job can be made.
    Largest,
    /// How many GPUs meet the deadline, and what the budget buys.
    Goal,
}

impl Question {
    /// Every question: its name in the link, and what the reader sees of it.
    pub const ALL: [(Self, &'static str, &'static str); 7] = [
        (Self::Why, "", "Why this layout"),
        (Self::WhatIf, "what-if", "Sensitivity"),
        (Self::Histogram, "histogram", "Distribution of step times"),
        (Self::Front, "front", "Trade-offs"),
        (Self::Gpus, "gpus", "Choose GPU count and machine"),
        (Self::Largest, "largest", "Largest job that fits"),
        (Self::Goal, Self::GOAL, "Deadline and budget"),
    ];

    /// The name of [`Question::Goal`].
    pub const GOAL: &'static str = "goal";

    /// The question of that name; the first where there is none.
    pub fn find(name: &str) -> Self {
        Self::ALL.iter().find(|entry| entry.1 == name).map_or(Self::Why, |entry| entry.0)
    }
}

/// Key of the view state: the question's name.
pub const QUESTION: &str = "planning";

/// Rows of which one may win where the machine is another.
const RIVALS: usize = 200;

/// The question: a link of the job with all view state that the answer depends on, and no other.
pub fn request(job: &Scenario, view: &Document) -> String {
    let mut asked = Document::from_scenario(job);
    asked.set_as(view);
    for key in AMOUNTS.into_iter().chain([QUESTION, MODE, WITH, EXTENT, FREE, BEYOND, MARGIN, RUNS]) {
        asked.set_extra(key, view.extra(key).unwrap_or_default());
    }
    asked.to_state()
}

/// What a question is about.
struct PlanningQuestion {
    document: Document,
    job: Scenario,
    searched: Searched,
    calibration: Option<Rc<OwnCalibration>>,
}

impl PlanningQuestion {
    /// What forecasts the job: adjusted to the reader's measured steps.
    fn predictor(&self) -> Predictor<'_> {
        predictor_of(self.calibration.as_deref())
    }

    fn ranking(&self, options: Options) -> Ranking {
        let mut search = self.predictor().search(self.searched.space(&self.job), options);
        search.finish();
        search.ranking()
    }

    fn options(&self, top: usize) -> Options {
        Options { top, unfit: 0, margin: self.searched.margin, ..Options::default() }
    }
}

fn first(errors: Vec<FieldError>) -> String {
    errors.into_iter().next().map_or_else(|| "The job is invalid.".to_owned(), |error| error.message)
}

/// Answers the question of a link about its job.
///
/// # Errors
/// A sentence that explains why there is no answer.
pub fn answer(link: &str) -> Result<PlanningAnswer, String> {
    const NONE: &str = "No layout of this job fits in memory.";
    let document = Document::from_link(link).map_err(|error| error.message)?.document;
    let job = document.scenario().map_err(first)?;
    let searched = Searched::of(&document);
    let question = Question::find(document.extra(QUESTION).unwrap_or_default());
    let calibration = your_runs::calibration(&document, &job, None);
    let asked = PlanningQuestion { document, job, searched, calibration };
    match question {
        Question::Front => return spread::front(&asked),
        Question::Histogram => return spread::histogram(&asked).ok_or_else(|| NONE.to_owned()),
        Question::Gpus => return places::on_gpus(&asked),
        Question::Largest => return places::enlarged(&asked),
        Question::Goal => return goal::met(&asked),
        Question::Why | Question::WhatIf => {}
    }
    let top = if question == Question::Why { Options::default().top } else { RIVALS };
    let ranking = asked.ranking(asked.options(top));
    let chosen = *asked.predictor().recommended(&asked.job, &ranking.rows, searched.margin).ok_or(NONE)?;
    match question {
        Question::WhatIf => Ok(what_if(&asked, &ranking)),
        _ => why(&asked, &chosen).map_err(first),
    }
}

/// The job alone, as the page begins with it.
fn without_view(document: &Document) -> Document {
    let mut alone = document.clone();
    alone.take_view(&Document::default());
    alone
}

/// The link of a document's job with the values of another scenario of it.
fn link_to(document: &Document, from: &Scenario, to: &Scenario) -> String {
    let mut document = without_view(document);
    for field in FIELDS.iter().filter(|field| (field.get)(from) != (field.get)(to)) {
        document.set(field.key, &field.canonical(to));
    }
    // A layout that is planned stays so, and is in the link until the search has found it again.
    if document.is_planned() {
        document.write_plan(&to.plan)
    } else {
        document.load_plan(&to.plan)
    }
    document.to_state()
}

/// The link of a document's job in a layout.
fn link_of(document: &Document, candidate: &Candidate) -> String {
    let mut document = without_view(document);
    document.load_plan(&candidate.plan);
    document.to_link()
}

fn named(candidate: &Candidate) -> String {
    summary::layout(&candidate.plan, candidate.data_parallel)
}

/// The recommended layout in a sentence, with its interval and what of it nobody has measured.
fn recommended(asked: &PlanningQuestion, chosen: &Candidate) -> Vec<String> {
    let (job, margin) = (&asked.job, asked.searched.margin);
    let scenario = Scenario { plan: chosen.plan, ..*job };
    let (low, high) = asked.predictor().interval_ends(&scenario, chosen.step);
    let mut sentences = vec![format!(
        "Recommended layout: {}, {} per step ({}), peak memory {}. It is the simplest layout within {} of the fastest. {}",
        named(chosen),
        number::time(chosen.step),
        summary::interval(low, high),
        number::memory(chosen.peak_memory),
        number::percent(CONVENIENCE),
        margin.sentence(chosen),
    )];
    sentences.extend(untried(&scenario).into_iter().map(|field| field.sentence));
    sentences
}

fn why(asked: &PlanningQuestion, chosen: &Candidate) -> Result<PlanningAnswer, Vec<FieldError>> {
    let PlanningQuestion { document, job, .. } = asked;
    let best = Scenario { plan: chosen.plan, ..*job };
    let mut told = PlanningAnswer { sentences: recommended(asked, chosen), ..PlanningAnswer::default() };
    told.link = link_of(document, chosen);
    if job.plan == chosen.plan {
        told.sentences.push("This is the current layout.".to_owned());
    } else {
        told.tables.push(compared(&asked.predictor(), "the current layout", &best, job)?);
    }
    match rule_of_thumb(job).map(|plan| Scenario { plan, ..*job }) {
        Some(rule) if rule.plan == chosen.plan => {
            told.sentences.push("The rule of thumb recommends the same layout.".to_owned());
        }
        Some(rule) => told.tables.push(compared(&asked.predictor(), "the rule of thumb", &best, &rule)?),
        None => told.sentences.push("The rule of thumb gives no layout that fits.".to_owned()),
    }
    Ok(told)
}

/// The recommended layout compared with another, part by part and field by field.
fn compared(
    predictor: &Predictor<'_>,
    what: &str,
    best: &Scenario,
    other: &Scenario,
) -> Result<ToldTable, Vec<FieldError>> {
    let LayoutComparison { steps, terms, fields, .. } = compare(predictor, best, other)?;
    let ratio = steps[1] / steps[0];
    let interval = predictor.lead_interval(best, &other.plan, ratio);
    let fixed = |value: f64| number::fixed(value, 2);
    let mut rows: Vec<ToldRow> = terms
        .iter()
        .map(|term| {
            let difference = Seconds(term.difference().abs());
            let sign = if term.difference() < 0.0 { "\u{2212}" } else { "+" };
            ToldRow::of([
                term.label.to_owned(),
                number::time(term.one).to_string(),
                number::time(term.other).to_string(),
                format!("{sign}{}", number::time(difference)),
            ])
        })
        .collect();
    let sum = [steps[0], steps[1]].map(|step| number::time(step).to_string());
    let [one, two] = sum;
    rows.push(ToldRow { strong: true, ..ToldRow::of(["Step".to_owned(), one, two, String::new()]) });
    rows.extend(fields.into_iter().map(|(key, one, other)| {
        let field = Field::find(key);
        let shown = |text: String| field.map_or(text.clone(), |field| field.label_of(&text).to_owned());
        let label = field.map_or(key, |field| field.label);
        ToldRow::of([label.to_owned(), shown(one), shown(other), String::new()])
    }));
    Ok(ToldTable {
        caption: format!(
            "{} times as fast as {what} (90 % range {} to {})",
            fixed(ratio),
            fixed(interval.low),
            fixed(interval.high)
        ),
        head: ["Part", "Recommended", &summary::capitalised(what.trim_start_matches("the ")), "Difference"]
            .map(str::to_owned)
            .to_vec(),
        rows,
    })
}

fn what_if(asked: &PlanningQuestion, ranking: &Ranking) -> PlanningAnswer {
    let PlanningQuestion { document, job, searched, .. } = asked;
    let predictor = asked.predictor();
    let found = influences(&predictor, job, &ranking.rows, VARIED);
    let rows = found.iter().map(|influence| {
        let winner = |at: usize| {
            let row = influence.changed.get(at).and_then(|changed| ranking.rows.get(changed.winner));
            row.map_or(String::new(), named)
        };
        let [less, more] = influence.changed.map(|changed| number::time(changed.step).to_string());
        ToldRow::of([influence.label.to_owned(), less, more, winner(0), winner(1)])
    });
    let mut told = PlanningAnswer::default();
    let now = ranking.rows.first().copied();
    if let Some(first) = &now {
        told.sentences.push(format!(
            "Fastest layout: {}, {} per step.",
            named(first),
            number::time(first.step)
        ));
        told.link = link_of(document, first);
    }
    told.tables.push(ToldTable {
        caption: "Step time if one machine property changes by \u{2212}20 % or +20 %: the current fastest layout, and the fastest of the 200 best layouts at that value".to_owned(),
        head: ["Property", "Step at \u{2212}20 %", "Step at +20 %", "Fastest at \u{2212}20 %", "Fastest at +20 %"].map(str::to_owned).to_vec(),
        rows: rows.collect(),
    });
    let worth = worth_of_memory(&predictor, job, searched.free, searched.margin, &MORE_MEMORY);
    let before = ranking.first(searched.margin).map_or(0.0, |row| row.step.0);
    let rows = worth.iter().map(|worth| {
        let gain = if before > 0.0 { 1.0 - worth.step.0 / before } else { 0.0 };
        let more = format!("{} GiB", number::significant(worth.gib, 3));
        ToldRow::of([more, number::time(worth.step).to_string(), number::percent(gain.max(0.0)).to_string()])
    });
    told.tables.push(ToldTable {
        caption: "Fastest layout with headroom if each GPU had more memory".to_owned(),
        head: ["More memory", "Step", "Speed-up"].map(str::to_owned).to_vec(),
        rows: rows.collect(),
    });
    told
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINK: &str = "#1;m=llama3-8b;g=dgx-h100;n=16;gb=128;tp=8;pp=1";

    #[test]
    fn every_question_has_an_answer_that_survives_the_way() {
        for (question, name, _) in Question::ALL {
            assert_eq!(Question::find(name), question);
            let mut document = Document::from_link(LINK).expect("a link").document;
            document.set("days", "30");
            let job = document.scenario().expect("possible");
            document.set_extra(QUESTION, name);
            let told = answer(&request(&job, &document)).expect("an answer");
            assert!(!told.sentences.is_empty() && !told.tables.is_empty(), "{told:?}");
            let text = serde_json::to_string(&told).expect("a text");
            assert_eq!(serde_json::from_str::<PlanningAnswer>(&text).expect("an answer"), told);
            for table in &told.tables {
                assert!(!table.rows.is_empty(), "{table:?}");
                assert!(table.rows.iter().all(|row| row.cells.len() == table.head.len()), "{table:?}");
                for row in table.rows.iter().filter(|row| !row.link.is_empty()) {
                    let scenario = Document::from_link(&row.link).expect("a link").document.scenario();
                    assert!(scenario.is_ok(), "{row:?}");
                }
            }
        }
    }

    fn asking(view: &[(&str, &str)]) -> String {
        let mut document = Document::from_link(LINK).expect("a link").document;
        let job = document.scenario().expect("possible");
        view.iter().for_each(|(key, text)| document.set_extra(key, text));
        request(&job, &document)
    }

    #[test]
    fn a_request_holds_what_an_answer_hangs_on() {
        let opened = |link: &str| Document::from_link(link).expect("a link").document;
        let asked =
            opened(&asking(&[(QUESTION, "front"), ("f.tp", "8"), (MARGIN, "20"), (WITH, "dgx-b200")]));
        let held: Vec<_> = [QUESTION, "f.tp", MARGIN, WITH].map(|key| asked.extra(key)).into();
        assert_eq!(held, [Some("front"), None, Some("20"), Some("dgx-b200")]);
        let sentence = |view| answer(&asking(view)).expect("an answer").sentences.join(" ");
        assert!(sentence(&[(MARGIN, "30")]).contains("with 30\u{a0}% memory headroom"));
        assert!(sentence(&[(FREE, "-tp,-pp")]).contains("Recommended layout: TP\u{a0}8"));
    }

    #[test]
    fn machines_lie_over_each_other() {
        let view = [(QUESTION, "gpus"), (WITH, "dgx-b200,nothing,dgx-a100-80g"), (MODE, "weak")];
        let told = answer(&asking(&view)).expect("an answer");
        for chart in &told.charts {
            let labels: Vec<&str> = chart.series.iter().map(|line| line.label.as_str()).collect();
            assert_eq!(labels, ["DGX H100 SuperPOD", "DGX B200 SuperPOD", "DGX A100 80 GB SuperPOD"]);
            assert!(chart.series.iter().all(|line| line.points.len() > 3));
        }
        let days = told.charts.first().expect("a chart");
        for line in &days.series {
            assert_eq!(line.spread.len(), line.points.len());
            assert!(
                line.points
                    .iter()
                    .zip(&line.spread)
                    .all(|(point, (low, high))| *low < point.1 && point.1 < *high)
            );
        }
        let job = |row: &ToldRow| {
            Document::from_link(&row.link).expect("a link").document.scenario().expect("possible")
        };
        let rows = &told.tables[0].rows;
        let (first, last) = (job(&rows[0]), job(rows.last().expect("rows")));
        assert!(first.cluster.gpu != last.cluster.gpu && last.run.price != first.run.price);
        assert_eq!(
            last.workload.global_batch / last.cluster.gpus,
            first.workload.global_batch / first.cluster.gpus
        );
    }

    #[test]
    fn a_front_is_of_the_two_amounts_that_are_chosen() {
        let of = |one, other| answer(&asking(&[(QUESTION, "front"), (AMOUNTS[0], one), (AMOUNTS[1], other)]));
        let told = of("cost", "time").expect("an answer");
        let points = &told.charts[0].series[0].points;
        assert!(points.len() > 2);
        assert!(points.windows(2).all(|pair| pair[0].0 < pair[1].0 && pair[0].1 > pair[1].1), "{points:?}");
        assert!(of("cost", "cost").is_err());
        assert_eq!(of("memory", "nothing").expect("an answer"), of("memory", "time").expect("an answer"));
    }

    #[test]
    fn a_histogram_counts_what_fits() {
        let told = answer(&asking(&[(QUESTION, "histogram")])).expect("an answer");
        let asked = Document::from_link(LINK).expect("a link").document.scenario().expect("possible");
        let mut search =
            Predictor::SHIPPED.search(Searched::of(&Document::default()).space(&asked), Options::default());
        search.finish();
        let fitting = search.counts().fitting as f64;
        let all = &told.charts[0].series[0];
        assert_eq!(all.points.iter().map(|point| point.1).sum::<f64>(), fitting);
    }

    #[test]
    fn what_cannot_be_answered_says_why() {
        assert!(answer("#1;m=llama3-8b;n=7;gb=7;tp=7").is_err());
        assert!(answer("nothing").is_err());
        let small = "#1;m=llama3-405b;g=dgx-a100-40g;n=8;gb=8;tp=8;pp=1;seq=8192";
        for question in ["", "histogram", "front"] {
            let sentence = answer(&format!("{small};v.planning={question}")).expect_err("too large");
            assert!(sentence.contains("fit"), "{sentence}");
        }
    }
}
