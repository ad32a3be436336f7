//! How many GPUs finish the run in time, and what the budget buys.

use super::{PlanningAnswer, PlanningQuestion, ToldRow, ToldTable, link_to, named};
use crate::decimal;
use crate::number;
use crate::run_cost::RunCost;
use crate::scaling::Mode;
use crate::scenario::Scenario;
use crate::tuner::{Goal, Study, StudyPoint, study};
use crate::units::Seconds;

/// How far around the number that perfect scaling would need numbers of GPUs are tried: a factor.
const AROUND: f64 = 8.0;

/// Share of the global batch by which it may be rounded to divide over a number of GPUs.
const ROUNDED: f64 = 0.03;

/// Most GPUs that share a replica of the smallest size looked for, as a power of two: for tensor parallelism in a node.
const SHARING: u32 = 3;

/// The job on another number of GPUs. Where its batch does not divide over them, the batch is rounded to the nearest that does,
/// with as few GPUs to a replica as possible; nothing where that changes it by more than [`ROUNDED`].
fn at(job: &Scenario, gpus: u32) -> Option<Scenario> {
    let mut job = *job;
    job.cluster.gpus = gpus;
    let batch = job.workload.global_batch;
    let replicas = gcd(gpus, batch.max(1));
    if (gpus / replicas.max(1)).is_power_of_two() {
        return Some(job);
    }
    let rounded = |power: u32| {
        let replicas =
            gpus.checked_shr(power).filter(|replicas| *replicas > 0 && replicas << power == gpus)?;
        let nearest = (f64::from(batch) / f64::from(replicas)).round() * f64::from(replicas);
        let near = (nearest / f64::from(batch) - 1.0).abs() <= ROUNDED;
        near.then_some(nearest as u32)
    };
    job.workload.global_batch = (0..=SHARING).find_map(rounded)?;
    Some(job)
}

fn gcd(one: u32, other: u32) -> u32 {
    if other == 0 { one } else { gcd(other, one % other) }
}

/// Numbers of GPUs in whole nodes, ascending, around those that a goal needs if the step scales perfectly from the job's own.
fn sizes(job: &Scenario, needed: f64) -> Vec<u32> {
    let node = job.cluster.gpus_per_node.max(1);
    let nodes = |gpus: f64| (gpus / f64::from(node)).clamp(1.0, f64::from(MOST_NODES)) as u32;
    let all = nodes(needed / AROUND)..=nodes(needed * AROUND);
    all.map(|nodes| nodes.saturating_mul(node)).filter(|gpus| at(job, *gpus).is_some()).collect()
}

/// Nodes that are looked at, at most.
const MOST_NODES: u32 = 65_536;

/// The answer to the deadline and the budget of a job.
///
/// # Errors
/// Where there is neither, and where no layout fits.
pub(super) fn met(asked: &PlanningQuestion) -> Result<PlanningAnswer, String> {
    let (job, predictor) = (&asked.job, asked.predictor());
    let (days, budget) = (job.run.deadline, job.run.budget);
    if !job.run.has_goal() {
        return Err("Set a deadline or a budget first.".to_owned());
    }
    let most = Seconds::from_days(days);
    let now = RunCost::of(job, predictor.step_time(job));
    let own = f64::from(job.cluster.gpus);
    let mut tried = SizesTried::new();
    asked.at(job.cluster.gpus, &mut tried);
    // Of more GPUs a run takes less time and costs more: the fewest in time, and the most within the budget.
    let in_time = |point: &StudyPoint| point.cost.time <= most;
    let surely = |point: &StudyPoint| slowest(point) <= most;
    let dear = |point: &StudyPoint| point.cost.usd > budget;
    if days > 0.0 {
        let sizes = sizes(job, own * (now.time / most));
        asked.bisect(&sizes, &mut tried, in_time);
        asked.bisect(&sizes, &mut tried, surely);
    }
    if budget > 0.0 {
        // Fewer GPUs cost less, as long as the job fits on them.
        let needed = own * (budget / now.usd.max(f64::MIN_POSITIVE)).min(1.0);
        asked.bisect(&sizes(job, needed), &mut tried, dear);
    }
    tried.sort_unstable_by_key(|one| one.0);
    let points = tried.into_iter().filter_map(|one| one.1).collect();
    let found = Study { mode: Mode::Strong, points, turn: None, without_layout: Vec::new() };
    if found.points.is_empty() {
        return Err("No layout of this job fits at any of these GPU counts.".to_owned());
    }
    let in_time = (days > 0.0).then(|| found.best(Goal::Deadline(most))).flatten();
    let affordable = (budget > 0.0).then(|| within(&found, budget)).flatten();
    let mut told = PlanningAnswer::default();
    if days > 0.0 {
        told.sentences.push(deadline_met(&found, in_time, days));
        let sure = found.points.iter().find(|point| surely(point));
        told.sentences.extend(surely_met(in_time, sure));
    }
    if budget > 0.0 {
        told.sentences.push(budget_met(&found, affordable, budget));
    }
    if let (Some(one), true) = (in_time, budget > 0.0)
        && one.cost.usd > budget
    {
        let over = number::count(one.cost.usd - budget);
        told.sentences.push(format!("Meeting the deadline costs ${over} more than the budget."));
    }
    let chosen = in_time.or(affordable).map(|point| point.gpus);
    if let Some(point) = in_time.or(affordable).filter(|point| point.gpus != job.cluster.gpus) {
        told.link = link_to(&asked.document, job, &point.scenario);
    }
    told.tables.push(table(asked, &found, chosen));
    Ok(told)
}

impl PlanningQuestion {
    /// The job on a number of GPUs in its best layout; nothing where none fits.
    fn at<'t>(&self, gpus: u32, tried: &'t mut SizesTried) -> Option<&'t StudyPoint> {
        let point = || {
            let job = at(&self.job, gpus)?;
            let (free, margin) = (self.searched.free, self.searched.margin);
            study(&self.predictor(), &job, free, margin, Mode::Strong, &[gpus]).points.pop()
        };
        let place = tried.iter().position(|one| one.0 == gpus).unwrap_or_else(|| {
            tried.push((gpus, point()));
            tried.len() - 1
        });
        tried.get(place)?.1.as_ref()
    }

    /// Searches ascending sizes for the first that passes, and adds what it looked at to `tried`. A size without a layout counts
    /// as too small.
    fn bisect(&self, sizes: &[u32], tried: &mut SizesTried, passes: impl Fn(&StudyPoint) -> bool) {
        let (mut low, mut high) = (0, sizes.len());
        while low < high {
            let middle = low.midpoint(high);
            let Some(gpus) = sizes.get(middle).copied() else { return };
            let passed = self.at(gpus, tried).is_some_and(&passes);
            if passed { high = middle } else { low = middle + 1 }
        }
    }
}

/// What was found for each number of GPUs that was looked at.
type SizesTried = Vec<(u32, Option<StudyPoint>)>;

/// The run at the slow end of the step's range.
fn slowest(point: &StudyPoint) -> Seconds {
    RunCost::of(&point.scenario, point.interval.high).time
}

/// The fastest run that costs no more than so many USD.
fn within(found: &Study, budget: f64) -> Option<&StudyPoint> {
    let affordable = found.points.iter().filter(|point| point.cost.usd <= budget);
    affordable.min_by(|one, other| one.cost.time.0.total_cmp(&other.cost.time.0))
}

fn gpus(point: &StudyPoint) -> String {
    let name = if point.gpus == 1 { "GPU" } else { "GPUs" };
    format!("{} {name}", number::integer(point.gpus.into()))
}

/// Days and their range.
fn takes(point: &StudyPoint) -> String {
    let run = |step: Seconds| RunCost::of(&point.scenario, step).time;
    let [low, high] = [point.interval.low, point.interval.high].map(|step| number::long_time(run(step)));
    format!("{} (90\u{a0}% range: {low} to {high})", number::long_time(point.cost.time))
}

fn deadline_met(found: &Study, in_time: Option<&StudyPoint>, days: f64) -> String {
    let wanted = format!("{} days", decimal::plain(days));
    let Some(point) = in_time else {
        let fastest = found.best(Goal::Fastest);
        let fastest = fastest.map_or(String::new(), |point| {
            format!(" Fastest tried: {}, {}.", gpus(point), number::long_time(point.cost.time))
        });
        return format!("No GPU count finishes the run within {wanted} at this global batch.{fastest}");
    };
    let fewer = found.points.iter().rev().find(|other| other.gpus < point.gpus);
    let fewer = fewer.map_or_else(String::new, |other| {
        format!(" {} would take {}.", gpus(other), number::long_time(other.cost.time))
    });
    format!(
        "{} finish within {wanted}: {}, ${}.{fewer}",
        gpus(point),
        takes(point),
        number::count(point.cost.usd),
    )
}

/// More GPUs than the fewest, where they are needed for the slow end of the range.
fn surely_met(fewest: Option<&StudyPoint>, sure: Option<&StudyPoint>) -> Option<String> {
    let point = sure.filter(|point| fewest.is_some_and(|fewest| fewest.gpus < point.gpus))?;
    let (time, usd) = (number::long_time(point.cost.time), number::count(point.cost.usd));
    Some(format!("To meet the deadline even at the upper end of the range: {}, {time}, ${usd}.", gpus(point)))
}

fn budget_met(found: &Study, affordable: Option<&StudyPoint>, budget: f64) -> String {
    let wanted = number::short(&number::count(budget));
    match affordable {
        Some(point) => format!(
            "Fastest run within ${wanted}: {}, {}, ${}.",
            gpus(point),
            takes(point),
            number::count(point.cost.usd)
        ),
        None => {
            let cheapest = found.best(Goal::Cheapest);
            let cheapest = cheapest.map_or(String::new(), |point| {
                format!(" Cheapest tried: {}, ${}.", gpus(point), number::count(point.cost.usd))
            });
            format!("None of the GPU counts tried costs ${wanted} or less.{cheapest}")
        }
    }
}

fn table(asked: &PlanningQuestion, found: &Study, chosen: Option<u32>) -> ToldTable {
    let rows = found.points.iter().map(|point| ToldRow {
        link: link_to(&asked.document, &asked.job, &point.scenario),
        strong: chosen == Some(point.gpus),
        ..ToldRow::of([
            number::integer(point.gpus.into()),
            number::integer(point.global_batch.into()),
            number::long_time(point.cost.time).to_string(),
            format!("${}", number::count(point.cost.usd)),
            number::time(point.layout.step).to_string(),
            named(&point.layout),
        ])
    });
    ToldTable {
        caption: "GPU counts tried, each with its best layout. The global batch is rounded to a multiple of the number of replicas.".to_owned(),
        head: ["GPUs", "Global batch", "Run", "Cost", "Step", "Layout"].map(str::to_owned).to_vec(),
        rows: rows.collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::{PlanningAnswer, QUESTION, answer};
    use crate::document::Document;

    /// A 7B on two trillion tokens.
    fn asked(goal: &str) -> Result<PlanningAnswer, String> {
        answer(&format!(
            "#1;m=llama2-7b;g=dgx-h100;n=64;gb=1024;seq=4096;tokens=2e12;{goal};v.{QUESTION}=goal"
        ))
    }

    #[test]
    fn the_fewest_gpus_that_meet_a_deadline_are_found() {
        let told = asked("days=14").expect("an answer");
        let job = Document::from_link(&told.link).expect("a link").document.scenario().expect("possible");
        let days = |row: &super::ToldRow| row.cells[2].clone();
        let rows = &told.tables[0].rows;
        let at = rows.iter().position(|row| row.strong).expect("a row that meets it");
        assert!(told.sentences[0].contains("finish within 14"), "{told:?}");
        // The next smaller number misses it, and is named; the batch of 1,024 is rounded at most a little.
        assert!((1000..=1050).contains(&job.workload.global_batch), "{job:?}");
        let fewer = Document::from_link(&rows[at - 1].link).expect("a link").document;
        assert!(fewer.scenario().expect("possible").cluster.gpus + 16 >= job.cluster.gpus);
        assert!(told.sentences[0].contains(&days(&rows[at - 1])), "{told:?}");
        // More are needed for the upper end of the range.
        assert!(told.sentences[1].starts_with("To meet the deadline even at the upper end"), "{told:?}");
        let sure = rows
            .iter()
            .skip(at + 1)
            .filter(|row| told.sentences[1].contains(&format!(" {} GPUs", row.cells[0])));
        assert_eq!(sure.count(), 1, "{told:?}");
    }

    #[test]
    fn a_budget_buys_the_fastest_run_within_it() {
        let told = asked("budget=1e6").expect("an answer");
        assert!(told.sentences[0].starts_with("Fastest run within $1\u{a0}M"), "{told:?}");
        let told = asked("budget=10").expect("an answer");
        assert!(told.sentences[0].starts_with("None of the GPU counts tried costs $10"), "{told:?}");
        let told = asked("days=14;budget=1000").expect("an answer");
        assert!(told.sentences.last().expect("a sentence").contains("more than the budget"), "{told:?}");
        assert!(asked("days=0").is_err());
    }
}
