//! Fields of the layout that need each other: schedules, lists of layers.

use stepcast::document::Document;
use stepcast::rules::plan_is_legal;
use stepcast::scenario::Scenario;
use stepcast::scenario::plan::{Plan, Schedule, StageLayers, StageSplit};
use stepcast::tuner::FreeAxes;

fn with(edits: &[(&str, &str)]) -> Document {
    let mut document = Document::default();
    edits.iter().for_each(|(key, text)| document.set(key, text));
    document
}

fn scenario(edits: &[(&str, &str)]) -> Scenario {
    with(edits).scenario().unwrap_or_else(|errors| panic!("{errors:?}"))
}

/// The only error, its message and its suggestions.
fn error(edits: &[(&str, &str)], field: &str) -> (String, Vec<String>) {
    let mut errors = with(edits).scenario().expect_err("illegal");
    assert_eq!(errors.len(), 1, "{errors:?}");
    let error = errors.remove(0);
    assert_eq!(error.field, field, "{error:?}");
    (error.message, error.suggestions)
}

/// Layers per stage as a list, and the schedules' conditions, with what mends them.
#[test]
fn schedules_and_lists_of_layers_say_what_they_need() {
    let list = scenario(&[("split", "given"), ("stages", "19,21x2,19"), ("pp", "4")]);
    assert_eq!(list.plan.stage_split, StageSplit::Given(StageLayers::parse("19,21,21,19").expect("a list")));
    let document = with(&[("split", "given"), ("stages", "19, 21 21 19")]);
    let again = Document::from_link(&document.to_link()).expect("a link").document;
    assert_eq!(again.scenario(), Ok(list));
    assert!(document.applies("stages") && !Document::default().applies("stages"));
    assert_eq!(error(&[("split", "given")], "stages").1, ["20x4"]);
    assert_eq!(error(&[("split", "given"), ("stages", "20,20,20,19")], "stages").1, ["20x4"]);
    assert_eq!(
        error(&[("split", "given"), ("stages", "20,20,20"), ("m", "llama3-405b")], "stages").1,
        ["32x2,31x2"]
    );
    assert!(error(&[("split", "given"), ("stages", "many")], "stages").0.contains("15,16,16,15"));

    for (text, schedule) in [("zb-h1", Schedule::ZeroBubbleH1), ("dualpipe", Schedule::DualPipe)] {
        assert_eq!(scenario(&[("sched", text)]).plan.schedule, schedule);
    }
    assert_eq!(error(&[("sched", "zb-v")], "vpp").1, ["2"]);
    assert_eq!(scenario(&[("sched", "zb-v"), ("vpp", "2")]).plan.virtual_stages, 2);
    assert_eq!(error(&[("sched", "gpipe"), ("vpp", "2")], "vpp").1, ["1"]);
    assert_eq!(error(&[("sched", "zb-h1"), ("zero", "3")], "zero").1, ["1"]);
    assert_eq!(error(&[("sched", "zb-h2"), ("pp", "1")], "sched").1, ["1f1b"]);
    assert_eq!(error(&[("sched", "dualpipe"), ("gb", "96")], "sched").1, ["1f1b"]);
    assert_eq!(error(&[("sched", "dualpipe"), ("pp", "5"), ("n", "480"), ("gb", "960")], "pp").1, ["4", "6"]);
}

/// Degrees of nothing are refused like any other, without a division by them.
#[test]
fn degrees_of_zero_are_illegal() {
    let legal = Document::default().scenario().expect("legal");
    assert!(plan_is_legal(&legal));
    let zeros: [fn(&mut Plan); 6] = [
        |plan| plan.tensor_parallel = 0,
        |plan| plan.context_parallel = 0,
        |plan| plan.pipeline_parallel = 0,
        |plan| plan.virtual_stages = 0,
        |plan| plan.micro_batch = 0,
        |plan| plan.expert_parallel = 0,
    ];
    for schedule in Schedule::ALL {
        for zero in zeros {
            let mut scenario = legal;
            scenario.plan.schedule = schedule;
            scenario.plan.stage_split = StageSplit::Given(StageLayers::parse("20x4").expect("a list"));
            zero(&mut scenario.plan);
            assert!(!plan_is_legal(&scenario), "{:?}", scenario.plan);
        }
    }
}

/// Jobs that differ in what is searched only have the same layouts; the page searches once for all of them.
#[test]
fn what_is_searched_is_left_out_of_the_job() {
    let job = |edits: &[(&str, &str)]| {
        let mut document =
            Document::from_link("#1;m=mixtral-8x7b;g=dgx-h100;n=64;gb=512").expect("a link").document;
        edits.iter().for_each(|(key, text)| document.set(key, text));
        document.scenario().expect("a legal job")
    };
    let without = |job: &Scenario| stepcast::tuner::without_searched(job, FreeAxes::default());
    let base = without(&job(&[]));
    for edits in [
        &[("tp", "4")][..],
        &[("pp", "2")],
        &[("mb", "2")],
        &[("rc", "full")],
        &[("zero", "0")],
        &[("zero", "3"), ("pp", "1")],
        &[("sched", "zb-h1")],
        &[("ep", "4")],
        &[("sp", "0")],
    ] {
        assert_eq!(without(&job(edits)), base, "{edits:?}");
    }
    for edits in [&[("gb", "256")][..], &[("rc", "modules"), ("rcm", "act")], &[("tpo", "0")]] {
        assert_ne!(without(&job(edits)), base, "{edits:?}");
    }
}
