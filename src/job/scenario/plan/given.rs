//! A list of layers per pipeline chunk: `15,16,16,15`, or `15,16x14,15`.

use serde::{Deserialize, Serialize};
use std::fmt::{self, Display};

/// Most runs of equal entries in a list.
const RUNS: usize = 12;

/// Layers of every chunk (virtual stage) of a pipeline in model order, as runs of equal entries.
///
/// A list is built by [`StageLayers::push`] or [`StageLayers::parse`]; the empty list fits no pipeline.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct StageLayers {
    /// Layers and number of consecutive chunks; unused runs are zero. Neighbours differ in layers.
    runs: [(u16, u16); RUNS],
}

impl StageLayers {
    /// The empty list.
    pub const EMPTY: Self = Self { runs: [(0, 0); RUNS] };

    /// Appends `count` chunks of `layers` layers; returns whether they fit.
    pub fn push(&mut self, layers: u16, count: u16) -> bool {
        if count == 0 {
            return true;
        }
        let used = self.used();
        if let Some(last) = used.checked_sub(1).and_then(|index| self.runs.get_mut(index))
            && last.0 == layers
        {
            return last.1.checked_add(count).map(|sum| last.1 = sum).is_some();
        }
        self.runs.get_mut(used).map(|run| *run = (layers, count)).is_some()
    }

    /// Parses a list: numbers separated by commas or blanks, each with an optional `x` and repeat count. Nothing for an
    /// invalid list, or more than twelve runs.
    pub fn parse(text: &str) -> Option<Self> {
        let mut list = Self::default();
        for entry in text.split([',', ' ', ';', '|']).map(str::trim).filter(|entry| !entry.is_empty()) {
            let (layers, count) = entry.split_once(['x', 'X', '*', '\u{d7}']).unwrap_or((entry, "1"));
            let pushed = list.push(layers.trim().parse().ok()?, count.trim().parse().ok()?);
            pushed.then_some(())?;
        }
        Some(list)
    }

    /// Chunks in the list.
    pub fn chunks(&self) -> u32 {
        self.runs.iter().map(|run| u32::from(run.1)).sum()
    }

    /// Layers in the list.
    pub fn layers(&self) -> u32 {
        self.runs
            .iter()
            .map(|run| u32::from(run.0).saturating_mul(u32::from(run.1)))
            .fold(0, u32::saturating_add)
    }

    /// Layers of a chunk; none beyond the list.
    pub fn of(&self, chunk: u32) -> u32 {
        let mut passed = 0;
        for (layers, count) in self.runs {
            passed += u32::from(count);
            if chunk < passed {
                return u32::from(layers);
            }
        }
        0
    }

    /// Layers of all chunks before one.
    pub fn before(&self, chunk: u32) -> u32 {
        let (mut left, mut sum) = (chunk, 0_u32);
        for (layers, count) in self.runs {
            let taken = left.min(u32::from(count));
            sum = sum.saturating_add(u32::from(layers).saturating_mul(taken));
            left -= taken;
        }
        sum
    }

    fn used(&self) -> usize {
        self.runs.iter().position(|run| run.1 == 0).unwrap_or(RUNS)
    }
}

impl From<StageLayers> for String {
    fn from(list: StageLayers) -> Self {
        list.to_string()
    }
}

impl TryFrom<String> for StageLayers {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::parse(&text).ok_or("a list of layers such as 15,16x2,15")
    }
}

impl Display for StageLayers {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, (layers, count)) in self.runs.iter().filter(|run| run.1 > 0).enumerate() {
            let comma = if index > 0 { "," } else { "" };
            match count {
                1 => write!(out, "{comma}{layers}")?,
                _ => write!(out, "{comma}{layers}x{count}")?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_read_as_they_are_written() {
        let list = StageLayers::parse("15, 16,16 15").expect("a list");
        assert_eq!((list.chunks(), list.layers(), list.to_string().as_str()), (4, 62, "15,16x2,15"));
        assert_eq!((0..6).map(|chunk| list.of(chunk)).collect::<Vec<_>>(), [15, 16, 16, 15, 0, 0]);
        assert_eq!((0..6).map(|chunk| list.before(chunk)).collect::<Vec<_>>(), [0, 15, 31, 47, 62, 62]);
        assert_eq!(StageLayers::parse("15,16*2,15"), Some(list));
        assert_eq!(StageLayers::parse(&list.to_string()), Some(list));
        assert_eq!(StageLayers::parse(""), Some(StageLayers::default()));
        for text in ["a", "1.5", "-1", "1x", "70000", "1x70000", "1,2,1,2,1,2,1,2,1,2,1,2,1"] {
            assert_eq!(StageLayers::parse(text), None, "{text}");
        }
    }
}
