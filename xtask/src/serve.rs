//! The development loop.

use crate::project::{Project, Result, run};
use crate::setup;

/// Builds the page, serves it on localhost, and rebuilds and reloads it on every change.
pub(crate) fn serve(project: &Project, flags: &[&str]) -> Result {
    let mut arguments = vec!["serve"];
    let mut open = true;
    for flag in flags {
        match *flag {
            "--no-open" => open = false,
            "--release" => arguments.extend(["--release", "--cargo-profile", "page"]),
            _ => return Err(format!("unknown flag `{flag}`; there are --release and --no-open")),
        }
    }
    if open {
        arguments.push("--open");
    }
    setup::page(project)?;
    if flags.contains(&"--release") {
        setup::node_packages(project)?;
    }
    // CI systems set NO_COLOR=1, which Trunk does not take for a flag's value.
    run(project.command("trunk").args(arguments).env_remove("NO_COLOR"))
}
