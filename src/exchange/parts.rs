//! Shapes that no field says: layers of one part each, and experts on a projection of the residual stream.

/// Words for parts that are, or hold, a feed-forward part: `hybrid` is Zamba's shared block beside a Mamba mixer.
const FEED_FORWARD: [&str; 3] = ["mlp", "moe", "hybrid"];

/// A list of parts and the layers that are taken for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Parts {
    /// Parts in all.
    parts: usize,
    /// Feed-forward parts, dense or of experts: each is taken as a layer, with attention before it.
    pub(super) layers: u32,
}

impl Parts {
    /// Reads a list of Nemotron-H or of Megatron's hybrid models: letters in a row, or words apart by commas. Nothing where
    /// no part of it is a feed-forward part.
    pub(super) fn of(list: &str) -> Option<Self> {
        // Behind a slash stand layers of multi-token prediction, and bars part the stages of a pipeline.
        let main = list.split('/').next().unwrap_or_default();
        let words: Vec<&str> = main.split(',').map(str::trim).filter(|word| !word.is_empty()).collect();
        let letters = words.iter().all(|word| word.chars().count() == 1);
        let (parts, layers) = if words.len() > 1 && !letters {
            (words.len(), words.iter().filter(|word| FEED_FORWARD.contains(word)).count())
        } else {
            let of = |kinds: &str| main.chars().filter(|letter| kinds.contains(*letter)).count();
            (of("MG*D-E"), of("-E"))
        };
        let layers = u32::try_from(layers).ok().filter(|layers| *layers > 0)?;
        Some(Self { parts, layers })
    }

    /// Parts of which a share are feed-forward parts; nothing where none is.
    pub(super) fn of_share(parts: u32, share: f64) -> Option<Self> {
        let layers = (f64::from(parts) * share.clamp(0.0, 1.0)).round() as u32;
        (layers > 0).then_some(Self { parts: usize::try_from(parts).unwrap_or(usize::MAX), layers })
    }

    /// What is said of the number of layers.
    pub(super) fn note(&self) -> String {
        let Self { parts, layers } = self;
        format!(
            "{layers}: it lists {parts} parts, of which {layers} are feed-forward parts; each of these is taken with attention before it. Not supported: the mixers of the other parts, which are not counted, so parameters and time are too low."
        )
    }
}

/// The width of an expert at the model's width that has as many parameters as one of a width on a narrower projection.
pub(super) fn at_full_width(own: u32, narrow: u32, hidden: u32) -> u32 {
    (f64::from(own) * f64::from(narrow) / f64::from(hidden.max(1))).round().max(1.0) as u32
}

/// What is said of such experts.
pub(super) fn projection_note(own: u32, narrow: u32, hidden: u32) -> String {
    let width = at_full_width(own, narrow, hidden);
    format!(
        "{width}: its experts are {own} wide on a projection of {narrow}; at the model's width of {hidden} this is as many parameters."
    )
}

#[cfg(test)]
mod tests {
    use super::Parts;

    #[test]
    fn feed_forward_parts_are_counted() {
        // Letters and words by hand: mixers (M, G, D), attention (*), feed-forward parts (-) and experts (E).
        for (list, parts, layers) in [
            ("MEMEM*EMEME", 11, 5),
            ("M-M*-|M-", 7, 3),
            ("ME*E/ME", 4, 2),
            ("M,*,-,M", 4, 1),
            ("mamba, moe, attention, mlp", 4, 2),
            ("mamba, mamba, hybrid, mamba, hybrid", 5, 2),
        ] {
            assert_eq!(Parts::of(list), Some(Parts { parts, layers }), "{list}");
        }
        assert_eq!(Parts::of("M*M*"), None);
        assert_eq!(Parts::of(""), None);
    }
}
