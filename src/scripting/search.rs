//! A search of a job's layouts that a script asks for, a little at a time.

use super::answers::{Answer, problems, written};
use super::{Layouts, NEAREST, OwnSteps, Problem, ReadFields, listed, searched};
use crate::calibrate::own::OwnCalibration;
use crate::document::Document;
use crate::forecast::Predictor;
use crate::planned::{Searched, to_rank};
use crate::scenario::Scenario;
use crate::tuner::{Margin, Options, Ranking, Search};
use serde::Deserialize;
use std::rc::Rc;

/// What is asked of a ranking: the flags of `stepcast rank`, in the spelling of Python or of JavaScript.
#[derive(Debug, Clone, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AboutLayouts {
    /// Layouts to list, from the fastest.
    pub top: usize,
    /// Layouts to list of those that do not fit in memory, the nearest to fitting first.
    pub unfit: usize,
    /// Keys of fields of the layout that keep the job's value.
    pub fix: Vec<String>,
    /// Keys of fields that are varied besides the usual ones.
    pub free: Vec<String>,
    /// Search layouts that the job's software cannot run, too.
    #[serde(alias = "anySoftware")]
    pub any_software: bool,
    /// Share of the usable memory that a comfortable layout leaves free, percent; without one, it is likely to fit.
    pub margin: Option<f64>,
    /// Time every layout that fits, instead of leaving out those that are proven to be slower.
    pub exhaustive: bool,
}

impl Default for AboutLayouts {
    fn default() -> Self {
        Self {
            top: 20,
            unfit: 0,
            fix: vec![],
            free: vec![],
            any_software: false,
            margin: None,
            exhaustive: false,
        }
    }
}

impl AboutLayouts {
    /// The search of a job's layouts, to be begun. The job's own layout need not be possible.
    ///
    /// # Errors
    /// What makes the job or the options impossible.
    pub fn request(&self, job: ReadFields) -> Result<LayoutRequest, Vec<Problem>> {
        if self.margin.is_some_and(|percent| !(0.0..100.0).contains(&percent)) {
            return Err(vec![Problem::new("margin must be a percentage of at least 0 and less than 100.")]);
        }
        let ReadFields { document, .. } = job;
        let (document, job) = to_rank(&document).map_err(problems)?;
        let margin = Margin::of_percent(self.margin);
        let searched = searched(&document, &self.fix, &self.free, self.any_software, margin)
            .map_err(|unknown| vec![Problem::new(unknown.to_string())])?;
        let options = Options {
            top: self.top.max(Options::default().top),
            unfit: self.unfit.max(NEAREST),
            margin,
            bounded: !self.exhaustive,
            pareto: false,
        };
        let own = OwnSteps::Used.of(&document);
        Ok(LayoutRequest { document, job, own, searched, options, top: self.top, unfit: self.unfit })
    }
}

/// What is to be searched.
#[derive(Debug, Clone)]
pub struct LayoutRequest {
    document: Document,
    job: Scenario,
    /// What the measured steps of the job's link say of it.
    own: Option<Rc<OwnCalibration>>,
    searched: Searched,
    options: Options,
    top: usize,
    unfit: usize,
}

impl LayoutRequest {
    /// Begins the search, with the predictor that is adjusted to the measured steps of the job's link, or with `otherwise`.
    pub fn begin<'p>(&'p self, otherwise: Predictor<'p>) -> LayoutSearch<'p> {
        let predictor = self.own.as_deref().map_or(otherwise, OwnCalibration::predictor);
        let search = predictor.search(self.searched.space(&self.job), self.options);
        LayoutSearch { predictor, request: self, search }
    }
}

/// A ranking that is being made.
#[derive(Debug)]
pub struct LayoutSearch<'p> {
    predictor: Predictor<'p>,
    request: &'p LayoutRequest,
    search: Search<'p>,
}

impl LayoutSearch<'_> {
    /// Layouts in the space.
    pub fn space(&self) -> usize {
        self.search.space().len()
    }

    /// Layouts that were looked at.
    pub fn done(&self) -> usize {
        self.search.counts().layouts
    }

    /// Searches a little more; whether anything was left.
    pub fn advance(&mut self) -> bool {
        self.search.advance()
    }

    /// The rows so far, as [`Layouts`] in JSON.
    ///
    /// # Errors
    /// None that a job can cause.
    pub fn rows(&mut self) -> Answer {
        let best = self.search.best();
        let LayoutRequest { document, job, options, top, .. } = self.request;
        let rows = best.iter().take(*top).filter_map(|row| self.search.candidate(row)).collect();
        let ranking = Ranking { rows, counts: self.search.counts(), ..Ranking::default() };
        written(&Layouts::of(document, job, &ranking, None, *top, options.margin))
    }

    /// The rows at the end, and which to take, as [`Layouts`] in JSON.
    ///
    /// # Errors
    /// None that a job can cause.
    pub fn ranking(&mut self) -> Answer {
        let LayoutRequest { document, job, options, top, unfit, .. } = self.request;
        let ranking = listed(self.search.ranking(), *unfit);
        let recommended = self.predictor.recommended(job, &ranking.rows, options.margin);
        written(&Layouts::of(document, job, &ranking, recommended, *top, options.margin))
    }
}
