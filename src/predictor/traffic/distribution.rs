//! Message size distribution, as in APNet'24's figure 1.

use super::RankTraffic;
use serde::Serialize;

/// Messages of one size.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct SizeCount {
    /// Size of one.
    pub bytes: u64,
    /// How many.
    pub count: u64,
    /// Share of the messages that are this size or smaller, 0 to 1.
    pub share_of_count: f64,
    /// Share of the volume in messages of this size or smaller, 0 to 1.
    pub share_of_volume: f64,
}

/// Messages by size, smallest first.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Distribution {
    /// Every size, ascending.
    pub sizes: Vec<SizeCount>,
}

impl Distribution {
    /// Distribution of messages given by size and count.
    pub fn new(messages: impl IntoIterator<Item = (u64, u64)>) -> Self {
        let mut list: Vec<(u64, u64)> = messages.into_iter().filter(|message| message.1 > 0).collect();
        list.sort_unstable();
        list.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            if same {
                kept.1 += next.1;
            }
            same
        });
        let volume = |(bytes, count): (u64, u64)| bytes as f64 * count as f64;
        let messages: f64 = list.iter().map(|entry| entry.1 as f64).sum();
        let bytes: f64 = list.iter().copied().map(volume).sum();
        let (mut counted, mut moved) = (0.0, 0.0);
        let sizes = list
            .into_iter()
            .map(|entry| {
                counted += entry.1 as f64;
                moved += volume(entry);
                SizeCount {
                    bytes: entry.0,
                    count: entry.1,
                    share_of_count: counted / messages,
                    share_of_volume: if bytes > 0.0 { moved / bytes } else { 1.0 },
                }
            })
            .collect();
        Self { sizes }
    }

    /// The largest message; 0 if there are none.
    pub fn largest(&self) -> u64 {
        self.sizes.last().map_or(0, |size| size.bytes)
    }

    /// Share of the volume in messages of at least that size, 0 to 1.
    pub fn volume_from(&self, bytes: u64) -> f64 {
        let below = self.sizes.iter().rev().find(|size| size.bytes < bytes);
        1.0 - below.map_or(0.0, |size| size.share_of_volume)
    }
}

impl RankTraffic {
    /// Size distribution of this rank's messages.
    pub fn distribution(&self) -> Distribution {
        Distribution::new(self.messages.iter().map(|message| (message.bytes, message.count)))
    }
}
