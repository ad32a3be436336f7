//! The columns of the ranked table: what they are called, how they sort, what they print.
//!
//! A column is a figure of the forecast, or a field of the layout: then its values and words are the field's.

use crate::fields::{Field, FieldKind, Value};
use crate::number;
use crate::scenario::Scenario;
use crate::scenario::plan::Recompute;
use crate::tuner::Candidate;

/// A figure of a forecast layout.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Figure {
    Step,
    Throughput,
    Mfu,
    Memory,
    Room,
    Data,
    MicroBatches,
    Communication,
    Bubble,
}

/// What a column holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Holds {
    /// A figure, its unit, and what it is.
    Figure(Figure, &'static str, &'static str),
    /// The field of the layout that has the column's key.
    Field,
}

/// When a column is shown by default.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shown {
    Always,
    /// Where not every row has the same value.
    IfVaried,
    Never,
}

#[derive(Debug)]
struct Entry {
    /// Key of the view state that holds the column's filter.
    filter: &'static str,
    label: &'static str,
    holds: Holds,
    shown: Shown,
}

const fn figure(
    filter: &'static str,
    label: &'static str,
    shown: Shown,
    figure: Figure,
    unit: &'static str,
    help: &'static str,
) -> Entry {
    Entry { filter, label, holds: Holds::Figure(figure, unit, help), shown }
}

const fn field(filter: &'static str, label: &'static str, shown: Shown) -> Entry {
    Entry { filter, label, holds: Holds::Field, shown }
}

/// Every column in the order of the table.
static COLUMNS: [Entry; 31] = [
    figure("f.step", "Step", Shown::Always, Figure::Step, "s", "Time of one optimizer step"),
    figure("f.mfu", "MFU", Shown::Always, Figure::Mfu, "%", super::summary::MFU),
    figure(
        "f.mem",
        "Memory",
        Shown::Always,
        Figure::Memory,
        "GiB",
        "Peak memory per GPU on the highest stage, and headroom",
    ),
    figure(
        "f.room",
        "Free",
        Shown::Never,
        Figure::Room,
        "%",
        "Headroom as a share of the usable memory; negative if the layout does not fit",
    ),
    field("f.tp", "TP", Shown::Always),
    field("f.pp", "PP", Shown::Always),
    field("f.vpp", "VPP", Shown::IfVaried),
    field("f.cp", "CP", Shown::IfVaried),
    field("f.cpx", "CP exchange", Shown::IfVaried),
    field("f.ep", "EP", Shown::IfVaried),
    field("f.etp", "ETP", Shown::IfVaried),
    figure("f.dp", "DP", Shown::Always, Figure::Data, "", "Data-parallel degree"),
    field("f.mb", "Micro-batch", Shown::Always),
    figure(
        "f.nm",
        "Micro-batches",
        Shown::Always,
        Figure::MicroBatches,
        "",
        "Micro-batches per replica in one step",
    ),
    field("f.rc", "Recompute", Shown::Always),
    field("f.rcn", "Recompute every", Shown::IfVaried),
    field("f.zero", "ZeRO", Shown::IfVaried),
    field("f.sp", "SP", Shown::IfVaried),
    field("f.sched", "Schedule", Shown::IfVaried),
    field("f.split", "Split", Shown::IfVaried),
    field("f.map", "Mapping", Shown::IfVaried),
    field("f.tpo", "TP overlap", Shown::IfVaried),
    field("f.epo", "EP overlap", Shown::IfVaried),
    field("f.dpo", "DP overlap", Shown::IfVaried),
    field("f.ppo", "PP overlap", Shown::IfVaried),
    field("f.oo", "Optimizer offload", Shown::IfVaried),
    field("f.op", "Parameter offload", Shown::IfVaried),
    field("f.oa", "Activation offload", Shown::IfVaried),
    figure("f.tok", "Tokens/s", Shown::Always, Figure::Throughput, "/GPU", "Tokens per second per GPU"),
    figure(
        "f.comm",
        "Comm",
        Shown::Always,
        Figure::Communication,
        "%",
        "Exposed communication as a share of the step",
    ),
    figure(
        "f.bubble",
        "Bubble",
        Shown::Always,
        Figure::Bubble,
        "%",
        "Pipeline bubble as a share of the step",
    ),
];

/// One column of the ranked table.
#[derive(Debug, Clone, Copy)]
pub struct RankingColumn(&'static Entry);

impl PartialEq for RankingColumn {
    fn eq(&self, other: &Self) -> bool {
        core::ptr::eq(self.0, other.0)
    }
}

impl Eq for RankingColumn {}

impl RankingColumn {
    /// Time of one step.
    pub const STEP: Self = Self(&COLUMNS[0]);
    /// Peak memory of the fullest stage.
    pub const MEMORY: Self = Self(&COLUMNS[2]);

    /// Every column in the order of the table.
    pub fn all() -> impl Iterator<Item = Self> {
        COLUMNS.iter().map(Self)
    }

    /// The column of that key, in either case.
    pub fn from_key(key: &str) -> Option<Self> {
        Self::all().find(|column| column.key().eq_ignore_ascii_case(key))
    }

    /// Name in links, filter expressions and CSV headers.
    pub fn key(self) -> &'static str {
        self.0.filter.trim_start_matches("f.")
    }

    /// Key of the view state that holds the column's filter: `f.` and its name.
    pub fn filter_key(self) -> &'static str {
        self.0.filter
    }

    /// Whether it is hidden by default.
    pub fn is_extra(self) -> bool {
        self.0.shown == Shown::Never
    }

    /// Heading.
    pub fn label(self) -> &'static str {
        self.0.label
    }

    /// Unit below the heading; empty when it has none.
    pub fn unit(self) -> &'static str {
        match self.0.holds {
            Holds::Figure(_, unit, _) => unit,
            Holds::Field => "",
        }
    }

    /// The column's contents, in words.
    pub fn help(self) -> &'static str {
        match self.0.holds {
            Holds::Figure(_, _, help) => help,
            Holds::Field => self.field().map_or("", |field| field.help()),
        }
    }

    fn figure(self) -> Option<Figure> {
        match self.0.holds {
            Holds::Figure(figure, _, _) => Some(figure),
            Holds::Field => None,
        }
    }

    fn field(self) -> Option<&'static Field> {
        if self.0.holds == Holds::Field { Field::find(self.key()) } else { None }
    }

    /// Whether the first click should put the greatest value on top.
    pub fn greatest_first(self) -> bool {
        matches!(self.figure(), Some(Figure::Throughput | Figure::Mfu))
    }

    /// Whether its cells are words.
    pub fn has_words(self) -> bool {
        let kind = self.field().map(|field| field.kind);
        matches!(kind, Some(FieldKind::Flag | FieldKind::Choice(_))) && self.key() != "zero"
    }

    /// What reads the column's values of a job's layouts.
    pub fn reader(self, job: &Scenario) -> ColumnReader {
        ColumnReader { column: self, field: self.field(), scenario: *job }
    }

    /// Value of a word that a filter uses for this column.
    pub fn word(self, text: &str) -> Option<f64> {
        self.words().find(|word| word.0.eq_ignore_ascii_case(text)).map(|word| word.1)
    }

    /// Words that a filter may use for this column's values, with the value of each.
    pub fn words(self) -> impl Iterator<Item = (&'static str, f64)> {
        let (choices, others): (&'static [_], &'static [_]) = match self.field().map(|field| field.kind) {
            Some(FieldKind::Choice(list)) if self.key() == "zero" => (list, &LEVELS),
            Some(FieldKind::Choice(list)) => (list, &[]),
            Some(FieldKind::Flag) => (&[], &SWITCH),
            _ => (&[], &[]),
        };
        let choices = choices.iter().enumerate().map(|(place, entry)| (entry.0, place as f64));
        choices.chain(others.iter().copied())
    }
}

/// More words for levels of sharding.
static LEVELS: [(&str, f64); 2] = [("none", 0.0), ("hybrid", 4.0)];

/// Words for a switch.
static SWITCH: [(&str, f64); 4] = [("off", 0.0), ("on", 1.0), ("no", 0.0), ("yes", 1.0)];

/// Reads the values of one column.
#[derive(Debug, Clone)]
pub struct ColumnReader {
    column: RankingColumn,
    field: Option<&'static Field>,
    /// Its layout is that of the row that is read.
    scenario: Scenario,
}

impl ColumnReader {
    /// The column.
    pub fn column(&self) -> RankingColumn {
        self.column
    }

    fn field_value(&mut self, row: &Candidate) -> Option<Value> {
        self.scenario.plan = row.plan;
        self.field.map(|field| (field.get)(&self.scenario))
    }

    /// The value that sorts and filters, in the unit of [`RankingColumn::unit`]; of a choice its place in the list.
    pub fn value(&mut self, row: &Candidate) -> f64 {
        let Some(figure) = self.column.figure() else {
            return match self.field_value(row) {
                Some(Value::Integer(number)) => f64::from(number),
                Some(Value::Flag(on)) => f64::from(u8::from(on)),
                Some(Value::Choice(name)) => self.column.word(name).unwrap_or(f64::NAN),
                _ => f64::NAN,
            };
        };
        match figure {
            Figure::Step => row.step.0,
            Figure::Throughput => row.tokens_per_s_per_gpu,
            Figure::Mfu => row.mfu * 100.0,
            Figure::Memory => row.peak_memory.gib(),
            Figure::Room => row.room * 100.0,
            Figure::Data => f64::from(row.data_parallel),
            Figure::MicroBatches => f64::from(row.micro_batches),
            Figure::Communication => row.communication_share * 100.0,
            Figure::Bubble => row.bubble_share * 100.0,
        }
    }

    /// What the cell prints.
    pub fn text(&mut self, row: &Candidate) -> String {
        let value = self.value(row);
        if value.is_nan() {
            return "\u{2026}".to_owned();
        }
        match (self.column.figure(), self.field_value(row)) {
            (Some(Figure::Step | Figure::Throughput), _) => number::significant(value, 4),
            (
                Some(Figure::Memory | Figure::Room | Figure::Mfu | Figure::Communication | Figure::Bubble),
                _,
            ) => number::fixed(value, 1),
            (_, Some(Value::Flag(on))) => if on { "on" } else { "off" }.to_owned(),
            (_, Some(Value::Choice("modules"))) => match row.plan.recompute {
                Recompute::Modules(set) => set.names(),
                _ => String::new(),
            },
            (_, Some(Value::Choice(name))) => name.to_owned(),
            _ => number::fixed(value, 0),
        }
    }
}

/// The columns that the reader sees: those that say something, and what `chosen` adds or, after a `-`, takes away.
pub fn columns(rows: &[Candidate], job: &Scenario, chosen: &str) -> Vec<RankingColumn> {
    /// Rows that are looked at for whether they differ, spread over all of them.
    const LOOKED_AT: usize = 4000;
    let stride = rows.len().div_ceil(LOOKED_AT).max(1);
    let named = |name: &str| chosen.split(',').any(|word| word == name);
    RankingColumn::all()
        .filter(|column| match column.0.shown {
            _ if named(column.key()) => true,
            _ if named(&format!("-{}", column.key())) => false,
            Shown::Always => true,
            Shown::Never => false,
            Shown::IfVaried => {
                let mut reader = column.reader(job);
                let first = rows.first().map(|row| reader.value(row));
                rows.iter().step_by(stride).any(|row| Some(reader.value(row)) != first)
            }
        })
        .collect()
}

/// What chooses the columns once one is shown, or hidden.
pub fn chosen_with(chosen: &str, column: RankingColumn, shown: bool) -> String {
    let is_of = |word: &str| word.trim_start_matches('-') == column.key();
    let mut words: Vec<&str> = chosen.split(',').filter(|word| !word.is_empty() && !is_of(word)).collect();
    let hidden = format!("-{}", column.key());
    words.push(if shown { column.key() } else { &hidden });
    words.join(",")
}

#[cfg(test)]
mod tests {
    use super::super::ranking::tests::candidate;
    use super::*;
    use crate::document::Document;
    use crate::scenario::plan::{Mapping, Zero};
    use crate::tuner::AXES;

    fn job() -> Scenario {
        Document::default().scenario().expect("possible")
    }

    #[test]
    fn keys_are_unique_and_found_in_either_case() {
        for column in RankingColumn::all() {
            assert_eq!(RankingColumn::from_key(column.key()), Some(column));
            assert_eq!(RankingColumn::from_key(&column.key().to_uppercase()), Some(column));
            assert!(!column.help().is_empty() && !column.label().is_empty(), "{}", column.key());
            assert_eq!(column.field().is_none(), column.figure().is_some(), "{}", column.key());
        }
        assert_eq!(RankingColumn::from_key("nothing"), None);
        assert_eq!((RankingColumn::STEP.key(), RankingColumn::MEMORY.key()), ("step", "mem"));
    }

    #[test]
    fn every_axis_of_the_search_has_a_column() {
        for axis in &AXES {
            assert!(
                RankingColumn::from_key(axis.key).is_some_and(|column| column.field().is_some()),
                "{}",
                axis.key
            );
        }
    }

    #[test]
    fn cells_are_the_fields_words() {
        let mut row = candidate(8, 1.25, true);
        let text = |key: &str, row: &Candidate| {
            RankingColumn::from_key(key).expect("a column").reader(&job()).text(row)
        };
        assert_eq!(
            (text("tp", &row), text("sp", &row), text("zero", &row)),
            ("8".into(), "on".into(), "1".into())
        );
        assert_eq!((text("sched", &row), text("split", &row)), ("1f1b".into(), "even".into()));
        row.plan.recompute = Recompute::Full;
        row.plan.zero = Zero::Hybrid;
        row.plan.mapping = Mapping::TensorPipelineData;
        assert_eq!(
            (text("rc", &row), text("zero", &row), text("map", &row)),
            ("full".into(), "hsdp".into(), "tpd".into())
        );
        row.bubble_share = f64::NAN;
        assert_eq!(text("bubble", &row), "\u{2026}");
    }

    #[test]
    fn columns_that_say_nothing_are_left_out_unless_they_are_chosen() {
        let rows = [candidate(1, 3.0, true), candidate(2, 1.0, true)];
        let shown = |chosen: &str| {
            columns(&rows, &job(), chosen).iter().map(|column| column.key()).collect::<Vec<_>>()
        };
        assert!(shown("").contains(&"sp") && !shown("").contains(&"cp") && !shown("").contains(&"room"));
        assert!(shown("room,-sp").contains(&"room") && !shown("room,-sp").contains(&"sp"));
        let chosen = chosen_with("room,-sp", RankingColumn::MEMORY, false);
        assert_eq!(chosen, "room,-sp,-mem");
        assert_eq!(chosen_with(&chosen, RankingColumn::MEMORY, true), "room,-sp,mem");
    }
}
