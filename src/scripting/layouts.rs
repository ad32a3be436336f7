//! A ranking as scripts get it.

use crate::document::Document;
use crate::fields::Field;
use crate::page_state::report::PlanReport;
use crate::planned::Searched;
use crate::scenario::Scenario;
use crate::tuner::{AXES, Candidate, LayoutFamily, Margin, Ranking, families};
use crate::units::Seconds;
use core::fmt::{Display, Formatter, Result as FormatResult};
use serde::Serialize;

/// Ranked layouts of a job.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Layouts {
    /// Processed layouts; at the end, all layouts.
    pub layouts: usize,
    /// Layouts that fit in memory.
    pub fitting: usize,
    /// Layouts that fit with the requested headroom.
    pub comfortable: usize,
    /// Simulated layouts. The rest are ruled out by bounds.
    pub timed: usize,
    /// Recommended layout: the simplest layout with headroom within model error of the fastest; absent if none fits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recommended: Option<Layout>,
    /// The fastest layouts that fit, then the layouts with the smallest excess memory.
    pub top: Vec<Layout>,
}

/// One layout of a ranking.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Layout {
    /// Rank among the layouts that fit, from 1, for `--why`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub row: Option<usize>,
    /// Row number of the first of its variants.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub family: Option<usize>,
    /// Time of one step.
    pub step_s: Seconds,
    /// Model FLOPs utilisation, 0 to 1.
    pub mfu: f64,
    /// Tokens per second per GPU.
    pub tokens_per_s_per_gpu: f64,
    /// Exposed communication as a share of the step, 0 to 1.
    pub communication_share: f64,
    /// Pipeline bubble as a share of the step, 0 to 1.
    pub bubble_share: f64,
    /// Peak memory per GPU, GiB.
    pub peak_gib: f64,
    /// Memory headroom as a share of the usable memory; negative if the layout does not fit.
    pub room: f64,
    /// Whether the layout fits in memory.
    pub fits: bool,
    /// Probability that it runs within the usable memory.
    pub fit_probability: f64,
    /// The layout.
    pub plan: PlanReport,
    /// Link that opens the job in this layout, from its `#` on.
    pub link: String,
}

impl Layout {
    /// A candidate of a job, which `document` says.
    pub fn of(document: &Document, job: &Scenario, candidate: &Candidate) -> Self {
        let mut document = document.pinned();
        document.load_plan(&candidate.plan);
        Self {
            row: None,
            family: None,
            step_s: candidate.step,
            mfu: candidate.mfu,
            tokens_per_s_per_gpu: candidate.tokens_per_s_per_gpu,
            communication_share: candidate.communication_share,
            bubble_share: candidate.bubble_share,
            peak_gib: candidate.peak_memory.gib(),
            room: candidate.room,
            fits: candidate.fits,
            fit_probability: candidate.fit_probability,
            plan: PlanReport::of(&Scenario { plan: candidate.plan, ..*job }),
            link: document.to_link(),
        }
    }
}

impl Layouts {
    /// The first `top` rows of a ranking of a job, and all that it keeps of those that do not fit. Variants of a layout that
    /// leave `margin` of the memory free as it does are of one family.
    pub fn of(
        document: &Document,
        job: &Scenario,
        ranking: &Ranking,
        recommended: Option<&Candidate>,
        top: usize,
        margin: Margin,
    ) -> Self {
        let mut standing = vec![0; ranking.rows.len()];
        for LayoutFamily { first, others } in families(&ranking.rows, margin) {
            for place in others.into_iter().chain([first]) {
                if let Some(family) = standing.get_mut(place) {
                    *family = first + 1;
                }
            }
        }
        let fitting =
            ranking.rows.iter().zip(standing).enumerate().take(top).map(|(place, (row, family))| {
                let layout = Layout::of(document, job, row);
                Layout { row: Some(place + 1), family: Some(family), ..layout }
            });
        let unfit = ranking.unfit.iter().map(|row| Layout::of(document, job, row));
        Self {
            layouts: ranking.counts.layouts,
            fitting: ranking.counts.fitting,
            comfortable: ranking.counts.comfortable,
            timed: ranking.counts.timed,
            recommended: recommended.map(|row| Layout::of(document, job, row)),
            top: fitting.chain(unfit).collect(),
        }
    }
}

/// Layouts that are listed of those that do not fit, where none does.
pub const NEAREST: usize = 3;

/// A ranking with as many layouts that do not fit as are asked for; where none fits, a few at least.
#[must_use]
pub fn listed(mut ranking: Ranking, unfit: usize) -> Ranking {
    ranking.unfit.truncate(if ranking.rows.is_empty() { unfit.max(NEAREST) } else { unfit });
    ranking
}

/// A key that no axis of a search has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownAxis(String);

impl Display for UnknownAxis {
    fn fmt(&self, out: &mut Formatter<'_>) -> FormatResult {
        let known: Vec<&str> = AXES.iter().map(|axis| axis.key).collect();
        let kind = if Field::find(&self.0).is_some() { "is not a search field" } else { "is not a field" };
        write!(out, "{} {kind}. Use {}.", self.0, known.join(", "))
    }
}

/// What is searched of a document's layouts: the usual axes, less those that are set in a layout to be planned and those of
/// `fixed`, and those of `freed`. Whether also what the software cannot run, and the share of the memory that is left free.
///
/// # Errors
/// A key that is no axis.
pub fn searched(
    document: &Document,
    fixed: &[String],
    freed: &[String],
    beyond: bool,
    margin: Margin,
) -> Result<Searched, UnknownAxis> {
    let searched = Searched::of(document);
    let mut free = searched.free;
    for (keys, on) in [(fixed, false), (freed, true)] {
        for key in keys {
            if !AXES.iter().any(|axis| axis.key == key) {
                return Err(UnknownAxis(key.clone()));
            }
            free = free.with(key, on);
        }
    }
    Ok(Searched { free, beyond, margin, ..searched })
}
