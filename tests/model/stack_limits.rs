//! What stacks can run: against what measured runs of them did, worked examples, and their own sentences.

use crate::data;
use std::collections::BTreeMap;
use stepcast::document::Document;
use stepcast::document::examples::EXAMPLES;
use stepcast::fields::Field;
use stepcast::rules::{stack_limit, stack_runs};
use stepcast::scenario::plan::{Plan, Schedule, StageSplit, Zero};
use stepcast::scenario::stack::{Feature, Stack, StackLimits};
use stepcast::scenario::{Precision, Scenario};
use stepcast::tuner::precisions;

fn scenario(link: &str) -> Scenario {
    Document::from_link(link).expect("a link").document.scenario().expect("possible")
}

/// What the table refuses of the measured runs of a file: rows by stack, year and sentence.
fn refused(rows: &[data::Row]) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for row in rows {
        let run = data::run(row);
        let Ok(scenario) = &run.scenario else { continue };
        if let Some(notice) = stack_limit(scenario) {
            *counts.entry(format!("{}: {}", run.stack, notice.message)).or_default() += 1;
        }
    }
    counts
}

#[test]
fn measured_runs_are_what_their_stacks_run() {
    let Some(mut rows) = data::rows("runs.csv") else { return };
    let looks = data::evidence("runs.tsv").into_iter();
    rows.extend(looks.filter(|row| ["unseen", "everyday"].contains(&row["look"].as_str())));
    // Two runs of a fork of Megatron-LM (zero bubble, 2023), whose layers do not divide and whose lists are assumed; one of 2020
    // whose recomputation is what most do.
    // One report of torchtitan keeps parameters gathered and reduces gradients once a step.
    let known = [
        "megatron-lm: Megatron-LM (2020 release) does not support selective recomputation. Supported: training without recomputation and full recomputation.",
        "megatron-lm: Megatron-LM (2023 release) does not support custom layers per stage. Supported: equal layers per stage.",
        "torchtitan: torchtitan (2026 release) does not support ZeRO-1. Supported: DDP, ZeRO-2, FSDP (ZeRO-3) and HSDP.",
    ];
    let refused = refused(&rows);
    assert!(refused.keys().all(|notice| known.contains(&notice.as_str())), "{refused:#?}");
    assert_eq!(refused.values().sum::<usize>(), 4, "{refused:#?}");
}

#[test]
fn worked_examples_are_what_their_stacks_run() {
    for example in EXAMPLES {
        assert_eq!(stack_limit(&scenario(example.link)), None, "{}", example.name);
    }
}

/// A job whose software runs no layout of its own accord.
const JOB: &str = "#1;m=llama3-70b;g=dgx-h100;n=512";

#[test]
fn notices_name_the_field_and_what_there_is() {
    let cases = [
        (
            "stack=megatron-bridge;pp=8;sched=dualpipe;zero=1",
            "sched",
            "NVIDIA Megatron-Bridge (2025 release) does not support DualPipe. Supported: 1F1B (with or without interleaving).",
        ),
        (
            "stack=torchtitan;pp=8;sched=dualpipe;zero=2",
            "sched",
            "torchtitan (2025 release) does not support DualPipe. Supported: 1F1B (with or without interleaving), GPipe, ZB-V and DualPipeV.",
        ),
        (
            "stack=torchtitan;year=2024;pp=8;sched=zb-v;vpp=2;zero=2",
            "sched",
            "torchtitan (2024 release) does not support ZB-V. Supported: 1F1B (with or without interleaving) and GPipe.",
        ),
        (
            "stack=torchtitan;sp=0;zero=2",
            "sp",
            "torchtitan (2025 release) does not support tensor parallelism without sequence parallelism. Supported: tensor parallelism with sequence parallelism.",
        ),
        (
            "stack=megatron-deepspeed;year=2022;sp=0;zero=2",
            "zero",
            "Megatron-DeepSpeed (2022 release) does not support ZeRO-2 with PP. Supported: DDP with PP and ZeRO-1 with PP.",
        ),
        (
            "stack=megatron-deepspeed;year=2022;sp=0;vpp=2",
            "vpp",
            "Megatron-DeepSpeed (2022 release) does not support virtual stages (VPP).",
        ),
        (
            "stack=composer-fsdp;year=2024;tp=1;sp=0;zero=3",
            "pp",
            "Composer FSDP (2024 release) does not support pipeline parallelism.",
        ),
        (
            "stack=composer-fsdp;year=2024;pp=1;zero=3",
            "tp",
            "Composer FSDP (2024 release) does not support tensor parallelism.",
        ),
        (
            "stack=composer-fsdp;tp=1;sp=0;pp=1;cp=2;zero=3",
            "cp",
            "Composer FSDP (2025 release) does not support context parallelism.",
        ),
        ("stack=maxtext;zero=3", "sched", "MaxText (2025 release) does not support 1F1B. Supported: GPipe."),
        (
            "stack=megatron-lm;year=2021;pp=8;zero=0",
            "sp",
            "Megatron-LM (2021 release) does not support sequence parallelism. Supported: tensor parallelism without sequence parallelism.",
        ),
    ];
    for (link, field, message) in cases {
        let job = scenario(&format!("{JOB};{link}"));
        let notice = stack_limit(&job).expect(link);
        assert_eq!((notice.field, notice.message.as_str()), (field, message), "{link}");
        assert!(!stack_runs(&job), "{link}");
    }
}

#[test]
fn kinds_of_software_limit_nothing() {
    for stack in [Stack::Fused, Stack::Compiled, Stack::Eager] {
        for year in 2018..=2035 {
            assert_eq!(stack.limits((year, 1)), StackLimits::ALL, "{}", stack.name());
        }
    }
}

#[test]
fn what_a_stack_learned_it_keeps() {
    // But for torchtitan, which took expert tensor parallelism back in 2026.
    for (stack, name, _) in Stack::ALL {
        for year in 2019..=2035 {
            let (before, now) = (stack.limits((year - 1, 1)), stack.limits((year, 1)));
            let lost: Vec<Feature> = Feature::ALL
                .into_iter()
                .filter(|feature| before.has(*feature) && !now.has(*feature))
                .collect();
            let known: &[Feature] =
                if (stack, year) == (Stack::Torchtitan, 2026) { &[Feature::ExpertTensor] } else { &[] };
            assert_eq!(lost, known, "{name} {year}");
            let schedules = Schedule::ALL.into_iter();
            assert!(
                schedules.clone().all(|schedule| now.runs(schedule) || !before.runs(schedule)),
                "{name} {year}"
            );
        }
    }
}

#[test]
fn experts_are_no_matter_of_models_without() {
    let mut job = scenario(&format!("{JOB};stack=torchtitan;year=2024;zero=2"));
    job.plan.expert_parallel = 8;
    assert!(stack_runs(&job));
    assert!(!StackLimits::of(&job.software).allows(&job.plan), "as far as the software goes");
    job.model.experts = scenario("#1;m=mixtral-8x7b;g=dgx-h100;n=64").model.experts;
    assert_eq!(stack_limit(&job).map(|notice| notice.field), Some("ep"));
}

/// Adapters are no matter of the layout: it runs, and the notice stands at their fields.
#[test]
fn stacks_without_adapters_say_so() {
    let whole = "tp=1;sp=0;pp=1;zero=3;lora=16";
    for (stack, base, expected) in [
        (
            "stack=torchtitan;year=2025",
            "16",
            Some(("lora", "torchtitan (2025 release) does not support adapters.")),
        ),
        ("stack=torchtitan;year=2026", "16", None),
        (
            "stack=torchtitan;year=2026",
            "nf4",
            Some(("base", "torchtitan (2026 release) does not support quantized frozen weights.")),
        ),
        ("stack=nemo;year=2024", "nf4", None),
        ("stack=eager", "nf4", None),
    ] {
        let job = scenario(&format!("{JOB};{stack};{whole};base={base}"));
        let notice = stack_limit(&job);
        let found = notice.as_ref().map(|notice| (notice.field, notice.message.as_str()));
        assert_eq!(found, expected, "{stack} {base}");
        assert!(stack_runs(&job));
    }
}

/// Layouts that ask for one thing and another.
fn layouts() -> impl Iterator<Item = Plan> {
    let zeros = [Zero::None, Zero::Optimizer, Zero::Gradients, Zero::Parameters, Zero::Hybrid];
    let splits = [StageSplit::Even, StageSplit::CountEnds, StageSplit::Given(Default::default())];
    (0..1 << 8).flat_map(move |bits: u32| {
        let on = move |bit: u32| bits & (1 << bit) != 0;
        zeros.into_iter().flat_map(move |zero| {
            splits.into_iter().flat_map(move |stage_split| {
                Schedule::ALL.into_iter().map(move |schedule| Plan {
                    tensor_parallel: if on(0) { 2 } else { 1 },
                    sequence_parallel: on(1),
                    context_parallel: if on(2) { 2 } else { 1 },
                    expert_parallel: if on(3) { 2 } else { 1 },
                    pipeline_parallel: if on(4) { 4 } else { 1 },
                    virtual_stages: if on(5) { 2 } else { 1 },
                    offload_optimizer: on(6),
                    offload_parameters: on(6),
                    offload_activations: if on(7) { 50 } else { 0 },
                    zero,
                    stage_split,
                    schedule,
                    ..Plan::PLAIN
                })
            })
        })
    })
}

#[test]
fn following_notices_leads_to_what_the_stack_runs() {
    let job = scenario("#1;m=mixtral-8x7b;g=dgx-h100;n=64");
    for (stack, name, _) in Stack::ALL {
        for year in [2020, 2023, 2026] {
            for plan in layouts() {
                let mut job = Scenario { plan, ..job };
                (job.software.stack, job.software.year) = (stack, year);
                assert_eq!(stack_runs(&job), stack_limit(&job).is_none(), "{name}");
                for _ in 0..MOST_NOTICES {
                    let Some(notice) = stack_limit(&job) else { break };
                    let field = Field::find(notice.field).expect("a field");
                    let value = notice.suggestions.first().expect("a way out");
                    (field.set)(&mut job, field.parse(value).expect("legal"));
                }
                assert!(stack_runs(&job), "{name} {year}: {plan:?} ends as {:?}", job.plan);
            }
        }
    }
}

/// Notices after which a layout has to be one that the stack runs: it can ask for no more at once.
const MOST_NOTICES: usize = 10;

/// A job is offered its own number format, 16 bits, and of the narrower ones those that its GPU and its software have.
#[test]
fn formats_are_those_of_gpu_and_software() {
    let cases: [(&str, &[Precision]); 7] = [
        ("g=dgx-a100-80g;stack=megatron-lm;year=2025", &[Precision::Bf16]),
        ("g=dgx-a100-80g;stack=megatron-lm;year=2025;prec=fp16", &[Precision::Fp16]),
        ("g=dgx-h100;stack=composer-fsdp;year=2022", &[Precision::Bf16]),
        ("g=dgx-h100;stack=megatron-lm;year=2024", &[Precision::Bf16, Precision::Fp8]),
        ("g=dgx-h100;stack=megatron-lm;year=2025", &[Precision::Bf16, Precision::Fp8, Precision::Fp8Block]),
        (
            "g=dgx-h100;stack=megatron-lm;year=2025;prec=fp8",
            &[Precision::Fp8, Precision::Bf16, Precision::Fp8Block],
        ),
        (
            "g=gb200-nvl72;stack=megatron-bridge",
            &[Precision::Bf16, Precision::Fp8, Precision::Fp8Block, Precision::Mxfp8, Precision::Nvfp4],
        ),
    ];
    for (edits, formats) in cases {
        let job = scenario(&format!("#1;m=llama3-8b;n=64;{edits}"));
        assert_eq!(precisions(&job), formats, "{edits}");
    }
}

/// The public runs' number formats are ones that their software has.
#[test]
fn measured_runs_are_in_formats_of_their_stacks() {
    let Some(mut rows) = data::rows("runs.csv") else { return };
    rows.extend(data::evidence("runs.tsv").into_iter().filter(|row| row["look"] == "everyday"));
    let lacking: BTreeMap<String, usize> = rows.iter().fold(BTreeMap::new(), |mut counts, row| {
        let run = data::run(row);
        if let Ok(job) = &run.scenario
            && !StackLimits::of(&job.software).multiplies(job.workload.precision)
        {
            let key = format!("{} {} {:?}", run.stack, job.software.year, job.workload.precision);
            *counts.entry(key).or_default() += 1;
        }
        counts
    });
    assert!(lacking.is_empty(), "{lacking:#?}");
}
