//! A search over all cores.

use std::io::{IsTerminal, Write as _};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};
use stepcast::calibrate::own::OwnCalibration;
use stepcast::page_state::your_runs::predictor_of;
use stepcast::tuner::{Options, Ranking, Space};

/// Parts that a search falls into for each core, so that none waits long for another.
const PARTS: usize = 8;
/// Time between two lines of progress.
const TELLS: Duration = Duration::from_millis(250);

/// Searches a space, adjusted to measured steps where there are any, telling a terminal how far it is.
pub(crate) fn search(own: Option<&OwnCalibration>, space: &Space, options: Options) -> Ranking {
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let (next, found) = (AtomicUsize::new(0), Mutex::new(Ranking::default()));
    let (done, begun) = (AtomicUsize::new(0), Instant::now());
    let last = Mutex::new(begun);
    thread::scope(|scope| {
        for _ in 0..cores {
            scope.spawn(|| {
                let mut search = predictor_of(own).search(space.clone(), options);
                let blocks = search.blocks();
                let parts = (cores * PARTS).min(blocks.max(1));
                loop {
                    let part = next.fetch_add(1, Ordering::Relaxed);
                    if part >= parts {
                        break;
                    }
                    let threshold = last_kept(&found, &options);
                    let before = search.counts().layouts;
                    search.take_on(blocks * part / parts..blocks * (part + 1) / parts, threshold);
                    search.finish();
                    let layouts = search.counts().layouts - before;
                    tell(done.fetch_add(layouts, Ordering::Relaxed) + layouts, space.len(), &last);
                }
                let mine = search.ranking();
                if let Ok(mut all) = found.lock() {
                    *all = std::mem::take(&mut *all).and(mine, &options);
                }
            });
        }
    });
    if shows_progress() {
        let _ = write!(std::io::stderr(), "\r\x1b[K");
    }
    found.into_inner().unwrap_or_default()
}

/// The step of the last row that is kept; infinite while there are fewer.
fn last_kept(found: &Mutex<Ranking>, options: &Options) -> f64 {
    let row =
        found.lock().ok().and_then(|all| all.rows.get(options.top.checked_sub(1)?).map(|row| row.step.0));
    row.unwrap_or(f64::INFINITY)
}

/// Whether the error stream is a terminal that lines may be written over on: control sequences are not wanted by whoever
/// sets NO_COLOR, and not understood by dumb terminals.
fn shows_progress() -> bool {
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    let plain = set("NO_COLOR").is_some() || set("TERM").is_some_and(|terminal| terminal == "dumb");
    std::io::stderr().is_terminal() && !plain
}

/// Tells a terminal how far a search is, now and then.
fn tell(done: usize, all: usize, last: &Mutex<Instant>) {
    let Ok(mut last) = last.lock() else { return };
    if shows_progress() && last.elapsed() >= TELLS {
        *last = Instant::now();
        let _ = write!(std::io::stderr(), "\r{done} of {all} layouts");
    }
}
