//! The two worked examples of docs/tuner.md: where a search beats the rule of thumb, and where the rule is the fastest.

use stepcast::document::{Document, examples};
use stepcast::forecast::Predictor;
use stepcast::rules::stack_runs;
use stepcast::scenario::Scenario;
use stepcast::scenario::plan::{Plan, Recompute};
use stepcast::tuner::{FreeAxes, Margin, Options, Ranking, Space, compare, rule_of_thumb};

const PREDICTOR: Predictor<'static> = Predictor::SHIPPED;

fn example(name: &str) -> Scenario {
    let example = examples::find(name).expect("an example");
    Document::from_link(example.link).expect("a link").document.scenario().expect("possible")
}

/// The ranking of an example's job within what its software can run.
fn ranked(job: &Scenario, bounded: bool) -> Ranking {
    let space = Space::new(job, FreeAxes::default());
    let mut search = PREDICTOR.search(space, Options { bounded, ..Options::default() });
    search.finish();
    search.ranking()
}

/// The layout that `stepcast rank` says to take.
fn recommended(job: &Scenario, ranking: &Ranking) -> stepcast::tuner::Candidate {
    *PREDICTOR.recommended(job, &ranking.rows, Margin::Likely).expect("a layout")
}

#[test]
fn the_search_beats_the_rule_where_replicas_are_many_and_their_batches_small() {
    let job = example("gpt3-175b-4096xa100-tuned");
    let chosen = recommended(&job, &ranked(&job, true));
    assert_eq!(chosen.plan, job.plan, "the example is the recommended layout");
    assert!(chosen.is_comfortable(Margin::Likely) && stack_runs(&job));
    let plan = rule_of_thumb(&job).expect("the rule has a layout");
    let rule = Scenario { plan, ..job };
    assert!(stack_runs(&rule) && PREDICTOR.predict(&rule).expect("possible").memory.fits);
    let found = compare(&PREDICTOR, &job, &rule).expect("possible");
    assert!(found.ratio() >= 1.15, "{}", found.ratio());
    // The rule's layout interleaves, too: its smaller bubble takes back a part of what its gradients lose.
    let parts: Vec<&str> = found.terms.iter().take(3).map(|term| term.key).collect();
    assert_eq!(parts, ["data_communication", "bubble", "recompute"]);
    assert!(found.terms[1].difference() < 0.0);
    let first = found.terms[0].difference();
    assert!(first > 0.9 * (found.steps[1].0 - found.steps[0].0), "one part explains it");
}

#[test]
fn the_rule_is_the_fastest_where_the_model_fits_a_gpu() {
    let job = example("llama3-8b-64xh100-rule");
    let ranking = ranked(&job, false);
    assert_eq!(ranking.counts.timed, ranking.counts.fitting, "every layout that fits is timed");
    assert!(ranking.counts.fitting > 30_000, "{:?}", ranking.counts);
    let rule = rule_of_thumb(&job).expect("the rule has a layout");
    assert_eq!(rule, job.plan, "the example is the rule's layout");
    assert_eq!(ranking.rows.first().map(|row| row.plan), Some(rule), "the fastest of all");
    // It is tight in memory: what likely fits recomputes the cores of attention, and is little slower.
    let likely = recommended(&job, &ranking);
    assert!(likely.is_comfortable(Margin::Likely));
    assert_eq!(likely.plan, Plan { recompute: Recompute::Selective, ..rule });
    assert!(likely.step.0 < 1.03 * ranking.rows.first().map_or(0.0, |row| row.step.0));
}
