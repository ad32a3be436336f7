//! The development loop.

use crate::project::{Project, Result, run};
use crate::setup;

/// Builds the page, serves it on localhost, and rebuilds and reloads it on every change.
pub(crate) fn serve(project: &Project, flags: &[&str]) -> Result {
    let mut arguments = vec!["serve"];
    let (mut open, mut release) = (true, false);
    let mut flags = flags.iter();
    while let Some(flag) = flags.next() {
        match *flag {
            "--no-open" => open = false,
            "--release" => release = true,
            "--port" => arguments.extend(["--port", flags.next().ok_or("--port needs a number")?]),
            _ => return Err(format!("unknown flag `{flag}`; there are --release, --no-open and --port")),
        }
    }
    if release {
        arguments.extend(["--release", "--cargo-profile", "page"]);
    }
    if open {
        arguments.push("--open");
    }
    setup::page(project)?;
    if release {
        setup::node_packages(project)?;
    }
    // Not into dist/, which holds the release build.
    let dist = project.target.join("serve");
    // CI systems set NO_COLOR=1, which Trunk does not take for a flag's value.
    run(project.command("trunk").args(arguments).arg("--dist").arg(dist).env_remove("NO_COLOR"))
}
