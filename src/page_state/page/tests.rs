//! The reducer, without a browser.

use super::super::query::{FILTER, INFEASIBLE, SORT};
use super::*;
use crate::fields::Field;
use crate::scenario::plan::Recompute;

fn after(page: &Page, action: Action) -> Page {
    page.apply(action).expect("a change")
}

fn typed(page: &Page, key: &'static str, text: &str) -> Page {
    after(page, Action::Type { key, text: text.to_owned() })
}

/// The page on a link that says a layout, which stays.
fn linked() -> Page {
    Page::opened(Document::from_link("#1;m=llama3-70b;g=dgx-h100;n=512"))
}

fn step(page: &Page) -> f64 {
    page.outcome.forecast.as_ref().expect("a forecast").prediction.step.0
}

#[test]
fn the_page_opens_on_a_forecast_and_leaves_the_address_alone() {
    let page = Page::new();
    assert!(step(&page) > 0.0 && !page.outcome.stale());
    assert_eq!(page.address, Address::Keep);
    assert!(!page.can_undo() && !page.can_redo());
}

#[test]
fn typing_replaces_and_choosing_pushes() {
    let page = typed(&Page::new(), "gb", "2048");
    assert_eq!(page.address, Address::Replace);
    assert!(step(&page) > step(&Page::new()));
    let page = after(&page, Action::Choose { key: "rc", text: "full".to_owned() });
    assert_eq!(page.address, Address::Push);
    assert!(page.apply(Action::Choose { key: "rc", text: "full".to_owned() }).is_none(), "nothing new");
}

#[test]
fn an_impossible_edit_keeps_the_text_and_the_last_forecast() {
    let first = Page::new();
    let page = typed(&first, "tp", "3");
    assert!(page.outcome.stale());
    assert_eq!(page.document.text("tp"), "3");
    assert!(page.outcome.errors.iter().any(|error| error.field == "tp"));
    assert!((step(&page) - step(&first)).abs() < f64::EPSILON);
    assert_eq!(page.typing, Some("tp"), "it may not have come to its end");
    assert_eq!(after(&page, Action::Choose { key: "rc", text: "full".to_owned() }).typing, None);
    let page = typed(&page, "tp", "4");
    assert!(!page.outcome.stale());
}

#[test]
fn typing_on_in_one_field_is_one_step_of_undo() {
    let page = typed(&typed(&typed(&Page::new(), "gb", "2"), "gb", "20"), "gb", "2048");
    let page = typed(&page, "seq", "4096");
    let page = after(&page, Action::Undo);
    assert_eq!((page.document.text("gb"), page.document.text("seq")), ("2048", "8192"));
    let page = after(&page, Action::Undo);
    assert_eq!(page.document.text("gb"), "512");
    assert!(!page.can_undo());
    let page = after(&after(&page, Action::Redo), Action::Redo);
    assert_eq!((page.document.text("gb"), page.document.text("seq")), ("2048", "4096"));
    let page = typed(&after(&page, Action::Undo), "mb", "2");
    assert!(!page.can_redo(), "an edit after undo starts another future");
}

#[test]
fn undo_leaves_the_view_of_the_table_alone() {
    let page = typed(&Page::new(), "gb", "2048");
    let page = after(&page, Action::Show { key: FILTER.to_owned(), text: "tp=8".to_owned() });
    assert_eq!(page.address, Address::Replace);
    let page = after(&page, Action::Undo);
    assert_eq!((page.document.text("gb"), page.document.extra(FILTER)), ("512", Some("tp=8")));
    assert!(page.apply(Action::Show { key: FILTER.to_owned(), text: "tp=8".to_owned() }).is_none());
}

#[test]
fn the_history_is_bounded() {
    let mut page = Page::new();
    for size in 1..=HISTORY + 20 {
        page = after(&page, Action::Choose { key: "gb", text: (size * 512).to_string() });
    }
    let mut undone = 0;
    while let Some(before) = page.apply(Action::Undo) {
        page = before;
        undone += 1;
    }
    assert_eq!(undone, HISTORY);
}

#[test]
fn a_layout_from_the_table_goes_into_the_form() {
    let page = linked();
    let mut plan = page.outcome.forecast.as_ref().expect("a forecast").scenario.plan;
    assert!(page.apply(Action::Load(plan)).is_none(), "it is there already");
    plan.recompute = Recompute::Full;
    let page = after(&page, Action::Load(plan));
    assert_eq!((page.document.text("rc"), page.address), ("full", Address::Push));
    assert_eq!(page.outcome.forecast.as_ref().map(|forecast| forecast.scenario.plan), Some(plan));
}

#[test]
fn what_cannot_be_opened_is_said_the_defaults_are_on_the_form_and_nothing_is_forecast() {
    let damaged = || crate::opening::read("#nonsense");
    let page = Page::opened(damaged());
    assert_eq!(page.document, Page::new().document);
    assert!(page.outcome.forecast.is_none() && page.outcome.errors.is_empty());
    assert!(
        after(&Page::new(), Action::Open(damaged())).outcome.forecast.is_none(),
        "no earlier figures stay"
    );
    assert!(typed(&page, "gb", "2k").outcome.forecast.is_some(), "a change of the form is forecast");
    assert_eq!(page.address, Address::Keep, "the link stays in the address bar");
    let notice = page.notice.as_ref().expect("a notice");
    assert_eq!((notice.kind, notice.sentences.len()), (NoticeKind::Failed, 1));
    let page = after(&page, Action::Dismiss);
    assert!(page.notice.is_none() && page.apply(Action::Dismiss).is_none());
    assert!(page.outcome.forecast.is_some(), "the values on the form were accepted");
    assert_eq!(page.address, Address::Replace);
}

#[test]
fn what_could_be_read_of_a_damaged_or_newer_link_is_on_the_form_and_not_forecast() {
    for link in
        ["#1;m=llama3-8b;n=64;tp=%zz;pp=2", "#3;m=llama3-8b;n=64;pp=2;new=1", "#1;m=llama3-8b;n=64;pp=2;g"]
    {
        let page = after(&linked(), Action::Open(crate::opening::read(link)));
        let document = &page.document;
        assert_eq!([document.text("m"), document.text("n"), document.text("pp")], ["llama3-8b", "64", "2"]);
        assert!(page.outcome.forecast.is_none(), "{link}");
        assert_eq!(page.notice.as_ref().map(|notice| notice.kind), Some(NoticeKind::Failed));
        assert_eq!(page.address, Address::Keep);
    }
}

#[test]
fn a_link_of_a_job_that_cannot_be_leaves_no_figures_of_another() {
    let page = after(&linked(), Action::Open(crate::opening::read("#1;m=llama3-8b;n=64;tp=3")));
    assert!(page.outcome.forecast.is_none() && page.notice.is_none());
    assert!(page.outcome.errors.iter().any(|error| error.field == "tp"), "{:?}", page.outcome.errors);
    assert!(typed(&page, "tp", "2").outcome.forecast.is_some());
}

#[test]
fn a_link_that_leaves_the_layout_to_the_page_is_planned_for() {
    // Eight-way tensor parallelism does not divide 28 heads.
    let opened = |link: &str| Page::opened(Document::from_link(link));
    let link = "#1;m=qwen2.5-7b;g=dgx-a100-80g;n=8;gb=32;stack=eager";
    assert!(opened(link).outcome.forecast.is_none() && !opened(link).outcome.errors.is_empty());
    for planned in [format!("{link};v.auto=1"), link.replacen('1', "2", 1)] {
        let planned = opened(&planned);
        let forecast = planned.outcome.forecast.as_ref().expect("a layout that can be");
        assert!(planned.outcome.errors.is_empty() && forecast.prediction.memory.fits);
        assert_eq!(forecast.scenario.cluster.gpus, 8);
    }
}

#[test]
fn a_link_is_opened_with_everything_in_it() {
    let link = after(
        &typed(&Page::new(), "gb", "2k"),
        Action::Show { key: SORT.to_owned(), text: "-mfu".to_owned() },
    );
    let link = link.document.to_link();
    let page = Page::opened(Document::from_link(&link));
    assert_eq!(page.document.to_link(), link);
    assert!(page.notice.is_none());
    assert_eq!(page.document.extra(SORT), Some("-mfu"));
}

#[test]
fn examples_and_reset_keep_the_view() {
    let page = after(&Page::new(), Action::Show { key: INFEASIBLE.to_owned(), text: "1".to_owned() });
    let page = after(&page, Action::Begin("#1;m=gpt3-175b;g=dgx-h100;n=1024;seq=2048;pp=8".to_owned()));
    assert_eq!((page.document.text("n"), page.document.extra(INFEASIBLE)), ("1024", Some("1")));
    assert!(page.apply(Action::Begin("nonsense".to_owned())).is_none());
    let page = after(&page, Action::Reset);
    assert_eq!((page.document.text("n"), page.document.extra(INFEASIBLE)), ("512", Some("1")));
    assert!(page.address == Address::Push && page.document.is_planned());
}

#[test]
fn a_preset_suits_the_other_fields_to_itself_and_says_so() {
    let chosen = |page: &Page, key, text: &str| after(page, Action::Choose { key, text: text.to_owned() });
    let page = chosen(&linked(), "m", "gpt3-175b");
    assert!(!page.outcome.stale(), "{:?}", page.outcome.errors);
    assert_eq!(page.document.text("seq"), "2048", "its position table has no more rows");
    let notice = page.notice.as_ref().expect("a notice");
    assert_eq!(notice.kind, NoticeKind::Suited);
    assert!(notice.sentences.iter().any(|sentence| sentence.starts_with("Sequence length is now 2048. ")));
    assert!(typed(&page, "gb", "2048").notice.is_none(), "it goes with the next edit");
    let back = after(&page, Action::Undo);
    assert_eq!((back.document.text("m"), back.document.text("seq")), ("llama3-70b", "8192"));
    assert!(back.notice.is_none());
    for (key, kind) in
        [("m", "m"), ("g", "g")].map(|(key, name)| (key, Field::find(name).expect("a field").kind))
    {
        let crate::fields::FieldKind::Choice(entries) = kind else { panic!("a list") };
        for (name, _) in entries.iter().filter(|entry| entry.0 != linked().document.text(key)) {
            let page = chosen(&linked(), key, name);
            assert!(!page.outcome.stale(), "{name}: {:?}", page.outcome.errors);
        }
    }
}

#[test]
fn a_job_is_ranked_also_when_the_layout_on_the_form_cannot_run_on_it() {
    let ranked = |page: &Page| page.outcome.ranked().map(|forecast| forecast.scenario).expect("a forecast");
    let page = typed(&linked(), "n", "48");
    assert!(page.outcome.stale() && page.outcome.in_legal_layout.is_some());
    assert_eq!(ranked(&page).cluster.gpus, 48);
    let loaded = after(&page, Action::Load(ranked(&page).plan));
    assert!(!loaded.outcome.stale(), "{:?}", loaded.outcome.errors);
    assert_eq!(loaded.outcome.in_legal_layout.as_ref().map(|_| ()), None);
    // An unreadable value gives no job; the last valid one is kept.
    let unread = typed(&linked(), "n", "many");
    assert!(unread.outcome.in_legal_layout.is_none());
    assert_eq!(ranked(&unread).cluster.gpus, 512);
}

/// The layout is the page's until the reader takes one over; fields of it that they set are pinned, and alone.
#[test]
fn the_layout_is_planned_but_for_what_is_pinned() {
    let page = after(&Page::new(), Action::Choose { key: "m", text: "llama2-7b".to_owned() });
    let page = typed(&page, "n", "8");
    assert!(
        page.document.is_planned() && !page.outcome.stale(),
        "a layout stands in: {:?}",
        page.outcome.errors
    );
    assert!(page.outcome.forecast.as_ref().is_some_and(|forecast| forecast.prediction.memory.fits));
    assert_eq!(page.document.text("gb"), "1024", "a number of GPUs changes no batch");
    let plan = Plan { tensor_parallel: 2, sequence_parallel: true, ..Plan::PLAIN };
    let planned = after(&page, Action::Planned(plan));
    assert!(!planned.outcome.stale() && planned.document.is_planned());
    assert_eq!((planned.document.text("tp"), planned.address), ("2", Address::Replace));
    assert!(planned.apply(Action::Planned(plan)).is_none(), "nothing new");
    let undone = after(&planned, Action::Undo);
    assert_eq!(undone.document.text("n"), "512", "the edit before, not the plan");
    let pinned = typed(&planned, "tp", "4");
    assert!(
        pinned.document.is_planned() && pinned.apply(Action::Planned(plan)).is_none(),
        "four is the reader's"
    );
    let four = Plan { tensor_parallel: 4, micro_batch: 2, ..plan };
    assert_eq!(after(&pinned, Action::Planned(four)).document.text("mb"), "2");
    let freed = after(&pinned, Action::Leave(Some("tp")));
    assert!(freed.apply(Action::Planned(plan)).is_some());
    assert!(
        !after(&freed, Action::Load(four)).document.is_planned(),
        "a row that is taken is the reader's choice"
    );
}

/// A number of GPUs changes no batch, another machine has the same batch, and what does follow is said.
#[test]
fn what_follows_from_a_choice_is_said_and_nothing_else_changes() {
    let opening = Page::new();
    let fewer = typed(&opening, "n", "16");
    assert_eq!((fewer.document.text("gb"), fewer.document.is_set("gb")), ("512", true));
    assert_eq!(typed(&fewer, "n", "1024").document.text("gb"), "512");
    let choose = |page: &Page, key, text: &str| after(page, Action::Choose { key, text: text.to_owned() });
    let amd = choose(&opening, "g", "mi300x");
    assert_eq!([amd.document.text("stack"), amd.document.text("gb")], ["megatron-lm", "512"]);
    let said = amd.notice.as_ref().map(|notice| notice.sentences.join(" ")).unwrap_or_default();
    assert!(said.starts_with("Software changed from ") && !said.contains("batch"), "{said}");
    let own = choose(&choose(&opening, "stack", "torchtitan"), "g", "mi300x");
    assert_eq!(own.document.text("stack"), "torchtitan", "it was set by hand");
    let gpt = choose(&opening, "m", "gpt3-175b");
    let said = gpt.notice.as_ref().map(|notice| notice.sentences.join(" ")).unwrap_or_default();
    assert!(said.contains("Sequence length changed from 8192 to 2048"), "{said}");
}

/// A far longer sequence brings a batch of about as many tokens, unless the reader has set the batch.
#[test]
fn a_sequence_brings_its_batch() {
    let said =
        |page: &Page| page.notice.as_ref().map(|notice| notice.sentences.join(" ")).unwrap_or_default();
    let page = after(&Page::new(), Action::Choose { key: "m", text: "llama3-8b".to_owned() });
    let page = typed(&page, "n", "16");
    assert_eq!((page.document.text("gb"), page.document.is_set("gb")), ("512", true));
    let long = typed(&typed(&page, "seq", "1"), "seq", "1M");
    assert_eq!((long.document.text("gb"), long.document.is_set("gb")), ("2", false));
    assert_eq!(said(&long), "Global batch changed from 512 to 2, the default for this sequence length.");
    assert_eq!(after(&long, Action::Undo).document.text("gb"), "512");
    let own = typed(&typed(&page, "gb", "64"), "seq", "1M");
    assert_eq!((own.document.text("gb"), said(&own)), ("64", String::new()));
}

/// What a pinned field makes impossible is said at it, and not planned away.
#[test]
fn a_pinned_field_that_cannot_be_stays_as_typed() {
    let page = typed(&Page::new(), "tp", "3");
    assert!(page.document.is_planned() && page.outcome.stale());
    assert_eq!(page.document.text("tp"), "3");
    let ranked = page.outcome.ranked().expect("some layout").scenario.plan;
    assert!(page.apply(Action::Planned(ranked)).is_none());
}

/// A single rank has no group to split a sequence over: the switch is not an error.
#[test]
fn sequence_parallelism_waits_for_a_tensor_parallel_group() {
    let page = typed(&linked(), "tp", "1");
    assert!(!page.outcome.stale(), "{:?}", page.outcome.errors);
    let plan = |page: &Page| page.outcome.forecast.as_ref().map(|one| one.scenario.plan.sequence_parallel);
    assert_eq!((plan(&page), page.document.text("sp")), (Some(false), "1"));
    assert_eq!(plan(&typed(&page, "tp", "4")), Some(true));
}

/// The previous job's layout does not change the number of GPUs that was just chosen.
#[test]
fn what_is_chosen_is_not_changed_to_suit_a_layout_that_the_page_chose() {
    let odd = Plan { tensor_parallel: 8, context_parallel: 2, pipeline_parallel: 16, ..Plan::PLAIN };
    let page = after(&Page::new(), Action::Planned(Plan { sequence_parallel: true, ..odd }));
    let values =
        [("m", "llama2-13b"), ("g", "dgx-h100"), ("n", "192")].map(|(key, text)| (key, text.to_owned()));
    let page = after(&page, Action::Set(values.to_vec()));
    assert_eq!((page.document.text("n"), page.document.text("m")), ("192", "llama2-13b"));
    assert!(!page.outcome.stale(), "{:?}", page.outcome.errors);
}

#[test]
fn several_fields_are_set_as_one_choice() {
    let values = vec![("g", "hgx-h800".to_owned()), ("n", "2048".to_owned())];
    let page = after(&Page::new(), Action::Set(values.clone()));
    assert_eq!((page.document.text("g"), page.document.text("n")), ("hgx-h800", "2048"));
    assert_eq!(page.address, Address::Push);
    assert!(page.apply(Action::Set(values)).is_none(), "nothing new");
    assert_eq!(after(&page, Action::Undo).document.text("g"), "dgx-h100");
}

/// A link says a layout, be it the default; the layout stays with it.
#[test]
fn the_layout_of_a_link_stays() {
    let link = Document::from_link("#1;m=llama3-70b;g=dgx-h100;n=512");
    let page = typed(&Page::opened(link), "gb", "2048");
    assert!(!page.document.is_planned());
    let auto = Document::from_link("#1;m=llama3-70b;g=dgx-h100;n=512;v.auto=1");
    assert!(typed(&Page::opened(auto), "gb", "2048").document.is_planned());
}

/// Whatever job is chosen next, the page shows a layout that runs, and that fits where states alone leave it ample room: a
/// bound that knows of no layout.
#[test]
fn five_hundred_changes_never_leave_the_page_on_what_cannot_run() {
    use crate::fields::FieldKind;
    /// Weights and gradients in 16 bits, and optimizer states: master weights and two moments in 32 bits.
    const STATES: f64 = 16.0;
    let list = |key: &str| match Field::find(key).expect("a field").kind {
        FieldKind::Choice(entries) => entries,
        _ => panic!("a list"),
    };
    let (models, machines) = (list("m"), list("g"));
    let mut state = 1_u32;
    let mut below = |limit: usize| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) as usize % limit
    };
    let mut page = Page::new();
    let mut unfit = 0;
    for change in 0..500 {
        let (key, text) = match change % 3 {
            0 => ("m", models[below(models.len())].0.to_owned()),
            1 => ("g", machines[below(machines.len())].0.to_owned()),
            _ => ("n", (8_u32 << below(9)).to_string()),
        };
        page = page.apply(Action::Choose { key, text }).unwrap_or(page);
        let job = page.document.values().expect("numbers");
        let shown = page.outcome.forecast.as_ref().filter(|_| !page.outcome.stale());
        if shown.is_some_and(|shown| shown.prediction.memory.fits) {
            continue;
        }
        unfit += 1;
        assert!(shown.is_some() || in_some_layout(&job).is_none(), "{}", page.document.to_link());
        let gpu = &job.cluster.gpu;
        let states = STATES * job.model.parameters() as f64 / f64::from(job.cluster.gpus) / gpu.memory.0;
        assert!(states > 0.25, "{}: states take {states} of the memory", page.document.to_link());
    }
    assert!(unfit < 250, "{unfit} of 500 jobs have no layout that fits");
}

#[test]
fn a_custom_model_is_renamed_and_keeps_its_layout() {
    let page = Page::opened(Document::from_link("#2;m=custom;g=dgx-h100;n=64;layers=30;name=Ours"));
    let plan = crate::scenario::plan::Plan { micro_batch: 1, ..page.document.values().expect("legal").plan };
    let planned = page.apply(Action::Planned(plan)).unwrap_or(page);
    let renamed = after(&planned, Action::Choose { key: MODEL_NAME, text: " Ours, 7B ".to_owned() });
    assert_eq!(renamed.document.label("m"), "Ours, 7B");
    assert_eq!(renamed.document.scenario(), planned.document.scenario());
    assert_eq!(after(&renamed, Action::Undo).document.label("m"), "Ours");
}
