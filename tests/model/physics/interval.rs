//! How wide the interval around a forecast is: what public runs of its class are off, and what no run shows.

use crate::support::{assert_close, scenario};
use stepcast::constants::Constants;
use stepcast::forecast::{CalibrationEvidence, Interval, Predictor, WidthClass};
use stepcast::scenario::Scenario;
use stepcast::scenario::cluster::GpuFamily;
use stepcast::scenario::model::{Experts, Uncounted, UncountedParts};
use stepcast::scenario::plan::Recompute;
use stepcast::scenario::stack::Stack;
use stepcast::units::Seconds;

/// GPUs of the largest of the public runs that the shipped constants were fitted to.
const MOST_GPUS: u32 = 11_616;

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

/// Seconds that a job's step takes at half of its GPUs' peak.
fn at_half(job: &Scenario) -> f64 {
    let forecast = Predictor::SHIPPED.predict(job).expect("a legal job");
    2.0 * forecast.mfu * forecast.step.0
}

const STACK: &str = "no runs of this software were used for fitting";
const KIND: &str = "only the type of software is known: select the framework";
const GPU: &str = "few runs on this generation of GPUs were used for fitting";
const EXPERTS: &str = "mixture of experts: kernels and load balance vary between releases";
const NO_EXPERTS: &str = "no mixture-of-experts runs were used for fitting";
const SCALE: &str = "more GPUs than in any run used for fitting";
const LOW: &str = "low utilisation: a large part of the step is not GEMMs";

/// What the shipped constants have seen: NeMo but no "other fused stack", four generations of NVIDIA's, mixtures.
#[test]
fn evidence_decides_the_class() {
    let fused = |job| with_stack(job, Stack::Fused, 2025);
    for (job, experts, calibrated, reasons) in [
        (known(), false, true, &[][..]),
        (with_experts(known()), true, true, &[EXPERTS]),
        (with_stack(known(), Stack::Torchtitan, 2025), false, false, &[STACK]),
        (with_stack(known(), Stack::Maxtext, 2025), false, true, &[]),
        (fused(known()), false, false, &[STACK, KIND]),
        (fused(with_experts(known())), true, false, &[STACK, KIND, EXPERTS]),
        (on(known(), GpuFamily::Cdna3), false, false, &[GPU]),
        (on(known(), GpuFamily::Volta), false, false, &[GPU]),
        (on(known(), GpuFamily::Blackwell), false, true, &[]),
        (at_scale(known(), MOST_GPUS), false, true, &[]),
        (at_scale(known(), MOST_GPUS + 1), false, true, &[SCALE]),
        // Megatron-LM was measured while it was eager.
        (with_stack(known(), Stack::MegatronLm, 2022), false, true, &[]),
        (with_stack(known(), Stack::MegatronLm, 2024), false, false, &[STACK]),
    ] {
        let step = Seconds(at_half(&known()) * 8.0 / f64::from(job.cluster.gpus));
        let found = Predictor::SHIPPED.interval(&job, step);
        let class = Predictor::SHIPPED.width_class(&job, step);
        assert_eq!((class.open, class.experts, class.calibrated), (false, experts, calibrated));
        let said: Vec<&str> = found.reasons.iter().copied().filter(|reason| *reason != LOW).collect();
        assert_eq!(said, reasons);
        assert_eq!(Predictor::SHIPPED.interval_ends(&job, step), (found.low, found.high));
    }
}

/// Constants of one's own have seen the runs that they were fitted to, and no others.
#[test]
fn evidence_is_that_of_the_runs() {
    let dense = [at_scale(known(), 64), at_scale(known(), 16)];
    let mixed = [at_scale(known(), 16), with_experts(on(at_scale(known(), 32), GpuFamily::Ampere))];
    let reasons = |runs: &[Scenario], job: &Scenario| {
        let evidence = CalibrationEvidence::of(runs);
        let predictor = Predictor::new(&Constants::SHIPPED).with_evidence(&evidence);
        let found = predictor.interval(job, Seconds(1e-3));
        assert_eq!(
            predictor.width_class(job, Seconds(1e-3)).calibrated,
            ![STACK, GPU, NO_EXPERTS].iter().any(|reason| found.reasons.contains(reason))
        );
        found.reasons
    };
    for (runs, job, said) in [
        (&dense[..], at_scale(known(), 64), &[][..]),
        (&dense, at_scale(known(), 65), &[SCALE]),
        (&dense, with_experts(known()), &[EXPERTS, NO_EXPERTS]),
        (&dense, on(known(), GpuFamily::Ampere), &[GPU]),
        (&dense, with_stack(known(), Stack::Maxtext, 2025), &[STACK]),
        (&mixed, with_experts(known()), &[EXPERTS]),
        (&mixed, on(known(), GpuFamily::Ampere), &[]),
        (&mixed, at_scale(known(), 33), &[SCALE]),
        (&[], known(), &[STACK, GPU, SCALE]),
    ] {
        assert_eq!(reasons(runs, &job), said);
    }
    // Runs on V100 are too few to count, and those of a stack's other years are of another stack.
    let old = [on(known(), GpuFamily::Volta), with_stack(known(), Stack::MegatronLm, 2022)];
    assert_eq!(reasons(&old, &on(at_scale(known(), 8), GpuFamily::Volta)), [GPU]);
    assert_eq!(reasons(&old, &with_stack(at_scale(known(), 8), Stack::MegatronLm, 2024)), [STACK]);
}

fn half_widths(found: &Interval, step: f64) -> (f64, f64) {
    ((step / found.low.0).ln(), (found.high.0 / step).ln())
}

/// What no run shows adds in quadrature to what runs of the class are off; parts that only lengthen a step leave the lower end.
#[test]
fn other_doubts_add_in_quadrature() {
    let job = known();
    let step = at_half(&job);
    let constants = Constants { interval_scale: 0.3, interval_uncounted: 0.4, ..Constants::SHIPPED };
    let of = |job: &Scenario| half_widths(&Predictor::new(&constants).interval(job, Seconds(step)), step);
    let (below, above) = of(&job);
    let mut vision = job;
    vision.model.uncounted = Uncounted { parts: UncountedParts::Vision, millions: 300 };
    let (same, more) = of(&vision);
    assert_close(same, below);
    assert_close(more, above.hypot(0.4));
    vision.model.uncounted.parts = UncountedParts::Other;
    assert_close(of(&vision).0, below.hypot(0.4));
    let large = at_scale(job, 16_384);
    let step = step * 8.0 / 16_384.0;
    let (below_large, above_large) =
        half_widths(&Predictor::new(&constants).interval(&large, Seconds(step)), step);
    assert_close(below_large, below.hypot(0.3));
    assert_close(above_large, above.hypot(0.3));
}

/// Dense jobs of a low utilisation are less sure, the widths go over from one band to the next without a leap, and those of
/// recomputed layers count as used.
#[test]
fn low_utilisation_is_less_sure() {
    let again = |recompute| {
        let mut job = known();
        job.plan.recompute = recompute;
        job
    };
    let at_peak = at_half(&known()) / 2.0;
    let of = |job: &Scenario, utilisation: f64| {
        let step = at_peak / utilisation;
        half_widths(&Predictor::SHIPPED.interval(job, Seconds(step)), step)
    };
    let mut last = of(&known(), 0.05);
    for hundredths in 6..90 {
        let next = of(&known(), f64::from(hundredths) / 100.0);
        assert!(
            (next.0 - last.0).abs() < 0.03 && (next.1 - last.1).abs() < 0.06,
            "{hundredths}: {last:?} {next:?}"
        );
        last = next;
    }
    let (low, high) = (of(&known(), 0.1), of(&known(), 0.6));
    assert!(low.0 + low.1 > 1.5 * (high.0 + high.1), "{low:?} {high:?}");
    let full = of(&again(Recompute::Full), 0.45);
    let none = of(&known(), 0.6);
    assert_close(full.0, none.0);
    assert_close(full.1, none.1);
    let reasons =
        |utilisation: f64| Predictor::SHIPPED.interval(&known(), Seconds(at_peak / utilisation)).reasons;
    assert_eq!((reasons(0.19), reasons(0.21)), (vec![LOW], vec![]));
}

/// What a run's source leaves open has widths of its own, and the counts behind a width are those of the class.
#[test]
fn open_runs_are_of_their_own_class() {
    let job = known();
    let step = at_half(&job);
    let stated = Predictor::SHIPPED.interval(&job, Seconds(step));
    let open = Predictor::SHIPPED.open_interval_ends(&job, Seconds(step));
    assert!(open.0 < stated.low && open.1 > stated.high);
    assert!(stated.publications >= 20 && stated.runs >= stated.publications, "{stated:?}");
    let class = WidthClass { open: false, band: 2, experts: false, calibrated: true };
    assert_eq!(Predictor::SHIPPED.width_class(&job, Seconds(step)), class);
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
