"""Counts the peak memory of training steps by owner, without a GPU and without weights.

    PYTHONPATH=/path/to/torchtitan python examples/count_memory.py > tests/counted_memory.tsv

Builds real models of fake tensors, which have shapes but no data, shards them by PyTorch's FSDP2 over a fake process group, and
runs a forward and a backward pass under PyTorch's FSDPMemTracker, which follows every allocation and says who owns it. Prints a
line for each job: its shape and settings, and the bytes of each owner at the peak:

    states        the rank's shards of parameters in 32 bits, and AdamW's two moments of each (of the fused optimizer, which has no
                  temporaries; they are added to what is counted)
    gathered      unsharded parameters, and output buffers of all-gathers
    gradients     sharded and unsharded gradients, and input buffers of reduce-scatters
    activations   tensors made by the forward pass and by recomputation that are alive
    temporaries   other tensors of the backward pass: gradients of activations
    peak          all of them
    kept          activations at the end of the forward pass, before the head

It does not see what the caching allocator adds by rounding and fragments, nor workspaces and communicators. Of compiled layers
it says what they keep, `kept` alone: the outputs of the forward graph that Inductor's partitioner makes of a layer. Needs torch and transformers; jobs of torchtitan are left out where it cannot be
imported (its release of December 2025 has the modules used here). tests/evidence/counted_memory.rs holds stepcast to the table.
"""

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
from torch.distributed._tools.fsdp2_mem_tracker import FSDPMemTracker
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard
from torch.multiprocessing.reductions import StorageWeakRef
from torch.testing._internal.distributed.fake_pg import FakeStore

OWNERS = {
    "states": ("SHARDED_PARAM",),
    "gathered": ("UNSHARDED_PARAM", "ALL_GATHER"),
    "gradients": ("SHARDED_GRAD", "UNSHARDED_GRAD", "REDUCE_SCATTER"),
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
        config = transformers.Qwen3MoeConfig(**settings, **experts)
        config._experts_implementation = "grouped_mm"
    else:
        family = transformers.Qwen3Config if shape.query_key_norms else transformers.LlamaConfig
        config = family(**settings)
    # A name without a mask: over fake tensors one is made that a run has not.
    transformers.AttentionInterface.register("counted", attention_of_transformers)
    config._attn_implementation = "counted"
    model = transformers.AutoModelForCausalLM.from_config(config)
    model.train()
    if job.checkpointing == "full":
        model.gradient_checkpointing_enable(gradient_checkpointing_kwargs={"use_reentrant": False})
    return model


def of_torchtitan(job: Job) -> torch.nn.Module:
    """The model as torchtitan builds it."""
    from torchtitan.config import ActivationCheckpoint
    from torchtitan.distributed.activation_checkpoint import apply_ac
    from torchtitan.models.llama3 import Transformer, TransformerModelArgs
    from torchtitan.models.llama3.infra.parallelize import _op_sac_save_list

    shape = job.shape
    settings = TransformerModelArgs(
        dim=shape.hidden, n_layers=shape.layers, n_heads=shape.heads, n_kv_heads=shape.kv_heads, vocab_size=shape.vocabulary,
        ffn_dim_multiplier=shape.ffn / (8 * shape.hidden / 3), multiple_of=256, max_seq_len=job.sequence,
    )
    model = Transformer(settings)
    assert model.layers["0"].feed_forward.w1.out_features == shape.ffn, "width of the feed-forward part"
    model.train()
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
    one = dataclasses.replace(job, shape=dataclasses.replace(job.shape, layers=1))
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


def train(job: Job, model: torch.nn.Module, tokens: torch.Tensor) -> None:
    """Forward and backward pass."""
    if job.program == "torchtitan":
        logits = model(tokens)
        loss = torch.nn.functional.cross_entropy(logits.flatten(0, 1).float(), tokens.flatten(0, 1))
        del logits
    elif job.loss == "kept":
        logits = model(input_ids=tokens).logits.float()
        loss = torch.nn.functional.cross_entropy(logits.flatten(0, 1), tokens.flatten(0, 1))
    else:
        loss = model(input_ids=tokens, labels=tokens).loss
    loss.backward()


def owners(snapshot: dict) -> dict[str, int]:
    """Bytes by FSDPMemTracker's owners."""
    of_device = snapshot[torch.device("cpu")]
    return {getattr(owner, "name", str(owner)): size for owner, size in of_device.items()}


def count(job: Job) -> dict[str, int]:
    """Bytes by owner at the peak of a step."""
    if job.compiled:
        return dict.fromkeys([*OWNERS, "peak"], "") | {"kept": saved_by_compiled_layers(job)}
    dist.init_process_group("fake", rank=0, world_size=job.world, store=FakeStore())
    sizes, names = ((job.world // job.group, job.group), ("replicate", "shard")) if job.group else ((job.world,), ("shard",))
    mesh = init_device_mesh("cpu", sizes, mesh_dim_names=names)
    kept = []
    with FakeTensorMode(allow_non_fake_inputs=True):
        model = of_torchtitan(job) if job.program == "torchtitan" else of_transformers(job)
        shard(job, model, mesh)
        tracker = FSDPMemTracker(model)
        head = model.output if job.program == "torchtitan" else model.lm_head
        head.register_forward_pre_hook(lambda *_: kept.append(owners(tracker.get_tracker_snapshot("current"))["ACT"]))
        tokens = torch.zeros(job.micro_batch, job.sequence, dtype=torch.long)
        with tracker:
            train(job, model, tokens)
        peak = owners(tracker.get_tracker_snapshot("peak"))
    dist.destroy_process_group()
    counted = {owner: sum(peak[name] for name in names) for owner, names in OWNERS.items()}
    moments = 2 * peak["SHARDED_PARAM"]
    return counted | {"states": counted["states"] + moments, "peak": peak["Total"] + moments, "kept": kept[-1]}


def main() -> None:
    warnings.filterwarnings("ignore")
    transformers.logging.set_verbosity_error()
    torch.nn.functional.scaled_dot_product_attention = flash_attention
    torch.nn.functional.rms_norm = rms_norm
    of_job = [field.name for field in dataclasses.fields(Job) if field.name != "shape"]
    of_shape = [field.name for field in dataclasses.fields(Shape)]
    print("# Printed by examples/count_memory.py: bytes on one GPU at the peak of a training step under FSDP2, by owner, counted by")
    print(f"# PyTorch {torch.__version__.split('+')[0]} over fake tensors. Settings as there.")
    print("\t".join([*of_job, *of_shape, *OWNERS, "peak", "kept"]))
    for job in jobs():
        try:
            counted = count(job)
        except Exception as error:  # whatever a program's own code raises
            print(f"{dataclasses.replace(job, shape=None)}: {type(error).__name__}: {str(error)[:200]}", file=sys.stderr, flush=True)
            if dist.is_initialized():
                dist.destroy_process_group()
            continue
        values = [getattr(job, name) for name in of_job] + [getattr(job.shape, name) for name in of_shape]
        print("\t".join(map(str, [*values, *counted.values()])), flush=True)


if __name__ == "__main__":
    main()
