//! What a second module draws: loads it when the first of its parts is in sight or asked for, and tells it from then on
//! what to draw where.

use crate::explain::use_asked;
use crate::overview::{legend, overview, use_overview};
use crate::ranking::{CONTROLS, RankingProps, TABLE, section, use_search, use_telling};
use crate::section::{PanelSection, places};
use crate::short_list::{Cards, ShortListInput, short_list};
use crate::store::Dispatch;
use crate::summary::breakdown;
use js_sys::{Array, Function, Promise, Reflect};
use std::rc::Rc;
use stepcast::document::Document;
use stepcast::page_state::jobs::count;
use stepcast::page_state::page::{Action, Page, PageForecast};
use stepcast::page_state::panels::{self, PANELS, Panel, PanelEntry, ResultsView};
use stepcast::page_state::timeline::Overview;
use stepcast_web_kit::hooks::{use_effect_with, use_flag};
use stepcast_web_kit::measure::use_seen;
use stepcast_web_kit::{ColourRevision, Shared, browser};
use wasm_bindgen::closure::Closure;
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast as _, JsValue};
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::Element;
use yew::prelude::*;

#[derive(Properties, Clone, PartialEq)]
pub(crate) struct Props {
    /// Holds the view state: which panels are open.
    pub(crate) document: Shared<Document>,
    pub(crate) forecast: Shared<PageForecast>,
    pub(crate) loaded: Loaded,
    pub(crate) dispatch: Dispatch,
    /// What is ranked.
    pub(crate) ranking: RankingProps,
    /// Hears what the search has found.
    pub(crate) told: Callback<ShortListInput>,
    pub(crate) cards: Shared<Cards>,
    pub(crate) seen: SeenPanels,
    /// The forecast is not that of the form.
    pub(crate) stale: bool,
}

/// The second module.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum PanelsModule {
    /// Not there yet.
    Absent,
    /// The functions `draw` and `rank` of the module.
    Ready(Function, Function),
    /// Why it could not be loaded.
    Failed(String),
}

#[wasm_bindgen]
extern "C" {
    /// Loads a module and starts it, once for all that ask for it (`static/start.js`).
    #[wasm_bindgen(catch, js_name = "loadModule")]
    fn load_module(name: &str) -> Result<Promise, JsValue>;
}

/// The module, loaded and started.
async fn load() -> Result<PanelsModule, JsValue> {
    let module = JsFuture::from(load_module("panels")?).await?;
    let function = |name: &str| Reflect::get(&module, &name.into())?.dyn_into();
    Ok(PanelsModule::Ready(function("draw")?, function("rank")?))
}

/// The second module, and how it is requested.
#[derive(Clone, PartialEq)]
pub(crate) struct Loaded {
    pub(crate) module: PanelsModule,
    /// Tries again to load it.
    retry: Callback<MouseEvent>,
    /// Loads it, if that was not done yet.
    want: Callback<()>,
}

impl Loaded {
    /// Whether it can draw.
    pub(crate) fn is_ready(&self) -> bool {
        matches!(self.module, PanelsModule::Ready(..))
    }
}

/// The second module, loaded once it is wanted: here, or by what is handed down.
#[hook]
pub(crate) fn use_module(wanted: bool) -> Loaded {
    let module = use_state_eq(|| PanelsModule::Absent);
    let attempt = use_state_eq(|| 0_u32);
    let asked = use_flag(wanted);
    if wanted {
        asked.set(true);
    }
    let want = {
        let asked = asked.setter();
        use_callback((), move |(), ()| asked.set(true))
    };
    {
        let module = module.setter();
        use_effect_with((*asked, *attempt), move |(wanted, _)| {
            if *wanted {
                spawn_local(async move {
                    module.set(match load().await {
                        Ok(module) => module,
                        Err(error) => PanelsModule::Failed(js_sys::Object::from(error).to_string().into()),
                    });
                });
            }
        });
    }
    let retry = {
        let (setter, module) = (attempt.setter(), module.setter());
        use_callback(*attempt, move |_: MouseEvent, attempt| {
            module.set(PanelsModule::Absent);
            setter.set(attempt + 1);
        })
    };
    Loaded { module: (*module).clone(), retry, want }
}

/// Turns a panel's requests into actions.
pub(crate) fn asks(dispatch: &Dispatch) -> impl Fn(&str, String) + 'static {
    let dispatch = dispatch.clone();
    move |key, text| {
        if let Some(action) = panels::asked(key, text) {
            dispatch.emit(action);
        }
    }
}

/// What is drawn: the link of the last possible scenario with the view state, what is on the form as a link, and the count
/// of changes of colours.
pub(crate) type ShownState = (AttrValue, AttrValue, ColourRevision);

/// What the page shows of its state.
#[hook]
pub(crate) fn use_shown(page: &Page, colours: ColourRevision) -> ShownState {
    let of = (page.outcome.forecast.as_ref().map(Shared::from), Shared::from(&page.document));
    let links =
        use_memo(of, |_| (page.shown_link().unwrap_or_default().into(), page.document.to_state().into()));
    let (shown, typed): &(AttrValue, AttrValue) = &links;
    (shown.clone(), typed.clone(), colours)
}

/// The panels that the reader has had in sight: they are drawn from then on.
#[derive(Clone, PartialEq)]
pub(crate) struct SeenPanels {
    ids: Rc<Vec<&'static str>>,
    /// Tells that one is in sight.
    pub(crate) tell: Callback<&'static str>,
}

impl SeenPanels {
    /// Whether a panel is drawn: it was in sight, or the link asks for it.
    pub(crate) fn draws(&self, document: &Document, id: &str) -> bool {
        self.ids.contains(&id) || panels::is_asked(document, id)
    }
}

/// The panels that were in sight, none at first.
#[hook]
pub(crate) fn use_seen_panels() -> SeenPanels {
    let ids = use_state_eq(|| Rc::new(Vec::new()));
    let known = use_mut_ref(Vec::new);
    let tell = {
        let ids = ids.setter();
        use_callback((), move |id: &'static str, ()| {
            let mut known = known.borrow_mut();
            if !known.contains(&id) {
                known.push(id);
                ids.set(Rc::new(known.clone()));
            }
        })
    };
    SeenPanels { ids: Rc::clone(&ids), tell }
}

/// The panels that are drawn on the page, and the ranked table with what belongs to it, which stays while another view is
/// shown. What has no place on the page is not drawn.
pub(crate) fn open_panels(page: &Page, seen: &SeenPanels) -> Vec<&'static str> {
    let Some(forecast) = &page.outcome.forecast else { return Vec::new() };
    let (view, job) = (ResultsView::of(&page.document), &forecast.scenario);
    let of_table = PANELS.iter().filter(|entry| entry.panel.is_of_table());
    let of_table = of_table.filter(|entry| panels::is_open(&page.document, entry.id));
    let of_view = view.panels(job).filter(|entry| !entry.panel.is_of_table());
    let of_view = of_view.filter(|entry| seen.draws(&page.document, entry.id));
    of_view.chain(of_table).map(|entry| entry.id).chain([CONTROLS, TABLE]).collect()
}

/// Tells the module after every change what to draw where, in which colours, and `told` what a panel asks for. The first
/// `told` is the one that hears.
#[hook]
pub(crate) fn use_drawing(
    module: &PanelsModule,
    shown: ShownState,
    open: Vec<&'static str>,
    told: impl Fn(&str, String) + 'static,
) {
    let tell = use_memo((), move |()| {
        Closure::<dyn Fn(String, String)>::new(move |key: String, text: String| told(&key, text))
    });
    let deps = (module.clone(), shown, open);
    use_effect_with(deps, move |(module, (link, typed, colours), open)| {
        let PanelsModule::Ready(draw, _) = module else { return };
        let slots = Array::new();
        for slot in open.iter().filter_map(|id| browser::element(&slot(id))) {
            slots.push(&slot);
        }
        let told: &JsValue = (*tell).as_ref();
        let (link, typed) = (JsValue::from_str(link), JsValue::from_str(typed));
        let arguments = Array::of5(&link, &typed, &JsValue::from(*colours), &slots, told);
        // A module that fails says so itself: it has the page's panic handler.
        let _ = draw.apply(&JsValue::UNDEFINED, &arguments);
    });
}

/// Id of the element that triggers loading of the second module once it is visible.
const RANKING: &str = "ranking";

/// The views: which there are, and the one that is shown. The ranked table stays where it is while another is shown: its
/// search plans for the reader.
#[component]
pub(crate) fn Panels(props: &Props) -> Html {
    let Props { document, forecast, dispatch, .. } = props;
    let job = &forecast.scenario;
    let view = ResultsView::of(document);
    let layouts = view == ResultsView::Layouts;
    let job_link = use_memo(document.clone(), |document| document.job_link());
    let any_drawn = view.panels(job).any(|entry| props.seen.draws(document, entry.id));
    let seen = use_seen(RANKING);
    let wanted = seen | use_asked() | any_drawn;
    let want = props.loaded.want.clone();
    use_effect_with(wanted, move |wanted| {
        if *wanted {
            want.emit(());
        }
    });
    use_arrival(document, &props.loaded);
    use_current_tab(view, count(document));
    // A table that was drawn is kept, with its scroll position.
    let drawn = layouts || seen;
    let search = use_search(&props.ranking, &props.told, dispatch);
    use_telling(&props.loaded.module, drawn, &props.ranking, &search);
    let still = use_overview(&forecast.0, view == ResultsView::Time);
    let cards = matches!(view, ResultsView::Time | ResultsView::Layouts) && !props.stale;
    let cards = cards.then(|| short_list(&props.cards, job, document, dispatch));
    let mut sections: Vec<Html> = view
        .panels(job)
        .filter(|entry| !entry.panel.is_of_table())
        .map(|entry| panel(entry, props, still.as_deref()))
        .collect();
    // The short list follows the timeline, and is before the ranked table.
    let rest = sections.split_off(usize::from(view == ResultsView::Time).min(sections.len()));
    html! {
        <div class={classes!("views", panels::named(document).is_some().then_some("arrived"))} id="views">
            <nav class="tabs" aria-label="Views">
                for (view, name, title) in ResultsView::ALL {
                    { tab(view, name, title, props, &job_link) }
                }
            </nav>
            { places(view, job, document, &job_link, dispatch) }
            <div class={classes!("sections", props.stale.then_some("dim"))}>
                if view == ResultsView::Time {
                    { breakdown(forecast) }
                }
                { sections.into_iter().collect::<Html>() }
                { cards }
                <div hidden={!layouts}>
                    { section(&props.ranking, &search, if drawn { table(&props.loaded, of_table(document, dispatch)) } else { Html::default() }) }
                </div>
                { rest.into_iter().collect::<Html>() }
            </div>
        </div>
    }
}

/// What the panel of questions answers.
const PLANNING: &str = "Why this layout is recommended, sensitivity, GPUs for a deadline or budget, and the largest job that fits.";

/// A panel's place, with the still picture of the timeline in its own until it is drawn.
fn panel(entry: &'static PanelEntry, props: &Props, still: Option<&Overview>) -> Html {
    let placeholder = match entry.panel {
        Panel::Timeline => still.map(|still| html! { <>{ overview(still) }{ legend(still) }</> }),
        // Its answers take searches of their own.
        Panel::Planning => Some(html! { <p class="footnote">{ PLANNING }</p> }),
        _ => None,
    };
    html! {
        <PanelSection key={entry.id} {entry} drawn={props.seen.draws(&props.document, entry.id)} loaded={props.loaded.clone()}
            count={entry.panel.count(&props.forecast.prediction)} {placeholder} seen={props.seen.tell.clone()} />
    }
}

/// Brings the panel that a link asks for into sight, once it can be drawn.
#[hook]
fn use_arrival(document: &Document, loaded: &Loaded) {
    let asked = panels::named(document).map(|entry| entry.id);
    use_effect_with((asked, loaded.is_ready()), |(asked, _)| {
        if let Some(panel) = asked.and_then(browser::element) {
            panel.scroll_into_view();
        }
    });
}

/// Brings the current view's tab to the middle of the row of tabs where that scrolls. The number of compared jobs is in a tab.
#[hook]
fn use_current_tab(view: ResultsView, compared: usize) {
    use_effect_with((view, compared), |_| {
        let found = browser::document().and_then(|page| page.query_selector(".tabs [aria-current]").ok()?);
        let (Some(tab), Some(row)) =
            (found, browser::document().and_then(|page| page.query_selector(".tabs").ok()?))
        else {
            return;
        };
        let middle = |element: &Element| {
            let bounds = element.get_bounding_client_rect();
            bounds.left() + 0.5 * bounds.width()
        };
        row.set_scroll_left(row.scroll_left() + (middle(&tab) - middle(&row)) as i32);
    });
}

/// The way to a view, which has an address.
fn tab(view: ResultsView, name: &'static str, title: &'static str, props: &Props, job_link: &str) -> Html {
    let current = ResultsView::of(&props.document) == view;
    let address = panels::shown(&props.document, view).link_of(job_link);
    let turn = {
        let follow = followed(&props.dispatch, Action::Turn(view));
        Callback::from(move |event: MouseEvent| {
            follow.emit(event.clone());
            // Deep in a long view, the next one begins at its top.
            let views = browser::element("views")
                .filter(|views| event.default_prevented() && views.get_bounding_client_rect().top() < 0.0);
            if let Some(views) = views {
                views.scroll_into_view();
            }
        })
    };
    html! {
        <a key={name} href={address} data-view={name} aria-current={current.then_some("page")} onclick={turn}>
            { title }
            if view == ResultsView::Compare && count(&props.document) > 0 {
                { " " }<span class="fold-note">{ count(&props.document) }</span>
            }
        </a>
    }
}

/// What a press on a link of the page does in place of following it.
pub(crate) fn followed(dispatch: &Dispatch, action: Action) -> Callback<MouseEvent> {
    let dispatch = dispatch.clone();
    Callback::from(move |event: MouseEvent| {
        // Another tab of the browser is the browser's business.
        if !(event.ctrl_key() || event.meta_key() || event.shift_key()) {
            event.prevent_default();
            dispatch.emit(action.clone());
        }
    })
}

/// What is shown above the rows of the ranked table on request: a switch for each, and its place.
fn of_table(document: &Document, dispatch: &Dispatch) -> Html {
    html! {
        for entry in PANELS.iter().filter(|entry| entry.panel.is_of_table()) {
            { switched(entry, document, dispatch) }
        }
    }
}

fn switched(entry: &'static PanelEntry, document: &Document, dispatch: &Dispatch) -> Html {
    let open = panels::is_open(document, entry.id);
    let toggle = {
        let dispatch = dispatch.clone();
        Callback::from(move |_: MouseEvent| dispatch.emit(Action::Unfold { id: entry.id, open: !open }))
    };
    html! {
        <section key={entry.id} class="switched" id={entry.id}>
            <h3><button type="button" class="switch" aria-expanded={open.to_string()} onclick={toggle}>{ entry.title }</button></h3>
            if open {
                <div id={slot(entry.id)} data-panel={entry.id}></div>
            }
        </section>
    }
}

/// Id of the element that a panel is drawn into.
pub(crate) fn slot(id: &str) -> String {
    format!("{id}-panel")
}

/// Why the module could not be loaded, and another try.
fn failed(reason: &str, retry: &Callback<MouseEvent>) -> Html {
    html! {
        <p class="error" role="alert">
            { format!("This part could not be loaded ({reason}). ") }
            <button type="button" class="suggestion" onclick={retry.clone()}>{ "Try again" }</button>
        </p>
    }
}

/// That the module is on its way, or why it is not.
pub(crate) fn waiting(loaded: &Loaded) -> Html {
    match &loaded.module {
        PanelsModule::Failed(reason) => failed(reason, &loaded.retry),
        PanelsModule::Absent => html! { <p class="panel-wait">{ "Loading\u{2026}" }</p> },
        PanelsModule::Ready(..) => Html::default(),
    }
}

/// The places of the ranked table and of its controls, with what is shown between them on request.
pub(crate) fn table(loaded: &Loaded, between: Html) -> Html {
    html! {
        <>
            { waiting(loaded) }
            <div id={slot(CONTROLS)} data-panel={CONTROLS}></div>
            { between }
            <div id={slot(TABLE)} class="table-place" data-panel={TABLE}></div>
        </>
    }
}
