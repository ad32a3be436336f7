use std::collections::BTreeMap;
use stepcast::calibration::{Constants, REGISTRY, fit::*};
use stepcast::cluster::presets::find;
use stepcast::cost::*;
use stepcast::document::Document;
use stepcast::stack::*;
fn t(n: &str) -> Vec<BTreeMap<String, String>> {
    csv::Reader::from_path(format!("../shared/data/{n}")).unwrap().deserialize().map(|r| r.unwrap()).collect()
}
fn free(names: &[&str], spread: f64) -> Vec<Free> {
    names
        .iter()
        .map(|n| {
            let c = REGISTRY.iter().find(|c| c.name == *n).expect(n);
            Free { constant: c, prior: c.value, spread }
        })
        .collect()
}
fn num(s: &str, k: &str) -> f64 {
    let a = s.find(&format!("{k}=")).unwrap() + 2;
    s[a..].split(|c: char| !c.is_ascii_digit()).next().unwrap().parse().unwrap()
}
fn scen(m: &str) -> stepcast::scenario::Scenario {
    let mut s = Document::default().scenario().unwrap();
    s.cluster = find(m).unwrap().cluster;
    s.software = Software { stack: Stack::Fused, year: 2025 };
    s
}
fn base() -> Constants {
    Constants { sustained_ampere: 1., sustained_hopper: 1., sustained_blackwell: 1., ..Constants::SHIPPED }
}
fn main() {
    let ms = [
        ("NVIDIA A100-SXM4-80GB", "dgx-a100-80g"),
        ("NVIDIA H100 80GB HBM3", "dgx-h100"),
        ("NVIDIA H200", "dgx-h200"),
        ("NVIDIA B200", "dgx-b200"),
        ("NVIDIA GB200", "gb200-nvl72"),
    ];
    let k = t("kernels.csv");
    let mut obs = vec![];
    for (i, (n, _)) in ms.iter().enumerate() {
        for r in k.iter().filter(|r| r["gpu"] == *n && r["kernel"] == "GEMM" && r["dtype"] == "bfloat16") {
            let s = &r["shape"];
            obs.push((
                i,
                Work::Gemm(Gemm {
                    m: num(s, "m"),
                    n: num(s, "n"),
                    k: num(s, "k"),
                    low_precision: false,
                    accumulates: false,
                }),
                r["time_us"].parse::<f64>().unwrap() * 1e-6,
            ));
        }
    }
    let sc: Vec<_> = ms.iter().map(|m| scen(m.1)).collect();
    let run = |obs: &Vec<(usize, Work, f64)>, f: &[Free]| {
        let c = minimise(&base(), f, |c| {
            let r: Vec<_> = sc.iter().map(|s| Rates::new(s, c)).collect();
            obs.iter().map(|o| robust(r[o.0].price(&o.1).time.0 / o.2)).sum()
        });
        for e in f {
            println!("{} = {:.4e} (was {})", e.constant.name, (e.constant.get)(&c), e.prior);
        }
        for (i, m) in ms.iter().enumerate() {
            let r = Rates::new(&sc[i], &c);
            if let Work::Collective { .. } = obs[0].1 {
                for kd in [Collective::AllReduce, Collective::AllGather, Collective::ReduceScatter] {
                    for g in [2., 4., 8.] {
                        let mut e:Vec<f64>=obs.iter().filter(|o|o.0==i&&matches!(o.1,Work::Collective{kind,group,..} if kind==kd&&group.size==g)).map(|o|r.price(&o.1).time.0/o.2-1.).collect();
                        if e.is_empty() {
                            continue;
                        }
                        e.sort_by(f64::total_cmp);
                        println!("     {:?} {} {:+.1}", kd, g, e[e.len() / 2] * 100.);
                    }
                }
            }
            let mut e: Vec<f64> =
                obs.iter().filter(|o| o.0 == i).map(|o| (r.price(&o.1).time.0 / o.2 - 1.).abs()).collect();
            e.sort_by(f64::total_cmp);
            let b: f64 =
                obs.iter().filter(|o| o.0 == i).map(|o| r.price(&o.1).time.0 / o.2 - 1.).sum::<f64>()
                    / e.len() as f64;
            println!("  {} n {} med {:.1}% bias {:+.1}%", m.0, e.len(), e[e.len() / 2] * 100., b * 100.);
        }
    };
    run(
        &obs,
        &free(
            &[
                "gemm_efficiency_ampere",
                "gemm_efficiency_hopper",
                "gemm_efficiency_blackwell",
                "gemm_k_half",
                "gemm_wave_exponent_ampere",
                "gemm_wave_exponent_later",
                "roofline_overlap_loss",
                "kernel_ramp",
            ],
            0.7,
        ),
    );
    let n = t("nccl_bandwidth.csv");
    let mut obs = vec![];
    for (i, (g, _)) in ms.iter().enumerate() {
        for r in n.iter().filter(|r| r["gpu"] == *g && r["nodes"] == "1") {
            let kind = match r["collective"].as_str() {
                "all_reduce" => Collective::AllReduce,
                "all_gather" => Collective::AllGather,
                "reduce_scatter" => Collective::ReduceScatter,
                _ => continue,
            };
            let b: f64 = r["bytes"].parse().unwrap();
            let m = b / (r["algbw_GBps"].parse::<f64>().unwrap() * 1e9);
            if b < 65536.0 || !m.is_finite() {
                continue;
            }
            obs.push((
                i,
                Work::Collective {
                    kind,
                    bytes: b,
                    group: Group::strided(r["gpus_per_node"].parse().unwrap(), 1, 8),
                },
                m,
            ));
        }
    }
    run(
        &obs,
        &free(
            &[
                "scale_up_efficiency_ampere",
                "scale_up_efficiency_hopper",
                "scale_up_efficiency_blackwell",
                "scale_up_small_group_loss",
                "scale_up_nvls_gain_hopper",
                "scale_up_nvls_gain_blackwell",
                "scale_up_latency",
                "scale_up_hop_latency",
                "scale_up_ramp_ampere",
                "scale_up_ramp_hopper",
                "scale_up_ramp_blackwell",
            ],
            0.5,
        ),
    );
}
