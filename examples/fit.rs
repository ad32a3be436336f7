use stepcast::{
    calibration::{Constants, fit::*},
    validation::{Run, validate_with},
};
fn main() {
    let mut r = csv::Reader::from_path("../shared/data/runs.csv").unwrap();
    let h = r.headers().unwrap().clone();
    let mut runs = vec![];
    for rec in r.records() {
        let rec = rec.unwrap();
        let get = |n: &str| h.iter().position(|x| x == n).and_then(|i| rec.get(i)).unwrap_or("");
        runs.push(Run::read(get));
    }
    let mut count = std::collections::BTreeMap::new();
    for x in &runs {
        if x.scenario.is_ok() && !x.dropped {
            *count.entry(x.source.clone()).or_insert(0.0) += 1.0;
        }
    }
    let obs = |skip: &str| -> Vec<Observation> {
        runs.iter()
            .filter(|x| x.source != skip && !x.dropped)
            .filter_map(|x| {
                let s = x.scenario.as_ref().ok()?;
                let n: f64 = count[&x.source];
                Some(Observation { scenario: *s, measured_s: x.measured_s, weight: n.min(25.0) / n })
            })
            .collect()
    };
    let f = fit(&obs(""), &fitted_to_runs());
    for e in Constants::fitted() {
        println!("{} = {:.4}  (shipped {})", e.name, (e.get)(&f), e.value);
    }
    let rep = validate_with(&runs, &f);
    for s in &rep.sources {
        println!(
            "{:22} n {:5} skip {:4} med {:5.1} mape {:5.1} bias {:+5.1} in10 {:3.0}",
            s.source,
            s.n,
            s.skipped,
            s.median_ape * 100.,
            s.mape * 100.,
            s.bias * 100.,
            s.within_10 * 100.
        );
    }
    println!("MoM {:.2} n {}", rep.mean_of_medians * 100., rep.overall.n);
    if std::env::args().nth(1).is_some() {
        let mut m = 0.0;
        for (name, _) in &count {
            let f = fit(&obs(name), &fitted_to_runs());
            let rep = validate_with(&runs, &f);
            let s = rep.sources.iter().find(|s| &s.source == name).unwrap();
            println!("LOSO {:22} med {:5.1} bias {:+5.1}", name, s.median_ape * 100., s.bias * 100.);
            m += s.median_ape;
        }
        println!("LOSO MoM {:.2}", m / count.len() as f64 * 100.);
    }
}
