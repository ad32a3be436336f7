//! Pipelines drawn by hand, and replayed from the orders that the schedules' papers give.

use crate::support::{assert_close, forecast, forecast_under, scenario};
use proptest::prelude::*;
use std::collections::BTreeMap;
use stepcast::constants::Constants;
use stepcast::scenario::plan::Schedule::{
    self, AllForwardAllBackward, DualPipe, DualPipeV, OneForwardOneBackward, ZeroBubbleH1, ZeroBubbleH2,
};
use stepcast::schedule::{
    Pipeline, ScheduledPass, StageTime, all_forward_all_backward, in_flight, interleaved,
    one_forward_one_backward, paired_share, stage_maxima,
};
use stepcast::units::Seconds;

/// Forward, input gradient, weight gradient.
fn time(forward: f64, input: f64, weight: f64) -> StageTime {
    StageTime::new(Seconds(forward), Seconds(input + weight)).with_weight_gradient(Seconds(weight))
}

fn pipeline(schedule: Schedule, virtual_stages: u32, chunks: &[StageTime], m: u32, hop: f64) -> Pipeline<'_> {
    Pipeline { schedule, virtual_stages, chunks, micro_batches: m, hop: Seconds(hop) }
}

/// A stage's passes in the order they start, as people draw them: `Fa0` is micro-batch 0 forward through the first
/// of its chunks, `B` a backward pass or its input gradient, `W` a weight gradient.
fn drawn(pipeline: &Pipeline<'_>, stage: u32) -> String {
    let timeline = pipeline.simulate(true).expect("small");
    let mut words = Vec::new();
    for event in timeline.events.iter().filter(|event| event.stage == stage) {
        let letter = match event.pass {
            ScheduledPass::Forward => 'F',
            ScheduledPass::Backward | ScheduledPass::InputGradient => 'B',
            ScheduledPass::WeightGradient => 'W',
        };
        let chunk =
            if pipeline.virtual_stages > 1 { ["a", "b", "c"][event.virtual_stage as usize] } else { "" };
        words.push(format!("{letter}{chunk}{}", event.micro_batch));
    }
    words.join(" ")
}

/// Figures of GPipe (arXiv 1811.06965, figure 2), PipeDream-Flush and its interleaved form (Narayanan et al. 2021,
/// figure 4) and ZB-H1 and ZB-H2 (Qi et al. 2024, figures 2 and 3), continued to these sizes.
#[test]
fn orders_are_those_that_the_papers_draw() {
    let equal = [time(1.0, 1.0, 1.0); 4];
    for (schedule, virtual_stages, stages, m, lanes) in [
        (AllForwardAllBackward, 1, 2, 3, &["F0 F1 F2 B0 B1 B2", "F0 F1 F2 B0 B1 B2"][..]),
        (
            OneForwardOneBackward,
            1,
            3,
            4,
            &["F0 F1 F2 B0 F3 B1 B2 B3", "F0 F1 B0 F2 B1 F3 B2 B3", "F0 B0 F1 B1 F2 B2 F3 B3"],
        ),
        (
            OneForwardOneBackward,
            2,
            2,
            4,
            &[
                "Fa0 Fa1 Fb0 Fb1 Fa2 Bb0 Fa3 Bb1 Fb2 Ba0 Fb3 Ba1 Bb2 Bb3 Ba2 Ba3",
                "Fa0 Fa1 Fb0 Bb0 Fb1 Bb1 Fa2 Ba0 Fa3 Ba1 Fb2 Bb2 Fb3 Bb3 Ba2 Ba3",
            ],
        ),
        (ZeroBubbleH1, 1, 2, 3, &["F0 F1 B0 W0 F2 B1 W1 B2 W2", "F0 B0 F1 B1 W0 F2 B2 W1 W2"]),
        (ZeroBubbleH2, 1, 2, 3, &["F0 F1 F2 B0 W0 B1 W1 B2 W2", "F0 B0 F1 B1 F2 B2 W0 W1 W2"]),
    ] {
        let chunks = &equal[..stages * virtual_stages as usize];
        for (stage, lane) in (0..).zip(lanes) {
            assert_eq!(
                drawn(&pipeline(schedule, virtual_stages, chunks, m, 0.0), stage),
                *lane,
                "{schedule:?}"
            );
        }
    }
}

/// Two stages of 1 + 2 and 3 + 4, two micro-batches. The second stage begins at 1 and never waits again: it ends
/// at 15, and the first stage's last backward pass at 17. With transfers of a half, everything on the second stage
/// is a half later and the way back takes another.
#[test]
fn two_stages_by_hand() {
    let chunks = [time(1.0, 2.0, 0.0), time(3.0, 4.0, 0.0)];
    for (hop, end) in [(0.0, 17.0), (0.5, 18.0)] {
        let plain = pipeline(OneForwardOneBackward, 1, &chunks, 2, hop);
        let timeline = plain.simulate(true).expect("small");
        assert_close(timeline.makespan.0, end);
        assert_close(timeline.span.0, end);
        assert_eq!(timeline.busy, [Seconds(6.0), Seconds(14.0)]);
        let starts: Vec<f64> = timeline.events.iter().map(|event| event.start.0).collect();
        let second = [1.0, 4.0, 8.0, 11.0].map(|at| at + hop);
        let first = [0.0, 1.0, 8.0 + 2.0 * hop, 15.0 + 2.0 * hop];
        assert_eq!(starts, [first, second].concat());
        assert_close(one_forward_one_backward(&chunks, 2, Seconds(hop)).0, end);
        assert_close(plain.duration().0, end);
        // Here all forward passes first take as long: the second stage is never idle either way.
        let gpipe = pipeline(AllForwardAllBackward, 1, &chunks, 2, hop);
        assert_close(gpipe.simulate(false).expect("small").makespan.0, end);
        assert_close(all_forward_all_backward(&chunks, 2, Seconds(hop)).0, end);
        assert_close(gpipe.duration().0, end);
    }
}

/// Four chunks on two stages, 1 + 2 each, two micro-batches: 2 x 6 of work and half a stage's time to fill and
/// drain; a step of ZB-H1 on two stages of 1 + 1 + 1 waits for 1 + 1 - 1, of ZB-H2 for 1 + 1 - 2.
#[test]
fn bubbles_by_hand() {
    let chunks = [time(1.0, 2.0, 0.0); 4];
    let folded = pipeline(OneForwardOneBackward, 2, &chunks, 2, 0.0);
    assert_close(folded.simulate(false).expect("small").makespan.0, 15.0);
    assert_close(folded.duration().0, 15.0);
    assert_close(interleaved(&[time(2.0, 4.0, 0.0); 2], 2, 2, Seconds::ZERO).0, 15.0);
    let thirds = [time(1.0, 1.0, 1.0); 2];
    for (schedule, bubble) in [(ZeroBubbleH1, 1.0), (ZeroBubbleH2, 0.0)] {
        let split = pipeline(schedule, 1, &thirds, 4, 0.0);
        let timeline = split.simulate(false).expect("small");
        assert_close(timeline.duration(schedule).0, 12.0 + bubble);
        assert_close(split.duration().0, 12.0 + bubble);
    }
}

/// A pass of an order: forward, backward or weight gradient, of a chunk (in model order) and a micro-batch.
type Step = (char, usize, u32);

/// Forward and backward passes in the order of their names' papers, and weight gradients put off as Qi et al. say.
fn order(schedule: Schedule, p: usize, v: usize, m: u32, stage: usize) -> Vec<Step> {
    let total = m as usize * v;
    let behind = p - 1 - stage;
    let chunk = |index: usize| (index / p % v) * p + stage;
    let batch = |index: usize| if v > 1 { (index / (p * v) * p + index % p) as u32 } else { index as u32 };
    let forward = |index: usize| ('F', chunk(index), batch(index));
    let backward = |index: usize| ('B', (v - 1 - index / p % v) * p + stage, batch(index));
    let (warm_up, put_off) = match schedule {
        AllForwardAllBackward => (total, 0),
        ZeroBubbleH1 => (behind, stage),
        ZeroBubbleH2 => (2 * behind, 2 * stage),
        _ if v > 1 => (2 * behind + (v - 1) * p, 0),
        _ => (behind, 0),
    };
    let warm_up = warm_up.min(total);
    let mut steps: Vec<Step> = (0..warm_up).map(forward).collect();
    for index in 0..total {
        steps.extend((index + warm_up < total).then(|| forward(index + warm_up)));
        steps.push(backward(index));
        if schedule.splits_backward() {
            steps.extend((index >= put_off).then(|| ('W', stage, (index - put_off) as u32)));
        }
    }
    if schedule.splits_backward() {
        steps.extend((total.saturating_sub(put_off)..total).map(|index| ('W', stage, index as u32)));
    }
    steps
}

/// When every pass ends, found by letting the first pass that can run of any stage run, until none is left.
fn replayed(schedule: Schedule, chunks: &[StageTime], v: usize, m: u32, hop: f64) -> (f64, f64, Vec<f64>) {
    let p = chunks.len() / v;
    let mut left: Vec<Vec<Step>> = (0..p).map(|stage| order(schedule, p, v, m, stage)).collect();
    left.iter_mut().for_each(|steps| steps.reverse());
    let (mut free, mut begun, mut busy) = (vec![0.0_f64; p], vec![f64::NAN; p], vec![0.0; p]);
    let mut ends: BTreeMap<Step, f64> = BTreeMap::new();
    let passes: usize = left.iter().map(Vec::len).sum();
    for _ in 0..passes {
        let arrival = |step: &Step| {
            let (kind, chunk, batch) = *step;
            let moved = |end: &f64| end + if p > 1 { hop } else { 0.0 };
            match kind {
                'F' if chunk == 0 => Some(0.0),
                'F' => ends.get(&('F', chunk - 1, batch)).map(moved),
                'B' if chunk + 1 == chunks.len() => ends.get(&('F', chunk, batch)).copied(),
                'B' => ends.get(&('B', chunk + 1, batch)).map(moved),
                _ => Some(0.0),
            }
        };
        let ready = |stage: usize| left[stage].last().and_then(&arrival).map(|at| (stage, at));
        let (stage, arrived) = (0..p).find_map(ready).expect("no stage waits for itself");
        let step = left[stage].pop().expect("a pass");
        let own = chunks[step.1];
        let takes = match step.0 {
            'F' => own.forward.0,
            'W' => own.weight_gradient.0,
            _ if schedule.splits_backward() => own.backward.0 - own.weight_gradient.0,
            _ => own.backward.0,
        };
        let start = free[stage].max(arrived);
        begun[stage] = begun[stage].min(start);
        free[stage] = start + takes;
        busy[stage] += takes;
        ends.insert(step, free[stage]);
    }
    let span = free.iter().zip(&begun).map(|(end, start)| end - start).fold(0.0, f64::max);
    (free.iter().copied().fold(0.0, f64::max), span, busy)
}

fn chunk() -> impl Strategy<Value = StageTime> {
    (0.1..2.0f64, 0.1..2.0f64, 0.1..2.0f64).prop_map(|(f, b, w)| time(f, b, w))
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// Any stages, any transfers: the simulation is the papers' orders replayed by the plainest means.
    #[test]
    fn simulations_are_the_orders_replayed(
        all in prop::collection::vec(chunk(), 12), p in 1..5usize, v in 1..4usize, rounds in 1..4u32, hop in 0.0..1.0f64,
        which in 0..4usize,
    ) {
        let schedule = [OneForwardOneBackward, AllForwardAllBackward, ZeroBubbleH1, ZeroBubbleH2][which];
        let v = if schedule == OneForwardOneBackward && p > 1 { v } else { 1 };
        let m = if v > 1 { rounds * p as u32 + p as u32 } else { rounds + 2 };
        let chunks = &all[..p * v];
        let found = pipeline(schedule, v as u32, chunks, m, hop).simulate(false).expect("small");
        let (makespan, span, busy) = replayed(schedule, chunks, v, m, hop);
        prop_assert!((found.makespan.0 - makespan).abs() < 1e-9, "{} {makespan}", found.makespan.0);
        prop_assert!((found.span.0 - span).abs() < 1e-9, "{} {span}", found.span.0);
        for (found, busy) in found.busy.iter().zip(busy) {
            prop_assert!((found.0 - busy).abs() < 1e-9);
        }
    }
}

/// Stages of DualPipe and DualPipeV with m micro-batches each way (or in all), a half of h stages and i stages from
/// the end, pair in their main part both directions of each of m + i + 1 - 2 h rounds, and one of each of the
/// h - i - 1 that follow; the very first pass of the innermost stage runs alone (DeepSeek-AI's `dualpipe.py`,
/// steps 4 and 5).
#[test]
fn pairs_are_counted_from_the_steps() {
    for (schedule, p, m, stage, pairs, passes) in [
        (DualPipe, 8, 20, 0, 2.0 * 3.0 + 3.0, 20.0),
        (DualPipe, 8, 20, 3, 2.0 * 6.0 - 1.0, 20.0),
        (DualPipe, 8, 20, 4, 2.0 * 6.0 - 1.0, 20.0),
        (DualPipe, 8, 20, 7, 2.0 * 3.0 + 3.0, 20.0),
        (DualPipeV, 4, 10, 1, 2.0 * 4.0 + 2.0, 20.0),
        (DualPipeV, 4, 10, 3, 2.0 * 6.0 - 1.0, 20.0),
    ] {
        assert_close(paired_share(schedule, p, m, stage), pairs / passes);
    }
    assert_eq!(paired_share(OneForwardOneBackward, 8, 20, 0), 0.0);
}

/// Table 2 of Qi et al. 2024 and of DeepSeek-V3, and section 4.2.3 of Korthikanti et al. 2022, in numbers.
#[test]
fn micro_batches_in_flight_by_hand() {
    let kept = |schedule, p, v, m, stage| in_flight(schedule, p, v, m, stage).micro_batches();
    assert_eq!([0, 1, 2, 3].map(|stage| kept(OneForwardOneBackward, 4, 1, 16, stage)), [4.0, 3.0, 2.0, 1.0]);
    // Interleaved, 8 stages of 3: 2 x 7 + 2 x 8 + 1 virtual stages on the first, 8 (1 + 7/24) micro-batches.
    assert_close(kept(OneForwardOneBackward, 8, 3, 16, 0), 31.0 / 3.0);
    assert_close(kept(OneForwardOneBackward, 8, 3, 16, 7), 17.0 / 3.0);
    assert_eq!(kept(OneForwardOneBackward, 8, 1, 3, 0), 3.0, "no more than there are");
    assert_eq!(kept(AllForwardAllBackward, 4, 1, 16, 2), 16.0);
    // What is put off takes 0.5 of what is kept: stage 1 of 4 keeps 3 and puts off 1, or keeps 2 and puts off 2.
    assert_close(in_flight(ZeroBubbleH1, 4, 1, 16, 1).most(1.0, 0.5), 3.5);
    assert_close(in_flight(ZeroBubbleH1, 4, 1, 16, 1).most(1.0, 2.0), 6.0);
    assert_close(in_flight(ZeroBubbleH2, 4, 1, 16, 1).most(1.0, 0.5), 5.0 + 1.0);
    assert_eq!(kept(Schedule::ZeroBubbleV, 4, 2, 16, 2), 4.0);
    // Of two chunks a stage: p/2 + 1/2 of the model's, for each of DualPipe's two copies.
    assert_close(kept(DualPipe, 8, 1, 20, 0), 4.5);
    assert_close(kept(DualPipeV, 4, 2, 10, 0), 4.5);
}

/// arXiv 2509.22832: m + p - 1 rounds, each of the slowest forward and the slowest backward, whosever they are.
#[test]
fn rounds_of_the_slowest_by_hand() {
    let stages = [time(1.0, 5.0, 0.0), time(3.0, 2.0, 0.0), time(2.0, 2.0, 0.0)];
    assert_close(stage_maxima(&stages, 4).0, (4.0 + 3.0 - 1.0) * (3.0 + 5.0));
    assert_eq!((stage_maxima(&stages, 0).0, stage_maxima(&[], 4).0), (0.0, 0.0));
}

/// With few micro-batches the pipeline fills at the pace of its slowest forward pass. Two stages of 4 + 1 and 1 + 1:
/// the second micro-batch leaves the first stage at 8, comes back at 10 and is done at 11. Three of 4 + 1, 3 + 2 and
/// 2 + 1: it leaves the first at 8 and the second at 11, comes back from the last at 14 and from the others at 16 and 17.
#[test]
fn few_micro_batches_by_hand() {
    let two = [time(4.0, 1.0, 0.0), time(1.0, 1.0, 0.0)];
    let three = [time(4.0, 1.0, 0.0), time(3.0, 2.0, 0.0), time(2.0, 1.0, 0.0)];
    for (stages, end) in [(&two[..], 11.0), (&three, 17.0)] {
        let plain = pipeline(OneForwardOneBackward, 1, stages, 2, 0.0);
        assert_close(plain.simulate(false).expect("small").makespan.0, end);
        assert_close(one_forward_one_backward(stages, 2, Seconds::ZERO).0, end);
        assert_close(plain.duration().0, end);
    }
}

/// Ranking extends a schedule that repeats to any number of micro-batches, more than a timeline shows: two stages of
/// 1 + 1 + 1 take 3 each under ZB-H1, and 1 + 1 - 1 to fill.
#[test]
fn quick_durations_know_no_limit() {
    let thirds = [time(1.0, 1.0, 1.0); 2];
    let endless = pipeline(ZeroBubbleH1, 1, &thirds, 2_000_000, 0.0);
    assert!(endless.simulate(false).is_err(), "too many to show");
    assert_close(endless.duration().0, 6_000_001.0);
}

/// On equal stages without transfers a schedule repeats exactly, so that extending it loses nothing.
#[test]
fn extended_schedules_are_exact_on_equal_stages() {
    for schedule in Schedule::ALL {
        let v = if schedule.folds() { 2 } else { 1 };
        for p in [2, 4] {
            for (f, b, w) in [(1.0, 1.0, 1.0), (1.0, 1.5, 0.5)] {
                let chunks = vec![time(f, b, w).with_hideable(Seconds(0.25)); p * v as usize];
                for m in [4, 10, 20].map(|times| times * p as u32) {
                    let quick = pipeline(schedule, v, &chunks, m, 0.0);
                    let exact = quick.simulate(false).expect("small").duration(schedule).0;
                    assert_close(quick.duration().0, exact);
                }
            }
        }
    }
}

/// Stage, which of its chunks, and the stage that waits.
type Place = (u32, u32, Option<u32>);

/// Every micro-batch passes every chunk forward and backward once. DualPipe feeds one half of them from each end: the
/// first stage's own are 0 to m/2, the second end's are counted on; each hands on to the neighbour, or to nobody.
#[test]
fn events_say_whose_they_are_and_who_waits() {
    let chunks = [time(1.0, 1.0, 1.0); 4];
    for schedule in [OneForwardOneBackward, ZeroBubbleH1, DualPipe, DualPipeV] {
        let v = if schedule == DualPipeV { 2 } else { 1 };
        let (p, m) = (4 / v, 8);
        let timeline = pipeline(schedule, v, &chunks, m, 0.0).simulate(true).expect("small");
        let mut seen: BTreeMap<(u32, u32), Vec<Place>> = BTreeMap::new();
        for event in timeline.events.iter().filter(|event| event.pass == ScheduledPass::Forward) {
            let from = (event.chunk, event.micro_batch);
            seen.entry(from).or_default().push((event.stage, event.virtual_stage, event.next));
        }
        assert_eq!(seen.len(), 4 * m as usize);
        for ((chunk, micro_batch), events) in seen {
            let mirrored = schedule == DualPipe && micro_batch >= m / 2;
            let home = |chunk: u32| match (mirrored, v) {
                (true, _) => 3 - chunk,
                (_, 2) if chunk >= p => 3 - chunk,
                _ => chunk,
            };
            let slot = if mirrored { 1 } else { chunk / p };
            let next = (chunk < 3).then(|| home(chunk + 1)).filter(|next| *next != home(chunk));
            assert_eq!(events, [(home(chunk), slot, next)], "{schedule:?} {chunk} {micro_batch}");
        }
        let gradients = timeline.events.iter().filter(|event| event.pass == ScheduledPass::WeightGradient);
        assert!(gradients.clone().all(|event| event.next.is_none()));
        assert_eq!(gradients.count() > 0, schedule.splits_backward());
    }
}

/// What each schedule is, in one row.
#[test]
fn schedules_are_what_their_names_say() {
    let rows = Schedule::ALL.map(|schedule| {
        let flags = [
            schedule.folds(),
            schedule.mirrors(),
            schedule.splits_backward(),
            schedule.pairs_passes(),
            schedule.ends_unevenly(),
        ];
        let letters: String = "fmspe".chars().zip(flags).filter(|pair| pair.1).map(|pair| pair.0).collect();
        (schedule.label(), letters)
    });
    let known = [
        ("1F1B", ""),
        ("GPipe", ""),
        ("ZB-H1", "s"),
        ("ZB-H2", "se"),
        ("ZB-V", "fse"),
        ("DualPipe", "msp"),
        ("DualPipeV", "fsp"),
    ];
    assert_eq!(rows, known.map(|(label, letters)| (label, letters.to_owned())));
}

/// Whatever the number of micro-batches, which times a step is summed from in another order than a pipeline replays them.
#[test]
fn one_stage_waits_for_nothing_and_sends_nothing_on() {
    for batch in ["24", "96", "128", "1000"] {
        let job = [
            ("m", "llama3-405b"),
            ("g", "dgx-a100-40g"),
            ("n", "8"),
            ("gb", batch),
            ("tp", "8"),
            ("sp", "0"),
            ("pp", "1"),
        ];
        let parts = forecast(&scenario(&job)).breakdown;
        assert_eq!((parts.bubble.0, parts.pipeline_communication.0), (0.0, 0.0), "{batch} sequences");
    }
}

/// Machines of eight GPUs behind one NIC. Where a machine holds whole stages, only the last of them sends onward and only the
/// first back: of two machines each has one neighbour, so that a stage of four ranks sends with eight GPUs' shares. A machine
/// in the middle, and one whose last chunk goes round to the first stage, sends both ways at once.
#[test]
fn of_the_stages_in_a_machine_those_at_its_borders_share_its_network() {
    let quiet = Constants { network_latency: 0.0, network_half_size: 0.0, ..Constants::SHIPPED };
    let hop = |gpus: &str, stages: &str, chunks: &str, nics: u32| {
        let edits = [
            ("m", "llama2-7b"),
            ("g", "dgx-h100"),
            ("n", gpus),
            ("gb", "64"),
            ("tp", "1"),
            ("sp", "0"),
            ("pp", stages),
            ("vpp", chunks),
        ];
        let mut job = scenario(&edits);
        let network = &mut job.cluster.network;
        (network.nics_per_node, network.nic_bandwidth) =
            (nics, network.nic_bandwidth * (8.0 / f64::from(nics)));
        let found = forecast_under(&job, &quiet);
        found.operators.iter().find(|row| row.name == "stage_transfer").expect("a transfer").time.0
    };
    // A stage fills a machine: all eight GPUs send at once, whatever NICs their shares are of.
    let whole = hop("16", "2", "1", 1);
    assert_close(hop("16", "2", "1", 8), whole);
    assert_close(hop("32", "4", "1", 1), whole);
    // Two and four stages a machine, two machines.
    assert_close(hop("16", "4", "1", 1), whole / 2.0);
    assert_close(hop("16", "8", "1", 1), whole / 4.0);
    // Three or more machines, and chunks that go round.
    assert_close(hop("32", "8", "1", 1), whole);
    assert_close(hop("32", "16", "1", 1), whole / 2.0);
    assert_close(hop("16", "8", "2", 1), whole / 2.0);
    // No GPU sends with more than one NIC.
    assert_close(hop("16", "8", "1", 4), whole / 2.0);
    assert_close(hop("16", "8", "1", 8), whole);
}
