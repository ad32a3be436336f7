//! Every legal layout of a job, forecast and ranked (the papers' ConfigTuner).

mod advice;
mod axes;
mod balanced;
mod block;
mod choice;
mod front;
mod histogram;
mod largest;
mod margin;
mod pareto;
mod precisions;
mod prices;
mod ranking;
mod rule_of_thumb;
mod sampled;
mod savings;
mod search;
mod short_list;
mod space;
mod study;
mod top;
mod why;

pub use advice::{FieldChange, advice, ways_to_fit};
pub use axes::{AXES, FreeAxes, SearchAxis, cleared, without_searched};
pub use choice::{CONVENIENCE, LayoutFamily, are_alike, complexity, families};
pub use histogram::{Histogram, HistogramBin};
pub use largest::{Extent, Largest, largest};
pub use margin::Margin;
pub use pareto::{Amount, AmountName, FrontPoint, pareto};
pub use precisions::{by_precision, precisions};
pub use ranking::{Candidate, Ranking, first};
pub use rule_of_thumb::recipe_virtual_stages;
pub use rule_of_thumb::rule_of_thumb;
pub use sampled::{Sampled, sampled};
pub use savings::memory_savings;
pub use search::{Counts, Options, Search};
pub use short_list::{Merit, ROOM_WORTH, is_plain, short_list};
pub use space::Space;
pub use study::{Goal, Study, StudyPoint, best, resized, study};
pub use top::LayoutRow;
pub use why::{
    Changed, Influence, LayoutComparison, MORE_MEMORY, MemoryWorth, StepPart, VARIED, compare, influences,
    worth_of_memory,
};

use crate::scenario::Scenario;

/// A job in one of its legal layouts, whatever its current one; `None` if it has none, or is invalid for another
/// reason.
pub fn in_some_layout(job: &Scenario) -> Option<Scenario> {
    let undivided = Scenario { plan: job.plan.undivided(), ..*job };
    let plain =
        ["sched", "split", "zero"].into_iter().fold(FreeAxes::default(), |free, key| free.with(key, false));
    let plan = Space::new(&undivided, plain).at(0)?;
    let scenario = Scenario { plan, ..*job };
    scenario.validate().is_ok().then_some(scenario)
}
