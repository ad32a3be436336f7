#!/usr/bin/env python3
"""Counts the kernels of PyTorch modules, and the bytes that each reads and writes, without a GPU.

Real modules of Transformers and PyTorch run forward and backward on fake tensors, which have a shape and no data. A
dispatch mode sees every operation below autograd. One that returns a view launches nothing; any other is a kernel that
reads its operands and writes its results once. What autocast does on CUDA is done as its lists say (PyTorch, "CUDA Ops
that can autocast to float32").

    pip install torch transformers
    python examples/count_kernels.py > tests/counted.tsv

Each row is one module in one precision; its last column says what bytes are given for one of.
"""

import argparse
import sys

import torch
import torch.nn.functional as F
import transformers
from torch import nn
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.utils._python_dispatch import TorchDispatchMode

BF16, FP32 = torch.bfloat16, torch.float32

# Sizes so large that what grows with tokens or widths alone vanishes beside what grows with both.
TOKENS, HIDDEN, INNER, VOCABULARY = 8192, 16384, 65536, 131072
HEADS, HEAD_DIM, SEQUENCE = 128, 128, 16384
EXPERTS, TOP_K, EXPERT_INNER = 256, 8, 64

# Operations that launch nothing though what they return is no view of an operand.
NO_KERNEL = {"empty", "empty_like", "empty_strided", "new_empty", "new_empty_strided", "detach", "alias", "_unsafe_view",
             "lift_fresh", "is_same_size", "_reshape_alias"}
# Products of libraries, which are priced apart.
PRODUCTS = {"mm", "bmm", "addmm", "_grouped_mm", "grouped_mm_fallback", "grouped_mm_fallback_backward"}
# Operations made of two kernels: zeros, and a copy into a part of them.
INTO_ZEROS = {"slice_backward", "select_backward"}
# Operations of two CUDA kernels that each read the gradient and the input: for the input's gradient, and for weight and bias
# (aten/src/ATen/native/cuda/layer_norm_kernel.cu).
READ_TWICE = {"native_layer_norm_backward"}
# Operations that read or write only the elements that their indices name: which operands are not read whole.
READS_NAMED = {"nll_loss_forward": {0}, "nll_loss_backward": {1}}
# Autocast on CUDA runs these in 32 bits.
IN_SINGLE = {torch.pow, torch.Tensor.pow, torch.Tensor.__pow__, torch.Tensor.rsqrt, torch.rsqrt, F.layer_norm, F.rms_norm,
             F.softmax, torch.softmax, torch.Tensor.softmax, F.log_softmax, F.cross_entropy, F.nll_loss, torch.sum,
             torch.Tensor.sum, torch.cumsum, torch.Tensor.cumsum, torch.exp, torch.Tensor.exp, F.softplus, torch.expm1}
# And these, with products, in 16.
IN_HALF = {F.linear, torch.matmul, torch.Tensor.matmul, torch.bmm}


def bytes_of(tensor):
    """Bytes of the distinct elements of a tensor: a broadcast dimension is read once."""
    count = 1
    for size, stride in zip(tensor.shape, tensor.stride()):
        count *= size if stride else 1
    return count * tensor.element_size()


def tensors(tree):
    return [leaf for leaf in torch.utils._pytree.tree_leaves(tree) if isinstance(leaf, torch.Tensor)]


def storage(tensor):
    return tensor.untyped_storage()._cdata


class Counter(TorchDispatchMode):
    """Lists every kernel: name, bytes read, bytes written."""

    def __init__(self):
        super().__init__()
        self.kernels = []

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        out = func(*args, **(kwargs or {}))
        name = func._schema.name.split("::")[1]
        named = READS_NAMED.get(name, ())
        read = tensors(([argument for index, argument in enumerate(args) if index not in named], kwargs))
        written = tensors(out)
        places = {storage(tensor) for tensor in tensors((args, kwargs))}
        mutates = any(argument.alias_info and argument.alias_info.is_write for argument in func._schema.arguments)
        view = not mutates and written and all(storage(tensor) in places for tensor in written)
        if name in NO_KERNEL or view or not written:
            return out
        if mutates and name in ("copy_", "fill_", "zero_"):
            read = read[1:]
        elif name.startswith(("new_", "zeros", "ones", "full")):
            read = []
        moved = [sum(map(bytes_of, read)), sum(map(bytes_of, written))]
        if name in INTO_ZEROS:
            self.kernels.append(("zeros", 0, moved[1]))
            moved = [moved[0], moved[0]]
        elif name in READ_TWICE:
            self.kernels.append((f"{name} of the weight", sum(map(bytes_of, tensors(args)[:2])), 0))
        self.kernels.append((name, *moved))
        return out


class Autocast(torch.overrides.TorchFunctionMode):
    """Autocast of CUDA to bf16: products take 16 bits, what is in the list takes 32."""

    def __torch_function__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        wanted = FP32 if func in IN_SINGLE else BF16 if func in IN_HALF else None
        if wanted:
            cast = lambda leaf: leaf.to(wanted) if isinstance(leaf, torch.Tensor) and leaf.is_floating_point() else leaf
            args, kwargs = torch.utils._pytree.tree_map(cast, (args, kwargs))
        return func(*args, **kwargs)


class Nothing:
    def __enter__(self):
        return self

    def __exit__(self, *_):
        return False


def counted(run, inputs, parameters, autocast):
    """Kernels forward and backward of `run(*inputs)`, and the bytes that stay for the backward pass."""
    kept = {}

    def pack(tensor):
        kept[storage(tensor)] = tensor.untyped_storage().nbytes()
        return tensor

    leave_out = {storage(tensor) for tensor in parameters}
    with Counter() as forward, torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
        with Autocast() if autocast else Nothing():
            out = run(*inputs)
    outs = [tensor for tensor in tensors(out) if tensor.requires_grad]
    gradients = [torch.empty_like(tensor) for tensor in outs]
    wanted = [tensor for tensor in [*tensors(inputs), *parameters] if tensor.requires_grad]
    with Counter() as backward:
        torch.autograd.grad(outs, wanted, gradients, allow_unused=True)
    return forward.kernels, backward.kernels, sum(size for key, size in kept.items() if key not in leave_out)


def modules():
    """Every module that is counted: name, precisions, what makes it, the elements that bytes are given per, and what they are."""
    from transformers import activations
    from transformers.integrations import moe
    from transformers.models.gpt2 import modeling_gpt2
    from transformers.models.llama import modeling_llama
    from transformers.models.mixtral import modeling_mixtral
    from transformers.models.qwen3_moe import modeling_qwen3_moe

    def tensor(*shape, dtype):
        return torch.empty(*shape, dtype=dtype, requires_grad=True)

    def built(make, dtype):
        torch.set_default_dtype(dtype)
        module = make()
        torch.set_default_dtype(FP32)
        return module

    def stream(make):
        return lambda dtype: (built(lambda: make(HIDDEN), dtype), [tensor(1, TOKENS, HIDDEN, dtype=dtype)])

    def residual(dtype):
        # What enters a branch and is added to its output has two gradients.
        run = lambda x, branch: (x.view_as(x), x + branch)
        return run, [tensor(1, TOKENS, HIDDEN, dtype=dtype), tensor(1, TOKENS, HIDDEN, dtype=BF16)]

    def inner(make, branches=1):
        # Between products of 16 bits, the second of which casts what it reads.
        def of(dtype):
            activation = built(make, BF16)
            if branches == 1:
                run = lambda x: activation(x).to(BF16)
            else:
                run = lambda gate, up: (activation(gate) * up).to(BF16)
            return run, [tensor(1, TOKENS, INNER, dtype=BF16) for _ in range(branches)]
        return of

    def rotary(dtype):
        angles = [torch.empty(1, SEQUENCE, HEAD_DIM, dtype=BF16) for _ in range(2)]
        run = lambda queries, keys: modeling_llama.apply_rotary_pos_emb(queries, keys, *angles)
        return run, [tensor(1, HEADS, SEQUENCE, HEAD_DIM, dtype=BF16) for _ in range(2)]

    def loss(widens):
        def of(dtype):
            labels = torch.empty(TOKENS, dtype=torch.int64)
            run = lambda logits: F.cross_entropy(logits.float() if widens else logits, labels)
            return run, [tensor(TOKENS, VOCABULARY, dtype=BF16)]
        return of

    def attention(eager, dropout):
        def of(dtype):
            module = nn.Module()
            module.num_key_value_groups, module.training = 1, True
            mask = torch.empty(1, 1, SEQUENCE, SEQUENCE, dtype=dtype)
            run = lambda *qkv: eager(module, *qkv, mask, scaling=0.1, dropout=dropout)[0]
            return run, [tensor(1, HEADS, SEQUENCE, HEAD_DIM, dtype=BF16) for _ in range(3)]
        return of

    def router(make, **config):
        def of(dtype):
            sizes = dict(num_experts_per_tok=TOP_K, hidden_size=HIDDEN, num_experts=EXPERTS, num_local_experts=EXPERTS,
                         norm_topk_prob=True, **config)
            module = built(lambda: make(type("Config", (), sizes)), dtype)
            return lambda x: module(x)[1], [tensor(TOKENS, HIDDEN, dtype=dtype)]
        return of

    def grouped(dtype):
        # The experts' products and activation are priced apart.
        experts = nn.Module()
        experts.num_experts, experts.act_fn = EXPERTS, lambda x: x
        experts.has_gate = experts.has_bias = experts.is_transposed = experts.has_post_expert_norm = False
        experts._is_expert_parallel = False
        experts.up_proj = nn.Parameter(tensor(EXPERTS, EXPERT_INNER, HIDDEN, dtype=BF16))
        experts.down_proj = nn.Parameter(tensor(EXPERTS, HIDDEN, EXPERT_INNER, dtype=BF16))
        index = torch.empty(TOKENS, TOP_K, dtype=torch.int64)
        run = lambda x, weights: moe.grouped_mm_experts_forward(experts, x, index, weights)
        return run, [tensor(TOKENS, HIDDEN, dtype=BF16), tensor(TOKENS, TOP_K, dtype=BF16)]

    both, half = (16, 32), (16,)
    hidden, inside, scores = TOKENS * HIDDEN, TOKENS * INNER, HEADS * SEQUENCE * SEQUENCE
    yield "layer_norm", both, stream(nn.LayerNorm), hidden, "element"
    yield "rms_norm", both, stream(modeling_llama.LlamaRMSNorm), hidden, "element"
    yield "residual", both, residual, hidden, "element"
    yield "rotary_halves", half, rotary, 2 * HEADS * SEQUENCE * HEAD_DIM, "rotated element"
    kinds = {"gelu": nn.GELU, "gelu_tanh": lambda: nn.GELU(approximate="tanh"), "gelu_new": activations.NewGELUActivation,
             "relu": nn.ReLU, "relu2": activations.ReLUSquaredActivation, "xielu": activations.XIELUActivation,
             "silu": nn.SiLU}
    for name, make in kinds.items():
        yield name, both, inner(make), inside, "inner element"
        yield f"gated_{name}", both, inner(make, 2), inside, "inner element"
    yield "scores_llama", half, attention(modeling_llama.eager_attention_forward, 0.0), scores, "score"
    yield "scores_gpt2", both, attention(modeling_gpt2.eager_attention_forward, 0.1), scores, "score"
    yield "loss_16", half, loss(False), TOKENS * VOCABULARY, "logit"
    yield "loss_widened", half, loss(True), TOKENS * VOCABULARY, "logit"
    yield "router_mixtral", half, router(modeling_mixtral.MixtralTopKRouter), TOKENS * EXPERTS, "token and expert"
    yield "router_qwen3_moe", half, router(modeling_qwen3_moe.Qwen3MoeTopKRouter), TOKENS * EXPERTS, "token and expert"
    yield "routing_grouped", half, grouped, TOKENS * TOP_K * HIDDEN, "element of copies"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kernels", metavar="MODULE", help="list the kernels of one module instead")
    chosen = parser.parse_args().kernels
    print("# Kernels of modules and their bytes, counted by examples/count_kernels.py with PyTorch "
          f"{torch.__version__.split('+')[0]} and Transformers {transformers.__version__}.")
    print("# bits: 16 throughout, or 32 of weights and residual stream under autocast. saved: bytes that stay for the backward pass.")
    print("\t".join(["name", "bits", "forward [B]", "forward kernels", "backward [B]", "backward kernels", "saved [B]", "per"]))
    with FakeTensorMode(allow_non_fake_inputs=True):
        for name, precisions, make, elements, per in modules():
            if chosen not in (None, name):
                continue
            for bits in precisions:
                run, inputs = make(BF16 if bits == 16 else FP32)
                parameters = list(run.parameters()) if isinstance(run, nn.Module) else []
                *passes, saved = counted(run, inputs, parameters, bits == 32)
                cells = []
                for way, kernels in zip(("forward", "backward"), passes):
                    # Scores are what products write and read; all else of a product is priced apart.
                    kernels = [kernel for kernel in kernels if kernel[0] not in PRODUCTS or per == "score"]
                    cells += [f"{sum(read + written for _, read, written in kernels) / elements:.1f}",
                              str(len([kernel for kernel in kernels if kernel[0] not in PRODUCTS]))]
                    for kernel, read, written in kernels if chosen else []:
                        print(f"  {bits} {way}\t{kernel}\t{read / elements:.2f}\t{written / elements:.2f}", file=sys.stderr)
                print("\t".join([name, str(bits), *cells, f"{saved / elements:.1f}", per]))


if __name__ == "__main__":
    main()
