//! What the commands need beyond Cargo, installed when it is missing or of another version.

use crate::project::{Project, Result, on_path, probe, run};
use std::path::PathBuf;

/// The bundler. wasm-bindgen's version follows from Cargo.lock, since the two must be equal.
const TRUNK: &str = "0.21.14";

/// The mutation tester.
const MUTANTS: &str = "27.1.0";

/// What the Python package is built and tested with.
const PYTHON: [&str; 3] = ["maturin==1.16.0", "mypy==2.4.1", "pytest==9.2.0"];

const TARGET: &str = "wasm32-unknown-unknown";

/// A browser and its WebDriver.
pub(crate) struct Browser {
    /// Chromium or Chrome.
    pub(crate) browser: PathBuf,
    /// The chromedriver of the same version.
    pub(crate) driver: PathBuf,
}

/// Every tool of every command.
pub(crate) fn everything(project: &Project) -> Result {
    page(project)?;
    node_packages(project)?;
    browser(project)?;
    python(project)?;
    println!("Every tool is installed.");
    Ok(())
}

/// What building the page takes: the WebAssembly target, Trunk and wasm-bindgen.
pub(crate) fn page(project: &Project) -> Result {
    wasm_target(project)?;
    // Without TLS and its cryptography: Trunk needs them only to download tools, which this program provides.
    cargo_tool(project, "trunk", &["trunk"], TRUNK, &["--no-default-features"])?;
    let bindgen = locked_version(project, "wasm-bindgen")?;
    cargo_tool(project, "wasm-bindgen-cli", &["wasm-bindgen"], &bindgen, &[])
}

/// cargo-mutants, which only mutation testing needs.
pub(crate) fn mutants(project: &Project) -> Result {
    cargo_tool(project, "cargo-mutants", &["cargo-mutants", "mutants"], MUTANTS, &[])
}

/// The WebAssembly target of the Rust compiler in use.
fn wasm_target(project: &Project) -> Result {
    let library = probe(project.command("rustc").args(["--print", "target-libdir", "--target", TARGET]));
    if library.is_some_and(|directory| PathBuf::from(directory).is_dir()) {
        return Ok(());
    }
    if on_path(&["rustup"]).is_none() {
        return Err(format!(
            "this Rust has no {TARGET} target and there is no rustup to add it.\n\
             Install Rust from https://rustup.rs, or your distribution's package of that target."
        ));
    }
    run(project.command("rustup").args(["target", "add", TARGET]))
}

/// A tool from crates.io, at exactly this version and with these features, in the project's own target directory. `call` is
/// its program, and the subcommand that tells its version where it has none of its own.
fn cargo_tool(project: &Project, package: &str, call: &[&str], version: &str, features: &[&str]) -> Result {
    let (program, subcommand) = call.split_first().ok_or("a tool without a program")?;
    let installed = project.tools().join("bin").join(program);
    let printed = probe(project.command(&installed).args(subcommand).arg("--version"));
    if printed.is_some_and(|text| text.split_whitespace().nth(1) == Some(version)) {
        return Ok(());
    }
    println!("Installing {package} {version} (once; some minutes) ...");
    run(project
        .cargo(&["install", "--quiet", "--locked", "--force", "--version", version, package, "--root"])
        .arg(project.tools())
        .args(features)
        // The tools start fast enough without the last optimisations, and build in half the time.
        .env("CARGO_PROFILE_RELEASE_LTO", "off")
        .env("CARGO_PROFILE_RELEASE_OPT_LEVEL", "1")
        .env("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", "16"))
    .map_err(|error| format!("cannot install {package} {version}: {error}"))
}

/// The version of a package in Cargo.lock.
fn locked_version(project: &Project, package: &str) -> Result<String> {
    let lock = project.read("Cargo.lock")?;
    let name = format!("name = \"{package}\"");
    let mut lines = lock.lines().skip_while(|line| *line != name).skip(1);
    let version = lines.next().and_then(|line| line.strip_prefix("version = \""));
    let version = version.and_then(|rest| rest.strip_suffix('"'));
    version.map(str::to_owned).ok_or_else(|| format!("Cargo.lock has no package {package}"))
}

/// The packages of package-lock.json: wasm-opt, Terser, the browser's driver, the accessibility checker.
pub(crate) fn node_packages(project: &Project) -> Result {
    let version = probe(project.command("node").arg("--version")).unwrap_or_default();
    let major = version.trim_start_matches('v').split('.').next().and_then(|text| text.parse().ok());
    if major.is_none_or(|major: u32| major < 20) {
        let found =
            if version.is_empty() { "none was found".to_owned() } else { format!("this is {version}") };
        return Err(format!("Node.js 20 or newer is needed with npm, and {found}: https://nodejs.org"));
    }
    let lock = project.read("package-lock.json")?;
    let stamp = "node_modules/.installed-package-lock.json";
    if project.read(stamp).is_ok_and(|installed| installed == lock) {
        return Ok(());
    }
    println!("Installing the packages of package-lock.json ...");
    run(project.command("npm").args(["ci", "--loglevel=error"]))?;
    project.write(stamp, lock)
}

/// A virtual environment with the packages of [`PYTHON`]: the folder of its programs.
pub(crate) fn python(project: &Project) -> Result<PathBuf> {
    let folder = project.target.join("python/venv");
    let programs = folder.join("bin");
    let stamp = folder.join("installed.txt");
    if project.read(&stamp).is_ok_and(|installed| installed == PYTHON.join("\n")) {
        return Ok(programs);
    }
    let make =
        |project: &Project| run(project.command("python3").args(["-m", "venv", "--clear"]).arg(&folder));
    if make(project).is_err() {
        if probe(project.command("id").arg("-u")).as_deref() == Some("0") && on_path(&["apt-get"]).is_some() {
            println!("Installing python3-venv ...");
            apt_get(project, &["python3-venv"])?;
        }
        make(project).map_err(|error| {
            format!(
                "the Python package needs Python 3.9 or newer with its module venv: {error}\n\
                 On Debian or Ubuntu: sudo apt-get install python3-venv"
            )
        })?;
    }
    println!("Installing {} ...", PYTHON.join(", "));
    run(project.command(programs.join("python")).args(["-m", "pip", "install", "--quiet"]).args(PYTHON))?;
    project.write(stamp, PYTHON.join("\n"))?;
    Ok(programs)
}

/// Packages of Debian or Ubuntu.
fn apt_get(project: &Project, packages: &[&str]) -> Result {
    run(project.command("apt-get").args(["update", "--quiet", "--quiet"]))?;
    let install = ["install", "--quiet", "--quiet", "--yes", "--no-install-recommends"];
    run(project.command("apt-get").args(install).args(packages).env("DEBIAN_FRONTEND", "noninteractive"))
}

/// Chromium and chromedriver, from the search path or from Debian's packages.
pub(crate) fn browser(project: &Project) -> Result<Browser> {
    if let Some(found) = find_browser() {
        return Ok(found);
    }
    let root = probe(project.command("id").arg("-u")).as_deref() == Some("0");
    if root && on_path(&["apt-get"]).is_some() {
        println!("Installing Chromium ...");
        apt_get(project, &["chromium", "chromium-driver", "fonts-dejavu-core"])?;
    }
    find_browser().ok_or_else(|| {
        "the browser tests need Chromium (or Chrome) and its chromedriver on the search path.\n\
         On Debian or Ubuntu: sudo apt-get install chromium chromium-driver"
            .to_owned()
    })
}

fn find_browser() -> Option<Browser> {
    let browser = on_path(&["chromium", "chromium-browser", "google-chrome-stable", "google-chrome"])?;
    Some(Browser { browser, driver: on_path(&["chromedriver"])? })
}
