//! Rank placement: the order of the parallel axes over the machines, and the resulting groups.

use crate::error::FieldError;
use crate::scenario::Scenario;
use crate::scenario::plan::Mapping;
use crate::step::{ProcessGroup, shard_replicas};

/// A parallel axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ParallelAxis {
    /// Tensor parallel.
    Tensor,
    /// Context parallel.
    Context,
    /// Data parallel.
    Data,
    /// Pipeline parallel.
    Pipeline,
}

impl ParallelAxis {
    const ALL: [Self; 4] = [Self::Tensor, Self::Context, Self::Data, Self::Pipeline];

    const fn letter(self) -> char {
        match self {
            Self::Tensor => 't',
            Self::Context => 'c',
            Self::Data => 'd',
            Self::Pipeline => 'p',
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Tensor => "tensor",
            Self::Context => "context",
            Self::Data => "data",
            Self::Pipeline => "pipeline",
        }
    }
}

/// Order of the axes over the machines, innermost (neighbouring GPUs) first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AxisOrder([ParallelAxis; 4]);

impl From<Mapping> for AxisOrder {
    fn from(mapping: Mapping) -> Self {
        match mapping {
            Mapping::TensorDataPipeline => Self([
                ParallelAxis::Tensor,
                ParallelAxis::Context,
                ParallelAxis::Data,
                ParallelAxis::Pipeline,
            ]),
            Mapping::TensorPipelineData => Self([
                ParallelAxis::Tensor,
                ParallelAxis::Context,
                ParallelAxis::Pipeline,
                ParallelAxis::Data,
            ]),
        }
    }
}

impl AxisOrder {
    /// Parses an order: the axes' first letters from neighbouring GPUs outwards, such as `tdp` (the default) or `tpd`
    /// (the customised mapping of APNet'24). Without a `c`, context follows tensor.
    ///
    /// # Errors
    /// If an axis is missing, repeated or unknown.
    pub fn parse(text: &str) -> Result<Self, FieldError> {
        let refused = || {
            let message = format!(
                "{text:?} is not a valid order. Write t (TP), d (DP) and p (PP) once each, and c (CP) if it does not follow t."
            );
            FieldError::new("map", message).suggest(["tdp".to_owned(), "tpd".to_owned()])
        };
        let mut axes = Vec::with_capacity(4);
        for letter in text.trim().chars().flat_map(char::to_lowercase) {
            let axis =
                ParallelAxis::ALL.into_iter().find(|axis| axis.letter() == letter).ok_or_else(refused)?;
            if axes.contains(&axis) {
                return Err(refused());
            }
            axes.push(axis);
        }
        if !axes.contains(&ParallelAxis::Context) {
            let tensor = axes.iter().position(|axis| *axis == ParallelAxis::Tensor).ok_or_else(refused)?;
            axes.insert(tensor + 1, ParallelAxis::Context);
        }
        <[ParallelAxis; 4]>::try_from(axes).map(Self).map_err(|_| refused())
    }

    /// The axes, innermost first.
    pub fn axes(&self) -> [ParallelAxis; 4] {
        self.0
    }

    /// The name of the order: the axes' letters, without context where it follows tensor.
    pub fn name(&self) -> String {
        let letters: String = self.0.iter().map(|axis| axis.letter()).collect();
        letters.replace("tc", "t")
    }

    /// The axes in words: `tensor, context, data, pipeline`.
    pub fn words(&self) -> String {
        self.0.map(ParallelAxis::name).join(", ")
    }
}

/// Every rank's coordinates on the axes, and the axes' groups.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DeviceMesh {
    order: AxisOrder,
    sizes: [u32; 4],
    strides: [u32; 4],
    /// Ranks of the data axis that share one copy of sharded parameters (HSDP: those of a machine).
    shard: u32,
    expert: u32,
    expert_tensor: u32,
}

impl DeviceMesh {
    /// Rank placement of a scenario under an axis order.
    pub fn new(scenario: &Scenario, order: AxisOrder) -> Self {
        let plan = &scenario.plan;
        let replicas = scenario.data_parallel();
        let mut sizes = [1; 4];
        for (axis, size) in [
            (ParallelAxis::Tensor, plan.tensor_parallel),
            (ParallelAxis::Context, plan.context_parallel),
            (ParallelAxis::Data, replicas),
            (ParallelAxis::Pipeline, plan.pipeline_parallel),
        ] {
            if let Some(slot) = sizes.get_mut(axis as usize) {
                *slot = size.max(1);
            }
        }
        let mut mesh = Self {
            order,
            sizes,
            strides: [1; 4],
            shard: replicas,
            expert: plan.expert_parallel.max(1),
            expert_tensor: plan.expert_tensor_parallel.max(1),
        };
        let mut stride = 1_u32;
        for axis in order.0 {
            if let Some(slot) = mesh.strides.get_mut(axis as usize) {
                *slot = stride;
            }
            stride = stride.saturating_mul(mesh.size(axis));
        }
        if plan.shards_in_groups() {
            mesh.shard = shard_replicas(scenario);
        }
        mesh
    }

    /// The axis order.
    pub fn order(&self) -> AxisOrder {
        self.order
    }

    /// Number of ranks.
    pub fn ranks(&self) -> u32 {
        self.sizes.iter().fold(1, |product, size| product.saturating_mul(*size))
    }

    /// Ranks along an axis.
    pub fn size(&self, axis: ParallelAxis) -> u32 {
        self.sizes.get(axis as usize).copied().unwrap_or(1)
    }

    /// GPUs from one rank to the next along an axis.
    pub fn stride(&self, axis: ParallelAxis) -> u32 {
        self.strides.get(axis as usize).copied().unwrap_or(1)
    }

    /// A rank's coordinate on an axis, from 0.
    pub fn coordinate(&self, rank: u32, axis: ParallelAxis) -> u32 {
        rank / self.stride(axis) % self.size(axis)
    }

    /// The rank with another coordinate on an axis.
    pub fn moved(&self, rank: u32, axis: ParallelAxis, coordinate: u32) -> u32 {
        let stride = self.stride(axis);
        rank - self.coordinate(rank, axis) * stride + coordinate % self.size(axis) * stride
    }

    /// Ranks of a process group; nothing for those between stages, which are not digits of a rank's number.
    pub fn members(&self, group: ProcessGroup) -> Option<Members> {
        let [expert_tensor, experts, expert_data] = self.experts();
        match group {
            ProcessGroup::Tensor => Some(self.along(ParallelAxis::Tensor)),
            ProcessGroup::Context => Some(self.along(ParallelAxis::Context)),
            ProcessGroup::Data => Some(self.data()),
            ProcessGroup::Shard => Some(self.shard()),
            ProcessGroup::Replicas => Some(self.replicas()),
            ProcessGroup::Experts => Some(experts),
            ProcessGroup::ExpertTensor => Some(expert_tensor),
            ProcessGroup::ExpertData => Some(expert_data),
            ProcessGroup::Pipeline | ProcessGroup::FirstAndLast => None,
        }
    }

    /// Ranks that differ on one axis only.
    pub fn along(&self, axis: ParallelAxis) -> Members {
        Members::new([(self.stride(axis), self.size(axis))])
    }

    /// Ranks that hold the same parameters: data-parallel times context-parallel.
    pub fn data(&self) -> Members {
        let digit = |axis| (self.stride(axis), self.size(axis));
        Members::new([digit(ParallelAxis::Context), digit(ParallelAxis::Data)])
    }

    /// Ranks over which one copy of sharded parameters is spread.
    pub fn shard(&self) -> Members {
        let context = (self.stride(ParallelAxis::Context), self.size(ParallelAxis::Context));
        Members::new([context, (self.stride(ParallelAxis::Data), self.shard)])
    }

    /// Ranks that one expert is split over, that a layer's experts are assigned to, and that hold the same
    /// experts. They are assigned from the stage's ranks in that order, innermost axis first.
    pub fn experts(&self) -> [Members; 3] {
        let mut left = [self.expert_tensor, self.expert, u32::MAX];
        let mut groups = [[(1, 1); DIGITS]; 3];
        let axes = self.order.0.into_iter().filter(|axis| *axis != ParallelAxis::Pipeline);
        for (place, axis) in axes.enumerate() {
            let (mut stride, mut size) = (self.stride(axis), self.size(axis));
            for (left, digits) in left.iter_mut().zip(&mut groups) {
                let taken = if *left == u32::MAX { size } else { common(size, *left) };
                if let Some(digit) = digits.get_mut(place) {
                    *digit = (stride, taken);
                }
                stride = stride.saturating_mul(taken);
                size /= taken.max(1);
                if *left != u32::MAX {
                    *left /= taken.max(1);
                }
            }
        }
        groups.map(Members::new)
    }

    /// Ranks that hold the same shard of different copies (HSDP).
    pub fn replicas(&self) -> Members {
        let stride = self.stride(ParallelAxis::Data).saturating_mul(self.shard);
        Members::new([(stride, self.size(ParallelAxis::Data) / self.shard.max(1))])
    }
}

/// The members of one kind of group: ranks that differ in up to three digits of their number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Members {
    /// Stride and size of each digit, the smaller stride first.
    digits: [(u32, u32); DIGITS],
}

/// Axes that one group can span: tensor, context and data.
const DIGITS: usize = 3;

impl Members {
    fn new<const N: usize>(digits: [(u32, u32); N]) -> Self {
        let mut members = Self { digits: [(1, 1); DIGITS] };
        for (slot, digit) in members.digits.iter_mut().zip(digits) {
            *slot = digit;
        }
        members.digits.sort_by_key(|digit| if digit.1 > 1 { digit.0 } else { u32::MAX });
        members.digits = members.digits.map(|(stride, size)| (stride.max(1), size.max(1)));
        members
    }

    /// Members of the group.
    pub fn size(&self) -> u32 {
        self.digits.iter().fold(1, |product, digit| product.saturating_mul(digit.1))
    }

    /// A rank's index in its group, in rank order.
    pub fn position(&self, rank: u32) -> u32 {
        let place = |(position, unit), (stride, size): &(u32, u32)| {
            (position + rank / stride % size * unit, unit * size)
        };
        self.digits.iter().fold((0, 1), place).0
    }

    /// The member of a rank's group at an index; indices beyond the group wrap around.
    pub fn member(&self, rank: u32, position: u32) -> u32 {
        let moved = |(rank, position), (stride, size): &(u32, u32)| {
            let own: u32 = rank / stride % size;
            (rank - own * stride + position % size * stride, position / size)
        };
        self.digits.iter().fold((rank, position), moved).0
    }

    /// Every member of a rank's group, in the order of ranks.
    pub fn of(self, rank: u32) -> impl Iterator<Item = u32> {
        (0..self.size()).map(move |position| self.member(rank, position))
    }

    /// The member after a rank, around the ring.
    pub fn successor(&self, rank: u32) -> u32 {
        self.member(rank, self.position(rank) + 1)
    }

    /// The member before a rank, around the ring.
    pub fn predecessor(&self, rank: u32) -> u32 {
        self.member(rank, self.position(rank) + self.size() - 1)
    }
}

/// Greatest common divisor.
fn common(a: u32, b: u32) -> u32 {
    if b == 0 { a } else { common(b, a % b) }
}
