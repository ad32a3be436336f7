//! The ranked table: only the rows in sight are in the document.

use crate::store::{Dispatch, use_dispatch};
use stepcast::number;
use stepcast::page_state::columns::Column;
use stepcast::page_state::page::{Action, SORT, sorted_by};
use stepcast::page_state::ranking::{Query, columns};
use stepcast::page_state::summary;
use stepcast::scenario::Scenario;
use stepcast::scenario::plan::Plan;
use stepcast::tuner::Candidate;
use stepcast_web_kit::Shared;
use stepcast_web_kit::browser;
use wasm_bindgen::JsCast as _;
use web_sys::{Element, HtmlElement};
use yew::prelude::*;

/// Rows kept in the document above and below those in sight.
const MARGIN: usize = 8;

/// Rows that are drawn before the height of a row is known.
const FIRST: usize = 24;

#[derive(Properties, PartialEq)]
pub(crate) struct RankTableProps {
    pub(crate) rows: Shared<Vec<Candidate>>,
    pub(crate) order: Shared<Vec<usize>>,
    pub(crate) query: Query,
    /// The first rows are on their way.
    pub(crate) awaited: bool,
    /// The job.
    pub(crate) scenario: Scenario,
    /// The plan on the form, unless it cannot run on the job.
    pub(crate) current: Option<Plan>,
    pub(crate) load: Callback<Plan>,
    /// What a job may take of one GPU's memory, GiB.
    pub(crate) usable_gib: f64,
}

/// Part of the table that is in sight.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Window {
    /// Scroll offset, CSS pixels.
    top: f64,
    /// Height of the scrolled area, CSS pixels.
    height: f64,
    /// Height of one row, CSS pixels; 0 while unknown.
    row: f64,
}

impl Window {
    /// First row to draw and the row after the last.
    fn range(&self, count: usize) -> (usize, usize) {
        if self.row <= 0.0 {
            return (0, count.min(FIRST));
        }
        let first = ((self.top / self.row) as usize).saturating_sub(MARGIN);
        let shown = (self.height / self.row).ceil() as usize + 2 * MARGIN;
        let first = first.min(count.saturating_sub(1));
        (first, (first + shown).min(count))
    }
}

/// How much of the table is in sight, measured after each drawing, and what measures it when it is scrolled.
#[hook]
fn use_window(frame: &NodeRef) -> (Window, Callback<Event>) {
    let window = use_state_eq(|| Window { top: 0.0, height: 0.0, row: 0.0 });
    let update = {
        let (frame, window) = (frame.clone(), window.clone());
        move || {
            if let Some(now) = frame.cast::<HtmlElement>().and_then(|frame| measure(&frame, window.row)) {
                window.set(now);
            }
        }
    };
    use_effect(update.clone());
    (*window, Callback::from(move |_: Event| update()))
}

/// The table in its scrolled frame.
#[component]
pub(crate) fn RankTable(props: &RankTableProps) -> Html {
    let dispatch = use_dispatch();
    let frame = use_node_ref();
    let (window, scroll) = use_window(&frame);
    let active = use_state_eq(|| None::<usize>);
    let count = props.order.len();
    let shown = use_memo((props.rows.clone(), props.query.clone()), |(rows, _)| columns(rows));
    // Another order starts at its top.
    {
        let frame = frame.clone();
        let active = active.setter();
        use_effect_with(props.query.clone(), move |_| {
            active.set(None);
            if let Some(frame) = frame.cast::<HtmlElement>() {
                frame.set_scroll_top(0);
            }
        });
    }
    let keys = keys(props, &frame, window, *active, active.setter());
    let click = click(props, active.setter());
    let (first, last) = window.range(count);
    let above = first as f64 * window.row;
    let below = count.saturating_sub(last) as f64 * window.row;
    let span = (shown.len() + 1).to_string();
    html! {
        <div class={classes!("table-frame", "rank-frame", props.awaited.then_some("awaited"))} ref={frame} onscroll={scroll} onkeydown={keys}
            tabindex="0" role="group" aria-label="Ranked layouts: arrow keys move, Enter uses a layout"
            aria-activedescendant={active.filter(|place| (first..last).contains(place)).map(|place| format!("rank-{place}"))}>
            <table class="data rank" aria-rowcount={(count + 1).to_string()}>
                <caption class="visually-hidden">
                    { "Legal layouts. The buttons in the headings sort; a click on a row uses its layout." }
                </caption>
                <thead>
                    <tr aria-rowindex="1">
                        <th scope="col">{ "#" }</th>
                        for column in shown.iter() {
                            { heading(*column, &props.query, &dispatch) }
                        }
                    </tr>
                </thead>
                <tbody onclick={click}>
                    { spacer("above", above, &span) }
                    for place in first..last {
                        { row(props, &shown, place, *active == Some(place)) }
                    }
                    { spacer("below", below, &span) }
                </tbody>
            </table>
            if count == 0 && !props.awaited {
                <p class="empty">{ "No layout to show." }</p>
            }
        </div>
    }
}

fn measure(frame: &HtmlElement, known: f64) -> Option<Window> {
    let row = frame.query_selector("tbody tr.layout").ok()?;
    let row = row.map_or(known, |row| row.get_bounding_client_rect().height());
    Some(Window { top: f64::from(frame.scroll_top()), height: f64::from(frame.client_height()), row })
}

/// Scrolls a row into the middle of the table.
pub(super) fn show(place: usize) {
    let frame = browser::document().and_then(|document| document.query_selector(".rank-frame").ok()?);
    let frame = frame.and_then(|frame| frame.dyn_into::<HtmlElement>().ok());
    if let Some((frame, window)) = frame.and_then(|frame| Some((frame.clone(), measure(&frame, 0.0)?))) {
        frame.set_scroll_top((place as f64 * window.row - window.height / 2.0).max(0.0) as i32);
        let _ = frame.focus();
    }
}

/// Place in the order of the row that was clicked.
fn place_of(event: &MouseEvent) -> Option<usize> {
    let row = event.target_dyn_into::<Element>()?.closest("tr[data-place]").ok()??;
    row.get_attribute("data-place")?.parse().ok()
}

/// Loads the layout of the row that is clicked.
fn click(props: &RankTableProps, set_active: UseStateSetter<Option<usize>>) -> Callback<MouseEvent> {
    let (rows, order, load) = (props.rows.clone(), props.order.clone(), props.load.clone());
    Callback::from(move |event: MouseEvent| {
        let Some(place) = place_of(&event) else { return };
        set_active.set(Some(place));
        if let Some(row) = order.get(place).and_then(|index| rows.get(*index)) {
            load.emit(row.plan);
        }
    })
}

fn keys(
    props: &RankTableProps,
    frame: &NodeRef,
    window: Window,
    active: Option<usize>,
    set_active: UseStateSetter<Option<usize>>,
) -> Callback<KeyboardEvent> {
    let frame = frame.clone();
    let (rows, order) = (props.rows.clone(), props.order.clone());
    let load = props.load.clone();
    Callback::from(move |event: KeyboardEvent| {
        let last = order.len().saturating_sub(1);
        let page = ((window.height / window.row.max(1.0)) as usize).saturating_sub(2).max(1);
        let place = match (event.key().as_str(), active) {
            // Buttons of the headings keep their own keys.
            _ if event.target_dyn_into::<Element>().is_some_and(|target| target.tag_name() == "BUTTON") => {
                return;
            }
            ("Enter" | " ", Some(place)) => {
                event.prevent_default();
                if let Some(row) = order.get(place).and_then(|index| rows.get(*index)) {
                    load.emit(row.plan);
                }
                return;
            }
            ("ArrowDown" | "ArrowUp" | "Home" | "PageDown" | "PageUp", None) => 0,
            ("ArrowDown", Some(place)) => place + 1,
            ("ArrowUp", Some(place)) => place.saturating_sub(1),
            ("PageDown", Some(place)) => place + page,
            ("PageUp", Some(place)) => place.saturating_sub(page),
            ("Home", Some(_)) => 0,
            ("End", _) => last,
            _ => return,
        };
        event.prevent_default();
        let place = place.min(last);
        set_active.set(Some(place));
        if let Some(frame) = frame.cast::<HtmlElement>() {
            reveal(&frame, place, window);
        }
    })
}

/// Scrolls a row into sight, clear of the heading that stays on top.
fn reveal(frame: &HtmlElement, place: usize, window: Window) {
    let top = place as f64 * window.row;
    let head = frame.query_selector("thead").ok().flatten();
    let head = head.map_or(0.0, |head| head.get_bounding_client_rect().height());
    let scrolled = f64::from(frame.scroll_top());
    let room = f64::from(frame.client_height()) - head - window.row;
    if top < scrolled {
        frame.set_scroll_top(top as i32);
    } else if top > scrolled + room {
        frame.set_scroll_top((top - room).ceil() as i32);
    }
}

/// Keeps the height of rows that are not in the document. A drawing's height is an attribute, which
/// the content security policy allows, unlike an inline style.
fn spacer(key: &'static str, height: f64, span: &str) -> Html {
    if height <= 0.0 {
        return html! {};
    }
    html! {
        <tr {key} class="spacer" aria-hidden="true">
            <td colspan={span.to_owned()}><svg width="1" height={(height.round() as u64).to_string()}></svg></td>
        </tr>
    }
}

fn row(props: &RankTableProps, shown: &[Column], place: usize, active: bool) -> Html {
    let Some(row) = props.order.get(place).and_then(|index| props.rows.get(*index)) else { return html! {} };
    let current = props.current == Some(row.plan);
    let name = format!("Use layout {}: {}", place + 1, summary::layout(&row.plan, row.data_parallel));
    let classes = classes!(
        "layout",
        current.then_some("current"),
        active.then_some("active"),
        (!row.fits).then_some("unfit"),
    );
    html! {
        <tr key={place} id={format!("rank-{place}")} class={classes} data-place={place.to_string()}
            aria-rowindex={(place + 2).to_string()} aria-current={current.then_some("true")}>
            <td><button type="button" tabindex="-1" aria-label={name}>{ place + 1 }</button></td>
            for column in shown.iter().copied() {
                <td key={column.key()} class={classes!(words(column).then_some("words"))}>{ cell(props, column, row) }</td>
            }
        </tr>
    }
}

fn cell(props: &RankTableProps, column: Column, row: &Candidate) -> Html {
    let text = column.text(row);
    if column == Column::Memory && !row.fits {
        let over = number::significant(row.peak_memory.gib() - props.usable_gib, 3);
        let why = format!(
            "Needs {text} GiB; {} GiB of each GPU are usable.",
            number::significant(props.usable_gib, 3)
        );
        return html! { <>{ text }<span class="over" title={why}>{ format!(" {over} too much") }</span></> };
    }
    if column == Column::Step {
        let scenario = Scenario { plan: row.plan, ..props.scenario };
        return html! { <span title={summary::interval_of(&scenario, row.step)}>{ text }</span> };
    }
    html! { text }
}

fn words(column: Column) -> bool {
    matches!(column, Column::Recompute | Column::Sequence)
}

/// The heading of a column: a button that sorts.
fn heading(column: Column, query: &Query, dispatch: &Dispatch) -> Html {
    let sorted = query.sort == column;
    let (order, glyph) = match (sorted, query.descending) {
        (false, _) => (None, "\u{2195}"),
        (true, false) => (Some("ascending"), "\u{2191}"),
        (true, true) => (Some("descending"), "\u{2193}"),
    };
    let next = sorted_by(query, column);
    let dispatch = dispatch.clone();
    let sort = Callback::from(move |_: MouseEvent| {
        dispatch.emit(Action::Show { key: SORT.to_owned(), text: next.clone() });
    });
    html! {
        <th key={column.key()} scope="col" aria-sort={order} class={classes!(words(column).then_some("words"))}>
            <button type="button" onclick={sort} title={column.help()}>
                { column.label() }
                if !column.unit().is_empty() {
                    <span class="heading-unit">{ format!(" {}", column.unit()) }</span>
                }
                <span class="glyph" aria-hidden="true">{ glyph }</span>
            </button>
        </th>
    }
}
