//! Rules for stated kernels: which GPUs support them.

use super::{Rule, error};
use crate::scenario::Scenario;
use crate::scenario::cluster::GpuFamily;
use crate::scenario::stack::AttentionKernel;

pub(super) static RULES: &[Rule] = &[
    Rule {
        broken: |s| {
            kernel(s) == AttentionKernel::Flash3
                && !matches!(s.cluster.gpu.family, GpuFamily::Hopper | GpuFamily::HopperH20)
        },
        explain: |_, _| {
            let legal = vec!["fa2".to_owned(), "sdpa".to_owned()];
            error("attn", "FlashAttention-3 requires a Hopper GPU".to_owned(), legal)
        },
    },
    Rule {
        broken: |s| {
            let written_for = matches!(
                s.cluster.gpu.family,
                GpuFamily::Hopper | GpuFamily::HopperH20 | GpuFamily::Blackwell | GpuFamily::BlackwellUltra
            );
            kernel(s) == AttentionKernel::Flash4 && !written_for
        },
        explain: |_, _| {
            let legal = vec!["fa2".to_owned(), "sdpa".to_owned()];
            error("attn", "FlashAttention-4 requires a Hopper or Blackwell GPU".to_owned(), legal)
        },
    },
    Rule {
        broken: |s| {
            s.cluster.gpu.family == GpuFamily::Volta
                && matches!(
                    kernel(s),
                    AttentionKernel::Flash2 | AttentionKernel::Flex | AttentionKernel::Cudnn
                )
        },
        explain: |_, _| {
            let legal = vec!["fa1".to_owned(), "unfused".to_owned()];
            error("attn", "Volta GPUs do not support this attention kernel".to_owned(), legal)
        },
    },
];

fn kernel(s: &Scenario) -> AttentionKernel {
    s.software.kernels.attention
}
