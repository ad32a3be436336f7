//! The drawing of the timeline: one lane per stage, moved and zoomed by pointer, wheel and keyboard.

use gloo::events::{EventListener, EventListenerOptions};
use std::rc::Rc;
use stepcast::number;
use stepcast::page_state::scale;
use stepcast::page_state::timeline::{LaneDetail, PASSES, Replayed, Span, kind, sentence};
use stepcast::schedule::SimulatedPass;
use stepcast::units::Seconds;
use stepcast_web_kit::hooks::use_effect_with;
use stepcast_web_kit::{Align, ColourRevision, Drawing, Painter, Shared, paint, use_size};
use wasm_bindgen::JsCast as _;
use web_sys::{HtmlElement, WheelEvent};
use yew::prelude::*;

/// Tokens of the style sheet that colour the kinds of passes ([`PASSES`]).
pub(super) const TOKENS: [&str; PASSES.len()] =
    ["--c-forward", "--c-backward", "--c-backward", "--c-recompute"];

/// Factor by which a key or a notch of the wheel zooms in.
const ZOOM: f64 = 0.7;
/// Widths by which a key moves.
const STEP: f64 = 0.2;

#[derive(Properties, PartialEq)]
pub(crate) struct LanesProps {
    pub(crate) canvas: NodeRef,
    pub(crate) replayed: Shared<Replayed>,
    /// The visible part.
    pub(crate) span: Span,
    pub(crate) colours: ColourRevision,
    /// Requests another part of the time axis.
    pub(crate) look: Callback<Span>,
}

/// Positions on the canvas, in CSS pixels.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Frame {
    left: f64,
    right: f64,
    lane: f64,
    stages: u32,
    span: Span,
    /// Seconds of the whole axis.
    end: f64,
}

impl Frame {
    fn new(replayed: &Replayed, span: Span, width: f64) -> Self {
        let stages = replayed.stages();
        let lane = match stages {
            0..=8 => 30.0,
            9..=24 => 18.0,
            25..=64 => 11.0,
            _ => 6.0,
        };
        Self { left: 34.0, right: width.max(36.0), lane, stages, span, end: replayed.end().0 }
    }

    fn bottom(&self) -> f64 {
        self.lane * f64::from(self.stages)
    }

    fn height(&self, font: f64) -> f64 {
        self.bottom() + 2.2 * font
    }

    /// Position of a time, which may be outside of the drawing.
    fn x(&self, time: Seconds) -> f64 {
        let share = if self.end > 0.0 { time.0 / self.end } else { 0.0 };
        self.left + (self.right - self.left) * (share - self.span.from) / self.span.width()
    }

    /// Share of the drawn width at a place, 0 to 1.
    fn share(&self, x: f64) -> f64 {
        ((x - self.left) / (self.right - self.left)).clamp(0.0, 1.0)
    }

    fn time(&self, x: f64) -> Seconds {
        Seconds((self.span.from + self.share(x) * self.span.width()) * self.end)
    }

    fn stage(&self, y: f64) -> Option<u32> {
        let stage = (y / self.lane).floor();
        (stage >= 0.0 && stage < f64::from(self.stages)).then_some(stage as u32)
    }
}

/// What is drawn of a part of the time axis, with no pass looked at.
pub(super) fn drawing(replayed: &Shared<Replayed>, span: Span) -> Drawing {
    let replayed = replayed.clone();
    Shared(Rc::new(move |painter: &Painter| {
        draw(painter, &Frame::new(&replayed, span, painter.width), &replayed, None);
    }))
}

/// The canvas, and the pass that is looked at.
#[component]
pub(crate) fn Lanes(props: &LanesProps) -> Html {
    let canvas = props.canvas.clone();
    let around = use_node_ref();
    let (width, ratio) = use_size(&around);
    // Stage and place in its lane of the pass that is looked at.
    let active = use_state_eq(|| None::<(u32, usize)>);
    let drag = Drag { pressed: use_state_eq(|| None), dragged: use_state_eq(|| None) };
    let span = drag.dragged.unwrap_or(props.span);
    let replayed = &props.replayed;
    let frame = Frame::new(replayed, span, width);
    let looked_at = active.and_then(|(stage, place)| replayed.lane(stage).get(place).copied());
    {
        let canvas = canvas.clone();
        let deps = (replayed.clone(), frame, props.colours, ratio, looked_at);
        use_effect_with(deps, move |(replayed, frame, _, ratio, looked_at)| {
            let draw = |painter: &Painter| draw(painter, frame, replayed, looked_at.as_ref());
            paint(&canvas, (width, *ratio), |font| frame.height(font), draw);
        });
    }
    use_wheel(&canvas, frame, &props.look);
    let down = drag.begin(&canvas, span);
    let moved = drag.go_on(&canvas, frame, replayed, active.setter());
    let up = drag.end(&props.look);
    let keys = keys(props, *active, active.setter());
    let per_stage = replayed.timeline.events.iter().map(|event| event.virtual_stage + 1).max().unwrap_or(1);
    let said = looked_at.map(|event| sentence(&event, per_stage));
    html! {
        <div ref={around}>
            <div class="lanes" tabindex="0" role="group" aria-label="Pipeline passes" aria-describedby="lanes-hint"
                onkeydown={keys}>
                <canvas ref={canvas.clone()} role="img" aria-label="Timeline of the pipeline" aria-describedby="timeline-summary"
                    onpointerdown={down} onpointermove={moved} onpointerup={up.clone()} onpointercancel={up}></canvas>
            </div>
            <p class="readout" id="lanes-readout" role="status">
                { said.unwrap_or_else(|| "Hover a block for details.".to_owned()) }
            </p>
            <p class="footnote" id="lanes-hint">
                { "Each lane is a stage; later virtual stages are lighter. Drag to pan. To zoom, press Ctrl and scroll, or pinch. Keys: arrows select a pass, W and S zoom, A and D pan, 0 shows the whole step." }
            </p>
        </div>
    }
}

/// The lanes, dragged along the time axis.
struct Drag {
    /// Where the pointer was pressed, CSS pixels from the left, and the visible part at that moment.
    pressed: UseStateHandle<Option<(f64, Span)>>,
    /// What it has been dragged to since.
    dragged: UseStateHandle<Option<Span>>,
}

impl Drag {
    /// When the pointer is pressed.
    fn begin(&self, canvas: &NodeRef, span: Span) -> Callback<PointerEvent> {
        let (canvas, pressed) = (canvas.clone(), self.pressed.setter());
        Callback::from(move |event: PointerEvent| {
            if let Some(canvas) = canvas.cast::<HtmlElement>() {
                // A pointer that is gone already needs no capture.
                let _ = canvas.set_pointer_capture(event.pointer_id());
            }
            pressed.set(Some((place(&canvas, &event).0, span)));
        })
    }

    /// When it moves: drags, or looks at the pass under it where it is not pressed.
    fn go_on(
        &self,
        canvas: &NodeRef,
        frame: Frame,
        replayed: &Shared<Replayed>,
        set_active: UseStateSetter<Option<(u32, usize)>>,
    ) -> Callback<PointerEvent> {
        let (canvas, replayed) = (canvas.clone(), replayed.clone());
        let (pressed, dragged) = (*self.pressed, self.dragged.setter());
        Callback::from(move |event: PointerEvent| {
            let (x, y) = place(&canvas, &event);
            match pressed {
                Some((from, before)) => {
                    dragged.set(Some(before.moved((from - x) / (frame.right - frame.left))));
                }
                None => set_active.set(
                    frame
                        .stage(y)
                        .filter(|_| x >= frame.left)
                        .and_then(|stage| Some((stage, replayed.at(stage, frame.time(x))?))),
                ),
            }
        })
    }

    /// When it is released.
    fn end(&self, look: &Callback<Span>) -> Callback<PointerEvent> {
        let (look, pressed, dragged) = (look.clone(), self.pressed.setter(), self.dragged.clone());
        Callback::from(move |_: PointerEvent| {
            pressed.set(None);
            if let Some(span) = *dragged {
                look.emit(span);
                dragged.set(None);
            }
        })
    }
}

/// Where the pointer is on the canvas, CSS pixels from its left and top.
fn place(canvas: &NodeRef, event: &PointerEvent) -> (f64, f64) {
    let bounds = canvas.cast::<HtmlElement>().map(|canvas| canvas.get_bounding_client_rect());
    let (left, top) = bounds.map_or((0.0, 0.0), |bounds| (bounds.left(), bounds.top()));
    (f64::from(event.client_x()) - left, f64::from(event.client_y()) - top)
}

/// Zooms with the wheel while Ctrl is held, which is also what a pinch on a touchpad sends.
#[hook]
fn use_wheel(canvas: &NodeRef, frame: Frame, look: &Callback<Span>) {
    let canvas = canvas.clone();
    use_effect_with((frame, look.clone()), move |(frame, look)| {
        let (frame, look) = (*frame, look.clone());
        let listener = canvas.cast::<HtmlElement>().map(|canvas| {
            let target = canvas.clone();
            let options = EventListenerOptions::enable_prevent_default();
            EventListener::new_with_options(&target, "wheel", options, move |event| {
                let Some(event) = event.dyn_ref::<WheelEvent>().filter(|event| event.ctrl_key()) else {
                    return;
                };
                event.prevent_default();
                let x = f64::from(event.client_x()) - canvas.get_bounding_client_rect().left();
                let factor = if event.delta_y() < 0.0 { ZOOM } else { 1.0 / ZOOM };
                look.emit(frame.span.scaled(factor, frame.share(x)));
            })
        });
        move || drop(listener)
    });
}

fn keys(
    props: &LanesProps,
    active: Option<(u32, usize)>,
    set: UseStateSetter<Option<(u32, usize)>>,
) -> Callback<KeyboardEvent> {
    let (replayed, look, span) = (props.replayed.clone(), props.look.clone(), props.span);
    Callback::from(move |event: KeyboardEvent| {
        if event.ctrl_key() || event.meta_key() || event.alt_key() {
            return;
        }
        let key = event.key();
        let next = match key.as_str() {
            "w" | "W" | "+" => Some(span.scaled(ZOOM, 0.5)),
            "s" | "S" | "-" => Some(span.scaled(1.0 / ZOOM, 0.5)),
            "a" | "A" => Some(span.moved(-STEP)),
            "d" | "D" => Some(span.moved(STEP)),
            "0" => Some(Span::WHOLE),
            _ => None,
        };
        if let Some(next) = next {
            event.prevent_default();
            look.emit(next);
            return;
        }
        let Some((stage, place)) = neighbour(&replayed, active, &key) else { return };
        event.prevent_default();
        if let Some(pass) = replayed.lane(stage).get(place) {
            let share = |time: Seconds| time.0 / replayed.end().0.max(f64::MIN_POSITIVE);
            let shown = span.showing(share(pass.start), share(pass.end));
            if shown != span {
                look.emit(shown);
            }
            set.set(Some((stage, place)));
        }
    })
}

/// The pass that a key goes to.
fn neighbour(replayed: &Replayed, active: Option<(u32, usize)>, key: &str) -> Option<(u32, usize)> {
    let arrows = ["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "Home", "End"];
    if !arrows.contains(&key) {
        return None;
    }
    let Some((stage, place)) = active else { return Some((0, 0)) };
    let last = |stage: u32| replayed.lane(stage).len().saturating_sub(1);
    let across = |to: u32| (to, place.min(last(to)));
    Some(match key {
        "ArrowLeft" => (stage, place.saturating_sub(1)),
        "ArrowRight" => (stage, (place + 1).min(last(stage))),
        "ArrowUp" => across(stage.saturating_sub(1)),
        "ArrowDown" => across((stage + 1).min(replayed.stages().saturating_sub(1))),
        "Home" => (stage, 0),
        _ => (stage, last(stage)),
    })
}

fn draw(painter: &Painter, frame: &Frame, replayed: &Replayed, looked_at: Option<&SimulatedPass>) {
    let (faint, rule) = (painter.colour("--ink-2"), painter.colour("--rule"));
    let paper = painter.colour("--paper");
    let colours = TOKENS.map(|token| painter.colour(token));
    axis(painter, frame);
    let columns = (frame.right - frame.left).max(1.0) as usize;
    let every = (1.3 * painter.font / frame.lane).ceil().max(1.0) as u32;
    for stage in 0..frame.stages {
        let top = frame.lane * f64::from(stage);
        let base = top + frame.lane - if frame.lane > 10.0 { 2.0 } else { 0.5 };
        painter.bar(frame.left, base, frame.right, base + 0.5, rule);
        if stage % every == 0 {
            let middle = (top + 0.5 * frame.lane).max(0.6 * painter.font);
            painter.text(&stage.to_string(), frame.left - 6.0, middle, Align::End, faint);
        }
        match replayed.sight(stage, frame.span, columns) {
            LaneDetail::Passes(passes) => {
                for event in passes {
                    let Some(&colour) = colours.get(kind(event.pass)) else { continue };
                    // Later chunks of a stage are lighter.
                    let faded = 0.45 * f64::from(event.virtual_stage) / f64::from(event.virtual_stage + 1);
                    let colour = Painter::between(colour, paper, faded);
                    let (x0, x1) =
                        (frame.x(event.start).max(frame.left), frame.x(event.end).min(frame.right));
                    painter.bar(x0, top + 1.0, (x1 - 0.7).max(x0 + 0.5), base, colour);
                    let label = event.micro_batch.to_string();
                    if frame.lane > 15.0 && x1 - x0 > painter.measure(&label) + 4.0 {
                        let text = Painter::legible(colour);
                        painter.text(&label, 0.5 * (x0 + x1), 0.5 * (top + base), Align::Middle, text);
                    }
                }
            }
            LaneDetail::Columns(shares) => {
                for (column, shares) in shares.iter().enumerate() {
                    let x = frame.left + column as f64;
                    let mut from = base;
                    for (share, colour) in shares.iter().zip(colours).filter(|entry| *entry.0 > 0.0) {
                        let to = from - share * (base - top - 1.0);
                        painter.bar(x, to, x + 1.0, from, colour);
                        from = to;
                    }
                }
            }
        }
    }
    if let Some(event) = looked_at {
        let (x0, x1) = (frame.x(event.start).max(frame.left), frame.x(event.end).min(frame.right));
        if x1 > x0 {
            let top = frame.lane * f64::from(event.stage);
            painter.outline(x0 - 2.0, top, x1 + 2.0, top + frame.lane, 2.0, painter.colour("--bad"));
        }
    }
}

/// Ticks at round times, of the whole axis or of the visible part.
fn axis(painter: &Painter, frame: &Frame) {
    let (faint, rule) = (painter.colour("--ink-2"), painter.colour("--rule"));
    let wanted = if painter.width < 460.0 { 3 } else { 6 };
    let ticks = scale::ticks(frame.end * frame.span.width(), wanted);
    let decimals = scale::decimals(&ticks);
    let distance = ticks.get(1).copied().unwrap_or(frame.end).max(f64::MIN_POSITIVE);
    let first = (frame.span.from * frame.end / distance).ceil();
    for index in 0..=ticks.len() {
        let time = (first + index as f64) * distance;
        let x = frame.x(Seconds(time));
        if x > frame.right {
            break;
        }
        painter.line(x, 0.0, x, frame.bottom(), rule);
        let text = format!("{} s", number::fixed(time, decimals));
        let half = 0.5 * painter.measure(&text);
        painter.text(&text, x.min(frame.right - half), frame.bottom() + painter.font, Align::Middle, faint);
    }
}
