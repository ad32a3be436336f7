//! What the user typed, field by field, and its share link.
//!
//! A [`Document`] keeps every field's text as typed. [`Document::scenario`] parses and checks it;
//! [`Document::to_link`] writes the fields that differ from the defaults.

mod default_job;
pub mod examples;
mod link;
mod naming;
mod phrases;
mod shape;
mod stated;

pub use link::decode;
pub use link::{LINK_VERSION, LONGEST, LinkError, Opened, packed};
pub use naming::MODEL_NAME;
pub use phrases::{ADAPTER_RANK, SentenceSettings, adapter_fields, settings};
pub use shape::{DescribedModel, add_shape};
pub use stated::{FOLLOWING, UnsetFields};

use default_job::default_scenario;

use crate::decimal;
use crate::error::FieldError;
use crate::fields::{CUSTOM, FIELDS, Field, FieldGroup, Value, parse};
use crate::names::{self, NameKind};
use crate::number;
use crate::scenario::cluster;
use crate::scenario::plan::Plan;
use crate::scenario::{Scenario, TrainingRun};
use std::sync::OnceLock;

/// What the user typed, field by field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Document {
    /// Text of every field, in the order of [`FIELDS`].
    texts: Vec<String>,
    /// Fields that nobody has set, of those that follow from the others: see [`UnsetFields`].
    open: UnsetFields,
    /// Keys that are not fields, sorted; those of the page's view start with [`VIEW_PREFIX`].
    others: Vec<(String, String)>,
}

/// The model whose fields a custom model keeps where nothing else is said of it.
pub const OWN_MODEL: &str = "llama3-70b";

/// Start of the keys that keep the page's view (tab, sorting, filters) in a link.
pub const VIEW_PREFIX: &str = "v.";

impl Default for Document {
    /// Llama-3 70B on 512 H100, eight-way tensor and four-way pipeline parallel.
    fn default() -> Self {
        static DEFAULT: OnceLock<Document> = OnceLock::new();
        DEFAULT.get_or_init(|| Self::from_scenario(&default_scenario())).clone()
    }
}

impl Document {
    /// The document whose fields hold the values of a scenario.
    pub fn from_scenario(scenario: &Scenario) -> Self {
        let texts = FIELDS.iter().map(|field| field.canonical(scenario)).collect();
        let mut document = Self { texts, open: UnsetFields::NONE, others: Vec::new() };
        document.release_kind();
        document
    }

    /// The text of a field as typed, of another key of the link, or nothing for a key never set.
    pub fn text(&self, key: &str) -> &str {
        match index_of(key) {
            Some(index) => self.texts.get(index).map_or("", String::as_str),
            None => self.other(key).unwrap_or(""),
        }
    }

    /// Types a text into a field, which is then set: it no longer follows from others.
    ///
    /// A name typed into `m`, `g` or `stack` becomes that of its row in the table ([`crate::names`]). A model or machine fills in the
    /// fields of its group; the number of GPUs stays unless it is written, as in `8xH100`. A key that is no field is kept in the link
    /// and has no effect.
    pub fn set(&mut self, key: &str, text: &str) {
        self.set_named(key, text);
    }

    /// Types a text into a field, and says whether it set price and power as well: those of a machine that is no row of the table.
    fn set_named(&mut self, key: &str, text: &str) -> bool {
        self.open = self.open.without(key);
        if is_of_model(key) {
            self.name_model("");
        }
        let priced = self.write(key, text);
        if is_of_model(key) {
            self.follow_kind();
        }
        priced
    }

    /// Types a text into each of these fields, none of which chooses a preset.
    fn set_each<'a>(&mut self, pairs: impl Iterator<Item = (&'a str, &'a str)>) {
        let mut of_model = false;
        for (key, text) in pairs {
            self.open = self.open.without(key);
            self.write(key, text);
            of_model |= is_of_model(key);
        }
        if of_model {
            self.follow_kind();
        }
    }

    /// The same without setting the field: what follows from the others.
    fn write(&mut self, key: &str, text: &str) -> bool {
        let Some(index) = index_of(key) else {
            self.set_other(key, text);
            return false;
        };
        self.put(index, text);
        self.fill_from_preset(key);
        // A name as the table has it needs no look-up.
        let row = Field::find(key).is_some_and(|field| field.has_choice(text));
        match NameKind::of_field(key) {
            None => {}
            Some(_) if row => {}
            Some(NameKind::Model) => self.set_model(text),
            Some(NameKind::Machine) => return self.set_machine(text),
            Some(NameKind::Software) => {
                names::software(text).into_iter().for_each(|name| self.put(index, name))
            }
        }
        false
    }

    fn put(&mut self, index: usize, text: &str) {
        if let Some(slot) = self.texts.get_mut(index) {
            text.clone_into(slot);
        }
    }

    /// The machine of a name, if there is one; whether it is no row of the table, and price and power are its own.
    fn set_machine(&mut self, name: &str) -> bool {
        let Some(machine) = names::machine(name) else { return false };
        self.set("g", machine.key);
        if let Some(gpus) = machine.gpus {
            self.set("n", &gpus.to_string());
        }
        let Some(cluster) = machine.cluster else { return false };
        let mut run = TrainingRun::on(&cluster);
        run.price = machine.price.unwrap_or(run.price);
        let scenario = Scenario { cluster, run, ..default_scenario() };
        for (field, text) in FIELDS.iter().zip(&mut self.texts) {
            if follows_machine(field) || in_preset(field) && field.group == FieldGroup::Cluster {
                *text = field.canonical(&scenario);
            }
        }
        true
    }

    /// The job on another published machine, at what its GPUs cost; nothing where there is none of that name. Batch and
    /// sequence stay, and software that is not set is the default there.
    pub fn on_machine(&self, name: &str) -> Option<Self> {
        names::machine(name)?;
        let mut moved = self.clone();
        moved.set("g", name);
        let software = moved.usual("stack").filter(|_| !self.is_set("stack"));
        FOLLOWING.iter().for_each(|key| moved.set(key, self.text(key)));
        software.into_iter().for_each(|software| moved.set("stack", &software));
        Some(moved)
    }

    /// State of the page's view under a key of its own (`tab`, `sort`, ...), as kept in the link.
    pub fn extra(&self, key: &str) -> Option<&str> {
        self.other(&format!("{VIEW_PREFIX}{key}"))
    }

    /// Keeps state of the page's view in the link; an empty text removes it.
    pub fn set_extra(&mut self, key: &str, text: &str) {
        let name = format!("{VIEW_PREFIX}{key}");
        match self.place(&name) {
            Ok(place) if text.is_empty() => {
                self.others.remove(place);
            }
            Err(_) if text.is_empty() => {}
            _ => self.set_other(&name, text),
        }
    }

    /// Takes all state of the page's view over from another document.
    pub fn take_view(&mut self, other: &Self) {
        self.others.retain(|entry| !entry.0.starts_with(VIEW_PREFIX));
        for (key, text) in other.others.iter().filter(|entry| entry.0.starts_with(VIEW_PREFIX)) {
            self.set_other(key, text);
        }
    }

    /// Sets the layout.
    pub fn load_plan(&mut self, plan: &Plan) {
        self.write_plan(plan);
        self.open = self.open.with_layout(false);
    }

    /// Writes a layout into the plan's fields without setting them: the one that was planned.
    pub fn write_plan(&mut self, plan: &Plan) {
        let scenario = Scenario { plan: *plan, ..default_scenario() };
        for (field, text) in FIELDS.iter().zip(&mut self.texts) {
            if field.group == FieldGroup::Plan {
                *text = field.canonical(&scenario);
            }
        }
    }

    /// Parses and checks everything.
    ///
    /// # Errors
    /// First what cannot be read or lies outside its field's bounds; when every field can be read,
    /// what the fields together make impossible. At most one error per field.
    pub fn scenario(&self) -> Result<Scenario, Vec<FieldError>> {
        let scenario = self.values()?;
        scenario.validate().map(|()| scenario)
    }

    /// Every field's value, possible together or not.
    ///
    /// # Errors
    /// What cannot be read or lies outside its field's bounds.
    pub fn values(&self) -> Result<Scenario, Vec<FieldError>> {
        let mut scenario = default_scenario();
        let mut errors = Vec::new();
        for (field, text) in FIELDS.iter().zip(&self.texts) {
            match field.parse(text) {
                Ok(value) => (field.set)(&mut scenario, value),
                Err(_) if !self.applies(field.key) => {}
                Err(error) => errors.push(error),
            }
        }
        // Of one rank there is no group to split a sequence over: what the switch says waits for one.
        scenario.plan.sequence_parallel &= scenario.plan.tensor_parallel > 1;
        if self.keeps_fabric_in_hosts(&scenario.cluster) {
            scenario.cluster = scenario.cluster.with_fabric_in_hosts();
        }
        if errors.is_empty() { Ok(scenario) } else { Err(errors) }
    }

    /// Whether the scale-up fabric ends at the hosts, however few GPUs they have: one that can join no hosts, and that of
    /// a published machine which joins none there, unless another domain is stated.
    fn keeps_fabric_in_hosts(&self, cluster: &cluster::Cluster) -> bool {
        let ends_there = |machine: cluster::Cluster| {
            !machine.fabric_joins_hosts() && machine.scale_up.domain == cluster.scale_up.domain
        };
        !cluster.scale_up.kind.joins_hosts()
            || self.preset_scenario(FieldGroup::Cluster).is_some_and(|preset| ends_there(preset.cluster))
    }

    /// Whether a field has any effect with the others as they are.
    pub fn applies(&self, key: &str) -> bool {
        let given = |key: &str| !["", "0"].contains(&self.text(key).trim());
        match key {
            "ctx" => self.text("pos").trim() == "learned",
            "rcm" => self.text("rc").trim() == "modules",
            "cpx" => !["", "1"].contains(&self.text("cp").trim()),
            "rcn" => self.text("rc").trim() == "full",
            "stages" => self.text("split").trim() == "given",
            "topk" | "effn" | "shared" | "elat" | "lead" | "every" | "ep" | "etp" | "epo" | "xk" | "xd"
            | "xr" => given("moe"),
            "bfs" | "bfe" => !["bf16", "fp16"].contains(&self.text("prec").trim()),
            "ogrp" => given("orank"),
            "dv" => !given("kvrank"),
            "blke" | "blkr" => given("blk"),
            "plev" => given("ple"),
            "encpi" | "encpf" => given("enc") && given("encpn"),
            "ench" | "encf" | "enca" | "encd" | "encg" | "encb" | "encn" | "enct" | "encs" | "encm"
            | "encw" | "encp" | "encpn" | "encz" | "encwn" => given("enc"),
            "encwf" => given("enc") && given("encwn"),
            "blka" => given("blk") && given("blkr"),
            "uncp" => self.text("unc").trim() != "none",
            "selt" | "idxh" | "idxd" => given("sel"),
            "mixh" | "mixk" | "mixs" | "mixd" | "conv" => self.text("mix").trim() != "none",
            "sffn" => given("moe") && given("shared"),
            "qrank" => given("kvrank") || given("orank"),
            "nope" | "rope" | "vdim" => given("kvrank"),
            "wfull" => given("window"),
            "ost" => !["adafactor", "sgd"].contains(&self.text("opt").trim()),
            "muon" => self.text("opt").trim() == "muon",
            "lorat" | "base" => given("lora"),
            "sp" => self.text("tp").trim() != "1",
            "shg" | "gao" => given("zero"),
            _ => true,
        }
    }

    /// Whether fields of a group were edited after its preset was chosen.
    pub fn customised(&self, group: FieldGroup) -> bool {
        let Some(preset) = self.preset_scenario(group) else {
            return false;
        };
        FIELDS.iter().zip(&self.texts).any(|(field, text)| {
            in_preset(field) && field.group == group && *text != field.canonical(&preset)
        })
    }

    /// Whether the text of a field differs from what its preset, or the default document, says.
    pub fn edited(&self, key: &str) -> bool {
        Field::find(key).is_some_and(|field| {
            let base = if follows_machine(field) {
                self.machine_scenario()
            } else {
                self.preset_scenario(field.group)
                    .filter(|_| in_preset(field))
                    .unwrap_or_else(default_scenario)
            };
            self.text(key) != field.canonical(&base)
        })
    }

    /// How a field's text was understood, where that says more than the text itself: `8k` is
    /// `8,192 tokens`, 512 GPUs are `64 nodes × 8 GPUs`, 400 Gb/s are `50 GB/s`.
    pub fn echo(&self, key: &str) -> Option<String> {
        let field = Field::find(key)?;
        let text = self.text(key);
        let value = field.parse(text).ok()?;
        let other = match (key, value) {
            ("n", Value::Integer(gpus)) => {
                let Ok(Value::Integer(node)) = Field::find("node")?.parse(self.text("node")) else {
                    return None;
                };
                let nodes = gpus.div_ceil(node.max(1));
                match (gpus < node, nodes) {
                    (true, _) => Some("part of one node".to_owned()),
                    (false, 1) => Some("1 node".to_owned()),
                    (false, _) => Some(format!("{} nodes \u{d7} {node} GPUs", parse::grouped(nodes.into()))),
                }
            }
            ("mem", Value::Number(gib)) => {
                Some(format!("{} GB", parse::grouped((gib * 107.374_182_4).round() / 100.0)))
            }
            ("nic", Value::Number(gigabits)) => Some(format!("{} GB/s", parse::grouped(gigabits / 8.0))),
            ("usd", Value::Number(_)) => {
                self.values().ok().map(|scenario| scenario.run.price_source(&scenario.cluster))
            }
            ("tokens", Value::Number(tokens)) => Some(format!("{} tokens", number::count(tokens))),
            ("link", Value::Number(gigabytes)) => Some(match self.fabric_of_hosts() {
                Some(part) if part.bandwidth.0 / 1e9 != gigabytes => {
                    let rate = parse::grouped(part.bandwidth.0 / 1e9);
                    format!("{rate} GB/s between the {} GPUs of a node", part.domain)
                }
                _ => format!("{} Gb/s", parse::grouped(gigabytes * 8.0)),
            }),
            ("domain", _) => self.fabric_of_hosts().map(|part| {
                let unit = if part.domain == 1 { "GPU" } else { "GPUs" };
                format!("{} {unit}: this fabric is limited to a node", part.domain)
            }),
            _ => None,
        };
        let read = match value {
            Value::Integer(number) => (text.trim() != number.to_string()).then(|| f64::from(number)),
            Value::Number(number) => (text.trim() != decimal::plain(number)).then_some(number),
            Value::Choice(_) | Value::Flag(_) | Value::Layers(_) | Value::Modules(_) | Value::Pattern(_) => {
                None
            }
        };
        let read = read.map(|number| {
            let space = if field.unit.is_empty() || field.unit == ":1" { "" } else { " " };
            format!("{}{space}{}", parse::grouped(number), field.unit)
        });
        match (read, other) {
            (Some(read), Some(other)) => Some(format!("{read}, {other}")),
            (read, other) => read.or(other),
        }
    }

    /// The scale-up fabric where hosts are smaller than the domain that is typed and it ends there.
    fn fabric_of_hosts(&self) -> Option<cluster::ScaleUp> {
        let fabric = self.values().ok()?.cluster.scale_up;
        let typed = Field::find("domain")?.parse(self.text("domain")).ok()?;
        (typed != Value::Integer(fabric.domain)).then_some(fabric)
    }

    fn set_other(&mut self, key: &str, text: &str) {
        match self.place(key) {
            Ok(place) => {
                if let Some(entry) = self.others.get_mut(place) {
                    text.clone_into(&mut entry.1);
                }
            }
            Err(place) => self.others.insert(place, (key.to_owned(), text.to_owned())),
        }
    }

    /// Text of a key that is no field.
    fn other(&self, key: &str) -> Option<&str> {
        self.others.get(self.place(key).ok()?).map(|entry| entry.1.as_str())
    }

    /// Where a key that is no field stands, or would.
    fn place(&self, key: &str) -> Result<usize, usize> {
        self.others.binary_search_by(|entry| entry.0.as_str().cmp(key))
    }

    /// Fills in a group's fields when `key` chooses its preset and names one.
    fn fill_from_preset(&mut self, key: &str) {
        for group in [FieldGroup::Model, FieldGroup::Cluster] {
            if group.preset_key() == Some(key)
                && let Some(preset) = self.preset_scenario(group)
            {
                for (field, text) in FIELDS.iter().zip(&mut self.texts) {
                    if in_preset(field) && field.group == group {
                        *text = field.canonical(&preset);
                    }
                }
                match group {
                    FieldGroup::Cluster => self.fill_from_machine(|_| true),
                    _ => self.release_kind(),
                }
            }
        }
    }

    /// Fills in what follows the machine, of the fields that are wanted.
    fn fill_from_machine(&mut self, wanted: impl Fn(&Field) -> bool) {
        let machine = self.machine_scenario();
        for (field, text) in FIELDS.iter().zip(&mut self.texts) {
            if follows_machine(field) && wanted(field) {
                *text = field.canonical(&machine);
            }
        }
    }

    /// The default scenario on the document's machine, at what its GPUs cost: the preset's, or what the fields of a
    /// custom one say, as far as they can be read.
    fn machine_scenario(&self) -> Scenario {
        let mut scenario = self.preset_scenario(FieldGroup::Cluster).unwrap_or_else(|| {
            let mut scenario = default_scenario();
            for (field, text) in FIELDS.iter().zip(&self.texts).filter(|pair| in_preset(pair.0)) {
                if let (FieldGroup::Cluster, Ok(value)) = (field.group, field.parse(text)) {
                    (field.set)(&mut scenario, value);
                }
            }
            scenario
        });
        scenario.run = TrainingRun::on(&scenario.cluster);
        scenario
    }

    /// The default scenario with a group's chosen preset; nothing when none is chosen.
    fn preset_scenario(&self, group: FieldGroup) -> Option<Scenario> {
        let field = Field::find(group.preset_key()?)?;
        let value = field.parse(self.text(field.key)).ok()?;
        let mut scenario = default_scenario();
        (field.set)(&mut scenario, value);
        (value != Value::Choice(CUSTOM)).then_some(scenario)
    }
}

/// Whether a preset of its group decides a field.
fn in_preset(field: &Field) -> bool {
    matches!(field.group, FieldGroup::Model | FieldGroup::Cluster) && !["m", "g", "n"].contains(&field.key)
}

/// Whether a key is a field of the model.
fn is_of_model(key: &str) -> bool {
    Field::find(key).is_some_and(|field| field.group == FieldGroup::Model)
}

/// Whether a field of the run starts out as the machine's GPUs say.
fn follows_machine(field: &Field) -> bool {
    ["usd", "watt"].contains(&field.key)
}

fn index_of(key: &str) -> Option<usize> {
    FIELDS.iter().position(|field| field.key == key)
}
