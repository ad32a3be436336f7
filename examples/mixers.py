"""Token mixers as they are trained, and the shapes at which `measure_mixers.py` times them.

A builder takes one shape and returns the forward pass and the tensors whose gradients the backward pass computes. Its
packages are imported within, so that a missing one leaves out its operators alone.
"""

import torch
import torch.nn.functional as F


def tensor(*shape, dtype=torch.bfloat16, grad=True, scale=1.0):
    return (torch.randn(*shape, device="cuda", dtype=dtype) * scale).requires_grad_(grad)


def log_decay(*shape, dtype=torch.float32):
    """A gate's logarithm: below zero, as after a sigmoid."""
    return F.logsigmoid(torch.randn(*shape, device="cuda") + 3).to(dtype).requires_grad_()


def allow_gated_backward():
    """flash-linear-attention refuses the gated backward pass on Hopper under Triton 3.4 to 3.7.0, whose compiler got it
    wrong (fla issue 640). Its time is wanted all the same; `gradient_error` says how far the gradients are off."""
    import fla.ops.common.chunk_o as kernels_of_output

    kernels_of_output.TRITON_ABOVE_3_7_1 = True


def gated_delta_rule(batch, sequence, heads, head_dim, key_heads=0, **_):
    from fla.ops.gated_delta_rule import chunk_gated_delta_rule

    allow_gated_backward()
    q, k = (tensor(batch, sequence, key_heads or heads, head_dim) for _ in range(2))
    v, beta = tensor(batch, sequence, heads, head_dim), tensor(batch, sequence, heads)
    g = log_decay(batch, sequence, heads)
    call = lambda: chunk_gated_delta_rule(q, k, v, g, beta.sigmoid(), use_qk_l2norm_in_kernel=True)[0]
    return call, (q, k, v, g, beta)


def delta_rule(batch, sequence, heads, head_dim, **_):
    from fla.ops.delta_rule import chunk_delta_rule

    q, k, v = (tensor(batch, sequence, heads, head_dim) for _ in range(3))
    beta = tensor(batch, sequence, heads)
    call = lambda: chunk_delta_rule(q, k, v, beta.sigmoid(), use_qk_l2norm_in_kernel=True)[0]
    return call, (q, k, v, beta)


def kda(batch, sequence, heads, head_dim, **_):
    """Kimi Delta Attention as its layer calls it: gate and sigmoid inside of the kernels."""
    from fla.ops.kda import chunk_kda

    q, k, v, g = (tensor(batch, sequence, heads, head_dim) for _ in range(4))
    beta = tensor(batch, sequence, heads)
    a_log = torch.zeros(heads, device="cuda").requires_grad_()
    bias = torch.zeros(heads * head_dim, device="cuda").requires_grad_()
    call = lambda: chunk_kda(
        q,
        k,
        v,
        g,
        beta,
        A_log=a_log,
        dt_bias=bias,
        use_qk_l2norm_in_kernel=True,
        use_gate_in_kernel=True,
        use_beta_sigmoid_in_kernel=True,
        state_v_first=True,
    )[0]
    return call, (q, k, v, g, beta, a_log, bias)


def gla(batch, sequence, heads, head_dim, **_):
    """Gated linear attention with a decay of each key channel; HGRN2 calls the same kernels."""
    from fla.ops.gla import chunk_gla

    q, k, v = (tensor(batch, sequence, heads, head_dim) for _ in range(3))
    g = log_decay(batch, sequence, heads, head_dim, dtype=torch.bfloat16)
    return lambda: chunk_gla(q, k, v, g)[0], (q, k, v, g)


def simple_gla(batch, sequence, heads, head_dim, **_):
    """A decay of each head and token."""
    from fla.ops.simple_gla import chunk_simple_gla

    allow_gated_backward()
    q, k, v = (tensor(batch, sequence, heads, head_dim) for _ in range(3))
    g = log_decay(batch, sequence, heads)
    return lambda: chunk_simple_gla(q, k, v, g)[0], (q, k, v, g)


def lightning(batch, sequence, heads, head_dim, **_):
    """A constant decay of each head (MiniMax-01)."""
    from fla.ops.lightning_attn import chunk_lightning_attn

    q, k, v = (tensor(batch, sequence, heads, head_dim) for _ in range(3))
    return lambda: chunk_lightning_attn(q, k, v, layer_idx=8, num_layers=32)[0], (q, k, v)


def retention(batch, sequence, heads, head_dim, **_):
    """RetNet: values twice as wide as keys."""
    from fla.ops.retention import chunk_retention

    q, k = (tensor(batch, sequence, heads, head_dim) for _ in range(2))
    v = tensor(batch, sequence, heads, 2 * head_dim)
    return lambda: chunk_retention(q, k, v)[0], (q, k, v)


def mamba2_scan(batch, sequence, heads, head_dim, state, groups, chunk, **_):
    from mamba_ssm.ops.triton.ssd_combined import mamba_chunk_scan_combined

    x, dt = tensor(batch, sequence, heads, head_dim), tensor(batch, sequence, heads)
    b, c = (tensor(batch, sequence, groups, state) for _ in range(2))
    a = (-torch.rand(heads, device="cuda") * 15 - 1).requires_grad_()
    d, bias = torch.ones(heads, device="cuda").requires_grad_(), torch.zeros(heads, device="cuda").requires_grad_()
    call = lambda: mamba_chunk_scan_combined(x, dt, a, b, c, chunk, D=d, dt_bias=bias, dt_softplus=True)
    return call, (x, dt, a, b, c, d, bias)


def linear_recurrence(batch, sequence, channels, **_):
    """h = a h + x by channel: HGRN's kernel, and the form of RG-LRU."""
    from fla.ops.hgrn import fused_recurrent_hgrn

    x, g = tensor(batch, sequence, channels), log_decay(batch, sequence, channels, dtype=torch.bfloat16)
    return lambda: fused_recurrent_hgrn(x, g)[0], (x, g)


def causal_conv1d(batch, sequence, channels, **_):
    """Four taps and SiLU, over all channels of q, k and v (or of Mamba's x, B and C) together."""
    from fla.modules.convolution import causal_conv1d as convolve

    x, weight = tensor(batch, sequence, channels), tensor(channels, 4, scale=0.3)
    return lambda: convolve(x, weight, activation="silu")[0], (x, weight)


def short_convolution(batch, sequence, channels, **_):
    """LFM2's: three taps of PyTorch's own depthwise convolution between two gates."""
    b, c, x = (tensor(batch, channels, sequence) for _ in range(3))
    weight = tensor(channels, 1, 3, scale=0.3)
    call = lambda: c * F.conv1d(b * x, weight, padding=2, groups=channels)[..., :sequence]
    return call, (b, c, x, weight)


def gated_rms_norm(batch, sequence, heads, head_dim, **_):
    """Norm of each head times SiLU of its gate, one kernel (gated DeltaNet)."""
    from fla.modules import FusedRMSNormGated

    x, gate = (tensor(batch, sequence, heads, head_dim) for _ in range(2))
    norm = FusedRMSNormGated(head_dim, device="cuda", dtype=torch.bfloat16)
    return lambda: norm(x, gate), (x, gate, norm.weight)


def mamba2_norm(batch, sequence, channels, groups, **_):
    """SiLU of the gate, then the norm of each group of channels (Mamba-2)."""
    from mamba_ssm.ops.triton.layernorm_gated import rmsnorm_fn

    x, gate = (tensor(batch, sequence, channels) for _ in range(2))
    weight = torch.ones(channels, device="cuda", dtype=torch.bfloat16).requires_grad_()
    call = lambda: rmsnorm_fn(x, weight, None, z=gate, group_size=channels // groups, norm_before_gate=False)
    return call, (x, gate, weight)


def sparse_attention(batch, sequence, heads, head_dim, key_heads, **_):
    """Native sparse attention (NSA): compressed blocks, of which each token reads 16 of 64 tokens in full."""
    from fla.ops.nsa.parallel import parallel_nsa

    q = tensor(batch, sequence, heads, head_dim)
    k, v = (tensor(batch, sequence, key_heads, head_dim) for _ in range(2))
    compressed, selected = (tensor(batch, sequence, heads) for _ in range(2))
    call = lambda: parallel_nsa(q, k, v, g_cmp=compressed, g_slc=selected, block_counts=16, block_size=64)
    return call, (q, k, v, compressed, selected)


def attention(batch, sequence, heads, head_dim, key_heads=0, **_):
    """PyTorch's causal FlashAttention, the reference."""
    from torch.nn.attention import SDPBackend, sdpa_kernel

    q = tensor(batch, heads, sequence, head_dim)
    k, v = (tensor(batch, key_heads or heads, sequence, head_dim) for _ in range(2))

    def call():
        with sdpa_kernel(SDPBackend.FLASH_ATTENTION):
            return F.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=bool(key_heads))

    return call, (q, k, v)


def shapes(batches_and_lengths, **fixed):
    return [dict(batch=batch, sequence=sequence, **fixed) for batch, sequence in batches_and_lengths]


FEW = ((1, 4096), (1, 16384), (4, 8192))
MANY = ((1, 2048), (1, 8192), (1, 32768), (4, 2048), (4, 8192), (1, 65536), (16, 2048))


def cases():
    """(operator, shape), the first of an operator and head width being where its kernels are tuned."""
    wide = dict(head_dim=128)
    mamba = dict(head_dim=64, state=128)
    yield from named(
        attention,
        shapes(MANY[:6], heads=32, key_heads=8, **wide),
        shapes(FEW, heads=64, key_heads=8, **wide),
        shapes(FEW, heads=16, head_dim=64),
    )
    yield from named(gated_delta_rule, shapes(MANY, heads=32, key_heads=16, **wide))
    yield from named(mamba2_scan, shapes(MANY, heads=64, groups=8, chunk=128, **mamba))
    yield from named(kda, shapes(MANY, heads=32, **wide))
    yield from named(causal_conv1d, shapes(MANY, channels=8192), shapes(FEW, channels=6144), shapes(FEW, channels=2048))
    yield from named(gated_rms_norm, shapes(MANY, heads=32, **wide), shapes(FEW, heads=64, **wide))
    yield from named(mamba2_norm, shapes(MANY, channels=4096, groups=8), shapes(FEW, channels=8192, groups=8))
    yield from named(simple_gla, shapes(MANY, heads=32, **wide))
    yield from named(gla, shapes(MANY, heads=32, **wide))
    yield from named(delta_rule, shapes(MANY, heads=32, **wide))
    yield from named(short_convolution, shapes(MANY, channels=2048))
    yield from named(linear_recurrence, shapes(MANY, channels=4096))
    yield from named(
        gated_delta_rule, shapes(MANY, heads=64, key_heads=16, **wide), shapes(FEW, heads=16, key_heads=16, **wide)
    )
    yield from named(
        mamba2_scan,
        shapes(MANY, heads=128, groups=8, chunk=128, **mamba),
        shapes(FEW, heads=32, groups=8, chunk=128, **mamba),
    )
    yield from named(kda, shapes(FEW, heads=96, **wide), shapes(FEW, heads=12, **wide))
    yield from named(lightning, shapes(MANY, heads=64, **wide))
    yield from named(retention, shapes(FEW, heads=16, head_dim=128))
    yield from named(mamba2_scan, shapes(FEW, heads=80, groups=1, chunk=256, **mamba))
    yield from named(sparse_attention, shapes(MANY[:4], heads=64, key_heads=4, **wide))
    yield from named(
        gated_delta_rule, shapes(FEW, heads=8, key_heads=8, **wide), shapes(FEW, heads=128, key_heads=32, **wide)
    )
    yield from named(gla, shapes(FEW, heads=16, **wide))
    yield from named(simple_gla, shapes(FEW, heads=16, head_dim=64))
    yield from named(delta_rule, shapes(FEW, heads=16, **wide))


def named(operator, *lists):
    return [(operator, shape) for shapes_ in lists for shape in shapes_]


def family(operator, shape):
    """Shapes that share the tuner's choices."""
    return operator.__name__, shape.get("head_dim"), shape.get("chunk")
