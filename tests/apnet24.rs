//! APNet'24, "Understanding Communication Characteristics of Distributed Training": its equations, its
//! table 3 and what it observed, on its own platforms.

use stepcast::closed_form::{Given, Notation, closed_form};
use stepcast::document::Document;
use stepcast::document::examples::find;
use stepcast::scenario::Scenario;
use stepcast::units::{BytesPerSecond, FlopsPerSecond, Seconds};

fn scenario(name: &str) -> Scenario {
    let example = find(name).unwrap_or_else(|| panic!("no example {name}"));
    Document::from_link(example.link).expect("readable").document.scenario().expect("legal")
}

fn gpt_1_5b() -> Scenario {
    scenario("apnet24-gpt-1.5b")
}

fn gpt_3b() -> Scenario {
    scenario("apnet24-gpt-3b")
}

fn close(left: f64, right: f64) -> bool {
    (left - right).abs() <= 1e-12 * right.abs()
}

#[track_caller]
fn assert_close(left: f64, right: f64) {
    assert!(close(left, right), "{left} is not {right}");
}

/// C = 10 GB/s for every kind: round numbers for the equations below.
const RATE: Option<BytesPerSecond> = Some(BytesPerSecond(1e10));

/// Both settings of section 4.1, as the paper writes them.
#[test]
fn notation_is_the_papers() {
    let n = Notation::new(&gpt_1_5b());
    assert_eq!((n.l, n.h, n.s, n.gb, n.b, n.m), (48.0, 1600.0, 1024.0, 512.0, 32.0, 8.0));
    assert_eq!((n.p, n.t, n.d), (4.0, 2.0, 2.0));
    let n = Notation::new(&gpt_3b());
    assert_eq!((n.l, n.h, n.s, n.gb, n.b, n.m), (54.0, 2000.0, 1024.0, 1024.0, 32.0, 8.0));
    assert_eq!((n.p, n.t, n.d), (4.0, 2.0, 4.0));
    assert_eq!(n.vocabulary, 50_257.0);
}

/// T_TP = m (l/p) 6 2bsh 2(t-1)/(t C).
///
/// 1.5B: 2bsh = 2*32*1024*1600 = 104,857,600 B; 8 * 12 * 6 = 576 all-reduces; 2(2-1)/2 = 1:
///       576 * 104,857,600 = 60,397,977,600 B at 1e10 B/s = 6.03979776 s.
/// 3B:   2bsh = 2*32*1024*2000 = 131,072,000 B; 8 * 13.5 * 6 = 648:
///       648 * 131,072,000 = 84,934,656,000 B = 8.4934656 s.
#[test]
fn equation_2() {
    assert_close(Notation::new(&gpt_1_5b()).tensor_parallel(RATE).0, 6.039_797_76);
    assert_close(Notation::new(&gpt_3b()).tensor_parallel(RATE).0, 8.493_465_6);
}

/// T_PP = m 2 2bsh / C.
///
/// 1.5B: 8 * 2 * 104,857,600 = 1,677,721,600 B = 0.16777216 s.
/// 3B:   8 * 2 * 131,072,000 = 2,097,152,000 B = 0.2097152 s.
#[test]
fn equation_3() {
    assert_close(Notation::new(&gpt_1_5b()).pipeline_parallel(RATE).0, 0.167_772_16);
    assert_close(Notation::new(&gpt_3b()).pipeline_parallel(RATE).0, 0.209_715_2);
}

/// T_DP = 2N/(pt) 2(d-1)/(d C), with N of equation 10 below.
///
/// 1.5B: 2 * 1,557,608,000 / 8 = 389,402,000 B; 2(2-1)/2 = 1: 0.0389402 s.
/// 3B:   2 * 2,695,966,000 / 8 = 673,991,500 B; 2(4-1)/4 = 1.5: 1,010,987,250 B = 0.101098725 s.
#[test]
fn equation_4() {
    assert_close(Notation::new(&gpt_1_5b()).data_parallel(RATE).0, 0.038_940_2);
    assert_close(Notation::new(&gpt_3b()).data_parallel(RATE).0, 0.101_098_725);
}

/// T_bubble = (p-1)(T_comp + T_PP + T_TP)/m, here with T_comp = 16 s for the step.
///
/// 1.5B: 3/8 * (16 + 0.16777216 + 6.03979776) = 3/8 * 22.20756992 = 8.32783872 s.
/// 3B:   3/8 * (16 + 0.2097152 + 8.4934656) = 3/8 * 24.7031808 = 9.2636928 s.
#[test]
fn equation_5() {
    for (scenario, seconds) in [(gpt_1_5b(), 8.327_838_72), (gpt_3b(), 9.263_692_8)] {
        let n = Notation::new(&scenario);
        let bubble = n.bubble(Seconds(16.0), n.tensor_parallel(RATE), n.pipeline_parallel(RATE));
        assert_close(bubble.0, seconds);
    }
}

/// R_bubble = (p-1)/(p-1+m) = 3/11 for both, since both have p = 4 and m = 8.
#[test]
fn equation_7() {
    assert_close(Notation::new(&gpt_1_5b()).bubble_ratio(), 3.0 / 11.0);
    assert_close(Notation::new(&gpt_3b()).bubble_ratio(), 3.0 / 11.0);
}

/// T_comp = 8 m N b s / (p t mu F), with mu F = 0.3 * 71e12 = 21.3e12 FLOP/s (RTX 3090).
///
/// 1.5B: 8*8*1,557,608,000*32*1024 = 3,266,540,732,416,000; / (4*2) = 408,317,591,552,000 FLOP;
///       / 21.3e12 = 19.16983998 s.
/// 3B:   8*8*2,695,966,000*32*1024 = 5,653,850,488,832,000; / (4*2) = 706,731,311,104,000 FLOP;
///       / 21.3e12 = 33.17987376 s.
#[test]
fn equation_9() {
    let peak = FlopsPerSecond::from_tera(71.0);
    assert_close(Notation::new(&gpt_1_5b()).computation(0.3, peak).0, 408_317_591_552_000.0 / 21.3e12);
    assert_close(Notation::new(&gpt_3b()).computation(0.3, peak).0, 706_731_311_104_000.0 / 21.3e12);
}

/// N = 12 l h^2 (1 + 13/(12h) + (V+s)/(12lh)) = 12 l h^2 + 13 l h + (V+s) h.
///
/// 1.5B: 12*48*1600^2 = 1,474,560,000; 13*48*1600 = 998,400; (50,257+1,024)*1600 = 82,049,600;
///       sum 1,557,608,000.
/// 3B:   12*54*2000^2 = 2,592,000,000; 13*54*2000 = 1,404,000; 51,281*2000 = 102,562,000;
///       sum 2,695,966,000.
#[test]
fn equation_10() {
    assert_close(Notation::new(&gpt_1_5b()).parameters(), 1_557_608_000.0);
    assert_close(Notation::new(&gpt_3b()).parameters(), 2_695_966_000.0);
}

#[test]
fn the_terms_are_the_equations_and_add_up() {
    for scenario in [gpt_1_5b(), gpt_3b()] {
        let given = Given { utilisation: Some(0.25), tensor: RATE, pipeline: RATE, data: RATE };
        let result = closed_form(&scenario, &given).expect("legal");
        let n = Notation::new(&scenario);
        assert_eq!(result.terms.tensor_parallel, n.tensor_parallel(RATE));
        assert_eq!(result.terms.computation, n.computation(0.25, FlopsPerSecond::from_tera(71.0)));
        assert_eq!(
            result.equations.iter().map(|e| e.number).collect::<Vec<_>>(),
            (1..=11).collect::<Vec<_>>()
        );
        assert_close(result.equations[0].value, result.step.0);
        assert_close(result.equations[5].value, result.step.0);
        for row in &result.comparison {
            let reasons: f64 = row.reasons.iter().map(|reason| reason.difference.0).sum();
            let difference = row.detailed.0 - row.closed_form.0;
            let scale = row.detailed.0.max(row.closed_form.0).max(1e-9);
            assert!((reasons - difference).abs() <= 2e-3 * scale, "{row:?}");
        }
        let detailed: f64 = result.comparison.iter().map(|row| row.detailed.0).sum();
        let forecast = stepcast::prediction::predict(&scenario).expect("legal").step.0;
        assert!((detailed / forecast - 1.0).abs() < 1e-9, "every part of the forecast is compared");
    }
}
