//! How wide the interval around a forecast is: independent doubts add in quadrature, each where it applies.

use crate::support::{assert_close, scenario};
use stepcast::constants::Constants;
use stepcast::forecast::{CalibrationEvidence, Interval, Predictor};
use stepcast::scenario::Scenario;
use stepcast::scenario::cluster::GpuFamily;
use stepcast::scenario::model::Experts;
use stepcast::scenario::plan::Recompute;
use stepcast::scenario::stack::Stack;
use stepcast::units::Seconds;

/// GPUs of the largest of the public runs that the shipped constants were fitted to.
const MOST_GPUS: u32 = 11_616;

/// Half-widths whose squares are 1, 2, 4, 8, 16, 32, 64 and 128 hundredths, so that every sum of some is another number;
/// nothing that is paid once, and utilisation says nothing.
fn constants() -> Constants {
    let root = |hundredths: f64| f64::sqrt(hundredths / 100.0);
    Constants {
        interval_base: root(1.0),
        interval_experts: root(2.0),
        interval_stack: root(4.0),
        interval_experts_elsewhere: root(8.0),
        interval_gpu: root(16.0),
        interval_scale: root(32.0),
        interval_one_source: root(64.0),
        interval_kind: root(128.0),
        interval_straggler: 0.0,
        interval_fixed: 0.0,
        interval_idle: 0.0,
        interval_idle_measured: 0.0,
        ..Constants::SHIPPED
    }
}

/// A dense model on a stack and GPUs with many measured runs.
fn known() -> Scenario {
    let job =
        scenario(&[("m", "llama2-7b"), ("g", "dgx-h100"), ("n", "8"), ("tp", "1"), ("sp", "0"), ("pp", "1")]);
    with_stack(job, Stack::Nemo, 2025)
}

fn with_stack(mut job: Scenario, stack: Stack, year: u16) -> Scenario {
    (job.software.stack, job.software.year) = (stack, year);
    job
}

fn with_experts(mut job: Scenario) -> Scenario {
    job.model.experts = Experts { count: 8, top_k: 2, ffn: 1024, ..Experts::NONE };
    job
}

fn on(mut job: Scenario, family: GpuFamily) -> Scenario {
    job.cluster.gpu.family = family;
    job
}

fn at_scale(mut job: Scenario, gpus: u32) -> Scenario {
    job.cluster.gpus = gpus;
    job
}

/// Both ends lie as far from the step in logarithms; hundredths of the squared half-width.
#[track_caller]
fn assert_width(found: &Interval, hundredths: f64) {
    let width = f64::sqrt(hundredths / 100.0);
    assert_close(found.high.0, 2.0 * width.exp());
    assert_close(found.low.0, 2.0 / width.exp());
}

const STACK: &str = "no constants were fitted to runs of this software";
const ONE_SOURCE: &str = "constants were fitted to runs of this software of one publication only";
const KIND: &str = "software known by its kind alone: name its framework";
const GPU: &str = "constants were fitted to hardly any runs on this generation of GPUs";
const EXPERTS: &str = "mixtures of experts: kernels and balance differ from release to release";
const NO_EXPERTS: &str = "no constants were fitted to runs of mixtures of experts";
const SCALE: &str = "more GPUs than in any run that constants were fitted to";

/// What the shipped constants have seen: NeMo but no "other fused stack", four generations of NVIDIA's, mixtures.
#[test]
fn doubts_add_in_quadrature() {
    let constants = constants();
    let interval = |job: &Scenario| Predictor::new(&constants).interval(job, Seconds(2.0));
    let fused = |job| with_stack(job, Stack::Fused, 2025);
    for (job, hundredths, reasons) in [
        (known(), 1.0, &[][..]),
        (with_experts(known()), 1.0 + 2.0, &[EXPERTS]),
        (with_stack(known(), Stack::Internevo, 2025), 1.0 + 4.0, &[STACK]),
        (with_stack(known(), Stack::MegatronBridge, 2025), 1.0 + 64.0, &[ONE_SOURCE]),
        (with_stack(known(), Stack::Maxtext, 2025), 1.0 + 64.0, &[ONE_SOURCE]),
        // Most steps of Megatron-DeepSpeed were composed of profiled layers: whole ones are of one publication.
        (with_stack(known(), Stack::MegatronDeepspeed, 2022), 1.0 + 64.0, &[ONE_SOURCE]),
        (fused(known()), 1.0 + 4.0 + 128.0, &[STACK, KIND]),
        (fused(with_experts(known())), 1.0 + 2.0 + 4.0 + 8.0 + 128.0, &[STACK, KIND, EXPERTS]),
        (on(known(), GpuFamily::Cdna3), 1.0 + 16.0, &[GPU]),
        (on(known(), GpuFamily::Volta), 1.0 + 16.0, &[GPU]),
        (on(known(), GpuFamily::Blackwell), 1.0, &[]),
        (at_scale(known(), MOST_GPUS), 1.0, &[]),
        (at_scale(known(), MOST_GPUS + 1), 1.0 + 32.0, &[SCALE]),
        (
            at_scale(on(fused(with_experts(known())), GpuFamily::Cdna4), 20_000),
            63.0 + 128.0,
            &[STACK, KIND, GPU, EXPERTS, SCALE],
        ),
        // Megatron-LM was measured while it was eager.
        (with_stack(known(), Stack::MegatronLm, 2022), 1.0, &[]),
        (with_stack(known(), Stack::MegatronLm, 2024), 1.0 + 4.0, &[STACK]),
    ] {
        let found = interval(&job);
        assert_width(&found, hundredths);
        assert_eq!(found.reasons, reasons);
        let ends = Predictor::new(&constants).interval_ends(&job, Seconds(2.0));
        assert_eq!(ends, (found.low, found.high));
    }
}

/// Constants of one's own have seen the runs that they were fitted to, and no others.
#[test]
fn evidence_is_that_of_the_runs() {
    let constants = constants();
    let dense = [at_scale(known(), 64), at_scale(known(), 16)];
    let mixed = [at_scale(known(), 16), with_experts(on(at_scale(known(), 32), GpuFamily::Ampere))];
    let interval = |runs: &[Scenario], job: &Scenario| {
        // NeMo's runs are of four publications.
        let evidence =
            CalibrationEvidence::of(runs.iter().flat_map(|run| ["a", "b"].map(|source| (source, run))));
        Predictor::new(&constants).with_evidence(&evidence).interval(job, Seconds(2.0))
    };
    for (runs, job, hundredths, reasons) in [
        (&dense[..], at_scale(known(), 64), 1.0, &[][..]),
        (&dense, at_scale(known(), 65), 1.0 + 32.0, &[SCALE]),
        (&dense, with_experts(known()), 1.0 + 2.0 + 4.0, &[EXPERTS, NO_EXPERTS]),
        (&dense, on(known(), GpuFamily::Ampere), 1.0 + 16.0, &[GPU]),
        (&dense, with_stack(known(), Stack::Maxtext, 2025), 1.0 + 4.0, &[STACK]),
        (&mixed, with_experts(known()), 1.0 + 2.0, &[EXPERTS]),
        (&mixed, on(known(), GpuFamily::Ampere), 1.0, &[]),
        (&mixed, at_scale(known(), 33), 1.0 + 32.0, &[SCALE]),
        (&[], known(), 1.0 + 4.0 + 16.0 + 32.0, &[STACK, GPU, SCALE]),
    ] {
        let found = interval(runs, &job);
        assert_width(&found, hundredths);
        assert_eq!(found.reasons, reasons);
    }
    // Runs on V100 are too few to count, and those of a stack's other years are of another stack.
    let old = [on(known(), GpuFamily::Volta), with_stack(known(), Stack::MegatronLm, 2022)];
    let found = interval(&old, &on(at_scale(known(), 8), GpuFamily::Volta));
    assert_eq!(found.reasons, [GPU]);
    let found = interval(&old, &with_stack(at_scale(known(), 8), Stack::MegatronLm, 2024));
    assert_eq!(found.reasons, [STACK]);
    let job = known();
    let twice = CalibrationEvidence::of([("a", &job), ("a", &job)]);
    assert_eq!((twice.stacks.len(), twice.gpus.len(), twice.experts, twice.most_gpus), (1, 1, false, 8));
}

/// Publications count, not runs, and no more of them than measured whole steps on their own.
#[test]
fn evidence_counts_publications() {
    let (constants, nemo) = (constants(), known());
    let deepspeed = with_stack(known(), Stack::MegatronDeepspeed, 2022);
    for (sources, job, hundredths) in [
        (&["a", "a", "a"][..], nemo, 1.0 + 64.0),
        (&["a", "b"], nemo, 1.0),
        (&["a", "b", "a"], nemo, 1.0),
        (&["a", "b"], deepspeed, 1.0 + 64.0),
    ] {
        let evidence = CalibrationEvidence::of(sources.iter().map(|source| (*source, &job)));
        let found = Predictor::new(&constants).with_evidence(&evidence).interval(&job, Seconds(2.0));
        assert_width(&found, hundredths);
    }
}

/// What a step pays once is known the worse, and matters the more, the shorter the step.
#[test]
fn short_steps_are_less_sure() {
    let constants = Constants { interval_fixed: 1.5, step_fixed_fused: 0.04, ..constants() };
    let width = |job: &Scenario, step: f64| {
        let found = Predictor::new(&constants).interval(job, Seconds(step));
        let short = found.reasons.iter().any(|reason| reason.contains("paid once"));
        ((found.high.0 / step).ln(), short)
    };
    for (step, fixed, short) in
        [(4.0, 0.015, false), (0.4, 0.15, true), (0.04, 1.5, true), (0.001, 1.5, true)]
    {
        let (found, said) = width(&known(), step);
        assert_close(found.powi(2), 0.01 + fixed * fixed);
        assert_eq!(said, short, "{step}");
    }
    // Eager stacks pay for launches alone.
    let eager = with_stack(known(), Stack::MegatronLm, 2022);
    assert_close(width(&eager, 0.04).0, 0.1);
}

/// What is not matrix products is known worse: the interval grows with the square of the share of the step that is not FLOPs
/// at the peak, those of recomputed layers counted, and more where no constants were fitted to the software or GPUs.
#[test]
fn low_utilisation_is_less_sure() {
    let constants = Constants { interval_idle: 0.8, interval_idle_measured: 0.2, ..constants() };
    let predictor = Predictor::new(&constants);
    let half = |job: &Scenario, step: f64| -> (f64, bool) {
        let found = predictor.interval(job, Seconds(step));
        let low = found.reasons.iter().any(|reason| reason.contains("utilisation"));
        ((found.high.0 / step).ln(), low)
    };
    let again = |recompute| {
        let mut job = known();
        job.plan.recompute = recompute;
        job
    };
    let forecast = predictor.predict(&known()).expect("a legal job");
    let at_peak = forecast.mfu * forecast.step.0;
    for (job, flops) in [
        (again(Recompute::None), 1.0),
        (again(Recompute::Full), 4.0 / 3.0),
        (again(Recompute::Every(2)), 7.0 / 6.0),
    ] {
        for (steps, most) in [(0.5, false), (1.5, false), (2.0, false), (4.0, true), (100.0, true)] {
            let step = steps * at_peak;
            let idle = f64::max(1.0 - flops / steps, 0.0);
            let (found, low) = half(&job, step);
            assert_close(found.powi(2), 0.01 + (0.2 * idle * idle).powi(2));
            assert!(!low);
            let (found, low) = half(&with_stack(job, Stack::Internevo, 2025), step);
            assert_close(found.powi(2), 0.05 + (0.8 * idle * idle).powi(2));
            assert_eq!(low, most && 0.8 * idle * idle > 0.4);
        }
    }
}

/// What is said of the shipped constants is the same as that of evidence written out: every stack, year and generation.
#[test]
fn shipped_evidence_is_written_out() {
    let evidence = CalibrationEvidence::shipped();
    let written = Predictor::SHIPPED.with_evidence(&evidence);
    for (stack, _, _) in Stack::ALL {
        for year in [2020, 2022, 2024, 2025] {
            for (family, _, _) in GpuFamily::ALL {
                for gpus in [8, MOST_GPUS, MOST_GPUS + 1] {
                    let job = at_scale(on(with_stack(known(), stack, year), family), gpus);
                    for job in [job, with_experts(job)] {
                        let step = Seconds(2.0);
                        assert_eq!(written.interval(&job, step), Predictor::SHIPPED.interval(&job, step));
                    }
                }
            }
        }
    }
}

/// What one cluster loses to its slowest rank says little of the next: DeepSpeed's interval grows by as much with every
/// doubling of GPUs beyond a machine, and that of stacks without such differences does not.
#[test]
fn clusters_differ_in_stragglers() {
    let constants = Constants { interval_straggler: 0.125, interval_one_source: 0.0, ..constants() };
    let width = |stack, gpus| {
        let job = at_scale(with_stack(known(), stack, 2022), gpus);
        let found = Predictor::new(&constants).interval(&job, Seconds(2.0));
        let waits = found.reasons.iter().any(|reason| reason.contains("slowest rank"));
        ((found.high.0 / 2.0).ln(), waits)
    };
    for (gpus, doublings) in [(4, 0.0), (8, 0.0), (16, 1.0), (128, 4.0), (MOST_GPUS, f64::log2(1452.0))] {
        let (deepspeed, reasons) = width(Stack::MegatronDeepspeed, gpus);
        assert_close(deepspeed.powi(2), 0.01 + (0.125 * doublings).powi(2));
        assert_eq!(reasons, doublings > 0.0);
        assert_close(width(Stack::Nemo, gpus).0, 0.1);
    }
}
