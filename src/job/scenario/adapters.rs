//! Low-rank adapters (LoRA) on frozen weights, and the storage formats of these.

use super::model::{FeedForward, LayerKind, Layers, MixerParts, TowerParameters};
use super::plan::Plan;
use super::plan::stages::{KindParameters, StageParameters, stage_parameters};
use super::{Precision, Scenario};
use serde::{Deserialize, Serialize};

/// Adapters of low rank on the frozen weights of linear layers (Hu et al. 2021, arXiv 2106.09685): `W x + B A x`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Adapters {
    /// Inner dimension of every adapter; 0 if all parameters are trained.
    pub rank: u32,
    /// Which linear layers have one.
    pub targets: AdapterTargets,
    /// Format of the frozen weights of linear layers.
    pub base: BaseFormat,
}

impl Adapters {
    /// No adapters: all parameters are trained.
    pub const NONE: Self = Self { rank: 0, targets: AdapterTargets::AllLinear, base: BaseFormat::Bits16 };

    /// Whether the model's own parameters are frozen.
    pub const fn freeze(&self) -> bool {
        self.rank > 0
    }

    /// Bytes per parameter of a layer: of a frozen one in its format, else 16 bits.
    pub const fn base_bytes(&self) -> f64 {
        if self.freeze() { self.base.bytes() } else { BaseFormat::Bits16.bytes() }
    }

    /// Whether frozen weights are dequantized to 16 bits before every product: those with fewer bits, except 8 bits for
    /// FP8 products, which read them directly (Transformer Engine's `fp8_model_init`, NeMo's `fp8_params`).
    pub fn widens(&self, precision: Precision) -> bool {
        let taken =
            self.base == BaseFormat::Bits16 || self.base == BaseFormat::Bits8 && precision == Precision::Fp8;
        self.freeze() && !taken
    }
}

/// Which linear layers have adapters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AdapterTargets {
    /// Those of the attention: query, key, value and output.
    Attention,
    /// All of a layer, experts included; not the router.
    AllLinear,
}

/// Format of frozen weights.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BaseFormat {
    /// 16 bits.
    Bits16,
    /// 8 bits, a 32-bit scale for 256 of them.
    Bits8,
    /// 4 bits in blocks of 64, whose 8-bit scales have a 32-bit scale per 256 of them (NF4 with double quantisation,
    /// Dettmers et al. 2023, arXiv 2305.14314, section 3: 0.127 bits per parameter).
    Nf4,
}

impl BaseFormat {
    /// Bytes of a weight, including its share of the scales.
    pub const fn bytes(self) -> f64 {
        match self {
            Self::Bits16 => 2.0,
            Self::Bits8 => 1.0 + 4.0 / 256.0,
            Self::Nf4 => 0.5 + 1.0 / 64.0 + 4.0 / (64.0 * 256.0),
        }
    }
}

/// Parameters of the adapters of one layer on one GPU.
struct LayerAdapters {
    attention: f64,
    recurrent: f64,
    matrix: f64,
    /// Of a dense layer's feed-forward part.
    feed_forward: f64,
    shared_experts: f64,
    experts: f64,
}

impl LayerAdapters {
    /// An adapter of a matrix of n rows and k columns has r (n + k) parameters. Tensor parallelism splits the adapter's
    /// side that matches the split side of the matrix; the other is whole on every rank.
    fn new(scenario: &Scenario, kind: LayerKind) -> Self {
        let (model, plan) = (&scenario.model.of_kind(kind), &scenario.plan);
        let t = f64::from(plan.tensor_parallel.max(1));
        let (hidden, heads) = (f64::from(model.hidden), f64::from(model.heads) / t);
        let latent = &model.latent;
        let attention = if latent.kv_rank > 0 {
            let (kv, query) = (f64::from(latent.kv_rank), f64::from(latent.query_rank));
            let (plain, rotary) = (f64::from(latent.plain_dim), f64::from(latent.rotary_dim));
            let (queries, values) = (heads * (plain + rotary), heads * f64::from(latent.value_dim));
            let query = if query > 0.0 { hidden + 2.0 * query + queries } else { hidden + queries };
            query + (hidden + 2.0 * kv + rotary) + (heads * plain + values) + (values + hidden)
        } else {
            let width = f64::from(model.head_dim);
            let context = heads * f64::from(model.head_value_dim());
            let own = (f64::from(model.kv_heads) / t).max(1.0) * f64::from(model.key_value_width());
            let (readers, key_values) = if kind.sizes.reuses_keys() { (1.0, 0.0) } else { (3.0, own) };
            let (input, queries) = (f64::from(model.mixer_input(kind)), heads * width);
            let rank = f64::from(model.query_latent());
            let query = if rank > 0.0 { input + 2.0 * rank + queries } else { queries };
            let latents = model.output_latent.width() / t;
            let output = if latents > 0.0 { context + latents + latents + hidden } else { context + hidden };
            readers * input + query + key_values + output
        };
        let branches = if model.gated_mlp { 2.0 } else { 1.0 };
        let experts = &model.experts;
        let both = |width: f64| branches * (hidden + width) + width + hidden;
        // Routed experts may read a latent.
        let inner = f64::from(experts.width(model.hidden));
        let routed = |width: f64| branches * (inner + width) + width + inner;
        let local = f64::from(experts.count) / f64::from(plan.expert_parallel.max(1));
        let expert_width = f64::from(experts.ffn) / f64::from(plan.expert_tensor_parallel.max(1));
        let shared_width = f64::from(experts.shared_width()) / t;
        let recurrent = model.recurrent.widths(hidden, t);
        Self {
            attention,
            recurrent: hidden + recurrent.projected + recurrent.values + hidden,
            matrix: hidden + hidden / t,
            feed_forward: both(f64::from(model.ffn) / t),
            shared_experts: if experts.shared > 0 { both(shared_width) } else { 0.0 },
            experts: local * routed(expert_width),
        }
    }
}

impl Scenario {
    /// Whether the encoder in front of the decoder is frozen: as the job states, and with adapters.
    pub fn freezes_tower(&self) -> bool {
        self.model.tower.frozen || self.training.adapters.freeze()
    }

    /// The trained parameters of a stage's GPU: all, all but a frozen encoder, or those of the adapters. `layers` are the
    /// model's.
    pub fn trained(&self, layers: &Layers, held: &StageParameters) -> StageParameters {
        let adapters = &self.training.adapters;
        if !adapters.freeze() {
            return StageParameters { tower: held.tower.trained(self.freezes_tower()), ..*held };
        }
        let rank = f64::from(adapters.rank);
        let all = if adapters.targets == AdapterTargets::AllLinear { rank } else { 0.0 };
        let mut kinds = held.kinds;
        for (kind, parameters) in layers.kinds().iter().zip(&mut kinds) {
            let layer = LayerAdapters::new(self, *kind);
            let (shared, experts) = match kind.feed_forward {
                FeedForward::None => (0.0, 0.0),
                FeedForward::Dense => (layer.feed_forward, 0.0),
                FeedForward::Experts => (layer.shared_experts, layer.experts),
            };
            let mixer = match kind.parts() {
                MixerParts::None => 0.0,
                MixerParts::Matrix => layer.matrix,
                MixerParts::Recurrent => layer.recurrent,
                MixerParts::Both => layer.attention + layer.recurrent,
                MixerParts::Attention => layer.attention,
            };
            *parameters =
                KindParameters { shared: rank * mixer + all * shared, experts: all * experts, own: 0.0 };
        }
        StageParameters {
            kinds,
            prediction: KindParameters::default(),
            embedding: 0.0,
            tower: TowerParameters::default(),
            head: 0.0,
            ..*held
        }
    }

    /// Trained parameters of the whole model: all, or those of the adapters.
    pub fn trained_parameters(&self) -> f64 {
        if self.training.adapters.freeze() {
            return self.adapter_parameters(self.model.experts.count);
        }
        let tower = TowerParameters::new(&self.model, 1);
        self.model.parameters() as f64 - (tower.total() - tower.trained(self.freezes_tower()).total())
    }

    /// Parameters of all adapters with this many experts in an MoE layer: [`Experts::count`](super::model::Experts) for
    /// the whole model, `top_k` for the parameters that a token passes.
    pub fn adapter_parameters(&self, experts: u32) -> f64 {
        let mut whole = Self { plan: Plan::PLAIN, ..*self };
        whole.model.experts.count = experts;
        let held = stage_parameters(&whole.model, &whole.plan, 0);
        whole.trained(&Layers::new(&whole.model), &held).total()
    }
}
