//! The predictor in WebAssembly, in a browser: the same numbers as on the host, and how fast they come.

#![cfg(target_family = "wasm")]

#[path = "../examples/forecasts/lines.rs"]
mod lines;

use stepcast::document::Document;
use stepcast::forecast::Predictor;
use stepcast::learned::{Fit, Regressor, SampledKind, Trainer, compact, read};
use stepcast::scenario::Scenario;
use stepcast::scenario::cluster::presets::find;
use stepcast::tuner::{FreeAxes, Options, Space};

use wasm_bindgen_test::{console_log, wasm_bindgen_test, wasm_bindgen_test_configure};

wasm_bindgen_test_configure!(run_in_browser);

fn scenario(link: &str) -> Scenario {
    Document::from_link(link).expect("a link of this version").document.scenario().expect("a legal scenario")
}

/// `cargo xtask test` compiles in what `cargo run --example forecasts -- --fingerprints` prints on the host.
#[wasm_bindgen_test]
fn forecasts_equal_the_hosts_to_the_last_digit() {
    let Some(native) = option_env!("STEPCAST_NATIVE_FORECASTS") else {
        panic!("run by `cargo xtask test wasm`");
    };
    let here = lines::lines();
    assert_eq!(here.len(), native.lines().count());
    for (here, native) in here.iter().zip(native.lines()) {
        assert_eq!(lines::fingerprint(here), native, "the host has another line than this: {here}");
    }
}

#[wasm_bindgen_test]
fn one_forecast_is_timed() {
    let scenario = scenario("1;m=llama3-70b;g=dgx-h100;n=512;tp=8;pp=4");
    let repeats = 2000;
    let start = js_sys::Date::now();
    let ok =
        (0..repeats).filter(|_| Predictor::SHIPPED.predict(std::hint::black_box(&scenario)).is_ok()).count();
    let elapsed = js_sys::Date::now() - start;
    assert_eq!(ok, repeats);
    console_log!("one forecast in the browser: {:.1} us", 1e3 * elapsed / repeats as f64);
}

#[wasm_bindgen_test]
fn a_whole_ranking_is_timed() {
    let scenario = scenario("1;m=llama3-70b;g=dgx-h100;n=512");
    let start = js_sys::Date::now();
    let mut search =
        Predictor::SHIPPED.search(Space::new(&scenario, FreeAxes::default()), Options::default());
    search.finish();
    let (layouts, fits) = (search.counts().layouts, search.counts().fitting);
    let seconds = (js_sys::Date::now() - start) / 1e3;
    assert!(fits > 0, "some layout of Llama-3 70B fits on 512 H100");
    console_log!(
        "one ranking in the browser: {layouts} layouts in {seconds:.3} s, {:.0} per second",
        layouts as f64 / seconds
    );
}

/// The page trains in a worker, a tree at a time; what one operator takes in all, and its longest step.
#[wasm_bindgen_test]
fn learning_an_operator_is_timed() {
    let sets = read("linear1.csv", &lines::samples()).expect("a sample file").sets;
    assert_eq!(sets[0].samples.len(), 1755);
    let cluster = find("perlmutter").expect("a preset").cluster;
    let start = js_sys::Date::now();
    let mut trainer = Trainer::new(&sets[..1], &cluster);
    let (mut last, mut longest) = (start, 0.0_f64);
    while trainer.step().is_some() {
        let now = js_sys::Date::now();
        longest = longest.max(now - last);
        last = now;
    }
    let seconds = (js_sys::Date::now() - start) / 1e3;
    assert_eq!(trainer.outcomes().len(), 1);
    console_log!(
        "one operator of 1,755 samples, cross-validated five times: {seconds:.2} s, longest step {longest} ms"
    );
    let settings = compact(SampledKind::Product);
    let start = js_sys::Date::now();
    let fit = Fit::with(Regressor::Hybrid, &sets[0].samples, sets[0].direction, &cluster, 42, settings);
    assert!(fit.map(Fit::finish).is_some());
    let seconds = (js_sys::Date::now() - start) / 1e3;
    console_log!("one operator of 1,755 samples, learned once: {seconds:.3} s");
    assert!(seconds < 1.0, "{seconds} s");
}
