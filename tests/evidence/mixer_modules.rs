//! Whole mixers of serving, forward on six GPUs (`kernels_mixers.csv`, see `support/data.rs`), against the forward calls of a layer.
//! Frameworks differ by several times; a forecast is compared with the fastest of them at each size.

use crate::data::{self, Row};
use crate::mixers::{LEAST_SEQUENCE, median, number};
use std::collections::BTreeMap;
use stepcast::constants::Constants;
use stepcast::cost::{AttentionCore, Rates, Work};
use stepcast::document::Document;
use stepcast::scenario::Scenario;
use stepcast::scenario::cluster::presets::find_gpu;
use stepcast::scenario::model::Mixer;
use stepcast::step::{Module, Pass, Place, Program};

/// A module of the table: the operator, model and heads of its rows, what its kernel's name has, and its layers.
struct Measured {
    operator: &'static str,
    /// In the table, less a suffix of its format.
    model: &'static str,
    heads: f64,
    kernel: &'static str,
    hub: &'static str,
    picks: fn(Mixer) -> bool,
}

const fn measured(operator: &'static str, model: &'static str, heads: f64, hub: &'static str) -> Measured {
    Measured { operator, model, heads, kernel: "", hub, picks: Mixer::selects }
}

/// DSA by FlashMLA's kernel alone: TensorRT-LLM's fills its tiles with 64 heads, too, and is up to 1.5 times as fast with them.
const MODULES: [Measured; 7] = [
    Measured {
        kernel: "FLASHMLA_SPARSE",
        ..measured("dsa_module", "DeepSeek-V3.2", 128.0, "deepseek-ai/DeepSeek-V3.2")
    },
    Measured { kernel: "FLASHMLA_SPARSE", ..measured("dsa_module", "GLM-5", 64.0, "zai-org/GLM-5") },
    measured("dsv4_csa_module", "DeepSeek-V4-Flash", 64.0, "deepseek-ai/DeepSeek-V4-Flash"),
    measured("dsv4_csa_module", "DeepSeek-V4-Pro", 128.0, "deepseek-ai/DeepSeek-V4-Pro"),
    Measured {
        picks: |mixer| mixer == Mixer::Compressed,
        ..measured("dsv4_hca_module", "DeepSeek-V4-Flash", 64.0, "deepseek-ai/DeepSeek-V4-Flash")
    },
    Measured {
        picks: |mixer| mixer == Mixer::Compressed,
        ..measured("dsv4_hca_module", "DeepSeek-V4-Pro", 128.0, "deepseek-ai/DeepSeek-V4-Pro")
    },
    measured("msa_module", "MiniMax-M3", 64.0, "MiniMaxAI/MiniMax-M3"),
];

/// A model of the Hub on one GPU, on so many tokens.
fn job(hub: &str, gpu: &str, [batch, sequence]: [f64; 2]) -> Scenario {
    let mut rows = include_str!("../../data/hub.tsv").lines().map(|line| line.split('\t'));
    let fields = rows.find_map(|mut row| if row.next() == Some(hub) { row.next() } else { None });
    let fields = fields.expect(hub);
    let link = format!("#2;{fields};g=dgx-h100;n=1;tp=1;pp=1;mb=1;gb=1;prec=bf16;stack=megatron-lm");
    let document = Document::from_link(&link).expect("a link").document;
    let mut scenario = document.scenario().unwrap_or_else(|errors| panic!("{errors:?}"));
    scenario.cluster.gpu = find_gpu(gpu).expect(gpu).gpu;
    scenario.workload.sequence = sequence as u32;
    scenario.plan.micro_batch = batch as u32;
    scenario
}

/// Microseconds of the forward calls of one layer that are picked, of those before its feed-forward part.
fn forward(scenario: &Scenario, mixer: fn(Mixer) -> bool, picks: fn(Module) -> bool) -> f64 {
    let program = Program::new(scenario, &Constants::SHIPPED);
    let kind = program.layers.kinds().iter().position(|kind| mixer(kind.mixer)).expect("such a layer");
    let rates = Rates::of_benchmark(scenario, &Constants::SHIPPED);
    let (mut time, mut of_mixer) = (0.0, true);
    program.calls(Place::layer(kind), &mut |call| {
        of_mixer &= call.module != Module::MlpNorm;
        if of_mixer && call.pass == Pass::Forward && picks(call.module) {
            time += call.times * rates.price(&call.work).time.0;
        }
    });
    time * 1e6
}

/// The fastest of rows with one key.
#[derive(Default)]
struct Fastest(BTreeMap<(String, [u64; 2]), f64>);

impl Fastest {
    fn add(&mut self, row: &Row, time: f64) {
        let sizes = ["batch", "seq"].map(|column| number(row, column) as u64);
        let slot = self.0.entry((row["gpu"].clone(), sizes)).or_insert(f64::INFINITY);
        *slot = slot.min(time);
    }
}

/// Forecast over measured time, less 1, by GPU.
type Errors = BTreeMap<String, Vec<f64>>;

fn assert_near(operator: &str, errors: &Errors, [bound, of_gpu]: [f64; 2]) {
    let all = median(errors.values().flatten().copied().collect());
    println!("{operator}: median {:.1} %", 100.0 * all);
    for (gpu, errors) in errors {
        let found = median(errors.clone());
        println!("  {gpu}: {:.1} % of {}", 100.0 * found, errors.len());
        assert!(found <= of_gpu, "{operator} on {gpu}: {found}");
    }
    assert!(all <= bound, "{operator}: {all}");
}

#[test]
fn sparse_mixers_take_what_they_took() {
    let Some(rows) = data::rows("kernels_mixers.csv") else { return };
    let mut errors: BTreeMap<&str, Errors> = BTreeMap::new();
    for of in &MODULES {
        let mut fastest = Fastest::default();
        let alike = |row: &&Row| {
            let model = row["model"].trim_end_matches("-FP8").trim_end_matches("-NVFP4");
            (row["operator"].as_str(), model, row["gemm_dtype"].as_str()) == (of.operator, of.model, "bf16")
                && (number(row, "heads"), number(row, "tp")) == (of.heads, 1.0)
                && number(row, "seq") >= LEAST_SEQUENCE
                && row["kernel"].contains(of.kernel)
        };
        rows.iter().filter(alike).for_each(|row| fastest.add(row, number(row, "time_us")));
        for ((gpu, sizes), measured) in fastest.0 {
            let scenario = job(of.hub, &gpu, sizes.map(|size| size as f64));
            let around = |module| {
                ![Module::AttentionNorm, Module::AttentionResidual, Module::ResidualStreams].contains(&module)
            };
            let error = forward(&scenario, of.picks, around) / measured - 1.0;
            errors.entry(of.operator).or_default().entry(gpu).or_default().push(error);
        }
    }
    for (operator, errors) in &errors {
        // On Hopper, block-sparse attention is Triton's, which takes 1.6 times what the vendor's dense kernels would.
        let bounds = if *operator == "msa_module" { [0.25, 0.42] } else { [0.12, 0.25] };
        assert_near(operator, errors, bounds);
    }
}

/// Both kernels of hyper-connections, before and after the mixer and the feed-forward part.
#[test]
fn residual_streams_take_what_they_took() {
    let Some(rows) = data::rows("kernels_mixers.csv") else { return };
    let mut errors = Errors::new();
    for (hidden, hub) in [(4096.0, "deepseek-ai/DeepSeek-V4-Flash"), (7168.0, "deepseek-ai/DeepSeek-V4-Pro")]
    {
        let [before, after] = ["mhc_pre", "mhc_post"].map(|operator| {
            let mut fastest = Fastest::default();
            let alike = |row: &&Row| row["operator"] == operator && number(row, "hidden") == hidden;
            rows.iter().filter(alike).for_each(|row| {
                let whole = Row::from([
                    ("gpu".to_owned(), row["gpu"].clone()),
                    ("seq".to_owned(), row["tokens"].clone()),
                ]);
                fastest.add(&whole, number(row, "time_us"));
            });
            fastest.0
        });
        for ((gpu, [_, tokens]), before) in before {
            let Some(after) = after.get(&(gpu.clone(), [0, tokens])) else { continue };
            if (tokens as f64) < LEAST_SEQUENCE {
                continue;
            }
            let scenario = job(hub, &gpu, [1.0, tokens as f64]);
            let forecast = forward(&scenario, Mixer::selects, |module| module == Module::ResidualStreams);
            errors.entry(gpu).or_default().push(forecast / (before + after) - 1.0);
        }
    }
    assert_near("mhc", &errors, [0.12, 0.25]);
}

/// Of 4,096 tokens and more: the start of a kernel is most of what fewer take.
#[test]
fn attention_of_encoders_takes_what_it_took() {
    let Some(rows) = data::rows("kernels_mixers.csv") else { return };
    let mut errors = Errors::new();
    for (heads, head_dim) in
        [8.0, 16.0, 32.0].into_iter().flat_map(|heads| [64.0, 72.0, 80.0].map(|dim| (heads, dim)))
    {
        let mut fastest = Fastest::default();
        let alike = |row: &&Row| {
            row["operator"] == "encoder_attention"
                && (number(row, "heads"), number(row, "head_dim")) == (heads, head_dim)
                && number(row, "seq") >= LEAST_SEQUENCE
        };
        rows.iter().filter(alike).for_each(|row| fastest.add(row, number(row, "time_us")));
        for ((gpu, sizes), measured) in fastest.0 {
            let [batch, keys] = sizes.map(|size| size as f64);
            if batch * keys < 4.0 * LEAST_SEQUENCE {
                continue;
            }
            let mut scenario = Document::default().scenario().expect("the default document is possible");
            scenario.cluster.gpu = find_gpu(&gpu).expect("a listed GPU").gpu;
            let core = AttentionCore {
                tokens: batch * keys,
                keys,
                heads,
                head_dim,
                value_dim: head_dim,
                pairs: 2.0,
                reads_mask: false,
                gathers: false,
                score_bytes: 0.0,
                backward: false,
            };
            let price = Rates::of_benchmark(&scenario, &Constants::SHIPPED).price(&Work::Attention(core));
            errors.entry(gpu).or_default().push(price.time.0 * 1e6 / measured - 1.0);
        }
    }
    // On Blackwell, heads of 64 to 80 take a fifth longer than the rate of wider ones says.
    assert_near("encoder_attention", &errors, [0.18, 0.24]);
}
