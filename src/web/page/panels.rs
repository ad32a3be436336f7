//! What a second module draws: loads it when the first of its parts is opened, and tells it from then on what to draw
//! where.

use crate::explain::use_asked;
use crate::ranking::{CONTROLS, RankingProps, TABLE, section, use_search, use_telling};
use crate::short_list::ShortListInput;
use crate::store::Dispatch;
use js_sys::{Array, Function, Promise, Reflect};
use stepcast::document::Document;
use stepcast::page_state::page::{Action, Page, PageForecast};
use stepcast::page_state::panels::{self, Panel, PanelEntry, ResultsView};
use stepcast_web_kit::measure::use_seen;
use stepcast_web_kit::{ColourRevision, Shared, browser};
use wasm_bindgen::closure::Closure;
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast as _, JsValue};
use wasm_bindgen_futures::{JsFuture, spawn_local};
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
    let asked = use_state_eq(|| wanted);
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
pub(crate) fn shown(page: &Page, colours: ColourRevision) -> ShownState {
    (page.shown_link().unwrap_or_default().into(), page.document.to_state().into(), colours)
}

/// The panels that are open on the page, and the ranked table with what belongs to it, which stays while another view is
/// shown. What has no place on the page is not drawn.
pub(crate) fn open_panels(page: &Page) -> Vec<&'static str> {
    let Some(forecast) = &page.outcome.forecast else { return Vec::new() };
    let (view, job) = (ResultsView::of(&page.document), &forecast.scenario);
    let is_open = |entry: &&PanelEntry| panels::is_open(&page.document, entry.id);
    let of_table =
        ResultsView::Layouts.panels(job).filter(|entry| view != ResultsView::Layouts && is_of_table(entry));
    let open = view.panels(job).chain(of_table).filter(is_open).map(|entry| entry.id);
    open.chain([CONTROLS, TABLE]).collect()
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
    let dispatch = &props.dispatch;
    let job = &props.forecast.scenario;
    let view = ResultsView::of(&props.document);
    let layouts = view == ResultsView::Layouts;
    let any_open = view.panels(job).any(|entry| panels::is_open(&props.document, entry.id));
    let seen = use_seen(RANKING);
    let wanted = seen | use_asked() | any_open;
    let want = props.loaded.want.clone();
    use_effect_with(wanted, move |wanted| {
        if *wanted {
            want.emit(());
        }
    });
    // A table that was drawn is kept, with its scroll position.
    let drawn = layouts || seen;
    let search = use_search(&props.ranking, &props.told, dispatch);
    use_telling(&props.loaded.module, drawn, &props.ranking, &search);
    let folds = |view: ResultsView, of_table: bool| {
        let entries = view.panels(job).filter(move |entry| of_table == is_of_table(entry));
        html! { for entry in entries { { fold(entry, props) } } }
    };
    html! {
        <div class="views" id="views">
            <nav class="tabs" aria-label="Views">
                for (view, name, title, _) in ResultsView::ALL {
                    { tab(view, name, title, props) }
                }
            </nav>
            <p class="view-says">{ ResultsView::ALL.iter().find(|entry| entry.0 == view).map(|entry| entry.3) }</p>
            <div hidden={!layouts}>
                { section(&props.ranking, &search, if drawn { table(&props.loaded, folds(ResultsView::Layouts, true)) } else { Html::default() }) }
            </div>
            <div class={classes!("folds", props.stale.then_some("dim"))}>
                { folds(view, false) }
            </div>
        </div>
    }
}

/// Whether a panel is inside the ranked table's, above its rows.
fn is_of_table(entry: &PanelEntry) -> bool {
    matches!(entry.panel, Panel::Columns | Panel::Compare)
}

/// The way to a view, which has an address.
fn tab(view: ResultsView, name: &'static str, title: &'static str, props: &Props) -> Html {
    let current = ResultsView::of(&props.document) == view;
    let address = panels::shown(&props.document, view, &props.forecast.scenario).to_link();
    let dispatch = props.dispatch.clone();
    let turn = Callback::from(move |event: MouseEvent| {
        // Another tab of the browser is the browser's business.
        if !(event.ctrl_key() || event.meta_key() || event.shift_key()) {
            event.prevent_default();
            dispatch.emit(Action::Turn(view));
        }
    });
    html! {
        <a key={name} href={address} data-view={name} aria-current={current.then_some("page")} onclick={turn}>{ title }</a>
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

/// The places of the ranked table and of what is above it, with the folds that belong to it.
pub(crate) fn table(loaded: &Loaded, folds: Html) -> Html {
    html! {
        <>
            { waiting(loaded) }
            <div id={slot(CONTROLS)} data-panel={CONTROLS}></div>
            { folds }
            <div id={slot(TABLE)} class="table-place" data-panel={TABLE}></div>
        </>
    }
}

fn fold(entry: &'static PanelEntry, props: &Props) -> Html {
    let open = panels::is_open(&props.document, entry.id);
    let toggle = {
        let dispatch = props.dispatch.clone();
        Callback::from(move |event: Event| {
            let open = event.target_unchecked_into::<web_sys::Element>().has_attribute("open");
            dispatch.emit(Action::Unfold { id: entry.id, open });
        })
    };
    let (class, heading) = if is_of_table(entry) { ("fold-panel", "h3") } else { ("panel fold-panel", "h2") };
    html! {
        <details key={entry.id} {class} id={entry.id} {open} ontoggle={toggle}>
            <summary>
                <@{heading}>{ entry.title }</@>
                if let Some(count) = entry.panel.count(&props.forecast.prediction) {
                    <span class="fold-note">{ count }</span>
                }
            </summary>
            if open {
                { waiting(&props.loaded) }
                <div id={slot(entry.id)} data-panel={entry.id}></div>
            }
        </details>
    }
}
