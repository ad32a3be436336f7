//! What is typed, how it is read, what is refused, and the link that carries it.

use proptest::prelude::*;
use stepcast::document::Document;
use stepcast::document::examples::EXAMPLES;
use stepcast::error::FieldError;
use stepcast::fields::{FIELDS, Field, FieldGroup, FieldKind};
use stepcast::names::NameKind;
use stepcast::rules::plan_is_legal;
use stepcast::scenario::model::{Positions, pattern::Letter};
use stepcast::scenario::plan::{
    ContextExchange, GatherOverlap, Mapping, Plan, Recompute, Schedule, StageSplit, Zero,
};
use stepcast::scenario::stack::Stack;
use stepcast::scenario::{Precision, Scenario};

fn with(edits: &[(&str, &str)]) -> Document {
    let mut document = Document::default();
    for (key, text) in edits {
        document.set(key, text);
    }
    document
}

fn scenario(edits: &[(&str, &str)]) -> Scenario {
    with(edits).scenario().unwrap_or_else(|errors| panic!("{edits:?}: {errors:?}"))
}

fn errors(edits: &[(&str, &str)]) -> Vec<FieldError> {
    with(edits).scenario().err().unwrap_or_else(|| panic!("{edits:?} is legal"))
}

/// The only error, its message and its suggestions.
fn error(edits: &[(&str, &str)], field: &str) -> (String, Vec<String>) {
    let errors = errors(edits);
    assert_eq!(errors.len(), 1, "{errors:?}");
    let error = errors.into_iter().next().expect("one error");
    assert_eq!(error.field, field, "{error:?}");
    assert!(error.message.ends_with('.'), "{error:?}");
    (error.message, error.suggestions)
}

#[test]
fn the_default_document_is_llama3_70b_on_512_h100() {
    let scenario = Document::default().scenario().expect("legal");
    assert_eq!((scenario.model.layers, scenario.model.hidden), (80, 8192));
    assert_eq!((scenario.cluster.gpus, scenario.cluster.nodes()), (512, 64));
    assert_eq!((scenario.data_parallel(), scenario.micro_batches()), (16, 64));
    assert_eq!((scenario.workload.sequence, scenario.workload.global_batch), (8192, 1024));
    assert_eq!(scenario.workload.precision, Precision::Bf16);
}

#[test]
fn every_field_reads_its_own_canonical_text() {
    for example in EXAMPLES {
        let document = Document::from_link(example.link).expect(example.name).document;
        let scenario = document.scenario().unwrap_or_else(|errors| panic!("{}: {errors:?}", example.name));
        assert_eq!(Document::from_scenario(&scenario).scenario(), Ok(scenario), "{}", example.name);
        for field in FIELDS {
            let value = field.parse(&field.canonical(&scenario)).expect(field.key);
            field.check(value).expect(field.key);
            let mut copy = scenario;
            (field.set)(&mut copy, value);
            // A kind of recomputation, and a split, begin without what belongs to them.
            for field in ["rcm", "rcn", "stages"].into_iter().filter_map(Field::find) {
                let value = field.parse(&field.canonical(&scenario)).expect(field.key);
                (field.set)(&mut copy, value);
            }
            assert_eq!(copy, scenario, "{} of {}", field.key, example.name);
        }
    }
}

/// The form says what every letter of a pattern means.
#[test]
fn every_letter_is_explained() {
    let help = Field::find("lay").expect("a field").help();
    for letter in Letter::ALL.map(|letter| letter.letter) {
        let explained =
            [format!(" {letter} ("), format!("{letter} is ")].iter().any(|text| help.contains(text));
        assert!(explained, "{letter}");
    }
}

#[test]
fn fields_are_unique_and_explained() {
    for (index, field) in FIELDS.iter().enumerate() {
        assert!(FIELDS.iter().skip(index + 1).all(|other| other.key != field.key), "{} twice", field.key);
        assert!(field.key.len() <= 6 && !field.key.is_empty());
        assert!(!field.label.is_empty() && field.help().ends_with('.'), "{}", field.key);
        if let FieldKind::Choice(list) = field.kind {
            assert!(list.iter().all(|(name, label)| !name.is_empty() && !label.is_empty()), "{}", field.key);
        }
    }
}

#[test]
fn suffixes_units_and_separators_are_read() {
    for (key, text, canonical) in [
        ("seq", "8k", "8192"),
        ("seq", " 8 k tokens ", "8192"),
        ("seq", "16M", "16777216"),
        ("gb", "1,024", "1024"),
        ("gb", "1_024 sequences", "1024"),
        ("gb", "2.5k", "2560"),
        ("gb", "1e3", "1000"),
        ("n", "64x8", "512"),
        ("n", "64 \u{d7} 8 GPUs", "512"),
        ("n", "1\u{a0}024", "1024"),
        ("vocab", "32k", "32000"),
        ("vocab", "128Ki", "131072"),
        ("nic", "400Gb/s", "400"),
        ("nic", "50GB/s", "400"),
        ("nic", "400 gbps", "400"),
        ("nic", "0.4 Tb/s", "400"),
        ("link", "450", "450"),
        ("link", "3.6Tb/s", "450"),
        ("link", "450 GBps", "450"),
        ("mem", "80GiB", "80"),
        ("mem", "80G", "80"),
        ("mem", "81920 MiB", "80"),
        ("mem", "8.589934592GB", "8"),
        ("hbm", "3350GB/s", "3.35"),
        ("bf16", "0.989 PFLOP/s", "989"),
        ("bf16", "989 TFLOPS", "989"),
        ("over", "2:1", "2"),
        ("sp", "yes", "1"),
        ("sp", "off", "0"),
        ("prec", "BF16", "bf16"),
        ("stack", "torchtitan", "torchtitan"),
    ] {
        let field = stepcast::fields::Field::find(key).expect(key);
        let mut scenario = Document::default().scenario().expect("legal");
        let value = field.parse(text).unwrap_or_else(|error| panic!("{key} = {text}: {error}"));
        (field.set)(&mut scenario, value);
        assert_eq!(field.canonical(&scenario), canonical, "{key} = {text}");
    }
}

#[test]
fn the_echo_says_how_a_text_was_read() {
    for (key, text, echo) in [
        ("seq", "8k", Some("8,192 tokens")),
        ("seq", "8192", None),
        ("seq", "8,192", Some("8,192 tokens")),
        ("n", "512", Some("64 nodes \u{d7} 8 GPUs")),
        ("n", "1k", Some("1,024 GPUs, 128 nodes \u{d7} 8 GPUs")),
        ("n", "8", Some("1 node")),
        ("n", "4", Some("part of one node")),
        ("nic", "400", Some("50 GB/s")),
        ("nic", "50GB/s", Some("400 Gb/s, 50 GB/s")),
        ("link", "450", Some("3,600 Gb/s")),
        ("mem", "80", Some("85.9 GB")),
        ("seq", "abc", None),
        ("prec", "bf16", None),
    ] {
        assert_eq!(with(&[(key, text)]).echo(key).as_deref(), echo, "{key} = {text}");
    }
}

#[test]
fn what_cannot_be_read_gets_a_sentence_and_stays() {
    for (key, text, part) in [
        ("tp", "", "empty"),
        ("tp", "   ", "empty"),
        ("tp", "abc", "is not a number"),
        ("gb", "1e99", "too large"),
        ("gb", "-4", "negative"),
        ("gb", "0", "too small"),
        ("gb", "2.5", "whole number. Use 2 or 3"),
        ("gb", "1,5", "point"),
        ("gb", "12 parsecs", "not a valid unit"),
        ("gb", "nan", "is not a number"),
        ("gb", "inf", "is not a number"),
        ("mem", "80 Gb/s", "not a valid unit"),
        ("nic", "-400", "negative"),
        ("hbm", "1e400", "too large"),
        ("m", "llama3-71b", "llama3-70b"),
        ("prec", "int8", "bf16"),
        ("sp", "maybe", "1 (on) or 0 (off)"),
        ("n", "x", "is not a number"),
    ] {
        let document = with(&[(key, text)]);
        let (message, _) = error(&[(key, text)], key);
        assert!(message.contains(part), "{key} = {text:?}: {message}");
        assert_eq!(document.text(key), text);
    }
    assert_eq!(error(&[("gb", "-4")], "gb").1, ["1"]);
    assert_eq!(errors(&[("tp", ""), ("gb", "x")]).len(), 2);
}

#[test]
fn impossible_layouts_name_the_field_and_the_nearest_legal_values() {
    let (message, legal) = error(&[("tp", "3")], "tp");
    assert_eq!(message, "64 attention heads are not divisible by TP 3. Set TP to 2 or 4.");
    assert_eq!(legal, ["2", "4"]);

    let (message, legal) = error(&[("tp", "1"), ("sp", "0"), ("pp", "1"), ("gb", "80"), ("n", "10")], "n");
    assert_eq!(message, "10 GPUs are not divisible by 8 GPUs per node. Set the number of GPUs to 8 or 16.");
    assert_eq!(legal, ["8", "16"]);
    assert!(scenario(&[("n", "4"), ("tp", "4"), ("pp", "1")]).cluster.gpus == 4);

    assert_eq!(error(&[("pp", "3")], "pp").1, ["2", "4"]);
    assert_eq!(error(&[("pp", "64"), ("layers", "48")], "pp").1, ["32"]);
    assert_eq!(error(&[("vpp", "6")], "vpp").1, ["5", "10"]);
    assert_eq!(error(&[("vpp", "21")], "vpp").1, ["20"]);
    assert_eq!(error(&[("pp", "1"), ("vpp", "2")], "vpp").1, ["1"]);
    assert_eq!(error(&[("m", "llama3-405b"), ("pp", "16"), ("vpp", "8")], "split").1, ["ends"]);
    scenario(&[("m", "llama3-405b"), ("pp", "16"), ("vpp", "8"), ("split", "ends")]);
    assert_eq!(error(&[("n", "8")], "pp").1, ["1"]);
    assert_eq!(error(&[("gb", "1000")], "gb").1, ["992", "1008"]);
    assert_eq!(error(&[("gb", "1008"), ("vpp", "5")], "vpp").1, ["1"]);
    assert_eq!(error(&[("mb", "3")], "mb").1, ["2", "4"]);
    assert!(
        !scenario(&[("tp", "1"), ("gb", "2048")]).plan.sequence_parallel,
        "of one rank there is no group"
    );
    assert_eq!(error(&[("cp", "3")], "cp").1, ["2", "4"]);
    assert_eq!(error(&[("seq", "8190")], "seq").1, ["8184", "8192"]);
    assert_eq!(error(&[("kv", "5")], "kv").1, ["4", "8"]);
    assert_eq!(error(&[("dh", "127")], "dh").1, ["126", "128"]);
    assert_eq!(error(&[("domain", "12")], "domain").1, ["8", "16"]);
    assert_eq!(error(&[("ffn", "28676")], "tp").1, ["4"]);
    assert_eq!(error(&[("pos", "learned"), ("ctx", "4096")], "seq").1, ["4096"]);
    assert_eq!(error(&[("g", "dgx-a100-80g"), ("prec", "fp8")], "prec").1, ["bf16", "fp16"]);
    assert_eq!(error(&[("prec", "mxfp8")], "prec").1, ["bf16", "fp16", "fp8"]);
    assert_eq!(error(&[("prec", "nvfp4")], "prec").1, ["bf16", "fp16", "fp8"]);
    assert_eq!(error(&[("g", "dgx1-v100")], "prec").1, ["fp16"]);
    assert!(scenario(&[("g", "gb200-nvl72"), ("prec", "nvfp4")]).cluster.gpu.peak_fp4.0 > 0.0);
}

#[test]
fn a_preset_fills_its_group_and_edits_show_as_customised() {
    let mut document = Document::default();
    document.set("m", "gpt3-175b");
    assert_eq!((document.text("layers"), document.text("tied"), document.text("ctx")), ("96", "1", "2048"));
    assert!(!document.customised(FieldGroup::Model) && !document.edited("layers"));
    document.set("layers", "48");
    assert_eq!(document.text("m"), "gpt3-175b");
    assert!(document.customised(FieldGroup::Model) && document.edited("layers"));
    assert!(!document.customised(FieldGroup::Cluster));
    document.set("g", "perlmutter");
    assert_eq!((document.text("n"), document.text("node")), ("512", "4"), "the number of GPUs stays");
    document.set("m", "custom");
    assert_eq!(document.text("layers"), "48", "custom keeps the values");
}

#[test]
fn loading_a_layout_writes_the_plan_only() {
    let plan = Plan {
        tensor_parallel: 4,
        sequence_parallel: true,
        context_parallel: 2,
        context_exchange: ContextExchange::Ring,
        expert_parallel: 1,
        expert_tensor_parallel: 1,
        expert_overlap: false,
        pipeline_parallel: 8,
        virtual_stages: 1,
        schedule: Schedule::OneForwardOneBackward,
        zero: Zero::Hybrid,
        shard_group: 4,
        micro_batch: 2,
        recompute: Recompute::Full,
        tensor_overlap: false,
        data_overlap: false,
        gather_overlap: GatherOverlap::Overlaps,
        pipeline_overlap: true,
        offload_optimizer: true,
        offload_parameters: true,
        offload_activations: 0,
        mapping: Mapping::TensorPipelineData,
        stage_split: StageSplit::CountEnds,
    };
    let mut document = with(&[("seq", "16k"), ("v.tab", "ranking")]);
    document.load_plan(&plan);
    let scenario = document.scenario().expect("legal");
    assert_eq!(scenario.plan, plan);
    assert_eq!(document.text("seq"), "16k");
}

#[test]
fn golden_links_open_forever() {
    let golden = [
        ("#1;m=llama3-70b;g=dgx-h100;n=512", Document::default()),
        (
            "#1;m=gpt3-175b;g=dgx-a100-80g;n=1024;seq=2k;gb=1536;stack=megatron-lm;year=2021;tp=8;pp=8",
            with(&[
                ("m", "gpt3-175b"),
                ("g", "dgx-a100-80g"),
                ("n", "1024"),
                ("seq", "2k"),
                ("gb", "1536"),
                ("stack", "megatron-lm"),
                ("year", "2021"),
                ("tp", "8"),
                ("pp", "8"),
            ]),
        ),
        (
            "#1;m=llama3-8b;layers=16;g=custom;n=64x8;bf16=1%20PFLOP/s;later=7;v.sort=-mfu",
            with(&[
                ("m", "llama3-8b"),
                ("layers", "16"),
                ("g", "custom"),
                ("n", "64x8"),
                ("bf16", "1 PFLOP/s"),
                ("later", "7"),
                ("v.sort", "-mfu"),
            ]),
        ),
    ];
    for (link, document) in golden {
        let opened = Document::from_link(link).expect(link);
        assert_eq!(opened.document, document, "{link}");
        assert!(opened.document.scenario().is_ok(), "{link}");
    }
}

#[test]
fn links_are_short_readable_and_in_order() {
    assert_eq!(
        Document::from_link("#2;m=llama3-70b;g=dgx-h100;n=512").expect("a link").document.to_link(),
        "#2;m=llama3-70b;g=dgx-h100;n=512"
    );
    let document = with(&[
        ("tp", "4"),
        ("seq", "16k"),
        ("g", "gb200-nvl72"),
        ("m", "llama3-405b"),
        ("hidden", "8,192"),
        ("zz", "a=b;c"),
        ("aa", "\u{fc}"),
    ]);
    assert_eq!(
        document.to_link(),
        "#2;m=llama3-405b;hidden=8,192;g=gb200-nvl72;n=512;seq=16k;gb=1024;stack=nemo;tp=4;sp=1;cp=1;pp=4;vpp=1;\
         sched=1f1b;zero=1;mb=1;rc=none;split=even;aa=%C3%BC;zz=a%3Db%3Bc"
    );
    // A custom model names what differs from the model that a link begins with.
    let custom = with(&[("m", "custom"), ("layers", "64")]).to_link();
    assert!(custom.contains(";m=custom;layers=64;g=dgx-h100;"), "{custom}");
}

#[test]
fn links_open_from_urls_and_fragments() {
    let link = with(&[("tp", "4")]).to_link();
    let fragment = link.trim_start_matches('#');
    for text in
        [&link, fragment, &format!("https://example.org/stepcast/?embed=1{link}"), &format!(" {link} ")]
    {
        assert_eq!(Document::from_link(text).expect(text).document.text("tp"), "4", "{text}");
    }
    for text in ["", "#", "#1", "1;", "https://example.org/stepcast/"] {
        let opened = Document::from_link(text).expect(text);
        assert_eq!(opened.document, Document::default(), "{text}");
        assert!(opened.notices.is_empty());
    }
}

#[test]
fn unknown_keys_are_kept_and_reported_and_view_keys_are_kept_silently() {
    let opened = Document::from_link("1;m=llama3-8b;flavour=8;v.tab=memory").expect("readable");
    assert_eq!(opened.notices.len(), 1);
    assert!(opened.notices[0].contains("flavour"));
    assert_eq!(opened.document.extra("tab"), Some("memory"));
    assert!(opened.document.to_link().ends_with(";flavour=8;v.tab=memory"));
    let mut document = opened.document;
    document.set_extra("tab", "");
    assert_eq!(document.extra("tab"), None);
    assert!(!document.to_link().contains("v."));
    let twice = Document::from_link("1;tp=2;tp=4").expect("readable");
    assert!(twice.notices[0].contains("tp") && twice.document.text("tp") == "4");
}

#[test]
fn damaged_and_newer_links_are_refused_with_a_sentence() {
    for (link, field, part) in [
        ("3;m=llama3-8b", None, "format 3"),
        ("hello", None, "damaged"),
        ("-1;tp=4", None, "damaged"),
        ("1;tp", None, "\u{201c}tp\u{201d} has no value"),
        ("1;tp=%zz", Some("tp"), "\u{201c}tp\u{201d}"),
        ("1;tp=%f", Some("tp"), "\u{201c}tp\u{201d}"),
        ("1;gb=%ff%fe", Some("gb"), "\u{201c}gb\u{201d}"),
        ("1;=4", Some(""), "damaged"),
    ] {
        let error = Document::from_link(link).expect_err(link);
        assert_eq!(error.field.as_deref(), field, "{link}");
        assert!(error.message.contains(part) && error.message.ends_with('.'), "{link}: {error}");
    }
    assert!(Document::from_link(&format!("1;tp={}", "4".repeat(70_000))).is_err());
    let out_of_range = Document::from_link("1;tp=99999").expect("readable").document;
    assert_eq!(out_of_range.text("tp"), "99999");
    assert_eq!(out_of_range.scenario().expect_err("illegal")[0].field, "tp");
}

fn any_plan() -> impl Strategy<Value = Plan> {
    let degree = || prop_oneof![4 => (0_u32..7).prop_map(|power| 1 << power), 1 => 0_u32..40];
    (
        (degree(), any::<bool>(), degree(), degree(), 0_u32..6, degree()),
        prop_oneof![Just(Zero::None), Just(Zero::Optimizer), Just(Zero::Parameters), Just(Zero::Hybrid)],
    )
        .prop_map(|((tp, sp, cp, pp, vpp, mb), zero)| Plan {
            tensor_parallel: tp,
            sequence_parallel: sp,
            context_parallel: cp,
            pipeline_parallel: pp,
            virtual_stages: vpp,
            zero,
            micro_batch: mb,
            ..Plan::PLAIN
        })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_in_any_field_is_kept_and_never_panics(index in 0..FIELDS.len(), text in ".{0,40}") {
        let field = &FIELDS[index];
        let document = with(&[(field.key, &text)]);
        // A name of a model, machine or software, however it is written, becomes its key.
        let is_name = NameKind::of_field(field.key).is_some() && document.text(field.key) != text;
        prop_assert!(is_name || document.text(field.key) == text);
        let _ = document.echo(field.key);
        if let Err(errors) = document.scenario() {
            prop_assert!(!errors.is_empty());
        }
        let again = Document::from_link(&document.to_link()).expect("own link").document;
        prop_assert_eq!(again, document);
    }

    #[test]
    fn number_like_texts_never_panic(index in 0..FIELDS.len(), text in "[-+]?[0-9]{0,4}[.,' _]?[0-9]{0,4}(e[-+]?[0-9]{1,3})?[ ]?[kMGTPi]{0,2}[bBx:/s0-9]{0,4}") {
        let document = with(&[(FIELDS[index].key, &text)]);
        let _ = (document.scenario(), document.echo(FIELDS[index].key));
    }

    #[test]
    fn any_fragment_opens_or_is_refused(text in "[ -~\u{e9}\u{4e2d}]{0,60}", known in any::<bool>()) {
        let link = if known { format!("1;{text}") } else { text };
        if let Ok(opened) = Document::from_link(&link) {
            let again = Document::from_link(&opened.document.to_link()).expect("own link").document;
            prop_assert_eq!(again, opened.document);
        }
    }

    #[test]
    fn the_quick_check_of_a_plan_agrees_with_the_full_one(plan in any_plan(), gpus in 0_u32..8, batch in 1_u32..9) {
        let base = Document::default().scenario().expect("legal");
        let mut scenario = Scenario { plan, ..base };
        scenario.cluster.gpus = 32 << gpus;
        scenario.workload.global_batch = 512 * batch;
        prop_assert_eq!(plan_is_legal(&scenario), scenario.validate().is_ok());
    }

    #[test]
    fn suggestions_mend_the_field_they_stand_at(plan in any_plan(), gpus in 1_u32..2000, batch in 1_u32..3000) {
        let base = Document::default().scenario().expect("legal");
        let mut scenario = Scenario { plan, ..base };
        scenario.cluster.gpus = gpus;
        scenario.workload.global_batch = batch;
        let document = Document::from_scenario(&scenario);
        for error in document.scenario().err().unwrap_or_default() {
            for suggestion in &error.suggestions {
                let mut mended = document.clone();
                mended.set(error.field, suggestion);
                let left = mended.scenario().err().unwrap_or_default();
                prop_assert!(left.iter().all(|other| other.message != error.message), "{error:?} still stands");
            }
        }
    }

    #[test]
    fn scenarios_survive_the_form(tp in 0_u32..4, bandwidth in 1e9_f64..1e12, peak in 1e12_f64..1e16) {
        let mut scenario = Document::default().scenario().expect("legal");
        scenario.plan.tensor_parallel = 1 << tp;
        scenario.plan.sequence_parallel = tp > 0;
        scenario.plan.virtual_stages = 1;
        scenario.workload.global_batch = 4096;
        scenario.cluster.network.nic_bandwidth.0 = bandwidth;
        scenario.cluster.gpu.peak_bf16.0 = peak;
        scenario.software.stack = Stack::Eager;
        let again = Document::from_scenario(&scenario).scenario().expect("legal");
        prop_assert!((again.cluster.gpu.peak_bf16.0 / peak - 1.0).abs() < 1e-14);
        prop_assert!((again.cluster.network.nic_bandwidth.0 / bandwidth - 1.0).abs() < 1e-14);
        prop_assert_eq!(again.plan, scenario.plan);
    }
}

#[test]
fn learned_positions_carry_their_rows() {
    let scenario = scenario(&[("pos", "learned"), ("ctx", "8k")]);
    assert_eq!(scenario.model.positions, Positions::Learned(8192));
    let document = Document::from_scenario(&scenario);
    assert_eq!((document.text("pos"), document.text("ctx")), ("learned", "8192"));
    assert!(document.applies("ctx") && !Document::default().applies("ctx"));
    assert!(with(&[("ctx", "nonsense")]).scenario().is_ok(), "a field without effect cannot be wrong");
}
