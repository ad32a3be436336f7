//! Contents of one pipeline stage: its chunks of the model, their transformer layers, and the parameters of one of its
//! GPUs.
//!
//! Nothing here allocates, and no input panics: degrees of zero count as one.

pub use super::held::{KindParameters, StageParameters};
use super::{Plan, StageSplit};
use crate::scenario::model::{
    LayerShares, Layers, MOST_KINDS, Model, OfKinds, TowerParameters, padded_vocabulary,
};
use core::ops::Range;

impl Plan {
    /// Ranks that share a layer.
    pub fn layer_shares(&self) -> LayerShares {
        let (tensor, experts) = (self.tensor_parallel, self.expert_parallel);
        LayerShares { tensor, experts, expert_tensor: self.expert_tensor_parallel }
    }

    /// Number of model chunks: p v, in model order.
    pub fn chunks(&self) -> u32 {
        self.pipeline_parallel.max(1).saturating_mul(self.virtual_stages.max(1))
    }

    /// Stage of a chunk (of its first copy, if there are two).
    pub fn stage_of(&self, chunk: u32) -> u32 {
        let stages = self.pipeline_parallel.max(1);
        if self.folds() && chunk >= stages { (2 * stages - 1).saturating_sub(chunk) } else { chunk % stages }
    }

    /// Chunks that a stage runs, in model order, without the second copy of a mirrored pipeline.
    pub fn chunks_on(&self, stage: u32) -> impl Iterator<Item = u32> + use<> {
        let stages = self.pipeline_parallel.max(1);
        let across = (stages - 1).saturating_sub(stage);
        let (count, further) = if self.schedule.mirrors() {
            (2, across)
        } else if self.folds() {
            (2, stages + across)
        } else {
            (self.virtual_stages.max(1), stage.saturating_add(stages))
        };
        (0..count).map(move |slot| match slot {
            0 => stage,
            _ => further.saturating_add((slot - 1).saturating_mul(stages)),
        })
    }

    /// Whether a stage holds the embedding, and whether it holds the LM head. A folded pipeline ends on the first
    /// stage; a mirrored one begins and ends on both.
    pub fn embedding_and_head(&self, stage: u32) -> (bool, bool) {
        let (first, last) = (stage == 0, stage == self.pipeline_parallel.max(1) - 1);
        if self.schedule.mirrors() {
            (first || last, first || last)
        } else if self.folds() {
            (first, first)
        } else {
            (first, last)
        }
    }

    /// Share of a replica's micro-batches that pass through each chunk of a stage: in a mirrored pipeline, half of them
    /// enter at either end.
    pub fn share_of_micro_batches(&self) -> f64 {
        if self.schedule.mirrors() { 0.5 } else { 1.0 }
    }

    /// GPUs that hold the same parameters, relative to one pipeline's stage.
    pub fn copies(&self) -> u32 {
        if self.schedule.mirrors() { 2 } else { 1 }
    }

    fn folds(&self) -> bool {
        self.schedule.folds() && self.virtual_stages == 2
    }
}

/// Transformer layers of one chunk (numbered from 0 in model order).
///
/// `Even` gives the remainder to the first chunks. `CountEnds` counts the embedding and the LM head as one
/// layer each; when layers + 2 is not a multiple of the chunks it falls back to `Even`. `Given` is the list's.
pub fn chunk_layers(layers: u32, plan: &Plan, chunk: u32) -> u32 {
    let chunks = u64::from(plan.chunks());
    let (layers, chunk) = (u64::from(layers), u64::from(chunk));
    if chunk >= chunks {
        return 0;
    }
    let assigned = match plan.stage_split {
        StageSplit::Given(list) => u64::from(list.of(chunk as u32)),
        StageSplit::CountEnds if (layers + 2) % chunks == 0 => {
            let ends = u64::from(chunk == 0) + u64::from(chunk == chunks - 1);
            ((layers + 2) / chunks).saturating_sub(ends)
        }
        StageSplit::CountEnds | StageSplit::Even => layers / chunks + u64::from(chunk < layers % chunks),
    };
    assigned as u32
}

/// Transformer layers on `stage` (numbered from 0), over all its chunks.
///
/// Chunks are assigned round-robin (chunk k is on stage k mod p), or down and up again in a folded pipeline. A mirrored
/// pipeline's stage holds its own chunk and its mirror image's.
pub fn stage_layers(layers: u32, plan: &Plan, stage: u32) -> u32 {
    let stages = plan.pipeline_parallel.max(1);
    if stage >= stages {
        return 0;
    }
    let two_legged = plan.schedule.mirrors() || plan.folds();
    if two_legged || matches!(plan.stage_split, StageSplit::Given(_)) {
        plan.chunks_on(stage).fold(0, |sum: u32, chunk| sum.saturating_add(chunk_layers(layers, plan, chunk)))
    } else {
        layers_round_robin(layers, plan, stage)
    }
}

/// Layers of a stage with chunks k = stage, stage + p, ... of (nearly) equal size.
fn layers_round_robin(layers: u32, plan: &Plan, stage: u32) -> u32 {
    let stages = u64::from(plan.pipeline_parallel.max(1));
    let per_stage = u64::from(plan.virtual_stages.max(1));
    let chunks = stages * per_stage;
    let (layers, stage) = (u64::from(layers), u64::from(stage));
    let counts_ends = plan.stage_split == StageSplit::CountEnds && (layers + 2) % chunks == 0;
    let assigned = if counts_ends {
        let ends = u64::from(stage == 0) + u64::from(stage == stages - 1);
        ((layers + 2) / stages).saturating_sub(ends)
    } else {
        // Chunks k < remainder hold one layer more; those on this stage are k = stage, stage + p, ...
        let remainder = layers % chunks;
        let longer = remainder.saturating_sub(stage).div_ceil(stages);
        layers / chunks * per_stage + longer
    };
    assigned as u32
}

/// First transformer layer of a chunk; the number of layers for chunks beyond the last.
fn chunk_start(layers: u32, plan: &Plan, chunk: u32) -> u32 {
    let chunks = u64::from(plan.chunks());
    let (all, chunk) = (u64::from(layers), u64::from(chunk).min(chunks));
    let start = match plan.stage_split {
        StageSplit::Given(list) => u64::from(list.before(chunk as u32)),
        // With lighter ends, the embedding counts as layer -1.
        StageSplit::CountEnds if (all + 2) % chunks == 0 => ((all + 2) / chunks * chunk).saturating_sub(1),
        StageSplit::CountEnds | StageSplit::Even => all / chunks * chunk + chunk.min(all % chunks),
    };
    start.min(all) as u32
}

/// Layers of each kind in one chunk. Chunks hold neighbouring layers.
pub fn chunk_kinds(layers: &Layers, plan: &Plan, chunk: u32) -> OfKinds<u32> {
    layers.among(chunk_range(layers, plan, chunk))
}

/// The layers of one chunk.
fn chunk_range(layers: &Layers, plan: &Plan, chunk: u32) -> Range<u32> {
    let start = chunk_start(layers.total(), plan, chunk);
    start..start.saturating_add(chunk_layers(layers.total(), plan, chunk))
}

/// Layers of each kind on `stage`, over all its chunks.
pub fn stage_kinds(layers: &Layers, plan: &Plan, stage: u32) -> OfKinds<u32> {
    if layers.kinds().len() <= 1 {
        let mut counts = [0; MOST_KINDS];
        counts[0] = stage_layers(layers.total(), plan, stage);
        return counts;
    }
    plan.chunks_on(stage).fold([0; MOST_KINDS], |sum, chunk| both(sum, chunk_kinds(layers, plan, chunk)))
}

/// Layers of each kind in a chunk that recompute skips: all but every n-th layer, with strided recompute.
pub fn chunk_passed_over(layers: &Layers, plan: &Plan, chunk: u32) -> OfKinds<u32> {
    let every = plan.recompute.every();
    if every <= 1 {
        return [0; MOST_KINDS];
    }
    let range = chunk_range(layers, plan, chunk);
    let mut passed_over = layers.among(range.clone());
    let recomputed = range.len() as u32 / every;
    for turn in 1..=recomputed {
        let kind = layers.kind_of(range.start + turn * every - 1);
        if let Some(count) = passed_over.get_mut(kind) {
            *count = count.saturating_sub(1);
        }
    }
    passed_over
}

/// Layers of each kind on `stage` that recompute skips, over all its chunks.
pub fn stage_passed_over(layers: &Layers, plan: &Plan, stage: u32) -> OfKinds<u32> {
    if plan.recompute.every() <= 1 {
        return [0; MOST_KINDS];
    }
    let of = |chunk| chunk_passed_over(layers, plan, chunk);
    plan.chunks_on(stage).fold([0; MOST_KINDS], |sum, chunk| both(sum, of(chunk)))
}

fn both(mut sum: OfKinds<u32>, more: OfKinds<u32>) -> OfKinds<u32> {
    for (count, further) in sum.iter_mut().zip(more) {
        *count = count.saturating_add(further);
    }
    sum
}

/// Parameters on one GPU of one of each component of a stage: what all stages of a pipeline share.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LayoutParameters {
    tied_embeddings: bool,
    kinds: OfKinds<KindParameters>,
    prediction: KindParameters,
    /// Rows of the vocabulary on this GPU, as a matrix.
    vocabulary: f64,
    positions: f64,
    tower: TowerParameters,
    norm: f64,
}

impl LayoutParameters {
    /// Counts for [`stage_parameters`] on one GPU. `layers` are those of the model.
    /// Layouts with the same [`Plan::layer_shares`] have the same.
    pub fn new(model: &Model, layers: &Layers, shares: LayerShares) -> Self {
        let degree = shares.tensor.max(1);
        let mut kinds = [KindParameters::default(); MOST_KINDS];
        for (kind, parameters) in layers.kinds().iter().zip(&mut kinds) {
            let layer = model.kind_parameters(*kind, shares);
            *parameters = KindParameters {
                shared: layer.shared as f64,
                experts: layer.experts as f64,
                own: layer.own as f64,
            };
        }
        let rows = padded_vocabulary(model.vocabulary, degree) / degree;
        let norm = model.norm_parameters() as f64;
        // Multi-token prediction: a normal layer, two norms, and a projection of two residual streams to one
        // (DeepSeek-V3, arXiv 2412.19437, section 2.2).
        let predictions = f64::from(model.prediction_layers);
        let hidden = f64::from(model.hidden);
        let of_prediction = |part: fn(&KindParameters) -> f64| -> f64 {
            layers
                .in_prediction()
                .iter()
                .zip(&kinds)
                .map(|(count, kind)| f64::from(*count) * part(kind))
                .sum()
        };
        let joined = 2.0 * hidden * hidden / f64::from(degree) + 3.0 * norm;
        Self {
            tied_embeddings: model.tied_embeddings,
            kinds,
            prediction: KindParameters {
                shared: predictions * (of_prediction(|kind| kind.shared) + joined),
                experts: predictions * of_prediction(|kind| kind.experts),
                own: 0.0,
            },
            vocabulary: f64::from(rows) * hidden,
            positions: (model.position_parameters() + model.layer_embedding_parameters(degree)) as f64,
            tower: TowerParameters::new(model, degree),
            norm,
        }
    }

    /// Parameters on one GPU of `stage`.
    pub fn on_stage(&self, of_model: &Layers, plan: &Plan, stage: u32) -> StageParameters {
        self.of_layers(of_model, stage_kinds(of_model, plan, stage), plan.embedding_and_head(stage))
    }

    /// Parameters on one GPU of a stage with so many layers of each kind, and perhaps the embedding and the head.
    pub fn of_layers(
        &self,
        of_model: &Layers,
        layers: OfKinds<u32>,
        (first, last): (bool, bool),
    ) -> StageParameters {
        let separate_head = !(self.tied_embeddings && first && last);
        StageParameters {
            layers,
            reused: of_model.reused(layers),
            kinds: self.kinds,
            prediction: if last { self.prediction } else { KindParameters::default() },
            embedding: if first { self.vocabulary + self.positions } else { 0.0 },
            tower: if first { self.tower } else { TowerParameters::default() },
            head: if last { self.norm + if separate_head { self.vocabulary } else { 0.0 } } else { 0.0 },
        }
    }
}

/// Parameters on one GPU of `stage`, split over the tensor-parallel group as in Megatron: matrices by columns or rows,
/// the vocabulary padded to a multiple of 128 t, norms and row-parallel biases whole on every rank, at least one
/// key/value head on every rank; routed experts over the expert-parallel group.
pub fn stage_parameters(model: &Model, plan: &Plan, stage: u32) -> StageParameters {
    let layers = Layers::new(model);
    LayoutParameters::new(model, &layers, plan.layer_shares()).on_stage(&layers, plan, stage)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::model::{Bias, Norm, Positions};
    use crate::scenario::plan::{
        ContextExchange, GatherOverlap, Mapping, Recompute, Schedule, StageLayers, Zero,
    };

    const PLAN: Plan = Plan {
        tensor_parallel: 2,
        sequence_parallel: false,
        context_parallel: 1,
        context_exchange: ContextExchange::Ring,
        expert_parallel: 1,
        expert_tensor_parallel: 1,
        pipeline_parallel: 4,
        virtual_stages: 1,
        schedule: Schedule::OneForwardOneBackward,
        zero: Zero::None,
        shard_group: 0,
        micro_batch: 32,
        recompute: Recompute::Full,
        tensor_overlap: false,
        expert_overlap: false,
        data_overlap: false,
        gather_overlap: GatherOverlap::AsReduction,
        pipeline_overlap: true,
        offload_optimizer: false,
        offload_parameters: false,
        offload_activations: 0,
        mapping: Mapping::TensorDataPipeline,
        stage_split: StageSplit::Even,
    };

    fn assigned_layers(layers: u32, stages: u32, virtual_stages: u32, split: StageSplit) -> Vec<u32> {
        let plan = Plan { pipeline_parallel: stages, virtual_stages, stage_split: split, ..PLAN };
        (0..stages).map(|stage| stage_layers(layers, &plan, stage)).collect()
    }

    #[test]
    fn remainder_goes_to_the_first_chunks() {
        assert_eq!(assigned_layers(54, 4, 1, StageSplit::Even), [14, 14, 13, 13]);
        assert_eq!(assigned_layers(10, 4, 2, StageSplit::Even), [3, 3, 2, 2]);
        assert_eq!(assigned_layers(14, 4, 2, StageSplit::Even), [4, 4, 3, 3]);
        assert_eq!(assigned_layers(3, 4, 1, StageSplit::Even), [1, 1, 1, 0]);
    }

    #[test]
    fn ends_count_as_layers_when_they_divide() {
        // Llama-3 405B on 16 stages: 126 + 2 = 16 * 8.
        assert_eq!(assigned_layers(126, 16, 1, StageSplit::CountEnds)[0], 7);
        assert_eq!(assigned_layers(126, 16, 1, StageSplit::CountEnds)[1], 8);
        assert_eq!(assigned_layers(126, 16, 1, StageSplit::CountEnds)[15], 7);
        assert_eq!(assigned_layers(30, 1, 1, StageSplit::CountEnds), [30]);
        assert_eq!(assigned_layers(80, 4, 1, StageSplit::CountEnds), [20, 20, 20, 20]);
    }

    #[test]
    fn every_layer_is_dealt_once() {
        for split in [StageSplit::Even, StageSplit::CountEnds] {
            for layers in 2..140 {
                for (stages, virtual_stages) in [(1, 1), (2, 1), (4, 1), (4, 3), (8, 2), (16, 1), (7, 5)] {
                    let assigned = assigned_layers(layers, stages, virtual_stages, split);
                    assert_eq!(
                        assigned.iter().sum::<u32>(),
                        layers,
                        "{split:?} {layers} {stages} {virtual_stages}"
                    );
                    let plan = Plan { pipeline_parallel: stages, virtual_stages, stage_split: split, ..PLAN };
                    for (stage, sum) in (0..).zip(&assigned) {
                        let chunks = (stage..plan.chunks()).step_by(stages as usize);
                        let of_chunks: u32 = chunks.map(|chunk| chunk_layers(layers, &plan, chunk)).sum();
                        assert_eq!(of_chunks, *sum, "{plan:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn given_lists_and_other_placements_deal_every_layer() {
        let list = StageLayers::parse("15,16x2,15").expect("a list");
        assert_eq!(assigned_layers(62, 4, 1, StageSplit::Given(list)), [15, 16, 16, 15]);
        assert_eq!(assigned_layers(62, 2, 2, StageSplit::Given(list)), [31, 31]);
        // Down and up again: chunks 0 and 7 on the first stage.
        let list = StageLayers::parse("1,2,3,4,5,6,7,8").expect("a list");
        let folded = Plan {
            schedule: Schedule::ZeroBubbleV,
            virtual_stages: 2,
            stage_split: StageSplit::Given(list),
            ..PLAN
        };
        let assigned: Vec<u32> = (0..4).map(|stage| stage_layers(36, &folded, stage)).collect();
        assert_eq!(assigned, [9, 9, 9, 9]);
        assert_eq!(
            (folded.embedding_and_head(0), folded.embedding_and_head(3)),
            ((true, true), (false, false))
        );
        // Two copies: the stage's own layers and its mirror image's.
        let list = StageLayers::parse("1,2,3,4").expect("a list");
        let both = Plan { schedule: Schedule::DualPipe, stage_split: StageSplit::Given(list), ..PLAN };
        let assigned: Vec<u32> = (0..4).map(|stage| stage_layers(10, &both, stage)).collect();
        assert_eq!(assigned, [5, 5, 5, 5]);
        assert_eq!(
            (both.embedding_and_head(0), both.embedding_and_head(1), both.embedding_and_head(3)),
            ((true, true), (false, false), (true, true))
        );
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
        assert_eq!(first.kinds[0].shared, 6.0 * 2000.0 * 2000.0 + 9.5 * 2000.0);
        assert_eq!(model.layer_parameters(2).replicated, 6 * 2000);
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
        let extra = stage_parameters(&model, &wide, 0).kinds[0].shared * 16.0;
        assert!(extra > stage_parameters(&model, &whole, 0).kinds[0].shared + 2.0 * 8.0 * 128.0 * 8192.0);
    }
}
