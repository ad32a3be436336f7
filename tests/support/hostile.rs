//! Files that take long, or make numbers that are none.

use super::told;
use stepcast::exchange::{ToolFileKind, import};

/// Texts that were slow or large once, each of about so many bytes, of settings and of outputs.
fn hostile(size: usize) -> Vec<(ToolFileKind, String)> {
    let lines = |line: &str| line.repeat(size / line.len().max(1) + 1);
    let counted = |line: &dyn Fn(usize) -> String| (0..size / 20).map(line).collect::<String>();
    let doubled = "A=\"$A$A\"\nA=\"$A$A\"\ntorchrun pretrain_gpt.py --num-layers $A\n".to_owned();
    let words = format!("B='{}'\n{}", "x ".repeat(8000), "--a $B ".repeat(size / 7));
    let aliases = format!("a: &a {}\nb: [{}]\n", "x".repeat(size), "*a, ".repeat(9000));
    let named = format!("a: {}\n{}", "x".repeat(size), counted(&|index| format!("k{index}: ${{a}}\n")));
    let events = counted(&|index| format!("{{\"name\":\"ProfilerStep#{index}\",\"dur\":5}},"));
    vec![
        (ToolFileKind::MegatronLm, doubled.clone()),
        (ToolFileKind::MegatronLm, format!("{doubled}{}", lines("--x $A "))),
        (ToolFileKind::MegatronLm, words),
        (ToolFileKind::MegatronLm, lines("${")),
        (ToolFileKind::MegatronLm, lines("$((")),
        (ToolFileKind::Slurm, lines("A+=x\n")),
        (ToolFileKind::Slurm, lines("cat > a.json <<E\n{\n")),
        (ToolFileKind::MegatronBridge, aliases),
        (ToolFileKind::MegatronBridge, named),
        (ToolFileKind::MegatronBridge, lines("]\n")),
        (ToolFileKind::Maxtext, lines("- - - - - - ")),
        (ToolFileKind::Torchtitan, counted(&|index| format!("k{index} = 1\n"))),
        (ToolFileKind::Torchtitan, format!("def a() -> Config:\n{}", lines(" x=f(")).replace(")(", "(")),
        (ToolFileKind::Deepspeed, format!("{{{}\"z\": 1}}", counted(&|index| format!("\"k{index}\": [],")))),
        (ToolFileKind::Trace, format!("{{\"traceEvents\": [{events}{{}}]}}")),
        (ToolFileKind::Trace, format!("[{}{{}}]", lines("{},"))),
        (ToolFileKind::NcclTests, counted(&|index| format!("# Rank 0 on host{index} device 0 [0x1] H100\n"))),
        (ToolFileKind::NcclTests, lines("1:2 ")),
        (ToolFileKind::TrainingLog, lines("\n")),
        (ToolFileKind::TrainingLog, lines("step: 1 tps: 1\u{1b}[0m 1:2:3\n")),
        (ToolFileKind::TrainingLog, lines("1/2 [1, 1e-309it/s]\r")),
        (ToolFileKind::Machine, lines("GPU0 X NV1\n")),
    ]
}

#[test]
fn no_file_takes_long() {
    for size in [30_000, 120_000] {
        for (kind, text) in hostile(size) {
            let begin = std::time::Instant::now();
            let _ = import(&text, Some(kind));
            let _ = import(&text, None);
            let seconds = begin.elapsed().as_secs_f64();
            // Ten times what an optimised build has for the longest file; those that were slow took minutes.
            assert!(seconds < 10.0, "{kind:?} of {size} bytes took {seconds} s: {:.60}", text);
        }
    }
}

#[test]
fn a_step_that_no_clock_measures_is_refused() {
    for log in [
        "{'train_steps_per_second': 1e-309, 'train_runtime': 1.0}",
        "iteration 1/ 2 | elapsed time per iteration (ms): 1e300 |",
    ] {
        let errors = import(log, Some(ToolFileKind::TrainingLog)).expect_err(log);
        assert!(told(&errors).contains("no step's time"), "{}", told(&errors));
    }
}
