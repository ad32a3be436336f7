//! A job that says a model, a machine and a number of GPUs is planned, the same at every door.

use crate::command;
use std::io::Write as _;
use std::process::{Command, Stdio};
use stepcast::document::Document;
use stepcast::fields::{Field, FieldKind};
use stepcast::forecast::Predictor;
use stepcast::memory::{fits, peak};
use stepcast::page_state::page::{Action, Page};
use stepcast::planned::{Searched, choose, plan, search};
use stepcast::tuner::Ranking;

/// Jobs that are tried in a run of all tests. `PLANNED_JOBS` in the environment asks for others.
const JOBS: usize = 16;

/// Names of a field that lists presets.
fn names(key: &str) -> Vec<&'static str> {
    match Field::find(key).map(|field| field.kind) {
        Some(FieldKind::Choice(entries)) => {
            entries.iter().map(|entry| entry.0).filter(|name| *name != "custom").collect()
        }
        _ => Vec::new(),
    }
}

/// Links of a model, a machine and a number of GPUs: every model and every machine comes up, with many sizes.
fn links(count: usize) -> Vec<String> {
    let (models, machines) = (names("m"), names("g"));
    let sizes = [1, 2, 4, 8, 16, 24, 32, 64, 128, 256, 512, 1024, 2048];
    (0..count)
        .map(|number| {
            let place = number * 7919 % (models.len() * machines.len() * sizes.len());
            let (model, machine) = (models[number % models.len()], machines[place % machines.len()]);
            format!("#2;m={model};g={machine};n={}", sizes[place / 3 % sizes.len()])
        })
        .collect()
}

/// What the page comes to: the layout that stands in, then that of a search which arrives in parts, as from workers.
fn on_the_page(link: &str) -> Page {
    let page = Page::opened(Document::from_link(link));
    let Some(shown) = page.outcome.ranked() else { return page };
    let searched = Searched::of(&page.document);
    let space = searched.space(&shown.scenario);
    let options = searched.options();
    let whole = Predictor::SHIPPED.search(space.clone(), options);
    let blocks = whole.blocks();
    let parts = (0..4).map(|part| {
        let mut search = Predictor::SHIPPED.search(space.clone(), options);
        search.take_on(blocks * part / 4..blocks * (part + 1) / 4, f64::INFINITY);
        search.finish();
        search.ranking()
    });
    let Ranking { mut rows, unfit, .. } = parts.fold(Ranking::default(), |all, part| all.and(part, &options));
    rows.extend(unfit);
    let found = choose(&Predictor::SHIPPED, &shown.scenario, &rows, searched.margin).map(|row| row.plan);
    found.and_then(|plan| page.apply(Action::Planned(plan))).unwrap_or(page)
}

/// What a script gets for each line.
fn on_the_command_line(links: &[String]) -> Vec<serde_json::Value> {
    let mut process = Command::new(env!("CARGO_BIN_EXE_stepcast"))
        .args(["predict", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut input = process.stdin.take().expect("a pipe");
    let lines = links.join("\n");
    let writer = std::thread::spawn(move || input.write_all(lines.as_bytes()));
    let output = process.wait_with_output().expect("it ends");
    writer.join().expect("no panic").expect("all is read");
    let text = String::from_utf8(output.stdout).expect("text");
    text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

#[test]
fn a_job_is_planned_alike_at_every_door_and_by_a_layout_that_runs() {
    let count = std::env::var("PLANNED_JOBS").ok().and_then(|count| count.parse().ok()).unwrap_or(JOBS);
    let links = links(count);
    let answers = on_the_command_line(&links);
    assert_eq!(answers.len(), links.len());
    let predictor = Predictor::SHIPPED;
    let (mut planned, mut fitting) = (0, 0);
    for (link, answer) in links.iter().zip(&answers) {
        let document = Document::from_link(link).expect("a link").document;
        let by_library = plan(&predictor, &document, |space, options| search(&predictor, space, options));
        let page = on_the_page(link);
        let Ok((_, job)) = by_library else {
            assert!(answer["problems"].is_array(), "{link}: {answer}");
            assert!(page.outcome.stale(), "{link}");
            continue;
        };
        planned += 1;
        let shown = page.outcome.forecast.as_ref().expect("a forecast");
        assert_eq!(shown.scenario, job, "{link}: the page");
        assert!(
            page.document.is_planned() && page.document.to_link() == *link,
            "{}",
            page.document.to_link()
        );
        assert_eq!(answer["step_s"].as_f64(), Some(shown.prediction.step.0), "{link}: the command line");
        let pinned = answer["link"].as_str().expect("a link");
        assert_eq!(Document::from_link(pinned).expect("a link").document.scenario(), Ok(job), "{link}");
        assert!(job.validate().is_ok(), "{link}");
        fitting += usize::from(fits(&job, peak(&job).0));
        if !fits(&job, peak(&job).0) {
            let searched = Searched::of(&document);
            let counts = search(&predictor, &searched.space(&job), searched.options()).counts;
            assert_eq!(counts.fitting, 0, "{link}: another layout fits");
        }
    }
    assert!(
        planned * 20 >= count * 19 && fitting * 2 >= count,
        "{planned} planned, {fitting} fit, of {count}"
    );
}

#[test]
fn what_is_set_stays_and_is_said_with_what_is_planned() {
    let words = command::text(&["predict", "#2;m=llama3-8b;g=dgx-h100;n=8;tp=2"]);
    assert!(words.contains("Recommended layout: TP 2 "), "{words}");
    let pinned = words.trim_end().lines().last().expect("a link");
    assert!(pinned.contains(";tp=2;") && pinned.contains(";pp="), "{pinned}");
    let ranked = command::json(&["rank", "#2;m=llama3-8b;g=dgx-h100;n=8;tp=2", "--top", "50", "--json"]);
    let rows = ranked["top"].as_array().expect("rows");
    assert!(rows.len() > 10 && rows.iter().all(|row| row["plan"]["tensor_parallel"] == 2));
    assert_eq!(
        command::json(&["predict", pinned, "--json"])["step_s"],
        command::json(&["predict", "#2;m=llama3-8b;g=dgx-h100;n=8;tp=2", "--json"])["step_s"]
    );
}

#[test]
fn a_ranking_needs_no_layout_to_start_from_and_says_what_to_do_where_none_fits() {
    for link in
        ["#1;m=llama3-8b;g=dgx-h100;n=8;gb=8;stack=torchtitan", "#2;m=llama3-8b;g=rtx4090;n=1;lora=16"]
    {
        let ranked = command::json(&["rank", link, "--json"]);
        assert!(ranked["top"].as_array().is_some_and(|rows| !rows.is_empty()), "{link}");
        assert_eq!(ranked["recommended"]["fits"], true, "{link}");
    }
    let words = command::text(&["rank", "#2;m=llama3-70b;g=dgx-h100;n=4"]);
    assert!(words.contains("No layout fits in memory.") && words.contains(" over"), "{words}");
    assert!(words.contains("The job fits with --set n="), "{words}");
}
