//! What the words of a row's notes say of columns that it leaves blank: "torch.compile, FlashAttention-2, LoRA rank 8".
//!
//! Words are read a sentence at a time, sentences being apart by semicolons or full stops, and what stands in brackets being a clause of its own.
//! A clause that speaks of other runs, or of what is not known, says nothing.

/// Words, any of which say what columns hold.
type Saying = (&'static [&'static str], &'static [(&'static str, WordMeaning)]);

/// What words say of a column.
#[derive(Debug, Clone, Copy)]
enum WordMeaning {
    /// It holds this; empty: what is usual.
    This(&'static str),
    /// It holds the number behind one of these words in the clause or its brackets, else this.
    Number(&'static [&'static str], &'static str),
}

use WordMeaning::{Number, This};

/// Words of what was not done, is not known, or is of other runs than the row's.
const DENIED: [&str; 12] = [
    "or",
    "left out",
    "others",
    "other rows",
    "not stated",
    "not known",
    "not seen",
    "unknown",
    "whether",
    "where named",
    "instead of",
    "rather than",
];

/// Words that take back what follows them, and what precedes them.
const TAKES_BACK: [&str; 6] = ["no", "not", "non", "never", "without", "disabled"];
const TAKEN_BACK: [&str; 6] = ["off", "none", "false", "disabled", "not", "is not"];

/// Words that name a rank of adapters.
const RANK: &[&str] = &["rank", "rank of", "r"];

/// What is said how, the more particular and the denials first: the first that says something of a column is taken.
const SAYINGS: [Saying; 51] = [
    (
        &["no checkpointing", "without checkpointing", "checkpointing off", "checkpointing disabled"],
        &[("recompute", This("none"))],
    ),
    (
        &[
            "no activation checkpointing",
            "no gradient checkpointing",
            "no recomputation",
            "without recomputation",
        ],
        &[("recompute", This("none"))],
    ),
    (
        &["selective recomputation", "selective activation checkpointing", "selective checkpointing"],
        &[("recompute", This("selective"))],
    ),
    (
        &[
            "gradient checkpointing",
            "activation checkpointing",
            "full recomputation",
            "everything recomputed",
        ],
        &[("recompute", This("full"))],
    ),
    (
        &["not compiled", "uncompiled", "no compile", "no compilation", "without compilation"],
        &[("compiled", This("0"))],
    ),
    (&["without torch compile", "no torch compile", "eager mode"], &[("compiled", This("0"))]),
    (
        &["torch compile", "compiled model", "model compiled", "layers compiled", "blocks compiled"],
        &[("compiled", This("1"))],
    ),
    (
        &["unfused attention", "attention unfused", "eager attention", "no flash attention"],
        &[("attention_kernel", This("unfused"))],
    ),
    (&["without flash attention", "attention written out"], &[("attention_kernel", This("unfused"))]),
    (&["flashattention 4", "flash attention 4", "flash attn 4", "fa4"], &[("attention_kernel", This("fa4"))]),
    (&["flashattention 3", "flash attention 3", "flash attn 3", "fa3"], &[("attention_kernel", This("fa3"))]),
    (&["flashattention 2", "flash attention 2", "flash attn 2", "fa2"], &[("attention_kernel", This("fa2"))]),
    (&["flashattention 1", "flash attention 1", "fa1", "xformers"], &[("attention_kernel", This("fa1"))]),
    (
        &["cudnn attention", "cudnn flash attention", "cudnn s attention"],
        &[("attention_kernel", This("cudnn"))],
    ),
    (&["flexattention", "flex attention"], &[("attention_kernel", This("flex"))]),
    (
        &["sdpa", "scaled dot product attention", "scaled_dot_product_attention"],
        &[("attention_kernel", This("sdpa"))],
    ),
    (&["no liger", "without liger"], &[("elementwise", This("")), ("loss", This(""))]),
    (&["liger"], &[("elementwise", This("fused")), ("loss", This("linear"))]),
    (
        &["chunked cross entropy", "chunked loss", "loss in chunks", "logits in chunks"],
        &[("loss", This("chunked"))],
    ),
    (&["linear cross entropy"], &[("loss", This("linear"))]),
    (&["fused norm", "fused norms", "fused rmsnorm"], &[("elementwise", This("fused"))]),
    (&["no lora", "without lora", "not lora", "no adapters"], &[("lora_rank", This("0"))]),
    (
        &["qlora"],
        &[("lora_rank", Number(RANK, "16")), ("lora_targets", This("all")), ("base_bits", This("nf4"))],
    ),
    (&["lora", "adapters"], &[("lora_rank", Number(RANK, "16"))]),
    (
        &[
            "weights and states in bf16",
            "weights and optimizer states in bf16",
            "weights and adam states in bf16",
            "weights and adamw states in bf16",
            "weights , gradients and states in bf16",
            "gradients and moments in bf16",
            "bf16 weights and states",
            "bf16 weights and optimizer states",
            "pure bf16",
            "all in bf16",
        ],
        &[("weights", This("16")), ("gradients", This("16")), ("state_bits", This("16"))],
    ),
    (
        &["8 bit adam", "8 bit adamw", "8bit adam", "8bit adamw", "adamw 8bit", "adamw_8bit"],
        &[("state_bits", This("8"))],
    ),
    (&["adafactor"], &[("optimizer", This("adafactor"))]),
    (&["lion"], &[("optimizer", This("lion"))]),
    (&["muon"], &[("optimizer", This("muon"))]),
    (&["sgd"], &[("optimizer", This("sgd"))]),
    (
        &["fused adam", "fused adamw", "fused cpu adam", "fused cpu adamw"],
        &[("optimizer_kernels", This("fused"))],
    ),
    (
        &[
            "parameters and optimizer in host memory",
            "parameters and optimizer on the host",
            "parameters offloaded",
            "offloaded parameters",
            "parameter offload",
        ],
        &[("offload_parameters", This("1")), ("offload_optimizer", This("1"))],
    ),
    (
        &["optimizer on the host", "optimizer in host memory", "states on the host", "cpu adam", "cpu adamw"],
        &[("offload_optimizer", This("1"))],
    ),
    (
        &["optimizer offloaded", "offloaded optimizer", "optimizer offload"],
        &[("offload_optimizer", This("1"))],
    ),
    (
        &[
            "activations on the host",
            "activations in host memory",
            "activations offloaded",
            "checkpoints on the host",
            "checkpoints in host memory",
            "activation offload",
            "activation offloading",
        ],
        &[("offload_activations", This("1"))],
    ),
    (
        &["gradients reduced at each", "gradients reduced in each", "reduced with every micro batch"],
        &[("reduce_each", This("1"))],
    ),
    (&["with mtp", "with the mtp layer", "with its mtp layer"], &[("prediction_layers", This("1"))]),
    (&["real routing", "learned routing"], &[("routing", This("learned"))]),
    (&["routing forced even", "even routing", "forced balance"], &[("routing", This("even"))]),
    (&["deepep", "hybridep"], &[("dispatcher", This("deepep"))]),
    (&["nccl all to all", "all to all dispatcher"], &[("dispatcher", This("all-to-all"))]),
    (&["etp"], &[("expert_tensor", Number(&["etp"], ""))]),
    (&["no cuda graphs", "without cuda graphs", "cuda graphs off"], &[("part_graphs", This("0"))]),
    (&["infiniband"], &[("transport", This("ib"))]),
    (&["efa"], &[("transport", This("efa"))]),
    (&["roce"], &[("transport", This("roce"))]),
    (&["slingshot"], &[("transport", This("slingshot"))]),
    (&["omni path"], &[("transport", This("omni-path"))]),
    (&["tcp", "over sockets"], &[("transport", This("tcp"))]),
    (&["dualpipe"], &[("schedule", This("dualpipe"))]),
    (&["ulysses"], &[("context_exchange", This("all-to-all"))]),
];

/// What the notes of a row say, by column.
#[derive(Debug, Default)]
pub(super) struct NoteWords<'a>(Vec<(&'static str, &'a str)>);

impl<'a> NoteWords<'a> {
    /// Reads the columns `flag` and `notes` for columns that are blank.
    pub(super) fn read(get: &impl Fn(&str) -> &'a str) -> Self {
        let sentences: Vec<Sentence> = sentences(get("flag")).chain(sentences(get("notes"))).collect();
        let mut found: Vec<(&str, &str)> = Vec::new();
        for (phrases, says) in &SAYINGS {
            let says_it = |sentence: &&Sentence| {
                sentence.iter().any(|clause| phrases.iter().any(|phrase| has(clause, phrase)))
            };
            let Some(sentence) = sentences.iter().find(says_it) else { continue };
            for (column, what) in *says {
                if get(column).is_empty() && found.iter().all(|entry| entry.0 != *column) {
                    found.push((column, what.of(sentence)));
                }
            }
        }
        found.retain(|entry| !entry.1.is_empty());
        Self(found)
    }

    /// What a column holds; empty where nothing is said of it.
    pub(super) fn column(&self, name: &str) -> &'a str {
        self.0.iter().find(|entry| entry.0 == name).map_or("", |entry| entry.1)
    }

    /// What was read, as text.
    pub(super) fn said(&self) -> impl Iterator<Item = String> {
        self.0.iter().map(|(column, value)| format!("{column} {value}, by its notes"))
    }
}

impl WordMeaning {
    /// The value, of the sentence that says it.
    fn of<'a>(self, sentence: &[Clause<'a>]) -> &'a str {
        match self {
            This(value) => value,
            Number(words, usual) => {
                let behind = |clause: &Clause<'a>, word: &&str| {
                    let at = position(clause, word)?.checked_add(word.split(' ').count())?;
                    let counts =
                        |text: &&&str| text.bytes().all(|byte| byte.is_ascii_digit()) && **text != "0";
                    clause.get(at).filter(counts).copied()
                };
                let number = |clause: &Clause<'a>| words.iter().find_map(|word| behind(clause, word));
                sentence.iter().find_map(number).unwrap_or(usual)
            }
        }
    }
}

/// Words in their order.
type Clause<'a> = Vec<&'a str>;

/// The text outside of brackets, then inside of each pair.
type Sentence<'a> = Vec<Clause<'a>>;

/// What speaks of the row's run, sentence by sentence.
fn sentences(text: &str) -> impl Iterator<Item = Sentence<'_>> {
    let (mut depth, mut last) = (0_u32, ' ');
    let ends = move |letter: char| {
        depth = match letter {
            '(' => depth.saturating_add(1),
            ')' => depth.saturating_sub(1),
            _ => depth,
        };
        let stops = letter == ';' || letter == ' ' && last == '.';
        last = letter;
        stops && depth == 0
    };
    text.split(ends).map(|sentence| {
        let (mut outside, mut inside): (Clause, Vec<Clause>) = Default::default();
        let mut depth = 0_u32;
        for part in sentence.split_inclusive(['(', ')']) {
            let found = words(part.trim_end_matches(['(', ')']));
            match inside.last_mut().filter(|_| depth > 0) {
                Some(clause) => clause.extend(found),
                None => outside.extend(found),
            }
            if part.ends_with('(') {
                depth = depth.saturating_add(1);
                if depth == 1 {
                    inside.push(Clause::new());
                }
            } else if part.ends_with(')') {
                depth = depth.saturating_sub(1);
            }
        }
        if is_denied(&outside) {
            return Vec::new();
        }
        [outside].into_iter().chain(inside.into_iter().filter(|inner| !is_denied(inner))).collect()
    })
}

/// Words and commas: no phrase goes on behind a comma, as "flash attention, 4 micro-batches" shows. Paths and addresses say nothing.
fn words(text: &str) -> impl Iterator<Item = &str> {
    // An underscore joins: the q_lora of latent attention is not an adapter.
    let apart = |letter: char| !letter.is_ascii_alphanumeric() && letter != '_' && letter != ',';
    let said = text.split_whitespace().map(|part| if part.contains('/') { "," } else { part });
    let parts = said.flat_map(move |part| part.split(apart)).flat_map(|part| part.split_inclusive(','));
    let with_comma = parts.flat_map(|part| part.strip_suffix(',').map_or([part, ""], |word| [word, ","]));
    with_comma.filter(|word| !word.is_empty())
}

fn is_denied(clause: &[&str]) -> bool {
    DENIED.iter().any(|phrase| has(clause, phrase))
}

fn has(clause: &[&str], phrase: &str) -> bool {
    position(clause, phrase).is_some()
}

/// First position of a phrase in a clause that no nearby word negates, ignoring case.
fn position(clause: &[&str], phrase: &str) -> Option<usize> {
    let length = phrase.split(' ').count();
    let is = |at: usize, wanted: &str| clause.get(at).is_some_and(|word| word.eq_ignore_ascii_case(wanted));
    let reads = |at: usize, phrase: &str| (at..).zip(phrase.split(' ')).all(|(at, word)| is(at, word));
    (0..clause.len()).find(|at| {
        let before = at.checked_sub(1);
        let taken_back = before.is_some_and(|before| TAKES_BACK.iter().any(|word| is(before, word)))
            || TAKEN_BACK.iter().any(|words| reads(at.saturating_add(length), words));
        reads(*at, phrase) && !taken_back
    })
}
