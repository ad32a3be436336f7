//! One measured run: a row of a runs file, and its scenario.

use super::check;
use super::open_columns::filled;
use super::options::{headed, options};
use crate::fields::parse::shown;
use crate::forecast::Predictor;
use crate::names::gpu_named;
use crate::scenario::cluster::presets::find;
use crate::scenario::cluster::{Cluster, Gpu, Network, ScaleUp, ScaleUpKind, ScaleUpTopology, Transport};
use crate::scenario::model::{Bias, Experts, Latent, Model, Norm, Positions, Recurrent, StateRule};
use crate::scenario::plan::{
    ContextExchange, GatherOverlap, Mapping, Modules, Plan, Recompute, Schedule, StageSplit, Zero,
};
use crate::scenario::stack::{Attention, ExpertKernels, Kernels, Software, Stack, StackLimits};
use crate::scenario::{Precision, Scenario, Training, TrainingRun, WideLayers, Workload};
use crate::units::{BytesPerSecond, Seconds};

/// A measured step, its scenario, and assumptions for what the source does not state.
#[derive(Debug, Clone)]
pub struct MeasuredRun {
    /// Identifier of the row.
    pub id: String,
    /// Publication it comes from.
    pub source: String,
    /// The set that it was collected with; empty if its file has none.
    pub look: String,
    /// Name of the software stack.
    pub stack: String,
    /// Name of the GPU.
    pub gpu: String,
    /// Name of the model.
    pub model: String,
    /// Family of the model, for fits without a family.
    pub family: String,
    /// Key shared by runs of the same job in other layouts: source, software, model, batch, GPUs, precision.
    pub job: String,
    /// Measured seconds per step.
    pub measured_s: f64,
    /// The forecast made before anyone looked at the run, if on record.
    pub first: Option<FirstForecast>,
    /// Assumptions for what the source does not state.
    pub assumed: Vec<String>,
    /// Whether the row is marked inconsistent (`flag` starts with `drop`).
    pub dropped: bool,
    /// Whether something that affects its time is in doubt (`flag` starts with `doubt`, or `notes` say `doubt:`).
    pub doubted: bool,
    /// The job, or why it cannot be forecast.
    pub scenario: Result<Scenario, String>,
}

/// A forecast made before anyone looked at the run: seconds per step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FirstForecast {
    /// The forecast.
    pub step_s: f64,
    /// Lower end of its 90 % interval.
    pub low_s: f64,
    /// Upper end.
    pub high_s: f64,
}

impl MeasuredRun {
    /// Reads a row: its job from the link in the column `job`, or from columns where that is empty. A column is headed by
    /// its own name or by the key of its field. `get` returns a column's text, empty if the file has none.
    pub fn read<'a>(get: impl Fn(&str) -> &'a str) -> Self {
        let stated = |name: &str| headed(&get, name).trim();
        let get = |name: &str| filled(&stated, name);
        let linked = !get("job").is_empty();
        let read = if linked { super::linked::job(get("job"), get("unstated")) } else { scenario(&get) };
        let (scenario, assumed) = match read {
            Ok((scenario, assumed)) => (Ok(scenario), assumed),
            Err(reason) => (Err(reason), Vec::new()),
        };
        let own = if linked { scenario.as_ref().ok() } else { None };
        Self {
            id: get("id").to_owned(),
            source: get("source").to_owned(),
            look: get("look").to_owned(),
            stack: get("stack").to_owned(),
            gpu: own
                .map_or_else(|| get("gpu").to_owned(), |scenario| super::linked::gpu(scenario).to_owned()),
            model: get("model").to_owned(),
            family: super::defaults::family(get("model")),
            job: own.map_or_else(
                || JOB.map(get).join(" "),
                |scenario| {
                    format!("{} {}", NAMES.map(get).join(" "), super::linked::what_layouts_share(scenario))
                },
            ),
            measured_s: get("iteration_s").parse().unwrap_or(f64::NAN),
            first: first(&get),
            dropped: get("flag").starts_with("drop"),
            doubted: get("flag").starts_with("doubt") || get("notes").contains("doubt:"),
            assumed,
            scenario,
        }
    }
}

/// The forecast on record, if all three of its numbers exist.
fn first<'a>(get: &impl Fn(&str) -> &'a str) -> Option<FirstForecast> {
    let number = |column| get(column).parse().ok().filter(|value: &f64| value.is_finite() && *value > 0.0);
    Some(FirstForecast {
        step_s: number("first_s")?,
        low_s: number("first_low_s")?,
        high_s: number("first_high_s")?,
    })
}

impl MeasuredRun {
    /// Whether its source states layout and network: nothing that affects its time is in doubt, and no network was
    /// assumed.
    pub(super) fn states_layout_and_network(&self) -> bool {
        !self.doubted && !self.assumed.iter().any(|said| said == ASSUMED_NETWORK)
    }

    /// Lower and upper end of the 90 % interval around the forecast step.
    pub(super) fn interval(&self, predictor: &Predictor<'_>, job: &Scenario) -> (Seconds, Seconds) {
        let step = predictor.step_time(job);
        if self.states_layout_and_network() {
            predictor.interval_ends(job, step)
        } else {
            predictor.open_interval_ends(job, step)
        }
    }
}

/// Columns that the layouts of one job share and that no link says.
const NAMES: [&str; 4] = ["source", "stack", "release", "model"];

/// Columns that the layouts of one job share.
const JOB: [&str; 10] =
    ["source", "stack", "release", "model", "layers", "seq", "gbs", "gpu", "gpus", "precision"];

/// Whole number in a column; `default` if it is empty, an error if it is not a number.
fn count<'a>(get: &impl Fn(&str) -> &'a str, name: &str, default: Option<u32>) -> Result<u32, String> {
    let text = get(name);
    match (text.is_empty(), default) {
        (true, Some(value)) => Ok(value),
        (true, None) => Err(format!("column {name} is empty")),
        (false, _) => match text.parse::<f64>() {
            Ok(value) if (0.0..=f64::from(u32::MAX)).contains(&value) && value.fract() == 0.0 => {
                Ok(value as u32)
            }
            _ => Err(format!(
                "column {name} holds \u{201c}{}\u{201d}, which is not a whole number",
                shown(text)
            )),
        },
    }
}

/// Switch in a column: 1 or 0, off if it is empty.
fn flag<'a>(get: &impl Fn(&str) -> &'a str, name: &str) -> Result<bool, String> {
    match count(get, name, Some(0))? {
        0 => Ok(false),
        1 => Ok(true),
        other => Err(format!("column {name} holds {other}, which is neither 1 nor 0")),
    }
}

/// The job of a row's columns, and what was assumed for its blanks. Nothing is computed before the columns are known to be
/// within the fields' bounds, and only a layout's blanks are filled before the job is known to be valid.
fn scenario<'a>(get: &impl Fn(&str) -> &'a str) -> Result<(Scenario, Vec<String>), String> {
    let (stack, compiled) = Stack::read(get("stack"));
    let year = count(get, "year", Some(2025))?.min(9999) as u16;
    let month = super::defaults::month(year, get("release"));
    let profile = stack.profile(month);
    let mut model = model(get, profile.attention)?;
    let cluster = cluster(get)?;
    let replays = profile.replays_on_blackwell && cluster.gpu.family.is_data_center_blackwell();
    // Its fused expert kernel supports only gated activations (Transformer Engine, `GroupedLinear` with SwiGLU).
    let fuses_experts = replays && get("precision") == "mxfp8" && model.gated_mlp;
    super::defaults::complete(&mut model, get("model"));
    let software = Software {
        stack,
        year: month.0,
        month: month.1,
        // Experts with token counts on the host cannot be part of a full-step graph.
        graphs: replays && (fuses_experts || model.experts.count == 0),
        expert_kernels: if fuses_experts { ExpertKernels::Fused } else { ExpertKernels::PerExpert },
        kernels: Kernels { compiled, ..Kernels::OF_STACK },
    };
    let mut scenario = Scenario {
        model,
        run: TrainingRun::on(&cluster),
        cluster,
        workload: Workload {
            sequence: count(get, "seq", None)?,
            global_batch: count(get, "gbs", None)?,
            document: 0,
            padding: 0,
            wide_layers: WideLayers::NONE,
            precision: precision(get("precision"))?,
        },
        software,
        training: Training::USUAL,
        plan: plan(get, &software)?,
    };
    options(get, &mut scenario)?;
    check::bounds(&scenario)?;
    let mut assumed = super::defaults::fill_layout(&mut scenario, get("vpp").is_empty());
    options(get, &mut scenario)?; // What is stated stands above what is usual.
    let Cluster { gpus, gpus_per_node, scale_up, .. } = scenario.cluster;
    let rate_stated = node_rate(get)?.is_some() || !get(super::linked::NETWORK).is_empty();
    if !rate_stated && gpus > gpus_per_node.max(scale_up.domain) {
        assumed.push(ASSUMED_NETWORK.to_owned());
    }
    if get("context_exchange").is_empty() {
        assumed.extend(super::defaults::fill_exchange(&mut scenario));
    }
    check::job(&scenario)?;
    if get("recompute").is_empty() {
        assumed.push(super::defaults::fill_recompute(&mut scenario, get("gpu").starts_with("gb")));
    }
    Ok((scenario, assumed))
}

fn model<'a>(get: &impl Fn(&str) -> &'a str, attention: Attention) -> Result<Model, String> {
    let hidden = count(get, "hidden", None)?;
    // Models whose layers all have another mixer have no attention.
    let attends = |letters: &str| letters.is_empty() || letters.contains(['a', 'w', '*']);
    let heads = count(get, "heads", (!attends(get("layer_pattern"))).then_some(1))?;
    let ffn = count(get, "ffn", Some(hidden.saturating_mul(4)))?;
    let gated_mlp = flag(get, "gated_mlp")?;
    // Defaults for norm, bias and positions: gated models and those with several mixers are Llama-like, the others
    // GPT-like.
    let llama_like = gated_mlp || !get("layer_pattern").is_empty();
    let positions = match (llama_like, attention) {
        (true, _) => Positions::Rotary,
        (false, Attention::TritonAlibi) => Positions::Alibi,
        (false, _) => Positions::Learned(count(get, "seq", None)?),
    };
    let model = Model {
        layers: count(get, "layers", None)?,
        hidden,
        ffn,
        heads,
        kv_heads: count(get, "kv_heads", Some(heads))?,
        head_dim: count(get, "head_dim", Some(hidden / heads.max(1)))?,
        vocabulary: count(get, "vocab", None)?,
        gated_mlp,
        tied_embeddings: !llama_like,
        bias: if llama_like { Bias::None } else { Bias::All },
        norm: if llama_like { Norm::Rms } else { Norm::Layer },
        positions,
        experts: experts(get, ffn)?,
        recurrent: Recurrent { rule: rule(get), ..Recurrent::NONE },
        latent: match get("attention") {
            "" | "mha" | "mqa" | "gqa" | "csa-hca" => Latent::NONE,
            "mla" => DEEPSEEK_LATENT,
            other => {
                return Err(format!(
                    "column attention holds \u{201c}{}\u{201d}, which is not modelled",
                    shown(other)
                ));
            }
        },
        ..Model::DENSE
    };
    Ok(Model { activation: model.activation_of_kind(), code: model.code_of_kind(), ..model })
}

/// State rule of a row's recurrent mixer, from its own columns.
fn rule<'a>(get: &impl Fn(&str) -> &'a str) -> StateRule {
    if !get("mamba_heads").is_empty() {
        StateRule::Mamba2
    } else if !get("linear_value_heads").is_empty() {
        StateRule::GatedDelta
    } else {
        StateRule::None
    }
}

/// DeepSeek-V3's latent attention (arXiv 2412.19437, section 4.2), for the value `mla`.
const DEEPSEEK_LATENT: Latent =
    Latent { kv_rank: 512, query_rank: 1536, plain_dim: 128, rotary_dim: 64, value_dim: 128 };

fn experts<'a>(get: &impl Fn(&str) -> &'a str, ffn: u32) -> Result<Experts, String> {
    let routed = count(get, "experts", Some(0))?;
    if routed == 0 {
        return Ok(Experts::NONE);
    }
    Ok(Experts {
        count: routed,
        top_k: count(get, "topk", Some(1))?,
        ffn: count(get, "moe_ffn", Some(ffn))?,
        shared: count(get, "shared_experts", Some(0))?,
        leading_dense: count(get, "dense_layers", Some(0))?,
        every: count(get, "moe_every", Some(1))?,
        shared_ffn: count(get, "shared_ffn", Some(0))?,
        latent: count(get, "latent", Some(0))?,
    })
}

/// Lowest NIC rate of a training machine, if only the machine's rate is stated: 100 Gb/s (EDR, 100GbE, EFA of p4d).
const LEAST_NIC: BytesPerSecond = BytesPerSecond(12.5e9);

/// Nodes of four GH200 have the board of JUPITER, Alps and Isambard-AI, which gives a module less power than a
/// stand-alone one.
const QUAD: ((&str, u32), &str) = (("gh200", 4), "gh200-680w");

fn cluster<'a>(get: &impl Fn(&str) -> &'a str) -> Result<Cluster, String> {
    let name = get("gpu");
    let gpus_per_node = count(get, "gpus_per_node", Some(GPUS_PER_NODE))?;
    let gpu = gpu_named(if (name, gpus_per_node) == QUAD.0 { QUAD.1 } else { name });
    let (Some(gpu), Some(machine)) = (gpu, gpu.and_then(|gpu| gpu.machine).and_then(find)) else {
        return Err(format!("unknown GPU \u{201c}{}\u{201d}", shown(name)));
    };
    let gpus = count(get, "gpus", None)?;
    let domain = count(get, "nvlink_domain", Some(gpus_per_node))?;
    let published = machine.cluster.network;
    let (nics_per_node, nic_bandwidth) = match node_rate(get)? {
        Some(node) => {
            let most = (node.0 / LEAST_NIC.0).clamp(1.0, f64::from(gpus_per_node.max(1))) as u32;
            let nics = count(get, "nics", Some(most))?.max(1);
            (nics, node / f64::from(nics))
        }
        // The machine's own is used. A job within one node or fabric sends nothing over it.
        None => {
            let per_gpu = published.nic_bandwidth * f64::from(published.nics_per_node)
                / f64::from(machine.cluster.gpus_per_node);
            (gpus_per_node, per_gpu)
        }
    };
    Ok(Cluster {
        gpu: Gpu { power: count(get, "gpu_power", Some(gpu.gpu.power))?, ..gpu.gpu },
        gpus,
        gpus_per_node,
        host_link: machine.cluster.host_link,
        host: machine.cluster.host,
        host_memory: machine.cluster.host_memory,
        scale_up: scale_up(&machine.cluster, gpus, gpus_per_node, domain),
        network: Network {
            nics_per_node,
            nic_bandwidth,
            transport: transport(get("transport"))?,
            leaf_nodes: ONE_LEAF,
            oversubscription: 1.0,
        },
    })
}

/// Connection of a node's GPUs. GPUs without a link to others (a domain of one) use the node's PCIe, not its network.
fn scale_up(machine: &Cluster, gpus: u32, gpus_per_node: u32, domain: u32) -> ScaleUp {
    use ScaleUpTopology::{Mesh, Switch};
    let own = machine.scale_up;
    let is_pcie = matches!(own.kind, ScaleUpKind::Pcie | ScaleUpKind::PcieHost);
    if domain == 1 && gpus_per_node > 1 {
        let (kind, bandwidth) =
            if is_pcie { (own.kind, own.bandwidth) } else { (ScaleUpKind::Pcie, machine.host_link) };
        return ScaleUp { kind, domain: gpus_per_node, bandwidth, topology: Switch };
    }
    match own.topology {
        // Four GPUs of one machine may be half of a board of eight.
        Switch
            if own.kind == ScaleUpKind::NvLink
                && (gpus_per_node, domain) == (BOARD_OF_FOUR, BOARD_OF_FOUR)
                && machine.gpus_per_node > BOARD_OF_FOUR
                && gpus > gpus_per_node =>
        {
            ScaleUp { domain, topology: Mesh, ..own }
        }
        _ => own.among(domain),
    }
}

/// Size of NVIDIA's boards with a link for each pair instead of NVSwitch.
const BOARD_OF_FOUR: u32 = 4;

/// Protocol of the network; InfiniBand if the column is empty.
fn transport(name: &str) -> Result<Transport, String> {
    Ok(match name {
        "ib" | "" => Transport::InfiniBand,
        "roce" => Transport::Roce,
        "slingshot" => Transport::Slingshot,
        "omni-path" => Transport::OmniPath,
        "efa" => Transport::Efa,
        "tcp" => Transport::Tcp,
        "tcpx" => Transport::Tcpx,
        other => return Err(format!("unknown transport \u{201c}{}\u{201d}", shown(other))),
    })
}

/// Assumption for a job over several nodes or fabrics without a stated network.
pub(super) const ASSUMED_NETWORK: &str = "the machine's own network";

/// GPUs of a node where a file does not say.
const GPUS_PER_NODE: u32 = 8;

/// Nodes under a leaf switch: no file states it, so all are under one. The field's maximum.
const ONE_LEAF: u32 = 1 << 20;

/// Rate of a node's network; none if the column is empty or 0.
fn node_rate<'a>(get: &impl Fn(&str) -> &'a str) -> Result<Option<BytesPerSecond>, String> {
    match get("node_gbps") {
        "" => Ok(None),
        text => match text.parse::<f64>() {
            Ok(0.0) => Ok(None),
            Ok(gigabits) if gigabits.is_finite() => Ok(Some(BytesPerSecond::from_gigabits(gigabits))),
            _ => {
                Err(format!("column node_gbps holds \u{201c}{}\u{201d}, which is not a number", shown(text)))
            }
        },
    }
}

fn plan<'a>(get: &impl Fn(&str) -> &'a str, software: &Software) -> Result<Plan, String> {
    let degree = |name| count(get, name, Some(1));
    let flag = |name| flag(get, name);
    let zero = match get("zero") {
        "" | "0" | "0.0" => Zero::None,
        "1" | "1.0" => Zero::Optimizer,
        "2" | "2.0" => Zero::Gradients,
        "3" | "3.0" => Zero::Parameters,
        "hsdp" => Zero::Hybrid,
        other => return Err(format!("unknown ZeRO stage \u{201c}{}\u{201d}", shown(other))),
    };
    let (data_overlap, gather_overlap) = match get("dp_overlap") {
        "" => super::defaults::overlap(zero),
        _ => (flag("dp_overlap")?, GatherOverlap::AsReduction),
    };
    let recompute = match get("recompute") {
        "none" | "" => Recompute::None,
        "selective" => Recompute::Selective,
        "full" => Recompute::Full,
        "modules" => Recompute::Modules(Modules::NONE),
        other => return Err(format!("unknown recompute mode \u{201c}{}\u{201d}", shown(other))),
    };
    let context_parallel = degree("cp")?;
    let exchange = ContextExchange::Ring;
    let context_exchange =
        if context_parallel > 1 { StackLimits::of(software).exchange_like(exchange) } else { exchange };
    Ok(Plan {
        tensor_parallel: degree("tp")?,
        sequence_parallel: flag("sp")?,
        context_parallel,
        context_exchange,
        expert_parallel: degree("ep")?,
        expert_tensor_parallel: 1,
        pipeline_parallel: degree("pp")?,
        virtual_stages: degree("vpp")?,
        schedule: Schedule::OneForwardOneBackward,
        zero,
        shard_group: 0,
        micro_batch: degree("mbs")?,
        recompute,
        tensor_overlap: flag("tp_overlap")?,
        expert_overlap: false,
        data_overlap,
        gather_overlap,
        pipeline_overlap: true,
        offload_optimizer: false,
        offload_parameters: false,
        offload_activations: 0,
        mapping: Mapping::TensorDataPipeline,
        stage_split: StageSplit::CountEnds,
    })
}

fn precision(name: &str) -> Result<Precision, String> {
    Ok(match name {
        "fp16" => Precision::Fp16,
        "bf16" | "" => Precision::Bf16,
        "fp8" => Precision::Fp8,
        // One scale per row needs, like one per block, a second pass over operands that are read both ways.
        "fp8-row" | "fp8-block" => Precision::Fp8Block,
        "mxfp8" => Precision::Mxfp8,
        "nvfp4" => Precision::Nvfp4,
        other => return Err(format!("unknown precision \u{201c}{}\u{201d}", shown(other))),
    })
}
