//! What comes from outside as text: links, packed links, jobs as JSON, profiles and files of runs, mutated at random and hostile
//! by design. Every one is answered soon, by a finite forecast or a sentence, and none by the default job.
//!
//! `STEPCAST_HOSTILE=200000 cargo test --release --test text hostile:: -- --nocapture` tries so many of each and prints the slowest.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use crc::{CRC_32_ISO_HDLC, Crc};
use miniz_oxide::deflate::compress_to_vec;
use serde_json::Value;
use std::time::{Duration, Instant};
use stepcast::constants::Constants;
use stepcast::document::Document;
use stepcast::document::examples::EXAMPLES;
use stepcast::fields::{FIELDS, Field};
use stepcast::forecast::{Prediction, Predictor};
use stepcast::learned::{Corrections, Profile};
use stepcast::scenario::Scenario;
use stepcast::scripting::{OwnSteps, asked};
use stepcast::validate::{MeasuredRun, published, validate};

/// Cases of each kind in the normal run.
const FEW: usize = 300;

/// Longest answer. An unoptimised build on a busy machine takes some seconds for the largest pipelines; work that grows with a
/// number of a link would take hours.
const LONGEST: Duration = Duration::from_secs(60);

const RUNS: &str = include_str!("../../static/runs.tsv");
const PROFILES: [&[u8]; 2] = [
    include_bytes!("../../static/profiles/h100.profile"),
    include_bytes!("../../static/profiles/perlmutter.profile"),
];

/// Texts that readers of numbers, lists, links and JSON have stumbled over.
const HOSTILE: [&str; 40] = [
    "",
    "0",
    "-1",
    "1",
    "1e308",
    "-1e-308",
    "NaN",
    "inf",
    "4294967295",
    "4294967296",
    "18446744073709551616",
    "1e99",
    "0.5",
    "1x1x1x1x1",
    "64x8",
    "4k",
    "1M",
    "%00",
    "%FF",
    "%",
    "%C3",
    ";",
    "=",
    "#",
    "#1;",
    "~",
    "v.open=matrix",
    "custom",
    "null",
    "true",
    "[]",
    "{\"m\":1}",
    "\"",
    "\\u0000",
    "15,16x2,15",
    "1x4294967295",
    "core,core",
    "\u{202e}",
    "\u{0}",
    "999999999999999999999",
];

/// Numbers that look random and are the same in every run (Marsaglia's xorshift).
struct Dice(u64);

impl Dice {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) as usize % end.max(1)
    }

    fn of<'a, T: ?Sized>(&mut self, list: &[&'a T]) -> &'a T {
        list[self.below(list.len())]
    }
}

fn cases() -> usize {
    std::env::var("STEPCAST_HOSTILE").map_or(FEW, |text| text.parse().expect("a number of cases"))
}

/// Tries cases one after the other, and says which took longest.
fn each(door: &str, mut answer: impl FnMut(&mut Dice) -> String) {
    let mut slowest = (Duration::ZERO, String::new());
    for case in 0..cases() as u64 {
        let mut dice = Dice((case + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15));
        let start = Instant::now();
        let asked = answer(&mut dice);
        let took = start.elapsed();
        assert!(took < LONGEST, "{door} {case}: {took:?}: {asked}");
        if took > slowest.0 {
            slowest = (took, asked);
        }
    }
    let (took, asked) = slowest;
    println!(
        "{door}: {} cases, the slowest {took:?}: {}",
        cases(),
        asked.chars().take(600).collect::<String>()
    );
}

/// Links of examples and measured runs.
fn links() -> Vec<String> {
    let runs = RUNS.lines().filter_map(|line| Some(format!("#{}", line.rsplit_once('\t')?.1)));
    let runs = runs.filter(|link| link.starts_with("#1;")).step_by(23);
    EXAMPLES.iter().map(|example| example.link.to_owned()).chain(runs).collect()
}

/// A link with some of its pairs changed, taken out, doubled, or new.
fn mutated_link(dice: &mut Dice, seed: &str) -> String {
    let mut pairs: Vec<String> = seed.split(';').map(str::to_owned).collect();
    for _ in 0..=dice.below(4) {
        let at = 1 + dice.below(pairs.len().max(2) - 1);
        let field = &FIELDS[dice.below(FIELDS.len())];
        let text = match dice.below(4) {
            0 => dice.below(1 << 20).to_string(),
            1 => 2_u64.pow(dice.below(34) as u32).to_string(),
            2 => field.canonical(
                &Document::from_link(EXAMPLES[dice.below(EXAMPLES.len())].link)
                    .expect("a link")
                    .document
                    .values()
                    .expect("values"),
            ),
            _ => dice.of(&HOSTILE).to_owned(),
        };
        match dice.below(4) {
            0 if at < pairs.len() => drop(pairs.remove(at)),
            1 if at < pairs.len() => {
                pairs[at] = format!("{}={text}", pairs[at].split('=').next().unwrap_or(""))
            }
            _ => pairs.push(format!("{}={text}", field.key)),
        }
    }
    pairs.join(";")
}

/// A text with some of its bytes changed, taken out, doubled or replaced by hostile ones, as far as it is a text then.
fn mutated_bytes(dice: &mut Dice, seed: &[u8]) -> Vec<u8> {
    let mut bytes = seed.to_vec();
    for _ in 0..=dice.below(4) {
        let at = dice.below(bytes.len());
        let end = (at + dice.below(24)).min(bytes.len());
        match dice.below(5) {
            0 if !bytes.is_empty() => bytes[at] ^= 1 << dice.below(8),
            1 => drop(bytes.drain(at..end)),
            2 => {
                let part = bytes[at..end].to_vec();
                bytes.splice(at..at, part);
            }
            3 => bytes.truncate(at),
            _ => drop(bytes.splice(at..end, dice.of(&HOSTILE).bytes())),
        }
    }
    bytes
}

fn job_of(link: &str, dice: &mut Dice) -> String {
    let document = Document::from_link(link).map_or_else(|error| *error.read, |opened| opened.document);
    let mut object = serde_json::Map::new();
    for field in FIELDS {
        let text = document.text(field.key);
        if ["m", "g", "n"].contains(&field.key) || dice.below(8) == 0 {
            let number = text.parse::<u32>().ok().filter(|_| dice.below(2) == 0);
            object.insert(field.key.to_owned(), number.map_or_else(|| Value::from(text), Value::from));
        }
    }
    if dice.below(4) == 0 {
        object.insert(dice.of(&HOSTILE).to_owned(), Value::from(dice.of(&HOSTILE)));
    }
    if dice.below(4) == 0 {
        object.retain(|_, _| dice.below(3) == 0);
    }
    Value::Object(object).to_string()
}

#[track_caller]
fn is_finite(forecast: &Prediction, of: &str) {
    let memory = &forecast.memory;
    let parts = forecast.breakdown.parts().into_iter().map(|part| part.2.0);
    let totals = [
        forecast.step.0,
        forecast.interval.low.0,
        forecast.interval.high.0,
        memory.peak_gib,
        forecast.mfu,
        forecast.hfu,
        forecast.tokens_per_s,
    ];
    for number in totals.into_iter().chain(parts) {
        assert!(number.is_finite() && number >= 0.0, "{of}: {number}");
    }
    assert!(forecast.step.0 > 0.0, "{of}");
}

/// Answers a text as scripts are answered.
fn answered(text: &str) {
    let Ok(job) = asked(&Predictor::SHIPPED, OwnSteps::Used, text) else { return };
    if let Ok(Value::Object(object)) = serde_json::from_str(text) {
        let names = |key: &&str| object.contains_key(*key);
        assert!(["m", "g", "n", "preset"].iter().any(names), "answered by the default job: {text}");
        let known = |key: &String| key == "preset" || key.starts_with("v.") || Field::find(key).is_some();
        assert!(object.keys().all(known), "a key without effect: {text}");
    } else {
        let fragment = text.trim().split_once('#').map_or(text.trim(), |parts| parts.1);
        let named = [";m=", ";g=", ";n="].iter().any(|key| fragment.contains(key));
        assert!(
            fragment.starts_with('1') || fragment.starts_with("2.") || named || !fragment.contains(';'),
            "answered by the default job: {text}"
        );
    }
    let again = Document::from_link(&job.document.to_link()).expect("its own link").document;
    assert_eq!(again.values(), job.document.values(), "{text}");
    is_finite(&Predictor::SHIPPED.predict(&job.scenario).expect("a possible job"), text);
}

#[test]
fn links_are_answered_or_refused() {
    let seeds = links();
    each("links", |dice| {
        let seed = &seeds[dice.below(seeds.len())];
        let mut text = mutated_link(dice, seed);
        if dice.below(3) == 0 {
            text = String::from_utf8_lossy(&mutated_bytes(dice, text.as_bytes())).into_owned();
        }
        answered(&text);
        text
    });
}

#[test]
fn packed_links_are_answered_or_refused() {
    let seeds = links();
    each("packed links", |dice| {
        let seed = dice.below(seeds.len());
        let link = mutated_link(dice, &seeds[seed]);
        let mut pairs = link.trim_start_matches("#1").as_bytes().to_vec();
        if dice.below(8) == 0 {
            // Much in little, up to twice the limit of links and beyond.
            pairs.extend(vec![b'x'; 1 << (10 + dice.below(12))]);
        }
        let mut packed = compress_to_vec(&pairs, 6);
        if dice.below(2) == 0 {
            packed = mutated_bytes(dice, &packed);
        }
        let mut text = format!("#1.{}", URL_SAFE_NO_PAD.encode(packed));
        if dice.below(4) == 0 {
            text = String::from_utf8_lossy(&mutated_bytes(dice, text.as_bytes())).into_owned();
        }
        answered(&text);
        text
    });
}

#[test]
fn jobs_as_json_are_answered_or_refused() {
    let seeds = links();
    each("jobs", |dice| {
        let seed = dice.below(seeds.len());
        let link = if dice.below(2) == 0 { mutated_link(dice, &seeds[seed]) } else { seeds[seed].clone() };
        let mut text = job_of(&link, dice);
        if dice.below(3) == 0 {
            text = String::from_utf8_lossy(&mutated_bytes(dice, text.as_bytes())).into_owned();
        }
        answered(&text);
        text
    });
}

/// A profile whose bytes were changed, with a checksum that fits them again.
#[test]
fn profiles_with_a_mended_checksum_give_times_or_are_refused() {
    let checksum = Crc::<u32>::new(&CRC_32_ISO_HDLC);
    let constants = Constants::SHIPPED;
    let jobs: Vec<Scenario> = [
        "#1;m=llama3-8b;g=dgx-h100;n=16;tp=2;pp=2;gb=32",
        "#1;m=llama2-13b;g=perlmutter;n=16;tp=4;pp=1;gb=32",
    ]
    .map(|link| Document::from_link(link).expect("a link").document.scenario().expect("possible"))
    .to_vec();
    let mut read = 0;
    each("profiles", |dice| {
        let seed = dice.of(&PROFILES);
        let written = &seed[..seed.len() - 4];
        let mut bytes = mutated_bytes(dice, written);
        if dice.below(2) == 0 {
            bytes = written.to_vec();
            // Numbers at their ends: four bytes of a float, somewhere.
            let numbers = [f32::NAN, f32::INFINITY, f32::MAX, -f32::MAX, f32::MIN_POSITIVE, 1e-45, -1.0, 0.0];
            let at = dice.below(bytes.len() - 4);
            bytes[at..at + 4].copy_from_slice(&numbers[dice.below(numbers.len())].to_le_bytes());
        }
        let checksum = checksum.checksum(&bytes).to_le_bytes();
        if let Ok(profile) = Profile::from_bytes(&[&bytes[..], &checksum].concat()) {
            read += 1;
            let job = &jobs[dice.below(jobs.len())];
            let corrections = Corrections::new(&profile, job, &constants);
            let predictor = Predictor::SHIPPED.with_learned(&corrections);
            is_finite(&predictor.predict(job).expect("a possible job"), "a profile");
        }
        format!("{} bytes", bytes.len())
    });
    assert!(read > cases() / 20, "{read} were read");
}

#[test]
fn files_of_runs_are_read_or_refused() {
    let runs = RUNS.lines().filter(|line| line.starts_with("run\t")).step_by(587).collect::<Vec<_>>();
    let whole = format!("{}\nend\t{}\t0\n", runs.join("\n"), runs.len());
    assert_eq!(published::read(&whole).expect("as written").runs.len(), runs.len());
    each("files of runs", |dice| {
        let text = String::from_utf8_lossy(&mutated_bytes(dice, whole.as_bytes())).into_owned();
        if let Ok(read) = published::read(&text) {
            assert_eq!(read.runs.len(), runs.len(), "{text}");
            let runs: Vec<MeasuredRun> = read.runs.into_iter().map(|(run, _)| run).collect();
            let report = validate(&Predictor::SHIPPED, &runs);
            for number in
                [report.mean_of_medians, report.overall.mape, report.overall.median_ape, report.mean_tau]
            {
                assert!(number.is_finite(), "{text}");
            }
        }
        text
    });
}

/// Rows of a table of measured runs with some cells replaced.
#[test]
fn rows_of_measured_runs_are_forecast_or_skipped() {
    let table = include_bytes!("../../evidence/runs.tsv").as_slice();
    let mut reader = csv::ReaderBuilder::new();
    let mut reader = reader.delimiter(b'\t').quoting(false).comment(Some(b'#')).from_reader(table);
    let header = reader.headers().expect("a header").clone();
    let rows: Vec<csv::StringRecord> = reader.records().map(|row| row.expect("a row")).collect();
    each("rows", |dice| {
        let mut cells: Vec<&str> = rows[dice.below(rows.len())].iter().collect();
        for _ in 0..=dice.below(3) {
            let at = dice.below(cells.len());
            cells[at] =
                if dice.below(2) == 0 { dice.of(&HOSTILE) } else { &rows[dice.below(rows.len())][at] };
        }
        let place = |name: &str| header.iter().position(|column| column == name);
        let run = MeasuredRun::read(|name| place(name).and_then(|at| cells.get(at)).copied().unwrap_or(""));
        for row in validate(&Predictor::SHIPPED, &[run]).rows {
            for number in [row.predicted_s, row.low_s, row.high_s].into_iter().flatten() {
                assert!(number.is_finite() && number > 0.0, "{cells:?}");
            }
        }
        cells.join(",")
    });
}
