//! What one pipeline stage holds: its transformer layers, and the parameters of one of its GPUs.
//!
//! Nothing here allocates, and no input panics: degrees of zero count as one.

use super::{Plan, StageSplit};
use crate::model::{Model, padded_vocabulary};

/// Transformer layers on `stage` (numbered from 0), over all its virtual stages.
///
/// The model is cut into p v chunks, dealt round-robin: chunk k lives on stage k mod p.
/// `Even` gives the remainder to the first chunks. `CountEnds` counts the embedding and the LM head
/// as one layer each; when layers + 2 is not a multiple of p v it falls back to `Even`.
pub fn stage_layers(
    layers: u32,
    pipeline_parallel: u32,
    virtual_stages: u32,
    split: StageSplit,
    stage: u32,
) -> u32 {
    let stages = u64::from(pipeline_parallel.max(1));
    let per_stage = u64::from(virtual_stages.max(1));
    let chunks = stages * per_stage;
    let (layers, stage) = (u64::from(layers), u64::from(stage));
    if stage >= stages {
        return 0;
    }
    let counts_ends = split == StageSplit::CountEnds && (layers + 2) % chunks == 0;
    let held = if counts_ends {
        let ends = u64::from(stage == 0) + u64::from(stage == stages - 1);
        ((layers + 2) / stages).saturating_sub(ends)
    } else {
        // Chunks k < remainder hold one layer more; those on this stage are k = stage, stage + p, ...
        let remainder = layers % chunks;
        let longer = remainder.saturating_sub(stage).div_ceil(stages);
        layers / chunks * per_stage + longer
    };
    held as u32
}

/// Most transformer layers that any stage holds.
pub fn most_layers(layers: u32, plan: &Plan) -> u32 {
    let held =
        |stage| stage_layers(layers, plan.pipeline_parallel, plan.virtual_stages, plan.stage_split, stage);
    held(0).max(held(1))
}

/// Layers of `stage` that hold experts, over all its virtual stages.
///
/// Chunks are dealt round-robin and hold consecutive layers, so that leading dense layers are all on the
/// first stages.
pub fn stage_expert_layers(model: &Model, plan: &Plan, stage: u32) -> u32 {
    let experts = &model.experts;
    if experts.count == 0 {
        return 0;
    }
    let stages = plan.pipeline_parallel.max(1);
    if experts.leading_dense == 0 && experts.every <= 1 {
        return stage_layers(model.layers, stages, plan.virtual_stages, plan.stage_split, stage);
    }
    let virtual_stages = plan.virtual_stages.max(1);
    let chunks = u64::from(stages) * u64::from(virtual_stages);
    let layers = u64::from(model.layers);
    let counts_ends = plan.stage_split == StageSplit::CountEnds && (layers + 2) % chunks == 0;
    // First layer of a chunk; where the ends count as layers, the embedding is layer -1.
    let start = |chunk: u64| {
        let start = if counts_ends {
            ((layers + 2) / chunks * chunk).saturating_sub(1)
        } else {
            layers / chunks * chunk + chunk.min(layers % chunks)
        };
        start.min(layers) as u32
    };
    (0..u64::from(virtual_stages))
        .map(|turn| {
            let chunk = turn * u64::from(stages) + u64::from(stage);
            model.expert_layers_before(start(chunk + 1)) - model.expert_layers_before(start(chunk))
        })
        .sum()
}

/// Parameters on one GPU of a stage, by where they come from. Counts, exact up to 2^53.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct StageParameters {
    /// Transformer layers of the stage.
    pub layers: u32,
    /// Those of them that hold experts.
    pub expert_layers: u32,
    /// Parameters of one dense transformer layer on this GPU, replicated ones included.
    pub per_layer: f64,
    /// Those of `per_layer` that every tensor-parallel rank holds whole: norms and the biases of the
    /// row-parallel matrices.
    pub per_layer_replicated: f64,
    /// Parameters of one layer of experts on this GPU without the routed experts.
    pub per_expert_layer: f64,
    /// Routed experts of one layer on this GPU.
    pub experts_per_layer: f64,
    /// Layers of multi-token prediction and their projections (last stage), without routed experts.
    pub prediction: f64,
    /// Routed experts of those layers.
    pub prediction_experts: f64,
    /// Input embedding, and the position table where positions are learned (first stage).
    pub embedding: f64,
    /// Final norm and LM head (last stage). Tied embeddings leave only the norm with one stage, and a
    /// second copy of the embedding with more.
    pub head: f64,
}

impl StageParameters {
    /// All parameters on this GPU.
    pub fn total(&self) -> f64 {
        self.shared() + self.experts()
    }

    /// Parameters that every data-parallel rank holds: all but the routed experts.
    pub fn shared(&self) -> f64 {
        f64::from(self.layers - self.expert_layers) * self.per_layer
            + f64::from(self.expert_layers) * self.per_expert_layer
            + self.prediction
            + self.embedding
            + self.head
    }

    /// Routed experts, which only the ranks of the same expert-parallel position hold.
    pub fn experts(&self) -> f64 {
        f64::from(self.expert_layers) * self.experts_per_layer + self.prediction_experts
    }

    /// Parameters of the stage's largest layer.
    pub fn largest_layer(&self) -> f64 {
        let dense = if self.layers > self.expert_layers { self.per_layer } else { 0.0 };
        let of_experts =
            if self.expert_layers > 0 { self.per_expert_layer + self.experts_per_layer } else { 0.0 };
        dense.max(of_experts)
    }
}

/// Parameters on one GPU of `stage`, split over the tensor-parallel group as Megatron splits them:
/// matrices by columns or rows, the vocabulary padded to a multiple of 128 t, norms and row-parallel
/// biases whole on every rank, at least one key/value head on every rank; routed experts over the
/// expert-parallel group.
pub fn stage_parameters(model: &Model, plan: &Plan, stage: u32) -> StageParameters {
    let stages = plan.pipeline_parallel.max(1);
    let degree = plan.tensor_parallel.max(1);
    let layer = model.layer_parameters(degree);
    let of_experts = model.expert_layer_parameters(degree, plan.expert_parallel, plan.expert_tensor_parallel);
    let rows = padded_vocabulary(model.vocabulary, degree) / degree;
    let vocabulary = f64::from(rows) * f64::from(model.hidden);
    let (positions, norm) = (model.position_parameters() as f64, model.norm_parameters() as f64);
    let (first, last) = (stage == 0, stage == stages - 1);
    let own_head = !model.tied_embeddings || stages > 1;
    let has_experts = model.experts.count > 0;
    let routed = if has_experts { of_experts.experts as f64 } else { 0.0 };
    let per_expert_layer = (of_experts.total() - of_experts.experts) as f64;
    // Multi-token prediction: a layer like the others, two norms, and a projection of two residual streams to
    // one (DeepSeek-V3, arXiv 2412.19437, section 2.2).
    let predictions = if last { f64::from(model.prediction_layers) } else { 0.0 };
    let hidden = f64::from(model.hidden);
    let prediction_layer = if has_experts { per_expert_layer } else { layer.total() as f64 };
    let joined = 2.0 * hidden * hidden / f64::from(degree) + 3.0 * norm;
    StageParameters {
        layers: stage_layers(model.layers, stages, plan.virtual_stages, plan.stage_split, stage),
        expert_layers: stage_expert_layers(model, plan, stage),
        per_layer: layer.total() as f64,
        per_layer_replicated: layer.replicated as f64,
        per_expert_layer,
        experts_per_layer: routed,
        prediction: predictions * (prediction_layer + joined),
        prediction_experts: predictions * routed,
        embedding: if first { vocabulary + positions } else { 0.0 },
        head: if last { norm + if own_head { vocabulary } else { 0.0 } } else { 0.0 },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Bias, Norm, Positions};
    use crate::plan::{Mapping, Recompute, Zero};

    const PLAN: Plan = Plan {
        tensor_parallel: 2,
        sequence_parallel: false,
        context_parallel: 1,
        expert_parallel: 1,
        expert_tensor_parallel: 1,
        pipeline_parallel: 4,
        virtual_stages: 1,
        zero: Zero::None,
        micro_batch: 32,
        recompute: Recompute::Full,
        tensor_overlap: false,
        expert_overlap: false,
        data_overlap: false,
        mapping: Mapping::TensorDataPipeline,
        stage_split: StageSplit::Even,
    };

    fn dealt(layers: u32, stages: u32, virtual_stages: u32, split: StageSplit) -> Vec<u32> {
        (0..stages).map(|stage| stage_layers(layers, stages, virtual_stages, split, stage)).collect()
    }

    #[test]
    fn remainder_goes_to_the_first_chunks() {
        assert_eq!(dealt(54, 4, 1, StageSplit::Even), [14, 14, 13, 13]);
        assert_eq!(dealt(10, 4, 2, StageSplit::Even), [3, 3, 2, 2]);
        assert_eq!(dealt(14, 4, 2, StageSplit::Even), [4, 4, 3, 3]);
        assert_eq!(dealt(3, 4, 1, StageSplit::Even), [1, 1, 1, 0]);
    }

    #[test]
    fn ends_count_as_layers_when_they_divide() {
        // Llama-3 405B on 16 stages: 126 + 2 = 16 * 8.
        assert_eq!(dealt(126, 16, 1, StageSplit::CountEnds)[0], 7);
        assert_eq!(dealt(126, 16, 1, StageSplit::CountEnds)[1], 8);
        assert_eq!(dealt(126, 16, 1, StageSplit::CountEnds)[15], 7);
        assert_eq!(dealt(30, 1, 1, StageSplit::CountEnds), [30]);
        assert_eq!(dealt(80, 4, 1, StageSplit::CountEnds), [20, 20, 20, 20]);
    }

    #[test]
    fn every_layer_is_dealt_once() {
        for split in [StageSplit::Even, StageSplit::CountEnds] {
            for layers in 2..140 {
                for (stages, virtual_stages) in [(1, 1), (2, 1), (4, 1), (4, 3), (8, 2), (16, 1), (7, 5)] {
                    let held = dealt(layers, stages, virtual_stages, split);
                    assert_eq!(
                        held.iter().sum::<u32>(),
                        layers,
                        "{split:?} {layers} {stages} {virtual_stages}"
                    );
                    let plan = Plan { pipeline_parallel: stages, virtual_stages, stage_split: split, ..PLAN };
                    assert_eq!(held.iter().max(), Some(&most_layers(layers, &plan)));
                }
            }
        }
    }

    /// APNet'24, Table 3: the first stage's gradients are 741 MiB and its embedding 96 MiB in 16 bits.
    #[test]
    fn gpt_3b_first_stage_is_apnets() {
        let model = Model {
            layers: 54,
            hidden: 2000,
            ffn: 8000,
            heads: 20,
            kv_heads: 20,
            head_dim: 100,
            vocabulary: 50_257,
            gated_mlp: false,
            tied_embeddings: true,
            bias: Bias::All,
            norm: Norm::Layer,
            positions: Positions::Learned(1024),
            ..Model::DENSE
        };
        let first = stage_parameters(&model, &PLAN, 0);
        assert_eq!(first.per_layer, 6.0 * 2000.0 * 2000.0 + 9.5 * 2000.0);
        assert_eq!(first.per_layer_replicated, 6.0 * 2000.0);
        assert_eq!((first.total() * 2.0 / 1024.0 / 1024.0).round(), 741.0);
        let table = stage_parameters(&model, &PLAN, 3).head - 2.0 * 2000.0;
        assert_eq!((table * 2.0 / 1024.0 / 1024.0).round(), 96.0);
        assert_eq!(stage_parameters(&model, &Plan { pipeline_parallel: 1, ..PLAN }, 0).head, 2.0 * 2000.0);
    }

    #[test]
    fn llama_3_70b_has_its_published_size() {
        let model = Model {
            layers: 80,
            hidden: 8192,
            ffn: 28_672,
            heads: 64,
            kv_heads: 8,
            head_dim: 128,
            vocabulary: 128_256,
            gated_mlp: true,
            tied_embeddings: false,
            bias: Bias::None,
            norm: Norm::Rms,
            positions: Positions::Rotary,
            ..Model::DENSE
        };
        let whole = Plan { tensor_parallel: 1, pipeline_parallel: 1, ..PLAN };
        assert_eq!(stage_parameters(&model, &whole, 0).total(), 70_553_706_496.0);
        // Sixteen ranks share eight key/value heads: each still holds one.
        let wide = Plan { tensor_parallel: 16, pipeline_parallel: 1, ..PLAN };
        let extra = stage_parameters(&model, &wide, 0).per_layer * 16.0;
        assert!(extra > stage_parameters(&model, &whole, 0).per_layer + 2.0 * 8.0 * 128.0 * 8192.0);
    }
}
