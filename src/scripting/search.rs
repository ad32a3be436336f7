//! A search of a job's layouts that a script asks for, a little at a time.

use super::answers::{Answer, problems, written};
use super::{Layouts, NEAREST, Problem, ReadFields, listed, searched};
use crate::document::Document;
use crate::forecast::Predictor;
use crate::planned::to_rank;
use crate::scenario::Scenario;
use crate::tuner::{Margin, Options, Ranking, Search};
use serde::Deserialize;

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
    /// The search of a job's layouts. The job's own layout need not be possible.
    ///
    /// # Errors
    /// What makes the job or the options impossible.
    pub fn search<'p>(
        &self,
        predictor: Predictor<'p>,
        job: ReadFields,
    ) -> Result<LayoutSearch<'p>, Vec<Problem>> {
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
        let search = predictor.search(searched.space(&job), options);
        Ok(LayoutSearch { predictor, document, job, search, options, top: self.top, unfit: self.unfit })
    }
}

/// A ranking that is being made.
#[derive(Debug)]
pub struct LayoutSearch<'p> {
    predictor: Predictor<'p>,
    document: Document,
    job: Scenario,
    search: Search<'p>,
    options: Options,
    top: usize,
    unfit: usize,
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
        let rows = best.iter().take(self.top).filter_map(|row| self.search.candidate(row)).collect();
        let ranking = Ranking { rows, counts: self.search.counts(), ..Ranking::default() };
        written(&Layouts::of(&self.document, &self.job, &ranking, None, self.top, self.options.margin))
    }

    /// The rows at the end, and which to take, as [`Layouts`] in JSON.
    ///
    /// # Errors
    /// None that a job can cause.
    pub fn ranking(&mut self) -> Answer {
        let ranking = listed(self.search.ranking(), self.unfit);
        let recommended = self.predictor.recommended(&self.job, &ranking.rows, self.options.margin);
        written(&Layouts::of(&self.document, &self.job, &ranking, recommended, self.top, self.options.margin))
    }
}
