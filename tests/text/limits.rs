//! Inputs of any size and any bytes end quickly, with a sentence: files, links, profiles, and what is pasted.

use crate::command;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use crate::command::{json, number, refusal, stepcast};
use proptest::prelude::*;
use stepcast::document::Document;
use stepcast::learned::{Profile, is_nccl_tests, read, read_nccl_tests};
use stepcast::scenario::plan::StageLayers;

/// A file of the test's own.
fn file(name: &str, content: impl AsRef<[u8]>) -> String {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, content).expect("writable");
    path.to_str().expect("UTF-8").to_owned()
}

/// Far beyond what an unoptimised build takes for any of these inputs on a busy machine (seconds), and far below what work that grows
/// with the square of theirs would take: no measure of speed.
const LONGEST: Duration = Duration::from_secs(120);

fn quickly<T>(what: &str, work: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let outcome = work();
    assert!(start.elapsed() < LONGEST, "{what}: {:?}", start.elapsed());
    outcome
}

#[test]
fn a_file_of_unknown_keys_is_read_quickly_and_reported_briefly() {
    let keys: Vec<String> = (0..60_000).map(|index| format!("\"k{index}\":1")).collect();
    let path =
        file("unknown.json", format!("{{\"m\":\"llama3-8b\",\"n\":8,\"tp\":2,\"pp\":1,{}}}", keys.join(",")));
    let output = quickly("unknown keys", || stepcast(&["predict", &path, "--json"]));
    assert!(!output.status.success());
    let errors = String::from_utf8(output.stderr).expect("UTF-8");
    assert!(errors.lines().count() < 30 && errors.contains("unknown field k0"), "{errors}");
}

#[test]
fn links_of_many_keys_keep_as_many_as_there_is_room_for() {
    let link: String = (0..2000).map(|index| format!(";k{index}=1")).collect();
    let opened = quickly("a link", || Document::from_link(&format!("1;tp=4{link}"))).expect("readable");
    assert_eq!(opened.document.text("tp"), "4");
    assert_eq!(opened.document.to_link().matches(";k").count(), 256);
    assert!(opened.notices.iter().any(|notice| notice.contains("1744 more")), "{:?}", opened.notices);
    let doubled: String = (0..3000).map(|_| ";tp=8").collect();
    let opened = quickly("doubles", || Document::from_link(&format!("1{doubled}"))).expect("readable");
    assert_eq!(opened.notices.len(), 1, "{:?}", opened.notices);
    let long = "9".repeat(20_000_000);
    assert!(quickly("a long link", || Document::from_link(&format!("1;tp={long}"))).is_err());
}

#[test]
fn tables_beyond_the_limits_are_refused_in_a_sentence() {
    let header = "id,source,iteration_s";
    let wide = file("wide.csv", format!("{header}{}\n1,a,2\n", ",x".repeat(1_000_000)));
    let sentence = quickly("columns", || refusal(&["validate", &wide]));
    assert!(sentence.contains("has 1000003 columns. The limit is 1024"), "{sentence}");
    let long = file("long.csv", format!("{header}\n{}", "1,a,2\n".repeat(100_001)));
    let sentence = quickly("rows", || refusal(&["validate", &long]));
    assert!(sentence.contains("has too many rows. The limit is 100000"), "{sentence}");
    let large = file("large.csv", format!("{header}\n\"{}", "x".repeat(65 << 20)));
    let sentence = quickly("bytes", || refusal(&["validate", &large]));
    assert!(sentence.contains("is too large. The limit is 64 MiB"), "{sentence}");
    let scenario = file("large.json", format!("{{\"m\": \"{}\"}}", "x".repeat(2 << 20)));
    let sentence = quickly("a scenario", || refusal(&["predict", &scenario]));
    assert!(sentence.contains("larger than 1 MiB"), "{sentence}");
}

/// A field that is as large as a file may be is cut short where it is shown.
#[test]
fn gigantic_fields_are_skipped_with_a_short_sentence() {
    let header = "id,source,iteration_s,gpu,layers,hidden,heads,vocab,seq,gbs,gpus";
    let huge = "z".repeat(4 << 20);
    let rows = format!(
        "{header}\n1,a,2,{huge},1,8,1,1,1,1,1\n2,a,2,h100-80g,{huge},8,1,1,1,1,1\n3,a,{huge},h100-80g,1,8,1,1,1,1,1\n"
    );
    let path = file("gigantic.csv", rows);
    let report = quickly("fields", || json(&["validate", &path, "--json"]));
    for row in report["rows"].as_array().expect("rows") {
        let sentence = row["skipped"].as_str().expect("a sentence");
        assert!(row["predicted_s"].is_null() && sentence.len() < 300, "{}", &sentence[..300]);
    }
    assert_eq!(number(&report, "/overall/n"), 0.0);
}

#[test]
fn rows_that_could_not_have_run_are_skipped_with_their_sentence() {
    let header = "id,source,iteration_s,stack,gpu,gpus,node_gbps,layers,hidden,heads,vocab,seq,gbs,tp,pp,vpp";
    let row = |id: &str, degrees: &str| {
        format!("{id},a,4.5,nemo,h100-80g,16,3200,32,4096,32,50304,2048,64,{degrees}\n")
    };
    let rows = [
        row("good", "2,2,1"),
        row("pp", "2,4294967295,1"),
        row("vpp", "2,2,4294967295"),
        row("tp", "4000000000,2,1"),
        row("no-vpp", "2,4294967295,"),
    ];
    let path = file("hostile.csv", format!("{header}\n{}", rows.concat()));
    let report = quickly("rows", || json(&["validate", &path, "--json"]));
    let rows = report["rows"].as_array().expect("rows");
    assert!(rows[0]["predicted_s"].is_number() && rows[0]["skipped"].is_null(), "{}", rows[0]);
    for row in &rows[1..] {
        let sentence = row["skipped"].as_str().expect("a sentence");
        assert!(row["predicted_s"].is_null() && sentence.contains("is too large"), "{row}");
    }
    assert_eq!((report["overall"]["n"].as_u64(), report["overall"]["skipped"].as_u64()), (Some(1), Some(4)));
    let words = command::text(&["validate", &path]);
    assert!(words.contains("Skipped, Pipeline parallel (PP): 4,294,967,295 is too large"), "{words}");
}

#[test]
fn lists_of_layers_end_where_they_are_full() {
    for text in
        ["1,".repeat(2_000_000), "1x1,2x1,".repeat(1_000_000), "x".repeat(4_000_000), ",".repeat(4_000_000)]
    {
        let list = quickly("a list", || StageLayers::parse(&text));
        assert!(list.is_none_or(|list| list.chunks() == 0), "{}", &text[..20]);
    }
}

#[test]
fn samples_beyond_the_limits_are_left_out() {
    let head = "mp,b,l,dim,F_dur(us),B_dur(us)\n";
    let long = format!("{head}{}", "1,2,1024,5632,1728,3552\n".repeat(150_000));
    let samples = quickly("lines", || read("linear1.csv", &long)).expect("readable");
    assert_eq!(samples.problems.len(), 1);
    assert!(
        samples.sets[0].samples.len() < 100_001
            && samples.problems[0].message.contains("Later lines are ignored")
    );
    let wrong = format!("{head}{}", "a,b\n".repeat(1_000_000));
    assert_eq!(quickly("problems", || read("linear1.csv", &wrong)).expect("readable").problems.len(), 1001);
    for row in
        ["1,2,1024,1e300,10,10", "1,2,1024,5632,1e300,10", "1,2,1024,5632,1e-9,10", "99999,2,1024,1,10,10"]
    {
        let file = read("linear1.csv", &format!("{head}{row}\n")).expect("readable");
        assert_eq!((file.problems.len(), file.sets[0].samples.len()), (1, 0), "{row}");
    }
    let topologies: String = (1..50_000).map(|nodes| format!("1000,{nodes},4,2\n")).collect();
    let file = quickly("topologies", || {
        read("allreduce.csv", &format!("shape,nodes,GPUsPerNode,dur(us)\n{topologies}"))
    });
    assert_eq!(file.expect("readable").sets.len(), 100);
    let hosts: String =
        (0..50_000).map(|host| format!("#  Rank  0 Group  0 Pid  1 on h{host} device  0\n")).collect();
    assert!(quickly("hosts", || read_nccl_tests("all_reduce_perf.txt", &hosts)).is_err());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn any_bytes_as_a_file_end_in_a_sentence(
        bytes in prop::collection::vec(any::<u8>(), 0..2000),
        head in prop::sample::select(vec!["", "id,source,iteration_s,gpu,layers\n", "{\"tp\":", "[", "\u{feff}id"]),
    ) {
        let content = [head.as_bytes(), &bytes].concat();
        let path = file("any-bytes", &content);
        for arguments in [vec!["validate", &path], vec!["validate", "--memory", &path], vec!["predict", &path],
            vec!["validate", "--kernels", &path], vec!["predict", "--preset", "llama3-8b-8xh100", "--profile", &path]] {
            let output = quickly("any bytes", || stepcast(&arguments));
            prop_assert!(matches!(output.status.code(), Some(0 | 2)), "{:?}: {:?}", arguments, output);
        }
    }
}

proptest! {
    #[test]
    fn any_text_as_a_link_or_samples_ends_in_a_value(text in "(\\PC|[;=#%,\n0-9x]){0,400}") {
        let _ = Document::from_link(&text).map(|opened| opened.document.scenario().is_ok());
        let _ = Document::from_link(&format!("1;{text}")).map(|opened| opened.document.to_link());
        let _ = StageLayers::parse(&text);
        let _ = read("linear1.csv", &text);
        let _ = read("allreduce.csv", &format!("shape,nodes,GPUsPerNode,dur(us)\n{text}"));
        let _ = is_nccl_tests(&text);
        let _ = read_nccl_tests("all_reduce_perf.txt", &text);
        let _ = Profile::from_bytes(text.as_bytes());
    }
}
