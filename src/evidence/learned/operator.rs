//! The operators that samples are measured of, with the workloads of arXiv 2509.22832 (its Table I).
//!
//! A workload is the vector of sizes that an operator's time depends on. `b` is the micro-batch, `l` the sequence,
//! `d` the hidden size, `h` the heads, `t` the tensor-parallel degree; `//` is integer division, and
//! `V = 128 ceil(50257 / 128 t)` the padded vocabulary of a rank, as the samples have it.

use serde::{Deserialize, Serialize};

macro_rules! operators {
    ($($(#[doc = $doc:literal])+ $name:ident = $file:literal, $kind:ident, [$($column:literal),+],
        [$($size:literal),+], $workload:expr;)+) => {
        /// An operator that is priced on its own.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        pub enum SampledOperator {
            $($(#[doc = $doc])+ $name,)+
        }

        /// Every operator.
        pub const OPERATORS: &[SampledOperator] = &[$(SampledOperator::$name,)+];

        impl SampledOperator {
            /// The name of the operator in sample files.
            pub fn file(self) -> &'static str {
                match self { $(Self::$name => $file,)+ }
            }

            /// What its time is made of.
            pub fn kind(self) -> SampledKind {
                match self { $(Self::$name => SampledKind::$kind,)+ }
            }

            /// Columns of its sample file, durations aside.
            pub fn columns(self) -> &'static [&'static str] {
                match self { $(Self::$name => &[$($column),+],)+ }
            }

            /// Names of its workload's sizes.
            pub fn sizes(self) -> &'static [&'static str] {
                match self { $(Self::$name => &[$($size),+],)+ }
            }

            /// Workload of a row of its sample file, the columns in the order of [`SampledOperator::columns`].
            pub fn workload(self, row: &[f64]) -> OperatorWorkload {
                let at = |index: usize| row.get(index).copied().unwrap_or(0.0);
                let sizes: fn(&dyn Fn(usize) -> f64) -> OperatorSizes = match self { $(Self::$name => $workload,)+ };
                OperatorWorkload { operator: self, sizes: sizes(&at) }
            }
        }
    };
}

/// What an operator's time is made of: decides its closed form.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SampledKind {
    /// One matrix product forward, two backward; batched or not.
    Product,
    /// Fused attention.
    Attention,
    /// Kernels bound by device memory.
    Stream,
    /// A parameter update.
    Update,
    /// Communication.
    Link,
}

/// Sizes of a workload; those an operator does not have are zero.
pub type OperatorSizes = [f64; 4];

/// What one call of an operator works on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OperatorWorkload {
    /// The operator.
    pub operator: SampledOperator,
    /// Sizes of the call, as [`SampledOperator::sizes`] names them.
    pub sizes: OperatorSizes,
}

impl OperatorWorkload {
    /// A workload from its sizes; those left out are zero.
    pub fn new(operator: SampledOperator, sizes: &[f64]) -> Self {
        let mut own = OperatorSizes::default();
        for (slot, size) in own.iter_mut().zip(sizes) {
            *slot = *size;
        }
        Self { operator, sizes: own }
    }

    /// The workload under the operator that shares its kernels: all linears are matrix products, the optimizer of a
    /// stage updates so many parameters, and a large all-reduce is an all-reduce.
    #[must_use]
    pub fn pooled(&self) -> Self {
        let [a, b, c, _] = self.sizes;
        match self.operator {
            SampledOperator::Linear1
            | SampledOperator::Linear2
            | SampledOperator::Linear3
            | SampledOperator::Linear4
            | SampledOperator::LinearFinal => Self { operator: SampledOperator::Gemm, ..*self },
            SampledOperator::FirstStageOptimizer
            | SampledOperator::MiddleStageOptimizer
            | SampledOperator::LastStageOptimizer => {
                let parameters = super::amounts::stage_parameters(self);
                Self::new(SampledOperator::StageOptimizer, &[c, b, parameters])
            }
            SampledOperator::AllReduceLarge => Self::new(SampledOperator::AllReduce, &[a, b, c]),
            _ => *self,
        }
    }

    /// The sizes that the operator has.
    pub fn used(&self) -> &[f64] {
        self.sizes.get(..self.operator.sizes().len()).unwrap_or_default()
    }
}

/// Vocabulary of GPT-2, which every sample was taken with.
pub const SAMPLED_VOCABULARY: f64 = 50_257.0;

/// Vocabulary of one of `t` tensor-parallel ranks, padded to a multiple of 128 per rank.
pub fn rank_vocabulary(vocabulary: f64, t: f64) -> f64 {
    (vocabulary / (128.0 * t.max(1.0))).ceil() * 128.0
}

/// Integer division.
fn per(whole: f64, parts: f64) -> f64 {
    (whole / parts.max(1.0)).floor()
}

fn vocabulary(t: f64) -> f64 {
    rank_vocabulary(SAMPLED_VOCABULARY, t)
}

operators! {
    /// Token and position embedding.
    Embedding = "embedding", Stream, ["mp", "b", "l", "dim"], ["tokens", "vocabulary", "hidden"],
        |c| [c(1) * c(2), vocabulary(c(0)), c(3), 0.0];
    /// LayerNorm.
    LayerNorm = "layernorm", Stream, ["b", "l", "dim"], ["micro-batch", "sequence", "hidden"],
        |c| [c(0), c(1), c(2), 0.0];
    /// RMSNorm of separate 32-bit kernels.
    RmsNorm = "RMSlayernorm", Stream, ["b", "l", "dim"], ["micro-batch", "sequence", "hidden"],
        |c| [c(0), c(1), c(2), 0.0];
    /// Query, key and value projection.
    Linear1 = "linear1", Product, ["mp", "b", "l", "dim"], ["rows", "inner", "columns"],
        |c| [c(1) * c(2), c(3), per(3.0 * c(3), c(0)), 0.0];
    /// Attention's output projection.
    Linear2 = "linear2", Product, ["mp", "b", "l", "dim"], ["rows", "inner", "columns"],
        |c| [c(1) * c(2), per(c(3), c(0)), c(3), 0.0];
    /// Up projection of the feed-forward network.
    Linear3 = "linear3", Product, ["mp", "b", "l", "dim"], ["rows", "inner", "columns"],
        |c| [c(1) * c(2), c(3), per(4.0 * c(3), c(0)), 0.0];
    /// Down projection of the feed-forward network.
    Linear4 = "linear4", Product, ["mp", "b", "l", "dim"], ["rows", "inner", "columns"],
        |c| [c(1) * c(2), per(4.0 * c(3), c(0)), c(3), 0.0];
    /// Language-model head.
    LinearFinal = "linear_final", Product, ["mp", "b", "l", "dim"], ["rows", "inner", "columns"],
        |c| [c(1) * c(2), c(3), vocabulary(c(0)), 0.0];
    /// Rotary position embedding.
    Rope = "RoPE", Stream, ["mp", "b", "h", "l", "dim"], ["sequence", "micro-batch", "heads", "head width"],
        |c| [c(3), c(1), per(c(2), c(0)), per(c(4), c(2))];
    /// FlashAttention, every score computed (not causal), as it was sampled.
    FlashAttention = "flash_atten", Attention, ["mp", "b", "h", "l", "dim"],
        ["micro-batch", "sequence", "heads", "head width"],
        |c| [c(1), c(3), per(c(2), c(0)), per(c(4), c(2))];
    /// FlashAttention that skips what the causal mask hides.
    CausalAttention = "causal_atten", Attention, ["mp", "b", "h", "l", "dim"],
        ["micro-batch", "sequence", "heads", "head width"],
        |c| [c(1), c(3), per(c(2), c(0)), per(c(4), c(2))];
    /// Scores of unfused attention: queries times keys.
    Scores = "baddbmm", Product, ["mp", "b", "h", "l", "dim"], ["batch", "rows", "inner", "columns"],
        |c| [c(1) * per(c(2), c(0)), c(3), per(c(4), c(2)), c(3)];
    /// Mask of unfused attention.
    FillMask = "fillmask", Stream, ["mp", "b", "h", "l", "dim"], ["micro-batch", "heads", "sequence", "hidden"],
        |c| [c(1), per(c(2), c(0)), c(3), c(4)];
    /// Softmax of unfused attention.
    Softmax = "softmax", Stream, ["mp", "b", "h", "l"], ["micro-batch", "heads", "queries", "keys"],
        |c| [c(1), per(c(2), c(0)), c(3), c(3)];
    /// Scale, causal mask and softmax in one kernel.
    FusedSoftmax = "ScaledUpperTriangMaskedSoftmax", Stream, ["mp", "b", "h", "l"], ["batch", "queries", "keys"],
        |c| [c(1) * per(c(2), c(0)), c(3), c(3), 0.0];
    /// Output of unfused attention: scores times values.
    Values = "bmm", Product, ["mp", "b", "h", "l", "dim"], ["batch", "rows", "inner", "columns"],
        |c| [c(1) * per(c(2), c(0)), c(3), c(3), per(c(4), c(2))];
    /// GELU.
    Gelu = "gelu", Stream, ["mp", "b", "l", "dim"], ["sequence", "micro-batch", "width"],
        |c| [c(2), c(1), per(4.0 * c(3), c(0)), 0.0];
    /// Residual addition.
    ResidualAdd = "res_add", Stream, ["b", "l", "dim"], ["micro-batch", "sequence", "hidden"],
        |c| [c(0), c(1), c(2), 0.0];
    /// Vocabulary-parallel cross-entropy, its all-reduces left out.
    CrossEntropy = "parallel_cross_entropy_128", Stream, ["mp", "b", "l"],
        ["micro-batch", "sequence", "vocabulary"],
        |c| [c(1), c(2), vocabulary(c(0)), 0.0];
    /// Optimizer step of the first pipeline stage.
    FirstStageOptimizer = "firstStage_optimizer", Update, ["mp", "dim", "encoders"],
        ["TP", "hidden", "layers"], |c| [c(0), c(1), c(2), 0.0];
    /// Optimizer step of a stage between the first and the last.
    MiddleStageOptimizer = "middleStage_optimizer", Update, ["mp", "dim", "encoders"],
        ["TP", "hidden", "layers"], |c| [c(0), c(1), c(2), 0.0];
    /// Optimizer step of the last pipeline stage.
    LastStageOptimizer = "lastStage_optimizer", Update, ["mp", "dim", "encoders"],
        ["TP", "hidden", "layers"], |c| [c(0), c(1), c(2), 0.0];
    /// Optimizer step of a whole model.
    Optimizer = "optimizer", Update, ["num_layers", "hidden_size", "param_tensors", "params"],
        ["layers", "hidden", "tensors", "parameters"], |c| [c(0), c(1), c(2), c(3)];
    /// Optimizer step of any stage, by the parameters that one of its ranks updates.
    StageOptimizer = "stage_optimizer", Update, ["encoders", "dim", "params"], ["layers", "hidden", "parameters"],
        |c| [c(0), c(1), c(2), 0.0];
    /// All-reduce of activations.
    AllReduce = "allreduce", Link, ["shape", "nodes", "GPUsPerNode"], ["elements", "nodes", "GPUs per node"],
        |c| [c(0), c(1), c(2), 0.0];
    /// All-reduce of gradients.
    AllReduceLarge = "allreduce_large", Link, ["shape", "nodes", "GPUsPerNode"],
        ["elements", "nodes", "GPUs per node"], |c| [c(0), c(1), c(2), 0.0];
    /// All-gather of parameters; elements of one rank's shard.
    AllGather = "allgather_large", Link, ["shape", "nodes", "GPUsPerNode"],
        ["elements", "nodes", "GPUs per node"], |c| [c(0), c(1), c(2), 0.0];
    /// Transfer between pipeline stages.
    PointToPoint = "p2p", Link, ["shape", "nodes", "GPUsPerNode"], ["elements", "nodes", "GPUs per node"],
        |c| [c(0), c(1), c(2), 0.0];
    /// Reduce-scatter; elements of one rank's input.
    ReduceScatter = "reduce_scatter", Link, ["shape", "nodes", "GPUsPerNode"],
        ["elements", "nodes", "GPUs per node"], |c| [c(0), c(1), c(2), 0.0];
    /// All-to-all; elements of one rank's input.
    AllToAll = "all_to_all", Link, ["shape", "nodes", "GPUsPerNode"], ["elements", "nodes", "GPUs per node"],
        |c| [c(0), c(1), c(2), 0.0];
    /// Any single matrix product.
    Gemm = "gemm", Product, ["m", "n", "k"], ["rows", "inner", "columns"], |c| [c(0), c(2), c(1), 0.0];
    /// The products of several experts in one kernel; rows of one expert.
    GroupedGemm = "grouped_gemm", Product, ["groups", "m", "n", "k"], ["batch", "rows", "inner", "columns"],
        |c| [c(0), c(1), c(3), c(2)];
    /// SwiGLU: the gate's activation times the other branch.
    SwiGlu = "swiglu", Stream, ["b", "l", "ffn"], ["micro-batch", "sequence", "width"],
        |c| [c(0), c(1), c(2), 0.0];
}

impl SampledOperator {
    /// Whether it has a forward and a backward pass of their own.
    pub fn is_differentiated(self) -> bool {
        !matches!(self.kind(), SampledKind::Update | SampledKind::Link) && self != Self::Gemm
    }

    /// Operator of a sample file, by its name without folder: `linear1.csv`, or as the authors' tool names it,
    /// `NVIDIAA100-SXM4-80GB_allreduce_large_fp16_1_4.csv`.
    pub fn of_file(name: &str) -> Option<Self> {
        let mut stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
        // Nodes and GPUs per node are columns, too.
        for _ in 0..2 {
            if let Some((rest, tail)) = stem.rsplit_once('_')
                && !tail.is_empty()
                && tail.bytes().all(|byte| byte.is_ascii_digit())
                && tail != "128"
            {
                stem = rest;
            }
        }
        let stem = ["_fp16", "_bf16", "_fp32"].iter().find_map(|end| stem.strip_suffix(end)).unwrap_or(stem);
        let fits = |operator: &&Self| {
            stem.strip_suffix(operator.file()).is_some_and(|rest| rest.is_empty() || rest.ends_with('_'))
        };
        OPERATORS.iter().filter(fits).max_by_key(|operator| operator.file().len()).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::{OPERATORS, SampledOperator};

    #[test]
    fn files_are_recognised_by_name() {
        for operator in OPERATORS {
            assert_eq!(SampledOperator::of_file(&format!("{}.csv", operator.file())), Some(*operator));
        }
        for (name, operator) in [
            ("allreduce_1_2.csv", SampledOperator::AllReduce),
            ("allreduce_large_8_1.csv", SampledOperator::AllReduceLarge),
            ("NVIDIAA100-SXM4-80GB_allgather_large_fp16_1_4.csv", SampledOperator::AllGather),
            ("NVIDIAGH200120GB_parallel_cross_entropy_128_fp16.csv", SampledOperator::CrossEntropy),
            ("NVIDIAA100-SXM4-80GB_firstStage_optimizer_fp16.csv", SampledOperator::FirstStageOptimizer),
        ] {
            assert_eq!(SampledOperator::of_file(name), Some(operator), "{name}");
        }
        for name in ["models.csv", "README.md", "predictions.csv"] {
            assert_eq!(SampledOperator::of_file(name), None, "{name}");
        }
    }

    #[test]
    fn workloads_are_those_of_the_paper() {
        let linear1 = SampledOperator::Linear1.workload(&[4.0, 2.0, 1024.0, 6144.0]);
        assert_eq!(linear1.used(), [2048.0, 6144.0, 4608.0]);
        let head = SampledOperator::LinearFinal.workload(&[8.0, 4.0, 2048.0, 5120.0]);
        assert_eq!(head.used(), [8192.0, 5120.0, 6400.0]);
        let rope = SampledOperator::Rope.workload(&[2.0, 4.0, 32.0, 4096.0, 4096.0]);
        assert_eq!(rope.used(), [4096.0, 4.0, 16.0, 128.0]);
    }
}
