//! The ranking while it is computed elsewhere: what has arrived, and what is to come.

use crate::number;
use crate::tuner::{Candidate, Counts};
use crate::units::Seconds;
use std::rc::Rc;

/// How the search is doing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Status {
    /// Requested; results are pending.
    Running,
    /// Every layout has been looked at.
    Done,
    /// Stopped by the reader; what had arrived stays.
    Stopped,
    /// The search broke, with what is known about why.
    Failed(String),
}

/// What is known of the ranking.
#[derive(Debug, Clone)]
pub struct SearchProgress {
    /// How the search is doing.
    pub status: Status,
    /// Number of the search, to discard late messages of an earlier one.
    pub epoch: u32,
    /// The best layouts so far, and behind them some that do not fit; those of the search before until this one's first
    /// arrive.
    pub rows: Rc<Vec<Candidate>>,
    /// The rows are those of the search before.
    pub stale: bool,
    /// How many layouts were looked at.
    pub counts: Counts,
    /// Layouts in the space; 0 while that is not known.
    pub total: usize,
    /// Axes that keep the job's value since there would be too many layouts.
    pub kept: Vec<&'static str>,
    /// Time the search took so far, milliseconds.
    pub elapsed_ms: f64,
}

/// Something that happened to a search.
#[derive(Debug, Clone)]
pub enum SearchEvent {
    /// A new search was requested; it replaces the one before.
    Start,
    /// It has got on.
    Batch {
        /// Number of the search they belong to.
        epoch: u32,
        /// The rows, where they are others than before.
        rows: Option<Rc<Vec<Candidate>>>,
        /// How many layouts were looked at.
        counts: Counts,
        /// Layouts in the space.
        total: usize,
        /// Axes that keep the job's value since there would be too many layouts.
        kept: Vec<&'static str>,
        /// Time the search took so far, milliseconds.
        elapsed_ms: f64,
        /// All were looked at.
        done: bool,
    },
    /// The reader stopped it.
    Stop,
    /// The search broke, with what is known about why.
    Fail(String),
}

impl Default for SearchProgress {
    fn default() -> Self {
        Self {
            status: Status::Running,
            epoch: 0,
            rows: Rc::new(Vec::new()),
            stale: false,
            counts: Counts::default(),
            total: 0,
            kept: Vec::new(),
            elapsed_ms: 0.0,
        }
    }
}

impl SearchProgress {
    /// The state after an event; `None` when the event changes nothing.
    pub fn after(&self, event: SearchEvent) -> Option<Self> {
        match event {
            SearchEvent::Start => Some(Self {
                status: Status::Running,
                epoch: self.epoch.wrapping_add(1),
                rows: Rc::clone(&self.rows),
                stale: true,
                ..Self::default()
            }),
            SearchEvent::Batch { epoch, rows, counts, total, kept, elapsed_ms, done } => {
                if epoch != self.epoch || !matches!(self.status, Status::Running | Status::Done) {
                    return None;
                }
                let status = if done { Status::Done } else { self.status.clone() };
                let (stale, rows) = match rows {
                    Some(rows) => (false, rows),
                    // Nothing fits, and nothing nearly does.
                    None if done && self.stale => (false, Rc::default()),
                    None => (self.stale, Rc::clone(&self.rows)),
                };
                Some(Self { status, epoch, rows, stale, counts, total, kept, elapsed_ms })
            }
            SearchEvent::Stop => {
                (self.status == Status::Running).then(|| Self { status: Status::Stopped, ..self.clone() })
            }
            SearchEvent::Fail(reason) => Some(Self { status: Status::Failed(reason), ..self.clone() }),
        }
    }

    /// Whether the first rows are still on their way.
    pub fn is_awaited(&self) -> bool {
        self.status == Status::Running && self.rows.is_empty()
    }

    /// Layouts looked at per second.
    pub fn rate(&self) -> f64 {
        if self.elapsed_ms > 0.0 { self.counts.layouts as f64 / self.elapsed_ms * 1e3 } else { 0.0 }
    }

    /// The fastest layout so far that fits.
    pub fn fastest(&self) -> Option<&Candidate> {
        self.rows.first().filter(|row| row.fits && !self.stale)
    }

    /// Summary of the search: layouts, how many of them fit, and the time.
    pub fn sentence(&self) -> String {
        let count = |count: usize| number::integer(count as u64);
        let Counts { layouts, fitting, comfortable, timed } = self.counts;
        let elapsed = number::time(Seconds(self.elapsed_ms / 1e3));
        let looked_at = if layouts < self.total {
            format!("{} of {} layouts", count(layouts), count(self.total))
        } else {
            format!("{} layouts", count(layouts))
        };
        let found = format!("{looked_at}, {} fit, {} with headroom", count(fitting), count(comfortable));
        match self.status {
            Status::Running if self.total == 0 => "Counting layouts".to_owned(),
            Status::Running => {
                let left = (self.total - layouts.min(self.total)) as f64 / self.rate();
                let left = if left.is_finite() && layouts > 0 {
                    format!(", {} remaining", number::time(Seconds(left)))
                } else {
                    String::new()
                };
                let best = self.fastest().map(|row| format!("; best {}", number::time(row.step)));
                format!(
                    "{found} ({elapsed}), {} layouts per second{left}{}",
                    number::count(self.rate()),
                    best.unwrap_or_default()
                )
            }
            Status::Done => {
                let kept = kept_sentence(&self.kept).map_or_else(String::new, |kept| format!(". {kept}"));
                format!(
                    "{found}. Search time {elapsed}: {} simulated, the rest ruled out by bounds{kept}",
                    count(timed)
                )
            }
            Status::Stopped => format!("Stopped: {found} ({elapsed})"),
            Status::Failed(ref reason) => format!("The ranking failed: {reason}"),
        }
    }
}

/// Which axes a search keeps at the job's values, since there would be too many layouts with them.
pub fn kept_sentence(kept: &[&str]) -> Option<String> {
    let verb = if kept.len() == 1 { "keeps" } else { "keep" };
    let fields = kept.join(", ");
    (!kept.is_empty()).then(|| {
        format!("The search space is too large to vary every field: {fields} {verb} the current value")
    })
}

#[cfg(test)]
mod tests {
    use super::super::ranking::tests::candidate;
    use super::*;

    fn batch(epoch: u32, count: usize, layouts: usize) -> SearchEvent {
        SearchEvent::Batch {
            epoch,
            rows: Some(Rc::new(vec![candidate(1, 1.0, true); count])),
            counts: Counts { layouts, fitting: layouts / 2, comfortable: 1, timed: 1 },
            total: 10,
            kept: Vec::new(),
            elapsed_ms: 5.0,
            done: layouts == 10,
        }
    }

    #[test]
    fn rows_stay_until_the_next_search_brings_its_own() {
        let first = SearchProgress::default().after(SearchEvent::Start).expect("a change");
        assert_eq!(first.sentence(), "Counting layouts");
        let running = first.after(batch(1, 4, 4)).expect("a change");
        assert!(
            running
                .sentence()
                .starts_with("4 of 10 layouts, 2 fit, 1 with headroom (5.00\u{a0}ms), 800 layouts")
        );
        assert!(running.sentence().ends_with("remaining; best 1.00\u{a0}s"), "{}", running.sentence());
        let first = running.after(batch(1, 6, 10)).expect("a change");
        assert_eq!((first.rows.len(), &first.status), (6, &Status::Done));
        assert!((first.rate() - 2000.0).abs() < 1e-9);
        assert!(
            first.sentence().ends_with("1 simulated, the rest ruled out by bounds"),
            "{}",
            first.sentence()
        );
        let second = first.after(SearchEvent::Start).expect("a change");
        assert!(second.stale && second.rows.len() == 6 && second.counts.layouts == 0);
        assert!(second.fastest().is_none());
        assert!(second.after(batch(1, 1, 1)).is_none(), "of the search before");
        let second = second.after(batch(2, 3, 3)).expect("a change");
        assert!(!second.stale && second.rows.len() == 3);
    }

    #[test]
    fn progress_without_rows_leaves_them_and_the_end_without_any_clears_them() {
        let SearchEvent::Batch { epoch, counts, total, elapsed_ms, .. } = batch(2, 0, 4) else { return };
        let none = |done| {
            let kept = Vec::new();
            SearchEvent::Batch { epoch, rows: None, counts, total, kept, elapsed_ms, done }
        };
        let first =
            SearchProgress::default().after(SearchEvent::Start).and_then(|next| next.after(batch(1, 4, 10)));
        let second = first.and_then(|first| first.after(SearchEvent::Start)).expect("a change");
        let second = second.after(none(false)).expect("a change");
        assert!(second.stale && second.rows.len() == 4);
        let second = second.after(none(true)).expect("a change");
        assert!(!second.stale && second.rows.is_empty());
    }

    #[test]
    fn a_stopped_search_keeps_what_had_arrived() {
        let running =
            SearchProgress::default().after(SearchEvent::Start).and_then(|next| next.after(batch(1, 4, 4)));
        let stopped = running.expect("a change").after(SearchEvent::Stop).expect("a change");
        assert_eq!((stopped.rows.len(), &stopped.status), (4, &Status::Stopped));
        assert!(stopped.after(batch(1, 4, 8)).is_none());
        assert!(stopped.after(SearchEvent::Stop).is_none());
    }
}
