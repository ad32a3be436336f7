//! Attention to few keys in a `config.json`: indexers, blocks and compressed keys.

use super::super::super::ImportError;
use super::Shape;
use super::layers::Kind;
use crate::scenario::model::{Mixer, Model, Sparse};

/// Settings of blocks that are selected, and of how many tokens each is, as Transformers and as the models' own code name them.
const BLOCKS: [&str; 3] =
    ["index_topk_blocks", "sparse_attention_config.sparse_topk_blocks", "sparse_config.topk"];
const BLOCK: [&str; 3] =
    ["index_block_size", "sparse_attention_config.sparse_block_size", "sparse_config.block_size"];

/// Tokens of a compressed key in DeepSeek-V4's two kinds of layer, unless a file says otherwise.
const COMPRESSION: [u32; 2] = [4, 128];

impl Shape<'_> {
    /// Layers of attention to few keys, where the file or its family has them without a list of words.
    pub(super) fn sparse_layers(&mut self, count: usize) -> Result<Option<Vec<Kind>>, ImportError> {
        // DeepSeek-V4: the tokens of a key in every layer.
        if let Some(ratios) = self.settings.text(&["compress_ratios"]) {
            let of = |ratio: &str| match ratio.trim().parse::<u32>() {
                Ok(0) | Err(_) => Kind::Windowed,
                Ok(ratio) if ratio < COMPRESSION[1] => Kind::Selected,
                Ok(_) => Kind::Compressed,
            };
            return Ok(Some(ratios.value().split(',').map(of).cycle().take(count).collect()));
        }
        if self.name == "deepseek_v4" {
            // As its configuration class has it.
            let of = |layer: usize| {
                if layer < 2 || layer.is_multiple_of(2) { Kind::Compressed } else { Kind::Selected }
            };
            return Ok(Some((0..count).map(of).collect()));
        }
        if let Some(bits) = self.settings.text(&["sparse_attention_config.sparse_attention_freq"]) {
            let of = |bit: &str| if bit.trim() == "0" { Kind::Full } else { Kind::Selected };
            return Ok(Some(bits.value().split(',').map(of).cycle().take(count).collect()));
        }
        // InfLLM-v2 (MiniCPM4): every layer.
        if self.settings.has("sparse_config.topk") {
            return Ok(Some(vec![Kind::Selected; count]));
        }
        if !self.settings.has("index_topk") {
            return Ok(None);
        }
        Ok(Some(self.indexed(count)?))
    }

    /// Layers of DeepSeek Sparse Attention, of which some take the selection of an earlier one (GLM-5.2).
    pub(super) fn indexed(&mut self, count: usize) -> Result<Vec<Kind>, ImportError> {
        let alike = |shared: bool| if shared { Kind::SelectedAlike } else { Kind::Selected };
        if let Some(list) = self.settings.text(&["indexer_types"]) {
            let of = |word: &str| alike(word.trim() == "shared");
            return Ok(list.value().split(',').map(of).cycle().take(count).collect());
        }
        if let Some(pattern) = self.settings.text(&["index_topk_pattern"]) {
            let letters = pattern.value().chars().filter(|letter| letter.is_ascii_alphabetic());
            return Ok(letters.map(|letter| alike(letter == 'S')).cycle().take(count).collect());
        }
        let size = |value: i64| usize::try_from(value).unwrap_or(1).max(1);
        let every = self.settings.whole(&["index_topk_freq"])?.map_or(1, |every| size(every.value));
        let offset = self.settings.whole(&["index_skip_topk_offset"])?.map_or(2, |offset| size(offset.value));
        let shared = |layer: usize| !(layer + 1).saturating_sub(offset).is_multiple_of(every);
        Ok((0..count).map(|layer| alike(shared(layer))).collect())
    }

    /// What layers of attention to few keys see, of a model whose pattern is known.
    pub(super) fn sparse(&mut self, model: &Model) -> Result<Sparse, ImportError> {
        let mut sparse = Sparse::NONE;
        let any = |picks: fn(Mixer) -> bool| model.pattern.any(|letter| picks(letter.mixer));
        let of_v4 = self.name == "deepseek_v4";
        if any(Mixer::selects) {
            let blocks = self.count("sel", &BLOCKS)?;
            sparse.selected = match blocks {
                Some(blocks) => blocks.saturating_mul(
                    self.settings
                        .whole(&BLOCK)?
                        .map_or(128, |block| u32::try_from(block.value).unwrap_or(u32::MAX)),
                ),
                None => self.count("sel", &["index_topk"])?.unwrap_or(if of_v4 { 512 } else { 2048 }),
            };
            let heads = ["index_n_heads", "sparse_attention_config.sparse_num_index_heads"];
            let pooled = self.settings.knows("sparse_config.topk");
            if pooled {
                self.say_of_pooled_keys();
            }
            let usual = if pooled {
                0
            } else if blocks.is_some() {
                4
            } else if of_v4 {
                64
            } else {
                32
            };
            sparse.index_heads = self.count("idxh", &heads)?.unwrap_or(usual);
            let width = ["index_head_dim", "sparse_attention_config.sparse_index_dim"];
            sparse.index_dim = self.count("idxd", &width)?.unwrap_or(if pooled { 0 } else { 128 });
        }
        if of_v4 {
            let rate = |shape: &mut Self, key, names: &[&str], usual| {
                shape.count(key, names).map(|rate| rate.unwrap_or(usual))
            };
            if any(Mixer::selects) {
                let names = ["compress_rates.compressed_sparse_attention", "compress_rate_csa"];
                sparse.stride = rate(self, "selt", &names, COMPRESSION[0])?.max(1);
            }
            if any(Mixer::compresses) {
                let names = ["compress_rates.heavily_compressed_attention", "compress_rate_hca"];
                sparse.compression = rate(self, "cmp", &names, COMPRESSION[1])?;
            }
        }
        Ok(sparse)
    }

    /// InfLLM-v2 chooses blocks by keys that it averages, without weights (MiniCPM4, arXiv 2506.07900, section 2.1).
    fn say_of_pooled_keys(&mut self) {
        ["kernel_size", "kernel_stride", "init_blocks", "use_nope"]
            .iter()
            .for_each(|name| self.settings.spend(&format!("sparse_config.{name}")));
        let dense = self.settings.whole(&["sparse_config.dense_len"]).ok().flatten();
        let short = dense.map_or(String::new(), |dense| {
            format!(" The model code uses full attention for sequences of up to {} tokens.", dense.value)
        });
        let text = format!(
            "The model selects blocks by scores of averaged keys. The computation of these scores is not modelled.{short}"
        );
        self.draft.note(Some("sel"), text);
    }
}
