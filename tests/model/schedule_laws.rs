//! Laws that hold of every schedule's duration on any stages: no time, transfer or micro-batch more makes a step
//! shorter, and what the ranking takes is what the simulation takes.

use proptest::collection::vec;
use proptest::prelude::*;
use stepcast::document::Document;
use stepcast::forecast::Predictor;
use stepcast::schedule::{
    Pipeline, Schedule, StageRun, StageTime, SteadyScratch, interleaved, least_duration,
};
use stepcast::units::Seconds;

/// A pipeline to run, owned.
#[derive(Debug, Clone)]
struct Job {
    schedule: Schedule,
    virtual_stages: u32,
    chunks: Vec<StageTime>,
    micro_batches: u32,
    hop: f64,
}

impl Job {
    fn pipeline(&self) -> Pipeline<'_> {
        Pipeline {
            schedule: self.schedule,
            virtual_stages: self.virtual_stages,
            chunks: &self.chunks,
            micro_batches: self.micro_batches,
            hop: Seconds(self.hop),
        }
    }

    fn ranked(&self) -> f64 {
        self.pipeline().duration().0
    }

    /// What a stage takes over all its chunks; of a mirrored pipeline, in the mean over its two directions.
    fn stage(&self, stages: u32, stage: u32) -> StageTime {
        let sum = |one: StageTime, other: StageTime, share: f64| {
            StageTime::new((one.forward + other.forward) * share, (one.backward + other.backward) * share)
                .with_weight_gradient((one.weight_gradient + other.weight_gradient) * share)
                .with_hideable((one.hideable + other.hideable) * share)
        };
        let chunk = |index: u32| self.chunks[index as usize];
        if self.schedule.mirrors() {
            return sum(chunk(stage), chunk(stages - 1 - stage), 0.5);
        }
        (1..self.virtual_stages).fold(chunk(stage), |time, slot| {
            let folded = self.schedule.folds() && slot == 1;
            let other = if folded { 2 * stages - 1 - stage } else { slot * stages + stage };
            sum(time, chunk(other), 1.0)
        })
    }

    fn simulated(&self) -> f64 {
        self.pipeline().simulate(false).expect("a legal job").duration(self.schedule).0
    }
}

/// A chunk of any times: forward, input gradient, weight gradient, and the share of both passes that can hide.
fn any_time() -> impl Strategy<Value = StageTime> {
    (0.05..1.0f64, 0.05..1.0f64, 0.0..1.0f64, 0.0..0.9f64).prop_map(|(forward, input, weight, share)| {
        StageTime::new(Seconds(forward), Seconds(input + weight))
            .with_weight_gradient(Seconds(weight))
            .with_hideable(Seconds(share * forward.min(input + weight)))
    })
}

/// Any schedule on any stages, transfers up to as long as a pass.
fn any_job() -> impl Strategy<Value = Job> {
    let sizes = (prop::sample::select(&Schedule::ALL), 1..5u32, 1..5u32, 0..60u32);
    (sizes, vec(any_time(), 64), 0.0..1.0f64).prop_map(|((schedule, half, rounds, extra), times, hop)| {
        let row = schedule.row();
        let stages = (half * row.stages_multiple_of).max(2);
        let virtual_stages = rounds.clamp(*row.virtual_stages.start(), *row.virtual_stages.end());
        let demand = (row.micro_batches)(stages, virtual_stages);
        let micro_batches = (demand.least.max(1) + extra).next_multiple_of(demand.multiple_of);
        let chunks = times.into_iter().cycle().take((stages * virtual_stages) as usize).collect();
        Job { schedule, virtual_stages, chunks, micro_batches, hop }
    })
}

/// Rounding errors of sums.
fn at_least(more: f64, less: f64) -> bool {
    more >= less * (1.0 - 1e-9)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn more_work_or_longer_transfers_never_take_less(
        job in any_job(), at in 0..64usize, which in 0..4, extra in 0.0..1.0f64,
    ) {
        let mut slower = job.clone();
        let at = at % job.chunks.len();
        match which {
            0 => slower.chunks[at].forward += Seconds(extra),
            1 => slower.chunks[at].backward += Seconds(extra),
            2 => {
                slower.chunks[at].backward += Seconds(extra);
                slower.chunks[at].weight_gradient += Seconds(extra);
            }
            _ => slower.hop += extra,
        }
        // A step that ends apart lasts from a stage's first pass to its last. Of fewer micro-batches than ZB-V's order is made
        // for, a pass elsewhere that takes longer can hold up the first by more than the last.
        let stages = job.chunks.len() as u32 / job.virtual_stages;
        prop_assume!(job.schedule != Schedule::ZeroBubbleV || job.micro_batches >= 2 * stages - 1);
        let (before, after) = (job.simulated(), slower.simulated());
        prop_assert!(at_least(after, before), "simulated: {} {before} {after}", job.schedule.label());
        let (before, after) = (job.ranked(), slower.ranked());
        prop_assert!(at_least(after, before), "ranked: {} {before} {after}", job.schedule.label());
    }

    #[test]
    fn more_micro_batches_never_take_less(job in any_job(), more in 1..9u32) {
        let mut longer = job.clone();
        let demand = (job.schedule.row().micro_batches)(
            job.chunks.len() as u32 / job.virtual_stages, job.virtual_stages,
        );
        longer.micro_batches += more * demand.multiple_of;
        let (before, after) = (job.simulated(), longer.simulated());
        prop_assert!(at_least(after, before), "simulated: {} {before} {after}", job.schedule.label());
        let (before, after) = (job.ranked(), longer.ranked());
        prop_assert!(at_least(after, before), "ranked: {} {before} {after}", job.schedule.label());
    }

    /// Plain 1F1B has a closed form, whose tolerance is in `tests/model/schedule.rs`. The others go on at their pace, which wildly
    /// different stages reach late: one job in some ten thousand comes out 9 % short.
    #[test]
    fn ranking_is_close_to_the_simulation(job in any_job()) {
        prop_assume!(job.schedule != Schedule::OneForwardOneBackward || job.virtual_stages > 1);
        let ratio = job.ranked() / job.simulated();
        prop_assert!((0.88..1.06).contains(&ratio), "{} {ratio}", job.schedule.label());
    }

    /// The bound of a search is no more than the duration that it stands for, nor than the simulation. Where virtual
    /// stages differ no closed form holds, and the bound is told so.
    #[test]
    fn the_least_duration_is_no_more_than_the_duration(job in any_job()) {
        let stages = job.chunks.len() as u32 / job.virtual_stages;
        let whole: Vec<StageTime> = (0..stages).map(|stage| job.stage(stages, stage)).collect();
        let runs: Vec<StageRun> = whole.iter().map(|time| StageRun { time: *time, stages: 1 }).collect();
        let even = job.virtual_stages <= 1;
        let least =
            |runs: &[StageRun]| least_duration(job.schedule, runs, job.micro_batches, job.virtual_stages, even, Seconds(job.hop)).0;
        prop_assert!(at_least(job.ranked(), least(&runs)), "{} for at least {}", job.ranked(), least(&runs));
        prop_assert!(at_least(job.simulated(), least(&runs)), "{} for at least {}", job.simulated(), least(&runs));
    }

    /// On equal stages the bounds of 1F1B, interleaved or not, and of GPipe are the duration itself to 3 %, but for passes
    /// that wait for transfers: where those are long, for as long as a transfer through all stages and back.
    #[test]
    fn the_least_duration_of_equal_stages_is_close(time in any_time(), p in 2..9u32, v in 1..5u32, rounds in 1..6u32) {
        for (schedule, virtual_stages) in
            [(Schedule::OneForwardOneBackward, 1), (Schedule::OneForwardOneBackward, v), (Schedule::AllForwardAllBackward, 1)]
        {
            let chunk = StageTime::new(time.forward, time.backward);
            let chunks = vec![chunk; (p * virtual_stages) as usize];
            let hop = Seconds(0.01);
            let micro_batches = p * rounds;
            let whole = StageTime::new(time.forward * f64::from(virtual_stages), time.backward * f64::from(virtual_stages));
            let run = [StageRun { time: whole, stages: p }];
            let least = least_duration(schedule, &run, micro_batches, virtual_stages, true, hop).0;
            let stages = vec![whole; p as usize];
            let exact = if virtual_stages > 1 {
                interleaved(&stages, micro_batches, virtual_stages, hop).0
            } else {
                Pipeline { schedule, virtual_stages, chunks: &chunks, micro_batches, hop }.duration().0
            };
            let waiting = 2.0 * hop.0 * f64::from(p - 1);
            let close = least <= exact * (1.0 + 1e-9) && least >= exact * 0.97 - waiting;
            prop_assert!(close, "{schedule:?} {virtual_stages}: {least} {exact}");
        }
    }

    #[test]
    fn memory_used_before_changes_nothing(jobs in vec(any_job(), 1..6)) {
        let mut scratch = SteadyScratch::default();
        for job in &jobs {
            prop_assert_eq!(job.pipeline().duration_in(&mut scratch), job.pipeline().duration());
        }
    }
}

/// A mixture of experts under DualPipe, whose passes hide their exchanges behind each other.
const EXPERTS: &str = "1;m=custom;layers=64;hidden=6144;ffn=2048;heads=48;kv=8;dh=128;vocab=32000;moe=64;topk=8;effn=2048;g=dgx-h100;n=128;seq=4096;gb=256;stack=megatron-lm;tp=4;ep=8;pp=8;sched=dualpipe";

/// The step of a link in seconds.
fn step(link: &str) -> f64 {
    let document = Document::from_link(link).expect("a link of this version").document;
    Predictor::SHIPPED.estimate(&document.scenario().expect("a legal scenario")).step.0
}

/// What a pair of passes hides of its exchange is less where the passes wait for their activations' way to the host.
#[test]
fn a_faster_fabric_never_slows_an_offloading_pipeline() {
    for schedule in ["dualpipe", "dualpipev;vpp=2"] {
        let job = EXPERTS.replace("dualpipe", schedule) + ";oa=100;nic=800";
        let steps: Vec<f64> = [40, 60, 90, 200, 400].map(|link| step(&format!("{job};link={link}"))).into();
        assert!(steps.windows(2).all(|pair| pair[1] <= pair[0] * (1.0 + 1e-9)), "{schedule} {steps:?}");
    }
}

/// Gradients are reduced behind what the passes take, of which pairs hide some already.
#[test]
fn a_hidden_exchange_never_slows_a_pipeline_that_reduces_every_micro_batch() {
    for schedule in ["dualpipe", "dualpipev;vpp=2"] {
        let job = EXPERTS.replace("dualpipe", schedule) + ";zero=2";
        let (apart, hidden) = (step(&format!("{job};epo=0")), step(&format!("{job};epo=1")));
        assert!(hidden <= apart * (1.0 + 1e-9), "{schedule} {apart} {hidden}");
    }
}

/// A list of layers may give virtual stages so unequal shares that rounds wait for each other's longest chunk.
#[test]
fn a_step_is_no_shorter_than_its_timeline_under_a_list_of_layers() {
    let link = "1;m=llama3-70b;g=dgx-h100;n=32;gb=32;stack=megatron-lm;tp=8;pp=4;vpp=4;split=given;stages=1,1,1,17x4,1x9";
    let document = Document::from_link(link).expect("a link of this version").document;
    let replayed = Predictor::SHIPPED
        .timeline(&document.scenario().expect("a legal scenario"))
        .expect("small")
        .makespan
        .0;
    assert!(at_least(step(link), replayed), "{} {replayed}", step(link));
}
