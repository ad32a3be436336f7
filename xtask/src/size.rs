//! What the page weighs on the wire.

use crate::project::{Project, Result, output};
use std::path::Path;

/// Compressed bytes.
#[derive(Clone, Copy)]
struct Limit {
    /// To aim for.
    aim: u64,
    /// Never to exceed.
    cap: u64,
}

/// Everything that the first screen needs.
const FIRST_VISIT: Limit = Limit { aim: 220_000, cap: 326_000 };

/// What is loaded when the first panel is opened: the form, the ranked table, all that learns operators from samples, and every
/// chart with its pictures to save, among them the roofline and the placement of ranks.
const PANELS_LIMIT: Limit = Limit { aim: 200_000, cap: 682_000 };

/// What is loaded when a file of another tool is read or written.
const EXCHANGE_LIMIT: Limit = Limit { aim: 200_000, cap: 474_000 };

/// Learned operators, all profiles together; each is loaded when it is used.
const PROFILES_LIMIT: Limit = Limit { aim: 60_000, cap: 60_000 };

/// The measured runs, loaded when the panel that shows them is opened.
const RUNS_LIMIT: Limit = Limit { aim: 40_000, cap: 60_000 };

/// What somebody else's page loads to embed ours.
const EMBED_LIMIT: Limit = Limit { aim: 3_000, cap: 3_000 };

/// Files that no first visit waits for: what other pages and embeds load, what is fetched when the page is ready, and the
/// guide.
fn is_for_others(name: &str) -> bool {
    const NAMES: [&str; 6] =
        ["embed.js", "frame.js", "icon.svg", "manifest.webmanifest", "offer.js", "sw.js"];
    NAMES.contains(&name) || name.starts_with("guide/")
}

/// The JavaScript package, with its schema and types, which are not loaded.
const PACKAGE_LIMIT: Limit = Limit { aim: 200_000, cap: 327_000 };

/// How the name of their file begins.
const RUNS: &str = "runs-";

/// How the names of the panels' files begin.
const PANELS: &str = "panels-";
/// How the names of the files of what reads and writes other tools' files begin.
const EXCHANGE: &str = "exchange-";
/// How the names of profiles begin.
const PROFILES: &str = "profiles";

/// Prints `name raw compressed` for every file of a folder that a visit transfers. Node.js ships the
/// brotli that servers use. Pictures for previews, and the server's own files, are not part of a visit.
const MEASURE: &str = "
const { readdirSync, readFileSync, statSync } = require('node:fs');
const { brotliCompressSync, constants } = require('node:zlib');
const { join } = require('node:path');
const root = process.argv[1];
for (const name of readdirSync(root, { recursive: true }).sort()) {
  const path = join(root, name);
  if (!statSync(path).isFile() || /\\.(png|jpg|webp)$/.test(name)) continue;
  const raw = readFileSync(path);
  const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: raw.length };
  console.log(name, raw.length, brotliCompressSync(raw, { params }).length);
}";

/// Prints the size table of dist/ and fails above a cap.
pub(crate) fn report(project: &Project) -> Result {
    let measured = measure(project, &project.dist())?;
    let rows = rows_of(&measured)?;
    println!("\n{:<44} {:>12} {:>12}", "dist/", "bytes", "brotli");
    let (panels, rest): (Vec<_>, Vec<_>) = rows.into_iter().partition(|row| row.0.starts_with(PANELS));
    let (exchange, rest): (Vec<_>, Vec<_>) = rest.into_iter().partition(|row| row.0.starts_with(EXCHANGE));
    let (runs, rest): (Vec<_>, Vec<_>) = rest.into_iter().partition(|row| row.0.starts_with(RUNS));
    let (profiles, first): (Vec<_>, Vec<_>) = rest.into_iter().partition(|row| row.0.starts_with(PROFILES));
    let (others, first): (Vec<_>, Vec<_>) = first.into_iter().partition(|row| is_for_others(row.0));
    let embed = others.iter().copied().filter(|row| row.0 == "embed.js").collect::<Vec<_>>();
    let embed = sum("the script of <stepcast-embed>", &embed, EMBED_LIMIT);
    let first = sum("a first visit", &first, FIRST_VISIT);
    let panels = sum("the panels, when one is opened", &panels, PANELS_LIMIT);
    let exchange = sum("import and launch flags, when they are asked for", &exchange, EXCHANGE_LIMIT);
    let runs = sum("the measured runs, when they are looked at", &runs, RUNS_LIMIT);
    let profiles = sum("profiles, each when it is used", &profiles, PROFILES_LIMIT);
    first.and(panels).and(exchange).and(runs).and(profiles).and(embed)
}

/// Prints the size table of the JavaScript package and fails above its cap.
pub(crate) fn package(project: &Project, folder: &Path) -> Result {
    let measured = measure(project, folder)?;
    sum("the package", &rows_of(&measured)?, PACKAGE_LIMIT)
}

fn measure(project: &Project, folder: &Path) -> Result<String> {
    output(project.command("node").args(["-e", MEASURE]).arg(folder))
}

fn rows_of(measured: &str) -> Result<Vec<(&str, u64, u64)>> {
    let rows: Option<Vec<_>> = measured.lines().map(parse).collect();
    rows.ok_or_else(|| format!("cannot read the sizes:\n{measured}"))
}

/// Prints some files and their sum, and compares it with what is allowed.
fn sum(what: &str, rows: &[(&str, u64, u64)], Limit { aim, cap }: Limit) -> Result {
    for (name, raw, compressed) in rows {
        println!("{name:<44} {raw:>12} {compressed:>12}");
    }
    let raw: u64 = rows.iter().map(|row| row.1).sum();
    let compressed: u64 = rows.iter().map(|row| row.2).sum();
    println!("{what:<44} {raw:>12} {compressed:>12}  (aim {aim}, cap {cap})\n");
    if compressed > cap {
        return Err(format!("{what}: {compressed} bytes compressed; at most {cap} are allowed"));
    }
    Ok(())
}

fn parse(line: &str) -> Option<(&str, u64, u64)> {
    let mut words = line.rsplitn(3, ' ');
    let compressed = words.next()?.parse().ok()?;
    let raw = words.next()?.parse().ok()?;
    Some((words.next()?, raw, compressed))
}
