//! What a run costs, by hand, and where its figures come from.

use stepcast::document::Document;
use stepcast::forecast::Predictor;
use stepcast::run_cost::RunCost;
use stepcast::scenario::cluster::presets::{CLUSTERS, GPUS, find_gpu, nearest_gpu};
use stepcast::scenario::{Scenario, TrainingRun};
use stepcast::units::Seconds;

fn opened(link: &str) -> Document {
    Document::from_link(link).expect("a link").document
}

fn scenario(link: &str) -> Scenario {
    opened(link).scenario().expect("possible")
}

fn close(one: f64, other: f64) -> bool {
    (one / other - 1.0).abs() < 1e-12
}

#[test]
fn a_run_counted_by_hand() {
    // 1,024 sequences of 8,192 tokens are 8,388,608 tokens a step, of which 1e9 tokens are 119.2: 120 steps.
    // At 3 s each they take 360 s, a tenth of an hour, on 512 GPUs: 51.2 GPU-hours, at 2.50 USD 128 USD.
    // At 1,000 W and a PUE of 1.25 they are 64 kWh, at 500 g/kWh 32 kg.
    let job = scenario("#1;m=llama3-70b;g=dgx-h100;n=512;tokens=1e9;usd=2.5;watt=1000;pue=1.25;co2=500");
    let cost = RunCost::of(&job, Seconds(3.0));
    assert_eq!(cost.steps, 120.0);
    assert_eq!(cost.time, Seconds(360.0));
    assert!(close(cost.gpu_hours, 51.2) && close(cost.usd, 128.0), "{cost:?}");
    assert!(close(cost.kwh, 64.0) && close(cost.co2_kg, 32.0), "{cost:?}");
}

#[test]
fn a_run_shorter_than_a_step_is_one() {
    assert_eq!(RunCost::of(&scenario("#1;m=llama3-70b;g=dgx-h100;n=512;tokens=1"), Seconds(2.0)).steps, 1.0);
}

#[test]
fn price_and_power_follow_the_machine() {
    let of = |name: &str| GPUS.iter().find(|gpu| gpu.name == name).expect("a GPU");
    for (link, gpu) in [
        ("#1;m=llama3-70b;g=dgx-h100;n=512", "h100-80g"),
        ("#1;m=llama3-70b;g=dgx-b200;n=512", "b200"),
        ("#1;m=llama3-70b;g=gb300-nvl72;n=512", "gb300"),
        ("#1;m=llama3-70b;g=mi300x;n=512", "mi300x"),
    ] {
        let (run, gpu) = (scenario(link).run, of(gpu));
        assert_eq!((run.price, run.power), (gpu.price, gpu.board_power * 1.5), "{link}");
        let link = link.replacen('1', "2", 1);
        assert_eq!(opened(&link).to_link(), link);
    }
    let mut document = opened("#2;m=llama3-70b;g=dgx-h100;n=512");
    document.set("g", "dgx-a100-80g");
    assert_eq!((document.text("usd"), document.text("watt")), ("1.3", "600"));
    document.set("usd", "2");
    assert!(document.edited("usd") && !document.edited("watt"));
    assert_eq!(document.to_link(), "#2;m=llama3-70b;g=dgx-a100-80g;n=512;usd=2");
    assert!(!document.customised(stepcast::fields::FieldGroup::Cluster), "the machine is as it was");
}

#[test]
fn a_custom_machine_costs_what_its_gpus_do() {
    for preset in CLUSTERS {
        let custom = stepcast::scenario::cluster::Cluster {
            host_link: preset.cluster.host_link * 2.0,
            ..preset.cluster
        };
        assert_eq!(TrainingRun::on(&custom), TrainingRun::on(&preset.cluster), "{}", preset.name);
    }
    let mut job = scenario("#1;m=llama3-70b;g=dgx-b200;n=512");
    job.cluster.host_link = job.cluster.host_link * 2.0;
    let link = Document::from_scenario(&job).to_link();
    assert!(link.contains("g=custom") && !link.contains("usd=") && !link.contains("watt="), "{link}");
    assert_eq!(scenario(&link).run, job.run);
}

#[test]
fn every_gpu_is_nearest_to_itself_or_to_one_with_its_figures() {
    for preset in GPUS {
        assert_eq!(nearest_gpu(&preset.gpu).map(|nearest| nearest.gpu), Some(preset.gpu), "{}", preset.name);
    }
    let h100 = find_gpu("h100-80g").expect("a GPU").gpu;
    let less = stepcast::scenario::cluster::Gpu { memory: h100.memory * 0.95, ..h100 };
    assert_eq!(nearest_gpu(&less).map(|gpu| gpu.name), Some("h100-80g"));
}

#[test]
fn no_forecast_depends_on_the_run() {
    let plain = scenario("#1;m=llama3-70b;g=dgx-h100;n=512");
    let mut dear = plain;
    dear.run = TrainingRun {
        tokens: 1.0,
        deadline: 0.0,
        budget: 0.0,
        price: 1e6,
        power: 0.0,
        pue: 10.0,
        carbon_intensity: 0.0,
    };
    let step = |job: &Scenario| {
        serde_json::to_string(&Predictor::SHIPPED.predict(job).expect("possible")).expect("numbers")
    };
    assert_eq!(step(&plain), step(&dear));
    let searched = |job: &_| stepcast::tuner::without_searched(job, stepcast::tuner::FreeAxes::default());
    assert_eq!(searched(&plain), searched(&dear), "nothing is ranked anew");
}

#[test]
fn tokens_and_watts_are_read_as_people_write_them() {
    let read = |key: &str, text: &str| {
        let mut document = Document::default();
        document.set(key, text);
        document.scenario().map(|job| (job.run.tokens, job.run.power))
    };
    for (text, tokens) in
        [("15T", 15e12), ("300 B tokens", 3e11), ("300G", 3e11), ("2,000,000", 2e6), ("1e12", 1e12)]
    {
        assert_eq!(read("tokens", text).expect(text).0, tokens, "{text}");
    }
    for (text, watts) in [("1.2 kW", 1200.0), ("700 W", 700.0), ("900", 900.0)] {
        assert_eq!(read("watt", text).expect(text).1, watts, "{text}");
    }
    for (key, text) in
        [("tokens", "0"), ("tokens", "3 parsecs"), ("pue", "0.9"), ("usd", "-1"), ("co2", "a lot")]
    {
        assert!(read(key, text).is_err(), "{key} {text}");
    }
}
