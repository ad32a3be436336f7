//! Lists of layers as a row of letters, and the pattern that repeats in them.

use crate::scenario::model::pattern::{MOST_LETTERS, MOST_SIZES};
use crate::scenario::model::{LayerPattern, LayerSizes};

/// Letters of a list of parts, each a layer of a mixer or of a feed-forward part alone: Nemotron-H's and Megatron's, as letters
/// in a row or words apart by commas. Nothing where it lists whole layers.
pub(super) fn letters(list: &str) -> Option<String> {
    // A slash precedes multi-token prediction layers, and bars separate the stages of a pipeline.
    let main = list.split('/').next().unwrap_or_default();
    let word = |word: &str| match word.trim() {
        "mamba" | "linear_attention" | "M" => Some('M'),
        "attention" | "full_attention" | "*" => Some('*'),
        "mlp" | "-" => Some('-'),
        "moe" | "E" => Some('E'),
        _ => None,
    };
    let of_words = || main.split(',').map(word).collect::<Option<String>>();
    let in_a_row = || {
        let plain: String = main.chars().filter(|letter| !['|', ' '].contains(letter)).collect();
        (plain.len() > 1 && plain.chars().all(|letter| "MG*-E".contains(letter))).then_some(plain)
    };
    // A list of words without feed-forward parts is one of whole layers.
    in_a_row().or_else(|| of_words().filter(|letters| letters.contains(['-', 'E'])))
}

/// The pattern that repeats in the letters of all layers.
///
/// # Errors
/// It has too many letters; their number.
pub(super) fn pattern(letters: &str) -> Result<LayerPattern, usize> {
    let period = period_of(letters);
    letters.get(..period).and_then(LayerPattern::parse).ok_or(period)
}

/// The pattern of layers that have letters and sizes of their own; none if all are plain layers of attention.
///
/// # Errors
/// It has too many layers or sizes; the sentence that says so.
pub(super) fn sized_pattern(entries: &[(char, LayerSizes)]) -> Result<LayerPattern, String> {
    if entries.iter().all(|entry| *entry == ('a', LayerSizes::OF_MODEL)) {
        return Ok(LayerPattern::NONE);
    }
    let repeats =
        |period: &usize| entries.iter().zip(entries.iter().skip(*period)).all(|(one, two)| one == two);
    let period = (1..=entries.len() / 2).find(repeats).unwrap_or(entries.len());
    let word = |(letter, sizes): &(char, LayerSizes)| {
        let ffn = if sizes.ffn > 0 { format!(":{}", sizes.ffn) } else { String::new() };
        let heads = match sizes.kv_heads {
            0 => String::new(),
            _ => format!("~{}", sizes.own_heads()),
        };
        format!("{letter}{ffn}{heads},")
    };
    let text: String = entries.iter().take(period).map(word).collect();
    LayerPattern::parse(&text).ok_or_else(|| {
        format!(
            "The layer pattern repeats after {period} layers. At most {MOST_LETTERS} layers and {MOST_SIZES} custom sizes are supported."
        )
    })
}

/// Letters until they repeat; all of them where they do so less than once.
fn period_of(letters: &str) -> usize {
    let bytes = letters.as_bytes();
    let repeats =
        |period: &usize| bytes.iter().zip(bytes.iter().skip(*period)).all(|(one, other)| one == other);
    (1..=bytes.len() / 2).find(repeats).unwrap_or(bytes.len())
}

/// The layers of a Megatron hybrid of which shares are attention and feed-forward parts, and the rest Mamba: attention in
/// even distances, feed-forward parts in even distances among the rest, from the end (Megatron-Core 0.12,
/// `mamba_hybrid_layer_allocation.py`).
pub(super) fn of_shares(layers: usize, attention: f64, feed_forward: f64) -> String {
    let mut letters = vec!['M'; layers];
    let attends = (layers as f64 * attention).round_ties_even().clamp(0.0, layers as f64);
    let mixers = layers as f64 - attends;
    spread(&mut letters, '*', mixers / (attends + 1.0));
    let parts = (layers as f64 * feed_forward).round_ties_even().clamp(0.0, mixers);
    if parts > 0.0 {
        spread(&mut letters, '-', (mixers - parts) / parts);
    }
    letters.into_iter().collect()
}

/// Inserts a letter after every n mixers.
fn spread(letters: &mut [char], letter: char, between: f64) {
    let mut left = between;
    for slot in letters.iter_mut().filter(|slot| **slot == 'M') {
        if left < 0.5 {
            *slot = letter;
            left += between;
        } else {
            left -= 1.0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{letters, of_shares, period_of};

    #[test]
    fn lists_become_letters_and_repeat() {
        assert_eq!(letters("mamba, moe,attention,mlp").as_deref(), Some("ME*-"));
        assert_eq!(letters("MEM|EM*/*E").as_deref(), Some("MEMEM*"));
        assert_eq!(letters("M,-").as_deref(), Some("M-"));
        assert_eq!(letters("M*M*").as_deref(), Some("M*M*"));
        assert_eq!(letters("linear_attention,moe,full_attention,mlp").as_deref(), Some("ME*-"));
        for whole in
            ["mamba,attention", "linear_attention,full_attention", "sliding_attention,mlp", "0,1,1", "", "M"]
        {
            assert_eq!(letters(whole), None, "{whole}");
        }
        assert_eq!(["", "a", "rrra", "rrrarrra", "rrrarrrar", "warwa"].map(period_of), [0, 1, 4, 4, 4, 5]);
    }

    /// By hand, and the published layers of NVIDIA's 8B hybrid of 2024 (arXiv 2406.07887): 56 layers, 8 % attention, half
    /// feed-forward parts; 4 and 28 of them.
    #[test]
    fn shares_are_spread_over_the_layers() {
        assert_eq!(of_shares(4, 0.0, 0.0), "MMMM");
        assert_eq!(of_shares(4, 0.0, 0.5), "M-M-");
        assert_eq!(of_shares(7, 1.0 / 7.0, 0.0), "MMM*MMM");
        let hybrid = of_shares(56, 0.08, 0.5);
        let count = |letter| hybrid.matches(letter).count();
        assert_eq!((hybrid.len(), count('*'), count('-'), count('M')), (56, 4, 28, 24));
        assert_eq!(hybrid, "M-M-M--M-M*-M-M-M-M--M*-M-M-M-M-M*--M-M-M-M-M*-M--M-M-M-");
    }
}
