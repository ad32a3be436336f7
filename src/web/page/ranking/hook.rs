//! The ranking as a hook: follows the scenario, restarts when its space changes.

use super::client::Client;
use gloo::timers::callback::Timeout;
use std::rc::Rc;
use stepcast::page_state::search::{Event, Progress};
use stepcast::scenario::Scenario;
use stepcast::tuner::{Free, without_searched};
use yew::prelude::*;

/// Quiet after an edit before the ranking starts again, milliseconds.
const PAUSE_MS: u32 = 120;

/// [`Progress`] as a Yew reducer.
#[derive(Default)]
pub(crate) struct Tracked(pub(crate) Progress);

impl Reducible for Tracked {
    type Action = Event;

    fn reduce(self: Rc<Self>, event: Event) -> Rc<Self> {
        match self.0.after(event) {
            Some(progress) => Rc::new(Self(progress)),
            None => self,
        }
    }
}

/// The ranking, and how to stop and restart it.
pub(crate) struct Ranking {
    pub(crate) progress: Progress,
    pub(crate) stop: Callback<MouseEvent>,
    pub(crate) restart: Callback<MouseEvent>,
}

/// Ranks the layouts of a scenario in the worker. `link` is the document that says the same.
#[hook]
pub(crate) fn use_ranking(scenario: &Scenario, link: &str) -> Ranking {
    let tracked = use_reducer(Tracked::default);
    let client = {
        let dispatcher = tracked.dispatcher();
        use_memo((), move |()| Client::new(Callback::from(move |event| dispatcher.dispatch(event))))
    };
    // Bumped to ask again for the same space.
    let attempt = use_state(|| 0u32);
    {
        let dispatcher = tracked.dispatcher();
        use_effect_with((without_searched(scenario, Free::default()), *attempt), move |_| {
            dispatcher.dispatch(Event::Start)
        });
    }
    let link = use_mut_ref_of(link);
    {
        let client = Rc::clone(&client);
        use_effect_with(tracked.0.epoch, move |epoch| {
            let epoch = *epoch;
            let pause = if epoch > 1 { PAUSE_MS } else { 0 };
            let timer = (epoch > 0).then(|| Timeout::new(pause, move || client.ask(epoch, &link.borrow())));
            move || drop(timer)
        });
    }
    let stop = {
        let dispatcher = tracked.dispatcher();
        let client = Rc::clone(&client);
        Callback::from(move |_: MouseEvent| {
            client.stop();
            dispatcher.dispatch(Event::Stop);
        })
    };
    let restart = {
        let setter = attempt.setter();
        let next = attempt.wrapping_add(1);
        Callback::from(move |_: MouseEvent| setter.set(next))
    };
    Ranking { progress: tracked.0.clone(), stop, restart }
}

/// A cell that always holds the text of the last drawing.
#[hook]
fn use_mut_ref_of(text: &str) -> Rc<std::cell::RefCell<String>> {
    let cell = use_mut_ref(String::new);
    text.clone_into(&mut cell.borrow_mut());
    cell
}
