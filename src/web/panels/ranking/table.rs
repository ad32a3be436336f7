//! The ranked table: only visible rows are in the document.

use super::{link_of, say};
use crate::root::Show;
use std::rc::Rc;
use stepcast::calibrate::own::OwnCalibration;
use stepcast::document::Document;
use stepcast::forecast::Predictor;
use stepcast::number;
use stepcast::page_state::columns::{ColumnReader, RankingColumn};
use stepcast::page_state::jobs::{JOBS, is_compared, toggled_with};
use stepcast::page_state::query::{Arranged, SORT, UNFOLDED, sorted_by, unfolded_with};
use stepcast::page_state::ranking::{RankingQuery, Room};
use stepcast::page_state::summary;
use stepcast::page_state::your_runs::predictor_of;
use stepcast::scenario::Scenario;
use stepcast::scenario::plan::Plan;
use stepcast::tuner::{Candidate, Margin};
use stepcast_web_kit::Shared;
use stepcast_web_kit::browser;
use stepcast_web_kit::hooks::use_effect_with;
use wasm_bindgen::JsCast as _;
use web_sys::{Element, HtmlElement};
use yew::prelude::*;

/// Contents below a row.
const VARIANTS: &str =
    "Variants with a step time within 2\u{a0}%: virtual stages, layers per stage, sharding";

/// Rows kept in the document above and below the visible ones.
const MARGIN: usize = 8;

/// Rows that are drawn before the height of a row is known.
const FIRST: usize = 24;

/// By how little heights of rows may differ and be taken as one, CSS pixels: a row with variants may stand a part of a pixel higher, and a
/// table that took now this height and now that would never settle.
const SAME_HEIGHT: f64 = 1.5;

#[derive(Properties, PartialEq)]
pub(crate) struct RankTableProps {
    pub(crate) rows: Shared<Vec<Candidate>>,
    pub(crate) arranged: Shared<Arranged>,
    /// Holds the view state.
    pub(crate) document: Shared<Document>,
    /// Share of memory to leave free.
    pub(crate) margin: Margin,
    /// The first rows are on their way.
    pub(crate) awaited: bool,
    /// The job.
    pub(crate) scenario: Scenario,
    /// The plan on the form, unless it cannot run on the job.
    pub(crate) current: Option<Plan>,
    /// What the reader's measured steps say of it.
    pub(crate) own: Option<Rc<OwnCalibration>>,
    pub(crate) show: Show,
    /// Puts the layout of a job, given as a link, on the form.
    pub(crate) take: Callback<String>,
}

/// The visible part of the table.
#[derive(Debug, Clone, Copy, PartialEq)]
struct RowWindow {
    /// Scroll offset, CSS pixels.
    top: f64,
    /// Height of the scrolled area, CSS pixels.
    height: f64,
    /// Height of one row, CSS pixels; 0 while unknown.
    row: f64,
}

impl RowWindow {
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

/// The visible part of the table, measured after each drawing, and its scroll listener.
#[hook]
fn use_window(frame: &NodeRef) -> (RowWindow, Callback<Event>) {
    let window = use_state_eq(|| RowWindow { top: 0.0, height: 0.0, row: 0.0 });
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
    let frame = use_node_ref();
    let (window, scroll) = use_window(&frame);
    let active = use_state_eq(|| None::<usize>);
    let Arranged { query, places, columns: shown, key, .. } = &*props.arranged;
    let count = places.len();
    // Another order starts at its top.
    {
        let frame = frame.clone();
        let active = active.setter();
        use_effect_with(key.clone(), move |_| {
            active.set(None);
            if let Some(frame) = frame.cast::<HtmlElement>() {
                frame.set_scroll_top(0);
            }
        });
    }
    let act = act(props, active.setter());
    let keys = keys(count, &frame, window, *active, active.setter(), act.clone());
    let click = click(act);
    let (first, last) = window.range(count);
    let above = first as f64 * window.row;
    let below = count.saturating_sub(last) as f64 * window.row;
    let span = (shown.len() + 1).to_string();
    let mut readers: Vec<ColumnReader> = shown.iter().map(|column| column.reader(&props.scenario)).collect();
    html! {
        <div class={classes!("table-frame", "rank-frame", props.awaited.then_some("awaited"))} ref={frame} onscroll={scroll} onkeydown={keys}
            tabindex="0" role="group" aria-label="Ranked layouts: arrow keys move, Enter uses a layout, Space adds a layout to the comparison, right arrow shows variants"
            aria-activedescendant={active.filter(|place| (first..last).contains(place)).map(|place| format!("rank-{place}"))}>
            <table class="data rank" aria-rowcount={(count + 1).to_string()}>
                <caption class="visually-hidden">
                    { "Layouts. Click a heading to sort (Shift-click to add a column), a row to use its layout, or a checkbox to compare." }
                </caption>
                <thead>
                    <tr aria-rowindex="1">
                        <th scope="col">{ "#" }</th>
                        for column in shown.iter() {
                            { heading(*column, query, &props.show) }
                        }
                    </tr>
                </thead>
                <tbody onclick={click}>
                    { spacer("above", above, &span) }
                    for place in first..last {
                        { row(props, &mut readers, place, *active == Some(place)) }
                    }
                    { spacer("below", below, &span) }
                </tbody>
            </table>
            if count == 0 && !props.awaited {
                <p class="empty">{ "No layouts." }</p>
            }
        </div>
    }
}

/// The visible part of the table; nothing for a hidden one, which keeps its place.
fn measure(frame: &HtmlElement, known: f64) -> Option<RowWindow> {
    if frame.client_height() == 0 {
        return None;
    }
    let row = frame.query_selector("tbody tr.layout").ok()?;
    let row = row.map_or(known, |row| row.get_bounding_client_rect().height());
    let row = if (row - known).abs() < SAME_HEIGHT { known } else { row };
    Some(RowWindow { top: f64::from(frame.scroll_top()), height: f64::from(frame.client_height()), row })
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

/// Something done to a row.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Deed {
    /// Its layout is set on the form.
    Use,
    /// It is compared, or no longer.
    Compare,
    /// Its variants are shown, or put away; only where they are not yet as wished.
    Unfold(Option<bool>),
}

/// Does something to the row of a place.
fn act(props: &RankTableProps, set_active: UseStateSetter<Option<usize>>) -> Callback<(usize, Deed)> {
    let (rows, arranged) = (props.rows.clone(), props.arranged.clone());
    let (document, job) = (props.document.clone(), props.scenario);
    let (show, take) = (props.show.clone(), props.take.clone());
    Callback::from(move |(at, deed): (usize, Deed)| {
        set_active.set(Some(at));
        let Some(place) = arranged.places.get(at) else { return };
        let Some(row) = rows.get(place.row) else { return };
        let open = arranged.query.unfolded.contains(&row.number);
        match deed {
            Deed::Use => take.emit(link_of(&job, row.plan)),
            Deed::Compare => {
                say(&show, JOBS, toggled_with(&document, &Scenario { plan: row.plan, ..job }));
            }
            Deed::Unfold(wished) if place.alike > 0 && wished != Some(open) => {
                say(&show, UNFOLDED, unfolded_with(&arranged.query, row.number));
            }
            Deed::Unfold(_) => {}
        }
    })
}

/// What a click on a row does: mostly, it uses its layout.
fn click(act: Callback<(usize, Deed)>) -> Callback<MouseEvent> {
    Callback::from(move |event: MouseEvent| {
        let Some(target) = event.target_dyn_into::<Element>() else { return };
        let row = target.closest("tr[data-place]").ok().flatten();
        let place = row.and_then(|row| row.get_attribute("data-place")?.parse().ok());
        let Some(place) = place else { return };
        // The third module shows the flags.
        if target.has_attribute("data-flags") {
            return;
        }
        let deed = match target.class_name().as_str() {
            "pin" => Deed::Compare,
            "alike" => Deed::Unfold(None),
            _ => Deed::Use,
        };
        act.emit((place, deed));
    })
}

fn keys(
    count: usize,
    frame: &NodeRef,
    window: RowWindow,
    active: Option<usize>,
    set_active: UseStateSetter<Option<usize>>,
    act: Callback<(usize, Deed)>,
) -> Callback<KeyboardEvent> {
    let frame = frame.clone();
    Callback::from(move |event: KeyboardEvent| {
        let last = count.saturating_sub(1);
        let page = ((window.height / window.row.max(1.0)) as usize).saturating_sub(2).max(1);
        let deed = match event.key().as_str() {
            // Buttons of the headings keep their own keys.
            _ if event.target_dyn_into::<Element>().is_some_and(|target| target.tag_name() == "BUTTON") => {
                return;
            }
            "Enter" => Some(Deed::Use),
            " " => Some(Deed::Compare),
            "ArrowRight" => Some(Deed::Unfold(Some(true))),
            "ArrowLeft" => Some(Deed::Unfold(Some(false))),
            _ => None,
        };
        if let (Some(deed), Some(place)) = (deed, active) {
            event.prevent_default();
            act.emit((place, deed));
            return;
        }
        let place = match (event.key().as_str(), active) {
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
fn reveal(frame: &HtmlElement, place: usize, window: RowWindow) {
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

fn row(props: &RankTableProps, readers: &mut [ColumnReader], at: usize, active: bool) -> Html {
    let Some(place) = props.arranged.places.get(at) else { return html! {} };
    let Some(row) = props.rows.get(place.row) else { return html! {} };
    let current = props.current == Some(row.plan);
    let room = Room::of(row, props.margin);
    let tied =
        props.rows.first().is_some_and(|fastest| Predictor::SHIPPED.are_tied(&props.scenario, fastest, row));
    let compared = is_compared(&props.document, &Scenario { plan: row.plan, ..props.scenario });
    let layout = summary::layout(&row.plan, row.data_parallel);
    let unfolded = props.arranged.query.unfolded.contains(&row.number);
    let classes = classes!(
        "layout",
        current.then_some("current"),
        active.then_some("active"),
        tied.then_some("tied"),
        place.beneath.then_some("beneath"),
        match room {
            Room::Comfortable => None,
            Room::Tight => Some("tight"),
            Room::Unfit => Some("unfit"),
        },
    );
    html! {
        <tr key={at} id={format!("rank-{at}")} class={classes} data-place={at.to_string()}
            aria-rowindex={(at + 2).to_string()} aria-current={current.then_some("true")}>
            <td class="rank-cell">
                <input type="checkbox" class="pin" tabindex="-1" checked={compared} title="Add to comparison" aria-label={format!("Compare layout {}", place.rank)} />
                if tied {
                    <span title="Within model error of the fastest layout.">{ "\u{2248}" }</span>
                }
                <button type="button" tabindex="-1" aria-label={format!("Use layout {}: {layout}", place.rank)}>{ place.rank }</button>
                if place.alike > 0 {
                    <button type="button" class="alike" tabindex="-1" aria-expanded={unfolded.to_string()}
                        title={VARIANTS}>{ format!("+{} similar", number::integer(place.alike as u64)) }</button>
                }
                <button type="button" class="row-flags" tabindex="-1" title="Copy flags"
                    data-flags={link_of(&props.scenario, row.plan)} aria-label={format!("Copy flags of layout {}", place.rank)}></button>
            </td>
            for reader in readers.iter_mut() {
                {
                    {
                        let column = reader.column();
                        let text = reader.text(row);
                        html! {
                            <td key={column.key()} class={classes!(column.has_words().then_some("words"))}>{ cell(props, column, text, row, room) }</td>
                        }
                    }
                }
            }
        </tr>
    }
}

fn cell(props: &RankTableProps, column: RankingColumn, text: String, row: &Candidate, room: Room) -> Html {
    if column == RankingColumn::MEMORY {
        let usable = number::significant(row.peak_memory.gib() + row.free().gib(), 3);
        let left = number::fixed(row.free().gib().abs(), 1);
        let (class, note) = match room {
            Room::Comfortable => ("free", format!(" {left} headroom")),
            Room::Tight => ("free scarce", format!(" {left} headroom, tight")),
            Room::Unfit => ("over", format!(" {left} over")),
        };
        let why = format!("Usable memory per GPU: {usable} GiB.");
        return html! { <>{ text }<span {class} title={why}>{ note }</span></> };
    }
    if column == RankingColumn::STEP {
        let scenario = Scenario { plan: row.plan, ..props.scenario };
        return html! { <span title={summary::interval_of(&predictor_of(props.own.as_deref()), &scenario, row.step)}>{ text }</span> };
    }
    html! { text }
}

/// The heading of a column: a button that sorts.
fn heading(column: RankingColumn, query: &RankingQuery, show: &Show) -> Html {
    let place = query.sort.iter().position(|sorted| sorted.0 == column);
    let sorted = place.and_then(|place| query.sort.get(place));
    let glyph = match sorted {
        None => "\u{2195}",
        Some((_, false)) => "\u{2191}",
        Some((_, true)) => "\u{2193}",
    };
    // Only the column that sorts before the others is said to.
    let order =
        sorted.filter(|_| place == Some(0)).map(|sorted| if sorted.1 { "descending" } else { "ascending" });
    let ordinal = place.filter(|_| query.sort.len() > 1).map(|place| place + 1);
    let next = [false, true].map(|more| sorted_by(query, column, more));
    let show = show.clone();
    let sort = Callback::from(move |event: MouseEvent| {
        say(&show, SORT, next[usize::from(event.shift_key())].as_str());
    });
    html! {
        <th key={column.key()} scope="col" aria-sort={order} class={classes!(column.has_words().then_some("words"))}>
            <button type="button" onclick={sort} title={column.help()}>
                { column.label() }
                if !column.unit().is_empty() {
                    <span class="heading-unit">{ format!(" {}", column.unit()) }</span>
                }
                <span class="glyph" aria-hidden="true">{ glyph }{ ordinal }</span>
            </button>
        </th>
    }
}
