//! What a layer is made of: mixers and feed-forward parts, one row each.

use super::Model;
use super::layers::LayerKind;
use super::weights::{self, LayerShares, Weights};

/// Calls a function with each of the weights of a part of a layer.
pub type LayerPartWeights = fn(&Model, LayerKind, LayerShares, &mut dyn FnMut(Weights));

/// Lists the mixers once: the variant, and the columns of its row.
macro_rules! mixers {
    ($($(#[$doc:meta])* $mixer:ident = $letter:literal, $label:literal, $class:literal, $parts:ident, $weights:expr;)+) => {
        /// The token mixer of a layer.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Mixer {
            $($(#[$doc])* $mixer,)+
        }

        impl Mixer {
            /// Every mixer, none first.
            pub const ALL: [Self; [$(Self::$mixer),+].len()] = [$(Self::$mixer),+];

            /// Everything that tells it from the others.
            pub const fn row(self) -> MixerRow {
                let (letter, label, class, parts, weights): (_, _, _, _, LayerPartWeights) = match self {
                    $(Self::$mixer => ($letter, $label, $class, MixerParts::$parts, $weights),)+
                };
                MixerRow { letter, label, class, parts, weights }
            }
        }
    };
}

/// Which calls a mixer has, whatever its tokens attend to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MixerParts {
    /// None.
    None,
    /// Attention.
    Attention,
    /// A recurrent mixer.
    Recurrent,
    /// Both, of the same input.
    Both,
    /// One matrix.
    Matrix,
}

/// Everything that tells one mixer from the others.
#[derive(Debug)]
pub struct MixerRow {
    /// Letter in patterns.
    pub(super) letter: char,
    /// Name for people; without that of a recurrent mixer's rule.
    pub(super) label: &'static str,
    /// Class in style sheets, which has a colour.
    pub class: &'static str,
    /// Its calls.
    pub(super) parts: MixerParts,
    /// Its weights, except those of the norm before it.
    pub(super) weights: LayerPartWeights,
}

mixers! {
    /// None: only a feed-forward part.
    None = ' ', "", "none", None, |_, _, _, _| {};
    /// One matrix of the residual stream's width, which mixes no tokens (Nemotron-NAS, `replace_with_linear`).
    Matrix = 'l', "matrix", "none", Matrix, weights::matrix;
    /// Attention to all preceding tokens (decoders), or to all tokens (encoders).
    Attention = 'a', "attention", "attention", Attention, weights::attention;
    /// Attention to the nearest tokens ([`Window`](super::Window)).
    Windowed = 'w', "windowed attention", "windowed", Attention, weights::attention;
    /// Attention to selected keys ([`Sparse`](super::Sparse)).
    Selected = 's', "attention to selected keys", "selected", Attention, weights::attention;
    /// Same, with an earlier layer's selection, without its own indexer (GLM-5.2).
    SelectedAlike = 't', "attention with reused key selection", "selected", Attention, weights::attention;
    /// Attention to compressed keys.
    Compressed = 'c', "attention to compressed keys", "compressed", Attention, weights::attention;
    /// Attention to compressed keys and to selected keys (NSA).
    SelectedAndCompressed = 'n', "attention to selected and compressed keys", "both-sparse", Attention, weights::attention;
    /// A state carried from token to token ([`Recurrent`](super::Recurrent)).
    Recurrent = 'r', "", "recurrent", Recurrent, weights::recurrent;
    /// Attention to all outputs of the encoder in front of the decoder ([`Tower`](super::Tower)).
    Crossed = 'x', "cross-attention", "attention", Attention, weights::attention;
    /// Attention and a recurrent mixer in parallel on the same input; their outputs are added (Falcon-H1).
    Both = 'p', "attention with ", "both", Both, |model, kind, shares, visit| {
        weights::attention(model, kind, shares, &mut *visit);
        weights::recurrent(model, kind, shares, visit);
    };
}

impl Mixer {
    /// Its calls.
    pub const fn parts(self) -> MixerParts {
        self.row().parts
    }

    /// Whether it attends, to any tokens.
    pub fn attends(self) -> bool {
        matches!(self.parts(), MixerParts::Attention | MixerParts::Both)
    }

    /// Whether queries select the keys that they attend to.
    pub fn selects(self) -> bool {
        matches!(self, Self::Selected | Self::SelectedAlike | Self::SelectedAndCompressed)
    }

    /// Whether it attends to all compressed keys.
    pub fn compresses(self) -> bool {
        matches!(self, Self::Compressed | Self::SelectedAndCompressed)
    }

    /// Whether its own indexer selects keys.
    pub fn indexes(self) -> bool {
        self.selects() && self != Self::SelectedAlike
    }

    /// Whether it carries a state.
    pub fn recurs(self) -> bool {
        matches!(self.parts(), MixerParts::Recurrent | MixerParts::Both)
    }
}

/// The feed-forward part after a layer's mixer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum FeedForward {
    /// None: only a mixer.
    None,
    /// One network for all tokens.
    Dense,
    /// Experts, some of which each token passes.
    Experts,
}

/// Everything that tells one feed-forward part from the others.
#[derive(Debug)]
pub struct FeedForwardRow {
    /// Name for people.
    pub(super) label: &'static str,
    /// Class in style sheets, which has a colour.
    pub class: &'static str,
    /// Its weights, except those of the norm before it.
    pub(super) weights: LayerPartWeights,
}

impl FeedForward {
    /// Everything that tells it from the others.
    pub const fn row(self) -> FeedForwardRow {
        match self {
            Self::None => FeedForwardRow { label: "", class: "none", weights: |_, _, _, _| {} },
            Self::Dense => FeedForwardRow { label: "feed-forward", class: "dense", weights: weights::dense },
            Self::Experts => FeedForwardRow { label: "experts", class: "experts", weights: weights::experts },
        }
    }
}
