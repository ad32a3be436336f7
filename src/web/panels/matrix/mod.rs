//! The communication matrix: its controls, the way back from a zoom, the heatmap, and the sums.

mod heatmap;

use crate::messages::orders;
use crate::root::{PanelProps, problems};
use crate::widgets::controls::{Pick, entries};
use crate::widgets::sheet::Sheet;
use heatmap::Heatmap;
use std::rc::Rc;
use stepcast::error::FieldError;
use stepcast::number;
use stepcast::page_state::communication::{
    AXES, CONVENTION, KIND, Window, ZOOM, algorithm, busiest, deeper, kind, kind_key, order, shallower,
    summary, to_csv, windows,
};
use stepcast::traffic::{Cell, Kind, Matrix, Tier};
use stepcast::units::Bytes;
use stepcast_web_kit::clipboard::{download, save};
use stepcast_web_kit::{Shared, browser};
use wasm_bindgen::JsCast as _;
use web_sys::HtmlCanvasElement;
use yew::prelude::*;

/// Longest table of cells that is put into the document.
const MOST_ROWS: usize = 1000;

/// The matrix with its sums, which do not depend on the window.
struct Whole {
    matrix: Rc<Matrix>,
    kinds: [(Kind, Bytes); Kind::ALL.len()],
    tiers: [(Tier, Bytes); 4],
    summary: String,
}

/// The panel.
#[component]
pub(crate) fn MatrixPanel(props: &PanelProps) -> Html {
    let as_table = use_state_eq(|| false);
    let (axes, convention) = (props.state(AXES).to_owned(), props.state(CONVENTION).to_owned());
    let whole = use_memo(
        (props.forecast.clone(), axes.clone(), convention.clone()),
        |(forecast, axes, convention)| {
            let scenario = &forecast.scenario;
            let matrix = Matrix::new(scenario, order(axes, scenario), algorithm(convention))?;
            Ok::<_, Vec<FieldError>>(Whole {
                kinds: matrix.by_kind(),
                tiers: matrix.by_tier(),
                summary: summary(&matrix),
                matrix: Rc::new(matrix),
            })
        },
    );
    let zoom = props.state(ZOOM).to_owned();
    let picked = props.state(KIND).to_owned();
    let shown = use_memo((Shared::from(&whole), zoom.clone(), picked.clone()), |(whole, zoom, picked)| {
        let matrix = &whole.as_ref().as_ref().ok()?.matrix;
        let way = windows(zoom, matrix);
        let window = *way.last()?;
        let cells = matrix.cells(window.rows(), window.columns(), window.block, kind(picked));
        Some((way, window, Rc::new(cells)))
    });
    let whole = match &*whole {
        Ok(whole) => whole,
        Err(errors) => return problems(errors),
    };
    let Some((way, window, cells)) = &*shown else { return html! {} };
    let (way, window, cells) = (way.clone(), *window, Rc::clone(cells));
    let show = &props.show;
    let go = show.reform(|text: String| (ZOOM, text));
    let depth = way.len() - 1;
    let open = {
        let (go, zoom) = (go.clone(), zoom.clone());
        Callback::from(move |(row, column): (u32, u32)| {
            if window.block > 1 {
                go.emit(deeper(&zoom, depth, row, column));
            }
        })
    };
    let back = {
        let (go, zoom) = (go.clone(), zoom.clone());
        Callback::from(move |()| go.emit(shallower(&zoom, depth.saturating_sub(1))))
    };
    let csv = {
        let (cells, matrix) = (Rc::clone(&cells), Rc::clone(&whole.matrix));
        Callback::from(move |_: MouseEvent| {
            download("matrix.csv", "text/csv", &to_csv(&cells, &window, &matrix));
        })
    };
    let picture = Callback::from(|_: MouseEvent| {
        let canvas =
            browser::document().and_then(|document| document.query_selector("#matrix canvas").ok()?);
        let canvas = canvas.and_then(|canvas| canvas.dyn_into::<HtmlCanvasElement>().ok());
        if let Some(Ok(picture)) = canvas.map(|canvas| canvas.to_data_url()) {
            save("matrix.png", &picture);
        }
    });
    let toggle = {
        let (setter, next) = (as_table.setter(), !*as_table);
        Callback::from(move |_: MouseEvent| setter.set(next))
    };
    let kinds = std::iter::once(("".into(), "All".into())).chain(
        whole
            .kinds
            .iter()
            .filter(|entry| entry.1.0 > 0.0)
            .map(|(kind, _)| (AttrValue::from(kind_key(*kind)), AttrValue::from(kind.label()))),
    );
    let wires = entries(&[("", "Rings"), ("tree", "Trees")]);
    let wire = if convention == "tree" { "tree" } else { "" };
    html! {
        <>
            <div class="tools">
                <Pick panel="matrix" name={AXES} label="Mapping" value={axes} entries={orders()} {show} />
                <Pick panel="matrix" name={KIND} label="Kind" value={picked} entries={kinds.collect::<Vec<_>>()} {show} />
                <Pick panel="matrix" name={CONVENTION} label="All-reduces as" value={wire} entries={wires} {show} />
                <span class="pair">
                    <button type="button" class="quiet" onclick={toggle}>
                        { if *as_table { "View as chart" } else { "View as table" } }
                    </button>
                    <button type="button" class="quiet" onclick={csv}>{ "Download CSV" }</button>
                    <button type="button" class="quiet" onclick={picture} hidden={*as_table}>{ "PNG" }</button>
                </span>
            </div>
            <p>
                { &whole.summary }
                if let Some(most) = busiest(&cells, &window, &whole.matrix) {
                    { " " }{ most }
                }
            </p>
            { breadcrumb(&way, &zoom, &go) }
            <div class="matrix">
                <div class="matrix-main">
                    if *as_table {
                        { table(&cells, &window, &whole.matrix) }
                    } else {
                        <Heatmap matrix={Shared::from(&whole.matrix)} {window} cells={Shared::from(&cells)}
                            colours={props.colours} {open} {back} />
                    }
                </div>
                { sums(whole, &window) }
            </div>
        </>
    }
}

/// The opened blocks, each a way back.
fn breadcrumb(way: &[Window], zoom: &str, go: &Callback<String>) -> Html {
    let last = way.len() - 1;
    html! {
        <nav class="breadcrumb" aria-label="Opened blocks">
            for (depth, window) in way.iter().enumerate() {
                if depth == last {
                    <span key={depth} aria-current="true">{ window.title() }</span>
                } else {
                    <button key={depth} type="button" class="suggestion" onclick={
                        let (go, text) = (go.clone(), shallower(zoom, depth));
                        move |_: MouseEvent| go.emit(text.clone())
                    }>{ window.title() }</button>
                }
            }
        </nav>
    }
}

/// What is summed, and what the marks mean.
fn sums(whole: &Whole, window: &Window) -> Html {
    let total: Bytes = whole.kinds.iter().map(|entry| entry.1).sum();
    let share = |bytes: Bytes| number::percent(if total.0 > 0.0 { bytes / total } else { 0.0 }).to_string();
    let line =
        |label: &str, bytes: Bytes| vec![label.to_owned(), number::traffic(bytes).to_string(), share(bytes)];
    let kinds = whole
        .kinds
        .iter()
        .filter(|entry| entry.1.0 > 0.0)
        .map(|(kind, bytes)| ("", line(kind.label(), *bytes)));
    let tiers = whole
        .tiers
        .iter()
        .filter(|entry| entry.1.0 > 0.0)
        .map(|(tier, bytes)| ("tier", line(tier.label(), *bytes)));
    let sheet = Sheet {
        id: "matrix-sums",
        caption: "Bytes of one step, all GPUs".to_owned(),
        head: vec!["By kind, then by tier", "Bytes", "Share"],
        words: &[0],
        rows: kinds.chain(tiers).chain([("total", line("All", total))]).collect(),
    };
    html! {
        <div class="matrix-aside">
            { sheet.table() }
            <p class="footnote">
                { format!("A cell is {}. ", if window.block == 1 {
                    "one GPU to one GPU".to_owned()
                } else {
                    format!("{0} GPUs to {0} GPUs", number::integer(window.block.into()))
                }) }
                { "The darker or stronger its colour, the more bytes, over four powers of ten. Outlined cells cross from one machine to another." }
            </p>
        </div>
    }
}

/// The cells that are not zero.
fn table(cells: &[Cell], window: &Window, matrix: &Matrix) -> Html {
    let rows = cells.iter().take(MOST_ROWS).map(|cell| {
        let crosses = window.crosses(cell.row, cell.column, matrix);
        let cells = vec![
            window.name(cell.row, matrix),
            window.name(cell.column, matrix),
            number::traffic(cell.bytes).to_string(),
            if crosses { "yes" } else { "no" }.to_owned(),
        ];
        ("", cells)
    });
    let caption = if cells.len() > MOST_ROWS {
        format!("The first {MOST_ROWS} of {} cells; the CSV has all.", cells.len())
    } else {
        format!("{} cells with traffic.", cells.len())
    };
    Sheet {
        id: "matrix-table",
        caption,
        head: vec!["From", "To", "Bytes", "Between machines"],
        words: &[0, 1, 3],
        rows: rows.collect(),
    }
    .framed()
}
