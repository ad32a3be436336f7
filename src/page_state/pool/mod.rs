//! The workers of a search: who searches which blocks, and what happens when one dies.
//!
//! Pure: told of what happened and of the time, it says what to do. Whatever a worker has told stays; the blocks that it
//! had taken are searched again, and layouts that come twice are kept once.

mod ranges;

use crate::tuner::Counts;
use core::ops::Range;
use ranges::Ranges;

/// Workers at most.
pub const MOST_WORKERS: usize = 8;
/// Layouts that are worth another worker.
const LAYOUTS_EACH: usize = 100_000;
/// A worker that has work and is silent for longer is taken for dead, milliseconds: a busy machine may leave one without the
/// processor for seconds.
pub const SILENT_MS: f64 = 15_000.0;
/// Workers that may break in a row, without a word from any of them in between.
const BROKEN_IN_A_ROW: u32 = 3;

/// What a worker said.
#[derive(Debug, Clone, PartialEq)]
pub enum WorkerMessage {
    /// It has started, and can be asked.
    Ready,
    /// It knows the space.
    Begun {
        /// Blocks that the space is searched in.
        blocks: usize,
        /// Layouts in the space.
        layouts: usize,
    },
    /// It has got on with its blocks.
    Went {
        /// Layouts that it looked at since it took them.
        counts: Counts,
        /// All of them are searched.
        ended: bool,
    },
    /// It is busy with something other than the search.
    Lives,
}

/// Actions, in this order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WorkerOrder {
    /// Start a worker of that number.
    Start(u32),
    /// Tell it the search.
    Ask(u32),
    /// Give it blocks.
    Take(u32, Range<usize>),
    /// End it at once.
    End(u32),
}

/// What a worker does.
#[derive(Debug, Clone, PartialEq)]
enum Doing {
    /// It is being started.
    Starting,
    /// It has started, and not been asked.
    Idle,
    /// It works out which blocks there are.
    Beginning,
    /// It knows the blocks, and has none.
    Waiting,
    /// It searches blocks.
    Searching(Range<usize>, Counts),
}

#[derive(Debug, Clone)]
struct Worker {
    number: u32,
    doing: Doing,
    /// Time of the last message from or to it, milliseconds.
    heard_ms: f64,
}

impl Worker {
    fn has_work(&self) -> bool {
        !matches!(self.doing, Doing::Idle | Doing::Waiting)
    }
}

/// How a pool is doing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PoolStatus {
    /// Idle.
    Resting,
    /// A search is running.
    Searching,
    /// Every block is searched.
    Done,
    /// Too many workers broke; the last of them for that reason.
    Failed(String),
}

/// The workers of a search.
#[derive(Debug, Clone)]
pub struct Pool {
    most: usize,
    status: PoolStatus,
    workers: Vec<Worker>,
    /// Number of the next worker.
    next: u32,
    ranges: Option<Ranges>,
    /// Of blocks that are searched.
    done: Counts,
    broken: u32,
}

impl Pool {
    /// A pool of as many workers as a machine has cores, within limits.
    pub fn new(cores: usize) -> Self {
        Self {
            most: cores.clamp(1, MOST_WORKERS),
            status: PoolStatus::Resting,
            workers: Vec::new(),
            next: 0,
            ranges: None,
            done: Counts::default(),
            broken: 0,
        }
    }

    /// How it is doing.
    pub fn status(&self) -> &PoolStatus {
        &self.status
    }

    /// Workers there are.
    pub fn workers(&self) -> usize {
        self.workers.len()
    }

    /// How many layouts were looked at.
    pub fn counts(&self) -> Counts {
        self.workers.iter().fold(self.done, |all, worker| match &worker.doing {
            Doing::Searching(_, counts) => all.and(*counts),
            _ => all,
        })
    }

    /// Begins a search; it replaces the one before.
    pub fn ask(&mut self, now_ms: f64) -> Vec<WorkerOrder> {
        self.status = PoolStatus::Searching;
        (self.ranges, self.done, self.broken) = (None, Counts::default(), 0);
        let mut orders = Vec::new();
        // Whoever searches is to leave the search before; of the others, one is enough until the space is known.
        for worker in &mut self.workers {
            match worker.doing {
                Doing::Starting => {}
                Doing::Beginning | Doing::Searching(..) => worker.ask(now_ms, &mut orders),
                Doing::Idle | Doing::Waiting => worker.doing = Doing::Idle,
            }
        }
        if !self.workers.iter().any(Worker::has_work) {
            self.recruit(1, now_ms, &mut orders);
        }
        orders
    }

    /// Continues after a message from a worker of the current search.
    pub fn hear(&mut self, number: u32, heard: WorkerMessage, now_ms: f64) -> Vec<WorkerOrder> {
        let mut orders = Vec::new();
        let searching = self.status == PoolStatus::Searching;
        let Some(worker) = self.workers.iter_mut().find(|worker| worker.number == number) else {
            return orders;
        };
        worker.heard_ms = now_ms;
        self.broken = 0;
        match heard {
            WorkerMessage::Ready if worker.doing == Doing::Starting => {
                worker.doing = Doing::Idle;
                if searching {
                    worker.ask(now_ms, &mut orders);
                }
            }
            WorkerMessage::Begun { blocks, layouts } if worker.doing == Doing::Beginning => {
                worker.doing = Doing::Waiting;
                if self.ranges.is_none() {
                    let useful = layouts.div_ceil(LAYOUTS_EACH).clamp(1, self.most);
                    self.ranges = Some(Ranges::new(blocks, useful));
                    self.recruit(useful, now_ms, &mut orders);
                }
                self.give(number, now_ms, &mut orders);
            }
            WorkerMessage::Went { counts, ended } => {
                let Doing::Searching(_, last) = &mut worker.doing else { return orders };
                *last = counts;
                if ended {
                    self.done = self.done.and(counts);
                    worker.doing = Doing::Waiting;
                    self.give(number, now_ms, &mut orders);
                }
            }
            WorkerMessage::Ready | WorkerMessage::Begun { .. } | WorkerMessage::Lives => {}
        }
        self.finish();
        orders
    }

    /// Replaces a worker that broke.
    pub fn replace(&mut self, number: u32, reason: &str, now_ms: f64) -> Vec<WorkerOrder> {
        self.replace_all(&[number], reason, now_ms)
    }

    /// Replaces workers that have work and have been silent for too long.
    pub fn tick(&mut self, now_ms: f64) -> Vec<WorkerOrder> {
        let silent = |worker: &&Worker| worker.has_work() && now_ms - worker.heard_ms > SILENT_MS;
        let silent: Vec<u32> = self.workers.iter().filter(silent).map(|worker| worker.number).collect();
        self.replace_all(&silent, "it did not answer", now_ms)
    }

    fn replace_all(&mut self, numbers: &[u32], reason: &str, now_ms: f64) -> Vec<WorkerOrder> {
        let mut orders = Vec::new();
        let mut lost = 0;
        for number in numbers {
            let Some(place) = self.workers.iter().position(|worker| worker.number == *number) else {
                continue;
            };
            let worker = self.workers.swap_remove(place);
            orders.push(WorkerOrder::End(*number));
            lost += usize::from(worker.has_work());
            if let (Doing::Searching(range, _), Some(ranges)) = (worker.doing, &mut self.ranges) {
                ranges.put_back(range);
            }
        }
        if lost == 0 || self.status != PoolStatus::Searching {
            return orders;
        }
        // Several at once are one mishap: a machine that slept.
        self.broken += 1;
        if self.broken >= BROKEN_IN_A_ROW {
            self.status = PoolStatus::Failed(reason.to_owned());
            orders.extend(self.end());
            return orders;
        }
        // The blocks go to those that have none, or to new ones.
        let waiting = self.workers.iter().filter(|worker| worker.doing == Doing::Waiting);
        for number in waiting.map(|worker| worker.number).collect::<Vec<_>>() {
            self.give(number, now_ms, &mut orders);
        }
        if self.ranges.as_ref().is_none_or(|ranges| !ranges.is_empty()) {
            let at_work = self.workers.iter().filter(|worker| worker.doing != Doing::Idle).count();
            self.recruit(at_work + lost, now_ms, &mut orders);
        }
        self.finish();
        orders
    }

    /// Ends the search at once, workers and all.
    pub fn stop(&mut self) -> Vec<WorkerOrder> {
        self.status = PoolStatus::Resting;
        self.end()
    }

    fn end(&mut self) -> Vec<WorkerOrder> {
        self.done = self.counts();
        self.workers.drain(..).map(|worker| WorkerOrder::End(worker.number)).collect()
    }

    /// Ensures this many busy workers: idle ones first, then new ones.
    fn recruit(&mut self, wanted: usize, now_ms: f64, orders: &mut Vec<WorkerOrder>) {
        let mut at_work = self.workers.iter().filter(|worker| worker.doing != Doing::Idle).count();
        for worker in self.workers.iter_mut().filter(|worker| worker.doing == Doing::Idle) {
            if at_work < wanted {
                worker.ask(now_ms, orders);
                at_work += 1;
            }
        }
        for _ in at_work..wanted {
            let number = self.next;
            self.next = self.next.wrapping_add(1);
            self.workers.push(Worker { number, doing: Doing::Starting, heard_ms: now_ms });
            orders.push(WorkerOrder::Start(number));
        }
    }

    /// Gives a worker the next blocks, if there are any.
    fn give(&mut self, number: u32, now_ms: f64, orders: &mut Vec<WorkerOrder>) {
        let Some(worker) = self.workers.iter_mut().find(|worker| worker.number == number) else { return };
        if let Some(range) = self.ranges.as_mut().and_then(Ranges::take) {
            worker.doing = Doing::Searching(range.clone(), Counts::default());
            worker.heard_ms = now_ms;
            orders.push(WorkerOrder::Take(number, range));
        }
    }

    fn finish(&mut self) {
        let searching = |worker: &Worker| matches!(worker.doing, Doing::Searching(..));
        let left = self.ranges.as_ref().is_none_or(|ranges| !ranges.is_empty());
        if self.status == PoolStatus::Searching && !left && !self.workers.iter().any(searching) {
            self.status = PoolStatus::Done;
        }
    }
}

impl Worker {
    fn ask(&mut self, now_ms: f64, orders: &mut Vec<WorkerOrder>) {
        self.doing = Doing::Beginning;
        self.heard_ms = now_ms;
        orders.push(WorkerOrder::Ask(self.number));
    }
}

#[cfg(test)]
mod tests;
