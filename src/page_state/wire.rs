//! What workers say and candidates as flat numbers, the form in which they reach the page.
//!
//! One candidate is [`WIDTH`] numbers; its layout is a number in the space, which both ends know. Both are the same binary,
//! so the form needs no version.

use super::pool::WorkerMessage;
use crate::tuner::{Candidate, Counts, LayoutRow, Space};

/// Numbers per candidate.
pub const WIDTH: usize = 6;

/// What a worker says, as numbers.
pub fn said(heard: &WorkerMessage) -> Vec<f64> {
    match heard {
        WorkerMessage::Ready => vec![0.0],
        WorkerMessage::Begun { blocks, layouts } => vec![1.0, *blocks as f64, *layouts as f64],
        WorkerMessage::Went { counts: Counts { layouts, fitting, comfortable, timed }, ended } => {
            let [layouts, fitting, comfortable, timed] =
                [layouts, fitting, comfortable, timed].map(|count| *count as f64);
            vec![2.0, layouts, fitting, comfortable, timed, flag(*ended)]
        }
        WorkerMessage::Lives => vec![3.0],
    }
}

/// What numbers of [`said`] say.
pub fn heard(numbers: &[f64]) -> Option<WorkerMessage> {
    match *numbers {
        [0.0] => Some(WorkerMessage::Ready),
        [1.0, blocks, layouts] => {
            Some(WorkerMessage::Begun { blocks: blocks as usize, layouts: layouts as usize })
        }
        [2.0, layouts, fitting, comfortable, timed, ended] => {
            let [layouts, fitting, comfortable, timed] =
                [layouts, fitting, comfortable, timed].map(|count| count as usize);
            let counts = Counts { layouts, fitting, comfortable, timed };
            Some(WorkerMessage::Went { counts, ended: ended != 0.0 })
        }
        [3.0] => Some(WorkerMessage::Lives),
        _ => None,
    }
}

/// Appends one candidate.
pub fn encode(candidate: &Candidate, into: &mut Vec<f64>) {
    let Candidate { number, step, peak_memory, reserved_memory, communication_share, bubble_share, .. } =
        *candidate;
    into.extend([number as f64, step.0, peak_memory.0, reserved_memory.0, communication_share, bubble_share]);
}

/// Reads every whole candidate of a space.
pub fn decode<'n>(numbers: &'n [f64], space: &'n Space) -> impl Iterator<Item = Candidate> + 'n {
    numbers.chunks_exact(WIDTH).filter_map(|chunk| match *chunk {
        [number, step, peak, reserved, communication_share, bubble_share] => space.candidate(
            &LayoutRow { index: number as usize, step, peak, reserved },
            communication_share,
            bubble_share,
        ),
        _ => None,
    })
}

fn flag(value: bool) -> f64 {
    f64::from(u8::from(value))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Document;
    use crate::forecast::Predictor;
    use crate::tuner::{FreeAxes, Options};

    #[test]
    fn candidates_survive_the_wire() {
        let link = "#1;m=llama2-7b;g=dgx-h100;n=16;gb=64;tp=2;pp=2";
        let job = Document::from_link(link).expect("a link").document.scenario().expect("possible");
        let space = Space::new(&job, FreeAxes::default());
        let mut search = Predictor::SHIPPED.search(space.clone(), Options { top: 50, ..Options::default() });
        search.finish();
        let ranking = search.ranking();
        let sent: Vec<Candidate> = ranking.rows.into_iter().chain(ranking.unfit).collect();
        assert!(sent.iter().any(|row| row.fits) && sent.iter().any(|row| !row.fits));
        let mut numbers = Vec::new();
        sent.iter().for_each(|candidate| encode(candidate, &mut numbers));
        assert_eq!(numbers.len(), WIDTH * sent.len());
        assert_eq!(decode(&numbers, &space).collect::<Vec<_>>(), sent);
    }

    #[test]
    fn what_a_worker_says_is_heard() {
        let counts = Counts { layouts: 9, fitting: 7, comfortable: 5, timed: 3 };
        let all = [
            WorkerMessage::Ready,
            WorkerMessage::Begun { blocks: 3, layouts: 4_000_000_000 },
            WorkerMessage::Went { counts, ended: true },
            WorkerMessage::Lives,
        ];
        for one in all {
            assert_eq!(heard(&said(&one)), Some(one));
        }
        assert_eq!((heard(&[]), heard(&[2.0, 1.0])), (None, None));
    }

    #[test]
    fn broken_messages_give_no_candidates() {
        let space = Space::new(&Document::default().scenario().expect("possible"), FreeAxes::NONE);
        assert_eq!(decode(&[0.0; WIDTH - 1], &space).count(), 0);
        assert_eq!(decode(&[1e12; WIDTH], &space).count(), 0);
    }
}
