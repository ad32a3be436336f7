//! Suggested layouts among those that a search finds.

use super::choice::{complexity, simplest_near};
use super::margin::Margin;
use super::ranking::Candidate;
use crate::scenario::plan::{Plan, Schedule, StageSplit};

/// Why a layout is suggested.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Merit {
    /// The fastest layout that fits.
    Fastest,
    /// The most memory headroom among layouts that are not much slower than the fastest.
    Safest,
    /// The simplest plain layout that is about as fast as the fastest plain layout.
    Simplest,
}

/// How much slower than the fastest a layout with more headroom may be, as a share of the step: our preference, not a
/// measurement.
pub const ROOM_WORTH: f64 = 0.1;

/// Whether a layout is plain: tensor parallelism within a node of this many GPUs, one chunk per stage, an even split of
/// layers, whole sequences, the usual schedule, and no offloading.
pub fn is_plain(plan: &Plan, node: u32) -> bool {
    plan.tensor_parallel <= node
        && plan.context_parallel == 1
        && plan.virtual_stages == 1
        && plan.schedule == Schedule::OneForwardOneBackward
        && plan.stage_split == StageSplit::Even
        && !plan.offload_optimizer
        && !plan.offload_parameters
        && plan.offload_activations == 0
}

/// The place of each suggested layout among rows, those that fit first, fastest first; a merit without a layout is left
/// out. The safest and the simplest leave `margin` of the memory free if any layout does.
pub fn short_list(rows: &[Candidate], node: u32, margin: Margin) -> Vec<(Merit, usize)> {
    let fitting = || rows.iter().enumerate().take_while(|row| row.1.fits);
    let Some((_, fastest)) = fitting().next() else { return Vec::new() };
    let comfortable = fitting().any(|row| row.1.is_comfortable(margin));
    let eligible = || fitting().filter(move |row| !comfortable || row.1.is_comfortable(margin));
    let slowest = fastest.step.0 * (1.0 + ROOM_WORTH);
    let near = fitting().filter(|row| row.1.step.0 <= slowest);
    let safest = near.max_by(|one, other| {
        // At equal headroom, the faster one; then the simpler one.
        let simpler = || complexity(&other.1.plan).cmp(&complexity(&one.1.plan));
        let faster = || other.1.step.0.total_cmp(&one.1.step.0);
        one.1.room.total_cmp(&other.1.room).then_with(faster).then_with(simpler)
    });
    let plain = || eligible().filter(|row| is_plain(&row.1.plan, node)).map(|row| row.1);
    let simplest = plain().next().and_then(|best| simplest_near(best, plain()));
    let simplest = simplest.and_then(|one| rows.iter().position(|row| row.plan == one.plan));
    let found =
        [(Merit::Fastest, Some(0)), (Merit::Safest, safest.map(|row| row.0)), (Merit::Simplest, simplest)];
    found.into_iter().filter_map(|(merit, place)| Some((merit, place?))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Document;
    use crate::forecast::Predictor;
    use crate::tuner::{FreeAxes, Options, Space};

    fn rows(link: &str) -> Vec<Candidate> {
        let job = Document::from_link(link).expect("a link").document.scenario().expect("possible");
        let mut search = Predictor::SHIPPED.search(Space::new(&job, FreeAxes::default()), Options::default());
        search.finish();
        search.ranking().rows.to_vec()
    }

    #[test]
    fn each_has_the_merit_that_it_is_shown_for() {
        for link in ["#1;m=llama3-70b;g=dgx-h100;n=512", "#1;m=llama3-8b;g=dgx-h100;n=64;gb=256;tp=2;pp=1"] {
            let rows = rows(link);
            let list = short_list(&rows, 8, Margin::Likely);
            let of =
                |merit| list.iter().find(|one| one.0 == merit).map(|one| &rows[one.1]).expect("a layout");
            let [fastest, safest, simplest] = [Merit::Fastest, Merit::Safest, Merit::Simplest].map(of);
            assert!(rows.iter().filter(|row| row.fits).all(|row| row.step >= fastest.step), "{link}");
            let rivals = rows.iter().filter(|row| row.fits && row.step.0 <= fastest.step.0 * 1.1);
            assert!(rivals.clone().all(|row| row.room <= safest.room) && rivals.count() > 1, "{link}");
            let plan = &simplest.plan;
            assert!(
                plan.virtual_stages == 1
                    && plan.tensor_parallel <= 8
                    && simplest.is_comfortable(Margin::Likely)
            );
        }
    }

    #[test]
    fn what_fits_nowhere_has_no_merit() {
        let rows = rows("#1;m=llama3-405b;g=dgx-a100-40g;n=8;gb=8;tp=8;pp=1");
        assert!(rows.iter().all(|row| !row.fits));
        assert!(short_list(&rows, 8, Margin::Likely).is_empty());
    }
}
