//! Encoders of images and sounds in front of the language model of a `config.json`.

use super::super::super::ImportError;
use super::super::super::draft::Draft;
use super::super::super::settings::Settings;
use super::encoders::{self, Built, Fed};
use crate::number::significant;
use crate::scenario::model::{Model, Tower, TowerParameters, Uncounted, UncountedParts};

/// Names of the width of an encoder's layers.
const WIDTHS: [&str; 6] = ["embed_dim", "hidden_size", "d_model", "width", "dim", "hidden_dim"];
/// Names of their number.
const DEPTHS: [&str; 6] =
    ["num_hidden_layers", "depth", "encoder_layers", "layers", "num_layers", "n_layers"];
/// Names of the width of their feed-forward part.
const INNER: [&str; 4] = ["intermediate_size", "encoder_ffn_dim", "mlp_dim", "ffn_dim"];
/// Names of the number of their heads.
const HEADS: [&str; 4] = ["num_attention_heads", "num_heads", "encoder_attention_heads", "attention_heads"];
/// Further names of the tables of encoders: Qwen-VL, Phi-3-vision, Phi-4-multimodal.
const OTHER_TABLES: [(&str, &str); 4] = [
    ("vision", "visual"),
    ("vision", "img_processor"),
    ("vision", "image_embd_layer"),
    ("audio", "audio_processor"),
];
/// Tables with a type of their own that hold no network: how MiniCPM-V cuts images.
const NO_NETWORK: [&str; 1] = ["slice_config"];
/// Parts of larger models that speak, whatever they hold.
const SPEAKERS: [&str; 3] = ["talker", "code2wav", "token2wav"];

/// Side of an image where a file leaves it open, pixels. Assumed: about a million pixels, which models of images of any
/// size see of a page or a screen.
const SIDE: u32 = 1024;

/// The encoders of a file: the largest becomes the model's, the others are not counted.
pub(super) fn read(settings: &mut Settings, draft: &mut Draft, model: &mut Model) -> Result<(), ImportError> {
    let mut of_kinds = [("vision", UncountedParts::Vision), ("audio", UncountedParts::Audio)]
        .map(|(kind, part)| (table(settings, kind), part, None::<(Tower, f64)>, 0.0));
    for (table, part, tower, parameters) in &mut of_kinds {
        let Some(table) = table else { continue };
        *parameters = estimate(settings, table);
        let found = EncoderTable { settings, table }.tower(model, *part)?;
        *tower = found.map(|tower| (tower, TowerParameters::new(&Model { tower, ..*model }, 1).total()));
    }
    let largest = of_kinds
        .iter()
        .filter_map(|entry| entry.2)
        .fold(None, |most: Option<(Tower, f64)>, one| most.filter(|most| most.1 >= one.1).or(Some(one)));
    let (mut parts, mut left_out) = (UncountedParts::None, 0.0);
    for (table, part, tower, parameters) in &of_kinds {
        let Some(table) = table else { continue };
        if tower.is_some() && *tower == largest {
            say(settings, draft, *part, table);
        } else {
            parts = if parts == UncountedParts::None { *part } else { UncountedParts::VisionAndAudio };
            left_out += tower.map_or(*parameters, |tower| tower.1);
        }
    }
    model.tower = largest.map_or(Tower::NONE, |tower| tower.0);
    let read = of_kinds.iter().filter_map(|entry| entry.0.as_deref()).collect::<Vec<_>>();
    let others = others(settings, &read);
    for (table, parameters) in &others {
        parts = parts.and_other();
        left_out += parameters;
        let size = match parameters {
            0.0 => "unknown size".to_owned(),
            _ => format!("about {} billion parameters", significant(parameters / 1e9, 2)),
        };
        draft.note(None, format!("Not counted: the network of {table} ({size})."));
    }
    if parts == UncountedParts::None
        && model.tower == Tower::NONE
        && let Some(sign) = sign_of_images(settings)
    {
        parts = UncountedParts::Vision;
        let text = match sign.as_str() {
            "patch_size" => "Not counted: the projection of image patches (patch_size).".to_owned(),
            _ => format!("Not counted: the vision encoder ({sign})."),
        };
        draft.note(None, text);
    }
    model.uncounted = Uncounted { parts, millions: (left_out / 1e6).round() as u32 };
    Ok(())
}

/// The setting that tells that a model without a table of an encoder reads images: of their patches (Fuyu), or the name of an
/// encoder.
fn sign_of_images(settings: &mut Settings) -> Option<String> {
    let signs = ["patch_size", "img_size", "mm_vision_tower", "vision_tower", "vision_backbone_id"];
    let found = signs.iter().find(|sign| settings.text(&[sign, &format!("/{sign}")]).is_some());
    found.map(|sign| (*sign).to_owned())
}

/// Networks beside the language model and the encoders that are read, outermost tables only, with their parameters, 0 if
/// unknown: whatever has a type, or layers and a width.
fn others(settings: &Settings, read: &[&str]) -> Vec<(String, f64)> {
    let outer = |key: &str| -> Option<String> {
        let table = key.strip_prefix('/').unwrap_or(key).split_once('.')?.0;
        let network = table.ends_with("_config") && !NO_NETWORK.contains(&table);
        network.then(|| format!("{}{table}", if key.starts_with('/') { "/" } else { "" }))
    };
    let mut found: Vec<(String, f64)> = Vec::new();
    for table in settings.iter().filter_map(|setting| outer(setting.key())) {
        let seen = found.iter().any(|one| one.0 == table);
        let parameters = estimate(settings, &table);
        let kind = format!("{table}.model_type");
        let has_type = settings.iter().any(|setting| setting.key() == kind && !setting.value().is_empty());
        let is_network = parameters > 0.0 || has_type;
        if !seen && is_network && !read.iter().any(|one| one.starts_with(&table)) {
            found.push((table, parameters));
        }
    }
    found
        .into_iter()
        .map(|(table, parameters)| (table.trim_start_matches('/').to_owned(), parameters))
        .collect()
}

/// What is assumed of an encoder. Whatever else its table says changes no matrix.
fn say(settings: &mut Settings, draft: &mut Draft, part: UncountedParts, table: &str) {
    let sample = if part == UncountedParts::Audio { "audio clip" } else { "image" };
    draft.note(Some("encs"), format!("One {sample} per sequence is assumed."));
    let inside = format!("{table}.");
    let has = |settings: &Settings, name: &str| settings.has(&format!("{inside}{name}"));
    let any_size = encoders::reads_any_size(&outer_type(settings))
        || !(has(settings, "image_size") || has(settings, "image_size.height"));
    if part == UncountedParts::Vision && any_size {
        let text = format!("An image of {SIDE} x {SIDE} pixels is assumed.");
        draft.note(Some("enct"), text);
    }
    let pooled = settings.flag(&[&format!("{inside}vision_use_head")]).ok().flatten();
    let siglip = settings.text(&[&format!("{inside}model_type")]);
    if pooled != Some(false) && siglip.is_some_and(|name| name.value() == "siglip_vision_model") {
        draft.note(None, "The pooling head of the encoder (vision_use_head) is not counted.");
    }
    let rest: Vec<String> = settings.iter().map(|setting| setting.key().to_owned()).collect();
    rest.iter().filter(|key| key.starts_with(&inside)).for_each(|key| settings.spend(key));
}

/// The table of an encoder of a kind of data: the outermost.
fn table(settings: &Settings, kind: &str) -> Option<String> {
    let named = [format!("{kind}_config"), format!("{kind}_tower"), format!("{kind}_encoder")];
    let others = OTHER_TABLES.iter().filter(|row| row.0 == kind).map(|row| row.1);
    let named: Vec<&str> = named.iter().map(String::as_str).chain(others).collect();
    let tables = settings.iter().filter_map(|setting| {
        let table = setting.key().rsplit_once('.')?.0;
        let last = table.trim_start_matches('/').rsplit('.').next()?;
        let speaks = SPEAKERS.iter().any(|part| table.contains(part));
        (!speaks && named.contains(&last)).then_some(table)
    });
    tables.min_by_key(|table| table.matches('.').count()).map(str::to_owned)
}

/// The type of the whole model.
fn outer_type(settings: &Settings) -> String {
    let named = |key: &str| settings.iter().find(|setting| setting.key() == key);
    let setting = named("/model_type").or_else(|| named("model_type"));
    setting.map(|setting| setting.value().to_owned()).unwrap_or_default()
}

/// Parameters of an encoder that is not known, 0 where the file does not say them: four matrices of attention and two of
/// the feed-forward part in every layer.
fn estimate(settings: &Settings, table: &str) -> f64 {
    let find = |names: &[&str]| {
        names.iter().find_map(|name| {
            let key = format!("{table}.{name}");
            settings.iter().find(|setting| setting.key() == key)?.value().parse::<f64>().ok()
        })
    };
    let (Some(width), Some(depth)) = (find(&WIDTHS), find(&DEPTHS)) else { return 0.0 };
    let inner = find(&INNER).unwrap_or(find(&["mlp_ratio"]).unwrap_or(4.0) * width);
    let parameters = depth * (4.0 * width * width + 2.0 * width * inner);
    if (0.0..1e12).contains(&parameters) { parameters } else { 0.0 }
}

/// One encoder's table in a file.
struct EncoderTable<'a> {
    settings: &'a mut Settings,
    table: &'a str,
}

impl EncoderTable<'_> {
    /// The encoder, with projectors to a language model; nothing where its family or a size is not known.
    fn tower(&mut self, model: &Model, part: UncountedParts) -> Result<Option<Tower>, ImportError> {
        let outer = outer_type(self.settings);
        let inner = self.settings.text(&[&format!("{}.model_type", self.table)]);
        let inner = inner.map(|setting| setting.value().to_owned()).unwrap_or_default();
        let Some((built, fed)) = encoders::find(&inner, &outer, part) else { return Ok(None) };
        let (Some(hidden), Some(layers), Some(heads)) =
            (self.whole(&WIDTHS)?, self.whole(&DEPTHS)?, self.whole(&HEADS)?)
        else {
            return Ok(None);
        };
        let ratio = self.ratio();
        let global = self.whole(&["num_global_layers"])?.unwrap_or(0);
        let tower = Tower {
            layers: layers.saturating_add(global),
            hidden,
            heads,
            ffn: self.whole(&INNER)?.unwrap_or((f64::from(hidden) * ratio).round() as u32),
            gated: built.gated,
            bias: built.bias,
            norm: built.norm,
            ..Tower::NONE
        };
        let tower = match part {
            UncountedParts::Audio => self.frames(tower)?,
            _ => self.patches(tower, &outer, built)?,
        };
        self.projectors(tower, model, &outer, fed).map(Some)
    }

    /// Feed-forward width over the encoder's; 4 where it is not stated.
    fn ratio(&mut self) -> f64 {
        let stated = self.settings.text(&[&format!("{}.mlp_ratio", self.table)]);
        let stated = stated.and_then(|setting| crate::decimal::parse(setting.value()));
        stated.filter(|ratio| *ratio > 0.0 && *ratio <= 64.0).unwrap_or(4.0)
    }

    /// The encoder with its patches.
    fn patches(&mut self, tower: Tower, outer: &str, built: &Built) -> Result<Tower, ImportError> {
        let patch = self.whole(&["patch_size"])?.unwrap_or(built.patch).max(1);
        let stated =
            self.whole(&["image_size", "image_size.height"])?.filter(|_| !encoders::reads_any_size(outer));
        let side = match stated {
            Some(side) => side / patch,
            // Patches that are merged come in whole squares.
            None => {
                let merges = ["spatial_merge_size"];
                let merged = self.whole(&merges)?.or(self.outside(&merges)?).unwrap_or(1);
                SIDE / patch / merged * merged
            }
        };
        let channels = self.whole(&["num_channels", "in_channels", "in_chans"])?.unwrap_or(3);
        let images = self.whole(&["temporal_patch_size"])?.unwrap_or(1);
        let tokens = side.saturating_mul(side).saturating_add(built.class_tokens);
        let tiles = self.whole(&["max_num_tiles"])?.unwrap_or(1);
        let rows = self.whole(&["num_position_embeddings"])?;
        let square = self.whole(&["init_pos_emb_height"])?.map(|side| side.saturating_mul(side));
        let (window, full_every) = self.windows(patch, tower.layers)?;
        Ok(Tower {
            tokens: tokens.saturating_mul(tiles).max(1),
            window,
            full_every,
            patch: patch.saturating_mul(patch).saturating_mul(channels).saturating_mul(images),
            positions: if built.positions {
                tokens.saturating_add(tokens.saturating_mul(self.tile_positions(tiles)))
            } else {
                rows.or(square).unwrap_or(0)
            },
            ..tower
        })
    }

    /// Tables of positions of a tile for every tile of every shape of an image, and of none (Transformers,
    /// `MllamaPrecomputedPositionEmbedding`).
    fn tile_positions(&self, tiles: u32) -> u32 {
        let inside = format!("{}.supported_aspect_ratios.", self.table);
        let shapes = self.settings.iter().filter(|setting| setting.key().starts_with(&inside)).count();
        if tiles > 1 { tiles.saturating_mul(u32::try_from(shapes).unwrap_or(0).saturating_add(1)) } else { 0 }
    }

    /// Tokens of a window, and every how many layers have none: windows are stated in pixels, full layers by their numbers
    /// (Transformers, `Qwen2_5_VLVisionConfig`, which has them in every eighth layer by default).
    fn windows(&mut self, patch: u32, layers: u32) -> Result<(u32, u32), ImportError> {
        let Some(pixels) = self.whole(&["window_size"])? else { return Ok((0, 0)) };
        let side = pixels / patch;
        let full = self.listed("fullatt_block_indexes");
        let listed = self.settings.has(&format!("{}.fullatt_block_indexes", self.table));
        let every = layers.checked_div(full).unwrap_or(if listed { 0 } else { 8 });
        Ok((side.saturating_mul(side), every))
    }

    /// The encoder with its frames: two convolutions over three frames each, of which the second halves them (Radford et
    /// al. 2022, arXiv 2212.04356, section 2.2).
    fn frames(&mut self, tower: Tower) -> Result<Tower, ImportError> {
        let (taps, mels) = (3, self.whole(&["num_mel_bins"])?.unwrap_or(128));
        let frames = self.whole(&["max_source_positions"])?.unwrap_or(1500);
        Ok(Tower {
            tokens: frames.max(1),
            patch: tower.hidden.saturating_add(mels).saturating_mul(taps),
            positions: frames,
            ..tower
        })
    }

    /// The encoder with what becomes of its output.
    fn projectors(
        &mut self,
        tower: Tower,
        model: &Model,
        outer: &str,
        fed: Fed,
    ) -> Result<Tower, ImportError> {
        let merge = self.merge(&tower, outer, fed)?;
        let tower = Tower { merge, ..tower };
        let wide = tower.projected_width();
        Ok(match fed {
            Fed::Averaged => Tower { projector_input: tower.hidden, ..tower },
            Fed::Joined => tower,
            Fed::SeveralLayers => Tower {
                projector_input: self.whole(&["vision_output_dim"])?.unwrap_or(tower.hidden),
                ..tower
            },
            Fed::JoinedTwice => {
                let deep = self.listed("deepstack_visual_indexes");
                Tower { projector_inner: wide, projectors: deep.saturating_add(1), ..tower }
            }
            Fed::ByTheModel => Tower { projector_inner: model.hidden, ..tower },
            // The weights of a matrix before the two count as columns of the first.
            Fed::MergedBefore => {
                let before = u64::from(wide) * u64::from(tower.hidden) / u64::from(model.hidden.max(1));
                let input = u64::from(tower.hidden) + before;
                let projector_input = u32::try_from(input).unwrap_or(tower.hidden);
                Tower { projector_input, projector_inner: model.hidden, ..tower }
            }
            Fed::Shuffled => {
                let inner = self.whole(&["projector_input_dim"])?.unwrap_or(model.hidden);
                let projector_input = tower.ffn.saturating_add(inner);
                Tower { projector_input, projector_inner: inner, ..tower }
            }
        })
    }

    /// Tokens that become one.
    fn merge(&mut self, tower: &Tower, outer: &str, fed: Fed) -> Result<u32, ImportError> {
        let square = |side: u32| side.saturating_mul(side).max(1);
        if let Some(side) = self.whole(&["spatial_merge_size"])? {
            return Ok(square(side));
        }
        let table = self.table;
        if self.settings.has(&format!("{table}.merge_kernel_size")) {
            let sides = self.settings.text(&[&format!("{table}.merge_kernel_size")]);
            let first = sides.and_then(|sides| sides.value().split(',').next()?.trim().parse().ok());
            return Ok(square(first.unwrap_or(1)));
        }
        if let Some(tokens) = self.outside(&["mm_tokens_per_image"])? {
            return Ok((tower.tokens / tokens.max(1)).max(1));
        }
        if let Some(side) = self.outside(&["spatial_merge_size", "scale_factor"])? {
            return Ok(square(side));
        }
        let ratios = ["downsample_ratio", "/downsample_ratio", &format!("{table}.pixel_shuffle_ratio")]
            .map(str::to_owned);
        let ratio =
            ratios.iter().find_map(|name| self.settings.text(&[name.as_str()])?.value().parse::<f64>().ok());
        if let Some(ratio) = ratio.filter(|ratio| *ratio > 0.0 && *ratio < 1.0) {
            return Ok(square((1.0 / ratio).round().min(64.0) as u32));
        }
        Ok(encoders::usual_merge(outer, fed))
    }

    /// A whole number of the encoder's table that is more than zero.
    fn whole(&mut self, names: &[&str]) -> Result<Option<u32>, ImportError> {
        let paths: Vec<String> = names.iter().map(|name| format!("{}.{name}", self.table)).collect();
        self.positive(&paths)
    }

    /// A whole number of the whole model.
    fn outside(&mut self, names: &[&str]) -> Result<Option<u32>, ImportError> {
        let paths: Vec<String> =
            names.iter().flat_map(|name| [format!("/{name}"), (*name).to_owned()]).collect();
        self.positive(&paths)
    }

    fn positive(&mut self, paths: &[String]) -> Result<Option<u32>, ImportError> {
        let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
        for path in paths {
            // Some files list a size for each axis.
            let Some(setting) = self.settings.text(&[path]) else { continue };
            let first = setting.value().split(',').next().unwrap_or_default().trim().to_owned();
            let number = first.parse::<f64>().ok().filter(|number| (1.0..=16_777_216.0).contains(number));
            return match number {
                Some(number) => Ok(Some(number as u32)),
                None => Err(setting.wrong("Encoder sizes must be from 1 to 16777216")),
            };
        }
        Ok(None)
    }

    /// Entries of a list of the encoder's table.
    fn listed(&mut self, name: &str) -> u32 {
        let list = self.settings.text(&[&format!("{}.{name}", self.table)]);
        let list = list.map(|list| list.value().to_owned()).unwrap_or_default();
        list.split(',').filter(|entry| !entry.trim().is_empty()).count().min(63) as u32
    }
}
