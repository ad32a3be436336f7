//! Layers of a `config.json` that share their weights.

use super::super::super::ImportError;
use super::Shape;
use super::layers::Kind;
use crate::scenario::model::{Model, SharedBlocks};

/// Rank of the low-rank matrices of Zamba2's uses, as its class in Transformers has it.
const ADAPTER_RANK: u32 = 128;

impl Shape<'_> {
    /// Whether the model is of Zamba's families, whose shared blocks read the embeddings.
    pub(super) fn is_zamba(&self) -> bool {
        ["zamba", "zamba2"].contains(&self.name.as_str())
    }

    /// Places of Zamba2's shared blocks, where a file gives no list of words.
    pub(super) fn hybrid_places(&mut self, count: usize) -> Option<Vec<Kind>> {
        if self.name == "zamba" {
            return self.zamba_places(count);
        }
        let places = self.settings.text(&["hybrid_layer_ids"])?;
        let places: Vec<usize> =
            places.value().split(',').filter_map(|place| place.trim().parse().ok()).collect();
        let of = |layer| if places.contains(&layer) { Kind::Shared } else { Kind::Recurrent };
        Some((0..count).map(of).collect())
    }

    /// Those of Zamba's first version: layer 2, then one of every period behind it (Transformers, `ZambaConfig`).
    fn zamba_places(&mut self, count: usize) -> Option<Vec<Kind>> {
        let mut whole = |name: &str, usual: usize| {
            let stated = self.settings.whole(&[name]).ok().flatten();
            stated.and_then(|stated| usize::try_from(stated.value).ok()).unwrap_or(usual)
        };
        let (period, offset) = (whole("attn_layer_period", 6).max(1), whole("attn_layer_offset", 4));
        let shares = |layer: usize| layer == 2 || layer > 2 && (layer - 3) % period == offset;
        Some((0..count).map(|layer| if shares(layer) { Kind::Shared } else { Kind::Recurrent }).collect())
    }

    /// Blocks that layers share, of a shape whose layers are known.
    pub(super) fn shared_blocks(&mut self, model: &mut Model) -> Result<(), ImportError> {
        if self.is_zamba() {
            self.settings.spend("hybrid_layer_ids");
            if !model.pattern.any(|letter| letter.shares) {
                return Ok(());
            }
            let of_feed_forward =
                self.settings.flag(&["use_shared_mlp_adapter"])?.unwrap_or(self.name == "zamba2");
            let of_attention = self.settings.flag(&["use_shared_attention_adapter"])?.unwrap_or(false);
            let rank = self.count("blkr", &["adapter_rank"])?.unwrap_or(ADAPTER_RANK);
            model.shared = SharedBlocks {
                count: self.count("blk", &["num_mem_blocks"])?.unwrap_or(1).max(1),
                reads_embeddings: true,
                adapter_rank: if of_feed_forward || of_attention { rank } else { 0 },
                attention_adapters: of_attention,
            };
        } else if self.name == "albert" {
            let groups = self.count("blk", &["num_hidden_groups"])?.unwrap_or(1).max(1);
            let inner = self.plain_count("inner_group_num")?.unwrap_or(1).max(1);
            model.layers = model.layers.saturating_mul(inner);
            model.shared = SharedBlocks { count: groups.saturating_mul(inner), ..SharedBlocks::NONE };
        } else if let Some(times) = self.plain_count("total_ut_steps")?.filter(|times| *times > 1) {
            // All layers run as often as that.
            model.shared = SharedBlocks { count: model.layers, ..SharedBlocks::NONE };
            model.layers = model.layers.saturating_mul(times);
        }
        Ok(())
    }
}
