//! The communication matrix: its controls, the way back from a zoom, the heatmap, and the sums.

mod heatmap;

use crate::messages::orders;
use crate::root::{PanelProps, problems};
use crate::widgets::controls::{Pick, entries};
use heatmap::{Heatmap, drawing};
use std::rc::Rc;
use stepcast::cost::Algorithm;
use stepcast::error::FieldError;
use stepcast::forecast::Predictor;
use stepcast::number;
use stepcast::page_state::communication::{
    AXES, CONVENTION, KIND, MatrixWindow, ZOOM, algorithm, busiest, deeper, kind, kind_key, order, shallower,
    summary, to_csv, windows,
};
use stepcast::step::Parallelism;
use stepcast::traffic::{Matrix, MatrixCell, Tier};
use stepcast::units::Bytes;
use stepcast_web_kit::clipboard::download;
use stepcast_web_kit::hooks::use_flag;
use stepcast_web_kit::sheet::Sheet;
use stepcast_web_kit::{ChartTools, Shared};
use yew::prelude::*;

/// Longest table of cells that is put into the document.
const MOST_ROWS: usize = 1000;

/// The matrix with its sums, which do not depend on the window.
struct Whole {
    matrix: Rc<Matrix>,
    kinds: [(Parallelism, Bytes); Parallelism::ALL.len()],
    tiers: [(Tier, Bytes); 4],
    summary: String,
}

/// The window that is looked at, the windows around it, and its cells.
struct Zoomed {
    /// The windows on the way to it, the whole matrix first and itself last.
    way: Vec<MatrixWindow>,
    window: MatrixWindow,
    cells: Rc<Vec<MatrixCell>>,
}

/// The panel.
#[component]
pub(crate) fn MatrixPanel(props: &PanelProps) -> Html {
    let as_table = use_flag(false);
    let canvas = use_node_ref();
    let (axes, convention) = (props.state(AXES).to_owned(), props.state(CONVENTION).to_owned());
    let whole = use_memo((props.forecast.clone(), axes, convention), |(forecast, axes, convention)| {
        let scenario = &forecast.scenario;
        let matrix =
            Matrix::new(&Predictor::SHIPPED, scenario, order(axes, scenario), algorithm(convention))?;
        Ok::<_, Vec<FieldError>>(Whole {
            kinds: matrix.by_kind(),
            tiers: matrix.by_tier(),
            summary: summary(&matrix),
            matrix: Rc::new(matrix),
        })
    });
    let (zoom, picked) = (props.state(ZOOM).to_owned(), props.state(KIND).to_owned());
    let zoomed = use_memo((Shared::from(&whole), zoom, picked), |(whole, zoom, picked)| {
        let matrix = &whole.as_ref().as_ref().ok()?.matrix;
        let way = windows(zoom, matrix);
        let window = *way.last()?;
        let cells = Rc::new(matrix.cells(window.rows(), window.columns(), window.block, kind(picked)));
        Some(Zoomed { way, window, cells })
    });
    match (&*whole, &*zoomed) {
        (Ok(whole), Some(zoomed)) => explored(props, (whole, zoomed), &as_table, &canvas),
        (Err(errors), _) => problems(errors),
        (Ok(_), None) => html! {},
    }
}

/// One window of the matrix with everything around it.
fn explored(
    props: &PanelProps,
    (whole, zoomed): (&Whole, &Zoomed),
    as_table: &UseStateHandle<bool>,
    canvas: &NodeRef,
) -> Html {
    let Zoomed { way, window, cells } = zoomed;
    let (window, depth) = (*window, way.len().saturating_sub(1));
    let zoom = props.state(ZOOM).to_owned();
    let go = props.show.reform(|text: String| (ZOOM, text));
    let back = {
        let (go, zoom) = (go.clone(), zoom.clone());
        Callback::from(move |()| go.emit(shallower(&zoom, depth.saturating_sub(1))))
    };
    let open = {
        let (go, zoom) = (go.clone(), zoom.clone());
        Callback::from(move |(row, column): (u32, u32)| {
            if window.block > 1 {
                go.emit(deeper(&zoom, depth, row, column));
            }
        })
    };
    html! {
        <>
            { tools(props, (whole, zoomed), as_table, canvas) }
            <p>
                { &whole.summary }
                if let Some(most) = busiest(cells, &window, &whole.matrix) {
                    { " " }{ most }
                }
            </p>
            { breadcrumb(way, &zoom, &go) }
            <div class="matrix">
                <div class="matrix-main">
                    if **as_table {
                        { table(cells, &window, &whole.matrix) }
                    } else {
                        <Heatmap canvas={canvas.clone()} matrix={Shared::from(&whole.matrix)} {window} cells={Shared::from(cells)}
                            colours={props.colours} {open} {back} />
                    }
                </div>
                { sums(whole, &window) }
            </div>
        </>
    }
}

/// What is shown of the matrix, as what, and the ways to take it away.
fn tools(
    props: &PanelProps,
    (whole, zoomed): (&Whole, &Zoomed),
    as_table: &UseStateHandle<bool>,
    canvas: &NodeRef,
) -> Html {
    let csv = {
        let (cells, matrix, window) = (Rc::clone(&zoomed.cells), Rc::clone(&whole.matrix), zoomed.window);
        Callback::from(move |_: MouseEvent| {
            download("matrix.csv", "text/csv", &to_csv(&cells, &window, &matrix));
        })
    };
    let kinds = whole.kinds.iter().filter(|entry| entry.1.0 > 0.0);
    let kinds: Vec<(AttrValue, AttrValue)> = std::iter::once(("".into(), "All".into()))
        .chain(kinds.map(|(kind, _)| (kind_key(*kind).into(), kind.label().into())))
        .collect();
    let wires = entries(&Algorithm::ALL.map(|of| (of.name(), of.label())));
    let wire = algorithm(props.state(CONVENTION)).name();
    let (state, show) = (|key| AttrValue::from(props.state(key).to_owned()), &props.show);
    html! {
        <div class="tools">
            <Pick panel="matrix" name={AXES} label="Mapping" value={state(AXES)} entries={orders()} {show} />
            <Pick panel="matrix" name={KIND} label="Kind" value={state(KIND)} entries={kinds} {show} />
            <Pick panel="matrix" name={CONVENTION} label="All-reduce algorithm" value={wire} entries={wires} {show} />
            <ChartTools name="matrix" title="Communication matrix" canvas={canvas.clone()}
                drawing={drawing(&whole.matrix, &zoomed.cells, zoomed.window)} as_table={as_table.clone()}>
                <button type="button" class="quiet" onclick={csv}>{ "Download CSV" }</button>
            </ChartTools>
        </div>
    }
}

/// The opened blocks, each a way back.
fn breadcrumb(way: &[MatrixWindow], zoom: &str, go: &Callback<String>) -> Html {
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
fn sums(whole: &Whole, window: &MatrixWindow) -> Html {
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
        caption: "Bytes per step, sum over all GPUs".to_owned(),
        head: vec!["By type and tier", "Bytes", "Share"],
        words: &[0],
        rows: kinds.chain(tiers).chain([("total", line("All", total))]).collect(),
    };
    html! {
        <div class="matrix-aside">
            { sheet.table() }
            <p class="footnote">
                { format!("Each cell is {}. ", if window.block == 1 {
                    "one GPU pair".to_owned()
                } else {
                    format!("{0} \u{d7} {0} GPUs", number::integer(window.block.into()))
                }) }
                { "Stronger colours mean more bytes (logarithmic scale, four decades). Outlined cells are traffic between nodes." }
            </p>
        </div>
    }
}

/// The cells that are not zero.
fn table(cells: &[MatrixCell], window: &MatrixWindow, matrix: &Matrix) -> Html {
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
        format!("First {MOST_ROWS} of {} cells. The CSV file has all cells.", cells.len())
    } else {
        format!("{} cells with traffic.", cells.len())
    };
    Sheet {
        id: "matrix-table",
        caption,
        head: vec!["From", "To", "Bytes", "Between nodes"],
        words: &[0, 1, 3],
        rows: rows.collect(),
    }
    .framed()
}
