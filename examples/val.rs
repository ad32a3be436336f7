use stepcast::{
    calibration::Constants,
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
    let t = std::time::Instant::now();
    let rep = validate_with(&runs, &Constants::SHIPPED);
    let dt = t.elapsed();
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
    println!("MoM {:.2} n {} {:?}/row", rep.mean_of_medians * 100., rep.overall.n, dt / runs.len() as u32);
}
