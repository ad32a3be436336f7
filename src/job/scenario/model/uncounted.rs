//! Parts of a model that the forecast does not include.

use crate::number::significant;
use serde::{Deserialize, Serialize};

/// Parts of a model that no field describes: neither time nor memory includes them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Uncounted {
    /// Which parts.
    pub parts: UncountedParts,
    /// Their parameters in millions; 0 if unknown.
    pub millions: u32,
}

/// Which parts of a model the forecast does not include.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum UncountedParts {
    /// None.
    None,
    /// A vision encoder.
    Vision,
    /// An audio encoder.
    Audio,
    /// Vision and audio encoders.
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

    /// Their names, for people; nothing if there are none.
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

    /// The reason for a wider interval.
    pub fn doubt(self) -> &'static str {
        match self {
            Self::None | Self::Vision | Self::Audio | Self::VisionAndAudio => {
                "parts of the model are not counted and add time"
            }
            Self::Other | Self::TowersAndOther => "parts of the model are not counted or approximated",
        }
    }

    /// Whether they can only lengthen a step.
    pub fn only_lengthen(self) -> bool {
        matches!(self, Self::Vision | Self::Audio | Self::VisionAndAudio)
    }
}

impl Uncounted {
    /// Nothing is left out.
    pub const NONE: Self = Self { parts: UncountedParts::None, millions: 0 };

    /// What is not counted, in a sentence; nothing if everything is.
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
