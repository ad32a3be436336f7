//! The picture of the machine: nodes as tiles, GPUs as cells, and the groups of the GPU that is looked at.

use crate::messages::orders;
use crate::root::PanelProps;
use crate::widgets::controls::Pick;
use std::rc::Rc;
use stepcast::number;
use stepcast::page_state::communication::{AXES, RANK, order};
use stepcast::page_state::machine::MachineMap;
use stepcast_web_kit::hooks::{use_effect_with, use_flag};
use stepcast_web_kit::sheet::Sheet;
use stepcast_web_kit::{
    Align, ChartTools, ColourRevision, Drawing, LegendEntry, Painter, Shared, legend, paint, use_size,
};
use web_sys::HtmlElement;
use yew::prelude::*;

/// Width below which cells are small, CSS pixels.
const NARROW: f64 = 460.0;

/// Side of the square that marks a group in a cell, CSS pixels.
const BADGE: f64 = 5.0;

/// Most ranks of the table.
const MOST_ROWS: usize = 512;

/// The panel.
#[component]
pub(crate) fn MachinePanel(props: &PanelProps) -> Html {
    let as_table = use_flag(false);
    let canvas = use_node_ref();
    let axes = props.state(AXES).to_owned();
    let map = use_memo((props.forecast.clone(), axes.clone()), |(forecast, axes)| {
        MachineMap::new(&forecast.scenario, order(axes, &forecast.scenario))
    });
    let pinned = props.state(RANK).parse().ok().filter(|rank| map.ranks().any(|drawn| drawn == *rank));
    let active = use_state_eq(|| None::<u32>);
    let looked_at = (*active).filter(|rank| *rank < map.total()).or(pinned);
    let entries = entries(&map);
    let (map, show) = (Shared::from(&map), &props.show);
    let drawing: Drawing = {
        let map = map.clone();
        Shared(Rc::new(move |painter: &Painter| draw(painter, &Frame::of(&map, painter.width), &map, pinned)))
    };
    let pin = props.show.reform(|rank: u32| (RANK, rank.to_string()));
    html! {
        <>
            <div class="tools">
                <Pick panel="machine" name={AXES} label="Mapping" value={axes} entries={orders()} {show} />
                <ChartTools name="machine" title="Placement of the ranks on the machine" canvas={canvas.clone()} {drawing}
                    legend={entries.clone()} as_table={as_table.clone()} />
            </div>
            <p id="machine-summary">{ map.summary() }</p>
            if *as_table {
                { table(&map) }
            } else {
                <Machine {canvas} map={map.clone()} colours={props.colours} {looked_at} look={active.setter()} {pin} />
                { legend(&[note(&map)], &entries) }
                { groups(&map, looked_at) }
            }
        </>
    }
}

/// Tokens of the style sheet by kind of group.
fn token(short: &str) -> &'static str {
    match short {
        "TP" => "--c-tensor",
        "CP" => "--c-context",
        "EP" => "--c-expert",
        "DP" => "--c-data",
        _ => "--c-pipeline",
    }
}

fn entries(map: &MachineMap) -> Vec<LegendEntry> {
    map.groups
        .iter()
        .map(|kind| LegendEntry::new(token(kind.short), format!("Same {} group", kind.short)))
        .collect()
}

fn note(map: &MachineMap) -> String {
    let stages = if map.stages() > 1 {
        "The number and shade of a cell show the pipeline stage; later stages have a stronger colour."
    } else {
        "The number of a cell is the GPU index within the node."
    };
    format!(
        "{stages} Thick outlines mark TP groups. Squares in a cell mark the groups that the cell shares with the selected GPU."
    )
}

/// The groups of the GPU that is looked at, the first one before any is.
fn groups(map: &MachineMap, looked_at: Option<u32>) -> Html {
    let Some(rank) = looked_at.or_else(|| map.ranks().next()) else { return html! {} };
    Sheet {
        id: "machine-groups",
        caption: format!("Groups of rank {}", number::integer(rank.into())),
        head: vec!["Group", "Ranks", "Members", "Nodes"],
        words: &[0, 2],
        rows: map.rows(rank).into_iter().map(|cells| ("", cells.into())).collect(),
    }
    .framed()
}

/// The coordinates of the ranks that are drawn.
fn table(map: &MachineMap) -> Html {
    let count = map.ranks().count();
    let caption = if count > MOST_ROWS {
        format!("Coordinates of the first {MOST_ROWS} of the {count} ranks shown")
    } else {
        "Coordinates of the ranks shown".to_owned()
    };
    Sheet {
        id: "machine-table",
        caption,
        head: map.columns(),
        words: &[],
        rows: map.ranks().take(MOST_ROWS).map(|rank| ("", map.coordinates(rank))).collect(),
    }
    .framed()
}

/// Where tiles and cells are, CSS pixels.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Frame {
    /// Width and height of a cell.
    cell: (f64, f64),
    /// Cells in a row of a tile, and its rows.
    grid: (u32, u32),
    /// Tiles in a row.
    tiles: usize,
    /// Distance between the left edges, and between the upper edges, of neighbouring tiles.
    pitch: (f64, f64),
    /// Height of a tile's title.
    head: f64,
}

impl Frame {
    fn of(map: &MachineMap, width: f64) -> Self {
        let across = match map.node {
            0..=16 => map.node.min(4),
            _ => 8,
        }
        .max(1);
        let grid = (across, map.node.div_ceil(across));
        let (cell, gap, head): ((f64, f64), f64, f64) =
            if width < NARROW { ((25.0, 25.0), 8.0, 17.0) } else { ((35.0, 29.0), 14.0, 19.0) };
        let tile = cell.0 * f64::from(grid.0);
        let tiles = (((width + gap) / (tile + gap)).floor() as usize).max(1);
        let pitch = (tile + gap, head + cell.1 * f64::from(grid.1) + gap);
        Self { cell, grid, tiles, pitch, head }
    }

    fn height(&self, map: &MachineMap) -> f64 {
        map.nodes.len().div_ceil(self.tiles) as f64 * self.pitch.1
    }

    /// Upper left corner of a tile.
    fn tile(&self, place: usize) -> (f64, f64) {
        ((place % self.tiles) as f64 * self.pitch.0, (place / self.tiles) as f64 * self.pitch.1)
    }

    /// Left, top, right and bottom of a cell.
    fn cell(&self, place: usize, index: u32) -> [f64; 4] {
        let (left, top) = self.tile(place);
        let (row, column) = (index / self.grid.0, index % self.grid.0);
        let (x, y) = (left + self.cell.0 * f64::from(column), top + self.head + self.cell.1 * f64::from(row));
        [x, y, x + self.cell.0, y + self.cell.1]
    }

    /// The rank at a point.
    fn at(&self, map: &MachineMap, x: f64, y: f64) -> Option<u32> {
        let inside = |[left, top, right, bottom]: [f64; 4]| x >= left && x < right && y >= top && y < bottom;
        (0..map.nodes.len()).find_map(|place| {
            let mut ranks = (0_u32..).zip(map.ranks_of(place));
            ranks.find(|(index, _)| inside(self.cell(place, *index))).map(|(_, rank)| rank)
        })
    }
}

#[derive(Properties, PartialEq)]
struct MachineProps {
    canvas: NodeRef,
    map: Shared<MachineMap>,
    colours: ColourRevision,
    /// The rank that is looked at.
    looked_at: Option<u32>,
    look: UseStateSetter<Option<u32>>,
    /// Keeps a rank in the link, for the messages of one rank, too.
    pin: Callback<u32>,
}

/// The canvas, and the words of the GPU that is looked at.
#[component]
fn Machine(props: &MachineProps) -> Html {
    let around = use_node_ref();
    let (width, ratio) = use_size(&around);
    let (canvas, map) = (props.canvas.clone(), props.map.clone());
    let frame = Frame::of(&map, width);
    {
        let canvas = canvas.clone();
        let deps = (map.clone(), frame, props.colours, ratio, props.looked_at);
        use_effect_with(deps, move |(map, frame, _, ratio, looked_at)| {
            paint(
                &canvas,
                (width, *ratio),
                |_| frame.height(map),
                |painter| draw(painter, frame, map, *looked_at),
            );
        });
    }
    let under = {
        let (canvas, map) = (canvas.clone(), map.clone());
        move |event: &MouseEvent| {
            let bounds = canvas.cast::<HtmlElement>()?.get_bounding_client_rect();
            let (x, y) = (f64::from(event.client_x()), f64::from(event.client_y()));
            frame.at(&map, x - bounds.left(), y - bounds.top())
        }
    };
    let hover = {
        let (look, under) = (props.look.clone(), under.clone());
        Callback::from(move |event: MouseEvent| {
            if let Some(rank) = under(&event) {
                look.set(Some(rank));
            }
        })
    };
    let press = {
        let (look, pin) = (props.look.clone(), props.pin.clone());
        Callback::from(move |event: MouseEvent| {
            if let Some(rank) = under(&event) {
                look.set(Some(rank));
                pin.emit(rank);
            }
        })
    };
    let said = props.looked_at.map(|rank| map.sentence(rank));
    html! {
        <div ref={around}>
            <div class="machine" tabindex="0" role="group" aria-label="GPUs of the machine" aria-describedby="machine-hint"
                onkeydown={keys(props, frame)}>
                <canvas ref={canvas} role="img" aria-label="Placement of the ranks on the machine" aria-describedby="machine-summary"
                    onmousemove={hover} onclick={press}></canvas>
            </div>
            <p class="readout" id="machine-readout" role="status">
                { said.unwrap_or_else(|| "Hover a GPU for its coordinates and groups.".to_owned()) }
            </p>
            <p class="footnote" id="machine-hint">
                { "Keys: arrows move by GPU, Page Up and Page Down move by node. Enter selects a rank here and in \u{201c}Messages of one rank\u{201d}." }
            </p>
        </div>
    }
}

/// The keyboard's way over the drawn ranks.
fn keys(props: &MachineProps, frame: Frame) -> Callback<KeyboardEvent> {
    let (map, looked_at) = (props.map.clone(), props.looked_at);
    let (look, pin) = (props.look.clone(), props.pin.clone());
    Callback::from(move |event: KeyboardEvent| {
        let drawn: Vec<u32> = map.ranks().collect();
        let now = looked_at.and_then(|rank| drawn.iter().position(|drawn| *drawn == rank));
        let (row, node) = (frame.grid.0 as usize, map.node as usize);
        let last = drawn.len().saturating_sub(1);
        let next = match (event.key().as_str(), now) {
            ("Enter", Some(_)) => {
                event.prevent_default();
                if let Some(rank) = looked_at {
                    pin.emit(rank);
                }
                return;
            }
            ("ArrowLeft" | "ArrowRight" | "ArrowUp" | "ArrowDown" | "Home", None) => 0,
            ("ArrowLeft", Some(now)) => now.saturating_sub(1),
            ("ArrowRight", Some(now)) => now + 1,
            ("ArrowUp", Some(now)) => now.saturating_sub(row),
            ("ArrowDown", Some(now)) => now + row,
            ("PageUp", Some(now)) => now.saturating_sub(node),
            ("PageDown", Some(now)) => now + node,
            ("Home", Some(_)) => 0,
            ("End", _) => last,
            _ => return,
        };
        event.prevent_default();
        look.set(drawn.get(next.min(last)).copied());
    })
}

fn draw(painter: &Painter, frame: &Frame, map: &MachineMap, looked_at: Option<u32>) {
    for (place, node) in map.nodes.iter().enumerate() {
        let (left, top) = frame.tile(place);
        let title = format!("Node {}", number::integer((*node).into()));
        painter.text(&title, left, top + 0.5 * painter.font, Align::Start, painter.colour("--ink-2"));
        for (index, rank) in (0_u32..).zip(map.ranks_of(place)) {
            draw_cell(painter, map, (rank, index), frame.cell(place, index), looked_at);
        }
        draw_outlines(painter, frame, map, place);
    }
    let spot = looked_at.and_then(|looked_at| {
        (0..map.nodes.len()).find_map(|place| {
            let index = map.ranks_of(place).position(|rank| rank == looked_at)?;
            Some(frame.cell(place, index as u32))
        })
    });
    if let Some([x0, y0, x1, y1]) = spot {
        painter.outline(x0 - 1.0, y0 - 1.0, x1 + 1.0, y1 + 1.0, 3.0, painter.colour("--accent"));
    }
}

/// A GPU: its stage as a shade and a number, and a square for each group that it shares with the one looked at.
fn draw_cell(
    painter: &Painter,
    map: &MachineMap,
    (rank, index): (u32, u32),
    [x0, y0, x1, y1]: [f64; 4],
    looked_at: Option<u32>,
) {
    let (stage, stages) = (map.stage(rank), map.stages());
    let depth = if stages > 1 { f64::from(stage) / f64::from(stages - 1) } else { 0.0 };
    let paper = painter.colour("--paper");
    let shade = Painter::between(paper, painter.colour("--c-forward"), 0.16 + 0.84 * depth);
    painter.bar(x0, y0, x1, y1, shade);
    painter.outline(x0, y0, x1, y1, 0.5, painter.colour("--edge"));
    let text = if stages > 1 { stage } else { index };
    let ink = Painter::legible(shade);
    let shared = looked_at.map(|other| map.shared(rank, other)).unwrap_or_default();
    let middle = f64::midpoint(y0, y1) - if shared.is_empty() { 0.0 } else { 3.0 };
    painter.text(&text.to_string(), f64::midpoint(x0, x1), middle, Align::Middle, ink);
    if shared.is_empty() {
        return;
    }
    // On paper, so that every colour is seen on every shade; each kind of group has its own place.
    painter.bar(x0 + 1.0, y1 - BADGE - 3.0, x1 - 1.0, y1 - 1.0, paper);
    let room = (x1 - x0 - 4.0) / map.groups.len().max(1) as f64;
    for place in shared {
        let Some(kind) = map.groups.get(place) else { continue };
        let left = x0 + 2.0 + room * place as f64;
        let wide = (room - 1.0).clamp(2.0, 2.0 * BADGE);
        painter.bar(left, y1 - BADGE - 2.0, left + wide, y1 - 2.0, painter.colour(token(kind.short)));
    }
}

/// Thick lines between cells of different tensor-parallel groups, and around them.
fn draw_outlines(painter: &Painter, frame: &Frame, map: &MachineMap, place: usize) {
    const THICK: f64 = 1.0;
    let ink = painter.colour("--ink");
    let ranks: Vec<u32> = map.ranks_of(place).collect();
    let apart = |rank: u32, other: Option<&u32>| other.is_none_or(|other| !map.share_tensor(rank, *other));
    let across = frame.grid.0 as usize;
    for (index, rank) in ranks.iter().enumerate() {
        let [x0, y0, x1, y1] = frame.cell(place, index as u32);
        let column = index % across;
        let before = if column > 0 { ranks.get(index - 1) } else { None };
        let after = if column + 1 < across { ranks.get(index + 1) } else { None };
        let above = index.checked_sub(across).and_then(|above| ranks.get(above));
        if apart(*rank, before) {
            painter.bar(x0, y0, x0 + THICK, y1, ink);
        }
        if apart(*rank, after) {
            painter.bar(x1 - THICK, y0, x1, y1, ink);
        }
        if apart(*rank, above) {
            painter.bar(x0, y0, x1, y0 + THICK, ink);
        }
        if apart(*rank, ranks.get(index + across)) {
            painter.bar(x0, y1 - THICK, x1, y1, ink);
        }
    }
}
