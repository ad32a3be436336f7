//! Kinds of a model's layers as a pattern: one letter per layer, repeated over the model.

use super::layers::{FeedForward, Mixer};
use serde::{Deserialize, Serialize};
use std::fmt::{self, Display};

/// Most layers of a pattern.
pub const MOST_LETTERS: usize = 128;

/// Meaning of a letter of a pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Letter {
    /// The letter.
    pub letter: char,
    /// The mixer of the layer; nothing for a feed-forward part only.
    pub mixer: Mixer,
    /// Its feed-forward part; nothing if the leading and every-n-th rules decide.
    pub feed_forward: Option<FeedForward>,
}

impl Letter {
    /// Every letter. Those with only a mixer or only a feed-forward part are Megatron's (`hybrid_override_pattern`).
    pub const ALL: [Self; 12] = [
        Self { letter: 'a', mixer: Mixer::Attention, feed_forward: None },
        Self { letter: 'w', mixer: Mixer::Windowed, feed_forward: None },
        Self { letter: 's', mixer: Mixer::Selected, feed_forward: None },
        Self { letter: 't', mixer: Mixer::SelectedAlike, feed_forward: None },
        Self { letter: 'c', mixer: Mixer::Compressed, feed_forward: None },
        Self { letter: 'n', mixer: Mixer::SelectedAndCompressed, feed_forward: None },
        Self { letter: 'r', mixer: Mixer::Recurrent, feed_forward: None },
        Self { letter: 'p', mixer: Mixer::Both, feed_forward: None },
        Self { letter: '*', mixer: Mixer::Attention, feed_forward: Some(FeedForward::None) },
        Self { letter: 'M', mixer: Mixer::Recurrent, feed_forward: Some(FeedForward::None) },
        Self { letter: '-', mixer: Mixer::None, feed_forward: Some(FeedForward::Dense) },
        Self { letter: 'E', mixer: Mixer::None, feed_forward: Some(FeedForward::Experts) },
    ];
}

/// A pattern of layers: letters of [`Letter::ALL`], repeated until every layer has one; empty for a uniform model.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct LayerPattern {
    /// Indices into [`Letter::ALL`], `len` of them.
    letters: [u8; MOST_LETTERS],
    len: u8,
}

impl LayerPattern {
    /// No pattern.
    pub const NONE: Self = Self { letters: [0; MOST_LETTERS], len: 0 };

    /// Parses a pattern: letters, each after an optional repeat count (`3ra` is `rrra`). Megatron's stage marks, and
    /// everything after its mark of prediction layers, are skipped. Nothing for an invalid pattern, or more than 128
    /// layers.
    pub const fn parse(text: &str) -> Option<Self> {
        let mut pattern = Self::NONE;
        let (text, mut at, mut count) = (text.as_bytes(), 0, 0_usize);
        while at < text.len() {
            let byte = text[at];
            at += 1;
            match byte {
                b'/' => break,
                b'|' | b' ' => continue,
                b'0'..=b'9' => {
                    count = count * 10 + (byte - b'0') as usize;
                    if count == 0 || count > MOST_LETTERS {
                        return None;
                    }
                    continue;
                }
                _ => {}
            }
            let byte = if byte == b'G' { b'M' } else { byte };
            let mut letter = 0;
            while letter < Letter::ALL.len() && Letter::ALL[letter].letter as u8 != byte {
                letter += 1;
            }
            let mut left = if count == 0 { 1 } else { count };
            if letter == Letter::ALL.len() || pattern.len as usize + left > MOST_LETTERS {
                return None;
            }
            while left > 0 {
                pattern.letters[pattern.len as usize] = letter as u8;
                pattern.len += 1;
                left -= 1;
            }
            count = 0;
        }
        if count > 0 { None } else { Some(pattern) }
    }

    /// Letters until the pattern repeats; 0 without a pattern.
    pub fn len(&self) -> u32 {
        u32::from(self.len)
    }

    /// Whether there is no pattern.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// A layer's letter; nothing without a pattern.
    pub fn of(&self, layer: u32) -> Option<Letter> {
        let place = layer.checked_rem(self.len())?;
        let letter = self.letters.get(place as usize)?;
        Letter::ALL.get(usize::from(*letter)).copied()
    }

    /// Whether any layer passes a test.
    pub fn any(&self, picks: impl Fn(Letter) -> bool) -> bool {
        (0..self.len()).filter_map(|layer| self.of(layer)).any(picks)
    }
}

impl Default for LayerPattern {
    fn default() -> Self {
        Self::NONE
    }
}

impl From<LayerPattern> for String {
    fn from(pattern: LayerPattern) -> Self {
        pattern.to_string()
    }
}

impl TryFrom<String> for LayerPattern {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::parse(&text).ok_or("a pattern of layers such as 3ra")
    }
}

impl fmt::Debug for LayerPattern {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{self}")
    }
}

impl Display for LayerPattern {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let letters = self.letters.get(..usize::from(self.len)).unwrap_or_default();
        for run in letters.chunk_by(|one, other| one == other) {
            let letter = run.first().and_then(|letter| Letter::ALL.get(usize::from(*letter)));
            let letter = letter.map_or('a', |letter| letter.letter);
            match run.len() {
                1 => write!(out, "{letter}")?,
                count => write!(out, "{count}{letter}")?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_read_as_they_are_written() {
        let pattern = LayerPattern::parse("3ra").expect("a pattern");
        assert_eq!((pattern.len(), pattern.to_string().as_str()), (4, "3ra"));
        assert_eq!(LayerPattern::parse("rrra"), Some(pattern));
        assert_eq!(LayerPattern::parse(&pattern.to_string()), Some(pattern));
        let mixers: Vec<Mixer> =
            (0..5).filter_map(|layer| pattern.of(layer)).map(|letter| letter.mixer).collect();
        let (r, a) = (Mixer::Recurrent, Mixer::Attention);
        assert_eq!(mixers, [r, r, r, a, r]);
        // Megatron's, with its marks of stages and prediction layers.
        let nano = LayerPattern::parse("MEM|EM*/*E").expect("a pattern");
        assert_eq!(nano.to_string(), "MEMEM*");
        assert_eq!(LayerPattern::parse(""), Some(LayerPattern::NONE));
        for text in ["x", "3", "0a", "129a", "64a65r", "3.a"] {
            assert_eq!(LayerPattern::parse(text), None, "{text}");
        }
    }
}
