//! The settings of a job and their choices, without a browser.

use super::*;

fn part_of(key: &str) -> &'static JobPart {
    PARTS.iter().find(|part| part.key == key).expect("a part")
}

fn labels(key: &str, query: &str) -> Vec<String> {
    picks(&Document::default(), part_of(key), query).into_iter().map(|pick| pick.label).collect()
}

#[test]
fn the_line_names_the_job() {
    let lists = PARTS.iter().filter(|part| part.is_list());
    let shown: Vec<String> = lists.map(|part| part.text(&Document::default())).collect();
    assert_eq!(shown, ["Llama-3 70B", "DGX H100 SuperPOD", "BF16", "NVIDIA NeMo"]);
    let (what, how) = job_line(&Document::default());
    assert_eq!(what, "Llama-3 70B on 512 GPUs");
    assert_eq!(
        how,
        "DGX H100 SuperPOD \u{b7} 1,024 \u{d7} 8,192 tokens per step \u{b7} BF16 \u{b7} NVIDIA NeMo"
    );
    let job = Document::default().scenario().expect("possible");
    assert_eq!(part_of("n").unit(&job), "64 \u{d7} 8");
    let mut document = Document::default();
    document.set("kv", "16");
    document.set("gb", "2k");
    document.set("n", "lots");
    assert_eq!(part_of("m").text(&document), "Llama-3 70B, edited");
    assert_eq!(part_of("gb").text(&document), "2,048");
    assert_eq!(part_of("n").text(&document), "lots");
}

#[test]
fn what_is_typed_in_place_is_written_short_and_a_goal_may_be_left_out() {
    let mut document = Document::default();
    let typed: Vec<&JobPart> = PARTS.iter().filter(|part| !part.is_list()).collect();
    let texts =
        |document: &Document| -> Vec<String> { typed.iter().map(|part| part.typed(document)).collect() };
    assert_eq!(texts(&document), ["512", "3", "1,024", "8,192", "1T", "", ""]);
    for (key, text) in [("tokens", "14800000000000"), ("days", "14"), ("budget", "2500000"), ("n", "64")] {
        let Action::Type { key, text } = part_of(key).action(text.to_owned()) else { panic!("{key}") };
        document.set(key, &text);
    }
    assert_eq!(texts(&document), ["64", "3", "1,024", "8,192", "14.8T", "14", "2.5M"]);
    let job = document.values().expect("legal");
    for part in &typed {
        document.set(part.key, &part.typed(&document));
    }
    assert_eq!(document.values().expect("legal"), job, "what is shown reads as the same");
    let left_out = part_of("days").action(" ".to_owned());
    assert!(matches!(left_out, Action::Type { text, .. } if text == "0"));
}

#[test]
fn the_choices_of_a_field_are_listed_and_searched() {
    let all = labels("prec", "");
    assert!(all.len() > 3 && all.iter().any(|label| label == "BF16"), "{all:?}");
    assert!(labels("prec", "fp8").iter().all(|label| label.contains("FP8")));
    assert!(picks(&Document::default(), part_of("prec"), "bf16").iter().any(|pick| pick.current));
}

#[test]
fn each_kind_of_training_is_read_back() {
    for (kind, label) in TrainingKind::ALL {
        for (before, _) in TrainingKind::ALL {
            let mut document = Document::default();
            for kind in [before, kind] {
                if let Some(Action::Set(values)) = kind.action(&document) {
                    values.iter().for_each(|(key, text)| document.set(key, text));
                }
            }
            assert_eq!(TrainingKind::of(&document), kind);
            let tokens = document.values().expect("numbers").run.tokens;
            assert!((tokens - if kind == TrainingKind::Full { 1e12 } else { 1e8 }).abs() < 1.0, "{tokens}");
            assert!(document.values().is_ok() && kind.action(&document).is_none(), "{label}");
        }
    }
}

#[test]
fn names_are_found_as_people_type_them() {
    assert_eq!(labels("m", "deepseek-v3")[0], "DeepSeek-V3 671B-A37B");
    assert_eq!(labels("m", "gpt-3")[0], "GPT-3 175B");
    assert_eq!(labels("m", "llama-2 7b")[0], "Llama-2 7B");
    assert_eq!(labels("stack", "titan"), ["torchtitan"]);
    assert!(labels("m", "no such model").is_empty());
    assert!(labels("m", "").len() > 40);
    let examples = picks(&Document::default(), part_of("m"), "perlmutter");
    assert!(matches!(&examples[..], [one] if one.group == EXAMPLES_HEADING), "{examples:?}");
}

#[test]
fn the_whole_list_is_in_groups_with_the_figures_of_each_entry() {
    let all = |key: &str| picks(&Document::default(), part_of(key), "");
    let models = all("m");
    let of = |label: &str| models.iter().find(|pick| pick.label == label).expect("a model");
    assert_eq!(
        (of("Llama-3 8B").group.as_str(), of("Llama-3 8B").detail.as_str()),
        ("Llama", "8.03\u{a0}B \u{b7} dense")
    );
    assert_eq!(of("DeepSeek-V3 671B-A37B").group, "DeepSeek");
    assert!(of("DeepSeek-V3 671B-A37B").detail.contains("B active \u{b7} experts"));
    assert!(of("Falcon-H1 34B").detail.ends_with("hybrid") && of("BERT large").detail.ends_with("encoder"));
    for picks in [models.clone(), all("g")] {
        let mut groups: Vec<&str> = picks.iter().map(|pick| pick.group.as_str()).collect();
        groups.dedup();
        let mut once = groups.clone();
        once.sort_unstable();
        once.dedup();
        assert_eq!(groups.len(), once.len(), "each heading is there once: {groups:?}");
        assert!(groups.len() > 4 && !groups.contains(&""));
    }
    assert!(
        picks(&Document::default(), part_of("m"), "llama")
            .iter()
            .all(|pick| pick.group.is_empty() || pick.group == EXAMPLES_HEADING)
    );
}

#[test]
fn no_other_size_is_found_than_the_one_that_is_typed() {
    for query in ["llama-3 7b", "qwen3 4b", "gpt-oss 12b"] {
        assert!(labels("m", query).is_empty(), "{query}");
        assert!(!similar(part_of("m"), query).is_empty(), "{query}");
    }
    assert!(labels("g", "a100 60gb").is_empty());
    assert_eq!(labels("g", "64 p5.48xlarge")[0], "64 \u{d7} AWS p5.48xlarge (512 GPUs)");
}

#[test]
fn a_number_before_the_machines_is_their_number() {
    let found = picks(&Document::default(), part_of("g"), "2,048 H800");
    let [Pick { label, action: Action::Set(values), .. }] = &found[..] else { panic!("{found:?}") };
    assert_eq!(label, "2,048 \u{d7} HGX H800");
    assert_eq!(values[..], [("g", "hgx-h800".to_owned()), ("n", "2048".to_owned())]);
    let nodes = picks(&Document::default(), part_of("g"), "24x8 h100");
    assert!(
        matches!(&nodes[0].action, Action::Set(values) if values[1].1 == "192"),
        "nodes of GPUs: {nodes:?}"
    );
    assert_eq!(labels("g", "gb200")[0], "GB200 NVL72");
}

#[test]
fn a_whole_job_is_said_in_one_breath() {
    let found = picks(&Document::default(), part_of("m"), "llama-2 7b on 8 a100 with fsdp");
    let Action::Set(values) = &found[0].action else { panic!("{found:?}") };
    let texts: Vec<(&str, &str)> = values.iter().map(|(key, text)| (*key, text.as_str())).collect();
    assert_eq!(texts[..3], [("m", "llama2-7b"), ("g", "dgx-a100-80g"), ("n", "8")]);
    assert!(texts[3].1.contains("fsdp"), "{texts:?}");
    assert!(labels("m", "llama-2 7b on 8 no such machine").is_empty());
    let found = picks(&Document::default(), part_of("m"), "QLoRA llama-3 8b on 1 4090");
    let Action::Set(values) = &found[0].action else { panic!("{found:?}") };
    assert!(found[0].label.ends_with("QLoRA") && values.contains(&("base", "nf4".to_owned())), "{found:?}");
}

#[test]
fn a_goal_is_said_with_the_job() {
    for (query, label, goal) in [
        (
            "llama-2 7b on 2T tokens in 14 days",
            "Llama-2 7B \u{b7} 2T tokens \u{b7} 14 days",
            &[("tokens", "2T"), ("days", "14")][..],
        ),
        (
            "deepseek-v3 on 2048 h800 for 14.8 T tokens",
            "DeepSeek-V3 671B-A37B \u{b7} 2,048 \u{d7} HGX H800 \u{b7} 14.8T tokens",
            &[("tokens", "14.8T")],
        ),
    ] {
        let found = picks(&Document::default(), part_of("m"), query);
        let Action::Set(values) = &found[0].action else { panic!("{found:?}") };
        assert_eq!(found[0].label, label);
        assert!(goal.iter().all(|(key, text)| values.contains(&(*key, (*text).to_owned()))), "{values:?}");
    }
}

#[test]
fn a_link_is_opened_wherever_it_is_pasted() {
    let found = labels("stack", "https://example.org/stepcast/#1;m=llama3-8b;g=dgx-h100;n=64;tp=2;pp=1");
    assert_eq!(found.len(), 1);
    assert!(found[0].starts_with("Open the link: Llama-3 8B on 64 GPUs"), "{found:?}");
}
