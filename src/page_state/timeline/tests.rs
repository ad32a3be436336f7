use super::*;
use crate::document::Document;
use crate::forecast::Predictor;

pub(super) fn replayed(link: &str) -> Replayed {
    let scenario = Document::from_link(link).expect("a link").document.scenario().expect("a scenario");
    let step = Predictor::SHIPPED.predict(&scenario).expect("legal").step;
    Replayed::new(&crate::forecast::Predictor::SHIPPED, &scenario, step, MOST_PASSES).expect("few passes")
}

pub(super) const SMALL: &str = "#1;m=llama3-8b;g=dgx-h100;n=32;gb=32;tp=2;pp=4;mb=1";

#[test]
fn stages_are_summed_as_the_replay_has_them() {
    let replayed = replayed(SMALL);
    let sums = replayed.sums();
    assert_eq!(sums.len(), 4);
    for (lane, busy) in sums.iter().zip(&replayed.timeline.busy) {
        assert_eq!(lane.passes, 16);
        assert!((lane.busy + lane.waits - (lane.end - lane.start)).0.abs() < 1e-9 && lane.busy == *busy);
    }
    // 1F1B: stage i of p holds p - i micro-batches.
    assert_eq!(sums.iter().map(|lane| lane.in_flight).collect::<Vec<_>>(), [4, 3, 2, 1]);
    assert!(replayed.summary().starts_with("Passes: "), "{}", replayed.summary());
}

#[test]
fn columns_hold_the_time_that_passes_take() {
    let replayed = replayed(SMALL);
    let LaneDetail::Passes(all) = replayed.sight(1, Span::WHOLE, 1000) else { panic!("few passes") };
    assert_eq!(all, replayed.lane(1));
    for span in [Span::WHOLE, Span { from: 0.25, to: 0.75 }] {
        let LaneDetail::Columns(columns) = replayed.sight(1, span, 8) else { panic!("many passes") };
        let width = replayed.end().0 * span.width() / columns.len() as f64;
        let drawn: f64 = columns.iter().flatten().sum::<f64>() * width;
        let (from, to) = (span.from * replayed.end().0, span.to * replayed.end().0);
        let inside = |event: &SimulatedPass| (event.end.0.min(to) - event.start.0.max(from)).max(0.0);
        let passes: f64 = replayed.lane(1).iter().map(inside).sum();
        assert!((drawn / passes - 1.0).abs() < 1e-9, "{drawn} and {passes}");
        assert!(columns.iter().all(|column| column.iter().sum::<f64>() <= 1.0 + 1e-9));
    }
}

#[test]
fn a_pass_is_found_by_its_time() {
    let replayed = replayed(SMALL);
    for (place, event) in replayed.lane(2).iter().enumerate() {
        let middle = (event.start + event.end) * 0.5;
        assert_eq!(replayed.at(2, middle), Some(place));
    }
    assert_eq!(replayed.at(3, Seconds::ZERO), None);
    assert_eq!(replayed.at(9, Seconds::ZERO), None);
}

#[test]
fn a_span_stays_within_the_whole_and_survives_as_text() {
    let close =
        |span: Span, from: f64, to: f64| (span.from - from).abs() < 1e-9 && (span.to - to).abs() < 1e-9;
    let half = Span::WHOLE.scaled(0.5, 0.0);
    assert!(close(half, 0.0, 0.5));
    assert!(close(half.moved(0.5), 0.25, 0.75));
    assert!(close(half.moved(9.0), 0.5, 1.0));
    assert!(close(half.moved(-9.0), 0.0, 0.5));
    assert!(close(half.scaled(9.0, 1.0), 0.0, 1.0));
    assert!(close(half.showing(0.5, 0.6), 0.3, 0.8));
    assert!(close(half.showing(0.75, 0.8), 0.5, 1.0));
    assert_eq!(half.showing(0.1, 0.2), half);
    assert!(Span::WHOLE.scaled(0.0, 0.5).width() > 0.0);
    assert_eq!(Span::WHOLE.text(), "0_1");
    assert_eq!(Span::parse(&half.moved(0.5).text()), Some(half.moved(0.5)));
    for wrong in ["", "x", "0.5_0.2", "-1_2", "0_0", "nan_1", "0.1_1e9"] {
        assert_eq!(Span::parse(wrong), None, "{wrong}");
    }
}

#[test]
fn too_many_passes_are_refused_in_a_sentence() {
    let scenario = Document::from_link(SMALL).expect("a link").document.scenario().expect("a scenario");
    let errors = Replayed::new(&crate::forecast::Predictor::SHIPPED, &scenario, Seconds(1.0), 10)
        .expect_err("too many");
    assert!(errors.first().expect("one").message.contains("64 passes"), "{errors:?}");
}

#[test]
fn a_trace_has_every_pass_once() {
    let replayed = replayed("#1;m=llama3-8b;g=dgx-h100;n=32;gb=32;tp=2;pp=4;mb=1;vpp=2");
    let trace: serde_json::Value =
        serde_json::from_str(&serde_json::to_string(&trace::trace(&replayed)).expect("numbers and texts"))
            .expect("JSON");
    let events = trace["traceEvents"].as_array().expect("a list");
    assert_eq!(events.len(), 4 + replayed.timeline.events.len());
    let passes: Vec<_> = events.iter().filter(|event| event["ph"] == "X").collect();
    let busy: f64 = passes.iter().map(|event| event["dur"].as_f64().expect("a number")).sum();
    let whole: Seconds = replayed.timeline.busy.iter().copied().sum();
    assert!((busy * 1e-6 / whole.0 - 1.0).abs() < 1e-9);
    assert_eq!(passes[0]["name"], "Forward 0");
}

#[test]
fn a_pass_in_words() {
    let replayed = replayed(SMALL);
    let words = sentence(&replayed.lane(1)[0], 1);
    assert!(words.starts_with("Stage 1, micro-batch 0: forward, "), "{words}");
    assert!(sentence(&replayed.lane(1)[0], 2).contains(", chunk 1, "));
}
