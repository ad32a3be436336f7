//! Laws of the pipeline schedules: the simulation against the closed forms, and both against arithmetic.

use proptest::collection::vec;
use proptest::prelude::*;
use stepcast::error::FieldError;
use stepcast::scenario::plan::Schedule;
use stepcast::schedule::{
    Pipeline, ScheduledPass, StageTime, Timeline, interleaved, one_forward_one_backward,
};
use stepcast::units::Seconds;

fn stage(forward: f64, backward: f64) -> StageTime {
    StageTime::new(Seconds(forward), Seconds(backward))
}

fn times() -> impl Strategy<Value = StageTime> {
    (0.01..1.0f64, 0.01..2.0f64).prop_map(|(forward, backward)| stage(forward, backward))
}

/// A pipeline as models make them: equal stages, a head on the last, an embedding on the first, and one
/// layer of `layers` more on the first `longer` stages.
fn realistic() -> impl Strategy<Value = Vec<StageTime>> {
    (2..17usize, 1.0..3.0f64, 0.0..0.05f64, 0.0..0.5f64, 0..6usize, 2..12usize).prop_map(
        |(stages, ratio, embedding, head, longer, layers)| {
            (0..stages)
                .map(|index| {
                    let mut size = 1.0;
                    size += if index < longer { 1.0 / layers as f64 } else { 0.0 };
                    size += if index == 0 { embedding } else { 0.0 };
                    size += if index + 1 == stages { head } else { 0.0 };
                    stage(size, size * ratio)
                })
                .collect()
        },
    )
}

fn simulate(
    chunks: &[StageTime],
    virtual_stages: u32,
    micro_batches: u32,
    hop: Seconds,
    record: bool,
) -> Result<Timeline, FieldError> {
    let schedule = Schedule::OneForwardOneBackward;
    Pipeline { schedule, virtual_stages, chunks, micro_batches, hop }.simulate(record)
}

fn replayed(stages: &[StageTime], micro_batches: u32, hop: f64) -> f64 {
    simulate(stages, 1, micro_batches, Seconds(hop), false).expect("small").makespan.0
}

fn close(left: f64, right: f64) -> bool {
    (left - right).abs() <= 1e-9 * (1.0 + right.abs())
}

#[test]
fn gpt_on_four_stages_takes_m_plus_p_minus_one_rounds() {
    let stages = [stage(1.0, 2.0); 4];
    assert!(close(replayed(&stages, 8, 0.0), 33.0));
    assert!(close(one_forward_one_backward(&stages, 8, Seconds::ZERO).0, 33.0));
    // Interleaving with two virtual stages halves the bubble of 9.
    let halves = [stage(0.5, 1.0); 8];
    let timeline = simulate(&halves, 2, 8, Seconds::ZERO, false).expect("small");
    assert!(close(timeline.makespan.0, 28.5));
    assert!(close(interleaved(&stages, 8, 2, Seconds::ZERO).0, 28.5));
}

#[test]
fn events_are_the_schedule_of_the_paper() {
    // Narayanan et al. 2021, figure 4: with two stages the first warms up with one forward.
    let timeline = simulate(&[stage(1.0, 2.0); 2], 1, 3, Seconds(0.5), true).expect("small");
    let first: Vec<_> =
        timeline.events.iter().filter(|e| e.stage == 0).map(|e| (e.pass, e.micro_batch)).collect();
    use ScheduledPass::{Backward, Forward};
    assert_eq!(
        first,
        [(Forward, 0), (Forward, 1), (Backward, 0), (Forward, 2), (Backward, 1), (Backward, 2)]
    );
    let second: Vec<_> = timeline.events.iter().filter(|e| e.stage == 1).map(|e| e.start.0).collect();
    assert!(close(second[0], 1.5) && close(second[1], 2.5) && close(second[2], 4.5));
    assert_eq!(timeline.busy, [Seconds(9.0), Seconds(9.0)]);
}

#[test]
fn hostile_input_is_refused_or_harmless() {
    let error = |chunks: &[StageTime], virtual_stages, micro_batches| {
        simulate(chunks, virtual_stages, micro_batches, Seconds::ZERO, false).expect_err("refused").field
    };
    assert_eq!(error(&[], 1, 1), "vpp");
    assert_eq!(error(&[stage(1.0, 1.0); 3], 2, 4), "vpp");
    assert_eq!(error(&[stage(1.0, 1.0); 4], 2, 3), "gb");
    assert_eq!(error(&[stage(1.0, 1.0); 4], 1, u32::MAX), "gb");
    assert_eq!(error(&[stage(1.0, 1.0); 2], u32::MAX, 1), "vpp");
    let strange = [stage(f64::NAN, -1.0), stage(f64::INFINITY, 0.0)];
    let timeline = simulate(&strange, 1, 2, Seconds(f64::NAN), true).expect("replayed");
    assert_eq!(timeline.makespan.0, f64::INFINITY);
    assert_eq!(timeline.events.len(), 8);
    for micro_batches in [0, 1, u32::MAX] {
        for count in 0..3 {
            let some = &strange[..count.min(2)];
            assert!(!one_forward_one_backward(some, micro_batches, Seconds(-1.0)).0.is_sign_negative());
            let _ = interleaved(some, micro_batches, u32::MAX, Seconds(f64::INFINITY));
        }
    }
    assert_eq!(
        simulate(&[stage(1.0, 1.0)], 1, 0, Seconds::ZERO, true).expect("empty").makespan,
        Seconds::ZERO
    );
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn closed_form_is_exact_on_equal_stages(
        time in times(), stages in 1..20usize, micro_batches in 1..70u32, hop in 0.0..4.0f64,
    ) {
        let stages = vec![time; stages];
        let closed = one_forward_one_backward(&stages, micro_batches, Seconds(hop)).0;
        prop_assert!(close(closed, replayed(&stages, micro_batches, hop)));
    }

    #[test]
    fn interleaved_closed_form_is_exact_on_equal_stages(
        time in times(), stages in 1..10usize, virtual_stages in 1..6u32, rounds in 1..6u32, share in 0.0..1.0f64,
    ) {
        let micro_batches = rounds * stages as u32;
        let whole = vec![time; stages];
        let chunk = StageTime::new(
            time.forward / f64::from(virtual_stages),
            time.backward / f64::from(virtual_stages),
        );
        let hop = share * chunk.forward.min(chunk.backward).0;
        let chunks = vec![chunk; stages * virtual_stages as usize];
        let timeline = simulate(&chunks, virtual_stages, micro_batches, Seconds(hop), true).expect("small");
        prop_assert_eq!(timeline.events.len(), 2 * chunks.len() * micro_batches as usize);
        let closed = interleaved(&whole, micro_batches, virtual_stages, Seconds(hop)).0;
        prop_assert!(close(closed, timeline.makespan.0), "{} {}", closed, timeline.makespan.0);
    }

    #[test]
    fn closed_form_is_close_on_real_pipelines(
        stages in realistic(), micro_batches in 1..80u32, hop in 0.0..0.3f64,
    ) {
        let ratio = one_forward_one_backward(&stages, micro_batches, Seconds(hop)).0
            / replayed(&stages, micro_batches, hop);
        prop_assert!((0.98..=1.01).contains(&ratio), "{}", ratio);
    }

    #[test]
    fn closed_form_bounds_any_pipeline(
        stages in vec(times(), 1..12), micro_batches in 1..50u32, hop in 0.0..0.3f64,
    ) {
        let ratio = one_forward_one_backward(&stages, micro_batches, Seconds(hop)).0
            / replayed(&stages, micro_batches, hop);
        prop_assert!((0.75..=1.02).contains(&ratio), "{}", ratio);
    }

    #[test]
    fn interleaved_closed_form_is_close_with_ends(
        ratio in 1.0..3.0f64, stages in 2..12usize, virtual_stages in 2..7u32, rounds in 1..9u32,
        head in 0.0..1.0f64, hop in 0.0..0.5f64,
    ) {
        let count = stages * virtual_stages as usize;
        let chunks: Vec<_> = (0..count)
            .map(|index| {
                let extra = if index == 0 { head * 0.1 } else if index + 1 == count { head } else { 0.0 };
                stage(1.0 + extra, (1.0 + extra) * ratio)
            })
            .collect();
        let mut whole = vec![StageTime::default(); stages];
        for (index, chunk) in chunks.iter().enumerate() {
            whole[index % stages].forward += chunk.forward;
            whole[index % stages].backward += chunk.backward;
        }
        let micro_batches = rounds * stages as u32;
        let timeline = simulate(&chunks, virtual_stages, micro_batches, Seconds(hop), false).expect("small");
        let share = interleaved(&whole, micro_batches, virtual_stages, Seconds(hop)).0 / timeline.makespan.0;
        prop_assert!((0.97..=1.001).contains(&share), "{}", share);
    }

    #[test]
    fn makespan_is_at_least_the_busiest_stage_and_one_passage(
        stages in vec(times(), 1..12), micro_batches in 1..50u32, hop in 0.0..1.0f64,
    ) {
        let timeline = simulate(&stages, 1, micro_batches, Seconds(hop), false).expect("small");
        let passage = stages.iter().map(|s| s.total().0).sum::<f64>() + 2.0 * hop * (stages.len() - 1) as f64;
        for (time, busy) in stages.iter().zip(&timeline.busy) {
            prop_assert!(close(busy.0, time.total().0 * f64::from(micro_batches)));
        }
        let closed = one_forward_one_backward(&stages, micro_batches, Seconds(hop)).0;
        for makespan in [timeline.makespan.0, closed] {
            prop_assert!(timeline.busy.iter().all(|busy| makespan >= busy.0 - 1e-9));
            prop_assert!(makespan >= passage - 1e-9);
        }
    }

    #[test]
    fn a_slower_stage_never_shortens_the_step(
        mut stages in vec(times(), 1..10), micro_batches in 1..40u32, hop in 0.0..0.5f64,
        at in 0..10usize, extra in 0.0..1.0f64, backward in any::<bool>(),
    ) {
        let sim = replayed(&stages, micro_batches, hop);
        let closed = one_forward_one_backward(&stages, micro_batches, Seconds(hop)).0;
        let mixed = interleaved(&stages, micro_batches, 3, Seconds(hop)).0;
        let slower = at % stages.len();
        let changed = &mut stages[slower];
        if backward { changed.backward += Seconds(extra) } else { changed.forward += Seconds(extra) }
        prop_assert!(replayed(&stages, micro_batches, hop) >= sim - 1e-9);
        prop_assert!(one_forward_one_backward(&stages, micro_batches, Seconds(hop)).0 >= closed - 1e-9);
        prop_assert!(interleaved(&stages, micro_batches, 3, Seconds(hop)).0 >= mixed - 1e-9);
        prop_assert!(one_forward_one_backward(&stages, micro_batches, Seconds(hop + extra)).0 >= closed - 1e-9);
    }

    #[test]
    fn doubling_micro_batches_doubles_the_steady_part(
        stages in vec(times(), 1..10), micro_batches in 1..30u32, hop in 0.0..0.5f64,
    ) {
        let slowest = stages.iter().map(|s| s.total().0).fold(0.0, f64::max);
        // The pipeline fills and drains once, whatever the number of micro-batches.
        let steady = slowest * (f64::from(micro_batches) - stages.len() as f64);
        let grown = replayed(&stages, 2 * micro_batches, hop) - replayed(&stages, micro_batches, hop);
        prop_assert!(grown >= steady - 1e-9);
        let closed = |m| one_forward_one_backward(&stages, m, Seconds(hop)).0;
        prop_assert!(closed(2 * micro_batches) - closed(micro_batches) >= steady - 1e-9);
    }

    #[test]
    fn one_stage_is_never_idle(time in times(), micro_batches in 1..90u32, virtual_stages in 1..5u32) {
        let chunks = vec![time; virtual_stages as usize];
        let timeline = simulate(&chunks, virtual_stages, micro_batches, Seconds(1.0), false).expect("small");
        let work = time.total().0 * f64::from(micro_batches * virtual_stages);
        prop_assert!(close(timeline.makespan.0, work) && close(timeline.busy[0].0, work));
        prop_assert!(close(one_forward_one_backward(&[time], micro_batches, Seconds(1.0)).0,
            time.total().0 * f64::from(micro_batches)));
    }
}
