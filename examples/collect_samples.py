#!/usr/bin/env python3
"""Times the operators of a transformer on one GPU and writes them as sample files for stepcast.

    python3 collect_samples.py my-gpu            # about ten minutes, CSV files into my-gpu/
    python3 collect_samples.py my-gpu --minutes 3 --only linear1,flash_atten

Needs PyTorch with CUDA (or ROCm). Every operator gets an equal share of the time and is measured on shapes drawn at
random from the grid below; 50 to 200 of them are enough. A call is timed by GPU events after warm-up, with the L2
cache flushed before each call, and the median of the calls is kept.
"""

import argparse
import csv
import itertools
import os
import random
import statistics
import time

import torch
import torch.nn.functional as F

VOCABULARY = 50_257
GRID = {
    "mp": (1, 2, 4, 8),
    "b": (1, 2, 4, 8),
    "l": (1024, 2048, 3072, 4096, 8192),
    "dim": (2048, 3072, 4096, 5120, 6144, 8192),
    "h": (16, 32, 40, 48, 64),
}
WARM_UP, CALLS = 3, 7
MOST_BYTES = 8 << 30


def tensor(*shape, grad=True):
    return torch.randn(*shape, device="cuda", dtype=torch.float16, requires_grad=grad)


def vocabulary(mp):
    """Padded vocabulary of one of mp ranks."""
    return -(-VOCABULARY // (128 * mp)) * 128


def linear(rows, inner, columns):
    weight, x = tensor(columns, inner), tensor(rows, inner)
    return lambda: F.linear(x, weight)


def attention(shape, causal):
    q, k, v = (tensor(shape["b"], shape["h"] // shape["mp"], shape["l"], shape["dim"] // shape["h"]) for _ in range(3))
    return lambda: F.scaled_dot_product_attention(q, k, v, is_causal=causal)


def rms_norm(x, weight):
    """As eager code has it: in 32 bits, several kernels."""
    wide = x.float()
    return weight * (wide * torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + 1e-6)).to(x.dtype)


def rotary(shape):
    sizes = (shape["l"], shape["b"], shape["h"] // shape["mp"], shape["dim"] // shape["h"])
    q, k = tensor(*sizes), tensor(*sizes)
    angle = torch.randn(sizes[0], 1, 1, sizes[3], device="cuda")
    cos, sin = angle.cos().half(), angle.sin().half()

    def half_turn(x):
        first, second = x.chunk(2, dim=-1)
        return torch.cat((-second, first), dim=-1)

    return lambda: (q * cos + half_turn(q) * sin) + (k * cos + half_turn(k) * sin)


def make(name, shape):
    """The forward call of an operator; its result has a gradient."""
    b, l, d, mp = shape["b"], shape["l"], shape["dim"], shape["mp"]
    rows = b * l
    if name == "linear1":
        return linear(rows, d, 3 * d // mp)
    if name == "linear2":
        return linear(rows, d // mp, d)
    if name == "linear3":
        return linear(rows, d, 4 * d // mp)
    if name == "linear4":
        return linear(rows, 4 * d // mp, d)
    if name == "linear_final":
        return linear(rows, d, vocabulary(mp))
    if name == "flash_atten":
        return attention(shape, causal=False)
    if name == "causal_atten":
        return attention(shape, causal=True)
    if name == "RoPE":
        return rotary(shape)
    if name == "layernorm":
        x, weight, bias = tensor(b, l, d), tensor(d), tensor(d)
        return lambda: F.layer_norm(x, (d,), weight, bias)
    if name == "RMSlayernorm":
        x, weight = tensor(b, l, d), tensor(d)
        return lambda: rms_norm(x, weight)
    if name == "gelu":
        x = tensor(l, b, 4 * d // mp)
        return lambda: F.gelu(x)
    if name == "swiglu":
        gate, up = tensor(b, l, shape["ffn"]), tensor(b, l, shape["ffn"])
        return lambda: F.silu(gate) * up
    if name == "res_add":
        x, y = tensor(b, l, d), tensor(b, l, d)
        return lambda: x + y
    if name == "embedding":
        table = tensor(vocabulary(mp), d)
        tokens = torch.randint(vocabulary(mp), (b, l), device="cuda")
        return lambda: F.embedding(tokens, table)
    if name == "parallel_cross_entropy_128":
        logits = tensor(rows, vocabulary(mp))
        targets = torch.randint(vocabulary(mp), (rows,), device="cuda")
        return lambda: F.cross_entropy(logits.float(), targets)
    raise ValueError(name)


COLUMNS = {
    **dict.fromkeys(
        ("linear1", "linear2", "linear3", "linear4", "linear_final", "gelu", "embedding"), ("mp", "b", "l", "dim")
    ),
    **dict.fromkeys(("flash_atten", "causal_atten", "RoPE"), ("mp", "b", "h", "l", "dim")),
    **dict.fromkeys(("layernorm", "RMSlayernorm", "res_add"), ("b", "l", "dim")),
    "swiglu": ("b", "l", "ffn"),
    "parallel_cross_entropy_128": ("mp", "b", "l"),
}


def timed(call, flush):
    """Median microseconds of a call."""
    times = []
    for index in range(WARM_UP + CALLS):
        flush.zero_()
        start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        start.record()
        call()
        end.record()
        end.synchronize()
        if index >= WARM_UP:
            times.append(1e3 * start.elapsed_time(end))
    return statistics.median(times)


def measure(name, shape, flush):
    forward = make(name, shape)
    with torch.no_grad():
        forward_time = timed(forward, flush)
    result = forward()
    gradient = torch.ones_like(result)
    backward_time = timed(lambda: result.backward(gradient, retain_graph=True), flush)
    return forward_time, backward_time


def shapes(columns):
    """Every legal shape of the grid, in random order."""
    grid = {**GRID, "ffn": tuple(8 * dim // 3 // 128 * 128 for dim in GRID["dim"])}
    found = []
    for values in itertools.product(*(grid[column] for column in columns)):
        shape = {"mp": 1, "h": 32, "dim": 4096, **dict(zip(columns, values))}
        widest = shape["b"] * shape["l"] * max(4 * shape["dim"], vocabulary(shape["mp"]))
        whole = shape["dim"] % shape["h"] == 0 and shape["h"] % shape["mp"] == 0 and shape["dim"] // shape["h"] <= 256
        if 2 * widest <= MOST_BYTES and ("h" not in columns or whole):
            found.append(shape)
    random.shuffle(found)
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--only", default=",".join(COLUMNS))
    arguments = parser.parse_args()
    names = arguments.only.split(",")
    os.makedirs(arguments.folder, exist_ok=True)
    random.seed(0)
    flush = torch.empty(256 << 20, dtype=torch.int8, device="cuda")
    for name in names:
        columns = COLUMNS[name]
        until = time.monotonic() + 60 * arguments.minutes / len(names)
        rows = 0
        with open(os.path.join(arguments.folder, f"{name}.csv"), "w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow([*columns, "F_dur(us)", "B_dur(us)"])
            for shape in shapes(columns):
                if time.monotonic() > until:
                    break
                try:
                    times = measure(name, shape, flush)
                except torch.cuda.OutOfMemoryError:
                    torch.cuda.empty_cache()
                    continue
                writer.writerow([*(shape[column] for column in columns), *(f"{value:.2f}" for value in times)])
                rows += 1
        print(f"{name}: {rows} shapes")


if __name__ == "__main__":
    main()
