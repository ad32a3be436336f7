# Made by `cargo xtask python types` from the JSON schema.

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, Optional, Union

from ._base import Answer, Linked

Algorithm = Literal["ring", "tree", "in-switch"]
"""All-reduce algorithm on the wire. All-gather and reduce-scatter always use rings."""

Bound = Literal["compute", "memory", "latency", "scale_up", "network", "host"]
"""Resource that bounds an operator."""

Bytes = float
"""An amount of data in bytes."""

Collective = Literal["all_reduce", "all_gather", "reduce_scatter", "all_to_all", "point_to_point"]
"""A communication pattern of a group of ranks."""

ContextExchange = Literal["ring", "all-gather", "all-to-all"]
"""Communication of attention across a CP group (`cp_comm_type` in Transformer Engine)."""

Flops = float
"""A number of floating-point operations (a multiply-add counts as two)."""

GatherOverlap = Literal["as-reduction", "overlaps", "waits"]
"""Overlap of parameter all-gathers with compute: sharded layers with the previous layer, updated shards with the next
forward pass (Megatron's `overlap_param_gather`)."""

Importance = Literal["matters", "unknown", "harmless"]
"""Relevance of an ignored setting."""

Kind = Literal["hf-config", "hub", "megatron-lm", "megatron-bridge", "torchtitan", "deepspeed", "accelerate", "training-arguments", "torchtune", "axolotl", "maxtext", "slurm", "other", "machine", "nccl-tests", "training-log", "trace"]
"""File format of another tool."""

Likeness = Literal["all", "software", "launch", "model"]
"""Common properties of a job and the most similar public runs."""

Mapping = Literal["tensor-data-pipeline", "tensor-pipeline-data"]
"""Order of the parallel axes over the machines, innermost (neighbouring GPUs) first."""

Mode = Literal["weak", "strong"]
"""Fixed batch when GPUs are added."""

Modules = int
"""A set of modules (Megatron-Core's `recompute_modules`)."""

Parallelism = Literal["tensor_parallel", "context_parallel", "expert_parallel", "pipeline_parallel", "data_parallel", "embedding_sync"]
"""Type of parallelism of a message."""

Pass = Literal["forward", "recompute", "input_gradient", "weight_gradient", "backward", "step"]
"""Pass of a training step."""

Provenance = Literal["measured", "extrapolated", "default"]
"""Basis of a learned time."""

Recompute = Union[Literal["none", "selective", "full"], dict[str, Any]]
"""Activation recomputation."""

Schedule = Literal["one-forward-one-backward", "all-forward-all-backward", "zero-bubble-h1", "zero-bubble-h2", "zero-bubble-v", "dual-pipe", "dual-pipe-v"]
"""Pipeline schedule: the order in which a stage runs the passes of its micro-batches."""

Seconds = float
"""A duration in seconds."""

StageSplit = Union[Literal["even", "count-ends"], dict[str, Any]]
"""How layers are assigned to pipeline stages."""

Tier = Literal["machine", "domain", "leaf", "spine"]
"""Slowest link between two ranks."""

Zero = Literal["none", "optimizer", "gradients", "parameters", "hybrid"]
"""Sharding over data-parallel ranks (ZeRO stage)."""



@dataclass(frozen=True)
class Assumed(Answer):
    """Value that is missing in a file."""

    field: Optional[str]
    """Field of the value, if any."""

    text: str
    """Assumed value and reason."""


@dataclass(frozen=True)
class Bottleneck(Answer):
    """Bottleneck of the step."""

    kind: str
    """Key of the largest avoidable part of the breakdown, or `compute`."""

    sentence: str
    """One or two plain sentences."""


@dataclass(frozen=True)
class Breakdown(Answer):
    """Step time breakdown, in seconds on the critical path: the slowest stage, then the pipeline
    schedule and the end of the step. The parts sum to the step time."""

    forward: Seconds
    """Forward kernels."""

    backward: Seconds
    """Backward kernels (input and weight gradients)."""

    recompute: Seconds
    """Forward kernels that run again to save memory."""

    tensor_communication: Seconds
    """Exposed TP communication."""

    context_communication: Seconds
    """Exposed CP communication."""

    expert_communication: Seconds
    """Exposed EP communication."""

    pipeline_communication: Seconds
    """Exposed PP communication."""

    data_communication: Seconds
    """Exposed DP communication (gradients, parameters, tied embeddings)."""

    bubble: Seconds
    """Pipeline bubble: idle time of the slowest stage while the pipeline fills and drains."""

    optimizer: Seconds
    """Optimizer update."""

    host: Seconds
    """Host launch overhead, fixed work per step, and stragglers."""


@dataclass(frozen=True)
class ExplainedOperator(Answer):
    """One operator of a part."""

    name: str
    """Name, for example `qkv_projection`."""

    pass_: Pass
    """Pass of the operator."""

    shape: str
    """Shape of the operands."""

    step_s: Seconds
    """Exposed time of all calls per step."""

    bound: Bound
    """Resource that bounds the operator."""


@dataclass(frozen=True)
class ExplainedPart(Answer):
    """One part of a step with its operators."""

    part: str
    """Key of the part in a breakdown."""

    label: str
    """Display name of the part."""

    time_s: Seconds
    """Time of the part."""

    share: float
    """Share of the step, 0 to 1."""

    operators: tuple[ExplainedOperator, ...]
    """Operators, largest first. The pipeline bubble and the host have none."""


@dataclass(frozen=True)
class Explanation(Linked):
    """Breakdown, bottleneck and accuracy of a forecast."""

    job: str
    """Model, machine and layout in one line."""

    step_s: Seconds
    """Time of one step."""

    low_s: Seconds
    """Lower end of the 90 % range."""

    high_s: Seconds
    """Upper end of the 90 % range."""

    bottleneck: str
    """Bottleneck of the step, in one or two sentences."""

    memory: str
    """Whether the layout fits in memory, in one sentence."""

    run: str
    """Time and cost of the training run, in one sentence."""

    parts: tuple[ExplainedPart, ...]
    """Parts of the step, largest first. They sum to the step time."""

    doubts: tuple[str, ...]
    """Reasons for a wider range; empty if there are none."""

    untried: tuple[str, ...]
    """Layout fields outside the measured runs."""

    software: tuple[str, ...]
    """Layout feature that the software does not support."""

    link: str
    """Link that opens the job, from its `#` on."""


@dataclass(frozen=True)
class Exported(Answer):
    """Job as a file of a framework."""

    for_: str
    """Name of the framework."""

    text: str
    """The file."""

    fields: tuple[str, ...]
    """Keys of fields that the file sets."""

    not_expressed: tuple[LeftOut, ...]
    """Fields that the file cannot set."""


@dataclass(frozen=True)
class FieldError(Answer):
    """One thing wrong with one field of a scenario."""

    field: str
    """Key of the field in `crate::fields::FIELDS`, for example `"tp"`."""

    message: str
    """Error and solution, in a sentence."""

    suggestions: tuple[str, ...]
    """Nearest valid values; may be empty."""


@dataclass(frozen=True)
class HiddenCommunication(Answer):
    """Communication overlapped with compute, per step."""

    tensor: Seconds
    """Tensor-parallel."""

    context: Seconds
    """Context-parallel."""

    expert: Seconds
    """Expert-parallel."""

    pipeline: Seconds
    """Pipeline."""

    data: Seconds
    """Data-parallel."""


@dataclass(frozen=True)
class HostMemory(Answer):
    """Host memory of a node, GiB. All are zero without offloading."""

    optimizer_gib: float
    """Optimizer states, 32-bit weights and gradients of its GPUs."""

    parameters_gib: float
    """Parameter shards."""

    activations_gib: float
    """Offloaded part of the activations of all micro-batches in flight."""

    needed_gib: float
    """All of it."""

    ram_gib: Optional[float] = None
    """Memory of the node; absent if it is not known."""


@dataclass(frozen=True)
class Ignored(Answer):
    """Setting without a field."""

    name: str
    """Name of the setting, as a path from the top of the file."""

    line: Optional[int]
    """Line number, from 1."""

    importance: Importance
    """Relevance for the forecast."""

    text: str
    """Reason."""


@dataclass(frozen=True)
class Imported(Linked):
    """Job read from a file of another tool."""

    kind: Kind
    """File format."""

    fields: dict[str, str]
    """Keys of fields and the values that the file sets."""

    assumed: tuple[Assumed, ...]
    """Assumed values that are missing in the file."""

    ignored: tuple[Ignored, ...]
    """Settings without a field."""

    missing: tuple[Missing, ...]
    """Required fields without a value in the file or a default of the framework."""

    measured: Optional[Measured]
    """Measured steps in the file."""

    link: Optional[str]
    """Link that opens the job, from its `#` on; nothing while something is missing."""

    errors: tuple[FieldError, ...]
    """Errors of the job; empty if the job is valid or incomplete."""


@dataclass(frozen=True)
class KindBytes(Answer):
    """Bytes of one type of parallelism."""

    kind: Parallelism
    """The kind."""

    bytes: Bytes
    """Sum over all ranks."""


@dataclass(frozen=True)
class KindTotal(Answer):
    """Sum of the messages of one rank and type."""

    kind: Parallelism
    """The kind."""

    count: int
    """Messages."""

    volume_bytes: int
    """Tensor bytes of the messages."""

    volume_share: float
    """Share of the volume of all types, 0 to 1."""

    sent_bytes: Bytes
    """Bytes sent on the wire."""

    sent_share: float
    """Share of the bytes sent by all types, 0 to 1."""


@dataclass(frozen=True)
class LayersReport(Answer):
    """The layers of one kind."""

    kind: str
    """Parts of one layer."""

    count: int
    """Number of these layers."""


@dataclass(frozen=True)
class Layout(Linked):
    """One layout of a ranking."""

    step_s: Seconds
    """Time of one step."""

    mfu: float
    """Model FLOPs utilisation, 0 to 1."""

    tokens_per_s_per_gpu: float
    """Tokens per second per GPU."""

    communication_share: float
    """Exposed communication as a share of the step, 0 to 1."""

    bubble_share: float
    """Pipeline bubble as a share of the step, 0 to 1."""

    peak_gib: float
    """Peak memory per GPU, GiB."""

    room: float
    """Memory headroom as a share of the usable memory; negative if the layout does not fit."""

    fits: bool
    """Whether the layout fits in memory."""

    fit_probability: float
    """Probability that it runs within the usable memory."""

    plan: PlanReport
    """The layout."""

    link: str
    """Link that opens the job in this layout, from its `#` on."""

    family: Optional[int] = None
    """Row number of the first of its variants."""

    row: Optional[int] = None
    """Rank among the layouts that fit, from 1, for `--why`."""


@dataclass(frozen=True)
class Layouts(Answer):
    """Ranked layouts of a job."""

    layouts: int
    """Processed layouts; at the end, all layouts."""

    fitting: int
    """Layouts that fit in memory."""

    comfortable: int
    """Layouts that fit with the requested headroom."""

    timed: int
    """Simulated layouts. The rest are ruled out by bounds."""

    top: tuple[Layout, ...]
    """The fastest layouts that fit, then the layouts with the smallest excess memory."""

    recommended: Optional[Layout] = None
    """Recommended layout: the simplest layout with headroom within model error of the fastest; absent if none fits."""


@dataclass(frozen=True)
class LeftOut(Answer):
    """Field that the file format cannot express."""

    field: str
    """Key of the field."""

    value: str
    """Value as entered."""

    text: str
    """Reason."""


@dataclass(frozen=True)
class Measured(Answer):
    """Measured steps of a log or a trace."""

    step_seconds: float
    """Median duration of the steps behind the first ones [s]."""

    steps: int
    """Number of steps in the median."""


@dataclass(frozen=True)
class MemoryReport(Answer):
    """Memory of every stage against the GPU's capacity."""

    peak_gib: float
    """Peak of the fullest stage as the framework's allocator counts it (PyTorch's
    `max_memory_allocated`), GiB."""

    reserved_gib: float
    """What the allocator reserves of the device for it, with what fragments leave (PyTorch's `max_memory_reserved`), GiB: at
    most what it can have, where it gives cached blocks back."""

    device_gib: float
    """What the device has in use (`nvidia-smi`): what is reserved, and the `reserve`, GiB."""

    capacity_gib: float
    """Capacity of the GPU, GiB."""

    usable_gib: float
    """What a job may take of it, GiB: the capacity less `reserve`."""

    fits: bool
    """Whether every stage fits as counted."""

    fit_probability: float
    """Probability that it runs within that memory: the share of public peaks of such software (evidence/peaks.tsv,
    `PeakClass`) that would, as far off as they were measured from what would be reserved. They are of jobs that ran, so
    near the limit it is too high."""

    lacking_gib: float
    """Device memory that the job lacks to be as likely to fit as not, GiB."""

    worst_stage: int
    """Number of the fullest stage."""

    owner: str
    """What takes most of that stage's peak: the label of one of `StageMemory::parts`."""

    host: HostMemory
    """Host memory that a node needs for what is offloaded."""

    stages: tuple[StageMemory, ...]
    """Footprint per stage."""


@dataclass(frozen=True)
class MemorySaving(Answer):
    """A change of a job that saves memory, and its forecast."""

    fields: dict[str, str]
    """Keys of the fields, and their other values."""

    changes_results: bool
    """Whether training gives other results with it: less is trained, or in less precision."""

    step_s: Seconds
    """Time of one step with it."""

    peak_gib: float
    """Peak memory per GPU with it, GiB."""

    fits: bool
    """Whether the job then fits as counted."""

    fit_probability: float
    """Probability that it then runs within the usable memory."""


@dataclass(frozen=True)
class Message(Answer):
    """Equal messages of one rank per step."""

    kind: Parallelism
    """Type of parallelism."""

    operation: Collective
    """Operation."""

    count: int
    """Count: a collective counts once, a point-to-point transfer at both ends."""

    bytes: int
    """Size of one message: the full tensor of a collective."""

    volume_bytes: int
    """Volume: count times size."""

    sent_bytes: Bytes
    """Bytes sent by this rank."""

    received_bytes: Bytes
    """Bytes received by this rank."""

    group: MessageGroup
    """Participating ranks."""


@dataclass(frozen=True)
class MessageGroup(Answer):
    """Ranks of a message."""

    size: int
    """How many."""

    machines: int
    """Number of machines."""

    tier: Tier
    """Slowest link between neighbours in the group."""

    ranks: tuple[int, ...]
    """Numbers of the ranks, ascending."""


@dataclass(frozen=True)
class Missing(Answer):
    """Required field without a value in the file or a default of the framework."""

    field: str
    """Key of the field; `m` stands for the whole model."""

    text: str
    """Why, without a full stop."""


@dataclass(frozen=True)
class ModelReport(Answer):
    """Size of a model."""

    name: str
    """Name in links: a preset, or custom."""

    parameters: int
    """Parameters, with the vocabulary as published and without layers of multi-token prediction."""

    active_parameters: int
    """Parameters used per token."""

    flops_per_token: float
    """Training FLOPs per token, forward and backward, without recomputation."""

    layers: tuple[LayersReport, ...]
    """Layers by kind."""


@dataclass(frozen=True)
class OperatorRow(Answer):
    """Operator of the slowest stage: a kernel or a collective.

    The rows are the breakdown: `OperatorRow::step` over all rows of a part is that part. Only the pipeline's bubble and
    the host have no operators."""

    name: str
    """Name, for example `qkv_projection` or `gradient_reduction`."""

    pass_: Pass
    """Pass of the operator."""

    shape: str
    """Shape, for example `4096 x 2560 x 8192`."""

    count: float
    """Calls per micro-batch on the slowest stage; per step for the pass `step`."""

    flops: Flops
    """FLOPs of one call."""

    bytes: Bytes
    """Device-memory bytes (kernels) or wire bytes per rank (collectives) of one call."""

    time: Seconds
    """Time of one call."""

    part: str
    """Part of the breakdown."""

    step_s: Seconds
    """Exposed time of all calls per step: the contribution to the part of the breakdown."""

    bound: Bound
    """Resource that bounds the operator."""

    parallelism: Optional[Parallelism] = None
    """Type of parallelism of a collective; absent for kernels."""

    rests_on: Optional[Provenance] = None
    """Basis of the time, in a forecast with learned times."""


@dataclass(frozen=True)
class PairBytes(Answer):
    """Bytes per step from one rank to another, by type."""

    from_: int
    """Number of the sender."""

    to: int
    """Number of the receiver."""

    kind: Parallelism
    """Type of parallelism."""

    bytes: Bytes
    """How many."""

    tier: Tier
    """Slowest link on the path."""


@dataclass(frozen=True)
class PlanReport(Answer):
    """Layout with derived values."""

    tensor_parallel: int
    """Tensor-parallel degree t."""

    sequence_parallel: bool
    """Megatron sequence parallelism: norms and residuals are split over the tensor-parallel group."""

    context_parallel: int
    """Context-parallel degree."""

    context_exchange: ContextExchange
    """CP communication of attention."""

    expert_parallel: int
    """Expert-parallel degree: ranks that the routed experts of a layer are assigned to. They are taken from
    the tensor-, context- and data-parallel ranks of a stage."""

    expert_tensor_parallel: int
    """Ranks over which each expert is split (ETP)."""

    pipeline_parallel: int
    """Pipeline-parallel degree p (stages)."""

    virtual_stages: int
    """Virtual stages per GPU: 1, more for interleaved schedules, or 2 for V schedules."""

    schedule: Schedule
    """Pipeline schedule."""

    zero: Zero
    """Sharding over data-parallel ranks."""

    shard_group: int
    """Data-parallel ranks that share one sharded copy. 0 is the default: one machine with HSDP, otherwise all ranks. The
    effective value is the largest divisor of the data-parallel degree that does not exceed this value."""

    micro_batch: int
    """Sequences in one micro-batch of one replica."""

    recompute: Recompute
    """Activation recomputation in the backward pass."""

    tensor_overlap: bool
    """TP communication overlaps with the adjacent GEMMs."""

    expert_overlap: bool
    """EP communication overlaps with the compute of another micro-batch."""

    data_overlap: bool
    """Gradient sync overlaps with the backward pass."""

    gather_overlap: GatherOverlap
    """Parameter all-gathers overlap with compute."""

    pipeline_overlap: bool
    """PP communication overlaps with compute; otherwise a stage waits for each send."""

    offload_optimizer: bool
    """Optimizer offload: states are in host memory, and the CPU updates the parameters."""

    offload_parameters: bool
    """Parameter offload: parameter shards are in host memory."""

    offload_activations: int
    """Activation offload: percentage of the stored activations in host memory."""

    mapping: Mapping
    """Order of the parallel dimensions, innermost first."""

    stage_split: StageSplit
    """Layers per stage."""

    data_parallel: int

    micro_batches: int


@dataclass(frozen=True)
class Prediction(Linked):
    """Forecast, layout, cost of the training run, and link."""

    step_s: Seconds
    """Time of one optimizer step."""

    low_s: Seconds
    """Lower end."""

    high_s: Seconds
    """Upper end."""

    interval_runs: int
    """Public runs of the same class. The width of a class with few runs is shrunk towards wider classes."""

    interval_publications: int
    """Publications of these runs."""

    reasons: tuple[str, ...]
    """Reasons for a wider range; empty if there are none."""

    breakdown: Breakdown
    """Where the time goes; the parts sum to `Prediction::step`."""

    hidden: HiddenCommunication
    """Communication overlapped with compute (not counted)."""

    operators: tuple[OperatorRow, ...]
    """One row per operator of the slowest stage."""

    stages: tuple[StageRow, ...]
    """One row per pipeline stage."""

    memory: MemoryReport
    """Memory per stage, and the GPU capacity."""

    data_parallel: int
    """Data-parallel degree."""

    micro_batches: int
    """Micro-batches per replica and step."""

    mfu: float
    """Model FLOPs utilisation: useful FLOPs (no recompute) over peak, 0 to 1."""

    hfu: float
    """Hardware FLOPs utilisation: executed FLOPs (recompute included) over peak, 0 to 1."""

    model_tflops_per_gpu: float
    """Model TFLOP/s per GPU."""

    tokens_per_s: float
    """Tokens per second of the whole job."""

    tokens_per_s_per_gpu: float
    """Tokens per second per GPU."""

    bottleneck: Bottleneck
    """Bottleneck of the step, in words."""

    model: ModelReport
    """The model."""

    plan: PlanReport
    """The layout."""

    run: RunCost
    """The whole run."""

    sureness: Sureness
    """Accuracy of the forecast, and its evidence."""

    link: str
    """The link's fragment."""

    interval_own_runs: Optional[int] = None
    """Measured steps of the user that the forecast is adjusted to, and that narrow the range."""

    memory_savings: Optional[tuple[MemorySaving, ...]] = None
    """Changes that save memory: those that make the job likely to fit first. Absent where it is likely to."""

    not_counted: Optional[str] = None
    """Parts of the model that are not modelled, in a sentence; absent if there are none."""


@dataclass(frozen=True)
class Problem(Answer):
    """Error of a job, at a field or of the whole job."""

    message: str
    """Error and solution, in a sentence."""

    suggestions: tuple[str, ...]
    """Nearest valid values; may be empty."""

    field: Optional[str] = None
    """Key of the field; absent for errors of the whole job."""


@dataclass(frozen=True)
class RankCoordinates(Answer):
    """Position of a rank on the parallel dimensions, from 0."""

    tensor: int
    """Rank in the TP group."""

    context: int
    """Rank in the CP group."""

    data: int
    """Replica."""

    stage: int
    """Pipeline stage."""


@dataclass(frozen=True)
class RankMessages(Linked):
    """The messages of one rank in one step."""

    mapping: str
    """Order of the parallel dimensions, innermost first, such as `tdp`."""

    rank: int
    """The rank."""

    machine: int
    """Machine of the rank."""

    place: RankCoordinates
    """Position of the rank: TP, CP, DP, PP."""

    algorithm: Algorithm
    """All-reduce algorithm."""

    messages: tuple[Message, ...]
    """Messages of the rank, by type and operation."""

    totals: tuple[KindTotal, ...]
    """Messages of the rank, summed by type."""

    link: str
    """Link that opens the job, from its `#` on."""

    matrix: Optional[TrafficMatrix] = None
    """Bytes between all communicating ranks, if requested."""


@dataclass(frozen=True)
class RunCost(Answer):
    """Cost of a training run at a constant step time, without restarts, evaluation or checkpoints."""

    steps: float
    """Optimizer steps. A last step with fewer tokens counts as a full step."""

    time_s: Seconds
    """Training time."""

    gpu_hours: float
    """GPU-hours."""

    usd: float
    """Training cost, USD."""

    kwh: float
    """Energy consumption of the data centre, kWh."""

    co2_kg: float
    """Carbon dioxide equivalent, kg."""


@dataclass(frozen=True)
class ScalingCurve(Answer):
    """Throughput by number of GPUs."""

    mode: Mode
    """Fixed batch."""

    points: tuple[ScalingPoint, ...]
    """By number of GPUs."""

    turn: Optional[int]
    """Scaling limit: the last point before marginal scaling efficiency falls below 50 %."""


@dataclass(frozen=True)
class ScalingPoint(Answer):
    """Job on one number of GPUs."""

    gpus: int
    """GPUs."""

    data_parallel: int
    """Replicas."""

    global_batch: int
    """Sequences in one step."""

    step_s: Seconds
    """Time of the step."""

    tokens_per_s: float
    """Tokens per second of the whole job."""

    efficiency: float
    """Scaling efficiency relative to the first point, 0 to 1 (can exceed 1)."""

    communication_share: float
    """Exposed communication as a share of the step, 0 to 1."""

    data_share: float
    """Exposed DP communication as a share of the step, 0 to 1."""

    bubble_share: float
    """Pipeline bubble as a share of the step, 0 to 1."""

    marginal: float
    """Marginal scaling efficiency; 1 at the first point."""


@dataclass(frozen=True)
class StageMemory(Answer):
    """Memory of one GPU of one stage, by owner."""

    weights: Bytes
    """Parameters in the compute format; under ZeRO-3 and FSDP the rank's shard and the layers gathered."""

    gradients: Bytes
    """Gradients."""

    optimizer: Bytes
    """Optimizer states and master weights."""

    activations: Bytes
    """Activations kept for the backward pass of all micro-batches in flight."""

    logits: Bytes
    """Logits and the loss's temporaries (last stage)."""

    workspace: Bytes
    """Communication buffers, library workspaces, and what the layer being computed needs beyond the
    room of the logits, which are gone by then."""


@dataclass(frozen=True)
class StageRow(Answer):
    """One pipeline stage, times per micro-batch."""

    stage: int
    """Stage number from 0."""

    layers: int
    """Number of transformer layers."""

    forward: Seconds
    """Forward pass, including communication and host overhead."""

    backward: Seconds
    """Backward pass, including recomputation, communication and host overhead."""

    peak_memory: Bytes
    """Peak memory of one GPU of this stage."""


@dataclass(frozen=True)
class Sureness(Answer):
    """Accuracy of the forecast of one job."""

    likeness: Likeness
    """Common properties of the job and these runs."""

    runs: int
    """Public measured runs."""

    sources: tuple[str, ...]
    """Publications of these runs."""

    fitted_sources: int
    """Publications among them that were used for fitting."""

    error: float
    """Mean over publications of the median |forecast / measured - 1|."""

    untried: tuple[str, ...]
    """Properties of the job outside these runs."""

    narrows: tuple[str, ...]
    """Inputs that would narrow the range, most effective first."""

    sentence: str
    """Summary in words."""


@dataclass(frozen=True)
class TierBytes(Answer):
    """Bytes over one tier of links."""

    tier: Tier
    """The tier."""

    bytes: Bytes
    """Sum over all ranks."""


@dataclass(frozen=True)
class TrafficMatrix(Answer):
    """Bytes between ranks: nonzero pairs, and sums."""

    gpus: int
    """Ranks."""

    gpus_per_machine: int
    """GPUs in one machine."""

    total_bytes: Bytes
    """Sum of all pairs."""

    by_kind: tuple[KindBytes, ...]
    """Sums by type of parallelism."""

    by_tier: tuple[TierBytes, ...]
    """Sums by slowest link."""

    pairs: tuple[PairBytes, ...]
    """The pairs."""
