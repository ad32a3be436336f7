//! The guide keeps its promises: its commands run, its jobs are possible, its links lead somewhere, and its scripts are the
//! examples that are tested. The Python package's tests run what is Python.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use stepcast::document::Document;
use stepcast::fields::Field;
use stepcast::page_state::embed::EmbedView;

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// Name and text of every page of the guide.
fn pages() -> Vec<(String, String)> {
    let entries = fs::read_dir(root().join("docs/guide"))
        .expect("a folder")
        .map(|entry| entry.expect("an entry").path());
    let mut pages: Vec<(String, String)> = entries
        .map(|path| {
            (
                path.file_name().expect("named").to_string_lossy().into_owned(),
                fs::read_to_string(&path).expect("text"),
            )
        })
        .collect();
    pages.sort();
    assert!(pages.len() > 8, "{pages:?}");
    pages
}

/// The blocks of code in a language.
fn blocks<'t>(text: &'t str, language: &str) -> Vec<&'t str> {
    let fence = format!("```{language}\n");
    text.split(fence.as_str()).skip(1).map(|rest| rest.split("```").next().expect("a block")).collect()
}

#[test]
fn every_command_of_the_guide_runs() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("guide");
    fs::create_dir_all(&folder).expect("a folder");
    let program = Path::new(env!("CARGO_BIN_EXE_stepcast")).parent().expect("a folder");
    let path = std::env::join_paths(
        std::iter::once(program.to_path_buf())
            .chain(std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default())),
    );
    let mut run = 0;
    for (name, text) in pages() {
        for line in
            blocks(&text, "sh").into_iter().flat_map(str::lines).filter(|line| line.contains("stepcast "))
        {
            let output = Command::new("sh")
                .args(["-e", "-c", line])
                .current_dir(&folder)
                .env("PATH", path.as_ref().expect("a search path"))
                .stdin(Stdio::null())
                .output()
                .expect("a shell");
            assert!(output.status.success(), "{name}: {line}\n{}", String::from_utf8_lossy(&output.stderr));
            let wrote = line.split_once(" -o ").map(|rest| folder.join(rest.1));
            let said = !output.stdout.is_empty() || wrote.is_some_and(|file| file.is_file());
            assert!(said, "{name}: {line} says nothing");
            run += 1;
        }
    }
    assert!(run > 15, "{run} commands");
}

#[test]
fn every_job_and_view_of_the_guide_is_possible() {
    let mut seen = 0;
    for (name, text) in pages() {
        for rest in text.split("<stepcast-embed ").skip(1) {
            let tag = rest.split('>').next().expect("a tag");
            let attribute = |key: &str| {
                let value = tag.split_once(&format!("{key}=\""))?.1;
                value.split('"').next()
            };
            let link = attribute("link").expect("a link");
            let opened = Document::from_link(link).unwrap_or_else(|error| panic!("{name}: {link}: {error}"));
            assert!(opened.notices.is_empty(), "{name}: {link}: {:?}", opened.notices);
            assert!(opened.document.scenario().is_ok(), "{name}: {link}: {:?}", opened.document.scenario());
            let view = attribute("view").expect("a view");
            assert!(EmbedView::ALL.iter().any(|entry| entry.1 == view), "{name}: {view}");
            for key in attribute("edit").into_iter().flat_map(|keys| keys.split(',')) {
                assert!(Field::find(key).is_some(), "{name}: {key}");
            }
            seen += 1;
        }
    }
    assert!(seen > 5, "{seen} embeds");
}

#[test]
fn every_link_of_the_guide_leads_somewhere() {
    let summary = fs::read_to_string(root().join("docs/guide/SUMMARY.md")).expect("text");
    let mut listed = BTreeSet::new();
    for (name, text) in pages() {
        for rest in text.split("](").skip(1) {
            let address = rest.split(')').next().expect("an address");
            if address.contains("://") || address == "../../index.html" {
                continue;
            }
            let (file, fragment) = address.split_once('#').unwrap_or((address, ""));
            let path = root().join("docs/guide").join(file);
            let target = fs::read_to_string(&path).unwrap_or_else(|_| panic!("{name} leads to {address}"));
            let heading = |line: &str| line.trim_start_matches('#').trim().to_lowercase().replace(' ', "-");
            let named =
                target.lines().filter(|line| line.starts_with("##")).any(|line| heading(line) == fragment);
            assert!(fragment.is_empty() || named, "{name} leads to {address}");
            assert!(summary.contains(&format!("]({file})")), "{file} is not in the summary");
            listed.insert(file.to_owned());
        }
    }
    for (name, _) in pages().iter().filter(|page| page.0 != "SUMMARY.md") {
        assert!(listed.contains(name), "{name} is on no list");
    }
}

#[test]
fn scripts_of_the_guide_are_the_examples_that_are_tested() {
    let example = fs::read_to_string(root().join("packages/js/examples/rank.js")).expect("text");
    let code = example.split_once("\n\n").expect("a comment").1;
    let guide = fs::read_to_string(root().join("docs/guide/script.md")).expect("text");
    assert!(blocks(&guide, "js").contains(&code), "{code}");
}
