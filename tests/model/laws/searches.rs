//! A search of a job's layouts: what layouts share is theirs, and bounds leave out nothing that belongs among the rows.

use crate::laws::{Verdict, sure};
use crate::scenarios::Drawn;
use stepcast::forecast::Predictor;

use stepcast::scenario::Scenario;
use stepcast::scenario::stack::StackLimits;
use stepcast::tuner::{FreeAxes, LayoutRow, Options, Search, Space};

crate::laws::laws!(layouts_share_only_what_is_theirs, bounds_leave_nothing_out);

/// Layouts of one job that are searched, at most.
const MOST: usize = 150;

/// Axes that layouts differ in, by turns: those that change what a price depends on, and those that bounds have been wrong about.
const AXES: [&[&str]; 6] = [
    &["zero", "mb", "rc", "rcn"],
    &["tp", "zero", "sp", "mb"],
    &["zero", "op", "oo", "dpo", "mb"],
    &["pp", "zero", "vpp", "sched", "ppo"],
    &["ep", "zero", "etp", "mb"],
    &["cp", "cpx", "zero", "oa", "map"],
];

/// The layouts of a drawn job along some axes, fewer where there are too many.
fn space(drawn: &Drawn, number: f64) -> Space {
    let axes = AXES[(number * 1e6) as usize % AXES.len()];
    (1..=axes.len())
        .rev()
        .map(|count| {
            let free = axes.iter().take(count).fold(FreeAxes::NONE, |free, key| free.with(key, true));
            Space::within(&drawn.scenario, free, StackLimits::ALL)
        })
        .find(|space| space.len() <= MOST)
        .unwrap_or_else(|| Space::within(&drawn.scenario, FreeAxes::NONE, StackLimits::ALL))
}

fn layouts_share_only_what_is_theirs(drawn: &Drawn, number: f64) -> Verdict {
    let space = space(drawn, number);
    let mut estimator = Predictor::SHIPPED.estimator(&drawn.scenario);
    for plan in (0..space.len()).filter_map(|place| space.at(place)) {
        let (shared, alone) =
            (estimator.estimate(&plan), Predictor::SHIPPED.estimate(&Scenario { plan, ..drawn.scenario }));
        sure(shared == alone, || format!("{} and {} s: {plan:?}", shared.step.0, alone.step.0))?;
    }
    Ok(())
}

fn bounds_leave_nothing_out(drawn: &Drawn, number: f64) -> Verdict {
    let rows = |top: usize, bounded: bool| -> Vec<LayoutRow> {
        let options = Options { top, unfit: 0, bounded, ..Options::default() };
        let mut search: Search<'_> = Predictor::SHIPPED.search(space(drawn, number), options);
        search.finish();
        search.best()
    };
    let exhaustive = rows(20, false);
    for top in [1, 20] {
        let bounded = rows(top, true);
        let best = &exhaustive[..exhaustive.len().min(top)];
        sure(bounded == best, || format!("{bounded:?} of {best:?}"))?;
    }
    // What the search says of its first row is what a forecast says.
    let Some(first) = exhaustive.first() else { return Ok(()) };
    let plan = space(drawn, number).at(first.index).ok_or("no layout")?;
    let alone = Predictor::SHIPPED.estimate(&Scenario { plan, ..drawn.scenario }).step.0;
    sure((alone / first.step - 1.0).abs() < 1e-12, || format!("{} and {alone} s: {plan:?}", first.step))
}
