# Made by `cargo xtask python types` from the JSON schema.

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, Optional, Union

from ._base import Answer, Linked

Algorithm = Literal["ring", "tree", "in-switch"]
"""How all-reduces put bytes on the wire. All-gathers and reduce-scatters are rings under either."""

Bound = Literal["compute", "memory", "latency", "scale_up", "network", "host"]
"""What bounds one operator."""

Bytes = float
"""An amount of data in bytes."""

Collective = Literal["all_reduce", "all_gather", "reduce_scatter", "all_to_all", "point_to_point"]
"""A communication pattern of a group of ranks."""

ContextExchange = Literal["ring", "all-gather", "all-to-all"]
"""How the queries of a context-parallel group meet all of its keys (Transformer Engine's `cp_comm_type`)."""

Flops = float
"""A number of floating-point operations (a multiply-add counts as two)."""

GatherOverlap = Literal["as-reduction", "overlaps", "waits"]
"""Whether parameters are gathered behind compute: those of sharded layers behind the layer before, updated shards behind
the next forward pass (Megatron's `overlap_param_gather`)."""

Importance = Literal["matters", "unknown", "harmless"]
"""Whether an ignored setting may change the forecast."""

Kind = Literal["hf-config", "hub", "megatron-lm", "megatron-bridge", "torchtitan", "deepspeed", "accelerate", "training-arguments", "torchtune", "axolotl", "maxtext", "slurm", "machine", "nccl-tests", "training-log", "trace"]
"""A kind of file of another tool."""

Likeness = Literal["all", "software", "launch", "model"]
"""What the public runs that are nearest to a job share with it."""

Mapping = Literal["tensor-data-pipeline", "tensor-pipeline-data"]
"""Order of the parallel axes over the machines, innermost (neighbouring GPUs) first."""

Mode = Literal["weak", "strong"]
"""What stays the same as GPUs are added."""

Modules = int
"""A set of modules (Megatron-Core's `recompute_modules`)."""

Parallelism = Literal["tensor_parallel", "context_parallel", "expert_parallel", "pipeline_parallel", "data_parallel", "embedding_sync"]
"""Kind of parallelism that a message serves."""

Pass = Literal["forward", "recompute", "input_gradient", "weight_gradient", "backward", "step"]
"""Pass of a training step."""

Provenance = Literal["measured", "extrapolated", "default"]
"""What a learned time rests on."""

Recompute = Union[Literal["none", "selective", "full"], dict[str, Any]]
"""Activation recomputation."""

Schedule = Literal["one-forward-one-backward", "all-forward-all-backward", "zero-bubble-h1", "zero-bubble-h2", "zero-bubble-v", "dual-pipe", "dual-pipe-v"]
"""Pipeline schedule: the order in which a stage runs the passes of its micro-batches."""

Seconds = float
"""A duration in seconds."""

StageSplit = Union[Literal["even", "count-ends"], dict[str, Any]]
"""How layers are assigned to pipeline stages."""

Tier = Literal["machine", "domain", "leaf", "spine"]
"""The furthest link that two ranks' traffic takes."""

Zero = Literal["none", "optimizer", "gradients", "parameters", "hybrid"]
"""What data-parallel ranks shard (ZeRO stages)."""



@dataclass(frozen=True)
class Assumed(Answer):
    """Something that a file leaves open."""

    field: Optional[str]
    """The field that it sets, where it is one."""

    text: str
    """What was taken, and why."""


@dataclass(frozen=True)
class Bottleneck(Answer):
    """What limits the step."""

    kind: str
    """Key of the largest avoidable part of the breakdown, or `compute`."""

    sentence: str
    """One or two plain sentences."""


@dataclass(frozen=True)
class Breakdown(Answer):
    """Where the step's time goes, in seconds on the critical path: the slowest stage's
    work, then what the schedule and the step's end add. The parts sum to the step."""

    forward: Seconds
    """Forward kernels."""

    backward: Seconds
    """Backward kernels (input and weight gradients)."""

    recompute: Seconds
    """Kernels run a second time to save memory."""

    tensor_communication: Seconds
    """Tensor-parallel communication that compute waits for."""

    context_communication: Seconds
    """Context-parallel communication that compute waits for."""

    expert_communication: Seconds
    """Exchange of tokens with experts that compute waits for."""

    pipeline_communication: Seconds
    """Pipeline sends and receives that compute waits for."""

    data_communication: Seconds
    """Data-parallel communication (gradients, parameters, embedding synchronisation) that compute waits for."""

    bubble: Seconds
    """Pipeline bubble: the slowest stage idles while the pipeline fills and drains."""

    optimizer: Seconds
    """Optimizer update."""

    host: Seconds
    """The host: kernels launched slower than they run, per-step work, stragglers."""


@dataclass(frozen=True)
class ExplainedOperator(Answer):
    """One operator of a part."""

    name: str
    """Its name, for example `qkv_projection`."""

    pass_: Pass
    """The pass it belongs to."""

    shape: str
    """Its shape as people write it."""

    step_s: Seconds
    """What the step waits for it, all its calls together."""

    bound: Bound
    """What bounds it."""


@dataclass(frozen=True)
class ExplainedPart(Answer):
    """One part of a step with what it is made of."""

    part: str
    """Key of the part in a breakdown."""

    label: str
    """Name of the part for people."""

    time_s: Seconds
    """Its time."""

    share: float
    """Its share of the step, 0 to 1."""

    operators: tuple[ExplainedOperator, ...]
    """Its operators, the largest first. The pipeline's bubble and the host have none."""


@dataclass(frozen=True)
class Explanation(Linked):
    """Where a step goes, why, and how sure the forecast is."""

    job: str
    """Model, machines and layout in a line."""

    step_s: Seconds
    """Time of one step."""

    low_s: Seconds
    """Lower end of the 90 % interval."""

    high_s: Seconds
    """Upper end of the 90 % interval."""

    bottleneck: str
    """What limits the step, in one or two sentences."""

    memory: str
    """Whether the layout fits in memory, in one sentence."""

    run: str
    """What a whole run of such steps takes, in one sentence."""

    parts: tuple[ExplainedPart, ...]
    """The parts of the step, the largest first; they sum to it."""

    doubts: tuple[str, ...]
    """Why less is known of the job than of others; empty if it is not so."""

    untried: tuple[str, ...]
    """What of the layout no measured run has tried."""

    software: tuple[str, ...]
    """What the layout asks of its software that the software does not have."""

    link: str
    """Link that opens the job, from its `#` on."""


@dataclass(frozen=True)
class Exported(Answer):
    """A job as a framework's file."""

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
    """A whole sentence: what is wrong and what would be legal."""

    suggestions: tuple[str, ...]
    """Legal values nearest to the one given, as they would be typed; may be empty."""


@dataclass(frozen=True)
class HiddenCommunication(Answer):
    """Communication hidden behind compute, per step."""

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
class Ignored(Answer):
    """A setting that no field says."""

    name: str
    """Name of the setting, as a path from the top of the file."""

    line: Optional[int]
    """Its line, from 1."""

    importance: Importance
    """Whether it may change the forecast."""

    text: str
    """Why it is left out."""


@dataclass(frozen=True)
class Imported(Linked):
    """A file of another tool as a job."""

    kind: Kind
    """Kind of the file."""

    fields: dict[str, str]
    """Keys of fields and the values that the file sets."""

    assumed: tuple[Assumed, ...]
    """What the file leaves open, and what was assumed for it."""

    ignored: tuple[Ignored, ...]
    """Settings that have no field."""

    missing: tuple[Missing, ...]
    """Fields that a forecast needs and that neither the file nor its framework says."""

    measured: Optional[Measured]
    """Steps that the file has measured."""

    link: Optional[str]
    """Link that opens the job, from its `#` on; nothing while something is missing."""

    errors: tuple[FieldError, ...]
    """What makes the job impossible; empty where it can be run, and while something is missing."""


@dataclass(frozen=True)
class KindBytes(Answer):
    """Bytes of one kind of parallelism."""

    kind: Parallelism
    """The kind."""

    bytes: Bytes
    """Their sum over all ranks."""


@dataclass(frozen=True)
class KindTotal(Answer):
    """One rank's messages of one kind, summed."""

    kind: Parallelism
    """The kind."""

    count: int
    """Messages."""

    volume_bytes: int
    """Bytes of the messages' tensors."""

    volume_share: float
    """Share of the volume of all kinds, 0 to 1."""

    sent_bytes: Bytes
    """Bytes sent on the wire."""

    sent_share: float
    """Share of the bytes that all kinds send, 0 to 1."""


@dataclass(frozen=True)
class LayersReport(Answer):
    """The layers of one kind."""

    kind: str
    """What one is made of."""

    count: int
    """How many there are."""


@dataclass(frozen=True)
class Layout(Linked):
    """One layout of a ranking."""

    step_s: Seconds
    """Time of one step."""

    mfu: float
    """Model FLOPs utilisation, 0 to 1."""

    tokens_per_s_per_gpu: float
    """Tokens per second and GPU."""

    communication_share: float
    """Share of the step that waits for communication, 0 to 1."""

    bubble_share: float
    """Share of the step in the pipeline's bubble, 0 to 1."""

    peak_gib: float
    """Peak memory of the fullest GPU, GiB."""

    room: float
    """Share of the usable memory that is left free; below 0 where the layout does not fit."""

    fits: bool
    """Whether it fits in memory."""

    plan: PlanReport
    """The layout."""

    link: str
    """Link that opens the job in this layout, from its `#` on."""

    family: Optional[int] = None
    """Number of the row that stands for it and its variants."""

    row: Optional[int] = None
    """Its number among those that fit, from 1, as `--why` takes it."""


@dataclass(frozen=True)
class Layouts(Answer):
    """A ranking of the layouts of a job."""

    layouts: int
    """Layouts that were looked at; at the end, all that the space has."""

    fitting: int
    """Layouts that fit in memory."""

    comfortable: int
    """Layouts that fit and leave the margin of memory free."""

    timed: int
    """Layouts whose step was worked out; the others are proven to be slower than the last row."""

    top: tuple[Layout, ...]
    """The fastest of those that fit, then the nearest to fitting of those that do not, as many of each as were asked for."""

    recommended: Optional[Layout] = None
    """The simplest of the comfortable layouts that are as good as the fastest; nothing where none fits."""


@dataclass(frozen=True)
class LeftOut(Answer):
    """A field that a framework's file cannot say."""

    field: str
    """Its key."""

    value: str
    """Its value as typed."""

    text: str
    """Why."""


@dataclass(frozen=True)
class Measured(Answer):
    """Measured steps of a log or a trace."""

    step_seconds: float
    """Median duration of the steps behind the first ones [s]."""

    steps: int
    """Steps that the median is of."""


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
    """Probability that it runs within that memory: the share of public peaks of such software (tests/peaks.csv,
    `PeakClass`) that would, as far off as they were measured from what would be reserved. They are of jobs that ran, so
    near the limit it is too high."""

    worst_stage: int
    """Number of the fullest stage."""

    owner: str
    """What takes most of that stage's peak: the label of one of `StageMemory::parts`."""

    stages: tuple[StageMemory, ...]
    """Footprint per stage."""


@dataclass(frozen=True)
class Message(Answer):
    """Equal messages of one rank in one step."""

    kind: Parallelism
    """Which axis they serve."""

    operation: Collective
    """What they do."""

    count: int
    """How many: a collective counts once, a transfer at either end."""

    bytes: int
    """Size of one: the whole tensor of a collective."""

    volume_bytes: int
    """Count times size, the paper's volume."""

    sent_bytes: Bytes
    """Bytes this rank puts on the wire."""

    received_bytes: Bytes
    """Bytes this rank takes off the wire."""

    group: MessageGroup
    """Who takes part."""


@dataclass(frozen=True)
class MessageGroup(Answer):
    """The ranks that take part in a message."""

    size: int
    """How many."""

    machines: int
    """Machines they sit in."""

    tier: Tier
    """The furthest tier that two of them, neighbours in the group, are apart."""

    ranks: tuple[int, ...]
    """Numbers of the ranks, ascending."""


@dataclass(frozen=True)
class Missing(Answer):
    """A field that a job needs, and that neither the file nor its framework's defaults say."""

    field: str
    """Key of the field; `m` stands for the whole model."""

    text: str
    """Why, without a full stop."""


@dataclass(frozen=True)
class ModelReport(Answer):
    """A model by its size."""

    name: str
    """Its name in links: that of a preset, or custom."""

    parameters: int
    """Parameters, with the vocabulary as published and without layers of multi-token prediction."""

    active_parameters: int
    """Parameters that one token passes."""

    flops_per_token: float
    """FLOPs of a token in training, forward and backward, nothing twice."""

    layers: tuple[LayersReport, ...]
    """Layers by kind."""


@dataclass(frozen=True)
class OperatorRow(Answer):
    """One operator of the slowest stage: a kernel or a collective.

    The rows are the breakdown: `OperatorRow::step` over all rows of a part is that part. Only the pipeline's bubble and
    the host have no operators."""

    name: str
    """Name, for example `qkv_projection` or `gradient_reduction`."""

    pass_: Pass
    """Pass it belongs to."""

    shape: str
    """Shape as people write it, for example `4096 x 2560 x 8192`."""

    count: float
    """Calls per micro-batch on the slowest stage; per step in the pass of that name."""

    flops: Flops
    """FLOPs of one call."""

    bytes: Bytes
    """Device-memory bytes (kernels) or wire bytes per rank (collectives) of one call."""

    time: Seconds
    """Time of one call."""

    part: str
    """Part of the breakdown that its time belongs to."""

    step_s: Seconds
    """Time of all its calls in a step that the step waits for: what it contributes to its part of the breakdown."""

    bound: Bound
    """What bounds it."""

    parallelism: Optional[Parallelism] = None
    """Kind of parallelism that a collective serves; nothing for kernels."""

    rests_on: Optional[Provenance] = None
    """What the time rests on, in a forecast with learned times."""


@dataclass(frozen=True)
class PairBytes(Answer):
    """Bytes that one rank sends another in a step, of one kind."""

    from_: int
    """Number of the sender."""

    to: int
    """Number of the receiver."""

    kind: Parallelism
    """What they are sent for."""

    bytes: Bytes
    """How many."""

    tier: Tier
    """The furthest link that they take."""


@dataclass(frozen=True)
class PlanReport(Answer):
    """A layout with what follows from it."""

    tensor_parallel: int
    """Tensor-parallel degree t."""

    sequence_parallel: bool
    """Megatron sequence parallelism: norms and residuals are split over the tensor-parallel group."""

    context_parallel: int
    """Context-parallel degree."""

    context_exchange: ContextExchange
    """How the queries of a context-parallel group meet all of its keys."""

    expert_parallel: int
    """Expert-parallel degree: ranks that the routed experts of a layer are assigned to. They are taken from
    the tensor-, context- and data-parallel ranks of a stage."""

    expert_tensor_parallel: int
    """Ranks that one expert is split over (expert-tensor parallelism)."""

    pipeline_parallel: int
    """Pipeline-parallel degree p (stages)."""

    virtual_stages: int
    """Virtual stages per GPU: 1, or more where the schedule interleaves them, or 2 where it folds them."""

    schedule: Schedule
    """Order in which a stage runs its micro-batches."""

    zero: Zero
    """What data-parallel ranks shard."""

    shard_group: int
    """Data-parallel ranks that one copy of what is sharded is spread over; 0 for the usual: those of a machine with
    hybrid sharding, else all. Taken as the largest divisor of the data-parallel degree that is not above it."""

    micro_batch: int
    """Sequences in one micro-batch of one replica."""

    recompute: Recompute
    """Which activations are recomputed in the backward pass."""

    tensor_overlap: bool
    """Tensor-parallel communication is overlapped with the GEMMs around it."""

    expert_overlap: bool
    """Tokens travel to experts while another micro-batch is computed."""

    data_overlap: bool
    """Gradients are reduced behind the backward pass."""

    gather_overlap: GatherOverlap
    """Whether parameters are gathered behind compute."""

    pipeline_overlap: bool
    """Transfers between stages overlap kernels; otherwise a stage waits for its own sends."""

    offload_optimizer: bool
    """Optimizer states live in the host's memory, and the host updates the parameters."""

    offload_parameters: bool
    """Shards of sharded parameters live in the host's memory."""

    offload_activations: int
    """Percent of the activations kept for the backward pass that wait in the host's memory."""

    mapping: Mapping
    """Which axis is innermost on the machines."""

    stage_split: StageSplit
    """How layers are assigned to stages."""

    data_parallel: int

    micro_batches: int


@dataclass(frozen=True)
class Prediction(Linked):
    """The whole forecast, its layout, what a run of such steps costs, and the link that reproduces it."""

    step_s: Seconds
    """Time of one optimizer step."""

    low_s: Seconds
    """Lower end."""

    high_s: Seconds
    """Upper end."""

    interval_runs: int
    """Public runs of the job's own class; the width of a class of few is drawn to that of wider ones."""

    interval_publications: int
    """Publications of these runs."""

    reasons: tuple[str, ...]
    """Why less is known than of a dense model on software and GPUs with measured runs; empty if it is not."""

    breakdown: Breakdown
    """Where the time goes; the parts sum to `Prediction::step`."""

    hidden: HiddenCommunication
    """Communication that runs behind compute and costs no time of its own."""

    operators: tuple[OperatorRow, ...]
    """One row per operator of the slowest stage."""

    stages: tuple[StageRow, ...]
    """One row per pipeline stage."""

    memory: MemoryReport
    """Memory per stage, against the GPU's capacity."""

    data_parallel: int
    """Data-parallel degree."""

    micro_batches: int
    """Micro-batches per replica and step."""

    mfu: float
    """Model FLOPs utilisation: useful FLOPs (no recompute) over peak, 0 to 1."""

    hfu: float
    """Hardware FLOPs utilisation: executed FLOPs (recompute included) over peak, 0 to 1."""

    model_tflops_per_gpu: float
    """Useful FLOPs per second and GPU, in units of 10^12."""

    tokens_per_s: float
    """Tokens per second of the whole job."""

    tokens_per_s_per_gpu: float
    """Tokens per second and GPU."""

    bottleneck: Bottleneck
    """What limits the step, in words."""

    model: ModelReport
    """The model."""

    plan: PlanReport
    """The layout."""

    run: RunCost
    """The whole run."""

    sureness: Sureness
    """How sure the forecast is, and on what evidence."""

    link: str
    """The link's fragment."""

    not_counted: Optional[str] = None
    """What of the model is not counted, in a sentence; absent where all is."""


@dataclass(frozen=True)
class Problem(Answer):
    """What is wrong with a job, at one of its fields or with it as a whole."""

    message: str
    """A whole sentence: what is wrong, and what would be legal."""

    suggestions: tuple[str, ...]
    """Legal values nearest to the one given, as they would be typed; may be empty."""

    field: Optional[str] = None
    """Key of the field; nothing where no single field is to blame."""


@dataclass(frozen=True)
class RankCoordinates(Answer):
    """A rank's place on the parallel axes, each from 0."""

    tensor: int
    """In its tensor-parallel group."""

    context: int
    """In its context-parallel group."""

    data: int
    """Replica."""

    stage: int
    """Pipeline stage."""


@dataclass(frozen=True)
class RankMessages(Linked):
    """The messages of one rank in one step."""

    mapping: str
    """Order of the axes over the machines, from neighbouring GPUs outwards, such as `tdp`."""

    rank: int
    """The rank."""

    machine: int
    """The machine it sits in."""

    place: RankCoordinates
    """The rank's place on the axes: tensor, context, data, pipeline."""

    algorithm: Algorithm
    """How all-reduces run on the wire."""

    messages: tuple[Message, ...]
    """Messages of the rank, by kind and operation."""

    totals: tuple[KindTotal, ...]
    """Messages of the rank, summed by kind."""

    link: str
    """Link that opens the job, from its `#` on."""

    matrix: Optional[TrafficMatrix] = None
    """The bytes between every pair of ranks that talk, where they were asked for."""


@dataclass(frozen=True)
class RunCost(Answer):
    """Cost of a run from its first step to its last, at one step's time throughout: nothing for restarts, evaluation or
    checkpoints."""

    steps: float
    """Optimizer steps; the last may be one of fewer tokens, and counts whole."""

    time_s: Seconds
    """All of them, one after the other."""

    gpu_hours: float
    """GPU-hours."""

    usd: float
    """Price of the GPUs, USD."""

    kwh: float
    """Energy that the data centre takes for them, kWh."""

    co2_kg: float
    """Carbon dioxide equivalents of that energy, kg."""


@dataclass(frozen=True)
class ScalingCurve(Answer):
    """Throughput against the number of GPUs."""

    mode: Mode
    """What stays the same."""

    points: tuple[ScalingPoint, ...]
    """By number of GPUs."""

    turn: Optional[int]
    """The turn of the curve: the last point before GPUs bring less than half of what they ideally do."""


@dataclass(frozen=True)
class ScalingPoint(Answer):
    """The job on one number of GPUs."""

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
    """Throughput per GPU over that of the first point, 0 to 1 (more where a larger job runs better)."""

    communication_share: float
    """Share of the step that waits for communication, 0 to 1."""

    data_share: float
    """Share of the step that waits for data-parallel communication, 0 to 1."""

    bubble_share: float
    """Share of the step in the pipeline's bubble, 0 to 1."""

    marginal: float
    """What the last added GPUs brought, over what they ideally bring; 1 at the first point."""


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
    """Transformer layers on it."""

    forward: Seconds
    """Forward pass, communication and host included."""

    backward: Seconds
    """Backward pass, recompute, communication and host included."""

    peak_memory: Bytes
    """Peak memory of one GPU of this stage."""


@dataclass(frozen=True)
class Sureness(Answer):
    """How sure the forecast of one job is."""

    likeness: Likeness
    """What the runs below share with the job."""

    runs: int
    """Public measured runs."""

    sources: tuple[str, ...]
    """Publications that they are of."""

    fitted_sources: int
    """Publications among them that constants were fitted to."""

    error: float
    """Mean of the publications' median |forecast / measured - 1|."""

    untried: tuple[str, ...]
    """What of the job none of these runs has tried."""

    narrows: tuple[str, ...]
    """What would narrow the interval, the most first."""

    sentence: str
    """All of it in words."""


@dataclass(frozen=True)
class TierBytes(Answer):
    """Bytes over one tier of links."""

    tier: Tier
    """The tier."""

    bytes: Bytes
    """Their sum over all ranks."""


@dataclass(frozen=True)
class TrafficMatrix(Answer):
    """Bytes between ranks: the pairs that are not zero, and sums."""

    gpus: int
    """Ranks."""

    gpus_per_machine: int
    """GPUs in one machine."""

    total_bytes: Bytes
    """Sum of all pairs."""

    by_kind: tuple[KindBytes, ...]
    """Sums by kind of parallelism."""

    by_tier: tuple[TierBytes, ...]
    """Sums by the furthest link that is taken."""

    pairs: tuple[PairBytes, ...]
    """The pairs."""
