//! The heatmap: one window of the matrix on a canvas, read by pointer and by keyboard.

use std::rc::Rc;
use stepcast::number;
use stepcast::page_state::communication::{MatrixWindow, shade};
use stepcast::traffic::{Matrix, MatrixCell};
use stepcast_web_kit::hooks::use_effect_with;
use stepcast_web_kit::{Align, ColourRevision, Drawing, Painter, Shared, paint, use_size};
use web_sys::HtmlElement;
use yew::prelude::*;

/// Widest drawing, CSS pixels, so that all of it is visible.
const WIDEST: f64 = 620.0;

#[derive(Properties, PartialEq)]
pub(crate) struct HeatmapProps {
    pub(crate) canvas: NodeRef,
    pub(crate) matrix: Shared<Matrix>,
    pub(crate) window: MatrixWindow,
    pub(crate) cells: Shared<Vec<MatrixCell>>,
    pub(crate) colours: ColourRevision,
    /// Opens a block, by its place in the window.
    pub(crate) open: Callback<(u32, u32)>,
    /// Goes back to the window around this one.
    pub(crate) back: Callback<()>,
}

/// Positions of the cells on the canvas, in CSS pixels.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Frame {
    left: f64,
    top: f64,
    cell: f64,
    rows: u32,
    columns: u32,
}

impl Frame {
    fn of(window: &MatrixWindow, width: f64) -> Self {
        let (rows, columns) = (window.rows().len() as u32, window.columns().len() as u32);
        let (left, top) = (56.0, 40.0);
        let room = (width.min(WIDEST) - left - 1.0).max(1.0);
        Self { left, top, cell: room / f64::from(rows.max(columns).max(1)), rows, columns }
    }

    fn height(&self) -> f64 {
        self.top + self.cell * f64::from(self.rows) + 1.0
    }

    /// Place of the cell at a point.
    fn place(&self, x: f64, y: f64) -> Option<(u32, u32)> {
        let (column, row) = ((x - self.left) / self.cell, (y - self.top) / self.cell);
        let inside =
            row >= 0.0 && column >= 0.0 && row < f64::from(self.rows) && column < f64::from(self.columns);
        inside.then_some((row as u32, column as u32))
    }

    fn corners(&self, row: u32, column: u32) -> (f64, f64, f64, f64) {
        let (x, y) = (self.left + self.cell * f64::from(column), self.top + self.cell * f64::from(row));
        (x, y, x + self.cell, y + self.cell)
    }
}

/// What is drawn of a window, with no cell looked at.
pub(super) fn drawing(matrix: &Rc<Matrix>, cells: &Rc<Vec<MatrixCell>>, window: MatrixWindow) -> Drawing {
    let (matrix, cells) = (Rc::clone(matrix), Rc::clone(cells));
    Shared(Rc::new(move |painter: &Painter| {
        draw(painter, &Frame::of(&window, painter.width), &matrix, &cells, &window, None);
    }))
}

/// The canvas, and the value of the cell that is looked at.
#[component]
pub(crate) fn Heatmap(props: &HeatmapProps) -> Html {
    let canvas = props.canvas.clone();
    let frame_ref = use_node_ref();
    let (width, ratio) = use_size(&frame_ref);
    let active = use_state_eq(|| None::<(u32, u32)>);
    let frame = Frame::of(&props.window, width);
    let window = props.window;
    let looked_at = active.filter(|(row, column)| *row < frame.rows && *column < frame.columns);
    {
        let canvas = canvas.clone();
        let (matrix, cells) = (props.matrix.clone(), props.cells.clone());
        let deps = (matrix, cells, window, props.colours, width, ratio, looked_at);
        use_effect_with(deps, move |(matrix, cells, window, _, width, ratio, active)| {
            let draw = |painter: &Painter| draw(painter, &frame, matrix, cells, window, *active);
            paint(&canvas, (*width, *ratio), |_| frame.height(), draw);
        });
    }
    let hover = {
        let active = active.setter();
        at_pointer(&canvas, frame, move |place| active.set(Some(place)))
    };
    let click = {
        let (open, active) = (props.open.clone(), active.setter());
        at_pointer(&canvas, frame, move |place| {
            active.set(Some(place));
            open.emit(place);
        })
    };
    let keys = keys(props, frame, looked_at, active.setter());
    let sentence = looked_at.map(|(row, column)| {
        window.sentence(
            window.rows().start + row,
            window.columns().start + column,
            &props.cells,
            &props.matrix,
        )
    });
    let hint = "Keys: arrows move, Enter opens a cell, Backspace goes back.";
    html! {
        <div ref={frame_ref}>
            <div class="heatmap" tabindex="0" role="group" aria-label="Matrix cells" aria-describedby="heatmap-hint"
                onkeydown={keys}>
                <canvas ref={canvas.clone()} role="img" aria-label="Heatmap of the communication matrix"
                    onmousemove={hover} onclick={click}></canvas>
            </div>
            <p class="readout" id="heatmap-readout" role="status">
                { sentence.unwrap_or_else(|| "Hover a cell for its value.".to_owned()) }
            </p>
            <p class="footnote" id="heatmap-hint">{ hint }</p>
        </div>
    }
}

/// Does something with the place of the cell under the pointer, where there is one.
fn at_pointer(canvas: &NodeRef, frame: Frame, with: impl Fn((u32, u32)) + 'static) -> Callback<MouseEvent> {
    let canvas = canvas.clone();
    Callback::from(move |event: MouseEvent| {
        let Some(bounds) = canvas.cast::<HtmlElement>().map(|canvas| canvas.get_bounding_client_rect())
        else {
            return;
        };
        let (x, y) = (f64::from(event.client_x()), f64::from(event.client_y()));
        if let Some(place) = frame.place(x - bounds.left(), y - bounds.top()) {
            with(place);
        }
    })
}

fn keys(
    props: &HeatmapProps,
    frame: Frame,
    active: Option<(u32, u32)>,
    set: UseStateSetter<Option<(u32, u32)>>,
) -> Callback<KeyboardEvent> {
    let (open, back) = (props.open.clone(), props.back.clone());
    Callback::from(move |event: KeyboardEvent| {
        let (last_row, last_column) = (frame.rows.saturating_sub(1), frame.columns.saturating_sub(1));
        let next = match (event.key().as_str(), active) {
            ("Enter" | " ", Some(place)) => {
                event.prevent_default();
                open.emit(place);
                return;
            }
            ("Backspace", _) => {
                event.prevent_default();
                back.emit(());
                return;
            }
            ("ArrowUp" | "ArrowDown" | "ArrowLeft" | "ArrowRight" | "Home", None) => (0, 0),
            ("ArrowUp", Some((row, column))) => (row.saturating_sub(1), column),
            ("ArrowDown", Some((row, column))) => ((row + 1).min(last_row), column),
            ("ArrowLeft", Some((row, column))) => (row, column.saturating_sub(1)),
            ("ArrowRight", Some((row, column))) => (row, (column + 1).min(last_column)),
            ("Home", Some((row, _))) => (row, 0),
            ("End", Some((row, _))) => (row, last_column),
            ("PageUp", Some((_, column))) => (0, column),
            ("PageDown", Some((_, column))) => (last_row, column),
            _ => return,
        };
        event.prevent_default();
        set.set(Some(next));
    })
}

fn draw(
    painter: &Painter,
    frame: &Frame,
    matrix: &Matrix,
    cells: &[MatrixCell],
    window: &MatrixWindow,
    active: Option<(u32, u32)>,
) {
    let (ink, faint) = (painter.colour("--ink"), painter.colour("--ink-2"));
    let (empty, full) = (painter.colour("--paper-2"), painter.colour("--accent"));
    let (right, bottom) =
        (frame.left + frame.cell * f64::from(frame.columns), frame.top + frame.cell * f64::from(frame.rows));
    painter.bar(frame.left, frame.top, right, bottom, empty);
    let (rows, columns) = (window.rows(), window.columns());
    let greatest = cells.iter().map(|cell| cell.bytes.0).fold(0.0, f64::max);
    for cell in cells {
        let (x0, y0, x1, y1) = frame.corners(cell.row - rows.start, cell.column - columns.start);
        let colour = Painter::between(empty, full, shade(cell.bytes.0, greatest));
        painter.bar(x0, y0, x1, y1, colour);
        if window.crosses(cell.row, cell.column, matrix) {
            painter.outline(x0, y0, x1, y1, if frame.cell < 14.0 { 1.0 } else { 2.0 }, ink);
        }
    }
    painter.text("To GPU", right, painter.font * 0.7, Align::End, faint);
    painter.text("From", 0.0, painter.font * 0.7, Align::Start, faint);
    // Every label that has room, at blocks that are powers of two apart.
    let widest = painter.measure("00,000") + 8.0;
    let every = |room: f64| (0..16).map(|power| 1_u32 << power).find(|n| f64::from(*n) * frame.cell >= room);
    let label = |number: u32| number::integer(u64::from(number) * u64::from(window.block));
    for column in (0..frame.columns).step_by(every(widest).unwrap_or(64) as usize) {
        let x = frame.left + frame.cell * f64::from(column);
        painter.text(&label(columns.start + column), x, frame.top - painter.font * 0.7, Align::Start, ink);
    }
    for row in (0..frame.rows).step_by(every(painter.font * 1.5).unwrap_or(64) as usize) {
        let y =
            frame.top + frame.cell * f64::from(row) + (painter.font * 0.7).max(frame.cell.min(20.0) / 2.0);
        painter.text(&label(rows.start + row), frame.left - 6.0, y, Align::End, ink);
    }
    if let Some((row, column)) = active {
        let (x0, y0, x1, y1) = frame.corners(row, column);
        painter.outline(x0 - 2.0, y0 - 2.0, x1 + 2.0, y1 + 2.0, 2.0, painter.colour("--bad"));
    }
}
