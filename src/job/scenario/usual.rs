//! Defaults of a job: sequence, batch and software.

use super::cluster::{Cluster, GpuFamily};
use super::model::{Model, Positions, presets};
use super::stack::Stack;
use super::{Precision, Scenario};

/// Tokens in a sequence: as in Llama 3's training (arXiv 2407.21783, section 3.2), which later recipes adopted.
const SEQUENCE: u32 = 8192;

/// Longest sequence of models with a shorter one, by what their names in the table of models begin with.
///
/// - Llama 2: arXiv 2307.09288, table 1. Llemma: `max_position_embeddings` of <https://huggingface.co/EleutherAI/llemma_7b>.
/// - Nemotron-4: arXiv 2402.16819 and 2406.11704, table 1 of each. OLMo 2: arXiv 2501.00656, table 1.
/// - GPT-NeoX 20B: arXiv 2204.06745, section 2.
const SHORT: [(&str, u32); 5] =
    [("llama2-", 4096), ("llemma-", 4096), ("nemotron4-", 4096), ("olmo2-", 4096), ("gpt-neox-", 2048)];

/// Tokens in a sequence of fine-tuning with adapters: the default of LLaMA-Factory's `cutoff_len`
/// (`src/llamafactory/hparams/data_args.py`).
const ADAPTER_SEQUENCE: u32 = 2048;

/// Sequences in a step of fine-tuning with adapters, at least one for each GPU: QLoRA's for models of 7 to 33 B
/// (arXiv 2305.14314, table 9).
const ADAPTER_BATCH: u32 = 16;

/// Tokens in 2^20, as batches are quoted: 4 M tokens are 1,024 sequences of 4,096.
const MILLION: f64 = 1_048_576.0;

/// Tokens per step of published pre-training, by an upper limit on the parameters of dense models.
///
/// - 1.3 B: 1 M (GPT-3, arXiv 2005.14165, table 2.1).
/// - 7 to 175 B: 4 M (Llama 2 in all its sizes, arXiv 2307.09288, section 2.2; GPT-3 175B has 3.2 M).
/// - 405 B: 16 M for most of its tokens (Llama 3, arXiv 2407.21783, section 3.4.1; Nemotron-4 340B has 9.4 M, arXiv
///   2406.11704).
const DENSE: [(f64, f64); 3] = [(2e9, MILLION), (2e11, 4.0 * MILLION), (f64::INFINITY, 16.0 * MILLION)];

/// Same, for MoE models.
///
/// - 16 B: 18.9 M (DeepSeek-V2 Lite, arXiv 2405.04434, appendix B).
/// - 671 B: 62.9 M (DeepSeek-V3, arXiv 2412.19437, section 4.2; DeepSeek-V2 with 236 B has 37.7 M).
const EXPERTS: [(f64, f64); 2] = [(1e11, 16.0 * MILLION), (f64::INFINITY, 64.0 * MILLION)];

/// Most tokens per step for each GPU: on few GPUs, steps are smaller than in the model's publication. TinyLlama has 2 M
/// on 16 A100 (arXiv 2401.02385, section 2), NVIDIA's recipe for Llama-3 8B 128 sequences of 8,192 on 8 H100
/// (`data/examples.tsv`): both come to this number.
const TOKENS_PER_GPU: f64 = 131_072.0;

/// Default sequence length for a job's model, limited by its own where that is known.
pub fn usual_sequence(job: &Scenario) -> u32 {
    let sequence = if job.training.adapters.rank > 0 { ADAPTER_SEQUENCE } else { SEQUENCE };
    match job.model.positions {
        Positions::Learned(rows) => sequence.min(rows),
        _ => {
            let name = presets::name_of(&job.model).unwrap_or_default();
            let own = SHORT.iter().find(|row| name.starts_with(row.0));
            own.map_or(sequence, |row| sequence.min(row.1))
        }
    }
}

/// Default sequences per step for a job's model on its GPUs: as many tokens as in published pre-training of its size,
/// up to a limit per GPU, in a number of sequences that divides over the GPUs. Fine-tuning with adapters has small
/// steps.
pub fn usual_batch(job: &Scenario) -> u32 {
    let gpus = job.cluster.gpus.max(1);
    if job.training.adapters.rank > 0 {
        return gpus.saturating_mul(ADAPTER_BATCH.div_ceil(gpus));
    }
    pre_training_batch(&job.model, gpus, job.workload.sequence)
}

fn pre_training_batch(model: &Model, gpus: u32, sequence: u32) -> u32 {
    let rows: &[(f64, f64)] = if model.experts.count > 0 { &EXPERTS } else { &DENSE };
    let parameters = model.parameters() as f64;
    let published = rows.iter().find(|row| parameters < row.0).map_or(MILLION, |row| row.1);
    let tokens = published.min(TOKENS_PER_GPU * f64::from(gpus));
    let sequences = (tokens / f64::from(sequence.max(1))).max(1.0);
    // The batch should be a multiple of the number of replicas: of all GPUs, or of half as many, and so on.
    let mut unit = gpus.max(1);
    while f64::from(unit) > sequences && unit.is_multiple_of(2) {
        unit /= 2;
    }
    unit.saturating_mul((sequences / f64::from(unit)).round().max(1.0) as u32)
}

/// Default software of a job: PEFT in a Hugging Face trainer for fine-tuning with adapters; else NVIDIA's own on
/// NVIDIA's GPUs, and on AMD's Megatron-LM, for which AMD publishes containers
/// (<https://rocm.docs.amd.com/en/latest/how-to/rocm-for-ai/training/benchmark-docker/megatron-lm.html>).
pub fn usual_stack(job: &Scenario) -> Stack {
    if job.training.adapters.rank > 0 {
        return Stack::Eager;
    }
    pre_training_stack(&job.cluster)
}

/// Default number format on such machines: BF16, and FP16 on GPUs without it.
pub fn usual_precision(cluster: &Cluster) -> Precision {
    if cluster.gpu.family.generation().bf16 { Precision::Bf16 } else { Precision::Fp16 }
}

fn pre_training_stack(cluster: &Cluster) -> Stack {
    match cluster.gpu.family {
        GpuFamily::Cdna3 | GpuFamily::Cdna4 => Stack::MegatronLm,
        _ => Stack::Nemo,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::model::models::{
        DEEPSEEK_V3, GPT2_1_5B, GPT3_175B, LLAMA2_7B, LLAMA3_70B, LLAMA3_405B,
    };

    fn tokens(model: &Model, gpus: u32, sequence: u32) -> f64 {
        f64::from(pre_training_batch(model, gpus, sequence)) * f64::from(sequence)
    }

    #[test]
    fn batches_are_those_of_publications() {
        // Published, tokens: Llama 2, Llama 3, DeepSeek-V3 (15,360 sequences of 4,096), and 1,024 x 8,192 of a recipe.
        let published = [
            (&LLAMA2_7B, 1024, 4096, 4.2e6),
            (&LLAMA3_405B, 16_384, 8192, 16.8e6),
            (&DEEPSEEK_V3, 2048, 4096, 62.9e6),
            (&GPT3_175B, 1024, 2048, 3.2e6),
            (&LLAMA3_70B, 512, 8192, 4.2e6),
        ];
        for (model, gpus, sequence, expected) in published {
            let ratio = tokens(model, gpus, sequence) / expected;
            assert!((0.7..1.5).contains(&ratio), "{gpus} GPUs: {ratio} times as many");
        }
        assert!(tokens(&GPT2_1_5B, 64, 1024) < 1.1e6);
    }

    #[test]
    fn few_gpus_take_smaller_steps_and_any_number_can_share_one() {
        assert_eq!(pre_training_batch(&LLAMA2_7B, 8, 4096), 256);
        assert_eq!(pre_training_batch(&LLAMA2_7B, 1, 4096), 32);
        for gpus in (1..600).chain([1000, 6144, 65_535]) {
            let batch = pre_training_batch(&LLAMA3_70B, gpus, 8192);
            let odd = gpus >> gpus.trailing_zeros();
            assert!(batch >= 1 && batch.is_multiple_of(odd), "{gpus}: {batch}");
        }
    }
}
