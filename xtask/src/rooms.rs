//! Rules of the library's rooms that the compiler does not check: a room imports only those of its crate that ARCHITECTURE.md lists
//! above it, and none picks the shipped calibration; rooms that forecast know no stack by its name, and no date. The order of
//! the crates is in their manifests.

use crate::data;
use crate::project::{Project, Result, output};

/// Where the table of rooms begins in ARCHITECTURE.md, and where it ends.
const BEGIN: &str = "<!-- rooms, the ground first -->";
const END: &str = "<!-- end of rooms -->";

/// Complains of every import that points up, of rooms without a row, and of rows without a room.
pub(crate) fn check(project: &Project, complaints: &mut Vec<String>) -> Result {
    let rooms = listed(&project.read("ARCHITECTURE.md")?)?;
    let files = output(project.command("git").args([
        "ls-files",
        "--cached",
        "--others",
        "--exclude-standard",
        "src",
    ]))?;
    let mut found = Vec::new();
    for path in files.lines().filter(|path| path.ends_with(".rs")) {
        // A file that is listed and deleted has nothing to check.
        let Ok(text) = project.read(path) else { continue };
        let Some(room) = room_of(path, &rooms) else { continue };
        if FRONTS.contains(&room) || room.ends_with("/lib") {
            continue;
        }
        if !found.contains(&room.to_owned()) {
            found.push(room.to_owned());
        }
        complaints.extend(upward(path, room, &text, &rooms));
        complaints.extend(shipped(path, &text));
        complaints.extend(stacked(path, room, &text));
    }
    complaints.extend(
        rooms
            .iter()
            .filter(|room| !found.contains(room))
            .map(|room| format!("ARCHITECTURE.md lists a room {room}, and there is none")),
    );
    Ok(())
}

/// Programs on top of the library: they may use all of it.
const FRONTS: [&str; 5] = ["cli", "js", "python", "web", "lib"];

/// The first folder or file below `src`, or below the folder there of a crate that has several rooms.
fn room_of<'a>(path: &'a str, rooms: &[String]) -> Option<&'a str> {
    let inside = path.strip_prefix("src/")?.trim_end_matches(".rs");
    let mut ends = inside.match_indices('/').map(|(at, _)| at).chain([inside.len()]);
    let outer = inside.get(..ends.next()?)?;
    let several = rooms.iter().any(|room| room.split_once('/').is_some_and(|(folder, _)| folder == outer));
    if several { inside.get(..ends.next()?) } else { Some(outer) }
}

/// The rooms in the table's first column, in order.
fn listed(text: &str) -> Result<Vec<String>> {
    let table = text.split_once(BEGIN).and_then(|rest| rest.1.split_once(END)).map(|rest| rest.0);
    let table = table.ok_or_else(|| format!("ARCHITECTURE.md has no table between {BEGIN} and {END}"))?;
    let room = |line: &str| {
        let cell = line.strip_prefix("| `src/")?.split_once('`')?.0;
        Some(cell.trim_end_matches(['/', '*']).trim_end_matches(".rs").to_owned())
    };
    Ok(table.lines().filter_map(room).collect())
}

/// Imports of a file that point to later rooms of its crate.
fn upward(path: &str, room: &str, text: &str, rooms: &[String]) -> Vec<String> {
    let place = |name: &str| rooms.iter().position(|room| room == name);
    let Some(own) = place(room) else {
        return vec![format!("{path}: the room {room} has no row in ARCHITECTURE.md")];
    };
    let Some((folder, _)) = room.split_once('/') else { return Vec::new() };
    let mut complaints = Vec::new();
    for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim_start().starts_with("//")) {
        for name in line.split("crate::").skip(1).flat_map(named) {
            let name = format!("{folder}/{name}");
            if place(&name).is_some_and(|other| other > own) {
                complaints
                    .push(format!("{path}:{}: {room} uses {name}, which is listed after it", number + 1));
            }
        }
    }
    complaints
}

/// Files of the library that may name the shipped calibration: those that define it, the page's state, and memory,
/// which reads sizes off a program and no constant (`tests/model/memory.rs` holds it to that).
const SHIPS: [&str; 4] = [
    "src/job/constants/",
    "src/predictor/forecast/predictor.rs",
    "src/page_state/",
    "src/predictor/memory/mod.rs",
];

/// Uses of the shipped calibration in a file that is to take the one it is given. A file's tests come last and may.
fn shipped(path: &str, text: &str) -> Vec<String> {
    if SHIPS.iter().any(|allowed| path.starts_with(allowed)) {
        return Vec::new();
    }
    let names =
        |line: &str| ["Constants", "Predictor"].iter().any(|name| line.contains(&format!("{name}::SHIPPED")));
    complaints(path, text, names, "the shipped calibration is the fronts' to choose")
}

/// Rooms that read what a stack does off its profile.
const FORECASTS: [&str; 4] = ["predictor/step", "predictor/cost", "predictor/memory", "predictor/forecast"];

/// Stacks by name, and dates of releases, in a file of a room that forecasts.
fn stacked(path: &str, room: &str, text: &str) -> Vec<String> {
    if !FORECASTS.contains(&room) || data::is_generated(path) {
        return Vec::new();
    }
    let apart = |before: &str| !before.ends_with(|c: char| c.is_alphanumeric() || c == '_');
    let whole = |after: &str| !after.starts_with(|c: char| c.is_alphanumeric() || c == '_');
    let says = |line: &str| {
        line.match_indices("Stack::").any(|(at, _)| line.get(..at).is_some_and(apart))
            || [".date()", ".year", ".month"].iter().any(|word| {
                line.match_indices(word).any(|(at, _)| line.get(at + word.len()..).is_some_and(whole))
            })
    };
    complaints(path, text, says, "what a stack does since when is a row of data/stacks.tsv")
}

/// A complaint of each line of a file's program that says something. A file's tests come last and may.
fn complaints(path: &str, text: &str, says: impl Fn(&str) -> bool, complaint: &str) -> Vec<String> {
    if path.ends_with("/tests.rs") {
        return Vec::new();
    }
    let program = text.split("#[cfg(test)]\nmod ").next().unwrap_or_default();
    let lines = program.lines().enumerate().filter(|(_, line)| !line.trim_start().starts_with("//"));
    lines
        .filter(|(_, line)| says(line))
        .map(|(number, _)| format!("{path}:{}: {complaint}", number + 1))
        .collect()
}

/// First names of the paths that follow `crate::`: one, or a list in braces.
fn named(rest: &str) -> Vec<&str> {
    let name =
        |path: &'_ str| path.len() - path.trim_start_matches(|c: char| c.is_alphanumeric() || c == '_').len();
    let list = rest.strip_prefix('{').and_then(|list| list.split_once('}')).map(|list| list.0);
    let paths: Vec<&str> = list.map_or_else(|| vec![rest], |list| list.split(',').map(str::trim).collect());
    paths.into_iter().filter_map(|path| path.get(..name(path))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = "<!-- rooms, the ground first -->\n| room | what |\n|---|---|\n| `src/job/units.rs` | a |\n| `src/predictor/cost/` | b |\n| `src/predictor/forecast/` | c |\n| `src/exchange/` | d |\n<!-- end of rooms -->";

    #[test]
    fn the_table_is_read_in_order() {
        assert_eq!(
            listed(TABLE).expect("a table"),
            ["job/units", "predictor/cost", "predictor/forecast", "exchange"]
        );
        assert!(listed("no table").is_err());
    }

    #[test]
    fn files_have_a_room_of_their_crate() {
        let rooms = listed(TABLE).expect("a table");
        for (path, room) in [
            ("src/job/units.rs", "job/units"),
            ("src/predictor/new/a/b.rs", "predictor/new"),
            ("src/predictor/lib.rs", "predictor/lib"),
            ("src/exchange/read/a.rs", "exchange"),
            ("src/lib.rs", "lib"),
        ] {
            assert_eq!(room_of(path, &rooms), Some(room), "{path}");
        }
    }

    #[test]
    fn an_import_may_only_point_up_the_table() {
        let rooms = listed(TABLE).expect("a table");
        let of = |text| upward("src/predictor/cost/mod.rs", "predictor/cost", text, &rooms);
        assert!(of("use crate::units::Bytes;\n//! crate::forecast\n").is_empty());
        assert_eq!(of("use crate::{units, forecast};").len(), 1);
        let complaints = of("fn f() {\n    crate::forecast::predict();\n}");
        assert_eq!(
            complaints,
            ["src/predictor/cost/mod.rs:2: predictor/cost uses predictor/forecast, which is listed after it"]
        );
        assert!(upward("src/exchange/lib.rs", "exchange", "crate::forecast::f()", &rooms).is_empty());
        assert_eq!(upward("src/new/lib.rs", "new", "", &rooms).len(), 1);
    }

    #[test]
    fn rooms_that_forecast_know_no_stack_and_no_date() {
        let of = |line: &str| {
            stacked("src/predictor/step/loss.rs", "predictor/step", &format!("fn f() {{\n    {line}\n}}\n"))
                .len()
        };
        for line in
            ["software.stack == Stack::Nemo", "software.date() < 2.0", "software.year >= 2024", "s.month"]
        {
            assert_eq!(of(line), 1, "{line}");
        }
        for line in ["LossKernel::Stack => 1", "MeasuredStack::new()", "software.profile().x", "run.years()"]
        {
            assert_eq!(of(line), 0, "{line}");
        }
        let named = "fn f() { Stack::Nemo }";
        assert!(stacked("src/evidence/validate/run.rs", "evidence/validate", named).is_empty());
        assert!(
            stacked(
                "src/predictor/step/loss.rs",
                "predictor/step",
                &format!("#[cfg(test)]\nmod tests {{ {named} }}")
            )
            .is_empty()
        );
    }

    #[test]
    fn the_library_takes_the_calibration_it_is_given() {
        let uses = "/// Not [`Constants::SHIPPED`].\nfn f() {\n    g(&Constants::SHIPPED);\n}\n";
        let complaints = shipped("src/predictor/traffic/mod.rs", uses);
        assert_eq!(
            complaints,
            ["src/predictor/traffic/mod.rs:3: the shipped calibration is the fronts' to choose"]
        );
        assert_eq!(
            shipped("src/predictor/tuner/mod.rs", "let p = crate::forecast::Predictor::SHIPPED;").len(),
            1
        );
        for allowed in
            ["src/job/constants/registry.rs", "src/predictor/forecast/predictor.rs", "src/page_state/page.rs"]
        {
            assert!(shipped(allowed, uses).is_empty(), "{allowed}");
        }
        let tested = format!("fn f() {{}}\n#[cfg(test)]\nmod tests {{\n{uses}}}\n");
        assert!(shipped("src/predictor/traffic/mod.rs", &tested).is_empty());
        assert!(shipped("src/predictor/traffic/tests.rs", uses).is_empty());
    }
}
