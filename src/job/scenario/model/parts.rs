//! What a layer is made of: mixers and feed-forward parts, one row each.

use super::Model;
use super::layers::LayerKind;
use super::weights::{self, LayerShares, Weights};

/// Calls a function with each of the weights of a part of a layer.
pub type LayerPartWeights = fn(&Model, LayerKind, LayerShares, &mut dyn FnMut(Weights));

/// Lists the mixers once: the variant, and its row.
macro_rules! mixers {
    ($($(#[$doc:meta])* $mixer:ident = $row:expr;)+) => {
        /// The token mixer of a layer.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Mixer {
            $($(#[$doc])* $mixer,)+
        }

        impl Mixer {
            /// Every mixer, none first.
            pub const ALL: [Self; [$(Self::$mixer),+].len()] = [$(Self::$mixer),+];

            /// Everything that tells it from the others.
            pub const fn row(self) -> &'static MixerRow {
                match self {
                    $(Self::$mixer => {
                        const ROW: &MixerRow = &$row;
                        ROW
                    })+
                }
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

/// Attention, from which the rows below take what they do not say.
const ATTENTION: MixerRow = MixerRow {
    letter: 'a',
    label: "attention",
    class: "attention",
    parts: MixerParts::Attention,
    weights: weights::attention,
};

mixers! {
    /// None: only a feed-forward part.
    None = MixerRow {
        letter: ' ',
        label: "",
        class: "none",
        parts: MixerParts::None,
        weights: |_, _, _, _| {},
    };
    /// One matrix of the residual stream's width, which mixes no tokens (Nemotron-NAS, `replace_with_linear`).
    Matrix = MixerRow {
        letter: 'l',
        label: "matrix",
        class: "none",
        parts: MixerParts::Matrix,
        weights: weights::matrix,
    };
    /// Attention to all preceding tokens (decoders), or to all tokens (encoders).
    Attention = ATTENTION;
    /// Attention to the nearest tokens ([`Window`](super::Window)).
    Windowed = MixerRow { letter: 'w', label: "windowed attention", class: "windowed", ..ATTENTION };
    /// Attention to selected keys ([`Sparse`](super::Sparse)).
    Selected = MixerRow { letter: 's', label: "attention to selected keys", class: "selected", ..ATTENTION };
    /// Same, with an earlier layer's selection, without its own indexer (GLM-5.2).
    SelectedAlike = MixerRow {
        letter: 't',
        label: "attention to keys selected before",
        class: "selected",
        ..ATTENTION
    };
    /// Attention to compressed keys.
    Compressed = MixerRow {
        letter: 'c',
        label: "attention to compressed keys",
        class: "compressed",
        ..ATTENTION
    };
    /// Attention to compressed keys and to selected keys (NSA).
    SelectedAndCompressed = MixerRow {
        letter: 'n',
        label: "attention to selected and compressed keys",
        class: "both-sparse",
        ..ATTENTION
    };
    /// A state carried from token to token ([`Recurrent`](super::Recurrent)).
    Recurrent = MixerRow {
        letter: 'r',
        label: "",
        class: "recurrent",
        parts: MixerParts::Recurrent,
        weights: weights::recurrent,
    };
    /// Attention to all outputs of the encoder in front of the decoder ([`Tower`](super::Tower)).
    Crossed = MixerRow { letter: 'x', label: "cross-attention", ..ATTENTION };
    /// Attention and a recurrent mixer in parallel on the same input; their outputs are added (Falcon-H1).
    Both = MixerRow {
        letter: 'p',
        label: "attention with ",
        class: "both",
        parts: MixerParts::Both,
        weights: |model, kind, shares, visit| {
            weights::attention(model, kind, shares, &mut *visit);
            weights::recurrent(model, kind, shares, visit);
        },
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
