//! Low-rank adapters (LoRA) on frozen weights, and the storage formats of these.

use super::model::{Layers, Reads, TowerParameters};
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
            let (mut mixer, mut shared, mut experts) = (0.0, 0.0, 0.0);
            let shares = self.plan.layer_shares();
            self.model.mixer_weights(*kind, shares, &mut |weights| mixer += weights.adapter());
            self.model.feed_forward_weights(*kind, shares, &mut |weights| match weights.reads {
                Reads::Routed => experts += weights.adapter(),
                _ => shared += weights.adapter(),
            });
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
