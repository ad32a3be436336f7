//! Files that take long, or make numbers that are none.

use super::told;
use stepcast::exchange::{ToolFile, import};

/// Texts that were slow or large once, each of about so many bytes, of settings and of outputs.
fn hostile(size: usize) -> Vec<(ToolFile, String)> {
    let lines = |line: &str| line.repeat(size / line.len().max(1) + 1);
    let counted = |line: &dyn Fn(usize) -> String| (0..size / 20).map(line).collect::<String>();
    let doubled = "A=\"$A$A\"\nA=\"$A$A\"\ntorchrun pretrain_gpt.py --num-layers $A\n".to_owned();
    let words = format!("B='{}'\n{}", "x ".repeat(8000), "--a $B ".repeat(size / 7));
    let aliases = format!("a: &a {}\nb: [{}]\n", "x".repeat(size), "*a, ".repeat(9000));
    let named = format!("a: {}\n{}", "x".repeat(size), counted(&|index| format!("k{index}: ${{a}}\n")));
    let events = counted(&|index| format!("{{\"name\":\"ProfilerStep#{index}\",\"dur\":5}},"));
    vec![
        (ToolFile::MegatronLm, doubled.clone()),
        (ToolFile::MegatronLm, format!("{doubled}{}", lines("--x $A "))),
        (ToolFile::MegatronLm, words),
        (ToolFile::MegatronLm, lines("${")),
        (ToolFile::MegatronLm, lines("$((")),
        (ToolFile::Slurm, lines("A+=x\n")),
        (ToolFile::Slurm, lines("cat > a.json <<E\n{\n")),
        (ToolFile::MegatronBridge, aliases),
        (ToolFile::MegatronBridge, named),
        (ToolFile::MegatronBridge, lines("]\n")),
        (ToolFile::Maxtext, lines("- - - - - - ")),
        (ToolFile::Torchtitan, counted(&|index| format!("k{index} = 1\n"))),
        (ToolFile::Torchtitan, format!("def a() -> Config:\n{}", lines(" x=f(")).replace(")(", "(")),
        (ToolFile::Deepspeed, format!("{{{}\"z\": 1}}", counted(&|index| format!("\"k{index}\": [],")))),
        (ToolFile::Trace, format!("{{\"traceEvents\": [{events}{{}}]}}")),
        (ToolFile::Trace, format!("[{}{{}}]", lines("{},"))),
        (ToolFile::NcclTests, counted(&|index| format!("# Rank 0 on host{index} device 0 [0x1] H100\n"))),
        (ToolFile::NcclTests, lines("1:2 ")),
        (ToolFile::TrainingLog, lines("\n")),
        (ToolFile::TrainingLog, lines("step: 1 tps: 1\u{1b}[0m 1:2:3\n")),
        (ToolFile::TrainingLog, lines("1/2 [1, 1e-309it/s]\r")),
        (ToolFile::Machine, lines("GPU0 X NV1\n")),
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
        let errors = import(log, Some(ToolFile::TrainingLog)).expect_err(log);
        assert!(told(&errors).contains("is not valid"), "{}", told(&errors));
    }
}
