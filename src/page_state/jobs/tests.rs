//! The comparison, without a browser.

use super::*;
use crate::panels::ResultsView;
use crate::scenario::plan::{Modules, Recompute, Schedule, StageLayers, StageSplit};

fn document(link: &str) -> Document {
    Document::from_link(link).expect("a link").document
}

fn scenario(link: &str) -> Scenario {
    document(link).scenario().expect("possible")
}

/// A page's document with jobs added.
fn with(mut page: Document, links: &[&str]) -> Document {
    for link in links {
        let text = toggled_with(&page, &scenario(link));
        page.set_extra(JOBS, &text);
        page = document(&page.to_link());
    }
    page
}

const SMALL: &str =
    "#1;m=llama3-8b;g=dgx-h100;n=64;gb=256;tp=1;sp=0;pp=1;zero=3;stack=torchtitan;v.open=jobs";
const OTHER: &str = "#1;m=gpt3-175b;g=dgx-a100-80g;n=1024;tp=8;pp=16;seq=2048;split=given;stages=5,6x14,7";

#[test]
fn any_jobs_survive_the_link_in_every_layout() {
    let own = "#1;m=llama3-70b;g=dgx-h100;n=512;tp=4;pp=4";
    let odd = Plan {
        recompute: Recompute::Modules(Modules::NORMS.and(Modules::FEED_FORWARD)),
        stage_split: StageSplit::Given(StageLayers::parse("19,20x2,21").expect("a list")),
        pipeline_parallel: 4,
        schedule: Schedule::OneForwardOneBackward,
        data_overlap: false,
        ..scenario(own).plan
    };
    let odd = Scenario { plan: odd, ..scenario(own) };
    let mut page = with(document(own), &[SMALL, OTHER, own]);
    page.set_extra(JOBS, &toggled_with(&page, &odd));
    page = document(&page.to_link());
    let kept = jobs(&page);
    assert_eq!(kept.len(), 4);
    assert_eq!(kept[0].text("stack"), "torchtitan");
    assert_eq!(kept[0].extra("open"), None, "what was open is no part of a job");
    assert_eq!(kept[1].text("stages"), "5,6x14,7");
    assert_eq!(kept[3].values().expect("numbers"), odd);
    assert!(is_compared(&page, &scenario(own)) && is_compared(&page, &odd));
    let gone = with(page, &[own]);
    assert!(!is_compared(&gone, &scenario(own)) && count(&gone) == 3);
}

#[test]
fn the_first_machine_that_is_added_is_compared_with_the_job_on_the_form() {
    let own = scenario(SMALL);
    let (second, third) = (scenario(OTHER), scenario("#1;m=llama3-8b;g=dgx-h200;n=32;gb=256;tp=2;pp=1"));
    let mut page = document(SMALL);
    for (job, expected) in [(second, 2), (second, 2), (third, 3)] {
        let text = added(&page, &own, &job);
        page.set_extra(JOBS, &text);
        assert_eq!(count(&page), expected);
    }
    assert!(is_compared(&page, &own) && is_compared(&page, &third));
    let compared = compare(&page);
    let best = &compared.groups[0].1[0];
    assert_eq!(best.0, "Best in");
    let fastest = (0..3).min_by(|one, other| {
        let step = |place: &usize| compared.jobs[*place].prediction.step.0;
        step(one).total_cmp(&step(other))
    });
    assert!(best.1[fastest.expect("three jobs")].starts_with("step time"), "{best:?}");
    // Every row of a range and of what a cost rests on has a cell a job.
    for name in ["90\u{a0}% range of the cost", "Source of the price"] {
        let row = compared.groups[0].1.iter().find(|row| row.0 == name).expect(name);
        assert!(row.1.len() == 3 && row.1.iter().all(|cell| !cell.is_empty()), "{row:?}");
    }
}

#[test]
fn what_ranges_cannot_tell_apart_is_not_called_best() {
    let best = |links: &[&str]| {
        let compared = compare(&with(Document::default(), links));
        compared.groups[0].1[0].1.clone()
    };
    let few = "#1;m=llama3-8b;g=dgx-h100;n=64;gb=256;tp=1;sp=0;pp=1;zero=3;stack=torchtitan";
    // One machine or the other may be faster; four times the GPUs are, at about the same cost.
    let close = best(&[few, "#1;m=llama3-8b;g=dgx-h200;n=64;gb=256;tp=1;sp=0;pp=1;zero=3;stack=torchtitan"]);
    assert!(close.iter().all(|cell| cell.starts_with("step time: too close to call")), "{close:?}");
    let clear = best(&[few, "#1;m=llama3-8b;g=dgx-h100;n=256;gb=256;tp=1;sp=0;pp=1;zero=3;stack=torchtitan"]);
    assert_eq!(
        (clear[0].contains("step time"), clear[1].starts_with("step time;")),
        (false, true),
        "{clear:?}"
    );
    assert!(clear.iter().all(|cell| cell.contains("cost: too close to call")), "{clear:?}");
}

#[test]
fn a_full_comparison_refuses_one_more() {
    let links: Vec<String> = (1..=10)
        .map(|node| format!("#1;m=llama3-8b;g=dgx-h100;n={};gb=20160;seq=2048;tp=1;pp=1", 8 * node))
        .collect();
    let links: Vec<&str> = links.iter().map(String::as_str).collect();
    let page = with(Document::default(), &links);
    assert_eq!(count(&page), MOST_JOBS);
    assert!(is_compared(&page, &scenario(links[0])) && !is_compared(&page, &scenario(links[9])));
}

#[test]
fn jobs_are_compared_with_the_first() {
    let third = "#1;m=llama3-8b;g=dgx-h200;n=32;gb=256;tp=2;pp=1";
    let mut page = with(Document::default(), &[SMALL, third]);
    page.set_extra(JOBS, &format!("{}~m:llama3-8b/g:dgx-h100/n:64/tp:3", page.extra(JOBS).expect("jobs")));
    let compared = compare(&page);
    assert_eq!(compared.jobs.len(), 2);
    assert_eq!(compared.impossible.len(), 1, "three ranks do not divide the heads");
    let row = |name: &str| {
        let mut rows = compared.groups.iter().flat_map(|group| &group.1);
        rows.find(|row| row.0.starts_with(name)).map(|row| row.1.clone())
    };
    let step = row("Step").expect("a row");
    assert!(!step[0].contains('(') && step[1].contains("(+"), "{step:?}");
    let ratio = row("Ratio").expect("a row");
    assert_eq!(ratio[0], "1");
    let steps = [0, 1].map(|place: usize| compared.jobs[place].prediction.step.0);
    assert!(ratio[1].starts_with(&number::significant(steps[1] / steps[0], 3)), "{ratio:?}");
    assert!(row("GPUs").is_some() && row("Software").is_some(), "what differs is named");
    assert_eq!(row("Layers"), None, "what is the same is not");
}

#[test]
fn older_links_keep_their_jobs_and_pinned_layouts() {
    let old = "#1;m=llama3-70b;g=dgx-h100;n=512;v.jobs=m:llama3-8b/g:dgx-h100/n:64;v.open=compare,matrix;v.view=layouts;v.pin=tp:8,pp:2~tp:many~nothing:1~tp:4,pp:4,rcm:norms+mlp,rc:modules";
    let mut page = document(old);
    assert_eq!(ResultsView::of(&page), ResultsView::Compare);
    let text = renewed(&page).expect("it is an older link");
    page.set_extra(JOBS, &text);
    page.set_extra(PINS, "");
    let kept = jobs(&page);
    assert_eq!(kept.iter().map(|job| job.text("tp").to_owned()).collect::<Vec<_>>(), ["8", "8", "4"]);
    assert_eq!(kept[1].text("m"), "llama3-70b");
    assert!(is_compared(&page, &kept[0].scenario().expect("possible")), "as it is added today");
    assert_eq!(renewed(&page), None);
}

#[test]
fn what_cannot_be_read_is_left_out() {
    let mut page = Document::default();
    page.set_extra(JOBS, "nonsense~m:llama3-8b/n:8~~");
    assert_eq!(jobs(&page).len(), 1);
    assert!(compare(&Document::default()).groups.is_empty());
}

#[test]
fn what_differs_by_rounding_is_the_same() {
    let show = |value: f64| number::fixed(value, 1);
    assert_eq!(
        beside_first(&[15.3, 15.3 + 2e-15, 15.4], show)[1..],
        ["15.3 (same)", "15.4 (+0.1, +0.7\u{a0}%)"]
    );
}
