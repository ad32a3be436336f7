//! What a release is made of: the crates in each of its parts, with versions and licences, as SPDX 2.3.

use crate::project::{Project, Result, output};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Parts of a release, and how Cargo builds them.
const PARTS: [(&str, &[&str]); 3] = [
    ("stepcast-command-line", &[]),
    ("stepcast-page", &["--no-default-features", "--features", "app", "--target", "wasm32-unknown-unknown"]),
    ("stepcast-js", &["--no-default-features", "--features", "js", "--target", "wasm32-unknown-unknown"]),
];

/// The document, dated as the commit.
pub(crate) fn document(project: &Project, version: &str) -> Result<String> {
    let date = ["log", "-1", "--date=format-local:%Y-%m-%dT%H:%M:%SZ", "--format=%cd %H"];
    let stamp = output(project.command("git").args(date).env("TZ", "UTC"))?;
    let (date, commit) = stamp.trim().split_once(' ').ok_or("git names no commit")?;
    let (mut packages, mut relations) = (BTreeMap::new(), Vec::new());
    for (part, arguments) in PARTS {
        packages.insert(id(part, version), entry(part, version, "MIT OR Apache-2.0", None));
        relations.push(relation("SPDXRef-DOCUMENT", "DESCRIBES", &id(part, version)));
        let tree = [
            "tree",
            "--locked",
            "--package",
            "stepcast",
            "--edges",
            "normal",
            "--prefix",
            "none",
            "--format",
            "{p}|{l}",
        ];
        let crates = output(project.cargo(&tree).args(arguments))?;
        let mut names: Vec<&str> = crates.lines().filter(|line| !line.contains("(/")).collect();
        names.sort_unstable();
        names.dedup();
        for line in names {
            let (name, licence) =
                line.trim_end_matches(" (*)").split_once('|').ok_or("cargo tree names no licence")?;
            let mut words = name.split(' ');
            let (name, version_of) = words.next().zip(words.next()).ok_or("cargo tree names no version")?;
            let version_of = version_of.trim_start_matches('v');
            let url = format!("pkg:cargo/{name}@{version_of}");
            packages.insert(
                id(name, version_of),
                entry(name, version_of, &licence.replace('/', " OR "), Some(url)),
            );
            relations.push(relation(&id(part, version), "DEPENDS_ON", &id(name, version_of)));
        }
    }
    let document = json!({
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT",
        "name": format!("stepcast-{version}"), "documentNamespace": format!("urn:stepcast:{version}:{commit}"),
        "creationInfo": { "created": date, "creators": ["Tool: cargo xtask dist"] },
        "packages": packages.into_values().collect::<Vec<_>>(), "relationships": relations,
    });
    serde_json::to_string_pretty(&document).map(|text| text + "\n").map_err(|error| error.to_string())
}

fn id(name: &str, version: &str) -> String {
    format!("SPDXRef-{name}-{version}")
        .replace(|sign: char| !sign.is_ascii_alphanumeric() && sign != '.', "-")
}

fn entry(name: &str, version: &str, licence: &str, url: Option<String>) -> Value {
    let licence = if licence.is_empty() { "NOASSERTION" } else { licence };
    let references = url.map(|url| {
        json!({ "referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": url })
    });
    json!({
        "SPDXID": id(name, version), "name": name, "versionInfo": version, "licenseDeclared": licence,
        "downloadLocation": "NOASSERTION", "filesAnalyzed": false,
        "externalRefs": references.into_iter().collect::<Vec<_>>(),
    })
}

fn relation(from: &str, kind: &str, to: &str) -> Value {
    json!({ "spdxElementId": from, "relationshipType": kind, "relatedSpdxElement": to })
}
