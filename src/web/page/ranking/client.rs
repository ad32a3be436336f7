//! The page's side of the workers: starts them, asks them, puts together what they find.
//!
//! Who does what is decided by [`Pool`]; here are only messages.

use gloo::timers::callback::Timeout;
use js_sys::{Array, Float64Array, Reflect};
use std::cell::RefCell;
use std::rc::Rc;
use stepcast::page_state::pool::{Pool, PoolStatus, WorkerMessage, WorkerOrder};
use stepcast::page_state::search;
use stepcast::page_state::wire;
use stepcast::tuner::{Candidate, Options, Ranking, Space};
use stepcast_web_kit::browser;
use stepcast_web_kit::worker::{Running, describe, drop_later};
use wasm_bindgen::JsValue;
use yew::Callback;

/// Time between two reports to the page, milliseconds.
const BEAT_MS: u32 = 200;
/// Times as long as it took to put rows together until they are put together again.
const REST: f64 = 10.0;

/// What a search is asked with.
#[derive(Debug, Clone)]
pub(crate) struct Request {
    /// The job, with what of its layouts is searched.
    pub(crate) link: String,
    pub(crate) space: Space,
    pub(crate) options: Options,
}

/// The workers, and what they have found.
#[derive(Clone)]
pub(crate) struct Client {
    state: Rc<RefCell<State>>,
    report: Callback<search::SearchEvent>,
}

struct State {
    pool: Pool,
    workers: Vec<(u32, Running)>,
    epoch: u32,
    request: Option<Request>,
    asked_ms: f64,
    /// Time from asking to the end, milliseconds, once it has come.
    took_ms: Option<f64>,
    found: Ranking,
    /// What has come since.
    arrived: Option<Ranking>,
    /// Rows have come that were not reported.
    changed: bool,
    /// Rows of this search were reported.
    rows_reported: bool,
    rest_until_ms: f64,
    beat: Option<Timeout>,
}

impl Client {
    /// A client that reports to the page.
    pub(crate) fn new(report: Callback<search::SearchEvent>) -> Self {
        let state = State {
            pool: Pool::new(browser::cores()),
            workers: Vec::new(),
            epoch: 0,
            request: None,
            asked_ms: 0.0,
            took_ms: None,
            found: Ranking::default(),
            arrived: None,
            changed: false,
            rows_reported: false,
            rest_until_ms: 0.0,
            beat: None,
        };
        Self { state: Rc::new(RefCell::new(state)), report }
    }

    /// Requests a ranking; it replaces the one before.
    pub(crate) fn ask(&self, epoch: u32, request: Request) {
        self.with(|state, now_ms| {
            state.epoch = epoch;
            state.request = Some(request);
            (state.asked_ms, state.took_ms, state.rest_until_ms) = (now_ms, None, 0.0);
            (state.found, state.arrived) = (Ranking::default(), None);
            (state.changed, state.rows_reported) = (false, false);
            state.pool.ask(now_ms)
        });
        self.flush(true);
        self.beat();
    }

    /// Ends the search at once, workers and all; the next request starts others.
    pub(crate) fn stop(&self) {
        self.flush(true);
        self.with(|state, _| state.pool.stop());
    }

    /// Changes the pool, and does what it says then.
    fn with(&self, change: impl FnOnce(&mut State, f64) -> Vec<WorkerOrder>) {
        let now_ms = browser::now_ms();
        let orders = change(&mut self.state.borrow_mut(), now_ms);
        for order in orders {
            self.follow(order);
        }
    }

    fn follow(&self, order: WorkerOrder) {
        match order {
            WorkerOrder::Start(number) => match self.start(number) {
                Ok(worker) => self.state.borrow_mut().workers.push((number, worker)),
                Err(error) => self.broke(number, &describe(&error)),
            },
            WorkerOrder::Ask(number) => {
                let state = self.state.borrow();
                if let (Some(worker), Some(request)) = (state.worker(number), &state.request) {
                    worker.ask(&Array::of2(&state.epoch.into(), &request.link.as_str().into()));
                }
            }
            WorkerOrder::Take(number, range) => {
                let mut state = self.state.borrow_mut();
                state.merge();
                let (threshold, comfortable) = state.thresholds();
                let known = [state.epoch.into(), threshold, comfortable];
                for (other, worker) in &state.workers {
                    let blocks = [range.start as f64, range.end as f64];
                    let blocks = if *other == number { blocks.as_slice() } else { &[] };
                    let request: Array =
                        known.iter().chain(blocks).map(|number| JsValue::from_f64(*number)).collect();
                    worker.ask(&request);
                }
            }
            WorkerOrder::End(number) => {
                let mut state = self.state.borrow_mut();
                if let Some(place) = state.workers.iter().position(|worker| worker.0 == number) {
                    // What runs now may belong to it.
                    drop_later(state.workers.swap_remove(place));
                }
            }
        }
    }

    fn start(&self, number: u32) -> Result<Running, JsValue> {
        let glue = browser::document()
            .and_then(|document| document.query_selector("link[rel=modulepreload]").ok()?)
            .and_then(|link| Reflect::get(&link, &"href".into()).ok())
            .and_then(|address| address.as_string())
            .ok_or_else(|| JsValue::from_str("the page's script was not found"))?;
        let (hearing, failing) = (self.clone(), self.clone());
        Running::start(
            &glue,
            move |data| hearing.hear(number, &data),
            move |reason| failing.broke(number, &reason),
        )
    }

    fn hear(&self, number: u32, data: &JsValue) {
        if let Some(reason) = data.as_string() {
            return self.broke(number, &reason);
        }
        let message = Array::from(data);
        let numbers = |place| Float64Array::from(message.get(place)).to_vec();
        let Some(heard) = wire::heard(&numbers(1)) else { return };
        let epoch = message.get(0).as_f64().unwrap_or_default() as u32;
        if heard != WorkerMessage::Ready && epoch != self.state.borrow().epoch {
            return;
        }
        let mut ended = false;
        self.with(|state, now_ms| {
            state.take_in(&numbers(2));
            let orders = state.pool.hear(number, heard, now_ms);
            ended = *state.pool.status() == PoolStatus::Done && state.took_ms.is_none();
            if ended {
                state.took_ms = Some(now_ms - state.asked_ms);
            }
            orders
        });
        let news = {
            let state = self.state.borrow();
            // The first rows and the end are reported at once; what comes between and after, now and then.
            (!state.rows_reported && state.changed) || ended
        };
        if news {
            self.flush(true);
        }
        self.beat();
    }

    fn broke(&self, number: u32, reason: &str) {
        self.with(|state, now_ms| state.pool.replace(number, reason, now_ms));
        self.fail();
    }

    fn fail(&self) {
        let status = self.state.borrow().pool.status().clone();
        if let PoolStatus::Failed(reason) = status {
            self.report.emit(search::SearchEvent::Fail(reason));
        }
    }

    /// Looks after the workers and reports, now and then, as long as there is anything to wait for.
    fn beat(&self) {
        let mut state = self.state.borrow_mut();
        let searching = *state.pool.status() == PoolStatus::Searching;
        if state.beat.is_some() || !(searching || state.changed) {
            return;
        }
        let client = self.clone();
        state.beat = Some(Timeout::new(BEAT_MS, move || {
            client.state.borrow_mut().beat = None;
            // A failure is reported once: the reader may have retried since.
            if *client.state.borrow().pool.status() == PoolStatus::Searching {
                client.with(|state, now_ms| state.pool.tick(now_ms));
                client.fail();
            }
            client.flush(false);
            client.beat();
        }));
    }

    /// Reports what is known; rows only where there are others, and, unless it is `now`, not all the time.
    fn flush(&self, now: bool) {
        let event = {
            let mut state = self.state.borrow_mut();
            let begun_ms = browser::now_ms();
            let rested = now || begun_ms >= state.rest_until_ms;
            let rows = (state.changed && rested).then(|| state.rows());
            state.rows_reported |= rows.is_some();
            state.rest_until_ms = begun_ms + REST * (browser::now_ms() - begun_ms);
            search::SearchEvent::Batch {
                epoch: state.epoch,
                rows,
                counts: state.pool.counts(),
                total: state.request.as_ref().map_or(0, |request| request.space.len()),
                kept: state.request.as_ref().map_or_else(Vec::new, |request| request.space.kept().to_vec()),
                elapsed_ms: state.took_ms.unwrap_or(begun_ms - state.asked_ms),
                done: state.took_ms.is_some(),
            }
        };
        self.report.emit(event);
    }
}

impl State {
    fn worker(&self, number: u32) -> Option<&Running> {
        self.workers.iter().find(|worker| worker.0 == number).map(|worker| &worker.1)
    }

    /// Keeps the rows of a message.
    fn take_in(&mut self, numbers: &[f64]) {
        let Some(request) = self.request.as_ref().filter(|_| !numbers.is_empty()) else { return };
        let mut arrived = self.arrived.take().unwrap_or_default();
        let mut run = Ranking::default();
        for row in wire::decode(numbers, &request.space) {
            // Several lists come one after the other, each in its order.
            if run.rows.last().is_some_and(|last: &Candidate| row.fits && row.step < last.step) {
                arrived = arrived.and(core::mem::take(&mut run), &request.options);
            }
            if row.fits { run.rows.push(row) } else { run.unfit.push(row) }
        }
        self.arrived = Some(arrived.and(run, &request.options));
        self.changed = true;
    }

    fn merge(&mut self) {
        if let (Some(arrived), Some(request)) = (self.arrived.take(), &self.request) {
            self.found = core::mem::take(&mut self.found).and(arrived, &request.options);
        }
    }

    /// A step that as many layouts as are kept do not exceed, and one that as many comfortable ones do not, seconds.
    fn thresholds(&self) -> (f64, f64) {
        let Some(Request { options, .. }) = self.request else { return (f64::INFINITY, f64::INFINITY) };
        let last = options.top.checked_sub(1).and_then(|last| self.found.rows.get(last));
        let threshold = last.map_or(f64::INFINITY, |row| row.step.0);
        (threshold, self.found.comfortable_threshold(options.margin))
    }

    /// All rows, those that do not fit last.
    fn rows(&mut self) -> Rc<Vec<Candidate>> {
        self.merge();
        self.changed = false;
        Rc::new(self.found.rows.iter().chain(&self.found.unfit).copied().collect())
    }
}
