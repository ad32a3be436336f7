//! The table of measured runs, a page at a time. Each run loads into the form.

use super::load::AccuracyData;
use crate::root::PanelProps;
use stepcast::number;
use stepcast::page_state::accuracy::{PAGE, ROWS, RunsColumn, RunsQuery, SORT, holds};
use stepcast::page_state::summary;
use stepcast::units::Seconds;
use stepcast::validate::RunResult;
use stepcast_web_kit::Shared;
use stepcast_web_kit::browser;
use yew::prelude::*;

#[derive(Properties, Clone, PartialEq)]
pub(super) struct RunsProps {
    pub(super) panel: PanelProps,
    pub(super) measured: Shared<AccuracyData>,
    pub(super) query: RunsQuery,
}

/// The table and what turns its pages.
#[component]
pub(super) fn Runs(props: &RunsProps) -> Html {
    let RunsProps { panel, measured, query } = props;
    let order = use_memo((measured.clone(), query.clone()), |(measured, query)| {
        query.arrange(&measured.runs, &measured.report.rows)
    });
    let pages = order.len().div_ceil(ROWS).max(1);
    let page = query.page.min(pages - 1);
    let turn = |label: &'static str, to: Option<usize>| {
        let (show, disabled) = (panel.show.clone(), to.is_none());
        let to = to.unwrap_or(page) + 1;
        let onclick = Callback::from(move |_: MouseEvent| show.emit((PAGE, to.to_string())));
        html! { <button type="button" class="quiet" {disabled} {onclick}>{ label }</button> }
    };
    let first = page * ROWS;
    let last = (first + ROWS).min(order.len());
    html! {
        <>
            <div class="tools">
                <span id="accuracy-shown">{ format!(
                    "Runs {} to {} of {}. Click a name to load the run.",
                    number::integer((first + 1).min(last) as u64), number::integer(last as u64),
                    number::integer(order.len() as u64)
                ) }</span>
                <span class="pair">
                    { turn("Previous", page.checked_sub(1)) }
                    { turn("Next", Some(page + 1).filter(|next| *next < pages)) }
                </span>
            </div>
            <div class="table-frame" tabindex="0" role="group" aria-label="Measured runs">
                <table class="data runs" id="accuracy-runs">
                    <caption class="visually-hidden">
                        { "Measured runs. Click a heading to sort, or a name to load the run." }
                    </caption>
                    <thead>
                        <tr>{ for RunsColumn::ALL.into_iter().map(|column| heading(column, query, panel)) }</tr>
                    </thead>
                    <tbody>
                        for index in order.get(first..last).unwrap_or_default() {
                            { row(props, *index) }
                        }
                    </tbody>
                </table>
            </div>
        </>
    }
}

fn heading(column: RunsColumn, query: &RunsQuery, panel: &PanelProps) -> Html {
    let (order, glyph) = match (query.sort == column, query.descending) {
        (false, _) => (None, "\u{2195}"),
        (true, false) => (Some("ascending"), "\u{2191}"),
        (true, true) => (Some("descending"), "\u{2193}"),
    };
    let (show, next) = (panel.show.clone(), query.sorted_by(column));
    let sort = Callback::from(move |_: MouseEvent| {
        show.emit((SORT, next.clone()));
        show.emit((PAGE, String::new()));
    });
    html! {
        <th key={column.key()} scope="col" aria-sort={order} class={classes!(column.words().then_some("words"))}>
            <button type="button" onclick={sort}>
                { column.label() }
                <span class="glyph" aria-hidden="true">{ glyph }</span>
            </button>
        </th>
    }
}

fn row(props: &RunsProps, index: usize) -> Html {
    let RunsProps { panel, measured, .. } = props;
    let (Some(run), Some(row), Some(link)) =
        (measured.runs.get(index), measured.report.rows.get(index), measured.links.get(index))
    else {
        return html! {};
    };
    let (begin, link) = (panel.begin.clone(), link.clone());
    let load = Callback::from(move |_: MouseEvent| {
        begin.emit(link.to_string());
        if let Some(headline) = browser::element("summary") {
            headline.scroll_into_view();
        }
    });
    html! {
        <tr key={run.id.clone()} class={classes!(row.dropped.then_some("kind-total"))}>
            for column in RunsColumn::ALL {
                if column == RunsColumn::Id {
                    <th scope="row" class="words">
                        <button type="button" class="suggestion" onclick={load.clone()}
                            title="Load this run">{ &run.id }</button>
                    </th>
                } else {
                    <td key={column.key()} data-label={column.label()} title={told(column, row)} class={classes!(
                        column.words().then_some("words"),
                        (column == RunsColumn::Interval && !row.dropped && holds(row) == Some(false)).then_some("over"),
                    )}>{ column.text(run, row) }</td>
                }
            }
        </tr>
    }
}

/// Content after a cell.
fn told(column: RunsColumn, row: &RunResult) -> Option<String> {
    let (low, high) = row.low_s.zip(row.high_s)?;
    (column == RunsColumn::Interval).then(|| summary::interval(Seconds(low), Seconds(high)))
}
