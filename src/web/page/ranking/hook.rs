//! The ranking as a hook: follows the scenario, restarts when its space changes.

use super::client::{Client, Request};
use gloo::timers::callback::Timeout;
use js_sys::JsString;
use std::cell::RefCell;
use std::rc::Rc;
use stepcast::document::Document;
use stepcast::page_state::page::PageForecast;
use stepcast::page_state::search::{SearchEvent, SearchProgress};
use stepcast::page_state::your_runs::RUNS;
use stepcast::planned::Searched;
use stepcast_web_kit::Shared;
use stepcast_web_kit::hooks::use_effect_with;
use yew::prelude::*;

/// Quiet after an edit before the ranking starts again, milliseconds.
const PAUSE_MS: u32 = 120;

/// [`SearchProgress`] as a Yew reducer.
#[derive(Default)]
pub(crate) struct Tracked(pub(crate) SearchProgress);

impl Reducible for Tracked {
    type Action = SearchEvent;

    fn reduce(self: Rc<Self>, event: SearchEvent) -> Rc<Self> {
        match self.0.after(event) {
            Some(progress) => Rc::new(Self(progress)),
            None => self,
        }
    }
}

/// The ranking, and how to stop and restart it.
pub(crate) struct RankingHandle {
    pub(crate) progress: SearchProgress,
    /// Link of the search that its rows are of.
    pub(crate) link: Rc<JsString>,
    pub(crate) stop: Callback<MouseEvent>,
    pub(crate) restart: Callback<MouseEvent>,
}

/// Ranks the layouts of a job in workers. `document` holds the view state, with what is searched.
#[hook]
pub(crate) fn use_ranking(
    forecast: &Shared<PageForecast>,
    document: &Shared<Document>,
    searched: Searched,
) -> RankingHandle {
    let tracked = use_reducer(Tracked::default);
    let client = {
        let dispatcher = tracked.dispatcher();
        use_memo((), move |()| Client::new(Callback::from(move |event| dispatcher.dispatch(event))))
    };
    // Bumped to ask again for the same space.
    let attempt = use_state(|| 0u32);
    {
        let dispatcher = tracked.dispatcher();
        let space = searched.same_layouts(&forecast.scenario);
        let measured = document.extra(RUNS).map(str::to_owned);
        use_effect_with((space, searched, measured, *attempt), move |_| {
            dispatcher.dispatch(SearchEvent::Start)
        });
    }
    // What to ask with, always that of the last drawing.
    let last = use_mut_ref(|| None);
    let asked = use_mut_ref(String::new);
    let link = {
        let asked = Rc::clone(&asked);
        // Rows belong to the last request.
        use_memo(Shared::from(&tracked.0.rows), move |_| JsString::from(asked.borrow().as_str()))
    };
    *last.borrow_mut() = Some((forecast.clone(), document.clone()));
    {
        let client = Rc::clone(&client);
        use_effect_with(tracked.0.epoch, move |epoch| {
            let epoch = *epoch;
            let pause = if epoch > 1 { PAUSE_MS } else { 0 };
            let timer = (epoch > 0).then(|| Timeout::new(pause, move || ask(&client, epoch, &last, &asked)));
            move || drop(timer)
        });
    }
    let stop = {
        let dispatcher = tracked.dispatcher();
        let client = Rc::clone(&client);
        Callback::from(move |_: MouseEvent| {
            client.stop();
            dispatcher.dispatch(SearchEvent::Stop);
        })
    };
    let restart = {
        let setter = attempt.setter();
        let next = attempt.wrapping_add(1);
        Callback::from(move |_: MouseEvent| setter.set(next))
    };
    RankingHandle { progress: tracked.0.clone(), link, stop, restart }
}

/// What was drawn last: the job, and the view state.
type Drawn = RefCell<Option<(Shared<PageForecast>, Shared<Document>)>>;

fn ask(client: &Client, epoch: u32, drawn: &Drawn, told: &RefCell<String>) {
    let Some((forecast, document)) = drawn.borrow().clone() else { return };
    // The scenario that is shown, also while the form holds an impossible one.
    let mut asked = Document::from_scenario(&forecast.scenario);
    asked.take_view(&document);
    asked.set_as(&document);
    let searched = Searched::of(&document);
    let space = searched.space(&forecast.scenario);
    let link = asked.to_state();
    told.borrow_mut().clone_from(&link);
    client.ask(epoch, Request { link, space, options: searched.options() });
}
