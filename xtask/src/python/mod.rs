//! The Python package: types made from the schema, the wheel, and its tests.

mod types;

use crate::project::{Project, Result, output, run};
use crate::setup;
use std::path::PathBuf;

/// Folder of the package's generated files, next to its hand-written ones.
const PACKAGE: &str = "packages/python/stepcast";

/// Tests of the package.
const TESTS: &str = "packages/python/tests";

/// Random jobs whose forecasts are compared with the command line's.
const RANDOM: &str = "1000";

/// Writes the types of the package.
pub(crate) fn write(project: &Project) -> Result {
    made(project)?.into_iter().try_for_each(|(path, text)| project.write(path, text))
}

/// Builds the wheel into target/wheels/.
pub(crate) fn build(project: &Project) -> Result {
    write(project)?;
    let tools = setup::python(project)?;
    let wheels = project.target.join("wheels");
    run(project.command(tools.join("maturin")).args(["build", "--out"]).arg(&wheels))?;
    println!("The wheel is in {}.", wheels.display());
    Ok(())
}

/// Complains of generated files that are not what the schema makes.
fn check(project: &Project) -> Result {
    for (path, text) in made(project)? {
        if project.read(&path).ok() != Some(text) {
            return Err(format!("{path} is stale: run `cargo xtask python types`"));
        }
    }
    Ok(())
}

/// Builds the wheel quickly, installs it below target/, and runs its tests there.
pub(crate) fn test(project: &Project) -> Result {
    check(project)?;
    let tools = setup::python(project)?;
    let folder = project.target.join("python");
    // A wheel of an earlier run would be installed, too.
    let wheels = folder.join("wheels");
    let _ = std::fs::remove_dir_all(&wheels);
    let quick = ["build", "--quiet", "--profile", "dev", "--out"];
    run(project.command(tools.join("maturin")).args(quick).arg(&wheels))?;
    let python = tools.join("python");
    let install = ["-m", "pip", "install", "--quiet", "--force-reinstall", "--no-deps", "--no-index"];
    run(project.command(&python).args(install).args(["--find-links"]).arg(&wheels).arg("stepcast"))?;
    let links = folder.join("links.txt");
    project.write(
        &links,
        output(&mut project.cargo(&["run", "--quiet", "--example", "scenarios", "--", RANDOM]))?,
    )?;
    run(&mut project.cargo(&["build", "--quiet", "--bin", "stepcast"]))?;
    run(project
        .command(&python)
        .args(["-m", "pytest", "--quiet", "-p", "no:cacheprovider", TESTS])
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .env("STEPCAST", program(project))
        .env("STEPCAST_LINKS", links))
}

/// The command line, as the suite builds it.
fn program(project: &Project) -> PathBuf {
    project.target.join("debug").join(format!("stepcast{}", std::env::consts::EXE_SUFFIX))
}

/// Generated files of the package, and what is in them.
fn made(project: &Project) -> Result<[(String, String); 2]> {
    let schema = output(&mut project.cargo(&["run", "--quiet", "--bin", "stepcast", "--", "schema"]))?;
    let schema = serde_json::from_str(&schema).map_err(|error| format!("the schema is not JSON: {error}"))?;
    Ok([
        (format!("{PACKAGE}/_answers.py"), types::answers(&schema)?),
        (format!("{PACKAGE}/_fields.py"), types::fields(&schema)?),
    ])
}
