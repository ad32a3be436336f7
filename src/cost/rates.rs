//! Rates of one GPU and its links under one software stack: what [`crate::calibration::Constants`]
//! become once the scenario is known. Computed once per scenario, shared by all its operators.

use crate::calibration::Constants;
use crate::cluster::{Cluster, GpuFamily, ScaleUpKind, Transport};
use crate::scenario::{Precision, Scenario};
use crate::stack::{Attention, ExpertKernels};

/// Rates that operators are priced with. Times in seconds, rates in units per second.
#[derive(Debug, Clone, Copy)]
pub struct Rates<'a> {
    pub(super) learned: Option<&'a dyn super::Learned>,
    pub(super) gemm_rate: f64,
    pub(super) gemm_rate_low: f64,
    pub(super) operand_bytes_low: f64,
    pub(super) k_half: f64,
    pub(super) wave_exponent: f64,
    pub(super) tile_efficiency: [f64; 3],
    pub(super) sms: f64,
    pub(super) overlap_loss: f64,
    pub(super) kernel_ramp: f64,
    pub(super) grouped_factor: f64,
    pub(super) grouped_ramp: f64,
    pub(super) memory_rate: f64,
    pub(super) attention: AttentionRates,
    pub(super) links: Links,
}

/// Rates of the attention core.
#[derive(Debug, Clone, Copy)]
pub(super) struct AttentionRates {
    pub(super) unfused: bool,
    pub(super) flash_rate: f64,
    pub(super) head64_ratio: f64,
    pub(super) backward_ratio: f64,
    pub(super) sequence_half: f64,
    pub(super) occupancy_exponent: f64,
    pub(super) unfused_rate: f64,
    pub(super) unaligned_factor: f64,
    pub(super) score_bytes: [f64; 2],
}

/// Rates of the links, per GPU and direction.
#[derive(Debug, Clone, Copy)]
pub(super) struct Links {
    pub(super) scale_up_rate: f64,
    pub(super) small_group_loss: f64,
    pub(super) nvls_gain: f64,
    pub(super) all_to_all_ratio: f64,
    pub(super) dispatcher_ratio: f64,
    pub(super) scale_up_latency: f64,
    pub(super) scale_up_hop: f64,
    pub(super) scale_up_half: f64,
    pub(super) network_rate: f64,
    pub(super) network_latency: f64,
    pub(super) network_half: f64,
    pub(super) leaf_gpus: f64,
    pub(super) oversubscription: f64,
    pub(super) tier_loss: f64,
    /// Whether a machine has fewer NICs than GPUs.
    pub(super) shares_nics: bool,
}

impl Rates<'_> {
    /// Rates of a scenario under a calibration.
    pub fn new(scenario: &Scenario, constants: &Constants) -> Self {
        let c = constants;
        let gpu = &scenario.cluster.gpu;
        let ultra = if gpu.family == GpuFamily::BlackwellUltra { c.gemm_ultra_gain } else { 1.0 };
        let efficiency = ultra
            * match gpu.family {
                GpuFamily::Volta => c.gemm_efficiency_volta,
                GpuFamily::Ampere => c.gemm_efficiency_ampere,
                GpuFamily::Hopper => c.gemm_efficiency_hopper,
                GpuFamily::Blackwell | GpuFamily::BlackwellUltra => c.gemm_efficiency_blackwell,
                GpuFamily::Cdna3 => c.gemm_efficiency_cdna3,
                GpuFamily::Cdna4 => c.gemm_efficiency_cdna4,
            };
        let fp8_ratio = if gpu.family == GpuFamily::Hopper {
            c.gemm_fp8_ratio_hopper
        } else {
            c.gemm_fp8_ratio_blackwell
        };
        let efficiency = efficiency * sustained(gpu.family, c);
        let age = software_age(scenario, c);
        let gemm_rate = gpu.peak_bf16.0 * efficiency / age;
        let (low_rate, operand_bytes_low) = match scenario.workload.precision {
            Precision::Fp16 | Precision::Bf16 => (gemm_rate, 2.0),
            Precision::Fp8 | Precision::Fp8Block | Precision::Mxfp8 => {
                (gpu.peak_fp8.0 * efficiency * fp8_ratio / age, 1.0)
            }
            // 4 bits a value and one 8-bit scale per 16 values.
            Precision::Nvfp4 => (gpu.peak_fp4.0 * efficiency * c.gemm_fp4_ratio / age, 0.5 + 1.0 / 16.0),
        };
        let later = !matches!(gpu.family, GpuFamily::Volta | GpuFamily::Ampere);
        Self {
            learned: None,
            gemm_rate,
            gemm_rate_low: if low_rate > 0.0 { low_rate } else { gemm_rate },
            operand_bytes_low,
            k_half: c.gemm_k_half,
            wave_exponent: if later { c.gemm_wave_exponent_later } else { c.gemm_wave_exponent_ampere },
            tile_efficiency: [1.0, c.gemm_tile_128_efficiency, c.gemm_tile_64_efficiency],
            sms: f64::from(gpu.sms.max(1)),
            overlap_loss: c.roofline_overlap_loss,
            kernel_ramp: c.kernel_ramp,
            grouped_factor: match scenario.software.expert_kernels {
                ExpertKernels::PerExpert => c.grouped_factor,
                ExpertKernels::Fused => c.grouped_factor_fused,
            },
            grouped_ramp: c.grouped_ramp,
            memory_rate: gpu.memory_bandwidth.0 * c.memory_efficiency / age,
            attention: AttentionRates::new(scenario, c, ultra, age),
            links: Links::new(&scenario.cluster, c, age),
        }
    }

    /// Whether the attention core runs as separate products, softmax and dropout.
    pub fn attention_is_unfused(&self) -> bool {
        self.attention.unfused
    }

    /// Bytes of one low-precision operand element.
    pub fn operand_bytes_low(&self) -> f64 {
        self.operand_bytes_low
    }
}

/// Rate of compute kernels in training over their rate in a short benchmark.
pub(crate) fn sustained(family: GpuFamily, c: &Constants) -> f64 {
    match family {
        GpuFamily::Volta | GpuFamily::Ampere | GpuFamily::Cdna3 | GpuFamily::Cdna4 => c.sustained_ampere,
        GpuFamily::Hopper => c.sustained_hopper,
        GpuFamily::Blackwell | GpuFamily::BlackwellUltra => c.sustained_blackwell,
    }
}

/// Slow-down of an older release of a stack that ages, on GPUs younger than Ampere:
/// 1 + rate (2025 - year), at most three years.
pub(crate) fn software_age(scenario: &Scenario, c: &Constants) -> f64 {
    let young = !matches!(scenario.cluster.gpu.family, GpuFamily::Volta | GpuFamily::Ampere);
    if young && scenario.software.stack.profile().ages {
        1.0 + c.software_age_per_year * (2025.0 - f64::from(scenario.software.year)).clamp(0.0, 3.0)
    } else {
        1.0
    }
}

impl AttentionRates {
    fn new(scenario: &Scenario, c: &Constants, ultra: f64, age: f64) -> Self {
        let gpu = &scenario.cluster.gpu;
        let kernel = scenario.software.attention();
        let efficiency = match gpu.family {
            GpuFamily::Volta => c.attention_efficiency_volta,
            GpuFamily::Ampere => c.attention_efficiency_ampere,
            GpuFamily::Hopper if kernel == Attention::Vendor => c.attention_efficiency_hopper,
            GpuFamily::Hopper => c.attention_efficiency_hopper_flash2,
            // The Ultra parts doubled the exponential units besides raising clocks.
            GpuFamily::Blackwell => c.attention_efficiency_blackwell,
            GpuFamily::BlackwellUltra => c.attention_efficiency_blackwell * ultra * ultra.sqrt(),
            GpuFamily::Cdna3 | GpuFamily::Cdna4 => c.attention_efficiency_cdna,
        };
        let alibi = if kernel == Attention::TritonAlibi { c.attention_alibi_ratio } else { 1.0 };
        Self {
            unfused: kernel == Attention::Unfused,
            flash_rate: gpu.peak_bf16.0 * efficiency * alibi / age,
            head64_ratio: c.attention_head64_ratio,
            backward_ratio: c.attention_backward_ratio,
            sequence_half: c.attention_sequence_half,
            occupancy_exponent: c.attention_occupancy_exponent,
            unfused_rate: gpu.peak_bf16.0 * c.attention_unfused_efficiency,
            unaligned_factor: c.attention_unaligned_factor,
            score_bytes: [c.attention_score_bytes_forward, c.attention_score_bytes_backward],
        }
    }
}

impl Links {
    fn new(cluster: &Cluster, c: &Constants, age: f64) -> Self {
        let network = &cluster.network;
        let efficiency = match network.transport {
            Transport::InfiniBand => c.network_efficiency_infiniband,
            Transport::Roce => c.network_efficiency_roce,
            Transport::Slingshot => c.network_efficiency_slingshot,
            Transport::Efa => c.network_efficiency_efa,
            Transport::Tcp => c.network_efficiency_tcp,
        };
        let family = cluster.gpu.family;
        let scale_up = match cluster.scale_up.kind {
            ScaleUpKind::NvLink => match family {
                GpuFamily::Hopper => c.scale_up_efficiency_hopper,
                GpuFamily::Blackwell | GpuFamily::BlackwellUltra => c.scale_up_efficiency_blackwell,
                _ => c.scale_up_efficiency_ampere,
            },
            ScaleUpKind::Xgmi => c.scale_up_efficiency_xgmi,
            ScaleUpKind::Pcie => c.scale_up_efficiency_pcie,
            ScaleUpKind::PcieHost => c.scale_up_efficiency_pcie_host,
        };
        let ramp = match family {
            GpuFamily::Hopper => c.scale_up_ramp_hopper,
            GpuFamily::Blackwell | GpuFamily::BlackwellUltra => c.scale_up_ramp_blackwell,
            _ => c.scale_up_ramp_ampere,
        };
        let nvls = match (cluster.scale_up.kind, family) {
            (ScaleUpKind::NvLink, GpuFamily::Hopper) => c.scale_up_nvls_gain_hopper,
            (ScaleUpKind::NvLink, GpuFamily::Blackwell | GpuFamily::BlackwellUltra) => {
                c.scale_up_nvls_gain_blackwell
            }
            _ => 1.0,
        };
        let tier_loss = match cluster.scale_up.kind {
            ScaleUpKind::NvLink | ScaleUpKind::Xgmi => c.tier_overlap_loss,
            ScaleUpKind::Pcie | ScaleUpKind::PcieHost => c.tier_overlap_loss_pcie,
        };
        let per_node = f64::from(cluster.gpus_per_node.max(1));
        Self {
            scale_up_rate: cluster.scale_up.bandwidth.0 * scale_up / age,
            small_group_loss: c.scale_up_small_group_loss,
            nvls_gain: nvls,
            all_to_all_ratio: c.all_to_all_ratio,
            dispatcher_ratio: c.dispatcher_ratio,
            scale_up_latency: c.scale_up_latency,
            scale_up_hop: c.scale_up_hop_latency,
            scale_up_half: cluster.scale_up.bandwidth.0 * scale_up * ramp,
            network_rate: cluster.node_bandwidth().0 / per_node * efficiency / age,
            network_latency: c.network_latency,
            network_half: c.network_half_size,
            leaf_gpus: f64::from(network.leaf_nodes.max(1)) * per_node,
            oversubscription: network.oversubscription.max(1.0),
            tier_loss,
            shares_nics: network.nics_per_node < cluster.gpus_per_node,
        }
    }
}
