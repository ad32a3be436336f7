//! The JavaScript package: the predictor as WebAssembly, the schema, and types made from it.

use crate::project::{Project, Result, output, run};
use crate::shrink::shrink;
use crate::{setup, size};

/// Where the package's generated files go, below its hand-written ones.
const DIST: &str = "packages/js/dist";

/// Words in lines of the types' documentation that say nothing of use.
const NOISE: [&str; 2] = ["This interface was referenced by", "via the `definition`"];

/// Builds packages/js/dist/ and prints what it weighs.
pub(crate) fn build(project: &Project) -> Result {
    setup::page(project)?;
    setup::node_packages(project)?;
    let target = ["--target", "wasm32-unknown-unknown", "--no-default-features", "--features", "js"];
    run(project.cargo(&["build", "--quiet", "--profile", "page", "--bin", "js"]).args(target))?;
    let module = project.target.join("wasm32-unknown-unknown/page/js.wasm");
    let names = ["--target", "web", "--no-typescript", "--out-name", "stepcast", "--out-dir", DIST];
    run(project.command("wasm-bindgen").args(names).arg(module))?;
    shrink(project, &project.root.join(DIST))?;
    let schema = output(&mut project.cargo(&["run", "--quiet", "--bin", "stepcast", "--", "schema"]))?;
    project.write(format!("{DIST}/schema.json"), schema)?;
    types(project)?;
    size::package(project, &project.root.join(DIST))
}

/// TypeScript's types of jobs and answers, from the schema.
fn types(project: &Project) -> Result {
    let banner = "// Made from schema.json.";
    let flags = ["--unreachableDefinitions", "--no-additionalProperties", "--bannerComment", banner];
    let (schema, types) = (format!("{DIST}/schema.json"), format!("{DIST}/types.d.ts"));
    run(project.command("json2ts").args(flags).args(["--input", &schema, "--output", &types]))?;
    // It says of every type which part of the schema it is made from.
    let text = project.read(&types)?;
    let lines: Vec<&str> =
        text.lines().filter(|line| !NOISE.iter().any(|noise| line.contains(noise))).collect();
    project.write(types, lines.join("\n") + "\n")
}
