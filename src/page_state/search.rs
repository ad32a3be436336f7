//! The ranking while it is computed elsewhere: what has arrived, and what is to come.

use crate::tuner::Candidate;
use std::rc::Rc;

/// How the search is doing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Status {
    /// Asked for; results are still to come or coming.
    Running,
    /// Every layout has arrived.
    Done,
    /// Stopped by the reader; what had arrived stays.
    Stopped,
    /// The search broke, with what is known about why.
    Failed(String),
}

/// What is known of the ranking.
#[derive(Debug, Clone)]
pub struct Progress {
    /// How the search is doing.
    pub status: Status,
    /// Number of the search, so that what an earlier one still sends is told apart.
    pub epoch: u32,
    /// The best layouts so far; those of the search before until this one's first arrive.
    pub rows: Rc<Vec<Candidate>>,
    /// The rows are those of the search before.
    pub stale: bool,
    /// Layouts forecast so far.
    pub done: usize,
    /// Layouts in the space.
    pub total: usize,
    /// Time the search took so far, milliseconds.
    pub elapsed_ms: f64,
}

/// Something that happened to a search.
#[derive(Debug, Clone)]
pub enum Event {
    /// A search was asked for; it replaces the one before.
    Start,
    /// Layouts arrived.
    Batch {
        /// Number of the search they belong to.
        epoch: u32,
        /// The best layouts so far, and some that do not fit; they replace those before.
        rows: Vec<Candidate>,
        /// Layouts forecast so far.
        done: usize,
        /// Layouts in the space.
        total: usize,
        /// Time the search took so far, milliseconds.
        elapsed_ms: f64,
    },
    /// The reader stopped it.
    Stop,
    /// The search broke, with what is known about why.
    Fail(String),
}

impl Default for Progress {
    fn default() -> Self {
        Self {
            status: Status::Running,
            epoch: 0,
            rows: Rc::new(Vec::new()),
            stale: false,
            done: 0,
            total: 0,
            elapsed_ms: 0.0,
        }
    }
}

impl Progress {
    /// The state after an event; `None` when the event changes nothing.
    pub fn after(&self, event: Event) -> Option<Self> {
        match event {
            Event::Start => Some(Self {
                status: Status::Running,
                epoch: self.epoch.wrapping_add(1),
                rows: Rc::clone(&self.rows),
                stale: true,
                ..Self::default()
            }),
            Event::Batch { epoch, rows, done, total, elapsed_ms } => {
                if epoch != self.epoch || self.status != Status::Running {
                    return None;
                }
                let status = if done >= total { Status::Done } else { Status::Running };
                Some(Self { status, rows: Rc::new(rows), stale: false, done, total, elapsed_ms, ..*self })
            }
            Event::Stop => {
                (self.status == Status::Running).then(|| Self { status: Status::Stopped, ..self.clone() })
            }
            Event::Fail(reason) => Some(Self { status: Status::Failed(reason), ..self.clone() }),
        }
    }

    /// Layouts forecast per second.
    pub fn rate(&self) -> f64 {
        if self.elapsed_ms > 0.0 { self.done as f64 / self.elapsed_ms * 1e3 } else { 0.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::super::ranking::tests::candidate;
    use super::*;

    fn batch(epoch: u32, count: usize, done: usize) -> Event {
        Event::Batch { epoch, rows: vec![candidate(1, 1.0, true); count], done, total: 10, elapsed_ms: 5.0 }
    }

    #[test]
    fn rows_stay_until_the_next_search_brings_its_own() {
        let first = Progress::default().after(Event::Start).expect("a change");
        let first =
            first.after(batch(1, 4, 4)).and_then(|next| next.after(batch(1, 6, 10))).expect("a change");
        assert_eq!((first.rows.len(), &first.status), (6, &Status::Done));
        assert!((first.rate() - 2000.0).abs() < 1e-9);
        let second = first.after(Event::Start).expect("a change");
        assert!(second.stale && second.rows.len() == 6 && second.done == 0);
        assert!(second.after(batch(1, 1, 1)).is_none(), "of the search before");
        let second = second.after(batch(2, 3, 3)).expect("a change");
        assert!(!second.stale && second.rows.len() == 3);
    }

    #[test]
    fn a_stopped_search_keeps_what_had_arrived() {
        let running = Progress::default().after(Event::Start).and_then(|next| next.after(batch(1, 4, 4)));
        let stopped = running.expect("a change").after(Event::Stop).expect("a change");
        assert_eq!((stopped.rows.len(), &stopped.status), (4, &Status::Stopped));
        assert!(stopped.after(batch(1, 4, 8)).is_none());
        assert!(stopped.after(Event::Stop).is_none());
    }
}
