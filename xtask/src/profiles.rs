//! The shipped profiles of learned operators, rebuilt from data: the same bytes for the same data.

use crate::project::{Project, Result, output, run};

/// The public data, next to the repository.
const DATA: &str = "../shared/data";
/// Folder of the profiles.
const PROFILES: &str = "static/profiles";
/// Compressed bytes of all profiles together, at most.
const CAP: u64 = 60_000;

/// Prints the compressed bytes of a folder's files, with the brotli that servers use.
const MEASURE: &str = "
const { readdirSync, readFileSync } = require('node:fs');
const { brotliCompressSync } = require('node:zlib');
const folder = process.argv[1];
console.log(readdirSync(folder).reduce(
  (sum, name) => sum + brotliCompressSync(readFileSync(folder + '/' + name)).length, 0));";

/// Rebuilds every profile, and fails when they are too large for the page.
pub(crate) fn build(project: &Project) -> Result {
    if !project.root.join(DATA).is_dir() {
        return Err(format!("there are no data at {DATA}"));
    }
    let command = ["run", "--quiet", "--release", "--bin", "stepcast", "--", "operators", "profiles"];
    run(project.cargo(&command).args([DATA, PROFILES]))?;
    let measured = output(project.command("node").args(["-e", MEASURE, PROFILES]))?;
    let bytes: u64 = measured.trim().parse().map_err(|_| format!("cannot read the size: {measured}"))?;
    println!("All profiles: {bytes} bytes compressed, of at most {CAP}");
    if bytes > CAP {
        Err(format!("the profiles weigh {bytes} bytes; at most {CAP} are allowed"))
    } else {
        Ok(())
    }
}
