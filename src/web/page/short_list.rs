//! Suggested layouts, each to be used, or compared.

use crate::compare::compare;
use crate::store::Dispatch;
use crate::summary::ruler;
use std::rc::Rc;
use stepcast::document::Document;
use stepcast::number;
use stepcast::page_state::choices::{ShortListChoice, choices, closest_recipe};
use stepcast::page_state::page::{Action, PageForecast};
use stepcast::page_state::ranking::Room;
use stepcast::planned::Searched;
use stepcast::scenario::Scenario;
use stepcast::tuner::Candidate;
use stepcast_web_kit::Shared;
use yew::prelude::*;

/// What the search has found so far.
#[derive(Clone, PartialEq)]
pub(crate) struct ShortListInput {
    pub(crate) rows: Shared<Vec<Candidate>>,
    /// The rows are of this search, and worth going by.
    pub(crate) fresh: bool,
    /// Every layout was looked at.
    pub(crate) done: bool,
}

impl ShortListInput {
    /// The search takes long, and its layouts are not the last word.
    pub(crate) fn is_going_on(&self) -> bool {
        self.fresh && !self.done
    }

    /// Every layout was looked at, and none fits.
    pub(crate) fn none_fits(&self) -> bool {
        self.done && self.fresh && !self.rows.first().is_some_and(|row| row.fits)
    }
}

/// The cards, and whether they are of the search before.
pub(crate) struct Cards {
    choices: Vec<ShortListChoice>,
    waiting: bool,
    recipe: bool,
}

/// The short list of a job, which stays while the next search is on its way.
#[hook]
pub(crate) fn use_short_list(
    forecast: Option<&Rc<PageForecast>>,
    found: Option<&ShortListInput>,
    document: &Rc<Document>,
) -> Rc<Cards> {
    // Until there are cards, nothing is said about recipes.
    let last = use_mut_ref(|| (Vec::<ShortListChoice>::new(), true));
    let is_fresh = found.is_some_and(|found| found.fresh);
    // Recipes are searched once there are rows to compare them with: a first answer and an edit do not wait for them.
    let recipe = use_memo(forecast.filter(|_| is_fresh).map(Shared::from), |forecast| {
        forecast.as_ref().and_then(|forecast| closest_recipe(&forecast.scenario))
    });
    let deps = (forecast.map(Shared::from), found.cloned(), Shared::from(document));
    use_memo(deps, move |(forecast, found, document)| {
        let recipe = *recipe;
        let fresh = found.as_ref().filter(|found| found.fresh);
        if let (Some(forecast), Some(found)) = (forecast, fresh) {
            let job = forecast.scenario;
            let margin = Searched::of(document).margin;
            let choices =
                choices(&forecast.predictor(), &job, document.is_planned(), &found.rows, recipe, margin);
            *last.borrow_mut() = (choices, recipe.is_some());
        }
        let (choices, recipe) = last.borrow().clone();
        Cards { choices, waiting: fresh.is_none(), recipe }
    })
}

/// The cards.
pub(crate) fn short_list(cards: &Cards, job: &Scenario, document: &Document, dispatch: &Dispatch) -> Html {
    html! {
        <section class={classes!("short-list", cards.waiting.then_some("waiting"))} id="short-list" aria-labelledby="short-list-title">
            <div class="panel-head">
                <h2 id="short-list-title">{ "Suggested layouts" }</h2>
                if !cards.recipe {
                    <span class="aside">{ "No published recipe for this model." }</span>
                }
            </div>
            <ul class="cards">
                for choice in cards.choices.iter() {
                    <li key={choice.title.clone()} class={classes!("card", choice.current.then_some("card-current"))}>
                        <h3>{ &choice.title }</h3>
                        <p class="card-step">
                            <strong>{ number::time(choice.step).to_string() }</strong>
                            if let Some(difference) = &choice.difference {
                                { " " }<span>{ difference }</span>
                            }
                        </p>
                        <div class="ruler-frame">{ ruler(&choice.breakdown, f64::INFINITY, choice.current) }</div>
                        <p class="card-layout">{ &choice.layout }</p>
                        <p class={classes!((choice.room != Room::Comfortable).then_some("card-tight"))}>{ &choice.memory }</p>
                        if let Some(note) = choice.note {
                            <p class="card-note">{ note }</p>
                        }
                        <p class="card-acts">{ acts(choice, job, document, dispatch) }</p>
                    </li>
                }
            </ul>
        </section>
    }
}

/// What can be done with a layout.
fn acts(choice: &ShortListChoice, job: &Scenario, document: &Document, dispatch: &Dispatch) -> Html {
    let send = |action: Action| {
        let dispatch = dispatch.clone();
        Callback::from(move |_: MouseEvent| dispatch.emit(action.clone()))
    };
    let scenario = Scenario { plan: choice.plan, ..*job };
    let link = Document::from_scenario(&scenario).to_link();
    html! {
        <>
            if !choice.current {
                <button type="button" class="suggestion" onclick={send(Action::Load(choice.plan))}
                    aria-label={format!("Use: {}", choice.title)}>{ "Use" }</button>
                { " " }
            }
            { compare(&scenario, &choice.title, document, dispatch) }
            { " " }
            <button type="button" class="quiet" data-flags={link} aria-label={format!("Copy flags: {}", choice.title)}>{ "Flags" }</button>
        </>
    }
}
