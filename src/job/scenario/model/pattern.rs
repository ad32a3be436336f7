//! Kinds of a model's layers as a pattern: one letter per layer, repeated over the model.

use super::parts::{FeedForward, Mixer};
use serde::{Deserialize, Serialize};
use std::fmt::{self, Display};

/// Most layers of a pattern.
pub const MOST_LETTERS: usize = 128;

/// Most sizes of layers that differ from the model's.
pub const MOST_SIZES: usize = 14;

/// Bits of an entry that hold the letter; the others hold the sizes.
const LETTER_BITS: u8 = 4;

/// Largest feed-forward width and largest number of key/value heads in a pattern.
const MOST: [u32; 2] = [1 << 20, 1 << 12];

/// Meaning of a letter of a pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Letter {
    /// The letter.
    pub letter: char,
    /// The mixer of the layer; nothing for a feed-forward part only.
    pub mixer: Mixer,
    /// Its feed-forward part; nothing if the leading and every-n-th rules decide.
    pub feed_forward: Option<FeedForward>,
    /// Whether it uses the weights of a shared block ([`SharedBlocks`](super::SharedBlocks)).
    pub shares: bool,
}

impl Letter {
    /// A layer with weights of its own.
    const fn new(letter: char, mixer: Mixer, feed_forward: Option<FeedForward>) -> Self {
        Self { letter, mixer, feed_forward, shares: false }
    }

    /// Letters of whole layers: with the weights of a shared block, or, as Megatron's (`hybrid_override_pattern`), with
    /// only a mixer or only a feed-forward part.
    const LAYERS: [Self; 5] = [
        Self { shares: true, ..Self::new('z', Mixer::Attention, Some(FeedForward::Dense)) },
        Self::new('*', Mixer::Attention, Some(FeedForward::None)),
        Self::new('M', Mixer::Recurrent, Some(FeedForward::None)),
        Self::new('-', Mixer::None, Some(FeedForward::Dense)),
        Self::new('E', Mixer::None, Some(FeedForward::Experts)),
    ];

    /// Every letter: those of mixers, and those of whole layers.
    pub const ALL: [Self; Mixer::ALL.len() - 1 + Self::LAYERS.len()] = {
        let mut all = [Self::LAYERS[0]; Mixer::ALL.len() - 1 + Self::LAYERS.len()];
        let mixers = Mixer::ALL.len() - 1;
        let mut index = 0;
        while index < all.len() {
            all[index] = if index < mixers {
                let mixer = Mixer::ALL[index + 1];
                Self::new(mixer.row().letter, mixer, None)
            } else {
                Self::LAYERS[index - mixers]
            };
            index += 1;
        }
        all
    };
}

const _: () = assert!(Letter::ALL.len() <= 1 << LETTER_BITS, "an entry of a pattern holds every letter");

/// Sizes of a layer that differ from the model's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct LayerSizes {
    /// Width of the dense feed-forward part; 0 for the model's.
    pub ffn: u32,
    /// Key/value heads; 0 for the model's, [`Self::REUSED`] if an earlier layer computes its keys and values.
    pub kv_heads: u32,
}

impl LayerSizes {
    /// Those of the model.
    pub const OF_MODEL: Self = Self { ffn: 0, kv_heads: 0 };

    /// In place of key/value heads: keys and values are those of an earlier layer.
    pub const REUSED: u32 = u32::MAX;

    /// Whether keys and values are those of an earlier layer.
    pub fn reuses_keys(&self) -> bool {
        self.kv_heads == Self::REUSED
    }

    /// Key/value heads of its own; 0 for the model's.
    pub fn own_heads(&self) -> u32 {
        if self.reuses_keys() { 0 } else { self.kv_heads }
    }
}

/// A pattern of layers: letters of [`Letter::ALL`], repeated until every layer has one; empty for a uniform model.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct LayerPattern {
    /// Indices into [`Letter::ALL`], and above [`LETTER_BITS`] the place in `sizes`, counted from 1; `len` of them.
    letters: [u8; MOST_LETTERS],
    len: u8,
    /// Sizes in the order of their first layers; unused ones are the model's.
    sizes: [LayerSizes; MOST_SIZES],
}

impl LayerPattern {
    /// No pattern.
    pub const NONE: Self =
        Self { letters: [0; MOST_LETTERS], len: 0, sizes: [LayerSizes::OF_MODEL; MOST_SIZES] };

    /// Parses a pattern: letters, each after an optional repeat count (`3ra` is `rrra`). A colon precedes the width of a
    /// layer's feed-forward part, a tilde its key/value heads (0 if keys and values are an earlier layer's), and a
    /// comma ends them (`3a:8192~4,a`). Megatron's stage marks, and everything after its mark of prediction layers, are
    /// skipped. Nothing for an invalid pattern, more than 128 layers, or more than 14 sizes.
    pub const fn parse(text: &str) -> Option<Self> {
        let mut pattern = Self::NONE;
        let (text, mut at, mut count) = (text.as_bytes(), 0, 0_usize);
        while at < text.len() {
            let byte = text[at];
            at += 1;
            match byte {
                b'/' => break,
                b'|' | b' ' | b',' => continue,
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
            let (sizes, next) = match sizes_at(text, at) {
                Some(found) => found,
                None => return None,
            };
            at = next;
            let place = match pattern.place_of(sizes) {
                Some(place) if letter < Letter::ALL.len() => place,
                _ => return None,
            };
            let mut left = if count == 0 { 1 } else { count };
            if pattern.len as usize + left > MOST_LETTERS {
                return None;
            }
            while left > 0 {
                pattern.letters[pattern.len as usize] = letter as u8 | place << LETTER_BITS;
                pattern.len += 1;
                left -= 1;
            }
            count = 0;
        }
        if count > 0 { None } else { Some(pattern) }
    }

    /// The place of some sizes, counted from 1, which are added if they are new; 0 for the model's. Nothing without
    /// room.
    const fn place_of(&mut self, sizes: LayerSizes) -> Option<u8> {
        if sizes.ffn == 0 && sizes.kv_heads == 0 {
            return Some(0);
        }
        let mut place = 0;
        while place < MOST_SIZES {
            let known = self.sizes[place];
            let free = known.ffn == 0 && known.kv_heads == 0;
            if free || known.ffn == sizes.ffn && known.kv_heads == sizes.kv_heads {
                self.sizes[place] = sizes;
                return Some(place as u8 + 1);
            }
            place += 1;
        }
        None
    }

    /// Letters until the pattern repeats; 0 without a pattern.
    pub fn len(&self) -> u32 {
        u32::from(self.len)
    }

    /// Whether there is no pattern.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    fn entry(&self, layer: u32) -> Option<u8> {
        let place = layer.checked_rem(self.len())?;
        self.letters.get(place as usize).copied()
    }

    /// A layer's letter; nothing without a pattern.
    pub fn of(&self, layer: u32) -> Option<Letter> {
        letter_of(self.entry(layer)?)
    }

    /// A layer's sizes where they differ from the model's.
    pub fn sizes_of(&self, layer: u32) -> LayerSizes {
        self.entry(layer).map_or(LayerSizes::OF_MODEL, |entry| self.sizes_at(entry))
    }

    fn sizes_at(&self, entry: u8) -> LayerSizes {
        let index = usize::from(entry >> LETTER_BITS).checked_sub(1);
        index.and_then(|index| self.sizes.get(index)).copied().unwrap_or(LayerSizes::OF_MODEL)
    }

    /// All sizes that differ from the model's.
    pub fn all_sizes(&self) -> impl Iterator<Item = LayerSizes> + use<> {
        self.sizes.into_iter().take_while(|sizes| *sizes != LayerSizes::OF_MODEL)
    }

    /// Whether any layer passes a test.
    pub fn any(&self, picks: impl Fn(Letter) -> bool) -> bool {
        (0..self.len()).filter_map(|layer| self.of(layer)).any(picks)
    }
}

/// Sizes after a letter, and where they end. Nothing for invalid ones.
const fn sizes_at(text: &[u8], mut at: usize) -> Option<(LayerSizes, usize)> {
    let mut values = [0; 2];
    let mut which = 0;
    while which < values.len() {
        if at < text.len() && text[at] == [b':', b'~'][which] {
            at += 1;
            let begin = at;
            while at < text.len() && text[at].is_ascii_digit() {
                values[which] = values[which] * 10 + (text[at] - b'0') as u32;
                if values[which] > MOST[which] {
                    return None;
                }
                at += 1;
            }
            if at == begin
                || which == 0 && values[0] == 0
                || at < text.len() && text[at] != b',' && text[at] != b'~'
            {
                return None;
            }
            if values[which] == 0 {
                values[which] = LayerSizes::REUSED;
            }
        }
        which += 1;
    }
    Some((LayerSizes { ffn: values[0], kv_heads: values[1] }, at))
}

fn letter_of(entry: u8) -> Option<Letter> {
    Letter::ALL.get(usize::from(entry & ((1 << LETTER_BITS) - 1))).copied()
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
        let mut ends = "";
        for run in letters.chunk_by(|one, other| one == other) {
            let entry = run.first().copied().unwrap_or_default();
            let letter = letter_of(entry).map_or('a', |letter| letter.letter);
            write!(out, "{ends}")?;
            match run.len() {
                1 => write!(out, "{letter}")?,
                count => write!(out, "{count}{letter}")?,
            }
            let LayerSizes { ffn, kv_heads } = self.sizes_at(entry);
            if ffn > 0 {
                write!(out, ":{ffn}")?;
            }
            if kv_heads > 0 {
                write!(out, "~{}", if kv_heads == LayerSizes::REUSED { 0 } else { kv_heads })?;
            }
            ends = if ffn > 0 || kv_heads > 0 { "," } else { "" };
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
        for text in ["y", "3", "0a", "129a", "64a65r", "3.a", "a:", "a:0", "a:8r", "a~4:8", "a~5000", "a:8~"]
        {
            assert_eq!(LayerPattern::parse(text), None, "{text}");
        }
    }
    #[test]
    fn layers_may_have_sizes_of_their_own() {
        let pattern = LayerPattern::parse("2a:8192~4,-:64,3l~2,az").expect("a pattern");
        assert_eq!((pattern.len(), pattern.to_string().as_str()), (8, "2a:8192~4,-:64,3l~2,az"));
        assert_eq!(
            LayerPattern::parse("a:8192~4,a:8192~4,-:64,lll"),
            LayerPattern::parse("2a:8192~4,-:64,3l")
        );
        let sizes: Vec<(u32, u32)> =
            (0..8).map(|layer| pattern.sizes_of(layer)).map(|sizes| (sizes.ffn, sizes.kv_heads)).collect();
        assert_eq!(sizes, [(8192, 4), (8192, 4), (64, 0), (0, 2), (0, 2), (0, 2), (0, 0), (0, 0)]);
        assert_eq!(pattern.all_sizes().count(), 3);
        let reused = LayerPattern::parse("wa~0,w:8~0,").expect("a pattern");
        assert_eq!(reused.to_string(), "wa~0,w:8~0");
        assert!((0..3).map(|layer| reused.sizes_of(layer).reuses_keys()).eq([false, true, true]));
        assert!(pattern.of(7).is_some_and(|letter| letter.shares));
        let many = |sizes: u32| (1..=sizes).map(|width| format!("a:{width},")).collect::<String>();
        assert!(LayerPattern::parse(&many(14)).is_some());
        assert_eq!(LayerPattern::parse(&many(15)), None);
    }
}
