//! Parts of a model that a forecast leaves out.

use crate::number::significant;
use serde::{Deserialize, Serialize};

/// Parts of a model that nothing else in it describes: neither time nor memory has them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Uncounted {
    /// Which parts.
    pub parts: UncountedParts,
    /// Their parameters in millions; 0 where they are not known.
    pub millions: u32,
}

/// Which parts of a model a forecast leaves out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum UncountedParts {
    /// None.
    None,
    /// An encoder of images.
    Vision,
    /// An encoder of sounds.
    Audio,
    /// Encoders of images and of sounds.
    VisionAndAudio,
    /// Parts of the language model that no field describes.
    Other,
    /// Encoders, and parts of the language model that no field describes.
    TowersAndOther,
}

impl UncountedParts {
    /// These and other parts.
    #[must_use]
    pub fn and_other(self) -> Self {
        if self == Self::None { Self::Other } else { Self::TowersAndOther }
    }

    /// What they are, for people; nothing where there are none.
    pub fn label(self) -> Option<&'static str> {
        Some(match self {
            Self::None => return None,
            Self::Vision => "vision tower",
            Self::Audio => "audio tower",
            Self::VisionAndAudio => "vision and audio towers",
            Self::Other => "parts of the language model that no field describes",
            Self::TowersAndOther => {
                "vision or audio towers, and parts of the language model that no field describes"
            }
        })
    }

    /// Why the interval is wider for it.
    pub fn doubt(self) -> &'static str {
        match self {
            Self::None | Self::Vision | Self::Audio | Self::VisionAndAudio => {
                "a step with the parts of the model that are not counted takes longer"
            }
            Self::Other | Self::TowersAndOther => "parts of the model are not counted, or as other parts",
        }
    }

    /// Whether a step with them takes longer than one without, and never less.
    pub fn only_lengthen(self) -> bool {
        matches!(self, Self::Vision | Self::Audio | Self::VisionAndAudio)
    }
}

impl Uncounted {
    /// Nothing is left out.
    pub const NONE: Self = Self { parts: UncountedParts::None, millions: 0 };

    /// What is not counted, in a sentence; nothing where all is.
    pub fn sentence(&self) -> Option<String> {
        let label = self.parts.label()?;
        let parameters = if self.millions > 0 {
            format!(" ({} B parameters)", significant(f64::from(self.millions) / 1e3, 2))
        } else {
            String::new()
        };
        Some(format!("Not counted: {label}{parameters}."))
    }
}
