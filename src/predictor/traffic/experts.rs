//! All-to-all traffic of MoE layers, which the job determines only in part: expectation and spread before the run.
//!
//! Every rank sends each of its tokens to the experts that the gate selects, and receives the results. An expert's
//! popularity depends on the training: at first a few are popular, and the load-balancing loss evens it out (APNet'24,
//! section 3.2). It cannot be known which experts these will be, so experts are numbered by descending popularity.

use crate::constants::Constants;
use crate::error::FieldError;
use crate::index;
use crate::units::Bytes;
use libm::{erf, exp, log, pow, sqrt};
use serde::Serialize;

/// Bytes of one element of an activation.
const ELEMENT: f64 = 2.0;

/// Half-width of the 90 % range of a normal distribution, in standard deviations.
const NINETY_PERCENT: f64 = 1.645;

/// Most experts of one layer.
const MOST_EXPERTS: u32 = 65_536;

/// Points of the integrals over order statistics.
const POINTS: u32 = 400;

/// One rank's MoE layers, and the gate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ExpertJob {
    /// Ranks over which a layer's experts are spread (expert-parallel size).
    pub ranks: u32,
    /// Experts of one layer, a multiple of the ranks.
    pub experts: u32,
    /// Most experts that the gate selects for a token.
    pub top_k: u32,
    /// Tokens per rank and micro-batch.
    pub tokens: u32,
    /// Hidden size.
    pub hidden: u32,
    /// MoE layers that a micro-batch passes on one rank.
    pub layers: u32,
    /// Micro-batches per step.
    pub micro_batches: u32,
    /// Tokens that an expert accepts from one rank, relative to an even share; unlimited without a value.
    pub capacity_factor: Option<f64>,
    /// Forward passes per step: 2 with full recompute.
    pub forward_passes: u32,
}

/// How the gate spreads tokens in the course of training.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Gate {
    /// Spread of popularity at the first step: standard deviation of its logarithm.
    pub skew_initial: f64,
    /// Spread of popularity once converged: standard deviation of its logarithm.
    pub skew_final: f64,
    /// Steps in which the excess falls to 1/e.
    pub decay_steps: f64,
    /// Share of tokens that use each choice after the first, at the first step; all do in the end.
    pub later_choices_initial: f64,
    /// Fluctuation of an expert's popularity from step to step, relative to the skew.
    pub fluctuation: f64,
}

impl Gate {
    /// The gate parameters of a calibration.
    pub fn new(c: &Constants) -> Self {
        Self {
            skew_initial: c.expert_skew_initial,
            skew_final: c.expert_skew_final,
            decay_steps: c.expert_skew_decay,
            later_choices_initial: c.expert_second_choice_initial,
            fluctuation: c.expert_fluctuation,
        }
    }
}

impl Gate {
    /// Decay factor at a training step: 1 at the first, 0 in the end.
    fn left(&self, step: f64) -> f64 {
        exp(-step.max(0.0) / self.decay_steps.max(f64::MIN_POSITIVE))
    }

    /// Spread of popularity at a training step.
    pub fn skew(&self, step: f64) -> f64 {
        self.skew_final + (self.skew_initial - self.skew_final) * self.left(step)
    }

    /// Experts that a token uses at a training step, on average.
    pub fn choices(&self, top_k: u32, step: f64) -> f64 {
        let later = 1.0 - (1.0 - self.later_choices_initial) * self.left(step);
        1.0 + (f64::from(top_k.max(1)) - 1.0) * later
    }
}

/// An expectation with its standard deviation.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Band {
    /// Expectation.
    pub mean: Bytes,
    /// Standard deviation from step to step.
    pub deviation: Bytes,
}

impl Band {
    /// The range that holds 90 % of the steps.
    pub fn ninety_percent(&self) -> (Bytes, Bytes) {
        let half = NINETY_PERCENT * self.deviation;
        ((self.mean - half).max(Bytes::ZERO), self.mean + half)
    }

    /// Sum of independent quantities.
    fn plus(self, other: Self) -> Self {
        let variance = self.deviation.0 * self.deviation.0 + other.deviation.0 * other.deviation.0;
        Self { mean: self.mean + other.mean, deviation: Bytes(sqrt(variance)) }
    }
}

/// All-to-all traffic of one training step within an expert-parallel group.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ExpertTraffic {
    /// Bytes of one rank's tokens, in one layer and micro-batch, to each rank's experts.
    towards: Vec<Band>,
    /// All-to-alls per step towards the experts (and equally many back).
    all_to_alls: f64,
    /// Experts that a token uses, on average.
    pub choices: f64,
    /// Share of the gate's choices beyond an expert's capacity, which are dropped.
    pub dropped: f64,
    /// The paper's non-uniform factor: expected difference between the most and the least that any rank sends to
    /// another in one all-to-all.
    pub non_uniform: Bytes,
    /// The non-uniform factor relative to the mean.
    pub non_uniform_relative: f64,
    /// The rank that sends and receives most.
    pub heaviest: u32,
}

impl ExpertTraffic {
    /// Traffic at a training step, counted from 0.
    ///
    /// # Errors
    /// For counts of zero, experts that cannot be assigned evenly, more choices than experts, or a capacity
    /// factor that is not positive.
    pub fn new(job: &ExpertJob, gate: &Gate, step: f64) -> Result<Self, Vec<FieldError>> {
        job.check()?;
        let skew = gate.skew(step);
        let choices = gate.choices(job.top_k, step);
        let tokens = f64::from(job.tokens);
        let shares = popularity(job.experts, skew);
        let capacity = job
            .capacity_factor
            .map(|factor| (factor * f64::from(job.top_k) * tokens / f64::from(job.experts)).ceil());
        let unit = ELEMENT * f64::from(job.hidden);
        let (mut wanted, mut taken) = (0.0, 0.0);
        let per_expert: Vec<Band> = shares
            .iter()
            .map(|share| {
                let mean = tokens * choices * share;
                let sampling = mean * (1.0 - share.min(1.0));
                let fluctuation = gate.fluctuation * skew * mean;
                let deviation = sqrt(sampling + fluctuation * fluctuation);
                let (kept, spread) = clipped(mean, deviation, capacity);
                wanted += mean;
                taken += kept;
                Band { mean: Bytes(kept * unit), deviation: Bytes(spread * unit) }
            })
            .collect();
        let per_rank = (job.experts / job.ranks) as usize;
        let towards: Vec<Band> = per_expert
            .chunks(per_rank)
            .map(|experts| experts.iter().fold(Band::default(), |sum, band| sum.plus(*band)))
            .collect();
        let (non_uniform, mean) = range(&towards, job.ranks);
        let forward = f64::from(job.forward_passes);
        let mut traffic = Self {
            towards,
            // The backward pass sends gradients along the same routes.
            all_to_alls: (forward + 1.0) * f64::from(job.layers) * f64::from(job.micro_batches),
            choices,
            dropped: if wanted > 0.0 { ((wanted - taken) / wanted).max(0.0) } else { 0.0 },
            non_uniform: Bytes(non_uniform),
            non_uniform_relative: if mean > 0.0 { non_uniform / mean } else { 0.0 },
            heaviest: 0,
        };
        traffic.heaviest = (0..traffic.ranks())
            .map(|rank| (rank, traffic.sent(rank).mean.0))
            .fold((0, -1.0), |most, entry| if entry.1 > most.1 { entry } else { most })
            .0;
        Ok(traffic)
    }

    /// Ranks of the group.
    pub fn ranks(&self) -> u32 {
        self.towards.len() as u32
    }

    /// What one rank of the group sends to another in a step: its own tokens to the other's experts, and the other's
    /// tokens back from its own. A rank sends nothing to itself.
    pub fn between(&self, from: u32, to: u32) -> Band {
        let band = |rank: u32| index::element(&self.towards, rank as usize);
        if from == to || from.max(to) >= self.ranks() {
            return Band::default();
        }
        // Fluctuations in different layers and micro-batches are independent.
        let one = band(to).plus(band(from));
        Band { mean: one.mean * self.all_to_alls, deviation: one.deviation * sqrt(self.all_to_alls) }
    }

    /// What one rank sends in a step, which is also what it receives.
    pub fn sent(&self, rank: u32) -> Band {
        (0..self.ranks()).map(|other| self.between(rank, other)).fold(Band::default(), Band::plus)
    }

    /// What all ranks of the group send in a step.
    pub fn total(&self) -> Band {
        (0..self.ranks()).map(|rank| self.sent(rank)).fold(Band::default(), Band::plus)
    }

    /// What one rank sends to the experts of another in one all-to-all.
    pub fn one_all_to_all(&self, to: u32) -> Band {
        self.towards.get(to as usize).copied().unwrap_or_default()
    }
}

impl ExpertJob {
    fn check(&self) -> Result<(), Vec<FieldError>> {
        let mut errors = Vec::new();
        let mut refuse = |field, message: String| errors.push(FieldError::new(field, message));
        for (field, value) in [
            ("ranks", self.ranks),
            ("experts", self.experts),
            ("top_k", self.top_k),
            ("tokens", self.tokens),
            ("hidden", self.hidden),
        ] {
            if value == 0 {
                refuse(field, "The value must be at least 1.".to_owned());
            }
        }
        if self.ranks > 0 && !self.experts.is_multiple_of(self.ranks) {
            let below = (self.experts / self.ranks).max(1) * self.ranks;
            refuse(
                "experts",
                format!(
                    "{} experts cannot be divided among {} ranks. Use {below}.",
                    self.experts, self.ranks
                ),
            );
        }
        if self.experts > MOST_EXPERTS {
            refuse("experts", format!("At most {MOST_EXPERTS} experts per layer are supported."));
        }
        if self.top_k > self.experts {
            refuse("top_k", format!("{} experts per token exceed the {} experts.", self.top_k, self.experts));
        }
        if self.capacity_factor.is_some_and(|factor| !(factor.is_finite() && factor > 0.0)) {
            refuse("capacity_factor", "The capacity factor must be positive.".to_owned());
        }
        if errors.is_empty() { Ok(()) } else { Err(errors) }
    }
}

/// Share of the gate's choices for each expert, most popular first: evenly spaced quantiles of a log-logistic
/// distribution whose logarithm has this standard deviation.
fn popularity(experts: u32, skew: f64) -> Vec<f64> {
    let count = f64::from(experts);
    // A logistic distribution of scale 1 has the standard deviation pi / sqrt(3).
    let scale = skew * sqrt(3.0) / core::f64::consts::PI;
    let weights: Vec<f64> = (0..experts)
        .map(|expert| {
            let quantile = (f64::from(expert) + 0.5) / count;
            pow((1.0 - quantile) / quantile, scale)
        })
        .collect();
    let sum: f64 = weights.iter().sum();
    weights.into_iter().map(|weight| weight / sum).collect()
}

/// Standard normal distribution function.
fn distribution(z: f64) -> f64 {
    0.5 * (1.0 + erf(z / core::f64::consts::SQRT_2))
}

/// Mean and standard deviation of a normal quantity clipped at a capacity.
fn clipped(mean: f64, deviation: f64, capacity: Option<f64>) -> (f64, f64) {
    let Some(capacity) = capacity else {
        return (mean, deviation);
    };
    if deviation <= 0.0 {
        return (mean.min(capacity), 0.0);
    }
    let z = (capacity - mean) / deviation;
    let below = distribution(z);
    let density = exp(-0.5 * z * z) / sqrt(2.0 * core::f64::consts::PI);
    let first = mean * below - deviation * density + capacity * (1.0 - below);
    let second = (mean * mean + deviation * deviation) * below - deviation * (mean + capacity) * density
        + capacity * capacity * (1.0 - below);
    (first, sqrt((second - first * first).max(0.0)))
}

/// Expected range, and mean, of what ranks send to each other in one all-to-all: for every pair an independent normal
/// quantity that depends on the receiver only.
fn range(towards: &[Band], ranks: u32) -> (f64, f64) {
    let senders = f64::from(ranks.saturating_sub(1));
    if towards.is_empty() || senders <= 0.0 {
        return (0.0, 0.0);
    }
    let edge = |sign: f64| towards.iter().map(move |band| band.mean.0 + sign * 8.0 * band.deviation.0);
    let (low, high) = (edge(-1.0).fold(f64::INFINITY, f64::min), edge(1.0).fold(0.0, f64::max));
    let mean = towards.iter().map(|band| band.mean.0).sum::<f64>() / towards.len() as f64;
    let width = (high - low) / f64::from(POINTS);
    if width <= 0.0 {
        return (0.0, mean);
    }
    // E[max] - E[min] is the integral of 1 - P(all below x) - P(all above x).
    let inside = |x: f64| {
        let (mut below, mut above) = (0.0, 0.0);
        for band in towards {
            let share = if band.deviation.0 > 0.0 {
                distribution((x - band.mean.0) / band.deviation.0)
            } else {
                f64::from(u8::from(x >= band.mean.0))
            };
            below += senders * log(share.max(f64::MIN_POSITIVE));
            above += senders * log((1.0 - share).max(f64::MIN_POSITIVE));
        }
        1.0 - exp(below) - exp(above)
    };
    let sum: f64 = (0..POINTS).map(|point| inside(low + (f64::from(point) + 0.5) * width)).sum();
    ((sum * width).max(0.0), mean)
}
