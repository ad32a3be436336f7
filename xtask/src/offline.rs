//! The service worker of a build: which files it keeps, and what tells the build from others.

use crate::page::fingerprint;
use crate::project::{Project, Result};
use sha2::{Digest as _, Sha256};
use std::fs;
use std::path::Path;

/// The worker, as it is written and as it is served.
const SOURCE: &str = "static/sw.js";
const WORKER: &str = "sw.js";

/// What of the worker the build fills in.
const HASH: &str = "const HASH = \"\";";
const FILES: &str = "const FILES = {};";

/// Placeholder in the document if there is no worker.
const NONE: &str = "no-worker";

/// Files that the page does without: pictures for previews and shortcuts, what other pages load, and the guide.
fn is_left_out(name: &str) -> bool {
    let end = Path::new(name).extension().and_then(|end| end.to_str()).unwrap_or_default();
    matches!(end, "png" | "jpg" | "webp")
        || name == WORKER
        || name == "embed.js"
        || name.starts_with("guide/")
}

/// A document that names the worker.
pub(crate) fn announce(html: &str) -> Result<String> {
    if html.matches(NONE).count() != 1 {
        return Err(format!("the document has no place for the name of {WORKER}"));
    }
    Ok(html.replace(NONE, WORKER))
}

/// Writes the worker of the finished build in a folder.
pub(crate) fn write(project: &Project, folder: &Path) -> Result {
    let mut names = Vec::new();
    list(folder, "", &mut names)?;
    names.retain(|name| !is_left_out(name));
    names.sort();
    let mut contents = Vec::new();
    for name in &names {
        contents.push(fs::read(folder.join(name)).map_err(|error| format!("no {name}: {error}"))?);
    }
    let hash = format!("{:016x}", fingerprint(&(&names, &contents)));
    let files: Vec<String> =
        names.iter().zip(&contents).map(|(name, content)| format!("{name:?}: {:?}", half(content))).collect();
    let text = project.read(SOURCE)?;
    if !text.contains(HASH) || !text.contains(FILES) {
        return Err(format!("{SOURCE} has no place for the build's hash and files"));
    }
    let text = text.replace(HASH, &format!("const HASH = {hash:?};"));
    let text = text.replace(FILES, &format!("const FILES = {{{}}};", files.join(", ")));
    project.write(folder.join(WORKER), text)
}

/// The first half of a file's SHA-256, in hexadecimal digits, by which the worker knows it.
fn half(content: &[u8]) -> String {
    Sha256::digest(content).iter().take(16).map(|byte| format!("{byte:02x}")).collect()
}

/// Names of all files of a folder, with slashes.
fn list(folder: &Path, before: &str, names: &mut Vec<String>) -> Result {
    for entry in fs::read_dir(folder).map_err(|error| error.to_string())? {
        let path = entry.map_err(|error| error.to_string())?.path();
        let name = path.file_name().and_then(|name| name.to_str()).ok_or("a file name that is no text")?;
        if path.is_dir() {
            list(&path, &format!("{before}{name}/"), names)?;
        } else {
            names.push(format!("{before}{name}"));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{announce, half, is_left_out};

    /// The digest of FIPS 180-2, appendix B.1.
    #[test]
    fn files_are_known_by_their_digest() {
        assert_eq!(half(b"abc"), "ba7816bf8f01cfea414140de5dae2223");
    }

    #[test]
    fn a_document_announces_the_worker() {
        let html = "<meta content=no-worker name=offline><title>x</title>";
        assert_eq!(announce(html).as_deref(), Ok("<meta content=sw.js name=offline><title>x</title>"));
        assert!(announce("<title>x</title>").is_err());
    }

    #[test]
    fn what_the_page_needs_is_kept() {
        for name in ["index.html", "app-1_bg.wasm", "profiles/a100.profile", "start.js", "icon.svg"] {
            assert!(!is_left_out(name), "{name}");
        }
        for name in ["sw.js", "embed.js", "guide/index.html", "preview.png"] {
            assert!(is_left_out(name), "{name}");
        }
    }
}
