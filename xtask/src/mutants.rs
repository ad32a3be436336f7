//! Mutation testing: errors planted one by one, and whether a test notices. Not part of the checks, for its hours.
//!
//! A room's mutants face only the fast tests of its physics: none that reads the public data, and none that compares
//! with a saved output, which would notice any change without knowing whether it is one for the worse.

use crate::project::{Project, Result, output};
use crate::setup;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::{Command, Stdio};

/// Rooms, and the tests that know their physics: a program of `tests/` and a file or folder of it.
const ROOMS: [(&str, &[&str]); 8] = [
    ("cost", &["model/physics", "model/groups"]),
    ("schedule", &["model/physics", "model/schedule", "model/schedules"]),
    ("step", &["model/physics", "model/laws", "model/groups", "model/sharding", "model/program"]),
    ("memory", &["model/physics", "model/memory"]),
    ("rules", &["model/physics", "model/plan", "text/document"]),
    ("traffic", &["model/physics", "model/traffic", "model/experts", "model/program"]),
    ("tuner", &["model/physics", "model/laws"]),
    ("forecast", &["model/physics", "model/laws", "model/sharding", "model/tradeoffs", "model/program"]),
];

/// Survivors that are known, with the reason why they may live.
const KNOWN: &str = "tests/mutants.tsv";

/// Seconds after which the tests of a mutant that does not come to an end are stopped: many times what they take.
const TIMEOUT: &str = "120";

/// Plants errors in one room or in all, in every place or in about as many as asked for, and prints what survived.
pub(crate) fn run(project: &Project, flags: &[&str]) -> Result {
    let (room, sample) = read(flags)?;
    setup::mutants(project)?;
    let known = known(&project.read(KNOWN)?)?;
    let mut strangers = Vec::new();
    for (name, tests) in ROOMS.iter().filter(|entry| room.is_none_or(|room| room == entry.0)) {
        let total = output(mutants(project, name).arg("--list"))?.lines().count();
        let shards = sample.map_or(1, |sample| total.div_ceil(sample.max(1)).max(1));
        println!("\n== {name}: every one of {shards} of {total} mutants");
        let folder = project.target.join("mutants").join(name);
        std::fs::create_dir_all(&folder).map_err(|error| format!("no folder for the results: {error}"))?;
        plant(project, name, tests, shards, &folder)?;
        strangers.extend(survivors(&folder.join("mutants.out"), &known)?);
    }
    if strangers.is_empty() {
        return Ok(());
    }
    Err(format!("no test notices, and {KNOWN} does not say why:\n{}", strangers.join("\n")))
}

/// A room and a number of mutants, where they are given.
fn read<'a>(flags: &[&'a str]) -> Result<(Option<&'a str>, Option<usize>)> {
    let (room, rest) = match flags {
        [room, rest @ ..] if !room.starts_with('-') => (Some(*room), rest),
        rest => (None, rest),
    };
    if let Some(room) = room.filter(|room| ROOMS.iter().all(|entry| entry.0 != *room)) {
        let rooms = ROOMS.map(|entry| entry.0).join(", ");
        return Err(format!("no room {room}; there are {rooms}"));
    }
    match rest {
        [] => Ok((room, None)),
        ["--sample", number] => {
            let number = number.parse().map_err(|_| format!("{number} is no number of mutants"))?;
            Ok((room, Some(number)))
        }
        _ => Err(format!("unknown flags `{}`", rest.join(" "))),
    }
}

/// The mutation tester over a room.
fn mutants(project: &Project, room: &str) -> Command {
    let mut command = project.command("cargo-mutants");
    command.args(["mutants", "--no-config", "--colors=never", "--workspace"]);
    command.args(["--file", &format!("src/*/{room}/**/*.rs")]);
    command
}

/// Runs the tests against every `shards`-th mutant. What became of each is in files of `folder`.
fn plant(project: &Project, room: &str, tests: &[&str], shards: usize, folder: &Path) -> Result {
    let mut command = mutants(project, room);
    command.args(["--shard", &format!("0/{shards}"), "--sharding", "round-robin"]);
    command.args(["--test-package", "stepcast"]);
    command.args(["--profile", "mutants", "--timeout", TIMEOUT, "--baseline", "run", "--jobs", "1"]);
    command.arg("--output").arg(folder);
    let parts: Vec<(&str, &str)> = tests.iter().filter_map(|test| test.split_once('/')).collect();
    let programs: BTreeSet<&str> = parts.iter().map(|part| part.0).collect();
    // For building as well as for running: what follows a `--` is for running only.
    command.args(programs.iter().map(|program| format!("--cargo-arg=--test={program}")));
    // Dependencies are built once, not in every run's copy of the tree.
    command.env("CARGO_TARGET_DIR", project.target.join("mutants/build"));
    // The tests' own arguments: beginnings of their names.
    command.args(["--", "--"]).args(parts.iter().map(|part| format!("{}::", part.1)));
    let status = command.stdin(Stdio::null()).status();
    let status = status.map_err(|error| format!("cannot start cargo-mutants: {error}"))?;
    // 2 says that some survived, 3 that tests of some did not come to an end: both are in the files.
    match status.code() {
        Some(0 | 2 | 3) => Ok(()),
        _ => Err(format!("cargo-mutants failed ({status})")),
    }
}

/// Survivors that may live, and how many places of each name.
fn known(text: &str) -> Result<BTreeMap<String, usize>> {
    let mut known = BTreeMap::new();
    for line in text.lines().skip(1) {
        let cells: Vec<&str> = line.split('\t').collect();
        let [mutant, places, verdict] = cells.as_slice() else {
            return Err(format!("{KNOWN}: a line needs three cells: {line}"));
        };
        let places = places.parse().map_err(|_| format!("{KNOWN}: {places} is no number"))?;
        if !["equivalent: ", "accepted: "].iter().any(|word| verdict.starts_with(word)) {
            return Err(format!("{KNOWN}: a verdict is `equivalent: ...` or `accepted: ...`: {line}"));
        }
        known.insert((*mutant).to_owned(), places);
    }
    Ok(known)
}

/// Prints how many were caught, and returns survivors in more places than are known.
fn survivors(results: &Path, known: &BTreeMap<String, usize>) -> Result<Vec<String>> {
    let lines = |name: &str| -> Result<Vec<String>> {
        let path = results.join(name);
        let text =
            std::fs::read_to_string(&path).map_err(|error| format!("no {}: {error}", path.display()))?;
        Ok(text.lines().map(str::to_owned).collect())
    };
    let caught = lines("caught.txt")?.len() + lines("timeout.txt")?.len();
    let missed = lines("missed.txt")?;
    println!(
        "{caught} of {} caught, of which {} ran out of time",
        caught + missed.len(),
        lines("timeout.txt")?.len()
    );
    let mut places: BTreeMap<String, usize> = BTreeMap::new();
    for mutant in &missed {
        println!("missed: {mutant}");
        *places.entry(without_place(mutant)).or_default() += 1;
    }
    let strange = |entry: &(String, usize)| entry.1 > known.get(&entry.0).copied().unwrap_or(0);
    Ok(places.into_iter().filter(strange).map(|(mutant, places)| format!("{mutant} ({places})")).collect())
}

/// A mutant's name without line and column, which change with every edit: `src/a.rs:9:5: replace` and so on.
fn without_place(mutant: &str) -> String {
    let mut parts = mutant.splitn(4, ':');
    match (parts.next(), parts.next(), parts.next(), parts.next()) {
        (Some(file), Some(_), Some(_), Some(what)) => format!("{file}:{what}"),
        _ => mutant.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::{ROOMS, known, read, without_place};
    use std::path::Path;

    #[test]
    fn tests_of_rooms_are_there() {
        let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests");
        for test in ROOMS.iter().flat_map(|room| room.1) {
            let (file, folder) = (tests.join(test).with_extension("rs"), tests.join(test).join("mod.rs"));
            assert!(file.is_file() || folder.is_file(), "{test}");
        }
    }

    #[test]
    fn names_outlive_edits() {
        let name = "src/a.rs: replace + with - in f::<T>";
        assert_eq!(without_place("src/a.rs:9:5: replace + with - in f::<T>"), name);
    }

    #[test]
    fn flags_name_a_room_and_a_number() {
        assert_eq!(read(&[]), Ok((None, None)));
        assert_eq!(read(&["cost"]), Ok((Some("cost"), None)));
        assert_eq!(read(&["cost", "--sample", "20"]), Ok((Some("cost"), Some(20))));
        assert_eq!(read(&["--sample", "5"]), Ok((None, Some(5))));
        for wrong in [&["attic"][..], &["cost", "--sample"], &["--sample", "few"], &["cost", "memory"]] {
            assert!(read(wrong).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn survivors_need_a_reason() {
        let text = "mutant\tplaces\tverdict\nsrc/a.rs: replace + with -\t2\tequivalent: of two zeros\n";
        assert_eq!(known(text).expect("well-formed").get("src/a.rs: replace + with -"), Some(&2));
        assert!(known("head\na\t1\tno idea\n").is_err());
        assert!(known("head\na\t1\n").is_err());
        assert!(known("head\na\tmany\taccepted: rare\n").is_err());
    }
}
