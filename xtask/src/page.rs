//! The page's release build, and what Trunk leaves to be done after a build.

use crate::project::{Project, Result, run};
use crate::shrink::shrink;
use crate::{guide, offline, setup, size};
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher as _};
use std::path::{Path, PathBuf};

/// The further modules as Trunk leaves them: under names without a hash, since they count as workers, and named so in the
/// document.
const MODULES: [&str; 2] = ["panels", "exchange"];

/// The measured runs, as the document names them.
const RUNS: &str = "runs.tsv";

/// Builds the page for release into dist/ and prints what it weighs.
pub(crate) fn build(project: &Project) -> Result {
    setup::page(project)?;
    setup::node_packages(project)?;
    // CI systems set NO_COLOR=1, which Trunk does not take for a flag's value.
    run(project
        .command("trunk")
        .args(["build", "--release", "--offline", "--cargo-profile", "page"])
        .env_remove("NO_COLOR"))?;
    size::report(project)
}

/// Trunk's post-build hook: works on the files of the build that is about to become dist/.
pub(crate) fn finish(project: &Project) -> Result {
    let staging = std::env::var_os("TRUNK_STAGING_DIR").ok_or("finish-page is started by Trunk")?;
    let staging = PathBuf::from(staging);
    let release = std::env::var_os("TRUNK_PROFILE").is_some_and(|profile| profile == "release");
    if release {
        shrink(project, &staging)?;
    }
    let document = staging.join("index.html");
    let html = fs::read_to_string(&document).map_err(|error| format!("no index.html: {error}"))?;
    let mut html = html;
    for module in MODULES {
        html = html.replace(&format!("{module}.js"), &hash_module(project, &staging, module)?);
    }
    let html = html.replace(RUNS, &hash_runs(project, &staging)?);
    let (html, scripts) = externalise_scripts(&html)?;
    for (name, text) in scripts {
        project.write(staging.join(name), text)?;
    }
    if !release {
        return project.write(document, html);
    }
    compress(project, &staging)?;
    let html = fetched_early(&join_styles(project, &staging, &html)?)?;
    project.write(document, offline::announce(&html)?)?;
    guide::write(project, &staging.join("guide"))?;
    offline::write(project, &staging)
}

/// Scripts of ours that Trunk copies as they are.
const COPIED: [&str; 5] = ["embed.js", "frame.js", "offer.js", "start.js", "worker.js"];

/// Makes copied scripts small.
fn compress(project: &Project, staging: &Path) -> Result {
    for name in COPIED {
        let script = staging.join(name);
        let flags = ["--compress", "passes=2", "--mangle", "--output"];
        run(project.command("terser").args(flags).arg(&script).arg("--").arg(&script))?;
    }
    Ok(())
}

/// Style sheets of what further modules draw, by the beginnings of their names.
const LATE: [&str; 3] = ["tables-", "folds-", "explain-"];

/// The last style sheet, of other screens, print and what the reader's system asks for: it comes behind whatever it changes.
const LAST: &str = "media-";

/// How the document names the file of [`LATE`] style sheets where there is none.
const NO_LATE: &str = "content=none name=late-style";

/// Makes one file of the style sheets that a first visit needs, and one of those of further modules, each in their order:
/// together they compress better, and are one request. Returns the document that names both.
fn join_styles(project: &Project, staging: &Path, html: &str) -> Result<String> {
    let (html, names) = without_styles(html)?;
    let (mut first, mut late) = (String::new(), String::new());
    for name in &names {
        let path = staging.join(name);
        let text = project.read(&path)?;
        let is_late = LATE.iter().any(|begin| name.starts_with(begin));
        if !is_late {
            first += &text;
        }
        if is_late || name.starts_with(LAST) {
            late += &text;
        }
        fs::remove_file(&path).map_err(|error| format!("cannot remove {name}: {error}"))?;
    }
    let name = |begin: &str, text: &String| format!("{begin}-{:016x}.css", fingerprint(text));
    let (first_name, late_name) = (name("style", &first), name("panels", &late));
    project.write(staging.join(&first_name), first)?;
    project.write(staging.join(&late_name), late)?;
    if !html.contains(NO_LATE) {
        return Err("the document has no place for the name of the late style sheet".to_owned());
    }
    let html = html.replace(NO_LATE, &format!("content={late_name} name=late-style"));
    Ok(html.replace(STYLES, &format!("<link rel=\"stylesheet\" href=\"./{first_name}\">")))
}

/// Placeholder for a document's style sheets.
const STYLES: &str = "<!--styles-->";

/// A document with [`STYLES`] for its links of style sheets, and the files that these name.
fn without_styles(html: &str) -> Result<(String, Vec<String>)> {
    let mut result = String::with_capacity(html.len());
    let mut names = Vec::new();
    let mut rest = html;
    while let Some((before, tag)) = rest.split_once("<link") {
        let (attributes, after) = tag.split_once('>').ok_or("an unclosed <link> tag")?;
        result.push_str(before);
        if attributes.contains("stylesheet") {
            let name =
                attributes.split_once("./").map(|part| part.1).and_then(|part| part.split_once(".css"));
            let (name, _) = name.ok_or_else(|| format!("no style sheet in <link{attributes}>"))?;
            if names.is_empty() {
                result.push_str(STYLES);
            }
            names.push(format!("{name}.css"));
        } else {
            result.push_str(&format!("<link{attributes}>"));
        }
        rest = after;
    }
    result.push_str(rest);
    Ok((result, names))
}

/// A document that names what its start needs before any script that the browser has to run first: everything is then
/// asked for in one round trip. Where a document has a content security policy, browsers look no further ahead than a
/// script.
fn fetched_early(html: &str) -> Result<String> {
    const POLICY: &str = "Content-Security-Policy";
    let (mut early, mut rest) = (String::new(), html.to_owned());
    for kind in ["stylesheet", "modulepreload", "as=fetch"] {
        let Some((from, to)) = link_of(&rest, kind) else {
            return Err(format!("no <link> of kind {kind} in the document"));
        };
        early.push_str(&rest[from..to]);
        rest.replace_range(from..to, "");
    }
    let boot = rest.split("type=module").nth(1).and_then(|tag| tag.split('"').nth(1));
    let boot = boot.ok_or("no script that starts the program")?;
    early.push_str(&format!("<link rel=modulepreload href=\"{boot}\">"));
    let policy = rest.find(POLICY).and_then(|at| Some(at + rest[at..].find('>')? + 1));
    rest.insert_str(policy.ok_or("no content security policy in the document")?, &early);
    Ok(rest)
}

/// Where the first `<link>` with a word among its attributes begins and ends.
fn link_of(html: &str, word: &str) -> Option<(usize, usize)> {
    let mut at = 0;
    while let Some(from) = html.get(at..)?.find("<link").map(|found| at + found) {
        let to = from + html.get(from..)?.find('>')? + 1;
        if html.get(from..to)?.contains(word) {
            return Some((from, to));
        }
        at = to;
    }
    None
}

/// Gives a further module's files names with a hash of their content, so that no cache mixes two builds.
/// Returns the name of its script.
fn hash_module(project: &Project, staging: &Path, module: &str) -> Result<String> {
    let old = [format!("{module}.js"), format!("{module}_bg.wasm")];
    let wasm = fs::read(staging.join(&old[1])).map_err(|error| format!("no {}: {error}", old[1]))?;
    let script = fs::read_to_string(staging.join(&old[0]));
    let script = script.map_err(|error| format!("no {}: {error}", old[0]))?;
    if !script.contains(&old[1]) {
        return Err(format!("{} does not load {}", old[0], old[1]));
    }
    let hash = format!("{:016x}", fingerprint(&(&wasm, &script)));
    let names = [format!("{module}-{hash}.js"), format!("{module}-{hash}_bg.wasm")];
    project.write(staging.join(&names[0]), script.replace(&old[1], &names[1]))?;
    project.write(staging.join(&names[1]), wasm)?;
    for name in old {
        fs::remove_file(staging.join(&name)).map_err(|error| format!("cannot remove {name}: {error}"))?;
    }
    let [script, _] = names;
    Ok(script)
}

/// Gives the file of measured runs a name with a hash of its content, and returns it.
fn hash_runs(project: &Project, staging: &Path) -> Result<String> {
    let path = staging.join(RUNS);
    let text = fs::read(&path).map_err(|error| format!("no {RUNS}: {error}"))?;
    let name = format!("runs-{:016x}.tsv", fingerprint(&text));
    project.write(staging.join(&name), text)?;
    fs::remove_file(path).map_err(|error| format!("cannot remove {RUNS}: {error}"))?;
    Ok(name)
}

/// Takes each inline script out of a document, into a file named by its content, so that the page runs
/// under a content security policy without inline scripts.
fn externalise_scripts(html: &str) -> Result<(String, Vec<(String, String)>)> {
    let mut result = String::with_capacity(html.len());
    let mut scripts = Vec::new();
    let mut rest = html;
    while let Some((before, tag)) = rest.split_once("<script") {
        let (attributes, after) = tag.split_once('>').ok_or("an unclosed <script> tag")?;
        let (text, after) = after.split_once("</script>").ok_or("a <script> without </script>")?;
        result.push_str(before);
        let data = attributes.contains("json") || attributes.contains(" src");
        if data || text.trim().is_empty() {
            result.push_str(&format!("<script{attributes}>{text}</script>"));
        } else {
            let text = resolve_reload_address(text);
            let name = format!("boot-{:016x}.js", fingerprint(&text));
            result.push_str(&format!("<script{attributes} src=\"./{name}\"></script>"));
            scripts.push((name, text));
        }
        rest = after;
    }
    result.push_str(rest);
    Ok((result, scripts))
}

/// Trunk's server fills the address of its reload socket into HTML only, and always with the page's own.
fn resolve_reload_address(script: &str) -> String {
    script
        .replace("'{{__TRUNK_ADDRESS__}}'", "window.location.host")
        .replace("{{__TRUNK_WS_BASE__}}", "/")
        .trim()
        .to_owned()
        + "\n"
}

pub(crate) fn fingerprint(content: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    content.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::{STYLES, externalise_scripts, fetched_early, without_styles};

    #[test]
    fn inline_scripts_become_files_and_others_stay() {
        let html = r#"<head><script src="a.js"></script><script type="application/ld+json">{}</script></head>
<script type="module">
start();
</script><script defer>start();</script>"#;
        let (html, scripts) = externalise_scripts(html).expect("well-formed");
        let [(first, text), (second, _)] = scripts.as_slice() else { panic!("two scripts: {scripts:?}") };
        assert_eq!(first, second, "equal content has one name");
        assert_eq!(text, "start();\n");
        assert!(html.contains(r#"<script src="a.js"></script>"#));
        assert!(html.contains(r#"<script type="application/ld+json">{}</script>"#));
        assert!(html.contains(&format!(r#"<script type="module" src="./{first}"></script>"#)));
        assert!(!html.contains("start()"));
    }

    #[test]
    fn style_sheets_are_named_in_their_order_and_other_links_stay() {
        let html = r#"<link rel=icon href=./a.svg><link rel=stylesheet href=./b-1.css><p><link href="./c-2.css" rel="stylesheet"/></p>"#;
        let (html, names) = without_styles(html).expect("well-formed");
        assert_eq!(html, format!("<link rel=icon href=./a.svg>{STYLES}<p></p>"));
        assert_eq!(names, ["b-1.css", "c-2.css"]);
    }

    #[test]
    fn what_the_start_needs_is_named_before_any_script() {
        let html = r#"<meta content="script-src 'self'" http-equiv=Content-Security-Policy><script src=s.js></script><link href=i.svg rel=icon><link rel="stylesheet" href="./c.css"><script type=module src="./boot.js"></script><link href=./a.js rel=modulepreload><link as=fetch href=./a.wasm rel=preload>"#;
        let early = fetched_early(html).expect("it has all");
        let policy = early.split("<link").next().expect("a beginning");
        assert!(policy.ends_with("Content-Security-Policy>"), "{policy}");
        let after = early.strip_prefix(policy).expect("the rest");
        let named = r#"<link rel="stylesheet" href="./c.css"><link href=./a.js rel=modulepreload><link as=fetch href=./a.wasm rel=preload><link rel=modulepreload href="./boot.js"><script src=s.js></script><link href=i.svg rel=icon><script type=module src="./boot.js"></script>"#;
        assert_eq!(after, named);
        assert!(fetched_early("<script src=s.js></script>").is_err());
    }

    #[test]
    fn unclosed_scripts_are_errors() {
        assert!(externalise_scripts("<script>x()").is_err());
        assert!(externalise_scripts("<script").is_err());
    }
}
