//! Muon's orthogonalisation of the layers' matrices, and what ranks that hold parts of a matrix exchange for it.

use super::emit::Emitter;
use super::module::{ExpertPart, LayerPart};
use super::{Call, HALF, Module, Overlap, Parallelism, Pass, Place, ProcessGroup, Program, SINGLE};
use crate::cost::{Collective, Gemm, Work};
use crate::scenario::MuonWay;
use crate::scenario::plan::stages::StageParameters;

/// Newton-Schulz iterations that Muon runs on every matrix.
const MUON_STEPS: f64 = 5.0;

/// Bytes of an element of the momentum that ranks gather and exchange (Emerging-Optimizers, `newton_schulz_tp`:
/// `all_gather` of the 32-bit update).
const MOMENTUM: f64 = 4.0;
/// Bytes of an element of a Gram matrix that ranks sum: the format of the products (Emerging-Optimizers,
/// `newton_schulz_step`: `all_reduce` of `X X'` in BF16).
const GRAM: f64 = 2.0;
/// Exchanges of a matrix with the rank that computes it: there and back (Megatron-LM pull request 6683).
const EXCHANGES: f64 = 2.0;

/// Which side of a matrix a tensor-parallel group splits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Split {
    Rows,
    Columns,
    /// Every rank has the whole matrix.
    Nowhere,
}

/// Equal matrices on one rank, and the ranks that hold the other parts of each.
#[derive(Debug, Clone, Copy)]
struct Matrices {
    /// Rows and columns on a rank, after its shards are gathered.
    local: [f64; 2],
    /// Rows and columns of the whole matrix.
    whole: [f64; 2],
    /// How many there are on the rank.
    count: f64,
    /// Side of the Gram matrices that ranks can sum: the one that no rank holds a part of, else the shorter.
    gram: f64,
    /// Groups that hold the other parts, with their sizes: shards, then tensor-parallel parts.
    groups: [(ProcessGroup, f64); 2],
}

impl Matrices {
    /// Ranks that hold parts of a matrix.
    fn ranks(&self) -> f64 {
        self.groups.iter().map(|(_, size)| size).product()
    }
}

impl Program<'_> {
    /// Muon's update of the layers' matrices (Jordan et al. 2024, https://kellerjordan.github.io/posts/muon): five
    /// Newton-Schulz iterations, `X <- a X + (b X X' + c (X X')^2) X`, of three products each. A rank updates its share
    /// of the matrices; [`MuonWay`] says what it does where it holds a part of each.
    pub(super) fn orthogonalise(&self, trained: &StageParameters, visit: &mut dyn FnMut(Call)) {
        let all = trained.total() - trained.ends();
        let mine = self.updated_parameters(trained) - self.share(trained.ends(), 0.0);
        let share = if all > 0.0 { mine / all } else { 0.0 };
        let held = trained.layers.iter().enumerate().filter(|(_, layers)| **layers > 0);
        for (kind, layers) in held.map(|(kind, layers)| (kind, f64::from(*layers))) {
            self.orthogonalise_layers(kind, [layers, trained.distinct(kind)], share, &mut *visit);
        }
        let encoder = trained.tower.layers;
        if encoder > 0.0 {
            self.with_tower(|tower| tower.orthogonalise_layers(0, [encoder, encoder], share, &mut *visit));
        }
    }

    /// The update of the matrices of so many layers of a kind, of which so many have weights of their own.
    fn orthogonalise_layers(
        &self,
        kind: usize,
        [layers, distinct]: [f64; 2],
        share: f64,
        visit: &mut dyn FnMut(Call),
    ) {
        self.each_matrix(kind, &mut |module, local, count| {
            let own =
                matches!(module, Module::BlockAdapterDown | Module::BlockAdapterUp | Module::BlockOutput);
            let count = count * if own { layers } else { distinct };
            self.update_matrices(module, local, (share, count), &mut *visit);
        });
    }

    /// Calls `visit` with every matrix of a layer of a kind: its module, rows and columns on a rank, and how many are equal.
    fn each_matrix(&self, kind: usize, visit: &mut dyn FnMut(Module, [f64; 2], f64)) {
        self.calls(Place::layer(kind), &mut |call| {
            if let (Pass::WeightGradient, Work::Gemm(gemm)) = (call.pass, call.work) {
                for (rows, count) in self.matrices(call.module.part(), gemm.m) {
                    let count = gemm.groups * count;
                    if count > 0.0 && rows > 0.0 && gemm.n > 0.0 {
                        visit(call.module, [rows, gemm.n], count);
                    }
                }
            }
        });
    }

    /// Bytes that a rank holds while it orthogonalises the largest matrix of the `trained` layers: the 32-bit momentum, and either a
    /// 32-bit and a 16-bit copy, or two 16-bit iterates with two Gram matrices (Emerging-Optimizers, `newton_schulz`); and what
    /// ranks gather where each works on whole matrices.
    pub(crate) fn held_by_newton_schulz(&self, trained: &StageParameters) -> f64 {
        let mut most: f64 = 0.0;
        let held = trained.layers.iter().enumerate().filter(|(_, layers)| **layers > 0);
        for (kind, _) in held {
            self.each_matrix(kind, &mut |module, local, _| most = most.max(self.held_for(module, local)));
        }
        if trained.tower.layers > 0.0 {
            self.with_tower(|tower| {
                tower.each_matrix(0, &mut |module, local, _| most = most.max(tower.held_for(module, local)));
            });
        }
        most
    }

    /// The same for a matrix of a module that has these rows and columns on a rank.
    fn held_for(&self, module: Module, local: [f64; 2]) -> f64 {
        let way = self.scenario.training.muon;
        let of = self.parts_of(module, local);
        let [part, whole] = [local, of.whole].map(|[rows, columns]| rows * columns);
        let (elements, gram) = match way {
            MuonWay::Blockwise => (part, local[0].min(local[1])),
            MuonWay::Distributed => (whole / of.ranks(), of.gram),
            MuonWay::Duplicated | MuonWay::Layer => (whole, of.whole[0].min(of.whole[1])),
        };
        let gathered = if way == MuonWay::Duplicated { MOMENTUM * elements } else { 0.0 };
        let copies = (SINGLE + HALF) * elements;
        gathered + MOMENTUM * elements + copies.max(2.0 * (HALF * elements + GRAM * gram * gram))
    }

    /// The update of so many equal matrices that have these rows and columns on a rank.
    fn update_matrices(
        &self,
        module: Module,
        local: [f64; 2],
        (share, count): (f64, f64),
        visit: &mut dyn FnMut(Call),
    ) {
        let way = self.scenario.training.muon;
        if way == MuonWay::Blockwise {
            return self.newton_schulz(short_and_long(local), MUON_STEPS * share * count, visit);
        }
        // Without sharded parameters, a rank has the whole of its share of the matrices.
        let share = if self.shards_parameters() { 1.0 } else { share };
        // The rank with the most matrices sets the pace.
        let of = Matrices { count: whole_number(share * count), ..self.parts_of(module, local) };
        let [rows, columns] = of.whole;
        let [short, long] = short_and_long(of.whole);
        let times = MUON_STEPS * of.count;
        match way {
            MuonWay::Blockwise => {}
            MuonWay::Duplicated => {
                self.gather_momentum(&of, visit);
                self.newton_schulz([short, long], times, visit);
            }
            MuonWay::Distributed => {
                let bytes = GRAM * of.gram * of.gram;
                self.exchange(&of, Module::GramReduction, Collective::AllReduce, (bytes, times), visit);
                let split = rows * columns / of.gram;
                self.newton_schulz([of.gram, split / of.ranks()], times, visit);
            }
            MuonWay::Layer => {
                // All of a kind in one exchange.
                let bytes = MOMENTUM * of.count * local[0] * local[1] / of.groups[0].1;
                let kind = Collective::AllToAll;
                self.exchange(&of, Module::MomentumExchange, kind, (bytes, EXCHANGES), visit);
                self.newton_schulz([short, long], times / of.ranks(), visit);
            }
        }
    }

    /// The whole of a matrix of a module, and the ranks that hold its parts.
    fn parts_of(&self, module: Module, local: [f64; 2]) -> Matrices {
        let experts = matches!(module.part(), LayerPart::Experts(_));
        let (of_shards, of_parts, parts) = if experts {
            (ProcessGroup::ExpertData, ProcessGroup::ExpertTensor, self.groups.expert_tensor.size)
        } else {
            (ProcessGroup::Shard, ProcessGroup::Tensor, self.groups.tensor.size)
        };
        let shards = if self.shards_parameters() { self.groups.of(of_shards).size.max(1.0) } else { 1.0 };
        let [rows, columns] = local;
        let (whole, parts) = match split(module) {
            Split::Rows => ([rows * parts, columns], parts),
            Split::Columns => ([rows, columns * parts], parts),
            Split::Nowhere => (local, 1.0),
        };
        // Shards are rows (Emerging-Optimizers, `newton_schulz_tp`: split rows are transposed, whichever side is longer).
        let side = match (shards > 1.0, split(module)) {
            (true, Split::Rows | Split::Nowhere) => Split::Rows,
            (true, Split::Columns) if parts > 1.0 => Split::Nowhere,
            (true, Split::Columns) => Split::Rows,
            (false, _) if parts <= 1.0 => Split::Nowhere,
            (false, side) => side,
        };
        let gram = match side {
            Split::Rows => whole[1],
            Split::Columns => whole[0],
            Split::Nowhere => whole[0].min(whole[1]),
        };
        let groups = [(of_shards, shards), (of_parts, parts.max(1.0))];
        Matrices { local, whole, count: 1.0, gram, groups }
    }

    /// Gathers of the whole momentum of each matrix: shards first, then tensor-parallel parts.
    fn gather_momentum(&self, of: &Matrices, visit: &mut dyn FnMut(Call)) {
        let sizes = [of.local, of.whole];
        for (group, [rows, columns]) in of.groups.into_iter().zip(sizes) {
            let bytes = MOMENTUM * rows * columns;
            let part = Matrices { groups: [group, (group.0, 1.0)], ..*of };
            let gather = Collective::AllGather;
            self.exchange(&part, Module::MomentumGather, gather, (bytes, of.count), visit);
        }
    }

    /// A collective of this many bytes and times in each group that holds parts of the matrices.
    fn exchange(
        &self,
        of: &Matrices,
        module: Module,
        kind: Collective,
        (bytes, times): (f64, f64),
        visit: &mut dyn FnMut(Call),
    ) {
        for (group, _) in of.groups.into_iter().filter(|(_, size)| *size > 1.0) {
            let axis = (Parallelism::DataParallel, group, Overlap::Nowhere);
            let mut emit = |call: Call| visit(Call { times, ..call });
            Emitter::new(self, &mut emit).collective(module, Pass::Step, kind, bytes, axis);
        }
    }

    /// Matrices in a linear layer's weights: their rows, and how many have this many rows. Query, key and value are
    /// three, the branches of a gated up-projection two.
    fn matrices(&self, part: LayerPart, rows: f64) -> [(f64, f64); 2] {
        match part {
            LayerPart::QueryKeyValue => {
                let key_values = self.shapes.projected;
                [(rows - key_values, 1.0), (0.5 * key_values, 2.0)]
            }
            LayerPart::Up | LayerPart::Experts(ExpertPart::Up) => {
                let branches = self.shapes.up_branches;
                [(rows / branches, branches), (0.0, 0.0)]
            }
            LayerPart::Norm
            | LayerPart::HeadNorm
            | LayerPart::LatentDown
            | LayerPart::LatentUp
            | LayerPart::KeyAssembly
            | LayerPart::AttentionCore
            | LayerPart::AttentionOutput
            | LayerPart::AttentionResidual
            | LayerPart::FeedForwardInput
            | LayerPart::Activation
            | LayerPart::Down
            | LayerPart::LayerOutput
            | LayerPart::Experts(
                ExpertPart::Sorting | ExpertPart::Activation | ExpertPart::Down | ExpertPart::Bias,
            )
            | LayerPart::Routing
            | LayerPart::Other => [(rows, 1.0), (0.0, 0.0)],
        }
    }

    /// The three products of an iteration, with Gram matrices of side a and b of the other side: a b a, a a a, a a b.
    fn newton_schulz(&self, [a, b]: [f64; 2], times: f64, visit: &mut dyn FnMut(Call)) {
        if times <= 0.0 {
            return;
        }
        for (n, k) in [(a, b), (a, a), (b, a)] {
            let (low_precision, accumulates, unaligned) = (false, false, false);
            let gemm = Gemm { m: a, n, k, low_precision, accumulates, groups: 1.0, unaligned };
            let mut emit = |call: Call| visit(Call { times, ..call });
            Emitter::new(self, &mut emit).kernel(Module::NewtonSchulz, Pass::Step, Work::Gemm(gemm));
        }
    }
}

/// The sides of a matrix, the shorter first: that of its Gram matrix where nothing prevents it.
fn short_and_long([rows, columns]: [f64; 2]) -> [f64; 2] {
    [rows.min(columns), rows.max(columns)]
}

/// The next whole number, but for rounding.
fn whole_number(count: f64) -> f64 {
    (count - 1e-6).ceil().max(1.0)
}

/// Which side of a module's matrix a tensor-parallel group splits: outputs of projections that read the residual stream
/// or a latent, inputs of those that write it.
fn split(module: Module) -> Split {
    match module {
        Module::QkvProjection
        | Module::QueryProjection
        | Module::QueryUp
        | Module::KeyValueUp
        | Module::MixerProjection
        | Module::MixerGateUp
        | Module::MixerMatrix
        | Module::MlpUp
        | Module::SharedUp
        | Module::ExpertUp
        | Module::BlockAdapterUp => Split::Rows,
        Module::AttentionOutput | Module::MlpDown | Module::SharedDown | Module::ExpertDown => Split::Columns,
        _ => Split::Nowhere,
    }
}
