//! The page's state as one reducer: what was typed, what it forecasts, what can be undone.
//!
//! No DOM types: the page feeds it [`Action`]s and draws what comes out.

mod notice;
mod suited;

pub use notice::{Notice, NoticeKind};

use super::jobs::{JOBS, toggled_with};
use super::opening::opening;
use super::panels::{OPEN, PANELS, ResultsView, VIEW, shown, shown_at, toggled};
use super::your_runs::{self, RUNS, predictor_of};
use crate::calibrate::own::OwnCalibration;
use crate::document::{Document, FOLLOWING, LinkError, MODEL_NAME, Opened};
use crate::error::FieldError;
use crate::forecast::{Prediction, Predictor};
use crate::planned::{FREE, agrees, stand_in};
use crate::scenario::Scenario;
use crate::scenario::plan::Plan;
use crate::tuner::in_some_layout;
use std::rc::Rc;
use suited::{following, suited, suited_whatever_layout};

/// Steps of undo that are kept.
const HISTORY: usize = 200;

/// A scenario that is possible, and its forecast.
#[derive(Debug, Clone)]
pub struct PageForecast {
    /// What was asked.
    pub scenario: Scenario,
    /// What was forecast.
    pub prediction: Prediction,
    /// The document that says what was asked.
    pub document: Rc<Document>,
    /// What the reader's measured steps say of the job; nothing where none concerns it.
    pub calibration: Option<Rc<OwnCalibration>>,
}

impl PageForecast {
    /// The forecast of a document.
    ///
    /// # Errors
    /// What makes its scenario impossible.
    pub fn of(document: &Rc<Document>) -> Result<Self, Vec<FieldError>> {
        Self::after(document, None)
    }

    /// The same after another forecast, whose calibration is taken over where it is of the same measured steps.
    fn after(document: &Rc<Document>, last: Option<&Self>) -> Result<Self, Vec<FieldError>> {
        let scenario = document.scenario()?;
        let known = last.and_then(|last| last.calibration.as_ref());
        let calibration = your_runs::calibration(document, &scenario, known);
        let predictor = predictor_of(calibration.as_deref());
        let prediction = predictor.predict(&scenario)?;
        Ok(Self { prediction, scenario, document: Rc::clone(document), calibration })
    }

    /// What forecasts the job, and others on its machines: adjusted to the reader's measured steps.
    pub fn predictor(&self) -> Predictor<'_> {
        predictor_of(self.calibration.as_deref())
    }
}

/// What a document forecasts.
#[derive(Debug, Clone)]
pub struct PageOutcome {
    /// What is wrong with the document, empty when nothing is.
    pub errors: Rc<[FieldError]>,
    /// The forecast of the last document that was possible.
    pub forecast: Option<Rc<PageForecast>>,
    /// The job on the form in one of its legal layouts, where the layout on the form is all that is wrong.
    pub in_legal_layout: Option<Rc<PageForecast>>,
}

impl PageOutcome {
    /// The forecast is of an earlier document than the one on the form.
    pub fn stale(&self) -> bool {
        !self.errors.is_empty()
    }

    /// The forecast whose job is ranked.
    pub fn ranked(&self) -> Option<&Rc<PageForecast>> {
        self.in_legal_layout.as_ref().or(self.forecast.as_ref())
    }

    fn of(document: &Rc<Document>, last: Option<Rc<PageForecast>>) -> Self {
        match PageForecast::after(document, last.as_deref()) {
            Ok(forecast) => {
                Self { errors: Rc::new([]), forecast: Some(Rc::new(forecast)), in_legal_layout: None }
            }
            Err(errors) => {
                let job = document.values().ok().and_then(|job| in_some_layout(&job));
                let in_legal_layout =
                    job.and_then(|job| PageForecast::of(&Rc::new(Document::from_scenario(&job))).ok());
                Self { errors: errors.into(), forecast: last, in_legal_layout: in_legal_layout.map(Rc::new) }
            }
        }
    }
}

/// What the address bar is to do with the new state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Address {
    /// The state came from there.
    Keep,
    /// Overwrite the current entry, once typing pauses.
    Replace,
    /// Add an entry, so that Back returns to the state before.
    Push,
}

/// The state of the page.
#[derive(Debug, Clone)]
pub struct Page {
    /// What is on the form.
    pub document: Rc<Document>,
    /// What it forecasts.
    pub outcome: PageOutcome,
    /// What the address bar is to do.
    pub address: Address,
    /// A problem with the link that was opened.
    pub notice: Option<Notice>,
    past: Vec<Rc<Document>>,
    future: Vec<Rc<Document>>,
    /// Fields that a choice has kept as they were, and nobody has set.
    kept: Vec<&'static str>,
    /// The field that the last edit was typed in, which may not have come to its end.
    pub typing: Option<&'static str>,
    /// The page was opened without a link, and nothing was changed since.
    pub untouched: bool,
}

/// Something the reader did.
#[derive(Debug, Clone)]
pub enum Action {
    /// Changed a field's text by typing.
    Type {
        /// Key of the field.
        key: &'static str,
        /// The whole text.
        text: String,
    },
    /// Chose a field's value: a list entry, a switch, a suggestion.
    Choose {
        /// Key of the field.
        key: &'static str,
        /// The value.
        text: String,
    },
    /// Chose several fields' values at once.
    Set(Vec<(&'static str, String)>),
    /// Described a model by its shape, with a whole job or without.
    Describe {
        /// Keys of fields, and their values.
        values: Vec<(&'static str, String)>,
        /// What the description leaves open, in words.
        assumed: String,
    },
    /// Took a layout over into the form.
    Load(Plan),
    /// The search has found a layout for a reader who leaves it to the page.
    Planned(Plan),
    /// Left a field of the layout to the search, or all of them.
    Leave(Option<&'static str>),
    /// Kept the layout as it is.
    Keep,
    /// Changed what the page shows of the results.
    Show {
        /// Key of the view state.
        key: String,
        /// Value of the view state; empty for the default.
        text: String,
    },
    /// Added a job to the comparison, or removed it.
    Compare(Box<Scenario>),
    /// Opened or closed a panel.
    Unfold {
        /// The name of the panel in the link.
        id: &'static str,
        /// Whether it is open now.
        open: bool,
    },
    /// Turned to a view of the results.
    Turn(ResultsView),
    /// Turned to one of their panels, by its name in the link.
    LookAt(&'static str),
    /// Opened a link: from the address bar, by Back or by hand.
    Open(Result<Opened, LinkError>),
    /// Applied a file, whose link the address bar has, with words about what was read.
    Import(Result<Opened, LinkError>, String),
    /// Began with a scenario of the page's own, given as a link.
    Begin(String),
    /// Took one step back in the history of edits.
    Undo,
    /// Took one undone step again.
    Redo,
    /// Defaults were requested.
    Reset,
    /// Closed the notice.
    Dismiss,
}

impl Page {
    /// The page as it opens without a link.
    pub fn new() -> Self {
        let document = Rc::new(opening());
        let outcome = PageOutcome::of(&document, None);
        Self {
            document,
            outcome,
            address: Address::Keep,
            notice: None,
            past: Vec::new(),
            future: Vec::new(),
            kept: Vec::new(),
            typing: None,
            untouched: true,
        }
    }

    /// The page on an opened link.
    pub fn opened(link: Result<Opened, LinkError>) -> Self {
        Self::new().apply(Action::Open(link)).unwrap_or_default()
    }

    /// There is something to undo.
    pub fn can_undo(&self) -> bool {
        !self.past.is_empty()
    }

    /// There is something to redo.
    pub fn can_redo(&self) -> bool {
        !self.future.is_empty()
    }

    /// The state after an action; `None` when the action changes nothing.
    pub fn apply(&self, action: Action) -> Option<Self> {
        match action {
            Action::Type { key, text } => self.edit(vec![(key, text)], true),
            Action::Choose { key: MODEL_NAME, text } => self.changed(|document| document.name_model(&text)),
            Action::Choose { key, text } => self.edit(vec![(key, text)], false),
            Action::Set(values) => self.edit(values, false),
            Action::Describe { values, assumed } => Some(self.edit(values, false)?.saying(assumed)),
            Action::Load(plan) => self.changed(|document| document.load_plan(&plan)),
            Action::Planned(plan) => self.planned(&plan),
            Action::Leave(key) => self.leave(key),
            Action::Keep => self.changed(Document::keep_layout),
            Action::Show { key, text } => self.show(&key, &text),
            Action::Compare(job) => self.show(JOBS, &toggled_with(&self.document, &job)),
            Action::Unfold { id, open } => {
                // A view that followed from what is open is named, so that it stays.
                let mut document = (*self.document).clone();
                document.set_extra(VIEW, ResultsView::of(&self.document).name());
                let page = Self { document: Rc::new(document), ..self.clone() };
                page.show(OPEN, &toggled(&self.document, id, open))
            }
            Action::Turn(view) => self.look(shown(&self.document, view)),
            Action::LookAt(id) => {
                let entry = PANELS.iter().find(|entry| entry.id == id)?;
                self.look(shown_at(&self.document, entry))
            }
            Action::Open(link) => Some(self.open(link)),
            Action::Import(link, said) => Some(self.open(link).saying(said)),
            Action::Undo => {
                let mut past = self.past.clone();
                let document = past.pop()?;
                let mut future = self.future.clone();
                future.push(Rc::clone(&self.document));
                Some(self.travel(&document, past, future))
            }
            Action::Redo => {
                let mut future = self.future.clone();
                let document = future.pop()?;
                let mut past = self.past.clone();
                past.push(Rc::clone(&self.document));
                Some(self.travel(&document, past, future))
            }
            Action::Begin(link) => {
                self.choose(standing_in(self.keeping_view(&Document::from_link(&link).ok()?.document)))
            }
            Action::Reset => {
                let mut document = self.keeping_view(&opening());
                document.set_extra(FREE, "");
                self.choose(document)
            }
            Action::Dismiss => {
                let notice = self.notice.as_ref()?;
                // What a damaged link left on the form is taken for the job.
                let taken = (notice.kind == NoticeKind::Failed && self.outcome.forecast.is_none())
                    .then(|| self.with_document((*self.document).clone(), Address::Replace, None));
                let page = taken.unwrap_or_else(|| Self { address: Address::Keep, ..self.clone() });
                Some(Self { notice: None, ..page })
            }
        }
    }

    /// The state once another part of the results is looked at.
    fn look(&self, document: Document) -> Option<Self> {
        let address = Address::Push;
        (document != *self.document).then(|| Self { document: Rc::new(document), address, ..self.clone() })
    }

    fn show(&self, key: &str, text: &str) -> Option<Self> {
        if self.document.extra(key).unwrap_or_default() == text {
            return None;
        }
        let mut document = (*self.document).clone();
        document.set_extra(key, text);
        if key == RUNS {
            return Some(self.with_document(document, Address::Push, None));
        }
        Some(Self { document: Rc::new(document), address: Address::Replace, ..self.clone() })
    }

    fn edit(&self, values: Vec<(&'static str, String)>, typed: bool) -> Option<Self> {
        if values.iter().all(|(key, text)| self.document.text(key) == text && self.document.is_set(key)) {
            return None;
        }
        let mut document = (*self.document).clone();
        for (key, text) in &values {
            document.set(key, text);
        }
        let keys: Vec<&'static str> = values.iter().map(|value| value.0).collect();
        let typing = keys.first().copied().filter(|_| typed);
        let before = self.past.last().filter(|_| typed && typing == self.typing);
        self.kept.iter().filter(|key| !keys.contains(key)).for_each(|key| document.release(key));
        let open: Vec<&'static str> = FOLLOWING.into_iter().filter(|key| !document.is_set(key)).collect();
        let before = before.unwrap_or(&self.document);
        let mut told = following(&mut document, &keys, before);
        let kept = open.into_iter().filter(|key| document.is_set(key)).collect();
        if !typed && keys.iter().any(|key| ["m", "g"].contains(key)) {
            let (suited, changes) = if document.is_planned() {
                suited_whatever_layout(document)
            } else {
                suited(document, false)
            };
            document = suited;
            // What was changed twice is told once, and what is as it was is not.
            told.retain(|known| changes.iter().all(|change| change.0 != known.0));
            told.extend(
                changes.into_iter().filter(|change| document.text(change.0) != before.text(change.0)),
            );
        }
        document = standing_in(document);
        let address = if typed { Address::Replace } else { Address::Push };
        let page = Self { kept, ..self.with_document(document, address, typing) };
        let sentences: Vec<String> = told.into_iter().map(|change| change.1).collect();
        let suited = Notice { kind: NoticeKind::Suited, sentences: sentences.into() };
        Some(if suited.sentences.is_empty() { page } else { Self { notice: Some(suited), ..page } })
    }

    /// The state with a sentence before those of its notice of what a choice has changed.
    fn saying(self, sentence: String) -> Self {
        let mut sentences = vec![sentence];
        let suited = self.notice.iter().filter(|notice| notice.kind == NoticeKind::Suited);
        sentences.extend(suited.flat_map(|notice| notice.sentences.iter().cloned()));
        let notice = Notice { kind: NoticeKind::Suited, sentences: sentences.into() };
        Self { notice: Some(notice), ..self }
    }

    /// The state once a file has said fields, as if they were typed; one that says a whole layout is the reader's choice of
    /// it. `None` where that changes nothing.
    pub fn take(&self, values: Vec<(&'static str, String)>) -> Option<Self> {
        let whole = ["tp", "pp"].iter().all(|key| values.iter().any(|value| value.0 == *key));
        if !(whole && self.document.is_planned()) {
            return self.edit(values, false);
        }
        let mut document = (*self.document).clone();
        document.keep_layout();
        let by_hand = Self { document: Rc::new(document), ..self.clone() };
        let taken = by_hand.edit(values, false)?;
        // One step of undo goes back to what the page had chosen.
        let mut past = self.past.clone();
        past.push(Rc::clone(&self.document));
        Some(Self { past, ..taken })
    }

    /// A layout that was found for the reader: no step of undo, since it follows from the edit before.
    fn planned(&self, plan: &Plan) -> Option<Self> {
        let mut document = (*self.document).clone();
        document.write_plan(plan);
        // The rows may be of the job in another layout, where that on the form cannot run.
        if !self.document.is_planned() || document == *self.document || !agrees(&self.document, plan) {
            return None;
        }
        let document = Rc::new(document);
        let outcome = PageOutcome::of(&document, self.outcome.forecast.clone());
        Some(Self { document, outcome, address: Address::Replace, ..self.clone() })
    }

    fn leave(&self, key: Option<&'static str>) -> Option<Self> {
        let mut document = (*self.document).clone();
        match key {
            Some(key) => document.release(key),
            None => document.release_layout(),
        }
        self.choose(standing_in(document))
    }

    /// The state with a change of the document that is a step of undo.
    fn changed(&self, change: impl FnOnce(&mut Document)) -> Option<Self> {
        let mut document = (*self.document).clone();
        change(&mut document);
        self.choose(document)
    }

    fn choose(&self, document: Document) -> Option<Self> {
        (document != *self.document).then(|| self.with_document(document, Address::Push, None))
    }

    /// The state with an edited document. Typing on in the same field is one step of undo.
    fn with_document(&self, document: Document, address: Address, typing: Option<&'static str>) -> Self {
        let mut past = self.past.clone();
        if typing.is_none() || typing != self.typing {
            past.push(Rc::clone(&self.document));
            past.drain(..past.len().saturating_sub(HISTORY));
        }
        let document = Rc::new(document);
        let outcome = PageOutcome::of(&document, self.outcome.forecast.clone());
        let notice = self.notice.clone().filter(|notice| notice.kind != NoticeKind::Suited);
        let (future, kept) = (Vec::new(), Vec::new());
        Self { document, outcome, address, notice, past, future, kept, typing, untouched: false }
    }

    fn travel(&self, document: &Document, past: Vec<Rc<Document>>, future: Vec<Rc<Document>>) -> Self {
        let document = Rc::new(self.keeping_view(document));
        let outcome = PageOutcome::of(&document, self.outcome.forecast.clone());
        let notice = self.notice.clone().filter(|notice| notice.kind != NoticeKind::Suited);
        let address = Address::Replace;
        let kept = Vec::new();
        Self { document, outcome, address, notice, past, future, kept, typing: None, untouched: false }
    }

    /// Undo is about the scenario, not about how the table is sorted.
    fn keeping_view(&self, document: &Document) -> Document {
        let mut document = document.clone();
        document.take_view(&self.document);
        document
    }

    /// State of the scenario whose figures the page shows (the last possible one), with what is open and
    /// picked now; `None` before there was one.
    pub fn shown_link(&self) -> Option<String> {
        self.outcome.forecast.as_ref().map(|forecast| self.keeping_view(&forecast.document).to_state())
    }

    fn open(&self, link: Result<Opened, LinkError>) -> Self {
        let (document, notice) = match link {
            Ok(opened) => {
                let partly = Notice { kind: NoticeKind::Partly, sentences: opened.notices.into() };
                (standing_in(opened.document), Some(partly).filter(|notice| !notice.sentences.is_empty()))
            }
            Err(error) => {
                let nothing = *error.read == Document::from_pairs(&[]).document;
                let read = if nothing { opening() } else { *error.read };
                (read, Some(Notice { kind: NoticeKind::Failed, sentences: Rc::new([error.message]) }))
            }
        };
        let failed = notice.as_ref().is_some_and(|notice| notice.kind == NoticeKind::Failed);
        let page = Self { notice, ..self.with_document(document, Address::Keep, None) };
        // No figures are shown as if they were those of a link that cannot be read, or of a job that cannot be.
        let nothing = PageOutcome { forecast: None, ..page.outcome.clone() };
        if failed || page.outcome.stale() { Self { outcome: nothing, ..page } } else { page }
    }
}

impl Default for Page {
    fn default() -> Self {
        Self::new()
    }
}

/// A document whose layout is planned, with one that can be shown until the search has found the one to recommend.
fn standing_in(mut document: Document) -> Document {
    if document.is_planned()
        && let Some(plan) = stand_in(&document)
    {
        document.write_plan(&plan);
    }
    document
}

#[cfg(test)]
mod tests;
