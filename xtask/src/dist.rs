//! What a release holds: archives of the page, the command line and the packages, what they are made of, and digests.

use crate::project::{Project, Result, output, run};
use crate::{package, page, python, sbom};
use sha2::{Digest as _, Sha256};
use std::env::consts::EXE_SUFFIX;
use std::fs;
use std::path::{Path, PathBuf};

/// Shells whose completions come with the command line.
const SHELLS: [&str; 5] = ["bash", "elvish", "fish", "powershell", "zsh"];

/// Texts that come with every archive.
const TEXTS: [&str; 3] = ["README.md", "LICENSE-APACHE", "LICENSE-MIT"];

/// The job that what was unpacked forecasts.
const JOB: &str = "#2;m=llama3-8b;g=dgx-h100;n=8";

/// Builds everything for release, packs it into target/dist/ and runs what comes out.
pub(crate) fn build(project: &Project) -> Result {
    page::build(project)?;
    package::build(project)?;
    let binary = binary(project)?;
    let folder = emptied(project, "dist")?;
    python::build(project)?;
    for wheel in listed(&project.target.join("wheels"))? {
        copy(&wheel, &folder.join(name_of(&wheel)))?;
    }
    pack(project, &binary, &folder)?;
    println!("The release is in {}.", folder.display());
    check(project, &folder)
}

/// The command line alone, for the platform this runs on.
pub(crate) fn command_line(project: &Project) -> Result {
    let binary = binary(project)?;
    let folder = emptied(project, "dist")?;
    pack_command_line(project, &binary, &folder)?;
    check(project, &folder)
}

/// Packs what the end-to-end suite has built, and runs what comes out.
pub(crate) fn test(project: &Project) -> Result {
    let folder = emptied(project, "dist-test")?;
    pack(project, &project.target.join(format!("debug/stepcast{EXE_SUFFIX}")), &folder)?;
    check(project, &folder)
}

/// The command line, built for release.
fn binary(project: &Project) -> Result<PathBuf> {
    run(&mut project.cargo(&["build", "--quiet", "--release", "--locked", "--bin", "stepcast"]))?;
    Ok(project.target.join(format!("release/stepcast{EXE_SUFFIX}")))
}

/// Packs what is built.
fn pack(project: &Project, binary: &Path, folder: &Path) -> Result {
    let name = format!("stepcast-page-{}", version(project)?);
    tar(project, &["--create"], &folder.join(format!("{name}.tar.gz")), &project.dist(), ".")?;
    run(project
        .command("npm")
        .args(["pack", "--silent", "./packages/js", "--pack-destination"])
        .arg(folder))?;
    pack_command_line(project, binary, folder)?;
    project.write(folder.join("stepcast.spdx.json"), sbom::document(project, &version(project)?)?)?;
    let mut files: Vec<PathBuf> = listed(folder)?;
    files.sort();
    let mut sums = String::new();
    for file in files {
        let digest = Sha256::digest(fs::read(&file).map_err(|error| failure("read", &file, &error))?);
        sums += &format!("{digest:x}  {}\n", name_of(&file));
    }
    project.write(folder.join("SHA256SUMS"), sums)
}

/// The program with completions, manual pages and licences.
fn pack_command_line(project: &Project, binary: &Path, folder: &Path) -> Result {
    let about = output(project.command("rustc").arg("-vV"))?;
    let target = about.lines().find_map(|line| line.strip_prefix("host: ")).ok_or("rustc names no host")?;
    let name = format!("stepcast-{}-{target}", version(project)?);
    let staging = emptied(project, "dist-staging")?;
    let inner = staging.join(&name);
    for shell in SHELLS {
        let text = output(project.command(binary).args(["completions", shell]))?;
        project.write(inner.join("completions").join(format!("stepcast.{shell}")), text)?;
    }
    run(project.command(binary).args(["man", "--folder"]).arg(inner.join("man")))?;
    for text in TEXTS {
        copy(&project.root.join(text), &inner.join(text))?;
    }
    copy(binary, &inner.join(format!("stepcast{EXE_SUFFIX}")))?;
    tar(project, &["--create"], &folder.join(format!("{name}.tar.gz")), &staging, &name)
}

/// Unpacks every archive into an empty folder and runs what is in it.
fn check(project: &Project, folder: &Path) -> Result {
    let mut checked = 0;
    for archive in listed(folder)? {
        let name = name_of(&archive);
        if !name.ends_with(".tar.gz") && !name.ends_with(".tgz") {
            continue;
        }
        let empty = emptied(project, "dist-unpacked")?;
        if name.ends_with(".tgz") {
            unpack(project, &archive, &empty.join("node_modules/stepcast"))?;
            let script = format!(
                "import {{ predict }} from 'stepcast'; const {{ step_s }} = await predict('{JOB}'); if (!(step_s > 0)) throw step_s;"
            );
            run(project.command("node").args(["--input-type=module", "-e", &script]).current_dir(&empty))?;
        } else if name.starts_with("stepcast-page") {
            fs::create_dir_all(&empty).map_err(|error| failure("make", &empty, &error))?;
            tar(project, &["--extract"], &archive, &empty, "./index.html")?;
            let html = project.read(empty.join("index.html"))?;
            if !html.contains("<script") {
                return Err(format!("{name} holds a page without a program"));
            }
        } else {
            unpack(project, &archive, &empty)?;
            let program = empty.join(format!("stepcast{EXE_SUFFIX}"));
            let answer =
                output(project.command(&program).args(["predict", JOB, "--json"]).current_dir(&empty))?;
            if !answer.contains("\"step_s\"") {
                return Err(format!("{name} forecasts nothing: {answer}"));
            }
        }
        println!("{name} works.");
        checked += 1;
    }
    if checked > 0 { Ok(()) } else { Err(format!("there is no archive in {}", folder.display())) }
}

/// The contents of an archive's one folder.
fn unpack(project: &Project, archive: &Path, folder: &Path) -> Result {
    fs::create_dir_all(folder).map_err(|error| failure("make", folder, &error))?;
    run(project
        .command("tar")
        .args(["--extract", "--gzip", "--strip-components=1", "--file"])
        .arg(archive)
        .arg("--directory")
        .arg(folder))
}

fn tar(project: &Project, what: &[&str], archive: &Path, folder: &Path, name: &str) -> Result {
    let mut command = project.command("tar");
    run(command.args(what).args(["--gzip", "--file"]).arg(archive).arg("--directory").arg(folder).arg(name))
}

/// A folder of the target directory, with nothing in it.
fn emptied(project: &Project, name: &str) -> Result<PathBuf> {
    let folder = project.target.join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).map_err(|error| failure("make", &folder, &error))?;
    Ok(folder)
}

fn listed(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = fs::read_dir(folder).map_err(|error| failure("read", folder, &error))?;
    entries
        .map(|entry| entry.map(|entry| entry.path()).map_err(|error| failure("read", folder, &error)))
        .collect()
}

fn copy(from: &Path, to: &Path) -> Result {
    fs::copy(from, to).map(|_| ()).map_err(|error| failure("copy", from, &error))
}

fn name_of(path: &Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

fn failure(verb: &str, path: &Path, error: &std::io::Error) -> String {
    format!("cannot {verb} {}: {error}", path.display())
}

/// The version in Cargo.toml.
fn version(project: &Project) -> Result<String> {
    let manifest = project.read("Cargo.toml")?;
    let line = manifest.lines().find_map(|line| line.strip_prefix("version = \""));
    line.and_then(|rest| rest.strip_suffix('"'))
        .map(str::to_owned)
        .ok_or_else(|| "no version in Cargo.toml".to_owned())
}
