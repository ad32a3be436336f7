//! All open panels, each drawn into the place that the page has for it.

use crate::content;
use crate::explain::Explain;
use crate::form::{Ask, Form};
use crate::picker::Picker;
use crate::planning::GoalPanel;
use crate::ranking::{RankingInput, RankingPart, part, use_ranked};
use crate::widgets::take_away::TakeAway;
use js_sys::Function;
use std::rc::Rc;
use stepcast::document::Document;
use stepcast::error::FieldError;
use stepcast::page_state::job::{JobPart, PARTS};
use stepcast::page_state::page::PageForecast;
use stepcast::page_state::panels::{CLOSE, FORM, GOAL, LAYOUT, PICKER, Panel, SHOW_FIELD, asking, view_key};
use stepcast::page_state::your_runs::RUNS;
use stepcast::scenario::Scenario;
use stepcast_web_kit::{ColourRevision, Shared, browser};
use wasm_bindgen::JsValue;
use web_sys::Element;
use yew::prelude::*;

/// What is drawn in one place.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Holds {
    Panel(Panel),
    /// A part of the ranked table.
    Ranking(RankingPart),
    /// All fields.
    Form,
    /// How many GPUs meet the deadline, and what the budget buys.
    Goal,
    /// The choices for a setting of the job.
    Picker(&'static JobPart),
}

impl Holds {
    fn of(element: &Element) -> Option<Self> {
        let name = element.get_attribute("data-panel")?;
        match name.as_str() {
            FORM => Some(Self::Form),
            GOAL => Some(Self::Goal),
            PICKER => {
                let key = element.get_attribute("data-part")?;
                PARTS.iter().find(|part| part.key == key).map(Self::Picker)
            }
            _ => Panel::find(&name).map(Self::Panel).or_else(|| RankingPart::find(&name).map(Self::Ranking)),
        }
    }
}

/// What a panel is drawn into, for good: Yew never removes the listeners of a portal, so an element for each place that a
/// panel has had would leave all of them behind.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Slot {
    holds: Option<Holds>,
    element: Element,
    /// It is in a place on the page.
    open: bool,
}

impl Slot {
    /// Moves the slots of what some places name there, and closes the others.
    pub(crate) fn open(known: &mut Vec<Self>, places: &[Element]) {
        known.iter_mut().for_each(|slot| slot.open = false);
        for place in places {
            let holds = Holds::of(place);
            if known.iter().all(|slot| slot.holds != holds) {
                known.extend(Self::new(holds));
            }
            let Some(slot) = known.iter_mut().find(|slot| slot.holds == holds) else { continue };
            slot.open = true;
            if slot.element.parent_element().as_ref() != Some(place) {
                let _ = place.append_child(&slot.element);
            }
        }
    }

    fn new(holds: Option<Holds>) -> Option<Self> {
        let element = browser::document()?.create_element("div").ok()?;
        Some(Self { holds, element, open: true })
    }

    fn is_ranked(&self) -> bool {
        self.open && matches!(self.holds, Some(Holds::Ranking(_)))
    }

    /// Whether it shows the document as it is typed, possible or not.
    fn is_typed(&self) -> bool {
        self.open && matches!(self.holds, Some(Holds::Form | Holds::Picker(_)))
    }
}

/// What to draw where.
#[derive(Properties, Clone, PartialEq)]
pub(crate) struct Scene {
    pub(crate) link: AttrValue,
    /// What is on the form, as a link.
    pub(crate) typed: AttrValue,
    pub(crate) colours: ColourRevision,
    pub(crate) slots: Vec<Slot>,
    pub(crate) tell: Function,
    /// What the page's search has found.
    pub(crate) told: RankingInput,
}

/// Begins to draw. The root itself is on no page; what is drawn comes out of it at the slots.
///
/// Yew numbers its roots and portals and finds an event's owner by that number. The page, a Yew program of
/// its own, has number 1; here the root takes that number, and the slots, inside the page, have others.
pub(crate) fn mount(scene: Scene) -> Option<yew::AppHandle<Root>> {
    let nowhere = browser::document()?.create_element("div").ok()?;
    Some(yew::Renderer::<Root>::with_root_and_props(nowhere, scene).render())
}

/// Sends the page a piece of view state, by its key.
pub(crate) type Show = Callback<(&'static str, String)>;

/// What every panel is made from.
#[derive(Properties, Clone, PartialEq)]
pub(crate) struct PanelProps {
    /// Holds the view state.
    pub(crate) document: Shared<Document>,
    pub(crate) forecast: Shared<PageForecast>,
    pub(crate) colours: ColourRevision,
    pub(crate) show: Show,
    /// Puts another scenario, given as a link, on the form.
    pub(crate) begin: Callback<String>,
    /// Puts the layout of a job, given as a link, on the form.
    pub(crate) take: Callback<String>,
    /// Asks the page for anything that [`stepcast::page_state::panels::asked`] takes.
    pub(crate) ask: Callback<(String, String)>,
}

impl PanelProps {
    /// A value of the view state; empty for the default.
    pub(crate) fn state(&self, key: &str) -> &str {
        self.document.extra(key).unwrap_or_default()
    }
}

/// Callbacks that ask the page for another scenario, for the layout of a job, and for anything.
#[hook]
fn use_asks(tell: &Function) -> (Callback<String>, Callback<String>, Callback<(String, String)>) {
    let begin = use_callback(tell.clone(), |link, tell| hand_over("", link, tell));
    let take = use_callback(tell.clone(), |link, tell| hand_over(LAYOUT, link, tell));
    let ask = use_callback(tell.clone(), |(key, text): (String, String), tell| hand_over(&key, text, tell));
    (begin, take, ask)
}

/// Whether a forecast is of a document's job and measured steps.
fn is_of(forecast: &PageForecast, document: &Document, job: &Scenario) -> bool {
    forecast.scenario == *job && forecast.document.extra(RUNS) == document.extra(RUNS)
}

/// Every open panel.
#[component]
pub(crate) fn Root(scene: &Scene) -> Html {
    // The forecast of before, kept for as long as the scenario stays the same.
    let last = use_mut_ref(|| None::<Rc<PageForecast>>);
    let read = use_memo(scene.link.clone(), move |link| {
        let document = Document::from_link(link).map(|opened| Rc::new(opened.document)).unwrap_or_default();
        let mut last = last.borrow_mut();
        let scenario = document.scenario()?;
        let forecast = match last.take().filter(|last| is_of(last, &document, &scenario)) {
            Some(same) => same,
            None => Rc::new(PageForecast::of(&document)?),
        };
        *last = Some(Rc::clone(&forecast));
        Ok::<_, Vec<FieldError>>((document, forecast))
    });
    let show = use_callback(scene.tell.clone(), |(key, text): (&'static str, String), tell| {
        hand_over(&view_key(key), text, tell);
    });
    let (begin, take, ask) = use_asks(&scene.tell);
    let known = read.as_ref().as_ref().ok();
    let known = known.map(|(document, forecast)| (Shared::from(document), Shared::from(forecast)));
    let ranked = use_ranked(&scene.told, known.filter(|_| scene.slots.iter().any(Slot::is_ranked)));
    let typed = use_typed(scene);
    let inside = |slot: &Slot| match (&*read, slot.holds) {
        (_, Some(Holds::Form)) => typed.form(),
        (_, Some(Holds::Picker(part))) => typed.picker(part),
        (Ok((document, forecast)), Some(holds)) => {
            let props = PanelProps {
                document: Shared::from(document),
                forecast: Shared::from(forecast),
                colours: scene.colours,
                show: show.clone(),
                begin: begin.clone(),
                take: take.clone(),
                ask: ask.clone(),
            };
            match (holds, &ranked) {
                (Holds::Panel(panel), _) => {
                    html! { <div class="panel-body">{ content(panel, &props) }<TakeAway /></div> }
                }
                (Holds::Goal, _) => html! { <GoalPanel ..props /> },
                (Holds::Ranking(which), Some(ranked)) => {
                    html! { <div class="ranking-body">{ part(which, ranked, &props) }</div> }
                }
                (Holds::Ranking(_), None) | (Holds::Form | Holds::Picker(_), _) => Html::default(),
            }
        }
        (Err(errors), _) => problems(errors),
        (_, None) => html! { <p class="error">{ "Unknown part." }</p> },
    };
    html! {
        <>
            for (place, slot) in scene.slots.iter().enumerate() {
                <Outlet key={place} element={slot.element.clone()}>{ if slot.open { inside(slot) } else { Html::default() } }</Outlet>
            }
            if let Ok((_, forecast)) = &*read {
                <Explain forecast={Shared::from(forecast)} />
            }
        </>
    }
}

/// What is on the form, and the ways to the page.
struct Typed {
    document: Shared<Document>,
    errors: Shared<[FieldError]>,
    ask: Ask,
    close: Callback<bool>,
    show_field: Callback<&'static str>,
}

/// What is typed, where a place shows it.
#[hook]
fn use_typed(scene: &Scene) -> Typed {
    let link = scene.typed.clone();
    let read = use_memo(scene.slots.iter().any(Slot::is_typed).then_some(link), |link| {
        let opened = link.as_ref().and_then(|link| Document::from_link(link).ok());
        let document = Rc::new(opened.map(|opened| opened.document).unwrap_or_default());
        let errors: Rc<[FieldError]> = document.scenario().err().unwrap_or_default().into();
        (document, errors)
    });
    let tell = &scene.tell;
    Typed {
        document: Shared::from(&read.0),
        errors: Shared::from(&read.1),
        ask: use_callback(tell.clone(), |action, tell| {
            let (key, text) = asking(&action);
            hand_over(&key, text, tell);
        }),
        close: use_callback(tell.clone(), |refocus: bool, tell| {
            hand_over(CLOSE, if refocus { "1" } else { "" }.to_owned(), tell);
        }),
        show_field: use_callback(tell.clone(), |key: &'static str, tell| {
            hand_over(SHOW_FIELD, key.to_owned(), tell);
        }),
    }
}

impl Typed {
    fn form(&self) -> Html {
        html! { <Form document={self.document.clone()} errors={self.errors.clone()} ask={self.ask.clone()} /> }
    }

    fn picker(&self, part: &'static JobPart) -> Html {
        html! {
            <Picker {part} document={self.document.clone()} ask={self.ask.clone()}
                close={self.close.clone()} show_field={self.show_field.clone()} />
        }
    }
}

/// Sends a text to the page: a link of a job or of a layout, or a request of the form.
fn hand_over(what: &str, text: String, tell: &Function) {
    // The page's own function: it does not fail.
    let _ = tell.call2(&JsValue::UNDEFINED, &what.into(), &text.into());
}

#[derive(Properties, PartialEq)]
struct OutletProps {
    element: Element,
    children: Html,
}

/// Where a panel comes out on the page.
#[component]
fn Outlet(props: &OutletProps) -> Html {
    create_portal(props.children.clone(), props.element.clone())
}

/// Problems, as sentences.
pub(crate) fn problems(errors: &[FieldError]) -> Html {
    html! {
        for error in errors {
            <p class="error">{ &error.message }</p>
        }
    }
}
