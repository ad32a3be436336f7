//! The worker's side of the ranking: searches blocks in slices, so that it hears when to leave them.
//!
//! In: `[epoch, link]` begins a search, `[epoch, threshold, comfortable]` says what others know, and with `from, to` behind
//! it gives blocks. Out:
//! `[epoch, numbers, rows]`, in which the numbers are those of [`wire::said`] and rows, where there are any, candidates.

use gloo::timers::callback::Timeout;
use js_sys::{Array, Float64Array};
use std::cell::RefCell;
use std::collections::VecDeque;
use stepcast::document::Document;
use stepcast::forecast::Predictor;
use stepcast::page_state::pool::WorkerMessage;
use stepcast::page_state::wire;
use stepcast::page_state::your_runs;
use stepcast::planned::Searched;
use stepcast::tuner::{Counts, LayoutRow, Search};
use stepcast_web_kit::browser;
use wasm_bindgen::JsCast as _;
use wasm_bindgen::closure::Closure;
use web_sys::{DedicatedWorkerGlobalScope, MessageEvent};

/// Length of one slice, milliseconds: how late the worker may hear of a new request.
const SLICE_MS: f64 = 25.0;
/// Time between two lists of rows from blocks that are not searched to their end, milliseconds.
const ROWS_MS: f64 = 250.0;
/// Rows that go out with all there is to say of them; what the step of others is spent on is worked out when there is
/// nothing else to do.
const IN_FULL: usize = 1000;

struct Job {
    epoch: f64,
    search: Search<'static>,
    top: usize,
    /// Counts when the present blocks were taken; nothing where there are none.
    taken: Option<Counts>,
    /// One bit per layout already sent.
    told: Vec<u32>,
    told_ms: f64,
    /// Rows sent as an outline.
    outlined: VecDeque<LayoutRow>,
}

thread_local! {
    static JOB: RefCell<Option<Job>> = const { RefCell::new(None) };
    /// The next slice is booked.
    static BOOKED: RefCell<bool> = const { RefCell::new(false) };
}

/// Answers requests until the page ends the worker.
pub(crate) fn serve(scope: &DedicatedWorkerGlobalScope) {
    let answering = scope.clone();
    let listen = Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| {
        let request = Array::from(&event.data());
        let number = |place| request.get(place).as_f64();
        let Some(epoch) = number(0) else { return };
        if let Some(link) = request.get(1).as_string() {
            begin(&answering, epoch, &link);
        } else if let (Some(threshold), Some(comfortable)) = (number(1), number(2)) {
            JOB.with_borrow_mut(|job| {
                let Some(job) = job.as_mut().filter(|job| job.epoch == epoch) else { return };
                job.search.know(threshold, comfortable);
                if let (Some(from), Some(to)) = (number(3), number(4)) {
                    job.search.take_on(from as usize..to as usize, threshold);
                    job.taken = Some(job.search.counts());
                }
            });
            book(&answering);
        }
    });
    scope.set_onmessage(Some(listen.as_ref().unchecked_ref()));
    listen.forget();
    say(scope, 0.0, &WorkerMessage::Ready, &[]);
}

/// Starts the search of a link; the page sends only links of possible scenarios.
fn begin(scope: &DedicatedWorkerGlobalScope, epoch: f64, link: &str) {
    let Ok(opened) = Document::from_link(link) else { return };
    let Ok(scenario) = opened.document.scenario() else { return };
    let searched = Searched::of(&opened.document);
    let space = searched.space(&scenario);
    let layouts = space.len();
    // It lives as long as the worker: a search may go on while the next begins, and a visit has few measured steps.
    let own = your_runs::calibration(&opened.document, &scenario, None)
        .map(|own| Box::leak(Box::new((*own).clone())));
    let predictor = own.map_or(Predictor::SHIPPED, |own| own.predictor());
    let search = predictor.search(space, searched.options());
    let blocks = search.blocks();
    let told = vec![0; layouts.div_ceil(u32::BITS as usize)];
    let job = Job {
        epoch,
        search,
        top: searched.top,
        taken: None,
        told,
        told_ms: browser::now_ms(),
        outlined: VecDeque::new(),
    };
    JOB.set(Some(job));
    say(scope, epoch, &WorkerMessage::Begun { blocks, layouts }, &[]);
}

fn book(scope: &DedicatedWorkerGlobalScope) {
    if !BOOKED.replace(true) {
        let scope = scope.clone();
        Timeout::new(0, move || {
            BOOKED.set(false);
            let said =
                JOB.with_borrow_mut(|job| job.as_mut().and_then(|job| Some((job.epoch, job.slice()?))));
            if let Some((epoch, (heard, rows))) = said {
                say(&scope, epoch, &heard, &rows);
                book(&scope);
            }
        })
        .forget();
    }
}

fn say(scope: &DedicatedWorkerGlobalScope, epoch: f64, heard: &WorkerMessage, rows: &[f64]) {
    let rows = Float64Array::from(rows);
    let message = Array::of3(&epoch.into(), &Float64Array::from(wire::said(heard).as_slice()), &rows);
    let transferred = Array::of1(&rows.buffer());
    let _ = scope.post_message_with_transfer(&message, &transferred);
}

impl Job {
    /// Works for a while; returns the message to send then, or nothing when it is finished.
    fn slice(&mut self) -> Option<(WorkerMessage, Vec<f64>)> {
        let begun_ms = browser::now_ms();
        let mut rows = Vec::new();
        let Some(before) = self.taken else {
            while browser::now_ms() - begun_ms < SLICE_MS {
                let Some(row) = self.outlined.pop_front() else { break };
                self.search.candidate(&row).iter().for_each(|row| wire::encode(row, &mut rows));
            }
            return (!rows.is_empty()).then_some((WorkerMessage::Lives, rows));
        };
        let mut ended = false;
        while !ended && browser::now_ms() - begun_ms < SLICE_MS {
            ended = !self.search.advance();
        }
        // Of very many rows most are replaced by better ones before the blocks are searched.
        let due = self.top <= IN_FULL && browser::now_ms() - self.told_ms > ROWS_MS;
        if ended || due {
            self.tell(&mut rows);
        }
        if ended {
            self.taken = None;
        }
        let now = self.search.counts();
        let counts = Counts {
            layouts: now.layouts - before.layouts,
            fitting: now.fitting - before.fitting,
            comfortable: now.comfortable - before.comfortable,
            timed: now.timed - before.timed,
        };
        Some((WorkerMessage::Went { counts, ended }, rows))
    }

    /// Appends the rows that were not sent yet, in their order.
    fn tell(&mut self, numbers: &mut Vec<f64>) {
        let lists = [self.search.best(), self.search.comfortable(), self.search.unfit()];
        let mut in_full = 0;
        for row in lists.into_iter().flatten() {
            let bit = 1 << (row.index % u32::BITS as usize);
            let Some(told) = self.told.get_mut(row.index / u32::BITS as usize) else { continue };
            if *told & bit != 0 {
                continue;
            }
            *told |= bit;
            // Of a layout that does not fit the step is not known, either.
            let candidate = if in_full < IN_FULL || row.step.is_infinite() {
                in_full += 1;
                self.search.candidate(&row)
            } else {
                self.outlined.push_back(row);
                self.search.outlined(&row)
            };
            candidate.iter().for_each(|row| wire::encode(row, numbers));
        }
        self.told_ms = browser::now_ms();
    }
}
