//! Every check there is, in the order in which failures are cheapest to find.

use crate::project::{Project, Result, output, run};
use crate::{dist, package, page, python, readme, setup, tidy};
use std::time::{Duration, Instant};

/// A browser that answers no more fails its file of tests after fifteen minutes, in milliseconds; the longest takes two.
const STALLED: &str = "--test-timeout=900000";

/// A third of the checks.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Suite {
    /// Style, lints, unit, property and integration tests on the host.
    Native,
    /// The predictor in WebAssembly, in a browser.
    Wasm,
    /// The built page, driven in a browser.
    EndToEnd,
}

impl Suite {
    /// All three.
    pub(crate) const ALL: &[Self] = &[Self::Native, Self::Wasm, Self::EndToEnd];
}

/// Arguments under which Chromium runs unattended, as root and without a network.
const CHROMIUM_ARGUMENTS: [&str; 8] = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
];

/// Runs the checks, all of them even when some fail, and prints `N passed, N failed`.
pub(crate) fn test(project: &Project, suites: &[Suite]) -> Result {
    let mut steps = Steps { begun: Instant::now(), done: Vec::new() };
    setup::page(project)?;
    if suites.contains(&Suite::Native) {
        native(project, &mut steps);
    }
    if suites.contains(&Suite::Wasm) {
        wasm(project, &mut steps);
    }
    if suites.contains(&Suite::EndToEnd) {
        end_to_end(project, &mut steps);
    }
    steps.finish()
}

fn native(project: &Project, steps: &mut Steps) {
    let deny_warnings = ["--", "-D", "warnings"];
    let page_only = ["--target", "wasm32-unknown-unknown", "--no-default-features", "--features", "app"];
    steps.run("formatting", || run(&mut project.cargo(&["fmt", "--all", "--check"])));
    steps.run("tidiness", || tidy::check(project));
    steps.run("lints, host", || {
        run(project
            .cargo(&["clippy", "--quiet", "--workspace", "--all-targets", "--features", "stepcast/ablate"])
            .args(deny_warnings))
    });
    steps.run("lints, page", || {
        let host_only = ["--exclude", "stepcast-python", "--exclude", "xtask"];
        let targets = ["--lib", "--bins", "--test", "wasm"];
        run(project
            .cargo(&["clippy", "--quiet", "--workspace"])
            .args(host_only)
            .args(targets)
            .args(page_only)
            .args(deny_warnings))
    });
    steps.run("lints, JavaScript package", || {
        let target = ["--target", "wasm32-unknown-unknown", "--no-default-features", "--features", "js"];
        run(project.cargo(&["clippy", "--quiet", "--lib", "--bin", "js"]).args(target).args(deny_warnings))
    });
    steps.run("tests, host", || run(&mut project.cargo(&["test", "--workspace", "--no-fail-fast"])));
    steps.run("documentation", || {
        run(project.cargo(&["doc", "--quiet", "--no-deps", "--workspace"]).env("RUSTDOCFLAGS", "-D warnings"))
    });
    steps.run("validation table and runs", || readme::check(project));
    steps.run("tests, Python package", || python::test(project));
    // Each runs once, as the tests are built; `cargo bench` measures, on a program that takes minutes more to build.
    steps.run("benchmarks, host, once each", || {
        run(&mut project
            .cargo(&["test", "--quiet", "--bench", "predict", "--bench", "rank", "--bench", "learned"]))
    });
}

fn wasm(project: &Project, steps: &mut Steps) {
    steps.run("tests and benchmarks, WebAssembly in a browser", || {
        let browser = setup::browser(project)?;
        let arguments = CHROMIUM_ARGUMENTS.map(|argument| format!("\"{argument}\"")).join(",");
        let capabilities = project.target.join("webdriver.json");
        let binary = browser.browser.display();
        project.write(
            &capabilities,
            format!("{{\"goog:chromeOptions\":{{\"binary\":\"{binary}\",\"args\":[{arguments}]}}}}\n"),
        )?;
        let native = output(&mut project.cargo(&[
            "run",
            "--quiet",
            "--example",
            "forecasts",
            "--",
            "--fingerprints",
        ]))?;
        let target = ["--target", "wasm32-unknown-unknown", "--no-default-features"];
        run(project
            .cargo(&["test", "--profile", "page", "--test", "wasm"])
            .args(target)
            .args(["--", "--nocapture"])
            .env("STEPCAST_NATIVE_FORECASTS", native)
            .env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUNNER", "wasm-bindgen-test-runner")
            .env("CHROMEDRIVER", browser.driver)
            .env("WASM_BINDGEN_TEST_WEBDRIVER_JSON", capabilities)
            .env("WASM_BINDGEN_TEST_TIMEOUT", "300")
            .env("WASM_BINDGEN_TEST_DRIVER_TIMEOUT", "60"))
    });
}

fn end_to_end(project: &Project, steps: &mut Steps) {
    let page_built = steps.run("page, release build", || page::build(project));
    steps.run("tests, page in a browser", || {
        if !page_built {
            return Err("there is no page to test".to_owned());
        }
        let browser = setup::browser(project)?;
        // One file at a time: the measurements share two cores with nothing.
        run(project
            .command("node")
            .args(["--test", "--test-concurrency=1", STALLED, "--test-reporter=spec", "tests/e2e/"])
            .env("CHROMIUM", browser.browser))
    });
    let built = steps.run("JavaScript package, release build", || package::build(project));
    steps.run("tests, JavaScript package", || {
        if !built {
            return Err("there is no package to test".to_owned());
        }
        let browser = setup::browser(project)?;
        let tests = ["--test", "--test-concurrency=1", "--test-reporter=spec", "tests/package/"];
        run(project.command("node").args(tests).env("CHROMIUM", browser.browser))
    });
    steps.run("archives of a release, unpacked and run", || {
        if !(page_built && built) {
            return Err("there is nothing to pack".to_owned());
        }
        dist::test(project)
    });
}

/// Steps run so far.
struct Steps {
    /// When the first tool was looked for.
    begun: Instant,
    done: Vec<(&'static str, Result, Duration)>,
}

impl Steps {
    /// Runs one step and tells whether it passed.
    fn run(&mut self, name: &'static str, step: impl FnOnce() -> Result) -> bool {
        // Whoever ends a run that takes too long sees where its time went.
        println!("\n== {name}, after {} s", self.begun.elapsed().as_secs());
        let start = Instant::now();
        let result = step();
        if let Err(message) = &result {
            println!("{message}");
        }
        let passed = result.is_ok();
        self.done.push((name, result, start.elapsed()));
        passed
    }

    /// Prints the outcome of every step; an error if any failed.
    fn finish(self) -> Result {
        println!();
        for (name, result, duration) in &self.done {
            let verdict = if result.is_ok() { "passed" } else { "FAILED" };
            println!("{verdict}  {:>6.1} s  {name}", duration.as_secs_f64());
        }
        let failed = self.done.iter().filter(|step| step.1.is_err()).count();
        println!("\n{} passed, {failed} failed", self.done.len() - failed);
        if failed == 0 { Ok(()) } else { Err(format!("{failed} of {} steps failed", self.done.len())) }
    }
}
