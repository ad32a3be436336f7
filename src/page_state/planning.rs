//! Questions about a job's layouts that take a search to answer, and the answers as texts and numbers, so that a worker can
//! work them out and the page draw them.

mod told;

pub use told::{Told, ToldChart, ToldRow, ToldTable};

use crate::document::Document;
use crate::fields::Field;
use crate::forecast::{Predictor, untried};
use crate::number;
use crate::page_state::summary;
use crate::scaling::{Mode, around};
use crate::scenario::Scenario;
use crate::tuner::{
    Candidate, Comparison, Free, MEMORY_MARGIN, MORE_MEMORY, Options, Ranking, Space, Study, VARIED, compare,
    influences, rule_of_thumb, study, worth_of_memory,
};
use crate::units::Seconds;

/// A question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Question {
    /// Why the recommended layout is faster than the reader's, and than the rule of thumb's.
    Why,
    /// What less or more of everything that the machine has would change.
    WhatIf,
    /// Which layouts none beats in both time and memory.
    Front,
    /// What the best layout is on fewer and on more GPUs, and what the run costs there.
    Gpus,
}

impl Question {
    /// Every question: its name in the link, and what the reader sees of it.
    pub const ALL: [(Self, &'static str, &'static str); 4] = [
        (Self::Why, "", "Why this layout"),
        (Self::WhatIf, "what-if", "What would change the answer"),
        (Self::Front, "front", "Time against memory"),
        (Self::Gpus, "gpus", "On how many GPUs"),
    ];

    /// The question of that name; the first where there is none.
    pub fn find(name: &str) -> Self {
        Self::ALL.iter().find(|entry| entry.1 == name).map_or(Self::Why, |entry| entry.0)
    }
}

/// Rows of which one may win where the machine is another.
const RIVALS: usize = 200;
/// The predictor of the page.
const PREDICTOR: Predictor<'static> = Predictor::SHIPPED;

/// Answers a question about the job of a link.
///
/// # Errors
/// A sentence that says why there is no answer.
pub fn answer(link: &str, question: Question) -> Result<Told, String> {
    let document = Document::from_link(link).map_err(|error| error.message)?.document;
    let first = |errors: Vec<crate::error::FieldError>| {
        errors.into_iter().next().map_or_else(|| "The job cannot be run.".to_owned(), |error| error.message)
    };
    let job = document.scenario().map_err(first)?;
    if question == Question::Gpus {
        return on_gpus(&document, &job);
    }
    let pareto = question == Question::Front;
    let top = if question == Question::Why { Options::default().top } else { RIVALS };
    let mut search = PREDICTOR
        .search(Space::new(&job, Free::default()), Options { top, unfit: 0, pareto, ..Options::default() });
    search.finish();
    let ranking = search.ranking();
    let chosen = *PREDICTOR
        .recommended(&job, &ranking.rows, MEMORY_MARGIN)
        .ok_or("No layout of this job fits in memory.")?;
    match question {
        Question::Why => why(&document, &job, &chosen).map_err(first),
        Question::WhatIf => Ok(what_if(&document, &job, &ranking)),
        Question::Front | Question::Gpus => Ok(front(&document, &ranking, &chosen)),
    }
}

/// The link of a document's job in a layout.
fn link_of(document: &Document, candidate: &Candidate) -> String {
    let mut document = document.clone();
    document.load_plan(&candidate.plan);
    document.to_link()
}

fn named(candidate: &Candidate) -> String {
    summary::layout(&candidate.plan, candidate.data_parallel)
}

/// The recommended layout in a sentence, with its interval and what of it nobody has measured.
fn recommended(job: &Scenario, chosen: &Candidate) -> Vec<String> {
    let scenario = Scenario { plan: chosen.plan, ..*job };
    let (low, high) = PREDICTOR.winner_interval(&scenario, chosen.step);
    let mut sentences = vec![format!(
        "Take {}: {} a step ({}), {} on the fullest GPU. It is the simplest of the layouts that are as good as the \
         fastest and leave {} of the memory free.",
        named(chosen),
        number::time(chosen.step),
        summary::interval(low, high),
        number::memory(chosen.peak_memory),
        number::percent(MEMORY_MARGIN),
    )];
    sentences.extend(untried(&scenario).into_iter().map(|field| field.sentence));
    sentences
}

fn why(
    document: &Document,
    job: &Scenario,
    chosen: &Candidate,
) -> Result<Told, Vec<crate::error::FieldError>> {
    let best = Scenario { plan: chosen.plan, ..*job };
    let mut told = Told { sentences: recommended(job, chosen), ..Told::default() };
    told.link = link_of(document, chosen);
    if job.plan == chosen.plan {
        told.sentences.push("It is the layout on the form.".to_owned());
    } else {
        told.tables.push(beside("the layout on the form", &best, job)?);
    }
    match rule_of_thumb(job).map(|plan| Scenario { plan, ..*job }) {
        Some(rule) if rule.plan == chosen.plan => {
            told.sentences.push("It is the rule of thumb's layout.".to_owned());
        }
        Some(rule) => told.tables.push(beside("the rule of thumb", &best, &rule)?),
        None => told.sentences.push("The rule of thumb has no layout for this job that fits.".to_owned()),
    }
    Ok(told)
}

/// The recommended layout beside another, part by part and field by field.
fn beside(what: &str, best: &Scenario, other: &Scenario) -> Result<ToldTable, Vec<crate::error::FieldError>> {
    let Comparison { steps, terms, fields, .. } = compare(&PREDICTOR, best, other)?;
    let ratio = steps[1] / steps[0];
    let interval = PREDICTOR.lead_interval(best, &other.plan, ratio);
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
            "{} times as fast as {what}; nine of ten such ratios lie between {} and {}",
            fixed(ratio),
            fixed(interval.low),
            fixed(interval.high)
        ),
        head: ["Part", "Recommended", "Other", "Difference"].map(str::to_owned).to_vec(),
        rows,
    })
}

fn what_if(document: &Document, job: &Scenario, ranking: &Ranking) -> Told {
    let found = influences(&PREDICTOR, job, &ranking.rows, VARIED);
    let rows = found.iter().map(|influence| {
        let winner = |at: usize| {
            let row = influence.changed.get(at).and_then(|changed| ranking.rows.get(changed.winner));
            row.map_or(String::new(), named)
        };
        let [less, more] = influence.changed.map(|changed| number::time(changed.step).to_string());
        ToldRow::of([influence.label.to_owned(), less, more, winner(0), winner(1)])
    });
    let mut told = Told::default();
    let now = ranking.rows.first().copied();
    if let Some(first) = &now {
        told.sentences.push(format!(
            "The fastest layout is {}, with {} a step.",
            named(first),
            number::time(first.step)
        ));
        told.link = link_of(document, first);
    }
    told.tables.push(ToldTable {
        caption: "What a fifth less or more of it does to the step of the fastest layout, and which of the first 200 is then the fastest".to_owned(),
        head: ["Of", "Step with less", "Step with more", "Fastest with less", "Fastest with more"].map(str::to_owned).to_vec(),
        rows: rows.collect(),
    });
    let worth = worth_of_memory(&PREDICTOR, job, Free::default(), MEMORY_MARGIN, &MORE_MEMORY);
    let before = ranking.first(MEMORY_MARGIN).map_or(0.0, |row| row.step.0);
    let rows = worth.iter().map(|worth| {
        let gain = if before > 0.0 { 1.0 - worth.step.0 / before } else { 0.0 };
        let more = format!("{} GiB", number::significant(worth.gib, 3));
        ToldRow::of([more, number::time(worth.step).to_string(), number::percent(gain.max(0.0)).to_string()])
    });
    told.tables.push(ToldTable {
        caption: "What more memory on every GPU is worth: the fastest layout that then leaves room"
            .to_owned(),
        head: ["More memory", "Step", "Faster by"].map(str::to_owned).to_vec(),
        rows: rows.collect(),
    });
    told
}

fn front(document: &Document, ranking: &Ranking, chosen: &Candidate) -> Told {
    let point = |row: &Candidate| (row.peak_memory.gib(), row.step.0);
    let rows = ranking.front.iter().map(|row| ToldRow {
        link: link_of(document, row),
        strong: row.plan == chosen.plan,
        ..ToldRow::of([
            named(row),
            number::time(row.step).to_string(),
            number::memory(row.peak_memory).to_string(),
            number::percent(row.room).to_string(),
        ])
    });
    Told {
        sentences: vec![format!(
            "{} layouts are beaten by none in both time and memory.",
            number::integer(ranking.front.len() as u64)
        )],
        link: String::new(),
        tables: vec![ToldTable {
            caption: "Layouts that none beats in both time and memory, the smallest first".to_owned(),
            head: ["Layout", "Step", "Peak memory", "Memory left"].map(str::to_owned).to_vec(),
            rows: rows.collect(),
        }],
        charts: vec![ToldChart {
            title: "Time against memory".to_owned(),
            x: "Peak memory, GiB".to_owned(),
            logarithmic: false,
            series: vec![("Step, s".to_owned(), ranking.front.iter().map(point).collect())],
        }],
    }
}

fn on_gpus(document: &Document, job: &Scenario) -> Result<Told, String> {
    let gpus = around(job.cluster.gpus);
    let found = study(&PREDICTOR, job, Free::default(), MEMORY_MARGIN, Mode::Strong, &gpus);
    if found.points.is_empty() {
        return Err("On none of these numbers of GPUs does a layout of the job fit.".to_owned());
    }
    Ok(of_study(document, &found))
}

fn of_study(document: &Document, found: &Study) -> Told {
    let rows = found.points.iter().enumerate().map(|(place, point)| {
        let mut document = document.clone();
        document.set("n", &point.gpus.to_string());
        ToldRow {
            link: link_of(&document, &point.layout),
            strong: found.turn == Some(place),
            ..ToldRow::of([
                number::integer(point.gpus.into()),
                named(&point.layout),
                number::time(point.layout.step).to_string(),
                summary::interval(point.interval.low, point.interval.high),
                number::long_time(point.cost.time).to_string(),
                format!("${}", number::count(point.cost.usd)),
                format!("{} MWh", number::significant(point.cost.kwh / 1e3, 3)),
                number::percent(point.efficiency).to_string(),
            ])
        }
    });
    let line = |label: &str, value: fn(&crate::tuner::StudyPoint) -> f64| {
        let points = found.points.iter().map(|point| (f64::from(point.gpus), value(point)));
        (label.to_owned(), points.collect())
    };
    let chart = |title: &str, label: &str, value| ToldChart {
        title: title.to_owned(),
        x: "GPUs".to_owned(),
        logarithmic: true,
        series: vec![line(label, value)],
    };
    let turn = found.turn.and_then(|turn| found.points.get(turn)).map(|point| point.gpus);
    let sentence = match turn {
        Some(gpus) => format!(
            "Beyond {} GPUs, twice as many bring less than half of what they ideally would.",
            number::integer(gpus.into())
        ),
        None => "Over this range, added GPUs bring at least half of what they ideally would.".to_owned(),
    };
    let without: Vec<String> =
        found.without_layout.iter().map(|gpus| number::integer((*gpus).into())).collect();
    let mut sentences = vec![sentence];
    if !without.is_empty() {
        sentences.push(format!("No layout fits on {} GPUs.", without.join(", ")));
    }
    Told {
        sentences,
        link: String::new(),
        tables: vec![ToldTable {
            caption: "The best layout on each number of GPUs, at the same global batch, and the whole run"
                .to_owned(),
            head: ["GPUs", "Best layout", "Step", "90 % interval", "Run", "Price", "Energy", "Efficiency"]
                .map(str::to_owned)
                .to_vec(),
            rows: rows.collect(),
        }],
        charts: vec![
            chart("Days of the run", "Days", |point| point.cost.time.days()),
            chart("Price of the run", "Thousand USD", |point| point.cost.usd / 1e3),
        ],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINK: &str = "#1;m=llama3-8b;g=dgx-h100;n=16;gb=128;tp=8;pp=1";

    #[test]
    fn every_question_has_an_answer_that_survives_the_way() {
        for (question, name, _) in Question::ALL {
            assert_eq!(Question::find(name), question);
            let told = answer(LINK, question).expect("an answer");
            assert!(!told.sentences.is_empty() && !told.tables.is_empty(), "{told:?}");
            let text = serde_json::to_string(&told).expect("a text");
            assert_eq!(serde_json::from_str::<Told>(&text).expect("an answer"), told);
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

    #[test]
    fn what_cannot_be_answered_says_why() {
        assert!(answer("#1;m=llama3-8b;n=7;gb=7;tp=7", Question::Why).is_err());
        assert!(answer("nothing", Question::Gpus).is_err());
        let small = "#1;m=llama3-405b;g=dgx-a100-40g;n=8;gb=8;tp=8;pp=1;seq=8192";
        let sentence = answer(small, Question::Why).expect_err("too large");
        assert!(sentence.contains("fit"), "{sentence}");
    }
}
