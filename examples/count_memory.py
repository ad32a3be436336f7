"""Counts the peak memory of training steps by owner, without a GPU and without weights.

    PYTHONPATH=/path/to/torchtitan python examples/count_memory.py > tests/counted_memory.tsv

Builds real models of fake tensors, which have shapes but no data, splits them by PyTorch's FSDP2, DistributedDataParallel and
tensor parallelism over a fake process group, and runs training steps. The second step, with its update, is under PyTorch's
MemTracker, which follows every allocation and says who owns it. Prints a line for each job: the program, the link of the job, and
the bytes of each owner at the peak:

    states        the rank's parameters and the optimizer's states
    gathered      unsharded parameters, and output buffers of all-gathers
    gradients     sharded and unsharded gradients, input buffers of reduce-scatters, and buckets of DDP
    activations   tensors made by the forward pass and by recomputation that are alive
    temporaries   other tensors of the backward pass and of the update: gradients of activations
    peak          all of them
    kept          activations at the end of the forward pass, before the head

It does not see what the caching allocator adds by rounding and fragments, nor workspaces and communicators. Of compiled layers
it says what they keep, `kept` alone: the outputs of the forward graph that Inductor's partitioner makes of a layer. Needs torch and
transformers; jobs of torchtitan are left out where it cannot be imported (its release of December 2025 has the modules used here).
With numbers of jobs as arguments, only those are counted. tests/evidence/counted_memory.rs holds stepcast to the table.
"""

import collections
import contextlib
import dataclasses
import functools
import sys
import warnings

import torch
import torch.distributed as dist
import transformers
from torch._dynamo.backends.common import aot_autograd
from torch._functorch.partitioners import min_cut_rematerialization_partition
from torch._inductor.decomposition import select_decomp_table
from torch._subclasses.fake_tensor import FakeTensorMode
from torch._subclasses.fake_tensor import unset_fake_temporarily
from torch.distributed._tools.fsdp2_mem_tracker import FSDPMemTracker
from torch.distributed._tools.mem_tracker import MemTracker
from torch.distributed.device_mesh import DeviceMesh, init_device_mesh
from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard
from torch.distributed.tensor import Replicate
from torch.distributed.tensor._sharding_prop import ShardingPropagator
from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, loss_parallel, parallelize_module
from torch.multiprocessing.reductions import StorageWeakRef
from torch.testing._internal.distributed.fake_pg import FakeStore
from torch.utils._python_dispatch import _disable_current_modes
from torch.utils.hooks import RemovableHandle

#: Owners by the names of both trackers.
OWNERS = {
    "states": ("SHARDED_PARAM", "PARAM", "OPT"),
    "gathered": ("UNSHARDED_PARAM", "ALL_GATHER"),
    "gradients": ("SHARDED_GRAD", "UNSHARDED_GRAD", "REDUCE_SCATTER", "GRAD", "OTH"),
    "activations": ("ACT",),
    "temporaries": ("TEMP",),
}


@dataclasses.dataclass(frozen=True)
class Shape:
    """A decoder with gated feed-forward parts and RMSNorm."""

    layers: int
    hidden: int
    ffn: int
    heads: int
    kv_heads: int
    head_dim: int
    vocabulary: int
    tied: int = 0
    query_key_norms: int = 0
    experts: int = 0
    top_k: int = 0
    expert_ffn: int = 0


LLAMA_1B = Shape(16, 2048, 8192, 32, 8, 64, 128256, tied=1)
LLAMA_8B = Shape(32, 4096, 14336, 32, 8, 128, 128256)
# Some layers of larger models: a layer costs what it costs.
LLAMA_70B = Shape(20, 8192, 28672, 64, 8, 128, 128256)
NARROW_8B = dataclasses.replace(LLAMA_8B, vocabulary=4096)
QWEN3_600M = Shape(28, 1024, 3072, 16, 8, 128, 151936, tied=1, query_key_norms=1)
QWEN3_4B = Shape(36, 2560, 9728, 32, 8, 128, 151936, tied=1, query_key_norms=1)
QWEN3_14B = Shape(10, 5120, 17408, 40, 8, 128, 151936, query_key_norms=1)
QWEN3_32B = Shape(16, 5120, 25600, 64, 8, 128, 151936, query_key_norms=1)
QWEN3_30B = Shape(12, 2048, 6144, 32, 4, 128, 151936, 0, 1, 128, 8, 768)
LLAMA_3B = Shape(28, 3072, 8192, 24, 8, 128, 128256, tied=1)
QWEN3_1700M = Shape(28, 2048, 6144, 16, 8, 128, 151936, tied=1, query_key_norms=1)
# As many key heads as query heads.
LLAMA2_7B = Shape(32, 4096, 11008, 32, 32, 128, 32000)
# Few layers of several widths, for settings that do not depend on depth.
LLAMA_W1 = Shape(4, 1024, 4096, 16, 8, 64, 32000)
LLAMA_W2 = Shape(4, 2048, 8192, 32, 8, 64, 32000)
LLAMA_W4 = Shape(4, 4096, 14336, 32, 8, 128, 128256)
DEEP_W1 = Shape(24, 1024, 2816, 16, 16, 64, 32000)
QWEN_W1 = Shape(6, 1024, 3072, 16, 8, 128, 151936, 1, 1)
QWEN_W2 = Shape(6, 2560, 9728, 32, 8, 128, 151936, 0, 1)
MIXTRAL_SMALL = Shape(8, 1024, 3584, 16, 8, 64, 32000, 0, 0, 8, 2, 3584)
MIXTRAL_W2 = Shape(4, 2048, 7168, 32, 8, 64, 32000, 0, 0, 8, 2, 7168)
QWEN_EXPERTS = Shape(12, 1024, 3072, 16, 4, 128, 151936, 0, 1, 64, 8, 512)
QWEN_EXPERTS_W2 = Shape(6, 2048, 6144, 32, 4, 128, 151936, 0, 1, 64, 8, 768)


@dataclasses.dataclass(frozen=True)
class Job:
    """A training step of one GPU of `world`."""

    program: str
    shape: Shape
    world: int
    micro_batch: int
    sequence: int
    checkpointing: str = "none"
    compiled: int = 0
    #: transformers: logits are widened within the loss; kept: the caller widens them and keeps them until the backward pass ends
    loss: str = "transformers"
    #: bits in which gradients are reduced
    reduce: int = 32
    #: GPUs over which parameters are sharded, if these are fewer than `world` (HSDP); 0 for all
    group: int = 0
    #: fsdp (FSDP2), ddp (a whole model on every GPU), or none on one GPU
    sharding: str = "fsdp"
    #: GPUs over which tensors are split: torchtitan's with sequence parallelism, those of Transformers without
    tensor: int = 1
    #: bits of the parameters: 32 are cast to 16 where they are used, by FSDP2 or autocast
    weights: int = 32
    optimizer: str = "adamw"
    kernels: str = "fused"
    #: rank of LoRA's adapters, in 32 bits, and the linear layers that have them: attention or all
    adapter: int = 0
    adapter_on: str = ""

    def link(self) -> str:
        """The job as stepcast reads it."""
        shape, titan = self.shape, self.program == "torchtitan"
        loss = {"kept": "kept"}.get(self.loss, "plain" if titan else "stack")
        zero = {"fsdp": "3", "ddp": "0", "none": "0"}[self.sharding]
        fields = dict(
            m="custom", layers=shape.layers, hidden=shape.hidden, ffn=shape.ffn, heads=shape.heads, kv=shape.kv_heads,
            dh=shape.head_dim, vocab=shape.vocabulary, gated=1, act="silu", tied=shape.tied, bias="none", norm="rms",
            qkn=shape.query_key_norms, pos="rotary", code="qwen" if shape.query_key_norms else "llama",
            **(dict(moe=shape.experts, topk=shape.top_k, effn=shape.expert_ffn) if shape.experts else {}),
            g="dgx-h200", n=self.world, seq=self.sequence, gb=self.world // self.tensor * self.micro_batch, mb=self.micro_batch,
            tp=self.tensor, sp=int(titan and self.tensor > 1), cp=1, ep=1, etp=1, pp=1, vpp=1, sched="1f1b",
            zero="hsdp" if self.group else zero, **(dict(shg=self.group) if self.group else {}),
            rc=self.checkpointing, tpo=0, gao=int(zero == "3"), ppo=0, split="even", comp=self.compiled, loss=loss, stack="torchtitan" if titan else "eager", year=2025, month=12,
            opt=self.optimizer, optk=self.kernels, wts=self.weights, ost=self.weights,
            **(dict(grads=self.reduce) if self.sharding == "fsdp" else {}),
            **(dict(lora=self.adapter, lorat=self.adapter_on) if self.adapter else {}),
        )
        return "2;" + ";".join(f"{key}={value}" for key, value in fields.items())


def jobs() -> list[Job]:
    """Every job that is counted."""
    listed = []
    for program in ("transformers", "torchtitan"):
        for world, batch, sequence, checkpointing in (
            (8, 1, 4096, "full"),
            (8, 1, 8192, "full"),
            (8, 1, 8192, "none"),
            (8, 2, 4096, "none"),
            (64, 1, 4096, "full"),
            (64, 4, 2048, "none"),
        ):
            for shape in (LLAMA_1B, LLAMA_8B, NARROW_8B):
                if program == "transformers" or not shape.tied:
                    listed.append(Job(program, shape, world, batch, sequence, checkpointing))
        listed += [Job(program, LLAMA_70B, world, 1, 4096, "full") for world in (64, 256)]
        listed += [Job(program, NARROW_8B, 8, 1, 2048, kind, reduce=bits) for kind in ("none", "full") for bits in (16, 32)]
        listed += [Job(program, shape, 8, 1, 4096, kind, 1) for shape in (LLAMA_8B, NARROW_8B) for kind in ("none", "full")]
    listed += [Job("torchtitan", shape, 8, 1, 4096, "selective", by) for shape in (LLAMA_8B, NARROW_8B) for by in (0, 1)]
    for shape in (QWEN3_600M, QWEN3_4B, QWEN3_14B, QWEN3_32B, QWEN3_30B):
        listed += [Job("transformers", shape, 16, 1, 4096, kind) for kind in ("none", "full")]
        listed.append(Job("transformers", shape, 16, 1, 16384, "full"))
    listed += [Job("transformers", shape, 8, 1, 16384, "full", loss="kept") for shape in (QWEN3_600M, QWEN3_4B)]
    listed += [Job("transformers", shape, 1, 1, 4096, kind) for shape in (LLAMA_1B, QWEN3_600M) for kind in ("none", "full")]
    for shape in (QWEN3_1700M, LLAMA_3B):
        for world, batch, sequence in ((8, 1, 2048), (8, 1, 8192), (8, 4, 2048), (32, 2, 4096), (32, 1, 32768)):
            listed += [Job("transformers", shape, world, batch, sequence, kind) for kind in ("none", "full")]
    listed += [Job("transformers", QWEN3_1700M, 512, 1, 4096, kind) for kind in ("none", "full")]
    for shape in (LLAMA_1B, QWEN3_4B, LLAMA2_7B):
        listed += [Job("transformers", shape, 32, 1, 4096, kind, group=8) for kind in ("none", "full")]
    return listed + small_jobs()


def small_jobs() -> list[Job]:
    """Jobs of few layers: every way to split, format, optimizer and length."""
    listed = []

    def add(program, shape, world, batches, kinds=("none", "full"), **settings):
        for batch, sequence in batches:
            listed.extend(Job(program, shape, world, batch, sequence, kind, **settings) for kind in kinds)

    # One GPU, and whole models on several.
    for shape in (LLAMA_W1, LLAMA_W2, QWEN_W1):
        for weights in (16, 32):
            add("transformers", shape, 1, ((1, 512), (4, 2048)), sharding="none", weights=weights)
            add("transformers", shape, 8, ((1, 2048), (8, 2048)), sharding="ddp", weights=weights)
    add("transformers", LLAMA_W4, 4, ((1, 4096),), sharding="ddp")
    add("transformers", DEEP_W1, 16, ((2, 1024), (1, 8192)), sharding="ddp")
    # Optimizers: their temporaries are the peak where activations are small.
    for optimizer, kernels in (("adamw", "foreach"), ("sgd", "foreach"), ("sgdm", "foreach")):
        for weights in (16, 32):
            add("transformers", LLAMA_W2, 1, ((1, 512), (1, 4096)), ("none",), sharding="none", weights=weights,
                optimizer=optimizer, kernels=kernels)
        add("transformers", LLAMA_W2, 8, ((1, 512),), ("none",), sharding="ddp", optimizer=optimizer, kernels=kernels)
        add("transformers", LLAMA_W4, 8, ((1, 512), (1, 4096)), ("none",), optimizer=optimizer, kernels=kernels)
    add("transformers", LLAMA_W4, 8, ((1, 512),), weights=16)
    add("transformers", LLAMA_W4, 8, ((2, 4096),), weights=16)
    add("transformers", QWEN_W2, 16, ((1, 512), (1, 8192)), weights=16)
    add("transformers", LLAMA_W4, 8, ((1, 512), (2, 4096)), weights=16, reduce=16)
    # Sequences of 512 to 32,768 under FSDP2.
    for shape in (LLAMA_W2, QWEN_W2):
        add("transformers", shape, 8, ((8, 512), (1, 512), (2, 16384), (1, 32768)))
    # Groups of sharding.
    for shape, world, group in ((LLAMA_W4, 64, 8), (QWEN_W2, 32, 4), (LLAMA_W2, 16, 2)):
        add("transformers", shape, world, ((1, 2048), (4, 4096)), group=group)
    # Tensor parallelism.
    for shape in (LLAMA_W2, QWEN_W2, LLAMA_W4):
        for tensor in (2, 4, 8):
            add("transformers", shape, 8 * tensor, ((1, 4096),), tensor=tensor)
    add("transformers", QWEN_W2, 16, ((2, 16384),), tensor=4)
    for tensor in (2, 4, 8):
        add("torchtitan", LLAMA_W4, 8 * tensor, ((1, 4096), (1, 8192)), ("full", "selective"), tensor=tensor)
        add("torchtitan", LLAMA_W4, 8 * tensor, ((2, 4096),), ("full",), tensor=tensor)
    # Adapters.
    for rank in (8, 64):
        for on in ("attention", "all"):
            settings = dict(adapter=rank, adapter_on=on, weights=16)
            add("transformers", LLAMA_W2, 1, ((1, 2048), (4, 2048)), sharding="none", **settings)
            add("transformers", LLAMA_W4, 8, ((1, 4096),), sharding="ddp", **settings)
    # Experts.
    for shape in (MIXTRAL_SMALL, QWEN_EXPERTS, MIXTRAL_W2, QWEN_EXPERTS_W2):
        add("transformers", shape, 8, ((1, 4096),))
        add("transformers", shape, 8, ((4, 2048),), ("full",))
    for shape in (MIXTRAL_SMALL, QWEN_EXPERTS):
        for weights in (16, 32):
            add("transformers", shape, 1, ((1, 2048),), ("none",), sharding="none", weights=weights)
    # Selective checkpointing.
    add("torchtitan", LLAMA_W4, 16, ((1, 8192), (4, 2048), (1, 32768)), ("selective",))
    # Tensor parallelism of tied embeddings.
    for shape in (LLAMA_1B, QWEN_W1):
        for tensor in (2, 4):
            add("transformers", shape, 4 * tensor, ((1, 4096),), tensor=tensor)
    for tensor in (2, 4):
        add("transformers", QWEN_W1, 8 * tensor, ((1, 256),), tensor=tensor)
    # Adapters under FSDP2, and long sequences with adapters on one GPU.
    for shape in (LLAMA_W2, QWEN_W2):
        add("transformers", shape, 8, ((1, 4096),), adapter=16, adapter_on="all", weights=32)
        add("transformers", shape, 1, ((1, 16384),), adapter=16, adapter_on="all", weights=16, sharding="none")
    # Sequences of 65,536; experts with 16-bit weights or many tokens; whole models on many GPUs with plain optimizers.
    for shape in (LLAMA_W4, QWEN_W2):
        add("transformers", shape, 64, ((1, 65536),), ("full",))
    for shape in (MIXTRAL_W2, QWEN_EXPERTS_W2):
        add("transformers", shape, 16, ((2, 8192),), weights=16)
        add("transformers", shape, 32, ((1, 16384),), group=8)
    for optimizer in ("sgd", "adamw"):
        add("transformers", DEEP_W1, 8, ((4, 2048),), sharding="ddp", weights=16, optimizer=optimizer, kernels="foreach")
    return listed


def flash_attention(query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, scale=None, enable_gqa=False):
    """Attention as CUDA's kernel of scaled_dot_product_attention, which a CPU would not choose."""
    assert attn_mask is None and dropout_p == 0.0
    return torch.ops.aten._scaled_dot_product_flash_attention(query, key, value, 0.0, True, scale=scale)[0]


def rms_norm(value, normalized_shape, weight=None, eps=None):
    """PyTorch's own norm as CUDA's kernel."""
    return torch.ops.aten._fused_rms_norm(value, normalized_shape, weight, eps)[0]


def attention_of_transformers(module, query, key, value, attention_mask, scaling=None, **_):
    """The same as Transformers' `sdpa_attention_forward` calls it: grouped keys and values are not repeated."""
    context = flash_attention(query, key, value, scale=scaling)
    return context.transpose(1, 2).contiguous(), None


def of_transformers(job: Job) -> torch.nn.Module:
    """The model as Transformers builds it."""
    shape = job.shape
    settings = dict(
        hidden_size=shape.hidden, intermediate_size=shape.ffn, num_hidden_layers=shape.layers, num_attention_heads=shape.heads,
        num_key_value_heads=shape.kv_heads, head_dim=shape.head_dim, vocab_size=shape.vocabulary,
        tie_word_embeddings=bool(shape.tied), use_cache=False,
    )
    if shape.experts:
        experts = dict(num_experts=shape.experts, num_experts_per_tok=shape.top_k, moe_intermediate_size=shape.expert_ffn)
        if shape.query_key_norms:
            config = transformers.Qwen3MoeConfig(**settings, **experts)
        else:
            experts = dict(num_local_experts=shape.experts, num_experts_per_tok=shape.top_k)
            config = transformers.MixtralConfig(**settings, **experts, sliding_window=None)
        config._experts_implementation = "grouped_mm"
    else:
        family = transformers.Qwen3Config if shape.query_key_norms else transformers.LlamaConfig
        config = family(**settings)
    # A name without a mask: over fake tensors one is made that a run has not.
    transformers.AttentionInterface.register("counted", attention_of_transformers)
    config._attn_implementation = "counted"
    kind = torch.bfloat16 if job.weights == 16 else torch.float32
    model = transformers.AutoModelForCausalLM.from_config(config, dtype=kind)
    model.train()
    if job.adapter:
        adapt(job, model)
    if job.checkpointing == "full":
        model.gradient_checkpointing_enable(gradient_checkpointing_kwargs={"use_reentrant": False})
    return model


class Adapted(torch.nn.Module):
    """A frozen linear layer with an adapter of 32 bits, as PEFT's `Linear.forward` computes it without dropout."""

    def __init__(self, base: torch.nn.Linear, rank: int):
        super().__init__()
        self.base = base
        self.down = torch.nn.Linear(base.in_features, rank, bias=False, dtype=torch.float32)
        self.up = torch.nn.Linear(rank, base.out_features, bias=False, dtype=torch.float32)

    def forward(self, value):
        result = self.base(value)
        kind = result.dtype
        result = result + self.up(self.down(value.to(self.down.weight.dtype))) * 2.0
        return result.to(kind)


def adapt(job: Job, model: torch.nn.Module) -> None:
    """Freezes a model and gives its linear layers adapters."""
    model.requires_grad_(False)
    names = ("q_proj", "k_proj", "v_proj", "o_proj")
    if job.adapter_on == "all":
        names += ("gate_proj", "up_proj", "down_proj")
    for layer in model.model.layers:
        for part in (layer.self_attn, layer.mlp):
            for name in names:
                if hasattr(part, name):
                    setattr(part, name, Adapted(getattr(part, name), job.adapter))
    # Trainer of PEFT's models, so that checkpointed layers have an input with a gradient.
    model.enable_input_require_grads()


def of_torchtitan(job: Job, tensor=None) -> torch.nn.Module:
    """The model as torchtitan builds it, and splits it over the mesh of tensor parallelism."""
    from torchtitan.config import ActivationCheckpoint
    from torchtitan.distributed.activation_checkpoint import apply_ac
    from torchtitan.models.llama3 import Transformer, TransformerModelArgs
    from torchtitan.models.llama3.infra.parallelize import _op_sac_save_list, apply_tp

    shape = job.shape
    settings = TransformerModelArgs(
        dim=shape.hidden, n_layers=shape.layers, n_heads=shape.heads, n_kv_heads=shape.kv_heads, vocab_size=shape.vocabulary,
        ffn_dim_multiplier=shape.ffn / (8 * shape.hidden / 3), multiple_of=256, max_seq_len=job.sequence,
    )
    model = Transformer(settings)
    assert model.layers["0"].feed_forward.w1.out_features == shape.ffn, "width of the feed-forward part"
    model.train()
    if tensor is not None:
        apply_tp(model, tensor, loss_parallel=True, enable_float8_tensorwise_tp=False)
    if job.checkpointing != "none":
        how = ActivationCheckpoint(mode=job.checkpointing, selective_ac_option="op")
        apply_ac(model, how, model_compile_enabled=bool(job.compiled), op_sac_save_list=_op_sac_save_list)
    return model


def saved_by_compiled_layers(job: Job) -> int:
    """Bytes that layers keep for the backward pass where Inductor's partitioner decides, with the last layer's output."""
    saved: list[int] = []

    def forward_graph(graph, _):
        outputs = next(node for node in graph.graph.nodes if node.op == "output").args[0]
        made = [node.meta["val"] for node in outputs if hasattr(node, "meta") and node.op != "placeholder"]
        tensors = [value for value in made if isinstance(value, torch.Tensor)]
        # Several may be views of one.
        storages = {StorageWeakRef(tensor.untyped_storage()): tensor.untyped_storage().nbytes() for tensor in tensors}
        saved.append(sum(storages.values()))
        return graph

    partition = functools.partial(min_cut_rematerialization_partition, compiler="inductor")
    backend = aot_autograd(
        fw_compiler=forward_graph, bw_compiler=lambda graph, _: graph, partition_fn=partition, decompositions=select_decomp_table()
    )
    torch._dynamo.reset()
    torch.set_default_dtype(torch.bfloat16)
    one = dataclasses.replace(job, shape=dataclasses.replace(job.shape, layers=1), weights=16)
    with FakeTensorMode(allow_non_fake_inputs=True):
        model = of_torchtitan(one) if job.program == "torchtitan" else of_transformers(one)
        for layer in model.layers.values() if job.program == "torchtitan" else model.model.layers:
            layer.compile(backend=backend)
        model(torch.zeros(job.micro_batch, job.sequence, dtype=torch.long))
    torch.set_default_dtype(torch.float32)
    embedding = 2 * job.micro_batch * job.sequence * job.shape.hidden
    return embedding + job.shape.layers * saved[0]


def shard(job: Job, model: torch.nn.Module, mesh) -> None:
    """FSDP2 as the program applies it: a group per layer, and the ends in one (Accelerate) or two (torchtitan) further groups."""
    bits = {16: torch.bfloat16, 32: torch.float32}
    options = dict(mesh=mesh, mp_policy=MixedPrecisionPolicy(torch.bfloat16, bits[job.reduce]))
    titan = job.program == "torchtitan"
    if titan:
        fully_shard(model.tok_embeddings, **options)
    for layer in model.layers.values() if titan else model.model.layers:
        fully_shard(layer, **options)
    if titan:
        fully_shard([model.norm, model.output], **options, reshard_after_forward=False)
    fully_shard(model, **options)


def split(model: torch.nn.Module, mesh) -> None:
    """Tensor parallelism by the plan of Transformers' models (`base_model_tp_plan`)."""
    columns = ("self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj", "mlp.gate_proj", "mlp.up_proj")
    rows = ("self_attn.o_proj", "mlp.down_proj")
    of_layer = {name: ColwiseParallel() for name in columns} | {name: RowwiseParallel() for name in rows}
    plan = {f"model.layers.*.{name}": style for name, style in of_layer.items()}
    # `colwise_gather_output`; a tied embedding is split with the head.
    plan["lm_head"] = ColwiseParallel(output_layouts=Replicate())
    tied = model.config.tie_word_embeddings
    if tied:
        plan["model.embed_tokens"] = RowwiseParallel(input_layouts=Replicate())
    parallelize_module(model, mesh, plan)
    if tied:
        model.lm_head.weight = model.model.embed_tokens.weight


class Reducer:
    """DDP's reducer, which keeps its one bucket: new ones, of the same bytes, are made of numbers that fake tensors do not have."""

    def __init__(self, reducer, buckets):
        self.reducer, self.buckets = reducer, buckets

    def __getattr__(self, name):
        return getattr(self.reducer, name)

    def _rebuild_buckets(self):
        return False


def replicate(model: torch.nn.Module) -> torch.nn.Module:
    """DistributedDataParallel with its defaults, over a group that sends nothing."""
    distributed = sys.modules[torch.nn.parallel.DistributedDataParallel.__module__]
    distributed._verify_param_shape_across_processes = lambda *_, **__: True
    distributed._sync_module_states = lambda *_, **__: None

    def reduced(buckets, bucket):
        buckets.append(bucket.buffer())
        future = torch.futures.Future()
        future.set_result(bucket.buffer())
        return future

    buckets: list[torch.Tensor] = []
    model = torch.nn.parallel.DistributedDataParallel(model)
    model.register_comm_hook(buckets, reduced)
    model.reducer = Reducer(model.reducer, buckets)
    return model


def meshes(job: Job):
    """The meshes of sharding and of tensor parallelism."""
    data = job.world // job.tensor
    sizes, names = ((data // job.group, job.group), ("replicate", "shard")) if job.group else ((data,), ("shard",))
    if job.tensor == 1:
        return init_device_mesh("cpu", sizes, mesh_dim_names=names), None
    mesh = init_device_mesh("cpu", (*sizes, job.tensor), mesh_dim_names=(*names, "tensor"))
    return mesh[names if job.group else names[0]], mesh["tensor"]


def made(job: Job, data, tensor):
    """The model, split over these meshes, and its optimizer."""
    model = of_torchtitan(job, tensor) if job.program == "torchtitan" else of_transformers(job)
    if tensor is not None and job.program == "transformers":
        split(model, tensor)
    if job.sharding == "fsdp":
        shard(job, model, data)
    elif job.sharding == "ddp":
        model = replicate(model)
    rules = {"adamw": (torch.optim.AdamW, {}), "sgd": (torch.optim.SGD, {}), "sgdm": (torch.optim.SGD, dict(momentum=0.9))}
    rule, settings = rules[job.optimizer]
    trained = [parameter for parameter in model.parameters() if parameter.requires_grad]
    return model, rule(trained, lr=1e-3, **settings, **{job.kernels: True})


class Tracker(MemTracker):
    """MemTracker of models with frozen parameters, which have no gradients to follow."""

    def _track_module_params_and_buffers(self, module, install_grad_hooks=True):
        nothing = RemovableHandle(collections.OrderedDict())
        for parameter in module.parameters():
            if not parameter.requires_grad:
                self._param_to_grad_hook_handles[parameter] = (nothing, nothing)
        return super()._track_module_params_and_buffers(module, install_grad_hooks)


def train(job: Job, model: torch.nn.Module, tokens: torch.Tensor) -> None:
    """Forward and backward pass."""
    cast = job.sharding != "fsdp" and job.weights == 32
    casts = torch.autocast("cpu", torch.bfloat16) if cast else contextlib.nullcontext()
    with loss_parallel() if job.program == "torchtitan" and job.tensor > 1 else contextlib.nullcontext():
        with casts:
            loss, _kept = loss_of(job, model, tokens)
        loss.backward()


def loss_of(job: Job, model: torch.nn.Module, tokens: torch.Tensor):
    """The loss of a forward pass, and what the caller keeps until the backward pass ends."""
    if job.program == "torchtitan":
        return torch.nn.functional.cross_entropy(model(tokens).flatten(0, 1).float(), tokens.flatten(0, 1)), None
    if job.loss == "kept":
        logits = model(input_ids=tokens).logits.float()
        return torch.nn.functional.cross_entropy(logits.flatten(0, 1), tokens.flatten(0, 1)), logits
    return model(input_ids=tokens, labels=tokens).loss, None


def owners(snapshot: dict) -> dict[str, int]:
    """Bytes by FSDPMemTracker's owners."""
    of_device = snapshot[torch.device("cpu")]
    return {getattr(owner, "name", str(owner)): size for owner, size in of_device.items()}


def count(job: Job) -> dict[str, int]:
    """Bytes by owner at the peak of a step."""
    if job.compiled:
        return dict.fromkeys([*OWNERS, "peak"], "") | {"kept": saved_by_compiled_layers(job)}
    dist.init_process_group("fake", rank=0, world_size=job.world, store=FakeStore())
    kept, over = [], meshes(job)
    with FakeTensorMode(allow_non_fake_inputs=True):
        model, optimizer = made(job, *over)
        tracker = FSDPMemTracker(model, optimizer) if job.sharding == "fsdp" else Tracker()
        bare = model.module if job.sharding == "ddp" else model
        head = bare.output if job.program == "torchtitan" else bare.lm_head
        tokens = torch.zeros(job.micro_batch, job.sequence, dtype=torch.long)

        def step():
            train(job, model, tokens)
            optimizer.step()
            optimizer.zero_grad()

        # The first step makes what stays.
        step()
        if job.sharding != "fsdp":
            tracker.track_external(model, optimizer, *(model.reducer.buckets if job.sharding == "ddp" else ()))
        head.register_forward_pre_hook(lambda *_: kept.append(owners(tracker.get_tracker_snapshot("current"))["ACT"]))
        with tracker:
            step()
        peak, after = (owners(tracker.get_tracker_snapshot(when)) for when in ("peak", "current"))
    # What the update makes and frees counts as the optimizer's to the trackers.
    peak["TEMP"] += max(peak["OPT"] - after["OPT"], 0)
    peak["OPT"] = min(peak["OPT"], after["OPT"])
    counted = {owner: sum(peak.get(name, 0) for name in names) for owner, names in OWNERS.items()}
    return counted | {"peak": peak["Total"], "kept": kept[0]}


def apart(function, modes):
    """A function of PyTorch that runs outside of modes: it computes numbers or shapes, which are no memory of the job."""

    def outside(*of):
        with modes():
            return function(*of)

    return outside


def main() -> None:
    warnings.filterwarnings("ignore")
    transformers.logging.set_verbosity_error()
    torch.nn.functional.scaled_dot_product_attention = flash_attention
    torch.nn.functional.rms_norm = rms_norm
    DeviceMesh._concatenate = staticmethod(apart(DeviceMesh._concatenate, unset_fake_temporarily))
    shapes = "_propagate_tensor_meta_non_cached"
    setattr(ShardingPropagator, shapes, apart(getattr(ShardingPropagator, shapes), _disable_current_modes))
    chosen = [int(number) for number in sys.argv[1:]]
    print("# Printed by examples/count_memory.py: bytes on one GPU at the peak of a training step, by owner, counted by")
    print(f"# PyTorch {torch.__version__.split('+')[0]} over fake tensors. Owners as there.")
    print("\t".join(["program", "job", *OWNERS, "peak", "kept"]))
    for number, job in enumerate(jobs()):
        if chosen and number not in chosen:
            continue
        try:
            counted = count(job)
        except Exception as error:  # whatever a program's own code raises
            print(f"{number} {job.link()}: {type(error).__name__}: {str(error)[:200]}", file=sys.stderr, flush=True)
        else:
            print("\t".join(map(str, [job.program, job.link(), *counted.values()])), flush=True)
        if dist.is_initialized():
            dist.destroy_process_group()


if __name__ == "__main__":
    main()
