//! Texts that list layers: which hold experts, and which stage holds how many.

use crate::scenario::plan::StageLayers;

/// Longest list that a text is expanded to.
const LONGEST: usize = 8192;

/// Which layers hold experts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Frequency {
    /// Dense layers before the first with experts.
    pub(super) leading_dense: u32,
    /// Every n-th of the others holds experts.
    pub(super) every: u32,
}

impl Frequency {
    /// Every layer holds experts.
    pub(super) const ALL: Self = Self { leading_dense: 0, every: 1 };

    /// Whether fields cannot express its order.
    pub(super) fn is_none(&self) -> bool {
        self.every == 0
    }

    /// This order, or another where it is none that fields say.
    pub(super) fn unwrap_or(self, other: Self) -> Self {
        if self.is_none() { other } else { self }
    }
}

/// `moe_layer_freq`: a number, a list, or sums and products of lists, as `([0]*3+[1]*58)`. Nothing for another text.
pub(super) fn frequency(text: &str) -> Option<Frequency> {
    // Scripts that are evaluated once more have a pair of quotes within.
    let text = text.trim().trim_matches(['\'', '"']).trim();
    if let Ok(every) = text.parse::<u32>() {
        return Some(Frequency { leading_dense: 0, every: every.max(1) });
    }
    list(text).map(|kinds| order(&kinds))
}

/// A list of 0 and 1, or sums and products of lists, as `([1]*3+[0])*12`. Nothing for another text.
pub(super) fn list(text: &str) -> Option<Vec<bool>> {
    let text = text.trim().trim_matches(['\'', '"']).trim();
    // The whole may be repeated.
    if let Some((inner, times)) = text.rsplit_once(")*") {
        let kinds = list(inner.strip_prefix('(')?)?;
        let times = times.trim().parse::<usize>().ok()?;
        return (kinds.len().checked_mul(times)? <= LONGEST).then(|| kinds.repeat(times));
    }
    let text = text.trim_start_matches('(').trim_end_matches(')');
    let mut kinds: Vec<bool> = Vec::new();
    for part in text.split('+') {
        let (list, times) = match part.split_once('*') {
            Some((list, times)) => (list, times.trim().parse::<usize>().ok()?),
            None => (part, 1),
        };
        let list = list.trim().trim_start_matches('[').trim_end_matches(']');
        let list: Option<Vec<bool>> = list.split(',').map(|kind| kind_of(kind.trim())).collect();
        let list = list?;
        if list.len().checked_mul(times)?.checked_add(kinds.len())? > LONGEST {
            return None;
        }
        (0..times).for_each(|_| kinds.extend(&list));
    }
    Some(kinds)
}

fn kind_of(text: &str) -> Option<bool> {
    match text {
        "0" => Some(false),
        "1" => Some(true),
        _ => None,
    }
}

/// The order that fields say of a list.
fn order(kinds: &[bool]) -> Frequency {
    let leading = kinds.iter().take_while(|experts| !**experts).count();
    let rest = kinds.get(leading..).unwrap_or_default();
    let count = |length: usize| u32::try_from(length).unwrap_or(u32::MAX);
    if rest.iter().all(|experts| *experts) {
        return Frequency { leading_dense: count(leading), every: 1 };
    }
    // Experts in the last of every n layers, as fields have it, or in the first, as Megatron's numbers do.
    let every = rest.iter().skip(1).take_while(|experts| !**experts).count() + 1;
    let regular = rest.iter().enumerate().all(|(index, experts)| *experts == index.is_multiple_of(every));
    let leading_dense = leading.saturating_sub(every - 1);
    let held = kinds.iter().filter(|experts| **experts).count();
    let as_fields = regular && (kinds.len() - leading_dense) / every == held;
    Frequency { leading_dense: count(leading_dense), every: if as_fields { count(every) } else { 0 } }
}

/// Whether a list of layers is read as the order that fields give.
pub(crate) fn same_order(list: &str, leading_dense: u32, every: u32) -> bool {
    frequency(list) == Some(Frequency { leading_dense, every })
}

/// Layers of every chunk of a pipeline layout such as `Et*3|(tt|)*29,m|L`; nothing for another text.
pub(super) fn layout(text: &str) -> Option<Vec<u16>> {
    let plain: String =
        text.chars().filter(|letter| !letter.is_whitespace() && ![',', '\'', '"'].contains(letter)).collect();
    let mut expanded = String::new();
    expand(&plain, &mut expanded, 0)?;
    let stages = expanded.split('|').map(|stage| u16::try_from(stage.matches('t').count()).ok());
    stages.collect()
}

/// Writes out repeated letters and groups.
fn expand(text: &str, expanded: &mut String, depth: u32) -> Option<()> {
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let (unit, behind) = match first {
            '(' if depth < 8 => {
                let end = closing(rest)?;
                let mut inner = String::new();
                expand(rest.get(1..end)?, &mut inner, depth + 1)?;
                (inner, rest.get(end + 1..)?)
            }
            'E' | 'L' | 't' | 'm' | '|' => (first.to_string(), rest.get(1..)?),
            _ => return None,
        };
        let (times, behind) = times(behind)?;
        if unit.len().checked_mul(times)?.checked_add(expanded.len())? > LONGEST {
            return None;
        }
        (0..times).for_each(|_| expanded.push_str(&unit));
        rest = behind;
    }
    Some(())
}

/// How often the unit before stands there, and what follows.
fn times(text: &str) -> Option<(usize, &str)> {
    let Some(number) = text.strip_prefix('*') else { return Some((1, text)) };
    let digits = number.chars().take_while(char::is_ascii_digit).count();
    Some((number.get(..digits)?.parse().ok()?, number.get(digits..)?))
}

/// Place of the bracket that closes the one a text begins with.
fn closing(text: &str) -> Option<usize> {
    let mut open = 0_usize;
    for (place, letter) in text.char_indices() {
        match letter {
            '(' => open += 1,
            ')' if open <= 1 => return Some(place),
            ')' => open -= 1,
            _ => {}
        }
    }
    None
}

/// A list of layers as the field takes it; nothing where it has too many stretches.
pub(crate) fn stages_text(layers: &[u16]) -> Option<String> {
    let mut list = StageLayers::default();
    layers.iter().all(|count| list.push(*count, 1)).then(|| list.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_of_experts_are_read() {
        let some = |leading_dense, every| Some(Frequency { leading_dense, every });
        assert_eq!(frequency("2"), some(0, 2));
        assert_eq!(frequency("([0]*3+[1]*58)"), some(3, 1));
        assert_eq!(frequency("'([0]*3+[1]*58)'"), some(3, 1));
        assert_eq!(frequency("[0]+[1]*26"), some(1, 1));
        assert_eq!(frequency("0,0,1,1"), some(2, 1));
        assert_eq!(frequency("[0,1]*24"), some(0, 2));
        assert_eq!(frequency("[1,0]*24"), some(0, 2));
        assert_eq!(frequency("([0]+[1])*24"), some(0, 2));
        assert!(frequency("[1,0,0,1]").is_some_and(|order| order.is_none()));
        assert_eq!(frequency("[1]*99999999"), None);
        assert_eq!(frequency("often"), None);
    }

    #[test]
    fn layouts_of_pipelines_are_read() {
        assert_eq!(layout("Ettt|tt|tt|tL"), Some(vec![3, 2, 2, 1]));
        assert_eq!(layout("Et*3|(tt|)*2,m|L"), Some(vec![3, 2, 2, 0, 0]));
        assert_eq!(layout("'Et*2|t*2,L'"), Some(vec![2, 2]), "evaluated once more");
        assert_eq!(stages_text(&[3, 2, 2, 0]).as_deref(), Some("3,2x2,0"));
        for text in ["Et|(tt", "x", "t*", "(((((((((((t)))))))))))", "t*999999999"] {
            assert_eq!(layout(text), None, "{text}");
        }
    }
}
